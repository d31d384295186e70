/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/digits.h - the decimal digits of a float: the fewest that distinguish it from its neighbours
 * in its own type, correctly rounded, with the limits that NumPy's printing needs.
 */
#ifndef GND_IO_DIGITS_H
#define GND_IO_DIGITS_H

#include <gnd/types.h>

#define GND__MAX_DIGITS 40

typedef struct gnd__digits {
    int n;                   /* 1 to GND__MAX_DIGITS; trailing zeros are possible */
    int exp10;               /* the value is d[0].d[1]d[2]... * 10^exp10 */
    char d[GND__MAX_DIGITS]; /* '0' to '9', not terminated */
} gnd__digits;

/* What the limits count: all digits, or those after the decimal point. */
enum { GND__DIGITS_TOTAL, GND__DIGITS_FRACTION };

/* The digits of |x|, which must be finite and a value of type t (float16, bfloat16, float32,
 * float64). Gives the fewest digits that round to x in t, but at most `most` (then correctly
 * rounded, ties to even) and at least `least` (then with digits of the exact value). A negative
 * limit means no limit. */
void gnd__digits_of(gnd__digits *out, gnd_dtype t, double x, int what, int most, int least);

#endif
