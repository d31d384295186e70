/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/fft.h - discrete Fourier transforms, of any length, along any axes. By the backend's library
 * where there is one (cuFFT), else by kernels of gnd: mixed radix up to the primes 13, in several
 * steps for long rows, Bluestein's algorithm for lengths with a larger prime factor.
 *
 * float32 and complex64 give complex64; float16 and bfloat16 likewise; float64, complex128, and
 * ints and bools give complex128 (complex64 on a device without float64). n is the length that is
 * transformed: the input is cut or filled with zeros; GND_FFT_FULL takes it as it is. Errors of
 * all: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_ARG (a length below 1, a norm that is none),
 * GND_ERR_DTYPE (complex input of a transform of reals), GND_ERR_OVERFLOW, the array's own.
 */
#ifndef GND_FFT_H
#define GND_FFT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The scale 1/n belongs to the inverse transform; 1/sqrt(n) to both; 1/n to the forward one. */
typedef enum gnd_norm { GND_NORM_BACKWARD = 0, GND_NORM_ORTHO = 1, GND_NORM_FORWARD = 2 } gnd_norm;
#define GND_FFT_FULL INT64_C(-1)

/* The discrete Fourier transform along an axis: y[k] = sum over j of x[j] exp(-2 pi i jk/n). */
GND_API gnd_array *gnd_fft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_fft: x[j] = 1/n sum over k of y[k] exp(2 pi i jk/n). */
GND_API gnd_array *gnd_ifft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The transform of n reals along an axis: the n/2 + 1 values of which the others are conjugates. */
GND_API gnd_array *gnd_rfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_rfft: n reals; n = 2(m - 1), with m the extent of the axis, when n is
 * GND_FFT_FULL. */
GND_API gnd_array *gnd_irfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The transform of a signal with Hermitian symmetry, given by its first half, to n reals. */
GND_API gnd_array *gnd_hfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);
/* The inverse of gnd_hfft: from n reals to the first half of a signal with Hermitian symmetry. */
GND_API gnd_array *gnd_ihfft(gnd_array *x, int64_t n, int axis, gnd_norm norm);

/* Along several axes, axes[naxes], to lengths s[naxes] (NULL: as they are; single ones
 * GND_FFT_FULL). axes NULL: the last naxes axes; naxes -1: all. An axis may come twice, but for the
 * real ones. Real transforms are real along the last of the axes. */
GND_API gnd_array *gnd_fftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                            gnd_norm norm);
/* The inverse of gnd_fftn; the arguments are the same. */
GND_API gnd_array *gnd_ifftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                             gnd_norm norm);
/* gnd_fftn of reals: real along the last of the axes, as gnd_rfft, complex along the others. No
 * axis may come twice. */
GND_API gnd_array *gnd_rfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                             gnd_norm norm);
/* The inverse of gnd_rfftn. s counts the result's elements. */
GND_API gnd_array *gnd_irfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s,
                              gnd_norm norm);

/* Cosine and sine transforms of types 1 to 4 along an axis, as scipy.fft has them: with c = cos,
 *   dct 1  x[0] + (-1)^k x[n-1] + 2 sum x[j] c(pi jk/(n-1)), n >= 2
 *   dct 2  2 sum x[j] c(pi (2j+1) k/(2n))                 dct 3  x[0] + 2 sum from 1 x[j] c(pi j
 * (2k+1)/(2n)) dct 4  2 sum x[j] c(pi (2j+1)(2k+1)/(4n)) dst 1  2 sum x[j] sin(pi (j+1)(k+1)/(n+1))
 * dst 2  2 sum x[j] sin(pi (2j+1)(k+1)/(2n)) dst 3  (-1)^k x[n-1] + 2 sum to n-2 x[j] sin(pi
 * (j+1)(2k+1)/(2n)) dst 4  2 sum x[j] sin(pi (2j+1)(2k+1)/(4n)) and the inverses, of the transform
 * of that type. GND_NORM_ORTHO makes all of them orthogonal (SciPy's dst of types 2 and 3 is not).
 * Results are real, complex for complex input; dtypes as above. */
GND_API gnd_array *gnd_dct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* The inverse of the cosine transform of that type. */
GND_API gnd_array *gnd_idct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* The sine transforms of types 1 to 4, by the formulas at gnd_dct. */
GND_API gnd_array *gnd_dst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);
/* The inverse of the sine transform of that type. */
GND_API gnd_array *gnd_idst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm);

/* The frequencies of the n values of gnd_fft for samples at distance d. n >= 1; t: a float dtype,
 * GND_DTYPE_DEFAULT the device's. */
GND_API gnd_array *gnd_fftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t);
/* The frequencies of the n/2 + 1 values of gnd_rfft for n samples at distance d; n and t as for
 * gnd_fftfreq. */
GND_API gnd_array *gnd_rfftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t);
/* Frequency 0 moves from the start to the middle of each of the axes. */
GND_API gnd_array *gnd_fftshift(gnd_array *x, gnd_axes axes);
/* The inverse of gnd_fftshift: frequency 0 moves from the middle to the start of each of the axes.
 */
GND_API gnd_array *gnd_ifftshift(gnd_array *x, gnd_axes axes);

#ifdef __cplusplus
}
#endif
#endif
