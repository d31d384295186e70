/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/shape.h - shapes, strides and axes as pure functions. Strides are in elements.
 */
#ifndef GND_BASE_SHAPE_H
#define GND_BASE_SHAPE_H

#include <gnd/types.h>
#include "base/strbuf.h"

typedef struct gnd__shape {
    int ndim;
    int64_t dim[GND_MAX_NDIM];
} gnd__shape;

/* A strided view of a buffer: element (i0, i1, ...) is at off + sum(i_k * stride[k]). */
typedef struct gnd__layout {
    int ndim;
    int64_t dim[GND_MAX_NDIM];
    int64_t stride[GND_MAX_NDIM];
    int64_t off;
} gnd__layout;

/* Number of elements; -1 when it (or its byte count for elements of esize bytes) overflows int64. */
int64_t gnd__shape_size(int ndim, const int64_t *dim, size_t esize);
/* "(3, 4)", "(3,)", "()" appended. */
void gnd__shape_print(gnd__str *b, int ndim, const int64_t *dim);
/* Broadcasts b into a. 0, or -1 when the shapes do not fit. */
int gnd__shape_broadcast(gnd__shape *a, const gnd__shape *b);
/* A C-contiguous layout of that shape at offset 0. */
void gnd__layout_contig(gnd__layout *l, const gnd__shape *s);
/* Whether l is C-contiguous (dimensions of extent 1 do not count; empty is contiguous). */
int gnd__layout_is_contig(const gnd__layout *l);
/* Reshapes l to s (same number of elements) without moving data, as NumPy does. 1 done, 0 cannot. */
int gnd__layout_reshape(gnd__layout *l, const gnd__shape *s);
/* The set axes as a mask over ndim dimensions (bit i = axis i). GND_ALL gives all. Returns 0, or -1 with *bad the
 * first axis that is out of range or named twice, or -2: a number, and no set. */
int gnd__axes_mask(gnd_axes axes, int ndim, uint32_t *mask, int *bad);
/* How many axes the set names; -1: it is no set (a struct of zeros). Not of GND_ALL. */
int gnd__axes_count(gnd_axes axes);
/* axis in [-ndim, ndim) to [0, ndim); -1 when out of range. */
int gnd__axis(int axis, int ndim);

#endif
