/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativecount.c - positions and counts by index, as kernels/index.cl and kernels/tally.cl
 * compute them, and the copies around a decomposition (kernels/solve.cl). All of it is exact.
 */
#include <string.h>
#include "base/dtype.h"
#include "host/native.h"

void gnd__native_copy(const gnd__native *w, const char *x, char *y)
{
    const size_t size = gnd_dtype_size(w->t), have = (size_t)w->n * size;
    for (int64_t i = 0; i < w->m; i++)
        memcpy(y + (size_t)(i * w->inner) * size, x + (size_t)i * have, have);
}

/* Element i of x as a double, which holds each of them. */
static double real_at(const char *x, gnd_dtype t, int64_t i)
{
    switch (t) {
    case GND_INT32: return ((const int32_t *)(const void *)x)[i];
    case GND_FLOAT32: return ((const float *)(const void *)x)[i];
    default: return ((const double *)(const void *)x)[i];
    }
}

void gnd__native_widen(const gnd__native *w, const char *x, char *y)
{
    const int64_t step = gnd_dtype_kind(w->t) == 'c' ? 2 : 1;
    const int narrow = gnd_dtype_size(w->t) == (step == 2 ? 8 : 4);
    if (step == 2)
        memset(y, 0, (size_t)w->n * gnd_dtype_size(w->t));
    for (int64_t i = 0; i < w->n; i++) {
        const double v = real_at(x, (gnd_dtype)w->op, i);
        if (narrow)
            ((float *)(void *)y)[i * step] = (float)v;
        else
            ((double *)(void *)y)[i * step] = v;
    }
}

void gnd__native_last(const gnd__native *w, const int64_t *x, char *y)
{
    int32_t *narrow = (void *)y;
    int64_t *wide = (void *)y;
    memset(y, 0, (size_t)w->m * gnd_dtype_size(w->t));
    for (int64_t i = 0; i < w->n && w->t == GND_INT32; i++)
        narrow[x[i]] = (int32_t)(i + 1);
    for (int64_t i = 0; i < w->n && w->t != GND_INT32; i++)
        wide[x[i]] = i + 1;
}

/* Element by element, for one size of elements, whose type is `type`. */
#define SET(type)                                                                                  \
    for (int64_t b = 0; b < w->keep; b++)                                                          \
        for (int64_t j = 0; j < w->n; j++)                                                         \
            for (int64_t i = 0; i < w->inner; i++) {                                               \
                const int64_t at = pos[(b * by + j) * (inner ? w->inner : 1) + (inner ? i : 0)];   \
                memcpy(y + ((b * w->m + at) * w->inner + i) * (int64_t)sizeof(type),               \
                       value + (b * outer + j * next + i * one) * (int64_t)sizeof(type),           \
                       sizeof(type));                                                              \
            }                                                                                      \
    break

void gnd__native_set(const gnd__native *w, const int64_t *pos, const char *value, const char *base,
                     char *y)
{
    typedef struct pair {
        double x, y;
    } pair;
    const int64_t size = (int64_t)gnd_dtype_size(w->t), one = (w->op & GND__SET_INNER) != 0,
                  next = w->op & GND__SET_EACH ? (one ? w->inner : 1) : 0,
                  outer = w->op & GND__SET_OUTER ? (next ? w->n : 1) * (one ? w->inner : 1) : 0,
                  by = w->op & GND__POS_OUTER ? w->n : 0, inner = w->op & GND__POS_INNER;
    memcpy(y, base, (size_t)(w->keep * w->m * w->inner * size));
    if (one && !inner && w->inner * size >= 16) {
        for (int64_t b = 0; b < w->keep; b++)
            for (int64_t j = 0; j < w->n; j++)
                memcpy(y + (b * w->m + pos[b * by + j]) * w->inner * size,
                       value + (b * outer + j * next) * size, (size_t)(w->inner * size));
        return;
    }
    switch (size) {
    case 1: SET(char);
    case 2: SET(int16_t);
    case 4: SET(int32_t);
    case 8: SET(int64_t);
    default: SET(pair);
    }
}

/* One counter is a chain of additions in memory: up to FEW places have WAYS counters each. */
enum { FEW = 512, WAYS = 4 };

/* A negative int, or a greater one than an int64 holds, is no place. */
#define TALLY(type)                                                                                \
    for (int64_t i = 0; i < w->n; i++) {                                                           \
        const uint64_t at = (uint64_t)(int64_t)((const type *)(const void *)x)[i];                 \
        if (at < (uint64_t)w->m)                                                                   \
            c[(uint64_t)(i & ways) * (uint64_t)w->m + at]++;                                       \
    }                                                                                              \
    break

void gnd__native_tally(const gnd__native *w, const char *x, int64_t *y)
{
    int64_t more[FEW * WAYS];
    const int64_t ways = w->m <= FEW && w->n >= WAYS * w->m ? WAYS - 1 : 0;
    int64_t *c = ways ? more : y;
    memset(c, 0, (size_t)(w->m * (ways + 1)) * sizeof *y);
    switch ((gnd_dtype)w->op) {
    case GND_INT8: TALLY(int8_t);
    case GND_INT16: TALLY(int16_t);
    case GND_INT32: TALLY(int32_t);
    case GND_INT64: TALLY(int64_t);
    case GND_UINT8: TALLY(uint8_t);
    case GND_UINT16: TALLY(uint16_t);
    case GND_UINT32: TALLY(uint32_t);
    default: TALLY(uint64_t);
    }
    for (int64_t k = 0; k < w->m && ways; k++)
        y[k] = more[k] + more[w->m + k] + more[2 * w->m + k] + more[3 * w->m + k];
}
