/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/horner.h - values of polynomials of any number of coefficients.
 */
#ifndef GND_PRIM_HORNER_H
#define GND_PRIM_HORNER_H

#include "graph/graph.h"

/* ((y + p[0]) x + p[1]) x + p[2] ... for each element x: the result has the shape and the dtype of x, which y has
 * too; a 16-bit float is none. p, of that dtype and not empty, has one axis, or that of the coefficients and then those
 * of x. Every step rounds as an operation of its own. */
gnd_array *gnd__horner_node(gnd_array *p, gnd_array *x, gnd_array *y);

#endif
