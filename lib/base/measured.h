/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/measured.h - the measured rates of devices (base/measured.def) as C data.
 */
#ifndef GND_BASE_MEASURED_H
#define GND_BASE_MEASURED_H

#include <stdint.h>

/* A tile has bm x bn results, tm x tn for each of wg work-items, and slices of bk terms. speed:
 * percent of a compute unit's multiplications that it reaches when the unit has `full` work-items
 * or more. */
typedef struct gnd__tile {
    int bm, bn, bk, tm, tn, wg, speed, full;
} gnd__tile;

typedef struct gnd__measured {
    int cpu;
    const char *name;
    double term, point, start_direct, start_fft;
    int fma_per_clock, second_clocks;
} gnd__measured;

/* Whether a library gets plain products: see measured.def. */
typedef struct gnd__library {
    int cpu, cuda;
    const char *vendor;
    int competes, plain;
    int64_t long_sum;
} gnd__library;

/* The row for a device of that kind, dialect and vendor. */
const gnd__library *gnd__measured_library(int cpu, int cuda, const char *vendor);

/* Which matrices are small: measured.def. */
typedef struct gnd__small_rates {
    int cpu;
    int64_t side, bytes, least;
} gnd__small_rates;

/* The row for CPUs, or that for GPUs. */
const gnd__small_rates *gnd__measured_small(int cpu);

/* The row for a device of that kind and name. */
const gnd__measured *gnd__measured_of(int cpu, const char *name);
/* The tiles for values of 2 (floats), 4, 8 or 16 bytes; *n is their number. Devices without tiles
 * of their own get those of the GPU row. */
const gnd__tile *gnd__measured_tiles(const gnd__measured *d, int bytes, int *n);

/* The same of products on tensor cores, for values of 2 or 8 bytes. */
const gnd__tile *gnd__measured_cores(const gnd__measured *d, int bytes, int *n);

#endif
