/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/update_at.c - updates by index in which every value counts, however often a place is
 * named: gnd_add_at, gnd_max_at and gnd_min_at. They use prim/accumulate.h on the view made by an
 * index's ints and slices, which is then put back into its place (ops/index/update_place.c).
 */
#include <string.h>
#include "ops/index/update.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/accumulate.h"
#include <gnd/elementwise.h>
#include <gnd/index.h>

/* The flat positions in the view of what ix names, in the result's shape. Axes after the last one
 * that an array indexes make up a row, and rows count as one position. */
static gnd_array *view_positions(gnd__indexed *ix)
{
    int64_t stride[GND_MAX_NDIM], s = 1;
    int q[GND_MAX_NDIM]; /* of each axis of the view, the result's; -1: an array indexes it */
    const int vdim = ix->axis[ix->narr - 1] + 1, ndim = ix->r.ndim - (ix->v.ndim - vdim);
    gnd_array *pos = NULL, *one;
    for (int d = vdim - 1; d >= 0; d--) {
        stride[d] = s;
        s *= ix->v.dim[d];
    }
    for (int d = 0, a = 0, k = 0; d < vdim; d++) {
        q[d] = -1;
        if (a < ix->narr && d == ix->axis[a]) {
            a++;
            continue;
        }
        q[d] = k < ix->place ? k : k + ix->b.ndim;
        k++;
    }
    for (int i = 0; i < ix->narr; i++) {
        one = gnd__trailing(ix->idx[i], ndim - ix->place - ix->b.ndim);
        if (stride[ix->axis[i]] != 1)
            one = gnd_multiply(one, gnd_int(stride[ix->axis[i]]));
        pos = pos ? gnd_add(pos, one) : one;
    }
    for (int d = vdim - 1; d >= 0; d--) {
        int end = d; /* axes that are adjacent in both count as one */
        if (q[d] < 0)
            continue;
        while (d > 0 && q[d - 1] >= 0 && q[d - 1] == q[d] - 1)
            d--;
        one = gnd__update_counted(ix->x->dev, end + 1 - d, ix->v.dim + d, ndim - 1 - q[end]);
        if (stride[end] != 1)
            one = gnd_multiply(one, gnd_int(stride[end]));
        pos = gnd_add(pos, one);
    }
    return pos->kind == GND__ERROR ? pos : gnd__broadcast(pos, ndim, ix->r.dim);
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

static gnd_array *accumulated(const char *func, gnd__accop op, gnd_array *x, int n,
                              const gnd_range *idx, gnd_array *value)
{
    gnd__indexed ix;
    gnd_array *y, *bad = gnd__update_check(func, x, n, idx, value);
    if (bad)
        return bad;
    if (op != GND__ACC_ADD && gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "%s: %s is not allowed: bools, ints and floats only", func,
                         gnd_dtype_name((gnd_dtype)x->dtype));
    const gnd__inner in = gnd__enter(func);
    gnd_array *v = same_kind(func, value, x->dev, (gnd_dtype)x->dtype);
    if (v->kind == GND__ERROR)
        return gnd__leave(in, v);
    y = gnd__index_apart(func, x, n, idx, &ix);
    if (!y)
        y = gnd__update_unused(&ix);
    if (!y) {
        gnd_array *w = gnd__update_fitted(func, v, ix.r.ndim, ix.r.dim),
                  *view = gnd__index_view(&ix);
        if (w->kind == GND__ERROR || view->kind == GND__ERROR) {
            y = gnd__same(w->kind == GND__ERROR ? w : view);
        } else if (ix.narr == 0) {
            y = gnd__update_back(&ix, op == GND__ACC_ADD   ? gnd_add(view, w)
                                      : op == GND__ACC_MAX ? gnd_maximum(view, w)
                                                           : gnd_minimum(view, w));
        } else if (gnd__shape_size(ix.r.ndim, ix.r.dim, 1) == 0) {
            y = gnd__same(ix.x);
        } else {
            gnd_array *pos = view_positions(&ix);
            w = gnd__broadcast(w, ix.r.ndim, ix.r.dim);
            y = pos->kind == GND__ERROR ? pos : w->kind == GND__ERROR ? w : NULL;
            if (!y) {
                w = gnd__accumulate_node(op, pos, w, view, view->size);
                if (w->kind != GND__ERROR)
                    w = gnd__reshaped(w, ix.v.ndim, ix.v.dim);
                y = gnd__update_back(&ix, w);
            }
        }
    }
    return gnd__leave(in, gnd__update_end(&ix, y, x));
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
