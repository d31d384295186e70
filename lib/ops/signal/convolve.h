/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/convolve.h - the description of one convolution, passed from the public functions
 * (ops/signal/convolve.c) to the methods that compute it (ops/signal/ways.c).
 */
#ifndef GND_OPS_SIGNAL_CONVOLVE_H
#define GND_OPS_SIGNAL_CONVOLVE_H

#include "graph/graph.h"
#include <gnd/signal.h>

/* Along an axis d that is convolved, the results are numbers lo to lo + count of the full
 * x->dim[d] + k->dim[d] - 1; along the others x and k broadcast and all are wanted. */
typedef struct gnd__conv {
    gnd_array *x, *k; /* of equally many dimensions and one dtype, not empty */
    uint32_t axes;    /* those that are convolved, none of extent 1 */
    int64_t lo[GND_MAX_NDIM], count[GND_MAX_NDIM];
    gnd_conv_method method;
} gnd__conv;

/* The result, of x's dtype, or an error. Intermediate arrays belong to the caller's scope. AUTO and
 * DIRECT accept every dtype; the transforms accept floats and complex numbers except those of 16
 * bits. */
gnd_array *gnd__convolved(const gnd__conv *c);

#endif
