/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/choices.c - see choices.h.
 */
#include "prim/choices.h"

#include <string.h>
#include "base/measured.h"
#include "codegen/codegen.h"
#include "device/device.h"
#include "prim/blocked.h"

int gnd__for_cpu(const gnd_device *dev)
{
    return gnd__target_of(&dev->g->props, &dev->g->tune).cpu;
}

int gnd__fft_library(gnd_device *dev, gnd_dtype t, int rank)
{
    gnd_fft_desc f;
    int yes = 0;
    memset(&f, 0, sizeof f);
    f.dtype = (uint32_t)t;
    f.rank = (uint32_t)rank;
    for (int i = 0; i < rank; i++)
        f.n[i] = 2;
    f.in_stride = f.out_stride = f.nbatch = 1;
    f.in_dist = f.out_dist = 1 << rank;
    gnd__gate_lock(dev->g);
    yes = gnd__gate_fft_supports(dev->g, &f, &yes, NULL) == GND_OK && yes;
    gnd__gate_unlock(dev->g);
    return yes;
}

int gnd__solve_native(gnd_device *dev, const gnd_solve_desc *s)
{
    int yes = 0;
    gnd__gate_lock(dev->g);
    if (gnd__gate_solver_supports(dev->g, s, &yes, NULL) != GND_OK || !yes)
        yes = gnd__blocked_takes(dev->g, s);
    gnd__gate_unlock(dev->g);
    return yes;
}

int gnd__library_competes(gnd_device *dev)
{
    const gnd_props *p = &dev->g->props;
    enum { N = 256 };
    const gnd_mat mat = {.row = N, .col = 1};
    const gnd_gemm g = {.dtype = GND_FLOAT32,
                        .m = N,
                        .n = N,
                        .k = N,
                        .nbatch = 1,
                        .a = mat,
                        .b = mat,
                        .c = mat,
                        .alpha = 1};
    int yes = 0;
    return gnd__measured_library(p->kind == GND_DEV_CPU, p->dialect == GND_DIALECT_CUDA, p->vendor)
               ->competes &&
           gnd__gate_gemm_supports(dev->g, &g, &yes, NULL) == GND_OK && yes;
}
