/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/async.c - transfers that do not wait, and host memory for them; see gnd/stream.h.
 */
#include <gnd/stream.h>

#include <stdlib.h>
#include "array/place.h"
#include "array/stream.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/shape.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/create.h>

enum { PAGE = 4096 };

/* --- host memory ------------------------------------------------------------------------------ */

gnd_status gnd_host_alloc(gnd_device *dev, size_t nbytes, void **p)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!p)
        return gnd__refuse(GND_ERR_NULL, "host_alloc: p is NULL");
    *p = NULL;
    gnd_status st = gnd__told_device("host_alloc", dev);
    if (st != GND_OK || nbytes == 0)
        return st;
    if (gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("host_alloc", &e);
    gnd__host *h = gnd__calloc(1, sizeof *h);
    gnd__gate_lock(dev->g);
    if (!h || !gnd__streaming_of(dev))
        st = gnd__err(&e, GND_ERR_NOMEM, "out of host memory");
    if (st == GND_OK)
        st = gnd__gate_host_alloc(dev->g, nbytes, &h->p, &e);
    if (st == GND_OK && !h->p) {
        h->plain = 1;
        if (nbytes > SIZE_MAX - PAGE || posix_memalign(&h->p, PAGE, nbytes)) {
            h->p = NULL;
            st = gnd__err(&e, GND_ERR_NOMEM, "no %zu bytes of host memory", nbytes);
        }
    }
    if (st == GND_OK) {
        h->next = dev->streaming->hosts;
        dev->streaming->hosts = h;
        *p = h->p;
    }
    gnd__gate_unlock(dev->g);
    if (st == GND_OK)
        return st;
    gnd__free(h);
    return gnd__only_status("host_alloc", &e);
}

static void host_free(gnd__gdev *d, gnd__host *h)
{
    if (h->plain)
        free(h->p);
    else
        gnd__gate_host_free(d, h->p);
    gnd__free(h);
}

gnd_status gnd_host_free(gnd_device *dev, void *p)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = gnd__told_device("host_free", dev);
    if (st != GND_OK || !p)
        return st;
    if (gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("host_free", &e);
    gnd__gate_lock(dev->g);
    gnd__host **at = dev->streaming ? &dev->streaming->hosts : NULL;
    while (at && *at && (*at)->p != p)
        at = &(*at)->next;
    if (at && *at) {
        gnd__host *h = *at;
        *at = h->next;
        st = gnd__gate_settle(dev->g, &e);
        host_free(dev->g, h);
    } else {
        st = gnd__err(&e, GND_ERR_ARG, "%p is not memory that gnd_host_alloc gave for %s", p,
                      gnd_device_id(dev));
    }
    gnd__gate_unlock(dev->g);
    return st == GND_OK ? st : gnd__only_status("host_free", &e);
}

void gnd__host_end(gnd_device *dev)
{
    gnd__host *h;
    while ((h = dev->streaming->hosts) != NULL) {
        dev->streaming->hosts = h->next;
        host_free(dev->g, h);
    }
}

/* --- transfers -------------------------------------------------------------------------------- */

gnd_array *gnd_from_async(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          const void *data)
{
    gnd_array *bad = gnd__check_from("from_async", dev, t, ndim, shape, data), *failed;
    gnd_err e = {GND_OK, 0, ""};
    if (bad)
        return bad;
    if (t == GND_BOOL) { /* bytes other than 0 and 1 become 1 */
        gnd_array *x = gnd_from(dev, t, ndim, shape, data);
        return gnd__named("from_async", x);
    }
    gnd_array *x = gnd__placed(dev, t, ndim, shape);
    if (x->kind == GND__ERROR || x->size == 0)
        return gnd__named("from_async", x);
    gnd__gate_lock(dev->g);
    const gnd_status st =
        gnd__gate_write_async(dev->g, x->data.st->block, 0, data, gnd__nbytes(x), &e);
    gnd__gate_unlock(dev->g);
    if (st == GND_OK)
        return x;
    failed = gnd__error_node(dev, &e);
    gnd_release(x);
    return gnd__named("from_async", failed);
}

/* x's elements are in the way of the current stream. */
static gnd_status enqueue(gnd_array *x, void *dst, gnd_err *e)
{
    gnd__gdev *d = x->dev->g;
    gnd_array *c;
    gnd__gate_lock(d);
    gnd_status st = gnd__ready(x, &c, e);
    if (st == GND_OK) {
        if (x->data.st->checks)
            st = gnd__passed(x, GND_OK, e);
        if (st == GND_OK && x->size > 0)
            st = gnd__gate_read_async(d, dst, c->data.st->block,
                                      (size_t)c->data.off * gnd_dtype_size((gnd_dtype)x->dtype),
                                      gnd__nbytes(x), e);
        gnd__unref(c);
    }
    gnd__gate_unlock(d);
    return st;
}

gnd_status gnd_read_async(gnd_array *x, void *dst, size_t nbytes)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!x || gnd_status_of(x) != GND_OK || !x->dev || nbytes != gnd__nbytes(x) ||
        (!dst && nbytes > 0)) { /* a number, or an error: gnd_read has the words for it */
        const gnd_status st = gnd_read(x, dst, nbytes);
        return st == GND_OK ? st : gnd__message_named("read_async", st);
    }
    const gnd_status st = enqueue(x, dst, &e);
    return st == GND_OK ? st : gnd__only_status("read_async", &e);
}
