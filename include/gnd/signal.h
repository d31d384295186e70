/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/signal.h - convolutions and correlations, as NumPy and SciPy have them.
 *
 * A convolution is computed by its sums (one kernel that walks the windows of one operand), or by
 * Fourier transforms, of the whole or of blocks (overlap-save). GND_CONV_AUTO takes what a cost
 * model expects to be fastest (lib/ops/signal/ways.c has it, and what it was measured with); ints
 * and bools always get their sums, which are exact and wrap as ints do. Transforms have errors of
 * about eps log2(n) times the largest results, wherever they are, and one NaN or infinity makes NaN
 * of all of them. In sums, zeros stand beyond the ends, and an infinity or NaN of the shorter
 * operand times them is NaN too.
 *
 * dtypes promote. float16 and bfloat16 are computed in float32 and rounded once; bools are combined
 * by `and` and `or`, as NumPy does. Errors of all: GND_ERR_NULL, GND_ERR_ARG (a mode, boundary or
 * method that is none; transforms of ints), GND_ERR_SHAPE, GND_ERR_DEVICE, GND_ERR_DTYPE,
 * GND_ERR_OVERFLOW, the arrays' own.
 */
#ifndef GND_SIGNAL_H
#define GND_SIGNAL_H

#include <gnd/fft.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What of the n + m - 1 sums is wanted: all; the middle ones; those of windows that lie within. */
typedef enum gnd_conv_mode {
    GND_CONV_FULL = 0,
    GND_CONV_SAME = 1,
    GND_CONV_VALID = 2
} gnd_conv_mode;
typedef enum gnd_conv_method {
    GND_CONV_AUTO = 0,
    GND_CONV_DIRECT = 1,
    GND_CONV_FFT = 2,   /* transforms of the whole */
    GND_CONV_BLOCKS = 3 /* transforms of blocks */
} gnd_conv_method;
/* What lies beyond the edges of an image: a value; its other end; its mirror image, edges repeated.
 */
typedef enum gnd_boundary {
    GND_BOUNDARY_FILL = 0,
    GND_BOUNDARY_WRAP = 1,
    GND_BOUNDARY_SYMM = 2
} gnd_boundary;

/* y[k] = sum over j of a[j] v[k - j], of 1-d arrays of n and m elements, neither 0. SAME: max(n, m)
 * sums; VALID: max(n, m) - min(n, m) + 1. */
GND_API gnd_array *gnd_convolve(gnd_array *a, gnd_array *v, gnd_conv_mode mode,
                                gnd_conv_method method);
/* y[k] = sum over j of a[j + k] conj(v[j]), for k from -(m - 1) on; else as gnd_convolve. */
GND_API gnd_array *gnd_correlate(gnd_array *a, gnd_array *v, gnd_conv_mode mode,
                                 gnd_conv_method method);

/* Convolutions of arrays of equally many dimensions along naxes of them (axes NULL and naxes -1:
 * all); along the others they broadcast. SAME: x's shape, of the middle; VALID: x must be at least
 * as large as k along all axes, or k as x. By transforms of the whole; in blocks; results are
 * floats or complex numbers, with the dtypes of gnd_fft (float16 gives float32, ints the default
 * float). Empty arrays give empty ones. */
GND_API gnd_array *gnd_fftconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                                   const int *axes);
/* gnd_fftconvolve by transforms of blocks (the method of overlap-add): for arrays of very different
 * size. */
GND_API gnd_array *gnd_oaconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                                  const int *axes);

/* Convolution of two images (2-d arrays, not empty). fill: the value beyond the edges of x with
 * GND_BOUNDARY_FILL, a scalar or 0-d array, cast to the common dtype; NULL: 0. Modes as
 * gnd_fftconvolve. */
GND_API gnd_array *gnd_conv2d(gnd_array *x, gnd_array *k, gnd_conv_mode mode, gnd_boundary boundary,
                              gnd_array *fill, gnd_conv_method method);

#ifdef __cplusplus
}
#endif
#endif
