/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop.h - a test hook for gnd_while.
 */
#ifndef GND_ARRAY_LOOP_H
#define GND_ARRAY_LOOP_H

/* Makes the host check the condition after this many steps; 0: as usual, by time. */
void gnd__while_force(int steps);

#endif
