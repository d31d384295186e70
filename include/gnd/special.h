/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/special.h - elementwise functions with several results or other arguments than arrays, and
 * compositions of those in gnd/elementwise.h, which has gamma, erfinv, ndtr, ldexp, gcd and the
 * like. All are lazy and fuse. Arguments broadcast and promote as there; weak scalars give weak
 * scalars. Errors of all: those of gnd/elementwise.h. A function with several results writes each,
 * error arrays too, and returns the first error's status; GND_ERR_NULL, and nothing written, when a
 * place for a result is NULL.
 */
#ifndef GND_SPECIAL_H
#define GND_SPECIAL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x as mantissa * 2**exponent with 0.5 <= abs(mantissa) < 1 (NumPy's frexp): the mantissa is of x's
 * dtype, a float for bool and ints, and the exponent int32. 0, infinities and NaN are their own
 * mantissa, with exponent 0. Takes bool, ints, floats. */
GND_API gnd_status gnd_frexp(gnd_array *x, gnd_array **mantissa, gnd_array **exponent);
/* x as fraction + whole, both with x's sign and of its dtype, a float for bool and ints (NumPy's
 * modf). The fraction of infinities is 0. Takes bool, ints, floats. */
GND_API gnd_status gnd_modf(gnd_array *x, gnd_array **fraction, gnd_array **whole);
/* gnd_floor_divide and gnd_remainder of x1 and x2, as Python's divmod. */
GND_API gnd_status gnd_divmod(gnd_array *x1, gnd_array *x2, gnd_array **quotient,
                              gnd_array **remainder);
/* x1 to the power of x2 in the device's default float (float64, where it has that), or its complex
 * dtype when either is complex, whatever the arguments' dtypes (NumPy's float_power). */
GND_API gnd_array *gnd_float_power(gnd_array *x1, gnd_array *x2);
/* How many bits of |x| are set: uint8. x: bool or ints (NumPy's bitwise_count). GND_ERR_DTYPE. */
GND_API gnd_array *gnd_bitwise_count(gnd_array *x);
/* The distance from x to the next number of its dtype away from 0, with the sign of x; NaN for
 * infinities (NumPy's spacing). Ints count as the floats that gnd_nextafter makes of them. Complex:
 * GND_ERR_DTYPE. */
GND_API gnd_array *gnd_spacing(gnd_array *x);
/* x with `nan` for NaN, `posinf` for infinity and `neginf` for minus infinity; of complex x in each
 * part (NumPy's nan_to_num). NULL: 0, and the largest and smallest finite value of the dtype. Their
 * values become x's dtype, and they broadcast to x's shape, else GND_ERR_SHAPE. Bool and ints have
 * nothing to replace and give themselves. GND_ERR_DTYPE for complex replacements. */
GND_API gnd_array *gnd_nan_to_num(gnd_array *x, gnd_array *nan, gnd_array *posinf,
                                  gnd_array *neginf);
/* The angle of the complex z in (-pi, pi], 0 or pi for real z; in degrees when deg is not 0. */
GND_API gnd_array *gnd_angle(gnd_array *z, int deg);
/* x to so many decimals, or 10**-decimals when negative, halves to even: round(x * 10**d) / 10**d,
 * as NumPy, so that decimals which the dtype cannot hold give what that gives. Ints stay ints.
 * decimals in [-300, 300], else GND_ERR_ARG. */
GND_API gnd_array *gnd_round_decimals(gnd_array *x, int decimals);
/* bool: whether the imaginary part is 0; true for real x. */
GND_API gnd_array *gnd_isreal(gnd_array *x);
/* bool: whether the imaginary part is not 0; false for real x. */
GND_API gnd_array *gnd_iscomplex(gnd_array *x);
/* maximum(x, 0): NaN stays. GND_ERR_DTYPE for complex x. */
GND_API gnd_array *gnd_relu(gnd_array *x);

#ifdef __cplusplus
}
#endif
#endif
