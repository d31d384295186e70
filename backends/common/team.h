/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/team.h - several threads that copy memory together. One core copies pageable memory into
 * pinned memory at about 10 GB/s, a sixth of the bandwidth of the bus to a GPU.
 */
#ifndef GND_TEAM_H
#define GND_TEAM_H

#include <stddef.h>

typedef struct gnd__team gnd__team;

/* Starts a team for a transfer of nbytes: one thread per 8 MiB, including the caller, at most 8 and
 * at most half of the cores (two on a machine with two cores). NULL: the caller copies alone,
 * because there are too few bytes, cores or threads. */
gnd__team *gnd__team_start(size_t nbytes);

/* memcpy() by all threads of the team; returns when all bytes are copied. t may be NULL. */
void gnd__team_copy(gnd__team *t, void *dst, const void *src, size_t nbytes);

void gnd__team_end(gnd__team *t);

#endif
