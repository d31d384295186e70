/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_manip.c - views, splits and joins of gnd/manip.h against the host's elements (moved.h).
 * Random shapes, layouts and dtypes; padding is in ops_pad.c, insertions and the like in
 * ops_edit.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moved.h"
#include "tap.h"

/* --- views ------------------------------------------------------------------------------------ */

static const void *turned(const int64_t *at)
{
    int64_t i[4], a = mv_par[0], b = mv_par[1];
    memcpy(i, at, sizeof i);
    for (int64_t k = 0; k < mv_par[2]; k++) { /* back, once each: (i, j) was (j, last - i) */
        int64_t last = k % 2 == mv_par[2] % 2 ? mv_h[0].dim[a] - 1 : mv_h[0].dim[b] - 1;
        int64_t old = i[a];
        i[a] = i[b];
        i[b] = last - old;
    }
    return ref_at(&mv_h[0], i);
}

static void test_turned(void)
{
    for (int k = -2; k <= 3; k++) {
        int64_t dim[4], out[4];
        int ndim = (int)ref_range(2, 4), a = (int)ref_range(0, ndim - 1), b = (a + 1) % ndim;
        mv_shape(ndim, 1, 6, dim);
        gnd_array *x = mv_make(0, mv_dtype(), ndim, dim);
        memcpy(out, dim, sizeof out);
        if (k & 1)
            out[a] = dim[b], out[b] = dim[a];
        mv_par[0] = a, mv_par[1] = b, mv_par[2] = ((k % 4) + 4) % 4;
        mv_follows(gnd_rot90(x, k, a - ndim, b), mv_h[0].t, ndim, out, turned, "rot90");
        mv_done(1, &x);
    }
}

static const void *mirrored(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    i[mv_par[0]] = mv_h[0].dim[mv_par[0]] - 1 - i[mv_par[0]];
    return ref_at(&mv_h[0], i);
}

static void test_shapes(void)
{
    static const struct {
        int ndim;
        int64_t to[3][4];
    } cases[] = {
        {0, {{1, 1}, {2, 1, 1}, {3, 1, 1, 1}}},
        {1, {{1, 5}, {2, 1, 5}, {3, 1, 5, 1}}},
        {2, {{2, 5, 3}, {2, 5, 3}, {3, 5, 3, 1}}},
        {3, {{3, 5, 3, 2}, {3, 5, 3, 2}, {3, 5, 3, 2}}},
    };
    gnd_array *(*const f[])(gnd_array *) = {gnd_atleast_1d, gnd_atleast_2d, gnd_atleast_3d};
    for (int i = 0; i < 4; i++) {
        gnd_array *x = mv_make(0, GND_INT16, cases[i].ndim, (int64_t[]){5, 3, 2});
        for (int k = 0; k < 3; k++) {
            memcpy(mv_par, cases[i].to[k], sizeof cases[i].to[k]);
            mv_follows(f[k](x), GND_INT16, (int)mv_par[0], mv_par + 1, mv_same, "atleast");
        }
        mv_par[0] = 1, mv_par[1] = ref_size(&mv_h[0]);
        mv_follows(gnd_ravel(x), GND_INT16, 1, mv_par + 1, mv_same, "ravel");
        mv_done(1, &x);
    }
    gnd_array *x = mv_make(0, mv_dtype(), 3, (int64_t[]){4, 3, 2});
    mv_par[0] = 0;
    mv_follows(gnd_flipud(x), mv_h[0].t, 3, mv_h[0].dim, mirrored, "flipud");
    mv_par[0] = 1;
    mv_follows(gnd_fliplr(x), mv_h[0].t, 3, mv_h[0].dim, mirrored, "fliplr");
    mv_done(1, &x);
}

/* Words of 2 bytes that are other numbers: a NaN of half precision may become a quiet one. */
static int other_words(const uint16_t *a, const uint16_t *b, size_t n, gnd_dtype t)
{
    const int inf = t == GND_FLOAT16 ? 0x7c00 : t == GND_BFLOAT16 ? 0x7f80 : 0xffff;
    int bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += a[i] != b[i] && !((a[i] & 0x7fff) > inf && (b[i] & 0x7fff) > inf);
    return bad;
}

/* The bytes of an array as another dtype are the same bytes, in any layout. */
static void test_bits(void)
{
    for (int c = 0; c < 10; c++) {
        static uint16_t want[1024], got[1024];
        const gnd_dtype from = mv_dtype(), to = mv_dtype();
        const int64_t a = (int64_t)gnd_dtype_size(from), b = (int64_t)gnd_dtype_size(to);
        int64_t dim[4];
        int ndim = (int)ref_range(1, 3);
        if (to == GND_BOOL)
            continue;
        mv_shape(ndim, 1, 3, dim);
        dim[ndim - 1] = 16 * ref_range(1, 2);
        gnd_array *x = mv_make(0, from, ndim, dim), *y = gnd_view_dtype(x, to);
        const size_t bytes = gnd_nbytes(x);
        int bad = gnd_dtype_of(y) != to || gnd_ndim(y) != ndim || gnd_nbytes(y) != bytes ||
                  gnd_dim(y, ndim - 1) != dim[ndim - 1] * a / b || gnd_read(x, want, bytes) ||
                  gnd_read(y, got, bytes);
        if (!bad)
            bad = b == 2 ? other_words(want, got, bytes / 2, to) : memcmp(want, got, bytes) != 0;
        tap_is_int(bad, 0, "%s as %s", gnd_dtype_name(from), gnd_dtype_name(to));
        gnd_release(y);
        mv_done(1, &x);
    }
}

static const void *strided(const int64_t *at)
{
    int64_t i = mv_par[0];
    for (int k = 0; k < mv_par[1]; k++)
        i += at[k] * mv_par[2 + k];
    int64_t in[2];
    ref_unravel(2, mv_h[0].dim, i, in);
    return ref_at(&mv_h[0], in);
}

static void test_strided(void)
{
    for (int c = 0; c < 6; c++) {
        int64_t dim[4], out[4], least = 0, most = 0;
        const int n = (int)ref_range(0, 3);
        mv_shape(2, 5, 9, dim);
        gnd_array *x = mv_make(0, mv_dtype(), 2, dim);
        mv_par[1] = n;
        for (int k = 0; k < n; k++) {
            out[k] = ref_range(1, 4);
            mv_par[2 + k] = ref_range(-2, 2);
            *(mv_par[2 + k] < 0 ? &least : &most) += (out[k] - 1) * mv_par[2 + k];
        }
        mv_par[0] = ref_range(-least, dim[0] * dim[1] - 1 - most);
        mv_follows(gnd_as_strided(x, n, out, mv_par + 2, mv_par[0]), mv_h[0].t, n, out, strided,
                   "strided");
        mv_done(1, &x);
    }
}

static const void *windowed(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    for (int k = 0; k < mv_par[0]; k++)
        i[mv_par[1 + k]] += at[mv_h[0].ndim + k];
    return ref_at(&mv_h[0], i);
}

static void test_windows(void)
{
    for (int c = 0; c < 6; c++) {
        int64_t dim[4], out[8], w[4];
        int ndim = (int)ref_range(1, 3), axis[4], n = c == 0 ? ndim : (int)ref_range(1, 3);
        mv_shape(ndim, 5, 9, dim);
        gnd_array *x = mv_make(0, mv_dtype(), ndim, dim);
        memcpy(out, dim, sizeof dim);
        mv_par[0] = n;
        for (int k = 0; k < n; k++) {
            axis[k] = c ? (int)ref_range(0, ndim - 1) : k; /* one may come twice */
            mv_par[1 + k] = axis[k];
            w[k] = out[ndim + k] = ref_range(1, out[axis[k]] < 3 ? out[axis[k]] : 3);
            out[axis[k]] -= w[k] - 1;
        }
        mv_follows(gnd_sliding_window_view(x, n, w, c ? axis : NULL), mv_h[0].t, ndim + n, out,
                   windowed, "windows");
        mv_done(1, &x);
    }
    /* Fused: the mean of windows is one kernel that reads each element from x. */
    int64_t n = 1000, w = 7;
    gnd_array *x = mv_make(0, GND_INT32, 1, &n);
    gnd_array *v = gnd_sliding_window_view(x, 1, &w, NULL),
              *y = gnd_sum_as(v, GND_AXIS(1), 0, GND_INT32);
    gnd_wait(x);
    char *plan = gnd_explain(1, &y, 0, NULL);
    tap_has_str(plan, "1 kernels, 0 calls", "sums of windows are one kernel");
    free(plan);
    int32_t got[1000], bad = 0;
    gnd_read(y, got, sizeof *got * (size_t)(n - w + 1));
    for (int i = 0; i < n - w + 1; i++) {
        uint32_t s = 0;
        for (int k = 0; k < w; k++)
            s += (uint32_t)ref_nth(&mv_h[0], i + k).i;
        bad += got[i] != (int32_t)s;
    }
    tap_is_int(bad, 0, "sums of windows");
    gnd_release(v);
    gnd_release(y);
    mv_done(1, &x);
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

/* --- splits ----------------------------------------------------------------------------------- */

static const void *shifted(const int64_t *at)
{
    int64_t i[4];
    memcpy(i, at, sizeof i);
    i[mv_par[0]] += mv_par[1];
    return ref_at(&mv_h[0], i);
}

/* The parts begin at cut[i] and are len[i] long. */
static void parts(gnd_array **out, int n, int axis, const int64_t *cut, const int64_t *len,
                  const char *name)
{
    for (int i = 0; i < n; i++) {
        int64_t dim[4];
        memcpy(dim, mv_h[0].dim, sizeof dim);
        dim[axis] = len[i];
        mv_par[0] = axis, mv_par[1] = cut[i];
        mv_follows(out[i], mv_h[0].t, mv_h[0].ndim, dim, shifted, name);
    }
}

static void test_splits(void)
{
    gnd_array *x = mv_make(0, mv_dtype(), 3, (int64_t[]){6, 4, 2}), *out[8];
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
    mv_done(1, &x);
}

/* More pieces of one join than 16 bits count. */
static void test_many_parts(void)
{
    enum { N = 33000 };
    static gnd_array *part[N];
    gnd_array *x = gnd_arange_i64(mv_dev, 0, N, 1, GND_INT32);
    gnd_status st = gnd_split(x, N, 0, part);
    gnd_array *y = gnd_concat(N, part, 0), *same = gnd_all(gnd_equal(x, y), GND_ALL, 0);
    tap_ok(st == GND_OK && gnd_item_i64(same, NULL) == 1, "33000 parts, joined again");
}

/* --- joins ------------------------------------------------------------------------------------ */

/* mv_par: an axis of the result, where the second array begins along it, and for each array which
 * axes of the result its own ones are. */
static const void *joined(const int64_t *at)
{
    int k = at[mv_par[0]] >= mv_par[1];
    int64_t i[4] = {0};
    for (int d = 0; d < mv_h[k].ndim; d++) {
        int64_t axis = mv_par[2 + 4 * k + d];
        i[d] = at[axis] - (k && axis == mv_par[0] ? mv_par[1] : 0);
    }
    return ref_at(&mv_h[k], i);
}

static void two(gnd_array *(*f)(int, gnd_array *const *), int na, const int64_t *a, int nb,
                const int64_t *b, int ndim, const int64_t *dim, const int64_t *how,
                const char *name)
{
    gnd_dtype t = mv_dtype();
    gnd_array *x[2] = {mv_make(0, t, na, a), mv_make(1, t, nb, b)};
    memcpy(mv_par, how, 10 * sizeof *how);
    mv_follows(f(2, x), t, ndim, dim, joined, name);
    mv_done(2, x);
}

#define DIM(...)                                                                                   \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
static gnd_array *append0(int n, gnd_array *const *x)
{
    return n == 2 ? gnd_append(x[0], x[1], 0) : NULL;
}
static gnd_array *flat2(int n, gnd_array *const *x)
{
    return n == 2 ? gnd_append_flat(x[0], x[1]) : NULL;
}

static void test_stacks(void)
{
    two(gnd_vstack, 1, DIM(3), 2, DIM(2, 3), 2, DIM(3, 3), DIM(0, 1, 1, 0, 0, 0, 0, 1, 0, 0),
        "vstack");
    two(gnd_vstack, 3, DIM(1, 3, 2), 3, DIM(2, 3, 2), 3, DIM(3, 3, 2),
        DIM(0, 1, 0, 1, 2, 0, 0, 1, 2, 0), "vstack");
    two(gnd_hstack, 1, DIM(3), 1, DIM(4), 1, DIM(7), DIM(0, 3, 0, 0, 0, 0, 0, 0, 0, 0), "hstack");
    two(gnd_hstack, 0, NULL, 0, NULL, 1, DIM(2), DIM(0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        "hstack of 0-d");
    two(gnd_hstack, 2, DIM(3, 2), 2, DIM(3, 4), 2, DIM(3, 6), DIM(1, 2, 0, 1, 0, 0, 0, 1, 0, 0),
        "hstack");
    two(gnd_dstack, 1, DIM(3), 2, DIM(1, 3), 3, DIM(1, 3, 2), DIM(2, 1, 1, 0, 0, 0, 0, 1, 0, 0),
        "dstack");
    two(gnd_dstack, 2, DIM(4, 3), 3, DIM(4, 3, 2), 3, DIM(4, 3, 3),
        DIM(2, 1, 0, 1, 0, 0, 0, 1, 2, 0), "dstack");
    two(gnd_column_stack, 1, DIM(5), 2, DIM(5, 2), 2, DIM(5, 3), DIM(1, 1, 0, 0, 0, 0, 0, 1, 0, 0),
        "column_stack");
    two(append0, 2, DIM(2, 3), 2, DIM(4, 3), 2, DIM(6, 3), DIM(0, 2, 0, 1, 0, 0, 0, 1, 0, 0),
        "append");
    two(flat2, 1, DIM(5), 1, DIM(4), 1, DIM(9), DIM(0, 5, 0, 0, 0, 0, 0, 0, 0, 0), "append_flat");
    /* dtypes promote, and numbers take part */
    gnd_array *x = gnd_arange_i64(mv_dev, 0, 3, 1, GND_INT16), *one = gnd_real(7.5);
    gnd_array *y = gnd_append_flat(x, one), *z = gnd_astype(y, GND_INT32);
    int32_t v[4];
    gnd_read(z, v, sizeof v);
    tap_ok(gnd_dtype_kind(gnd_dtype_of(y)) == 'f' && v[0] == 0 && v[2] == 2 && v[3] == 7,
           "append_flat: a number, and the dtype of both");
    gnd_release(x), gnd_release(y), gnd_release(z), gnd_release(one);
}

/* A grid of blocks: mv_par[0] rows of blocks, of heights mv_par[1..]; row r has mv_par[8 + r]
 * blocks. The blocks are mv_h[0], mv_h[1], ... */
static const void *in_block(const int64_t *at)
{
    int64_t i = at[0], j = at[1], r = 0, k = 0;
    for (; i >= mv_par[1 + r]; r++) {
        i -= mv_par[1 + r];
        k += mv_par[8 + r];
    }
    for (; j >= mv_h[k].dim[1]; k++)
        j -= mv_h[k].dim[1];
    return ref_at(&mv_h[k], DIM(i, j));
}

static const void *in_line(const int64_t *at) /* three blocks along axis mv_par[0] of three */
{
    int64_t i[3], k = 0;
    memcpy(i, at, sizeof i);
    for (; i[mv_par[0]] >= mv_h[k].dim[mv_par[0]]; k++)
        i[mv_par[0]] -= mv_h[k].dim[mv_par[0]];
    return ref_at(&mv_h[k], i);
}

static void test_blocks(void)
{
    static const int64_t a[][2] = {{2, 3}, {2, 4}, {1, 1}, {1, 0}, {1, 6}, {3, 7}};
    gnd_dtype t = mv_dtype();
    gnd_array *x[8];
    for (int i = 0; i < 6; i++)
        x[i] = mv_make(i, t, 2, a[i]);
    memcpy(mv_par, DIM(3, 2, 1, 3, 0, 0, 0, 0, 2, 3, 1), 11 * sizeof *mv_par);
    mv_follows(gnd_block(2, (int[]){3, 2, 3, 1}, x), t, 2, DIM(6, 7), in_block, "block: a grid");
    mv_done(6, x);
    for (int axis = 0; axis < 3; axis++) { /* one level of nesting after the other has three */
        static const int counts[3][7] = {{3, 1, 1, 1, 1, 1, 1}, {1, 3, 1, 1, 1}, {1, 1, 3}};
        t = mv_dtype();
        int64_t dim[3] = {2, 3, 2}, all[3] = {2, 3, 2};
        all[axis] = 0;
        for (int i = 0; i < 3; i++) {
            dim[axis] = i + 1;
            all[axis] += i + 1;
            x[i] = mv_make(i, t, 3, dim);
        }
        mv_par[0] = axis;
        mv_follows(gnd_block(3, counts[axis], x), t, 3, all, in_line, "block: three deep");
        mv_done(3, x);
    }
    x[0] = mv_make(0, GND_INT8, 1, DIM(3));
    gnd_array *y = gnd_block(0, NULL, x);
    mv_par[0] = 1, mv_par[1] = 3;
    mv_follows(y, GND_INT8, 1, DIM(3), mv_same, "block: no list");
    mv_done(1, x);
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {
        test_turned, test_shapes, test_windows, test_broadcast_shapes, test_splits, test_many_parts,
        test_stacks, test_blocks, test_bits,    test_strided,
    };
    mv_run(d, spec, (int)(sizeof test / sizeof test[0]), test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
