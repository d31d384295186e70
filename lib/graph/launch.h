/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/launch.h - nodes of users' kernels. GND__LAUNCH is one launch; its elements are the first
 * output. Each further output is a GND__PART of it. The kernel gets every input as a pointer to
 * memory in C order, unless the argument is `strided`.
 *
 * One step stores the launch and its parts. A part that is not among the nodes of that evaluation
 * finds its memory with the launch, and takes it when it is first collected.
 */
#ifndef GND_GRAPH_LAUNCH_H
#define GND_GRAPH_LAUNCH_H

#include "graph/graph.h"

/* The most outputs of a launch (the number of roots that a work can have), and the most
 * arguments. */
enum { GND__LAUNCH_OUTS = 8, GND__LAUNCH_ARGS = 64 };

/* A user's kernel: its text as the device compiles it. Shared by nodes and programs. */
typedef struct gnd__user {
    atomic_int refs;
    uint64_t id; /* unique within the process: part of a plan's key */
    char *name;
    char *src;
    size_t len;
} gnd__user;

/* The kernel and the arrays that messages about a launch of a checked kernel name. Shared by the
 * launch and its check. */
typedef struct gnd__bounds {
    atomic_int refs;
    int n;
    char kernel[64];
    struct {
        char name[48];
        int64_t size;  /* elements */
        int64_t esize; /* bytes of one */
    } array[];
} gnd__bounds;

/* The kinds of arguments of the compiled kernel. */
typedef enum gnd__lkind {
    GND__L_IN,     /* the memory of input `in` */
    GND__L_OUT,    /* the memory of output `out` */
    GND__L_INOUT,  /* the memory of output `out`, which first holds the elements of input
                      `in` */
    GND__L_OFFSET, /* int64: byte offset of the array of argument `of` */
    GND__L_VALUE,  /* a number */
    GND__L_LOCAL,  /* nbytes of local memory */
    GND__L_STRIDE, /* int64: the stride of axis `axis` of argument `of`, an input, in elements */
    /* of checked kernels */
    GND__L_TABLE,  /* the table of checks */
    GND__L_ENTRY,  /* int32: the entry of this launch */
    GND__L_SCRATCH /* nbytes of memory of the device */
} gnd__lkind;

typedef struct gnd__larg {
    uint8_t kind;    /* gnd__lkind */
    uint8_t aligned; /* arrays: the alignment that the kernel's type needs, in bytes; 0: that of the
                        elements */
    uint8_t strided; /* inputs: as they are, not in C order */
    int8_t in, out, of, axis;
    uint32_t nbytes;
    unsigned char value[16]; /* not part of a plan's key */
} gnd__larg;

typedef struct gnd__launch {
    gnd__user *user;            /* held */
    gnd__bounds *bounds;        /* held; NULL: not checked */
    uint64_t grid[3], block[3]; /* number of groups; work-items per group */
    int32_t nout, narg;
    size_t out_bytes[GND__LAUNCH_OUTS];
    atomic_uint parts; /* bit k: part k exists and has no elements */
    int spoiled; /* set if it overwrote an input and the evaluation failed; under the device lock */
    gnd__storage *st[GND__LAUNCH_OUTS]; /* memory of parts that were not evaluated with it; under
                                           the device lock */
    gnd__larg arg[GND__LAUNCH_ARGS];    /* a node allocates only narg entries */
} gnd__launch;

/* Makes a kernel with one owner; copies the text. NULL: out of memory. gnd__refs_add adds owners,
 * here and below. */
gnd__user *gnd__user_new(const char *name, const char *src, size_t len);
void gnd__user_unref(gnd__user *u);

/* Room for n arrays, all zero, with one owner. NULL: out of memory. */
gnd__bounds *gnd__bounds_new(int n);
/* NULL is ignored. */
void gnd__bounds_unref(gnd__bounds *b);

/* Makes the launch l (copied; its user and its bounds get one more owner) of nin inputs. Its
 * l->nout outputs, of dtype t[k] and shape dim[k][ndim[k]], go to y as new handles, or errors. */
void gnd__launch_nodes(gnd_device *dev, const gnd__launch *l, int nin, gnd_array *const *in,
                       const gnd_dtype *t, const int *ndim, const int64_t *const *dim,
                       gnd_array **y);
/* Lets a part whose launch has elements take its own. Device lock held. */
void gnd__part_adopt(gnd_array *x);
/* Release what a node of these kinds holds besides its inputs, which must still be there. For
 * graph/node.c. */
void gnd__launch_let_go(gnd_array *x);
void gnd__part_leave(gnd_array *x);

#endif
