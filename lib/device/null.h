/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null.h - what tests ask of the null backend: what was launched, the log of all calls, and
 * whether a guard zone was damaged. The records are one per process, and locked.
 */
#ifndef GND_DEVICE_NULL_H
#define GND_DEVICE_NULL_H

#include <gnd/backend.h>

enum { GND__NULL_MAX_ARGS = 64 };

/* One launch. source is owned by its program: valid until the device is closed. */
typedef struct gnd__null_launch {
    char kernel[128];
    const char *source;
    uint32_t ndim, nargs;             /* nargs as given; args holds at most the first 64 */
    size_t global[3], local[3];
    gnd_karg args[GND__NULL_MAX_ARGS];
} gnd__null_launch;

/* Launches since the last reset. */
long gnd__null_launches(void);
/* The last launch; 0 when there was none since the last reset. */
int gnd__null_last(gnd__null_launch *l);
/* One line per call since gnd__null_record(1): "alloc 4096", "write 64 at 0", "launch NAME global
 * 1024 local 256 args 3", "read ...". Not recorded unless asked. The caller frees it with
 * gnd__free(); NULL when memory is out. */
void gnd__null_record(int on);
char *gnd__null_log(void);
/* Forgets launches, log and damage. */
void gnd__null_reset(void);
/* Buffers found with bytes written outside of them, when freed. */
long gnd__null_damage(void);
/* Buffers, queues, programs, kernels and devices that exist now. */
long gnd__null_objects(void);
/* Let programs be cached on disk (off: a test must not fill the user's cache). */
void gnd__null_cacheable(int on);
/* The host memory of a buffer. */
void *gnd__null_memory(gnd_buf *b, size_t *nbytes);

#endif
