/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/queue.c - the queue group: in-order command queues, and events as markers in them. Only a
 * queue with GND_QUEUE_TIMING has profiling, which costs time on several drivers.
 *
 * Small commands on PoCL. Its threads sleep as soon as nothing is queued, and waking them costs the caller 2 to 3 us,
 * more than the launch of a kernel and the kernel. A program that is slower than they are pays that for each. So of a
 * row of small commands some are held behind a user event and start together: as many as have been started since the
 * last wait, at most HELD, so half of the work has been started when somebody waits. Whatever waits starts them first.
 * Only where the device works in the host's memory: few kinds of commands are used there.
 */
#include "ocl.h"

#include <stdlib.h>

enum {
    FLUSHED = 16,             /* launches that are */
    FEW = 4,                  /* commands of a row: nothing is held before */
    HELD = 64,
    ITEMS = 4096, GROUPS = 4  /* of a small launch, at most */
};

static gnd_status queue_new(gnd_dev *d, uint32_t flags, gnd_queue **out, gnd_err *e)
{
    cl_int r;
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

static int is_small(cl_uint ndim, const size_t *global, const size_t *local)
{
    size_t items = 1, group = 1;
    for (cl_uint i = 0; i < ndim; i++) {
        if (global[i] > ITEMS)
            return 0;
        items *= global[i];
        group *= local[i];
    }
    return items <= ITEMS && items <= GROUPS * group;
}

static void open_gate(gnd__ocl_row *w)
{
    if (!w->gate)
        return;
    clSetUserEventStatus(w->gate, CL_COMPLETE); /* fails for what is no user event, or complete */
    clReleaseEvent(w->gate);
    w->gate = NULL;
    w->started = w->started + w->held < HELD ? w->started + w->held : HELD;
    w->held = 0;
}

void gnd__ocl_start(gnd_dev *d)
{
    open_gate(&d->row);
    d->row.started = 0;
}

cl_uint gnd__ocl_hold(gnd_queue *q, int small, const cl_event **wait)
{
    gnd__ocl_row *w = &q->dev->row;
    *wait = NULL;
    if (!q->dev->host_ptr)
        return 0;
    if (!small || w->q != q->q)
        gnd__ocl_start(q->dev);
    else if (!w->gate && w->started >= FEW)
        w->gate = clCreateUserEvent(q->dev->ctx, NULL); /* without one nothing is held */
    w->q = q->q;
    if (!w->gate || w->held) /* the queue is in order: the others come after the first */
        return 0;
    *wait = &w->gate;
    return 1;
}

void gnd__ocl_held(gnd_queue *q)
{
    gnd__ocl_row *w = &q->dev->row;
    if (w->gate)
        w->held++;
    else if (w->started < HELD)
        w->started++;
    if (w->held >= w->started)
        open_gate(w);
}

cl_int gnd__ocl_enqueue(gnd_queue *q, cl_kernel k, cl_uint ndim, const size_t *global, const size_t *local)
{
    const cl_event *wait;
    const cl_uint n = gnd__ocl_hold(q, q->dev->host_ptr && is_small(ndim, global, local), &wait);
    const cl_int r = clEnqueueNDRangeKernel(q->q, k, ndim, NULL, global, local, n, wait, NULL);
    gnd__ocl_held(q);
    q->waiting++;
    return r;
}

static void queue_free(gnd_queue *q)
{
    if (!q)
        return;
    gnd__ocl_start(q->dev);
    clFinish(q->q);
    clReleaseCommandQueue(q->q);
    free(q);
}

/* NVIDIA's driver starts a kernel when it is enqueued, and takes 0.7 us for a flush, 4.4 for a kernel. Without any
 * flush long runs of kernels become slower (driver 580, an H200). */
static gnd_status queue_flush(gnd_queue *q, gnd_err *e)
{
    if (q->dev->info->eager && q->waiting < FLUSHED)
        return GND_OK;
    q->waiting = 0;
    const cl_int r = clFlush(q->q);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clFlush");
}

static gnd_status queue_finish(gnd_queue *q, gnd_err *e)
{
    gnd__ocl_start(q->dev);
    const cl_int r = clFinish(q->q);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clFinish");
}

static gnd_status record(gnd_queue *q, gnd_event **out, gnd_err *e)
{
    gnd_event *ev = calloc(1, sizeof *ev);
    if (!ev)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for an event");
    gnd__ocl_start(q->dev);
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
    if (q->q == ev->q) /* in order already */
        return GND_OK;
    gnd__ocl_start(q->dev);
    r = clFlush(ev->q); /* or the event may never start */
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
};
