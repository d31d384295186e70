/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_sort.c - sort, argsort, topk, partition, argpartition and lexsort against a stable merge sort
 * on the host: dtypes, axes, layouts, sizes round every block of the kernels, both directions,
 * ties, NaN, infinities and signed zeros, expressions as inputs. With the kernels of both shapes,
 * and of GPUs whose groups may not wait for one another.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static const char *shape_name;
static int few;  /* fewer dtypes, and one dtype for each size */
static int lean; /* every so manieth dtype; 6: some dtypes are left out elsewhere, too */

/* --- the reference ---------------------------------------------------------------------------- */

/* What of v is NaN: 1 the imaginary part, 2 the real part or the number itself, 3 both parts. */
static int nan_class(ref_num v)
{
    return v.kind == 'f'   ? 2 * (isnan(v.re) != 0)
           : v.kind == 'c' ? 2 * (isnan(v.re) != 0) + (isnan(v.im) != 0)
                           : 0;
}

/* -1, 0, 1 as a comes before, with or after b. */
static int order(ref_num a, ref_num b, int descending)
{
    int ca = nan_class(a), cb = nan_class(b), c = 0;
    if (ca != cb)
        return ca < cb ? -1 : 1;
    if (a.kind == 'f' || a.kind == 'c') {
        if (!(ca & 2))
            c = (a.re > b.re) - (a.re < b.re);
        if (c == 0 && a.kind == 'c' && !(ca & 1))
            c = (a.im > b.im) - (a.im < b.im);
    } else if (a.kind == 'u') {
        c = (a.u > b.u) - (a.u < b.u);
    } else {
        c = (a.i > b.i) - (a.i < b.i);
    }
    return descending ? -c : c;
}

/* idx[0 .. n) in order of v, by merging; tmp as long. */
static void merge_sort(const ref_num *v, int64_t *idx, int64_t *tmp, int64_t n, int descending)
{
    if (n < 2)
        return;
    int64_t m = n / 2, i = 0, j = m, k = 0;
    merge_sort(v, idx, tmp, m, descending);
    merge_sort(v, idx + m, tmp, n - m, descending);
    while (i < m || j < n)
        tmp[k++] =
            j == n || (i < m && order(v[idx[i]], v[idx[j]], descending) <= 0) ? idx[i++] : idx[j++];
    memcpy(idx, tmp, (size_t)n * sizeof *idx);
}

/* --- one case --------------------------------------------------------------------------------- */

enum { SORT, ARGSORT, TOPK, PARTITION, ARGPARTITION, LEXSORT };

/* Whether element i of got is that of row `v` that belongs there. */
static int same(gnd_dtype t, const ref_arr *got, const int64_t *at, ref_num want, int64_t index,
                int arg)
{
    ref_num g = ref_get(arg ? GND_INT64 : t, ref_at(got, at));
    return arg ? g.i == index : ref_ulps(t, g, want, 1) == 0;
}

/* y, a result of x with `keep` elements along the axis: how many of its elements are not right. */
static int64_t wrong(gnd_array *y, const ref_arr *x, int axis, int64_t keep, int descending,
                     int arg, char *why, size_t cap)
{
    gnd_dtype t = x->t;
    int64_t dim[GND_MAX_NDIM], idx[GND_MAX_NDIM], n = x->dim[axis], bad = 0, rows = 1;
    ref_arr got;
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof dim[0]);
    dim[axis] = keep;
    if (!ref_read(y, arg ? GND_INT64 : t, x->ndim, dim, &got, why, cap))
        return -1;
    ref_num *v = calloc((size_t)n + 1, sizeof *v);
    int64_t *o = calloc((size_t)n + 1, sizeof *o), *tmp = calloc((size_t)n + 1, sizeof *tmp);
    dim[axis] = 1;
    for (int d = 0; d < x->ndim; d++)
        rows *= dim[d];
    for (int64_t r = 0; r < rows; r++) {
        ref_unravel(x->ndim, dim, r, idx);
        for (int64_t i = 0; i < n; i++) {
            idx[axis] = i;
            v[i] = ref_get(t, ref_at(x, idx));
            o[i] = i;
        }
        merge_sort(v, o, tmp, n, descending);
        for (int64_t i = 0; i < keep; i++) {
            idx[axis] = i;
            bad += !same(t, &got, idx, v[o[i]], o[i], arg);
        }
    }
    ref_free(&got);
    free(v);
    free(o);
    free(tmp);
    return bad;
}

/* Sorts (or argsorts) a filled array of that shape and layout. */
static void one(gnd_device *dev, const char *spec, int op, gnd_dtype t, int ndim,
                const int64_t *dim, int axis, int descending, ref_layout l, int how)
{
    char why[256] = "", text[64] = "";
    ref_arr x;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, ndim, dim, l, how, &x);
    unsigned flags = descending ? GND_DESCENDING : 0;
    gnd_array *y = op == SORT ? gnd_sort(a, axis, flags) : gnd_argsort(a, axis, flags);
    int k = axis < 0 ? axis + ndim : axis;
    int64_t bad = wrong(y, &x, k, x.dim[k], descending, op == ARGSORT, why, sizeof why);
    for (int d = 0; d < ndim; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRId64, d ? " x " : "",
                 dim[d]);
    tap_ok(bad == 0, "%s %s: %s %s %s, axis %d, %s%s: %" PRId64 " wrong %s", spec, shape_name,
           op == SORT ? "sort" : "argsort", gnd_dtype_name(t), text, axis, ref_layout_name(l),
           descending ? ", descending" : "", bad, why);
    ref_free(&x);
    gnd_scope_end();
}

/* --- the cases -------------------------------------------------------------------------------- */

/* In the shapes for GPUs, whose kernels compile slowly, every sixth one; with GND_TEST_ALL every
 * third. */
static void dtypes(gnd_device *dev, const char *spec)
{
    const int64_t dim[2] = {3, 10007};
    for (int t = 0; t < GND_NDTYPES; t++)
        for (int op = SORT; op <= ARGSORT; op++)
            for (int down = 0; down < 2 && (few == 0 || (t + 2 * op) % lean == 0); down++)
                one(dev, spec, op, (gnd_dtype)t, 2, dim, -1, down, down ? REF_CONTIG : REF_OFFSET,
                    down ? REF_SMALL : REF_SPECIAL);
}

/* Rows that a group has in registers and sorts by 8 bits a pass: of each width, and full ones. */
static void held(gnd_device *dev, const char *spec)
{
    static const gnd_dtype t[] = {GND_INT8, GND_FLOAT16, GND_UINT64, GND_FLOAT64, GND_INT16};
    for (int i = 0; i < 5; i++) {
        const int64_t dim[2] = {2, i & 1 ? 4096 : 3001};
        one(dev, spec, i < 4 ? SORT : ARGSORT, t[i], 2, dim, -1, i < 2, REF_CONTIG,
            i == 3 ? REF_REAL : REF_SPECIAL);
    }
}

static void sizes(gnd_device *dev, const char *spec)
{
    static const int64_t n[] = {1,    2,    3,    5,    7,    15,    16,    17,    31,    32,
                                33,   63,   64,   65,   127,  128,   129,   255,   256,   257,
                                509,  512,  513,  1021, 1024, 1025,  2047,  2048,  2049,  4095,
                                4096, 4097, 8191, 8192, 8193, 12287, 12288, 16384, 65537, 131071};
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        int64_t dim[2] = {n[i] < 3000 ? 5 : 1, n[i]};
        if (!few || i % 3)
            one(dev, spec, i % 2 ? SORT : ARGSORT, GND_FLOAT32, 2, dim, -1, i % 3 == 0, REF_CONTIG,
                i % 4 ? REF_REAL : REF_SMALL);
        if (!few || i % 3 == 0)
            one(dev, spec, i % 2 ? ARGSORT : SORT, GND_INT32, 2, dim, -1, i % 3 == 1, REF_CONTIG,
                i % 4 ? REF_SMALL : REF_REAL);
    }
}

static void layouts(gnd_device *dev, const char *spec)
{
    const int64_t dim[3] = {6, 300, 7}, none[3] = {4, 0, 3};
    for (int l = 0; l < REF_NLAYOUTS; l++)
        one(dev, spec, l % 2, GND_FLOAT32, 3, dim, l % 3 - 1, 0, (ref_layout)l, REF_SPECIAL);
    for (int axis = -3; axis < 3; axis++)
        one(dev, spec, SORT, GND_INT16, 3, dim, axis, axis & 1, REF_CONTIG, REF_SMALL);
    one(dev, spec, SORT, GND_FLOAT32, 3, none, 1, 0, REF_CONTIG, REF_SMALL);
    one(dev, spec, ARGSORT, GND_FLOAT32, 3, none, 2, 0, REF_CONTIG, REF_SMALL);
    one(dev, spec, ARGSORT, GND_FLOAT32, 3, none, 0, 1, REF_CONTIG, REF_SMALL);
}

/* Digits that are the same in all elements, order that is there already, or the other way round. */
static void patterns(gnd_device *dev, const char *spec)
{
    enum { N = 30011 };
    static int64_t host[N], got[N], want[N];
    int64_t n = N;
    static const char *const name[] = {"all equal", "sorted",   "reversed",
                                       "small",     "top byte", "one byte"};
    for (int k = 0; k < 6; k++) {
        int wrong_ = 0;
        gnd_scope_begin();
        ref_seed((uint64_t)k + 5);
        for (int64_t i = 0; i < N; i++)
            host[i] = k == 0   ? 77
                      : k == 1 ? i * 3
                      : k == 2 ? (N - i) * 5
                      : k == 3 ? ref_range(-3, 3)
                      : k == 4 ? ref_range(-100, 100) * ((int64_t)1 << 56)
                               : ref_range(0, 255) << 24;
        gnd_array *x = gnd_from(dev, GND_INT64, 1, &n, host), *y = gnd_argsort(x, 0, 0),
                  *z = gnd_sort(x, 0, 0);
        tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s %s: argsort, %s", spec, shape_name,
                   name[k]);
        tap_is_int(gnd_read(z, want, sizeof want), GND_OK, "%s %s: sort, %s", spec, shape_name,
                   name[k]);
        for (int64_t i = 0; i < N; i++) {
            wrong_ += got[i] < 0 || got[i] >= N || host[got[i]] != want[i];
            wrong_ += i > 0 &&
                      (want[i - 1] > want[i] || (want[i - 1] == want[i] && got[i - 1] >= got[i]));
        }
        tap_is_int(wrong_, 0, "%s %s: in order, stably", spec, shape_name);
        gnd_scope_end();
    }
}

/* Long rows of floats without NaN and -0, and with one of them, or both zeros: digits are found in
 * two ways. */
static void plain(gnd_device *dev, const char *spec, gnd_dtype t)
{
    const int64_t dim[2] = {2, 12289};
    static const char *const name[] = {"plain floats", "one NaN", "zeros of both signs", "one -0"};
    char why[256] = "";
    if (ref_skip(dev, t, 1))
        return;
    for (int k = 0; k < 4; k++) {
        ref_arr x = ref_new(t, 2, dim);
        int64_t size = (int64_t)gnd_dtype_size(t), n = 2 * dim[1];
        gnd_scope_begin();
        ref_seed((uint64_t)k + 11);
        for (int64_t i = 0; i < n; i++) {
            const int64_t v = ref_range(-900, 900);
            ref_put(t, x.p + i * size,
                    ref_float(k == 2 && v % 3 == 0 ? v < 0 ? -0.0L : 0.0L : (long double)v + 0.5L));
        }
        if (k == 1 || k == 3)
            ref_put(t, x.p + (n - 5) * size, ref_float(k == 1 ? (long double)NAN : -0.0L));
        gnd_array *a = gnd_from(dev, t, 2, dim, x.p);
        for (int down = 0; down < 2; down++)
            tap_is_int(wrong(gnd_sort(a, 1, down ? GND_DESCENDING : 0), &x, 1, dim[1], down, 0, why,
                             sizeof why),
                       0, "%s %s: %s %s%s %s", spec, shape_name, gnd_dtype_name(t), name[k],
                       down ? ", descending" : "", why);
        ref_free(&x);
        gnd_scope_end();
    }
}

/* Inputs that are computed in the kernels, results that others use. */
static void fused(gnd_device *dev, const char *spec)
{
    const int64_t dim[2] = {37, 501};
    char why[256] = "";
    ref_arr x, neg;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, GND_INT32, 2, dim, REF_CONTIG, REF_SMALL, &x);
    neg = ref_new(GND_INT32, 2, dim);
    for (int64_t i = 0; i < 37 * 501; i++)
        ref_put(GND_INT32, neg.p + 4 * i, ref_int(3 - 2 * ref_nth(&x, i).i));
    gnd_array *e = gnd_subtract(gnd_int(3), gnd_multiply(a, gnd_int(2)));
    tap_is_int(wrong(gnd_sort(e, 1, 0), &neg, 1, 501, 0, 0, why, sizeof why), 0,
               "%s %s: an expression %s", spec, shape_name, why);
    tap_is_int(wrong(gnd_argsort(e, 0, GND_DESCENDING), &neg, 0, 37, 1, 1, why, sizeof why), 0,
               "%s %s: along its first axis %s", spec, shape_name, why);
    gnd_array *y = gnd_subtract(gnd_sort(gnd_add(e, gnd_int(5)), 1, 0), gnd_int(5));
    tap_is_int(wrong(y, &neg, 1, 501, 0, 0, why, sizeof why), 0,
               "%s %s: a result in an expression %s", spec, shape_name, why);
    y = gnd_sort(gnd_broadcast_to(gnd_int(4), 1, dim), 0, 0);
    tap_ok(gnd_status_of(y) != GND_OK || gnd_wait(y) == GND_OK, "%s %s: a number broadcast", spec,
           shape_name);
    ref_free(&x);
    ref_free(&neg);
    gnd_scope_end();
}

/* --- parts ------------------------------------------------------------------------------------ */

static void topk(gnd_device *dev, const char *spec, gnd_dtype t, int64_t rows, int64_t n, int64_t k,
                 int axis, int smallest, int how)
{
    const int64_t dim[2] = {axis ? rows : n, axis ? n : rows};
    char why[256] = "";
    ref_arr x;
    gnd_array *out[2];
    if (ref_skip(dev, t, 2))
        return;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, 2, dim, REF_CONTIG, how, &x);
    tap_is_int(gnd_topk(a, k, axis, smallest ? GND_SMALLEST : 0, out), GND_OK, "%s %s: topk", spec,
               shape_name);
    for (int i = 0; i < 2; i++)
        tap_is_int(wrong(out[i], &x, axis, k, !smallest, i, why, sizeof why), 0,
                   "%s %s: topk %s %s, %" PRId64 " of %" PRId64 " in %" PRId64 " rows %s", spec,
                   shape_name, i ? "indices" : "values", gnd_dtype_name(t), k, n, rows, why);
    ref_free(&x);
    gnd_scope_end();
}

/* Rows whose largest elements are at a few places of each 32, so that a bound from equal parts of a
 * row leaves many. */
static void topk_uneven(gnd_device *dev, const char *spec)
{
    enum { ROWS = 2, N = 4096, K = 64 };
    float *got = calloc(2 * ROWS * N, sizeof *got);
    gnd_array *out[2];
    int bad = 0;
    ref_arr x;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, GND_FLOAT32, 2, (int64_t[]){ROWS, N}, REF_CONTIG, REF_REAL, &x);
    gnd_array *at = gnd_remainder(gnd_arange_i64(dev, 0, N, 1, GND_INT32), gnd_int(32));
    a = gnd_where(gnd_less(at, gnd_int(4)), gnd_add(gnd_abs(a), gnd_int(9)), gnd_sin(a));
    gnd_topk(a, K, 1, 0, out);
    gnd_status st = gnd_read(out[0], got, ROWS * K * sizeof *got);
    if (st == GND_OK)
        st = gnd_read(gnd_sort(a, 1, GND_DESCENDING), got + ROWS * N, ROWS * N * sizeof *got);
    for (int r = 0; r < ROWS; r++)
        bad += memcmp(got + r * K, got + (ROWS + r) * N, K * sizeof *got) != 0;
    tap_ok(st == GND_OK && !bad, "%s %s: topk of uneven rows", spec, shape_name);
    free(got);
    ref_free(&x);
    gnd_scope_end();
}

static int by_bits(const void *a, const void *b)
{
    return memcmp(a, b, 4);
}

/* A partition of rows of float32 at the last place, special values among them: each row has the
 * same elements, bit by bit, and the last is what sort has there. */
static void last_place(gnd_device *dev, const char *spec, int axis)
{
    enum { SIDE = 61 };
    const int64_t dim[2] = {SIDE, SIDE}, kth = axis ? -1 : SIDE - 1;
    float *got = calloc(2 * SIDE * SIDE, sizeof *got), row[2][SIDE];
    int bad = 0;
    ref_arr x;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, GND_FLOAT32, 2, dim, REF_CONTIG, REF_SPECIAL, &x);
    gnd_array *p = gnd_partition(a, 1, &kth, axis), *s = gnd_sort(a, axis, 0);
    gnd_status st = gnd_read(p, got, SIDE * SIDE * sizeof *got);
    if (st == GND_OK)
        st = gnd_read(s, got + SIDE * SIDE, SIDE * SIDE * sizeof *got);
    for (int r = 0; r < SIDE; r++) {
        const int step = axis ? 1 : SIDE, at = axis ? r * SIDE : r, end = at + (SIDE - 1) * step;
        const float last = got[end], sorted = got[SIDE * SIDE + end];
        bad += last != sorted && !(last != last && sorted != sorted);
        for (int i = 0; i < SIDE; i++) {
            row[0][i] = got[at + i * step];
            row[1][i] = ((const float *)(const void *)x.p)[at + i * step];
        }
        for (int k = 0; k < 2; k++)
            qsort(row[k], SIDE, sizeof *row[k], by_bits);
        bad += memcmp(row[0], row[1], sizeof row[0]) != 0;
    }
    tap_ok(st == GND_OK && !bad, "%s %s: partition at the last place of axis %d", spec, shape_name,
           axis);
    free(got);
    ref_free(&x);
    gnd_scope_end();
}

static void parts(gnd_device *dev, const char *spec)
{
    enum { N = 997 };
    const int64_t dim[2] = {4, N}, kth[3] = {10, -1, 500};
    char why[256] = "";
    ref_arr x;
    last_place(dev, spec, 0);
    last_place(dev, spec, 1);
    topk(dev, spec, GND_FLOAT32, 3, 5000, 7, 1, 0, REF_SPECIAL);
    topk(dev, spec, GND_FLOAT32, 1, 70000, 64, 1, 0, REF_SMALL);
    topk(dev, spec, GND_FLOAT32, 3, 24576, 9, 1, 1, REF_SPECIAL); /* in parts */
    topk(dev, spec, GND_FLOAT32, 2, 163840, 64, 1, 0, REF_SMALL);
    topk(dev, spec, GND_INT32, 20, 300, 300, 0, 1, REF_SMALL);
    topk(dev, spec, GND_INT32, 20, 300, 0, 0, 1, REF_SMALL);
    topk(dev, spec, GND_FLOAT32, 5, 3001, 256, 1, 1,
         REF_SMALL); /* a quarter and less: selected on GPUs */
    topk(dev, spec, GND_FLOAT32, 2, 8192, 64, 1, 0, REF_REAL);
    topk_uneven(dev, spec);
    topk(dev, spec, GND_UINT64, 7, 1025, 256, 0, 1, REF_SPECIAL);
    if (lean < 6) {
        topk(dev, spec, GND_BFLOAT16, 3, 700, 100, 1, 0, REF_SPECIAL);
        topk(dev, spec, GND_COMPLEX64, 2, 1500, 30, 1, 0, REF_SPECIAL);
    }
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, GND_FLOAT32, 2, dim, REF_CONTIG, REF_SMALL, &x);
    gnd_array *p = gnd_partition(a, 3, kth, 1), *q = gnd_argpartition(a, 3, kth, 1);
    float *got = calloc(4 * N, sizeof *got);
    int64_t *at = calloc(4 * N, sizeof *at);
    int bad = 0;
    tap_is_int(gnd_read(p, got, 4 * N * sizeof *got), GND_OK, "%s %s: partition", spec, shape_name);
    tap_is_int(gnd_read(q, at, 4 * N * sizeof *at), GND_OK, "%s %s: argpartition", spec,
               shape_name);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 3; k++) {
            const float *row = got + r * N, *own = (const float *)(const void *)x.p + r * N;
            int64_t c = kth[k] < 0 ? kth[k] + N : kth[k];
            for (int64_t i = 0; i < N; i++) {
                bad += i < c ? row[i] > row[c] : row[i] < row[c];
                float v = own[at[r * N + i]], m = own[at[r * N + c]];
                bad += i < c ? v > m : v < m;
            }
        }
    tap_is_int(bad, 0, "%s %s: what is on each side", spec, shape_name);
    tap_is_int(wrong(gnd_sort(p, 1, 0), &x, 1, N, 0, 0, why, sizeof why), 0,
               "%s %s: the same elements %s", spec, shape_name, why);
    free(got);
    free(at);
    ref_free(&x);
    gnd_scope_end();
}

static void lexsort(gnd_device *dev, const char *spec)
{
    enum { N = 2003 };
    int64_t dim[2] = {3, N}, *got = calloc(3 * N, sizeof *got);
    int32_t *k[3];
    gnd_array *key[3];
    int bad = 0;
    gnd_scope_begin();
    ref_seed(3);
    for (int i = 0; i < 3; i++) {
        k[i] = calloc(3 * N, sizeof *k[i]);
        for (int j = 0; j < 3 * N; j++)
            k[i][j] = (int32_t)ref_range(0, 9);
        key[i] = gnd_from(dev, GND_INT32, 2, dim, k[i]);
    }
    tap_is_int(gnd_read(gnd_lexsort(3, key, -1), got, 3 * N * sizeof *got), GND_OK,
               "%s %s: lexsort", spec, shape_name);
    for (int r = 0; r < 3; r++)
        for (int j = 1; j < N; j++) {
            int64_t a = r * N + got[r * N + j - 1], b = r * N + got[r * N + j];
            int c = 0;
            for (int i = 2; i >= 0 && c == 0; i--)
                c = (k[i][a] > k[i][b]) - (k[i][a] < k[i][b]);
            bad += c > 0 || (c == 0 && a >= b);
        }
    tap_is_int(bad, 0, "%s %s: by the last key first, stably", spec, shape_name);
    for (int i = 0; i < 3; i++)
        free(k[i]);
    free(got);
    gnd_scope_end();
}

static void all(gnd_device *dev, const char *spec)
{
    patterns(dev, spec);
    if (strcmp(shape_name, "gpu-apart") == 0) { /* differs from gpu in long rows alone */
        const int64_t dim[2] = {3, 10007};
        one(dev, spec, SORT, GND_FLOAT32, 2, dim, -1, 1, REF_CONTIG, REF_SPECIAL);
        one(dev, spec, ARGSORT, GND_COMPLEX64, 2, dim, -1, 0, REF_CONTIG, REF_SPECIAL);
        return;
    }
    dtypes(dev, spec);
    if (strcmp(shape_name, "gpu") == 0)
        held(dev, spec);
    sizes(dev, spec);
    layouts(dev, spec);
    plain(dev, spec, GND_FLOAT32);
    if (lean < 6) {
        plain(dev, spec, GND_FLOAT64);
        plain(dev, spec, GND_FLOAT16);
    }
    fused(dev, spec);
    parts(dev, spec);
    lexsort(dev, spec);
}

int main(void)
{
    static const char *const shapes[] = {"cpu", "gpu", "gpu-apart"};
    for (int i = 0; i < 3; i++) {
        shape_name = shapes[i];
        few = i > 0;
        lean = few == 0 ? 1 : getenv("GND_TEST_ALL") ? 3 : 6;
        setenv("GND_KERNEL_SHAPE", shape_name, 1);
        ref_devices(all);
    }
    return tap_done();
}
