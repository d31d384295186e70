/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elementary.cl - elementary functions. On GPUs they are the driver's built-in functions. On CPUs
 * those of float32 are our own (sections marked cpu): they are computed in float64 without
 * branches, so that PoCL's compiler vectorises them, which it does not do for its built-in
 * functions. The float64 result has an error of at most 2^-34; rounding it to float32 leaves less
 * than 0.51 ulp, tested for every float32 by tests/kernels/kernels_elementary.c. Coefficients:
 * tools/special-coeffs.py.
 */

/* x, after w has been computed: launches have no offset (lib/codegen/values.c, wait_for_function). */
//@fn after f32 cpu
#define gnd_after_f32(x, w) GND_FROM_f32(GND_BITS_f32(x) | (GND_BITS_f32(w) & (g_u32)get_global_offset(0)))
//@fn after f64 cpu
#define gnd_after_f64(x, w) GND_FROM_f64(GND_BITS_f64(x) | (GND_BITS_f64(w) & (g_u64)get_global_offset(0)))

/* x within [-160, 160]; a NaN stays. The exponentials of all that float32 can hold are inside. */
//@fn within f64 cpu
GND_INLINE g_f64 gnd_within_f64(g_f64 x)
{
    x = x < -160.0 ? -160.0 : x;
    return x > 160.0 ? 160.0 : x;
}

/* exp(x), |x| <= 700: 2^k exp(r) with |r| <= log(2)/2, exp(r) by Taylor's series, 2^-37. Adding
 * 1.5 * 2^52 rounds to an integer, which then is in the low bits. */
//@fn exp37 f64 cpu
GND_INLINE g_f64 gnd_exp37_f64(g_f64 x)
{
    const g_f64 t = x * 0x1.71547652b82fep+0 + 0x1.8p52, k = t - 0x1.8p52;
    const g_f64 r = x - k * 0x1.62e42fefa39efp-1;
    const g_f64 p = 1.0 + r * (1.0 + r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120
                    + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r * (1.0 / 362880)))))))));
    return p * GND_FROM_f64((GND_BITS_f64(t) + 1023) << 52);
}

/* log(x) of a finite normal x > 0, relative to the result 2^-42: x = 2^k m, sqrt(1/2) <= m < sqrt(2),
 * log(m) = 2 artanh(s), s = (m - 1) / (m + 1). *k gets the exponent, the rest is returned. */
//@fn logpart f64 cpu
GND_INLINE g_f64 gnd_logpart_f64(g_f64 x, g_f64 *k)
{
    const g_u64 u = GND_BITS_f64(x) + (0x3ff0000000000000UL - 0x3fe6a09e667f3bcdUL);
    const g_u64 e = (u >> 52) - 1023;
    const g_f64 f = GND_FROM_f64(GND_BITS_f64(x) - (e << 52)) - 1.0, s = f / (2.0 + f), z = s * s;
    *k = (g_f64)(g_i32)e;
    return s * (2.0 + z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11
                + z * (2.0 / 13 + z * (2.0 / 15))))))));
}
//@fn log42 f64 cpu
GND_INLINE g_f64 gnd_log42_f64(g_f64 x)
{
    g_f64 k;
    const g_f64 r = gnd_logpart_f64(x, &k);
    return r + k * 0x1.62e42fefa39efp-1;
}

/* What a logarithm of x is when its value for positive finite x is v. */
//@fn logcases f64 cpu
GND_INLINE g_f64 gnd_logcases_f64(g_f64 x, g_f64 v)
{
    return x > 0.0 ? (x < GND_INF_f64 ? v : x) : x == 0.0 ? -GND_INF_f64 : GND_NAN_f64;
}

/* atan(a) of a >= 0, inf too: one division moves it to |u| <= tan(pi/8). */
//@fn atan38 f64 cpu
GND_INLINE g_f64 gnd_atan38_f64(g_f64 a)
{
    const int far = a > 2.414213562373095, mid = a > 0.4142135623730951;
    const g_f64 num = far ? -1.0 : mid ? a - 1.0 : a, den = far ? a : mid ? a + 1.0 : 1.0;
    const g_f64 base = far ? 0x1.921fb54442d18p+0 : mid ? 0x1.921fb54442d18p-1 : 0.0;
    const g_f64 u = num / den, z = u * u;
    const g_f64 p = -0x1.555555555272fp-2 + z * (0x1.99999988ab8bbp-3 + z * (-0x1.249240f667bdcp-3
                    + z * (0x1.c7196b11e56a9p-4 + z * (-0x1.7416326589b95p-4 + z * (0x1.37823a7e7236ep-4
                    + z * (-0x1.ede493873d875p-5 + z * 0x1.0e351b6b183acp-5))))));
    return base + (u + u * z * p);
}

/* --- angles ------------------------------------------------------------------------------------- */

/* 2/pi times 2^(e-150) modulo 4, for the biased exponents e = 149 to 254 of a float32, each as a multiple
 * of 2^-27 and the rest; behind them 0, which makes NaN of an infinity. After Payne, Hanek: Radian reduction
 * for trigonometric functions (1983), with the product taken by exponent. */
//@fn quarters f64 cpu
__constant g_f64 gnd_quarters_f64[214] = {
    0x1.45f307p-2, -0x1.1b1bbead603d9p-29, 0x1.45f306cp-1, 0x1.c9c882a53f84fp-29,
    0x1.45f306ep+0, -0x1.b1bbead603d8bp-31, -0x1.7419f24p+0, -0x1.b1bbead603d8bp-30,
    0x1.17cc1b8p+0, -0x1.b1bbead603d8bp-29, -0x1.d067c92p+0, 0x1.391054a7f09d6p-30,
    0x1.7cc1b7p-2, 0x1.391054a7f09d6p-29, 0x1.7cc1b74p-1, -0x1.8ddf56b01ec54p-29,
    0x1.7cc1b72p+0, 0x1.c882a53f84ebp-30, -0x1.067c91cp+0, 0x1.c882a53f84ebp-29,
    0x1.f306dcap+0, -0x1.bbead603d8a83p-31, -0x1.9f246cp-4, -0x1.bbead603d8a83p-30,
    -0x1.9f246cp-3, -0x1.bbead603d8a83p-29, -0x1.9f246c8p-2, 0x1.1054a7f09d5f4p-30,
    -0x1.9f246c8p-1, 0x1.1054a7f09d5f4p-29, -0x1.9f246c6p+0, -0x1.df56b01ec5417p-29,
    0x1.836e4e4p-1, 0x1.054a7f09d5f48p-31, 0x1.836e4e4p+0, 0x1.054a7f09d5f48p-30,
    -0x1.f246c7p-1, 0x1.054a7f09d5f48p-29, -0x1.f246c6ep+0, -0x1.f56b01ec5417p-29,
    0x1.b72722p-4, 0x1.529fc2757d1f5p-33, 0x1.b72722p-3, 0x1.529fc2757d1f5p-32,
    0x1.b72722p-2, 0x1.529fc2757d1f5p-31, 0x1.b72722p-1, 0x1.529fc2757d1f5p-30,
    0x1.b72722p+0, 0x1.529fc2757d1f5p-29, -0x1.236377cp-1, -0x1.5ac07b1505c16p-29,
    -0x1.236377ep+0, 0x1.4a7f09d5f47d5p-29, 0x1.b939106p+0, -0x1.6b01ec5417056p-29,
    -0x1.1b1bbecp-1, 0x1.29fc2757d1f53p-29, -0x1.1b1bbeap+0, -0x1.ac07b1505c159p-29,
    0x1.c9c882ap+0, 0x1.4fe13abe8fa9ap-30, -0x1.b1bbebp-2, 0x1.4fe13abe8fa9ap-29,
    -0x1.b1bbeacp-1, -0x1.603d8a82e0acbp-29, -0x1.b1bbeaep+0, 0x1.3f84eafa3ea6ap-29,
    0x1.391054cp-1, -0x1.80f62a0b82b2dp-29, 0x1.391054ap+0, 0x1.fc2757d1f534ep-30,
    -0x1.8ddf56cp+0, 0x1.fc2757d1f534ep-29, 0x1.c882a54p-1, -0x1.ec54170565912p-35,
    0x1.c882a54p+0, -0x1.ec54170565912p-34, -0x1.bbead6p-2, -0x1.ec54170565912p-33,
    -0x1.bbead6p-1, -0x1.ec54170565912p-32, -0x1.bbead6p+0, -0x1.ec54170565912p-31,
    0x1.1054a8p-1, -0x1.ec54170565912p-30, 0x1.1054a8p+0, -0x1.ec54170565912p-29,
    -0x1.df56b02p+0, 0x1.3abe8fa9a6eep-32, 0x1.054a7fp-2, 0x1.3abe8fa9a6eep-31,
    0x1.054a7fp-1, 0x1.3abe8fa9a6eep-30, 0x1.054a7fp+0, 0x1.3abe8fa9a6eep-29,
    -0x1.f56b01ep+0, -0x1.8a82e0acb223fp-29, 0x1.529fc2p-4, 0x1.d5f47d4d37703p-30,
    0x1.529fc2p-3, 0x1.d5f47d4d37703p-29, 0x1.529fc28p-2, -0x1.505c1596447e5p-31,
    0x1.529fc28p-1, -0x1.505c1596447e5p-30, 0x1.529fc28p+0, -0x1.505c1596447e5p-29,
    -0x1.5ac07b2p+0, 0x1.5f47d4d377037p-29, 0x1.4a7f09ep+0, -0x1.4170565911f92p-29,
    -0x1.6b01ec6p+0, 0x1.7d1f534ddc0dbp-29, 0x1.29fc276p+0, -0x1.05c1596447e49p-29,
    -0x1.ac07b16p+0, 0x1.f47d4d377036ep-29, 0x1.4fe13acp-1, -0x1.70565911f924fp-33,
    0x1.4fe13acp+0, -0x1.70565911f924fp-32, -0x1.603d8a8p+0, -0x1.70565911f924fp-31,
    0x1.3f84ebp+0, -0x1.70565911f924fp-30, -0x1.80f62ap+0, -0x1.70565911f924fp-29,
    0x1.fc2757cp-1, 0x1.1f534ddc0db63p-29, 0x1.fc2757ep+0, -0x1.c1596447e493bp-29,
    -0x1.ec5418p-6, 0x1.f534ddc0db629p-31, -0x1.ec5418p-5, 0x1.f534ddc0db629p-30,
    -0x1.ec5418p-4, 0x1.f534ddc0db629p-29, -0x1.ec5417p-3, -0x1.596447e493ad5p-33,
    -0x1.ec5417p-2, -0x1.596447e493ad5p-32, -0x1.ec5417p-1, -0x1.596447e493ad5p-31,
    -0x1.ec5417p+0, -0x1.596447e493ad5p-30, 0x1.3abe9p-3, -0x1.596447e493ad5p-29,
    0x1.3abe8f8p-2, 0x1.4d377036d8a56p-29, 0x1.3abe8fcp-1, -0x1.65911f924eb53p-29,
    0x1.3abe8fap+0, 0x1.34ddc0db6295ap-29, -0x1.8a82e0ap+0, -0x1.96447e493ad4dp-29,
    0x1.d5f47d4p-1, 0x1.a6ee06db14acdp-30, 0x1.d5f47d4p+0, 0x1.a6ee06db14acdp-29,
    -0x1.505c158p-2, -0x1.6447e493ad4cep-30, -0x1.505c158p-1, -0x1.6447e493ad4cep-29,
    -0x1.505c15ap+0, 0x1.377036d8a5665p-29, 0x1.5f47d4ep+0, -0x1.911f924eb5336p-29,
    -0x1.4170566p+0, 0x1.bb81b6c52b328p-30, 0x1.7d1f534p+0, 0x1.bb81b6c52b328p-29,
    -0x1.05c1596p+0, -0x1.11f924eb53362p-30, 0x1.f47d4d4p+0, -0x1.11f924eb53362p-29,
    -0x1.70565ap-4, 0x1.dc0db6295993cp-29, -0x1.705659p-3, -0x1.1f924eb53361ep-31,
    -0x1.705659p-2, -0x1.1f924eb53361ep-30, -0x1.705659p-1, -0x1.1f924eb53361ep-29,
    -0x1.7056592p+0, 0x1.c0db6295993c4p-29, 0x1.1f534dep+0, -0x1.f924eb53361dep-31,
    -0x1.c159644p+0, -0x1.f924eb53361dep-30, 0x1.f534dep-2, -0x1.f924eb53361dep-29,
    0x1.f534ddcp-1, 0x1.b6c52b3278872p-34, 0x1.f534ddcp+0, 0x1.b6c52b3278872p-33,
    -0x1.596448p-4, 0x1.b6c52b3278872p-32, -0x1.596448p-3, 0x1.b6c52b3278872p-31,
    -0x1.596448p-2, 0x1.b6c52b3278872p-30, -0x1.596448p-1, 0x1.b6c52b3278872p-29,
    -0x1.596447ep+0, -0x1.24eb53361de38p-30, 0x1.4d37704p+0, -0x1.24eb53361de38p-29,
    -0x1.65911fap+0, 0x1.b6295993c439p-29, 0x1.34ddc0ep+0, -0x1.275a99b0ef1bfp-30,
    0.0, 0.0
};

/* x of 2^22 and more (or not finite) in quarter turns modulo 4 and up to 2^26: a multiple of 2^-27, which
 * is returned, and the rest. The factor takes the product with the table's first part to an exact one of
 * 53 bits. */
//@fn turnfar f64 cpu
GND_INLINE g_f64 gnd_turnfar_f64(g_f32 x, g_f64 *rest)
{
    const g_u32 e = GND_BITS_f32(x) >> 23 & 255;
    const g_i32 d = (g_i32)e - 149, j = d & ~(d >> 31); /* max(d, 0), in a form that Oclgrind can run */
    const g_f64 m = (g_f64)x * GND_FROM_f64((g_u64)(1023 + 150 - e) << 52);
    *rest = m * gnd_quarters_f64[2 * j + 1];
    return m * gnd_quarters_f64[2 * j];
}
/* x - n pi, with pi in parts of 31 and 53 bits: the first product is exact where 2 n is an integer of 22
 * bits. After Cody, Waite: Software manual for the elementary functions (1980). */
//@fn halfrest f64 cpu
#define gnd_halfrest_f64(x, n) (((x) - (n) * 0x1.921fb544p+1) - (n) * 0x1.0b4611a626331p-33)

/* |x| < 2^22: for these the angles below need no table. A kernel may take the functions called near and look
 * at *bad afterwards: where it is not 0 an argument was larger, and all is computed again. */
//@fn isnear f32 cpu
#define gnd_isnear_f32(x) ((GND_BITS_f32(x) & 0x7fffffff) < 0x4a800000)

/* Before a loop that computes in float64, because LLVM by itself takes one vector of 32 bytes and waits for each
 * product: f64 16 lanes, f32 32 lanes, for a chain of functions, in which nothing else is to be done meanwhile. If it
 * cannot, it should not warn. */
//@fn wide f64 cpu
#ifdef __AVX512F__
#pragma clang diagnostic ignored "-Wpass-failed"
#define gnd_wide_f64 _Pragma("clang loop vectorize_width(16)")
#else
#define gnd_wide_f64
#endif
//@fn wide f32 cpu
#ifdef __AVX512F__
#pragma clang diagnostic ignored "-Wpass-failed"
#define gnd_wide_f32 _Pragma("clang loop vectorize_width(32)")
#else
#define gnd_wide_f32
#endif

/* x in half turns: the nearest integer, whose last bit is in *q, and the rest, |rest| <= 1/2, which is
 * returned in radians, to 2^-27 of itself however near x comes to a multiple of pi. */
//@fn halfnear f64 cpu
GND_INLINE g_f64 gnd_halfnear_f64(g_f32 x, g_u64 *q)
{
    const g_f64 d = x, t = d * 0x1.45f306dc9c883p-2 + 0x1.8p52;
    *q = GND_BITS_f64(t);
    return gnd_halfrest_f64(d, t - 0x1.8p52);
}
//@fn half f64 cpu
GND_INLINE g_f64 gnd_half_f64(g_f32 x, g_u64 *q)
{
    g_f64 rest;
    g_u64 near;
    const g_f64 r = gnd_halfnear_f64(x, &near), p = gnd_turnfar_f64(x, &rest) * 0.5, t = p + 0x1.8p52;
    *q = gnd_isnear_f32(x) ? near : GND_BITS_f64(t);
    return gnd_isnear_f32(x) ? r : ((p - (t - 0x1.8p52)) + rest * 0.5) * 0x1.921fb54442d18p+1;
}
/* The same of x less a quarter turn, which is to be taken from the integer. */
//@fn cohalfnear f64 cpu
GND_INLINE g_f64 gnd_cohalfnear_f64(g_f32 x, g_u64 *q)
{
    const g_f64 d = x, t = (d * 0x1.45f306dc9c883p-2 - 0.5) + 0x1.8p52;
    *q = GND_BITS_f64(t);
    return gnd_halfrest_f64(d, (t - 0x1.8p52) + 0.5);
}
//@fn cohalf f64 cpu
GND_INLINE g_f64 gnd_cohalf_f64(g_f32 x, g_u64 *q)
{
    g_f64 rest;
    g_u64 near;
    const g_f64 r = gnd_cohalfnear_f64(x, &near), p = gnd_turnfar_f64(x, &rest) * 0.5 - 0.5, t = p + 0x1.8p52;
    *q = gnd_isnear_f32(x) ? near : GND_BITS_f64(t);
    return gnd_isnear_f32(x) ? r : ((p - (t - 0x1.8p52)) + rest * 0.5) * 0x1.921fb54442d18p+1;
}
/* x in quarter turns: the nearest integer, whose last two bits are in *q, and the rest in radians. */
//@fn anglenear f64 cpu
GND_INLINE g_f64 gnd_anglenear_f64(g_f32 x, g_u64 *q)
{
    const g_f64 d = x, t = d * 0x1.45f306dc9c883p-1 + 0x1.8p52;
    *q = GND_BITS_f64(t);
    return gnd_halfrest_f64(d, (t - 0x1.8p52) * 0.5);
}
//@fn angle f64 cpu
GND_INLINE g_f64 gnd_angle_f64(g_f32 x, g_u64 *q)
{
    g_f64 rest;
    g_u64 near;
    const g_f64 r = gnd_anglenear_f64(x, &near), p = gnd_turnfar_f64(x, &rest), t = p + 0x1.8p52;
    *q = gnd_isnear_f32(x) ? near : GND_BITS_f64(t);
    return gnd_isnear_f32(x) ? r : ((p - (t - 0x1.8p52)) + rest) * 0x1.921fb54442d18p+0;
}

/* |x| < 2^-12: x itself is sin, tan, asin, atan, sinh and tanh of x in float32. */
//@fn tiny f32 cpu
#define gnd_tiny_f32(x) ((GND_BITS_f32(x) & 0x7fffffff) < 0x39800000)

/* sin(r) for |r| <= pi/2 and a little, 2^-41; its sign changed where the last bit of q is 1. */
//@fn sinhalf f32 cpu
GND_INLINE g_f32 gnd_sinhalf_f32(g_f64 r, g_u64 q)
{
    const g_f64 z = r * r;
    const g_f64 v = r + r * z * (-0x1.555555555491bp-3 + z * (0x1.1111110fb2642p-7 + z * (-0x1.a01a0006773cep-13
                    + z * (0x1.71dd8aae9326cp-19 + z * (-0x1.ae20065eecb50p-26 + z * 0x1.54d7e0d5fdb43p-33)))));
    return GND_FROM_f32(GND_BITS_f32((g_f32)v) ^ (g_u32)q << 31);
}
//@fn sin f32 cpu
GND_INLINE g_f32 gnd_sin_f32(g_f32 x)
{
    g_u64 q;
    const g_f64 r = gnd_half_f64(x, &q);
    return gnd_tiny_f32(x) ? x : gnd_sinhalf_f32(r, q);
}
//@fn sinnear f32 cpu
GND_INLINE g_f32 gnd_sinnear_f32(g_f32 x, int *bad)
{
    g_u64 q;
    const g_f64 r = gnd_halfnear_f64(x, &q);
    *bad |= !gnd_isnear_f32(x);
    return gnd_tiny_f32(x) ? x : gnd_sinhalf_f32(r, q);
}
//@fn cos f32 cpu
GND_INLINE g_f32 gnd_cos_f32(g_f32 x)
{
    g_u64 q;
    const g_f64 r = gnd_cohalf_f64(x, &q);
    return gnd_sinhalf_f32(r, q + 1);
}
//@fn cosnear f32 cpu
GND_INLINE g_f32 gnd_cosnear_f32(g_f32 x, int *bad)
{
    g_u64 q;
    const g_f64 r = gnd_cohalfnear_f64(x, &q);
    *bad |= !gnd_isnear_f32(x);
    return gnd_sinhalf_f32(r, q + 1);
}
/* tan(r) and, where the last bit of q is 1, -1/tan(r) for |r| <= pi/4 and a little: Taylor's series of sine
 * and cosine, 2^-37. */
//@fn tanpart f64 cpu
GND_INLINE g_f64 gnd_tanpart_f64(g_f64 r, g_u64 q)
{
    const g_f64 z = r * r;
    const g_f64 s = r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880
                    + z * (-1.0 / 39916800)))));
    const g_f64 c = 1.0 + z * (-1.0 / 2 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320
                    + z * (-1.0 / 3628800 + z * (1.0 / 479001600))))));
    return (q & 1 ? -c : s) / (q & 1 ? s : c);
}
//@fn tan f32 cpu
GND_INLINE g_f32 gnd_tan_f32(g_f32 x)
{
    g_u64 q;
    const g_f64 r = gnd_angle_f64(x, &q);
    return gnd_tiny_f32(x) ? x : (g_f32)gnd_tanpart_f64(r, q);
}
//@fn tannear f32 cpu
GND_INLINE g_f32 gnd_tannear_f32(g_f32 x, int *bad)
{
    g_u64 q;
    const g_f64 r = gnd_anglenear_f64(x, &q);
    *bad |= !gnd_isnear_f32(x);
    return gnd_tiny_f32(x) ? x : (g_f32)gnd_tanpart_f64(r, q);
}

//@fn atan f32 cpu
GND_INLINE g_f32 gnd_atan_f32(g_f32 x)
{
    const g_f64 v = gnd_atan38_f64(x < 0.0f ? -(g_f64)x : (g_f64)x);
    return gnd_tiny_f32(x) ? x : (g_f32)(x < 0.0f ? -v : v);
}
/* atan(x / sqrt(1 - x^2)); 1 - x is exact. */
//@fn asin f32 cpu
GND_INLINE g_f32 gnd_asin_f32(g_f32 x)
{
    const g_f64 a = x < 0.0f ? -(g_f64)x : (g_f64)x, v = gnd_atan38_f64(a / sqrt((1.0 - a) * (1.0 + a)));
    return gnd_tiny_f32(x) ? x : (g_f32)(x < 0.0f ? -v : v);
}
//@fn acos f32 cpu
GND_INLINE g_f32 gnd_acos_f32(g_f32 x)
{
    return (g_f32)(2.0 * gnd_atan38_f64(sqrt((1.0 - (g_f64)x) / (1.0 + (g_f64)x))));
}
/* Both infinite: as the diagonal; both zero: 0 or pi, by the sign of x. */
//@fn atan2 f32 cpu
GND_INLINE g_f32 gnd_atan2_f32(g_f32 y, g_f32 x)
{
    const g_u32 by = GND_BITS_f32(y), bx = GND_BITS_f32(x), ay = by & 0x7fffffff, ax = bx & 0x7fffffff;
    const g_f64 q = (g_f64)GND_FROM_f32(ay) / (g_f64)GND_FROM_f32(ax);
    const g_f64 v = gnd_atan38_f64((ay | ax) == 0 ? 0.0 : (ay == 0x7f800000) & (ax == ay) ? 1.0 : q);
    const g_f32 w = (g_f32)(bx >> 31 ? 0x1.921fb54442d18p+1 - v : v);
    return (ay > 0x7f800000) | (ax > 0x7f800000) ? x + y : GND_FROM_f32(GND_BITS_f32(w) | (by & 0x80000000));
}

/* --- exponentials ------------------------------------------------------------------------------- */

//@fn exp f32 cpu
GND_INLINE g_f32 gnd_exp_f32(g_f32 x)
{
    return (g_f32)gnd_exp37_f64(gnd_within_f64(x));
}
//@fn exp2 f32 cpu
GND_INLINE g_f32 gnd_exp2_f32(g_f32 x)
{
    const g_f64 d = gnd_within_f64(x), t = d + 0x1.8p52;
    return (g_f32)(gnd_exp37_f64((d - (t - 0x1.8p52)) * 0x1.62e42fefa39efp-1) *
                   GND_FROM_f64((GND_BITS_f64(t) + 1023) << 52));
}
/* The series near 0, because exp37 has lost the digits after the 1. */
//@fn expm1 f32 cpu
GND_INLINE g_f32 gnd_expm1_f32(g_f32 x)
{
    const g_f64 d = gnd_within_f64(x), v = gnd_exp37_f64(d) - 1.0;
    const g_f64 w = d + d * d * (1.0 / 2 + d * (1.0 / 6 + d * (1.0 / 24)));
    return (GND_BITS_f32(x) & 0x7fffffff) < 0x33000000 ? x : (g_f32)(d < 0x1p-7 && d > -0x1p-7 ? w : v);
}
//@fn sinh f32 cpu
GND_INLINE g_f32 gnd_sinh_f32(g_f32 x)
{
    const g_f64 d = gnd_within_f64(x), t = gnd_exp37_f64(d), v = 0.5 * (t - 1.0 / t);
    const g_f64 z = d * d, w = d + d * z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040)));
    return gnd_tiny_f32(x) ? x : (g_f32)(z < 0.0625 ? w : v);
}
//@fn cosh f32 cpu
GND_INLINE g_f32 gnd_cosh_f32(g_f32 x)
{
    const g_f64 t = gnd_exp37_f64(gnd_within_f64(x));
    return (g_f32)(0.5 * (t + 1.0 / t));
}
/* (e^2x - 1) / (e^2x + 1); near 0 by sinh / cosh, whose series end sooner. */
//@fn tanh f32 cpu
GND_INLINE g_f32 gnd_tanh_f32(g_f32 x)
{
    const g_f64 d = gnd_within_f64(x), t = gnd_exp37_f64(gnd_within_f64(2.0 * d)), z = d * d;
    const int small = z < 0.0625;
    const g_f64 num = small ? d + d * z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040))) : t - 1.0;
    const g_f64 den = small ? 1.0 + z * (1.0 / 2 + z * (1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320)))) : t + 1.0;
    return gnd_tiny_f32(x) ? x : (g_f32)(num / den);
}

/* --- logarithms --------------------------------------------------------------------------------- */

//@fn log f32 cpu
GND_INLINE g_f32 gnd_log_f32(g_f32 x)
{
    return (g_f32)gnd_logcases_f64(x, gnd_log42_f64(x));
}
//@fn log2 f32 cpu
GND_INLINE g_f32 gnd_log2_f32(g_f32 x)
{
    g_f64 k;
    const g_f64 r = gnd_logpart_f64(x, &k);
    return (g_f32)gnd_logcases_f64(x, k + r * 0x1.71547652b82fep+0);
}
//@fn log10 f32 cpu
GND_INLINE g_f32 gnd_log10_f32(g_f32 x)
{
    return (g_f32)gnd_logcases_f64(x, gnd_log42_f64(x) * 0x1.bcb7b1526e50ep-2);
}
/* 1 + x is exact in float64 from |x| = 2^-28 on. */
//@fn log1p f32 cpu
GND_INLINE g_f32 gnd_log1p_f32(g_f32 x)
{
    const g_f64 d = x, u = 1.0 + d;
    const g_f32 v = (g_f32)gnd_logcases_f64(u, gnd_log42_f64(u));
    return (GND_BITS_f32(x) & 0x7fffffff) < 0x33000000 ? x : v;
}
//@fn asinh f32 cpu
GND_INLINE g_f32 gnd_asinh_f32(g_f32 x)
{
    const g_f64 a = x < 0.0f ? -(g_f64)x : (g_f64)x, z = a * a;
    const g_f64 v = gnd_log42_f64(a + sqrt(z + 1.0));
    const g_f64 w = a + a * z * (-1.0 / 6 + z * (3.0 / 40 + z * (-15.0 / 336)));
    const g_f64 y = a < 0.03125 ? w : a < GND_INF_f64 ? v : a;
    return gnd_tiny_f32(x) ? x : (g_f32)(x < 0.0f ? -y : y);
}
//@fn acosh f32 cpu
GND_INLINE g_f32 gnd_acosh_f32(g_f32 x)
{
    const g_f64 d = x, v = gnd_log42_f64(d + sqrt((d - 1.0) * (d + 1.0)));
    return (g_f32)(d >= 1.0 ? (d < GND_INF_f64 ? v : d) : GND_NAN_f64);
}
//@fn atanh f32 cpu
GND_INLINE g_f32 gnd_atanh_f32(g_f32 x)
{
    const g_f64 d = x, z = d * d, u = (1.0 + d) / (1.0 - d);
    const g_f64 v = 0.5 * gnd_logcases_f64(u, gnd_log42_f64(u));
    const g_f64 w = d + d * z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7)));
    return gnd_tiny_f32(x) ? x : (g_f32)(z < 0x1p-10 ? w : v);
}

/* x^y = exp(y log |x|); the cases are C's (Annex F). From 2^24 on every float32 is whole and even. */
//@fn pow f32 cpu
GND_INLINE g_f32 gnd_pow_f32(g_f32 x, g_f32 y)
{
    const g_u32 bx = GND_BITS_f32(x), ax = bx & 0x7fffffff, ay = GND_BITS_f32(y) & 0x7fffffff;
    const g_f64 a = GND_FROM_f32(ax);
    const g_f64 p = gnd_within_f64(gnd_logcases_f64(a, gnd_log42_f64(a)) * (g_f64)y);
    const g_f64 v = gnd_exp37_f64(p);
    const int n = (int)(ay < 0x4b800000 ? y : 0.0f), whole = (ay >= 0x4b800000) | ((g_f32)n == y), odd = whole & n;
    const g_f32 w = (g_f32)(bx >> 31 & (g_u32)odd ? -v : v);
    const g_f32 nan = (bx >> 31 != 0) & (ax != 0) & (ax < 0x7f800000) & !whole ? GND_NAN_f32 : w;
    return (bx == 0x3f800000) | (ay == 0) | ((ax == 0x3f800000) & (ay == 0x7f800000)) ? 1.0f : nan;
}

/* Below 1 x times a polynomial of x^2; above, 1 - erfc, which is exp(-x^2) v times a polynomial of
 * v = 1 / (x + 1.5). */
//@fn erf f32 cpu
GND_INLINE g_f32 gnd_erf_f32(g_f32 x)
{
    const g_f64 b = x < 0.0f ? -(g_f64)x : (g_f64)x, a = b > 4.0 ? 4.0 : b, z = a * a;
    const g_f64 small = a * (0x1.20dd750428b2ap+0 + z * (-0x1.812746adb3077p-2 + z * (0x1.ce2f20978ac74p-4
                + z * (-0x1.b82cb8f75f60fp-6 + z * (0x1.56586d16ea132p-8 + z * (-0x1.bfdf5b94982e6p-11
                + z * (0x1.f56bf559fee87p-14 + z * (-0x1.d25d1854a33edp-17 + z * 0x1.1b8c452381854p-20))))))));
    const g_f64 v = 1.0 / (a + 1.5), t = v - 0.28;
    const g_f64 c = 0x1.c570b4ba50e2ap-1 + t * (0x1.70c0b0b88b254p+0 + t * (0x1.be924b8819ec5p-1
                + t * (-0x1.155e792180fefp+0 + t * (-0x1.45af120bc4c6dp+0 + t * (0x1.1a9d15f393b7dp+1
                + t * (0x1.44156b73d3a17p+0 + t * (-0x1.6910d9fefdc11p+2 + t * 0x1.8fb154ddcc262p+1)))))));
    const g_f64 y = a < 1.0 ? small : 1.0 - gnd_exp37_f64(-z) * v * c;
    return (g_f32)(x < 0.0f ? -y : x > 0.0f ? y : (g_f64)x);
}

/* Intermediate results do not over- or underflow. An infinite side makes it infinite, also if the other is NaN.
 * Squares are exact, so the fused sum has the same bits. The sides are treated by different operations: LLVM makes a
 * pair of two equal ones first, and then no vectors of the points. */
//@fn hypot f32 cpu
GND_INLINE g_f32 gnd_hypot_f32(g_f32 x, g_f32 y)
{
    const g_u32 ay = GND_BITS_f32(y) & 0x7fffffff;
    const g_f32 v = (g_f32)sqrt(fma((g_f64)x, (g_f64)x, (g_f64)y * (g_f64)y));
    return ((fabs(x) == GND_INF_f32) | (ay == 0x7f800000)) ? GND_INF_f32 : v;
}

/* The cube root: Halley's iteration on the magnitude, twice, from an exponent divided by 3, which is good to
 * 2^-4 (W. Kahan; FreeBSD's cbrtf). */
//@fn cbrt f32 cpu
GND_INLINE g_f32 gnd_cbrt_f32(g_f32 x)
{
    const g_f64 a = GND_FROM_f32(GND_BITS_f32(x) & 0x7fffffff);
    g_f64 t = GND_FROM_f64((g_u64)((g_u32)(GND_BITS_f64(a) >> 32) / 3 + 715094163) << 32), r = t * t * t;
    t = t * (a + a + r) / (a + r + r);
    r = t * t * t;
    t = t * (a + a + r) / (a + r + r);
    return x == 0.0f || !(a < GND_INF_f64) ? x : (g_f32)(x < 0.0f ? -t : t);
}

/* --- remainders --------------------------------------------------------------------------------- */

/* C's fmod(x, y) for quotients below 2^52 and finite y: the truncated quotient may be one too large, and the remainder
 * is exact. A kernel checks *bad as for angles. */
//@fn fmodnear f64 cpu
GND_INLINE g_f64 gnd_fmodnear_f64(g_f64 x, g_f64 y, int *bad)
{
    const g_f64 a = fabs(x), b = fabs(y), q = a / b, r = fma(-trunc(q), b, a);
    *bad |= !(q < 0x1p52 && b < GND_INF_f64);
    return copysign(r < 0.0 ? r + b : r, x);
}
//@fn fmodnear f32 cpu
GND_INLINE g_f32 gnd_fmodnear_f32(g_f32 x, g_f32 y, int *bad)
{
    return (g_f32)gnd_fmodnear_f64(x, y, bad);
}
/* Python's % and //: see real.cl. */
//@fn modnear f cpu
GND_INLINE $T gnd_modnear_$t($T a, $T b, int *bad)
{
    return gnd_modof_$t(gnd_fmodnear_$t(a, b, bad), b);
}
//@fn floordivnear f cpu
GND_INLINE $T gnd_floordivnear_$t($T a, $T b, int *bad)
{
    return gnd_floordivof_$t(a, b, gnd_fmodnear_$t(a, b, bad));
}

/* --- near values ---------------------------------------------------------------------------------
 * A reciprocal (a normal one), 2^x, x < 126, and a square root (of a normal number), to about 1 ulp, and log2(x) of
 * a normal x, to 2^-22 and, below 1/2, to 2^-22 of it: an instruction each on NVIDIA's GPUs. */
//@fn rcpnear f32 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_rcpnear_f32(g_f32 x)
{
    g_f32 y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define gnd_rcpnear_f32(x) (1.0f / (x))
#endif
//@fn rcpnear f32 cuda
GND_FN g_f32 gnd_rcpnear_f32(g_f32 x)
{
    g_f32 y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
//@fn exp2near f32 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_exp2near_f32(g_f32 x)
{
    g_f32 y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define gnd_exp2near_f32(x) exp2(x)
#endif
//@fn exp2near f32 cuda
GND_FN g_f32 gnd_exp2near_f32(g_f32 x)
{
    g_f32 y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
//@fn lg2near f32 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_lg2near_f32(g_f32 x)
{
    g_f32 y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define gnd_lg2near_f32(x) log2(x)
#endif
//@fn lg2near f32 cuda
GND_FN g_f32 gnd_lg2near_f32(g_f32 x)
{
    g_f32 y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
//@fn sqrtnear f32 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_sqrtnear_f32(g_f32 x)
{
    g_f32 y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define gnd_sqrtnear_f32(x) sqrt(x)
#endif
//@fn sqrtnear f32 cuda
GND_FN g_f32 gnd_sqrtnear_f32(g_f32 x)
{
    g_f32 y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* --- everywhere else ---------------------------------------------------------------------------- */
//@fn sin f
#define gnd_sin_$t(x) sin(x)
//@fn cos f
#define gnd_cos_$t(x) cos(x)
//@fn tan f
#define gnd_tan_$t(x) tan(x)
//@fn asin f
#define gnd_asin_$t(x) asin(x)
//@fn acos f
#define gnd_acos_$t(x) acos(x)
//@fn atan f
#define gnd_atan_$t(x) atan(x)
//@fn sinh f
#define gnd_sinh_$t(x) sinh(x)
//@fn cosh f
#define gnd_cosh_$t(x) cosh(x)
//@fn tanh f
#define gnd_tanh_$t(x) tanh(x)
//@fn asinh f
#define gnd_asinh_$t(x) asinh(x)
//@fn acosh f
#define gnd_acosh_$t(x) acosh(x)
//@fn atanh f
#define gnd_atanh_$t(x) atanh(x)
//@fn exp f
#define gnd_exp_$t(x) exp(x)
//@fn exp2 f
#define gnd_exp2_$t(x) exp2(x)
//@fn expm1 f
#define gnd_expm1_$t(x) expm1(x)
//@fn log f
#define gnd_log_$t(x) log(x)
//@fn log2 f
#define gnd_log2_$t(x) log2(x)
//@fn log10 f
#define gnd_log10_$t(x) log10(x)
//@fn log1p f
#define gnd_log1p_$t(x) log1p(x)
//@fn erf f
#define gnd_erf_$t(x) erf(x)
//@fn atan2 f
#define gnd_atan2_$t(x, y) atan2(x, y)
//@fn pow f
#define gnd_pow_$t(x, y) pow(x, y)
//@fn cbrt f
#define gnd_cbrt_$t(x) cbrt(x)
