/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/devlist.c - the list of devices for users: every device of every backend, and one entry
 * with the reason for each backend without devices. Made once per process, from the gate's answers.
 */
#include <stdio.h>
#include <string.h>
#include "host/lapack.h"
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"
#include <gnd/device.h>

typedef struct entry {
    const gnd__backend *be; /* NULL: the plugin is not installed */
    int index;              /* -1: the entry reports an absence */
    char name[32];
} entry;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static entry *entries;
static int nentries;

/* Backends whose absence is worth reporting. */
static const char *const known[] = {"cuda", "opencl"};

static void text(char *dst, size_t cap, const char *src)
{
    snprintf(dst, cap, "%s", src);
}

static void list_make(void)
{
    const gnd__backend *const *be;
    int n = gnd__gate_backends(&be), total = (int)(sizeof known / sizeof known[0]);
    for (int i = 0; i < n; i++)
        total += be[i]->ndev > 0 ? be[i]->ndev : 1;
    entries = gnd__calloc((size_t)total, sizeof *entries);
    if (!entries)
        return;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        int there = 0;
        for (int i = 0; i < n; i++)
            there |= !strcmp(be[i]->name, known[k]);
        if (there)
            continue;
        entries[nentries].index = -1;
        text(entries[nentries++].name, sizeof entries->name, known[k]);
    }
    for (int i = 0; i < n; i++) {
        int some = be[i]->ndev > 0 && !be[i]->why.code;
        for (int d = 0; d < (some ? be[i]->ndev : 1); d++) {
            entries[nentries].be = be[i];
            entries[nentries].index = some ? d : -1;
            text(entries[nentries++].name, sizeof entries->name, be[i]->name);
        }
    }
}

/* Allocated once and used until the process ends; freed for leak checkers. */
__attribute__((destructor)) static void list_free(void)
{
    gnd__free(entries);
    entries = NULL;
    nentries = 0;
}

int gnd_device_count(void)
{
    pthread_once(&once, list_make);
    return nentries;
}

static void from_props(gnd_device_info *info, const gnd_props *p)
{
    text(info->name, sizeof info->name, p->name);
    text(info->vendor, sizeof info->vendor, p->vendor);
    text(info->platform, sizeof info->platform, p->platform);
    text(info->driver, sizeof info->driver, p->driver);
    text(info->version, sizeof info->version, p->version);
    text(info->kind, sizeof info->kind,
         p->kind == GND_DEV_GPU   ? "gpu"
         : p->kind == GND_DEV_CPU ? "cpu"
                                  : "other");
    text(info->reason, sizeof info->reason, p->reason);
    text(info->bus, sizeof info->bus, p->bus);
    info->mem_bytes = p->mem_bytes;
    info->max_alloc_bytes = p->max_alloc_bytes;
    info->local_bytes = p->local_bytes;
    info->cache_bytes = p->cache_bytes;
    info->compute_units = p->compute_units;
    info->max_group = p->max_group;
    info->has_f64 = p->has_f64 != 0;
    info->has_f16 = p->has_f16 != 0;
    info->host_mapped = p->host_mapped != 0;
}

/* Writes why there is no plugin of that name, including problems of the search. */
static void not_installed(const char *name, char *dst, size_t cap)
{
    const char *const *note;
    int n = gnd__gate_notes(&note);
    size_t len =
        (size_t)snprintf(dst, cap,
                         "gnd-%s.so is not installed in %.200s (GND_BACKEND_PATH names more "
                         "folders)",
                         name, gnd__gate_where());
    for (int i = 0; i < n && len < cap; i++)
        len += (size_t)snprintf(dst + len, cap - len, "; %s", note[i]);
}

gnd_status gnd_device_list(int i, gnd_device_info *info)
{
    if (!info)
        return gnd__refuse(GND_ERR_NULL, "device_list: info is NULL");
    memset(info, 0, sizeof *info);
    if (i < 0 || i >= gnd_device_count())
        return gnd__refuse(GND_ERR_INDEX, "device_list: entry %d of %d", i, gnd_device_count());
    const entry *e = &entries[i];
    text(info->backend, sizeof info->backend, e->name);
    if (e->index < 0) {
        text(info->id, sizeof info->id, e->name);
        if (e->be)
            text(info->reason, sizeof info->reason, e->be->why.msg);
        else
            not_installed(e->name, info->reason, sizeof info->reason);
        return GND_OK;
    }
    gnd_props p;
    gnd_err err = {.code = GND_OK};
    snprintf(info->id, sizeof info->id, "%s:%d", e->name, e->index);
    if (gnd__gate_props(e->be, e->index, &p, &err))
        text(info->reason, sizeof info->reason, err.msg);
    else
        from_props(info, &p);
    return GND_OK;
}

gnd_status gnd_device_describe(gnd_device *dev, gnd_device_info *info)
{
    if (info)
        memset(info, 0, sizeof *info);
    if (!info)
        return gnd__refuse(GND_ERR_NULL, "device_describe: info is NULL");
    if (gnd_device_status(dev))
        return gnd__told_device("device_describe", dev);
    from_props(info, &dev->g->props);
    text(info->id, sizeof info->id, dev->g->id);
    text(info->backend, sizeof info->backend, dev->g->be->name);
    gnd_err err = {.code = GND_OK};
    gnd__gate_lock(dev->g);
    if (gnd__gate_program_describe(dev->g, info->compiler, sizeof info->compiler, &err))
        info->compiler[0] = '\0';
    if (gnd__gate_blas_describe(dev->g, info->libraries, sizeof info->libraries, &err))
        info->libraries[0] = '\0';
    if (gnd__gate_fft_describe(dev->g, info->transforms, sizeof info->transforms, &err))
        snprintf(info->transforms, sizeof info->transforms, "kernels of gnd");
    if (gnd__gate_solver_describe(dev->g, info->solver, sizeof info->solver, &err))
        snprintf(info->solver, sizeof info->solver, "%s%s",
                 gnd__lapack_library() ? "LAPACK on the host: "
                                       : "none: install OpenBLAS (libopenblas0) or liblapack3",
                 gnd__lapack_library() ? gnd__lapack_library() : "");
    gnd__gate_unlock(dev->g);
    return GND_OK;
}
