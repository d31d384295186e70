/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/partition.h - partitions of rows along the last axis, and parts of them.
 *
 * Rows that gnd__partition_counts has three parts: what comes before the element that a sort has at
 * place k, what is equal to it, what comes after it, each in the order of the input. Other rows are
 * sorted. So the result does not depend on the device.
 */
#ifndef GND_PRIM_PARTITION_H
#define GND_PRIM_PARTITION_H

#include "graph/graph.h"

/* Whether rows of n elements of dtype t are divided by counting, on every device. */
int gnd__partition_counts(gnd_dtype t, int64_t n);
/* x, of at least one axis and not empty, with each row partitioned at place k of n > 1 elements; or
 * the indices (int64) that do it. */
gnd_array *gnd__partition_node(gnd_array *x, int64_t k, int descending, int indices);
/* Whether x is a partition of which a part may be computed alone. */
int gnd__is_partition(const gnd_array *x);
/* If such a partition has no elements yet: `count` of its places from `from` on along the last
 * axis, as a node of its own, which computes these only. NULL: it has. The
 * device's lock is held. */
gnd_array *gnd__partition_part(gnd_array *x, int64_t from, int64_t count);

#endif
