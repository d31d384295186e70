/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scan.h - running sums, products and extremes along one axis, as nodes.
 */
#ifndef GND_PRIM_SCAN_H
#define GND_PRIM_SCAN_H

#include "graph/graph.h"

/* Of bools a sum is "or", a product is "and". */
typedef enum gnd__scan { GND__SCAN_SUM, GND__SCAN_PROD, GND__SCAN_MAX, GND__SCAN_MIN } gnd__scan;

/* Element k along the axis is the operation over the elements 0 .. k of x there; with `initial` the
 * result is one longer, its first element 0 (sum) or 1 (product), which MAX and MIN do not have. x: at
 * least one element, at least one dimension, any dtype, which is the result's too; float16 and
 * bfloat16 are computed in float32 and rounded at the end. Kernels read x once or twice, as suits its device. The
 * same input gives the same bits on the same device. */
gnd_array *gnd__scan_node(gnd_array *x, gnd__scan op, int axis, int initial);

#endif
