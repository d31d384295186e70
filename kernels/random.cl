/* SPDX-License-Identifier: BSD-3-Clause
 *
 * random.cl - numbers by counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
 * easy as 1, 2, 3; SC11), integers only, so that every device gives the same bits. Word w of block b of
 * stream k is word w of philox(counter = (b low, b high, round, 0), key = (k low, k high)).
 *
 * Functions of one word or two per element take round 0 of the block that the element shares with its
 * neighbours. Those that may reject go on with the next rounds: bounded integers with the same place of
 * the same block, the others with a block of their own (draws) for each attempt.
 */
/* Both halves of a product; NVIDIA's compilers make 64-bit ones of it when it is written as for others. */
//@fn mulpair u32 opencl
GND_FN void gnd_mulpair_u32(g_u32 a, g_u32 b, g_u32 *hi, g_u32 *lo)
{
#ifdef __NV_CL_C_VERSION
    *hi = mul_hi(a, b);
    *lo = a * b;
#else
    const g_u64 p = (g_u64)a * b;
    *hi = (g_u32)(p >> 32);
    *lo = (g_u32)p;
#endif
}
//@fn mulpair u32 cuda
GND_FN void gnd_mulpair_u32(g_u32 a, g_u32 b, g_u32 *hi, g_u32 *lo)
{
    *hi = __umulhi(a, b);
    *lo = a * b;
}
/* The words of block b: x[0..3]. `round` is the counter's third word. */
//@fn philox u64
GND_FN void gnd_philox_u64(g_u64 b, g_u32 round, g_u64 key, g_u32 *x)
{
    g_u32 k0 = (g_u32)key, k1 = (g_u32)(key >> 32);
    g_u32 c0 = (g_u32)b, c1 = (g_u32)(b >> 32), c2 = round, c3 = 0;
    for (int r = 0; r < 10; r++) {
        g_u32 hi0, hi1, lo0, lo1;
        gnd_mulpair_u32(0xD2511F53u, c0, &hi0, &lo0);
        gnd_mulpair_u32(0xCD9E8D57u, c2, &hi1, &lo1);
        c0 = hi1 ^ c1 ^ k0;
        c1 = lo1;
        c2 = hi0 ^ c3 ^ k1;
        c3 = lo0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    x[0] = c0;
    x[1] = c1;
    x[2] = c2;
    x[3] = c3;
}

/* 32 bits for index i: one of the four words of block i / 4. Neighbours share the block, and in a
 * vectorised kernel the compiler computes it once. */
//@fn bits32 u64
GND_FN g_u32 gnd_bits32_u64(g_u64 i, g_u64 key)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 2, 0, key, x);
    return (i & 2) ? ((i & 1) ? x[3] : x[2]) : ((i & 1) ? x[1] : x[0]);
}

/* 64 bits for index i: half of block i / 2. */
//@fn bits64 u64
GND_FN g_u64 gnd_bits64_u64(g_u64 i, g_u64 key)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 1, 0, key, x);
    return (i & 1) ? (g_u64)x[3] << 32 | x[2] : (g_u64)x[1] << 32 | x[0];
}

/* The same for another round of the counter. */
//@fn bits32_of u64
GND_FN g_u32 gnd_bits32_of_u64(g_u64 i, g_u64 key, g_u32 round)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 2, round, key, x);
    return (i & 2) ? ((i & 1) ? x[3] : x[2]) : ((i & 1) ? x[1] : x[0]);
}
//@fn bits64_of u64
GND_FN g_u64 gnd_bits64_of_u64(g_u64 i, g_u64 key, g_u32 round)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 1, round, key, x);
    return (i & 1) ? (g_u64)x[3] << 32 | x[2] : (g_u64)x[1] << 32 | x[0];
}

/* [0, 1): the upper 24 bits times 2^-24, the upper 53 bits times 2^-53, and for 16-bit floats as many
 * bits as their significands have, 11 and 8: exact. */
//@fn unit f32
#define gnd_unit_f32(w) ((g_f32)((w) >> 8) * 5.9604644775390625e-8f)
//@fn unit f64
#define gnd_unit_f64(w) ((g_f64)((w) >> 11) * 1.1102230246251565404e-16)
//@fn unit f16
#define gnd_unit_f16(w) ((g_f32)((w) >> 21) * 4.8828125e-4f)
//@fn unit bf16
#define gnd_unit_bf16(w) ((g_f32)((w) >> 24) * 3.90625e-3f)
//@fn uniform32 u64
#define gnd_uniform32_u64(i, key) gnd_unit_f32(gnd_bits32_u64(i, key))
//@fn uniform64 u64
#define gnd_uniform64_u64(i, key) gnd_unit_f64(gnd_bits64_u64(i, key))
//@fn uniform_f16 u64
#define gnd_uniform_f16_u64(i, key) gnd_unit_f16(gnd_bits32_u64(i, key))
//@fn uniform_bf16 u64
#define gnd_uniform_bf16_u64(i, key) gnd_unit_bf16(gnd_bits32_u64(i, key))

/* 0 <= r < s, each as likely, for 1 <= s <= 2^32: the upper half of word * s, where words are rejected
 * whose lower half is below 2^32 mod s (Lemire: Fast random integer generation in an interval, ACM TOMACS
 * 29, 2019). */
//@fn bounded32 u64
GND_FN g_u32 gnd_bounded32_u64(g_u64 i, g_u64 key, g_u64 s)
{
    g_u64 m = gnd_bits32_u64(i, key) * s;
    const g_u32 s32 = (g_u32)s;
    if ((g_u32)m < s32) {
        const g_u32 t = (0u - s32) % s32;
        for (g_u32 k = 1; (g_u32)m < t && k < 60000u; k++)
            m = gnd_bits32_of_u64(i, key, k) * s;
    }
    return (g_u32)(m >> 32);
}

/* The upper 64 bits of a product. */
//@fn mulhi u64 opencl
GND_FN g_u64 gnd_mulhi_u64(g_u64 a, g_u64 b)
{
    return mul_hi(a, b);
}
//@fn mulhi u64 cuda
GND_FN g_u64 gnd_mulhi_u64(g_u64 a, g_u64 b)
{
    return __umul64hi(a, b);
}
/* The same for 1 <= s < 2^64, and s = 0, which means 2^64. */
//@fn bounded64 u64
GND_FN g_u64 gnd_bounded64_u64(g_u64 i, g_u64 key, g_u64 s)
{
    g_u64 x = gnd_bits64_u64(i, key);
    if (s == 0)
        return x;
    if (x * s < s) {
        const g_u64 t = (0 - s) % s;
        for (g_u32 k = 1; x * s < t && k < 60000u; k++)
            x = gnd_bits64_of_u64(i, key, k);
    }
    return gnd_mulhi_u64(x, s);
}

/* --- words to numbers --------------------------------------------------------------------------- */

/* The random word of element i: 32 bits for float32, 64 for float64. */
//@fn word f32
GND_FN g_u32 gnd_word_f32(g_u64 i, g_u64 key)
{
    return gnd_bits32_u64(i, key);
}
//@fn word f64
GND_FN g_u64 gnd_word_f64(g_u64 i, g_u64 key)
{
    return gnd_bits64_u64(i, key);
}
/* Four words for attempt k of element i, of a block (two blocks) of its own. */
//@fn draws f32
GND_FN void gnd_draws_f32(g_u64 i, g_u32 k, g_u64 key, g_u32 *x)
{
    gnd_philox_u64(i, k, key, x);
}
//@fn draws f64
GND_FN void gnd_draws_f64(g_u64 i, g_u32 k, g_u64 key, g_u64 *x)
{
    g_u32 y[4];
    gnd_philox_u64(i, 2 * k, key, y);
    x[0] = (g_u64)y[1] << 32 | y[0];
    x[1] = (g_u64)y[3] << 32 | y[2];
    gnd_philox_u64(i, 2 * k + 1, key, y);
    x[2] = (g_u64)y[1] << 32 | y[0];
    x[3] = (g_u64)y[3] << 32 | y[2];
}
/* The open interval (0, 1). */
//@fn open f32
GND_FN g_f32 gnd_open_f32(g_u32 w)
{
    return ((g_f32)(w >> 9) + 0.5f) * 1.1920928955078125e-7f;
}
//@fn open f64
GND_FN g_f64 gnd_open_f64(g_u64 w)
{
    return ((g_f64)(w >> 12) + 0.5) * 2.220446049250313081e-16;
}

/* -log(u) for u = (w + 1/2) / 2^32, accurate at both ends: u = m 2^e with sqrt(1/2) <= m < sqrt(2), and
 * above sqrt(1/2) from 1 - u, which has more bits there. The polynomial is a minimax fit of
 * (log(1 + f) - f + f^2/2) / f^3, 2e-7. Multiplications, additions and fma alone: the same everywhere. */
//@fn neglog f32
GND_FN g_f32 gnd_neglog_f32(g_u32 w)
{
    const int high = w > 0xb504f333u;
    const g_f32 z = (g_f32)(high ? ~w : w) + 0.5f;
    const g_i32 b = (g_i32)GND_BITS_f32(z) - 0x3f3504f3;
    const g_f32 e = high ? 0.0f : (g_f32)((b >> 23) - 32);
    const g_f32 f = high ? z * -2.3283064365386963e-10f
                         : GND_FROM_f32((g_u32)((b & 0x7fffff) + 0x3f3504f3)) - 1.0f;
    const g_f32 q = f * f;
    g_f32 p = fma(-0.0790281307f, f, 0.126224183f);
    p = fma(p, f, -0.129982032f);
    p = fma(p, f, 0.142144862f);
    p = fma(p, f, -0.166412792f);
    p = fma(p, f, 0.200010453f);
    p = fma(p, f, -0.250003065f);
    p = fma(p, f, 0.333333307f);
    p = fma(p, f, -0.5f);
    return -fma(e, 0.693147181f, fma(p, q, f));
}
//@fn neglog f64
GND_FN g_f64 gnd_neglog_f64(g_u64 w)
{
    return w >> 63 ? -log1p(-gnd_open_f64(~w)) : -log(gnd_open_f64(w));
}

/* One of the two normal numbers that come from a radius and an angle (Box, Muller: A note on the
 * generation of random normal deviates, 1958). float32: 30 bits give an angle in [-pi/4, pi/4), the
 * other two change sine with cosine, and the cosine's sign. */
//@fn polar f32
GND_FN g_f32 gnd_polar_f32(g_u32 w, g_u32 a, g_u32 second)
{
    const g_f32 v = 2.0f * gnd_neglog_f32(w), r = v * rsqrt(v); /* v > 0 */
    const g_f32 t = (g_f32)(g_i32)(a << 2) * 3.6572951e-10f, z = t * t;
    const g_f32 s = fma(t * z, fma(z, fma(z, -1.95878657e-4f, 8.33274815e-3f), -0.166666647f), t);
    const g_f32 c = fma(z * z, fma(z, fma(z, 2.45479169e-5f, -1.38883029e-3f), 4.16666647e-2f),
                        fma(z, -0.5f, 1.0f));
    const g_f32 d = GND_FROM_f32(GND_BITS_f32(c) ^ ((a << 1) & 0x80000000u));
    return r * ((second ^ (a >> 31)) ? s : d);
}
//@fn polar f64
GND_FN g_f64 gnd_polar_f64(g_u64 w, g_u64 a, g_u32 second)
{
    const g_f64 r = sqrt(2.0 * gnd_neglog_f64(w));
    const g_f64 t = (g_f64)(a >> 11) * 6.975736996017264e-16; /* 2 pi / 2^53 */
    return r * (second ? sin(t) : cos(t));
}
/* float32: elements 2 j and 2 j + 1 from two words of a block; float64: from all of block j. */
//@fn normal32 u64
GND_FN g_f32 gnd_normal32_u64(g_u64 i, g_u64 key)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 2, 0, key, x);
    return gnd_polar_f32((i & 2) ? x[2] : x[0], (i & 2) ? x[3] : x[1], (g_u32)i & 1u);
}
//@fn normal64 u64
GND_FN g_f64 gnd_normal64_u64(g_u64 i, g_u64 key)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 1, 0, key, x);
    return gnd_polar_f64((g_u64)x[1] << 32 | x[0], (g_u64)x[3] << 32 | x[2], (g_u32)i & 1u);
}
//@fn expo32 u64
GND_FN g_f32 gnd_expo32_u64(g_u64 i, g_u64 key)
{
    return gnd_neglog_f32(gnd_bits32_u64(i, key));
}
//@fn expo64 u64
GND_FN g_f64 gnd_expo64_u64(g_u64 i, g_u64 key)
{
    return gnd_neglog_f64(gnd_bits64_u64(i, key));
}
/* An exponential number with the sign of the lowest bit. */
//@fn laplaceof f32
GND_FN g_f32 gnd_laplaceof_f32(g_u32 w)
{
    const g_f32 e = gnd_neglog_f32(w | 1u);
    return w & 1u ? -e : e;
}
//@fn laplaceof f64
GND_FN g_f64 gnd_laplaceof_f64(g_u64 w)
{
    const g_f64 e = gnd_neglog_f64(w);
    return w & 1u ? -e : e;
}
//@fn laplace32 u64
#define gnd_laplace32_u64(i, key) gnd_laplaceof_f32(gnd_bits32_u64(i, key))
//@fn laplace64 u64
#define gnd_laplace64_u64(i, key) gnd_laplaceof_f64(gnd_bits64_u64(i, key))
/* log(u / (1 - u)). */
//@fn logisticof f32 f64
GND_FN $T gnd_logisticof_$t($U w)
{
    return gnd_neglog_$t(~w) - gnd_neglog_$t(w);
}
//@fn logistic32 u64
#define gnd_logistic32_u64(i, key) gnd_logisticof_f32(gnd_bits32_u64(i, key))
//@fn logistic64 u64
#define gnd_logistic64_u64(i, key) gnd_logisticof_f64(gnd_bits64_u64(i, key))

/* --- of a run of elements, on CPUs ---------------------------------------------------------------
 * The words of elements at, at + 1 ... of a stream, `count` of them and a few before and behind: those of
 * element at are where the result says, in an array of room for 32 more than `count` words. Eight blocks at a
 * time, a word to a lane of 64 bits; what the products leave above a word's 32 bits nobody looks at. */
//@fn words32 u64 cpu
GND_FN int gnd_words32_u64(g_u64 at, int count, g_u64 key, g_u32 *w)
{
    const int first = (int)(at & 3), n = (first + count + 3) / 4;
    for (int j = 0; j < n; j += 8) {
        const ulong8 b = (at >> 2) + (g_u64)j + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
        g_u32 k0 = (g_u32)key, k1 = (g_u32)(key >> 32);
        ulong8 c0 = b, c1 = b >> 32, c2 = 0, c3 = 0;
#pragma unroll
        for (int r = 0; r < 10; r++) {
            const ulong8 p = (c0 & 0xffffffffUL) * 0xD2511F53UL, q = (c2 & 0xffffffffUL) * 0xCD9E8D57UL;
            c0 = (q >> 32) ^ c1 ^ (g_u64)k0;
            c1 = q;
            c2 = (p >> 32) ^ c3 ^ (g_u64)k1;
            c3 = p;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        const ulong8 a = (c0 & 0xffffffffUL) | c1 << 32, d = (c2 & 0xffffffffUL) | c3 << 32;
        const ulong8 lo = (ulong8)(a.s0, d.s0, a.s1, d.s1, a.s2, d.s2, a.s3, d.s3);
        const ulong8 hi = (ulong8)(a.s4, d.s4, a.s5, d.s5, a.s6, d.s6, a.s7, d.s7);
        vstore16(as_uint16(lo), 0, w + 4 * j);
        vstore16(as_uint16(hi), 0, w + 4 * j + 16);
    }
    return first;
}
/* The same of words of 64 bits. */
//@fn words64 u64 cpu
GND_FN int gnd_words64_u64(g_u64 at, int count, g_u64 key, g_u64 *w)
{
    return gnd_words32_u64(at << 1, 2 * count, key, (g_u32 *)w) / 2;
}
/* Makes normal numbers of them, as gnd_normal32_u64 does. */
//@fn normals u64 cpu
GND_FN void gnd_normals_u64(g_u64 at, int count, g_u32 *w)
{
    const int n = ((int)(at & 3) + count + 1) / 2;
    for (int j = 0; j < n; j++) {
        const g_u32 a = w[2 * j], b = w[2 * j + 1];
        w[2 * j] = GND_BITS_f32(gnd_polar_f32(a, b, 0u));
        w[2 * j + 1] = GND_BITS_f32(gnd_polar_f32(a, b, 1u));
    }
}
/* Where words w of elements from at on would be rejected by gnd_bounded32_u64, the words that it takes. */
//@fn accepted u64 cpu
GND_FN void gnd_accepted_u64(g_u64 at, int count, g_u64 key, g_u64 s, g_u32 *w)
{
    const g_u32 s32 = (g_u32)s, t = s32 ? (0u - s32) % s32 : 0;
    int any = 0;
    for (int j = 0; j < count; j++)
        any |= w[j] * s32 < t;
    if (any)
        for (int j = 0; j < count; j++)
            for (g_u32 k = 1; w[j] * s32 < t && k < 60000u; k++)
                w[j] = gnd_bits32_of_u64(at + (g_u64)j, key, k);
}

/* --- by rejection -------------------------------------------------------------------------------- */

/* A gamma number of shape a is what is returned times exp(-*boost) (Marsaglia, Tsang: A simple method for
 * generating gamma variables, ACM TOMS 26, 2000; shapes below 1 from a + 1, times u^(1/a)). a > 0. */
//@fn gammacore f32 f64
GND_FN $T gnd_gammacore_$t(g_u64 i, g_u64 key, $T a, $T *boost)
{
    const $T d = (a < 1 ? a + 1 : a) - ($T)0.33333333333333333$f, c = 1 / sqrt(9 * d);
    $T v = 0;
    $U x[4];
    *boost = 0;
    for (g_u32 k = 0; k < 200u; k++) {
        gnd_draws_$t(i, k, key, x);
        const $T n = gnd_polar_$t(x[0], x[1], 0u), t = c * n;
        v = t * (3 + t * (3 + t)); /* (1 + t)^3 - 1 */
        if (t > -1 && -gnd_neglog_$t(x[2]) < n * n / 2 + d * (log1p(v) - v))
            break;
        v = 0;
    }
    if (a < 1)
        *boost = gnd_neglog_$t(x[3]) / a;
    return d * (1 + v);
}
/* NaN for a < 0; 0 for a = 0. */
//@fn gammavar f32 f64
GND_FN $T gnd_gammavar_$t(g_u64 i, g_u64 key, $T a)
{
    $T boost;
    if (!(a > 0) || a == GND_INF_$t)
        return a >= 0 ? a : GND_NAN_$t;
    const $T g = gnd_gammacore_$t(i, key, a, &boost);
    return a < 1 ? g * exp(-boost) : g;
}
/* Its logarithm, which does not underflow where a is small. */
//@fn loggammavar f32 f64
GND_FN $T gnd_loggammavar_$t(g_u64 i, g_u64 key, $T a)
{
    $T boost;
    if (!(a > 0) || a == GND_INF_$t)
        return a > 0 ? a : a == 0 ? -GND_INF_$t : GND_NAN_$t;
    const $T g = gnd_gammacore_$t(i, key, a, &boost);
    return log(g) - boost;
}

/* log(k!) - (log(2 pi)/2 + (k + 1/2) log(k + 1) - (k + 1)): Stirling's series beyond a table. */
//@fn stirling f32 f64
GND_FN $T gnd_stirling_$t($T k)
{
    const $T few[10] = {0.08106146679532726$f,  0.04134069595540929$f,  0.02767792568499834$f,
                        0.02079067210376509$f,  0.01664469118982119$f,  0.01387612882307075$f,
                        0.01189670994589177$f,  0.01041126526197209$f,  0.009255462182712733$f,
                        0.008330563433362871$f};
    if (k < 10)
        return few[k < 0 ? 0 : (int)k];
    const $T r = 1 / (k + 1), q = r * r;
    return r * (0.083333333333333333$f - q * (0.0027777777777777778$f -
                q * (0.00079365079365079365$f - q * 0.00059523809523809524$f)));
}

/* Poisson numbers: the distribution summed up to u below lam = 10, else by transformed rejection (PTRS of
 * Hoermann: The transformed rejection method for generating Poisson random variables, 1993). -1 where
 * lam is not in 0 .. 9.2e18. */
//@fn poisson f32 f64
GND_FN g_i64 gnd_poisson_$t(g_u64 i, g_u64 key, $T lam)
{
    $U x[4];
    if (!(lam >= 0 && lam <= ($T)9.2e18$f))
        return -1;
    if (lam < 10) {
        gnd_draws_$t(i, 0, key, x);
        $T u = gnd_open_$t(x[0]), p = exp(-lam);
        int k = 0;
        while (u >= p && k < 200 && (k < lam || p > ($T)1e-17$f)) {
            u -= p;
            k++;
            p *= lam / k;
        }
        return k;
    }
    const $T b = ($T)0.931$f + ($T)2.53$f * sqrt(lam), a = ($T)0.02483$f * b - ($T)0.059$f;
    const $T ia = ($T)1.1239$f + ($T)1.1328$f / (b - ($T)3.4$f);
    const $T vr = ($T)0.9277$f - ($T)3.6224$f / (b - 2);
    for (g_u32 n = 0; n < 500u; n++) {
        gnd_draws_$t(i, n, key, x);
        const $T u = gnd_open_$t(x[0]) - ($T)0.5$f, v = gnd_open_$t(x[1]), us = ($T)0.5$f - fabs(u);
        const $T k = floor((2 * a / us + b) * u + lam + ($T)0.43$f);
        if (us >= ($T)0.07$f && v <= vr)
            return (g_i64)k;
        if (k < 0 || k > ($T)9.2e18$f || (us < ($T)0.013$f && v > us))
            continue;
        const $T d = k + 1 - lam; /* the logarithm of the probability of k, without its large terms */
        if (log(v * ia / (a / (us * us) + b)) <=
            d - (k + ($T)0.5$f) * log1p(d / lam) - ($T)0.5$f * log(($T)6.283185307179586$f * lam) -
                gnd_stirling_$t(k))
            return (g_i64)k;
    }
    return (g_i64)lam;
}

/* Binomial numbers of n trials: summed up as above where n min(p, 1 - p) < 10, else BTRS (Hoermann: The
 * generation of binomial random variates, J. Stat. Comput. Simul. 46, 1993). -1 where p is not in
 * 0 .. 1, or n is negative. */
//@fn binomial f32 f64
GND_FN g_i64 gnd_binomial_$t(g_u64 i, g_u64 key, $T n, $T p)
{
    $U x[4];
    if (!(n >= 0 && n <= ($T)9.2e18$f && p >= 0 && p <= 1))
        return -1;
    const int flip = p > ($T)0.5$f;
    const $T s = flip ? 1 - p : p, r = s / (1 - s);
    $T found = floor(n * s);
    if (n * s < 10) {
        gnd_draws_$t(i, 0, key, x);
        $T u = gnd_open_$t(x[0]), q = exp(n * log1p(-s));
        int k = 0;
        while (u >= q && k < 200 && k < n && (k < n * s || q > ($T)1e-17$f)) {
            u -= q;
            q *= (n - k) / (k + 1) * r;
            k++;
        }
        found = k;
    } else {
        const $T sd = sqrt(n * s * (1 - s)), b = ($T)1.15$f + ($T)2.53$f * sd;
        const $T a = ($T)0.0248$f * b + ($T)0.01$f * s - ($T)0.0873$f, c = n * s + ($T)0.5$f;
        const $T vr = ($T)0.92$f - ($T)4.2$f / b, al = (($T)2.83$f + ($T)5.1$f / b) * sd;
        const $T m = floor((n + 1) * s);
        for (g_u32 j = 0; j < 500u; j++) {
            gnd_draws_$t(i, j, key, x);
            const $T u = gnd_open_$t(x[0]) - ($T)0.5$f, us = ($T)0.5$f - fabs(u);
            const $T v = gnd_open_$t(x[1]), k = floor((2 * a / us + b) * u + c);
            if (k < 0 || k > n)
                continue;
            found = k;
            if (us >= ($T)0.07$f && v <= vr)
                break;
            if (log(v * al / (a / (us * us) + b)) <=
                (m + ($T)0.5$f) * log((m + 1) / (r * (n - m + 1))) +
                    (n + 1) * log((n - m + 1) / (n - k + 1)) +
                    (k + ($T)0.5$f) * log(r * (n - k + 1) / (k + 1)) + gnd_stirling_$t(m) +
                    gnd_stirling_$t(n - m) - gnd_stirling_$t(k) - gnd_stirling_$t(n - k))
                break;
        }
    }
    return (g_i64)(flip ? n - found : found);
}

/* Trials up to the first success: exponential numbers in steps of -log(1 - p). -1: p is not in ]0, 1]. */
//@fn geometric f32 f64
GND_FN g_i64 gnd_geometric_$t(g_u64 i, g_u64 key, $T p)
{
    if (!(p > 0 && p <= 1))
        return -1;
    const $T k = ceil(gnd_neglog_$t(gnd_word_$t(i, key)) / -log1p(-p));
    return k < 1 ? 1 : k >= ($T)9.2e18$f ? 0x7fffffffffffffffL : (g_i64)k;
}
