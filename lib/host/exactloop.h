/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/exactloop.h - what the loops of exact.c are made of: the names of kernels/ in C, and the
 * loop. For exact.c and native.c alone.
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
#include <string.h>
#include "host/clones.h"

typedef uint8_t g_b, g_u8;
typedef int8_t g_i8;
typedef int16_t g_i16;
typedef int32_t g_i32;
typedef int64_t g_i64;
typedef uint16_t g_u16;
typedef uint32_t g_u32;
typedef uint64_t g_u64;
typedef float g_f32;
typedef double g_f64;

/* What kernels/core.cl has for functions of kernels/. */
#define GND_FN static inline
#define GND_INLINE static inline __attribute__((always_inline))
#define __constant static const
#define GND_INF_f32 HUGE_VALF
#define GND_INF_f64 HUGE_VAL
#define GND_NAN_f32 __builtin_nanf("")
#define GND_NAN_f64 __builtin_nan("")
#define BITS(name, from, to)                                                                       \
    static inline to name(from x)                                                                  \
    {                                                                                              \
        to u;                                                                                      \
        memcpy(&u, &x, sizeof u);                                                                  \
        return u;                                                                                  \
    }
BITS(GND_BITS_f32, g_f32, g_u32)
BITS(GND_FROM_f32, g_u32, g_f32)
BITS(GND_BITS_f64, g_f64, g_u64)
BITS(GND_FROM_f64, g_u64, g_f64)
/* The built-in functions of kernels, which go by their argument. */
#define ONE(fn, x) _Generic((x), float : fn##f, default : (fn))(x)
#define TWO(fn, x, y) _Generic((x), float : fn##f, default : (fn))(x, y)
#define fma(x, y, z) _Generic((x), float : fmaf, default : (fma))(x, y, z)
#define fabs(x) ONE(fabs, x)
#define sqrt(x) ONE(sqrt, x)
#define ceil(x) ONE(ceil, x)
#define floor(x) ONE(floor, x)
#define trunc(x) ONE(trunc, x)
#define rint(x) ONE(rint, x)
#define copysign(x, y) TWO(copysign, x, y)
#define fmod(x, y) TWO(fmod, x, y)
#define fmin(x, y) TWO(fmin, x, y)
#define fmax(x, y) TWO(fmax, x, y)

/* Functions of many operations have code for wider vectors as well. */
#define WIDE_LOOP(...) GND__CLONES LOOP(__VA_ARGS__)

/* The dtypes: r of the result, a of the first argument, t of the others. */
#define LOOP(name, r, a, t, nin, ...)                                                              \
    static void name(void *out, const void *in0, const void *in1, const void *in2, size_t n)       \
    {                                                                                              \
        g_##r *restrict z = out;                                                                   \
        const g_##a *xs = in0;                                                                     \
        const g_##t *ys = (nin) > 1 ? in1 : in0, *ws = (nin) > 2 ? in2 : in0;                      \
        for (size_t i = 0; i < n; i++) {                                                           \
            const g_##a x = xs[i];                                                                 \
            const g_##t y = ys[i], w = ws[i];                                                      \
            (void)x, (void)y, (void)w;                                                             \
            z[i] = (g_##r)(__VA_ARGS__);                                                           \
        }                                                                                          \
    }

/* The same on one dtype, near 0 first; `bad` says whether an argument is not. */
#define NEAR_LOOP(name, t, nin, near, ...)                                                         \
    LOOP(name##_any, t, t, t, nin, __VA_ARGS__)                                                    \
    GND__CLONES static void name(void *out, const void *in0, const void *in1, const void *in2,     \
                                 size_t n)                                                         \
    {                                                                                              \
        g_##t *restrict z = out;                                                                   \
        const g_##t *xs = in0, *ys = (nin) > 1 ? in1 : in0;                                        \
        int bad = 0;                                                                               \
        for (size_t i = 0; i < n; i++) {                                                           \
            const g_##t x = xs[i], y = ys[i];                                                      \
            (void)x, (void)y;                                                                      \
            z[i] = near;                                                                           \
        }                                                                                          \
        if (bad)                                                                                   \
            name##_any(out, in0, in1, in2, n);                                                     \
    }

/* Random numbers of words of the generator; x: a word of `size` bits. Blocks of it have several
 * words: those of positions one after the other, with one key, are computed once. */
#define WORD_RUN 256
#define WORD_LOOP(name, r, size, ...)                                                              \
    GND__CLONES static void name(void *out, const void *in0, const void *in1, const void *in2,     \
                                 size_t n)                                                         \
    {                                                                                              \
        enum { EACH = 128 / (size) };                                                              \
        g_##r *restrict z = out;                                                                   \
        const g_u64 *at = in0, *keys = in1;                                                        \
        g_u64 halves[2 * (WORD_RUN / EACH + 1)];                                                   \
        g_u##size w[EACH * (WORD_RUN / EACH + 1)];                                                 \
        (void)in2;                                                                                 \
        for (size_t i = 0, m; i < n; i += m) {                                                     \
            const g_u64 key = keys[i], first = at[i] % EACH, block = at[i] / EACH;                 \
            m = n - i < WORD_RUN ? n - i : WORD_RUN;                                               \
            size_t other = 0;                                                                      \
            for (size_t k = 0; k < m; k++)                                                         \
                other |= (at[i + k] ^ (at[i] + k)) | (keys[i + k] ^ key);                          \
            m = other ? 1 : m;                                                                     \
            const size_t blocks = (first + m + EACH - 1) / EACH;                                   \
            for (size_t b = 0; b < blocks; b++) {                                                  \
                g_u32 x[4];                                                                        \
                gnd_philox_u64(block + b, 0, key, x);                                              \
                halves[2 * b] = (g_u64)x[1] << 32 | x[0];                                          \
                halves[2 * b + 1] = (g_u64)x[3] << 32 | x[2];                                      \
            }                                                                                      \
            for (size_t k = 0; k < EACH * blocks; k++)                                             \
                w[k] = (g_u##size)(halves[k * 2 / EACH] >> (k * (size) % 64));                     \
            for (size_t k = 0; k < m; k++) {                                                       \
                const g_u##size x = w[first + k];                                                  \
                z[i + k] = (g_##r)(__VA_ARGS__);                                                   \
            }                                                                                      \
        }                                                                                          \
    }

#define RUN(name, t, ...)                                                                          \
    static void name(void *out, const void *in, size_t n)                                          \
    {                                                                                              \
        g_##t x;                                                                                   \
        const g_##t *ys = in;                                                                      \
        memcpy(&x, out, sizeof x);                                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            const g_##t y = ys[i];                                                                 \
            x = (g_##t)(__VA_ARGS__);                                                              \
        }                                                                                          \
        memcpy(out, &x, sizeof x);                                                                 \
    }

/* Comparisons of 64 bits need wider vectors than every x86 has. */
#define WIDE_RUN(...) GND__CLONES RUN(__VA_ARGS__)

/* n groups of elements, each folded into the lanes at `out`, one into each. */
#define LANES(name, t, ...)                                                                        \
    GND__CLONES static void name(void *out, const void *in, size_t n)                              \
    {                                                                                              \
        g_##t *restrict z = out;                                                                   \
        const g_##t *ys = in;                                                                      \
        for (size_t i = 0; i < n; i++, ys += GND__EXACT_LANES)                                     \
            for (int l = 0; l < GND__EXACT_LANES; l++) {                                           \
                const g_##t x = z[l], y = ys[l];                                                   \
                z[l] = (g_##t)(__VA_ARGS__);                                                       \
            }                                                                                      \
    }

#endif
