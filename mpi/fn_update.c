/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_update.c - arrays with some elements changed. Masks are elementwise. Places by index are on
 * every rank, with their values, and each rank changes those in its own part: an update is taken to
 * be smaller than the array.
 */
#include "join.h"

#include <string.h>

/* --- by index along the first axis ------------------------------------------------------------ */

typedef struct update {
    const char *name;  /* of gnd's function */
    gnd_array *index;  /* int64, 0 .. n - 1, on every rank */
    gnd_array *values; /* a number, or one row for each index */
} update;

/* The rows of values that belong to this rank's box of the axes behind the first. */
static gnd_array *own_columns(gnd_array *values, int ndim, const gndm__box *b)
{
    const int nv = gnd_ndim(values);
    for (int d = 1; d < nv && nv == ndim && !gnd_status_of(values); d++)
        if (gnd_dim(values, d) != 1)
            values = gnd_slice(values, d, b->start[d], b->stop[d]);
    return values;
}

/* This rank's part of the result. */
static gnd_array *updated(gndm_array *x, const update *q)
{
    const int ndim = x->part->ndim;
    gndm__box b;
    gndm__part_box(x->part, x->ctx->rank, &b);
    gnd_array *y = x->local, *values = q->values;
    if (gnd_status_of(y) || gndm__box_empty(ndim, &b))
        return gnd_status_of(y) || !gnd_status_of(q->index) ? y : q->index;
    gnd_array *mine = gnd_logical_and(gnd_greater_equal(q->index, gnd_int(b.start[0])),
                                      gnd_less(q->index, gnd_int(b.stop[0])));
    gnd_array *k = gnd_flatnonzero(mine);
    gnd_array *at = gnd_add_i(gnd_take(q->index, k, 0), -b.start[0]);
    values = own_columns(values, ndim, &b);
    if (gnd_ndim(values) > 0 && gnd_dim(values, 0) != 1)
        values = gnd_take(values, k, 0);
    const gnd_value v[3] = {gnd_value_array(y), gnd_value_array(at), gnd_value_array(values)};
    gnd_value out;
    const gnd_status st = gnd_call(x->ctx->dev, q->name, 3, v, 0, NULL, &out);
    return st ? gnd_fail(st, "%s", gnd_message()) : out.as.array;
}

/* Indices as int64 in 0 .. n - 1; those out of range are gnd's error. */
static gnd_array *in_range(gndm_ctx *c, gnd_array *index, int64_t n, char mode)
{
    index = gnd_astype(index, GND_INT64);
    if (mode != 'r')
        return gnd_fit_indices(index, n, mode == 'w' ? GND_INDEX_WRAP : GND_INDEX_CLIP);
    return gnd_take(gnd_arange_i64(c->dev, 0, n, 1, GND_INT64), index, 0);
}

/* set_at, add_at, max_at, min_at: with rows by number, or with a mask of x's shape. */
gnd_status gndm__fn_update_at(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *index = gndm__arg(a, "index"), *value = gndm__arg(a, "value");
    if (gndm__is_list(index) && index->as.items.n == 1 && index->tag == GND_V_TUPLE)
        index = &index->as.items.item[0];
    gndm_array *i =
        index && (gndm__as_array(index) || index->tag == GND_V_LIST) ? gndm__made(a, index) : NULL;
    if (!x || !i || !value || x->part->ndim == 0)
        return gndm__fail(
            c, GND_ERR_UNSUPPORTED,
            "%s: the index of a distributed array must be one array of ints or a mask "
            "of its shape: for slices join pieces by concat, or use where",
            a->name);
    gndm_array *w = gndm__made(a, value);
    gnd_status st = gndm__check(c, i->status ? i : w);
    if (st)
        return st;
    if (i->dtype == GND_BOOL) {
        if (strcmp(a->name, "set_at") != 0 || i->part->ndim != x->part->ndim || w->part->ndim)
            return gndm__fn_gathered(a);
        gndm_array *y = gndm__do(c, "where", "a a a", i, w, x);
        return gndm__ret_array(a, gndm__as(c, y, x->dtype));
    }
    if (i->part->ndim != 1 || (w->part->ndim && w->part->ndim != x->part->ndim))
        return gndm__fn_gathered(a);
    i = gndm__everywhere(c, i);
    w = i->status ? i : gndm__everywhere(c, w);
    st = gndm__check(c, w);
    gnd_array *like;
    if (!st)
        st = gndm__expect(a, &like);
    if (st)
        return st;
    const update q = {a->name, in_range(c, i->local, x->part->shape[0], 'r'), w->local};
    return gndm__ret_like(a, gndm__array(c, x->dtype, x->part, updated(x, &q)), like);
}

/* put: places of the flattened array; the values are repeated as needed. */
gnd_status gndm__fn_put(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *index = gndm__arg(a, "indices"), *value = gndm__arg(a, "values");
    const gnd_value *mode = gndm__arg(a, "mode");
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (st || !x || !index || !value || x->part->ndim == 0)
        return st ? st : gndm__fn_gathered(a);
    gndm_array *i = gndm__everywhere(c, gndm__do(c, "ravel", "a", gndm__made(a, index)));
    gndm_array *w = gndm__everywhere(c, gndm__do(c, "ravel", "a", gndm__made(a, value)));
    gndm_array *v = gndm__do(c, "ravel", "a", x);
    st = gndm__check(c, i->status ? i : w->status ? w : v);
    if (st)
        return st;
    const int64_t n = i->part->shape[0], m = w->part->shape[0];
    if (n == 0 || m == 0)
        return gndm__fn_gathered(a);
    gnd_array *each = gnd_remainder(gnd_arange_i64(c->dev, 0, n, 1, GND_INT64), gnd_int(m));
    const update q = {"set_at",
                      in_range(c, i->local, v->part->shape[0],
                               mode && mode->tag == GND_V_STRING ? mode->as.text.s[0] : 'r'),
                      gnd_take(w->local, each, 0)};
    v = gndm__array(c, x->dtype, v->part, updated(v, &q));
    gnd_value dim[GND_MAX_NDIM];
    for (int d = 0; d < x->part->ndim; d++)
        dim[d] = gnd_value_int(x->part->shape[d]);
    return gndm__ret_like(a, gndm__do(c, "reshape", "a v", v, gnd_value_tuple(x->part->ndim, dim)),
                          like);
}

/* --- by mask ---------------------------------------------------------------------------------- */

/* putmask, place, copyto. Values that are fewer than the elements are repeated: those of putmask by
 * position, those of place by the number of the true elements before. */
gnd_status gndm__fn_masked(gndm__args *a)
{
    static const char *const names[] = {"x", "m", "w", "n"};
    gndm_ctx *c = a->c;
    const int copy = !strcmp(a->name, "copyto"), place = !strcmp(a->name, "place");
    gndm_array *x = gndm__arg_array(a, copy ? "dst" : "x");
    const gnd_value *mask = gndm__arg(a, copy ? "where" : "mask");
    const gnd_value *value = gndm__arg(a, copy ? "src" : "values"), yes = gnd_value_bool(1);
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || !value || (!mask && !copy))
        return st ? st : gndm__fn_gathered(a);
    mask = mask ? mask : &yes;
    gndm_array *w = gndm__made(a, value), *y;
    if (w->status)
        return gndm__check(c, w);
    const int64_t n = gndm_elements(w);
    if (copy) {
        y = gndm__do(c, "where", "v a a", *mask, w, x);
    } else if (!gndm__as_array(mask) || n == 0) {
        return gndm__fn_gathered(a);
    } else if (n == 1 || (!place && n == gndm_elements(x))) {
        const gnd_value v[3] = {gndm_value(x), *mask, gndm_value(w)};
        y = gndm__text(c,
                       n == 1 ? "where(reshape(m, x.shape), reshape(w, ()), x)"
                              : "where(reshape(m, x.shape), reshape(w, x.shape), x)",
                       3, names, v);
    } else {
        const gnd_value v[4] = {gndm_value(x), *mask, gndm_value(gndm__everywhere(c, w)),
                                gnd_value_int(n)};
        y = gndm__text(c,
                       place ? "m = reshape(m, x.shape);"
                               "i = reshape(cumsum(astype(m, int64)) - 1, x.shape);"
                               "where(m, take(ravel(w), i % n), x)"
                             : "i = reshape(arange(x.size), x.shape);"
                               "where(reshape(m, x.shape), take(ravel(w), i % n), x)",
                       4, names, v);
    }
    return gndm__ret_like(a, y, like);
}

/* --- insert and delete ------------------------------------------------------------------------ */

/* x[index] along an axis, for indices that every rank has. */
static gndm_array *taken(gndm__args *a, gndm_array *x, gnd_array *index, int axis)
{
    gnd_status st = gnd_wait(index); /* its length may depend on values */
    st = gndm__agree(a->c, st, gnd_status_of(index) ? gnd_error(index) : gnd_message());
    return st ? gndm__error(a->c, st)
              : gndm__do(a->c, "take", "a a axis:n", x, gndm__part_of_whole(a, index), axis);
}

/* gnd's insert or delete on the numbers 0 .. n - 1: where each element of the result is. */
static gnd_array *places(gndm__args *a, int64_t n, const gnd_value *obj, int64_t more)
{
    gnd_array *all = gnd_arange_i64(a->c->dev, 0, n, 1, GND_INT64);
    gnd_array *new = gnd_arange_i64(a->c->dev, n, n + more, 1, GND_INT64);
    const gnd_value v[3] = {gnd_value_array(all), *obj, gnd_value_array(new)};
    gnd_value out;
    const gnd_status st = gnd_call(a->c->dev, a->name, a->name[0] == 'i' ? 3 : 2, v, 0, NULL, &out);
    return st ? gnd_fail(st, "%s", gnd_message()) : out.as.array;
}

/* The inserted values as a slab of x's shape with `more` elements along the axis. */
static gndm_array *slab(gndm__args *a, const gndm_array *x, gndm_array *w, int axis, int64_t more,
                        int one)
{
    gndm_ctx *c = a->c;
    int64_t shape[GND_MAX_NDIM];
    while (!w->status && w->part->ndim && w->part->ndim < x->part->ndim)
        w = gndm__do(c, "expand_dims", "a n", w, 0);
    if (one && !w->status && w->part->ndim)
        w = gndm__do(c, "moveaxis", "a n n", w, 0, axis);
    memcpy(shape, x->part->shape, sizeof shape);
    shape[axis] = more;
    gnd_value dim[GND_MAX_NDIM];
    for (int d = 0; d < x->part->ndim; d++)
        dim[d] = gnd_value_int(shape[d]);
    return gndm__do(c, "broadcast_to", "a v", w, gnd_value_tuple(x->part->ndim, dim));
}

gnd_status gndm__fn_insert(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const int removes = a->name[0] == 'd', at = a->at[1];
    gnd_value obj;
    gnd_array *like = NULL;
    gnd_status st = GND_OK;
    if (!x || at < 0)
        return gndm__fn_gathered(a);
    st = gndm__each_array(a, &a->v[at], gndm__parameter, NULL);
    if (st)
        return st;
    obj = a->v[at];
    if (gndm__as_array(&obj)) /* placeholders have no values: every rank's copy is used */
        obj = gnd_value_array(gndm__as_array(&obj)->local);
    const int flat = !gndm__arg(a, "axis");
    x = flat ? gndm__do(c, "ravel", "a", x) : x;
    st = gndm__check(c, x);
    if (st)
        return st;
    const int axis = flat ? 0 : gndm__axis(a, "axis", 0, x->part->ndim);
    if (axis < 0 || axis >= x->part->ndim)
        return gndm__fn_gathered(a); /* gnd's message */
    const int64_t n = x->part->shape[axis];
    if (obj.tag != GND_V_ARRAY)
        st = gndm__expect(a, &like);
    if (st)
        return st;
    gndm_array *y[3];
    int m = 0;
    if (removes && obj.tag == GND_V_INT) {
        const int64_t i = obj.as.i < 0 ? obj.as.i + n : obj.as.i;
        y[m++] = gndm__sliced(c, x, axis, 0, i, 1);
        y[m++] = gndm__sliced(c, x, axis, i + 1, n, 1);
        return gndm__ret_like(a, gndm__concat(c, m, y, axis, x->dtype), like);
    }
    if (removes)
        return gndm__ret_array(a, taken(a, x, places(a, n, &obj, 0), axis));
    const gnd_value *value = gndm__arg(a, "values");
    gndm_array *w = value ? gndm__made(a, value) : NULL;
    if (!w || !like || w->status)
        return w && w->status ? gndm__check(c, w) : gndm__fn_gathered(a);
    const int64_t more = gnd_dim(like, axis) - n;
    w = slab(a, x, flat && w->part->ndim > 1 ? gndm__do(c, "ravel", "a", w) : w, axis, more,
             obj.tag == GND_V_INT);
    if (obj.tag == GND_V_INT) {
        const int64_t i = obj.as.i < 0 ? obj.as.i + n : obj.as.i;
        y[m++] = gndm__sliced(c, x, axis, 0, i, 1);
        y[m++] = w;
        y[m++] = gndm__sliced(c, x, axis, i, n, 1);
        return gndm__ret_like(a, gndm__concat(c, m, y, axis, x->dtype), like);
    }
    y[m++] = x;
    y[m++] = w;
    return gndm__ret_like(
        a, taken(a, gndm__concat(c, m, y, axis, x->dtype), places(a, n, &obj, more), axis), like);
}
