/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/create.h - creating arrays. A shape is (int ndim, const int64_t *shape); shape may be NULL if
 * ndim is 0. Errors of all functions: GND_ERR_NULL; GND_ERR_SHAPE: a negative extent, or more than
 * 32 dimensions; GND_ERR_OVERFLOW: the size in bytes does not fit in 64 bits; GND_ERR_DTYPE;
 * GND_ERR_UNSUPPORTED: float64 or complex128 on a device without float64; the error of the device.
 */
#ifndef GND_CREATE_H
#define GND_CREATE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A weak bool. Weak scalars belong to no device and take the dtype of the arrays that they are
 * combined with, as Python's numbers do with NumPy arrays. */
GND_API gnd_array *gnd_bool(int v);
/* A weak int. It takes the dtype of the other operand. GND_ERR_OVERFLOW: the value does not fit
 * that dtype. */
GND_API gnd_array *gnd_int(int64_t v);
/* A weak int up to 2^64 - 1. Up to 2^63 - 1 it is the same as gnd_int. Larger values fit only
 * uint64 and floats; with an array of another int dtype they are GND_ERR_OVERFLOW, except in
 * comparisons. */
GND_API gnd_array *gnd_uint(uint64_t v);
/* A weak float. With an int dtype it gives the default float, with a complex dtype a complex
 * number. */
GND_API gnd_array *gnd_real(double v);
/* A weak complex number re + im i. With a real dtype it gives the complex dtype of the same
 * precision. */
GND_API gnd_array *gnd_complex(double re, double im);

/* Copies host memory to a new array. data has contiguous elements of dtype t in C order. */
GND_API gnd_array *gnd_from(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                            const void *data);
/* Same as gnd_from, for strided host memory. Strides are in bytes and may be negative or 0; NULL
 * means C order. */
GND_API gnd_array *gnd_from_strided(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                                    const int64_t *byte_strides, const void *data);
/* Returns x if it is an array of dev. A weak scalar becomes a 0-d array on dev with dtype t.
 * GND_DTYPE_DEFAULT: bool, int64, the default float or the default complex dtype, by its kind. */
GND_API gnd_array *gnd_asarray(gnd_device *dev, gnd_array *x, gnd_dtype t);

/* Zeros of dtype t; GND_DTYPE_DEFAULT gives the device's default float. */
GND_API gnd_array *gnd_zeros(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* Ones of dtype t; GND_DTYPE_DEFAULT gives the device's default float. */
GND_API gnd_array *gnd_ones(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* All elements are value, a 0-d array or a weak scalar. GND_DTYPE_DEFAULT gives the dtype of
 * value. */
GND_API gnd_array *gnd_full(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                            gnd_array *value);
/* An array with undefined elements. GND_DTYPE_DEFAULT gives the device's default float. */
GND_API gnd_array *gnd_empty(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);
/* Zeros with the shape and device of x. GND_DTYPE_DEFAULT gives the dtype of x. */
GND_API gnd_array *gnd_zeros_like(gnd_array *x, gnd_dtype t);
/* Ones with the shape and device of x. GND_DTYPE_DEFAULT gives the dtype of x. */
GND_API gnd_array *gnd_ones_like(gnd_array *x, gnd_dtype t);
/* All elements are value, a 0-d array or a weak scalar, with the shape and device of x.
 * GND_DTYPE_DEFAULT gives the dtype of x. */
GND_API gnd_array *gnd_full_like(gnd_array *x, gnd_dtype t, gnd_array *value);
/* Undefined elements with the shape and device of x. GND_DTYPE_DEFAULT gives the dtype of x. */
GND_API gnd_array *gnd_empty_like(gnd_array *x, gnd_dtype t);

/* The values start, start + step, ... up to but not including stop: ceil((stop - start) / step)
 * elements. Element i is start + i * step. start, stop and step are weak scalars.
 * GND_DTYPE_DEFAULT: int64 if all three are ints, else the default float. GND_ERR_ARG: step is
 * 0. */
GND_API gnd_array *gnd_arange(gnd_device *dev, gnd_array *start, gnd_array *stop, gnd_array *step,
                              gnd_dtype t);
/* Same as gnd_arange, with doubles. */
GND_API gnd_array *gnd_arange_f64(gnd_device *dev, double start, double stop, double step,
                                  gnd_dtype t);
/* Same as gnd_arange, with ints. */
GND_API gnd_array *gnd_arange_i64(gnd_device *dev, int64_t start, int64_t stop, int64_t step,
                                  gnd_dtype t);
/* num >= 0 evenly spaced values from start to stop. stop is included unless endpoint is 0. start
 * and stop are scalars, real or complex. t is a float dtype, GND_DTYPE_DEFAULT, or an int dtype
 * (values are rounded down, as in NumPy). */
GND_API gnd_array *gnd_linspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                                int endpoint, gnd_dtype t);
/* base ** gnd_linspace(...), elementwise. start, stop and base are scalars. GND_DTYPE_DEFAULT: the
 * device's default float, or the complex dtype. Int dtypes truncate fractions. */
GND_API gnd_array *gnd_logspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                                int endpoint, gnd_array *base, gnd_dtype t);
/* num >= 0 values from start to stop, where each value is the previous one times a constant factor.
 * stop is included unless endpoint is 0. start and stop have the same sign, or are complex. The end
 * values are exact. GND_ERR_ARG: start or stop is 0. */
GND_API gnd_array *gnd_geomspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                                 int endpoint, gnd_dtype t);
/* An n x m matrix with ones on diagonal k and zeros elsewhere (m < 0: m = n). */
GND_API gnd_array *gnd_eye(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k);
/* An n x m matrix with ones where column - row <= k and zeros elsewhere (m < 0: m = n). */
GND_API gnd_array *gnd_tri(gnd_device *dev, gnd_dtype t, int64_t n, int64_t m, int64_t k);
/* The lower triangle of the last two axes: element (i, j) is kept if j - i <= k, else replaced by
 * 0. GND_ERR_SHAPE: x has fewer than 2 dimensions. */
GND_API gnd_array *gnd_tril(gnd_array *x, int64_t k);
/* The upper triangle of the last two axes: element (i, j) is kept if j - i >= k, else replaced by
 * 0. GND_ERR_SHAPE: x has fewer than 2 dimensions. */
GND_API gnd_array *gnd_triu(gnd_array *x, int64_t k);
/* Makes n coordinate arrays from n one-dimensional arrays and stores them in out[n]. indexing_ij 0
 * is NumPy's indexing "xy", otherwise "ij". Returns the first error. */
GND_API gnd_status gnd_meshgrid(int n, gnd_array *const *x, int indexing_ij, gnd_array **out);

/* x converted to dtype t; x itself if it has that dtype. GND_ERR_DTYPE: complex to real; use
 * gnd_real_part. */
GND_API gnd_array *gnd_astype(gnd_array *x, gnd_dtype t);

#ifdef __cplusplus
}
#endif
#endif
