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

/* The numbers of the arguments of a sort or partition: whether it is descending; the first place of
 * each row that the result has; sorts: whether it is a partition, parts of which may be computed
 * alone. */
enum { GND__SORT_DESCENDING, GND__SORT_FROM, GND__SORT_CUT };

/* x, of at least one axis, with each row sorted. Elements keep their bits. */
gnd_array *gnd__sort_node(gnd_array *x, int descending);
/* The indices (int64) that sort each row, the first `keep` of them: 0 <= keep <= the last extent,
 * which keep replaces in the result's shape. */
gnd_array *gnd__argsort_node(gnd_array *x, int descending, int64_t keep);
/* `keep` places of the sorted rows, or of the indices (int64) that sort them, from place `from` on,
 * which replace the last axis. A part of that array may be computed instead of it
 * (prim/partition.h). */
gnd_array *gnd__sort_node_of_part(gnd_array *x, int descending, int indices, int64_t from,
                                  int64_t keep);
/* The indices (int64) that sort the 1-d uint64 array key, which is not empty, from those that sort
 * its upper 32 bits. For random keys: many equal upper halves take long. */
gnd_array *gnd__ties_node(gnd_array *order, gnd_array *key);

#endif
