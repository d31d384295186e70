/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/pad.c - padding in NumPy's modes. Constant padding is one join of boxes. If each
 * element of the result is an element of x, its index along each axis is a formula of its own
 * index: the result is a gather, or for a large x a join of x and views of x. The other modes
 * process one axis after the other, as NumPy does, and join the part before, x, and the part after.
 */
#include <inttypes.h>
#include <string.h>
#include "array/views.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>
#include <gnd/quantile.h>
#include <gnd/reduce.h>

typedef enum mode {
    CONSTANT,
    EDGE,
    LINEAR_RAMP,
    MAXIMUM,
    MEAN,
    MEDIAN,
    MINIMUM,
    REFLECT,
    SYMMETRIC,
    WRAP,
    EMPTY,
    NMODES
} mode;

static const char *const mode_name[NMODES] = {
    "constant", "edge",    "linear_ramp", "maximum", "mean",  "median",
    "minimum",  "reflect", "symmetric",   "wrap",    "empty",
};

static int is_stat(mode m)
{
    return m == MAXIMUM || m == MEAN || m == MEDIAN || m == MINIMUM;
}

/* --- checks ----------------------------------------------------------------------------------- */

static gnd_array *check_mode(gnd_array *x, const char *name, mode *m)
{
    if (!name)
        return gnd__fail(x->dev, GND_ERR_NULL, "pad: mode is NULL");
    for (int i = 0; i < NMODES; i++)
        if (!strcmp(name, mode_name[i])) {
            *m = (mode)i;
            return NULL;
        }
    return gnd__fail(x->dev, GND_ERR_ARG,
                     "pad: mode \"%.40s\" is not one of constant, edge, linear_ramp, "
                     "maximum, mean, median, minimum, reflect, symmetric, wrap, empty",
                     name);
}

static gnd_array *check_widths(gnd_array *x, const int64_t *width, mode m, int64_t *dim)
{
    char text[GND__SHAPE_TEXT];
    if (x->ndim && !width)
        return gnd__fail(x->dev, GND_ERR_NULL, "pad: the list of widths is NULL");
    for (int d = 0; d < x->ndim; d++) {
        int64_t before = width[2 * d], after = width[2 * d + 1];
        if (before < 0 || after < 0)
            return gnd__fail(x->dev, GND_ERR_ARG, "pad: axis %d: a width of %" PRId64, d,
                             before < 0 ? before : after);
        if (x->dim[d] == 0 && (before || after) && m != CONSTANT && m != EMPTY)
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "pad: shape %s: axis %d has no element to pad with: "
                             "modes constant and empty need none",
                             gnd__shape_text(text, x->ndim, x->dim), d);
        if (__builtin_add_overflow(x->dim[d], before, &dim[d]) ||
            __builtin_add_overflow(dim[d], after, &dim[d]))
            return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                             "pad: axis %d: %" PRId64 " + %" PRId64 " + %" PRId64
                             " elements do not fit 64 bits",
                             d, before, x->dim[d], after);
    }
    return gnd__check_shape("pad", x->dev, (gnd_dtype)x->dtype, x->ndim, dim);
}

static gnd_array *check_options(gnd_array *x, mode m, const gnd_pad_options *opt)
{
    char text[GND__SHAPE_TEXT];
    const char *no = opt->values && m != CONSTANT && m != LINEAR_RAMP ? "values"
                     : opt->stat_length && !is_stat(m)                ? "stat_length"
                     : opt->odd && m != REFLECT && m != SYMMETRIC     ? "odd"
                                                                      : NULL;
    if (no)
        return gnd__fail(x->dev, GND_ERR_ARG, "pad: mode \"%s\" has no option %s", mode_name[m],
                         no);
    for (int i = 0; i < 2 * x->ndim && opt->values; i++) {
        gnd_array *v = opt->values[i], *bad = gnd__check(v, "pad", "one of the values");
        if (bad)
            return bad;
        if (v->ndim)
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "pad: a value of shape %s: one number is needed",
                             gnd__shape_text(text, v->ndim, v->dim));
        if (v->dev && v->dev != x->dev)
            return gnd__fail(x->dev, GND_ERR_DEVICE,
                             "pad: arrays of two devices, %s and %s: move one "
                             "with gnd_to_device",
                             gnd__device_id(x->dev), gnd__device_id(v->dev));
    }
    for (int i = 0; i < 2 * x->ndim && opt->stat_length; i++)
        if (opt->stat_length[i] < 0 || (opt->stat_length[i] == 0 && m != MEAN && m != MEDIAN))
            return gnd__fail(x->dev, GND_ERR_ARG, "pad: the %s of %" PRId64 " elements",
                             mode_name[m], opt->stat_length[i]);
    return NULL;
}

/* --- constants -------------------------------------------------------------------------------- */

/* The value of opt for `side` as a 0-d array of dtype t; 0 if opt has no values. */
static gnd_array *value(gnd_array *x, const gnd_pad_options *opt, int side, gnd_dtype t)
{
    gnd__scalar zero = {.kind = gnd_dtype_kind(t)};
    return opt->values ? gnd__strong(opt->values[side], x->dev, t, "pad")
                       : gnd__const(x->dev, t, &zero, 0);
}

/* A join of x and two boxes of padding per axis. The boxes of an axis have the extents of the
 * result along earlier axes, and those of x along later ones. */
static gnd_array *constant(gnd_array *x, const int64_t *width, const int64_t *dim,
                           const gnd_pad_options *opt)
{
    gnd_array *piece[2 * GND_MAX_NDIM + 1];
    gnd__box box[2 * GND_MAX_NDIM + 1];
    gnd_dtype t = (gnd_dtype)x->dtype;
    int n = 0;
    memset(box, 0, sizeof box);
    for (int d = 0; d < x->ndim; d++)
        box[0].start[d] = width[2 * d];
    if (x->size)
        piece[n++] = x;
    for (int side = 0; side < 2 * x->ndim; side++) {
        int64_t slab[GND_MAX_NDIM];
        int axis = side / 2;
        memset(&box[n], 0, sizeof box[n]);
        for (int d = 0; d < x->ndim; d++) {
            slab[d] = d < axis ? dim[d] : d == axis ? width[side] : x->dim[d];
            box[n].start[d] = d < axis   ? 0
                              : d > axis ? width[2 * d]
                              : side % 2 ? width[2 * d] + x->dim[d]
                                         : 0;
        }
        if (gnd__shape_size(x->ndim, slab, 1) == 0)
            continue;
        gnd_array *v = value(x, opt, side, t);
        if (v->kind == GND__ERROR)
            return v;
        piece[n++] = gnd__broadcast(v, x->ndim, slab);
    }
    if (n == 0)
        return gnd__node(GND__EMPTY, x->dev, t, x->ndim, dim, 0, NULL);
    for (int i = 0; i < n; i++)
        if (piece[i]->kind == GND__ERROR)
            return piece[i];
    return gnd__assemble_node(x->dev, t, x->ndim, dim, n, piece, box);
}

/* --- by index --------------------------------------------------------------------------------- */

/* The indices among n elements for positions from .. from + count - 1 of the padded axis, which has
 * before + n + after positions. */
static gnd_array *source_index(gnd_device *dev, int64_t n, const int64_t *width, int64_t from,
                               int64_t count, mode m)
{
    const int64_t before = width[0], after = width[1];
    gnd_array *j = gnd_arange_i64(dev, from - before, from - before + count, 1, GND_INT64);
    /* In mirrored modes index j has a period, and j and last - j select the same element. */
    int64_t last = m == REFLECT ? 2 * (n - 1) : 2 * n - 1, most = m == REFLECT ? n - 1 : n;
    int far = before > most || after > most;
    if (m == EDGE || n == 1)
        return gnd_clip(j, gnd_int(0), gnd_int(n - 1));
    if (m == WRAP && far)
        return gnd_remainder(j, gnd_int(n));
    if (m == WRAP) {
        j = gnd_where(gnd_less(j, gnd_int(0)), gnd_add(j, gnd_int(n)), j);
        return gnd_where(gnd_less(j, gnd_int(n)), j, gnd_subtract(j, gnd_int(n)));
    }
    if (far)
        j = gnd_remainder(j, gnd_int(m == REFLECT ? last : last + 1));
    else
        j = gnd_maximum(j, gnd_subtract(gnd_int(m == REFLECT ? 0 : -1), j));
    return gnd_minimum(j, gnd_subtract(gnd_int(last), j));
}

/* The part of the result that begins at `start` and has shape `dim`, as a gather. */
static gnd_array *taken(gnd_array *x, const int64_t *width, const int64_t *start,
                        const int64_t *dim, mode m)
{
    gnd_array *index[GND_MAX_NDIM];
    gnd__gather how;
    int n = 0;
    for (int d = 0; d < x->ndim; d++) {
        int64_t along[GND_MAX_NDIM];
        how.from[d] = (int8_t)d;
        how.via[d] = 0;
        if (start[d] == width[2 * d] && dim[d] == x->dim[d])
            continue;
        for (int i = 0; i < x->ndim; i++)
            along[i] = i == d ? dim[d] : 1;
        gnd_array *j = source_index(x->dev, x->dim[d], width + 2 * d, start[d], dim[d], m);
        index[n] = gnd_reshape(j, x->ndim, along);
        if (index[n]->kind == GND__ERROR)
            return index[n];
        how.from[d] = -1;
        how.via[d] = (int8_t)++n;
    }
    return gnd__take_node(x, n, index, x->ndim, dim, &how);
}

/* OWN_BOX: the size of x from which x is a box of the result; for smaller ones a gather costs less
 * than several kernels. VIEWED_ROW: the row length from which padding consists of views; CPUs store
 * shorter rows first. */
enum { OWN_BOX = 65536, VIEWED_ROW = 48 };

/* Rows of this many bytes or less are padded by one gather on a GPU: boxes of a narrow array are
 * written to sectors of memory that they share. */
enum { NARROW_ROW = 256 };

/* Whether rows of x are too short for boxes. */
static int is_narrow(const gnd_array *x)
{
    return x->dev->g->props.kind != GND_DEV_CPU &&
           x->dim[x->ndim - 1] * (int64_t)gnd_dtype_size((gnd_dtype)x->dtype) <= NARROW_ROW;
}

/* Whether the padding can be views of x: no side is longer than x. */
static int is_viewed(const gnd_array *x, const int64_t *width, mode m)
{
    if (x->dim[x->ndim - 1] < VIEWED_ROW)
        return 0;
    for (int side = 0; side < 2 * x->ndim; side++)
        if (m != EDGE && width[side] > x->dim[side / 2] - (m == REFLECT))
            return 0;
    return 1;
}

/* The padding before (side 0) or after x along axis k, `count` elements. */
static gnd_array *beside(gnd_array *x, int k, int side, int64_t count, mode m)
{
    const int64_t n = x->dim[k], skip = m == REFLECT;
    if (m == EDGE) {
        int64_t dim[GND_MAX_NDIM];
        memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
        dim[k] = count;
        gnd_array *edge = gnd__slice(x, k, side ? n - 1 : 0, 1);
        return edge->kind == GND__ERROR ? edge : gnd__broadcast(edge, x->ndim, dim);
    }
    if (m == WRAP)
        return gnd__slice(x, k, side ? 0 : n - count, count);
    gnd_array *y = gnd__slice(x, k, side ? n - skip - count : skip, count);
    return y->kind == GND__ERROR ? y : gnd_flip(y, GND_AXIS(k));
}

/* x padded along its first `axes` axes: a join of x and two boxes per axis, as in constant().
 * viewed: boxes are views, and corners are views of views; else each box is a gather. */
static gnd_array *in_boxes(gnd_array *x, const int64_t *width, int axes, mode m, int viewed)
{
    gnd_array *piece[2 * GND_MAX_NDIM + 1] = {x};
    gnd__box box[2 * GND_MAX_NDIM + 1];
    int64_t dim[GND_MAX_NDIM], slab[GND_MAX_NDIM];
    int n = 1;
    memset(box, 0, sizeof box);
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    for (int d = 0; d < axes; d++) {
        box[0].start[d] = width[2 * d];
        dim[d] += width[2 * d] + width[2 * d + 1];
    }
    for (int side = 0; side < 2 * axes; side++) {
        const int k = side / 2;
        if (!width[side])
            continue;
        for (int d = 0; d < x->ndim; d++)
            slab[d] = d < k ? dim[d] : d == k ? width[side] : x->dim[d];
        for (int d = k; d < axes; d++)
            box[n].start[d] = d > k ? width[2 * d] : side % 2 ? width[2 * d] + x->dim[d] : 0;
        gnd_array *y = viewed ? beside(x, k, side % 2, width[side], m)
                              : taken(x, width, box[n].start, slab, m);
        if (viewed && y->kind != GND__ERROR)
            y = in_boxes(y, width, k, m, 1);
        if (y->kind == GND__ERROR)
            return y;
        piece[n++] = y;
    }
    return n == 1 ? x
                  : gnd__assemble_node(x->dev, (gnd_dtype)x->dtype, x->ndim, dim, n, piece, box);
}

/* The result as one gather; for large arrays as a join of x and the parts around it. */
static gnd_array *by_index(gnd_array *x, const int64_t *width, const int64_t *dim, mode m)
{
    const int64_t none[GND_MAX_NDIM] = {0}, size = gnd__shape_size(x->ndim, dim, 1);
    if (size == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim, dim, 0, NULL);
    if (x->size < OWN_BOX || x->size < size / 2 || is_narrow(x))
        return taken(x, width, none, dim, m);
    return in_boxes(x, width, x->ndim, m, is_viewed(x, width, m));
}

/* --- axis by axis ----------------------------------------------------------------------------- */

/* Elements from .. from + count - 1 of axis k, in reverse order if `backwards`. */
static gnd_array *part(gnd_array *x, int k, int64_t from, int64_t count, int backwards)
{
    gnd_array *y = gnd__slice(x, k, from, count);
    return backwards && y->kind != GND__ERROR ? gnd_flip(y, GND_AXIS(k)) : y;
}

/* Joins before, x and after; before and after may be NULL. */
static gnd_array *between(gnd_array *before, gnd_array *x, gnd_array *after, int k)
{
    gnd_array *piece[3];
    int n = 0;
    if (before)
        piece[n++] = gnd_astype(before, (gnd_dtype)x->dtype);
    piece[n++] = x;
    if (after)
        piece[n++] = gnd_astype(after, (gnd_dtype)x->dtype);
    for (int i = 0; i < n; i++)
        if (piece[i]->kind == GND__ERROR)
            return piece[i];
    return gnd__concat("pad", n, piece, k);
}

/* Odd reflection: 2 * edge - element. Each round mirrors the whole array and so doubles its length.
 * Parts are multiples of the original length, so that the next round continues the pattern. */
static gnd_array *mirrored_odd(gnd_array *x, int k, int64_t before, int64_t after, mode m)
{
    int64_t period = x->dim[k] - (m == REFLECT), skip = m == REFLECT;
    while ((before || after) && x->kind != GND__ERROR) {
        gnd_array *side[2] = {NULL, NULL};
        int64_t n = x->dim[k], most = (n - skip) / period * period, *left[2] = {&before, &after};
        for (int i = 0; i < 2; i++) {
            int64_t count = *left[i] < most ? *left[i] : most;
            if (!count)
                continue;
            gnd_array *edge = part(x, k, i ? n - 1 : 0, 1, 0);
            gnd_array *part_of_x = part(x, k, i ? n - skip - count : skip, count, 1);
            side[i] = gnd_subtract(gnd_multiply(edge, gnd_int(2)), part_of_x);
            *left[i] -= count;
        }
        x = between(side[0], x, side[1], k);
    }
    return x;
}

/* The statistic of mode m of elements from .. from + count - 1 of axis k. */
static gnd_array *statistic(gnd_array *x, int k, int64_t from, int64_t count, mode m)
{
    gnd_array *y = part(x, k, from, count, 0);
    int whole = strchr("iu", gnd_dtype_kind((gnd_dtype)x->dtype)) != NULL;
    if (m == MAXIMUM || m == MINIMUM)
        return (m == MAXIMUM ? gnd_max : gnd_min)(y, GND_AXIS(k), GND_KEEPDIMS);
    y = (m == MEAN ? gnd_mean : gnd_median)(y, GND_AXIS(k), GND_KEEPDIMS);
    return whole ? gnd_round(y) : y;
}

/* `count` elements from the end value to the edge, as linspace: end + i (edge - end) / count in the
 * default float; ints are rounded down. */
static gnd_array *ramp(gnd_array *x, const gnd_pad_options *opt, int k, int side, int64_t count)
{
    gnd_dtype t = (gnd_dtype)x->dtype, f = gnd__device_float(x->dev);
    int64_t along[GND_MAX_NDIM];
    if (gnd_dtype_kind(t) == 'c')
        f = gnd__complex_of(f);
    gnd_array *end = value(x, opt, side, f);
    gnd_array *edge = gnd_astype(part(x, k, side % 2 ? x->dim[k] - 1 : 0, 1, 0), f);
    for (int d = 0; d < x->ndim; d++)
        along[d] = d == k ? count : 1;
    gnd_array *i = gnd_reshape(gnd_arange_i64(x->dev, 0, count, 1, f), x->ndim, along);
    gnd_array *step = gnd_divide(gnd_subtract(edge, end), gnd_real((double)count));
    gnd_array *y = gnd_add(gnd_multiply(i, step), end);
    if (strchr("iu", gnd_dtype_kind(t)))
        y = gnd_floor(y);
    return side % 2 ? gnd_flip(y, GND_AXIS(k)) : y;
}

static gnd_array *along_axis(gnd_array *x, int k, const int64_t *width, mode m,
                             const gnd_pad_options *opt)
{
    gnd_array *side[2] = {NULL, NULL};
    if ((m == REFLECT || m == SYMMETRIC) && x->dim[k] > 1)
        return mirrored_odd(x, k, width[2 * k], width[2 * k + 1], m);
    for (int i = 0; i < 2; i++) {
        int64_t n = x->dim[k], count = width[2 * k + i];
        int64_t len =
            opt->stat_length && opt->stat_length[2 * k + i] < n ? opt->stat_length[2 * k + i] : n;
        if (!count)
            continue;
        if (m == LINEAR_RAMP) {
            side[i] = ramp(x, opt, k, 2 * k + i, count);
        } else {
            int64_t dim[GND_MAX_NDIM];
            memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
            dim[k] = count;
            gnd_array *s = x; /* mirroring one element repeats it */
            if (is_stat(m))
                s = gnd_astype(statistic(x, k, i ? n - len : 0, len, m), (gnd_dtype)x->dtype);
            side[i] = s->kind == GND__ERROR ? s : gnd__broadcast(s, x->ndim, dim);
        }
    }
    return between(side[0], x, side[1], k);
}

gnd_array *gnd_pad(gnd_array *x, const int64_t *width, const char *name, const gnd_pad_options *opt)
{
    static const gnd_pad_options none;
    int64_t dim[GND_MAX_NDIM];
    mode m = CONSTANT;
    gnd_array *bad = gnd__check_strong(x, "pad", "x");
    if (!opt)
        opt = &none;
    if (bad || (bad = check_mode(x, name, &m)) || (bad = check_widths(x, width, m, dim)) ||
        (bad = check_options(x, m, opt)))
        return bad;
    if (!memcmp(dim, x->dim, x->ndim * sizeof dim[0])) /* nothing to add */
        return gnd__same(x);
    const gnd__inner in = gnd__enter("pad");
    gnd_array *y = x;
    if (m == CONSTANT || m == EMPTY) {
        y = constant(x, width, dim, opt);
    } else if (m == EDGE || m == WRAP || ((m == REFLECT || m == SYMMETRIC) && !opt->odd)) {
        y = by_index(x, width, dim, m);
    } else {
        for (int k = 0; k < x->ndim && y->kind != GND__ERROR; k++)
            if (width[2 * k] || width[2 * k + 1])
                y = along_axis(y, k, width, m, opt);
    }
    return gnd__leave(in, y);
}
