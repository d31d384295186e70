/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_reduce.c - every reduction against plain loops in long double: dtypes, axes, layouts, sizes
 * round every block of the kernels, NaN and infinities, ties, what nothing gives; accuracy of long
 * sums; the same bits twice. With the kernels of both shapes (GND_KERNEL_SHAPE). The kernels of the
 * second shape compile slowly: of the groups of operations on a dtype they take one in turn, all
 * with GND_TEST_ALL.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { SUM, PROD, MAX, MIN, ANY, ALL, COUNT, ARGMAX, ARGMIN, MEAN, VAR, STD, NOPS };
static const char *const op_name[NOPS] = {"sum",    "prod", "max",           "min",
                                          "any",    "all",  "count_nonzero", "argmax",
                                          "argmin", "mean", "var",           "std"};
#define ALL_OPS ((1u << NOPS) - 1)

static const char *shape_name;
static gnd_dtype whole_float; /* what means of ints give: the device's default float */
static int every;             /* every group of operations, not one in turn */

/* Whether group k of 3 is run on dtype t. */
static int in_turn(int t, int k)
{
    return every || t % 3 == k;
}

/* The same for special values: the kernels for CPUs take two groups, those for GPUs the third. */
static int special_turn(int t, int k)
{
    return getenv("GND_TEST_ALL") || every == (t % 3 != k);
}

static gnd_array *apply(int op, gnd_array *x, gnd_axes axes, unsigned flags)
{
    switch (op) {
    case SUM: return gnd_sum(x, axes, flags);
    case PROD: return gnd_prod(x, axes, flags);
    case MAX: return gnd_max(x, axes, flags);
    case MIN: return gnd_min(x, axes, flags);
    case ANY: return gnd_any(x, axes, flags);
    case ALL: return gnd_all(x, axes, flags);
    case COUNT: return gnd_count_nonzero(x, axes, flags);
    case ARGMAX: return gnd_argmax(x, axes, flags);
    case ARGMIN: return gnd_argmin(x, axes, flags);
    case MEAN: return gnd_mean(x, axes, flags);
    case VAR: return gnd_var(x, axes, flags, 0);
    default: return gnd_std(x, axes, flags, 1);
    }
}

static gnd_dtype result_dtype(int op, gnd_dtype t)
{
    int kind = gnd_dtype_kind(t), whole = kind == 'b' || kind == 'i' || kind == 'u';
    switch (op) {
    case SUM:
    case PROD: return kind == 'u' ? GND_UINT64 : whole ? GND_INT64 : t;
    case MAX:
    case MIN: return t;
    case ANY:
    case ALL: return GND_BOOL;
    case COUNT:
    case ARGMAX:
    case ARGMIN: return GND_INT64;
    case MEAN: return whole ? whole_float : t;
    default:
        return whole                 ? whole_float
               : t == GND_COMPLEX64  ? GND_FLOAT32
               : t == GND_COMPLEX128 ? GND_FLOAT64
                                     : t;
    }
}

/* --- the reference: one result from the n values that go into it ------------------------------ */

static int is_zero(ref_num v)
{
    return v.kind == 'u'   ? v.u == 0
           : v.kind == 'f' ? v.re == 0
           : v.kind == 'c' ? v.re == 0 && v.im == 0
                           : v.i == 0;
}

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

/* Where the greatest (least) is: the first of equal ones, the first NaN before all. */
static int64_t extreme(const ref_num *v, int64_t n, int least)
{
    int64_t best = 0;
    for (int64_t i = 0; i < n; i++) {
        if (ref_is_nan(v[i]))
            return i;
        if (least ? greater(v[best], v[i]) : greater(v[i], v[best]))
            best = i;
    }
    return best;
}

/* The result of op, and how far from it is right: *tol, in absolute terms. */
static ref_num reference(int op, gnd_dtype t, const ref_num *v, int64_t n, long double *tol)
{
    gnd_dtype rt = result_dtype(op, t),
              ct = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : rt;
    long double eps = ref_ulp_at(ct, 1), re = 0, im = 0, mag = 0, logs = 0, big = 0;
    ref_num r = {.kind = gnd_dtype_kind(rt)};
    int nans = 0, infs = 0;
    *tol = 0;
    for (int64_t i = 0; i < n; i++) {
        long double a = v[i].kind == 'c' ? hypotl(v[i].re, v[i].im) : fabsl(re_of(v[i]));
        re += re_of(v[i]);
        im += v[i].kind == 'c' ? v[i].im : 0;
        nans += ref_is_nan(v[i]);
        infs += isinf(a) != 0;
        mag += a;
        big = a > big ? a : big;
        logs += a > 0 ? fabsl(log2l(a)) : 0;
    }
    switch (op) {
    case SUM:
        for (int64_t i = 0; i < n; i++)
            r.u += v[i].kind == 'u' ? v[i].u : (uint64_t)v[i].i;
        r.i = (int64_t)r.u;
        r.re = re, r.im = im;
        *tol = 3 * eps * mag + ref_ulp_at(rt, re) + ref_ulp_at(rt, im);
        if (!nans && !infs && mag > 1e30L) /* may overflow on the way */
            *tol = HUGE_VALL;
        return r;
    case PROD:
        r.u = 1, r.re = 1;
        for (int64_t i = 0; i < n; i++) {
            long double a = r.re, b = r.im;
            r.u *= v[i].kind == 'u' ? v[i].u : (uint64_t)v[i].i;
            r.re = v[i].kind == 'c' ? a * v[i].re - b * v[i].im : a * v[i].re;
            r.im = a * v[i].im + b * v[i].re;
        }
        r.i = (int64_t)r.u;
        *tol = (long double)(2 * n + 4) * eps * hypotl(r.re, r.im) + ref_ulp_at(rt, r.re) +
               ref_ulp_at(rt, r.im);
        if (!nans && logs > 110)
            *tol = HUGE_VALL;
        return r;
    case MAX:
    case MIN: return v[extreme(v, n, op == MIN)];
    case ARGMAX:
    case ARGMIN: return ref_int(extreme(v, n, op == ARGMIN));
    case ANY:
    case ALL:
    case COUNT:
        r.kind = 'i';
        for (int64_t i = 0; i < n; i++)
            r.i += !is_zero(v[i]);
        if (op != COUNT)
            r.i = op == ANY ? r.i > 0 : r.i == n;
        return r;
    default: break;
    }
    r.re = re / (long double)n, r.im = im / (long double)n;
    if (op == MEAN) {
        *tol = 4 * eps * mag / (long double)n + ref_ulp_at(rt, r.re) + ref_ulp_at(rt, r.im);
    } else {
        long double s = 0, m = hypotl(r.re, r.im), div = (long double)(op == STD ? n - 1 : n);
        for (int64_t i = 0; i < n; i++) {
            long double a = re_of(v[i]) - r.re, b = v[i].kind == 'c' ? v[i].im - r.im : 0;
            s += a * a + b * b;
        }
        r.im = 0;
        r.re = s / div;
        *tol = 8 * eps * (s + (long double)n * m * (m + big)) / div;
        if (op == STD) {
            *tol = r.re > 0 ? *tol / sqrtl(r.re) : sqrtl(*tol);
            r.re = sqrtl(r.re);
        }
        *tol += 2 * ref_ulp_at(rt, r.re);
    }
    if (!nans && !infs && big > 1e15L && gnd_dtype_kind(t) != 'i' && gnd_dtype_kind(t) != 'u')
        *tol = HUGE_VALL;
    return r;
}

/* --- one case --------------------------------------------------------------------------------- */

static uint32_t axes_mask(gnd_axes axes, int ndim)
{
    uint32_t m = 0;
    for (int d = 0; d < ndim; d++)
        if (axes.bits == GND_ALL.bits || axes.bits >> d & 1 || axes.bits >> (32 + ndim - 1 - d) & 1)
            m |= 1u << d;
    return m;
}

/* The shape of the result, and the values of x that go into its element number k. */
static int result_shape(const ref_arr *x, uint32_t mask, int keep, int64_t *dim)
{
    int n = 0;
    for (int d = 0; d < x->ndim; d++)
        if (!(mask >> d & 1))
            dim[n++] = x->dim[d];
        else if (keep)
            dim[n++] = 1;
    return n;
}

static int64_t gather(const ref_arr *x, uint32_t mask, int64_t k, ref_num *v)
{
    int64_t idx[GND_MAX_NDIM], kept[GND_MAX_NDIM], at[GND_MAX_NDIM], rdim[GND_MAX_NDIM];
    int64_t n = 0, total = 1;
    int nk = result_shape(x, mask, 0, kept), nr = 0;
    ref_unravel(nk, kept, k, at);
    for (int d = 0; d < x->ndim; d++)
        if (mask >> d & 1) {
            rdim[nr++] = x->dim[d];
            total *= x->dim[d];
        }
    for (int64_t i = 0; i < total; i++) {
        int64_t r[GND_MAX_NDIM];
        int a = 0, b = 0;
        ref_unravel(nr, rdim, i, r);
        for (int d = 0; d < x->ndim; d++)
            idx[d] = mask >> d & 1 ? r[b++] : at[a++];
        v[n++] = ref_get(x->t, ref_at(x, idx));
    }
    return n;
}

static int check_op(int op, gnd_array *y, const ref_arr *x, uint32_t mask, int keep, char *why,
                    size_t cap)
{
    int64_t dim[GND_MAX_NDIM], kept = 1, n;
    int ndim = result_shape(x, mask, keep, dim), ok = 1;
    gnd_dtype t = result_dtype(op, x->t);
    ref_arr got;
    ref_num *v = malloc(((size_t)ref_size(x) + 1) * sizeof *v);
    if (!ref_read(y, t, ndim, dim, &got, why, cap)) {
        free(v);
        return 0;
    }
    for (int d = 0; d < ndim; d++)
        kept *= dim[d];
    for (int64_t k = 0; k < kept && ok; k++) {
        long double tol;
        char a[80], b[80];
        n = gather(x, mask, k, v);
        ref_num want = reference(op, x->t, v, n, &tol), g = ref_nth(&got, k);
        if (ref_near(t, g, want, tol))
            continue;
        ok = 0;
        snprintf(why, cap, "element %" PRId64 " of %" PRId64 ": %s, not %s within %Lg", k, kept,
                 ref_text(g, a, sizeof a), ref_text(want, b, sizeof b), tol);
    }
    free(v);
    ref_free(&got);
    return ok;
}

/* All operations of ops on one array, as one plan. */
static void check(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, ref_layout l, int how,
                  gnd_axes axes, int keep, unsigned ops)
{
    gnd_array *y[NOPS];
    int which[NOPS], n = 0, bad = 0;
    ref_arr x;
    char text[200] = "", all_why[2000] = "";
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, ndim, dim, l, how, &x);
    uint32_t mask = axes_mask(axes, ndim);
    for (int op = 0; op < NOPS; op++) {
        int one = mask && !(mask & (mask - 1));
        if (!(ops >> op & 1) ||
            ((op == ARGMAX || op == ARGMIN) && !one && axes.bits != GND_ALL.bits))
            continue;
        which[n] = op;
        y[n++] = apply(op, a, axes, keep ? GND_KEEPDIMS : 0);
    }
    gnd_eval_all(n, y);
    for (int i = 0; i < n; i++) {
        char why[300];
        if (check_op(which[i], y[i], &x, mask, keep, why, sizeof why))
            continue;
        bad++;
        snprintf(all_why + strlen(all_why), sizeof all_why - strlen(all_why), "%s: %s\n",
                 op_name[which[i]], why);
    }
    for (int d = 0; d < ndim; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRId64, d ? "," : "",
                 dim[d]);
    tap_ok(!bad, "%s: %d reductions of %s (%s) %s, axes %#x%s", shape_name, n, gnd_dtype_name(t),
           text, ref_layout_name(l), mask, keep ? ", keepdims" : "");
    if (bad)
        tap_diag("%s", all_why);
    ref_free(&x);
    gnd_scope_end();
}

/* --- groups of cases -------------------------------------------------------------------------- */

static void sizes(gnd_device *dev)
{
    static const int64_t n[] = {1,    2,    3,    31,   32,   33,    63,
                                64,   65,   127,  128,  129,  1000,  1023,
                                1024, 1025, 4095, 4096, 4097, 70000, (1 << 20) + 3};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        check(dev, GND_FLOAT32, 1, &n[i], REF_CONTIG, i % 2 ? REF_SMALL : REF_NEAR_ONE,
              i % 3 ? GND_ALL : GND_AXIS(-1), 0, 1u << SUM | 1u << PROD | 1u << MAX | 1u << ARGMIN);
        if (n[i] < 5000)
            check(dev, GND_INT32, 2, (int64_t[]){3, n[i]}, REF_CONTIG, REF_REAL, GND_AXIS(1), 0,
                  1u << SUM | 1u << MAX | 1u << ARGMIN | 1u << ALL);
    }
    /* across rows, whose number is about the blocks' */
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (n[i] < 5000)
            check(dev, GND_FLOAT32, 2, (int64_t[]){n[i], i % 2 ? 40 : 9}, REF_CONTIG, REF_SMALL,
                  GND_AXIS(0), 0, 1u << SUM | 1u << MIN | 1u << ARGMAX | 1u << COUNT);
    check(dev, GND_FLOAT32, 2, (int64_t[]){3, 300}, REF_CONTIG, REF_SMALL, GND_AXIS(0), 0, ALL_OPS);
    check(dev, GND_FLOAT32, 2, (int64_t[]){300, 3}, REF_CONTIG, REF_SMALL, GND_AXIS(0), 1, ALL_OPS);
    check(dev, GND_FLOAT32, 1, (int64_t[]){70000}, REF_CONTIG, REF_SMALL, GND_ALL, 1, ALL_OPS);
    /* of a MiB and more, for which GPUs take all columns together */
    check(dev, GND_FLOAT32, 2, (int64_t[]){90001, 3}, REF_CONTIG, REF_SMALL, GND_AXIS(0), 0,
          1u << SUM | 1u << MAX | 1u << ARGMIN);
    check(dev, GND_INT32, 2, (int64_t[]){20001, 19}, REF_CONTIG, REF_REAL, GND_AXIS(0), 0,
          1u << SUM | 1u << MIN | 1u << ARGMAX);
    check(dev, GND_FLOAT32, 2, (int64_t[]){3, 70001}, REF_CONTIG, REF_SMALL, GND_AXIS(1), 0,
          1u << SUM | 1u << MAX | 1u << ARGMIN);
}

/* Every second pair of a layout and a set of axes: each layout is along and across rows; the
 * kernels of the second shape with a third of the pairs. */
static void axes_and_layouts(gnd_device *dev)
{
    const int64_t dim[4] = {3, 5, 18, 35};
    const gnd_axes sets[] = {GND_AXIS(3),    GND_AXIS(-4), GND_AXIS(1),   GND_AXES(0, -1),
                             GND_AXES(1, 2), GND_ALL,      GND_AXES(2, 3)};
    const unsigned few = 1u << SUM | 1u << MIN | 1u << ARGMAX;
    const int nsets = sizeof sets / sizeof *sets;
    for (int l = 0; l < REF_NLAYOUTS; l++)
        for (int i = 0; i < nsets; i++)
            if (getenv("GND_TEST_ALL") || (l + i) % (shape_name[0] == 'c' ? 2 : 3) == 0)
                check(dev, GND_FLOAT32, 4, dim, (ref_layout)l, REF_SMALL, sets[i], i & 1, few);
    check(dev, GND_FLOAT32, 4, dim, REF_STRIDED, REF_SMALL, GND_NO_AXES, 0,
          1u << SUM | 1u << MAX | 1u << ANY | 1u << COUNT | 1u << MEAN);
    check(dev, GND_INT16, 0, NULL, REF_CONTIG, REF_SMALL, GND_ALL, 1, ALL_OPS & ~(1u << STD));
    check(dev, GND_INT16, 0, NULL, REF_CONTIG, REF_SMALL, GND_NO_AXES, 0, ALL_OPS & ~(1u << STD));
}

/* Every operation on every dtype: along rows, across them, or of all, four at a time. */
static void dtypes(gnd_device *dev)
{
    for (int t = 0; t < GND_NDTYPES; t++) {
        if (in_turn(t, 0))
            check(dev, (gnd_dtype)t, 2, (int64_t[]){5, 131}, REF_OFFSET, REF_NEAR_ONE, GND_AXIS(1),
                  0, 1u << SUM | 1u << PROD | 1u << MAX | 1u << ARGMIN);
        if (in_turn(t, 1))
            check(dev, (gnd_dtype)t, 2, (int64_t[]){67, 33}, REF_CONTIG, REF_REAL, GND_AXIS(0), 0,
                  1u << MIN | 1u << ARGMAX | 1u << MEAN);
        if (in_turn(t, 2))
            check(dev, (gnd_dtype)t, 1, (int64_t[]){1030}, REF_CONTIG, REF_SMALL, GND_ALL, 1,
                  1u << ANY | 1u << ALL | 1u << COUNT | 1u << VAR | 1u << STD);
    }
}

static void special(gnd_device *dev)
{
    const gnd_dtype t[] = {GND_FLOAT16,    GND_BFLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64,
                           GND_COMPLEX128, GND_INT8,     GND_INT64,   GND_UINT64};
    for (int i = 0; i < (int)(sizeof t / sizeof *t); i++) {
        if (special_turn(i, 0))
            check(dev, t[i], 2, (int64_t[]){200, 6}, REF_CONTIG, REF_SPECIAL, GND_AXIS(1), 0,
                  1u << SUM | 1u << MAX | 1u << ARGMIN | 1u << MIN);
        if (special_turn(i, 1))
            check(dev, t[i], 2, (int64_t[]){7, 200}, REF_CONTIG, REF_SPECIAL, GND_AXIS(0), 0,
                  1u << SUM | 1u << MIN | 1u << ARGMAX | 1u << ANY);
        if (special_turn(i, 2))
            check(dev, t[i], 1, (int64_t[]){3000}, REF_CONTIG, REF_SPECIAL, GND_ALL, 0,
                  1u << MAX | 1u << MIN | 1u << ARGMAX | 1u << ARGMIN);
    }
}

static void empty(gnd_device *dev)
{
    const int64_t dim[3] = {3, 0, 4};
    check(dev, GND_FLOAT32, 3, dim, REF_CONTIG, REF_SMALL, GND_AXIS(0), 0,
          ALL_OPS & ~(1u << MAX | 1u << MIN | 1u << ARGMAX | 1u << ARGMIN));
    for (int t = 0; t < GND_NDTYPES; t += 3)
        check(dev, (gnd_dtype)t, 3, dim, REF_CONTIG, REF_SMALL, GND_AXIS(1), t & 1,
              1u << SUM | 1u << PROD | 1u << ANY | 1u << ALL | 1u << COUNT);
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 3, dim);
    tap_ok(isnan(gnd_item_f64(gnd_sum(gnd_mean(x, GND_AXIS(1), 0), GND_ALL, 0), NULL)),
           "%s: the mean of nothing is NaN", shape_name);
    for (int op = MAX; op <= ARGMIN; op++)
        if (op == MAX || op == MIN || op == ARGMAX || op == ARGMIN) {
            tap_is_int(gnd_status_of(apply(op, x, GND_AXIS(1), 0)), GND_ERR_SHAPE,
                       "%s: %s of nothing", shape_name, op_name[op]);
            tap_is_int(gnd_wait(apply(op, x, GND_AXIS(0), 0)), GND_OK,
                       "%s: %s of an empty array along "
                       "another axis",
                       shape_name, op_name[op]);
        }
    gnd_scope_end();
}

/* --- long sums -------------------------------------------------------------------------------- */

static void accuracy(gnd_device *dev)
{
    const int64_t n = (1 << 22) + 5, rows = 1 << 12, cols = 1 << 10;
    float *v = malloc((size_t)n * sizeof *v), first, second;
    long double sum = 0, mag = 0;
    gnd_scope_begin();
    for (int64_t i = 0; i < n; i++) {
        v[i] = (float)((double)(ref_rnd() >> 11) * 0x1p-53 * (i % 7 ? 1 : 1000) * (i & 1 ? 1 : -1));
        sum += (long double)v[i];
        mag += fabsl((long double)v[i]);
    }
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, v), *y = gnd_from(dev, GND_FLOAT32, 1, &n, v);
    gnd_read(gnd_sum(x, GND_ALL, 0), &first, sizeof first);
    gnd_read(gnd_sum(y, GND_ALL, 0), &second, sizeof second);
    tap_near(first, sum, 4 * 0x1p-24L * mag, "%s: a sum of 2^22 + 5 values of mixed sign",
             shape_name);
    tap_is_mem(&first, &second, sizeof first, "%s: the same bits twice", shape_name);
    for (int axis = 0; axis < 2; axis++) {
        gnd_array *m = gnd_reshape(gnd_at(x, ":4194304"), 2, (int64_t[]){rows, cols});
        float *s = calloc((size_t)rows, sizeof *s);
        int64_t len = axis ? rows : cols, bad = 0;
        gnd_read(gnd_sum(m, GND_AXIS(axis), 0), s, (size_t)len * sizeof *s);
        for (int64_t k = 0; k < len; k++) {
            sum = mag = 0;
            for (int64_t i = 0; i < (axis ? cols : rows); i++) {
                long double e = (long double)v[axis ? k * cols + i : i * cols + k];
                sum += e;
                mag += fabsl(e);
            }
            bad += !(fabsl((long double)s[k] - sum) <= 4 * 0x1p-24L * mag);
        }
        tap_is_int(bad, 0, "%s: sums along axis %d of 4096 x 1024", shape_name, axis);
        free(s);
    }
    long double product = 1;
    for (int64_t i = 0; i < 590000; i++) {
        v[i] = 1 + 1e-4f * ((float)(ref_rnd() >> 40) * 0x1p-24f - 0.5f);
        product *= (long double)v[i];
    }
    gnd_read(gnd_prod(gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){590000}, v), GND_ALL, 0), &first,
             sizeof first);
    if (gnd_default_float(dev) == GND_FLOAT64)
        tap_near(first, product, 0x1p-23L, "%s: a product of 590000 values near 1", shape_name);
    free(v);
    gnd_scope_end();
}

/* Variances over so many elements that they are cut into runs: with a rest and without one, over
 * one axis and two, of complex values; the mean is 300 times the deviation. */
static void long_variances(gnd_device *dev)
{
    static const int64_t shape[2][3] = {{3, 4, 17000}, {2, 3, 24581}};
    enum { N = 210000 };
    static float v[2 * N];
    gnd_scope_begin();
    for (int i = 0; i < 2 * N; i++)
        v[i] = 100 + (float)ref_range(-1000000, 1000000) / 1000000;
    for (int c = 0; c < 2; c++) {
        const int64_t *d = shape[c], n = d[0] * d[1] * d[2], per = c == 0 ? d[1] * d[2] : d[2],
                      wide = c == 1 ? 2 : 1;
        gnd_array *x = gnd_from(dev, c == 1 ? GND_COMPLEX64 : GND_FLOAT32, 3, d, v);
        gnd_array *y = gnd_var(x, c == 0 ? GND_AXES(1, 2) : GND_AXIS(-1), GND_KEEPDIMS, 1);
        float got[6] = {0};
        const int shaped =
            gnd_ndim(y) == 3 && gnd_size(y) == n / per && gnd_dtype_of(y) == GND_FLOAT32;
        int ok = gnd_read(y, got, (size_t)(n / per) * 4) == GND_OK && shaped;
        for (int64_t r = 0; r < n / per; r++) {
            long double mean[2] = {0, 0}, sum = 0;
            for (int64_t i = 0; i < per * wide; i++)
                mean[i % wide] += v[r * per * wide + i];
            for (int64_t i = 0; i < per * wide; i++) {
                long double t = v[r * per * wide + i] - mean[i % wide] / per;
                sum += t * t;
            }
            ok &= fabsl(got[r] - sum / (per - 1)) < 1e-5L * sum / per;
        }
        tap_ok(ok, "%s: variances of %d elements each", shape_name, (int)per);
    }
    gnd_scope_end();
}

/* Sums and places of extremes of exp(x) along rows of every kind of end, beside those of exp(x) in
 * memory: the same bits. More than the calling thread computes. */
static void dear_rows(gnd_device *dev)
{
    static const int64_t length[] = {1, 5, 21, 32, 33, 61, 97, 127, 215};
    enum { POINTS = 60000 };
    static float x[POINTS], sum[2][POINTS];
    static int64_t place[2][POINTS];
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
        const int64_t n = length[k], rows = POINTS / n, dim[2] = {rows, n};
        int bad = 0;
        gnd_scope_begin();
        for (int i = 0; i < POINTS; i++)
            x[i] = (float)(ref_rnd() % 4096) / 512 - 4;
        gnd_array *a = gnd_from(dev, GND_FLOAT32, 2, dim, x), *e = gnd_exp(gnd_negative(a));
        gnd_array *s = gnd_sum(gnd_exp(gnd_negative(a)), GND_AXIS(1), 0),
                  *p = gnd_argmax(gnd_exp(gnd_negative(a)), GND_AXIS(1), 0);
        bad |= gnd_eval_all(1, &e) || gnd_read(s, sum[0], (size_t)rows * 4) ||
               gnd_read(p, place[0], (size_t)rows * 8);
        bad |= gnd_read(gnd_sum(e, GND_AXIS(1), 0), sum[1], (size_t)rows * 4) ||
               gnd_read(gnd_argmax(e, GND_AXIS(1), 0), place[1], (size_t)rows * 8);
        bad |= memcmp(sum[0], sum[1], (size_t)rows * 4) ||
               memcmp(place[0], place[1], (size_t)rows * 8);
        tap_ok(!bad, "%s: exponentials along rows of %d", shape_name, (int)n);
        gnd_scope_end();
    }
}

static void on_device(gnd_device *dev, const char *spec)
{
    dear_rows(dev);
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    whole_float = gnd_default_float(dev);
    ref_seed(3);
    empty(dev);
    sizes(dev);
    axes_and_layouts(dev);
    dtypes(dev);
    special(dev);
    accuracy(dev);
    long_variances(dev);
    gnd_stats n;
    if (gnd_device_stats(dev, &n) == GND_OK)
        tap_diag("%d kernels built, %d from disk, %d launched", (int)n.kernels_built,
                 (int)n.kernels_from_disk, (int)n.kernels_launched);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        every = i == 0 || getenv("GND_TEST_ALL") != NULL;
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
