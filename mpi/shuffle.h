/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shuffle.h - exchanges whose sizes depend on values and are known at first only to the sender:
 * sorted runs, requests for elements by index. The mover, in contrast, handles boxes that all ranks
 * know.
 */
#ifndef GNDM_SHUFFLE_H
#define GNDM_SHUFFLE_H

#include "call.h"

/* How many rows each rank sends to each: this rank sends send[r] rows to rank r and receives
 * recv[r] from it. */
typedef struct gndm__shuffle {
    int64_t *send, *recv; /* one block of memory; gndm__shuffle_close frees it */
    int64_t nsend, nrecv; /* their sums */
} gndm__shuffle;

/* Exchanges the counts, p * p in all. send is copied. Collective; returns the same status on all
 * ranks. Call gndm__shuffle_close also after a failure. */
gnd_status gndm__shuffle_open(gndm_ctx *c, gndm__shuffle *s, const int64_t *send);
void gndm__shuffle_close(gndm__shuffle *s);
/* Sends the rows of x, which have `inner` elements each and are in C order, those for rank 0 first:
 * nsend rows or, with back, nrecv rows to the ranks that they came from. *out is 1-d: the received
 * rows, those from rank 0 first. Returns the same status on all ranks; *out may hold an error of
 * this rank alone. */
gnd_status gndm__shuffle_run(gndm_ctx *c, const gndm__shuffle *s, int back, gnd_dtype t,
                             gnd_array *x, int64_t inner, gnd_array **out);

/* Cuts the elements of all ranks into `size` runs. Each rank passes its elements as a sorted 1-d
 * array, key. send[r] is set to the number of them that go to rank r. Run r has about cut[r + 1] -
 * cut[r] elements; the regular samples keep it to at most n / p + p + 1 more. Equal elements are in
 * the order of the ranks and may be divided between runs. With GNDM__TOGETHER they are not divided;
 * with GNDM__NUMBERS only NaN may be. Collective; returns the same status on all ranks. */
enum { GNDM__DIVIDED = 0, GNDM__TOGETHER = 1, GNDM__NUMBERS = 2 };
gnd_status gndm__sample_split(gndm_ctx *c, gnd_array *key, gnd_dtype t, const int64_t *cut,
                              int together, int64_t *send);

/* The elements of x in C order as a vector, of which each rank has a different piece; grid[0] is
 * the number of ranks. Sends nothing if x is split along its first axis only. Never NULL. */
gndm_array *gndm__vector(gndm_ctx *c, gndm_array *x);
/* x with axis d split into one part for each rank, and all other axes whole. Never NULL. */
gndm_array *gndm__split_along(gndm_ctx *c, gndm_array *x, int d);
/* Joins the ranks' own arrays of dtype t along an axis, in the order of the ranks. Only the rank of
 * an array needs to know its extent on that axis. The result is in partition `to`, or in the
 * default one if that is NULL. Never NULL. */
gndm_array *gndm__joined(gndm_ctx *c, gnd_dtype t, gnd_array *local, int ndim, int axis,
                         gndm_part *to);
/* Returns n arrays as the tuple that is the result of the call. */
gnd_status gndm__ret_arrays(gndm__args *a, int n, gndm_array **y);

/* x sorted along axis d (fn_sort.c): a vector in its own partition, lines of other arrays split
 * along d. Never NULL. */
gndm_array *gndm__sorted(gndm_ctx *c, gndm_array *x, int d);
/* Whether lines along axis d should stay split: no other axis can be split among the ranks that
 * share d. */
int gndm__few_lines(const gndm_part *p, int d);

/* The first element of this rank's interval of a vector. */
static inline int64_t gndm__first(const gndm_array *x)
{
    return x->part->cut[0] ? x->part->cut[0][gndm__part_coord(x->part, x->ctx->rank, 0)] : 0;
}

#endif
