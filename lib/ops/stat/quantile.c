/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/quantile.c - medians and quantiles: rows are sorted, and elements are taken at the
 * positions that the method defines; of few long rows on a CPU these elements are found without a
 * sort. Positions are arrays or weak scalars, which fold on the host: an ordinary quantile is a
 * sort and one kernel.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"
#include "prim/ranks.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/quantile.h>
#include <gnd/reduce.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* A call: its arguments, and the arrays that its steps share. */
typedef struct asked {
    const char *func;
    gnd_array *x;
    uint32_t mask; /* bits: the reduced axes */
    unsigned flags;
    int nan;           /* NaN is skipped */
    int64_t rows, n;   /* x as a matrix with a row for each result */
    gnd_array *matrix; /* x so, whose rows the places count as sorted */
    /* elements of each row that count: a weak scalar, or (rows,) of the default float */
    gnd_array *count;
    gnd_array *q; /* a weak scalar, or (nq, 1) */
    int64_t nq;
} asked;

static int is_float(gnd_dtype t)
{
    return gnd_dtype_kind(t) == 'f' || gnd_dtype_kind(t) == 'c';
}

/* x as a matrix whose rows are the axes of the mask. */
static gnd_array *as_rows(gnd_array *x, uint32_t mask, int64_t rows, int64_t n)
{
    int perm[GND_MAX_NDIM], k = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < x->ndim; i++)
            if ((int)(mask >> i & 1) == pass)
                perm[k++] = i;
    gnd_array *y = x->ndim ? gnd_permute_dims(x, perm) : x;
    return gnd__is_bad(y) ? y : gnd__reshaped(y, 2, (int64_t[]){rows, n});
}

static void take_rows(asked *a)
{
    gnd_array *m = a->matrix = as_rows(a->x, a->mask, a->rows, a->n);
    a->count = gnd_real((double)a->n);
    if (a->nan && is_float((gnd_dtype)a->x->dtype) && !gnd__is_bad(m))
        a->count = gnd__as(gnd_count_nonzero(gnd_logical_not(gnd_isnan(m)), GND_AXIS(1), 0),
                           gnd__device_float(a->x->dev));
}

/* The position `at`, a weak scalar or an array, of shape (nq, rows). */
static gnd_array *placed(const asked *a, gnd_array *at)
{
    at = gnd__is_bad(at) ? at : gnd__as_strong(at, a->x->dev, GND_INT64, a->func);
    return gnd__is_bad(at) ? at : gnd__broadcast(at, 2, (int64_t[]){a->nq, a->rows});
}

enum { MOST_PLACES = 3 };

/* Replaces n positions by the elements of each row there in ascending order, shape (nq, rows). */
static void take(const asked *a, int n, gnd_array **at)
{
    static const gnd__gather how = {{1, -1}, {0, 1}};
    const int64_t dim[2] = {a->nq, a->rows};
    gnd_array *m = a->matrix;
    for (int i = 0; i < n; i++) {
        at[i] = placed(a, at[i]);
        if (gnd__is_bad(at[i]))
            m = at[i];
    }
    if (gnd__is_bad(m)) {
        for (int i = 0; i < n; i++)
            at[i] = m;
    } else if (gnd__ranks_pay(m->dev, (gnd_dtype)m->dtype, a->n, n * a->nq)) {
        gnd_array *all = gnd_concat(n, at, 0),
                  *y = gnd__is_bad(all) ? all : gnd__ranks_node(m, all, 0);
        for (int i = 0; i < n; i++)
            at[i] = gnd__is_bad(y) ? y : gnd__part(y, i * a->nq, a->nq);
    } else {
        gnd_array *sorted = gnd_sort(m, -1, 0);
        for (int i = 0; i < n; i++)
            at[i] = gnd__is_bad(sorted) ? sorted : gnd__take_node(sorted, 1, &at[i], 2, dim, &how);
    }
}

/* Limits a position to the elements of its row. */
static gnd_array *within(const asked *a, gnd_array *at)
{
    gnd_array *last = gnd_maximum(gnd_subtract(a->count, gnd_int(1)), gnd_int(0));
    return gnd_minimum(gnd_maximum(at, gnd_int(0)), last);
}

/* Whether NaN in a row gives NaN: the last element of a row tells. */
static int shows_nan(const asked *a)
{
    return !a->nan && is_float((gnd_dtype)a->x->dtype);
}

/* y with NaN for rows whose last element is NaN. */
static gnd_array *with_nan(const asked *a, gnd_array *y, gnd_array *last)
{
    if (!shows_nan(a) || gnd__is_bad(y))
        return y;
    gnd_array *end = gnd__as(last, (gnd_dtype)y->dtype);
    return gnd_where(gnd_isnan(last), end, y);
}

/* y, (nq, rows), in the shape of the result: the axes of q, then the kept axes of x. */
static gnd_array *shaped(const asked *a, gnd_array *y, const gnd_array *q)
{
    int64_t dim[2 * GND_MAX_NDIM];
    int n = q && !q->weak ? q->ndim : 0;
    if (gnd__is_bad(y))
        return y;
    if (n)
        memcpy(dim, q->dim, (size_t)n * sizeof *dim);
    n += gnd__reduced_dims(a->x, a->mask, a->flags, dim + n);
    if (n > GND_MAX_NDIM)
        return gnd__fail(a->x->dev, GND_ERR_SHAPE,
                         "%s: the result has %d dimensions: 0 to %d are possible", a->func, n,
                         GND_MAX_NDIM);
    return gnd__reshaped(y, n, dim);
}

/* The quantile of an empty array: NaN of dtype t. */
static gnd_array *of_nothing(const asked *a, gnd_dtype t)
{
    char text[GND__SHAPE_TEXT];
    gnd__scalar v = {.kind = gnd_dtype_kind(t), .re = NAN};
    if (a->rows && a->nq && !is_float(t))
        return gnd__fail(a->x->dev, GND_ERR_SHAPE, "%s: a zero-size array has none (shape %s)",
                         a->func, gnd__shape_text(text, a->x->ndim, a->x->dim));
    if (!is_float(t))
        v.i = 0;
    return gnd__filled(a->x->dev, t, 2, (int64_t[]){a->nq, a->rows}, &v);
}

static void sizes(asked *a)
{
    a->n = gnd__count_of(a->x, a->mask);
    a->rows = 1;
    for (int i = 0; i < a->x->ndim; i++)
        if (!(a->mask >> i & 1))
            a->rows *= a->x->dim[i];
}

/* --- medians ---------------------------------------------------------------------------------- */

static gnd_array *middle(asked *a)
{
    const gnd_dtype t = gnd__mean_float(a->x->dev, (gnd_dtype)a->x->dtype),
                    wide = gnd__wide_float(a->x->dev, (gnd_dtype)a->x->dtype);
    if (a->n == 0 || a->rows == 0)
        return of_nothing(a, t);
    take_rows(a);
    const int odd = a->count->weak && a->n % 2;
    gnd_array *two = gnd_int(2), *one = gnd_int(1);
    gnd_array *i = gnd_floor(gnd_divide(gnd_subtract(a->count, one), two)),
              *k = gnd_floor(gnd_divide(a->count, two));
    gnd_array *at[MOST_PLACES] = {within(a, i), NULL, NULL};
    int n = 1;
    if (shows_nan(a))
        at[n++] = gnd_int(a->n - 1);
    if (!odd)
        at[n++] = within(a, k);
    take(a, n, at);
    gnd_array *low = gnd__as(at[0], wide), *mean = low;
    if (!odd)
        mean = gnd_where(gnd_equal(i, k), low,
                         gnd_divide(gnd_add(low, gnd__as(at[n - 1], wide)), two));
    return with_nan(a, gnd__as(mean, t), at[1]);
}

static gnd_array *median(const char *func, gnd_array *x, gnd_axes axes, unsigned flags, int nan)
{
    asked a = {.func = func, .x = x, .flags = flags, .nan = nan, .nq = 1};
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &a.mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    sizes(&a);
    return gnd__leave(in, shaped(&a, middle(&a), NULL));
}

gnd_array *gnd_median(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return median("median", x, axes, flags, 0);
}

gnd_array *gnd_nanmedian(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return median("nanmedian", x, axes, flags, 1);
}

/* --- quantiles -------------------------------------------------------------------------------- */

static int takes_one(gnd_quantile_method m)
{
    return m == GND_Q_LOWER || m == GND_Q_HIGHER || m == GND_Q_NEAREST || m == GND_Q_INVERTED_CDF ||
           m == GND_Q_CLOSEST_OBSERVATION;
}

/* q n + (alpha + q (1 - alpha - beta)) - 1, in NumPy's order of operations. */
static gnd_array *place_of(const asked *a, double alpha, double beta)
{
    gnd_array *c = gnd_add(gnd_real(alpha), gnd_multiply(a->q, gnd_real(1 - alpha - beta)));
    return gnd_subtract(gnd_add(gnd_multiply(a->count, a->q), c), gnd_int(1));
}

/* The position that method m selects, with a fraction if it interpolates between two elements. */
static gnd_array *place(const asked *a, gnd_quantile_method m)
{
    gnd_array *one = gnd_int(1), *v = gnd_multiply(gnd_subtract(a->count, one), a->q), *f, *even;
    switch (m) {
    case GND_Q_LOWER: return gnd_floor(v);
    case GND_Q_HIGHER: return gnd_ceil(v);
    case GND_Q_NEAREST: return gnd_round(v);
    case GND_Q_MIDPOINT: return gnd_multiply(gnd_real(0.5), gnd_add(gnd_floor(v), gnd_ceil(v)));
    case GND_Q_INVERTED_CDF: return gnd_ceil(gnd_subtract(gnd_multiply(a->count, a->q), one));
    case GND_Q_CLOSEST_OBSERVATION:
        /* halfway between two elements: the one whose number, counted from 1, is even */
        v = gnd_subtract(gnd_subtract(gnd_multiply(a->count, a->q), one), gnd_real(0.5));
        f = gnd_floor(v);
        even = gnd_logical_and(gnd_equal(v, f), gnd_equal(gnd_remainder(f, gnd_int(2)), one));
        return gnd_where(even, f, gnd_add(f, one));
    case GND_Q_AVERAGED_INVERTED_CDF: return gnd_subtract(gnd_multiply(a->count, a->q), one);
    case GND_Q_INTERPOLATED_INVERTED_CDF: return place_of(a, 0, 1);
    case GND_Q_HAZEN: return place_of(a, 0.5, 0.5);
    case GND_Q_WEIBULL: return place_of(a, 0, 0);
    case GND_Q_MEDIAN_UNBIASED: return place_of(a, 1.0 / 3, 1.0 / 3);
    case GND_Q_NORMAL_UNBIASED: return place_of(a, 3.0 / 8, 3.0 / 8);
    default: return v;
    }
}

/* low + g (high - low), computed from the nearer end; exact at both ends. */
static gnd_array *between(gnd_array *low, gnd_array *high, gnd_array *g, gnd_dtype t)
{
    gnd_array *d = gnd_subtract(high, low), *one = gnd_int(1);
    if (!gnd__is_bad(g) && !g->weak)
        g = gnd__as(g, t);
    gnd_array *up = gnd_add(low, gnd_multiply(d, g));
    gnd_array *down = gnd_subtract(high, gnd_multiply(d, gnd_subtract(one, g)));
    gnd_array *y = gnd_where(gnd_greater_equal(g, gnd_real(0.5)), down, up);
    return gnd_where(gnd_logical_or(gnd_equal(low, high), gnd_equal(g, gnd_int(0))), low, y);
}

static gnd_array *quantiles(asked *a, gnd_quantile_method m, gnd_dtype t)
{
    if (a->n == 0 || a->rows == 0 || a->nq == 0)
        return of_nothing(a, t);
    take_rows(a);
    gnd_array *v = place(a, m), *at[MOST_PLACES] = {NULL, NULL, NULL};
    int n = 1;
    if (shows_nan(a))
        at[n++] = gnd_int(a->n - 1);
    if (takes_one(m)) {
        at[0] = within(a, v);
        take(a, n, at);
        return with_nan(a, at[0], at[1]);
    }
    const gnd_dtype wide = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    gnd_array *i = gnd_floor(v), *g = gnd_subtract(v, i), *whole = gnd_equal(g, gnd_int(0));
    if (m == GND_Q_AVERAGED_INVERTED_CDF)
        g = gnd_where(whole, gnd_real(0.5), gnd_real(1));
    const int exact = !gnd__is_bad(g) && g->weak && g->p.value.re == 0;
    at[0] = within(a, i);
    if (!exact) {
        gnd_array *k = gnd_where(gnd_less(v, gnd_int(0)), gnd_int(0), gnd_add(i, gnd_int(1)));
        at[n++] = within(a, k);
    }
    take(a, n, at);
    gnd_array *low = gnd__as(at[0], wide);
    if (exact)
        return with_nan(a, gnd__as(low, t), at[1]);
    return with_nan(a, gnd__as(between(low, gnd__as(at[n - 1], wide), g, wide), t), at[1]);
}

static gnd_array *check_q(const char *func, gnd_array *q, double most, gnd_device *dev)
{
    gnd_array *bad = gnd__check(q, func, "q");
    gnd_device *both;
    if (bad)
        return bad;
    if (!q->weak && (bad = gnd__check_strong(q, func, "q")))
        return bad;
    if (!q->weak && q->dev != dev && (bad = gnd__check_devices(func, 1, &q, &both)))
        return bad;
    if (gnd_dtype_kind((gnd_dtype)q->dtype) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: q is complex", func);
    if (q->weak) {
        const gnd__scalar *w = &q->p.value;
        double v = w->kind == 'f' ? w->re : w->kind == 'u' ? (double)w->u : (double)w->i;
        if (!(v >= 0 && v <= most))
            return gnd__fail(dev, GND_ERR_ARG, "%s: q is %g: it must be from 0 to %g", func, v,
                             most);
    }
    return NULL;
}

/* q / most, quantiles from 0 to 1: a weak float or a column. */
static gnd_array *column(const char *func, gnd_array *q, double most, gnd_device *dev)
{
    if (q->weak)
        return gnd_divide(gnd_multiply(q, gnd_real(1)), gnd_real(most));
    const int64_t dim[2] = {q->size, 1};
    const gnd_dtype t = gnd__wide_float(dev, (gnd_dtype)q->dtype);
    gnd_array *c = gnd__as(gnd__reshaped(q, 2, dim), t);
    gnd_array *ok =
        gnd_logical_and(gnd_greater_equal(c, gnd_int(0)), gnd_less_equal(c, gnd_real(most)));
    if (q->size)
        c = gnd__provided(c, ok, GND_ERR_ARG, func,
                          most == 1 ? "q must be from 0 to 1" : "q must be from 0 to 100");
    return most == 1 ? c : gnd_divide(c, gnd_real(most));
}

static gnd_array *quantile(const char *func, gnd_array *x, gnd_array *q, gnd_axes axes,
                           unsigned flags, gnd_quantile_method m, double most, int nan)
{
    asked a = {.func = func, .x = x, .flags = flags, .nan = nan};
    gnd_device *dev;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &a.mask);
    if (bad || (bad = check_q(func, q, most, x->dev)) ||
        (bad = gnd__check_devices(func, 2, (gnd_array *[]){x, q}, &dev)))
        return bad;
    if (gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: %s is not allowed: complex values have no quantiles", func,
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if ((int)m < 0 || m >= GND_Q_METHODS)
        return gnd__fail(dev, GND_ERR_ARG, "%s: %d is no method", func, (int)m);
    gnd_dtype t = (gnd_dtype)x->dtype;
    if (!takes_one(m)) {
        t = gnd__mean_float(dev, t);
        /* q / 100 is a float of q's dtype and t. */
        if (!q->weak && (most != 1 || gnd_dtype_kind((gnd_dtype)q->dtype) == 'f'))
            t = gnd__within(dev, gnd_promote(t, (gnd_dtype)q->dtype));
    }
    const gnd__inner in = gnd__enter(func);
    sizes(&a);
    a.nq = q->weak ? 1 : q->size;
    a.q = column(func, q, most, dev);
    return gnd__leave(in, shaped(&a, quantiles(&a, m, t), q));
}

gnd_array *gnd_quantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                        gnd_quantile_method method)
{
    return quantile("quantile", x, q, axes, flags, method, 1, 0);
}

gnd_array *gnd_nanquantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                           gnd_quantile_method method)
{
    return quantile("nanquantile", x, q, axes, flags, method, 1, 1);
}

gnd_array *gnd_percentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                          gnd_quantile_method method)
{
    return quantile("percentile", x, q, axes, flags, method, 100, 0);
}

gnd_array *gnd_nanpercentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                             gnd_quantile_method method)
{
    return quantile("nanpercentile", x, q, axes, flags, method, 100, 1);
}
