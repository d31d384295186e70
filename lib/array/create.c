/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/create.c - scalars, arrays from host memory, and arrays of one value. Ranges and triangles
 * are in range.c.
 */
#include <string.h>
#include "array/place.h"
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/create.h>

/* --- weak scalars ----------------------------------------------------------------------------- */

gnd_array *gnd_bool(int v)
{
    gnd__scalar s = {.kind = 'b', .i = v != 0};
    return gnd__const(NULL, GND_BOOL, &s, 1);
}

gnd_array *gnd_int(int64_t v)
{
    gnd__scalar s = {.kind = 'i', .i = v};
    return gnd__const(NULL, GND_INT64, &s, 1);
}

gnd_array *gnd_uint(uint64_t v)
{
    gnd__scalar s = {.kind = v > INT64_MAX ? 'u' : 'i', .u = v};
    return gnd__const(NULL, s.kind == 'u' ? GND_UINT64 : GND_INT64, &s, 1);
}

gnd_array *gnd_real(double v)
{
    gnd__scalar s = {.kind = 'f', .re = v};
    return gnd__const(NULL, GND_FLOAT64, &s, 1);
}

gnd_array *gnd_complex(double re, double im)
{
    gnd__scalar s = {.kind = 'c', .re = re, .im = im};
    return gnd__const(NULL, GND_COMPLEX128, &s, 1);
}

/* --- from host memory ------------------------------------------------------------------------- */

/* Uploads n elements. Bytes of bools that are neither 0 nor 1 become 1 in a copy. */
static gnd_array *upload(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                         const int64_t *shape, const void *data)
{
    if (t != GND_BOOL)
        return gnd__named(func, gnd__upload(dev, t, ndim, shape, data));
    size_t n = (size_t)gnd__shape_size(ndim, shape, 1);
    const unsigned char *p = data;
    unsigned char over = 0;
    for (size_t i = 0; i < n; i++)
        over |= p[i] > 1;
    if (!over)
        return gnd__named(func, gnd__upload(dev, t, ndim, shape, data));
    unsigned char *copy = gnd__malloc(n);
    if (!copy)
        return gnd__nomem();
    for (size_t i = 0; i < n; i++)
        copy[i] = p[i] != 0;
    gnd_array *x = gnd__upload(dev, t, ndim, shape, copy);
    gnd__free(copy);
    return gnd__named(func, x);
}

gnd_array *gnd__check_from(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                           const int64_t *shape, const void *data)
{
    gnd_array *bad = gnd__check_device(func, dev);
    if (bad || (bad = gnd__check_type(func, dev, t)) ||
        (bad = gnd__check_shape(func, dev, t, ndim, shape)))
        return bad;
    if (!data && gnd__shape_size(ndim, shape, 1) > 0)
        return gnd__fail(dev, GND_ERR_NULL, "%s: data is NULL", func);
    return NULL;
}

gnd_array *gnd_from(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape, const void *data)
{
    gnd_array *bad = gnd__check_from("from", dev, t, ndim, shape, data);
    return bad ? bad : upload("from", dev, t, ndim, shape, data);
}

/* Copies the elements at p, addressed by byte strides, contiguously to out. The inner loop runs
 * over the last axis; a counter runs over the axes before it. */
static void gather(unsigned char *out, const unsigned char *p, size_t esize, int ndim,
                   const int64_t *dim, const int64_t *stride)
{
    int64_t at[GND_MAX_NDIM] = {0}, row = dim[ndim - 1], step = stride[ndim - 1];
    for (;;) {
        if (step == (int64_t)esize) {
            memcpy(out, p, (size_t)row * esize);
        } else {
            const unsigned char *q = p;
            for (int64_t i = 0; i < row; i++, q += step)
                memcpy(out + (size_t)i * esize, q, esize);
        }
        out += (size_t)row * esize;
        int k = ndim - 2;
        for (; k >= 0; k--) {
            p += stride[k];
            if (++at[k] < dim[k])
                break;
            p -= stride[k] * dim[k];
            at[k] = 0;
        }
        if (k < 0)
            return;
    }
}

gnd_array *gnd_from_strided(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                            const int64_t *byte_strides, const void *data)
{
    gnd_array *bad = gnd__check_from("from_strided", dev, t, ndim, shape, data);
    if (bad)
        return bad;
    size_t esize = gnd_dtype_size(t);
    int64_t n = gnd__shape_size(ndim, shape, esize), step = (int64_t)esize;
    int contig = 1;
    for (int i = ndim - 1; i >= 0 && n && byte_strides; i--) {
        contig &= shape[i] == 1 || byte_strides[i] == step;
        step *= shape[i];
    }
    if (contig)
        return upload("from_strided", dev, t, ndim, shape, data);
    unsigned char *copy = gnd__malloc((size_t)n * esize);
    if (!copy)
        return gnd__nomem();
    gather(copy, data, esize, ndim, shape, byte_strides);
    gnd_array *x = upload("from_strided", dev, t, ndim, shape, copy);
    gnd__free(copy);
    return x;
}

gnd_array *gnd_asarray(gnd_device *dev, gnd_array *x, gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("asarray", dev);
    if (bad || (bad = gnd__check(x, "asarray", "x")))
        return bad;
    if (x->dev && x->dev != dev)
        return gnd__fail(dev, GND_ERR_DEVICE,
                         "asarray: an array of %s, not of %s: move it with gnd_to_device",
                         gnd__device_id(x->dev), gnd__device_id(dev));
    return gnd__strong(x, dev, t, "asarray");
}

/* --- of one value ----------------------------------------------------------------------------- */

/* Checks a shape and a dtype, which may be the default one. */
static gnd_array *check_new(const char *func, gnd_device *dev, gnd_dtype *t, int ndim,
                            const int64_t *shape)
{
    gnd_array *bad = gnd__check_device(func, dev);
    if (bad)
        return bad;
    if (*t == GND_DTYPE_DEFAULT)
        *t = gnd__device_float(dev);
    if ((bad = gnd__check_type(func, dev, *t)))
        return bad;
    return gnd__check_shape(func, dev, *t, ndim, shape);
}

/* v (0 or 1) as a scalar of dtype t. */
static gnd_array *ones_or_zeros(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, int v)
{
    gnd_array *bad = check_new(func, dev, &t, ndim, shape);
    if (bad)
        return bad;
    gnd__scalar s = {.kind = gnd_dtype_kind(t), .re = v};
    s.i = v;
    return gnd__filled(dev, t, ndim, shape, &s);
}

gnd_array *gnd_zeros(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    return ones_or_zeros("zeros", dev, t, ndim, shape, 0);
}

gnd_array *gnd_ones(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    return ones_or_zeros("ones", dev, t, ndim, shape, 1);
}

static gnd_array *full(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                       const int64_t *shape, gnd_array *value)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_device(func, dev);
    if (bad || (bad = gnd__check(value, func, "value")))
        return bad;
    if (value->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: the value has shape %s: one number is needed",
                         func, gnd__shape_text(text, value->ndim, value->dim));
    if (value->dev && value->dev != dev)
        return gnd__fail(dev, GND_ERR_DEVICE,
                         "%s: the value is of %s, not of %s: move it with gnd_to_device", func,
                         gnd__device_id(value->dev), gnd__device_id(dev));
    if (t == GND_DTYPE_DEFAULT)
        t = value->weak ? gnd__weak_dtype(dev, value->p.value.kind) : (gnd_dtype)value->dtype;
    if ((bad = check_new(func, dev, &t, ndim, shape)))
        return bad;
    const gnd__inner in = gnd__enter(func);
    gnd_array *v = gnd__strong(value, dev, t, func);
    if (v->kind == GND__ERROR)
        return gnd__leave(in, v);
    gnd_array *y = gnd__broadcast(v, ndim, shape);
    return gnd__leave(in, y);
}

gnd_array *gnd_full(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape, gnd_array *value)
{
    return full("full", dev, t, ndim, shape, value);
}

static gnd_array *empty(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                        const int64_t *shape)
{
    gnd_array *bad = check_new(func, dev, &t, ndim, shape);
    return bad ? bad : gnd__node(GND__EMPTY, dev, t, ndim, shape, 0, NULL);
}

gnd_array *gnd_empty(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    return empty("empty", dev, t, ndim, shape);
}

/* --- like another array ----------------------------------------------------------------------- */

static gnd_dtype like(const gnd_array *x, gnd_dtype t)
{
    return t == GND_DTYPE_DEFAULT ? (gnd_dtype)x->dtype : t;
}

gnd_array *gnd_zeros_like(gnd_array *x, gnd_dtype t)
{
    gnd_array *bad = gnd__check_strong(x, "zeros_like", "x");
    return bad ? bad : ones_or_zeros("zeros_like", x->dev, like(x, t), x->ndim, x->dim, 0);
}

gnd_array *gnd_ones_like(gnd_array *x, gnd_dtype t)
{
    gnd_array *bad = gnd__check_strong(x, "ones_like", "x");
    return bad ? bad : ones_or_zeros("ones_like", x->dev, like(x, t), x->ndim, x->dim, 1);
}

gnd_array *gnd_full_like(gnd_array *x, gnd_dtype t, gnd_array *value)
{
    gnd_array *bad = gnd__check_strong(x, "full_like", "x");
    return bad ? bad : full("full_like", x->dev, like(x, t), x->ndim, x->dim, value);
}

gnd_array *gnd_empty_like(gnd_array *x, gnd_dtype t)
{
    gnd_array *bad = gnd__check_strong(x, "empty_like", "x");
    return bad ? bad : empty("empty_like", x->dev, like(x, t), x->ndim, x->dim);
}

gnd_array *gnd_astype(gnd_array *x, gnd_dtype t)
{
    return gnd__astype(x, t, "astype");
}
