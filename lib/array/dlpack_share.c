/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/dlpack_share.c - tensors and arrays on the same memory, in the layout of DLPack 1.x.
 *
 * A tensor that was exported owns a reference to the array's storage and a hold on the gate's
 * device, so its memory outlives the array and gnd_close. Its deleter knows neither the array nor
 * the gnd_device.
 */
#include <stdlib.h>
#include <string.h>

#include "array/dlpack.h"
#include "array/place.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>

static int is_rule(gnd_copy_rule copy)
{
    return copy == GND_COPY_IF_NEEDED || copy == GND_COPY_ALWAYS || copy == GND_COPY_NEVER;
}

/* --- in --------------------------------------------------------------------------------------- */

static void drop_versioned(void *tensor)
{
    gnd_dl_versioned *v = tensor;
    if (v && v->deleter)
        v->deleter(tensor);
}

static void drop_managed(void *tensor)
{
    gnd_dl_managed *m = tensor;
    if (m && m->deleter)
        m->deleter(tensor);
}

/* Whether all bytes of a tensor of bools in host memory are 0 or 1, including those between its
 * elements. */
static int is_truth(const gnd_dl_tensor *x, const gnd__reach *r)
{
    const unsigned char *p = (const unsigned char *)x->data + x->byte_offset;
    unsigned char over = 0;
    for (int64_t i = r->low; i <= r->high; i++)
        over |= p[i] > 1;
    return !over;
}

/* An array on x's memory. NULL: not possible, and *e says why. */
static gnd_array *on_tensor(gnd_device *dev, const gnd_dl_tensor *x, gnd__release_fn *release,
                            void *ctx, gnd_err *e)
{
    const gnd_dtype t = gnd__dl_dtype(x);
    const int host = x->device_type == GND_DL_CPU || x->device_type == GND_DL_CUDA_HOST ||
                     x->device_type == GND_DL_ROCM_HOST,
              cl = x->device_type == GND_DL_OPENCL;
    const uint64_t data = (uint64_t)(uintptr_t)x->data;
    const gnd_mem_native m = {.handle = cl ? x->data : NULL,
                              .offset = cl ? x->byte_offset : 0,
                              .address = cl ? 0 : data + x->byte_offset,
                              .host = (uint32_t)host};
    gnd__reach r;
    if (gnd__dl_reach(x, t, &r)) {
        gnd__err(e, GND_ERR_FORMAT, "strides that leave 64 bits");
        return NULL;
    }
    if (t == GND_BOOL && (!host || !is_truth(x, &r))) {
        gnd__err(e, GND_ERR_UNSUPPORTED,
                 host ? "bools that are neither 0 nor 1 need a copy"
                      : "bools in the memory of a device need a copy, since they may be neither 0 "
                        "nor 1");
        return NULL;
    }
    return gnd__on_memory(dev, t, x->ndim, x->shape, &r, &m, release, ctx, e);
}

/* An array on a tensor's memory. The tensor has elements and is checked; only the device may refuse
 * it. */
static int is_sound(gnd_device *dev, const gnd_dl_tensor *x)
{
    const gnd_dtype t = gnd__dl_dtype(x);
    if (t == GND_DTYPE_DEFAULT || !x->data)
        return 0;
    gnd_array *bad = gnd__check_type("take_dlpack", dev, t);
    bad = bad ? bad : gnd__check_shape("take_dlpack", dev, t, x->ndim, x->shape);
    gnd_release(bad);
    return !bad && gnd__shape_size(x->ndim, x->shape, 1) > 0;
}

/* taken: the array owns the tensor from here on */
static gnd_array *take(gnd_device *dev, const gnd_dl_tensor *x, gnd_copy_rule copy,
                       gnd__release_fn *release, void *ctx, int *taken)
{
    gnd_err e = {.code = GND_OK};
    gnd_array *y;
    if (!is_rule(copy))
        return gnd__fail(dev, GND_ERR_ARG, "take_dlpack: copy is %d: a gnd_copy_rule is needed",
                         (int)copy);
    if (copy == GND_COPY_ALWAYS || !is_sound(dev, x)) /* copying reports the error */
        return gnd__dl_copy(dev, x);
    y = on_tensor(dev, x, release, ctx, &e);
    *taken = y != NULL;
    if (y)
        return y;
    if (copy == GND_COPY_IF_NEEDED && x->device_type != GND_DL_OPENCL &&
        (e.code == GND_ERR_UNSUPPORTED || e.code == GND_ERR_ARG))
        return gnd__dl_copy(dev, x);
    gnd__err_prefix(&e, "take_dlpack");
    return gnd__error_node(dev, &e);
}

static gnd_array *take_any(gnd_device *dev, void *tensor, int legacy, gnd_copy_rule copy)
{
    const gnd__inner in = gnd__enter("take_dlpack");
    gnd__release_fn *drop = legacy ? drop_managed : drop_versioned;
    int taken = 0;
    gnd_array *y = legacy ? gnd__dl_check_legacy(dev, tensor) : gnd__dl_check(dev, tensor);
    if (!y)
        y = take(dev,
                 legacy ? &((gnd_dl_managed *)tensor)->dl_tensor
                        : &((gnd_dl_versioned *)tensor)->dl_tensor,
                 copy, drop, tensor, &taken);
    y = gnd__leave(in, y);
    if (!taken)
        drop(tensor);
    return y;
}

gnd_array *gnd_take_dlpack(gnd_device *dev, struct DLManagedTensorVersioned *tensor,
                           gnd_copy_rule copy)
{
    return take_any(dev, tensor, 0, copy);
}

gnd_array *gnd_take_dlpack_legacy(gnd_device *dev, struct DLManagedTensor *tensor,
                                  gnd_copy_rule copy)
{
    return take_any(dev, tensor, 1, copy);
}

/* --- out -------------------------------------------------------------------------------------- */

/* CU_STREAM_LEGACY, as DLPack and CUDA number it. */
enum { LEGACY_STREAM = 1 };

/* A tensor of shared memory, and the objects that it holds. */
typedef struct exported {
    union {
        gnd_dl_versioned v;
        gnd_dl_managed m;
    } t; /* first: the deleters get its address */
    gnd__storage *st;
    gnd__gdev *g;
    int cuda;       /* the consumer works in streams */
    int64_t dims[]; /* shape, then strides */
} exported;

/* The consumer may have queued work that reads the memory, in a stream that may no longer exist.
 * The legacy default stream waits for all other streams except NON_BLOCKING ones, and later work of
 * gnd's queue waits for it. If the driver refuses (it is being unloaded), at least all work of gnd
 * has finished. */
static void after_consumer(const exported *x)
{
    gnd_err e = {.code = GND_OK};
    if (gnd__forked)
        return;
    gnd__gate_lock(x->g);
    (void)gnd__gate_use(x->g, x->st->block, 0, NULL); /* other streams then come after this one */
    if (gnd__gate_order(x->g, (void *)(intptr_t)LEGACY_STREAM, 1, &e) != GND_OK) {
        gnd__log(GND__LOG_WARN, "%s: the end of an exported tensor: %s", x->g->id, e.msg);
        (void)gnd__gate_finish(x->g, NULL);
    }
    gnd__gate_unlock(x->g);
}

static void end_export(exported *x)
{
    if (x->cuda)
        after_consumer(x);
    gnd__storage_unref(x->st);
    gnd__gate_drop(x->g);
    gnd__free(x);
}

static void end_versioned(struct DLManagedTensorVersioned *self)
{
    end_export((exported *)(void *)self);
}

static void end_managed(struct DLManagedTensor *self)
{
    end_export((exported *)(void *)self);
}

/* Fills *t with x, whose elements are at m as memory of that kind. */
static void describe(gnd_dl_tensor *t, const gnd_array *x, const gnd_mem_native *m, int32_t type,
                     int64_t *dims)
{
    const int cl = type == GND_DL_OPENCL;
    *t = (gnd_dl_tensor){.data = cl ? m->handle : (void *)(uintptr_t)m->address,
                         .device_type = type,
                         .device_id = type == GND_DL_CPU ? 0 : x->dev->g->index,
                         .ndim = x->ndim,
                         .code = gnd__dl_code((gnd_dtype)x->dtype),
                         .bits = (uint8_t)(8 * gnd_dtype_size((gnd_dtype)x->dtype)),
                         .lanes = 1,
                         .shape = dims,
                         .strides = dims + x->ndim,
                         .byte_offset = cl ? m->offset : 0};
    for (int d = 0; d < x->ndim; d++) {
        dims[d] = x->dim[d];
        dims[x->ndim + d] = x->size ? gnd__stored_stride(x, d) : 0;
    }
}

/* Ensures that x's elements are computed before the consumer reads them. */
static gnd_status in_order(gnd__gdev *d, int32_t type, int64_t stream, gnd_err *e)
{
    if (type == GND_DL_CPU || stream == 0)
        return gnd__gate_finish(d, e);
    return stream == -1 ? GND_OK : gnd__gate_order(d, (void *)(intptr_t)stream, 0, e);
}

/* The memory of x as a tensor, without its deleter and flags. Device lock held. */
static gnd_status share(gnd_array *x, int32_t type, int64_t stream, exported **out, gnd_err *e)
{
    gnd_mem_native m;
    gnd_status st = gnd__memory_of(x, &m, e);
    if (st != GND_OK)
        return st;
    const int there = x->size == 0            ? 1
                      : type == GND_DL_CPU    ? m.host && m.address
                      : type == GND_DL_OPENCL ? m.handle != NULL
                                              : !m.handle && m.address;
    if (!there)
        return gnd__err(e, GND_ERR_UNSUPPORTED, "the elements are in memory of %s, not of the host",
                        x->dev->g->id);
    if ((st = in_order(x->dev->g, type, stream, e)) != GND_OK)
        return st;
    exported *t = gnd__malloc(sizeof *t + 2 * (size_t)x->ndim * sizeof *t->dims);
    if (!t)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    memset(t, 0, sizeof *t);
    describe(&t->t.v.dl_tensor, x, &m, type, t->dims);
    t->st = x->data.st;
    t->g = x->dev->g;
    t->cuda = type == GND_DL_CUDA;
    gnd__storage_ref(t->st);
    gnd__gate_hold(t->g);
    *out = t;
    return GND_OK;
}

/* The same for a copy in the device's own memory. */
static gnd_status share_copy(gnd_array *x, int32_t type, int64_t stream, exported **out, gnd_err *e)
{
    gnd_array *c, *y = gnd__placed(x->dev, (gnd_dtype)x->dtype, x->ndim, x->dim);
    gnd_status st = gnd_status_of(y);
    if (st != GND_OK) {
        *e = *y->p.err;
        gnd_release(y);
        return st;
    }
    if ((st = gnd__ready(x, &c, e)) == GND_OK) {
        if (x->size > 0)
            st = gnd__gate_copy(x->dev->g, y->data.st->block, 0, c->data.st->block,
                                (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype),
                                gnd__nbytes(y), e);
        st = gnd__passed(x, st, e);
        gnd__unref(c);
    }
    if (st == GND_OK)
        st = share(y, type, stream, out, e);
    gnd_release(y);
    return st;
}

/* Checks the arguments. Sets *type to the kind of memory. */
static gnd_status check_export(gnd_array *x, int32_t *type, gnd_copy_rule copy, gnd_err *e)
{
    gnd_array *bad = gnd__check_strong(x, "share_dlpack", "x");
    if (bad) {
        *e = *bad->p.err;
        gnd_release(bad);
        return e->code;
    }
    const int cuda = !strcmp(x->dev->g->be->name, "cuda"),
              opencl = !strcmp(x->dev->g->be->name, "opencl");
    if (!is_rule(copy))
        return gnd__err(e, GND_ERR_ARG, "copy is %d: a gnd_copy_rule is needed", (int)copy);
    if (*type == 0)
        *type = cuda ? GND_DL_CUDA : GND_DL_CPU;
    if (*type == GND_DL_CPU || (*type == GND_DL_CUDA && cuda) || (*type == GND_DL_OPENCL && opencl))
        return GND_OK;
    return gnd__err(e, GND_ERR_DEVICE, "device type %d: %s gives %d (host memory)%s", (int)*type,
                    x->dev->g->id, GND_DL_CPU,
                    cuda     ? " and 2 (CUDA)"
                    : opencl ? " and 4 (OpenCL)"
                             : "");
}

/* Makes a tensor; *copied: whether it may be written. NULL with *e: an error, or (code GND_OK) a
 * copy in host memory is needed. */
static exported *export(gnd_array *x, int32_t type, gnd_copy_rule copy, int64_t stream, int *copied,
                        gnd_err *e)
{
    exported *t = NULL;
    if (check_export(x, &type, copy, e) != GND_OK)
        return NULL;
    *copied = copy == GND_COPY_ALWAYS;
    if (*copied && type == GND_DL_CPU)
        return NULL;
    gnd__gate_lock(x->dev->g);
    if (*copied)
        (void)share_copy(x, type, stream, &t, e);
    else
        (void)share(x, type, stream, &t, e);
    gnd__gate_unlock(x->dev->g);
    if (!t && e->code == GND_ERR_UNSUPPORTED && type == GND_DL_CPU && copy == GND_COPY_IF_NEEDED)
        gnd__err_clear(e);
    return t;
}

struct DLManagedTensorVersioned *gnd_share_dlpack(gnd_array *x, int32_t device_type,
                                                  gnd_copy_rule copy, int64_t stream, gnd_status *s)
{
    gnd_err e = {.code = GND_OK};
    gnd_status none;
    int copied = 0;
    s = s ? s : &none;
    exported *t = export(x, device_type, copy, stream, &copied, &e);
    *s = GND_OK;
    if (t) {
        t->t.v.major = t->t.v.minor = 1;
        t->t.v.deleter = end_versioned;
        t->t.v.flags = copied ? GND_DL_IS_COPIED : GND_DL_READ_ONLY;
        return (struct DLManagedTensorVersioned *)(void *)t;
    }
    if (e.code) {
        *s = gnd__only_status("share_dlpack", &e);
        return NULL;
    }
    struct DLManagedTensorVersioned *y = gnd_to_dlpack(x, s);
    if (!y)
        gnd__message_named("share_dlpack", *s);
    return y;
}

struct DLManagedTensor *gnd_share_dlpack_legacy(gnd_array *x, int32_t device_type,
                                                gnd_copy_rule copy, int64_t stream, gnd_status *s)
{
    gnd_err e = {.code = GND_OK};
    gnd_status none;
    int copied = 0;
    exported *t = NULL;
    s = s ? s : &none;
    if (check_export(x, &device_type, copy, &e) == GND_OK && copy == GND_COPY_NEVER)
        gnd__err(&e, GND_ERR_UNSUPPORTED,
                 "the older structure cannot say that memory is read-only: take the versioned one, "
                 "or a copy");
    if (!e.code)
        t = export(x, device_type, GND_COPY_ALWAYS, stream, &copied, &e);
    *s = GND_OK;
    if (t) {
        const gnd_dl_tensor tensor = t->t.v.dl_tensor;
        t->t.m = (gnd_dl_managed){.dl_tensor = tensor, .deleter = end_managed};
        return (struct DLManagedTensor *)(void *)t;
    }
    if (e.code) {
        *s = gnd__only_status("share_dlpack", &e);
        return NULL;
    }
    struct DLManagedTensor *y = gnd_to_dlpack_legacy(x, s);
    if (!y)
        gnd__message_named("share_dlpack", *s);
    return y;
}
