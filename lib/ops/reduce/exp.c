/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/exp.c - exponentials over axes that neither overflow nor lose small terms (logsumexp,
 * softmax, log_softmax), and normalization over axes: two reductions and elementwise operations.
 */
#include <gnd/stat.h>

#include <math.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "array/steps.h"
#include "graph/check.h"

/* x, or its real parts if x is complex. */
static gnd_array *real_part(gnd_array *x)
{
    if (x->kind == GND__ERROR || gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return x;
    return gnd__op1(GND__OP_REAL, x);
}

/* x with 0 in place of NaN and infinities, so that subtracting it makes no NaN. */
static gnd_array *or_zero(gnd_array *x)
{
    return gnd__op3(GND__OP_WHERE, gnd__op1(GND__OP_ISFINITE, x), x, gnd__number(0));
}

/* --- logsumexp -------------------------------------------------------------------------------- */

/* m + log(k) + log1p(r / k), where m is the maximum, k its number of occurrences, and r the sum of
 * exp(x - m) over the other elements. An r that is small compared to 1 is not lost. */
static gnd_array *log_of_sum(gnd_array *x, gnd_axes axes, unsigned flags)
{
    gnd_array *m = gnd_max(x, axes, GND_KEEPDIMS);
    gnd_array *top = gnd__op2(GND__OP_EQUAL, x, m);
    gnd_array *d = gnd__op2(GND__OP_SUBTRACT, x, or_zero(m));
    gnd_array *e = gnd__op3(GND__OP_WHERE, top, gnd__number(0), gnd__op1(GND__OP_EXP, d));
    gnd_array *r = gnd_sum(e, axes, flags);
    gnd_array *k = gnd_count_nonzero(top, axes, flags);
    if (r->kind == GND__ERROR || k->kind == GND__ERROR)
        return r->kind == GND__ERROR ? r : k;
    k = gnd__as(k, (gnd_dtype)r->dtype);
    r = gnd__op1(GND__OP_LOG1P, gnd__op2(GND__OP_DIVIDE, r, k));
    if (!(flags & GND_KEEPDIMS))
        m = gnd_max(x, axes, flags);
    return gnd__op2(GND__OP_ADD, gnd__op2(GND__OP_ADD, r, gnd__op1(GND__OP_LOG, k)), m);
}

/* m + log(sum(b exp(x - m))), where m is the maximum of x (of its real part) over the elements
 * whose b is not 0. */
static gnd_array *log_of_weighted(gnd_array *x, gnd_array *b, gnd_axes axes, unsigned flags)
{
    gnd_array *least = gnd__number(-INFINITY), *re = real_part(x), *m, *e;
    if (b) {
        gnd_array *out = gnd__with(GND__OP_EQUAL, b, 0);
        re = gnd__op3(GND__OP_WHERE, out, least, re);
        x = gnd__op3(GND__OP_WHERE, out, least, x);
    }
    m = gnd_max(re, axes, GND_KEEPDIMS);
    e = gnd__op1(GND__OP_EXP, gnd__op2(GND__OP_SUBTRACT, x, or_zero(m)));
    if (b)
        e = gnd__op2(GND__OP_MULTIPLY, e, b);
    e = gnd__op1(GND__OP_LOG, gnd_sum(e, axes, flags));
    if (!(flags & GND_KEEPDIMS))
        m = gnd_max(re, axes, flags);
    return gnd__op2(GND__OP_ADD, e, or_zero(m));
}

gnd_array *gnd_logsumexp(gnd_array *x, gnd_array *b, gnd_axes axes, unsigned flags)
{
    uint32_t mask;
    gnd_device *dev;
    gnd__shape shape;
    gnd_array *bad = gnd__check_reduction("logsumexp", x, axes, flags, &mask), *both[2] = {x, b};
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("logsumexp");
    gnd_dtype t = gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
    if (b) {
        if ((bad = gnd__check(b, "logsumexp", "b")) ||
            (bad = gnd__check_devices("logsumexp", 2, both, &dev)))
            return gnd__leave(in, bad);
        t = gnd__mean_float(dev, gnd__common_dtype(dev, 2, both));
        if ((bad = gnd__check_broadcast("logsumexp", dev, t, 2, both, &shape)))
            return gnd__leave(in, bad);
        /* The axes are those of the common shape, as in SciPy. */
        gnd_array *full = gnd__broadcast(x, shape.ndim, shape.dim);
        if ((bad = gnd__check_reduction("logsumexp", full, axes, flags, &mask)))
            return gnd__leave(in, bad);
        x = full;
        b = gnd__strong(b, dev, gnd__wide_float(dev, t), "logsumexp");
    }
    int64_t dim[GND_MAX_NDIM];
    int ndim = gnd__reduced_dims(x, mask, flags, dim);
    gnd_array *y, *c = gnd__as(x, gnd__wide_float(x->dev, t));
    if (gnd__count_of(x, mask) == 0)
        y = gnd_full(x->dev, t, ndim, dim, gnd__number(-INFINITY));
    else if (b || gnd_dtype_kind(t) == 'c')
        y = log_of_weighted(c, b, axes, flags);
    else
        y = log_of_sum(c, axes, flags);
    return gnd__leave(in, gnd__as(y, t));
}

/* --- softmax ---------------------------------------------------------------------------------- */

static gnd_array *check_softmax(const char *func, gnd_array *x, gnd_axes axes)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, 0, &mask);
    if (!bad && gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        bad = gnd__fail(x->dev, GND_ERR_DTYPE, "%s: %s is not allowed: bools, ints and floats only",
                        func, gnd_dtype_name((gnd_dtype)x->dtype));
    return bad;
}

gnd_array *gnd_softmax(gnd_array *x, gnd_axes axes)
{
    gnd_array *bad = check_softmax("softmax", x, axes);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("softmax");
    gnd_dtype t = gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
    gnd_array *c = gnd__as(x, gnd__wide_float(x->dev, t));
    if (x->size == 0)
        return gnd__leave(in, gnd__as(c, t));
    gnd_array *m = gnd_max(c, axes, GND_KEEPDIMS);
    gnd_array *e = gnd__op1(GND__OP_EXP, gnd__op2(GND__OP_SUBTRACT, c, m));
    gnd_array *sum = gnd_sum(e, axes, GND_KEEPDIMS);
    return gnd__leave(in, gnd__as(gnd__op2(GND__OP_DIVIDE, e, sum), t));
}

gnd_array *gnd_log_softmax(gnd_array *x, gnd_axes axes)
{
    gnd_array *bad = check_softmax("log_softmax", x, axes);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("log_softmax");
    gnd_dtype t = gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
    gnd_array *c = gnd__as(x, gnd__wide_float(x->dev, t));
    if (x->size == 0)
        return gnd__leave(in, gnd__as(c, t));
    gnd_array *m = or_zero(gnd_max(c, axes, GND_KEEPDIMS));
    gnd_array *d = gnd__op2(GND__OP_SUBTRACT, c, m);
    gnd_array *sum = gnd_sum(gnd__op1(GND__OP_EXP, d), axes, GND_KEEPDIMS);
    gnd_array *y = gnd__op2(GND__OP_SUBTRACT, d, gnd__op1(GND__OP_LOG, sum));
    return gnd__leave(in, gnd__as(y, t));
}

/* --- normalizing ------------------------------------------------------------------------------ */

static gnd_array *check_eps(const char *func, gnd_array *x, gnd_axes axes, double eps)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, 0, &mask);
    if (!bad && !(eps >= 0))
        bad = gnd__fail(x->dev, GND_ERR_ARG, "%s: eps %g: it must not be negative", func, eps);
    return bad;
}

gnd_array *gnd_normalize(gnd_array *x, gnd_axes axes, double eps)
{
    gnd_array *bad = check_eps("normalize", x, axes, eps);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("normalize");
    gnd_dtype t = gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
    gnd_array *c = gnd__as(x, gnd__wide_float(x->dev, t));
    gnd_array *n = gnd_sum(gnd__abs2(c), axes, GND_KEEPDIMS);
    n = gnd__with(GND__OP_MAXIMUM, gnd__op1(GND__OP_SQRT, n), eps);
    return gnd__leave(in, gnd__as(gnd__op2(GND__OP_DIVIDE, c, n), t));
}

gnd_array *gnd_standardize(gnd_array *x, gnd_axes axes, double eps)
{
    gnd_array *bad = check_eps("standardize", x, axes, eps);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("standardize");
    gnd_dtype t = gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
    gnd_array *c = gnd__as(x, gnd__wide_float(x->dev, t));
    gnd_array *d = gnd__op2(GND__OP_SUBTRACT, c, gnd_mean(c, axes, GND_KEEPDIMS));
    gnd_array *v = gnd_mean(gnd__abs2(d), axes, GND_KEEPDIMS);
    v = gnd__op1(GND__OP_SQRT, gnd__with(GND__OP_ADD, v, eps));
    return gnd__leave(in, gnd__as(gnd__op2(GND__OP_DIVIDE, d, v), t));
}
