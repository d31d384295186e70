/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/steps.h - building blocks of public functions that are composed of others, in an inner
 * scope (graph/scope.h), so that the code reads like the formula. A step takes arrays that may be
 * errors and passes the first error on. It returns a new array, or its argument if nothing changes.
 * Public functions are steps too.
 *
 *     const gnd__inner in = gnd__enter("mean_distance");
 *     gnd_array *d = gnd__op2(GND__OP_SUBTRACT, x, gnd_mean(x, axes, 0));
 *     return gnd__leave(in, gnd_mean(gnd__op1(GND__OP_ABS, d), axes, 0));
 */
#ifndef GND_ARRAY_STEPS_H
#define GND_ARRAY_STEPS_H

#include "array/views.h"
#include "graph/graph.h"
#include "graph/scope.h"

static inline int gnd__is_bad(const gnd_array *x)
{
    return x->kind == GND__ERROR;
}

/* Elementwise operations; arguments may be weak scalars. */
gnd_array *gnd__op1(gnd__op op, gnd_array *a);
gnd_array *gnd__op2(gnd__op op, gnd_array *a, gnd_array *b);
gnd_array *gnd__op3(gnd__op op, gnd_array *a, gnd_array *b, gnd_array *c);
/* A new weak scalar of value v. */
gnd_array *gnd__number(double v);
/* x op v. */
gnd_array *gnd__with(gnd__op op, gnd_array *x, double v);
/* x as dtype t, or x itself if it has that dtype; checks nothing. */
gnd_array *gnd__as(gnd_array *x, gnd_dtype t);
/* Elements start to start + count of axis k of x. */
gnd_array *gnd__cut(gnd_array *x, int k, int64_t start, int64_t count);
/* x, of one axis, as axis k of an array of ndim axes, the others of extent 1. */
gnd_array *gnd__along(gnd_array *x, int ndim, int k);
/* |x|^2, real. */
gnd_array *gnd__abs2(gnd_array *x);

static inline gnd_array *gnd__flat(gnd_array *x)
{
    return gnd__is_bad(x) || x->ndim == 1 ? x : gnd__reshape_node(x, 1, &x->size);
}

/* Elements start .. start + count of a 1-d array. */
static inline gnd_array *gnd__part(gnd_array *x, int64_t start, int64_t count)
{
    return gnd__is_bad(x) ? x : gnd__slice(x, 0, start, count);
}

/* Element i of a 1-d array, 0-d. */
static inline gnd_array *gnd__element(gnd_array *x, int64_t i)
{
    gnd__map m = {.start = {i}, .step = {1}, .from = {-1}};
    return gnd__is_bad(x) ? x : gnd__view_node(x, 0, NULL, &m);
}

/* The elements of the 1-d array x at the int64 indices idx, of any shape, which are in range. */
static inline gnd_array *gnd__pick(gnd_array *x, gnd_array *idx)
{
    static const gnd__gather how = {{-1}, {1}};
    if (gnd__is_bad(x) || gnd__is_bad(idx))
        return gnd__is_bad(x) ? x : idx;
    return gnd__take_node(x, 1, &idx, idx->ndim, idx->dim, &how);
}

/* x as int64, or as the dtype to which it promotes with int64. Reading it is an error unless every
 * element of ok is true. */
gnd_array *gnd__provided(gnd_array *x, gnd_array *ok, gnd_status code, const char *func,
                         const char *what);

/* Ends function func, which returns a status, with its n results: gnd__leave_all. Returns the
 * status of the first error. */
gnd_status gnd__give(gnd__inner in, const char *func, int n, gnd_array **out);
/* Call before gnd__enter: puts the error bad into each of the n places of out, unless out is NULL.
 */
gnd_status gnd__give_bad(gnd_array *bad, int n, gnd_array **out);

/* --- reductions ------------------------------------------------------------------------------- */

/* x, flags and axes of a public function that reduces; *mask gets the axes. NULL, or the error. */
gnd_array *gnd__check_reduction(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                                uint32_t *mask);
/* The number of elements that are reduced to one element of the result. */
int64_t gnd__count_of(const gnd_array *x, uint32_t mask);
/* The shape of the result; returns its number of axes. */
int gnd__reduced_dims(const gnd_array *x, uint32_t mask, unsigned flags, int64_t *dim);
/* The dtype in which means are computed: ints in dev's default float, 16-bit floats in float32. */
gnd_dtype gnd__wide_float(const gnd_device *dev, gnd_dtype t);
/* The dtype of their results: the same, but 16-bit floats keep theirs. */
gnd_dtype gnd__mean_float(const gnd_device *dev, gnd_dtype t);
/* t, or float32 instead of a float64 that results only from promotion if dev has no float64. */
gnd_dtype gnd__within(const gnd_device *dev, gnd_dtype t);
/* The promotion of t and dev's default float. */
gnd_dtype gnd__default_with(const gnd_device *dev, gnd_dtype t);

#endif
