/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record_priv.h - a recording, between record.c (its making, state and replay) and
 * record_io.c (its inputs and outputs).
 */
#ifndef GND_ARRAY_RECORD_PRIV_H
#define GND_ARRAY_RECORD_PRIV_H

#include "graph/graph.h"
#include "sched/record.h"
#include <gnd/record.h>

struct gnd_recording {
    uint32_t magic; /* RECORDING; 0 once freed */
    gnd_err err;    /* code != 0: it could not be made */
    /* code != 0: the first error of a step that _read, _get or _wait has not reported yet */
    gnd_err stuck;
    gnd_device *dev;
    gnd__recorded *r; /* NULL: it could not be made, or the device was closed */
};

/* Moves the error of `bad` to e, and releases `bad`. Returns the error's code. */
gnd_status gnd__recording_take_error(gnd_array *bad, gnd_err *e);
/* Whether there is something to replay. */
int gnd__recording_works(const gnd_recording *r);
/* The number of inputs and outputs; 0 if r is not valid. */
int gnd__recording_inputs(const gnd_recording *r);
int gnd__recording_outputs(const gnd_recording *r);
/* GND_OK if r is valid and number k is one of n (`what`: "input", "output"). After a failed step
 * all further calls fail with its error. */
gnd_status gnd__recording_usable(const gnd_recording *r, const char *what, int k, int n,
                                 gnd_err *e);
/* The same for a function that reports: it forgets the error of a failed step. */
gnd_status gnd__recording_told(gnd_recording *r, const char *what, int k, int n, const char *func,
                               gnd_err *e);
/* Ends a step of function func, which failed with e unless st is GND_OK. The first error stays
 * until it is reported. Returns the status of the public function. */
gnd_status gnd__recording_stepped(gnd_recording *r, const char *func, gnd_status st, gnd_err *e);

#endif
