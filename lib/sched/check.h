/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/check.h - what only the device can check: indices, and whether a matrix has an inverse or a
 * factor. At each run, a plan gives each of its GND__CHECKED nodes, and each primitive that asks
 * for it, an entry of a table in device memory, which stays 0 unless an index is out of range (a
 * matrix is singular). The memory of every array computed from such indices refers to these checks,
 * and whoever reads the array reads the entries first: nothing waits before that.
 *
 * All functions are called with the device's lock held.
 */
#ifndef GND_SCHED_CHECK_H
#define GND_SCHED_CHECK_H

#include "sched/plan.h"

/* Bytes of an entry: gnd_checked_i64 in kernels/index.cl. */
enum { GND__CHECK_BYTES = 16 };

struct gnd__ctable;

/* Takes entries for the plan's checks: s->check[0 .. p->ncheck). */
gnd_status gnd__checks_take(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, gnd_err *e);
/* The memory of the table; and the index of check i's entry in it. */
gnd_buf *gnd__checks_buf(const gnd__sched *s);
int64_t gnd__checks_entry(const gnd__sched *s, int i);
/* Where the host reaches that entry. */
int32_t *gnd__checks_address(const gnd__sched *s, int i);
/* After the run: makes the memory st[slot] of the plan's results refer to the checks on which they
 * depend, those of the plan and those of its inputs. */
gnd_status gnd__checks_spread(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                              gnd__storage **st, gnd_err *e);
/* After a step that failed on the values it got: if a check of the run failed before it, *e is that
 * check's, which is the cause. */
void gnd__checks_first(const gnd__sched *s, const gnd__plan *p, gnd_err *e);
/* Releases what gnd__checks_take took and no memory refers to. */
void gnd__checks_drop(gnd__sched *s, const gnd__plan *p);
void gnd__checks_close(gnd__sched *s);

/* The error of the first failed check from which st was computed: an index that is out of range, a
 * matrix without an inverse. Waits for the device if
 * there are unread checks. */
gnd_status gnd__checks_pass(gnd__storage *st, gnd_err *e);
void gnd__checks_unref(struct gnd__checks *c);

/* For recordings: the checks of this run, which are read again after each run; NULL if it has
 * none. */
gnd_status gnd__checks_keep(const gnd__sched *s, const gnd__plan *p, struct gnd__checks **out,
                            gnd_err *e);
/* Before the kernels that write to them are launched again, in the current stream. */
gnd_status gnd__checks_use(struct gnd__checks *c, gnd_err *e);
/* Reads each of them: an error is reported once and then cleared. Waits if there is anything to
 * read. */
gnd_status gnd__checks_again(struct gnd__checks *c, gnd_err *e);

#endif
