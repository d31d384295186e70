/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record.h - what loops on the device need of recordings beyond the public functions.
 */
#ifndef GND_ARRAY_RECORD_H
#define GND_ARRAY_RECORD_H

#include <gnd/record.h>

/* These are steps. Sets input i to row `row` of x. x has its elements in C order, the input's
 * dtype, and one more axis, the first. */
gnd_status gnd__recording_row_in(gnd_recording *r, int i, gnd_array *x, int64_t row);
/* Sets row `row` of y, likewise, to output o of the last replay. Only the caller refers to y. */
gnd_status gnd__recording_row_out(gnd_recording *r, int o, gnd_array *y, int64_t row);

/* gnd__cycle_make and gnd__cycle_run of sched/record.h. A failed turn leaves the states undefined;
 * later calls do not report it as a failed step. */
gnd_status gnd__recording_cycle(gnd_recording *r, int n, const int *o, const int *i, int word,
                                int *steps);
gnd_status gnd__recording_turn(gnd_recording *r, int64_t made, int64_t limit, int64_t *word);

/* Output o of a valid recording, for its dtype and shape. */
const gnd_array *gnd__recording_output(const gnd_recording *r, int o);

#endif
