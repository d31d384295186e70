/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/snippet.h - elementwise and reduction kernels of the program's own, as CuPy's
 * ElementwiseKernel and ReductionKernel: pieces of C instead of whole kernels. doc/USERKERNELS.md
 * is the guide.
 *
 *     gnd_ekernel *k = gnd_elementwise_kernel("T x, T y", "T z", "z = (x - y) * (x - y)",
 *                                             "squared_diff", NULL);
 *     gnd_array *in[] = {x, y}, *z;
 *     gnd_elementwise_call(k, 2, in, NULL, &z);
 *     gnd_array *s = gnd_sum(gnd_sqrt(z), GND_ALL, 0);
 *
 * They fuse: the three operations above are one kernel that reads x and y once. A kernel's code is
 * compiled for a device and dtypes when it is first called with these.
 *
 * Parameters: "TYPE NAME" and "raw TYPE NAME", separated by commas. A TYPE is a dtype ("float32")
 * or a capital letter, which stands for one dtype, that of the arrays given for it. What is raw
 * does not broadcast: the code gets a pointer to its elements in C order, and x.size(). In code, i
 * is the index of the element in C order, n and _ind.size() the number of elements. The language is
 * the portable subset of OpenCL C and CUDA C (GND_PORTABLE of gnd/kernel.h), with operators and
 * functions of complex dtypes. Raw float16 is GND_ERR_DTYPE.
 */
#ifndef GND_SNIPPET_H
#define GND_SNIPPET_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An elementwise kernel, a reduction kernel: of no device. Any thread may call it. */
typedef struct gnd_ekernel gnd_ekernel;
typedef struct gnd_rkernel gnd_rkernel;

/* What a call says beside its arguments. All zeros: nothing. */
typedef struct gnd_kernel_call {
    gnd_device *dev; /* where no argument is an array of a device; else NULL */
    int64_t size; /* the number of elements, where no argument but raw ones is an array; else 0 */
    const gnd_dtype *out_dtype; /* of each output, for letters that no argument tells (others are
                                   compared); NULL, and GND_DTYPE_DEFAULT in it: nothing is said */
} gnd_kernel_call;

/* A kernel that computes each element by `operation`: statements that assign the outputs (at most
 * 8, none of them raw). At most 16 inputs, and fewer where the code asks for i, n or sizes.
 * preamble: functions and macros that stand before, or NULL. Texts are copied. Never NULL: a
 * failure is in gnd_ekernel_status. GND_ERR_NULL, GND_ERR_ARG (empty code), GND_ERR_SYNTAX,
 * GND_ERR_DTYPE (an unknown type), GND_ERR_NAME, GND_ERR_UNSUPPORTED (a raw output, too many
 * parameters), GND_ERR_NOMEM. */
GND_API gnd_ekernel *gnd_elementwise_kernel(const char *in_params, const char *out_params,
                                            const char *operation, const char *name,
                                            const char *preamble);
/* GND_OK, or why it cannot be called; GND_ERR_STATE once it was freed. */
GND_API gnd_status gnd_ekernel_status(const gnd_ekernel *k);
/* The message of that, "" when all is well. The kernel's. */
GND_API const char *gnd_ekernel_error(const gnd_ekernel *k);
/* Gives the kernel back. Arrays of its calls stay. NULL is fine. */
GND_API void gnd_ekernel_free(gnd_ekernel *k);

/* The outputs, new arrays in out, of k for the inputs in[nin], which broadcast to one shape unless
 * they are raw. Numbers (gnd_real ...) get the dtype of their parameter. how: NULL, or more to say.
 * Errors are in out too. GND_ERR_NULL, GND_ERR_ARG (the number of arguments, the size),
 * GND_ERR_DTYPE (two dtypes for a letter, or another than the parameter's, a letter that nothing
 * tells), GND_ERR_SHAPE, GND_ERR_DEVICE, GND_ERR_BUILD (the message has "operation:LINE:COLUMN" or
 * "preamble:..." of the code as it was given), GND_ERR_NAME (a function gnd_... that there is not),
 * GND_ERR_UNSUPPORTED, the kernel's error and those of the arrays. */
GND_API gnd_status gnd_elementwise_call(gnd_ekernel *k, int nin, gnd_array *const *in,
                                        const gnd_kernel_call *how, gnd_array **out);

/* A kernel that reduces: map_expr is the value of an element, in terms of the inputs; reduce_expr
 * that of a and b, two values or what was reduced before, in any order; identity one that changes
 * nothing; post_map_expr statements that assign the outputs in terms of a, the result.
 * _in_ind.size() and _out_ind.size() are the numbers of elements. reduce_type: the type of a and b,
 * or NULL: that of the first output. As gnd_elementwise_kernel. */
GND_API gnd_rkernel *gnd_reduction_kernel(const char *in_params, const char *out_params,
                                          const char *map_expr, const char *reduce_expr,
                                          const char *post_map_expr, const char *identity,
                                          const char *name, const char *reduce_type,
                                          const char *preamble);
/* GND_OK, or why reductions by it cannot be; GND_ERR_STATE once it was freed. */
GND_API gnd_status gnd_rkernel_status(const gnd_rkernel *k);
/* The message of gnd_rkernel_status, "" when all is well. The kernel's. */
GND_API const char *gnd_rkernel_error(const gnd_rkernel *k);
/* Gives a reduction kernel back; arrays of its calls stay. NULL is fine. */
GND_API void gnd_rkernel_free(gnd_rkernel *k);
/* The outputs of k, reduced over a set of axes of the inputs' common shape (gnd/reduce.h); flags: 0
 * or GND_KEEPDIMS. Of no elements it is the identity, mapped. As gnd_elementwise_call;
 * GND_ERR_AXIS. */
GND_API gnd_status gnd_reduction_call(gnd_rkernel *k, int nin, gnd_array *const *in, gnd_axes axes,
                                      unsigned flags, const gnd_kernel_call *how, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
