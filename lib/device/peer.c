/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/peer.c - copies between two devices of a backend, in the order of both current streams.
 * Both devices are locked.
 */
#include "device/call.h"

int gnd__gate_can_peer(gnd__gdev *to, gnd__gdev *from)
{
    int yes = 0;

    if (to->be != from->be || !to->be->device.can_peer || gnd__forked)
        return 0;
    return to->be->device.can_peer(to->dev, from->dev, &yes, NULL) == GND_OK && yes;
}

/* Makes later work in d's queue wait for the work that is now in other's queue: by an event, else
 * by waiting here. */
static gnd_status queue_after(gnd__gdev *d, gnd__gdev *other, gnd_err *e)
{
    const gnd_queue_ops *q = &d->be->queue;
    gnd_event *ev = NULL;
    gnd_status st;

    if (!q->record || !q->wait_event || !q->event_free)
        return gnd__gate_finish(other, e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = q->record(other->queue, &ev, e);
    if (st != GND_OK)
        return done(other, "record", st, e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = q->wait_event(d->queue, ev, e);
    q->event_free(ev);
    return done(d, "wait_event", st, e);
}

gnd_status gnd__gate_peer(gnd__gdev *to, gnd__block *dst, gnd__gdev *from, gnd__block *src,
                          size_t soff, size_t nbytes, gnd_err *e)
{
    gnd__gdev *d = to;
    gnd_status st;

    if (UNLIKELY(outside(dst, 0, nbytes)))
        return out_of_range(to, "copy to", dst, 0, nbytes, e);
    if (UNLIKELY(outside(src, soff, nbytes)))
        return out_of_range(from, "copy from", src, soff, nbytes, e);
    if ((st = gnd__gate_use(to, dst, 1, e)) != GND_OK ||
        (st = gnd__gate_use(from, src, 0, e)) != GND_OK ||
        (st = queue_after(to, from, e)) != GND_OK)
        return st;
    from->worked = from->pending = 1;
    CALL(DEVICE, "transfer", "copy between devices", (int64_t)nbytes,
         d->be->memory.copy(d->queue, dst->buf, dst->off, src->buf, src->off + soff, nbytes, e));
    if (st != GND_OK)
        return done(d, "copy", st, e);
    /* The source block may be reused, but only after the copy has read it. */
    if ((st = queue_after(from, to, e)) != GND_OK)
        to->be->queue.finish(to->queue, NULL);
    return st;
}
