/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_math.c - every operation of the table on float32, float64, complex64 and complex128, as
 * its kernel computes it on PoCL, against C's long double functions: special values, the edges of
 * the range and random values. The error is in units in the last place of the result's dtype,
 * for complex results of the modulus; the bounds are in the table below. Arguments: names of the
 * operations to test, all without any.
 */
#include "tap.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "graph/opset.h"
#include "kernelrun.h"
#include "mathref.h"
#include "mathspec.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The greatest error allowed, in ulp: f32, f64, complex. Others: mathspec.c, or 0. */
static const struct {
    gnd__op op;
    double f32, f64, cplx;
} bounds[] = {
    {GND__OP_DIVIDE, 0.5, 0.5, 4},   {GND__OP_RECIPROCAL, 0.5, 0.5, 4},
    {GND__OP_SQRT, 0.5, 0.5, 4},     {GND__OP_MULTIPLY, 0.5, 0.5, 2},
    {GND__OP_SQUARE, 0.5, 0.5, 2},   {GND__OP_ADD, 0.5, 0.5, 1},
    {GND__OP_SUBTRACT, 0.5, 0.5, 1}, {GND__OP_ABS, 0, 0, 4},
    {GND__OP_HYPOT, 4, 4, 0},        {GND__OP_SIGN, 0, 0, 4},
    {GND__OP_POW, 16, 16, 16},       {GND__OP_EXP, 3, 3, 6},
    {GND__OP_EXPM1, 3, 3, 6},        {GND__OP_LOG, 3, 3, 4},
    {GND__OP_LOG1P, 2, 2, 4},        {GND__OP_LOG2, 3, 3, 6},
    {GND__OP_LOG10, 3, 3, 6},        {GND__OP_LOGADDEXP, 4, 4, 0},
    {GND__OP_ERF, 16, 16, 0},        {GND__OP_SIN, 4, 4, 6},
    {GND__OP_COS, 4, 4, 6},          {GND__OP_TAN, 5, 5, 8},
    {GND__OP_ASIN, 4, 4, 6},         {GND__OP_ACOS, 4, 4, 6},
    {GND__OP_ATAN, 5, 5, 6},         {GND__OP_ATAN2, 6, 6, 0},
    {GND__OP_SINH, 4, 4, 6},         {GND__OP_COSH, 4, 4, 6},
    {GND__OP_TANH, 5, 5, 8},         {GND__OP_ASINH, 4, 4, 6},
    {GND__OP_ACOSH, 4, 4, 6},        {GND__OP_ATANH, 5, 5, 6},
};

/* Of kernels/elementary.cl: on CPUs with float64 float32 is right to half an ulp, and float64 of
 * kernels/double.cl and kernels/dinverse.cl to 2. */
static const gnd__op elementary[] = {
    GND__OP_SIN,   GND__OP_COS,   GND__OP_TAN,  GND__OP_ASIN,  GND__OP_ACOS,  GND__OP_ATAN,
    GND__OP_ATAN2, GND__OP_SINH,  GND__OP_COSH, GND__OP_TANH,  GND__OP_ASINH, GND__OP_ACOSH,
    GND__OP_ATANH, GND__OP_EXP,   GND__OP_EXP2, GND__OP_EXPM1, GND__OP_LOG,   GND__OP_LOG2,
    GND__OP_LOG10, GND__OP_LOG1P, GND__OP_ERF,  GND__OP_POW,   GND__OP_HYPOT,
};
static int cpu;

static double bound_of(gnd__op op, gnd_dtype t)
{
    for (size_t i = 0;
         i < sizeof elementary / sizeof *elementary && cpu && gnd_dtype_kind(t) == 'f'; i++)
        if (elementary[i] == op)
            return t == GND_FLOAT32 ? 0.51 : 2;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].op == op)
            return gnd_dtype_kind(t) == 'c' ? bounds[i].cplx
                   : t == GND_FLOAT32       ? bounds[i].f32
                                            : bounds[i].f64;
    return mathspec_bound(op);
}

/* --- values ----------------------------------------------------------------------------------- */

static uint64_t seed = 20251;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double uniform(void)
{
    return (double)(rnd() >> 11) * 0x1p-53;
}

/* Half of them near 1 in size, the others of any exponent. */
static double random_value(gnd_dtype real)
{
    double s = rnd() & 1 ? -1 : 1, range = real == GND_FLOAT32 ? 127 : 1023;
    if (rnd() & 1)
        return s * uniform() * 8;
    return s * ldexp(1 + uniform(), (int)((uniform() * 2 - 1) * range));
}

/* One for an operation with places of its own: in its range, near a point of it, or any. */
static double random_at(gnd_dtype real, const mathspec_places *p)
{
    double d = ldexp(1 + uniform(), -(int)(uniform() * (real == GND_FLOAT32 ? 26 : 58)));
    switch (rnd() >> 40 & 3) {
    case 0: return random_value(real);
    case 1: return p->at[rnd() % (unsigned)p->n] + (rnd() & 1 ? -d : d);
    default: return p->lo + (p->hi - p->lo) * uniform();
    }
}

/* Special values of a real dtype; `few` takes those that matter most. */
static int specials(gnd_dtype real, int few, double *v)
{
    int f32 = real == GND_FLOAT32, n = 0;
    const double tiny = f32 ? 0x1p-149 : 0x1p-1074, least = f32 ? FLT_MIN : DBL_MIN;
    const double most = f32 ? (double)FLT_MAX : DBL_MAX, eps = f32 ? FLT_EPSILON : DBL_EPSILON;
    const double a[] = {0, 1, INFINITY, NAN, 2.5, tiny, most};
    const double b[] = {0.5,
                        2,
                        3,
                        1.5,
                        0.3,
                        0.7,
                        10,
                        22.5,
                        88.5,
                        89.5,
                        100,
                        709.5,
                        711,
                        1e4,
                        1e10,
                        3.14159265358979,
                        1.5707963267948966,
                        1 + eps,
                        1 - eps / 2,
                        eps,
                        least,
                        least - tiny,
                        least * 3,
                        most / 2,
                        sqrt(most),
                        sqrt(least),
                        1e-5,
                        1e-20,
                        1e20};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        v[n++] = a[i], v[n++] = -a[i];
    for (size_t i = 0; !few && i < sizeof b / sizeof *b; i++)
        v[n++] = b[i], v[n++] = -b[i];
    for (int i = 0; i < n && f32; i++)
        v[i] = (double)(float)v[i];
    return n;
}

enum { MAX_N = 60000 };

/* Arguments: args[k] holds n values, complex ones as pairs. Every combination of specials (few of
 * them where there are many), then random ones. */
static size_t fill(gnd__op op, gnd_dtype t, int nin, double *args[3])
{
    int cplx = gnd_dtype_kind(t) == 'c', parts = nin * (1 + cplx);
    gnd_dtype real = cplx ? t == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64 : t;
    double v[100];
    int ns = specials(real, parts > 2, v);
    size_t n = 0, combos = 1, more = 4000;
    mathspec_places places;
    int placed = mathspec_where(op, real == GND_FLOAT32, &places);
    if (placed)
        more = getenv("GND_TEST_ALL") ? MAX_N : 10000;
    for (int i = 0; i < parts && i < 4; i++)
        combos *= (size_t)ns;
    for (; n < combos + more && n < MAX_N; n++) {
        size_t c = n;
        double same = random_value(real);
        for (int p = 0; p < parts; p++) {
            double x = n < combos ? v[c % (size_t)ns]
                       : placed   ? random_at(real, &places)
                                  : random_value(real);
            if (n >= combos && rnd() % 8 == 0) /* equal parts, now and then */
                x = same;
            c /= (size_t)ns;
            if (gnd__op_arg(op, p, t) == GND_INT32)
                x = isnan(x) ? 1 : fabs(x) > 3000 ? copysign(x > 1e10 ? 1e9 : 300, x) : trunc(x);
            args[p / (1 + cplx)][cplx ? 2 * n + (size_t)(p & 1) : n] =
                real == GND_FLOAT32 ? (double)(float)x : x;
        }
    }
    return n;
}

/* --- running and comparing -------------------------------------------------------------------- */

/* Packs doubles as dtype t, or unpacks; n elements. */
static void convert(gnd_dtype t, void *mem, double *v, size_t n, int pack)
{
    size_t parts = gnd_dtype_kind(t) == 'c' ? 2 * n : n;
    for (size_t i = 0; i < parts; i++) {
        if (t == GND_BOOL)
            v[i] = ((unsigned char *)mem)[i];
        else if (t == GND_INT32 && pack)
            ((int32_t *)mem)[i] = (int32_t)v[i];
        else if (t == GND_INT32)
            v[i] = ((int32_t *)mem)[i];
        else if (t == GND_FLOAT32 || t == GND_COMPLEX64) {
            if (pack)
                ((float *)mem)[i] = (float)v[i];
            else
                v[i] = (double)((float *)mem)[i];
        } else if (pack)
            ((double *)mem)[i] = v[i];
        else
            v[i] = ((double *)mem)[i];
    }
}

static int sign_differs(long double a, long double b)
{
    return !signbit(a) != !signbit(b);
}

/* The distance of two reals in ulp of `scale` in the dtype; HUGE_VAL when one is special and the
 * other is not. Results beyond the range may round to inf or stay at the largest number. */
static double ulps(gnd_dtype t, double got, long double want, long double scale)
{
    int f32 = t == GND_FLOAT32;
    long double most = f32 ? FLT_MAX : DBL_MAX;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (isinf(want))
        return (double)want == got ? 0 : HUGE_VAL;
    if (isinf(got))
        return fabsl(want) >= most * (1 - 16 * (f32 ? 0x1p-24L : 0x1p-53L)) &&
                       !sign_differs(got, want)
                   ? 0
                   : HUGE_VAL;
    int e;
    if (fabsl(scale) > most)
        scale = most;
    frexpl(scale, &e);
    e -= f32 ? 24 : 53;
    if (scale == 0 || e < (f32 ? -149 : -1074))
        e = f32 ? -149 : -1074;
    return (double)(fabsl((long double)got - want) / ldexpl(1, e));
}

/* In ulp of the modulus. Beside a NaN part C leaves the sign of an infinite part open. */
static double complex_error(gnd_dtype real, const double *got, mathref_c want, int *bad_zero)
{
    int special = !isfinite(want.re) || !isfinite(want.im);
    long double m = special ? 0 : hypotl(want.re, want.im);
    long double part[2] = {want.re, want.im};
    double err = 0;
    for (int i = 0; i < 2; i++) {
        double g = got[i];
        if (special && isnan(part[1 - i]) && isinf(part[i]))
            g = copysign(g, (double)part[i]);
        err = fmax(err, ulps(real, g, part[i], special ? part[i] : m));
        if (bad_zero && !isnan(part[1 - i]) && g == 0 && part[i] == 0 && sign_differs(g, part[i]))
            ++*bad_zero;
    }
    return err;
}

/* Operations that do not promise the sign of a zero. */
static int any_zero(gnd__op op)
{
    return op == GND__OP_MAXIMUM || op == GND__OP_MINIMUM || op == GND__OP_CLIP ||
           op == GND__OP_FMAX || op == GND__OP_FMIN || op == GND__OP_XLOGY || op == GND__OP_SINC;
}

typedef struct worst {
    double err;
    size_t at;
} worst;

static worst compare(gnd__op op, gnd_dtype t, gnd_dtype out, size_t n, double *const args[3],
                     const double *got, int *bad_zero)
{
    worst w = {0, 0};
    int ctype = gnd_dtype_kind(t) == 'c', cout = gnd_dtype_kind(out) == 'c';
    gnd_dtype real = gnd_dtype_size(out) == (cout ? 8 : 4) ? GND_FLOAT32 : GND_FLOAT64;
    for (size_t i = 0; i < n; i++) {
        double err;
        int zeros = *bad_zero;
        if (ctype) {
            mathref_c x[3], want;
            for (int k = 0; k < gnd__ops[op].nin; k++)
                x[k] = (mathref_c){args[k][2 * i], args[k][2 * i + 1]};
            if (op == GND__OP_WHERE)
                x[0].re = x[0].re != 0 || x[0].im != 0;
            double loose = 0;
            want = mathref_complex(op, real == GND_FLOAT32 && t == GND_COMPLEX64, x, &loose);
            if (out == GND_BOOL)
                err = got[i] == (double)want.re ? 0 : HUGE_VAL;
            else if (!cout)
                err = ulps(real, got[i], want.re, want.re);
            else {
                err = complex_error(real, got + 2 * i, want,
                                    op == GND__OP_POW || op == GND__OP_DIVIDE ? NULL : bad_zero);
                err = isinf(loose) ? 0 : err / (1 + loose);
            }
        } else {
            long double x[3] = {0, 0, 0}, want;
            for (int k = 0; k < gnd__ops[op].nin; k++)
                x[k] = (long double)args[k][i];
            want = mathref_real(op, t == GND_FLOAT32, x);
            err = out == GND_BOOL || out == GND_INT32
                      ? got[i] == (double)want ? 0 : HUGE_VAL
                      : ulps(t, got[i], want, mathspec_scale(op, x, want));
            if (out != GND_BOOL && out != GND_INT32 && want == 0 && got[i] == 0 &&
                sign_differs(want, got[i]) && !any_zero(op))
                ++*bad_zero;
        }
        if (err > w.err) {
            w.err = err;
            w.at = i;
        }
        if ((err > bound_of(op, t) || *bad_zero > zeros) && getenv("KERNELS_VERBOSE"))
            tap_diag("%s %s: %.9g ulp at %zu: x = %.17g %.17g, %.17g %.17g -> %.17g %.17g",
                     gnd__ops[op].name, gnd__suffix(t), err, i, args[0][ctype ? 2 * i : i],
                     ctype ? args[0][2 * i + 1] : 0, args[1][ctype ? 2 * i : i],
                     ctype ? args[1][2 * i + 1] : 0, got[cout ? 2 * i : i],
                     cout ? got[2 * i + 1] : 0);
    }
    return w;
}

static void test_op(krun *k, gnd__op op, gnd_dtype t)
{
    static double buf[3][2 * MAX_N], got[2 * MAX_N];
    static double in[3][2 * MAX_N], out[2 * MAX_N];
    double *args[3] = {buf[0], buf[1], buf[2]};
    const void *ins[3] = {in[0], in[1], in[2]};
    size_t bytes[3];
    char name[64];
    int nin = gnd__ops[op].nin, bad_zero = 0;
    gnd_dtype ot = krun_out_dtype(op, t);
    size_t n = fill(op, t, nin, args);

    for (int i = 0; i < nin; i++) {
        gnd_dtype ti = gnd__op_arg(op, i, t);
        convert(ti, in[i], args[i], n, 1);
        bytes[i] = n * gnd_dtype_size(ti);
    }
    snprintf(name, sizeof name, "k_%s_%s", gnd__ops[op].name, gnd__suffix(t));
    if (krun_run(k, name, n, out, n * gnd_dtype_size(ot), nin, ins, bytes)) {
        tap_fail("%s %s runs", gnd__ops[op].name, gnd__suffix(t));
        return;
    }
    convert(ot, out, got, n, 0);
    worst w = compare(op, t, ot, n, args, got, &bad_zero);
    int c = gnd_dtype_kind(t) == 'c';
    if (!tap_ok(w.err <= bound_of(op, t) && !bad_zero, "%s %s: %.2f ulp of %g, %zu values",
                gnd__ops[op].name, gnd__suffix(t), w.err, bound_of(op, t), n)) {
        size_t i = w.at;
        tap_diag("%d zeros of the wrong sign; worst: x1 = %.17g %.17g", bad_zero,
                 args[0][c ? 2 * i : i], c ? args[0][2 * i + 1] : 0.0);
        if (nin > 1)
            tap_diag("x2 = %.17g %.17g", args[1][c ? 2 * i : i], c ? args[1][2 * i + 1] : 0.0);
        tap_diag("got %.17g %.17g", got[gnd_dtype_kind(ot) == 'c' ? 2 * i : i],
                 gnd_dtype_kind(ot) == 'c' ? got[2 * i + 1] : 0.0);
    }
}

int main(int argc, char **argv)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
    const char *why;
    krun *k = krun_open(&why);
    if (!k)
        tap_skip_all("%s", why);
    cpu = krun_props(k)->kind == GND_DEV_CPU && krun_props(k)->has_f64;
    for (size_t d = 0; d < 4; d++) {
        gnd_dtype t = dtypes[d];
        gnd__str body = {0};
        if (gnd__needs_f64(t) && !krun_props(k)->has_f64) {
            tap_skip(1, "%s: the device has no float64", gnd__suffix(t));
            continue;
        }
        char wanted[GND__NOPS] = {0};
        for (int op = 0; op < GND__NOPS; op++) {
            wanted[op] = gnd__op_text((gnd__op)op, gnd_dtype_kind(t)) && (argc < 2);
            for (int a = 1; a < argc; a++)
                wanted[op] |= gnd__op_text((gnd__op)op, gnd_dtype_kind(t)) &&
                              !strcmp(argv[a], gnd__ops[op].name);
            if (op == GND__OP_WHERE) /* its first argument is a bool */
                wanted[op] = 0;
            if (wanted[op])
                krun_add_op(&body, (gnd__op)op, t);
        }
        if (body.len && tap_ok(!krun_build(k, gnd__str_get(&body)), "%s compiles", gnd__suffix(t)))
            for (int op = 0; op < GND__NOPS; op++)
                if (wanted[op])
                    test_op(k, (gnd__op)op, t);
        gnd__str_free(&body);
    }
    krun_close(k);
    return tap_done();
}
