/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_split.c - split and its relatives: slices, which send nothing, so that a slice lies on the
 * ranks that have its elements. unstack makes its axis whole first.
 */
#include "join.h"

#include <string.h>

/* The bounds of the pieces in the parameter, for n elements along the axis: bound[0 .. *m]. Returns
 * NULL if they are not ints. The call has succeeded on placeholders. */
static int64_t *bounds(gndm__args *a, const gnd_value *v, int64_t n, int *m)
{
    int64_t *b;
    if (v && v->tag == GND_V_INT && v->as.i > 0 && v->as.i < INT32_MAX) {
        *m = (int)v->as.i;
        b = (int64_t *)(void *)gndm__items(a, *m + 1);
        if (b)
            gndm__even_cuts(n, *m, b);
        return b;
    }
    if (!gndm__is_list(v) || v->as.items.n > 1 << 20)
        return NULL;
    *m = (int)v->as.items.n + 1;
    b = (int64_t *)(void *)gndm__items(a, *m + 1);
    if (!b || gndm__ints(v, *m, b + 1) < 0)
        return NULL;
    b[0] = 0;
    b[*m] = n;
    return b;
}

gnd_status gndm__fn_split(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    if (!x)
        return gndm__fn_gathered(a);
    const int ndim = x->part->ndim;
    const int axis = a->name[0] == 'h'   ? ndim > 1
                     : a->name[0] == 'v' ? 0
                     : a->name[0] == 'd' ? 2
                                         : gndm__axis(a, "axis", 0, ndim);
    int m = 0;
    const int64_t *b = bounds(a, gndm__arg(a, "indices_or_sections"), x->part->shape[axis], &m);
    gndm_array **y = b ? (gndm_array **)(void *)gndm__items(a, m) : NULL;
    if (!y)
        return gndm__fn_gathered(a);
    for (int i = 0; i < m && !st; i++) {
        y[i] = gndm__sliced(c, x, axis, b[i], i == m - 1 ? GND_NONE : b[i + 1], 1);
        st = gndm__check(c, y[i]);
    }
    return st ? st : gndm__ret_arrays(a, m, y);
}

gnd_status gndm__fn_unstack(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_value local;
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    if (!x)
        return gndm__fn_gathered(a);
    const int axis = gndm__axis(a, "axis", 0, x->part->ndim);
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM], e = 0;
    x = gndm__whole(c, x, UINT32_C(1) << axis);
    st = gndm__check(c, x);
    if (st)
        return st;
    for (int d = 0; d < x->part->ndim; d++)
        if (d != axis) {
            shape[e] = x->part->shape[d];
            from[e++] = d;
        }
    gndm__replace(a, a->at[0], x);
    const int64_t n = x->part->shape[axis];
    if (gnd_status_of(x->local)) { /* of this rank alone: each of the arrays has the error */
        gndm_array **y = (gndm_array **)(void *)gndm__items(a, n);
        gndm_part *p = gndm__part_axes(c, x->part, e, shape, from);
        for (int64_t i = 0; i < n && y; i++)
            y[i] = gndm__array(c, x->dtype, p, x->local);
        gndm_part_free(p);
        return y ? gndm__ret_arrays(a, (int)n, y)
                 : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    }
    st = gndm__local_call(a, &local);
    if (st)
        return st;
    gndm_part *p = gndm__part_axes(c, x->part, e, shape, from);
    st = gndm__ret(a, &local, p);
    gndm_part_free(p);
    return st;
}
