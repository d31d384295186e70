/* SPDX-License-Identifier: BSD-3-Clause
 *
 * complex.cl - complex arithmetic and comparison. Errors are relative to the modulus of the result.
 */

//@fn add c
#define gnd_add_$t(a, b) ((a) + (b))
//@fn sub c
#define gnd_sub_$t(a, b) ((a) - (b))

/* The plain formula, as NumPy: an infinite factor may give NaN parts (no C99 Annex G). 2 ulp. */
//@fn mul c
GND_FN $T gnd_mul_$t($T a, $T b)
{
    return gnd_cplx_$t(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* (a + b*d/c) * t, where r is d/c: the real part of (a + ib) / (c + id) when |d| <= |c|. */
//@fn divpart c
GND_FN $R gnd_divpart_$t($R a, $R b, $R c, $R d, $R r, $R t)
{
    const $R br = b * r;
    if (br != 0.0$f || b == 0.0$f || d == 0.0$f)
        return (a + br) * t;
    return r != 0.0$f ? a * t + b * t * r : (a + d * (b / c)) * t;
}
//@fn divsmith c
GND_FN $T gnd_divsmith_$t($T z, $T w)
{
    if (fabs(w.y) <= fabs(w.x)) {
        const $R r = w.y / w.x, t = 1.0$f / (w.x + w.y * r);
        return gnd_cplx_$t(gnd_divpart_$t(z.x, z.y, w.x, w.y, r, t),
                           gnd_divpart_$t(z.y, -z.x, w.x, w.y, r, t));
    }
    const $R r = w.x / w.y, t = 1.0$f / (w.y + w.x * r);
    return gnd_cplx_$t(gnd_divpart_$t(z.y, z.x, w.y, w.x, r, t),
                       -gnd_divpart_$t(z.x, -z.y, w.y, w.x, r, t));
}
/* Limits for scaling: the largest number over 16, the smallest normal one times 2 / epsilon, and
 * 2 / epsilon^2, a power of two. */
//@fn divbig f32
#define gnd_divbig_f32() 2.1267647e+37f
//@fn divbig f64
#define gnd_divbig_f64() 1.1235582092889474e+307
//@fn divtiny f32
#define gnd_divtiny_f32() 1.9721523e-31f
//@fn divtiny f64
#define gnd_divtiny_f64() 2.0041683600089728e-292
//@fn divup f32
#define gnd_divup_f32() 140737488355328.0f
//@fn divup f64
#define gnd_divup_f64() 40564819207303340847894502572032.0

/* Smith's algorithm with the scaling of M. Baudin and R. L. Smith, "A robust complex division in
 * Scilab" (2012), figure 10: no overflow or underflow on the way. 4 ulp. By zero: the parts by
 * +0, as NumPy. Infinities as NumPy: by an infinite real or imaginary part zero, otherwise NaN. */
//@fn div c
GND_FN $T gnd_div_$t($T z, $T w)
{
    const $R ab = fmax(fabs(z.x), fabs(z.y)), cd = fmax(fabs(w.x), fabs(w.y));
    const $R big = gnd_divbig_$r(), tiny = gnd_divtiny_$r(), up = gnd_divup_$r();
    if (cd == 0.0$f && w.x == w.x && w.y == w.y)
        return gnd_cplx_$t(z.x / cd, z.y / cd);
    if (ab < big && cd < big && ab > tiny && cd > tiny)
        return gnd_divsmith_$t(z, w);
    $R s = 1.0$f;
    if (ab >= big) {
        z = gnd_cplx_$t(z.x * 0.0625$f, z.y * 0.0625$f);
        s = 16.0$f;
    } else if (ab <= tiny) {
        z = gnd_cplx_$t(z.x * up, z.y * up);
        s = 1.0$f / up;
    }
    if (cd >= big) {
        w = gnd_cplx_$t(w.x * 0.0625$f, w.y * 0.0625$f);
        s *= 0.0625$f;
    } else if (cd <= tiny) {
        w = gnd_cplx_$t(w.x * up, w.y * up);
        s *= up;
    }
    z = gnd_divsmith_$t(z, w);
    return gnd_cplx_$t(z.x * s, z.y * s);
}
/* 1 / z by Smith's formula, scaled where z is near the end of the range. NaN for 0, as NumPy.
 * 4 ulp. */
//@fn recip c
GND_FN $T gnd_recip_$t($T z)
{
    const $R s = fmax(fabs(z.x), fabs(z.y)) >= gnd_divbig_$r() ? 0.0625$f : 1.0$f;
    const $R x = z.x * s, y = z.y * s;
    if (fabs(y) <= fabs(x)) {
        const $R r = y / x, d = x + y * r;
        return gnd_cplx_$t(s / d, -r / d * s);
    }
    const $R r = x / y, d = x * r + y;
    return gnd_cplx_$t(r / d * s, -s / d);
}

/* The modulus: inf when either part is infinite, NaN or not. */
//@fn abs c
#define gnd_abs_$t(z) gnd_hypot_$r((z).x, (z).y)

//@fn conj c
GND_FN $T gnd_conj_$t($T z)
{
    return gnd_cplx_$t(z.x, -z.y);
}

/* z / |z|, 0 for 0; as NumPy 2: of an infinite part its sign, NaN when both are infinite or either
 * is NaN. Scaled by 2^-4 or 2^k so that |z| fits. 2 ulp. */
//@fn sign c
GND_FN $T gnd_sign_$t($T z)
{
    const $R m = fmax(fabs(z.x), fabs(z.y));
    if (z.x != z.x || z.y != z.y || (fabs(z.x) == fabs(z.y) && m == GND_INF_$r))
        return gnd_cplx_$t(GND_NAN_$r, GND_NAN_$r);
    if (m == 0.0$f)
        return gnd_cplx_$t(0.0$f, 0.0$f);
    if (m == GND_INF_$r)
        return gnd_cplx_$t(fabs(z.x) == m ? copysign(1.0$f, z.x) : 0.0$f,
                           fabs(z.y) == m ? copysign(1.0$f, z.y) : 0.0$f);
    const $R s = m >= gnd_divbig_$r() ? 0.0625$f : m <= gnd_divtiny_$r() ? gnd_divup_$r() : 1.0$f;
    z = gnd_cplx_$t(z.x * s, z.y * s);
    const $R a = gnd_hypot_$r(z.x, z.y);
    return gnd_cplx_$t(z.x / a, z.y / a);
}

//@fn round c
GND_FN $T gnd_round_$t($T z)
{
    return gnd_cplx_$t(rint(z.x), rint(z.y));
}

/* Comparisons: by real, then by imaginary part; false when a part that counts is NaN (NumPy). */
//@fn eq c
GND_FN g_b gnd_eq_$t($T a, $T b)
{
    return a.x == b.x && a.y == b.y;
}
//@fn lt c
GND_FN g_b gnd_lt_$t($T a, $T b)
{
    return (a.x < b.x && a.y == a.y && b.y == b.y) || (a.x == b.x && a.y < b.y);
}
//@fn le c
GND_FN g_b gnd_le_$t($T a, $T b)
{
    return (a.x < b.x && a.y == a.y && b.y == b.y) || (a.x == b.x && a.y <= b.y);
}

//@fn isnan c
GND_FN g_b gnd_isnan_$t($T z)
{
    return z.x != z.x || z.y != z.y;
}
//@fn isinf c
GND_FN g_b gnd_isinf_$t($T z)
{
    return fabs(z.x) == GND_INF_$r || fabs(z.y) == GND_INF_$r;
}
//@fn isfinite c
GND_FN g_b gnd_isfinite_$t($T z)
{
    return fabs(z.x) < GND_INF_$r && fabs(z.y) < GND_INF_$r;
}

/* The larger and the smaller one in that order; the first NaN when there is one. */
//@fn max c
GND_FN $T gnd_max_$t($T a, $T b)
{
    return gnd_isnan_$t(a) || gnd_le_$t(b, a) ? a : b;
}
//@fn min c
GND_FN $T gnd_min_$t($T a, $T b)
{
    return gnd_isnan_$t(a) || gnd_le_$t(a, b) ? a : b;
}
//@fn clip c
GND_FN $T gnd_clip_$t($T z, $T lo, $T hi)
{
    return gnd_min_$t(gnd_max_$t(z, lo), hi);
}

//@fn where c
GND_FN $T gnd_where_$t(g_b c, $T a, $T b)
{
    if (c)
        return a;
    return b;
}
