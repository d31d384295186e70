/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/compact.h - where a mask is true: results whose size depends on values. First the table of the
 * mask, from which the number of true elements is read, once; then nodes of that many elements.
 */
#ifndef GND_PRIM_COMPACT_H
#define GND_PRIM_COMPACT_H

#include "graph/graph.h"

/* The table of mask (bool, any shape, read in C order; an expression fuses): an int64 node. Its element
 * number gnd__mask_count_at(mask's size) is the number of true elements; the rest is for the functions
 * below. It is best evaluated at once, by reading that number: then the mask is computed once. */
gnd_array *gnd__mask_node(gnd_array *mask);
int64_t gnd__mask_count_at(int64_t n);

/* table: of a mask of n elements, count of them true. Each gives a new 1-d node. */
/* The flat positions of the true elements, as dtype t (an int type that holds n). */
gnd_array *gnd__mask_positions(gnd_array *table, int64_t n, int64_t count, gnd_dtype t);
/* The elements of x (n of them, read in C order; an expression fuses) at these positions. */
gnd_array *gnd__mask_values(gnd_array *table, gnd_array *x, int64_t count);
/* n elements: of the true ones their number, counted from 1, else 0. int32, or int64 from 2^31 on. */
gnd_array *gnd__mask_ranks(gnd_array *table, int64_t n);

#endif
