/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/nan.c - reductions that skip NaN, as NumPy's nan functions. NaN is replaced by the
 * identity (0, 1, an infinity). Means and variances also count the other elements (masked.h). The
 * reductions of one function read x once, in one kernel. Dtypes without NaN use the plain function.
 */
#include <gnd/stat.h>

#include <math.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "array/steps.h"
#include "graph/check.h"
#include "ops/reduce/masked.h"

static int has_nan(const gnd_array *x)
{
    int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
    return kind == 'f' || kind == 'c';
}

/* x with re (re + i im if x is complex) in place of NaN. */
static gnd_array *filled(gnd_array *x, gnd_array *is_nan, double re, double im)
{
    int z = x->kind != GND__ERROR && gnd_dtype_kind((gnd_dtype)x->dtype) == 'c';
    gnd_array *v = z ? gnd_complex(re, im) : gnd__number(re);
    return gnd__op3(GND__OP_WHERE, is_nan, v, x);
}

/* --- sums and products ------------------------------------------------------------------------ */

typedef gnd_array *summing(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);

/* t: the dtype of the result; GND_DTYPE_DEFAULT: that of gnd_sum. */
static gnd_array *summed(const char *func, gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t,
                         summing *f, double nothing)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (!bad && t != GND_DTYPE_DEFAULT)
        bad = gnd__check_type(func, x->dev, t);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    if (t == GND_DTYPE_DEFAULT) {
        int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
        t = kind == 'b' || kind == 'i' ? GND_INT64 : kind == 'u' ? GND_UINT64 : (gnd_dtype)x->dtype;
    }
    if (has_nan(x))
        x = filled(x, gnd__op1(GND__OP_ISNAN, x), nothing, 0);
    return gnd__leave(in, f(x, axes, flags, t));
}

gnd_array *gnd_nansum(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return summed("nansum", x, axes, flags, GND_DTYPE_DEFAULT, gnd_sum_as, 0);
}

gnd_array *gnd_nanprod(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return summed("nanprod", x, axes, flags, GND_DTYPE_DEFAULT, gnd_prod_as, 1);
}

gnd_array *gnd_nansum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t)
{
    return summed("nansum", x, axes, flags, t, gnd_sum_as, 0);
}

gnd_array *gnd_nanprod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t)
{
    return summed("nanprod", x, axes, flags, t, gnd_prod_as, 1);
}

/* --- mean and variance ------------------------------------------------------------------------ */

gnd_array *gnd_nanmean(gnd_array *x, gnd_axes axes, unsigned flags)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction("nanmean", x, axes, flags, &mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("nanmean");
    if (!has_nan(x))
        return gnd__leave(in, gnd_mean(x, axes, flags));
    gnd_array *good = gnd__op1(GND__OP_LOGICAL_NOT, gnd__op1(GND__OP_ISNAN, x));
    return gnd__leave(in, gnd__masked_mean(x, good, axes, flags));
}

static gnd_array *variance(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                           double correction, int root)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    if (!has_nan(x))
        return gnd__leave(in, root ? gnd_std(x, axes, flags, correction)
                                   : gnd_var(x, axes, flags, correction));
    gnd_array *good = gnd__op1(GND__OP_LOGICAL_NOT, gnd__op1(GND__OP_ISNAN, x));
    return gnd__leave(in, gnd__masked_variance(x, good, axes, flags, correction, root, 1));
}

gnd_array *gnd_nanvar(gnd_array *x, gnd_axes axes, unsigned flags, double correction)
{
    return variance("nanvar", x, axes, flags, correction, 0);
}

gnd_array *gnd_nanstd(gnd_array *x, gnd_axes axes, unsigned flags, double correction)
{
    return variance("nanstd", x, axes, flags, correction, 1);
}

/* --- extremes --------------------------------------------------------------------------------- */

static gnd_array *check_extreme(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                                int one_axis, const char *what)
{
    char text[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    int n = __builtin_popcount(mask), ndim = gnd__reduced_dims(x, mask, 0, dim);
    if (one_axis && axes.bits != GND_ALL.bits && n != 1)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: %d axes: it takes one, or GND_ALL", func, n);
    if (gnd__count_of(x, mask) == 0 && (one_axis || gnd__shape_size(ndim, dim, 1) != 0))
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: a zero-size array has no %s (shape %s)", func,
                         what, gnd__shape_text(text, x->ndim, x->dim));
    return NULL;
}

/* x with NaN replaced by the infinity that cannot be the extreme, and the mask of NaN. */
static gnd_array *without_nan(gnd_array *x, int least, gnd_array **is_nan)
{
    const double worst = least ? INFINITY : -INFINITY;
    *is_nan = gnd__op1(GND__OP_ISNAN, x);
    return filled(x, *is_nan, worst, worst);
}

/* The extreme of the elements that are not NaN, with infinities (of without_nan) in place of NaN.
 * If all elements are NaN the result is NaN. */
static gnd_array *extreme(const char *func, gnd_array *x, gnd_axes axes, unsigned flags, int least)
{
    gnd_array *is_nan, *bad = check_extreme(func, x, axes, flags, 0, least ? "minimum" : "maximum");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    if (!has_nan(x))
        return gnd__leave(in, least ? gnd_min(x, axes, flags) : gnd_max(x, axes, flags));
    gnd_array *c = without_nan(x, least, &is_nan);
    gnd_array *y = least ? gnd_min(c, axes, flags) : gnd_max(c, axes, flags);
    gnd_array *none = gnd_all(is_nan, axes, flags);
    return gnd__leave(in, filled(y, none, NAN, NAN));
}

gnd_array *gnd_nanmax(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return extreme("nanmax", x, axes, flags, 0);
}

gnd_array *gnd_nanmin(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return extreme("nanmin", x, axes, flags, 1);
}

/* If the extreme is the infinity that replaces NaN, all elements that are not NaN are that
 * infinity, and the result is the first of them. */
static gnd_array *arg_extreme(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                              int least)
{
    const double worst = least ? INFINITY : -INFINITY;
    gnd_array *is_nan, *bad = check_extreme(func, x, axes, flags, 1, least ? "minimum" : "maximum");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    if (!has_nan(x))
        return gnd__leave(in, least ? gnd_argmin(x, axes, flags) : gnd_argmax(x, axes, flags));
    gnd_array *c = without_nan(x, least, &is_nan);
    gnd_array *at = least ? gnd_argmin(c, axes, flags) : gnd_argmax(c, axes, flags);
    gnd_array *best = least ? gnd_min(c, axes, flags) : gnd_max(c, axes, flags);
    gnd_array *good = gnd__op1(GND__OP_LOGICAL_NOT, is_nan);
    gnd_array *first = gnd_argmax(good, axes, flags);
    gnd_array *none = gnd_all(is_nan, axes, flags);
    int z = gnd_dtype_kind((gnd_dtype)x->dtype) == 'c';
    gnd_array *v = z ? gnd_complex(worst, worst) : gnd__number(worst);
    at = gnd__op3(GND__OP_WHERE, gnd__op2(GND__OP_EQUAL, best, v), first, at);
    gnd_array *lost = gnd_int(-1);
    return gnd__leave(in, gnd__op3(GND__OP_WHERE, none, lost, at));
}

gnd_array *gnd_nanargmax(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return arg_extreme("nanargmax", x, axes, flags, 0);
}

gnd_array *gnd_nanargmin(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return arg_extreme("nanargmin", x, axes, flags, 1);
}
