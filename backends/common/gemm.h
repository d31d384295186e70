/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/gemm.h - a gnd_gemm in the terms of BLAS (transposed or not, leading dimension), the byte
 * ranges it touches, and OpenBLAS on host memory. Knows nothing of a vendor's API.
 */
#ifndef GND_PLUG_GEMM_H
#define GND_PLUG_GEMM_H

#include "plug.h"

/* One matrix as row-major BLAS takes it: stored as given (trans 0) or as its transpose (trans 1),
 * ld elements from one stored row to the next. lo and hi: the bytes of the buffer it touches are
 * [lo, hi), all batches together; lo == hi when it has no element. */
typedef struct gnd__blas_mat {
    int trans;
    int64_t ld;
    uint64_t lo, hi;
} gnd__blas_mat;

typedef struct gnd__blas_gemm {
    gnd__blas_mat a, b, c;
    gnd__blas_mat plus; /* with GND_GEMM_PLUS; ld 0: one row for all */
    size_t esize;       /* bytes of an element */
} gnd__blas_gemm;

/* Translates g. limit: the largest extent, leading dimension or increment the library can take.
 * Returns GND_OK; GND_ERR_UNSUPPORTED when the strides are none of BLAS's (the message says which)
 * or too large; GND_ERR_OVERFLOW when an offset does not fit. Extents of 0 are fine. */
gnd_status gnd__blas_layout(const gnd_gemm *g, int64_t limit, gnd__blas_gemm *out, gnd_err *e);

/* Whether every matrix of the product has a buffer and lies in it; nbytes tells a buffer's size.
 * GND_ERR_NULL, GND_ERR_ARG: the message names the matrix. */
gnd_status gnd__blas_in_buffers(const gnd_gemm *g, const gnd__blas_gemm *p,
                                size_t (*nbytes)(const gnd_buf *), gnd_err *e);

/* A product with one column (y = A x) or one row (y = B' x) as gemv takes it: the matrix M is
 * stored as rows x cols with ld, and used transposed when trans is set. */
typedef struct gnd__blas_gemv {
    int of_b; /* M is B and x is A; else M is A and x is B */
    int trans;
    int64_t rows, cols, ld, incx, incy;
} gnd__blas_gemv;

/* Fills *v and returns 1 when g is such a product; p is what gnd__blas_layout() gave. */
int gnd__blas_as_gemv(const gnd_gemm *g, const gnd__blas_gemm *p, gnd__blas_gemv *v);

/* Whether the process has an OpenBLAS (loaded at the first call). On 1, *text is its name and
 * version; on 0 the reason. Safe from several threads. */
int gnd__openblas(const char **text);

/* Whether OpenBLAS does this dtype: float32, float64, complex64, complex128. */
int gnd__openblas_dtype(uint32_t dtype);

/* The product on host memory; a, b, c and plus point to element (0, 0) of batch 0 (off already
 * added). p is what gnd__blas_layout(g, INT_MAX) gave. beta 0 does not read C; k == 0 gives beta C.
 */
void gnd__openblas_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                        void *c, const void *plus);
/* Whether flags are applied while C is in the cache of a core, which costs nothing. For larger C a
 * kernel on all cores is faster. */
int gnd__openblas_follows(const gnd_gemm *g, const gnd__blas_gemm *p);

#endif
