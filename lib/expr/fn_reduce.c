/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expr/fn_reduce.c - the language's reductions, with and without NaN: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include "expr/call.h"
#include "graph/graph.h"
#include "graph/scope.h"

typedef gnd_array *(*reduction)(gnd_array *, gnd_axes, unsigned);

/* x, axis, keepdims */
static int plain(gnd__args *c, reduction f)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 2, &axes, &flags);
    return x ? gnd__ret(c, f(x, axes, flags)) : -1;
}

int gnd__fn_max(gnd__args *c) { return plain(c, gnd_max); }
int gnd__fn_min(gnd__args *c) { return plain(c, gnd_min); }
int gnd__fn_any(gnd__args *c) { return plain(c, gnd_any); }
int gnd__fn_all(gnd__args *c) { return plain(c, gnd_all); }
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

int gnd__fn_sum(gnd__args *c) { return summed(c, gnd_sum, gnd_sum_as); }
int gnd__fn_prod(gnd__args *c) { return summed(c, gnd_prod, gnd_prod_as); }
int gnd__fn_nansum(gnd__args *c) { return summed(c, gnd_nansum, gnd_nansum_as); }
int gnd__fn_nanprod(gnd__args *c) { return summed(c, gnd_nanprod, gnd_nanprod_as); }

/* Argument 0 in the dtype of argument 2, when that is given, as a new handle. */
static gnd_array *in_dtype(gnd__args *c, gnd_array *x)
{
    gnd_dtype t;
    if (gnd__arg_dtype(c, 2, &t))
        return NULL;
    return t == GND_DTYPE_DEFAULT ? gnd__same(x) : gnd_astype(x, t);
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

int gnd__fn_mean(gnd__args *c) { return averaged(c, gnd_mean); }
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
