/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/range.c - arrays computed from their indices: arange, linspace, eye, triangles, coordinate
 * grids. All consist of GND__IOTA and elementwise operations, so that they fuse with their
 * consumers and take no memory. Values equal NumPy's bit for bit if the device rounds according to
 * IEEE 754.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/host.h"
#include "device/device.h"
#include "graph/graph.h"
#include "array/steps.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>

/* --- steps ------------------------------------------------------------------------------------ */

static gnd_array *iota(gnd_device *dev, int64_t n)
{
    return gnd__node(GND__IOTA, dev, GND_INT64, 1, &n, 0, NULL);
}

/* start + step * i for the elements i of x, an array of the compute dtype. */
static gnd_array *affine(gnd_array *x, gnd_array *step, gnd_array *start)
{
    return gnd__op2(GND__OP_ADD, gnd__op2(GND__OP_MULTIPLY, x, step), start);
}

/* Checks a scalar argument: a weak scalar of a kind up to `most` ('i', 'f' or 'c'). */
static gnd_array *check_scalar(const char *func, const char *arg, gnd_device *dev, gnd_array *x,
                               int most)
{
    gnd_array *bad = gnd__check(x, func, arg);
    if (bad)
        return bad;
    if (!x->weak)
        return gnd__fail(dev, GND_ERR_ARG, "%s: %s is an array: a scalar is needed (gnd_real ...)",
                         func, arg);
    if (x->p.value.kind == 'c' && most != 'c')
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s is complex: it must be real", func, arg);
    return NULL;
}

static double real_value(const gnd_array *x)
{
    const gnd__scalar *v = &x->p.value;
    return v->kind == 'f' || v->kind == 'c' ? v->re : v->kind == 'u' ? (double)v->u : (double)v->i;
}

/* The compute dtype of float dtype t: NumPy computes 16-bit floats in float32. */
static gnd_dtype wide(gnd_dtype t)
{
    t = gnd__real_of(t);
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
}

static double rounded(double v, gnd_dtype t)
{
    uint64_t room[2];
    gnd__scalar s = {.kind = 'f', .re = v};
    gnd__store_scalar(t, room, &s);
    return gnd__load_scalar(t, room).re;
}

/* --- arange ----------------------------------------------------------------------------------- */

/* ceil((stop - start) / step) for ints; -1 when it overflows. */
static int64_t int_count(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t n = (span - 1) / by + 1;
    return n > INT64_MAX ? -1 : (int64_t)n;
}

/* The elements start + delta * i in int64, as dtype t. */
static gnd_array *int_range(gnd_device *dev, int64_t n, int64_t start, int64_t delta, gnd_dtype t)
{
    const gnd__inner in = gnd__enter("arange");
    gnd_array *x = iota(dev, n);
    if (delta != 1)
        x = gnd__op2(GND__OP_MULTIPLY, x, gnd_int(delta));
    if (start != 0)
        x = gnd__op2(GND__OP_ADD, x, gnd_int(start));
    return gnd__leave(in, gnd__as(x, t));
}

/* x with element number `at` replaced by v; i holds the element numbers. */
static gnd_array *with_element(gnd_array *x, gnd_array *i, int64_t at, gnd_array *v)
{
    gnd_array *here = gnd__op2(GND__OP_EQUAL, i, gnd_int(at));
    return gnd__op3(GND__OP_WHERE, here, v, x);
}

/* The same for floats, filled as NumPy does: the second element is start + step rounded to the
 * dtype, and the step is the difference of the first two. */
static gnd_array *float_range(gnd_device *dev, int64_t n, double start, double step, gnd_dtype t)
{
    gnd_dtype c = wide(t), r = gnd__real_of(t);
    double first = rounded(start, r), second = rounded(start + step, r);
    double delta =
        n < 2 ? 0 : rounded(second - first, c); /* may be infinite: 0 times that is NaN */
    const gnd__inner in = gnd__enter("arange");
    gnd_array *i = iota(dev, n), *x = gnd__as(i, c);
    x = affine(x, gnd_real(delta), gnd_real(first));
    if (n > 1 && rounded(rounded(first + delta, c), r) != second)
        x = with_element(x, i, 1, gnd_real(second));
    return gnd__leave(in, gnd__as(x, t));
}

/* Checks n elements of dtype t; n < 0: too many to count. */
static gnd_array *check_count(gnd_device *dev, gnd_dtype t, int64_t n)
{
    if (n >= 0)
        return gnd__check_shape("arange", dev, t, 1, &n);
    return gnd__fail(dev, GND_ERR_OVERFLOW, "arange: the number of elements does not fit 64 bits");
}

static gnd_array *arange_int(gnd_device *dev, int64_t start, int64_t stop, int64_t step,
                             gnd_dtype t)
{
    gnd_array *bad;
    if (t == GND_DTYPE_DEFAULT)
        t = GND_INT64;
    if ((bad = gnd__check_type("arange", dev, t)))
        return bad;
    if (step == 0)
        return gnd__fail(dev, GND_ERR_ARG, "arange: the step is 0");
    int64_t n = int_count(start, stop, step);
    if ((bad = check_count(dev, t, n)))
        return bad;
    int kind = gnd_dtype_kind(t);
    if (kind == 'f' || kind == 'c')
        return float_range(dev, n, (double)start, (double)step, t);
    return int_range(dev, n, start, step, t);
}

static gnd_array *arange_float(gnd_device *dev, double start, double stop, double step, gnd_dtype t)
{
    gnd_array *bad;
    if (t == GND_DTYPE_DEFAULT)
        t = gnd__device_float(dev);
    if ((bad = gnd__check_type("arange", dev, t)))
        return bad;
    if (step == 0)
        return gnd__fail(dev, GND_ERR_ARG, "arange: the step is 0");
    double len = (stop - start) / step;
    if (isnan(len))
        return gnd__fail(dev, GND_ERR_ARG, "arange: from %g to %g by %g has no length", start, stop,
                         step);
    /* As in NumPy, a length that underflows gives one element, or none if it is negative. */
    len = len == 0 && stop != start ? (signbit(len) ? 0 : 1) : ceil(len);
    int64_t n = len >= 9223372036854775808.0 ? -1 : len > 0 ? (int64_t)len : 0;
    if ((bad = check_count(dev, t, n)))
        return bad;
    int kind = gnd_dtype_kind(t);
    if (kind == 'f' || kind == 'c')
        return float_range(dev, n, start, step, t);
    /* As in NumPy, the first two elements are truncated to ints, and their difference is the
     * step. */
    if (fabs(start) >= 0x1p62 || fabs(start + step) >= 0x1p62)
        return gnd__fail(dev, GND_ERR_OVERFLOW, "arange: %g by %g does not fit %s", start, step,
                         gnd_dtype_name(t));
    int64_t first = (int64_t)start;
    return int_range(dev, n, first, (int64_t)(start + step) - first, t);
}

gnd_array *gnd_arange(gnd_device *dev, gnd_array *start, gnd_array *stop, gnd_array *step,
                      gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("arange", dev);
    if (bad || (bad = check_scalar("arange", "start", dev, start, 'f')) ||
        (bad = check_scalar("arange", "stop", dev, stop, 'f')) ||
        (bad = check_scalar("arange", "step", dev, step, 'f')))
        return bad;
    if (start->p.value.kind == 'f' || stop->p.value.kind == 'f' || step->p.value.kind == 'f')
        return arange_float(dev, real_value(start), real_value(stop), real_value(step), t);
    for (int i = 0; i < 3; i++) {
        const gnd__scalar *v = &(i == 0 ? start : i == 1 ? stop : step)->p.value;
        if (v->kind == 'u')
            return gnd__fail(dev, GND_ERR_OVERFLOW, "arange: %s %" PRIu64 " does not fit int64",
                             i == 0   ? "start"
                             : i == 1 ? "stop"
                                      : "step",
                             v->u);
    }
    return arange_int(dev, start->p.value.i, stop->p.value.i, step->p.value.i, t);
}

gnd_array *gnd_arange_f64(gnd_device *dev, double start, double stop, double step, gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("arange", dev);
    return bad ? bad : arange_float(dev, start, stop, step, t);
}

gnd_array *gnd_arange_i64(gnd_device *dev, int64_t start, int64_t stop, int64_t step, gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("arange", dev);
    return bad ? bad : arange_int(dev, start, stop, step, t);
}

/* --- linspace --------------------------------------------------------------------------------- */

/* A weak scalar, complex only if asked for. */
static gnd_array *number(int is_complex, double re, double im)
{
    return is_complex ? gnd_complex(re, im) : gnd_real(re);
}

gnd_array *gnd_linspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                        int endpoint, gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("linspace", dev);
    if (bad || (bad = check_scalar("linspace", "start", dev, start, 'c')) ||
        (bad = check_scalar("linspace", "stop", dev, stop, 'c')))
        return bad;
    int z = start->p.value.kind == 'c' || stop->p.value.kind == 'c';
    gnd_dtype c = gnd__device_float(dev);
    if (z)
        c = gnd__complex_of(c);
    if (t == GND_DTYPE_DEFAULT)
        t = c;
    if ((bad = gnd__check_type("linspace", dev, t)))
        return bad;
    if (z && gnd_dtype_kind(t) != 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "linspace: complex ends as %s: take complex64 or "
                         "complex128",
                         gnd_dtype_name(t));
    if (num < 0)
        return gnd__fail(dev, GND_ERR_ARG, "linspace: %" PRId64 " elements", num);
    if ((bad = gnd__check_shape("linspace", dev, t, 1, &num)))
        return bad;

    /* As in NumPy: start + i * ((stop - start) / div); a step that underflows to 0 is replaced by
     * (i / div) * (stop - start); the last element is stop itself. */
    double sr = real_value(start), si = z && start->p.value.kind == 'c' ? start->p.value.im : 0;
    double er = real_value(stop), ei = z && stop->p.value.kind == 'c' ? stop->p.value.im : 0;
    double dr = er - sr, di = ei - si, div = (double)(endpoint ? num - 1 : num);
    double tr = dr / div, ti = di / div;
    const gnd__inner in = gnd__enter("linspace");
    gnd_array *i = iota(dev, num), *x = gnd__as(i, c);
    if (div > 0 && tr == 0 && ti == 0)
        x = gnd__op2(GND__OP_MULTIPLY, gnd__op2(GND__OP_DIVIDE, x, gnd_real(div)),
                     number(z, dr, di));
    else
        x = gnd__op2(GND__OP_MULTIPLY, x, div > 0 ? number(z, tr, ti) : number(z, dr, di));
    x = gnd__op2(GND__OP_ADD, x, number(z, sr, si));
    if (endpoint && num > 1)
        x = with_element(x, i, num - 1, number(z, er, ei));
    int kind = gnd_dtype_kind(t);
    if (kind != 'f' && kind != 'c' && x->kind != GND__ERROR)
        x = gnd__elementwise(GND__OP_FLOOR, 1, &x);
    return gnd__leave(in, gnd__as(x, t));
}

/* --- matrices --------------------------------------------------------------------------------- */

/* j - i for the last two axes of an n x m matrix, an int64 array of shape (n, m). */
static gnd_array *diagonals(gnd_device *dev, int64_t n, int64_t m)
{
    gnd_array *i = iota(dev, n), *j = iota(dev, m);
    gnd_array *col = i->kind == GND__ERROR ? i : gnd__expanded(i, 2);
    return gnd__op2(GND__OP_SUBTRACT, j, col);
}

/* Ones of dtype t where a column's distance from diagonal k has that relation, zeros elsewhere. */
static gnd_array *ones_where(const char *func, gnd_device *dev, gnd_dtype t, int64_t n, int64_t m,
                             gnd__op relation, int64_t k)
{
    gnd_array *bad = gnd__check_device(func, dev);
    if (bad)
        return bad;
    if (t == GND_DTYPE_DEFAULT)
        t = gnd__device_float(dev);
    int64_t dim[2] = {n, m < 0 ? n : m};
    if ((bad = gnd__check_type(func, dev, t)) || (bad = gnd__check_shape(func, dev, t, 2, dim)))
        return bad;
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in,
                      gnd__as(gnd__op2(relation, diagonals(dev, dim[0], dim[1]), gnd_int(k)), t));
}

gnd_array *gnd_eye(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k)
{
    return ones_where("eye", dev, t, n, m, GND__OP_EQUAL, k);
}

gnd_array *gnd_tri(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k)
{
    return ones_where("tri", dev, t, n, m, GND__OP_LESS_EQUAL, k);
}

static gnd_array *triangle(const char *func, gnd_array *x, gnd__op keep, int64_t k)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: shape %s: at least 2 dimensions are needed",
                         func, gnd__shape_text(text, x->ndim, x->dim));
    gnd__scalar v = {.kind = gnd_dtype_kind((gnd_dtype)x->dtype)};
    const gnd__inner in = gnd__enter(func);
    gnd_array *kept =
        gnd__op2(keep, diagonals(x->dev, x->dim[x->ndim - 2], x->dim[x->ndim - 1]), gnd_int(k));
    gnd_array *zero = gnd__const(x->dev, (gnd_dtype)x->dtype, &v, 0);
    return gnd__leave(in, gnd__op3(GND__OP_WHERE, kept, x, zero));
}

gnd_array *gnd_tril(gnd_array *x, int64_t k)
{
    return triangle("tril", x, GND__OP_LESS_EQUAL, k);
}

gnd_array *gnd_triu(gnd_array *x, int64_t k)
{
    return triangle("triu", x, GND__OP_GREATER_EQUAL, k);
}

/* --- grids ------------------------------------------------------------------------------------ */

static gnd_array *check_grid(int n, gnd_array *const *x, int indexing_ij, int64_t *dim)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check_list("meshgrid", n, x, &dev);
    if (bad)
        return bad;
    if (n > GND_MAX_NDIM)
        return gnd__fail(dev, GND_ERR_SHAPE, "meshgrid: %d arrays: 1 to %d are possible", n,
                         GND_MAX_NDIM);
    size_t widest = 1;
    for (int i = 0; i < n; i++) {
        if ((bad = gnd__check_strong(x[i], "meshgrid", "an array")))
            return bad;
        if (x[i]->ndim > 1)
            return gnd__fail(dev, GND_ERR_SHAPE,
                             "meshgrid: x[%d] has shape %s: one dimension is "
                             "needed",
                             i, gnd__shape_text(text, x[i]->ndim, x[i]->dim));
        dim[i] = x[i]->size;
        size_t bytes = gnd_dtype_size((gnd_dtype)x[i]->dtype);
        widest = bytes > widest ? bytes : widest;
    }
    if (!indexing_ij && n > 1) {
        dim[0] = x[1]->size;
        dim[1] = x[0]->size;
    }
    return gnd__check_shape("meshgrid", dev, widest > 8 ? GND_COMPLEX128 : GND_INT64, n, dim);
}

gnd_status gnd_meshgrid(int n, gnd_array *const *x, int indexing_ij, gnd_array **out)
{
    int64_t dim[GND_MAX_NDIM];
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "meshgrid: out is NULL");
    gnd_array *bad = check_grid(n, x, indexing_ij, dim);
    if (bad) {
        gnd_status code = gnd__told(bad);
        for (int i = 0; i < n; i++)
            out[i] = i ? gnd__same(bad) : bad;
        if (n < 1)
            gnd_release(bad);
        return code;
    }
    gnd_status st = GND_OK;
    for (int i = 0; i < n; i++) {
        int axis = !indexing_ij && n > 1 && i < 2 ? 1 - i : i;
        gnd__map m = {.step = {1}, .from = {(int8_t)axis}};
        out[i] = gnd__viewed(x[i], n, dim, &m);
        if (st == GND_OK)
            st = gnd__told(out[i]);
    }
    return st;
}
