/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/fold_complex.c - elementwise operations on complex host scalars, by C's functions, or by
 * NumPy's formulas where C's operators differ (products, powers, order). See fold.c.
 */
#include "base/cmplx.h"
#include "graph/fold.h"

#include <math.h>

typedef gnd__cplx cplx;

static int set_b(gnd__scalar *out, int v)
{
    *out = (gnd__scalar){.kind = 'b'};
    out->i = v != 0;
    return 0;
}

static int set_f(gnd__scalar *out, double v)
{
    *out = (gnd__scalar){.kind = 'f', .re = v};
    return 0;
}

static int set_c(gnd__scalar *out, double re, double im)
{
    *out = (gnd__scalar){.kind = 'c', .re = re, .im = im};
    return 0;
}

static int set_z(gnd__scalar *out, double complex z)
{
    return set_c(out, creal(z), cimag(z));
}

static int is_nan(cplx a)
{
    return isnan(a.re) || isnan(a.im);
}

static int less(cplx a, cplx b, int or_equal)
{
    if (a.re == b.re)
        return or_equal ? a.im <= b.im : a.im < b.im;
    return a.re < b.re && !isnan(a.im) && !isnan(b.im);
}

static cplx larger_c(cplx a, cplx b)
{
    return is_nan(a) || less(b, a, 1) ? a : b;
}

static cplx smaller_c(cplx a, cplx b)
{
    return is_nan(a) || less(a, b, 1) ? a : b;
}

static cplx mul(cplx a, cplx b)
{
    return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Smith's formula with both operands scaled to exponent 0, or division of the parts by 0. */
static cplx divide(cplx a, cplx b)
{
    double m = fmax(fabs(b.re), fabs(b.im)), n = fmax(fabs(a.re), fabs(a.im)), r, d;
    int eb = 0, ea = 0;
    if (b.re == 0 && b.im == 0)
        return (cplx){a.re / m, a.im / m};
    if (isfinite(m) && isfinite(n) && m > 0 && n > 0) {
        eb = ilogb(m);
        ea = ilogb(n);
        a = (cplx){ldexp(a.re, -ea), ldexp(a.im, -ea)};
        b = (cplx){ldexp(b.re, -eb), ldexp(b.im, -eb)};
    }
    if (fabs(b.re) >= fabs(b.im)) {
        r = b.im / b.re;
        d = b.re + b.im * r;
        a = (cplx){(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    } else {
        r = b.re / b.im;
        d = b.im + b.re * r;
        a = (cplx){(a.re * r + a.im) / d, (a.im * r - a.re) / d};
    }
    return (cplx){ldexp(a.re, ea - eb), ldexp(a.im, ea - eb)};
}

/* As in kernels/complex.cl: NaN for 0. */
static cplx reciprocal(cplx z)
{
    double m = fmax(fabs(z.re), fabs(z.im)), r, d;
    int e = isfinite(m) && m > 0 ? ilogb(m) : 0;
    double x = ldexp(z.re, -e), y = ldexp(z.im, -e);
    if (fabs(y) <= fabs(x)) {
        r = y / x;
        d = x + y * r;
        return (cplx){ldexp(1 / d, -e), ldexp(-r / d, -e)};
    }
    r = x / y;
    d = x * r + y;
    return (cplx){ldexp(r / d, -e), ldexp(-1 / d, -e)};
}

static cplx sign_c(cplx a)
{
    double m = fmax(fabs(a.re), fabs(a.im));
    if (is_nan(a) || (isinf(a.re) && isinf(a.im)))
        return (cplx){NAN, NAN};
    if (isinf(m))
        return (cplx){isinf(a.re) ? copysign(1, a.re) : 0, isinf(a.im) ? copysign(1, a.im) : 0};
    if (m == 0)
        return (cplx){0, 0};
    int e = ilogb(m);
    a = (cplx){ldexp(a.re, -e), ldexp(a.im, -e)};
    m = hypot(a.re, a.im);
    return (cplx){a.re / m, a.im / m};
}

/* As in kernels/cexp.cl. */
static double complex pow_c(cplx a, cplx b)
{
    if (b.re == 0 && b.im == 0)
        return 1;
    if (a.re == 0 && a.im == 0)
        return b.re > 0 && b.im == 0 ? 0 : CMPLX(NAN, NAN);
    if (b.im == 0 && rint(b.re) == b.re && fabs(b.re) < 100) {
        cplx r = {1, 0}, p = a;
        for (int n = (int)fabs(b.re);;) {
            if (n & 1)
                r = mul(r, p);
            if (!(n >>= 1))
                break;
            p = mul(p, p);
        }
        if (b.re < 0)
            r = reciprocal(r);
        return CMPLX(r.re, r.im);
    }
    return cpow(CMPLX(a.re, a.im), CMPLX(b.re, b.im));
}

static int fold_complex_rest(gnd__op op, const cplx *x, gnd__scalar *out)
{
    cplx a = x[0], b = x[1], r;
    double h;
    switch (op) {
    case GND__OP_ABS: return set_f(out, hypot(a.re, a.im));
    case GND__OP_ADD: return set_c(out, a.re + b.re, a.im + b.im);
    case GND__OP_SUBTRACT: return set_c(out, a.re - b.re, a.im - b.im);
    case GND__OP_MULTIPLY: r = mul(a, b); break;
    case GND__OP_SQUARE: r = mul(a, a); break;
    case GND__OP_DIVIDE: r = divide(a, b); break;
    case GND__OP_RECIPROCAL: r = reciprocal(a); break;
    case GND__OP_SIGN: r = sign_c(a); break;
    case GND__OP_MAXIMUM: r = larger_c(a, b); break;
    case GND__OP_MINIMUM: r = smaller_c(a, b); break;
    case GND__OP_CLIP: r = smaller_c(larger_c(a, b), x[2]); break;
    case GND__OP_FMAX: r = is_nan(b) || less(b, a, 1) ? a : b; break;
    case GND__OP_FMIN: r = is_nan(b) || less(a, b, 1) ? a : b; break;
    case GND__OP_FROM_PARTS: return set_c(out, a.re, b.re);
    case GND__OP_NEGATIVE: return set_c(out, -a.re, -a.im);
    case GND__OP_POSITIVE: r = a; break;
    case GND__OP_CONJ: return set_c(out, a.re, -a.im);
    case GND__OP_REAL: return set_f(out, a.re);
    case GND__OP_IMAG: return set_f(out, a.im);
    case GND__OP_ROUND: return set_c(out, rint(a.re), rint(a.im));
    case GND__OP_EXPM1:
        if (a.im == 0) /* gives 0 for -0 too */
            return set_c(out, expm1(a.re) + 0.0, a.im);
        if (a.re > 1 || a.re == -INFINITY || !isfinite(a.im)) {
            double complex e = cexp(CMPLX(a.re, a.im));
            return set_c(out, creal(e) - 1, cimag(e));
        }
        h = sin(a.im / 2);
        return set_c(out, expm1(a.re) * cos(a.im) - 2 * h * h, exp(a.re) * sin(a.im));
    case GND__OP_LOG1P:
        if (fabs(a.re) < 0.5 && fabs(a.im) < 0.5)
            return set_c(out, log1p(a.re * (2 + a.re) + a.im * a.im) / 2, atan2(a.im, 1 + a.re));
        return set_z(out, clog(CMPLX(1 + a.re, a.im)));
    case GND__OP_EQUAL: return set_b(out, a.re == b.re && a.im == b.im);
    case GND__OP_NOT_EQUAL: return set_b(out, a.re != b.re || a.im != b.im);
    case GND__OP_LESS: return set_b(out, less(a, b, 0));
    case GND__OP_LESS_EQUAL: return set_b(out, less(a, b, 1));
    case GND__OP_GREATER: return set_b(out, less(b, a, 0));
    case GND__OP_GREATER_EQUAL: return set_b(out, less(b, a, 1));
    case GND__OP_ISFINITE: return set_b(out, isfinite(a.re) && isfinite(a.im));
    case GND__OP_ISINF: return set_b(out, isinf(a.re) || isinf(a.im));
    case GND__OP_ISNAN: return set_b(out, is_nan(a));
    default: return GND__FOLD_REFUSED;
    }
    return set_c(out, r.re, r.im);
}

int gnd__fold_complex(gnd__op op, const cplx *x, gnd__scalar *out)
{
    double complex z = CMPLX(x[0].re, x[0].im), l;
    switch (op) {
    case GND__OP_POW: return set_z(out, pow_c(x[0], x[1]));
    case GND__OP_SQRT: return set_z(out, csqrt(z));
    case GND__OP_EXP: return set_z(out, cexp(z));
    case GND__OP_LOG: return set_z(out, clog(z));
    case GND__OP_LOG2:
        l = clog(z);
        return set_c(out, creal(l) * 1.44269504088896340736, cimag(l) * 1.44269504088896340736);
    case GND__OP_LOG10:
        l = clog(z);
        return set_c(out, creal(l) * 0.434294481903251827651, cimag(l) * 0.434294481903251827651);
    case GND__OP_SIN: return set_z(out, csin(z));
    case GND__OP_COS: return set_z(out, ccos(z));
    case GND__OP_TAN: return set_z(out, ctan(z));
    case GND__OP_ASIN: return set_z(out, casin(z));
    case GND__OP_ACOS: return set_z(out, cacos(z));
    case GND__OP_ATAN: return set_z(out, catan(z));
    case GND__OP_SINH: return set_z(out, csinh(z));
    case GND__OP_COSH: return set_z(out, ccosh(z));
    case GND__OP_TANH: return set_z(out, ctanh(z));
    case GND__OP_ASINH: return set_z(out, casinh(z));
    case GND__OP_ACOSH: return set_z(out, cacosh(z));
    case GND__OP_ATANH: return set_z(out, catanh(z));
    default: return fold_complex_rest(op, x, out);
    }
}
