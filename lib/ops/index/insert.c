/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/insert.c - insertion and deletion of elements. One position, or a contiguous run, is a
 * join of slices. Several positions use an index: the source of element p of the result follows
 * from the number of sorted positions below p, which a binary search on the device finds within the
 * kernel that gathers. Only the positions are uploaded, not an index of the whole axis.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array/place.h"
#include "device/device.h"
#include "graph/graph.h"
#include "array/views.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>

/* --- places ----------------------------------------------------------------------------------- */

/* Converts place `at` of an axis of n elements to 0 .. top (n - 1, or n if the end counts as a
 * place). */
static gnd_array *check_place(const char *func, const gnd_array *x, int64_t at, int k, int64_t top,
                              int64_t *p)
{
    int64_t n = x->dim[k];
    *p = at < 0 && at >= -n ? at + n : at;
    if (*p >= 0 && *p <= top)
        return NULL;
    return gnd__fail(x->dev, GND_ERR_INDEX,
                     "%s: index %" PRId64 " is out of range for axis %d with "
                     "extent %" PRId64,
                     func, at, k, n);
}

/* Checks x, an axis of it, and a list of n places. */
static gnd_array *check(const char *func, gnd_array *x, int64_t n, const int64_t *at, int axis,
                        int *k)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check_axis(func, x->dev, axis, x->ndim, k)))
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: %" PRId64 " places", func, n);
    if (n && !at)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: the list of places is NULL", func);
    return NULL;
}

typedef struct spot {
    int64_t at, order;
} spot;

static int compare(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->order > y->order) - (x->order < y->order);
}

/* The n places of axis k, sorted; equal ones keep their order. Freed by the caller. */
static gnd_array *sorted(const char *func, gnd_array *x, int64_t n, const int64_t *at, int k,
                         int64_t top, spot **out)
{
    gnd_array *bad = NULL;
    spot *s = (uint64_t)n < SIZE_MAX / sizeof *s ? gnd__malloc(((size_t)n + 1) * sizeof *s) : NULL;
    *out = s;
    if (!s)
        return gnd__nomem();
    for (int64_t i = 0; i < n && !bad; i++) {
        s[i].order = i;
        bad = check_place(func, x, at[i], k, top, &s[i].at);
    }
    if (!bad)
        qsort(s, (size_t)n, sizeof *s, compare);
    return bad;
}

/* n int64 numbers on the device, and after them `fill` up to a count of 2^levels - 1. */
static gnd_array *upload(gnd_device *dev, int64_t n, const spot *s, int order, int levels)
{
    int64_t room = levels ? ((int64_t)1 << levels) - 1 : n;
    int64_t *v = gnd__malloc((size_t)room * sizeof *v);
    if (!v)
        return gnd__nomem();
    for (int64_t i = 0; i < room; i++)
        v[i] = i >= n ? INT64_MAX : order ? s[i].order : s[i].at;
    gnd_array *y = gnd__upload(dev, GND_INT64, 1, &room, v);
    gnd__free(v);
    return y;
}

/* The elements of x at indices idx. Either may be an error. */
static gnd_array *taken(gnd_array *x, gnd_array *idx, int axis)
{
    if (x->kind == GND__ERROR || idx->kind == GND__ERROR)
        return x->kind == GND__ERROR ? x : idx;
    if (x->size && idx->size)
        return gnd__taken(x, idx, axis);
    int64_t dim[GND_MAX_NDIM];
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[axis] = idx->size;
    return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim, dim, 0, NULL);
}

/* How many of the sorted numbers (2^levels - 1 of them) are below each element of p. Of 2^l - 1
 * candidates the middle one is number 2^(l - 1): if it is below, so are the ones before it.
 */
static gnd_array *count_below(gnd_array *numbers, int levels, gnd_array *p)
{
    gnd_array *r = NULL;
    for (int l = levels - 1; l >= 0; l--) {
        int64_t half = (int64_t)1 << l;
        gnd_array *mid =
            r ? gnd_add(r, gnd_int(half - 1)) : gnd_full_like(p, GND_INT64, gnd_int(half - 1));
        gnd_array *below = gnd_less(taken(numbers, mid, 0), p);
        gnd_array *more = gnd_multiply(gnd_astype(below, GND_INT64), gnd_int(half));
        r = r ? gnd_add(r, more) : more;
    }
    return r;
}

static int levels_of(int64_t n)
{
    int l = 1;
    while (((int64_t)1 << l) - 1 < n)
        l++;
    return l;
}

/* Elements from .. to of axis k. */
static gnd_array *between(gnd_array *x, int k, int64_t from, int64_t to)
{
    return gnd__slice(x, k, to > from ? from : 0, to > from ? to - from : 0);
}

/* --- insert ----------------------------------------------------------------------------------- */

/* values as an array of x's dtype and number of dimensions; additional ones come first. */
static gnd_array *as_values(const char *func, gnd_array *x, gnd_array *values)
{
    char tv[GND__SHAPE_TEXT], tx[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check(values, func, "values");
    if (bad)
        return bad;
    if (values->dev && values->dev != x->dev)
        return gnd__fail(x->dev, GND_ERR_DEVICE,
                         "%s: arrays of two devices, %s and %s: move one with "
                         "gnd_to_device",
                         func, gnd__device_id(x->dev), gnd__device_id(values->dev));
    if (values->ndim > x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: values of shape %s for an array of shape %s",
                         func, gnd__shape_text(tv, values->ndim, values->dim),
                         gnd__shape_text(tx, x->ndim, x->dim));
    gnd_array *v = gnd__strong(values, x->dev, (gnd_dtype)x->dtype, func);
    int add = x->ndim - v->ndim;
    if (v->kind == GND__ERROR || !add)
        return v;
    return gnd__expanded(v, add >= 32 ? UINT32_MAX : ((uint32_t)1 << add) - 1);
}

/* v, made of values with x's number of dimensions, broadcast to x's shape with n elements along
 * axis k. */
static gnd_array *spread(const char *func, gnd_array *x, const gnd_array *values, gnd_array *v,
                         int k, int64_t n)
{
    char tv[GND__SHAPE_TEXT], to[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[k] = n;
    for (int d = 0; d < x->ndim; d++)
        if (v->dim[d] != dim[d] && v->dim[d] != 1)
            return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: values of shape %s do not broadcast to %s",
                             func, gnd__shape_text(tv, values->ndim, values->dim),
                             gnd__shape_text(to, x->ndim, dim));
    gnd_array *bad = gnd__check_shape(func, x->dev, (gnd_dtype)x->dtype, x->ndim, dim);
    return bad ? bad : gnd__broadcast(v, x->ndim, dim);
}

/* Inserts v, with all its elements along axis k, before element p. */
static gnd_array *inserted(const char *func, gnd_array *x, const gnd_array *values, gnd_array *v,
                           int64_t p, int k)
{
    gnd_array *piece[3] = {between(x, k, 0, p), spread(func, x, values, v, k, v->dim[k]),
                           between(x, k, p, x->dim[k])};
    return piece[1]->kind == GND__ERROR ? piece[1] : gnd__concat(func, 3, piece, k);
}

gnd_array *gnd_insert(gnd_array *x, int64_t at, gnd_array *values, int axis)
{
    int k;
    int64_t p;
    gnd_array *bad = check("insert", x, 0, NULL, axis, &k);
    if (bad || (bad = check_place("insert", x, at, k, x->dim[k], &p)))
        return bad;
    const gnd__inner in = gnd__enter("insert");
    gnd_array *v = as_values("insert", x, values);
    int first = 0;
    if (v->kind != GND__ERROR)
        v = gnd_moveaxis(v, 1, &first, &k);
    return gnd__leave(in, v->kind == GND__ERROR ? v : inserted("insert", x, values, v, p, k));
}

/* Inserts v's elements at the n sorted places s, by index. */
static gnd_array *woven(gnd_array *x, const gnd_array *values, gnd_array *v, int64_t n, spot *s,
                        int k)
{
    int64_t total, dim[GND_MAX_NDIM], along[GND_MAX_NDIM];
    int levels = levels_of(n), ordered = 1;
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    if (__builtin_add_overflow(x->dim[k], n, &total))
        total = INT64_MAX;
    dim[k] = total;
    gnd_array *bad = gnd__check_shape("insert_each", x->dev, (gnd_dtype)x->dtype, x->ndim, dim);
    if (bad)
        return bad;
    if ((bad = spread("insert_each", x, values, v, k, n))->kind == GND__ERROR)
        return bad;
    for (int64_t i = 0; i < n; i++) {
        s[i].at += i; /* its index in the result */
        ordered &= s[i].order == i;
    }
    gnd_array *places = upload(x->dev, n, s, 0, levels);
    gnd_array *p = gnd_arange_i64(x->dev, 0, total, 1, GND_INT64);
    gnd_array *r = count_below(places, levels, p);
    gnd_array *here = gnd_equal(taken(places, gnd_minimum(r, gnd_int(n - 1)), 0), p);
    if (v->dim[k] > 1) { /* if nothing is inserted here, any element will do */
        gnd_array *i = gnd_minimum(r, gnd_int(n - 1));
        v = taken(v, ordered ? i : taken(upload(x->dev, n, s, 1, 0), i, 0), k);
    }
    if (x->dim[k] == 0)
        return v->kind == GND__ERROR ? v : spread("insert_each", x, values, v, k, n);
    gnd_array *old = taken(x, gnd_minimum(gnd_subtract(p, r), gnd_int(x->dim[k] - 1)), k);
    for (int d = 0; d < x->ndim; d++)
        along[d] = d == k ? total : 1;
    return gnd_where(gnd_reshape(here, x->ndim, along), v, old);
}

gnd_array *gnd_insert_each(gnd_array *x, int64_t n, const int64_t *at, gnd_array *values, int axis)
{
    int k;
    spot *s = NULL;
    gnd_array *y = check("insert_each", x, n, at, axis, &k);
    if (!y)
        y = sorted("insert_each", x, n, at, k, x->dim[k], &s);
    if (y) {
        gnd__free(s);
        return y;
    }
    const gnd__inner in = gnd__enter("insert_each");
    gnd_array *v = as_values("insert_each", x, values);
    if (v->kind == GND__ERROR)
        y = v;
    else if (n == 0)
        y = (y = spread("insert_each", x, values, v, k, 0))->kind == GND__ERROR ? y : x;
    else if (n == 1)
        y = inserted("insert_each", x, values, v, s[0].at, k);
    else
        y = woven(x, values, v, n, s, k);
    gnd__free(s);
    return gnd__leave(in, y);
}

/* --- delete ----------------------------------------------------------------------------------- */

/* x without count elements of axis k from `from` on. */
static gnd_array *cut(const char *func, gnd_array *x, int k, int64_t from, int64_t count)
{
    gnd_array *piece[2];
    if (count == 0)
        return x;
    piece[0] = between(x, k, 0, from);
    piece[1] = between(x, k, from + count, x->dim[k]);
    return gnd__concat(func, 2, piece, k);
}

gnd_array *gnd_delete(gnd_array *x, int64_t at, int axis)
{
    int k;
    int64_t p;
    gnd_array *bad = check("delete", x, 0, NULL, axis, &k);
    if (bad || (bad = check_place("delete", x, at, k, x->dim[k] - 1, &p)))
        return bad;
    const gnd__inner in = gnd__enter("delete");
    return gnd__leave(in, cut("delete", x, k, p, 1));
}

/* x without the n sorted elements s of axis k, which are distinct. */
static gnd_array *without(gnd_array *x, int64_t n, spot *s, int k)
{
    if (n == 0 || s[n - 1].at - s[0].at == n - 1)
        return cut("delete_each", x, k, n ? s[0].at : 0, n);
    /* Element j of the result has i deleted ones before it when s[i - 1] - (i - 1) <= j. */
    for (int64_t i = 0; i < n; i++)
        s[i].at -= i;
    int levels = levels_of(n);
    gnd_array *numbers = upload(x->dev, n, s, 0, levels);
    gnd_array *j = gnd_arange_i64(x->dev, 0, x->dim[k] - n, 1, GND_INT64);
    gnd_array *before = count_below(numbers, levels, gnd_add(j, gnd_int(1)));
    return taken(x, gnd_add(j, before), k);
}

gnd_array *gnd_delete_each(gnd_array *x, int64_t n, const int64_t *at, int axis)
{
    int k;
    int64_t m = 0;
    spot *s = NULL;
    gnd_array *y = check("delete_each", x, n, at, axis, &k);
    if (!y)
        y = sorted("delete_each", x, n, at, k, x->dim[k] - 1, &s);
    if (!y) {
        for (int64_t i = 0; i < n; i++)
            if (!m || s[i].at != s[m - 1].at)
                s[m++] = s[i];
        const gnd__inner in = gnd__enter("delete_each");
        y = gnd__leave(in, without(x, m, s, k));
    }
    gnd__free(s);
    return y;
}

gnd_array *gnd_delete_range(gnd_array *x, gnd_range r, int axis)
{
    int k;
    int64_t first, step;
    gnd_array *bad = check("delete_range", x, 0, NULL, axis, &k);
    if (bad)
        return bad;
    if (r.kind != GND_IDX_SLICE)
        return gnd__fail(x->dev, GND_ERR_ARG, "delete_range: a range of kind %d, not GND_IDX_SLICE",
                         r.kind);
    int64_t n = gnd__slice_count(&r, x->dim[k], &first, &step);
    if (step < 0) {
        first += (n - 1) * step;
        step = -step;
    }
    const gnd__inner in = gnd__enter("delete_range");
    if (step == 1 || n == 0)
        return gnd__leave(in, cut("delete_range", x, k, first, n));
    /* From the first deleted element on, step - 1 of each step elements stay: element j has (j -
     * first) / (step - 1) + 1 deleted ones before it, none before the first, and at most n. */
    gnd_array *j = gnd_arange_i64(x->dev, 0, x->dim[k] - n, 1, GND_INT64);
    gnd_array *before = gnd_floor_divide(gnd_subtract(j, gnd_int(first)), gnd_int(step - 1));
    before = gnd_clip(gnd_add(before, gnd_int(1)), gnd_int(0), gnd_int(n));
    return gnd__leave(in, taken(x, gnd_add(j, before), k));
}
