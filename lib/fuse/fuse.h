/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/fuse.h - from a graph to kernels: collect the nodes below some sinks, decide which of them
 * are stored, group the rest into kernels, and lower each kernel to IR.
 *
 * Words used here: a *sink* is a node that was asked for; a *root* is a node whose elements a
 * kernel or a library call stores; every other node is computed inside the kernels of the roots
 * that use it. A kernel is a set of roots of one iteration space. All of it runs under the device's
 * lock.
 */
#ifndef GND_FUSE_FUSE_H
#define GND_FUSE_FUSE_H

#include <string.h>

#include "fuse/kir.h"

typedef enum gnd__role {
    GND__R_INLINE = 0, /* computed where it is used */
    GND__R_LEAF,       /* has its elements, or is a constant */
    GND__R_ALIAS,      /* a sink that is a view of a root or a leaf: no work */
    GND__R_ROOT        /* stored */
} gnd__role;

/* The most inputs of one kernel, however many times it uses them. */
#define GND__LEAVES 16

/* One node of the graph being planned. */
typedef struct gnd__pnode {
    gnd_array *a;
    size_t key;          /* where its bytes begin in gnd__pgraph.key */
    uint32_t nkey, hash; /* their number and hash */
    int32_t at;          /* its place in gnd__pgraph.equal, or -1 */
    int32_t in;          /* first input in gnd__pgraph.inputs; a->nin of them, none for leaves */
    int32_t slot;        /* where its elements are: leaves, constants and roots; else -1 */
    uint8_t role;        /* gnd__role */
    uint8_t sink;
    uint8_t held; /* 1: a scope has a handle; 2 or more: the user has one to keep */
    /* it is no sink, and the user has a handle, or a node outside the graph uses it */
    uint8_t owned;
    uint8_t live; /* so it, or something inline above it, is owned: wanted after the plan */
    uint8_t dear; /* a root that a reduction, a product or a primitive made */
    uint8_t must; /* an earlier attempt found that it has to be a root, an assembly box by box */
    uint8_t absorbed; /* a reduction whose result stays inside the kernel of its consumer */
    uint8_t no_absorb;
    uint8_t no_merge; /* an earlier attempt found too much in a kernel that it shares with others */
    uint8_t no_rows;  /* an earlier attempt found that its work cannot be one of rows */
    uint8_t conflict; /* used by several kernels, or by one through different views */
    uint8_t expanded; /* some use repeats its elements (1), more than a few times (4), many (2) */
    uint8_t whole;    /* some use needs assemblies below it to be stored */
    uint8_t piece; /* a view that is a box of an assembly whose boxes are all cut from one array */
    /* an assembly is in the inline tree below, itself included: each use reads several places */
    uint8_t boxed;
    uint8_t shared;    /* it would be stored, were there no limits to what a kernel holds */
    int32_t origin;    /* if it is computed where it is used: the one node of which it is views and
                          assemblies of views; itself, where there is no such */
    uint32_t parents;  /* inputs of nodes of the graph that are this node */
    uint8_t given;     /* a root whose memory a launch writes over: it has no elements in the end */
    uint8_t in_place;  /* of a launch: it has the slot of an input */
    uint32_t dying;    /* launches: inputs that nobody else will see again, a bit each */
    uint8_t alone;     /* a sink that could not share a kernel with the others of its shape */
    int32_t team;      /* roots: whose kernel this one is to be part of; itself, or a later sink */
    uint16_t nleaf;    /* different leaves of the inline tree below; GND__LEAVES + 1: more */
    uint16_t nops;     /* operations of the inline tree below, about */
    uint32_t cost;     /* their cost as the table of operations gives it */
    uint32_t seen;     /* find_deps: the walk that came here last, doubled; odd: through a view */
    int32_t level;     /* roots: the longest way from the leaves, in works */
    int32_t group;     /* whose kernel uses it: a root, or a piece of one (-1: none yet) */
    uint64_t path;     /* through which views: equal paths see equal elements */
    int32_t work;      /* roots: the work that stores it, of an assembly the first; -1: none */
    int32_t first_use; /* roots: the lowest level of the works that read it */
    int32_t user;      /* the last node that it is an input of */
    int32_t reader, nreader; /* works that read it: gnd__pgraph.readers */
    /* sinks: an earlier sink of the same hash of shapes, as its place in `sinks`; -1: none */
    int32_t before;
    int32_t check;             /* gnd__plan: the number of its check, plus 1 */
    uint8_t viewed;            /* roots: a sink is a view of it */
    int32_t lost;              /* uses by equal nodes that nobody else wants */
    int32_t uses;              /* by nodes of the graph */
    int32_t leaf[GND__LEAVES]; /* nleaf leaves, in order; last, since collect does not clear it */
} gnd__pnode;

/* One kernel, one library call, one primitive, or one launch of a user's kernel, whose roots are
 * the launch and those of its parts that are nodes of the graph. */
typedef enum gnd__ptype { GND__P_KERNEL, GND__P_MATMUL, GND__P_PRIM, GND__P_LAUNCH } gnd__ptype;
typedef struct gnd__pwork {
    gnd__ptype type;
    int32_t root[GND__KIR_OUT]; /* pnodes; nroot of them */
    int32_t box[GND__KIR_OUT];  /* piece of an assembly, or -1 */
    int nroot;
    int32_t reduce; /* the pnode whose reduction this runs (first of the siblings), or -1 */
    int32_t red[GND__KIR_RED]; /* all reductions of this kernel */
    int nred;
    int32_t level;
    int32_t first_dep, ndep; /* pnodes in gnd__pgraph.deps: roots and leaves it reads */
    int32_t merged;          /* the kernel it was merged into, or -1 */
    /* the last work before it that was not merged when it was looked at; -1: none */
    int32_t before;
    int rows;        /* 1: works made one by gnd__fuse_rows: red in order of computation */
    int32_t product; /* GND__P_MATMUL: the product; root[0] itself, or what root[0] is made of: */
    int32_t plus;    /* ... and what is added to it, or -1 */
    int32_t alpha, beta; /* ... and the constants by which these two are multiplied, or -1 */
    uint8_t relu;        /* ... and whether the greater of that and 0 is taken */
} gnd__pwork;

/* An array that computes what node `node` of the graph computes: it takes that one's elements. */
typedef struct gnd__dup {
    gnd_array *a;
    int32_t node;
    int32_t uses; /* by nodes of the graph, and by such of these that nobody else wants */
} gnd__dup;

typedef struct gnd__pgraph {
    gnd_device *dev;
    gnd__pnode *node;
    int32_t nnode, capnode;
    int32_t *inputs;
    int32_t ninput, capinput;
    int32_t *sinks; /* pnodes, in the order asked for */
    int32_t nsink, capsink;
    unsigned char *key; /* the structure as bytes: equal keys have equal plans */
    size_t nkey, capkey;
    uint64_t hash; /* of the key */
    int symbolic;  /* a placeholder is among the nodes: nothing can be computed */
    int dear;      /* a reduction or a product is among the nodes: `owned` and `uses` are known */
    int frozen;    /* set by who plans: nothing of it is kept but sinks, nodes are not owned */
    int checks;    /* a leaf's memory refers to checks of indices that nobody looked at */
    gnd__pwork *work;
    int32_t nwork, capwork;
    int32_t *deps;
    int32_t ndep, capdep;
    int32_t *readers; /* rows.c: unmerged works, by the node that they read */
    int32_t capreaders;
    /* nodes, works and what they read that grouping looked at: the work of planning */
    uint64_t looked;
    int32_t *order; /* works in the order of execution */
    int32_t norder;
    int32_t nslot;  /* slots given so far */
    int gpu;        /* computing is cheap next to memory: set by who plans */
    int follow;     /* a library may take what follows a product: set by who plans */
    uint32_t walk;  /* find_deps: number of the walk */
    int32_t *equal; /* hash table of nodes: index + 1, or 0 */
    int32_t capequal;
    struct gnd__dup *dup; /* nodes equal to one that is in `node` already */
    int32_t ndup, capdup;
    int32_t *stack; /* scratch of collect */
    int32_t capstack;
    gnd_array **astack;
    int32_t capastack;
    int oom;
} gnd__pgraph;

/* Where a node's elements are, as the planner sees it. */
typedef struct gnd__place {
    int32_t slot;
    const gnd_array *a; /* the node that has the slot */
    gnd__layout l;      /* l.off is added to the slot's own offset */
} gnd__place;

/* --- collect.c: the nodes below the sinks in order of computation, and the key ---------------- */
gnd_status gnd__collect(gnd__pgraph *g, gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e);
void gnd__pgraph_reset(gnd__pgraph *g);
void gnd__pgraph_free(gnd__pgraph *g);

/* --- roles.c: the role of each node, and the kernel that uses it -------------------------------
 */
#define GND__KERNEL_OPS 64 /* operations in one kernel, about */
void gnd__roles(gnd__pgraph *g);

/* --- group.c: works, levels, order --------------------------------------------------------------
 */
gnd_status gnd__group(gnd__pgraph *g, gnd_err *e);

/* --- rows.c: works along the same rows become one ----------------------------------------------
 */
void gnd__fuse_rows(gnd__pgraph *g);
/* Marks the works's roots, so that grouping does not do so with them again. */
static inline void gnd__not_rows(gnd__pgraph *g, const gnd__pwork *w)
{
    for (int r = 0; r < w->nroot; r++)
        g->node[w->root[r]].no_rows = 1;
}

/* --- product.c: a sum, and a maximum with 0, after a product become part of its call. A product
 * marked `no_absorb` stays alone. For group.c. */
void gnd__follow_products(gnd__pgraph *g);
/* The input of which a is the maximum with a constant 0; -1: it is another node. */
int gnd__is_relu(const gnd_array *a);
/* Which input of a, the product of a real float array with a constant, is the constant; -1: a is
 * none such, or it is 0 in a's dtype (a library would then not look at the array, and lose a NaN of
 * it). */
int gnd__is_scaling(const gnd_array *a);

/* --- lower.c, lower_value.c --------------------------------------------------------------------
 */
/* The IR of one kernel. *retry is set when the attempt found nodes that have to be roots (marked
 * `must` or `no_absorb`): grouping starts again. */
gnd_status gnd__lower(gnd__pgraph *g, const gnd__pwork *w, gnd__kir *k, int *retry, gnd_err *e);
/* Marks the assemblies that k, which is w lowered, computes where they are used: they have to be
 * roots. */
void gnd__not_boxes(gnd__pgraph *g, const gnd__pwork *w);
/* The same for input `in` of primitive w: a map without outputs, whose value is k->out[0].value. */
gnd_status gnd__lower_input(gnd__pgraph *g, const gnd__pwork *w, int in, gnd__kir *k, int *retry,
                            gnd_err *e);

/* --- boxes.c -----------------------------------------------------------------------------------
 */
/* What all boxes of assembly i are cut from, along the same axes in the same steps; -1: there is no
 * such node. */
int32_t gnd__shifted(const gnd__pgraph *g, int32_t i);

/* Node i, or if it is computed where it is used the one node of which it consists (see
 * gnd__pnode.origin). */
static inline int32_t gnd__origin(const gnd__pgraph *g, int32_t i)
{
    return g->node[i].role == GND__R_INLINE ? g->node[i].origin : i;
}

/* --- place.c -----------------------------------------------------------------------------------
 */
/* l becomes the layout of `view` of what l is the layout of. 0: a reshape that strides cannot say.
 */
int gnd__through_view(gnd__layout *l, const gnd_array *view);
/* l (of an input) as the elementwise consumer of shape dim[ndim] sees it: axes aligned at the end.
 */
void gnd__through_broadcast(gnd__layout *l, int ndim, const int64_t *dim);
/* l (of the input of a short reduction a) at element `which` of the reduced axes: the result's
 * axes. */
void gnd__through_pick(gnd__layout *l, const gnd_array *a, int64_t which);
/* The layout of a's own elements, or the one that they will have. */
void gnd__own_layout(const gnd_array *a, gnd__layout *l);
/* Where the elements of pnode i are, when it is a view of a root or a leaf. 0: it is not (then
 * *blame is the node that has to become a root). */
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
           a->kind == GND__CHECKED;
}
/* A reduction of so few elements that it is written out where it is used, x0 + x1 + x2, if no rule
 * makes it a root: at most GND__SHORT along all its axes. */
#define GND__SHORT 4
static inline int gnd__is_short(const gnd_array *a)
{
    int64_t n = 1;
    if (a->kind != GND__REDUCE || gnd__reds[a->p.red.op].place || a->dtype != a->in[0]->dtype ||
        a->dtype == GND_FLOAT16 || a->dtype == GND_BFLOAT16)
        return 0;
    for (int d = 0; d < a->in[0]->ndim; d++)
        if (a->p.red.mask >> d & 1) {
            if (a->in[0]->dim[d] > GND__SHORT)
                return 0;
            n *= a->in[0]->dim[d];
        }
    return n > 1 && n <= GND__SHORT;
}
/* An assembly of more than one box, and not too many, which may be computed where it is used. (That
 * of one box is made to be stored.) */
#define GND__BOXES 9
static inline int gnd__has_boxes(const gnd_array *a)
{
    return a->kind == GND__ASSEMBLE && a->nin > 1 && a->nin <= GND__BOXES;
}
/* Has its elements in memory, or is a constant, or an iota: needs no kernel of its own. */
static inline int gnd__is_leaf(const gnd_array *a)
{
    return a->data.st != NULL || a->kind == GND__CONST || a->kind == GND__IOTA;
}

#endif
