/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativerank.c - elements at given places of sorted rows, and rows in three parts, as
 * kernels/ranks.cl and kernels/partition.cl compute them: both are unique. Keys are counted in
 * intervals, and the interval of a place is divided again. Of a place near an end, candidates are
 * collected first: most blocks have none.
 */
#include <stddef.h>
#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "host/clones.h"
#include "host/native.h"
#include "host/nativekeys.h"

/* At -O2 GCC leaves the loops scalar. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* Keys that are computed at once, and looked at; those that are sorted by insertion; bits of an
 * interval's number, of MANY keys and of fewer; a place is near an end if that is at most 1/NEAR of
 * the row away. */
enum {
    RUN = 512,
    LOOK = GND__NATIVE_LOOK,
    FEW = 24,
    LARGE = 11,
    SMALL = 7,
    MANY = 4096,
    NEAR = 16
};

#define FLOATS(type, most)                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const type u = ((const type *)x)[i], a = u & (type)~top,                                   \
                   s = (type)((type)((type)0 - (u >> (8 * sizeof u - 1))) | top),                  \
                   f = (type)((a == 0 ? top : u ^ s) ^ (type)flip);                                \
        k[i] = a > (most) ? (type)-1 : f;                                                          \
    }
#define INTS(type)                                                                                 \
    do {                                                                                           \
        const type turn = (type)((kind == 'i' ? (type)1 << (8 * sizeof(type) - 1) : 0) ^ flip);    \
        for (int64_t i = 0; i < n; i++)                                                            \
            k[i] = (type)(((const type *)x)[i] ^ turn);                                            \
    } while (0)

/* The keys of n elements of `size` bytes. */
GND__CLONES static void keys_of_u32(int size, int kind, int descending, const void *x, int64_t n,
                                    uint32_t *k)
{
    const uint32_t top = (uint32_t)1 << 31, flip = descending ? UINT32_MAX : 0;
    if (kind == 'f')
        FLOATS(uint32_t, (uint32_t)0xff << 23)
    else if (size == 1)
        INTS(uint8_t);
    else if (size == 2)
        INTS(uint16_t);
    else
        INTS(uint32_t);
}

GND__CLONES static void keys_of_u64(int size, int kind, int descending, const void *x, int64_t n,
                                    uint64_t *k)
{
    const uint64_t top = (uint64_t)1 << 63, flip = descending ? UINT64_MAX : 0;
    (void)size;
    if (kind == 'f')
        FLOATS(uint64_t, (uint64_t)0x7ff << 52)
    else
        INTS(uint64_t);
}

/* What follows is for one type of keys. ends: the least and the greatest of n keys. near: copies
 * those of interval g. at: the key at `place` of n sorted ones, which are in lo .. hi; a:
 * room for as many, or k. above: the m greatest of a row's n keys, those of ~k instead if turn is
 * all ones; `held` has room for `most` and LOOK. */
#define RANKS(type, bits_of)                                                                       \
    GND__CLONES static void ends_##type(const type *k, int64_t n, type *lo, type *hi)              \
    {                                                                                              \
        type least = k[0], most = k[0];                                                            \
        for (int64_t i = 1; i < n; i++) {                                                          \
            least = k[i] < least ? k[i] : least;                                                   \
            most = k[i] > most ? k[i] : most;                                                      \
        }                                                                                          \
        *lo = least;                                                                               \
        *hi = most;                                                                                \
    }                                                                                              \
    static int64_t near_##type(const type *k, int64_t n, type lo, int shift, type g, type *to)     \
    {                                                                                              \
        int64_t m = 0;                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            to[m] = k[i];                                                                          \
            m += (type)(k[i] - lo) >> shift == g;                                                  \
        }                                                                                          \
        return m;                                                                                  \
    }                                                                                              \
    /* Counts the keys in intervals of 2^shift; h: so many. */                                     \
    static int count_##type(const type *k, int64_t n, type lo, type hi, int32_t *h)                \
    {                                                                                              \
        const int bits = n < MANY ? SMALL : LARGE, has = hi == lo ? 0 : bits_of((type)(hi - lo)),  \
                  shift = has > bits ? has - bits : 0;                                             \
        memset(h, 0, sizeof *h << bits);                                                           \
        for (int64_t i = 0; i < n; i++)                                                            \
            h[(type)(k[i] - lo) >> shift]++;                                                       \
        return shift;                                                                              \
    }                                                                                              \
    static type at_##type(const type *k, int64_t n, type lo, type hi, int64_t place, type *a)      \
    {                                                                                              \
        int32_t h[1 << LARGE];                                                                     \
        while (n > FEW && lo != hi) {                                                              \
            const int shift = count_##type(k, n, lo, hi, h);                                       \
            type g = 0;                                                                            \
            for (; place >= h[g]; g++)                                                             \
                place -= h[g];                                                                     \
            n = near_##type(k, n, lo, shift, g, a);                                                \
            k = a;                                                                                 \
            lo = (type)(lo + (type)(g << shift));                                                  \
            hi = (type)(lo + (type)(((type)1 << shift) - 1));                                      \
        }                                                                                          \
        if (lo == hi)                                                                              \
            return lo;                                                                             \
        type few[FEW];                                                                             \
        for (int64_t i = 0, j; i < n; i++) {                                                       \
            for (j = i; j > 0 && few[j - 1] > k[i]; j--)                                           \
                few[j] = few[j - 1];                                                               \
            few[j] = k[i];                                                                         \
        }                                                                                          \
        return few[place];                                                                         \
    }                                                                                              \
    GND__CLONES static int any_##type(const type *k, type than)                                    \
    {                                                                                              \
        int any = 0;                                                                               \
        for (int i = 0; i < LOOK; i++)                                                             \
            any |= k[i] > than;                                                                    \
        return any;                                                                                \
    }                                                                                              \
    /* Keeps the m greatest of n keys; returns the least of these. */                              \
    static type keep_##type(type *held, int64_t n, int64_t m, type *a)                             \
    {                                                                                              \
        type lo, hi;                                                                               \
        int64_t c = 0;                                                                             \
        ends_##type(held, n, &lo, &hi);                                                            \
        const type least = at_##type(held, n, lo, hi, n - m, a);                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type x = held[i];                                                                \
            held[c] = x;                                                                           \
            c += x > least;                                                                        \
        }                                                                                          \
        for (; c < m; c++)                                                                         \
            held[c] = least;                                                                       \
        return least;                                                                              \
    }                                                                                              \
    static type above_##type(const type *k, int64_t n, int64_t m, type turn, type *held, type *a)  \
                                                                                                   \
    {                                                                                              \
        const int64_t most = GND__NATIVE_TOP(m);                                                   \
        int64_t c = most;                                                                          \
        type block[LOOK], than;                                                                    \
        for (int64_t i = 0; i < c; i++)                                                            \
            held[i] = k[i] ^ turn;                                                                 \
        than = keep_##type(held, c, m, a);                                                         \
        c = m;                                                                                     \
        for (int64_t i = most; i < n; i += LOOK) {                                                 \
            const int64_t from =                                                                   \
                i + LOOK < n ? i : n - LOOK; /* the last block ends with the row */                \
            for (int j = 0; j < LOOK; j++)                                                         \
                block[j] = k[from + j] ^ turn;                                                     \
            if (!any_##type(block, than))                                                          \
                continue;                                                                          \
            for (int64_t j = i - from; j < LOOK; j++) {                                            \
                held[c] = block[j];                                                                \
                c += block[j] > than;                                                              \
            }                                                                                      \
            if (c > most - LOOK) {                                                                 \
                than = keep_##type(held, c, m, a);                                                 \
                c = m;                                                                             \
            }                                                                                      \
        }                                                                                          \
        return keep_##type(held, c, m, a);                                                         \
    }                                                                                              \
    /* The keys at `wanted` places of n keys; room: for 2 n more. */                               \
    static void rank_##type(const type *k, int64_t n, const int64_t *place, int64_t step,          \
                            int64_t wanted, type *z, type *room)                                   \
    {                                                                                              \
        int32_t h[1 << LARGE];                                                                     \
        int g[GND__NATIVE_PLACES] = {0};                                                           \
        type lo, hi;                                                                               \
        for (int64_t w = 0; w < wanted; w++) {                                                     \
            const int64_t p = place[w * step];                                                     \
            g[w] = (int)(p < 0 ? 0 : p < n ? p : n - 1);                                           \
        }                                                                                          \
        const int64_t p = g[0], m = p < n - p ? p + 1 : n - p;                                     \
        if (wanted == 1 && m <= n / NEAR && n >= 16 * LOOK) {                                      \
            const type turn = m == n - p ? 0 : (type)-1;                                           \
            *z = above_##type(k, n, m, turn, room, room + n) ^ turn;                               \
            return;                                                                                \
        }                                                                                          \
        ends_##type(k, n, &lo, &hi);                                                               \
        const int shift = count_##type(k, n, lo, hi, h), all = n < MANY ? 1 << SMALL : 1 << LARGE; \
        for (int i = 1; i < all; i++)                                                              \
            h[i] += h[i - 1];                                                                      \
        for (int64_t w = 0; w < wanted;                                                            \
             w++) { /* the interval of each place, and the place in it */                          \
            int from = 0;                                                                          \
            for (int half = all / 2; half > 0; half /= 2)                                          \
                from += h[from + half - 1] <= g[w] ? half : 0;                                     \
            z[w] = (type)(g[w] - (from ? h[from - 1] : 0));                                        \
            g[w] = from;                                                                           \
        }                                                                                          \
        for (int64_t w = 0; w < wanted; w++) {                                                     \
            if (g[w] < 0)                                                                          \
                continue;                                                                          \
            const int now = g[w];                                                                  \
            const int64_t have = near_##type(k, n, lo, shift, (type)now, room);                    \
            const type first = (type)(lo + ((type)now << shift)),                                  \
                       last = (type)(first + (type)(((type)1 << shift) - 1));                      \
            for (int64_t v = w; v < wanted; v++)                                                   \
                if (g[v] == now) {                                                                 \
                    z[v] = at_##type(room, have, first, last, (int64_t)z[v], room + n);            \
                    g[v] = -1;                                                                     \
                }                                                                                  \
        }                                                                                          \
    }                                                                                              \
    GND__CLONES static void parts_##type(const type *k, int64_t n, type pivot, int64_t own[2])     \
    {                                                                                              \
        type less = 0, equal = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            less = (type)(less + (k[i] < pivot));                                                  \
            equal = (type)(equal + (k[i] == pivot));                                               \
        }                                                                                          \
        own[0] += (int64_t)less;                                                                   \
        own[1] += (int64_t)equal;                                                                  \
    }                                                                                              \
    /* Notes the n keys of part q: below, equal to, above the pivot. Returns how many there are.   \
     */                                                                                            \
    GND__CLONES static int64_t note_##type(const type *k, int64_t n, type pivot, int q,            \
                                           int32_t *at)                                            \
    {                                                                                              \
        int64_t c = 0;                                                                             \
        for (int64_t from = 0; from < n; from += LOOK) {                                           \
            const int64_t to = from + LOOK < n ? from + LOOK : n;                                  \
            int any = 0;                                                                           \
            for (int64_t i = from; i < to; i++)                                                    \
                any |= (k[i] >= pivot) + (k[i] > pivot) == q;                                      \
            for (int64_t i = from; i < to && any; i++) {                                           \
                at[c] = (int32_t)i;                                                                \
                c += (k[i] >= pivot) + (k[i] > pivot) == q;                                        \
            }                                                                                      \
        }                                                                                          \
        return c;                                                                                  \
    }

#define BITS32(x) (32 - __builtin_clz(x))
#define BITS64(x) (64 - __builtin_clzll(x))
RANKS(uint32_t, BITS32)
RANKS(uint64_t, BITS64)

void gnd__native_top_u32(const uint32_t *k, int64_t n, int64_t m, int least, uint32_t *held)
{
    const uint32_t turn = least ? UINT32_MAX : 0;
    (void)above_uint32_t(k, n, m, turn, held, held + GND__NATIVE_TOP(m));
    for (int64_t i = 0; i < m; i++)
        held[i] ^= turn;
}

void gnd__native_top_u64(const uint64_t *k, int64_t n, int64_t m, int least, uint64_t *held)
{
    const uint64_t turn = least ? UINT64_MAX : 0;
    (void)above_uint64_t(k, n, m, turn, held, held + GND__NATIVE_TOP(m));
    for (int64_t i = 0; i < m; i++)
        held[i] ^= turn;
}

static void store(int size, char *y, int64_t i, uint64_t bits)
{
    switch (size) {
    case 1: ((uint8_t *)y)[i] = (uint8_t)bits; break;
    case 2: ((uint16_t *)(void *)y)[i] = (uint16_t)bits; break;
    case 4: ((uint32_t *)(void *)y)[i] = (uint32_t)bits; break;
    default: ((uint64_t *)(void *)y)[i] = bits;
    }
}

int gnd__native_ranks(const gnd__native *w, const char *x, const int64_t *place, char *y)
{
    const int size = (int)gnd_dtype_size(w->t), kind = gnd_dtype_kind(w->t), wide = size == 8;
    const size_t n = (size_t)w->n, keys = 3 * n + (size_t)w->keep;
    void *room = gnd__malloc(keys * (wide ? sizeof(uint64_t) : sizeof(uint32_t)));
    uint32_t *k = room;
    uint64_t *l = room;
    if (!room)
        return 0;
    for (int64_t r = 0; r < w->m; r++) {
        const char *row = x + (size_t)r * n * (size_t)size;
        if (wide) {
            keys_of_u64(size, kind, w->descending, row, w->n, l);
            rank_uint64_t(l, w->n, place + r, w->m, w->keep, l + 3 * n, l + n);
        } else {
            keys_of_u32(size, kind, w->descending, row, w->n, k);
            rank_uint32_t(k, w->n, place + r, w->m, w->keep, k + 3 * n, k + n);
        }
        for (int64_t i = 0; i < w->keep; i++)
            store(size, y, i * w->m + r,
                  gnd__key_back(wide ? l[3 * n + (size_t)i] : k[3 * n + (size_t)i], kind, 8 * size,
                                w->descending));
    }
    gnd__free(room);
    return 1;
}

/* A partition under way: a row, its pivot, what is wanted of it. */
typedef struct divider {
    int size, kind, descending, arg;
    const char *row;
    int64_t n;
    uint64_t pivot;
    char *to;
    union {
        uint32_t narrow[RUN];
        uint64_t wide[RUN];
    } k;
} divider;

/* The keys of n elements from `from` on. */
static void run_keys(divider *d, int64_t from, int64_t n)
{
    const char *x = d->row + from * d->size;
    if (d->size == 8)
        keys_of_u64(d->size, d->kind, d->descending, x, n, d->k.wide);
    else
        keys_of_u32(d->size, d->kind, d->descending, x, n, d->k.narrow);
}

/* Copies places `skip` to end - 1 of part q to the result. */
static void move_part(divider *d, int q, int64_t skip, int64_t end)
{
    int32_t at[RUN];
    int64_t seen = 0;
    for (int64_t from = 0; from < d->n && seen < end; from += RUN) {
        const int64_t n = d->n - from < RUN ? d->n - from : RUN;
        run_keys(d, from, n);
        const int64_t c = d->size == 8 ? note_uint64_t(d->k.wide, n, d->pivot, q, at)
                                       : note_uint32_t(d->k.narrow, n, (uint32_t)d->pivot, q, at);
        const int64_t first = skip > seen ? skip - seen : 0, last = end - seen < c ? end - seen : c;
        for (int64_t i = first; i < last; i++, d->to += d->arg ? 8 : d->size) {
            const int64_t e = from + at[i];
            if (d->arg)
                memcpy(d->to, &e, sizeof e);
            else if (d->size == 4)
                memcpy(d->to, d->row + e * 4, 4);
            else if (d->size == 8)
                memcpy(d->to, d->row + e * 8, 8);
            else
                memcpy(d->to, d->row + e * d->size, (size_t)d->size);
        }
        seen += c;
    }
}

void gnd__native_partition(const gnd__native *w, const char *x, const char *pivot, char *y)
{
    divider d = {.size = (int)gnd_dtype_size(w->t),
                 .kind = gnd_dtype_kind(w->t),
                 .descending = w->descending,
                 .arg = w->op,
                 .n = w->n,
                 .to = y};
    for (int64_t r = 0; r < w->m; r++) {
        int64_t own[3] = {0}, before = 0;
        d.row = x + r * w->n * d.size;
        if (d.size == 8)
            keys_of_u64(d.size, d.kind, d.descending, pivot + r * d.size, 1, d.k.wide);
        else
            keys_of_u32(d.size, d.kind, d.descending, pivot + r * d.size, 1, d.k.narrow);
        d.pivot = d.size == 8 ? d.k.wide[0] : d.k.narrow[0];
        for (int64_t from = 0; from < w->n; from += RUN) {
            const int64_t n = w->n - from < RUN ? w->n - from : RUN;
            run_keys(&d, from, n);
            if (d.size == 8)
                parts_uint64_t(d.k.wide, n, d.pivot, own);
            else
                parts_uint32_t(d.k.narrow, n, (uint32_t)d.pivot, own);
        }
        own[2] = w->n - own[0] - own[1];
        for (int q = 0; q < 3; before += own[q++]) {
            const int64_t skip = w->inner > before ? w->inner - before : 0,
                          left = w->inner + w->keep - before, end = left < own[q] ? left : own[q];
            if (skip < end)
                move_part(&d, q, skip, end);
        }
    }
}
