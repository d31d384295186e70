/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/fold.c - elementwise operations on weak scalars, computed on the host: bool, int64 and
 * uint64, float64 and complex128 stand for Python's bool, int, float and complex. Results equal
 * those of the kernels for these dtypes, except that Python's ints do not wrap: results outside
 * -2^63 .. 2^64 - 1 are errors, and a negative int exponent gives a float. Knows no nodes. Complex
 * values are in fold_complex.c.
 */
#include "base/dtype.h"
#include "graph/fold.h"
#include "graph/graph.h"
#include "graph/opset.h"

#include <math.h>

enum { REFUSED = GND__FOLD_REFUSED, TOO_LARGE = GND__FOLD_TOO_LARGE };

static int set_b(gnd__scalar *out, int v)
{
    *out = (gnd__scalar){.kind = 'b'};
    out->i = v != 0;
    return 0;
}

static int set_i(gnd__scalar *out, int64_t v)
{
    *out = (gnd__scalar){.kind = 'i'};
    out->i = v;
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

/* --- bools and ints --------------------------------------------------------------------------- */

static int fold_bool(gnd__op op, const int *x, gnd__scalar *out)
{
    int a = x[0], b = x[1];
    switch (op) {
    case GND__OP_ADD:
    case GND__OP_MAXIMUM:
    case GND__OP_FMAX:
    case GND__OP_BITWISE_OR:
    case GND__OP_LOGICAL_OR: return set_b(out, a | b);
    case GND__OP_MULTIPLY:
    case GND__OP_MINIMUM:
    case GND__OP_FMIN:
    case GND__OP_BITWISE_AND:
    case GND__OP_LOGICAL_AND: return set_b(out, a & b);
    case GND__OP_BITWISE_XOR:
    case GND__OP_LOGICAL_XOR:
    case GND__OP_NOT_EQUAL: return set_b(out, a ^ b);
    case GND__OP_BITWISE_INVERT:
    case GND__OP_LOGICAL_NOT: return set_b(out, !a);
    case GND__OP_EQUAL: return set_b(out, a == b);
    case GND__OP_LESS: return set_b(out, a < b);
    case GND__OP_LESS_EQUAL: return set_b(out, a <= b);
    case GND__OP_GREATER: return set_b(out, a > b);
    case GND__OP_GREATER_EQUAL: return set_b(out, a >= b);
    case GND__OP_CLIP: return set_b(out, (a | b) & x[2]);
    case GND__OP_IMAG:
    case GND__OP_ISINF:
    case GND__OP_ISPOSINF:
    case GND__OP_ISNEGINF:
    case GND__OP_ISNAN: return set_b(out, 0);
    case GND__OP_ISFINITE: return set_b(out, 1);
    case GND__OP_ABS:
    case GND__OP_CEIL:
    case GND__OP_FLOOR:
    case GND__OP_TRUNC:
    case GND__OP_ROUND:
    case GND__OP_REAL:
    case GND__OP_CONJ: return set_b(out, a);
    default: return REFUSED;
    }
}

/* Wider than all scalar ints, so that sums and products are exact before the range is checked. */
__extension__ typedef __int128 wide;

static wide wide_of(const gnd__scalar *s)
{
    return s->kind == 'u' ? (wide)s->u : (wide)s->i;
}

/* Sets an int of -2^63 to 2^64 - 1; from 2^63 on its kind is 'u'. */
static int set_wide(gnd__scalar *out, wide v)
{
    if (v < INT64_MIN || v > UINT64_MAX)
        return TOO_LARGE;
    set_i(out, (int64_t)(uint64_t)v);
    out->kind = v > INT64_MAX ? 'u' : 'i';
    return 0;
}

/* a to the power of b >= 0, if it fits. */
static int int_pow(wide a, wide b, gnd__scalar *out)
{
    wide r = 1;
    int large = 0; /* a no longer fits */
    for (; b; b >>= 1) {
        if (b & 1 && (large || __builtin_mul_overflow(r, a, &r)))
            return TOO_LARGE;
        large |= __builtin_mul_overflow(a, a, &a);
    }
    return set_wide(out, r);
}

static int int_shift_left(wide a, wide b, gnd__scalar *out)
{
    wide r;
    if (a == 0 || b < 0)
        return set_i(out, 0);
    return b > 64 || __builtin_mul_overflow(a, (wide)1 << b, &r) ? TOO_LARGE : set_wide(out, r);
}

static wide gcd(wide a, wide b)
{
    wide x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    while (y) {
        wide r = x % y;
        x = y;
        y = r;
    }
    return x;
}

static int int_lcm(wide a, wide b, gnd__scalar *out)
{
    wide g = gcd(a, b), r;
    if (g == 0)
        return set_i(out, 0);
    return __builtin_mul_overflow((a < 0 ? -a : a) / g, b < 0 ? -b : b, &r) ? TOO_LARGE
                                                                            : set_wide(out, r);
}

static int fold_int(gnd__op op, const wide *x, gnd__scalar *out)
{
    wide a = x[0], b = x[1], r;
    switch (op) {
    case GND__OP_ABS: return set_wide(out, a < 0 ? -a : a);
    case GND__OP_ADD: return set_wide(out, a + b);
    case GND__OP_SUBTRACT: return set_wide(out, a - b);
    case GND__OP_MULTIPLY: return __builtin_mul_overflow(a, b, &r) ? TOO_LARGE : set_wide(out, r);
    case GND__OP_NEGATIVE: return set_wide(out, -a);
    case GND__OP_SQUARE: return __builtin_mul_overflow(a, a, &r) ? TOO_LARGE : set_wide(out, r);
    case GND__OP_FLOOR_DIVIDE:
        return set_wide(out, b == 0 ? 0 : a / b - (a % b != 0 && (a % b < 0) != (b < 0)));
    case GND__OP_REMAINDER:
        r = b == 0 ? 0 : a % b;
        return set_wide(out, r != 0 && (r < 0) != (b < 0) ? r + b : r);
    case GND__OP_POW: return b < 0 ? set_f(out, pow((double)a, (double)b)) : int_pow(a, b, out);
    case GND__OP_RECIPROCAL: return set_wide(out, a == 1 || a == -1 ? a : 0);
    case GND__OP_SIGN: return set_i(out, (a > 0) - (a < 0));
    case GND__OP_MAXIMUM:
    case GND__OP_FMAX: return set_wide(out, a > b ? a : b);
    case GND__OP_MINIMUM:
    case GND__OP_FMIN: return set_wide(out, a < b ? a : b);
    case GND__OP_CLIP: r = a > b ? a : b; return set_wide(out, r < x[2] ? r : x[2]);
    case GND__OP_BITWISE_AND: return set_wide(out, a & b);
    case GND__OP_BITWISE_OR: return set_wide(out, a | b);
    case GND__OP_BITWISE_XOR: return set_wide(out, a ^ b);
    case GND__OP_BITWISE_INVERT: return set_wide(out, ~a);
    case GND__OP_BITWISE_LEFT_SHIFT: return int_shift_left(a, b, out);
    case GND__OP_BITWISE_RIGHT_SHIFT: return set_wide(out, a >> (b < 0 || b > 127 ? 127 : (int)b));
    case GND__OP_POSITIVE:
    case GND__OP_CEIL:
    case GND__OP_FLOOR:
    case GND__OP_TRUNC:
    case GND__OP_ROUND:
    case GND__OP_REAL:
    case GND__OP_CONJ: return set_wide(out, a);
    case GND__OP_IMAG: return set_i(out, 0);
    case GND__OP_ISFINITE: return set_b(out, 1);
    case GND__OP_ISINF:
    case GND__OP_ISPOSINF:
    case GND__OP_ISNEGINF:
    case GND__OP_ISNAN: return set_b(out, 0);
    case GND__OP_FMOD: return set_wide(out, b == 0 ? 0 : a % b);
    case GND__OP_GCD: return set_wide(out, gcd(a, b));
    case GND__OP_LCM: return int_lcm(a, b, out);
    default: return REFUSED;
    }
}

/* Compares any two integers, also int64 with uint64: -1, 0, 1. */
static int order(const gnd__scalar *a, const gnd__scalar *b)
{
    int na = a->kind != 'u' && a->i < 0, nb = b->kind != 'u' && b->i < 0;
    if (na != nb)
        return na ? -1 : 1;
    return (a->u > b->u) - (a->u < b->u); /* also correct if both are negative */
}

static int fold_int_cmp(gnd__op op, int c, gnd__scalar *out)
{
    switch (op) {
    case GND__OP_EQUAL: return set_b(out, c == 0);
    case GND__OP_NOT_EQUAL: return set_b(out, c != 0);
    case GND__OP_LESS: return set_b(out, c < 0);
    case GND__OP_LESS_EQUAL: return set_b(out, c <= 0);
    case GND__OP_GREATER: return set_b(out, c > 0);
    case GND__OP_GREATER_EQUAL: return set_b(out, c >= 0);
    default: return REFUSED;
    }
}

/* --- floats ----------------------------------------------------------------------------------- */

/* Quotient and remainder as in Python (kernels/real.cl). */
static double floor_div(double a, double b)
{
    double m = fmod(a, b), d = (a - m) / b, q = floor(d);
    if (b == 0)
        return a / b;
    if (m != 0 && (b < 0) != (m < 0))
        q = floor(d -= 1);
    if (d == 0)
        return copysign(0, a / b);
    return d - q > 0.5 ? q + 1 : q;
}

static double float_mod(double a, double b)
{
    double m = fmod(a, b);
    if (b == 0)
        return m;
    if (m == 0)
        return copysign(0, b);
    return (b < 0) != (m < 0) ? m + b : m;
}

static double log_add_exp(double a, double b)
{
    double d = a - b;
    if (a == b)
        return a + 0.693147180559945309417;
    return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}

static double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static double smaller(double a, double b)
{
    return a <= b || isnan(a) ? a : b;
}

static int fold_float(gnd__op op, const double *x, gnd__scalar *out)
{
    double a = x[0], b = x[1];
    switch (op) {
    case GND__OP_ABS: return set_f(out, fabs(a));
    case GND__OP_ADD: return set_f(out, a + b);
    case GND__OP_SUBTRACT: return set_f(out, a - b);
    case GND__OP_MULTIPLY: return set_f(out, a * b);
    case GND__OP_DIVIDE: return set_f(out, a / b);
    case GND__OP_FLOOR_DIVIDE: return set_f(out, floor_div(a, b));
    case GND__OP_REMAINDER: return set_f(out, float_mod(a, b));
    case GND__OP_POW: return set_f(out, pow(a, b));
    case GND__OP_NEGATIVE: return set_f(out, -a);
    case GND__OP_RECIPROCAL: return set_f(out, 1 / a);
    case GND__OP_SQUARE: return set_f(out, a * a);
    case GND__OP_SQRT: return set_f(out, sqrt(a));
    case GND__OP_HYPOT: return set_f(out, hypot(a, b));
    case GND__OP_SIGN: return set_f(out, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a);
    case GND__OP_CEIL: return set_f(out, ceil(a));
    case GND__OP_FLOOR: return set_f(out, floor(a));
    case GND__OP_TRUNC: return set_f(out, trunc(a));
    case GND__OP_ROUND: return set_f(out, rint(a));
    case GND__OP_MAXIMUM: return set_f(out, larger(a, b));
    case GND__OP_MINIMUM: return set_f(out, smaller(a, b));
    case GND__OP_CLIP: return set_f(out, smaller(larger(a, b), x[2]));
    case GND__OP_COPYSIGN: return set_f(out, copysign(a, b));
    case GND__OP_NEXTAFTER: return set_f(out, nextafter(a, b));
    case GND__OP_EXP: return set_f(out, exp(a));
    case GND__OP_EXPM1: return set_f(out, expm1(a));
    case GND__OP_LOG: return set_f(out, log(a));
    case GND__OP_LOG1P: return set_f(out, log1p(a));
    case GND__OP_LOG2: return set_f(out, log2(a));
    case GND__OP_LOG10: return set_f(out, log10(a));
    case GND__OP_LOGADDEXP: return set_f(out, log_add_exp(a, b));
    case GND__OP_ERF: return set_f(out, erf(a));
    case GND__OP_SIN: return set_f(out, sin(a));
    case GND__OP_COS: return set_f(out, cos(a));
    case GND__OP_TAN: return set_f(out, tan(a));
    case GND__OP_ASIN: return set_f(out, asin(a));
    case GND__OP_ACOS: return set_f(out, acos(a));
    case GND__OP_ATAN: return set_f(out, atan(a));
    case GND__OP_ATAN2: return set_f(out, atan2(a, b));
    case GND__OP_SINH: return set_f(out, sinh(a));
    case GND__OP_COSH: return set_f(out, cosh(a));
    case GND__OP_TANH: return set_f(out, tanh(a));
    case GND__OP_ASINH: return set_f(out, asinh(a));
    case GND__OP_ACOSH: return set_f(out, acosh(a));
    case GND__OP_ATANH: return set_f(out, atanh(a));
    case GND__OP_POSITIVE:
    case GND__OP_REAL:
    case GND__OP_CONJ: return set_f(out, a);
    case GND__OP_IMAG: return set_f(out, 0);
    case GND__OP_EQUAL: return set_b(out, a == b);
    case GND__OP_NOT_EQUAL: return set_b(out, a != b);
    case GND__OP_LESS: return set_b(out, a < b);
    case GND__OP_LESS_EQUAL: return set_b(out, a <= b);
    case GND__OP_GREATER: return set_b(out, a > b);
    case GND__OP_GREATER_EQUAL: return set_b(out, a >= b);
    case GND__OP_ISFINITE: return set_b(out, isfinite(a));
    case GND__OP_ISINF: return set_b(out, isinf(a));
    case GND__OP_ISNAN: return set_b(out, isnan(a));
    case GND__OP_SIGNBIT: return set_b(out, signbit(a));
    default: return gnd__fold_special(op, a, b, out);
    }
}

/* --- kinds ------------------------------------------------------------------------------------ */

static double to_double(const gnd__scalar *s)
{
    return s->kind == 'u' ? (double)s->u : s->kind == 'b' || s->kind == 'i' ? (double)s->i : s->re;
}

static int truth(const gnd__scalar *s)
{
    if (s->kind == 'f' || s->kind == 'c')
        return s->re != 0 || (s->kind == 'c' && s->im != 0);
    return s->u != 0;
}

/* The kind in which scalars from..n-1 are computed, before the operation's rule. */
static int common_kind(int from, int n, const gnd__scalar *in)
{
    int rank = 0;
    for (int i = from; i < n; i++) {
        int k = in[i].kind, r = k == 'c' ? 3 : k == 'f' ? 2 : k == 'b' ? 0 : 1;
        rank = r > rank ? r : rank;
    }
    return "bifc"[rank];
}

/* Converts s to kind k, which must not be below its own. */
static void convert(const gnd__scalar *s, int k, gnd__scalar *out)
{
    if (k == 'f')
        set_f(out, to_double(s));
    else if (k == 'c')
        set_c(out, to_double(s), s->kind == 'c' ? s->im : 0);
    else {
        *out = *s;
        if (s->kind == 'b')
            out->kind = k;
    }
}

/* Operations on ints (int64 or uint64). */
static int fold_ints(gnd__op op, int n, const gnd__scalar *in, gnd__scalar *out)
{
    wide x[3] = {0, 0, 0};
    if (gnd__ops[op].rule == GND__RULE_CMP)
        return fold_int_cmp(op, order(&in[0], &in[1]), out);
    for (int i = 0; i < n; i++)
        x[i] = wide_of(&in[i]);
    return fold_int(op, x, out);
}

/* Returns 0; REFUSED if op does not take these kinds; TOO_LARGE if an int result fits neither int64
 * nor uint64. */
int gnd__fold(gnd__op op, int nin, const gnd__scalar *in, gnd__scalar *out)
{
    if ((unsigned)op >= GND__NOPS || nin != gnd__ops[op].nin)
        return REFUSED;
    gnd__rule rule = gnd__ops[op].rule;
    int k = common_kind(rule == GND__RULE_WHERE, rule == GND__RULE_LDEXP ? 1 : nin, in);
    if (k != 'f' && k != 'c' &&
        (rule == GND__RULE_FLOAT || rule == GND__RULE_DIVIDE || rule == GND__RULE_LDEXP))
        k = 'f';
    if ((rule == GND__RULE_LDEXP && (in[1].kind == 'f' || in[1].kind == 'c')) ||
        (rule == GND__RULE_PARTS && k == 'c'))
        return REFUSED;
    if (rule == GND__RULE_PARTS)
        k = 'c';
    if (k == 'b' && (rule == GND__RULE_INT || rule == GND__RULE_SHIFT))
        k = 'i';
    if (rule == GND__RULE_LOGIC)
        k = 'b';
    if (!gnd__op_text(op, k))
        return REFUSED;
    if (rule == GND__RULE_WHERE) {
        gnd__scalar chosen = truth(&in[0]) ? in[1] : in[2];
        convert(&chosen, k, out);
        return 0;
    }

    int b[3] = {0, 0, 0};
    double f[3] = {0, 0, 0};
    gnd__cplx c[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int i = 0; i < nin; i++) {
        b[i] = truth(&in[i]);
        f[i] = to_double(&in[i]);
        c[i] = (gnd__cplx){f[i], in[i].kind == 'c' ? in[i].im : 0};
    }
    switch (k) {
    case 'b': return fold_bool(op, b, out);
    case 'i': return fold_ints(op, nin, in, out);
    case 'f': return fold_float(op, f, out);
    default: return gnd__fold_complex(op, c, out);
    }
}
