/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/reduce.c - reductions: the accumulator's dtype, results of empty inputs, kept
 * dimensions; mean, variance and counts as operations around a GND__REDUCE, which fuse with it. No
 * GND__REDUCE has an empty input: such calls are answered here.
 */
#include <string.h>
#include "array/steps.h"
#include "array/views.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/choices.h"
#include <gnd/array.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>

/* --- steps ------------------------------------------------------------------------------------ */

gnd_array *gnd__check_reduction(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                                uint32_t *mask)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (flags & ~GND_KEEPDIMS)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: flags %#x: 0 and GND_KEEPDIMS are possible",
                         func, flags);
    return gnd__check_axes(func, x->dev, axes, x->ndim, mask);
}

int64_t gnd__count_of(const gnd_array *x, uint32_t mask)
{
    int64_t n = 1;
    for (int i = 0; i < x->ndim; i++)
        if (mask >> i & 1)
            n *= x->dim[i]; /* a part of x->size, or 0 */
    return n;
}

int gnd__reduced_dims(const gnd_array *x, uint32_t mask, unsigned flags, int64_t *dim)
{
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!(mask >> i & 1))
            dim[ndim++] = x->dim[i];
        else if (flags & GND_KEEPDIMS)
            dim[ndim++] = 1;
    return ndim;
}

/* y, a result without the reduced axes; with GND_KEEPDIMS they are put back with extent 1. */
static gnd_array *kept(gnd_array *y, uint32_t mask, unsigned flags)
{
    if (y->kind == GND__ERROR || !mask || !(flags & GND_KEEPDIMS))
        return y;
    return gnd__expanded(y, mask);
}

/* Reduces x, which has the dtype to accumulate in, to dtype t; keeps the axes if flags say so. x
 * may be an error. */
static gnd_array *reduced(gnd_array *x, gnd__red red, uint32_t mask, gnd_dtype t, unsigned flags)
{
    gnd_array *y;
    if (x->kind == GND__ERROR)
        return x;
    if (x->size == 0) { /* the result of an empty input; also if the result is empty itself */
        int64_t dim[GND_MAX_NDIM];
        int ndim = gnd__reduced_dims(x, mask, 0, dim), one = red == GND__PROD || red == GND__ALL;
        gnd__scalar v = {.kind = gnd_dtype_kind(t), .re = one};
        v.i = one;
        y = gnd__filled(x->dev, t, ndim, dim, &v);
    } else if (!mask) {
        y = gnd__cast_node(x, t);
    } else {
        y = gnd__reduce_node(x, red, mask, t);
    }
    return kept(y, mask, flags);
}

/* --- sums and products ------------------------------------------------------------------------ */

/* From this number of bools on, the time of counting is that of the loop. */
#define MANY_BOOLS 65536

/* The dtype in which bools are counted for a result of dtype t: vectors have twice as many of
 * int32, which holds the number of all but the longest rows. */
static gnd_dtype counted_in(const gnd_array *x, uint32_t mask, gnd_dtype t)
{
    const int wide = t == GND_INT64 || t == GND_UINT64;
    return wide && x->size >= MANY_BOOLS && gnd__count_of(x, mask) <= INT32_MAX ? GND_INT32 : t;
}

/* From this number of factors on, products of float32 are computed in float64: the roundings of
 * many factors near 1 are alike and add up (590,000 factors: 7e-4). */
#define MANY_FACTORS 256

static gnd_array *sum_or_prod(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                              gnd_dtype t, gnd__red red)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    if (t == GND_DTYPE_DEFAULT) {
        t = (gnd_dtype)x->dtype;
        int kind = gnd_dtype_kind(t);
        t = kind == 'b' || kind == 'i' ? GND_INT64 : kind == 'u' ? GND_UINT64 : t;
    }
    const gnd__inner in = gnd__enter(func);
    if (x->dtype == GND_BOOL && red == GND__SUM && counted_in(x, mask, t) != t)
        return gnd__leave(in, reduced(gnd__as(x, GND_INT32), red, mask, t, flags));
    gnd_array *c = t == (gnd_dtype)x->dtype ? x : gnd__astype(x, t, func);
    if (t == GND_BOOL) /* the sum of bools is "any", their product is "all" */
        red = red == GND__SUM ? GND__ANY : GND__ALL;
    const gnd_dtype wide = red == GND__PROD && t == GND_FLOAT32 && c->kind != GND__ERROR &&
                                   gnd__count_of(c, mask) >= MANY_FACTORS
                               ? gnd__device_float(c->dev)
                               : t;
    return gnd__leave(in, gnd__as(reduced(gnd__as(c, wide), red, mask, wide, flags), t));
}

gnd_array *gnd_sum(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return sum_or_prod("sum", x, axes, flags, GND_DTYPE_DEFAULT, GND__SUM);
}

gnd_array *gnd_prod(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return sum_or_prod("prod", x, axes, flags, GND_DTYPE_DEFAULT, GND__PROD);
}

gnd_array *gnd_sum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t)
{
    return sum_or_prod("sum", x, axes, flags, t, GND__SUM);
}

gnd_array *gnd_prod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t)
{
    return sum_or_prod("prod", x, axes, flags, t, GND__PROD);
}

/* --- extremes --------------------------------------------------------------------------------- */

static gnd_array *of_nothing(const char *func, const gnd_array *x, const char *what)
{
    char text[GND__SHAPE_TEXT];
    return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: a zero-size array has no %s (shape %s)", func,
                     what, gnd__shape_text(text, x->ndim, x->dim));
}

static gnd_array *extreme(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                          gnd__red red, const char *what)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    if (x->size == 0) {
        int64_t dim[GND_MAX_NDIM];
        int ndim = gnd__reduced_dims(x, mask, 0, dim);
        if (gnd__shape_size(ndim, dim, 1) != 0)
            return of_nothing(func, x, what);
    }
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in, reduced(x, red, mask, (gnd_dtype)x->dtype, flags));
}

gnd_array *gnd_max(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return extreme("max", x, axes, flags, GND__MAX, "maximum");
}

gnd_array *gnd_min(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return extreme("min", x, axes, flags, GND__MIN, "minimum");
}

static gnd_array *arg_extreme(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                              gnd__red red, const char *what)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    int all = axes.bits == GND_ALL.bits;
    if (!all && __builtin_popcount(mask) != 1)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: %d axes: it takes one, or GND_ALL", func,
                         __builtin_popcount(mask));
    if (gnd__count_of(x, mask) == 0)
        return of_nothing(func, x, what);
    const gnd__inner in = gnd__enter(func);
    if (!all || x->ndim == 1)
        return gnd__leave(in, reduced(x, red, mask, GND_INT64, flags));
    /* The index into the flattened array. */
    gnd_array *flat = gnd__reshaped(x, 1, &x->size);
    gnd_array *y = reduced(flat, red, 1, GND_INT64, 0);
    if (y->kind == GND__ERROR || !(flags & GND_KEEPDIMS))
        return gnd__leave(in, y);
    return gnd__leave(in, gnd__expanded(y, mask));
}

gnd_array *gnd_argmax(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return arg_extreme("argmax", x, axes, flags, GND__ARGMAX, "maximum");
}

gnd_array *gnd_argmin(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return arg_extreme("argmin", x, axes, flags, GND__ARGMIN, "minimum");
}

/* --- truth ------------------------------------------------------------------------------------ */

static gnd_array *truth(const char *func, gnd_array *x, gnd_axes axes, unsigned flags, gnd__red red)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in, reduced(gnd__as(x, GND_BOOL), red, mask, GND_BOOL, flags));
}

gnd_array *gnd_any(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return truth("any", x, axes, flags, GND__ANY);
}

gnd_array *gnd_all(gnd_array *x, gnd_axes axes, unsigned flags)
{
    return truth("all", x, axes, flags, GND__ALL);
}

gnd_array *gnd_count_nonzero(gnd_array *x, gnd_axes axes, unsigned flags)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction("count_nonzero", x, axes, flags, &mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("count_nonzero");
    gnd_array *b = gnd__as(gnd__as(x, GND_BOOL), counted_in(x, mask, GND_INT64));
    return gnd__leave(in, reduced(b, GND__SUM, mask, GND_INT64, flags));
}

/* --- mean and variance ------------------------------------------------------------------------ */

gnd_dtype gnd__wide_float(const gnd_device *dev, gnd_dtype t)
{
    int kind = gnd_dtype_kind(t);
    if (kind == 'f' || kind == 'c')
        return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    return gnd__device_float(dev);
}

gnd_dtype gnd__mean_float(const gnd_device *dev, gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? t : gnd__wide_float(dev, t);
}

gnd_dtype gnd__within(const gnd_device *dev, gnd_dtype t)
{
    if (!gnd__needs_f64(t) || gnd__device_has_f64(dev))
        return t;
    return t == GND_FLOAT64 ? GND_FLOAT32 : GND_COMPLEX64;
}

gnd_dtype gnd__default_with(const gnd_device *dev, gnd_dtype t)
{
    return gnd__within(dev, gnd_promote(t, gnd__device_float(dev)));
}

/* The dtype in which a mean of x is computed, and the dtype of the result. */
static gnd_dtype mean_dtype(const gnd_array *x)
{
    return gnd__wide_float(x->dev, (gnd_dtype)x->dtype);
}

static gnd_dtype mean_result(const gnd_array *x)
{
    return gnd__mean_float(x->dev, (gnd_dtype)x->dtype);
}

/* The mean of c, which has the dtype to compute in, or is an error. Reduced axes are put back last,
 * so that the means of an array with and without them share one node. */
static gnd_array *mean_of(gnd_array *c, uint32_t mask, int64_t n, unsigned flags)
{
    gnd_array *s = reduced(c, GND__SUM, mask, (gnd_dtype)c->dtype, 0);
    return kept(gnd__with(GND__OP_DIVIDE, s, (double)n), mask, flags);
}

gnd_array *gnd_mean(gnd_array *x, gnd_axes axes, unsigned flags)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction("mean", x, axes, flags, &mask);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("mean");
    gnd_array *c = gnd__as(x, mean_dtype(x));
    gnd_array *y = mean_of(c, mask, gnd__count_of(x, mask), flags);
    return gnd__leave(in, gnd__as(y, mean_result(x)));
}

/* The size of the runs of a long reduction: the kernel of a run holds it, and so reads it once. */
#define RUN_BYTES 16384
#define CACHED (16 << 20)

/* The length of the runs that n elements, the last axes of c, are cut into; 0: c is not cut. All
 * runs have one length if a suitable length divides n, else the last one is shorter. */
static int64_t run_length(const gnd_array *c, uint32_t mask, int64_t n)
{
    if (c->kind == GND__ERROR)
        return 0;
    const int64_t most = RUN_BYTES / (int64_t)gnd_dtype_size((gnd_dtype)c->dtype);
    const int several =
        mask & (mask - 1) && c->kind == GND__VIEW; /* they may not be one axis in memory */
    /* a second pass over what fits a GPU's cache costs less than the launches that runs need */
    if (!gnd__for_cpu(c->dev) && c->size * (int64_t)gnd_dtype_size((gnd_dtype)c->dtype) <= CACHED)
        return 0;
    if (n <= 4 * most || c->ndim > GND_MAX_NDIM - 2 || several ||
        mask >> __builtin_ctz(mask) != (uint32_t)((1ull << (c->ndim - __builtin_ctz(mask))) - 1))
        return 0;
    for (int64_t parts = (n + most - 1) / most, end = parts + 16; parts < end; parts++)
        if (n % parts == 0 && n / parts % 4 == 0)
            return n / parts;
    return most;
}

/* The means of x along its last axis, which is kept. *sq: the sums of the squared distances to
 * them.
 */
static gnd_array *moments(gnd_array *x, gnd_array **sq)
{
    const gnd_axes last = GND_AXIS(-1);
    gnd_array *m = gnd_mean(x, last, GND_KEEPDIMS);
    *sq = gnd_sum(gnd__abs2(gnd__op2(GND__OP_SUBTRACT, x, m)), last, GND_KEEPDIMS);
    return m;
}

/* The sum of the squared distances of c's last n elements to their mean, in one pass: the squared
 * distances within each run to its mean, plus those of the means to the mean of all (T. F. Chan, G.
 * H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
 * variances", 1979). */
static gnd_array *squares_of_runs(gnd_array *c, int kept, int64_t n, int64_t run)
{
    const gnd_axes last = GND_AXIS(-1);
    const int64_t runs = n / run, rest = n - runs * run;
    int64_t dim[GND_MAX_NDIM];
    gnd_array *sq, *x, *y, *mr = NULL, *qr = NULL;
    memcpy(dim, c->dim, (size_t)kept * sizeof *dim);
    dim[kept] = n;
    gnd_array *row = gnd_reshape(c, kept + 1, dim);
    dim[kept] = runs;
    dim[kept + 1] = run;
    x = gnd_reshape(rest ? gnd__cut(row, kept, 0, runs * run) : row, kept + 2, dim);
    gnd_array *m = gnd_squeeze(moments(x, &sq), last);
    gnd_array *mean = gnd_mean(m, last, GND_KEEPDIMS);
    if (rest) {
        mr = moments(gnd__cut(row, kept, runs * run, rest), &qr);
        const double part = (double)rest / (double)n;
        mean = gnd__op2(GND__OP_ADD, gnd__with(GND__OP_MULTIPLY, mean, 1 - part),
                        gnd__with(GND__OP_MULTIPLY, mr, part));
    }
    /* one sum of both: a kernel that holds the runs' means then takes their mean and this sum */
    y = gnd__abs2(gnd__op2(GND__OP_SUBTRACT, m, mean));
    y = gnd__with(GND__OP_MULTIPLY, y, (double)run);
    y = gnd_sum(gnd__op2(GND__OP_ADD, gnd_squeeze(sq, last), y), last, 0);
    if (rest) {
        gnd_array *d = gnd__abs2(gnd__op2(GND__OP_SUBTRACT, mr, mean));
        d = gnd__op2(GND__OP_ADD, gnd__with(GND__OP_MULTIPLY, d, (double)rest), qr);
        y = gnd__op2(GND__OP_ADD, y, gnd_squeeze(d, last));
    }
    return y;
}

static gnd_array *variance(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                           double correction, int root)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_reduction(func, x, axes, flags, &mask);
    if (bad)
        return bad;
    int64_t n = gnd__count_of(x, mask);
    double div = (double)n - correction;
    const gnd__inner in = gnd__enter(func);
    gnd_array *c = gnd__as(x, mean_dtype(x)), *s;
    const int64_t run = mask ? run_length(c, mask, n) : 0;
    if (run) {
        s = squares_of_runs(c, __builtin_ctz(mask), n, run);
    } else {
        gnd_array *m = mean_of(c, mask, n, GND_KEEPDIMS);
        gnd_array *d = gnd__elementwise(GND__OP_SUBTRACT, 2, (gnd_array *[]){c, m});
        gnd_array *q = gnd__abs2(d);
        s = reduced(q, GND__SUM, mask, (gnd_dtype)q->dtype, 0);
    }
    gnd_array *v = gnd__with(GND__OP_DIVIDE, s, div < 0 ? 0 : div);
    if (root)
        v = gnd__op1(GND__OP_SQRT, v);
    return gnd__leave(in, kept(gnd__as(v, gnd__real_of(mean_result(x))), mask, flags));
}

gnd_array *gnd_var(gnd_array *x, gnd_axes axes, unsigned flags, double correction)
{
    return variance("var", x, axes, flags, correction, 0);
}

gnd_array *gnd_std(gnd_array *x, gnd_axes axes, unsigned flags, double correction)
{
    return variance("std", x, axes, flags, correction, 1);
}
