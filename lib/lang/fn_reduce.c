/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_reduce.c - the language's reductions, with and without NaN: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include <gnd/view.h>
#include "lang/call.h"

typedef gnd_array *(*reduction)(gnd_array *, gnd_axes, unsigned);

/* --- where= and initial= ------------------------------------------------------------------------- */

/* Whether argument i, where=, is given and is not True. */
static int has_where(const gnd__args *c, int i)
{
    const gnd__val *v = &c->arg[i].v;
    return gnd__arg_given(c, i) && !(v->kind == GND__V_BOOL && v->i);
}

/* Argument i, where=, in x's shape. NULL: an error is set. */
static gnd_array *mask_of(gnd__args *c, int i, gnd_array *x)
{
    gnd_array *m = gnd__arg_strong(c, i);
    if (!m)
        return NULL;
    if (gnd_dtype_of(m) != GND_BOOL) {
        gnd__arg_wrong(c, i, "an array of bools, or True");
        return NULL;
    }
    return gnd_broadcast_to(m, gnd_ndim(x), gnd_shape(x));
}

static int ends(gnd__args *c, gnd_array *y)
{
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

/* x where the mask of argument `where` is true, else fill. */
static gnd_array *masked(gnd__args *c, int where, gnd_array *x, gnd_array *fill)
{
    gnd_array *m = has_where(c, where) ? mask_of(c, where, x) : NULL;
    return m ? gnd_where(m, x, fill) : has_where(c, where) ? NULL : x;
}

/* Greatest or least of x, of `initial` too. */
static int extreme(gnd__args *c, reduction f, gnd_array *(*of_two)(gnd_array *, gnd_array *))
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 2, &axes, &flags), *first = NULL, *y;
    if (!x || (gnd__arg_given(c, 3) && !(first = gnd__arg_array(c, 3))))
        return -1;
    if (!first && has_where(c, 4))
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[4].at, "%s: where= needs initial=, for where all is False",
                              c->name);
    if (!first)
        return gnd__ret(c, f(x, axes, flags));
    gnd_scope_begin();
    first = gnd_asarray(gnd_device_of(x), first, gnd_dtype_of(x));
    y = masked(c, 4, x, first);
    if (!y) {
        gnd_scope_end();
        return -1;
    }
    if (gnd_size(y) > 0) {
        y = of_two(f(y, axes, flags), first);
    } else { /* nothing but the initial value, in the shape of a reduction that takes nothing */
        gnd_array *shape = gnd_any(y, axes, flags);
        y = gnd_status_of(shape) ? shape : gnd_broadcast_to(first, gnd_ndim(shape), gnd_shape(shape));
    }
    return ends(c, y);
}

/* any, all: what is left out is `none`. */
static int truth(gnd__args *c, reduction f, int none)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 2, &axes, &flags);
    if (!x)
        return -1;
    gnd_scope_begin();
    gnd_array *y = masked(c, 3, has_where(c, 3) ? gnd_astype(x, GND_BOOL) : x, gnd_bool(none));
    if (y)
        return ends(c, f(y, axes, flags));
    gnd_scope_end();
    return -1;
}

/* x, axis, keepdims */
static int plain(gnd__args *c, reduction f)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 2, &axes, &flags);
    return x ? gnd__ret(c, f(x, axes, flags)) : -1;
}

int gnd__fn_max(gnd__args *c) { return extreme(c, gnd_max, gnd_maximum); }
int gnd__fn_min(gnd__args *c) { return extreme(c, gnd_min, gnd_minimum); }
int gnd__fn_any(gnd__args *c) { return truth(c, gnd_any, 0); }
int gnd__fn_all(gnd__args *c) { return truth(c, gnd_all, 1); }
int gnd__fn_count_nonzero(gnd__args *c) { return plain(c, gnd_count_nonzero); }
int gnd__fn_argmax(gnd__args *c) { return plain(c, gnd_argmax); }
int gnd__fn_argmin(gnd__args *c) { return plain(c, gnd_argmin); }
int gnd__fn_ptp(gnd__args *c) { return plain(c, gnd_ptp); }
int gnd__fn_nanmax(gnd__args *c) { return plain(c, gnd_nanmax); }
int gnd__fn_nanmin(gnd__args *c) { return plain(c, gnd_nanmin); }
int gnd__fn_nanargmax(gnd__args *c) { return plain(c, gnd_nanargmax); }
int gnd__fn_nanargmin(gnd__args *c) { return plain(c, gnd_nanargmin); }

/* x, axis, dtype, keepdims: sums in the dtype given. */
static int summed(gnd__args *c, reduction f, gnd_array *(*as)(gnd_array *, gnd_axes, unsigned, gnd_dtype))
{
    gnd_axes axes;
    unsigned flags;
    gnd_dtype t;
    gnd_array *x = gnd__arg_reduced(c, 3, &axes, &flags);
    if (!x || gnd__arg_dtype(c, 2, &t))
        return -1;
    return gnd__ret(c, t == GND_DTYPE_DEFAULT ? f(x, axes, flags) : as(x, axes, flags, t));
}


/* The same with initial and where, at 4 and 5: what is left out is `none`. */
static int from_initial(gnd__args *c, reduction f, gnd_array *(*as)(gnd_array *, gnd_axes, unsigned, gnd_dtype),
                        gnd_array *(*of_two)(gnd_array *, gnd_array *), int none)
{
    gnd_axes axes;
    unsigned flags;
    gnd_dtype t;
    gnd_array *x, *first = NULL;
    if (!gnd__arg_given(c, 4) && !has_where(c, 5))
        return summed(c, f, as);
    x = gnd__arg_reduced(c, 3, &axes, &flags);
    if (!x || gnd__arg_dtype(c, 2, &t) || (gnd__arg_given(c, 4) && !(first = gnd__arg_array(c, 4))))
        return -1;
    gnd_scope_begin();
    gnd_array *y = masked(c, 5, x, gnd_bool(none));
    if (!y) {
        gnd_scope_end();
        return -1;
    }
    y = t == GND_DTYPE_DEFAULT ? f(y, axes, flags) : as(y, axes, flags, t);
    if (first)
        y = of_two(y, gnd_asarray(gnd_device_of(x), first, gnd_dtype_of(y)));
    return ends(c, y);
}

int gnd__fn_sum(gnd__args *c) { return from_initial(c, gnd_sum, gnd_sum_as, gnd_add, 0); }
int gnd__fn_prod(gnd__args *c) { return from_initial(c, gnd_prod, gnd_prod_as, gnd_multiply, 1); }
int gnd__fn_nansum(gnd__args *c) { return summed(c, gnd_nansum, gnd_nansum_as); }
int gnd__fn_nanprod(gnd__args *c) { return summed(c, gnd_nanprod, gnd_nanprod_as); }

/* Argument 0 in the dtype of argument 2, when that is given, as a new handle. */
static gnd_array *in_dtype(gnd__args *c, gnd_array *x)
{
    gnd_dtype t;
    if (gnd__arg_dtype(c, 2, &t))
        return NULL;
    return t == GND_DTYPE_DEFAULT ? gnd__again(x) : gnd_astype(x, t);
}

/* x, axis, dtype, keepdims: in the dtype given from the beginning. */
static int averaged(gnd__args *c, reduction f)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 3, &axes, &flags), *y = x ? in_dtype(c, x) : NULL;
    if (!y)
        return -1;
    gnd_array *m = f(y, axes, flags);
    gnd_release(y);
    return gnd__ret(c, m);
}

int gnd__fn_mean(gnd__args *c)
{
    gnd_axes axes;
    unsigned flags;
    if (!has_where(c, 4))
        return averaged(c, gnd_mean);
    gnd_array *x = gnd__arg_reduced(c, 3, &axes, &flags), *y = x ? in_dtype(c, x) : NULL;
    if (!y)
        return -1;
    gnd_scope_begin();
    gnd_array *m = mask_of(c, 4, y), *mean = m ? gnd_mean(y, axes, flags) : NULL; /* for its dtype */
    if (!m) {
        gnd_scope_end();
        gnd_release(y);
        return -1;
    }
    const gnd_dtype t = gnd_dtype_of(mean), w = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    gnd_array *sum = gnd_sum(gnd_where(m, gnd_astype(y, w), gnd_bool(0)), axes, flags);
    gnd_array *n = gnd_astype(gnd_count_nonzero(m, axes, flags), w);
    mean = gnd_status_of(mean) ? mean : gnd_astype(gnd_divide(sum, n), t);
    gnd_keep(mean);
    gnd_scope_end();
    gnd_release(y);
    return gnd__ret(c, mean);
}

int gnd__fn_nanmean(gnd__args *c) { return averaged(c, gnd_nanmean); }

/* x, axis, dtype, ddof, keepdims */
static int spread(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, unsigned, double))
{
    gnd_axes axes;
    unsigned flags;
    double ddof = 0;
    if (gnd__arg_given(c, 3) && gnd__arg_real(c, 3, &ddof))
        return -1;
    gnd_array *x = gnd__arg_reduced(c, 4, &axes, &flags), *y = x ? in_dtype(c, x) : NULL;
    if (!y)
        return -1;
    gnd_array *v = f(y, axes, flags, ddof);
    gnd_release(y);
    return gnd__ret(c, v);
}

int gnd__fn_var(gnd__args *c) { return spread(c, gnd_var); }
int gnd__fn_std(gnd__args *c) { return spread(c, gnd_std); }
int gnd__fn_nanvar(gnd__args *c) { return spread(c, gnd_nanvar); }
int gnd__fn_nanstd(gnd__args *c) { return spread(c, gnd_nanstd); }
