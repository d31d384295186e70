/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/slabs.h - operands of a product that are computed a slab at a time.
 */
#ifndef GND_SCHED_SLABS_H
#define GND_SCHED_SLABS_H

#include "sched/maker.h"

/* Whether an operand of product a is so large that a part of it may be computed at a time. */
int gnd__slabs_large(const gnd_array *a);
/* Marks the operands of g, the only call for the product of w and without an addend, that are
 * computed slab by slab (gnd__pnode.slab): large maps that nothing else reads, along an axis that
 * the product contracts. Their slots get the size of a slab. from: the places of both operands. */
void gnd__slabs_mark(gnd__maker *m, const gnd__pwork *w, const gnd__place *from, const gnd_gemm *g);
/* The elements of the contracted axis in a slab of an operand; 0: it is computed as a whole. */
int64_t gnd__slabs_of(const gnd__maker *m, const gnd__place *from);
/* Adds the kernels that compute the slab of n elements from `at` on of the operands, and makes g
 * the call for it, whose product is added to the result unless at is 0. */
gnd_status gnd__slabs_compute(gnd__maker *m, const gnd__place *from, gnd_gemm *g, int64_t at,
                              int64_t n);

#endif
