/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/maker.h - a plan in the making, for the files that write its steps: plan.c, plan_steps.c,
 * plan_prim.c, product.c.
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
    int32_t checked; /* slots before this one are known to fit (gnd__plan_fits) */
    gnd_err *e;
} gnd__maker;

/* --- plan_steps.c -------------------------------------------------------------------------------
 */
gnd_status gnd__plan_nomem(gnd_err *e);
/* A slot more: its number, or -1 with the error set. node: whose elements it holds, or -1. */
int32_t gnd__plan_slot(gnd__maker *m, int32_t node, int leaf, size_t nbytes);
/* Whether the device has buffers as large as the slots ask for: asked before programs are written,
 * kernels built or anything launched, since a sort of 2^40 elements would keep compiler and device
 * busy for nothing. */
gnd_status gnd__plan_fits(gnd__maker *m);
/* A step more, all zero; NULL with the error set. Steps before it may have moved. */
gnd__step *gnd__plan_step(gnd__maker *m);
/* The launches of one kernel in IR, which is collapsed. */
gnd_status gnd__plan_kernel(gnd__maker *m, gnd__kir *k);
/* A kernel that copies a strided place into contiguous scratch; *slot is the scratch. */
gnd_status gnd__plan_copy(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t *slot);
/* The same into a slot that is there. */
gnd_status gnd__plan_copy_to(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t slot);

/* The pieces of a join from place `at` in the order on, as one launch where that can be: *n of
 * them. */
gnd_status gnd__plan_pieces(gnd__maker *m, int32_t at, int *n);
/* Argument a of a generated kernel as the plan's. parts[] are the slots of partial results. */
gnd_status gnd__plan_arg(gnd__maker *m, gnd__sarg *b, const gnd__kir *k, const gnd__garg *a,
                         const int32_t *parts, const gnd__gen *gen);

/* --- plan_prim.c --------------------------------------------------------------------------------
 */
/* Tries the expressions of a primitive's inputs: what has to be stored is marked, and *retry set.
 * k: scratch. */
gnd_status gnd__plan_inputs(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry);
/* The steps of a primitive. k: scratch. */
gnd_status gnd__plan_prim(gnd__maker *m, const gnd__pwork *w, gnd__kir *k);

/* --- plan_launch.c ------------------------------------------------------------------------------
 */
/* The steps of a user's kernel: copies of what has to be contiguous or may not be written over,
 * then the launch. */
gnd_status gnd__plan_launch(gnd__maker *m, const gnd__pwork *w);

/* --- product.c ----------------------------------------------------------------------------------
 */
/* Calls (or kernels of our own) for a product: one for each index of the batch axes that have no
 * stride in common with the longest. */
gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w);
/* Whether the library takes what follows the product of w. */
int gnd__plan_follows(gnd__maker *m, const gnd__pwork *w);

#endif
