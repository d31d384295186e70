/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_manip.c - the language's functions of gnd/manip.h: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/manip.h>
#include "base/mem.h"
#include "lang/call.h"

#include <string.h>

/* --- views ------------------------------------------------------------------------------------ */

int gnd__fn_rot90(gnd__args *c)
{
    int64_t k = 1, axes[2] = {0, 1};
    int n = 2;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &k)) ||
        (gnd__arg_given(c, 2) && gnd__arg_ints(c, 2, axes, 2, &n)))
        return -1;
    if (n != 2)
        return gnd__arg_wrong(c, 2, "two ints");
    for (int i = 0; i < 2; i++)
        axes[i] = axes[i] < -99 || axes[i] > 99 ? 99 : axes[i];
    return gnd__ret(c, gnd_rot90(x, k, (int)axes[0], (int)axes[1]));
}

/* Applies make to each argument. Returns an array for one argument, a tuple for several. */
static int at_least(gnd__args *c, gnd_array *(*make)(gnd_array *))
{
    int n, r;
    gnd_array **x = gnd__rest_arrays(c, &n);
    if (!x)
        return -1;
    for (int i = 0; i < n; i++)
        x[i] = make(x[i]);
    r = n == 1 ? gnd__ret(c, x[0]) : gnd__ret_tuple(c, x, n, GND_OK);
    gnd__free(x);
    return r;
}

int gnd__fn_atleast_1d(gnd__args *c)
{
    return at_least(c, gnd_atleast_1d);
}
int gnd__fn_atleast_2d(gnd__args *c)
{
    return at_least(c, gnd_atleast_2d);
}
int gnd__fn_atleast_3d(gnd__args *c)
{
    return at_least(c, gnd_atleast_3d);
}

int gnd__fn_rollaxis(gnd__args *c)
{
    int axis, start = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axis(c, 1, &axis) || (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &start)))
        return -1;
    int n = gnd_ndim(x), a = axis < 0 ? axis + n : axis, s = start < 0 ? start + n : start;
    if (a < 0 || a >= n || s < 0 || s > n)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->at,
                              "%s: axis %d before axis %d of %d dimension%s", c->name, axis, start,
                              n, n == 1 ? "" : "s");
    s -= a < s;
    return gnd__ret(c, gnd_moveaxis(x, 1, &a, &s));
}

int gnd__fn_sliding_window_view(gnd__args *c)
{
    int64_t window[GND_MAX_NDIM], v[GND_MAX_NDIM];
    int n, m, axis[GND_MAX_NDIM];
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, window, GND_MAX_NDIM, &n))
        return -1;
    if (!gnd__arg_given(c, 2))
        return gnd__ret(c, gnd_sliding_window_view(x, n, window, NULL));
    if (gnd__arg_ints(c, 2, v, GND_MAX_NDIM, &m))
        return -1;
    if (n != m)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at, "%s: %d windows for %d axes", c->name, n,
                              m);
    for (int i = 0; i < m; i++)
        axis[i] = v[i] < -99 || v[i] > 99 ? 99 : (int)v[i];
    return gnd__ret(c, gnd_sliding_window_view(x, n, window, axis));
}

int gnd__fn_as_strided(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM], strides[GND_MAX_NDIM], offset = 0;
    int n, m;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shape, GND_MAX_NDIM, &n) ||
        gnd__arg_ints(c, 2, strides, GND_MAX_NDIM, &m) ||
        (gnd__arg_given(c, 3) && gnd__arg_int(c, 3, &offset)))
        return -1;
    if (n != m)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at, "%s: %d strides for %d extents", c->name,
                              m, n);
    return gnd__ret(c, gnd_as_strided(x, n, shape, strides, offset));
}

int gnd__fn_view_dtype(gnd__args *c)
{
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || gnd__arg_dtype(c, 1, &t) ? -1 : gnd__ret(c, gnd_view_dtype(x, t));
}

/* Returns a tuple of n ints. */
static int ret_ints(gnd__args *c, int n, const int64_t *v)
{
    gnd__val item[GND_MAX_NDIM];
    for (int i = 0; i < n; i++)
        item[i] = gnd__val_int(v[i]);
    return gnd__val_seq(c->x, c->out, GND__V_TUPLE, item, n, c->at);
}

int gnd__fn_broadcast_shapes(gnd__args *c)
{
    int64_t all[GND_MAX_NDIM], one[GND_MAX_NDIM];
    int n = 0, ndim;
    for (int i = 0; i < c->nrest; i++) {
        int r = gnd__slot_ints(c, &c->rest[i], one, GND_MAX_NDIM, &ndim);
        if (r)
            return r < 0 ? -1
                         : gnd__expr_fail(c->x, GND_ERR_TYPE, c->rest[i].at,
                                          "%s: a shape is an int "
                                          "or a tuple of ints, not %s",
                                          c->name, gnd__val_name(&c->rest[i].v));
        gnd_status s =
            gnd_broadcast_shapes(2, (int[]){n, ndim}, (const int64_t *[]){all, one}, &n, all);
        if (s)
            return gnd__expr_fail(c->x, s, c->rest[i].at, "%s", gnd_message());
    }
    return ret_ints(c, n, all);
}

/* --- splits ----------------------------------------------------------------------------------- */

/* Reads argument i as *n places, in memory that the caller frees with gnd__free. */
static int read_places(gnd__args *c, int i, int64_t **v, int *n)
{
    const gnd__val *a = &c->arg[i].v;
    int64_t most = gnd__val_is_seq(a)        ? a->seq->n
                   : a->kind == GND__V_ARRAY ? gnd_size(a->held->a)
                                             : 1;
    *v = NULL;
    if (most > INT32_MAX - 1)
        return gnd__arg_value(c, i, "a shorter list");
    if (!(*v = gnd__malloc((size_t)(most + 1) * sizeof **v)))
        return gnd__expr_nomem(c->x);
    return gnd__arg_ints(c, i, *v, (int)most + 1, n);
}

typedef gnd_status sections(gnd_array *x, int64_t n, int axis, gnd_array **out);

static int split(gnd__args *c, sections *make, int axis)
{
    int64_t *at = NULL;
    int n = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x)
        return -1;
    int one = !gnd__val_is_seq(&c->arg[1].v) &&
              (c->arg[1].v.kind != GND__V_ARRAY || !gnd_ndim(c->arg[1].v.held->a));
    int64_t parts = 0;
    int bad = one ? gnd__arg_int(c, 1, &parts) : read_places(c, 1, &at, &n);
    if (!bad && !one)
        parts = (int64_t)n + 1;
    if (!bad && parts > 1 << 20)
        bad = gnd__expr_fail(c->x, GND_ERR_OVERFLOW, c->arg[1].at, "%s: %lld arrays", c->name,
                             (long long)parts);
    if (!bad && parts < 1)
        bad = gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at,
                             "%s: %lld parts: at least one is needed", c->name, (long long)parts);
    gnd_array **out = bad ? NULL : gnd__calloc((size_t)parts + 1, sizeof *out);
    if (!bad && !out)
        bad = gnd__expr_nomem(c->x);
    if (!bad)
        bad = gnd__ret_tuple(c, out, (int)parts,
                             one ? make(x, parts, axis, out) : gnd_split_at(x, n, at, axis, out));
    gnd__free(out);
    gnd__free(at);
    return bad;
}

int gnd__fn_split(gnd__args *c)
{
    int axis = 0;
    return gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis) ? -1 : split(c, gnd_split, axis);
}

int gnd__fn_array_split(gnd__args *c)
{
    int axis = 0;
    return gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis) ? -1
                                                              : split(c, gnd_array_split, axis);
}

/* hsplit, vsplit and dsplit: the name determines the axis. */
static int split_along(gnd__args *c, int axis, int least)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x)
        return -1;
    if (gnd_ndim(x) < least)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                              "%s: an array of %d dimension%s: at least %d "
                              "are needed",
                              c->name, gnd_ndim(x), gnd_ndim(x) == 1 ? "" : "s", least);
    return split(c, gnd_split, gnd_ndim(x) == 1 ? 0 : axis);
}

int gnd__fn_hsplit(gnd__args *c)
{
    return split_along(c, 1, 1);
}
int gnd__fn_vsplit(gnd__args *c)
{
    return split_along(c, 0, 2);
}
int gnd__fn_dsplit(gnd__args *c)
{
    return split_along(c, 2, 3);
}

/* --- joins ------------------------------------------------------------------------------------ */

/* arrays, and dtype= if the function has it. */
static int stack(gnd__args *c, gnd_array *(*make)(int, gnd_array *const *))
{
    int n;
    gnd_dtype t = GND_DTYPE_DEFAULT;
    if (c->param[1] && gnd__arg_dtype(c, 1, &t))
        return -1;
    gnd_array **x = gnd__arg_arrays(c, 0, &n);
    if (!x)
        return -1;
    gnd_array *y = make(n, x);
    gnd__free(x);
    if (t != GND_DTYPE_DEFAULT) {
        gnd_array *cast = gnd_astype(y, t);
        gnd_release(y);
        y = cast;
    }
    return gnd__ret(c, y);
}

int gnd__fn_vstack(gnd__args *c)
{
    return stack(c, gnd_vstack);
}
int gnd__fn_hstack(gnd__args *c)
{
    return stack(c, gnd_hstack);
}
int gnd__fn_dstack(gnd__args *c)
{
    return stack(c, gnd_dstack);
}
int gnd__fn_column_stack(gnd__args *c)
{
    return stack(c, gnd_column_stack);
}

int gnd__fn_append(gnd__args *c)
{
    int axis = 0, flat = !gnd__arg_given(c, 2);
    gnd_array *x = gnd__arg_strong(c, 0), *y = x ? gnd__arg_strong(c, 1) : NULL;
    if (!y || (!flat && gnd__arg_axis(c, 2, &axis)))
        return -1;
    return gnd__ret(c, flat ? gnd_append_flat(x, y) : gnd_append(x, y, axis));
}

/* Writes the items of the n lists of one level to `next`, in order, and the number of items of each
 * list to counts. */
static int open_lists(gnd__args *c, const gnd__val **level, int64_t n, const gnd__val **next,
                      int *counts)
{
    for (int64_t i = 0, m = 0; i < n; i++) {
        if (level[i]->kind != GND__V_LIST)
            return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at, "block: lists of different depths");
        if (!level[i]->seq->n)
            return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "block: an empty list");
        counts[i] = (int)level[i]->seq->n;
        for (int64_t k = 0; k < level[i]->seq->n; k++)
            next[m++] = &level[i]->seq->item[k];
    }
    return 0;
}

/* Converts the leaves of nested lists to arrays, which `slot` owns, and returns their gnd_block. */
static int block(gnd__args *c, int64_t most, const gnd__val **a, const gnd__val **b, int *counts,
                 gnd__slot *slot, gnd_array **x)
{
    int depth = 0, n = 1, at = 0, bad = 0;
    a[0] = &c->arg[0].v;
    while (!bad && a[0]->kind == GND__V_LIST) {
        const gnd__val **t = b;
        int64_t items = 0;
        for (int i = 0; i < n; i++)
            items += a[i]->kind == GND__V_LIST ? a[i]->seq->n : 0;
        if (items > most || depth == GND_MAX_NDIM)
            return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                                  "block: lists of different depths, or "
                                  "nested over %d deep",
                                  GND_MAX_NDIM);
        bad = open_lists(c, a, n, b, counts + at);
        at += n;
        n = (int)items;
        b = a;
        a = t;
        depth++;
    }
    for (int i = 0; i < n && !bad; i++) {
        if (gnd__val_is_seq(a[i]))
            bad = gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                                 a[i]->kind == GND__V_TUPLE
                                     ? "block: a tuple: only lists may be nested"
                                     : "block: lists of different depths");
        slot[i] = (gnd__slot){.v = bad ? (gnd__val){.kind = GND__V_MISSING} : gnd__val_ref(a[i]),
                              .at = c->arg[0].at};
        if (!bad && !(x[i] = gnd__slot_strong(c, &slot[i], "arrays")))
            bad = -1;
    }
    if (!bad)
        bad = gnd__ret(c, gnd_block(depth, counts, x));
    for (int i = 0; i < n; i++)
        gnd__val_drop(&slot[i].v);
    return bad;
}

int gnd__fn_block(gnd__args *c)
{
    const gnd__val *v = &c->arg[0].v;
    /* Unless a list is empty, no level has more items than the lists have leaves. */
    int64_t most = gnd__val_is_seq(v) ? v->seq->leaves + 1 : 1,
            depth = gnd__val_is_seq(v) ? v->seq->depth : 0;
    if (most > 1 << 20 || depth > GND_MAX_NDIM)
        return gnd__arg_value(c, 0, "a shorter list");
    size_t n = (size_t)most + 1;
    const gnd__val **a = gnd__calloc(2 * n, sizeof *a);
    int *counts = gnd__calloc(n * (size_t)(depth + 1), sizeof *counts);
    gnd__slot *slot = gnd__calloc(n, sizeof *slot);
    gnd_array **x = gnd__calloc(n, sizeof *x);
    int bad = a && counts && slot && x ? block(c, most, a, a + n, counts, slot, x)
                                       : gnd__expr_nomem(c->x);
    gnd__free(a);
    gnd__free(counts);
    gnd__free(slot);
    gnd__free(x);
    return bad;
}
