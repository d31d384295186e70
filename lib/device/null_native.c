/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_native.c - the null backend's entries for the application's memory, context and
 * queue.
 */
#include "base/err.h"
#include "base/mem.h"
#include "device/null_priv.h"

/* Accepts only host memory; null:2 also accepts its addresses as CUDA's. */
gnd_status gnd__null_wrap(gnd_dev *d, const gnd_mem_native *m, size_t n, gnd_buf **out, gnd_err *e)
{
    gnd_buf *b;

    if (m->handle || (!m->host && d->index != 2))
        return gnd__err(e, GND_ERR_UNSUPPORTED, "%s: null devices have host memory only",
                        m->handle ? "a cl_mem" : "CUDA's memory");
    b = gnd__calloc(1, sizeof *b);
    if (!b)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    b->d = d;
    b->n = n;
    b->p = (unsigned char *)(uintptr_t)m->address;
    gnd__null_object(1);
    gnd__null_note("wrap %zu\n", n);
    *out = b;
    return GND_OK;
}

gnd_status gnd__null_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e)
{
    (void)e;
    *m = (gnd_mem_native){.address = (uint64_t)(uintptr_t)b->p + off, .host = 1};
    return GND_OK;
}

gnd_status gnd__null_order(gnd_queue *q, void *other, int after, gnd_err *e)
{
    (void)other;
    (void)e;
    gnd__null_note("order %s %d\n", after ? "after" : "before", q->d->index);
    return GND_OK;
}

gnd_status gnd__null_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e)
{
    (void)e;
    n->device = (void *)(uintptr_t)d->index;
    n->context = d->context ? d->context : d;
    n->queue = q->app ? q->app : q;
    return GND_OK;
}

/* Accepts any context and any queue, and only returns them again. */
gnd_status gnd__null_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **d,
                                 gnd_queue **q, gnd_err *e)
{
    const uintptr_t i = (uintptr_t)n->device;
    gnd_status st;

    if (i >= GND__NULL_DEVICES)
        return gnd__err(e, GND_ERR_ARG, "no device %zu: there are %d", (size_t)i,
                        GND__NULL_DEVICES);
    st = gnd__null_open((int)i, d, e);
    if (st == GND_OK && (st = gnd__null_queue(*d, flags, q, e)) != GND_OK)
        gnd__null_close(*d);
    if (st != GND_OK)
        return st;
    (*d)->context = n->context;
    (*q)->app = n->queue;
    *index = (int)i;
    return GND_OK;
}
