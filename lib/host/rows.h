/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/rows.h - Cholesky and LU decompositions of matrices in C order on host memory, for CPU
 * devices and for backends without a library. Only narrow panels, which LAPACK factors, are
 * transposed.
 */
#ifndef GND_HOST_ROWS_H
#define GND_HOST_ROWS_H

#include "base/err.h"

/* For both: x (count, m, n), which is not changed, and y are elements of t (float32, float64,
 * complex64, complex128) in C order. GND_ERR_UNSUPPORTED: no LAPACK library; GND_ERR_OVERFLOW: an
 * extent does not fit LAPACK's int; GND_ERR_NOMEM. */

/* y (count, n, n): L, where L L^H = x, and zeros above the diagonal. Only the lower triangle of x
 * is read. GND_ERR_LINALG: a matrix is not positive definite or not finite. */
gnd_status gnd__rows_cholesky(gnd_dtype t, int64_t count, int64_t n, const char *x, char *y,
                              gnd_err *e);
/* y: L (count, m, q) with a unit diagonal, U (count, q, n), and (count, m) as values of t: the row
 * of x that is the i-th of L U. q = min(m, n). For a matrix with a NaN or an infinity these
 * triangles are NaN. */
gnd_status gnd__rows_lu(gnd_dtype t, int64_t count, int64_t m, int64_t n, const char *x, char *y,
                        gnd_err *e);

#endif
