/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/masked.h - means and variances of selected elements, for the functions that skip NaN
 * and those with where=. x and the bools `counts` have the same shape; errors are passed on.
 */
#ifndef GND_OPS_REDUCE_MASKED_H
#define GND_OPS_REDUCE_MASKED_H

#include "array/steps.h"

/* The mean; NaN if no element is selected. */
gnd_array *gnd__masked_mean(gnd_array *x, gnd_array *counts, gnd_axes axes, unsigned flags);
/* The sum of |x - mean|^2 divided by n - correction, where n is the number of selected elements. If
 * n - correction <= 0, the divisor is 0, or with `few_is_nan` the result is NaN. root: returns the
 * square root. */
gnd_array *gnd__masked_variance(gnd_array *x, gnd_array *counts, gnd_axes axes, unsigned flags,
                                double correction, int root, int few_is_nan);

#endif
