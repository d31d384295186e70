/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativesort.c - rows of few elements in stable order: keys of 64 bits, whose order as
 * unsigned ints is that of the elements (gnd_sortkey in kernels/sort.cl), with indices; short rows
 * by insertion or by counting what comes before each, others by radix (radix.h). Long rows of which
 * the elements are wanted are sorted without indices, as the keys tell the elements: of floats if
 * none is NaN or -0.
 */
#include "host/native.h"

#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "host/clones.h"
#include "host/nativekeys.h"
#include "host/radix.h"

/* At -O2 GCC leaves the loops scalar. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* The longest rows that are sorted by insertion, and by counting; others by radix. */
enum { SHORT = 24, RANKED = 80 };

/* A key of up to 32 bits stands before its index in one word. */
typedef gnd__keyed item;

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

#define SELF(x) (x)
#define KEY_OF(x) ((x).key)
INSERT(insert_words, uint64_t, SELF)
INSERT(insert_items, item, KEY_OF)
INSERT(insert_keys, uint32_t, SELF)

/* Whether places first to first + keep - 1 of n are so few at an end that these are selected. */
static int at_end(int64_t n, int64_t first, int64_t keep)
{
    return (first == 0 || first + keep == n) && keep <= n / 16 && n >= GND__NATIVE_TOP(keep);
}

/* The keep first or last of n keys, sorted; t: room for n and MORE more. */
enum { MORE = 4 * GND__NATIVE_LOOK + 256 };
#define END(bits, insert)                                                                          \
    static uint##bits##_t *end_u##bits(const uint##bits##_t *k, int64_t n, int64_t first,          \
                                       int64_t keep, uint##bits##_t *t)                            \
    {                                                                                              \
        int64_t none = 0;                                                                          \
        gnd__native_top_u##bits(k, n, keep, first == 0, t);                                        \
        if (keep > SHORT)                                                                          \
            return gnd__radix_u##bits(t, t + keep, keep, 0, &none, keep);                          \
        insert(t, keep);                                                                           \
        return t;                                                                                  \
    }
END(32, insert_keys)
END(64, insert_words)

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
            gnd__key_of(((const type *)x)[i], kind, 8 * (int)sizeof(type), descending);            \
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

/* The keys of a row of elements of 4 bytes or fewer, or of 8, and the elements again. Returns 0 if
 * keys do not tell the elements. */
#define ALONE(name, type, key_type)                                                                \
    GND__CLONES static int keys_of_##name(const void *x, int64_t n, int kind, int descending,      \
                                          key_type *k)                                             \
    {                                                                                              \
        const type top = (type)1 << (8 * sizeof(type) - 1), flip = descending ? (type)-1 : 0;      \
        const type most = sizeof(type) == 4 ? (type)0xff << 23 : (type)((uint64_t)0x7ff << 52);    \
        const type *from = x;                                                                      \
        type odd = 0;                                                                              \
        if (kind != 'f') {                                                                         \
            for (int64_t i = 0; i < n; i++)                                                        \
                k[i] = (type)(from[i] ^ (kind == 'i' ? top : 0) ^ flip);                           \
            return 1;                                                                              \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type u = from[i];                                                                \
            odd |= (type)((u == top) | ((type)(u & ~top) > most));                                 \
            k[i] = (type)(u ^ (type)(((type)0 - (u >> (8 * sizeof(type) - 1))) | top) ^ flip);     \
        }                                                                                          \
        return !odd;                                                                               \
    }                                                                                              \
    GND__CLONES static void put_##name(void *y, const key_type *k, int64_t n, int kind,            \
                                       int descending)                                             \
    {                                                                                              \
        const type top = (type)1 << (8 * sizeof(type) - 1), flip = descending ? (type)-1 : 0;      \
        type *to = y;                                                                              \
        for (int64_t i = 0; i < n && kind != 'f'; i++)                                             \
            to[i] = (type)(k[i] ^ (kind == 'i' ? top : 0) ^ flip);                                 \
        for (int64_t i = 0; i < n && kind == 'f'; i++) {                                           \
            const type u = (type)k[i] ^ flip;                                                      \
            to[i] = (type)(u ^ (type)((type)((u >> (8 * sizeof(type) - 1)) - 1) | top));           \
        }                                                                                          \
    }
ALONE(u16, uint16_t, uint32_t)
ALONE(u32, uint32_t, uint32_t)
ALONE(u64, uint64_t, uint64_t)

/* Places `first` to first + keep - 1 of bytes, by counting each. */
static void sort_bytes(const uint8_t *x, uint8_t *y, int64_t n, int64_t first, int64_t keep,
                       int flip)
{
    int32_t many[4][256] = {{0}}; /* not to wait for the count of an equal element just before */
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        many[i & 3][x[i] ^ flip]++;
    for (int b = 0; b < 256 && at < first + keep; b++) {
        const int64_t end = at + many[0][b] + many[1][b] + many[2][b] + many[3][b];
        const int64_t from = at > first ? at : first, to = end < first + keep ? end : first + keep;
        if (to > from)
            memset(y + from - first, b ^ flip, (size_t)(to - from));
        at = end;
    }
}

#define BY_KEYS(name, key_type, SORT, END)                                                         \
    do {                                                                                           \
        key_type *k = room;                                                                        \
        if (!keys_of_##name(row, n, kind, descending, k))                                          \
            return 0;                                                                              \
        if (at_end(n, first, keep))                                                                \
            k = END(k, n, first, keep, k + n);                                                     \
        else                                                                                       \
            k = SORT(k, k + n, n, 0, &first, keep) + first;                                        \
        put_##name(y, k, keep, kind, descending);                                                  \
        return 1;                                                                                  \
    } while (0)

/* Sorts a row without indices; `room` is for 2 * n + MORE keys. Returns 0 if that is not possible.
 */
static int sort_alone(int size, int kind, const char *row, char *y, int64_t n, int64_t first,
                      int64_t keep, int descending, void *room)
{
    switch (size) {
    case 1:
        sort_bytes((const uint8_t *)row, (uint8_t *)y, n, first, keep,
                   (kind == 'i' ? 0x80 : 0) ^ (descending ? 0xff : 0));
        return 1;
    case 2: BY_KEYS(u16, uint32_t, gnd__radix_u32, end_u32);
    case 4: BY_KEYS(u32, uint32_t, gnd__radix_u32, end_u32);
    default: BY_KEYS(u64, uint64_t, gnd__radix_u64, end_u64);
    }
}

/* Sorts a row of n elements by its keys with indices, of which s holds 2 * n. */
static void sort_keyed(int size, int kind, const char *row, char *y, int64_t n, int64_t first,
                       int64_t keep, int arg, int descending, item *s)
{
    const int words = size <= 4;
    uint64_t *w = (void *)s, mask = UINT32_MAX;
    if (n > SHORT && n <= RANKED) {
        uint64_t *order = w + n;
        if (words)
            keys(size, kind, row, n, descending, w, s);
        else
            for (int64_t i = 0; i < n; i++)
                w[i] = gnd__key_of(((const uint64_t *)(const void *)row)[i], kind, 64, descending);
        by_rank(w, n, order);
        w = order;
        mask = UINT64_MAX;
    } else {
        keys(size, kind, row, n, descending, w, s);
        if (words && n <= SHORT)
            insert_words(w, n);
        else if (words && at_end(n, first, keep)) {
            w = end_u64(w, n, first, keep, w + n);
            first = 0;
        } else if (words)
            w = gnd__radix_u64(w, w + n, n, 32, &first, keep);
        else if (n <= SHORT)
            insert_items(s, n);
        else
            s = gnd__radix_keyed(s, s + n, n, 0, &first, keep);
        w = words ? w : NULL;
    }
    put(arg ? 0 : size, y, row, keep, w ? w + first : NULL, mask, s + first);
}

int gnd__native_sort(gnd_dtype t, const void *x, void *y, int64_t rows, int64_t n, int64_t first,
                     int64_t keep, int arg, int descending)
{
    const int size = (int)gnd_dtype_size(t), kind = gnd_dtype_kind(t);
    item *s = gnd__malloc((2 * (size_t)n + MORE / 2) * sizeof *s);
    if (!s)
        return 0;
    for (int64_t r = 0; r < rows; r++) {
        const char *from = (const char *)x + (size_t)(r * n) * (size_t)size;
        char *to = (char *)y + (size_t)(r * keep) * (arg ? sizeof(int64_t) : (size_t)size);
        if (arg || n <= RANKED || !sort_alone(size, kind, from, to, n, first, keep, descending, s))
            sort_keyed(size, kind, from, to, n, first, keep, arg, descending, s);
    }
    gnd__free(s);
    return 1;
}
