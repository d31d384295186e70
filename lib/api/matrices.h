/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/matrices.h - stacks of matrices as operands of gnd__solve_node. Everything made here belongs to the
 * innermost scope.
 */
#ifndef GND_API_MATRICES_H
#define GND_API_MATRICES_H

#include "graph/graph.h"

/* A stack of m x n matrices of a dtype that solvers take. */
typedef struct gnd__mats {
    gnd_array *x;
    gnd_device *dev;
    gnd_dtype t;
    int nb;                    /* axes of the batch */
    int64_t batch[GND_MAX_NDIM], nbatch, m, n;
} gnd__mats;

/* x as such a stack in *a; square: m must be n. An error node, or NULL. */
gnd_array *gnd__mats_of(gnd__mats *a, const char *func, gnd_array *x, int square);
/* The description of op on a (k columns of a right side). */
gnd_solve_desc gnd__mats_desc(const gnd__mats *a, gnd_solve_op op, unsigned flags, int64_t k);
/* Whether s is done on the device, by its library or in blocks; the other way is LAPACK on the host. */
int gnd__mats_native(const gnd__mats *a, const gnd_solve_desc *s);
/* op on a's matrices alone. */
gnd_array *gnd__mats_solve(const gnd__mats *a, const gnd_solve_desc *s);
/* Operand i of the result y as a stack of rows x cols matrices (cols 0: of vectors of rows). */
gnd_array *gnd__mats_part(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int i,
                          int64_t rows, int64_t cols);
/* y, made by `s` (an LU decomposition, or what goes through one) from a, but NaN wherever the matrix of a has a
 * NaN: out of cuSOLVER only finite numbers come then, out of LAPACK's inverse some. LAPACK's other routines need
 * no help. y is a stack of matrices, or with vectors != 0 of vectors. */
gnd_array *gnd__mats_nan(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int vectors);
/* A stack of zeros of that shape, for what has no elements. */
gnd_array *gnd__mats_zeros(const gnd__mats *a, gnd_dtype t, int64_t rows, int64_t cols);
/* 1 when there is nothing to decompose. */
static inline int gnd__mats_empty(const gnd__mats *a)
{
    return a->nbatch == 0 || a->m == 0 || a->n == 0;
}
/* Ends the scope with the error bad as all n results; its status. */
gnd_status gnd__mats_fail(int n, gnd_array **const *out, gnd_array *bad);
/* The n results to the caller: keeps them for the scope around, ends the scope, and says the
 * first error. Entries of out may be NULL. */
gnd_status gnd__mats_give(int n, gnd_array **const *out, gnd_array *const *y);

#endif
