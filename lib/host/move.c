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

enum { ROW = 4 }; /* elements side by side from which they are moved at once */

#ifdef __GNUC__
typedef uint32_t four __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));
#ifdef __clang__
#define PICK(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

/* Four elements of 4 bytes in each of four places that are `from` bytes apart go to four places
 * that are `to` apart, rows as columns; and two of 8 bytes. */
static inline void turn4(char *z, int64_t to, const char *x, int64_t from)
{
    four r[4];
    for (int i = 0; i < 4; i++)
        memcpy(&r[i], x + i * from, sizeof *r);
    const four a = PICK(four, r[0], r[1], 0, 4, 1, 5), b = PICK(four, r[2], r[3], 0, 4, 1, 5),
               c = PICK(four, r[0], r[1], 2, 6, 3, 7), d = PICK(four, r[2], r[3], 2, 6, 3, 7);
    r[0] = PICK(four, a, b, 0, 1, 4, 5);
    r[1] = PICK(four, a, b, 2, 3, 6, 7);
    r[2] = PICK(four, c, d, 0, 1, 4, 5);
    r[3] = PICK(four, c, d, 2, 3, 6, 7);
    for (int i = 0; i < 4; i++)
        memcpy(z + i * to, &r[i], sizeof *r);
}
static inline void turn8(char *z, int64_t to, const char *x, int64_t from)
{
    two r[2];
    memcpy(&r[0], x, sizeof *r);
    memcpy(&r[1], x + from, sizeof *r);
    const two a = PICK(two, r[0], r[1], 0, 2), b = PICK(two, r[0], r[1], 1, 3);
    memcpy(z, &a, sizeof a);
    memcpy(z + to, &b, sizeof b);
}

/* Moves whole squares of a transposition, z[i * to + j] = x[i + j * from]; returns their side, or 0
 * if nothing was moved. */
static int turn(int size, char *z, int64_t to, const char *x, int64_t from, int64_t m, int64_t n)
{
    const int side = size == 4 ? 4 : size == 8 ? 2 : 0;
    if (!side || m < side || n < side)
        return 0;
    for (int64_t i = 0; i + side <= m; i += side)
        for (int64_t j = 0; j + side <= n; j += side) {
            char *to_ = z + (i * to + j) * size;
            const char *from_ = x + (i + j * from) * size;
            if (size == 4)
                turn4(to_, to * size, from_, from * size);
            else
                turn8(to_, to * size, from_, from * size);
        }
    return side;
}
#else
static int turn(int size, char *z, int64_t to, const char *x, int64_t from, int64_t m, int64_t n)
{
    (void)size, (void)z, (void)to, (void)x, (void)from, (void)m, (void)n;
    return 0;
}
#endif

int gnd__inner_axis(const int64_t to[2], const int64_t from[2], int64_t m, int64_t n)
{
    if (n >= ROW && to[1] == 1 && (from[1] == 1 || from[1] == 0))
        return 1;
    if (m >= ROW && to[0] == 1 && (from[0] == 1 || from[0] == 0))
        return 0;
    return m <= n;
}

void gnd__move2(int size, char *z, const int64_t to[2], const char *x, const int64_t from[2],
                int64_t m, int64_t n)
{
    if (to[1] == 1 && from[1] == 1 && to[0] == n && from[0] == n) {
        memcpy(z, x, (size_t)(m * n) * (size_t)size);
        return;
    }
    const int by = gnd__inner_axis(to, from, m, n);
    const int side = from[0] == 1 && to[1] == 1 && from[1] != 1 && n > 1
                         ? turn(size, z, to[0], x, from[1], m, n)
                         : 0;
    const int64_t i0 = side ? m / side * side : 0, j0 = side ? n / side * side : 0;
    for (int64_t j = j0; side && j < n; j++) /* the rest of the rows that have squares */
        gnd__move(size, z + j * size, to[0], x + j * from[1] * size, 1, i0);
    z += i0 * to[0] * size;
    x += i0 * from[0] * size;
    m -= i0;
    for (int64_t i = 0; i < (by ? m : n); i++)
        gnd__move(size, z + i * to[!by] * size, to[by], x + i * from[!by] * size, from[by],
                  by ? n : m);
}
