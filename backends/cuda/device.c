/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/device.c - the device group. Devices are the driver's, in its order (CUDA_VISIBLE_DEVICES
 * and CUDA_DEVICE_ORDER have their usual effect). A missing driver is not an error: the count is 0
 * and the record says why. Opening retains the primary context, which CUDA's run-time library, and
 * so PyTorch or CuPy in the same process, uses as well: their memory can be shared, and a second
 * context would cost 300 MB and time slices.
 */
#include "cu.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gnd__cu_info *list_;
static int nlist;
static gnd_err list_err; /* code != 0: failed; else msg may say why there is no device */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* 0 if the driver does not report it. */
static uint32_t attr(CUdevice id, CUdevice_attribute what)
{
    int v = 0;
    return gnd__cu.DeviceGetAttribute(&v, what, id) == CUDA_SUCCESS && v > 0 ? (uint32_t)v : 0;
}

/* The kernel module's version ("580.159.04"), which says more than CUDA's: the first word of the
 * driver's file that begins with a digit. */
static void driver_text(char *dst, size_t cap, int version)
{
    char line[256] = "", *save = NULL;
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f && !fgets(line, sizeof line, f))
        line[0] = 0;
    if (f)
        fclose(f);
    for (char *w = strtok_r(line, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
        if (w[0] >= '0' && w[0] <= '9' && strchr(w, '.')) {
            gnd__plug_str(dst, cap, w);
            return;
        }
    snprintf(dst, cap, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static void describe(gnd__cu_info *d, int version)
{
    gnd_props *p = &d->props;
    const CUdevice id = d->id;
    char name[128] = "";
    size_t bytes = 0;
    d->driver = version;
    d->major = (int)attr(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    d->minor = (int)attr(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (gnd__cu.DeviceGetName(name, sizeof name, id) != CUDA_SUCCESS)
        name[0] = 0;
    gnd__plug_str(p->name, sizeof p->name, name);
    gnd__plug_str(p->vendor, sizeof p->vendor, "NVIDIA Corporation");
    gnd__plug_str(p->platform, sizeof p->platform, "CUDA");
    driver_text(p->driver, sizeof p->driver, version);
    snprintf(p->version, sizeof p->version, "CUDA %d.%d, compute capability %d.%d", version / 1000,
             version % 1000 / 10, d->major, d->minor);
    p->kind = GND_DEV_GPU;
    p->dialect = GND_DIALECT_CUDA;
    if (gnd__cu.DeviceTotalMem(&bytes, id) != CUDA_SUCCESS)
        bytes = 0;
    p->mem_bytes = p->max_alloc_bytes = bytes;
    p->local_bytes = attr(id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    p->cache_bytes = attr(id, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    p->compute_units = attr(id, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    p->max_group = attr(id, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    p->max_local[0] = attr(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    p->max_local[1] = attr(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    p->max_local[2] = attr(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    gnd__plug_bus(p, attr(id, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                  attr(id, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                  attr(id, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID), 0);
    p->align_bytes = 256; /* as cuMemAlloc guarantees */
    p->has_f64 = 1;
    p->has_atomic64 = 1;
    p->has_f16 = 0; /* kernels convert in hardware and compute in float32 */
    p->host_mapped = 0;
    p->little_endian = 1;
    p->subgroup = attr(id, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    p->has_progress = 1; /* a resident block is never replaced by one that is not resident */
    if (d->major < 7)
        snprintf(p->reason, sizeof p->reason, "compute capability %d.%d: 7.0 or higher is needed",
                 d->major, d->minor);
    else if (attr(id, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED)
        gnd__plug_str(p->reason, sizeof p->reason, "its compute mode forbids it (nvidia-smi -c)");
}

static void list_devices(void)
{
    int version = 0, n = 0;
    const char *why = gnd__cu_driver(&version);
    if (why) {
        gnd__plug_fail(&list_err, GND_OK, 0, "%s", why);
        return;
    }
    CUresult r = gnd__cu.DeviceGetCount(&n);
    if (r != CUDA_SUCCESS) {
        gnd__cu_fail(NULL, &list_err, r, "cuDeviceGetCount");
        return;
    }
    if (n <= 0) {
        gnd__plug_fail(&list_err, GND_OK, 0, "the driver has no device");
        return;
    }
    list_ = calloc((size_t)n, sizeof *list_);
    if (!list_) {
        gnd__plug_fail(&list_err, GND_ERR_NOMEM, 0, "out of memory listing CUDA devices");
        return;
    }
    for (nlist = 0; nlist < n; nlist++) {
        gnd__cu_info *d = &list_[nlist];
        r = gnd__cu.DeviceGet(&d->id, nlist);
        if (r != CUDA_SUCCESS) {
            gnd__cu_fail(NULL, &list_err, r, "cuDeviceGet (%d)", nlist);
            return;
        }
        describe(d, version);
    }
}

static void make_list(void)
{
    gnd__plug_driver_begin();
    list_devices();
    gnd__plug_driver_end();
}

static gnd_status dev_count(int *n, gnd_err *e)
{
    pthread_once(&once, make_list);
    *n = list_err.code ? 0 : nlist;
    if (e)
        *e = list_err;
    return list_err.code;
}

int gnd__cu_oldest(void)
{
    int n, least = INT_MAX;
    if (dev_count(&n, NULL) == GND_OK)
        for (int i = 0; i < n; i++)
            if (!list_[i].props.reason[0] && list_[i].major * 10 + list_[i].minor < least)
                least = list_[i].major * 10 + list_[i].minor;
    return least;
}

static const gnd__cu_info *info_at(int i, gnd_err *e)
{
    int n;
    if (dev_count(&n, e) == GND_OK && i >= 0 && i < n)
        return &list_[i];
    if (!list_err.code)
        gnd__plug_fail(e, GND_ERR_DEVICE, 0, "no CUDA device %d: there are %d", i, n);
    return NULL;
}

static gnd_status dev_props(int i, gnd_props *p, gnd_err *e)
{
    const gnd__cu_info *d = info_at(i, e);
    if (!d)
        return GND_ERR_DEVICE;
    *p = d->props;
    return GND_OK;
}

int gnd__cu_index(CUdevice id)
{
    int n;
    if (dev_count(&n, NULL) == GND_OK)
        for (int i = 0; i < n; i++)
            if (list_[i].id == id)
                return i;
    return -1;
}

gnd_status gnd__cu_open(int i, CUcontext ctx, gnd_dev **out, gnd_err *e)
{
    const gnd__cu_info *info = info_at(i, e);
    if (!info)
        return GND_ERR_DEVICE;
    if (info->props.reason[0])
        return gnd__plug_fail(e, GND_ERR_DEVICE, 0, "%s: %s", info->props.name, info->props.reason);
    static const char *const words[] = {"0", "1", NULL};
    int tf32, loops; /* 0: unset */
    gnd_status s = gnd__plug_choice("GND_CUDA_TF32", words, &tf32, e);
    if (s == GND_OK)
        s = gnd__plug_choice("GND_CUDA_LOOPS", words, &loops, e);
    if (s == GND_OK)
        s = gnd__cu_may_open(e);
    if (s != GND_OK)
        return s;
    gnd_dev *d = calloc(1, sizeof *d);
    if (!d)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory opening a device");
    d->info = info;
    d->tf32 = tf32 == 2;
    d->loops = loops == 2;
    const CUresult r = gnd__cu.DevicePrimaryCtxRetain(&d->ctx, info->id);
    d->primary = r == CUDA_SUCCESS;
    if (r == CUDA_SUCCESS && ctx && ctx != d->ctx) {
        gnd__cu.DevicePrimaryCtxRelease(info->id);
        d->primary = 0;
        d->ctx = ctx;
    }
    if (r != CUDA_SUCCESS) {
        s = gnd__cu_fail(NULL, e, r, "cuDevicePrimaryCtxRetain (%s)", info->props.name);
        goto free_d;
    }
    if ((s = gnd__cu_enter(d, e)) != GND_OK)
        goto release;
    *out = d;
    return GND_OK;

release:
    if (d->primary)
        gnd__cu.DevicePrimaryCtxRelease(info->id);
free_d:
    free(d);
    return s;
}

static gnd_status dev_open(int i, gnd_dev **out, gnd_err *e)
{
    return gnd__cu_open(i, NULL, out, e);
}

static void dev_close(gnd_dev *d)
{
    CUcontext now = NULL;
    if (!d)
        return;
    const int works = gnd__cu_enter_free(d);
    gnd__cu_blas_close(d);
    gnd__cu_fft_close(d);
    gnd__cu_solver_close(d);
    gnd__cu_loop_close(d);
    gnd__cu_event_drop(d, d->base);
    if (works) {
        gnd__cu_stage_close(d);
        /* The last hold ends the context; it must not stay current in this thread. After a fault
         * anywhere it is kept: see error.c. */
        if (d->primary && gnd__cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == d->ctx)
            gnd__cu.CtxSetCurrent(NULL);
        if (d->primary && gnd__cu_may_open(NULL) == GND_OK)
            gnd__cu.DevicePrimaryCtxRelease(d->info->id);
    }
    free(d);
}

static gnd_status mem_info(gnd_dev *d, uint64_t *avail, uint64_t *total, gnd_err *e)
{
    size_t a = 0, t = 0;
    const gnd_status s = gnd__cu_enter(d, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.MemGetInfo(&a, &t);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuMemGetInfo");
    *avail = a;
    *total = t;
    return GND_OK;
}

/* Lets a's context access b's memory, in one direction. Without it the driver copies through the
 * host, so a refusal is not a failure. */
static gnd_status reach(gnd_dev *a, gnd_dev *b, gnd_err *e)
{
    int can = 0;
    const gnd_status s = gnd__cu_enter(a, e);
    if (s != GND_OK)
        return s;
    CUresult r = gnd__cu.DeviceCanAccessPeer(&can, a->info->id, b->info->id);
    if (r == CUDA_SUCCESS && can)
        r = gnd__cu.CtxEnablePeerAccess(b->ctx, 0);
    if (r == CUDA_SUCCESS || r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ||
        r == CUDA_ERROR_TOO_MANY_PEERS || r == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
        return GND_OK;
    return gnd__cu_fail(a, e, r, "cuCtxEnablePeerAccess");
}

/* Always, between two CUDA devices: directly where the hardware can, else by the driver's own
 * staging, which overlaps its two halves. */
static gnd_status can_peer(gnd_dev *a, gnd_dev *b, int *yes, gnd_err *e)
{
    gnd_status s = GND_OK;
    *yes = 0;
    if (a->ctx != b->ctx && (s = reach(a, b, e)) == GND_OK)
        s = reach(b, a, e);
    *yes = s == GND_OK;
    return s;
}

const gnd_device_ops gnd__cu_device_ops = {
    .size = sizeof(gnd_device_ops),
    .count = dev_count,
    .props = dev_props,
    .open = dev_open,
    .close = dev_close,
    .mem_info = mem_info,
    .can_peer = can_peer,
    .open_native = gnd__cu_open_native,
    .native = gnd__cu_dev_native,
};
