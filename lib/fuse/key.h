/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/key.h - the key of the plan cache: the structure of a graph as bytes.
 */
#ifndef GND_FUSE_KEY_H
#define GND_FUSE_KEY_H

#include "fuse/fuse.h"

/* Appends the bytes of node p, whose inputs are known. Sets g->oom if there is no memory. */
void gnd__key_node(gnd__pgraph *g, gnd__pnode *p);
/* Appends the parts that depend on all nodes: the sinks, and which nodes have owners. Returns 0 if
 * out of memory. */
int gnd__key_end(gnd__pgraph *g);

#endif
