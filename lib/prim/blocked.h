/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked.h - decompositions panel by panel, on devices without a library for them.
 */
#ifndef GND_PRIM_BLOCKED_H
#define GND_PRIM_BLOCKED_H

#include "prim/prim.h"

/* Whether s is decomposed in blocks on d. The device's lock is held. */
int gnd__blocked_takes(gnd__gdev *d, const gnd_solve_desc *s);
/* Whether it takes s there and the device does all of it, so that its check has the verdict. */
int gnd__blocked_device(gnd__gdev *d, const gnd_solve_desc *s);
/* Writes the program. mem: the operands of s, in order. */
void gnd__blocked(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem);

#endif
