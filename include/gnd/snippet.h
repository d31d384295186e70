/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/snippet.h - user-written elementwise and reduction kernels, like CuPy's ElementwiseKernel and
 * ReductionKernel: the program gives pieces of C instead of a whole kernel. doc/USERKERNELS.md is
 * the guide.
 *
 *     gnd_ekernel *k = gnd_elementwise_kernel("T x, T y", "T z", "z = (x - y) * (x - y)",
 *                                             "squared_diff", NULL);
 *     gnd_array *in[] = {x, y}, *z;
 *     gnd_elementwise_call(k, 2, in, NULL, &z);
 *     gnd_array *s = gnd_sum(gnd_sqrt(z), GND_ALL, 0);
 *
 * Calls fuse with other operations: the three operations above become one kernel that reads x and y
 * once. The code is compiled at the first call with a device and a combination of dtypes.
 *
 * Parameters: "TYPE NAME" and "raw TYPE NAME", separated by commas. A TYPE is a dtype ("float32")
 * or a capital letter. All arrays whose parameters have the same letter have the same dtype, which
 * the letter stands for. A raw parameter does not broadcast: the code gets a pointer to its
 * elements in C order, and their number as x.size(). In the code, i is the index of the element in
 * C order; n and _ind.size() are the number of elements. The language is the portable subset of
 * OpenCL C and CUDA C (GND_PORTABLE of gnd/kernel.h), with operators and functions for complex
 * dtypes. Raw parameters of dtype float16 or bfloat16 are GND_ERR_DTYPE.
 */
#ifndef GND_SNIPPET_H
#define GND_SNIPPET_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An elementwise kernel and a reduction kernel. They belong to no device. Any thread may call
 * them. */
typedef struct gnd_ekernel gnd_ekernel;
typedef struct gnd_rkernel gnd_rkernel;

/* Options of a call. Zero-initialized: none. */
typedef struct gnd_kernel_call {
    gnd_device *dev; /* the device, if no argument is an array of a device; else NULL */
    int64_t size; /* the number of elements, if no argument is an array except raw ones; else 0 */
    const gnd_dtype *out_dtype; /* the dtype of each output. Required for letters that no input
                                   array has; others must agree. NULL: none; GND_DTYPE_DEFAULT in
                                   it: none for this output */
} gnd_kernel_call;

/* Makes a kernel that computes each element by `operation`, statements that assign the outputs.
 * There are at most 8 outputs, none of them raw, and at most 16 inputs; each of i, n and the sizes
 * that the code uses counts as an input. preamble: functions and macros for the code, or NULL.
 * Texts are copied. Never returns NULL: gnd_ekernel_status reports failures. GND_ERR_NULL,
 * GND_ERR_ARG (empty code), GND_ERR_SYNTAX, GND_ERR_DTYPE (an unknown type), GND_ERR_NAME,
 * GND_ERR_UNSUPPORTED (a raw output, too many parameters), GND_ERR_NOMEM. */
GND_API gnd_ekernel *gnd_elementwise_kernel(const char *in_params, const char *out_params,
                                            const char *operation, const char *name,
                                            const char *preamble);
/* GND_OK, or the reason why k cannot be called. GND_ERR_STATE: k was freed. */
GND_API gnd_status gnd_ekernel_status(const gnd_ekernel *k);
/* The message of that status; "" for GND_OK. Owned by k. */
GND_API const char *gnd_ekernel_error(const gnd_ekernel *k);
/* Frees the kernel. Arrays made by its calls stay valid. NULL is ignored. */
GND_API void gnd_ekernel_free(gnd_ekernel *k);

/* Calls k with the inputs in[nin] and stores the outputs, new arrays, in out. Inputs that are not
 * raw broadcast to one shape. Numbers (gnd_real ...) get the dtype of their parameter. how:
 * options, or NULL. On failure all places of out hold the error. GND_ERR_NULL; GND_ERR_ARG: the
 * number of arguments, or the size; GND_ERR_DTYPE: two dtypes for one letter, a dtype that differs
 * from the parameter's, or a letter whose dtype is unknown; GND_ERR_SHAPE; GND_ERR_DEVICE;
 * GND_ERR_BUILD: compiler errors, with "operation:LINE:COLUMN" or "preamble:LINE:COLUMN" of the
 * given code; GND_ERR_NAME: a function gnd_... that does not exist; GND_ERR_UNSUPPORTED; the errors
 * of the kernel and of the arrays. */
GND_API gnd_status gnd_elementwise_call(gnd_ekernel *k, int nin, gnd_array *const *in,
                                        const gnd_kernel_call *how, gnd_array **out);

/* Makes a reduction kernel. map_expr computes a value from the inputs for each element. reduce_expr
 * combines two values a and b, in any order. identity is a value that does not change others.
 * post_map_expr has statements that assign the outputs, where a is the reduced value.
 * _in_ind.size() and _out_ind.size() are the numbers of elements before and after the reduction.
 * reduce_type is the type of a and b; NULL: that of the first output. The rest is as for
 * gnd_elementwise_kernel. */
GND_API gnd_rkernel *gnd_reduction_kernel(const char *in_params, const char *out_params,
                                          const char *map_expr, const char *reduce_expr,
                                          const char *post_map_expr, const char *identity,
                                          const char *name, const char *reduce_type,
                                          const char *preamble);
/* GND_OK, or the reason why the reduction kernel k cannot be called. GND_ERR_STATE: k was freed. */
GND_API gnd_status gnd_rkernel_status(const gnd_rkernel *k);
/* The message of gnd_rkernel_status; "" for GND_OK. Owned by k. */
GND_API const char *gnd_rkernel_error(const gnd_rkernel *k);
/* Frees a reduction kernel. Arrays made by its calls stay valid. NULL is ignored. */
GND_API void gnd_rkernel_free(gnd_rkernel *k);
/* Calls k and reduces over a set of axes of the inputs' common shape (gnd/reduce.h). flags: 0 or
 * GND_KEEPDIMS. The outputs of no elements are post_map_expr of the identity. The rest is as for
 * gnd_elementwise_call; also GND_ERR_AXIS. */
GND_API gnd_status gnd_reduction_call(gnd_rkernel *k, int nin, gnd_array *const *in, gnd_axes axes,
                                      unsigned flags, const gnd_kernel_call *how, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
