/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_edit.c - insertions, deletions, resize, diagonals, indices of triangles and logarithmic
 * scales of gnd/manip.h against the host's elements (moved.h). Random shapes, layouts and dtypes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moved.h"
#include "tap.h"

#define DIM(...)                                                                                   \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* --- insert, delete, resize ------------------------------------------------------------------- */

/* Element p along axis mv_par[0] of the result is number mv_par[2 + 2 p] of mv_h[mv_par[1 + 2 p]].
 */
static const void *listed(const int64_t *at)
{
    int64_t i[4] = {0}, p = at[mv_par[0]];
    const ref_arr *a = &mv_h[mv_par[1 + 2 * p]];
    for (int d = 0; d < a->ndim; d++)
        i[d] = d == mv_par[0] ? mv_par[2 + 2 * p] : at[d];
    for (int d = 0; d < a->ndim; d++)
        i[d] = a->dim[d] == 1 ? 0 : i[d];
    return ref_at(a, i);
}

/* The result of inserting at n places, by putting one after the other into a list. */
static int64_t plan_insert(int axis, int64_t extent, int64_t n, const int64_t *at)
{
    int64_t m = 0;
    mv_par[0] = axis;
    for (int64_t p = 0; p <= extent; p++) {
        for (int64_t i = 0; i < n; i++)
            if ((at[i] < 0 ? at[i] + extent : at[i]) == p)
                mv_par[1 + 2 * m] = 1, mv_par[2 + 2 * m++] = i;
        if (p < extent)
            mv_par[1 + 2 * m] = 0, mv_par[2 + 2 * m++] = p;
    }
    return m;
}

static void test_insert(void)
{
    for (int c = 0; c < 9; c++) {
        int64_t dim[3], vdim[3], at[8], n = c < 2 ? c : ref_range(2, 8);
        int ndim = (int)ref_range(1, 3), axis = (int)ref_range(0, ndim - 1);
        mv_shape(ndim, 2, 6, dim);
        dim[axis] = c == 8 ? 0 : dim[axis];
        memcpy(vdim, dim, sizeof vdim);
        vdim[axis] = c % 3 == 2 ? 1 : n; /* one for all */
        if (ndim > 1 && c % 2)
            vdim[(axis + 1) % ndim] = 1;
        for (int64_t i = 0; i < n; i++)
            at[i] = c == 8 ? 0 : ref_range(-dim[axis], dim[axis]);
        gnd_dtype t = mv_dtype();
        gnd_array *x[2] = {mv_make(0, t, ndim, dim), mv_make(1, t, ndim, vdim)};
        dim[axis] = plan_insert(axis, dim[axis], n, at);
        mv_follows(gnd_insert_each(x[0], n, at, x[1], axis), t, ndim, dim, listed, "insert_each");
        mv_done(2, x);
    }
    /* One place: a slice of x, or several of them along the first axis of the values. */
    gnd_dtype t = mv_dtype();
    gnd_array *x[2] = {mv_make(0, t, 2, DIM(3, 4)), mv_make(1, t, 2, DIM(4, 2))};
    gnd_array *turned_values = gnd_T(x[1]);
    plan_insert(0, 3, 0, NULL);
    mv_h[1] = (ref_arr){.t = t,
                        .ndim = 2,
                        .dim = {2, 4},
                        .stride = {mv_h[1].stride[1], mv_h[1].stride[0]},
                        .p = mv_h[1].p,
                        .own = mv_h[1].own};
    memcpy(mv_par, DIM(0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 2), 11 * sizeof *mv_par);
    mv_follows(gnd_insert(x[0], -2, turned_values, 0), t, 2, DIM(5, 4), listed,
               "insert of two rows");
    gnd_release(turned_values);
    mv_done(2, x);
    x[0] = mv_make(0, GND_INT64, 2, DIM(3, 4));
    x[1] = mv_make(1, GND_INT64, 1, DIM(3));
    gnd_array *y = gnd_insert(x[0], 4, x[1], 1), *col = gnd_at(y, ":, 4");
    mv_par[0] = 1, mv_par[1] = 3;
    memcpy(&mv_h[2], &mv_h[0], sizeof mv_h[0]);
    memcpy(&mv_h[0], &mv_h[1], sizeof mv_h[0]);
    mv_follows(col, GND_INT64, 1, DIM(3), mv_same, "insert of a column at the end");
    memcpy(&mv_h[0], &mv_h[2], sizeof mv_h[0]);
    gnd_release(y);
    mv_done(2, x);
}

static void test_delete(void)
{
    for (int c = 0; c < 9; c++) {
        int64_t dim[3], at[8], n = c ? ref_range(2, 8) : 1, m = 0;
        int ndim = (int)ref_range(1, 3), axis = (int)ref_range(0, ndim - 1), gone[12] = {0};
        gnd_range r = {.kind = GND_IDX_SLICE,
                       .start = GND_NONE,
                       .stop = GND_NONE,
                       .step = ref_range(1, 3) * (c == 7 ? -1 : 1)};
        mv_shape(ndim, 5, 9, dim);
        if (c > 5)
            r.start = ref_range(-9, 9), r.stop = c == 8 ? GND_NONE : ref_range(-9, 9);
        for (int64_t i = 0; i < n; i++)
            at[i] = ref_range(-dim[axis], dim[axis] - 1);
        if (c > 5) { /* as Python walks it */
            int64_t e = dim[axis], step = r.step, a = r.start < 0 ? r.start + e : r.start;
            int64_t b = r.stop == GND_NONE ? (step > 0 ? e : -1) : r.stop < 0 ? r.stop + e : r.stop;
            a = step > 0 ? (a < 0 ? 0 : a) : (a > e - 1 ? e - 1 : a);
            b = r.stop != GND_NONE && step < 0 && b < -1 ? -1 : b;
            for (int64_t i = a; i >= 0 && i < e && (step > 0 ? i < b : i > b); i += step)
                gone[i] = 1;
        } else {
            for (int64_t i = 0; i < n; i++)
                gone[at[i] < 0 ? at[i] + dim[axis] : at[i]] = 1;
        }
        mv_par[0] = axis;
        for (int64_t p = 0; p < dim[axis]; p++)
            if (!gone[p])
                mv_par[1 + 2 * m] = 0, mv_par[2 + 2 * m++] = p;
        gnd_dtype t = mv_dtype();
        gnd_array *x = mv_make(0, t, ndim, dim);
        gnd_array *y = c > 5   ? gnd_delete_range(x, r, axis)
                       : c > 0 ? gnd_delete_each(x, n, at, axis)
                               : gnd_delete(x, at[0], axis);
        dim[axis] = m;
        mv_follows(y, t, ndim, dim, listed, c > 5 ? "delete_range" : c ? "delete_each" : "delete");
        mv_done(1, &x);
    }
}

/* Many places: the search has twelve levels and goes through several kernels. */
static void test_many_places(void)
{
    enum { N = 5000, M = 3000 };
    static int64_t at[M], want[N + M], got[N + M], order[N + M];
    char gone[N] = {0};
    int64_t left = 0, n = N;
    for (int i = 0; i < M; i++) {
        at[i] = ref_range(0, N - 1);
        gone[at[i]] = 1;
    }
    for (int i = 0; i < N; i++)
        if (!gone[i])
            want[left++] = i;
    gnd_array *x = gnd_arange_i64(mv_dev, 0, n, 1, GND_INT64), *y = gnd_delete_each(x, M, at, 0);
    gnd_status st = gnd_read(y, got, sizeof *got * (size_t)left);
    tap_ok(st == GND_OK && !memcmp(got, want, sizeof *got * (size_t)left),
           "delete_each: 3000 places");
    gnd_release(y);
    int64_t m = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < M; k++)
            if (at[k] == i)
                order[m++] = -1 - k;
        order[m++] = i;
    }
    gnd_array *v = gnd_arange_i64(mv_dev, -1, -1 - M, -1, GND_INT64);
    y = gnd_insert_each(x, M, at, v, 0);
    st = gnd_read(y, got, sizeof got);
    tap_ok(st == GND_OK && !memcmp(got, order, sizeof got), "insert_each: 3000 places");
    gnd_release(x), gnd_release(y), gnd_release(v);
}

static const void *cycled(const int64_t *at)
{
    int64_t n = 0, i[4];
    for (int d = 0; d < mv_par[0]; d++)
        n = n * mv_par[1 + d] + at[d];
    if (ref_size(&mv_h[0]) == 0)
        return NULL;
    ref_unravel(mv_h[0].ndim, mv_h[0].dim, n % ref_size(&mv_h[0]), i);
    return ref_at(&mv_h[0], i);
}

static void test_resize(void)
{
    static const int64_t to[][3] = {{1, 5}, {2, 2, 3}, {2, 5, 7}, {1, 200}, {1, 0}, {0}};
    for (int c = 0; c < 7; c++) {
        gnd_array *x = mv_make(0, mv_dtype(), 2, c == 6 ? DIM(0, 3) : DIM(2, 3));
        memcpy(mv_par, to[c % 6], sizeof to[0]);
        mv_follows(gnd_resize(x, (int)mv_par[0], mv_par + 1), mv_h[0].t, (int)mv_par[0], mv_par + 1,
                   cycled, "resize");
        mv_done(1, &x);
    }
}

/* --- diagonals and indices -------------------------------------------------------------------- */

static const void *on_diagonal(const int64_t *at)
{
    int64_t i = at[0] + (mv_par[0] < 0 ? mv_par[0] : 0), idx[2];
    if (at[1] - at[0] != mv_par[0])
        return NULL;
    ref_unravel(mv_h[0].ndim, mv_h[0].dim, i, idx);
    return ref_at(&mv_h[0], idx);
}

static void test_diagonals(void)
{
    for (int k = -2; k <= 3; k++) {
        int64_t n = ref_range(1, 5), side = n + (k < 0 ? -k : k);
        gnd_array *x = mv_make(0, mv_dtype(), 1, &n);
        mv_par[0] = k;
        mv_follows(gnd_diag(x, k), mv_h[0].t, 2, DIM(side, side), on_diagonal, "diag");
        mv_done(1, &x);
    }
    gnd_array *x = mv_make(0, mv_dtype(), 2, DIM(2, 3));
    mv_par[0] = -1;
    mv_follows(gnd_diagflat(x, -1), mv_h[0].t, 2, DIM(7, 7), on_diagonal, "diagflat");
    gnd_array *y = gnd_diag(x, 1), *z = gnd_diagonal(x, 1, 0, 1),
              *same = gnd_all(gnd_equal(y, z), GND_ALL, 0);
    tap_is_int(gnd_size(y), 2, "diag of a matrix");
    tap_is_int(gnd_item_i64(same, NULL), 1, "diag of a matrix: its elements");
    gnd_release(y), gnd_release(z), gnd_release(same);
    mv_done(1, &x);
}

static void triangles(int64_t n, int64_t k, int64_t m)
{
    gnd_array *out[2];
    int64_t cols = m < 0 ? n : m;
    for (int up = 0; up < 2; up++) {
        int64_t count = 0, at = 0, bad = -1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < cols; j++)
                count += up ? j - i >= k : j - i <= k;
        int64_t *got = malloc(sizeof *got * (size_t)(2 * count + 1));
        gnd_status st =
            up ? gnd_triu_indices(mv_dev, n, k, m, out) : gnd_tril_indices(mv_dev, n, k, m, out);
        for (int d = 0; d < 2 && st == GND_OK; d++)
            st = gnd_read(out[d], got + d * count, sizeof *got * (size_t)count);
        for (int64_t i = 0; i < n && st == GND_OK; i++)
            for (int64_t j = 0; j < cols; j++)
                if (up ? j - i >= k : j - i <= k) {
                    if (bad < 0 && (got[at] != i || got[count + at] != j))
                        bad = at;
                    at++;
                }
        tap_ok(st == GND_OK && bad < 0, "%s_indices(%d, %d, %d)", up ? "triu" : "tril", (int)n,
               (int)k, (int)m);
        free(got);
        gnd_release(out[0]);
        gnd_release(out[1]);
    }
}

static void test_indices(void)
{
    static const int c[][3] = {{4, 0, -1}, {5, 1, 3},     {3, -1, 6},    {6, -2, 6},
                               {1, 0, 1},  {4, 9, 5},     {4, -9, 5},    {0, 0, 3},
                               {3, 1, 0},  {700, 3, 650}, {1500, -7, -1}};
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        triangles(c[i][0], c[i][1], c[i][2]);
    int64_t got[24], bad = 0;
    gnd_array *x = gnd_indices(mv_dev, GND_DTYPE_DEFAULT, 3, DIM(2, 2, 2));
    gnd_read(x, got, sizeof got);
    for (int i = 0; i < 24; i++)
        bad += got[i] != (i % 8 >> (2 - i / 8) & 1);
    tap_is_int(bad, 0, "indices");
    gnd_release(x);
    x = gnd_tri(mv_dev, GND_INT64, 3, 4, 1);
    gnd_read(x, got, 12 * sizeof *got);
    for (int i = 0; i < 12; i++)
        bad += got[i] != (i % 4 - i / 4 <= 1);
    tap_is_int(bad, 0, "tri");
    gnd_release(x);
}

/* --- logarithmic scales ----------------------------------------------------------------------- */

static void scaled(gnd_array *x, int64_t num, int endpoint, long double first, long double factor,
                   const char *name)
{
    float got[64];
    double worst = 0;
    gnd_array *y = gnd_astype(x, GND_FLOAT32);
    gnd_status st = gnd_read(y, got, sizeof *got * (size_t)num);
    for (int64_t i = 0; i < num && st == GND_OK; i++) {
        long double want =
            first * powl(factor, (long double)i / (long double)(endpoint ? num - 1 : num));
        double off = (double)(fabsl((long double)got[i] - want) / fabsl(want));
        worst = off > worst ? off : worst;
    }
    tap_ok(st == GND_OK && worst < 2e-6, "%s: off by %g", name, worst);
    gnd_release(x);
    gnd_release(y);
}

static void test_scales(void)
{
    gnd_array *s[] = {gnd_real(-1),  gnd_real(2),    gnd_real(10), gnd_int(1),
                      gnd_int(1000), gnd_real(-0.5), gnd_real(-8), gnd_int(2)};
    scaled(gnd_logspace(mv_dev, s[0], s[1], 13, 1, s[2], GND_DTYPE_DEFAULT), 13, 1, 0.1L, 1000,
           "logspace");
    scaled(gnd_logspace(mv_dev, s[3], s[1], 6, 0, s[7], GND_FLOAT32), 6, 0, 2, 2,
           "logspace, base 2");
    scaled(gnd_geomspace(mv_dev, s[3], s[4], 4, 1, GND_DTYPE_DEFAULT), 4, 1, 1, 1000, "geomspace");
    scaled(gnd_geomspace(mv_dev, s[5], s[6], 9, 0, GND_FLOAT32), 9, 0, -0.5L, 16,
           "geomspace below 0");
    gnd_array *g = gnd_geomspace(mv_dev, s[3], s[4], 4, 1, GND_INT32);
    int32_t v[4] = {0};
    gnd_read(g, v, sizeof v);
    tap_ok(v[0] == 1 && v[3] == 1000, "geomspace: the ends are exact");
    gnd_release(g);
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++)
        gnd_release(s[i]);
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {
        test_insert,    test_delete,  test_many_places, test_resize,
        test_diagonals, test_indices, test_scales,
    };
    mv_run(d, spec, (int)(sizeof test / sizeof test[0]), test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
