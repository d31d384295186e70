/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - how elements of arrays get from one rank to another. A transport is a row of the
 * table in transport.c; the layers above handle boxes of arrays and never buffers. The first usable
 * row is taken, the same on all ranks. Between ranks of one group, NCCL and copies between GPUs
 * come before it (nccl.h).
 */
#ifndef GNDM_TRANSPORT_H
#define GNDM_TRANSPORT_H

#include "ctx.h"

/* One message of an exchange: the elements of a box in C order, to or from a rank. */
typedef struct gndm__parcel {
    int peer;
    int64_t n;    /* number of elements; 0: no message */
    gnd_array *x; /* to send: an evaluated array of n elements. Received: a 1-d array of n elements,
                     or an error of this rank alone */
    int hosted;   /* the elements are sent from `host`, and received there */
    char *host;   /* malloc'ed. The caller frees it, also that of received elements */
    int64_t taken;    /* for use by the caller */
    gnd_array *of;    /* to send, or NULL: an evaluated vector of which x is the elements from .. */
    int64_t from;     /* from + n - 1. What lies one after the other is copied at once */
    int direct;       /* NCCL or peer.c moves it: the caller asks gndm__nccl_reaches(peer) */
    uint64_t address; /* of its elements on the device, then, and after gndm__place_parcels */
    char *at;         /* of exchange.c: its elements in memory that MPI uses, or NULL */
    gnd_array **got;  /* of exchange.c: the chunks that came through staging memory */
} gndm__parcel;

typedef struct gndm__transport {
    const char *name;
    /* Whether this rank can use the transport. Called once, by all ranks at the same time. */
    int (*usable)(gndm_ctx *c);
    /* Sends out[k], and receives in[k], for the steps k = 1 .. size - 1 of a schedule: out[k].peer
     * is rank + k, in[k].peer is rank - k. All ranks call it. */
    gnd_status (*exchange)(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
} gndm__transport;

/* The transports, best first; a NULL name ends the table. */
extern const gndm__transport gndm__transports[];
/* Moves the parcels; all ranks call it after gndm__nccl_prepare and an agreement. Parcels with
 * `direct` may still be on their way: work of gnd's stream waits for them. The status is the same
 * on all ranks. */
gnd_status gndm__exchange(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
/* Agrees that all ranks have started their part of NCCL's work. After a failure NCCL is given up.
 */
gnd_status gndm__started(gndm_ctx *c, gnd_status st, const char *text);
/* The exchange of a context of which some ranks give MPI device memory: those with c->cu. */
gnd_status gndm__by_device(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
/* For a rank with c->cu: sets the addresses of what MPI sends and receives, and waits until they
 * may be used. Work that begins afterwards goes on during the exchange. Fails if the device does.
 */
gnd_status gndm__place_parcels(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
/* Tests whether this rank can give device memory to MPI (c->cu, c->aware). All ranks call it.
 * Fails, on all ranks, only if GND_MPI_CUDA requires it or MPI fails (aware.c). */
gnd_status gndm__aware_open(gndm_ctx *c);
/* Moves the parcels without `direct` by MPI. mapped: MPI may use the memory of the device, which is
 * that of the host. The status is the same on all ranks (exchange.c). */
gnd_status gndm__by_messages(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                             int mapped);
/* The address of an evaluated array's elements, if they are in C order in host memory; else NULL.
 */
char *gndm__memory_of(gnd_array *x);
/* Frees the staging memory and the streams of its copies. A later message makes them again. */
void gndm__ring_free(gndm_ctx *c);
/* Chooses the context's transport. */
gnd_status gndm__choose_transport(gndm_ctx *c);

#endif
