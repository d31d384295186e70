/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/lapack.h - decompositions and solvers with LAPACK on host memory, for CPU devices, whose
 * memory is mapped, and for backends that have no library for a case.
 */
#ifndef GND_HOST_LAPACK_H
#define GND_HOST_LAPACK_H

#include "device/gate.h"

/* Runs s on host memory. mem[] are its operands as gnd/backend.h lists them. Cholesky with flags 1
 * writes zeros below U. GND_ERR_UNSUPPORTED: no LAPACK library; the message says what to install.
 * GND_ERR_LINALG as gnd_solver_ops says. GND_ERR_OVERFLOW: an extent does not fit LAPACK's int.
 * GND_ERR_NOMEM. */
gnd_status gnd__lapack(const gnd_solve_desc *s, void *const *mem, gnd_err *e);
/* The file of the library; NULL if it was not found. */
const char *gnd__lapack_library(void);
/* A routine of the library or its BLAS (SYRK is herk for complex dtypes), or NULL if there is no
 * library. Its dtype is 0 to 3 for the letters s, d, c, z, as gnd__lapack_dtype gives it (-1:
 * unsupported dtype). */
typedef enum gnd__lapack_name {
    GND__POTRF,
    GND__GETRF,
    GND__GEQRF,
    GND__LARFT,
    GND__TRSM,
    GND__GEMM,
    GND__SYRK,
    GND__LAPACK_SHARED
} gnd__lapack_name;
void *gnd__lapack_routine(int dtype, gnd__lapack_name r);
int gnd__lapack_dtype(uint32_t dtype);
/* tiny.c: what the library's getrf, getrs and potrf compute, of few rows and columns; Cholesky of a
 * matrix in C order, of which it reads and writes the lower triangle. They return 0, and do
 * nothing, for larger matrices and complex ones. */
enum { GND__TINY = 64 };
int gnd__tiny_lu(gnd_dtype t, int m, int n, void *a, int lda, int *pivot, int *info);
int gnd__tiny_solve(gnd_dtype t, int n, int k, const void *a, int lda, const int *pivot, void *b,
                    int ldb);
int gnd__tiny_cholesky(gnd_dtype t, int n, void *a, int *info);
/* alone.c: between begin and end the library uses one thread if the matrices of s are small. end
 * takes begin's result. library: from dlopen; use: what sets and gets its number of threads, of the
 * process or the thread's own. */
void gnd__alone_library(void *library);
void gnd__alone_use(void (*set)(int), int (*get)(void), int own);
int gnd__alone_begin(const gnd_solve_desc *s);
void gnd__alone_end(int alone);
/* The number of operands of s; the bytes and the direction (1 read, 2 written, 3 both) of operand
 * i. */
int gnd__solve_operands(const gnd_solve_desc *s);
size_t gnd__solve_bytes(const gnd_solve_desc *s, int i);
int gnd__solve_direction(const gnd_solve_desc *s, int i);
/* The type of operand i: 'x' s->dtype, 'r' its real dtype, 'c' its complex dtype, 'i' int32. */
int gnd__solve_type(const gnd_solve_desc *s, int i);
/* host/finite.c: whether a NaN or an infinity in a matrix is an error for s; otherwise the results
 * are NaN. */
int gnd__solve_strict(const gnd_solve_desc *s);
/* Which triangle of its first operand, in Fortran order, s reads. For each: 0 both, 1 only this
 * one, 2 only this one without the diagonal. */
void gnd__solve_triangle(const gnd_solve_desc *s, int *lower, int *upper);
/* Whether n elements of dtype t at p, in any alignment, are all finite; and a function that sets n
 * elements to NaN. */
int gnd__are_numbers(gnd_dtype t, const char *p, int64_t n);
void gnd__fill_nan(gnd_dtype t, char *p, int64_t n);
/* Makes the error for a non-finite matrix b. sides: for its right-hand sides. */
gnd_status gnd__solve_refused(int cholesky, int sides, int64_t b, gnd_err *e);
/* Make the errors for matrix b without a factor (minor: the order of the one that is not positive)
 * or inverse (at: the first 0 on the diagonal of U, or of the matrix, a triangle). */
gnd_status gnd__solve_not_positive(int64_t b, int minor, gnd_err *e);
gnd_status gnd__solve_singular(int64_t b, int triangle, int at, gnd_err *e);
/* The one of these that a key means: of matrix key / ld of side ld - 1, with place key % ld of its
 * diagonal, or that it is not finite (ld - 1; ld 1: that alone). */
gnd_status gnd__solve_first(int cholesky, int64_t ld, int64_t key, gnd_err *e);
/* Checks the operands mem[] of matrix b. Returns that error, or sets *done if the results have been
 * filled in. */
gnd_status gnd__solve_finite(const gnd_solve_desc *s, char *const *mem, int64_t b, int *done,
                             gnd_err *e);
/* Gives the host access to n bytes of device memory: mapped, or as a copy (dir: 1 read, 2 written,
 * 3 both). gnd__host_give ends it; good: the computed data shall be written back. */
gnd_status gnd__host_take(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void **p,
                          gnd_err *e);
gnd_status gnd__host_give(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void *p,
                          int good, gnd_err *e);
/* gnd__lapack on blocks of device memory: operand i is at byte at[i] of block[i]. Waits. */
gnd_status gnd__lapack_on(gnd__gdev *d, const gnd_solve_desc *s, int n, gnd__block *const *block,
                          const size_t *at, gnd_err *e);

#endif
