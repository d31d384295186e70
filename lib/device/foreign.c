/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/foreign.c - memory that another library owns, as blocks; the driver's names of memory,
 * device and queue; and holds, by which exported memory outlives its device's closing.
 *
 * A foreign block that is freed may still be read by queued work. It waits in a list of its device.
 * Whoever gives the device's lock back finishes the queue, unlocks, and only then calls the owners'
 * functions: these may take locks of their own, such as Python's.
 */
#include "base/mem.h"
#include "device/priv.h"
#include "device/trace.h"

typedef struct gnd__foreign {
    gnd__block pub; /* first: a gnd__block pointer points to this struct */
    gnd__release_fn *release;
    void *ctx;
    struct gnd__foreign *next;
} gnd__foreign;

/* --- blocks ----------------------------------------------------------------------------------- */

static gnd_status lacks(const gnd__gdev *d, const char *slot, gnd_err *e)
{
    return gnd__err(e, GND_ERR_UNSUPPORTED,
                    "%s: backend %s has no entry %s: install a plugin made for interface %u or "
                    "newer",
                    d->id, d->be->name, slot, GND_BACKEND_MAJOR);
}

int gnd__gate_can_wrap(const gnd__gdev *d)
{
    return d->be->memory.wrap != NULL;
}

void gnd__gate_owner(gnd__block *b, gnd__release_fn *release, void *ctx)
{
    gnd__foreign *f = (gnd__foreign *)b;
    f->release = release;
    f->ctx = ctx;
}

gnd_status gnd__gate_wrap(gnd__gdev *d, const gnd_mem_native *m, size_t off, size_t nbytes,
                          gnd__block **out, gnd_err *e)
{
    gnd__foreign *f;
    gnd_status st;

    if (!d->be->memory.wrap)
        return lacks(d, "memory.wrap", e);
    f = gnd__malloc(sizeof *f);
    if (!f)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    *f = (gnd__foreign){.pub = {.off = off, .nbytes = nbytes}};
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->memory.wrap(d->dev, m, nbytes + off, &f->pub.buf, e);
    if (st != GND_OK) {
        gnd__free(f);
        return gnd__gate_call_failed(d, "wrap", st, e);
    }
    *out = &f->pub;
    return GND_OK;
}

void gnd__foreign_free(gnd__gdev *d, gnd__block *b)
{
    gnd__foreign *f = (gnd__foreign *)b;
    f->next = d->dropped;
    d->dropped = f;
}

/* Takes the list of dropped blocks that no queued work uses any more. A failed device runs no work.
 */
static gnd__foreign *take(gnd__gdev *d)
{
    gnd__foreign *all = d->dropped, *f;

    if (!all)
        return NULL;
    d->dropped = NULL;
    (void)gnd__queues_wait(d, NULL);
    for (f = all; f; f = f->next) {
        d->be->memory.free(f->pub.buf);
        d->segs_gone++;
    }
    return all;
}

static void tell(gnd__foreign *f)
{
    gnd__foreign *next;

    for (; f; f = next) {
        next = f->next;
        if (f->release)
            f->release(f->ctx);
        gnd__free(f);
    }
}

void gnd__foreign_unlock(gnd__gdev *d)
{
    gnd__foreign *all = take(d);

    if (d->streams)
        gnd__streams_leave(d);
    d->depth--;
    pthread_mutex_unlock(&d->lock);
    tell(all);
}

void gnd__gate_unlock_two(gnd__gdev *a, gnd__gdev *b)
{
    gnd__foreign *of_a, *of_b;

    if (gnd__forked)
        return;
    of_a = a->depth == 1 ? take(a) : NULL;
    of_b = b->depth == 1 ? take(b) : NULL;
    if (a->streams && a->depth == 1)
        gnd__streams_leave(a);
    if (b->streams && b->depth == 1)
        gnd__streams_leave(b);
    a->depth--;
    pthread_mutex_unlock(&a->lock);
    b->depth--;
    pthread_mutex_unlock(&b->lock);
    tell(of_a);
    tell(of_b);
}

/* --- names ------------------------------------------------------------------------------------ */

gnd_status gnd__gate_native(gnd__gdev *d, gnd__block *b, size_t off, gnd_mem_native *m, gnd_err *e)
{
    gnd_status st;

    *m = (gnd_mem_native){0};
    if (!d->be->memory.native)
        return lacks(d, "memory.native", e);
    if ((st = gnd__gate_use(d, b, 0, e)) != GND_OK)
        return st;
    b->users |= (uint64_t)1 << gnd__gate_stream(d); /* even if it is the only queue so far */
    gnd__stream_expose(d);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->memory.native(b->buf, b->off + off, m, e);
    return st == GND_OK ? st : gnd__gate_call_failed(d, "native", st, e);
}

gnd_status gnd__gate_device_native(gnd__gdev *d, gnd_dev_native *n, gnd_err *e)
{
    gnd_status st;

    *n = (gnd_dev_native){0};
    if (!d->be->device.native)
        return lacks(d, "device.native", e);
    gnd__stream_expose(d);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->device.native(d->dev, d->queue, n, e);
    return st == GND_OK ? st : gnd__gate_call_failed(d, "native", st, e);
}

gnd_status gnd__gate_order(gnd__gdev *d, void *other, int after, gnd_err *e)
{
    gnd_status st;

    if (!d->be->queue.order)
        return after ? lacks(d, "queue.order", e) : gnd__gate_finish(d, e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = d->be->queue.order(d->queue, other, after, e);
    d->worked = d->pending = 1;
    return st == GND_OK ? st : gnd__gate_call_failed(d, "order", st, e);
}

/* --- holds ------------------------------------------------------------------------------------ */

void gnd__gate_hold(gnd__gdev *d)
{
    d->holds++;
}

void gnd__gate_drop(gnd__gdev *d)
{
    int last;

    if (gnd__forked)
        return;
    gnd__gate_lock(d);
    last = --d->holds == 0 && d->closed;
    gnd__gate_unlock(d);
    if (last)
        gnd__gate_close(d);
}
