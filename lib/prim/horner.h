/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/horner.h - values of polynomials of any number of coefficients.
 */
#ifndef GND_PRIM_HORNER_H
#define GND_PRIM_HORNER_H

#include "graph/graph.h"

/* ((y + p[0]) x + p[1]) x + p[2] ... for each element x. The result has the shape and dtype of x,
 * and so has y; 16-bit floats are not allowed. p has that dtype and is not empty; it has one axis,
 * or the axis of the coefficients followed by the axes of x. Every step rounds like a separate
 * operation. */
gnd_array *gnd__horner_node(gnd_array *p, gnd_array *x, gnd_array *y);

#endif
