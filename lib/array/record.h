/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record.h - what loops on the device need of recordings beyond the public functions.
 */
#ifndef GND_ARRAY_RECORD_H
#define GND_ARRAY_RECORD_H

#include <gnd/record.h>

/* Steps. Input i is set to row `row` of x, which has its elements in C order, is of the input's
 * dtype and has one axis more, the first. */
gnd_status gnd__recording_row_in(gnd_recording *r, int i, gnd_array *x, int64_t row);
/* Row `row` of y, likewise, is set to output o as the last replay left it: nobody else has seen y.
 */
gnd_status gnd__recording_row_out(gnd_recording *r, int o, gnd_array *y, int64_t row);

/* gnd__cycle_make and gnd__cycle_run of sched/record.h. A failed turn leaves the states undefined;
 * it is no step that later calls are told of. */
gnd_status gnd__recording_cycle(gnd_recording *r, int n, const int *o, const int *i, int word,
                                int *steps);
gnd_status gnd__recording_turn(gnd_recording *r, int64_t made, int64_t limit, int64_t *word);

/* Output o of a recording that works, for its dtype and shape. */
const gnd_array *gnd__recording_output(const gnd_recording *r, int o);

#endif
