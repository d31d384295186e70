/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_quantile.c - the language's medians and quantiles: handlers of funcs.def.
 */
#include <gnd/quantile.h>
#include "lang/call.h"

static int flag(gnd__args *c, int i, int *v)
{
    *v = 0;
    return gnd__arg_given(c, i) ? gnd__arg_bool(c, i, v) : 0;
}

static int middle(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, unsigned))
{
    gnd_axes axes;
    int keep, overwrite; /* overwrite has no effect: arrays are values */
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, &axes) || flag(c, 2, &overwrite) || flag(c, 3, &keep))
        return -1;
    return gnd__ret(c, f(x, axes, keep ? GND_KEEPDIMS : 0));
}

int gnd__fn_median(gnd__args *c)
{
    return middle(c, gnd_median);
}
int gnd__fn_nanmedian(gnd__args *c)
{
    return middle(c, gnd_nanmedian);
}

static int method_of(gnd__args *c, int i, gnd_quantile_method *m)
{
#define X(name, text) text " "
    const int k = gnd__arg_word(c, i, GND_QUANTILE_LIST(X), GND_Q_LINEAR);
#undef X
    *m = (gnd_quantile_method)k;
    return k < 0 ? -1 : 0;
}

typedef gnd_array *quantile_fn(gnd_array *, gnd_array *, gnd_axes, unsigned, gnd_quantile_method);

static int quantile(gnd__args *c, quantile_fn *f)
{
    gnd_axes axes;
    gnd_quantile_method m;
    int keep, overwrite;
    gnd_array *x = gnd__arg_strong(c, 0), *q = x ? gnd__arg_array(c, 1) : NULL;
    if (!q || gnd__arg_axes(c, 2, &axes) || flag(c, 3, &overwrite) || method_of(c, 4, &m) ||
        flag(c, 5, &keep))
        return -1;
    return gnd__ret(c, f(x, q, axes, keep ? GND_KEEPDIMS : 0, m));
}

int gnd__fn_quantile(gnd__args *c)
{
    return quantile(c, gnd_quantile);
}
int gnd__fn_nanquantile(gnd__args *c)
{
    return quantile(c, gnd_nanquantile);
}
int gnd__fn_percentile(gnd__args *c)
{
    return quantile(c, gnd_percentile);
}
int gnd__fn_nanpercentile(gnd__args *c)
{
    return quantile(c, gnd_nanpercentile);
}
