/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/ranks_priv.h - between the files of the selections by counting: ranks.c (CPUs), ranks_gpu.c.
 */
#ifndef GND_PRIM_RANKS_PRIV_H
#define GND_PRIM_RANKS_PRIV_H

#include "prim/prim.h"

enum { GND__RANKS_GPU_WANTED = 8 }; /* most places of a row on GPUs */

/* The unsigned dtype of that many bytes. */
static inline gnd_dtype gnd__unsigned_of(size_t size)
{
    return size == 1 ? GND_UINT8 : size == 2 ? GND_UINT16 : size == 4 ? GND_UINT32 : GND_UINT64;
}

/* Writes the program of gnd__prim_ranks for GPUs. */
void gnd__ranks_on_gpu(gnd__prog *p);

#endif
