/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/kernel.h - user-written kernels. doc/USERKERNELS.md is the guide.
 *
 *     const char *text = "__kernel void twice(__global const float *x, __global float *y)"
 *                        "{ size_t i = get_global_id(0); y[i] = 2 * x[i]; }";
 *     gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
 *     gnd_arg args[] = { GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL) };
 *     gnd_array *y;
 *     gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims(n / 64), gnd_dims(64), 2, args, &y);
 *
 * Arrays remain immutable. A launch makes a new array for each out and inout argument. These are
 * ordinary nodes of the graph: the kernel runs when one of them is evaluated. An inout argument is
 * copied first. If its array was released and no other array needs it, the kernel works in its
 * memory instead.
 *
 * A kernel gets a pointer to the first element of each array. Arrays are contiguous, in C order,
 * unless GND_STRIDED asks for an array as it is. A kernel may write only to out and inout
 * arguments. Accesses outside the arrays are checked only with the option -checked.
 */
#ifndef GND_KERNEL_H
#define GND_KERNEL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The languages of kernels. GND_OPENCL_C: OpenCL C 1.2; on CUDA devices its functions and keywords
 * are available, but vector literals and swizzles are not. GND_CUDA_C: CUDA C++ on CUDA devices; on
 * OpenCL devices the subset of doc/CUDAC.md, which is translated. GND_PORTABLE: the dialect of
 * gnd's own kernels, on all devices. */
typedef enum gnd_language { GND_OPENCL_C, GND_CUDA_C, GND_PORTABLE } gnd_language;

/* A source compiled for one device, and one of its kernels. A kernel belongs to its program. */
typedef struct gnd_program gnd_program;
typedef struct gnd_kernel gnd_kernel;

/* A number of work-groups, or of work-items per group, along up to three axes. */
typedef struct gnd_extent3 {
    size_t x, y, z;
} gnd_extent3;

/* The kind of an argument. */
typedef enum gnd_arg_kind {
    GND_ARG_IN,        /* an array that the kernel reads */
    GND_ARG_OUT,       /* a new array that the kernel writes */
    GND_ARG_INOUT,     /* a copy of an array that the kernel reads and writes */
    GND_ARG_NUMBER,    /* a number */
    GND_ARG_LOCAL_MEM, /* local (shared) memory of each work-group */
    GND_ARG_SAME,      /* the memory of an earlier out or inout argument */
    GND_ARG_STRIDED,   /* an array that the kernel reads where it is, by its strides */
    GND_ARG_EXTENT,    /* a number: the extent of an axis of an array argument */
    GND_ARG_STRIDE     /* a number: the stride of an axis of an array argument */
} gnd_arg_kind;

/* An argument of a launch. Use the functions below to make one. */
typedef struct gnd_arg {
    gnd_arg_kind kind;
    gnd_dtype dtype;      /* out arguments and numbers */
    gnd_array *array;     /* in and inout arguments; out: initial elements, or NULL */
    int ndim;             /* out arguments; EXTENT and STRIDE: the axis */
    const int64_t *shape; /* out arguments; read by gnd_launch */
    size_t nbytes;        /* size of local memory */
    union {
        int64_t i;
        double f[2];
        unsigned char bytes[16];
    } value; /* a number in the form passed to the kernel */
} gnd_arg;

/* Short forms of the functions below. A number must have the type of the kernel's parameter:
 * GND_F32 for float, GND_I32 for int, GND_U64 for size_t. */
#define GND_IN(x) gnd_arg_in(x)
#define GND_STRIDED(x) gnd_arg_strided(x)
#define GND_EXTENT(i, axis) gnd_arg_extent(i, axis)
#define GND_STRIDE(i, axis) gnd_arg_stride(i, axis)
#define GND_OUT(ndim, shape, dtype, fill) gnd_arg_out(ndim, shape, dtype, fill)
#define GND_INOUT(x) gnd_arg_inout(x)
#define GND_LOCAL_BYTES(n) gnd_arg_local(n)
#define GND_SAME(i) gnd_arg_same(i)
#define GND_I8(v) gnd_arg_int(GND_INT8, v)
#define GND_I16(v) gnd_arg_int(GND_INT16, v)
#define GND_I32(v) gnd_arg_int(GND_INT32, v)
#define GND_I64(v) gnd_arg_int(GND_INT64, v)
#define GND_U8(v) gnd_arg_int(GND_UINT8, (int64_t)(v))
#define GND_U16(v) gnd_arg_int(GND_UINT16, (int64_t)(v))
#define GND_U32(v) gnd_arg_int(GND_UINT32, (int64_t)(v))
#define GND_U64(v) gnd_arg_int(GND_UINT64, (int64_t)(v))
#define GND_F32(v) gnd_arg_float(GND_FLOAT32, v, 0)
#define GND_F64(v) gnd_arg_float(GND_FLOAT64, v, 0)
#define GND_C64(re, im) gnd_arg_float(GND_COMPLEX64, re, im)
#define GND_C128(re, im) gnd_arg_float(GND_COMPLEX128, re, im)

/* An input array x, which the kernel reads. */
GND_API gnd_arg gnd_arg_in(gnd_array *x);
/* An input array x in its own memory layout. The kernel gets a pointer to element (0, ..., 0) and
 * finds the other elements by the strides of gnd_arg_stride. A view (a slice, a transposition, a
 * broadcast) is not copied; strides may be negative or 0. Three kinds of arrays are copied to C
 * order first, and then have its strides: an array that strides cannot express (most reshapes of
 * views), an array that is not aligned for a vector type of the kernel, and every view if the
 * program has the option -checked. */
GND_API gnd_arg gnd_arg_strided(gnd_array *x);
/* The extent of an axis (from 0) of argument i, an array argument before or after this one. It is a
 * 64-bit integer: long in OpenCL C, long long in CUDA C, g_i64 in the portable dialect, or size_t.
 */
GND_API gnd_arg gnd_arg_extent(int i, int axis);
/* The stride of an axis of argument i in the memory that the kernel gets, in elements. Its type is
 * as for gnd_arg_extent. 0 if the array has no elements. */
GND_API gnd_arg gnd_arg_stride(int i, int axis);
/* An output array of dtype t. Its initial elements are undefined, or those of fill (gnd_int(0)),
 * which is broadcast to the shape. gnd_launch reads shape, so it must stay valid until then. */
GND_API gnd_arg gnd_arg_out(int ndim, const int64_t *shape, gnd_dtype t, gnd_array *fill);
/* An array x that the kernel modifies. The launch makes a new array; x keeps its elements. */
GND_API gnd_arg gnd_arg_inout(gnd_array *x);
/* The memory of argument i, an out or inout argument before this one. The kernel gets the same
 * pointer twice. */
GND_API gnd_arg gnd_arg_same(int i);
/* nbytes of local memory: a __local pointer in OpenCL C, extern __shared__ memory in CUDA C (at
 * most one argument). */
GND_API gnd_arg gnd_arg_local(size_t nbytes);
/* A bool or int of dtype t. v wraps if it does not fit. */
GND_API gnd_arg gnd_arg_int(gnd_dtype t, int64_t v);
/* A float or complex number of dtype t. */
GND_API gnd_arg gnd_arg_float(gnd_dtype t, double re, double im);

/* The extent n along the first axis, 1 along the others. */
GND_API gnd_extent3 gnd_dims(size_t n);
/* The extents nx, ny and nz along the three axes. */
GND_API gnd_extent3 gnd_dims3(size_t nx, size_t ny, size_t nz);

/* Compiles source for dev. options: "-D NAME", "-D NAME=VALUE" and "-checked" separated by spaces,
 * or NULL. -checked, or GND_CHECKED=1: accesses of GND_CUDA_C and GND_PORTABLE outside of the
 * array arguments are GND_ERR_INDEX of the results (doc/USERKERNELS.md). Equal sources are
 * compiled once and cached on disk, like all kernels. Never returns NULL: gnd_program_status
 * reports failures. GND_ERR_NULL; GND_ERR_ARG: the language or an option; GND_ERR_SYNTAX: the
 * source ends inside a comment, or a kernel is not a function; GND_ERR_NAME: there is no kernel,
 * or it calls a function gnd_... that the portable dialect does not have; GND_ERR_UNSUPPORTED:
 * CUDA C outside of the subset, on an OpenCL device; -checked with GND_OPENCL_C, or a macro that
 * it cannot check; GND_ERR_BUILD: compiler errors, with line and column of the source;
 * GND_ERR_NOMEM. */
GND_API gnd_program *gnd_compile(gnd_device *dev, const char *source, gnd_language language,
                                 const char *options);
/* GND_OK, or the reason why p could not be made. GND_ERR_STATE: p was freed. */
GND_API gnd_status gnd_program_status(const gnd_program *p);
/* The message of that status; "" for GND_OK. Owned by p. */
GND_API const char *gnd_program_error(const gnd_program *p);
/* The compiler's whole log if the source did not compile; "" otherwise. Owned by p. */
GND_API const char *gnd_program_log(const gnd_program *p);
/* The name of kernel i, from 0, in source order; NULL after the last one. Owned by p. */
GND_API const char *gnd_program_name(const gnd_program *p, int i);
/* The kernel with this name. name NULL: the only kernel of the program. Never returns NULL:
 * gnd_launch reports the errors (an unknown name, with the nearest match; a program that did not
 * compile). Owned by p. */
GND_API gnd_kernel *gnd_program_kernel(gnd_program *p, const char *name);
/* Frees a program and its kernels. Arrays made by its launches stay valid. NULL is ignored. */
GND_API void gnd_program_free(gnd_program *p);

/* A parameter of a kernel as declared in the source. The strings belong to the program. */
typedef struct gnd_kernel_param {
    const char *name;
    const char *type;  /* type without address spaces, "unsigned int"; for a pointer, the type
                          that it points to */
    gnd_arg_kind kind; /* IN: pointer to const; INOUT: other pointer; NUMBER; LOCAL_MEM */
    gnd_dtype dtype;   /* dtype of one lane; GND_DTYPE_DEFAULT: unknown, and not checked */
    int lanes;         /* 1, or the number of lanes of a vector type */
} gnd_kernel_param;

/* Sets *p to parameter i of k, from 0. GND_ERR_NULL, GND_ERR_INDEX (no such parameter),
 * GND_ERR_NAME, GND_ERR_STATE, the errors of the program. */
GND_API gnd_status gnd_kernel_parameter(gnd_kernel *k, int i, gnd_kernel_param *p);

/* Launches k with `grid` work-groups of `block` work-items each. args has nargs arguments in the
 * order of the kernel's parameters. out[i] receives the new array of the i-th out or inout argument
 * (at most 8), or an error array; the caller owns them. Does not wait. GND_ERR_NULL; GND_ERR_ARG: a
 * wrong number of arguments, an argument of another kind than its parameter, a grid or block of
 * size 0 or beyond the device's limits, too much local memory, or no output; GND_ERR_DTYPE;
 * GND_ERR_SHAPE; GND_ERR_OVERFLOW; GND_ERR_DEVICE; GND_ERR_NAME; GND_ERR_STATE: the device of k was
 * closed; the errors of the arrays and of the program. */
GND_API gnd_status gnd_launch(gnd_kernel *k, gnd_extent3 grid, gnd_extent3 block, int nargs,
                              const gnd_arg *args, gnd_array **out);

/* Resources that a kernel uses. 0: not reported by the device. */
typedef struct gnd_kernel_facts {
    int64_t registers;       /* per work-item */
    int64_t private_bytes;   /* memory per work-item for values that do not fit in registers */
    int64_t local_bytes;     /* local memory declared by the kernel */
    int64_t max_group;       /* maximum work-group size */
    int64_t multiple;        /* preferred work-group size multiple */
    gnd_extent3 block, grid; /* suggested launch of n work-items along one axis */
} gnd_kernel_facts;

/* Sets *facts to the resources of k, with a block and a grid for n work-items. The last work-group
 * may extend beyond n. GND_ERR_NULL, GND_ERR_ARG (n < 1), GND_ERR_NAME, GND_ERR_STATE, the errors
 * of the program. */
GND_API gnd_status gnd_kernel_info(gnd_kernel *k, int64_t n, gnd_kernel_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
