/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ctrig.cl - complex hyperbolic functions, and the trigonometric ones from them: sin z is
 * -i sinh(iz), and so on. Special cases as C11 Annex G; errors are a few ulp of the modulus.
 */

/* sinh x cos y + i cosh x sin y; where cosh x overflows, e^(|x|/2) is multiplied in twice. */
//@fn sinh c
GND_FN $T gnd_sinh_$t($T z)
{
    const $R x = z.x, y = z.y;
    if (y == 0.0$f)
        return gnd_cplx_$t(gnd_sinh_$r(x), y);
    if (!(fabs(y) < GND_INF_$r))
        return gnd_cplx_$t(x == 0.0$f || fabs(x) == GND_INF_$r ? x : GND_NAN_$r, GND_NAN_$r);
    const $R c = gnd_cos_$r(y), s = gnd_sin_$r(y);
    if (fabs(x) > gnd_expmax_$r()) {
        const $R h = gnd_exp_$r(fabs(x) * 0.5$f), k = h * 0.5$f;
        return gnd_cplx_$t(copysign(1.0$f, x) * c * k * h, s * k * h);
    }
    return gnd_cplx_$t(gnd_sinh_$r(x) * c, gnd_cosh_$r(x) * s);
}
/* cosh x cos y + i sinh x sin y. */
//@fn cosh c
GND_FN $T gnd_cosh_$t($T z)
{
    const $R x = z.x, y = z.y;
    if (y == 0.0$f)
        return gnd_cplx_$t(gnd_cosh_$r(x), copysign(1.0$f, x) * y);
    if (!(fabs(y) < GND_INF_$r)) {
        if (x == 0.0$f)
            return gnd_cplx_$t(GND_NAN_$r, x);
        return gnd_cplx_$t(fabs(x) == GND_INF_$r ? GND_INF_$r : GND_NAN_$r, GND_NAN_$r);
    }
    const $R c = gnd_cos_$r(y), s = gnd_sin_$r(y);
    if (fabs(x) > gnd_expmax_$r()) {
        const $R h = gnd_exp_$r(fabs(x) * 0.5$f), k = h * 0.5$f;
        return gnd_cplx_$t(c * k * h, copysign(1.0$f, x) * s * k * h);
    }
    return gnd_cplx_$t(gnd_cosh_$r(x) * c, gnd_sinh_$r(x) * s);
}
/* Kahan's formula ("Branch cuts ...", 1987) by the tangent of y: with t = tan y, s = sinh x and
 * d = 1 + (1 + t^2) s^2: (1 + t^2) sqrt(1 + s^2) s / d + i t / d. */
//@fn tanh c
GND_FN $T gnd_tanh_$t($T z)
{
    const $R x = z.x, y = z.y;
    if (x != x)
        return gnd_cplx_$t(x, y == 0.0$f ? y : x);
    if (!(fabs(y) < GND_INF_$r)) {
        if (fabs(x) == GND_INF_$r)
            return gnd_cplx_$t(copysign(1.0$f, x), copysign(0.0$f, y));
        return gnd_cplx_$t(x == 0.0$f ? x : GND_NAN_$r, GND_NAN_$r);
    }
    if (fabs(x) > gnd_tanhmax_$r()) {
        const $R e = gnd_exp_$r(-fabs(x));
        return gnd_cplx_$t(copysign(1.0$f, x), 4.0$f * gnd_sin_$r(y) * gnd_cos_$r(y) * e * e);
    }
    const $R t = gnd_tan_$r(y), b = 1.0$f + t * t, s = gnd_sinh_$r(x), d = 1.0$f + b * s * s;
    return gnd_cplx_$t(b * sqrt(1.0$f + s * s) * s / d, t / d);
}
/* Beyond this the real part is 1. */
//@fn tanhmax f32
#define gnd_tanhmax_f32() 11.0f
//@fn tanhmax f64
#define gnd_tanhmax_f64() 22.0

//@fn sin c
GND_FN $T gnd_sin_$t($T z)
{
    const $T w = gnd_sinh_$t(gnd_cplx_$t(z.y, z.x));
    return gnd_cplx_$t(w.y, w.x);
}
//@fn cos c
GND_FN $T gnd_cos_$t($T z)
{
    return gnd_cosh_$t(gnd_cplx_$t(-z.y, z.x));
}
//@fn tan c
GND_FN $T gnd_tan_$t($T z)
{
    const $T w = gnd_tanh_$t(gnd_cplx_$t(z.y, z.x));
    return gnd_cplx_$t(w.y, w.x);
}
