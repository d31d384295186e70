/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.h - how elements of arrays get from one rank to another. A transport is a row of the
 * table in transport.c; what is above it names boxes of arrays and never buffers. A transport that
 * is better than MPI between the ranks of a context (NCCL, MPI that reads device memory) is another
 * row, before these: the first usable one is taken, the same on all ranks that exchange.
 */
#ifndef GNDM_TRANSPORT_H
#define GNDM_TRANSPORT_H

#include "ctx.h"

/* One message of an exchange: a box of elements in C order, to or from a rank. */
typedef struct gndm__parcel {
    int peer;
    int64_t n;    /* elements; 0: no message */
    gnd_array *x; /* to send: any shape of n elements, evaluated. Received: 1-d, of n elements; or
                     an error of this rank alone */
    int hosted;   /* the elements are in host memory: sent from there, received there */
    char *host;   /* malloc'ed: of the caller to send; of the transport, for the caller, received */
    int64_t taken; /* for the caller */
} gndm__parcel;

typedef struct gndm__transport {
    const char *name;
    /* Whether this rank can use it. Called once, by all ranks at the same time. */
    int (*usable)(gndm_ctx *c);
    /* Sends out[k] to, and receives in[k] from rank in[k].peer, for the steps k = 1 .. size - 1 of
     * a schedule: out[k].peer is rank + k, in[k].peer is rank - k. All ranks call it. */
    gnd_status (*exchange)(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in);
} gndm__transport;

/* The transports, the best first; ends with a NULL name. */
extern const gndm__transport gndm__transports[];
/* Sets the context's transport. */
gnd_status gndm__choose_transport(gndm_ctx *c);

#endif
