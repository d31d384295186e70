/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower.h - the state of lowering one work, shared by lower_value.c (expressions),
 * lower_node.c (single nodes), lower.c (the kernel around them), boxes.c and divide.c.
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

/* One view on the path from the root: it maps its input's space to `node`'s space. */
typedef struct gnd__frame {
    gnd__ftype type;
    int32_t node; /* GND__F_VIEW: the view; GND__F_BCAST: the consumer; GND__F_PICK: a short
                     reduction;   GND__F_SHIFT, GND__F_BOX: the assembly */
    /* GND__F_BCAST: the input; GND__F_PICK: the number of the reduced element; GND__F_SHIFT: the
     * box with which the others are compared; GND__F_BOX: the box */
    int32_t from;
    int32_t parent;   /* the frame nearer to the root, or -1 */
    uint32_t touched; /* GND__F_SHIFT: the boxes that points can be in */
    int known;        /* whether the following fields are set */
    int16_t
        cond[GND__BOXES]; /* GND__F_SHIFT: the condition of each box; GND__F_BOX: cond[0] that of
                    the box, and of those of frames nearer to the root; -1: it always holds */
} gnd__frame;

/* The axes of a map's space divided into parts, outer parts first; n = 0: not divided. */
typedef struct gnd__parts {
    int n;
    int64_t dim[GND_MAX_NDIM];
    int8_t of[GND_MAX_NDIM]; /* the axis of the space to which part i belongs */
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
    int full;        /* a limit of the IR was reached */
    int32_t deepest; /* if `full`: the unstored node farthest from the root, or -1 */
    int retry;
    int divided;            /* the space was divided (further): the work must be lowered
                               again */
    gnd__shape space;       /* maps: the kernel's space before ... */
    gnd__parts parts;       /* ... it is divided */
    int perm[GND_MAX_NDIM]; /* reductions: input axis of each kernel axis, kept ones first */
    gnd__frame frame[GND__MAX_FRAMES];
    int nframe;
    gnd__memo memo[GND__MAX_MEMO];
    int nmemo;
} gnd__lowering;

/* A layout on its way through frames, and the effect of boxes on it. */
typedef struct gnd__where {
    gnd__layout l;
    int guard;           /* the condition under which it is valid, or -1 */
    int shift;           /* the shift added to it, or -1 */
    int conditions;      /* 0: only computes least and most, and makes no instructions */
    int64_t least, most; /* of the shift */
} gnd__where;

/* --- boxes.c ---------------------------------------------------------------------------------- */
/* Applies the frames from f outward. Their conditions must be known if w->conditions is set.
 * Returns 0 if a reshape cannot be expressed, and is marked, or if lo is full. */
int gnd__through_frames(gnd__lowering *lo, int32_t f, gnd__where *w);
/* The boxes of assembly i, seen through frame f, that points can be in: at least one. Returns 0 as
 * above. */
int gnd__touched(gnd__lowering *lo, int32_t i, int32_t f, uint32_t *boxes);
/* The one of these boxes with the most elements. */
int gnd__greatest_box(const gnd__pgraph *g, int32_t i, uint32_t boxes);
/* Makes the conditions of the frames from f outward. Returns 0 if lo is full. */
int gnd__conditions(gnd__lowering *lo, int32_t f);
/* The value of an assembly from the values of its boxes. -1: lo is full. */
int gnd__chosen(gnd__lowering *lo, uint32_t boxes, const int32_t *frame, const int *value);

/* --- divide.c --------------------------------------------------------------------------------- */
/* Divides the space of lo's work so that reshape a of a repeated array, seen through frame f, can
 * be expressed in its parts. Returns 0 if that is impossible or not worthwhile. */
int gnd__divide(gnd__lowering *lo, const gnd_array *a, int32_t f);
/* Converts a layout of the work's space to one of its parts. */
void gnd__in_parts(const gnd__lowering *lo, gnd__layout *l);
/* The layout l of the input of reshape a, seen through frame f, as a layout of the parts. Returns 0
 * if it cannot be expressed. */
int gnd__reshaped_in_parts(const gnd__lowering *lo, const gnd_array *a, int32_t f, gnd__layout *l);

/* --- lower_node.c ----------------------------------------------------------------------------- */
/* The number of an access to a slot with layout l, whose axes are those of the space. In an
 * epilogue these are the result's axes, which equal the kept axes except for extents of 1. -1:
 * `full` is set; -2: the result has another shape. */
int gnd__lower_access(gnd__lowering *lo, int32_t slot, int dtype, const gnd__layout *l,
                      int aligned);
/* Makes an instruction without arguments. The second function adds it and returns its value: that
 * of an equal instruction, or a new one, or -1 if full. */
gnd__instr gnd__lower_instr(const gnd__lowering *lo, gnd__ikind kind, int dtype);
int gnd__lower_add(gnd__lowering *lo, const gnd__instr *in);
/* The number of function fn in the kernel. -1, and `full` is set, if there are too many, or if the
 * text before it differs from that of another function. */
int gnd__lower_snippet(gnd__lowering *lo, const gnd__snippet *fn);
/* Excludes the work's reductions from it: grouping starts again. */
void gnd__lower_apart(gnd__lowering *lo);
/* Whether node i is a root of the work that it stores as a whole. */
int gnd__lower_in_kernel(const gnd__lowering *lo, int32_t node);
/* The number of node i among the work's reductions, or -1. */
int gnd__lower_red_index(const gnd__lowering *lo, int32_t node);
/* The values of single nodes, of which node i is seen through frame f; -1: `full` or `retry` is
 * set. First, a node whose inputs need not be walked: a leaf, a constant, a root of another kernel,
 * or a reduction of this kernel. */
int gnd__lower_leaf(gnd__lowering *lo, int32_t i, int32_t f);
/* A take. An access to in[0] along the axes that the node keeps, plus the offsets from the indices,
 * whose values are index[1] and so on. */
int gnd__lower_gather(gnd__lowering *lo, int32_t i, int32_t f, const int *index);
/* A call of the user's function with the values arg[] of its inputs. */
int gnd__lower_call(gnd__lowering *lo, int32_t i, const int *arg);
/* An operation, a cast or a check of the values arg[]. */
int gnd__lower_combine(gnd__lowering *lo, int32_t i, const int *arg);
/* A short reduction of the n values arg[], expanded. */
int gnd__lower_expanded(gnd__lowering *lo, int32_t i, const int *arg, int n);

/* --- lower_value.c ---------------------------------------------------------------------------- */
/* The value (an instruction's number) of node i of the graph in the kernel's space. -1: `full` or
 * `retry` is set. */
int gnd__lower_value(gnd__lowering *lo, int32_t i);
/* Forgets all values, for another space. */
void gnd__lower_forget(gnd__lowering *lo);

#endif
