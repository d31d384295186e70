/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/hist.c - counts of ints, and histograms in one and more dimensions. Elements are mapped
 * to bin numbers, which a primitive counts; elements outside get the number -1. With weights, the
 * bin numbers are the places where weights are accumulated.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/steps.h"
#include "ops/reduce/extent.h"
#include "graph/check.h"
#include "prim/accumulate.h"
#include "prim/search.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/search.h>
#include <gnd/view.h>

/* The most uniform bins whose numbers are computed. With more bins a computed number may be off by
 * more than one, so the edges are searched. */
#define MOST_BINS_F32 ((int64_t)1 << 19)
#define MOST_BINS_F64 ((int64_t)1 << 40)

/* The sums of w, cast to t, in n places; `place` (int64) has numbers of places. */
static gnd_array *sums_at(gnd_array *place, gnd_array *w, gnd_dtype t, int64_t n)
{
    w = gnd__as(w, t);
    if (gnd__is_bad(place) || gnd__is_bad(w))
        return gnd__is_bad(place) ? place : w;
    return gnd__accumulate_node(GND__ACC_ADD, place, w, NULL, n);
}

/* The same in n bins. Elements with bin number -1 are left out. */
static gnd_array *sums(gnd_array *at, gnd_array *w, gnd_dtype t, int64_t n)
{
    gnd_array *y = sums_at(gnd_where(gnd_less(at, gnd_int(0)), gnd_int(n), at), w, t, n + 1);
    return gnd__is_bad(y) ? y : gnd__part(y, 0, n);
}

static gnd_array *counts(gnd_array *at, int64_t n)
{
    return gnd__is_bad(at) ? at : gnd__tally_node(at, n);
}

static int is_whole(gnd_dtype t)
{
    return strchr("biu", gnd_dtype_kind(t)) != NULL;
}

/* --- bincount --------------------------------------------------------------------------------- */

static gnd_array *check_counted(const char *func, gnd_array *x, gnd_array *w, int64_t n)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *in[2] = {x, w}, *bad = gnd__check_strong(x, func, "x");
    if (bad || (w && (bad = gnd__check_strong(w, func, "weights"))) ||
        (bad = gnd__check_devices(func, w ? 2 : 1, in, &dev)))
        return bad;
    if (x->ndim != 1)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: x has shape %s: one dimension is needed", func,
                         gnd__shape_text(ta, x->ndim, x->dim));
    if (!is_whole((gnd_dtype)x->dtype))
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: x is %s: ints or bools are needed", func,
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if (w && (w->ndim != 1 || w->size != x->size))
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: weights has shape %s, x %s: the same is needed",
                         func, gnd__shape_text(tb, w->ndim, w->dim),
                         gnd__shape_text(ta, x->ndim, x->dim));
    if (w && gnd_dtype_kind((gnd_dtype)w->dtype) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: weights is %s: complex values are not possible here", func,
                         gnd_dtype_name((gnd_dtype)w->dtype));
    if (n < 0)
        return gnd__fail(dev, GND_ERR_ARG, "%s: %" PRId64 " bins", func, n);
    return gnd__check_shape(func, dev, GND_INT64, 1, &n);
}

/* within: 1: all elements are numbers of bins. */
static gnd_array *counted(gnd_array *x, gnd_array *w, int64_t n, int within)
{
    if (!w)
        return counts(x, n);
    gnd_array *i = gnd__as(x, GND_INT64), *last = gnd_int(n);
    if (within)
        return sums_at(i, w, gnd__device_float(x->dev), n);
    /* a uint64 beyond the range of int64 has become negative */
    i = gnd_where(gnd_logical_or(gnd_less(i, gnd_int(0)), gnd_greater_equal(i, last)), gnd_int(-1),
                  i);
    return sums(i, w, gnd__device_float(x->dev), n);
}

gnd_array *gnd_bincount_of(gnd_array *x, gnd_array *weights, int64_t length)
{
    gnd_array *bad = check_counted("bincount_of", x, weights, length);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("bincount_of");
    return gnd__leave(in, counted(x, weights, length, 0));
}

gnd_array *gnd_bincount(gnd_array *x, gnd_array *weights, int64_t minlength)
{
    int64_t low = 0, high = -1, n = minlength;
    gnd_array *y, *bad = check_counted("bincount", x, weights, minlength);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("bincount");
    bad = x->size ? gnd__extent("bincount", x, &low, &high) : NULL;
    if (!bad && high < 0 && x->dtype == GND_UINT64)
        bad =
            gnd__fail(x->dev, GND_ERR_OVERFLOW,
                      "bincount: x has %" PRIu64 ": so many bins are not possible", (uint64_t)high);
    if (!bad && low < 0)
        bad = gnd__fail(x->dev, GND_ERR_ARG, "bincount: x has %" PRId64 ": none may be negative",
                        low);
    if (!bad && high == INT64_MAX)
        bad = gnd__fail(x->dev, GND_ERR_OVERFLOW,
                        "bincount: x has %" PRId64 ": so many bins are not possible", high);
    if (!bad && high >= n)
        bad = gnd__check_shape("bincount", x->dev, GND_INT64, 1, (int64_t[]){n = high + 1});
    y = bad ? bad : counted(x, weights, n, 1);
    return gnd__leave(in, y);
}

/* --- edges ------------------------------------------------------------------------------------ */

/* The dtype of computed edges, to which x is cast. */
static gnd_dtype edge_dtype(const gnd_array *x)
{
    return is_whole((gnd_dtype)x->dtype) ? gnd__device_float(x->dev) : (gnd_dtype)x->dtype;
}

static gnd_array *check_values(const char *func, gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return bad;
    return gnd__fail(x->dev, GND_ERR_DTYPE, "%s: x is %s: complex values are not possible here",
                     func, gnd_dtype_name((gnd_dtype)x->dtype));
}

static gnd_array *check_bins(const char *func, gnd_array *x, int64_t bins, const double *range)
{
    if (bins < 1)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: %" PRId64 " bins: at least 1 is needed", func,
                         bins);
    if (range && !(isfinite(range[0]) && isfinite(range[1]) && range[0] <= range[1]))
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: the range %g to %g: finite numbers in order are needed", func,
                         range[0], range[1]);
    int64_t n = bins < INT64_MAX ? bins + 1 : bins;
    return gnd__check_shape(func, x->dev, GND_FLOAT64, 1, &n);
}

/* The ends of uniform bins: 0-d arrays of the edges' dtype, or weak scalars. */
typedef struct ends {
    gnd_array *low, *high;
} ends;

static ends ends_of(const char *func, gnd_array *x, const double *range)
{
    gnd_dtype t = edge_dtype(x);
    ends e;
    if (range || x->size == 0) {
        double low = range ? range[0] : 0, high = range ? range[1] : 1,
               wide = low == high ? 0.5 : 0;
        e.low = gnd_real(low - wide);
        e.high = gnd_real(high + wide);
        return e;
    }
    gnd_array *half = gnd_real(0.5), *low = gnd__as(gnd_min(x, GND_ALL, 0), t),
              *high = gnd__as(gnd_max(x, GND_ALL, 0), t), *same = gnd_equal(low, high);
    if (!is_whole((gnd_dtype)x->dtype))
        low = gnd__provided(low, gnd_logical_and(gnd_isfinite(low), gnd_isfinite(high)),
                            GND_ERR_ARG, func, "x has elements that are not finite: give a range");
    e.low = gnd_where(same, gnd_subtract(low, half), low);
    e.high = gnd_where(same, gnd_add(high, half), high);
    return e;
}

/* n + 1 edges. If the ends are arrays of the device, they are computed by NumPy's operations in the
 * dtype of the edges. */
static gnd_array *edges_between(gnd_array *x, ends e, int64_t n)
{
    gnd_dtype t = edge_dtype(x);
    int64_t count = n + 1;
    if (e.low->weak)
        return gnd_linspace(x->dev, e.low, e.high, count, 1, t);
    gnd_array *i = gnd__node(GND__IOTA, x->dev, GND_INT64, 1, &count, 0, NULL);
    gnd_array *y = gnd__as(i, t), *div = gnd_real((double)n), *delta = gnd_subtract(e.high, e.low);
    gnd_array *step = gnd_divide(delta, div);
    y = gnd_where(gnd_equal(step, gnd_int(0)), gnd_multiply(gnd_divide(y, div), delta),
                  gnd_multiply(y, step));
    y = gnd_add(y, e.low);
    return gnd_where(gnd_equal(i, gnd_int(n)), e.high, y);
}

gnd_array *gnd_histogram_bin_edges(gnd_array *x, int64_t bins, const double *range)
{
    const char *func = "histogram_bin_edges";
    gnd_array *bad = check_values(func, x);
    if (bad || (bad = check_bins(func, x, bins, range)))
        return bad;
    const gnd__inner in = gnd__enter("histogram_bin_edges");
    return gnd__leave(in, edges_between(x, ends_of(func, x, range), bins));
}

/* --- numbers of bins -------------------------------------------------------------------------- */

/* The bin numbers of x for given edges; -1 outside. */
static gnd_array *by_search(gnd_array *x, gnd_array *edges)
{
    const int64_t n = edges->size - 1;
    gnd_array *at = gnd_subtract(gnd_searchsorted(edges, x, GND_RIGHT, NULL), gnd_int(1));
    at = gnd_where(gnd_equal(x, gnd__element(edges, n)), gnd_int(n - 1), at);
    return gnd_where(gnd_greater_equal(at, gnd_int(n)), gnd_int(-1), at);
}

/* The bin numbers of x for n uniform bins; -1 outside. A comparison with the edges corrects
 * rounding, as in NumPy. */
static gnd_array *by_width(gnd_array *x, ends e, gnd_array *edges, int64_t n)
{
    gnd_dtype t = edge_dtype(x);
    if (t == GND_FLOAT16 || t == GND_BFLOAT16 ||
        n > (t == GND_FLOAT32 ? MOST_BINS_F32 : MOST_BINS_F64))
        return by_search(x, edges);
    x = gnd__as(x, t);
    gnd_array *span = gnd_subtract(e.high, e.low);
    gnd_array *f = gnd_multiply(gnd_divide(gnd_subtract(x, e.low), span), gnd_real((double)n));
    const gnd_dtype it = n < INT32_MAX ? GND_INT32 : GND_INT64; /* GPUs convert to int64 slowly */
    gnd_array *i = gnd_clip(gnd__as(f, it), gnd_int(0), gnd_int(n - 1));
    gnd_array *at = gnd__as(i, GND_INT64), *next = gnd__as(gnd_add(i, gnd_int(1)), GND_INT64);
    gnd_array *less = gnd_less(x, gnd__pick(edges, at));
    gnd_array *more = gnd_logical_and(gnd_greater_equal(x, gnd__pick(edges, next)),
                                      gnd_not_equal(i, gnd_int(n - 1)));
    i = gnd_add(gnd_subtract(i, gnd__as(less, it)), gnd__as(more, it));
    gnd_array *inside = gnd_logical_and(gnd_greater_equal(x, e.low), gnd_less_equal(x, e.high));
    return gnd__as(gnd_where(inside, i, gnd_int(-1)), GND_INT64);
}

static gnd_array *check_edges(const char *func, const gnd_array *x, gnd_array *edges)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(edges, func, "edges");
    if (bad || (bad = gnd__check_devices(func, 2, (gnd_array *[]){(gnd_array *)x, edges}, &dev)))
        return bad;
    if (edges->ndim != 1 || edges->size == 0)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "%s: edges has shape %s: one dimension and an element are needed", func,
                         gnd__shape_text(text, edges->ndim, edges->dim));
    if (gnd_dtype_kind((gnd_dtype)edges->dtype) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: edges is %s: complex values are not possible here", func,
                         gnd_dtype_name((gnd_dtype)edges->dtype));
    return NULL;
}

/* The counts of x in n uniform bins, and their edges, in one kernel. NULL: this dtype, number or
 * device has none. */
static gnd_array *counted_by_width(const char *func, gnd_array *x, int64_t n, const double *range,
                                   gnd_array **edges)
{
    const gnd_dtype t = edge_dtype(x);
    if ((t != GND_FLOAT32 && t != GND_FLOAT64) || x->size == 0 || !gnd__bins_pay(x->dev, n))
        return NULL;
    const ends e = ends_of(func, x, range);
    gnd_array *span = gnd_subtract(e.high, e.low);
    *edges = edges_between(x, e, n);
    if (gnd__is_bad(span) || gnd__is_bad(*edges))
        return gnd__is_bad(span) ? span : *edges;
    if (span->weak)
        span = gnd__filled(x->dev, t, 0, NULL, &span->p.value);
    x = gnd__as(gnd__flat(x), t);
    return gnd__is_bad(x) ? x : gnd__bins_node(x, *edges, span);
}

/* The bins of x along one dimension: their edges, and the bin number of each element. */
static gnd_array *binned(const char *func, gnd_array *x, int64_t bins, const double *range,
                         gnd_array *given, gnd_array **edges)
{
    if (!given) {
        ends e = ends_of(func, x, range);
        *edges = edges_between(x, e, bins);
        return by_width(x, e, *edges, bins);
    }
    *edges = gnd__same(given);
    if (given->size < 2) { /* there is no bin */
        gnd__scalar none = {.kind = 'i', .i = -1};
        return gnd__filled(x->dev, GND_INT64, x->ndim, x->dim, &none);
    }
    gnd_array *before = gnd__part(given, 0, given->size - 1),
              *after = gnd__part(given, 1, given->size - 1);
    return gnd__provided(by_search(x, given), gnd_logical_not(gnd_greater(before, after)),
                         GND_ERR_ARG, func, "the edges must increase");
}

/* --- histograms ------------------------------------------------------------------------------- */

static gnd_array *check_weights(const char *func, const gnd_array *x, gnd_array *w)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(w, func, "weights");
    if (bad || (bad = gnd__check_devices(func, 2, (gnd_array *[]){(gnd_array *)x, w}, &dev)))
        return bad;
    if (w->ndim == x->ndim && !memcmp(w->dim, x->dim, (size_t)x->ndim * sizeof *w->dim))
        return NULL;
    return gnd__fail(dev, GND_ERR_SHAPE, "%s: weights has shape %s, x %s: the same is needed", func,
                     gnd__shape_text(tb, w->ndim, w->dim), gnd__shape_text(ta, x->ndim, x->dim));
}

/* The contents of n bins: counts, or sums of weights in the weights' dtype. */
static gnd_array *contents(gnd_array *at, gnd_array *w, int64_t n)
{
    if (!w)
        return counts(at, n);
    gnd_dtype t = (gnd_dtype)w->dtype, wide = t;
    if (is_whole(t))
        wide = gnd_dtype_kind(t) == 'u' ? GND_UINT64 : GND_INT64;
    gnd_array *s = sums(at, w, wide, n);
    return t == GND_BOOL ? s : gnd__as(s, t);
}

static gnd_array *widths(gnd_array *edges, gnd_dtype t)
{
    if (gnd__is_bad(edges))
        return edges;
    const int64_t n = edges->size - 1;
    return gnd__as(gnd_subtract(gnd__part(edges, 1, n), gnd__part(edges, 0, n)), t);
}

static gnd_dtype density_dtype(const gnd_array *h)
{
    gnd_dtype real = gnd__device_float(h->dev);
    return gnd_dtype_kind((gnd_dtype)h->dtype) == 'c' ? gnd__complex_of(real) : real;
}

gnd_status gnd_histogram(gnd_array *x, int64_t bins, const double *range, gnd_array *edges,
                         gnd_array *weights, unsigned flags, gnd_array **out)
{
    const char *func = "histogram";
    gnd_array *bad = check_values(func, x);
    if (!bad && flags & ~GND_DENSITY)
        bad = gnd__fail(x->dev, GND_ERR_ARG, "%s: flags %#x: 0 and GND_DENSITY are possible", func,
                        flags);
    if (!bad)
        bad = edges ? check_edges(func, x, edges) : check_bins(func, x, bins, range);
    if (!bad && weights)
        bad = check_weights(func, x, weights);
    if (!bad && !out)
        bad = gnd__fail(x->dev, GND_ERR_NULL, "%s: out is NULL", func);
    if (bad)
        return gnd__give_bad(bad, 2, out);
    const gnd__inner in = gnd__enter(func);
    gnd_array *h = edges || weights ? NULL : counted_by_width(func, x, bins, range, &out[1]);
    if (!h) {
        gnd_array *at = binned(func, x, bins, range, edges, &out[1]);
        h = contents(at, weights, edges ? edges->size - 1 : bins);
    }
    if (flags & GND_DENSITY && !gnd__is_bad(h)) {
        gnd_array *d = gnd__as(h, density_dtype(h));
        d = gnd_divide(d, widths(out[1], gnd__device_float(x->dev)));
        h = gnd_divide(d, gnd_sum(h, GND_ALL, 0));
    }
    out[0] = h;
    return gnd__give(in, func, 2, out);
}

/* --- in several dimensions -------------------------------------------------------------------- */

static gnd_array *check_dd(const char *func, int n, gnd_array *const *x, const int64_t *bins,
                           const double *range, gnd_array *const *edges, gnd_array *weights,
                           unsigned flags, int64_t *dim)
{
    gnd_array *bad = NULL;
    if (n < 1 || n > GND_MAX_NDIM)
        return gnd__fail(NULL, GND_ERR_ARG, "%s: %d dimensions: 1 to %d are possible", func, n,
                         GND_MAX_NDIM);
    if (!x)
        return gnd__fail(NULL, GND_ERR_NULL, "%s: x is NULL", func);
    for (int i = 0; i < n && !bad; i++) {
        bad = check_values(func, x[i]);
        if (!bad && (x[i]->ndim != 1 || x[i]->size != x[0]->size))
            bad = gnd__fail(x[i]->dev, GND_ERR_SHAPE,
                            "%s: the coordinates must be 1-d arrays of one length", func);
        gnd_array *e = edges ? edges[i] : NULL;
        if (!bad && !e && !bins)
            bad = gnd__fail(x[i]->dev, GND_ERR_NULL, "%s: neither bins nor edges for dimension %d",
                            func, i);
        if (!bad)
            bad = e ? check_edges(func, x[0], e)
                    : check_bins(func, x[i], bins[i], range ? range + 2 * i : NULL);
        if (!bad)
            dim[i] = e ? e->size - 1 : bins[i];
    }
    gnd_device *dev;
    if (bad || (bad = gnd__check_devices(func, n, x, &dev)) ||
        (weights && (bad = check_weights(func, x[0], weights))))
        return bad;
    if (flags & ~GND_DENSITY)
        return gnd__fail(dev, GND_ERR_ARG, "%s: flags %#x: 0 and GND_DENSITY are possible", func,
                         flags);
    return gnd__check_shape(func, dev, GND_COMPLEX128, n, dim);
}

gnd_status gnd_histogramdd(int n, gnd_array *const *x, const int64_t *bins, const double *range,
                           gnd_array *const *edges, gnd_array *weights, unsigned flags,
                           gnd_array **out)
{
    const char *func = "histogramdd";
    int64_t dim[GND_MAX_NDIM];
    gnd_array *bad = check_dd(func, n, x, bins, range, edges, weights, flags, dim), *at = NULL;
    if (!bad && !out)
        bad = gnd__fail(x[0]->dev, GND_ERR_NULL, "%s: out is NULL", func);
    if (bad)
        return gnd__give_bad(bad, n < 1 || n > GND_MAX_NDIM ? 1 : n + 1, out);
    const gnd__inner in = gnd__enter(func);
    /* all coordinates are promoted to one dtype, because in NumPy they are rows of one array */
    gnd_dtype t = gnd__common_dtype(x[0]->dev, n, x);
    for (int i = 0; i < n; i++) {
        gnd_array *k = binned(func, gnd__as(x[i], t), dim[i], range ? range + 2 * i : NULL,
                              edges ? edges[i] : NULL, &out[i + 1]);
        gnd_array *outside =
            i ? gnd_logical_or(gnd_less(at, gnd_int(0)), gnd_less(k, gnd_int(0))) : NULL;
        at = i ? gnd_where(outside, gnd_int(-1), gnd_add(gnd_multiply(at, gnd_int(dim[i])), k)) : k;
    }
    gnd_array *h = contents(at, weights, gnd__shape_size(n, dim, 1));
    if (!gnd__is_bad(h))
        h = gnd__reshaped(gnd__as(h, density_dtype(h)), n, dim);
    if (flags & GND_DENSITY && !gnd__is_bad(h)) {
        gnd_array *all = gnd_sum(h, GND_ALL, 0);
        for (int i = 0; i < n; i++) {
            gnd_array *w = widths(out[i + 1], gnd__device_float(x[0]->dev));
            if (!gnd__is_bad(w))
                w = gnd__expanded(w, (uint32_t)(((uint64_t)1 << (n - 1 - i)) - 1) << 1);
            h = gnd_divide(h, w);
        }
        h = gnd_divide(h, all);
    }
    out[0] = h;
    return gnd__give(in, func, n + 1, out);
}
