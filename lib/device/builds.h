/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/builds.h - kernels' texts that are compiled side by side, by threads that live as long as
 * that takes. Knows nothing of programs in memory and on disk.
 */
#ifndef GND_DEVICE_BUILDS_H
#define GND_DEVICE_BUILDS_H

#include "device/gate.h"

/* A text to compile, and what came of it. */
typedef struct gnd__build {
    char *name, *src; /* of a kernel in it; owned */
    size_t len;
    void *owner; /* the caller's */
    /* set by gnd__builds_run: */
    gnd_status st;
    gnd_err e;
    char *log; /* the compiler's, malloc'ed, or NULL */
    void *bin; /* what binary_load takes, malloc'ed, or NULL */
    size_t nbin;
} gnd__build;

/* Whether d's texts can be compiled so. */
int gnd__builds_can(const gnd__gdev *d);
/* Compiles n texts, and orders them by their lengths: one on the calling thread, or several on as
 * many threads as there are cores. The caller holds d's lock. */
void gnd__builds_run(gnd__gdev *d, gnd__build *b, size_t n);
/* Frees what a build owns. */
void gnd__build_free(gnd__build *b);

#endif
