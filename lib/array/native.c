/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/native.c - memory and queues shared with the rest of a program: where an array's elements
 * are, and arrays on memory of others.
 *
 * Kernels may read 16 bytes at a time where a block's start and the offset allow that. So a foreign
 * block begins at a multiple of 16, at most 15 bytes before the first element, and the array's
 * offset makes up for it.
 */
#include "array/native.h"

#include <inttypes.h>
#include <string.h>
#include "array/place.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "sched/check.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/native.h>

enum { ALIGN = 16 };

int gnd__reach_of(int ndim, const int64_t *shape, const int64_t *stride, size_t esize,
                  gnd__reach *r)
{
    int64_t step = 1, reach, bytes;
    r->low = r->high = 0;
    r->contig = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        r->stride[d] = stride ? stride[d] : step;
        if (shape[d] > 1) {
            r->contig &= r->stride[d] == step;
            if (__builtin_mul_overflow(shape[d] - 1, r->stride[d], &reach) ||
                __builtin_add_overflow(reach < 0 ? r->low : r->high, reach,
                                       reach < 0 ? &r->low : &r->high))
                return -1;
        }
        step *= shape[d]; /* the shape was checked, so this cannot overflow */
    }
    return __builtin_sub_overflow(r->high, r->low, &reach) ||
                   __builtin_add_overflow(reach, 1, &reach) ||
                   __builtin_mul_overflow(reach, (int64_t)esize, &bytes)
               ? -1
               : 0;
}

/* --- in --------------------------------------------------------------------------------------- */

gnd_array *gnd__on_block(gnd_device *dev, gnd__block *b, gnd_dtype t, int ndim,
                         const int64_t *shape, const gnd__reach *r, int64_t off, gnd_err *e)
{
    gnd__storage *st = gnd__storage_new(dev, b);
    if (!st) {
        gnd__err(e, GND_ERR_NOMEM, "out of host memory");
        gnd__pool_free(dev->g, b);
        return NULL;
    }
    gnd_array *y = gnd__data_node(dev, t, ndim, shape, st, off, r->contig ? NULL : r->stride);
    gnd__storage_unref(st); /* y holds it; if there is no y, this frees b */
    if (y->kind == GND__DATA)
        return y;
    gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd_release(y);
    return NULL;
}

gnd_array *gnd__on_memory(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          const gnd__reach *r, const gnd_mem_native *first,
                          gnd__release_fn *release, void *ctx, gnd_err *e)
{
    const int64_t esize = (int64_t)gnd_dtype_size(t);
    const size_t span = (size_t)((r->high - r->low + 1) * esize);
    const uint64_t begin = first->handle ? first->offset : first->address;
    const uint64_t low = begin + (uint64_t)(r->low * esize); /* wraps round if it is negative */
    if (low > begin) {
        gnd__err(e, GND_ERR_ARG, "strides that reach %" PRIu64 " bytes before the memory's start",
                 (uint64_t)0 - low);
        return NULL;
    }
    if (span > UINT64_MAX - low) {
        gnd__err(e, GND_ERR_ARG, "strides that reach beyond 64 bits of addresses");
        return NULL;
    }
    if (low % (uint64_t)esize) {
        gnd__err(e, GND_ERR_ARG,
                 "the memory at %#" PRIx64 " is not aligned to the %d bytes of %s: copy it", begin,
                 (int)esize, gnd_dtype_name(t));
        return NULL;
    }
    const uint64_t before = low % ALIGN;
    gnd_mem_native m = *first;
    m.address = first->handle ? 0 : low - before;
    m.offset = 0;
    gnd__block *b = NULL;
    gnd_array *y = NULL;
    gnd__gate_lock(dev->g);
    if (gnd__gate_wrap(dev->g, &m, first->handle ? low - before : 0, span + before, &b, e) ==
        GND_OK)
        y = gnd__on_block(dev, b, t, ndim, shape, r, (int64_t)before / esize - r->low, e);
    if (y)
        gnd__gate_owner(b, release, ctx);
    gnd__gate_unlock(dev->g);
    return y;
}

/* Reads the array's layout from the fields of m; or an error. *r is set if there are elements. */
static gnd_array *check_native(gnd_device *dev, const gnd_native_array *m, gnd__reach *r)
{
    static const char func[] = "from_native";
    const gnd_dtype t = (gnd_dtype)m->dtype;
    int64_t stride[GND_MAX_NDIM];
    gnd_array *bad;
    if ((bad = gnd__check_type(func, dev, t)) ||
        (bad = gnd__check_shape(func, dev, t, m->ndim, m->shape)))
        return bad;
    if (gnd__shape_size(m->ndim, m->shape, 1) == 0)
        return NULL;
    const int64_t esize = (int64_t)gnd_dtype_size(t);
    for (int d = 0; d < m->ndim; d++) {
        if (m->shape[d] > 1 && m->strides[d] % esize)
            return gnd__fail(dev, GND_ERR_ARG,
                             "%s: stride %" PRId64 " of axis %d is not a multiple of the %d bytes "
                             "of %s",
                             func, m->strides[d], d, (int)esize, gnd_dtype_name(t));
        stride[d] = m->strides[d] / esize;
    }
    if (gnd__reach_of(m->ndim, m->shape, stride, (size_t)esize, r))
        return gnd__fail(dev, GND_ERR_ARG, "%s: strides that leave 64 bits", func);
    if (m->kind != GND_NATIVE_HOST && m->kind != GND_NATIVE_OPENCL && m->kind != GND_NATIVE_CUDA)
        return gnd__fail(dev, GND_ERR_ARG, "%s: kind %d is not a gnd_native_kind with elements",
                         func, (int)m->kind);
    if (m->kind == GND_NATIVE_OPENCL ? !m->handle : !m->address)
        return gnd__fail(dev, GND_ERR_NULL, "%s: there are elements, and the %s is %s", func,
                         m->kind == GND_NATIVE_OPENCL ? "handle" : "address",
                         m->kind == GND_NATIVE_OPENCL ? "NULL" : "0");
    return NULL;
}

static gnd_array *from_native(gnd_device *dev, const gnd_native_array *m, gnd_release_fn *release,
                              void *ctx, int *taken)
{
    gnd__reach r;
    gnd_err e = {.code = GND_OK};
    gnd_array *bad = gnd__check_device("from_native", dev);
    if (bad)
        return bad;
    if (!m)
        return gnd__fail(dev, GND_ERR_NULL, "from_native: memory is NULL");
    if ((bad = check_native(dev, m, &r)))
        return bad;
    if (gnd__shape_size(m->ndim, m->shape, 1) == 0)
        return gnd__named("from_native",
                          gnd_from(dev, (gnd_dtype)m->dtype, m->ndim, m->shape, NULL));
    const gnd_mem_native first = {.handle = m->kind == GND_NATIVE_OPENCL ? m->handle : NULL,
                                  .offset = m->kind == GND_NATIVE_OPENCL ? m->offset : 0,
                                  .address = m->kind == GND_NATIVE_OPENCL ? 0 : m->address,
                                  .host = m->kind == GND_NATIVE_HOST};
    gnd_array *y =
        gnd__on_memory(dev, (gnd_dtype)m->dtype, m->ndim, m->shape, &r, &first, release, ctx, &e);
    if (!y) {
        gnd__err_prefix(&e, "from_native");
        return gnd__error_node(dev, &e);
    }
    *taken = 1;
    return y;
}

gnd_array *gnd_from_native(gnd_device *dev, const gnd_native_array *memory, gnd_release_fn *release,
                           void *ctx)
{
    int taken = 0;
    gnd_array *y = from_native(dev, memory, release, ctx, &taken);
    if (!taken && release)
        release(ctx);
    return y;
}

/* --- out -------------------------------------------------------------------------------------- */

int64_t gnd__stored_stride(const gnd_array *x, int d)
{
    int64_t step = 1;
    if (!x->data.contig)
        return x->data.stride[d];
    for (int i = d + 1; i < x->ndim; i++)
        step *= x->dim[i];
    return step;
}

gnd_status gnd__memory_of(gnd_array *x, gnd_mem_native *m, gnd_err *e)
{
    gnd_status st = gnd__elements(x, e);
    *m = (gnd_mem_native){0};
    if (st == GND_OK && x->data.st->checks)
        st = gnd__passed(x, GND_OK, e);
    if (st != GND_OK || x->size == 0)
        return st;
    return gnd__gate_native(x->dev->g, x->data.st->block,
                            (size_t)x->data.off * gnd_dtype_size((gnd_dtype)x->dtype), m, e);
}

/* The error of x as a status, with a message of func; GND_OK: x is an array of a device. */
static gnd_status usable(const char *func, gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    gnd_err e;
    if (!bad)
        return GND_OK;
    e = *bad->p.err;
    gnd_release(bad);
    return gnd__only_status(func, &e);
}

/* Sets *out to where the elements of x are; the device is locked. */
static gnd_status describe(gnd_array *x, gnd_native_array *out, gnd_err *e)
{
    gnd_mem_native m;
    const int64_t esize = (int64_t)gnd_dtype_size((gnd_dtype)x->dtype);
    const gnd_status st = gnd__memory_of(x, &m, e);
    if (st != GND_OK)
        return st;
    out->kind = x->size == 0 ? GND_NATIVE_NONE
                : m.handle   ? GND_NATIVE_OPENCL
                : m.host     ? GND_NATIVE_HOST
                             : GND_NATIVE_CUDA;
    out->dtype = x->dtype;
    out->handle = m.handle;
    out->offset = m.offset;
    out->address = m.address;
    out->nbytes = gnd__nbytes(x);
    out->ndim = x->ndim;
    for (int d = 0; d < x->ndim; d++) {
        out->shape[d] = x->dim[d];
        out->strides[d] = x->size ? gnd__stored_stride(x, d) * esize : 0;
    }
    return GND_OK;
}

gnd_status gnd_native(gnd_array *x, gnd_native_array *out)
{
    gnd_err e = {.code = GND_OK};
    if (out)
        memset(out, 0, sizeof *out);
    else
        return gnd__refuse(GND_ERR_NULL, "native: out is NULL");
    gnd_status st = usable("native", x);
    if (st != GND_OK)
        return st;
    gnd__gate_lock(x->dev->g);
    st = describe(x, out, &e);
    gnd__gate_unlock(x->dev->g);
    return st == GND_OK ? st : gnd__only_status("native", &e);
}

gnd_array *gnd_native_new(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          gnd_native_array *out)
{
    static const char func[] = "native_new";
    gnd_err e = {.code = GND_OK};
    gnd_array *bad;
    if (out)
        memset(out, 0, sizeof *out);
    if ((bad = gnd__check_device(func, dev)) || (bad = gnd__check_type(func, dev, t)) ||
        (bad = gnd__check_shape(func, dev, t, ndim, shape)))
        return bad;
    if (!out)
        return gnd__fail(dev, GND_ERR_NULL, "%s: out is NULL", func);
    gnd_array *y = gnd__named(func, gnd__placed(dev, t, ndim, shape));
    if (gnd_status_of(y) != GND_OK)
        return y;
    gnd__gate_lock(dev->g);
    gnd_status st = y->size ? gnd__gate_use(dev->g, y->data.st->block, 1, &e) : GND_OK;
    if (st == GND_OK)
        st = describe(y, out, &e);
    gnd__gate_unlock(dev->g);
    if (st == GND_OK)
        return y;
    gnd_release(y);
    gnd__err_prefix(&e, func);
    return gnd__error_node(dev, &e);
}

gnd_status gnd_native_fill(gnd_native_array *out, gnd_dtype t, int ndim, const int64_t *shape)
{
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "native_fill: out is NULL");
    memset(out, 0, sizeof *out);
    gnd_array *bad = gnd__check_type("native_fill", NULL, t);
    bad = bad ? bad : gnd__check_shape("native_fill", NULL, t, ndim, shape);
    if (bad) {
        const gnd_err e = *bad->p.err;
        gnd_release(bad);
        return gnd__only_status("native_fill", &e);
    }
    uint64_t step =
        gnd_dtype_size(t); /* for an empty array the sum may overflow, and is not used */
    out->dtype = t;
    out->ndim = ndim;
    for (int d = ndim - 1; d >= 0; d--) {
        out->shape[d] = shape[d];
        out->strides[d] = (int64_t)step;
        step *= (uint64_t)shape[d];
    }
    out->nbytes = (uint64_t)gnd__shape_size(ndim, shape, 1) * gnd_dtype_size(t);
    return GND_OK;
}

gnd_status gnd_device_native(gnd_device *dev, gnd_native_device *out)
{
    gnd_err e = {.code = GND_OK};
    gnd_dev_native n = {0};
    if (out)
        memset(out, 0, sizeof *out);
    else
        return gnd__refuse(GND_ERR_NULL, "device_native: out is NULL");
    gnd_status st = gnd__told_device("device_native", dev);
    if (st != GND_OK)
        return st;
    gnd__gate_lock(dev->g);
    st = gnd__gate_device_native(dev->g, &n, &e);
    gnd__gate_unlock(dev->g);
    if (st != GND_OK)
        return gnd__only_status("device_native", &e);
    *out = (gnd_native_device){n.platform, n.device, n.context, n.queue};
    return GND_OK;
}
