/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/stat.c - range, weighted mean, covariances and correlations as in NumPy, from
 * reductions, elementwise operations and one matrix product.
 */
#include <gnd/stat.h>

#include <inttypes.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/linalg.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "array/steps.h"
#include "graph/check.h"
#include "prim/choices.h"

gnd_array *gnd_ptp(gnd_array *x, gnd_axes axes, unsigned flags)
{
    uint32_t mask;
    char text[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    gnd_array *bad = gnd__check_reduction("ptp", x, axes, flags, &mask);
    if (bad)
        return bad;
    if (x->dtype == GND_BOOL)
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "ptp: bool is not allowed: ints, floats and complex only");
    int ndim = gnd__reduced_dims(x, mask, 0, dim);
    if (x->size == 0 && gnd__shape_size(ndim, dim, 1) != 0)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "ptp: a zero-size array has no maximum and minimum (shape %s)",
                         gnd__shape_text(text, x->ndim, x->dim));
    const gnd__inner in = gnd__enter("ptp");
    gnd_array *high = gnd_max(x, axes, flags);
    gnd_array *low = gnd_min(x, axes, flags);
    return gnd__leave(in, gnd__op2(GND__OP_SUBTRACT, high, low));
}

/* --- average ---------------------------------------------------------------------------------- */

/* The weights with the number of dimensions of x, or an error. */
static gnd_array *fitted(gnd_array *x, gnd_array *w, gnd_axes axes, uint32_t mask)
{
    char tw[GND__SHAPE_TEXT], tx[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    int same = w->ndim == x->ndim, only = axes.bits != GND_ALL.bits, k = 0;
    for (int i = 0; i < x->ndim; i++) {
        int in = mask >> i & 1;
        same = same && w->dim[i] == x->dim[i];
        dim[i] = in ? x->dim[i] : 1;
        only = only && (!in || (k < w->ndim && w->dim[k] == x->dim[i]));
        k += in;
    }
    if (same)
        return w;
    if (only && k == w->ndim)
        return gnd_reshape(w, x->ndim, dim);
    return gnd__fail(x->dev, GND_ERR_SHAPE,
                     "average: weights of shape %s for x of shape %s: they must have "
                     "its shape, or that of the axes that are named",
                     gnd__shape_text(tw, w->ndim, w->dim), gnd__shape_text(tx, x->ndim, x->dim));
}

/* The sum of weights where none are given: n, as an array like y. */
static gnd_array *counts(gnd_array *y, int64_t n)
{
    return y->kind == GND__ERROR ? y : gnd_full_like(y, GND_DTYPE_DEFAULT, gnd__number((double)n));
}

gnd_array *gnd_average(gnd_array *x, gnd_array *weights, gnd_axes axes, unsigned flags,
                       gnd_array **sum_of_weights)
{
    uint32_t mask;
    gnd_device *dev;
    const gnd__inner in = gnd__enter("average");
    gnd_array *y, *total, *bad = gnd__check_reduction("average", x, axes, flags, &mask);
    if (!bad && weights && !(bad = gnd__check_strong(weights, "average", "weights")))
        bad = gnd__check_devices("average", 2, (gnd_array *[]){x, weights}, &dev);
    if (bad) {
        y = total = bad;
    } else if (!weights) {
        y = gnd_mean(x, axes, flags);
        total = counts(y, gnd__count_of(x, mask));
    } else {
        gnd_dtype t = gnd__common_dtype(dev, 2, (gnd_array *[]){x, weights});
        int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
        if (kind == 'b' || kind == 'i' || kind == 'u')
            t = gnd__default_with(dev, t);
        t = gnd__mean_float(dev, t);
        gnd_dtype wide = gnd__wide_float(dev, t);
        gnd_array *w = gnd__as(fitted(x, weights, axes, mask), wide);
        gnd_array *p = gnd__op2(GND__OP_MULTIPLY, gnd__as(x, wide), w);
        total = gnd_sum(w, axes, flags);
        y = gnd_sum(p, axes, flags);
        y = gnd__as(gnd__op2(GND__OP_DIVIDE, y, total), t);
        total = gnd__as(total, t);
        if (total->kind != GND__ERROR && y->kind != GND__ERROR)
            total = gnd_broadcast_to(total, y->ndim, y->dim);
    }
    gnd_array *out[2] = {y, total};
    gnd__leave_all(in, sum_of_weights ? 2 : 1, out);
    if (sum_of_weights)
        *sum_of_weights = out[1];
    return out[0];
}

/* --- covariances ------------------------------------------------------------------------------ */

static gnd_array *check_variables(const char *func, const char *arg, gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, arg);
    if (!bad && x->ndim > 2)
        bad =
            gnd__fail(x->dev, GND_ERR_SHAPE, "%s: %s has shape %s: up to 2 dimensions are possible",
                      func, arg, gnd__shape_text(text, x->ndim, x->dim));
    return bad;
}

/* x as a matrix of dtype t with one variable per row; transposed: x has one per column. */
static gnd_array *variables(gnd_array *x, gnd_dtype t, int transposed)
{
    gnd_array *m = gnd__as(x, t);
    if (m->kind == GND__ERROR)
        return m;
    if (m->ndim < 2)
        return gnd_reshape(m, 2, (int64_t[]){1, m->size});
    return transposed ? gnd_mT(m) : m;
}

/* Checks weights: NULL, or real and 1-d with one element per observation. */
static gnd_array *check_weights(const char *func, const char *arg, gnd_array *w, int64_t n)
{
    char text[GND__SHAPE_TEXT];
    if (!w)
        return NULL;
    if (gnd_dtype_kind((gnd_dtype)w->dtype) == 'c')
        return gnd__fail(w->dev, GND_ERR_DTYPE, "%s: %s is complex: it must be real", func, arg);
    if (w->ndim == 1 && w->size == n)
        return NULL;
    return gnd__fail(w->dev, GND_ERR_SHAPE,
                     "%s: %s has shape %s: one dimension of %" PRId64 " observations is needed",
                     func, arg, gnd__shape_text(text, w->ndim, w->dim), n);
}

/* The dtype of the result: t, or that to which the arrays and the default float promote. */
static gnd_array *check_result(const char *func, gnd_device *dev, gnd_array *x, gnd_array *y,
                               gnd_dtype *t)
{
    gnd_dtype given = gnd__common_dtype(dev, y ? 2 : 1, (gnd_array *[]){x, y});
    if (*t == GND_DTYPE_DEFAULT)
        *t = gnd__default_with(dev, given);
    gnd_array *bad = gnd__check_type(func, dev, *t);
    if (bad)
        return bad;
    int from = gnd_dtype_kind(given), to = gnd_dtype_kind(*t);
    if (to == 'c' || (to == 'f' && from != 'c'))
        return NULL;
    return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s as %s: a %s dtype is needed", func,
                     gnd_dtype_name(given), gnd_dtype_name(*t), from == 'c' ? "complex" : "float");
}

/* The divisor of the sums of products, an array: the sum of w minus the correction. aweights may be
 * NULL. */
static gnd_array *divisor(gnd_array *w, gnd_array *aweights, double correction)
{
    gnd_array *n = gnd_sum(w, GND_ALL, 0);
    if (correction == 0)
        return n;
    if (!aweights)
        return gnd__with(GND__OP_SUBTRACT, n, correction);
    gnd_array *q = gnd__op2(GND__OP_MULTIPLY, w, gnd__as(aweights, (gnd_dtype)w->dtype));
    q = gnd__with(GND__OP_MULTIPLY, gnd_sum(q, GND_ALL, 0), correction);
    return gnd__op2(GND__OP_SUBTRACT, n, gnd__op2(GND__OP_DIVIDE, q, n));
}

/* Whether d is so few long rows on a GPU that the sums of their products are bound by memory: then
 * the rows need not be stored for a library. */
static int few_rows(const gnd_array *d)
{
    return d->kind != GND__ERROR && d->dim[0] <= 6 && d->dim[1] >= 4096 && !gnd__for_cpu(d->dev);
}

/* The products of all rows of a with all rows of b. */
static gnd_array *by_elements(gnd_array *a, gnd_array *b)
{
    gnd_array *p = gnd__op2(GND__OP_MULTIPLY, gnd_expand_dims(a, GND_AXIS(1)),
                            gnd_expand_dims(b, GND_AXIS(0)));
    return gnd_sum(p, GND_AXIS(2), 0);
}

/* The covariances of the rows of m. turned: m is a transposed view, so deviations are computed in
 * the order of what it views. */
static gnd_array *covariances(gnd_array *m, int turned, double correction, gnd_array *fweights,
                              gnd_array *aweights)
{
    if (m->kind == GND__ERROR)
        return m;
    gnd_dtype real = gnd__real_of((gnd_dtype)m->dtype);
    gnd_array *w = fweights ? gnd__as(fweights, real) : NULL, *mean, *scale;
    if (aweights) {
        gnd_array *a = gnd__as(aweights, real);
        w = w ? gnd__op2(GND__OP_MULTIPLY, w, a) : a;
    }
    mean = gnd_average(m, w, GND_AXIS(1), GND_KEEPDIMS, NULL);
    gnd_array *d = turned ? gnd__op2(GND__OP_SUBTRACT, gnd_mT(m), gnd_mT(mean))
                          : gnd__op2(GND__OP_SUBTRACT, m, mean);
    gnd_array *right = d;
    if (w) {
        gnd_array *n = divisor(w, aweights, correction);
        n = gnd__op3(GND__OP_WHERE, gnd__with(GND__OP_LESS_EQUAL, n, 0), gnd__number(0), n);
        scale = gnd__op1(GND__OP_RECIPROCAL, n);
        right = gnd__op2(GND__OP_MULTIPLY, d, turned ? gnd_expand_dims(w, GND_AXIS(1)) : w);
    } else {
        double n = (double)m->dim[1] - correction;
        scale = gnd__number(1 / (n > 0 ? n : 0));
    }
    if (gnd_dtype_kind((gnd_dtype)m->dtype) == 'c')
        right = gnd__op1(GND__OP_CONJ, right);
    if (turned) {
        d = gnd_mT(d);
        right = gnd_mT(right);
    }
    gnd_array *c = few_rows(d) ? by_elements(d, right) : gnd_matmul(d, gnd_mT(right));
    return gnd__op2(GND__OP_MULTIPLY, c, scale);
}

static gnd_array *cov(const char *func, gnd_array *x, gnd_array *y, int rowvar, double correction,
                      gnd_array *fweights, gnd_array *aweights, gnd_dtype t)
{
    static const char *const names[4] = {"x", "y", "fweights", "aweights"};
    gnd_array *all[4] = {x, y, fweights, aweights}, *given[4];
    gnd_device *dev;
    gnd_array *bad = NULL;
    int n = 0;
    for (int i = 0; i < 4 && !bad; i++) {
        if (i && !all[i])
            continue;
        bad = i < 2 ? check_variables(func, names[i], all[i])
                    : gnd__check_strong(all[i], func, names[i]);
        given[n++] = all[i];
    }
    if (bad || (bad = gnd__check_devices(func, n, given, &dev)) ||
        (bad = check_result(func, dev, x, y, &t)))
        return bad;

    const gnd__inner in = gnd__enter(func);
    gnd_dtype wide = gnd__wide_float(dev, t);
    /* As in NumPy, a y with one row is one variable, whatever rowvar is. */
    const int turned = !rowvar && x->ndim == 2;
    gnd_array *m = variables(x, wide, turned);
    if (m->kind == GND__ERROR)
        return gnd__leave(in, m);
    if (m->dim[0] == 0)
        return gnd__leave(in, gnd_zeros(dev, t, 2, (int64_t[]){0, 0}));
    if (y) {
        gnd_array *both[2] = {m, variables(y, wide, !rowvar && y->ndim == 2 && y->dim[0] != 1)};
        if (both[1]->kind != GND__ERROR && both[1]->dim[1] != m->dim[1])
            return gnd__leave(in, gnd__fail(dev, GND_ERR_SHAPE,
                                            "%s: x has %" PRId64 " observations and y %" PRId64,
                                            func, m->dim[1], both[1]->dim[1]));
        m = gnd_concat(2, both, 0);
    }
    if (m->kind != GND__ERROR && ((bad = check_weights(func, names[2], fweights, m->dim[1])) ||
                                  (bad = check_weights(func, names[3], aweights, m->dim[1]))))
        return gnd__leave(in, bad);
    gnd_array *c =
        gnd_squeeze(covariances(m, turned && !y, correction, fweights, aweights), GND_ALL);
    return gnd__leave(in, gnd__as(c, t));
}

gnd_array *gnd_cov(gnd_array *x, gnd_array *y, int rowvar, double correction, gnd_array *fweights,
                   gnd_array *aweights, gnd_dtype t)
{
    return cov("cov", x, y, rowvar, correction, fweights, aweights, t);
}

/* x limited to [-1, 1]. */
static gnd_array *limited(gnd_array *x)
{
    return gnd__op3(GND__OP_CLIP, x, gnd__number(-1), gnd__number(1));
}

gnd_array *gnd_corrcoef(gnd_array *x, gnd_array *y, int rowvar, gnd_dtype t)
{
    const gnd__inner in = gnd__enter("corrcoef");
    gnd_array *c = cov("corrcoef", x, y, rowvar, 1, NULL, NULL, t);
    if (c->kind == GND__ERROR)
        return gnd__leave(in, c);
    if (c->ndim == 0)
        return gnd__leave(in, gnd__op2(GND__OP_DIVIDE, c, c));
    gnd_array *d = gnd_diagonal(c, 0, 0, 1);
    d = gnd__op1(GND__OP_SQRT, gnd__op1(GND__OP_REAL, d));
    c = gnd__op2(GND__OP_DIVIDE, c, gnd__along(d, 2, 0));
    c = gnd__op2(GND__OP_DIVIDE, c, d);
    if (c->kind == GND__ERROR || gnd_dtype_kind((gnd_dtype)c->dtype) != 'c')
        return gnd__leave(in, limited(c));
    gnd_array *re = limited(gnd__op1(GND__OP_REAL, c));
    gnd_array *im = limited(gnd__op1(GND__OP_IMAG, c));
    im = gnd__op2(GND__OP_MULTIPLY, im, gnd_complex(0, 1));
    return gnd__leave(in, gnd__op2(GND__OP_ADD, re, im));
}
