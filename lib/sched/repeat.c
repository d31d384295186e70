/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/repeat.c - plans that run repeatedly on the same memory, as in loops whose arrays are freed
 * and made again. If all arguments of all launches equal those of an earlier run, a list of the
 * backend is run instead; it is made when that has happened often. This is done only for small
 * work, where the host's cost matters, and for backends that say that their lists cost less.
 * Returning a buffer to the backend invalidates all earlier lists: arguments name buffers by
 * address, and an address may be reused.
 */
#include "sched/plan.h"

#include <string.h>
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"

enum {
    OFTEN = 32,  /* runs with the same arguments before a list is made */
    LISTS = 256, /* most lists per device */
    KEPT = 4,    /* per plan: a loop u = f(u) has two arrays that alternate */
    /* times OFTEN: runs of a plan in which a list was not used, after which another may replace it
     */
    STALE = 8,
    STEPS = 48,
    ITEMS = 1 << 20, /* work-items per launch: up to here a launch can take less than the host needs
                        for it */
    BYTES = 32 << 20 /* most bytes of all results of a run */
};

struct gnd__repeat {
    gnd_device *dev;
    uint64_t runs;
    struct {
        gnd_karg *args; /* arguments of all steps, consecutively */
        uint64_t used;  /* the last run with these arguments */
        unsigned seen;  /* number of runs with these arguments */
        uint64_t gone;  /* d->segs_gone when the list was made */
        gnd_list *list;
    } one[KEPT];
};

static int nargs(const gnd__plan *p)
{
    int n = 0;
    for (int32_t i = 0; i < p->nstep; i++)
        n += p->step[i].nargs;
    return n;
}

/* Waits for the queue, which may be running the list. Frees the list even if that fails. */
static gnd_status drop_list(struct gnd__repeat *r, int k, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd__sched *s = r->dev->plans;
    gnd_status st;
    if (!r->one[k].list)
        return GND_OK;
    st = gnd__gate_settle(d, e);
    gnd__gate_list_free(d, r->one[k].list);
    r->one[k].list = NULL;
    r->one[k].seen = 0;
    s->nlist--;
    return st;
}

void gnd__repeat_free(gnd__plan *p)
{
    struct gnd__repeat *r = p->repeat;
    if (!r)
        return;
    for (int k = 0; k < KEPT; k++) {
        (void)drop_list(r, k, NULL); /* the device's next wait reports the failure */
        gnd__free(r->one[k].args);
    }
    gnd__free(r);
    p->repeat = NULL;
}

/* Whether p is small work on a backend with cheap lists. Determined once. */
static int fits(const gnd__plan *p, const gnd__gdev *d)
{
    size_t bytes = 0;
    if (!d->be->has_replay || !(d->be->replay.flags & GND_REPLAY_CHEAP) || p->ncheck ||
        p->nstep < 1 || p->nstep > STEPS)
        return 0;
    for (int32_t i = 0; i < p->nslot; i++) {
        if (p->slot[i].nbytes > BYTES - bytes)
            return 0;
        bytes += p->slot[i].nbytes;
    }
    for (int32_t i = 0; i < p->nstep; i++) {
        const gnd__step *st = &p->step[i];
        size_t items = 1;
        if (st->type != GND__S_LAUNCH)
            return 0;
        for (int k = 0; k < st->ndim; k++)
            items = st->global[k] > ITEMS ? ITEMS + 1 : items * st->global[k];
        if (items > ITEMS)
            return 0;
    }
    return 1;
}

static struct gnd__repeat *new_repeat(const gnd__plan *p, gnd_device *dev)
{
    struct gnd__repeat *r = gnd__calloc(1, sizeof *r);
    int ok = r != NULL;
    for (int k = 0; k < KEPT && r; k++) {
        r->one[k].args = gnd__calloc((size_t)nargs(p) + 1, sizeof *r->one[k].args);
        ok &= r->one[k].args != NULL;
    }
    if (ok) {
        r->dev = dev;
        return r;
    }
    for (int k = 0; k < KEPT && r; k++)
        gnd__free(r->one[k].args);
    gnd__free(r);
    return NULL;
}

static unsigned often = OFTEN; /* number of runs before a list is made */

void gnd__repeat_force(int runs)
{
    often = runs > 0 ? (unsigned)runs : OFTEN;
}

int gnd__repeats(gnd__plan *p, gnd_device *dev)
{
    if (p->repeats < 0 || dev->g->trace)
        return 0;
    if (p->repeats == 0) {
        p->repeats = -1;
        if (fits(p, dev->g) && (p->repeat = new_repeat(p, dev)) != NULL)
            p->repeats = 1;
    }
    return p->repeats > 0;
}

static int same(const gnd__plan *p, const gnd_karg *args)
{
    for (int32_t i = 0; i < p->nstep; i++) {
        const gnd__step *st = &p->step[i];
        if (memcmp(args, st->karg, (size_t)st->nargs * sizeof *args) != 0)
            return 0;
        args += st->nargs;
    }
    return 1;
}

static void remember(const gnd__plan *p, gnd_karg *args)
{
    for (int32_t i = 0; i < p->nstep; i++) {
        const gnd__step *st = &p->step[i];
        memcpy(args, st->karg, (size_t)st->nargs * sizeof *args);
        args += st->nargs;
    }
}

/* Finds the stored arguments that equal those of this run. If there are none, replaces those that
 * are unused for longest and have no list, or an old list. *found is -1: none. */
static gnd_status find(struct gnd__repeat *r, const gnd__plan *p, int *found, gnd_err *e)
{
    gnd_status st = GND_OK;
    int old = -1;
    *found = -1;
    for (int k = 0; k < KEPT && st == GND_OK; k++) {
        if (r->one[k].list && r->one[k].gone != r->dev->g->segs_gone)
            st = drop_list(r, k, e);
        if (r->one[k].seen && same(p, r->one[k].args)) {
            *found = k;
            return st;
        }
        if (r->one[k].list && r->runs - r->one[k].used < STALE * (uint64_t)often)
            continue;
        if (old < 0 || r->one[k].used < r->one[old].used)
            old = k;
    }
    if (old < 0 || st != GND_OK)
        return st;
    st = drop_list(r, old, e);
    r->one[old].seen = 0;
    remember(p, r->one[old].args);
    *found = old;
    return st;
}

/* Makes a list. If that fails (no memory, or the backend makes none of such kernels), the launches
 * continue as before and it is not tried again. */
static void make_list(struct gnd__repeat *r, int k, gnd__plan *p)
{
    gnd__sched *s = r->dev->plans;
    gnd__kernel *kernel[STEPS];
    gnd_klaunch launch[STEPS];
    for (int32_t i = 0; i < p->nstep; i++) {
        kernel[i] = p->step[i].kernel;
        launch[i] = p->step[i].launch;
    }
    if (gnd__gate_list_new(r->dev->g, p->nstep, kernel, launch, &r->one[k].list, NULL) != GND_OK ||
        !r->one[k].list) {
        p->repeats = -1;
        return;
    }
    r->one[k].gone = r->dev->g->segs_gone;
    s->nlist++;
}

gnd_status gnd__repeat_run(gnd__plan *p, gnd_err *e)
{
    struct gnd__repeat *r = p->repeat;
    gnd__gdev *d = r->dev->g;
    gnd_status st = GND_OK;
    r->runs++;
    int k;
    st = find(r, p, &k, e);
    if (st == GND_OK && k >= 0) {
        r->one[k].used = r->runs;
        if (r->one[k].seen++ >= often && !r->one[k].list &&
            ((gnd__sched *)r->dev->plans)->nlist < LISTS)
            make_list(r, k, p);
        if (r->one[k].list)
            return gnd__gate_list_run(d, r->one[k].list, p->nstep, e);
    }
    for (int32_t i = 0; i < p->nstep && st == GND_OK; i++)
        st = gnd__gate_launch(d, p->step[i].kernel, &p->step[i].launch, e);
    return st;
}
