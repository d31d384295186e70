/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_choose.c - the language's functions that choose between arrays or change some elements, as NumPy's
 * select, piecewise, choose, putmask, copyto and fill_diagonal: handlers of funcs.def. Where NumPy changes its
 * argument these give the changed array.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/info.h>
#include <gnd/manip.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

/* The items of a list as arrays, numbers as weak scalars. */
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
}

/* Argument i, a list or tuple, as items; a value that is none counts as a list of it, if `one`. */
static int items_of(gnd__args *c, int i, int one, items *t)
{
    const gnd__val *v = &c->arg[i].v;
    const int list = gnd__val_is_seq(v);
    *t = (items){NULL, NULL, 0};
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

/* The conditions of argument i: bools. */
static int conditions(gnd__args *c, int i, items *t)
{
    if (items_of(c, i, 1, t))
        return -1;
    for (int k = 0; k < t->n; k++)
        if (gnd_dtype_of(t->a[k]) != GND_BOOL) {
            int bad = gnd__expr_fail(c->x, GND_ERR_DTYPE, c->arg[i].at, "%s: condition %d is %s: conditions are bools",
                                     c->name, k, gnd_dtype_name(gnd_dtype_of(t->a[k])));
            drop_items(t);
            return bad;
        }
    return 0;
}

static int ends(gnd__args *c, gnd_array *y)
{
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

/* condlist, choicelist, default: for each element the choice of the first condition that is true. */
int gnd__fn_select(gnd__args *c)
{
    items cond, choice;
    gnd_array *y = gnd__arg_given(c, 2) ? gnd__arg_array(c, 2) : NULL;
    if ((gnd__arg_given(c, 2) && !y) || conditions(c, 0, &cond))
        return -1;
    if (items_of(c, 1, 0, &choice)) {
        drop_items(&cond);
        return -1;
    }
    int bad = cond.n == choice.n && cond.n ? 0
              : gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "select: %d conditions and %d choices", cond.n, choice.n);
    gnd_array **all = bad ? NULL : gnd__calloc((size_t)choice.n + 1, sizeof *all);
    if (!bad && !all)
        bad = gnd__expr_nomem(c->x);
    if (!bad) {
        gnd_scope_begin();
        y = y ? y : gnd_int(0);
        for (int i = 0; i < choice.n; i++)
            all[i] = choice.a[i];
        all[choice.n] = y;
        const gnd_dtype t = gnd_result_type(choice.n + 1, all, 0, NULL);
        for (int i = choice.n - 1; i >= 0; i--) {
            gnd_array *a = gnd_is_weak(choice.a[i]) ? choice.a[i] : gnd_astype(choice.a[i], t);
            y = gnd_where(cond.a[i], a, gnd_is_weak(y) ? y : gnd_astype(y, t));
        }
        if (!gnd_is_weak(y))
            y = gnd_astype(y, t);
        bad = ends(c, y);
    }
    gnd__free(all);
    drop_items(&cond);
    drop_items(&choice);
    return bad;
}

/* x, condlist, values: the value of the last condition that is true, in x's dtype; one value more is for where none is,
 * else 0. */
int gnd__fn_piecewise(gnd__args *c)
{
    items cond, value;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || conditions(c, 1, &cond))
        return -1;
    if (items_of(c, 2, 0, &value)) {
        drop_items(&cond);
        return -1;
    }
    int bad = value.n == cond.n || value.n == cond.n + 1 ? 0
              : gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "piecewise: %d conditions and %d values: as many are needed, or "
                               "one more", cond.n, value.n);
    if (!bad) {
        const gnd_dtype t = gnd_dtype_of(x);
        gnd_scope_begin();
        gnd_array *y = gnd_zeros_like(x, GND_DTYPE_DEFAULT);
        for (int i = -1; i < cond.n; i++) {
            gnd_array *v = i >= 0 ? value.a[i] : value.n > cond.n ? value.a[cond.n] : NULL;
            if (!v)
                continue;
            v = gnd_broadcast_to(gnd_asarray(gnd_device_of(x), gnd_astype(v, t), t), gnd_ndim(x), gnd_shape(x));
            y = i < 0 ? v : gnd_where(cond.a[i], v, y);
        }
        bad = ends(c, y);
    }
    drop_items(&cond);
    drop_items(&value);
    return bad;
}

/* a, choices, mode: for each element of a the one of choices[a]. */
int gnd__fn_choose(gnd__args *c)
{
    items choice;
    gnd_array *a = gnd__arg_strong(c, 0);
    const int mode = a ? gnd__arg_word(c, 2, "raise wrap clip", GND_INDEX_RAISE) : -1;
    if (mode < 0 || items_of(c, 1, 0, &choice))
        return -1;
    const int n = choice.n;
    gnd_array **all = gnd__calloc((size_t)n + 1, sizeof *all);
    int bad = !all ? gnd__expr_nomem(c->x)
              : !n ? gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at, "choose: no choices") : 0;
    if (!bad) {
        gnd_scope_begin();
        const gnd_dtype t = gnd_result_type(n, choice.a, 0, NULL);
        for (int i = 0; i < n; i++)
            choice.a[i] = gnd_asarray(gnd_device_of(a), choice.a[i], t);
        choice.a[n] = a; /* the place behind the items */
        gnd_status st = gnd_broadcast_arrays(n + 1, choice.a, all);
        gnd_array *i = all[n], *y;
        if (st == GND_OK && mode != GND_INDEX_RAISE)
            i = gnd_fit_indices(i, n, (gnd_index_mode)mode);
        else if (st == GND_OK && gnd_dtype_kind(gnd_dtype_of(i)) == 'i')
            i = gnd_astype(i, GND_UINT64); /* here negative numbers do not count from the end */
        y = st == GND_OK ? gnd_at(gnd_take_along_axis(gnd_stack(n, all, 0), gnd_expand_dims(i, GND_AXIS(0)), 0), "0") : all[0];
        bad = ends(c, y);
    }
    gnd__free(all);
    drop_items(&choice);
    return bad;
}

/* --- arrays with some elements changed ------------------------------------------------------------ */

/* x, mask, values: values, repeated to x's size, where the mask is true. */
int gnd__fn_putmask(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *m = x ? gnd__arg_strong(c, 1) : NULL, *v = m ? gnd__arg_array(c, 2) : NULL;
    if (!v)
        return -1;
    if (gnd_size(m) != gnd_size(x))
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->arg[1].at, "putmask: a mask of %lld elements for an array of %lld",
                              (long long)gnd_size(m), (long long)gnd_size(x));
    gnd_scope_begin();
    const gnd_dtype t = gnd_dtype_of(x);
    if (!gnd_is_weak(v) && gnd_size(v) == 0)
        return ends(c, gnd_retain(x));
    v = gnd_is_weak(v) ? v : gnd_resize(gnd_astype(v, t), gnd_ndim(x), gnd_shape(x));
    return ends(c, gnd_astype(gnd_where(gnd_reshape(m, gnd_ndim(x), gnd_shape(x)), gnd_asarray(gnd_device_of(x), v, t), x), t));
}

/* dst, src, casting, where: src in dst's shape and dtype. */
int gnd__fn_copyto(gnd__args *c)
{
    static const char kinds[] = "biufc";
    gnd_array *x = gnd__arg_strong(c, 0), *v = x ? gnd__arg_array(c, 1) : NULL;
    gnd_array *m = v && gnd__arg_given(c, 3) ? gnd__arg_strong(c, 3) : NULL;
    const int unsafe = v && (m || !gnd__arg_given(c, 3)) ? gnd__arg_word(c, 2, "same_kind unsafe", 0) : -1;
    if (unsafe < 0)
        return -1;
    const gnd_dtype t = gnd_dtype_of(x), from = gnd_dtype_of(v);
    const char *to = kinds, *of = kinds;
    while (*to != gnd_dtype_kind(t))
        to++;
    while (*of != gnd_dtype_kind(from))
        of++;
    if (!unsafe && of > to && !(*of == 'u' && *to == 'i') && !(gnd_is_weak(v) && *of == 'i' && *to == 'u'))
        return gnd__expr_fail(c->x, GND_ERR_DTYPE, c->arg[1].at, "copyto: %s into %s: write casting='unsafe', or astype "
                              "first", gnd_dtype_name(from), gnd_dtype_name(t));
    gnd_scope_begin();
    v = gnd_broadcast_to(gnd_asarray(gnd_device_of(x), gnd_astype(v, t), t), gnd_ndim(x), gnd_shape(x));
    if (m)
        v = gnd_where(gnd_broadcast_to(gnd_astype(m, GND_BOOL), gnd_ndim(x), gnd_shape(x)), v, x);
    return ends(c, v);
}

/* x, val, wrap: val, repeated, on the main diagonal; wrap: in a tall matrix again below each gap of a row. */
int gnd__fn_fill_diagonal(gnd__args *c)
{
    int wrap = 0;
    gnd_array *x = gnd__arg_strong(c, 0), *v = x ? gnd__arg_array(c, 1) : NULL;
    if (!v || (gnd__arg_given(c, 2) && gnd__arg_bool(c, 2, &wrap)))
        return -1;
    const int n = gnd_ndim(x);
    int64_t step = 1, stride = 1, end = gnd_size(x);
    if (n < 2)
        return gnd__arg_wrong(c, 0, "an array of at least two dimensions");
    for (int d = n - 1; d > 0; d--) {
        if (n > 2 && gnd_dim(x, d) != gnd_dim(x, 0))
            return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->arg[0].at, "fill_diagonal: extents %lld and %lld: beyond two "
                                  "dimensions all are equal", (long long)gnd_dim(x, 0), (long long)gnd_dim(x, d));
        stride *= gnd_dim(x, d);
        step += stride;
    }
    if (n == 2 && !wrap && gnd_dim(x, 1) < gnd_dim(x, 0))
        end = gnd_dim(x, 1) * gnd_dim(x, 1);
    gnd_scope_begin();
    return ends(c, gnd_put(x, gnd_arange_i64(gnd_device_of(x), 0, end, step, GND_INT64), v));
}

/* --- indices --------------------------------------------------------------------------------------- */

/* *arrays: of one dimension each, on axes of their own, so that together they index a grid; masks as positions. */
int gnd__fn_ix_(gnd__args *c)
{
    gnd_array *out[GND_MAX_NDIM] = {NULL};
    int64_t dim[GND_MAX_NDIM];
    const int n = c->nrest;
    if (n > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "ix_: %d arrays: at most %d are possible", n, GND_MAX_NDIM);
    gnd_array **a = gnd__rest_arrays(c, &(int){0});
    if (!a)
        return -1;
    int bad = 0;
    for (int i = 0; i < n && !bad; i++)
        if (gnd_ndim(a[i]) != 1)
            bad = gnd__expr_fail(c->x, GND_ERR_SHAPE, c->rest[i].at, "ix_: an array of %d dimensions: each has one",
                                 gnd_ndim(a[i]));
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

/* n, ndim: the same indices for each axis. */
int gnd__fn_diag_indices(gnd__args *c)
{
    gnd_array *out[GND_MAX_NDIM] = {NULL};
    int64_t n, ndim = 2;
    gnd_device *dev;
    if (gnd__arg_int(c, 0, &n) || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &ndim)) || gnd__arg_device(c, &dev))
        return -1;
    if (n < 0 || ndim < 0 || ndim > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "diag_indices: n %lld, ndim %lld", (long long)n, (long long)ndim);
    for (int64_t d = 0; d < ndim; d++)
        out[d] = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    return gnd__ret_tuple(c, out, (int)ndim, GND_OK);
}
