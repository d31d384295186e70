/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/panels.h - panels of LU decompositions on GPUs (kernels/panels.cl), of matrices in Fortran
 * order whose elements have the program's dtype.
 */
#ifndef GND_PRIM_PANELS_H
#define GND_PRIM_PANELS_H

#include "prim/prim.h"

/* A panel: its first element is on the diagonal, in row `first` of the matrix of that number.
 * Pivots, LAPACK's, are int32 in scratch memory, those of this panel from number `at` on. strict: a
 * 0 on the diagonal of U is noted in the program's check. */
typedef struct gnd__lu_panel {
    gnd__pmem a;
    int64_t ld, rows, cols, first, matrix, at;
    int pivots, strict;
} gnd__lu_panel;

/* The most columns of a panel with which the functions below work. */
enum { GND__PANEL_MOST = 128 };

/* Whether a device takes panels of so many rows. */
int gnd__panels_take(const gnd__target *t, gnd_dtype dtype, int64_t rows);
/* Factors the panel x: L and U. Rows are exchanged in its own columns. */
void gnd__panel_lu(gnd__prog *p, const gnd__lu_panel *x);
/* Exchanges the rows of n other columns as x says. a: row x->first of the first of them; those from
 * number `left` on are `skip` columns further. */
void gnd__panel_exchange(gnd__prog *p, const gnd__lu_panel *x, gnd__pmem a, int64_t ld, int64_t n,
                         int64_t left, int64_t skip);
/* Notes the first 0 among n elements `step` apart in the program's check, unless something is
 * there. */
void gnd__panel_diagonal(gnd__prog *p, gnd__pmem a, int64_t step, int64_t n, int64_t matrix);

#endif
