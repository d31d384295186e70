/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop.h - for tests of gnd_while.
 */
#ifndef GND_ARRAY_LOOP_H
#define GND_ARRAY_LOOP_H

/* The host looks after so many steps; 0: as usual, by the clock. */
void gnd__while_force(int steps);

#endif
