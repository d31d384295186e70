/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/cache.c - the scheduler of a device: its cache of plans, by the structure of graphs. The
 * plans that ran longest ago are dropped first.
 */
#include "sched/record.h"

#include "base/mem.h"
#include "base/table.h"
#include "device/device.h"
#include "device/trace.h"
#include "graph/graph.h"

/* Limits of the cache: plans, and bytes of plans and keys. */
#define MAX_PLANS 2048
#define MAX_PLAN_BYTES ((size_t)64 << 20)

static void free_sched(gnd__sched *s)
{
    while (s->records)
        (void)gnd__recorded_free(s->records,
                                 NULL); /* the device closes: there is no caller for the error */
    gnd__checks_close(s);
    gnd__table_free(s->cache, (void (*)(void *))gnd__plan_free);
    gnd__pgraph_free(&s->graph);
    gnd__free(s->block);
    gnd__free(s->st);
    gnd__free(s->stride);
    gnd__free(s->keep);
    gnd__free(s->retain);
    gnd__free(s->spare);
    gnd__free(s->live);
    gnd__free(s);
}

gnd__sched *gnd__sched_of(gnd_device *dev)
{
    gnd__sched *s = dev->plans;
    if (s)
        return s;
    s = gnd__calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->cache = gnd__table_new();
    if (!s->cache) {
        free_sched(s);
        return NULL;
    }
    dev->plans = s;
    return s;
}

void gnd__sched_free(gnd_device *dev)
{
    if (dev->plans)
        free_sched(dev->plans);
    dev->plans = NULL;
}

static void unlink_plan(gnd__sched *s, gnd__plan *p)
{
    *(p->newer ? &p->newer->older : &s->newest) = p->older;
    *(p->older ? &p->older->newer : &s->oldest) = p->newer;
}

static void link_newest(gnd__sched *s, gnd__plan *p)
{
    p->newer = NULL;
    p->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = p;
    s->newest = p;
}

/* Drops the plans that ran longest ago, until n plans of nbytes in total remain. */
static void drop_plans(gnd__sched *s, size_t n, size_t nbytes)
{
    while (s->oldest && (gnd__table_len(s->cache) > n || s->cached > nbytes)) {
        gnd__plan *p = s->oldest;
        unlink_plan(s, p);
        s->cached -= p->nbytes;
        gnd__table_take(s->cache, p->hash, p);
        gnd__plan_free(p);
    }
}

/* If all programs take too much memory, programs held by plans are released: half of the plans at a
 * time. */
static void bound_programs(gnd__sched *s, gnd__gdev *d)
{
    while (gnd__gate_progs_full(d)) {
        const size_t n = gnd__table_len(s->cache);
        if (n == 0) { /* recordings hold them */
            gnd__gate_progs_needed(d);
            return;
        }
        drop_plans(s, n / 2, MAX_PLAN_BYTES);
    }
}

void gnd__plans_forget(gnd_device *dev)
{
    if (dev->plans)
        drop_plans(dev->plans, 0, 0);
}

gnd_status gnd__plan_find(gnd__sched *s, gnd__pgraph *g, gnd__plan **p, gnd_err *e)
{
    gnd_status r;
    void *old = NULL;
    gnd__span span;
    gnd__counters *n = &g->dev->g->n;
    *p = gnd__table_find(s->cache, g->key, g->nkey, g->hash);
    if (*p) {
        n->plan_hits++;
        if (s->newest != *p) {
            unlink_plan(s, *p);
            link_newest(s, *p);
        }
        return GND_OK;
    }
    gnd__span_begin(g->dev->g, &span, GND__SPAN_HOST);
    r = gnd__plan_make(g, 0, p, e);
    gnd__span_end(g->dev->g, &span, "host", "plan", -1);
    if (r != GND_OK)
        return r;
    n->plans++;
    (*p)->nbytes = g->nkey + gnd__plan_bytes(*p);
    /* the program keeps making new structures */
    drop_plans(s, MAX_PLANS - 1, (*p)->nbytes < MAX_PLAN_BYTES ? MAX_PLAN_BYTES - (*p)->nbytes : 0);
    bound_programs(s, g->dev->g);
    if (gnd__table_enter(s->cache, g->key, g->nkey, g->hash, *p, &old) != 0) {
        gnd__plan_free(*p);
        *p = NULL;
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    }
    (*p)->hash = g->hash;
    link_newest(s, *p);
    return GND_OK;
}
