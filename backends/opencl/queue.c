/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/queue.c - the queue group: in-order command queues, and events as markers in them. Only a
 * queue with GND_QUEUE_TIMING has profiling, which costs time on several drivers.
 */
#include "ocl.h"

#include <stdlib.h>

enum { FLUSHED = 16 }; /* launches that are */

static gnd_status queue_new(gnd_dev *d, uint32_t flags, gnd_queue **out, gnd_err *e)
{
    cl_int r;
    if (flags & GND_QUEUE_BESIDE && d->info->apart)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "this version of rusticl does not order the work of several queues");
    gnd_queue *q = calloc(1, sizeof *q);
    if (!q)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a queue");
    q->dev = d;
    q->flags = flags;
    q->q = clCreateCommandQueue(d->ctx, d->info->id,
                                flags & GND_QUEUE_TIMING ? CL_QUEUE_PROFILING_ENABLE : 0, &r);
    if (!q->q) {
        free(q);
        return gnd__ocl_fail(e, r, "clCreateCommandQueue");
    }
    *out = q;
    return GND_OK;
}

static void queue_free(gnd_queue *q)
{
    if (!q)
        return;
    gnd__ocl_drain(q->dev);
    clFinish(q->q);
    clReleaseCommandQueue(q->q);
    free(q);
}

/* NVIDIA's driver starts a kernel when it is enqueued, and takes 0.7 us for a flush, 4.4 for a
 * kernel. Without any flush long runs of kernels become slower (driver 580, an H200). */
static gnd_status queue_flush(gnd_queue *q, gnd_err *e)
{
    if (q->dev->info->eager && q->waiting < FLUSHED)
        return GND_OK;
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    if (s != GND_OK)
        return s;
    q->waiting = 0;
    const cl_int r = clFlush(q->q);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clFlush");
}

static gnd_status queue_finish(gnd_queue *q, gnd_err *e)
{
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    const cl_int r = clFinish(q->q);
    if (s != GND_OK)
        return s;
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clFinish");
}

static gnd_status record(gnd_queue *q, gnd_event **out, gnd_err *e)
{
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    if (s != GND_OK)
        return s;
    gnd_event *ev = calloc(1, sizeof *ev);
    if (!ev)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for an event");
    const cl_int r = clEnqueueMarkerWithWaitList(q->q, 0, NULL, &ev->ev);
    if (!gnd__ocl_ok(r)) {
        free(ev);
        return gnd__ocl_fail(e, r, "clEnqueueMarkerWithWaitList");
    }
    clRetainCommandQueue(q->q);
    ev->q = q->q;
    *out = ev;
    return GND_OK;
}

static gnd_status wait_event(gnd_queue *q, gnd_event *ev, gnd_err *e)
{
    cl_int r;
    if (q->q == ev->q) /* the queue is in order already */
        return GND_OK;
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    if (s != GND_OK)
        return s;
    r = clFlush(ev->q); /* otherwise the event may never start */
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clFlush");
    r = clEnqueueBarrierWithWaitList(q->q, 1, &ev->ev, NULL);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clEnqueueBarrierWithWaitList");
}

static gnd_status event_wait(gnd_event *ev, gnd_err *e)
{
    const cl_int r = clWaitForEvents(1, &ev->ev);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clWaitForEvents");
}

static gnd_status event_done(gnd_event *ev, int *yes, gnd_err *e)
{
    cl_int state = CL_QUEUED;
    const cl_int r =
        clGetEventInfo(ev->ev, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clGetEventInfo");
    if (state < 0)
        return gnd__ocl_fail(e, state, "an event");
    *yes = state == CL_COMPLETE;
    return GND_OK;
}

static gnd_status event_time(gnd_event *ev, uint64_t *ns, gnd_err *e)
{
    cl_ulong t = 0;
    cl_int r = clWaitForEvents(1, &ev->ev);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clWaitForEvents");
    r = clGetEventProfilingInfo(ev->ev, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clGetEventProfilingInfo");
    *ns = t;
    return GND_OK;
}

static void event_free(gnd_event *ev)
{
    if (!ev)
        return;
    clReleaseEvent(ev->ev);
    clReleaseCommandQueue(ev->q);
    free(ev);
}

const gnd_queue_ops gnd__ocl_queue_ops = {
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
    .order = gnd__ocl_order,
    .event_done = event_done,
    .event_sync = event_wait,
};
