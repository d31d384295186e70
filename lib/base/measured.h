/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/measured.h - rates of devices (base/measured.def) as C data.
 */
#ifndef GND_BASE_MEASURED_H
#define GND_BASE_MEASURED_H

/* Tiles of bm x bn, tm x tn of them for each of wg work-items, slices of bk. speed: percent of a unit's
 * multiplications, where it has `full` work-items or more. */
typedef struct gnd__tile {
    int bm, bn, bk, tm, tn, wg, speed, full;
} gnd__tile;

typedef struct gnd__measured {
    int cpu;
    const char *name;
    double term, point, start_direct, start_fft;
    int fma_per_clock, second_clocks;
} gnd__measured;

/* The row for a device of that kind and name. */
const gnd__measured *gnd__measured_of(int cpu, const char *name);
/* The tiles for values of 2 (floats), 4, 8 or 16 bytes; *n: how many. The row of a device without any has the GPUs'. */
const gnd__tile *gnd__measured_tiles(const gnd__measured *d, int bytes, int *n);

#endif
