/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/set/set.h - what unique.c and set.c share. All work in the inner scope of their caller.
 */
#ifndef GND_OPS_SET_SET_H
#define GND_OPS_SET_SET_H

#include "array/steps.h"
#include "graph/graph.h"

/* The requested results of unique; others are NULL. */
typedef struct gnd__unique {
    gnd_array *values, *indices, *inverse, *counts;
} gnd__unique;

/* 0, 1 ... n - 1: int64. */
gnd_array *gnd__set_iota(gnd_device *dev, int64_t n);
/* Returns 1 if x is float or complex and may therefore contain NaN. */
int gnd__set_is_float(const gnd_array *x);
/* The indices of the true elements of mask. Waits for the device. */
gnd_array *gnd__set_positions(gnd_array *mask);
/* For each element of s, which is sorted: whether it differs from the one before it (back 1) or
 * after it (-1). With equal_nan, NaNs are equal; if side is not NULL, only where their elements of
 * side are. */
gnd_array *gnd__set_differs(gnd_array *s, int64_t back, gnd_array *side, int equal_nan);
/* The unique elements of x in order; flags as in gnd_unique. An error is in `values`. */
gnd__unique gnd__set_unique(gnd_array *x, unsigned flags);

#endif
