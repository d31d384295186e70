/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ctx.h - what the files of libgnd-mpi share: the context, errors that all ranks agree on, waiting
 * with a limit, partitions, and the handles of arrays. Uses gnd's public API only.
 *
 * The rule that keeps ranks together: what a function exchanges depends only on what all ranks know
 * (shapes, dtypes, partitions, the call), never on a rank's own result. A rank whose own part
 * failed goes on with a part that holds the error; gndm__agree makes it everybody's.
 */
#ifndef GNDM_CTX_H
#define GNDM_CTX_H

#include <gnd.h>
#include <gnd/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { GNDM_TEXT = 768, GNDM_CHUNK = 4 << 20 };

/* A partition: coordinate d of a rank is rank / stride[d] % grid[d], its interval on axis d is
 * cut[d][k] .. cut[d][k + 1] for coordinate k. grid 1: the whole axis, no cuts. Ranks with equal
 * coordinates hold the same box. Permuting or dropping axes keeps each rank's coordinates, so it
 * needs no message. Immutable, counted. */
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
    gndm_array *prev, *next; /* in the context's list */
    int refs, scope;         /* scope: depth of the scope that owns it, 0: none */
    gnd_status status;       /* an error that all ranks know: part and local are NULL then */
    char *message;
    gnd_dtype dtype;
    gndm_part *part;
    gnd_array *local; /* may hold an error of this rank alone */
};

typedef struct gndm__box {
    int64_t start[GND_MAX_NDIM], stop[GND_MAX_NDIM];
} gndm__box;

struct gndm__transport;

struct gndm_ctx {
    MPI_Comm comm, watch, node; /* data; who is there; the ranks of this node */
    int rank, size, node_rank, node_size;
    unsigned flags;
    gnd_device *dev;
    int opened; /* the device is the context's own */
    gnd_status status;
    int broken; /* no messages any more */
    char message[GNDM_TEXT];
    double timeout;
    int64_t block; /* columns of a block in factorizations */
    const struct gndm__transport *transport;
    char *ring[6];         /* GNDM_CHUNK bytes each: staging memory of messages, 3 out and 3 in */
    gndm_rank_info *ranks; /* NULL until they were measured */
    gndm_stats stats;
    gnd_rng rng;
    gndm_array *arrays; /* all of them, the newest first */
    int depth;          /* of scopes */
    /* the call that runs */
    const char *func;
    uint64_t calls, hash;
    char call[160];
    int nested;
    char asked[GNDM_TEXT], answer[GNDM_TEXT]; /* messages of the watch that may be under way */
    /* what an agreement exchanges: here, since after a timeout MPI may still write to it */
    int64_t votes[3];
    struct {
        int32_t status;
        char text[GNDM_TEXT - 4];
    } said;
};

/* --- errors (error.c) ------------------------------------------------------------------------- */

/* Sets the message of the context; returns st. */
gnd_status gndm__fail(gndm_ctx *c, gnd_status st, const char *fmt, ...) GND_PRINTF(3, 4);
/* The same, and the context is of no use any more. The first reason stays. */
gnd_status gndm__broken(gndm_ctx *c, gnd_status st, const char *fmt, ...) GND_PRINTF(3, 4);
/* GND_OK if rc is MPI_SUCCESS; else the context is broken, and the message names `what`. */
gnd_status gndm__mpi(gndm_ctx *c, int rc, const char *what);
/* Begins a call: its name and the text of its arguments, which is compared over the ranks. Nested
 * calls belong to the outermost. Fails if the context is broken, or, with GNDM_CHECK_CALLS, if the
 * ranks call different functions. Each needs one gndm__leave, also if it failed. In between, gnd's
 * arrays and distributed arrays belong to scopes of the call: nothing is released by hand. */
gnd_status gndm__enter(gndm_ctx *c, const char *func, const char *fmt, ...) GND_PRINTF(3, 4);
/* Ends a call. result (may be NULL) is kept for the caller; returns it. */
gndm_array *gndm__leave(gndm_ctx *c, gndm_array *result);
/* The same status on all ranks: GND_OK if all pass GND_OK, else that of the lowest rank which
 * failed, with its message and its name. Collective; also finds different calls. */
gnd_status gndm__agree(gndm_ctx *c, gnd_status st, const char *message);

/* --- waiting (wait.c) ------------------------------------------------------------------------- */

/* Waits until all n requests are done, for at most the context's timeout, and answers ranks that
 * ask who is there. On failure the requests stay under way: their memory must not be freed. */
gnd_status gndm__wait(gndm_ctx *c, int n, MPI_Request *req);
/* One look around in a wait for something else than requests: GND_OK, or the end of the wait.
 * Zero-initialize *p when something has happened. */
typedef struct gndm__patience {
    unsigned looks;
    double began;
} gndm__patience;
gnd_status gndm__idle(gndm_ctx *c, gndm__patience *p);
/* Seconds of a clock that only goes on. */
double gndm__now(void);
/* Collectives of small host data on top of it. */
gnd_status gndm__allreduce(gndm_ctx *c, void *data, int n, MPI_Datatype t, MPI_Op op);
gnd_status gndm__bcast(gndm_ctx *c, void *data, int64_t nbytes, int root);
gnd_status gndm__allgather(gndm_ctx *c, const void *mine, void *all, int nbytes);
gnd_status gndm__barrier(gndm_ctx *c, MPI_Comm comm);

/* --- partitions (part.c) ---------------------------------------------------------------------- */

/* A partition without cuts (replicated), to be filled. Never NULL. */
gndm_part *gndm__part_new(gndm_ctx *c, int ndim, const int64_t *shape);
gndm_part *gndm__part_fail(gnd_status st, const char *message);
gndm_part *gndm__part_retain(gndm_part *p);
/* Splits axis d of a new partition into grid intervals, with coordinates by stride; cut is copied.
 * 0, or -1 without memory. */
int gndm__part_split(gndm_part *p, int d, int grid, int stride, const int64_t *cut);
int gndm__part_same(const gndm_part *a, const gndm_part *b);
int gndm__part_coord(const gndm_part *p, int rank, int d);
void gndm__part_box(const gndm_part *p, int rank, gndm__box *b);
int gndm__part_split_anywhere(const gndm_part *p);
/* Axes `from` (its number in p, or -1: a new whole axis) as the axes of a new partition of shape.
 * An axis whose extent differs from p's becomes whole. */
gndm_part *gndm__part_axes(gndm_ctx *c, const gndm_part *p, int ndim, const int64_t *shape,
                           const int *from);
/* Even cuts of n elements into k. cut has k + 1 entries. */
void gndm__even_cuts(int64_t n, int k, int64_t *cut);
int64_t gndm__product(int n, const int64_t *dim);
int gndm__box_empty(int ndim, const gndm__box *b);
int64_t gndm__box_size(int ndim, const gndm__box *b);

/* --- arrays (array.c) ------------------------------------------------------------------------- */

/* A new array of part (retained) and local (retained). Never NULL. */
gndm_array *gndm__array(gndm_ctx *c, gnd_dtype t, gndm_part *part, gnd_array *local);
/* An array with an error that all ranks know: the context's message. */
gndm_array *gndm__error(gndm_ctx *c, gnd_status st);
/* st of x and its message in the context. */
gnd_status gndm__check(gndm_ctx *c, const gndm_array *x);
/* Evaluates the local parts and agrees on the result. */
gnd_status gndm__settle(gndm_ctx *c, int n, gndm_array *const *x);
/* "(3, 4)" */
enum { GNDM_SHAPE_TEXT = 24 * GND_MAX_NDIM };
const char *gndm__shape_text(char *buf, int ndim, const int64_t *shape);
/* The box of a gnd array, lazily: a view, or x itself. origin (NULL: zeros) is where x begins. */
gnd_array *gndm__boxed(gnd_array *x, int ndim, const gndm__box *box, const int64_t *origin);

/* --- moving (move.c) -------------------------------------------------------------------------- */

/* On each rank r the box want[r] of x, which may overlap those of others. The result is the rank's
 * own, a gnd array of the call's scope, and may hold the rank's own error. The status is the same
 * on all ranks. No message is sent if every rank has what it wants. */
gnd_status gndm__fetch(gndm_ctx *c, gndm_array *x, const gndm__box *want, gnd_array **out);
/* Several boxes for each rank: box i < n of a rank, which may be empty. meanwhile (may be NULL) is
 * called when all that this rank sends has left its device and nothing has come yet: what it starts
 * there runs beside the exchange. */
typedef struct gndm__wish {
    int n;
    void (*box)(const void *data, int rank, int i, gndm__box *b);
    const void *data;
    void (*meanwhile)(const void *data);
} gndm__wish;
/* The same for all boxes, in one exchange: out has n entries. */
gnd_status gndm__fetch_boxes(gndm_ctx *c, gndm_array *x, const gndm__wish *wish, gnd_array **out);
/* Whether gndm__fetch would send nothing. */
int gndm__fetch_is_local(const gndm_part *p, const gndm__box *want);
/* Whether x is split, has at least one axis, and its copy on every rank is small; and that copy, by
 * one all-gather (gather.c). The status is the same on all ranks. */
int gndm__is_small(const gndm_array *x, const gndm_part *to);
gnd_status gndm__gather_small(gndm_ctx *c, gndm_array *x, gnd_array **out);
/* x in partition part, for functions that are inside a call. Never NULL. */
gndm_array *gndm__moved(gndm_ctx *c, gndm_array *x, gndm_part *part);

/* --- speeds (speeds.c) ------------------------------------------------------------------------ */
gnd_status gndm__measure(gndm_ctx *c);

#endif
