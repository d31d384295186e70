/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/exactloop.h - what the loops of exact.c are made of: types, conversions of floats to ints
 * (kernels/core.cl has the same), and the loop. Only exact.c includes it.
 */
#ifndef GND_HOST_EXACTLOOP_H
#define GND_HOST_EXACTLOOP_H

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t b, u8;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

#define GND_INF_f32 HUGE_VALF
#define GND_INF_f64 HUGE_VAL
/* The built-in functions of kernels, which go by their argument. */
#define fabs(x) _Generic((x), float : fabsf, default : (fabs))(x)
#define sqrt(x) _Generic((x), float : sqrtf, default : (sqrt))(x)
#define ceil(x) _Generic((x), float : ceilf, default : (ceil))(x)
#define floor(x) _Generic((x), float : floorf, default : (floor))(x)
#define trunc(x) _Generic((x), float : truncf, default : (trunc))(x)
#define rint(x) _Generic((x), float : rintf, default : (rint))(x)
#define copysign(x, y) _Generic((x), float : copysignf, default : (copysign))(x, y)

/* Towards zero; NaN and values out of range give the smallest int, as x86's cvttsd2si. */
static inline i32 to_i32_f32(f32 x)
{
    return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : INT32_MIN;
}
static inline i32 to_i32_f64(f64 x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : INT32_MIN;
}
static inline i64 to_i64_f64(f64 x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (i64)x : INT64_MIN;
}
static inline i64 to_i64_f32(f32 x)
{
    return to_i64_f64(x);
}
/* 0 from 2^64 on, and below 0 the int64's bits. */
static inline u64 to_u64_f64(f64 x)
{
    return x >= 0x1p63 ? (x < 0x1p64 ? (u64)x : 0) : (u64)to_i64_f64(x);
}
static inline u64 to_u64_f32(f32 x)
{
    return to_u64_f64(x);
}

/* A: the type of the first argument, T: of the others. */
#define LOOP(name, R, A, T, nin, ...)                                                              \
    static void name(void *out, const void *in0, const void *in1, const void *in2, size_t n)       \
    {                                                                                              \
        R *restrict z = out;                                                                       \
        const A *xs = in0;                                                                         \
        const T *ys = (nin) > 1 ? in1 : in0, *ws = (nin) > 2 ? in2 : in0;                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const A x = xs[i];                                                                     \
            const T y = ys[i], w = ws[i];                                                          \
            (void)x, (void)y, (void)w;                                                             \
            z[i] = (R)(__VA_ARGS__);                                                               \
        }                                                                                          \
    }

#endif
