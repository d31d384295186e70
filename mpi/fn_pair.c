/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_pair.c - set operations of two arrays, by the distributed unique (fn_set.c). The unique
 * elements of both, together as one vector, are in both if they occur twice there, and in one of
 * them if they occur once. The pieces of the two vectors stay where they are: their order does not
 * matter.
 */
#include "shuffle.h"

#include <string.h>

/* The elements of both vectors as one, of the dtype t. Each rank joins its pieces. */
static gndm_array *together(gndm_ctx *c, gnd_dtype t, gndm_array *x, gndm_array *y)
{
    if (x->status || y->status)
        return x->status ? x : y;
    x = gndm__vector(c, x);
    y = gndm__vector(c, y);
    if (x->status || y->status)
        return x->status ? x : y;
    gnd_array *both[2] = {gnd_astype(x->local, t), gnd_astype(y->local, t)};
    return gndm__joined(c, t, gnd_concat(2, both, 0), 1, 0, NULL);
}

static gndm_array *unique(gndm_ctx *c, gndm_array *x)
{
    return gndm__call1(c, "unique", x);
}

/* The elements that occur `times` times in x and y together, which have each of theirs once. NaN
 * differs from itself. */
static gndm_array *occurring(gndm_ctx *c, gnd_dtype t, gndm_array *x, gndm_array *y, int times)
{
    static const char *const kw[] = {"return_counts", "equal_nan"};
    gndm_array *both = together(c, t, x, y), *value, *count;
    gnd_value out, v[3] = {gndm_value(both), gnd_value_bool(1), gnd_value_bool(0)};
    gnd_status st = gndm__check(c, both);
    if (!st)
        st = gndm_call(c, "unique", 3, v, 2, kw, &out);
    if (st)
        return gndm__error(c, st);
    value = gndm__as_array(&out.as.items.item[0]);
    count = gndm__as_array(&out.as.items.item[1]);
    count = gndm__call2(c, "equal", gndm_value(count), gnd_value_int(times));
    value = gndm__call2(c, "extract", gndm_value(count), gndm_value(value));
    gndm_value_clear(&out);
    return value;
}

/* The call on arrays without elements: wrong arguments, and the dtype of the result. */
static gnd_status dtype_of(gndm__args *a, gndm_array *x, gndm_array *y, gnd_dtype *t)
{
    const int64_t none = 0;
    gnd_value out, v[2] = {a->v[a->at[0]], a->v[a->at[1]]};
    gndm_part *p = gndm__part_new(a->c, 1, &none);
    for (int i = 0; i < 2; i++) {
        const gnd_dtype own = i ? y->dtype : x->dtype;
        gnd_array *empty = gnd_zeros(a->c->dev, own, 1, &none);
        gndm__replace(a, a->at[i], gndm__array(a->c, own, p, empty));
    }
    gndm_part_free(p);
    const gnd_status st = gndm__try(a, &out);
    a->v[a->at[0]] = v[0];
    a->v[a->at[1]] = v[1];
    if (st)
        return st;
    *t = out.tag == GND_V_ARRAY ? gnd_dtype_of(out.as.array) : GND_DTYPE_DEFAULT;
    gndm__drop_items(&out);
    return GND_OK;
}

gnd_status gndm__fn_pair(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "ar1"), *y = gndm__arg_array(a, "ar2"), *z;
    gnd_dtype t = GND_DTYPE_DEFAULT;
    if (!x || !y || gndm__arg_true(a, "return_indices") ||
        (!gndm__part_split_anywhere(x->part) && !gndm__part_split_anywhere(y->part)))
        return gndm__fn_gathered(a);
    gnd_status st = dtype_of(a, x, y, &t);
    if (st)
        return st;
    const int once = gndm__arg_true(a, "assume_unique");
    gnd_array *const kinds[2] = {gnd_empty(c->dev, x->dtype, 0, NULL),
                                 gnd_empty(c->dev, y->dtype, 0, NULL)};
    const gnd_dtype common = gnd_result_type(2, kinds, 0, NULL);
    if (a->rule->data == GNDM__UNION)
        return gndm__ret_array(a, unique(c, together(c, common, x, y)));
    if (a->rule->data == GNDM__ONLY && once) { /* the order of the elements stays */
        static const char *const kw[] = {"invert"};
        const gnd_value v[3] = {gndm_value(x = gndm__vector(c, x)), gndm_value(y),
                                gnd_value_bool(1)};
        z = x->status ? x : gndm_apply(c, NULL, "isin", 3, v, 1, kw);
        return gndm__ret_array(
            a, z->status ? z : gndm__call2(c, "extract", gndm_value(z), gndm_value(x)));
    }
    x = once ? x : unique(c, x);
    y = once || x->status ? y : unique(c, y);
    st = gndm__check(c, x->status ? x : y);
    if (st)
        return st;
    z = occurring(c, common, x, y, a->rule->data == GNDM__EITHER ? 1 : 2);
    if (a->rule->data == GNDM__ONLY && !z->status) /* those of x, without those of both */
        z = occurring(c, common, x, z, 1);
    if (!z->status && z->dtype != t)
        z = gndm__array(c, t, z->part, gnd_astype(z->local, t));
    return gndm__ret_array(a, z);
}
