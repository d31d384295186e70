/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/linalg.h - products of matrices and of arrays along axes, traces. Errors of all:
 * GND_ERR_NULL, GND_ERR_SHAPE (extents that do not fit), GND_ERR_DEVICE (two devices, or a scalar
 * where an array is needed), GND_ERR_AXIS, GND_ERR_OVERFLOW, the arrays' own. dtypes promote, and
 * every dtype is allowed where nothing else is said: ints wrap, bool is any(and), float16 and
 * bfloat16 accumulate in float32.
 */
#ifndef GND_LINALG_H
#define GND_LINALG_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NumPy's matmul: (..., m, k) by (..., k, n), the leading axes broadcast; a 1-d operand is a row on
 * the left, a column on the right, and its axis is not in the result. float32 is computed in
 * float32 (in TF32 only where GND_CUDA_TF32=1 asked for that when a CUDA device was opened). */
GND_API gnd_array *gnd_matmul(gnd_array *a, gnd_array *b);
/* The last two axes swapped, as gnd_mT; at least 2 dimensions. */
GND_API gnd_array *gnd_matrix_transpose(gnd_array *x);

/* The sum of products over the last n axes of a and the first n of b, 0 <= n <= both numbers of
 * dimensions: the result has the other axes of a, then those of b. One matrix product, of copies
 * where the axes do not lie so that strides can say it. */
GND_API gnd_array *gnd_tensordot(gnd_array *a, gnd_array *b, int n);
/* The same over axis axes_a[i] of a with axis axes_b[i] of b, for n pairs. */
GND_API gnd_array *gnd_tensordot_axes(gnd_array *a, gnd_array *b, int n, const int *axes_a,
                                      const int *axes_b);
/* The sum of conj(x1) * x2 along an axis, which has one extent in both; the others broadcast. A
 * negative axis counts from the end of each array, another one from the front of each. */
GND_API gnd_array *gnd_vecdot(gnd_array *x1, gnd_array *x2, int axis);
/* NumPy's inner: the sum of products over the last axes of both; a * b when either is a number. */
GND_API gnd_array *gnd_inner(gnd_array *a, gnd_array *b);
/* NumPy's dot: the sum of products over the last axis of a and the last but one (of one dimension:
 * the only one) of b; a * b when either is a number. */
GND_API gnd_array *gnd_dot(gnd_array *a, gnd_array *b);

/* NumPy's outer: element (i, j) is a[i] * b[j]; both are flattened. */
GND_API gnd_array *gnd_outer(gnd_array *a, gnd_array *b);
/* The Kronecker product: every element of a times all of b, as blocks; the shape of fewer
 * dimensions gets ones in front. */
GND_API gnd_array *gnd_kron(gnd_array *a, gnd_array *b);
/* The cross product of vectors of 3 elements along an axis, counted as in gnd_vecdot; the others
 * broadcast. bool is GND_ERR_DTYPE. */
GND_API gnd_array *gnd_cross(gnd_array *x1, gnd_array *x2, int axis);

/* The most operands of gnd_einsum. */
enum { GND_EINSUM_OPERANDS = 64 };
/* NumPy's einsum: the sum of products of n operands that the subscripts tell, "bij,jk->bik". A
 * letter (upper and lower case differ; 64 different ones) is an axis, "..." any axes, which
 * broadcast; axes of one letter have one extent or 1, a letter that an operand has twice is a
 * diagonal. After "->" come the letters of the result; without it, they are those that occur once,
 * in the order of ASCII, after "...". Blanks are ignored. Operands may be weak scalars, one must be
 * an array. The order of contractions is the cheapest (up to 10 operands; then greedy); each is a
 * matrix product, or fused: a product of elements, with its sum. GND_ERR_ARG: subscripts that say
 * nothing, or too much; GND_ERR_SHAPE: extents or numbers of dimensions that do not fit, or more
 * than 32 axes on the way. */
GND_API gnd_array *gnd_einsum(const char *subscripts, int n, gnd_array *const *operands);
/* What gnd_einsum would do, as numpy.einsum_path tells it: the cost, and a line for each
 * contraction: how many letters it loops over, by what call it is made, what it does and what is
 * left. malloc'ed: free() it. On failure NULL, and *s tells, if not NULL. */
GND_API char *gnd_einsum_path(const char *subscripts, int n, gnd_array *const *operands,
                              gnd_status *s);

/* The sum of a diagonal, which gnd_diagonal gives, of axes axis1 and axis2; in dtype t, or
 * GND_DTYPE_DEFAULT: as gnd_sum. At least 2 dimensions. */
GND_API gnd_array *gnd_trace(gnd_array *x, int64_t offset, int axis1, int axis2, gnd_dtype t);

#ifdef __cplusplus
}
#endif
#endif
