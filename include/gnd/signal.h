/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/signal.h - convolutions and correlations, as in NumPy and SciPy.
 *
 * A convolution is computed directly, as sums in one kernel that walks the windows of one operand,
 * or by Fourier transforms, of the whole arrays or of blocks (overlap-save). GND_CONV_AUTO selects
 * the method that a cost model expects to be fastest (lib/ops/signal/ways.c, with its
 * measurements). Ints and bools always use direct sums, which are exact and wrap. Transforms have
 * errors of about eps log2(n) times the largest results, at every place, and one NaN or infinity
 * makes all results NaN. Direct sums take zeros beyond the ends, and an infinity or NaN of the
 * shorter operand times such a zero is NaN as well.
 *
 * dtypes promote. float16 and bfloat16 are computed in float32 and rounded once. bools are combined
 * by `and` and `or`, as in NumPy. Errors of all functions: GND_ERR_NULL; GND_ERR_ARG: an invalid
 * mode, boundary or method, or transforms of ints; GND_ERR_SHAPE; GND_ERR_DEVICE; GND_ERR_DTYPE;
 * GND_ERR_OVERFLOW; the errors of the arrays.
 */
#ifndef GND_SIGNAL_H
#define GND_SIGNAL_H

#include <gnd/fft.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The part of the n + m - 1 sums to return. FULL: all. SAME: the middle ones. VALID: those without
 * elements beyond the ends. */
typedef enum gnd_conv_mode {
    GND_CONV_FULL = 0,
    GND_CONV_SAME = 1,
    GND_CONV_VALID = 2
} gnd_conv_mode;
typedef enum gnd_conv_method {
    GND_CONV_AUTO = 0,
    GND_CONV_DIRECT = 1,
    GND_CONV_FFT = 2,   /* transforms of the whole arrays */
    GND_CONV_BLOCKS = 3 /* transforms of blocks */
} gnd_conv_method;
/* The values beyond the edges of an image. FILL: a constant. WRAP: the opposite edge. SYMM:
 * mirrored, repeating the edge. */
typedef enum gnd_boundary {
    GND_BOUNDARY_FILL = 0,
    GND_BOUNDARY_WRAP = 1,
    GND_BOUNDARY_SYMM = 2
} gnd_boundary;

/* The convolution y[k] = sum over j of a[j] v[k - j] of 1-d arrays of n and m elements, both
 * nonempty. SAME: max(n, m) sums; VALID: max(n, m) - min(n, m) + 1. */
GND_API gnd_array *gnd_convolve(gnd_array *a, gnd_array *v, gnd_conv_mode mode,
                                gnd_conv_method method);
/* The correlation y[k] = sum over j of a[j + k] conj(v[j]), for k from -(m - 1) on. The rest is as
 * in gnd_convolve. */
GND_API gnd_array *gnd_correlate(gnd_array *a, gnd_array *v, gnd_conv_mode mode,
                                 gnd_conv_method method);

/* The convolution of arrays with the same number of dimensions along naxes of them (axes NULL and
 * naxes -1: all). The other axes broadcast. SAME: the shape of x, from the middle; VALID: along all
 * axes x is at least as large as k, or k as x. Uses transforms of the whole arrays. Results are
 * floats or complex numbers with the dtypes of gnd_fft (float16 gives float32, ints the default
 * float). Empty arrays give empty results. */
GND_API gnd_array *gnd_fftconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                                   const int *axes);
/* Same as gnd_fftconvolve, by transforms of blocks (overlap-add). For arrays of very different
 * sizes. */
GND_API gnd_array *gnd_oaconvolve(gnd_array *x, gnd_array *k, gnd_conv_mode mode, int naxes,
                                  const int *axes);

/* The convolution of two images (2-d arrays, not empty). fill: the value beyond the edges of x for
 * GND_BOUNDARY_FILL, a scalar or 0-d array, cast to the common dtype; NULL: 0. Modes as for
 * gnd_fftconvolve. */
GND_API gnd_array *gnd_conv2d(gnd_array *x, gnd_array *k, gnd_conv_mode mode, gnd_boundary boundary,
                              gnd_array *fill, gnd_conv_method method);

#ifdef __cplusplus
}
#endif
#endif
