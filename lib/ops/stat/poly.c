/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/poly.c - polynomials: values by Horner's rule, matrices of powers, and least squares by
 * an orthogonal basis of the powers, all lazy. Internally the powers are rows, beginning with x^0.
 * NumPy's order, highest power first, is produced at the end.
 */
#include <gnd/stat.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "array/steps.h"
#include "array/views.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "prim/horner.h"

/* --- values ----------------------------------------------------------------------------------- */

/* p[i]: element i of the first axis, without that axis. */
static gnd_array *entry(gnd_array *p, int64_t i)
{
    gnd_range r = {.kind = GND_IDX_INT, .start = i};
    return gnd_index(p, 1, &r);
}

/* More coefficients than this need a loop in a kernel. Fewer are an expression, which fuses with
 * its surroundings. */
enum { MANY = 32 };

/* The polynomials with the coefficients q at x, starting with y, which is 0 x. x and the elements
 * of q broadcast to shape. */
static gnd_array *by_loop(gnd_array *q, gnd_array *x, gnd_array *y, const gnd__shape *shape)
{
    int64_t dim[GND_MAX_NDIM + 1], one[GND_MAX_NDIM + 1];
    if (q->kind == GND__ERROR || y->kind == GND__ERROR)
        return q->kind == GND__ERROR ? q : y;
    if (q->ndim > 1 && shape->ndim == GND_MAX_NDIM)
        return gnd__fail(q->dev, GND_ERR_SHAPE,
                         "polyval: p has %d dimensions and the result %d: with more "
                         "than %d coefficients %d are possible",
                         q->ndim, shape->ndim, MANY, GND_MAX_NDIM - 1);
    if (q->ndim >
        1) { /* axes of extent 1 between the coefficients' and the rest, then all of shape */
        const int gap = shape->ndim - (q->ndim - 1);
        dim[0] = one[0] = q->dim[0];
        for (int i = 0; i < shape->ndim; i++) {
            dim[i + 1] = shape->dim[i];
            one[i + 1] = i < gap ? 1 : q->dim[i - gap + 1];
        }
        gnd_array *bad =
            gnd__check_shape("polyval", q->dev, (gnd_dtype)q->dtype, shape->ndim + 1, dim);
        q = bad ? bad : gnd__reshaped(q, shape->ndim + 1, one);
        q = q->kind == GND__ERROR ? q : gnd__broadcast(q, shape->ndim + 1, dim);
    }
    x = gnd__broadcast(x, shape->ndim, shape->dim);
    y = gnd__broadcast(y, shape->ndim, shape->dim);
    if (q->kind == GND__ERROR || x->kind == GND__ERROR || y->kind == GND__ERROR)
        return q->kind == GND__ERROR ? q : x->kind == GND__ERROR ? x : y;
    return gnd__horner_node(q, x, y);
}

gnd_array *gnd_polyval(gnd_array *p, gnd_array *x)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(p, "polyval", "p"), *both[2] = {p, x};
    if (bad || (bad = gnd__check_strong(x, "polyval", "x")) ||
        (bad = gnd__check_devices("polyval", 2, both, &dev)))
        return bad;
    if (p->ndim == 0)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "polyval: p has no dimensions: the coefficients are one");
    const gnd__inner in = gnd__enter("polyval");
    gnd_dtype t = p->dim[0] ? gnd__common_dtype(dev, 2, both) : (gnd_dtype)x->dtype;
    gnd_dtype wide = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    if (p->dim[0] == 0)
        return gnd__leave(in, gnd_zeros_like(x, GND_DTYPE_DEFAULT));
    gnd__shape shape;
    gnd_array *first = entry(p, 0);
    if (first->kind != GND__ERROR &&
        (bad = gnd__check_broadcast("polyval", dev, t, 2, (gnd_array *[]){first, x}, &shape)))
        return gnd__leave(in, bad);
    gnd_array *c = gnd__as(x, wide), *q = gnd__as(p, wide);
    gnd_array *y = gnd__op2(GND__OP_MULTIPLY, c, gnd_int(0));
    if (p->dim[0] > MANY)
        return gnd__leave(in, gnd__as(by_loop(q, c, y, &shape), t));
    for (int64_t i = 0; i < p->dim[0] && y->kind != GND__ERROR; i++) {
        if (i)
            y = gnd__op2(GND__OP_MULTIPLY, y, c);
        y = gnd__op2(GND__OP_ADD, y, entry(q, i));
    }
    return gnd__leave(in, gnd__as(y, t));
}

/* --- powers ----------------------------------------------------------------------------------- */

/* The dtype of powers in NumPy: t promoted with int64. */
static gnd_dtype powers_dtype(const gnd_device *dev, gnd_dtype t)
{
    return gnd__within(dev, gnd_promote(t, GND_INT64));
}

/* The rows x^0, x^1 ... x^(n-1), n >= 1, of the 1-d array x. For complex x each power is the
 * previous one times x: the general power uses logarithms and is less accurate. */
static gnd_array *power_rows(gnd_array *x, int64_t n)
{
    if (x->kind == GND__ERROR)
        return x;
    if (gnd_dtype_kind((gnd_dtype)x->dtype) != 'c') {
        gnd_array *e = gnd__as(gnd_arange_i64(x->dev, 0, n, 1, GND_INT64), (gnd_dtype)x->dtype);
        return gnd__op2(GND__OP_POW, x, gnd__along(e, 2, 0));
    }
    gnd_array **row = gnd__calloc((size_t)n, sizeof *row), *y;
    if (!row)
        return gnd__nomem();
    row[0] = gnd_ones_like(x, GND_DTYPE_DEFAULT);
    for (int64_t i = 1; i < n; i++)
        row[i] = i == 1 ? x : gnd__op2(GND__OP_MULTIPLY, row[i - 1], x);
    y = gnd_stack((int)n, row, 0);
    gnd__free(row);
    return y;
}

gnd_array *gnd_vander(gnd_array *x, int64_t n, int increasing)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "vander", "x");
    if (bad)
        return bad;
    if (x->ndim != 1)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "vander: x has shape %s: one dimension is needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    n = n < 0 ? x->size : n;
    gnd_dtype t = powers_dtype(x->dev, (gnd_dtype)x->dtype);
    if ((bad = gnd__check_shape("vander", x->dev, t, 2, (int64_t[]){x->size, n})))
        return bad;
    if (n > INT32_MAX && gnd_dtype_kind(t) == 'c')
        return gnd__fail(x->dev, GND_ERR_OVERFLOW, "vander: %" PRId64 " complex powers", n);
    if (n == 0)
        return gnd_zeros(x->dev, t, 2, (int64_t[]){x->size, n});
    const gnd__inner in = gnd__enter("vander");
    gnd_array *rows = power_rows(gnd__as(x, t), n);
    gnd_array *y = gnd_mT(rows);
    return gnd__leave(in, increasing ? y : gnd_flip(y, GND_AXIS(1)));
}

/* --- least squares ---------------------------------------------------------------------------- */

static gnd_array *check_fit(gnd_array *x, gnd_array *y, int deg, gnd_array *w, gnd_device **dev)
{
    char tx[GND__SHAPE_TEXT], ty[GND__SHAPE_TEXT];
    gnd_array *all[3] = {x, y, w}, *bad = gnd__check_strong(x, "polyfit", "x");
    if (bad || (bad = gnd__check_strong(y, "polyfit", "y")) ||
        (w && (bad = gnd__check_strong(w, "polyfit", "w"))) ||
        (bad = gnd__check_devices("polyfit", w ? 3 : 2, all, dev)))
        return bad;
    if (deg < 0)
        return gnd__fail(*dev, GND_ERR_ARG, "polyfit: the degree is %d", deg);
    gnd__shape_text(tx, x->ndim, x->dim);
    if (x->ndim != 1 || x->size == 0)
        return gnd__fail(*dev, GND_ERR_SHAPE,
                         "polyfit: x has shape %s: one dimension, not empty, is needed", tx);
    if (y->ndim < 1 || y->ndim > 2 || y->dim[0] != x->size)
        return gnd__fail(*dev, GND_ERR_SHAPE,
                         "polyfit: x has shape %s and y %s: as many elements or rows are needed",
                         tx, gnd__shape_text(ty, y->ndim, y->dim));
    if (w && (w->ndim != 1 || w->size != x->size))
        return gnd__fail(*dev, GND_ERR_SHAPE,
                         "polyfit: x has shape %s and w %s: as many weights are needed", tx,
                         gnd__shape_text(ty, w->ndim, w->dim));
    return NULL;
}

/* The dot products of the rows of q and v. */
static gnd_array *dots(gnd_array *q, gnd_array *v)
{
    if (q->kind != GND__ERROR && gnd_dtype_kind((gnd_dtype)q->dtype) == 'c')
        q = gnd__op1(GND__OP_CONJ, q);
    return gnd_sum(gnd__op2(GND__OP_MULTIPLY, q, v), GND_AXIS(-1), 0);
}

/* Subtracts from v its projections on the first rows of q, which `before` selects. Adds the lengths
 * of the projections to *r. */
static gnd_array *rejected(gnd_array *q, gnd_array *before, gnd_array *v, gnd_array **r)
{
    gnd_array *c = gnd__op3(GND__OP_WHERE, before, dots(q, v), gnd__number(0));
    if (c->kind == GND__ERROR)
        return c;
    gnd_array *p = gnd__op2(GND__OP_MULTIPLY, q, gnd__along(c, 2, 0));
    *r = *r ? gnd__op2(GND__OP_ADD, *r, c) : c;
    return gnd__stored(gnd__op2(GND__OP_SUBTRACT, v, gnd_sum(p, GND_AXIS(0), 0)));
}

/* 1 / |v|, or 0 if |v| <= limit. */
static gnd_array *inverse_length(gnd_array *v, double limit)
{
    gnd_array *n = gnd__op1(GND__OP_SQRT, gnd_sum(gnd__abs2(v), GND_AXIS(-1), 0));
    return gnd__op3(GND__OP_WHERE, gnd__with(GND__OP_LESS_EQUAL, n, limit), gnd__number(0),
                    gnd__op1(GND__OP_RECIPROCAL, n));
}

/* The number of the first row. It differs from the other constants of a step, so that each step has
 * equally many constants, and so the same kernel. */
enum { FIRST = 2 };

/* The coefficients, lowest power first, that bring the n rows of a (of length 1) nearest to y, an
 * array (m) or (m, k): (n) or (n, k).
 *
 *     a[j] = r[j][0] q[0] + ... + r[j][j-1] q[j-1] + q[j] / d[j]    the q orthonormal, or 0
 *     c[j] = (q[j] . y - r[j+1][j] c[j+1] - ...) d[j]
 *
 * Every step uses whole arrays and selects its rows by number, so that all steps are the same few
 * kernels. The first q is raw: any array in its own memory that is not NaN where a is not NaN. */
static gnd_array *solve(gnd_array *raw, gnd_array *a, gnd_array *y, int n, double limit)
{
    gnd_array **r = gnd__calloc((size_t)n * 2, sizeof *r), **d, *q = raw, *z;
    if (!r)
        return gnd__nomem();
    d = r + n;
    gnd_array *row = gnd_arange_i64(y->dev, FIRST, (int64_t)n + FIRST, 1, GND_INT64);
    gnd_array *rows = gnd__along(row, 2, 0);
    for (int j = 0; j < n && q->kind != GND__ERROR; j++) {
        gnd_array *v = entry(a, j), *before = gnd__with(GND__OP_LESS, row, j + FIRST);
        v = rejected(q, before, v, &r[j]);
        v = rejected(q, before, v, &r[j]);
        d[j] = inverse_length(v, limit);
        gnd_array *this = gnd__with(GND__OP_EQUAL, rows, j + FIRST);
        v = gnd__op2(GND__OP_MULTIPLY, gnd__op3(GND__OP_WHERE, this, v, q), d[j]);
        v = gnd__op3(GND__OP_WHERE, this, v, q);
        q = gnd__stored(v);
    }
    if (y->ndim == 1) {
        z = dots(q, y);
    } else { /* (n, 1, m) by (k, m) */
        q = q->kind == GND__ERROR ? q : gnd__expanded(q, 2);
        z = dots(q, gnd_mT(y));
        row = rows;
    }
    for (int j = n - 1; j >= 0 && z->kind != GND__ERROR; j--) {
        gnd_array *this = gnd__with(GND__OP_EQUAL, row, j + FIRST), *c = entry(z, j);
        gnd_array *f = y->ndim == 1 ? r[j] : gnd__along(r[j], 2, 0);
        f = gnd__op3(GND__OP_WHERE, this, gnd__number(-1), f);
        f = gnd__op2(GND__OP_MULTIPLY, gnd__op2(GND__OP_MULTIPLY, f, c), d[j]);
        f = gnd__op2(GND__OP_SUBTRACT, gnd__op3(GND__OP_WHERE, this, gnd__number(0), z), f);
        z = gnd__op3(GND__OP_WHERE, gnd__with(GND__OP_GREATER, row, j + FIRST), z, f);
        z = gnd__stored(z);
    }
    gnd__free(r);
    return z;
}

gnd_array *gnd_polyfit(gnd_array *x, gnd_array *y, int deg, double rcond, gnd_array *w)
{
    gnd_device *dev;
    gnd_array *bad = check_fit(x, y, deg, w, &dev), *all[3] = {x, y, w};
    if (bad)
        return bad;
    gnd_dtype t = powers_dtype(dev, gnd__common_dtype(dev, w ? 3 : 2, all));
    t = gnd__default_with(dev, t);
    int64_t m = x->size;
    if (deg == INT32_MAX)
        return gnd__fail(dev, GND_ERR_ARG, "polyfit: the degree is %d", deg);
    int n = deg + 1;
    if ((bad = gnd__check_shape("polyfit", dev, t, 2, (int64_t[]){n, m})))
        return bad;
    /* The points are exact: the tolerance depends on the dtype of the computation. */
    gnd_dtype real = gnd__device_has_f64(dev) ? GND_FLOAT64 : GND_FLOAT32;
    double limit =
        rcond < 0 ? (double)m * (real == GND_FLOAT64 ? DBL_EPSILON : FLT_EPSILON) : rcond;
    const gnd__inner in = gnd__enter("polyfit");
    gnd_array *wide[3] = {0};
    for (int i = 0; i < (w ? 3 : 2); i++) {
        int z = gnd_dtype_kind((gnd_dtype)all[i]->dtype) == 'c';
        wide[i] = gnd__as(all[i], z ? gnd__complex_of(real) : real);
    }
    gnd_array *a = power_rows(wide[0], n), *right = wide[1];
    if (w) {
        a = gnd__op2(GND__OP_MULTIPLY, a, wide[2]);
        right = gnd__op2(GND__OP_MULTIPLY, right, gnd__along(wide[2], y->ndim, 0));
    }
    gnd_array *scale = gnd__op1(GND__OP_SQRT, gnd_sum(gnd__abs2(a), GND_AXIS(1), GND_KEEPDIMS));
    scale = gnd__op3(GND__OP_WHERE, gnd__with(GND__OP_EQUAL, scale, 0), gnd__number(1), scale);
    gnd_array *c = right;
    if (right->kind != GND__ERROR)
        c = solve(a, gnd__op2(GND__OP_DIVIDE, a, scale), right, n, limit);
    if (y->ndim == 1 && scale->kind != GND__ERROR)
        scale = gnd_squeeze(scale, GND_AXIS(1));
    c = gnd_flip(gnd__op2(GND__OP_DIVIDE, c, scale), GND_AXIS(0));
    return gnd__leave(in, gnd__as(c, t));
}
