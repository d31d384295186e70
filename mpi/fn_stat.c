/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_stat.c - averages, covariances, integrals, and orders by several keys, as compositions of
 * reductions, products and sorts.
 */
#include "join.h"

#include <string.h>

static gnd_dtype wide_of(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
}

/* --- average ---------------------------------------------------------------------------------- */

/* The weights with the axes of x: they have its shape, or that of the axes of the call. */
static gndm_array *fitted(gndm_ctx *c, gndm_array *w, const gndm_array *x, uint32_t axes)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM], e = 0;
    if (w->status || w->part->ndim == x->part->ndim)
        return w;
    for (int d = 0; d < x->part->ndim; d++) {
        from[d] = axes >> d & 1 ? e++ : -1;
        shape[d] = from[d] < 0 ? 1 : x->part->shape[d];
    }
    return gndm__reshaped(c, w, x->part->ndim, shape, from);
}

gnd_status gndm__fn_average(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y[2];
    const gnd_value *given = gndm__arg(a, "weights"), *axis = gndm__arg(a, "axis");
    const int both = gndm__arg_true(a, "returned"), keep = gndm__arg_true(a, "keepdims");
    const gnd_value along = axis ? *axis : gnd_value_none();
    gnd_value v;
    gnd_status st = x ? gndm__try(a, &v) : gndm__fn_gathered(a);
    if (st || !x)
        return st;
    gnd_array *like = both ? v.as.items.item[0].as.array : v.as.array;
    gndm__drop_items(&v);
    const gnd_dtype t = gnd_dtype_of(like);
    if (!given) {
        y[0] = gndm__do(c, "mean", "a axis:v dtype:t keepdims:b", x, along, t, keep);
    } else {
        gndm_array *w = fitted(c, gndm__as(c, gndm__made(a, given), wide_of(t)), x,
                               gndm__arg_axes(a, x->part->ndim, NULL));
        gndm_array *p = gndm__do(c, "multiply", "a a", gndm__as(c, x, wide_of(t)), w);
        y[1] = gndm__do(c, "sum", "a axis:v keepdims:b", w, along, keep);
        p = gndm__do(c, "sum", "a axis:v keepdims:b", p, along, keep);
        y[0] = gndm__as(c, gndm__do(c, "divide", "a a", p, y[1]), t);
    }
    st = gndm__check(c, y[0]);
    if (!st && both) {
        if (!given)
            y[1] =
                gndm__do(c, "full_like", "a f", y[0],
                         (double)gndm_elements(x) / (double)(gnd_size(like) ? gnd_size(like) : 1));
        else
            y[1] = gndm__broadcast(c, gndm__as(c, y[1], t), y[0]->part);
        st = gndm__ret_arrays(a, 2, y);
    } else if (!st) {
        st = gndm__ret_like(a, y[0], like);
    }
    return st;
}

/* --- covariances ------------------------------------------------------------------------------ */

/* x as a matrix of dtype t with one variable in each row. */
static gndm_array *variables(gndm_ctx *c, gndm_array *x, gnd_dtype t, int transposed)
{
    if (x->status)
        return x;
    x = gndm__as(c, x, t);
    if (x->part->ndim < 2)
        return gndm__do(c, "expand_dims", "a n", gndm__do(c, "atleast_1d", "a", x), 0);
    return transposed ? gndm__do(c, "matrix_transpose", "a", x) : x;
}

/* The covariances of the rows of m, divided by n - less. */
static gndm_array *covariances(gndm_ctx *c, gndm_array *m, double less)
{
    if (m->status)
        return m;
    const double n = (double)m->part->shape[1] - less;
    gndm_array *mean = gndm__do(c, "mean", "a axis:n keepdims:b", m, 1, 1);
    gndm_array *d = gndm__do(c, "subtract", "a a", m, mean);
    gndm_array *right = gndm__do(c, "matrix_transpose", "a", d);
    if (gnd_dtype_kind(m->dtype) == 'c')
        right = gndm__do(c, "conj", "a", right);
    return gndm__do(c, "multiply", "a f", gndm__do(c, "matmul", "a a", d, right),
                    1 / (n > 0 ? n : 0));
}

/* cov, and corrcoef (data 1). With weights every rank computes everything. */
gnd_status gndm__fn_cov(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y = gndm__arg_array(a, "y");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    if (!x || (gndm__arg(a, "y") && !y) || gndm__arg(a, "fweights") || gndm__arg(a, "aweights") ||
        gnd_size(like) == 0)
        return gndm__fn_gathered(a);
    const gnd_dtype t = wide_of(gnd_dtype_of(like));
    const gnd_value *ddof = gndm__arg(a, "ddof");
    const int columns = gndm__given(a, "rowvar") && !gndm__arg_true(a, "rowvar");
    double less = a->rule->data || !gndm__arg_true(a, "bias");
    if (ddof)
        less = ddof->tag == GND_V_FLOAT ? ddof->as.z.re : (double)ddof->as.i;
    gndm_array *m = variables(c, x, t, columns);
    if (y) {
        gndm_array *all[2] = {
            m, variables(c, y, t, columns && y->part->ndim == 2 && y->part->shape[0] != 1)};
        m = gndm__concat(c, 2, all, 0, t);
    }
    m = covariances(c, m, less);
    if (a->rule->data && !m->status) {
        gndm_array *d =
            gndm__do(c, "sqrt", "a", gndm__do(c, "real", "a", gndm__diagonal(c, m, 0, 0, 1)));
        m = gndm__do(c, "divide", "a a", m, gndm__do(c, "expand_dims", "a n", d, 1));
        m = gndm__do(c, "divide", "a a", m, d);
        if (gnd_dtype_kind(t) == 'c')
            m = gndm__text(c, "clip(real(m), -1, 1) + clip(imag(m), -1, 1) * 1j", 1,
                           (const char *const[]){"m"}, (const gnd_value[]){gndm_value(m)});
        else
            m = gndm__do(c, "clip", "a n n", m, -1, 1);
    }
    return gndm__ret_like(a, gndm__do(c, "squeeze", "a", m), like);
}

/* --- integrals -------------------------------------------------------------------------------- */

gnd_status gndm__fn_trapezoid(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *y = gndm__arg_array(a, "y"), *x = gndm__arg_array(a, "x");
    const gnd_value *dx = gndm__arg(a, "dx");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const int ndim = y ? y->part->ndim : 0, axis = gndm__axis(a, "axis", -1, ndim);
    if (!y || (gndm__arg(a, "x") && !x) || y->part->shape[axis] < 2 ||
        (x && x->part->ndim != 1 && x->part->ndim != ndim))
        return gndm__fn_gathered(a);
    const gnd_dtype t = wide_of(gnd_dtype_of(like));
    y = gndm__as(c, y, t);
    gndm_array *s = gndm__do(c, "add", "a a", gndm__sliced(c, y, axis, 1, GND_NONE, 1),
                             gndm__sliced(c, y, axis, 0, -1, 1));
    if (x) {
        gndm_array *d = gndm__differences(c, x, x->part->ndim == 1 ? 0 : axis);
        if (x->part->ndim == 1 && !d->status && ndim > 1) {
            int64_t shape[GND_MAX_NDIM];
            int from[GND_MAX_NDIM];
            for (int i = 0; i < ndim; i++) {
                from[i] = i == axis ? 0 : -1;
                shape[i] = i == axis ? d->part->shape[0] : 1;
            }
            d = gndm__reshaped(c, d, ndim, shape, from);
        }
        s = gndm__do(c, "multiply", "a a", d, s);
    } else {
        s = gndm__do(c, "multiply", "a v", s, dx ? *dx : gnd_value_int(1));
    }
    s = gndm__do(c, "sum", "a axis:n", gndm__do(c, "divide", "a n", s, 2), axis);
    return gndm__ret_like(a, s, like);
}

/* --- order ------------------------------------------------------------------------------------ */

/* lexsort of vectors: stable sorts by one key after the other, the last key last. */
gnd_status gndm__fn_lexsort(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    int n = 0;
    gndm_array **key = st ? NULL : gndm__list(a, gndm__arg(a, "keys"), &n);
    if (st || !key || n == 0 || gnd_ndim(like) != 1)
        return st ? st : gndm__fn_gathered(a);
    gndm_array *order = NULL;
    for (int i = 0; i < n && !st; i++) {
        gndm_array *k = order ? gndm__do(c, "take", "a a", key[i], order) : key[i];
        k = gndm__do(c, "argsort", "a stable:b", k, 1);
        order = order ? gndm__do(c, "take", "a a", order, k) : k;
        st = gndm__check(c, order);
    }
    return st ? st : gndm__ret_like(a, order, like);
}
