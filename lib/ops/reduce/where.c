/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/where.c - gnd_reduce: reductions of the elements that a mask selects, with an initial
 * value. Other elements are replaced by the identity (0, 1, the initial value) within the kernel of
 * the plain reduction.
 */
#include <math.h>
#include <string.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include <gnd/view.h>
#include "graph/check.h"
#include "ops/reduce/masked.h"

/* --- selected elements (masked.h) ------------------------------------------------------------- */

/* The number of selected elements, as a float of dtype t. */
static gnd_array *counted(gnd_array *counts, gnd_axes axes, unsigned flags, gnd_dtype t)
{
    return gnd__as(gnd_count_nonzero(counts, axes, flags), t);
}

gnd_array *gnd__masked_mean(gnd_array *x, gnd_array *counts, gnd_axes axes, unsigned flags)
{
    if (x->kind == GND__ERROR || counts->kind == GND__ERROR)
        return x->kind == GND__ERROR ? x : counts;
    const gnd_dtype wide = gnd__wide_float(x->dev, (gnd_dtype)x->dtype);
    gnd_array *c = gnd__as(gnd__op3(GND__OP_WHERE, counts, x, gnd_bool(0)), wide);
    gnd_array *sum = gnd_sum(c, axes, flags);
    gnd_array *n = counted(counts, axes, flags, gnd__real_of(wide));
    return gnd__as(gnd__op2(GND__OP_DIVIDE, sum, n), gnd__mean_float(x->dev, (gnd_dtype)x->dtype));
}

gnd_array *gnd__masked_variance(gnd_array *x, gnd_array *counts, gnd_axes axes, unsigned flags,
                                double correction, int root, int few_is_nan)
{
    if (x->kind == GND__ERROR || counts->kind == GND__ERROR)
        return x->kind == GND__ERROR ? x : counts;
    const gnd_dtype wide = gnd__wide_float(x->dev, (gnd_dtype)x->dtype), real = gnd__real_of(wide);
    gnd_array *c = gnd__as(gnd__op3(GND__OP_WHERE, counts, x, gnd_bool(0)), wide);
    gnd_array *sum = gnd_sum(c, axes, GND_KEEPDIMS);
    gnd_array *n = counted(counts, axes, GND_KEEPDIMS, real);
    gnd_array *d = gnd__op2(GND__OP_SUBTRACT, c, gnd__op2(GND__OP_DIVIDE, sum, n));
    d = gnd__op3(GND__OP_WHERE, counts, gnd__abs2(d), gnd__number(0));
    gnd_array *q = gnd_sum(d, axes, flags);
    if (!(flags & GND_KEEPDIMS))
        n = counted(counts, axes, 0, real);
    gnd_array *free = gnd__with(GND__OP_SUBTRACT, n, correction);
    gnd_array *few = gnd__with(GND__OP_LESS_EQUAL, free, 0);
    free = gnd__op3(GND__OP_WHERE, few, gnd__number(few_is_nan ? NAN : 0), free);
    gnd_array *v = gnd__op2(GND__OP_DIVIDE, q, free);
    if (root)
        v = gnd__op1(GND__OP_SQRT, v);
    return gnd__as(v, gnd__real_of(gnd__mean_float(x->dev, (gnd_dtype)x->dtype)));
}

/* --- the kinds of reductions ------------------------------------------------------------------ */

/* For each reduction: how it treats NaN, and which options it accepts. */
enum { SUMS, EXTREMES, MEANS, SPREADS, TRUTHS };
typedef struct kind {
    const char *func;
    int group, nan;
    gnd_array *(*plain)(gnd_array *, gnd_axes, unsigned);
    gnd_array *(*as)(gnd_array *, gnd_axes, unsigned, gnd_dtype);
    gnd_array *(*spread)(gnd_array *, gnd_axes, unsigned, double);
    gnd__op of_two;
} kind;

/* of_two: the operation that joins the result and the initial value; not used for means and
 * variances. */
static const kind kinds[] = {
    [GND_REDUCE_SUM] = {"sum", SUMS, 0, gnd_sum, gnd_sum_as, NULL, GND__OP_ADD},
    [GND_REDUCE_PROD] = {"prod", SUMS, 0, gnd_prod, gnd_prod_as, NULL, GND__OP_MULTIPLY},
    [GND_REDUCE_MAX] = {"max", EXTREMES, 0, gnd_max, NULL, NULL, GND__OP_MAXIMUM},
    [GND_REDUCE_MIN] = {"min", EXTREMES, 0, gnd_min, NULL, NULL, GND__OP_MINIMUM},
    [GND_REDUCE_MEAN] = {"mean", MEANS, 0, gnd_mean, NULL, NULL, GND__OP_ADD},
    [GND_REDUCE_VAR] = {"var", SPREADS, 0, NULL, NULL, gnd_var, GND__OP_ADD},
    [GND_REDUCE_STD] = {"std", SPREADS, 0, NULL, NULL, gnd_std, GND__OP_ADD},
    [GND_REDUCE_ANY] = {"any", TRUTHS, 0, gnd_any, NULL, NULL, GND__OP_LOGICAL_OR},
    [GND_REDUCE_ALL] = {"all", TRUTHS, 0, gnd_all, NULL, NULL, GND__OP_LOGICAL_AND},
    [GND_REDUCE_NANSUM] = {"nansum", SUMS, 1, gnd_nansum, gnd_nansum_as, NULL, GND__OP_ADD},
    [GND_REDUCE_NANPROD] = {"nanprod", SUMS, 1, gnd_nanprod, gnd_nanprod_as, NULL,
                            GND__OP_MULTIPLY},
    [GND_REDUCE_NANMAX] = {"nanmax", EXTREMES, 1, gnd_nanmax, NULL, NULL, GND__OP_MAXIMUM},
    [GND_REDUCE_NANMIN] = {"nanmin", EXTREMES, 1, gnd_nanmin, NULL, NULL, GND__OP_MINIMUM},
    [GND_REDUCE_NANMEAN] = {"nanmean", MEANS, 1, gnd_nanmean, NULL, NULL, GND__OP_ADD},
    [GND_REDUCE_NANVAR] = {"nanvar", SPREADS, 1, NULL, NULL, gnd_nanvar, GND__OP_ADD},
    [GND_REDUCE_NANSTD] = {"nanstd", SPREADS, 1, NULL, NULL, gnd_nanstd, GND__OP_ADD},
};

/* Checks for options that are invalid or that the reduction does not accept. */
static gnd_array *check_options(const kind *k, gnd_array *x, gnd_dtype t,
                                const gnd_reduce_options *o)
{
    char tw[GND__SHAPE_TEXT], tx[GND__SHAPE_TEXT];
    const char *func = k->func;
    gnd_device *dev;
    gnd_array *all[3] = {x}, *bad;
    int n = 1;
    if ((o->where && (bad = gnd__check(all[n++] = o->where, func, "where"))) ||
        (o->initial && (bad = gnd__check(all[n++] = o->initial, func, "initial"))) ||
        (bad = gnd__check_devices(func, n, all, &dev)) ||
        (t != GND_DTYPE_DEFAULT && (bad = gnd__check_type(func, dev, t))))
        return bad;
    if (t != GND_DTYPE_DEFAULT && (k->group == EXTREMES || k->group == TRUTHS))
        return gnd__fail(dev, GND_ERR_ARG,
                         "%s: dtype %s: only sums, products, means and variances are computed in "
                         "another dtype: take gnd_astype before",
                         func, gnd_dtype_name(t));
    if (o->correction != 0 && k->group != SPREADS)
        return gnd__fail(dev, GND_ERR_ARG, "%s: correction %g: only var and std have one", func,
                         o->correction);
    if (o->initial && k->group != SUMS && k->group != EXTREMES)
        return gnd__fail(
            dev, GND_ERR_ARG,
            "%s: initial: only sums, products, greatest and least elements begin with a "
            "value",
            func);
    if (o->initial && o->initial->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: initial has shape %s: one number is needed", func,
                         gnd__shape_text(tw, o->initial->ndim, o->initial->dim));
    if (o->where && !o->initial && k->group == EXTREMES)
        return gnd__fail(dev, GND_ERR_ARG, "%s: where= needs initial=, for where all is false",
                         func);
    if (!o->where)
        return NULL;
    if (o->where->dtype != GND_BOOL)
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: where must be an array of bools, not of %s", func,
                         gnd_dtype_name((gnd_dtype)o->where->dtype));
    for (int i = 1; i <= o->where->ndim; i++)
        if (i > x->ndim || (o->where->dim[o->where->ndim - i] != 1 &&
                            o->where->dim[o->where->ndim - i] != x->dim[x->ndim - i]))
            return gnd__fail(dev, GND_ERR_SHAPE,
                             "%s: where has shape %s, which does not broadcast to x's, %s", func,
                             gnd__shape_text(tw, o->where->ndim, o->where->dim),
                             gnd__shape_text(tx, x->ndim, x->dim));
    return NULL;
}

/* The mask of selected elements, in the shape of x; NULL: all are selected. */
static gnd_array *counting(const kind *k, gnd_array *x, gnd_array *where)
{
    const int type = gnd_dtype_kind((gnd_dtype)x->dtype);
    gnd_array *m = NULL;
    if (where)
        m = gnd_broadcast_to(gnd_asarray(x->dev, where, GND_BOOL), x->ndim, x->dim);
    if (!k->nan || (type != 'f' && type != 'c'))
        return m;
    gnd_array *number = gnd__op1(GND__OP_LOGICAL_NOT, gnd__op1(GND__OP_ISNAN, x));
    return m ? gnd__op2(GND__OP_LOGICAL_AND, m, number) : number;
}

/* The maximum or minimum of the elements that m selects (NULL: all) and of the initial value
 * `first`, which is 0-d and has x's dtype. */
static gnd_array *extreme(const kind *k, gnd_array *x, gnd_array *m, gnd_array *first,
                          gnd_axes axes, unsigned flags)
{
    const int type = gnd_dtype_kind((gnd_dtype)x->dtype),
              nan = k->nan && (type == 'f' || type == 'c');
    if (first->kind == GND__ERROR || (m && m->kind == GND__ERROR))
        return first->kind == GND__ERROR ? first : m;
    if (!x->size) { /* the initial value in the shape of the result */
        gnd_array *shape = gnd_any(x, axes, flags);
        return shape->kind == GND__ERROR ? shape : gnd_broadcast_to(first, shape->ndim, shape->dim);
    }
    gnd_array *fill = first, *none = nan ? gnd__op1(GND__OP_ISNAN, first) : NULL;
    if (nan) { /* a NaN as initial value is also skipped, unless nothing else is left */
        const double worst = k->of_two == GND__OP_MAXIMUM ? -INFINITY : INFINITY;
        gnd_array *w = type == 'c' ? gnd_complex(worst, worst) : gnd__number(worst);
        fill = gnd__op3(GND__OP_WHERE, none, w, first);
    }
    gnd_array *c = m ? gnd__op3(GND__OP_WHERE, m, x, fill) : x;
    gnd_array *y = k->of_two == GND__OP_MAXIMUM ? gnd_max(c, axes, flags) : gnd_min(c, axes, flags);
    y = gnd__op2(k->of_two, y, fill);
    if (!nan)
        return y;
    gnd_array *any = gnd_any(m, axes, flags);
    none = gnd__op2(GND__OP_LOGICAL_AND, none, gnd__op1(GND__OP_LOGICAL_NOT, any));
    return gnd__op3(GND__OP_WHERE, none, first, y);
}

gnd_array *gnd_reduce(gnd_reduction what, gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t,
                      const gnd_reduce_options *opt)
{
    static const gnd_reduce_options none;
    const gnd_reduce_options *o = opt ? opt : &none;
    uint32_t mask;
    gnd_array *y, *m, *bad;
    if ((unsigned)what >= sizeof kinds / sizeof *kinds)
        return gnd__fail(NULL, GND_ERR_ARG, "reduce: %d is no reduction of gnd_reduction",
                         (int)what);
    const kind *k = &kinds[what];
    if ((bad = gnd__check_reduction(k->func, x, axes, flags, &mask)) ||
        (bad = check_options(k, x, t, o)))
        return bad;
    const int as = t != GND_DTYPE_DEFAULT, bare = !o->where && !o->initial;
    const gnd__inner in = gnd__enter(k->func);
    if (bare && (k->group == SUMS || !as)) {
        y = as          ? k->as(x, axes, flags, t)
            : k->spread ? k->spread(x, axes, flags, o->correction)
                        : k->plain(x, axes, flags);
        return gnd__leave(in, y);
    }
    m = counting(k, x, o->where);
    switch (k->group) {
    case SUMS:
        y = m ? gnd__op3(GND__OP_WHERE, m, x, gnd_bool(k->of_two == GND__OP_MULTIPLY)) : x;
        y = as ? k->as(y, axes, flags, t) : k->plain(y, axes, flags);
        if (o->initial && y->kind != GND__ERROR)
            y = gnd__op2(k->of_two, y,
                         gnd__as_strong(o->initial, x->dev, (gnd_dtype)y->dtype, k->func));
        break;
    case EXTREMES:
        y = gnd__as_strong(o->initial, x->dev, (gnd_dtype)x->dtype, k->func);
        y = extreme(k, x, m, y, axes, flags);
        break;
    case TRUTHS:
        y = gnd__op3(GND__OP_WHERE, m, gnd__as(x, GND_BOOL),
                     gnd_bool(k->of_two == GND__OP_LOGICAL_AND));
        y = k->plain(y, axes, flags);
        break;
    default:
        y = as ? gnd__astype(x, t, k->func) : x;
        if (y->kind == GND__ERROR)
            break;
        if (!m)
            y = k->spread ? k->spread(y, axes, flags, o->correction) : k->plain(y, axes, flags);
        else if (k->group == MEANS)
            y = gnd__masked_mean(y, m, axes, flags);
        else
            y = gnd__masked_variance(y, m, axes, flags, o->correction,
                                     k->spread == gnd_std || k->spread == gnd_nanstd, k->nan);
        /* as in NumPy, the quotient becomes the dtype that was asked for, ints too */
        if (as && k->group == MEANS && strchr("iu", gnd_dtype_kind(t)))
            y = gnd__astype(y, t, k->func);
    }
    return gnd__leave(in, y);
}
