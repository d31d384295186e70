/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/through.h - elements of expressions that are not computed yet.
 */
#ifndef GND_ARRAY_THROUGH_H
#define GND_ARRAY_THROUGH_H

#include "graph/graph.h"

/* As gnd__take_node, but elements of a large elementwise expression are computed from those of its
 * inputs. Call it in an inner scope. Takes the device's lock. */
gnd_array *gnd__take_through(gnd_array *x, int n, gnd_array *const *idx, int ndim,
                             const int64_t *dim, const gnd__gather *how);

#endif
