/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/fft.h - Fourier transforms of rows as nodes.
 */
#ifndef GND_PRIM_FFT_H
#define GND_PRIM_FFT_H

#include "graph/graph.h"

/* The longest row of complex dtype t for compositions, which one kernel of ours transforms on a
 * device with these properties; and whether n has no prime factor over 13 (127 on CPUs), which that
 * kernel requires.
 */
int64_t gnd__fft_longest(const gnd_props *props, gnd_dtype t);
int gnd__fft_smooth(int64_t n);
/* Whether one kernel of ours does a transform of that kind and length; cpu: in the form for CPUs.
 */
int gnd__fft_direct(const gnd_props *props, int cpu, gnd_dtype t, int kind, int64_t n);

/* The transform over the last `rank` axes (1 unless the backend has a library) of x, times scale.
 * kind: GND_FFT_C2C (x complex; result of x's shape), GND_FFT_R2C (x real; the result's last axis
 * is n/2 + 1) or GND_FFT_C2R (x complex with a last axis of n/2 + 1; real result with last axis n).
 * n: length of the last axis on the real side. t: the complex dtype. stored: x is first stored in
 * memory; otherwise it is computed where it is read. */
gnd_array *gnd__fft_node(gnd_array *x, gnd_dtype t, int kind, int inverse, int rank, int64_t n,
                         double scale, int stored);

#endif
