/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/index.h - elements by computed indices, elements where a mask is true, and arrays with
 * changed elements. gnd_index (gnd/view.h) accepts any mixture of indices; the other functions are
 * here.
 *
 * Indices are arrays of any int dtype, or gnd_int; negative indices count from the end. An index
 * out of range is GND_ERR_INDEX: "take: index 9 is out of range for axis 0 of size 8". The device
 * detects it, so it is reported when a result is read or waited for, and by everything computed
 * from that result. No memory outside of the array is accessed, and nothing waits before that.
 * Errors of all functions: GND_ERR_NULL; GND_ERR_DTYPE: indices are not ints; GND_ERR_SHAPE, with
 * both shapes; GND_ERR_AXIS; GND_ERR_DEVICE; the errors of the arrays.
 *
 * Functions that find the true elements of a mask have results whose shape depends on values. They
 * evaluate the mask and wait for the device once.
 */
#ifndef GND_INDEX_H
#define GND_INDEX_H

#include <gnd/types.h>
#include <gnd/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- by indices ------------------------------------------------------------------------------ */

/* Handling of indices out of range. */
typedef enum gnd_index_mode {
    GND_INDEX_RAISE, /* GND_ERR_INDEX, as above */
    GND_INDEX_WRAP,  /* the index modulo the number of elements, not negative */
    GND_INDEX_CLIP   /* negative indices become 0 (they do not count from the end), others at
                        most the last index */
} gnd_index_mode;

/* Brings indices into range for an axis of `size` elements, as NumPy's argument mode does; use the
 * result with gnd_take, gnd_put, gnd_index, gnd_set or other functions. The result is int64;
 * GND_INDEX_RAISE does not change the values. Lazy: it is fused into the kernel that uses the
 * indices. GND_ERR_ARG: size < 0, or an invalid mode; GND_ERR_INDEX: there are indices but size is
 * 0. */
GND_API gnd_array *gnd_fit_indices(gnd_array *indices, int64_t size, gnd_index_mode mode);

/* The elements of x at the indices along one axis. The axes of the indices replace that axis: for x
 * of shape (3, 4, 5), indices of shape (2, 6) and axis 1 the result has shape (3, 2, 6, 5). */
GND_API gnd_array *gnd_take(gnd_array *x, gnd_array *indices, int axis);
/* The elements of the flattened x at the indices. The result has the shape of the indices. */
GND_API gnd_array *gnd_take_flat(gnd_array *x, gnd_array *indices);
/* Element (i, j, ...) of the result is the element of x at that place, with the coordinate along
 * axis replaced by indices[i, j, ...]. With the result of gnd_argsort it sorts x. x and indices
 * have the same number of dimensions and broadcast along the other axes. */
GND_API gnd_array *gnd_take_along_axis(gnd_array *x, gnd_array *indices, int axis);

/* --- by masks -------------------------------------------------------------------------------- */

/* The indices of the nonzero (true) elements of x in C order, as gnd_ndim(x) int64 arrays of one
 * dimension in out, one for each axis. GND_ERR_SHAPE: x has no dimensions. Returns the first
 * error. */
GND_API gnd_status gnd_nonzero(gnd_array *x, gnd_array **out);
/* The indices of the nonzero elements of x as the rows of one array of shape (n, gnd_ndim(x)). */
GND_API gnd_array *gnd_argwhere(gnd_array *x);
/* The indices of the nonzero elements in the flattened x. */
GND_API gnd_array *gnd_flatnonzero(gnd_array *x);
/* The slices of x along axis where the condition is true. The condition has one dimension and any
 * dtype, and may be shorter than the axis. GND_ERR_INDEX: it is true beyond the end of the axis. */
GND_API gnd_array *gnd_compress(gnd_array *condition, gnd_array *x, int axis);
/* The elements of x where the condition is true; both are flattened. */
GND_API gnd_array *gnd_extract(gnd_array *condition, gnd_array *x);

/* --- choosing between arrays ------------------------------------------------------------------ */

/* For each element, the element of choices[i], where conditions[i] is the first of the n >= 1
 * conditions that is true; otherwise (NULL: 0) if none is true. All arguments broadcast; choices
 * and otherwise promote. Every choice is computed for all elements, in one kernel together with its
 * elementwise inputs. GND_ERR_DTYPE: a condition is not bool. */
GND_API gnd_array *gnd_select(int n, gnd_array *const *conditions, gnd_array *const *choices,
                              gnd_array *otherwise);
/* For each element of x, the element of values[i], where conditions[i] is the last of the n
 * conditions that is true; otherwise (NULL: 0) if none is true. The result has the shape and dtype
 * of x. Where NumPy's piecewise takes functions, pass their results for all of x. All arguments
 * broadcast to the shape of x; values are cast as by gnd_astype. GND_ERR_DTYPE: a condition is not
 * bool. */
GND_API gnd_array *gnd_piecewise(gnd_array *x, int n, gnd_array *const *conditions,
                                 gnd_array *const *values, gnd_array *otherwise);
/* For each element of indices (ints), the element of choices[index]; there are n >= 1 choices,
 * arrays or scalars. All arguments broadcast; the choices promote. GND_INDEX_RAISE rejects negative
 * indices. */
GND_API gnd_array *gnd_choose(gnd_array *indices, int n, gnd_array *const *choices,
                              gnd_index_mode mode);

/* --- arrays with some elements changed ------------------------------------------------------- */

/* A copy of x with value at the places of an index as in gnd_index; x does not change. value
 * broadcasts to the shape of the index and is cast to the dtype of x as by gnd_astype. If a place
 * is named more than once, it gets the last value in C order of the index, on every device. If
 * values are not broadcast along a mask, the mask must have as many true elements as there are
 * values (GND_ERR_SHAPE). */
GND_API gnd_array *gnd_set(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* A copy of x with value at the indices along axis; the counterpart of gnd_take_along_axis. indices
 * have the same number of dimensions as x; value broadcasts to their shape. */
GND_API gnd_array *gnd_put_along_axis(gnd_array *x, gnd_array *indices, gnd_array *value, int axis);
/* A copy of x with values at these indices of the flattened x, in order. If there are fewer values
 * than indices, they repeat from the first. The last value at a place counts. Without values
 * nothing changes. */
GND_API gnd_array *gnd_put(gnd_array *x, gnd_array *indices, gnd_array *values);
/* A copy of x where the elements with a true mask are replaced by successive values, repeated from
 * the first if necessary; all are flattened. The mask has as many elements as x and any dtype. Does
 * not wait. GND_ERR_SHAPE: no values, or another size of the mask. */
GND_API gnd_array *gnd_place(gnd_array *x, gnd_array *mask, gnd_array *values);
/* A copy of x with values where the mask (as many elements as x, any dtype) is true. Each element
 * gets the value at its own position in the flattened array, modulo the number of values, cast to
 * the dtype of x. (gnd_place uses the next value for each changed element.) Without values nothing
 * changes. */
GND_API gnd_array *gnd_putmask(gnd_array *x, gnd_array *mask, gnd_array *values);

/* NumPy's rules for allowed casts. */
typedef enum gnd_casting {
    GND_CAST_NO,        /* "no": only the same dtype */
    GND_CAST_EQUIV,     /* "equiv": the same dtype */
    GND_CAST_SAFE,      /* "safe": as gnd_can_cast */
    GND_CAST_SAME_KIND, /* "same_kind": also within a kind, or to a higher one, such as float64
                           to float32 */
    GND_CAST_UNSAFE     /* "unsafe": every cast of gnd_astype */
} gnd_casting;

/* A copy of x with the elements of src where `where` is true (NULL: everywhere). src and where
 * broadcast to the shape of x, and src is cast to its dtype. GND_ERR_DTYPE: `casting` does not
 * allow the cast. */
GND_API gnd_array *gnd_copyto(gnd_array *x, gnd_array *src, gnd_casting casting, gnd_array *where);
/* A copy of x with value on its main diagonal, the elements whose indices are all equal. With more
 * than two dimensions all extents must be equal. An array of several values fills the diagonal in
 * order and repeats if necessary. wrap: the diagonal of a matrix with more rows than columns starts
 * again after a gap of one row. GND_ERR_SHAPE: unequal extents, or fewer than two dimensions. */
GND_API gnd_array *gnd_fill_diagonal(gnd_array *x, gnd_array *value, int wrap);
/* A copy of x with value added at the places of an index as in gnd_index. Every value counts, even
 * if a place is named several times. The result does not depend on the order in which the device
 * adds. Sums of floats are exact to far below an ulp of the largest value at a place, and rounded
 * once; ints wrap; bools use "or". value broadcasts as in gnd_set. GND_ERR_DTYPE: the kind of value
 * is higher than that of x (floats into ints). */
GND_API gnd_array *gnd_add_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* A copy of x with the maximum of the element and all values at each place. NaN if any of them is
 * NaN. Arguments as for gnd_add_at. GND_ERR_DTYPE: complex dtypes. */
GND_API gnd_array *gnd_max_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* A copy of x with the minimum of the element and all values at each place. NaN if any of them is
 * NaN. Arguments as for gnd_add_at. GND_ERR_DTYPE: complex dtypes. */
GND_API gnd_array *gnd_min_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);

#ifdef __cplusplus
}
#endif
#endif
