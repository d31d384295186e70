/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_norm.c - norms as compositions of reductions. Those of singular values come from svdvals.
 */
#include "join.h"

#include <math.h>
#include <string.h>

/* A parameter `ord` as a number: that of a vector norm, or a code of a matrix norm. */
enum { FRO = 1000, NUC };
static double order_of(const gnd_value *v, double initial)
{
    if (!v)
        return initial;
    if (v->tag == GND_V_STRING)
        return v->as.text.n == 3 && !memcmp(v->as.text.s, "fro", 3)   ? FRO
               : v->as.text.n == 3 && !memcmp(v->as.text.s, "nuc", 3) ? NUC
                                                                      : NAN;
    return v->tag == GND_V_FLOAT ? v->as.z.re : v->tag == GND_V_INT ? (double)v->as.i : NAN;
}

/* |x| or its squares in a float dtype. */
static gndm_array *sizes(gndm_ctx *c, gndm_array *x, int squares)
{
    if (!x->status && strchr("biu", gnd_dtype_kind(x->dtype)))
        x = gndm__as(c, x, gnd_default_float(c->dev));
    if (squares && !x->status && gnd_dtype_kind(x->dtype) == 'c')
        return gndm__do(c, "real", "a",
                        gndm__do(c, "multiply", "a a", x, gndm__do(c, "conj", "a", x)));
    return gndm__do(c, squares ? "square" : "abs", "a", x);
}

static gndm_array *vector_norm(gndm_ctx *c, gndm_array *x, gnd_value axis, double ord, int keep)
{
    if (ord == 0)
        return gndm__do(c, "count_nonzero", "a axis:v keepdims:b", x, axis, keep);
    gndm_array *y = sizes(c, x, ord == 2);
    if (isinf(ord))
        return gndm__do(c, ord > 0 ? "max" : "min", "a axis:v keepdims:b", y, axis, keep);
    if (ord != 1 && ord != 2)
        y = gndm__do(c, "pow", "a f", y, ord);
    y = gndm__do(c, "sum", "a axis:v keepdims:b", y, axis, keep);
    return ord == 1   ? y
           : ord == 2 ? gndm__do(c, "sqrt", "a", y)
                      : gndm__do(c, "pow", "a f", y, 1 / ord);
}

/* The norm of the matrices in two axes. NULL: there is no such order. */
static gndm_array *matrix_norm(gndm_ctx *c, gndm_array *x, int rows, int columns, double ord,
                               int keep)
{
    const gnd_value axis[2] = {gnd_value_int(rows), gnd_value_int(columns)};
    const gnd_value both = gnd_value_tuple(2, axis);
    if (ord == FRO)
        return vector_norm(c, x, both, 2, keep);
    if (fabs(ord) == 1 || isinf(ord)) {
        const int along = isinf(ord) ? columns : rows;
        gndm_array *y = gndm__do(c, "sum", "a axis:n keepdims:b", sizes(c, x, 0), along, 1);
        return gndm__do(c, ord > 0 ? "max" : "min", "a axis:v keepdims:b", y, both, keep);
    }
    if ((ord != NUC && fabs(ord) != 2) || x->status || rows != x->part->ndim - 2 ||
        columns != x->part->ndim - 1 || keep)
        return NULL;
    gndm_array *s = gndm__do(c, "svdvals", "a", x);
    return gndm__do(c, ord == NUC ? "sum" : ord > 0 ? "max" : "min", "a axis:n", s, -1);
}

gnd_status gndm__fn_vector_norm(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *axis = gndm__arg(a, "axis");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    const double ord = order_of(gndm__arg(a, "ord"), 2);
    if (st || !x || isnan(ord) || ord >= FRO)
        return st ? st : gndm__fn_gathered(a);
    return gndm__ret_like(
        a,
        vector_norm(a->c, x, axis ? *axis : gnd_value_none(), ord, gndm__arg_true(a, "keepdims")),
        like);
}

/* norm and matrix_norm. */
gnd_status gndm__fn_norm(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x"), *y = NULL;
    const gnd_value *axis = gndm__arg(a, "axis"), *ord = gndm__arg(a, "ord");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    int64_t d[2] = {-2, -1};
    const int always = strstr(a->name, "matrix_norm") != NULL, ndim = x->part->ndim;
    const int n = axis ? gndm__ints(axis, 2, d) : 2, keep = gndm__arg_true(a, "keepdims");
    const double p = order_of(ord, always ? FRO : 2);
    if (always || (n == 2 && (axis || ndim == 2) && ord)) {
        for (int i = 0; i < 2; i++)
            d[i] = d[i] < 0 ? d[i] + ndim : d[i];
        y = n == 2 && !isnan(p) ? matrix_norm(a->c, x, (int)d[0], (int)d[1], p, keep) : NULL;
    } else if (!isnan(p) && p < FRO) {
        y = vector_norm(a->c, x, axis ? *axis : gnd_value_none(), p, keep);
    }
    return y ? gndm__ret_like(a, y, like) : gndm__fn_gathered(a);
}

/* cond: by singular values, or by the norms of a matrix and its inverse. */
gnd_status gndm__fn_cond(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y;
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    const double p = order_of(gndm__arg(a, "p"), 2);
    if (st || !x || x->part->ndim < 2 || isnan(p) || p == NUC || gndm_elements(x) == 0)
        return st ? st : gndm__fn_gathered(a);
    const int n = x->part->ndim;
    if (fabs(p) == 2) {
        gndm_array *s = gndm__do(c, "svdvals", "a", x);
        gndm_array *most = gndm__do(c, "max", "a axis:n", s, -1);
        gndm_array *least = gndm__do(c, "min", "a axis:n", s, -1);
        y = p > 0 ? gndm__do(c, "divide", "a a", most, least)
                  : gndm__do(c, "divide", "a a", least, most);
    } else {
        gndm_array *i = gndm__do(c, "inv", "a", x);
        y = i->status ? i
                      : gndm__do(c, "multiply", "a a", matrix_norm(c, x, n - 2, n - 1, p, 0),
                                 matrix_norm(c, i, n - 2, n - 1, p, 0));
    }
    return gndm__ret_like(a, y, like);
}
