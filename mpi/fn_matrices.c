/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_matrices.c - decompositions of matrices that have no algorithm by blocks. Stacks are split
 * along the stack, and each rank computes its own matrices. A tall matrix is reduced to the small
 * triangle of its QR decomposition (fn_tsqr.c) first, a wide one is the adjoint of a tall one.
 * Other single matrices are gathered. Triangular systems are split by the columns of their
 * right-hand sides.
 */
#include "blocks.h"
#include "join.h"

#include <string.h>

/* The result of a call on placeholders, of which stacks need the shape. */
static gnd_array *first_of(const gnd_value *v)
{
    return v->tag == GND_V_ARRAY                   ? v->as.array
           : gndm__is_list(v) && v->as.items.n > 0 ? v->as.items.item[0].as.array
                                                   : NULL;
}

/* Functions of stacks of matrices whose results keep the axes of the stack; data: how many axes
 * follow. Each result of a tuple has its own. */
gnd_status gndm__fn_matrices(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__as_array(a->n ? &a->v[0] : NULL);
    gnd_value v, local;
    if (!x || x->part->ndim < 3 || !gndm__part_split_anywhere(x->part))
        return gndm__fn_gathered(a);
    for (int i = 1; i < a->n; i++) /* another operand may broadcast against the stack */
        if (gndm__as_array(&a->v[i]))
            return gndm__fn_gathered(a);
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (v.tag == GND_V_ARRAY)
        return gndm__stacked_matrices(a, x, gnd_ndim(v.as.array) - (x->part->ndim - 2), v.as.array);
    const int n = x->part->ndim;
    x = gndm__whole(c, x, UINT32_C(3) << (n - 2));
    st = gndm__check(c, x);
    const int64_t m = v.as.items.n;
    gndm_part **part = (gndm_part **)(void *)gndm__items(a, m);
    gnd_dtype *t = (gnd_dtype *)(void *)gndm__items(a, m);
    gndm_array **y = (gndm_array **)(void *)gndm__items(a, m);
    if (!st && (!part || !t || !y))
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int64_t i = 0; i < m && !st; i++) {
        int from[GND_MAX_NDIM];
        gnd_array *z = v.as.items.item[i].as.array;
        for (int d = 0; d < gnd_ndim(z); d++)
            from[d] = d < n - 2 ? d : -1;
        part[i] = gndm__part_axes(c, x->part, gnd_ndim(z), gnd_shape(z), from);
        t[i] = gnd_dtype_of(z);
    }
    gndm__drop_items(&v);
    if (st)
        return st;
    gndm__replace(a, 0, x);
    st = gndm__local_call(a, &local);
    for (int64_t i = 0; i < m && !st; i++) /* an error of this rank alone is in each result */
        y[i] = gndm__array(c, t[i], part[i],
                           local.tag == GND_V_ARRAY ? local.as.array
                                                    : local.as.items.item[i].as.array);
    for (int64_t i = 0; i < m; i++)
        gndm_part_free(part[i]);
    if (!st)
        gndm__drop_items(&local);
    return st ? st : gndm__ret_arrays(a, (int)m, y);
}

/* --- by the triangle of QR -------------------------------------------------------------------- */

/* Whether x is one matrix that is split and has at least as many rows for each rank as columns
 * (wide: the other way round). */
static int tall(const gndm_array *x, int wide)
{
    const gndm_part *p = x ? x->part : NULL;
    return p && p->ndim == 2 && gndm__part_split_anywhere(p) && p->shape[!wide] > 0 &&
           p->shape[wide] / x->ctx->size >= p->shape[!wide];
}

static gndm_array *adjoint(gndm_ctx *c, gndm_array *x)
{
    gndm_array *y = gndm__do(c, "matrix_transpose", "a", x);
    return !y->status && gnd_dtype_kind(y->dtype) == 'c' ? gndm__do(c, "conj", "a", y) : y;
}

/* The triangle R of a tall matrix, on every rank, and Q if q is not NULL. */
static gndm_array *triangle(gndm_ctx *c, gndm_array *x, gndm_array **q)
{
    if (x->status || !q)
        return gndm__do(c, "qr", "a mode:v", x, gnd_value_string("r"));
    const gnd_value v = gndm_value(x);
    gnd_value out;
    const gnd_status st = gndm_call(c, "qr", 1, &v, 0, NULL, &out);
    if (st)
        return gndm__error(c, st);
    gndm_array *y[2];
    gndm__take_items(&out, 2, y);
    *q = y[0];
    return y[1];
}

/* svdvals, matrix_rank: those of the triangle. */
gnd_status gndm__fn_svdvals(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    const int wide = tall(x, 1), others = !gndm__only(a, "x tol rtol");
    gnd_value v;
    if ((!tall(x, 0) && !wide) || others)
        return gndm__fn_matrices(a);
    for (int i = 0; i < a->n; i++) /* tolerances must be numbers */
        if (gndm__as_array(&a->v[i]) && i != a->at[0])
            return gndm__fn_gathered(a);
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    gnd_array *like = first_of(&v);
    const int64_t longer = x->part->shape[wide];
    gndm_array *s = triangle(a->c, wide ? adjoint(a->c, x) : x, NULL);
    if (!strstr(a->name, "matrix_rank")) /* the default tolerance depends on the shape */
        return gndm__ret_like(a, gndm__do(a->c, "svdvals", "a", s), like);
    s = gndm__do(a->c, "svdvals", "a", s);
    if (s->status)
        return gndm__check(a->c, s);
    const gnd_value *tol = gndm__arg(a, "tol"), *rtol = gndm__arg(a, "rtol");
    const double eps = s->dtype == GND_FLOAT64 ? 0x1p-52 : 0x1p-23;
    const double of = !rtol                    ? (double)longer * eps
                      : rtol->tag == GND_V_INT ? (double)rtol->as.i
                                               : rtol->as.z.re;
    gndm_array *most =
        tol ? NULL : gndm__do(a->c, "multiply", "a f", gndm__do(a->c, "max", "a", s), of);
    gndm_array *above =
        tol ? gndm__do(a->c, "greater", "a v", s, *tol) : gndm__do(a->c, "greater", "a a", s, most);
    return gndm__ret_like(a, gndm__do(a->c, "count_nonzero", "a", above), like);
}

/* U, S and the adjoint of V of a tall matrix; U is as the rows of x are. */
static gnd_status decomposed(gndm_ctx *c, gndm_array *x, gndm_array **usv)
{
    gndm_array *q = NULL, *r = triangle(c, x, &q);
    gnd_status st = gndm__check(c, r);
    if (st)
        return st;
    const gnd_value v[2] = {gndm_value(r), gnd_value_bool(0)};
    gnd_value out;
    st = gndm_call(c, "svd", 2, v, 0, NULL, &out);
    if (st)
        return st;
    gndm__take_items(&out, 3, usv);
    usv[0] = gndm__do(c, "matmul", "a a", q, usv[0]);
    return gndm__check(c, usv[0]);
}

/* svd without the vectors that a reduced decomposition lacks. */
gnd_status gndm__fn_svd(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y[3];
    const int wide = tall(x, 1);
    const int full = !gndm__given(a, "full_matrices") || gndm__arg_true(a, "full_matrices");
    const int uv = !gndm__given(a, "compute_uv") || gndm__arg_true(a, "compute_uv");
    if (!uv && (tall(x, 0) || wide))
        return gndm__ret_array(a, gndm__do(c, "svdvals", "a", x));
    if ((!tall(x, 0) && !wide) || full)
        return gndm__fn_matrices(a);
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    st = decomposed(c, wide ? adjoint(c, x) : x, y);
    if (!st && wide) {
        gndm_array *u = adjoint(c, y[2]);
        y[2] = adjoint(c, y[0]);
        y[0] = u;
    }
    return st ? st : gndm__ret_arrays(a, 3, y);
}

/* pinv: V / S times the adjoint of U, without small singular values. */
gnd_status gndm__fn_pinv(gndm__args *a)
{
    static const char *const names[] = {"u", "s", "v", "rtol"};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y[3];
    const int wide = tall(x, 1);
    const gnd_value *r = gndm__arg(a, "rtol");
    r = r ? r : gndm__arg(a, "rcond");
    if ((!tall(x, 0) && !wide) || (r && r->tag != GND_V_FLOAT && r->tag != GND_V_INT))
        return gndm__fn_matrices(a);
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (!st)
        st = decomposed(c, wide ? adjoint(c, x) : x, y);
    if (st)
        return st;
    const double eps = y[1]->dtype == GND_FLOAT64 ? 0x1p-52 : 0x1p-23;
    const gnd_value v[4] = {gndm_value(y[0]), gndm_value(y[1]), gndm_value(y[2]),
                            r ? *r : gnd_value_float((double)x->part->shape[wide] * eps)};
    gndm_array *z = gndm__text(c,
                               "i = where(s > rtol * max(s), 1 / s, 0);"
                               "(conj(v).mT * i) @ conj(u).mT",
                               4, names, v);
    return gndm__ret_like(a, wide ? adjoint(c, z) : z, like);
}

/* --- triangular systems ----------------------------------------------------------------------- */

/* x in a partition whose columns are split among all ranks. */
static gndm_array *by_columns(gndm_ctx *c, gndm_array *x)
{
    const int grid[2] = {1, c->size};
    gndm_part *p = gndm_part_even(c, 2, x->part->shape, grid);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    return y;
}

/* solve_triangular and cho_solve: every rank has the triangle and columns of b. */
gnd_status gndm__fn_solve_triangular(gndm__args *a)
{
    gndm_ctx *c = a->c;
    const int at = a->at[1];
    gndm_array *b = gndm__arg_array(a, "b");
    gnd_value local;
    gnd_array *like;
    if (!b || b->part->ndim != 2 || !gndm__part_split_anywhere(b->part) || at < 0)
        return gndm__fn_gathered(a);
    gnd_status st = gndm__expect(a, &like);
    if (st || gnd_ndim(like) != 2)
        return st ? st : gndm__fn_gathered(a);
    gndm_part *given = b->part;
    b = by_columns(c, b);
    st = gndm__check(c, b);
    gndm__replace(a, at, b);
    for (int i = 0; i < a->n && !st; i++)
        if (i != at)
            st = gndm__each_array(a, &a->v[i], gndm__parameter, NULL);
    if (!st)
        st = gndm__local_call(a, &local);
    if (st)
        return st;
    gndm_array *y = gndm__array(c, gnd_dtype_of(like), b->part, local.as.array);
    return gndm__ret_like(a, y->status ? y : gndm__moved(c, y, given), like);
}

/* polyfit: least squares of the powers of x, whose columns have norm 1. */
gnd_status gndm__fn_polyfit(gndm__args *a)
{
    static const char *const names[] = {"x", "y", "n", "rcond"};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y = gndm__arg_array(a, "y");
    const int64_t deg = gndm__arg_int(a, "deg", -1);
    const gnd_value *r = gndm__arg(a, "rcond");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || !y || deg < 0 || gndm__arg(a, "w") || x->part->ndim != 1 ||
        !gndm__part_split_anywhere(x->part) || x->part->shape[0] / c->size < deg + 2)
        return st ? st : gndm__fn_gathered(a);
    const gnd_dtype real = gnd_default_float(c->dev);
    const double eps = real == GND_FLOAT64 ? 0x1p-52 : 0x1p-23;
    x = gndm__as(c, x, gnd_promote(x->dtype, real)); /* the points are exact */
    y = gndm__as(c, y, gnd_promote(y->dtype, real));
    const gnd_value v[4] = {gndm_value(x), gndm_value(y), gnd_value_int(deg + 1),
                            r ? *r : gnd_value_float((double)x->part->shape[0] * eps)};
    gndm_array *z = gndm__text(c,
                               "m = vander(x, n); s = sqrt(sum(square(abs(m)), axis=0));"
                               "c, e, k, g = lstsq(m / s, y, rcond=rcond);"
                               "(c.T / s).T",
                               4, names, v);
    return gndm__ret_like(a, z, like);
}

/* vander: a row for each element. */
gnd_status gndm__fn_vander(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    static const int rows[2] = {0, -1};
    gnd_array *like;
    gnd_value local;
    gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    gnd_value *v = gndm__items(a, a->n + 1);
    if (!v)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    const int64_t n = gnd_dim(like, 1);
    gndm_part *p = gndm__part_axes(a->c, x->part, 2, gnd_shape(like), rows);
    gnd_array *y = x->local;
    if (!gnd_status_of(y)) { /* the number of columns is that of the whole vector */
        v[0] = gnd_value_array(y);
        v[1] = gnd_value_int(n);
        v[2] = gnd_value_bool(gndm__arg_true(a, "increasing"));
        st = gnd_call(a->c->dev, "vander", 3, v, 0, NULL, &local);
        y = st ? gnd_fail(st, "%s", gnd_message()) : local.as.array;
    }
    st = gndm__ret_like(a, gndm__array(a->c, gnd_dtype_of(like), p, y), like);
    gndm_part_free(p);
    return st;
}
