/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/view.h - views (no data is moved) and joining. Axes given as int may be negative. Errors of
 * all functions: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_INDEX, GND_ERR_SHAPE, and the error of the
 * array.
 */
#ifndef GND_VIEW_H
#define GND_VIEW_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of an entry of an index, for gnd_index. */
enum {
    GND_IDX_INT = 1,
    GND_IDX_SLICE = 2,
    GND_IDX_NEWAXIS = 3,
    GND_IDX_ELLIPSIS = 4,
    GND_IDX_ARRAY = 5
};
/* A missing start or stop of a slice. */
#define GND_NONE INT64_MIN
typedef struct gnd_range {
    int kind;                  /* GND_IDX_* */
    int64_t start, stop, step; /* GND_IDX_INT uses start only; step 0 means 1 */
    gnd_array *array;          /* GND_IDX_ARRAY: indices of any int dtype, or a bool mask */
} gnd_range;

/* Short forms of entries. In C, GND_IDX(GND_SLICE(1, -1), GND_AT(rows)) expands to the two
 * arguments n and idx of gnd_index, gnd_set and similar functions. */
static inline gnd_range gnd_range_of(int kind, int64_t start, int64_t stop, int64_t step,
                                     gnd_array *array)
{
    gnd_range r;
    r.kind = kind;
    r.start = start;
    r.stop = stop;
    r.step = step;
    r.array = array;
    return r;
}
/* One element of an axis; the axis is removed. NumPy: i. */
#define GND_ELEM(i) gnd_range_of(GND_IDX_INT, (i), 0, 1, NULL)
/* start:stop. Either may be GND_NONE. */
#define GND_SLICE(start, stop) gnd_range_of(GND_IDX_SLICE, (start), (stop), 1, NULL)
/* start:stop:step. */
#define GND_STEP(start, stop, step) gnd_range_of(GND_IDX_SLICE, (start), (stop), (step), NULL)
/* A whole axis. NumPy: a single colon. */
#define GND_FULL GND_SLICE(GND_NONE, GND_NONE)
/* An array of indices, or a mask. */
#define GND_AT(array) gnd_range_of(GND_IDX_ARRAY, 0, 0, 1, (array))
/* A new axis (NumPy: None), and an ellipsis. */
#define GND_NEWAXIS gnd_range_of(GND_IDX_NEWAXIS, 0, 0, 1, NULL)
#define GND_DOTS gnd_range_of(GND_IDX_ELLIPSIS, 0, 0, 1, NULL)
#ifndef __cplusplus
#define GND_IDX(...)                                                                               \
    (int)(sizeof((gnd_range[]){__VA_ARGS__}) / sizeof(gnd_range)), (gnd_range[])                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#endif

/* Indexes x as NumPy does. An integer removes its axis; out of range it is an error. Slices are
 * clipped. There may be one ellipsis. Missing entries are full slices. Without arrays the result is
 * a view.
 *
 * Each index array of ints indexes one axis; the arrays broadcast with each other. A mask of k
 * dimensions is equivalent to the k index arrays of its true elements (0 dimensions: a new axis of
 * 1 or 0 elements). The result's shape then depends on values, so masks are evaluated, and the call
 * waits for the device. The axes of the common shape of the index arrays replace the indexed axes
 * if these are adjacent (integers count as index arrays here); otherwise they come first. Indices
 * out of range: see gnd/index.h. */
GND_API gnd_array *gnd_index(gnd_array *x, int n, const gnd_range *idx);
/* Same as gnd_index, with text in NumPy's syntax: gnd_at(x, "1:-1, ::2, None, ..., 0").
 * GND_ERR_SYNTAX. */
GND_API gnd_array *gnd_at(gnd_array *x, const char *index);

/* A view of the elements from start up to but not including stop along one axis, as a Python slice:
 * negative values count from the end, GND_NONE means a missing value, and values out of range are
 * clipped. GND_ERR_AXIS. */
GND_API gnd_array *gnd_slice(gnd_array *x, int axis, int64_t start, int64_t stop);

/* x in another shape, in C order. One extent may be -1: it is computed from the others. */
GND_API gnd_array *gnd_reshape(gnd_array *x, int ndim, const int64_t *shape);
/* x with its axes permuted: axis i of the result is axis perm[i] of x. perm has gnd_ndim(x)
 * entries; NULL reverses the axes. */
GND_API gnd_array *gnd_permute_dims(gnd_array *x, const int *perm);
/* x with its axes reversed. */
GND_API gnd_array *gnd_T(gnd_array *x);
/* x with the last two axes swapped. At least 2 dimensions. */
GND_API gnd_array *gnd_mT(gnd_array *x);
/* x with axes a and b swapped. */
GND_API gnd_array *gnd_swapaxes(gnd_array *x, int a, int b);
/* x with axis source[i] moved to axis destination[i] of the result, for n axes. The other axes keep
 * their order. GND_ERR_AXIS: an axis is out of range or named twice. */
GND_API gnd_array *gnd_moveaxis(gnd_array *x, int n, const int *source, const int *destination);
/* Inserts axes of extent 1. `axes` are positions in the result. */
GND_API gnd_array *gnd_expand_dims(gnd_array *x, gnd_axes axes);
/* Removes axes of extent 1. GND_ALL removes all of them. GND_ERR_SHAPE: a named axis has another
 * extent. */
GND_API gnd_array *gnd_squeeze(gnd_array *x, gnd_axes axes);
/* x with the elements along each of the axes reversed. */
GND_API gnd_array *gnd_flip(gnd_array *x, gnd_axes axes);
/* x broadcast to a shape by NumPy's rules. GND_ERR_SHAPE: x does not broadcast to it. */
GND_API gnd_array *gnd_broadcast_to(gnd_array *x, int ndim, const int64_t *shape);
/* Broadcasts n arrays to their common shape, into out[n]. Returns the first error. */
GND_API gnd_status gnd_broadcast_arrays(int n, gnd_array *const *x, gnd_array **out);
/* The bytes of x as dtype t. Where the sizes of the dtypes differ the last axis becomes longer or
 * shorter by their ratio, as in NumPy; x may have any layout. The lowest byte is the first. Bools
 * become bytes of 0 and 1, and bytes that are not 0 true; a float16's NaN is quiet. GND_ERR_SHAPE:
 * no last axis, or its elements are no multiple of the ratio. */
GND_API gnd_array *gnd_view_dtype(gnd_array *x, gnd_dtype t);
/* Element i of the result is element offset plus the sum of strides[k] * i[k] of x in C order, as
 * PyTorch's as_strided: elements may occur more than once, and strides may be 0 or negative. shape
 * and strides have ndim entries. GND_ERR_INDEX: beyond the elements of x. */
GND_API gnd_array *gnd_as_strided(gnd_array *x, int ndim, const int64_t *shape,
                                  const int64_t *strides, int64_t offset);
/* The diagonal of axes axis1 and axis2. Both are removed, and the diagonal becomes the last
 * axis. */
GND_API gnd_array *gnd_diagonal(gnd_array *x, int64_t offset, int axis1, int axis2);

/* Joins n arrays along an existing axis into a new array. dtypes promote. */
GND_API gnd_array *gnd_concat(int n, gnd_array *const *x, int axis);
/* Flattens n arrays and joins them (NumPy's axis=None). dtypes promote. */
GND_API gnd_array *gnd_concat_flat(int n, gnd_array *const *x);
/* Joins n arrays of one shape along a new axis, which has the position `axis` in the result. dtypes
 * promote. */
GND_API gnd_array *gnd_stack(int n, gnd_array *const *x, int axis);
/* Splits x along axis into gnd_dim(x, axis) arrays without that axis, into out. Returns the first
 * error. */
GND_API gnd_status gnd_unstack(gnd_array *x, int axis, gnd_array **out);
/* x repeated reps[i] times along axis i. If n differs from the number of dimensions, the shorter
 * list is extended by ones in front, as in NumPy. GND_ERR_ARG: a negative number. */
GND_API gnd_array *gnd_tile(gnd_array *x, int n, const int64_t *reps);
/* Repeats each element n times along axis. */
GND_API gnd_array *gnd_repeat(gnd_array *x, int64_t n, int axis);
/* Repeats element i along axis counts[i] times. counts has gnd_dim(x, axis) entries, none
 * negative. */
GND_API gnd_array *gnd_repeat_each(gnd_array *x, const int64_t *counts, int axis);
/* Same as gnd_repeat_each, with the counts in an int array of gnd_dim(x, axis) elements, or of one
 * element for all (also a scalar). Waits for the counts, because the shape depends on them.
 * GND_ERR_DTYPE. */
GND_API gnd_array *gnd_repeat_array(gnd_array *x, gnd_array *counts, int axis);
/* Moves element i to (i + shift) mod extent along each of n axes. An axis may be named twice. */
GND_API gnd_array *gnd_roll(gnd_array *x, int n, const int64_t *shift, const int *axis);
/* Rolls the flattened x and restores its shape (NumPy's axis=None). */
GND_API gnd_array *gnd_roll_flat(gnd_array *x, int64_t shift);

#ifdef __cplusplus
}
#endif
#endif
