/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/choices.h - properties of a device that decide between several ways to make nodes, for the
 * rooms of functions.
 */
#ifndef GND_PRIM_CHOICES_H
#define GND_PRIM_CHOICES_H

#include <gnd/backend.h>

/* Whether dev's kernels take the form for CPUs: by the device's kind, unless GND_KERNEL_SHAPE
 * overrides it. */
int gnd__for_cpu(const gnd_device *dev);
/* Whether dev has a library that transforms the last `rank` axes at once. Takes its lock. */
int gnd__fft_library(gnd_device *dev, gnd_dtype t, int rank);
/* Whether s is computed on dev, by its library or in blocks. Otherwise LAPACK computes it on the
 * host. Takes its lock. */
int gnd__solve_native(gnd_device *dev, const gnd_solve_desc *s);
/* Whether dev's kernels compete with a library for products, so that the tuned parameters
 * library_f32
 * ... count. This loads the library. dev is locked. */
int gnd__library_competes(gnd_device *dev);

#endif
