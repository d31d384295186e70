/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/stat.h - statistics, reductions that ignore NaN, softmax and similar functions, differences,
 * comparisons of whole arrays, polynomials. All are lazy, composed of other operations, and fuse
 * with them. Where NumPy raises an error because of an element's value, the result has a value,
 * which the comment states. float16 and bfloat16 are computed in float32 and rounded once, except
 * in gnd_isclose and similar functions. Axes, flags and errors are those of gnd/reduce.h; also
 * GND_ERR_SHAPE, GND_ERR_ARG, GND_ERR_DTYPE and GND_ERR_DEVICE as stated.
 */
#ifndef GND_STAT_H
#define GND_STAT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- statistics ------------------------------------------------------------------------------- */

/* max - min (NumPy's ptp). Ints wrap. GND_ERR_DTYPE: bool. */
GND_API gnd_array *gnd_ptp(gnd_array *x, gnd_axes axes, unsigned flags);
/* The weighted average sum(x * weights) / sum(weights). weights NULL: the mean. weights has the
 * shape of x, or of the reduced axes in their order. dtypes promote; ints give the default float.
 * Weights with sum 0 give NaN or an infinity. If sum_of_weights is not NULL it receives the
 * divisor, in the shape of the result, as an additional handle that the caller owns. */
GND_API gnd_array *gnd_average(gnd_array *x, gnd_array *weights, gnd_axes axes, unsigned flags,
                               gnd_array **sum_of_weights);
/* The covariance matrix. Variables are the rows of x (rowvar 0: the columns); x has up to 2
 * dimensions. y has more variables, or is NULL. The result is 0-d for one variable and 0 by 0 for
 * none. Sums over the n observations are divided by n - correction (NumPy's ddof: 1 by default, 0
 * with bias). fweights are counts of observations (whole numbers, not checked) and aweights their
 * weights: 1-d of n elements, or NULL. With weights, n is the sum w of their products; with
 * aweights, correction is multiplied by sum(fweights * aweights^2) / w. A divisor that is not
 * positive is taken as 0. t GND_DTYPE_DEFAULT: the promoted dtype of x, y and the default float. */
GND_API gnd_array *gnd_cov(gnd_array *x, gnd_array *y, int rowvar, double correction,
                           gnd_array *fweights, gnd_array *aweights, gnd_dtype t);
/* Pearson correlation coefficients: covariances divided by standard deviations, clipped to [-1, 1]
 * (complex numbers in each part). Arguments as for gnd_cov. 0-d for one variable. */
GND_API gnd_array *gnd_corrcoef(gnd_array *x, gnd_array *y, int rowvar, gnd_dtype t);

/* --- reductions that ignore NaN --------------------------------------------------------------- */

/* gnd_sum without NaN elements. A complex number is NaN if a part is NaN. The sum of no elements is
 * 0. */
GND_API gnd_array *gnd_nansum(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_prod without NaN elements. The product of no elements is 1. */
GND_API gnd_array *gnd_nanprod(gnd_array *x, gnd_axes axes, unsigned flags);
/* Same as gnd_nansum, with the elements converted to dtype t, which is the dtype of the result. */
GND_API gnd_array *gnd_nansum_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* Same as gnd_nanprod, with the elements converted to dtype t, which is the dtype of the result. */
GND_API gnd_array *gnd_nanprod_as(gnd_array *x, gnd_axes axes, unsigned flags, gnd_dtype t);
/* gnd_mean without NaN elements. NaN if all elements are NaN. */
GND_API gnd_array *gnd_nanmean(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_var without NaN elements. NaN if the number of other elements does not exceed the
 * correction. */
GND_API gnd_array *gnd_nanvar(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The square root of gnd_nanvar. */
GND_API gnd_array *gnd_nanstd(gnd_array *x, gnd_axes axes, unsigned flags, double correction);
/* The largest element that is not NaN. NaN if all elements are NaN. */
GND_API gnd_array *gnd_nanmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* The smallest element that is not NaN. NaN if all elements are NaN. */
GND_API gnd_array *gnd_nanmin(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first largest element, ignoring NaN. -1 if all elements are NaN (an error in
 * NumPy), because values are unknown before they are read. */
GND_API gnd_array *gnd_nanargmax(gnd_array *x, gnd_axes axes, unsigned flags);
/* The index of the first smallest element, ignoring NaN. -1 if all elements are NaN, as in
 * gnd_nanargmax. */
GND_API gnd_array *gnd_nanargmin(gnd_array *x, gnd_axes axes, unsigned flags);

/* --- exponentials over axes; normalizing ------------------------------------------------------ */

/* log(sum(exp(x))), or log(sum(b * exp(x))) if b is not NULL, without overflow: the maximum
 * (complex x: of the real parts) is subtracted first. b broadcasts with x. Elements with b = 0 are
 * ignored, whatever x is. A negative sum gives NaN, no elements give -inf. As SciPy's logsumexp.
 * Here and below, ints and bools are computed in the default float. */
GND_API gnd_array *gnd_logsumexp(gnd_array *x, gnd_array *b, gnd_axes axes, unsigned flags);
/* exp(x) / sum(exp(x)), with the maximum subtracted first. NaN if an element is NaN or inf, or all
 * are -inf. GND_ERR_DTYPE: complex x. */
GND_API gnd_array *gnd_softmax(gnd_array *x, gnd_axes axes);
/* log(softmax(x)) = x - logsumexp(x). Finite where softmax underflows. GND_ERR_DTYPE: complex x. */
GND_API gnd_array *gnd_log_softmax(gnd_array *x, gnd_axes axes);
/* x / max(norm, eps) with norm = sqrt(sum(|x|^2)) over the axes, so that vectors have length 1. A
 * norm of 0 is replaced by eps; with eps 0 the result is NaN. */
GND_API gnd_array *gnd_normalize(gnd_array *x, gnd_axes axes, double eps);
/* (x - mean) / sqrt(var + eps) over the axes: mean 0 and variance 1 (layer normalization). */
GND_API gnd_array *gnd_standardize(gnd_array *x, gnd_axes axes, double eps);

/* --- differences ------------------------------------------------------------------------------ */

/* The difference x[i + 1] - x[i] along axis, applied n times. n 0 returns x; n < 0 is GND_ERR_ARG.
 * For bools: whether they differ. prepend and append (or NULL) are joined to x first. They have the
 * shape of x except along axis, or are numbers, which count as one element. dtypes promote. */
GND_API gnd_array *gnd_diff(gnd_array *x, int n, int axis, gnd_array *prepend, gnd_array *append);
/* The differences of the flattened x, with the flattened to_begin before and to_end after them
 * (either may be NULL). GND_ERR_DTYPE: bool, or their dtype is of a higher kind than that of x. */
GND_API gnd_array *gnd_ediff1d(gnd_array *x, gnd_array *to_end, gnd_array *to_begin);
/* The derivative along axis by central differences: second order inside, and order edge_order (1 or
 * 2) at both ends. Needs at least edge_order + 1 elements. spacing: NULL (1), a real number, or the
 * 1-d coordinates of the elements along axis. Ints and bools give the default float. */
GND_API gnd_array *gnd_gradient(gnd_array *f, gnd_array *spacing, int axis, int edge_order);
/* The integral along axis by the trapezoidal rule. x has the coordinates: 1-d, or with the
 * dimensions of y (it broadcasts). x NULL: the distance is dx. Ints and bools are computed in the
 * default float. */
GND_API gnd_array *gnd_trapezoid(gnd_array *y, gnd_array *x, double dx, int axis);

/* --- comparisons of arrays -------------------------------------------------------------------- */

/* Elementwise: |a - b| <= atol + rtol * |b| if b is finite, else a == b. With equal_nan, NaN are
 * close to each other. Ints of b are converted to the default float, as in NumPy. */
GND_API gnd_array *gnd_isclose(gnd_array *a, gnd_array *b, double rtol, double atol, int equal_nan);
/* Whether all elements are close by gnd_isclose; a 0-d bool. */
GND_API gnd_array *gnd_allclose(gnd_array *a, gnd_array *b, double rtol, double atol,
                                int equal_nan);
/* Whether shapes and elements are equal; a 0-d bool. With equal_nan, NaN equal each other. */
GND_API gnd_array *gnd_array_equal(gnd_array *a, gnd_array *b, int equal_nan);
/* Whether a and b are equal after broadcasting; a 0-d bool. False if they do not broadcast. */
GND_API gnd_array *gnd_array_equiv(gnd_array *a, gnd_array *b);

/* --- polynomials ------------------------------------------------------------------------------ */

/* The polynomial p[0] * x^(n-1) + ... + p[n-1] by Horner's rule. It starts with 0 * x, so infinite
 * x gives NaN. p has one dimension, or more: entries of its first axis broadcast with x. Here and
 * below, the coefficient of the highest power comes first. */
GND_API gnd_array *gnd_polyval(gnd_array *p, gnd_array *x);
/* The Vandermonde matrix of the 1-d x: columns x^(n-1) ... x^0, or from x^0 on if increasing. n <
 * 0: the number of elements of x. dtype: x's promoted with int64, as in NumPy. */
GND_API gnd_array *gnd_vander(gnd_array *x, int64_t n, int increasing);
/* Least-squares fit of a polynomial of degree deg: the deg + 1 coefficients that minimize sum(w^2 *
 * |p(x) - y|^2). x is 1-d. y has as many elements, or rows (one column of coefficients for each
 * column of y). w (NULL: 1) has the shape of x. The columns of powers are scaled and orthogonalized
 * by classical Gram-Schmidt, each one twice (Giraud, Langou, Rozloznik, van den Eshof 2005), in
 * float64 if the device has it. If the remainder of a column of length 1 is not longer than rcond
 * (< 0: the number of points times the dtype's epsilon), the power depends on lower powers and its
 * coefficient is 0; NumPy gives the minimum-norm solution instead. dtype: that of x, y, w and int64
 * promoted, at least a float. */
GND_API gnd_array *gnd_polyfit(gnd_array *x, gnd_array *y, int deg, double rcond, gnd_array *w);

#ifdef __cplusplus
}
#endif
#endif
