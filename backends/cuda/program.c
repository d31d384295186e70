/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/program.c - the program group: modules, kernels, launches. A launch puts pointers to the
 * caller's arguments into an array on the stack and calls the driver: nothing is allocated, copied
 * or waited for. A binary is the cubin behind our header (identity of device, driver and compiler,
 * a hash), so that a damaged or foreign file never reaches the driver's parser.
 *
 * GND_ARG_LOCAL: CUDA has no such parameter. The argument gives the bytes of the kernel's dynamic
 * shared memory (`extern __shared__`), and the kernel has no parameter in its place. At most one is
 * allowed.
 */
#include "cu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gnd_prog {
    gnd_dev *dev;
    CUmodule m;
    void *image; /* the image that it was loaded from, for binary_get */
    size_t nbytes;
};

enum { MAX_PARAMS = GND__CU_PARAMS };

struct gnd_kern {
    CUfunction f;
    gnd_dev *dev;
    int nparams; /* -1: not known */
    char name[64];
    uint32_t size[]; /* bytes of each */
};

static const char magic[] = "gndcuda1";

/* Makes a module from an image and takes ownership of the image, also after failures. */
static gnd_status prog_new(gnd_dev *d, void *image, size_t nbytes, gnd_prog **out, gnd_err *e)
{
    gnd_status s;
    gnd_prog *p = calloc(1, sizeof *p);
    if (!p) {
        s = gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a program");
        goto free_image;
    }
    const CUresult r = gnd__cu.ModuleLoadData(&p->m, image);
    if (r != CUDA_SUCCESS) {
        s = gnd__cu_fail(d, e, r, "cuModuleLoadData (%zu bytes)", nbytes);
        goto free_p;
    }
    p->dev = d;
    p->image = image;
    p->nbytes = nbytes;
    *out = p;
    return GND_OK;

free_p:
    free(p);
free_image:
    free(image);
    return s;
}

static gnd_status prog_build(gnd_dev *d, const char *src, size_t len, const char *opts,
                             gnd_prog **out, char **log, gnd_err *e)
{
    void *image;
    size_t nbytes;
    if (log)
        *log = NULL;
    gnd_status s = gnd__cu_enter(d, e);
    if (s == GND_OK)
        s = gnd__cu_compile(d, src, len, opts ? opts : "", &image, &nbytes, log, e);
    return s == GND_OK ? prog_new(d, image, nbytes, out, e) : s;
}

static void prog_free(gnd_prog *p)
{
    if (!p)
        return;
    if (gnd__cu_enter_free(p->dev))
        gnd__cu.ModuleUnload(p->m);
    free(p->image);
    free(p);
}

/* The sizes of f's parameters, at most MAX_PARAMS; their number, or -1. */
static int params_of(const gnd_prog *p, CUfunction f, const char *name, uint32_t *size)
{
    size_t off, n;
    int k = gnd__cu_cubin_params(p->image, p->nbytes, name, size, MAX_PARAMS);
    if (k >= 0 || !gnd__cu.FuncGetParamInfo)
        return k;
    k = 0;
    while (k < MAX_PARAMS && gnd__cu.FuncGetParamInfo(f, (size_t)k, &off, &n) == CUDA_SUCCESS)
        size[k++] = (uint32_t)n;
    return k;
}

static gnd_status kern_new(gnd_prog *p, const char *name, gnd_kern **out, gnd_err *e)
{
    uint32_t size[MAX_PARAMS];
    CUfunction f = NULL;
    const gnd_status s = gnd__cu_enter(p->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.ModuleGetFunction(&f, p->m, name);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(p->dev, e, r, "cuModuleGetFunction (%s)", name);
    const int n = params_of(p, f, name, size);
    const size_t bytes = n > 0 ? (size_t)n * sizeof *size : 0;
    gnd_kern *k = malloc(sizeof *k + bytes);
    if (!k)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for kernel %s", name);
    k->f = f;
    k->dev = p->dev;
    k->nparams = n;
    gnd__plug_str(k->name, sizeof k->name, name);
    memcpy(k->size, size, bytes);
    *out = k;
    return GND_OK;
}

static void kern_free(gnd_kern *k)
{
    free(k); /* the function is the module's */
}

/* Pointers to the parameters; *shared: bytes of dynamic shared memory. */
static gnd_status set_params(const gnd_kern *k, const gnd_klaunch *l, void **params, size_t *shared,
                             gnd_err *e)
{
    static CUdeviceptr null = 0;
    int n = 0, nlocal = 0;
    if (l->nargs > MAX_PARAMS)
        return gnd__plug_fail(e, GND_ERR_BACKEND, 0, "kernel %s: %u arguments, at most %d", k->name,
                              (unsigned)l->nargs, MAX_PARAMS);
    for (uint32_t i = 0; i < l->nargs; i++) {
        const gnd_karg *a = &l->args[i];
        uint32_t size = sizeof(CUdeviceptr);
        if (a->kind == GND_ARG_LOCAL) {
            if (nlocal++)
                return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                      "kernel %s: CUDA takes one argument of local memory",
                                      k->name);
            *shared = a->nbytes;
            continue;
        }
        if (a->kind == GND_ARG_BUF) {
            params[n] = a->u.buf ? &a->u.buf->p : &null;
        } else {
            params[n] = (void *)a->u.value; /* the driver reads it only */
            size = a->nbytes;
        }
        if (k->nparams >= 0 && (n >= k->nparams || k->size[n] != size))
            return gnd__plug_fail(e, GND_ERR_BACKEND, 0,
                                  "kernel %s: parameter %d has %u bytes, %u are given", k->name, n,
                                  n < k->nparams ? (unsigned)k->size[n] : 0u, (unsigned)size);
        n++;
    }
    if (k->nparams >= 0 && n != k->nparams)
        return gnd__plug_fail(e, GND_ERR_BACKEND, 0, "kernel %s takes %d arguments, %d given",
                              k->name, k->nparams, n);
    return GND_OK;
}

/* From work-items to groups. CUDA's limits are the same on every device: 2^31 - 1 groups along
 * dimension 0 and 65535 along the others. */
static gnd_status set_grid(const gnd_kern *k, const gnd_klaunch *l, unsigned *grid, unsigned *group,
                           gnd_err *e)
{
    if (l->ndim < 1 || l->ndim > 3)
        return gnd__plug_fail(e, GND_ERR_BACKEND, 0, "kernel %s: %u dimensions", k->name,
                              (unsigned)l->ndim);
    for (unsigned i = 0; i < l->ndim; i++) {
        const size_t local = l->local[i], most = i ? 65535 : 2147483647;
        const size_t n = local ? l->global[i] / local : 0;
        if (n == 0 || n * local != l->global[i] || local > 1024)
            return gnd__plug_fail(e, GND_ERR_BACKEND, 0,
                                  "kernel %s: %zu work-items in groups of %zu in dimension %u",
                                  k->name, l->global[i], local, i);
        if (n > most)
            return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                  "kernel %s: %zu groups in dimension %u, CUDA has %zu at most",
                                  k->name, n, i, most);
        grid[i] = (unsigned)n;
        group[i] = (unsigned)local;
    }
    return GND_OK;
}

gnd_status gnd__cu_params(const gnd_kern *k, const gnd_klaunch *l, void **params, size_t *shared,
                          unsigned grid[3], unsigned group[3], gnd_err *e)
{
    const gnd_status s = set_params(k, l, params, shared, e);
    return s == GND_OK ? set_grid(k, l, grid, group, e) : s;
}

CUfunction gnd__cu_function(const gnd_kern *k)
{
    return k->f;
}

static gnd_status launch(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e)
{
    void *params[MAX_PARAMS];
    unsigned g[3] = {1, 1, 1}, b[3] = {1, 1, 1};
    size_t shared = 0;
    gnd_status s = set_params(k, l, params, &shared, e);
    if (s != GND_OK || (s = set_grid(k, l, g, b, e)) != GND_OK ||
        (s = gnd__cu_enter(q->dev, e)) != GND_OK)
        return s;
    const CUresult r = gnd__cu.LaunchKernel(k->f, g[0], g[1], g[2], b[0], b[1], b[2],
                                            (unsigned)shared, q->s, params, NULL);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, r,
                            "cuLaunchKernel (%s, %u x %u x %u groups of %u x %u x %u, %zu bytes "
                            "of shared memory)",
                            k->name, g[0], g[1], g[2], b[0], b[1], b[2], shared);
    return GND_OK;
}

static gnd_status kernel_info(gnd_kern *k, gnd_kern_info *info, gnd_err *e)
{
    static const CUfunction_attribute want[] = {
        CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES};
    int v[4] = {0}, grid = 0, block = 0;
    const gnd_status s = gnd__cu_enter(k->dev, e);
    if (s != GND_OK || !gnd__cu.FuncGetAttribute)
        return s;
    for (int i = 0; i < 4; i++) {
        const CUresult r = gnd__cu.FuncGetAttribute(&v[i], want[i], k->f);
        if (r != CUDA_SUCCESS)
            return gnd__cu_fail(k->dev, e, r, "cuFuncGetAttribute (%s)", k->name);
    }
    info->registers = (uint32_t)v[0];
    info->max_group = (uint32_t)v[1];
    info->local_bytes = (uint64_t)v[2];
    info->private_bytes = (uint64_t)v[3];
    info->multiple = 32;
    if (gnd__cu.OccupancyBlockSize &&
        gnd__cu.OccupancyBlockSize(&grid, &block, k->f, NULL, 0, 0) == CUDA_SUCCESS)
        info->best_group = (uint32_t)block;
    return GND_OK;
}

/* A cubin depends on the compute capability; the driver is in the key since it may have compiled
 * PTX, and since an older one may not take what was made for a newer. */
static int key_text(const gnd_dev *d, char *buf, size_t cap)
{
    char compiler[700];
    gnd__cu_compiler(compiler, sizeof compiler);
    return snprintf(buf, cap, "cuda|%d.%d|%d|%s|%s", d->info->major, d->info->minor,
                    d->info->driver, d->info->props.driver, compiler);
}

static gnd_status cache_key(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    return gnd__plug_key(key_text(d, buf, cap), cap, e);
}

/* Of device and driver only: which compiler made a binary does not matter to its use. */
static uint64_t device_hash(const gnd_dev *d)
{
    const int id[3] = {d->info->major, d->info->minor, d->info->driver};
    return gnd__plug_hash(GND__PLUG_HASH, id, sizeof id);
}

static gnd_status binary_get(gnd_prog *p, void **bin, size_t *len, gnd_err *e)
{
    void *code;
    *bin = gnd__plug_bin_new(p->nbytes, &code, len, e);
    if (!*bin)
        return GND_ERR_NOMEM;
    memcpy(code, p->image, p->nbytes);
    gnd__plug_bin_seal(*bin, *len, magic, device_hash(p->dev));
    return GND_OK;
}

static gnd_status binary_load(gnd_dev *d, const void *bin, size_t len, gnd_prog **out, gnd_err *e)
{
    const void *code;
    size_t n;
    gnd_status s = gnd__cu_enter(d, e);
    if (s != GND_OK ||
        (s = gnd__plug_bin_open(bin, len, magic, device_hash(d), &code, &n, e)) != GND_OK)
        return s;
    void *image = malloc(n); /* aligned, because drivers may require it */
    if (!image)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a binary of %zu bytes", n);
    memcpy(image, code, n);
    return prog_new(d, image, n, out, e);
}

/* NVRTC needs no context, and since CUDA 12 it works in several threads at once; before, they wait
 * for one another. */
static gnd_status compile(gnd_dev *d, const char *src, size_t len, const char *opts, void **bin,
                          size_t *nbytes, char **log, gnd_err *e)
{
    void *image, *code;
    size_t n;
    gnd_status s = gnd__cu_compile(d, src, len, opts, &image, &n, log, e);
    if (s != GND_OK)
        return s;
    *bin = gnd__plug_bin_new(n, &code, nbytes, e);
    if (*bin) {
        memcpy(code, image, n);
        gnd__plug_bin_seal(*bin, *nbytes, magic, device_hash(d));
    }
    free(image);
    return *bin ? GND_OK : GND_ERR_NOMEM;
}

const gnd_program_ops gnd__cu_program_ops = {
    .size = sizeof(gnd_program_ops),
    .build = prog_build,
    .prog_free = prog_free,
    .kernel = kern_new,
    .kernel_free = kern_free,
    .launch = launch,
    .cache_key = cache_key,
    .binary_get = binary_get,
    .binary_load = binary_load,
    .describe = gnd__cu_compiler_describe,
    .kernel_info = kernel_info,
    .compile = compile,
};
