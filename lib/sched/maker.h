/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/maker.h - a plan in the making, for the files that write its steps: plan.c, product.c.
 */
#ifndef GND_SCHED_MAKER_H
#define GND_SCHED_MAKER_H

#include "sched/plan.h"

typedef struct gnd__maker {
    gnd__pgraph *g;
    gnd__plan *p;
    int want_source;
    gnd__target target;
    gnd__gdev *dev;
    gnd_err *e;
} gnd__maker;

gnd_status gnd__plan_nomem(gnd_err *e);
/* A slot more: its number, or -1 with the error set. node: whose elements it holds, or -1. */
int32_t gnd__plan_slot(gnd__maker *m, int32_t node, int leaf, size_t nbytes);
/* A step more, all zero; NULL with the error set. Steps before it may have moved. */
gnd__step *gnd__plan_step(gnd__maker *m);
/* The launches of one kernel in IR, which is collapsed. */
gnd_status gnd__plan_kernel(gnd__maker *m, gnd__kir *k);
/* A kernel that copies a strided place into contiguous scratch; *slot is the scratch. */
gnd_status gnd__plan_copy(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t *slot);

/* --- product.c ---------------------------------------------------------------------------------- */
/* Calls (or kernels of our own) for a product: one for each index of the batch axes that have no stride
 * in common with the longest. */
gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w);
/* Whether the library takes what follows the product of w. */
int gnd__plan_follows(gnd__maker *m, const gnd__pwork *w);

#endif
