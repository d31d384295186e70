/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm.h - matrix products by a tiled kernel of our own, for dtypes and devices that no library
 * covers: integers, bool, float16 and bfloat16 (which accumulate in float32), and the rest where
 * there is no library.
 */
#ifndef GND_PRIM_GEMM_H
#define GND_PRIM_GEMM_H

#include "codegen/codegen.h"

/* Arguments: memory and offset (int64, elements) of a, b, c, in this order; then int64 values: m, n,
 * k, and batch, row, col stride of a, b, c, and the number of batches: value[] below. */
#define GND__GEMM_ARGS 19

typedef struct gnd__gemm_kernel {
    const char *name;
    gnd__str src;           /* the caller frees it */
    size_t global[3], local[3];
    int64_t value[13];
} gnd__gemm_kernel;

/* The kernel for g (any strides, no alpha and beta: C = A B; nbatch >= 1; k may be 0). On failure
 * nothing is to be freed. */
gnd_status gnd__gemm_own(const gnd_gemm *g, const gnd__target *t, gnd__gemm_kernel *out, gnd_err *e);

#endif
