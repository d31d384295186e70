/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/reduce.h - reductions over a set of axes (GND_ALL: all of them; GND_NO_AXES: none, each
 * element by itself, as NumPy's axis=()). flags: 0 or GND_KEEPDIMS. Errors: GND_ERR_NULL,
 * GND_ERR_AXIS, GND_ERR_DTYPE, GND_ERR_SHAPE (max, min, argmax, argmin of nothing), the array's own
 * error. Deterministic: the same input gives the same bits on the same device.
 */
#ifndef GND_REDUCE_H
#define GND_REDUCE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bool and signed ints below int64 give int64, unsigned ints uint64, the rest their own dtype.
 * float32 is summed in blocks by trees whose results are added with error compensation; float16 and
 * bfloat16 are summed in float32. The sum of nothing is 0. */
GND_API gnd_array *gnd_sum(gnd_array *x, gnd_axes axes, unsigned flags);
/* The product of nothing is 1. */
GND_API gnd_array *gnd_prod(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_sum of the elements converted to dtype t, which the result has. */
GND_API gnd_array *gnd_sum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* gnd_prod of the elements converted to dtype t, which the result has. */
GND_API gnd_array *gnd_prod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* The greatest element. A NaN wins, as in NumPy. Complex numbers compare by real part, then
 * imaginary part. */
GND_API gnd_array *gnd_max(gnd_array *x, gnd_axes axes, unsigned flags);
/* The smallest element. A NaN wins, as in NumPy. Complex numbers compare by real part, then
 * imaginary part. */
GND_API gnd_array *gnd_min(gnd_array *x, gnd_axes axes, unsigned flags);
/* Ints and bools give the default float. The mean of nothing is NaN. */
GND_API gnd_array *gnd_mean(gnd_array *x, gnd_axes axes, unsigned flags);
/* The variance: the mean of |x - mean|^2 with n - correction in place of n. */
GND_API gnd_array *gnd_var(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The standard deviation: the root of gnd_var. */
GND_API gnd_array *gnd_std(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* bool: whether any element is not 0. A NaN is not 0; of nothing: false. */
GND_API gnd_array *gnd_any(gnd_array *x, gnd_axes axes, unsigned flags);
/* bool: whether no element is 0. A NaN is not 0; of nothing: true. */
GND_API gnd_array *gnd_all(gnd_array *x, gnd_axes axes, unsigned flags);
/* int64. */
GND_API gnd_array *gnd_count_nonzero(gnd_array *x, gnd_axes axes, unsigned flags);
/* int64: the index of the first of the greatest elements along one axis; the first NaN wins. axes:
 * one axis, or GND_ALL for the index into the flattened array. */
GND_API gnd_array *gnd_argmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* int64: the index of the first of the smallest elements along one axis; the first NaN wins. axes
 * as for gnd_argmax. */
GND_API gnd_array *gnd_argmin(gnd_array *x, gnd_axes axes, unsigned flags);

/* --- with where and initial --------------------------------------------------------------------
 */

/* The reductions that NumPy's where= and initial= are for: gnd_sum and so on, gnd_nansum and so on
 * (gnd/stat.h). */
typedef enum gnd_reduction {
    GND_REDUCE_SUM,
    GND_REDUCE_PROD,
    GND_REDUCE_MAX,
    GND_REDUCE_MIN,
    GND_REDUCE_MEAN,
    GND_REDUCE_VAR,
    GND_REDUCE_STD,
    GND_REDUCE_ANY,
    GND_REDUCE_ALL,
    GND_REDUCE_NANSUM,
    GND_REDUCE_NANPROD,
    GND_REDUCE_NANMAX,
    GND_REDUCE_NANMIN,
    GND_REDUCE_NANMEAN,
    GND_REDUCE_NANVAR,
    GND_REDUCE_NANSTD
} gnd_reduction;

/* What gnd_reduce is told beyond its arguments; all 0: nothing. */
typedef struct gnd_reduce_options {
    gnd_array *where;   /* bools that broadcast to x's shape: which elements count. NULL: all */
    gnd_array *initial; /* a scalar or 0-d array, cast to the result's dtype: what sums, products,
                           greatest and least elements begin with. With where the last two need one.
                           NULL: nothing */
    double correction;  /* of var and std */
} gnd_reduce_options;

/* One of the reductions by its number, over the elements that count. t: the dtype that elements are
 * converted to before sums, products, means and variances, as gnd_sum_as has it; GND_DTYPE_DEFAULT:
 * none. opt may be NULL. Where nothing counts, the result is that of nothing; of var and std n is
 * how many count. GND_ERR_ARG: an option that this reduction does not have; GND_ERR_SHAPE: where
 * does not broadcast to x. Messages begin with the reduction's own name. */
GND_API gnd_array *gnd_reduce(gnd_reduction what, gnd_array *x, gnd_axes axes, unsigned flags,
                              gnd_dtype t, const gnd_reduce_options *opt);

#ifdef __cplusplus
}
#endif
#endif
