/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cexp.cl - complex square root, exponentials, logarithms and powers. Special cases as C11 Annex G;
 * errors are a few ulp of the modulus of the result.
 */

/* Square root in the right half plane, the sign of the imaginary part kept (Kahan, "Branch cuts for
 * complex elementary functions", 1987; special cases as FreeBSD's csqrt). Scaled by powers of 4. */
//@fn sqrt c
GND_FN $T gnd_sqrt_$t($T z)
{
    $R x = z.x, y = z.y, s = 1.0$f;
    if (fabs(y) == GND_INF_$r)
        return gnd_cplx_$t(GND_INF_$r, y);
    if (x == 0.0$f && y == 0.0$f)
        return gnd_cplx_$t(0.0$f, y);
    if (fabs(x) == GND_INF_$r) {
        if (x > 0.0$f)
            return gnd_cplx_$t(x, y == y ? copysign(0.0$f, y) : y);
        return gnd_cplx_$t(y == y ? 0.0$f : y, copysign(GND_INF_$r, y));
    }
    if (x != x || y != y)
        return gnd_cplx_$t(x + y, x + y);
    const $R m = fmax(fabs(x), fabs(y));
    if (m >= gnd_divbig_$r()) {
        x *= 0.0625$f;
        y *= 0.0625$f;
        s = 4.0$f;
    } else if (m <= gnd_divtiny_$r()) { /* 2^26 squared, 2^54 squared */
        const $R up = gnd_sqrtup_$r();
        x *= up * up;
        y *= up * up;
        s = 1.0$f / up;
    }
    const $R t = sqrt((fabs(x) + gnd_hypot_$r(x, y)) * 0.5$f), q = fabs(y) / (2.0$f * t);
    return x >= 0.0$f ? gnd_cplx_$t(t * s, copysign(q * s, y))
                      : gnd_cplx_$t(q * s, copysign(t * s, y));
}
//@fn sqrtup f32
#define gnd_sqrtup_f32() 67108864.0f
//@fn sqrtup f64
#define gnd_sqrtup_f64() 18014398509481984.0

/* e^x (cos y + i sin y), where e^x alone may overflow. */
//@fn exp c
GND_FN $T gnd_exp_$t($T z)
{
    const $R x = z.x, y = z.y;
    if (y == 0.0$f)
        return gnd_cplx_$t(gnd_exp_$r(x), y);
    if (!(fabs(y) < GND_INF_$r)) {
        if (x == -GND_INF_$r)
            return gnd_cplx_$t(0.0$f, copysign(0.0$f, y));
        return gnd_cplx_$t(x == GND_INF_$r ? x : GND_NAN_$r, GND_NAN_$r);
    }
    const $R c = gnd_cos_$r(y), s = gnd_sin_$r(y);
    if (x > gnd_expmax_$r()) {
        const $R h = gnd_exp_$r(x * 0.5$f);
        return gnd_cplx_$t(c * h * h, s * h * h);
    }
    const $R e = gnd_exp_$r(x);
    return gnd_cplx_$t(e * c, e * s);
}
/* exp and cosh of anything up to this do not overflow. */
//@fn expmax f32
#define gnd_expmax_f32() 88.0f
//@fn expmax f64
#define gnd_expmax_f64() 709.0

/* exp(z) - 1: the real part is expm1(x) cos(y) - 2 sin(y/2)^2 (W. Kahan; NumPy). At -0 it is 0, not -0 (the standard),
 * and at -inf exactly -1. */
//@fn expm1 c
GND_FN $T gnd_expm1_$t($T z)
{
    const $R x = z.x, y = z.y;
    if (y == 0.0$f)
        return gnd_cplx_$t(gnd_expm1_$r(x) + 0.0$f, y);
    if (x > 1.0$f || x == -GND_INF_$r || !(fabs(y) < GND_INF_$r)) {
        const $T e = gnd_exp_$t(z);
        return gnd_cplx_$t(e.x - 1.0$f, e.y);
    }
    const $R h = gnd_sin_$r(y * 0.5$f);
    return gnd_cplx_$t(gnd_expm1_$r(x) * gnd_cos_$r(y) - 2.0$f * h * h, gnd_exp_$r(x) * gnd_sin_$r(y));
}

/* log |z| + i arg z. Near |z| = 1, log |z| = log1p(|z|^2 - 1) / 2. What cancels there is below the
 * imaginary part. */
//@fn log c
GND_FN $T gnd_log_$t($T z)
{
    const $R a = fmax(fabs(z.x), fabs(z.y)), b = fmin(fabs(z.x), fabs(z.y));
    const $R arg = gnd_atan2_$r(z.y, z.x);
    $R m;
    if (gnd_isnan_$t(z))
        m = gnd_hypot_$r(z.x, z.y);
    else if (a >= 0.5$f && a <= 2.0$f)
        m = gnd_log1p_$r((a - 1.0$f) * (a + 1.0$f) + b * b) * 0.5$f;
    else if (a >= gnd_divbig_$r())
        m = gnd_log_$r(gnd_hypot_$r(a * 0.0625$f, b * 0.0625$f)) + 2.77258872223978123767$f;
    else if (a <= gnd_divtiny_$r()) {
        const $R up = gnd_sqrtup_$r();
        m = gnd_log_$r(gnd_hypot_$r(a * up, b * up)) - gnd_log_$r(up);
    } else
        m = gnd_log_$r(gnd_hypot_$r(a, b));
    return gnd_cplx_$t(m, arg);
}
//@fn log2 c
GND_FN $T gnd_log2_$t($T z)
{
    const $T l = gnd_log_$t(z);
    return gnd_cplx_$t(l.x * 1.44269504088896340736$f, l.y * 1.44269504088896340736$f);
}
//@fn log10 c
GND_FN $T gnd_log10_$t($T z)
{
    const $T l = gnd_log_$t(z);
    return gnd_cplx_$t(l.x * 0.434294481903251827651$f, l.y * 0.434294481903251827651$f);
}
/* log(1 + z); for small z the real part is log1p(2x + x^2 + y^2) / 2. */
//@fn log1p c
GND_FN $T gnd_log1p_$t($T z)
{
    if (fabs(z.x) < 0.5$f && fabs(z.y) < 0.5$f)
        return gnd_cplx_$t(gnd_log1p_$r(z.x * (2.0$f + z.x) + z.y * z.y) * 0.5$f, gnd_atan2_$r(z.y, 1.0$f + z.x));
    return gnd_log_$t(gnd_cplx_$t(1.0$f + z.x, z.y));
}

/* a^b as NumPy 2: a^0 is 1; 0^b is 0 where Re(b) > 0, else NaN; whole real exponents below 100 by
 * squaring; others exp(b log a), with an error that grows as |b log a|. */
//@fn pow c
GND_FN $T gnd_pow_$t($T a, $T b)
{
    if (b.x == 0.0$f && b.y == 0.0$f)
        return gnd_cplx_$t(1.0$f, 0.0$f);
    if (a.x == 0.0$f && a.y == 0.0$f) {
        if (b.x > 0.0$f)
            return gnd_cplx_$t(0.0$f, 0.0$f);
        return gnd_cplx_$t(GND_NAN_$r, GND_NAN_$r);
    }
    if (b.y == 0.0$f && fabs(b.x) < 100.0$f && rint(b.x) == b.x) {
        g_i32 n = (g_i32)fabs(b.x);
        $T r = a;
        if (n == 2)
            r = gnd_mul_$t(a, a);
        else if (n == 3)
            r = gnd_mul_$t(a, gnd_mul_$t(a, a));
        else if (n > 3) {
            r = gnd_cplx_$t(1.0$f, 0.0$f);
            for ($T p = a;; p = gnd_mul_$t(p, p)) {
                if (n & 1)
                    r = gnd_mul_$t(r, p);
                n >>= 1;
                if (n == 0)
                    break;
            }
        }
        return b.x < 0.0$f ? gnd_recip_$t(r) : r;
    }
    return gnd_exp_$t(gnd_mul_$t(b, gnd_log_$t(a)));
}
