/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/sort/search.c - positions in sorted arrays, and functions that follow directly from them:
 * bins, interpolation.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/host.h"
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"
#include "prim/search.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/search.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* --- steps ------------------------------------------------------------------------------------ */

gnd_array *gnd__provided(gnd_array *x, gnd_array *ok, gnd_status code, const char *func,
                         const char *what)
{
    gnd_array *all = gnd__is_bad(ok) || ok->ndim == 0 ? ok : gnd_all(ok, GND_ALL, 0);
    if (gnd__is_bad(x) || gnd__is_bad(all))
        return gnd__is_bad(x) ? x : all;
    return gnd_add(x, gnd__as(gnd__condition_node(all, code, func, what), (gnd_dtype)x->dtype));
}

gnd_status gnd__give(gnd__inner in, const char *func, int n, gnd_array **out)
{
    gnd_status st = GND_OK;
    gnd__leave_all(in, n, out);
    for (int i = 0; i < n; i++)
        gnd__named(func, out[i]);
    for (int i = 0; i < n && !st; i++)
        st = gnd__told(out[i]);
    return st;
}

gnd_status gnd__give_bad(gnd_array *bad, int n, gnd_array **out)
{
    gnd_status st = gnd__told(bad);
    if (!out)
        gnd_release(bad);
    for (int i = n - 1; i >= 0 && out; i--)
        out[i] = i ? gnd__same(bad) : bad;
    return st;
}

/* The positions at which x would be inserted in the sorted a. Both have one dtype. */
static gnd_array *places(gnd_array *a, gnd_array *x, int right)
{
    if (gnd__is_bad(a) || gnd__is_bad(x))
        return gnd__is_bad(a) ? a : x;
    if (a->size == 0) {
        gnd__scalar zero = {.kind = 'i'};
        return gnd__filled(x->dev, GND_INT64, x->ndim, x->dim, &zero);
    }
    return gnd__search_node(a, x, right);
}

static gnd_array *check_1d(const char *func, const char *arg, const gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, arg);
    if (bad || x->ndim == 1)
        return bad;
    return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: %s has shape %s: one dimension is needed", func,
                     arg, gnd__shape_text(text, x->ndim, x->dim));
}

static gnd_array *check_real(const char *func, const char *arg, const gnd_array *x)
{
    if (gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return NULL;
    return gnd__fail(x->dev, GND_ERR_DTYPE, "%s: %s is %s: complex values are not possible here",
                     func, arg, gnd_dtype_name((gnd_dtype)x->dtype));
}

/* --- searchsorted ----------------------------------------------------------------------------- */

static gnd_array *searched(gnd_array *a, gnd_array *x, int side, gnd_array *sorter, gnd_dtype t)
{
    if (sorter)
        a = gnd__pick(a, gnd__checked_node(gnd__as(sorter, GND_INT64), "searchsorted", a->size, 0));
    return places(gnd__as(a, t),
                  x->weak ? gnd__strong(x, a->dev, t, "searchsorted") : gnd__as(x, t), side);
}

gnd_array *gnd_searchsorted(gnd_array *x1, gnd_array *x2, int side, gnd_array *sorter)
{
    gnd_device *dev;
    gnd_array *x[3] = {x1, x2, sorter};
    gnd_array *bad = check_1d("searchsorted", "x1", x1);
    if (bad || (bad = gnd__check(x2, "searchsorted", "x2")) ||
        (sorter && (bad = check_1d("searchsorted", "sorter", sorter))) ||
        (bad = gnd__check_devices("searchsorted", sorter ? 3 : 2, x, &dev)))
        return bad;
    if (side != GND_LEFT && side != GND_RIGHT)
        return gnd__fail(dev, GND_ERR_ARG,
                         "searchsorted: side %d: GND_LEFT and GND_RIGHT are possible", side);
    if (sorter && !strchr("iu", gnd_dtype_kind((gnd_dtype)sorter->dtype)))
        return gnd__fail(dev, GND_ERR_DTYPE, "searchsorted: sorter is %s: ints are needed",
                         gnd_dtype_name((gnd_dtype)sorter->dtype));
    if (sorter && sorter->size != x1->size)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "searchsorted: sorter has %" PRId64 " elements, x1 %" PRId64, sorter->size,
                         x1->size);
    gnd_dtype t = gnd__common_dtype(dev, 2, x);
    if (x2->weak && !gnd__scalar_fits(t, &x2->p.value))
        t = GND_INT64; /* a number outside of x1's range is before or after all elements */
    const gnd__inner in = gnd__enter("searchsorted");
    return gnd__leave(in, searched(x1, x2, side, sorter, t));
}

/* --- digitize --------------------------------------------------------------------------------- */

static gnd_array *digitized(gnd_array *x, gnd_array *bins, int right)
{
    const int64_t n = bins->size;
    const char *what = "the bins must increase or decrease";
    if (n < 2)
        return places(bins, x, !right);
    gnd_array *before = gnd__part(bins, 0, n - 1), *after = gnd__part(bins, 1, n - 1);
    gnd_array *up = gnd_logical_not(gnd_any(gnd_greater(before, after), GND_ALL, 0));
    gnd_array *down = gnd_logical_not(gnd_any(gnd_less(before, after), GND_ALL, 0));
    gnd_array *turned = gnd_logical_not(up);
    gnd_array *sorted = gnd_where(turned, gnd_flip(bins, GND_ALL), bins);
    gnd_array *at = places(sorted, x, !right);
    at = gnd_where(turned, gnd_subtract(gnd_int(n), at), at);
    return gnd__provided(at, gnd_logical_or(up, down), GND_ERR_ARG, "digitize", what);
}

gnd_array *gnd_digitize(gnd_array *x, gnd_array *bins, int right)
{
    gnd_device *dev;
    gnd_array *both[2] = {x, bins};
    gnd_array *bad = gnd__check_strong(x, "digitize", "x");
    if (bad || (bad = check_1d("digitize", "bins", bins)) ||
        (bad = gnd__check_devices("digitize", 2, both, &dev)) ||
        (bad = check_real("digitize", "x", x)) || (bad = check_real("digitize", "bins", bins)))
        return bad;
    const gnd__inner in = gnd__enter("digitize");
    gnd_dtype t = gnd__common_dtype(dev, 2, both);
    return gnd__leave(in, digitized(gnd__as(x, t), gnd__as(bins, t), right));
}

/* --- interp ----------------------------------------------------------------------------------- */

/* Real values of the interpolated function at x, between point j before x and point k after it. The
 * operations are NumPy's. */
static gnd_array *on_line(gnd_array *x, gnd_array *xj, gnd_array *xk, gnd_array *fj, gnd_array *fk)
{
    gnd_array *slope = gnd_divide(gnd_subtract(fk, fj), gnd_subtract(xk, xj));
    gnd_array *y = gnd_add(gnd_multiply(slope, gnd_subtract(x, xj)), fj);
    /* if infinite values make this NaN, it is computed from the other point */
    gnd_array *z = gnd_add(gnd_multiply(slope, gnd_subtract(x, xk)), fk);
    z = gnd_where(gnd_logical_and(gnd_isnan(z), gnd_equal(fj, fk)), fj, z);
    return gnd_where(gnd_isnan(y), z, y);
}

static gnd_array *between(gnd_array *x, gnd_array *xp, gnd_array *fp)
{
    const int64_t n = xp->size;
    gnd_array *at = gnd_subtract(places(xp, x, 1), gnd_int(1));
    gnd_array *j = gnd_clip(at, gnd_int(0), gnd_int(n - 2)), *k = gnd_add(j, gnd_int(1));
    gnd_array *xj = gnd__pick(xp, j), *xk = gnd__pick(xp, k);
    gnd_array *fj = gnd__pick(fp, j), *fk = gnd__pick(fp, k), *y;
    if (gnd__is_bad(fj) || gnd_dtype_kind((gnd_dtype)fj->dtype) != 'c') {
        y = on_line(x, xj, xk, fj, fk);
    } else {
        gnd_array *re = on_line(x, xj, xk, gnd_real_part(fj), gnd_real_part(fk));
        gnd_array *im = on_line(x, xj, xk, gnd_imag_part(fj), gnd_imag_part(fk));
        if (gnd__is_bad(re) || gnd__is_bad(im))
            return gnd__is_bad(re) ? re : im;
        y = gnd__op_node(GND__FN_COMPLEX, x->dev, (gnd_dtype)fp->dtype, x->ndim, x->dim, 2,
                         (gnd_array *[]){re, im});
    }
    y = gnd_where(gnd_equal(x, xj), fj, y);
    return gnd_where(gnd_equal(x, gnd__element(xp, n - 1)), gnd__element(fp, n - 1), y);
}

static gnd_array *interpolated(gnd_array *x, gnd_array *xp, gnd_array *fp, gnd_array *left,
                               gnd_array *right, double period)
{
    const int64_t n = xp->size;
    if (period != 0) {
        gnd_array *p = gnd_real(fabs(period));
        x = gnd_remainder(x, p);
        xp = gnd_remainder(xp, p);
        gnd_array *order = gnd_argsort(xp, 0, 0);
        xp = gnd__pick(xp, order);
        fp = gnd__pick(fp, order);
        gnd_array *xs[3] = {gnd_subtract(gnd__part(xp, n - 1, 1), p), xp,
                            gnd_add(gnd__part(xp, 0, 1), p)};
        gnd_array *fs[3] = {gnd__part(fp, n - 1, 1), fp, gnd__part(fp, 0, 1)};
        xp = gnd_concat(3, xs, 0);
        fp = gnd_concat(3, fs, 0);
        left = right = NULL;
    }
    if (gnd__is_bad(x) || gnd__is_bad(xp) || gnd__is_bad(fp))
        return gnd__is_bad(x) ? x : gnd__is_bad(xp) ? xp : fp;
    gnd_array *y = xp->size == 1 ? gnd__element(fp, 0) : between(x, xp, fp);
    y = gnd_where(gnd_less(x, gnd__element(xp, 0)), left ? left : gnd__element(fp, 0), y);
    y = gnd_where(gnd_greater(x, gnd__element(xp, xp->size - 1)),
                  right ? right : gnd__element(fp, fp->size - 1), y);
    return gnd_where(gnd_isnan(x), gnd__as(x, (gnd_dtype)fp->dtype), y);
}

/* Checks `left` or `right`, which is NULL, a number, or a 0-d array that fits dtype t of the
 * values. */
static gnd_array *check_end(const char *arg, gnd_array *v, gnd_device *dev, gnd_dtype t)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = v ? gnd__check(v, "interp", arg) : NULL;
    if (!v || bad)
        return bad;
    if (v->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "interp: %s has shape %s: one number is needed", arg,
                         gnd__shape_text(text, v->ndim, v->dim));
    if (gnd_dtype_kind((gnd_dtype)v->dtype) == 'c' && gnd_dtype_kind(t) != 'c')
        return gnd__fail(dev, GND_ERR_DTYPE, "interp: %s is complex, fp is not", arg);
    return NULL;
}

gnd_array *gnd_interp(gnd_array *x, gnd_array *xp, gnd_array *fp, gnd_array *left, gnd_array *right,
                      double period)
{
    gnd_device *dev;
    gnd_array *all[5] = {x, xp, fp}, *bad = gnd__check_strong(x, "interp", "x");
    int n = 3;
    if (bad || (bad = check_1d("interp", "xp", xp)) || (bad = check_1d("interp", "fp", fp)) ||
        (bad = check_real("interp", "x", x)) || (bad = check_real("interp", "xp", xp)))
        return bad;
    gnd_dtype real = gnd__device_float(x->dev),
              t = gnd_dtype_kind((gnd_dtype)fp->dtype) == 'c' ? gnd__complex_of(real) : real;
    if ((bad = check_end("left", left, x->dev, t)) || (bad = check_end("right", right, x->dev, t)))
        return bad;
    if (left)
        all[n++] = left;
    if (right)
        all[n++] = right;
    if ((bad = gnd__check_devices("interp", n, all, &dev)))
        return bad;
    if (xp->size != fp->size || xp->size == 0)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "interp: xp has %" PRId64 " elements, fp %" PRId64
                         ": as many are needed, and at least one",
                         xp->size, fp->size);
    if (!isfinite(period))
        return gnd__fail(dev, GND_ERR_ARG, "interp: the period is %g: a finite number is needed",
                         period);
    const gnd__inner in = gnd__enter("interp");
    return gnd__leave(in,
                      interpolated(gnd__as(x, real), gnd__as(xp, real), gnd__as(fp, t),
                                   left ? gnd__as_strong(left, dev, t, "interp") : NULL,
                                   right ? gnd__as_strong(right, dev, t, "interp") : NULL, period));
}
