/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here.h - steps of a plan that the calling thread runs itself, where the device works in
 * host memory and is idle: for few points an enqueue, and the wait for another thread, take many
 * times as long as the computation.
 */
#ifndef GND_SCHED_HERE_H
#define GND_SCHED_HERE_H

#include "host/points.h"
#include "prim/prim.h"
#include "sched/plan.h"

/* What the host runs instead of the launches of k, `steps` of them (axes merged; the checks of its
 * indices are in the plan); NULL if it is too much, or not of loops
 * that the host has, or memory is short. */
struct gnd__here *gnd__here_of(const gnd__pgraph *g, const gnd__kir *k, int steps);
/* The same of what the host has for `steps` steps of a primitive (prim/prim.h): w of the nin
 * operands mem[], with its result in the next. */
typedef struct gnd__here_slots {
    const gnd__place *place; /* of inputs in memory */
    const gnd__kir *kir;     /* of those that are expressions */
    int32_t out, scratch;    /* the slot of the result, and the first of scratch memory */
} gnd__here_slots;
struct gnd__here *gnd__here_prim(const gnd__pgraph *g, const gnd__prog *prog, const gnd__native *w,
                                 const gnd__pmem *mem, int nin, const gnd__here_slots *at,
                                 int steps);
/* How many steps of the plan, from st on, what st->here computes is in place of. */
int gnd__here_steps(const gnd__step *st);
/* Keeps the text of kernel gk, and its form (or NULL), for gnd__here_build. Takes form in any
 * case. */
gnd_status gnd__here_later(struct gnd__here *h, const gnd__gkernel *gk, gnd__form *form,
                           gnd_err *e);
/* Builds the kernel of a step that the device is to run. */
gnd_status gnd__here_build(gnd__gdev *d, gnd__step *st, gnd_err *e);
size_t gnd__here_bytes(const struct gnd__here *h);
/* Another owner; gnd__here_free ends one. */
void gnd__here_hold(struct gnd__here *h);
void gnd__here_free(struct gnd__here *h);
/* Whether the steps of p that have that can run here whenever the device is idle: the host reaches
 * all memory. */
int gnd__here_can(const gnd__plan *p, const gnd__pgraph *g);
/* Runs a step of an idle device (gnd__gate_idle). *did: 0: the device must run it, because the
 * beginning of its row did not decide. */
gnd_status gnd__here_run(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, const gnd__step *st,
                         int *did, gnd_err *e);
/* Whether a step may run on the calling thread at this moment, if the host reaches its memory. */
int gnd__here_now(const gnd__gdev *d);

/* A step that is bound to memory, to be run again and again (sched/record.h). */
typedef struct gnd__here_bound {
    struct gnd__here *h;
    char *mem[GND__POINTS_ACCESS];        /* of each access; NULL: none */
    int16_t constant[GND__POINTS_VALUES]; /* the argument of the launch that is constant i */
} gnd__here_bound;
/* Binds step st, which has `here`, to the memory that its slots have. Sets slot[i] to the slot of
 * access i, or to -1. Returns the number of accesses, and *b is then an owner of st->here; 0: the
 * host does not reach the memory. */
int gnd__here_bind(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                   const gnd__step *st, gnd__here_bound *b, int32_t slot[GND__POINTS_ACCESS]);
/* Whether n such steps one after the other are sooner done here than by the device. */
int gnd__here_pays(int n, const gnd__here_bound *b);
/* Runs it, with the constants of launch l, while gnd__here_now. */
gnd_status gnd__here_again(gnd__gdev *d, const gnd__here_bound *b, const gnd_klaunch *l,
                           gnd_err *e);

/* For tests: 0 never, 1 as usual. Returns how many steps ran here. */
uint64_t gnd__here_force(int yes);

#endif
