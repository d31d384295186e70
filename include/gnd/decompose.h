/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/decompose.h - decompositions, linear systems, and functions based on them. They work on the
 * matrices in the last two axes; leading axes are a batch. CUDA uses cuSOLVER and cuBLAS (for eig
 * and eigvals from order 512 on, with CUDA 12.6 or later). Other cases use LAPACK (OpenBLAS): in
 * place in the memory of CPU devices, and on a host copy for other devices.
 *
 * dtypes: float32, float64, complex64 and complex128 are kept. float16 and bfloat16 are computed in
 * float32. Ints and bools are computed in the device's default float. Functions with several
 * results store them through their last arguments and return the first error.
 *
 * A matrix that cannot be decomposed makes the result GND_ERR_LINALG when it is read. The message
 * names the function, the matrix of the batch and the place: "inv: matrix 3: singular: U[4, 4] is
 * 0". Other errors of all functions: GND_ERR_NULL, GND_ERR_SHAPE, GND_ERR_DEVICE,
 * GND_ERR_UNSUPPORTED (no LAPACK), the errors of the arrays.
 *
 * NaN and infinities in the part of a matrix that is read give the same outcome on every device:
 * - GND_ERR_LINALG ("svd: matrix 1: no convergence: it has a NaN or an infinity") from
 *   gnd_cholesky, gnd_svd, gnd_svdvals, gnd_eigh, gnd_eigvalsh, gnd_eig, gnd_eigvals, gnd_lstsq
 *   (also in right-hand sides), and functions that use them: gnd_pinv, gnd_matrix_rank, norms and
 *   condition numbers by singular values.
 * - From all other functions, NaN in every result element that depends on the matrix (the triangles
 *   of gnd_qr and gnd_lu; P of gnd_lu is then some permutation). Results of other matrices of the
 *   batch are not affected. A right-hand side with NaN or infinities does not affect other
 *   right-hand sides.
 */
#ifndef GND_DECOMPOSE_H
#define GND_DECOMPOSE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- decompositions --------------------------------------------------------------------------- */
/* The Cholesky decomposition x = L L^H of a Hermitian positive definite matrix, with L lower
 * triangular. upper != 0: returns U with x = U^H U. Only the lower triangle of x is read. */
GND_API gnd_array *gnd_cholesky(gnd_array *x, int upper);
/* The QR decomposition x = Q R of an m x n matrix. complete 0: Q is m x min(m, n); else Q is m x
 * m. */
GND_API gnd_status gnd_qr(gnd_array *x, int complete, gnd_array **q, gnd_array **r);
/* The QR decomposition as LAPACK stores it (geqrf): h (m x n) has R on and above its diagonal, and
 * below it the reflectors v, whose first element 1 is not stored; tau has their min(m, n) factors.
 * Q is the product of the I - tau v v^H in order. Takes min(m, n) steps, one after the other. */
GND_API gnd_status gnd_qr_packed(gnd_array *x, gnd_array **h, gnd_array **tau);
/* The LU decomposition x = P L U. L is m x k with unit diagonal and U is k x n, k = min(m, n).
 * Waits for the device, unless it is a CPU. */
GND_API gnd_status gnd_lu(gnd_array *x, gnd_array **p, gnd_array **l, gnd_array **u);
/* The singular value decomposition x = U diag(S) Vh of an m x n matrix. S is real and descending.
 * full 0: U is m x k and Vh is k x n, k = min(m, n); else U is m x m and Vh is n x n. */
GND_API gnd_status gnd_svd(gnd_array *x, int full, gnd_array **u, gnd_array **s, gnd_array **vh);
/* The singular values S of gnd_svd. As in gnd_svd, the absolute error of each value is a multiple
 * of eps times the largest one, so small values may have no correct digit. */
GND_API gnd_array *gnd_svdvals(gnd_array *x);
/* The eigendecomposition x = V diag(W) V^H of a Hermitian matrix. W is real and ascending. Only the
 * lower triangle of x is read (upper != 0: the upper triangle). */
GND_API gnd_status gnd_eigh(gnd_array *x, int upper, gnd_array **w, gnd_array **v);
/* The eigenvalues W of gnd_eigh, real and ascending. Cheaper than gnd_eigh. */
GND_API gnd_array *gnd_eigvalsh(gnd_array *x, int upper);
/* The eigendecomposition x V = V diag(W) of a general matrix. W and V are complex. The order is
 * LAPACK's; eigenvectors have norm 1. */
GND_API gnd_status gnd_eig(gnd_array *x, gnd_array **w, gnd_array **v);
/* The eigenvalues W of gnd_eig, complex. */
GND_API gnd_array *gnd_eigvals(gnd_array *x);

/* --- linear systems --------------------------------------------------------------------------- */
/* Solves a x = b. b is a vector if it has one dimension, else (..., n, k). Batches broadcast. */
GND_API gnd_array *gnd_solve(gnd_array *a, gnd_array *b);
/* Flags of gnd_solve_triangular: a is lower triangular; its diagonal is taken as ones; a is
 * replaced by a^T; a is replaced by a^H. */
enum { GND_SOLVE_LOWER = 1, GND_SOLVE_UNIT = 2, GND_SOLVE_TRANS = 4, GND_SOLVE_ADJOINT = 8 };
/* Solves a x = b with a triangular matrix a. Only that triangle is read. flags: a combination of
 * GND_SOLVE_LOWER, GND_SOLVE_UNIT, GND_SOLVE_TRANS and GND_SOLVE_ADJOINT, or 0. Shapes as for
 * gnd_solve. */
GND_API gnd_array *gnd_solve_triangular(gnd_array *a, gnd_array *b, unsigned flags);
/* Solves a x = b, given the Cholesky factor c of a (lower: a = c c^H; else a = c^H c). */
GND_API gnd_array *gnd_cho_solve(gnd_array *c, int lower, gnd_array *b);
/* The inverse of square matrices. GND_ERR_LINALG: a matrix is singular. */
GND_API gnd_array *gnd_inv(gnd_array *x);
/* The pseudo-inverse. Singular values up to rtol times the largest one are taken as 0. rtol < 0:
 * max(m, n) times eps of the dtype. */
GND_API gnd_array *gnd_pinv(gnd_array *x, double rtol);
/* Same as gnd_pinv, with an rtol for each matrix: a real array that broadcasts to the batch.
 * GND_ERR_DTYPE: rtol is complex. */
GND_API gnd_array *gnd_pinv_array(gnd_array *x, gnd_array *rtol);
/* The minimum-norm least-squares solution of a x = b; a has 2 dimensions. *rank is int64 and 0-d.
 * *s are the singular values of a. *residuals are the sums of squared residuals; as in NumPy, they
 * are empty unless a has full column rank and more rows than columns (this waits for the device).
 * residuals, rank and s may be NULL. rcond < 0: as rtol of gnd_pinv. */
GND_API gnd_status gnd_lstsq(gnd_array *a, gnd_array *b, double rcond, gnd_array **x,
                             gnd_array **residuals, gnd_array **rank, gnd_array **s);

/* --- numbers of a matrix ---------------------------------------------------------------------- */
/* The determinant of square matrices, by LU decomposition. 0 for a singular matrix. */
GND_API gnd_array *gnd_det(gnd_array *x);
/* Sign and log of the determinant: det(x) = sign * exp(logabsdet). */
GND_API gnd_status gnd_slogdet(gnd_array *x, gnd_array **sign, gnd_array **logabsdet);
/* The number of singular values above rtol times the largest one, int64. rtol < 0: as in
 * gnd_pinv. */
GND_API gnd_array *gnd_matrix_rank(gnd_array *x, double rtol);
/* Same as gnd_matrix_rank, with an rtol for each matrix as in gnd_pinv_array. */
GND_API gnd_array *gnd_matrix_rank_array(gnd_array *x, gnd_array *rtol);
/* x to an integer power, by repeated squaring. Negative powers use the inverse. */
GND_API gnd_array *gnd_matrix_power(gnd_array *x, int64_t n);
/* The matrix exponential, by scaling and squaring with the Pade approximation of degree 13
 * (Al-Mohy, Higham: A new scaling and squaring algorithm for the matrix exponential, 2009). Waits
 * for the device to compute norms. */
GND_API gnd_array *gnd_expm(gnd_array *x);

/* Norms of a matrix. FRO: Frobenius; NUC: nuclear (sum of singular values); 1: largest sum of
 * magnitudes of a column; INF: largest sum of magnitudes of a row; 2: largest singular value; NEG_:
 * the smallest one in place of the largest. */
typedef enum gnd_matrix_ord {
    GND_ORD_FRO,
    GND_ORD_NUC,
    GND_ORD_1,
    GND_ORD_NEG_1,
    GND_ORD_2,
    GND_ORD_NEG_2,
    GND_ORD_INF,
    GND_ORD_NEG_INF
} gnd_matrix_ord;
/* The norm `ord` of each matrix. flags: 0 or GND_KEEPDIMS. The result is real. */
GND_API gnd_array *gnd_matrix_norm(gnd_array *x, gnd_matrix_ord ord, unsigned flags);
/* The norm of vectors along axes (GND_ALL: of all elements): (sum of |x|^ord)^(1/ord). ord
 * INFINITY: the largest magnitude; -INFINITY: the smallest; 0: the number of nonzero elements.
 * flags: 0 or GND_KEEPDIMS. The result is real. */
GND_API gnd_array *gnd_vector_norm(gnd_array *x, gnd_axes axes, unsigned flags, double ord);
/* The condition number ||x|| ||x^-1|| in the norm `ord`. GND_ORD_2 and GND_ORD_NEG_2 use singular
 * values. Infinite for a singular matrix. */
GND_API gnd_array *gnd_cond(gnd_array *x, gnd_matrix_ord ord);
/* The product of n matrices, in the order that needs the fewest multiplications. The first and the
 * last may be vectors. */
GND_API gnd_array *gnd_multi_dot(int n, gnd_array *const *x);

#ifdef __cplusplus
}
#endif
#endif
