/* SPDX-License-Identifier: BSD-3-Clause
 *
 * deal.cl - sums of floats by index with many places. Values are first distributed, tile by tile,
 * to bins of 2^SHIFT neighbouring places; each bin is then added up in local memory, in fixed-point
 * numbers as in accumulate.cl, so that the result does not depend on the order. No atomic operation
 * accesses global memory.
 *
 * A tile is TPG * IPT values. lv has its values in the order of bins (VW planes of 32-bit words, n
 * each), and lp their places within the bin. off[bin * tiles + tile] is the start of the bin in the
 * tile, with the number of its values there from bit 16 on. NBINS is a power of two with room for
 * all bins. Macros as in accumulate.cl: VALUE, PARTS, PART, WORDS, SCALE, EXACT.
 */
//@fn lnext u32 opencl
#define gnd_lnext_u32(p) atomic_inc((volatile __local g_u32 *)(p))
//@fn lnext u32 cuda
#define gnd_lnext_u32(p) atomicAdd(p, 1u)
/* 64 bits in two words of local memory, which carry: any order gives the same. */
//@fn lsum i64 opencl
GND_FN void gnd_lsum_i64(__local g_u32 *lo, __local g_u32 *hi, g_i64 v)
{
    const g_u32 a = (g_u32)v, old = atomic_add((volatile __local g_u32 *)lo, a);
    const g_u32 b = (g_u32)((g_u64)v >> 32) + (g_u32)(old + a < old);
    if (b)
        atomic_add((volatile __local g_u32 *)hi, b);
}
//@fn lsum i64 cuda
GND_FN void gnd_lsum_i64(g_u32 *lo, g_u32 *hi, g_i64 v)
{
    const g_u32 a = (g_u32)v, old = atomicAdd(lo, a);
    const g_u32 b = (g_u32)((g_u64)v >> 32) + (g_u32)(old + a < old);
    if (b)
        atomicAdd(hi, b);
}

/* Replaces s by its sum over 32 successive work-items up to this one, number lane (Hillis and Steele, 1986). two is
 * their local memory of 64 words; its last word is then the total. */
//@text deal_scan
#define SCAN(two, s)                                                                                       \
    two[lane] = s;                                                                                         \
    SYNC();                                                                                                \
    for (int d = 1, o = 0; d < 32; d *= 2) {                                                               \
        s += lane >= d ? two[o + lane - d] : 0;                                                            \
        o = 32 - o;                                                                                        \
        two[o + lane] = s;                                                                                 \
        SYNC();                                                                                            \
    }
//@text deal
#define Q ((NBINS + TPG - 1) / TPG)
    GND_LOCAL g_u32 ex[TPG * IPT], cnt[NBINS];
    GND_LOCAL g_i32 span[2];
    const int lid = (int)GND_LID(0);
    const g_i64 tile = (g_i64)GND_GRP(0), from = tile * (TPG * IPT);
    const int count = n - from < TPG * IPT ? (int)(n - from) : TPG * IPT;
    union { VALUE v; g_u32 w[VW]; } x[IPT];
    g_u32 p[IPT], r[IPT];
    g_i32 high = -100000, low = -100000;
    if (count == TPG * IPT) {
#pragma unroll
        for (int k = 0; k < IPT; k++)
            p[k] = (g_u32)IN_pos(from + k * TPG + lid);
#pragma unroll
        for (int k = 0; k < IPT; k++)
            x[k].v = IN_val(from + k * TPG + lid);
    } else {
#pragma unroll
        for (int k = 0; k < IPT; k++) {
            const g_i64 i = from + (k * TPG + lid < count ? k * TPG + lid : count - 1);
            p[k] = (g_u32)IN_pos(i);
            x[k].v = IN_val(i);
        }
    }
    if (lid < 2)
        span[lid] = -100000;
    for (int i = lid; i < NBINS; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
#pragma unroll
    for (int k = 0; k < IPT; k++) {
        if (k * TPG + lid < count)
            r[k] = gnd_lnext_u32(&cnt[p[k] >> SHIFT]);
        for (int c = 0; c < PARTS; c++) {
            const $T q = PART(x[k].v, c);
            if (q != 0 && !gnd_notfinite_$t(q)) {
                const g_i32 a = gnd_fxtop_$t(q), b = -gnd_fxlow_$t(q);
                high = a > high ? a : high;
                low = b > low ? b : low;
            }
        }
    }
    gnd_lamax_i32(span, high);
    gnd_lamax_i32(span + 1, low);
    GND_BARRIER();
    if (lid < 2 && gnd_peek_i32(all + lid) < span[lid])
        gnd_amax_i32(all + lid, span[lid]);
    /* the beginnings of the bins: Q bins for each of 32 adjacent work-items */
    GND_LOCAL_PTR g_u32 *two = ex + (lid >> 5) * 64;
    const int lane = lid & 31;
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
        a += q < lid >> 5 ? ex[q * 64 + 63] : 0;
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
        if (k * TPG + lid < count)
            r[k] += cnt[p[k] >> SHIFT];
#pragma unroll
    for (int w = 0; w <= VW; w++) {
#pragma unroll
        for (int k = 0; k < IPT; k++)
            if (k * TPG + lid < count)
                ex[r[k]] = w < VW ? x[k].w[w < VW ? w : 0] : p[k] & ((1u << SHIFT) - 1u);
        GND_BARRIER();
#pragma unroll
        for (int k = 0; k < IPT; k++)
            if (k * TPG + lid < count) {
                if (w < VW)
                    lv[w * n + from + k * TPG + lid] = ex[k * TPG + lid];
                else
                    lp[from + k * TPG + lid] = (g_u16)ex[k * TPG + lid];
            }
        GND_BARRIER();
    }

/* A group adds up a bin, at first the greatest exponents of its places, where these are needed: 32 work-items
 * take what 32 tiles have of it. A bin of more than `most` values is left to others (big, and
 * all[2]). */
//@text deal_defs
#define USE(p, v)                                                                                          \
    for (int c = 0; c < PARTS; c++) {                                                                      \
        const $T z = PART(v, c);                                                                           \
        const g_u32 a = (p) * PARTS + c;                                                                   \
        const g_i32 f = gnd_notfinite_$t(z);                                                               \
        if (f) {                                                                                           \
            gnd_lor_u32(odd + (a >> 3), (g_u32)f << 4 * (a & 7u));                                         \
        } else if (z != 0 && adding) {                                                                     \
            LOCALSUM(a * WORDS, z, SCALE(exact ? same : high[a]));                                         \
        } else if (z != 0) {                                                                               \
            gnd_lamax_i32(high + a, gnd_fxtop_$t(z));                                                      \
        }                                                                                                  \
    }
//@text deal_bins
    GND_LOCAL g_u32 lo[WORDS * PARTS << SHIFT], hi[WORDS * PARTS << SHIFT], odd[PARTS << SHIFT >> 3];
    GND_LOCAL g_i32 high[PARTS << SHIFT], total;
    GND_LOCAL g_u32 run[2 * TPG], place[TPG];
    const int lid = (int)GND_LID(0), lane = lid & 31, b = (int)GND_GRP(0);
    GND_LOCAL_PTR g_u32 *before = run + (lid >> 5) * 64, *where = place + (lid >> 5) * 32;
    const g_i64 first = (g_i64)b << SHIFT;
    const int count = m - first < (1 << SHIFT) ? (int)(m - first) : 1 << SHIFT;
    const g_i32 exact = EXACT(all), same = all[0];
    GND_CONST_GLOBAL g_u32 *own = off + b * tiles;
    g_i32 some = 0;
    for (g_i64 j = lid; j < tiles; j += TPG)
        some += (g_i32)(own[j] >> 16);
    if (lid == 0)
        total = 0;
    for (int i = lid; i < WORDS * PARTS << SHIFT; i += TPG)
        lo[i] = hi[i] = 0;
    for (int i = lid; i < PARTS << SHIFT; i += TPG) {
        high[i] = -100000;
        if (i < PARTS << SHIFT >> 3)
            odd[i] = 0;
    }
    GND_BARRIER();
    gnd_ladd_i32(&total, some);
    GND_BARRIER();
    const int leave = total > most;
    if (lid == 0) {
        big[b] = leave;
        if (leave)
            all[2] = 1;
    }
    for (int adding = leave ? 2 : exact ? 1 : 0; adding < 2; adding++) {
        g_u32 here = lid < tiles ? own[lid] : 0;
        for (g_i64 t = lid; t - lid < tiles; t += TPG) {
            /* 32 tiles, one after the other: the number of elements before each, and its place */
            const g_u32 len = here >> 16;
            g_u32 s = len;
            SCAN(before, s)
            const g_u32 all_of = before[32 + 31];
            before[lane] = s - len;
            where[lane] = (g_u32)(t * (TPG * IPT)) + (here & 0xffffu) - (s - len);
            here = t + TPG < tiles ? own[t + TPG] : 0;
            SYNC();
            for (g_u32 from = lane; from < all_of; from += 128) {
                union { VALUE v; g_u32 w[VW]; } x[4];
                g_u32 q[4];
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const g_u32 e = from + k * 32 < all_of ? from + k * 32 : from;
                    int r = 0;
                    for (int d = 16; d > 0; d /= 2)
                        r += before[r + d] <= e ? d : 0;
                    const g_i64 i = where[r] + e;
                    q[k] = lp[i];
                    for (int w = 0; w < VW; w++)
                        x[k].w[w] = lv[w * n + i];
                }
#pragma unroll
                for (int k = 0; k < 4; k++)
                    if (from + k * 32 < all_of) {
                        USE(q[k], x[k].v)
                    }
            }
            SYNC();
        }
        GND_BARRIER();
    }
    for (int q = lid; q < count && !leave; q += TPG) {
        const g_i64 i = first + q;
        $T r[PARTS];
        for (int c = 0; c < PARTS; c++) {
            const int p = q * PARTS + c, at = p * WORDS;
            g_i64 a[WORDS];
            for (int k = 0; k < WORDS; k++)
                a[k] = (g_i64)((g_u64)hi[at + k] << 32 | lo[at + k]);
            r[c] = TOTAL(BASE(i, c), a, SCALE(exact ? same : high[p]),
                         (g_i32)(odd[p >> 3] >> 4 * (p & 7) & 7u));
        }
        STORE(y, i, r);
    }

/* For the bins that are left, if any. */
//@text deal_clear
    for (g_i64 i = SOME(all) ? (g_i64)GND_GID(0) : cells; i < cells; i += (g_i64)(GND_NGRP(0) * GND_LSZ(0))) {
        top[i] = -100000;
        odd[i] = 0;
        for (int k = 0; k < WORDS; k++)
            acc[i * WORDS + k] = 0;
    }
