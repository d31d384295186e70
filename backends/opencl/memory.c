/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/memory.c - the memory group. On PoCL's CPU devices a buffer is our own page-aligned host
 * memory under CL_MEM_USE_HOST_PTR, in which kernels work directly; a probe when opening verifies
 * that. There read, write and map are a wait for the queue and at most a memcpy (0.1 us if the
 * queue is idle, against 12 us through the driver). Elsewhere the driver owns the memory. The core
 * handles offsets: a kernel gets the whole buffer.
 */
#define _DEFAULT_SOURCE
#include "ocl.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, TOUCH = 1 << 20 };

static atomic_uint_fast64_t next_serial = 1;

uint64_t gnd__ocl_serial(void)
{
    return atomic_fetch_add_explicit(&next_serial, 1, memory_order_relaxed);
}

static gnd_status no_mem(gnd_err *e, const gnd_dev *d, size_t nbytes, cl_int r)
{
    return gnd__plug_fail(e, GND_ERR_DEVMEM, r, "%s: no buffer of %zu bytes: %s (%d)",
                          d->info->props.name, nbytes, gnd__ocl_name(r), (int)r);
}

/* Allocates nbytes of host memory. Large blocks use huge pages: the first access is then twice as
 * fast. */
static void *host_alloc(size_t nbytes)
{
    const size_t align = nbytes >= 2 * HUGE_PAGE ? HUGE_PAGE : PAGE;
    void *p = NULL;
    if (nbytes > SIZE_MAX - align || posix_memalign(&p, align, (nbytes + PAGE - 1) / PAGE * PAGE))
        return NULL;
#ifdef MADV_HUGEPAGE
    if (align == HUGE_PAGE)
        madvise(p, nbytes, MADV_HUGEPAGE); /* advice: a refusal changes nothing */
#endif
    return p;
}

/* The device must see the host's writes to a buffer's memory, and the host the device's, after only
 * finishing the queue. */
int gnd__ocl_shares_memory(gnd_dev *d)
{
    const unsigned char to_dev = 0x5a, to_host = 0xa5;
    unsigned char seen = 0;
    cl_int r;
    int ok = 0;
    unsigned char *host = host_alloc(PAGE);
    if (!host)
        return 0;
    memset(host, 0, PAGE);
    cl_mem m = clCreateBuffer(d->ctx, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, PAGE, host, &r);
    cl_command_queue q = m ? clCreateCommandQueue(d->ctx, d->info->id, 0, &r) : NULL;
    if (q && gnd__ocl_ok(clEnqueueFillBuffer(q, m, &to_host, 1, 0, PAGE / 2, 0, NULL, NULL)) &&
        gnd__ocl_ok(clFinish(q)) && host[0] == to_host && host[PAGE / 2 - 1] == to_host) {
        host[PAGE - 1] = to_dev;
        ok = gnd__ocl_ok(clEnqueueReadBuffer(q, m, CL_TRUE, PAGE - 1, 1, &seen, 0, NULL, NULL)) &&
             seen == to_dev;
    }
    if (q)
        clReleaseCommandQueue(q);
    if (m)
        clReleaseMemObject(m);
    free(host);
    return ok;
}

/* NVIDIA's driver allocates the memory only at its first use, where a failure cannot be handled.
 * Moving the buffer to the device allocates it now. */
static cl_int touch(gnd_dev *d, cl_mem m)
{
    cl_int r = CL_SUCCESS;
    if (!d->touch)
        d->touch = clCreateCommandQueue(d->ctx, d->info->id, 0, &r);
    if (d->touch)
        r = clEnqueueMigrateMemObjects(d->touch, 1, &m, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                       NULL, NULL);
    return gnd__ocl_ok(r) ? clFinish(d->touch) : r;
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
    /* Host memory is overcommitted: without a limit the process would be killed instead of getting
     * an error. */
    const uint64_t limit = d->host_ptr ? p->mem_bytes : UINT64_MAX;
    if (d->used > limit || nbytes > limit - d->used)
        return gnd__plug_fail(e, GND_ERR_DEVMEM, 0,
                              "%s: no buffer of %zu bytes: %llu of %llu are in use", p->name,
                              nbytes, (unsigned long long)d->used, (unsigned long long)limit);
    gnd_buf *b = calloc(1, sizeof *b);
    if (!b)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    if (d->host_ptr) {
        b->host = host_alloc(nbytes);
        if (!b->host) {
            free(b);
            return no_mem(e, d, nbytes, CL_OUT_OF_HOST_MEMORY);
        }
        flags |= CL_MEM_USE_HOST_PTR;
    }
    b->mem = clCreateBuffer(d->ctx, flags, nbytes, b->host, &r);
    if (b->mem && p->kind == GND_DEV_GPU && nbytes >= TOUCH && !gnd__ocl_ok(r = touch(d, b->mem))) {
        clReleaseMemObject(b->mem);
        b->mem = NULL;
    }
    if (!b->mem) {
        free(b->host);
        free(b);
        return no_mem(e, d, nbytes, r);
    }
    b->dev = d;
    b->nbytes = nbytes;
    b->serial = gnd__ocl_serial();
    d->used += nbytes;
    *out = b;
    return GND_OK;
}

static void mem_free(gnd_buf *b)
{
    if (!b)
        return;
    gnd__ocl_drain(b->dev);
    clReleaseMemObject(b->mem);
    if (!b->wrapped) {
        b->dev->used -= b->nbytes;
        free(b->host);
    }
    free(b);
}

/* For buffers in host memory: waits for the queue and gives the address of byte off, after the
 * check that OpenCL would have made. */
static gnd_status host_at(gnd_queue *q, const gnd_buf *b, size_t off, size_t nbytes, char **p,
                          gnd_err *e)
{
    if (off > b->nbytes || nbytes > b->nbytes - off)
        return gnd__plug_fail(e, GND_ERR_ARG, CL_INVALID_VALUE,
                              "%zu bytes at %zu are not in a buffer of %zu", nbytes, off,
                              b->nbytes);
    const gnd_status s = gnd__ocl_settle(q->dev, e);
    if (s != GND_OK)
        return s;
    const cl_int r = clFinish(q->q);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clFinish");
    *p = (char *)b->host + off;
    return GND_OK;
}

/* Copies nbytes from byte off of b to `to`, or from `from` into it: one of both is NULL. wait:
 * until the bytes are there. */
static gnd_status transfer(gnd_queue *q, gnd_buf *b, size_t off, void *to, const void *from,
                           size_t nbytes, int wait, gnd_err *e)
{
    if (nbytes == 0)
        return GND_OK;
    if (wait && b->host) {
        char *p;
        const gnd_status s = host_at(q, b, off, nbytes, &p, e);
        if (s == GND_OK)
            memcpy(to ? to : p, to ? p : from, nbytes);
        return s;
    }
    const gnd_status st = gnd__ocl_settle(q->dev, e);
    if (st != GND_OK)
        return st;
    const int fits = off <= b->nbytes && nbytes <= b->nbytes - off; /* else the driver refuses */
    const cl_bool block = wait || q->dev->info->apart ? CL_TRUE : CL_FALSE;
    cl_int r;
    if (wait && fits && gnd__ocl_staged(q, nbytes))
        r = to ? gnd__ocl_stage_read(q, to, b->mem, off, nbytes)
               : gnd__ocl_stage_write(q, b->mem, off, from, nbytes);
    else if (to)
        r = clEnqueueReadBuffer(q->q, b->mem, block, off, nbytes, to, 0, NULL, NULL);
    else
        r = clEnqueueWriteBuffer(q->q, b->mem, block, off, nbytes, from, 0, NULL, NULL);
    if (gnd__ocl_ok(r) && !wait)
        r = clFlush(q->q); /* otherwise it may not start while the host does other things */
    return gnd__ocl_ok(r) ? GND_OK
                          : gnd__ocl_fail(e, r, "clEnqueue%sBuffer (%zu bytes at %zu of %zu)",
                                          to ? "Read" : "Write", nbytes, off, b->nbytes);
}

static gnd_status mem_write(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t nbytes,
                            gnd_err *e)
{
    return transfer(q, dst, off, NULL, src, nbytes, 1, e);
}

static gnd_status mem_read(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                           gnd_err *e)
{
    return transfer(q, src, off, dst, NULL, nbytes, 1, e);
}

static gnd_status mem_write_async(gnd_queue *q, gnd_buf *dst, size_t off, const void *src,
                                  size_t nbytes, gnd_err *e)
{
    return transfer(q, dst, off, NULL, src, nbytes, 0, e);
}

static gnd_status mem_read_async(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                                 gnd_err *e)
{
    return transfer(q, src, off, dst, NULL, nbytes, 0, e);
}

static gnd_status mem_copy(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff,
                           size_t nbytes, gnd_err *e)
{
    if (nbytes == 0)
        return GND_OK;
    const gnd_status st = gnd__ocl_settle(q->dev, e);
    if (st != GND_OK)
        return st;
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
    if (b->host) {
        char *at;
        const gnd_status s = host_at(q, b, off, nbytes, &at, e);
        *p = s == GND_OK ? at : NULL;
        return s;
    }
    const gnd_status st = gnd__ocl_settle(q->dev, e);
    if (st != GND_OK)
        return st;
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
    if (b->host)
        return GND_OK;
    const gnd_status st = gnd__ocl_settle(q->dev, e);
    const cl_int r = clEnqueueUnmapMemObject(q->q, b->mem, p, 0, NULL, NULL);
    if (st != GND_OK) /* of an earlier launch */
        return st;
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clEnqueueUnmapMemObject");
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
    .wrap = gnd__ocl_wrap,
    .native = gnd__ocl_mem_native,
    .write_async = mem_write_async,
    .read_async = mem_read_async,
    .host_alloc = gnd__ocl_host_alloc,
    .host_free = gnd__ocl_host_free,
};
