/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/blas.h - the interface of clblast.c for blas.c.
 */
#ifndef GND_OCL_BLAS_H
#define GND_OCL_BLAS_H

#include "ocl.h"
#include "../common/gemm.h"

/* Whether the process has CLBlast (loaded at the first call); *text: its name, or the reason. */
int gnd__clblast(const char **text);
/* GND_OK, or the reason why CLBlast should not get g. p: its layout from gnd__blas_layout(). */
gnd_status gnd__clblast_takes(gnd_dev *d, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e);
/* Enqueues the product. The buffers exist and are large enough; m, n and nbatch are not 0. */
gnd_status gnd__clblast_gemm(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e);
/* Sets CLBlast's parameters for a dtype, once, if its own are known to be slower on d. They remain
 * until the process ends. */
void gnd__clblast_prepare(gnd_dev *d, uint32_t dtype);
/* Clears CLBlast's kernel cache, which would keep a closed context alive. */
void gnd__clblast_close(void);

#endif
