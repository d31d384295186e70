/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/repeat.c - repetition of elements. Tiling and repeating are broadcast views between two
 * reshapes, so they cost nothing until read. Repeating by counts uses an index, computed here or,
 * for GPUs, on the device.
 */
#include <inttypes.h>
#include <string.h>
#include "array/place.h"
#include "device/device.h"
#include "graph/graph.h"
#include "array/host.h"
#include "array/views.h"
#include "base/mem.h"
#include "prim/choices.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/eval.h>
#include <gnd/reduce.h>
#include <gnd/scan.h>
#include <gnd/search.h>
#include <gnd/view.h>

/* x seen with `times` as a new broadcast axis at `at`, times >= 0. */
static gnd_array *with_axis(gnd_array *x, int at, int64_t times)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++) {
        m.start[i] = 0;
        m.step[i] = 1;
        m.from[i] = (int8_t)(i + (i >= at));
        dim[m.from[i]] = x->dim[i];
    }
    dim[at] = times;
    return gnd__viewed(x, x->ndim + 1, dim, &m);
}

/* The product of some extents. It may leave out a 0 that the whole shape has, but the product of
 * the others fits too: gnd__shape_size sees to that. */
static int64_t product(int n, const int64_t *dim)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        p *= dim[i];
    return p;
}

/* Repeats each run of the axes from k to the end (each: of the axes after k) `times` times. Uses
 * two or three axes, so that arrays may have 32 dimensions. dim is the result's shape. */
static gnd_array *multiplied(gnd_array *x, int k, int each, int64_t times, const int64_t *dim)
{
    int before = each ? k + 1 : k;
    int64_t two[2] = {product(before, x->dim), product(x->ndim - before, x->dim + before)};
    gnd_array *flat = gnd__reshaped(x, 2, two);
    if (flat->kind == GND__ERROR)
        return flat;
    gnd_array *v = with_axis(flat, 1, times);
    if (v->kind == GND__ERROR)
        return v;
    return gnd__reshaped(v, x->ndim, dim);
}

/* x, of ndim axes, with axis i reps[i] times; the result's shape is dim. */
static gnd_array *tiled(gnd_array *x, const int64_t *reps, const int64_t *dim)
{
    int more = 0;
    for (int i = 0; i < x->ndim; i++)
        more += reps[i] != 1;
    if (x->ndim + more <= GND_MAX_NDIM) {
        /* All at once: (d0, d1) as (r0, d0, r1, d1). */
        gnd__map m;
        int64_t split[GND_MAX_NDIM];
        int n = 0;
        for (int i = 0; i < x->ndim; i++) {
            if (reps[i] != 1)
                split[n++] = reps[i];
            m.start[i] = 0;
            m.step[i] = 1;
            m.from[i] = (int8_t)n;
            split[n++] = x->dim[i];
        }
        gnd_array *v = gnd__viewed(x, n, split, &m);
        return v->kind == GND__ERROR ? v : gnd__reshaped(v, x->ndim, dim);
    }
    gnd_array *y = x;
    for (int i = 0; i < x->ndim && y->kind != GND__ERROR; i++) { /* many axes: seldom */
        int64_t step[GND_MAX_NDIM];
        if (reps[i] == 1)
            continue;
        memcpy(step, y->dim, y->ndim * sizeof step[0]);
        step[i] = dim[i];
        y = multiplied(y, i, 0, reps[i], step);
    }
    return y;
}

gnd_array *gnd_tile(gnd_array *x, int n, const int64_t *reps)
{
    gnd_array *bad = gnd__check_strong(x, "tile", "x");
    if (bad)
        return bad;
    if (n < 0 || n > GND_MAX_NDIM)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "tile: %d repetitions: 0 to %d are possible", n,
                         GND_MAX_NDIM);
    if (n && !reps)
        return gnd__fail(x->dev, GND_ERR_NULL, "tile: the list of repetitions is NULL");
    int ndim = n > x->ndim ? n : x->ndim;
    int64_t r[GND_MAX_NDIM], from[GND_MAX_NDIM], dim[GND_MAX_NDIM];
    for (int i = 0; i < ndim; i++) {
        int ix = i - (ndim - x->ndim), ir = i - (ndim - n);
        from[i] = ix < 0 ? 1 : x->dim[ix];
        r[i] = ir < 0 ? 1 : reps[ir];
        if (r[i] < 0)
            return gnd__fail(x->dev, GND_ERR_ARG, "tile: %" PRId64 " repetitions", r[i]);
        if (__builtin_mul_overflow(from[i], r[i], &dim[i]))
            return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                             "tile: axis %d: %" PRId64 " times %" PRId64 " does not fit 64 bits", i,
                             from[i], r[i]);
    }
    if ((bad = gnd__check_shape("tile", x->dev, (gnd_dtype)x->dtype, ndim, dim)))
        return bad;
    if (gnd__shape_size(ndim, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, ndim, dim, 0, NULL);
    const gnd__inner in = gnd__enter("tile");
    gnd_array *full = ndim == x->ndim ? x : gnd__reshaped(x, ndim, from);
    if (full->kind == GND__ERROR)
        return gnd__leave(in, full);
    return gnd__leave(in, tiled(full, r, dim));
}

/* If reshape x makes its axis k of the axes first .. end - 1 of `from`: `end`, else 0. */
static int end_of_axis(const gnd_array *x, int k, const gnd_array *from)
{
    int p = 0;
    for (int d = 0; d <= k; d++) {
        int64_t n = 1;
        while (p < from->ndim && n < x->dim[d])
            n *= from->dim[p++];
        if (n != x->dim[d])
            return 0;
    }
    return p;
}

/* x with axis k repeated n times as a new axis after it. A repetition is a reshape of a broadcast
 * view: further ones are axes of that view, so that several are one kernel. NULL: x is no such
 * reshape. */
static gnd_array *repeated_again(gnd_array *x, int k, int64_t n)
{
    gnd_array *from = x->kind == GND__RESHAPE ? gnd__below(x) : NULL, *y = NULL;
    if (!from)
        return NULL;
    const int end = end_of_axis(x, k, from);
    if (end && from->ndim < GND_MAX_NDIM)
        y = with_axis(from, end, n);
    gnd__unref(from);
    return y;
}

gnd_array *gnd_repeat(gnd_array *x, int64_t n, int axis)
{
    int k;
    gnd_array *bad = gnd__check_strong(x, "repeat", "x");
    if (bad || (bad = gnd__check_axis("repeat", x->dev, axis, x->ndim, &k)))
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "repeat: %" PRId64 " times: negative counts are not possible", n);
    int64_t dim[GND_MAX_NDIM];
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    if (__builtin_mul_overflow(dim[k], n, &dim[k]))
        return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                         "repeat: axis %d: %" PRId64 " times %" PRId64 " does not fit 64 bits", k,
                         x->dim[k], n);
    if ((bad = gnd__check_shape("repeat", x->dev, (gnd_dtype)x->dtype, x->ndim, dim)))
        return bad;
    if (gnd__shape_size(x->ndim, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim, dim, 0, NULL);
    const gnd__inner in = gnd__enter("repeat");
    if (n == 1)
        return gnd__leave(in, x);
    if (x->ndim == GND_MAX_NDIM)
        return gnd__leave(in, multiplied(x, k, 1, n, dim));
    gnd_array *v = repeated_again(x, k, n);
    if (!v)
        v = with_axis(x, k + 1, n);
    return gnd__leave(in, v->kind == GND__ERROR ? v : gnd__reshaped(v, x->ndim, dim));
}

gnd_array *gnd_repeat_each(gnd_array *x, const int64_t *counts, int axis)
{
    int k;
    gnd_array *bad = gnd__check_strong(x, "repeat_each", "x");
    if (bad || (bad = gnd__check_axis("repeat_each", x->dev, axis, x->ndim, &k)))
        return bad;
    int64_t n = x->dim[k], total = 0, dim[GND_MAX_NDIM];
    if (!counts && n)
        return gnd__fail(x->dev, GND_ERR_NULL, "repeat_each: the list of counts is NULL");
    for (int64_t i = 0; i < n; i++) {
        if (counts[i] < 0)
            return gnd__fail(x->dev, GND_ERR_ARG,
                             "repeat_each: element %" PRId64 " %" PRId64 " times", i, counts[i]);
        if (__builtin_add_overflow(total, counts[i], &total) || total > INT64_MAX / 8)
            return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                             "repeat_each: the sum of the counts does not fit 64 bits");
    }
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[k] = total;
    if ((bad = gnd__check_shape("repeat_each", x->dev, (gnd_dtype)x->dtype, x->ndim, dim)))
        return bad;
    if (gnd__shape_size(x->ndim, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim, dim, 0, NULL);

    int64_t *idx = gnd__malloc((size_t)total * sizeof *idx);
    if (!idx)
        return gnd__nomem();
    for (int64_t i = 0, at = 0; i < n; i++)
        for (int64_t j = 0; j < counts[i]; j++)
            idx[at++] = i;
    const gnd__inner in = gnd__enter("repeat_each");
    gnd_array *index = gnd__upload(x->dev, GND_INT64, 1, &total, idx);
    gnd__free(idx);
    if (index->kind == GND__ERROR)
        return gnd__leave(in, index);
    return gnd__leave(in, gnd__taken(x, index, k));
}

/* Repeats by counts (int64, one for each element of axis k) on the device; only their sum is read.
 * An element of the result belongs to the first count whose end is after it. NULL: a count is
 * negative, or the sum does not fit; the list on the host says which. */
static gnd_array *each_on_device(gnd_array *x, gnd_array *counts, int k)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_status st;
    gnd_array *ends = gnd_cumulative_sum(counts, GND_AXIS(0), 0, GND_INT64);
    gnd_array *far =
        gnd_logical_or(gnd_less(ends, gnd_int(0)), gnd_greater(ends, gnd_int(INT64_MAX / 8)));
    gnd_array *two[2] = {ends,
                         gnd_any(gnd_logical_or(gnd_less(counts, gnd_int(0)), far), GND_ALL, 0)};
    if ((st = gnd_eval_all(2, two)))
        return gnd__fail(x->dev, st, "%s", gnd_message());
    const int64_t bad = gnd_item_i64(two[1], &st);
    if (st || bad)
        return st ? gnd__fail(x->dev, st, "%s", gnd_message()) : NULL;
    gnd_array *last = gnd__slice(ends, 0, ends->size - 1, 1);
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[k] = gnd_item_i64(last, &st);
    if (st)
        return gnd__fail(x->dev, st, "%s", gnd_message());
    gnd_array *wrong = gnd__check_shape("repeat_array", x->dev, (gnd_dtype)x->dtype, x->ndim, dim);
    if (wrong)
        return wrong;
    if (gnd__shape_size(x->ndim, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim, dim, 0, NULL);
    gnd_array *index =
        gnd_searchsorted(ends, gnd_arange_i64(x->dev, 0, dim[k], 1, GND_INT64), GND_RIGHT, NULL);
    return index->kind == GND__ERROR ? index : gnd__taken(x, index, k);
}

gnd_array *gnd_repeat_array(gnd_array *x, gnd_array *counts, int axis)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    int k;
    gnd_array *pair[2] = {x, counts};
    gnd_array *bad = gnd__check_strong(x, "repeat_array", "x");
    if (bad || (bad = gnd__check(counts, "repeat_array", "counts")) ||
        (bad = gnd__check_devices("repeat_array", 2, pair, &dev)) ||
        (bad = gnd__check_axis("repeat_array", dev, axis, x->ndim, &k)))
        return bad;
    if (!strchr("biu", gnd_dtype_kind((gnd_dtype)counts->dtype)))
        return gnd__fail(dev, GND_ERR_DTYPE, "repeat_array: counts of %s: ints only",
                         gnd_dtype_name((gnd_dtype)counts->dtype));
    if (counts->ndim > 1 || (counts->size != 1 && counts->size != x->dim[k]))
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "repeat_array: counts of shape %s for the %" PRId64 " elements of axis %d",
                         gnd__shape_text(text, counts->ndim, counts->dim), x->dim[k], k);
    const gnd__inner in = gnd__enter("repeat_array");
    gnd_array *wide = gnd__astype(counts, GND_INT64, "repeat_array"), *y = NULL;
    if (wide->kind == GND__ERROR)
        return gnd__leave(in, wide);
    if (counts->size > 1 && !gnd__for_cpu(dev)) { /* for CPUs the host's list is as near */
        y = each_on_device(x, wide, k);
        if (y)
            return gnd__named("repeat_array", gnd__leave(in, y));
    }
    void *n;
    gnd_status st = gnd__host_copy("repeat_array", wide, &n);
    if (st == GND_ERR_NOMEM)
        y = gnd__nomem();
    else if (st)
        y = gnd__fail(dev, st, "%s", gnd_message());
    if (y)
        return gnd__leave(in, y);
    y = counts->size == 1 ? gnd_repeat(x, *(int64_t *)n, k) : gnd_repeat_each(x, n, k);
    gnd__free(n);
    return gnd__leave(in, y);
}
