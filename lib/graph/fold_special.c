/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/fold_special.c - operations beyond the Array API standard on float host scalars: by C's
 * functions, or if there is none by series and Newton's method in long double, which are slower
 * than kernels/special.cl and independent of it. See fold.c.
 */
#include "graph/fold.h"

#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;
static const long double root_half = 0.707106781186547524400844362104849039L; /* sqrt(1/2) */

static int set_f(gnd__scalar *out, double v)
{
    *out = (gnd__scalar){.kind = 'f', .re = v};
    return 0;
}

static int set_i(gnd__scalar *out, int kind, int64_t v)
{
    *out = (gnd__scalar){.kind = kind};
    out->i = v;
    return 0;
}

static double sinc(double x)
{
    long double r = remainderl(x, 2), s; /* in [-1, 1], exact */
    if (x == 0)
        return 1;
    s = fabsl(r) <= 0.5L ? sinl(pi * r) : copysignl(sinl(pi * (1 - fabsl(r))), r);
    return (double)(s / (pi * x)) + 0.0; /* no -0 */
}

/* sum (x^2 / 4)^k / k!^2, all terms positive. */
static double bessel_i0(double x)
{
    long double y = (long double)x * x / 4, term = 1, sum = 1;
    if (fabs(x) > 720) /* beyond float64; NaN is kept */
        return fabs(x) * INFINITY;
    for (int k = 1; term > sum * 1e-22L; k++)
        sum += term *= y / ((long double)k * k);
    return (double)sum;
}

/* Uses digamma(x) = digamma(x + 1) - 1 / x up to 20, then the asymptotic series
 * (kernels/special.cl). */
static double digamma(double x)
{
    static const long double b[] = {1 / 12.0L,   -1 / 120.0L,     1 / 252.0L,
                                    -1 / 240.0L, 1 / 132.0L,      -691 / 32760.0L,
                                    1 / 12.0L,   -3617 / 8160.0L, 43867 / 14364.0L};
    long double v = x, s = 0;
    if (x == 0)
        return copysign(INFINITY, -x);
    if (isnan(x) || x == INFINITY)
        return x;
    if (x < 0) {
        long double f = remainderl(x, 1); /* NaN for -inf */
        if (f == 0 || isnan(f))
            return NAN;
        s = -pi / tanl(pi * f);
        v = 1 - v;
    }
    for (; v < 20; v += 1)
        s -= 1 / v;
    long double z = 1 / (v * v), p = 0;
    for (int k = 8; k >= 0; k--)
        p = (p + b[k]) * z;
    return (double)(s + (logl(v) - 0.5L / v - p));
}

/* The z >= 0 with erfc(z) = y, where 0 < y <= 1 and y = 1 - x. Newton's method on log(erfc(z)),
 * which is concave, so that it converges from any start; near 0 on erf(z) = x. */
static long double inverse(long double x, long double y)
{
    const long double slope = 2 / sqrtl(pi);
    long double z = x < 0.5L ? x / slope : sqrtl(fmaxl(-logl(y) - 1, 0));
    for (int i = 0; i < 60; i++) {
        long double d, c = erfcl(z), e = slope * expl(-z * z);
        d = x < 0.5L ? (x - erfl(z)) / e : (logl(c) - logl(y)) * c / e;
        z += d;
        if (fabsl(d) <= z * 1e-19L)
            break;
    }
    return z;
}

static double erf_inverse(double x)
{
    if (!(fabs(x) < 1))
        return fabs(x) == 1 ? copysign(INFINITY, x) : NAN;
    return x == 0 ? x : copysign((double)inverse(fabsl(x), 1 - fabsl(x)), x);
}

static long double erfc_inverse(long double y)
{
    if (!(y > 0 && y < 2))
        return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    return y == 1 ? 0 : y < 1 ? inverse(1 - y, y) : -inverse(y - 1, 2 - y);
}

static double normal(double x)
{
    return (double)(erfcl(-x * root_half) / 2);
}

static double log_normal(double x)
{
    if (x > 0)
        return (double)log1pl(-erfcl(x * root_half) / 2);
    if (x >= -30 || isnan(x))
        return (double)logl(erfcl(-x * root_half) / 2);
    long double z = 1 / ((long double)x * x), s = 0;
    for (int k = 15; k >= 1; k -= 2) /* 1 - z + 3 z^2 - 15 z^3 ... */
        s = -k * z * (1 + s);
    return (double)(-0.5L * x * x - logl(-x) - 0.918938533204672741780329736405617640L + log1pl(s));
}

static double log_add_exp2(double a, double b)
{
    double d = a - b;
    if (a == b)
        return a + 1;
    return d > 0    ? a + log1p(exp2(-d)) * 1.44269504088896340736
           : d <= 0 ? b + log1p(exp2(d)) * 1.44269504088896340736
                    : d;
}

static double sigmoid(double x)
{
    double e = exp(-fabs(x));
    return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

static double logit(double p)
{
    return p > 0.25 && p < 0.75 ? log1p((2 * p - 1) / (1 - p)) : log(p / (1 - p));
}

static double mantissa(double x, int *e)
{
    *e = 0;
    return x == 0 || !isfinite(x) ? x : frexp(x, e);
}

int gnd__fold_special(gnd__op op, double a, double b, gnd__scalar *out)
{
    int e;
    switch (op) {
    case GND__OP_FMOD: return set_f(out, fmod(a, b));
    case GND__OP_FMAX: return set_f(out, a >= b || isnan(b) ? a : b);
    case GND__OP_FMIN: return set_f(out, a <= b || isnan(b) ? a : b);
    case GND__OP_HEAVISIDE: return set_f(out, isnan(a) ? a : a == 0 ? b : a > 0);
    case GND__OP_LDEXP: return set_f(out, ldexp(a, (int)fmax(fmin(b, 1e6), -1e6)));
    case GND__OP_FREXP_MANTISSA: return set_f(out, mantissa(a, &e));
    case GND__OP_FREXP_EXPONENT: mantissa(a, &e); return set_i(out, 'i', e);
    case GND__OP_MODF_FRACTION: return set_f(out, copysign(isinf(a) ? 0 : a - trunc(a), a));
    case GND__OP_ISPOSINF: return set_i(out, 'b', a == INFINITY);
    case GND__OP_ISNEGINF: return set_i(out, 'b', a == -INFINITY);
    case GND__OP_CBRT: return set_f(out, cbrt(a));
    case GND__OP_RSQRT: return set_f(out, 1 / sqrt(a));
    case GND__OP_EXP2: return set_f(out, exp2(a));
    case GND__OP_LOGADDEXP2: return set_f(out, log_add_exp2(a, b));
    case GND__OP_XLOGY: return set_f(out, a == 0 && !isnan(b) ? 0 : a * log(b));
    case GND__OP_SIGMOID: return set_f(out, sigmoid(a));
    case GND__OP_LOGIT: return set_f(out, logit(a));
    case GND__OP_DEG2RAD: return set_f(out, a * 0.0174532925199432957692);
    case GND__OP_RAD2DEG: return set_f(out, a * 57.2957795130823208768);
    case GND__OP_SINC: return set_f(out, sinc(a));
    case GND__OP_GAMMA: return set_f(out, tgamma(a));
    case GND__OP_LGAMMA: return set_f(out, lgamma_r(a, &e)); /* lgamma sets a global variable */
    case GND__OP_DIGAMMA: return set_f(out, digamma(a));
    case GND__OP_ERFC: return set_f(out, erfc(a));
    case GND__OP_ERFINV: return set_f(out, erf_inverse(a));
    case GND__OP_ERFCINV: return set_f(out, (double)erfc_inverse(a));
    case GND__OP_NDTR: return set_f(out, normal(a));
    case GND__OP_NDTRI:
        return set_f(out, (double)(0 - erfc_inverse(2 * (long double)a) / root_half));
    case GND__OP_LOG_NDTR: return set_f(out, log_normal(a));
    case GND__OP_I0: return set_f(out, bessel_i0(a));
    default: return GND__FOLD_REFUSED;
    }
}
