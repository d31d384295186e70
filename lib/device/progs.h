/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progs.h - programs in memory, for the two files that know them: progcache.c keeps and
 * drops them, progbuild.c makes them.
 */
#ifndef GND_DEVICE_PROGS_H
#define GND_DEVICE_PROGS_H

#include "device/builds.h"
#include "device/priv.h"
#include "device/progdisk.h"
#include "base/table.h"

typedef struct gnd__prog gnd__prog;

struct gnd__prog {
    gnd_prog *p; /* NULL: not compiled yet; its kernels have no code then */
    struct gnd__kernel *kernels;
    int waiting; /* it is among those to compile together */
    int unsaved; /* compiled, to be stored on disk when the device is closed */
    int broken;  /* the disk has no usable binary of it */
    int holds;   /* holds on its kernels by plans, recordings and others */
    uint64_t hash, bytes;
    gnd__prog *newer, *older; /* list ordered by last use */
};

struct gnd__progcache {
    gnd__table *progs; /* source text -> gnd__prog */
    gnd__progdisk disk;
    gnd__prog *newest, *oldest;
    uint64_t most;   /* limit of the programs' bytes */
    char *log;       /* compiler log of the last program that failed to compile, or NULL */
    uint64_t needed; /* a higher limit if held programs need it; else 0 */
    int together;    /* what is to compile waits for gnd__gate_builds_end */
    gnd__build *wait;
    size_t nwait, capwait;
};

/* Frees the code; the kernels stay. */
void gnd__prog_strip(gnd__gdev *d, gnd__prog *pr);
/* Frees what pr holds, not pr. */
void gnd__prog_release(gnd__gdev *d, gnd__prog *pr);
/* The program of a source, which becomes the one last used, or NULL. */
gnd__prog *gnd__prog_find(struct gnd__progcache *c, const char *src, size_t len);
/* Enters pr, which has one holder. Returns 0, or -1 if out of memory. */
int gnd__prog_enter(gnd__gdev *d, gnd__prog *pr, const char *src, size_t len);

#endif
