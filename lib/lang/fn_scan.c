/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_scan.c - the language's running sums, products and extremes, and unwrap: handlers of
 * funcs.def.
 */
#include <gnd/array.h>
#include <gnd/scan.h>
#include "lang/call.h"

/* The functions of the Array API standard: x, axis, dtype, include_initial. Only 1-d arrays may
 * omit axis. */
static int standard(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, unsigned, gnd_dtype))
{
    gnd_axes axis;
    gnd_dtype t;
    int initial = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, &axis) || gnd__arg_dtype(c, 2, &t) ||
        (gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, &initial)))
        return -1;
    if (axis.bits == GND_ALL.bits && gnd_ndim(x) > 1)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->at,
                              "%s: axis is needed for an array of %d "
                              "dimensions",
                              c->name, gnd_ndim(x));
    return gnd__ret(c, f(x, axis, initial ? GND_INCLUDE_INITIAL : 0, t));
}

int gnd__fn_cumulative_sum(gnd__args *c)
{
    return standard(c, gnd_cumulative_sum);
}
int gnd__fn_cumulative_prod(gnd__args *c)
{
    return standard(c, gnd_cumulative_prod);
}

/* NumPy's functions: x, axis (None: flattened), dtype. */
static int numpys(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, gnd_dtype))
{
    gnd_axes axis;
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, &axis) || gnd__arg_dtype(c, 2, &t))
        return -1;
    return gnd__ret(c, f(x, axis, t));
}

static gnd_array *cumsum(gnd_array *x, gnd_axes axis, gnd_dtype t)
{
    return gnd_cumulative_sum(x, axis, 0, t);
}

static gnd_array *cumprod(gnd_array *x, gnd_axes axis, gnd_dtype t)
{
    return gnd_cumulative_prod(x, axis, 0, t);
}

int gnd__fn_cumsum(gnd__args *c)
{
    return numpys(c, cumsum);
}
int gnd__fn_cumprod(gnd__args *c)
{
    return numpys(c, cumprod);
}
int gnd__fn_nancumsum(gnd__args *c)
{
    return numpys(c, gnd_nancumsum);
}
int gnd__fn_nancumprod(gnd__args *c)
{
    return numpys(c, gnd_nancumprod);
}

int gnd__fn_cummax(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_cummax);
}
int gnd__fn_cummin(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_cummin);
}

int gnd__fn_unwrap(gnd__args *c)
{
    int axis = -1;
    gnd_array *discont = NULL, *period = NULL, *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && !(discont = gnd__arg_scalar(c, 1))) ||
        (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis)) ||
        (gnd__arg_given(c, 3) && !(period = gnd__arg_scalar(c, 3))))
        return -1;
    return gnd__ret(c, gnd_unwrap(x, discont, axis, period));
}
