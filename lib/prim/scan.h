/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scan.h - running sums, products and extremes along one axis, as nodes.
 */
#ifndef GND_PRIM_SCAN_H
#define GND_PRIM_SCAN_H

#include "graph/graph.h"

/* For bools a sum is "or" and a product is "and". */
typedef enum gnd__scan { GND__SCAN_SUM, GND__SCAN_PROD, GND__SCAN_MAX, GND__SCAN_MIN } gnd__scan;

/* Element k along the axis combines the elements 0 .. k of x there by the operation. With `initial`
 * the result is one longer and its first element is 0 (sum) or 1 (product); MAX and MIN have no
 * initial value. x has at least one element and one dimension and any dtype, which the result has
 * too; float16 and bfloat16 are computed in float32 and rounded at the end. Kernels read x once or
 * twice, depending on the device. The same input gives the same bits on the same device. */
gnd_array *gnd__scan_node(gnd_array *x, gnd__scan op, int axis, int initial);

#endif
