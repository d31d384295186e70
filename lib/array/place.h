/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/place.h - placement of elements, shared by reading, uploading and moving. Implemented in
 * eval.c.
 */
#ifndef GND_ARRAY_PLACE_H
#define GND_ARRAY_PLACE_H

#include "device/device.h"
#include "graph/graph.h"

/* A GND__DATA node with uninitialised memory of its own on the device, in C order; a new handle or
 * an error node. */
gnd_array *gnd__placed(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim);
/* Evaluates x (of a device whose lock is held) and gives a node with its elements in C order,
 * possibly x itself, with a reference for the caller. Failures are stored in x. */
gnd_status gnd__ready(gnd_array *x, gnd_array **c, gnd_err *e);
/* The same for x itself, with any layout. */
gnd_status gnd__elements(gnd_array *x, gnd_err *e);
/* Ends a read of x's elements with status st, under the lock: checks whether all indices that only
 * the device could check were in range. A failure of either is stored in x and returned. */
gnd_status gnd__passed(gnd_array *x, gnd_status st, gnd_err *e);

/* NULL, or what is wrong with the arguments of func, a function like gnd_from. */
gnd_array *gnd__check_from(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                           const int64_t *shape, const void *data);
/* A GND__DATA node with a copy of the host's elements (C order) on the device; a new handle or an
 * error node. Bools must be 0 or 1. `contiguous` may be NULL if the array is empty. */
gnd_array *gnd__upload(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const void *contiguous);

#endif
