/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/matrices.h - stacks of matrices as operands of gnd__solve_node. Callers are in an
 * inner scope, which owns what is made here.
 */
#ifndef GND_OPS_LINALG_MATRICES_H
#define GND_OPS_LINALG_MATRICES_H

#include "graph/scope.h"

/* A stack of m x n matrices of a dtype that solvers take. */
typedef struct gnd__mats {
    const char *func;
    gnd_array *x, *bad; /* bad: NULL, or gnd__mats_sound's */
    gnd_device *dev;
    gnd_dtype t;
    int nb; /* axes of the batch */
    int64_t batch[GND_MAX_NDIM], nbatch, m, n;
} gnd__mats;

/* x as such a stack in *a; square: m must be n. An error node, or NULL. func, a literal, is what
 * messages begin with, here and in all functions below. */
gnd_array *gnd__mats_of(gnd__mats *a, const char *func, gnd_array *x, int square);
/* The description of op on a (k columns of a right side). */
gnd_solve_desc gnd__mats_desc(const gnd__mats *a, gnd_solve_op op, unsigned flags, int64_t k);
/* op on a's matrices alone. */
gnd_array *gnd__mats_solve(const gnd__mats *a, const gnd_solve_desc *s);
/* Operand i of the result y as a stack of rows x cols matrices (cols 0: of vectors of rows). */
gnd_array *gnd__mats_part(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int i,
                          int64_t rows, int64_t cols);
/* Where s, which is no error for matrices with a NaN or an infinity, is done on the device, a->x
 * with 1 in the place of these, so that no library calls them singular. */
void gnd__mats_sound(gnd__mats *a, const gnd_solve_desc *s);
/* y, made by `s`, which is no error for matrices of a that have a NaN or an infinity, but NaN for
 * these. LAPACK on the host sees to that itself (host/finite.c). y is a stack of matrices, or with
 * vectors != 0 of vectors. */
gnd_array *gnd__mats_nan(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int vectors);
/* The same where it is an error: which matrices of a, or of the right sides (NULL: none), have one,
 * for gnd__solve_node; NULL where nothing has to be told. */
gnd_array *gnd__mats_bad(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *sides);
/* The public functions of these names as parts of func. svd: with an error for right sides, too
 * (NULL: none). */
gnd_array *gnd__mats_cholesky(const char *func, gnd_array *x, int upper);
gnd_status gnd__mats_eigh(const char *func, gnd_array *x, int upper, gnd_array **w, gnd_array **v);
gnd_status gnd__mats_svd(const char *func, gnd_array *x, int full, gnd_array *sides, gnd_array **u,
                         gnd_array **s, gnd_array **vh);
gnd_array *gnd__mats_svdvals(const char *func, gnd_array *x);
gnd_array *gnd__mats_system(const char *func, gnd_array *a, gnd_array *b);
/* A stack of zeros of that shape, for what has no elements. */
gnd_array *gnd__mats_zeros(const gnd__mats *a, gnd_dtype t, int64_t rows, int64_t cols);
/* 1 when there is nothing to decompose. */
static inline int gnd__mats_empty(const gnd__mats *a)
{
    return a->nbatch == 0 || a->m == 0 || a->n == 0;
}
/* Ends the inner scope with the error bad as all n results; its status. */
gnd_status gnd__mats_fail(gnd__inner in, int n, gnd_array **const *out, gnd_array *bad);
/* Ends it with the results y, n of them: *out[i] gets y[i], if out[i] is not NULL. The first error.
 */
gnd_status gnd__mats_give(gnd__inner in, int n, gnd_array **const *out, gnd_array **y);

#endif
