/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record.h - recordings: a plan bound to memory of its own, to be run again and again. Its inputs
 * are placeholders, nodes without elements, in the place of which the recording has memory; its results
 * stay in its memory too. So a run binds nothing, and the backend may have prepared all of it.
 *
 * All functions are called with the device's lock held.
 */
#ifndef GND_SCHED_RECORD_H
#define GND_SCHED_RECORD_H

#include "sched/check.h"

struct gnd__rblock; /* memory that belongs to a recording alone */
struct gnd__ritem;  /* one call of the backend: a list of launches, a launch, a library call */

typedef struct gnd__recorded {
    struct gnd__recorded *prev, *next; /* of the device's */
    struct gnd__recorded **owner;      /* set to NULL when the device closes */
    gnd_device *dev;
    int nin, nout;
    gnd_array **in, **out;    /* GND__DATA nodes whose elements are in the recording's memory */
    gnd__storage **held;      /* memory that it reads and others own */
    int nheld;
    struct gnd__rblock *block;
    int nblock, capblock;
    struct gnd__ritem *item;
    int nitem;
    unsigned runs;
    struct gnd__checks *checks; /* of indices */
} gnd__recorded;

/* Records how out[] come from in[], placeholders of dev, all different. out[] are of dev and depend on no
 * other placeholder (GND_ERR_STATE). Nothing runs. *owner is where the caller keeps the result. */
gnd_status gnd__recorded_make(gnd_device *dev, int nin, gnd_array *const *in, int nout,
                              gnd_array *const *out, gnd__recorded **owner, gnd_err *e);
/* Puts everything into the queue. */
gnd_status gnd__recorded_run(gnd__recorded *r, gnd_err *e);
/* Waits for the device, since its memory goes, and frees it also when that fails, which is returned. */
gnd_status gnd__recorded_free(gnd__recorded *r, gnd_err *e);

#endif
