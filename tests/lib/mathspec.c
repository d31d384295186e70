/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mathspec.c - see mathspec.h. Independent of kernels/special.cl: other formulas, other
 * coefficients.
 */
#include "mathspec.h"

#include <math.h>

typedef long double real;

static const real pi = 3.14159265358979323846264338327950288L;

/* --- parts ------------------------------------------------------------------------------------ */

static real scale2(int f32, real a, real b)
{
    int e = b < -5000 ? -5000 : b > 5000 ? 5000 : (int)b;
    return f32 ? (real)ldexpf((float)a, e) : (real)ldexp((double)a, e);
}

static real mantissa(real a, int *e)
{
    *e = 0;
    return isfinite(a) ? frexpl(a, e) : a;
}

static real modf_fraction(real a)
{
    real whole;
    return isnan(a) ? a : modfl(a, &whole);
}

static real sinc(real x)
{
    real r = fabsl(fmodl(x, 2)); /* exact */
    if (x == 0)
        return 1;
    if (r > 1)
        r -= 2; /* sin(pi (r - 2)) = sin(pi r) */
    real s = fabsl(r) > 0.5L ? copysignl(sinl(pi * (1 - fabsl(r))), r) : sinl(pi * r);
    return s / (pi * fabsl(x));
}

static real logaddexp2(real a, real b)
{
    if (isnan(a) || isnan(b))
        return a + b;
    real m = fmaxl(a, b), l = fminl(a, b);
    return isinf(m) ? m : m + log1pl(exp2l(l - m)) / logl(2);
}

static real logit(real p)
{
    return p > 0.3L && p < 0.7L ? 2 * atanhl(2 * p - 1) : logl(p) - log1pl(-p);
}

/* --- digamma, the Bessel function ------------------------------------------------------------- */

/* About its positive root, by Taylor's series. */
static real digamma_near(real d)
{
    static const real c[] = {0.9676722454476211704274447617L,  -0.4427631689835921060928652819L,
                             0.2584997609556510106244013857L,  -0.1639427054424065275042512927L,
                             0.1078240506912623657571829489L,  -0.07219956125645471092612178361L,
                             0.04880428816414310722509252551L, -0.0331611264748473592922583984L,
                             0.02259764823221810465962482512L, -0.01542476590494895913880031684L,
                             0.01053879161661217538812404988L, -0.00720453438635686824097047437L};
    real s = 0;
    for (int k = 11; k >= 0; k--)
        s = (s + c[k]) * d;
    return s;
}

static real digamma(real x)
{
    /* B_2k / 2k */
    static const real b[] = {1 / 12.0L,        -1 / 120.0L,      1 / 252.0L, -1 / 240.0L,
                             1 / 132.0L,       -691 / 32760.0L,  1 / 12.0L,  -3617 / 8160.0L,
                             43867 / 14364.0L, -174611 / 6600.0L};
    real s = 0, p = 0, z;
    if (x == 0)
        return copysignl(INFINITY, -x);
    if (isnan(x) || x == INFINITY)
        return x;
    if (x < 0) {
        real f = remainderl(x, 1);
        if (f == 0 || isnan(f))
            return NAN;
        real cot = fabsl(f) < 0.25L ? 1 / tanl(pi * f) : tanl(pi * (copysignl(0.5L, f) - f));
        return digamma(1 - x) - pi * cot;
    }
    if (fabsl(x - 1.4616321449683623L) < 0.03L)
        return digamma_near((x - 0x1.762d86356be3fp+0L) - 9.549995429965697715184199e-17L);
    for (; x < 40; x += 1)
        s += 1 / x;
    z = 1 / (x * x);
    for (int k = 9; k >= 0; k--)
        p = (p + b[k]) * z;
    return logl(x) - 1 / (2 * x) - p - s;
}

static real bessel_i0(real x)
{
    real term = 1, sum = 1;
    if (isnan(x))
        return x;
    if (fabsl(x) > 800)
        return INFINITY;
    for (int k = 1; k < 2000 && term > sum * 1e-23L; k++) {
        term *= (x / 2 / k) * (x / 2 / k);
        sum += term;
    }
    return sum;
}

/* --- the error function's inverses, the normal distribution ----------------------------------- */

/* The z > 0 with erfc(z) = y, by halving and then Newton's steps; `x` is 1 - y. */
static real inverse_erfc(real x, real y)
{
    const real slope = 2 / sqrtl(pi);
    real lo = 0, hi = 200;
    if (y <= 0)
        return INFINITY;
    for (int i = 0; i < 24; i++) {
        real mid = (lo + hi) / 2;
        if (erfcl(mid) > y)
            lo = mid;
        else
            hi = mid;
    }
    real z = x < 0.25L ? x / slope : lo;
    for (int i = 0; i < 6; i++) {
        real e = slope * expl(-z * z), c = erfcl(z);
        z += y > 0.5L ? (x - erfl(z)) / e : logl(c / y) * c / e;
    }
    return z;
}

static real erfinv(real x)
{
    if (!(fabsl(x) <= 1))
        return NAN;
    return x == 0 ? x : copysignl(inverse_erfc(fabsl(x), 1 - fabsl(x)), x);
}

static real erfcinv(real y)
{
    if (!(y >= 0 && y <= 2))
        return NAN;
    return y == 1 ? 0 : y < 1 ? inverse_erfc(1 - y, y) : -inverse_erfc(y - 1, 2 - y);
}

/* erfc(-x / sqrt(2)) / 2, the argument in two parts. */
static real ndtr(real x)
{
    const real c = 0x1.6a09e667f3bcdp-1L;
    real t = -x * c, lo;
    if (isinf(x) || fabsl(x) < 1e-10L || isnan(x))
        return erfcl(t) / 2;
    lo = fmal(-x, c, -t) + x * 4.833646656726456518593584e-17L;
    /* erfc(t + lo) */
    return (erfcl(t) - 2 / sqrtl(pi) * expl(-t * t) * lo) / 2;
}

static real log_ndtr(real x)
{
    real s = 0, z;
    if (x > 0)
        return log1pl(-ndtr(-x));
    if (!(x < -60))
        return logl(ndtr(x));
    z = 1 / (x * x);
    for (int k = 11; k >= 1; k -= 2)
        s = -k * z * (1 + s);
    return -x * x / 2 - logl(-x) - logl(2 * pi) / 2 + log1pl(s);
}

/* --- all -------------------------------------------------------------------------------------- */

long double mathspec_real(gnd__op op, int f32, const long double *x)
{
    real a = x[0], b = x[1];
    int e;
    switch (op) {
    case GND__OP_FMOD: return fmodl(a, b);
    case GND__OP_FMAX: return isnan(a) ? b : isnan(b) ? a : a > b ? a : b;
    case GND__OP_FMIN: return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
    case GND__OP_HEAVISIDE: return isnan(a) ? a : a < 0 ? 0 : a > 0 ? 1 : b;
    case GND__OP_LDEXP: return scale2(f32, a, b);
    case GND__OP_FREXP_MANTISSA: return mantissa(a, &e);
    case GND__OP_FREXP_EXPONENT: mantissa(a, &e); return e;
    case GND__OP_MODF_FRACTION: return modf_fraction(a);
    case GND__OP_ISPOSINF: return isinf(a) && a > 0;
    case GND__OP_ISNEGINF: return isinf(a) && a < 0;
    case GND__OP_CBRT: return cbrtl(a);
    case GND__OP_RSQRT: return 1 / sqrtl(a);
    case GND__OP_EXP2: return exp2l(a);
    case GND__OP_LOGADDEXP2: return logaddexp2(a, b);
    case GND__OP_XLOGY: return isnan(b) ? b : a == 0 ? 0 : a * logl(b);
    case GND__OP_SIGMOID: return 1 / (1 + expl(-a));
    case GND__OP_LOGIT: return logit(a);
    case GND__OP_DEG2RAD: return a * (pi / 180);
    case GND__OP_RAD2DEG: return a * (180 / pi);
    case GND__OP_SINC: return sinc(a);
    case GND__OP_GAMMA: return tgammal(a);
    case GND__OP_LGAMMA: return lgammal(a);
    case GND__OP_DIGAMMA: return digamma(a);
    case GND__OP_ERFC: return erfcl(a);
    case GND__OP_ERFINV: return erfinv(a);
    case GND__OP_ERFCINV: return erfcinv(a);
    case GND__OP_NDTR: return ndtr(a);
    case GND__OP_NDTRI: return -sqrtl(2) * erfcinv(2 * a) + 0;
    case GND__OP_LOG_NDTR: return log_ndtr(a);
    case GND__OP_I0: return bessel_i0(a);
    default: return NAN;
    }
}

double mathspec_bound(gnd__op op)
{
    switch (op) {
    case GND__OP_DEG2RAD:
    case GND__OP_RAD2DEG:
    case GND__OP_RSQRT: return 1.5;
    case GND__OP_CBRT: return 2;
    case GND__OP_EXP2: return 3;
    case GND__OP_LOGADDEXP2:
    case GND__OP_XLOGY: return 4;
    case GND__OP_SIGMOID:
    case GND__OP_LOGIT:
    case GND__OP_SINC: return 5;
    case GND__OP_LGAMMA:
    case GND__OP_DIGAMMA:
    case GND__OP_ERFINV:
    case GND__OP_ERFCINV:
    case GND__OP_NDTRI:
    case GND__OP_I0:
    case GND__OP_ERFC:
    case GND__OP_NDTR:
    case GND__OP_LOG_NDTR: return 8;
    case GND__OP_GAMMA: return 12;
    default: return 0;
    }
}

long double mathspec_scale(gnd__op op, const long double *x, long double want)
{
    real a = x[0], b = x[1], size = fabsl(want);
    if (!isfinite(want))
        return want;
    switch (op) {
    case GND__OP_LOGADDEXP:
    case GND__OP_LOGADDEXP2: {
        /* exp(d), d rounded, is added to the larger argument: it cannot be better. */
        real m = fmaxl(a, b), d = fabsl(a - b);
        return fmaxl(size, fmaxl(fabsl(m), (want - m) * (1 + d)));
    }
    /* Below 0 between the poles by reflection: terms of the size of log(-x) and more. */
    case GND__OP_LGAMMA: return a < 0 ? fmaxl(size, 1) : want;
    case GND__OP_DIGAMMA: return a < 0 ? fmaxl(size, 1 + logl(1 - a)) : want;
    default: return want;
    }
}

int mathspec_where(gnd__op op, int f32, mathspec_places *out)
{
    static const struct {
        gnd__op op;
        double lo32, hi32, lo64, hi64;
        int n;
        double at[4];
    } table[] = {
        {GND__OP_EXP2, -155, 129, -1080, 1025, 1, {0}},
        {GND__OP_SIGMOID, -105, 20, -750, 40, 1, {0}},
        {GND__OP_LOGIT, 0, 1, 0, 1, 3, {0.5, 1, 0.25}},
        {GND__OP_SINC, -20, 20, -20, 20, 4, {0, 1, -2, 17}},
        {GND__OP_GAMMA, -43, 36, -185, 172, 4, {0, -1, -6, 1}},
        {GND__OP_LGAMMA, -12, 30, -12, 30, 4, {1, 2, -1, 0}},
        {GND__OP_DIGAMMA, -12, 24, -12, 24, 4, {1.4616321449683623, 1, -1, -3}},
        {GND__OP_ERFC, -5, 10.2, -7, 27.5, 1, {0}},
        {GND__OP_ERFINV, -1, 1, -1, 1, 3, {-1, 1, 0.85}},
        {GND__OP_ERFCINV, 0, 2, 0, 2, 4, {0, 1, 2, 0.15}},
        {GND__OP_NDTR, -14.5, 9, -39, 10, 1, {0}},
        {GND__OP_NDTRI, 0, 1, 0, 1, 4, {0, 0.5, 1, 0.25}},
        {GND__OP_LOG_NDTR, -30, 15, -60, 40, 2, {-8, -20}},
        {GND__OP_I0, -92, 92, -715, 715, 2, {8, 15}},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op) {
            out->lo = f32 ? table[i].lo32 : table[i].lo64;
            out->hi = f32 ? table[i].hi32 : table[i].hi64;
            out->n = table[i].n;
            for (int k = 0; k < 4; k++)
                out->at[k] = table[i].at[k];
            return 1;
        }
    return 0;
}
