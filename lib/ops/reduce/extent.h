/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/extent.h - the minimum and maximum of an array of ints, as numbers.
 */
#ifndef GND_OPS_REDUCE_EXTENT_H
#define GND_OPS_REDUCE_EXTENT_H

#include <gnd/types.h>

/* Reads the smallest and the largest element of x, which has bools or ints and is not empty. uint64
 * is reinterpreted as int64. Waits for the device. It is an error if no buffer of the device could
 * hold x. Returns an error, or NULL. */
gnd_array *gnd__extent(const char *func, gnd_array *x, int64_t *low, int64_t *high);

#endif
