/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/compact.c - functions of where something is true: nonzero, argwhere, compress ... The
 * table of a mask is evaluated at once, because the size of the result depends on it.
 */
#include <inttypes.h>
#include <string.h>
#include "ops/index/index.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include "prim/compact.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>

/* --- masks ------------------------------------------------------------------------------------ */

gnd_array *gnd__mask_table(const char *func, gnd_array *mask, gnd_array **table, int64_t *count)
{
    gnd_status st;
    *count = 0;
    *table = gnd__mask_node(mask);
    if ((*table)->kind == GND__ERROR)
        return gnd__same(*table);
    if (mask->size == 0)
        return NULL;
    gnd_array *n = gnd__slice(*table, 0, gnd__mask_count_at(mask->size), 1);
    if (n->kind == GND__ERROR)
        return n;
    *count = gnd_item_i64(n, &st);
    if (st) {
        gnd_array *bad = gnd__check(n, func, "the mask");
        return bad ? bad : gnd__fail(mask->dev, st, "%s: %s", func, gnd_message());
    }
    /* the null device computes nothing, so any number may be there */
    *count = *count < 0 ? 0 : *count > mask->size ? mask->size : *count;
    return NULL;
}

gnd_array *gnd__check_mask(const char *func, const gnd_array *mask, const gnd_array *x, int k)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    int fits = 1;
    for (int d = 0; d < mask->ndim; d++)
        fits &= mask->dim[d] == x->dim[k + d] || mask->dim[d] == 0;
    if (fits)
        return NULL;
    return gnd__fail(x->dev, GND_ERR_INDEX, "%s: a mask of shape %s over axes of shape %s", func,
                     gnd__shape_text(ta, mask->ndim, mask->dim),
                     gnd__shape_text(tb, mask->ndim, x->dim + k));
}

int gnd__index_is_mask(gnd_array *x, int n, const gnd_range *idx, gnd_array **view,
                       gnd_array **mask)
{
    gnd_range r[GND_MAX_NDIM];
    int ints = 0, at = -1;
    for (int i = 0; i < n; i++) {
        if (idx[i].kind == GND_IDX_ARRAY && at < 0)
            at = i;
        else if (idx[i].kind == GND_IDX_INT && at < 0 && ints < GND_MAX_NDIM)
            r[ints++] = idx[i];
        else if (idx[i].kind != GND_IDX_ELLIPSIS || at < 0 || i != n - 1)
            return 0;
    }
    *mask = at < 0 ? NULL : idx[at].array;
    if (!*mask || !gnd__alive(*mask) || (*mask)->kind == GND__ERROR || (*mask)->dtype != GND_BOOL ||
        (*mask)->ndim == 0 || (*mask)->dev != x->dev || gnd_status_of(*mask) ||
        ints + (*mask)->ndim > x->ndim)
        return 0;
    *view = x;
    if (ints)
        *view = gnd_index(x, ints, r);
    if ((*view)->kind == GND__ERROR)
        return 0;
    /* An empty mask over axes that do not match selects nothing and needs no path of its own. */
    return (*mask)->size > 0 ||
           memcmp((*mask)->dim, (*view)->dim, (*mask)->ndim * sizeof *(*mask)->dim) == 0;
}

/* x as a mask: true where it is non-zero. */
static gnd_array *truth(gnd_array *x)
{
    return x->dtype == GND_BOOL ? x : gnd__cast_node(x, GND_BOOL);
}

/* Sets *pos to the flat positions of the true elements of x, of dtype dt. */
static gnd_array *positions(const char *func, gnd_array *x, gnd_dtype dt, gnd_array **pos)
{
    gnd_array *table, *mask = truth(x), *bad;
    int64_t count;
    if (mask->kind == GND__ERROR)
        return mask;
    if ((bad = gnd__mask_table(func, mask, &table, &count)))
        return bad;
    *pos = gnd__mask_positions(table, x->size, count, dt);
    return (*pos)->kind == GND__ERROR ? gnd__same(*pos) : NULL;
}

/* The coordinates of flat positions along axis d of x: int64. */
static gnd_array *coordinate(gnd_array *pos, const gnd_array *x, int d)
{
    int64_t stride = 1;
    int outer = 1; /* the outermost axis needs no remainder */
    for (int i = d + 1; i < x->ndim; i++)
        stride *= x->dim[i];
    for (int i = 0; i < d; i++)
        outer &= x->dim[i] == 1;
    if (stride > 1)
        pos = gnd_floor_divide(pos, gnd_int(stride));
    if (!outer)
        pos = gnd_remainder(pos, gnd_int(x->dim[d]));
    return gnd_astype(pos, GND_INT64);
}

/* The narrowest unsigned dtype for flat positions of x: cheap to divide. */
static gnd_dtype position_dtype(const gnd_array *x)
{
    return x->ndim == 1 ? GND_INT64 : x->size <= UINT32_MAX ? GND_UINT32 : GND_UINT64;
}

gnd_status gnd_nonzero(gnd_array *x, gnd_array **out)
{
    gnd_array *pos = NULL, *bad = gnd__check_strong(x, "nonzero", "x");
    if (!bad && !out)
        bad = gnd__fail(x->dev, GND_ERR_NULL, "nonzero: out is NULL");
    if (!bad && x->ndim == 0)
        bad =
            gnd__fail(x->dev, GND_ERR_SHAPE, "nonzero: x has no dimensions: take gnd_flatnonzero");
    if (bad)
        return gnd__all_fail(out && x && gnd__alive(x) && x->kind != GND__ERROR ? x->ndim : 0, out,
                             bad);
    const gnd__inner in = gnd__enter("nonzero");
    bad = positions("nonzero", x, position_dtype(x), &pos);
    for (int d = 0; d < x->ndim; d++)
        out[d] = bad ? bad : coordinate(pos, x, d);
    return gnd__give(in, "nonzero", x->ndim, out);
}

gnd_array *gnd_flatnonzero(gnd_array *x)
{
    gnd_array *pos, *bad = gnd__check_strong(x, "flatnonzero", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("flatnonzero");
    bad = positions("flatnonzero", x, GND_INT64, &pos);
    return gnd__leave(in, bad ? bad : pos);
}

gnd_array *gnd_argwhere(gnd_array *x)
{
    gnd_array *pos, *y, *c[GND_MAX_NDIM], *bad = gnd__check_strong(x, "argwhere", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("argwhere");
    if ((bad = positions("argwhere", x, position_dtype(x), &pos)))
        return gnd__leave(in, bad);
    if (x->ndim == 0) {
        const int64_t dim[2] = {pos->size, 0};
        y = gnd__node(GND__EMPTY, x->dev, GND_INT64, 2, dim, 0, NULL);
    } else {
        for (int d = 0; d < x->ndim; d++)
            c[d] = coordinate(pos, x, d);
        y = x->ndim == 1 ? gnd_reshape(c[0], 2, (int64_t[]){-1, 1}) : gnd_stack(x->ndim, c, 1);
        if (x->ndim == 1 && pos->size == 0)
            y = gnd__node(GND__EMPTY, x->dev, GND_INT64, 2, (int64_t[]){0, 1}, 0, NULL);
    }
    return gnd__leave(in, y);
}

/* --- elements where a condition is true ------------------------------------------------------- */

/* The slices of x along axis k where condition, of one dimension, is true. */
static gnd_array *compressed(const char *func, gnd_array *condition, gnd_array *x, int k)
{
    gnd_array *pos, *y, *bad, *table, *mask;
    int64_t count;
    mask = truth(condition);
    if (mask->kind == GND__ERROR) {
        y = mask;
    } else if (x->ndim == 1 && mask->size <= x->size) {
        gnd_array *v = gnd__slice(x, 0, 0, mask->size);
        y = v->kind == GND__ERROR ? v : gnd__mask_table(func, mask, &table, &count);
        if (!y)
            y = gnd__mask_values(table, v, count);
    } else if ((bad = positions(func, mask, GND_INT64, &pos))) {
        y = bad;
    } else if (pos->size && x->dim[k] == 0) {
        y = gnd__fail(x->dev, GND_ERR_INDEX, "%s: indices into an axis of no elements", func);
    } else {
        if (mask->size > x->dim[k])
            pos = gnd__checked_node(pos, func, x->dim[k], k);
        y = pos->kind == GND__ERROR ? pos : gnd__taken(x, pos, k);
    }
    return y;
}

gnd_array *gnd_compress(gnd_array *condition, gnd_array *x, int axis)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    int k;
    gnd_array *bad = gnd__check_strong(condition, "compress", "condition");
    if (bad || (bad = gnd__check_strong(x, "compress", "x")) ||
        (bad = gnd__check_devices("compress", 2, (gnd_array *[]){condition, x}, &dev)) ||
        (bad = gnd__check_axis("compress", dev, axis, x->ndim, &k)))
        return bad;
    if (condition->ndim != 1)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "compress: a condition of shape %s: it has one dimension",
                         gnd__shape_text(text, condition->ndim, condition->dim));
    const gnd__inner in = gnd__enter("compress");
    return gnd__leave(in, compressed("compress", condition, x, k));
}

gnd_array *gnd_extract(gnd_array *condition, gnd_array *x)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(condition, "extract", "condition");
    if (bad || (bad = gnd__check_strong(x, "extract", "x")) ||
        (bad = gnd__check_devices("extract", 2, (gnd_array *[]){condition, x}, &dev)))
        return bad;
    const gnd__inner in = gnd__enter("extract");
    gnd_array *c = gnd__reshaped(condition, 1, &condition->size),
              *v = gnd__reshaped(x, 1, &x->size);
    const int failed = c->kind == GND__ERROR || v->kind == GND__ERROR;
    return gnd__leave(in,
                      failed ? (c->kind == GND__ERROR ? c : v) : compressed("extract", c, v, 0));
}
