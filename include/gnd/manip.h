/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/manip.h - splitting, joining and rearranging arrays. Axes given as int may be negative.
 * Errors of all functions: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_SHAPE, GND_ERR_OVERFLOW (the size in
 * bytes does not fit in 64 bits), and the error of the array. Functions that return a status store
 * n arrays in out, which has room for them. On failure each of them holds the error, and must be
 * released as well.
 */
#ifndef GND_MANIP_H
#define GND_MANIP_H

#include <gnd/types.h>
#include <gnd/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- views: no data moves --------------------------------------------------------------------- */

/* x flattened in C order to one dimension (NumPy's ravel and flatten). */
GND_API gnd_array *gnd_ravel(gnd_array *x);
/* x rotated k times (any int) by 90 degrees in the plane of two different axes, from the first
 * towards the second. */
GND_API gnd_array *gnd_rot90(gnd_array *x, int64_t k, int axis1, int axis2);
/* x with its columns (axis 1) reversed. At least 2 dimensions. */
GND_API gnd_array *gnd_fliplr(gnd_array *x);
/* x with its rows (axis 0) reversed. At least 1 dimension. */
GND_API gnd_array *gnd_flipud(gnd_array *x);
/* x with at least 1 dimension: a 0-d array gets shape (1,). */
GND_API gnd_array *gnd_atleast_1d(gnd_array *x);
/* x with at least 2 dimensions, as in NumPy: (n,) becomes (1, n). */
GND_API gnd_array *gnd_atleast_2d(gnd_array *x);
/* x with at least 3 dimensions, as in NumPy: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1). */
GND_API gnd_array *gnd_atleast_3d(gnd_array *x);
/* Sliding windows of window[i] elements along axis[i], for n axes. An axis of d elements becomes d
 * - window[i] + 1 positions, and each window adds a last axis of window[i] elements. axis NULL: all
 * axes; n is then gnd_ndim(x). An axis may be named twice. GND_ERR_ARG: a window below 1;
 * GND_ERR_SHAPE: a window longer than its axis. */
GND_API gnd_array *gnd_sliding_window_view(gnd_array *x, int n, const int64_t *window,
                                           const int *axis);
/* The common shape of n shapes, of ndim[i] extents each, by NumPy's broadcasting rules. Stores
 * *out_ndim extents in out, which has room for GND_MAX_NDIM. GND_ERR_SHAPE: they do not broadcast;
 * gnd_message has the message. */
GND_API gnd_status gnd_broadcast_shapes(int n, const int *ndim, const int64_t *const *shape,
                                        int *out_ndim, int64_t *out);

/* --- splitting: views ------------------------------------------------------------------------- */

/* Splits x into n >= 1 equal parts along axis. GND_ERR_SHAPE: the extent is not a multiple of n. */
GND_API gnd_status gnd_split(gnd_array *x, int64_t n, int axis, gnd_array **out);
/* Splits x into n >= 1 parts along axis. The first (extent % n) parts are longer by one. */
GND_API gnd_status gnd_array_split(gnd_array *x, int64_t n, int axis, gnd_array **out);
/* Splits x into n + 1 parts along axis: up to at[0], from at[0] to at[1], ..., from at[n - 1] on.
 * Each part is a Python slice: negative positions count from the end, and positions out of range
 * are clipped. */
GND_API gnd_status gnd_split_at(gnd_array *x, int64_t n, const int64_t *at, int axis,
                                gnd_array **out);
/* Same as gnd_split along axis 1, or along axis 0 for one-dimensional arrays. */
GND_API gnd_status gnd_hsplit(gnd_array *x, int64_t n, gnd_array **out);
/* Same as gnd_split along axis 0. x has at least 2 dimensions. */
GND_API gnd_status gnd_vsplit(gnd_array *x, int64_t n, gnd_array **out);
/* Same as gnd_split along axis 2. x has at least 3 dimensions. */
GND_API gnd_status gnd_dsplit(gnd_array *x, int64_t n, gnd_array **out);

/* --- joining: dtypes promote ------------------------------------------------------------------ */

/* Joins arrays along axis 0, after extending them to at least 2 dimensions. */
GND_API gnd_array *gnd_vstack(int n, gnd_array *const *x);
/* Joins arrays along axis 1, or along axis 0 if they are one-dimensional; 0-d arrays become
 * one-dimensional. */
GND_API gnd_array *gnd_hstack(int n, gnd_array *const *x);
/* Joins arrays along axis 2, after extending them to at least 3 dimensions. */
GND_API gnd_array *gnd_dstack(int n, gnd_array *const *x);
/* Joins arrays along axis 1. Arrays with fewer than 2 dimensions are one column each. */
GND_API gnd_array *gnd_column_stack(int n, gnd_array *const *x);
/* Joins nested lists of blocks (NumPy's block). Blocks of the innermost lists are joined along the
 * last axis, the lists around them along the axis before, and so on for `depth` levels (0: x[0]
 * alone). counts has the number of items of the outermost list, then of each list of the next
 * level, and so on; at the last level these are numbers of arrays in x. Example: [[A, B], [C]] has
 * depth 2, counts {2, 2, 1} and x {A, B, C}. Blocks are extended to the largest number of
 * dimensions, and at least to depth. */
GND_API gnd_array *gnd_block(int depth, const int *counts, gnd_array *const *x);
/* Joins x and y along axis. */
GND_API gnd_array *gnd_append(gnd_array *x, gnd_array *y, int axis);
/* Flattens x and y and joins them (NumPy's axis=None). */
GND_API gnd_array *gnd_append_flat(gnd_array *x, gnd_array *y);

/* --- padding ---------------------------------------------------------------------------------- */

/* Options of gnd_pad. Each list has two entries for each axis of x, before and after. NULL: the
 * default in the comment. */
typedef struct gnd_pad_options {
    gnd_array *const *values;   /* "constant": the values; "linear_ramp": the end values; scalars
                                   or 0-d arrays, cast to x's dtype. Default: 0 */
    const int64_t *stat_length; /* "maximum" and similar: number of elements next to the edge to
                                   use, at most all. Default: all */
    int odd;                    /* "reflect", "symmetric": use 2 * edge - reflected instead of
                                   reflected */
} gnd_pad_options;

/* x padded with width[2 d] elements before and width[2 d + 1] elements after each axis d, none
 * negative. Axes are padded in order, so corners are computed from padded axes. The modes are those
 * of NumPy 2:
 *    "constant"     the values of opt
 *    "edge"         the element at the edge
 *    "linear_ramp"  linear from the edge to the end values of opt; ints are rounded down
 *    "maximum", "minimum", "mean", "median"  of the elements next to the edge; ints are
 *                  rounded to even
 *    "reflect"      mirrored at the first and last element, without repeating them
 *    "symmetric"    mirrored at the edge, repeating the first and last element
 *    "wrap"         the elements of the opposite end
 *    "empty"        undefined elements
 * Widths may exceed the axis. opt may be NULL. GND_ERR_ARG: an unknown mode, a negative width,
 * options that the mode does not have, or a maximum or minimum of 0 elements; GND_ERR_SHAPE: an
 * axis without elements in a mode that needs one. */
GND_API gnd_array *gnd_pad(gnd_array *x, const int64_t *width, const char *mode,
                           const gnd_pad_options *opt);

/* --- inserting, deleting, resizing ------------------------------------------------------------ */

/* x with values, cast to its dtype, inserted before position `at` of axis: 0 is the start, the
 * extent is the end, and negative positions count from the end. values broadcasts to a slice of x
 * without the axis. If it has gnd_ndim(x) dimensions, its first axis holds k slices, inserted in
 * order, as in NumPy. For NumPy's axis=None use gnd_ravel(x) and axis 0. GND_ERR_INDEX: a position
 * out of range. */
GND_API gnd_array *gnd_insert(gnd_array *x, int64_t at, gnd_array *values, int axis);
/* x with element i of values inserted before position at[i] of axis, for n positions. values
 * broadcasts to the shape of x with extent n along axis. Elements at equal positions keep their
 * order. */
GND_API gnd_array *gnd_insert_each(gnd_array *x, int64_t n, const int64_t *at, gnd_array *values,
                                   int axis);
/* x without the element at position `at` of axis. GND_ERR_INDEX: a position out of range. */
GND_API gnd_array *gnd_delete(gnd_array *x, int64_t at, int axis);
/* x without the elements at the n positions at[i] of axis. A position may be named twice.
 * GND_ERR_INDEX: a position out of range. */
GND_API gnd_array *gnd_delete_each(gnd_array *x, int64_t n, const int64_t *at, int axis);
/* x without the elements of axis that are in the slice r (kind GND_IDX_SLICE). Positions out of
 * range are clipped. */
GND_API gnd_array *gnd_delete_range(gnd_array *x, gnd_range r, int axis);
/* An array of the given shape, filled with the elements of x in C order, repeated if necessary.
 * Zeros if x is empty. */
GND_API gnd_array *gnd_resize(gnd_array *x, int ndim, const int64_t *shape);

/* --- diagonals and indices -------------------------------------------------------------------- */

/* For one dimension: the matrix with x on diagonal k and zeros elsewhere. For two dimensions:
 * diagonal k of x. GND_ERR_SHAPE: other numbers of dimensions. */
GND_API gnd_array *gnd_diag(gnd_array *x, int64_t k);
/* The matrix with all elements of x on diagonal k and zeros elsewhere. */
GND_API gnd_array *gnd_diagflat(gnd_array *x, int64_t k);
/* The indices of the lower triangle of an n x m matrix (m < 0: m = n), where j - i <= k: rows in
 * out[0] and columns in out[1], int64, 1-d, in row order. They are computed from the element number
 * on the device: row r of a triangle whose first row has a elements begins at element r a + r (r -
 * 1) / 2, and a square root inverts this. */
GND_API gnd_status gnd_tril_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m,
                                    gnd_array **out);
/* The indices of the upper triangle, where j - i >= k, in the form of gnd_tril_indices. */
GND_API gnd_status gnd_triu_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m,
                                    gnd_array **out);
/* Same as gnd_tril_indices, for the shape of x, which has 2 dimensions. */
GND_API gnd_status gnd_tril_indices_from(gnd_array *x, int64_t k, gnd_array **out);
/* Same as gnd_triu_indices, for the shape of x, which has 2 dimensions. */
GND_API gnd_status gnd_triu_indices_from(gnd_array *x, int64_t k, gnd_array **out);
/* The indices of all elements of an array of the given shape. The result has shape (ndim,
 * shape...); result[d] is the index along axis d. GND_DTYPE_DEFAULT: int64. */
GND_API gnd_array *gnd_indices(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);

#ifdef __cplusplus
}
#endif
#endif
