/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/fft.h - discrete Fourier transforms of any length along any axes. The backend's library is
 * used if there is one (cuFFT), else kernels of gnd: mixed radix with primes up to 13 (127 on
 * CPUs), several steps for long rows, and Bluestein's algorithm for lengths with a larger prime
 * factor.
 *
 * dtypes: float32, complex64, float16 and bfloat16 give complex64. float64, complex128, ints and
 * bools give complex128 (complex64 on a device without float64). n is the length of the transform:
 * the input is truncated or padded with zeros. GND_FFT_FULL uses its full length. Errors of all
 * functions: GND_ERR_NULL; GND_ERR_AXIS; GND_ERR_ARG: a length below 1, or an invalid norm;
 * GND_ERR_DTYPE: complex input of a real transform; GND_ERR_OVERFLOW; the error of the array.
 */
#ifndef GND_FFT_H
#define GND_FFT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Normalization. BACKWARD: the inverse transform is scaled by 1/n. ORTHO: both are scaled by
 * 1/sqrt(n). FORWARD: the forward transform is scaled by 1/n. */
typedef enum gnd_norm { GND_NORM_BACKWARD = 0, GND_NORM_ORTHO = 1, GND_NORM_FORWARD = 2 } gnd_norm;
#define GND_FFT_FULL INT64_C(-1)

/* The discrete Fourier transform along an axis: y[k] = sum over j of x[j] exp(-2 pi i jk/n). */
GND_API gnd_array *gnd_fft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_fft: x[j] = 1/n sum over k of y[k] exp(2 pi i jk/n). */
GND_API gnd_array *gnd_ifft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The transform of n reals along an axis. Returns the first n/2 + 1 values; the others are their
 * conjugates. */
GND_API gnd_array *gnd_rfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_rfft, n reals. GND_FFT_FULL: n = 2(m - 1), where m is the extent of the
 * axis. */
GND_API gnd_array *gnd_irfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The transform of a Hermitian-symmetric signal, given by its first half, to n reals. */
GND_API gnd_array *gnd_hfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_hfft: n reals to the first half of a Hermitian-symmetric signal. */
GND_API gnd_array *gnd_ihfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);

/* The transform along several axes, axes[naxes], with lengths s[naxes] (NULL: full lengths; entries
 * may be GND_FFT_FULL). axes NULL: the last naxes axes; naxes -1: all axes. An axis may be named
 * twice, except in real transforms. Real transforms are real along the last of the axes. */
GND_API gnd_array *gnd_fftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                            gnd_norm norm);
/* The inverse of gnd_fftn, with the same arguments. */
GND_API gnd_array *gnd_ifftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                             gnd_norm norm);
/* The transform of reals along several axes: real along the last of the axes, as gnd_rfft, and
 * complex along the others. No axis may be named twice. */
GND_API gnd_array *gnd_rfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                             gnd_norm norm);
/* The inverse of gnd_rfftn. s has the lengths of the result. */
GND_API gnd_array *gnd_irfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                              gnd_norm norm);

/* Cosine transforms of types 1 to 4 along an axis, as in scipy.fft. These are the formulas of the
 * cosine and sine transforms; c is cos:
 *    dct 1  x[0] + (-1)^k x[n-1] + 2 sum x[j] c(pi jk/(n-1)), n >= 2
 *    dct 2  2 sum x[j] c(pi (2j+1) k/(2n))
 *    dct 3  x[0] + 2 sum from 1 x[j] c(pi j (2k+1)/(2n))
 *    dct 4  2 sum x[j] c(pi (2j+1)(2k+1)/(4n))
 *    dst 1  2 sum x[j] sin(pi (j+1)(k+1)/(n+1))
 *    dst 2  2 sum x[j] sin(pi (2j+1)(k+1)/(2n))
 *    dst 3  (-1)^k x[n-1] + 2 sum to n-2 x[j] sin(pi (j+1)(2k+1)/(2n))
 *    dst 4  2 sum x[j] sin(pi (2j+1)(2k+1)/(4n))
 * The inverse functions invert the transform of the given type. GND_NORM_ORTHO makes all transforms
 * orthogonal (in SciPy the dst of types 2 and 3 is not). Results are real, or complex for complex
 * input; dtypes as above. */
GND_API gnd_array *gnd_dct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_dct of the given type. */
GND_API gnd_array *gnd_idct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* Sine transforms of types 1 to 4 along an axis. gnd_dct has the formulas. */
GND_API gnd_array *gnd_dst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_dst of the given type. */
GND_API gnd_array *gnd_idst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);

/* The frequencies of the n values of gnd_fft, for samples at distance d. n >= 1. t is a float
 * dtype; GND_DTYPE_DEFAULT: the device's default float. */
GND_API gnd_array *gnd_fftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t);
/* The frequencies of the n/2 + 1 values of gnd_rfft, for n samples at distance d. n and t as for
 * gnd_fftfreq. */
GND_API gnd_array *gnd_rfftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t);
/* Moves frequency 0 from the start to the middle of each of the axes. */
GND_API gnd_array *gnd_fftshift(gnd_array *x, gnd_axes axes);
/* The inverse of gnd_fftshift: moves frequency 0 from the middle to the start of each of the
 * axes. */
GND_API gnd_array *gnd_ifftshift(gnd_array *x, gnd_axes axes);

#ifdef __cplusplus
}
#endif
#endif
