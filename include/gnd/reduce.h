/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/reduce.h - reductions over a set of axes. GND_ALL: all axes. GND_NO_AXES: each element by
 * itself, as NumPy's axis=(). flags: 0 or GND_KEEPDIMS. Errors: GND_ERR_NULL, GND_ERR_AXIS,
 * GND_ERR_DTYPE, GND_ERR_SHAPE (max, min, argmax or argmin of no elements), the error of the array.
 * Results are deterministic: the same input gives the same bits on the same device.
 */
#ifndef GND_REDUCE_H
#define GND_REDUCE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sum. bool and signed ints give int64, unsigned ints uint64; other dtypes are kept. float32 is
 * summed in blocks by trees, and the sums of blocks are added with error compensation. float16 and
 * bfloat16 accumulate in float32. The sum of no elements is 0. */
GND_API gnd_array *gnd_sum(gnd_array *x, gnd_axes axes, unsigned flags);
/* The product. dtypes as for gnd_sum. The product of no elements is 1. */
GND_API gnd_array *gnd_prod(gnd_array *x, gnd_axes axes, unsigned flags);
/* Same as gnd_sum, with the elements converted to dtype t, which is the dtype of the result. */
GND_API gnd_array *gnd_sum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* Same as gnd_prod, with the elements converted to dtype t, which is the dtype of the result. */
GND_API gnd_array *gnd_prod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* The largest element. NaN if any element is NaN, as in NumPy. Complex numbers compare by real
 * part, then by imaginary part. */
GND_API gnd_array *gnd_max(gnd_array *x, gnd_axes axes, unsigned flags);
/* The smallest element. NaN if any element is NaN, as in NumPy. Complex numbers compare by real
 * part, then by imaginary part. */
GND_API gnd_array *gnd_min(gnd_array *x, gnd_axes axes, unsigned flags);
/* The mean. Ints and bools give the default float. The mean of no elements is NaN. */
GND_API gnd_array *gnd_mean(gnd_array *x, gnd_axes axes, unsigned flags);
/* The variance: the sum of |x - mean|^2 divided by n - correction. */
GND_API gnd_array *gnd_var(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The standard deviation: the square root of gnd_var. */
GND_API gnd_array *gnd_std(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* bool: whether any element is nonzero. NaN counts as nonzero. False for no elements. */
GND_API gnd_array *gnd_any(gnd_array *x, gnd_axes axes, unsigned flags);
/* bool: whether all elements are nonzero. NaN counts as nonzero. True for no elements. */
GND_API gnd_array *gnd_all(gnd_array *x, gnd_axes axes, unsigned flags);
/* The number of nonzero elements, int64. */
GND_API gnd_array *gnd_count_nonzero(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first largest element along one axis, or of the first NaN; int64. axes: one
 * axis, or GND_ALL for the index into the flattened array. */
GND_API gnd_array *gnd_argmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first smallest element along one axis, or of the first NaN; int64. axes as for
 * gnd_argmax. */
GND_API gnd_array *gnd_argmin(gnd_array *x, gnd_axes axes, unsigned flags);

/* --- with where and initial ------------------------------------------------------------------- */

/* The reductions of gnd_reduce. They correspond to NumPy functions with where= and initial=:
 * gnd_sum and so on, gnd_nansum and so on (gnd/stat.h). */
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

/* Options of gnd_reduce. Zero-initialized: none. */
typedef struct gnd_reduce_options {
    gnd_array *where;   /* bools that broadcast to the shape of x: the elements to reduce. NULL:
                           all */
    gnd_array *initial; /* start value of sums, products, max and min: a scalar or 0-d array,
                           cast to the result's dtype. max and min with `where` require it. NULL:
                           none */
    double correction;  /* for var and std */
} gnd_reduce_options;

/* The reduction `what` of the elements that opt->where selects. t: elements are converted to this
 * dtype before sums, products, means and variances, as by gnd_sum_as; GND_DTYPE_DEFAULT: no
 * conversion. opt may be NULL. If no element is selected, the result is that of no elements. The n
 * of var and std is the number of selected elements. GND_ERR_ARG: an option that this reduction
 * does not have; GND_ERR_SHAPE: where does not broadcast to x. Messages begin with the name of the
 * reduction. */
GND_API gnd_array *gnd_reduce(gnd_reduction what, gnd_array *x, gnd_axes axes, unsigned flags,
                              gnd_dtype t, const gnd_reduce_options *opt);

#ifdef __cplusplus
}
#endif
#endif
