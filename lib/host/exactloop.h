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

/* Blocks of the generator (gnd_philox_u64 in kernels/random.cl): its four words of blocks `block`
 * on, in arrays of their own, so that the rounds are loops over vectors. */
#define WORD_RUN 256
#define WORD_BLOCKS (WORD_RUN / 2 + 1)
GND__CLONES static inline void word_blocks(g_u64 block, g_u64 key, int n, g_u32 (*c)[WORD_BLOCKS])
{
    g_u32 k0 = (g_u32)key, k1 = (g_u32)(key >> 32);
    for (int b = 0; b < n; b++) {
        c[0][b] = (g_u32)(block + (g_u64)b);
        c[1][b] = (g_u32)((block + (g_u64)b) >> 32);
        c[2][b] = c[3][b] = 0;
    }
    for (int r = 0; r < 10; r++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (int b = 0; b < n; b++) {
            const g_u64 p = (g_u64)c[0][b] * 0xD2511F53u, q = (g_u64)c[2][b] * 0xCD9E8D57u;
            c[0][b] = (g_u32)(q >> 32) ^ c[1][b] ^ k0;
            c[1][b] = (g_u32)q;
            c[2][b] = (g_u32)(p >> 32) ^ c[3][b] ^ k1;
            c[3][b] = (g_u32)p;
        }
}

/* The 4 or 2 words of block b. */
#define WORDS_32(b)                                                                                \
    words[4 * (b)] = c[0][b], words[4 * (b) + 1] = c[1][b], words[4 * (b) + 2] = c[2][b],          \
              words[4 * (b) + 3] = c[3][b]
#define WORDS_64(b)                                                                                \
    words[2 * (b)] = (g_u64)c[1][b] << 32 | c[0][b],                                               \
              words[2 * (b) + 1] = (g_u64)c[3][b] << 32 | c[2][b]

/* Whether number i + k does not go on where number i began. */
#define DIFFERS(k) ((at[i + (k)] ^ (at_ + (k))) | (keys[i + (k)] ^ y) | (others[i + (k)] ^ w))

/* Random numbers of words of the generator, a word of `size` bits each; at: their positions, one
 * after the other while the key and the third argument are the same. `words` is the array of words
 * from number `first` on, which `post` may change (as in graph/fnset.def: of x numbers with the
 * arguments y and w); then x is the word of a number. */
#define WORD_LOOP(name, r, size, nin, post, ...)                                                   \
    GND__CLONES static void name(void *out, const void *in0, const void *in1, const void *in2,     \
                                 size_t n)                                                         \
    {                                                                                              \
        enum { EACH = 128 / (size) };                                                              \
        g_##r *restrict z = out;                                                                   \
        const g_u64 *at = in0, *keys = in1, *others = (nin) > 2 ? in2 : in1;                       \
        g_u32 c[4][WORD_BLOCKS];                                                                   \
        g_u##size words[WORD_BLOCKS * EACH];                                                       \
        for (size_t i = 0, m; i < n; i += m) {                                                     \
            const g_u64 at_ = at[i], y = keys[i], w = others[i], first = at_ % EACH;               \
            m = n - i < WORD_RUN ? n - i : WORD_RUN;                                               \
            m = m > 1 && DIFFERS(1) ? 1 : m;                                                       \
            g_u64 differs = 0;                                                                     \
            for (size_t k = 0; k < m; k++)                                                         \
                differs |= DIFFERS(k);                                                             \
            for (size_t all = m, k = m = differs ? 1 : m; k < all && !DIFFERS(k); k++)             \
                m++;                                                                               \
            const size_t blocks = (first + m + EACH - 1) / EACH;                                   \
            word_blocks(at_ / EACH, y, (int)blocks, c);                                            \
            for (size_t b = 0; b < blocks; b++)                                                    \
                WORDS_##size(b);                                                                   \
            {                                                                                      \
                const int x = (int)m;                                                              \
                (void)x, (void)w;                                                                  \
                post;                                                                              \
            }                                                                                      \
            for (size_t k = 0; k < m; k++) {                                                       \
                const g_u##size x = words[first + k];                                              \
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
