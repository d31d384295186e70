/* SPDX-License-Identifier: BSD-3-Clause
 *
 * speeds.h - what speeds.c, which keeps the speeds and divides work by them, and rates.c, which
 * measures them, share.
 */
#ifndef GNDM_SPEEDS_H
#define GNDM_SPEEDS_H

#include "ctx.h"

/* Ranks that share what a rank computes with. */
typedef struct gndm__turns {
    int index; /* number of this rank among those on its GPU; 0 if it is the only one */
    int most;  /* the largest number of ranks on a GPU, 1: none is shared. The same on all ranks */
    int alike; /* number of ranks on this host with a device of this name: those of a CPU share its
                  cache */
} gndm__turns;

/* What a rank measures. Bytes (of products, operations) per second, and seconds. */
typedef struct gndm__rates {
    double bandwidth, sums, flops, link; /* while all ranks compute, or send */
    double latency;                      /* before a sum begins and after it ends */
    double bandwidth_alone, sums_alone;  /* while other ranks on the same GPU wait; 0: it waits */
    double turn; /* what a small sum takes longer if the others on the same GPU do one, too */
} gndm__rates;

/* Measures. All ranks call it; the status is the same on all. */
gnd_status gndm__measure_rates(gndm_ctx *c, const gndm__turns *turns, gndm__rates *y);

#endif
