/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/native.h - arrays on memory of other libraries, and where the elements of arrays are:
 * shared by array/native.c, array/dlpack.c and array/dlpack_share.c.
 */
#ifndef GND_ARRAY_NATIVE_H
#define GND_ARRAY_NATIVE_H

#include "device/gate.h"
#include "graph/graph.h"

/* The layout of elements, in elements from the first: strides, the lowest and the highest offset,
 * and whether they are in C order without gaps. */
typedef struct gnd__reach {
    int64_t stride[GND_MAX_NDIM], low, high;
    int contig;
} gnd__reach;

/* Computes the layout of a valid shape with elements; stride NULL: C order. Returns -1 if the reach
 * in bytes does not fit 64 bits. */
int gnd__reach_of(int ndim, const int64_t *shape, const int64_t *stride, size_t esize,
                  gnd__reach *r);
/* An array of the elements in block b, which it takes; element (0, 0, ...) is number `off` of the
 * block. After a failure returns NULL, *e is GND_ERR_NOMEM, and b is freed. The device is locked.
 */
gnd_array *gnd__on_block(gnd_device *dev, gnd__block *b, gnd_dtype t, int ndim,
                         const int64_t *shape, const gnd__reach *r, int64_t off, gnd_err *e);
/* An array on foreign memory; first is the position of its first element. It has elements, and
 * everything except the memory is checked. On failure returns NULL; *e says why, without the name
 * of a public function, and release was not called. */
gnd_array *gnd__on_memory(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          const gnd__reach *r, const gnd_mem_native *first,
                          gnd__release_fn *release, void *ctx, gnd_err *e);
/* Evaluates x, an array of a device, and sets *m to where its first element is. *m is zero if it
 * has no elements. The checks of its elements have passed. Device lock held. */
gnd_status gnd__memory_of(gnd_array *x, gnd_mem_native *m, gnd_err *e);
/* Stride d of x, which has its elements, in elements. */
int64_t gnd__stored_stride(const gnd_array *x, int d);

#endif
