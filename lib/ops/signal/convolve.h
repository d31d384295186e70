/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/convolve.h - the description of one convolution, passed from the public functions
 * (ops/signal/convolve.c) to the methods that compute it (ops/signal/ways.c).
 */
#ifndef GND_OPS_SIGNAL_CONVOLVE_H
#define GND_OPS_SIGNAL_CONVOLVE_H

#include "graph/graph.h"
#include <gnd/signal.h>

/* Along a convolved axis d the wanted results are lo[d] to lo[d] + count[d] - 1 of the full
 * x->dim[d] + k->dim[d] - 1. Along other axes x and k broadcast, and all results are wanted. */
typedef struct gnd__conv {
    gnd_array *x, *k; /* not empty; with one dtype and equal numbers of dimensions */
    uint32_t axes;    /* bits: the convolved axes, none of extent 1 */
    int64_t lo[GND_MAX_NDIM], count[GND_MAX_NDIM];
    gnd_conv_method method;
} gnd__conv;

/* The result, of x's dtype, or an error. Intermediate arrays belong to the caller's scope. AUTO and
 * DIRECT accept every dtype; the transforms accept floats and complex numbers except those of 16
 * bits. */
gnd_array *gnd__convolved(const gnd__conv *c);

#endif
