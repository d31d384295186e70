/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_manip.c - the functions of gnd/manip.h against the host's elements: for every element of a
 * result a plain rule says where it comes from. Random shapes, layouts and dtypes; padding is in
 * ops_pad.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static gnd_device *dev;

/* --- the comparison ----------------------------------------------------------------------------- */

static ref_arr h[8];     /* the host's view of the arrays of a case */
static int64_t par[64];  /* what the rule of a case needs to know */

/* Where element `at` of a result comes from; NULL: it is 0. */
typedef const void *rule(const int64_t *at);

/* y has dtype t and that shape, and its elements by the rule. Releases y. */
static void follows(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, rule *from,
                    const char *name)
{
    static const unsigned char zero[16];
    char why[300];
    ref_arr got;
    int64_t bad = -1;
    int ok = ref_read(y, t, ndim, dim, &got, why, sizeof why);
    for (int64_t i = 0; ok && bad < 0 && i < ref_size(&got); i++) {
        int64_t at[GND_MAX_NDIM];
        ref_unravel(ndim, dim, i, at);
        const void *want = from(at);
        if (memcmp(ref_at(&got, at), want ? want : zero, gnd_dtype_size(t)) != 0)
            bad = i;
    }
    if (!tap_ok(ok && bad < 0, "%s, %s", name, gnd_dtype_name(t)))
        tap_diag("%s: element %" PRId64, ok ? "another value" : why, bad);
    if (ok)
        ref_free(&got);
    gnd_release(y);
}

/* An array of that shape and of the next of all dtypes, h[k]. */
static gnd_array *make_as(int k, gnd_dtype t, int ndim, const int64_t *dim)
{
    return ref_make(dev, t, ndim, dim, (ref_layout)(ref_rnd() % REF_NLAYOUTS), REF_REAL, &h[k]);
}

static gnd_dtype next_dtype(void)
{
    static int turn;
    gnd_dtype t;
    do
        t = (gnd_dtype)(turn++ % GND_NDTYPES);
    while (ref_lacks(dev, t));
    return t;
}

static void done(int n, gnd_array **x)
{
    for (int i = 0; i < n; i++) {
        gnd_release(x[i]);
        ref_free(&h[i]);
    }
}

static void random_shape(int ndim, int64_t low, int64_t high, int64_t *dim)
{
    for (int d = 0; d < ndim; d++)
        dim[d] = ref_range(low, high);
}

/* --- views --------------------------------------------------------------------------------------- */

static const void *turned(const int64_t *at)
{
    int64_t i[4], a = par[0], b = par[1];
    memcpy(i, at, sizeof i);
    for (int64_t k = 0; k < par[2]; k++) { /* back, once each: (i, j) was (j, last - i) */
        int64_t last = k % 2 == par[2] % 2 ? h[0].dim[a] - 1 : h[0].dim[b] - 1;
        int64_t old = i[a];
        i[a] = i[b];
        i[b] = last - old;
    }
    return ref_at(&h[0], i);
}

static void test_turned(void)
{
    for (int k = -2; k <= 3; k++) {
        int64_t dim[4], out[4];
        int ndim = (int)ref_range(2, 4), a = (int)ref_range(0, ndim - 1), b = (a + 1) % ndim;
        random_shape(ndim, 1, 6, dim);
        gnd_array *x = make_as(0, next_dtype(), ndim, dim);
        memcpy(out, dim, sizeof out);
        if (k & 1)
            out[a] = dim[b], out[b] = dim[a];
        par[0] = a, par[1] = b, par[2] = ((k % 4) + 4) % 4;
        follows(gnd_rot90(x, k, a - ndim, b), h[0].t, ndim, out, turned, "rot90");
        done(1, &x);
    }
}

static const void *mirrored(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    i[par[0]] = h[0].dim[par[0]] - 1 - i[par[0]];
    return ref_at(&h[0], i);
}

/* The element with the same number in C order; par[0] is how many dimensions `at` has, then they. */
static const void *same_number(const int64_t *at)
{
    int64_t n = 0, i[GND_MAX_NDIM];
    for (int d = 0; d < par[0]; d++)
        n = n * par[1 + d] + at[d];
    ref_unravel(h[0].ndim, h[0].dim, n, i);
    return ref_at(&h[0], i);
}

static void test_shapes(void)
{
    static const struct { int ndim; int64_t to[3][4]; } cases[] = {
        {0, {{1, 1}, {2, 1, 1}, {3, 1, 1, 1}}},
        {1, {{1, 5}, {2, 1, 5}, {3, 1, 5, 1}}},
        {2, {{2, 5, 3}, {2, 5, 3}, {3, 5, 3, 1}}},
        {3, {{3, 5, 3, 2}, {3, 5, 3, 2}, {3, 5, 3, 2}}},
    };
    gnd_array *(*const f[])(gnd_array *) = {gnd_atleast_1d, gnd_atleast_2d, gnd_atleast_3d};
    for (int i = 0; i < 4; i++) {
        gnd_array *x = make_as(0, GND_INT16, cases[i].ndim, (int64_t[]){5, 3, 2});
        for (int k = 0; k < 3; k++) {
            memcpy(par, cases[i].to[k], sizeof cases[i].to[k]);
            follows(f[k](x), GND_INT16, (int)par[0], par + 1, same_number, "atleast");
        }
        par[0] = 1, par[1] = ref_size(&h[0]);
        follows(gnd_ravel(x), GND_INT16, 1, par + 1, same_number, "ravel");
        done(1, &x);
    }
    gnd_array *x = make_as(0, next_dtype(), 3, (int64_t[]){4, 3, 2});
    par[0] = 0;
    follows(gnd_flipud(x), h[0].t, 3, h[0].dim, mirrored, "flipud");
    par[0] = 1;
    follows(gnd_fliplr(x), h[0].t, 3, h[0].dim, mirrored, "fliplr");
    done(1, &x);
}

static const void *windowed(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    for (int k = 0; k < par[0]; k++)
        i[par[1 + k]] += at[h[0].ndim + k];
    return ref_at(&h[0], i);
}

static void test_windows(void)
{
    for (int c = 0; c < 6; c++) {
        int64_t dim[4], out[8], w[4];
        int ndim = (int)ref_range(1, 3), axis[4], n = c == 0 ? ndim : (int)ref_range(1, 3);
        random_shape(ndim, 5, 9, dim);
        gnd_array *x = make_as(0, next_dtype(), ndim, dim);
        memcpy(out, dim, sizeof dim);
        par[0] = n;
        for (int k = 0; k < n; k++) {
            axis[k] = c ? (int)ref_range(0, ndim - 1) : k; /* one may come twice */
            par[1 + k] = axis[k];
            w[k] = out[ndim + k] = ref_range(1, out[axis[k]] < 3 ? out[axis[k]] : 3);
            out[axis[k]] -= w[k] - 1;
        }
        follows(gnd_sliding_window_view(x, n, w, c ? axis : NULL), h[0].t, ndim + n, out, windowed,
                "windows");
        done(1, &x);
    }
    /* Fused: the mean of windows is one kernel that reads each element from x. */
    int64_t n = 1000, w = 7;
    gnd_array *x = make_as(0, GND_INT32, 1, &n);
    gnd_array *v = gnd_sliding_window_view(x, 1, &w, NULL), *y = gnd_sum_as(v, GND_AXIS(1), 0, GND_INT32);
    gnd_wait(x);
    char *plan = gnd_explain(1, &y, 0, NULL);
    tap_has_str(plan, "1 kernels, 0 calls", "sums of windows are one kernel");
    free(plan);
    int32_t got[1000], bad = 0;
    gnd_read(y, got, sizeof *got * (size_t)(n - w + 1));
    for (int i = 0; i < n - w + 1; i++) {
        uint32_t s = 0;
        for (int k = 0; k < w; k++)
            s += (uint32_t)ref_nth(&h[0], i + k).i;
        bad += got[i] != (int32_t)s;
    }
    tap_is_int(bad, 0, "sums of windows");
    gnd_release(v);
    gnd_release(y);
    done(1, &x);
}

static void test_broadcast_shapes(void)
{
    const int ndim[] = {3, 1, 0, 2};
    const int64_t a[] = {4, 1, 5}, b[] = {5}, c[] = {3, 1}, *const shape[] = {a, b, NULL, c};
    int64_t out[GND_MAX_NDIM];
    int n = -1;
    tap_is_int(gnd_broadcast_shapes(4, ndim, shape, &n, out), GND_OK, "broadcast_shapes");
    tap_ok(n == 3 && out[0] == 4 && out[1] == 3 && out[2] == 5, "broadcast_shapes: (4, 3, 5)");
    tap_is_int(gnd_broadcast_shapes(0, NULL, NULL, &n, out), GND_OK, "broadcast_shapes of none");
    tap_is_int(n, 0, "broadcast_shapes of none: ()");
}

/* --- splits -------------------------------------------------------------------------------------- */

static const void *shifted(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    i[par[0]] += par[1];
    return ref_at(&h[0], i);
}

/* The parts begin at cut[i] and are len[i] long. */
static void parts(gnd_array **out, int n, int axis, const int64_t *cut, const int64_t *len,
                  const char *name)
{
    for (int i = 0; i < n; i++) {
        int64_t dim[4];
        memcpy(dim, h[0].dim, sizeof dim);
        dim[axis] = len[i];
        par[0] = axis, par[1] = cut[i];
        follows(out[i], h[0].t, h[0].ndim, dim, shifted, name);
    }
}

static void test_splits(void)
{
    gnd_array *x = make_as(0, next_dtype(), 3, (int64_t[]){6, 4, 2}), *out[8];
    tap_is_int(gnd_split(x, 3, 0, out), GND_OK, "split");
    parts(out, 3, 0, (int64_t[]){0, 2, 4}, (int64_t[]){2, 2, 2}, "split");
    tap_is_int(gnd_array_split(x, 4, 0, out), GND_OK, "array_split");
    parts(out, 4, 0, (int64_t[]){0, 2, 4, 5}, (int64_t[]){2, 2, 1, 1}, "array_split");
    tap_is_int(gnd_array_split(x, 5, -2, out), GND_OK, "array_split into too many");
    parts(out, 5, 1, (int64_t[]){0, 1, 2, 3, 0}, (int64_t[]){1, 1, 1, 1, 0}, "array_split");
    tap_is_int(gnd_split_at(x, 4, (int64_t[]){1, -2, 3, 99}, 0, out), GND_OK, "split_at");
    parts(out, 5, 0, (int64_t[]){0, 1, 0, 3, 0}, (int64_t[]){1, 3, 0, 3, 0}, "split_at");
    tap_is_int(gnd_hsplit(x, 2, out), GND_OK, "hsplit");
    parts(out, 2, 1, (int64_t[]){0, 2}, (int64_t[]){2, 2}, "hsplit");
    tap_is_int(gnd_vsplit(x, 2, out), GND_OK, "vsplit");
    parts(out, 2, 0, (int64_t[]){0, 3}, (int64_t[]){3, 3}, "vsplit");
    tap_is_int(gnd_dsplit(x, 2, out), GND_OK, "dsplit");
    parts(out, 2, 2, (int64_t[]){0, 1}, (int64_t[]){1, 1}, "dsplit");
    done(1, &x);
}

/* More pieces of one join than 16 bits count. */
static void test_many_parts(void)
{
    enum { N = 33000 };
    static gnd_array *part[N];
    gnd_array *x = gnd_arange_i64(dev, 0, N, 1, GND_INT32);
    gnd_status st = gnd_split(x, N, 0, part);
    gnd_array *y = gnd_concat(N, part, 0), *same = gnd_all(gnd_equal(x, y), GND_ALL, 0);
    tap_ok(st == GND_OK && gnd_item_i64(same, NULL) == 1, "33000 parts, joined again");
}

/* --- joins --------------------------------------------------------------------------------------- */

/* par: an axis of the result, where the second array begins along it, and for each array which axes of
 * the result its own ones are. */
static const void *joined(const int64_t *at)
{
    int k = at[par[0]] >= par[1];
    int64_t i[4] = {0};
    for (int d = 0; d < h[k].ndim; d++) {
        int64_t axis = par[2 + 4 * k + d];
        i[d] = at[axis] - (k && axis == par[0] ? par[1] : 0);
    }
    return ref_at(&h[k], i);
}

static void two(gnd_array *(*f)(int, gnd_array *const *), int na, const int64_t *a, int nb,
                const int64_t *b, int ndim, const int64_t *dim, const int64_t *how, const char *name)
{
    gnd_dtype t = next_dtype();
    gnd_array *x[2] = {make_as(0, t, na, a), make_as(1, t, nb, b)};
    memcpy(par, how, 10 * sizeof *how);
    follows(f(2, x), t, ndim, dim, joined, name);
    done(2, x);
}

#define DIM(...) (const int64_t[]){__VA_ARGS__}
static gnd_array *append0(int n, gnd_array *const *x) { return n == 2 ? gnd_append(x[0], x[1], 0) : NULL; }
static gnd_array *flat2(int n, gnd_array *const *x) { return n == 2 ? gnd_append_flat(x[0], x[1]) : NULL; }

static void test_stacks(void)
{
    two(gnd_vstack, 1, DIM(3), 2, DIM(2, 3), 2, DIM(3, 3), DIM(0, 1, 1, 0, 0, 0, 0, 1, 0, 0), "vstack");
    two(gnd_vstack, 3, DIM(1, 3, 2), 3, DIM(2, 3, 2), 3, DIM(3, 3, 2),
        DIM(0, 1, 0, 1, 2, 0, 0, 1, 2, 0), "vstack");
    two(gnd_hstack, 1, DIM(3), 1, DIM(4), 1, DIM(7), DIM(0, 3, 0, 0, 0, 0, 0, 0, 0, 0), "hstack");
    two(gnd_hstack, 0, NULL, 0, NULL, 1, DIM(2), DIM(0, 1, 0, 0, 0, 0, 0, 0, 0, 0), "hstack of 0-d");
    two(gnd_hstack, 2, DIM(3, 2), 2, DIM(3, 4), 2, DIM(3, 6), DIM(1, 2, 0, 1, 0, 0, 0, 1, 0, 0), "hstack");
    two(gnd_dstack, 1, DIM(3), 2, DIM(1, 3), 3, DIM(1, 3, 2), DIM(2, 1, 1, 0, 0, 0, 0, 1, 0, 0), "dstack");
    two(gnd_dstack, 2, DIM(4, 3), 3, DIM(4, 3, 2), 3, DIM(4, 3, 3), DIM(2, 1, 0, 1, 0, 0, 0, 1, 2, 0),
        "dstack");
    two(gnd_column_stack, 1, DIM(5), 2, DIM(5, 2), 2, DIM(5, 3), DIM(1, 1, 0, 0, 0, 0, 0, 1, 0, 0),
        "column_stack");
    two(append0, 2, DIM(2, 3), 2, DIM(4, 3), 2, DIM(6, 3), DIM(0, 2, 0, 1, 0, 0, 0, 1, 0, 0), "append");
    two(flat2, 1, DIM(5), 1, DIM(4), 1, DIM(9), DIM(0, 5, 0, 0, 0, 0, 0, 0, 0, 0), "append_flat");
    /* dtypes promote, and numbers take part */
    gnd_array *x = gnd_arange_i64(dev, 0, 3, 1, GND_INT16), *one = gnd_real(7.5);
    gnd_array *y = gnd_append_flat(x, one), *z = gnd_astype(y, GND_INT32);
    int32_t v[4];
    gnd_read(z, v, sizeof v);
    tap_ok(gnd_dtype_kind(gnd_dtype_of(y)) == 'f' && v[0] == 0 && v[2] == 2 && v[3] == 7,
           "append_flat: a number, and the dtype of both");
    gnd_release(x), gnd_release(y), gnd_release(z), gnd_release(one);
}

/* A grid of blocks: par[0] rows of blocks, of heights par[1..]; row r has par[8 + r] blocks. The
 * blocks are h[0], h[1], ... */
static const void *in_block(const int64_t *at)
{
    int64_t i = at[0], j = at[1], r = 0, k = 0;
    for (; i >= par[1 + r]; r++) {
        i -= par[1 + r];
        k += par[8 + r];
    }
    for (; j >= h[k].dim[1]; k++)
        j -= h[k].dim[1];
    return ref_at(&h[k], DIM(i, j));
}

static const void *in_line(const int64_t *at) /* three blocks along axis par[0] of three */
{
    int64_t i[3], k = 0;
    memcpy(i, at, sizeof i);
    for (; i[par[0]] >= h[k].dim[par[0]]; k++)
        i[par[0]] -= h[k].dim[par[0]];
    return ref_at(&h[k], i);
}

static void test_blocks(void)
{
    static const int64_t a[][2] = {{2, 3}, {2, 4}, {1, 1}, {1, 0}, {1, 6}, {3, 7}};
    gnd_dtype t = next_dtype();
    gnd_array *x[8];
    for (int i = 0; i < 6; i++)
        x[i] = make_as(i, t, 2, a[i]);
    memcpy(par, DIM(3, 2, 1, 3, 0, 0, 0, 0, 2, 3, 1), 11 * sizeof *par);
    follows(gnd_block(2, (int[]){3, 2, 3, 1}, x), t, 2, DIM(6, 7), in_block, "block: a grid");
    done(6, x);
    for (int axis = 0; axis < 3; axis++) { /* one level of nesting after the other has three */
        static const int counts[3][7] = {{3, 1, 1, 1, 1, 1, 1}, {1, 3, 1, 1, 1}, {1, 1, 3}};
        t = next_dtype();
        int64_t dim[3] = {2, 3, 2}, all[3] = {2, 3, 2};
        all[axis] = 0;
        for (int i = 0; i < 3; i++) {
            dim[axis] = i + 1;
            all[axis] += i + 1;
            x[i] = make_as(i, t, 3, dim);
        }
        par[0] = axis;
        follows(gnd_block(3, counts[axis], x), t, 3, all, in_line, "block: three deep");
        done(3, x);
    }
    x[0] = make_as(0, GND_INT8, 1, DIM(3));
    gnd_array *y = gnd_block(0, NULL, x);
    par[0] = 1, par[1] = 3;
    follows(y, GND_INT8, 1, DIM(3), same_number, "block: no list");
    done(1, x);
}

/* --- insert, delete, resize ---------------------------------------------------------------------- */

/* Element p along axis par[0] of the result is number par[2 + 2 p] of h[par[1 + 2 p]]. */
static const void *listed(const int64_t *at)
{
    int64_t i[4] = {0}, p = at[par[0]];
    const ref_arr *a = &h[par[1 + 2 * p]];
    for (int d = 0; d < a->ndim; d++)
        i[d] = d == par[0] ? par[2 + 2 * p] : at[d];
    for (int d = 0; d < a->ndim; d++)
        i[d] = a->dim[d] == 1 ? 0 : i[d];
    return ref_at(a, i);
}

/* The result of inserting at n places, by putting one after the other into a list. */
static int64_t plan_insert(int axis, int64_t extent, int64_t n, const int64_t *at)
{
    int64_t m = 0;
    par[0] = axis;
    for (int64_t p = 0; p <= extent; p++) {
        for (int64_t i = 0; i < n; i++)
            if ((at[i] < 0 ? at[i] + extent : at[i]) == p)
                par[1 + 2 * m] = 1, par[2 + 2 * m++] = i;
        if (p < extent)
            par[1 + 2 * m] = 0, par[2 + 2 * m++] = p;
    }
    return m;
}

static void test_insert(void)
{
    for (int c = 0; c < 9; c++) {
        int64_t dim[3], vdim[3], at[8], n = c < 2 ? c : ref_range(2, 8);
        int ndim = (int)ref_range(1, 3), axis = (int)ref_range(0, ndim - 1);
        random_shape(ndim, 2, 6, dim);
        dim[axis] = c == 8 ? 0 : dim[axis];
        memcpy(vdim, dim, sizeof vdim);
        vdim[axis] = c % 3 == 2 ? 1 : n; /* one for all */
        if (ndim > 1 && c % 2)
            vdim[(axis + 1) % ndim] = 1;
        for (int64_t i = 0; i < n; i++)
            at[i] = c == 8 ? 0 : ref_range(-dim[axis], dim[axis]);
        gnd_dtype t = next_dtype();
        gnd_array *x[2] = {make_as(0, t, ndim, dim), make_as(1, t, ndim, vdim)};
        dim[axis] = plan_insert(axis, dim[axis], n, at);
        follows(gnd_insert_each(x[0], n, at, x[1], axis), t, ndim, dim, listed, "insert_each");
        done(2, x);
    }
    /* One place: a slice of x, or several of them along the first axis of the values. */
    gnd_dtype t = next_dtype();
    gnd_array *x[2] = {make_as(0, t, 2, DIM(3, 4)), make_as(1, t, 2, DIM(4, 2))};
    gnd_array *turned_values = gnd_T(x[1]);
    plan_insert(0, 3, 0, NULL);
    h[1] = (ref_arr){.t = t, .ndim = 2, .dim = {2, 4}, .stride = {h[1].stride[1], h[1].stride[0]},
                     .p = h[1].p, .own = h[1].own};
    memcpy(par, DIM(0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 2), 11 * sizeof *par);
    follows(gnd_insert(x[0], -2, turned_values, 0), t, 2, DIM(5, 4), listed, "insert of two rows");
    gnd_release(turned_values);
    done(2, x);
    x[0] = make_as(0, GND_INT64, 2, DIM(3, 4));
    x[1] = make_as(1, GND_INT64, 1, DIM(3));
    gnd_array *y = gnd_insert(x[0], 4, x[1], 1), *col = gnd_at(y, ":, 4");
    par[0] = 1, par[1] = 3;
    memcpy(&h[2], &h[0], sizeof h[0]);
    memcpy(&h[0], &h[1], sizeof h[0]);
    follows(col, GND_INT64, 1, DIM(3), same_number, "insert of a column at the end");
    memcpy(&h[0], &h[2], sizeof h[0]);
    gnd_release(y);
    done(2, x);
}

static void test_delete(void)
{
    for (int c = 0; c < 9; c++) {
        int64_t dim[3], at[8], n = c ? ref_range(2, 8) : 1, m = 0;
        int ndim = (int)ref_range(1, 3), axis = (int)ref_range(0, ndim - 1), gone[12] = {0};
        gnd_range r = {GND_IDX_SLICE, GND_NONE, GND_NONE, ref_range(1, 3) * (c == 7 ? -1 : 1)};
        random_shape(ndim, 5, 9, dim);
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
        par[0] = axis;
        for (int64_t p = 0; p < dim[axis]; p++)
            if (!gone[p])
                par[1 + 2 * m] = 0, par[2 + 2 * m++] = p;
        gnd_dtype t = next_dtype();
        gnd_array *x = make_as(0, t, ndim, dim);
        gnd_array *y = c > 5   ? gnd_delete_range(x, r, axis)
                       : c > 0 ? gnd_delete_each(x, n, at, axis) : gnd_delete(x, at[0], axis);
        dim[axis] = m;
        follows(y, t, ndim, dim, listed, c > 5 ? "delete_range" : c ? "delete_each" : "delete");
        done(1, &x);
    }
}

/* Many places: the search has twelve levels and goes through several kernels. */
static void test_many_places(void)
{
    enum { N = 5000, M = 3000 };
    static int64_t at[M], want[N + M], got[N + M], order[N + M];
    static char gone[N];
    int64_t left = 0, n = N;
    for (int i = 0; i < M; i++) {
        at[i] = ref_range(0, N - 1);
        gone[at[i]] = 1;
    }
    for (int i = 0; i < N; i++)
        if (!gone[i])
            want[left++] = i;
    gnd_array *x = gnd_arange_i64(dev, 0, n, 1, GND_INT64), *y = gnd_delete_each(x, M, at, 0);
    gnd_status st = gnd_read(y, got, sizeof *got * (size_t)left);
    tap_ok(st == GND_OK && !memcmp(got, want, sizeof *got * (size_t)left), "delete_each: 3000 places");
    gnd_release(y);
    int64_t m = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < M; k++)
            if (at[k] == i)
                order[m++] = -1 - k;
        order[m++] = i;
    }
    gnd_array *v = gnd_arange_i64(dev, -1, -1 - M, -1, GND_INT64);
    y = gnd_insert_each(x, M, at, v, 0);
    st = gnd_read(y, got, sizeof got);
    tap_ok(st == GND_OK && !memcmp(got, order, sizeof got), "insert_each: 3000 places");
    gnd_release(x), gnd_release(y), gnd_release(v);
}

static const void *cycled(const int64_t *at)
{
    int64_t n = 0, i[4];
    for (int d = 0; d < par[0]; d++)
        n = n * par[1 + d] + at[d];
    if (ref_size(&h[0]) == 0)
        return NULL;
    ref_unravel(h[0].ndim, h[0].dim, n % ref_size(&h[0]), i);
    return ref_at(&h[0], i);
}

static void test_resize(void)
{
    static const int64_t to[][3] = {{1, 5}, {2, 2, 3}, {2, 5, 7}, {1, 0}, {0}};
    for (int c = 0; c < 6; c++) {
        gnd_array *x = make_as(0, next_dtype(), 2, c == 5 ? DIM(0, 3) : DIM(2, 3));
        memcpy(par, to[c % 5], sizeof to[0]);
        follows(gnd_resize(x, (int)par[0], par + 1), h[0].t, (int)par[0], par + 1, cycled, "resize");
        done(1, &x);
    }
}

/* --- diagonals and indices ----------------------------------------------------------------------- */

static const void *on_diagonal(const int64_t *at)
{
    int64_t i = at[0] + (par[0] < 0 ? par[0] : 0), idx[2];
    if (at[1] - at[0] != par[0])
        return NULL;
    ref_unravel(h[0].ndim, h[0].dim, i, idx);
    return ref_at(&h[0], idx);
}

static void test_diagonals(void)
{
    for (int k = -2; k <= 3; k++) {
        int64_t n = ref_range(1, 5), side = n + (k < 0 ? -k : k);
        gnd_array *x = make_as(0, next_dtype(), 1, &n);
        par[0] = k;
        follows(gnd_diag(x, k), h[0].t, 2, DIM(side, side), on_diagonal, "diag");
        done(1, &x);
    }
    gnd_array *x = make_as(0, next_dtype(), 2, DIM(2, 3));
    par[0] = -1;
    follows(gnd_diagflat(x, -1), h[0].t, 2, DIM(7, 7), on_diagonal, "diagflat");
    gnd_array *y = gnd_diag(x, 1), *z = gnd_diagonal(x, 1, 0, 1), *same = gnd_all(gnd_equal(y, z), GND_ALL, 0);
    tap_is_int(gnd_size(y), 2, "diag of a matrix");
    tap_is_int(gnd_item_i64(same, NULL), 1, "diag of a matrix: its elements");
    gnd_release(y), gnd_release(z), gnd_release(same);
    done(1, &x);
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
        gnd_status st = up ? gnd_triu_indices(dev, n, k, m, out) : gnd_tril_indices(dev, n, k, m, out);
        for (int d = 0; d < 2 && st == GND_OK; d++)
            st = gnd_read(out[d], got + d * count, sizeof *got * (size_t)count);
        for (int64_t i = 0; i < n && st == GND_OK; i++)
            for (int64_t j = 0; j < cols; j++)
                if (up ? j - i >= k : j - i <= k) {
                    if (bad < 0 && (got[at] != i || got[count + at] != j))
                        bad = at;
                    at++;
                }
        tap_ok(st == GND_OK && bad < 0, "%s_indices(%d, %d, %d)", up ? "triu" : "tril", (int)n, (int)k,
               (int)m);
        free(got);
        gnd_release(out[0]);
        gnd_release(out[1]);
    }
}

static void test_indices(void)
{
    static const int c[][3] = {{4, 0, -1}, {5, 1, 3}, {3, -1, 6}, {6, -2, 6}, {1, 0, 1}, {4, 9, 5},
                               {4, -9, 5}, {0, 0, 3}, {3, 1, 0}, {700, 3, 650}, {1500, -7, -1}};
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        triangles(c[i][0], c[i][1], c[i][2]);
    int64_t got[24], bad = 0;
    gnd_array *x = gnd_indices(dev, GND_DTYPE_DEFAULT, 3, DIM(2, 2, 2));
    gnd_read(x, got, sizeof got);
    for (int i = 0; i < 24; i++)
        bad += got[i] != (i % 8 >> (2 - i / 8) & 1);
    tap_is_int(bad, 0, "indices");
    gnd_release(x);
    x = gnd_tri(dev, GND_INT64, 3, 4, 1);
    gnd_read(x, got, 12 * sizeof *got);
    for (int i = 0; i < 12; i++)
        bad += got[i] != (i % 4 - i / 4 <= 1);
    tap_is_int(bad, 0, "tri");
    gnd_release(x);
}

/* --- logarithmic scales -------------------------------------------------------------------------- */

static void scaled(gnd_array *x, int64_t num, int endpoint, long double first, long double factor,
                   const char *name)
{
    float got[64];
    double worst = 0;
    gnd_array *y = gnd_astype(x, GND_FLOAT32);
    gnd_status st = gnd_read(y, got, sizeof *got * (size_t)num);
    for (int64_t i = 0; i < num && st == GND_OK; i++) {
        long double want = first * powl(factor, (long double)i / (long double)(endpoint ? num - 1 : num));
        double off = (double)(fabsl((long double)got[i] - want) / fabsl(want));
        worst = off > worst ? off : worst;
    }
    tap_ok(st == GND_OK && worst < 2e-6, "%s: off by %g", name, worst);
    gnd_release(x);
    gnd_release(y);
}

static void test_scales(void)
{
    gnd_array *s[] = {gnd_real(-1), gnd_real(2), gnd_real(10), gnd_int(1), gnd_int(1000), gnd_real(-0.5),
                      gnd_real(-8), gnd_int(2)};
    scaled(gnd_logspace(dev, s[0], s[1], 13, 1, s[2], GND_DTYPE_DEFAULT), 13, 1, 0.1L, 1000, "logspace");
    scaled(gnd_logspace(dev, s[3], s[1], 6, 0, s[7], GND_FLOAT32), 6, 0, 2, 2, "logspace, base 2");
    scaled(gnd_geomspace(dev, s[3], s[4], 4, 1, GND_DTYPE_DEFAULT), 4, 1, 1, 1000, "geomspace");
    scaled(gnd_geomspace(dev, s[5], s[6], 9, 0, GND_FLOAT32), 9, 0, -0.5L, 16, "geomspace below 0");
    gnd_array *g = gnd_geomspace(dev, s[3], s[4], 4, 1, GND_INT32);
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
        test_turned, test_shapes, test_windows, test_broadcast_shapes, test_splits, test_many_parts,
        test_stacks, test_blocks, test_insert, test_delete, test_many_places, test_resize,
        test_diagonals, test_indices, test_scales,
    };
    dev = d;
    tap_diag("%s", spec);
    ref_seed(7);
    for (size_t i = 0; i < sizeof test / sizeof test[0]; i++) {
        gnd_scope_begin();
        test[i]();
        gnd_scope_end();
    }
    gnd_stats st;
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "no array is left");
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
