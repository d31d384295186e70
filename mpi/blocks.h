/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - a square matrix by blocks of whole columns, dealt to the ranks in turn. Factorizations
 * work on ever fewer columns from the left: with one interval of columns for each rank the first
 * ranks would soon have nothing to do; dealt blocks leave each rank its share until the end.
 */
#ifndef GNDM_BLOCKS_H
#define GNDM_BLOCKS_H

#include "call.h"

/* Block k has the columns k * width .. (k + 1) * width, the last one may have fewer. A rank keeps
 * its blocks in ascending order, next to each other: `at` says where. */
typedef struct gndm__blocks {
    gndm_ctx *c;
    int64_t n, width;
    int count, most; /* blocks; the largest number of blocks of a rank */
    int lower;       /* blocks begin at their row on the diagonal; else they have all rows */
    int *owner;      /* of each block; the pointers below lie in the same memory */
    int *nth;        /* its number among those of its owner */
    int *base;       /* size + 1: where the blocks of each rank begin in `order` */
    int *order;      /* the blocks, rank by rank */
    int64_t *at;     /* the first column of each block where all ranks' columns follow each other */
} gndm__blocks;

/* Deals the blocks in turn, or, with measured speeds, in proportion to those of products. The same
 * on all ranks. Close it also after a failure. */
gnd_status gndm__blocks_open(gndm_ctx *c, gndm__blocks *b, int64_t n, int lower);
void gndm__blocks_close(gndm__blocks *b);
static inline int64_t gndm__block_begin(const gndm__blocks *b, int64_t k)
{
    return k * b->width < b->n ? k * b->width : b->n;
}
static inline int64_t gndm__block_size(const gndm__blocks *b, int64_t k)
{
    return gndm__block_begin(b, k + 1) - gndm__block_begin(b, k);
}
/* The number of this rank's columns in the blocks from .. to. */
int64_t gndm__own_columns(const gndm__blocks *b, int from, int to);
/* The rank's blocks of x, in dtype t; own has `most` entries, of which those that are blocks are
 * set, and are the caller's. All in one exchange. The same status on all ranks. */
gnd_status gndm__blocks_fetch(const gndm__blocks *b, gndm_array *x, gnd_dtype t, gnd_array **own);
/* The rank's blocks with all rows, next to each other in x, as an array of part. Never NULL. */
gndm_array *gndm__blocks_give(const gndm__blocks *b, gnd_array *x, gnd_dtype t, gndm_part *part);
/* x, rows x columns, from its owner to the ranks that want it (all: NULL); the others get an array
 * without rows. The same status on all ranks; an error in the owner's x is everybody's. */
gnd_status gndm__blocks_spread(const gndm__blocks *b, gnd_dtype t, gnd_array *x, int64_t rows,
                               int64_t columns, int owner, const char *wanted, gnd_array **out);
/* *slot becomes x, which an inner scope owns: it outlives the scope. */
void gndm__hold(gnd_array **slot, gnd_array *x);

/* --- what functions of square matrices share (fn_cholesky.c) ---------------------------------- */

/* Whether x is one square matrix that is worth it: split, and larger than two blocks. */
int gndm__by_blocks(const gndm_array *x);
/* Sets *yes to whether no rank has NaN or an infinity in its n arrays (lower: in the triangle). The
 * same on all ranks. */
gnd_status gndm__all_finite(gndm_ctx *c, int n, gnd_array *const *x, int lower, int *yes);
/* The call on stacks of matrices: those of x are made whole, and the stack is cut; other operands
 * follow. `after` axes of the result, which has the shape of shape_of, are not of the stack. */
gnd_status gndm__stacked_matrices(gndm__args *a, gndm_array *x, int after, gnd_array *shape_of);

#endif
