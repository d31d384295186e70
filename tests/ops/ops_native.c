/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_native.c - gnd_native and gnd_from_native: where elements are, memory of others in every
 * dtype and layout without a copy, that it is never written and given back exactly once and in
 * time, errors, and every allocation and call failing. On devices that work in host memory (null,
 * PoCL) and on CUDA devices, whose memory another user of the driver makes.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "expect.h"
#include "ref.h"
#include "tap.h"

enum { N = 24 };

static void count(void *ctx)
{
    ++*(int *)ctx;
}

static int64_t dims[2] = {4, 6};

/* x + v, outside of any scope. */
static gnd_array *plus(gnd_array *x, int v)
{
    gnd_array *n = gnd_int(v), *y = gnd_add(x, n);
    gnd_release(n);
    return y;
}

/* Host memory as dims of dtype t. */
static gnd_native_array described(gnd_dtype t, void *p)
{
    gnd_native_array m;
    tap_is_int(gnd_native_fill(&m, t, 2, dims), GND_OK, "gnd_native_fill: %s", gnd_dtype_name(t));
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)p;
    return m;
}

/* Whether dev works in host memory. */
static int in_host_memory(gnd_device *dev)
{
    float f[4] = {0};
    int64_t n = 4;
    gnd_native_array m;
    gnd_native_fill(&m, GND_FLOAT32, 1, &n);
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)f;
    gnd_array *x = gnd_from_native(dev, &m, NULL, NULL);
    const gnd_status st = gnd_status_of(x);
    if (st != GND_OK)
        tap_diag("%s", gnd_error(x));
    gnd_release(x);
    return st == GND_OK;
}

/* --- out -------------------------------------------------------------------------------------- */

static void test_out(gnd_device *dev)
{
    int32_t v[N];
    gnd_native_array m, w;
    for (int i = 0; i < N; i++)
        v[i] = i;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_INT32, 2, dims, v);
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
    tap_ok(gnd_native(gnd_broadcast_to(gnd_at(x, "0"), 2, dims), &w) == GND_OK &&
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
    tap_is_int(gnd_native(gnd_placeholder(dev, GND_INT32, 2, dims), &w), GND_ERR_STATE,
               "a placeholder");
    gnd_scope_end();
    tap_ok(gnd_native_fill(NULL, GND_INT8, 0, NULL) == GND_ERR_NULL &&
               gnd_native_fill(&w, (gnd_dtype)99, 0, NULL) == GND_ERR_DTYPE &&
               gnd_native_fill(&w, GND_INT8, 33, dims) == GND_ERR_SHAPE &&
               !strncmp(gnd_message(), "native_fill: ", 13),
           "native_fill: %s", gnd_message());
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
    a = ref_new(t, 2, dims);
    ref_fill(&a, REF_REAL);
    gnd_native_array m = described(t, a.p);
    gnd_array *x = gnd_from_native(dev, &m, count, &told);
    const int ok = ref_read(x, t, 2, dims, &got, why, sizeof why);
    if (!tap_ok(ok && !memcmp(got.p, a.p, N * gnd_dtype_size(t)) &&
                    gnd_native(x, &back) == GND_OK && back.address == m.address && told == 0,
                "from_native: %s, at the same address", gnd_dtype_name(t)))
        tap_diag("%s", why);
    gnd_release(x);
    tap_is_int(told, 1, "given back once");
    ref_free(&a), ref_free(&got);
}

static const struct strides_case {
    const char *name;
    int ndim;
    int64_t dim[3], stride[3], first;
} cases[] = {
    {"C order", 2, {4, 6}, {6, 1}, 0},
    {"Fortran order", 2, {4, 6}, {1, 4}, 0},
    {"every second", 1, {12}, {2}, 1},
    {"backwards", 1, {24}, {-1}, 23},
    {"a box", 3, {2, 2, 3}, {12, 4, 1}, 5},
    {"both ways", 2, {3, 4}, {-6, 2}, 12},
    {"one element, repeated", 2, {3, 2}, {0, 0}, 7},
    {"rows, repeated", 2, {3, 6}, {0, 1}, 6},
    {"a number", 0, {0}, {0}, 9},
    {"an extent of 1", 2, {1, 6}, {0, 1}, 6},
    {"overlapping", 2, {5, 3}, {1, 2}, 3},
};

/* The ints 0 ... N - 1 are at m; each element is also incremented, where kernels compute. */
static void strides(gnd_device *dev, const gnd_native_array *put, int computes)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct strides_case *c = &cases[i];
        gnd_native_array m = *put;
        int32_t want[32], got[32] = {0}, more[32] = {0};
        int64_t n = 1;
        int told = 0;
        m.ndim = c->ndim;
        m.address += 4 * (uint64_t)c->first;
        for (int d = 0; d < c->ndim; d++) {
            m.shape[d] = c->dim[d];
            m.strides[d] = 4 * c->stride[d];
            n *= c->dim[d];
        }
        for (int64_t e = 0; e < n; e++) {
            int64_t idx[3], at = c->first;
            ref_unravel(c->ndim, c->dim, e, idx);
            for (int d = 0; d < c->ndim; d++)
                at += idx[d] * c->stride[d];
            want[e] = (int32_t)at;
        }
        gnd_array *x = gnd_from_native(dev, &m, count, &told), *y = plus(x, 1);
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
    gnd_array *x = gnd_from_native(dev, m, count, &told);
    tap_ok(gnd_status_of(x) == want && strstr(gnd_error(x), text) &&
               !strncmp(gnd_error(x), "from_native: ", 13) && told == 1,
           "%s, given back %d times", gnd_error(x), told);
    gnd_release(x);
}

static void test_errors(gnd_device *dev)
{
    _Alignas(16) unsigned char room[512] = {0};
    int told = 0;
    gnd_native_array m, good = described(GND_INT32, room);
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
    gnd_array *x = gnd_from_native(dev, &m, count, &told);
    tap_ok(gnd_status_of(x) == GND_OK && gnd_size(x) == 0 && told == 1,
           "without elements: given back at once");
    gnd_release(x);
}

/* --- owners ----------------------------------------------------------------------------------- */

static void *release_there(void *x)
{
    gnd_release(x);
    return NULL;
}

static void test_owners(const char *spec)
{
    int32_t v[N] = {0};
    int told = 0;
    pthread_t thread;
    gnd_device *dev = gnd_open(spec);
    gnd_native_array m = described(GND_INT32, v), where;
    gnd_stats before, after;
    gnd_device_stats(dev, &before);
    gnd_array *x = gnd_from_native(dev, &m, count, &told), *y = gnd_at(x, "1:"), *z = plus(y, 2);
    gnd_native(y, &where);
    gnd_device_stats(dev, &after);
    tap_ok(after.bytes_in_use == before.bytes_in_use && after.bytes_held == before.bytes_held,
           "the pool has no part in it");
    gnd_release(x);
    tap_is_int(told, 0, "a view holds the memory");
    gnd_release(y);
    tap_is_int(told, 0, "so does what is computed from it later");
    gnd_eval_all(1, &z);
    tap_is_int(told, 1, "until it is computed");
    gnd_release(z);
    gnd_device_trim(dev);
    tap_is_int(told, 1, "and once only");

    x = gnd_from_native(dev, &m, count, &told);
    if (pthread_create(&thread, NULL, release_there, x))
        tap_bail("no thread");
    pthread_join(thread, NULL);
    tap_is_int(told, 2, "released by another thread");

    x = gnd_from_native(dev, &m, count, &told);
    z = plus(x, 1);
    gnd_array *p = gnd_placeholder(dev, GND_INT32, 2, dims), *out[2] = {gnd_add(p, x), x};
    gnd_recording *r = gnd_record(1, &p, 2, out);
    tap_is_str(gnd_recording_error(r), "", "a recording");
    gnd_release(out[0]);
    gnd_release(x);
    gnd_release(z);
    tap_is_int(told, 2, "a recording holds the memory that it reads");
    gnd_recording_write(r, 0, v, sizeof v);
    for (int i = 0; i < 3; i++) {
        gnd_recording_feed(r, 1, 0);
        gnd_replay(r);
        gnd_recording_feed(r, 0, 0);
    }
    gnd_array *got = gnd_recording_get(r, 1);
    gnd_native(got, &where);
    gnd_release(got);
    gnd_release(p);
    tap_is_int(gnd_recording_free(r), GND_OK, "the recording ends");
    tap_is_int(told, 3, "... and gives it back");

    x = gnd_from_native(dev, &m, count, &told);
    tap_is_int(gnd_status_of(x), GND_OK, "an array that is not released");
    gnd_close(dev);
    tap_is_int(told, gnd_device_status(dev) == GND_ERR_STATE ? 4 : 3,
               "closing the device gives it back");
    if (told == 3)
        gnd_release(x);
    for (int i = 0; i < N; i++)
        told += v[i] != 0;
    tap_is_int(told, 4, "nothing was written");
}

/* A kernel that may change its argument in place gets a copy of such memory. */
static void test_in_place(gnd_device *dev)
{
    static const char source[] = "__kernel void plus(__global float *x, int n)\n"
                                 "{ int i = get_global_id(0); if (i < n) x[i] += 1; }\n";
    _Alignas(64) float v[64], got[64];
    int64_t n = 64;
    int told = 0, bad = 0;
    gnd_native_array m;
    for (int i = 0; i < 64; i++)
        v[i] = (float)i;
    gnd_program *p = gnd_compile(dev, source, GND_OPENCL_C, NULL);
    tap_is_str(gnd_program_error(p), "", "a kernel");
    gnd_native_fill(&m, GND_FLOAT32, 1, &n);
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)v;
    gnd_array *x = gnd_from_native(dev, &m, count, &told), *y = NULL;
    const gnd_arg args[] = {GND_INOUT(x), GND_I32(64)};
    gnd_launch(gnd_program_kernel(p, "plus"), gnd_dims(1), gnd_dims(64), 2, args, &y);
    gnd_release(x);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "it runs");
    for (int i = 0; i < 64; i++)
        bad += v[i] != (float)i || got[i] != (float)i + 1;
    tap_is_int(bad, 0, "beside the memory that it read");
    tap_is_int(told, 1, "which was given back");
    gnd_release(y);
    gnd_program_free(p);
}

/* What the null device saw: the queue is finished before the memory goes. */
static void test_order(gnd_device *dev)
{
    int32_t v[N] = {0};
    int told = 0;
    gnd_native_array m = described(GND_INT32, v);
    gnd_array *x = gnd_from_native(dev, &m, count, &told), *y = plus(x, 1);
    gnd_eval_all(1, &y);
    gnd__null_reset();
    gnd__null_record(1);
    gnd_release(x);
    char *log = gnd__null_log();
    gnd__null_record(0);
    tap_is_str(log, "finish\nunwrap 96\n", "the queue is finished first");
    gnd__free(log);
    gnd_release(y);
    tap_is_int(told, 1, "given back");
}

/* Every allocation, then every backend call failing: an error or a right result, and given back
 * once either way. */
static void test_faults(gnd_device *dev)
{
    int32_t v[N] = {0}, got[12];
    gnd_native_array m = described(GND_INT32, v), where;
    gnd_native_device n;
    gnd_stats s;
    m.shape[1] = 3;
    m.strides[1] = 8;
    for (int way = 0; way < 2; way++) {
        int bad = 0, fine = 0;
        long k;
        for (k = 1; k < 300 && !fine; k++) {
            int told = 0;
            way ? gnd__gate_fail_at(k) : gnd__mem_fail_at(k);
            gnd_array *x = gnd_from_native(dev, &m, count, &told);
            const gnd_status made = gnd_status_of(x);
            bad += told != (made != GND_OK);
            const gnd_status st = made == GND_OK ? gnd_native(x, &where) : made;
            const gnd_status of = gnd_device_native(dev, &n);
            const gnd_status rd = made == GND_OK ? gnd_read(x, got, sizeof got) : made;
            gnd__gate_fail_at(0);
            gnd__mem_fail_at(0);
            fine = !made && !st && !of && !rd;
            gnd_release(x);
            bad += told != 1;
        }
        tap_ok(!bad && fine && k > 3, "each of %ld %s failing", k - 2,
               way ? "backend calls" : "allocations");
    }
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "no array is left");
}

/* --- an application's device ------------------------------------------------------------------ */

static void test_open(void)
{
    int context, queue;
    float v[2] = {1, 2}, got[2];
    int64_t two = 2;
    gnd_native_device app = {.device = (void *)1, .context = &context, .queue = &queue}, n;
    gnd_device *dev = gnd_open_native("null", &app);
    tap_is_str(gnd_device_error(dev), "", "the null device in an application");
    tap_ok(!strncmp(gnd_device_id(dev), "null:1@", 7), "its id: %s", gnd_device_id(dev));
    tap_ok(gnd_device_native(dev, &n) == GND_OK && n.device == app.device &&
               n.context == app.context && n.queue == app.queue,
           "it has the application's objects");
    gnd_device *other = gnd_open("null:1");
    tap_ok(other != dev, "gnd_open opens another device");
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &two, v);
    tap_ok(gnd_read(x, got, sizeof got) == GND_OK && got[1] == 2, "it works");
    gnd_array *bad = gnd_add(x, gnd_from(other, GND_FLOAT32, 1, &two, v));
    tap_ok(gnd_status_of(bad) == GND_ERR_DEVICE && strstr(gnd_error(bad), "null:1@"), "%s",
           gnd_error(bad));
    gnd_release(x);
    gnd_release(bad);
    gnd_close(other);
    gnd_close(dev);
    tap_is_int(gnd_device_status(dev), GND_ERR_STATE, "closed");

    static const struct {
        const char *backend;
        uintptr_t device;
        gnd_status want;
        const char *text;
    } wrong[] = {
        {NULL, 0, GND_ERR_NULL, "open_native: backend is NULL"},
        {"null", 77, GND_ERR_ARG, "open_native: null: context and queue: no device 77"},
        {"nothing", 0, GND_ERR_DEVICE, "open_native: backend nothing: not installed; present: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        app.device = (void *)wrong[i].device;
        dev = gnd_open_native(wrong[i].backend, &app);
        tap_ok(gnd_device_status(dev) == wrong[i].want &&
                   strstr(gnd_device_error(dev), wrong[i].text) == gnd_device_error(dev),
               "%s", gnd_device_error(dev));
        gnd_close(dev);
    }
    dev = gnd_open_native("null", NULL);
    tap_is_str(gnd_device_error(dev), "open_native: native is NULL", "no objects");
    gnd_close(dev);
    app.device = NULL;
    for (int way = 0; way < 2; way++) {
        int fine = 0, unsaid = 0;
        long k;
        for (k = 1; k < 100 && !fine; k++) {
            way ? gnd__gate_fail_at(k) : gnd__mem_fail_at(k);
            dev = gnd_open_native("null", &app);
            gnd__gate_fail_at(0);
            gnd__mem_fail_at(0);
            fine = gnd_device_status(dev) == GND_OK;
            unsaid += !fine && !gnd_device_error(dev)[0];
            gnd_close(dev);
        }
        tap_ok(fine && !unsaid && k > 2, "opening, each of %ld %s failing", k - 2,
               way ? "backend calls" : "allocations");
    }
}

/* --- on devices ------------------------------------------------------------------------------- */

static void in_host(gnd_device *dev, const char *spec, int computes)
{
    static int32_t v[N];
    for (int i = 0; i < N; i++)
        v[i] = i;
    for (int t = 0; t < GND_NDTYPES; t++)
        every_dtype(dev, (gnd_dtype)t);
    const gnd_native_array m = described(GND_INT32, v);
    strides(dev, &m, computes);
    if (computes) {
        alignments(dev);
        test_in_place(dev);
    }
    test_errors(dev);
    test_owners(spec);
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
    int32_t v[N];
    int told = 0;
    for (int i = 0; i < 5; i++)
        if (!lib || !(f[i] = dlsym(lib, names[i])))
            tap_bail("no %s", names[i]);
    memcpy(&alloc, &f[0], sizeof f[0]);
    memcpy(&release, &f[1], sizeof f[1]);
    memcpy(&write, &f[2], sizeof f[2]);
    memcpy(&current, &f[3], sizeof f[3]);
    memcpy(&synchronize, &f[4], sizeof f[4]);
    for (int i = 0; i < N; i++)
        v[i] = i;
    if (!tap_ok(gnd_device_native(dev, &n) == GND_OK && n.context && n.queue && !n.platform,
                "context and stream") ||
        !tap_ok(!current(n.context) && !alloc(&p, 4096) && !write(p + 256, v, sizeof v) &&
                    !synchronize(), /* the copy is of another stream than gnd's */
                "memory of CUDA's"))
        return;
    gnd_native_array m = described(GND_INT32, NULL);
    m.kind = GND_NATIVE_CUDA;
    m.address = p + 256;
    strides(dev, &m, 1);
    gnd_array *x = gnd_from_native(dev, &m, count, &told);
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
    test_device(dev);
    if (!strncmp(gnd_device_id(dev), "cuda:", 5))
        on_cuda(dev);
    else if (in_host_memory(dev))
        in_host(dev, spec, strncmp(spec, "null", 4) != 0);
    else
        tap_skip(1, "host memory: %s does not work in it", gnd_device_id(dev));
}

/* --- owners that call gnd --------------------------------------------------------------------- */

static gnd_array *other;
static gnd_device *there;

static void release_other(void *ctx)
{
    ++*(int *)ctx;
    gnd_release(other);
}

static void compute(void *ctx)
{
    gnd_array *x = gnd_ones(there, GND_INT32, 2, dims), *y = gnd_add(x, x);
    *(int *)ctx += gnd_eval_all(1, &y) == GND_OK;
    gnd_release(x);
    gnd_release(y);
}

static void test_callers(void)
{
    int32_t v[N] = {0};
    int told = 0;
    const gnd_native_device app = {.device = NULL};
    there = gnd_open_native("null", &app);
    gnd_native_array m = described(GND_INT32, v);
    gnd_scope_begin();
    for (int i = 0; i < 100; i++) {
        (void)gnd_add(gnd_ones(there, GND_INT32, 2, dims), gnd_int(i));
        if (i % 10 == 0)
            (void)gnd_from_native(there, &m, compute, &told);
    }
    gnd_scope_end();
    tap_is_int(told, 10, "owners that compute when a scope ends");
    told = 0;
    other = gnd_ones(there, GND_INT32, 2, dims);
    gnd_array *x = gnd_from_native(there, &m, release_other, &told);
    tap_is_int(gnd_status_of(x), GND_OK, "%s", gnd_error(x));
    gnd_close(there);
    tap_is_int(told, 1, "an owner that releases an array when the device is closed");
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    test_order(dev);
    test_faults(dev);
    test_open();
    test_callers();
    gnd_close(dev);
    ref_null_and_devices(on_device);
    return tap_done();
}
