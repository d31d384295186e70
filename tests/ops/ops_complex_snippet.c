/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_complex_snippet.c - elementwise and reduction kernels with complex dtypes: operators and
 * functions against C's own complex numbers, real operands of each type, two precisions in one
 * kernel, statements, raw arrays, reductions, what is refused. NVRTC compiles the same texts.
 */
#include <complex.h>
#undef I /* a letter of dtypes */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/snippet.h"
#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

enum { N = 37 };

typedef double _Complex z128;
typedef float _Complex z64;

static gnd_device *dev;
static z128 X[N], Y[N];
static double R[N];

static z128 number(double re, double im)
{
    const double v[2] = {re, im};
    z128 z;
    memcpy(&z, v, sizeof z);
    return z;
}

/* Expressions of x and y (T), r (real, the precision of T) and k (an int). */
static const char *const cases[] = {
    "x * y + r",
    "x / y - k * x",
    "-x + 2 * y - 1.5f",
    "conj(x) * x + x.real() - x.imag() * y",
    "exp(x) + log(y) * sqrt(x)",
    "sin(x) * cos(y) - tan(x) + sinh(y) * cosh(x) - tanh(y)",
    "T(abs(x)) + T(r, k) * arg(y) - norm(x)",
    "x == y ? T(x) : x != y ? T(y) : T(0)",
    "pow(x, 2) + pow(x, y) + pow(r, R(2))",
    "(r + k * 2) / (x - (y + 1))",
    "asin(x) + acos(y) - atan(x) + asinh(y) + acosh(x) - atanh(y)",
    "(T)r * (T)k + log2(x) - log10(y) + isnan(x) + isinf(y) + isfinite(x)",
};

static z128 want(int i, z128 x, z128 y, double r, int k)
{
    switch (i) {
    case 0: return x * y + r;
    case 1: return x / y - k * x;
    case 2: return -x + 2 * y - 1.5;
    case 3: return conj(x) * x + creal(x) - cimag(x) * y;
    case 4: return cexp(x) + clog(y) * csqrt(x);
    case 5: return csin(x) * ccos(y) - ctan(x) + csinh(y) * ccosh(x) - ctanh(y);
    case 6: return cabs(x) + number(r, k) * carg(y) - (creal(x) * creal(x) + cimag(x) * cimag(x));
    case 7: return x == y ? x : y;
    case 8: return x * x + cpow(x, y) + r * r;
    case 9: return (r + k * 2) / (x - (y + 1));
    case 10: return casin(x) + cacos(y) - catan(x) + casinh(y) + cacosh(x) - catanh(y);
    default: return r * k + clog(x) / log(2.0) - clog(y) / log(10.0) + 1;
    }
}
enum { NCASE = 12 };

static gnd_array *array(gnd_dtype t, const z128 *v)
{
    const int64_t n = N;
    return gnd_astype(gnd_from(dev, GND_COMPLEX128, 1, &n, v), t);
}

static void test_expressions(gnd_dtype t, gnd_dtype real, double bound)
{
    const int64_t n = N;
    const int wide = t == GND_COMPLEX128;
    gnd_array *x = array(t, X), *y = array(t, Y),
              *r = gnd_astype(gnd_from(dev, GND_FLOAT64, 1, &n, R), real);
    for (int i = 0; i < NCASE; i++) {
        char code[200];
        gnd_array *in[] = {x, y, r, gnd_int(3)}, *z = NULL;
        z128 got[N];
        double worst = 0;
        if (i >= 3 && i % 2 == wide) /* the compiler takes its time */
            continue;
        snprintf(code, sizeof code, "z = %s", cases[i]);
        gnd_ekernel *k = gnd_elementwise_kernel("T x, T y, R r, int32 k", "T z", code, "f", NULL);
        gnd_elementwise_call(k, 4, in, NULL, &z);
        if (gnd_read(gnd_astype(z, GND_COMPLEX128), got, sizeof got) != GND_OK) {
            tap_diag("%s", gnd_error(z));
            worst = INFINITY;
        }
        for (int j = 0; j < N && worst < INFINITY; j++) {
            const z128 w = want(i, X[j], Y[j], R[j], 3);
            const double e = cabs(got[j] - w) / (1 + cabs(w));
            if (!(e <= bound))
                tap_diag("element %d: %g %g, not %g %g", j, creal(got[j]), cimag(got[j]), creal(w),
                         cimag(w));
            worst = e > worst || e != e ? e : worst;
        }
        tap_ok(worst <= bound, "%s: %s: %.2g", gnd_dtype_name(t), cases[i], worst);
        gnd_ekernel_free(k);
    }
}

static const char program[] = "T s = 0; float f = 2;\n"
                              "for (int j = 0; j < 3; j++) {\n"
                              "    s += x * j;          // a comment\n"
                              "    if (j == 1) s -= T(0, 1);\n"
                              "    else s *= f;\n"
                              "}\n"
                              "const T q = 1, u = all[n - 1 - i];\n"
                              "s /= q; z = s + u; m = abs(z); z = z * 1;";

/* Statements; two outputs; i; a raw array; fused with what is around. */
static void test_statements(gnd_dtype t, double bound)
{
    gnd_array *x = array(t, X), *out[2] = {NULL};
    gnd_array *in[] = {gnd_multiply(x, gnd_int(2)), array(t, Y)};
    gnd_stats before, after;
    z128 got[N];
    double abs_got[N];
    int bad = 0;
    gnd_ekernel *k =
        gnd_elementwise_kernel("T x, raw T all", "T z, R m", program, "statements", NULL);
    gnd_eval_all(2, (gnd_array *[]){x, in[1]});
    const gnd_dtype types[] = {GND_DTYPE_DEFAULT, t == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64};
    const gnd_kernel_call how = {.out_dtype = types};
    gnd_elementwise_call(k, 2, in, &how, out);
    gnd_array *z = gnd_astype(gnd_add(out[0], gnd_int(1)), GND_COMPLEX128);
    gnd_device_stats(dev, &before);
    if (gnd_read(z, got, sizeof got) != GND_OK)
        tap_diag("%s", gnd_error(z));
    gnd_device_stats(dev, &after);
    tap_ok(after.kernels_launched - before.kernels_launched <= 2,
           "%s: statements, with what is around them", gnd_dtype_name(t));
    gnd_read(gnd_astype(out[1], GND_FLOAT64), abs_got, sizeof abs_got);
    for (int j = 0; j < N; j++) {
        const z128 v = 2 * X[j], w = (v - number(0, 1) + 2 * v) * 2 + Y[N - 1 - j];
        /* j = 0: (0) * 2; 1: + v - i; 2: (+ 2 v) * 2 */
        bad += !(cabs(got[j] - w - 1) <= bound * (1 + cabs(w))) ||
               !(fabs(abs_got[j] - cabs(w)) <= bound * (1 + cabs(w)));
    }
    tap_is_int(bad, 0, "%s: their values", gnd_dtype_name(t));
    gnd_ekernel_free(k);
}

static void test_reductions(gnd_dtype t, double bound)
{
    const int64_t shape[2] = {1, N};
    gnd_array *x = array(t, X), *y = NULL, *in[2] = {x, array(t, Y)};
    z128 got = 0, sum = 0, product = 1;
    double length = 0, norm = 0;
    for (int j = 0; j < N; j++) {
        sum += conj(X[j]) * Y[j];
        product *= X[j] / 2;
        norm += creal(X[j] * conj(X[j]));
    }
    gnd_rkernel *r = gnd_reduction_kernel("T x, T y", "T z", "conj(x) * y", "a + b", "z = a", "0",
                                          "vdot", NULL, NULL);
    gnd_reduction_call(r, 2, in, GND_ALL, 0, NULL, &y);
    gnd_read(gnd_astype(y, GND_COMPLEX128), &got, sizeof got);
    tap_ok(cabs(got - sum) <= bound * N, "%s: a sum of products: %s", gnd_dtype_name(t),
           gnd_error(y));
    gnd_rkernel_free(r);
    r = gnd_reduction_kernel("T x", "T z", "x / 2", "a * b", "z = a", "1", "product", NULL, NULL);
    in[0] = gnd_reshape(x, 2, shape);
    gnd_reduction_call(r, 1, in, GND_AXIS(1), GND_KEEPDIMS, NULL, &y);
    gnd_read(gnd_astype(y, GND_COMPLEX128), &got, sizeof got);
    tap_ok(cabs(got - product) <= bound * N * (1 + cabs(product)), "%s: a product: %s",
           gnd_dtype_name(t), gnd_error(y));
    gnd_rkernel_free(r);
    const gnd_dtype real = t == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_kernel_call how = {.out_dtype = &real};
    r = gnd_reduction_kernel("T x", "R y", "norm(x)", "a + b", "y = sqrt(a)", "0", "length", NULL,
                             NULL);
    gnd_reduction_call(r, 1, &x, GND_ALL, 0, &how, &y);
    length = gnd_item_f64(y, NULL);
    tap_ok(fabs(length - sqrt(norm)) <= bound * N, "%s: a real one of complex elements: %s",
           gnd_dtype_name(t), gnd_error(y));
    gnd_rkernel_free(r);
}

/* complex64 and complex128 together: as the wider one, and back. */
static void test_both(void)
{
    gnd_array *in[] = {array(GND_COMPLEX64, X), array(GND_COMPLEX128, Y)}, *z[2] = {NULL};
    z128 got[N];
    z64 low[N];
    int bad = 0;
    gnd_ekernel *k =
        gnd_elementwise_kernel("complex64 x, complex128 y", "complex128 z, complex64 v",
                               "z = x * y + 1; v = y; v += x", "both", NULL);
    gnd_elementwise_call(k, 2, in, NULL, z);
    if (gnd_read(z[0], got, sizeof got) != GND_OK || gnd_read(z[1], low, sizeof low) != GND_OK)
        tap_diag("%s", gnd_error(z[0]));
    for (int j = 0; j < N; j++)
        bad += !(cabs(got[j] - (X[j] * Y[j] + 1)) < 1e-6 * (1 + cabs(got[j]))) ||
               !(cabs(low[j] - (X[j] + Y[j])) < 1e-5);
    tap_is_int(bad, 0, "complex64 and complex128 in one kernel");
    gnd_ekernel_free(k);
}

static void refused(const char *code, gnd_status st, const char *text)
{
    gnd_array *x = array(GND_COMPLEX64, X), *z = NULL;
    gnd_ekernel *k = gnd_elementwise_kernel("T x", "T z", code, "f", NULL);
    gnd_elementwise_call(k, 1, &x, NULL, &z);
    tap_is_str(gnd_status_name(gnd_status_of(z)), gnd_status_name(st), "refused: %s", code);
    tap_has_str(gnd_error(z), text, "which the message says");
    gnd_ekernel_free(k);
}

/* Every text for CUDA, with complex64, complex128 and both. */
static void test_nvrtc(void)
{
    const char *why;
    if (!nvrtc_load(&why)) {
        tap_skip(3, "%s", why);
        return;
    }
    const gnd_props props = {.kind = GND_DEV_GPU, .dialect = GND_DIALECT_CUDA, .has_f64 = 1};
    static const char *const ins[] = {"T x, T y, R r, int32 k, raw T all",
                                      "T x, T y, R r, int32 k, raw T all",
                                      "T x, C y, R r, int32 k, raw T all"};
    char text[4000];
    size_t n = 0;
    for (int i = 0; i < NCASE; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "z += %s;\n", cases[i]);
    snprintf(text + n, sizeof text - n, "%s", program);
    for (int w = 0; w < 3; w++) {
        gnd__letters l;
        gnd__sparams in, out;
        gnd__piece p, id;
        gnd_err e = {.code = GND_OK};
        memset(&l, -1, sizeof l);
        l.of['T'] = w == 1 ? GND_COMPLEX128 : GND_COMPLEX64;
        l.of['C'] = GND_COMPLEX128;
        l.of['R'] = w == 1 ? GND_FLOAT64 : GND_FLOAT32;
        gnd__sparams_read(&in, "in", ins[w], 16, &e);
        gnd__sparams_read(&out, "out", "T z, R m", 8, &e);
        gnd__piece_read(&p, "operation", text, &in, 0, &e);
        gnd__piece_read(&id, "identity", "0", &in, 1, &e);
        const gnd__sfunc f = {.name = "k", .in = &in, .out = &out, .code = &p, .letters = &l};
        gnd__snippet *s[2] = {gnd__snippet_function(&f),
                              gnd__snippet_fold("r", NULL, &id, &id, (gnd_dtype)l.of['T'], &l)};
        int good = 1;
        for (int i = 0; i < 2; i++) {
            gnd__str t = {0};
            good &= gnd__snippet_probe(s[i], &props, &t, &e) == GND_OK &&
                    nvrtc_build(gnd__str_get(&t), 90);
            gnd__str_free(&t);
            gnd__snippet_unref(s[i]);
        }
        tap_ok(good, "NVRTC compiles all texts, %d: %s", w, e.code ? e.msg : "");
        gnd__piece_free(&p);
        gnd__piece_free(&id);
    }
}

int main(void)
{
    test_nvrtc();
    dev = ref_open_first();
    for (int j = 0; j < N; j++) { /* inside the unit circle's neighbourhood, off the cuts */
        X[j] = (z64)number(0.3 + 0.01 * j, 0.7 - 0.03 * j);
        Y[j] = j % 5 ? (z64)number(-0.6 + 0.02 * j, 0.25 + 0.015 * j) : X[j];
        R[j] = (float)(1.25 - 0.05 * j);
    }
    gnd_scope_begin();
    const int f64 = gnd_default_float(dev) == GND_FLOAT64;
    test_expressions(GND_COMPLEX64, GND_FLOAT32, 4e-6);
    test_statements(GND_COMPLEX64, 1e-5);
    test_reductions(GND_COMPLEX64, 1e-5);
    if (f64) {
        test_expressions(GND_COMPLEX128, GND_FLOAT64, 1e-13);
        test_statements(GND_COMPLEX128, 1e-13);
        test_reductions(GND_COMPLEX128, 1e-13);
        test_both();
    } else
        tap_skip(1, "no complex128 here");
    refused("z = x.real", GND_ERR_BUILD, "operation:1");
    refused("float f = x; z = f", GND_ERR_BUILD, "operation");
    refused("T t[2] = {1, 2}; z = t[0] + x", GND_ERR_UNSUPPORTED,
            "operation:1:10: initial values in braces");
    refused("z = x +", GND_ERR_UNSUPPORTED, "operation:1:8: a value is missing here");
    refused("z =\n  wrong * x", GND_ERR_BUILD, "wrong");
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
