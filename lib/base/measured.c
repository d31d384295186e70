/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/measured.c - see measured.h.
 */
#include "base/measured.h"

#include <string.h>

enum {
#define GND_MEASURED(id, ...) OF_##id,
#include "base/measured.def"
#undef GND_MEASURED
    NROWS
};

static const gnd__measured rows[NROWS] = {
#define GND_MEASURED(id, ...) {__VA_ARGS__},
#include "base/measured.def"
#undef GND_MEASURED
};

static const gnd__library libraries[] = {
#define GND_LIBRARY(...) {__VA_ARGS__},
#include "base/measured.def"
#undef GND_LIBRARY
};

static const gnd__small_rates small[] = {
#define GND_SMALL(...) {__VA_ARGS__},
#include "base/measured.def"
#undef GND_SMALL
};

static const gnd__tile tiles[] = {
#define GND_TILE(id, bytes, ...) {__VA_ARGS__},
#define GND_CORES GND_TILE
#include "base/measured.def"
#undef GND_TILE
#undef GND_CORES
};

static const struct {
    int row, bytes, cores;
} of[] = {
#define GND_TILE(id, bytes, ...) {OF_##id, bytes, 0},
#define GND_CORES(id, bytes, ...) {OF_##id, bytes, 1},
#include "base/measured.def"
#undef GND_TILE
#undef GND_CORES
};

enum { NTILES = sizeof tiles / sizeof *tiles };

const gnd__measured *gnd__measured_of(int cpu, const char *name)
{
    for (int i = 0; i < NROWS; i++)
        if (rows[i].cpu == !!cpu && strstr(name, rows[i].name))
            return &rows[i];
    return &rows[OF_GPU];
}

const gnd__library *gnd__measured_library(int cpu, int cuda, const char *vendor)
{
    const int n = sizeof libraries / sizeof *libraries;
    for (int i = 0; i < n; i++)
        if (libraries[i].cpu == !!cpu && (libraries[i].cuda < 0 || libraries[i].cuda == !!cuda) &&
            strstr(vendor, libraries[i].vendor))
            return &libraries[i];
    return &libraries[n - 1];
}

const gnd__small_rates *gnd__measured_small(int cpu)
{
    return small[0].cpu == !!cpu ? &small[0] : &small[1];
}

static const gnd__tile *find_tiles(int row, int bytes, int cores, int *n)
{
    int first = -1;
    *n = 0;
    for (int i = 0; i < NTILES; i++)
        if (of[i].row == row && of[i].bytes == bytes && of[i].cores == cores) {
            first = first < 0 ? i : first;
            ++*n;
        }
    return first >= 0 ? &tiles[first] : find_tiles(OF_GPU, bytes, cores, n);
}

const gnd__tile *gnd__measured_tiles(const gnd__measured *d, int bytes, int *n)
{
    return find_tiles((int)(d - rows), bytes, 0, n);
}

const gnd__tile *gnd__measured_cores(const gnd__measured *d, int bytes, int *n)
{
    return find_tiles((int)(d - rows), bytes, 1, n);
}
