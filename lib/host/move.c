/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/move.c - copies of elements of 1, 2, 4 or 8 bytes between memory with strides (points.h).
 */
#include <string.h>
#include "host/points.h"

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

#define MOVE(type)                                                                                 \
    for (int64_t i = 0; i < n; i++)                                                                \
    memcpy(z + i * to * (int64_t)sizeof(type), x + i * from * (int64_t)sizeof(type), sizeof(type))
#define FILL(type)                                                                                 \
    do {                                                                                           \
        type one;                                                                                  \
        memcpy(&one, x, sizeof one);                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            memcpy(z + i * (int64_t)sizeof one, &one, sizeof one);                                 \
    } while (0)

void gnd__fill(int size, char *z, const char *x, int64_t n)
{
    switch (size) {
    case 1: memset(z, *x, (size_t)n); break;
    case 2: FILL(uint16_t); break;
    case 4: FILL(uint32_t); break;
    default: FILL(uint64_t); break;
    }
}

void gnd__move(int size, char *z, int64_t to, const char *x, int64_t from, int64_t n)
{
    if (from == 1 && to == 1) {
        memcpy(z, x, (size_t)n * (size_t)size);
        return;
    }
    if (from == 0 && to == 1) {
        gnd__fill(size, z, x, n);
        return;
    }
    switch (size) {
    case 1: MOVE(uint8_t); break;
    case 2: MOVE(uint16_t); break;
    case 4: MOVE(uint32_t); break;
    default: MOVE(uint64_t); break;
    }
}

void gnd__move2(int size, char *z, const int64_t to[2], const char *x, const int64_t from[2],
                int64_t m, int64_t n)
{
    const int by = m <= n; /* the axis of the inner loop, which is the longer one */
    for (int64_t i = 0; i < (by ? m : n); i++)
        gnd__move(size, z + i * to[!by] * size, to[by], x + i * from[!by] * size, from[by],
                  by ? n : m);
}
