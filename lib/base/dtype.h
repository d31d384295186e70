/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/dtype.h - dtypes: sizes, kinds, promotion, and single elements on the host. Pure functions
 * without state.
 */
#ifndef GND_BASE_DTYPE_H
#define GND_BASE_DTYPE_H

#include <gnd/types.h>

/* A single element on the host in the widest form of its kind, for weak scalars, kernel constants
 * and printed elements. Kinds 'b' and 'i' use i, 'u' uses u, 'f' uses re, 'c' uses re and im. */
typedef struct gnd__scalar {
    int kind;
    union {
        int64_t i;
        uint64_t u;
    };
    double re, im;
} gnd__scalar;

static inline int gnd__dtype_ok(gnd_dtype t)
{
    return (unsigned)t < GND_NDTYPES;
}

static inline int gnd__dtype_is_float(gnd_dtype t)
{
    return t == GND_FLOAT32 || t == GND_FLOAT64 || t == GND_FLOAT16 || t == GND_BFLOAT16;
}
/* Bytes per element of dtype t. t must be valid. */
extern const unsigned char gnd__dtype_bytes[GND_NDTYPES];

/* Conversions of float16 and bfloat16. They round to nearest even, keep NaN quiet, and handle
 * subnormals exactly. */
float gnd__f16_to_f32(uint16_t h);
uint16_t gnd__f64_to_f16(double d); /* rounds once, not twice */
uint16_t gnd__f64_to_bf16(double d);
float gnd__bf16_to_f32(uint16_t h);

/* Reads one element of dtype t at p. */
gnd__scalar gnd__load_scalar(gnd_dtype t, const void *p);
/* Writes s at p as dtype t. Converts as C does: floats to ints truncate, ints wrap, complex drops
 * im. NaN and floats out of an int's range give what x86 gives. */
void gnd__store_scalar(gnd_dtype t, void *p, const gnd__scalar *s);
/* Whether the weak scalar s can take dtype t without overflow. Only ints into int dtypes can
 * overflow. */
int gnd__scalar_fits(gnd_dtype t, const gnd__scalar *s);
/* The dtype to which an array of dtype t and a weak scalar of this kind ('b', 'i', 'u', 'f',
 * 'c') promote. f is the device's default float dtype: float64, or float32 on devices without
 * float64. */
gnd_dtype gnd__promote_weak(gnd_dtype t, int kind, gnd_dtype f);
/* The result dtype of NumPy's floating-point functions (sin ...) for dtype t: floats and complex
 * are kept; bool and 8-bit ints give float16, 16-bit ints float32, others float64. */
gnd_dtype gnd__float_of(gnd_dtype t);
/* float32 for complex64, float64 for complex128, else t. */
gnd_dtype gnd__real_of(gnd_dtype t);
/* complex64 for dtypes up to float32, complex128 for float64; complex dtypes are kept. */
gnd_dtype gnd__complex_of(gnd_dtype t);
/* Whether kernels need float64 arithmetic for t (float64, complex128). */
int gnd__needs_f64(gnd_dtype t);

#endif
