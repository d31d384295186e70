/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_stat.c - the language's statistics, differences, comparisons of arrays and polynomials:
 * handlers of funcs.def. The computations are in lib/ops/stat. The reductions that ignore NaN are
 * in fn_reduce.c.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

/* Reads an optional array; *x is NULL if it was not given. */
static int optional(gnd__args *c, int i, gnd_array **x)
{
    *x = NULL;
    return gnd__arg_given(c, i) && !(*x = gnd__arg_strong(c, i)) ? -1 : 0;
}

/* The same for an argument that may be a number. */
static int optional_number(gnd__args *c, int i, gnd_array **x)
{
    *x = NULL;
    return gnd__arg_given(c, i) && !(*x = gnd__arg_array(c, i)) ? -1 : 0;
}

static int optional_bool(gnd__args *c, int i, int *v)
{
    return gnd__arg_given(c, i) ? gnd__arg_bool(c, i, v) : 0;
}

static int optional_real(gnd__args *c, int i, double *v)
{
    return gnd__arg_given(c, i) ? gnd__arg_real(c, i, v) : 0;
}

static int optional_axis(gnd__args *c, int i, int *axis)
{
    return gnd__arg_given(c, i) ? gnd__arg_axis(c, i, axis) : 0;
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Transposes the weights w, whose axes are in the order of the argument `axis`, to the order of x's
 * axes. Returns a new handle. */
static gnd_array *in_order(gnd__args *c, gnd_array *x, gnd_array *w)
{
    int64_t axis[GND_MAX_NDIM];
    int n, perm[GND_MAX_NDIM];
    if (!gnd__arg_given(c, 1) || gnd_ndim(w) == gnd_ndim(x) || gnd_ndim(w) < 2)
        return gnd__again(w);
    if (gnd__arg_ints(c, 1, axis, GND_MAX_NDIM, &n))
        return NULL;
    if (n != gnd_ndim(w))
        return gnd__again(w);
    for (int i = 0; i < n; i++) {
        axis[i] += axis[i] < 0 ? gnd_ndim(x) : 0;
        int k = i;
        for (; k > 0 && axis[perm[k - 1]] > axis[i]; k--)
            perm[k] = perm[k - 1];
        perm[k] = i;
    }
    return gnd_permute_dims(w, perm);
}

int gnd__fn_average(gnd__args *c)
{
    gnd_axes axes;
    unsigned flags;
    int returned = 0;
    gnd_array *x = gnd__arg_reduced(c, 4, &axes, &flags), *w = NULL, *y[2];
    if (!x || optional(c, 2, &w) || optional_bool(c, 3, &returned))
        return -1;
    if (w && !(w = in_order(c, x, w)))
        return -1;
    y[0] = gnd_average(x, w, axes, flags, returned ? &y[1] : NULL);
    gnd_release(w);
    return returned ? gnd__ret_tuple(c, y, 2, gnd_status_of(y[0])) : gnd__ret(c, y[0]);
}

int gnd__fn_cov(gnd__args *c)
{
    int rowvar = 1, bias = 0;
    double ddof = 1;
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0), *y, *fw, *aw;
    if (!x || optional(c, 1, &y) || optional_bool(c, 2, &rowvar) || optional_bool(c, 3, &bias))
        return -1;
    ddof = bias ? 0 : 1;
    if (optional_real(c, 4, &ddof) || optional(c, 5, &fw) || optional(c, 6, &aw) ||
        gnd__arg_dtype(c, 7, &t))
        return -1;
    return gnd__ret(c, gnd_cov(x, y, rowvar, ddof, fw, aw, t));
}

int gnd__fn_corrcoef(gnd__args *c)
{
    int rowvar = 1;
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0), *y;
    if (!x || optional(c, 1, &y) || optional_bool(c, 2, &rowvar) || gnd__arg_dtype(c, 3, &t))
        return -1;
    return gnd__ret(c, gnd_corrcoef(x, y, rowvar, t));
}

int gnd__fn_trace(gnd__args *c)
{
    int64_t offset = 0;
    int a = 0, b = 1;
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &offset)) || optional_axis(c, 2, &a) ||
        optional_axis(c, 3, &b) || gnd__arg_dtype(c, 4, &t))
        return -1;
    return gnd__ret(c, gnd_trace(x, offset, a, b, t));
}

/* --- exponentials over axes; normalizing ------------------------------------------------------ */

int gnd__fn_logsumexp(gnd__args *c)
{
    gnd_axes axes;
    unsigned flags;
    gnd_array *x = gnd__arg_reduced(c, 3, &axes, &flags), *b;
    return !x || optional_number(c, 2, &b) ? -1 : gnd__ret(c, gnd_logsumexp(x, b, axes, flags));
}

int gnd__fn_softmax(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_softmax);
}
int gnd__fn_log_softmax(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_log_softmax);
}

static int normal(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes, double), double eps)
{
    gnd_axes axes;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, &axes) || optional_real(c, 2, &eps))
        return -1;
    return gnd__ret(c, f(x, axes, eps));
}

int gnd__fn_normalize(gnd__args *c)
{
    return normal(c, gnd_normalize, 1e-12);
}
int gnd__fn_standardize(gnd__args *c)
{
    return normal(c, gnd_standardize, 1e-5);
}

/* --- differences ------------------------------------------------------------------------------ */

int gnd__fn_diff(gnd__args *c)
{
    int64_t n = 1;
    int axis = -1;
    gnd_array *x = gnd__arg_strong(c, 0), *prepend, *append;
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &n)) || optional_axis(c, 2, &axis) ||
        optional_number(c, 3, &prepend) || optional_number(c, 4, &append))
        return -1;
    int times = n < 0 ? -1 : n > INT32_MAX ? INT32_MAX : (int)n;
    return gnd__ret(c, gnd_diff(x, times, axis, prepend, append));
}

int gnd__fn_ediff1d(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *to_end, *to_begin;
    if (!x || optional_number(c, 1, &to_end) || optional_number(c, 2, &to_begin))
        return -1;
    return gnd__ret(c, gnd_ediff1d(x, to_end, to_begin));
}

/* gradient(f), gradient(f, h), gradient(f, h0, h1, ...). The result is an array for one axis, a
 * tuple for several. */
int gnd__fn_gradient(gnd__args *c)
{
    int64_t axis[GND_MAX_NDIM], edge_order = 1;
    gnd_array *f = gnd__arg_strong(c, 0), *out[GND_MAX_NDIM], *h[GND_MAX_NDIM];
    gnd_status st = GND_OK;
    int n = f ? gnd_ndim(f) : 0;
    if (!f)
        return -1;
    for (int i = 0; i < n; i++)
        axis[i] = i;
    if ((gnd__arg_given(c, 2) && gnd__arg_ints(c, 2, axis, GND_MAX_NDIM, &n)) ||
        (gnd__arg_given(c, 3) && gnd__arg_int(c, 3, &edge_order)))
        return -1;
    if (c->nrest > 1 && c->nrest != n)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "%s: %d spacings for %d ax%s", c->name,
                              c->nrest, n, n == 1 ? "is" : "es");
    if (edge_order != 1 && edge_order != 2)
        edge_order = 0; /* gnd_gradient reports the error */
    for (int i = 0; i < c->nrest; i++)
        if (!(h[i] = gnd__val_to_array(c->x, &c->rest[i].v, c->rest[i].at, "gradient: a spacing")))
            return -1;
    if (c->nrest == 1 && n > 1 && gnd_ndim(h[0]))
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->rest->at,
                              "%s: one spacing for %d axes must be a "
                              "number",
                              c->name, n);
    for (int i = 0; i < n; i++) {
        int k = axis[i] < -99 || axis[i] > 99 ? 99 : (int)axis[i];
        out[i] = gnd_gradient(f, c->nrest ? h[c->nrest == 1 ? 0 : i] : NULL, k, (int)edge_order);
        st = st ? st : gnd_status_of(out[i]);
    }
    return n == 1 ? gnd__ret(c, out[0]) : gnd__ret_tuple(c, out, n, st);
}

int gnd__fn_trapezoid(gnd__args *c)
{
    double dx = 1;
    int axis = -1;
    gnd_array *y = gnd__arg_strong(c, 0), *x;
    if (!y || optional(c, 1, &x) || optional_real(c, 2, &dx) || optional_axis(c, 3, &axis))
        return -1;
    return gnd__ret(c, gnd_trapezoid(y, x, dx, axis));
}

/* --- comparisons ------------------------------------------------------------------------------ */

static int close_to(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_array *, double, double, int))
{
    double rtol = 1e-5, atol = 1e-8;
    int equal_nan = 0;
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    if (!b || optional_real(c, 2, &rtol) || optional_real(c, 3, &atol) ||
        optional_bool(c, 4, &equal_nan))
        return -1;
    return gnd__ret(c, f(a, b, rtol, atol, equal_nan));
}

int gnd__fn_isclose(gnd__args *c)
{
    return close_to(c, gnd_isclose);
}
int gnd__fn_allclose(gnd__args *c)
{
    return close_to(c, gnd_allclose);
}

int gnd__fn_array_equal(gnd__args *c)
{
    int equal_nan = 0;
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    if (!b || optional_bool(c, 2, &equal_nan))
        return -1;
    return gnd__ret(c, gnd_array_equal(a, b, equal_nan));
}

int gnd__fn_array_equiv(gnd__args *c)
{
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    return b ? gnd__ret(c, gnd_array_equiv(a, b)) : -1;
}

/* --- polynomials ------------------------------------------------------------------------------ */

int gnd__fn_polyval(gnd__args *c)
{
    gnd_array *p = gnd__arg_strong(c, 0), *x = p ? gnd__arg_strong(c, 1) : NULL;
    return x ? gnd__ret(c, gnd_polyval(p, x)) : -1;
}

int gnd__fn_polyfit(gnd__args *c)
{
    int64_t deg;
    double rcond = -1;
    gnd_array *x = gnd__arg_strong(c, 0), *y = x ? gnd__arg_strong(c, 1) : NULL, *w;
    if (!y || gnd__arg_int(c, 2, &deg) || optional_real(c, 3, &rcond) || optional(c, 4, &w))
        return -1;
    int d = deg < 0 ? -1 : deg > INT32_MAX ? INT32_MAX : (int)deg;
    return gnd__ret(c, gnd_polyfit(x, y, d, rcond, w));
}

int gnd__fn_vander(gnd__args *c)
{
    int64_t n = -1;
    int increasing = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &n)) || optional_bool(c, 2, &increasing))
        return -1;
    if (gnd__arg_given(c, 1) && n < 0)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at, "%s: %lld columns", c->name,
                              (long long)n);
    return gnd__ret(c, gnd_vander(x, n, increasing));
}
