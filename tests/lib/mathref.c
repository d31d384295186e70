/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mathref.c - see mathref.h.
 */
#include "mathref.h"

#include "base/cmplx.h"
#include "mathspec.h"

#include <math.h>

typedef long double real;

/* --- real ------------------------------------------------------------------------------------- */

static real next(int f32, real a, real b)
{
    return f32 ? (real)nextafterf((float)a, (float)b) : (real)nextafter((double)a, (double)b);
}

/* NumPy's npy_divmod in the dtype's own arithmetic, since it says what is rounded where. */
#define DIVMOD(T, S)                                                                               \
    static T divmod_##T(T a, T b, T *mod)                                                          \
    {                                                                                              \
        T m = fmod##S(a, b), div, fl;                                                              \
        if (b == 0) {                                                                              \
            *mod = m;                                                                              \
            return a / b;                                                                          \
        }                                                                                          \
        div = (a - m) / b;                                                                         \
        if (m != 0) {                                                                              \
            if ((b < 0) != (m < 0)) {                                                              \
                m += b;                                                                            \
                div -= 1;                                                                          \
            }                                                                                      \
        } else                                                                                     \
            m = copysign##S(0, b);                                                                 \
        if (div != 0) {                                                                            \
            fl = floor##S(div);                                                                    \
            if (div - fl > (T)0.5)                                                                 \
                fl += 1;                                                                           \
        } else                                                                                     \
            fl = copysign##S(0, a / b);                                                            \
        *mod = m;                                                                                  \
        return fl;                                                                                 \
    }
DIVMOD(float, f)
DIVMOD(double, )

static real divmod(int f32, real a, real b, int want_mod)
{
    float mf;
    double md;
    real q = f32 ? (real)divmod_float((float)a, (float)b, &mf)
                 : (real)divmod_double((double)a, (double)b, &md);
    return !want_mod ? q : f32 ? (real)mf : (real)md;
}

static real larger(real a, real b)
{
    return isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}

static real smaller(real a, real b)
{
    return isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
}

static real logaddexp(real a, real b)
{
    if (isnan(a) || isnan(b))
        return a + b;
    real m = larger(a, b), l = smaller(a, b);
    return isinf(m) ? m : m + log1pl(expl(l - m));
}

real mathref_real(gnd__op op, int f32, const real *x)
{
    real a = x[0], b = x[1];
    switch (op) {
    case GND__OP_ABS: return fabsl(a);
    case GND__OP_ADD: return a + b;
    case GND__OP_SUBTRACT: return a - b;
    case GND__OP_MULTIPLY: return a * b;
    case GND__OP_DIVIDE: return a / b;
    case GND__OP_FLOOR_DIVIDE: return divmod(f32, a, b, 0);
    case GND__OP_REMAINDER: return divmod(f32, a, b, 1);
    case GND__OP_POW: return powl(a, b);
    case GND__OP_NEGATIVE: return -a;
    case GND__OP_POSITIVE: return a;
    case GND__OP_RECIPROCAL: return 1 / a;
    case GND__OP_SQUARE: return a * a;
    case GND__OP_SQRT: return sqrtl(a);
    case GND__OP_HYPOT: return hypotl(a, b);
    case GND__OP_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
    case GND__OP_CEIL: return ceill(a);
    case GND__OP_FLOOR: return floorl(a);
    case GND__OP_TRUNC: return truncl(a);
    case GND__OP_ROUND: return rintl(a);
    case GND__OP_MAXIMUM: return larger(a, b);
    case GND__OP_MINIMUM: return smaller(a, b);
    case GND__OP_CLIP: return smaller(larger(a, b), x[2]);
    case GND__OP_COPYSIGN: return copysignl(a, b);
    case GND__OP_NEXTAFTER: return next(f32, a, b);
    case GND__OP_EXP: return expl(a);
    case GND__OP_EXPM1: return expm1l(a);
    case GND__OP_LOG: return logl(a);
    case GND__OP_LOG1P: return log1pl(a);
    case GND__OP_LOG2: return log2l(a);
    case GND__OP_LOG10: return log10l(a);
    case GND__OP_LOGADDEXP: return logaddexp(a, b);
    case GND__OP_ERF: return erfl(a);
    case GND__OP_SIN: return sinl(a);
    case GND__OP_COS: return cosl(a);
    case GND__OP_TAN: return tanl(a);
    case GND__OP_ASIN: return asinl(a);
    case GND__OP_ACOS: return acosl(a);
    case GND__OP_ATAN: return atanl(a);
    case GND__OP_ATAN2: return atan2l(a, b);
    case GND__OP_SINH: return sinhl(a);
    case GND__OP_COSH: return coshl(a);
    case GND__OP_TANH: return tanhl(a);
    case GND__OP_ASINH: return asinhl(a);
    case GND__OP_ACOSH: return acoshl(a);
    case GND__OP_ATANH: return atanhl(a);
    case GND__OP_REAL:
    case GND__OP_CONJ: return a;
    case GND__OP_IMAG: return 0;
    case GND__OP_EQUAL: return a == b;
    case GND__OP_NOT_EQUAL: return a != b;
    case GND__OP_LESS: return a < b;
    case GND__OP_LESS_EQUAL: return a <= b;
    case GND__OP_GREATER: return a > b;
    case GND__OP_GREATER_EQUAL: return a >= b;
    case GND__OP_ISFINITE: return isfinite(a) != 0;
    case GND__OP_ISINF: return isinf(a) != 0;
    case GND__OP_ISNAN: return isnan(a) != 0;
    case GND__OP_SIGNBIT: return signbit(a) != 0;
    default: return mathspec_real(op, f32, x);
    }
}

/* --- complex ---------------------------------------------------------------------------------- */

static mathref_c pair(real re, real im)
{
    return (mathref_c){re, im};
}

static mathref_c of(long double complex z)
{
    return pair(creall(z), cimagl(z));
}

static int is_nan(mathref_c z)
{
    return isnan(z.re) || isnan(z.im);
}

/* NumPy's formulas in the dtype's own arithmetic: they say where infinities, NaN and zeros of
 * either sign come from when something is special or overflows on the way. */
#define NAIVE(T)                                                                                   \
    static mathref_c mul_##T(T a, T b, T c, T d)                                                   \
    {                                                                                              \
        T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                          \
        return pair(ac - bd, ad + bc);                                                             \
    }                                                                                              \
    static mathref_c div_##T(T a, T b, T c, T d)                                                   \
    {                                                                                              \
        T rat, scl;                                                                                \
        if (c == 0 && d == 0)                                                                      \
            return pair(a / (T)fabs(c), b / (T)fabs(c));                                           \
        if (fabs(c) >= fabs(d)) {                                                                  \
            rat = d / c;                                                                           \
            scl = 1 / (c + d * rat);                                                               \
            return pair((a + b * rat) * scl, (b - a * rat) * scl);                                 \
        }                                                                                          \
        rat = c / d;                                                                               \
        scl = 1 / (d + c * rat);                                                                   \
        return pair((a * rat + b) * scl, (b * rat - a) * scl);                                     \
    }                                                                                              \
    static mathref_c recip_##T(T c, T d)                                                           \
    {                                                                                              \
        T r, m;                                                                                    \
        if (fabs(d) <= fabs(c)) {                                                                  \
            r = d / c;                                                                             \
            m = c + d * r;                                                                         \
            return pair(1 / m, -r / m);                                                            \
        }                                                                                          \
        r = c / d;                                                                                 \
        m = c * r + d;                                                                             \
        return pair(r / m, -1 / m);                                                                \
    }
NAIVE(float)
NAIVE(double)

static int finite2(mathref_c z)
{
    return isfinite(z.re) && isfinite(z.im);
}

static mathref_c mul(int c64, mathref_c a, mathref_c b)
{
    mathref_c n = c64 ? mul_float((float)a.re, (float)a.im, (float)b.re, (float)b.im)
                      : mul_double((double)a.re, (double)a.im, (double)b.re, (double)b.im);
    if (!finite2(n))
        return n;
    return pair(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/* The exact quotient of finite values; its zeros, and everything special, as the formula n. */
static mathref_c quotient(mathref_c a, mathref_c b, mathref_c n)
{
    if (!finite2(a) || !finite2(b) || (b.re == 0 && b.im == 0))
        return n;
    real d = b.re * b.re + b.im * b.im;
    real re = (a.re * b.re + a.im * b.im) / d, im = (a.im * b.re - a.re * b.im) / d;
    return pair(re == 0 && n.re == 0 ? n.re : re, im == 0 && n.im == 0 ? n.im : im);
}

static mathref_c divide(int c64, mathref_c a, mathref_c b, double *loose)
{
    /* NumPy's formula overflows with large divisors, and zeros by infinite ones have any sign. */
    if ((!finite2(a) && fmaxl(fabsl(b.re), fabsl(b.im)) > 1e30L) || (!finite2(b) && !is_nan(b)))
        *loose = HUGE_VAL;
    return quotient(a, b,
                    c64 ? div_float((float)a.re, (float)a.im, (float)b.re, (float)b.im)
                        : div_double((double)a.re, (double)a.im, (double)b.re, (double)b.im));
}

static mathref_c reciprocal(int c64, mathref_c a)
{
    return quotient(pair(1, 0), a,
                    c64 ? recip_float((float)a.re, (float)a.im)
                        : recip_double((double)a.re, (double)a.im));
}

static mathref_c sign(mathref_c z)
{
    if (is_nan(z) || (isinf(z.re) && isinf(z.im)))
        return pair(NAN, NAN);
    if (isinf(z.re))
        return pair(z.re > 0 ? 1 : -1, 0);
    if (isinf(z.im))
        return pair(0, z.im > 0 ? 1 : -1);
    real a = hypotl(z.re, z.im);
    return a == 0 ? pair(0, 0) : pair(z.re / a, z.im / a);
}

static int less(mathref_c a, mathref_c b, int or_equal)
{
    if (a.re == b.re)
        return or_equal ? a.im <= b.im : a.im < b.im;
    return a.re < b.re && !isnan(a.im) && !isnan(b.im);
}

static mathref_c max2(mathref_c a, mathref_c b)
{
    return is_nan(a) || less(b, a, 1) ? a : b;
}

static mathref_c min2(mathref_c a, mathref_c b)
{
    return is_nan(a) || less(a, b, 1) ? a : b;
}

static mathref_c expm1c(long double complex z)
{
    real x = creall(z), y = cimagl(z), h = sinl(y / 2);
    if (y == 0) /* the standard: 0 + 0i for -0 + 0i too */
        return pair(x == 0 ? 0 : expm1l(x), y);
    if (!isfinite(x) || !isfinite(y) || x > 1)
        return pair(creall(cexpl(z)) - 1, cimagl(cexpl(z)));
    return pair(expm1l(x) * cosl(y) - 2 * h * h, expl(x) * sinl(y));
}

static mathref_c log1pc(long double complex z)
{
    real x = creall(z), y = cimagl(z);
    if (fabsl(x) < 0.5L && fabsl(y) < 0.5L)
        return pair(log1pl(2 * x + x * x + y * y) / 2, atan2l(y, 1 + x));
    return of(clogl(CMPLXL(1 + x, y)));
}

static mathref_c power(int c64, mathref_c a, mathref_c b, double *loose)
{
    if (b.re == 0 && b.im == 0)
        return pair(1, 0);
    if (a.re == 0 && a.im == 0)
        return b.re > 0 ? pair(0, 0) : pair(NAN, NAN);
    long double complex l = clogl(CMPLXL(a.re, a.im));
    *loose = (double)(hypotl(b.re, b.im) * cabsl(l));
    if (!finite2(a) || !finite2(b) || *loose > (c64 ? 80 : 700))
        *loose = HUGE_VAL; /* what overflows on the way depends on the formula */
    return of(cexpl(CMPLXL(b.re, b.im) * l));
}

mathref_c mathref_complex(gnd__op op, int c64, const mathref_c *x, double *loose)
{
    mathref_c a = x[0], b = x[1];
    long double complex z = CMPLXL(a.re, a.im);
    switch (op) {
    case GND__OP_ABS: return pair(hypotl(a.re, a.im), 0);
    case GND__OP_ADD: return pair(a.re + b.re, a.im + b.im);
    case GND__OP_SUBTRACT: return pair(a.re - b.re, a.im - b.im);
    case GND__OP_MULTIPLY: return mul(c64, a, b);
    case GND__OP_DIVIDE: return divide(c64, a, b, loose);
    case GND__OP_POW: return power(c64, a, b, loose);
    case GND__OP_NEGATIVE: return pair(-a.re, -a.im);
    case GND__OP_POSITIVE: return a;
    case GND__OP_RECIPROCAL: return reciprocal(c64, a);
    case GND__OP_SQUARE: return mul(c64, a, a);
    case GND__OP_SQRT: return of(csqrtl(z));
    case GND__OP_SIGN: return sign(a);
    case GND__OP_ROUND: return pair(rintl(a.re), rintl(a.im));
    case GND__OP_MAXIMUM: return max2(a, b);
    case GND__OP_MINIMUM: return min2(a, b);
    case GND__OP_CLIP: return min2(max2(a, b), x[2]);
    case GND__OP_FMAX: return is_nan(b) ? a : is_nan(a) ? b : max2(a, b);
    case GND__OP_FMIN: return is_nan(b) ? a : is_nan(a) ? b : min2(a, b);
    case GND__OP_FROM_PARTS: return pair(a.re, b.re);
    case GND__OP_EXP: return of(cexpl(z));
    case GND__OP_EXPM1: return expm1c(z);
    case GND__OP_LOG: return of(clogl(z));
    case GND__OP_LOG1P: return log1pc(z);
    case GND__OP_LOG2: return pair(creall(clogl(z)) / logl(2), cimagl(clogl(z)) / logl(2));
    case GND__OP_LOG10: return pair(creall(clogl(z)) / logl(10), cimagl(clogl(z)) / logl(10));
    case GND__OP_SIN: return of(csinl(z));
    case GND__OP_COS: return of(ccosl(z));
    case GND__OP_TAN: return of(ctanl(z));
    case GND__OP_ASIN: return of(casinl(z));
    case GND__OP_ACOS: return of(cacosl(z));
    case GND__OP_ATAN: return of(catanl(z));
    case GND__OP_SINH: return of(csinhl(z));
    case GND__OP_COSH: return of(ccoshl(z));
    case GND__OP_TANH: return of(ctanhl(z));
    case GND__OP_ASINH: return of(casinhl(z));
    case GND__OP_ACOSH: return of(cacoshl(z));
    case GND__OP_ATANH: return of(catanhl(z));
    case GND__OP_REAL: return pair(a.re, 0);
    case GND__OP_IMAG: return pair(a.im, 0);
    case GND__OP_CONJ: return pair(a.re, -a.im);
    case GND__OP_EQUAL: return pair(a.re == b.re && a.im == b.im, 0);
    case GND__OP_NOT_EQUAL: return pair(a.re != b.re || a.im != b.im, 0);
    case GND__OP_LESS: return pair(less(a, b, 0), 0);
    case GND__OP_LESS_EQUAL: return pair(less(a, b, 1), 0);
    case GND__OP_GREATER: return pair(less(b, a, 0), 0);
    case GND__OP_GREATER_EQUAL: return pair(less(b, a, 1), 0);
    case GND__OP_ISFINITE: return pair(isfinite(a.re) && isfinite(a.im), 0);
    case GND__OP_ISINF: return pair(isinf(a.re) || isinf(a.im), 0);
    case GND__OP_ISNAN: return pair(is_nan(a), 0);
    default: return pair(NAN, NAN);
    }
}
