/* SPDX-License-Identifier: BSD-3-Clause
 *
 * share.h - what kmeans, pca, image, wave, barrier and pagerank share: inputs that other programs
 * can make, too, and how long a computation takes.
 */
#ifndef SHARE_H
#define SHARE_H

#include <gnd.h>
#include <stdlib.h>
#include <time.h>

/* Odd factors for spread(): 2^32 over the golden ratio, and two for the plane. */
enum { FACTORS = 3 };
static const int64_t factor[FACTORS] = {2654435769, 3242174889, 2447445413};

/* The upper 24 bits of i * factor[k] mod 2^32, for ints i from 0 to 2^31: spread evenly over 0 ...
 * 2^24 - 1, exact on every device, and in float32. */
static inline gnd_array *spread(gnd_array *i, int k)
{
    gnd_array *product = gnd_bitwise_and(gnd_mul(i, gnd_int(factor[k])), gnd_int(0xffffffff));
    return gnd_bitwise_right_shift(product, gnd_int(8));
}

/* The same as float32 in (0, 1). */
static inline gnd_array *spread01(gnd_array *i, int k)
{
    return gnd_mul_f(gnd_add_f(gnd_astype(spread(i, k), GND_FLOAT32), 0.5), 0x1p-24);
}

static inline int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls work(arg), and where times > 1 as often again: the median of these calls in ms goes to
 * standard output. */
static inline void repeat(int times, void (*work)(void *), void *arg)
{
    work(arg);
    double *ms = times > 1 ? malloc((size_t)times * sizeof *ms) : NULL;
    for (int i = 0; ms && i < times; i++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        work(arg);
        timespec_get(&b, TIME_UTC);
        ms[i] = 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
    }
    if (ms) {
        qsort(ms, (size_t)times, sizeof *ms, by_value);
        printf("%.3f ms\n", ms[times / 2]);
    }
    free(ms);
}

#endif
