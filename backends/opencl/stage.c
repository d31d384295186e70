/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/stage.c - large transfers of pageable memory, for devices with memory of their own.
 * Drivers transfer such memory with one thread, and wait for it. Here it goes through four chunks
 * of pinned memory: several threads (common/team.c) copy one while others are on the bus. The
 * pinned memory is allocated by the driver for CL_MEM_ALLOC_HOST_PTR and mapped; a transfer from it
 * starts at once and the driver does not copy it.
 */
#include "ocl.h"

#include "../common/team.h"

#include <stdlib.h>
#include <string.h>

/* As GND_OPENCL_STAGE says. If it is not set: on devices that share no memory with the host. */
static int wanted(const gnd_dev *d)
{
    cl_bool unified = CL_TRUE;
    if (d->stage_asked)
        return d->stage_asked == GND__OCL_YES;
    return d->info->props.kind == GND_DEV_GPU &&
           gnd__ocl_ok(clGetDeviceInfo(d->info->id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified,
                                       &unified, NULL)) &&
           !unified;
}

/* Without that memory the driver makes the transfers; this is not a failure. */
int gnd__ocl_staged(gnd_queue *q, size_t nbytes)
{
    gnd_dev *d = q->dev;
    gnd__ocl_stage *st = &d->stage;
    cl_int r;
    if (nbytes < GND__OCL_STAGED || st->unwanted)
        return 0;
    if (st->chunks)
        return 1;
    st->unwanted = !wanted(d);
    if (st->unwanted)
        return 0;
    st->mem = clCreateBuffer(d->ctx, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                             GND__OCL_NCHUNK * (size_t)GND__OCL_CHUNK, NULL, &r);
    if (st->mem)
        st->chunks =
            clEnqueueMapBuffer(q->q, st->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                               GND__OCL_NCHUNK * (size_t)GND__OCL_CHUNK, 0, NULL, NULL, &r);
    st->unwanted = !st->chunks;
    return !st->unwanted;
}

void gnd__ocl_stage_close(gnd_dev *d)
{
    gnd__ocl_stage *st = &d->stage;
    for (int i = 0; i < GND__OCL_NCHUNK; i++)
        if (st->ev[i]) {
            clWaitForEvents(1, &st->ev[i]);
            clReleaseEvent(st->ev[i]);
        }
    cl_command_queue q = st->chunks ? clCreateCommandQueue(d->ctx, d->info->id, 0, NULL) : NULL;
    if (q) {
        if (gnd__ocl_ok(clEnqueueUnmapMemObject(q, st->mem, st->chunks, 0, NULL, NULL)))
            clFinish(q);
        clReleaseCommandQueue(q);
    }
    if (st->mem)
        clReleaseMemObject(st->mem);
    memset(st, 0, sizeof *st);
}

/* Waits until chunk i is free and its transfer is complete. */
static cl_int wait(gnd__ocl_stage *st, size_t i)
{
    cl_event *ev = &st->ev[i % GND__OCL_NCHUNK];
    cl_int r = CL_SUCCESS;
    if (*ev) {
        r = clWaitForEvents(1, ev);
        clReleaseEvent(*ev);
        *ev = NULL;
    }
    return r;
}

/* Waits for all chunks, so that a failure is reported for this transfer and not for the next. */
static cl_int wait_all(gnd__ocl_stage *st, cl_int r)
{
    for (size_t i = 0; i < GND__OCL_NCHUNK; i++) {
        const cl_int last = wait(st, i);
        r = gnd__ocl_ok(r) ? last : r;
    }
    return r;
}

static char *chunk_at(const gnd__ocl_stage *st, size_t i)
{
    return st->chunks + i % GND__OCL_NCHUNK * GND__OCL_CHUNK;
}

static size_t chunk_of(size_t left)
{
    return left < GND__OCL_CHUNK ? left : GND__OCL_CHUNK;
}

cl_int gnd__ocl_stage_write(gnd_queue *q, cl_mem dst, size_t off, const void *src, size_t nbytes)
{
    gnd__ocl_stage *st = &q->dev->stage;
    gnd__team *team = gnd__team_start(nbytes);
    cl_int r = CL_SUCCESS;
    for (size_t i = 0, done = 0, n; done < nbytes && gnd__ocl_ok(r); i++, done += n) {
        n = chunk_of(nbytes - done);
        if (!gnd__ocl_ok(r = wait(st, i)))
            break;
        gnd__team_copy(team, chunk_at(st, i), (const char *)src + done, n);
        r = clEnqueueWriteBuffer(q->q, dst, CL_FALSE, off + done, n, chunk_at(st, i), 0, NULL,
                                 &st->ev[i % GND__OCL_NCHUNK]);
        if (gnd__ocl_ok(r))
            r = clFlush(q->q);
    }
    gnd__team_end(team);
    return wait_all(st, r);
}

/* Sends the n bytes at off to chunk i, once that is free. */
static cl_int ask(gnd_queue *q, cl_mem src, size_t off, size_t n, size_t i)
{
    gnd__ocl_stage *st = &q->dev->stage;
    cl_int r = wait(st, i);
    if (gnd__ocl_ok(r))
        r = clEnqueueReadBuffer(q->q, src, CL_FALSE, off, n, chunk_at(st, i), 0, NULL,
                                &st->ev[i % GND__OCL_NCHUNK]);
    return gnd__ocl_ok(r) ? clFlush(q->q) : r;
}

cl_int gnd__ocl_stage_read(gnd_queue *q, void *dst, cl_mem src, size_t off, size_t nbytes)
{
    gnd__ocl_stage *st = &q->dev->stage;
    gnd__team *team = gnd__team_start(nbytes);
    cl_int r = CL_SUCCESS;
    for (size_t i = 0, next = 0, asked = 0, done = 0; done < nbytes && gnd__ocl_ok(r); i++) {
        for (; asked < nbytes && next < i + GND__OCL_NCHUNK && gnd__ocl_ok(r); next++) {
            const size_t n = chunk_of(nbytes - asked);
            r = ask(q, src, off + asked, n, next);
            asked += n;
        }
        const size_t n = chunk_of(nbytes - done);
        if (gnd__ocl_ok(r) && gnd__ocl_ok(r = wait(st, i)))
            gnd__team_copy(team, (char *)dst + done, chunk_at(st, i), n);
        done += n;
    }
    gnd__team_end(team);
    return wait_all(st, r);
}

/* --- pinned memory of the program's ----------------------------------------------------------- */

/* The result of clEnqueueMapBuffer for a buffer in host memory. */
typedef struct host {
    struct host *next;
    cl_mem mem;
    void *p;
} host;

gnd_status gnd__ocl_host_alloc(gnd_dev *d, size_t nbytes, void **p, gnd_err *e)
{
    cl_int r;
    host *h = calloc(1, sizeof *h);
    if (!h)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    cl_command_queue q = clCreateCommandQueue(d->ctx, d->info->id, 0, &r);
    if (q)
        h->mem =
            clCreateBuffer(d->ctx, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, nbytes, NULL, &r);
    if (h->mem)
        h->p = clEnqueueMapBuffer(q, h->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, nbytes, 0,
                                  NULL, NULL, &r);
    if (q)
        clReleaseCommandQueue(q);
    if (!h->p) {
        if (h->mem)
            clReleaseMemObject(h->mem);
        free(h);
        return gnd__plug_fail(e, GND_ERR_NOMEM, r, "no %zu bytes of host memory: %s (%d)", nbytes,
                              gnd__ocl_name(r), (int)r);
    }
    h->next = d->hosts;
    d->hosts = h;
    *p = h->p;
    return GND_OK;
}

void gnd__ocl_host_free(gnd_dev *d, void *p)
{
    host **at = (host **)&d->hosts;
    while (*at && (*at)->p != p)
        at = &(*at)->next;
    host *h = *at;
    if (!h)
        return;
    *at = h->next;
    cl_command_queue q = clCreateCommandQueue(d->ctx, d->info->id, 0, NULL);
    if (q) {
        if (gnd__ocl_ok(clEnqueueUnmapMemObject(q, h->mem, h->p, 0, NULL, NULL)))
            clFinish(q);
        clReleaseCommandQueue(q);
    }
    clReleaseMemObject(h->mem);
    free(h);
}
