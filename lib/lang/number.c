/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/number.c - Python's arithmetic on numbers without arrays: ints (-2^63 to 2^64 - 1; a result
 * outside is an error), floats, complex; bools count as ints. As in Python, 2**-1 is 0.5, // and %
 * follow the divisor's sign, and division by zero is an error.
 */
#include "lang/expr.h"

#include <math.h>

/* Wider than every int of the language. */
__extension__ typedef __int128 wide;

static wide as_wide(const gnd__val *v)
{
    return v->kind == GND__V_UINT ? (wide)(uint64_t)v->i : (wide)v->i;
}
static double imag(const gnd__val *v)
{
    return v->kind == GND__V_COMPLEX ? v->z.im : 0.0;
}

static int no_fit(gnd__expr *x, size_t at)
{
    return gnd__expr_fail(x, GND_ERR_OVERFLOW, at,
                          "the result fits neither int64 nor uint64 (write 1.0 "
                          "for a float)");
}

/* *v = the int r; an error if r does not fit. */
static int put(gnd__expr *x, gnd__val *v, wide r, size_t at)
{
    if (r < INT64_MIN || r > UINT64_MAX)
        return no_fit(x, at);
    *v = r > INT64_MAX ? gnd__val_uint((uint64_t)r) : gnd__val_int((int64_t)r);
    return 0;
}

static int by_zero(gnd__expr *x, size_t at)
{
    return gnd__expr_fail(x, GND_ERR_ARG, at, "division by zero");
}

static int wrong(gnd__expr *x, int op, const gnd__val *a, const gnd__val *b, size_t at)
{
    return gnd__expr_fail(x, GND_ERR_DTYPE, at, "%s is not for %s and %s",
                          gnd__expr_spelling((gnd__tok)op), gnd__val_name(a), gnd__val_name(b));
}

int gnd__num_unary(gnd__expr *x, int op, gnd__val *a, size_t at)
{
    switch (op) {
    case GND__T_INVERT:
        if (a->kind > GND__V_UINT)
            return gnd__expr_fail(x, GND_ERR_DTYPE, at, "~ is not for %s", gnd__val_name(a));
        return put(x, a, ~as_wide(a), at);
    case GND__T_NEG:
        if (a->kind <= GND__V_UINT)
            return put(x, a, -as_wide(a), at);
        if (a->kind == GND__V_FLOAT)
            *a = gnd__val_float(-a->z.re);
        else
            *a = gnd__val_complex(-a->z.re, -a->z.im);
        return 0;
    default:
        if (a->kind == GND__V_BOOL)
            a->kind = GND__V_INT;
        return 0;
    }
}

/* --- ints ------------------------------------------------------------------------------------- */

static wide floor_div(wide a, wide b)
{
    wide q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* *out = a ** b for b >= 0, by repeated squaring. Returns 1 if it does not fit. */
static int int_pow(wide a, wide b, wide *out)
{
    wide r = 1;
    if (a == 0 || a == 1 || a == -1) {
        *out = b == 0 ? 1 : a == -1 && b % 2 == 0 ? 1 : a;
        return 0;
    }
    if (b > 63)
        return 1;
    while (b--)
        if (__builtin_mul_overflow(r, a, &r))
            return 1;
    *out = r;
    return 0;
}

static int float_binary(gnd__expr *x, int op, gnd__val *v, double a, double b, size_t at);

static int int_binary(gnd__expr *x, int op, gnd__val *v, wide a, wide b, int bools, size_t at)
{
    wide r = 0;
    int over = 0;
    switch (op) {
    case GND__T_ADD: r = a + b; break;
    case GND__T_SUB: r = a - b; break;
    case GND__T_MUL: over = __builtin_mul_overflow(a, b, &r); break;
    case GND__T_DIV: return float_binary(x, op, v, (double)a, (double)b, at);
    case GND__T_FLOORDIV:
        if (!b)
            return by_zero(x, at);
        r = floor_div(a, b);
        break;
    case GND__T_MOD:
        if (!b)
            return by_zero(x, at);
        r = a % b;
        r += r != 0 && (r < 0) != (b < 0) ? b : 0;
        break;
    case GND__T_POW:
        if (b < 0)
            return float_binary(x, op, v, (double)a, (double)b, at);
        over = int_pow(a, b, &r);
        break;
    case GND__T_AND: r = a & b; break;
    case GND__T_OR: r = a | b; break;
    case GND__T_XOR: r = a ^ b; break;
    case GND__T_SHL:
    case GND__T_SHR:
        if (b < 0)
            return gnd__expr_fail(x, GND_ERR_ARG, at, "a shift by a negative count");
        if (op == GND__T_SHR)
            r = a >> (b > 127 ? 127 : (int)b);
        else if (a)
            over = b > 64 || __builtin_mul_overflow(a, (wide)1 << b, &r);
        break;
    default: return gnd__expr_fail(x, GND_ERR_DTYPE, at, "@ is for arrays");
    }
    if (over)
        return no_fit(x, at);
    if (bools && (op == GND__T_AND || op == GND__T_OR || op == GND__T_XOR)) {
        *v = gnd__val_bool((int)r);
        return 0;
    }
    return put(x, v, r, at);
}

/* --- floats and complex ----------------------------------------------------------------------- */

/* The quotient rounded down, and the remainder with b's sign, like Python's divmod. */
static void float_divmod(double a, double b, double *div, double *mod)
{
    double m = fmod(a, b), d = (a - m) / b;
    if (m != 0 && (b < 0) != (m < 0)) {
        m += b;
        d -= 1;
    } else if (m == 0) {
        m = copysign(0, b);
    }
    if (d != 0) {
        double f = floor(d);
        *div = d - f > 0.5 ? f + 1 : f;
    } else {
        *div = copysign(0, a / b);
    }
    *mod = m;
}

static int complex_binary(gnd__expr *x, int op, gnd__val *v, double ar, double ai, double br,
                          double bi, size_t at);

static int float_binary(gnd__expr *x, int op, gnd__val *v, double a, double b, size_t at)
{
    double r, other;
    switch (op) {
    case GND__T_ADD: r = a + b; break;
    case GND__T_SUB: r = a - b; break;
    case GND__T_MUL: r = a * b; break;
    case GND__T_DIV:
        if (b == 0)
            return by_zero(x, at);
        r = a / b;
        break;
    case GND__T_FLOORDIV:
    case GND__T_MOD:
        if (b == 0)
            return by_zero(x, at);
        float_divmod(a, b, &r, &other);
        if (op == GND__T_MOD)
            r = other;
        break;
    default: /* power */
        if (a == 0 && b < 0)
            return by_zero(x, at);
        if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
            return complex_binary(x, op, v, a, 0, b, 0, at);
        r = pow(a, b);
    }
    *v = gnd__val_float(r);
    return 0;
}

static gnd__val complex_div(double ar, double ai, double br, double bi)
{
    /* Smith's method (Comm. ACM 5, 1962), which Python uses too. */
    if (fabs(br) >= fabs(bi)) {
        double t = bi / br, d = br + bi * t;
        return gnd__val_complex((ar + ai * t) / d, (ai - ar * t) / d);
    }
    double t = br / bi, d = br * t + bi;
    return gnd__val_complex((ar * t + ai) / d, (ai * t - ar) / d);
}

static int complex_binary(gnd__expr *x, int op, gnd__val *v, double ar, double ai, double br,
                          double bi, size_t at)
{
    switch (op) {
    case GND__T_ADD: *v = gnd__val_complex(ar + br, ai + bi); return 0;
    case GND__T_SUB: *v = gnd__val_complex(ar - br, ai - bi); return 0;
    case GND__T_MUL: *v = gnd__val_complex(ar * br - ai * bi, ar * bi + ai * br); return 0;
    case GND__T_DIV:
        if (br == 0 && bi == 0)
            return by_zero(x, at);
        *v = complex_div(ar, ai, br, bi);
        return 0;
    default: break;
    }
    if (br == 0 && bi == 0) {
        *v = gnd__val_complex(1, 0);
    } else if (ar == 0 && ai == 0) {
        if (bi != 0 || br < 0)
            return by_zero(x, at);
        *v = gnd__val_complex(0, 0);
    } else if (bi == 0 && br == floor(br) && fabs(br) <= 100) {
        /* Multiply for small integer exponents, so that (1j)**2 is exact. */
        double rr = 1, ri = 0;
        for (int n = (int)fabs(br); n; n--) {
            double t = rr * ar - ri * ai;
            ri = rr * ai + ri * ar;
            rr = t;
        }
        *v = br < 0 ? complex_div(1, 0, rr, ri) : gnd__val_complex(rr, ri);
    } else {
        double len = pow(hypot(ar, ai), br), arg = atan2(ai, ar) * br;
        if (bi != 0) {
            len *= exp(-atan2(ai, ar) * bi);
            arg += bi * log(hypot(ar, ai));
        }
        *v = gnd__val_complex(len * cos(arg), len * sin(arg));
    }
    return 0;
}

/* --- all -------------------------------------------------------------------------------------- */

static int compare(gnd__expr *x, int op, gnd__val *a, const gnd__val *b, size_t at)
{
    int less, equal;
    if (a->kind <= GND__V_UINT && b->kind <= GND__V_UINT) {
        less = as_wide(a) < as_wide(b);
        equal = as_wide(a) == as_wide(b);
    } else {
        double p = gnd__val_real(a), q = gnd__val_real(b);
        less = p < q;
        equal = p == q && imag(a) == imag(b);
        if ((a->kind == GND__V_COMPLEX || b->kind == GND__V_COMPLEX) && op != GND__T_EQ &&
            op != GND__T_NE)
            return wrong(x, op, a, b, at);
        if (isnan(p) || isnan(q)) {
            *a = gnd__val_bool(op == GND__T_NE);
            return 0;
        }
    }
    switch (op) {
    case GND__T_LT: *a = gnd__val_bool(less); break;
    case GND__T_LE: *a = gnd__val_bool(less || equal); break;
    case GND__T_GT: *a = gnd__val_bool(!less && !equal); break;
    case GND__T_GE: *a = gnd__val_bool(!less); break;
    case GND__T_EQ: *a = gnd__val_bool(equal); break;
    default: *a = gnd__val_bool(!equal); break;
    }
    return 0;
}

int gnd__num_binary(gnd__expr *x, int op, gnd__val *a, const gnd__val *b, size_t at)
{
    int kind = a->kind > b->kind ? a->kind : b->kind;
    if (op >= GND__T_LT && op <= GND__T_NE)
        return compare(x, op, a, b, at);
    if (kind <= GND__V_UINT)
        return int_binary(x, op, a, as_wide(a), as_wide(b), kind == GND__V_BOOL, at);
    if ((op >= GND__T_AND && op <= GND__T_SHR) || op == GND__T_MATMUL ||
        (kind == GND__V_COMPLEX && (op == GND__T_MOD || op == GND__T_FLOORDIV)))
        return wrong(x, op, a, b, at);
    if (kind == GND__V_FLOAT)
        return float_binary(x, op, a, gnd__val_real(a), gnd__val_real(b), at);
    return complex_binary(x, op, a, gnd__val_real(a), imag(a), gnd__val_real(b), imag(b), at);
}
