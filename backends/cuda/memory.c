/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/memory.c - the memory group. Buffers come from plain cuMemAlloc: the core's pool makes calls
 * rare, failures occur at the call and not later, and freed memory is available to others at once.
 * A second pool below (cuMemAllocAsync's) would only hide it.
 *
 * Host memory is pageable, and the driver transfers it at a fraction of the bus's speed. So
 * transfers use pinned memory that the device handle owns:
 *
 *     up to 64 KiB     one slot of a ring; a write returns when the bytes are in the slot
 *     larger           8 MiB at a time through four chunks: the processor copies one while others
 *                      are on the bus; from 16 MiB on with several threads (common/team.c). With
 *                      two chunks the bus waits whenever a copy takes longer than usual.
 *
 * A write never waits for work that was enqueued before it, unless the ring is full of writes
 * behind such work, or the write is larger than the chunks.
 *
 * Memory that is already pinned (the user's, by cuMemHostAlloc or cuMemHostRegister) is transferred
 * directly if it has more than 64 KiB; such a transfer is waited for.
 */
#include "cu.h"

#include "../common/team.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static gnd_status mem_alloc(gnd_dev *d, size_t nbytes, gnd_buf **out, gnd_err *e)
{
    const gnd_props *p = &d->info->props;
    if (nbytes == 0)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "alloc: no bytes were asked for");
    if (nbytes > p->max_alloc_bytes)
        return gnd__plug_fail(e, GND_ERR_DEVMEM, CUDA_ERROR_OUT_OF_MEMORY,
                              "%s: no buffer of %zu bytes: the device has %llu", p->name, nbytes,
                              (unsigned long long)p->max_alloc_bytes);
    gnd_status s = gnd__cu_enter(d, e);
    if (s != GND_OK)
        return s;
    gnd_buf *b = calloc(1, sizeof *b);
    if (!b)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a buffer's handle");
    const CUresult r = gnd__cu.MemAlloc(&b->p, nbytes);
    if (r != CUDA_SUCCESS) {
        free(b);
        return gnd__cu_fail(d, e, r, "%s: no buffer of %zu bytes: cuMemAlloc", p->name, nbytes);
    }
    b->dev = d;
    b->nbytes = nbytes;
    *out = b;
    return GND_OK;
}

static void mem_free(gnd_buf *b)
{
    if (!b)
        return;
    if (!b->wrapped && gnd__cu_enter_free(b->dev))
        gnd__cu.MemFree(b->p);
    free(b);
}

static gnd_status in_buffer(const gnd_buf *b, size_t off, size_t nbytes, gnd_err *e)
{
    if (off > b->nbytes || nbytes > b->nbytes - off)
        return gnd__plug_fail(e, GND_ERR_ARG, CUDA_ERROR_INVALID_VALUE,
                              "%zu bytes at %zu are not in a buffer of %zu", nbytes, off,
                              b->nbytes);
    return GND_OK;
}

/* --- pinned memory ---------------------------------------------------------------------------- */

void gnd__cu_stage_close(gnd_dev *d)
{
    gnd__cu_stage *st = &d->stage;
    for (int i = 0; i < GND__CU_NPART; i++)
        if (st->ev[i])
            gnd__cu.EventDestroy(st->ev[i]);
    if (st->slots)
        gnd__cu.MemFreeHost(st->slots);
    for (int i = 0; i < GND__CU_NCHUNK; i++)
        if (st->chunk[i])
            gnd__cu.MemFreeHost(st->chunk[i]);
    memset(st, 0, sizeof *st);
}

static gnd_status pinned(gnd_dev *d, char **p, size_t nbytes, gnd_err *e)
{
    void *v = NULL;
    if (*p)
        return GND_OK;
    const CUresult r = gnd__cu.MemHostAlloc(&v, nbytes, 0);
    if (r == CUDA_ERROR_OUT_OF_MEMORY)
        return gnd__plug_fail(e, GND_ERR_NOMEM, (int)r,
                              "no %zu bytes of pinned host memory for transfers", nbytes);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuMemHostAlloc (%zu bytes)", nbytes);
    *p = v;
    return GND_OK;
}

/* Waits until part i may be written to. */
static gnd_status part_wait(gnd_dev *d, int i, gnd_err *e)
{
    if (!d->stage.busy[i])
        return GND_OK;
    const CUresult r = gnd__cu.EventSynchronize(d->stage.ev[i]);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuEventSynchronize (a transfer)");
    d->stage.busy[i] = 0;
    return GND_OK;
}

/* Marks part i as in use until the work in the queue is done. */
static gnd_status part_mark(gnd_queue *q, int i, gnd_err *e)
{
    gnd__cu_stage *st = &q->dev->stage;
    CUresult r = CUDA_SUCCESS;
    if (!st->ev[i])
        r = gnd__cu.EventCreate(&st->ev[i], CU_EVENT_DISABLE_TIMING);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.EventRecord(st->ev[i], q->s);
    if (r != CUDA_SUCCESS) {
        gnd__cu.StreamSynchronize(
            q->s); /* otherwise the part could be overwritten while it is read */
        return gnd__cu_fail(q->dev, e, r, "cuEventRecord (a transfer)");
    }
    st->busy[i] = 1;
    return GND_OK;
}

/* Takes the next slot, or chunk number n % GND__CU_NCHUNK. */
static gnd_status part_take(gnd_dev *d, int small, size_t n, int *part, char **at, gnd_err *e)
{
    gnd__cu_stage *st = &d->stage;
    const int k = small ? (int)(st->next++ % GND__CU_NSLOT) : (int)(n % GND__CU_NCHUNK);
    const gnd_status s = small ? pinned(d, &st->slots, (size_t)GND__CU_SLOT * GND__CU_NSLOT, e)
                               : pinned(d, &st->chunk[k], GND__CU_CHUNK, e);
    if (s != GND_OK)
        return s;
    *at = small ? st->slots + (size_t)k * GND__CU_SLOT : st->chunk[k];
    *part = small ? k : GND__CU_NSLOT + k;
    return part_wait(d, *part, e);
}

/* --- transfers -------------------------------------------------------------------------------- */

/* Whether the whole range is one piece of pinned host memory. */
static int is_pinned(const void *p, size_t nbytes)
{
    const CUdeviceptr at = (CUdeviceptr)(uintptr_t)p;
    unsigned kind = 0;
    CUdeviceptr start = 0;
    size_t size = 0;
    return gnd__cu.PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) ==
               CUDA_SUCCESS &&
           kind == CU_MEMORYTYPE_HOST &&
           gnd__cu.PointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) ==
               CUDA_SUCCESS &&
           gnd__cu.PointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at) ==
               CUDA_SUCCESS &&
           at >= start && nbytes <= size && at - start <= size - nbytes;
}

/* Ends a transfer to or from such memory. */
static gnd_status direct_wait(gnd_queue *q, CUresult r, const char *call, size_t nbytes, size_t off,
                              const gnd_buf *b, gnd_err *e)
{
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, r, "%s (%zu bytes at %zu of %zu)", call, nbytes, off,
                            b->nbytes);
    r = gnd__cu.StreamSynchronize(q->s);
    return r == CUDA_SUCCESS ? GND_OK
                             : gnd__cu_fail(q->dev, e, r, "cuStreamSynchronize (a transfer)");
}

static size_t chunk_of(size_t left)
{
    return left < GND__CU_CHUNK ? left : GND__CU_CHUNK;
}

static gnd_status mem_write(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t nbytes,
                            gnd_err *e)
{
    gnd_dev *d = q->dev;
    const int small = nbytes <= GND__CU_SLOT;
    gnd_status s = in_buffer(dst, off, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    s = gnd__cu_enter(d, e);
    if (s == GND_OK && !small && is_pinned(src, nbytes))
        return direct_wait(q, gnd__cu.MemcpyHtoDAsync(dst->p + off, src, nbytes, q->s),
                           "cuMemcpyHtoDAsync", nbytes, off, dst, e);
    gnd__team *team = s == GND_OK ? gnd__team_start(nbytes) : NULL;
    for (size_t done = 0, n, i = 0; done < nbytes && s == GND_OK; done += n, i++) {
        int part;
        char *at;
        n = chunk_of(nbytes - done);
        if ((s = part_take(d, small, i, &part, &at, e)) != GND_OK)
            break;
        gnd__team_copy(team, at, (const char *)src + done, n);
        const CUresult r = gnd__cu.MemcpyHtoDAsync(dst->p + off + done, at, n, q->s);
        s = r == CUDA_SUCCESS ? part_mark(q, part, e)
                              : gnd__cu_fail(d, e, r, "cuMemcpyHtoDAsync (%zu bytes at %zu of %zu)",
                                             n, off + done, dst->nbytes);
    }
    gnd__team_end(team);
    return s;
}

/* Sends n bytes at off to the part of chunk i. */
static gnd_status ask(gnd_queue *q, const gnd_buf *src, size_t off, size_t n, int small, size_t i,
                      int *part, char **at, gnd_err *e)
{
    const gnd_status s = part_take(q->dev, small, i, part, at, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.MemcpyDtoHAsync(*at, src->p + off, n, q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, r, "cuMemcpyDtoHAsync (%zu bytes at %zu of %zu)", n, off,
                            src->nbytes);
    return part_mark(q, *part, e);
}

/* The next chunks are on the bus while chunk i is copied out. */
static gnd_status mem_read(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                           gnd_err *e)
{
    const int small = nbytes <= GND__CU_SLOT;
    int part[GND__CU_NCHUNK];
    char *at[GND__CU_NCHUNK];
    gnd_status s = in_buffer(src, off, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    s = gnd__cu_enter(q->dev, e);
    if (s == GND_OK && !small && is_pinned(dst, nbytes))
        return direct_wait(q, gnd__cu.MemcpyDtoHAsync(dst, src->p + off, nbytes, q->s),
                           "cuMemcpyDtoHAsync", nbytes, off, src, e);
    gnd__team *team = s == GND_OK ? gnd__team_start(nbytes) : NULL;
    for (size_t i = 0, next = 0, asked = 0, done = 0; done < nbytes && s == GND_OK; i++) {
        for (; asked < nbytes && next < i + GND__CU_NCHUNK && s == GND_OK; next++) {
            const size_t n = chunk_of(nbytes - asked), k = next % GND__CU_NCHUNK;
            s = ask(q, src, off + asked, n, small, next, &part[k], &at[k], e);
            asked += n;
        }
        const size_t n = chunk_of(nbytes - done), k = i % GND__CU_NCHUNK;
        if (s == GND_OK)
            s = part_wait(q->dev, part[k], e);
        if (s == GND_OK)
            gnd__team_copy(team, (char *)dst + done, at[k], n);
        done += n;
    }
    gnd__team_end(team);
    return s;
}

/* The other device of a copy between two. */
static gnd_dev *other_of(gnd_dev *d, const gnd_buf *dst, const gnd_buf *src)
{
    return dst->dev == d ? src->dev : dst->dev;
}

/* Between devices the driver copies directly if can_peer (device.c) has enabled it, else through
 * pinned memory of its own, in overlapped chunks. */
static gnd_status mem_copy(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff,
                           size_t nbytes, gnd_err *e)
{
    gnd_status s = in_buffer(dst, doff, nbytes, e);
    if (s == GND_OK)
        s = in_buffer(src, soff, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    const gnd_dev *other = other_of(q->dev, dst, src);
    if (other->lost)
        return gnd__cu_gone(other, e);
    if ((s = gnd__cu_enter(q->dev, e)) != GND_OK)
        return s;
    const CUdeviceptr to = dst->p + doff, from = src->p + soff;
    const CUresult r =
        dst->dev->ctx == src->dev->ctx
            ? gnd__cu.MemcpyDtoDAsync(to, from, nbytes, q->s)
            : gnd__cu.MemcpyPeerAsync(to, dst->dev->ctx, from, src->dev->ctx, nbytes, q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, r, "copy of %zu bytes, %zu of %zu to %zu of %zu", nbytes,
                            soff, src->nbytes, doff, dst->nbytes);
    return GND_OK;
}

/* Another library's memory, of whichever device of this process: the driver knows by the address. A
 * copy from what is no memory would be a fault that costs the context, so it is asked first. */
static gnd_status mem_fetch(gnd_queue *q, gnd_buf *dst, size_t off, uint64_t src, size_t nbytes,
                            gnd_err *e)
{
    gnd_status s = in_buffer(dst, off, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    if ((s = gnd__cu_enter(q->dev, e)) != GND_OK)
        return s;
    for (int end = 0; end < 2; end++) {
        const CUdeviceptr at = (CUdeviceptr)(end ? src + nbytes - 1 : src);
        unsigned kind;
        if (gnd__cu.PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) !=
            CUDA_SUCCESS)
            return gnd__plug_fail(e, GND_ERR_ARG, CUDA_ERROR_INVALID_VALUE,
                                  "%#llx is no address of CUDA's memory", (unsigned long long)at);
    }
    const CUresult r = gnd__cu.MemcpyDtoDAsync(dst->p + off, (CUdeviceptr)src, nbytes, q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, r, "copy of %zu bytes from %#llx", nbytes,
                            (unsigned long long)src);
    return GND_OK;
}

/* --- without a wait --------------------------------------------------------------------------- */

/* Pageable memory has to be copied now. */
static gnd_status mem_write_async(gnd_queue *q, gnd_buf *dst, size_t off, const void *src,
                                  size_t nbytes, gnd_err *e)
{
    gnd_status s = in_buffer(dst, off, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    if ((s = gnd__cu_enter(q->dev, e)) != GND_OK)
        return s;
    if (!is_pinned(src, nbytes))
        return mem_write(q, dst, off, src, nbytes, e);
    const CUresult r = gnd__cu.MemcpyHtoDAsync(dst->p + off, src, nbytes, q->s);
    return r == CUDA_SUCCESS ? GND_OK
                             : gnd__cu_fail(q->dev, e, r,
                                            "cuMemcpyHtoDAsync (%zu bytes at %zu of "
                                            "%zu)",
                                            nbytes, off, dst->nbytes);
}

static gnd_status mem_read_async(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                                 gnd_err *e)
{
    gnd_status s = in_buffer(src, off, nbytes, e);
    if (nbytes == 0 || s != GND_OK)
        return s;
    if ((s = gnd__cu_enter(q->dev, e)) != GND_OK)
        return s;
    if (!is_pinned(dst, nbytes))
        return mem_read(q, dst, src, off, nbytes, e);
    const CUresult r = gnd__cu.MemcpyDtoHAsync(dst, src->p + off, nbytes, q->s);
    return r == CUDA_SUCCESS ? GND_OK
                             : gnd__cu_fail(q->dev, e, r,
                                            "cuMemcpyDtoHAsync (%zu bytes at %zu of "
                                            "%zu)",
                                            nbytes, off, src->nbytes);
}

static gnd_status mem_host_alloc(gnd_dev *d, size_t nbytes, void **p, gnd_err *e)
{
    char *at = NULL;
    gnd_status s = gnd__cu_enter(d, e);
    if (s == GND_OK)
        s = pinned(d, &at, nbytes, e);
    *p = at;
    return s;
}

static void mem_host_free(gnd_dev *d, void *p)
{
    if (gnd__cu_enter_free(d))
        gnd__cu.MemFreeHost(p);
}

const gnd_memory_ops gnd__cu_memory_ops = {
    .size = sizeof(gnd_memory_ops),
    .alloc = mem_alloc,
    .free = mem_free,
    .write = mem_write,
    .read = mem_read,
    .copy = mem_copy,
    .fetch = mem_fetch,
    .wrap = gnd__cu_wrap,
    .native = gnd__cu_mem_native,
    .write_async = mem_write_async,
    .read_async = mem_read_async,
    .host_alloc = mem_host_alloc,
    .host_free = mem_host_free,
};
