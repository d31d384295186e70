/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_elementwise.c - elementwise functions: gnd's lazy graph on the local parts. Operands are moved
 * to the partition of an operand that has the shape of the result. If the partitions are equal
 * already, nothing is sent, and nothing is computed before the result is evaluated.
 */
#include "call.h"

#include <string.h>

/* Sets the shape to which all operands broadcast. Returns 0, or -1 if they do not broadcast. */
static int broadcast(const gndm__arrays *all, int *ndim, int64_t *shape)
{
    *ndim = 0;
    for (int i = 0; i < all->n; i++)
        if (all->x[i]->part->ndim > *ndim)
            *ndim = all->x[i]->part->ndim;
    for (int d = 0; d < *ndim; d++)
        shape[d] = 1;
    for (int i = 0; i < all->n; i++) {
        const gndm_part *p = all->x[i]->part;
        for (int d = 0; d < p->ndim; d++) {
            int64_t *to = &shape[d + *ndim - p->ndim], n = p->shape[d];
            if (n != 1 && *to != 1 && n != *to)
                return -1;
            *to = n != 1 ? n : *to;
        }
    }
    return 0;
}

/* The operand whose partition the result gets: an operand with the shape of the result, preferably
 * one that is split. NULL: no operand has that shape. */
static gndm_array *leader(const gndm__arrays *all, int ndim, const int64_t *shape)
{
    gndm_array *best = NULL;
    for (int i = 0; i < all->n; i++) {
        gndm_array *x = all->x[i];
        if (x->part->ndim == ndim && !memcmp(x->part->shape, shape, (size_t)ndim * sizeof *shape) &&
            (!best ||
             (!gndm__part_split_anywhere(best->part) && gndm__part_split_anywhere(x->part))))
            best = x;
    }
    return best;
}

gnd_dtype gndm__widest(int n, gndm_array *const *x)
{
    gnd_dtype t = GND_BOOL;
    for (int i = 0; i < n; i++)
        if (gnd_dtype_size(x[i]->dtype) > gnd_dtype_size(t))
            t = x[i]->dtype;
    return t;
}

gndm_array *gndm__aligned(gndm_ctx *c, gndm_array *x, const gndm_part *part)
{
    int from[GND_MAX_NDIM];
    if (x->status)
        return x;
    for (int d = 0; d < x->part->ndim; d++)
        from[d] = d + part->ndim - x->part->ndim;
    gndm_part *p = gndm__part_axes(c, part, x->part->ndim, x->part->shape, from);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    return y;
}

static gnd_status align_one(gndm__args *a, gnd_value *v, void *part)
{
    *v = gndm_value(gndm__aligned(a->c, gndm__as_array(v), part));
    return gndm__check(a->c, gndm__as_array(v));
}

gndm_part *gndm__common_part(gndm__args *a, const gndm__arrays *all)
{
    int ndim;
    int64_t shape[GND_MAX_NDIM];
    if (broadcast(all, &ndim, shape)) {
        char text[GNDM_TEXT];
        gnd_value v;
        const gnd_status st = gndm__try(a, &v); /* gnd's message */
        snprintf(text, sizeof text, "%s: shapes do not broadcast", a->name);
        return gndm__part_fail(st ? st : GND_ERR_SHAPE, st ? a->c->message : text);
    }
    gndm_array *lead = leader(all, ndim, shape);
    return lead ? gndm__part_retain(lead->part)
                : gndm_part_default(a->c, gndm__widest(all->n, all->x), ndim, shape);
}

/* The partition of all arrays among the values but those without axes; NULL: they have several, or
 * lists hold them. */
static gndm_part *same_part(const gndm__args *a)
{
    gndm_part *p = NULL;
    for (int i = 0; i < a->n; i++) {
        const gndm_array *x = gndm__as_array(&a->v[i]);
        if (gndm__is_list(&a->v[i]) || (x && x->part->ndim && p && !gndm__part_same(x->part, p)))
            return NULL;
        p = x && x->part->ndim && !p ? x->part : p;
    }
    return p;
}

gnd_status gndm__fn_elementwise(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gnd_value local;
    gndm__arrays all;
    gndm_part *same = same_part(a);
    if (same) {
        const gnd_status st = gndm__local_call(a, &local);
        return st ? st : gndm__ret(a, &local, same);
    }
    gnd_status st = gndm__arrays_of(a, &all);
    if (st)
        return st;
    gndm_part *part = gndm__common_part(a, &all);
    if (part->status)
        st = gndm__fail(c, part->status, "%s", gndm_part_error(part));
    for (int i = 0; i < a->n && !st; i++)
        st = gndm__each_array(a, &a->v[i], align_one, part);
    if (!st)
        st = gndm__local_call(a, &local);
    if (!st)
        st = gndm__ret(a, &local, part);
    gndm_part_free(part);
    return st;
}

/* select, piecewise, choose: elementwise in all arrays of their lists. */
gnd_status gndm__fn_by_cases(gndm__args *a)
{
    static const char *const lists[] = {"condlist", "choicelist", "funclist", "choices"};
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    int arrays = 0; /* whose first axis numbers the cases */
    for (int i = 0; i < 4; i++)
        arrays = arrays || gndm__arg_array(a, lists[i]);
    return st ? st : arrays ? gndm__fn_gathered(a) : gndm__fn_elementwise(a);
}

/* where(condition, x, y). With one argument it is nonzero. */
gnd_status gndm__fn_where(gndm__args *a)
{
    return a->n == 1 ? gndm__fn_nonzero(a) : gndm__fn_elementwise(a);
}
