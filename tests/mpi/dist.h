/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dist.h - what the programs of tests/mpi share: every check is made on all ranks, passes if it
 * does on all of them, and is told by rank 0.
 */
#ifndef TEST_DIST_H
#define TEST_DIST_H

#include <gnd.h>
#include <gnd/mpi.h>
#include "tap.h"

enum { WAYS = 5 };

extern gndm_ctx *ctx;
extern gnd_device *dev;
extern int rank, size;

/* Starts MPI and opens a context on this rank's device, or skips the program. */
void dist_begin(int *argc, char ***argv, unsigned flags);
int dist_end(void);
/* A check that has to hold on every rank. */
int dist_ok(int cond, const char *fmt, ...) TAP_FMT(2, 3);
/* y has the dtype, shape and elements of ref, which every rank computed with gnd alone. tol: of the
 * largest element; 0: the same bits, but for NaN. y is released. */
int dist_same(gndm_array *y, gnd_array *ref, double tol, const char *fmt, ...) TAP_FMT(4, 5);
/* Ways to cut a shape: 0 the default, 1 odd cuts with an empty part, 2 the last axis, 3 a grid over
 * two axes where the number of ranks allows, 4 a copy on every rank. */
gndm_part *dist_part(int way, int ndim, const int64_t *shape);
/* The same array in that partition. x stays the caller's. */
gndm_array *dist_array(gnd_array *x, int way);
/* Numbers from -1 to 1 (of integers: from -50 to 50) without structure, the same on every rank. */
gnd_array *dist_sample(gnd_dtype t, int ndim, const int64_t *shape, uint32_t seed);

#endif
