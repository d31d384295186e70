/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_moves.c - gnd_to_device between every two of the devices: the tested ones, null:0, null:1 and
 * null:2, whose memory is real. The ways of lib/array/move.c are all met: the backend's own copy
 * (null:0 and null:2; two CUDA devices where there are two), a mapping (PoCL), chunks through the
 * host (null:1). Dtypes, views, what is still to be computed, memory that is given out again at
 * once, errors, and every call and allocation failing. On CUDA devices also transfers from and to
 * pinned memory of the user's.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "ref.h"
#include "device/device.h"
#include "graph/graph.h"
#include "tap.h"

enum { MAX_DEV = 8, MIB = 1 << 20 };
static gnd_device *device[MAX_DEV];
static int ndevice;

static void take(const char *spec)
{
    gnd_device *d = gnd_open(spec);
    if (gnd_device_status(d) != GND_OK || ndevice == MAX_DEV) {
        tap_skip(1, "%s: %s", spec, gnd_device_error(d));
        gnd_close(d);
        return;
    }
    device[ndevice++] = d;
}

static void take_tested(gnd_device *dev, const char *spec)
{
    (void)dev;
    take(spec);
}

static int is_null(const gnd_device *d)
{
    return strncmp(gnd_device_id(d), "null", 4) == 0;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static unsigned char *bytes_of(size_t n, unsigned seed)
{
    unsigned char *p = malloc(n + 1);
    if (!p)
        tap_bail("out of memory");
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 31 + (i >> 11) * 7 + seed);
    return p;
}

/* Whether y has the n bytes at want. */
static int holds(gnd_array *y, const unsigned char *want, size_t n)
{
    unsigned char *got = malloc(n + 1);
    const int ok = got && gnd_read(y, got, n) == GND_OK && memcmp(got, want, n) == 0;
    if (!ok)
        tap_diag("%s", gnd_error(y)[0] ? gnd_error(y) : gnd_message());
    free(got);
    return ok;
}

/* n bytes from a to b; the source's memory goes to another array as soon as the call is back. */
static int goes(gnd_device *a, gnd_device *b, int64_t n)
{
    unsigned char *x = bytes_of((size_t)n, 1), *z = bytes_of((size_t)n, 99);
    gnd_array *at_a = gnd_from(a, GND_UINT8, 1, &n, x);
    gnd_array *at_b = gnd_to_device(at_a, b);
    int ok = gnd_device_of(at_b) == b && gnd_status_of(at_b) == GND_OK;
    gnd_release(at_a);
    gnd_array *other = gnd_from(a, GND_UINT8, 1, &n, z);
    ok = ok && holds(at_b, x, (size_t)n) && holds(other, z, (size_t)n);
    if (!ok)
        tap_diag("%lld bytes from %s to %s: %s", (long long)n, gnd_device_id(a), gnd_device_id(b),
                 gnd_error(at_b));
    gnd_release(other);
    gnd_release(at_b);
    free(x);
    free(z);
    return ok;
}

static void test_bytes(gnd_device *a, gnd_device *b)
{
    static const int64_t sizes[] = {0, 1, 255, 65537, 3 * MIB + 7, 16 * MIB, 40 * MIB + 3};
    int ok = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        ok &= goes(a, b, sizes[i]);
    for (int i = 0; i < 20; i++) /* one after the other, without a wait between */
        ok &= goes(a, b, 1000 + i);
    tap_ok(ok, "%s to %s: bytes of every size", gnd_device_id(a), gnd_device_id(b));
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* Views, which the source makes contiguous, and what it has still to compute. */
static void test_views(gnd_device *a, gnd_device *b)
{
    const int64_t shape[2] = {6, 7};
    int32_t x[6][7], want[7][3];
    for (int i = 0; i < 42; i++)
        x[i / 7][i % 7] = i * i - 40 * i;
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 3; i++)
            want[j][i] = 3 * x[5 - 2 * i][j] + 1;
    gnd_scope_begin();
    gnd_array *at = gnd_from(a, GND_INT32, 2, shape, x);
    gnd_array *part = gnd_to_device(gnd_at(at, "2"), b);
    tap_ok(gnd_ndim(part) == 1 && holds(part, (unsigned char *)x[2], sizeof x[2]),
           "%s to %s: a row", gnd_device_id(a), gnd_device_id(b));
    if (!is_null(a)) {
        gnd_array *v = gnd_permute_dims(gnd_at(at, "::-2"), (const int[]){1, 0});
        gnd_array *y = gnd_to_device(gnd_add(gnd_multiply(v, gnd_int(3)), gnd_int(1)), b);
        tap_ok(gnd_ndim(y) == 2 && gnd_dim(y, 0) == 7 && gnd_dim(y, 1) == 3 &&
                   holds(y, (unsigned char *)want, sizeof want),
               "  a view, computed");
        if (!is_null(b)) {
            gnd_array *sum = gnd_sum(gnd_add(y, gnd_int(1)), GND_ALL, 0);
            int64_t s = 0;
            for (int i = 0; i < 21; i++)
                s += want[i / 3][i % 3] + 1;
            tap_is_int(gnd_item_i64(sum, NULL), s, "  and computed with");
        }
    }
    gnd_scope_end();
}

static void test_dtypes(gnd_device *a, gnd_device *b)
{
    const int64_t n = 33;
    unsigned char x[33 * 16];
    int ok = 1;
    for (int t = 0; t < GND_NDTYPES; t++) {
        const size_t bytes = 33 * gnd_dtype_size((gnd_dtype)t);
        for (size_t i = 0; i < sizeof x; i++)
            x[i] = (unsigned char)(t == GND_BOOL ? i % 3 == 0 : i * 5);
        gnd_array *at = gnd_from(a, (gnd_dtype)t, 1, &n, x);
        if (gnd_status_of(at) == GND_OK) {
            gnd_array *y = gnd_to_device(at, b);
            if (ref_lacks(b, (gnd_dtype)t))
                ok &= gnd_status_of(y) == GND_ERR_UNSUPPORTED;
            else
                ok &= gnd_dtype_of(y) == (gnd_dtype)t && holds(y, x, bytes);
            gnd_release(y);
        }
        gnd_release(at);
    }
    tap_ok(ok, "%s to %s: every dtype", gnd_device_id(a), gnd_device_id(b));
}

/* --- pinned memory ---------------------------------------------------------------------------- */

/* From and to memory that CUDA has pinned, which the bus reads and writes itself. */
static void test_pinned(gnd_device *dev)
{
    enum { SIZE = 3 * MIB + 5, PART = MIB };
    int (*alloc)(void **p, size_t nbytes, unsigned flags) = NULL;
    int (*give_back)(void *p) = NULL;
    void *lib =
             strncmp(gnd_device_id(dev), "cuda", 4) == 0 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL,
         *p = NULL;
    if (!lib) {
        tap_skip(1, "%s: CUDA's pinned memory is not for it", gnd_device_id(dev));
        return;
    }
    *(void **)&alloc = dlsym(lib, "cuMemHostAlloc");
    *(void **)&give_back = dlsym(lib, "cuMemFreeHost");
    gnd_sync(dev); /* the context is the thread's */
    if (!tap_ok(alloc && give_back && alloc(&p, SIZE, 0) == 0, "%s: pinned memory",
                gnd_device_id(dev)))
        return;
    unsigned char *x = bytes_of(SIZE, 5), *at = p;
    int64_t n = SIZE - 3;
    memcpy(at, x, SIZE);
    gnd_array *a = gnd_from(dev, GND_UINT8, 1, &n, at + 3);
    memset(at, 0, SIZE); /* as soon as the call is back */
    tap_ok(holds(a, x + 3, SIZE - 3), "  to the device");
    tap_ok(gnd_read(a, at + 1, SIZE - 3) == GND_OK && memcmp(at + 1, x + 3, SIZE - 3) == 0 &&
               at[0] == 0 && at[SIZE - 1] == 0 && at[SIZE - 2] == 0,
           "  and back");
    gnd_release(a);
    n = PART;
    a = gnd_from(dev, GND_UINT8, 1, &n, at + 1);
    tap_ok(gnd_read(a, x, PART) == GND_OK && memcmp(x, at + 1, PART) == 0,
           "  and to memory that is not pinned");
    gnd_release(a);
    give_back(p);
    free(x);
}

/* --- which way -------------------------------------------------------------------------------- */

static gnd_device *null_device(int i)
{
    char spec[16];
    snprintf(spec, sizeof spec, "null:%d", i);
    return gnd_open(spec);
}

/* The null backend's record of a move of n bytes. */
static char *record_of(int from, int to, int64_t n)
{
    gnd_device *a = null_device(from), *b = null_device(to);
    unsigned char *x = bytes_of((size_t)n, 3);
    gnd_array *at = gnd_from(a, GND_UINT8, 1, &n, x);
    gnd__null_reset();
    gnd__null_record(1);
    gnd_array *y = gnd_to_device(at, b);
    gnd__null_record(0);
    char *log = gnd__null_log();
    tap_ok(holds(y, x, (size_t)n), "null:%d to null:%d", from, to);
    gnd_release(y);
    gnd_release(at);
    gnd_close(a);
    gnd_close(b);
    free(x);
    return log;
}

static void test_ways(void)
{
    char *log = record_of(0, 2, 1000);
    tap_is_str(log ? strstr(log, "record") : "",
               "record on 0\n2 waits for 0\ncopy from 1000 at 0\ncopy to 1000 at 0\n"
               "record on 2\n0 waits for 2\n",
               "  is a copy in the order of both queues");
    gnd__free(log);
    log = record_of(0, 1, 16 * MIB + 5);
    tap_ok(log && !strstr(log, "copy") && strstr(log, "read 16777216 at 0\n") &&
               strstr(log, "read 5 at 16777216\n") && strstr(log, "write 16777216 at 0\n") &&
               strstr(log, "write 5 at 16777216\n"),
           "  is chunks");
    gnd__free(log);
    /* Without events the queues are finished. */
    gnd_device *a = null_device(0);
    gnd_queue_ops *q = &((gnd__backend *)a->g->be)->queue, kept = *q;
    q->wait_event = NULL;
    log = record_of(2, 0, 1000);
    *q = kept;
    tap_is_str(log ? strstr(log, "finish") : "",
               "finish\ncopy from 1000 at 0\ncopy to 1000 at 0\nfinish\n",
               "  without events: the queues are finished");
    gnd__free(log);
    gnd_close(a);
}

/* --- failures --------------------------------------------------------------------------------- */

static int moved(gnd_device *a, gnd_device *b, gnd_status *st)
{
    const int64_t n = 17 * MIB;
    static unsigned char x[17 * MIB];
    memset(x, 77, sizeof x);
    gnd_array *at = gnd_from(a, GND_UINT8, 1, &n, x), *y = gnd_to_device(at, b);
    const int ok = gnd_read(y, x, sizeof x) == GND_OK && x[0] == 77 && x[n - 1] == 77;
    *st = gnd_status_of(y);
    gnd_release(y);
    gnd_release(at);
    return ok;
}

/* The n-th call or allocation fails, for every n. */
static void test_failures(int from, int to, void (*fail_at)(long), const char *what)
{
    gnd_device *a = null_device(from), *b = null_device(to);
    gnd_status st;
    int ok = moved(a, b, &st), good = 0, failed = 0;
    gnd_device_trim(a);
    gnd_device_trim(b);
    const long live = gnd__mem_live(), objects = gnd__null_objects();
    for (long n = 1; n < 200 && good < 3; n++) {
        fail_at(n);
        const int went = moved(a, b, &st);
        fail_at(0);
        good = went ? good + 1 : 0;
        failed += !went;
        gnd_device_trim(a);
        gnd_device_trim(b);
        ok &= gnd__mem_live() == live && gnd__null_objects() == objects;
        if (!ok)
            tap_diag("%ld: %d, %ld of %ld, %ld of %ld", n, went, gnd__mem_live(), live,
                     gnd__null_objects(), objects);
    }
    tap_ok(ok && good == 3 && failed > 4,
           "null:%d to null:%d: %d %s fail, one after the other, and nothing is left", from, to,
           failed, what);
    gnd_close(a);
    gnd_close(b);
}

static void test_errors(void)
{
    gnd_device *a = null_device(0), *b = null_device(2), *no = gnd_open("null:9");
    const int64_t n = 5;
    gnd_array *x = gnd_from(a, GND_UINT8, 1, &n, "abcde");
    gnd__gate_fail_at(5); /* alloc is in the pool; record, wait, copy, record, wait */
    gnd_array *y = gnd_to_device(x, b);
    gnd__gate_fail_at(0);
    tap_has_str(gnd_error(y), "to_device: null:0 to null:2: null:", "an error names both devices");
    tap_has_str(gnd_error(y), "injected", "  and what failed");
    gnd_release(y);
    y = gnd_to_device(x, no);
    tap_is_int(gnd_status_of(y), GND_ERR_DEVICE, "to a device that is none: %s", gnd_error(y));
    gnd_release(y);
    y = gnd_to_device(x, NULL);
    tap_is_int(gnd_status_of(y), GND_ERR_NULL, "to nothing: %s", gnd_error(y));
    gnd_release(y);
    y = gnd_to_device(x, a);
    tap_ok(y == x || holds(y, (const unsigned char *)"abcde", 5), "to where it is");
    gnd_release(y);
    gnd_array *three = gnd_int(3);
    y = gnd_to_device(three, b);
    gnd_release(three);
    tap_ok(gnd_status_of(y) == GND_OK && gnd_device_of(y) == b, "a scalar, which is nowhere");
    gnd_release(y);
    gnd_release(x);
    gnd_close(a);
    gnd_close(b);
    gnd_close(no);
}

/* An index that the source finds out of range is an error of the move. */
static void test_checked(gnd_device *a, gnd_device *b)
{
    const int64_t n = 3, bad[3] = {0, 9, 1};
    gnd_scope_begin();
    gnd_array *x = gnd_arange_i64(a, 0, 5, 1, GND_INT32);
    gnd_array *y = gnd_to_device(gnd_take(x, gnd_from(a, GND_INT64, 1, &n, bad), 0), b);
    tap_is_int(gnd_status_of(y), GND_ERR_INDEX, "%s to %s: an index out of range: %s",
               gnd_device_id(a), gnd_device_id(b), gnd_error(y));
    gnd_scope_end();
}

/* Two threads, each moving to the other's device. */
static void *to_and_fro(void *arg)
{
    gnd_device *const *d = arg;
    static const char abc[] = "abcdefgh";
    const int64_t n = 8;
    long bad = 0;
    for (int i = 0; i < 200; i++) {
        gnd_array *x = gnd_from(d[0], GND_UINT8, 1, &n, abc), *y = gnd_to_device(x, d[1]);
        char got[8] = "";
        bad += gnd_read(y, got, 8) != GND_OK || memcmp(got, abc, 8) != 0;
        gnd_release(x);
        gnd_release(y);
    }
    return (void *)bad;
}

static void test_threads(void)
{
    gnd_device *there[2] = {null_device(0), null_device(2)}, *back[2] = {there[1], there[0]};
    pthread_t t[2];
    void *bad[2] = {NULL, NULL};
    pthread_create(&t[0], NULL, to_and_fro, there);
    pthread_create(&t[1], NULL, to_and_fro, back);
    pthread_join(t[0], &bad[0]);
    pthread_join(t[1], &bad[1]);
    tap_ok(!bad[0] && !bad[1], "two threads, one each way");
    gnd_close(there[0]);
    gnd_close(there[1]);
}

int main(void)
{
    ref_devices(take_tested);
    const int tested = ndevice;
    int cuda = 0;
    for (int i = 0; i < tested; i++)
        cuda += strncmp(gnd_device_id(device[i]), "cuda", 4) == 0;
    if (cuda == 1) { /* a second one, for the copy between two */
        take(strcmp(gnd_device_id(device[0]), "cuda:0") == 0 ? "cuda:1" : "cuda:0");
    } else if (!cuda) {
        tap_skip(1, "cuda: not in GND_TEST_DEVICES, no copy between two GPUs");
    }
    const int real = ndevice;
    for (int i = 0; i < 3; i++) {
        char spec[16];
        snprintf(spec, sizeof spec, "null:%d", i);
        take(spec);
    }
    for (int i = 0; i < ndevice; i++)
        for (int j = 0; j < ndevice; j++) {
            if (i == j)
                continue;
            test_bytes(device[i], device[j]);
            test_views(device[i], device[j]);
            test_dtypes(device[i], device[j]);
            if (i < real)
                test_checked(device[i], device[j]);
        }
    for (int i = 0; i < real; i++)
        test_pinned(device[i]);
    for (int i = 0; i < ndevice; i++)
        gnd_close(device[i]);
    test_ways();
    test_errors();
    test_failures(0, 2, gnd__gate_fail_at, "calls");
    test_failures(0, 2, gnd__mem_fail_at, "allocations");
    test_failures(0, 1, gnd__gate_fail_at, "calls");
    test_failures(0, 1, gnd__mem_fail_at, "allocations");
    test_threads();
    return tap_done();
}
