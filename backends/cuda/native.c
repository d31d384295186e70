/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/native.c - objects shared with an application: its memory as buffers, its context and stream
 * as a device, and the other way round. Addresses are checked with the driver first, because a
 * kernel that accesses an invalid address is a fault that ends the context.
 */
#include "cu.h"

#include <stdint.h>
#include <stdlib.h>

/* --- memory ----------------------------------------------------------------------------------- */

/* Whether the bytes are in memory that kernels of d can use: its own, or managed. */
static gnd_status check_memory(gnd_dev *d, CUdeviceptr p, size_t nbytes, gnd_err *e)
{
    gnd_status s = gnd__cu_enter(d, e);
    for (int end = 0; end < 2 && s == GND_OK; end++) {
        const CUdeviceptr at = end ? p + nbytes - 1 : p;
        unsigned kind = 0, managed = 0;
        int ordinal = -1;
        if (gnd__cu.PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) !=
            CUDA_SUCCESS)
            return gnd__plug_fail(e, GND_ERR_ARG, CUDA_ERROR_INVALID_VALUE,
                                  "%#llx is no address of CUDA's memory", (unsigned long long)at);
        (void)gnd__cu.PointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at);
        if (managed)
            continue;
        if (kind != CU_MEMORYTYPE_DEVICE)
            return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                  "%#llx is in host memory: copy it to the device",
                                  (unsigned long long)at);
        if (gnd__cu.PointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) ==
                CUDA_SUCCESS &&
            ordinal != d->info->id)
            return gnd__plug_fail(e, GND_ERR_ARG, 0,
                                  "%#llx is in the memory of CUDA device %d, not of %d: copy it",
                                  (unsigned long long)at, ordinal, d->info->id);
        CUcontext of = NULL; /* no context: memory of the driver's pools, which all contexts can
                                use */
        if (gnd__cu.PointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, at) == CUDA_SUCCESS &&
            of && of != d->ctx)
            return gnd__plug_fail(e, GND_ERR_ARG, 0,
                                  "%#llx is in the memory of CUDA context %p, not of %p: copy it",
                                  (unsigned long long)at, (void *)of, (void *)d->ctx);
    }
    return s;
}

gnd_status gnd__cu_wrap(gnd_dev *d, const gnd_mem_native *m, size_t nbytes, gnd_buf **out,
                        gnd_err *e)
{
    if (m->handle || m->host)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "%s cannot work in %s: copy it to the device", d->info->props.name,
                              m->handle ? "OpenCL's memory" : "host memory");
    const gnd_status s = check_memory(d, (CUdeviceptr)m->address, nbytes, e);
    if (s != GND_OK)
        return s;
    gnd_buf *b = calloc(1, sizeof *b);
    if (!b)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    *b = (gnd_buf){.dev = d, .p = (CUdeviceptr)m->address, .nbytes = nbytes, .wrapped = 1};
    *out = b;
    return GND_OK;
}

gnd_status gnd__cu_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e)
{
    (void)e;
    *m = (gnd_mem_native){.address = b->p + off};
    return GND_OK;
}

/* --- context and stream ----------------------------------------------------------------------- */

gnd_status gnd__cu_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **out,
                               gnd_queue **q, gnd_err *e)
{
    CUstream s = n->queue ? n->queue : CU_STREAM_LEGACY;
    CUcontext of = NULL;
    CUdevice id = (CUdevice)(intptr_t)n->device;
    const char *why = gnd__cu_driver(NULL);
    if (why)
        return gnd__plug_fail(e, GND_ERR_DEVICE, 0, "%s", why);
    if (s == CU_STREAM_PER_THREAD)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "the per-thread default stream is another one in each thread: give a "
                              "stream of its own");
    if (n->context) {
        CUresult r = gnd__cu.CtxSetCurrent(n->context);
        if (r == CUDA_SUCCESS)
            r = gnd__cu.CtxGetDevice(&id);
        if (r != CUDA_SUCCESS)
            return gnd__cu_fail(NULL, e, r, "cuCtxGetDevice (context %p)", n->context);
    }
    *index = gnd__cu_index(id);
    if (*index < 0)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "there is no CUDA device %d", (int)id);
    gnd_status st = gnd__cu_open(*index, n->context, out, e);
    if (st != GND_OK)
        return st;
    if (s != CU_STREAM_LEGACY) {
        const CUresult r = gnd__cu.StreamGetCtx(s, &of);
        if (r != CUDA_SUCCESS)
            st = gnd__cu_fail(*out, e, r, "cuStreamGetCtx (stream %p)", (void *)s);
        else if (of != (*out)->ctx)
            st = gnd__plug_fail(e, GND_ERR_ARG, 0, "the stream is of context %p, not of %p",
                                (void *)of, (void *)(*out)->ctx);
    }
    if (st == GND_OK)
        st = gnd__cu_queue(*out, flags, s, q, e);
    if (st != GND_OK)
        gnd__cu_device_ops.close(*out);
    return st;
}

gnd_status gnd__cu_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e)
{
    (void)e;
    *n =
        (gnd_dev_native){.device = (void *)(intptr_t)d->info->id, .context = d->ctx, .queue = q->s};
    return GND_OK;
}

gnd_status gnd__cu_order(gnd_queue *q, void *other, int after, gnd_err *e)
{
    const CUstream first = after ? other : q->s, second = after ? q->s : other;
    CUevent ev = NULL;
    const gnd_status s = gnd__cu_enter(q->dev, e);
    if (s != GND_OK || first == second)
        return s;
    CUresult r = gnd__cu.EventCreate(&ev, CU_EVENT_DISABLE_TIMING);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.EventRecord(ev, first);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.StreamWaitEvent(second, ev, 0);
    if (ev)
        gnd__cu.EventDestroy(ev); /* the driver keeps it until it has happened */
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(q->dev, e, r, "ordering two streams");
}
