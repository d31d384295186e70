/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.cl - long rows in three parts: what comes before the row's pivot in the order of sorts, what is equal to
 * it, what comes after it, each in the order of the input (lib/prim/partition.c). The result has `keep` places of each
 * row from place `from` on: elements, or indices if ARG. Keys are described in sort.cl.
 *
 * Rows are cut in nblk blocks of `run` elements. k_count counts the first two parts of each block; k_move adds up the
 * counts of the blocks before its own, and moves. A block with nothing for the result is not read again.
 */
//@text partition_defs
#define key(i) gnd_sortkey_$n(gnd_sortraw_$n(IN_x(i)), flip)
#define pivot_of(row) gnd_sortkey_$n(gnd_sortraw_$n(IN_pivot(row)), flip)
#if ARG
#define GIVE(at, i) (y[at] = (i) - row * n)
#else
#define GIVE(at, i) gnd_st_$n(y, at, IN_x(i))
#endif

//@text partition_begin
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, block = g - row * nblk;
    const g_i64 lo = block * run, hi = lo + run < n ? lo + run : n;
    const KEY p = pivot_of(row);

/* The parts of a block begin at at[0], at[1], at[2], and have own[0], own[1], own[2] elements; `some`: the result has
 * one of them. Needs less and equal: the counts of the row, and those of the blocks before. */
//@text partition_starts
    const g_i64 own[3] = {c[2 * g], c[2 * g + 1], hi - lo - (g_i64)c[2 * g] - (g_i64)c[2 * g + 1]};
    g_i64 at[3] = {less, all_less + equal, all_less + all_equal + lo - less - equal};
    int some = 0;
    for (int k = 0; k < 3; k++)
        some |= own[k] > 0 && at[k] < from + keep && at[k] + own[k] > from;
    const g_i64 end = some ? hi : lo;

//@text partition_count_gpu
    GND_LOCAL g_u32 sum[2];
    const int t = (int)GND_LID(0);
    g_u32 less = 0, equal = 0;
    if (t < 2)
        sum[t] = 0;
    GND_BARRIER();
    for (g_i64 i = lo + t; i < hi; i += EACH * TPG) {
            UNROLL
        for (int j = 0; j < EACH; j++) {
            const g_i64 q = i + j * TPG;
            const KEY k = key(row * n + (q < hi ? q : hi - 1));
            less += k < p && q < hi;
            equal += k == p && q < hi;
        }
    }
    gnd_ladd_u32(&sum[0], less);
    gnd_ladd_u32(&sum[1], equal);
    GND_BARRIER();
    if (t < 2)
        c[2 * g + t] = sum[t];

/* Work-item t has the elements t, TPG + t ... of a tile, tells the part of each by a byte in local memory, and finds
 * the places of 16 successive ones. */
//@text partition_sums_gpu
    GND_LOCAL g_i64 total[4][TPG];
    const int t = (int)GND_LID(0);
    for (int k = 0; k < 4; k++)
        total[k][t] = 0;
    for (g_i64 b = t; b < nblk; b += TPG) {
        const g_i64 l = c[2 * (row * nblk + b)], e = c[2 * (row * nblk + b) + 1];
        total[0][t] += l;
        total[1][t] += e;
        total[2][t] += b < block ? l : 0;
        total[3][t] += b < block ? e : 0;
    }
    GND_BARRIER();
    for (int d = TPG / 2; d > 0; d /= 2) {
        if (t < d)
            for (int k = 0; k < 4; k++)
                total[k][t] += total[k][t + d];
        GND_BARRIER();
    }
    const g_i64 all_less = total[0][0], all_equal = total[1][0], less = total[2][0], equal = total[3][0];
//@text partition_move_gpu
    GND_LOCAL union { g_u8 b[16 * TPG]; g_u32 w[4 * TPG]; } part;
    GND_LOCAL g_u16 place[16 * TPG];
    GND_LOCAL g_u32 sum[2][TPG];
    for (g_i64 tile = lo; tile < end; tile += 16 * TPG) {
        g_u32 parts = 0, s = 0;
            UNROLL
        for (int j = 0; j < 16; j++) {
            const g_i64 i = tile + j * TPG + t;
            const KEY k = key(row * n + (i < hi ? i : hi - 1));
            const g_u32 q = i < hi ? (g_u32)(k > p) + (g_u32)(k >= p) : 3u;
            parts |= q << (2 * j);
            part.b[j * TPG + t] = (g_u8)q;
        }
        GND_BARRIER();
        for (int k = 0; k < 16; k++) {
            const g_u32 q = part.w[4 * t + k / 4] >> (8 * (k & 3)) & 255u;
            s += q == 0 ? 1u : q == 1 ? 65536u : 0u;
        }
        sum[0][t] = s;
        GND_BARRIER();
        int side = 0;
        for (int d = 1; d < TPG; d *= 2) {
            sum[1 - side][t] = sum[side][t] + (t >= d ? sum[side][t - d] : 0u);
            side = 1 - side;
            GND_BARRIER();
        }
        const g_u32 all = sum[side][TPG - 1];
        g_u32 l = (sum[side][t] - s) & 0xffffu, e = (sum[side][t] - s) >> 16;
        for (int k = 0; k < 16; k++) {
            const g_u32 q = part.w[4 * t + k / 4] >> (8 * (k & 3)) & 255u;
            place[16 * t + k] = (g_u16)(q == 0 ? l : q == 1 ? e : (g_u32)(16 * t + k) - l - e);
            l += q == 0;
            e += q == 1;
        }
        GND_BARRIER();
            UNROLL
        for (int j = 0; j < 16; j++) {
            const g_u32 q = parts >> (2 * j) & 3u;
            const g_i64 to = (q == 0 ? at[0] : q == 1 ? at[1] : at[2]) + place[j * TPG + t] - from;
            if (q < 3 && (g_u64)to < (g_u64)keep)
                GIVE(row * keep + to, row * n + tile + j * TPG + t);
        }
        GND_BARRIER();
        at[0] += all & 0xffffu;
        at[1] += all >> 16;
        at[2] += 16 * TPG - (g_i64)(all & 0xffffu) - (g_i64)(all >> 16);
    }

/* CPU: a work-item has a block. */
//@text partition_count_cpu
    {
        g_u32 less = 0, equal = 0;
        for (g_i64 i = row * n + lo; i < row * n + hi; i++) {
            const KEY k = key(i);
            less += k < p;
            equal += k == p;
        }
        c[2 * g] = less;
        c[2 * g + 1] = equal;
    }
//@text partition_sums_cpu
    g_i64 all_less = 0, all_equal = 0, less = 0, equal = 0;
    for (g_i64 b = 0; b < nblk; b++) {
        const g_i64 l = c[2 * (row * nblk + b)], e = c[2 * (row * nblk + b) + 1];
        all_less += l;
        all_equal += e;
        less += b < block ? l : 0;
        equal += b < block ? e : 0;
    }
//@text partition_move_cpu
    g_u8 part[STEP];
    for (g_i64 i = lo; i < end; i += STEP) {
        const int m = hi - i < STEP ? (int)(hi - i) : STEP;
        for (int q = 0; q < m; q++) {
            const KEY k = key(row * n + i + q);
            part[q] = (g_u8)((k > p) + (k >= p));
        }
        for (int q = 0; q < m; q++) {
            const g_i64 to = at[part[q]]++ - from;
            if ((g_u64)to < (g_u64)keep)
                GIVE(row * keep + to, row * n + i + q);
        }
    }
