/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/roles.h - what roles.c, teams.c and distinct.c share.
 */
#ifndef GND_FUSE_ROLES_H
#define GND_FUSE_ROLES_H

#include "fuse/fuse.h"

/* The hash of path a with one more link, b. */
static inline uint64_t gnd__mix_path(uint64_t a, uint64_t b)
{
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    a *= 0xff51afd7ed558ccdu;
    return a ^ (a >> 33);
}

/* distinct.c: the operations of elementwise node i and of the inline nodes below, counted once each
 * where one kernel computes them once; a number above `most` if there are more than `most`. */
uint32_t gnd__distinct_ops(gnd__pgraph *g, int32_t i, uint32_t most);
/* distinct.c: whether node p is a number of 64 bits whose leaves have no more bytes than it has:
 * computed again, it reads no more than its stored elements would, and its store and its memory are
 * saved. */
int gnd__is_compact(const gnd__pgraph *g, const gnd__pnode *p);

/* Groups elementwise sinks of one shape into teams, which should become one kernel, so that common
 * parts are computed in it and not stored. The last sink leads. group.c decides later whether a
 * team becomes a kernel. */
void gnd__make_teams(gnd__pgraph *g);

#endif
