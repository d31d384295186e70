/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/eigh_batch.h - eigenvalues and eigenvectors of small symmetric matrices by one kernel.
 */
#ifndef GND_PRIM_EIGH_BATCH_H
#define GND_PRIM_EIGH_BATCH_H

#include "prim/prim.h"

/* Whether s is decomposed that way, on GPUs: then the kernel finds NaN and infinities itself. */
int gnd__eigh_batch_takes(const gnd__gdev *g, const gnd_solve_desc *s);
/* Writes the program: from the first input, whose lower triangle in Fortran order counts, to the
 * vectors in mem[0] (not of GND_SOLVE_EIGVALSH) and the values in mem[1]. */
void gnd__eigh_batch(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem);

#endif
