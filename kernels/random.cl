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
/* Both halves of a product. Written as for other compilers it is several instructions with NVIDIA's OpenCL. */
//@fn mulpair u32
GND_FN void gnd_mulpair_u32(g_u32 a, g_u32 b, g_u32 *hi, g_u32 *lo)
{
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
    g_u64 p;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
#else
    const g_u64 p = (g_u64)a * b;
#endif
    *hi = (g_u32)(p >> 32);
    *lo = (g_u32)p;
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
//@fn bits32of u64
GND_FN g_u32 gnd_bits32of_u64(g_u64 i, g_u64 key, g_u32 round)
{
    g_u32 x[4];
    gnd_philox_u64(i >> 2, round, key, x);
    return (i & 2) ? ((i & 1) ? x[3] : x[2]) : ((i & 1) ? x[1] : x[0]);
}
//@fn bits64of u64
GND_FN g_u64 gnd_bits64of_u64(g_u64 i, g_u64 key, g_u32 round)
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
            m = gnd_bits32of_u64(i, key, k) * s;
    }
    return (g_u32)(m >> 32);
}

/* The same, with *bad set where a word may have to be rejected. */
//@fn bounded32try u64
GND_FN g_u32 gnd_bounded32try_u64(g_u64 i, g_u64 key, g_u64 s, int *bad)
{
    const g_u64 m = gnd_bits32_u64(i, key) * s;
    *bad |= (g_u32)m < (g_u32)s;
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
            x = gnd_bits64of_u64(i, key, k);
    }
    return gnd_mulhi_u64(x, s);
}

//@fn bounded64try u64
GND_FN g_u64 gnd_bounded64try_u64(g_u64 i, g_u64 key, g_u64 s, int *bad)
{
    const g_u64 x = gnd_bits64_u64(i, key);
    *bad |= x * s < s;
    return s ? gnd_mulhi_u64(x, s) : x;
}
/* Stores 32 bytes, v, for each work-item, 2 k + 1's at p behind 2 k's at p: by NVIDIA's exchange within a warp, all
 * of which has to be here, two at a time fill 32 bytes. */
//@fn storepairs u64
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
GND_FN void gnd_storepairs_u64(GND_GLOBAL uint4 *p, uint4 *v, int odd)
{
    uint4 give, got;
    const g_u64 at = (g_u64)(p - odd);
    give.x = odd ? v[0].x : v[1].x;
    give.y = odd ? v[0].y : v[1].y;
    give.z = odd ? v[0].z : v[1].z;
    give.w = odd ? v[0].w : v[1].w;
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(got.x) : "r"(give.x));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(got.y) : "r"(give.y));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(got.z) : "r"(give.z));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(got.w) : "r"(give.w));
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" : : "l"(at), "r"(odd ? got.x : v[0].x),
                 "r"(odd ? got.y : v[0].y), "r"(odd ? got.z : v[0].z), "r"(odd ? got.w : v[0].w) : "memory");
    asm volatile("st.global.v4.b32 [%0 + 32], {%1, %2, %3, %4};" : : "l"(at), "r"(odd ? v[1].x : got.x),
                 "r"(odd ? v[1].y : got.y), "r"(odd ? v[1].z : got.z), "r"(odd ? v[1].w : got.w) : "memory");
}
#else
GND_FN void gnd_storepairs_u64(GND_GLOBAL uint4 *p, uint4 *v, int odd)
{
    p[0] = v[0];
    p[1] = v[1];
}
#endif

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
/* 1 / x and the root of x for 2^-100 < x < 2^100: on NVIDIA's GPUs from an instruction that is right to about 2^-20
 * and one step of third order. */
//@fn rcpnear f64
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
GND_FN g_f64 gnd_rcpnear_f64(g_f64 x)
{
    g_f64 y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const g_f64 e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
#else
#define gnd_rcpnear_f64(x) (1.0 / (x))
#endif
//@fn sqrtnear f64
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
GND_FN g_f64 gnd_sqrtnear_f64(g_f64 x)
{
    g_f64 y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const g_f64 t = x * y, e = fma(-t, y, 1.0);
    return fma(t, e * fma(0.375, e, 0.5), t);
}
#else
#define gnd_sqrtnear_f64(x) sqrt(x)
#endif
/* The same of u = (w / 2^12, rounded down, + 1/2) / 2^52, without a branch: e and f as above, and log(1 + f) by
 * s = f / (2 + f) and the polynomial of FreeBSD's e_log.c, below 1 ulp. Integers become floats as mantissas. */
//@fn neglog f64
GND_FN g_f64 gnd_neglog_f64(g_u64 w)
{
    const int high = w > 0xb504f333f9de6484UL;
    const g_f64 z = GND_FROM_f64(((high ? ~w : w) >> 12) | 0x4330000000000000UL) - 4503599627370495.5;
    const g_u64 b = GND_BITS_f64(z);
    const g_u32 top = (g_u32)(b >> 32), k = top - 0x3fe6a09eu;
    const g_u32 m = high ? top + 0x7cc00000u : (k & 0xfffffu) + 0x3fe6a09eu; /* -z / 2^52, or z by a power of 2 */
    const g_f64 e = GND_FROM_f64(0x4330000080000000UL + (high ? 52 : (g_i32)k >> 20)) - 4503601774854196.0;
    const g_f64 f = GND_FROM_f64((g_u64)m << 32 | (g_u32)b) - GND_FROM_f64((g_u64)(high ? 0u : 0x3ff00000u) << 32);
    const g_f64 s = f * gnd_rcpnear_f64(2.0 + f), q = s * s, h = 0.5 * f * f;
    g_f64 p = fma(q, 1.479819860511658591e-1, 1.531383769920937332e-1);
    p = fma(q, p, 1.818357216161805012e-1);
    p = fma(q, p, 2.222219843214978396e-1);
    p = fma(q, p, 2.857142874366239149e-1);
    p = fma(q, p, 3.999999999940941908e-1);
    p = fma(q, p, 6.666666666666735130e-1);
    p = fma(s, fma(q, p, h), e * 1.90821492927058770002e-10);
    return (h - p) - f - e * 6.93147180369123816490e-1;
}

/* The two normal numbers that come from a radius and an angle (Box, Muller: A note on the
 * generation of random normal deviates, 1958). float32: 30 bits give an angle in [-pi/4, pi/4), the
 * other two change sine with cosine, and the cosine's sign. */
//@fn polartwo f32 cuda
#define gnd_polartwo_f32(w, a, two) gnd_polarnear_f32(w, a, two)
//@fn polartwo f32 opencl
#if defined(__NV_CL_C_VERSION)
#define gnd_polartwo_f32(w, a, two) gnd_polarnear_f32(w, a, two)
#else
GND_FN g_f32 gnd_polartwo_f32(g_u32 w, g_u32 a, g_f32 *two)
{
    const g_f32 v = 2.0f * gnd_neglog_f32(w), r = sqrt(v);
    const g_f32 t = (g_f32)(g_i32)(a << 2) * 3.6572951e-10f, z = t * t;
    const g_f32 s = fma(t * z, fma(z, fma(z, -1.95878657e-4f, 8.33274815e-3f), -0.166666647f), t);
    const g_f32 c = fma(z * z, fma(z, fma(z, 2.45479169e-5f, -1.38883029e-3f), 4.16666647e-2f),
                        fma(z, -0.5f, 1.0f));
    const g_f32 d = GND_FROM_f32(GND_BITS_f32(c) ^ ((a << 1) & 0x80000000u));
    *two = r * (a >> 31 ? d : s);
    return r * (a >> 31 ? s : d);
}
#endif
/* a + a, and its carry: 0 or 1. NVIDIA's GPUs have the carry without a comparison. */
//@fn twice u32
GND_FN g_u32 gnd_twice_u32(g_u32 a, g_u32 *carry)
{
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
    g_u32 r;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(r), "=r"(*carry) : "r"(a));
    return r;
#else
    *carry = a >> 31;
    return a + a;
#endif
}
/* -x where flag is 1, x where it is 0: there by a product, since integer operations are what such kernels wait for. */
//@fn negateif f32
GND_FN g_f32 gnd_negateif_f32(g_f32 x, g_u32 flag)
{
#if defined(__NV_CL_C_VERSION) || defined(__CUDACC__)
    asm("{.reg .pred q; setp.ne.u32 q, %1, 0; @q mul.rn.f32 %0, %0, 0fBF800000;}" : "+f"(x) : "r"(flag));
    return x;
#else
    return flag ? -x : x;
#endif
}
/* The same from instructions for a logarithm and a root that are right to about 2^-22, as NVIDIA's GPUs have
 * them (6 ulp, and what those add): v = -2 log(u), above u = 0.8 by a polynomial in 1 - u, of the smallest
 * greatest relative error, 2^-22; the cosine's number is the root of v less the square of the sine's. */
//@fn polarnear f32
GND_FN g_f32 gnd_polarnear_f32(g_u32 w, g_u32 a, g_f32 *two)
{
    const int high = w > 0xccccccccu;
    g_u32 swap, minus;
    const g_u32 a4 = gnd_twice_u32(gnd_twice_u32(a, &swap), &minus);
    const g_f32 u = fma((g_f32)(high ? ~w : w), 2.3283064365386963e-10f, 1.1641532182693481e-10f);
    g_f32 p = fma(u, 0.621528149f, 0.458973944f);
    p = fma(u, p, 0.66952455f);
    p = fma(u, p, 0.999939084f);
    p = fma(u, p, 2.0f);
    const g_f32 l = gnd_lg2near_f32(u) * -1.38629436f, v = high ? u * p : l, r = gnd_sqrtnear_f32(v);
    const g_f32 t = (g_f32)(g_i32)a4 * 3.6572951e-10f, z = t * t;
    const g_f32 s = fma(z, fma(z, fma(z, -1.95878657e-4f, 8.33274815e-3f), -0.166666647f), 1.0f) * (t * r);
    const g_f32 c = gnd_sqrtnear_f32(fma(-s, s, v));
    const g_f32 d = gnd_negateif_f32(c, minus);
    *two = swap ? d : s;
    return swap ? s : d;
}
//@fn polar f32
GND_FN g_f32 gnd_polar_f32(g_u32 w, g_u32 a, g_u32 second)
{
    g_f32 two, one = gnd_polartwo_f32(w, a, &two);
    return second ? two : one;
}
/* float64: the angle, 53 bits of a turn, is a quarter's number and -pi/4 <= t < pi/4. Polynomials of FreeBSD's k_sin.c
 * and k_cos.c. */
//@fn polar f64
GND_FN g_f64 gnd_polar_f64(g_u64 w, g_u64 a, g_u32 second)
{
    const g_f64 r = gnd_sqrtnear_f64(2.0 * gnd_neglog_f64(w));
    const g_u64 k = (a >> 11) + (1UL << 50);
    const g_u32 quarter = (g_u32)(k >> 51) + (second ? 0u : 1u);
    const g_f64 n = GND_FROM_f64((k & 0x7ffffffffffffUL) | 0x4330000000000000UL) - 5629499534213120.0;
    const g_f64 t = n * 6.975736996017264e-16, z = t * t; /* 2 pi / 2^53 */
    g_f64 s = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-8);
    g_f64 c = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-9);
    s = fma(z, s, 2.75573137070700676789e-6);
    c = fma(z, c, -2.75573143513906633035e-7);
    s = fma(z, s, -1.98412698298579493134e-4);
    c = fma(z, c, 2.48015872894767294178e-5);
    s = fma(z, s, 8.33333333332248946124e-3);
    c = fma(z, c, -1.38888888888741095749e-3);
    s = fma(z, s, -1.66666666666666324348e-1);
    c = fma(z, c, 4.16666666666666019037e-2);
    s = fma(t * z, s, t);
    c = fma(z * z, c, fma(z, -0.5, 1.0));
    s = quarter & 1u ? c : s;
    return r * (quarter & 2u ? -s : s);
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
//@fn wordrun u64 cpu
GND_FN void gnd_wordrun_u64(g_u64 block, g_u64 key, ulong8 *lo, ulong8 *hi)
{
    const ulong8 b = block + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
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
    *lo = (ulong8)(a.s0, d.s0, a.s1, d.s1, a.s2, d.s2, a.s3, d.s3);
    *hi = (ulong8)(a.s4, d.s4, a.s5, d.s5, a.s6, d.s6, a.s7, d.s7);
}
//@fn words32 u64 cpu
GND_FN int gnd_words32_u64(g_u64 at, int count, g_u64 key, g_u32 *w)
{
    const int first = (int)(at & 3), n = (first + count + 3) / 4;
    for (int j = 0; j < n; j += 8) {
        ulong8 lo, hi;
        gnd_wordrun_u64((at >> 2) + (g_u64)j, key, &lo, &hi);
        vstore16(as_uint16(lo), 0, w + 4 * j);
        vstore16(as_uint16(hi), 0, w + 4 * j + 16);
    }
    return first;
}
/* The same for words of 64 bits. (Not by a pointer to 32-bit words: a compiler may assume that they do not alias.) */
//@fn words64 u64 cpu
GND_FN int gnd_words64_u64(g_u64 at, int count, g_u64 key, g_u64 *w)
{
    const int first = (int)(at & 1), n = (first + count + 1) / 2;
    for (int j = 0; j < n; j += 8) {
        ulong8 lo, hi;
        gnd_wordrun_u64((at >> 1) + (g_u64)j, key, &lo, &hi);
        vstore8(lo, 0, w + 2 * j);
        vstore8(hi, 0, w + 2 * j + 8);
    }
    return first;
}
/* Converts them to normal numbers, as gnd_normal32_u64 does. */
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
//@fn longnormals u64 cpu
GND_FN void gnd_longnormals_u64(g_u64 at, int count, g_u64 *w)
{
    const int n = ((int)(at & 1) + count + 1) / 2;
    for (int j = 0; j < n; j++) {
        const g_u64 a = w[2 * j], b = w[2 * j + 1];
        w[2 * j] = GND_BITS_f64(gnd_polar_f64(a, b, 0u));
        w[2 * j + 1] = GND_BITS_f64(gnd_polar_f64(a, b, 1u));
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
                w[j] = gnd_bits32of_u64(at + (g_u64)j, key, k);
}
