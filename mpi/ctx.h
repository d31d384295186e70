/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ctx.h - shared by the files of libgnd-mpi: the context, agreement on errors, waits with a time
 * limit, partitions, and handles of arrays. Uses gnd's public API only.
 *
 * One rule keeps the ranks together. What a function exchanges depends only on data that all ranks
 * have (shapes, dtypes, partitions, the call), never on a rank's own result. If a rank's own part
 * fails, the rank continues with a part that holds the error, and gndm__agree gives the error to
 * all ranks.
 */
#ifndef GNDM_CTX_H
#define GNDM_CTX_H

#include <gnd.h>
#include <gnd/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { GNDM_TEXT = 768, GNDM_CHUNK = 4 << 20, GNDM_SLOTS = 12, GNDM_WHY = 160, GNDM_SCOPES = 32 };

/* A partition. Coordinate d of a rank is rank / stride[d] % grid[d]. Its interval on axis d is
 * cut[d][k] .. cut[d][k + 1] - 1 for coordinate k. grid[d] 1: the rank has the whole axis, and
 * cut[d] is NULL. Ranks with equal coordinates hold the same box. Permuting or dropping axes does
 * not change coordinates, so it needs no messages. Immutable and reference-counted. */
struct gndm_part {
    int refs, ranks, ndim;
    gnd_status status;
    char *message;
    int64_t shape[GND_MAX_NDIM];
    int grid[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    int64_t *cut[GND_MAX_NDIM];
};

struct gndm_array {
    gndm_ctx *ctx;
    gndm_array *prev, *next;   /* in the context's list */
    int refs, scope;           /* scope: depth of the scope that owns it, 0: none */
    gndm_array *older, *newer; /* in the list of that scope */
    gnd_status status;         /* an error that all ranks have; part and local are then NULL */
    char *message;
    gnd_dtype dtype;
    gndm_part *part;
    gnd_array *local; /* may hold an error of this rank alone */
    int known;        /* local is a constant of one element, whose bytes number has: no work */
    char number[16];
};

typedef struct gndm__box {
    int64_t start[GND_MAX_NDIM], stop[GND_MAX_NDIM];
} gndm__box;

struct gndm__transport;
struct gndm__nccl;
struct gndm__cuda;

struct gndm_ctx {
    MPI_Comm comm, watch, node; /* for data; for questions after a timeout; ranks of this node */
    int watch_tag;              /* of the messages on `watch` */
    int rank, size, node_rank, node_size;
    unsigned flags;
    gnd_device *dev;
    int opened; /* 1: gndm_open opened dev */
    gnd_status status;
    int broken; /* 1: no more messages are sent */
    int apart;  /* 1: that is because one rank left a call: not all ranks make the same calls of MPI
                   any more, and MPI may still write to the memory of messages */
    int died;   /* 1: that is because a rank died */
    char message[GNDM_TEXT];
    char no_rebuild[GNDM_WHY]; /* why gndm_rebuild cannot go on without a rank; "": it can */
    double timeout;
    int64_t block; /* columns of a block in factorizations */
    int64_t stage; /* bytes of a rank's part that are moved in one stage; 0: chosen (stages.c) */
    const struct gndm__transport *transport;
    struct gndm__nccl *nccl; /* this rank's group of ranks that exchange by NCCL, or NULL */
    int *
        group; /* the group of each rank, -1: none; NULL: there are no groups. The same on all ranks
                */
    char why[GNDM_WHY]; /* why this rank has no group */
    int64_t peer; /* bytes of the smallest message that is copied from GPU to GPU; 0: none is */
    int peers;    /* 1: such copies are open on some ranks, so their end is collective */
    char no_peer[GNDM_WHY];      /* why this rank has none */
    const struct gndm__cuda *cu; /* CUDA's driver, if MPI gets device memory from this rank */
    void *cu_context;
    int aware;               /* 1: it does, after the test */
    int all_aware;           /* 1: all ranks do, and their chunks are longer */
    char no_aware[GNDM_WHY]; /* why it does not */
    int64_t chunk;           /* bytes of the chunks of messages by MPI: the same on all ranks; until
                                the transport is chosen 0, or GND_MPI_CHUNK */
    char *ring[2 * GNDM_SLOTS]; /* staging memory of messages, of gnd_host_alloc, `chunk` bytes
                                   each: of those to send, then of those to receive; NULL until
                                   the first that needs it */
    int copies;                 /* 1: the streams of copies were made, or the device has none */
    gnd_stream *down, *up;      /* copies to the staging memory and from it, or NULL */
    gndm_rank_info *ranks;      /* NULL until the speeds are measured */
    gndm_stats stats;
    gnd_rng rng;
    gndm_array *arrays;             /* all arrays of the context, newest first */
    int depth;                      /* number of open scopes */
    gndm_array *owned[GNDM_SCOPES]; /* the arrays that belong to each scope, newest first */
    /* the current call */
    const char *func;
    uint64_t calls, hash;
    char call[160];
    int nested;
    /* GND_TRACE: of any rank; clock: a time of this rank's clock, and rank 0's minus it, in ns */
    int traced;
    char traced_device[200];
    struct {
        int64_t at, ahead;
        int64_t box[2]; /* of messages, which outlive a call that times out */
    } clock;
    int64_t began; /* the current call: its begin, and the bytes sent before */
    uint64_t sent;
    char asked[GNDM_TEXT], answer[GNDM_TEXT]; /* of messages on `watch` that may still be pending */
    /* buffers of an agreement; they are here because MPI may write to them even after a timeout */
    int64_t votes[3];
    struct {
        int32_t status;
        char text[GNDM_TEXT - 4];
    } said;
};

/* --- errors (error.c) ------------------------------------------------------------------------- */

/* Sets the message of the context; returns st. */
gnd_status gndm__fail(gndm_ctx *c, gnd_status st, const char *fmt, ...) GND_PRINTF(3, 4);
/* The same, and makes the context unusable. The first such error stays. It is that of this rank
 * alone, which leaves a call that others wait in: they are told (gndm__over), and get the same
 * error. gndm__ended: of an error of which the others know already. */
gnd_status gndm__broken(gndm_ctx *c, gnd_status st, const char *fmt, ...) GND_PRINTF(3, 4);
gnd_status gndm__ended(gndm_ctx *c, gnd_status st, const char *fmt, ...) GND_PRINTF(3, 4);
/* GND_OK if rc is MPI_SUCCESS. Otherwise makes the context unusable on all ranks; the message names
 * `what` and the rank. */
gnd_status gndm__mpi(gndm_ctx *c, int rc, const char *what);
/* Begins a call. func and the text of its arguments are compared across the ranks. Nested calls
 * count as part of the outermost call. Fails if the context is unusable, or, with GNDM_CHECK_CALLS,
 * if the ranks call different functions. Each gndm__enter needs one gndm__leave, also after a
 * failure. In between, new gnd arrays and distributed arrays belong to scopes of the call, so
 * nothing is released by hand. */
gnd_status gndm__enter(gndm_ctx *c, const char *func, const char *fmt, ...) GND_PRINTF(3, 4);
/* Ends a call and its scopes. result (may be NULL) is moved to the enclosing scope and returned. */
gndm_array *gndm__leave(gndm_ctx *c, gndm_array *result);
/* Returns the same status on all ranks: GND_OK if all ranks pass GND_OK, else the status of the
 * lowest rank that failed, with its message and number. Collective. Also detects that ranks are in
 * different calls. */
gnd_status gndm__agree(gndm_ctx *c, gnd_status st, const char *message);

/* --- waiting (wait.c) ------------------------------------------------------------------------- */

/* Waits until all n requests are done, at most for the context's timeout. Meanwhile answers ranks
 * that ask which call this rank is in. On failure the requests are still pending: their memory must
 * not be freed. */
gnd_status gndm__wait(gndm_ctx *c, int n, MPI_Request *req);
/* One step of a wait for something other than requests. GND_OK: continue to wait; else the error
 * that ends the wait. Zero *p at the start and after each progress. */
typedef struct gndm__patience {
    unsigned looks, slept;
    double began;
} gndm__patience;
gnd_status gndm__idle(gndm_ctx *c, gndm__patience *p);
/* Tells all ranks that wait, or will wait, that the context is unusable, with its status and
 * message. */
void gndm__over(gndm_ctx *c);
/* Seconds of a monotonic clock. */
double gndm__now(void);
/* Collectives of small host data, with these waits. */
gnd_status gndm__allreduce(gndm_ctx *c, void *data, int n, MPI_Datatype t, MPI_Op op);
gnd_status gndm__bcast(gndm_ctx *c, void *data, int64_t nbytes, int root);
gnd_status gndm__allgather(gndm_ctx *c, const void *mine, void *all, int nbytes);
gnd_status gndm__barrier(gndm_ctx *c, MPI_Comm comm);

/* --- opening and rebuilding (open.c, rebuild.c) ----------------------------------------------- */

/* gndm_open where MPI is known to be initialized. old: NULL, or the context from which the new one
 * takes dev and the time limit. Never NULL. */
gndm_ctx *gndm__open_on(MPI_Comm comm, gnd_device *dev, unsigned flags, const gndm_ctx *old);
/* Closes a context from which another one took the device. */
void gndm__close_old(gndm_ctx *c);
/* Sets c->no_rebuild. All ranks call it. */
gnd_status gndm__rebuild_probe(gndm_ctx *c);
/* If rc says that a rank died, ends the context on all ranks that are left and returns 1. */
int gndm__rank_died(gndm_ctx *c, int rc);

/* --- traces (trace.c) ------------------------------------------------------------------------- */

/* Compares the clocks, if a rank writes a trace. Collective. */
gnd_status gndm__trace_begin(gndm_ctx *c);
/* Joins the traces of all ranks in GND_TRACE's file. The devices must be idle. Collective; does
 * nothing if no rank writes a trace, or if the context is unusable. */
void gndm__trace_end(gndm_ctx *c);

/* --- partitions (part.c) ---------------------------------------------------------------------- */

/* A new partition without cuts (replicated), to which gndm__part_split adds cuts. Never NULL. */
gndm_part *gndm__part_new(gndm_ctx *c, int ndim, const int64_t *shape);
gndm_part *gndm__part_fail(gnd_status st, const char *message);
/* The partition of a rank without host memory for it: the context is over, and the other ranks,
 * which have theirs, are told. */
gndm_part *gndm__part_lost(gndm_ctx *c);
gndm_part *gndm__part_retain(gndm_part *p);
/* Splits axis d of a new partition into grid intervals; stride is the stride of its coordinate. cut
 * is copied. Returns 0, or -1 if out of memory: then the context is over, as in gndm__part_lost. */
int gndm__part_split(gndm_ctx *c, gndm_part *p, int d, int grid, int stride, const int64_t *cut);
int gndm__part_same(const gndm_part *a, const gndm_part *b);
int gndm__part_coord(const gndm_part *p, int rank, int d);
void gndm__part_box(const gndm_part *p, int rank, gndm__box *b);
int gndm__part_split_anywhere(const gndm_part *p);
/* The given partition, checked against the shape, or the default one (data.c). The caller frees it;
 * it may hold an error, which begins with func. */
gndm_part *gndm__part_for(gndm_ctx *c, const char *func, gnd_dtype t, int ndim,
                          const int64_t *shape, const gndm_part *part);
/* A new partition of shape: axis d is split like axis from[d] of p; -1: not split. An axis whose
 * extent differs from its extent in p is not split either. */
gndm_part *gndm__part_axes(gndm_ctx *c, const gndm_part *p, int ndim, const int64_t *shape,
                           const int *from);
/* Sets cut (k + 1 entries) to even cuts of n elements into k parts. */
void gndm__even_cuts(int64_t n, int k, int64_t *cut);
int64_t gndm__product(int n, const int64_t *dim);
int gndm__box_empty(int ndim, const gndm__box *b);
int64_t gndm__box_size(int ndim, const gndm__box *b);

/* --- arrays (array.c) ------------------------------------------------------------------------- */

/* A new array with partition part and local part local; retains both. Never NULL. */
gndm_array *gndm__array(gndm_ctx *c, gnd_dtype t, gndm_part *part, gnd_array *local);
/* An array with the error st, which all ranks have, and the context's message. */
gndm_array *gndm__error(gndm_ctx *c, gnd_status st);
/* The status of x. If x holds an error, its message becomes the context's. */
gnd_status gndm__check(gndm_ctx *c, const gndm_array *x);
/* Waits for x, an array of this rank, after the exchange by NCCL that may be under way: a wait that
 * ends if another rank fails. gndm__host: the same, and copies the elements to dst. */
gnd_status gndm__ready(gndm_ctx *c, gnd_array *x);
gnd_status gndm__host(gndm_ctx *c, gnd_array *x, void *dst, size_t nbytes);
/* Whether numbers of dtype t have a type in C; the number at `at` as a weak scalar (fold.c). */
int gndm__has_scalar(gnd_dtype t);
gnd_array *gndm__scalar(gnd_dtype t, const void *at);
/* Evaluates the local parts of n arrays and agrees on the status. */
gnd_status gndm__settle(gndm_ctx *c, int n, gndm_array *const *x);
/* "(3, 4)" */
enum { GNDM_SHAPE_TEXT = 24 * GND_MAX_NDIM };
const char *gndm__shape_text(char *buf, int ndim, const int64_t *shape);
/* The box of a gnd array x as a lazy view, or x itself. Indices of the box count from origin, the
 * index of x's first element (NULL: zeros). */
gnd_array *gndm__boxed(gnd_array *x, int ndim, const gndm__box *box, const int64_t *origin);

/* --- moving (move.c) -------------------------------------------------------------------------- */

/* Fetches box want[r] of x on each rank r. Boxes may overlap. *out is this rank's box: a gnd array
 * of the call's scope, which may hold an error of this rank alone. The status is the same on all
 * ranks. Sends no messages if every rank already has its box. */
gnd_status gndm__fetch(gndm_ctx *c, gndm_array *x, const gndm__box *want, gnd_array **out);
/* A list of boxes for each rank. box() sets *b to box i < n of a rank; it may be empty. meanwhile
 * (may be NULL) is called when all data that this rank sends is in host memory and before any is
 * received. Work that it starts on the device overlaps with the exchange. */
typedef struct gndm__wish {
    int n;
    void (*box)(const void *data, int rank, int i, gndm__box *b);
    const void *data;
    void (*meanwhile)(const void *data);
} gndm__wish;
/* Fetches the boxes of `wish` in one exchange. out has n entries. */
gnd_status gndm__fetch_boxes(gndm_ctx *c, gndm_array *x, const gndm__wish *wish, gnd_array **out);
/* Whether gndm__fetch would send no messages. */
int gndm__fetch_is_local(const gndm_part *p, const gndm__box *want);
/* gndm__is_small: whether x is split, has at least one axis, and `to` is a replicated partition of
 * few bytes. gndm__gather_small: that copy on every rank, by one all-gather (gather.c).
 * gndm__gather_host: the same into `whole`, host memory for all elements in C order. The status is
 * the same on all ranks. */
int gndm__is_small(const gndm_array *x, const gndm_part *to);
gnd_status gndm__gather_host(gndm_ctx *c, gndm_array *x, void *whole);
gnd_status gndm__gather_small(gndm_ctx *c, gndm_array *x, gnd_array **out);
/* x in partition part, for use inside a call. Never NULL. */
gndm_array *gndm__moved(gndm_ctx *c, gndm_array *x, gndm_part *part);

/* --- speeds (speeds.c) ------------------------------------------------------------------------ */
gnd_status gndm__measure(gndm_ctx *c);

#endif
