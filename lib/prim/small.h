/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/small.h - determinants, inverses, systems and Cholesky's factors of many small matrices, a
 * work-item or a group each, where calls of a library would take longer than their arithmetic.
 */
#ifndef GND_PRIM_SMALL_H
#define GND_PRIM_SMALL_H

#include "prim/prim.h"

/* The result for each n x n matrix. FACTORS: the diagonal of U, followed by the sign of the row
 * exchanges (n + 1 values). DET: the determinant. INV: the inverse. SOLVE: the solution for k right
 * sides. CHOLESKY: the lower factor of a positive matrix, of which only the part on and below the
 * diagonal is read. */
typedef enum gnd__small {
    GND__SMALL_FACTORS,
    GND__SMALL_DET,
    GND__SMALL_INV,
    GND__SMALL_SOLVE,
    GND__SMALL_CHOLESKY
} gnd__small;

/* Whether this method is worthwhile on dev for nbatch n x n matrices of t (a solver's dtype) and k
 * right sides. */
int gnd__small_takes(const gnd_device *dev, gnd_dtype t, int64_t nbatch, int64_t n, int64_t k);
/* The same of Cholesky's factors, whose matrices may be larger on GPUs. */
int gnd__small_cholesky(const gnd_device *dev, gnd_dtype t, int64_t nbatch, int64_t n);
/* x: (..., n, n), b: NULL or (..., n, k), of nbatch matrices. The node is 1-d: the results one
 * after the other, each in C order. Those of a matrix with a NaN or an infinity are NaN. A singular
 * matrix is an error of INV and SOLVE, one that is not finite or not positive of CHOLESKY
 * (GND_ERR_LINALG). Messages begin with func, a literal. */
gnd_array *gnd__small_node(const char *func, gnd__small what, int64_t nbatch, int64_t n, int64_t k,
                           gnd_array *x, gnd_array *b);
/* gnd__prim_verdict for such a node. */
gnd_status gnd__small_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e);
/* Defines the arithmetic of the program's dtype as macros of a kernel. SIZE, by which pivots are
 * chosen, is the sum of the magnitudes of both parts of a complex number, as in LAPACK;
 * LESS(z, a, b) is z - a b. */
void gnd__small_arithmetic(gnd__prog *p);
/* The side of the greatest block that a group factors in its local memory. */
int64_t gnd__small_block_side(const gnd_props *p, gnd_dtype t);
/* Adds a kernel that replaces the lower triangle of an n x n block at `a`, in Fortran order, by its
 * Cholesky factor. A leading minor that is not positive is noted in the program's check, unless
 * something is there: of order first + its order in the block, of that matrix. */
void gnd__small_block(gnd__prog *p, gnd__pmem a, int64_t ld, int64_t n, int64_t first,
                      int64_t matrix);

#endif
