/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower.h - the lowering of one work, between the files that do it: lower_value.c (what is computed),
 * lower.c (the kernel round it).
 */
#ifndef GND_FUSE_LOWER_H
#define GND_FUSE_LOWER_H

#include "fuse/fuse.h"

#define GND__MAX_FRAMES 192
#define GND__MAX_MEMO 1024 /* a power of two */

typedef enum gnd__ftype { GND__F_VIEW, GND__F_BCAST, GND__F_PICK } gnd__ftype;

/* One view on the way from the root: it gives elements of `node`'s space from its input's. */
typedef struct gnd__frame {
    gnd__ftype type;
    int32_t node;    /* GND__F_VIEW: the view; GND__F_BCAST: the consumer; GND__F_PICK: a short reduction */
    int32_t from;    /* GND__F_BCAST: the input; GND__F_PICK: which of the elements that it reduces */
    int32_t parent;  /* the frame nearer to the root, or -1 */
} gnd__frame;

typedef struct gnd__memo { int32_t node, frame, value; } gnd__memo;

typedef struct gnd__lowering {
    gnd__pgraph *g;
    const gnd__pwork *w;
    gnd__kir *k;
    gnd_err *e;
    int epilogue;
    int full;                   /* a limit of the IR was met */
    int retry;
    int perm[GND_MAX_NDIM];     /* reductions: input axis of each kernel axis, kept ones first */
    gnd__frame frame[GND__MAX_FRAMES];
    int nframe;
    gnd__memo memo[GND__MAX_MEMO];
    int nmemo;
} gnd__lowering;

/* --- lower_value.c ------------------------------------------------------------------------------ */
/* The value (an instruction's number) of node i of the graph in the kernel's space. -1: `full` or `retry` is
 * set. */
int gnd__lower_value(gnd__lowering *lo, int32_t i);
/* The number of an access to a slot with layout l, whose axes are those of the space being walked. In an
 * epilogue these are the result's, which match the kept axes but for extents of 1. -1: `full` is set; -2: the
 * result has another shape. */
int gnd__lower_access(gnd__lowering *lo, int32_t slot, int dtype, const gnd__layout *l, int aligned);
/* No values are known, for another space. */
void gnd__lower_forget(gnd__lowering *lo);

#endif
