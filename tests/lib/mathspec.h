/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mathspec.h - the results of the operations beyond the Array API standard for floats, in long
 * double: by C's functions if they exist, else by series and Newton's method. Part of mathref.h.
 */
#ifndef MATHSPEC_H
#define MATHSPEC_H

#include "graph/opset.h"

/* The operation on float32 (f32) or float64 values; NaN for an operation that is not one of these.
 */
long double mathspec_real(gnd__op op, int f32, const long double *x);

/* The greatest error allowed, in units in the last place of mathspec_scale; 0: exact. */
double mathspec_bound(gnd__op op);

/* In units in the last place of what an error is measured, when `want` is right: of want itself,
 * but of something larger where a function is near a zero that its terms cancel to. */
long double mathspec_scale(gnd__op op, const long double *x, long double want);

/* Where a function of one argument is to be tested beside values of any size: random ones in
 * [lo, hi], and others ever nearer to up to four points. 0 when op has no such places. */
typedef struct mathspec_places {
    double lo, hi;
    int n;
    double at[4];
} mathspec_places;
int mathspec_where(gnd__op op, int f32, mathspec_places *out);

#endif
