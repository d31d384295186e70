/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_along.c - take_along_axis: an index for each element of the result, along an axis that is made
 * whole; the other axes stay split. And compress: the slices for which a condition is true, as take
 * of their numbers.
 */
#include "shuffle.h"

gnd_status gndm__fn_compress(gndm__args *a)
{
    static const char *const kw[] = {"axis"};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *m = gndm__arg_array(a, "condition");
    const gnd_value *axis = gndm__arg(a, "axis");
    if (!x || !m || x->part->ndim == 0 || m->part->ndim != 1 || !gndm__part_split_anywhere(x->part))
        return gndm__fn_gathered(a);
    gndm_array *at = gndm__call1(c, "flatnonzero", m);
    const gnd_status st = gndm__check(c, at);
    if (st)
        return st;
    const gnd_value v[3] = {gndm_value(x), gndm_value(at), axis ? *axis : gnd_value_none()};
    return gndm__ret_array(a, gndm_apply(c, NULL, "take", 3, v, 1, kw));
}

/* Whether index has the shape of x but for the axis. */
static int fits(const gndm_part *x, const gndm_part *index, int axis)
{
    int same = x->ndim == index->ndim;
    for (int d = 0; d < x->ndim && same; d++)
        same = d == axis || x->shape[d] == index->shape[d];
    return same;
}

/* take_along_axis, and put_along_axis (data 1), whose result has the shape of x. */
gnd_status gndm__fn_take_along_axis(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *index = gndm__arg_array(a, "indices");
    gndm_array *values = a->rule->data ? gndm__arg_array(a, "values") : NULL;
    gnd_value v, local;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !index || !gndm__part_split_anywhere(x->part))
        return gndm__fn_gathered(a);
    int all;
    const uint32_t axes = gndm__arg_axes(a, x->part->ndim, &all);
    if (!a->rule->data && x->part->ndim == 1 && index->part->ndim == 1)
        return gndm__ret_array(a, gndm__call2(c, "take", gndm_value(x), gndm_value(index)));
    const int axis = all ? x->part->ndim - 1 : __builtin_ctz(axes);
    if (!fits(x->part, index->part, axis))
        return gndm__fn_gathered(a);
    int from[GND_MAX_NDIM];
    for (int d = 0; d < x->part->ndim; d++)
        from[d] = d == axis ? -1 : d;
    gndm_part *p = gndm__whole_axes(c, x->part, UINT32_C(1) << axis);
    gndm_part *q = gndm__part_axes(c, p, index->part->ndim, index->part->shape, from);
    x = gndm__moved(c, x, p);
    index = x->status ? x : gndm__moved(c, index, q);
    if (values && !index->status)
        values = gndm__aligned(c, values, q);
    st = gndm__check(c, values && values->status ? values : index);
    if (!st) {
        gndm__replace(a, a->at[0], x);
        gndm__replace(a, a->at[1], index);
        if (values)
            gndm__replace(a, a->at[2], values);
        st = gndm__local_call(a, &local);
    }
    if (!st)
        st = gndm__ret(a, &local, a->rule->data ? p : q);
    gndm_part_free(p);
    gndm_part_free(q);
    return st;
}

/* view_dtype: the elements along the last axis are other elements then, so it is made whole, unless
 * they are as large. */
gnd_status gndm__fn_view_dtype(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    gnd_value local;
    gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    const int last = x->part->ndim - 1;
    int from[GND_MAX_NDIM];
    if (last >= 0 && gnd_dtype_size(x->dtype) != gnd_dtype_size(gnd_dtype_of(like)))
        x = gndm__whole(c, x, UINT32_C(1) << last);
    st = gndm__check(c, x);
    if (st)
        return st;
    gndm__replace(a, a->at[0], x);
    st = gndm__local_call(a, &local);
    for (int d = 0; d <= last; d++)
        from[d] = d; /* of the last axis only if it is not split or keeps its extent */
    gndm_part *p = gndm__part_axes(c, x->part, last + 1, gnd_shape(like), from);
    if (!st)
        st = gndm__ret(a, &local, p);
    gndm_part_free(p);
    return st;
}
