/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/index.h - parsed indices, shared by gnd_index, gnd_set and similar functions. Any index
 * consists of a view of the array (ints, slices, new axes) and of arrays of ints that index some
 * axes of that view. Masks have already been converted to the positions where they are true.
 *
 * Functions return NULL on success, or an error node, unless they say otherwise. Callers are in an
 * inner scope (graph/scope.h), which owns the arrays made here.
 */
#ifndef GND_OPS_INDEX_INDEX_H
#define GND_OPS_INDEX_INDEX_H

#include <gnd/view.h>
#include "graph/scope.h"

/* The most entries that an index can have: 32 axes, 32 new ones, an ellipsis. */
enum { GND__INDEX_MOST = 2 * GND_MAX_NDIM + 1 };

typedef struct gnd__indexed {
    const char *func;                 /* a literal: messages begin with it */
    gnd_array *x;                     /* the array, with several axes under one mask merged */
    gnd__map map;                     /* of the view: axis of x -> axis of the view */
    gnd__shape v;                     /* the view's shape, indexed axes included */
    int narr;                         /* arrays */
    gnd_array *idx[GND_MAX_NDIM + 1]; /* int64, in range (checked by the device if necessary) */
    int axis[GND_MAX_NDIM + 1];       /* of the view, ascending */
    gnd__shape b;                     /* their common shape */
    int place;                        /* where its axes begin in the result */
    gnd__shape r; /* the result's shape: b, and the view's other axes in order */
} gnd__indexed;

/* Parses n entries. */
gnd_array *gnd__index_apart(const char *func, gnd_array *x, int n, const gnd_range *idx,
                            gnd__indexed *out);
/* The elements that ix selects: a new array, or an error. */
gnd_array *gnd__index_get(gnd__indexed *ix);
/* The view of ix. */
gnd_array *gnd__index_view(gnd__indexed *ix);

/* If n entries are one mask that takes all axes left by the ints, or leaves whole axes after it
 * (rows): returns 1, with the array without the axes of the ints in *view and the mask, not a weak
 * one, in *mask. Otherwise 0. */
int gnd__index_is_mask(gnd_array *x, int n, const gnd_range *idx, gnd_array **view,
                       gnd_array **mask);

/* --- indices (fancy.c) ------------------------------------------------------------------------ */
/* a as indices of an axis of that many elements: int64, negative ones counted from the end; indices
 * out of range are found when a result is read. a: an array of ints, or a weak int, of x's device;
 * what: its name in messages. An error node if a is unsuitable. */
gnd_array *gnd__indices(const char *func, const char *what, gnd_array *a, gnd_device *dev,
                        int64_t size, int axis);
/* a, of a device, with n axes of extent 1 appended. */
gnd_array *gnd__trailing(gnd_array *a, int n);
/* x with the axes axis[0 .. n) indexed by arrays, in range and of common shape b, whose axes begin
 * at `place` of the result. */
gnd_array *gnd__take_axes(gnd_array *x, int n, gnd_array *const *idx, const int *axis,
                          const gnd__shape *b, int place);
/* For functions along an axis (the k-th): checks that x and indices are arrays with equally many
 * dimensions that broadcast except along that axis. b becomes their shape, with the indices' extent
 * there. An index needs an element to refer to. NULL, or a new error. */
gnd_array *gnd__along_axis(const char *func, gnd_array *x, gnd_array *indices, int axis, int *k,
                           gnd__shape *b);
/* Evaluates indices if nothing of a result is read, so that nothing else would check them. */
gnd_array *gnd__check_now(gnd_array *indices);

/* --- masks (compact.c) ------------------------------------------------------------------------ */
/* Evaluates the table of mask (bool, of a device): *table, and the number of true elements. */
gnd_array *gnd__mask_table(const char *func, gnd_array *mask, gnd_array **table, int64_t *count);
/* Checks that the mask has x's extents from axis k on, or 0: NumPy accepts an empty mask for any
 * extent. */
gnd_array *gnd__check_mask(const char *func, const gnd_array *mask, const gnd_array *x, int k);

#endif
