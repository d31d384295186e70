/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scatter.h - positions by index, with which updates are built, and updates in one pass.
 */
#ifndef GND_PRIM_SCATTER_H
#define GND_PRIM_SCATTER_H

#include "graph/graph.h"
#include "host/native.h"

/* For each of n places, the last position (counted from 1, in C order) at which idx (int64, in [0,
 * n)) names it, or 0 if none does: a new node of n int32 elements, or int64 if idx has 2^31
 * elements or more. */
gnd_array *gnd__last_node(gnd_array *idx, int64_t n);

typedef struct gnd__places {
    int64_t m, n, width; /* places and positions of a batch; elements of a row, one at each place */
    int has;             /* GND__SET_..., GND__POS_... of host/native.h */
} gnd__places;

/* Whether gnd__set_node has base's elements set in one pass over them, on base's device. */
int gnd__set_passes(const gnd_array *base, const gnd__places *s);
/* base (batches, s->m, s->width) with the values at the places that pos (int64, in [0, s->m))
 * names; the last of those that name the same counts. value has base's dtype, and base may be of
 * any shape that has so many elements: a new node of one axis. */
gnd_array *gnd__set_node(gnd_array *base, gnd_array *pos, gnd_array *value, const gnd__places *s);

#endif
