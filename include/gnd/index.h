/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/index.h - elements by computed indices, elements where a mask is true, and arrays with some
 * elements changed. gnd_index (gnd/view.h) takes indices of any mixture; these are the rest.
 *
 * Indices are arrays of any int dtype, or gnd_int; negative ones count from the end. One that is
 * out of range is GND_ERR_INDEX: "take: index 9 is out of range for axis 0 of size 8". The device
 * finds it, so it is reported when a result is read or waited for, and with everything computed
 * from it; nothing outside of the array is touched, and nothing waits before that. Errors of all:
 * GND_ERR_NULL, GND_ERR_DTYPE (indices that are no ints), GND_ERR_SHAPE (with both shapes),
 * GND_ERR_AXIS, GND_ERR_DEVICE, and the arrays' own.
 *
 * Functions that find out where something is true have results whose shape depends on values: they
 * evaluate the mask and wait for the device, once.
 */
#ifndef GND_INDEX_H
#define GND_INDEX_H

#include <gnd/types.h>
#include <gnd/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- by indices ------------------------------------------------------------------------------ */

/* What becomes of an index out of range. */
typedef enum gnd_index_mode {
    GND_INDEX_RAISE, /* GND_ERR_INDEX, as above */
    GND_INDEX_WRAP,  /* it goes round: the remainder, which is not negative, by the number of
                        elements */
    GND_INDEX_CLIP   /* the last element; for a negative index, which then does not count from the
                        end, the first */
} gnd_index_mode;

/* Indices into an axis of size elements for gnd_take, gnd_put, gnd_index, gnd_set or any other
 * function, as NumPy's argument mode has it: int64, brought into range; GND_INDEX_RAISE: as they
 * are. Nothing is computed yet: it fuses with what reads at these indices. GND_ERR_ARG: size < 0, a
 * mode that is none; GND_ERR_INDEX: indices, but size is 0. */
GND_API gnd_array *gnd_fit_indices(gnd_array *indices, int64_t size, gnd_index_mode mode);

/* The elements of x at the indices along one axis. The result has the indices' axes in the place of
 * that one: for x of shape (3, 4, 5) and indices of shape (2, 6), axis 1 gives (3, 2, 6, 5). */
GND_API gnd_array *gnd_take(gnd_array *x, gnd_array *indices, int axis);
/* The same of x as if flattened; the result has the indices' shape. */
GND_API gnd_array *gnd_take_flat(gnd_array *x, gnd_array *indices);
/* Element i, j, ... of the result is x's at that place, but along axis at indices[i, j, ...]: sorts
 * x by what argsort gave. x and the indices have as many dimensions, and broadcast but for that
 * axis. */
GND_API gnd_array *gnd_take_along_axis(gnd_array *x, gnd_array *indices, int axis);

/* --- by masks -------------------------------------------------------------------------------- */

/* The indices of the elements of x that are not zero (true), in C order: gnd_ndim(x) int64 arrays
 * of one dimension into out, one for each axis. At least 1 dimension (GND_ERR_SHAPE). Returns the
 * first error. */
GND_API gnd_status gnd_nonzero(gnd_array *x, gnd_array **out);
/* The same as the rows of one array, of shape (n, gnd_ndim(x)). */
GND_API gnd_array *gnd_argwhere(gnd_array *x);
/* Their positions in x as if flattened. */
GND_API gnd_array *gnd_flatnonzero(gnd_array *x);
/* The slices of x along axis where the condition (one dimension, of any dtype) is true; the axis
 * ends where the condition ends. True beyond the axis is GND_ERR_INDEX. */
GND_API gnd_array *gnd_compress(gnd_array *condition, gnd_array *x, int axis);
/* The elements of x, as if flattened, where the condition, as if flattened, is true. */
GND_API gnd_array *gnd_extract(gnd_array *condition, gnd_array *x);

/* --- choosing between arrays ------------------------------------------------------------------ */

/* For each element what choices[i] has there, i being the first of the n >= 1 conditions that is
 * true; otherwise (NULL: 0) where none is. Conditions are bools (GND_ERR_DTYPE), the others arrays
 * or scalars. All broadcast, the choices and otherwise promote. Every choice is computed
 * everywhere; in one kernel with what it is made of. */
GND_API gnd_array *gnd_select(int n, gnd_array *const *conditions, gnd_array *const *choices,
                              gnd_array *otherwise);
/* In the shape and the dtype of x: values[i], i being the last of the n conditions that is true;
 * otherwise (NULL: 0) where none is. Where NumPy's piecewise takes functions, take what they give
 * for all of x. All broadcast to x's shape, values are cast as by gnd_astype. GND_ERR_DTYPE: a
 * condition that is not of bools. */
GND_API gnd_array *gnd_piecewise(gnd_array *x, int n, gnd_array *const *conditions,
                                 gnd_array *const *values, gnd_array *otherwise);
/* For each element of indices, ints, that element of choices[index], one of n >= 1 arrays or
 * scalars. All broadcast, the choices promote. GND_INDEX_RAISE takes no negative index. */
GND_API gnd_array *gnd_choose(gnd_array *indices, int n, gnd_array *const *choices,
                              gnd_index_mode mode);

/* --- arrays with some elements changed ------------------------------------------------------- */

/* x with value at the places that an index (as gnd_index takes it) names: a new array, x stays as
 * it is. value broadcasts to the index's shape and is cast to x's dtype as gnd_astype does. A place
 * that is named more than once gets the last value, in C order of the index, on every device. A
 * mask whose values are not broadcast along it has to have as many true elements as there are
 * (GND_ERR_SHAPE). */
GND_API gnd_array *gnd_set(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* x with value at the indices along axis: the counterpart of gnd_take_along_axis. indices have x's
 * number of dimensions; value broadcasts to them. */
GND_API gnd_array *gnd_put_along_axis(gnd_array *x, gnd_array *indices, gnd_array *value, int axis);
/* x with values at these indices of x as if flattened, one after the other, from the first again
 * when there are fewer values than indices; the last one wins. No values change nothing. */
GND_API gnd_array *gnd_put(gnd_array *x, gnd_array *indices, gnd_array *values);
/* x with values, one after the other and from the first again, where the mask (as many elements as
 * x, of any dtype) is true, both as if flattened. No values, or another size, are GND_ERR_SHAPE.
 * Does not wait. */
GND_API gnd_array *gnd_place(gnd_array *x, gnd_array *mask, gnd_array *values);
/* x with values, cast to its dtype, where the mask (as many elements as x, of any dtype) is true:
 * an element of x gets the one of values at its own place as if flattened, from the first again
 * where there are fewer. (gnd_place takes the next value for each element that changes.) No values
 * change nothing. */
GND_API gnd_array *gnd_putmask(gnd_array *x, gnd_array *mask, gnd_array *values);

/* NumPy's rules for which dtypes may become which. */
typedef enum gnd_casting {
    GND_CAST_NO,        /* "no": none but its own */
    GND_CAST_EQUIV,     /* "equiv": the same */
    GND_CAST_SAFE,      /* "safe": what gnd_can_cast says */
    GND_CAST_SAME_KIND, /* "same_kind": those too of the same kind, or of a higher one, as float64
                           into float32 */
    GND_CAST_UNSAFE     /* "unsafe": all that gnd_astype does */
} gnd_casting;

/* x with src, which broadcasts to its shape and is cast to its dtype, where `where` (broadcast too;
 * NULL: everywhere) is true. GND_ERR_DTYPE: a dtype of src that casting does not let become x's. */
GND_API gnd_array *gnd_copyto(gnd_array *x, gnd_array *src, gnd_casting casting, gnd_array *where);
/* x with value on its main diagonal: the elements whose indices are all the same. Beyond two
 * dimensions all extents are equal (GND_ERR_SHAPE, as for fewer than two). An array of several
 * values is put there one after the other, begun again when there are too few. wrap: the diagonal
 * of a matrix with more rows than columns begins again below a row's gap. */
GND_API gnd_array *gnd_fill_diagonal(gnd_array *x, gnd_array *value, int wrap);
/* x with value added at these places, compared with what is there: every value counts, however
 * often a place is named. The result is the same whatever the order in which the device does it.
 * Sums of floats are exact to far below an ulp of the greatest value at a place, and rounded once
 * (int: wraps, bool: or). gnd_max_at, gnd_min_at: NaN wins; not for complex dtypes (GND_ERR_DTYPE).
 * value broadcasts as for gnd_set; its kind must not be above x's (GND_ERR_DTYPE: floats into
 * ints). */
GND_API gnd_array *gnd_add_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* x with the greatest of what is at each of these places and the values for it. NaN wins. The
 * arguments are those of gnd_add_at; complex dtypes are GND_ERR_DTYPE. */
GND_API gnd_array *gnd_max_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);
/* x with the smallest of what is at each of these places and the values for it. NaN wins. The
 * arguments are those of gnd_add_at; complex dtypes are GND_ERR_DTYPE. */
GND_API gnd_array *gnd_min_at(gnd_array *x, int n, const gnd_range *idx, gnd_array *value);

#ifdef __cplusplus
}
#endif
#endif
