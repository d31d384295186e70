/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked_priv.h - the steps of programs of blocked decompositions (blocked_parts.c), of
 * matrices in Fortran order: element (i, j) at i + j ld.
 */
#ifndef GND_PRIM_BLOCKED_PRIV_H
#define GND_PRIM_BLOCKED_PRIV_H

#include "prim/prim.h"

/* Rows that one kernel substitutes in tiles of LEAF. */
enum { GND__BLOCKED_LEAF = 32, GND__BLOCKED_ROWS = 128 };

/* One matrix on the device. */
typedef struct gnd__mtx {
    gnd__pmem at;
    int64_t ld;
} gnd__mtx;

typedef struct gnd__blocked_work {
    gnd__prog *p;
    const gnd_solve_desc *s;
    gnd_dtype t;
    int64_t size, panel;
    int complex, device, parts; /* parts: of products on the device, by our own kernels */
} gnd__blocked_work;

/* A triangle t: element (i, j) of the factor of x is at i row + j col, and only elements below (or
 * above) the diagonal are read. right: x t^T = b with a lower triangle, instead of t x = b. */
typedef struct gnd__tri {
    gnd__pmem at;
    int64_t row, col, ld;
    int upper, unit, right;
} gnd__tri;

/* The description of C = alpha op(A) op(B) + beta C; C is m x n; ta and tb: the operand is
 * transposed. Libraries take C in C order, so they get C^T = op(B)^T op(A)^T. */
gnd_gemm gnd__blocked_gemm(uint32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k,
                           double alpha, int64_t lda, int64_t ldb, double beta, int64_t ldc);
/* The part of a from (i, j) on. */
gnd__mtx gnd__blocked_from(const gnd__blocked_work *w, gnd__mtx a, int64_t i, int64_t j);
/* Adds such a product, unless it is empty. */
void gnd__blocked_product(gnd__blocked_work *w, int ta, int tb, int64_t m, int64_t n, int64_t k,
                          double alpha, gnd__mtx a, gnd__mtx b, double beta, gnd__mtx c);
/* Ends a kernel of n work-items, whose body is that text. */
void gnd__blocked_end(gnd__blocked_work *w, const char *text, int64_t n, size_t local,
                      int64_t bytes);
/* Exchanges rows first, first + 1 ... of matrix a, which has n columns, with the rows in `pivots`,
 * from number `at` on. Leaves out skip columns from column `from_col` on. */
void gnd__blocked_swaps(gnd__blocked_work *w, gnd__mtx a, int64_t n, int64_t from_col, int64_t skip,
                        int pivots, int64_t at, int64_t first, int64_t count);
/* Copies count elements of x, or their conjugates, in columns of `rows`, to y. */
void gnd__blocked_take(gnd__blocked_work *w, const char *name, gnd__mtx y, gnd__mtx x, int64_t rows,
                       int64_t count, int conj);
/* Solves t x = b for rows i to i + n; x replaces b, which has k columns (right: rows). The depth of
 * the recursion is the logarithm of n. */
void gnd__blocked_triangle(gnd__blocked_work *w, const gnd__tri *t, int64_t i, int64_t n,
                           gnd__mtx b, int64_t k);

#endif
