/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_choose.c - the language's functions that choose between arrays or change some elements,
 * like NumPy's select, piecewise, choose, putmask, copyto and fill_diagonal (gnd/index.h): handlers
 * of funcs.def. Where NumPy changes its argument, these functions return the changed array.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/index.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

/* The items of a list as arrays. Numbers are weak scalars. */
typedef struct items {
    gnd__val *v;
    gnd_array **a;
    int n;
} items;

static void drop_items(items *t)
{
    for (int i = 0; t->v && i < t->n; i++)
        gnd__val_drop(&t->v[i]);
    gnd__free(t->v);
    gnd__free(t->a);
    *t = (items){NULL, NULL, 0};
}

/* Converts argument i, a list or tuple, to items. An array counts as the list of its parts along
 * axis 0. With `one`, a 1-d array and any other value count as a list of one item. After an error
 * *t is empty. */
static int items_of(gnd__args *c, int i, int one, items *t)
{
    *t = (items){NULL, NULL, 0};
    if (gnd__arg_parts(c, i, one ? 2 : 1))
        return -1;
    const gnd__val *v = &c->arg[i].v;
    const int list = gnd__val_is_seq(v);
    if ((!list && !one) || (list && v->seq->n > INT32_MAX))
        return gnd__arg_wrong(c, i, "a list of arrays");
    const int n = list ? (int)v->seq->n : 1;
    t->v = gnd__calloc((size_t)n + 1, sizeof *t->v);
    t->a = gnd__calloc((size_t)n + 1, sizeof *t->a);
    if (!t->v || !t->a) {
        drop_items(t);
        return gnd__expr_nomem(c->x);
    }
    for (; t->n < n; t->n++) {
        t->v[t->n] = gnd__val_ref(list ? &v->seq->item[t->n] : v);
        t->a[t->n] = gnd__val_to_array(c->x, &t->v[t->n], c->arg[i].at, c->name);
        if (!t->a[t->n]) {
            t->n++;
            drop_items(t);
            return -1;
        }
    }
    return 0;
}

/* condlist, choicelist, default */
int gnd__fn_select(gnd__args *c)
{
    items cond, choice;
    gnd_array *y = gnd__arg_given(c, 2) ? gnd__arg_array(c, 2) : NULL;
    if ((gnd__arg_given(c, 2) && !y) || items_of(c, 0, 1, &cond))
        return -1;
    int bad = items_of(c, 1, 0, &choice);
    if (!bad)
        bad = cond.n == choice.n
                  ? gnd__ret(c, gnd_select(cond.n, cond.a, choice.a, y))
                  : gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "select: %d conditions and %d choices",
                                   cond.n, choice.n);
    drop_items(&cond);
    drop_items(&choice);
    return bad;
}

/* x, condlist, values. If there is one value more than conditions, the last value applies to
 * elements for which no condition is true. */
int gnd__fn_piecewise(gnd__args *c)
{
    items cond, value;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || items_of(c, 1, 1, &cond))
        return -1;
    int bad = items_of(c, 2, 0, &value);
    if (!bad && value.n != cond.n && value.n != cond.n + 1)
        bad = gnd__expr_fail(c->x, GND_ERR_ARG, c->at,
                             "piecewise: %d conditions and %d values: as many are needed, or one "
                             "more",
                             cond.n, value.n);
    if (!bad)
        bad = gnd__ret(c, gnd_piecewise(x, cond.n, cond.a, value.a,
                                        value.n > cond.n ? value.a[cond.n] : NULL));
    drop_items(&cond);
    drop_items(&value);
    return bad;
}

/* a, choices, mode */
int gnd__fn_choose(gnd__args *c)
{
    items choice;
    gnd_array *a = gnd__arg_strong(c, 0);
    const int mode = a ? gnd__arg_word(c, 2, "raise wrap clip", GND_INDEX_RAISE) : -1;
    if (mode < 0 || items_of(c, 1, 0, &choice))
        return -1;
    const int bad = gnd__ret(c, gnd_choose(a, choice.n, choice.a, (gnd_index_mode)mode));
    drop_items(&choice);
    return bad;
}

/* --- arrays with some elements changed -------------------------------------------------------- */

/* x, mask, values */
int gnd__fn_putmask(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *m = x ? gnd__arg_strong(c, 1) : NULL,
              *v = m ? gnd__arg_array(c, 2) : NULL;
    return v ? gnd__ret(c, gnd_putmask(x, m, v)) : -1;
}

/* dst, src, casting, where */
int gnd__fn_copyto(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *v = x ? gnd__arg_array(c, 1) : NULL, *m = NULL;
    const int casting =
        v ? gnd__arg_word(c, 2, "no equiv safe same_kind unsafe", GND_CAST_SAME_KIND) : -1;
    if (casting < 0 || (gnd__arg_given(c, 3) && !(m = gnd__arg_strong(c, 3))))
        return -1;
    return gnd__ret(c, gnd_copyto(x, v, (gnd_casting)casting, m));
}

/* x, val, wrap */
int gnd__fn_fill_diagonal(gnd__args *c)
{
    int wrap = 0;
    gnd_array *x = gnd__arg_strong(c, 0), *v = x ? gnd__arg_array(c, 1) : NULL;
    if (!v || (gnd__arg_given(c, 2) && gnd__arg_bool(c, 2, &wrap)))
        return -1;
    return gnd__ret(c, gnd_fill_diagonal(x, v, wrap));
}

/* --- indices ---------------------------------------------------------------------------------- */

/* *arrays, 1-d: each gets its own axis, so that together they index a grid. Masks are converted to
 * indices. */
int gnd__fn_ix_(gnd__args *c)
{
    gnd_array *out[GND_MAX_NDIM] = {NULL};
    int64_t dim[GND_MAX_NDIM];
    const int n = c->nrest;
    if (n > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "ix_: %d arrays: at most %d are possible",
                              n, GND_MAX_NDIM);
    gnd_array **a = gnd__rest_arrays(c, &(int){0});
    if (!a)
        return -1;
    int bad = 0;
    for (int i = 0; i < n && !bad; i++)
        if (gnd_ndim(a[i]) != 1)
            bad = gnd__expr_fail(c->x, GND_ERR_SHAPE, c->rest[i].at,
                                 "ix_: an array of %d dimensions: each has one", gnd_ndim(a[i]));
    for (int i = 0; i < n && !bad; i++) {
        gnd_scope_begin();
        gnd_array *p = gnd_dtype_of(a[i]) == GND_BOOL ? gnd_flatnonzero(a[i]) : a[i];
        if (gnd_size(p) == 0 && c->rest[i].v.kind != GND__V_ARRAY)
            p = gnd_astype(p, GND_INT64); /* [] has no dtype of its own */
        for (int d = 0; d < n; d++)
            dim[d] = d == i ? gnd_size(p) : 1;
        out[i] = gnd_reshape(p, n, dim);
        gnd_keep(out[i]);
        gnd_scope_end();
    }
    gnd__free(a);
    return bad ? -1 : gnd__ret_tuple(c, out, n, GND_OK);
}

/* n, ndim: the same indices for every axis. */
int gnd__fn_diag_indices(gnd__args *c)
{
    gnd_array *out[GND_MAX_NDIM] = {NULL};
    int64_t n, ndim = 2;
    gnd_device *dev;
    if (gnd__arg_int(c, 0, &n) || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &ndim)) ||
        gnd__arg_device(c, &dev))
        return -1;
    n = n < 0 ? 0 : n; /* as in NumPy */
    ndim = ndim < 0 ? 0 : ndim;
    if (ndim > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "diag_indices: n %lld, ndim %lld",
                              (long long)n, (long long)ndim);
    for (int64_t d = 0; d < ndim; d++)
        out[d] = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    return gnd__ret_tuple(c, out, (int)ndim, GND_OK);
}
