/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/move.c - copies arrays from one device to another. The methods, best first:
 *
 *     the backend's own   both devices are of one backend that can copy between them (CUDA: over
 *                         NVLink or PCIe); the copy is ordered in both queues and nothing waits
 *     by a mapping        one device uses host memory: the other reads or writes there
 *     by the host         16 MiB at a time; one chunk is read while the previous one is written
 *
 * Locks: the first method holds those of both devices, the others never hold two at once.
 */
#include <gnd/array.h>
#include <gnd/create.h>

#include "array/place.h"
#include "base/err.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"

enum { CHUNK = 16 << 20 };

/* A transfer of bytes from a part of a block to the start of another. */
typedef struct job {
    gnd__gdev *from, *to;
    gnd__block *src, *dst;
    size_t soff, nbytes;
} job;

/* --- by a mapping ----------------------------------------------------------------------------- */

static gnd_status mapped(gnd__gdev *d, gnd__block *b, size_t off, size_t nbytes, uint32_t flags,
                         void **p, gnd_err *e)
{
    gnd__gate_lock(d);
    const gnd_status st = gnd__gate_map(d, b, off, nbytes, flags, p, e);
    gnd__gate_unlock(d);
    return st;
}

static gnd_status unmapped(gnd__gdev *d, gnd__block *b, void *p, gnd_status before, gnd_err *e)
{
    gnd__gate_lock(d);
    const gnd_status st = gnd__gate_unmap(d, b, p, e);
    gnd__gate_unlock(d);
    return before == GND_OK ? st : before;
}

static gnd_status read_part(const job *j, size_t at, size_t n, void *host, gnd_err *e)
{
    gnd__gate_lock(j->from);
    const gnd_status st = gnd__gate_read(j->from, host, j->src, j->soff + at, n, e);
    gnd__gate_unlock(j->from);
    return st;
}

static gnd_status write_part(const job *j, size_t at, size_t n, const void *host, gnd_err *e)
{
    gnd__gate_lock(j->to);
    const gnd_status st = gnd__gate_write(j->to, j->dst, at, host, n, e);
    gnd__gate_unlock(j->to);
    return st;
}

static gnd_status into_mapping(const job *j, gnd_err *e)
{
    void *p;
    gnd_status st = mapped(j->to, j->dst, 0, j->nbytes, GND_MAP_WRITE, &p, e);
    if (st != GND_OK)
        return st;
    st = read_part(j, 0, j->nbytes, p, e);
    return unmapped(j->to, j->dst, p, st, e);
}

static gnd_status out_of_mapping(const job *j, gnd_err *e)
{
    void *p;
    gnd_status st = mapped(j->from, j->src, j->soff, j->nbytes, GND_MAP_READ, &p, e);
    if (st != GND_OK)
        return st;
    st = write_part(j, 0, j->nbytes, p, e);
    return unmapped(j->from, j->src, p, st, e);
}

/* --- by the host ------------------------------------------------------------------------------ */

/* One chunk that a separate thread reads. */
typedef struct chunk {
    const job *j;
    size_t at, n;
    char *host;
    gnd_status st;
    gnd_err err;
    pthread_t thread;
    int runs; /* a thread runs; otherwise the chunk was read directly */
} chunk;

static void *chunk_read(void *arg)
{
    chunk *c = arg;
    c->st = read_part(c->j, c->at, c->n, c->host, &c->err);
    return NULL;
}

static void chunk_start(chunk *c, const job *j, size_t at, char *host, int alone)
{
    *c = (chunk){
        .j = j, .at = at, .host = host, .n = j->nbytes - at < CHUNK ? j->nbytes - at : CHUNK};
    c->runs = !alone && pthread_create(&c->thread, NULL, chunk_read, c) == 0;
    if (!c->runs)
        chunk_read(c);
}

static gnd_status chunk_end(chunk *c, gnd_err *e)
{
    if (c->runs)
        pthread_join(c->thread, NULL);
    if (c->st != GND_OK)
        *e = c->err;
    return c->st;
}

static gnd_status by_host(const job *j, gnd_err *e)
{
    const int several = j->nbytes > CHUNK;
    chunk c[2];
    gnd_status st;
    char *host = gnd__malloc(several ? 2 * (size_t)CHUNK : j->nbytes);
    if (!host)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for %zu bytes",
                        several ? 2 * (size_t)CHUNK : j->nbytes);
    chunk_start(&c[0], j, 0, host, 1);
    st = chunk_end(&c[0], e);
    for (size_t i = 0, at = 0; st == GND_OK && at < j->nbytes; i++) {
        chunk *now = &c[i % 2], *next = &c[(i + 1) % 2];
        const size_t n = now->n, more = j->nbytes - at - n;
        if (more)
            chunk_start(next, j, at + n, host + (i + 1) % 2 * CHUNK, 0);
        st = write_part(j, at, n, now->host, e);
        if (more) {
            gnd_err other = {GND_OK, 0, ""};
            const gnd_status rs = chunk_end(next, &other);
            if (st == GND_OK && (st = rs) != GND_OK)
                *e = other;
        }
        at += n;
    }
    gnd__free(host);
    return st;
}

/* --- the choice ------------------------------------------------------------------------------- */

static gnd_status run_job(const job *j, gnd_err *e)
{
    gnd_status st = GND_OK;
    if (j->nbytes == 0)
        return st;
    if (j->from->be == j->to->be) {
        gnd__gate_lock_two(j->to, j->from);
        const int yes = gnd__gate_can_peer(j->to, j->from);
        if (yes)
            st = gnd__gate_peer(j->to, j->dst, j->from, j->src, j->soff, j->nbytes, e);
        gnd__gate_unlock_two(j->to, j->from);
        if (yes)
            return st;
    }
    if (gnd__gate_can_map(j->to))
        return into_mapping(j, e);
    if (gnd__gate_can_map(j->from))
        return out_of_mapping(j, e);
    return by_host(j, e);
}

/* Copies x's elements into y's memory. */
static gnd_status move(gnd_array *x, gnd_array *y, gnd_err *e)
{
    gnd__gdev *from = x->dev->g;
    gnd_array *c;
    gnd__gate_lock(from);
    gnd_status st = gnd__ready(x, &c, e);
    gnd__gate_unlock(from);
    if (st != GND_OK)
        return st;
    const job j = {
        .from = from,
        .to = y->dev->g,
        .src = c->data.st->block,
        .dst = y->data.st->block,
        .soff = (size_t)c->data.off * gnd_dtype_size((gnd_dtype)x->dtype),
        .nbytes = gnd__nbytes(x),
    };
    st = run_job(&j, e);
    gnd__gate_lock(from);
    if (st == GND_OK)
        st = gnd__passed(x, st, e);
    gnd__unref(c);
    gnd__gate_unlock(from);
    return st;
}

gnd_array *gnd_to_device(gnd_array *x, gnd_device *dev)
{
    gnd_array *bad = gnd__check(x, "to_device", "x"), *y;
    gnd_err e = {GND_OK, 0, ""};
    if (bad)
        return bad;
    bad = gnd__check_device("to_device", dev);
    if (bad)
        return bad;
    if (!x->dev)
        return gnd_asarray(dev, x, GND_DTYPE_DEFAULT);
    if (x->dev == dev)
        return gnd__same(x);
    if (gnd__check_dtype("to_device", dev, (gnd_dtype)x->dtype, &e) != GND_OK)
        return gnd__error_node(dev, &e);
    y = gnd__placed(dev, (gnd_dtype)x->dtype, x->ndim, x->dim);
    if (y->kind == GND__ERROR)
        return gnd__named("to_device", y);
    if (move(x, y, &e) == GND_OK)
        return y;
    gnd__err_prefix(&e, "to_device: %s to %s", gnd__device_id(x->dev), gnd__device_id(dev));
    bad = gnd__error_node(dev, &e);
    gnd_release(y);
    return bad;
}
