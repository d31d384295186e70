/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mathref.h - the results of the table's operations for floats and complex values, in long double
 * by C's own functions: the plain formulas.
 */
#ifndef MATHREF_H
#define MATHREF_H

#include "graph/opset.h"

typedef struct mathref_c {
    long double re, im;
} mathref_c;

/* The operation on float32 (f32) or float64 values; comparisons give 0 or 1. */
long double mathref_real(gnd__op op, int f32, const long double *x);
/* The same for complex ones; real results are in re. *loose: by what factor, plus one, the error
 * may be larger for these values (pow); infinite: there is no reference. */
mathref_c mathref_complex(gnd__op op, int c64, const mathref_c *x, double *loose);

#endif
