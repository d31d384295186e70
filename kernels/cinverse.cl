/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cinverse.cl - inverse complex trigonometric and hyperbolic functions: T. E. Hull, T. F.
 * Fairgrieve and P. T. P. Tang, "Implementing the complex arcsine and arccosine functions using
 * exception handling" (1997), with the thresholds and special cases of FreeBSD's catrig (S.
 * Montgomery-Smith). Branch cuts and signs of zeros as C11 Annex G; errors are a few ulp of the
 * modulus.
 */

/* The spacing of floats at 1, the square root of the smallest normal number times 4, and below what
 * f(z) is z for asin and atan: sqrt(6 epsilon) / 4. */
//@fn eps f32
#define gnd_eps_f32() 1.1920929e-07f
//@fn eps f64
#define gnd_eps_f64() 2.220446049250313e-16
//@fn sqrtmin f32
#define gnd_sqrtmin_f32() 4.3368087e-19f
//@fn sqrtmin f64
#define gnd_sqrtmin_f64() 5.966672584960165e-154
//@fn smallarc f32
#define gnd_smallarc_f32() 2.1143198e-04f
//@fn smallarc f64
#define gnd_smallarc_f64() 9.125168145001835e-09

/* (hypot(a, b) - b) / 2 without cancellation; h is hypot(a, b). */
//@fn arcf f
GND_FN $T gnd_arcf_$t($T a, $T b, $T h)
{
    if (b < 0.0$f)
        return (h - b) * 0.5$f;
    if (b == 0.0$f)
        return a * 0.5$f;
    return a * a / (h + b) * 0.5$f;
}

/* For x, y >= 0, not both small, neither large: with R = |z + i|, S = |z - i|, A = (R + S) / 2 and
 * B = y / A: *rx = gnd_log_$t(A + sqrt(A^2 - 1)), the real part of asinh(x + iy). Returns 1 and B in *q
 * where the imaginary part is asin(B); else 0, and it is atan2(*ny, *q). */
//@fn archard f
GND_FN g_b gnd_archard_$t($T x, $T y, $T *rx, $T *q, $T *ny)
{
    const $T eps = gnd_eps_$t();
    const $T r = gnd_hypot_$t(x, y + 1.0$f), s = gnd_hypot_$t(x, y - 1.0$f);
    const $T a = fmax((r + s) * 0.5$f, 1.0$f);
    if (a >= 10.0$f)
        *rx = gnd_log_$t(a + sqrt(a * a - 1.0$f));
    else if (y == 1.0$f && x < eps * eps / 128.0$f)
        *rx = sqrt(x);
    else if (x >= eps * fabs(y - 1.0$f)) {
        const $T am1 = gnd_arcf_$t(x, 1.0$f + y, r) + gnd_arcf_$t(x, 1.0$f - y, s);
        *rx = gnd_log1p_$t(am1 + sqrt(am1 * (a + 1.0$f)));
    } else if (y < 1.0$f)
        *rx = x / sqrt((1.0$f - y) * (1.0$f + y));
    else
        *rx = gnd_log1p_$t((y - 1.0$f) + sqrt((y - 1.0$f) * (y + 1.0$f)));

    *ny = y;
    if (y < gnd_sqrtmin_$t()) {
        *q = a * (2.0$f / eps);
        *ny = y * (2.0$f / eps);
        return 0;
    }
    *q = y / a;
    if (*q <= 0.6417$f)
        return 1;
    if (y == 1.0$f && x < eps / 128.0$f)
        *q = sqrt(x) * sqrt((a + y) * 0.5$f);
    else if (x >= eps * fabs(y - 1.0$f)) {
        const $T amy = gnd_arcf_$t(x, y + 1.0$f, r) + gnd_arcf_$t(x, y - 1.0$f, s);
        *q = sqrt(amy * (a + y));
    } else if (y > 1.0$f) {
        *q = x * (4.0$f / eps / eps) * y / sqrt((y + 1.0$f) * (y - 1.0$f));
        *ny = y * (4.0$f / eps / eps);
    } else
        *q = sqrt((1.0$f - y) * (1.0$f + y));
    return 0;
}

//@fn asinh c
GND_FN $T gnd_asinh_$t($T z)
{
    const $R x = z.x, y = z.y, ax = fabs(x), ay = fabs(y);
    if (gnd_isnan_$t(z)) {
        if (ax == GND_INF_$r)
            return z;
        if (ay == GND_INF_$r)
            return gnd_cplx_$t(y, x);
        return gnd_cplx_$t(GND_NAN_$r, y == 0.0$f ? y : GND_NAN_$r);
    }
    if (fmax(ax, ay) > 1.0$f / gnd_eps_$r()) { /* log(2 |z|) */
        const $T w = gnd_log_$t(gnd_cplx_$t(ax, ay));
        return gnd_cplx_$t(copysign(w.x + 0.693147180559945309417$f, x), copysign(w.y, y));
    }
    if (fmax(ax, ay) < gnd_smallarc_$r())
        return z;
    $R rx, q, ny;
    const g_b b = gnd_archard_$r(ax, ay, &rx, &q, &ny);
    return gnd_cplx_$t(copysign(rx, x), copysign(b ? gnd_asin_$r(q) : gnd_atan2_$r(ny, q), y));
}
//@fn asin c
GND_FN $T gnd_asin_$t($T z)
{
    const $T w = gnd_asinh_$t(gnd_cplx_$t(z.y, z.x));
    return gnd_cplx_$t(w.y, w.x);
}
//@fn acos c
GND_FN $T gnd_acos_$t($T z)
{
    const $R x = z.x, y = z.y, ax = fabs(x), ay = fabs(y);
    const $R pi_2 = 1.57079632679489661923$f, sy = copysign(1.0$f, y);
    if (gnd_isnan_$t(z)) {
        if (ax == GND_INF_$r)
            return gnd_cplx_$t(GND_NAN_$r, -GND_INF_$r);
        if (ay == GND_INF_$r)
            return gnd_cplx_$t(GND_NAN_$r, -y);
        return gnd_cplx_$t(x == 0.0$f ? pi_2 : GND_NAN_$r, GND_NAN_$r);
    }
    if (fmax(ax, ay) > 1.0$f / gnd_eps_$r()) {
        const $T w = gnd_log_$t(z);
        return gnd_cplx_$t(fabs(w.y), -sy * (w.x + 0.693147180559945309417$f));
    }
    if (x == 1.0$f && y == 0.0$f)
        return gnd_cplx_$t(0.0$f, -y);
    if (fmax(ax, ay) < gnd_smallarc_$r())
        return gnd_cplx_$t(pi_2 - x, -y);
    $R ry, q, nx;
    const g_b b = gnd_archard_$r(ay, ax, &ry, &q, &nx);
    const $R sx = copysign(1.0$f, x);
    return gnd_cplx_$t(b ? gnd_acos_$r(sx * q) : gnd_atan2_$r(q, sx * nx), -sy * ry);
}
//@fn acosh c
GND_FN $T gnd_acosh_$t($T z)
{
    const $T w = gnd_acos_$t(z);
    if (w.x != w.x)
        return gnd_cplx_$t(w.y != w.y ? w.y : fabs(w.y), w.x);
    if (w.y != w.y)
        return gnd_cplx_$t(w.y, z.x == 0.0$f && z.y != z.y ? w.x : w.y);
    return gnd_cplx_$t(fabs(w.y), copysign(w.x, z.y));
}

/* log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2, for x, y >= 0. */
//@fn atanh c
GND_FN $T gnd_atanh_$t($T z)
{
    const $R x = z.x, y = z.y, ax = fabs(x), ay = fabs(y);
    const $R pi_2 = 1.57079632679489661923$f, eps = gnd_eps_$r();
    if (y == 0.0$f && ax <= 1.0$f)
        return gnd_cplx_$t(gnd_atanh_$r(x), y);
    if (x == 0.0$f)
        return gnd_cplx_$t(x, gnd_atan_$r(y));
    if (ax == GND_INF_$r || ay == GND_INF_$r)
        return gnd_cplx_$t(copysign(0.0$f, x), y == y ? copysign(pi_2, y) : y);
    if (gnd_isnan_$t(z))
        return gnd_cplx_$t(GND_NAN_$r, GND_NAN_$r);
    if (fmax(ax, ay) > 1.0$f / eps)
        return gnd_cplx_$t(copysign(gnd_re_$t(gnd_recip_$t(z)), x), copysign(pi_2, y));
    if (fmax(ax, ay) < gnd_smallarc_$r())
        return z;
    $R rx, ry;
    if (ax == 1.0$f && ay < eps)
        rx = (0.693147180559945309417$f - gnd_log_$r(ay)) * 0.5$f;
    else {
        const $R d = ax - 1.0$f;
        rx = gnd_log1p_$r(4.0$f * ax / (ay < gnd_sqrtmin_$r() ? d * d : d * d + ay * ay)) * 0.25$f;
    }
    if (ax == 1.0$f)
        ry = gnd_atan2_$r(2.0$f, -ay) * 0.5$f;
    else if (ay < eps)
        ry = gnd_atan2_$r(2.0$f * ay, (1.0$f - ax) * (1.0$f + ax)) * 0.5$f;
    else
        ry = gnd_atan2_$r(2.0$f * ay, (1.0$f - ax) * (1.0$f + ax) - ay * ay) * 0.5$f;
    return gnd_cplx_$t(copysign(rx, x), copysign(ry, y));
}
//@fn atan c
GND_FN $T gnd_atan_$t($T z)
{
    const $T w = gnd_atanh_$t(gnd_cplx_$t(z.y, z.x));
    return gnd_cplx_$t(w.y, w.x);
}
