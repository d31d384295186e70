/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/morph.c - binary morphology with any structuring element: whether all, or any, of a
 * window's elements under the structure are true. The windows are views of the padded array, and
 * one reduction handles each.
 */
#include <inttypes.h>
#include <string.h>
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/image.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>

enum { MOST_NDIM = GND_MAX_NDIM / 2 }; /* the windows have axes of their own */

/* The default structure, bools: an element and its neighbours along each axis. Called in a scope.
 */
static gnd_array *cross(gnd_device *dev, int ndim)
{
    int64_t dim[MOST_NDIM], n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d] = 3;
    unsigned char *v = gnd__malloc((size_t)n);
    if (!v)
        return gnd__nomem();
    for (int64_t i = 0; i < n; i++) {
        int off = 0; /* the number of axes along which the element is not in the middle */
        for (int64_t k = i, d = 0; d < ndim; d++, k /= 3)
            off += k % 3 != 1;
        v[i] = off <= 1;
    }
    gnd_array *y = gnd_from(dev, GND_BOOL, ndim, dim, v);
    gnd__free(v);
    return y;
}

/* One erosion ('e') or dilation ('d') of the bools x by the structure s. Elements outside of x are
 * `border`. Called in a scope. */
static gnd_array *step(int what, gnd_array *x, gnd_array *s, int border)
{
    int64_t width[2 * MOST_NDIM];
    gnd_array *value[2 * MOST_NDIM];
    gnd_axes axes = GND_NO_AXES;
    gnd_pad_options opt = {.values = value};
    if (!x->ndim) { /* the window has one element, which s selects or not */
        gnd_array *same =
            what == 'e' ? gnd_logical_or(x, gnd_logical_not(s)) : gnd_logical_and(x, s);
        return same;
    }
    for (int d = 0; d < x->ndim; d++) {
        const int64_t before = s->dim[d] / 2, after = s->dim[d] - 1 - before;
        width[2 * d] = what == 'e' ? before : after; /* the window of a dilation is mirrored */
        width[2 * d + 1] = what == 'e' ? after : before;
        value[2 * d] = value[2 * d + 1] = gnd_bool(border);
        axes = gnd_axes_union(axes, GND_AXIS(-1 - d));
    }
    gnd_array *w =
        gnd_sliding_window_view(gnd_pad(x, width, "constant", &opt), x->ndim, s->dim, NULL);
    if (what == 'e')
        return gnd_all(gnd_logical_or(w, gnd_logical_not(s)), axes, 0);
    return gnd_any(gnd_logical_and(w, gnd_flip(s, GND_ALL)), axes, 0);
}

static gnd_array *morph(const char *func, gnd_array *x, gnd_array *structure, int iterations,
                        int border, const char *steps)
{
    char tx[GND__SHAPE_TEXT], ts[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *y, *s, *bad = gnd__check_strong(x, func, "x");
    if (bad ||
        (structure && ((bad = gnd__check_strong(structure, func, "structure")) ||
                       (bad = gnd__check_devices(func, 2, (gnd_array *[]){x, structure}, &dev)))))
        return bad;
    if (x->ndim > MOST_NDIM)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: %d dimensions: at most %d are possible", func,
                         x->ndim, MOST_NDIM);
    if (structure && structure->ndim != x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: structure of shape %s for x of shape %s: as many axes are needed",
                         func, gnd__shape_text(ts, structure->ndim, structure->dim),
                         gnd__shape_text(tx, x->ndim, x->dim));
    if (structure && !structure->size)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: structure of shape %s has no elements", func,
                         gnd__shape_text(ts, structure->ndim, structure->dim));
    if (iterations < 1)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: %d iterations: at least one is needed", func,
                         iterations);
    const gnd__inner in = gnd__enter(func);
    y = gnd__as(x, GND_BOOL);
    s = structure ? gnd__as(structure, GND_BOOL) : cross(x->dev, x->ndim);
    for (; *steps; steps++)
        for (int i = 0; i < iterations && x->size && !gnd__is_bad(y) && !gnd__is_bad(s); i++)
            y = step(*steps, y, s, border != 0);
    return gnd__leave(in, gnd__is_bad(s) ? s : y);
}

gnd_array *gnd_binary_erosion(gnd_array *x, gnd_array *structure, int iterations, int border)
{
    return morph("binary_erosion", x, structure, iterations, border, "e");
}

gnd_array *gnd_binary_dilation(gnd_array *x, gnd_array *structure, int iterations, int border)
{
    return morph("binary_dilation", x, structure, iterations, border, "d");
}

gnd_array *gnd_binary_opening(gnd_array *x, gnd_array *structure, int iterations)
{
    return morph("binary_opening", x, structure, iterations, 0, "ed");
}

gnd_array *gnd_binary_closing(gnd_array *x, gnd_array *structure, int iterations)
{
    return morph("binary_closing", x, structure, iterations, 0, "de");
}
