/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/update.c - arrays with some elements replaced: gnd_set and gnd_put_along_axis. There
 * are two steps: the view made by an index's ints and slices gets its new elements; then the view
 * is put back into its place (ops/index/update_place.c).
 *
 * The first step finds, for each place along the axes that arrays index, the last position that
 * names it, counted from 1 (prim/scatter.h; for a mask, prim/compact.h). The new elements are then
 * elementwise, last > 0 ? value[last - 1] : view, and fuse.
 */
#include <inttypes.h>
#include <string.h>
#include "ops/index/update.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/compact.h"
#include "prim/scatter.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>

/* --- elements that arrays name ---------------------------------------------------------------- */

/* Gets the value for each element of v, or an array that broadcasts to that. Axes `axis` of v are
 * indexed by arrays of common shape b, whose axes begin at `place` of a shape that the value
 * broadcasts to. last has v's shape, but extent 1 along the other axes: the number, from 1, of the
 * last index of each place, or 0. */
static gnd_array *value_of(const gnd_array *v, int naxis, const int *axis, const gnd__shape *b,
                           int place, gnd_array *value, gnd_array *last)
{
    int ndim = v->ndim - naxis + b->ndim, a = 0, n = 0, by = 0, s = 0;
    int axis_of[GND_MAX_NDIM]; /* of the shape: axis of v, or -1 - axis of b */
    int64_t dim[GND_MAX_NDIM], wdim[GND_MAX_NDIM], stride = 1, bstride[GND_MAX_NDIM];
    gnd_array *idx[GND_MAX_NDIM], *at = NULL;
    gnd__gather how;
    gnd__map m;
    for (int q = 0; q < ndim; q++) {
        if (q >= place && q < place + b->ndim) {
            axis_of[q] = -1 - (q - place);
            continue;
        }
        while (a < naxis && s == axis[a]) {
            a++;
            s++;
        }
        axis_of[q] = s++;
    }
    for (int d = b->ndim - 1; d >= 0; d--) {
        bstride[d] = stride;
        stride *= b->dim[d];
    }
    for (int d = 0, k = 0; d < v->ndim; d++) {
        int indexed = k < naxis && d == axis[k];
        k += indexed;
        dim[d] = indexed ? v->dim[d] : 1;
    }
    for (int j = 0; j < value->ndim; j++) {
        int q = axis_of[j + ndim - value->ndim];
        m.start[j] = 0;
        m.step[j] = 1;
        m.from[j] = -1;
        if (value->dim[j] == 1)
            continue;
        m.from[j] = (int8_t)n;
        how.from[n] = -1;
        how.via[n] = (int8_t)(by + 1);
        if (q >= 0) {
            how.from[n] = (int8_t)q;
            dim[q] = v->dim[q];
        } else {
            int d = -1 - q;
            if (!at) /* 0 for places without an index; the value is not used there */
                at = gnd__as(gnd_subtract(gnd_maximum(last, gnd_int(1)), gnd_int(1)), GND_INT64);
            idx[by] = at;
            if (bstride[d] > 1)
                idx[by] = gnd_floor_divide(idx[by], gnd_int(bstride[d]));
            if (bstride[d] * b->dim[d] < stride)
                idx[by] = gnd_remainder(idx[by], gnd_int(b->dim[d]));
            if (idx[by]->kind == GND__ERROR)
                return idx[by];
            by++;
        }
        wdim[n++] = value->dim[j];
    }
    gnd_array *w = gnd__viewed(value, n, wdim, &m);
    if (w->kind == GND__ERROR)
        return w;
    if (by)
        return gnd__take_node(w, by, idx, v->ndim, dim, &how);
    for (int j = 0; j < n; j++) {
        m.start[j] = 0;
        m.step[j] = 1;
        m.from[j] = how.from[j];
    }
    return gnd__viewed(w, v->ndim, dim, &m);
}

/* v, with the value where last is not 0. */
static gnd_array *chosen(gnd_array *v, int naxis, const int *axis, const gnd__shape *b, int place,
                         gnd_array *value, gnd_array *last)
{
    int64_t dim[GND_MAX_NDIM];
    for (int d = 0, k = 0; d < v->ndim; d++) {
        int indexed = k < naxis && d == axis[k];
        k += indexed;
        dim[d] = indexed ? v->dim[d] : 1;
    }
    if (last->kind != GND__ERROR)
        last = gnd__reshaped(last, v->ndim, dim);
    if (last->kind == GND__ERROR)
        return last;
    gnd_array *w = value_of(v, naxis, axis, b, place, value, last);
    return gnd_where(gnd_greater(last, gnd_int(0)), w, v);
}

/* Whether value has extent 1 along all axes [k, k + n) of the shape dim (0), or that of the shape
 * (1), or neither (-1). Axes that the value has not got count as such of extent 1. */
static int has_axes(const gnd_array *value, int ndim, const int64_t *dim, int k, int n)
{
    int all = 1, none = 1;
    for (int d = k; d < k + n; d++) {
        const int j = d - ndim + value->ndim;
        const int64_t has = j < 0 ? 1 : value->dim[j];
        all &= has == dim[d];
        none &= has == 1;
    }
    return none ? 0 : all ? 1 : -1;
}

/* v with the value at positions of axes [k, k + n), as one primitive; NULL if that is not better
 * than the elementwise way. b: the shape of positions, in which `which` of GND__POS_OUTER and INNER
 * are axes of pos. The value broadcasts to a shape with b in place of these axes. */
static gnd_array *passed(gnd_array *v, int k, int n, gnd_array *pos, const gnd__shape *b, int which,
                         gnd_array *value)
{
    gnd__places s = {1, 1, 1, which};
    gnd__shape r = {.ndim = v->ndim - n + b->ndim};
    int has[3];
    for (int d = 0; d < v->ndim; d++) {
        int64_t *to = d < k ? NULL : d < k + n ? &s.m : &s.width;
        if (to)
            *to *= v->dim[d];
        if (d < k)
            r.dim[d] = v->dim[d];
        else if (d >= k + n)
            r.dim[d - n + b->ndim] = v->dim[d];
    }
    s.n = gnd__shape_size(b->ndim, b->dim, 1);
    memcpy(r.dim + k, b->dim, (size_t)b->ndim * sizeof *b->dim);
    if (!gnd__set_passes(v, &s) || pos->kind == GND__ERROR)
        return NULL;
    has[0] = has_axes(value, r.ndim, r.dim, 0, k);
    has[1] = has_axes(value, r.ndim, r.dim, k, b->ndim);
    has[2] = has_axes(value, r.ndim, r.dim, k + b->ndim, v->ndim - k - n);
    if (has[0] < 0 || has[1] < 0 || has[2] < 0) {
        value = gnd__broadcast(value, r.ndim, r.dim);
        has[0] = has[1] = has[2] = 1;
    }
    s.has |= (has[0] ? GND__SET_OUTER : 0) | (has[1] ? GND__SET_EACH : 0) |
             (has[2] ? GND__SET_INNER : 0);
    gnd_array *y = gnd__set_node(v, pos, value, &s);
    return y->kind == GND__ERROR ? y : gnd__reshaped(y, v->ndim, v->dim);
}

/* v with the value at the places that arrays name. */
static gnd_array *scattered(gnd_array *v, int narr, gnd_array *const *idx, const int *axis,
                            const gnd__shape *b, int place, gnd_array *value)
{
    gnd_array *pos = NULL;
    int64_t stride = 1;
    if (gnd__shape_size(b->ndim, b->dim, 1) == 0)
        return v;
    for (int i = narr - 1; i >= 0; i--) {
        gnd_array *one = stride == 1 ? idx[i] : gnd_multiply(idx[i], gnd_int(stride));
        pos = pos ? gnd_add(one, pos) : one;
        stride *= v->dim[axis[i]];
    }
    if (pos->kind != GND__ERROR) /* each position of the common shape, once */
        pos = gnd__broadcast(pos, b->ndim, b->dim);
    int apart = place != axis[0];
    for (int i = 1; i < narr; i++)
        apart |= axis[i] != axis[0] + i;
    gnd_array *y = apart ? NULL : passed(v, axis[0], narr, pos, b, 0, value);
    if (y)
        return y;
    gnd_array *last = pos->kind == GND__ERROR ? pos : gnd__last_node(pos, stride);
    return chosen(v, narr, axis, b, place, value, last);
}

/* --- set -------------------------------------------------------------------------------------- */

/* x with the value where the mask, over its first axes, is true. The positions of the true elements
 * are asked for only if the value has an axis for them. */
static gnd_array *set_mask(const char *func, gnd_array *x, gnd_array *mask, gnd_array *value)
{
    char text[GND__SHAPE_TEXT];
    gnd__shape r = {.ndim = x->ndim - mask->ndim + 1};
    gnd_array *table, *bad;
    int axis[GND_MAX_NDIM];
    int64_t dim[GND_MAX_NDIM], count;
    if ((bad = gnd__check_mask(func, mask, x, 0)))
        return bad;
    for (int d = 0; d < x->ndim; d++) {
        axis[d] = d;
        dim[d] = d < mask->ndim ? mask->dim[d] : 1;
    }
    memcpy(r.dim + 1, x->dim + mask->ndim, (size_t)(r.ndim - 1) * sizeof *r.dim);
    r.dim[0] = value->ndim >= r.ndim ? value->dim[value->ndim - r.ndim] : 1;
    value = gnd__update_fitted(func, value, r.ndim, r.dim);
    if (value->kind == GND__ERROR)
        return value;
    if (r.dim[0] == 1) {
        gnd__map m;
        int lead = value->ndim == r.ndim; /* drop its axis for the true elements */
        for (int d = 0; d < value->ndim; d++) {
            m.start[d] = 0;
            m.step[d] = 1;
            m.from[d] = (int8_t)(d - lead);
        }
        value = gnd__viewed(value, value->ndim - lead, value->dim + lead, &m);
        mask = gnd__reshaped(mask, x->ndim, dim);
        return gnd_where(mask, value, x);
    }
    if ((bad = gnd__mask_table(func, mask, &table, &count)))
        return bad;
    if (count != r.dim[0])
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: a value of shape %s for a mask with %" PRId64 " true element%s", func,
                         gnd__shape_text(text, value->ndim, value->dim), count,
                         count == 1 ? "" : "s");
    if (count == 0)
        return x;
    gnd__shape b = {1, {count}};
    gnd_array *last = gnd__mask_ranks(table, mask->size);
    return chosen(x, mask->ndim, axis, &b, 0, value, last);
}

gnd_array *gnd_set(gnd_array *x, int n, const gnd_range *idx, gnd_array *value)
{
    gnd__indexed ix;
    gnd_array *view, *mask, *y, *bad = gnd__update_check("set", x, n, idx, value);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("set");
    gnd_array *v = value->weak ? gnd__strong(value, x->dev, (gnd_dtype)x->dtype, "set")
                               : gnd__astype(value, (gnd_dtype)x->dtype, "set");
    if (v->kind == GND__ERROR)
        return gnd__leave(in, v);
    if (gnd__index_is_mask(x, n, idx, &view, &mask) && view == x) {
        y = set_mask("set", x, mask, v);
        return gnd__leave(in, y);
    }
    y = gnd__index_apart("set", x, n, idx, &ix);
    if (!y)
        y = gnd__update_unused(&ix);
    if (!y) {
        gnd_array *w = gnd__update_fitted("set", v, ix.r.ndim, ix.r.dim);
        view = gnd__index_view(&ix);
        if (w->kind == GND__ERROR || view->kind == GND__ERROR)
            y = gnd__same(w->kind == GND__ERROR ? w : view);
        else if (ix.narr)
            w = scattered(view, ix.narr, ix.idx, ix.axis, &ix.b, ix.place, w);
        else if (w->size == 1)
            w = gnd__reshaped(w, 0, NULL);
        else
            w = gnd__broadcast(w, ix.v.ndim, ix.v.dim);
        if (!y)
            y = gnd__update_back(&ix, w);
    }
    return gnd__leave(in, gnd__update_end(&ix, y, x));
}

gnd_array *gnd_put_along_axis(gnd_array *x, gnd_array *indices, gnd_array *value, int axis)
{
    static const char func[] = "put_along_axis";
    gnd__shape b;
    gnd_array *idx[GND_MAX_NDIM], *y = NULL, *v, *bad = gnd__update_check(func, x, 0, NULL, value);
    int axes[GND_MAX_NDIM], k;
    if (bad || (bad = gnd__check_strong(indices, func, "indices")) ||
        (bad = gnd__along_axis(func, x, indices, axis, &k, &b)))
        return bad;
    for (int d = 0; d < x->ndim; d++)
        axes[d] = d;
    const gnd__inner in = gnd__enter(func);
    v = value->weak ? gnd__strong(value, x->dev, (gnd_dtype)x->dtype, func)
                    : gnd__astype(value, (gnd_dtype)x->dtype, func);
    if (v->kind == GND__ERROR)
        return gnd__leave(in, v);
    gnd_array *w = gnd__update_fitted(func, v, b.ndim, b.dim);
    int fits = w->kind != GND__ERROR && gnd__shape_size(b.ndim, b.dim, 1) > 0;
    for (int d = 0; d < x->ndim; d++)
        fits &= d == k || b.dim[d] == x->dim[d];
    gnd_array *along = gnd__indices(func, "indices", indices, x->dev, x->dim[k], k);
    if (fits && along->kind != GND__ERROR) {
        const gnd__shape one = {1, {b.dim[k]}};
        y = passed(x, k, 1, gnd__broadcast(along, b.ndim, b.dim), &one,
                   GND__POS_OUTER | GND__POS_INNER, w);
    }
    for (int d = 0; d < x->ndim && !y; d++) {
        idx[d] = d == k ? along : gnd__update_counted(x->dev, 1, &x->dim[d], x->ndim - 1 - d);
        if (idx[d]->kind == GND__ERROR)
            y = idx[d];
    }
    if (!y)
        y = w->kind == GND__ERROR ? w : scattered(x, x->ndim, idx, axes, &b, 0, w);
    return gnd__leave(in, y);
}
