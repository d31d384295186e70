/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_fold.c - the table of operations, and operations on host scalars: kinds, Python's results
 * for bools and ints, and floats and complex values against C's long double functions. No device.
 */
#include "tap.h"

#include "graph/graph.h"
#include "mathref.h"
#include "mathspec.h"

#include <float.h>
#include <math.h>
#include <string.h>

static gnd__scalar I(int64_t v)
{
    gnd__scalar s = {.kind = 'i'};
    s.i = v;
    return s;
}

static gnd__scalar U(uint64_t v)
{
    gnd__scalar s = {.kind = 'u'};
    s.u = v;
    return s;
}

static gnd__scalar B(int v)
{
    gnd__scalar s = {.kind = 'b'};
    s.i = v;
    return s;
}

static gnd__scalar F(double v)
{
    return (gnd__scalar){.kind = 'f', .re = v};
}

static gnd__scalar C(double re, double im)
{
    return (gnd__scalar){.kind = 'c', .re = re, .im = im};
}

static gnd__scalar fold(const char *name, int *st, gnd__scalar a, gnd__scalar b, gnd__scalar c)
{
    gnd__scalar in[3] = {a, b, c}, out = {0};
    int op = gnd__op_find(name);
    *st = op < 0 ? -99 : gnd__fold((gnd__op)op, gnd__ops[op].nin, in, &out);
    return out;
}

static void is_whole(const char *name, gnd__scalar a, gnd__scalar b, int kind, int64_t want)
{
    int st;
    gnd__scalar r = fold(name, &st, a, b, I(0));
    if (!tap_ok(!st && r.kind == kind && r.i == want, "%s(%lld, %lld) is %c %lld", name,
                (long long)a.i, (long long)b.i, kind, (long long)want))
        tap_diag("status %d, kind %c, %lld", st, r.kind ? r.kind : '-', (long long)r.i);
}

static void is_float(const char *name, gnd__scalar a, gnd__scalar b, double want)
{
    int st;
    gnd__scalar r = fold(name, &st, a, b, F(0));
    tap_ok(!st && r.kind == 'f', "%s gives a float", name);
    tap_is_f64(r.re, want, "%s: its value", name);
}

static void is_refused(const char *name, gnd__scalar a, gnd__scalar b, int want)
{
    int st;
    fold(name, &st, a, b, I(0));
    tap_is_int(st, want, "%s of %c and %c is refused", name, a.kind, b.kind);
}

static void test_table(void)
{
    int bad = 0;
    for (int op = 0; op < GND__NOPS; op++) {
        const gnd__opinfo *o = &gnd__ops[op];
        bad += gnd__op_find(o->name) != op;
        bad += o->nin < 1 || o->nin > 3 || !o->doc || !o->doc[0];
        bad += !o->text_b && !o->text_i && !o->text_f && !o->text_c;
    }
    tap_is_int(bad, 0, "every row is whole");
    tap_is_int(GND__NOPS, 69 + 33, "67 functions of the standard, where and erf, and others");
    tap_is_int(gnd__op_find("nothing"), -1, "no such name");
    tap_is_int(gnd__op_find(NULL), -1, "no name");
    tap_ok(!gnd__op_text(GND__OP_SUBTRACT, 'b') && !gnd__op_text(GND__NOPS, 'f'), "no text");
}

static void test_ints(void)
{
    is_whole("add", B(1), B(1), 'b', 1);
    is_whole("add", B(1), I(1), 'i', 2);
    is_whole("multiply", B(1), B(0), 'b', 0);
    is_whole("abs", B(1), B(0), 'b', 1);
    is_whole("pow", I(2), I(62), 'i', (int64_t)1 << 62);
    is_whole("pow", I(-2), I(63), 'i', INT64_MIN);
    is_whole("pow", I(0), I(0), 'i', 1);
    is_whole("pow", B(1), B(1), 'i', 1);
    is_whole("floor_divide", I(-7), I(2), 'i', -4);
    is_whole("floor_divide", I(7), I(-2), 'i', -4);
    is_whole("floor_divide", I(7), I(0), 'i', 0);
    is_whole("remainder", I(-7), I(2), 'i', 1);
    is_whole("remainder", I(7), I(-2), 'i', -1);
    is_whole("remainder", I(INT64_MIN), I(-1), 'i', 0);
    is_whole("bitwise_left_shift", I(-1), I(63), 'i', INT64_MIN);
    is_whole("bitwise_left_shift", I(3), I(-1), 'i', 0);
    is_whole("bitwise_right_shift", I(-8), I(70), 'i', -1);
    is_whole("bitwise_invert", B(1), B(0), 'b', 0);
    is_whole("bitwise_invert", I(5), I(0), 'i', -6);
    is_whole("bitwise_and", B(1), I(6), 'i', 0);
    is_whole("logical_xor", F(NAN), C(0, 2), 'b', 0);
    is_whole("logical_not", I(0), I(0), 'b', 1);
    is_whole("less", I(-1), U(UINT64_MAX), 'b', 1);
    is_whole("equal", I(-1), U(UINT64_MAX), 'b', 0);
    is_whole("greater", U(UINT64_MAX), U(3), 'b', 1);
    is_whole("isfinite", I(3), I(0), 'b', 1);
    is_whole("sign", I(-9), I(0), 'i', -1);
    is_whole("imag", I(9), I(0), 'i', 0);
    is_whole("floor", I(9), I(0), 'i', 9);
    is_whole("maximum", I(-9), B(1), 'i', 1);
    is_whole("fmax", B(1), B(0), 'b', 1);
    is_whole("fmin", I(-9), B(1), 'i', -9);
    is_whole("fmod", I(-7), I(2), 'i', -1);
    is_whole("fmod", I(INT64_MIN), I(-1), 'i', 0);
    is_whole("fmod", I(7), I(0), 'i', 0);
    is_whole("gcd", I(-12), I(18), 'i', 6);
    is_whole("gcd", I(0), B(0), 'i', 0);
    is_whole("gcd", I(INT64_MIN), I(12), 'i', 4);
    is_whole("lcm", I(-4), I(6), 'i', 12);
    is_whole("lcm", I(0), I(6), 'i', 0);
    is_whole("isposinf", I(4), I(0), 'b', 0);
    is_whole("isneginf", F(-INFINITY), I(0), 'b', 1);
    is_whole("frexp_exponent", I(12), I(0), 'i', 4);

    int st;
    gnd__scalar r = fold("clip", &st, I(5), I(7), I(6));
    tap_ok(!st && r.kind == 'i' && r.i == 6, "clip with lo > hi is hi");
    r = fold("where", &st, F(0), I(1), F(2.5));
    tap_ok(!st && r.kind == 'f' && r.re == 2.5, "where: the second value");
    r = fold("where", &st, B(1), I(1), F(2.5));
    tap_ok(!st && r.kind == 'f' && r.re == 1, "where: the first value, promoted");

    is_refused("subtract", B(1), B(1), -1);
    is_refused("negative", B(1), B(1), -1);
    is_refused("bitwise_or", F(1), I(1), -1);
    is_refused("bitwise_left_shift", I(1), F(1), -1);
    is_refused("floor_divide", C(1, 0), I(1), -1);
    is_refused("atan2", C(1, 0), I(1), -1);
    is_refused("gcd", F(2), I(4), -1);
    is_refused("ldexp", F(2), F(1), -1);
    is_refused("from_parts", C(2, 1), F(1), -1);
    /* from 2^63 on a result is a uint64 */
    is_whole("gcd", I(INT64_MIN), I(0), 'u', INT64_MIN);
    is_whole("lcm", I(INT64_MAX), I(2), 'u', -2);
    is_whole("add", I(INT64_MAX), I(1), 'u', INT64_MIN);
    is_whole("multiply", I(INT64_MAX), I(2), 'u', -2);
    is_whole("negative", I(INT64_MIN), I(0), 'u', INT64_MIN);
    is_whole("floor_divide", I(INT64_MIN), I(-1), 'u', INT64_MIN);
    is_whole("pow", I(10), I(19), 'u', (int64_t)10000000000000000000u);
    is_whole("bitwise_left_shift", I(1), I(63), 'u', INT64_MIN);
    is_whole("add", U(UINT64_MAX), I(-1), 'u', -2);
    is_whole("subtract", U(UINT64_MAX), U(UINT64_MAX), 'i', 0);
    is_whole("remainder", I(-1), U(UINT64_MAX), 'u', -2);
    is_whole("remainder", U(UINT64_MAX), I(-10), 'i', -5);
    is_whole("floor_divide", U(UINT64_MAX), I(2), 'i', INT64_MAX);
    is_whole("maximum", U(UINT64_MAX), I(-1), 'u', -1);
    is_whole("bitwise_and", U(UINT64_MAX), I(-2), 'u', -2);
    is_whole("bitwise_right_shift", U(UINT64_MAX), I(63), 'i', 1);
    is_whole("sign", U(UINT64_MAX), I(0), 'i', 1);
    is_refused("lcm", I(INT64_MAX), I(4), -2);
    is_refused("add", U(UINT64_MAX), I(1), -2);
    is_refused("multiply", U(UINT64_MAX), U(UINT64_MAX), -2);
    is_refused("negative", U(UINT64_MAX), I(0), -2);
    is_refused("floor_divide", U(UINT64_MAX), I(-1), -2);
    is_refused("pow", I(10), I(20), -2);
    is_refused("pow", I(2), U(UINT64_MAX), -2);
    is_refused("bitwise_left_shift", I(1), I(64), -2);
    is_refused("bitwise_left_shift", I(-1), I(64), -2);
    is_refused("bitwise_invert", U(UINT64_MAX), I(0), -2);
    gnd__scalar in[2] = {I(1), I(2)}, out;
    tap_is_int(gnd__fold(GND__OP_ADD, 1, in, &out), -1, "a wrong number of arguments");
}

static void test_float_results(void)
{
    is_float("divide", I(1), I(2), 0.5);
    is_float("divide", I(1), I(0), INFINITY);
    is_float("divide", B(1), B(1), 1);
    is_float("pow", I(2), I(-1), 0.5);
    is_float("sin", I(1), I(0), sin(1));
    is_float("sqrt", B(1), I(0), 1);
    is_float("abs", C(3, -4), I(0), 5);
    is_float("real", C(3, -4), I(0), 3);
    is_float("imag", F(3), I(0), 0);
    is_float("floor_divide", F(-7), F(2), -4);
    is_float("floor_divide", F(1), F(0), INFINITY);
    is_float("floor_divide", F(-1), F(INFINITY), -1);
    is_float("remainder", F(-1), F(INFINITY), INFINITY);
    is_float("remainder", F(-6), F(2), 0);
    is_float("maximum", F(NAN), F(1), NAN);
    is_float("minimum", I(1), F(NAN), NAN);
    is_float("fmin", I(1), F(NAN), 1);
    is_float("fmax", F(NAN), F(NAN), NAN);
    is_float("ldexp", I(3), I(4), 48);
    is_float("ldexp", F(1), I(INT64_MAX), INFINITY);
    is_float("gamma", I(5), I(0), 24);
    is_float("ndtri", F(0.5), I(0), 0);
    is_float("erfcinv", I(1), I(0), 0);
    is_float("sinc", I(3), I(0), 0);
    is_float("sinc", B(0), I(0), 1);
}

static double error(double got, long double want, long double scale)
{
    if (isnan(want) || isnan(got) || isinf((double)want) || isinf(got))
        return (isnan(want) && isnan(got)) || got == (double)want ? 0 : HUGE_VAL;
    int e;
    frexpl(scale, &e);
    e = e - 53 < -1074 ? -1074 : e - 53;
    return (double)(fabsl((long double)got - want) / ldexpl(1, e));
}

/* Every operation that takes floats or complex values, over all pairs of some values. */
static void test_against_reference(int complex)
{
    static const double v[] = {0,   -0.0, 1,       -1,    0.5, -2.5,     3,         10,
                               700, 1e-8, -1e-300, 1e300, 0.3, INFINITY, -INFINITY, NAN};
    const int n = sizeof v / sizeof *v;
    for (int op = 0; op < GND__NOPS; op++) {
        double worst = 0;
        if (!gnd__op_text((gnd__op)op, complex ? 'c' : 'f') || op == GND__OP_WHERE)
            continue;
        for (int i = 0; i < n * n; i++) {
            double a = v[i % n], b = v[i / n], e, loose = 0;
            gnd__scalar in[3] = {F(a), F(b), F(2)}, r;
            mathref_c want, x[3] = {{a, b}, {b, 1.5L}, {2, 0}};
            long double scale = 0;
            if (op == GND__OP_FROM_PARTS) { /* of reals */
                x[0].im = x[1].im = 0;
                want = mathref_complex((gnd__op)op, 0, x, &loose);
            } else if (complex) {
                in[0] = C(a, b);
                in[1] = C(b, 1.5);
                want = mathref_complex((gnd__op)op, 0, x, &loose);
            } else {
                long double y[3] = {a, b, 2};
                if (op == GND__OP_LDEXP) {
                    in[1] = I(isfinite(b) && fabs(b) < 1e4 ? (int64_t)b : b > 0 ? INT64_MAX : -7);
                    y[1] = (long double)in[1].i;
                }
                want = (mathref_c){mathref_real((gnd__op)op, 0, y), 0};
                scale = mathspec_scale((gnd__op)op, y, want.re);
            }
            if (gnd__fold((gnd__op)op, gnd__ops[op].nin, in, &r))
                e = HUGE_VAL;
            else if (r.kind == 'b')
                e = (long double)r.i == want.re ? 0 : HUGE_VAL;
            else if (complex && (!isfinite(a) || !isfinite(b) || isinf(loose)))
                e = 0; /* C's special cases: tested with the kernels */
            else if (r.kind == 'i')
                e = (long double)r.i == want.re ? 0 : HUGE_VAL;
            else if (r.kind == 'f')
                e = error(r.re, want.re, complex ? want.re : scale) / 2;
            else {
                long double m = hypotl(want.re, want.im);
                e = isinf((double)m) ? 0 : fmax(error(r.re, want.re, m), error(r.im, want.im, m));
                e /= 4 + loose;
            }
            worst = e > worst ? e : worst;
        }
        tap_ok(worst <= 2, "%s of %s values: %.2f of the bound", gnd__ops[op].name,
               complex ? "complex" : "float", worst / 2);
    }
}

int main(void)
{
    test_table();
    test_ints();
    test_float_results();
    test_against_reference(0);
    test_against_reference(1);
    return tap_done();
}
