/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null.h - queries of tests to the null backend: what was launched, the log of all calls,
 * and whether a guard zone was damaged. The records are shared by the process, and locked.
 */
#ifndef GND_DEVICE_NULL_H
#define GND_DEVICE_NULL_H

#include <gnd/backend.h>

enum { GND__NULL_MAX_ARGS = 64 };

/* One launch. source is owned by its program: valid until the device is closed. */
typedef struct gnd__null_launch {
    char kernel[128];
    const char *source;
    uint32_t ndim, nargs; /* nargs as passed; args holds at most the first 64 */
    size_t global[3], local[3];
    gnd_karg args[GND__NULL_MAX_ARGS];
} gnd__null_launch;

/* Launches since the last reset. */
long gnd__null_launches(void);
/* Gets the last launch. Returns 0 if there was none since the last reset. */
int gnd__null_last(gnd__null_launch *l);
/* One line per call since gnd__null_record(1): "alloc 4096", "write 64 at 0", "launch NAME global
 * 1024 local 256 args 3", "read ...". Off by default. The caller frees the text with gnd__free();
 * NULL if out of memory. */
void gnd__null_record(int on);
char *gnd__null_log(void);
/* Clears launches, log and damage. */
void gnd__null_reset(void);
/* The number of buffers in whose guard zones a write was found when they were freed. */
long gnd__null_damage(void);
/* The number of live buffers, queues, programs, kernels and devices. */
long gnd__null_objects(void);
/* Allows programs to be cached on disk. Off by default: a test must not fill the user's cache. */
void gnd__null_cacheable(int on);
/* A model of the order between queues (null_order.c): off; on; on, and events come only when the
 * host waits for them. Counts from 0. */
enum { GND__NULL_AT_ONCE = 1, GND__NULL_HELD = 2 };
void gnd__null_model(int how);
/* Accesses to buffers that were not ordered after others with which they conflict. */
long gnd__null_races(void);
/* The host memory of a buffer. */
void *gnd__null_memory(gnd_buf *b, size_t *nbytes);

#endif
