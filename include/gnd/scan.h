/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/scan.h - running sums, products, maxima and minima: element k of the result is computed from
 * elements 0 .. k of x along the axis. axis: one axis; the result has the shape of x. GND_ALL: the
 * flattened array; the result is 1-d (NumPy's axis=None). Errors of all functions: GND_ERR_NULL,
 * GND_ERR_AXIS (no such axis, or several), GND_ERR_DTYPE, GND_ERR_ARG (flags), GND_ERR_OVERFLOW
 * (sizes), the error of the array. Elementwise operations that compute x are fused into the kernels
 * of the scan.
 *
 * Results are deterministic: the same input gives the same bits on the same device. Elements are
 * combined in blocks, so floats differ from those of a serial loop in the last places. Each element
 * is closer to the exact sum, but a sum of nonnegative numbers may decrease by a rounding error
 * from one element to the next. float16 and bfloat16 are computed in float32.
 */
#ifndef GND_SCAN_H
#define GND_SCAN_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flag: the result has one more element at the start of the axis, 0 for sums and 1 for products. */
#define GND_INCLUDE_INITIAL 2u

/* Running sums along axis, accumulated and returned in dtype t. GND_DTYPE_DEFAULT: bool and signed
 * ints give int64, unsigned ints uint64, other dtypes are kept, as gnd_sum. flags: 0 or
 * GND_INCLUDE_INITIAL. bool sums are "or". Ints wrap. */
GND_API gnd_array *gnd_cumulative_sum(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t);
/* Running products along axis. t and flags as for gnd_cumulative_sum. bool products are "and". Ints
 * wrap. */
GND_API gnd_array *gnd_cumulative_prod(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t);
/* Same as gnd_cumulative_sum, with NaN replaced by 0. */
GND_API gnd_array *gnd_nancumsum(gnd_array *x, gnd_axes axis, gnd_dtype t);
/* Same as gnd_cumulative_prod, with NaN replaced by 1. */
GND_API gnd_array *gnd_nancumprod(gnd_array *x, gnd_axes axis, gnd_dtype t);
/* Running maxima along axis, in the dtype of x. NaN from the first NaN on. Complex numbers compare
 * by real part, then by imaginary part. */
GND_API gnd_array *gnd_cummax(gnd_array *x, gnd_axes axis);
/* Running minima along axis, in the dtype of x. NaN from the first NaN on. Complex numbers compare
 * by real part, then by imaginary part. */
GND_API gnd_array *gnd_cummin(gnd_array *x, gnd_axes axis);

/* Removes jumps of angles (NumPy's unwrap). At every step along axis whose magnitude is at least
 * discont, whole periods are added to all following elements, so that the step becomes at most half
 * a period. discont and period are real weak scalars (gnd_real, gnd_int). discont NULL: half a
 * period. period NULL: 2 pi. x: bool, ints or floats. The result has the promoted dtype of x and
 * period: ints stay ints if period is an int. GND_ERR_DTYPE: complex; GND_ERR_ARG: discont or
 * period is not a scalar. */
GND_API gnd_array *gnd_unwrap(gnd_array *x, gnd_array *discont, int axis, gnd_array *period);

#ifdef __cplusplus
}
#endif
#endif
