/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/decompose.h - decompositions, linear systems and what follows from them, of the matrices in the
 * last two axes; the axes before are a batch. cuSOLVER and cuBLAS on CUDA (eig and eigvals from order
 * 512 on and since CUDA 12.6), LAPACK (OpenBLAS) elsewhere: on a CPU device's memory where it is, for
 * other devices on a copy on the host.
 *
 * float32, float64, complex64 and complex128 keep their dtype; float16 and bfloat16 are computed in
 * float32; ints and bools in the device's default float. Functions of several results put them into
 * the last arguments and return the first error. A matrix that cannot be decomposed makes the result
 * GND_ERR_LINALG when it is read, and the message says of which function, which of the batch, and where:
 * "inv: matrix 3: singular: U[4, 4] is 0". Other errors of all: GND_ERR_NULL, GND_ERR_SHAPE, GND_ERR_DEVICE,
 * GND_ERR_UNSUPPORTED (no LAPACK), the arrays' own.
 *
 * A matrix that has a NaN or an infinity, where it is read, has one of two answers, on every device: GND_ERR_LINALG
 * ("svd: matrix 1: no convergence: it has a NaN or an infinity") from gnd_cholesky, gnd_svd, gnd_svdvals, gnd_eigh,
 * gnd_eigvalsh, gnd_eig, gnd_eigvals, gnd_lstsq (there of the right sides, too) and what uses them: gnd_pinv,
 * gnd_matrix_rank, norms and condition numbers by singular values; from all others NaN in each element of the
 * results that depends on the matrix (the triangles of gnd_qr and gnd_lu, whose P is some permutation), and the
 * results of the other matrices of the batch as ever. A right side that has one of them spoils no other.
 */
#ifndef GND_DECOMPOSE_H
#define GND_DECOMPOSE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- decompositions ----------------------------------------------------------------------------- */
/* x = L L^H with L lower triangular (upper != 0: U^H U) of a Hermitian positive definite matrix, of
 * which the lower triangle is read. */
GND_API gnd_array *gnd_cholesky(gnd_array *x, int upper);
/* x (m x n) = Q R; complete 0: Q is m x min(m, n), else m x m. */
GND_API gnd_status gnd_qr(gnd_array *x, int complete, gnd_array **q, gnd_array **r);
/* x = P L U, with L (m x k) of unit diagonal, U (k x n), k = min(m, n). Waits for the device, but for a
 * CPU. */
GND_API gnd_status gnd_lu(gnd_array *x, gnd_array **p, gnd_array **l, gnd_array **u);
/* x (m x n) = U diag(S) Vh, S real and descending; full 0: U is m x k and Vh k x n, k = min(m, n). */
GND_API gnd_status gnd_svd(gnd_array *x, int full, gnd_array **u, gnd_array **s, gnd_array **vh);
/* S alone. As those of gnd_svd, values are off by a multiple of eps times the greatest one: of small ones no digit
 * may be right. */
GND_API gnd_array *gnd_svdvals(gnd_array *x);
/* x = V diag(W) V^H of a Hermitian matrix, of which the lower triangle is read (upper != 0: the upper
 * one); W real and ascending. */
GND_API gnd_status gnd_eigh(gnd_array *x, int upper, gnd_array **w, gnd_array **v);
/* The eigenvalues of gnd_eigh alone, real and ascending. They cost less than with the vectors. */
GND_API gnd_array *gnd_eigvalsh(gnd_array *x, int upper);
/* x V = V diag(W), both complex, in LAPACK's order, the vectors of norm 1. */
GND_API gnd_status gnd_eig(gnd_array *x, gnd_array **w, gnd_array **v);
/* The eigenvalues of gnd_eig alone, complex. */
GND_API gnd_array *gnd_eigvals(gnd_array *x);

/* --- linear systems ----------------------------------------------------------------------------- */
/* The solution of a x = b: b is a vector when it has one dimension, else (..., n, k). Batches broadcast. */
GND_API gnd_array *gnd_solve(gnd_array *a, gnd_array *b);
/* Flags of gnd_solve_triangular: a is a lower triangle, its diagonal counts as ones, a^T stands for a, a^H does. */
enum { GND_SOLVE_LOWER = 1, GND_SOLVE_UNIT = 2, GND_SOLVE_TRANS = 4, GND_SOLVE_ADJOINT = 8 };
/* The solution of a x = b with a triangular a, of which nothing else is read. flags: a sum of GND_SOLVE_LOWER,
 * GND_SOLVE_UNIT, GND_SOLVE_TRANS and GND_SOLVE_ADJOINT, or 0. Shapes as for gnd_solve. */
GND_API gnd_array *gnd_solve_triangular(gnd_array *a, gnd_array *b, unsigned flags);
/* The solution of a x = b from a's Cholesky factor c (lower: c c^H = a; else c^H c = a). */
GND_API gnd_array *gnd_cho_solve(gnd_array *c, int lower, gnd_array *b);
/* The inverse of square matrices. GND_ERR_LINALG: one is singular. */
GND_API gnd_array *gnd_inv(gnd_array *x);
/* The pseudo-inverse: singular values up to rtol times the greatest count as 0. rtol < 0: max(m, n)
 * times the dtype's eps. */
GND_API gnd_array *gnd_pinv(gnd_array *x, double rtol);
/* The same with an rtol for each matrix: an array of reals that broadcasts to the batch. GND_ERR_DTYPE: complex. */
GND_API gnd_array *gnd_pinv_array(gnd_array *x, gnd_array *rtol);
/* The least-squares solution of least norm of a x = b, a 2-d; the rank (int64, 0-d), the singular
 * values of a, and the sums of squared residuals (empty unless a has full column rank and more rows
 * than columns, as NumPy; waits for the device). rank, s and residuals may be NULL. rcond < 0: as rtol
 * above. */
GND_API gnd_status gnd_lstsq(gnd_array *a, gnd_array *b, double rcond, gnd_array **x, gnd_array **residuals,
                             gnd_array **rank, gnd_array **s);

/* --- numbers of a matrix ------------------------------------------------------------------------ */
/* The determinant of square matrices, from their LU decomposition; 0 for a singular one. */
GND_API gnd_array *gnd_det(gnd_array *x);
/* det(x) = sign * exp(logabsdet). */
GND_API gnd_status gnd_slogdet(gnd_array *x, gnd_array **sign, gnd_array **logabsdet);
/* int64: singular values above rtol times the greatest; rtol < 0 as in gnd_pinv. */
GND_API gnd_array *gnd_matrix_rank(gnd_array *x, double rtol);
/* With an rtol for each matrix, as gnd_pinv_array. */
GND_API gnd_array *gnd_matrix_rank_array(gnd_array *x, gnd_array *rtol);
/* x to an integer power, by squaring; a negative one of the inverse. */
GND_API gnd_array *gnd_matrix_power(gnd_array *x, int64_t n);
/* The exponential of a matrix, by scaling and squaring with Pade's approximation of degree 13 (Al-Mohy, Higham: A
 * new scaling and squaring algorithm for the matrix exponential, 2009); waits for norms. */
GND_API gnd_array *gnd_expm(gnd_array *x);

/* Norms of a matrix: Frobenius, nuclear, the greatest (least) sum of a column's (1) or a row's (INF)
 * magnitudes, the greatest (least) singular value (2). flags: 0 or GND_KEEPDIMS. Real. */
typedef enum gnd_matrix_ord {
    GND_ORD_FRO, GND_ORD_NUC, GND_ORD_1, GND_ORD_NEG_1, GND_ORD_2, GND_ORD_NEG_2, GND_ORD_INF,
    GND_ORD_NEG_INF
} gnd_matrix_ord;
/* A norm of each matrix, ord says which. flags: 0 or GND_KEEPDIMS. The result is real. */
GND_API gnd_array *gnd_matrix_norm(gnd_array *x, gnd_matrix_ord ord, unsigned flags);
/* Of vectors along axes (GND_ALL: of all elements): (sum of |x|^ord)^(1/ord); INFINITY the greatest
 * magnitude, -INFINITY the least, 0 the number of elements that are not 0. Real. */
GND_API gnd_array *gnd_vector_norm(gnd_array *x, gnd_axes axes, unsigned flags, double ord);
/* The condition number: ||x|| ||x^-1|| in that norm; GND_ORD_2 and GND_ORD_NEG_2 by singular values. Infinite for a
 * singular matrix. */
GND_API gnd_array *gnd_cond(gnd_array *x, gnd_matrix_ord ord);
/* The product of n matrices in the order that takes the fewest multiplications; the first and the last
 * one may be vectors. */
GND_API gnd_array *gnd_multi_dot(int n, gnd_array *const *x);

#ifdef __cplusplus
}
#endif
#endif
