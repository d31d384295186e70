/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/radix.c - see radix.h. What keys are above the least one is sorted by, without the lowest
 * bits in which none differ, at most three digits of it: the highest ones. Of keys with more bits,
 * few are out of order after that, and insertion moves these. If it finds many, digits from the
 * lowest bit on follow.
 *
 * Where a few places are asked for, elements with other highest digits than those are left out.
 */
#include "host/radix.h"

#include <string.h>

/* At -O2 GCC leaves the loops scalar. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* Bits of a digit of MANY elements and of fewer; digits at once; moves of each element that
 * insertion may make. */
enum { LARGE = 11, SMALL = 8, MANY = 3072, DIGITS = 3, MOVES = 8 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

#define RADIX(name, type, KEY)                                                                     \
    /* Sorts by bits low to top - 1 of what keys are above base, in `count` digits of at most      \
     * LARGE bits; returns s or t. */                                                              \
    static type *digits_##name(type *s, type *t, int64_t n, uint64_t base, int low, int top,       \
                               int count)                                                          \
    {                                                                                              \
        int32_t at[DIGITS][1 << LARGE];                                                            \
        const int bits = (top - low + count - 1) / count;                                          \
        const uint64_t mask = ((uint64_t)1 << bits) - 1;                                           \
        for (int b = 0; b < count; b++)                                                            \
            memset(at[b], 0, ((size_t)mask + 1) * sizeof at[b][0]);                                \
        if (count == DIGITS)                                                                       \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const uint64_t k = ((uint64_t)KEY(s[i]) - base) >> low;                            \
                at[0][k & mask]++;                                                                 \
                at[1][k >> bits & mask]++;                                                         \
                at[2][k >> 2 * bits & mask]++;                                                     \
            }                                                                                      \
        else                                                                                       \
            for (int64_t i = 0; i < n; i++)                                                        \
                for (int b = 0; b < count; b++)                                                    \
                    at[b][((uint64_t)KEY(s[i]) - base) >> (low + b * bits) & mask]++;              \
        for (int b = 0; b < count; b++) {                                                          \
            const int shift = low + b * bits;                                                      \
            int32_t sum = 0, *to = at[b];                                                          \
            if (to[((uint64_t)KEY(s[0]) - base) >> shift & mask] == n)                             \
                continue;                                                                          \
            for (uint64_t d = 0; d <= mask; d++) {                                                 \
                const int32_t c = to[d];                                                           \
                to[d] = sum;                                                                       \
                sum += c;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < n; i++)                                                        \
                t[to[((uint64_t)KEY(s[i]) - base) >> shift & mask]++] = s[i];                      \
            type *const u = s;                                                                     \
            s = t;                                                                                 \
            t = u;                                                                                 \
        }                                                                                          \
        return s;                                                                                  \
    }                                                                                              \
    /* Returns 0 if that takes more than `most` moves; the order is stable in any case. */         \
    static int insert_##name(type *s, int64_t n, int64_t most)                                     \
    {                                                                                              \
        for (int64_t i = 1; i < n; i++) {                                                          \
            const type x = s[i];                                                                   \
            int64_t j = i;                                                                         \
            for (; j > 0 && KEY(s[j - 1]) > KEY(x); j--)                                           \
                s[j] = s[j - 1];                                                                   \
            s[j] = x;                                                                              \
            if ((most -= i - j) < 0)                                                               \
                return 0;                                                                          \
        }                                                                                          \
        return 1;                                                                                  \
    }                                                                                              \
    /* Puts into t what has the highest digits of places *first to *first + keep - 1. Returns its  \
     * number; *first is then a place in t. */                                                     \
    static int64_t near_##name(const type *s, type *t, int64_t n, uint64_t base, int top,          \
                               int64_t *first, int64_t keep)                                       \
    {                                                                                              \
        int32_t many[1 << LARGE] = {0};                                                            \
        const int shift = top > LARGE ? top - LARGE : 0;                                           \
        const uint64_t mask = ((uint64_t)1 << LARGE) - 1;                                          \
        uint64_t from = 0, to = 0;                                                                 \
        int64_t before = 0, sum = 0, m = 0;                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            many[((uint64_t)KEY(s[i]) - base) >> shift & mask]++;                                  \
        for (uint64_t d = 0; sum < *first + keep; d++) {                                           \
            if (sum <= *first) {                                                                   \
                from = d;                                                                          \
                before = sum;                                                                      \
            }                                                                                      \
            to = d;                                                                                \
            sum += many[d];                                                                        \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const uint64_t d = ((uint64_t)KEY(s[i]) - base) >> shift & mask;                       \
            t[m] = s[i];                                                                           \
            m += (d >= from) & (d <= to);                                                          \
        }                                                                                          \
        *first -= before;                                                                          \
        return m;                                                                                  \
    }                                                                                              \
    type *gnd__radix_##name(type *s, type *t, int64_t n, int low, int64_t *first, int64_t keep)    \
    {                                                                                              \
        uint64_t differ = 0, base = (uint64_t)KEY(s[0]) >> low, high = base, before = base;        \
        int falls = 0;                                                                             \
        for (int64_t i = 1; i < n; i++) {                                                          \
            const uint64_t k = (uint64_t)KEY(s[i]) >> low;                                         \
            differ |= before ^ k;                                                                  \
            falls |= before > k;                                                                   \
            base = k < base ? k : base;                                                            \
            high = k > high ? k : high;                                                            \
            before = k;                                                                            \
        }                                                                                          \
        if (!falls)                                                                                \
            return s;                                                                              \
        const int top = low + 64 - __builtin_clzll(high - base);                                   \
        base <<= low;                                                                              \
        low += __builtin_ctzll(differ);                                                            \
        if (keep < n / 4) {                                                                        \
            type *const u = s;                                                                     \
            n = near_##name(s, t, n, base, top, first, keep);                                      \
            s = t;                                                                                 \
            t = u;                                                                                 \
        }                                                                                          \
        const int bits = n < MANY ? SMALL : LARGE, most = DIGITS * bits;                           \
        type *u = digits_##name(s, t, n, base, top - least(top - low, most), top,                  \
                                least(DIGITS, (top - low + bits - 1) / bits));                     \
        if (top - low <= most || insert_##name(u, n, MOVES * n))                                   \
            return u;                                                                              \
        for (int at = low; at < top; at += most) {                                                 \
            const int to = least(at + most, top);                                                  \
            u = digits_##name(u, u == s ? t : s, n, base, at, to,                                  \
                              least(DIGITS, (to - at + bits - 1) / bits));                         \
        }                                                                                          \
        return u;                                                                                  \
    }

#define SELF(x) (x)
#define KEY_OF(x) ((x).key)
RADIX(u32, uint32_t, SELF)
RADIX(u64, uint64_t, SELF)
RADIX(keyed, gnd__keyed, KEY_OF)
