/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/scan.h - running sums, products and extremes: element k along an axis of the result is taken
 * over the elements 0 .. k of x there. axis: one axis, or GND_ALL for the flattened array, whose
 * result is 1-d (NumPy's axis=None). The shape is x's, else. Errors of all: GND_ERR_NULL,
 * GND_ERR_AXIS (no such axis, or not one), GND_ERR_DTYPE, GND_ERR_ARG (flags), GND_ERR_OVERFLOW
 * (sizes), the array's own error. What x is computed from is computed in the scan's own kernels.
 *
 * Deterministic: the same input gives the same bits on the same device. Elements are combined in
 * blocks, not one after the other, so floats differ from a serial sum in the last places: each is
 * nearer to the exact sum, but a sum of numbers >= 0 need not grow from one element to the next by
 * rounding alone as a serial one does. float16 and bfloat16 are computed in float32.
 */
#ifndef GND_SCAN_H
#define GND_SCAN_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A flag: the result has one element more along the axis, in front: 0 for sums, 1 for products. */
#define GND_INCLUDE_INITIAL 2u

/* The sums of all elements so far along axis, accumulated and given in dtype t; GND_DTYPE_DEFAULT:
 * bool and signed ints below int64 give int64, unsigned ints uint64, the rest their own dtype, as
 * gnd_sum. flags: 0 or GND_INCLUDE_INITIAL. In bool a sum is "or". Ints wrap. */
GND_API gnd_array *gnd_cumulative_sum(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t);
/* The products of all elements so far along axis; t and flags as for gnd_cumulative_sum. In bool a
 * product is "and". Ints wrap. */
GND_API gnd_array *gnd_cumulative_prod(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t);
/* gnd_cumulative_sum with 0 in place of each NaN. */
GND_API gnd_array *gnd_nancumsum(gnd_array *x, gnd_axes axis, gnd_dtype t);
/* gnd_cumulative_prod with 1 in place of each NaN. */
GND_API gnd_array *gnd_nancumprod(gnd_array *x, gnd_axes axis, gnd_dtype t);
/* The greatest element so far along axis, in x's dtype. From the first NaN on, NaN. Complex numbers
 * compare by real part, then imaginary part. */
GND_API gnd_array *gnd_cummax(gnd_array *x, gnd_axes axis);
/* The smallest element so far along axis, in x's dtype. From the first NaN on, NaN. Complex numbers
 * compare by real part, then imaginary part. */
GND_API gnd_array *gnd_cummin(gnd_array *x, gnd_axes axis);

/* Angles without jumps: along axis, whole periods are added from each step on that is not smaller
 * than discont (in magnitude), so that it becomes at most half a period. discont and period: real
 * weak scalars (gnd_real, gnd_int); NULL: half a period, and 2 pi. x: bool, ints or floats; the
 * result has the dtype of x with period: ints stay ints when period is an int. GND_ERR_DTYPE:
 * complex; GND_ERR_ARG: a scalar that is none. NumPy's unwrap. */
GND_API gnd_array *gnd_unwrap(gnd_array *x, gnd_array *discont, int axis, gnd_array *period);

#ifdef __cplusplus
}
#endif
#endif
