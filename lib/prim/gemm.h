/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm.h - matrix products by our own kernels, for dtypes, devices and shapes that no library
 * covers: integers, bool, float16 and bfloat16 (which accumulate in float32), and other dtypes if
 * there is no library, or none that does it well.
 */
#ifndef GND_PRIM_GEMM_H
#define GND_PRIM_GEMM_H

#include "codegen/codegen.h"

/* What an argument's memory is. */
enum { GND__GEMM_A, GND__GEMM_B, GND__GEMM_C, GND__GEMM_PARTS };

/* A kernel. Arguments: memory and offset (int64, elements) of mem[0 .. nmem-1], in this order; then
 * the int64 values. */
typedef struct gnd__gemm_kernel {
    const char *name;
    gnd__str src;
    size_t global[3], local[3];
    int nmem, nvalue;
    int mem[3];
    int64_t value[16];
} gnd__gemm_kernel;

typedef struct gnd__gemm_kernels {
    int n; /* 1; or 2 if the second adds the chunks of k */
    gnd__gemm_kernel k[2];
    gnd_dtype part; /* dtype of GND__GEMM_PARTS */
    int64_t nparts; /* number of its elements; 0: not used */
} gnd__gemm_kernels;

/* Whether g is many small products, which on GPUs a kernel of their own computes, faster than
 * libraries do. */
int gnd__gemm_small(const gnd_gemm *g, const gnd__target *t);
/* Estimated clocks of a GPU for g by the kernels of gnd__gemm_own; -1: these are not for GPUs. */
double gnd__gemm_clocks(const gnd_gemm *g, const gnd__target *t);
/* Makes the kernels for g (any strides; nbatch >= 1; k may be 0): C = A B; for floats of 4 and 8
 * bytes and complex dtypes also with alpha -1 and with beta 1, in which C is added. The caller
 * frees them with gnd__gemm_free, also after errors. */
gnd_status gnd__gemm_own(const gnd_gemm *g, const gnd__target *t, gnd__gemm_kernels *out,
                         gnd_err *e);
void gnd__gemm_free(gnd__gemm_kernels *g);

#endif
