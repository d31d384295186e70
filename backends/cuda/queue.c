/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/queue.c - the queue group: streams that do not wait for the default stream, and events.
 *
 * CUDA has no clock, only the time between two events, as a float of milliseconds (24 bits: a
 * resolution of 60 us after a quarter of an hour). So a device counts from a base event, and an
 * event that is far from it becomes the new base at its computed time: differences stay exact to
 * 1e-7.
 */
#include "cu.h"

#include <stdlib.h>

enum { FAR_MS = 250 };
#define FIRST_NS UINT64_C(1000000000)

void gnd__cu_event_drop(gnd_dev *d, gnd__cu_event *ev)
{
    if (!ev || --ev->refs > 0)
        return;
    if (!d->lost)
        gnd__cu.EventDestroy(ev->ev);
    free(ev);
}

/* Records a new event in s. */
static gnd_status event_new(gnd_dev *d, CUstream s, int timed, gnd__cu_event **out, gnd_err *e)
{
    gnd__cu_event *ev = malloc(sizeof *ev);
    if (!ev)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for an event");
    ev->refs = 1;
    CUresult r = gnd__cu.EventCreate(&ev->ev, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
    if (r != CUDA_SUCCESS) {
        free(ev);
        return gnd__cu_fail(d, e, r, "cuEventCreate");
    }
    r = gnd__cu.EventRecord(ev->ev, s);
    if (r != CUDA_SUCCESS) {
        gnd__cu_event_drop(d, ev);
        return gnd__cu_fail(d, e, r, "cuEventRecord");
    }
    *out = ev;
    return GND_OK;
}

static void queue_free(gnd_queue *q)
{
    if (!q)
        return;
    if (gnd__cu_enter_free(q->dev)) {
        if (q->s) {
            gnd__cu.StreamSynchronize(q->s);
            if (!q->app)
                gnd__cu.StreamDestroy(q->s);
        }
        if (q->workspace)
            gnd__cu.MemFree(q->workspace);
    }
    free(q);
}

gnd_status gnd__cu_queue(gnd_dev *d, uint32_t flags, CUstream app, gnd_queue **out, gnd_err *e)
{
    gnd_status s = gnd__cu_enter(d, e);
    if (s != GND_OK)
        return s;
    gnd_queue *q = calloc(1, sizeof *q);
    if (!q)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a queue");
    q->dev = d;
    q->flags = flags;
    q->s = app;
    q->app = app != NULL;
    const CUresult r = app ? CUDA_SUCCESS : gnd__cu.StreamCreate(&q->s, CU_STREAM_NON_BLOCKING);
    if (r != CUDA_SUCCESS) {
        s = gnd__cu_fail(d, e, r, "cuStreamCreate");
        goto free_q;
    }
    if ((flags & GND_QUEUE_TIMING) && !d->base) {
        if ((s = event_new(d, q->s, 1, &d->base, e)) != GND_OK)
            goto free_q;
        d->base_ns = FIRST_NS;
    }
    *out = q;
    return GND_OK;

free_q:
    queue_free(q);
    return s;
}

static gnd_status queue_new(gnd_dev *d, uint32_t flags, gnd_queue **out, gnd_err *e)
{
    return gnd__cu_queue(d, flags, NULL, out, e);
}

/* Streams need no flush: the driver has handed over what was enqueued. */
static gnd_status queue_flush(gnd_queue *q, gnd_err *e)
{
    return q->dev->lost ? gnd__cu_gone(q->dev, e) : GND_OK;
}

static gnd_status queue_finish(gnd_queue *q, gnd_err *e)
{
    const gnd_status s = gnd__cu_enter(q->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.StreamSynchronize(q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(q->dev, e, r, "cuStreamSynchronize");
}

static gnd_status record(gnd_queue *q, gnd_event **out, gnd_err *e)
{
    gnd_status s = gnd__cu_enter(q->dev, e);
    if (s != GND_OK)
        return s;
    gnd_event *ev = calloc(1, sizeof *ev);
    if (!ev)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for an event");
    ev->dev = q->dev;
    ev->s = q->s;
    ev->timed = (q->flags & GND_QUEUE_TIMING) != 0;
    s = event_new(q->dev, q->s, ev->timed, &ev->ev, e);
    if (s != GND_OK) {
        free(ev);
        return s;
    }
    *out = ev;
    return GND_OK;
}

static gnd_status wait_event(gnd_queue *q, gnd_event *ev, gnd_err *e)
{
    if (q->s == ev->s) /* the queue is in order already */
        return GND_OK;
    const gnd_status s = gnd__cu_enter(q->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.StreamWaitEvent(q->s, ev->ev->ev, 0);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(q->dev, e, r, "cuStreamWaitEvent");
}

static gnd_status event_wait(gnd_event *ev, gnd_err *e)
{
    const gnd_status s = gnd__cu_enter(ev->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.EventSynchronize(ev->ev->ev);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(ev->dev, e, r, "cuEventSynchronize");
}

static gnd_status event_done(gnd_event *ev, int *yes, gnd_err *e)
{
    const gnd_status s = gnd__cu_enter(ev->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.EventQuery(ev->ev->ev);
    *yes = r == CUDA_SUCCESS;
    return r == CUDA_SUCCESS || r == CUDA_ERROR_NOT_READY
               ? GND_OK
               : gnd__cu_fail(ev->dev, e, r, "cuEventQuery");
}

/* Called without the lock: a fault is not recorded in the device. The next call with the lock
 * records it. */
static gnd_status event_sync(gnd_event *ev, gnd_err *e)
{
    CUresult r = gnd__cu.CtxSetCurrent(ev->dev->ctx);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.EventSynchronize(ev->ev->ev);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(NULL, e, r, "cuEventSynchronize");
}

static gnd_status event_time(gnd_event *ev, uint64_t *ns, gnd_err *e)
{
    gnd_dev *d = ev->dev;
    float ms = 0;
    if (!ev->timed || !d->base)
        return gnd__plug_fail(e, GND_ERR_STATE, 0, "the event's queue was made without timing");
    const gnd_status s = event_wait(ev, e);
    if (s != GND_OK)
        return s;
    CUresult r = gnd__cu.EventSynchronize(d->base->ev);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.EventElapsedTime(&ms, d->base->ev, ev->ev->ev);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuEventElapsedTime");
    *ns = (uint64_t)((double)d->base_ns + (double)ms * 1e6 + 0.5);
    if (ms > FAR_MS) {
        gnd__cu_event_drop(d, d->base);
        d->base = ev->ev;
        d->base->refs++;
        d->base_ns = *ns;
    }
    return GND_OK;
}

static void event_free(gnd_event *ev)
{
    if (!ev)
        return;
    (void)gnd__cu_enter_free(ev->dev);
    gnd__cu_event_drop(ev->dev, ev->ev);
    free(ev);
}

const gnd_queue_ops gnd__cu_queue_ops = {
    .size = sizeof(gnd_queue_ops),
    .queue_new = queue_new,
    .queue_free = queue_free,
    .flush = queue_flush,
    .finish = queue_finish,
    .record = record,
    .wait_event = wait_event,
    .event_wait = event_wait,
    .event_time = event_time,
    .event_free = event_free,
    .order = gnd__cu_order,
    .event_done = event_done,
    .event_sync = event_sync,
};
