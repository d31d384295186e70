/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/choices.h - what a device is good at, for functions that have several ways to make their nodes.
 */
#ifndef GND_PRIM_CHOICES_H
#define GND_PRIM_CHOICES_H

#include <gnd/backend.h>

/* Whether kernels for dev have the shape for CPUs: by its kind, unless GND_KERNEL_SHAPE says another. */
int gnd__for_cpu(const gnd_device *dev);
/* Whether dev has a library that transforms over the last `rank` axes at once. Takes its lock. */
int gnd__fft_library(gnd_device *dev, gnd_dtype t, int rank);
/* Whether s is done on dev, by its library or in blocks; the other way is LAPACK on the host. Takes its lock. */
int gnd__solve_native(gnd_device *dev, const gnd_solve_desc *s);

#endif
