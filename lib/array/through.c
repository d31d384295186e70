/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/through.c - elements of an expression that is not computed yet: where far fewer are taken
 * than it has, they are the expression of the elements of its inputs, so that it need not be
 * stored.
 */
#include "array/through.h"

#include <string.h>
#include "array/steps.h"
#include "device/device.h"

/* How much larger than the result the expression is, and the most operations that are repeated. */
enum { LARGER = 4, DEEPEST = 6 };

typedef struct taking {
    int n;
    gnd_array *const *idx;
    int ndim;
    const int64_t *dim;
} taking;

static gnd_array *taken(gnd_array *x, const taking *t, const gnd__gather *how, int depth);

/* The inputs of x, each with one more owner, if x is elementwise and has no elements; their number,
 * or 0. Another thread may be evaluating x. */
static int inputs_of(gnd_array *x, gnd_array *in[3])
{
    int n = 0;
    if (x->kind != GND__OP && x->kind != GND__CAST)
        return 0;
    gnd__gate_lock(x->dev->g);
    if (!x->data.st && x->in && x->nin <= 3)
        for (n = 0; n < x->nin; n++)
            gnd__ref(in[n] = x->in[n]);
    gnd__gate_unlock(x->dev->g);
    return n;
}

/* The elements of input x of an expression with `axes` axes, to which it broadcasts. */
static gnd_array *of_input(gnd_array *x, const gnd_array *whole, const taking *t,
                           const gnd__gather *how, int depth)
{
    const int before = whole->ndim - x->ndim;
    gnd__gather own;
    gnd__map drop, view;
    int64_t dim[GND_MAX_NDIM];
    int kept = 0, by_index = 0;
    if (x->ndim == 0)
        return x;
    for (int d = 0; d < x->ndim; d++) {
        drop.start[d] = 0;
        drop.step[d] = 1;
        drop.from[d] = -1;
        if (x->dim[d] == 1 && whole->dim[before + d] != 1)
            continue;
        drop.from[d] = (int8_t)kept;
        own.from[kept] = how->from[before + d];
        own.via[kept] = how->via[before + d];
        by_index |= own.from[kept] < 0;
        view.start[kept] = 0;
        view.step[kept] = 1;
        view.from[kept] = own.from[kept];
        dim[kept++] = x->dim[d];
    }
    if (kept == whole->ndim)
        return taken(x, t, how, depth + 1);
    gnd_array *y = kept == x->ndim ? x : gnd__view_node(x, kept, dim, &drop);
    if (gnd__is_bad(y))
        return y;
    return by_index ? gnd__take_node(y, t->n, t->idx, t->ndim, t->dim, &own)
                    : gnd__view_node(y, t->ndim, t->dim, &view);
}

static gnd_array *taken(gnd_array *x, const taking *t, const gnd__gather *how, int depth)
{
    gnd_array *in[3], *part[3], *y = NULL;
    gnd_array *below = x->kind == GND__RESHAPE ? gnd__below(x) : NULL; /* another handle of it */
    if (below) {
        if (below->ndim == x->ndim && !memcmp(below->dim, x->dim, (size_t)x->ndim * sizeof *x->dim))
            y = taken(below, t, how, depth);
        gnd__unref(below);
        if (y)
            return y;
    }
    const int n = depth < DEEPEST ? inputs_of(x, in) : 0;
    if (n == 0)
        return gnd__take_node(x, t->n, t->idx, t->ndim, t->dim, how);
    for (int i = 0; i < n && !y; i++) {
        part[i] = of_input(in[i], x, t, how, depth);
        y = gnd__is_bad(part[i]) ? part[i] : NULL;
    }
    if (!y && x->kind == GND__CAST)
        y = gnd__cast_node(part[0], (gnd_dtype)x->dtype);
    else if (!y)
        y = gnd__op_node((gnd__op)x->p.op, x->dev, (gnd_dtype)x->dtype, t->ndim, t->dim, n, part);
    for (int i = 0; i < n; i++)
        gnd__unref(in[i]);
    return y;
}

gnd_array *gnd__take_through(gnd_array *x, int n, gnd_array *const *idx, int ndim,
                             const int64_t *dim, const gnd__gather *how)
{
    const taking t = {n, idx, ndim, dim};
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= dim[d];
    return size > 0 && size <= x->size / LARGER ? taken(x, &t, how, 0)
                                                : gnd__take_node(x, n, idx, ndim, dim, how);
}
