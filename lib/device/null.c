/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null.c - a backend without a device, for tests. Buffers are host memory surrounded by
 * guard zones, transfers work, programs are kept as text, and launches are recorded but compute
 * nothing. "null:0" looks like a GPU with float64; "null:1" like one without float64, with little
 * memory and 32 KiB of local memory; "null:2" is like null:0 but takes kernels in CUDA's dialect.
 * It copies directly between null:0 and null:2, but not to and from null:1. Knows nothing of the
 * gate: it is a plugin that is linked in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/null_priv.h"
#include "device/priv.h"
#include "base/env.h"
#include "base/mem.h"

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)
#define GUARD ((size_t)64)
#define ALIGN ((size_t)256)

enum { GUARD_BYTE = 0xa5 };

static const struct {
    uint64_t mem, max_alloc;
} sizes[GND__NULL_DEVICES] = {
    {16 * GIB, 4 * GIB},
    {256 * MIB, 64 * MIB},
    {16 * GIB, 4 * GIB},
};

static const char *const names[GND__NULL_DEVICES] = {
    "null device with float64",
    "null device without float64",
    "null device for CUDA C++",
};

/* Bytes of a device, and of its largest array. */
static uint64_t memory_of(int i)
{
    return gnd__env_size(GND__ENV_NULL_MEMORY, sizes[i].mem);
}

static uint64_t largest_of(int i)
{
    const uint64_t given = gnd__env_size(GND__ENV_NULL_MEMORY, 0);
    return given ? given / 4 : sizes[i].max_alloc;
}

void *gnd__null_memory(gnd_buf *b, size_t *nbytes)
{
    *nbytes = b->n;
    return b->p;
}

/* --- devices ---------------------------------------------------------------------------------- */

static gnd_status dev_count(int *n, gnd_err *e)
{
    (void)e;
    *n = GND__NULL_DEVICES;
    return GND_OK;
}

static gnd_status dev_props(int i, gnd_props *p, gnd_err *e)
{
    if (i < 0 || i >= GND__NULL_DEVICES)
        return gnd__err(e, GND_ERR_DEVICE, "no device %d", i);
    *p = (gnd_props){
        .vendor = "gnd",
        .platform = "null",
        .driver = "1",
        .kind = GND_DEV_GPU,
        .dialect = i == 2 ? GND_DIALECT_CUDA : GND_DIALECT_OPENCL,
        .mem_bytes = memory_of(i),
        .max_alloc_bytes = largest_of(i),
        .local_bytes = i != 1 ? 48 << 10 : 32 << 10,
        .cache_bytes = i != 1 ? 4 << 20 : 0,
        .compute_units = i != 1 ? 32 : 4,
        .max_group = i != 1 ? 1024 : 256,
        .max_local = {i != 1 ? 1024 : 256, i != 1 ? 1024 : 256, 64},
        .align_bytes = (uint32_t)ALIGN,
        .has_f64 = i != 1,
        .has_f16 = 0,
        .has_atomic64 = 1,
        .host_mapped = 0,
        .little_endian = 1,
        .subgroup = i != 1 ? 32 : 0,
        .has_progress = i == 2,
    };
    snprintf(p->name, sizeof p->name, "%s", names[i]);
    if (i != 1) /* one device in two dialects */
        snprintf(p->bus, sizeof p->bus, "0000:00:1f.0");
    snprintf(p->version, sizeof p->version,
             i == 2 ? "CUDA 12.0 null, compute capability 9.0" : "OpenCL 1.2 null");
    return GND_OK;
}

gnd_status gnd__null_open(int i, gnd_dev **d, gnd_err *e)
{
    *d = gnd__calloc(1, sizeof **d);
    if (!*d)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    (*d)->index = i;
    gnd__null_object(1);
    return GND_OK;
}

void gnd__null_close(gnd_dev *d)
{
    gnd__null_object(-1);
    gnd__free(d);
}

static gnd_status dev_mem_info(gnd_dev *d, uint64_t *avail, uint64_t *total, gnd_err *e)
{
    (void)e;
    *total = memory_of(d->index);
    *avail = *total - d->used;
    return GND_OK;
}

static gnd_status dev_can_peer(gnd_dev *a, gnd_dev *b, int *yes, gnd_err *e)
{
    (void)e;
    *yes = a->index != 1 && b->index != 1;
    return GND_OK;
}

/* clang-format off */
static const gnd_device_ops device_ops = {
    .size = sizeof(gnd_device_ops), .count = dev_count,
    .props = dev_props, .open = gnd__null_open,
    .close = gnd__null_close, .mem_info = dev_mem_info,
    .can_peer = dev_can_peer, .open_native = gnd__null_open_native,
    .native = gnd__null_dev_native,
};
/* clang-format on */

/* --- memory ----------------------------------------------------------------------------------- */

/* Layout: [slack][guard][n bytes, aligned][guard]. */
static gnd_status mem_alloc(gnd_dev *d, size_t n, gnd_buf **out, gnd_err *e)
{
    gnd_buf *b;

    if (n > largest_of(d->index) || n > memory_of(d->index) - d->used)
        return gnd__err(e, GND_ERR_DEVMEM, "no %zu bytes left of %llu", n,
                        (unsigned long long)memory_of(d->index));
    b = gnd__calloc(1, sizeof *b);
    if (!b)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    b->base = gnd__calloc(1, n + 2 * GUARD + ALIGN);
    if (!b->base) {
        gnd__free(b);
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    }
    b->d = d;
    b->n = n;
    b->p = b->base + GUARD;
    b->p += -(uintptr_t)b->p % ALIGN;
    memset(b->p - GUARD, GUARD_BYTE, GUARD);
    memset(b->p + n, GUARD_BYTE, GUARD);
    d->used += n;
    gnd__null_object(1);
    gnd__null_note("alloc %zu\n", n);
    *out = b;
    return GND_OK;
}

static void mem_free(gnd_buf *b)
{
    size_t i, bad = 0;

    gnd__null_freed(b);
    if (!b->base) {
        gnd__null_note("unwrap %zu\n", b->n);
        gnd__null_object(-1);
        gnd__free(b);
        return;
    }
    for (i = 0; i < GUARD; i++)
        bad += ((b->p - GUARD)[i] != GUARD_BYTE) + ((b->p + b->n)[i] != GUARD_BYTE);
    gnd__null_note("free %zu%s\n", b->n, bad ? " DAMAGED" : "");
    if (bad)
        gnd__null_damaged();
    gnd__null_object(-1);
    b->d->used -= b->n;
    gnd__free(b->base);
    gnd__free(b);
}

static gnd_status check(const char *what, const gnd_buf *b, size_t off, size_t n, gnd_err *e)
{
    if (off > b->n || n > b->n - off)
        return gnd__err(e, GND_ERR_INTERNAL, "%s: %zu bytes at %zu of a buffer of %zu", what, n,
                        off, b->n);
    gnd__null_note("%s %zu at %zu\n", what, n, off);
    return GND_OK;
}

static gnd_status mem_write(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t n,
                            gnd_err *e)
{
    gnd_status st = check("write", dst, off, n, e);

    if (st == GND_OK) {
        gnd__null_access(q, dst, off, n, 1);
        memcpy(dst->p + off, src, n);
    }
    return st;
}

static gnd_status mem_read(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t n, gnd_err *e)
{
    gnd_status st = check("read", src, off, n, e);

    if (st == GND_OK) {
        gnd__null_access(q, src, off, n, 0);
        gnd__null_queue_waited(q);
        memcpy(dst, src->p + off, n);
    }
    return st;
}

static gnd_status mem_read_async(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t n,
                                 gnd_err *e)
{
    gnd_status st = check("read_async", src, off, n, e);

    if (st == GND_OK) {
        gnd__null_access(q, src, off, n, 0);
        memcpy(dst, src->p + off, n);
    }
    return st;
}

/* Device addresses are host addresses. */
static gnd_status mem_fetch(gnd_queue *q, gnd_buf *dst, size_t off, uint64_t src, size_t n,
                            gnd_err *e)
{
    gnd_status st = check("fetch", dst, off, n, e);

    if (st == GND_OK) {
        gnd__null_access(q, dst, off, n, 1);
        memcpy(dst->p + off, (const void *)(uintptr_t)src, n);
    }
    return st;
}

static gnd_status mem_copy(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff,
                           size_t n, gnd_err *e)
{
    gnd_status st = check("copy from", src, soff, n, e);

    if (st == GND_OK)
        st = check("copy to", dst, doff, n, e);
    if (st == GND_OK && dst == src && doff < soff + n && soff < doff + n)
        st = gnd__err(e, GND_ERR_INTERNAL, "copy: the ranges overlap");
    if (st == GND_OK) {
        gnd__null_access(q, src, soff, n, 0);
        gnd__null_access(q, dst, doff, n, 1);
        memcpy(dst->p + doff, src->p + soff, n);
    }
    return st;
}

static gnd_status mem_map(gnd_queue *q, gnd_buf *b, size_t off, size_t n, uint32_t flags, void **p,
                          gnd_err *e)
{
    gnd_status st = check("map", b, off, n, e);

    if (st == GND_OK) {
        gnd__null_access(q, b, off, n, (flags & GND_MAP_WRITE) != 0);
        gnd__null_queue_waited(q);
    }
    *p = st == GND_OK ? b->p + off : NULL;
    return st;
}

static gnd_status mem_unmap(gnd_queue *q, gnd_buf *b, void *p, gnd_err *e)
{
    unsigned char *c = p;

    (void)q;
    if (c < b->p || c > b->p + b->n)
        return gnd__err(e, GND_ERR_INTERNAL, "unmap: not a pointer of map");
    gnd__null_note("unmap\n");
    return GND_OK;
}

/* clang-format off */
static const gnd_memory_ops memory_ops = {
    .size = sizeof(gnd_memory_ops), .alloc = mem_alloc,
    .free = mem_free, .write = mem_write,
    .read = mem_read, .copy = mem_copy,
    .map = mem_map, .unmap = mem_unmap,
    .fetch = mem_fetch, .wrap = gnd__null_wrap,
    .native = gnd__null_mem_native, .write_async = mem_write,
    .read_async = mem_read_async,
};
/* clang-format on */

/* --- queues: all work is done when it is enqueued ------------------------------------------- */

gnd_status gnd__null_queue(gnd_dev *d, uint32_t flags, gnd_queue **q, gnd_err *e)
{
    (void)flags;
    *q = gnd__calloc(1, sizeof **q);
    if (!*q)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    (*q)->d = d;
    gnd__null_queue_number(*q);
    gnd__null_object(1);
    return GND_OK;
}

static void q_free(gnd_queue *q)
{
    gnd__null_queue_end(q);
    gnd__null_object(-1);
    gnd__free(q);
}

static gnd_status q_flush(gnd_queue *q, gnd_err *e)
{
    (void)q;
    (void)e;
    gnd__null_note("flush\n");
    return GND_OK;
}

static gnd_status q_finish(gnd_queue *q, gnd_err *e)
{
    (void)e;
    gnd__null_queue_waited(q);
    gnd__null_note("finish\n");
    return GND_OK;
}

/* clang-format off */
static const gnd_queue_ops queue_ops = {
    .size = sizeof(gnd_queue_ops), .queue_new = gnd__null_queue,
    .queue_free = q_free, .flush = q_flush,
    .finish = q_finish, .record = gnd__null_record_event,
    .wait_event = gnd__null_wait_event, .event_wait = gnd__null_event_wait,
    .event_free = gnd__null_event_free, .order = gnd__null_order,
    .event_done = gnd__null_event_done, .event_sync = gnd__null_event_wait,
};
/* clang-format on */

/* --- programs --------------------------------------------------------------------------------- */

static gnd_status prog_new(gnd_dev *d, const char *src, size_t len, gnd_prog **out, gnd_err *e)
{
    gnd_prog *p = gnd__calloc(1, sizeof *p);

    if (!p)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    p->src = gnd__strndup(src, len);
    if (!p->src) {
        gnd__free(p);
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    }
    p->d = d;
    p->len = strlen(p->src);
    gnd__null_object(1);
    *out = p;
    return GND_OK;
}

/* A source with a line "#error" fails to compile. */
static gnd_status prog_build(gnd_dev *d, const char *src, size_t len, const char *opts,
                             gnd_prog **out, char **log, gnd_err *e)
{
    gnd_status st = prog_new(d, src, len, out, e);
    static const char said[] = "error: the source says #error";

    (void)opts;
    if (log)
        *log = NULL;
    if (st != GND_OK)
        return st;
    gnd__null_note("build %zu\n", len);
    if (strncmp((*out)->src, "#error", 6) != 0 && !strstr((*out)->src, "\n#error"))
        return GND_OK;
    gnd__null_object(-1);
    gnd__free((*out)->src);
    gnd__free(*out);
    *out = NULL;
    if (log && (*log = malloc(sizeof said)) != NULL)
        memcpy(*log, said, sizeof said);
    return gnd__err(e, GND_ERR_BUILD, "%s", said);
}

static void prog_free(gnd_prog *p)
{
    gnd__null_object(-1);
    gnd__free(p->src);
    gnd__free(p);
}

static gnd_status prog_kernel(gnd_prog *p, const char *name, gnd_kern **k, gnd_err *e)
{
    if (!strstr(p->src, name))
        return gnd__err(e, GND_ERR_BUILD, "no kernel '%s' in the program", name);
    *k = gnd__calloc(1, sizeof **k);
    if (!*k)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    (*k)->p = p;
    snprintf((*k)->name, sizeof(*k)->name, "%s", name);
    gnd__null_object(1);
    return GND_OK;
}

static void prog_kernel_free(gnd_kern *k)
{
    gnd__null_object(-1);
    gnd__free(k);
}

gnd_status gnd__null_run(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e)
{
    uint32_t i;

    if (l->ndim < 1 || l->ndim > 3)
        return gnd__err(e, GND_ERR_INTERNAL, "%u dimensions", l->ndim);
    for (i = 0; i < l->ndim; i++)
        if (l->local[i] == 0 || l->global[i] == 0 || l->global[i] % l->local[i] != 0)
            return gnd__err(e, GND_ERR_INTERNAL, "global size %zu with local size %zu in dim %u",
                            l->global[i], l->local[i], i);
    for (i = 0; i < l->nargs; i++)
        if (l->args[i].kind == GND_ARG_BUF && !l->args[i].u.buf)
            return gnd__err(e, GND_ERR_INTERNAL, "argument %u is no buffer", i);
    gnd__null_accesses(q, k, l);
    gnd__null_launched(k, l);
    return GND_OK;
}

static gnd_status prog_cache_key(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    if (!gnd__null_may_cache())
        return gnd__err(e, GND_ERR_UNSUPPORTED, "not asked for");
    snprintf(buf, cap, "null:%d", d->index);
    return GND_OK;
}

/* A binary is "NULL" followed by the source. */
static gnd_status prog_binary_get(gnd_prog *p, void **bin, size_t *len, gnd_err *e)
{
    char *b = malloc(p->len + 4);

    if (!b)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    memcpy(b, "NULL", 4);
    memcpy(b + 4, p->src, p->len);
    *bin = b;
    *len = p->len + 4;
    return GND_OK;
}

static gnd_status prog_binary_load(gnd_dev *d, const void *bin, size_t len, gnd_prog **p,
                                   gnd_err *e)
{
    if (len < 4 || memcmp(bin, "NULL", 4) != 0)
        return gnd__err(e, GND_ERR_BACKEND, "not a binary of the null backend");
    gnd__null_note("binary_load %zu\n", len);
    return prog_new(d, (const char *)bin + 4, len - 4, p, e);
}

/* clang-format off */
static const gnd_program_ops program_ops = {
    .size = sizeof(gnd_program_ops), .build = prog_build,
    .prog_free = prog_free, .kernel = prog_kernel,
    .kernel_free = prog_kernel_free, .launch = gnd__null_run,
    .cache_key = prog_cache_key, .binary_get = prog_binary_get,
    .binary_load = prog_binary_load,
};
/* clang-format on */

/* --- the backend ------------------------------------------------------------------------------ */

const gnd_backend *gnd__null_tables(void)
{
    static const gnd_backend tables = {
        .major = GND_BACKEND_MAJOR,
        .minor = GND_BACKEND_MINOR,
        .size = sizeof tables,
        .name = "null",
        .version = "1",
        .device = &device_ops,
        .memory = &memory_ops,
        .queue = &queue_ops,
        .program = &program_ops,
        .replay = &gnd__null_replay_ops,
    };
    return &tables;
}
