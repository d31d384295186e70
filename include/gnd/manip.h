/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/manip.h - arrays taken apart, put together and laid out anew. Axes as int may be negative.
 * Errors of all: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_SHAPE, GND_ERR_OVERFLOW (bytes do not fit 64
 * bits), and the array's own error. Functions that give a status make n arrays into out, which has
 * room for them; on failure each of them holds the error, and is to be released all the same.
 */
#ifndef GND_MANIP_H
#define GND_MANIP_H

#include <gnd/types.h>
#include <gnd/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- views: no data moves ----------------------------------------------------------------------
 */

/* All elements in C order, one dimension: NumPy's ravel and flatten. */
GND_API gnd_array *gnd_ravel(gnd_array *x);
/* Turned by 90 degrees k times (any int) in the plane of two different axes, from the first towards
 * the second. */
GND_API gnd_array *gnd_rot90(gnd_array *x, int64_t k, int axis1, int axis2);
/* Columns (axis 1) in opposite order; at least 2 dimensions. */
GND_API gnd_array *gnd_fliplr(gnd_array *x);
/* Rows (axis 0) in opposite order; at least 1 dimension. */
GND_API gnd_array *gnd_flipud(gnd_array *x);
/* A 0-d array as one of shape (1,), any other as it is. */
GND_API gnd_array *gnd_atleast_1d(gnd_array *x);
/* With at least 2 dimensions, as NumPy: (n,) becomes (1, n). */
GND_API gnd_array *gnd_atleast_2d(gnd_array *x);
/* With at least 3 dimensions, as NumPy: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1). */
GND_API gnd_array *gnd_atleast_3d(gnd_array *x);
/* Windows of window[i] elements along axis[i], n of them: an axis of d elements becomes one of
 * d - window[i] + 1 places, and a last axis of window[i] elements comes for each. axis NULL: all
 * axes, and n is gnd_ndim(x). An axis may come twice. GND_ERR_ARG: a window of less than 1;
 * GND_ERR_SHAPE: one that is longer than its axis. */
GND_API gnd_array *gnd_sliding_window_view(gnd_array *x, int n, const int64_t *window,
                                           const int *axis);
/* The common shape of n shapes, of ndim[i] extents each, by NumPy's rules of broadcasting:
 * *out_ndim extents into out, which has room for GND_MAX_NDIM. GND_ERR_SHAPE when there is none;
 * gnd_message has the text. */
GND_API gnd_status gnd_broadcast_shapes(int n, const int *ndim, const int64_t *const *shape,
                                        int *out_ndim, int64_t *out);

/* --- splitting: views ---------------------------------------------------------------------------
 */

/* n >= 1 equal parts along axis; GND_ERR_SHAPE when its extent is no multiple of n. */
GND_API gnd_status gnd_split(gnd_array *x, int64_t n, int axis, gnd_array **out);
/* n >= 1 parts, the first extent % n of them one longer. */
GND_API gnd_status gnd_array_split(gnd_array *x, int64_t n, int axis, gnd_array **out);
/* n + 1 parts: before at[0], from at[0] to before at[1], ..., from at[n - 1] on. Each is a slice
 * as Python has it: negative places count from the end, those out of range are clipped. */
GND_API gnd_status gnd_split_at(gnd_array *x, int64_t n, const int64_t *at, int axis,
                                gnd_array **out);
/* gnd_split along axis 1, of one-dimensional arrays along axis 0. */
GND_API gnd_status gnd_hsplit(gnd_array *x, int64_t n, gnd_array **out);
/* gnd_split along axis 0 of an array of at least 2 dimensions. */
GND_API gnd_status gnd_vsplit(gnd_array *x, int64_t n, gnd_array **out);
/* gnd_split along axis 2 of an array of at least 3 dimensions. */
GND_API gnd_status gnd_dsplit(gnd_array *x, int64_t n, gnd_array **out);

/* --- joining: dtypes promote --------------------------------------------------------------------
 */

/* Along axis 0, of arrays made at least two-dimensional. */
GND_API gnd_array *gnd_vstack(int n, gnd_array *const *x);
/* Along axis 1, of one-dimensional arrays 0; 0-d ones are made one-dimensional. */
GND_API gnd_array *gnd_hstack(int n, gnd_array *const *x);
/* Along axis 2, of arrays made at least three-dimensional. */
GND_API gnd_array *gnd_dstack(int n, gnd_array *const *x);
/* As columns: along axis 1, where arrays of fewer than 2 dimensions are one column each. */
GND_API gnd_array *gnd_column_stack(int n, gnd_array *const *x);
/* Nested lists of blocks, as NumPy's block: those of the innermost lists side by side along the
 * last axis, the lists around them along the axis before, and so on for `depth` levels (0: x[0]
 * alone). counts: how many items the outermost list has, then each list of the next level, ...; the
 * last level's are how many of x each innermost list has. [[A, B], [C]] is depth 2, counts {2, 2,
 * 1}, x {A, B, C}. Blocks get as many dimensions as the largest has, and at least depth. */
GND_API gnd_array *gnd_block(int depth, const int *counts, gnd_array *const *x);
/* y after x along axis. */
GND_API gnd_array *gnd_append(gnd_array *x, gnd_array *y, int axis);
/* y after x, both flattened (NumPy's axis=None). */
GND_API gnd_array *gnd_append_flat(gnd_array *x, gnd_array *y);

/* --- padding ------------------------------------------------------------------------------------
 */

/* What gnd_pad is told beyond its mode. Each list has two entries for every axis of x, for before
 * and after it; NULL stands for what is said here. */
typedef struct gnd_pad_options {
    gnd_array *const *values;   /* "constant": the values, "linear_ramp": those at the ends; scalars
                                   or   0-d arrays, cast to x's dtype. 0 */
    const int64_t *stat_length; /* "maximum" and so on: of how many elements next to the edge, at
                                   most all. All of them */
    int odd; /* "reflect", "symmetric": 2 * edge - reflected in place of reflected */
} gnd_pad_options;

/* x with width[2 d] elements before and width[2 d + 1] after those of each axis d (none negative),
 * axis by axis, so that corners come of what the axes before have become. mode, as NumPy 2 has it:
 *   "constant"     opt's values
 *   "edge"         the element at the edge
 *   "linear_ramp"  from opt's values at the ends linearly to the edge; ints are rounded down
 *   "maximum", "minimum", "mean", "median"  of the elements next to the edge; ints are rounded to
 * even "reflect"      mirrored at the first and last element, which are not repeated "symmetric"
 * mirrored beyond them, so that they are "wrap"         from the other end "empty"        contents
 * not defined The widths may be larger than the axis. opt may be NULL. GND_ERR_ARG: another mode, a
 * negative width, options that the mode does not have, a maximum or minimum of 0 elements;
 * GND_ERR_SHAPE: an axis without elements in a mode that needs one. */
GND_API gnd_array *gnd_pad(gnd_array *x, const int64_t *width, const char *mode,
                           const gnd_pad_options *opt);

/* --- elements more, and fewer -------------------------------------------------------------------
 */

/* values (cast to x's dtype) before element `at` of axis: 0 is the start, the extent the end,
 * negative ones count from the end; GND_ERR_INDEX beyond. values broadcasts to x's shape without
 * the axis: a slice of x; or its first axis counts several of them, as NumPy has it: with
 * gnd_ndim(x) dimensions, k of them, in order. For NumPy's axis=None take gnd_ravel(x) and axis 0.
 */
GND_API gnd_array *gnd_insert(gnd_array *x, int64_t at, gnd_array *values, int axis);
/* Element i of values, which broadcasts to x's shape with n in place of the axis' extent, before
 * element at[i] of x; those with equal places keep their order. */
GND_API gnd_array *gnd_insert_each(gnd_array *x, int64_t n, const int64_t *at, gnd_array *values,
                                   int axis);
/* x without element `at` of axis. GND_ERR_INDEX: out of range. */
GND_API gnd_array *gnd_delete(gnd_array *x, int64_t at, int axis);
/* x without the n elements at[i] of axis, one of which may be named twice. GND_ERR_INDEX: out of
 * range. */
GND_API gnd_array *gnd_delete_each(gnd_array *x, int64_t n, const int64_t *at, int axis);
/* x without those elements of axis that a slice r (kind GND_IDX_SLICE) names; what is out of range
 * is clipped. */
GND_API gnd_array *gnd_delete_range(gnd_array *x, gnd_range r, int axis);
/* That shape, filled with x's elements in C order, again from the first after the last; zeros when
 * x has none. */
GND_API gnd_array *gnd_resize(gnd_array *x, int ndim, const int64_t *shape);

/* --- diagonals and indices ----------------------------------------------------------------------
 */

/* The matrix with x on its diagonal k and zeros elsewhere for one dimension, diagonal k for two;
 * GND_ERR_SHAPE for others. */
GND_API gnd_array *gnd_diag(gnd_array *x, int64_t k);
/* The matrix with all elements of x on its diagonal k. */
GND_API gnd_array *gnd_diagflat(gnd_array *x, int64_t k);
/* The rows out[0] and columns out[1] (int64, one dimension, row by row) of the elements of an n x m
 * matrix (m < 0: m = n) on and below diagonal k: j - i <= k. Made from their numbers alone, on the
 * device: row r of a triangle begins at element r a + r (r - 1) / 2 when its first row has a
 * elements, and the root of that gives the row. */
GND_API gnd_status gnd_tril_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m,
                                    gnd_array **out);
/* The rows and columns, as gnd_tril_indices gives them, of the elements on and above diagonal k: j
 * - i >= k. */
GND_API gnd_status gnd_triu_indices(gnd_device *dev, int64_t n, int64_t k, int64_t m,
                                    gnd_array **out);
/* gnd_tril_indices for the shape of x, which has 2 dimensions. */
GND_API gnd_status gnd_tril_indices_from(gnd_array *x, int64_t k, gnd_array **out);
/* gnd_triu_indices for the shape of x, which has 2 dimensions. */
GND_API gnd_status gnd_triu_indices_from(gnd_array *x, int64_t k, gnd_array **out);
/* The index of each element of an array of that shape: shape (ndim, shape...), where out[d] is the
 * index along axis d. GND_DTYPE_DEFAULT: int64. */
GND_API gnd_array *gnd_indices(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);

#ifdef __cplusplus
}
#endif
#endif
