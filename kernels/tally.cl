/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tally.cl - how often each of 0 .. n - 1 occurs among m ints; what is outside is not counted. Counts
 * are ints, so that it does not matter in which order they are added.
 */

/* One more at p, in local memory; v more at counter k of y, int64: by its low half where all counts
 * fit that. */
//@fn lcount u32 opencl
#define gnd_lcount_u32(p) ((void)atomic_inc((volatile __local g_u32 *)(p)))
//@fn lcount u32 cuda
#define gnd_lcount_u32(p) ((void)atomicAdd(p, 1u))
//@fn gcount u32 opencl
#define gnd_gcount_u32(y, k, v) ((void)atomic_add((volatile __global g_u32 *)(y) + 2 * (k), v))
//@fn gcount u32 cuda
#define gnd_gcount_u32(y, k, v) ((void)atomicAdd((g_u32 *)(y) + 2 * (k), v))
//@fn gcount u64 opencl
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define gnd_gcount_u64(y, k, v) ((void)atom_add((volatile __global g_u64 *)(y) + (k), (g_u64)(v)))
//@fn gcount u64 cuda
#define gnd_gcount_u64(y, k, v) ((void)atomicAdd((g_u64 *)(y) + (k), (g_u64)(v)))

/* Few counters: every group counts in local memory, with 2^shift counters for each number, so that neighbours seldom
 * wait for each other, and adds its counts at the end. What is not counted has counters behind them, because that takes
 * less time than a branch. INDEX: of elements, and of those a stride of all work-items
 * beyond. */
//@text tally_clear
    GND_LOCAL g_u32 h[SLOTS + 32];
    const g_i32 lid = (g_i32)GND_LID(0), lsz = (g_i32)GND_LSZ(0), sh = (g_i32)shift;
    const g_i32 copies = 1 << sh, mine = lid & (copies - 1), none = SLOTS + (lid & 31);
    const INDEX all = (INDEX)GND_NGRP(0) * lsz, end = (INDEX)m;
    INDEX i = (INDEX)GND_GRP(0) * lsz + lid;
    for (g_i32 k = lid; k < (g_i32)n << sh; k += lsz)
        h[k] = 0;
    GND_BARRIER();
//@text tally_local
    for (; i + (EACH - 1) * all < end; i += EACH * all) {
        g_u64 v[EACH];
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            v[e] = (g_u64)IN_x(i + e * all);
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            gnd_lcount_u32(&h[v[e] < (g_u64)n ? ((g_i32)v[e] << sh) + mine : none]);
    }
    for (; i < end; i += all) {
        const g_u64 v = (g_u64)IN_x(i);
        gnd_lcount_u32(&h[v < (g_u64)n ? ((g_i32)v << sh) + mine : none]);
    }
//@text tally_total
    GND_BARRIER();
    for (g_i32 k = lid; k < (g_i32)n; k += lsz) {
        g_u32 c = 0;
        for (g_i32 r = 0; r < copies; r++)
            c += h[(k << sh) + ((r + k) & (copies - 1))];
        if (c != 0)
            GCOUNT(y, (g_i64)k, c);
    }

/* The same of values in n bins of one width between the n + 1 elements of `edge`. The number of a bin is that of the
 * edges, by comparison with those of the bin that a formula gives, as in NumPy. Most values need no comparison: with u
 * half a unit in the last place, m the greater magnitude of the ends and s the span, a computed place, in bins, is off
 * by at most 5 n u + 3 n u m / s, an edge by at most 3 n u + 2 n u m / s, and s is at most 2 m. So a place whose
 * distance from the middle of a bin is less than `safe` is in that bin, whatever was rounded. FEW is 30 u, and TINY
 * covers differences that are rounded to subnormals, or to 0. */
//@text tally_width_defs
GND_FN g_i32 compared($T x, GND_CONST_GLOBAL $T *edge, g_i32 n, $T span)
{
    const g_i32 at = gnd_f2i32_$t((x - edge[0]) / span * ($T)n), i = at < 0 ? 0 : at < n ? at : n - 1;
    return i - (x < edge[i]) + (i < n - 1 && x >= edge[i + 1]);
}
//@text tally_width
    const g_i32 last = (g_i32)n - 1;
    const $T low = edge[0], high = edge[n], span = IN_span(0), most = ($T)n, scale = most / span;
    const $T safe = 0.5$f - most * FEW * (((-low > high ? -low : high) + TINY) / span);
#define WIDTH(x, e)                                                                                        \
    {                                                                                                      \
        const $T f = fmin(((x) - low) * scale, most);                                                      \
        const g_i32 at = (g_i32)f, b = at < last ? at : last;                                              \
        const int in = ((x) >= low) & ((x) <= high), sure = fabs(f - ($T)b - 0.5$f) < safe;                \
        gnd_lcount_u32(&h[in & sure ? (b << sh) + mine : none]);                                           \
        left |= (g_u32)(in & !sure) << (e);                                                                \
    }
#define RARE(x) gnd_lcount_u32(&h[(compared(x, edge, (g_i32)n, span) << sh) + mine])
    for (; i + (EACH - 1) * all < end; i += EACH * all) {
        $T x[EACH];
        g_u32 left = 0;
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            x[e] = IN_x(i + e * all);
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            WIDTH(x[e], e)
        for (g_i32 e = 0; left >> e; e++)
            if (left >> e & 1u)
                RARE(IN_x(i + e * all));
    }
    for (; i < end; i += all) {
        const $T x = IN_x(i);
        g_u32 left = 0;
        WIDTH(x, 0)
        if (left)
            RARE(x);
    }

/* Which of 0 .. n - 1 occur, a bit each: 32 * WORDS numbers are a part, and successive groups take the parts of the
 * same elements, which are then in a cache. A bit that is there already is not set again. */
//@fn lbits u32 opencl
#define gnd_lbits_u32(p, v) ((void)atomic_or((volatile __local g_u32 *)(p), v))
//@fn gbits u32 opencl
#define gnd_gbits_u32(p, v) ((void)atomic_or((volatile __global g_u32 *)(p), v))
//@fn lbits u32 cuda
#define gnd_lbits_u32(p, v) ((void)atomicOr(p, v))
//@fn gbits u32 cuda
#define gnd_gbits_u32(p, v) ((void)atomicOr(p, v))
/* Bits that are there, or fewer of them: see peek in accumulate.cl. */
//@fn lpeek u32 cuda
#define gnd_lpeek_u32(p) (*(volatile const g_u32 *)(p))
//@fn lpeek u32 opencl
#ifdef __NV_CL_C_VERSION
#define gnd_lpeek_u32(p) (*(volatile __local const g_u32 *)(p))
#else
#define gnd_lpeek_u32(p) 0u
#endif
//@text there_mark
    GND_LOCAL g_u32 h[WORDS];
    const g_i32 lid = (g_i32)GND_LID(0), lsz = (g_i32)GND_LSZ(0);
    const g_i64 g = (g_i64)GND_GRP(0) / parts, part = (g_i64)GND_GRP(0) - g * parts, from = part * (32 * WORDS);
    const VALUE range = (VALUE)(n - from < 32 * WORDS ? n - from : 32 * WORDS), first = (VALUE)from;
    const INDEX all = (INDEX)((g_i64)GND_NGRP(0) / parts) * lsz, end = (INDEX)m;
    INDEX i = (INDEX)g * lsz + lid;
    for (g_i32 k = lid; k < WORDS; k += lsz)
        h[k] = 0;
    GND_BARRIER();
#define MARK(v)                                                                                            \
    if ((v) < range) {                                                                                     \
        const g_u32 bit = 1u << ((g_u32)(v)&31u);                                                          \
        GND_LOCAL_PTR g_u32 *word = h + ((g_u32)(v) >> 5);                                                 \
        if (!(gnd_lpeek_u32(word) & bit))                                                                  \
            gnd_lbits_u32(word, bit);                                                                      \
    }
    for (; i + (EACH - 1) * all < end; i += EACH * all) {
        VALUE v[EACH];
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            v[e] = (VALUE)IN_x(i + e * all) - first;
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            MARK(v[e])
    }
    for (; i < end; i += all) {
        const VALUE v = (VALUE)IN_x(i) - first;
        MARK(v)
    }
    GND_BARRIER();
    for (g_i32 k = lid; k < WORDS; k += lsz)
        if (h[k])
            gnd_gbits_u32(bits + (from / 32 + k), h[k]);
//@text there_end
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        y[i] = (g_b)(bits[i >> 5] >> (i & 31) & 1u);

/* More counters than a group has room for, of many elements. Elements are dealt out, tile by tile, to bins of 2^SHIFT
 * neighbouring numbers; then groups count the elements of one bin in local memory, so that few atomic operations
 * access global memory. A tile is TPG * IPT elements: lp has their numbers within the bins, in the order of bins, and
 * off[bin * tiles + tile] the beginning of a bin there, with the number of its elements from bit 16 on. What is not
 * counted goes to a bin of its own. NBINS is a power of two with room for all bins. deal.cl adds up floats so. */
//@text tally_deal
#define Q ((NBINS + TPG - 1) / TPG)
    GND_LOCAL g_u32 ex[TPG * IPT / 2], cnt[NBINS], pair[2 * TPG];
    GND_LOCAL_PTR g_u16 *place = (GND_LOCAL_PTR g_u16 *)ex;
    const int lid = (int)GND_LID(0), lane = lid & 31;
    const g_i64 tile = (g_i64)GND_GRP(0), from = tile * (TPG * IPT);
    const int count = m - from < TPG * IPT ? (int)(m - from) : TPG * IPT;
    g_u32 p[IPT], r[IPT];
    if (count == TPG * IPT) {
#pragma unroll
        for (int k = 0; k < IPT; k++) {
            const g_u64 v = (g_u64)IN_x(from + k * TPG + lid);
            p[k] = v < (g_u64)n ? (g_u32)v : (g_u32)bins << SHIFT;
        }
    } else {
#pragma unroll
        for (int k = 0; k < IPT; k++) {
            const int e = k * TPG + lid;
            const g_u64 v = (g_u64)IN_x(from + (e < count ? e : 0));
            p[k] = v < (g_u64)n && e < count ? (g_u32)v : (g_u32)bins << SHIFT;
        }
    }
    for (int i = lid; i < NBINS; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT; k++)
        r[k] = gnd_lnext_u32(&cnt[p[k] >> SHIFT]);
    GND_BARRIER();
    /* the beginnings of the bins: Q bins for each of 32 adjacent work-items */
    GND_LOCAL_PTR g_u32 *two = pair + (lid >> 5) * 64;
    g_u32 len[Q], s = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        len[q] = lid * Q + q < NBINS ? cnt[lid * Q + q] : 0;
        s += len[q];
    }
    g_u32 a = s;
    SCAN(two, a)
    GND_BARRIER();
    a -= s;
    for (int q = 0; q < TPG / 32; q++)
        a += q < lid >> 5 ? pair[q * 64 + 63] : 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        if (lid * Q + q < NBINS)
            cnt[lid * Q + q] = a;
        if (lid * Q + q < bins)
            off[(lid * Q + q) * tiles + tile] = a | len[q] << 16;
        a += len[q];
    }
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT; k++)
        place[cnt[p[k] >> SHIFT] + r[k]] = (g_u16)(p[k] & ((1u << SHIFT) - 1u));
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT / 2; k++)
        lp[tile * (TPG * IPT / 2) + k * TPG + lid] = ex[k * TPG + lid];

/* A group counts what `each` tiles have of a bin, 32 work-items four tiles at a time. */
//@text tally_bins
    GND_LOCAL g_u32 h[1 << SHIFT];
    const int lid = (int)GND_LID(0), lane = lid & 31, size = (int)GND_LSZ(0);
    const g_i64 g = (g_i64)GND_GRP(0) / bins, b = (g_i64)GND_GRP(0) - g * bins, first = b << SHIFT;
    const int width = n - first < (1 << SHIFT) ? (int)(n - first) : 1 << SHIFT;
    const g_i64 end = (g + 1) * each < tiles ? (g + 1) * each : tiles;
    for (int k = lid; k < width; k += size)
        h[k] = 0;
    GND_BARRIER();
    for (g_i64 t = g * each + (lid >> 5) * 4; t < end; t += size / 32 * 4) {
        g_u32 len[4], most = 0;
        g_i64 at[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const g_u32 o = t + j < end ? off[b * tiles + t + j] : 0;
            len[j] = o >> 16;
            at[j] = (t + j) * (TPG * IPT) + (o & 0xffffu);
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
            most = len[j] > most ? len[j] : most;
        for (g_u32 c = lane; c < most; c += 32) {
            g_u16 v[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                v[j] = c < len[j] ? lp[at[j] + c] : (g_u16)0;
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (c < len[j])
                    gnd_lcount_u32(&h[v[j]]);
        }
    }
    GND_BARRIER();
    for (int k = lid; k < width; k += size)
        if (h[k] != 0)
            GCOUNT(y, first + k, h[k]);

/* Many: straight to memory. */
//@text tally_global
    const g_i64 all = (g_i64)GND_NGRP(0) * (g_i64)GND_LSZ(0), i = (g_i64)GND_GID(0);
    g_i64 b[EACH];
#pragma unroll
    for (g_i32 e = 0; e < EACH; e++)
        b[e] = (g_i64)IN_x(i + e * all < m ? i + e * all : m - 1);
#pragma unroll
    for (g_i32 e = 0; e < EACH; e++)
        if (i + e * all < m && b[e] >= 0 && b[e] < n)
            GCOUNT(y, b[e], 1u);

/* A CPU: a work-item has a run of values and counters of its own, which are then added up. */
//@text tally_run
    const g_i64 g = (g_i64)GND_GRP(0), from = g * run, to = from + run < m ? from + run : m;
    GND_GLOBAL $T *own = c + g * WAYS * n;
    g_i64 i = from;
    for (g_i64 k = 0; k < WAYS * n; k++)
        own[k] = 0;
    for (; i + WAYS <= to; i += WAYS)
#pragma unroll
        for (int w = 0; w < WAYS; w++) {
            const g_i64 b = (g_i64)IN_x(i + w);
            if ((g_u64)b < (g_u64)n)
                own[w * n + b]++;
        }
    for (; i < to; i++) {
        const g_i64 b = (g_i64)IN_x(i);
        if ((g_u64)b < (g_u64)n)
            own[b]++;
    }
//@text tally_sum
    const g_i64 from = (g_i64)GND_GRP(0) * run, to = from + run < n ? from + run : n;
    for (g_i64 k = from; k < to; k++)
        y[k] = (g_i64)c[k];
    for (g_i64 r = 1; r < runs; r++)
        for (g_i64 k = from; k < to; k++)
            y[k] += (g_i64)c[r * n + k];
