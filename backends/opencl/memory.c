/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/memory.c - the memory group. On PoCL a buffer is page-aligned host memory of ours under
 * CL_MEM_USE_HOST_PTR, so that mapping it costs nothing and a CPU library may work on it; elsewhere
 * it is the driver's. Offsets are the core's business: a kernel gets the whole buffer.
 */
#define _POSIX_C_SOURCE 200809L
#include "ocl.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PAGE = 4096 };

static atomic_uint_fast64_t next_serial = 1;

static gnd_status no_mem(gnd_err *e, const gnd_dev *d, size_t nbytes, cl_int r)
{
    return gnd__plug_fail(e, GND_ERR_DEVMEM, r, "%s: no buffer of %zu bytes: %s (%d)",
                          d->info->props.name, nbytes, gnd__ocl_name(r), (int)r);
}

static gnd_status mem_alloc(gnd_dev *d, size_t nbytes, gnd_buf **out, gnd_err *e)
{
    const gnd_props *p = &d->info->props;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    cl_int r;
    if (nbytes == 0)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "alloc: no bytes were asked for");
    if (nbytes > p->max_alloc_bytes)
        return gnd__plug_fail(e, GND_ERR_DEVMEM, CL_INVALID_BUFFER_SIZE,
                              "%s: no buffer of %zu bytes: the largest is %llu", p->name, nbytes,
                              (unsigned long long)p->max_alloc_bytes);
    /* Host memory is overcommitted: without this the process would be killed, not told. */
    if (d->host_ptr && (d->used > p->mem_bytes || nbytes > p->mem_bytes - d->used))
        return gnd__plug_fail(e, GND_ERR_DEVMEM, 0,
                              "%s: no buffer of %zu bytes: %llu of %llu are in use", p->name,
                              nbytes, (unsigned long long)d->used,
                              (unsigned long long)p->mem_bytes);
    gnd_buf *b = calloc(1, sizeof *b);
    if (!b)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    if (d->host_ptr) {
        if (nbytes > SIZE_MAX - PAGE ||
            posix_memalign(&b->host, PAGE, (nbytes + PAGE - 1) / PAGE * PAGE)) {
            b->host = NULL;
            free(b);
            return no_mem(e, d, nbytes, CL_OUT_OF_HOST_MEMORY);
        }
        flags |= CL_MEM_USE_HOST_PTR;
    }
    b->mem = clCreateBuffer(d->ctx, flags, nbytes, b->host, &r);
    if (!b->mem) {
        free(b->host);
        free(b);
        return no_mem(e, d, nbytes, r);
    }
    b->dev = d;
    b->nbytes = nbytes;
    b->serial = atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed);
    d->used += nbytes;
    *out = b;
    return GND_OK;
}

static void mem_free(gnd_buf *b)
{
    if (!b)
        return;
    b->dev->used -= b->nbytes;
    clReleaseMemObject(b->mem);
    free(b->host);
    free(b);
}

static gnd_status mem_write(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t nbytes,
                            gnd_err *e)
{
    if (nbytes == 0)
        return GND_OK;
    const cl_int r = clEnqueueWriteBuffer(q->q, dst->mem, CL_TRUE, off, nbytes, src, 0, NULL, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clEnqueueWriteBuffer (%zu bytes at %zu of %zu)", nbytes, off,
                             dst->nbytes);
    return GND_OK;
}

static gnd_status mem_read(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                           gnd_err *e)
{
    if (nbytes == 0)
        return GND_OK;
    const cl_int r = clEnqueueReadBuffer(q->q, src->mem, CL_TRUE, off, nbytes, dst, 0, NULL, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clEnqueueReadBuffer (%zu bytes at %zu of %zu)", nbytes, off,
                             src->nbytes);
    return GND_OK;
}

static gnd_status mem_copy(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff,
                           size_t nbytes, gnd_err *e)
{
    if (nbytes == 0)
        return GND_OK;
    const cl_int r =
        clEnqueueCopyBuffer(q->q, src->mem, dst->mem, soff, doff, nbytes, 0, NULL, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clEnqueueCopyBuffer (%zu bytes, %zu of %zu to %zu of %zu)",
                             nbytes, soff, src->nbytes, doff, dst->nbytes);
    return GND_OK;
}

static gnd_status mem_map(gnd_queue *q, gnd_buf *b, size_t off, size_t nbytes, uint32_t flags,
                          void **p, gnd_err *e)
{
    cl_map_flags f = 0;
    cl_int r;
    if (nbytes == 0)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "map: no bytes were asked for");
    if (flags & GND_MAP_READ)
        f |= CL_MAP_READ;
    if (flags & GND_MAP_WRITE)
        f |= CL_MAP_WRITE;
    *p = clEnqueueMapBuffer(q->q, b->mem, CL_TRUE, f, off, nbytes, 0, NULL, NULL, &r);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clEnqueueMapBuffer (%zu bytes at %zu of %zu)", nbytes, off,
                             b->nbytes);
    return GND_OK;
}

static gnd_status mem_unmap(gnd_queue *q, gnd_buf *b, void *p, gnd_err *e)
{
    const cl_int r = clEnqueueUnmapMemObject(q->q, b->mem, p, 0, NULL, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clEnqueueUnmapMemObject");
    return GND_OK;
}

const gnd_memory_ops gnd__ocl_memory_ops = {
    .size = sizeof(gnd_memory_ops),
    .alloc = mem_alloc,
    .free = mem_free,
    .write = mem_write,
    .read = mem_read,
    .copy = mem_copy,
    .map = mem_map,
    .unmap = mem_unmap,
};
