/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/compact.h - selection by a mask: results whose size depends on values. First the table of
 * the mask is made and its number of true elements is read; then nodes of that size are made.
 */
#ifndef GND_PRIM_COMPACT_H
#define GND_PRIM_COMPACT_H

#include "graph/graph.h"

/* The table of mask (bool, any shape, read in C order; an expression fuses): an int64 node. Element
 * gnd__mask_count_at(mask's size) is the number of true elements; the rest is for the functions
 * below. Evaluate it at once by reading that number, so that the mask is computed once. */
gnd_array *gnd__mask_node(gnd_array *mask);
int64_t gnd__mask_count_at(int64_t n);

/* The functions below take the table of a mask of n elements, count of them true. Each returns a
 * new 1-d node. */
/* The flat positions of the true elements, as dtype t (an int type that holds n). */
gnd_array *gnd__mask_positions(gnd_array *table, int64_t n, int64_t count, gnd_dtype t);
/* The elements of x (n of them, read in C order; an expression fuses) at these positions. */
gnd_array *gnd__mask_values(gnd_array *table, gnd_array *x, int64_t count);
/* n elements: the number of each true element, counted from 1, and 0 for the others. int32, or
 * int64 from 2^31 on. */
gnd_array *gnd__mask_ranks(gnd_array *table, int64_t n);

#endif
