/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/normal.h - least squares from normal equations a^H a x = a^H b on the host, for a whose
 * elements have half the digits of t: a^H a then has the singular values of a to their last digit.
 */
#ifndef GND_HOST_NORMAL_H
#define GND_HOST_NORMAL_H

#include "base/err.h"

/* m (n, n + k) in C order: a^H a beside a^H b, of t (float64 or complex128). y: the solution of
 * least norm (n, k) in C order, then the rank, as values of t. Singular values of a of at most
 * rcond times the largest count as 0. GND_ERR_LINALG: a or b had a NaN or an infinity, or no
 * convergence; GND_ERR_NOMEM; GND_ERR_UNSUPPORTED: no LAPACK library. */
gnd_status gnd__normal_solve(gnd_dtype t, int64_t n, int64_t k, double rcond, const char *m,
                             char *y, gnd_err *e);

#endif
