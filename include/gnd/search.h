/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/search.h - places in sorted arrays, interpolation, counting. Errors of all: GND_ERR_NULL,
 * GND_ERR_SHAPE, GND_ERR_DTYPE, GND_ERR_ARG, GND_ERR_DEVICE, the array's own error. The order of
 * elements is NumPy's: NaN last, complex values by real, then by imaginary part.
 */
#ifndef GND_SEARCH_H
#define GND_SEARCH_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before or behind elements that are equal. */
enum { GND_LEFT = 0, GND_RIGHT = 1 };

/* For each element of x2 (any shape, or a scalar) the index at which it would keep the 1-d array x1
 * sorted: int64, of the shape of x2. x1 is sorted, or, when sorter is not NULL, x1[sorter] is: a
 * 1-d int array of as many elements (GND_ERR_INDEX, when the result is read, where one is out of
 * range). That x1 is sorted is not checked. Compared in the dtype that both promote to. */
GND_API gnd_array *gnd_searchsorted(gnd_array *x1, gnd_array *x2, int side, gnd_array *sorter);
/* For each element of x the number of its bin: i where bins[i-1] <= x < bins[i] (right 0), or
 * bins[i-1] < x <= bins[i] (right 1), 0 before the first and the number of bins behind the last.
 * Decreasing bins likewise, with the relations turned round. NaN is behind the last. bins: 1-d, in
 * order; GND_ERR_ARG, when the result is read, where they are not. int64. No complex dtypes. */
GND_API gnd_array *gnd_digitize(gnd_array *x, gnd_array *bins, int right);
/* The piecewise linear function through the points (xp[i], fp[i]) at x: xp and fp 1-d, of one
 * length and not empty, xp increasing (not checked). left and right: the values below xp[0] and
 * above the last point, numbers or 0-d arrays; NULL: fp[0] and the last fp. period: 0 for none;
 * else x and xp are taken modulo its absolute value, and xp is sorted. Computed in float64,
 * complex128 for a complex fp (float32 and complex64 on a device without float64), by NumPy's
 * formula. */
GND_API gnd_array *gnd_interp(gnd_array *x, gnd_array *xp, gnd_array *fp, gnd_array *left,
                              gnd_array *right, double period);

/* How often each of 0, 1, 2 ... occurs in x, a 1-d array of ints or bools: int64, of as many
 * elements as the largest one plus 1, and at least minlength. Waits for the device, to know how
 * many. A negative element is GND_ERR_ARG; an x that no buffer of the device could hold is
 * GND_ERR_DEVMEM. weights: NULL; or an array of the size of x whose elements are added up in place
 * of ones: float64 (float32 on a device without), complex weights are GND_ERR_DTYPE. */
GND_API gnd_array *gnd_bincount(gnd_array *x, gnd_array *weights, int64_t minlength);
/* The same for 0 .. length - 1 alone: elements outside are not counted, and nothing waits. */
GND_API gnd_array *gnd_bincount_of(gnd_array *x, gnd_array *weights, int64_t length);

/* Flag of histograms: densities (each bin's share of the whole over its size) in place of counts.
 */
#define GND_DENSITY 8u

/* bins + 1 edges of bins of one width, from range[0] to range[1]; range NULL: from the smallest to
 * the largest element of x, 0 to 1 when it is empty. Where both ends are equal, half of one is
 * added on either side. bins >= 1. A range that is not finite is GND_ERR_ARG, when the result is
 * read where it comes from x. The dtype is that of x, the default float for ints and bools. */
GND_API gnd_array *gnd_histogram_bin_edges(gnd_array *x, int64_t bins, const double *range);
/* How many elements of x (any shape) are in each bin, to out[0], and the edges, to out[1]: bin i
 * has edges[i] <= x < edges[i+1], the last one its right edge too; what is outside, and NaN, is not
 * counted. edges: 1-d, increasing (GND_ERR_ARG, when the result is read, where they are not); NULL:
 * those of gnd_histogram_bin_edges(x, bins, range). Counts are int64. With weights, an array of the
 * shape of x, their sums in its dtype (bools: int64). With flags GND_DENSITY float64 (float32 on a
 * device without). Nothing waits. Returns the first error; out holds it then. */
GND_API gnd_status gnd_histogram(gnd_array *x, int64_t bins, const double *range, gnd_array *edges,
                                 gnd_array *weights, unsigned flags, gnd_array **out);
/* The same in n dimensions, 1 to 32: x[d], d = 0 .. n - 1, are the coordinates, 1-d arrays of one
 * length. bins[d] (bins may be NULL when all edges are given), range[2 d] and range[2 d + 1] (range
 * NULL: from the elements), edges[d] (edges NULL: none is given) are as above. The histogram,
 * float64 (float32 on a device without), with a dimension for each, goes to out[0], the edges to
 * out[1 .. n]. */
GND_API gnd_status gnd_histogramdd(int n, gnd_array *const *x, const int64_t *bins,
                                   const double *range, gnd_array *const *edges, gnd_array *weights,
                                   unsigned flags, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
