/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/launch.h - nodes of users' kernels. GND__LAUNCH is one launch; its elements are the first
 * output. Each further output is a GND__PART of it. Every input is an array that the kernel gets as
 * a pointer to memory in C order.
 *
 * The launch and its parts are stored by one step. A part that is not among the nodes of that
 * evaluation finds its memory with the launch, and takes it when it is collected for the first time.
 */
#ifndef GND_GRAPH_LAUNCH_H
#define GND_GRAPH_LAUNCH_H

#include "graph/graph.h"

/* Outputs of one launch: the roots that a work has room for. */
enum { GND__LAUNCH_OUTS = 8, GND__LAUNCH_ARGS = 64 };

/* A kernel of the user's: its text as the device compiles it. Shared by nodes and programs. */
typedef struct gnd__user {
    atomic_int refs;
    uint64_t id;             /* differs for any two of a process: part of a plan's key */
    char *name;
    char *src;
    size_t len;
} gnd__user;

/* What an argument of the compiled kernel is. */
typedef enum gnd__lkind {
    GND__L_IN,               /* the memory of input `in` */
    GND__L_OUT,              /* that of output `out` */
    GND__L_INOUT,            /* that of output `out`, which has the elements of input `in` before */
    GND__L_OFFSET,           /* int64: bytes at which the array of argument `of` begins */
    GND__L_VALUE,            /* a number */
    GND__L_LOCAL             /* nbytes of local memory */
} gnd__lkind;

typedef struct gnd__larg {
    uint8_t kind;            /* gnd__lkind */
    uint8_t aligned;         /* arrays: 16 bytes, as vector types of the kernel want it */
    int8_t in, out, of;
    uint32_t nbytes;
    unsigned char value[16]; /* no part of a plan's key */
} gnd__larg;

typedef struct gnd__launch {
    gnd__user *user;         /* held */
    uint64_t grid[3], block[3]; /* groups, and work-items of one */
    int32_t nout, narg;
    size_t out_bytes[GND__LAUNCH_OUTS];
    atomic_uint parts;       /* bit k: part k is there and has no elements */
    int spoiled;             /* it wrote over an input, and the evaluation failed: device lock */
    gnd__storage *st[GND__LAUNCH_OUTS]; /* of parts that were not evaluated with it: device lock */
    gnd__larg arg[GND__LAUNCH_ARGS];
} gnd__launch;

/* A kernel with one owner; text is copied. NULL: no memory. */
gnd__user *gnd__user_new(const char *name, const char *src, size_t len);
void gnd__user_ref(gnd__user *u);
void gnd__user_unref(gnd__user *u);

/* The launch l (copied; its user gets one owner more) of nin inputs; its outputs, l->nout of them, of
 * dtype t[k] and shape dim[k][ndim[k]], in y: new handles, or errors. */
void gnd__launch_nodes(gnd_device *dev, const gnd__launch *l, int nin, gnd_array *const *in,
                       const gnd_dtype *t, const int *ndim, const int64_t *const *dim,
                       gnd_array **y);
/* A part whose launch has its elements takes its own. Device lock held. */
void gnd__part_adopt(gnd_array *x);
/* What a node of these kinds holds besides its inputs, which are there still. For graph/node.c. */
void gnd__launch_let_go(gnd_array *x);
void gnd__part_leave(gnd_array *x);

#endif
