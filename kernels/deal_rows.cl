/* SPDX-License-Identifier: BSD-3-Clause
 *
 * deal_rows.cl - sums by index of rows of floats: a place is a row too, and so many columns are added
 * side by side. The numbers of the rows are ordered by place (a count, a start and a rank for each), then
 * a few work-items add up a place from its rows, in fixed-point numbers as in accumulate.cl, so that the
 * result depends neither on the order within a place nor on which place comes first. A place of more than
 * MOST rows is added up in pieces of that many of the ordered rows.
 *
 * n rows, m places; state[0]: rows that have a start, state[1]: places in pieces, whose numbers are
 * in which[] and have their exponents and sums in top, odd and acc; slot[] is the way back. A unit is
 * CL * QL work-items for CL columns, of QL rows at once; CHUNKS units share a place. Macros as in
 * accumulate.cl: VALUE, PARTS, PART, WORDS, SCALE.
 */
/* Sets what is all ones, in local memory; gives what was there. */
//@fn lclaim u32 opencl
#define gnd_lclaim_u32(p, v) atomic_cmpxchg((volatile __local g_u32 *)(p), 0xffffffffu, v)
//@fn lclaim u32 cuda
#define gnd_lclaim_u32(p, v) atomicCAS(p, 0xffffffffu, v)
/* Adds, and gives what was there. */
//@fn anext u32 opencl
#define gnd_anext_u32(p, v) atomic_add((volatile GND_GLOBAL g_u32 *)(p), v)
//@fn anext u32 cuda
#define gnd_anext_u32(p, v) atomicAdd(p, v)
//@fn lanext u32 opencl
#define gnd_lanext_u32(p, v) atomic_add((volatile __local g_u32 *)(p), v)
//@fn lanext u32 cuda
#define gnd_lanext_u32(p, v) atomicAdd(p, v)

//@text rows_clear
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < m)
        cnt[i] = 0;
    if (i < 2)
        state[i] = 0;
    if (i < cells) {
        top[i] = -100000;
        odd[i] = 0;
        for (int w = 0; w < WORDS; w++)
            acc[i * WORDS + w] = 0;
    }

/* The number of rows of each place, and of each row its rank among these. A group counts in local memory
 * the places that own a cell of a table there, so that a place with many rows is no bottleneck; the others
 * go to memory at once. */
//@text rows_count
    GND_LOCAL g_u32 tag[CELLS], have[CELLS];
    const int lid = (int)GND_LID(0);
    const g_i64 from = (g_i64)GND_GRP(0) * (TPG * IPT);
    g_u32 p[IPT], r[IPT];
    int mine = 0;
#pragma unroll
    for (int k = 0; k < IPT; k++) {
        const g_i64 i = from + k * TPG + lid;
        p[k] = (g_u32)IN_pos(i < n ? i : n - 1);
    }
    for (int i = lid; i < CELLS; i += TPG) {
        tag[i] = 0xffffffffu;
        have[i] = 0;
    }
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT; k++)
        if (from + k * TPG + lid < n) {
            const g_u32 h = p[k] & (CELLS - 1u), own = gnd_lclaim_u32(&tag[h], p[k]);
            if (own == 0xffffffffu || own == p[k]) {
                mine |= 1 << k;
                r[k] = gnd_lanext_u32(&have[h], 1u);
            } else {
                r[k] = gnd_anext_u32(cnt + p[k], 1u);
            }
        }
    GND_BARRIER();
    for (int i = lid; i < CELLS; i += TPG)
        if (have[i])
            have[i] = gnd_anext_u32(cnt + tag[i], have[i]);
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT; k++)
        if (from + k * TPG + lid < n)
            rank[from + k * TPG + lid] = r[k] + (mine >> k & 1 ? have[p[k] & (CELLS - 1u)] : 0);

/* The start of each place: a scan in the group, and groups follow one another in any order. */
//@text rows_start
    GND_LOCAL g_u32 two[2 * TPG], base;
    const int lid = (int)GND_LID(0);
    const g_i64 i = (g_i64)GND_GID(0);
    const g_u32 c = i < m ? cnt[i] : 0;
    g_u32 s = c;
    int o = 0;
    two[lid] = s;
    GND_BARRIER();
    for (int d = 1; d < TPG; d *= 2) {
        s += lid >= d ? two[o + lid - d] : 0;
        o = TPG - o;
        two[o + lid] = s;
        GND_BARRIER();
    }
    if (lid == TPG - 1)
        base = gnd_anext_u32(state, s);
    GND_BARRIER();
    if (i < m)
        start[i] = base + s - c;
    if (c > MOST) {
        const g_u32 k = gnd_anext_u32(state + 1, 1u);
        slot[i] = k;
        which[k] = (g_u32)i;
    }
//@text rows_place
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        order[start[IN_pos(i)] + rank[i]] = (g_u32)i;

/* A work-item's part of a unit: its column `at`, the first of its rows `q`. EACH_ROW does FIRST for each of
 * the STEP values x that it reads at once, from rows `from` to `to` (beyond: 0), then THEN, and LAST for each of
 * them again. SPAN: what is not finite, and the greatest exponent. EACH_PIECE: of piece number `part`, the
 * places of more than MOST rows in it, of which there are two at most. */
//@text rows_defs
#define UNROLL _Pragma("unroll")
#define UNIT (CL * QL)
#define STEP 8
#define EACH_ROW(from, to, FIRST, THEN, LAST)                                                              \
    for (g_u32 j_ = (from) + q; j_ < (to); j_ += STEP * QL) {                                              \
        g_u32 row_[STEP];                                                                                  \
        $T x_[STEP];                                                                                       \
        UNROLL for (int k_ = 0; k_ < STEP; k_++)                                                           \
            row_[k_] = order[j_ + k_ * QL < (to) ? j_ + k_ * QL : j_];                                     \
        UNROLL for (int k_ = 0; k_ < STEP; k_++) {                                                         \
            const VALUE v_ = IN_val((g_i64)row_[k_] * width + nth);                                        \
            x_[k_] = j_ + k_ * QL < (to) ? PART(v_, at % PARTS) : 0;                                       \
        }                                                                                                  \
        UNROLL for (int k_ = 0; k_ < STEP; k_++) {                                                         \
            const $T x = x_[k_];                                                                           \
            FIRST                                                                                          \
        }                                                                                                  \
        THEN                                                                                               \
        UNROLL for (int k_ = 0; k_ < STEP; k_++) {                                                         \
            const $T x = x_[k_];                                                                           \
            LAST                                                                                           \
        }                                                                                                  \
    }
#define NOTHING (void)x;
#define SPAN                                                                                               \
    {                                                                                                      \
        const g_i32 f_ = gnd_notfinite_$t(x);                                                              \
        strange |= f_;                                                                                     \
        if (!f_ && x != 0) {                                                                               \
            const g_i32 t_ = gnd_fxtop_$t(x);                                                              \
            high = t_ > high ? t_ : high;                                                                  \
        }                                                                                                  \
    }
#define SUM_AT(s)                                                                                          \
    {                                                                                                      \
        if (x != 0 && !gnd_notfinite_$t(x)) {                                                              \
            OWNSUM(sum, x, s);                                                                             \
        }                                                                                                  \
    }
#define PLACE_IN_UNIT                                                                                      \
    const int lid = (int)GND_LID(0), lane = lid % UNIT, q = lane / CL;                                     \
    const g_i64 unit = (GROUP_OF_UNIT) * (TPG / UNIT) + lid / UNIT;                                        \
    const g_i64 part = unit / CHUNKS, col = unit % CHUNKS * CL + lane % CL;                                \
    const g_i64 at = col < cols ? col : cols - 1, width = cols / PARTS, nth = at / PARTS
#define EACH_PIECE(DO)                                                                                     \
    {                                                                                                      \
        const g_i64 a_ = part * MOST, b_ = a_ + MOST < n ? a_ + MOST : n;                                  \
        g_i64 before_ = -1;                                                                                \
        for (int two_ = 0; two_ < 2 && a_ < n && col < cols; two_++) {                                     \
            const g_i64 p = IN_pos(order[two_ ? b_ - 1 : a_]);                                             \
            if (p != before_ && cnt[p] > MOST) {                                                           \
                const g_u32 s_ = start[p], e_ = s_ + cnt[p];                                               \
                const g_u32 from = s_ > a_ ? s_ : (g_u32)a_, to = e_ < b_ ? e_ : (g_u32)b_;                \
                const g_i64 sum_at = (g_i64)slot[p] * cols + at;                                           \
                DO                                                                                         \
            }                                                                                              \
            before_ = p;                                                                                   \
        }                                                                                                  \
    }

/* The sums of places of up to MOST rows. Of float32, one pass often suffices: the first values tell a scale,
 * which has bits to spare with FEW bits for the number of rows in place of SCALE's, and where neither scale
 * loses a bit of any value, the sum is shifted to the right one. Else (redo) one pass finds the greatest
 * exponent and another adds. high and low are exponents as in memory there. Groups from `groups` on find the
 * exponents of pieces. */
//@text rows_sum
    GND_LOCAL g_i32 lhigh[TPG], lother[TPG];
    GND_LOCAL g_i64 lsum[TPG * WORDS];
    const g_i32 none = -100000;
    g_i32 high = none, strange = 0, s = 0, redo = 1;
    if ((g_i64)GND_GRP(0) >= groups) {
#define GROUP_OF_UNIT ((g_i64)GND_GRP(0) - groups)
        PLACE_IN_UNIT;
        if (state[1] == 0)
            return;
        EACH_PIECE({
            high = none;
            strange = 0;
            EACH_ROW(from, to, SPAN, , NOTHING)
            if (high > none && gnd_peek_i32(top + sum_at) < high)
                gnd_amax_i32(top + sum_at, high);
            if (strange)
                gnd_aor_i32(odd + sum_at, strange);
        })
        return;
    }
#undef GROUP_OF_UNIT
#define GROUP_OF_UNIT (g_i64)GND_GRP(0)
    PLACE_IN_UNIT;
    const g_u32 rows = part < m ? cnt[part] : 0, here = part < m ? start[part] : 0;
    const int whole = rows <= MOST, mine = lid - lane + lane % CL;
    const g_u32 end = whole ? here + rows : here;
    g_i64 sum[WORDS];
#define EACH_MATE for (int o = mine; o < mine + UNIT; o += CL)
#if WORDS == 1
    g_i32 low = 1000, by = 0, guess = none;
    g_f32 f1 = 0, f2 = 0;
    g_u64 fast = 0;
    high = 0;
    EACH_ROW(here, end, {
        const g_i32 u = (g_i32)GND_BITS_f32(x) & 0x7fffffff;
        const g_i32 e = u >> 23;
        high = e > high ? e : high;
        low = u && e < low ? e : low;
    }, if (guess == none && low < 1000) {
        guess = high + 3;
        by = 61 - FEW - (guess - 127);
        f1 = gnd_pow2_f32(by / 2);
        f2 = gnd_pow2_f32(by - by / 2);
    }, fast += (g_u64)(g_i64)(x * f1 * f2);)
    lhigh[lid] = high;
    lother[lid] = low == 1000 || (high < 255 && high <= guess && low - 150 + by >= 0) ? low : -1000;
    GND_BARRIER();
    EACH_MATE {
        high = lhigh[o] > high ? lhigh[o] : high;
        low = lother[o] < low ? lother[o] : low;
    }
    s = SCALE((high ? high : 1) - 127);
    redo = low - 150 + s < 0;
    by = redo ? 0 : by - s;
    sum[0] = guess == none ? 0 : by >= 0 ? (g_i64)fast >> by : (g_i64)(fast << -by);
    high = none;
    GND_BARRIER();
#endif
    if (redo) {
        EACH_ROW(here, end, SPAN, , NOTHING)
    }
    lhigh[lid] = high;
    lother[lid] = strange;
    GND_BARRIER();
    if (redo) {
        EACH_MATE {
            high = lhigh[o] > high ? lhigh[o] : high;
            strange |= lother[o];
        }
        s = SCALE(high > none ? high : 0);
        for (int w = 0; w < WORDS; w++)
            sum[w] = 0;
        EACH_ROW(here, end, NOTHING, , SUM_AT(s))
    }
    for (int w = 0; w < WORDS; w++)
        lsum[w * TPG + lid] = sum[w];
    GND_BARRIER();
    lhigh[lid] = s;
    lother[lid] = strange;
    GND_BARRIER();
    if (q == 0 && part < m && col < cols && whole && col % PARTS == 0) {
        $T r[PARTS];
        for (int c = 0; c < PARTS; c++) {
            g_i64 a[WORDS];
            for (int w = 0; w < WORDS; w++) {
                a[w] = 0;
                EACH_MATE
                    a[w] += lsum[w * TPG + o + c];
            }
            r[c] = TOTAL(BASE(part * width + nth, c), a, lhigh[lid + c], lother[lid + c]);
        }
        STORE(y, part * width + nth, r);
    }

/* The sums of pieces, once the exponents of their places are known; and what these places get. */
//@text rows_pieces
#define GROUP_OF_UNIT (g_i64)GND_GRP(0)
    PLACE_IN_UNIT;
    if (state[1] == 0)
        return;
    EACH_PIECE({
        const g_i32 s = SCALE(top[sum_at] > -100000 ? top[sum_at] : 0);
        g_i64 sum[WORDS];
        for (int w = 0; w < WORDS; w++)
            sum[w] = 0;
        EACH_ROW(from, to, NOTHING, , SUM_AT(s))
        for (int w = 0; w < WORDS; w++)
            if (sum[w])
                ADD64(acc + sum_at * WORDS + w, sum[w]);
    })
//@text rows_end
    const g_i64 width = cols / PARTS, i = (g_i64)GND_GID(0), k = i / width;
    if (k < state[1]) {
        const g_i64 to = (g_i64)which[k] * width + i % width;
        $T r[PARTS];
        for (int c = 0; c < PARTS; c++) {
            const g_i64 from = i * PARTS + c;
            const g_i32 s = SCALE(top[from] > -100000 ? top[from] : 0);
            g_i64 a[WORDS];
            for (int w = 0; w < WORDS; w++)
                a[w] = acc[from * WORDS + w];
            r[c] = TOTAL(BASE(to, c), a, s, odd[from]);
        }
        STORE(y, to, r);
    }
