/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/convolve.c - convolutions and correlations: arguments, dtypes, and the results that a
 * mode selects. ops/signal/ways.c computes them.
 */
#include <inttypes.h>
#include <string.h>
#include "ops/signal/convolve.h"
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>
#include <gnd/view.h>

/* --- arguments -------------------------------------------------------------------------------- */

static gnd_array *check_two(const char *func, gnd_array *x, const char *xname, gnd_array *k,
                            const char *kname, gnd_conv_mode mode, gnd_conv_method method)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(x, func, xname), *both[2] = {x, k};
    if (bad || (bad = gnd__check_strong(k, func, kname)) ||
        (bad = gnd__check_list(func, 2, both, &dev)))
        return bad;
    if ((unsigned)mode > GND_CONV_VALID)
        return gnd__fail(dev, GND_ERR_ARG, "%s: mode is %d, not 0 (full), 1 (same) or 2 (valid)",
                         func, (int)mode);
    if ((unsigned)method > GND_CONV_BLOCKS)
        return gnd__fail(dev, GND_ERR_ARG,
                         "%s: method is %d, not 0 (auto), 1 (direct), 2 (fft) or 3 (blocks)", func,
                         (int)method);
    int kind = gnd_dtype_kind(gnd__common_dtype(dev, 2, both));
    if (method > GND_CONV_DIRECT && kind != 'f' && kind != 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: transforms of %s and %s would not be exact: take the direct "
                         "method, or fftconvolve",
                         func, gnd_dtype_name((gnd_dtype)x->dtype),
                         gnd_dtype_name((gnd_dtype)k->dtype));
    return NULL;
}

static int narrow(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

/* Converts the operands to dtype t and convolves them; in float32 if t has 16 bits. */
static gnd_array *as(gnd__conv *c, gnd_dtype t)
{
    gnd_dtype in = narrow(t) ? GND_FLOAT32 : t;
    c->x = gnd__as(c->x, in);
    c->k = gnd__as(c->k, in);
    if (gnd__is_bad(c->x) || gnd__is_bad(c->k))
        return gnd__is_bad(c->x) ? c->x : c->k;
    return gnd__as(gnd__convolved(c), t);
}

/* --- one dimension, as NumPy ------------------------------------------------------------------ */

static gnd_array *line(const char *func, gnd_array *a, gnd_array *v, gnd_conv_mode mode,
                       gnd_conv_method method, int correlated)
{
    gnd__conv c;
    char text[GND__SHAPE_TEXT];
    gnd_array *both[2] = {a, v}, *bad = check_two(func, a, "a", v, "v", mode, method);
    if (bad)
        return bad;
    for (int i = 0; i < 2; i++)
        if (both[i]->ndim != 1 || both[i]->size == 0)
            return gnd__fail(a->dev, GND_ERR_SHAPE, "%s: %s has shape %s: %s", func, i ? "v" : "a",
                             gnd__shape_text(text, both[i]->ndim, both[i]->dim),
                             both[i]->ndim != 1 ? "one dimension is needed"
                                                : "it must not be empty");
    int64_t n = a->dim[0], m = v->dim[0], most = n > m ? n : m, least = n > m ? m : n, full[1];
    if (__builtin_add_overflow(n, m - 1, &full[0]) || full[0] > INT64_MAX / 64)
        return gnd__fail(a->dev, GND_ERR_OVERFLOW, "%s: %" PRId64 " and %" PRId64 " elements", func,
                         n, m);
    gnd_dtype t = gnd__common_dtype(a->dev, 2, both);
    const gnd__inner in = gnd__enter(func);
    memset(&c, 0, sizeof c);
    c.x = a;
    c.k = correlated ? gnd_flip(v, GND_AXIS(0)) : v;
    if (correlated && gnd_dtype_kind((gnd_dtype)v->dtype) == 'c')
        c.k = gnd_conj(c.k);
    c.method = method;
    c.axes = n > 1 && m > 1;
    /* NumPy swaps the operands so that the first is the longer one, and reverses the correlation
     * afterwards */
    c.lo[0] = mode == GND_CONV_FULL    ? 0
              : mode == GND_CONV_VALID ? least - 1
              : correlated && n < m    ? least / 2
                                       : (least - 1) / 2;
    c.count[0] = mode == GND_CONV_FULL   ? n + m - 1
                 : mode == GND_CONV_SAME ? most
                                         : most - least + 1;
    return gnd__leave(in, as(&c, t));
}

gnd_array *gnd_convolve(gnd_array *a, gnd_array *v, gnd_conv_mode mode, gnd_conv_method method)
{
    return line("convolve", a, v, mode, method, 0);
}

gnd_array *gnd_correlate(gnd_array *a, gnd_array *v, gnd_conv_mode mode, gnd_conv_method method)
{
    return line("correlate", a, v, mode, method, 1);
}

/* --- several dimensions, as SciPy ------------------------------------------------------------- */

/* Sets lo and count of every axis. The axes of `mask` are convolved. */
static gnd_array *set_parts(const char *func, gnd__conv *c, uint32_t mask, gnd_conv_mode mode)
{
    char tx[GND__SHAPE_TEXT], tk[GND__SHAPE_TEXT];
    gnd_array *x = c->x, *k = c->k;
    int x_larger = 1, k_larger = 1, nd = x->ndim;
    c->axes = 0;
    for (int d = 0; d < nd; d++) {
        int64_t n = x->dim[d], m = k->dim[d], full;
        if (!(mask >> d & 1)) {
            if (n != m && n != 1 && m != 1)
                return gnd__fail(x->dev, GND_ERR_SHAPE,
                                 "%s: shapes %s and %s: %" PRId64 " != %" PRId64 " along "
                                 "axis %d, which is not convolved",
                                 func, gnd__shape_text(tx, nd, x->dim),
                                 gnd__shape_text(tk, nd, k->dim), n, m, d);
            full = n == 1 ? m : n;
        } else if (n == 0 || m == 0) {
            full = 0;
        } else if (__builtin_add_overflow(n, m - 1, &full) || full > INT64_MAX / 64) {
            return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                             "%s: %" PRId64 " and %" PRId64 " elements along axis %d", func, n, m,
                             d);
        } else if (n > 1 && m > 1) {
            c->axes |= (uint32_t)1 << d;
        }
        x_larger &= !(mask >> d & 1) || n >= m;
        k_larger &= !(mask >> d & 1) || m >= n;
        c->lo[d] = 0;
        c->count[d] = full;
        if (mode == GND_CONV_SAME && full) {
            c->count[d] = n;
            c->lo[d] = (full - n) / 2;
        } else if (mode == GND_CONV_VALID && full && mask >> d & 1) {
            c->lo[d] = (n < m ? n : m) - 1;
            c->count[d] = full - 2 * c->lo[d];
        }
    }
    if (mode == GND_CONV_VALID && !x_larger && !k_larger)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: shapes %s and %s: valid results need one operand that is at "
                         "least as large as the other along every axis",
                         func, gnd__shape_text(tx, nd, x->dim), gnd__shape_text(tk, nd, k->dim));
    return NULL;
}

/* Computes c in dtype t, then cuts out the requested part along axes that are not convolved. */
static gnd_array *parts(gnd__conv *c, gnd_dtype t)
{
    gnd_array *y = as(c, t);
    for (int d = 0; d < c->x->ndim && !gnd__is_bad(y); d++)
        if (y->dim[d] != c->count[d])
            y = gnd__slice(y, d, c->lo[d], c->count[d]);
    return y;
}

static gnd_array *several(const char *func, gnd_array *x, gnd_array *k, gnd_conv_mode mode,
                          int naxes, const int *axes, gnd_conv_method method)
{
    gnd__conv c;
    gnd_device *dev;
    uint32_t mask = 0;
    gnd_array *both[2] = {x, k}, *bad = check_two(func, x, "x", k, "k", mode, GND_CONV_AUTO);
    if (bad)
        return bad;
    dev = x->dev;
    if (x->ndim != k->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: %d and %d dimensions: as many are needed", func,
                         x->ndim, k->ndim);
    if (naxes > x->ndim || naxes < -1)
        return gnd__fail(dev, GND_ERR_AXIS, "%s: %d axes of arrays of %d dimensions", func, naxes,
                         x->ndim);
    for (int i = 0; i < (naxes < 0 ? x->ndim : naxes); i++) {
        int d;
        if ((bad = gnd__check_axis(func, dev, axes ? axes[i] : i - (naxes < 0 ? x->ndim : naxes),
                                   x->ndim, &d)))
            return bad;
        if (mask >> d & 1)
            return gnd__fail(dev, GND_ERR_AXIS, "%s: axis %d comes twice", func, d);
        mask |= (uint32_t)1 << d;
    }
    memset(&c, 0, sizeof c);
    c.x = x;
    c.k = k;
    c.method = method;
    if ((bad = set_parts(func, &c, mask, mode)))
        return bad;
    gnd_dtype t = gnd__common_dtype(dev, 2, both);
    t = narrow(t)                                              ? GND_FLOAT32
        : gnd_dtype_kind(t) == 'f' || gnd_dtype_kind(t) == 'c' ? t
                                                               : gnd__device_float(dev);
    if ((bad = gnd__check_shape(func, dev, t, x->ndim, c.count)))
        return bad;
    if (gnd__shape_size(x->ndim, c.count, 1) == 0)
        return gnd_zeros(dev, t, x->ndim, c.count);
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in, parts(&c, t));
}

gnd_array *gnd_fftconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                           const int *axes)
{
    return several("fftconvolve", x, k, mode, naxes, axes, GND_CONV_FFT);
}

gnd_array *gnd_oaconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                          const int *axes)
{
    return several("oaconvolve", x, k, mode, naxes, axes, GND_CONV_BLOCKS);
}

/* --- images ----------------------------------------------------------------------------------- */

/* Extends x by the elements that the results of c need beyond its edges; c then requests the valid
 * results. */
static void extend(gnd__conv *c, gnd_boundary boundary, gnd_array *fill, gnd_dtype t)
{
    static const char *const names[] = {"constant", "wrap", "symmetric"};
    int64_t width[4];
    gnd_array *value[4] = {fill, fill, fill, fill};
    gnd_pad_options opt = {.values = value};
    for (int d = 0; d < 2; d++) {
        int64_t m = c->k->dim[d], n = c->x->dim[d], left = m - 1 - c->lo[d],
                right = c->lo[d] + c->count[d] - n;
        width[2 * d] = left > 0 ? left : 0;
        width[2 * d + 1] = right > 0 ? right : 0;
        c->lo[d] += width[2 * d]; /* the position in the result of the extended array */
    }
    c->x = gnd_pad(gnd__as(c->x, t), width, names[boundary],
                   boundary == GND_BOUNDARY_FILL ? &opt : NULL);
    for (int d = 0; d < 2 && !gnd__is_bad(c->x); d++)
        if (c->x->dim[d] > 1 && c->k->dim[d] > 1)
            c->axes |= (uint32_t)1 << d;
}

gnd_array *gnd_conv2d(gnd_array *x, gnd_array *k, gnd_conv_mode mode, gnd_boundary boundary,
                      gnd_array *fill, gnd_conv_method method)
{
    static const char func[] = "conv2d";
    gnd__conv c;
    char tx[GND__SHAPE_TEXT], tk[GND__SHAPE_TEXT];
    gnd_array *both[2] = {x, k}, *bad = check_two(func, x, "x", k, "k", mode, method);
    if (bad)
        return bad;
    if ((unsigned)boundary > GND_BOUNDARY_SYMM)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: boundary is %d, not 0 (fill), 1 (wrap) or 2 (symm)", func,
                         (int)boundary);
    if (x->ndim != 2 || k->ndim != 2 || x->size == 0 || k->size == 0)
        return gnd__fail(
            x->dev, GND_ERR_SHAPE, "%s: shapes %s and %s: two dimensions are needed, with elements",
            func, gnd__shape_text(tx, x->ndim, x->dim), gnd__shape_text(tk, k->ndim, k->dim));
    if (fill && ((bad = gnd__check(fill, func, "fill")) || fill->ndim))
        return bad ? bad
                   : gnd__fail(x->dev, GND_ERR_SHAPE,
                               "%s: fill has shape %s: a scalar is "
                               "needed",
                               func, gnd__shape_text(tx, fill->ndim, fill->dim));
    memset(&c, 0, sizeof c);
    c.x = x;
    c.k = k;
    c.method = method;
    if ((bad = set_parts(func, &c, 3, mode)) ||
        (bad = gnd__check_shape(func, x->dev, GND_COMPLEX128, 2, c.count)))
        return bad;
    gnd_dtype t = gnd__common_dtype(x->dev, 2, both);
    const gnd__inner in = gnd__enter("conv2d");
    if (mode != GND_CONV_VALID && (fill || boundary != GND_BOUNDARY_FILL))
        extend(&c, boundary, fill, t);
    return gnd__leave(in, gnd__is_bad(c.x) ? c.x : parts(&c, t));
}
