/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/fancy.c - elements at computed indices: gnd_take and similar functions, and arrays as
 * indices of gnd_index. All become one GND__TAKE whose indices are expressions: it fuses with their
 * computation and with its users. The device checks the indices (GND__CHECKED). gnd_fit_indices
 * makes indices that are in range.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ops/index/index.h"
#include "array/steps.h"
#include "array/through.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>

/* --- indices ---------------------------------------------------------------------------------- */

gnd_array *gnd__indices(const char *func, const char *what, gnd_array *a, gnd_device *dev,
                        int64_t size, int axis)
{
    gnd_array *x, *bad = gnd__check(a, func, what);
    gnd__scalar most = {.kind = 'i', .i = INT64_MAX};
    if (bad)
        return bad;
    if (!strchr("iu", gnd_dtype_kind((gnd_dtype)a->dtype)))
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s is %s: indices are ints%s", func, what,
                         gnd_dtype_name((gnd_dtype)a->dtype),
                         a->dtype == GND_BOOL ? ": for masks take gnd_compress or gnd_index"
                                              : ": gnd_astype first");
    x = a;
    if (a->weak) {
        x = gnd__strong(a, dev, GND_INT64, func);
    } else if (a->dtype == GND_UINT64) {
        /* values that do not fit int64 are out of range, and must not become negative */
        gnd_array *top = gnd__const(NULL, GND_INT64, &most, 1);
        x = gnd_minimum(a, top);
    }
    if (x->kind != GND__ERROR && x->dtype != GND_INT64)
        x = gnd__cast_node(x, GND_INT64);
    return x->kind == GND__ERROR ? x : gnd__checked_node(x, func, size, axis);
}

gnd_array *gnd_fit_indices(gnd_array *indices, int64_t size, gnd_index_mode mode)
{
    static const char func[] = "fit_indices";
    gnd_array *y = indices, *bad = gnd__check(indices, func, "indices");
    if (bad)
        return bad;
    if (!strchr("iu", gnd_dtype_kind((gnd_dtype)y->dtype)))
        return gnd__fail(y->dev, GND_ERR_DTYPE, "%s: indices is %s: indices are ints", func,
                         gnd_dtype_name((gnd_dtype)y->dtype));
    if (size < 0)
        return gnd__fail(y->dev, GND_ERR_ARG, "%s: size is %" PRId64, func, size);
    if (mode != GND_INDEX_RAISE && mode != GND_INDEX_WRAP && mode != GND_INDEX_CLIP)
        return gnd__fail(y->dev, GND_ERR_ARG, "%s: mode is %d, not GND_INDEX_RAISE, _WRAP or _CLIP",
                         func, (int)mode);
    if (mode == GND_INDEX_RAISE || y->size == 0)
        return gnd__same(y);
    if (size == 0)
        return gnd__fail(y->dev, GND_ERR_INDEX, "%s: indices into an axis of no elements", func);
    const gnd__inner in = gnd__enter("fit_indices");
    if (!y->weak && y->dtype != GND_UINT64) /* uint64 would become negative */
        y = gnd__as(y, GND_INT64);
    y = mode == GND_INDEX_WRAP   ? gnd_remainder(y, gnd_int(size))
        : y->dtype == GND_UINT64 ? gnd_minimum(y, gnd_int(size - 1))
                                 : gnd_clip(y, gnd_int(0), gnd_int(size - 1));
    return gnd__leave(in, y->weak ? y : gnd__as(y, GND_INT64));
}

gnd_array *gnd__trailing(gnd_array *a, int n)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    if (a->kind == GND__ERROR || n == 0 || a->ndim == 0)
        return a;
    if (a->ndim + n > GND_MAX_NDIM)
        return gnd__fail(a->dev, GND_ERR_SHAPE, "indices: over %d dimensions", GND_MAX_NDIM);
    gnd__map_identity(&m, a->ndim);
    memcpy(dim, a->dim, a->ndim * sizeof *dim);
    for (int i = 0; i < n; i++)
        dim[a->ndim + i] = 1;
    return gnd__viewed(a, a->ndim + n, dim, &m);
}

gnd_array *gnd__check_now(gnd_array *indices)
{
    gnd_status st;
    if (indices->size == 0 || (st = gnd_wait(indices)) == GND_OK)
        return NULL;
    gnd_array *bad = gnd__check(indices, "", "");
    return bad ? bad : gnd__fail(indices->dev, st, "%s", gnd_message());
}

/* --- takes ------------------------------------------------------------------------------------ */

gnd_array *gnd__take_axes(gnd_array *x, int n, gnd_array *const *idx, const int *axis,
                          const gnd__shape *b, int place)
{
    gnd__gather how;
    gnd_array *in[GND_MAX_NDIM + 1], *y = NULL;
    int64_t dim[GND_MAX_NDIM];
    int ndim = x->ndim - n + b->ndim, a = 0, out = 0;
    for (int i = 0; i < b->ndim; i++)
        dim[place + i] = b->dim[i];
    for (int d = 0; d < x->ndim; d++) {
        how.from[d] = -1;
        how.via[d] = (int8_t)(a + 1);
        if (a < n && d == axis[a]) {
            a++;
            continue;
        }
        if (out == place)
            out += b->ndim;
        how.from[d] = (int8_t)out;
        dim[out++] = x->dim[d];
    }
    for (int i = 0; i < n && !y; i++) {
        in[i] = gnd__trailing(idx[i], ndim - place - b->ndim);
        if (in[i]->kind == GND__ERROR)
            y = in[i];
    }
    if (!y)
        y = gnd__take_through(x, n, in, ndim, dim, &how);
    /* rows without elements: no kernel reads their indices */
    int unread = y->kind == GND__TAKE && y->size == 0 && gnd__shape_size(b->ndim, b->dim, 1) > 0;
    for (int i = 0; i < n && unread && y->kind == GND__TAKE; i++) {
        gnd_array *bad = gnd__check_now(idx[i]);
        if (bad)
            y = bad;
    }
    return y;
}

gnd_array *gnd__index_get(gnd__indexed *ix)
{
    gnd_array *v = gnd__index_view(ix);
    if (v->kind == GND__ERROR || ix->narr == 0)
        return v;
    return gnd__take_axes(v, ix->narr, ix->idx, ix->axis, &ix->b, ix->place);
}

/* x at the indices along axis k; the axis in messages may differ. */
static gnd_array *taken(const char *func, gnd_array *x, gnd_array *indices, int k, int axis)
{
    gnd__shape b;
    gnd_array *y, *bad;
    gnd_device *dev;
    bad = gnd__check(indices, func, "indices");
    if (bad || (bad = gnd__check_devices(func, 2, (gnd_array *[]){x, indices}, &dev)))
        return bad;
    const gnd__inner in = gnd__enter(func);
    gnd_array *i = gnd__indices(func, "indices", indices, x->dev, x->dim[k], axis);
    if (i->kind == GND__ERROR)
        return gnd__leave(in, i);
    b.ndim = i->ndim;
    memcpy(b.dim, i->dim, i->ndim * sizeof *b.dim);
    if (x->ndim - 1 + i->ndim > GND_MAX_NDIM) {
        y = gnd__fail(x->dev, GND_ERR_SHAPE, "%s: the result has over %d dimensions", func,
                      GND_MAX_NDIM);
    } else if (i->size && x->dim[k] == 0) {
        y = gnd__fail(x->dev, GND_ERR_INDEX, "%s: indices into an axis of no elements", func);
    } else {
        y = gnd__take_axes(x, 1, &i, &k, &b, k);
        bad = y->kind == GND__ERROR
                  ? NULL
                  : gnd__check_shape(func, x->dev, (gnd_dtype)y->dtype, y->ndim, y->dim);
        if (bad)
            y = bad;
    }
    return gnd__leave(in, y);
}

gnd_array *gnd_take(gnd_array *x, gnd_array *indices, int axis)
{
    int k;
    gnd_array *bad = gnd__check_strong(x, "take", "x");
    if (bad || (bad = gnd__check_axis("take", x->dev, axis, x->ndim, &k)))
        return bad;
    return taken("take", x, indices, k, k);
}

gnd_array *gnd_take_flat(gnd_array *x, gnd_array *indices)
{
    gnd_array *bad = gnd__check_strong(x, "take_flat", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("take_flat");
    gnd_array *flat = gnd__reshaped(x, 1, &x->size);
    if (flat->kind == GND__ERROR)
        return gnd__leave(in, flat);
    return gnd__leave(in, taken("take_flat", flat, indices, 0, -1));
}

gnd_array *gnd__along_axis(const char *func, gnd_array *x, gnd_array *indices, int axis, int *k,
                           gnd__shape *b)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check_devices(func, 2, (gnd_array *[]){x, indices}, &dev);
    if (bad || (bad = gnd__check_axis(func, dev, axis, x->ndim, k)))
        return bad;
    if (indices->ndim != x->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s: %d and %d dimensions", func,
                         gnd__shape_text(ta, x->ndim, x->dim),
                         gnd__shape_text(tb, indices->ndim, indices->dim), x->ndim, indices->ndim);
    b->ndim = x->ndim;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t n = x->dim[d], m = indices->dim[d];
        b->dim[d] = d == *k || n == 1 ? m : n;
        if (d != *k && n != m && n != 1 && m != 1)
            return gnd__fail(dev, GND_ERR_SHAPE,
                             "%s: shapes %s and %s do not broadcast: axis %d has %" PRId64
                             " and %" PRId64,
                             func, gnd__shape_text(ta, x->ndim, x->dim),
                             gnd__shape_text(tb, indices->ndim, indices->dim), d, n, m);
    }
    if (indices->size && x->dim[*k] == 0)
        return gnd__fail(dev, GND_ERR_INDEX, "%s: indices into an axis of no elements", func);
    return NULL;
}

gnd_array *gnd_take_along_axis(gnd_array *x, gnd_array *indices, int axis)
{
    static const char func[] = "take_along_axis";
    int64_t dim[GND_MAX_NDIM];
    gnd__gather how;
    gnd__shape b;
    int k;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check_strong(indices, func, "indices")) ||
        (bad = gnd__along_axis(func, x, indices, axis, &k, &b)) ||
        (bad = gnd__check_shape(func, x->dev, (gnd_dtype)x->dtype, b.ndim, b.dim)))
        return bad;
    for (int d = 0; d < x->ndim; d++) {
        how.from[d] = (int8_t)(d == k ? -1 : d);
        how.via[d] = 1;
        dim[d] = d == k ? x->dim[d] : b.dim[d];
    }
    const gnd__inner in = gnd__enter(func);
    gnd_array *i = gnd__indices(func, "indices", indices, x->dev, x->dim[k], k);
    gnd_array *v = gnd__broadcast(x, x->ndim, dim);
    gnd_array *y = i->kind == GND__ERROR   ? i
                   : v->kind == GND__ERROR ? v
                                           : gnd__take_through(v, 1, &i, b.ndim, b.dim, &how);
    if (y->kind == GND__TAKE && y->size == 0 && (bad = gnd__check_now(i)))
        y = bad;
    return gnd__leave(in, y);
}
