/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mats.h - batches of matrices on the host, to check decompositions without the device's
 * arithmetic: every element is a double complex, and products are plain loops. Large matrices are
 * multiplied by a few random vectors instead of being formed, so that a residual costs n^2. All
 * memory is freed together.
 */
#ifndef MATS_H
#define MATS_H

#include "base/cmplx.h"
#include <gnd.h>

/* nb matrices of m x n, in C order. */
typedef struct mat {
    int64_t nb, m, n;
    double complex *p;
} mat;

/* What matrices are made of: uniform in -1 .. 1; that with 4 n added to the diagonal; Hilbert's, of
 * condition e^(3.5 n); rows and columns scaled by powers of 2 that fall to 2^-20 (float32) or
 * 2^-60; a matrix of rank 1 and noise of some eps. */
typedef enum mat_kind {
    MAT_RANDOM,
    MAT_STRONG,
    MAT_HILBERT,
    MAT_GRADED,
    MAT_NEAR,
    MAT_NKINDS
} mat_kind;
const char *mat_kind_name(mat_kind k);

/* What tests run with, for messages and bounds: the device's name, the device, the dtype, its eps.
 */
extern const char *mat_where;
extern gnd_device *mat_dev;
extern gnd_dtype mat_t;
extern double mat_eps;
void mat_setting(gnd_device *dev, const char *where, gnd_dtype t);

mat mat_new(int64_t nb, int64_t m, int64_t n); /* zeros */
void mat_free_all(void);
mat mat_make(mat_kind k, int64_t nb, int64_t m, int64_t n); /* values of the dtype */
mat mat_eye(int64_t nb, int64_t m, int64_t n);
/* x x^H + shift I, of values of the dtype and Hermitian. */
mat mat_positive(const mat *x, double shift);
/* Rounds to the dtype (the host then has the device's values) and makes an array (nb, m, n). */
gnd_array *mat_put(mat *a);
/* The array of the dtype's real or complex one, as nb matrices of m x n; a failure is a failed
 * check. */
mat mat_get(gnd_array *x, int64_t nb, int64_t m, int64_t n);

mat mat_mul(const mat *a, const mat *b); /* a batch of 1 goes with any */
mat mat_sub(const mat *a, const mat *b);
mat mat_adjoint(const mat *a);
/* a with column j times d[j]; d is (nb, 1, n). */
mat mat_scale(const mat *a, const mat *d);
/* Columns to multiply by: the unit vectors up to 64 rows, then 8 random ones of norm 1 / sqrt(8)
 * times sqrt(n), so that the Frobenius norm of a product is an estimate of the matrix's own. */
mat mat_probe(int64_t n);
/* The Frobenius norm of each matrix, and products of such numbers. */
double *mat_norms(const mat *a);
double *mat_times(const double *a, const double *b, int64_t nb);
double *mat_plus(const double *a, const double *b, int64_t nb);

/* Checks that the Frobenius norm of each r is at most c eps times its scale (NULL: 1). */
void mat_within(const mat *r, const double *scale, double c, const char *what);
/* Checks x^H x = I in c eps. */
void mat_orthogonal(const mat *x, double c, const char *what);
/* Checks a = b in c eps times the norm of b. */
void mat_equal(const mat *a, const mat *b, double c, const char *what);

#endif
