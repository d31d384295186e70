/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/cells.h - memory for nodes that is reused only for nodes. So the handle of a freed array
 * can be read without harm as long as the library is loaded, and is recognised by its first word,
 * which is 0.
 *
 * A node has one of several places in its cell, 8 bytes apart; each next node in the cell takes the
 * next place. So an old handle does not point at the beginning of the array that has the memory
 * now, and is still detected after up to GND__CELL_PLACES - 1 more arrays.
 */
#ifndef GND_GRAPH_CELLS_H
#define GND_GRAPH_CELLS_H

#include <stdint.h>

/* The bytes available to a node, and the number of places. */
enum { GND__NODE_BYTES = 336, GND__CELL_PLACES = 15 };

/* Allocates GND__NODE_BYTES, aligned to 8, and sets *place for gnd__cell_free; NULL if out of
 * memory. The memory of a freed node is given to the thread's next one. */
void *gnd__cell_new(uint8_t *place);
/* x's first word must already be 0. */
void gnd__cell_free(void *x, uint8_t place);

#endif
