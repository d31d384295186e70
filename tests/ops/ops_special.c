/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_special.c - special functions and the other operations beyond the standard on every device:
 * errors of the functions of one argument over the ranges and near the points that matter to each
 * (ops_elementwise.c has their dtypes, layouts and special values), and the functions of
 * gnd/special.h against loops.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/opset.h"
#include "mathspec.h"
#include "ref.h"
#include "tap.h"

typedef gnd_array *(*unary_func)(gnd_array *);

/* The driver's functions lose subnormal numbers: rusticl's do. */
static int flushes;

static double uniform(void)
{
    return (double)(ref_rnd() >> 11) * 0x1p-53;
}

/* --- accuracy --------------------------------------------------------------------------------- */

enum { N = 8000, TEAM = 7 };

static double value(int f32, const mathspec_places *p)
{
    double d = ldexp(1 + uniform(), -(int)(uniform() * (f32 ? 26 : 58)));
    switch (ref_rnd() >> 40 & 3) {
    case 0: return ldexp(uniform() * 2 - 1, (int)((uniform() * 2 - 1) * (f32 ? 126 : 1022)));
    case 1: return p->at[ref_rnd() % (unsigned)p->n] + (ref_rnd() & 1 ? -d : d);
    default: return p->lo + (p->hi - p->lo) * uniform();
    }
}

static void judge(int op, gnd_dtype t, gnd_array *y, const ref_arr *in)
{
    const int64_t n = N;
    double worst = 0, bound = mathspec_bound((gnd__op)op);
    int64_t at = 0, lost = 0;
    ref_arr got;
    char why[300];
    if (!ref_read(y, t, 1, &n, &got, why, sizeof why)) {
        tap_fail("%s of %s: %s", gnd__ops[op].name, gnd_dtype_name(t), why);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        long double x[3] = {ref_nth(in, i).re, 0, 0},
                    want = mathspec_real((gnd__op)op, t == GND_FLOAT32, x);
        ref_num g = ref_nth(&got, i);
        long double scale = mathspec_scale((gnd__op)op, x, want);
        double err = ref_ulps(t, g, ref_float(want), 0);
        if (isfinite(err) && isfinite(want) && isfinite(g.re))
            err = (double)(fabsl(g.re - want) / ref_ulp_at(t, scale));
        if (flushes && (fabsl(x[0]) < FLT_MIN || fabsl(want) < 2 * FLT_MIN))
            lost += err > bound;
        else if (err > worst) {
            worst = err;
            at = i;
        }
    }
    if (lost)
        tap_skip(1, "rusticl flushes subnormals: %d elements of %s", (int)lost, gnd__ops[op].name);
    long double x = ref_nth(in, at).re, g = ref_nth(&got, at).re;
    if (!tap_ok(worst <= bound, "%s of %s: %.2f ulp of %g", gnd__ops[op].name, gnd_dtype_name(t),
                worst, bound))
        tap_diag("of %.17Lg: %.17Lg, not %.20Lg", x, g,
                 mathspec_real((gnd__op)op, t == GND_FLOAT32, (long double[]){x, 0, 0}));
    ref_free(&got);
}

static void accuracy(gnd_device *dev, gnd_dtype t)
{
    static const unary_func funcs[GND__NOPS] = {
        [GND__OP_EXP2] = gnd_exp2,         [GND__OP_SIGMOID] = gnd_sigmoid,
        [GND__OP_LOGIT] = gnd_logit,       [GND__OP_SINC] = gnd_sinc,
        [GND__OP_GAMMA] = gnd_gamma,       [GND__OP_LGAMMA] = gnd_lgamma,
        [GND__OP_DIGAMMA] = gnd_digamma,   [GND__OP_ERFC] = gnd_erfc,
        [GND__OP_ERFINV] = gnd_erfinv,     [GND__OP_ERFCINV] = gnd_erfcinv,
        [GND__OP_NDTR] = gnd_ndtr,         [GND__OP_NDTRI] = gnd_ndtri,
        [GND__OP_LOG_NDTR] = gnd_log_ndtr, [GND__OP_I0] = gnd_i0,
    };
    const int64_t n = N;
    int op[TEAM], k = 0;
    ref_arr in[TEAM];
    gnd_array *y[TEAM];
    ref_seed(7 + (uint64_t)t);
    gnd_scope_begin();
    for (int o = 0; o <= GND__NOPS; o++) {
        mathspec_places p;
        if (o < GND__NOPS && mathspec_where((gnd__op)o, t == GND_FLOAT32, &p)) {
            if (!tap_ok(funcs[o] != NULL, "%s has a function", gnd__ops[o].name))
                continue;
            in[k] = ref_new(t, 1, &n);
            for (int64_t i = 0; i < n; i++)
                ref_put(t, ref_at(&in[k], &i), ref_float(value(t == GND_FLOAT32, &p)));
            y[k] = funcs[o](gnd_from(dev, t, 1, &n, in[k].p));
            op[k++] = o;
        }
        if (k == TEAM || (o == GND__NOPS && k)) {
            gnd_eval_all(k, y);
            for (; k > 0; k--) {
                judge(op[k - 1], t, y[k - 1], &in[k - 1]);
                ref_free(&in[k - 1]);
            }
        }
    }
    gnd_scope_end();
}

/* --- checking against loops ------------------------------------------------------------------- */

enum { MAX = 64 };
static ref_num want[MAX];

/* y has dtype t and the n elements of want, to so many ulp, with the signs of zeros when zeros. */
static void check(gnd_array *y, gnd_dtype t, int64_t n, double ulp, int zeros, const char *what)
{
    ref_arr got;
    char why[300], a[64], b[64];
    if (!ref_read(y, t, 1, &n, &got, why, sizeof why)) {
        tap_fail("%s: %s", what, why);
        return;
    }
    int64_t bad = -1;
    for (int64_t i = 0; i < n && bad < 0; i++)
        if (!(ref_ulps(t, ref_nth(&got, i), want[i], zeros) <= ulp))
            bad = i;
    if (!tap_ok(bad < 0, "%s: %s", what, gnd_dtype_name(t)))
        tap_diag("element %d: %s, not %s", (int)bad, ref_text(ref_nth(&got, bad), a, sizeof a),
                 ref_text(want[bad], b, sizeof b));
    ref_free(&got);
}

static const long double values[] = {0,    -0.0L,  1,        -1,        0.5L,     -0.75L,
                                     2.5L, -3.25L, 100.125L, -1023,     INFINITY, -INFINITY,
                                     NAN,  65504,  0x1p-24L, -0x1p-20L, 3,        7};
enum { NV = sizeof values / sizeof *values };

/* The values as an array of dtype t; host gets what t makes of them. */
static gnd_array *sample(gnd_device *dev, gnd_dtype t, ref_arr *host)
{
    const int64_t n = NV;
    *host = ref_new(t, 1, &n);
    for (int64_t i = 0; i < n; i++) {
        long double v = values[i];
        int float_ = gnd_dtype_kind(t) == 'f' || gnd_dtype_kind(t) == 'c';
        ref_put(t, ref_at(host, &i),
                float_ ? ref_float(v) : ref_int(isfinite(v) ? (int64_t)v % 100 : i));
    }
    return gnd_from(dev, t, 1, &n, host->p);
}

static long double real_of(ref_num v)
{
    return v.kind == 'f' || v.kind == 'c' ? v.re
           : v.kind == 'u'                ? (long double)v.u
                                          : (long double)v.i;
}

static void parts(gnd_device *dev, gnd_dtype t, gnd_dtype ft)
{
    ref_arr x;
    gnd_array *m, *e, *f, *w, *a = sample(dev, t, &x), *all[4];
    tap_is_int(gnd_frexp(a, &m, &e), GND_OK, "frexp of %s", gnd_dtype_name(t));
    tap_is_int(gnd_modf(a, &f, &w), GND_OK, "modf of %s", gnd_dtype_name(t));
    all[0] = m, all[1] = e, all[2] = f, all[3] = w;
    gnd_eval_all(4, all);
    for (int pass = 0; pass < 4; pass++) {
        for (int i = 0; i < NV; i++) {
            long double v = ref_as(ft, ref_float(real_of(ref_nth(&x, i)))).re, whole;
            int ex = 0;
            long double man = isfinite(v) ? frexpl(v, &ex) : v,
                        frac = isnan(v) ? v : modfl(v, &whole);
            if (isnan(v))
                whole = v;
            want[i] = pass == 1 ? ref_int(ex)
                                : ref_float(pass == 0   ? man
                                            : pass == 2 ? frac
                                                        : whole);
        }
        static const char *const what[] = {"frexp: mantissa", "frexp: exponent", "modf: fraction",
                                           "modf: whole"};
        check(all[pass], pass == 1 ? GND_INT32 : ft, NV, 0, 1, what[pass]);
    }
    ref_free(&x);
}

/* All float dtypes with exponents of all int dtypes, in one plan each. */
static void scaling(gnd_device *dev, gnd_dtype t)
{
    static const int64_t e[] = {0,   1,    -1,   10,    -10,       127,       -128,
                                300, -300, 5000, -5000, INT64_MAX, INT64_MIN, INT32_MIN};
    enum { NE = sizeof e / sizeof *e };
    const int64_t n = NE;
    ref_arr x = ref_new(t, 1, &n), ex[GND_UINT64 + 1];
    gnd_array *y[GND_UINT64 + 1];
    gnd_scope_begin();
    for (int64_t i = 0; i < n; i++)
        ref_put(t, ref_at(&x, &i), ref_float(i % 3 ? 1.375L : -1 - 0x1p-7L));
    gnd_array *a = gnd_from(dev, t, 1, &n, x.p);
    for (gnd_dtype u = GND_BOOL; u <= GND_UINT64; u++) {
        ex[u] = ref_new(u, 1, &n);
        for (int64_t i = 0; i < n; i++)
            ref_put(u, ref_at(&ex[u], &i), u == GND_BOOL ? ref_int(i % 2) : ref_int(e[i]));
        y[u] = gnd_ldexp(a, gnd_from(dev, u, 1, &n, ex[u].p));
    }
    gnd_eval_all(GND_UINT64 + 1, y);
    for (gnd_dtype u = GND_BOOL; u <= GND_UINT64; u++) {
        char what[64];
        for (int64_t i = 0; i < n; i++) {
            ref_num v = ref_nth(&ex[u], i);
            long double s = v.kind == 'u' ? (long double)v.u : (long double)v.i;
            want[i] =
                ref_as(t, ref_float(ldexpl(ref_nth(&x, i).re, (int)fmaxl(fminl(s, 9999), -9999))));
        }
        snprintf(what, sizeof what, "ldexp by %s", gnd_dtype_name(u));
        check(y[u], t, n, 0, 1, what);
        ref_free(&ex[u]);
    }
    for (int64_t i = 0; i < n; i++)
        want[i] = ref_as(t, ref_float(ldexpl(ref_nth(&x, i).re, 3)));
    check(gnd_ldexp(a, gnd_int(3)), t, n, 0, 1, "ldexp by a number");
    ref_free(&x);
    gnd_scope_end();
}

static void replacing(gnd_device *dev, gnd_dtype t)
{
    ref_arr x;
    gnd_array *a = sample(dev, t, &x);
    int c = gnd_dtype_kind(t) == 'c';
    long double top = t == GND_FLOAT16                          ? 65504
                      : t == GND_BFLOAT16                       ? 0x1.fep127L
                      : t == GND_FLOAT64 || t == GND_COMPLEX128 ? (long double)DBL_MAX
                                                                : FLT_MAX;
    for (int pass = 0; pass < 2; pass++) {
        gnd_array *y =
            pass ? gnd_nan_to_num(a, gnd_real(1.5),
                                  gnd_full(dev, GND_FLOAT32, 0, NULL, gnd_real(8)), gnd_int(-9))
                 : gnd_nan_to_num(a, NULL, NULL, NULL);
        for (int i = 0; i < NV; i++) {
            long double v = ref_nth(&x, i).re;
            v = isnan(v)   ? (pass ? 1.5L : 0)
                : isinf(v) ? (pass ? (v > 0 ? 8 : -9) : copysignl(top, v))
                           : v;
            want[i] = ref_float(v);
            want[i].kind = c ? 'c' : 'f';
            want[i].im = 0;
        }
        check(y, t, NV, 0, 0, pass ? "nan_to_num with values" : "nan_to_num");
    }
    if (c) { /* infinities in the imaginary part stay there */
        gnd_array *y =
            gnd_nan_to_num(gnd_from_parts(gnd_imag_part(a), gnd_real_part(a)), NULL, NULL, NULL);
        for (int i = 0; i < NV; i++) {
            long double v = ref_nth(&x, i).re;
            v = isnan(v) ? 0 : isinf(v) ? copysignl(top, v) : v;
            want[i] = (ref_num){.kind = 'c', .re = 0, .im = v};
        }
        check(y, t, NV, 0, 0, "nan_to_num: imaginary parts");
    }
    ref_free(&x);
}

static void rest(gnd_device *dev, int f64)
{
    const gnd_dtype ft = f64 ? GND_FLOAT64 : GND_FLOAT32;
    ref_arr x, y;
    gnd_array *a = sample(dev, GND_FLOAT32, &x), *i32 = sample(dev, GND_INT32, &y), *q, *r, *all[8];
    gnd_array *z = gnd_from_parts(a, gnd_negative(a));

    tap_is_int(gnd_divmod(i32, gnd_int(-7), &q, &r), GND_OK, "divmod");
    all[0] = q;
    all[1] = r;
    all[2] = gnd_float_power(a, gnd_int(3));
    all[3] = gnd_round_decimals(a, 1);
    all[4] = gnd_round_decimals(i32, -1);
    all[5] = gnd_angle(z, 1);
    all[6] = gnd_iscomplex(z);
    all[7] = gnd_relu(a);
    gnd_eval_all(8, all);
    for (int pass = 0; pass < 8; pass++) {
        static const char *const what[] = {
            "divmod: quotient",       "divmod: remainder", "float_power", "round_decimals",
            "round_decimals of ints", "angle in degrees",  "iscomplex",   "relu"};
        static const gnd_dtype types[] = {GND_INT32, GND_INT32,   GND_NDTYPES, GND_FLOAT32,
                                          GND_INT32, GND_FLOAT32, GND_BOOL,    GND_FLOAT32};
        for (int i = 0; i < NV; i++) {
            float v = (float)ref_nth(&x, i).re;
            int64_t n = ref_nth(&y, i).i, d = (int64_t)floor((double)n / -7);
            switch (pass) {
            case 0: want[i] = ref_int(d); break;
            case 1: want[i] = ref_int(n + 7 * d); break;
            case 2: want[i] = ref_float(powl(v, 3)); break;
            case 3: want[i] = ref_float(rintf(v * 10) / 10); break;
            case 4: want[i] = ref_int((int64_t)rint((double)n / 10) * 10); break;
            case 5: want[i] = ref_float(atan2l(-v, v) * (180 / 3.14159265358979323846L)); break;
            case 6: want[i] = ref_int(!(v == 0)); break;
            default: want[i] = ref_float(isnan(v) || v > 0 ? v : 0);
            }
        }
        gnd_dtype t = types[pass] == GND_NDTYPES ? ft : types[pass];
        check(all[pass], t, NV, pass == 2 ? 16 : pass == 5 ? 8 : 0, 0, what[pass]);
    }
    for (int i = 0; i < NV; i++)
        want[i] = ref_float(rintf(-(float)ref_nth(&x, i).re * 10) / 10);
    check(gnd_imag_part(gnd_round_decimals(gnd_from_parts(gnd_real(INFINITY), gnd_negative(a)), 1)),
          GND_FLOAT32, NV, 0, 0, "round_decimals beside an infinity");
    for (int i = 0; i < NV; i++)
        want[i] = ref_int(1);
    check(gnd_isreal(a), GND_BOOL, NV, 0, 0, "isreal of a real array");
    ref_free(&x);
    ref_free(&y);
}

/* Powers that are a root and a reciprocal, with the cases of C's pow. */
static void powers(gnd_device *dev)
{
    enum { M = 9 };
    const float v[M] = {0, -0.0f, 4, 2, INFINITY, -INFINITY, NAN, -1, 0x1p-100f};
    const int64_t n = M;
    float y[M];
    for (int k = 0; k < 2; k++) {
        int bad = gnd_read(gnd_pow(gnd_from(dev, GND_FLOAT32, 1, &n, v), gnd_real(k ? -1 : 0.5)), y,
                           sizeof y);
        for (int i = 0; i < M; i++) {
            const float w = k ? 1 / v[i] : v[i] == -INFINITY ? INFINITY : sqrtf(v[i] + 0.0f);
            bad += isnan(w) ? !isnan(y[i]) : !(y[i] == w && signbit(y[i]) == signbit(w));
        }
        tap_is_int(bad, 0, "pow(x, %s)", k ? "-1" : "0.5");
    }
}

static void on_device(gnd_device *dev, const char *spec)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_FLOAT64, GND_FLOAT16, GND_BFLOAT16};
    const int f64 = !ref_lacks(dev, GND_FLOAT64);
    gnd_device_info info;
    flushes = gnd_device_describe(dev, &info) == GND_OK && strstr(info.platform, "rusticl");
    tap_diag("%s", spec);
    for (int i = 0; i < 2; i++)
        if (!ref_skip(dev, types[i], 14))
            accuracy(dev, types[i]);
    for (int i = 0; i < 4; i++) {
        if (ref_skip(dev, types[i], 15))
            continue;
        scaling(dev, types[i]);
        gnd_scope_begin();
        parts(dev, types[i], types[i]);
        replacing(dev, types[i]);
        gnd_scope_end();
    }
    gnd_scope_begin();
    parts(dev, GND_INT8, GND_FLOAT16);
    parts(dev, GND_UINT64, f64 ? GND_FLOAT64 : GND_FLOAT32);
    replacing(dev, GND_COMPLEX64);
    rest(dev, f64);
    powers(dev);
    gnd_scope_end();
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
