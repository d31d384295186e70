/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/lapack.h - decompositions and solvers by LAPACK on host memory: for CPU devices, whose memory is
 * mapped, and for those whose backend has no library for the case.
 */
#ifndef GND_HOST_LAPACK_H
#define GND_HOST_LAPACK_H

#include "device/gate.h"

/* s on host memory, mem[] its operands as gnd/backend.h lists them; below the U of Cholesky's with flags 1 there are
 * zeros. GND_ERR_UNSUPPORTED: no LAPACK library, and what to install; GND_ERR_LINALG as gnd_solver_ops says;
 * GND_ERR_OVERFLOW: an extent does not fit LAPACK's int; GND_ERR_NOMEM. */
gnd_status gnd__lapack(const gnd_solve_desc *s, void *const *mem, gnd_err *e);
/* The library's file; NULL: there is none. */
const char *gnd__lapack_library(void);
/* A routine of it or of its BLAS (SYRK: herk of complex dtypes), NULL where there is no library. dtype: 0 to 3 for the letters s, d, c, z, as the next
 * function gives it (-1: none of them). */
typedef enum gnd__lapack_name {
    GND__POTRF, GND__GETRF, GND__GEQRF, GND__LARFT, GND__TRSM, GND__GEMM, GND__SYRK, GND__LAPACK_SHARED
} gnd__lapack_name;
void *gnd__lapack_routine(int dtype, gnd__lapack_name r);
int gnd__lapack_dtype(uint32_t dtype);
/* The number of operands of s; bytes and direction (1 read, 2 written, 3 both) of operand i. */
int gnd__solve_operands(const gnd_solve_desc *s);
size_t gnd__solve_bytes(const gnd_solve_desc *s, int i);
int gnd__solve_direction(const gnd_solve_desc *s, int i);
/* 'x' s->dtype, 'r' its real dtype, 'c' its complex dtype, 'i' int32. */
int gnd__solve_type(const gnd_solve_desc *s, int i);
/* host/finite.c: whether s is an error for a matrix with a NaN or an infinity; else its results are NaN. */
int gnd__solve_strict(const gnd_solve_desc *s);
/* Which triangle of its first operand, in Fortran order, s reads: 0 both, 1 this one, 2 without the diagonal. */
void gnd__solve_triangle(const gnd_solve_desc *s, int *lower, int *upper);
/* Whether n elements of dtype t at p, in any alignment, have no NaN and no infinity; n elements become NaN. */
int gnd__are_numbers(gnd_dtype t, const char *p, int64_t n);
void gnd__fill_nan(gnd_dtype t, char *p, int64_t n);
/* That error, of matrix b (sides: of its right sides). */
gnd_status gnd__solve_refused(int cholesky, int sides, int64_t b, gnd_err *e);
/* Looks at the operands mem[] of matrix b alone: that error, or *done tells that the results have been made. */
gnd_status gnd__solve_finite(const gnd_solve_desc *s, char *const *mem, int64_t b, int *done, gnd_err *e);
/* n bytes of device memory on the host: mapped, or a copy (dir: 1 read, 2 written, 3 both); and back, where
 * `good` says that what was computed shall be written. */
gnd_status gnd__host_take(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void **p, gnd_err *e);
gnd_status gnd__host_give(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void *p, int good,
                          gnd_err *e);
/* The same on blocks of device memory, operand i at byte at[i] of block[i]. Waits. */
gnd_status gnd__lapack_on(gnd__gdev *d, const gnd_solve_desc *s, int n, gnd__block *const *block,
                          const size_t *at, gnd_err *e);

#endif
