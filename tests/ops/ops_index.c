/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_index.c - elements by arrays of indices and by masks, and arrays with some elements changed,
 * against plain loops: sizes round those of blocks, every dtype, duplicate indices, what is
 * reported when a result is read. With the kernels of both shapes. Random mixtures are in
 * diff_index.py.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { MOST = 100003 };

static gnd_device *dev;
static const char *on;
static float xs[MOST], got[MOST], want[MOST];
static uint8_t mask[MOST];
static int64_t at[MOST], places[MOST];

#define SHAPE(...)                                                                                 \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[])                                       \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ARRAY(a) ((gnd_range){.kind = GND_IDX_ARRAY, .array = (a)})
#define SLICE(a, b, c) ((gnd_range){.kind = GND_IDX_SLICE, .start = (a), .stop = (b), .step = (c)})
#define INT(i) ((gnd_range){.kind = GND_IDX_INT, .start = (i)})
#define ALL SLICE(GND_NONE, GND_NONE, 1)
#define INDEX(x, ...)                                                                              \
    gnd_index(x, (int)(sizeof((gnd_range[]){__VA_ARGS__}) / sizeof(gnd_range)),                    \
              (gnd_range[]){__VA_ARGS__})
#define SET(x, v, ...)                                                                             \
    gnd_set(x, (int)(sizeof((gnd_range[]){__VA_ARGS__}) / sizeof(gnd_range)),                      \
            (gnd_range[]){__VA_ARGS__}, v)

static gnd_array *floats(int64_t n)
{
    return gnd_from(dev, GND_FLOAT32, 1, &n, xs);
}
static gnd_array *ints(int64_t n, const int64_t *v)
{
    return gnd_from(dev, GND_INT64, 1, &n, v);
}

/* y has n elements of float32, those in want. */
static void same(gnd_array *y, int64_t n, const char *what)
{
    if (gnd_size(y) != n || gnd_read(y, got, (size_t)n * 4) != GND_OK) {
        tap_fail("%s: %s: %d elements: %s", on, what, (int)gnd_size(y), gnd_error(y));
        return;
    }
    int64_t bad = 0;
    while (bad < n && got[bad] == want[bad])
        bad++;
    if (!tap_ok(bad == n, "%s: %s", on, what))
        tap_diag("element %d of %d: %g, not %g", (int)bad, (int)n, (double)got[bad],
                 (double)want[bad]);
}

/* One mask of n elements, one in `of` of them true (0: none, 1: all). */
static void one_mask(int64_t n, int of)
{
    int64_t count = 0;
    gnd_scope_begin();
    for (int64_t i = 0; i < n; i++) {
        mask[i] = of && ref_rnd() % (uint64_t)of == 0;
        if (mask[i]) {
            want[count] = xs[i] * 2;
            places[count++] = i;
        }
    }
    gnd_array *x = floats(n), *m = gnd_from(dev, GND_BOOL, 1, &n, mask);
    same(INDEX(gnd_multiply(x, gnd_int(2)), ARRAY(m)), count, "an expression where a mask is true");
    gnd_array *p = gnd_flatnonzero(gnd_astype(m, GND_FLOAT32));
    tap_ok(gnd_size(p) == count && gnd_read(p, at, (size_t)count * 8) == GND_OK &&
               memcmp(at, places, (size_t)count * 8) == 0,
           "%s: %d of %d positions", on, (int)count, (int)n);
    /* the true ones get 0, 1, 2 ... */
    for (int64_t i = 0, k = 0; i < n; i++)
        want[i] = mask[i] ? (float)k++ : xs[i];
    same(SET(x, gnd_arange(dev, gnd_int(0), gnd_int(count), gnd_int(1), GND_INT64), ARRAY(m)), n,
         "values in order where a mask is true");
    gnd_scope_end();
}

static void masks(void)
{
    static const int64_t size[] = {1, 63, 64, 65, 4095, 4096, 4097, 8192, MOST};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        one_mask(size[i], i % 3 == 0 ? 2 : i % 3 == 1 ? 17 : 3);
    one_mask(5000, 0);
    one_mask(5000, 1);
}

/* Axes, rows and coordinates of a matrix of 37 x 53. */
static void matrix(void)
{
    enum { R = 37, C = 53 };
    gnd_scope_begin();
    int64_t n = 0, rows = 0;
    for (int i = 0; i < R * C; i++)
        n += mask[i] = ref_rnd() % 5 == 0;
    gnd_array *x = gnd_reshape(floats(R * C), 2, (int64_t[]){R, C}), *out[2];
    gnd_array *m = gnd_from(dev, GND_BOOL, 2, (int64_t[]){R, C}, mask);
    gnd_array *row = gnd_from(dev, GND_BOOL, 1, (int64_t[]){R}, mask + 7);
    n = 0;
    for (int i = 0; i < R * C; i++)
        if (mask[i])
            want[n++] = xs[i];
    same(INDEX(x, ARRAY(m)), n, "a mask of two dimensions");
    tap_is_int(gnd_nonzero(m, out), GND_OK, "%s: nonzero", on);
    int bad = gnd_read(out[0], at, (size_t)n * 8) || gnd_read(out[1], places, (size_t)n * 8);
    for (int i = 0, k = 0; i < R * C && !bad; i++)
        if (mask[i]) {
            bad = at[k] != i / C || places[k] != i % C;
            k++;
        }
    tap_is_int(bad, 0, "%s: rows and columns", on);
    gnd_array *w = gnd_argwhere(m);
    tap_ok(gnd_dim(w, 0) == n && gnd_dim(w, 1) == 2, "%s: argwhere", on);
    same(INDEX(x, ARRAY(out[0]), ARRAY(out[1])), n, "elements at coordinates");
    for (int i = 0; i < R; i++)
        if (mask[i + 7])
            for (int j = 0; j < C; j++)
                want[rows++] = xs[i * C + j];
    same(INDEX(x, ARRAY(row)), rows, "rows of a mask");
    same(gnd_compress(row, x, 0), rows, "the same by compress");
    same(gnd_T(INDEX(gnd_T(x), ALL, ARRAY(row))), rows, "columns of the transpose");
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++)
            want[i * C + j] = mask[i + 7] ? -1 : xs[i * C + j];
    same(SET(x, gnd_int(-1), ARRAY(row)), R * C, "rows of a mask set");
    gnd_scope_end();
}

/* take, extract or set of dtype t, without arithmetic: every bit stays. */
static void one_dtype(gnd_dtype t, int how)
{
    static const char *const names[] = {"take", "extract", "set"};
    const int64_t dim[2] = {9, 5}, idx[6] = {8, 0, -1, 3, 3, -9};
    const size_t size = gnd_dtype_size(t);
    char why[200] = "";
    ref_arr x, y = {0};
    int bad;
    gnd_scope_begin();
    gnd_array *g = ref_make(dev, t, 2, dim, REF_TRANSPOSED, REF_SPECIAL, &x);
    if (how == 0) {
        gnd_array *i = gnd_astype(ints(6, idx), t % 2 ? GND_INT8 : GND_INT32);
        bad = !ref_read(gnd_take(g, i, 0), t, 2, (int64_t[]){6, 5}, &y, why, sizeof why);
        for (int k = 0; k < 30 && !bad; k++) {
            int64_t from[2] = {idx[k / 5] < 0 ? idx[k / 5] + 9 : idx[k / 5], k % 5};
            /* bits may differ in a NaN: a GPU that converts float16 keeps no payload */
            bad = ref_ulps(t, ref_get(t, y.p + (size_t)k * size), ref_get(t, ref_at(&x, from)),
                           1) != 0;
        }
    } else if (how == 1) {
        for (int k = 0; k < 45; k++)
            mask[k] = k % 3 == 1;
        gnd_array *m = gnd_from(dev, GND_BOOL, 2, dim, mask);
        bad = !ref_read(gnd_extract(m, g), t, 1, (int64_t[]){15}, &y, why, sizeof why);
        for (int k = 0; k < 15 && !bad; k++)
            bad = ref_ulps(t, ref_nth(&y, k), ref_nth(&x, 3 * k + 1), 1) != 0;
    } else { /* columns 3 and 1 exchanged */
        gnd_array *other = INDEX(g, ALL, ARRAY(ints(2, (int64_t[]){1, 3})));
        bad = !ref_read(SET(g, other, ALL, ARRAY(ints(2, (int64_t[]){3, 1}))), t, 2, dim, &y, why,
                        sizeof why);
        for (int k = 0; k < 45 && !bad; k++) {
            int64_t from[2] = {k / 5, k % 5 == 1 ? 3 : k % 5 == 3 ? 1 : k % 5};
            /* bits may differ in a NaN: a GPU that converts float16 keeps no payload */
            bad = ref_ulps(t, ref_get(t, y.p + (size_t)k * size), ref_get(t, ref_at(&x, from)),
                           1) != 0;
        }
    }
    if (!tap_ok(!bad, "%s: %s of %s", on, names[how], gnd_dtype_name(t)))
        tap_diag("%s", why);
    ref_free(&y);
    ref_free(&x);
    gnd_scope_end();
}

static void dtypes(void)
{
    for (int t = 0; t < GND_NDTYPES; t++)
        for (int how = 0; how < 3; how++) /* two of three: each kernel takes its time to compile */
            if ((t + how) % 3 && !ref_skip(dev, (gnd_dtype)t, 1))
                one_dtype((gnd_dtype)t, how);
}

/* Many values for few places: the last one stays, all of them count. */
static void duplicates(void)
{
    enum { N = 100003, M = 1009 };
    static int32_t last[M], sum[M], most[M], out[M];
    gnd_scope_begin();
    memset(sum, 0, sizeof sum);
    memset(most, 0, sizeof most);
    for (int i = 0; i < M; i++)
        last[i] = -7;
    for (int i = 0; i < N; i++) {
        int64_t p = ref_range(0, M - 20);
        at[i] = i % 2 ? p : p - M;
        last[p] = i + 1;
        sum[p] += i + 1;
        most[p] = i + 1;
    }
    gnd_array *x = gnd_full(dev, GND_INT32, SHAPE(M), gnd_int(-7)),
              *zero = gnd_zeros(dev, GND_INT32, SHAPE(M));
    gnd_array *v = gnd_arange(dev, gnd_int(1), gnd_int(N + 1), gnd_int(1), GND_INT32);
    gnd_range r = ARRAY(ints(N, at));
    tap_is_int(gnd_read(gnd_set(x, 1, &r, v), out, sizeof out), GND_OK, "%s: set", on);
    tap_is_mem(out, last, sizeof out, "%s: the last of many values", on);
    tap_is_int(gnd_read(gnd_add_at(zero, 1, &r, v), out, sizeof out), GND_OK, "%s: add_at", on);
    tap_is_mem(out, sum, sizeof out, "%s: the sum of many values", on);
    tap_is_int(gnd_read(gnd_max_at(zero, 1, &r, v), out, sizeof out), GND_OK, "%s: max_at", on);
    tap_is_mem(out, most, sizeof out, "%s: the greatest of many values", on);
    for (int i = 0; i < M; i++)
        most[i] = -most[i];
    tap_is_int(gnd_read(gnd_min_at(zero, 1, &r, gnd_negative(v)), out, sizeof out), GND_OK,
               "%s: min_at", on);
    tap_is_mem(out, most, sizeof out, "%s: the least of many values", on);
    gnd_scope_end();
}

/* Slices of a matrix set: by boxes where it is large, else in one kernel. */
static void slices(int64_t rows, int64_t cols)
{
    static const int64_t step[] = {1, -1, 3, -2};
    gnd_array *x = gnd_keep(gnd_reshape(floats(rows * cols), 2, (int64_t[]){rows, cols}));
    for (int k = 0; k < 6; k++) {
        int64_t s = step[k % 4], lo = 1 + k % 2, hi = cols - k % 3, n = 0, col[1000];
        gnd_scope_begin();
        memcpy(want, xs, (size_t)(rows * cols) * 4);
        if (s > 0)
            for (int64_t c = lo; c < hi; c += s)
                col[n++] = c;
        else
            for (int64_t c = hi - 1; c > lo; c += s)
                col[n++] = c;
        for (int64_t i = 2; i < rows - 1; i++)
            for (int64_t j = 0; j < n; j++)
                want[i * cols + col[j]] = k < 4 ? (float)((i - 2) * n + j) : 5;
        gnd_array *v = k < 4 ? gnd_reshape(gnd_arange(dev, gnd_int(0), gnd_int((rows - 3) * n),
                                                      gnd_int(1), GND_INT64),
                                           2, (int64_t[]){rows - 3, n})
                             : gnd_real(5.5);
        if (k >= 4)
            for (int64_t i = 0; i < rows * cols; i++)
                want[i] = want[i] == 5 ? 5.5f : want[i];
        same(SET(x, v, SLICE(2, -1, 1), s > 0 ? SLICE(lo, hi, s) : SLICE(hi - 1, lo, s)),
             rows * cols, k < 4 ? "a slice set" : "a slice set to a number");
        gnd_scope_end();
    }
    gnd_scope_begin();
    memcpy(want, xs, (size_t)(rows * cols) * 4);
    for (int64_t j = 0; j < cols; j++)
        want[3 * cols + j] = xs[j] + 1;
    same(SET(x, gnd_add(INDEX(x, INT(0)), gnd_int(1)), INT(3)), rows * cols, "a row set");
    want[5 * cols + 6] = -1;
    same(SET(SET(x, gnd_add(INDEX(x, INT(0)), gnd_int(1)), INT(3)), gnd_int(-1), INT(5), INT(6)),
         rows * cols, "and an element");
    gnd_scope_end();
    gnd_release(x);
}

/* Indices out of range by NumPy's modes, of every dtype; read by take, put and an index. */
static void modes(void)
{
    static const int64_t idx[12] = {0, 8, 9, 10, 127, 100, -1, -9, -10, -128, 3, -100};
    static const char *const names[] = {"raise", "wrap", "clip"};
    int64_t ignored = 0;
    gnd_scope_begin();
    gnd_array *x = floats(9), *all = ints(12, idx);
    for (int m = GND_INDEX_WRAP; m <= GND_INDEX_CLIP; m++)
        for (int t = GND_INT8; t <= GND_UINT64; t++) {
            uint64_t top = gnd_dtype_size((gnd_dtype)t) == 8
                               ? UINT64_MAX
                               : ((uint64_t)1 << 8 * gnd_dtype_size((gnd_dtype)t)) - 1;
            const int is_signed = gnd_dtype_kind((gnd_dtype)t) == 'i';
            gnd_array *i = gnd_astype(all, (gnd_dtype)t),
                      *fit = gnd_fit_indices(i, 9, (gnd_index_mode)m);
            for (int k = 0; k < 12; k++) {
                const uint64_t u =
                    (uint64_t)idx[k] & top; /* the index as an unsigned dtype has it */
                const int64_t place = m == GND_INDEX_WRAP
                                          ? is_signed ? (idx[k] % 9 + 9) % 9 : (int64_t)(u % 9)
                                      : is_signed ? idx[k] < 0   ? 0
                                                    : idx[k] > 8 ? 8
                                                                 : idx[k]
                                      : u > 8 ? 8
                                                  : (int64_t)u;
                want[k] = xs[place];
            }
            same(gnd_take(x, fit, 0), 12, gnd_dtype_name((gnd_dtype)t));
            if (t == GND_INT64) {
                same(INDEX(x, ARRAY(fit)), 12, names[m]);
                float put[9];
                memcpy(put, xs, sizeof put);
                for (int k = 0; k < 12; k++)
                    for (int j = 0; j < 9; j++)
                        put[j] = xs[j] == want[k] ? (float)k : put[j];
                memcpy(want, put, sizeof put);
                same(gnd_put(x, fit,
                             gnd_arange(dev, gnd_int(0), gnd_int(12), gnd_int(1), GND_FLOAT32)),
                     9, "put");
            }
        }
    tap_ok(gnd_read(gnd_fit_indices(gnd_int(-10), 9, GND_INDEX_WRAP), &ignored, 8) == GND_OK &&
               ignored == 8,
           "%s: a number", on);
    tap_ok(gnd_size(gnd_fit_indices(ints(0, idx), 0, GND_INDEX_CLIP)) == 0,
           "%s: no indices into nothing", on);
    gnd_array *y = gnd_take(x, gnd_fit_indices(all, 9, GND_INDEX_RAISE), 0);
    tap_is_int(gnd_wait(y), GND_ERR_INDEX, "%s: raise", on);
    gnd_scope_end();
}

static void along(void)
{
    enum { R = 30, C = 41, K = 7 };
    static int64_t idx[R * K];
    gnd_scope_begin();
    gnd_array *x = gnd_reshape(floats(R * C), 2, (int64_t[]){R, C});
    for (int i = 0; i < R * K; i++)
        idx[i] = ref_range(-C, C - 1);
    gnd_array *g = gnd_from(dev, GND_INT64, 2, (int64_t[]){R, K}, idx);
    for (int i = 0; i < R * K; i++)
        want[i] = xs[i / K * C + (idx[i] < 0 ? idx[i] + C : idx[i])];
    same(gnd_take_along_axis(x, g, 1), R * K, "take along an axis");
    memcpy(want, xs, sizeof(float) * R * C);
    for (int i = 0; i < R * K; i++)
        want[i / K * C + (idx[i] < 0 ? idx[i] + C : idx[i])] = (float)(100 + i % K);
    same(gnd_put_along_axis(
             x, g, gnd_arange(dev, gnd_int(100), gnd_int(100 + K), gnd_int(1), GND_INT32), -1),
         R * C, "put along an axis");
    memcpy(want, xs, sizeof(float) * R * C);
    for (int i = 0; i < R * K; i++)
        want[idx[i] < 0 ? idx[i] + R * C : idx[i]] = (float)(100 + i % 5);
    gnd_array *five = gnd_arange(dev, gnd_int(100), gnd_int(105), gnd_int(1), GND_INT32);
    same(gnd_put(x, g, five), R * C, "put, of fewer values");
    memcpy(want, xs, sizeof(float) * R * C);
    for (int i = 0, k = 0; i < R * C; i++)
        if (xs[i] > 0)
            want[i] = (float)(100 + k++ % 5);
    same(gnd_place(x, gnd_greater(x, gnd_int(0)), five), R * C, "place, of fewer values");
    memcpy(want, xs, sizeof(float) * R * C);
    same(gnd_put(x, g, gnd_empty(dev, GND_FLOAT32, 1, (int64_t[]){0})), R * C, "put of nothing");
    tap_ok(gnd_status_of(gnd_place(x, g, five)) == GND_ERR_SHAPE,
           "%s: place with a mask of another size", on);
    /* fused: indices computed, values used */
    for (int i = 0; i < 20; i++)
        want[i] = sqrtf(fabsf(xs[3 * i + 1])) * 2;
    gnd_array *i = gnd_add(
        gnd_multiply(gnd_arange(dev, gnd_int(0), gnd_int(20), gnd_int(1), GND_INT64), gnd_int(3)),
        gnd_int(1));
    gnd_array *y = gnd_multiply(gnd_sqrt(gnd_abs(gnd_take(floats(70), i, 0))), gnd_int(2));
    same(y, 20, "computed indices");
    gnd_status st;
    char *plan = gnd_explain(1, &y, 0, &st);
    tap_ok(plan && strstr(plan, "0 kernels"), "%s: evaluated", on);
    free(plan);
    y = gnd_multiply(gnd_sqrt(gnd_abs(gnd_take(floats(70), i, 0))), gnd_int(2));
    plan = gnd_explain(1, &y, 0, &st);
    if (!tap_ok(plan && strstr(plan, "\n1 kernel"), "%s: one kernel", on))
        tap_diag("%s", plan ? plan : gnd_message());
    free(plan);
    gnd_scope_end();
}

/* Whole rows by index, which GPUs load by vectors where rows and memory allow it: x[i] + 3, in each
 * dtype and layout; cols of them. Beside them x[i, j], and the same row's element in a fixed
 * column. */
static void rows(gnd_dtype t, ref_layout l, int64_t cols)
{
    static const int64_t idx[5] = {3, -1, 0, 8, 3};
    const int64_t dim[2] = {9, cols}, all[2] = {5, cols};
    char why[256] = "";
    ref_arr x, y, z;
    int bad = 0;
    gnd_scope_begin();
    gnd_array *g = ref_make(dev, t, 2, dim, l, REF_SMALL, &x), *i = ints(5, idx),
              *three = gnd_int(3);
    gnd_array *taken = gnd_take(g, i, 0), *first = gnd_at(taken, ":,2:3");
    ref_arr *out[2] = {&y, &z};
    gnd_array *r[2] = {gnd_add(taken, three), gnd_subtract(taken, first)};
    for (int k = 0; k < 2; k++)
        bad |= !ref_read(r[k], t, 2, all, out[k], why, sizeof why);
    for (int64_t k = 0; k < 5 * cols && !bad; k++) {
        int64_t at_[2] = {idx[k / cols] < 0 ? 8 : idx[k / cols], k % cols}, two[2] = {at_[0], 2};
        ref_num v = ref_get(t, ref_at(&x, at_)), w = ref_get(t, ref_at(&x, two));
        bad = ref_nth(&y, k).re != v.re + 3 * (v.kind == 'f') || ref_nth(&z, k).re != v.re - w.re ||
              ref_nth(&y, k).i != v.i + 3 * (v.kind == 'i') || ref_nth(&z, k).i != v.i - w.i;
    }
    tap_ok(!bad, "%s: rows of %lld %s, %s %s", on, (long long)cols, gnd_dtype_name(t),
           ref_layout_name(l), why);
    ref_free(&x);
    for (int k = 0; k < 2; k++)
        ref_free(out[k]);
    gnd_scope_end();
}

static void all_rows(void)
{
    rows(GND_FLOAT32, REF_CONTIG, 64);
    rows(GND_FLOAT32, REF_OFFSET, 64);
    rows(GND_FLOAT32, REF_EVALUATED, 64);
    rows(GND_FLOAT32, REF_BROADCAST, 64);
    rows(GND_FLOAT32, REF_CONTIG, 66);
    rows(GND_FLOAT32, REF_CONTIG, 67);
    rows(GND_INT8, REF_CONTIG, 64);
    rows(GND_FLOAT16, REF_CONTIG, 64);
}

/* Many narrow rows of `cols` elements by index, whole, behind another axis, and set. */
static void narrow_rows(int cols)
{
    const int rows = MOST / cols / 2 * 2, half = rows / 2;
    gnd_scope_begin();
    gnd_array *x = gnd_reshape(floats((int64_t)rows * cols), SHAPE(rows, cols));
    for (int i = 0; i < rows; i++)
        at[i] = (int64_t)(ref_rnd() % (uint64_t)rows) - (i % 3 ? 0 : rows);
    for (int i = 0; i < rows * cols; i++)
        want[i] = xs[(at[i / cols] + (at[i / cols] < 0 ? rows : 0)) * cols + i % cols] * 2 + 1;
    gnd_array *i = ints(rows, at), *y = gnd_multiply(INDEX(x, ARRAY(i)), gnd_int(2));
    same(gnd_add(y, gnd_int(1)), (int64_t)rows * cols, "narrow rows by index");
    for (int k = 0; k < half; k++)
        places[k] = at[k] < 0 ? (at[k] + rows) % half : at[k] % half;
    for (int k = 0; k < rows * cols; k++)
        want[k] = xs[(k / cols < half ? 0 : half * cols) + (int)places[k / cols % half] * cols +
                     k % cols];
    y = gnd_reshape(x, SHAPE(2, half, cols));
    same(INDEX(y, ALL, ARRAY(ints(half, places))), (int64_t)rows * cols, "in two planes");
    memcpy(want, xs, sizeof(float) * (size_t)(rows * cols));
    for (int k = 0; k < half * cols; k++)
        want[places[k / cols] * cols + k % cols] = xs[k] * 2;
    y = gnd_multiply(INDEX(x, SLICE(0, half, 1)), gnd_int(2));
    same(SET(x, y, ARRAY(ints(half, places))), (int64_t)rows * cols, "narrow rows set");
    gnd_scope_end();
}

/* Indices out of range: known when something is read, with everything that was made of them. */
static void faults(void)
{
    static const int64_t bad[3] = {1, 8, 2};
    const uint64_t huge[2] = {1, UINT64_MAX};
    float out[24];
    gnd_scope_begin();
    gnd_array *x = floats(8), *b = ints(3, bad);
    gnd_array *y = gnd_take(x, b, 0);
    tap_is_int(gnd_eval_all(1, &y), GND_OK, "%s: nothing waits", on);
    tap_is_int(gnd_read(y, out, 12), GND_ERR_INDEX, "%s: out of range", on);
    tap_is_str(gnd_error(y), "take: index 8 is out of range for axis 0 of size 8", "%s: said so",
               on);
    y = gnd_take_flat(x, gnd_from(dev, GND_UINT64, SHAPE(2), huge));
    tap_is_int(gnd_read(y, out, 8), GND_ERR_INDEX, "%s: uint64 beyond int64", on);
    tap_is_str(gnd_error(y), "take_flat: index 9223372036854775807 is out of range for size 8",
               "%s: not -1", on);
    gnd_array *m = gnd_reshape(floats(24), 2, (int64_t[]){3, 8});
    y = INDEX(m, ALL, ARRAY(gnd_negative(gnd_add(b, gnd_int(1)))));
    tap_is_int(gnd_wait(y), GND_ERR_INDEX, "%s: of a matrix", on);
    tap_is_str(gnd_error(y), "index: index -9 is out of range for axis 1 of size 8", "%s: its axis",
               on);
    y = SET(x, gnd_int(0), ARRAY(b));
    tap_is_int(gnd_read(y, out, 32), GND_ERR_INDEX, "%s: of an update", on);
    tap_has_str(gnd_error(y), "set: index 8", "%s: which one", on);
    y = gnd_add_at(x, 1, &ARRAY(b), gnd_int(1));
    tap_is_int(gnd_read(gnd_sum(y, GND_ALL, 0), out, 4), GND_ERR_INDEX, "%s: of a sum", on);
    y = gnd_compress(gnd_from(dev, GND_BOOL, SHAPE(9), "\0\1\0\0\0\0\0\0\1"), m, 1);
    tap_is_int(gnd_read(y, out, gnd_nbytes(y)), GND_ERR_INDEX, "%s: true beyond the axis", on);
    tap_is_int(gnd_read(x, out, 32), GND_OK, "%s: x is as it was", on);
    /* where nothing would be read */
    y = INDEX(gnd_zeros(dev, GND_FLOAT32, SHAPE(3, 0)), ARRAY(ints(1, (int64_t[]){5})));
    tap_is_int(gnd_status_of(y), GND_ERR_INDEX, "%s: rows of nothing", on);
    tap_is_int(
        gnd_status_of(INDEX(gnd_zeros(dev, GND_FLOAT32, SHAPE(3, 0)), ARRAY(ints(1, at)), ALL)),
        at[0] < 3 && at[0] >= -3 ? GND_OK : GND_ERR_INDEX, "%s: or in range", on);
    gnd_scope_end();
}

/* Many rows by index, an odd number of them, in vectors. */
static void many_rows(void)
{
    enum { ROWS = 37, TAKEN = 517, COLS = 1032 }; /* more than a run of a CPU, whole vectors */
    float *m = malloc(ROWS * COLS * sizeof *m), *y = calloc(TAKEN * COLS, sizeof *y);
    int64_t *i = malloc(TAKEN * sizeof *i), wrong = 0;
    for (int k = 0; k < ROWS * COLS; k++)
        m[k] = (float)k;
    for (int k = 0; k < TAKEN; k++)
        i[k] = ref_range(-ROWS, ROWS - 1);
    gnd_scope_begin();
    gnd_array *taken =
        gnd_take(gnd_from(dev, GND_FLOAT32, SHAPE(ROWS, COLS), m), ints(TAKEN, i), 0);
    gnd_read(gnd_add(taken, gnd_int(1)), y, TAKEN * COLS * sizeof *y);
    for (int k = 0; k < TAKEN * COLS; k++)
        wrong += y[k] != m[(i[k / COLS] + ROWS) % ROWS * COLS + k % COLS] + 1;
    tap_is_int(wrong, 0, "%s: %d rows by index", on, TAKEN);
    gnd_scope_end();
    free(m);
    free(y);
    free(i);
}

/* A count that does not fit, and what is empty. */
static void counts(void)
{
    gnd_scope_begin();
    gnd_array *x = floats(6), *m = gnd_from(dev, GND_BOOL, SHAPE(6), "\0\1\1\0\1\0");
    gnd_array *y = SET(x, ints(2, (int64_t[]){4, 5}), ARRAY(m));
    tap_is_int(gnd_status_of(y), GND_ERR_SHAPE, "%s: two values for three places", on);
    tap_has_str(gnd_error(y), "set: a value of shape (2,) for a mask with 3 true elements",
                "%s: named", on);
    memcpy(want, xs, 24);
    want[1] = want[2] = want[4] = 9;
    same(SET(x, ints(1, (int64_t[]){9}), ARRAY(m)), 6, "one value for three places");
    memcpy(want, xs, 24);
    gnd_array *none = gnd_zeros(dev, GND_INT32, SHAPE(0));
    same(SET(x, gnd_int(3), ARRAY(none)), 6, "no indices");
    same(SET(x, none, ARRAY(none)), 6, "no values");
    same(INDEX(x, ARRAY(none)), 0, "nothing");
    same(gnd_take(gnd_zeros(dev, GND_FLOAT32, SHAPE(0)), none, 0), 0, "nothing of nothing");
    same(INDEX(x, ARRAY(gnd_zeros(dev, GND_BOOL, SHAPE(6)))), 0, "nothing true");
    gnd_array *m32 = gnd_reshape(x, 2, (int64_t[]){3, 2}),
              *rows = INDEX(m32, ARRAY(gnd_zeros(dev, GND_BOOL, SHAPE(0))));
    tap_ok(gnd_ndim(rows) == 2 && gnd_dim(rows, 0) == 0 && gnd_dim(rows, 1) == 2 &&
               gnd_wait(rows) == GND_OK,
           "%s: an empty mask over rows", on);
    gnd_array *whole = INDEX(m32, ARRAY(gnd_zeros(dev, GND_BOOL, SHAPE(3, 0))));
    tap_ok(gnd_ndim(whole) == 1 && gnd_dim(whole, 0) == 0 && gnd_wait(whole) == GND_OK,
           "%s: an empty mask over all", on);
    same(gnd_reshape(SET(m32, gnd_int(7), ARRAY(gnd_zeros(dev, GND_BOOL, SHAPE(3, 0)))), 1,
                     (int64_t[]){6}),
         6, "an empty mask sets nothing");
    tap_has_str(gnd_error(INDEX(m32, ARRAY(gnd_zeros(dev, GND_BOOL, SHAPE(2, 0))))),
                "index: a mask of shape (2, 0) over axes of shape (3, 2)",
                "%s: extents beside 0 count", on);
    same(INDEX(x, ARRAY(gnd_greater(gnd_int(1), gnd_int(0)))), 6, "True");
    same(INDEX(x, ARRAY(gnd_any(gnd_zeros(dev, GND_BOOL, SHAPE(3)), GND_ALL, 0))), 0,
         "False, computed");
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    dev = d;
    tap_diag("%s, kernels shaped for %s", spec, on);
    ref_seed(5);
    for (int i = 0; i < MOST; i++)
        xs[i] = (float)ref_range(-1000, 1000) + 0.25f;
    gnd_scope_begin();
    masks();
    matrix();
    duplicates();
    slices(12, 40);
    slices(250, 399);
    modes();
    along();
    all_rows();
    narrow_rows(2);
    narrow_rows(7);
    narrow_rows(31);
    many_rows();
    faults();
    counts();
    if (on[0] == 'c')
        dtypes();
    gnd_scope_end();
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        on = shape[i];
        setenv("GND_KERNEL_SHAPE", on, 1);
        ref_devices(all);
    }
    return tap_done();
}
