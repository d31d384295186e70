/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked.h - decompositions on devices without a library for them, panel by panel.
 */
#ifndef GND_PRIM_BLOCKED_H
#define GND_PRIM_BLOCKED_H

#include "prim/prim.h"

/* Whether s is worked on in blocks there; the device's lock is held. */
int gnd__blocked_takes(gnd__gdev *d, const gnd_solve_desc *s);
/* Writes that down; mem: the operands of s, in order. */
void gnd__blocked(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem);

#endif
