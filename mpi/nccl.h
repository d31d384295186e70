/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nccl.h - NCCL below the exchanges of ranks that share a node and have CUDA devices of their own.
 * NCCL and CUDA's driver are loaded when a context is opened; libgnd-mpi links neither, and works
 * without them. gnd/native.h tells where elements are and in which stream gnd works.
 *
 * The data of an exchange goes through a stream of NCCL's: it waits until gnd's stream has computed
 * what is sent, and later work of gnd's stream waits for it. So the host does not wait, and work
 * that is given to gnd's stream in between overlaps with the exchange.
 */
#ifndef GNDM_NCCL_H
#define GNDM_NCCL_H

#include "transport.h"

/* --- the libraries (nccl_load.c) -------------------------------------------------------------- */

typedef struct gndm__nccl_id {
    char bytes[128];
} gndm__nccl_id;

/* X(result, name, parameters): the functions, without the prefixes nccl and cu. Results are 0 for
 * success. */
#define GNDM__NCCL_LIST(X)                                                                         \
    X(int, GetVersion, (int *))                                                                    \
    X(int, GetUniqueId, (gndm__nccl_id *))                                                         \
    X(int, CommInitRank, (void **, int, gndm__nccl_id, int))                                       \
    X(int, CommDestroy, (void *))                                                                  \
    X(int, CommAbort, (void *))                                                                    \
    X(int, CommGetAsyncError, (void *, int *))                                                     \
    X(const char *, GetErrorString, (int))                                                         \
    X(int, GroupStart, (void))                                                                     \
    X(int, GroupEnd, (void))                                                                       \
    X(int, Send, (const void *, size_t, int, int, void *, void *))                                 \
    X(int, Recv, (void *, size_t, int, int, void *, void *))                                       \
    X(int, AllReduce, (const void *, void *, size_t, int, int, void *, void *))                    \
    X(int, ReduceScatter, (const void *, void *, size_t, int, int, void *, void *))                \
    X(int, AllGather, (const void *, void *, size_t, int, void *, void *))
#define GNDM__CU_LIST(X)                                                                           \
    X(int, CtxPushCurrent, "_v2", (void *))                                                        \
    X(int, CtxPopCurrent, "_v2", (void **))                                                        \
    X(int, GetErrorName, "", (int, const char **))                                                 \
    X(int, StreamCreateWithPriority, "", (void **, unsigned, int))                                 \
    X(int, StreamDestroy, "_v2", (void *))                                                         \
    X(int, StreamWaitEvent, "", (void *, void *, unsigned))                                        \
    X(int, EventCreate, "", (void **, unsigned))                                                   \
    X(int, EventDestroy, "_v2", (void *))                                                          \
    X(int, EventRecord, "", (void *, void *))                                                      \
    X(int, EventQuery, "", (void *))

/* What peer.c needs besides; drivers before CUDA 11.7 lack some. Addresses of the device are ints.
 */
typedef struct gndm__ipc_handle {
    char bytes[64];
} gndm__ipc_handle;
#define GNDM__PEER_LIST(X)                                                                         \
    X(int, MemAlloc, "_v2", (uint64_t *, size_t))                                                  \
    X(int, MemFree, "_v2", (uint64_t))                                                             \
    X(int, IpcGetMemHandle, "", (gndm__ipc_handle *, uint64_t))                                    \
    X(int, IpcOpenMemHandle, "_v2", (uint64_t *, gndm__ipc_handle, unsigned))                      \
    X(int, IpcCloseMemHandle, "", (uint64_t))                                                      \
    X(int, MemcpyDtoDAsync, "_v2", (uint64_t, uint64_t, size_t, void *))                           \
    X(int, StreamWaitValue32, "_v2", (void *, uint64_t, uint32_t, unsigned))                       \
    X(int, StreamWriteValue32, "_v2", (void *, uint64_t, uint32_t, unsigned))                      \
    X(int, MemHostRegister, "_v2", (void *, size_t, unsigned))                                     \
    X(int, MemHostGetDevicePointer, "_v2", (uint64_t *, void *, unsigned))                         \
    X(int, MemHostUnregister, "", (void *))

typedef struct gndm__cuda {
#define X(result, name, suffix, parameters) result(*name) parameters;
    GNDM__CU_LIST(X)
#undef X
} gndm__cuda;

typedef struct gndm__peer_functions {
#define X(result, name, suffix, parameters) result(*name) parameters;
    GNDM__PEER_LIST(X)
#undef X
} gndm__peer_functions;

typedef struct gndm__nccl_library {
#define X(result, name, parameters) result(*name) parameters;
    GNDM__NCCL_LIST(X)
#undef X
    gndm__cuda cu;
    gndm__peer_functions peer;
    char no_peer[GNDM_WHY]; /* why some of them are missing; "" */
    int version;            /* 10000 * major + 100 * minor + patch */
} gndm__nccl_library;

/* Loads both once for the process. NULL: *why (size bytes) has the reason. */
const gndm__nccl_library *gndm__nccl_load(char *why, size_t size);

/* The same of CUDA's driver alone. */
const gndm__cuda *gndm__cuda_load(char *why, size_t size);

/* --- groups (nccl.c) -------------------------------------------------------------------------- */

enum { GNDM__NCCL_EVENTS = 17 };

/* The communicator of this rank's group. */
struct gndm__nccl {
    const gndm__nccl_library *lib;
    void *comm, *stream, *ready, *context;
    void *done[GNDM__NCCL_EVENTS]; /* ends of exchanges: [0], or while exchanges are held, [1] .. */
    int last;                      /* index of the event that was recorded last */
    int held;
    int pending;               /* it was recorded, and the host has not seen it yet */
    struct gndm__peers *peers; /* copies between the GPUs of the group, or NULL: all by NCCL */
    int *index; /* number in the group of each rank of the context; -1: in another group or none */
};

/* Forms the groups; all ranks of the context call it. Without NCCL c->nccl stays NULL, and c->why
 * says why. Fails, on all ranks, only if GND_MPI_NCCL requires NCCL or MPI fails. */
gnd_status gndm__nccl_open(gndm_ctx *c);
void gndm__nccl_close(gndm_ctx *c);
/* Gives up NCCL on all ranks, which have agreed on a failure; exchanges go through MPI afterwards.
 */
void gndm__nccl_drop(gndm_ctx *c, const char *why);

/* --- exchanges (nccl_move.c) ------------------------------------------------------------------ */

/* The address of x's elements in C order, in memory that lives as long as the call. A failure is
 * the context's message. */
gnd_status gndm__address_of(gndm_ctx *c, gnd_array *x, uint64_t *address);
/* Whether all ranks of the context are one group. The same on all ranks. */
int gndm__nccl_covers(const gndm_ctx *c);
/* Whether this rank exchanges with `peer` by NCCL. */
int gndm__nccl_reaches(const gndm_ctx *c, int peer);
/* This rank's preparation of an exchange, before its agreement. Enqueues what is sent to ranks of
 * the group (parcels with `direct`) and makes the arrays that receive. Work that gnd's stream gets
 * from here to gndm__nccl_start overlaps with the exchange. A failure is this rank's alone; its
 * text is gnd_message(). */
gnd_status gndm__nccl_prepare(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
/* Starts the exchange. A failure is this rank's alone. */
gnd_status gndm__nccl_start(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                            char *text, size_t size);
/* Waits until the last exchange is complete, for the context's time limit. A rank whose device
 * fails meanwhile would leave the others waiting in their streams; this wait ends them. */
gnd_status gndm__nccl_settle(gndm_ctx *c);

/* Whether the last exchange ends within a time. */
int gndm__nccl_arrives(gndm_ctx *c, double seconds);

/* on 1: gnd's stream does not wait for the exchanges that start from here on, at most
 * GNDM__NCCL_EVENTS - 1, until gndm__nccl_release. on 0: it waits at once, as usual. */
void gndm__nccl_hold(gndm_ctx *c, int on);
/* The event of the exchange that was started last, if exchanges are held, or 0. */
int gndm__nccl_held(const gndm_ctx *c);
/* Makes gnd's stream wait for an exchange that was held. A failure is this rank's alone; its text
 * is the context's message. */
gnd_status gndm__nccl_release(gndm_ctx *c, int event);

/* The reductions, with NCCL's numbers. */
enum { GNDM__NCCL_SUM = 0, GNDM__NCCL_PROD = 1, GNDM__NCCL_MAX = 2, GNDM__NCCL_MIN = 3 };
/* Whether NCCL reduces dtype t by `op` as gnd does. */
int gndm__nccl_knows(gnd_dtype t, int op);
/* All ranks of the context call the next three; those without a group only agree, and *out is x. A
 * status is the same on all ranks.
 * *out: the elementwise reduction of the arrays x of this rank's group, which have one shape. The
 * bits are the same on all ranks of the group. */
gnd_status gndm__nccl_reduce(gndm_ctx *c, gnd_array *x, int op, gnd_array **out);
/* The same of vectors; this rank gets the n elements of its place in the group. */
gnd_status gndm__nccl_scatter(gndm_ctx *c, gnd_array *x, int op, int64_t n, gnd_array **out);
/* *out: the vectors x of the group, one after the other: n elements. */
gnd_status gndm__nccl_gather(gndm_ctx *c, gnd_array *x, int64_t n, gnd_array **out);

/* --- copies between the GPUs of a group (peer.c) ---------------------------------------------- */

/* Opens them in all groups; all ranks of the context call it. A failure is one of all ranks. After
 * it, too, gndm__peers_free is needed. least: the bytes of the smallest message. */
gnd_status gndm__peers_open(gndm_ctx *c, int64_t least);
/* The bytes of the smallest message from here on. The same on all ranks. */
void gndm__peers_least(gndm_ctx *c, int64_t least);
/* Waits until nothing is under way. stuck: the last exchange may have begun on some ranks only. */
void gndm__peers_stop(gndm_ctx *c, int stuck);
/* Frees this rank's part after gndm__peers_stop, and after kernels of NCCL that may never end: the
 * driver may wait for these. Collective, unless the context is unusable; NULL: a rank of no group.
 */
void gndm__peers_free(gndm_ctx *c, struct gndm__peers *q);
/* Remembers what has been sent: an exchange begins. */
void gndm__peers_mark(gndm_ctx *c);
/* Whether a message goes there: the same at both ends. */
int gndm__peers_carry(const gndm_ctx *c, const gndm__parcel *p, gnd_dtype t);
/* Starts these messages; NCCL's stream waits until they are complete. CUDA's context is current. A
 * failure is this rank's alone. */
gnd_status gndm__peers_start(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                             char *text, size_t size);

/* --- all-reduces (hier.c) --------------------------------------------------------------------- */

/* Whether gndm__all_reduce combines arrays of n elements of dtype t. The same on all ranks. */
int gndm__all_reduces(const gndm_ctx *c, gnd_dtype t, int op, int64_t n);
/* *out: the elementwise reduction of the arrays x of all ranks, which have one shape of n elements.
 * The bits are the same on all ranks. The status is the same on all ranks. */
gnd_status gndm__all_reduce(gndm_ctx *c, gnd_array *x, int64_t n, int op, gnd_array **out);

#endif
