/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/solve.h - decompositions and solvers as nodes.
 */
#ifndef GND_PRIM_SOLVE_H
#define GND_PRIM_SOLVE_H

#include "graph/graph.h"

/* s (gnd/backend.h; no buffers) on its `in` and `io` operands, in order: arrays of s->dtype with
 * the elements that the operand has, in Fortran order (a transposed view is read as it is, and
 * copied; io operands may have fewer elements than their room, see gnd_solve_op: QR with flag 1).
 * The node is 1-d: all `io` and `out` operands one behind the other, as values of its dtype, which
 * is s->dtype, or the complex one of EIG and EIGVALS; reals and ints among them are values of it
 * too. bad: NULL, or uint8 (nbatch), of which 1 and 2 are errors (host/panel.h: FINITE). func, a
 * literal: what messages begin with. */
gnd_array *gnd__solve_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, int nin,
                           gnd_array *const *in, gnd_array *bad);
/* Where operand i of s begins in the node, and its elements; i must be io or out. */
int64_t gnd__solve_begin(const gnd_solve_desc *s, int i);
int64_t gnd__solve_count(const gnd_solve_desc *s, int i);

/* Cholesky's (GND_SOLVE_CHOLESKY) or LU decompositions of x, (nbatch, m, n) in C order, by LAPACK
 * on the host as host/rows.h says. 1-d: the lower factors; or L (nbatch, m, min), U (nbatch, min,
 * n) and the order of rows (nbatch, m), as values. func as above. */
gnd_array *gnd__rows_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, gnd_array *x);

#endif
