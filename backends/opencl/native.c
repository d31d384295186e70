/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/native.c - objects shared with an application: its memory as buffers, its context and
 * queue as a device, and the other way round. Drivers crash on a cl_mem of another context, or
 * silently compute wrong results. So context, size and flags are compared first.
 */
#include "ocl.h"

#include <stdint.h>
#include <stdlib.h>

/* --- memory ----------------------------------------------------------------------------------- */

static gnd_status check_mem(const gnd_dev *d, cl_mem m, size_t nbytes, gnd_err *e)
{
    cl_mem_object_type type = 0;
    cl_context ctx = NULL;
    cl_mem_flags flags = 0;
    size_t size = 0;
    void *host = NULL;
    cl_int r = clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (gnd__ocl_ok(r))
        r = clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof ctx, &ctx, NULL);
    if (gnd__ocl_ok(r))
        r = clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (gnd__ocl_ok(r))
        r = clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (gnd__ocl_ok(r))
        r = clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__plug_fail(e, GND_ERR_ARG, r, "not a cl_mem: clGetMemObjectInfo: %s (%d)",
                              gnd__ocl_name(r), (int)r);
    if (type != CL_MEM_OBJECT_BUFFER)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "a cl_mem of type %#x: a buffer is needed", type);
    if (ctx != d->ctx)
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "a cl_mem of context %p, not of the device's, %p: open the device by "
                              "gnd_open_native",
                              (void *)ctx, (void *)d->ctx);
    if (flags & CL_MEM_WRITE_ONLY)
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "a cl_mem that kernels cannot read (CL_MEM_WRITE_ONLY)");
    if (flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY))
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "a cl_mem that the host cannot read (CL_MEM_HOST_NO_ACCESS, "
                              "CL_MEM_HOST_WRITE_ONLY)");
    if (size < nbytes)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "a cl_mem of %zu bytes: %zu are needed", size,
                              nbytes);
    if ((flags & CL_MEM_USE_HOST_PTR) && (uintptr_t)host % 16)
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "a cl_mem in host memory at %p, which is not a multiple of 16", host);
    return GND_OK;
}

gnd_status gnd__ocl_wrap(gnd_dev *d, const gnd_mem_native *m, size_t nbytes, gnd_buf **out,
                         gnd_err *e)
{
    cl_int r = CL_SUCCESS;
    if (m->handle) {
        const gnd_status s = check_mem(d, m->handle, nbytes, e);
        if (s != GND_OK)
            return s;
    } else if (!m->host || !d->host_ptr) {
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "%s cannot work in %s: copy it to the device, or give a cl_mem",
                              d->info->props.name, m->host ? "host memory" : "CUDA's memory");
    }
    gnd_buf *b = calloc(1, sizeof *b);
    if (!b)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    if (m->handle) {
        b->mem = gnd__ocl_ok(r = clRetainMemObject(m->handle)) ? m->handle : NULL;
    } else {
        b->host = (void *)(uintptr_t)m->address;
        b->mem =
            clCreateBuffer(d->ctx, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, nbytes, b->host, &r);
    }
    if (!b->mem) {
        free(b);
        return gnd__ocl_fail(e, r, "%s (%zu bytes)",
                             m->handle ? "clRetainMemObject" : "clCreateBuffer", nbytes);
    }
    b->dev = d;
    b->nbytes = nbytes;
    b->wrapped = 1;
    b->serial = gnd__ocl_serial();
    *out = b;
    return GND_OK;
}

gnd_status gnd__ocl_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e)
{
    (void)e;
    *m = (gnd_mem_native){.handle = b->mem, .offset = off};
    if (b->host) {
        m->address = (uint64_t)(uintptr_t)b->host + off;
        m->host = 1;
    }
    return GND_OK;
}

/* --- context and queue ------------------------------------------------------------------------ */

/* Gets the queue's context and device. The queue must be in order and, if these are given, belong
 * to n's context and device. */
static gnd_status check_queue(const gnd_dev_native *n, uint32_t flags, cl_context *ctx,
                              cl_device_id *id, gnd_err *e)
{
    cl_command_queue_properties how = 0;
    cl_int r = clGetCommandQueueInfo(n->queue, CL_QUEUE_CONTEXT, sizeof *ctx, ctx, NULL);
    if (gnd__ocl_ok(r))
        r = clGetCommandQueueInfo(n->queue, CL_QUEUE_DEVICE, sizeof *id, id, NULL);
    if (gnd__ocl_ok(r))
        r = clGetCommandQueueInfo(n->queue, CL_QUEUE_PROPERTIES, sizeof how, &how, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__plug_fail(e, GND_ERR_ARG, r, "not a queue: clGetCommandQueueInfo: %s (%d)",
                              gnd__ocl_name(r), (int)r);
    if (n->context && n->context != *ctx)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "the queue is of context %p, not of %p",
                              (void *)*ctx, n->context);
    if (n->device && n->device != (void *)*id)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "the queue is of device %p, not of %p",
                              (void *)*id, n->device);
    if (how & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "the queue is out of order: make one without "
                              "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
    if ((flags & GND_QUEUE_TIMING) && !(how & CL_QUEUE_PROFILING_ENABLE))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "a trace needs a queue with CL_QUEUE_PROFILING_ENABLE");
    return GND_OK;
}

gnd_status gnd__ocl_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **out,
                                gnd_queue **queue, gnd_err *e)
{
    const gnd__ocl_info *list;
    cl_context ctx = NULL;
    cl_device_id id = NULL;
    const int ndev = gnd__ocl_list(&list, NULL);
    int i = 0;
    if (!n->queue)
        return gnd__plug_fail(e, GND_ERR_NULL, 0, "the queue is NULL");
    gnd_status s = check_queue(n, flags, &ctx, &id, e);
    if (s != GND_OK)
        return s;
    while (i < ndev && list[i].id != id)
        i++;
    if (i == ndev)
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "the queue's device %p is none of the %d devices of the platforms; "
                              "sub-devices are not possible",
                              (void *)id, ndev);
    gnd_queue *q = calloc(1, sizeof *q);
    if (!q)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a queue");
    s = gnd__ocl_open(i, ctx, out, e);
    const cl_int r = s == GND_OK ? clRetainCommandQueue(n->queue) : CL_SUCCESS;
    if (s == GND_OK && !gnd__ocl_ok(r)) {
        s = gnd__ocl_fail(e, r, "clRetainCommandQueue");
        gnd__ocl_device_ops.close(*out);
    }
    if (s != GND_OK) {
        free(q);
        return s;
    }
    (*out)->shared = 1;
    *q = (gnd_queue){.dev = *out, .q = n->queue, .flags = flags};
    *queue = q;
    *index = i;
    return GND_OK;
}

gnd_status gnd__ocl_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e)
{
    const gnd_status s = gnd__ocl_settle(d, e);
    if (s != GND_OK)
        return s;
    d->shared = 1;
    *n = (gnd_dev_native){
        .platform = d->info->platform, .device = d->info->id, .context = d->ctx, .queue = q->q};
    return GND_OK;
}

gnd_status gnd__ocl_order(gnd_queue *q, void *other, int after, gnd_err *e)
{
    const cl_command_queue first = after ? other : q->q, second = after ? q->q : other;
    cl_event ev = NULL;
    if (first == second)
        return GND_OK;
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    if (s != GND_OK)
        return s;
    cl_int r = clEnqueueMarkerWithWaitList(first, 0, NULL, &ev);
    if (gnd__ocl_ok(r))
        r = clFlush(first); /* otherwise the event may never come */
    if (gnd__ocl_ok(r))
        r = clEnqueueBarrierWithWaitList(second, 1, &ev, NULL);
    if (ev)
        clReleaseEvent(ev);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "ordering two queues");
}
