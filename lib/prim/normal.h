/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/normal.h - least squares from normal equations as a node, which the host solves
 * (host/normal.h).
 */
#ifndef GND_PRIM_NORMAL_H
#define GND_PRIM_NORMAL_H

#include "graph/graph.h"

/* The greatest n: eigenvalues of larger matrices are the device's work. */
enum { GND__NORMAL_MOST = 256 };

/* m (n, n + k), float64 or complex128: a^H a beside a^H b. The node is 1-d: x (n, k), then the
 * rank, as host/normal.h says. Messages begin with func, a literal. */
gnd_array *gnd__normal_node(const char *func, gnd_array *m, double rcond);

#endif
