/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/linalg.h - products of matrices and of arrays along axes, traces. Errors of all functions:
 * GND_ERR_NULL; GND_ERR_SHAPE: extents do not match; GND_ERR_DEVICE: two devices, or a scalar
 * instead of an array; GND_ERR_AXIS; GND_ERR_OVERFLOW; the errors of the arrays. dtypes promote.
 * Every dtype is allowed unless stated otherwise: ints wrap, bool computes any(and), float16 and
 * bfloat16 accumulate in float32.
 */
#ifndef GND_LINALG_H
#define GND_LINALG_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The matrix product (NumPy's matmul) of (..., m, k) by (..., k, n). Leading axes broadcast. A 1-d
 * operand is a row on the left or a column on the right, and that axis is removed from the result.
 * float32 is computed in float32, or in TF32 if GND_CUDA_TF32=1 was set when the CUDA device was
 * opened. */
GND_API gnd_array *gnd_matmul(gnd_array *a, gnd_array *b);
/* x with the last two axes swapped, as gnd_mT. At least 2 dimensions. */
GND_API gnd_array *gnd_matrix_transpose(gnd_array *x);

/* The sum of products over the last n axes of a and the first n axes of b, 0 <= n <= both numbers
 * of dimensions. The result has the remaining axes of a, followed by those of b. Computed as one
 * matrix product; operands are copied if strides cannot express the permuted axes. */
GND_API gnd_array *gnd_tensordot(gnd_array *a, gnd_array *b, int n);
/* The sum of products over n pairs of axes: axis axes_a[i] of a with axis axes_b[i] of b. The rest
 * is as in gnd_tensordot. */
GND_API gnd_array *gnd_tensordot_axes(gnd_array *a, gnd_array *b, int n, const int *axes_a,
                                      const int *axes_b);
/* The sum of conj(x1) * x2 along an axis, which has the same extent in both. The other axes
 * broadcast. A negative axis counts from the end of each array, a nonnegative one from its
 * start. */
GND_API gnd_array *gnd_vecdot(gnd_array *x1, gnd_array *x2, int axis);
/* The sum of products over the last axes of both arrays (NumPy's inner). a * b if either is a
 * number. */
GND_API gnd_array *gnd_inner(gnd_array *a, gnd_array *b);
/* The sum of products over the last axis of a and the second-to-last axis of b, or its only axis
 * (NumPy's dot). a * b if either is a number. */
GND_API gnd_array *gnd_dot(gnd_array *a, gnd_array *b);

/* The outer product: element (i, j) is a[i] * b[j]. Both arrays are flattened. */
GND_API gnd_array *gnd_outer(gnd_array *a, gnd_array *b);
/* The Kronecker product: blocks of each element of a times b. The shape with fewer dimensions is
 * extended by ones in front. */
GND_API gnd_array *gnd_kron(gnd_array *a, gnd_array *b);
/* The cross product of vectors of 3 elements along an axis, counted as in gnd_vecdot. The other
 * axes broadcast. GND_ERR_DTYPE: bool. */
GND_API gnd_array *gnd_cross(gnd_array *x1, gnd_array *x2, int axis);

/* The maximum number of operands of gnd_einsum. */
enum { GND_EINSUM_OPERANDS = 64 };
/* The sum of products of n operands, described by subscripts such as "bij,jk->bik" (NumPy's
 * einsum). A letter names an axis (case-sensitive, up to 64 different letters). "..." stands for
 * any number of axes, which broadcast. Axes with the same letter have the same extent or extent 1.
 * A letter that occurs twice in an operand takes its diagonal. The letters after "->" are the axes
 * of the result; without "->" they are the letters that occur once, in ASCII order, after the axes
 * of "...". Blanks are ignored. Operands may be weak scalars, but at least one is an array. The
 * order of contractions is the cheapest one for up to 10 operands, else chosen greedily. Each
 * contraction is a matrix product, or a fused product of elements with its sum. GND_ERR_ARG:
 * invalid subscripts; GND_ERR_SHAPE: extents or numbers of dimensions do not match, or an
 * intermediate has more than 32 axes. */
GND_API gnd_array *gnd_einsum(const char *subscripts, int n, gnd_array *const *operands);
/* The contractions that gnd_einsum would make, as text like that of numpy.einsum_path: the cost,
 * and a line for each contraction with its number of loop letters, the call that computes it, the
 * contraction, and the remaining operands. Allocated by malloc; the caller calls free(). On failure
 * returns NULL and sets *s (s may be NULL). */
GND_API char *gnd_einsum_path(const char *subscripts, int n, gnd_array *const *operands,
                              gnd_status *s);

/* The sum of the diagonal that gnd_diagonal gives for axes axis1 and axis2, in dtype t;
 * GND_DTYPE_DEFAULT: as gnd_sum. At least 2 dimensions. */
GND_API gnd_array *gnd_trace(gnd_array *x, int64_t offset, int axis1, int axis2, gnd_dtype t);

#ifdef __cplusplus
}
#endif
#endif
