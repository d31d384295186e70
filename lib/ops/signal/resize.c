/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/resize.c - resizes images and arrays of any number of dimensions. One axis after the
 * other: an element of the result is a weighted sum of the elements near its position. Positions
 * and weights are computed on the host in double, the sums on the device, in a kernel that also
 * gathers the elements.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/image.h>
#include <gnd/index.h>
#include <gnd/reduce.h>

/* The weight at distance d: a triangle, or Keys' cubic with a = -1/2 (R. G. Keys, "Cubic
 * convolution interpolation for digital image processing", 1981). */
static double weight(gnd_interpolation how, double d)
{
    d = fabs(d);
    if (how == GND_INTERPOLATE_LINEAR)
        return d < 1 ? 1 - d : 0;
    return d < 1 ? (1.5 * d - 2.5) * d * d + 1 : d < 2 ? ((-0.5 * d + 2.5) * d - 4) * d + 2 : 0;
}

/* The indices and the weights of m results from n elements, `taps` of each per result. Indices
 * beyond the ends have weight 0, and the weights of each result sum to 1. */
static void fill(gnd_interpolation how, int64_t n, int64_t m, double wide, int64_t taps,
                 int64_t *place, double *w)
{
    const double reach = how == GND_INTERPOLATE_LINEAR ? wide : 2 * wide;
    for (int64_t j = 0; j < m; j++, place += taps, w += taps) {
        const double at = ((double)j + 0.5) * (double)n / (double)m - 0.5;
        const int64_t first = (int64_t)ceil(at - reach);
        double sum = 0;
        for (int64_t k = 0; k < taps; k++) {
            const int64_t i = first + k;
            place[k] = i < 0 ? 0 : i >= n ? n - 1 : i;
            w[k] = i < 0 || i >= n ? 0 : weight(how, (at - (double)i) / wide);
            sum += w[k];
        }
        for (int64_t k = 0; k < taps; k++)
            w[k] /= sum;
    }
}

/* Resizes axis d of x to m elements by weighted sums, in the dtype to compute in. Called in a
 * scope.
 */
static gnd_array *weighted(gnd_array *x, int d, int64_t m, gnd_interpolation how, int antialias)
{
    const int64_t n = x->dim[d];
    const double wide = antialias && m < n ? (double)n / (double)m : 1;
    const double reach = ceil(2 * (how == GND_INTERPOLATE_LINEAR ? wide : 2 * wide)) + 1;
    const int64_t taps = (int64_t)reach;
    int64_t dim[GND_MAX_NDIM], count;
    if (x->ndim == GND_MAX_NDIM)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "image_resize: %d dimensions: one more is needed on the way", x->ndim);
    if (__builtin_mul_overflow(m, taps, &count) || count > INT64_MAX / 16)
        return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                         "image_resize: %" PRId64 " elements along axis %d of %" PRId64
                         " each: their number does not fit 64 bits",
                         m, d, taps);
    int64_t *place = gnd__malloc((size_t)count * sizeof *place);
    double *w = gnd__malloc((size_t)count * sizeof *w);
    gnd_array *y = gnd__nomem();
    if (place && w) {
        fill(how, n, m, wide, taps, place, w);
        const gnd_dtype real = gnd__real_of((gnd_dtype)x->dtype);
        float *narrow = (float *)w;
        for (int64_t i = 0; real == GND_FLOAT32 && i < count; i++) {
            const float f = (float)w[i];
            memcpy(&narrow[i], &f, sizeof f); /* never beyond the elements that were read */
        }
        gnd_array *at = gnd_from(x->dev, GND_INT64, 2, (int64_t[]){m, taps}, place);
        for (int i = 0; i < x->ndim - d + 1; i++)
            dim[i] = i == 0 ? m : i == 1 ? taps : 1;
        gnd_array *by = gnd_from(x->dev, real, x->ndim - d + 1, dim, w);
        y = gnd_sum(gnd_multiply(gnd_take(x, at, d), by), GND_AXIS(d + 1), 0);
    }
    gnd__free(place);
    gnd__free(w);
    return y;
}

/* Resizes axis d to m elements: each is the element of x whose interval contains the middle of the
 * result's interval. Called in a scope. */
static gnd_array *nearest(gnd_array *x, int d, int64_t m)
{
    const double n = (double)x->dim[d], scale = n / (double)m;
    if (m > INT64_MAX / 16)
        return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                         "image_resize: %" PRId64 " elements along axis %d: their places do not "
                         "fit 64 bits",
                         m, d);
    int64_t *place = gnd__malloc((size_t)m * sizeof *place);
    gnd_array *y = gnd__nomem();
    for (int64_t j = 0; place && j < m; j++) {
        const double at = floor(((double)j + 0.5) * scale);
        place[j] = at < n ? (int64_t)at : x->dim[d] - 1;
    }
    if (place)
        y = gnd_take(x, gnd_from(x->dev, GND_INT64, 1, &m, place), d);
    gnd__free(place);
    return y;
}

gnd_array *gnd_image_resize(gnd_array *x, int ndim, const int64_t *shape, gnd_interpolation how,
                            int antialias)
{
    static const char func[] = "image_resize";
    char tx[GND__SHAPE_TEXT], ts[GND__SHAPE_TEXT];
    gnd_array *y, *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if ((unsigned)how > GND_INTERPOLATE_CUBIC)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: interpolation is %d, not GND_INTERPOLATE_NEAREST, _LINEAR or _CUBIC",
                         func, (int)how);
    const gnd_dtype given = (gnd_dtype)x->dtype;
    const gnd_dtype t = how == GND_INTERPOLATE_NEAREST ? given : gnd__mean_float(x->dev, given);
    if ((bad = gnd__check_shape(func, x->dev, t, ndim, shape)))
        return bad;
    if (ndim != x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: shape %s for x of shape %s: as many axes are needed", func,
                         gnd__shape_text(ts, ndim, shape), gnd__shape_text(tx, x->ndim, x->dim));
    for (int d = 0; d < ndim; d++)
        if (!x->dim[d] && shape[d])
            return gnd__fail(
                x->dev, GND_ERR_SHAPE, "%s: x of shape %s has nothing to make shape %s of", func,
                gnd__shape_text(tx, x->ndim, x->dim), gnd__shape_text(ts, ndim, shape));
    const gnd__inner in = gnd__enter(func);
    y = gnd__as(x, how == GND_INTERPOLATE_NEAREST ? given : gnd__wide_float(x->dev, given));
    if (!gnd__shape_size(ndim, shape, 1))
        y = gnd_zeros(x->dev, t, ndim, shape);
    for (int d = 0; d < ndim && !gnd__is_bad(y); d++)
        if (y->dim[d] != shape[d] && y->size && shape[d])
            y = how == GND_INTERPOLATE_NEAREST ? nearest(y, d, shape[d])
                                               : weighted(y, d, shape[d], how, antialias);
    return gnd__leave(in, gnd__as(y, t));
}
