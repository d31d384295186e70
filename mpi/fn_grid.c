/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_grid.c - arrays broadcast to a shape, grids of coordinates, and elementwise functions of all
 * pairs of elements. The results lie in one partition, so that what follows sends nothing.
 */
#include "join.h"

#include <string.h>

gndm_array *gndm__broadcast(gndm_ctx *c, gndm_array *x, gndm_part *part)
{
    int64_t dim[GND_MAX_NDIM];
    gndm__box b;
    if (part->status)
        return gndm__error(c, gndm__fail(c, part->status, "%s", gndm_part_error(part)));
    x = gndm__aligned(c, x, part);
    if (x->status)
        return x;
    gndm__part_box(part, c->rank, &b);
    for (int d = 0; d < part->ndim; d++)
        dim[d] = b.stop[d] - b.start[d];
    gnd_array *y = gnd_status_of(x->local) ? x->local : gnd_broadcast_to(x->local, part->ndim, dim);
    return gndm__array(c, x->dtype, part, y);
}

/* The partition of a shape to which x is broadcast: that of x where it is split, else the default.
 */
static gndm_part *part_of_shape(gndm_ctx *c, const gndm_array *x, int ndim, const int64_t *shape)
{
    int from[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        from[d] = d - (ndim - x->part->ndim) < 0 ? -1 : d - (ndim - x->part->ndim);
    gndm_part *p = gndm__part_axes(c, x->part, ndim, shape, from);
    if (p->status || gndm__part_split_anywhere(p))
        return p;
    gndm_part_free(p);
    return gndm_part_default(c, x->dtype, ndim, shape);
}

gnd_status gndm__fn_broadcast_to(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    gndm_part *p = part_of_shape(a->c, x, gnd_ndim(like), gnd_shape(like));
    gndm_array *y = gndm__broadcast(a->c, x, p);
    gndm_part_free(p);
    return gndm__ret_like(a, y, like);
}

gnd_status gndm__fn_broadcast_arrays(gndm__args *a)
{
    gndm__arrays all;
    gndm_array **y = (gndm_array **)(void *)gndm__items(a, a->n);
    if (!y)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int i = 0; i < a->n; i++)
        gndm__replace(a, i, y[i] = gndm__made(a, &a->v[i]));
    gnd_status st = GND_OK;
    for (int i = 0; i < a->n && !st; i++)
        st = gndm__check(a->c, y[i]);
    if (!st)
        st = gndm__arrays_of(a, &all);
    if (st)
        return st;
    gndm_part *p = gndm__common_part(a, &all);
    for (int i = 0; i < a->n; i++)
        y[i] = gndm__broadcast(a->c, y[i], p);
    gndm_part_free(p);
    return gndm__ret_arrays(a, a->n, y);
}

/* x with a vector's axis at place `axis` of ndim axes; the others have extent 1. */
static gndm_array *along(gndm_ctx *c, gndm_array *x, int ndim, int axis)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        from[d] = d == axis && x->part->ndim == 1 ? 0 : -1;
        shape[d] = d == axis ? gndm_elements(x) : 1;
    }
    return gndm__reshaped(c, x, ndim, shape, from);
}

/* The number of values by position, which are the arrays. */
static int places(const gndm__args *a)
{
    return a->n - a->nkw;
}

/* meshgrid and ix_: a vector for each axis. */
gnd_status gndm__fn_meshgrid(gndm__args *a)
{
    gndm_ctx *c = a->c;
    const int n = places(a), open = !strcmp(a->name, "ix_") || gndm__arg_true(a, "sparse");
    const gnd_value *indexing = gndm__arg(a, "indexing");
    const int ij = !strcmp(a->name, "ix_") ||
                   (indexing && indexing->tag == GND_V_STRING && indexing->as.text.s[0] == 'i');
    gndm_array *x[GND_MAX_NDIM];
    gnd_status st = GND_OK;
    int bools = 0;
    for (int i = 0; i < n && n <= GND_MAX_NDIM && !st; i++) {
        gndm__replace(a, i, x[i] = gndm__made(a, &a->v[i]));
        st = gndm__check(c, x[i]);
        bools = bools || (!st && x[i]->dtype == GND_BOOL);
    }
    if (!st && !(bools && a->name[0] == 'i')) /* the extents of masks depend on values */
        st = gndm__valid(a);
    if (st || n > GND_MAX_NDIM || n == 0)
        return st ? st : gndm__fn_gathered(a);
    int64_t shape[GND_MAX_NDIM];
    for (int i = 0; i < n && !st; i++) {
        if (x[i]->part->ndim > 1)
            return gndm__fn_gathered(a);
        if (x[i]->dtype == GND_BOOL && a->name[0] == 'i')
            x[i] = gndm__call1(c, "flatnonzero", x[i]);
        st = gndm__check(c, x[i]);
        const int d = !ij && i < 2 && n > 1 ? 1 - i : i;
        if (!st) {
            shape[d] = gndm_elements(x[i]);
            x[i] = along(c, x[i], n, d);
            st = gndm__check(c, x[i]);
        }
    }
    if (st || open)
        return st ? st : gndm__ret_arrays(a, n, x);
    /* the partition of the first vector that is split along its axis, else the default */
    gndm_part *p = NULL;
    for (int i = 0; i < n && !p; i++)
        if (gndm__part_split_anywhere(x[i]->part))
            p = part_of_shape(c, x[i], n, shape);
    p = p ? p : gndm_part_default(c, gndm__widest(n, x), n, shape);
    for (int i = 0; i < n; i++)
        x[i] = gndm__broadcast(c, x[i], p);
    gndm_part_free(p);
    return gndm__ret_arrays(a, n, x);
}

/* add.outer and the others: the function before the dot, of all pairs. */
gnd_status gndm__fn_ufunc_outer(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    const gnd_value *v = gndm__arg(a, "a"), *w = gndm__arg(a, "b");
    if (st || !v || !w)
        return st ? st : gndm__fn_gathered(a);
    gndm_array *x = gndm__made(a, v), *y = gndm__made(a, w);
    st = gndm__check(c, x->status ? x : y);
    if (st)
        return st;
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    char name[32];
    const int ndim = gnd_ndim(like), nx = x->part->ndim;
    for (int d = 0; d < ndim; d++) {
        from[d] = d < nx ? d : -1;
        shape[d] = d < nx ? x->part->shape[d] : 1;
    }
    x = gndm__reshaped(c, x, ndim, shape, from);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "."), a->name);
    return gndm__ret_like(a, gndm__do(c, name, "a a", x, y), like);
}
