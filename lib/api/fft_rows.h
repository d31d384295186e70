/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/fft_rows.h - a transform along the last axis, of any length.
 */
#ifndef GND_API_FFT_ROWS_H
#define GND_API_FFT_ROWS_H

#include "graph/graph.h"

/* As gnd__fft_node over the last axis (prim/fft.h), for every n >= 1. x is of a device, its last axis has
 * the extent that kind and n ask for. The temporary arrays belong to the caller's scope. */
gnd_array *gnd__fft_rows(gnd_array *x, gnd_dtype t, int kind, int inverse, int64_t n, double scale);
/* Whether dev has a library that transforms over the last `rank` axes at once. */
int gnd__fft_library(gnd_device *dev, gnd_dtype t, int rank);

#endif
