/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expr/fn_reduce.c - the language's reductions: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include "expr/call.h"
#include "graph/graph.h"
#include "graph/scope.h"

typedef gnd_array *(*reduction)(gnd_array *, gnd_axes, unsigned);

/* x and axis, and keepdims at its place. */
static gnd_array *common(gnd__args *c, int keepdims, gnd_axes *axes, unsigned *flags)
{
    int keep = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, axes) || (gnd__arg_given(c, keepdims) && gnd__arg_bool(c, keepdims, &keep)))
        return NULL;
    *flags = keep ? GND_KEEPDIMS : 0;
    return x;
}

/* x, axis, keepdims */
static int plain(gnd__args *c, reduction f)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = common(c, 2, &axes, &flags);
    return x ? gnd__ret(c, f(x, axes, flags)) : -1;
}

int gnd__fn_max(gnd__args *c) { return plain(c, gnd_max); }
int gnd__fn_min(gnd__args *c) { return plain(c, gnd_min); }
int gnd__fn_any(gnd__args *c) { return plain(c, gnd_any); }
int gnd__fn_all(gnd__args *c) { return plain(c, gnd_all); }
int gnd__fn_count_nonzero(gnd__args *c) { return plain(c, gnd_count_nonzero); }
int gnd__fn_argmax(gnd__args *c) { return plain(c, gnd_argmax); }
int gnd__fn_argmin(gnd__args *c) { return plain(c, gnd_argmin); }

/* x, axis, dtype, keepdims: sums in the dtype given. */
static int summed(gnd__args *c, reduction f, gnd_array *(*as)(gnd_array *, gnd_axes, unsigned, gnd_dtype))
{
    gnd_axes axes;
    unsigned flags;
    gnd_dtype t;
    gnd_array *x = common(c, 3, &axes, &flags);
    if (!x || gnd__arg_dtype(c, 2, &t))
        return -1;
    return gnd__ret(c, t == GND_DTYPE_DEFAULT ? f(x, axes, flags) : as(x, axes, flags, t));
}

int gnd__fn_sum(gnd__args *c) { return summed(c, gnd_sum, gnd_sum_as); }
int gnd__fn_prod(gnd__args *c) { return summed(c, gnd_prod, gnd_prod_as); }

/* Argument 0 in the dtype of argument 2, when that is given, as a new handle. */
static gnd_array *in_dtype(gnd__args *c, gnd_array *x)
{
    gnd_dtype t;
    if (gnd__arg_dtype(c, 2, &t))
        return NULL;
    return t == GND_DTYPE_DEFAULT ? gnd__same(x) : gnd_astype(x, t);
}

int gnd__fn_mean(gnd__args *c)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = common(c, 3, &axes, &flags), *y = x ? in_dtype(c, x) : NULL;
    if (!y)
        return -1;
    gnd_array *m = gnd_mean(y, axes, flags);
    gnd_release(y);
    return gnd__ret(c, m);
}

/* x, axis, dtype, ddof, keepdims */
static int spread(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, unsigned, double))
{
    gnd_axes axes;
    unsigned flags;
    double ddof = 0;
    if (gnd__arg_given(c, 3) && gnd__arg_real(c, 3, &ddof))
        return -1;
    gnd_array *x = common(c, 4, &axes, &flags), *y = x ? in_dtype(c, x) : NULL;
    if (!y)
        return -1;
    gnd_array *v = f(y, axes, flags, ddof);
    gnd_release(y);
    return gnd__ret(c, v);
}

int gnd__fn_var(gnd__args *c) { return spread(c, gnd_var); }
int gnd__fn_std(gnd__args *c) { return spread(c, gnd_std); }
