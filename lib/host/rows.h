/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/rows.h - Cholesky's and LU decompositions of matrices in C order, on host memory: for CPU devices, and where
 * the backend has no library. Nothing is transposed but narrow panels, which LAPACK factors.
 */
#ifndef GND_HOST_ROWS_H
#define GND_HOST_ROWS_H

#include "base/err.h"

/* Both: x (count, m, n), which stays, and y are elements of t (float32, float64, complex64, complex128) in C order.
 * GND_ERR_UNSUPPORTED: no LAPACK library; GND_ERR_OVERFLOW: an extent does not fit LAPACK's int; GND_ERR_NOMEM. */

/* y (count, n, n): L with L L^H = x, of which the lower triangle is read, and zeros. GND_ERR_LINALG: a matrix that is
 * not positive definite, or where something is not finite. */
gnd_status gnd__rows_cholesky(gnd_dtype t, int64_t count, int64_t n, const char *x, char *y, gnd_err *e);
/* y: L (count, m, q) with ones on its diagonal, U (count, q, n), and (count, m), as values: which row of x is the i-th
 * of L U; q = min(m, n). Of a matrix with a NaN or an infinity these triangles are NaN. */
gnd_status gnd__rows_lu(gnd_dtype t, int64_t count, int64_t m, int64_t n, const char *x, char *y, gnd_err *e);

#endif
