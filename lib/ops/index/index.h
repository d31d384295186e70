/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/index.h - parsed indices, shared by gnd_index, gnd_set and similar functions. Any index
 * consists of a view of the array (ints, slices, new axes) and of arrays of ints that index some
 * axes of that view. Masks have already been converted to the positions where they are true.
 *
 * Functions return NULL on success, or an error node, unless they say otherwise. Callers are in an
 * inner scope (graph/scope.h), which owns what is made here.
 */
#ifndef GND_OPS_INDEX_INDEX_H
#define GND_OPS_INDEX_INDEX_H

#include <gnd/view.h>
#include "graph/scope.h"

/* More entries than any index can have: 32 axes, 32 new ones, an ellipsis. */
enum { GND__INDEX_MOST = 2 * GND_MAX_NDIM + 1 };

typedef struct gnd__indexed {
    const char *func;                 /* a literal: messages begin with it */
    gnd_array *x;                     /* the array, the axes under a mask of several made one */
    gnd__map map;                     /* of the view: axis of x -> axis of the view */
    gnd__shape v;                     /* the view's shape, the indexed axes whole */
    int narr;                         /* arrays */
    gnd_array *idx[GND_MAX_NDIM + 1]; /* int64, in range (checked by the device, if need be) */
    int axis[GND_MAX_NDIM + 1];       /* of the view, ascending */
    gnd__shape b;                     /* their common shape */
    int place;                        /* where its axes begin in the result */
    gnd__shape r; /* the result's shape: b, and the view's other axes in order */
} gnd__indexed;

/* Takes n entries apart. */
gnd_array *gnd__index_apart(const char *func, gnd_array *x, int n, const gnd_range *idx,
                            gnd__indexed *out);
/* The elements that ix names: a new array, or an error. */
gnd_array *gnd__index_get(gnd__indexed *ix);
/* The view of ix. */
gnd_array *gnd__index_view(gnd__indexed *ix);

/* Where n entries are one mask, which takes all axes that the ints leave, or leaves whole axes
 * behind it (rows): 1, the array without the axes of the ints in *view and the mask in *mask, not
 * a weak one. Else 0. */
int gnd__index_is_mask(gnd_array *x, int n, const gnd_range *idx, gnd_array **view,
                       gnd_array **mask);

/* --- indices (fancy.c) -------------------------------------------------------------------------
 */
/* a as indices of an axis of so many elements: int64, negative ones counted from the end, those out
 * of range found when a result is read. a: an array of ints, or a weak int, of x's device; what:
 * its name in messages.. An error node when a cannot be that. */
gnd_array *gnd__indices(const char *func, const char *what, gnd_array *a, gnd_device *dev,
                        int64_t size, int axis);
/* a, of a device, with n axes of extent 1 behind its own.. */
gnd_array *gnd__trailing(gnd_array *a, int n);
/* x with the axes axis[0 .. n) indexed by arrays, in range, of common shape b, whose axes begin at
 * `place` of the result. */
gnd_array *gnd__take_axes(gnd_array *x, int n, gnd_array *const *idx, const int *axis,
                          const gnd__shape *b, int place);
/* For functions along an axis (the k-th): x and indices, arrays, of as many dimensions and
 * broadcast but for that axis; into b their shape, with the indices' extent there. An index needs
 * an element. NULL, or a new error. */
gnd_array *gnd__along_axis(const char *func, gnd_array *x, gnd_array *indices, int axis, int *k,
                           gnd__shape *b);
/* Where nothing of a result is read, so that nothing would check the indices: evaluates them. */
gnd_array *gnd__check_now(gnd_array *indices);

/* --- masks (compact.c) -------------------------------------------------------------------------
 */
/* Evaluates the table of mask (bool, of a device): *table, and the number of true ones. */
gnd_array *gnd__mask_table(const char *func, gnd_array *mask, gnd_array **table, int64_t *count);
/* The mask has x's extents from axis k on, or 0: NumPy lets an empty mask stand before any extent.
 */
gnd_array *gnd__check_mask(const char *func, const gnd_array *mask, const gnd_array *x, int k);

#endif
