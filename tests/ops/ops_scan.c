/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_scan.c - running sums, products and extremes against plain loops in long double: dtypes,
 * axes, layouts, sizes round every block of the kernels, NaN and infinities, initial elements, what
 * nothing gives, expressions as inputs; accuracy of long sums; the same bits each time; unwrap.
 * With the kernels of all shapes (GND_KERNEL_SHAPE); of gpu-apart, where no group waits for
 * another, what differs from gpu.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { SUM, PROD, MAX, MIN, SUM1, PROD1, NANSUM, NANPROD, NOPS };
static const char *const op_name[NOPS] = {"sum",         "prod",         "max",    "min",
                                          "initial sum", "initial prod", "nansum", "nanprod"};
#define BIT(op) (1u << (op))
#define ALL_OPS ((1u << NOPS) - 1)

static const char *shape_name;

/* The kernels shaped for GPUs take PoCL long to compile: each of their texts is tested with fewer
 * inputs and operations, which are the same functions for both shapes. */
static int few(void)
{
    return shape_name[0] == 'g';
}

static gnd_array *apply(int op, gnd_array *x, gnd_axes axis)
{
    switch (op) {
    case SUM: return gnd_cumulative_sum(x, axis, 0, GND_DTYPE_DEFAULT);
    case PROD: return gnd_cumulative_prod(x, axis, 0, GND_DTYPE_DEFAULT);
    case MAX: return gnd_cummax(x, axis);
    case MIN: return gnd_cummin(x, axis);
    case SUM1: return gnd_cumulative_sum(x, axis, GND_INCLUDE_INITIAL, GND_DTYPE_DEFAULT);
    case PROD1: return gnd_cumulative_prod(x, axis, GND_INCLUDE_INITIAL, GND_DTYPE_DEFAULT);
    case NANSUM: return gnd_nancumsum(x, axis, GND_DTYPE_DEFAULT);
    default: return gnd_nancumprod(x, axis, GND_DTYPE_DEFAULT);
    }
}

static int is_initial(int op)
{
    return op == SUM1 || op == PROD1;
}

static gnd_dtype result_dtype(int op, gnd_dtype t)
{
    int kind = gnd_dtype_kind(t);
    if (op == MAX || op == MIN)
        return t;
    return kind == 'u' ? GND_UINT64 : kind == 'b' || kind == 'i' ? GND_INT64 : t;
}

/* --- the reference ---------------------------------------------------------------------------- */

static long double re_of(ref_num v)
{
    return v.kind == 'u'                    ? (long double)v.u
           : v.kind == 'f' || v.kind == 'c' ? v.re
                                            : (long double)v.i;
}

static int greater(ref_num a, ref_num b)
{
    return a.kind == 'u'   ? a.u > b.u
           : a.kind == 'f' ? a.re > b.re
           : a.kind == 'c' ? a.re > b.re || (a.re == b.re && a.im > b.im)
                           : a.i > b.i;
}

/* What has been seen of a line so far. */
typedef struct state {
    ref_num r;
    long double mag, logs; /* magnitudes, and of their logarithms */
    int64_t n;
    int infs;
} state;

static void start(int op, gnd_dtype t, state *s)
{
    memset(s, 0, sizeof *s);
    int one = op == PROD || op == PROD1 || op == NANPROD;
    s->r = (ref_num){.kind = gnd_dtype_kind(result_dtype(op, t)), .re = one};
    s->r.i = one;
    s->r.u = (uint64_t)one;
}

/* One value more. */
static void step(int op, state *s, ref_num v)
{
    long double a = s->r.re, b = s->r.im, re, im = v.kind == 'c' ? v.im : 0, m;
    uint64_t bits = v.kind == 'u' ? v.u : (uint64_t)v.i;
    if ((op == NANSUM || op == NANPROD) && ref_is_nan(v)) {
        v.re = op == NANPROD;
        v.im = im = 0;
    }
    re = re_of(v);
    m = v.kind == 'c' ? hypotl(re, im) : fabsl(re);
    s->infs += isinf(m) != 0;
    s->mag += isfinite(m) ? m : 0;
    s->logs += m > 0 && isfinite(m) ? fabsl(log2l(m)) : 0;
    switch (op) {
    case MAX:
    case MIN:
        if (s->n == 0 || (!ref_is_nan(s->r) &&
                          (ref_is_nan(v) || (op == MAX ? greater(v, s->r) : greater(s->r, v)))))
            s->r = v;
        break;
    case SUM:
    case SUM1:
    case NANSUM:
        s->r.u += bits;
        s->r.re = a + re;
        s->r.im = b + im;
        break;
    default:
        s->r.u *= bits;
        s->r.re = v.kind == 'c' ? a * re - b * im : a * re;
        s->r.im = v.kind == 'c' ? a * im + b * re : 0;
    }
    if (op != MAX && op != MIN)
        s->r.i = (int64_t)s->r.u;
    s->n++;
}

/* How far from s->r is right; infinite where the order of operations decides. */
static long double tolerance(int op, gnd_dtype t, const state *s)
{
    gnd_dtype rt = result_dtype(op, t),
              ct = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : rt;
    long double eps, big = ct == GND_FLOAT64 || ct == GND_COMPLEX128 ? 1e307L : 1e37L;
    if (op == MAX || op == MIN || s->r.kind != 'f' ? s->r.kind != 'c' || op == MAX || op == MIN : 0)
        return 0;
    eps = ref_ulp_at(ct, 1);
    if (op == SUM || op == SUM1 || op == NANSUM) {
        /* runs of up to 128 terms are plain, what stands before them has its error with it */
        long double run = s->n < 128 ? (long double)s->n : 128;
        return s->mag > big ? HUGE_VALL
                            : (0.5L * run + 8) * eps * s->mag + ref_ulp_at(rt, s->r.re) +
                                  ref_ulp_at(rt, s->r.im);
    }
    if (s->logs > 110 || (s->infs && s->r.kind == 'c'))
        return HUGE_VALL;
    return (long double)(2 * s->n + 4) * eps * hypotl(s->r.re, s->r.im) + ref_ulp_at(rt, s->r.re) +
           ref_ulp_at(rt, s->r.im);
}

/* --- one case --------------------------------------------------------------------------------- */

/* The line of y (and x) at place `line` of the other axes. */
static int check_line(int op, const ref_arr *x, const ref_arr *y, int axis, int64_t line, char *why,
                      size_t cap)
{
    int64_t idx[GND_MAX_NDIM], dim[GND_MAX_NDIM];
    state s;
    char a[80], b[80];
    start(op, x->t, &s);
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof *dim);
    dim[axis] = 1;
    ref_unravel(x->ndim, dim, line, idx);
    for (int64_t k = 0; k < y->dim[axis]; k++) {
        int64_t from = k - is_initial(op);
        if (from >= 0) {
            idx[axis] = from;
            step(op, &s, ref_get(x->t, ref_at(x, idx)));
        }
        idx[axis] = k;
        ref_num got = ref_get(y->t, ref_at(y, idx));
        long double tol = tolerance(op, x->t, &s);
        if (ref_near(y->t, got, s.r, tol))
            continue;
        snprintf(why, cap, "line %" PRId64 ", element %" PRId64 ": %s, not %s within %Lg", line, k,
                 ref_text(got, a, sizeof a), ref_text(s.r, b, sizeof b), tol);
        return 0;
    }
    return 1;
}

static int check_op(int op, gnd_array *y, const ref_arr *x, int axis, char *why, size_t cap)
{
    int64_t dim[GND_MAX_NDIM], lines = 1;
    int ok = 1;
    ref_arr got;
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof *dim);
    dim[axis] += is_initial(op);
    if (!ref_read(y, result_dtype(op, x->t), x->ndim, dim, &got, why, cap))
        return 0;
    for (int d = 0; d < x->ndim; d++)
        lines *= d == axis ? 1 : dim[d];
    for (int64_t i = 0; i < lines && ok; i++)
        ok = check_line(op, x, &got, axis, i, why, cap);
    ref_free(&got);
    return ok;
}

/* The operations of ops on one array, as one plan. */
static void check(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, ref_layout l, int how,
                  int axis, unsigned ops)
{
    gnd_array *y[NOPS];
    int which[NOPS], n = 0, bad = 0;
    ref_arr x;
    char text[200] = "", all_why[2000] = "";
    int64_t elements = 1;
    for (int d = 0; d < ndim; d++)
        elements *= dim[d];
    /* the host does for more elements what it does for these, and kernels have no sanitizers */
    if (ref_skip(dev, t, 1) || (tap_sanitized() && elements > 300000))
        return;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, ndim, dim, l, how, &x);
    for (int op = 0; op < NOPS; op++)
        if (ops & BIT(op)) {
            which[n] = op;
            y[n++] = apply(op, a, GND_AXIS(axis));
        }
    gnd_eval_all(n, y);
    for (int i = 0; i < n; i++) {
        char why[300];
        if (check_op(which[i], y[i], &x, axis < 0 ? axis + ndim : axis, why, sizeof why))
            continue;
        bad++;
        snprintf(all_why + strlen(all_why), sizeof all_why - strlen(all_why), "%s: %s\n",
                 op_name[which[i]], why);
    }
    for (int d = 0; d < ndim; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRId64, d ? "," : "",
                 dim[d]);
    tap_ok(!bad, "%s: %d scans of %s (%s) %s, axis %d", shape_name, n, gnd_dtype_name(t), text,
           ref_layout_name(l), axis);
    if (bad)
        tap_diag("%s", all_why);
    ref_free(&x);
    gnd_scope_end();
}

/* --- groups of cases -------------------------------------------------------------------------- */

static void sizes(gnd_device *dev)
{
    static const int64_t n[] = {1,    2,    3,    15,    16,    17,    31,    32,
                                63,   64,   65,   127,   128,   129,   257,   1009,
                                1023, 1024, 1025, 2047,  2048,  2049,  4095,  4096,
                                4097, 8191, 8193, 16384, 16385, 32769, 65536, (1 << 20) + 3};
    const unsigned both = BIT(SUM) | BIT(SUM1), ints = few() ? BIT(SUM) : BIT(SUM) | BIT(MAX);
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        check(dev, GND_FLOAT32, 1, &n[i], REF_CONTIG, i % 2 ? REF_SMALL : REF_REAL, 0, both);
        /* several rows, or a row of columns, a group; rows enough for all groups */
        if (n[i] < 5000)
            check(dev, GND_INT32, 2, (int64_t[]){n[i] < 40 ? 300 : 5, n[i]}, REF_CONTIG, REF_REAL,
                  1, ints);
        if (n[i] < 2100)
            check(dev, GND_FLOAT32, 3, (int64_t[]){i % 2 ? 3 : 20, n[i], i % 3 ? 3 : 31},
                  REF_CONTIG, REF_SMALL, 1, both);
        if (n[i] < 2100)
            check(dev, GND_FLOAT32, 3, (int64_t[]){i % 2 ? 1 : 3, n[i], i % 3 ? 33 : 257},
                  REF_CONTIG, REF_SMALL, 1, both);
    }
    check(dev, GND_FLOAT32, 2, (int64_t[]){3, 70001}, REF_CONTIG, REF_REAL, 1, both);
    check(dev, GND_FLOAT32, 2, (int64_t[]){270, 5000}, REF_CONTIG, REF_REAL, 1, both);
    check(dev, GND_FLOAT32, 2, (int64_t[]){70001, 3}, REF_CONTIG, REF_REAL, 0, both);
    check(dev, GND_INT32, 3, (int64_t[]){2, 20011, 5}, REF_CONTIG, REF_REAL, 1, ints);
    check(dev, GND_FLOAT32, 2, (int64_t[]){5, 70001}, REF_CONTIG, REF_SMALL, 0, both);
    check(dev, GND_FLOAT32, 2, (int64_t[]){20011, 40}, REF_CONTIG, REF_REAL, 0, both);
    check(dev, GND_INT32, 3, (int64_t[]){33, 130, 300}, REF_CONTIG, REF_REAL, 1, ints);
}

/* Rows that are cut into parts, or into tiles: those of one row, of several, with the lists of sums
 * of all lengths that a tile may look back at (a tile has 256 steps on a CPU). */
static void parts(gnd_device *dev)
{
    static const int64_t n[] = {4097,  8191,  8192,   8193,   9216,   16385,
                                32769, 65536, 262143, 262400, 1050003};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        check(dev, GND_FLOAT32, 1, &n[i], REF_CONTIG, i % 2 ? REF_SMALL : REF_REAL, 0,
              BIT(SUM) | BIT(SUM1));
        if (n[i] < 70000)
            check(dev, GND_INT32, 2, (int64_t[]){5, n[i]}, REF_CONTIG, REF_REAL, 1, BIT(SUM));
    }
    check(dev, GND_INT32, 2, (int64_t[]){1, 8400003}, REF_CONTIG, REF_REAL, 1, BIT(SUM));
    check(dev, GND_COMPLEX64, 1, (int64_t[]){40000}, REF_CONTIG, REF_REAL, 0, BIT(SUM));
}

static void axes_and_layouts(gnd_device *dev)
{
    const int64_t dim[4] = {3, 5, 18, 35};
    for (int l = 0; l < REF_NLAYOUTS; l++)
        if (!few() || l == REF_OFFSET || l == REF_STRIDED)
            check(dev, GND_FLOAT32, 4, dim, (ref_layout)l, REF_SMALL, l & 1 ? l % 4 : l % 4 - 4,
                  BIT(SUM));
    for (int axis = 0; axis < 4; axis++)
        check(dev, GND_FLOAT32, 4, dim, REF_CONTIG, REF_SMALL, axis,
              axis & 1 ? BIT(SUM1) : BIT(SUM));
}

/* Each dtype along rows or across them. */
static void dtypes(gnd_device *dev)
{
    static const int ops[4] = {SUM, MIN, PROD, MAX};
    for (int t = 0; t < GND_NDTYPES; t++) {
        int op = ops[(t / 2) % 4], rows = t % 2;
        if (few() && t % 3 != GND_FLOAT64 % 3)
            continue;
        if (rows)
            check(dev, (gnd_dtype)t, 2, (int64_t[]){5, 331}, REF_CONTIG, REF_NEAR_ONE, 1, BIT(op));
        else
            check(dev, (gnd_dtype)t, 2, (int64_t[]){67, 40}, REF_CONTIG, REF_NEAR_ONE, 0, BIT(op));
    }
    check(dev, GND_COMPLEX64, 1, (int64_t[]){40000}, REF_CONTIG, REF_REAL, 0, BIT(SUM));
    check(dev, GND_FLOAT64, 2, (int64_t[]){67, 40}, REF_CONTIG, REF_REAL, 0, BIT(SUM));
    check(dev, GND_FLOAT16, 2, (int64_t[]){5, 331}, REF_CONTIG, REF_SMALL, 1, BIT(SUM));
    if (few())
        return;
    check(dev, GND_COMPLEX128, 2, (int64_t[]){5, 331}, REF_CONTIG, REF_NEAR_ONE, 1, BIT(PROD1));
    check(dev, GND_COMPLEX64, 2, (int64_t[]){1000, 40}, REF_CONTIG, REF_REAL, 0, BIT(SUM));
    check(dev, GND_BOOL, 1, (int64_t[]){40000}, REF_CONTIG, REF_REAL, 0, BIT(MIN));
}

static void special(gnd_device *dev)
{
    check(dev, GND_FLOAT32, 2, (int64_t[]){300, 7}, REF_CONTIG, REF_SPECIAL, 1,
          BIT(SUM) | BIT(MAX));
    check(dev, GND_FLOAT32, 2, (int64_t[]){7, 300}, REF_CONTIG, REF_SPECIAL, 0,
          BIT(SUM) | BIT(NANSUM));
    if (!few()) {
        check(dev, GND_FLOAT32, 2, (int64_t[]){7, 300}, REF_CONTIG, REF_SPECIAL, 0, BIT(MIN));
        check(dev, GND_FLOAT32, 1, (int64_t[]){70000}, REF_CONTIG, REF_SPECIAL, 0, BIT(MAX));
        check(dev, GND_COMPLEX64, 2, (int64_t[]){300, 7}, REF_CONTIG, REF_SPECIAL, 1, BIT(MAX));
        check(dev, GND_COMPLEX64, 2, (int64_t[]){7, 300}, REF_CONTIG, REF_SPECIAL, 0, BIT(NANSUM));
        check(dev, GND_FLOAT16, 2, (int64_t[]){7, 300}, REF_CONTIG, REF_SPECIAL, 0,
              BIT(SUM) | BIT(MAX));
        check(dev, GND_INT8, 2, (int64_t[]){300, 7}, REF_CONTIG, REF_SPECIAL, 1, BIT(NANPROD));
    }
    /* an infinite sum stays infinite, -0 stays -0 */
    enum { N = 40000 };
    const int64_t n = N;
    float *v = calloc(N, sizeof *v), *got = calloc(N, sizeof *got);
    int wrong = 0;
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        v[i] = i == 100 ? INFINITY : 1;
    gnd_read(
        gnd_cumulative_sum(gnd_from(dev, GND_FLOAT32, 1, &n, v), GND_ALL, 0, GND_DTYPE_DEFAULT),
        got, N * sizeof *got);
    for (int i = 0; i < N; i++)
        wrong += i < 100 ? got[i] != (float)i + 1 : !isinf(got[i]);
    tap_is_int(wrong, 0, "%s: an infinite element makes what follows infinite, and nothing NaN",
               shape_name);
    for (int i = 0; i < N; i++)
        v[i] = -0.0f;
    gnd_read(
        gnd_cumulative_sum(gnd_from(dev, GND_FLOAT32, 1, &n, v), GND_ALL, 0, GND_DTYPE_DEFAULT),
        got, N * sizeof *got);
    for (int i = wrong = 0; i < N; i++)
        wrong += got[i] != 0 || !signbit(got[i]);
    tap_is_int(wrong, 0, "%s: the sum of negative zeros is one", shape_name);
    gnd_scope_end();
    free(v);
    free(got);
}

static void empty(gnd_device *dev)
{
    const int64_t dim[3] = {3, 0, 4}, one = 1;
    int64_t v[12];
    check(dev, GND_FLOAT32, 3, dim, REF_CONTIG, REF_SMALL, 0, ALL_OPS);
    check(dev, GND_FLOAT32, 3, dim, REF_CONTIG, REF_SMALL, -2, ALL_OPS);
    gnd_scope_begin();
    gnd_array *x = gnd_full(dev, GND_INT32, 0, NULL, gnd_int(7));
    gnd_array *y = gnd_cumulative_prod(x, GND_ALL, GND_INCLUDE_INITIAL, GND_DTYPE_DEFAULT);
    tap_ok(gnd_ndim(y) == 1 && gnd_read(y, v, 16) == GND_OK && v[0] == 1 && v[1] == 7,
           "%s: a scalar, flattened", shape_name);
    y = gnd_cummax(gnd_arange_i64(dev, 5, 6, 1, GND_INT64), GND_AXIS(0));
    tap_ok(gnd_read(y, v, 8) == GND_OK && v[0] == 5 && gnd_dim(y, 0) == one, "%s: one element",
           shape_name);
    x = gnd_reshape(gnd_arange_i64(dev, 0, 12, 1, GND_INT16), 2, (int64_t[]){3, 4});
    y = gnd_cumulative_sum(x, GND_ALL, 0, GND_DTYPE_DEFAULT);
    int ok = gnd_read(y, v, 96) == GND_OK && gnd_ndim(y) == 1;
    for (int i = 0; i < 12 && ok; i++)
        ok = v[i] == i * (i + 1) / 2;
    tap_ok(ok, "%s: a matrix, flattened", shape_name);
    unsigned char b[12];
    y = gnd_cumulative_sum(gnd_reshape(gnd_greater(x, gnd_int(5)), 1, (int64_t[]){12}), GND_ALL, 0,
                           GND_BOOL);
    ok = gnd_read(y, b, 12) == GND_OK;
    for (int i = 0; i < 12 && ok; i++)
        ok = b[i] == (i > 5);
    tap_ok(ok, "%s: sums in bool are or", shape_name);
    gnd_scope_end();
}

/* --- inputs that are expressions -------------------------------------------------------------- */

static int64_t kernels(gnd_array *x)
{
    char *text = gnd_explain(1, &x, 0, NULL), *p = text;
    int64_t n = -1;
    while (p && *p) {
        char *nl = strchr(p, '\n');
        if (nl && !nl[1])
            *nl = 0;
        p = nl ? nl + 1 : NULL;
        if (p && strstr(p, " kernels, "))
            n = atoll(p);
    }
    free(text);
    return n;
}

static void fused(gnd_device *dev)
{
    enum { N = 150003 };
    const int64_t n = N;
    const int cpu = shape_name[0] == 'c'; /* two kernels: sums of parts, and the scan of each */
    float *v = calloc(N, sizeof *v);
    int64_t *got = calloc(N, sizeof *got), sum = 0;
    int wrong = 0;
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        v[i] = (float)((int)(ref_rnd() % 21) - 10) / 4;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, v);
    gnd_array *y = gnd_cumulative_sum(gnd_greater(x, gnd_int(0)), GND_ALL, 0, GND_DTYPE_DEFAULT);
    /* where groups may wait for one another it is read once, behind a kernel that clears what they
     * publish */
    const int64_t count = kernels(y);
    tap_ok(cpu ? count == 2 : count == 3 || (count == 2 && few()),
           "%s: a sum of comparisons is the scan's %d kernels", shape_name, (int)count);
    gnd_read(y, got, N * sizeof *got);
    for (int i = 0; i < N; i++)
        wrong += got[i] != (sum += v[i] > 0);
    tap_is_int(wrong, 0, "%s: it counts", shape_name);
    /* what is expensive and read twice is stored before; read once it is not */
    y = gnd_cumulative_sum(gnd_astype(gnd_round(gnd_exp(x)), GND_INT64), GND_ALL, 0,
                           GND_DTYPE_DEFAULT);
    tap_is_int(kernels(y),
               cpu          ? 3
               : count == 2 ? 2
                            : 4,
               "%s: exponentials are computed once", shape_name);
    gnd_read(y, got, N * sizeof *got);
    for (int i = wrong = sum = 0; i < N; i++)
        wrong += got[i] != (sum += (int64_t)rintf(expf(v[i])));
    tap_is_int(wrong, 0, "%s: the running sum of exponentials", shape_name);
    gnd_array *m = gnd_reshape(gnd_at(x, ":70000"), 2, (int64_t[]){1000, 70});
    y = gnd_cumulative_sum(gnd_exp(m), GND_AXIS(1), 0, GND_DTYPE_DEFAULT);
    tap_is_int(kernels(y), 1, "%s: rows of exponentials are one kernel", shape_name);
    /* a scan of a scan of a transposed view, and arithmetic behind it */
    y = gnd_cummax(gnd_T(gnd_cumulative_sum(gnd_astype(gnd_multiply(m, gnd_int(4)), GND_INT64),
                                            GND_AXIS(1), 0, GND_DTYPE_DEFAULT)),
                   GND_AXIS(-1));
    y = gnd_add(y, gnd_int(1));
    gnd_status st = gnd_read(y, got, 70000 * sizeof *got);
    for (int c = wrong = 0; c < 70; c++) {
        int64_t most = INT64_MIN;
        for (int r = 0; r < 1000; r++) {
            int64_t s = 0;
            for (int k = 0; k <= c; k++)
                s += (int64_t)(v[r * 70 + k] * 4);
            most = s > most ? s : most;
            wrong += got[c * 1000 + r] != most + 1;
        }
    }
    tap_ok(st == GND_OK && !wrong, "%s: a scan of a transposed scan", shape_name);
    gnd_scope_end();
    free(v);
    free(got);
}

/* --- long sums -------------------------------------------------------------------------------- */

static void accuracy(gnd_device *dev)
{
    const int64_t n = (1 << 22) + 5, rows = 1 << 13, cols = 1 << 9;
    float *v = malloc((size_t)n * sizeof *v), *a = calloc((size_t)n, sizeof *a),
          *b = calloc((size_t)n, sizeof *b);
    long double sum = 0, mag = 0, worst = 0;
    gnd_scope_begin();
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)((double)(ref_rnd() >> 11) * 0x1p-53 * (i % 7 ? 1 : 1000) * (i & 1 ? 1 : -1));
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, v), *y = gnd_from(dev, GND_FLOAT32, 1, &n, v);
    gnd_read(gnd_cumulative_sum(x, GND_ALL, 0, GND_DTYPE_DEFAULT), a, (size_t)n * sizeof *a);
    gnd_read(gnd_cumulative_sum(y, GND_ALL, 0, GND_DTYPE_DEFAULT), b, (size_t)n * sizeof *b);
    for (int64_t i = 0; i < n; i++) {
        sum += (long double)v[i];
        mag += fabsl((long double)v[i]);
        long double e = fabsl((long double)a[i] - sum) / (0x1p-24L * mag);
        worst = e > worst ? e : worst;
    }
    tap_ok(worst <= 8, "%s: 2^22 + 5 values of mixed sign: %.2Lf * 2^-24 of the magnitudes",
           shape_name, worst);
    int same = !memcmp(a, b, (size_t)n * sizeof *a);
    for (int i = 0; i < 4 && same; i++) {
        gnd_read(gnd_cumulative_sum(i & 1 ? x : y, GND_ALL, 0, GND_DTYPE_DEFAULT), b,
                 (size_t)n * sizeof *b);
        same = !memcmp(a, b, (size_t)n * sizeof *a);
    }
    tap_ok(same, "%s: the same bits each time", shape_name);
    gnd_array *m = gnd_reshape(gnd_at(x, ":4194304"), 2, (int64_t[]){rows, cols});
    gnd_read(gnd_cumulative_sum(m, GND_AXIS(0), 0, GND_DTYPE_DEFAULT), a,
             (size_t)(rows * cols) * sizeof *a);
    worst = 0;
    for (int64_t k = 0; k < cols; k++)
        for (int64_t i = sum = mag = 0; i < rows; i++) {
            sum += (long double)v[i * cols + k];
            mag += fabsl((long double)v[i * cols + k]);
            long double e = fabsl((long double)a[i * cols + k] - sum) / (0x1p-24L * mag);
            worst = e > worst ? e : worst;
        }
    tap_ok(worst <= 16, "%s: columns of 2^13: %.2Lf * 2^-24 of the magnitudes", shape_name, worst);
    gnd_scope_end();
    free(v);
    free(a);
    free(b);
}

/* --- unwrap ----------------------------------------------------------------------------------- */

/* NumPy's documentation: where a step is not smaller than discont, whole periods are added. */
static void unwrap_line(const double *x, double *y, int n, double period, double discont)
{
    double add = 0;
    for (int i = 0; i < n; i++) {
        if (i) {
            double d = x[i] - x[i - 1], low = -period / 2, m = d - low;
            m -= floor(m / period) * period;
            m += low;
            if (m == low && d > 0)
                m = -low;
            add += fabs(d) < discont ? 0 : m - d;
        }
        y[i] = x[i] + add;
    }
}

static void unwraps(gnd_device *dev)
{
    enum { R = 3, N = 500 };
    const int64_t dim[2] = {R, N};
    double x[R * N], want[R * N];
    float f[R * N], got[R * N];
    int64_t v[R * N], w[R * N];
    const double tau = 6.283185307179586;
    int wrong = 0;
    gnd_scope_begin();
    for (int i = 0; i < R * N; i++) {
        v[i] = (int64_t)(ref_rnd() % 100) - 50;
        x[i] = f[i] = (float)v[i] / 8;
    }
    gnd_array *a = gnd_from(dev, GND_FLOAT32, 2, dim, f);
    for (int how = 0; how < (few() ? 1 : 2); how++) {
        gnd_array *y =
            how ? gnd_unwrap(a, gnd_real(4.5), 1, gnd_int(5)) : gnd_unwrap(a, NULL, -1, NULL);
        gnd_status st = gnd_read(y, got, sizeof got);
        for (int r = wrong = 0; r < R; r++)
            unwrap_line(x + r * N, want + r * N, N, how ? 5 : tau, how ? 4.5 : tau / 2);
        for (int i = 0; i < R * N; i++)
            wrong += !(fabs(got[i] - want[i]) < 1e-3 * (1 + fabs(want[i])));
        tap_ok(st == GND_OK && !wrong, "%s: unwrap, %s", shape_name,
               how ? "period 5, discont 4.5" : "angles");
    }
    gnd_array *b = gnd_from(dev, GND_INT64, 2, dim, v);
    for (int p = 6; p < (few() ? 6 : 8); p++) { /* an even and an odd period */
        gnd_status st = gnd_read(gnd_unwrap(b, NULL, 1, gnd_int(p)), w, sizeof w);
        for (int i = wrong = 0; i < R * N; i++) {
            int64_t d = i % N ? w[i] - w[i - 1] : 0;
            wrong += (w[i] - v[i]) % p != 0 || d > p / 2 || d < -(p / 2);
        }
        tap_ok(st == GND_OK && !wrong, "%s: unwrap of ints, period %d", shape_name, p);
    }
    tap_is_int(gnd_dtype_of(gnd_unwrap(b, NULL, 0, NULL)), gnd_default_float(dev),
               "%s: of ints by 2 pi", shape_name);
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    ref_seed(5);
    if (strcmp(shape_name, "gpu-apart") == 0) {
        parts(dev);
    } else {
        empty(dev);
        sizes(dev);
        if (few())
            parts(dev);
        axes_and_layouts(dev);
        dtypes(dev);
        special(dev);
        unwraps(dev);
    }
    fused(dev);
    if (!tap_sanitized())
        accuracy(dev);
    gnd_stats n;
    if (gnd_device_stats(dev, &n) == GND_OK)
        tap_diag("%d kernels built, %d from disk, %d launched", (int)n.kernels_built,
                 (int)n.kernels_from_disk, (int)n.kernels_launched);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu", "gpu-apart"};
    /* the last one differs by its kernels alone, which have no sanitizers */
    for (int i = 0; i < (tap_sanitized() ? 2 : 3); i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
