/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate.h - values added up, or compared, in places given by an index: sums and extremes
 * by group. Results do not depend on the order of work-items: they are the same in every run and on
 * every device.
 */
#ifndef GND_PRIM_ACCUMULATE_H
#define GND_PRIM_ACCUMULATE_H

#include "graph/graph.h"

typedef enum gnd__accop { GND__ACC_ADD, GND__ACC_MAX, GND__ACC_MIN } gnd__accop;

/* Makes a 1-d node of m elements of val's dtype: element p is base[p] combined by op with every
 * val[i] for which pos[i] is p. All arrays are read in C order, whatever their shape. pos: int64,
 * every element in [0, m) (GND__CHECKED ensures that). val: as many elements, or `width` times as
 * many: then pos has the numbers of rows, in [0, m / width), of that many elements each. base: m
 * elements of val's dtype, or NULL for zeros (GND__ACC_ADD only). pos and val may be expressions,
 * which fuse; val may be a broadcast constant.
 *
 * Sums: ints wrap (bool: or). Floats are added as fixed-point numbers with, for each place, at
 * least 61 - log2(number of values) bits below its greatest addend (float64: twice that). The base
 * is added to that sum and the result is rounded once. The sum is exact if the exponents of all
 * addends span few enough bits. NaN and infinities behave as in any sum. Extremes: NaN wins;
 * complex dtypes have none (the caller refuses them). On a device without 64-bit atomics, extremes
 * of 64-bit dtypes are GND_ERR_UNSUPPORTED when evaluated. */
gnd_array *gnd__accumulate_node(gnd__accop op, gnd_array *pos, gnd_array *val, gnd_array *base,
                                int64_t m);

#endif
