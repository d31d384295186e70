/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/tune.c - the parameters of kernels that `gnd tune` measures, and their file.
 */
#include <gnd/tune.h>

#include <stdio.h>
#include <string.h>
#include "device/gate.h"
#include "device/device.h"
#include "graph/graph.h"
#include "prim/choices.h"
#include "sched/plan.h"

int gnd_tune_count(void)
{
    return GND__NTUNE;
}

/* Locks an open device and clears its message. */
static gnd_status begin(const char *func, gnd_device *dev)
{
    gnd_status st = gnd__told_device(func, dev);
    if (st)
        return st;
    gnd__gate_lock(dev->g);
    memset(&dev->g->tune_err, 0, sizeof dev->g->tune_err);
    return gnd__forked ? gnd__fork_error(&dev->g->tune_err) : GND_OK;
}

static gnd_status end(const char *func, gnd_device *dev, gnd_status st)
{
    if (st)
        gnd__only_status(func, &dev->g->tune_err);
    gnd__gate_unlock(dev->g);
    return st;
}

gnd_status gnd_tune_get(gnd_device *dev, int i, gnd_tune_info *info)
{
    gnd_status st = gnd__told_device("tune_get", dev);
    if (st)
        return st;
    if (!info)
        return gnd__refuse(GND_ERR_NULL, "tune_get: info is NULL");
    if (i < 0 || i >= GND__NTUNE)
        return gnd__refuse(GND_ERR_INDEX, "tune_get: parameter %d of %d", i, GND__NTUNE);
    const gnd__tune_row *r = &gnd__tune_rows[i];
    gnd__gate_lock(dev->g);
    *info = (gnd_tune_info){.value = dev->g->tune.v[i],
                            .initial = r->dflt,
                            .least = r->least,
                            .most = r->most,
                            .step = r->step - '0'};
    info->used =
        r->kernels == 'l' ? gnd__library_competes(dev) : gnd__for_cpu(dev) == (r->kernels == 'c');
    gnd__gate_unlock(dev->g);
    snprintf(info->name, sizeof info->name, "%s", r->name);
    snprintf(info->text, sizeof info->text, "%s", r->text);
    return GND_OK;
}

gnd_status gnd_tune_set(gnd_device *dev, const char *name, int value)
{
    gnd_status st = begin("tune_set", dev);
    if (st)
        return st;
    gnd_err *e = &dev->g->tune_err;
    int i = name ? gnd__tune_find(name) : -1;
    if (!name)
        st = gnd__err(e, GND_ERR_NULL, "tune_set: the name is NULL");
    else if (i < 0)
        st = gnd__err(e, GND_ERR_NAME, "tune_set: there is no parameter '%.40s'", name);
    else
        st = gnd__tune_check(i, value, e);
    if (i >= 0 && st)
        gnd__err_prefix(e, "tune_set");
    if (!st && dev->g->tune.v[i] != value) {
        dev->g->tune.v[i] = value;
        gnd__plans_forget(dev);
    }
    return end("tune_set", dev, st);
}

gnd_status gnd_tune_reset(gnd_device *dev)
{
    gnd_status st = begin("tune_reset", dev);
    if (st)
        return st;
    gnd__tune_defaults(&dev->g->tune);
    gnd__plans_forget(dev);
    return end("tune_reset", dev, GND_OK);
}

gnd_status gnd_tune_save(gnd_device *dev)
{
    gnd_status st = begin("tune_save", dev);
    return st ? st : end("tune_save", dev, gnd__tunefile_save(dev->g, &dev->g->tune_err));
}

gnd_status gnd_tune_forget(gnd_device *dev)
{
    gnd_status st = begin("tune_forget", dev);
    return st ? st : end("tune_forget", dev, gnd__tunefile_delete(dev->g, &dev->g->tune_err));
}

gnd_status gnd_tune_file(gnd_device *dev, char *buf, size_t cap, int *present)
{
    char path[GND__TUNE_PATH];
    gnd_status st = gnd__told_device("tune_file", dev);
    if (st)
        return st;
    if (!buf)
        return gnd__refuse(GND_ERR_NULL, "tune_file: buf is NULL");
    gnd__gate_lock(dev->g);
    gnd__tunefile_path(dev->g, path);
    if (present)
        *present = dev->g->tuned;
    gnd__gate_unlock(dev->g);
    if ((size_t)snprintf(buf, cap, "%s", path) < cap)
        return GND_OK;
    return gnd__refuse(GND_ERR_OVERFLOW, "tune_file: room for %zu bytes given, the path has %zu",
                       cap, strlen(path) + 1);
}

const char *gnd_tune_message(gnd_device *dev)
{
    return gnd_device_status(dev) ? gnd_device_error(dev) : dev->g->tune_err.msg;
}
