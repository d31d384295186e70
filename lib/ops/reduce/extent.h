/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/extent.h - the minimum and maximum of an array of ints, as numbers.
 */
#ifndef GND_OPS_REDUCE_EXTENT_H
#define GND_OPS_REDUCE_EXTENT_H

#include <gnd/types.h>

/* The smallest and the largest element of x, which has bools or ints and is not empty; of uint64 as
 * int64. Waits, unless no buffer of the device could hold x, which is an error at once. NULL, or an
 * error. */
gnd_array *gnd__extent(const char *func, gnd_array *x, int64_t *low, int64_t *high);

#endif
