/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scatter.h - positions by index, with which updates are built.
 */
#ifndef GND_PRIM_SCATTER_H
#define GND_PRIM_SCATTER_H

#include "graph/graph.h"

/* For each of n places, the last position (counted from 1, in C order) at which idx (int64, in [0,
 * n)) names it, or 0 if none does: a new node of n int32 elements, or int64 if idx has 2^31
 * elements or more. */
gnd_array *gnd__last_node(gnd_array *idx, int64_t n);

#endif
