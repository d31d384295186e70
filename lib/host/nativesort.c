/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativesort.c - rows of few elements in stable order: keys of 64 bits, whose order as
 * unsigned ints is that of the elements (gnd_sortkey in kernels/sort.cl), with indices; short rows
 * by insertion or by counting what comes before each, others by radix.
 */
#include "host/native.h"

#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "host/clones.h"

/* At -O2 GCC leaves the loops scalar. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* The longest rows that are sorted by insertion, and by counting; others by radix. */
enum { SHORT = 24, RANKED = 80 };

/* A key of up to 32 bits stands before its index in one word. */
typedef struct item {
    uint64_t key, index;
} item;

/* The key of bits u: of floats NaN is all ones whatever the direction, and -0 is 0. */
static inline uint64_t key_of(uint64_t u, int kind, int bits, int descending)
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

/* Sorts s[0 .. n), by way of t; returns where the result is. Keys are in the `bytes` bytes from bit
 * `low` on. */
#define RADIX(name, type, KEY)                                                                     \
    static type *name(type *s, type *t, int64_t n, int low, int bytes)                             \
    {                                                                                              \
        int32_t at[8][256];                                                                        \
        memset(at, 0, (size_t)bytes * sizeof *at);                                                 \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int b = 0; b < bytes; b++)                                                        \
                at[b][KEY(s[i]) >> (low + 8 * b) & 255]++;                                         \
        for (int b = 0; b < bytes; b++) {                                                          \
            const int shift = low + 8 * b;                                                         \
            int32_t sum = 0, *to = at[b];                                                          \
            if (to[KEY(s[0]) >> shift & 255] == n)                                                 \
                continue;                                                                          \
            for (int d = 0; d < 256; d++) {                                                        \
                const int32_t c = to[d];                                                           \
                to[d] = sum;                                                                       \
                sum += c;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < n; i++)                                                        \
                t[to[KEY(s[i]) >> shift & 255]++] = s[i];                                          \
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

/* order: for each place the number of its element, by counting what comes before each. */
GND__CLONES static void by_rank(const uint64_t *k, int64_t n, uint64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = k[i];
        int64_t r = 0;
        for (int64_t j = 0; j < i; j++)
            r += k[j] <= x;
        for (int64_t j = i + 1; j < n; j++)
            r += k[j] < x;
        order[r] = (uint64_t)i;
    }
}

#define KEYS(type, ...)                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const uint64_t key =                                                                       \
            key_of(((const type *)x)[i], kind, 8 * (int)sizeof(type), descending);                 \
        __VA_ARGS__;                                                                               \
    }

/* The keys of a row, with their indices. */
static void keys(int size, int kind, const void *x, int64_t n, int descending, uint64_t *w, item *s)
{
    switch (size) {
    case 1: KEYS(uint8_t, w[i] = key << 32 | (uint64_t)i); break;
    case 2: KEYS(uint16_t, w[i] = key << 32 | (uint64_t)i); break;
    case 4: KEYS(uint32_t, w[i] = key << 32 | (uint64_t)i); break;
    default: KEYS(uint64_t, s[i] = (item){key, (uint64_t)i}); break;
    }
}

/* y[i] = element AT of the row, for i below `keep`. */
#define PUT(type, AT)                                                                              \
    for (int64_t i = 0; i < keep; i++)                                                             \
    ((type *)y)[i] = ((const type *)row)[AT]

/* The first elements of an order, or their numbers if size is 0. A word of w has its number in the
 * bits of `mask`, or else s has them. */
static void put(int size, void *y, const void *row, int64_t keep, const uint64_t *w, uint64_t mask,
                const item *s)
{
    switch (size) {
    case 0:
        for (int64_t i = 0; i < keep; i++)
            ((uint64_t *)y)[i] = w ? w[i] & mask : s[i].index;
        break;
    case 1: PUT(uint8_t, w[i] & mask); break;
    case 2: PUT(uint16_t, w[i] & mask); break;
    case 4: PUT(uint32_t, w[i] & mask); break;
    default:
        if (w)
            PUT(uint64_t, w[i] & mask);
        else
            PUT(uint64_t, s[i].index);
    }
}

int gnd__native_sort(gnd_dtype t, const void *x, void *y, int64_t rows, int64_t n, int64_t first,
                     int64_t keep, int arg, int descending)
{
    const int size = (int)gnd_dtype_size(t), kind = gnd_dtype_kind(t), words = size <= 4;
    item *s = gnd__malloc(2 * (size_t)n * sizeof *s);
    uint64_t *w = (void *)s;
    if (!s)
        return 0;
    for (int64_t r = 0; r < rows; r++) {
        const char *from = (const char *)x + (size_t)(r * n) * (size_t)size;
        char *to = (char *)y + (size_t)(r * keep) * (arg ? sizeof(int64_t) : (size_t)size);
        const item *end = s;
        const uint64_t *wend = words ? w : NULL;
        uint64_t mask = UINT32_MAX, *order = w + n;
        if (n > SHORT && n <= RANKED) {
            if (words)
                keys(size, kind, from, n, descending, w, s);
            else
                for (int64_t i = 0; i < n; i++)
                    w[i] = key_of(((const uint64_t *)(const void *)from)[i], kind, 64, descending);
            by_rank(w, n, order);
            wend = order;
            mask = UINT64_MAX;
        } else {
            keys(size, kind, from, n, descending, w, s);
            if (words && n <= SHORT)
                insert_words(w, n);
            else if (words)
                wend = sort_words(w, w + n, n, 32, size);
            else if (n <= SHORT)
                insert_items(s, n);
            else
                end = sort_items(s, s + n, n, 0, size);
        }
        put(arg ? 0 : size, to, from, keep, wend ? wend + first : NULL, mask, end + first);
    }
    gnd__free(s);
    return 1;
}
