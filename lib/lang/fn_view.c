/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_view.c - the language's views: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/manip.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

static int reshape_to(gnd__args *c, gnd_array *x, int ndim, const int64_t *shape)
{
    return gnd__ret(c, gnd_reshape(x, ndim, shape));
}

int gnd__fn_reshape(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shape, GND_MAX_NDIM, &ndim) || gnd__arg_copy(c, 2))
        return -1;
    return reshape_to(c, x, ndim, shape);
}

int gnd__fn_reshape_method(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__rest_ints(c, shape, GND_MAX_NDIM, &ndim) || gnd__arg_copy(c, 2))
        return -1;
    return reshape_to(c, x, ndim, shape);
}

int gnd__fn_ravel(gnd__args *c)
{
    return gnd__ret_of(c, gnd_ravel);
}

/* --- orders of axes --------------------------------------------------------------------------- */

static int permute(gnd__args *c, gnd_array *x, const int64_t *axes, int n)
{
    int perm[GND_MAX_NDIM];
    if (n != gnd_ndim(x))
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->at, "%s: %d axes for %d dimension%s", c->name,
                              n, gnd_ndim(x), gnd_ndim(x) == 1 ? "" : "s");
    for (int i = 0; i < n; i++)
        perm[i] = axes[i] < -99 || axes[i] > 99 ? 99 : (int)axes[i];
    return gnd__ret(c, gnd_permute_dims(x, perm));
}

int gnd__fn_permute_dims(gnd__args *c)
{
    int64_t axes[GND_MAX_NDIM];
    int n;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x)
        return -1;
    if (!gnd__arg_given(c, 1))
        return gnd__ret(c, gnd_permute_dims(x, NULL));
    return gnd__arg_ints(c, 1, axes, GND_MAX_NDIM, &n) ? -1 : permute(c, x, axes, n);
}

int gnd__fn_transpose_method(gnd__args *c)
{
    int64_t axes[GND_MAX_NDIM];
    int n;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x)
        return -1;
    if (!c->nrest || (c->nrest == 1 && c->rest->v.kind == GND__V_NONE))
        return gnd__ret(c, gnd_permute_dims(x, NULL));
    return gnd__rest_ints(c, axes, GND_MAX_NDIM, &n) ? -1 : permute(c, x, axes, n);
}

int gnd__fn_swapaxes(gnd__args *c)
{
    int a, b;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axis(c, 1, &a) || gnd__arg_axis(c, 2, &b))
        return -1;
    return gnd__ret(c, gnd_swapaxes(x, a, b));
}

int gnd__fn_moveaxis(gnd__args *c)
{
    int64_t v[2][GND_MAX_NDIM];
    int axis[2][GND_MAX_NDIM], n[2];
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, v[0], GND_MAX_NDIM, &n[0]) ||
        gnd__arg_ints(c, 2, v[1], GND_MAX_NDIM, &n[1]))
        return -1;
    if (n[0] != n[1])
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->at, "%s: %d axes go to %d places", c->name,
                              n[0], n[1]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k]; i++)
            axis[k][i] = v[k][i] < -99 || v[k][i] > 99 ? 99 : (int)v[k][i];
    return gnd__ret(c, gnd_moveaxis(x, n[0], axis[0], axis[1]));
}

/* --- with sets of axes ------------------------------------------------------------------------ */

int gnd__fn_expand_dims(gnd__args *c)
{
    if (!gnd__arg_given(c, 1))
        return gnd__arg_wrong(c, 1, "an int or a tuple of ints");
    return gnd__ret_axes(c, gnd_expand_dims);
}

int gnd__fn_squeeze(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_squeeze);
}
int gnd__fn_flip(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_flip);
}

int gnd__fn_flipud(gnd__args *c)
{
    return gnd__ret_of(c, gnd_flipud);
}

int gnd__fn_fliplr(gnd__args *c)
{
    return gnd__ret_of(c, gnd_fliplr);
}

/* --- shapes ----------------------------------------------------------------------------------- */

int gnd__fn_broadcast_to(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shape, GND_MAX_NDIM, &ndim))
        return -1;
    return gnd__ret(c, gnd_broadcast_to(x, ndim, shape));
}

int gnd__fn_broadcast_arrays(gnd__args *c)
{
    int n;
    gnd_array **x = gnd__rest_arrays(c, &n);
    if (!x)
        return -1;
    gnd_array **out = gnd__calloc((size_t)n + 1, sizeof *out);
    int r =
        out ? gnd__ret_tuple(c, out, n, gnd_broadcast_arrays(n, x, out)) : gnd__expr_nomem(c->x);
    gnd__free(out);
    gnd__free(x);
    return r;
}

int gnd__fn_diagonal(gnd__args *c)
{
    int64_t offset = 0;
    int a = 0, b = 1;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &offset)) ||
        (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &a)) ||
        (gnd__arg_given(c, 3) && gnd__arg_axis(c, 3, &b)))
        return -1;
    return gnd__ret(c, gnd_diagonal(x, offset, a, b));
}
