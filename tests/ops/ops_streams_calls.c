/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_streams_calls.c - calls in several streams of a device: transfers that do not wait, events,
 * recordings, checked indices, users' kernels, products, transforms and decompositions in changing
 * streams, native queues, and wrong arguments. ops_streams.c runs random programs.
 */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "fourstreams.h"
#include "tap.h"

static gnd_device *dev;
static const char *where; /* its name */
static gnd_stream *const *stream;

/* --- memory and transfers --------------------------------------------------------------------- */

/* Chunks go up in one stream, through a long computation in another, and down in a third; each is
 * released at once. Memory that is reused too early would be seen. */
static void test_chunks(int64_t n, int count, int pinned)
{
    const size_t bytes = (size_t)n * sizeof(float);
    float *in = NULL, *out = NULL;
    if (pinned) {
        gnd_host_alloc(dev, bytes * (size_t)count, (void **)&in);
        gnd_host_alloc(dev, bytes * (size_t)count, (void **)&out);
    } else {
        in = malloc(bytes * (size_t)count);
        out = malloc(bytes * (size_t)count);
    }
    if (!in || !out)
        tap_bail("no memory: %s", gnd_message());
    for (int64_t i = 0; i < n * count; i++)
        in[i] = (float)((i * 31) % 2003) / 16;
    memset(out, 0, bytes * (size_t)count);
    gnd_status st = GND_OK;
    for (int k = 0; k < count && st == GND_OK; k++) {
        gnd_stream_use(stream[1]);
        gnd_array *x = gnd_from_async(dev, GND_FLOAT32, 1, &n, in + k * n);
        gnd_stream_use(stream[2]);
        gnd_scope_begin();
        gnd_array *y = x;
        for (int i = 0; i < 4; i++) {
            y = gnd_add(gnd_cumulative_sum(gnd_subtract(y, y), GND_AXIS(0), 0, GND_DTYPE_DEFAULT),
                        gnd_multiply(y, gnd_real(2)));
            gnd_eval_all(1, &y);
        }
        gnd_retain(y);
        gnd_scope_end();
        gnd_stream_use(stream[3]);
        st = gnd_read_async(y, out + k * n, bytes);
        gnd_release(x);
        gnd_release(y);
    }
    gnd_stream_use(stream[0]);
    st = st == GND_OK ? gnd_stream_synchronize(stream[3]) : st;
    int64_t wrong = 0;
    for (int64_t i = 0; i < n * count; i++)
        wrong += out[i] != in[i] * 16;
    if (!tap_ok(st == GND_OK && !wrong, "%s: %d chunks of %lld elements through three streams%s",
                where, count, (long long)n, pinned ? "" : ", pageable"))
        tap_diag("status %d (%s), %lld wrong", st, gnd_message(), (long long)wrong);
    if (pinned) {
        tap_is_int(gnd_host_free(dev, in), GND_OK, "%s: host_free", where);
        tap_is_int(gnd_host_free(dev, out), GND_OK, "%s: host_free", where);
    } else {
        free(in);
        free(out);
    }
}

static void test_events(void)
{
    const int64_t n = 200000;
    gnd_stream_event *ev = NULL;
    float *p = NULL;
    int done = 0;
    gnd_host_alloc(dev, (size_t)n * 4, (void **)&p);
    gnd_stream_use(stream[1]);
    gnd_array *three = gnd_real(3), *x = gnd_full(dev, GND_FLOAT32, 1, &n, three);
    gnd_release(three);
    gnd_status st = gnd_read_async(x, p, (size_t)n * 4);
    tap_is_int(st, GND_OK, "%s: read_async", where);
    tap_is_int(gnd_stream_record(stream[1], &ev), GND_OK, "%s: an event", where);
    tap_is_int(gnd_stream_wait_event(stream[2], ev), GND_OK, "%s: a stream waits for it", where);
    tap_is_int(gnd_stream_event_synchronize(ev), GND_OK, "%s: it comes", where);
    tap_ok(p[0] == 3 && p[n - 1] == 3, "%s: the elements are there", where);
    st = gnd_stream_event_done(ev, &done);
    tap_ok((st == GND_OK && done) || st == GND_ERR_UNSUPPORTED, "%s: it has come", where);
    tap_is_int(gnd_stream_event_free(ev), GND_OK, "%s: freed", where);
    st = gnd_stream_done(stream[1], &done); /* what was asked for once is asked until it comes */
    for (int k = 0; k < 1000000 && st == GND_OK && !done; k++)
        st = gnd_stream_done(stream[1], &done);
    tap_ok((st == GND_OK && done) || st == GND_ERR_UNSUPPORTED, "%s: a stream is done", where);
    gnd_array *y = gnd_add(x, x);
    gnd_eval_all(1, &y);
    tap_is_int(gnd_stream_synchronize(stream[1]), GND_OK, "%s: more work", where);
    st = gnd_stream_done(stream[1], &done);
    tap_ok((st == GND_OK && done) || st == GND_ERR_UNSUPPORTED, "%s: done again, at once", where);
    gnd_release(y);
    tap_is_int(gnd_stream_wait(stream[1], stream[2]), GND_OK, "%s: stream_wait", where);
    tap_ok(gnd_stream_current(dev) == stream[1], "%s: the current stream", where);
    gnd_stream_use(stream[0]);
    tap_ok(gnd_stream_current(dev) == gnd_stream_default(dev), "%s: the default stream", where);
    gnd_release(x);
    gnd_host_free(dev, p);
}

/* --- what else runs on a device --------------------------------------------------------------- */

static void test_recording(void)
{
    const int64_t n = 5000;
    float want[5000], got[5000];
    int wrong = 0;
    gnd_scope_begin();
    gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 1, &n);
    gnd_array *a = gnd_placeholder_number(dev, GND_FLOAT32);
    gnd_array *extra = gnd_arange_f64(dev, 0, (double)n, 1, GND_FLOAT32);
    gnd_eval_all(1, &extra);
    gnd_array *y = gnd_add(gnd_multiply(x, gnd_real(0.5)), gnd_multiply(extra, a));
    gnd_array *z = gnd_add(gnd_sort(y, 0, 0), gnd_max(y, GND_ALL, 0));
    gnd_recording *r = gnd_record(2, (gnd_array *[]){x, a}, 2, (gnd_array *[]){y, z});
    gnd_scope_end();
    for (int mode = 0; mode < 2; mode++) {
        float *p = mode ? got : want;
        dice d = {7};
        gnd_array *start = gnd_ones(dev, GND_FLOAT32, 1, &n);
        gnd_recording_set(r, 0, start);
        gnd_release(start);
        for (int k = 0; k < 150; k++) {
            if (mode)
                gnd_stream_use(stream[roll(&d, STREAMS)]);
            gnd_recording_set_f64(r, 1, k % 5);
            gnd_replay(r);
            if (mode)
                gnd_stream_use(stream[roll(&d, STREAMS)]);
            gnd_recording_feed(r, k % 7 == 0, 0);
        }
        gnd_array *out = gnd_recording_get(r, 1);
        if (mode)
            gnd_stream_use(stream[1]);
        wrong += gnd_read(out, p, sizeof got) != GND_OK;
        gnd_release(out);
        gnd_stream_use(stream[0]);
    }
    wrong += gnd_recording_wait(r) != GND_OK;
    wrong += gnd_recording_free(r) != GND_OK;
    if (!tap_ok(!wrong && !memcmp(want, got, sizeof want), "%s: a recording in changing streams",
                where))
        tap_diag("%s", gnd_message());
}

static void test_checked(void)
{
    const int64_t n = 1000;
    gnd_scope_begin();
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64), *x = gnd_multiply(i, gnd_int(3));
    gnd_stream_use(stream[1]);
    gnd_array *good = gnd_take(x, gnd_remainder(i, gnd_int(100)), 0);
    gnd_eval_all(1, &good);
    gnd_stream_use(stream[2]);
    gnd_array *bad = gnd_take(x, gnd_add(i, gnd_int(1)), 0);
    gnd_eval_all(1, &bad);
    gnd_stream_use(stream[3]);
    gnd_array *s = gnd_sum(gnd_add(good, gnd_int(0)), GND_ALL, 0);
    gnd_status st;
    const double got = gnd_item_f64(s, &st);
    tap_ok(st == GND_OK && got == 3.0 * 4950 * 10, "%s: checked indices, read in another stream",
           where);
    gnd_item_f64(gnd_sum(bad, GND_ALL, 0), &st);
    tap_is_int(st, GND_ERR_INDEX, "%s: an index out of range, read in another stream", where);
    gnd_stream_use(stream[0]);
    gnd_scope_end();
}

static void test_kernels(void)
{
    const int64_t n = 70000;
    gnd_program *p =
        gnd_compile(dev,
                    "__global__ void grow(float *x, int n) { int i = blockIdx.x * blockDim.x + "
                    "threadIdx.x; if (i < n) x[i] = x[i] * 0.5f + 1.0f; }",
                    GND_CUDA_C, NULL);
    gnd_kernel *k = gnd_program_kernel(p, "grow");
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, &n), *old = NULL;
    dice d = {3};
    float want = 0;
    int wrong = gnd_program_status(p) != GND_OK;
    for (int i = 0; i < 60; i++) {
        gnd_array *y;
        gnd_stream_use(stream[roll(&d, STREAMS)]);
        gnd_launch(k, gnd_dims((size_t)(n + 63) / 64), gnd_dims(64), 2,
                   (gnd_arg[]){GND_INOUT(x), GND_I32((int)n)}, &y);
        if (i == 30)
            old = gnd_retain(x); /* its memory must not be written in place */
        gnd_release(x);
        wrong += gnd_eval_all(1, &y) != GND_OK;
        x = y;
        want = want * 0.5f + 1;
    }
    gnd_stream_use(stream[2]);
    float *v = malloc((size_t)n * 4);
    wrong += gnd_read(x, v, (size_t)n * 4) != GND_OK;
    for (int64_t i = 0; i < n; i++)
        wrong += v[i] != want;
    wrong += gnd_read(old, v, (size_t)n * 4) != GND_OK;
    float before = 0;
    for (int i = 0; i < 30; i++)
        before = before * 0.5f + 1;
    for (int64_t i = 0; i < n; i++)
        wrong += v[i] != before;
    free(v);
    gnd_release(x);
    gnd_release(old);
    gnd_program_free(p);
    gnd_stream_use(stream[0]);
    if (!tap_ok(!wrong, "%s: a user's kernel writes its array in changing streams", where))
        tap_diag("%s", gnd_message());
}

/* Library calls: the same one after the other in one stream, and in all. */
static void test_libraries(void)
{
    enum { M = 96, N = 4 };
    const int64_t shape[2] = {M, M};
    static float want[N][2 * M * M], got[N][2 * M * M];
    int wrong = 0;
    for (int mode = 0; mode < 2; mode++) {
        gnd_array *r[N];
        gnd_scope_begin();
        gnd_array *i = gnd_reshape(gnd_arange_i64(dev, 0, M * M, 1, GND_INT64), 2, shape);
        gnd_array *a = gnd_divide(
            gnd_astype(gnd_remainder(gnd_multiply(i, gnd_int(37)), gnd_int(101)), GND_FLOAT32),
            gnd_real(64));
        gnd_array *b =
            gnd_add(gnd_matmul(a, gnd_matrix_transpose(a)), gnd_eye(dev, GND_FLOAT32, M, M, 0));
        gnd_eval_all(2, (gnd_array *[]){a, b});
        for (int round = 0; round < 3; round++)
            for (int k = 0; k < N; k++) {
                if (mode)
                    gnd_stream_use(stream[(k + round) % STREAMS]);
                r[k] = k == 0   ? gnd_matmul(a, b)
                       : k == 1 ? gnd_real_part(gnd_fft(a, -1, -1, GND_NORM_BACKWARD))
                       : k == 2 ? gnd_solve(b, a)
                                : gnd_cholesky(b, 0);
                gnd_eval_all(1, &r[k]);
            }
        for (int k = 0; k < N; k++)
            wrong += gnd_read(r[k], mode ? got[k] : want[k], gnd_nbytes(r[k])) != GND_OK;
        gnd_scope_end();
    }
    gnd_stream_use(stream[0]);
    if (!tap_ok(!wrong && !memcmp(want, got, sizeof want),
                "%s: products, transforms and decompositions in four streams", where))
        tap_diag("%d failed: %s", wrong, gnd_message());
}

static int released;
static void on_release(void *ctx)
{
    (void)ctx;
    __atomic_fetch_add(&released, 1, __ATOMIC_RELAXED);
}

static void test_native(void)
{
    gnd_native_device q[2];
    const int64_t n = 3000;
    gnd_stream_use(stream[1]);
    const gnd_status a = gnd_device_native(dev, &q[1]);
    gnd_stream_use(stream[0]);
    const gnd_status b = gnd_device_native(dev, &q[0]);
    tap_ok(a == GND_OK && b == GND_OK && q[0].queue != q[1].queue && q[0].context == q[1].context,
           "%s: each stream has a native queue of its own", where);
    gnd_scope_begin();
    gnd_native_array m;
    gnd_stream_use(stream[2]);
    gnd_array *x = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    gnd_eval_all(1, &x);
    gnd_stream_use(stream[3]);
    tap_is_int(gnd_native(x, &m), GND_OK, "%s: native memory in another stream", where);
    tap_is_int(gnd_wait(x), GND_OK, "%s: its elements are there",
               where); /* foreign memory has no order */
    gnd_array *y = gnd_from_native(dev, &m, on_release, NULL);
    gnd_status st;
    gnd_stream_use(stream[1]);
    const double sum = gnd_item_f64(gnd_sum(y, GND_ALL, 0), &st);
    tap_ok(st == GND_OK && sum == (double)(n * (n - 1) / 2), "%s: foreign memory in another stream",
           where);
    gnd_stream_use(stream[0]);
    gnd_scope_end();
    gnd_sync(dev);
    tap_is_int(released, 1, "%s: its owner was told", where);
    released = 0;
}

static void test_mistakes(gnd_device *other)
{
    const int64_t n = 4;
    float v[4];
    gnd_stream *s = gnd_stream_create(dev), *none = gnd_stream_create(NULL);
    gnd_stream_event *ev;
    void *p;
    tap_is_int(gnd_stream_status(none), GND_ERR_NULL, "%s: a stream of no device", where);
    tap_is_int(gnd_stream_use(none), GND_ERR_NULL, "%s: and its use", where);
    tap_is_int(gnd_stream_free(none), GND_OK, "%s: and its end", where);
    gnd_stream_use(s);
    tap_ok(gnd_stream_current(dev) == s, "%s: a stream is current", where);
    tap_is_int(gnd_stream_free(s), GND_OK, "%s: it is freed", where);
    tap_ok(gnd_stream_current(dev) == gnd_stream_default(dev), "%s: the default one is current",
           where);
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, &n);
    tap_ok(gnd_read(x, v, sizeof v) == GND_OK && v[3] == 1, "%s: and works", where);
    gnd_release(x);
    tap_is_int(gnd_stream_use(s), GND_ERR_STATE, "%s: a freed stream", where);
    tap_is_int(gnd_stream_free(s), GND_ERR_STATE, "%s: freed twice", where);
    tap_is_int(gnd_stream_free(stream[0]), GND_ERR_ARG, "%s: the default stream is not freed",
               where);
    tap_is_int(gnd_stream_synchronize(NULL), GND_ERR_NULL, "%s: NULL", where);
    tap_is_int(gnd_stream_record(stream[0], NULL), GND_ERR_NULL, "%s: no place for an event",
               where);
    tap_is_int(gnd_stream_event_synchronize(NULL), GND_ERR_NULL, "%s: no event", where);
    tap_is_int(gnd_host_alloc(dev, 64, NULL), GND_ERR_NULL, "%s: no place for memory", where);
    tap_ok(gnd_host_alloc(dev, 0, &p) == GND_OK && !p, "%s: no bytes", where);
    tap_is_int(gnd_host_free(dev, v), GND_ERR_ARG, "%s: not memory of host_alloc", where);
    gnd_scope_begin();
    FAILS(gnd_from_async(dev, GND_FLOAT32, 1, &n, NULL), GND_ERR_NULL, "from_async: data is NULL");
    gnd_scope_end();
    tap_is_int(gnd_read_async(NULL, v, 4), GND_ERR_NULL, "%s: no array", where);
    gnd_stream *far = gnd_stream_default(other);
    tap_is_int(gnd_stream_wait(stream[1], far), GND_ERR_DEVICE, "%s: a stream of another device",
               where);
    tap_is_int(gnd_stream_record(stream[1], &ev), GND_OK, "%s: an event", where);
    tap_is_int(gnd_stream_wait_event(far, ev), GND_ERR_DEVICE, "%s: of another device", where);
    gnd_stream_event_free(ev);
    tap_is_int(gnd_stream_event_free(ev), GND_ERR_STATE, "%s: an event freed twice", where);
    gnd_array *b = gnd_from_async(dev, GND_BOOL, 1, &n, "\0\2\1\0");
    unsigned char bytes[4];
    tap_ok(gnd_read(b, bytes, 4) == GND_OK && bytes[1] == 1, "%s: bools are 0 or 1", where);
    gnd_release(b);
}

static void test_many(void)
{
    gnd_stream *s[64];
    int n = 0, ok = 1;
    while (n < 64) {
        s[n] = gnd_stream_create(dev);
        if (gnd_stream_status(s[n]) != GND_OK)
            break;
        n++;
    }
    tap_is_int(n, 63 - (STREAMS - 1), "%s: 63 streams besides the default one", where);
    if (n < 64) {
        tap_ok(strstr(gnd_stream_error(s[n]), "64 streams") != NULL, "%s: %s", where,
               gnd_stream_error(s[n]));
        gnd_stream_free(s[n]);
    }
    while (n-- > 0)
        ok &= gnd_stream_free(s[n]) == GND_OK;
    tap_ok(ok, "%s: all freed", where);
}

static void tests(gnd_device *d, const char *spec, gnd_stream *const *all)
{
    dev = d;
    where = spec;
    stream = all;
    gnd_device *other = gnd_open("null:0");
    test_chunks(1000, 40, 1);
    test_chunks(100003, 40, 1);
    test_chunks(500009, 16, 1);
    test_chunks(300007, 8, 0);
    test_events();
    test_recording();
    test_checked();
    test_kernels();
    test_libraries();
    test_native();
    test_mistakes(other);
    test_many();
    gnd_close(other);
}

int main(void)
{
    with_streams(tests);
    return tap_done();
}
