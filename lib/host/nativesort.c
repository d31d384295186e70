/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativesort.c - rows of few elements in stable order: keys of 64 bits, whose order as
 * unsigned ints is that of the elements (gnd_sortkey in kernels/sort.cl), with indices; short rows
 * by insertion, others by radix.
 */
#include "host/native.h"

#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"

enum { SHORT = 24 }; /* rows that are sorted by insertion */

/* A key of up to 32 bits stands before its index in one word. */
typedef struct item {
    uint64_t key, index;
} item;

static uint64_t raw(const char *x, int64_t i, size_t size)
{
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    switch (size) {
    case 1: return memcpy(&a, x + i, sizeof a), a;
    case 2: return memcpy(&b, x + 2 * i, sizeof b), b;
    case 4: return memcpy(&c, x + 4 * i, sizeof c), c;
    default: return memcpy(&d, x + 8 * i, sizeof d), d;
    }
}

/* The key of bits u: of floats NaN is all ones whatever the direction, and -0 is 0. */
static uint64_t key_of(uint64_t u, int kind, int bits, int descending)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), all = top | (top - 1), a = u & ~top;
    const uint64_t flip = descending ? all : 0;
    if (kind == 'i')
        return u ^ top ^ flip;
    if (kind != 'f')
        return u ^ flip;
    if (a > (bits == 32 ? (uint64_t)0xff << 23 : (uint64_t)0x7ff << 52))
        return all;
    return (a == 0 ? top : u & top ? ~u & all : u | top) ^ flip;
}

#define INSERT(name, type, KEY)                                                                    \
    static void name(type *s, int64_t n)                                                           \
    {                                                                                              \
        for (int64_t i = 1; i < n; i++) {                                                          \
            const type x = s[i];                                                                   \
            int64_t j = i;                                                                         \
            for (; j > 0 && KEY(s[j - 1]) > KEY(x); j--)                                           \
                s[j] = s[j - 1];                                                                   \
            s[j] = x;                                                                              \
        }                                                                                          \
    }

/* Sorts s[0 .. n), by way of t; returns where the result is. differ: the bits in which keys do. */
#define RADIX(name, type, KEY)                                                                     \
    static type *name(type *s, type *t, int64_t n, uint64_t differ)                                \
    {                                                                                              \
        for (int shift = 0; shift < 64; shift += 8) {                                              \
            int32_t at[256] = {0}, sum = 0;                                                        \
            if (!(differ >> shift & 255))                                                          \
                continue;                                                                          \
            for (int64_t i = 0; i < n; i++)                                                        \
                at[KEY(s[i]) >> shift & 255]++;                                                    \
            for (int d = 0; d < 256; d++) {                                                        \
                const int32_t c = at[d];                                                           \
                at[d] = sum;                                                                       \
                sum += c;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < n; i++)                                                        \
                t[at[KEY(s[i]) >> shift & 255]++] = s[i];                                          \
            type *const u = s;                                                                     \
            s = t;                                                                                 \
            t = u;                                                                                 \
        }                                                                                          \
        return s;                                                                                  \
    }

#define SELF(x) (x)
#define KEY_OF(x) ((x).key)
INSERT(insert_words, uint64_t, SELF)
INSERT(insert_items, item, KEY_OF)
RADIX(sort_words, uint64_t, SELF)
RADIX(sort_items, item, KEY_OF)

/* Element k of the order goes to y. */
static char *put(char *y, const char *row, uint64_t k, size_t size, int arg)
{
    memcpy(y, arg ? (const char *)&k : row + k * size, arg ? sizeof k : size);
    return y + (arg ? sizeof k : size);
}

int gnd__native_sort(gnd_dtype t, const void *x, void *y, int64_t rows, int64_t n, int64_t keep,
                     int arg, int descending)
{
    const size_t size = gnd_dtype_size(t);
    const int kind = gnd_dtype_kind(t), words = size <= 4;
    item *s = gnd__malloc(2 * (size_t)n * sizeof *s);
    uint64_t *w = (void *)s;
    char *to = y;
    if (!s)
        return 0;
    for (int64_t r = 0; r < rows; r++) {
        const char *from = (const char *)x + (size_t)(r * n) * size;
        const item *end = s;
        const uint64_t *wend = w;
        uint64_t any = 0, all = UINT64_MAX;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t k = key_of(raw(from, i, size), kind, 8 * (int)size, descending);
            if (words)
                w[i] = k << 32 | (uint64_t)i;
            else
                s[i] = (item){k, (uint64_t)i};
            any |= k;
            all &= k;
        }
        if (words && n <= SHORT)
            insert_words(w, n);
        else if (words)
            wend = sort_words(w, w + n, n, (any & ~all) << 32);
        else if (n <= SHORT)
            insert_items(s, n);
        else
            end = sort_items(s, s + n, n, any & ~all);
        for (int64_t i = 0; i < keep; i++)
            to = put(to, from, words ? wend[i] & UINT32_MAX : end[i].index, size, arg);
    }
    gnd__free(s);
    return 1;
}
