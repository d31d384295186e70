/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_reduce.c - the language's reductions, including those that ignore NaN: handlers of
 * funcs.def.
 */
#include <gnd/array.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include "lang/call.h"

#include <string.h>

typedef gnd_array *(*plain)(gnd_array *, gnd_axes, unsigned);

/* x, axis, keepdims */
static int simple(gnd__args *c, plain f)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 2, &axes, &flags);
    return x ? gnd__ret(c, f(x, axes, flags)) : -1;
}

int gnd__fn_count_nonzero(gnd__args *c)
{
    return simple(c, gnd_count_nonzero);
}
int gnd__fn_argmax(gnd__args *c)
{
    return simple(c, gnd_argmax);
}
int gnd__fn_argmin(gnd__args *c)
{
    return simple(c, gnd_argmin);
}
int gnd__fn_ptp(gnd__args *c)
{
    return simple(c, gnd_ptp);
}
int gnd__fn_nanargmax(gnd__args *c)
{
    return simple(c, gnd_nanargmax);
}
int gnd__fn_nanargmin(gnd__args *c)
{
    return simple(c, gnd_nanargmin);
}

/* The position of the parameter with that name; -1: the function does not have it. */
static int named(const gnd__args *c, const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; i < GND__FN_PARAMS && c->param[i]; i++)
        if (c->param[i][0] == *name && !strncmp(c->param[i], name, n) &&
            strchr("|,=", c->param[i][n]))
            return i;
    return -1;
}

/* The same, but -1 if the argument was not given. */
static int given(const gnd__args *c, const char *name)
{
    const int i = named(c, name);
    return i >= 0 && gnd__arg_given(c, i) ? i : -1;
}

/* Calls gnd_reduce with the options that the function's signature has. where=True has no effect. */
static int reduced(gnd__args *c, gnd_reduction what)
{
    gnd_axes axes;
    unsigned flags;
    gnd_dtype t = GND_DTYPE_DEFAULT;
    gnd_reduce_options opt = {0};
    const int dtype = named(c, "dtype"), ddof = given(c, "ddof"), initial = given(c, "initial"),
              where = given(c, "where");
    gnd_array *x = gnd__arg_reduced(c, named(c, "keepdims"), &axes, &flags);
    if (!x || (dtype >= 0 && gnd__arg_dtype(c, dtype, &t)) ||
        (ddof >= 0 && gnd__arg_real(c, ddof, &opt.correction)) ||
        (initial >= 0 && !(opt.initial = gnd__arg_array(c, initial))))
        return -1;
    if (where >= 0 && !(c->arg[where].v.kind == GND__V_BOOL && c->arg[where].v.i) &&
        !(opt.where = gnd__arg_strong(c, where)))
        return -1;
    return gnd__ret(c, gnd_reduce(what, x, axes, flags, t, &opt));
}

int gnd__fn_sum(gnd__args *c)
{
    return reduced(c, GND_REDUCE_SUM);
}
int gnd__fn_prod(gnd__args *c)
{
    return reduced(c, GND_REDUCE_PROD);
}
int gnd__fn_max(gnd__args *c)
{
    return reduced(c, GND_REDUCE_MAX);
}
int gnd__fn_min(gnd__args *c)
{
    return reduced(c, GND_REDUCE_MIN);
}
int gnd__fn_mean(gnd__args *c)
{
    return reduced(c, GND_REDUCE_MEAN);
}
int gnd__fn_var(gnd__args *c)
{
    return reduced(c, GND_REDUCE_VAR);
}
int gnd__fn_std(gnd__args *c)
{
    return reduced(c, GND_REDUCE_STD);
}
int gnd__fn_any(gnd__args *c)
{
    return reduced(c, GND_REDUCE_ANY);
}
int gnd__fn_all(gnd__args *c)
{
    return reduced(c, GND_REDUCE_ALL);
}
int gnd__fn_nansum(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANSUM);
}
int gnd__fn_nanprod(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANPROD);
}
int gnd__fn_nanmax(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANMAX);
}
int gnd__fn_nanmin(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANMIN);
}
int gnd__fn_nanmean(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANMEAN);
}
int gnd__fn_nanvar(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANVAR);
}
int gnd__fn_nanstd(gnd__args *c)
{
    return reduced(c, GND_REDUCE_NANSTD);
}
