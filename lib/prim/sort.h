/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort.h - stable sorts of rows along the last axis, in every dtype.
 *
 * The order: numbers by value, -0 equal to 0; complex numbers by real part, then imaginary part.
 * NaN comes last, also if descending. As in NumPy, complex numbers with NaN are ordered by which
 * parts are NaN: none, the imaginary part, the real part, both; and within these by the part that
 * is a number. Equal elements keep their order.
 */
#ifndef GND_PRIM_SORT_H
#define GND_PRIM_SORT_H

#include "graph/graph.h"

/* x, of at least one axis, with each row sorted. Elements keep their bits. */
gnd_array *gnd__sort_node(gnd_array *x, int descending);
/* The indices (int64) that sort each row, the first `keep` of them: 0 <= keep <= the last extent,
 * which keep replaces in the result's shape. */
gnd_array *gnd__argsort_node(gnd_array *x, int descending, int64_t keep);

#endif
