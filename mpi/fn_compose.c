/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_compose.c - functions that are compositions of other distributed functions: products of
 * vectors, triangles, comparisons of whole arrays. What a composition cannot do is gathered.
 */
#include "call.h"

#include <string.h>

static int split(const gndm_array *x)
{
    return x && gndm__part_split_anywhere(x->part);
}

/* Whether both operands are arrays, and one is split; or the bits of sums must not depend on that.
 */
static int operands(const gndm__args *a, const char *first, const char *second, gndm_array **x)
{
    x[0] = gndm__arg_array(a, first);
    x[1] = gndm__arg_array(a, second);
    return x[0] && x[1] && (split(x[0]) || split(x[1]) || a->c->flags & GNDM_REPRODUCIBLE);
}

/* dot of vectors and matrices is matmul. */
gnd_status gndm__fn_dot(gndm__args *a)
{
    gndm_array *x[2];
    if (!operands(a, "a", "b", x) || x[0]->part->ndim < 1 || x[0]->part->ndim > 2 ||
        x[1]->part->ndim < 1 || x[1]->part->ndim > 2)
        return gndm__fn_gathered(a);
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    return st ? st
              : gndm__ret_array(a, gndm__call2(a->c, "matmul", gndm_value(x[0]), gndm_value(x[1])));
}

/* The products of a column and a row. */
gnd_status gndm__fn_outer(gndm__args *a)
{
    static const char *const axis[] = {"axis"};
    gndm_ctx *c = a->c;
    gndm_array *x[2];
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st || !operands(a, "a", "b", x))
        return st ? st : gndm__fn_gathered(a);
    for (int i = 0; i < 2 && !st; i++) {
        x[i] = gndm__call1(c, "ravel", x[i]);
        st = gndm__check(c, x[i]);
        const gnd_value e[2] = {gndm_value(x[i]), gnd_value_int(1 - i)};
        if (!st)
            x[i] = gndm_apply(c, NULL, "expand_dims", 2, e, 1, axis);
        st = st ? st : gndm__check(c, x[i]);
    }
    return st ? st
              : gndm__ret_array(a, gndm__call2(c, "multiply", gndm_value(x[0]), gndm_value(x[1])));
}

/* vecdot: the sum of conj(x1) * x2, in the dtype of gnd's result. */
gnd_status gndm__fn_vecdot(gndm__args *a)
{
    static const char *const kw[] = {"axis", "dtype"};
    gndm_ctx *c = a->c;
    gndm_array *x[2];
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    const int64_t axis = gndm__arg_int(a, "axis", -1);
    if (!operands(a, "x1", "x2", x) || v.tag != GND_V_ARRAY ||
        gnd_dtype_of(v.as.array) == GND_BOOL || (axis >= 0 && x[0]->part->ndim != x[1]->part->ndim))
        return gndm__fn_gathered(a);
    if (gnd_dtype_kind(x[0]->dtype) == 'c')
        x[0] = gndm__call1(c, "conj", x[0]);
    gndm_array *y = gndm__call2(c, "multiply", gndm_value(x[0]), gndm_value(x[1]));
    st = gndm__check(c, y);
    if (st)
        return st;
    const gnd_value s[3] = {gndm_value(y), gnd_value_int(axis),
                            gnd_value_dtype(gnd_dtype_of(v.as.array))};
    return gndm__ret_array(a, gndm_apply(c, NULL, "sum", 3, s, 2, kw));
}

/* Triangles: those of the parts, on diagonals that count from the first elements of the parts. */
gnd_status gndm__fn_triangle(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    const int ndim = x ? x->part->ndim : 0;
    if (st || ndim < 2)
        return st ? st : gndm__fn_gathered(a);
    gndm__box b;
    gndm__part_box(x->part, c->rank, &b);
    const int64_t k = gndm__arg_int(a, "k", 0) + b.start[ndim - 2] - b.start[ndim - 1];
    gnd_array *y = !strcmp(a->name, "tril") ? gnd_tril(x->local, k) : gnd_triu(x->local, k);
    return gndm__ret_array(a, gndm__array(c, x->dtype, x->part, y));
}

/* Whether one of the shapes broadcasts to the other, or both to a third. */
static int broadcasts(const gndm_part *p, const gndm_part *q)
{
    for (int i = 1; i <= p->ndim && i <= q->ndim; i++) {
        const int64_t m = p->shape[p->ndim - i], n = q->shape[q->ndim - i];
        if (m != n && m != 1 && n != 1)
            return 0;
    }
    return 1;
}

/* Makes the element of y, which every rank has, the result of the call. */
static gnd_status ret_truth(gndm__args *a, gndm_array *y)
{
    gnd_status st = GND_OK;
    const int64_t yes = gnd_item_i64(gnd_astype(y->local, GND_INT64), &st);
    st = gndm__agree(a->c, st, gnd_message());
    if (!st)
        *a->out = gnd_value_bool(yes != 0);
    return st;
}

/* array_equal, array_equiv and allclose: one truth value, the same on all ranks. */
gnd_status gndm__fn_alike(gndm__args *a)
{
    static const char *const kw[] = {"rtol", "atol", "equal_nan"};
    gndm_ctx *c = a->c;
    gndm_array *x[2];
    const int close = !strcmp(a->name, "allclose");
    const int equiv = !strcmp(a->name, "array_equiv");
    if (!operands(a, close ? "a" : "a1", close ? "b" : "a2", x) ||
        (!close && gndm__arg_true(a, "equal_nan"))) {
        const gnd_status st = gndm__fn_gathered(a);
        gndm_array *y = st ? NULL : gndm__as_array(a->out);
        return y ? ret_truth(a, y) : st;
    }
    const gndm_part *p = x[0]->part, *q = x[1]->part;
    if (equiv && !broadcasts(p, q)) {
        *a->out = gnd_value_bool(0);
        return GND_OK;
    }
    if (!close && !equiv &&
        (p->ndim != q->ndim ||
         memcmp(p->shape, q->shape, (size_t)p->ndim * sizeof *p->shape) != 0)) {
        *a->out = gnd_value_bool(0);
        return GND_OK;
    }
    gnd_value v[5] = {gndm_value(x[0]), gndm_value(x[1])};
    const char *given[3];
    int n = 2;
    for (int i = 0; i < 3 && close; i++)
        if (gndm__arg(a, kw[i])) {
            given[n - 2] = kw[i];
            v[n++] = *gndm__arg(a, kw[i]);
        }
    gndm_array *y = gndm_apply(c, NULL, close ? "isclose" : "equal", n, v, n - 2, given);
    y = y->status ? y : gndm__call1(c, "all", y);
    const gnd_status st = gndm__check(c, y);
    return st ? st : ret_truth(a, y);
}

/* add.reduce, add.accumulate and the others: the reduction, and the running one, along axis 0 by
 * default. */
gnd_status gndm__fn_ufunc(gndm__args *a)
{
    static const char *const names[][2] = {{"add.reduce", "sum"},
                                           {"multiply.reduce", "prod"},
                                           {"maximum.reduce", "max"},
                                           {"minimum.reduce", "min"},
                                           {"logical_and.reduce", "all"},
                                           {"logical_or.reduce", "any"},
                                           {"add.accumulate", "cumsum"},
                                           {"multiply.accumulate", "cumprod"},
                                           {"maximum.accumulate", "cummax"},
                                           {"minimum.accumulate", "cummin"}};
    gnd_value v[GND_PARAMETERS + 1], tried;
    const char *kw[GND_PARAMETERS + 1];
    int n = 0, k = 0;
    const gnd_status st = gndm__try(a, &tried);
    if (st)
        return st;
    while (k < 9 && strcmp(names[k][0], a->name) != 0)
        k++;
    for (int i = 0; i < a->info->nparameters; i++) {
        if (a->at[i] < 0 && strcmp(a->info->parameter[i].name, "axis") != 0)
            continue;
        kw[n] = a->info->parameter[i].name;
        v[n++] = a->at[i] < 0 ? gnd_value_int(0) : a->v[a->at[i]];
    }
    return gndm_call(a->c, names[k][1], n, v, n - 1, kw + 1, a->out);
}
