/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/kernel.h - kernels of the program's own. doc/USERKERNELS.md is the guide.
 *
 *     const char *text = "__kernel void twice(__global const float *x, __global float *y)"
 *                        "{ size_t i = get_global_id(0); y[i] = 2 * x[i]; }";
 *     gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
 *     gnd_arg args[] = { GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL) };
 *     gnd_array *y;
 *     gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims(n / 64), gnd_dims(64), 2, args, &y);
 *
 * Arrays stay immutable values: a launch gives new arrays for its out and inout arguments, nodes of
 * the graph like any others. It runs when one of them is evaluated. The old elements of an inout
 * argument are copied first, unless nobody will need them again (the array was released and no other
 * array needs it): then the kernel works in their memory.
 *
 * A kernel gets a pointer to the first element of each array, which lies in C order. It may write to
 * out and inout arguments alone. What a kernel does outside its arrays is not checked.
 */
#ifndef GND_KERNEL_H
#define GND_KERNEL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The languages of kernels. GND_OPENCL_C: OpenCL C 1.2; on CUDA its functions and words are there,
 * vector literals and swizzles are not. GND_CUDA_C: CUDA C++ on CUDA devices; on OpenCL the subset of
 * doc/CUDAC.md, which is translated. GND_PORTABLE: the dialect of gnd's own kernels, for all. */
typedef enum gnd_language { GND_OPENCL_C, GND_CUDA_C, GND_PORTABLE } gnd_language;

/* A source, compiled for one device; one of its kernels, which belongs to the program. */
typedef struct gnd_program gnd_program;
typedef struct gnd_kernel gnd_kernel;

/* A number of groups, or of work-items in one, along up to three axes. */
typedef struct gnd_extent3 {
    size_t x, y, z;
} gnd_extent3;

/* What an argument is. */
typedef enum gnd_arg_kind {
    GND_ARG_IN,       /* an array that the kernel reads */
    GND_ARG_OUT,      /* an array that the kernel makes */
    GND_ARG_INOUT,    /* an array of which the kernel makes another */
    GND_ARG_NUMBER,   /* a number */
    GND_ARG_LOCAL_MEM /* local (shared) memory of each group */
} gnd_arg_kind;

/* An argument of a launch; the functions below make them. */
typedef struct gnd_arg {
    gnd_arg_kind kind;
    gnd_dtype dtype;         /* of an out argument, or of a number */
    gnd_array *array;        /* in, inout; out: what its elements are before, or NULL */
    int ndim;                /* out */
    const int64_t *shape;    /* out: read by gnd_launch */
    size_t nbytes;           /* local memory */
    union {
        int64_t i;
        double f[2];
        unsigned char bytes[16];
    } value;                 /* a number, as the kernel gets it */
} gnd_arg;

/* The constructors of arguments. An out argument has undefined elements before the kernel, or those of
 * fill, which broadcasts to its shape (gnd_int(0)). shape is read when gnd_launch is called. A number
 * has to be of the parameter's type: GND_F32 for float, GND_I32 for int, GND_U64 for size_t. */
#define GND_IN(x) gnd_arg_in(x)
#define GND_OUT(ndim, shape, dtype, fill) gnd_arg_out(ndim, shape, dtype, fill)
#define GND_INOUT(x) gnd_arg_inout(x)
#define GND_LOCAL_BYTES(n) gnd_arg_local(n)
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

/* x, which the kernel reads. */
GND_API gnd_arg gnd_arg_in(gnd_array *x);
/* A new array of dtype t and a shape. */
GND_API gnd_arg gnd_arg_out(int ndim, const int64_t *shape, gnd_dtype t, gnd_array *fill);
/* x, of which the kernel makes a new array. */
GND_API gnd_arg gnd_arg_inout(gnd_array *x);
/* nbytes of local memory: OpenCL C's __local pointer, CUDA C's extern __shared__ (one at most). */
GND_API gnd_arg gnd_arg_local(size_t nbytes);
/* A bool or an int of dtype t, which wraps where t is too small. */
GND_API gnd_arg gnd_arg_int(gnd_dtype t, int64_t v);
/* A float of dtype t, or a complex number. */
GND_API gnd_arg gnd_arg_float(gnd_dtype t, double re, double im);

/* n along the first axis. */
GND_API gnd_extent3 gnd_dims(size_t n);
/* nx, ny and nz along the axes. */
GND_API gnd_extent3 gnd_dims3(size_t nx, size_t ny, size_t nz);

/* Compiles source for dev. options: "-D NAME" and "-D NAME=VALUE", separated by spaces; NULL: none.
 * Equal sources are compiled once, and kept on disk like all kernels. Never NULL: a failure is in
 * gnd_program_status. GND_ERR_NULL, GND_ERR_ARG (the language, an option), GND_ERR_SYNTAX (the source
 * ends in a comment, a kernel is no function), GND_ERR_NAME (no kernel, or a function gnd_...
 * that the portable dialect has not), GND_ERR_UNSUPPORTED (what CUDA C has on CUDA devices only), GND_ERR_BUILD (line and
 * column are the source's; NVRTC tells the line, NVIDIA's OpenCL counts the lines of all the text), GND_ERR_NOMEM. */
GND_API gnd_program *gnd_compile(gnd_device *dev, const char *source, gnd_language language,
                                 const char *options);
/* GND_OK, or why it did not compile; GND_ERR_STATE once it was freed. */
GND_API gnd_status gnd_program_status(const gnd_program *p);
/* The message of that, "" when all is well. The program's. */
GND_API const char *gnd_program_error(const gnd_program *p);
/* All that the compiler said of a source that did not compile; "" otherwise. The program's. */
GND_API const char *gnd_program_log(const gnd_program *p);
/* The name of kernel i, from 0, in the order of the source; NULL: there are not so many. */
GND_API const char *gnd_program_name(const gnd_program *p, int i);
/* The kernel of that name; NULL: the only one. Never NULL: gnd_launch tells what is wrong (an unknown
 * name, with the nearest one there is; a program that did not compile). */
GND_API gnd_kernel *gnd_program_kernel(gnd_program *p, const char *name);
/* Gives program and kernels back. Arrays of its launches stay. NULL is fine. */
GND_API void gnd_program_free(gnd_program *p);

/* Launches k: `grid` groups of `block` work-items, with nargs arguments in the order of its
 * parameters. out[i] is the new array of the i-th out or inout argument, at most 8 of them: errors
 * too. The arrays stay the caller's. Nothing waits. GND_ERR_NULL, GND_ERR_ARG (the number of
 * arguments, an argument of another kind than its parameter, a grid or block of none or more than the
 * device has, too much local memory, no output), GND_ERR_DTYPE, GND_ERR_SHAPE, GND_ERR_OVERFLOW,
 * GND_ERR_DEVICE, GND_ERR_NAME, GND_ERR_STATE (k's device was closed), the errors of arrays and of
 * the program. */
GND_API gnd_status gnd_launch(gnd_kernel *k, gnd_extent3 grid, gnd_extent3 block, int nargs,
                              const gnd_arg *args, gnd_array **out);

/* What a kernel takes; 0: the device does not tell. */
typedef struct gnd_kernel_facts {
    int64_t registers;      /* of a work-item */
    int64_t private_bytes;  /* of a work-item in memory: what registers do not hold */
    int64_t local_bytes;    /* local memory that it declares */
    int64_t max_group;      /* work-items in a group, at most */
    int64_t multiple;       /* groups of a multiple of so many suit the device */
    gnd_extent3 block, grid; /* a launch of n work-items along one axis */
} gnd_kernel_facts;

/* The facts of k, and a block and a grid for n work-items (the last group may reach beyond n).
 * GND_ERR_NULL, GND_ERR_ARG (n < 1), GND_ERR_NAME, GND_ERR_STATE, the program's errors. */
GND_API gnd_status gnd_kernel_info(gnd_kernel *k, int64_t n, gnd_kernel_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
