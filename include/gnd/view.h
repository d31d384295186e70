/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/view.h - views (no data moves) and joining. Axes as int may be negative. Errors of all:
 * GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_INDEX, GND_ERR_SHAPE, and the array's own error.
 */
#ifndef GND_VIEW_H
#define GND_VIEW_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One entry of an index, for gnd_index. */
enum {
    GND_IDX_INT = 1,
    GND_IDX_SLICE = 2,
    GND_IDX_NEWAXIS = 3,
    GND_IDX_ELLIPSIS = 4,
    GND_IDX_ARRAY = 5
};
/* Marks a missing start or stop of a slice. */
#define GND_NONE INT64_MIN
typedef struct gnd_range {
    int kind;                  /* GND_IDX_* */
    int64_t start, stop, step; /* start alone for GND_IDX_INT; step 0 counts as 1 */
    gnd_array *array;          /* GND_IDX_ARRAY: ints of any dtype, or bools: a mask */
} gnd_range;

/* Entries for short: GND_IDX(GND_SLICE(1, -1), GND_AT(rows)) is the two arguments n and idx, in C,
 * of gnd_index, gnd_set and all that take such. */
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
/* One element of an axis, which leaves: i in NumPy. */
#define GND_ELEM(i) gnd_range_of(GND_IDX_INT, (i), 0, 1, NULL)
/* start:stop, either GND_NONE for a missing one. */
#define GND_SLICE(start, stop) gnd_range_of(GND_IDX_SLICE, (start), (stop), 1, NULL)
/* start:stop:step. */
#define GND_STEP(start, stop, step) gnd_range_of(GND_IDX_SLICE, (start), (stop), (step), NULL)
/* A whole axis, : in NumPy. */
#define GND_FULL GND_SLICE(GND_NONE, GND_NONE)
/* Where an array of indices is true, or says. */
#define GND_AT(array) gnd_range_of(GND_IDX_ARRAY, 0, 0, 1, (array))
/* None in NumPy, and ... */
#define GND_NEWAXIS gnd_range_of(GND_IDX_NEWAXIS, 0, 0, 1, NULL)
#define GND_DOTS gnd_range_of(GND_IDX_ELLIPSIS, 0, 0, 1, NULL)
#ifndef __cplusplus
#define GND_IDX(...)                                                                               \
    (int)(sizeof((gnd_range[]){__VA_ARGS__}) / sizeof(gnd_range)), (gnd_range[])                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#endif

/* Indexing as NumPy does: integers drop an axis (an error when out of range), slices clip, at most
 * one ellipsis; missing entries are full slices. Without arrays the result is a view.
 *
 * Arrays of ints index an axis each and broadcast with each other; a mask of k dimensions stands
 * for the k arrays of indices where it is true (0 dimensions: a new axis, of 1 or 0 elements),
 * which makes the result's shape depend on values: masks are evaluated, and the device waited for.
 * The axes of the indices' common shape take the place of the axes they index, where these lie side
 * by side (integers count as indices there); else they come first. Indices out of range: see
 * gnd/index.h. */
GND_API gnd_array *gnd_index(gnd_array *x, int n, const gnd_range *idx);
/* The same from text in NumPy's syntax: gnd_at(x, "1:-1, ::2, None, ..., 0"). GND_ERR_SYNTAX. */
GND_API gnd_array *gnd_at(gnd_array *x, const char *index);

/* Elements start to stop (not included) of one axis, as Python's slices have it: negative ones
 * count from the end, GND_NONE is a missing one, and what there is not is left out. A view.
 * GND_ERR_AXIS. */
GND_API gnd_array *gnd_slice(gnd_array *x, int axis, int64_t start, int64_t stop);

/* One extent may be -1: what is left. */
GND_API gnd_array *gnd_reshape(gnd_array *x, int ndim, const int64_t *shape);
/* perm has gnd_ndim(x) axes; NULL reverses them. */
GND_API gnd_array *gnd_permute_dims(gnd_array *x, const int *perm);
/* All axes reversed. */
GND_API gnd_array *gnd_T(gnd_array *x);
/* The last two axes swapped; at least 2 dimensions. */
GND_API gnd_array *gnd_mT(gnd_array *x);
/* x with axes a and b swapped. */
GND_API gnd_array *gnd_swapaxes(gnd_array *x, int a, int b);
/* x with axis source[i] as axis destination[i] of the result, for n of them; the other axes keep
 * their order. GND_ERR_AXIS: an axis is out of range or named twice. */
GND_API gnd_array *gnd_moveaxis(gnd_array *x, int n, const int *source, const int *destination);
/* New axes of extent 1 at these positions of the result (a set: axes count in the result). */
GND_API gnd_array *gnd_expand_dims(gnd_array *x, gnd_axes axes);
/* Takes away axes of extent 1; GND_ALL takes away every one there is, naming an axis of another
 * extent is GND_ERR_SHAPE. */
GND_API gnd_array *gnd_squeeze(gnd_array *x, gnd_axes axes);
/* x with the elements along each of the axes in opposite order. */
GND_API gnd_array *gnd_flip(gnd_array *x, gnd_axes axes);
/* x repeated to that shape by NumPy's rules of broadcasting. GND_ERR_SHAPE: it does not broadcast
 * to it. */
GND_API gnd_array *gnd_broadcast_to(gnd_array *x, int ndim, const int64_t *shape);
/* n arrays to their common shape, into out. Returns the first error. */
GND_API gnd_status gnd_broadcast_arrays(int n, gnd_array *const *x, gnd_array **out);
/* The diagonal of axes axis1 and axis2, which leave; it becomes the last axis. */
GND_API gnd_array *gnd_diagonal(gnd_array *x, int64_t offset, int axis1, int axis2);

/* Joining makes new arrays. dtypes promote. */
GND_API gnd_array *gnd_concat(int n, gnd_array *const *x, int axis);
/* All arrays flattened, one after the other (NumPy's axis=None). */
GND_API gnd_array *gnd_concat_flat(int n, gnd_array *const *x);
/* n arrays of one shape along a new axis, which is that axis of the result. dtypes promote. */
GND_API gnd_array *gnd_stack(int n, gnd_array *const *x, int axis);
/* gnd_dim(x, axis) arrays into out (room for all of them). Returns the first error. */
GND_API gnd_status gnd_unstack(gnd_array *x, int axis, gnd_array **out);
/* x repeated reps[i] times along axis i of n; where n and the number of dimensions differ, the
 * shorter one is preceded by ones, as NumPy has it. A negative number is GND_ERR_ARG. */
GND_API gnd_array *gnd_tile(gnd_array *x, int n, const int64_t *reps);
/* Each element n times along axis. */
GND_API gnd_array *gnd_repeat(gnd_array *x, int64_t n, int axis);
/* Element i along axis counts[i] times; counts has gnd_dim(x, axis) entries, none negative. */
GND_API gnd_array *gnd_repeat_each(gnd_array *x, const int64_t *counts, int axis);
/* The same with the counts in an int array of gnd_dim(x, axis) elements, or of one that holds for
 * all (a scalar too). Waits for the counts: the shape depends on them. GND_ERR_DTYPE. */
GND_API gnd_array *gnd_repeat_array(gnd_array *x, gnd_array *counts, int axis);
/* Element i goes to (i + shift) mod extent, along each of n axes (an axis may come twice). */
GND_API gnd_array *gnd_roll(gnd_array *x, int n, const int64_t *shift, const int *axis);
/* As if flattened, then back in shape (NumPy's axis=None). */
GND_API gnd_array *gnd_roll_flat(gnd_array *x, int64_t shift);

#ifdef __cplusplus
}
#endif
#endif
