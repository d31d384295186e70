/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/shape/bits.c - the bytes of arrays as another dtype, and elements at any strides. Words are
 * unsigned ints of at most 8 bytes. Only elementwise operations and views are used, so the result
 * fuses. Byte order is little-endian, as on all known devices.
 */
#include <inttypes.h>
#include <string.h>
#include "array/steps.h"
#include "array/views.h"
#include "base/err.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/view.h>

/* --- words of one size ------------------------------------------------------------------------ */

static gnd_dtype word_of(size_t bytes)
{
    return bytes == 1 ? GND_UINT8 : bytes == 2 ? GND_UINT16 : bytes == 4 ? GND_UINT32 : GND_UINT64;
}

/* op(x), elementwise, with results of dtype t. */
static gnd_array *function_of(gnd__op op, gnd_array *x, gnd_dtype t)
{
    return x->kind == GND__ERROR ? x : gnd__op_node(op, x->dev, t, x->ndim, x->dim, 1, &x);
}

/* x op v, in the dtype of x. */
static gnd_array *by(gnd__op op, gnd_array *x, int64_t v)
{
    const gnd__scalar s = {.kind = 'u', .u = (uint64_t)v};
    if (x->kind == GND__ERROR)
        return x;
    return gnd__op2(op, x, gnd__const(x->dev, (gnd_dtype)x->dtype, &s, 0));
}

/* The vector x of n elements in shape (n / r, r). */
static gnd_array *groups(gnd_array *x, int64_t r)
{
    if (x->kind == GND__ERROR)
        return x;
    return gnd__reshaped(x, 2, (const int64_t[]){x->dim[0] / r, r});
}

static gnd_array *flat(gnd_array *x)
{
    return x->kind == GND__ERROR ? x : gnd__reshaped(x, 1, &x->size);
}

/* Column k of x. */
static gnd_array *column(gnd_array *x, int64_t k)
{
    const gnd__map m = {.start = {0, k}, .step = {1, 0}, .from = {0, -1}};
    return x->kind == GND__ERROR ? x : gnd__viewed(x, 1, x->dim, &m);
}

/* The vectors a and b interleaved. */
static gnd_array *in_turn(gnd_array *a, gnd_array *b)
{
    gnd_array *x[2] = {a, b};
    return a->kind == GND__ERROR ? a : b->kind == GND__ERROR ? b : flat(gnd_stack(2, x, 1));
}

/* The elements of x as words of the same size. complex128: x is a vector, with two words for each
 * element. */
static gnd_array *words(gnd_array *x)
{
    const gnd_dtype t = (gnd_dtype)x->dtype;
    const int kind = gnd_dtype_kind(t);
    const size_t size = gnd_dtype_size(t);
    if (kind == 'f')
        return function_of(GND__FN_TO_BITS, x, word_of(size));
    if (kind != 'c')
        return gnd__as(x, word_of(size));
    gnd_array *re = words(gnd_real_part(x)), *im = words(gnd_imag_part(x));
    if (size == 16)
        return in_turn(re, im);
    im = by(GND__OP_BITWISE_LEFT_SHIFT, gnd__as(im, GND_UINT64), 32);
    return gnd__op2(GND__OP_BITWISE_OR, gnd__as(re, GND_UINT64), im);
}

/* Words of the size of dtype t as elements of dtype t. complex128: x is a vector, with two words
 * for each element. */
static gnd_array *elements(gnd_array *x, gnd_dtype t)
{
    const int kind = gnd_dtype_kind(t);
    if (kind == 'f')
        return function_of(t == GND_FLOAT16    ? GND__FN_FROM_BITS_F16
                           : t == GND_BFLOAT16 ? GND__FN_FROM_BITS_BF16
                                               : GND__FN_FROM_BITS,
                           x, t);
    if (kind != 'c')
        return gnd__as(x, t);
    gnd_array *re, *im;
    if (t == GND_COMPLEX128) {
        x = groups(x, 2);
        re = elements(column(x, 0), GND_FLOAT64);
        im = elements(column(x, 1), GND_FLOAT64);
    } else {
        re = elements(gnd__as(x, GND_UINT32), GND_FLOAT32);
        x = by(GND__OP_BITWISE_RIGHT_SHIFT, x, 32);
        im = elements(gnd__as(x, GND_UINT32), GND_FLOAT32);
    }
    return gnd_from_parts(re, im);
}

/* A vector of words of `from` bytes each, as a vector of words of `to` bytes each. */
static gnd_array *resized(gnd_array *x, int64_t from, int64_t to)
{
    const gnd_dtype t = word_of((size_t)to);
    if (from == to || x->kind == GND__ERROR)
        return x;
    if (from < to) {
        x = groups(x, to / from);
        gnd_array *y = gnd__as(column(x, 0), t);
        for (int64_t k = 1; k < to / from; k++) {
            gnd_array *part = gnd__as(column(x, k), t);
            part = by(GND__OP_BITWISE_LEFT_SHIFT, part, 8 * from * k);
            y = gnd__op2(GND__OP_BITWISE_OR, y, part);
        }
        return y;
    }
    const int64_t parts = from / to;
    gnd_array *k = gnd__node(GND__IOTA, x->dev, GND_INT64, 1, &parts, 0, NULL);
    k = by(GND__OP_MULTIPLY, gnd__as(k, (gnd_dtype)x->dtype), 8 * to);
    gnd_array *y = gnd__op2(GND__OP_BITWISE_RIGHT_SHIFT, groups(x, 1), k);
    return flat(gnd__as(y, t));
}

/* --- the public functions --------------------------------------------------------------------- */

gnd_array *gnd_view_dtype(gnd_array *x, gnd_dtype t)
{
    static const char func[] = "view_dtype";
    char text[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check_type(func, x->dev, t)))
        return bad;
    const gnd_dtype old = (gnd_dtype)x->dtype;
    if (t == old)
        return gnd_retain(x);
    const int64_t from = (int64_t)gnd_dtype_size(old), to = (int64_t)gnd_dtype_size(t);
    const int n = x->ndim;
    memcpy(dim, x->dim, (size_t)n * sizeof *dim);
    if (from != to) {
        if (n == 0)
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "%s: an array of shape (), %s to %s: a last axis is needed where the "
                             "sizes differ",
                             func, gnd_dtype_name(old), gnd_dtype_name(t));
        if (from > to ? __builtin_mul_overflow(dim[n - 1], from / to, &dim[n - 1])
                      : dim[n - 1] % (to / from) != 0)
            return gnd__fail(
                x->dev, from > to ? GND_ERR_OVERFLOW : GND_ERR_SHAPE,
                "%s: shape %s, %s to %s: the last axis must have a multiple of %" PRId64
                " elements",
                func, gnd__shape_text(text, n, x->dim), gnd_dtype_name(old), gnd_dtype_name(t),
                to / from);
        if (from < to)
            dim[n - 1] /= to / from;
    }
    if ((bad = gnd__check_shape(func, x->dev, t, n, dim)))
        return bad;
    if (gnd__shape_size(n, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, t, n, dim, 0, NULL);
    const gnd__inner in = gnd__enter(func);
    if (from == to)
        return gnd__leave(in, elements(words(x), t));
    gnd_array *y = resized(words(flat(x)), from < 8 ? from : 8, to < 8 ? to : 8);
    y = elements(y, t);
    return gnd__leave(in, y->kind == GND__ERROR ? y : gnd__reshaped(y, n, dim));
}

gnd_array *gnd_as_strided(gnd_array *x, int ndim, const int64_t *shape, const int64_t *strides,
                          int64_t offset)
{
    static const char func[] = "as_strided";
    char text[2][GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check_shape(func, x->dev, (gnd_dtype)x->dtype, ndim, shape)))
        return bad;
    if (ndim && !strides)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: strides is NULL", func);
    if (gnd__shape_size(ndim, shape, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, ndim, shape, 0, NULL);
    int64_t least = offset, most = offset, far;
    int over = 0;
    for (int i = 0; i < ndim; i++) {
        over |= __builtin_mul_overflow(shape[i] - 1, strides[i], &far);
        over |= far < 0 ? __builtin_add_overflow(least, far, &least)
                        : __builtin_add_overflow(most, far, &most);
    }
    if (over || least < 0 || most >= x->size)
        return gnd__fail(x->dev, GND_ERR_INDEX,
                         "%s: shape %s at strides %s from element %" PRId64
                         " on: not within the %" PRId64 " elements of x",
                         func, gnd__shape_text(text[0], ndim, shape),
                         gnd__shape_text(text[1], ndim, strides), offset, x->size);
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(
        in, gnd__strided_node(gnd__reshaped(x, 1, &x->size), ndim, shape, strides, offset));
}
