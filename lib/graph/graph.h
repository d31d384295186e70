/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/graph.h - the lazy expression: nodes, their kinds, making and freeing them.
 *
 * An array is a node. A node's metadata (kind, dtype, shape, payload) is immutable. Two fields
 * change, under its device's lock: `in`, which is dropped once the node has its data, and `data`.
 * Knows nothing of kernels or backends; storage is an opaque object with a destructor.
 */
#ifndef GND_GRAPH_GRAPH_H
#define GND_GRAPH_GRAPH_H

#include <gnd/types.h>
#include <gnd/backend.h>
#include <stdatomic.h>
#include "base/dtype.h"
#include "base/err.h"
#include "base/shape.h"
#include "base/spin.h"
#include "graph/opset.h"

typedef enum gnd__kind {
    GND__ERROR = 0, /* p.err */
    GND__CONST,     /* p.value; 0-d; weak, or of a device */
    /* made with data (from the host or another device); without data it is a placeholder, which
     * gets data while a recording is made */
    GND__DATA,
    GND__IOTA,     /* 1-d int64 0, 1, 2, ...: fused, and stored only if asked for */
    GND__EMPTY,    /* undefined contents */
    GND__OP,       /* elementwise p.op over `in`, which broadcast to the node's shape. All inputs
                      have the op's compute dtype (casts are nodes) unless the table says other */
    GND__CAST,     /* elementwise: in[0] as the node's dtype */
    GND__VIEW,     /* p.view: each input axis is a start plus some steps along output axes */
    GND__RESHAPE,  /* in[0] in C order, with another shape */
    GND__REDUCE,   /* p.red over in[0]; the shape lacks the reduced axes (no keepdims) */
    GND__MATMUL,   /* (..., m, k) @ (..., k, n), both at least 2-d, same dtype; batch broadcasts */
    GND__ASSEMBLE, /* p.asm: each input fills a box of the result; together they cover it */
    /* elements of in[0], which is in memory, at computed positions: p.take. The int64 indices
     * in[1..] broadcast to the node's shape and are in range */
    GND__TAKE,
    /* elementwise: in[0] (int64) as an index of p.check: negative ones count from the end; one
     * out of range becomes 0, and an error when a result is read. Conditions are such indices
     * too */
    GND__CHECKED,
    GND__PRIM,   /* p.prim: a primitive of lib/prim, which defines its inputs */
    GND__LAUNCH, /* p.launch: a user's kernel; the elements are its first output (graph/launch.h) */
    GND__PART,   /* output p.part, from 1 on, of the launch in[0] */
    GND__CALL    /* elementwise: output p.call.out of a function of the user's (graph/snippet.h) of
                    `in` */
} gnd__kind;

/* A view as gnd__view_node takes it: input axis d is at start[d] + step[d] * i[from[d]], or at
 * start[d] if from[d] is -1. An output axis from which no input axis comes is broadcast. Two input
 * axes may come from the same output axis (a diagonal). The arrays have as many entries as the
 * input has axes. */
typedef struct gnd__map {
    int64_t start[GND_MAX_NDIM];
    int64_t step[GND_MAX_NDIM];
    int8_t from[GND_MAX_NDIM];
} gnd__map;

/* A view as its node stores it: input axis d is at start[d] plus step * i[to] for each of its
 * terms. Several terms of an axis form windows. Equal views have equal bytes: terms are ordered by
 * axis, then by `to`; no term has a step of 0 or an output axis of one element; a view without
 * elements starts at 0 and has no terms. */
typedef struct gnd__term {
    int64_t step;
    int32_t axis, to;
} gnd__term;
typedef struct gnd__view {
    int32_t nterm;
    int64_t *start;  /* one entry per axis of the input */
    gnd__term *term; /* nterm of them */
} gnd__view;

/* One box of GND__ASSEMBLE: input k goes to start[d] .. start[d] + its extent, along every axis. */
typedef struct gnd__box {
    int64_t start[GND_MAX_NDIM];
} gnd__box;

/* GND__TAKE: axis d of in[0] is at the index of the node's axis from[d]; if that is -1, at the
 * index given by in[via[d]]. One entry per axis of in[0]. */
typedef struct gnd__gather {
    int8_t from[GND_MAX_NDIM];
    int8_t via[GND_MAX_NDIM];
} gnd__gather;

/* GND__CHECKED: the parts of the error message. func and what are literals. */
typedef struct gnd__index_of {
    const char *func;
    int64_t size;
    int32_t axis;     /* -1: of the flattened array */
    gnd_status code;  /* GND_ERR_INDEX */
    const char *what; /* NULL; else a condition failed, and this is the whole message after func */
} gnd__index_of;

/* GND__PRIM: the primitive and its parameters, whose meaning the primitive defines. Everything
 * except func is part of a plan's key. An input of mode MEM is in memory, in C order; one of mode
 * COPY in memory of any strides, of which the program makes a copy in C order (gnd__prog_copy); one
 * of mode ONCE or AGAIN may be an expression, computed where the primitive's kernels read it
 * (AGAIN: more than once, so expensive expressions are stored first). */
enum { GND__PRIM_INS = 4, GND__PRIM_INTS = 6 };
typedef enum gnd__inmode { GND__IN_MEM, GND__IN_COPY, GND__IN_ONCE, GND__IN_AGAIN } gnd__inmode;
typedef struct gnd__primargs {
    int32_t id; /* gnd__prim_id of prim/prim.h */
    uint8_t mode[GND__PRIM_INS];
    int64_t n[GND__PRIM_INTS];
    /* NULL or a literal, only for messages: the last field, not part of the key */
    const char *func;
} gnd__primargs;

/* Device memory with its own reference count; created and freed by sched. */
typedef struct gnd__storage {
    atomic_int refs;
    struct gnd_device *dev;
    struct gnd__gdev *g; /* of dev, which may have been closed: exported memory lives on */
    struct gnd__block *block;
    uint8_t foreign; /* the memory is another library's: never written */
    size_t kept;     /* bytes that count as kept while it exists (sched/keep.c), or 0 */
    /* checks of indices that have not been read yet (sched/check.h), or NULL */
    struct gnd__checks *checks;
    void (*destroy)(struct gnd__storage *st);
} gnd__storage;

/* An error found during evaluation. Later errors of a node come before it in the list. Immutable
 * once others can see it, and freed with the node, so it may be read without a lock. */
typedef struct gnd__fault {
    gnd_err err;
    struct gnd__fault *next;
} gnd__fault;

/* The location of a node's elements once it has them. Strides are in elements of the node's
 * dtype. */
typedef struct gnd__data {
    gnd__storage *st;
    int64_t off;
    int contig; /* the strides are those of C order, and stride may be NULL */
    int64_t *stride;
} gnd__data;

struct gnd_array {
    uint32_t magic; /* GND__MAGIC; 0 once freed */
    uint8_t kind;   /* gnd__kind */
    uint8_t weak;   /* a weak scalar: 0-d, no device */
    uint8_t ndim;
    uint8_t place; /* its place in its cell: graph/cells.h */
    int32_t dtype;
    int32_t nin;
    atomic_int refs;    /* owners: handles and consumer nodes */
    atomic_int handles; /* the user's handles among them (scopes count) */
    uint32_t pending;   /* unevaluated operations below, including itself; saturates */
    /* guards `in` of a view or reshape: held while it is dropped, or read without the device's
     * lock */
    gnd__spin in_lock;
    gnd_device *dev; /* NULL for scalars and for errors before any device */
    /* the device's list of live nodes, under the device's list lock */
    struct gnd_array *prev, *next;
    int64_t size;       /* elements */
    const int64_t *dim; /* ndim extents, allocated with the node */
    void *more;         /* memory for data that did not fit into the cell, or NULL */
    /* its name and where it was made, atomic: graph/label.h; or NULL */
    struct gnd__label *label;
    struct gnd_array **in; /* nin inputs, retained; NULL once dropped */
    struct gnd_array *in_small[3];
    gnd__data data;     /* st != NULL: the node has its elements */
    gnd_err *fault;     /* the error of the last evaluation, atomic: one of faults; or NULL */
    gnd__fault *faults; /* all errors so far, under the device's lock */
    uint32_t mark;      /* scratch of the planner, under the device's lock */
    uint32_t links;     /* views and reshapes: the length of the chain that ends here */
    void *scope;        /* the scope that owns a handle, or NULL */
    uint32_t scope_slot;
    uint32_t deep; /* if `pending` is large: the number at which evaluation is tried */
    union {
        gnd_err *err;      /* GND__ERROR */
        gnd__scalar value; /* GND__CONST */
        int32_t op;        /* GND__OP: gnd__op */
        gnd__view *view;   /* GND__VIEW */
        struct {
            int32_t op;
            uint32_t mask;
            struct gnd__snippet *fn;
        } red; /* GND__REDUCE: mask of the input's
axes; fn, held: of GND__FOLD */
        struct {
            struct gnd__snippet *fn;
            int32_t out;
        } call;                     /* GND__CALL; fn is held */
        gnd__box *box;              /* GND__ASSEMBLE: nin of them */
        gnd__gather *take;          /* GND__TAKE */
        gnd__index_of check;        /* GND__CHECKED */
        gnd__primargs *prim;        /* GND__PRIM */
        struct gnd__launch *launch; /* GND__LAUNCH */
        int32_t part;               /* GND__PART */
        int32_t number; /* GND__DATA without elements, a placeholder: 1: recordings take its value
                           by value */
    } p;
};

#define GND__MAGIC 0x676e6431u

/* Whether x, not NULL, is the handle of an array that was not released. Reads memory that may be
 * freed, which is still a cell (graph/cells.h) or in a sanitizer's quarantine; therefore not
 * instrumented. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
__attribute__((noinline, unused, no_sanitize("address", "thread", "undefined"))) static
#else
static inline
#endif
    int
    gnd__alive(const gnd_array *x)
{
    return __atomic_load_n(&x->magic, __ATOMIC_RELAXED) == GND__MAGIC &&
           atomic_load_explicit((atomic_int *)&x->handles, memory_order_relaxed) > 0;
}

/* --- making nodes (graph/node.c) --------------------------------------------------------------
 * Each returns a node with one handle that belongs to the innermost scope of the thread, or to the
 * caller; never NULL (out of memory gives the static error node gnd__nomem()). Inputs are retained,
 * not consumed. Only memory is checked: callers have inferred shape and dtype. */
gnd_array *gnd__node(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                     int nin, gnd_array *const *in);
/* The same with an uninitialised payload of `extra` bytes after it, at *payload (a pointer to a
 * pointer). */
gnd_array *gnd__node_with(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                          int nin, gnd_array *const *in, size_t extra, void *payload);
gnd_array *gnd__error_node(gnd_device *dev, const gnd_err *e);
/* The same for an existing error that is passed on. */
gnd_array *gnd__error_copy(gnd_device *dev, const gnd_err *e);
/* y, made by public function func from several steps: if it is an error, attributes it to func
 * (gnd__err_named). Returns y. */
gnd_array *gnd__named(const char *func, gnd_array *y);
gnd_array *gnd__fail(gnd_device *dev, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
gnd_array *gnd__nomem(void);
gnd_array *gnd__const(gnd_device *dev, gnd_dtype t, const gnd__scalar *v, int weak);
gnd_array *gnd__op_node(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                        int nin, gnd_array *const *in);
/* The same of arguments that are views of arrays with their axes in another order, the same for
 * all, or constants: that view of the operation on these arrays (graph/order.c). NULL: they are
 * not. */
gnd_array *gnd__op_in_order(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                            int nin, gnd_array *const *in);
/* Whether view x of `in` shows each element once, with the axes in another order: sets m to it.
 * Axes of one element may come and go. */
int gnd__is_turned(const gnd_array *x, const gnd_array *in, gnd__map *m);
gnd_array *gnd__cast_node(gnd_array *x, gnd_dtype t); /* x itself, retained, if it has dtype t */
/* The input of x with one more owner if x is a view or reshape without elements of its own; else
 * NULL. Another thread may be evaluating x at the same time, which drops x's input: it is read
 * under a lock. */
gnd_array *gnd__below(gnd_array *x);
/* The input of assembly x that contains all elements seen by view m of shape dim[ndim], with the
 * same view of it in out (graph/boxes.c). NULL: there is none, or x has its elements. The device's
 * lock is held; the input is not retained. */
gnd_array *gnd__box_seen(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m,
                         gnd__map *out);
gnd_array *gnd__reduce_node(gnd_array *x, gnd__red r, uint32_t mask, gnd_dtype t);
gnd_array *gnd__matmul_node(gnd_array *a, gnd_array *b, int ndim, const int64_t *dim);
gnd_array *gnd__assemble_node(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, int n,
                              gnd_array *const *in, const gnd__box *box);
gnd_array *gnd__take_node(gnd_array *x, int n, gnd_array *const *idx, int ndim, const int64_t *dim,
                          const gnd__gather *how);
gnd_array *gnd__checked_node(gnd_array *idx, const char *func, int64_t size, int axis);
/* int64 zeros in the shape of the bools ok. If one of ok is false, everything computed from the
 * result is an error when read: "FUNC: WHAT". */
gnd_array *gnd__condition_node(gnd_array *ok, gnd_status code, const char *func, const char *what);
gnd_array *gnd__prim_node(gnd_device *dev, const gnd__primargs *p, gnd_dtype t, int ndim,
                          const int64_t *dim, int nin, gnd_array *const *in);

/* An array with elements in st, which gets one more owner: element (0, 0, ...) is number off.
 * Strides are in elements and copied; NULL: C order without gaps. */
gnd_array *gnd__data_node(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                          gnd__storage *st, int64_t off, const int64_t *stride);

/* The size in bytes of the elements of x, which must not be an error; it may be an array without a
 * user's handle. */
static inline size_t gnd__nbytes(const gnd_array *x)
{
    return (size_t)x->size * gnd_dtype_size((gnd_dtype)x->dtype);
}

/* --- views (graph/view.c): composed with x where x is a view that has no elements of its own, so
 * the result may be another kind of node; where nothing is left to do, a new handle to the same
 * value. ------------------------- */
gnd_array *gnd__view_node(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m);
/* The view y of a node, of which `part` has the elements from `first` on along the last axis, as a
 * view of `part`. */
gnd_array *gnd__view_of_part(gnd_array *y, gnd_array *part, int64_t first);
/* x with its axis of n elements replaced by n - window + 1 windows, whose elements are a new last
 * axis. */
gnd_array *gnd__window_node(gnd_array *x, int axis, int64_t window);
/* Element i of the vector x at start plus the sum of stride[k] * i[k], which is in range. */
gnd_array *gnd__strided_node(gnd_array *x, int ndim, const int64_t *dim, const int64_t *stride,
                             int64_t start);
gnd_array *gnd__reshape_node(gnd_array *x, int ndim, const int64_t *dim);

/* --- owners ----------------------------------------------------------------------------------- */
void gnd__ref(gnd_array *x);   /* one more owner that is not a handle */
void gnd__unref(gnd_array *x); /* frees without recursion if it was the last */
/* Drops the inputs (once the node has its data). Device lock held. */
void gnd__drop_inputs(gnd_array *x);
void gnd__storage_ref(gnd__storage *st);
void gnd__storage_unref(gnd__storage *st);

/* --- checking arguments (graph/check.c) --------------------------------------------------------
 * NULL when x is a usable array; else a new error node (for NULL arguments named in the message,
 * for error arrays with the same error). */
gnd_array *gnd__check(const gnd_array *x, const char *func, const char *arg);
/* The common device of n arrays (weak scalars have none) in *dev; else returns a new error node. */
gnd_array *gnd__check_devices(const char *func, int n, gnd_array *const *x, gnd_device **dev);
/* GND_OK, or why dtype t cannot be used on dev (float64 without float64): fills e. */
gnd_status gnd__check_dtype(const char *func, gnd_device *dev, gnd_dtype t, gnd_err *e);

/* A hook that is called when a node with very many pending operations is made: evaluates it. Set at
 * load time by array/eval.c; NULL in tests of the graph alone. */
extern void (*gnd__on_deep)(gnd_array *x);
#define GND__DEEP 2000u

/* --- elementwise (graph/infer.c) --------------------------------------------------------------
 * The node of operation op on nin arguments: promotes, casts, broadcasts, folds weak scalars on the
 * host, and makes every argument error. */
gnd_array *gnd__elementwise(gnd__op op, int nin, gnd_array *const *x);
/* Converts x to dtype t, elementwise (GND_ERR_DTYPE for complex to real). Weak scalars become
 * strong only by gnd__strong. */
gnd_array *gnd__astype(gnd_array *x, gnd_dtype t, const char *func);
/* A weak scalar as a 0-d array of dev and dtype t; GND_ERR_OVERFLOW if it does not fit. */
gnd_array *gnd__strong(gnd_array *x, gnd_device *dev, gnd_dtype t, const char *func);
/* Folding (graph/fold.c): the value of op on host scalars, with kinds as in gnd__scalar: NumPy's
 * result for Python's bool, int (int64), float (float64), complex (complex128). Returns 0, or a
 * negative code of graph/fold.h. */
int gnd__fold(gnd__op op, int nin, const gnd__scalar *in, gnd__scalar *out);

#endif
