/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progdisk.h - programs of a device in the kernel cache on disk: their keys, loading, and
 * storing, also of many when the device is closed. Knows nothing of programs in memory.
 */
#ifndef GND_DEVICE_PROGDISK_H
#define GND_DEVICE_PROGDISK_H

#include "device/disk.h"
#include "device/gate.h"

/* Options for build(), which are part of the keys. A backend adds what it needs itself. */
#define GND__BUILD_OPTIONS ""

typedef struct gnd__progdisk {
    gnd__disk *disk; /* NULL: none */
    int asked;       /* whether disk and key have been determined */
    gnd__str key;    /* common prefix of the keys; the source follows */
} gnd__progdisk;

/* A compiled program and its source. */
typedef struct gnd__unsaved {
    const char *src;
    size_t len;
    gnd_prog *p;
    int replace; /* the disk has no usable binary of it: store it even if there is an entry */
} gnd__unsaved;

/* The program of a source, or NULL. *broken is set if there is a binary that cannot be loaded. */
gnd_prog *gnd__progdisk_load(gnd__gdev *d, gnd__progdisk *k, const char *src, size_t len,
                             int *broken);
/* Stores a program. Returns 1 if the backend was asked for its binary, 0 if there is no cache, or
 * an entry already. */
int gnd__progdisk_store(gnd__gdev *d, gnd__progdisk *k, const gnd__unsaved *u);
/* Stores n programs whose binaries take long, for about a second, and tries one in any case.
 * Reorders u. */
void gnd__progdisk_store_some(gnd__gdev *d, gnd__progdisk *k, gnd__unsaved *u, size_t n);
void gnd__progdisk_close(gnd__progdisk *k);

#endif
