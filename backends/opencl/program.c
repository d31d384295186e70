/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/program.c - the program group: building from source or from a binary, kernels, launches. A
 * kernel remembers its arguments and sets only those that changed, because the host's cost of a
 * launch dominates for small arrays. A binary has our header (identity of the device, a hash), so
 * that a damaged or foreign file is refused here and never reaches the driver's parser.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "ocl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gnd_prog {
    gnd_dev *dev;
    cl_program p;
    uint64_t turn; /* turns.c: of its source; 0: it does not take turns */
};

/* The last value of an argument; kind 0: not set, or unknown after a failure. */
typedef struct last_arg {
    uint32_t kind, nbytes;
    union {
        uint64_t serial;
        unsigned char value[16];
    } u;
} last_arg;

struct gnd_kern {
    cl_kernel k;
    gnd_dev *dev;
    size_t most;       /* the largest group; 0: not asked for yet */
    unsigned failures; /* dev->failures when the arguments were set */
    uint32_t nargs;
    uint64_t turn, compiled[4]; /* turns.c: of the program; of launches whose group is compiled */
    char name[64];
    last_arg last[];
};

static const char magic[] = "gndocl01";

/* The whole log, malloc'ed; NULL if there is no log. */
static char *build_log(cl_program p, cl_device_id id)
{
    size_t n = 0;
    if (clGetProgramBuildInfo(p, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n) != CL_SUCCESS || n < 2)
        return NULL;
    char *s = malloc(n + 1);
    if (s && clGetProgramBuildInfo(p, id, CL_PROGRAM_BUILD_LOG, n, s, NULL) == CL_SUCCESS) {
        s[n] = 0;
        return s;
    }
    free(s);
    return NULL;
}

/* Whether a source has nothing of a user's: what users write follows a #line (gnd/backend.h). */
static int is_own(const char *src, size_t len)
{
    return !memmem(src, len, "#line ", 6);
}

/* The options: those that correctness needs, the caller's, and `last`. malloc'ed. Warnings are off:
 * they would concern the user's expression (x < x), and PoCL prints their number on stderr. */
static char *options(const gnd_dev *d, const char *opts, const char *last)
{
    const char *std = strstr(opts, "-cl-std") ? "" : "-cl-std=CL1.2 ";
    const char *div = d->info->exact_div ? "-cl-fp32-correctly-rounded-divide-sqrt " : "";
    const size_t n = strlen("-w ") + strlen(std) + strlen(div) + strlen(opts) + strlen(last) + 1;
    char *s = malloc(n);
    if (s)
        snprintf(s, n, "-w %s%s%s%s", std, div, opts, last);
    return s;
}

static gnd_status prog_wrap(gnd_dev *d, cl_program p, gnd_prog **out, gnd_err *e)
{
    gnd_prog *g = malloc(sizeof *g);
    if (!g) {
        clReleaseProgram(p);
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a program");
    }
    *g = (gnd_prog){.dev = d, .p = p};
    *out = g;
    return GND_OK;
}

/* One build, `bare` with the declarations of declare.c in place of the compiler's. After a failure
 * *p still exists, for its log, or is NULL. */
static cl_int build_once(gnd_dev *d, const char *src, size_t len, const char *opts, int bare,
                         cl_program *p)
{
    const char *text[2] = {bare ? gnd__ocl_declared : "", src};
    const size_t lens[2] = {strlen(text[0]), len};
    cl_int r;
    *p = clCreateProgramWithSource(d->ctx, 2 - !bare, text + !bare, lens + !bare, &r);
    return *p ? clBuildProgram(*p, 1, &d->info->id, opts, NULL, NULL) : r;
}

static gnd_status build(gnd_dev *d, const char *src, size_t len, const char *opts, gnd_prog **out,
                        char **log, gnd_err *e)
{
    cl_program p;
    if (log)
        *log = NULL;
    const int bare = d->info->pocl && is_own(src, len);
    char *all = options(d, opts ? opts : "", bare ? gnd__ocl_bare : "");
    if (!all)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for the compiler's options");
    cl_int r = build_once(d, src, len, all, bare, &p);
    char *text = p && !gnd__ocl_ok(r) ? build_log(p, d->info->id) : NULL;
    if (p && !gnd__ocl_ok(r) && d->info->pocl && (bare || !(text && strstr(text, "error:")))) {
        /* Processes that fill PoCL's cache at the same time may conflict. Then a build fails
         * without a compiler message. Or declare.c lacks something. */
        free(text);
        clReleaseProgram(p);
        if (bare)
            all[strlen(all) - strlen(gnd__ocl_bare)] = 0;
        r = build_once(d, src, len, all, 0, &p);
        text = p && !gnd__ocl_ok(r) ? build_log(p, d->info->id) : NULL;
    }
    if (gnd__ocl_ok(r)) {
        free(all);
        return prog_wrap(d, p, out, e);
    }
    gnd_status s = p ? gnd__ocl_fail(e, r, "clBuildProgram (%s)", all)
                     : gnd__ocl_fail(e, r, "clCreateProgramWithSource (%zu bytes)", len);
    if (text && s == GND_ERR_BUILD)
        s = gnd__plug_fail(e, s, r, "%.400s", text);
    if (log)
        *log = text;
    else
        free(text);
    if (p)
        clReleaseProgram(p);
    free(all);
    return s;
}

static gnd_status prog_build(gnd_dev *d, const char *src, size_t len, const char *opts,
                             gnd_prog **out, char **log, gnd_err *e)
{
    if (d->turns < 0)
        return build(d, src, len, opts, out, log, e);
    const uint64_t turn = gnd__ocl_turn_of(0, src, len);
    gnd__ocl_turn_begin(d, turn);
    const gnd_status s = build(d, src, len, opts, out, log, e);
    gnd__ocl_turn_end(d, turn);
    if (s == GND_OK)
        (*out)->turn = turn;
    return s;
}

static void prog_free(gnd_prog *p)
{
    if (!p)
        return;
    clReleaseProgram(p->p);
    free(p);
}

static gnd_status kern_new(gnd_prog *p, const char *name, gnd_kern **out, gnd_err *e)
{
    cl_int r;
    cl_uint nargs = 0;
    cl_kernel ck = clCreateKernel(p->p, name, &r);
    if (!ck)
        return gnd__ocl_fail(e, r, "clCreateKernel (%s)", name);
    r = clGetKernelInfo(ck, CL_KERNEL_NUM_ARGS, sizeof nargs, &nargs, NULL);
    if (!gnd__ocl_ok(r)) {
        clReleaseKernel(ck);
        return gnd__ocl_fail(e, r, "clGetKernelInfo (%s)", name);
    }
    gnd_kern *k = calloc(1, sizeof *k + nargs * sizeof k->last[0]);
    if (!k) {
        clReleaseKernel(ck);
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for kernel %s", name);
    }
    k->k = ck;
    k->dev = p->dev;
    k->nargs = nargs;
    k->turn = p->turn;
    gnd__plug_str(k->name, sizeof k->name, name);
    *out = k;
    return GND_OK;
}

gnd_status gnd__ocl_kernel_copy(const gnd_kern *k, uint32_t nargs, cl_kernel *out, gnd_err *e)
{
    if (nargs != k->nargs)
        return gnd__plug_fail(e, GND_ERR_BACKEND, 0, "kernel %s takes %u arguments, %u given",
                              k->name, (unsigned)k->nargs, (unsigned)nargs);
    cl_program p;
    char name[256];
    cl_int r = clGetKernelInfo(k->k, CL_KERNEL_PROGRAM, sizeof p, &p, NULL);
    if (gnd__ocl_ok(r))
        r = clGetKernelInfo(k->k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (gnd__ocl_ok(r))
        *out = clCreateKernel(p, name, &r);
    return gnd__ocl_ok(r) ? GND_OK : gnd__ocl_fail(e, r, "clCreateKernel (%s once more)", k->name);
}

static void kern_free(gnd_kern *k)
{
    if (!k)
        return;
    gnd__ocl_drain(k->dev);
    clReleaseKernel(k->k);
    free(k);
}

/* The arguments of k are set again at its next launch. */
static void forget(gnd_kern *k)
{
    for (uint32_t i = 0; i < k->nargs; i++)
        k->last[i].kind = 0;
}

cl_int gnd__ocl_set_arg(cl_kernel k, cl_uint i, const gnd_karg *a)
{
    switch (a->kind) {
    case GND_ARG_BUF:
        return clSetKernelArg(k, i, sizeof(cl_mem), a->u.buf ? (void *)&a->u.buf->mem : NULL);
    case GND_ARG_VALUE: return clSetKernelArg(k, i, a->nbytes, a->u.value);
    case GND_ARG_LOCAL: return clSetKernelArg(k, i, a->nbytes, NULL);
    default: return CL_INVALID_ARG_VALUE;
    }
}

/* Sets argument i if it differs from the last time. A buffer is known by its serial number: the
 * address of a cl_mem may be reused after a free, and the driver may have kept the old object. c:
 * the call by which another thread sets it. */
static cl_int set_arg(gnd_kern *k, gnd__ocl_call *c, cl_uint i, const gnd_karg *a)
{
    last_arg *l = &k->last[i];
    last_arg now = {.kind = a->kind, .nbytes = a->nbytes};
    switch (a->kind) {
    case GND_ARG_BUF:
        now.nbytes = 0;
        now.u.serial = a->u.buf ? a->u.buf->serial : 0;
        if (l->kind == GND_ARG_BUF && l->u.serial == now.u.serial)
            return CL_SUCCESS;
        break;
    case GND_ARG_VALUE:
        if (a->nbytes > sizeof now.u.value)
            return CL_INVALID_ARG_SIZE;
        if (l->kind == GND_ARG_VALUE && l->nbytes == a->nbytes &&
            memcmp(l->u.value, a->u.value, a->nbytes) == 0)
            return CL_SUCCESS;
        memcpy(now.u.value, a->u.value, a->nbytes);
        break;
    case GND_ARG_LOCAL:
        if (l->kind == GND_ARG_LOCAL && l->nbytes == a->nbytes)
            return CL_SUCCESS;
        break;
    default: return CL_INVALID_ARG_VALUE;
    }
    const cl_int r = c ? gnd__ocl_call_set(c, i, a) : gnd__ocl_set_arg(k->k, i, a);
    if (gnd__ocl_ok(r))
        *l = now;
    else
        l->kind = 0;
    return r;
}

/* Whether the group is no larger than the kernel's largest. Otherwise the launch fails, at once. */
static int fits(gnd_kern *k, const gnd_klaunch *l)
{
    size_t group = 1;
    if (!k->dev->submit)
        return 1;
    if (!k->most &&
        !gnd__ocl_ok(clGetKernelWorkGroupInfo(k->k, k->dev->info->id, CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof k->most, &k->most, NULL)))
        return 0;
    for (uint32_t d = 0; d < l->ndim && d < 3; d++)
        group *= l->local[d];
    return group <= k->most;
}

/* The turn of a launch that is the kernel's first with its group size, or 0. */
static uint64_t first_turn(gnd_kern *k, const gnd_klaunch *l)
{
    const uint64_t turn = gnd__ocl_turn_of(gnd__ocl_turn_of(k->turn, k->name, strlen(k->name)),
                                           l->local, l->ndim * sizeof l->local[0]);
    for (size_t i = 0; i < sizeof k->compiled / sizeof k->compiled[0]; i++) {
        if (k->compiled[i] == turn)
            return 0;
        if (!k->compiled[i])
            return k->compiled[i] = turn;
    }
    return 0;
}

static gnd_status launch(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e)
{
    if (l->nargs != k->nargs)
        return gnd__plug_fail(e, GND_ERR_BACKEND, 0, "kernel %s takes %u arguments, %u given",
                              k->name, (unsigned)k->nargs, (unsigned)l->nargs);
    gnd__ocl_call *c;
    const gnd_status s = gnd__ocl_later(q->dev, q, fits(k, l) ? l->nargs : UINT32_MAX, &c, e);
    if (s != GND_OK)
        return s;
    if (k->failures != q->dev->failures)
        forget(k);
    k->failures = q->dev->failures;
    for (cl_uint i = 0; i < l->nargs; i++) {
        const cl_int r = set_arg(k, c, i, &l->args[i]);
        if (!gnd__ocl_ok(r)) {
            forget(k); /* arguments before it may be in a call that is not made */
            return gnd__ocl_fail(e, r, "clSetKernelArg (argument %u of %s, %u bytes)", (unsigned)i,
                                 k->name, (unsigned)l->args[i].nbytes);
        }
    }
    if (c) {
        c->k = k->k;
        c->name = k->name;
        c->ndim = l->ndim;
        for (unsigned d = 0; d < l->ndim && d < 3; d++) {
            c->global[d] = l->global[d];
            c->local[d] = l->local[d];
        }
        gnd__ocl_call_go(q->dev);
        return GND_OK;
    }
    q->waiting++;
    const uint64_t turn = k->turn ? first_turn(k, l) : 0;
    if (turn) {
        clFinish(q->q); /* a turn has this launch alone, and waits for nobody */
        gnd__ocl_turn_begin(k->dev, turn);
    }
    const cl_int r =
        clEnqueueNDRangeKernel(q->q, k->k, l->ndim, NULL, l->global, l->local, 0, NULL, NULL);
    if (turn) {
        clFinish(q->q); /* a failure is of the launch, and the next wait tells it */
        gnd__ocl_turn_end(k->dev, turn);
    }
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r,
                             "clEnqueueNDRangeKernel (%s, %u-d, global %zu x %zu x %zu, "
                             "local %zu x %zu x %zu)",
                             k->name, (unsigned)l->ndim, l->global[0],
                             l->ndim > 1 ? l->global[1] : 1, l->ndim > 2 ? l->global[2] : 1,
                             l->local[0], l->ndim > 1 ? l->local[1] : 1,
                             l->ndim > 2 ? l->local[2] : 1);
    return GND_OK;
}

/* PoCL compiles for the CPU it runs on: its device name holds the CPU's LLVM and marketing name. */
static int key_text(const gnd_dev *d, char *buf, size_t cap)
{
    const gnd_props *p = &d->info->props;
    return snprintf(buf, cap, "opencl|%s|%s|%s|%s|%s|%s|%d", p->platform, d->info->platform_version,
                    p->vendor, p->name, p->version, p->driver, d->info->exact_div);
}

static gnd_status cache_key(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    return gnd__plug_key(key_text(d, buf, cap), cap, e);
}

static uint64_t device_hash(const gnd_dev *d)
{
    char key[1024];
    const int n = key_text(d, key, sizeof key);
    return gnd__plug_hash(GND__PLUG_HASH, key, n < 0 ? 0 : strlen(key));
}

/* Gets the program's binary for device id, of *n bytes, or with code NULL just *n. An application's
 * context may have several devices; a program then has a binary, or none, for each. */
static cl_int own_binary(cl_program p, cl_device_id id, size_t *n, void *code)
{
    cl_uint ndev = 0, own = 0;
    cl_int r = clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof ndev, &ndev, NULL);
    cl_device_id *ids = calloc(ndev + 1, sizeof *ids);
    size_t *sizes = calloc(ndev + 1, sizeof *sizes);
    void **codes = calloc(ndev + 1, sizeof *codes);
    if (!ids || !sizes || !codes)
        r = CL_OUT_OF_HOST_MEMORY;
    if (gnd__ocl_ok(r))
        r = clGetProgramInfo(p, CL_PROGRAM_DEVICES, ndev * sizeof *ids, ids, NULL);
    if (gnd__ocl_ok(r))
        r = clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, ndev * sizeof *sizes, sizes, NULL);
    while (gnd__ocl_ok(r) && own < ndev && ids[own] != id)
        own++;
    if (gnd__ocl_ok(r) && own == ndev)
        r = CL_INVALID_DEVICE;
    if (gnd__ocl_ok(r) && !code)
        *n = sizes[own];
    if (gnd__ocl_ok(r) && code) {
        codes[own] = code; /* NULL: nothing is copied */
        r = sizes[own] == *n
                ? clGetProgramInfo(p, CL_PROGRAM_BINARIES, ndev * sizeof *codes, codes, NULL)
                : CL_INVALID_VALUE;
    }
    free(ids);
    free(sizes);
    free(codes);
    return r;
}

static gnd_status binary_get(gnd_prog *p, void **bin, size_t *len, gnd_err *e)
{
    size_t n = 0;
    cl_int r = own_binary(p->p, p->dev->info->id, &n, NULL);
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clGetProgramInfo (binary size)");
    if (n == 0)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "the driver gives no binary");
    void *code, *all = gnd__plug_bin_new(n, &code, len, e);
    if (!all)
        return GND_ERR_NOMEM;
    r = own_binary(p->p, p->dev->info->id, &n, code);
    if (!gnd__ocl_ok(r)) {
        free(all);
        return gnd__ocl_fail(e, r, "clGetProgramInfo (binary of %zu bytes)", n);
    }
    gnd__plug_bin_seal(all, *len, magic, device_hash(p->dev));
    *bin = all;
    return GND_OK;
}

static gnd_status binary_load(gnd_dev *d, const void *bin, size_t len, gnd_prog **out, gnd_err *e)
{
    cl_int r, status = CL_SUCCESS;
    const void *code;
    size_t n;
    const gnd_status s = gnd__plug_bin_open(bin, len, magic, device_hash(d), &code, &n, e);
    if (s != GND_OK)
        return s;
    cl_program p = clCreateProgramWithBinary(d->ctx, 1, &d->info->id, &n,
                                             (const unsigned char **)&code, &status, &r);
    if (!p)
        return gnd__ocl_fail(e, r, "clCreateProgramWithBinary");
    if (gnd__ocl_ok(status))
        status = clBuildProgram(p, 1, &d->info->id, "", NULL, NULL);
    if (!gnd__ocl_ok(status)) {
        clReleaseProgram(p);
        return gnd__ocl_fail(e, status, "clBuildProgram (from a binary of %zu bytes)", n);
    }
    return prog_wrap(d, p, out, e);
}

/* Values that the driver does not report stay 0. */
static gnd_status kernel_info(gnd_kern *k, gnd_kern_info *info, gnd_err *e)
{
    size_t group = 0, multiple = 0;
    cl_ulong local = 0, private = 0;
    (void)e;
    if (clGetKernelWorkGroupInfo(k->k, k->dev->info->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                 &group, NULL) == CL_SUCCESS)
        info->max_group = (uint32_t)group;
    if (clGetKernelWorkGroupInfo(k->k, k->dev->info->id,
                                 CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                                 &multiple, NULL) == CL_SUCCESS)
        info->multiple = (uint32_t)multiple;
    if (clGetKernelWorkGroupInfo(k->k, k->dev->info->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                 &local, NULL) == CL_SUCCESS)
        info->local_bytes = local;
    if (clGetKernelWorkGroupInfo(k->k, k->dev->info->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private,
                                 &private, NULL) == CL_SUCCESS)
        info->private_bytes = private;
    return GND_OK;
}

/* Before it returns a binary, PoCL compiles every kernel again, for groups of any size. */
static int binary_late(gnd_dev *d)
{
    return d->info->pocl;
}

const gnd_program_ops gnd__ocl_program_ops = {
    .size = sizeof(gnd_program_ops),
    .build = prog_build,
    .prog_free = prog_free,
    .kernel = kern_new,
    .kernel_free = kern_free,
    .launch = launch,
    .cache_key = cache_key,
    .binary_get = binary_get,
    .binary_load = binary_load,
    .binary_late = binary_late,
    .kernel_info = kernel_info,
};
