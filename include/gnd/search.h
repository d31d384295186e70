/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/search.h - search in sorted arrays, interpolation, counting. Errors of all functions:
 * GND_ERR_NULL, GND_ERR_SHAPE, GND_ERR_DTYPE, GND_ERR_ARG, GND_ERR_DEVICE, the error of the array.
 * The order of elements is NumPy's: NaN last, complex values by real part, then by imaginary part.
 */
#ifndef GND_SEARCH_H
#define GND_SEARCH_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The side of equal elements: before or after them. */
enum { GND_LEFT = 0, GND_RIGHT = 1 };

/* For each element of x2 (any shape, or a scalar), the index at which it can be inserted into
 * the sorted 1-d array x1: int64, with the shape of x2. If sorter is not NULL, x1[sorter] is the
 * sorted array; sorter is a 1-d int array of as many elements (GND_ERR_INDEX, when the result is
 * read: an index out of range). The order of x1 is not checked. Elements are compared in the
 * promoted dtype. */
GND_API gnd_array *gnd_searchsorted(gnd_array *x1, gnd_array *x2, int side, gnd_array *sorter);
/* For each element of x, the number of its bin, int64: i if bins[i-1] <= x < bins[i] (right 0), or
 * if bins[i-1] < x <= bins[i] (right 1). 0 before the first edge; the number of edges after the
 * last one, and for NaN. For decreasing bins the relations are reversed. bins is 1-d and monotonic
 * (GND_ERR_ARG, when the result is read). No complex dtypes. */
GND_API gnd_array *gnd_digitize(gnd_array *x, gnd_array *bins, int right);
/* Piecewise linear interpolation at x of the points (xp[i], fp[i]). xp and fp are 1-d, of one
 * nonzero length; xp is increasing (not checked). left and right are the values below xp[0] and
 * above the last xp: numbers or 0-d arrays; NULL: the first and the last fp. period: 0 for none;
 * else x and xp are taken modulo its absolute value, and xp is sorted. Computed by NumPy's
 * formula in float64, or in complex128 for complex fp (float32 and complex64 on a device without
 * float64). */
GND_API gnd_array *gnd_interp(gnd_array *x, gnd_array *xp, gnd_array *fp, gnd_array *left,
                              gnd_array *right, double period);

/* The number of occurrences of 0, 1, 2 ... in x, a 1-d array of ints or bools: int64, with max(x) +
 * 1 elements, and at least minlength. Waits for the device, because the length depends on values.
 * weights (or NULL) has the size of x; its elements are added instead of ones, and the result is
 * float64 (float32 on a device without it). GND_ERR_ARG: a negative element; GND_ERR_DEVMEM: the
 * result does not fit in a buffer of the device; GND_ERR_DTYPE: complex weights. */
GND_API gnd_array *gnd_bincount(gnd_array *x, gnd_array *weights, int64_t minlength);
/* Same as gnd_bincount, for the values 0 .. length - 1 only. Other elements are not counted. Does
 * not wait. */
GND_API gnd_array *gnd_bincount_of(gnd_array *x, gnd_array *weights, int64_t length);

/* Flag of histograms: densities instead of counts. A density is the fraction of elements in a bin
 * divided by the size of the bin. */
#define GND_DENSITY 8u

/* The bins + 1 edges of bins of equal width from range[0] to range[1]. range NULL: from the
 * smallest to the largest element of x, or 0 to 1 if x is empty. If both ends are equal, they are
 * extended by one half on each side. bins >= 1. The result has the dtype of x; ints and bools give
 * the default float. GND_ERR_ARG: the range is not finite (if it comes from x, when the result is
 * read). */
GND_API gnd_array *gnd_histogram_bin_edges(gnd_array *x, int64_t bins, const double *range);
/* A histogram of the elements of x (any shape): counts (int64) in out[0] and edges in out[1]. Bin i
 * has edges[i] <= x < edges[i+1]; the last bin includes its right edge. Elements outside, and NaN,
 * are not counted. edges is 1-d and increasing (GND_ERR_ARG, when the result is read); NULL: those
 * of gnd_histogram_bin_edges(x, bins, range). weights, with the shape of x, or NULL: sums of
 * weights in their dtype (bools: int64). GND_DENSITY gives float64 (float32 on a device without
 * it). Does not wait. Returns the first error, which out then holds. */
GND_API gnd_status gnd_histogram(gnd_array *x, int64_t bins, const double *range, gnd_array *edges,
                                 gnd_array *weights, unsigned flags, gnd_array **out);
/* A histogram in n dimensions, 1 to 32. x[d], d = 0 .. n - 1, are the coordinates: 1-d arrays of
 * one length. bins[d] is the number of bins (bins may be NULL if all edges are given), range[2 d]
 * and range[2 d + 1] the range (range NULL: from the elements), edges[d] the edges (edges NULL:
 * none are given), as for gnd_histogram. The histogram goes to out[0], with n dimensions in float64
 * (float32 on a device without it), and the edges to out[1 .. n]. */
GND_API gnd_status gnd_histogramdd(int n, gnd_array *const *x, const int64_t *bins,
                                   const double *range, gnd_array *const *edges, gnd_array *weights,
                                   unsigned flags, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
