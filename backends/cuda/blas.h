/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/blas.h - what blas.c and blas_choice.c share: cuBLASLt's functions, and the descriptors and
 * the algorithm that it chose for products of one kind. blas.c loads the library and calls it;
 * blas_choice.c makes and frees choices.
 */
#ifndef GND_CU_BLAS_H
#define GND_CU_BLAS_H

#include <cublasLt.h>
#include "cu.h"
#include "../common/gemm.h"

/* Every symbol that is used, once. */
#define GND__LT_SYMBOLS(X)                                                                         \
    X(cublasLtGetVersion)                                                                          \
    X(cublasLtGetStatusName)                                                                       \
    X(cublasLtCreate)                                                                              \
    X(cublasLtDestroy)                                                                             \
    X(cublasLtMatmul)                                                                              \
    X(cublasLtMatmulAlgoGetHeuristic)                                                              \
    X(cublasLtMatmulDescCreate)                                                                    \
    X(cublasLtMatmulDescDestroy)                                                                   \
    X(cublasLtMatmulDescSetAttribute)                                                              \
    X(cublasLtMatrixLayoutCreate)                                                                  \
    X(cublasLtMatrixLayoutDestroy)                                                                 \
    X(cublasLtMatrixLayoutSetAttribute)                                                            \
    X(cublasLtMatmulPreferenceCreate)                                                              \
    X(cublasLtMatmulPreferenceDestroy)                                                             \
    X(cublasLtMatmulPreferenceSetAttribute)

/* Filled at the first product (blas.c); constant afterwards. */
typedef struct gnd__lt_calls {
#define X(name) __typeof__(name) *name;
    GND__LT_SYMBOLS(X)
#undef X
} gnd__lt_calls;
extern gnd__lt_calls gnd__lt;

enum {
    GND__LT_WORKSPACE = 32 << 20, /* bytes, of each queue */
    GND__LT_NCACHE = 256,
    GND__LT_MAX_BATCH = 65535,
    GND__LT_MAX_ALIGN = 256
};

/* The data on which a choice of the library depends. Without padding: compared as bytes. */
typedef struct gnd__lt_key {
    uint32_t dtype;
    uint8_t ta, tb, align_a, align_b, align_c, align_plus, flags, zero[5]; /* align: log2 */
    int64_t m, n, k, nbatch, lda, ldb, ldc, ldp, batch_a, batch_b, batch_c, batch_plus;
} gnd__lt_key;

typedef struct gnd__lt_entry {
    gnd__lt_key k;
    int used;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, c, plus; /* plus: of an added matrix; a row is the epilogue's */
    cublasLtMatmulAlgo_t algo;
} gnd__lt_entry;

struct gnd__cu_blas {
    cublasLtHandle_t h;
    int tf32;                            /* asked for */
    gnd__lt_entry cache[GND__LT_NCACHE]; /* by hash; the newer one stays */
};

/* The types for a dtype: of elements, of the sum, and of alpha and beta. */
typedef struct gnd__lt_type {
    uint32_t dtype;
    cudaDataType_t data, scale;
    cublasComputeType_t compute;
} gnd__lt_type;

/* NULL: the library does not take the dtype. */
const gnd__lt_type *gnd__lt_type_of(uint32_t dtype);
/* The base-2 logarithm of the alignment of address p, at most GND__LT_MAX_ALIGN's. */
uint8_t gnd__lt_align(CUdeviceptr p);
/* The error of a failed call `what` of the library. */
gnd_status gnd__lt_fail(gnd_err *e, cublasStatus_t r, const char *what);

/* Fills *t, which is cleared first, for products g of key k with layout p. GND_ERR_UNSUPPORTED: the
 * library has no algorithm. After an error *t is clear. */
gnd_status gnd__lt_choose(struct gnd__cu_blas *bl, gnd__lt_entry *t, const gnd__lt_key *k,
                          const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e);
/* Frees what *t owns, and zeroes it. */
void gnd__lt_clear(gnd__lt_entry *t);

#endif
