/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - a square matrix in blocks of whole columns, which are distributed cyclically over the
 * ranks. A factorization works from left to right, on fewer columns at each step. If each rank had
 * one interval of columns, the first ranks would soon be idle; with a cyclic distribution all ranks
 * work until the end.
 */
#ifndef GNDM_BLOCKS_H
#define GNDM_BLOCKS_H

#include "call.h"

/* Block k has the columns k * width .. (k + 1) * width - 1; the last block may have fewer. A rank
 * stores its blocks in ascending order, next to each other. */
typedef struct gndm__blocks {
    gndm_ctx *c;
    int64_t n, width;
    int count, most; /* number of blocks; the largest number of blocks of a rank */
    int lower;       /* 1: a block begins at its row on the diagonal; 0: it has all rows */
    int *owner;      /* the rank of each block; the arrays below lie in the same memory */
    int *nth;        /* index of each block among the blocks of its owner */
    int *base;       /* size + 1 entries: where the blocks of each rank begin in `order` */
    int *order;      /* the blocks, rank by rank */
    int64_t *at;     /* first column of each block, if the blocks are placed in `order` */
} gndm__blocks;

/* Distributes the blocks cyclically, or in proportion to the speeds of products if these are
 * measured. The result is the same on all ranks. Call gndm__blocks_close also after a failure. */
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
/* The number of this rank's columns in the blocks from .. to - 1. */
int64_t gndm__own_columns(const gndm__blocks *b, int from, int to);
/* Fetches this rank's blocks of x, in dtype t, in one exchange. own has `most` entries; those of
 * existing blocks are set, and the caller owns them. The status is the same on all ranks. */
gnd_status gndm__blocks_fetch(const gndm__blocks *b, gndm_array *x, gnd_dtype t, gnd_array **own);
/* The matrix as an array of part. x is this rank's blocks, with all rows, next to each other. Never
 * NULL. */
gndm_array *gndm__blocks_give(const gndm__blocks *b, gnd_array *x, gnd_dtype t, gndm_part *part);
/* Sends x (rows x columns) from its owner to the ranks r with wanted[r] != 0 (wanted NULL: all).
 * The others get an array without rows. The status is the same on all ranks. If x of the owner
 * holds an error, all ranks get it. */
gnd_status gndm__blocks_spread(const gndm__blocks *b, gnd_dtype t, gnd_array *x, int64_t rows,
                               int64_t columns, int owner, const char *wanted, gnd_array **out);
/* Sets *slot to x with an ownership of its own, so that x outlives its scope. Releases the old
 * *slot. */
void gndm__hold(gnd_array **slot, gnd_array *x);

/* --- shared by functions of square matrices (fn_cholesky.c) ----------------------------------- */

/* Whether x is one square matrix to compute by blocks: it is split, and larger than two blocks. */
int gndm__by_blocks(const gndm_array *x);
/* Sets *yes to 1 if no rank has NaN or an infinity in its n arrays (lower != 0: in their lower
 * triangles). The result is the same on all ranks. */
gnd_status gndm__all_finite(gndm_ctx *c, int n, gnd_array *const *x, int lower, int *yes);
/* The call for a stack of matrices x. Each matrix becomes whole on a rank, and the stack is split;
 * other operands are moved to match. shape_of has the shape of the result, whose last `after` axes
 * are not axes of the stack. */
gnd_status gndm__stacked_matrices(gndm__args *a, gndm_array *x, int after, gnd_array *shape_of);
/* Whether the call, of a function from a matrix x to a matrix, is to be computed by blocks; *t is
 * the dtype of its result. If not, it failed or was computed in another way: *st is its status. */
int gndm__matrix_by_blocks(gndm__args *a, gndm_array *x, gnd_dtype *t, gnd_status *st);

#endif
