/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/reflect.h - panels of QR decompositions on GPUs (kernels/reflect.cl), of matrices in Fortran
 * order whose elements have the program's dtype.
 */
#ifndef GND_PRIM_REFLECT_H
#define GND_PRIM_REFLECT_H

#include "prim/prim.h"

/* Whether a device takes panels of so many rows. */
int gnd__reflect_takes(const gnd__target *t, gnd_dtype dtype, int64_t rows);
/* Factors a panel at `a`, rows >= cols: R and the reflectors; their factors in scratch memory
 * `tau`. */
void gnd__reflect_panel(gnd__prog *p, gnd__pmem a, int64_t ld, int64_t rows, int64_t cols, int tau);
/* Writes V to v, rows x cols. */
void gnd__reflect_vectors(gnd__prog *p, gnd__pmem v, gnd__pmem a, int64_t ld, int64_t rows,
                          int64_t cols, int tau);
/* Makes the inverse of T from V^H V at g, and I at one, cols x cols each. */
void gnd__reflect_inverse(gnd__prog *p, gnd__pmem g, gnd__pmem one, int64_t cols, int tau);

#endif
