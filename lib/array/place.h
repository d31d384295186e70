/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/place.h - where an array's elements are: what reading, uploading and moving share. In eval.c.
 */
#ifndef GND_ARRAY_PLACE_H
#define GND_ARRAY_PLACE_H

#include "device/device.h"
#include "graph/graph.h"

/* A GND__DATA node with memory of its own on the device, in C order, into which nothing was put yet; one
 * new handle, or an error node. */
gnd_array *gnd__placed(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim);
/* Evaluates x (of a device, whose lock is held) and gives a node with its elements in C order, maybe x
 * itself, with a reference for the caller. Failures are kept with x. */
gnd_status gnd__ready(gnd_array *x, gnd_array **c, gnd_err *e);
/* The end of reading x's elements with status st, lock held: whether what x was computed from was in
 * range, as far as only the device knew. A failure of either is kept with x, and returned. */
gnd_status gnd__passed(gnd_array *x, gnd_status st, gnd_err *e);

/* A GND__DATA node with a copy of the host's elements (C order) on the device; one new handle, or an
 * error node. Bools are 0 or 1. `contiguous` may be NULL when the array is empty. */
gnd_array *gnd__upload(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const void *contiguous);

#endif
