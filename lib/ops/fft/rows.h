/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/fft/rows.h - a transform along the last axis, of any length.
 */
#ifndef GND_OPS_FFT_ROWS_H
#define GND_OPS_FFT_ROWS_H

#include "graph/graph.h"

/* Like gnd__fft_node over the last axis (prim/fft.h), for every n >= 1. x is of a device, and
 * its last axis has the extent that kind and n require. Temporary arrays belong to the caller's
 * scope. */
gnd_array *gnd__fft_rows(gnd_array *x, gnd_dtype t, int kind, int inverse, int64_t n, double scale);
/* An order of n elements: a function that gives the positions (int64) of the elements at k. */
typedef gnd_array *gnd__fft_order(gnd_array *k, int64_t n);
/* The elements `at` (int64, 1-d) of each row of a transform of n reals, which has n / 2 + 1, of x
 * in that order. */
gnd_array *gnd__fft_some(gnd_array *x, gnd__fft_order *order, gnd_dtype t, int64_t n, double scale,
                         gnd_array *at);
/* exp(-2 pi i k/n), complex of dtype t, for int64 k in [0, n). */
gnd_array *gnd__fft_spins(gnd_array *k, int64_t n, gnd_dtype t);
/* A complex array of dtype t from its parts, of t's real dtype and one shape. */
gnd_array *gnd__fft_paired(gnd_array *re, gnd_array *im, gnd_dtype t);
/* Whether transforms of n elements are composed of few distinct kernels (CPUs). */
int gnd__fft_few(const gnd_device *dev, int64_t n);
/* x with extent n along an axis: truncated, or padded with zeros. */
gnd_array *gnd__fft_fitted(gnd_array *x, int axis, int64_t n);
/* The complex dtype of transforms of elements of dtype t on dev. */
gnd_dtype gnd__fft_dtype(const gnd_device *dev, gnd_dtype t);

#endif
