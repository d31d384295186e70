/* SPDX-License-Identifier: BSD-3-Clause
 *
 * move.h - the mover's two halves: what is sent is packed and sent, and what was received is put
 * together. In between, other exchanges may begin (stages.c).
 */
#ifndef GNDM_MOVE_H
#define GNDM_MOVE_H

#include "nccl.h"

/* The state of a fetch. where[r] is the place of rank r, and nth[r] its number among the ranks of
 * that place; count[i] is the number of ranks of place i; order lists the ranks by their places. */
typedef struct gndm__fetching {
    gndm_ctx *c;
    gndm_array *x;
    const gndm__wish *wish;
    int local; /* nothing is sent */
    gndm__parcel *out, *in;
    int *where, *nth, *count, *order;
    int event; /* 0, or that of an exchange by NCCL that gnd's stream does not wait for yet */
} gndm__fetching;

/* Packs and sends. wish must live until the end. The status is the same on all ranks. After a
 * failure only gndm__fetch_free follows. */
gnd_status gndm__fetch_begin(gndm_ctx *c, gndm_array *x, const gndm__wish *wish, gndm__fetching *q);
/* Sets out[i] to box i of this rank, which may hold an error of this rank alone, and frees q. */
void gndm__fetch_end(gndm__fetching *q, gnd_array **out);
void gndm__fetch_free(gndm__fetching *q);

enum { GNDM__STAGES = 8 };
/* A move that makes axis `at` of a distributed array whole and splits others. */
typedef struct gndm__staged {
    int n;                      /* stages, 1 .. GNDM__STAGES: gndm__stages */
    gnd_array *local;           /* this rank's part of an array from which the moved one is made */
    int d;                      /* the axis of `local` that is cut into chunks */
    const gndm_part *from, *to; /* of the moved array */
    int at;                     /* its axis that has the elements of axis d: split in `from` */
    gnd_dtype dtype;            /* of the moved array */
    gnd_array *(*work)(gnd_array *chunk, void *data); /* makes a chunk of the moved array; begins
                                                         to compute it */
    void *data;
} gndm__staged;

/* *out: this rank's part in partition s->to, which may hold an error of this rank alone. The status
 * is the same on all ranks. */
gnd_status gndm__in_stages(gndm_ctx *c, const gndm__staged *s, gnd_array **out);
/* The number of stages that pay for moving an array of partition p. The same on all ranks. */
int gndm__stages(const gndm_ctx *c, const gndm_part *p, gnd_dtype t);

#endif
