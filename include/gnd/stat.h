/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/stat.h - statistics, sums without NaN, softmax and its kin, differences, comparisons of whole
 * arrays, polynomials. All are lazy and made of other operations, with which they fuse; what NumPy
 * raises because of an element's value is a value here, as each comment says. float16 and bfloat16
 * are computed in float32 and rounded once, but for isclose and its kin. Axes, flags and errors are
 * those of gnd/reduce.h; besides GND_ERR_SHAPE (shapes that do not fit), GND_ERR_ARG, GND_ERR_DTYPE
 * and GND_ERR_DEVICE as named.
 */
#ifndef GND_STAT_H
#define GND_STAT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- statistics ------------------------------------------------------------------------------- */

/* max - min. Ints wrap; no bools. */
GND_API gnd_array *gnd_ptp(gnd_array *x, gnd_axes axes, unsigned flags);
/* sum(x * weights) / sum(weights); weights NULL: the mean. weights has the shape of x, or that of
 * the axes alone, in their order. dtypes promote; ints give the default float at least. Weights
 * that sum to 0 give NaN or an infinity. sum_of_weights gets what was divided by, in the result's
 * shape, as one more handle of the caller's; or NULL. */
GND_API gnd_array *gnd_average(gnd_array *x, gnd_array *weights, gnd_axes axes, unsigned flags,
                               gnd_array **sum_of_weights);
/* The covariances of variables: rows of x (rowvar 0: columns), of up to 2 dimensions; y, more
 * variables, or NULL. A matrix, 0-d for one variable, 0 by 0 for none. The sums of n observations
 * are divided by n - correction (NumPy's ddof: 1 by default, 0 with bias). fweights, how often each
 * observation counts (whole numbers, not checked), and aweights, how much: 1-d of n elements, or
 * NULL; with them n is the sum w of their products, and with aweights the correction is times
 * sum(fweights * aweights^2) / w. A divisor that is not above 0 is 0. t GND_DTYPE_DEFAULT: what x,
 * y and the default float promote to. */
GND_API gnd_array *gnd_cov(gnd_array *x, gnd_array *y, int rowvar, double correction,
                           gnd_array *fweights, gnd_array *aweights, gnd_dtype t);
/* Pearson's correlations: the covariances divided by the standard deviations, cut to [-1, 1] (of
 * complex numbers each part). Arguments as above; 0-d for one variable. */
GND_API gnd_array *gnd_corrcoef(gnd_array *x, gnd_array *y, int rowvar, gnd_dtype t);

/* --- without NaN ------------------------------------------------------------------------------ */

/* gnd_sum of the elements that are no NaN (a complex number is one when either part is); dtypes
 * without NaN are no different. The sum of nothing is 0. */
GND_API gnd_array *gnd_nansum(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_prod of the elements that are no NaN. The product of nothing is 1. */
GND_API gnd_array *gnd_nanprod(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_nansum of the elements converted to dtype t, which the result has. */
GND_API gnd_array *gnd_nansum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* gnd_nanprod of the elements converted to dtype t, which the result has. */
GND_API gnd_array *gnd_nanprod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* NaN where there are only NaN. */
GND_API gnd_array *gnd_nanmean(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_var of the elements that are no NaN; NaN where their number does not exceed the correction.
 */
GND_API gnd_array *gnd_nanvar(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The root of gnd_nanvar. */
GND_API gnd_array *gnd_nanstd(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The greatest element that is no NaN; NaN where there are only NaN. */
GND_API gnd_array *gnd_nanmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* The smallest element that is no NaN; NaN where there are only NaN. */
GND_API gnd_array *gnd_nanmin(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first of the greatest elements that are no NaN. -1 where there are only NaN,
 * which NumPy makes an error: the values are not known before they are read. */
GND_API gnd_array *gnd_nanargmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first of the smallest elements that are no NaN. -1 where there are only NaN, as
 * gnd_nanargmax. */
GND_API gnd_array *gnd_nanargmin(gnd_array *x, gnd_axes axes, unsigned flags);

/* --- exponentials over axes; normalizing ------------------------------------------------------ */

/* log(sum(exp(x))), or log(sum(b * exp(x))) where b is not NULL, without overflow: the maximum (of
 * complex x: of the real parts) is subtracted first. b broadcasts with x; where it is 0 x has no
 * say, whatever it is; a sum below 0 gives NaN. -inf of nothing. As SciPy's logsumexp. Ints and
 * bools are computed in the default float, here and in the functions below. */
GND_API gnd_array *gnd_logsumexp(gnd_array *x, gnd_array *b, gnd_axes axes, unsigned flags);
/* exp(x) / sum(exp(x)), the maximum subtracted first; x real (GND_ERR_DTYPE). NaN where an element
 * is NaN or inf, or all are -inf. */
GND_API gnd_array *gnd_softmax(gnd_array *x, gnd_axes axes);
/* log(softmax(x)) = x - logsumexp(x), finite where softmax underflows; x real. */
GND_API gnd_array *gnd_log_softmax(gnd_array *x, gnd_axes axes);
/* x / max(norm, eps), the norm being sqrt(sum(|x|^2)) over the axes: of length 1. A norm of 0
 * divides by eps; with eps 0 NaN. */
GND_API gnd_array *gnd_normalize(gnd_array *x, gnd_axes axes, double eps);
/* (x - mean) / sqrt(var + eps) over the axes: of mean 0 and variance 1 (layer normalization). */
GND_API gnd_array *gnd_standardize(gnd_array *x, gnd_axes axes, double eps);

/* --- differences ------------------------------------------------------------------------------ */

/* x[i + 1] - x[i] along axis, n times over (n 0: x itself; n < 0: GND_ERR_ARG); of bools whether
 * they differ. prepend and append, or NULL, are joined to x first: of its shape but along axis, or
 * a number, which stands for one element; dtypes promote. */
GND_API gnd_array *gnd_diff(gnd_array *x, int n, int axis, gnd_array *prepend, gnd_array *append);
/* The differences of the flattened x, with to_begin before and to_end behind them, flattened, or
 * NULL; their dtypes must be of no higher kind than that of x (GND_ERR_DTYPE). No bools. */
GND_API gnd_array *gnd_ediff1d(gnd_array *x, gnd_array *to_end, gnd_array *to_begin);
/* The derivative along axis by central differences, of second order inside and of order edge_order
 * (1 or 2) at both ends; at least edge_order + 1 elements. spacing: NULL (1), a real number, or the
 * coordinates, 1-d, one for each element along axis. Ints and bools give the default float. */
GND_API gnd_array *gnd_gradient(gnd_array *f, gnd_array *spacing, int axis, int edge_order);
/* The integral along axis by the trapezoidal rule; x, the coordinates, is 1-d or of y's dimensions
 * (and broadcasts with it); NULL: dx apart. Ints and bools are computed in the default float. */
GND_API gnd_array *gnd_trapezoid(gnd_array *y, gnd_array *x, double dx, int axis);

/* --- comparisons of arrays -------------------------------------------------------------------- */

/* |a - b| <= atol + rtol * |b| where b is finite, else a == b, by element; with equal_nan NaN are
 * close to each other. b is a float there: ints as the default float, as NumPy. */
GND_API gnd_array *gnd_isclose(gnd_array *a, gnd_array *b, double rtol, double atol, int equal_nan);
/* 0-d bool: whether all are close. */
GND_API gnd_array *gnd_allclose(gnd_array *a, gnd_array *b, double rtol, double atol,
                                int equal_nan);
/* 0-d bool: the same shape and equal elements; with equal_nan NaN equal each other. */
GND_API gnd_array *gnd_array_equal(gnd_array *a, gnd_array *b, int equal_nan);
/* 0-d bool: equal once broadcast; false for shapes that do not. */
GND_API gnd_array *gnd_array_equiv(gnd_array *a, gnd_array *b);

/* --- polynomials ------------------------------------------------------------------------------ */

/* p[0] * x^(n-1) + ... + p[n-1] by Horner's rule, which begins at 0 * x, so that x infinite gives
 * NaN; p is of one dimension (or more: entries of its first axis broadcast with x). Here and below
 * coefficients are those of the highest power first. */
GND_API gnd_array *gnd_polyval(gnd_array *p, gnd_array *x);
/* The powers of x, 1-d, as columns: x^(n-1) ... x^0, or from x^0 on when increasing. n < 0: as many
 * as x has elements. dtype: x's with int64's, as NumPy. */
GND_API gnd_array *gnd_vander(gnd_array *x, int64_t n, int increasing);
/* The polynomial of degree deg that fits y best: the deg + 1 coefficients of least
 * sum(w^2 * |p(x) - y|^2). x 1-d, y of as many elements or rows (a column of coefficients for each
 * column of y), w (NULL: 1) as x. Columns of powers are scaled and made orthogonal by classical
 * Gram-Schmidt, each one twice (Giraud, Langou, Rozloznik, van den Eshof 2005), in float64 where
 * the device has it. What is left of a power's column, of length 1, when it is no longer than rcond
 * (< 0: the number of points times the epsilon of that) depends on lower powers and gets 0, where
 * NumPy takes the solution of least norm. dtype: x's, y's, w's and int64's, a float at least. */
GND_API gnd_array *gnd_polyfit(gnd_array *x, gnd_array *y, int deg, double rcond, gnd_array *w);

#ifdef __cplusplus
}
#endif
#endif
