/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/dlpack.c - conversion of other libraries' tensors, in the layout of DLPack 1.x, to arrays
 * and back, by copies. dlpack_share.c shares the memory instead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array/dlpack.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "device/device.h"
#include "graph/graph.h"
#include "sched/plan.h"
#include <gnd/array.h>
#include <gnd/create.h>

_Static_assert(sizeof(gnd_dl_tensor) == 32 + 2 * sizeof(void *), "the layout of DLTensor");

/* --- dtypes ----------------------------------------------------------------------------------- */

static const uint8_t codes[] = {['b'] = GND_DL_BOOL,
                                ['i'] = GND_DL_INT,
                                ['u'] = GND_DL_UINT,
                                ['f'] = GND_DL_FLOAT,
                                ['c'] = GND_DL_COMPLEX};

uint8_t gnd__dl_code(gnd_dtype t)
{
    return t == GND_BFLOAT16 ? GND_DL_BFLOAT : codes[gnd_dtype_kind(t)];
}

gnd_dtype gnd__dl_dtype(const gnd_dl_tensor *t)
{
    for (int i = 0; i < GND_NDTYPES; i++)
        if (t->lanes == 1 && t->code == gnd__dl_code((gnd_dtype)i) &&
            t->bits == 8 * gnd_dtype_size((gnd_dtype)i))
            return (gnd_dtype)i;
    return GND_DTYPE_DEFAULT;
}

int gnd__dl_reach(const gnd_dl_tensor *x, gnd_dtype t, gnd__reach *r)
{
    const uint64_t esize = gnd_dtype_size(t);
    int64_t stride[GND_MAX_NDIM];
    if (gnd__reach_of(x->ndim, x->shape, x->strides, esize, r) == 0)
        return 0;
    if (!x->strides || (x->device_type != GND_DL_CUDA && x->device_type != GND_DL_CUDA_MANAGED))
        return -1;
    for (int d = 0; d < x->ndim; d++) {
        const int64_t s = x->strides[d];
        const int wrapped = s > INT64_MAX / (int64_t)esize && (uint64_t)s <= UINT64_MAX / esize;
        stride[d] = wrapped ? (int64_t)((uint64_t)s * esize) / (int64_t)esize : s;
    }
    return gnd__reach_of(x->ndim, x->shape, stride, esize, r);
}

/* --- from ------------------------------------------------------------------------------------- */

static gnd_array *from_host(gnd_device *dev, gnd_dtype t, const gnd_dl_tensor *x,
                            const gnd__reach *l)
{
    int64_t bytes[GND_MAX_NDIM];
    for (int d = 0; d < x->ndim; d++)
        bytes[d] = x->shape[d] > 1 ? l->stride[d] * (int64_t)gnd_dtype_size(t) : 0;
    return gnd_from_strided(dev, t, x->ndim, x->shape, l->contig ? NULL : bytes,
                            x->data ? (const char *)x->data + x->byte_offset : NULL);
}

/* Copies the range from the lowest to the highest element into a block, with the same strides. */
static gnd_array *from_device(gnd_device *dev, gnd_dtype t, const gnd_dl_tensor *x,
                              const gnd__reach *l)
{
    gnd_err e = {.code = GND_OK};
    gnd__block *b = NULL;
    gnd_array *y = NULL;
    const int64_t esize = (int64_t)gnd_dtype_size(t);
    const size_t nbytes = (size_t)((l->high - l->low + 1) * esize);
    const uint64_t first =
        (uint64_t)(uintptr_t)x->data + x->byte_offset + (uint64_t)(l->low * esize);
    gnd__gate_lock(dev->g);
    if (gnd__pool_alloc(dev->g, nbytes, &b, &e) == GND_OK) {
        if (gnd__gate_fetch(dev->g, b, 0, first, nbytes, &e) == GND_OK &&
            gnd__gate_finish(dev->g, &e) == GND_OK)
            y = gnd__on_block(dev, b, t, x->ndim, x->shape, l, -l->low, &e);
        else
            gnd__pool_free(dev->g, b);
    }
    gnd__gate_unlock(dev->g);
    if (y)
        return y;
    gnd__err_prefix(&e, "from_dlpack");
    return gnd__error_node(dev, &e);
}

/* Returns 0 if the memory is the host's, 1 if it is of dev's kind; otherwise sets an error in
 * *bad. */
static int where(gnd_device *dev, const gnd_dl_tensor *x, gnd_array **bad)
{
    static const char *const kinds[] = {[GND_DL_CUDA] = "CUDA",
                                        [GND_DL_OPENCL] = "OpenCL",
                                        [7] = "Vulkan",
                                        [8] = "Metal",
                                        [GND_DL_ROCM] = "ROCm",
                                        [GND_DL_CUDA_MANAGED] = "CUDA",
                                        [14] = "oneAPI",
                                        [15] = "WebGPU",
                                        [17] = NULL};
    int cuda = dev->g->props.dialect == GND_DIALECT_CUDA && dev->g->be->memory.fetch;
    int t = x->device_type;
    *bad = NULL;
    if (t == GND_DL_CPU || t == GND_DL_CUDA_HOST || t == GND_DL_ROCM_HOST)
        return 0;
    if (t == GND_DL_CUDA || t == GND_DL_CUDA_MANAGED) {
        if (cuda)
            return 1;
        *bad = gnd__fail(dev, GND_ERR_DEVICE,
                         "from_dlpack: the tensor is in the memory of cuda:%d, which %s "
                         "cannot read: take a CUDA device, or a copy on the host",
                         x->device_id, gnd__device_id(dev));
        return 0;
    }
    const char *name = t > 0 && t < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[t] : NULL;
    *bad = gnd__fail(dev, GND_ERR_DEVICE,
                     "from_dlpack: the tensor is in %s%smemory (device type %d): take a "
                     "copy on the host",
                     name ? name : "another device's", name ? "'s " : " ", t);
    return 0;
}

gnd_array *gnd__dl_copy(gnd_device *dev, const gnd_dl_tensor *x)
{
    gnd__reach l;
    gnd_array *bad;
    gnd_dtype t = gnd__dl_dtype(x);
    if (t == GND_DTYPE_DEFAULT)
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "from_dlpack: no dtype has type code %d, %d bits and %d lane%s", x->code,
                         x->bits, x->lanes, x->lanes == 1 ? "" : "s");
    if ((bad = gnd__check_type("from_dlpack", dev, t)) ||
        (bad = gnd__check_shape("from_dlpack", dev, t, x->ndim, x->shape)))
        return bad;
    int64_t size = gnd__shape_size(x->ndim, x->shape, 1);
    int on_device = where(dev, x, &bad);
    if (bad)
        return bad;
    if (size == 0)
        return gnd_from(dev, t, x->ndim, x->shape, NULL);
    if (!x->data)
        return gnd__fail(dev, GND_ERR_NULL,
                         "from_dlpack: the tensor has elements, and its data is NULL");
    if (gnd__dl_reach(x, t, &l))
        return gnd__fail(dev, GND_ERR_FORMAT, "from_dlpack: strides that leave 64 bits");
    if (!on_device)
        return from_host(dev, t, x, &l);
    if (t != GND_BOOL)
        return from_device(dev, t, x, &l);
    /* Bytes that are neither 0 nor 1 count as true. */
    const gnd__inner in = gnd__enter("from_dlpack");
    return gnd__leave(in, gnd_astype(from_device(dev, GND_UINT8, x, &l), GND_BOOL));
}

gnd_array *gnd__dl_check(gnd_device *dev, const gnd_dl_versioned *v)
{
    gnd_array *bad = gnd__check_device("from_dlpack", dev);
    if (bad)
        return bad;
    if (!v)
        return gnd__fail(dev, GND_ERR_NULL, "from_dlpack: the tensor is NULL");
    if (v->major != 1)
        return gnd__fail(dev, GND_ERR_FORMAT,
                         "from_dlpack: DLPack %" PRIu32 ".%" PRIu32 ": 1.x is possible", v->major,
                         v->minor);
    return NULL;
}

gnd_array *gnd__dl_check_legacy(gnd_device *dev, const gnd_dl_managed *m)
{
    gnd_array *bad = gnd__check_device("from_dlpack", dev);
    if (bad)
        return bad;
    return m ? NULL : gnd__fail(dev, GND_ERR_NULL, "from_dlpack: the tensor is NULL");
}

gnd_array *gnd_from_dlpack(gnd_device *dev, const struct DLManagedTensorVersioned *tensor)
{
    const gnd_dl_versioned *v = (const gnd_dl_versioned *)tensor;
    gnd_array *bad = gnd__dl_check(dev, v);
    return bad ? bad : gnd__dl_copy(dev, &v->dl_tensor);
}

gnd_array *gnd_from_dlpack_legacy(gnd_device *dev, const struct DLManagedTensor *tensor)
{
    const gnd_dl_managed *m = (const gnd_dl_managed *)tensor;
    gnd_array *bad = gnd__dl_check_legacy(dev, m);
    return bad ? bad : gnd__dl_copy(dev, &m->dl_tensor);
}

/* --- to --------------------------------------------------------------------------------------- */

/* A tensor's allocation: the structure, its shape and strides, then the elements. */
static void free_versioned(struct DLManagedTensorVersioned *self)
{
    gnd__free(self);
}

static void free_managed(struct DLManagedTensor *self)
{
    gnd__free(self);
}

/* Allocates `head` bytes and a tensor of x, which goes to *t. NULL with a status and its
 * message. */
static void *exported(gnd_array *x, size_t head, gnd_dl_tensor *t, gnd_status *s)
{
    enum { ALIGN = 256 };
    gnd_err e = {.code = GND_OK};
    gnd_status none;
    unsigned char *p = NULL;
    s = s ? s : &none;
    gnd_array *bad = gnd__check(x, "to_dlpack", "x");
    if (bad) {
        e = *bad->p.err;
        gnd_release(bad);
        *s = gnd__only_status("to_dlpack", &e);
        return NULL;
    }
    size_t n = gnd__nbytes(x), dims = (size_t)x->ndim * sizeof(int64_t);
    if (n <= SIZE_MAX / 2)
        p = gnd__malloc(head + 2 * dims + ALIGN + n);
    if (!p) {
        gnd__err(&e, GND_ERR_NOMEM, "out of host memory for %zu bytes", n);
        *s = gnd__only_status("to_dlpack", &e);
        return NULL;
    }
    uintptr_t end = (uintptr_t)p + head + 2 * dims;
    void *data = p + head + 2 * dims + (ALIGN - end % ALIGN) % ALIGN;
    *s = GND_OK;
    if (x->weak)
        gnd__store_scalar((gnd_dtype)x->dtype, data, &x->p.value);
    else
        *s = gnd__message_named("to_dlpack", gnd_read(x, data, n));
    if (*s) {
        gnd__free(p);
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->data = x->size ? data : NULL;
    t->device_type = GND_DL_CPU;
    t->ndim = x->ndim;
    t->code = gnd__dl_code((gnd_dtype)x->dtype);
    t->bits = (uint8_t)(8 * gnd_dtype_size((gnd_dtype)x->dtype));
    t->lanes = 1;
    t->shape = (int64_t *)(void *)(p + head);
    t->strides = t->shape + x->ndim;
    uint64_t step = 1; /* for an empty array it may overflow, and is not used */
    for (int d = x->ndim - 1; d >= 0; d--) {
        t->shape[d] = x->dim[d];
        t->strides[d] = (int64_t)step;
        step *= (uint64_t)x->dim[d];
    }
    return p;
}

struct DLManagedTensorVersioned *gnd_to_dlpack(gnd_array *x, gnd_status *s)
{
    gnd_dl_tensor t;
    gnd_dl_versioned *v = exported(x, sizeof *v, &t, s);
    if (v)
        *v = (gnd_dl_versioned){.major = 1,
                                .minor = 1,
                                .deleter = free_versioned,
                                .flags = GND_DL_IS_COPIED,
                                .dl_tensor = t};
    return (struct DLManagedTensorVersioned *)v;
}

struct DLManagedTensor *gnd_to_dlpack_legacy(gnd_array *x, gnd_status *s)
{
    gnd_dl_tensor t;
    gnd_dl_managed *m = exported(x, sizeof *m, &t, s);
    if (m)
        *m = (gnd_dl_managed){.dl_tensor = t, .deleter = free_managed};
    return (struct DLManagedTensor *)m;
}
