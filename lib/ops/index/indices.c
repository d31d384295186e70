/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/indices.c - arrays of indices (of the triangles of a matrix, of every element of a
 * shape), computed on the device from element numbers.
 */
#include <inttypes.h>
#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>

/* The part of an n x m matrix with j - i <= k. Row i has i + k + 1 elements, but none when that is
 * negative and at most m: first rows without elements, then `rows` rows of a, a + 1, ... elements,
 * then full ones. */
typedef struct triangle {
    int64_t top, a, rows;  /* first row with elements, how many it has, and how many rows grow */
    int64_t sloped, total; /* elements in those rows, and in all */
} triangle;

/* x + y, at least INT64_MIN and at most INT64_MAX. */
static int64_t add(int64_t x, int64_t y)
{
    int64_t s;
    return __builtin_add_overflow(x, y, &s) ? (x < 0 ? INT64_MIN : INT64_MAX) : s;
}

/* 0, or -1 when there are too many elements. */
static int measure(int64_t n, int64_t m, int64_t k, triangle *t)
{
    int64_t full, odd, pairs, rest, s;
    memset(t, 0, sizeof *t);
    if (k <= -n || m == 0)
        return 0;
    t->top = k < 0 ? -k : 0;
    full = add(m - 1, -k); /* the first row with m elements */
    full = full < t->top ? t->top : full > n ? n : full;
    t->rows = full - t->top;
    t->a = t->rows ? t->top + k + 1 : m;
    odd = t->rows % 2;
    if (__builtin_mul_overflow(odd ? t->rows : t->rows / 2, odd ? t->rows / 2 : t->rows - 1,
                               &pairs) ||
        __builtin_mul_overflow(t->rows, t->a, &s) || __builtin_add_overflow(s, pairs, &t->sloped) ||
        __builtin_mul_overflow(n - full, m, &rest) ||
        __builtin_add_overflow(t->sloped, rest, &t->total) || t->total > INT64_MAX / 8)
        return -1;
    return 0;
}

/* Where row r of the sloped rows begins: r a + r (r - 1) / 2. */
static gnd_array *begin_of(const triangle *t, gnd_array *r)
{
    gnd_array *twice = gnd_multiply(r, gnd_add(r, gnd_int(2 * t->a - 1)));
    return gnd_bitwise_right_shift(twice, gnd_int(1));
}

/* The sloped row of element p: the greatest r with begin_of(r) <= p, the floor of a root of r^2 + b
 * r - 2 p with b = 2 a - 1. Where b^2 + 8 p is exact in the dtype with 2 digits to spare, a
 * correctly rounded root reaches a whole number only if the exact root is whole: no correction is
 * needed. */
static gnd_array *row_of(const triangle *t, gnd_array *p)
{
    gnd_dtype f = gnd__device_float(p->dev);
    double b = 2.0 * (double)t->a - 1, most = b * b + 8.0 * (double)t->sloped;
    gnd_array *x = gnd_astype(p, f);
    gnd_array *root = gnd_sqrt(gnd_add(gnd_multiply(x, gnd_real(8)), gnd_real(b * b)));
    if (most < (f == GND_FLOAT64 ? 0x1p51 : 0x1p22)) {
        gnd_array *exact = gnd_multiply(gnd_subtract(root, gnd_real(b)), gnd_real(0.5));
        return gnd_astype(gnd_floor(exact), GND_INT64);
    }
    /* Else r is 4 p / (root + b), without cancellation, reduced by more than its largest error: it
     * is never too large. In float64 it is too small by 1 at most, because r is below 2^31. In
     * float32 it may lack d < r / 2^19, which is about (p - begin_of(r)) / (a + r + d / 2). */
    double less = f == GND_FLOAT64 ? 0x1p-40 : 0x1p-20;
    gnd_array *r = gnd_divide(gnd_multiply(x, gnd_real(4 - 4 * less)), gnd_add(root, gnd_real(b)));
    r = gnd_astype(gnd_floor(r), GND_INT64);
    if (f != GND_FLOAT64) {
        gnd_array *half = gnd_bitwise_right_shift(r, gnd_int(20));
        gnd_array *slope = gnd_add(gnd_add(r, half), gnd_int(t->a + 1));
        r = gnd_add(r, gnd_floor_divide(gnd_subtract(p, begin_of(t, r)), slope));
    }
    gnd_array *length = gnd_add(r, gnd_int(t->a));
    gnd_array *next = gnd_greater_equal(gnd_subtract(p, begin_of(t, r)), length);
    return gnd_add(r, gnd_astype(next, GND_INT64));
}

/* Rows and columns of the elements p of triangle t. */
static void find(const triangle *t, int64_t m, gnd_array *p, gnd_array **out)
{
    gnd_array *r = NULL, *c = NULL;
    if (t->sloped) {
        gnd_array *q = t->sloped < t->total ? gnd_minimum(p, gnd_int(t->sloped - 1)) : p;
        r = row_of(t, q);
        c = gnd_subtract(q, begin_of(t, r));
        r = gnd_add(r, gnd_int(t->top));
    }
    if (t->sloped < t->total) {
        gnd_array *q = gnd_subtract(p, gnd_int(t->sloped));
        gnd_array *full = gnd_add(gnd_floor_divide(q, gnd_int(m)), gnd_int(t->top + t->rows));
        gnd_array *place = gnd_remainder(q, gnd_int(m));
        gnd_array *sloped = gnd_less(p, gnd_int(t->sloped));
        r = r ? gnd_where(sloped, r, full) : full;
        c = c ? gnd_where(sloped, c, place) : place;
    }
    out[0] = r ? r : p;
    out[1] = c ? c : p;
}

/* j - i <= k of an n x m matrix; `mirrored`: of the matrix turned by 180 degrees, element by
 * element from the last, which gives j - i >= its own k. */
static gnd_status triangle_indices(const char *func, gnd_device *dev, int64_t n, int64_t k,
                                   int64_t m, int mirrored, gnd_array **out)
{
    triangle t;
    int64_t dim[2] = {n, m < 0 ? n : m};
    gnd_array *bad = gnd__check_device(func, dev);
    if (!bad && !out)
        bad = gnd__fail(dev, GND_ERR_NULL, "%s: out is NULL", func);
    if (!bad && (n < 0 || measure(n, dim[1], k, &t)))
        bad = gnd__fail(dev, n < 0 ? GND_ERR_SHAPE : GND_ERR_OVERFLOW,
                        "%s: shape (%" PRId64 ", %" PRId64 "): %s", func, n, dim[1],
                        n < 0 ? "a negative extent" : "the number of bytes does not fit 64 bits");
    if (bad)
        return gnd__all_fail(2, out, bad);
    const gnd__inner in = gnd__enter(func);
    gnd_array *p = gnd_arange_i64(dev, mirrored ? t.total - 1 : 0, mirrored ? -1 : t.total,
                                  mirrored ? -1 : 1, GND_INT64);
    find(&t, dim[1], p, out);
    for (int d = 0; d < 2; d++)
        out[d] = mirrored ? gnd_subtract(gnd_int(dim[d] - 1), out[d]) : out[d];
    return gnd__give(in, func, 2, out);
}

/* Upper triangles are lower ones of the matrix seen from its last element: (i, j) becomes (n - 1 -
 * i, m - 1 - j), and j - i >= k becomes j - i <= m - n - k. */
static gnd_status upper(const char *func, gnd_device *dev, int64_t n, int64_t k, int64_t m,
                        gnd_array **out)
{
    const int64_t wide = m < 0 ? n : m,
                  own = n < 0 ? 0 : add(wide, -n); /* n < 0 is refused below */
    return triangle_indices(func, dev, n, add(own, k == INT64_MIN ? INT64_MAX : -k), m, 1, out);
}

gnd_status gnd_tril_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m, gnd_array **out)
{
    return triangle_indices("tril_indices", dev, n, k, m, 0, out);
}

gnd_status gnd_triu_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m, gnd_array **out)
{
    return upper("triu_indices", dev, n, k, m, out);
}

static gnd_array *check_matrix(const char *func, gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (!bad && x->ndim != 2)
        bad = gnd__fail(x->dev, GND_ERR_SHAPE, "%s: shape %s: 2 dimensions are needed", func,
                        gnd__shape_text(text, x->ndim, x->dim));
    return bad;
}

gnd_status gnd_tril_indices_from(gnd_array *x, int64_t k, gnd_array **out)
{
    gnd_array *bad = check_matrix("tril_indices_from", x);
    return bad ? gnd__all_fail(2, out, bad)
               : triangle_indices("tril_indices_from", x->dev, x->dim[0], k, x->dim[1], 0, out);
}

gnd_status gnd_triu_indices_from(gnd_array *x, int64_t k, gnd_array **out)
{
    gnd_array *bad = check_matrix("triu_indices_from", x);
    return bad ? gnd__all_fail(2, out, bad)
               : upper("triu_indices_from", x->dev, x->dim[0], k, x->dim[1], out);
}

/* --- of every element ------------------------------------------------------------------------- */

gnd_array *gnd_indices(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    int64_t dim[GND_MAX_NDIM + 1];
    gnd_array *bad = gnd__check_device("indices", dev), *axis[GND_MAX_NDIM];
    if (t == GND_DTYPE_DEFAULT)
        t = GND_INT64;
    if (!bad && t == GND_BOOL)
        bad = gnd__fail(dev, GND_ERR_DTYPE, "indices: dtype bool: a dtype of numbers is needed");
    if (bad || (bad = gnd__check_type("indices", dev, t)) ||
        (bad = gnd__check_shape("indices", dev, t, ndim, shape)))
        return bad;
    dim[0] = ndim;
    if (ndim)
        memcpy(dim + 1, shape, (size_t)ndim * sizeof dim[0]);
    if ((bad = gnd__check_shape("indices", dev, t, ndim + 1, dim)))
        return bad;
    if (ndim == 0)
        return gnd__node(GND__EMPTY, dev, t, 1, dim, 0, NULL);
    const gnd__inner in = gnd__enter("indices");
    for (int d = 0; d < ndim; d++) {
        gnd__map m = {.step = {1}, .from = {(int8_t)d}};
        axis[d] = gnd_arange_i64(dev, 0, shape[d], 1, t);
        if (axis[d]->kind != GND__ERROR)
            axis[d] = gnd__viewed(axis[d], ndim, shape, &m);
    }
    return gnd__leave(in, gnd_stack(ndim, axis, 0));
}
