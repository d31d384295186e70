/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm_priv.h - what the files of matrix products by our own kernels share: gemm.c (shapes and
 * launches), gemm_text.c (macros), cores.c (tensor cores).
 */
#ifndef GND_PRIM_GEMM_PRIV_H
#define GND_PRIM_GEMM_PRIV_H

#include "base/measured.h"
#include "prim/gemm.h"

typedef struct gnd__gemm_shape {
    gnd__tile t;
    int64_t s, chunk;    /* number of chunks of k; terms of each */
    int64_t rows, lanes; /* of matmul_block; rows 0: it is another text */
} gnd__gemm_shape;

/* --- gemm_text.c ------------------------------------------------------------------------------ */
/* The dtype of the sums of products of dtype t. */
gnd_dtype gnd__gemm_acc(gnd_dtype t);
/* Writes the macros for g with results of dtype out, and its alpha and beta (gnd__gemm_own). Sums
 * of integers wrap; for bool the product is any(and). */
void gnd__gemm_macros(gnd__str *s, const gnd_gemm *g, gnd_dtype out, int unroll);
/* Completes the kernel's text: macros and parameters in `text`, then the body of that name. */
gnd_status gnd__gemm_finish(gnd__gemm_kernel *k, gnd__str *text, const char *body, gnd_dtype t,
                            const gnd_props *p, gnd_err *e);

/* --- cores.c ---------------------------------------------------------------------------------- */
/* Whether tensor cores compute g there: products of float16, bfloat16 and float64 whose operands
 * are contiguous along one of their axes. */
int gnd__on_cores(const gnd_gemm *g, const gnd__target *to);
/* Writes the macros of matmul_cores for a product by tiles t, with results of dtype out. */
void gnd__cores_text(gnd__str *s, const gnd_gemm *g, const gnd__target *to, const gnd__tile *t,
                     gnd_dtype out);

#endif
