/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort_move.cl - passes of a sort over long rows on GPUs (lib/prim/sort_long.c): a group brings a tile of
 * TPG * IPT elements into the order of a digit and writes it. Elements and dig() are in sort.cl.
 *
 * 32 successive work-items, a row of the group, have 32 * IPT successive elements, and counts of their own.
 * All digits of the tile are counted first: sums over rows and digits make of the counts the place of each
 * row's first element of each digit. Then element j of all of a row is ranked at once: it comes behind what
 * the row has placed of its digit, and in this step behind the same digit of work-items with a smaller
 * number. Which these are they see by votes where the hardware has them (PEERS 0), else by bits in local
 * memory (PEERS 1). Elements go to their places in local memory, and from there equal digits are written
 * side by side. A work-item keeps its digits, four in a word.
 *
 * CHAINED: a tile finds where its digits go by looking back at the tiles before it, so that elements are
 * read once a pass (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort for
 * GPUs", 2022). st, behind what stands there first, has a word for each tile and digit, 4 * count + a code:
 * the count of the tile itself, or of all of its row up to it; other codes: it is not there yet. The codes
 * of successive passes differ, so that what a pass leaves is nothing yet for the next one. Groups take tiles
 * in the order in which they start: those waited for have started before, and go on (has_progress in
 * gnd/backend.h). Count and code are one word, so the order of no other access matters. A tile tells its
 * counts before it ranks, and reads LOOK tiles before it at once.
 *
 * Without CHAINED h has the first places of each block's digits, and a group takes a block of tiles.
 */
//@fn ticket u32 opencl
#define gnd_ticket_u32(p) atomic_inc((volatile GND_GLOBAL g_u32 *)(p))
//@fn ticket u32 cuda
#define gnd_ticket_u32(p) atomicAdd(p, 1u)
//@text sort_peers cuda
#define NVIDIA 1
#define POPC(m) (g_u32)__popc(m)
//@text sort_peers opencl
#ifdef __NV_CL_C_VERSION
#define NVIDIA 1
#else
#define NVIDIA 0
#endif
#define POPC(m) popcount(m)
/* SYNC waits for 32 successive work-items; TOGETHER sets the bits of m for those with the same d. */
//@text sort_together
#if NVIDIA
#define PEERS 0
#define SYNC() asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#define CLEAR(d)
#define TOGETHER(m, d)                                                                                     \
    m = 0xffffffffu;                                                                                       \
    UNROLL for (int b = 0; b < 8; b++)                                                                     \
        asm volatile("{ .reg .pred p; .reg .b32 a; and.b32 a, %1, %2; setp.ne.u32 p, a, 0;"                \
                     "  vote.sync.ballot.b32 a, p, 0xffffffff; @!p not.b32 a, a; and.b32 %0, %0, a; }"     \
                     : "+r"(m) : "r"(d), "r"(1 << b));
#else
#define PEERS 1
#define SYNC() GND_BARRIER()
#define CLEAR(d) seen[ROWS * 256 + own + (d)] = 0
#define TOGETHER(m, d)                                                                                     \
    gnd_lor_u32(&seen[ROWS * 256 + own + (d)], 1u << lane);                                                \
    SYNC();                                                                                                \
    m = seen[ROWS * 256 + own + (d)];
#endif

//@text sort_move_gpu
    GND_LOCAL ELEM out[TPG * IPT];
    GND_LOCAL g_u32 seen[ROWS * 256 * (1 + PEERS)], sum[256], part[8];
    GND_LOCAL COUNT base[256];
    const int t = (int)GND_LID(0), lane = t & 31, own = (t >> 5) * 256;
#define ROWED ((t >> 5) * 32 * IPT + j * 32 + lane)
#define START(d) ((d) ? sum[(d) - 1] : 0u)
#define SEE(digit)                                                                                         \
    {                                                                                                      \
        const g_u32 d = digit;                                                                             \
        digit_of[j >> 2] = j & 3 ? digit_of[j >> 2] | d << (8 * (j & 3)) : d;                              \
        gnd_linc_u32(&seen[own + d]);                                                                      \
    }
#define WRITE(digit)                                                                                       \
    {                                                                                                      \
        const ELEM v = out[STRIPED];                                                                       \
        const COUNT to = base[digit] + (COUNT)STRIPED;                                                     \
        MOVE(to, v);                                                                                       \
    }
#if PLAIN
#define PLAINLY plainly
    const int plainly = ctl[DIGITS] == 0;
#else
#define PLAINLY 0
#endif
#define DIGIT(j) (digit_of[(j) >> 2] >> (8 * ((j) & 3)) & 255u)
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
    const g_i64 g = (g_i64)ticket, row = (g_i64)(ticket / (g_u32)nblk), lo = (g - row * nblk) * len;
    volatile GND_GLOBAL COUNT *state = (volatile GND_GLOBAL COUNT *)st + tiles + g * 256;
#else
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
#endif
//@text sort_move_gpu_tile
    const int p = (int)pass;
#if !CHAINED
    for (int d = t; d < 256; d += TPG)
        base[d] = h[g * 256 + d];
#endif
    for (g_i64 tile = lo; tile < hi; tile += TPG * IPT) {
        const int cnt = hi - tile < TPG * IPT ? (int)(hi - tile) : TPG * IPT;
        const ELEM last = PAD;
        ELEM e[IPT];
        g_u32 digit_of[(IPT + 3) / 4];
        for (int i = t; i < ROWS * 256 * (1 + PEERS); i += TPG)
            seen[i] = 0;
        const int full = cnt == TPG * IPT;
#if DEAR /* compiled once */
#pragma unroll 1
        for (int i = t; i < TPG * IPT; i += TPG)
            out[i] = i < cnt ? AT(tile + i) : last;
        GND_BARRIER();
        EACH e[j] = out[ROWED];
#else
        if (full) {
            EACH e[j] = AT(tile + ROWED);
        } else {
            EACH e[j] = ROWED < cnt ? AT(tile + ROWED) : last;
        }
#endif
        GND_BARRIER();
        if (full && PLAINLY) {
            EACH SEE(plain(e[j], p))
        } else {
            EACH SEE(dig(e[j], p))
        }
        GND_BARRIER();
        /* sums over rows, published; then over digits: within 32 digits, then over these sums */
        const int pads = TPG * IPT - cnt, pad = (int)dig(last, p);
        for (int d0 = 0; d0 < 256; d0 += TPG) {
            const int d = d0 + t;
            g_u32 s = 0;
            if (d < 256) {
                UNROLL for (int w = 0; w < ROWS; w++)
                    s += seen[w * 256 + d];
                sum[d] = s;
#if CHAINED
                state[d] = (COUNT)(d == pad ? s - (g_u32)pads : s) << 2 | (lo == 0 ? code_all : code);
#endif
            }
            UNROLL for (int k = 1; k < 32; k *= 2) {
                SYNC();
                if (d < 256 && lane >= k)
                    s += sum[d - k];
                SYNC();
                if (d < 256)
                    sum[d] = s;
            }
            if (d < 256 && lane == 31)
                part[d >> 5] = s;
        }
        GND_BARRIER();
        for (int d = t; d < 256; d += TPG) {
            g_u32 s = sum[d];
            UNROLL for (int k = 0; k < 7; k++)
                s += k < d >> 5 ? part[k] : 0u;
            sum[d] = s;
            UNROLL for (int w = ROWS - 1; w >= 0; w--) {
                s -= seen[w * 256 + d];
                seen[w * 256 + d] = s;
            }
        }
        GND_BARRIER();
        EACH {
            const g_u32 d = DIGIT(j);
            g_u32 m;
            TOGETHER(m, d)
            const g_u32 at = seen[own + d] + POPC(m & ((1u << lane) - 1u));
            SYNC();
            if (m >> lane == 1u) { /* the last one of them */
                seen[own + d] = at + 1u;
                CLEAR(d);
            }
            SYNC();
            out[at] = e[j];
        }
        for (int d = t; d < 256; d += TPG) {
#if CHAINED
            COUNT before = 0;
            if (lo > 0) {
                g_i64 i = g - row * nblk; /* tiles before this one that are not counted */
                for (int go = 1; go;) {
                    volatile GND_GLOBAL COUNT *back = state + d - 256;
                    COUNT s[LOOK];
                    UNROLL for (int k = 0; k < LOOK; k++)
                        s[k] = k < i ? back[(i - (g - row * nblk) - k) * 256] : code_all;
                    int next = 1;
                    UNROLL for (int k = 0; k < LOOK; k++) {
                        const COUNT q = s[k] & 3;
                        next = next && (q == code || q == code_all);
                        if (next) {
                            before += s[k] >> 2;
                            i--;
                            if (q == code_all)
                                next = go = 0;
                        }
                    }
                }
                state[d] = (before + sum[d] - START(d) - (d == pad ? (g_u32)pads : 0u)) << 2 | code_all;
            }
            base[d] = h[(row * DIGITS + p) * 256 + d] + before - START(d);
#else
            base[d] -= START(d);
#endif
        }
        GND_BARRIER();
        if (full && PLAINLY) {
            EACH WRITE(plain(v, p))
        } else if (full && !PLAIN) {
            EACH WRITE(dig(v, p))
        } else { /* the last tile, or there are odd elements */
            for (int i = t; i < cnt; i += TPG) {
                const ELEM v = out[i];
                const COUNT to = base[dig(v, p)] + (COUNT)i;
                MOVE(to, v);
            }
        }
#if !CHAINED
        GND_BARRIER();
        for (int d = t; d < 256; d += TPG)
            base[d] += sum[d];
#endif
    }

/* CHAINED: all digits are counted at once, h[(row * DIGITS + digit) * 256 + value]; then first places and ctl are
 * computed from the counts. Local memory has COPIES copies of the counts, as many as fit. */
//@text sort_count_all
    GND_LOCAL g_u32 cnt[DIGITS * 256 * COPIES];
    const int t = (int)GND_LID(0), mine = t & (COPIES - 1);
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
    const g_i64 hi = lo + len < n ? lo + len : n;
    int any = 0;
    for (int i = t; i < DIGITS * 256 * COPIES; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
#define SEE(e)                                                                                             \
    any |= odd(e);                                                                                         \
    UNROLL for (int p = 0; p < DIGITS; p++)                                                                \
        gnd_linc_u32(&cnt[(p * 256 + dig(e, p)) * COPIES + mine]);
    for (g_i64 from = lo; from < hi; from += 8 * TPG) {
        if (!DEAR && from + 8 * TPG <= hi) {
            ELEM e[8];
            UNROLL
            for (int j = 0; j < 8; j++)
                e[j] = first(IN_x(row * n + from + j * TPG + t), 0);
            UNROLL
            for (int j = 0; j < 8; j++) {
                SEE(e[j])
            }
        } else {
#pragma unroll 1
            for (g_i64 i = from + t; i < hi; i += TPG) {
                const ELEM e = first(IN_x(row * n + i), 0);
                SEE(e)
            }
            if (DEAR)
                break;
        }
    }
    if (PLAIN && any)
        ANY_ODD = 1;
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
#pragma unroll 1
    for (int d = t; d < 256; d += TPG)
        sum[0][d] = at[d];
    GND_BARRIER();
#pragma unroll 1
    for (int d = t; d < 256; d += TPG)
        if (sum[0][d] == (COUNT)n)
            df[GND_GRP(0)] = 0;
    for (int k = 0; k < 8; k++) {
#pragma unroll 1
        for (int d = t; d < 256; d += TPG)
            sum[(k + 1) & 1][d] = sum[k & 1][d] + (d >= 1 << k ? sum[k & 1][d - (1 << k)] : 0);
        GND_BARRIER();
    }
#pragma unroll 1
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
#define ODD (PLAIN && ANY_ODD)
#define SEVERAL(p) several[p]
