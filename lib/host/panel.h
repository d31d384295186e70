/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/panel.h - panels of blocked decompositions: a few columns of a matrix in Fortran order on the
 * device, which the host factors with LAPACK; and what else the host does on a device's memory.
 */
#ifndef GND_HOST_PANEL_H
#define GND_HOST_PANEL_H

#include "device/gate.h"

/* Operands of each kind, in order. `conj` ones are there for complex dtypes only: the conjugates of what
 * stands before them, behind it in the same memory, as products only transpose.
 *   CHOLESKY  io the block on the diagonal (cols x cols): L; above the diagonal it stays
 *   LU        io the panel: L and U; out int32 (cols): the rows of the matrix that change places with rows
 *             first, first + 1 ..., counted from 1
 *   QR        io the panel: R on and above the diagonal; out V (rows x cols), with ones and zeros, and conj;
 *             out T (cols x cols) and conj: Q = 1 - V T V^H (Schreiber and Van Loan, A storage-efficient WY
 *             representation for products of Householder transformations, 1989)
 *   DIAGONAL  in a diagonal of `rows` elements, of which none may be 0
 *   FINITE    in uint8 (rows), of each matrix: 1 it has a NaN or an infinity, 2 its right sides have, which are errors
 * In each of these rows >= cols. Of `count` matrices in C order (host/rows.h):
 *   CHOLESKY_ROWS  in matrices; out their lower factors
 *   LU_ROWS   in matrices; out L, U and the order of rows */
typedef enum gnd__panel_kind {
    GND__PANEL_NONE, GND__PANEL_CHOLESKY, GND__PANEL_LU, GND__PANEL_QR, GND__PANEL_DIAGONAL,
    GND__PANEL_FINITE, GND__PANEL_CHOLESKY_ROWS, GND__PANEL_LU_ROWS
} gnd__panel_kind;

typedef struct gnd__panel {
    uint32_t kind, dtype;
    int strict;                    /* LU: a 0 on the diagonal of U is an error; FINITE: they are for Cholesky's */
    int64_t rows, cols, ld, count; /* count: 0 but for those of many matrices */
    int64_t first, matrix;         /* where it begins on the diagonal, and the matrix's number, for messages */
} gnd__panel;

/* How many operands; bytes of operand i, for memory to be made. */
int gnd__panel_operands(const gnd__panel *p);
size_t gnd__panel_bytes(const gnd__panel *p, int i);
/* Factors it, operand i being at byte at[i] of block[i]. Waits. GND_ERR_LINALG as gnd_solver_ops says. */
gnd_status gnd__panel_on(gnd__gdev *d, const gnd__panel *p, int n, gnd__block *const *block, const size_t *at,
                         gnd_err *e);

#endif
