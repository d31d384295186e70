/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/info.h - properties of dtypes, promotion of operands, constants, and
 * __array_namespace_info__() of the Array API standard ("the standard"). Nothing here computes, and
 * no device is opened.
 */
#ifndef GND_INFO_H
#define GND_INFO_H

#include <gnd/device.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- constants ------------------------------------------------------------------------------- */

/* The constants of the standard (its newaxis is GND_IDX_NEWAXIS). GND_INF and GND_NAN need
 * <math.h>. */
#define GND_E 2.71828182845904523536
#define GND_PI 3.14159265358979323846
#define GND_EULER_GAMMA 0.57721566490153286061
#define GND_INF ((double)INFINITY)
#define GND_NAN ((double)NAN)

/* --- kinds and limits of dtypes -------------------------------------------------------------- */

/* The standard's kinds, for gnd_isdtype and gnd_dtypes; combine them with |. float16 and bfloat16
 * are real floating. */
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

/* 1 if t has one of these kinds, else 0. Compare dtypes with ==. */
GND_API int gnd_isdtype(gnd_dtype t, unsigned kinds);

/* Properties of a float dtype. */
typedef struct gnd_float_info {
    gnd_dtype dtype;           /* the dtype described; for a complex dtype, that of its parts */
    int bits;                  /* bits per element */
    double eps;                /* distance from 1 to the next larger number */
    double epsneg;             /* distance from 1 to the next smaller number */
    double max, min;           /* largest finite number, and its negative */
    double smallest_normal;    /* smallest positive normal number */
    double smallest_subnormal; /* the smallest positive number */
    int precision;             /* decimal digits that are always preserved */
    double resolution;         /* 10 to the power -precision */
    int nmant, nexp;           /* stored bits of the significand, bits of the exponent */
} gnd_float_info;

/* Sets *out. GND_ERR_NULL; GND_ERR_DTYPE: t is neither real nor complex floating. */
GND_API gnd_status gnd_finfo(gnd_dtype t, gnd_float_info *out);

/* Properties of an int dtype. */
typedef struct gnd_int_info {
    gnd_dtype dtype;
    int bits;
    int64_t min;
    uint64_t max;
} gnd_int_info;

/* Sets *out. GND_ERR_NULL; GND_ERR_DTYPE: t is not an int dtype (bool is not). */
GND_API gnd_status gnd_iinfo(gnd_dtype t, gnd_int_info *out);

/* --- promotion ------------------------------------------------------------------------------- */

/* The dtype that n arrays and m dtypes promote to, as in operations. Weak scalars count by their
 * kind. The order does not matter. With arrays of a device without float64, float64 is replaced by
 * float32. A list may be NULL if it is empty. GND_DTYPE_DEFAULT, with gnd_message, if there are no
 * operands, an array holds an error, a value is not a dtype, or the arrays are of two devices. */
GND_API gnd_dtype gnd_result_type(int n, gnd_array *const *x, int m, const gnd_dtype *t);
/* 1 if the two dtypes promote to `to`: every value of `from` can be represented, except for the
 * last bits of 64-bit ints in float64. 0 otherwise, and if one is not a dtype. */
GND_API int gnd_can_cast(gnd_dtype from, gnd_dtype to);
/* Same as gnd_can_cast, for an array. Also 0 if the device of x does not support dtype `to`, or x
 * holds an error. For a weak scalar: whether it takes that dtype with an array of it, and its value
 * fits. */
GND_API int gnd_can_cast_array(const gnd_array *x, gnd_dtype to);

/* --- inspection ------------------------------------------------------------------------------ */

/* The result of the standard's capabilities(). */
typedef struct gnd_capability_set {
    int boolean_indexing;      /* "boolean indexing" */
    int data_dependent_shapes; /* "data-dependent shapes" */
    int max_dimensions;        /* "max dimensions" */
} gnd_capability_set;

/* The capabilities of this library, as the standard's capabilities(). Never fails. */
GND_API gnd_capability_set gnd_capabilities(void);

/* Sets *out to the entry of gnd_device_list that gnd_open(NULL) would open. (The standard's
 * devices() are the entries with an empty reason.) GND_ERR_NULL, or the error if there is no
 * device, with gnd_message. */
GND_API gnd_status gnd_default_device(gnd_device_info *out);

/* The default dtypes of functions. */
typedef struct gnd_default_set {
    gnd_dtype real_floating; /* float64; float32 on a device without float64 */
    gnd_dtype complex_floating;
    gnd_dtype integral;
    gnd_dtype indexing; /* of indices in results */
} gnd_default_set;

/* Sets *out to the default dtypes of a device. device is a text as for gnd_open, or gnd_device_id
 * of an open device; NULL: the default device. GND_ERR_NULL, the errors of gnd_open, with
 * gnd_message. */
GND_API gnd_status gnd_default_dtypes(const char *device, gnd_default_set *out);
/* Stores the dtypes of these kinds (0: all) that the device supports in out, in the order of
 * gnd_dtype. Returns their number, or a negative status as gnd_default_dtypes. */
GND_API int gnd_dtypes(const char *device, unsigned kinds, gnd_dtype out[GND_NDTYPES]);

#ifdef __cplusplus
}
#endif
#endif
