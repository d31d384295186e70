/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_share.c - DLPack without copies: gnd_take_dlpack and gnd_share_dlpack. The same addresses in
 * and out, flags, what needs a copy and what refuses one; deleters that are called once, on any
 * thread, and after the device was closed; every allocation and call failing.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "base/mem.h"
#include "expect.h"
#include "ref.h"
#include "tap.h"

enum { N = 24 };

typedef struct DLManagedTensorVersioned *out_versioned;

static int deleted;

static void delete_versioned(struct DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}

static void delete_managed(struct DLManagedTensor *self)
{
    (void)self;
    deleted++;
}

static int64_t dims[2] = {4, 6}, whole[2] = {6, 1};

static gnd_dl_versioned tensor(gnd_dtype t, int code, void *data)
{
    return (gnd_dl_versioned){.major = 1,
                              .minor = 1,
                              .deleter = delete_versioned,
                              .dl_tensor = {.data = data,
                                            .device_type = GND_DL_CPU,
                                            .ndim = 2,
                                            .code = (uint8_t)code,
                                            .bits = (uint8_t)(8 * gnd_dtype_size(t)),
                                            .lanes = 1,
                                            .shape = dims,
                                            .strides = whole}};
}

static gnd_array *take(gnd_device *dev, gnd_dl_versioned *v, gnd_copy_rule copy)
{
    deleted = 0;
    return gnd_take_dlpack(dev, (out_versioned)(void *)v, copy);
}

static gnd_dl_versioned *share(gnd_array *x, int type, gnd_copy_rule copy)
{
    return (gnd_dl_versioned *)(void *)gnd_share_dlpack(x, type, copy, 0, NULL);
}

static void drop(gnd_dl_versioned *v)
{
    if (v)
        v->deleter((out_versioned)(void *)v);
}

static uint64_t address_of(gnd_array *x)
{
    gnd_native_array m;
    return gnd_native(x, &m) == GND_OK ? m.address : 1;
}

/* --- in --------------------------------------------------------------------------------------- */

static void test_take(gnd_device *dev)
{
    _Alignas(64) static int32_t v[N + 1];
    int32_t got[N];
    for (int i = 0; i <= N; i++)
        v[i] = i;
    gnd_dl_versioned t = tensor(GND_INT32, GND_DL_INT, v);
    gnd_array *x = take(dev, &t, GND_COPY_NEVER);
    tap_ok(address_of(x) == (uint64_t)(uintptr_t)v && gnd_read(x, got, sizeof got) == GND_OK &&
               !memcmp(got, v, sizeof got),
           "the tensor's memory: %s", gnd_error(x));
    tap_is_int(deleted, 0, "is used");
    gnd_release(x);
    tap_is_int(deleted, 1, "and given back");

    t.dl_tensor.byte_offset = 4;
    x = take(dev, &t, GND_COPY_IF_NEEDED);
    tap_ok(address_of(x) == (uint64_t)(uintptr_t)(v + 1), "an offset in bytes");
    gnd_release(x);
    t.dl_tensor.byte_offset = 0;
    x = take(dev, &t, GND_COPY_ALWAYS);
    tap_ok(deleted == 1 && address_of(x) != (uint64_t)(uintptr_t)v &&
               gnd_read(x, got, sizeof got) == GND_OK && !memcmp(got, v, sizeof got),
           "a copy");
    gnd_release(x);
    t.dl_tensor.data = (char *)v + 1; /* not aligned */
    x = take(dev, &t, GND_COPY_IF_NEEDED);
    tap_ok(deleted == 1 && gnd_read(x, got, sizeof got) == GND_OK &&
               !memcmp(got, (char *)v + 1, sizeof got),
           "memory that is not aligned is copied");
    gnd_release(x);
    x = take(dev, &t, GND_COPY_NEVER);
    tap_ok(deleted == 1 && gnd_status_of(x) == GND_ERR_ARG &&
               strstr(gnd_error(x), "take_dlpack: the memory at ") == gnd_error(x),
           "or refused: %s", gnd_error(x));
    gnd_release(x);

    gnd_dl_managed m = {.dl_tensor = tensor(GND_INT32, GND_DL_INT, v).dl_tensor,
                        .deleter = delete_managed};
    m.dl_tensor.strides = NULL;
    deleted = 0;
    x = gnd_take_dlpack_legacy(dev, (struct DLManagedTensor *)(void *)&m, GND_COPY_NEVER);
    tap_ok(address_of(x) == (uint64_t)(uintptr_t)v && deleted == 0, "the older structure");
    gnd_release(x);
    tap_is_int(deleted, 1, "given back");

    unsigned char truth[N] = {0, 1, 1}, bools[N];
    gnd_dl_versioned b = tensor(GND_BOOL, GND_DL_BOOL, truth);
    x = take(dev, &b, GND_COPY_NEVER);
    tap_ok(address_of(x) == (uint64_t)(uintptr_t)truth, "bools");
    gnd_release(x);
    truth[5] = 7;
    x = take(dev, &b, GND_COPY_IF_NEEDED);
    tap_ok(deleted == 1 && gnd_read(x, bools, N) == GND_OK && bools[5] == 1,
           "bools other than 0 and 1 are copied");
    gnd_release(x);
    x = take(dev, &b, GND_COPY_NEVER);
    tap_ok(deleted == 1 && gnd_status_of(x) == GND_ERR_UNSUPPORTED, "or refused: %s", gnd_error(x));
    gnd_release(x);
}

static void refuses(gnd_device *dev, gnd_dl_versioned *v, int copy, gnd_status want,
                    const char *text)
{
    gnd_array *x = take(dev, v, (gnd_copy_rule)copy);
    tap_ok(gnd_status_of(x) == want && strstr(gnd_error(x), text) &&
               !strncmp(gnd_error(x), "take_dlpack: ", 13) && deleted == (v != NULL),
           "%s; deleted %d times", gnd_error(x), deleted);
    gnd_release(x);
}

static void test_errors(gnd_device *dev)
{
    float f[N] = {0};
    gnd_dl_versioned v, good = tensor(GND_FLOAT32, GND_DL_FLOAT, f);
#define CHANGED(change, code, message)                                                             \
    v = good;                                                                                      \
    change;                                                                                        \
    refuses(dev, &v, GND_COPY_IF_NEEDED, code, message)
    refuses(dev, NULL, 0, GND_ERR_NULL, "the tensor is NULL");
    refuses(NULL, &good, 0, GND_ERR_NULL, "the device is NULL");
    refuses(dev, &good, 9, GND_ERR_ARG, "copy is 9");
    CHANGED(v.major = 2, GND_ERR_FORMAT, "DLPack 2.1");
    CHANGED(v.dl_tensor.lanes = 4, GND_ERR_DTYPE, "4 lanes");
    CHANGED(v.dl_tensor.ndim = 40, GND_ERR_SHAPE, "40 dimensions");
    CHANGED(v.dl_tensor.data = NULL, GND_ERR_NULL, "its data is NULL");
    CHANGED(v.dl_tensor.device_type = 99, GND_ERR_DEVICE, "device type 99");
    int64_t far[2] = {INT64_MAX / 2, 1};
    CHANGED(v.dl_tensor.strides = far, GND_ERR_FORMAT, "strides that leave 64 bits");
}

/* Strides of a CUDA tensor as CuPy makes negative ones: the bytes by an unsigned size. null:2 takes
 * addresses of the host for CUDA's. */
static void test_wrapped(void)
{
    gnd_device *dev = gnd_open("null:2");
    float f[N] = {0};
    gnd_native_array at;
    gnd_dl_versioned v = tensor(GND_FLOAT32, GND_DL_FLOAT, f + N - 1);
    int64_t back[2] = {(int64_t)((0 - (uint64_t)4 * 6) / 4), INT64_MAX / 2};
    v.dl_tensor.strides = back;
    v.dl_tensor.device_type = GND_DL_CUDA;
    gnd_array *x = take(dev, &v, GND_COPY_NEVER);
    tap_ok(gnd_native(x, &at) == GND_OK && at.strides[0] == -24 && at.strides[1] == -4 &&
               at.address == (uint64_t)(uintptr_t)(f + N - 1),
           "a CUDA tensor from its end on, as CuPy gives it: %s", gnd_error(x));
    gnd_release(x);
    gnd_close(dev);
}

/* --- out -------------------------------------------------------------------------------------- */

static void *drop_there(void *v)
{
    drop(v);
    return NULL;
}

static void test_share(gnd_device *dev)
{
    int32_t v[N];
    gnd_status st = GND_ERR_INTERNAL;
    pthread_t thread;
    for (int i = 0; i < N; i++)
        v[i] = i * i;
    gnd_array *x = gnd_from(dev, GND_INT32, 2, dims, v);
    gnd_dl_versioned *t = share(x, 0, GND_COPY_NEVER);
    tap_ok(t && t->flags == GND_DL_READ_ONLY && t->major == 1 && t->minor == 1 &&
               t->dl_tensor.device_type == GND_DL_CPU && t->dl_tensor.device_id == 0 &&
               (uint64_t)(uintptr_t)t->dl_tensor.data == address_of(x) &&
               t->dl_tensor.byte_offset == 0 && t->dl_tensor.strides[0] == 6 &&
               t->dl_tensor.shape[1] == 6 && t->dl_tensor.bits == 32,
           "an array's memory, read-only: %s", t ? "" : gnd_message());
    gnd_array *back = t ? take(dev, t, GND_COPY_NEVER) : gnd_fail(GND_ERR_ARG, "none");
    tap_ok(address_of(back) == address_of(x), "there and back at the same address");
    gnd_release(back);

    gnd_array *view = gnd_at(x, "1:, ::-2");
    t = share(view, GND_DL_CPU, GND_COPY_NEVER);
    gnd_release(view);
    gnd_release(x);
    tap_ok(t && t->dl_tensor.strides[0] == 6 && t->dl_tensor.strides[1] == -2 &&
               ((int32_t *)t->dl_tensor.data)[0] == 11 * 11 &&
               ((int32_t *)t->dl_tensor.data)[4] == 15 * 15,
           "a view, whose array is gone");
    if (t && pthread_create(&thread, NULL, drop_there, t))
        tap_bail("no thread");
    if (t)
        pthread_join(thread, NULL);

    x = gnd_add(gnd_from(dev, GND_INT32, 2, dims, v), gnd_int(0));
    t = share(x, 0, GND_COPY_ALWAYS);
    tap_ok(t && t->flags == GND_DL_IS_COPIED &&
               (uint64_t)(uintptr_t)t->dl_tensor.data != address_of(x),
           "a copy");
    drop(t);
    gnd_dl_managed *m =
        (gnd_dl_managed *)(void *)gnd_share_dlpack_legacy(x, 0, GND_COPY_IF_NEEDED, -1, &st);
    tap_ok(m && st == GND_OK && (uint64_t)(uintptr_t)m->dl_tensor.data != address_of(x),
           "the older structure: a copy");
    if (m)
        m->deleter((struct DLManagedTensor *)(void *)m);
    m = (gnd_dl_managed *)(void *)gnd_share_dlpack_legacy(x, 0, GND_COPY_NEVER, -1, &st);
    tap_ok(!m && st == GND_ERR_UNSUPPORTED && !strncmp(gnd_message(), "share_dlpack: ", 14), "%s",
           gnd_message());
    t = share(gnd_at(x, "0:0"), 0, GND_COPY_NEVER);
    tap_ok(t && !t->dl_tensor.data && t->dl_tensor.shape[0] == 0, "no elements");
    drop(t);

    const int cl = !strncmp(gnd_device_id(dev), "opencl", 6);
    gnd_native_array at;
    gnd_native(x, &at);
    t = share(x, GND_DL_OPENCL, GND_COPY_NEVER);
    tap_ok(cl ? t && t->dl_tensor.data == at.handle && t->dl_tensor.byte_offset == at.offset
              : !t && strstr(gnd_message(), "share_dlpack: device type 4: "),
           "as OpenCL's memory: %s", t ? "a cl_mem" : gnd_message());
    if (t) {
        back = take(dev, t, GND_COPY_NEVER);
        gnd_native_array again;
        tap_ok(gnd_native(back, &again) == GND_OK && again.handle == at.handle &&
                   again.offset == at.offset,
               "there and back");
        gnd_release(back);
        t = share(x, GND_DL_OPENCL, GND_COPY_ALWAYS);
        tap_ok(t && t->flags == GND_DL_IS_COPIED && t->dl_tensor.device_type == GND_DL_OPENCL,
               "a copy there");
        drop(t);
    }
    tap_ok(!share(x, GND_DL_ROCM, 0) && !share(x, 0, (gnd_copy_rule)5) &&
               strstr(gnd_message(), "share_dlpack: copy is 5"),
           "%s", gnd_message());
    tap_ok(!gnd_share_dlpack(NULL, 0, GND_COPY_NEVER, 0, &st) && st == GND_ERR_NULL &&
               !strcmp(gnd_message(), "share_dlpack: x is NULL"),
           "NULL");
    tap_ok(!gnd_share_dlpack(gnd_real(1), 0, GND_COPY_NEVER, 0, &st) && st == GND_ERR_DEVICE,
           "a number: %s", gnd_message());
}

/* Tensors that live longer than the device. */
static void test_close(const char *spec)
{
    int32_t v[N];
    for (int i = 0; i < N; i++)
        v[i] = 3 * i;
    gnd_device *dev = gnd_open_native("null", &(gnd_native_device){NULL, NULL, NULL, NULL});
    if (strncmp(spec, "null", 4)) { /* a device of its own, which this can close */
        gnd_native_device n;
        gnd_device *own = gnd_open(spec);
        gnd_device_native(own, &n);
        gnd_close(dev);
        dev = gnd_open_native("opencl", &n);
        gnd_close(own);
    }
    gnd_array *x = gnd_from(dev, GND_INT32, 2, dims, v), *y = gnd_at(x, "2");
    gnd_dl_versioned *a = share(x, 0, GND_COPY_NEVER), *b = share(y, 0, GND_COPY_NEVER),
                     *c = tap_sanitized() ? NULL : share(x, 0, GND_COPY_ALWAYS);
    gnd_dl_versioned t = tensor(GND_INT32, GND_DL_INT, v);
    gnd_array *of_v = take(dev, &t, GND_COPY_NEVER);
    gnd_dl_versioned *d = share(of_v, 0, GND_COPY_NEVER);
    gnd_close(dev);
    tap_is_int(gnd_device_status(dev), GND_ERR_STATE, "the device is closed");
    tap_ok(a && b && d && !memcmp(a->dl_tensor.data, v, sizeof v) &&
               ((int32_t *)b->dl_tensor.data)[5] == 3 * 17 && d->dl_tensor.data == v,
           "the tensors' memory is still there");
    tap_is_int(deleted, 0, "memory that came in and went out again, too");
    drop(d);
    tap_is_int(deleted, 1, "until its tensor ends");
    drop(a);
    drop(c);
    drop(b);
}

/* Every allocation, then every backend call failing. */
static void test_faults(gnd_device *dev)
{
    int32_t v[N] = {0};
    gnd_stats s;
    for (int way = 0; way < 2; way++)
        for (int rule = 0; rule < 3; rule++) {
            gnd_dl_versioned t = tensor(GND_INT32, GND_DL_INT, v);
            int bad = 0, fine = 0;
            long k;
            for (k = 1; k < 300 && !fine; k++) {
                way ? gnd__gate_fail_at(k) : gnd__mem_fail_at(k);
                gnd_array *x = take(dev, &t, (gnd_copy_rule)rule);
                const int made = gnd_status_of(x) == GND_OK;
                gnd_dl_versioned *y = made ? share(x, 0, (gnd_copy_rule)rule) : NULL;
                gnd__gate_fail_at(0);
                gnd__mem_fail_at(0);
                fine = made && y;
                drop(y);
                gnd_release(x);
                bad += deleted != 1;
            }
            tap_ok(!bad && fine && k > 3, "rule %d: each of %ld %s failing", rule, k - 2,
                   way ? "backend calls" : "allocations");
        }
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "no array is left");
}

/* CUDA's memory, of gnd's own making. */
static void on_cuda(gnd_device *dev)
{
    int32_t v[N], got[N];
    gnd_status st;
    for (int i = 0; i < N; i++)
        v[i] = i * i;
    gnd_array *x = gnd_multiply(gnd_from(dev, GND_INT32, 2, dims, v), gnd_int(2));
    for (int64_t stream = -1; stream < 3; stream++) {
        gnd_dl_versioned *t =
            (gnd_dl_versioned *)(void *)gnd_share_dlpack(x, 0, GND_COPY_NEVER, stream, &st);
        if (!tap_ok(t && t->dl_tensor.device_type == GND_DL_CUDA &&
                        (uint64_t)(uintptr_t)t->dl_tensor.data == address_of(x),
                    "shared, stream %d: %s", (int)stream, t ? "" : gnd_message()))
            continue;
        gnd_array *y = take(dev, t, GND_COPY_NEVER), *z = gnd_add(y, gnd_int(1));
        tap_ok(address_of(y) == address_of(x) && gnd_read(z, got, sizeof got) == GND_OK &&
                   got[5] == 51,
               "and taken at the same address: %s", gnd_error(y));
        gnd_release(y);
        gnd_release(z);
    }
    gnd_dl_managed *m =
        (gnd_dl_managed *)(void *)gnd_share_dlpack_legacy(x, 0, GND_COPY_IF_NEEDED, 1, &st);
    tap_ok(m && m->dl_tensor.device_type == GND_DL_CUDA &&
               (uint64_t)(uintptr_t)m->dl_tensor.data != address_of(x),
           "the older structure: a copy on the device");
    if (m)
        m->deleter((struct DLManagedTensor *)(void *)m);
    gnd_dl_versioned *h = share(x, GND_DL_CPU, GND_COPY_IF_NEEDED);
    tap_ok(h && h->flags == GND_DL_IS_COPIED && ((int32_t *)h->dl_tensor.data)[5] == 50,
           "a copy in host memory");
    drop(h);
    tap_ok(!share(x, GND_DL_CPU, GND_COPY_NEVER), "which is refused: %s", gnd_message());
}

/* The end of an export while the consumer has work queued that reads the memory: what gnd makes in
 * it afterwards comes later. */
static void test_end(gnd_device *dev)
{
    typedef unsigned long long ptr;
    enum { MANY = 1 << 22, BIG = 1 << 29, COPIES = 40 };
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    int (*retain)(void **, int), (*current)(void *), (*alloc)(ptr *, size_t), (*release)(ptr);
    int (*copy)(ptr, ptr, size_t, void *), (*read)(void *, ptr, size_t), (*drop_context)(int);
    const int64_t n = MANY;
    void *const legacy = (void *)1;
    ptr big, to;
    int device = 0;
#define GET(f, name) *(void **)&(f) = lib ? dlsym(lib, name) : NULL
    GET(retain, "cuDevicePrimaryCtxRetain");
    GET(drop_context, "cuDevicePrimaryCtxRelease_v2");
    GET(current, "cuCtxSetCurrent");
    GET(alloc, "cuMemAlloc_v2");
    GET(release, "cuMemFree_v2");
    GET(copy, "cuMemcpyDtoDAsync_v2");
    GET(read, "cuMemcpyDtoH_v2");
    float *got = malloc(MANY * sizeof *got);
    gnd_array *x = gnd_full(dev, GND_FLOAT32, 1, &n, gnd_real(3)), *y[4];
    gnd_eval_all(1, &x);
    gnd_dl_versioned *t = share(x, GND_DL_CUDA, GND_COPY_NEVER);
    gnd_release(x);
    device = t ? t->dl_tensor.device_id : 0;
    if (!tap_ok(t && read && !retain(&context, device) && !current(context) &&
                    !alloc(&big, 2ull * BIG) && !alloc(&to, MANY * sizeof *got),
                "a tensor in CUDA's memory"))
        return;
    for (int i = 0; i < COPIES; i++)
        copy(big, big + BIG, BIG, legacy);
    copy(to, (ptr)(uintptr_t)t->dl_tensor.data, MANY * sizeof *got, legacy);
    t->deleter((out_versioned)(void *)t);
    for (int i = 0; i < 4; i++)
        y[i] = gnd_full(dev, GND_FLOAT32, 1, &n, gnd_real(4 + i));
    gnd_eval_all(4, y);
    for (int i = 0; i < 4; i++)
        gnd_wait(y[i]);
    int bad = 0;
    read(got, to, MANY * sizeof *got);
    for (int i = 0; i < MANY; i++)
        bad += got[i] != 3;
    tap_is_int(bad, 0, "what the consumer queued before its end sees the old elements");
    for (int i = 0; i < 4; i++)
        gnd_release(y[i]);
    release(big);
    release(to);
    drop_context(device);
    free(got);
}

static void on_device(gnd_device *dev, const char *spec)
{
    int32_t v[4] = {0};
    int64_t four = 4;
    tap_diag("%s", spec);
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_INT32, 1, &four, v);
    const int host = address_of(x) > 1;
    if (!strncmp(gnd_device_id(dev), "cuda:", 5)) {
        on_cuda(dev);
        test_end(dev);
    } else if (!host) {
        tap_skip(1, "%s does not work in host memory", spec);
    } else {
        test_take(dev);
        test_errors(dev);
        test_share(dev);
    }
    gnd_scope_end();
    if (host && strncmp(gnd_device_id(dev), "cuda:", 5))
        test_close(spec);
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    test_faults(dev);
    test_wrapped();
    gnd_close(dev);
    ref_null_and_devices(on_device);
    return tap_done();
}
