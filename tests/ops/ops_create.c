/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_create.c - functions that make arrays, as the device computes them, against plain loops:
 * gnd_zeros, gnd_ones, gnd_full, gnd_empty and their _like forms, gnd_arange, gnd_linspace,
 * gnd_eye, gnd_tril, gnd_triu, gnd_meshgrid, gnd_asarray, gnd_from, gnd_from_strided; and
 * gnd_moveaxis, gnd_unstack, gnd_broadcast_arrays and gnd_repeat_array.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

/* The element that a function gives at idx, as the closest number of the dtype. */
typedef ref_num element(const int64_t *idx, const void *arg);

/* Whether y has that dtype and shape, and elements within ulps of what want says. */
static void check(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, double ulps,
                  element *want, const void *arg, const char *name)
{
    ref_arr got;
    char why[300] = "", s[2][80];
    int ok = ref_read(y, t, ndim, dim, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        int64_t idx[GND_MAX_NDIM];
        ref_unravel(ndim, dim, e, idx);
        ref_num w = ref_as(t, want(idx, arg)), g = ref_nth(&got, e);
        ok = ref_ulps(t, g, w, 0) <= ulps;
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e, ref_text(g, s[0], 80),
                     ref_text(w, s[1], 80));
    }
    if (!tap_ok(ok, "%s: %s", name, gnd_dtype_name(t)))
        tap_diag("%s", why);
    ref_free(&got);
}

static ref_num constant(const int64_t *idx, const void *arg)
{
    (void)idx;
    return *(const ref_num *)arg;
}

/* --- of one value ----------------------------------------------------------------------------- */

static void of_one_value(gnd_device *dev, gnd_dtype t)
{
    int64_t dim[2] = {3, 5}, none[2] = {0, 4};
    ref_num zero = ref_int(0), one = ref_int(1), three = ref_int(t == GND_BOOL ? 1 : 3);
    if (ref_skip(dev, t, 9))
        return;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, t, 2, dim);
    gnd_array *y[7] = {x,
                       gnd_ones(dev, t, 2, dim),
                       gnd_full(dev, t, 2, dim, gnd_int(t == GND_BOOL ? 1 : 3)),
                       gnd_zeros_like(x, GND_DTYPE_DEFAULT),
                       gnd_ones_like(x, GND_DTYPE_DEFAULT),
                       gnd_full_like(x, GND_DTYPE_DEFAULT, gnd_int(t == GND_BOOL ? 1 : 3)),
                       gnd_ones_like(gnd_ones(dev, GND_BOOL, 2, dim), t)};
    gnd_eval_all(7, y);
    check(y[0], t, 2, dim, 0, constant, &zero, "zeros");
    check(y[1], t, 2, dim, 0, constant, &one, "ones");
    check(y[2], t, 2, dim, 0, constant, &three, "full");
    check(y[3], t, 2, dim, 0, constant, &zero, "zeros_like");
    check(y[4], t, 2, dim, 0, constant, &one, "ones_like");
    check(y[5], t, 2, dim, 0, constant, &three, "full_like");
    check(y[6], t, 2, dim, 0, constant, &one, "ones_like of a bool array");
    gnd_array *e = gnd_empty(dev, t, 2, dim), *like = gnd_empty_like(e, GND_DTYPE_DEFAULT);
    unsigned char room[15 * 16];
    tap_ok(gnd_read(e, room, gnd_nbytes(e)) == GND_OK &&
               gnd_read(like, room, gnd_nbytes(like)) == GND_OK && gnd_dtype_of(like) == t &&
               gnd_nbytes(like) == 15 * gnd_dtype_size(t),
           "empty and empty_like: %s", gnd_dtype_name(t));
    check(gnd_full(dev, t, 2, none, gnd_int(1)), t, 2, none, 0, constant, &one, "full of nothing");
    gnd_scope_end();
}

static void defaults(gnd_device *dev)
{
    gnd_dtype f = gnd_default_float(dev);
    int64_t n = 2;
    gnd_scope_begin();
    tap_ok(gnd_dtype_of(gnd_zeros(dev, GND_DTYPE_DEFAULT, 1, &n)) == f &&
               gnd_dtype_of(gnd_ones(dev, GND_DTYPE_DEFAULT, 1, &n)) == f &&
               gnd_dtype_of(gnd_empty(dev, GND_DTYPE_DEFAULT, 1, &n)) == f &&
               gnd_dtype_of(gnd_eye(dev, GND_DTYPE_DEFAULT, 2, 2, 0)) == f &&
               gnd_dtype_of(gnd_linspace(dev, gnd_int(0), gnd_int(1), 3, 1, GND_DTYPE_DEFAULT)) ==
                   f &&
               gnd_dtype_of(gnd_arange_f64(dev, 0, 3, 1, GND_DTYPE_DEFAULT)) == f,
           "the default float");
    tap_ok(gnd_dtype_of(gnd_full(dev, GND_DTYPE_DEFAULT, 1, &n, gnd_int(1))) == GND_INT64 &&
               gnd_dtype_of(gnd_full(dev, GND_DTYPE_DEFAULT, 1, &n, gnd_bool(1))) == GND_BOOL &&
               gnd_dtype_of(gnd_arange_i64(dev, 0, 3, 1, GND_DTYPE_DEFAULT)) == GND_INT64,
           "the dtype of the value");
    gnd_scope_end();
}

/* --- ranges ----------------------------------------------------------------------------------- */

typedef struct range {
    double start, step;
} range;

static ref_num in_range(const int64_t *idx, const void *arg)
{
    const range *r = arg;
    return ref_float((long double)r->start + (long double)idx[0] * (long double)r->step);
}

static ref_num in_int_range(const int64_t *idx, const void *arg)
{
    const range *r = arg;
    return ref_int(
        (int64_t)floorl((long double)r->start + (long double)idx[0] * (long double)r->step));
}

static void ranges(gnd_device *dev)
{
    static const gnd_dtype t[] = {GND_INT64,   GND_UINT8,   GND_FLOAT16,
                                  GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64};
    static const struct {
        double start, stop, step;
        int64_t n;
    } cases[] = {{0, 7, 1, 7}, {10, 3, -2, 4}, {2, 100, 33, 3},
                 {5, 5, 1, 0}, {5, 3, 1, 0},   {1, 4, 4, 1}};
    for (size_t k = 0; k < sizeof t / sizeof t[0]; k++) {
        int real = gnd_dtype_kind(t[k]) == 'f', complex = gnd_dtype_kind(t[k]) == 'c';
        if (ref_skip(dev, t[k], complex ? 3 : 7))
            continue;
        gnd_scope_begin();
        for (size_t i = 0; i < sizeof cases / sizeof cases[0] && !complex; i++) {
            range r = {cases[i].start, cases[i].step};
            check(gnd_arange(dev, gnd_real(cases[i].start), gnd_real(cases[i].stop),
                             gnd_real(cases[i].step), t[k]),
                  t[k], 1, &cases[i].n, 0, in_range, &r, "arange");
        }
        for (int endpoint = 0; endpoint < 2; endpoint++) {
            int64_t n = 11;
            range r = {1, 9.0 / (double)(n - endpoint)};
            check(gnd_linspace(dev, gnd_int(1), gnd_int(10), n, endpoint, t[k]), t[k], 1, &n, 2,
                  real || complex ? in_range : in_int_range, &r,
                  endpoint ? "linspace" : "linspace without its end");
        }
        int64_t none = 0, one = 1;
        range r = {7, 0};
        check(gnd_linspace(dev, gnd_int(7), gnd_int(9), 0, 1, t[k]), t[k], 1, &none, 0, in_range,
              &r, "linspace of nothing");
        check(gnd_linspace(dev, gnd_int(7), gnd_int(9), 1, 1, t[k]), t[k], 1, &one, 0, in_range, &r,
              "linspace of one");
        gnd_scope_end();
    }
    gnd_scope_begin();
    int64_t n = 6;
    range half = {0.5, 0.25};
    check(gnd_arange_f64(dev, 0.5, 2, 0.25, GND_FLOAT32), GND_FLOAT32, 1, &n, 0, in_range, &half,
          "arange_f64");
    range down = {3, -1};
    check(gnd_arange_i64(dev, 3, -3, -1, GND_INT32), GND_INT32, 1, &n, 0, in_range, &down,
          "arange_i64");
    gnd_array *y = gnd_linspace(dev, gnd_complex(0, 1), gnd_complex(2, -1), 3, 1, GND_COMPLEX64);
    float v[6];
    tap_ok(gnd_read(y, v, sizeof v) == GND_OK && v[0] == 0 && v[1] == 1 && v[2] == 1 && v[3] == 0 &&
               v[4] == 2 && v[5] == -1,
           "linspace of complex numbers");
    gnd_scope_end();
}

/* --- matrices --------------------------------------------------------------------------------- */

typedef struct band {
    int64_t k;
    int upper, dims;
    const ref_arr *x;
} band;

static ref_num on_diagonal(const int64_t *idx, const void *arg)
{
    return ref_int(idx[1] - idx[0] == ((const band *)arg)->k);
}

static ref_num in_triangle(const int64_t *idx, const void *arg)
{
    const band *b = arg;
    int64_t d = idx[b->dims - 1] - idx[b->dims - 2];
    return (b->upper ? d >= b->k : d <= b->k) ? ref_get(b->x->t, ref_at(b->x, idx)) : ref_int(0);
}

static void matrices(gnd_device *dev)
{
    static const gnd_dtype t[] = {GND_BOOL, GND_INT16, GND_FLOAT32, GND_COMPLEX64};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        gnd_scope_begin();
        for (int64_t k = -2; k <= 5; k += 3) {
            band b = {.k = k};
            int64_t dim[2] = {4, 6}, square[2] = {4, 4}, none[2] = {0, 3};
            check(gnd_eye(dev, t[i], 4, 6, k), t[i], 2, dim, 0, on_diagonal, &b, "eye");
            check(gnd_eye(dev, t[i], 4, -1, k), t[i], 2, square, 0, on_diagonal, &b, "eye, square");
            check(gnd_eye(dev, t[i], 0, 3, k), t[i], 2, none, 0, on_diagonal, &b, "eye of nothing");
        }
        for (int64_t k = -1; k <= 2; k += 3) {
            int64_t dim[3] = {2, 3, 5};
            ref_arr x;
            gnd_array *a =
                ref_make(dev, t[i], 3, dim, k < 0 ? REF_CONTIG : REF_TRANSPOSED, REF_REAL, &x);
            band low = {.k = k, .dims = 3, .x = &x}, up = {.k = k, .upper = 1, .dims = 3, .x = &x};
            check(gnd_tril(a, k), t[i], 3, dim, 0, in_triangle, &low, "tril");
            check(gnd_triu(a, k), t[i], 3, dim, 0, in_triangle, &up, "triu");
            ref_free(&x);
        }
        gnd_scope_end();
    }
}

/* --- several arrays --------------------------------------------------------------------------- */

/* Element idx of an array seen through axes: axis d of x is axis from[d] of the result. */
typedef struct picked {
    const ref_arr *x;
    int from[4];
    int64_t at[4]; /* for from -1 */
} picked;

static ref_num pick(const int64_t *idx, const void *arg)
{
    const picked *p = arg;
    int64_t i[4];
    for (int d = 0; d < p->x->ndim; d++)
        i[d] = p->from[d] < 0 ? p->at[d] : p->x->dim[d] == 1 ? 0 : idx[p->from[d]];
    return ref_get(p->x->t, ref_at(p->x, i));
}

static void several(gnd_device *dev)
{
    ref_arr h[3];
    gnd_array *x[3], *out[5];
    int64_t extent[3] = {3, 4, 2};
    gnd_scope_begin();
    for (int i = 0; i < 3; i++)
        x[i] = ref_make(dev, GND_INT32, 1, &extent[i], REF_CONTIG, REF_REAL, &h[i]);
    for (int ij = 0; ij < 2; ij++) {
        int64_t dim[3] = {extent[!ij], extent[ij], extent[2]};
        tap_is_int(gnd_meshgrid(3, x, ij, out), GND_OK, "meshgrid");
        for (int i = 0; i < 3; i++) {
            picked p = {.x = &h[i], .from = {i < 2 && !ij ? 1 - i : i}};
            check(out[i], GND_INT32, 3, dim, 0, pick, &p, ij ? "meshgrid 'ij'" : "meshgrid 'xy'");
        }
    }
    for (int i = 0; i < 3; i++)
        ref_free(&h[i]);

    int64_t da[3] = {2, 1, 4}, db[2] = {3, 1}, both[3] = {2, 3, 4};
    x[0] = ref_make(dev, GND_FLOAT32, 3, da, REF_STRIDED, REF_REAL, &h[0]);
    x[1] = ref_make(dev, GND_INT8, 2, db, REF_CONTIG, REF_REAL, &h[1]);
    tap_is_int(gnd_broadcast_arrays(2, x, out), GND_OK, "broadcast_arrays");
    picked a = {.x = &h[0], .from = {0, 1, 2}}, b = {.x = &h[1], .from = {1, 2}};
    check(out[0], GND_FLOAT32, 3, both, 0, pick, &a, "broadcast_arrays");
    check(out[1], GND_INT8, 3, both, 0, pick, &b, "broadcast_arrays, another dtype");

    int64_t moved[3] = {4, 2, 1}, part[2] = {2, 1};
    picked m = {.x = &h[0], .from = {1, 2, 0}};
    check(gnd_moveaxis(x[0], 1, (int[]){-1}, (int[]){0}), GND_FLOAT32, 3, moved, 0, pick, &m,
          "moveaxis");
    tap_is_int(gnd_unstack(x[0], 2, out), GND_OK, "unstack");
    for (int i = 0; i < 4; i++) {
        picked u = {.x = &h[0], .from = {0, 1, -1}, .at = {0, 0, i}};
        check(out[i], GND_FLOAT32, 2, part, 0, pick, &u, "unstack");
    }
    ref_free(&h[0]), ref_free(&h[1]);

    int32_t v[6] = {1, 2, 3, 4, 5, 6}, got[8];
    uint16_t times[3] = {2, 0, 1};
    gnd_array *r = gnd_from(dev, GND_INT32, 2, (int64_t[]){2, 3}, v);
    gnd_array *counts = gnd_from(dev, GND_UINT16, 1, (int64_t[]){3}, times);
    gnd_array *y = gnd_repeat_array(r, counts, -1);
    tap_ok(gnd_ndim(y) == 2 && gnd_dim(y, 1) == 3 && gnd_read(y, got, 24) == GND_OK &&
               !memcmp(got, (int32_t[]){1, 1, 3, 4, 4, 6}, 24),
           "repeat_array");
    y = gnd_repeat_array(gnd_from(dev, GND_INT32, 1, (int64_t[]){4}, v),
                         gnd_asarray(dev, gnd_int(2), GND_INT8), 0);
    tap_ok(gnd_read(y, got, 32) == GND_OK && !memcmp(got, (int32_t[]){1, 1, 2, 2, 3, 3, 4, 4}, 32),
           "... of one count");
    y = gnd_repeat_array(r, gnd_int(0), 0);
    tap_ok(gnd_status_of(y) == GND_OK && gnd_dim(y, 0) == 0 && gnd_dim(y, 1) == 3,
           "... of the number 0");
    gnd_scope_end();
}

/* By counts on the device, which kernels for GPUs do there. */
static void test_repeat_counts(gnd_device *dev)
{
    enum { N = 3000 };
    static int32_t v[N], times[N], want[8 * N], got[8 * N];
    const int64_t n = N;
    const char *shape = getenv("GND_KERNEL_SHAPE");
    char was[16] = "";
    int64_t total = 0;
    for (int i = 0; i < N; i++) {
        v[i] = (int32_t)ref_range(-99, 99);
        times[i] = i < 7 || ref_rnd() % 3 == 0 ? 0 : (int32_t)ref_range(1, 5);
        for (int j = 0; j < times[i]; j++)
            want[total++] = v[i];
    }
    snprintf(was, sizeof was, "%s", shape ? shape : "");
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_INT32, 1, &n, v),
              *counts = gnd_from(dev, GND_INT32, 1, &n, times);
    gnd_array *y = gnd_repeat_array(x, counts, 0);
    tap_ok(gnd_size(y) == total && !gnd_read(y, got, (size_t)total * 4) &&
               !memcmp(got, want, (size_t)total * 4),
           "repeat_array, counted on the device");
    y = gnd_repeat_array(x, gnd_subtract(counts, gnd_int(1)), 0);
    tap_ok(gnd_status_of(y) == GND_ERR_ARG && strstr(gnd_error(y), "element 0 -1 times"),
           "... with -1: %s", gnd_error(y));
    y = gnd_repeat_array(x, gnd_add(gnd_astype(counts, GND_INT64), gnd_int(INT64_MAX / 2)), 0);
    tap_is_int(gnd_status_of(y), GND_ERR_OVERFLOW, "... too many");
    tap_is_int(gnd_size(gnd_repeat_array(x, gnd_multiply(counts, gnd_int(0)), 0)), 0, "... none");
    gnd_scope_end();
    if (*was)
        setenv("GND_KERNEL_SHAPE", was, 1);
    else
        unsetenv("GND_KERNEL_SHAPE");
}

/* --- from the host ---------------------------------------------------------------------------- */

static ref_num as_counted(const int64_t *idx, const void *arg)
{
    (void)arg;
    return ref_int(10 * idx[0] + idx[1]);
}

static void from_host(gnd_device *dev)
{
    int16_t v[4][10], w[12];
    int64_t dim[2] = {3, 4}, none[2] = {0, 4};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 10; k++)
            v[i][k] = (int16_t)(10 * i + k);
    for (int i = 0; i < 12; i++)
        w[i] = v[i / 4][i % 4];
    gnd_scope_begin();
    check(gnd_from(dev, GND_INT16, 2, dim, w), GND_INT16, 2, dim, 0, as_counted, NULL, "from");
    check(gnd_from(dev, GND_INT16, 2, none, NULL), GND_INT16, 2, none, 0, as_counted, NULL,
          "from nothing");
    check(gnd_from_strided(dev, GND_INT16, 2, dim, (int64_t[]){sizeof v[0], 2}, v), GND_INT16, 2,
          dim, 0, as_counted, NULL, "from_strided, rows apart");
    check(gnd_from_strided(dev, GND_INT16, 2, dim, NULL, w), GND_INT16, 2, dim, 0, as_counted, NULL,
          "from_strided, C order");
    int16_t back[12];
    for (int i = 0; i < 12; i++)
        back[11 - i] = w[i];
    check(gnd_from_strided(dev, GND_INT16, 2, dim, (int64_t[]){-8, -2}, &back[11]), GND_INT16, 2,
          dim, 0, as_counted, NULL, "from_strided, backwards");
    ref_num seven = ref_int(7);
    int64_t five[1] = {5};
    check(gnd_from_strided(dev, GND_INT16, 1, five, (int64_t[]){0}, &v[0][7]), GND_INT16, 1, five,
          0, constant, &seven, "from_strided, one element");
    unsigned char truth[5] = {2, 255, 1, 7, 128};
    ref_num yes = ref_int(1);
    check(gnd_from(dev, GND_BOOL, 1, five, truth), GND_BOOL, 1, five, 0, constant, &yes,
          "from bytes that are not 0");

    gnd_array *x = gnd_from(dev, GND_INT16, 2, dim, w), *y = gnd_asarray(dev, x, GND_DTYPE_DEFAULT);
    check(y, GND_INT16, 2, dim, 0, as_counted, NULL, "asarray");
    check(gnd_asarray(dev, x, GND_FLOAT32), GND_FLOAT32, 2, dim, 0, as_counted, NULL,
          "asarray as float32");
    check(gnd_asarray(dev, gnd_int(7), GND_DTYPE_DEFAULT), GND_INT64, 0, NULL, 0, constant, &seven,
          "asarray of an int");
    check(gnd_asarray(dev, gnd_int(7), GND_UINT8), GND_UINT8, 0, NULL, 0, constant, &seven,
          "asarray of an int as uint8");
    check(gnd_asarray(dev, gnd_real(7), GND_DTYPE_DEFAULT), gnd_default_float(dev), 0, NULL, 0,
          constant, &seven, "asarray of a float");
    check(gnd_asarray(dev, gnd_bool(1), GND_DTYPE_DEFAULT), GND_BOOL, 0, NULL, 0, constant, &yes,
          "asarray of a bool");
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    ref_seed(3);
    for (int t = 0; t < GND_NDTYPES; t++)
        of_one_value(dev, (gnd_dtype)t);
    defaults(dev);
    ranges(dev);
    matrices(dev);
    several(dev);
    from_host(dev);
    test_repeat_counts(dev);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
