/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/shape/stack.c - joins that first add dimensions: NumPy's stacks by rows, columns and depth,
 * append, and nested blocks. The stacks use gnd__concat; blocks are one GND__ASSEMBLE of all boxes.
 */
#include <inttypes.h>
#include <string.h>
#include "array/views.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/manip.h>

/* Adds dimensions to one array before the join. Returns a new handle. */
typedef gnd_array *prepare(gnd_array *x);

/* Prepares n arrays and joins them along an axis from 0 to 2 (along axis 0 if the first array has
 * one dimension). */
static gnd_array *stacked(const char *func, int n, gnd_array *const *x, prepare *make, int axis)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_list(func, n, x, &dev), **piece;
    if (bad)
        return bad;
    if (!(piece = gnd__malloc((size_t)n * sizeof *piece)))
        return gnd__nomem();
    const gnd__inner in = gnd__enter(func);
    gnd_dtype t = gnd__common_dtype(dev, n, x);
    for (int i = 0; i < n && !bad; i++) {
        piece[i] = x[i]->weak ? gnd__strong(x[i], dev, t, func) : x[i];
        if (piece[i]->kind != GND__ERROR)
            piece[i] = make(piece[i]);
        if (piece[i]->kind == GND__ERROR)
            bad = piece[i];
    }
    if (!bad && piece[0]->ndim == 1)
        axis = 0;
    gnd_array *y = bad ? bad : gnd__concat(func, n, piece, axis);
    gnd__free(piece);
    return gnd__leave(in, y);
}

static gnd_array *rows(gnd_array *x)
{
    return gnd__atleast(x, 2);
}
static gnd_array *vector(gnd_array *x)
{
    return gnd__atleast(x, 1);
}
static gnd_array *deep(gnd_array *x)
{
    return gnd__atleast(x, 3);
}

static gnd_array *column(gnd_array *x)
{
    return x->ndim < 2 ? gnd__reshaped(x, 2, (int64_t[]){x->size, 1}) : x;
}

gnd_array *gnd_vstack(int n, gnd_array *const *x)
{
    return stacked("vstack", n, x, rows, 0);
}

gnd_array *gnd_hstack(int n, gnd_array *const *x)
{
    return stacked("hstack", n, x, vector, 1);
}

gnd_array *gnd_dstack(int n, gnd_array *const *x)
{
    return stacked("dstack", n, x, deep, 2);
}

gnd_array *gnd_column_stack(int n, gnd_array *const *x)
{
    return stacked("column_stack", n, x, column, 1);
}

/* --- append ----------------------------------------------------------------------------------- */

gnd_array *gnd_append(gnd_array *x, gnd_array *y, int axis)
{
    return gnd__concat("append", 2, (gnd_array *[]){x, y}, axis);
}

static gnd_array *flat(gnd_array *x)
{
    return gnd__reshaped(x, 1, &x->size);
}

gnd_array *gnd_append_flat(gnd_array *x, gnd_array *y)
{
    return stacked("append_flat", 2, (gnd_array *[]){x, y}, flat, 0);
}

/* --- block ------------------------------------------------------------------------------------ */

enum { MOST = 1 << 20 }; /* the most blocks: each is a kernel */

/* A block under construction: its extents and its leaves. */
typedef struct part {
    int64_t dim[GND_MAX_NDIM];
    int first, count;
} part;

/* Joins n parts along axis. */
static gnd_array *side_by_side(gnd_device *dev, part *p, int n, int ndim, int axis, gnd__box *box)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    for (int i = 1; i < n; i++) {
        for (int d = 0; d < ndim; d++)
            if (d != axis && p[i].dim[d] != p[0].dim[d])
                return gnd__fail(dev, GND_ERR_SHAPE,
                                 "block: shapes %s and %s side by side along axis "
                                 "%d: axis %d has %" PRId64 " and %" PRId64,
                                 gnd__shape_text(ta, ndim, p[0].dim),
                                 gnd__shape_text(tb, ndim, p[i].dim), axis, d, p[0].dim[d],
                                 p[i].dim[d]);
        for (int k = 0; k < p[i].count; k++)
            box[p[i].first + k].start[axis] += p[0].dim[axis];
        if (__builtin_add_overflow(p[0].dim[axis], p[i].dim[axis], &p[0].dim[axis]))
            return gnd__fail(dev, GND_ERR_OVERFLOW,
                             "block: the number of bytes does not fit 64 bits");
        p[0].count += p[i].count;
    }
    return NULL;
}

/* Joins the leaves level by level, the innermost lists first. counts: as for gnd_block. The result
 * is p[0]. */
static gnd_array *nest(gnd_device *dev, int depth, const int *counts, int ndim, part *p,
                       gnd__box *box)
{
    int first[GND_MAX_NDIM + 1], lists = 1; /* where each level's counts begin */
    first[0] = 0;
    for (int level = 0; level < depth; level++) {
        int items = 0;
        first[level + 1] = first[level] + lists;
        for (int i = first[level]; i < first[level + 1]; i++)
            items += counts[i];
        lists = items;
    }
    for (int level = depth - 1; level >= 0; level--) {
        int from = 0;
        for (int i = first[level]; i < first[level + 1]; i++) {
            gnd_array *bad =
                side_by_side(dev, p + from, counts[i], ndim, ndim - depth + level, box);
            if (bad)
                return bad;
            p[i - first[level]] = p[from];
            from += counts[i];
        }
    }
    return NULL;
}

/* The number of leaves that counts describes; -1: a list is empty, or there are too many. */
static int count_leaves(int depth, const int *counts)
{
    int64_t lists = 1;
    for (int level = 0, at = 0; level < depth; level++) {
        int64_t items = 0;
        for (int64_t i = 0; i < lists; i++, at++) {
            if (counts[at] < 1)
                return -1;
            items += counts[at];
        }
        if (items > MOST)
            return -1;
        lists = items;
    }
    return (int)lists;
}

/* x as a block of dtype t with ndim dimensions; new ones come first. */
static gnd_array *as_block(gnd_array *x, gnd_device *dev, gnd_dtype t, int ndim)
{
    gnd_array *y = gnd__as_strong(x, dev, t, "block");
    int add = ndim - y->ndim;
    if (y->kind == GND__ERROR || !add)
        return y;
    return gnd__expanded(y, add >= 32 ? UINT32_MAX : ((uint32_t)1 << add) - 1);
}

static gnd_array *assembled(gnd_device *dev, int n, int depth, const int *counts,
                            gnd_array *const *x, gnd_array **piece, part *p, gnd__box *box)
{
    gnd_dtype t = gnd__common_dtype(dev, n, x);
    int ndim = depth, m = 0;
    for (int i = 0; i < n; i++)
        ndim = x[i]->ndim > ndim ? x[i]->ndim : ndim;
    for (int i = 0; i < n; i++) {
        piece[i] = as_block(x[i], dev, t, ndim);
        if (piece[i]->kind == GND__ERROR)
            return piece[i];
        memcpy(p[i].dim, piece[i]->dim, (size_t)ndim * sizeof p[i].dim[0]);
        p[i].first = i;
        p[i].count = 1;
    }
    gnd_array *bad = nest(dev, depth, counts, ndim, p, box);
    if (bad || (bad = gnd__check_shape("block", dev, t, ndim, p[0].dim)))
        return bad;
    for (int i = 0; i < n; i++)
        if (piece[i]->size) {
            piece[m] = piece[i];
            box[m++] = box[i];
        }
    if (m == 0)
        return gnd__node(GND__EMPTY, dev, t, ndim, p[0].dim, 0, NULL);
    if (m == 1) /* one block is the whole result */
        return piece[0];
    return gnd__assemble_node(dev, t, ndim, p[0].dim, m, piece, box);
}

gnd_array *gnd_block(int depth, const int *counts, gnd_array *const *x)
{
    gnd_device *dev;
    if (depth < 0 || depth > GND_MAX_NDIM)
        return gnd__fail(NULL, GND_ERR_ARG, "block: depth %d: 0 to %d are possible", depth,
                         GND_MAX_NDIM);
    if (depth && !counts)
        return gnd__fail(NULL, GND_ERR_NULL, "block: the list of counts is NULL");
    int n = count_leaves(depth, counts);
    if (n < 0)
        return gnd__fail(NULL, GND_ERR_ARG, "block: a list of no items, or over %d blocks", MOST);
    gnd_array *bad = gnd__check_list("block", n, x, &dev);
    if (bad)
        return bad;
    gnd_array **piece = gnd__malloc((size_t)n * sizeof *piece), *y = gnd__nomem();
    part *p = gnd__malloc((size_t)n * sizeof *p);
    gnd__box *box = gnd__calloc((size_t)n, sizeof *box);
    const gnd__inner in = gnd__enter("block");
    if (piece && p && box)
        y = assembled(dev, n, depth, counts, x, piece, p, box);
    gnd__free(piece);
    gnd__free(p);
    gnd__free(box);
    return gnd__leave(in, y);
}
