/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/dtype.h - element types: sizes, kinds, promotion, and single elements on the host.
 * Pure functions; no state.
 */
#ifndef GND_BASE_DTYPE_H
#define GND_BASE_DTYPE_H

#include <gnd/types.h>

/* A single element on the host in the widest form of its kind: what weak scalars, kernel constants
 * and printed elements are. kind 'b','i' use i; 'u' uses u; 'f' uses re; 'c' uses re and im. */
typedef struct gnd__scalar {
    int kind;
    union { int64_t i; uint64_t u; };
    double re, im;
} gnd__scalar;

static inline int gnd__dtype_ok(gnd_dtype t) { return (unsigned)t < GND_NDTYPES; }

static inline int gnd__dtype_is_float(gnd_dtype t)
{
    return t == GND_FLOAT32 || t == GND_FLOAT64 || t == GND_FLOAT16 || t == GND_BFLOAT16;
}
/* The bytes of an element of t, which is a dtype. */
extern const unsigned char gnd__dtype_bytes[GND_NDTYPES];

/* float16/bfloat16 conversions, round to nearest even, NaN kept quiet, subnormals exact. */
float gnd__f16_to_f32(uint16_t h);
uint16_t gnd__f64_to_f16(double d); /* one rounding, not two */
uint16_t gnd__f64_to_bf16(double d);
float gnd__bf16_to_f32(uint16_t h);

/* Reads one element of dtype t at p. */
gnd__scalar gnd__load_scalar(gnd_dtype t, const void *p);
/* Writes s converted as C converts (floats to ints truncate, ints wrap, complex drops im, NaN and
 * out-of-range floats to ints give what x86 gives) as dtype t at p. */
void gnd__store_scalar(gnd_dtype t, void *p, const gnd__scalar *s);
/* Whether the weak scalar s can take dtype t without overflow (an int into an int type; everything
 * else is fine). */
int gnd__scalar_fits(gnd_dtype t, const gnd__scalar *s);
/* What an array of dtype t and a weak scalar of this kind ('b','i','f','c') promote to; f is the
 * default float dtype of the device (float64, or float32 where there is none). */
gnd_dtype gnd__promote_weak(gnd_dtype t, int kind, gnd_dtype f);
/* What NumPy's floating-point functions (sin ...) make of dtype t: floats and complex stay, bool and
 * 8-bit ints give float16, 16-bit ints float32, others float64. */
gnd_dtype gnd__float_of(gnd_dtype t);
/* float32 for complex64, float64 for complex128, else t. */
gnd_dtype gnd__real_of(gnd_dtype t);
/* complex64 for up to float32, complex128 for float64; complex stays. */
gnd_dtype gnd__complex_of(gnd_dtype t);
/* Whether kernels need float64 arithmetic for t (float64, complex128). */
int gnd__needs_f64(gnd_dtype t);

#endif
