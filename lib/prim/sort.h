/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort.h - rows in order: stable sorts along the last axis, in every dtype.
 *
 * The order: numbers as numbers are, -0 equal to 0; complex ones by real part, then imaginary part;
 * NaN last, descending too, complex ones by what is NaN, as NumPy: none, the imaginary part, the real
 * part, both, and among those by the part that is a number. Elements that are equal keep their order.
 */
#ifndef GND_PRIM_SORT_H
#define GND_PRIM_SORT_H

#include "graph/graph.h"

/* x, of at least one axis, with the elements of each row in order; they keep their bits. */
gnd_array *gnd__sort_node(gnd_array *x, int descending);
/* The indices (int64) within a row that put it in order, the first `keep` of them: 0 <= keep <= the
 * last extent, which the result has in its place. */
gnd_array *gnd__argsort_node(gnd_array *x, int descending, int64_t keep);

#endif
