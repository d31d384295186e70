/* SPDX-License-Identifier: BSD-3-Clause
 *
 * double.cl - elementary functions of float64 on CPUs, without branches or calls, so that PoCL's
 * compiler vectorises them. They are within 2 ulp over the whole range
 * (tests/kernels/kernels_double.c, with the errors found). GPUs have good functions of their own,
 * which kernels/elementary.cl names. Nothing here relies on fma: products that must be exact have
 * short enough factors. If two values could be computed in parallel, one depends on the other by an
 * `x - x` that the compiler cannot know to be 0: otherwise LLVM would combine these two into
 * vectors instead of vectorising over work-items, which gains four times as much. The methods of
 * exp, log and pow follow FreeBSD's msun (Sun Microsystems' fdlibm); polynomials: tools/special-
 * coeffs.py.
 */

/* x with the upper 21 bits of its significand: products of two of these are exact. */
//@fn top f64 cpu
#define gnd_top_f64(x) GND_FROM_f64(GND_BITS_f64(x) & 0xffffffff00000000UL)
/* |x|, and |x| with the sign of y. */
//@fn mag f64 cpu
#define gnd_mag_f64(x) GND_FROM_f64(GND_BITS_f64(x) & 0x7fffffffffffffffUL)
//@fn signed f64 cpu
#define gnd_signed_f64(x, y) \
    GND_FROM_f64((GND_BITS_f64(x) & 0x7fffffffffffffffUL) | (GND_BITS_f64(y) & 0x8000000000000000UL))
/* x within [lo, hi]; a NaN stays. */
//@fn clamp f64 cpu
GND_INLINE g_f64 gnd_clamp_f64(g_f64 x, g_f64 lo, g_f64 hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}
/* a + b, and in *e what that lost (Knuth's TwoSum). */
//@fn exactsum f64 cpu
GND_INLINE g_f64 gnd_exactsum_f64(g_f64 a, g_f64 b, g_f64 *e)
{
    const g_f64 s = a + b, t = s - a;
    *e = (a - (s - t)) + (b - t);
    return s;
}

/* --- exponentials ------------------------------------------------------------------------------- */

/* exp(r + c) - 1 for |r| <= log(2)/2 and a little, c as what r lacks. */
//@fn exppart f64 cpu
GND_INLINE g_f64 gnd_exppart_f64(g_f64 r, g_f64 c)
{
    const g_f64 p = 0.5 + r * (0x1.5555555555557p-3 + r * (0x1.555555555554ep-5 + r * (0x1.11111111100ddp-7
                    + r * (0x1.6c16c16c1a0a0p-10 + r * (0x1.a01a01abe7ca6p-13 + r * (0x1.a01a019059b85p-16
                    + r * (0x1.71de02303d6dbp-19 + r * (0x1.27e510de19ebep-22 + r * (0x1.af4def8089903p-26
                    + r * 0x1.1f1a08a0ea41dp-29)))))))));
    return r + (r * r * p + (c + c * r));
}
/* v 2^k for an integer |k| < 2000, in two's complement: in two steps, of which one rounds at most. */
//@fn times2k f64 cpu
GND_INLINE g_f64 gnd_times2k_f64(g_f64 v, g_u64 k)
{
    const g_u64 h = (k + 2048) >> 1, l = k + 2048 - h;
    return v * GND_FROM_f64((h - 1) << 52) * GND_FROM_f64((l - 1) << 52);
}
/* x = k log(2) + r + c, |r| <= log(2)/2: r; *k in two's complement. |x| < 1000. Adding 1.5 * 2^52 rounds
 * to an integer, which then is in the low bits. */
//@fn log2rest f64 cpu
GND_INLINE g_f64 gnd_log2rest_f64(g_f64 x, g_f64 *c, g_u64 *k)
{
    const g_f64 t = x * 0x1.71547652b82fep+0 + 0x1.8p52, n = t - 0x1.8p52;
    const g_f64 hi = x - n * 0x1.62e42feep-1, lo = n * 0x1.a39ef35793c76p-33, r = hi - lo;
    *k = GND_BITS_f64(t) - 0x4338000000000000UL;
    *c = (hi - r) - lo;
    return r;
}
/* exp(x) 2^j for x within [-760, 720]. */
//@fn expscaled f64 cpu
GND_INLINE g_f64 gnd_expscaled_f64(g_f64 x, g_u64 j)
{
    g_f64 c;
    g_u64 k;
    const g_f64 r = gnd_log2rest_f64(x, &c, &k);
    return gnd_times2k_f64(1.0 + gnd_exppart_f64(r, c), k + j);
}

//@fn exp f64 cpu
GND_INLINE g_f64 gnd_exp_f64(g_f64 x)
{
    return gnd_expscaled_f64(gnd_clamp_f64(x, -750.0, 712.0), 0);
}
//@fn exp2 f64 cpu
GND_INLINE g_f64 gnd_exp2_f64(g_f64 x)
{
    const g_f64 d = gnd_clamp_f64(x, -1080.0, 1030.0), t = d + 0x1.8p52;
    return gnd_times2k_f64(1.0 + gnd_exppart_f64((d - (t - 0x1.8p52)) * 0x1.62e42fefa39efp-1, 0.0),
                         GND_BITS_f64(t) - 0x4338000000000000UL);
}
/* 2^k (exp(r) - 1 + (1 - 2^-k)); below -50 it is -1. */
//@fn expm1 f64 cpu
GND_INLINE g_f64 gnd_expm1_f64(g_f64 x)
{
    g_f64 c;
    g_u64 k;
    const g_f64 d = gnd_clamp_f64(x, -50.0, 712.0), r = gnd_log2rest_f64(d, &c, &k);
    const g_f64 unit = d > 690.0 ? 0.0 : GND_FROM_f64((1023 - k) << 52);
    const g_f64 v = gnd_times2k_f64(gnd_exppart_f64(r, c) + (1.0 - unit), k);
    return gnd_mag_f64(x) < 0x1p-54 ? x : v;
}
/* Below 1 the series; above, half of exp(a) - exp(-a). */
//@fn sinh f64 cpu
GND_INLINE g_f64 gnd_sinh_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), z = a * a, h = gnd_expscaled_f64(gnd_clamp_f64(a, 0.0, 715.0), ~(g_u64)0);
    const g_f64 p = 0x1.5555555555555p-3 + z * (0x1.1111111111111p-7 + z * (0x1.a01a01a01a001p-13
                    + z * (0x1.71de3a556f8e6p-19 + z * (0x1.ae64567936689p-26 + z * (0x1.612467c3ef386p-33
                    + z * (0x1.ae77829710adap-41 + z * 0x1.99eeade88a013p-49))))));
    return gnd_signed_f64(a < 1.0 ? a + a * z * p : h - 0.25 / h, x);
}
//@fn cosh f64 cpu
GND_INLINE g_f64 gnd_cosh_f64(g_f64 x)
{
    const g_f64 h = gnd_expscaled_f64(gnd_clamp_f64(gnd_mag_f64(x), 0.0, 715.0), ~(g_u64)0);
    return h + 0.25 / h;
}
/* Below 0.55 a quotient of polynomials; above, 1 - 2 / (exp(2a) + 1). */
//@fn tanh f64 cpu
GND_INLINE g_f64 gnd_tanh_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), z = a * a;
    const int small = a < 0.55;
    const g_f64 e = gnd_expscaled_f64(gnd_clamp_f64(2.0 * a, 0.0, 60.0), 0);
    const g_f64 num = -0x1.5555555555555p-2 + z * (-0x1.5efc6a11b396ep-6 + z * (-0x1.ff81a5d39a3c5p-13
                      + z * -0x1.2cb13514b0fcep-26));
    const g_f64 den = 1.0 + z * (0x1.db68ed7ceb45ep-2 + z * (0x1.91f6c90c3192ep-6 + z * 0x1.0b5ddde43e549p-12));
    const g_f64 q = (small ? a * z * num : -2.0) / (small ? den : e + 1.0);
    return gnd_signed_f64((small ? a : 1.0) + q, x);
}

/* --- logarithms --------------------------------------------------------------------------------- */

/* m - 1 of a finite x = 2^k m > 0, sqrt(1/2) <= m < sqrt(2). */
//@fn fraction f64 cpu
GND_INLINE g_f64 gnd_fraction_f64(g_f64 x, g_f64 *k)
{
    const int tiny = x < 0x1p-1022;
    const g_f64 y = tiny ? x * 0x1p54 : x;
    const g_u64 u = GND_BITS_f64(y) + (0x3ff0000000000000UL - 0x3fe6a09e667f3bcdUL), e = (u >> 52) - 1023;
    *k = (g_f64)(g_i32)e - (tiny ? 54.0 : 0.0);
    return GND_FROM_f64(GND_BITS_f64(y) - (e << 52)) - 1.0;
}
/* log(1 + f) = f - (f^2/2 - this), by 2 artanh(s), s = f / (2 + f). */
//@fn logrest f64 cpu
GND_INLINE g_f64 gnd_logrest_f64(g_f64 f)
{
    const g_f64 s = f / (2.0 + f), z = s * s;
    const g_f64 p = z * (0x1.5555555555558p-1 + z * (0x1.9999999995277p-2 + z * (0x1.2492492dfc56dp-2
                    + z * (0x1.c71c62d8381e2p-3 + z * (0x1.7462b8431a013p-3 + z * (0x1.39fdee06ba811p-3
                    + z * 0x1.2b5d9bfdc63afp-3))))));
    return s * (0.5 * f * f + p);
}
/* log(1 + f) + c + k log(2). */
//@fn logsum f64 cpu
GND_INLINE g_f64 gnd_logsum_f64(g_f64 f, g_f64 c, g_f64 k)
{
    const g_f64 h = 0.5 * f * f;
    return k * 0x1.62e42feep-1 - ((h - (gnd_logrest_f64(f) + (k * 0x1.a39ef35793c76p-33 + c))) - f);
}
/* log(1 + f) as a value of 21 bits and the remainder. */
//@fn logparts f64 cpu
GND_INLINE g_f64 gnd_logparts_f64(g_f64 f, g_f64 *lo)
{
    const g_f64 h = 0.5 * f * f, hi = gnd_top_f64(f - h);
    *lo = ((f - hi) - h) + gnd_logrest_f64(f);
    return hi;
}

//@fn log f64 cpu
GND_INLINE g_f64 gnd_log_f64(g_f64 x)
{
    g_f64 k;
    const g_f64 f = gnd_fraction_f64(x, &k);
    return gnd_logcases_f64(x, gnd_logsum_f64(f, 0.0, k));
}
//@fn log2 f64 cpu
GND_INLINE g_f64 gnd_log2_f64(g_f64 x)
{
    g_f64 k, lo;
    const g_f64 f = gnd_fraction_f64(x, &k), hi = gnd_logparts_f64(f, &lo), a = hi * 0x1.71547p+0, w = k + a;
    const g_f64 b = (lo + hi) * 0x1.94ae0bf85ddf4p-22 + lo * 0x1.71547p+0;
    return gnd_logcases_f64(x, (b + ((k - w) + a)) + w);
}
//@fn log10 f64 cpu
GND_INLINE g_f64 gnd_log10_f64(g_f64 x)
{
    g_f64 k, lo;
    const g_f64 f = gnd_fraction_f64(x, &k), hi = gnd_logparts_f64(f, &lo), a = hi * 0x1.bcb7bp-2;
    const g_f64 m = k * 0x1.34413p-2, w = m + a;
    const g_f64 b = k * 0x1.427de7fbcc47cp-24 + ((lo + hi) * 0x1.526e50e32a6abp-26 + lo * 0x1.bcb7bp-2);
    return gnd_logcases_f64(x, (b + ((m - w) + a)) + w);
}
/* Of u = 1 + x rounded, and what that lost. */
//@fn log1p f64 cpu
GND_INLINE g_f64 gnd_log1p_f64(g_f64 x)
{
    g_f64 k;
    const g_f64 u = 1.0 + x, c = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0), f = gnd_fraction_f64(u, &k);
    const g_f64 v = gnd_logcases_f64(u, gnd_logsum_f64(f, c / u, k));
    return gnd_mag_f64(x) < 0x1p-54 ? x : v;
}

/* x^y = 2^(y log2|x|), the logarithm and the product as sums of two; the cases are C's (Annex F). From
 * 2^65 on y is as good as infinite. */
//@fn pow f64 cpu
GND_INLINE g_f64 gnd_pow_f64(g_f64 x, g_f64 y)
{
    const g_f64 ax = x < 0.0 ? -x : x, ay = gnd_mag_f64(y), w = gnd_clamp_f64(y, -0x1p65, 0x1p65);
    g_f64 k;
    const g_f64 u = gnd_fraction_f64(ax, &k), m = 1.0 + u;
    /* s + sl = u / (m + 1); log(m) = 2/3 s (3 + s^2 + r) */
    const g_f64 v = 1.0 / (m + 1.0), ss = u * v, s = gnd_top_f64(ss), mh = (m + 1.0 + 0x1.8p31) - 0x1.8p31;
    const g_f64 ml = m - (mh - 1.0), sl = v * ((u - s * mh) - s * ml), z = ss * ss;
    const g_f64 r = z * z * (0x1.3333333333333p-1 + z * (0x1.b6db6db6db7b3p-2 + z * (0x1.555555552fd46p-2
                    + z * (0x1.1745d19c0f379p-2 + z * (0x1.d89d60a28ab3bp-3 + z * (0x1.99a530e2ce1b8p-3
                    + z * (0x1.679d13aa02fa8p-3 + z * 0x1.6828090a648efp-3))))))) + sl * (s + ss);
    const g_f64 s2 = s * s, th = gnd_top_f64(3.0 + s2 + r), tl = r - ((th - 3.0) - s2);
    const g_f64 a = s * th, b = sl * th + tl * ss, ph = gnd_top_f64(a + b), pl = b - (ph - a);
    const g_f64 lh = 0x1.ec709p-1 * ph, ll = 0x1.b87407fae93f8p-22 * ph + pl * 0x1.ec709dc3a03fdp-1;
    const g_f64 l1 = gnd_top_f64((lh + ll) + k), l2 = ll - ((l1 - k) - lh);
    /* 2^(e + f), e the whole product rounded to 21 bits */
    const g_f64 wh = gnd_top_f64(w + (l1 - l1)), f = (w - wh) * l1 + w * l2, e = wh * l1;
    const g_f64 sum = f + e, within = gnd_clamp_f64(sum, -1100.0, 1100.0), t = within + 0x1.8p52;
    const g_f64 n = t - 0x1.8p52;
    const int in = sum == within;
    const g_f64 eh = (in ? e : within) - n, fl = in ? f : 0.0, g = gnd_top_f64(fl + eh);
    const g_f64 gl = (fl - (g - eh)) * 0x1.62e42fefa39efp-1 + g * 0x1.fdf473de6af28p-22, gh = g * 0x1.62e42p-1;
    const g_f64 q = gh + gl, p = gnd_times2k_f64(1.0 + gnd_exppart_f64(q, gl - (q - gh)),
                                               GND_BITS_f64(t) - 0x4338000000000000UL);
    /* whole and odd: from 2^52 on all are whole, from 2^53 on even */
    const g_f64 ty = ay < 0x1p52 ? ay + 0x1p52 : ay;
    const int whole = (ay >= 0x1p52) | (ty - 0x1p52 == ay), odd = whole & (ay < 0x1p53) & (int)(GND_BITS_f64(ty) & 1);
    const g_f64 up = y > 0.0 ? GND_INF_f64 : 0.0, down = y > 0.0 ? 0.0 : GND_INF_f64;
    const g_f64 big = ax > 1.0 ? up : down; /* of an infinite y or x, and of x = 0 */
    const g_f64 abs = ax == 1.0 ? 1.0 : ((ax == 0.0) | (ax >= GND_INF_f64) | (ay == GND_INF_f64)) ? big : p;
    const int minus = GND_BITS_f64(x) >> 63 != 0;
    const g_f64 c = (minus & odd) ? -abs : abs;
    const g_f64 d = (minus & (ax > 0.0) & (ax < GND_INF_f64) & !whole) ? GND_NAN_f64 : c;
    return ((x == 1.0) | (ay == 0.0)) ? 1.0 : ((x != x) | (y != y)) ? x + y : d;
}

/* --- angles ------------------------------------------------------------------------------------- */

/* 54 zero bits, then the bits of 2/pi: the words from 0 on, those from 1 on, from 2 and from 3, so that the words for
 * one exponent are not adjacent. */
//@fn twobypi u64 cpu
__constant g_u64 gnd_twobypi_u64[64] = {
    0x000000000000028bUL, 0xe60db9391054a7f0UL, 0x9d5f47d4d377036dUL, 0x8a5664f10e4107f9UL, 0x458eaf7aef1586dcUL,
    0x91b8e909374b8019UL, 0x24bba827464873f8UL, 0x77ac72c4a69cfba2UL, 0x08d7d4baed1213a6UL, 0x71c09ad17df904e6UL,
    0x4758e60d4ce7d272UL, 0x117e2ef7e4a0ec7fUL, 0xe25fff7816603fbcUL, 0xbc462d6829b47db4UL, 0xd9fb3c9f2c26dd3dUL,
    0x18fd9a797fa8b5d4UL, 0xe60db9391054a7f0UL, 0x9d5f47d4d377036dUL, 0x8a5664f10e4107f9UL, 0x458eaf7aef1586dcUL,
    0x91b8e909374b8019UL, 0x24bba827464873f8UL, 0x77ac72c4a69cfba2UL, 0x08d7d4baed1213a6UL, 0x71c09ad17df904e6UL,
    0x4758e60d4ce7d272UL, 0x117e2ef7e4a0ec7fUL, 0xe25fff7816603fbcUL, 0xbc462d6829b47db4UL, 0xd9fb3c9f2c26dd3dUL,
    0x18fd9a797fa8b5d4UL, 0x9eeb1faf97c5ecf4UL, 0x9d5f47d4d377036dUL, 0x8a5664f10e4107f9UL, 0x458eaf7aef1586dcUL,
    0x91b8e909374b8019UL, 0x24bba827464873f8UL, 0x77ac72c4a69cfba2UL, 0x08d7d4baed1213a6UL, 0x71c09ad17df904e6UL,
    0x4758e60d4ce7d272UL, 0x117e2ef7e4a0ec7fUL, 0xe25fff7816603fbcUL, 0xbc462d6829b47db4UL, 0xd9fb3c9f2c26dd3dUL,
    0x18fd9a797fa8b5d4UL, 0x9eeb1faf97c5ecf4UL, 0x1ce7de294a4ba9afUL, 0x8a5664f10e4107f9UL, 0x458eaf7aef1586dcUL,
    0x91b8e909374b8019UL, 0x24bba827464873f8UL, 0x77ac72c4a69cfba2UL, 0x08d7d4baed1213a6UL, 0x71c09ad17df904e6UL,
    0x4758e60d4ce7d272UL, 0x117e2ef7e4a0ec7fUL, 0xe25fff7816603fbcUL, 0xbc462d6829b47db4UL, 0xd9fb3c9f2c26dd3dUL,
    0x18fd9a797fa8b5d4UL, 0x9eeb1faf97c5ecf4UL, 0x1ce7de294a4ba9afUL, 0xed7ec47e35742158UL
};

/* *x less the nearest integer, which is added to *n. */
//@fn part f64 cpu
GND_INLINE g_f64 gnd_part_f64(g_f64 x, g_f64 *n)
{
    const g_f64 m = 0x1.8p52 + (*n - *n), t = (x + m) - m;
    *n += t;
    return x - t;
}

/* |x| < 2^20: see gnd_isnear_f32. */
//@fn isnear f64 cpu
#define gnd_isnear_f64(x) (gnd_mag_f64(x) < 0x1p20)

/* |x| in quarter turns: the nearest multiple of 1, whose last two bits are in *q, and the rest, which is
 * returned in radians with what it lacks in *lo, right however near x comes to a multiple of pi/2 (2^-61
 * is the nearest). Near: n multiples of pi/2 in parts of 31, 32, 29 and 53 bits (as in msun), of which all
 * but the last give exact products and sums. */
//@fn angle2near f64 cpu
GND_INLINE g_f64 gnd_angle2near_f64(g_f64 x, g_f64 *lo, g_u64 *q)
{
    const g_f64 a = gnd_mag_f64(x), t = a * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = t - 0x1.8p52;
    g_f64 e1, e2;
    const g_f64 y1 = gnd_exactsum_f64(a - n * 0x1.921fb544p+0, n * -0x1.0b4611a6p-34, &e1);
    const g_f64 y2 = gnd_exactsum_f64(y1, n * -0x1.3198a2ep-69, &e2);
    const g_f64 l = e1 + (e2 - n * 0x1.b839a252049c1p-104), y = y2 + l;
    *lo = l - (y - y2);
    *q = GND_BITS_f64(t);
    return y;
}
/* Far: after Payne, Hanek: Radian reduction for trigonometric functions (1983): of |x| = 2^e m
 * the 192 bits of 2^e 2/pi from 2^53 on, in parts of 27 bits, the last of 52 (units 2^27, 1, 2^-27, 2^-54,
 * 2^-81, 2^-133), times m in halves of 26 bits: all products but those of the last are exact, and above
 * 2^53, and in the product of m's first half with the first part, all is a multiple of 4. */
//@fn angle2far f64 cpu
GND_INLINE g_f64 gnd_angle2far_f64(g_f64 x, g_f64 *lo, g_u64 *q)
{
    const g_u64 bits = GND_BITS_f64(x) & 0x7fffffffffffffffUL, be = bits >> 52, e = be > 1023 ? (be - 1023) & 1023 : 0;
    const g_u64 w = e >> 6, s = e & 63;
    const g_u64 t0 = gnd_twobypi_u64[w], t1 = gnd_twobypi_u64[w + 16], t2 = gnd_twobypi_u64[w + 32];
    const g_u64 w0 = t0 << s | t1 >> 1 >> (63 - s);
    const g_f64 d0 = GND_FROM_f64(w0 >> 37 | 0x44e0000000000000UL) - 0x1p79;
    const g_u64 s1 = s + GND_BITS_f64(d0 - d0), w1 = t1 << s1 | t2 >> 1 >> (63 - s1);
    const g_f64 d1 = GND_FROM_f64((w0 >> 10 & 0x7ffffff) | 0x4330000000000000UL) - 0x1p52;
    const g_f64 d2 = GND_FROM_f64((w0 & 1023) << 17 | w1 >> 47 | 0x4180000000000000UL) - 0x1p25;
    const g_f64 d3 = GND_FROM_f64((w1 >> 20 & 0x7ffffff) | 0x3fd0000000000000UL) - 0x1p-2;
    const g_u64 s2 = s + GND_BITS_f64(d2 - d2), w2 = t2 << s2 | gnd_twobypi_u64[w + 48] >> 1 >> (63 - s2);
    const g_f64 d4 = GND_FROM_f64((w1 & 0xfffff) << 7 | w2 >> 57 | 0x3e20000000000000UL) - 0x1p-29;
    const g_f64 d5 = GND_FROM_f64((w2 >> 5 & 0xfffffffffffffUL) | 0x3ae0000000000000UL) - 0x1p-81;
    const g_u64 mb = bits - (e << 52);
    const g_f64 mh = GND_FROM_f64((mb + 0x4000000) & ~(g_u64)0x7ffffff), ml = GND_FROM_f64(mb) - mh;

    g_f64 ec, ed, es, l, n = 0.0;
    const g_f64 a = gnd_part_f64(ml * d0, &n) + gnd_part_f64(mh * d1, &n);
    const g_f64 b = gnd_part_f64(ml * d1, &n) + gnd_part_f64(mh * d2, &n);
    const g_f64 c = gnd_exactsum_f64(ml * d2, mh * d3, &ec);
    const g_f64 d = gnd_exactsum_f64(ml * d3 + (ec - ec), mh * d4, &ed);
    const g_f64 sum = gnd_exactsum_f64(gnd_part_f64(a + b, &n), c, &es), h = gnd_exactsum_f64(sum, d + (es - es), &l);
    const g_f64 low = l + (es + (ec + (ed + (mh * d5 + (ml * d4 + ml * d5))))), r = h + low, rl = low - (r - h);
    *q = GND_BITS_f64(n + 0x1.8p52);
    /* times pi/2 */
    const g_f64 rh = gnd_top_f64(r), yh = rh * 0x1.921fb544p+0;
    const g_f64 yl = rh * 0x1.0b4611a626331p-34 + ((r - rh) + rl) * 0x1.921fb54442d18p+0;
    const g_f64 y = yh + yl;
    *lo = yl - (y - yh);
    return y;
}
//@fn angle2 f64 cpu
GND_INLINE g_f64 gnd_angle2_f64(g_f64 x, g_f64 *lo, g_u64 *q)
{
    g_f64 w, wn;
    g_u64 qn, qf;
    const g_f64 y = gnd_angle2far_f64(x, &w, &qf), yn = gnd_angle2near_f64(x, &wn, &qn);
    *lo = gnd_isnear_f64(x) ? wn : w;
    *q = gnd_isnear_f64(x) ? qn : qf;
    return gnd_isnear_f64(x) ? yn : y;
}

/* sin(y + w) - y and cos(y + w) - *one for |y| <= pi/4 and a little; *one is 1 - y^2/2 rounded. The second
 * waits for p, which the first has computed, lest the compiler make vectors of the two. */
//@fn sinrest f64 cpu
GND_INLINE g_f64 gnd_sinrest_f64(g_f64 y, g_f64 w)
{
    const g_f64 z = y * y;
    return y * z * (-0x1.5555555555555p-3 + z * (0x1.1111111110b81p-7 + z * (-0x1.a01a019e787aep-13
               + z * (0x1.71de3788899bcp-19 + z * (-0x1.ae5ffcd5e1404p-26 + z * 0x1.5e061dec2b5d4p-33)))))
           + (w - 0.5 * z * w);
}
//@fn cosrest f64 cpu
GND_INLINE g_f64 gnd_cosrest_f64(g_f64 y, g_f64 w, g_f64 p, g_f64 *one)
{
    const g_f64 z = y * y + (p - p), h = 0.5 * z, u = 1.0 - h;
    const g_f64 c = 0x1.5555555555555p-5 + z * (-0x1.6c16c16c16951p-10 + z * (0x1.a01a019f4996dp-16
                    + z * (-0x1.27e4fa1168a2fp-22 + z * (0x1.1eeb625630e2ap-29 + z * -0x1.9078fbf56d8aap-37))));
    *one = u;
    return ((1.0 - u) - h) + (z * z * c - y * w);
}
/* sin(y + w) or, when odd, cos(y + w): the same with the coefficients of the one that is wanted. */
//@fn sinorcos f64 cpu
GND_INLINE g_f64 gnd_sinorcos_f64(g_f64 y, g_f64 w, int odd)
{
    const g_f64 z = y * y, h = 0.5 * z, u = 1.0 - h;
    const g_f64 c0 = odd ? 0x1.5555555555555p-5 : -0x1.5555555555555p-3;
    const g_f64 c1 = odd ? -0x1.6c16c16c16951p-10 : 0x1.1111111110b81p-7;
    const g_f64 c2 = odd ? 0x1.a01a019f4996dp-16 : -0x1.a01a019e787aep-13;
    const g_f64 c3 = odd ? -0x1.27e4fa1168a2fp-22 : 0x1.71de3788899bcp-19;
    const g_f64 c4 = odd ? 0x1.1eeb625630e2ap-29 : -0x1.ae5ffcd5e1404p-26;
    const g_f64 c5 = odd ? -0x1.9078fbf56d8aap-37 : 0x1.5e061dec2b5d4p-33;
    const g_f64 p = c0 + z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * c5))));
    const g_f64 rest = (odd ? (1.0 - u) - h : w) - (odd ? y : h) * w;
    return (odd ? u : y) + (z * (odd ? z : y) * p + rest);
}
/* The value of an angle when the function's is v for finite ones. */
//@fn anglecases f64 cpu
#define gnd_anglecases_f64(x, v) (gnd_mag_f64(x) < GND_INF_f64 ? (v) : GND_NAN_f64)

/* The functions of an angle of x, y + w and q quarter turns. */
//@fn sinof f64 cpu
GND_INLINE g_f64 gnd_sinof_f64(g_f64 x, g_f64 y, g_f64 w, g_u64 q)
{
    const g_f64 v = gnd_sinorcos_f64(y, w, q & 1);
    const g_u64 sign = (q << 62 ^ GND_BITS_f64(x)) & 0x8000000000000000UL;
    return gnd_mag_f64(x) < 0x1p-27 ? x : gnd_anglecases_f64(x, GND_FROM_f64(GND_BITS_f64(v) ^ sign));
}
//@fn cosof f64 cpu
GND_INLINE g_f64 gnd_cosof_f64(g_f64 x, g_f64 y, g_f64 w, g_u64 q)
{
    const g_f64 v = gnd_sinorcos_f64(y, w, !(q & 1));
    return gnd_anglecases_f64(x, GND_FROM_f64(GND_BITS_f64(v) ^ ((q + 1) << 62 & 0x8000000000000000UL)));
}
/* sin/cos or -cos/sin, with what both and the quotient lack. */
//@fn tanof f64 cpu
GND_INLINE g_f64 gnd_tanof_f64(g_f64 x, g_f64 y, g_f64 w, g_u64 q)
{
    g_f64 one;
    const g_f64 sr = gnd_sinrest_f64(y, w), cr = gnd_cosrest_f64(y, w, sr, &one);
    const g_f64 s = y + sr, sl = sr - (s - y), c = one + cr, cl = cr - (c - one);
    const g_f64 n = q & 1 ? -c : s, nl = q & 1 ? -cl : sl, d = q & 1 ? s : c, dl = q & 1 ? sl : cl, f = n / d;
    const g_f64 fh = gnd_top_f64(f), ft = f - fh, dx = d * 0x1.0000002p+27, dh = dx - (dx - d), dt = d - dh;
    const g_f64 rest = ((n - fh * dh) - fh * dt - ft * dh) - ft * dt;
    const g_f64 v = f + (rest + (nl - f * dl)) / d;
    const g_f64 z = GND_FROM_f64(GND_BITS_f64(v) ^ (GND_BITS_f64(x) & 0x8000000000000000UL));
    return gnd_mag_f64(x) < 0x1p-27 ? x : gnd_anglecases_f64(x, z);
}

//@fn sin f64 cpu
GND_INLINE g_f64 gnd_sin_f64(g_f64 x)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2_f64(x, &w, &q);
    return gnd_sinof_f64(x, y, w, q);
}
//@fn sinnear f64 cpu
GND_INLINE g_f64 gnd_sinnear_f64(g_f64 x, int *bad)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2near_f64(x, &w, &q);
    *bad |= !gnd_isnear_f64(x);
    return gnd_sinof_f64(x, y, w, q);
}
//@fn cos f64 cpu
GND_INLINE g_f64 gnd_cos_f64(g_f64 x)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2_f64(x, &w, &q);
    return gnd_cosof_f64(x, y, w, q);
}
//@fn cosnear f64 cpu
GND_INLINE g_f64 gnd_cosnear_f64(g_f64 x, int *bad)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2near_f64(x, &w, &q);
    *bad |= !gnd_isnear_f64(x);
    return gnd_cosof_f64(x, y, w, q);
}
//@fn tan f64 cpu
GND_INLINE g_f64 gnd_tan_f64(g_f64 x)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2_f64(x, &w, &q);
    return gnd_tanof_f64(x, y, w, q);
}
//@fn tannear f64 cpu
GND_INLINE g_f64 gnd_tannear_f64(g_f64 x, int *bad)
{
    g_f64 w;
    g_u64 q;
    const g_f64 y = gnd_angle2near_f64(x, &w, &q);
    *bad |= !gnd_isnear_f64(x);
    return gnd_tanof_f64(x, y, w, q);
}

/* --- the cube root ------------------------------------------------------------------------------ */

/* FreeBSD's cbrt: an exponent divided by 3, a polynomial to 23 bits, which are all that is kept, so that the
 * square is exact, and one step of Newton's method to 0.67 ulp. Subnormal numbers times 2^54. */
//@fn cbrt f64 cpu
GND_INLINE g_f64 gnd_cbrt_f64(g_f64 x)
{
    const g_f64 m = gnd_mag_f64(x);
    const int low = m < 0x1p-1022;
    const g_f64 a = low ? m * 0x1p54 : m;
    const g_f64 t0 = GND_FROM_f64((g_u64)((g_u32)(GND_BITS_f64(a) >> 32) / 3 + 715094163) << 32);
    const g_f64 r = (t0 * t0) * (t0 / a);
    const g_f64 p = t0 * ((1.87595182427177009643 + r * (-1.88497979543377169875 + r * 1.621429720105354466140))
                    + r * r * r * (-0.758397934778766047437 + r * 0.145996192886612446982));
    const g_f64 t = GND_FROM_f64((GND_BITS_f64(p) + 0x80000000UL) & 0xffffffffc0000000UL);
    const g_f64 q = a / (t * t), v = (t + t * ((q - t) / (t + t + q))) * (low ? 0x1p-18 : 1.0);
    return m == 0.0 || !(m < GND_INF_f64) ? x : x < 0.0 ? -v : v;
}

/* --- erf ---------------------------------------------------------------------------------------- */

/* Below 1 x times a polynomial of x^2; above, 1 - erfc, which is exp(-x^2) v times a polynomial of
 * v = 1 / (x + 1.5); from 6 on it is 1. */
//@fn erf f64 cpu
GND_INLINE g_f64 gnd_erf_f64(g_f64 x)
{
    const g_f64 b = gnd_mag_f64(x), a = b > 6.0 ? 6.0 : b, z = a * a;
    const g_f64 small = 0x1.06eba8214db69p-3 + z * (-0x1.812746b0379e7p-2 + z * (0x1.ce2f21a042bd6p-4
                + z * (-0x1.b82ce31288259p-6 + z * (0x1.565bcd0e40e46p-8 + z * (-0x1.c02db3f3daa71p-11
                + z * (0x1.f9a324c7cff66p-14 + z * (-0x1.f4d21cfd8a281p-17 + z * (0x1.b9e2157644e61p-20
                + z * (-0x1.5f381ac225793p-23 + z * (0x1.f8c7455f6549bp-27 + z * (-0x1.3bf2490da0707p-30
                + z * 0x1.0f09bbe070f8bp-34)))))))))));
    const g_f64 v = 1.0 / (a + 1.5), t = v - 0.27;
    const g_f64 c = 0x1.be1c43c33357ap-1 + t * (0x1.6c348196ccc83p+0 + t * (0x1.cecfcdcf019bcp-1
                + t * (-0x1.07c8b42733db7p+0 + t * (-0x1.61730f78de8cdp+0 + t * (0x1.0f7df66510ffap+1
                + t * (0x1.b2b6d5e4eaf8cp+0 + t * (-0x1.8712cce593a92p+2 + t * (0x1.b6debcc46dec1p+0
                + t * (0x1.cf18eb1a68a1ap+3 + t * (-0x1.83b435983c304p+4 + t * (-0x1.0070c01c7c8c7p+3
                + t * (0x1.6b1ddeedc5b7ep+6 + t * (-0x1.0acb29acf6735p+7 + t * (-0x1.38a973a4f6188p+6
                + t * (0x1.4964a11c034f8p+9 + t * (-0x1.555d47826548bp+9 + t * -0x1.234b00befaedfp+10))))))))))))))));
    const g_f64 y = a < 1.0 ? a + a * small : 1.0 - gnd_expscaled_f64(-z, 0) * v * c;
    return gnd_signed_f64(y, x);
}
