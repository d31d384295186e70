/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/ranks.h - the elements at given places of sorted rows, without sorting the rows.
 */
#ifndef GND_PRIM_RANKS_H
#define GND_PRIM_RANKS_H

#include "graph/graph.h"

/* Whether that pays for so many places of each row of n elements. Not of complex dtypes. */
int gnd__ranks_pay(const gnd_device *dev, gnd_dtype t, int64_t n, int64_t places);
/* Of x, (rows, n), the elements that gnd__sort_node has at `place`, int64 of (places, rows) from 0
 * to n - 1: (places, rows). Zeros are 0, not -0, and NaN are one positive quiet NaN. n is at most
 * UINT32_MAX. */
gnd_array *gnd__ranks_node(gnd_array *x, gnd_array *place, int descending);

#endif
