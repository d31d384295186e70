/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower.h - the lowering of one work, between the files that do it: lower_value.c (what is
 * computed), lower.c (the kernel round it).
 */
#ifndef GND_FUSE_LOWER_H
#define GND_FUSE_LOWER_H

#include "fuse/fuse.h"

#define GND__MAX_FRAMES 192
#define GND__MAX_MEMO 1024 /* a power of two */

typedef enum gnd__ftype {
    GND__F_VIEW,
    GND__F_BCAST,
    GND__F_PICK,
    GND__F_SHIFT,
    GND__F_BOX
} gnd__ftype;

/* One view on the way from the root: it gives elements of `node`'s space from its input's. */
typedef struct gnd__frame {
    gnd__ftype type;
    int32_t node;   /* GND__F_VIEW: the view; GND__F_BCAST: the consumer; GND__F_PICK: a short
                       reduction;   GND__F_SHIFT, GND__F_BOX: the assembly */
    int32_t from;   /* GND__F_BCAST: the input; GND__F_PICK: which of the elements that it reduces;
                       GND__F_SHIFT: the box that the others differ from; GND__F_BOX: the box */
    int32_t parent; /* the frame nearer to the root, or -1 */
    uint32_t touched; /* GND__F_SHIFT: the boxes that points can be in */
    int known;        /* whether there is what follows */
    int16_t
        cond[GND__BOXES]; /* GND__F_SHIFT: the condition of each box; GND__F_BOX: cond[0] that of
                    the box, and of those of frames nearer to the root; -1: it always holds */
} gnd__frame;

/* The axes of a map's space divided into parts, the first ones outside; n = 0: they are not. */
typedef struct gnd__parts {
    int n;
    int64_t dim[GND_MAX_NDIM];
    int8_t of[GND_MAX_NDIM]; /* the axis of the space that part i is of */
} gnd__parts;

typedef struct gnd__memo {
    int32_t node, frame, value;
} gnd__memo;

typedef struct gnd__lowering {
    gnd__pgraph *g;
    const gnd__pwork *w;
    gnd__kir *k;
    gnd_err *e;
    int epilogue;
    int full;        /* a limit of the IR was met */
    int32_t deepest; /* then: the node farthest from the root that is not stored, or -1 */
    int retry;
    int divided;            /* the space was divided (once more): the work is to be lowered again */
    gnd__shape space;       /* maps: the kernel's space, before ... */
    gnd__parts parts;       /* ... it is divided */
    int perm[GND_MAX_NDIM]; /* reductions: input axis of each kernel axis, kept ones first */
    gnd__frame frame[GND__MAX_FRAMES];
    int nframe;
    gnd__memo memo[GND__MAX_MEMO];
    int nmemo;
} gnd__lowering;

/* A layout on its way through frames, and what boxes make of it. */
typedef struct gnd__where {
    gnd__layout l;
    int guard;           /* the condition under which it is meant, or -1 */
    int shift;           /* what is added to it, or -1 */
    int conditions;      /* 0: only least and most are found, no instructions made */
    int64_t least, most; /* of the shift */
} gnd__where;

/* --- boxes.c ------------------------------------------------------------------------------------
 */
/* Applies the frames from f outward, whose conditions are known where w->conditions asks for them.
 * 0: a reshape cannot be said, and is marked, or lo is full. */
int gnd__through_frames(gnd__lowering *lo, int32_t f, gnd__where *w);
/* The boxes of assembly i, seen through frame f, that points can be in: at least one. 0: as above.
 */
int gnd__touched(gnd__lowering *lo, int32_t i, int32_t f, uint32_t *boxes);
/* The one of these with the most elements. */
int gnd__greatest_box(const gnd__pgraph *g, int32_t i, uint32_t boxes);
/* Makes the conditions of the frames from f outward. 0: lo is full. */
int gnd__conditions(gnd__lowering *lo, int32_t f);
/* The value of an assembly, of those of its boxes. -1: lo is full. */
int gnd__chosen(gnd__lowering *lo, uint32_t boxes, const int32_t *frame, const int *value);

/* --- divide.c -----------------------------------------------------------------------------------
 */
/* Divides the space of lo's work so that reshape a of something repeated, seen through frame f, can
 * be said in its parts. 0: it cannot, or would not be worth it. */
int gnd__divide(gnd__lowering *lo, const gnd_array *a, int32_t f);
/* A layout of the work's space as that of its parts. */
void gnd__in_parts(const gnd__lowering *lo, gnd__layout *l);
/* The layout l of the input of reshape a, which is seen through frame f, as that of the parts. 0:
 * it cannot be said. */
int gnd__reshaped_in_parts(const gnd__lowering *lo, const gnd_array *a, int32_t f, gnd__layout *l);

/* --- lower_value.c ------------------------------------------------------------------------------
 */
/* The value (an instruction's number) of node i of the graph in the kernel's space. -1: `full` or
 * `retry` is set. */
int gnd__lower_value(gnd__lowering *lo, int32_t i);
/* The number of an access to a slot with layout l, whose axes are those of the space being walked.
 * In an epilogue these are the result's, which match the kept axes but for extents of 1. -1: `full`
 * is set; -2: the result has another shape. */
int gnd__lower_access(gnd__lowering *lo, int32_t slot, int dtype, const gnd__layout *l,
                      int aligned);
/* An instruction without arguments; its value once it is added, which is that of an equal one, or
 * -1: full. */
gnd__instr gnd__lower_instr(const gnd__lowering *lo, gnd__ikind kind, int dtype);
int gnd__lower_add(gnd__lowering *lo, const gnd__instr *in);
/* The work's reductions are not to be part of it: grouping starts again. */
void gnd__lower_apart(gnd__lowering *lo);
/* No values are known, for another space. */
void gnd__lower_forget(gnd__lowering *lo);

#endif
