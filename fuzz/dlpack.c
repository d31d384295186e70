/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dlpack.c - DLPack tensors with arbitrary numbers in their fields. The memory is exactly as large
 * as the fields say, as a caller promises. Inputs that are valid but need more than a MiB are
 * skipped.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include <gnd.h>

enum { AGAIN = 5000, DIMS = 8, MOST = 1 << 20 };

/* Further than 64 bits reach, whatever an element has. */
#define FAR ((__int128)1 << 67)

static gnd_device *dev;
static int used;

/* The next byte, 0 at the end. */
static uint8_t next(const uint8_t **p, const uint8_t *end)
{
    return *p < end ? *(*p)++ : 0;
}

/* An int: small mostly, and any of 64 bits after a byte from 224 on. */
static int64_t number(const uint8_t **p, const uint8_t *end)
{
    uint8_t b = next(p, end);
    uint64_t v = 0;
    if (b < 224)
        return (int64_t)b - 64;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)next(p, end) << 8 * i;
    return (int64_t)v;
}

/* a b, or FAR in its direction. */
static __int128 product(__int128 a, __int128 b)
{
    __int128 v;
    if (__builtin_mul_overflow(a, b, &v))
        return (a < 0) == (b < 0) ? FAR : -FAR;
    return v > FAR ? FAR : v < -FAR ? -FAR : v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *p = data, *end = data + n;
    const uint8_t flags = next(&p, end);
    int64_t shape[DIMS + 64] = {0}, strides[DIMS + 64] = {0};
    gnd_dl_versioned v;
    gnd_dl_managed old;
    memset(&v, 0, sizeof v);
    memset(&old, 0, sizeof old);
    if (!dev) {
        dev = gnd_open("null:0");
        FUZZ_MUST(gnd_device_status(dev) == GND_OK);
        gnd_device_set_limit(dev, (uint64_t)16 << 20);
    }
    v.major = flags & 1 ? next(&p, end) : 1;
    gnd_dl_tensor *t = &v.dl_tensor;
    t->device_type = flags & 2 ? (int32_t)number(&p, end) : GND_DL_CPU;
    t->code = next(&p, end);
    t->bits = next(&p, end);
    t->lanes = flags & 4 ? next(&p, end) : 1;
    t->ndim = flags & 8 ? (int32_t)number(&p, end) : next(&p, end) % (DIMS + 1);
    t->shape = flags & 16 ? NULL : shape;
    t->strides = flags & 32 ? NULL : strides;
    /* how far the elements reach, in bytes; bits / 8 is 0 for what cannot be a dtype */
    __int128 low = 0, high = 0, all = 1;
    const int dims = t->ndim < 0 || t->ndim > DIMS ? DIMS : t->ndim, size = t->bits / 8 + 1;
    for (int i = 0; i < dims; i++)
        shape[i] = number(&p, end);
    for (int i = 0; i < dims; i++)
        strides[i] = number(&p, end);
    for (int i = dims - 1; i >= 0; i--) {
        const __int128 step = t->strides ? (__int128)strides[i] : all;
        if (shape[i] > 0)
            *(step < 0 ? &low : &high) += product(step, shape[i] - 1);
        all = shape[i] < 0 ? 0 : product(all, shape[i]);
    }
    low *= size;
    high = (high + 1) * size;
    const int much = all > MOST || low < -(__int128)MOST || high > (__int128)MOST;
    if (much && all < FAR && low > -FAR && high < FAR)
        return 0; /* a tensor that could be */
    uint8_t *mem = malloc(much ? 1 : (size_t)(high - low));
    if (!mem)
        return 0;
    if (!much)
        memset(mem, flags, (size_t)(high - low));
    t->data = flags & 64 ? NULL : mem;
    t->byte_offset = much ? 0 : (uint64_t)-low;
    old.dl_tensor = *t;
    const struct DLManagedTensorVersioned *of = (const struct DLManagedTensorVersioned *)(void *)&v;
    const struct DLManagedTensor *of_old = (const struct DLManagedTensor *)(void *)&old;
    gnd_array *y = flags & 128 ? gnd_from_dlpack_legacy(dev, of_old) : gnd_from_dlpack(dev, of);
    gnd_status st = gnd_status_of(y);
    FUZZ_MUST(st != GND_ERR_INTERNAL);
    FUZZ_MUST(!much || all == 0 || st != GND_OK);
    const gnd_copy_rule rule = (gnd_copy_rule)(next(&p, end) % 4);
    gnd_array *z = gnd_take_dlpack(dev, (struct DLManagedTensorVersioned *)(void *)&v, rule);
    FUZZ_MUST(gnd_status_of(z) != GND_ERR_INTERNAL && (!much || all == 0 || gnd_status_of(z)));
    if (gnd_status_of(z) == GND_OK && gnd_wait(z) == GND_OK) {
        gnd_status shared;
        struct DLManagedTensorVersioned *back = gnd_share_dlpack(z, 0, rule, 0, &shared);
        FUZZ_MUST(back || shared != GND_OK);
        if (back)
            ((const gnd_dl_versioned *)(void *)back)->deleter(back);
    }
    gnd_release(z); /* its memory is that of mem */
    free(mem);      /* of y a copy was made */
    if (st == GND_OK && gnd_wait(y) == GND_OK) {
        struct DLManagedTensorVersioned *back = gnd_to_dlpack(y, &st);
        if (back) {
            const gnd_dl_versioned *b = (const gnd_dl_versioned *)(void *)back;
            FUZZ_MUST(b->dl_tensor.ndim == gnd_ndim(y) &&
                      b->dl_tensor.bits == 8 * gnd_dtype_size(gnd_dtype_of(y)));
            b->deleter(back);
        }
    }
    gnd_release(y);
    if (++used % AGAIN == 0) {
        gnd_close(dev);
        dev = NULL;
    }
    return 0;
}
