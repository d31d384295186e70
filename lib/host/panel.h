/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/panel.h - panels of blocked decompositions: a few columns of a matrix in Fortran order on
 * the device, which the host factors with LAPACK; and other work of the host on device memory.
 */
#ifndef GND_HOST_PANEL_H
#define GND_HOST_PANEL_H

#include "device/gate.h"

/* Operands of each kind, in order. Operands `conj` exist for complex dtypes only: the conjugates of
 * the operand before, behind it in the same memory, because products can transpose but not
 * conjugate.
 *   CHOLESKY  io the diagonal block (cols x cols): L; the part above the diagonal is kept
 *   LU        io the panel: L and U; out int32 (cols): the rows of the matrix that are exchanged
 *             with rows first, first + 1 ..., counted from 1
 *   QR        io the panel: R on and above the diagonal; out V (rows x cols), with ones and zeros,
 *             and conj; out T (cols x cols) and conj: Q = 1 - V T V^H (Schreiber and Van Loan,
 *             A storage-efficient WY representation for products of Householder transformations,
 *             1989)
 *   DIAGONAL  in a diagonal of `rows` elements, none of which may be 0
 *   FINITE    in uint8 (rows), for each matrix: 1 it is not finite, 2 its right-hand sides are not;
 *             both are errors
 *   SINGULAR  in int32: 0: none; else INT32_MAX less the key of gnd__solve_first, of matrices of
 *             side ld - 1; strict: for Cholesky
 * In each of these rows >= cols. On `count` matrices in C order (host/rows.h):
 *   CHOLESKY_ROWS  in matrices; out their lower factors
 *   LU_ROWS   in matrices; out L, U and the order of rows
 *   TALL_QR   see host/tall_qr.h
 *   NORMAL    in (rows x cols) a^H a and a^H b; out x and the rank (host/normal.h), count 1 */
typedef enum gnd__panel_kind {
    GND__PANEL_NONE,
    GND__PANEL_CHOLESKY,
    GND__PANEL_LU,
    GND__PANEL_QR,
    GND__PANEL_DIAGONAL,
    GND__PANEL_FINITE,
    GND__PANEL_SINGULAR,
    GND__PANEL_CHOLESKY_ROWS,
    GND__PANEL_LU_ROWS,
    GND__PANEL_NORMAL,
    GND__PANEL_TALL_QR
} gnd__panel_kind;

typedef struct gnd__panel {
    uint32_t kind, dtype;
    int strict;                    /* LU: a 0 on the diagonal of U is an error; FINITE: for
                                      Cholesky */
    int64_t rows, cols, ld, count; /* count: for matrices in C order, else 0 */
    int64_t first, matrix;         /* first row on the diagonal; the matrix's number, for
                                      messages */
    double rcond;                  /* for NORMAL */
} gnd__panel;

/* The number of operands; the bytes of operand i. */
int gnd__panel_operands(const gnd__panel *p);
size_t gnd__panel_bytes(const gnd__panel *p, int i);
/* Runs p; operand i is at byte at[i] of block[i]. Waits. GND_ERR_LINALG as gnd_solver_ops says. */
gnd_status gnd__panel_on(gnd__gdev *d, const gnd__panel *p, int n, gnd__block *const *block,
                         const size_t *at, gnd_err *e);

#endif
