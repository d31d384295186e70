/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_set.c - arrays as sets against plain loops: unique in every form, by order and by counting,
 * rows, membership and operations of two sets, NaN and signed zeros, nothing; wrong arguments.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

/* Numbers as doubles; NaN equals nothing, or itself. */
static int same(double a, double b, int nan)
{
    return a == b || (nan && a != a && b != b);
}

static int less(double a, double b)
{
    return a < b || (b != b && a == a);
}

/* The values of v in order, once each, with first places, numbers and counts; how many. */
static int64_t reference(const double *v, int64_t n, int nan, double *value, int64_t *first,
                         int64_t *inverse, int64_t *count)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;
        while (k < m && !same(value[k], v[i], nan))
            k++;
        if (k == m) {
            for (k = 0; k < m && !less(v[i], value[k]); k++)
                ;
            memmove(value + k + 1, value + k, (size_t)(m - k) * sizeof *value);
            memmove(first + k + 1, first + k, (size_t)(m - k) * sizeof *first);
            value[k] = v[i];
            first[k] = i;
            m++;
        }
    }
    for (int64_t k = 0; k < m; k++)
        count[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;
        while (k < m && !same(value[k], v[i], nan) && first[k] != i)
            k++;
        inverse[i] = k;
        count[k]++;
    }
    return m;
}

static int is_ints(gnd_array *y, const int64_t *want, int64_t n, const char *what)
{
    int64_t *got = calloc((size_t)n + 1, sizeof *got);
    int ok = gnd_size(y) == n && !gnd_read(y, got, (size_t)n * sizeof *got) &&
             !memcmp(got, want, (size_t)n * sizeof *got);
    if (!ok)
        tap_diag("%s: %lld of %lld, %s", what, (long long)gnd_size(y), (long long)n, gnd_error(y));
    free(got);
    return ok;
}

static int is_values(gnd_array *y, gnd_dtype t, const double *want, int64_t n)
{
    ref_arr got;
    char why[200];
    if (!ref_read(y, t, 1, &n, &got, why, sizeof why)) {
        tap_diag("%s", why);
        return 0;
    }
    int64_t bad = 0;
    for (int64_t i = 0; i < n; i++) {
        ref_num g = ref_nth(&got, i);
        double v = g.kind == 'f' ? (double)g.re : g.kind == 'u' ? (double)g.u : (double)g.i;
        if (!same(v, want[i], 1) && !bad++)
            tap_diag("value %lld: %g, want %g", (long long)i, v, want[i]);
    }
    ref_free(&got);
    return !bad;
}

static void one_unique(gnd_device *dev, const char *spec, gnd_dtype t, int64_t n, int64_t low,
                       int64_t high)
{
    ref_arr a = ref_new(t, 1, &n);
    double *v = calloc((size_t)n + 1, sizeof *v), *value = calloc((size_t)n + 1, sizeof *value);
    int64_t *first = calloc((size_t)n + 1, 8), *inverse = calloc((size_t)n + 1, 8),
            *count = calloc((size_t)n + 1, 8);
    int is_float = gnd_dtype_kind(t) == 'f';
    for (int64_t i = 0; i < n; i++) {
        v[i] = (double)ref_range(low, high);
        if (is_float && ref_rnd() % 8 == 0)
            v[i] = ref_rnd() % 2 ? NAN : v[i] / 2;
        ref_put(t, a.p + (size_t)i * gnd_dtype_size(t), ref_float((long double)v[i]));
    }
    for (int nan = 0; nan <= is_float; nan++) {
        gnd_array *out[4], *x = gnd_from(dev, t, 1, &n, a.p);
        int64_t m = reference(v, n, nan, value, first, inverse, count);
        gnd_status st = nan ? gnd_unique(x, 15, out) : gnd_unique_all(x, out);
        tap_ok(!st && is_values(out[0], t, value, m) && is_ints(out[1], first, m, "indices") &&
                   is_ints(out[2], inverse, n, "inverse") && is_ints(out[3], count, m, "counts"),
               "%s: unique of %lld %s in %lld .. %lld%s", spec, (long long)n, gnd_dtype_name(t),
               (long long)low, (long long)high, nan ? ", all NaN one" : "");
        if (!nan && (n == 5000 || is_float)) {
            tap_ok(is_values(gnd_unique_values(x), t, value, m), "%s: values alone", spec);
            tap_ok(!gnd_unique_counts(x, out) && is_values(out[0], t, value, m) &&
                       is_ints(out[1], count, m, "counts"),
                   "%s: and counts", spec);
            tap_ok(!gnd_unique_inverse(x, out) && is_ints(out[1], inverse, n, "inverse"),
                   "%s: and inverse", spec);
        }
    }
    ref_free(&a);
    free(v);
    free(value);
    free(first);
    free(inverse);
    free(count);
}

static void uniques(gnd_device *dev, const char *spec)
{
    static const int64_t sizes[] = {0, 1, 2, 300};
    gnd_scope_begin();
    ref_seed(11);
    for (int i = 0; i < 4; i++)
        one_unique(dev, spec, GND_FLOAT32, sizes[i], -20, 20);
    one_unique(dev, spec, GND_INT32, 300, -100, 100);
    one_unique(dev, spec, GND_INT32, 5000, -30, 30);       /* counted */
    one_unique(dev, spec, GND_INT32, 5000, -50000, 50000); /* not */
    one_unique(dev, spec, GND_UINT8, 5000, 3, 200);
    /* shapes, signed zeros, large uint64 */
    gnd_array *out[4],
        *x = gnd_from(dev, GND_FLOAT32, DIM(2, 3), (float[]){2, -0.0f, 0, 2, 1, -0.0f});
    gnd_unique_all(gnd_T(x), out);
    tap_ok(gnd_ndim(out[2]) == 2 && gnd_dim(out[2], 0) == 3, "%s: the inverse has the shape of x",
           spec);
    tap_ok(is_ints(out[1], (int64_t[]){2, 3, 0}, 3, "indices"), "%s: first occurrences of a view",
           spec);
    tap_ok(is_ints(gnd_reshape(out[2], DIM(-1)), (int64_t[]){2, 2, 0, 1, 0, 0}, 6, "inverse"),
           "%s: its numbers", spec);
    tap_ok(is_ints(out[3], (int64_t[]){3, 1, 2}, 3, "counts"), "%s: zeros are one", spec);
    uint64_t big[2] = {UINT64_MAX - 1, UINT64_MAX - 4}, got[2];
    gnd_array *u =
        gnd_at(gnd_tile(gnd_from(dev, GND_UINT64, DIM(2), big), 1, (int64_t[]){2500}), ":4999");
    tap_is_int(gnd_read(gnd_unique_values(u), got, sizeof got), GND_OK, "%s: uint64 near the end",
               spec);
    tap_ok(got[0] == big[1] && got[1] == big[0], "%s: two values", spec);
    /* rows */
    gnd_array *rows = gnd_from(dev, GND_INT8, DIM(4, 2), (int8_t[]){2, 1, 1, 5, 2, 1, 1, 4});
    int8_t r[6];
    tap_is_int(gnd_unique_along(rows, 0, 7, out), GND_OK, "%s: rows", spec);
    tap_is_int(gnd_read(out[0], r, 6), GND_OK, "%s: read", spec);
    tap_is_mem(r, ((int8_t[]){1, 4, 1, 5, 2, 1}), 6, "%s: in order", spec);
    tap_ok(is_ints(out[1], (int64_t[]){3, 1, 0}, 3, "indices") &&
               is_ints(out[2], (int64_t[]){2, 1, 2, 0}, 4, "inverse") &&
               is_ints(out[3], (int64_t[]){1, 1, 2}, 3, "counts"),
           "%s: indices, inverse, counts", spec);
    tap_is_int(gnd_unique_along(gnd_zeros(dev, GND_INT8, DIM(2, 0, 3)), 1, 7, out), GND_OK,
               "%s: no slices", spec);
    tap_ok(gnd_ndim(out[0]) == 3 && gnd_dim(out[0], 0) == 2 && gnd_dim(out[0], 2) == 3 &&
               gnd_size(out[0]) + gnd_size(out[1]) + gnd_size(out[2]) + gnd_size(out[3]) == 0,
           "%s: no slices give none, and no indices", spec);
    gnd_unique_along(gnd_T(rows), -1, 0, out);
    tap_ok(gnd_ndim(out[0]) == 2 && gnd_dim(out[0], 0) == 2 && gnd_dim(out[0], 1) == 3,
           "%s: columns", spec);
    gnd_scope_end();
}

static void pairs(gnd_device *dev, const char *spec)
{
    gnd_scope_begin();
    gnd_array *a = gnd_from(dev, GND_FLOAT32, DIM(2, 4), (float[]){3, 1, NAN, 2, 2, 7, NAN, 1});
    gnd_array *b = gnd_from(dev, GND_INT8, DIM(5), (int8_t[]){2, 9, 2, 3, 0});
    gnd_array *c = gnd_from(dev, GND_FLOAT32, DIM(3), (float[]){NAN, 1, NAN}),
              *none = gnd_at(c, ":0"), *out[3];
    tap_ok(is_values(gnd_union1d(a, b), GND_FLOAT32, (double[]){0, 1, 2, 3, 7, 9, NAN}, 7),
           "%s: union", spec);
    tap_ok(is_values(gnd_intersect1d(a, b), GND_FLOAT32, (double[]){2, 3}, 2), "%s: intersection",
           spec);
    tap_ok(is_values(gnd_setdiff1d(a, b), GND_FLOAT32, (double[]){1, 7, NAN}, 3), "%s: difference",
           spec);
    tap_ok(is_values(gnd_setdiff1d(b, a), GND_INT8, (double[]){0, 9}, 2), "%s: the other way",
           spec);
    tap_ok(is_values(gnd_setdiff1d_kept(a, b), GND_FLOAT32, (double[]){1, NAN, 7, NAN, 1}, 5),
           "%s: as they stand", spec);
    tap_ok(is_values(gnd_setxor1d(a, b), GND_FLOAT32, (double[]){0, 1, 7, 9, NAN}, 5),
           "%s: in just one", spec);
    tap_ok(is_values(gnd_setxor1d(a, c), GND_FLOAT32, (double[]){2, 3, 7, NAN, NAN}, 5),
           "%s: a NaN of each", spec);
    tap_ok(is_values(gnd_intersect1d(a, c), GND_FLOAT32, (double[]){1}, 1), "%s: no NaN in both",
           spec);
    tap_ok(!gnd_intersect1d_indices(a, b, out) &&
               is_values(out[0], GND_FLOAT32, (double[]){2, 3}, 2) &&
               is_ints(out[1], (int64_t[]){3, 0}, 2, "indices") &&
               is_ints(out[2], (int64_t[]){0, 3}, 2, "indices"),
           "%s: with indices", spec);
    tap_ok(is_values(gnd_setdiff1d(a, none), GND_FLOAT32, (double[]){1, 2, 3, 7, NAN}, 5),
           "%s: without nothing", spec);
    tap_ok(is_values(gnd_intersect1d(none, a), GND_FLOAT32, NULL, 0), "%s: of nothing", spec);
    tap_ok(is_values(gnd_setxor1d(none, none), GND_FLOAT32, NULL, 0), "%s: nothing at all", spec);
    tap_ok(!gnd_intersect1d_indices(none, a, out) && gnd_size(out[2]) == 0, "%s: its indices",
           spec);
    /* membership */
    unsigned char is[8];
    gnd_array *many = gnd_multiply(gnd_arange_i64(dev, 0, 40, 1, GND_INT32), gnd_int(2));
    tap_is_int(gnd_read(gnd_isin(a, b, 0), is, 8), GND_OK, "%s: isin", spec);
    tap_is_mem(is, ((unsigned char[]){1, 0, 0, 1, 1, 0, 0, 0}), 8, "%s: one by one", spec);
    tap_is_int(gnd_read(gnd_isin(a, many, 1), is, 8), GND_OK, "%s: not in many", spec);
    tap_is_mem(is, ((unsigned char[]){1, 1, 1, 0, 0, 1, 1, 1}), 8, "%s: by searching", spec);
    tap_is_f64(gnd_item_f64(gnd_isin(gnd_int(78), many, 0), NULL), 1, "%s: a scalar in an array",
               spec);
    tap_is_f64(gnd_item_f64(gnd_sum(gnd_isin(b, gnd_int(2), 0), GND_ALL, 0), NULL), 2,
               "%s: an array in a scalar", spec);
    tap_is_f64(gnd_item_f64(gnd_sum(gnd_isin(b, none, 1), GND_ALL, 0), NULL), 5, "%s: in nothing",
               spec);
    gnd_scope_end();
}

static void said(gnd_device *dev, const char *spec)
{
    static const expect_value cases[] = {
        {"unique([3, 1, 3])[1]", 3},
        {"unique([3, 1, 3], return_counts=True)[1][1]", 2},
        {"unique([[1, 2], [1, 2]], axis=0).size", 2},
        {"unique([nan, nan]).size + unique([nan, nan], equal_nan=False).size", 3},
        {"unique_all([5, 4, 5]).inverse_indices[2]", 1},
        {"unique_counts([5, 4, 5]).counts[1] + unique_inverse([5, 4]).values[0] + unique_values([2, 2])[0]",
         8},
        {"isin([1, 2], [2, 3], invert=True).sum()", 1},
        {"union1d([1, 2], [2, 3]).sum() + intersect1d([1, 2], [2, 3])[0]", 8},
        {"intersect1d([1, 2], [2, 3], return_indices=True)[1][0]", 1},
        {"setdiff1d([2, 1, 2, 5], [1], assume_unique=True)[1] + setdiff1d([5, 2, 2], [1])[0]", 4},
        {"setxor1d([1, 2], [2, 3]).sum()", 4},
    };
    expect_values(dev, spec, (int)(sizeof cases / sizeof *cases), cases);
}

static void wrong_arguments(void)
{
    gnd_device *dev = gnd_open("null:0"), *dev32 = gnd_open("null:1");
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, DIM(3, 4)),
              *far = gnd_zeros(dev32, GND_FLOAT32, DIM(3)), *out[4];
    gnd_array *broken = gnd_reshape(x, DIM(7));
    FAILS(gnd_unique_values(NULL), GND_ERR_NULL, "unique_values: x is NULL");
    FAILS(gnd_unique_values(broken), GND_ERR_SHAPE, "reshape");
    FAILS(gnd_union1d(x, far), GND_ERR_DEVICE, "union1d: arrays of two devices");
    FAILS(gnd_setdiff1d(NULL, x), GND_ERR_NULL, "setdiff1d: x1 is NULL");
    FAILS(gnd_setxor1d(x, gnd_int(1)), GND_ERR_DEVICE, "setxor1d: x2 is a scalar");
    FAILS(gnd_intersect1d(x, broken), GND_ERR_SHAPE, "reshape");
    FAILS(gnd_isin(x, far, 0), GND_ERR_DEVICE, "isin: arrays of two devices");
    FAILS(gnd_isin(x, NULL, 0), GND_ERR_NULL, "isin");
    tap_is_int(gnd_unique(x, 64, out), GND_ERR_ARG, "unknown flags");
    FAILS(out[0], GND_ERR_ARG, "unique: flags 0x40");
    tap_is_int(gnd_unique(x, 0, NULL), GND_ERR_NULL, "no place for the result");
    tap_is_int(gnd_unique_along(x, 2, 7, out), GND_ERR_AXIS, "an axis that is none");
    FAILS(out[3], GND_ERR_AXIS, "unique_along: axis 2");
    tap_is_int(gnd_unique_along(gnd_zeros(dev, GND_INT8, DIM(3, 0)), 0, 0, out), GND_ERR_SHAPE,
               "empty rows");
    tap_is_int(gnd_unique_along(gnd_zeros(dev, GND_INT8, DIM(2, 20000)), 0, 0, out),
               GND_ERR_UNSUPPORTED, "long rows");
    tap_is_int(gnd_intersect1d_indices(x, far, out), GND_ERR_DEVICE, "indices, of two devices");
    gnd_scope_end();
    gnd_close(dev);
    gnd_close(dev32);
}

/* The values of many ints in a large range, which a GPU marks in bits. */
static void marked(gnd_device *dev, const char *spec)
{
    enum { N = 1100003, RANGE = 1000000 };
    const int64_t n = N, low = -700000;
    char *there = calloc(RANGE, 1);
    int32_t *v = calloc(N, sizeof *v), *got = calloc(RANGE, sizeof *got);
    int64_t m = 0, bad = 0;
    ref_seed(12);
    for (int i = 0; i < N; i++) {
        const int64_t k = i < 2 ? i * (RANGE - 1) : ref_range(0, RANGE - 1) / 3 * 3;
        v[i] = (int32_t)(low + k);
        m += !there[k];
        there[k] = 1;
    }
    gnd_scope_begin();
    gnd_array *u = gnd_unique_values(gnd_from(dev, GND_INT32, 1, &n, v));
    tap_is_int(gnd_size(u), m, "%s: how many values of a large range", spec);
    tap_is_int(gnd_read(u, got, (size_t)m * sizeof *got), GND_OK, "%s: read", spec);
    for (int64_t k = 0, at = 0; k < RANGE; k++)
        if (there[k])
            bad += got[at++] != low + k;
    tap_is_int(bad, 0, "%s: which", spec);
    gnd_scope_end();
    free(there);
    free(v);
    free(got);
}

static void all(gnd_device *dev, const char *spec)
{
    uniques(dev, spec);
    pairs(dev, spec);
    said(dev, spec);
}

int main(void)
{
    wrong_arguments();
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(marked);
    return tap_done();
}
