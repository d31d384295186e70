/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/async.c - host memory for transfers that do not wait, and waits without the device's lock.
 * The transfers are in call.c.
 */
#include "device/call.h"
#include "device/stream.h"

/* --- host memory ------------------------------------------------------------------------------ */

gnd_status gnd__gate_host_alloc(gnd__gdev *d, size_t nbytes, void **p, gnd_err *e)
{
    gnd_status st;

    *p = NULL;
    if (!d->be->memory.host_alloc || !d->be->memory.host_free)
        return GND_OK;
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->memory.host_alloc(d->dev, nbytes, p, e);
    return done(d, "host_alloc", st, e);
}

void gnd__gate_host_free(gnd__gdev *d, void *p)
{
    if (p && !gnd__forked)
        d->be->memory.host_free(d->dev, p);
}

/* --- waiting ---------------------------------------------------------------------------------- */

gnd_status gnd__gate_moment_done(gnd__gdev *d, const gnd__moment *m, int *yes, gnd_err *e)
{
    gnd_status st;

    *yes = 0;
    if (!d->be->queue.event_done)
        return gnd__gate_missing(d, "queue.event_done", e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->queue.event_done(m->ev, yes, e);
    if (st == GND_OK && *yes)
        gnd__stream_came(d, m->index, m->at);
    return done(d, "event_done", st, e);
}

/* Waits with the lock held: for the event if there is one, otherwise for the queue. */
static gnd_status wait_locked(gnd__gdev *d, const gnd__moment *m, gnd_err *e)
{
    const gnd_queue_ops *q = &d->be->queue;
    struct gnd__streams *ss = d->streams;

    if (m->ev && q->event_wait)
        return q->event_wait(m->ev, e);
    return ss && !ss->s[m->index] ? GND_OK : q->finish(ss ? ss->s[m->index]->queue : d->queue, e);
}

gnd_status gnd__gate_moment_wait(gnd__gdev *d, const gnd__moment *m, gnd_err *e)
{
    const gnd_queue_ops *q = &d->be->queue;
    gnd_status st = gnd__gate_tick(e);

    if (st != GND_OK)
        return done(d, "event_sync", st, e);
    if (m->ev && q->event_sync && d->be->queue.event_sync(m->ev, NULL) == GND_OK) {
        gnd__gate_lock(d);
    } else { /* also after a failure, to get its reason */
        gnd__gate_lock(d);
        st = wait_locked(d, m, e);
    }
    if (st == GND_OK)
        gnd__stream_came(d, m->index, m->at);
    st = done(d, "event_sync", st, e);
    gnd__gate_unlock(d);
    return st;
}

gnd_status gnd__gate_finish_apart(gnd__gdev *d, gnd_err *e)
{
    gnd__moment m;
    gnd_status st;

    if (!d->streams || d->depth > 1 || !d->be->queue.event_sync)
        return gnd__gate_finish(d, e);
    if ((st = gnd__gate_moment(d, gnd__gate_stream(d), &m, e)) != GND_OK)
        return st;
    gnd__gate_unlock(d);
    st = gnd__gate_moment_wait(d, &m, e);
    gnd__gate_lock(d);
    gnd__gate_moment_free(d, &m);
    if (UNLIKELY(d->trace != NULL))
        gnd__trace_idle(d);
    return st;
}
