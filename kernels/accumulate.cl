/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accumulate.cl - adds or compares values into places by index. The result does not depend on the
 * order.
 *
 * Ints wrap, so their sums do not depend on the order. A float is added as a fixed-point number:
 * with E the greatest exponent of a place's addends (every |v| < 2^(E+1)) and 2^L greater than the
 * number of addends, v becomes the integer part of v * 2^s, s = 61 - L - E, and the sum of all fits
 * an int64. float64 uses two such numbers, the second one for another K = 62 - L bits.
 * lib/prim/accumulate.c defines the macros that the texts use.
 */

/* Number of zeros below the lowest bit that is set. */
//@fn ctz u32 u64 opencl
#define gnd_ctz_$t(x) ((g_i32)popcount(($T)(~(x) & ((x) - 1))))
//@fn ctz u32 cuda
#define gnd_ctz_u32(x) (__ffs((int)(x)) - 1)
//@fn ctz u64 cuda
#define gnd_ctz_u64(x) (__ffsll((g_i64)(x)) - 1)

/* Atomic additions, and bits set. */
//@fn aadd i32 u32 opencl
#define gnd_aadd_$t(p, v) ((void)atomic_add((volatile GND_GLOBAL $T *)(p), (v)))
//@fn aadd i64 u64 opencl
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define gnd_aadd_$t(p, v) ((void)atom_add((volatile GND_GLOBAL $T *)(p), (v)))
//@fn aadd i32 u32 u64 cuda
#define gnd_aadd_$t(p, v) ((void)atomicAdd(p, v))
//@fn aadd i64 cuda
#define gnd_aadd_i64(p, v) ((void)atomicAdd((g_u64 *)(p), (g_u64)(v)))
//@fn aor i32 opencl
#define gnd_aor_i32(p, v) ((void)atomic_or((volatile GND_GLOBAL g_i32 *)(p), (v)))
//@fn aor i32 cuda
#define gnd_aor_i32(p, v) ((void)atomicOr(p, v))
/* 64 bits by two 32-bit additions: each one to the low word that carries adds the carry to the high
 * word, and the order of the additions does not matter. Words are little endian. */
//@fn aadd2 i64 u64 opencl
GND_FN void gnd_aadd2_$t(GND_GLOBAL $T *p, $T v)
{
    volatile GND_GLOBAL g_u32 *w = (volatile GND_GLOBAL g_u32 *)p;
    const g_u32 lo = (g_u32)v, hi = (g_u32)((g_u64)v >> 32), old = atomic_add(w, lo);
    const g_u32 add = hi + (g_u32)(old + lo < old);
    if (add)
        atomic_add(w + 1, add);
}
//@fn aadd2 i64 u64 cuda
#define gnd_aadd2_$t(p, v) ((void)atomicAdd((g_u64 *)(p), (g_u64)(v)))
/* The same in local memory. */
//@fn ladd i32 u32 opencl
#define gnd_ladd_$t(p, v) ((void)atomic_add((volatile GND_LOCAL_PTR $T *)(p), (v)))
//@fn ladd i64 u64 opencl
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define gnd_ladd_$t(p, v) ((void)atom_add((volatile GND_LOCAL_PTR $T *)(p), (v)))
//@fn ladd i32 u32 u64 cuda
#define gnd_ladd_$t(p, v) ((void)atomicAdd(p, v))
//@fn ladd i64 cuda
#define gnd_ladd_i64(p, v) ((void)atomicAdd((g_u64 *)(p), (g_u64)(v)))
//@fn lamax i32 opencl
#define gnd_lamax_i32(p, v) ((void)atomic_max((volatile GND_LOCAL_PTR g_i32 *)(p), (v)))
//@fn lamax i32 cuda
#define gnd_lamax_i32(p, v) ((void)atomicMax(p, v))

/* The current value, or any smaller one: the smallest where a plain read of a value that others
 * change atomically is undefined (and a checker reports it). It avoids atomic maxima that would
 * change nothing. */
//@fn peek i32 cuda
#define gnd_peek_i32(p) (*(volatile const g_i32 *)(p))
//@fn peek i32 opencl
#ifdef __NV_CL_C_VERSION
#define gnd_peek_i32(p) (*(volatile GND_GLOBAL const g_i32 *)(p))
#else
#define gnd_peek_i32(p) ((g_i32)0x80000000u)
#endif

/* 0: finite; 1: NaN; 2: infinite; 4: minus infinite. */
//@fn notfinite f
GND_FN g_i32 gnd_notfinite_$t($T x)
{
    return x != x ? 1 : x == GND_INF_$t ? 2 : x == -GND_INF_$t ? 4 : 0;
}
/* For x finite and not 0: an E with |x| < 2^(E+1); the exponent of its lowest bit. */
//@fn fxtop f32
GND_FN g_i32 gnd_fxtop_f32(g_f32 x)
{
    const g_i32 e = (g_i32)(GND_BITS_f32(x) >> 23 & 255u);
    return (e ? e : 1) - 127;
}
//@fn fxlow f32
GND_FN g_i32 gnd_fxlow_f32(g_f32 x)
{
    const g_u32 u = GND_BITS_f32(x), e = u >> 23 & 255u;
    const g_u32 m = (u & 0x7fffffu) | (e ? 0x800000u : 0u);
    return (g_i32)(e ? e : 1u) - 150 + gnd_ctz_u32(m);
}
//@fn fxtop f64
GND_FN g_i32 gnd_fxtop_f64(g_f64 x)
{
    const g_i32 e = (g_i32)(GND_BITS_f64(x) >> 52 & 2047u);
    return (e ? e : 1) - 1023;
}
//@fn fxlow f64
GND_FN g_i32 gnd_fxlow_f64(g_f64 x)
{
    const g_u64 u = GND_BITS_f64(x), e = u >> 52 & 2047u;
    const g_u64 m = (u & (((g_u64)1 << 52) - 1)) | (e ? (g_u64)1 << 52 : 0u);
    return (g_i32)(e ? e : 1u) - 1075 + gnd_ctz_u64(m);
}
/* 2^e, e within the exponents of normal numbers; x * 2^e in two steps, each of which stays there. */
//@fn pow2 f32
#define gnd_pow2_f32(e) GND_FROM_f32((g_u32)((e) + 127) << 23)
//@fn pow2 f64
#define gnd_pow2_f64(e) GND_FROM_f64((g_u64)((e) + 1023) << 52)
//@fn times2 f
#define gnd_times2_$t(x, e) ((x) * gnd_pow2_$t((e) / 2) * gnd_pow2_$t((e) - (e) / 2))
/* The whole part of x * 2^s; of a float64 also the rest times 2^K. */
//@fn fix f32
#define gnd_fix_f32(x, s) ((g_i64)gnd_times2_f32(x, s))
//@fn fixhi f64
#define gnd_fixhi_f64(x, s) ((g_i64)gnd_times2_f64(x, s))
//@fn fixlo f64
GND_FN g_i64 gnd_fixlo_f64(g_f64 x, g_i32 s, g_i32 k)
{
    const g_f64 t = gnd_times2_f64(x, s);
    return (g_i64)((t - (g_f64)(g_i64)t) * gnd_pow2_f64(k));
}
/* base plus the sum of the fixed point numbers; f: the sum of the addends that were not finite. */
//@fn unfix f32
GND_FN g_f32 gnd_unfix_f32(g_f32 base, g_i64 a, g_i32 s, g_i32 f)
{
    g_f32 hi, lo, r, b;
    if (f)
        return base + (f & 1 || f == 6 ? GND_NAN_f32 : f & 2 ? GND_INF_f32 : -GND_INF_f32);
    if (a == 0)
        return base;
    hi = (g_f32)a;
    lo = gnd_scale_f32((g_f32)(a - (g_i64)hi), -s);
    hi = gnd_scale_f32(hi, -s);
    r = base + hi;
    b = r - base;
    lo += (base - (r - b)) + (hi - b);
    return gnd_notfinite_f32(r) || gnd_notfinite_f32(lo) ? r : r + lo;
}
//@fn unfix2 f64
GND_FN g_f64 gnd_unfix2_f64(g_f64 base, g_i64 a, g_i64 c, g_i32 s, g_i32 k, g_i32 f)
{
    const g_i64 one = (g_i64)1 << k;
    g_f64 hi, lo, r, b;
    if (f)
        return base + (f & 1 || f == 6 ? GND_NAN_f64 : f & 2 ? GND_INF_f64 : -GND_INF_f64);
    a += c >> k;
    c &= one - 1;
    if (a == 0 && c == 0)
        return base;
    if (a < 0 && c > 0) { /* of one sign, so that a is not larger than both together */
        a++;
        c -= one;
    }
    hi = (g_f64)a;
    lo = gnd_scale_f64((g_f64)(a - (g_i64)hi), -s) + gnd_scale_f64((g_f64)c, -s - k);
    hi = gnd_scale_f64(hi, -s);
    r = hi + lo; /* the sum rounded, whatever its scale was */
    lo -= r - hi;
    hi = r;
    r = base + hi;
    b = r - base;
    lo += (base - (r - b)) + (hi - b);
    return gnd_notfinite_f64(r) || gnd_notfinite_f64(lo) ? r : r + lo;
}
//@fn scale f opencl
#define gnd_scale_$t(x, e) ldexp(x, (int)(e))
//@fn scale f32 cuda
#define gnd_scale_f32(x, e) ldexpf(x, (int)(e))
//@fn scale f64 cuda
#define gnd_scale_f64(x, e) ldexp(x, (int)(e))
/* Ints in the order of floats, NaN above all; and back. */
//@fn fkey f32
GND_FN g_i32 gnd_fkey_f32(g_f32 x)
{
    const g_i32 u = (g_i32)GND_BITS_f32(x);
    return x != x ? 0x7fffffff : u < 0 ? u ^ 0x7fffffff : u;
}
//@fn unfkey f32
GND_FN g_f32 gnd_unfkey_f32(g_i32 u)
{
    return u == 0x7fffffff ? GND_NAN_f32 : GND_FROM_f32((g_u32)(u < 0 ? u ^ 0x7fffffff : u));
}
//@fn fkey f64
GND_FN g_i64 gnd_fkey_f64(g_f64 x)
{
    const g_i64 u = (g_i64)GND_BITS_f64(x), top = 0x7fffffffffffffffL;
    return x != x ? top : u < 0 ? u ^ top : u;
}
//@fn unfkey f64
GND_FN g_f64 gnd_unfkey_f64(g_i64 u)
{
    const g_i64 top = 0x7fffffffffffffffL;
    return u == top ? GND_NAN_f64 : GND_FROM_f64((g_u64)(u < 0 ? u ^ top : u));
}

/* Macros: BASE(i) element i of what is added to, VAL(i) a value as the accumulator takes it, ADD(p, v),
 * LADD(p, v) additions in global and local memory. n values, m places; a group takes `per` values. */
//@text acc_init
    const g_i64 i = (g_i64)GND_GID(0);
    if ((g_i64)((GND_GRP(0) + 1) * GND_LSZ(0)) <= m || i < m) /* a full group needs no masks */
        acc[i] = BASE(i);
//@text acc_base
    const g_i64 i = (g_i64)GND_GID(0);
    if ((g_i64)((GND_GRP(0) + 1) * GND_LSZ(0)) <= m || i < m)
        gnd_st_$n(y, i, BASE(i));
//@text acc_add
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    for (g_i64 i = from + lid; i < to; i += size)
        ADD(acc + IN_pos(i), VAL(i));
/* In local memory first. */
//@text acc_add_local
    GND_LOCAL $T bin[NB];
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    for (g_i64 b = lid; b < NB; b += size)
        bin[b] = 0;
    GND_BARRIER();
    for (g_i64 i = from + lid; i < to; i += size)
        LADD(bin + IN_pos(i), VAL(i));
    GND_BARRIER();
    for (g_i64 b = lid; b < m; b += size)
        if (bin[b])
            ADD(acc + b, bin[b]);
/* A work-item, with places of its own. */
//@text acc_add_own
    const g_i64 w = (g_i64)GND_GID(0), from = w * per, to = from + per < n ? from + per : n;
    GND_GLOBAL $T *own = acc + w * m;
    for (g_i64 b = 0; b < m; b++)
        own[b] = 0;
    for (g_i64 i = from; i < to; i++)
        own[IN_pos(i)] += VAL(i);
//@text acc_end
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < m) {
        ACC a = acc[i];
        for (int w = 1; w < OWN; w++)
            a += acc[w * m + i];
        gnd_st_$n(y, i, END(i, a));
    }
//@text acc_max
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    for (g_i64 i = from + lid; i < to; i += size) {
        const ACC k = KEY(IN_val(i));
        const g_i64 p = IN_pos(i);
        AMAX(acc + p, k);
    }

/* Floats. $T is the real type of the addends; PARTS of them (2: complex) at PART(v, c). all: the
 * greatest top and the greatest negative low of all addends, -100000 where there are none: where the
 * fixed point of the greatest exponent loses no bit of any addend (EXACT), it is everybody's, else each
 * place has its own in top. */
//@text acc_clear
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < 3)
        all[i] = -100000;
    if (i < cells)
        odd[i] = 0;
#if !OWN
    if (i < cells)
        top[i] = -100000;
    if (i < cells * WORDS)
        acc[i] = 0;
#endif
//@text acc_span
    GND_LOCAL g_i32 t[256], l[256];
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    SPAN_BITS most = 0, least = SPAN_INF;
    for (g_i64 i = from + lid; i < to; i += size) {
        const VALUE v = IN_val(i);
        for (int c = 0; c < PARTS; c++) {
            /* the lowest bit, as a number; numbers without sign are in the order of their bits */
            const $T x = PART(v, c);
            const SPAN_BITS u = GND_BITS_$t(x) & SPAN_ABS, less = u & SPAN_MANT ? u & (u - 1) : 0;
            const SPAN_BITS low = GND_BITS_$t(GND_FROM_$t(u) - GND_FROM_$t(less));
            const int one = u != 0 && u < SPAN_INF;
            most = one && u > most ? u : most;
            least = one && low < least ? low : least;
        }
    }
    const g_i32 top = most ? gnd_fxtop_$t(GND_FROM_$t(most)) : -100000;
    const g_i32 low = most ? -gnd_fxlow_$t(GND_FROM_$t(least)) : -100000;
    t[lid] = top;
    l[lid] = low;
    GND_BARRIER();
    for (g_i64 s = size / 2; s > 0; s /= 2) {
        if (lid < s) {
            t[lid] = t[lid] > t[lid + s] ? t[lid] : t[lid + s];
            l[lid] = l[lid] > l[lid + s] ? l[lid] : l[lid + s];
        }
        GND_BARRIER();
    }
    if (lid == 0) {
        if (gnd_peek_i32(all) < t[0])
            gnd_amax_i32(all, t[0]);
        if (gnd_peek_i32(all + 1) < l[0])
            gnd_amax_i32(all + 1, l[0]);
    }
//@text acc_top
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    for (g_i64 i = EXACT(all) ? to : SOME(all) ? from + lid : to; i < to; i += size) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        if (!PICKED(p))
            continue;
        for (int c = 0; c < PARTS; c++) {
            const $T x = PART(v, c);
            if (x != 0 && !gnd_notfinite_$t(x)) {
                const g_i32 a = gnd_fxtop_$t(x);
                if (gnd_peek_i32(top + p * PARTS + c) < a)
                    gnd_amax_i32(top + p * PARTS + c, a);
            }
        }
    }
/* Adds the parts of v to place p of `to` by ADD. */
//@text acc_parts
#define ADD_PARTS(ADD, to, scale)                                                                  \
    for (int c = 0; c < PARTS; c++) {                                                              \
        const $T x = PART(v, c);                                                                   \
        const g_i64 at = p * PARTS + c;                                                            \
        const g_i32 f = gnd_notfinite_$t(x);                                                       \
        if (f)                                                                                     \
            gnd_aor_i32(odd + at, f);                                                              \
        else if (x != 0)                                                                           \
            ADD(to + at * WORDS, x, SCALE(scale));                                                 \
    }
//@text acc_sum
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    const g_i32 exact = EXACT(all), same = all[0];
    for (g_i64 i = SOME(all) ? from + lid : to; i < to; i += size) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        if (!PICKED(p))
            continue;
        ADD_PARTS(SUM, acc, exact ? same : top[at])
    }
/* One work-item, with places of its own. */
//@text acc_top_own
    const g_i64 w = (g_i64)GND_GID(0), from = w * per, to = from + per < n ? from + per : n;
    GND_GLOBAL g_i32 *own = top + w * m * PARTS;
    if (EXACT(all))
        return;
    for (g_i64 b = 0; b < m * PARTS; b++)
        own[b] = -100000;
    for (g_i64 i = from; i < to; i++) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        for (int c = 0; c < PARTS; c++) {
            const $T x = PART(v, c);
            const g_i32 a = x == 0 || gnd_notfinite_$t(x) ? -100000 : gnd_fxtop_$t(x);
            if (own[p * PARTS + c] < a)
                own[p * PARTS + c] = a;
        }
    }
//@text acc_top_join
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < m * PARTS && !EXACT(all)) {
        g_i32 a = top[i];
        for (int w = 1; w < OWN; w++) {
            const g_i32 b = top[w * m * PARTS + i];
            a = b > a ? b : a;
        }
        top[i] = a;
    }
//@text acc_sum_own
    const g_i64 w = (g_i64)GND_GID(0), from = w * per, to = from + per < n ? from + per : n;
    GND_GLOBAL g_i64 *own = acc + w * m * PARTS * WORDS;
    const g_i32 same = all[0];
    for (g_i64 b = 0; b < m * PARTS * WORDS; b++)
        own[b] = 0;
#define ADD_ALL(scale)                                                                             \
    for (g_i64 i = from; i < to; i++) {                                                            \
        const VALUE v = IN_val(i);                                                                 \
        const g_i64 p = IN_pos(i);                                                                 \
        ADD_PARTS(OWNSUM, own, scale)                                                              \
    }
    if (EXACT(all)) {
        ADD_ALL(same)
    } else {
        ADD_ALL(top[at])
    }
//@text acc_sum_end
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < m && PICKED(i)) {
        $T r[PARTS];
        for (int c = 0; c < PARTS; c++) {
            const g_i64 at = i * PARTS + c;
            const g_i32 s = SCALE(EXACT(all) ? all[0] : top[at]), f = odd[at];
            g_i64 a[WORDS];
            for (int k = 0; k < WORDS; k++)
                a[k] = acc[at * WORDS + k];
            for (int w = 1; w < OWN; w++)
                for (int k = 0; k < WORDS; k++)
                    a[k] += acc[(w * m * PARTS + at) * WORDS + k];
            r[c] = TOTAL(BASE(i, c), a, s, f);
        }
        STORE(y, i, r);
    }
/* Few places: those of a group in local memory first. NB: of places times parts, times words. */
//@text acc_top_local
    GND_LOCAL g_i32 bin[NB];
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    if (EXACT(all))
        return;
    for (g_i64 b = lid; b < m * PARTS; b += size)
        bin[b] = -100000;
    GND_BARRIER();
    for (g_i64 i = from + lid; i < to; i += size) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        for (int c = 0; c < PARTS; c++) {
            const $T x = PART(v, c);
            if (x != 0 && !gnd_notfinite_$t(x))
                gnd_lamax_i32(bin + p * PARTS + c, gnd_fxtop_$t(x));
        }
    }
    GND_BARRIER();
    for (g_i64 b = lid; b < m * PARTS; b += size)
        if (bin[b] > -100000)
            gnd_amax_i32(top + b, bin[b]);
//@text acc_sum_local
    GND_LOCAL g_i64 bin[NB];
    const g_i64 lid = (g_i64)GND_LID(0), size = (g_i64)GND_LSZ(0), from = (g_i64)GND_GRP(0) * per;
    const g_i64 to = from + per < n ? from + per : n;
    const g_i32 exact = EXACT(all), same = all[0];
    for (g_i64 b = lid; b < m * PARTS * WORDS; b += size)
        bin[b] = 0;
    GND_BARRIER();
    for (g_i64 i = from + lid; i < to; i += size) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        ADD_PARTS(LSUM, bin, exact ? same : top[at])
    }
    GND_BARRIER();
    for (g_i64 b = lid; b < m * PARTS * WORDS; b += size)
        if (bin[b])
            ADD64(acc + b, bin[b]);
//@text acc_few
    /* Of few values: head[h] is the last value of a place, which is found by open addressing, next[i] the value of
     * value i's place that came before; -1: none. */
    g_i32 all[2] = {-100000, -100000};
    for (g_i64 h = 0; h <= mask; h++)
        head[h] = -1;
    for (g_i64 i = 0; i < n; i++) {
        const VALUE v = IN_val(i);
        const g_i64 p = IN_pos(i);
        for (int c = 0; c < PARTS; c++) {
            const $T x = PART(v, c);
            if (x != 0 && !gnd_notfinite_$t(x)) {
                const g_i32 a = gnd_fxtop_$t(x), b = -gnd_fxlow_$t(x);
                all[0] = a > all[0] ? a : all[0];
                all[1] = b > all[1] ? b : all[1];
            }
        }
        g_i64 h = (g_i64)((g_u64)p * 0x9e3779b97f4a7c15u >> 32) & mask;
        while (head[h] >= 0 && IN_pos((g_i64)head[h]) != p)
            h = (h + 1) & mask;
        next[i] = head[h];
        head[h] = (g_i32)i;
    }
    for (g_i64 h = 0; h <= mask; h++) {
        if (head[h] < 0)
            continue;
        const g_i64 p = IN_pos((g_i64)head[h]);
        $T r[PARTS];
        for (int c = 0; c < PARTS; c++) {
            g_i32 top = EXACT(all) ? all[0] : -100000, f = 0;
            for (g_i64 i = EXACT(all) ? -1 : head[h]; i >= 0; i = next[i]) {
                const VALUE v = IN_val(i);
                const $T x = PART(v, c);
                const g_i32 a = x == 0 || gnd_notfinite_$t(x) ? -100000 : gnd_fxtop_$t(x);
                top = a > top ? a : top;
            }
            g_i64 a[WORDS];
            for (int k = 0; k < WORDS; k++)
                a[k] = 0;
            for (g_i64 i = head[h]; i >= 0; i = next[i]) {
                const VALUE v = IN_val(i);
                const $T x = PART(v, c);
                const g_i32 odd = gnd_notfinite_$t(x);
                f |= odd;
                if (!odd && x != 0)
                    OWNSUM(a, x, SCALE(top));
            }
            r[c] = TOTAL(BASE(p, c), a, SCALE(top), f);
        }
        STORE(y, p, r);
    }
