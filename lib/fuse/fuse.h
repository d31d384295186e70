/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/fuse.h - from a graph to kernels: collects the nodes below some sinks, decides which of them
 * are stored, groups the rest into kernels, and lowers each kernel to IR.
 *
 * Terms: a *sink* is a node that was asked for. A *root* is a node whose elements a kernel or a
 * library call stores; every other node is computed inside the kernels of the roots that use it. A
 * kernel is a set of roots with one iteration space. Everything runs under the device's lock.
 */
#ifndef GND_FUSE_FUSE_H
#define GND_FUSE_FUSE_H

#include <string.h>

#include "fuse/kir.h"
#include "graph/snippet.h"

typedef enum gnd__role {
    GND__R_INLINE = 0, /* computed where it is used */
    GND__R_LEAF,       /* has its elements, or is a constant */
    GND__R_ALIAS,      /* a sink that is a view of a root or a leaf: no work */
    GND__R_ROOT        /* stored */
} gnd__role;

/* The most inputs of one kernel; repeated inputs count once. */
#define GND__LEAVES 16

/* One node of the graph being planned. */
typedef struct gnd__pnode {
    gnd_array *a;
    size_t key;          /* start of its bytes in gnd__pgraph.key */
    uint32_t nkey, hash; /* number of these bytes, and their hash */
    int32_t at;          /* its position in gnd__pgraph.equal, or -1 */
    int32_t in;          /* first input in gnd__pgraph.inputs; a->nin of them, none for leaves */
    int32_t slot;        /* the slot of its elements: leaves, constants and roots; else -1 */
    uint8_t role;        /* gnd__role */
    uint8_t sink;
    uint8_t held; /* 1: a scope has a handle; 2 or more: the user has one to keep */
    /* not a sink, and the user has a handle or a node outside the graph uses it */
    uint8_t owned;
    uint8_t live;      /* it, or something inline above it, is owned: needed after the plan */
    uint8_t expensive; /* a root made by a reduction, a product or a primitive */
    /* an earlier attempt found that it must be a root; for an assembly, box by box */
    uint8_t must;
    uint8_t absorbed; /* a reduction whose result stays inside the kernel of its consumer */
    uint8_t no_absorb;
    /* an earlier attempt found that a kernel which it shares with others is too large */
    uint8_t no_merge;
    uint8_t no_rows;  /* an earlier attempt found that its work cannot use rows */
    uint8_t below;    /* store_short: inside a stored value that is repeated */
    uint8_t conflict; /* used by several kernels, or by one through different views */
    uint8_t expanded; /* some use repeats its elements (1), more than a few times (4), many (2) */
    uint8_t whole;    /* some use requires that assemblies below it are stored */
    uint8_t piece;    /* a view: a box of an assembly whose boxes are all cut from one array */
    /* the inline tree, including itself, contains an assembly: each use reads several places */
    uint8_t boxed;
    uint8_t shared; /* it would be stored if kernels had no limits */
    /* if it is computed where it is used and consists, through views and assemblies of views, of a
     * single node: that node; itself otherwise */
    int32_t origin;
    uint32_t parents; /* number of inputs of the graph's nodes that are this node */
    /* a root whose memory a launch overwrites: it has no elements at the end */
    uint8_t given;
    uint8_t in_place; /* for launches: it uses the slot of an input */
    uint32_t dying;   /* for launches: inputs that nobody else will see again, one bit each */
    uint8_t alone;    /* a sink that could not share a kernel with the others of its shape */
    /* roots: the root whose kernel this one should join; itself, or a later sink */
    int32_t team;
    /* number of distinct leaves of the inline tree below; GND__LEAVES + 1: more */
    uint16_t nleaf;
    uint16_t nops; /* approximate number of operations of the inline tree below */
    uint32_t cost; /* their cost according to the table of operations */
    /* find_deps: the last walk that visited it, doubled; odd: through a view */
    uint32_t seen;
    int32_t level; /* roots: the longest path from the leaves, in works */
    int32_t group; /* the root whose kernel uses it, or a piece of one (-1: none yet) */
    /* a hash of the views through which it is used: equal paths see equal elements */
    uint64_t path;
    int32_t work;      /* roots: the work that stores it, for an assembly the first; -1: none */
    int32_t first_use; /* roots: the lowest level of the works that read it */
    int32_t user;      /* the last node of which it is an input */
    int32_t reader, nreader; /* works that read it: gnd__pgraph.readers */
    /* sinks: index in `sinks` of the previous sink with the same hash of its shape; -1: none */
    int32_t before;
    int32_t check;  /* gnd__plan: the number of its check plus 1 */
    uint8_t viewed; /* roots: a sink is a view of it */
    int8_t slab_axis;
    /* roots: elements of that axis that are computed at a time, for a product (sched/slabs.h); 0:
     * the whole is. It has no elements at the end */
    int64_t slab;
    int32_t lost; /* number of uses by equal nodes that nobody else needs */
    int32_t uses; /* by nodes of the graph */
    /* nleaf leaves, in order; the last field, because collect does not clear it */
    int32_t leaf[GND__LEAVES];
} gnd__pnode;

/* One kernel, one library call, one primitive, or one launch of a user's kernel. The roots of a
 * launch are the launch and those of its parts that are nodes of the graph. */
typedef enum gnd__ptype { GND__P_KERNEL, GND__P_MATMUL, GND__P_PRIM, GND__P_LAUNCH } gnd__ptype;
typedef struct gnd__pwork {
    gnd__ptype type;
    int32_t root[GND__KIR_OUT]; /* pnodes; nroot of them */
    int32_t box[GND__KIR_OUT];  /* piece of an assembly, or -1 */
    int nroot;
    /* the pnode whose reduction it computes (the first of the siblings), or -1 */
    int32_t reduce;
    int32_t red[GND__KIR_RED]; /* all reductions of this kernel */
    int nred;
    int32_t level;
    int32_t first_dep, ndep; /* pnodes in gnd__pgraph.deps: roots and leaves it reads */
    int32_t merged;          /* the kernel it was merged into, or -1 */
    /* the previous work that was not merged when it was last visited; -1: none */
    int32_t before;
    /* 1: works joined by gnd__fuse_rows; red is in order of computation */
    int rows;
    /* GND__P_MATMUL: the product; root[0] itself, or an input of root[0]'s computation: */
    int32_t product;
    int32_t plus;        /* ... and the addend, or -1 */
    int32_t alpha, beta; /* ... and the constant factors of these two, or -1 */
    uint8_t relu;        /* ... and whether the maximum with 0 is taken */
} gnd__pwork;

/* An array that computes the same as node `node` of the graph. It gets that node's elements. */
typedef struct gnd__dup {
    gnd_array *a;
    int32_t node;
    /* by nodes of the graph, and by those of these arrays that nobody else needs */
    int32_t uses;
} gnd__dup;

/* A placeholder that a constant of the graph replaces. The constant equals no other one, because
 * its value will change. */
typedef struct gnd__pnumber {
    gnd_array *in, *as; /* NULL: not a node itself; nodes of the graph whose `as` is this number
                           belong to it */
} gnd__pnumber;

typedef struct gnd__pgraph {
    gnd_device *dev;
    gnd__pnode *node;
    int32_t nnode, capnode;
    int32_t *inputs;
    int32_t ninput, capinput;
    int32_t *sinks; /* pnodes, in the requested order */
    int32_t nsink, capsink;
    unsigned char *key; /* the structure as bytes: equal keys have equal plans */
    size_t nkey, capkey;
    uint64_t hash; /* of the key */
    int symbolic;  /* the nodes include a placeholder: nothing can be computed */
    /* the nodes include a reduction or a product: `owned` and `uses` are known */
    int expensive;
    int frozen; /* set by the planner: only sinks are kept, nodes are not owned */
    /* set by the planner, and not freed here; nnumber of them */
    gnd__pnumber *number;
    int nnumber;
    /* a leaf's memory refers to checks of indices whose result nobody has read */
    int checks;
    gnd__pwork *work;
    int32_t nwork, capwork;
    int32_t *deps;
    int32_t ndep, capdep;
    int32_t *readers; /* rows.c: unmerged works, by the node that they read */
    int32_t capreaders;
    /* counts the nodes, works and inputs that grouping visited: the cost of planning */
    uint64_t looked;
    int32_t *order; /* works in the order of execution */
    int32_t norder;
    int32_t nslot; /* slots given so far */
    int gpu;       /* computing is cheap compared with memory; set by the planner */
    /* a library may compute what follows a product; set by the planner */
    int follow;
    uint32_t walk;  /* find_deps: number of the walk */
    int32_t *equal; /* hash table of nodes: index + 1, or 0 */
    int32_t capequal;
    struct gnd__dup *dup; /* nodes equal to one that is already in `node` */
    int32_t ndup, capdup;
    int32_t *stack; /* scratch of collect */
    int32_t capstack;
    gnd_array **astack;
    int32_t capastack;
    int oom;
} gnd__pgraph;

/* The location of a node's elements, as the planner sees it. */
typedef struct gnd__place {
    int32_t slot;
    const gnd_array *a; /* the node that has the slot */
    gnd__layout l;      /* l.off is added to the slot's own offset */
} gnd__place;

/* --- collect.c: the nodes below the sinks in order of computation, and the key ---------------- */
gnd_status gnd__collect(gnd__pgraph *g, gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e);
void gnd__pgraph_reset(gnd__pgraph *g);
void gnd__pgraph_free(gnd__pgraph *g);

/* --- owners.c: uses and owners of nodes; for gnd__collect, whose walk has left its marks -------
 */
void gnd__owners(gnd__pgraph *g);

/* --- roles.c: the role of each node, and the kernel that uses it ------------------------------ */
/* Approximate limits of the operations in one kernel. A GPU computes many in the time of a pass
 * over memory; PoCL compiles long kernels slowly. */
#define GND__KERNEL_OPS 64
#define GND__KERNEL_OPS_GPU 128
static inline uint32_t gnd__kernel_ops(const gnd__pgraph *g)
{
    return g->gpu ? GND__KERNEL_OPS_GPU : GND__KERNEL_OPS;
}
void gnd__roles(gnd__pgraph *g);

/* --- short.c: after gnd__roles, marks (`must`) the short reductions along rows that are better
 * roots. Returns 1 if there are any: the roles are then chosen again. */
int gnd__store_short(gnd__pgraph *g);

/* --- group.c: works, levels, order ------------------------------------------------------------ */
gnd_status gnd__group(gnd__pgraph *g, gnd_err *e);

/* --- rows.c: works along the same rows become one --------------------------------------------- */
void gnd__fuse_rows(gnd__pgraph *g);
/* Marks the work's roots, so that grouping does not join them into rows again. */
static inline void gnd__not_rows(gnd__pgraph *g, const gnd__pwork *w)
{
    for (int r = 0; r < w->nroot; r++)
        g->node[w->root[r]].no_rows = 1;
}

/* --- product.c: a sum, and a maximum with 0, after a product become part of its call, unless the
 * product is marked `no_absorb`. For group.c. */
void gnd__follow_products(gnd__pgraph *g);
/* If a is the maximum of an input with a constant 0, that input; else -1. */
int gnd__is_relu(const gnd_array *a);
/* If a is the product of a real float array with a constant, the input that is the constant;
 * else -1. Also -1 if the constant is 0 in a's dtype, because a library would then not read the
 * array and lose its NaN. */
int gnd__is_scaling(const gnd_array *a);

/* --- lower.c, lower_value.c, lower_node.c
 * ------------------------------------------------------------------- */
/* Makes the IR of one kernel. *retry is set if some nodes must be roots (marked `must` or
 * `no_absorb`): grouping then starts again. */
gnd_status gnd__lower(gnd__pgraph *g, const gnd__pwork *w, gnd__kir *k, int *retry, gnd_err *e);
/* Marks the assemblies that k, the lowered w, computes where they are used: they must become
 * roots. */
void gnd__not_boxes(gnd__pgraph *g, const gnd__pwork *w);
/* The same for input `in` of primitive w: a map without outputs, whose value is k->out[0].value. */
gnd_status gnd__lower_input(gnd__pgraph *g, const gnd__pwork *w, int in, gnd__kir *k, int *retry,
                            gnd_err *e);

/* --- boxes.c ---------------------------------------------------------------------------------- */
/* The node from which all boxes of assembly i are cut, along the same axes in the same steps;
 * -1: there is none. */
int32_t gnd__shifted(const gnd__pgraph *g, int32_t i);

/* Node i or, if it is computed where it is used, the only node of which it consists (see
 * gnd__pnode.origin). */
static inline int32_t gnd__origin(const gnd__pgraph *g, int32_t i)
{
    return g->node[i].role == GND__R_INLINE ? g->node[i].origin : i;
}

/* --- place.c ---------------------------------------------------------------------------------- */
/* Applies `view` to the layout l of its input. Returns 0 for a reshape that strides cannot
 * express. */
int gnd__through_view(gnd__layout *l, const gnd_array *view);
/* Converts the layout l of an input to the shape dim[ndim] of its elementwise consumer: axes are
 * aligned at the end. */
void gnd__through_broadcast(gnd__layout *l, int ndim, const int64_t *dim);
/* Converts the layout l of the input of short reduction a to the result's axes, for element `which`
 * along the reduced axes. */
void gnd__through_pick(gnd__layout *l, const gnd_array *a, int64_t which);
/* The layout of a's own elements, present or future. */
void gnd__own_layout(const gnd_array *a, gnd__layout *l);
/* The alignment of the first element of a, which has its elements, in its block: 0: less than 16
 * bytes, 1: 16, 2: 32, 3: 64, 4: 128 or more. Memory of other libraries counts as at most 16. */
enum { GND__ALIGN_CLASSES = 4 };
static inline int gnd__leaf_alignment(const gnd_array *a)
{
    const uint64_t at = (uint64_t)a->data.off * gnd__dtype_bytes[a->dtype];
    int c = 0;
    while (c < (a->data.st->foreign ? 1 : GND__ALIGN_CLASSES) && at % (16u << c) == 0)
        c++;
    return c;
}

/* The place of the elements of pnode i, if it is a view of a root or a leaf. Returns 0 if it is
 * not; *blame is then the node that must become a root. */
int gnd__place_of(gnd__pgraph *g, int32_t i, gnd__place *p, int32_t *blame);

/* Node predicates shared by the above. */
static inline gnd__pnode *gnd__input_of(gnd__pgraph *g, const gnd__pnode *p, int k)
{
    return &g->node[g->inputs[p->in + k]];
}
static inline int gnd__same_shape(const gnd_array *a, const gnd_array *b)
{
    return a->ndim == b->ndim && memcmp(a->dim, b->dim, (size_t)a->ndim * sizeof *a->dim) == 0;
}
static inline int gnd__is_view(const gnd_array *a)
{
    return a->kind == GND__VIEW || a->kind == GND__RESHAPE;
}
static inline int gnd__is_elementwise(const gnd_array *a)
{
    return a->kind == GND__OP || a->kind == GND__CAST || a->kind == GND__TAKE ||
           a->kind == GND__CHECKED || a->kind == GND__CALL;
}
/* A reduction of at most GND__SHORT elements along all its axes, which is expanded where it is
 * used, x0 + x1 + x2, unless a rule makes it a root. */
#define GND__SHORT 4
static inline int gnd__is_short(const gnd_array *a)
{
    int64_t n = 1;
    if (a->kind != GND__REDUCE || gnd__reds[a->p.red.op].place || a->p.red.fn ||
        a->dtype != a->in[0]->dtype || a->dtype == GND_FLOAT16 || a->dtype == GND_BFLOAT16)
        return 0;
    for (int d = 0; d < a->in[0]->ndim; d++)
        if (a->p.red.mask >> d & 1) {
            if (a->in[0]->dim[d] > GND__SHORT)
                return 0;
            n *= a->in[0]->dim[d];
        }
    return n > 1 && n <= GND__SHORT;
}
/* The first of the axes in mask, if these are the last ones of a; else -1. */
static inline int gnd__last_axes(const gnd_array *a, uint32_t mask)
{
    int d = a->ndim;
    while (d > 0 && mask >> (d - 1) & 1)
        d--;
    return mask == (uint32_t)(((uint64_t)1 << a->ndim) - ((uint64_t)1 << d)) ? d : -1;
}
/* An assembly of 2 to GND__BOXES boxes, which may be computed where it is used. (One with a
 * single box is made to be stored.) */
#define GND__BOXES 9
static inline int gnd__has_boxes(const gnd_array *a)
{
    return a->kind == GND__ASSEMBLE && a->nin > 1 && a->nin <= GND__BOXES;
}
/* It has its elements in memory, or is a constant or an iota, and so needs no kernel of its own. */
static inline int gnd__is_leaf(const gnd_array *a)
{
    return a->data.st != NULL || a->kind == GND__CONST || a->kind == GND__IOTA;
}

#endif
