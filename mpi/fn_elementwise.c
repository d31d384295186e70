/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_elementwise.c - elementwise functions: gnd's lazy graph on the local parts. Operands are moved
 * to the partition of an operand that has the shape of the result. If the partitions are equal
 * already, nothing is sent, and nothing is computed before the result is evaluated.
 */
#include "call.h"

#include <string.h>

/* Sets the shape to which all operands broadcast. Returns 0, or -1 if they do not broadcast. */
static int broadcast(const gndm__args *a, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int i = 0; i < a->n; i++) {
        const gndm_array *x = gndm__as_array(&a->v[i]);
        if (x && x->part->ndim > *ndim)
            *ndim = x->part->ndim;
    }
    for (int d = 0; d < *ndim; d++)
        shape[d] = 1;
    for (int i = 0; i < a->n; i++) {
        const gndm_array *x = gndm__as_array(&a->v[i]);
        for (int d = 0; x && d < x->part->ndim; d++) {
            int64_t *to = &shape[d + *ndim - x->part->ndim], n = x->part->shape[d];
            if (n != 1 && *to != 1 && n != *to)
                return -1;
            *to = n != 1 ? n : *to;
        }
    }
    return 0;
}

/* The operand whose partition the result gets: an operand with the shape of the result, preferably
 * one that is split. NULL: no operand has that shape. */
static gndm_array *leader(const gndm__args *a, int ndim, const int64_t *shape)
{
    gndm_array *best = NULL;
    for (int i = 0; i < a->n; i++) {
        gndm_array *x = gndm__as_array(&a->v[i]);
        if (x && x->part->ndim == ndim &&
            !memcmp(x->part->shape, shape, (size_t)ndim * sizeof *shape) &&
            (!best ||
             (!gndm__part_split_anywhere(best->part) && gndm__part_split_anywhere(x->part))))
            best = x;
    }
    return best;
}

/* Operand x in the partition that matches `part` of the result. */
static gndm_array *aligned(gndm_ctx *c, gndm_array *x, const gndm_part *part)
{
    int from[GND_MAX_NDIM];
    for (int d = 0; d < x->part->ndim; d++)
        from[d] = d + part->ndim - x->part->ndim;
    gndm_part *p = gndm__part_axes(c, part, x->part->ndim, x->part->shape, from);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    return y;
}

gnd_status gndm__fn_elementwise(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gnd_value local;
    int ndim;
    int64_t shape[GND_MAX_NDIM];
    if (broadcast(a, &ndim, shape)) {
        gnd_value v;
        const gnd_status st = gndm__try(a, &v); /* gnd's message */
        return st ? st : gndm__fail(c, GND_ERR_SHAPE, "%s: shapes do not broadcast", a->name);
    }
    gndm_array *lead = leader(a, ndim, shape);
    gndm_part *part = lead ? gndm__part_retain(lead->part) : gndm_part_default(c, ndim, shape);
    gnd_status st =
        part->status ? gndm__fail(c, part->status, "%s", gndm_part_error(part)) : GND_OK;
    for (int i = 0; i < a->n && !st; i++) {
        gndm_array *x = gndm__as_array(&a->v[i]);
        if (!x)
            continue;
        gndm__replace(a, i, aligned(c, x, part));
        st = gndm__check(c, gndm__as_array(&a->v[i]));
    }
    if (!st)
        st = gndm__local_call(a, &local);
    if (!st)
        st = gndm__ret(a, &local, part);
    gndm_part_free(part);
    return st;
}

/* where(condition, x, y). With one argument it is nonzero. */
gnd_status gndm__fn_where(gndm__args *a)
{
    return a->n == 1 ? gndm__fn_nonzero(a) : gndm__fn_elementwise(a);
}
