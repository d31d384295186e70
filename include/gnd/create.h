/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/create.h - making arrays. Shapes are (int ndim, const int64_t *shape); shape may be NULL when
 * ndim is 0. Errors of all: GND_ERR_NULL, GND_ERR_SHAPE (a negative extent, over 32 dimensions),
 * GND_ERR_OVERFLOW (bytes do not fit 64 bits), GND_ERR_DTYPE, GND_ERR_UNSUPPORTED (float64 or
 * complex128 on a device without float64), the device's own error.
 */
#ifndef GND_CREATE_H
#define GND_CREATE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak scalars: operands that belong to no device and take the dtype of what they meet, as Python's
 * numbers do with NumPy arrays. */
GND_API gnd_array *gnd_bool(int v);
/* A weak int: it takes the dtype of what it meets, if the value fits (else GND_ERR_OVERFLOW). */
GND_API gnd_array *gnd_int(int64_t v);
/* An int to 2^64 - 1, which only uint64 and floats can take: with an array of other ints it is GND_ERR_OVERFLOW but in
 * comparisons. Up to 2^63 - 1 it is gnd_int. */
GND_API gnd_array *gnd_uint(uint64_t v);
/* A weak float: beside an int dtype it gives the default float, beside a complex dtype a complex number. */
GND_API gnd_array *gnd_real(double v);
/* A weak complex number re + im i: beside a real dtype it gives the complex dtype of that width. */
GND_API gnd_array *gnd_complex(double re, double im);

/* A copy of host memory: contiguous elements of that dtype in C order. */
GND_API gnd_array *gnd_from(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape, const void *data);
/* The same from strided host memory: strides in bytes, may be negative or 0; NULL for C order. */
GND_API gnd_array *gnd_from_strided(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                                    const int64_t *byte_strides, const void *data);
/* x itself when it is an array of dev; a weak scalar becomes a 0-d array of dev with dtype t
 * (GND_DTYPE_DEFAULT: bool, int64, the default float, its complex). */
GND_API gnd_array *gnd_asarray(gnd_device *dev, gnd_array *x, gnd_dtype t);

/* Zeros of dtype t; GND_DTYPE_DEFAULT gives the device's default float. */
GND_API gnd_array *gnd_zeros(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* Ones of dtype t; GND_DTYPE_DEFAULT gives the device's default float. */
GND_API gnd_array *gnd_ones(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* value, a 0-d array or a scalar, in every element; GND_DTYPE_DEFAULT gives the dtype of value. */
GND_API gnd_array *gnd_full(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape, gnd_array *value);
/* Contents not defined. */
GND_API gnd_array *gnd_empty(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* Zeros with the shape and device of x, and its dtype when t is GND_DTYPE_DEFAULT. */
GND_API gnd_array *gnd_zeros_like(gnd_array *x, gnd_dtype t);
/* Ones with the shape and device of x, and its dtype when t is GND_DTYPE_DEFAULT. */
GND_API gnd_array *gnd_ones_like(gnd_array *x, gnd_dtype t);
/* The 0-d array or scalar value in every element, with the shape and device of x, and its dtype when t is
 * GND_DTYPE_DEFAULT. */
GND_API gnd_array *gnd_full_like(gnd_array *x, gnd_dtype t, gnd_array *value);
/* Elements that are not defined, with the shape and device of x, and its dtype when t is
 * GND_DTYPE_DEFAULT. */
GND_API gnd_array *gnd_empty_like(gnd_array *x, gnd_dtype t);

/* start, start + step, ... below (or above) stop: ceil((stop - start) / step) elements. The scalars
 * are weak; t == GND_DTYPE_DEFAULT: int64 when all three are ints, else the default float. step 0 is
 * GND_ERR_ARG. Element i is start + i * step. */
GND_API gnd_array *gnd_arange(gnd_device *dev, gnd_array *start, gnd_array *stop, gnd_array *step, gnd_dtype t);
/* The short form for doubles: gnd_arange with real scalars. */
GND_API gnd_array *gnd_arange_f64(gnd_device *dev, double start, double stop, double step, gnd_dtype t);
/* The short form for integers. */
GND_API gnd_array *gnd_arange_i64(gnd_device *dev, int64_t start, int64_t stop, int64_t step, gnd_dtype t);
/* num >= 0 values from start to stop, with stop unless endpoint is 0. start and stop are scalars
 * (complex ones too); a float dtype or GND_DTYPE_DEFAULT, or an int dtype (floor, as NumPy). */
GND_API gnd_array *gnd_linspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num, int endpoint, gnd_dtype t);
/* base ** gnd_linspace(...), elementwise; start, stop and base are scalars. t == GND_DTYPE_DEFAULT:
 * the device's default float, or its complex. Int dtypes cut off fractions. */
GND_API gnd_array *gnd_logspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num, int endpoint,
                                gnd_array *base, gnd_dtype t);
/* num >= 0 values from start to stop (with stop unless endpoint is 0), each the one before times the
 * same factor: both of one sign, or complex. The ends are exact. A 0 is GND_ERR_ARG. */
GND_API gnd_array *gnd_geomspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num, int endpoint,
                                 gnd_dtype t);
/* Ones on diagonal k of an n x m matrix (m < 0: m = n). */
GND_API gnd_array *gnd_eye(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k);
/* Ones where column - row <= k in an n x m matrix (m < 0: m = n), zeros elsewhere. */
GND_API gnd_array *gnd_tri(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k);
/* The lower triangle of the last two axes, and zeros elsewhere: element (i, j) stays when j - i <= k. x
 * has at least 2 dimensions (GND_ERR_SHAPE). */
GND_API gnd_array *gnd_tril(gnd_array *x, int64_t k);
/* The upper triangle of the last two axes, and zeros elsewhere: element (i, j) stays when j - i >= k. x
 * has at least 2 dimensions (GND_ERR_SHAPE). */
GND_API gnd_array *gnd_triu(gnd_array *x, int64_t k);
/* n coordinate arrays from n one-dimensional ones, into out. indexing_ij 0 is NumPy's "xy". Returns
 * the first error. */
GND_API gnd_status gnd_meshgrid(int n, gnd_array *const *x, int indexing_ij, gnd_array **out);

/* x as dtype t (x itself when it has it). Complex to real is GND_ERR_DTYPE: take gnd_real_part. */
GND_API gnd_array *gnd_astype(gnd_array *x, gnd_dtype t);

#ifdef __cplusplus
}
#endif
#endif
