/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/search.h - places in sorted arrays, and counting.
 */
#ifndef GND_PRIM_SEARCH_H
#define GND_PRIM_SEARCH_H

#include "graph/graph.h"

/* For each element of x, its insertion position in the sorted 1-d array a (of the same dtype; not
 * empty): before equal elements, or after them (right). int64, of the shape of x. */
gnd_array *gnd__search_node(gnd_array *a, gnd_array *x, int right);
/* Whether each element of x equals an element of a, which is as above; with invert whether it does
 * not. bool, of the shape of x. */
gnd_array *gnd__member_node(gnd_array *a, gnd_array *x, int invert);
/* Counts the occurrences of each of 0 .. n - 1 in x, of an int dtype: int64. Other values are not
 * counted. */
gnd_array *gnd__tally_node(gnd_array *x, int64_t n);
/* Counts the elements of x, float32 or float64, in bins of one width: of x's dtype are the edges,
 * 1-d, and their span, 0-d, as rounded from the ends. A value on an inner edge is in the bin above.
 * For GPUs, and up to so many bins that a group has local memory for their counters
 * (gnd__bins_pay). */
gnd_array *gnd__bins_node(gnd_array *x, gnd_array *edges, gnd_array *span);
int gnd__bins_pay(const gnd_device *dev, int64_t n);
/* Which of 0 .. n - 1 occur in x, of an int dtype: bool. For GPUs, and an n for which that takes
 * less time than counting (gnd__there_pays). */
gnd_array *gnd__there_node(gnd_array *x, int64_t n);
int gnd__there_pays(const gnd_device *dev, int64_t n);

#endif
