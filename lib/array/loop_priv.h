/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop_priv.h - a loop on the device, as gnd_while (loop.c) and gnd_scan (loop_scan.c) share
 * it (loop_state.c): its states, the recording of its body, and its first error.
 */
#ifndef GND_ARRAY_LOOP_PRIV_H
#define GND_ARRAY_LOOP_PRIV_H

#include "device/device.h"
#include "graph/graph.h"
#include <gnd/record.h>

/* Steps after which a loop without a condition waits: queues are limited. */
enum { GND__LOOP_QUEUED = 1024 };

typedef struct gnd__loop {
    const char *func;
    gnd_err e; /* the first error */
    gnd_device *dev;
    int n, nx, ny;
    gnd_array **init; /* n states: references */
    gnd_array **in;   /* n + nx + 1 placeholders: states, rows, the word */
    gnd_array **made; /* n + ny + 1 + n: next states, rows, the word, the states themselves */
    int *number;      /* 0, 1, 2 ...: outputs k are fed to inputs k */
    gnd_recording *r;
} gnd__loop;

/* Functions that return an int return 1 on success; 0: l->e has the error. */

/* Makes the error of `bad` the loop's if that has none yet, and releases `bad`. Returns 0. */
int gnd__loop_failed(gnd__loop *l, gnd_array *bad);
/* Sets the loop's error; the text begins with its function's name. Returns 0. */
int gnd__loop_refuse(gnd__loop *l, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Checks a number n of arrays and the list that has them, an argument of that name. */
int gnd__loop_count_ok(gnd__loop *l, int n, const void *list, const char *name);
/* Checks init and xs, finds the device and allocates the lists of l. Weak numbers of init become
 * arrays of the device. */
int gnd__loop_take_init(gnd__loop *l, gnd_array *const *init, int nx, gnd_array *const *xs);

/* Makes the placeholders of the states. */
void gnd__loop_placeholders(gnd__loop *l);
/* Checks the next state i that the body made: its dtype and shape are those of the state. */
int gnd__loop_check_next(gnd__loop *l, int i);
/* Records the first nmade arrays of l->made and, after them, the states themselves. nin: inputs. */
int gnd__loop_record(gnd__loop *l, int nin, int nmade);

/* Takes the message of a failed step as the loop's error. GND_OK: returns 1. */
int gnd__loop_ok(gnd__loop *l, gnd_status st);
/* Sets the states of the recording to x. */
int gnd__loop_set(gnd__loop *l, gnd_array *const *x);
/* Reads the states, outputs from `first` on, as new arrays. On failure all are released. */
int gnd__loop_get(gnd__loop *l, int first, gnd_array **out);
void gnd__loop_release(int n, gnd_array **x);
/* Frees what l holds. If it has an error, the n results `out` (or NULL) are error arrays. */
gnd_status gnd__loop_finish(gnd__loop *l, int n, gnd_array **out);

#endif
