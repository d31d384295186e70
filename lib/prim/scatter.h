/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scatter.h - positions by index: what updates are made of.
 */
#ifndef GND_PRIM_SCATTER_H
#define GND_PRIM_SCATTER_H

#include "graph/graph.h"

/* For each of n places the last position (counted from 1, in C order) of idx, int64 and in [0, n), that
 * names it; 0 where none does: a new int32 node of n elements. int64 when idx has 2^31 or more. */
gnd_array *gnd__last_node(gnd_array *idx, int64_t n);

#endif
