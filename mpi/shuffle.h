/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shuffle.h - exchanges whose sizes depend on values, which only the sender knows at first: sorted
 * runs, requests for elements by index. The counterpart of the mover, whose boxes all ranks know.
 */
#ifndef GNDM_SHUFFLE_H
#define GNDM_SHUFFLE_H

#include "call.h"

/* Who sends how many rows to whom: this rank send[r] to rank r, and gets recv[r] from it. */
typedef struct gndm__shuffle {
    int64_t *send, *recv; /* one block of memory, which gndm__shuffle_close frees */
    int64_t nsend, nrecv; /* their sums */
} gndm__shuffle;

/* Tells all ranks how much they get: p * p counts. send is copied. Collective; the same status on
 * all ranks. Close it also after a failure. */
gnd_status gndm__shuffle_open(gndm_ctx *c, gndm__shuffle *s, const int64_t *send);
void gndm__shuffle_close(gndm__shuffle *s);
/* Sends x, rows of `inner` elements in C order, first those for rank 0: nsend rows, or with back
 * nrecv rows to where they came from. *out is 1-d: the rows that came, first those of rank 0. The
 * same status on all ranks; *out may hold the rank's own error. */
gnd_status gndm__shuffle_run(gndm_ctx *c, const gndm__shuffle *s, int back, gnd_dtype t,
                             gnd_array *x, int64_t inner, gnd_array **out);

/* Where `size` runs begin and end in the elements of all ranks, of which each rank passes its own
 * as a sorted 1-d array key: send[r] elements go to rank r. Run r has about cut[r + 1] - cut[r]
 * elements: by regular samples, at most n / p + p + 1 more. Equal elements are in the order of the
 * ranks and may be divided; with `together` they are not, except for NaN if `together` is
 * GNDM__NUMBERS. Collective, the same status on all ranks. */
enum { GNDM__DIVIDED = 0, GNDM__TOGETHER = 1, GNDM__NUMBERS = 2 };
gnd_status gndm__sample_split(gndm_ctx *c, gnd_array *key, gnd_dtype t, const int64_t *cut,
                              int together, int64_t *send);

/* The elements of x in C order as a vector of which each rank has a piece of its own; grid[0] is
 * the number of ranks. Sends nothing if x is split along its first axis only. Never NULL. */
gndm_array *gndm__vector(gndm_ctx *c, gndm_array *x);
/* x with axis d in a part for each rank, and all other axes whole. Never NULL. */
gndm_array *gndm__split_along(gndm_ctx *c, gndm_array *x, int d);
/* The ranks' own arrays of dtype t, one after the other along an axis; only their rank need know
 * their extents there. The result is in partition `to`; NULL: in the default one. Never NULL. */
gndm_array *gndm__joined(gndm_ctx *c, gnd_dtype t, gnd_array *local, int ndim, int axis,
                         gndm_part *to);
/* n arrays as the tuple that the call returns. */
gnd_status gndm__ret_arrays(gndm__args *a, int n, gndm_array **y);

/* This rank's interval of a vector's partition. */
static inline int64_t gndm__first(const gndm_array *x)
{
    return x->part->cut[0] ? x->part->cut[0][gndm__part_coord(x->part, x->ctx->rank, 0)] : 0;
}

#endif
