/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/indices.c - indices of points on the calling thread, and the elements that they select: what
 * the instructions of lib/fuse/kir.h of the same names are.
 */
#include "host/points.h"

/* At -O2 GCC leaves the loops scalar. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* The element z[i] of `type` is that of the point's address plus x[i], where c[i] holds. */
#define TAKE(type)                                                                                 \
    do {                                                                                           \
        type *to = z;                                                                              \
        for (int64_t r = 0; r < rows; r++, to += n) {                                              \
            const type *from = (const type *)(const void *)mem + r * row;                          \
            const int64_t *by = x ? x + r * n : x;                                                 \
            const uint8_t *if_ = c ? c + r * n : c;                                                \
            if (c)                                                                                 \
                for (int64_t i = 0; i < n; i++)                                                    \
                    to[i] = if_[i] ? from[i * step + (x ? by[i] : 0)] : 0;                         \
            else if (x && step == 0)                                                               \
                for (int64_t i = 0; i < n; i++)                                                    \
                    to[i] = from[by[i]];                                                           \
            else                                                                                   \
                for (int64_t i = 0; i < n; i++)                                                    \
                    to[i] = from[i * step + (x ? by[i] : 0)];                                      \
        }                                                                                          \
    } while (0)

#define CHOOSE(type)                                                                               \
    do {                                                                                           \
        type *to = z;                                                                              \
        const type *yes = (const void *)arg[1], *no = (const void *)arg[2];                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] = c[i] ? yes[i] : no[i];                                                         \
    } while (0)

#define BY_SIZE(MACRO)                                                                             \
    switch (v->size) {                                                                             \
    case 1: MACRO(uint8_t); break;                                                                 \
    case 2: MACRO(uint16_t); break;                                                                \
    case 4: MACRO(uint32_t); break;                                                                \
    default: MACRO(uint64_t); break;                                                               \
    }

/* As gnd_checked_i64: negative indices count from the end; the first bad one stays in the entry,
 * and 0 is taken for it. */
static void check(int64_t *z, const int64_t *x, int64_t extent, int32_t *entry, int64_t n)
{
    int bad = 0;
    for (int64_t i = 0; i < n; i++) {
        z[i] = x[i] < 0 ? x[i] + extent : x[i];
        bad |= (z[i] < 0) | (z[i] >= extent);
    }
    for (int64_t i = 0; i < n && bad; i++) {
        if (z[i] >= 0 && z[i] < extent)
            continue;
        z[i] = 0;
        if (entry[0] != 0)
            continue;
        entry[0] = 1;
        entry[1] = (int32_t)x[i];
        entry[2] = (int32_t)(x[i] >> 32);
    }
}

void gnd__points_index(const gnd__pvalue *v, void *z, const char *const arg[3], int64_t at,
                       const int64_t stride[2], const char *mem, int32_t *entry, int64_t rows,
                       int64_t n)
{
    const int64_t row = stride[0], step = stride[1];
    const int64_t *x = (const void *)arg[0], *y = (const void *)arg[1];
    const uint8_t *c = (const void *)arg[0];
    int64_t *index = z;
    uint8_t *flag = z;
    if (v->kind != GND__PV_WITHIN && v->kind != GND__PV_TAKE)
        n *= rows;
    switch ((gnd__pvkind)v->kind) {
    case GND__PV_OFFSET:
        for (int64_t i = 0; i < n; i++)
            index[i] = x[i] * v->p + (y ? y[i] : 0);
        break;
    case GND__PV_CHECK: check(index, x, v->p, entry, n); break;
    case GND__PV_SHIFT:
        for (int64_t i = 0; i < n; i++)
            index[i] = (c[i] ? v->p : 0) + (y ? y[i] : 0);
        break;
    case GND__PV_WITHIN:
        c = (const void *)arg[1];
        for (int64_t r = 0; r < rows; r++)
            for (int64_t k = 0, i = r * n; k < n; k++, i++)
                flag[i] = (!c || c[i]) &&
                          (uint64_t)(at + r * row + k * step + (x ? x[i] : 0)) < (uint64_t)v->p;
        break;
    case GND__PV_TAKE:
        c = (const void *)arg[1];
        BY_SIZE(TAKE)
        break;
    case GND__PV_CHOOSE: BY_SIZE(CHOOSE) break;
    default: break;
    }
}
