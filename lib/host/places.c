/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/places.c - loops that find the place of the greatest or the least element (host/exact.h).
 */
#include "host/exact.h"

#include <string.h>
#include "host/clones.h"

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "no-trapping-math")
#endif

/* Loops over lanes stay loops until the vectoriser sees them. */
#if defined __GNUC__ && !defined __clang__
#define EACH_LANE _Pragma("GCC unroll 1") for
#else
#define EACH_LANE for
#endif
#ifdef __GNUC__
#define INSIDE inline __attribute__((always_inline)) /* one of several clones */
#else
#define INSIDE inline
#endif

/* Elements that are looked through for their extreme, and then for its place, if it wins. */
enum { BLOCK = 1024, MANY = 32, FEW = 8 };

/* The place of the first of n >= LANES elements that wins over *best, and over the others: the
 * first NaN, else the first that is equal to the extreme of all, which lanes find; n: none wins.
 * The last lanes take elements once more. mark: an int of the size of an element. */
#define PLACE_BY(name, type, mark, BEATS, LANES)                                                   \
    static INSIDE size_t name(type *best, const type *v, size_t n)                                 \
    {                                                                                              \
        type m[LANES], b;                                                                          \
        mark odd[LANES], bad = 0, any = 0, first = LANES;                                          \
        size_t j = 0;                                                                              \
        EACH_LANE(int l = 0; l < LANES; l++)                                                       \
        m[l] = v[l], odd[l] = v[l] != v[l];                                                        \
        while ((j += LANES) < n) {                                                                 \
            const type *u = v + (n - j < LANES ? n - LANES : j);                                   \
            EACH_LANE(int l = 0; l < LANES; l++)                                                   \
            m[l] = u[l] BEATS m[l] ? u[l] : m[l], odd[l] |= u[l] != u[l];                          \
        }                                                                                          \
        EACH_LANE(int l = 0; l < LANES; l++)                                                       \
        bad |= odd[l];                                                                             \
        EACH_LANE(int l = 0; l < LANES / 2; l++)                                                   \
        m[l] = m[l + LANES / 2] BEATS m[l] ? m[l + LANES / 2] : m[l];                              \
        EACH_LANE(int l = 0; l < LANES / 4; l++)                                                   \
        m[l] = m[l + LANES / 4] BEATS m[l] ? m[l + LANES / 4] : m[l];                              \
        b = m[0];                                                                                  \
        for (int l = 1; l < LANES / 4; l++)                                                        \
            b = m[l] BEATS b ? m[l] : b;                                                           \
        if (bad) {                                                                                 \
            for (j = 0; v[j] == v[j]; j++)                                                         \
                ;                                                                                  \
            *best = v[j];                                                                          \
            return j;                                                                              \
        }                                                                                          \
        if (!(b BEATS * best))                                                                     \
            return n;                                                                              \
        *best = b;                                                                                 \
        for (j = 0; !any; j += LANES) {                                                            \
            j = n - j < LANES ? n - LANES : j;                                                     \
            EACH_LANE(int l = 0; l < LANES; l++)                                                   \
            any |= v[j + l] == b;                                                                  \
        }                                                                                          \
        j -= LANES;                                                                                \
        EACH_LANE(int l = 0; l < LANES; l++)                                                       \
        {                                                                                          \
            const mark at = v[j + l] == b ? (mark)l : (mark)LANES;                                 \
            first = at < first ? at : first;                                                       \
        }                                                                                          \
        return j + (size_t)first;                                                                  \
    }

#define PLACE(name, type, mark, BEATS)                                                             \
    PLACE_BY(name##_many, type, mark, BEATS, MANY)                                                 \
    PLACE_BY(name##_few, type, mark, BEATS, FEW)                                                   \
    GND__CLONES static void name(void *best, int64_t *place, const void *x, int64_t from,          \
                                 size_t n)                                                         \
    {                                                                                              \
        const type *v = x;                                                                         \
        type b = v[0];                                                                             \
        int64_t at = from;                                                                         \
        if (*place >= 0) {                                                                         \
            memcpy(&b, best, sizeof b);                                                            \
            at = *place;                                                                           \
        }                                                                                          \
        for (size_t i = 0, some; i < n && b == b; i += some) {                                     \
            size_t j = 0;                                                                          \
            some = n - i < BLOCK + MANY ? n - i : BLOCK;                                           \
            if (some >= MANY)                                                                      \
                j = name##_many(&b, v + i, some);                                                  \
            else if (some >= FEW)                                                                  \
                j = name##_few(&b, v + i, some);                                                   \
            else                                                                                   \
                while (j < some && v[i + j] == v[i + j] && !(v[i + j] BEATS b))                    \
                    j++;                                                                           \
            if (j == some)                                                                         \
                continue;                                                                          \
            b = v[i + j];                                                                          \
            at = from + (int64_t)(i + j);                                                          \
            some = some < FEW ? j + 1 : some;                                                      \
        }                                                                                          \
        memcpy(best, &b, sizeof b);                                                                \
        *place = at;                                                                               \
    }                                                                                              \
    GND__CLONES static void name##_down(void *best, int64_t *place, const void *x, int64_t row,    \
                                        size_t n)                                                  \
    {                                                                                              \
        const type *v = x;                                                                         \
        type *b = best;                                                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int take = (v[i] BEATS b[i]) | ((v[i] != v[i]) & (b[i] == b[i]));                \
            b[i] = take ? v[i] : b[i];                                                             \
            place[i] = take ? row : place[i];                                                      \
        }                                                                                          \
    }                                                                                              \
    /* x: columns whose places are at place + from */                                              \
    static void name##_join(void *best, int64_t *place, const void *x, int64_t from, size_t n)     \
    {                                                                                              \
        const type *v = x;                                                                         \
        type *b = best;                                                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t at = place[from + (int64_t)i];                                           \
            const int same = (v[i] == b[i]) | ((v[i] != v[i]) & (b[i] != b[i]));                   \
            if ((v[i] BEATS b[i]) | ((v[i] != v[i]) & (b[i] == b[i])) |                            \
                (same & (at < place[i]))) {                                                        \
                b[i] = v[i];                                                                       \
                place[i] = at;                                                                     \
            }                                                                                      \
        }                                                                                          \
    }
#define BOTH(t, type, mark)                                                                        \
    PLACE(most_##t, type, mark, >)                                                                 \
    PLACE(least_##t, type, mark, <)
BOTH(i8, int8_t, int8_t)
BOTH(i16, int16_t, int16_t)
BOTH(i32, int32_t, int32_t)
BOTH(i64, int64_t, int64_t)
BOTH(u8, uint8_t, uint8_t)
BOTH(u16, uint16_t, uint16_t)
BOTH(u32, uint32_t, uint32_t)
BOTH(u64, uint64_t, uint64_t)
BOTH(f32, float, int32_t)
BOTH(f64, double, int64_t)

gnd__place_loop *gnd__exact_place(gnd_dtype t, int least, gnd__places how)
{
#define LOOPS(t)                                                                                   \
    {                                                                                              \
        {most_##t, least_##t}, {most_##t##_down, least_##t##_down},                                \
        {                                                                                          \
            most_##t##_join, least_##t##_join                                                      \
        }                                                                                          \
    }
    static gnd__place_loop *const loops[GND_NDTYPES][3][2] = {
        [GND_BOOL] = LOOPS(u8),     [GND_INT8] = LOOPS(i8),    [GND_INT16] = LOOPS(i16),
        [GND_INT32] = LOOPS(i32),   [GND_INT64] = LOOPS(i64),  [GND_UINT8] = LOOPS(u8),
        [GND_UINT16] = LOOPS(u16),  [GND_UINT32] = LOOPS(u32), [GND_UINT64] = LOOPS(u64),
        [GND_FLOAT32] = LOOPS(f32), [GND_FLOAT64] = LOOPS(f64)};
    return loops[t][how][least];
}
