/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop.h - test hooks for gnd_while.
 */
#ifndef GND_ARRAY_LOOP_H
#define GND_ARRAY_LOOP_H

#include <stdint.h>

/* Makes the host check the condition after this many steps; 0: as usual, by time. */
void gnd__while_force(int steps);
/* With 1, loops that the device can run are so run from their first step on, in turns of `steps`
 * steps; 0: as usual. Returns the number of turns since the last call. */
int64_t gnd__while_device(int now, int steps);

#endif
