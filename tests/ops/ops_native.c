/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_native.c - gnd_native and gnd_from_native: where elements are, memory of others in every
 * dtype and layout without a copy, and errors. On devices that work in host memory (null, PoCL) and
 * on CUDA devices, whose memory another user of the driver makes. ops_native_owner.c has what the
 * owners of such memory are promised.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nativemem.h"
#include "ref.h"
#include "strided.h"
#include "tap.h"

/* --- out -------------------------------------------------------------------------------------- */

static void test_out(gnd_device *dev)
{
    int32_t v[NATIVE_N];
    gnd_native_array m, w;
    for (int i = 0; i < NATIVE_N; i++)
        v[i] = i;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_INT32, 2, native_dims, v);
    tap_ok(gnd_native(x, &m) == GND_OK && gnd_wait(x) == GND_OK && m.dtype == GND_INT32 &&
               m.ndim == 2 && m.shape[0] == 4 && m.shape[1] == 6 && m.strides[0] == 24 &&
               m.strides[1] == 4 && m.nbytes == sizeof v,
           "an array: %s", gnd_message());
    tap_ok(m.kind == GND_NATIVE_OPENCL ? m.handle != NULL : !m.handle && m.address != 0,
           "its memory has a name, of kind %d", (int)m.kind);
    if (m.address && m.kind != GND_NATIVE_CUDA)
        tap_is_mem((void *)(uintptr_t)m.address, v, sizeof v, "its elements are there");
    gnd_array *y = gnd_at(x, "::-2, 1::2");
    tap_ok(gnd_native(y, &w) == GND_OK && w.shape[0] == 2 && w.shape[1] == 3 &&
               w.strides[0] == -48 && w.strides[1] == 8 && w.handle == m.handle &&
               w.offset + w.address ==
                   m.offset + m.address + (m.kind == GND_NATIVE_OPENCL && m.address ? 2 * 76 : 76),
           "a view of it, as it is stored");
    tap_ok(gnd_native(gnd_broadcast_to(gnd_at(x, "0"), 2, native_dims), &w) == GND_OK &&
               w.strides[0] == 0 && w.strides[1] == 4,
           "repeated rows");
    tap_ok(gnd_native(gnd_at(x, "0:0"), &w) == GND_OK && w.kind == GND_NATIVE_NONE && !w.handle &&
               !w.address && w.nbytes == 0 && w.shape[0] == 0 && w.shape[1] == 6,
           "no elements");
    gnd_array *sum = gnd_add(x, x);
    tap_ok(gnd_native(sum, &w) == GND_OK && w.kind == m.kind && w.strides[0] == 24, "a result");
    tap_ok(gnd_native(NULL, &w) == GND_ERR_NULL && !strcmp(gnd_message(), "native: x is NULL"),
           "NULL");
    tap_ok(gnd_native(x, NULL) == GND_ERR_NULL && !strcmp(gnd_message(), "native: out is NULL"),
           "nowhere to");
    tap_ok(gnd_native(gnd_real(1), &w) == GND_ERR_DEVICE && strstr(gnd_message(), "native: x is a"),
           "a number");
    tap_ok(gnd_native(gnd_fail(GND_ERR_ARG, "mine"), &w) == GND_ERR_ARG &&
               !strcmp(gnd_message(), "native: mine") && w.kind == GND_NATIVE_NONE,
           "an error");
    tap_is_int(gnd_native(gnd_placeholder(dev, GND_INT32, 2, native_dims), &w), GND_ERR_STATE,
               "a placeholder");
    gnd_scope_end();
    tap_ok(gnd_native_fill(NULL, GND_INT8, 0, NULL) == GND_ERR_NULL &&
               gnd_native_fill(&w, (gnd_dtype)99, 0, NULL) == GND_ERR_DTYPE &&
               gnd_native_fill(&w, GND_INT8, 33, native_dims) == GND_ERR_SHAPE &&
               !strncmp(gnd_message(), "native_fill: ", 13),
           "native_fill: %s", gnd_message());
}

/* Memory of gnd that the program fills; where the host reaches it, it does. */
static void test_new(gnd_device *dev, int computes)
{
    const int64_t none[2] = {0, 6};
    int32_t want[NATIVE_N], got[NATIVE_N];
    gnd_native_array m, w;
    gnd_scope_begin();
    gnd_array *x = gnd_native_new(dev, GND_INT32, 2, native_dims, &m);
    tap_ok(gnd_status_of(x) == GND_OK && m.ndim == 2 && m.strides[0] == 24 && m.strides[1] == 4 &&
               m.nbytes == sizeof want && (m.handle || m.address),
           "new memory of kind %d: %s", (int)m.kind, gnd_error(x));
    tap_ok(gnd_native(x, &w) == GND_OK && w.address == m.address && w.handle == m.handle &&
               w.offset == m.offset,
           "it is where gnd_native finds it");
    if (native_in_host(dev) && gnd_sync(dev) == GND_OK) {
        for (int i = 0; i < NATIVE_N; i++) {
            ((int32_t *)(uintptr_t)m.address)[i] = 3 * i;
            want[i] = 3 * i + 1;
        }
        gnd_array *y = gnd_native_new(dev, GND_INT32, 2, native_dims, &w);
        tap_ok(w.address != m.address && gnd_status_of(y) == GND_OK, "another array, other memory");
        tap_ok(gnd_read(gnd_add_i(x, 1), got, sizeof got) == GND_OK &&
                   (!computes || !memcmp(got, want, sizeof want)),
               "what was written there is computed with");
    }
    tap_ok(gnd_status_of(gnd_native_new(dev, GND_INT32, 2, none, &w)) == GND_OK &&
               w.kind == GND_NATIVE_NONE && w.shape[1] == 6,
           "new, without elements");
    gnd_array *bad[4] = {gnd_native_new(NULL, GND_INT32, 2, native_dims, &w),
                         gnd_native_new(dev, (gnd_dtype)99, 2, native_dims, &w),
                         gnd_native_new(dev, GND_INT32, 33, native_dims, &w),
                         gnd_native_new(dev, GND_INT32, 2, native_dims, NULL)};
    static const gnd_status why[4] = {GND_ERR_NULL, GND_ERR_DTYPE, GND_ERR_SHAPE, GND_ERR_NULL};
    for (int i = 0; i < 4; i++)
        tap_ok(gnd_status_of(bad[i]) == why[i] && !strncmp(gnd_error(bad[i]), "native_new: ", 12),
               "%s", gnd_error(bad[i]));
    gnd_scope_end();
}

static void test_device(gnd_device *dev)
{
    gnd_native_device n;
    tap_ok(gnd_device_native(dev, &n) == GND_OK && n.context && n.queue,
           "the device's own objects");
    tap_ok(gnd_device_native(NULL, &n) == GND_ERR_NULL &&
               !strncmp(gnd_message(), "device_native: ", 15) && !n.context,
           "device_native: %s", gnd_message());
    tap_ok(gnd_device_native(dev, NULL) == GND_ERR_NULL &&
               !strcmp(gnd_message(), "device_native: out is NULL"),
           "nowhere to");
}

/* --- in --------------------------------------------------------------------------------------- */

static void every_dtype(gnd_device *dev, gnd_dtype t)
{
    ref_arr a, got;
    char why[200] = "";
    int told = 0;
    gnd_native_array back;
    if (ref_skip(dev, t, 3))
        return;
    a = ref_new(t, 2, native_dims);
    ref_fill(&a, REF_REAL);
    gnd_native_array m = native_host(t, a.p);
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told);
    const int ok = ref_read(x, t, 2, native_dims, &got, why, sizeof why);
    if (!tap_ok(ok && !memcmp(got.p, a.p, NATIVE_N * gnd_dtype_size(t)) &&
                    gnd_native(x, &back) == GND_OK && back.address == m.address && told == 0,
                "from_native: %s, at the same address", gnd_dtype_name(t)))
        tap_diag("%s", why);
    gnd_release(x);
    tap_is_int(told, 1, "given back once");
    ref_free(&a), ref_free(&got);
}

/* The ints 0 ... 23 are at m; each element is also incremented, where kernels compute. */
static void strides(gnd_device *dev, const gnd_native_array *put, int computes)
{
    for (int i = 0; i < STRIDED_CASES; i++) {
        const strided *c = &strided_cases[i];
        gnd_native_array m = *put;
        int32_t want[STRIDED_MOST], got[STRIDED_MOST] = {0}, more[STRIDED_MOST] = {0};
        const int64_t n = strided_elements(c, want);
        int told = 0;
        m.ndim = c->ndim;
        m.address += 4 * (uint64_t)c->first;
        for (int d = 0; d < c->ndim; d++) {
            m.shape[d] = c->dim[d];
            m.strides[d] = c->dim[d] > 1 ? 4 * c->stride[d] : c->stride[d];
        }
        gnd_array *x = gnd_from_native(dev, &m, native_count, &told), *y = native_plus(x, 1);
        const int ok =
            gnd_read(x, got, (size_t)n * 4) == GND_OK && gnd_read(y, more, (size_t)n * 4) == GND_OK;
        for (int64_t e = 0; e < n && computes; e++)
            more[e]--;
        tap_ok(ok && (!computes ||
                      (!memcmp(got, want, (size_t)n * 4) && !memcmp(more, want, (size_t)n * 4))),
               "%s: %s", c->name, gnd_error(x));
        gnd_release(x);
        gnd_release(y);
        tap_is_int(told, 1, "... given back");
    }
}

/* Each start within 16 bytes, and lengths that end between vectors. */
static void alignments(gnd_device *dev)
{
    _Alignas(64) static float room[256];
    int bad = 0;
    for (int i = 0; i < 256; i++)
        room[i] = (float)i;
    for (int first = 0; first < 5; first++)
        for (int64_t n = 1; n < 200; n += 33) {
            gnd_native_array m;
            float got = 0;
            gnd_native_fill(&m, GND_FLOAT32, 1, &n);
            m.kind = GND_NATIVE_HOST;
            m.address = (uint64_t)(uintptr_t)(room + first);
            gnd_array *x = gnd_from_native(dev, &m, NULL, NULL), *s = gnd_sum(x, GND_ALL, 0);
            bad += gnd_read(s, &got, sizeof got) != GND_OK ||
                   got != (float)(n * (2 * first + n - 1) / 2);
            gnd_release(x);
            gnd_release(s);
        }
    tap_is_int(bad, 0, "sums from every start");
}

static void refuses(gnd_device *dev, const gnd_native_array *m, gnd_status want, const char *text)
{
    int told = 0;
    gnd_array *x = gnd_from_native(dev, m, native_count, &told);
    tap_ok(gnd_status_of(x) == want && strstr(gnd_error(x), text) &&
               !strncmp(gnd_error(x), "from_native: ", 13) && told == 1,
           "%s, given back %d times", gnd_error(x), told);
    gnd_release(x);
}

static void test_errors(gnd_device *dev)
{
    _Alignas(16) unsigned char room[512] = {0};
    int told = 0;
    gnd_native_array m, good = native_host(GND_INT32, room);
#define CHANGED(change, code, text)                                                                \
    m = good;                                                                                      \
    change;                                                                                        \
    refuses(dev, &m, code, text)
    refuses(NULL, &good, GND_ERR_NULL, "the device is NULL");
    refuses(dev, NULL, GND_ERR_NULL, "memory is NULL");
    CHANGED(m.dtype = 99, GND_ERR_DTYPE, "99");
    CHANGED(m.ndim = 33, GND_ERR_SHAPE, "33 dimensions");
    CHANGED(m.shape[1] = -1, GND_ERR_SHAPE, "negative extent");
    CHANGED(m.shape[0] = m.shape[1] = (int64_t)1 << 40, GND_ERR_OVERFLOW, "64 bits");
    CHANGED(m.strides[1] = 6, GND_ERR_ARG, "stride 6 of axis 1 is not a multiple of the 4 bytes");
    CHANGED(m.strides[1] = INT64_MAX / 8 * 4, GND_ERR_ARG, "strides that leave 64 bits");
    CHANGED(m.kind = GND_NATIVE_NONE, GND_ERR_ARG, "kind 0 is not a gnd_native_kind with elements");
    CHANGED(m.kind = 7, GND_ERR_ARG, "kind 7 is not");
    CHANGED(m.address = 0, GND_ERR_NULL, "the address is 0");
    CHANGED(m.kind = GND_NATIVE_OPENCL, GND_ERR_NULL, "the handle is NULL");
    CHANGED(m.address += 2, GND_ERR_ARG, "is not aligned to the 4 bytes of int32: copy it");
    CHANGED((m.address = 8, m.strides[0] = -400), GND_ERR_ARG, "bytes before the memory's start");
    if (gnd_default_float(dev) == GND_FLOAT64) {
        CHANGED((m.dtype = GND_COMPLEX128, m.strides[0] = 96, m.strides[1] = 16, m.address += 8),
                GND_ERR_ARG, "is not aligned to the 16 bytes of complex128");
    }
    CHANGED(m.kind = GND_NATIVE_CUDA, GND_ERR_UNSUPPORTED, "");
    m = good;
    m.shape[0] = 0;
    m.address = 0;
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told);
    tap_ok(gnd_status_of(x) == GND_OK && gnd_size(x) == 0 && told == 1,
           "without elements: given back at once");
    gnd_release(x);
}

/* --- on devices ------------------------------------------------------------------------------- */

static void in_host(gnd_device *dev, int computes)
{
    static int32_t v[NATIVE_N];
    for (int i = 0; i < NATIVE_N; i++)
        v[i] = i;
    for (int t = 0; t < GND_NDTYPES; t++)
        every_dtype(dev, (gnd_dtype)t);
    const gnd_native_array m = native_host(GND_INT32, v);
    strides(dev, &m, computes);
    if (computes)
        alignments(dev);
    test_errors(dev);
}

/* The driver, as another library would use it. */
static void on_cuda(gnd_device *dev)
{
    int (*alloc)(unsigned long long *, size_t), (*release)(unsigned long long),
        (*write)(unsigned long long, const void *, size_t), (*current)(void *),
        (*synchronize)(void);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *f[5];
    static const char *const names[] = {"cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2",
                                        "cuCtxSetCurrent", "cuCtxSynchronize"};
    unsigned long long p = 0;
    gnd_native_device n;
    gnd_native_array back;
    int32_t v[NATIVE_N];
    int told = 0;
    for (int i = 0; i < 5; i++)
        if (!lib || !(f[i] = dlsym(lib, names[i])))
            tap_bail("no %s", names[i]);
    memcpy(&alloc, &f[0], sizeof f[0]);
    memcpy(&release, &f[1], sizeof f[1]);
    memcpy(&write, &f[2], sizeof f[2]);
    memcpy(&current, &f[3], sizeof f[3]);
    memcpy(&synchronize, &f[4], sizeof f[4]);
    for (int i = 0; i < NATIVE_N; i++)
        v[i] = i;
    if (!tap_ok(gnd_device_native(dev, &n) == GND_OK && n.context && n.queue && !n.platform,
                "context and stream") ||
        !tap_ok(!current(n.context) && !alloc(&p, 4096) && !write(p + 256, v, sizeof v) &&
                    !synchronize(), /* the copy is of another stream than gnd's */
                "memory of CUDA's"))
        return;
    gnd_native_array m = native_host(GND_INT32, NULL);
    m.kind = GND_NATIVE_CUDA;
    m.address = p + 256;
    strides(dev, &m, 1);
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told);
    tap_ok(gnd_native(x, &back) == GND_OK && back.kind == GND_NATIVE_CUDA &&
               back.address == m.address,
           "the same address");
    gnd_release(x);
    m.address += 2;
    refuses(dev, &m, GND_ERR_ARG, "is not aligned");
    m.address = (uint64_t)(uintptr_t)v;
    refuses(dev, &m, GND_ERR_ARG, "is no address of CUDA's memory");
    m.kind = GND_NATIVE_HOST;
    refuses(dev, &m, GND_ERR_UNSUPPORTED, "cannot work in host memory");
    tap_is_int(told, 1, "given back");

    gnd_native_device app = {.device = n.device, .context = n.context};
    gnd_device *own = gnd_open_native("cuda", &app);
    tap_is_str(gnd_device_error(own), "", "the legacy default stream of the same context");
    m.kind = GND_NATIVE_CUDA;
    m.address = p + 256;
    strides(own, &m, 1);
    gnd_close(own);
    app.queue = (void *)2;
    own = gnd_open_native("cuda", &app);
    tap_ok(gnd_device_status(own) == GND_ERR_UNSUPPORTED, "%s", gnd_device_error(own));
    gnd_close(own);
    current(n.context);
    release(p);
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    ref_seed(5);
    test_out(dev);
    test_new(dev, strncmp(spec, "null", 4) != 0);
    test_device(dev);
    if (!strncmp(gnd_device_id(dev), "cuda:", 5))
        on_cuda(dev);
    else if (native_in_host(dev))
        in_host(dev, strncmp(spec, "null", 4) != 0);
    else
        tap_skip(1, "host memory: %s does not work in it", gnd_device_id(dev));
}

int main(void)
{
    ref_null_and_devices(on_device);
    return tap_done();
}
