/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_dlpack.c - gnd_from_dlpack and gnd_to_dlpack: the layout of the structures, every dtype there
 * and back, strides of every kind, memory of the host and of a device (on the null device, whose
 * addresses are the host's, and on a CUDA device that of another user of the driver), errors, and
 * every allocation and call failing.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "base/mem.h"
#include "expect.h"
#include "ref.h"
#include "strided.h"
#include "tap.h"

/* --- the layout ------------------------------------------------------------------------------- */

/* As DLPack 1.1 declares them, with the field names of its C API. */
typedef struct {
    uint32_t major, minor;
} version;
typedef struct {
    int32_t device_type;
    int32_t device_id;
} device;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} datatype;
typedef struct {
    void *data;
    device device;
    int32_t ndim;
    datatype dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;
struct DLManagedTensor {
    tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
};
struct DLManagedTensorVersioned {
    version version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    tensor dl_tensor;
};
typedef struct DLManagedTensor managed;
typedef struct DLManagedTensorVersioned versioned;

static void test_layout(void)
{
#define SAME(a, fa, b, fb) (offsetof(a, fa) == offsetof(b, fb))
    tap_ok(sizeof(tensor) == sizeof(gnd_dl_tensor) && SAME(tensor, data, gnd_dl_tensor, data) &&
               SAME(tensor, device.device_type, gnd_dl_tensor, device_type) &&
               SAME(tensor, device.device_id, gnd_dl_tensor, device_id) &&
               SAME(tensor, ndim, gnd_dl_tensor, ndim) &&
               SAME(tensor, dtype.code, gnd_dl_tensor, code) &&
               SAME(tensor, dtype.bits, gnd_dl_tensor, bits) &&
               SAME(tensor, dtype.lanes, gnd_dl_tensor, lanes) &&
               SAME(tensor, shape, gnd_dl_tensor, shape) &&
               SAME(tensor, strides, gnd_dl_tensor, strides) &&
               SAME(tensor, byte_offset, gnd_dl_tensor, byte_offset),
           "the layout of DLTensor");
    tap_ok(sizeof(managed) == sizeof(gnd_dl_managed) &&
               SAME(managed, dl_tensor, gnd_dl_managed, dl_tensor) &&
               SAME(managed, manager_ctx, gnd_dl_managed, manager_ctx) &&
               SAME(managed, deleter, gnd_dl_managed, deleter),
           "the layout of DLManagedTensor");
    tap_ok(sizeof(versioned) == sizeof(gnd_dl_versioned) &&
               SAME(versioned, version.minor, gnd_dl_versioned, minor) &&
               SAME(versioned, manager_ctx, gnd_dl_versioned, manager_ctx) &&
               SAME(versioned, deleter, gnd_dl_versioned, deleter) &&
               SAME(versioned, flags, gnd_dl_versioned, flags) &&
               SAME(versioned, dl_tensor, gnd_dl_versioned, dl_tensor),
           "the layout of DLManagedTensorVersioned");
}

/* --- there and back --------------------------------------------------------------------------- */

static const datatype types[GND_NDTYPES] = {
    [GND_BOOL] = {6, 8, 1},     [GND_INT8] = {0, 8, 1},       [GND_INT16] = {0, 16, 1},
    [GND_INT32] = {0, 32, 1},   [GND_INT64] = {0, 64, 1},     [GND_UINT8] = {1, 8, 1},
    [GND_UINT16] = {1, 16, 1},  [GND_UINT32] = {1, 32, 1},    [GND_UINT64] = {1, 64, 1},
    [GND_FLOAT16] = {2, 16, 1}, [GND_BFLOAT16] = {4, 16, 1},  [GND_FLOAT32] = {2, 32, 1},
    [GND_FLOAT64] = {2, 64, 1}, [GND_COMPLEX64] = {5, 64, 1}, [GND_COMPLEX128] = {5, 128, 1},
};

/* A tensor of host memory. */
static versioned host_tensor(gnd_dtype t, int ndim, int64_t *shape, int64_t *strides, void *data)
{
    return (versioned){.version = {1, 1},
                       .dl_tensor = {.data = data,
                                     .device = {GND_DL_CPU, 0},
                                     .ndim = ndim,
                                     .dtype = types[t],
                                     .shape = shape,
                                     .strides = strides}};
}

static void every_dtype(gnd_device *dev, gnd_dtype t)
{
    int64_t dim[3] = {3, 4, 5}, stride[3] = {20, 5, 1};
    char why[200] = "";
    ref_arr a, got;
    if (ref_skip(dev, t, 4))
        return;
    gnd_scope_begin();
    a = ref_new(t, 3, dim);
    ref_fill(&a, REF_REAL);
    size_t n = (size_t)ref_size(&a) * gnd_dtype_size(t);
    versioned v = host_tensor(t, 3, dim, stride, a.p);
    gnd_array *x = gnd_from_dlpack(dev, &v);
    int ok = ref_read(x, t, 3, dim, &got, why, sizeof why);
    if (!tap_ok(ok && !memcmp(got.p, a.p, n), "from_dlpack: %s", gnd_dtype_name(t)))
        tap_diag("%s", why);
    managed m = {.dl_tensor = v.dl_tensor};
    m.dl_tensor.strides = NULL; /* C order */
    unsigned char *back = malloc(n);
    ok = gnd_read(gnd_from_dlpack_legacy(dev, &m), back, n) == GND_OK;
    tap_ok(ok && !memcmp(back, a.p, n), "from_dlpack_legacy, no strides: %s", gnd_dtype_name(t));
    free(back);

    gnd_status st = GND_ERR_INTERNAL;
    versioned *y = gnd_to_dlpack(gnd_permute_dims(x, (int[]){0, 2, 1}), &st);
    ok = y && st == GND_OK && y->version.major == 1 && y->flags == GND_DL_IS_COPIED &&
         y->dl_tensor.device.device_type == GND_DL_CPU && y->dl_tensor.device.device_id == 0 &&
         y->dl_tensor.ndim == 3 && !memcmp(&y->dl_tensor.dtype, &types[t], sizeof types[t]) &&
         y->dl_tensor.byte_offset == 0 && (uintptr_t)y->dl_tensor.data % 256 == 0 &&
         y->dl_tensor.shape[0] == 3 && y->dl_tensor.shape[1] == 5 && y->dl_tensor.shape[2] == 4 &&
         y->dl_tensor.strides[0] == 20 && y->dl_tensor.strides[1] == 4 &&
         y->dl_tensor.strides[2] == 1;
    for (int64_t i = 0; ok && i < 60; i++) {
        int64_t at[3] = {i / 20, i % 4, i / 4 % 5};
        ok = !memcmp((char *)y->dl_tensor.data + (size_t)i * gnd_dtype_size(t), ref_at(&a, at),
                     gnd_dtype_size(t));
    }
    tap_ok(ok, "to_dlpack: %s", gnd_dtype_name(t));
    if (y)
        y->deleter(y);
    managed *z = gnd_to_dlpack_legacy(x, NULL);
    tap_ok(z && !memcmp(z->dl_tensor.data, a.p, n) && z->dl_tensor.strides[0] == 20,
           "to_dlpack_legacy: %s", gnd_dtype_name(t));
    if (z)
        z->deleter(z);
    ref_free(&a), ref_free(&got);
    gnd_scope_end();
}

/* Reads n int32 and compares with what want has. */
static void is_ints(gnd_array *x, int64_t n, const int32_t *want, const char *name)
{
    int32_t v[64] = {0};
    gnd_status st = gnd_nbytes(x) == (size_t)n * 4 ? gnd_read(x, v, (size_t)n * 4) : GND_ERR_SHAPE;
    if (!tap_ok(st == GND_OK && gnd_dtype_of(x) == GND_INT32 && !memcmp(v, want, (size_t)n * 4),
                "%s", name))
        tap_diag("%s %s", gnd_status_name(st), gnd_error(x));
}

/* Strides of every kind over the ints 0 ... 23, which are where put.data says. */
static void strides(gnd_device *dev, const versioned *put)
{
    for (int i = 0; i < STRIDED_CASES; i++) {
        strided c = strided_cases[i];
        int32_t want[STRIDED_MOST];
        const int64_t n = strided_elements(&c, want);
        versioned v = *put;
        v.dl_tensor.ndim = c.ndim;
        v.dl_tensor.shape = c.ndim ? c.dim : NULL;
        v.dl_tensor.strides = c.ndim ? c.stride : NULL;
        v.dl_tensor.byte_offset += 4 * (uint64_t)c.first;
        gnd_scope_begin();
        gnd_array *x = gnd_from_dlpack(dev, &v);
        is_ints(x, n, want, c.name);
        gnd_scope_end();
    }
}

static void others(gnd_device *dev)
{
    gnd_scope_begin();
    int64_t none[2] = {3, 0}, two = 2;
    versioned v = host_tensor(GND_FLOAT32, 2, none, NULL, NULL);
    gnd_array *x = gnd_from_dlpack(dev, &v);
    tap_ok(gnd_status_of(x) == GND_OK && gnd_size(x) == 0 && gnd_dim(x, 0) == 3, "from nothing");
    versioned *y = gnd_to_dlpack(x, NULL);
    tap_ok(y && !y->dl_tensor.data && y->dl_tensor.shape[0] == 3 && y->dl_tensor.shape[1] == 0,
           "to nothing");
    if (y)
        y->deleter(y);
    unsigned char truth[2] = {0, 7}, got[2];
    v = host_tensor(GND_BOOL, 1, &two, NULL, truth);
    tap_ok(gnd_read(gnd_from_dlpack(dev, &v), got, 2) == GND_OK && got[0] == 0 && got[1] == 1,
           "a bool that is 7 is true");
    v.dl_tensor.device.device_type = GND_DL_CUDA_HOST;
    tap_ok(gnd_read(gnd_from_dlpack(dev, &v), got, 2) == GND_OK && got[1] == 1,
           "pinned memory is the host's");

    y = gnd_to_dlpack(gnd_real(2.5), NULL);
    tap_ok(y && y->dl_tensor.ndim == 0 && y->dl_tensor.dtype.bits == 64 &&
               *(double *)y->dl_tensor.data == 2.5,
           "a number");
    x = y ? gnd_from_dlpack(dev, y) : gnd_fail(GND_ERR_ARG, "none");
    if (!ref_skip(dev, GND_FLOAT64, 1))
        tap_is_f64(gnd_item_f64(x, NULL), 2.5, "... and back");
    if (y)
        y->deleter(y);
    gnd_scope_end();
}

/* --- memory of the device's kind -------------------------------------------------------------- */

/* The driver, as another library would use it. */
typedef struct cuda {
    int (*init)(unsigned);
    int (*retain)(void **ctx, int dev);
    int (*release)(int dev);
    int (*set_current)(void *ctx);
    int (*alloc)(unsigned long long *p, size_t n);
    int (*free)(unsigned long long p);
    int (*write)(unsigned long long p, const void *src, size_t n);
} cuda;

static int load_cuda(cuda *c)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    const char *const names[] = {"cuInit",
                                 "cuDevicePrimaryCtxRetain",
                                 "cuDevicePrimaryCtxRelease_v2",
                                 "cuCtxSetCurrent",
                                 "cuMemAlloc_v2",
                                 "cuMemFree_v2",
                                 "cuMemcpyHtoD_v2"};
    void *f[7];
    for (int i = 0; i < 7; i++)
        if (!lib || !(f[i] = dlsym(lib, names[i])))
            return -1;
    memcpy(c, f, sizeof f);
    return 0;
}

static void on_cuda(gnd_device *dev)
{
    cuda c = {0};
    void *ctx = NULL;
    unsigned long long p = 0;
    int32_t v[24];
    int index = atoi(strchr(gnd_device_id(dev), ':') + 1);
    for (int i = 0; i < 24; i++)
        v[i] = i;
    if (!tap_ok(!load_cuda(&c) && !c.init(0) && !c.retain(&ctx, index) && !c.set_current(ctx) &&
                    !c.alloc(&p, 1024) && !c.write(p + 256, v, sizeof v),
                "memory of CUDA's"))
        return;
    versioned t = host_tensor(GND_INT32, 0, NULL, NULL, (void *)(uintptr_t)p);
    t.dl_tensor.device = (device){GND_DL_CUDA, index};
    t.dl_tensor.byte_offset = 256;
    strides(dev, &t);
    int64_t n = 4;
    unsigned char truth[4] = {0, 2, 1, 0}, got[4];
    c.set_current(ctx);
    c.write(p, truth, 4);
    versioned b = host_tensor(GND_BOOL, 1, &n, NULL, (void *)(uintptr_t)p);
    b.dl_tensor.device = t.dl_tensor.device;
    gnd_scope_begin();
    tap_ok(gnd_read(gnd_from_dlpack(dev, &b), got, 4) == GND_OK && got[0] == 0 && got[1] == 1 &&
               got[2] == 1,
           "bools");
    b.dl_tensor.data = truth;
    gnd_array *x = gnd_from_dlpack(dev, &b);
    tap_ok(gnd_status_of(x) == GND_ERR_ARG &&
               strstr(gnd_error(x), "is no address of CUDA's memory"),
           "an address of the host's: %s", gnd_error(x));
    b.dl_tensor.data = (void *)(uintptr_t)p;
    tap_ok(gnd_read(gnd_from_dlpack(dev, &b), got, 4) == GND_OK, "the device works after that");
    gnd_scope_end();
    c.set_current(ctx);
    c.free(p);
    c.release(index);
}

static void on_device(gnd_device *dev, const char *spec)
{
    int32_t v[24];
    tap_diag("%s", spec);
    ref_seed(9);
    for (int i = 0; i < 24; i++)
        v[i] = i;
    for (int t = 0; t < GND_NDTYPES; t++)
        every_dtype(dev, (gnd_dtype)t);
    versioned t = host_tensor(GND_INT32, 0, NULL, NULL, v);
    strides(dev, &t);
    others(dev);
    if (!strncmp(gnd_device_id(dev), "cuda:", 5))
        on_cuda(dev);
    else
        tap_skip(1, "memory of CUDA's: %s is no CUDA device", gnd_device_id(dev));
}

/* --- errors ----------------------------------------------------------------------------------- */

static void test_errors(gnd_device *dev, gnd_device *small, gnd_device *like_cuda)
{
    float f[4] = {0};
    int64_t dim[40] = {2, 2}, stride[2] = {2, 1};
    versioned good = host_tensor(GND_FLOAT32, 2, dim, stride, f), v;
    gnd_scope_begin();
#define CHANGED(change, code, message)                                                             \
    v = good;                                                                                      \
    change;                                                                                        \
    expect_message(gnd_from_dlpack(dev, &v), code, message)
    CHANGED(, GND_OK, "");
    expect_message(gnd_from_dlpack(dev, NULL), GND_ERR_NULL, "from_dlpack: the tensor is NULL");
    expect_message(gnd_from_dlpack_legacy(dev, NULL), GND_ERR_NULL,
                   "from_dlpack: the tensor is NULL");
    expect_message(gnd_from_dlpack(NULL, &good), GND_ERR_NULL, "from_dlpack: the device is NULL");
    CHANGED(v.version.major = 2, GND_ERR_FORMAT, "from_dlpack: DLPack 2.1: 1.x is possible");
    CHANGED(v.version.minor = 9, GND_OK, "");
    CHANGED(v.dl_tensor.dtype.lanes = 2, GND_ERR_DTYPE,
            "from_dlpack: no dtype has type code 2, 32 bits and 2 lanes");
    CHANGED(v.dl_tensor.dtype.bits = 8, GND_ERR_DTYPE,
            "from_dlpack: no dtype has type code 2, 8 bits and 1 lane");
    CHANGED(v.dl_tensor.dtype.code = 10, GND_ERR_DTYPE,
            "from_dlpack: no dtype has type code 10, 32 bits and 1 lane");
    CHANGED(v.dl_tensor.ndim = 33, GND_ERR_SHAPE,
            "from_dlpack: 33 dimensions: 0 to 32 are possible");
    CHANGED(v.dl_tensor.ndim = -1, GND_ERR_SHAPE,
            "from_dlpack: -1 dimensions: 0 to 32 are possible");
    CHANGED(v.dl_tensor.shape = NULL, GND_ERR_NULL, "from_dlpack: the shape is NULL");
    CHANGED(v.dl_tensor.data = NULL, GND_ERR_NULL,
            "from_dlpack: the tensor has elements, and its data is NULL");
    dim[0] = -2;
    CHANGED(, GND_ERR_SHAPE, "from_dlpack: shape (-2, 2): axis 0 has a negative extent");
    dim[0] = (int64_t)1 << 62;
    CHANGED(
        , GND_ERR_OVERFLOW,
        "from_dlpack: shape (4611686018427387904, 2) of float32: the number of bytes does not fit 64 bits");
    dim[0] = 3;
    stride[0] = INT64_MAX / 2 + 1;
    CHANGED(, GND_ERR_FORMAT, "from_dlpack: strides that leave 64 bits");
    stride[0] = INT64_MIN;
    CHANGED(, GND_ERR_FORMAT, "from_dlpack: strides that leave 64 bits");
    stride[0] = INT64_MAX / 8;
    CHANGED(, GND_ERR_FORMAT, "from_dlpack: strides that leave 64 bits");
    dim[0] = stride[0] = 2;
    CHANGED(
        v.dl_tensor.device.device_type = GND_DL_CUDA, GND_ERR_DEVICE,
        "from_dlpack: the tensor is in the memory of cuda:0, which null:0 cannot read: take a CUDA device, or a copy on "
        "the host");
    CHANGED(
        v.dl_tensor.device.device_type = GND_DL_OPENCL, GND_ERR_DEVICE,
        "from_dlpack: the tensor is in OpenCL's memory (device type 4): take a copy on the host");
    CHANGED(
        v.dl_tensor.device.device_type = 99, GND_ERR_DEVICE,
        "from_dlpack: the tensor is in another device's memory (device type 99): take a copy on the host");
    CHANGED(
        v.dl_tensor.device.device_type = -1, GND_ERR_DEVICE,
        "from_dlpack: the tensor is in another device's memory (device type -1): take a copy on the host");
    double d[4] = {0};
    v = host_tensor(GND_FLOAT64, 2, dim, stride, d);
    expect_message(gnd_from_dlpack(small, &v), GND_ERR_UNSUPPORTED,
                   "from_dlpack: float64: the device null:1 has no float64: take float32");

    gnd_status st = GND_OK;
    tap_ok(!gnd_to_dlpack(NULL, &st) && st == GND_ERR_NULL &&
               !strcmp(gnd_message(), "to_dlpack: x is NULL"),
           "to_dlpack: NULL");
    tap_ok(!gnd_to_dlpack_legacy(gnd_fail(GND_ERR_ARG, "mine"), &st) && st == GND_ERR_ARG &&
               !strcmp(gnd_message(), "to_dlpack: mine"),
           "to_dlpack: an error");

    /* The null device for CUDA takes addresses of the host's as its own. */
    v = good;
    v.dl_tensor.device = (device){GND_DL_CUDA, 0};
    f[3] = 7;
    gnd_array *x = gnd_from_dlpack(like_cuda, &v);
    float got[4];
    tap_ok(gnd_read(x, got, sizeof got) == GND_OK && got[3] == 7, "memory of the device's kind");
    v.dl_tensor.device.device_type = GND_DL_CUDA_MANAGED;
    tap_ok(gnd_read(gnd_from_dlpack(like_cuda, &v), got, sizeof got) == GND_OK && got[3] == 7,
           "managed memory");
    /* CuPy divides the bytes of a stride by an unsigned size: -8 / 4 and -4 / 4. */
    int64_t wrapped[2] = {INT64_MAX / 2 - 1, INT64_MAX / 2};
    gnd_native_array at;
    v.dl_tensor.strides = wrapped;
    v.dl_tensor.data = f + 3;
    x = gnd_from_dlpack(like_cuda, &v);
    tap_ok(gnd_native(x, &at) == GND_OK && at.strides[0] == -8 && at.strides[1] == -4 &&
               *(float *)(uintptr_t)at.address == 7,
           "negative strides as CuPy gives them: %s", gnd_error(x));
    expect_message(gnd_from_dlpack(dev, &v), GND_ERR_DEVICE,
                   "from_dlpack: the tensor is in the memory of cuda:0, which null:0 cannot read: "
                   "take a CUDA device, or a copy on the host");
    v.dl_tensor.device.device_type = GND_DL_CPU;
    expect_message(gnd_from_dlpack(dev, &v), GND_ERR_FORMAT,
                   "from_dlpack: strides that leave 64 bits");
    v.dl_tensor.device.device_type = GND_DL_CUDA;
    wrapped[0] = INT64_MAX; /* more than 64 bits of bytes: no negative stride gives this */
    expect_message(gnd_from_dlpack(like_cuda, &v), GND_ERR_FORMAT,
                   "from_dlpack: strides that leave 64 bits");
    gnd_scope_end();
}

/* Every allocation, then every backend call failing, of both ways: an error, and nothing is left.
 */
static void test_faults(gnd_device *dev)
{
    float f[6] = {1, 2, 3, 4, 5, 6};
    int64_t dim[2] = {2, 2}, stride[2] = {3, 1};
    versioned v = host_tensor(GND_FLOAT32, 2, dim, stride, f);
    v.dl_tensor.device = (device){GND_DL_CUDA, 0};
    for (int way = 0; way < 2; way++) {
        int bad = 0, fine = 0;
        long n;
        for (n = 1; n < 500 && !fine; n++) {
            gnd_scope_begin();
            way ? gnd__gate_fail_at(n) : gnd__mem_fail_at(n);
            gnd_array *x = gnd_from_dlpack(dev, &v);
            gnd_status st = gnd_status_of(x), st2 = GND_OK;
            versioned *y = st ? NULL : gnd_to_dlpack(x, &st2);
            gnd__gate_fail_at(0);
            gnd__mem_fail_at(0);
            bad += (st || st2) ? y != NULL : y == NULL;
            fine = y != NULL;
            if (y)
                y->deleter(y);
            gnd_scope_end();
        }
        tap_ok(!bad && fine && n > 2, "each of %ld %s failing", n - 2,
               way ? "backend calls" : "allocations");
    }
    gnd_stats s;
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "no array is left");
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0"), *small = gnd_open("null:1"),
               *like_cuda = gnd_open("null:2");
    test_layout();
    test_errors(dev, small, like_cuda);
    test_faults(like_cuda);
    gnd_close(like_cuda);
    gnd_close(small);
    gnd_close(dev);
    ref_devices(on_device);
    return tap_done();
}
