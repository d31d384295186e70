/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/update_place.c - see update.h. Puts a view's new elements back into the array: by boxes
 * that cover it (GND__ASSEMBLE), each written once, so that values are computed where they are
 * stored; or elementwise if steps leave gaps, for single values, and for small arrays unless all
 * but a thin rim is set.
 */
#include "ops/index/update.h"

#include <string.h>
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/elementwise.h>

/* Arrays of up to this number of elements are changed elementwise: where the region lies is then a
 * number that kernels and plans take as an argument, so a loop over other regions makes no new
 * plan. Not if the region leaves a rim of at most this width, as in a stencil: the same region is
 * set again and again, and boxes let one kernel compute and store it. */
#define SMALL 16384
#define RIM 4

/* --- arguments -------------------------------------------------------------------------------- */

gnd_array *gnd__update_check(const char *func, gnd_array *x, int n, const gnd_range *idx,
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

gnd_array *gnd__update_unused(const gnd__indexed *ix)
{
    gnd_array *bad = NULL;
    if (gnd__shape_size(ix->r.ndim, ix->r.dim, 1) == 0 &&
        gnd__shape_size(ix->b.ndim, ix->b.dim, 1) > 0)
        for (int i = 0; i < ix->narr && !bad; i++)
            bad = gnd__check_now(ix->idx[i]);
    return bad;
}

static gnd_array *no_fit(const char *func, const gnd_array *value, int ndim, const int64_t *dim)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    return gnd__fail(value->dev, GND_ERR_SHAPE, "%s: a value of shape %s does not broadcast to %s",
                     func, gnd__shape_text(ta, value->ndim, value->dim),
                     gnd__shape_text(tb, ndim, dim));
}

gnd_array *gnd__update_fitted(const char *func, gnd_array *value, int ndim, const int64_t *dim)
{
    int extra = value->ndim - ndim, fits = 1;
    for (int i = 0; i < extra; i++)
        fits &= value->dim[i] == 1;
    for (int i = extra > 0 ? extra : 0; i < value->ndim; i++)
        fits &= value->dim[i] == 1 || value->dim[i] == dim[i - extra];
    if (!fits)
        return no_fit(func, value, ndim, dim);
    if (extra <= 0)
        return value;
    gnd__map m;
    for (int i = 0; i < value->ndim; i++) {
        m.start[i] = 0;
        m.step[i] = 1;
        m.from[i] = (int8_t)(i < extra ? -1 : i - extra);
    }
    return gnd__viewed(value, ndim, value->dim + extra, &m);
}

/* --- numbers ---------------------------------------------------------------------------------- */

gnd_array *gnd__update_counted(gnd_device *dev, int ndim, const int64_t *dim, int more)
{
    int64_t n = gnd__shape_size(ndim, dim, 1);
    gnd_array *i = gnd__node(GND__IOTA, dev, GND_INT64, 1, &n, 0, NULL);
    if (i->kind != GND__ERROR && ndim != 1)
        i = gnd__reshaped(i, ndim, dim);
    return gnd__trailing(i, more);
}

/* --- back into the array ---------------------------------------------------------------------- */

/* The elements along each axis of x that an index names. */
typedef struct region {
    int64_t start[GND_MAX_NDIM], step[GND_MAX_NDIM], count[GND_MAX_NDIM];
    int empty, whole, gaps;
} region;

/* x with w at a region without gaps. */
static gnd_array *boxed(gnd_array *x, const region *g, gnd_array *w)
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
        for (int side = 0; side < 2; side++) { /* the parts before and after it along this axis */
            m.start[d] = side ? end : 0;
            n[d] = side ? x->dim[d] - end : g->start[d];
            if (n[d] == 0)
                continue;
            piece[k] = gnd__viewed(x, x->ndim, n, &m);
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

/* The same in one kernel, for any region: w if the indices are in the region. w has its shape, or
 * one element. */
static gnd_array *masked(gnd_array *x, const region *g, gnd_array *w)
{
    gnd_array *in = NULL, *idx[GND_MAX_NDIM];
    gnd__gather how;
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int n = 0, by = 0, single = w->size == 1;
    for (int d = 0; d < x->ndim; d++) {
        int64_t start = g->start[d], step = g->step[d], count = g->count[d];
        gnd_array *i = gnd__update_counted(x->dev, 1, &x->dim[d], x->ndim - 1 - d),
                  *part[3] = {NULL}, *at = i;
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
            return i;
        if (start > 0) {
            part[0] = gnd_greater_equal(i, gnd_int(start));
            at = gnd_subtract(i, gnd_int(start));
        }
        if (start + (count - 1) * step + 1 < x->dim[d])
            part[1] = gnd_less_equal(i, gnd_int(start + (count - 1) * step));
        if (step > 1) {
            part[2] = gnd_equal(gnd_remainder(at, gnd_int(step)), gnd_int(0));
            at = gnd_floor_divide(at, gnd_int(step));
        }
        for (int k = 0; k < 3; k++)
            if (part[k]) {
                in = in ? gnd_logical_and(in, part[k]) : part[k];
            }
        if (count == 1)
            continue;
        if (!single) /* clamped, so that it is within w for every element */
            at = gnd_clip(at, gnd_int(0), gnd_int(count - 1));
        how.from[n] = -1;
        idx[by++] = at;
        dim[n++] = count;
        if (at->kind == GND__ERROR)
            return at;
    }
    if (!single && by) {
        w = gnd__viewed(w, n, dim, &m);
        if (w->kind != GND__ERROR)
            w = gnd__take_node(w, by, idx, x->ndim, x->dim, &how);
    }
    return gnd_where(in, w, x);
}

/* Whether a region is all of x except a thin rim. */
static int has_thin_rim(const gnd_array *x, const region *g)
{
    for (int d = 0; d < x->ndim; d++) {
        const int64_t before = g->start[d], after = x->dim[d] - before - g->count[d];
        if (before > RIM || after > RIM || g->count[d] < 2 * (before + after))
            return 0;
    }
    return 1;
}

gnd_array *gnd__update_back(gnd__indexed *ix, gnd_array *w)
{
    gnd_array *x = ix->x;
    region g = {.empty = x->size == 0, .whole = 1};
    gnd__map m;
    if (w->kind == GND__ERROR)
        return w;
    for (int j = 0; j < ix->v.ndim; j++) { /* removes new axes */
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
            if (g.step[d] < 0) { /* counted from its other end */
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
        return x;
    if (g.whole && w->size == 1 && w->ndim == 0)
        return gnd__broadcast(w, x->ndim, x->dim);
    if (w->ndim || ix->v.ndim == 0) {
        w = gnd__viewed(w, x->ndim, g.count, &m);
        if (w->kind == GND__ERROR || g.whole)
            return w;
    }
    if (w->size == 1 || g.gaps || (x->size <= SMALL && !has_thin_rim(x, &g)))
        return masked(x, &g, w);
    return boxed(x, &g, w);
}

gnd_array *gnd__update_end(gnd__indexed *ix, gnd_array *y, const gnd_array *x)
{
    if (y->kind != GND__ERROR && ix->x != x)
        y = gnd__reshaped(y, x->ndim, x->dim);
    return y;
}
