/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodeval.h - values of graph nodes on the host, by walking the graph element by element: slow and
 * plain, for tests of what the graph means without any device. Views, reshapes, joins, ranges,
 * constants, casts and the few operations that gnd's own functions are made of.
 */
#ifndef NODEVAL_H
#define NODEVAL_H

#include "graph/graph.h"

/* The element of x with C-order number at. A GND__EMPTY node, whose contents are not defined,
 * counts 0, 1, 2, ... here. Stops the program for a node that it does not know. */
gnd__scalar nodeval(const gnd_array *x, int64_t at);
/* The same as a number; the real part of complex ones. */
double nodeval_f64(const gnd_array *x, int64_t at);

#endif
