/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort_move.cl - passes of a sort over long rows on GPUs (lib/prim/sort_long.c): a group brings a tile of
 * TPG * IPT elements into the order of a digit and writes it. Elements and dig() are in sort.cl.
 *
 * 32 successive work-items, a row of the group, have 32 * IPT successive elements, and counts of their own;
 * element j of all of them is ranked at once: before it come those counted by the row, and in this step the
 * same digit of work-items with a smaller number. Which these are they see by votes where the hardware has
 * them (PEERS 0), else by bits in local memory (PEERS 1). Sums over rows and digits make places of the
 * ranks, and the elements go there through local memory, a word at a time, so that equal digits are written
 * side by side.
 *
 * CHAINED: a tile finds where its digits go by looking back at the tiles before it, so that elements are
 * read once a pass (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort for
 * GPUs", 2022). st, behind what stands there first, has a word for each tile and digit, 4 * count + a code:
 * the count of the tile itself, or of all of its row up to it; other codes: it is not there yet. The codes
 * of successive passes differ, so that what a pass leaves is nothing yet for the next one. Groups take tiles
 * in the order in which they start: those waited for have started before, and go on (has_progress in
 * gnd/backend.h). Count and code are one word, so the order of no other access matters.
 *
 * Without CHAINED h has the first places of each block's digits, and a group takes a block of tiles.
 */
//@fn ticket u32 opencl
#define gnd_ticket_u32(p) atomic_inc((volatile GND_GLOBAL g_u32 *)(p))
//@fn ticket u32 cuda
#define gnd_ticket_u32(p) atomicAdd(p, 1u)
//@text sort_peers cuda
#define PEERS 0
#define SYNC() __syncwarp()
#define POPC(m) (g_u32)__popc(m)
#define CLEAR(d)
#define TOGETHER(m, d)                                                                                     \
    m = 0xffffffffu;                                                                                       \
    UNROLL for (int b = 0; b < 8; b++) {                                                                   \
        const g_u32 one = (d) >> b & 1u, all = __ballot_sync(0xffffffffu, one);                            \
        m &= one ? all : ~all;                                                                             \
    }
//@text sort_peers opencl
#define POPC(m) popcount(m)
#ifdef __NV_CL_C_VERSION
#define PEERS 0
#define SYNC() asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#define CLEAR(d)
#define TOGETHER(m, d)                                                                                     \
    m = 0xffffffffu;                                                                                       \
    UNROLL for (int b = 0; b < 8; b++) {                                                                   \
        const g_u32 one = (d) >> b & 1u;                                                                   \
        g_u32 all;                                                                                         \
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"     \
                     : "=r"(all) : "r"(one));                                                              \
        m &= one ? all : ~all;                                                                             \
    }
#else
#define PEERS 1
#define SYNC() GND_BARRIER()
#define CLEAR(d) buf[ROWS * 256 + own + (d)] = 0
#define TOGETHER(m, d)                                                                                     \
    gnd_lor_u32(&buf[ROWS * 256 + own + (d)], 1u << lane);                                                 \
    SYNC();                                                                                                \
    m = buf[ROWS * 256 + own + (d)];
#endif

//@text sort_move_gpu
    GND_LOCAL g_u32 buf[BUFW], sum[2][256];
    GND_LOCAL COUNT base[256];
    const int t = (int)GND_LID(0), lane = t & 31, own = (t >> 5) * 256;
#define ROWED ((t >> 5) * 32 * IPT + j * 32 + lane)
#define START(d) ((d) ? sum[0][(d) - 1] : 0u)
#if CHAINED
    GND_LOCAL g_u32 ticket;
#if SINGLE
    const COUNT code = 1, code_all = 2;
#else
    if (ctl[pass] == 0)
        return;
    const COUNT code = ctl[pass] & 16u ? 3 : 1, code_all = ctl[pass] & 16u ? 0 : 2;
#endif
    if (t == 0)
        ticket = gnd_ticket_u32((GND_GLOBAL g_u32 *)st + pass);
    GND_BARRIER();
    const g_i64 g = (g_i64)ticket, row = g / nblk, lo = (g - row * nblk) * len;
    volatile GND_GLOBAL COUNT *state = (volatile GND_GLOBAL COUNT *)st + tiles + g * 256;
#else
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
#endif
//@text sort_move_gpu_tile
#if !CHAINED
    for (int d = t; d < 256; d += TPG)
        base[d] = h[g * 256 + d];
#endif
    for (g_i64 tile = lo; tile < hi; tile += TPG * IPT) {
        const int cnt = hi - tile < TPG * IPT ? (int)(hi - tile) : TPG * IPT;
        const ELEM last = PAD;
        ELEM e[IPT];
        g_u32 r[IPT];
        EACH e[j] = ROWED < cnt ? AT(tile + ROWED) : last;
        for (int i = t; i < ROWS * 256 * (1 + PEERS); i += TPG)
            buf[i] = 0;
        GND_BARRIER();
        EACH {
            const g_u32 d = dig(e[j], pass);
            g_u32 m;
            TOGETHER(m, d)
            const g_u32 less = POPC(m & ((1u << lane) - 1u));
            r[j] = buf[own + d] + less;
            SYNC();
            if (m >> lane == 1u) { /* the last one of them */
                buf[own + d] = r[j] + 1u;
                CLEAR(d);
            }
            SYNC();
        }
        GND_BARRIER();
        for (int d = t; d < 256; d += TPG) {
            g_u32 s = 0;
            for (int w = 0; w < ROWS; w++) {
                const g_u32 c = buf[w * 256 + d];
                buf[w * 256 + d] = s;
                s += c;
            }
            if (cnt < TPG * IPT && d == (int)dig(last, pass))
                s -= (g_u32)(TPG * IPT - cnt);
            sum[0][d] = s;
#if CHAINED
            state[d] = (COUNT)s << 2 | (lo == 0 ? code_all : code);
#endif
        }
        GND_BARRIER();
        for (int k = 0; k < 8; k++) {
            for (int d = t; d < 256; d += TPG)
                sum[(k + 1) & 1][d] = sum[k & 1][d] + (d >= 1 << k ? sum[k & 1][d - (1 << k)] : 0u);
            GND_BARRIER();
        }
        EACH {
            const g_u32 d = dig(e[j], pass);
            r[j] += buf[own + d] + START(d);
        }
        EXCHANGE(r[j], STRIPED)
        for (int d = t; d < 256; d += TPG) {
#if CHAINED
            COUNT before = 0;
            if (lo > 0) {
                volatile GND_GLOBAL COUNT *back = state + d - 256;
                for (;;) {
                    const COUNT s = *back, c = s & 3;
                    if (c == code || c == code_all)
                        before += s >> 2;
                    if (c == code_all)
                        break;
                    if (c == code)
                        back -= 256;
                }
                state[d] = (before + sum[0][d] - START(d)) << 2 | code_all;
            }
            base[d] = h[(row * DIGITS + pass) * 256 + d] + before - START(d);
#else
            base[d] -= START(d);
#endif
        }
        GND_BARRIER();
        EACH if (STRIPED < cnt) {
            const COUNT to = base[dig(e[j], pass)] + (COUNT)STRIPED;
            MOVE(to, e[j]);
        }
#if !CHAINED
        GND_BARRIER();
        for (int d = t; d < 256; d += TPG)
            base[d] += sum[0][d];
#endif
    }

/* CHAINED: all digits are counted at once, h[(row * DIGITS + digit) * 256 + value]; then first places are
 * made of them, and ctl. COPIES of the counts in local memory, as many as fit. */
//@text sort_count_all
    GND_LOCAL g_u32 cnt[DIGITS * 256 * COPIES];
    const int t = (int)GND_LID(0), mine = t & (COPIES - 1);
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
    const g_i64 hi = lo + len < n ? lo + len : n;
    for (int i = t; i < DIGITS * 256 * COPIES; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
#define SEE(e)                                                                                             \
    UNROLL for (int p = 0; p < DIGITS; p++)                                                                \
        gnd_linc_u32(&cnt[(p * 256 + dig(e, p)) * COPIES + mine]);
    for (g_i64 from = lo; from < hi; from += 8 * TPG) {
        if (from + 8 * TPG <= hi) {
            ELEM e[8];
            UNROLL
            for (int j = 0; j < 8; j++)
                e[j] = first(IN_x(row * n + from + j * TPG + t), 0);
            UNROLL
            for (int j = 0; j < 8; j++) {
                SEE(e[j])
            }
        } else {
            for (g_i64 i = from + t; i < hi; i += TPG) {
                const ELEM e = first(IN_x(row * n + i), 0);
                SEE(e)
            }
        }
    }
    GND_BARRIER();
    for (int i = t; i < DIGITS * 256; i += TPG) {
        g_u32 s = 0;
        for (int c = 0; c < COPIES; c++)
            s += cnt[i * COPIES + c];
        if (s)
            ADD(h + row * DIGITS * 256 + i, (COUNT)s);
    }
//@text sort_places
    GND_LOCAL COUNT sum[2][256];
    const int t = (int)GND_LID(0);
    GND_GLOBAL COUNT *at = h + (g_i64)GND_GRP(0) * 256;
    if (t == 0)
        df[GND_GRP(0)] = 1; /* elements have several values of this digit */
    for (int d = t; d < 256; d += TPG)
        sum[0][d] = at[d];
    GND_BARRIER();
    for (int d = t; d < 256; d += TPG)
        if (sum[0][d] == (COUNT)n)
            df[GND_GRP(0)] = 0;
    for (int k = 0; k < 8; k++) {
        for (int d = t; d < 256; d += TPG)
            sum[(k + 1) & 1][d] = sum[k & 1][d] + (d >= 1 << k ? sum[k & 1][d - (1 << k)] : 0);
        GND_BARRIER();
    }
    for (int d = t; d < 256; d += TPG)
        at[d] = d ? sum[0][d - 1] : 0;
//@text sort_ctl_places
    GND_LOCAL g_u32 several[DIGITS];
    const int t = (int)GND_LID(0);
    for (int p = t; p < DIGITS; p += TPG)
        several[p] = 0;
    GND_BARRIER();
    for (g_i64 i = t; i < rows * DIGITS; i += TPG)
        if (df[i])
            gnd_lor_u32(&several[i % DIGITS], 1u);
    GND_BARRIER();
#define SEVERAL(p) several[p]
