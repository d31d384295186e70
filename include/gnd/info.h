/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/info.h - what dtypes are and can hold, what several operands promote to, constants, and what
 * the standard's __array_namespace_info__() tells of devices, which it opens none for. Computes
 * nothing.
 */
#ifndef GND_INFO_H
#define GND_INFO_H

#include <gnd/device.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- constants ------------------------------------------------------------------------------- */

/* Those of the standard (its newaxis is GND_IDX_NEWAXIS). GND_INF and GND_NAN need <math.h>. */
#define GND_E 2.71828182845904523536
#define GND_PI 3.14159265358979323846
#define GND_EULER_GAMMA 0.57721566490153286061
#define GND_INF ((double)INFINITY)
#define GND_NAN ((double)NAN)

/* --- kinds and limits of dtypes -------------------------------------------------------------- */

/* The standard's kinds, for gnd_isdtype and gnd_dtypes: any of them joined by |. float16 and
 * bfloat16 are real floating. */
enum {
    GND_KIND_BOOL = 1,                 /* "bool" */
    GND_KIND_SIGNED = 2,               /* "signed integer" */
    GND_KIND_UNSIGNED = 4,             /* "unsigned integer" */
    GND_KIND_INTEGRAL = 2 | 4,         /* "integral" */
    GND_KIND_REAL = 8,                 /* "real floating" */
    GND_KIND_COMPLEX = 16,             /* "complex floating" */
    GND_KIND_NUMERIC = 2 | 4 | 8 | 16, /* "numeric" */
    GND_KIND_ALL = 1 | 2 | 4 | 8 | 16
};

/* 1 when t is of one of those kinds, else 0. Whether two dtypes are one is ==. */
GND_API int gnd_isdtype(gnd_dtype t, unsigned kinds);

/* A float dtype's numbers. */
typedef struct gnd_float_info {
    gnd_dtype dtype;        /* of complex dtypes the dtype of each part, which all this is about */
    int bits;               /* bits of an element */
    double eps;             /* from 1 to the next number */
    double epsneg;          /* from 1 to the one before */
    double max, min;        /* the greatest finite number, and minus it */
    double smallest_normal; /* the smallest positive number with a full significand */
    double smallest_subnormal; /* the smallest positive number */
    int precision;             /* decimal digits that are always kept */
    double resolution;         /* 10 to the power of minus precision */
    int nmant, nexp;           /* bits of the significand that are stored, and of the exponent */
} gnd_float_info;

/* Fills *out. GND_ERR_NULL; GND_ERR_DTYPE for a dtype that is neither real nor complex floating. */
GND_API gnd_status gnd_finfo(gnd_dtype t, gnd_float_info *out);

/* An int dtype's numbers. */
typedef struct gnd_int_info {
    gnd_dtype dtype;
    int bits;
    int64_t min;
    uint64_t max;
} gnd_int_info;

/* Fills *out. GND_ERR_NULL; GND_ERR_DTYPE for a dtype that is not integral (bool is not). */
GND_API gnd_status gnd_iinfo(gnd_dtype t, gnd_int_info *out);

/* --- promotion ------------------------------------------------------------------------------- */

/* What n arrays and m dtypes promote to, as operations promote: weak scalars count by their kind,
 * the order does not matter, and with arrays of a device without float64 float32 is in its place.
 * Either list may be NULL when it has no entry. GND_DTYPE_DEFAULT, and gnd_message, for no
 * operands, an array that holds an error, a value that is no dtype, or arrays of two devices. */
GND_API gnd_dtype gnd_result_type(int n, gnd_array *const *x, int m, const gnd_dtype *t);
/* 1 when the promotion of both is `to`: every value of `from` has a place there, but for the last
 * bits of 64-bit ints in float64. 0 otherwise, and when either is no dtype. */
GND_API int gnd_can_cast(gnd_dtype from, gnd_dtype to);
/* The same for x, which is 0 too when x's device has no arrays of dtype `to`, or x holds an error.
 * Of a weak scalar: whether it takes that dtype when it meets an array of it, and fits. */
GND_API int gnd_can_cast_array(const gnd_array *x, gnd_dtype to);

/* --- inspection ------------------------------------------------------------------------------ */

/* What the standard's capabilities() tells. */
typedef struct gnd_capability_set {
    int boolean_indexing;      /* "boolean indexing" */
    int data_dependent_shapes; /* "data-dependent shapes" */
    int max_dimensions;        /* "max dimensions" */
} gnd_capability_set;

/* What this library can do, as the standard's capabilities() tells it. Never fails. */
GND_API gnd_capability_set gnd_capabilities(void);

/* The entry of gnd_device_list that gnd_open(NULL) would open; the standard's devices() are those
 * with an empty reason. GND_ERR_NULL, or why there is none, with gnd_message. */
GND_API gnd_status gnd_default_device(gnd_device_info *out);

/* The dtypes that functions take when they are given none. */
typedef struct gnd_default_set {
    gnd_dtype real_floating; /* float64; float32 on a device without it */
    gnd_dtype complex_floating;
    gnd_dtype integral;
    gnd_dtype indexing; /* of indices that functions give */
} gnd_default_set;

/* device: as gnd_open takes it (gnd_device_id of an open one; NULL: the default device). Errors:
 * GND_ERR_NULL, those of gnd_open, with gnd_message. */
GND_API gnd_status gnd_default_dtypes(const char *device, gnd_default_set *out);
/* The dtypes of those kinds (0: all) that arrays of the device can have, in the order of gnd_dtype,
 * to out. Their number, or a negative status: errors as above. */
GND_API int gnd_dtypes(const char *device, unsigned kinds, gnd_dtype out[GND_NDTYPES]);

#ifdef __cplusplus
}
#endif
#endif
