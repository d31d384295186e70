/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/cells.h - memory for nodes that stays memory for nodes. A handle of an array that is gone can so be read
 * without harm for as long as the library is loaded, and is known by its first word, which is 0.
 *
 * A node has one of several places in its cell, each 8 bytes behind the one before, and the next node in the cell
 * takes the next place. So an old handle does not point at the beginning of the array that has the memory now:
 * GND__CELL_PLACES - 1 arrays later it is still noticed.
 */
#ifndef GND_GRAPH_CELLS_H
#define GND_GRAPH_CELLS_H

#include <stdint.h>

/* The room that a node has, and how many places. */
enum { GND__NODE_BYTES = 336, GND__CELL_PLACES = 15 };

/* GND__NODE_BYTES, aligned to 8, and in *place what gnd__cell_free wants to know; NULL: there is none. The
 * memory of a node that is gone is given to the next one of the thread. */
void *gnd__cell_new(uint8_t *place);
/* x's first word is 0 by now. */
void gnd__cell_free(void *x, uint8_t place);

#endif
