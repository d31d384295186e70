/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/device.c - open devices: the registry, their counters and settings. gnd_close is in
 * array/close.c, which knows what a device still holds.
 */
#include "device/device.h"

#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/grave.h"
#include "base/log.h"
#include <gnd/device.h>
#include <gnd/native.h>

/* The result of gnd_open when out of memory. */
static struct gnd_device nomem_device = {
    .magic = GND__DEVICE_MAGIC,
    .err = {.code = GND_ERR_NOMEM, .msg = "open: out of host memory"},
};

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static gnd_device *open_devices; /* those that opened successfully */
static gnd__graves closed;

int gnd__device_closed(const gnd_device *dev)
{
    return gnd__grave_magic(dev) != GND__DEVICE_MAGIC;
}

static int usable(const gnd_device *dev)
{
    return dev && !gnd__device_closed(dev) && !dev->err.code;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static gnd_device *device_new(void)
{
    gnd_device *dev = gnd__grave_new(&closed, sizeof *dev);
    if (!dev)
        return &nomem_device;
    static _Atomic uint64_t last;
    dev->magic = GND__DEVICE_MAGIC;
    dev->serial = atomic_fetch_add(&last, 1) + 1;
    dev->opens = 1;
    return dev;
}

static gnd_device *failed_device(const gnd_err *e)
{
    gnd_device *dev = device_new();
    if (dev != &nomem_device)
        dev->err = *e;
    return dev;
}

/* The registry must be locked. */
static gnd_device *open_locked(const char *spec, gnd_err *e)
{
    const gnd__backend *b;
    int index;
    if (gnd__gate_resolve(spec, &b, &index, e))
        return NULL;
    for (gnd_device *d = open_devices; d; d = d->next_open) {
        if (d->g->be == b && d->g->index == index && !d->g->native) {
            d->opens++;
            return d;
        }
    }
    gnd_device *dev = device_new();
    if (dev == &nomem_device)
        return dev;
    char id[64];
    snprintf(id, sizeof id, "%s:%d", b->name, index);
    if (gnd__gate_open(id, &dev->g, e)) {
        gnd__grave_free(&closed, dev);
        return NULL;
    }
    dev->has_f64 = dev->g->props.has_f64 != 0;
    dev->next_open = open_devices;
    open_devices = dev;
    return dev;
}

gnd_device *gnd_open(const char *spec)
{
    gnd_err e = {.code = GND_OK};
    if (gnd__forked) {
        gnd__fork_error(&e);
        return failed_device(&e);
    }
    pthread_mutex_lock(&registry);
    gnd_device *dev = open_locked(spec, &e);
    pthread_mutex_unlock(&registry);
    return dev ? dev : failed_device(&e);
}

/* The same for an application's own context: always a new device. */
gnd_device *gnd_open_native(const char *backend, const gnd_native_device *native)
{
    gnd_err e = {.code = GND_OK};
    gnd_device *dev;
    if (gnd__forked) {
        gnd__fork_error(&e);
    } else if (!backend || !native) {
        gnd__err(&e, GND_ERR_NULL, "open_native: %s is NULL", backend ? "native" : "backend");
    } else if ((dev = device_new()) != &nomem_device) {
        const gnd_dev_native n = {.platform = native->platform,
                                  .device = native->device,
                                  .context = native->context,
                                  .queue = native->queue};
        pthread_mutex_lock(&registry);
        if (!gnd__gate_open_native(backend, &n, &dev->g, &e)) {
            dev->has_f64 = dev->g->props.has_f64 != 0;
            dev->next_open = open_devices;
            open_devices = dev;
        } else {
            gnd__err_prefix(&e, "open_native");
            dev->err = e;
        }
        pthread_mutex_unlock(&registry);
        return dev;
    } else {
        return dev;
    }
    return failed_device(&e);
}

int gnd__device_last(gnd_device *dev)
{
    if (!dev || dev == &nomem_device)
        return 0;
    if (gnd__device_closed(dev)) {
        gnd__log(GND__LOG_ERROR, "close: the device is closed already");
        return 0;
    }
    if (gnd__forked) /* a lost device is left as it is */
        return dev->g == NULL;
    pthread_mutex_lock(&registry);
    int last = --dev->opens == 0;
    for (gnd_device **p = &open_devices; last && *p; p = &(*p)->next_open) {
        if (*p == dev) {
            *p = dev->next_open;
            break;
        }
    }
    pthread_mutex_unlock(&registry);
    return last;
}

void gnd__device_end(gnd_device *dev)
{
    if (dev->g)
        gnd__gate_close(dev->g);
    gnd__grave_free(&closed, dev);
}

/* --- questions -------------------------------------------------------------------------------- */

gnd_status gnd_device_status(const gnd_device *dev)
{
    if (!dev)
        return GND_ERR_NULL;
    return gnd__device_closed(dev) ? GND_ERR_STATE : dev->err.code;
}

const char *gnd_device_error(const gnd_device *dev)
{
    if (!dev)
        return "the device is NULL";
    return gnd__device_closed(dev) ? "the device is closed" : dev->err.msg;
}

gnd_status gnd__told_device(const char *func, const gnd_device *dev)
{
    gnd_status st = gnd_device_status(dev);
    return st ? gnd__refuse(st, "%s: %s", func, gnd_device_error(dev)) : GND_OK;
}

const char *gnd_device_id(const gnd_device *dev)
{
    return usable(dev) ? dev->g->id : "";
}

gnd_dtype gnd_default_float(gnd_device *dev)
{
    return gnd__device_float(dev);
}

gnd_status gnd_device_stats(gnd_device *dev, gnd_stats *out)
{
    if (out)
        memset(out, 0, sizeof *out);
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "device_stats: out is NULL");
    if (!usable(dev))
        return gnd__told_device("device_stats", dev);
    gnd__gate_lock(dev->g);
    const gnd__counters *n = &dev->g->n;
    *out = (gnd_stats){
        .kernels_launched = n->launches,
        .library_calls = n->calls,
        .kernels_built = n->builds,
        .kernels_from_disk = n->disk_loads,
        .plans_made = n->plans,
        .plans_reused = n->plan_hits,
        .bytes_in_use = n->bytes_in_use,
        .bytes_peak = n->bytes_peak,
        .bytes_held = n->bytes_held,
        .bytes_kept = n->bytes_kept,
        .bytes_limit = gnd__pool_limited(dev->g),
        .programs = n->progs,
        .program_bytes = n->prog_bytes,
        .programs_dropped = n->progs_dropped,
        .pool_allocs = n->allocs,
        .backend_allocs = n->backend_allocs,
        .trims = n->trims,
        .bytes_to_device = n->bytes_h2d,
        .bytes_from_device = n->bytes_d2h,
    };
    gnd__gate_unlock(dev->g);
    if (!gnd__forked)
        gnd__spin_lock(&dev->list);
    out->arrays = dev->nnodes;
    if (!gnd__forked)
        gnd__spin_unlock(&dev->list);
    return GND_OK;
}

gnd_status gnd_device_reset_peak(gnd_device *dev)
{
    if (!usable(dev))
        return gnd__told_device("device_reset_peak", dev);
    gnd__gate_lock(dev->g);
    dev->g->n.bytes_peak = dev->g->n.bytes_in_use;
    gnd__gate_unlock(dev->g);
    return GND_OK;
}

gnd_status gnd_device_trim(gnd_device *dev)
{
    if (!usable(dev))
        return gnd__told_device("device_trim", dev);
    gnd__gate_lock(dev->g);
    (void)gnd__pool_trim(dev->g);
    gnd__gate_unlock(dev->g);
    return GND_OK;
}

gnd_status gnd_device_set_limit(gnd_device *dev, uint64_t nbytes)
{
    if (!usable(dev))
        return gnd__told_device("device_set_limit", dev);
    gnd__gate_lock(dev->g);
    gnd__pool_limit(dev->g, nbytes);
    gnd__gate_unlock(dev->g);
    return GND_OK;
}

void gnd_on_compiling(gnd_compiling_fn *fn, void *ctx)
{
    gnd__compiling_tell(fn, ctx);
}

int gnd__device_has_f64(const gnd_device *dev)
{
    return !usable(dev) || dev->has_f64;
}

gnd_dtype gnd__device_float(const gnd_device *dev)
{
    return gnd__device_has_f64(dev) ? GND_FLOAT64 : GND_FLOAT32;
}

const char *gnd__device_id(const gnd_device *dev)
{
    return gnd_device_id(dev);
}
