/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/check.h - indices that only the device can check. A plan that has GND__CHECKED nodes gives
 * each of them, at each run, an entry of a table in device memory, which stays 0 unless an index is
 * out of range. The memory of every array that was computed from such indices refers to these
 * checks, and whoever reads the array looks at the entries first: nothing waits before that.
 *
 * All functions are called with the device's lock held.
 */
#ifndef GND_SCHED_CHECK_H
#define GND_SCHED_CHECK_H

#include "sched/plan.h"

/* Words of an entry: gnd_checked_i64 in kernels/index.cl. */
enum { GND__CHECK_BYTES = 16 };

struct gnd__ctable;

/* Takes entries for the plan's checks: s->check[0 .. p->ncheck). */
gnd_status gnd__checks_take(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, gnd_err *e);
/* The memory of the table, and the number of check i's entry in it. */
gnd_buf *gnd__checks_buf(const gnd__sched *s);
int64_t gnd__checks_entry(const gnd__sched *s, int i);
/* After the run: refers the memory st[slot] of the plan's results to the checks that they depend
 * on, those of the plan and those of what it read. */
gnd_status gnd__checks_spread(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                              gnd__storage **st, gnd_err *e);
/* Gives back what gnd__checks_take took and no memory refers to. */
void gnd__checks_drop(gnd__sched *s, const gnd__plan *p);
void gnd__checks_close(gnd__sched *s);

/* GND_ERR_INDEX when an index that st was computed from is out of range. Waits for the device if
 * there is anything to look at. */
gnd_status gnd__checks_pass(gnd__storage *st, gnd_err *e);
void gnd__checks_unref(struct gnd__checks *c);

/* For recordings. The checks of this run, to be looked at after each run again; NULL: there are
 * none. */
gnd_status gnd__checks_keep(const gnd__sched *s, const gnd__plan *p, struct gnd__checks **out,
                            gnd_err *e);
/* Looks at each: an error is reported once and then forgotten. Waits if there is anything to look
 * at. */
gnd_status gnd__checks_again(struct gnd__checks *c, gnd_err *e);

#endif
