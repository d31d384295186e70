/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/special.h - elementwise functions with several results or with extra arguments, and
 * compositions of functions of gnd/elementwise.h (which has gamma, erfinv, ndtr, ldexp, gcd and
 * similar ones). All are lazy and fuse. Arguments broadcast and promote as in gnd/elementwise.h;
 * weak scalars give weak scalars. Errors are those of gnd/elementwise.h. A function with several
 * results stores all of them, including error arrays, and returns the first error. GND_ERR_NULL: a
 * pointer to a result is NULL, and nothing is stored.
 */
#ifndef GND_SPECIAL_H
#define GND_SPECIAL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x = mantissa * 2**exponent with 0.5 <= abs(mantissa) < 1 (NumPy's frexp). The mantissa has the
 * dtype of x (bool and ints: a float), the exponent is int32. For 0, infinities and NaN the
 * mantissa is x and the exponent 0. x: bool, ints, floats. */
GND_API gnd_status gnd_frexp(gnd_array *x, gnd_array **mantissa, gnd_array **exponent);
/* x = fraction + whole, both with the sign and dtype of x (bool and ints: a float); NumPy's modf.
 * The fraction of infinities is 0. x: bool, ints, floats. */
GND_API gnd_status gnd_modf(gnd_array *x, gnd_array **fraction, gnd_array **whole);
/* gnd_floor_divide and gnd_remainder of x1 and x2 (Python's divmod). */
GND_API gnd_status gnd_divmod(gnd_array *x1, gnd_array *x2, gnd_array **quotient,
                              gnd_array **remainder);
/* x1 to the power x2 in the device's default float (float64 if supported), or its complex dtype if
 * an argument is complex, for any dtypes of the arguments (NumPy's float_power). */
GND_API gnd_array *gnd_float_power(gnd_array *x1, gnd_array *x2);
/* The number of set bits of |x|, uint8 (NumPy's bitwise_count). x: bool or ints. GND_ERR_DTYPE. */
GND_API gnd_array *gnd_bitwise_count(gnd_array *x);
/* The distance from x to the next number of its dtype away from 0, with the sign of x; NaN for
 * infinities (NumPy's spacing). Ints are converted to floats as by gnd_nextafter. GND_ERR_DTYPE:
 * complex. */
GND_API gnd_array *gnd_spacing(gnd_array *x);
/* x with NaN replaced by `nan`, infinity by `posinf` and minus infinity by `neginf`; complex x in
 * each part (NumPy's nan_to_num). NULL: 0, the largest and the smallest finite value of the dtype.
 * Replacements are cast to the dtype of x and broadcast to its shape (GND_ERR_SHAPE). Bools and
 * ints are returned unchanged. GND_ERR_DTYPE: complex replacements. */
GND_API gnd_array *gnd_nan_to_num(gnd_array *x, gnd_array *nan, gnd_array *posinf,
                                  gnd_array *neginf);
/* The angle of complex z in (-pi, pi]; 0 or pi for real z, 0 of float64 for bools. In degrees if
 * deg is not 0. */
GND_API gnd_array *gnd_angle(gnd_array *z, int deg);
/* x rounded to a number of decimals, or to multiples of 10**-decimals if it is negative, halves to
 * even. Computed as round(x * 10**d) / 10**d, as in NumPy, including its errors for decimals that
 * the dtype cannot represent. Ints stay ints. GND_ERR_ARG: decimals is not in [-300, 300]. */
GND_API gnd_array *gnd_round_decimals(gnd_array *x, int decimals);
/* Whether the imaginary part is 0, bool. True for real x. */
GND_API gnd_array *gnd_isreal(gnd_array *x);
/* Whether the imaginary part is not 0, bool. False for real x. */
GND_API gnd_array *gnd_iscomplex(gnd_array *x);
/* maximum(x, 0). NaN is preserved. GND_ERR_DTYPE: complex x. */
GND_API gnd_array *gnd_relu(gnd_array *x);

#ifdef __cplusplus
}
#endif
#endif
