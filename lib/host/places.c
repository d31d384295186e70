/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/places.c - loops that find the place of the greatest or the least element (host/exact.h).
 */
#include "host/exact.h"

#include <string.h>

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
            int any = 0;                                                                           \
            for (size_t j = i; j < to; j++)                                                        \
                any |= (v[j] BEATS b) | (v[j] != v[j]);                                            \
            for (size_t j = i; j < to && any; j++)                                                 \
                if (v[j] BEATS b || (v[j] != v[j] && b == b)) {                                    \
                    b = v[j];                                                                      \
                    at = from + (int64_t)j;                                                        \
                }                                                                                  \
        }                                                                                          \
        memcpy(best, &b, sizeof b);                                                                \
        *place = at;                                                                               \
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

gnd__place_loop *gnd__exact_place(gnd_dtype t, int least)
{
    static gnd__place_loop *const loops[GND_NDTYPES][2] = {
        [GND_BOOL] = {most_u8, least_u8},     [GND_INT8] = {most_i8, least_i8},
        [GND_INT16] = {most_i16, least_i16},  [GND_INT32] = {most_i32, least_i32},
        [GND_INT64] = {most_i64, least_i64},  [GND_UINT8] = {most_u8, least_u8},
        [GND_UINT16] = {most_u16, least_u16}, [GND_UINT32] = {most_u32, least_u32},
        [GND_UINT64] = {most_u64, least_u64}, [GND_FLOAT32] = {most_f32, least_f32},
        [GND_FLOAT64] = {most_f64, least_f64}};
    return loops[t][least];
}
