/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/image.c - rank filters in windows, and grey morphology. x is padded and viewed as its
 * windows. Minimum and maximum are reductions along one axis after the other; other ranks sort the
 * windows.
 */
#include <inttypes.h>
#include <string.h>
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/image.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>
#include <gnd/sort.h>
#include <gnd/stat.h>
#include <gnd/view.h>

/* The windows of a filter; the filter's origin is element before[d] of a window. */
typedef struct windows {
    const char *func;
    int64_t size[GND_MAX_NDIM], before[GND_MAX_NDIM];
    int64_t count; /* elements of a window */
    gnd_border border;
    gnd_array *fill;
} windows;

typedef gnd_array *reduction(gnd_array *, gnd_axes, unsigned);

/* Checks the arguments and fills w. Returns an error, or NULL. */
static gnd_array *check(windows *w, gnd_array *x, int n, const int64_t *size)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, w->func, "x");
    if (bad)
        return bad;
    if (gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "%s: %s: complex numbers have no order", w->func,
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if ((unsigned)w->border > GND_BORDER_WRAP)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: border is %d, not GND_BORDER_REFLECT to GND_BORDER_WRAP", w->func,
                         (int)w->border);
    if (n != 1 && n != x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: %d sizes for shape %s: one is needed, or one for each axis", w->func,
                         n, gnd__shape_text(text, x->ndim, x->dim));
    if (!size && n)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: the list of sizes is NULL", w->func);
    w->count = 1;
    for (int i = 0; i < n; i++)
        if (size[i] < 1)
            return gnd__fail(x->dev, GND_ERR_ARG,
                             "%s: a window of %" PRId64 " elements along axis %d", w->func, size[i],
                             i);
    for (int d = 0; d < x->ndim; d++) {
        w->size[d] = size[n == 1 ? 0 : d];
        w->before[d] = w->size[d] / 2;
        if (__builtin_mul_overflow(w->count, w->size[d], &w->count))
            return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                             "%s: the elements of one window do not fit 64 bits", w->func);
    }
    if (!w->fill)
        return NULL;
    if ((bad = gnd__check(w->fill, w->func, "fill")))
        return bad;
    if (w->fill->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: a fill of shape %s: one number is needed",
                         w->func, gnd__shape_text(text, w->fill->ndim, w->fill->dim));
    if (w->fill->dev && w->fill->dev != x->dev)
        return gnd__fail(x->dev, GND_ERR_DEVICE,
                         "%s: arrays of two devices: move one with gnd_to_device", w->func);
    return NULL;
}

/* x extended beyond its edges, along the axes in mask, by the elements that its windows contain. */
static gnd_array *padded(const windows *w, gnd_array *x, uint32_t mask)
{
    static const char *const mode[] = {"symmetric", "constant", "edge", "reflect", "wrap"};
    int64_t width[2 * GND_MAX_NDIM];
    gnd_array *values[2 * GND_MAX_NDIM];
    gnd_pad_options opt = {.values = w->border == GND_BORDER_CONSTANT && w->fill ? values : NULL};
    for (int d = 0; d < x->ndim; d++) {
        const int in = (int)(mask >> d & 1);
        width[2 * d] = in ? w->before[d] : 0;
        width[2 * d + 1] = in ? w->size[d] - 1 - w->before[d] : 0;
        values[2 * d] = values[2 * d + 1] = w->fill;
    }
    return gnd_pad(x, width, mode[w->border], &opt);
}

/* Reduces each window of x to one element, one axis after the other. */
static gnd_array *boxes(const windows *w, gnd_array *x, reduction *f)
{
    for (int d = 0; d < x->ndim && x->kind != GND__ERROR; d++) {
        if (w->size[d] == 1 || !x->size)
            continue;
        gnd_array *wide = padded(w, x, UINT32_C(1) << d);
        x = f(gnd_sliding_window_view(wide, 1, &w->size[d], &d), GND_AXIS(-1), 0);
    }
    return x;
}

/* Element `rank` of each window, in order. */
static gnd_array *sorted(const windows *w, gnd_array *x, int64_t rank)
{
    int64_t size[GND_MAX_NDIM], dim[GND_MAX_NDIM];
    int axis[GND_MAX_NDIM], n = 0;
    uint32_t mask = 0;
    for (int d = 0; d < x->ndim; d++) {
        dim[d] = x->dim[d];
        if (w->size[d] == 1)
            continue;
        size[n] = w->size[d];
        axis[n++] = d;
        mask |= UINT32_C(1) << d;
    }
    if (x->ndim == GND_MAX_NDIM)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: %d dimensions: one more is needed for the windows", w->func, x->ndim);
    dim[x->ndim] = w->count;
    gnd_array *all = gnd_sliding_window_view(padded(w, x, mask), n, size, axis);
    gnd_array *rows = gnd_reshape(all, x->ndim + 1, dim);
    return gnd_squeeze(gnd_slice(gnd_partition(rows, 1, &rank, -1), -1, rank, rank + 1),
                       GND_AXIS(-1));
}

/* --- by rank ---------------------------------------------------------------------------------- */

/* The filter of rank `rank`, 0 <= rank < w->count; w is checked. */
static gnd_array *ranked(const windows *w, gnd_array *x, int64_t rank)
{
    const gnd__inner in = gnd__enter(w->func);
    if (!x->size || w->count == 1)
        return gnd__leave(in, x);
    return gnd__leave(in, rank == w->count - 1 ? boxes(w, x, gnd_max)
                          : rank == 0          ? boxes(w, x, gnd_nanmin)
                                               : sorted(w, x, rank));
}

gnd_array *gnd_rank_filter(gnd_array *x, int64_t rank, int n, const int64_t *size,
                           gnd_border border, gnd_array *fill)
{
    windows w = {.func = "rank_filter", .border = border, .fill = fill};
    gnd_array *bad = check(&w, x, n, size);
    if (bad)
        return bad;
    if (rank < -w.count || rank >= w.count)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "rank_filter: rank %" PRId64 " of windows of %" PRId64 " elements", rank,
                         w.count);
    return ranked(&w, x, rank < 0 ? rank + w.count : rank);
}

gnd_array *gnd_median_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                             gnd_array *fill)
{
    windows w = {.func = "median_filter", .border = border, .fill = fill};
    gnd_array *bad = check(&w, x, n, size);
    return bad ? bad : ranked(&w, x, w.count / 2);
}

gnd_array *gnd_percentile_filter(gnd_array *x, double percentile, int n, const int64_t *size,
                                 gnd_border border, gnd_array *fill)
{
    windows w = {.func = "percentile_filter", .border = border, .fill = fill};
    gnd_array *bad = check(&w, x, n, size);
    if (bad)
        return bad;
    if (!(percentile >= -100 && percentile <= 100))
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "percentile_filter: percentile %g is not in -100 .. 100", percentile);
    if (percentile < 0)
        percentile += 100;
    const int64_t last = w.count - 1;
    const int64_t rank = percentile < 100 ? (int64_t)((double)w.count * percentile / 100) : last;
    return ranked(&w, x, rank < last ? rank : last);
}

/* --- the smallest and the greatest ------------------------------------------------------------ */

static gnd_array *box(const char *func, gnd_array *x, int n, const int64_t *size, gnd_border border,
                      gnd_array *fill, const char *steps)
{
    windows w = {.func = func, .border = border, .fill = fill};
    gnd_array *y = check(&w, x, n, size);
    if (y)
        return y;
    const gnd__inner in = gnd__enter(func);
    y = x;
    for (; *steps && y->kind != GND__ERROR; steps++) {
        for (int d = 0; d < x->ndim; d++) /* 'd', dilation: the window is mirrored */
            w.before[d] = *steps == 'd' ? w.size[d] - 1 - w.size[d] / 2 : w.size[d] / 2;
        y = boxes(&w, y, *steps == 'e' ? gnd_min : gnd_max);
    }
    return gnd__leave(in, y);
}

gnd_array *gnd_minimum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                              gnd_array *fill)
{
    return box("minimum_filter", x, n, size, border, fill, "e");
}

gnd_array *gnd_maximum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                              gnd_array *fill)
{
    return box("maximum_filter", x, n, size, border, fill, "m");
}

gnd_array *gnd_grey_erosion(gnd_array *x, int n, const int64_t *size, gnd_border border,
                            gnd_array *fill)
{
    return box("grey_erosion", x, n, size, border, fill, "e");
}

gnd_array *gnd_grey_dilation(gnd_array *x, int n, const int64_t *size, gnd_border border,
                             gnd_array *fill)
{
    return box("grey_dilation", x, n, size, border, fill, "d");
}

gnd_array *gnd_grey_opening(gnd_array *x, int n, const int64_t *size, gnd_border border,
                            gnd_array *fill)
{
    return box("grey_opening", x, n, size, border, fill, "ed");
}

gnd_array *gnd_grey_closing(gnd_array *x, int n, const int64_t *size, gnd_border border,
                            gnd_array *fill)
{
    return box("grey_closing", x, n, size, border, fill, "de");
}
