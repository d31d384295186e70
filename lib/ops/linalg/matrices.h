/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/matrices.h - stacks of matrices as operands of gnd__solve_node. Callers are in an
 * inner scope, which owns what is made here.
 */
#ifndef GND_OPS_LINALG_MATRICES_H
#define GND_OPS_LINALG_MATRICES_H

#include "graph/scope.h"

/* A stack of m x n matrices of a dtype that solvers support. */
typedef struct gnd__mats {
    const char *func;
    gnd_array *x, *bad; /* bad: NULL, or from gnd__mats_sound */
    gnd_device *dev;
    gnd_dtype t;
    int nb; /* axes of the batch */
    int64_t batch[GND_MAX_NDIM], nbatch, m, n;
} gnd__mats;

/* Sets *a to x as such a stack; square: m must equal n. Returns an error node, or NULL. Here and
 * below, messages begin with func, a literal. */
gnd_array *gnd__mats_of(gnd__mats *a, const char *func, gnd_array *x, int square);
/* The description of op on a (k: columns of a right-hand side). */
gnd_solve_desc gnd__mats_desc(const gnd__mats *a, gnd_solve_op op, unsigned flags, int64_t k);
/* Applies s to the matrices of a. */
gnd_array *gnd__mats_solve(const gnd__mats *a, const gnd_solve_desc *s);
/* Operand i of the result y as a stack of rows x cols matrices (cols 0: of vectors of `rows`
 * elements). */
gnd_array *gnd__mats_part(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int i,
                          int64_t rows, int64_t cols);
/* If s, for which a NaN or an infinity is no error, runs on the device: replaces such matrices in
 * a->x by 1, so that no library reports them as singular. */
void gnd__mats_sound(gnd__mats *a, const gnd_solve_desc *s);
/* For an s to which a NaN or an infinity is no error: y, its result, with NaN for those matrices of
 * a that contain one. LAPACK on the host does that itself (host/finite.c). y is a stack of
 * matrices, or of vectors if vectors != 0. */
gnd_array *gnd__mats_nan(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int vectors);
/* For decompositions to which a NaN or an infinity is an error: the bools that gnd__solve_node
 * takes, true for matrices of a, or of right-hand sides (may be NULL), that contain one. NULL if
 * they are not needed. */
gnd_array *gnd__mats_bad(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *sides);
/* The public functions of these names as parts of func. svd: also checks right-hand sides (NULL:
 * none). */
gnd_array *gnd__mats_cholesky(const char *func, gnd_array *x, int upper);
gnd_status gnd__mats_eigh(const char *func, gnd_array *x, int upper, gnd_array **w, gnd_array **v);
gnd_status gnd__mats_svd(const char *func, gnd_array *x, int full, gnd_array *sides, gnd_array **u,
                         gnd_array **s, gnd_array **vh);
gnd_array *gnd__mats_svdvals(const char *func, gnd_array *x);
gnd_array *gnd__mats_eigvalsh(const char *func, gnd_array *x, int upper);
gnd_array *gnd__mats_system(const char *func, gnd_array *a, gnd_array *b);
/* tall.c: if a is a tall matrix that GPUs cut into blocks of rows, replaces it by the Rs of its
 * blocks below one another and returns 1; *q: the Qs (blocks, rows, n). */
int gnd__tall_cut(gnd__mats *a, gnd_array **q);
/* normal.c: whether a is a tall matrix of 32-bit floats, and a^H a in twice the digits serves it.
 */
int gnd__mats_twice(const gnd__mats *a);
/* For such an a: a^H a (n, n), and beside it a^H b (n, k) unless b (m, k) is NULL, in twice the
 * digits. */
gnd_array *gnd__mats_normal(const gnd__mats *a, gnd_array *b);
/* Whether Q and R come from it: where the other way is LAPACK on the host. Then the second makes
 * them, Q (m, n) and R (n, n). */
int gnd__tall_qr_takes(const gnd__mats *a);
void gnd__tall_qr(const gnd__mats *a, gnd_array **q, gnd_array **r);
/* If the device's library has the decomposition `op` of a, but that of an n x n matrix is the
 * host's, or the host has both and Q and R are the device's: replaces a by R of its QR
 * decomposition and returns 1; *q: Q (1, m, n). */
int gnd__tall_core(gnd__mats *a, gnd_solve_op op, gnd_array **q);
/* The first m rows of diag(q) y, and diag(q)^H b: the way back, and the way there of right-hand
 * sides. */
gnd_array *gnd__tall_times(gnd_array *q, gnd_array *y, int64_t m);
gnd_array *gnd__tall_sides(gnd_array *q, gnd_array *b);
/* The conjugate transpose of each matrix of x. */
gnd_array *gnd__adjoint(gnd_array *x);
/* max(m, n) times the machine epsilon: the part of the largest singular value below which others
 * count as 0, unless the caller says otherwise. */
double gnd__mats_rtol(const gnd__mats *a);
/* The threshold below which the singular values s count as 0, shape (batch, 1). each: rtol of each
 * matrix; NULL: all have `rtol`, or gnd__mats_rtol where that is negative. */
gnd_array *gnd__mats_threshold(const gnd__mats *a, gnd_array *s, double rtol, gnd_array *each);
/* A stack of zeros of that shape, for results without elements. */
gnd_array *gnd__mats_zeros(const gnd__mats *a, gnd_dtype t, int64_t rows, int64_t cols);
/* Whether a has no elements to decompose. */
static inline int gnd__mats_empty(const gnd__mats *a)
{
    return a->nbatch == 0 || a->m == 0 || a->n == 0;
}
/* Ends the inner scope with the error bad as all n results. Returns its status. */
gnd_status gnd__mats_fail(gnd__inner in, int n, gnd_array **const *out, gnd_array *bad);
/* Ends it with the n results y: *out[i] gets y[i] unless out[i] is NULL. Returns the first
 * error. */
gnd_status gnd__mats_give(gnd__inner in, int n, gnd_array **const *out, gnd_array **y);

#endif
