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

/* Chunks are looked through if they have an element that decides, of which there are few. */
enum { CHUNK = 64 };
#define PLACE(name, type, BEATS)                                                                   \
    static void name(void *best, int64_t *place, const void *x, int64_t from, size_t n)            \
    {                                                                                              \
        const type *v = x;                                                                         \
        type b = v[0];                                                                             \
        int64_t at = from;                                                                         \
        if (*place >= 0) {                                                                         \
            memcpy(&b, best, sizeof b);                                                            \
            at = *place;                                                                           \
        }                                                                                          \
        for (size_t i = 0; i < n; i += CHUNK) {                                                    \
            const size_t to = n - i < CHUNK ? n : i + CHUNK;                                       \
            int any = 0, odd = 0;                                                                  \
            for (size_t j = i; j < to; j++) {                                                      \
                any |= v[j] BEATS b;                                                               \
                odd |= v[j] != v[j];                                                               \
            }                                                                                      \
            for (size_t j = i; j < to && any && !odd; j++)                                         \
                if (v[j] BEATS b) {                                                                \
                    b = v[j];                                                                      \
                    at = from + (int64_t)j;                                                        \
                }                                                                                  \
            for (size_t j = i; j < to && odd; j++)                                                 \
                if (v[j] BEATS b || (v[j] != v[j] && b == b)) {                                    \
                    b = v[j];                                                                      \
                    at = from + (int64_t)j;                                                        \
                }                                                                                  \
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
    }
#define BOTH(t, type)                                                                              \
    PLACE(most_##t, type, >)                                                                       \
    PLACE(least_##t, type, <)
BOTH(i8, int8_t)
BOTH(i16, int16_t)
BOTH(i32, int32_t)
BOTH(i64, int64_t)
BOTH(u8, uint8_t)
BOTH(u16, uint16_t)
BOTH(u32, uint32_t)
BOTH(u64, uint64_t)
BOTH(f32, float)
BOTH(f64, double)

gnd__place_loop *gnd__exact_place(gnd_dtype t, int least, int down)
{
#define LOOPS(t)                                                                                   \
    {                                                                                              \
        {most_##t, least_##t},                                                                     \
        {                                                                                          \
            most_##t##_down, least_##t##_down                                                      \
        }                                                                                          \
    }
    static gnd__place_loop *const loops[GND_NDTYPES][2][2] = {
        [GND_BOOL] = LOOPS(u8),     [GND_INT8] = LOOPS(i8),    [GND_INT16] = LOOPS(i16),
        [GND_INT32] = LOOPS(i32),   [GND_INT64] = LOOPS(i64),  [GND_UINT8] = LOOPS(u8),
        [GND_UINT16] = LOOPS(u16),  [GND_UINT32] = LOOPS(u32), [GND_UINT64] = LOOPS(u64),
        [GND_FLOAT32] = LOOPS(f32), [GND_FLOAT64] = LOOPS(f64)};
    return loops[t][down][least];
}
