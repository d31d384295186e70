/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/qr_batch.h - the QR decomposition of many small matrices by one kernel.
 */
#ifndef GND_PRIM_QR_BATCH_H
#define GND_PRIM_QR_BATCH_H

#include "prim/prim.h"

/* Whether s is decomposed that way: not on CPUs, and only for enough matrices to fill a device. */
int gnd__qr_batch_takes(const gnd__gdev *g, const gnd_solve_desc *s);
/* Writes the program: from the first input, in Fortran order, to Q and R in mem[0] and mem[1]. */
void gnd__qr_batch(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem);

#endif
