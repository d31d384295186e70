/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/solve.h - decompositions and solvers as nodes.
 */
#ifndef GND_PRIM_SOLVE_H
#define GND_PRIM_SOLVE_H

#include "graph/graph.h"

/* Runs s (gnd/backend.h; without buffers) on its `in` and `io` operands, in order: arrays of
 * s->dtype with the operand's elements in Fortran order (a transposed view is read as it is, and
 * copied; io operands may have fewer elements than their memory, see gnd_solve_op: QR with flag 1).
 * The node is 1-d: all `io` and `out` operands consecutively, as values of its dtype, which is
 * s->dtype, or the complex dtype for EIG and EIGVALS; reals and ints among them are converted. bad:
 * NULL, or uint8 (nbatch), of which 1 and 2 are errors (host/panel.h: FINITE). Messages begin with
 * func, a literal. */
gnd_array *gnd__solve_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, int nin,
                           gnd_array *const *in, gnd_array *bad);
/* The start of operand i of s in the node, and its number of elements; i must be io or out. */
int64_t gnd__solve_begin(const gnd_solve_desc *s, int i);
int64_t gnd__solve_count(const gnd_solve_desc *s, int i);

/* Cholesky (GND_SOLVE_CHOLESKY) or LU decompositions of x, (nbatch, m, n) in C order, by LAPACK on
 * the host as in host/rows.h. 1-d: the lower factors; or L (nbatch, m, min), U (nbatch, min, n) and
 * the order of rows (nbatch, m), as values. func as above. */
gnd_array *gnd__rows_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, gnd_array *x);
/* gnd__prim_verdict for gnd__solve_node. */
gnd_status gnd__solve_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e);

#endif
