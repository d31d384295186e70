/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/shape.h - pure functions on shapes, strides and axes. Strides are in elements.
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

/* The number of elements, or -1 if it, or the byte count with elements of esize bytes, overflows
 * int64. */
int64_t gnd__shape_size(int ndim, const int64_t *dim, size_t esize);
/* Appends the shape: "(3, 4)", "(3,)", "()". */
void gnd__shape_print(gnd__str *b, int ndim, const int64_t *dim);
/* Broadcasts b into a. Returns 0, or -1 if the shapes do not match. */
int gnd__shape_broadcast(gnd__shape *a, const gnd__shape *b);
/* Sets l to a C-contiguous layout of shape s at offset 0. */
void gnd__layout_contig(gnd__layout *l, const gnd__shape *s);
/* Whether l is C-contiguous. Dimensions of extent 1 do not count; empty layouts are contiguous. */
int gnd__layout_is_contig(const gnd__layout *l);
/* Reshapes l to s, which has as many elements, without moving data, as NumPy does. Returns 1, or 0
 * if that is impossible. */
int gnd__layout_reshape(gnd__layout *l, const gnd__shape *s);
/* Converts a set of axes to a mask over ndim dimensions (bit i = axis i). GND_ALL gives all.
 * Returns 0; -1 with *bad set to the first axis that is out of range or repeated; or -2 if axes is
 * a plain number, not a set. */
int gnd__axes_mask(gnd_axes axes, int ndim, uint32_t *mask, int *bad);
/* The number of axes in the set, or -1 if it is no set (a struct of zeros). Not for GND_ALL. */
int gnd__axes_count(gnd_axes axes);
/* Maps axis from [-ndim, ndim) to [0, ndim); -1 if it is out of range. */
int gnd__axis(int axis, int ndim);

#endif
