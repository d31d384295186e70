/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/gemm.h - a gnd_gemm in BLAS terms (transposed or not, leading dimension), the byte ranges
 * that it touches, and OpenBLAS on host memory. Independent of the vendors' APIs.
 */
#ifndef GND_PLUG_GEMM_H
#define GND_PLUG_GEMM_H

#include "plug.h"

/* One matrix in row-major BLAS form: stored as given (trans 0) or as its transpose (trans 1), with
 * ld elements from one stored row to the next. All batches together touch the bytes [lo, hi) of the
 * buffer; lo == hi if the matrix has no element. */
typedef struct gnd__blas_mat {
    int trans;
    int64_t ld;
    uint64_t lo, hi;
} gnd__blas_mat;

typedef struct gnd__blas_gemm {
    gnd__blas_mat a, b, c;
    gnd__blas_mat plus; /* with GND_GEMM_PLUS; ld 0: one row for all rows of C */
    size_t esize;       /* bytes per element */
} gnd__blas_gemm;

/* Translates g. limit: the largest extent, leading dimension or increment that the library accepts.
 * Returns GND_OK; GND_ERR_UNSUPPORTED if BLAS has no form for the strides (the message names the
 * matrix) or they are too large; GND_ERR_OVERFLOW if an offset does not fit. Extents may be 0. */
gnd_status gnd__blas_layout(const gnd_gemm *g, int64_t limit, gnd__blas_gemm *out, gnd_err *e);

/* Checks that every matrix of the product has a buffer and lies within it. nbytes returns the size
 * of a buffer. GND_ERR_NULL, GND_ERR_ARG: the message names the matrix. */
gnd_status gnd__blas_in_buffers(const gnd_gemm *g, const gnd__blas_gemm *p,
                                size_t (*nbytes)(const gnd_buf *), gnd_err *e);

/* A product with one column (y = A x) or one row (y = B' x) in the form of gemv: the matrix M is
 * stored as rows x cols with leading dimension ld, and is used transposed if trans is set. */
typedef struct gnd__blas_gemv {
    int of_b; /* M is B and x is A; else M is A and x is B */
    int trans;
    int64_t rows, cols, ld, incx, incy;
} gnd__blas_gemv;

/* Returns 1 and fills *v if g is such a product. p is the result of gnd__blas_layout(). */
int gnd__blas_as_gemv(const gnd_gemm *g, const gnd__blas_gemm *p, gnd__blas_gemv *v);

/* Whether the process has an OpenBLAS; it is loaded at the first call. If 1, *text is its name and
 * version; if 0, the reason. Safe to call from several threads. */
int gnd__openblas(const char **text);

/* Whether OpenBLAS supports the dtype: float32, float64, complex64, complex128. */
int gnd__openblas_dtype(uint32_t dtype);

/* Computes the product on host memory. a, b, c and plus point to element (0, 0) of batch 0 (off is
 * already added). p is the result of gnd__blas_layout(g, INT_MAX). With beta 0, C is not read; with
 * k == 0, the result is beta C. wide: where gnd__wide_has the dtype, it is computed by wide.c. */
void gnd__openblas_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                        void *c, const void *plus, int wide);
/* Whether gnd__openblas_gemm should apply the flags: C is small enough to be in a core's cache, so
 * this costs almost nothing. For a larger C, a kernel on all cores is faster. */
int gnd__openblas_follows(const gnd_gemm *g, const gnd__blas_gemm *p);
/* Whether the OpenBLAS that is loaded has no kernels for the vectors of this CPU. */
int gnd__openblas_is_old(void);

/* Small products, of which a call of OpenBLAS takes longer than the multiplications (smalls.c), one
 * after the other. Returns 0, and has written nothing, if g is none. The dtype is one of
 * gnd__openblas_dtype. */
int gnd__smalls_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                     void *c);

/* Products in place of such an OpenBLAS (wide.c): whether there are any of the dtype, and those of
 * two matrices and with a vector. They return 0, and have written nothing, if memory is short or
 * the strides are too large. */
int gnd__wide_has(uint32_t dtype);
int gnd__wide_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                   void *c);
int gnd__wide_gemv(const gnd_gemm *g, const gnd__blas_gemv *v, const void *m, const void *x,
                   void *y);

#endif
