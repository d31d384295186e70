/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_snippet.c - elementwise and reduction kernels of pieces of code: dtypes, shapes, strides, raw
 * arguments, several outputs, what fuses, errors before a launch, recordings, allocations and
 * backend calls that fail. The texts are compiled by NVRTC too, where there is one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "codegen/snippet.h"
#include "device/gate.h"
#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

static gnd_device *dev;

static uint64_t launches(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.kernels_launched;
}

static gnd_array *call1(gnd_ekernel *k, int nin, gnd_array *const *in)
{
    gnd_array *y = NULL;
    gnd_elementwise_call(k, nin, in, NULL, &y);
    return y;
}

/* x (any real dtype) as double in host memory, in C order. */
static double *doubles(gnd_array *x)
{
    gnd_array *y = gnd_astype(x, GND_FLOAT64);
    double *p = malloc((size_t)gnd_size(y) * sizeof *p + 8);
    if (gnd_read(y, p, (size_t)gnd_size(y) * sizeof *p) != GND_OK)
        tap_diag("%s", gnd_error(y));
    gnd_release(y);
    return p;
}

/* The values of a random array, and the array: sometimes a view. */
static gnd_array *some(gnd_dtype t, int ndim, const int64_t *dim)
{
    int64_t wide[4];
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= wide[d] = dim[d] * 2;
    int32_t *v = calloc((size_t)n + 1, sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = (int32_t)ref_range(0, 6);
    gnd_array *x = gnd_astype(gnd_from(dev, GND_INT32, ndim, wide, v), t);
    gnd_range r[4];
    for (int d = 0; d < ndim; d++)
        r[d] = ref_rnd() & 1 || dim[d] == 0
                   ? (gnd_range){.kind = GND_IDX_SLICE, .start = 0, .stop = dim[d], .step = 1}
                   : (gnd_range){
                         .kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE, .step = -2};
    free(v);
    x = ndim ? gnd_index(x, ndim, r) : x;
    if (ref_rnd() % 3 == 0)
        gnd_eval_all(1, &x);
    return x;
}

/* (x - y) * 2 + x, of random dtypes and shapes that broadcast. */
static void test_random(void)
{
    static const gnd_dtype all[] = {GND_INT8,    GND_INT16,   GND_INT32,   GND_INT64,
                                    GND_UINT8,   GND_UINT16,  GND_UINT32,  GND_UINT64,
                                    GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_BFLOAT16};
    gnd_ekernel *k =
        gnd_elementwise_kernel("T x, U y", "T z", "z = (T)((x + y) * 2 + x)", "mixed", NULL);
    tap_is_str(gnd_ekernel_error(k), "", "a kernel of two letters");
    /* each case compiles kernels of its own */
    const int cases = getenv("GND_TEST_ALL") ? 48 : 16;
    int bad = 0;
    for (int c = 0; c < cases; c++) {
        const gnd_dtype t = all[c % 12], u = all[ref_rnd() % 12];
        int64_t a[3], b[3];
        for (int d = 0; d < 3; d++) {
            a[d] = ref_range(c % 8 == 7 ? 0 : 1, 9);
            b[d] = ref_rnd() % 3 ? a[d] : 1;
            if (ref_rnd() % 5 == 0)
                a[d] = 1;
        }
        const int nb = (int)ref_range(0, 3);
        gnd_array *x = some(t, 3, a), *y = some(u, nb, b + 3 - nb), *in[] = {x, y},
                  *z = call1(k, 2, in);
        gnd_array *want = gnd_astype(
            gnd_add(gnd_multiply(gnd_add(gnd_astype(x, GND_FLOAT64), gnd_astype(y, GND_FLOAT64)),
                                 gnd_int(2)),
                    gnd_astype(x, GND_FLOAT64)),
            t);
        gnd_array *same = gnd_all(gnd_equal(z, want), GND_ALL, 0);
        unsigned char ok = 0;
        if (gnd_dtype_of(z) != t || gnd_read(same, &ok, 1) != GND_OK || !ok ||
            gnd_size(z) != gnd_size(want)) {
            tap_diag("case %d: %s %s: %s", c, gnd_dtype_name(t), gnd_dtype_name(u), gnd_error(z));
            bad++;
        }
    }
    tap_is_int(bad, 0, "dtypes, shapes and strides at random");
    gnd_ekernel_free(k);
}

static gnd_array *numbers(int n)
{
    const int64_t dim = n;
    float *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++)
        v[i] = (float)(i * 37 % 101) * 0.25f;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &dim, v);
    free(v);
    return x;
}

static void test_fusion(void)
{
    enum { N = 5000 };
    gnd_ekernel *k = gnd_elementwise_kernel("T x, T y", "T z", "z = (x - y) * (x - y); // squared",
                                            "squared_diff", NULL);
    gnd_array *x = numbers(N), *y = gnd_multiply(x, gnd_real(0.5)), *in[] = {x, y},
              *z = call1(k, 2, in);
    gnd_eval_all(1, &y);
    gnd_array *s = gnd_sum(gnd_sqrt(z), GND_ALL, 0);
    char *text = gnd_explain(1, &s, GND_EXPLAIN_SOURCE, NULL);
    tap_has_str(text, "kernel 1: squared_diff sqrt sum", "explain names the kernel");
    tap_has_str(text, "#line 1 \"operation\"", "and shows its text");
    free(text);
    double *v = doubles(x), want = 0, *got = doubles(s);
    for (int i = 0; i < N; i++)
        want += v[i] * 0.5;
    tap_ok(fabs(got[0] - want) < 1e-3 * want, "sqrt(k(x, y)).sum()");
    free(got);
    const uint64_t before = launches();
    gnd_array *more = gnd_add(call1(k, 2, in), gnd_real(1));
    got = doubles(more);
    tap_ok(launches() - before == 1 && got[77] == v[77] * v[77] / 4 + 1,
           "an addition and a cast are one kernel with it");
    free(got);
    free(v);
    /* two kernels, the same twice, views of it, a join, rows */
    gnd_ekernel *h = gnd_elementwise_kernel("T x", "T z", "z = x / 2", "half_of", NULL);
    gnd_array *one = call1(h, 1, &z), *both = gnd_add(one, call1(h, 1, &x));
    gnd_array *back = gnd_flip(both, GND_ALL), *j[] = {both, back}, *joined = gnd_concat(2, j, 0);
    got = doubles(gnd_subtract(gnd_roll_flat(joined, 3), gnd_roll_flat(joined, 3)));
    tap_ok(got[0] == 0 && got[N] == 0, "in a join that is seen twice");
    free(got);
    const int64_t rows[2] = {50, N / 50};
    gnd_array *m = gnd_reshape(one, 2, rows),
              *soft = gnd_divide(m, gnd_sum(m, GND_AXIS(1), GND_KEEPDIMS));
    got = doubles(gnd_sum(soft, GND_ALL, 0));
    tap_ok(fabs(got[0] - 50) < 1e-3, "in a kernel of rows");
    free(got);
    got = doubles(gnd_sort(gnd_negative(call1(h, 1, &x)), 0, 0));
    tap_ok(got[0] == -12.5 && got[N - 1] == 0, "as what a sort reads");
    free(got);
    gnd_ekernel_free(k);
    gnd_ekernel_free(h);
    got = doubles(both);
    tap_ok(got[1] == 9.25 * 9.25 / 8 + 9.25 / 2, "arrays outlive their kernels");
    free(got);
}

static void test_arguments(void)
{
    gnd_array *x = numbers(60), *y[3] = {NULL};
    const int64_t grid[2] = {6, 10};
    gnd_array *g = gnd_matrix_transpose(gnd_reshape(x, 2, grid));
    /* i, n, raw, sizes, through a view */
    gnd_ekernel *k = gnd_elementwise_kernel(
        "float32 x, raw T y", "float32 z, int64 at, bool even",
        "z = x - y[y.size() - 1 - i] + n; at = i * 2; even = (i & 1) ? 0 : 4", "many", NULL);
    gnd_array *in[] = {g, g};
    tap_is_int(gnd_elementwise_call(k, 2, in, NULL, y), GND_OK, "three outputs: %s",
               gnd_ekernel_error(k));
    tap_ok(gnd_ndim(y[0]) == 2 && gnd_dtype_of(y[1]) == GND_INT64 && gnd_dtype_of(y[2]) == GND_BOOL,
           "their dtypes");
    gnd_eval_all(1, &g);
    const uint64_t before = launches();
    gnd_eval_all(3, y);
    tap_ok(launches() - before <= 2, "are one kernel, beside what stores a view");
    double *v = doubles(g), *z = doubles(y[0]), *at = doubles(y[1]), *even = doubles(y[2]);
    int bad = 0;
    for (int i = 0; i < 60; i++)
        bad +=
            z[i] != (double)(float)(v[i] - v[59 - i] + 60) || at[i] != 2 * i || even[i] != !(i & 1);
    tap_is_int(bad, 0, "with the index of the shape that they have");
    gnd_array *in2[] = {gnd_real(1), gnd_reshape(g, 1, (int64_t[]){60})};
    const gnd_kernel_call seven = {.size = 7};
    tap_is_int(gnd_elementwise_call(k, 2, in2, &seven, y), GND_OK,
               "numbers and raw arrays need a size");
    double *z7 = doubles(y[0]);
    tap_ok(gnd_size(y[0]) == 7 && z7[2] == 1 - v[57] + 7, "and get it");
    /* of nothing */
    const int64_t none[2] = {0, 4};
    in[0] = gnd_zeros(dev, GND_FLOAT32, 2, none);
    in[1] = gnd_zeros(dev, GND_FLOAT32, 1, none);
    tap_is_int(gnd_elementwise_call(k, 2, in, NULL, y), GND_OK, "of no elements");
    gnd_eval_all(3, y);
    tap_ok(gnd_size(y[1]) == 0 && gnd_status_of(y[1]) == GND_OK, "there are none");
    gnd_ekernel *only = gnd_elementwise_kernel("", "T z", "z = n - i", "countdown", NULL);
    const gnd_dtype t = GND_INT16;
    const gnd_kernel_call how = {.dev = dev, .size = 5, .out_dtype = &t};
    tap_is_int(gnd_elementwise_call(only, 0, NULL, &how, y), GND_OK, "without inputs: %s",
               gnd_message());
    double *c = doubles(y[0]);
    tap_ok(c[0] == 5 && c[4] == 1 && gnd_dtype_of(y[0]) == GND_INT16, "a count");
    free(c), free(v), free(z), free(z7), free(at), free(even);
    /* a 0-d array, NaN, two preambles in one expression */
    static const char first[] = "#define SCALE 2\n__device__ T scaled(T x) { return x * SCALE; }\n";
    static const char second[] =
        "#define SCALE 3\n__device__ T scaled(T x) { return x * SCALE; }\n";
    gnd_ekernel *p = gnd_elementwise_kernel("T x", "T z", "z = scaled(x)", "first", first);
    gnd_ekernel *q = gnd_elementwise_kernel("T x", "T z", "z = scaled(x)", "second", second);
    gnd_array *nan = gnd_full(dev, GND_FLOAT64, 0, NULL, gnd_real(NAN)), *a = call1(p, 1, &x);
    gnd_array *b = call1(q, 1, &a), *mean = gnd_sum(gnd_add(b, call1(p, 1, &x)), GND_ALL, 0),
              *all = gnd_sum(x, GND_ALL, 0);
    double *m = doubles(mean), *w = doubles(all), *f = doubles(call1(p, 1, &nan));
    tap_ok(fabs(m[0] - 8 * w[0]) < 1e-3 * w[0], "two preambles that define the same names");
    tap_ok(isnan(f[0]) && gnd_ndim(call1(p, 1, &nan)) == 0, "NaN, 0-d");
    free(m), free(w), free(f);
    gnd_ekernel_free(p), gnd_ekernel_free(q), gnd_ekernel_free(k), gnd_ekernel_free(only);
}

static void test_reductions(void)
{
    gnd_rkernel *l2 = gnd_reduction_kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
                                           "l2norm", NULL, NULL);
    tap_is_str(gnd_rkernel_error(l2), "", "a reduction kernel");
    int bad = 0;
    for (int c = 0; c < 24; c++) {
        const int64_t dim[3] = {ref_range(1, 9), ref_range(1, 70), ref_range(1, c % 3 ? 9 : 300)};
        const gnd_axes sets[] = {GND_ALL,     GND_AXIS(0),    GND_AXIS(1),
                                 GND_AXIS(2), GND_AXES(0, 2), GND_NO_AXES};
        const gnd_axes axes = sets[ref_rnd() % 6];
        const unsigned flags = ref_rnd() & 1 ? GND_KEEPDIMS : 0;
        const gnd_dtype t = c & 1 ? GND_FLOAT32 : GND_FLOAT64;
        gnd_array *x = some(t, 3, dim), *fed = gnd_add(x, gnd_int(1)), *y = NULL;
        gnd_reduction_call(l2, 1, &fed, axes, flags, NULL, &y);
        gnd_array *want = gnd_sqrt(gnd_sum(gnd_square(fed), axes, flags));
        double *g = doubles(y), *w = doubles(want);
        bad +=
            gnd_ndim(y) != gnd_ndim(want) || gnd_size(y) != gnd_size(want) || gnd_dtype_of(y) != t;
        for (int64_t i = 0; i < gnd_size(want) && !bad; i++)
            bad += fabs(g[i] - w[i]) > 1e-5 * w[i];
        free(g), free(w);
    }
    tap_is_int(bad, 0, "axes, kept or not, views");
    gnd_array *x = numbers(100000), *y[2];
    gnd_array *fed = gnd_multiply(x, gnd_real(2));
    gnd_reduction_call(l2, 1, &fed, GND_ALL, 0, NULL, y);
    gnd_array *end = gnd_add(y[0], gnd_real(1));
    char *text = gnd_explain(1, &end, 0, NULL);
    tap_has_str(text, "multiply l2norm l2norm l2norm add",
                "what feeds the map and what follows is one kernel with it");
    free(text);
    /* several outputs, another type to reduce in, sizes, raw */
    gnd_rkernel *r = gnd_reduction_kernel("T x, raw int32 w", "float64 mean, int64 n",
                                          "x * w[i % w.size()]", "a > b ? a : b",
                                          "mean = (double)a / (_in_ind.size() / _out_ind.size()); "
                                          "n = _in_ind.size()",
                                          "-1000", "greatest", "int32", NULL);
    const int64_t three = 3;
    const int32_t ws[3] = {1, 2, 4};
    gnd_array *in[] = {gnd_astype(x, GND_INT16), gnd_from(dev, GND_INT32, 1, &three, ws)};
    tap_is_int(gnd_reduction_call(r, 2, in, GND_ALL, 0, NULL, y), GND_OK, "two outputs: %s",
               gnd_rkernel_error(r));
    double *m = doubles(y[0]), *n = doubles(y[1]), *v = doubles(in[0]);
    double most = -1000;
    for (int i = 0; i < 100000; i++)
        most = v[i] * ws[i % 3] > most ? v[i] * ws[i % 3] : most;
    tap_ok(m[0] == most / 100000 && n[0] == 100000, "their values (%g)", m[0]);
    free(m), free(n), free(v);
    const int64_t none[2] = {3, 0};
    in[0] = gnd_zeros(dev, GND_INT16, 2, none);
    gnd_reduction_call(r, 2, in, GND_AXIS(1), GND_KEEPDIMS, NULL, y);
    n = doubles(y[1]);
    gnd_array *zero = gnd_zeros(dev, GND_FLOAT32, 2, none);
    gnd_reduction_call(l2, 1, &zero, GND_ALL, 0, NULL, y);
    m = doubles(y[0]);
    tap_ok(n[2] == 0 && m[0] == 0, "of nothing it is the identity");
    free(m), free(n);
    gnd_rkernel *h = gnd_reduction_kernel("float16 x", "float16 y", "x", "a + b", "y = a", "0",
                                          "halves", NULL, NULL);
    gnd_array *ones = gnd_full(dev, GND_FLOAT16, 1, (int64_t[]){3000}, gnd_int(1)), *sum = NULL;
    gnd_reduction_call(h, 1, &ones, GND_ALL, 0, NULL, &sum);
    m = doubles(sum);
    tap_ok(m[0] == 3000, "float16 is reduced in float32");
    free(m);
    gnd_rkernel_free(l2), gnd_rkernel_free(r), gnd_rkernel_free(h);
}

static void test_record(void)
{
    gnd_ekernel *k = gnd_elementwise_kernel("T x", "T z", "z = x * 2 + i", "step", NULL);
    gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 1, (int64_t[]){8}), *z = call1(k, 1, &x);
    gnd_array *again = call1(k, 1, &z);
    gnd_recording *r = gnd_record(1, &x, 1, &again);
    tap_is_str(gnd_recording_error(r), "", "a recording");
    gnd_ekernel_free(k);
    gnd_array *v = numbers(8);
    float got[8], host[8];
    gnd_read(v, host, sizeof host);
    int bad = 0;
    for (int turn = 0; turn < 40; turn++) {
        gnd_recording_set(r, 0, v);
        gnd_replay(r);
        gnd_recording_read(r, 0, got, sizeof got);
        for (int i = 0; i < 8; i++)
            bad += got[i] != host[i] * 4 + (float)(3 * i);
    }
    tap_is_int(bad, 0, "replayed");
    gnd_recording_free(r);
}

static void refused(gnd_ekernel *k, gnd_status code, const char *text)
{
    tap_ok(gnd_ekernel_status(k) == code && strstr(gnd_ekernel_error(k), text), "%s",
           gnd_ekernel_error(k));
    gnd_ekernel_free(k);
}

static void call_refused(const char *in, const char *code, int nin, gnd_array *const *x,
                         const gnd_kernel_call *how, gnd_status want, const char *text)
{
    gnd_ekernel *k = gnd_elementwise_kernel(in, "T z", code, "k", NULL);
    gnd_array *y = NULL;
    const gnd_status st = gnd_elementwise_call(k, nin, x, how, &y);
    if (!tap_ok(st == want && strstr(gnd_error(y), text) &&
                    strstr(gnd_error(y), "elementwise_call: kernel k"),
                "%s", gnd_error(y)))
        tap_diag("%d", (int)st);
    gnd_ekernel_free(k);
}

static void test_refusals(void)
{
#define MAKE(in, out, op) gnd_elementwise_kernel(in, out, op, "k", NULL)
    refused(MAKE("T x", "T z", " "), GND_ERR_ARG, "elementwise_kernel: operation is empty");
    refused(MAKE("T x", "", "z = x"), GND_ERR_ARG, "out_params is empty");
    refused(MAKE("flot x", "T z", "z = x"), GND_ERR_DTYPE, "in_params: unknown type 'flot'");
    refused(MAKE("T x, T x", "T z", "z = x"), GND_ERR_NAME, "the name 'x' comes twice");
    refused(MAKE("T x", "T x", "x = 1"), GND_ERR_NAME, "'x' is an input");
    refused(MAKE("T 2x", "T z", "z = 1"), GND_ERR_NAME, "'2x' cannot be a name");
    refused(MAKE("T i", "T z", "z = 1"), GND_ERR_NAME, "'i' cannot be a name");
    refused(MAKE("T", "T z", "z = 1"), GND_ERR_SYNTAX, "parameter 0");
    refused(MAKE("T x,", "T z", "z = 1"), GND_ERR_SYNTAX, "the last comma");
    refused(MAKE("T x", "raw T z", "z[i] = 1"), GND_ERR_UNSUPPORTED, "gnd_launch");
    refused(MAKE("T x", "T z", "z = x; }"), GND_ERR_SYNTAX, "operation:1:8: a bracket that closes");
    refused(MAKE("T x", "T z", "z = (x"), GND_ERR_SYNTAX, "is not closed");
    refused(MAKE("T x", "T z", "z = x;\n#define Q"), GND_ERR_SYNTAX, "operation:2:1");
    refused(MAKE("T x", "T z", "return;"), GND_ERR_SYNTAX, "operation:1:1");
    refused(MAKE("T x", "T z", "z = x /* "), GND_ERR_SYNTAX, "operation:1:7: a comment");
    refused(MAKE(NULL, "T z", "z = 1"), GND_ERR_NULL, "in_params is NULL");
    refused(gnd_elementwise_kernel("T x", "T z", "z = x", "a b", NULL), GND_ERR_NAME, "name 'a b'");
    gnd_rkernel *r =
        gnd_reduction_kernel("T x", "T z", "x;", "a + b", "z = a", "0", "k", NULL, NULL);
    tap_ok(gnd_rkernel_status(r) == GND_ERR_SYNTAX &&
               strstr(gnd_rkernel_error(r), "reduction_kernel: map_expr:1:2"),
           "%s", gnd_rkernel_error(r));
    gnd_rkernel_free(r);
    gnd_array *f = numbers(6), *d = gnd_astype(f, GND_FLOAT64), *two[] = {f, d}, *num = gnd_real(2);
    gnd_array *cut = gnd_slice(f, 0, 0, 4), *odd[] = {f, cut},
              *half[] = {gnd_astype(f, GND_FLOAT16)};
    const gnd_kernel_call size = {.size = 3};
    const uint64_t before = launches();
    call_refused("T x", "z = x", 2, two, NULL, GND_ERR_ARG, "2 inputs given, the kernel has 1");
    call_refused("T x, T y", "z = x", 2, two, NULL, GND_ERR_DTYPE,
                 "in[1], y, is float64, and T is float32");
    call_refused("int32 x", "z = x", 1, two, NULL, GND_ERR_DTYPE,
                 "is float32 and the parameter is int32");
    call_refused("float32 x", "z = x", 1, two, NULL, GND_ERR_DTYPE, "nothing tells what T is");
    call_refused("T x", "z = x", 1, &num, NULL, GND_ERR_DEVICE, "no device is given");
    call_refused("raw T x", "z = x[i]", 1, &f, NULL, GND_ERR_ARG, "size is needed");
    call_refused("T x", "z = x", 1, &f, &size, GND_ERR_ARG, "size is 3");
    call_refused("T x, T y", "z = x", 2, odd, NULL, GND_ERR_SHAPE, "does not broadcast");
    call_refused("raw T x", "z = 0", 1, half, &size, GND_ERR_DTYPE, "no type in C");
    call_refused("T x", "z = x +\n   wrong;", 1, &f, NULL, GND_ERR_BUILD, "operation:2:4");
    call_refused("T x", "z = gnd_nothing_f32(x);", 1, &f, NULL, GND_ERR_NAME, "gnd_nothing_f32");
    tap_is_int((int64_t)(launches() - before), 0, "nothing was launched");
    gnd_array *y = NULL;
    gnd_status st = gnd_elementwise_call(NULL, 1, &f, NULL, &y);
    tap_is_int(st, GND_ERR_NULL, "%s", gnd_error(y));
    r = gnd_reduction_kernel("T x", "T z", "x", "a + b", "z = a", "0", "k", NULL, NULL);
    st = gnd_reduction_call(r, 1, &f, GND_AXIS(2), 0, NULL, &y);
    tap_is_int(st, GND_ERR_AXIS, "%s", gnd_error(y));
    gnd_rkernel_free(r);
    st = gnd_reduction_call(r, 1, &f, GND_ALL, 0, NULL, &y);
    tap_is_int(st, GND_ERR_STATE, "%s", gnd_error(y));
}

/* One call of each; 1: right, 0: an error that has a message, -1: wrong. */
static int whole(gnd_array *x)
{
    gnd_scope_begin();
    gnd_ekernel *k = gnd_elementwise_kernel("T x, raw T y", "T z, T w", "z = x + y[0]; w = i",
                                            "whole", "#define Q 1\n");
    gnd_rkernel *r =
        gnd_reduction_kernel("T x", "T y", "x", "a + b", "y = a", "0", "total", NULL, NULL);
    gnd_array *in[] = {x, x}, *z[2] = {NULL}, *s = NULL;
    float got = 0;
    gnd_elementwise_call(k, 2, in, NULL, z);
    gnd_reduction_call(r, 1, &z[1], GND_ALL, 0, NULL, &s);
    const gnd_status st = gnd_read(s, &got, sizeof got);
    const int ok = st == GND_OK ? (got == 15 ? 1 : -1) : gnd_error(s)[0] ? 0 : -1;
    gnd_ekernel_free(k);
    gnd_rkernel_free(r);
    gnd_scope_end();
    return ok;
}

static void test_faults(void)
{
    gnd_array *x = numbers(6);
    gnd_eval_all(1, &x);
    (void)whole(x);
    for (int mem = 1; mem >= 0; mem--) {
        int bad = 0, n = 1;
        const size_t live = gnd__mem_live();
        for (; n < 2000; n++) {
            mem ? gnd__mem_fail_at((uint64_t)n) : gnd__gate_fail_at((uint64_t)n);
            const int ok = whole(x);
            mem ? gnd__mem_fail_at(0) : gnd__gate_fail_at(0);
            bad += ok < 0;
            if (ok == 1 && n > 40)
                break;
        }
        tap_ok(bad == 0 && n < 2000, "%s that fail, one after the other (%d)",
               mem ? "allocations" : "backend calls", n);
        tap_is_int(whole(x), 1, "and it is right afterwards");
        (void)live;
    }
}

static void test_nvrtc(void)
{
    const char *why;
    if (!nvrtc_load(&why)) {
        tap_skip(2, "%s", why);
        return;
    }
    gnd_props props = {.kind = GND_DEV_GPU, .dialect = GND_DIALECT_CUDA, .has_f64 = 1};
    gnd__letters l;
    gnd__sparams in, out, none = {.n = 0};
    gnd__piece code, id;
    gnd_err e = {.code = GND_OK};
    memset(&l, -1, sizeof l);
    l.of['T'] = GND_FLOAT32;
    l.of['U'] = GND_FLOAT16;
    gnd__sparams_read(&in, "in", "T x, raw int64 y, U h, bool t", 16, &e);
    gnd__sparams_read(&out, "out", "T z, U w, bool b", 8, &e);
    gnd__piece_read(&code, "operation", "z = f(x) + sqrt(x) + y[i % y.size()]; w = h + n; b = t",
                    &in, 0, &e);
    gnd__piece_read(&id, "identity", "0", &none, 1, &e);
    const gnd__sfunc f = {.name = "k",
                          .preamble = "__device__ T f(T x) { return x + 1; }",
                          .in = &in,
                          .out = &out,
                          .code = &code,
                          .letters = &l};
    gnd__snippet *s[2] = {gnd__snippet_function(&f),
                          gnd__snippet_fold("r", NULL, &id, &id, GND_FLOAT32, &l)};
    for (int i = 0; i < 2; i++) {
        gnd__str text = {0};
        const gnd_status st = gnd__snippet_probe(s[i], &props, &text, &e);
        if (!tap_ok(st == GND_OK && nvrtc_build(gnd__str_get(&text), 90),
                    "NVRTC compiles function %d", i))
            tap_diag("%s\n%s", e.msg, gnd__str_get(&text));
        gnd__str_free(&text);
        gnd__snippet_unref(s[i]);
    }
    gnd__piece_free(&code);
    gnd__piece_free(&id);
}

int main(void)
{
    ref_seed(20261123);
    test_nvrtc();
    dev = ref_open_first();
    gnd_scope_begin();
    test_random();
    test_fusion();
    test_arguments();
    test_reductions();
    test_record();
    test_refusals();
    test_faults();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
