/* SPDX-License-Identifier: BSD-3-Clause
 *
 * search.cl - places in sorted arrays. The order is that of sorting: NaN last, complex values by real,
 * then by imaginary part, those with a NaN behind all others (NumPy).
 *
 * A search is a number of halvings that depends on the array's length alone, so there is no branch in
 * it, and several run side by side: what a work-item waits for is memory. The place is within
 * [at, at + len]; AFTER(x, v) says that it is behind x, the element in the middle. See P.-V. Khuong
 * and P. Morin, "Array layouts for comparison-based searching" (2017). PUT(i, at, v) writes result i: the place,
 * or whether the element there is v (lib/prim/search.c).
 */

/* Whether a comes before v; whether it does not come after v. */
//@fn before b i u
#define gnd_before_$t(a, v) ((a) < (v))
//@fn before f
#define gnd_before_$t(a, v) ((a) < (v) || ((v) != (v) && (a) == (a)))
//@fn before c
GND_FN g_b gnd_before_$t($T a, $T v)
{
    if (a.x < v.x)
        return a.y == a.y || v.y != v.y;
    if (a.x > v.x)
        return v.y != v.y && a.y == a.y;
    if (a.x == v.x || (a.x != a.x && v.x != v.x))
        return a.y < v.y || (v.y != v.y && a.y == a.y);
    return v.x != v.x;
}
//@fn upto b i u
#define gnd_upto_$t(a, v) ((a) <= (v))
//@fn upto f
#define gnd_upto_$t(a, v) ((a) <= (v) || (v) != (v))
//@fn upto c
#define gnd_upto_$t(a, v) (!gnd_before_$t(v, a))
/* Whether two values are equal. */
//@fn same b i u f
#define gnd_same_$t(a, v) ((a) == (v))
//@fn same c
#define gnd_same_$t(a, v) gnd_eq_$t(a, v)

/* A GPU: the upper levels (`levels` of them) of the tree are in local memory, a level after the other, the
 * children of node k at 2k and 2k + 1 (so that neighbours in a group read different banks). Node p of
 * level d is the last element before position (2p + 1) n / 2^(d+1): the tree cuts the array into
 * 2^levels parts of nearly the same length, `most` at most. What is behind a part is not before the
 * value either, so searching a little too far does no harm. */
//@text search_gpu
    GND_LOCAL $T top[TOP];
    const g_i32 lid = (g_i32)GND_LID(0), lsz = (g_i32)GND_LSZ(0), lv = (g_i32)levels;
    const g_i64 all = (g_i64)GND_NGRP(0) * lsz;
    for (g_i32 d = 0; d < lv; d++)
        for (g_i32 p = lid; p < 1 << d; p += lsz)
            top[(1 << d) + p] = IN_a((IX)(((2 * (g_i64)p + 1) * n >> (d + 1)) - 1));
    GND_BARRIER();
    for (g_i64 i = (g_i64)GND_GRP(0) * lsz + lid; i < m; i += EACH * all) {
        $T v[EACH];
        g_i32 k[EACH];
        IX at[EACH];
        for (g_i32 e = 0; e < EACH; e++) {
            const g_i64 j = i + e * all;
            v[e] = IN_v(j < m ? j : i);
            k[e] = 1;
        }
        for (g_i32 d = 0; d < lv; d++)
            for (g_i32 e = 0; e < EACH; e++)
                k[e] = 2 * k[e] + (AFTER(top[k[e]], v[e]) ? 1 : 0);
        for (g_i32 e = 0; e < EACH; e++)
            at[e] = (IX)((g_i64)(k[e] - (1 << lv)) * n >> lv);
        for (IX len = (IX)most; len > 0;) {
            const IX step = (len + 1) / 2;
            len -= step;
            for (g_i32 e = 0; e < EACH; e++) {
                const IX q = at[e] + step - 1, in = q < (IX)n ? q : (IX)n - 1;
                const $T x = IN_a(in);
                at[e] += q < (IX)n && AFTER(x, v[e]) ? step : 0;
            }
        }
        for (g_i32 e = 0; e < EACH; e++)
            if (i + e * all < m)
                PUT(i + e * all, at[e], v[e]);
    }

/* A GPU, many values in a long array: an index is made first, of levels of entries. Entry i of the lowest
 * level is the last element of part i of LEAF elements; entry i of another the last one of the FAN entries
 * below it, and the uppermost one is in local memory, as a tree like that above. So a value reads a node
 * of FAN entries a level and a part, each at once (16 bytes a load) and compared with all of it: what it
 * waits for are few reads, and nothing has to stay in a cache until it is read again. Levels are padded
 * to whole nodes with the last element. (B+ trees without pointers: Rao and Ross, "Making B+-trees cache
 * conscious in main memory", 2000.) */
//@text search_index
    g_i64 i = (g_i64)GND_GID(0), span = LEAF;
    for (g_i32 q = 0; q < LEVELS; q++, span *= FAN) {
        const g_i64 count = (n + span - 1) / span, all = (count + FAN - 1) / FAN * FAN;
        if (i < all) {
            const g_i64 at = (i + 1) * span;
            s[GND_GID(0)] = a[(at < n ? at : n) - 1];
            return;
        }
        i -= all;
    }
//@text search_indexed
    GND_LOCAL $T top[TOP];
    typedef union { uint4 v[LEAF * ESIZE / 16]; MEM s[LEAF]; } PART;
    typedef union { uint4 v[FAN * ESIZE / 16]; MEM s[FAN]; } NODE;
    const g_i32 lid = (g_i32)GND_LID(0), lsz = (g_i32)GND_LSZ(0), lv = (g_i32)levels;
    const g_i64 all = (g_i64)GND_NGRP(0) * lsz;
    const int whole = ((g_u64)a & 15u) == 0;
    IX begin[LEVELS], count[LEVELS], span = LEAF, next = 0;
    UNROLL
    for (g_i32 q = 0; q < LEVELS; q++) {
        begin[q] = next;
        count[q] = (IX)((n + span - 1) / span);
        next += (count[q] + FAN - 1) / FAN * FAN;
        span *= FAN;
    }
    for (g_i32 d = 0; d < lv; d++)
        for (g_i32 p = lid; p < 1 << d; p += lsz) {
            const g_i32 q = ((2 * p + 1) << (lv - d - 1)) - 1;
            const IX in = q < count[LEVELS - 1] ? q : count[LEVELS - 1] - 1;
            top[(1 << d) + p] = gnd_ld_$n(s, begin[LEVELS - 1] + in);
        }
    GND_BARRIER();
    for (g_i64 i = (g_i64)GND_GRP(0) * lsz + lid; i < m; i += EACH * all) {
        $T v[EACH];
        g_i32 k[EACH];
        IX at[EACH];
        UNROLL
        for (g_i32 e = 0; e < EACH; e++) {
            const g_i64 j = i + e * all;
            v[e] = IN_v(j < m ? j : i);
            k[e] = 1;
        }
        for (g_i32 d = 0; d < lv; d++)
            UNROLL
            for (g_i32 e = 0; e < EACH; e++)
                k[e] = 2 * k[e] + (AFTER(top[k[e]], v[e]) ? 1 : 0);
        UNROLL
        for (g_i32 e = 0; e < EACH; e++) {
            at[e] = k[e] - (1 << lv);
            at[e] = at[e] < count[LEVELS - 1] ? at[e] : count[LEVELS - 1] - 1;
        }
        UNROLL
        for (g_i32 q = LEVELS - 2; q >= 0; q--) {
            NODE u[EACH];
            UNROLL
            for (g_i32 e = 0; e < EACH; e++) {
                GND_CONST_GLOBAL uint4 *from = (GND_CONST_GLOBAL uint4 *)(s + begin[q] + at[e] * FAN);
                UNROLL
                for (g_i32 w = 0; w < FAN * ESIZE / 16; w++)
                    u[e].v[w] = from[w];
            }
            UNROLL
            for (g_i32 e = 0; e < EACH; e++) {
                IX to = at[e] * FAN;
                UNROLL
                for (g_i32 j = 0; j < FAN; j++)
                    to += AFTER(gnd_ld_$n(u[e].s, j), v[e]) ? 1 : 0;
                at[e] = to < count[q] ? to : count[q] - 1;
            }
        }
        PART u[EACH];
        UNROLL
        for (g_i32 e = 0; e < EACH; e++) {
            at[e] *= LEAF;
            if (whole && at[e] <= (IX)n - LEAF) {
                GND_CONST_GLOBAL uint4 *from = (GND_CONST_GLOBAL uint4 *)(a + at[e]);
                UNROLL
                for (g_i32 w = 0; w < LEAF * ESIZE / 16; w++)
                    u[e].v[w] = from[w];
            } else {
                UNROLL
                for (g_i32 j = 0; j < LEAF; j++)
                    u[e].s[j] = a[at[e] + j < (IX)n ? at[e] + j : (IX)n - 1];
            }
        }
        UNROLL
        for (g_i32 e = 0; e < EACH; e++) {
            IX to = at[e];
            UNROLL
            for (g_i32 j = 0; j < LEAF; j++)
                to += AFTER(gnd_ld_$n(u[e].s, j), v[e]) ? 1 : 0;
            to = to < (IX)n ? to : (IX)n;
            if (i + e * all < m)
                PUT(i + e * all, to, v[e]);
        }
    }

/* A CPU: a work-item has a run of values, and goes EACH of them at a time, in lanes. */
//@text search_cpu
    const g_i64 from = (g_i64)GND_GRP(0) * run, to = from + run < m ? from + run : m;
    for (g_i64 i = from; i < to; i += EACH) {
        const g_i64 count = to - i < EACH ? to - i : EACH;
        $T v[EACH];
        IX at[EACH];
        for (g_i32 e = 0; e < EACH; e++) {
            v[e] = IN_v(e < count ? i + e : i);
            at[e] = 0;
        }
        for (IX len = (IX)n; len > 0;) {
            const IX step = (len + 1) / 2;
            len -= step;
            for (g_i32 e = 0; e < EACH; e++) {
                const $T x = IN_a(at[e] + step - 1);
                at[e] += AFTER(x, v[e]) ? step : 0;
            }
        }
        for (g_i32 e = 0; e < count; e++)
            PUT(i + e, at[e], v[e]);
    }

/* A CPU, many whole numbers in an array whose ends are less than TABLE apart: the place of each number
 * between them is in a table, s[1] for the first one. s[0] says whether there is one, which depends on
 * the elements. Places behind are those before the next number, and a number is there if these two differ: TABLED is
 * the result for v, number k of the table (lib/prim/search.c). */
//@text search_table
    const g_u64 low = (g_u64)IN_a(0), span = (g_u64)IN_a((IX)n - 1) - low;
    s[0] = span < TABLE;
    if (!s[0])
        return;
    g_u64 next = 0;
    for (g_i64 i = 0; i < n; i++) {
        const g_u64 k = (g_u64)IN_a((IX)i) - low, last = k < span ? k : span; /* also if it is not sorted */
        for (; next <= last; next++)
            s[1 + next] = (g_i32)i;
    }
    s[1 + next] = (g_i32)n;
//@text search_tabled
    if (s[0]) {
        const g_i64 begin = (g_i64)GND_GRP(0) * run, end = begin + run < m ? begin + run : m;
        const $T least = IN_a(0), most = IN_a((IX)n - 1);
        for (g_i64 i = begin; i < end; i++) {
            const $T v = IN_v(i);
            const int within = v >= least && v <= most;
            const g_u64 k = within ? (g_u64)v - (g_u64)least : 0;
            y[i] = TABLED;
        }
        return;
    }
