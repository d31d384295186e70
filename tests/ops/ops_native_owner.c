/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_native_owner.c - what owners of native memory are promised: it is never written, and given
 * back exactly once and in time, also when an allocation or a call fails, by another thread, and
 * to owners that call gnd. Devices of an application. On devices that work in host memory.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "nativemem.h"
#include "ref.h"
#include "tap.h"

/* --- owners ----------------------------------------------------------------------------------- */

static void *release_there(void *x)
{
    gnd_release(x);
    return NULL;
}

static void test_owners(const char *spec)
{
    int32_t v[NATIVE_N] = {0};
    int told = 0;
    pthread_t thread;
    gnd_device *dev = gnd_open(spec);
    gnd_native_array m = native_host(GND_INT32, v), where;
    gnd_stats before, after;
    gnd_device_stats(dev, &before);
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told), *y = gnd_at(x, "1:"),
              *z = native_plus(y, 2);
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

    x = gnd_from_native(dev, &m, native_count, &told);
    if (pthread_create(&thread, NULL, release_there, x))
        tap_bail("no thread");
    pthread_join(thread, NULL);
    tap_is_int(told, 2, "released by another thread");

    x = gnd_from_native(dev, &m, native_count, &told);
    z = native_plus(x, 1);
    gnd_array *p = gnd_placeholder(dev, GND_INT32, 2, native_dims), *out[2] = {gnd_add(p, x), x};
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

    x = gnd_from_native(dev, &m, native_count, &told);
    tap_is_int(gnd_status_of(x), GND_OK, "an array that is not released");
    gnd_close(dev);
    tap_is_int(told, gnd_device_status(dev) == GND_ERR_STATE ? 4 : 3,
               "closing the device gives it back");
    if (told == 3)
        gnd_release(x);
    for (int i = 0; i < NATIVE_N; i++)
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
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told), *y = NULL;
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
    int32_t v[NATIVE_N] = {0};
    int told = 0;
    gnd_native_array m = native_host(GND_INT32, v);
    gnd_array *x = gnd_from_native(dev, &m, native_count, &told), *y = native_plus(x, 1);
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
    int32_t v[NATIVE_N] = {0}, got[12];
    gnd_native_array m = native_host(GND_INT32, v), where;
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
            gnd_array *x = gnd_from_native(dev, &m, native_count, &told);
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
    gnd_array *x = gnd_ones(there, GND_INT32, 2, native_dims), *y = gnd_add(x, x);
    *(int *)ctx += gnd_eval_all(1, &y) == GND_OK;
    gnd_release(x);
    gnd_release(y);
}

static void test_callers(void)
{
    int32_t v[NATIVE_N] = {0};
    int told = 0;
    const gnd_native_device app = {.device = NULL};
    there = gnd_open_native("null", &app);
    gnd_native_array m = native_host(GND_INT32, v);
    gnd_scope_begin();
    for (int i = 0; i < 100; i++) {
        (void)gnd_add(gnd_ones(there, GND_INT32, 2, native_dims), gnd_int(i));
        if (i % 10 == 0)
            (void)gnd_from_native(there, &m, compute, &told);
    }
    gnd_scope_end();
    tap_is_int(told, 10, "owners that compute when a scope ends");
    told = 0;
    other = gnd_ones(there, GND_INT32, 2, native_dims);
    gnd_array *x = gnd_from_native(there, &m, release_other, &told);
    tap_is_int(gnd_status_of(x), GND_OK, "%s", gnd_error(x));
    gnd_close(there);
    tap_is_int(told, 1, "an owner that releases an array when the device is closed");
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    if (!native_in_host(dev)) {
        tap_skip(1, "host memory: %s does not work in it", gnd_device_id(dev));
        return;
    }
    if (strncmp(spec, "null", 4) != 0)
        test_in_place(dev);
    test_owners(spec);
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
