/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/works.h - what works.c (one work per root), interleave.c and group.c (merging, levels,
 * order) share.
 */
#ifndef GND_FUSE_WORKS_H
#define GND_FUSE_WORKS_H

#include "fuse/fuse.h"

/* Appends v to a list of n numbers. Sets g->oom if there is no memory. */
void gnd__push_int(gnd__pgraph *g, int32_t **arr, int32_t *n, int32_t *cap, int32_t v);
/* Whether work w stores node i. */
int gnd__is_root_of(const gnd__pwork *w, int32_t i);
/* The node whose shape is the work's space (for a reduction: the result's). */
const gnd_array *gnd__work_space(const gnd__pgraph *g, const gnd__pwork *w);
/* Makes one work per root, or per box of an assembly, with what each reads. Reductions are absorbed
 * into the kernel of their only consumer; the works that computed them are marked as merged. Sets
 * g->oom if there is no memory. */
void gnd__make_works(gnd__pgraph *g);
/* Makes the works of boxes that interleave in memory one work, on GPUs, after levels are known
 * (interleave.c). */
void gnd__interleave(gnd__pgraph *g);

#endif
