/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/update.c - arrays with some elements changed: gnd_set, gnd_add_at and their like. Two steps: the
 * view that an index's ints and slices make gets its new elements, and goes back into its place in x.
 *
 * The first: for each place of the axes that arrays index the last position that names it, counted from
 * 1, is found (prim/scatter.h; for a mask, prim/compact.h), and the new elements are then elementwise,
 * last > 0 ? value[last - 1] : view, and fuse. The second: boxes that cover x (GND__ASSEMBLE), each
 * written once, so that the value is computed where it is stored; or, where steps leave gaps and for
 * single values and small arrays, elementwise too.
 */
#include <inttypes.h>
#include <string.h>
#include "api/index.h"
#include "api/views.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/accumulate.h"
#include "prim/compact.h"
#include "prim/scatter.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>

/* Arrays of so many elements and fewer are changed in one kernel rather than box by box. */
#define SMALL 16384

static gnd_array *weak(gnd__temps *t, int64_t v)
{
    gnd__scalar s = {.kind = 'i', .i = v};
    return gnd__hold(t, gnd__const(NULL, GND_INT64, &s, 1));
}

/* 0 .. n - 1 in the shape dim[ndim], which has n elements, and `more` axes of extent 1 behind. */
static gnd_array *counted(gnd__temps *t, gnd_device *dev, int ndim, const int64_t *dim, int more)
{
    int64_t n = gnd__shape_size(ndim, dim, 1);
    gnd_array *i = gnd__hold(t, gnd__node(GND__IOTA, dev, GND_INT64, 1, &n, 0, NULL));
    if (i->kind != GND__ERROR && ndim != 1)
        i = gnd__hold(t, gnd__reshaped(i, ndim, dim));
    return gnd__trailing(t, i, more);
}

/* --- values ------------------------------------------------------------------------------------ */

static gnd_array *no_fit(const char *func, const gnd_array *value, int ndim, const int64_t *dim)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    return gnd__fail(value->dev, GND_ERR_SHAPE, "%s: a value of shape %s does not broadcast to %s", func,
                     gnd__shape_text(ta, value->ndim, value->dim), gnd__shape_text(tb, ndim, dim));
}

/* value without leading axes of extent 1 that the shape has not, if it then broadcasts to the shape.
 * Held in t; or an error. */
static gnd_array *fitted(gnd__temps *t, const char *func, gnd_array *value, int ndim, const int64_t *dim)
{
    int extra = value->ndim - ndim, fits = 1;
    for (int i = 0; i < extra; i++)
        fits &= value->dim[i] == 1;
    for (int i = extra > 0 ? extra : 0; i < value->ndim; i++)
        fits &= value->dim[i] == 1 || value->dim[i] == dim[i - extra];
    if (!fits)
        return gnd__hold(t, no_fit(func, value, ndim, dim));
    if (extra <= 0)
        return value;
    gnd__map m;
    for (int i = 0; i < value->ndim; i++) {
        m.start[i] = 0;
        m.step[i] = 1;
        m.from[i] = (int8_t)(i < extra ? -1 : i - extra);
    }
    return gnd__hold(t, gnd__viewed(value, ndim, value->dim + extra, &m));
}

/* --- elements that arrays name ------------------------------------------------------------------ */

/* Elements `axis` of v are indexed by arrays of common shape b, whose axes begin at `place` of a shape
 * that the value broadcasts to; last: of v's shape, but 1 along the other axes, which of them came last
 * to each place, from 1, or 0. The value for each element of v, or what broadcasts to that. Held in t. */
static gnd_array *value_of(gnd__temps *t, const gnd_array *v, int naxis, const int *axis,
                           const gnd__shape *b, int place, gnd_array *value, gnd_array *last)
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
            if (!at) /* 0 where nothing came: what is there is not used */
                at = gnd__hold(t, gnd__cast_held(gnd__hold(t, gnd_subtract(gnd__hold(t, gnd_maximum(
                                   last, weak(t, 1))), weak(t, 1))), GND_INT64));
            idx[by] = at;
            if (bstride[d] > 1)
                idx[by] = gnd__hold(t, gnd_floor_divide(idx[by], weak(t, bstride[d])));
            if (bstride[d] * b->dim[d] < stride)
                idx[by] = gnd__hold(t, gnd_remainder(idx[by], weak(t, b->dim[d])));
            if (idx[by]->kind == GND__ERROR)
                return idx[by];
            by++;
        }
        wdim[n++] = value->dim[j];
    }
    gnd_array *w = gnd__hold(t, gnd__viewed(value, n, wdim, &m));
    if (w->kind == GND__ERROR)
        return w;
    if (by)
        return gnd__hold(t, gnd__take_node(w, by, idx, v->ndim, dim, &how));
    for (int j = 0; j < n; j++) {
        m.start[j] = 0;
        m.step[j] = 1;
        m.from[j] = how.from[j];
    }
    return gnd__hold(t, gnd__viewed(w, v->ndim, dim, &m));
}

/* v, with the value where last is not 0. */
static gnd_array *chosen(gnd__temps *t, gnd_array *v, int naxis, const int *axis, const gnd__shape *b,
                         int place, gnd_array *value, gnd_array *last)
{
    int64_t dim[GND_MAX_NDIM];
    for (int d = 0, k = 0; d < v->ndim; d++) {
        int indexed = k < naxis && d == axis[k];
        k += indexed;
        dim[d] = indexed ? v->dim[d] : 1;
    }
    if (last->kind != GND__ERROR)
        last = gnd__hold(t, gnd__reshaped(last, v->ndim, dim));
    if (last->kind == GND__ERROR)
        return gnd__same(last);
    gnd_array *w = value_of(t, v, naxis, axis, b, place, value, last);
    return gnd_where(gnd__hold(t, gnd_greater(last, weak(t, 0))), w, v);
}

/* v with the value at the places that arrays name. */
static gnd_array *scattered(gnd__temps *t, gnd_array *v, int narr, gnd_array *const *idx, const int *axis,
                            const gnd__shape *b, int place, gnd_array *value)
{
    gnd_array *pos = NULL;
    int64_t stride = 1;
    if (gnd__shape_size(b->ndim, b->dim, 1) == 0)
        return gnd__same(v);
    for (int i = narr - 1; i >= 0; i--) {
        gnd_array *one = stride == 1 ? idx[i] : gnd__hold(t, gnd_multiply(idx[i], weak(t, stride)));
        pos = pos ? gnd__hold(t, gnd_add(one, pos)) : one;
        stride *= v->dim[axis[i]];
    }
    if (pos->kind != GND__ERROR) /* each position of the common shape, once */
        pos = gnd__hold(t, gnd__broadcast(pos, b->ndim, b->dim));
    gnd_array *last = pos->kind == GND__ERROR ? pos : gnd__hold(t, gnd__last_node(pos, stride));
    return chosen(t, v, narr, axis, b, place, value, last);
}

/* --- back into the array ------------------------------------------------------------------------ */

/* The elements along each axis of x that an index names. */
typedef struct region {
    int64_t start[GND_MAX_NDIM], step[GND_MAX_NDIM], count[GND_MAX_NDIM];
    int empty, whole, gaps;
} region;

/* x with w in a region without gaps. */
static gnd_array *boxed(gnd__temps *t, gnd_array *x, const region *g, gnd_array *w)
{
    gnd_array *piece[2 * GND_MAX_NDIM + 1];
    gnd__box box[2 * GND_MAX_NDIM + 1];
    gnd__map m;
    int64_t n[GND_MAX_NDIM];
    int k = 0;
    gnd__map_identity(&m, x->ndim);
    memcpy(n, x->dim, x->ndim * sizeof *n);
    for (int d = 0; d < x->ndim; d++) {
        const int64_t end = g->start[d] + g->count[d];
        for (int side = 0; side < 2; side++) { /* what lies before and behind along this axis */
            m.start[d] = side ? end : 0;
            n[d] = side ? x->dim[d] - end : g->start[d];
            if (n[d] == 0)
                continue;
            piece[k] = gnd__hold(t, gnd__viewed(x, x->ndim, n, &m));
            memcpy(box[k].start, m.start, x->ndim * sizeof *m.start);
            if (piece[k++]->kind == GND__ERROR)
                return gnd__same(piece[k - 1]);
        }
        m.start[d] = g->start[d];
        n[d] = g->count[d];
    }
    piece[k] = w;
    memcpy(box[k++].start, g->start, x->ndim * sizeof *g->start);
    return gnd__assemble_node(x->dev, (gnd_dtype)x->dtype, x->ndim, x->dim, k, piece, box);
}

/* The same in one kernel, for any region: w where the indices lie in it. w: of its shape, or one
 * element. */
static gnd_array *masked(gnd__temps *t, gnd_array *x, const region *g, gnd_array *w)
{
    gnd_array *in = NULL, *idx[GND_MAX_NDIM];
    gnd__gather how;
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int n = 0, by = 0, single = w->size == 1;
    for (int d = 0; d < x->ndim; d++) {
        int64_t start = g->start[d], step = g->step[d], count = g->count[d];
        gnd_array *i = counted(t, x->dev, 1, &x->dim[d], x->ndim - 1 - d), *part[3] = {NULL}, *at = i;
        m.start[d] = 0;
        m.step[d] = 1;
        m.from[d] = (int8_t)(count == 1 ? -1 : n);
        how.from[n] = (int8_t)d;
        how.via[n] = (int8_t)(by + 1);
        if (count == x->dim[d] && count != 1) {
            dim[n++] = count;
            continue;
        }
        if (i->kind == GND__ERROR)
            return gnd__same(i);
        if (start > 0) {
            part[0] = gnd_greater_equal(i, weak(t, start));
            at = gnd__hold(t, gnd_subtract(i, weak(t, start)));
        }
        if (start + (count - 1) * step + 1 < x->dim[d])
            part[1] = gnd_less_equal(i, weak(t, start + (count - 1) * step));
        if (step > 1) {
            part[2] = gnd_equal(gnd__hold(t, gnd_remainder(at, weak(t, step))), weak(t, 0));
            at = gnd__hold(t, gnd_floor_divide(at, weak(t, step)));
        }
        for (int k = 0; k < 3; k++)
            if (part[k]) {
                gnd__hold(t, part[k]);
                in = in ? gnd__hold(t, gnd_logical_and(in, part[k])) : part[k];
            }
        if (count == 1)
            continue;
        if (!single) /* within w, wherever the element is */
            at = gnd__hold(t, gnd_clip(at, weak(t, 0), weak(t, count - 1)));
        how.from[n] = -1;
        idx[by++] = at;
        dim[n++] = count;
        if (at->kind == GND__ERROR)
            return gnd__same(at);
    }
    if (!single && by) {
        w = gnd__hold(t, gnd__viewed(w, n, dim, &m));
        if (w->kind != GND__ERROR)
            w = gnd__hold(t, gnd__take_node(w, by, idx, x->ndim, x->dim, &how));
    }
    return gnd_where(in, w, x);
}

/* ix's x with w, of its view's shape or one element, in the place of the view. */
static gnd_array *put_back(gnd__indexed *ix, gnd_array *w)
{
    gnd_array *x = ix->x;
    gnd__temps *t = &ix->t;
    region g = {.empty = x->size == 0, .whole = 1};
    gnd__map m;
    if (w->kind == GND__ERROR)
        return gnd__same(w);
    for (int j = 0; j < ix->v.ndim; j++) { /* new axes leave */
        m.start[j] = 0;
        m.step[j] = 1;
        m.from[j] = -1;
    }
    for (int d = 0; d < x->ndim; d++) {
        int j = ix->map.from[d];
        g.count[d] = j < 0 ? 1 : ix->v.dim[j];
        g.start[d] = ix->map.start[d];
        g.step[d] = ix->map.step[d];
        if (j >= 0) {
            m.from[j] = (int8_t)d;
            if (g.step[d] < 0) { /* from its other end */
                m.start[j] = g.count[d] - 1;
                m.step[j] = -1;
                g.start[d] += (g.count[d] - 1) * g.step[d];
                g.step[d] = -g.step[d];
            }
        }
        g.empty |= g.count[d] == 0;
        g.whole &= g.count[d] == x->dim[d];
        g.gaps |= g.count[d] > 1 && g.step[d] > 1;
    }
    if (g.empty)
        return gnd__same(x);
    if (g.whole && w->size == 1 && w->ndim == 0)
        return gnd__broadcast(w, x->ndim, x->dim);
    if (w->ndim || ix->v.ndim == 0) {
        w = gnd__hold(t, gnd__viewed(w, x->ndim, g.count, &m));
        if (w->kind == GND__ERROR || g.whole)
            return gnd__same(w);
    }
    if (w->size == 1 || g.gaps || x->size <= SMALL)
        return masked(t, x, &g, w);
    return boxed(t, x, &g, w);
}

/* y, of the shape of ix's x, in that of the array that the caller gave. */
static gnd_array *finished(gnd__indexed *ix, gnd_array *y, const gnd_array *x)
{
    if (y->kind != GND__ERROR && ix->x != x)
        y = gnd__instead(y, gnd__reshaped(y, x->ndim, x->dim));
    return gnd__drop_temps(&ix->t, y);
}

/* --- set ---------------------------------------------------------------------------------------- */

/* x with the value where the mask, over its first axes, is true. The positions of the true elements
 * are asked for only if the value has an axis for them. */
static gnd_array *set_mask(const char *func, gnd__temps *t, gnd_array *x, gnd_array *mask,
                           gnd_array *value)
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
    value = fitted(t, func, value, r.ndim, r.dim);
    if (value->kind == GND__ERROR)
        return gnd__same(value);
    if (r.dim[0] == 1) {
        gnd__map m;
        int lead = value->ndim == r.ndim; /* its axis for the true elements leaves */
        for (int d = 0; d < value->ndim; d++) {
            m.start[d] = 0;
            m.step[d] = 1;
            m.from[d] = (int8_t)(d - lead);
        }
        value = gnd__hold(t, gnd__viewed(value, value->ndim - lead, value->dim + lead, &m));
        mask = gnd__hold(t, gnd__reshaped(mask, x->ndim, dim));
        return gnd_where(mask, value, x);
    }
    if ((bad = gnd__mask_table(t, func, mask, &table, &count)))
        return bad;
    if (count != r.dim[0])
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: a value of shape %s for a mask with %" PRId64
                         " true element%s", func, gnd__shape_text(text, value->ndim, value->dim), count,
                         count == 1 ? "" : "s");
    if (count == 0)
        return gnd__same(x);
    gnd__shape b = {1, {count}};
    gnd_array *last = gnd__hold(t, gnd__mask_ranks(table, mask->size));
    return chosen(t, x, mask->ndim, axis, &b, 0, value, last);
}

/* Where an index with arrays names nothing, so that nothing would check them. */
static gnd_array *check_unused(const gnd__indexed *ix)
{
    gnd_array *bad = NULL;
    if (gnd__shape_size(ix->r.ndim, ix->r.dim, 1) == 0 && gnd__shape_size(ix->b.ndim, ix->b.dim, 1) > 0)
        for (int i = 0; i < ix->narr && !bad; i++)
            bad = gnd__check_now(ix->idx[i]);
    return bad;
}

/* What every update begins with: arguments that are usable, on one device. */
static gnd_array *check_update(const char *func, gnd_array *x, int n, const gnd_range *idx,
                               gnd_array *value)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check(value, func, "value")) ||
        (bad = gnd__check_devices(func, 2, (gnd_array *[]){x, value}, &dev)))
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: %d entries", func, n);
    if (n && !idx)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: the index is NULL", func);
    return NULL;
}

gnd_array *gnd_set(gnd_array *x, int n, const gnd_range *idx, gnd_array *value)
{
    gnd__indexed ix;
    gnd_array *view, *mask, *y, *bad = check_update("set", x, n, idx, value);
    if (bad)
        return bad;
    gnd_array *v = value->weak ? gnd__strong(value, x->dev, (gnd_dtype)x->dtype, "set")
                               : gnd__astype(value, (gnd_dtype)x->dtype, "set");
    if (v->kind == GND__ERROR)
        return v;
    ix.t.n = 0;
    if (gnd__index_is_mask(x, n, idx, &ix.t, &view, &mask) && view == x) {
        y = set_mask("set", &ix.t, x, mask, v);
        gnd__drop_temps(&ix.t, NULL);
        return gnd__instead(v, y);
    }
    gnd__drop_temps(&ix.t, NULL);
    y = gnd__index_apart("set", x, n, idx, &ix);
    if (!y)
        y = check_unused(&ix);
    if (!y) {
        gnd_array *w = fitted(&ix.t, "set", v, ix.r.ndim, ix.r.dim);
        view = gnd__hold(&ix.t, gnd__index_view(&ix));
        if (w->kind == GND__ERROR || view->kind == GND__ERROR)
            y = gnd__same(w->kind == GND__ERROR ? w : view);
        else if (ix.narr)
            w = gnd__hold(&ix.t, scattered(&ix.t, view, ix.narr, ix.idx, ix.axis, &ix.b, ix.place, w));
        else if (w->size == 1)
            w = gnd__hold(&ix.t, gnd__reshaped(w, 0, NULL));
        else
            w = gnd__hold(&ix.t, gnd__broadcast(w, ix.v.ndim, ix.v.dim));
        if (!y)
            y = put_back(&ix, w);
    }
    return gnd__instead(v, finished(&ix, y, x));
}

gnd_array *gnd_put_along_axis(gnd_array *x, gnd_array *indices, gnd_array *value, int axis)
{
    static const char func[] = "put_along_axis";
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd__temps t;
    gnd__shape b;
    gnd_array *idx[GND_MAX_NDIM], *y = NULL, *v, *bad = check_update(func, x, 0, NULL, value);
    gnd_device *dev;
    int axes[GND_MAX_NDIM], k;
    if (bad || (bad = gnd__check_strong(indices, func, "indices")) ||
        (bad = gnd__check_devices(func, 2, (gnd_array *[]){x, indices}, &dev)) ||
        (bad = gnd__check_axis(func, dev, axis, x->ndim, &k)))
        return bad;
    gnd__shape_text(ta, x->ndim, x->dim);
    gnd__shape_text(tb, indices->ndim, indices->dim);
    if (indices->ndim != x->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s: %d and %d dimensions", func, ta, tb,
                         x->ndim, indices->ndim);
    b.ndim = x->ndim;
    for (int d = 0; d < x->ndim; d++) {
        int64_t n = x->dim[d], m = indices->dim[d];
        axes[d] = d;
        b.dim[d] = d == k || n == 1 ? m : n;
        if (d != k && n != m && n != 1 && m != 1)
            return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s do not broadcast: axis %d has %"
                             PRId64 " and %" PRId64, func, ta, tb, d, n, m);
    }
    if (indices->size && x->dim[k] == 0)
        return gnd__fail(dev, GND_ERR_INDEX, "%s: indices into an axis of no elements", func);
    v = value->weak ? gnd__strong(value, dev, (gnd_dtype)x->dtype, func)
                    : gnd__astype(value, (gnd_dtype)x->dtype, func);
    if (v->kind == GND__ERROR)
        return v;
    t.n = 0;
    gnd_array *w = fitted(&t, func, v, b.ndim, b.dim);
    for (int d = 0; d < x->ndim && !y; d++) {
        idx[d] = d == k ? gnd__indices(&t, func, "indices", indices, dev, x->dim[d], d)
                        : counted(&t, dev, 1, &x->dim[d], x->ndim - 1 - d);
        if (idx[d]->kind == GND__ERROR)
            y = gnd__same(idx[d]);
    }
    if (!y)
        y = w->kind == GND__ERROR ? gnd__same(w) : scattered(&t, x, x->ndim, idx, axes, &b, 0, w);
    gnd__drop_temps(&t, NULL);
    return gnd__instead(v, y);
}

/* --- every value counts -------------------------------------------------------------------------- */

/* The flat positions in the view of what ix names, in the result's shape. Held in ix->t. */
static gnd_array *view_positions(gnd__indexed *ix)
{
    gnd__temps *t = &ix->t;
    int64_t stride[GND_MAX_NDIM], s = 1;
    int q[GND_MAX_NDIM]; /* of each axis of the view, the result's; -1: an array indexes it */
    gnd_array *pos = NULL, *one;
    for (int d = ix->v.ndim - 1; d >= 0; d--) {
        stride[d] = s;
        s *= ix->v.dim[d];
    }
    for (int d = 0, a = 0, k = 0; d < ix->v.ndim; d++) {
        q[d] = -1;
        if (a < ix->narr && d == ix->axis[a]) {
            a++;
            continue;
        }
        q[d] = k < ix->place ? k : k + ix->b.ndim;
        k++;
    }
    for (int i = 0; i < ix->narr; i++) {
        one = gnd__trailing(t, ix->idx[i], ix->r.ndim - ix->place - ix->b.ndim);
        if (stride[ix->axis[i]] != 1)
            one = gnd__hold(t, gnd_multiply(one, weak(t, stride[ix->axis[i]])));
        pos = pos ? gnd__hold(t, gnd_add(pos, one)) : one;
    }
    for (int d = ix->v.ndim - 1; d >= 0; d--) {
        int end = d; /* axes side by side, here and there, count as one */
        if (q[d] < 0)
            continue;
        while (d > 0 && q[d - 1] >= 0 && q[d - 1] == q[d] - 1)
            d--;
        one = counted(t, ix->x->dev, end + 1 - d, ix->v.dim + d, ix->r.ndim - 1 - q[end]);
        if (stride[end] != 1)
            one = gnd__hold(t, gnd_multiply(one, weak(t, stride[end])));
        pos = gnd__hold(t, gnd_add(pos, one));
    }
    return pos->kind == GND__ERROR ? pos : gnd__hold(t, gnd__broadcast(pos, ix->r.ndim, ix->r.dim));
}

/* The value as dtype t, if its kind is not above t's. */
static gnd_array *same_kind(const char *func, gnd_array *value, gnd_device *dev, gnd_dtype t)
{
    static const char order[] = "buifc";
    int kind = gnd_dtype_kind((gnd_dtype)value->dtype);
    int above = strchr(order, kind) > strchr(order, gnd_dtype_kind(t));
    if (value->weak && kind == 'i' && gnd_dtype_kind(t) == 'u')
        above = 0;
    if (above)
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s does not go into %s: take gnd_astype", func,
                         gnd_dtype_name((gnd_dtype)value->dtype), gnd_dtype_name(t));
    return value->weak ? gnd__strong(value, dev, t, func) : gnd__astype(value, t, func);
}

static gnd_array *accumulated(const char *func, gnd__accop op, gnd_array *x, int n, const gnd_range *idx,
                              gnd_array *value)
{
    gnd__indexed ix;
    gnd_array *y, *bad = check_update(func, x, n, idx, value);
    if (bad)
        return bad;
    if (op != GND__ACC_ADD && gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "%s: %s is not allowed: bools, ints and floats only", func,
                         gnd_dtype_name((gnd_dtype)x->dtype));
    gnd_array *v = same_kind(func, value, x->dev, (gnd_dtype)x->dtype);
    if (v->kind == GND__ERROR)
        return v;
    y = gnd__index_apart(func, x, n, idx, &ix);
    if (!y)
        y = check_unused(&ix);
    if (!y) {
        gnd__temps *t = &ix.t;
        gnd_array *w = fitted(t, func, v, ix.r.ndim, ix.r.dim), *view = gnd__hold(t, gnd__index_view(&ix));
        if (w->kind == GND__ERROR || view->kind == GND__ERROR) {
            y = gnd__same(w->kind == GND__ERROR ? w : view);
        } else if (ix.narr == 0) {
            y = put_back(&ix, gnd__hold(t, op == GND__ACC_ADD   ? gnd_add(view, w)
                                           : op == GND__ACC_MAX ? gnd_maximum(view, w)
                                                                : gnd_minimum(view, w)));
        } else if (gnd__shape_size(ix.r.ndim, ix.r.dim, 1) == 0) {
            y = gnd__same(ix.x);
        } else {
            gnd_array *pos = view_positions(&ix);
            w = gnd__hold(t, gnd__broadcast(w, ix.r.ndim, ix.r.dim));
            y = pos->kind == GND__ERROR ? gnd__same(pos) : w->kind == GND__ERROR ? gnd__same(w) : NULL;
            if (!y) {
                w = gnd__hold(t, gnd__accumulate_node(op, pos, w, view, view->size));
                if (w->kind != GND__ERROR)
                    w = gnd__hold(t, gnd__reshaped(w, ix.v.ndim, ix.v.dim));
                y = put_back(&ix, w);
            }
        }
    }
    return gnd__instead(v, finished(&ix, y, x));
}

gnd_array *gnd_add_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value)
{
    return accumulated("add_at", GND__ACC_ADD, x, n, idx, value);
}

gnd_array *gnd_max_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value)
{
    return accumulated("max_at", GND__ACC_MAX, x, n, idx, value);
}

gnd_array *gnd_min_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value)
{
    return accumulated("min_at", GND__ACC_MIN, x, n, idx, value);
}
