/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/reduce.h - reductions over a set of axes (GND_ALL: all of them; GND_NO_AXES: none, each
 * element by itself, as NumPy's axis=()). flags: 0 or GND_KEEPDIMS. Errors: GND_ERR_NULL, GND_ERR_AXIS,
 * GND_ERR_DTYPE, GND_ERR_SHAPE (max, min, argmax, argmin of nothing), the array's own error.
 * Deterministic: the same input gives the same bits on the same device.
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
/* The greatest element. A NaN wins, as in NumPy. Complex numbers compare by real part, then imaginary
 * part. */
GND_API gnd_array *gnd_max(gnd_array *x, gnd_axes axes, unsigned flags);
/* The smallest element. A NaN wins, as in NumPy. Complex numbers compare by real part, then imaginary
 * part. */
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
/* int64: the index of the first of the greatest elements along one axis; the first NaN wins. axes: one
 * axis, or GND_ALL for the index into the flattened array. */
GND_API gnd_array *gnd_argmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* int64: the index of the first of the smallest elements along one axis; the first NaN wins. axes as for
 * gnd_argmax. */
GND_API gnd_array *gnd_argmin(gnd_array *x, gnd_axes axes, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
