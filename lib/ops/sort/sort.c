/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/sort/sort.c - sorting along an axis. sort and argsort are primitives on rows (prim/sort.h);
 * the other functions take elements by argsort's indices. A view moves the axis to the end, and
 * another view moves it back.
 */
#include <inttypes.h>
#include <string.h>
#include "array/steps.h"
#include "prim/choices.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/partition.h"
#include "prim/sort.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* --- steps ------------------------------------------------------------------------------------ */

/* Checks x, axis and flags of a public function, and sets *k to the axis. Returns NULL or an
 * error. k < 0: x has no dimensions, which a function of places allows: its one place is 0. */
static gnd_array *check(const char *func, gnd_array *x, int axis, unsigned flags, unsigned possible,
                        int places, int *k)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (flags & ~possible)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: flags %#x: 0 and %s are possible", func, flags,
                         possible == GND_SMALLEST ? "GND_SMALLEST" : "GND_DESCENDING");
    *k = -1;
    if (x->ndim == 0 && places && (axis == 0 || axis == -1))
        return NULL;
    if (x->ndim == 0)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: axis %d: an array of shape () has no axes",
                         func, axis);
    return gnd__check_axis(func, x->dev, axis, x->ndim, k);
}

/* x with axis `from` moved to place `to`. */
static gnd_array *moved(gnd_array *x, int from, int to)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int step = from < to ? 1 : -1;
    if (x->kind == GND__ERROR)
        return x;
    gnd__map_identity(&m, x->ndim);
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof dim[0]);
    for (int i = from; i != to; i += step) {
        dim[i] = x->dim[i + step];
        m.from[i + step] = (int8_t)i;
    }
    dim[to] = x->dim[from];
    m.from[from] = (int8_t)to;
    return gnd__viewed(x, x->ndim, dim, &m);
}

static gnd_array *zeros(gnd_array *x)
{
    gnd__scalar zero = {.kind = 'i'};
    return gnd__filled(x->dev, GND_INT64, x->ndim, x->dim, &zero);
}

/* The elements of x at the indices idx along the last axis. */
static gnd_array *picked(gnd_array *x, gnd_array *idx)
{
    gnd__gather how;
    if (x->kind == GND__ERROR || idx->kind == GND__ERROR)
        return x->kind == GND__ERROR ? x : idx;
    for (int d = 0; d < x->ndim; d++) {
        how.from[d] = (int8_t)(d == x->ndim - 1 ? -1 : d);
        how.via[d] = 1;
    }
    return gnd__take_node(x, 1, &idx, x->ndim, idx->dim, &how);
}

/* x with the axis at the end, to be read several times: columns of long rows are copied first. */
static gnd_array *in_rows(gnd_array *x, int axis)
{
    gnd_array *v = moved(x, axis, x->ndim - 1);
    const int copied = v->kind != GND__ERROR && axis < x->ndim - 1 && x->size > x->dim[axis] &&
                       gnd__partition_counts((gnd_dtype)x->dtype, x->dim[axis]);
    return copied ? gnd__stored(v) : v;
}

/* --- sort and argsort ------------------------------------------------------------------------- */

static gnd_array *sorted(gnd_array *x, int axis, int descending)
{
    gnd_array *v, *y;
    if (x->dim[axis] <= 1 || x->size == 0)
        return x;
    v = moved(x, axis, x->ndim - 1);
    if (v->kind == GND__ERROR)
        return v;
    y = gnd__sort_node(v, descending);
    return moved(y, x->ndim - 1, axis);
}

static gnd_array *argsorted(gnd_array *x, int axis, int descending)
{
    gnd_array *v, *y;
    if (x->dim[axis] <= 1 || x->size == 0)
        return zeros(x);
    v = moved(x, axis, x->ndim - 1);
    if (v->kind == GND__ERROR)
        return v;
    y = gnd__argsort_node(v, descending, x->dim[axis]);
    return moved(y, x->ndim - 1, axis);
}

gnd_array *gnd_sort(gnd_array *x, int axis, unsigned flags)
{
    int k;
    gnd_array *bad = check("sort", x, axis, flags, GND_DESCENDING, 0, &k);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("sort");
    return gnd__leave(in, sorted(x, k, (flags & GND_DESCENDING) != 0));
}

gnd_array *gnd_argsort(gnd_array *x, int axis, unsigned flags)
{
    int k;
    gnd_array *bad = check("argsort", x, axis, flags, GND_DESCENDING, 1, &k);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("argsort");
    if (k < 0) /* as in NumPy, one place along an axis of its own */
        return gnd__leave(in, gnd_reshape(zeros(x), 1, (int64_t[]){1}));
    return gnd__leave(in, argsorted(x, k, (flags & GND_DESCENDING) != 0));
}

/* --- parts of the order ----------------------------------------------------------------------- */

/* The number of equal parts into which a row is divided to find its first k elements. A part fits a
 * work-group of a GPU, and the first k elements of all parts are at most a quarter of the row. 1:
 * the row is not divided. */
static int64_t parts_for(const gnd_array *x, int64_t k)
{
    const int64_t n = x->dim[x->ndim - 1], size = (int64_t)gnd_dtype_size((gnd_dtype)x->dtype);
    const int64_t most = size <= 4 ? 8192 : 4096, least = (n + most - 1) / most;
    if (n <= most || x->ndim == GND_MAX_NDIM || gnd__for_cpu(x->dev))
        return 1;
    const int64_t tries = least < 10000 ? least : 10000;
    for (int64_t parts = least; parts <= least + 7 * tries && parts <= n / 4 / k; parts++)
        if (n % parts == 0)
            return parts;
    return 1;
}

/* The indices of the first k elements, in order, along the last axis of x: of long rows, those of
 * the first part of a partition, sorted. Equal elements keep their order in both. */
static gnd_array *selected(gnd_array *x, int64_t k, int descending)
{
    const int d = x->ndim - 1;
    if (!gnd__partition_counts((gnd_dtype)x->dtype, x->dim[d]) || k > x->dim[d] / 4)
        return gnd__argsort_node(x, descending, k);
    gnd_array *p = gnd__partition_node(x, k - 1, descending, 1);
    gnd_array *i = p->kind == GND__ERROR ? p : gnd__slice(p, d, 0, k);
    gnd_array *c = picked(x, i), *j;
    if (c->kind == GND__ERROR)
        return c;
    j = gnd__argsort_node(c, descending, k);
    return picked(i, j);
}

/* The indices of the first k elements, in order, along the last axis of x. If a row is divided,
 * they are selected among the first k elements of each part, which stand in the order of the parts.
 * So equal elements keep their order. */
static gnd_array *first(gnd_array *x, int64_t k, int descending)
{
    int64_t dim[GND_MAX_NDIM + 1], parts;
    const int d = x->ndim - 1;
    const gnd__scalar zero = {.kind = 'i'};
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof dim[0]);
    dim[d] = k;
    if (x->size == 0 || k == 0 || x->dim[d] == 1)
        return gnd__filled(x->dev, GND_INT64, x->ndim, dim, &zero);
    parts = parts_for(x, k);
    if (parts == 1)
        return selected(x, k, descending);

    const int64_t len = x->dim[d] / parts, column[2] = {parts, 1};
    gnd_array *v, *i, *at, *c, *from, *j, *y;
    dim[d] = parts;
    dim[d + 1] = len;
    v = gnd_reshape(x, d + 2, dim);
    i = v->kind == GND__ERROR ? v : first(v, k, descending);
    c = picked(v, i);
    from = gnd_arange_i64(x->dev, 0, x->dim[d], len, GND_INT64);
    from = gnd_reshape(from, 2, column);
    at = gnd_add(i, from);
    dim[d] = parts * k;
    c = gnd_reshape(c, d + 1, dim);
    at = gnd_reshape(at, d + 1, dim);
    j = c->kind == GND__ERROR ? c : first(c, k, descending);
    y = picked(at, j);
    return y;
}

gnd_status gnd_topk(gnd_array *x, int64_t k, int axis, unsigned flags, gnd_array **out)
{
    int a;
    gnd_array *bad;
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "topk: out is NULL");
    bad = check("topk", x, axis, flags, GND_SMALLEST, 0, &a);
    if (!bad && (k < 0 || k > x->dim[a]))
        bad = gnd__fail(x->dev, GND_ERR_ARG, "topk: k is %" PRId64 ", axis %d has extent %" PRId64,
                        k, a, x->dim[a]);
    if (bad)
        return gnd__all_fail(2, out, bad);
    const gnd__inner in = gnd__enter("topk");
    gnd_array *v = in_rows(x, a);
    gnd_array *i = v->kind == GND__ERROR ? v : first(v, k, !(flags & GND_SMALLEST));
    out[0] = moved(picked(v, i), x->ndim - 1, a);
    out[1] = moved(i, x->ndim - 1, a);
    return gnd__give(in, "topk", 2, out);
}

/* Checks the arguments of a partition and sets *k to the axis. */
static gnd_array *check_kth(const char *func, gnd_array *x, int n, const int64_t *kth, int axis,
                            int *k)
{
    gnd_array *bad = check(func, x, axis, 0, GND_DESCENDING, 0, k);
    if (bad)
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: %d places", func, n);
    if (n && !kth)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: kth is NULL", func);
    for (int i = 0; i < n; i++)
        if (kth[i] < -x->dim[*k] || kth[i] >= x->dim[*k])
            return gnd__fail(x->dev, GND_ERR_INDEX,
                             "%s: kth %" PRId64 " is out of range for axis %d with extent %" PRId64,
                             func, kth[i], *k, x->dim[*k]);
    return NULL;
}

/* x with its greatest element along the axis, NaN before all others, in the last place, and the
 * last one where that was: a partition at the last place. */
static gnd_array *greatest_last(gnd_array *x, int axis)
{
    gnd_array *v = moved(x, axis, x->ndim - 1);
    const int d = x->ndim - 1;
    const int64_t n = v->dim[d];
    gnd_array *at = gnd_argmax(v, GND_AXIS(d), GND_KEEPDIMS), *most = picked(v, at);
    gnd_array *place = gnd_arange_i64(x->dev, 0, n, 1, GND_INT64);
    gnd_array *y = gnd_where(gnd_equal(place, at), gnd_slice(v, d, n - 1, n), v);
    return moved(gnd_where(gnd_equal(place, gnd_int(n - 1)), most, y), d, axis);
}

/* x, or its indices, partitioned along axis: at a single place by counting, where that pays. */
static gnd_array *divided(gnd_array *x, int axis, int n, const int64_t *kth, int indices)
{
    const int64_t extent = x->dim[axis];
    if (n != 1 || extent <= 1 || x->size == 0)
        return indices ? argsorted(x, axis, 0) : sorted(x, axis, 0);
    gnd_array *v = in_rows(x, axis), *y;
    if (v->kind == GND__ERROR)
        return v;
    y = gnd__partition_node(v, kth[0] < 0 ? kth[0] + extent : kth[0], 0, indices);
    return moved(y, x->ndim - 1, axis);
}

gnd_array *gnd_partition(gnd_array *x, int n, const int64_t *kth, int axis)
{
    int k;
    gnd_array *bad = check_kth("partition", x, n, kth, axis, &k);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("partition");
    const int64_t extent = x->dim[k];
    if (n == 1 && extent > 1 && x->size > 0 && (kth[0] == extent - 1 || kth[0] == -1) &&
        gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return gnd__leave(in, greatest_last(x, k));
    return gnd__leave(in, divided(x, k, n, kth, 0));
}

gnd_array *gnd_argpartition(gnd_array *x, int n, const int64_t *kth, int axis)
{
    int k;
    gnd_array *bad = check_kth("argpartition", x, n, kth, axis, &k);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("argpartition");
    return gnd__leave(in, divided(x, k, n, kth, 1));
}

gnd_array *gnd_lexsort(int n, gnd_array *const *keys, int axis)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    int k;
    gnd_array *bad, *idx = NULL;
    if (n < 1)
        return gnd__fail(NULL, GND_ERR_ARG, "lexsort: %d keys: it takes at least one", n);
    if ((bad = gnd__check_list("lexsort", n, keys, &dev)))
        return bad;
    for (int i = 0; i < n; i++) {
        if ((bad = check("lexsort", keys[i], axis, 0, GND_DESCENDING, 1, &k)))
            return bad;
        if (keys[i]->ndim != keys[0]->ndim ||
            memcmp(keys[i]->dim, keys[0]->dim, (size_t)keys[0]->ndim * sizeof keys[0]->dim[0]) != 0)
            return gnd__fail(dev, GND_ERR_SHAPE, "lexsort: keys of shapes %s and %s",
                             gnd__shape_text(ta, keys[0]->ndim, keys[0]->dim),
                             gnd__shape_text(tb, keys[i]->ndim, keys[i]->dim));
    }
    const gnd__inner in = gnd__enter("lexsort");
    if (k < 0 || keys[0]->dim[k] <= 1 || keys[0]->size == 0)
        return gnd__leave(in, zeros(keys[0]));
    /* each key, beginning with the least significant one, sorts the current order stably */
    const int64_t extent = keys[0]->dim[k];
    for (int i = 0; i < n; i++) {
        gnd_array *v = moved(keys[i], k, keys[i]->ndim - 1);
        if (!idx) {
            idx = v->kind == GND__ERROR ? v : gnd__argsort_node(v, 0, extent);
        } else {
            gnd_array *w = picked(v, idx);
            gnd_array *p = w->kind == GND__ERROR ? w : gnd__argsort_node(w, 0, extent);
            idx = picked(idx, p);
        }
    }
    return gnd__leave(in, moved(idx, keys[0]->ndim - 1, k));
}
