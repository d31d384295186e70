/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/maker.h - a plan under construction, for the files that write its steps: plan.c,
 * plan_steps.c, plan_prim.c, plan_launch.c, product.c.
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

/* --- plan_steps.c ----------------------------------------------------------------------------- */
gnd_status gnd__plan_nomem(gnd_err *e);
/* Adds a slot. Returns its number, or -1 with the error set. node: the node whose elements it
 * holds, or -1. */
int32_t gnd__plan_slot(gnd__maker *m, int32_t node, int leaf, size_t nbytes);
/* Checks that the device allows buffers as large as the slots need. Called before programs are
 * written, kernels are built or anything is launched: a sort of 2^40 elements would keep compiler
 * and device busy for nothing. */
gnd_status gnd__plan_fits(gnd__maker *m);
/* Adds a step, all zero. NULL with the error set. Earlier steps may have moved in memory. */
gnd__step *gnd__plan_step(gnd__maker *m);
/* Adds the launches of one kernel in IR, whose axes are merged already. */
gnd_status gnd__plan_kernel(gnd__maker *m, gnd__kir *k);
/* Adds a kernel that copies a strided place to contiguous scratch memory in *slot. */
gnd_status gnd__plan_copy(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t *slot);
/* The same into an existing slot, with the offset and the strides of `to`; NULL: C order from its
 * beginning. */
gnd_status gnd__plan_copy_to(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t slot,
                             const gnd__layout *to);

/* Adds the pieces of a join, from position `at` of the order on, as one launch if possible: *n of
 * them. */
gnd_status gnd__plan_pieces(gnd__maker *m, int32_t at, int *n);
/* Attaches the form, if there is one, to kernel k, or frees it: it is there, or k is NULL. */
void gnd__plan_note(gnd__kernel *k, gnd__form *form);
/* Converts argument a of a generated kernel to one of the plan. parts[] are the slots of partial
 * results. */
gnd_status gnd__plan_arg(gnd__maker *m, gnd__sarg *b, const gnd__kir *k, const gnd__garg *a,
                         const int32_t *parts, const gnd__gen *gen);

/* The number of the check of node i in the plan; adds the check if necessary. -1 with the error
 * set. */
int32_t gnd__plan_check(gnd__maker *m, int32_t i);

/* --- plan_prim.c ------------------------------------------------------------------------------ */
/* Tries to lower the expressions of a primitive's inputs: marks nodes that must be stored and sets
 * *retry. k: scratch. */
gnd_status gnd__plan_inputs(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry);
/* Adds the steps of a primitive. k: scratch. */
gnd_status gnd__plan_prim(gnd__maker *m, const gnd__pwork *w, gnd__kir *k);

/* --- plan_launch.c ---------------------------------------------------------------------------- */
/* Adds the steps of a user's kernel: copies of inputs that must be contiguous or may not be
 * overwritten, then the launch. */
gnd_status gnd__plan_launch(gnd__maker *m, const gnd__pwork *w);

/* --- product.c -------------------------------------------------------------------------------- */
/* Adds calls (or our own kernels) for a product: one for each index of the batch axes whose strides
 * cannot be combined with those of the longest batch axis. */
gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w);
/* Decides which operands of products are computed a slab at a time (sched/slabs.h). */
void gnd__plan_slabs(gnd__maker *m);
/* Whether the library supports the operations after the product of w. */
int gnd__plan_follows(gnd__maker *m, const gnd__pwork *w);

#endif
