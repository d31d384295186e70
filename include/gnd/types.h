/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/types.h - basic types of the public API: status codes, dtypes, axes, flags. Every other
 * public header includes this one. It needs only the C library.
 */
#ifndef GND_TYPES_H
#define GND_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

#if defined(GND_BUILD) && defined(__GNUC__)
#define GND_API __attribute__((visibility("default")))
#else
#define GND_API
#endif

#ifdef __GNUC__
#define GND_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define GND_SENTINEL __attribute__((sentinel))
#else
#define GND_PRINTF(text, first)
#define GND_SENTINEL
#endif

/* Status codes: 0 is success, every error is negative. X(name, value, text). */
#define GND_STATUS_LIST(X)                                                                         \
    X(GND_OK, 0, "success")                                                                        \
    X(GND_ERR_NULL, -1, "a NULL argument")                                                         \
    X(GND_ERR_ARG, -2, "an argument has a bad value")                                              \
    X(GND_ERR_SHAPE, -3, "shapes do not fit")                                                      \
    X(GND_ERR_DTYPE, -4, "the dtype is not allowed here")                                          \
    X(GND_ERR_AXIS, -5, "an axis is out of range")                                                 \
    X(GND_ERR_INDEX, -6, "an index is out of range")                                               \
    X(GND_ERR_OVERFLOW, -7, "a size or a value does not fit")                                      \
    X(GND_ERR_DEVICE, -8, "arrays of different devices, or a missing device")                      \
    X(GND_ERR_NOMEM, -9, "out of host memory")                                                     \
    X(GND_ERR_DEVMEM, -10, "out of device memory")                                                 \
    X(GND_ERR_BACKEND, -11, "the backend or its driver failed")                                    \
    X(GND_ERR_BUILD, -12, "a kernel did not compile")                                              \
    X(GND_ERR_UNSUPPORTED, -13, "not supported on this device")                                    \
    X(GND_ERR_IO, -14, "a file could not be read or written")                                      \
    X(GND_ERR_FORMAT, -15, "a file is malformed")                                                  \
    X(GND_ERR_SYNTAX, -16, "an expression could not be parsed")                                    \
    X(GND_ERR_NAME, -17, "an unknown name")                                                        \
    X(GND_ERR_STATE, -18, "a call in the wrong state")                                             \
    X(GND_ERR_INTERNAL, -19, "an internal error of gnd: please report it")                         \
    X(GND_ERR_LINALG, -20, "a matrix is singular or not positive definite, or no convergence")     \
    X(GND_ERR_TYPE, -21, "an argument is of the wrong kind, missing, unknown, or one too many")

typedef enum gnd_status {
#define X(name, value, text) name = value,
    GND_STATUS_LIST(X)
#undef X
} gnd_status;

/* Element types. X(NAME, name, bytes, kind); kind is b(ool), i(nt), u(nsigned), f(loat) or
 * c(omplex). The names are those of NumPy and of the Array API standard. The order is fixed,
 * because the values are stored in files. */
#define GND_DTYPE_LIST(X)                                                                          \
    X(BOOL, bool, 1, 'b')                                                                          \
    X(INT8, int8, 1, 'i')                                                                          \
    X(INT16, int16, 2, 'i')                                                                        \
    X(INT32, int32, 4, 'i')                                                                        \
    X(INT64, int64, 8, 'i')                                                                        \
    X(UINT8, uint8, 1, 'u')                                                                        \
    X(UINT16, uint16, 2, 'u')                                                                      \
    X(UINT32, uint32, 4, 'u')                                                                      \
    X(UINT64, uint64, 8, 'u')                                                                      \
    X(FLOAT16, float16, 2, 'f')                                                                    \
    X(BFLOAT16, bfloat16, 2, 'f')                                                                  \
    X(FLOAT32, float32, 4, 'f')                                                                    \
    X(FLOAT64, float64, 8, 'f')                                                                    \
    X(COMPLEX64, complex64, 8, 'c')                                                                \
    X(COMPLEX128, complex128, 16, 'c')

typedef enum gnd_dtype {
#define X(NAME, name, bytes, kind) GND_##NAME,
    GND_DTYPE_LIST(X)
#undef X
        GND_NDTYPES
} gnd_dtype;

/* For optional dtype arguments: the promotion rules choose the dtype. */
#define GND_DTYPE_DEFAULT ((gnd_dtype)-1)

/* The maximum number of dimensions of an array. */
#define GND_MAX_NDIM 32

/* A set of axes: GND_AXIS(0), GND_AXES(0, -1), GND_ALL, or the empty set GND_NO_AXES. It is a type
 * of its own, so that the compiler rejects a number where a set is needed (gnd_sum(x, 1, 0)) and a
 * set where a number is needed (gnd_sort(x, GND_AXIS(0), 0)). Encoding: bit i is axis i; bit 32+i
 * is axis -(i+1), down to -31. Bit 63 is set in every valid set, so a zero-initialized struct is
 * invalid. An axis outside [-31, 31] sets the bits of both 31 and -1. That pair is GND_ERR_AXIS,
 * because it would name one axis twice. (For the first of 32 axes use GND_AXIS(0).) */
typedef struct gnd_axes {
    uint64_t bits;
} gnd_axes;
#ifdef __cplusplus
#define GND_AXES_BITS(b) (gnd_axes{b})
#else
#define GND_AXES_BITS(b) ((gnd_axes){b})
#endif
#define GND_NO_AXES GND_AXES_BITS(UINT64_C(1) << 63)
#define GND_ALL GND_AXES_BITS(UINT64_C(0xbfffffffffffffff))
#define GND_AXIS(a) gnd_axis(a)

/* The set with one axis; GND_AXIS uses it. */
static inline gnd_axes gnd_axis(int64_t axis)
{
    if (axis < -31 || axis > 31)
        return GND_AXES_BITS(UINT64_C(1) << 63 | UINT64_C(3) << 31);
    return GND_AXES_BITS(UINT64_C(1) << 63 | UINT64_C(1) << (axis >= 0 ? axis : 31 - axis));
}

/* The union of two sets. */
static inline gnd_axes gnd_axes_union(gnd_axes a, gnd_axes b)
{
    a.bits |= b.bits;
    return a;
}

/* The set of n axes, in any order. Repeating the same number is allowed. Naming one axis by two
 * numbers (0 and -1 of a vector) is GND_ERR_AXIS when the set is used. */
static inline gnd_axes gnd_axes_of(size_t n, const int *axis)
{
    gnd_axes y = GND_NO_AXES;
    for (size_t i = 0; i < n; i++)
        y = gnd_axes_union(y, GND_AXIS(axis[i]));
    return y;
}

/* The same for axes written as arguments: GND_AXES(0, -1). */
#ifdef __cplusplus
#define GND_AXES(...) gnd_axes_of_list({__VA_ARGS__})
#else
#define GND_AXES(...)                                                                              \
    gnd_axes_of(sizeof(int[]){__VA_ARGS__} / sizeof(int), (const int[]){__VA_ARGS__})
#endif

/* Flags of reductions. */
#define GND_KEEPDIMS 1u

/* Opaque handles. An array is an immutable value (a node of a lazy graph). Functions never return
 * NULL arrays. */
typedef struct gnd_array gnd_array;
typedef struct gnd_device gnd_device;

/* The NumPy name of the dtype ("float32"); "invalid" if t is not a dtype. Never NULL. */
GND_API const char *gnd_dtype_name(gnd_dtype t);
/* The size of one element in bytes; 0 if t is not a dtype. */
GND_API size_t gnd_dtype_size(gnd_dtype t);
/* The kind of the dtype: 'b', 'i', 'u', 'f' or 'c'; 0 if t is not a dtype. */
GND_API int gnd_dtype_kind(gnd_dtype t);
/* The dtype with this NumPy name ("float32", "bool"); GND_DTYPE_DEFAULT if there is none. */
GND_API gnd_dtype gnd_dtype_parse(const char *name);
/* The dtype that two array operands of dtypes a and b promote to, by NumPy 2's table.
 * GND_DTYPE_DEFAULT if a or b is not a dtype. */
GND_API gnd_dtype gnd_promote(gnd_dtype a, gnd_dtype b);
/* A short constant description of a status. Never NULL. */
GND_API const char *gnd_status_text(gnd_status s);
/* The name of a status ("GND_ERR_SHAPE"). Never NULL. */
GND_API const char *gnd_status_name(gnd_status s);

#ifdef __cplusplus
}
/* The set of the listed axes; GND_AXES uses it in C++. */
inline gnd_axes gnd_axes_of_list(std::initializer_list<int> axis)
{
    return gnd_axes_of(axis.size(), axis.begin());
}
#endif
#endif
