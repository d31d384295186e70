/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here.h - steps of a plan that the calling thread runs itself, where the device works in
 * host memory and is idle: for few points an enqueue, and the wait for another thread, take many
 * times as long as the computation.
 */
#ifndef GND_SCHED_HERE_H
#define GND_SCHED_HERE_H

#include "sched/plan.h"

/* What the host runs instead of the launch of k (axes merged), whose arithmetic is `work`; NULL if
 * it is too much, or not of loops that the host has, or memory is short. */
struct gnd__here *gnd__here_of(const gnd__gdev *d, const gnd__kir *k, int64_t work);
/* Keeps the text of kernel gk, and its form (or NULL), for gnd__here_build. Takes form in any
 * case. */
gnd_status gnd__here_later(struct gnd__here *h, const gnd__gkernel *gk, gnd__form *form,
                           gnd_err *e);
/* Builds the kernel of a step that the device is to run. */
gnd_status gnd__here_build(gnd__gdev *d, gnd__step *st, gnd_err *e);
size_t gnd__here_bytes(const struct gnd__here *h);
void gnd__here_free(struct gnd__here *h);
/* Whether the steps of p that have that can run here whenever the device is idle: the host reaches
 * all memory. */
int gnd__here_can(const gnd__plan *p, const gnd__pgraph *g);
/* Runs a step of an idle device (gnd__gate_idle). */
gnd_status gnd__here_run(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, const gnd__step *st,
                         gnd_err *e);
/* For tests: 0 never, 1 as usual. Returns how many steps ran here. */
uint64_t gnd__here_force(int yes);

#endif
