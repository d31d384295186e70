/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_streams.c - the order between streams, on the null device's model of it (device/null.h): the
 * waits that are made, and those that are not; random programs of one thread and of several, in
 * which no access comes too early; memory that is freed in one stream and used in another, also
 * when it is short; every call and every allocation failing; and the end of a device with streams.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/null.h"
#include "device/priv.h"
#include "tap.h"
#include <gnd.h>

enum { STREAMS = 4, LIVE = 10, THREADS = 4 };

static gnd_device *dev;
static gnd_stream *s[STREAMS];

static void open_streams(const char *spec)
{
    dev = gnd_open(spec);
    s[0] = gnd_stream_default(dev);
    for (int i = 1; i < STREAMS; i++)
        s[i] = gnd_stream_create(dev);
}

static void close_streams(void)
{
    for (int i = 1; i < STREAMS; i++)
        gnd_stream_free(s[i]);
    gnd_close(dev);
}

/* How often text is in the log since then, which is cleared. */
static int logged(const char *text)
{
    char *log = gnd__null_log();
    int n = 0;
    for (const char *at = log; at && (at = strstr(at, text)) != NULL; at += strlen(text))
        n++;
    gnd__free(log);
    gnd__null_reset();
    return n;
}

/* --- the model itself ------------------------------------------------------------------------- */

static void test_model(void)
{
    const gnd_backend *be = gnd__null_tables();
    gnd_dev *d;
    gnd_queue *q[2];
    gnd_buf *b;
    gnd_event *ev;
    gnd_err e = {GND_OK, 0, ""};
    int v[4] = {1, 2, 3, 4}, yes = 1;
    be->device->open(0, &d, &e);
    be->queue->queue_new(d, 0, &q[0], &e);
    be->queue->queue_new(d, 0, &q[1], &e);
    be->memory->alloc(d, 16, &b, &e);
    gnd__null_model(GND__NULL_HELD);
    be->memory->write(q[0], b, 0, v, 8, &e);
    be->memory->write(q[1], b, 8, v, 8, &e);
    tap_is_int(gnd__null_races(), 0, "model: other bytes of a buffer");
    be->memory->read_async(q[1], v, b, 0, 4, &e);
    tap_is_int(gnd__null_races(), 1, "model: a read in another queue without a wait");
    be->queue->record(q[0], &ev, &e);
    be->queue->event_done(ev, &yes, &e);
    tap_is_int(yes, 0, "model: held events do not come");
    be->queue->wait_event(q[1], ev, &e);
    be->memory->read_async(q[1], v, b, 0, 8, &e);
    tap_is_int(gnd__null_races(), 1, "model: a read after a wait");
    be->memory->write(q[0], b, 0, v, 4, &e);
    tap_is_int(gnd__null_races(), 2, "model: a write before the read has come");
    be->queue->finish(q[1], &e);
    be->memory->write(q[0], b, 0, v, 4, &e);
    be->queue->event_done(ev, &yes, &e);
    tap_ok(gnd__null_races() == 2 && yes, "model: the host has waited");
    be->queue->event_free(ev);
    gnd__null_reset();
    be->memory->free(b);
    tap_is_int(gnd__null_races(), 3, "model: freed while queue 0 writes");
    gnd__null_model(0);
    be->queue->queue_free(q[0]);
    be->queue->queue_free(q[1]);
    be->device->close(d);
}

/* --- which waits are made --------------------------------------------------------------------- */

static gnd_array *made(int stream, int64_t n, double v)
{
    gnd_stream_use(s[stream]);
    float *p = malloc((size_t)n * sizeof *p);
    for (int64_t i = 0; i < n; i++)
        p[i] = (float)v;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, p);
    free(p);
    return x;
}

static void test_waits(void)
{
    open_streams("null:0");
    gnd__null_record(1);
    gnd_array *x = made(1, 1000, 1), *y = made(1, 1000, 2), *u = made(2, 1000, 3);
    tap_is_int(logged(" waits for "), 0, "uploads in two streams: no wait");
    gnd_scope_begin();
    gnd_stream_use(s[1]);
    gnd_wait(gnd_add(x, y));
    tap_is_int(logged(" waits for 0"), 0, "arrays of the same stream: no wait on the device");
    gnd_stream_use(s[2]);
    gnd_eval_all(1, (gnd_array *[]){gnd_add(u, gnd_int(1))});
    tap_is_int(logged(" waits for "), 0, "independent work: no wait");
    gnd_array *z = made(1, 1000, 4);
    gnd_stream_use(s[2]);
    gnd__null_reset();
    gnd_eval_all(1, (gnd_array *[]){gnd_add(z, u)});
    tap_is_int(logged("0.2 waits for 0.1"), 1, "an array of another stream: one wait");
    gnd_eval_all(1, (gnd_array *[]){gnd_add(z, gnd_int(2))});
    tap_is_int(logged(" waits for "), 0, "the same again: none");
    gnd_stream_use(s[3]);
    gnd_array *w = gnd_multiply(z, u);
    gnd_eval_all(1, &w);
    tap_is_int(logged("0.3 waits for 0."), 2, "arrays of two streams: a wait for each");
    gnd_sync(dev);
    gnd__null_reset();
    gnd_stream_use(s[0]);
    gnd_eval_all(1, (gnd_array *[]){gnd_add(w, z)});
    tap_is_int(logged(" waits for "), 0, "after gnd_sync: no wait");
    gnd_scope_end();
    gnd_stream_use(s[1]);
    for (int i = 0; i < 300; i++) { /* small and large blocks of two chains */
        gnd_scope_begin();
        gnd_stream_use(s[1 + i % 2]);
        gnd_wait(gnd_add(i % 2 ? u : x, gnd_int(i)));
        gnd_eval_all(
            1, (gnd_array *[]){gnd_full(dev, GND_FLOAT32, 1, (int64_t[]){400000}, gnd_int(i))});
        gnd_scope_end();
    }
    tap_is_int(logged(" waits for 0"), 0, "two chains and their memory: none waits for the other");
    gnd__null_record(0);
    gnd__null_reset();
    gnd_release(x);
    gnd_release(y);
    gnd_release(z);
    gnd_release(u);
    close_streams();
}

/* --- random programs -------------------------------------------------------------------------- */

typedef struct dice {
    uint64_t s;
} dice;

static uint64_t roll(dice *d, uint64_t n)
{
    d->s = d->s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (d->s >> 33) % n;
}

static int64_t size_of(dice *d)
{
    static const int64_t sizes[] = {1, 300, 5000, 70000, 300000, 400003};
    return sizes[roll(d, 6)];
}

static gnd_array *step(dice *d, gnd_array **live, const void *data)
{
    gnd_array *x = live[roll(d, LIVE)], *y = gnd_sum(live[roll(d, LIVE)], GND_ALL, 0);
    const int64_t n = size_of(d);
    switch (roll(d, 8)) {
    case 0: return gnd_from(dev, GND_FLOAT32, 1, &n, data);
    case 1: return gnd_from_async(dev, GND_FLOAT32, 1, &n, data);
    case 2: return gnd_add(x, y);
    case 3: return gnd_sort(x, 0, 0);
    case 4: return gnd_cumulative_sum(x, GND_AXIS(0), 0, GND_DTYPE_DEFAULT);
    case 5: return gnd_take(x, gnd_full(dev, GND_INT64, 1, &n, gnd_int(0)), 0);
    case 6: {
        gnd_array *two[] = {x, gnd_at(live[roll(d, LIVE)], "::2")};
        return gnd_at(gnd_concat(2, two, 0), ":400000");
    }
    default: return gnd_multiply(gnd_flip(x, GND_ALL), y);
    }
}

typedef struct job {
    int number, steps, bad;
    gnd_stream *const *s;
    int ns;
    pthread_t thread;
} job;

static void *work(void *arg)
{
    job *j = arg;
    dice d = {(uint64_t)j->number * 977 + 3};
    gnd_array *live[LIVE];
    void *data = calloc(400003, 4), *out = malloc(400003 * 4);
    for (int i = 0; i < LIVE; i++)
        live[i] = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){size_of(&d)}, data);
    for (int k = 0; k < j->steps; k++) {
        const int at = (int)roll(&d, LIVE), what = (int)roll(&d, 12);
        gnd_stream_use(j->s[roll(&d, (uint64_t)j->ns)]);
        gnd_scope_begin();
        gnd_array *y = gnd_retain(step(&d, live, data));
        gnd_scope_end();
        if (what < 8)
            gnd_eval_all(1, &y);
        gnd_release(live[at]);
        live[at] = y;
        gnd_array *r = live[roll(&d, LIVE)];
        if (what == 8)
            j->bad += gnd_read(r, out, gnd_nbytes(r)) != GND_OK;
        if (what == 9)
            j->bad += gnd_read_async(r, out, gnd_nbytes(r)) != GND_OK;
        if (what == 10)
            gnd_device_trim(dev);
        if (what == 11)
            gnd_stream_synchronize(j->s[roll(&d, (uint64_t)j->ns)]);
    }
    for (int i = 0; i < LIVE; i++) {
        j->bad += gnd_wait(live[i]) != GND_OK;
        gnd_release(live[i]);
    }
    gnd_sync(dev);
    free(data);
    free(out);
    return NULL;
}

static void test_programs(const char *spec, int how, uint64_t limit)
{
    job j = {.number = how, .steps = tap_sanitized() ? 200 : 500, .s = s, .ns = STREAMS};
    gnd_stats st;
    open_streams(spec);
    gnd_device_set_limit(dev, limit);
    gnd__null_model(how);
    work(&j);
    gnd_device_stats(dev, &st);
    tap_ok(!j.bad && !gnd__null_races(),
           "%s, limit %llu: random programs: %d failed, %ld accesses too early", spec,
           (unsigned long long)limit, j.bad, gnd__null_races());
    if (j.bad)
        tap_diag("%s", gnd_message());
    tap_is_int(st.arrays, 0, "%s: no arrays are left", spec);
    close_streams();
    tap_is_int(gnd__null_races(), 0, "%s: nothing is freed too early", spec);
    gnd__null_model(0);
}

static void *own_stream(void *arg)
{
    job *j = arg;
    gnd_stream *mine[2] = {gnd_stream_create(dev), s[1]};
    j->s = mine;
    j->ns = j->number % 2 + 1;
    work(j);
    j->bad += gnd_stream_free(mine[0]) != GND_OK;
    return NULL;
}

static void test_threads(void)
{
    job j[THREADS];
    int bad = 0;
    open_streams("null:0");
    gnd__null_model(GND__NULL_AT_ONCE);
    for (int i = 0; i < THREADS; i++) {
        j[i] = (job){.number = i, .steps = 120};
        if (pthread_create(&j[i].thread, NULL, own_stream, &j[i]))
            tap_bail("no thread");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(j[i].thread, NULL);
        bad += j[i].bad;
    }
    tap_ok(!bad && !gnd__null_races(),
           "%d threads with a stream each: %d failed, %ld accesses too early", THREADS, bad,
           gnd__null_races());
    close_streams();
    gnd__null_model(0);
}

/* Large arrays go from stream to stream; events never come by themselves. */
static void test_ahead(void)
{
    const int64_t n = 400003;
    void *data = calloc((size_t)n, 4);
    gnd_stats st;
    open_streams("null:0");
    gnd__null_model(GND__NULL_HELD);
    for (int i = 0; i < 100; i++) {
        gnd_stream_use(s[1]);
        gnd_array *x = gnd_from_async(dev, GND_FLOAT32, 1, &n, data);
        gnd_stream_use(s[2]);
        gnd_scope_begin();
        gnd_array *y = gnd_add(x, gnd_int(1));
        gnd_eval_all(1, &y);
        gnd_scope_end();
        gnd_release(x);
    }
    gnd_device_stats(dev, &st);
    tap_ok(st.bytes_held < 16 << 20 && !gnd__null_races(),
           "a stream that is behind: %llu bytes are held, %ld accesses too early",
           (unsigned long long)st.bytes_held, gnd__null_races());
    free(data);
    close_streams();
    gnd__null_model(0);
}

/* --- failures --------------------------------------------------------------------------------- */

/* Returns how many calls failed. */
static int small_program(void)
{
    const int64_t n = 1000, big = 400003;
    static float out[400003];
    gnd_stream_event *ev = NULL;
    void *host = NULL;
    int bad = 0;
    open_streams("null:0");
    bad += gnd_device_status(dev) != GND_OK;
    for (int i = 0; i < STREAMS; i++)
        bad += gnd_stream_status(s[i]) != GND_OK;
    gnd_scope_begin();
    bad += gnd_host_alloc(dev, 4096, &host) != GND_OK;
    gnd_array *x = gnd_from_async(dev, GND_FLOAT32, 1, &n, out);
    gnd_array *y = gnd_from(dev, GND_FLOAT32, 1, &big, out);
    bad += gnd_eval_all(2, (gnd_array *[]){x, y}) != GND_OK;
    bad += gnd_stream_use(s[1]) != GND_OK;
    gnd_array *z = gnd_add(gnd_sum(x, GND_ALL, 0), y);
    bad += gnd_eval_all(1, &z) != GND_OK;
    bad += gnd_stream_record(s[1], &ev) != GND_OK;
    gnd_stream_use(s[2]);
    bad += gnd_stream_wait(s[3], s[2]) != GND_OK;
    bad += !ev || gnd_stream_wait_event(s[3], ev) != GND_OK;
    bad += gnd_read_async(z, out, sizeof out) != GND_OK;
    bad += gnd_stream_synchronize(s[2]) != GND_OK;
    bad +=
        gnd_read(gnd_take(z, gnd_full(dev, GND_INT64, 1, &n, gnd_int(1)), 0), out, 4000) != GND_OK;
    bad += gnd_stream_event_free(ev) != GND_OK;
    gnd_scope_end();
    bad += gnd_host_free(dev, host) != GND_OK;
    for (int i = 1; i < STREAMS; i++)
        bad += gnd_stream_free(s[i]) != GND_OK;
    gnd_close(dev);
    return bad;
}

static void test_failures(void)
{
    const long live = gnd__mem_live(), objects = gnd__null_objects();
    int bad = small_program(), silent = 0, leaks = 0, broken = 0;
    long calls = gnd__gate_calls(), allocs = gnd__mem_count();
    tap_is_int(bad, 0, "the program without failures");
    bad = small_program();
    calls = gnd__gate_calls() - calls;
    allocs = gnd__mem_count() - allocs;
    gnd__null_model(GND__NULL_AT_ONCE);
    for (long k = 1; k <= calls; k++) { /* gnd_close waits, and cannot tell */
        gnd__gate_fail_at(k);
        silent += small_program() == 0;
        gnd__gate_fail_at(0);
        leaks += gnd__null_objects() != objects;
        broken += k % 8 == 0 && small_program() != 0;
    }
    tap_ok(silent == 1 && !leaks && !broken,
           "%ld calls fail in turn: %d without a word, %d leaks, "
           "%d broken afterwards",
           calls, silent, leaks, broken);
    leaks = broken = 0;
    for (long k = 1; k <= allocs; k++) {
        gnd__mem_fail_at(k);
        (void)small_program();
        gnd__mem_fail_at(0);
        leaks += gnd__null_objects() != objects;
        broken += k % 16 == 0 && small_program() != 0;
    }
    tap_ok(!leaks && !broken, "%ld allocations fail in turn: %d leaks, %d broken afterwards",
           allocs, leaks, broken);
    tap_is_int(gnd__null_races(), 0, "no access came too early meanwhile");
    gnd__null_model(0);
    tap_is_int(gnd__mem_live(), live, "no memory is left");
}

/* A thread that uses streams of ever new devices. */
static void test_devices(void)
{
    int bad = 0;
    for (int i = 0; i < 40; i++) {
        dev = gnd_open("null:0");
        gnd_stream *x = gnd_stream_create(dev);
        bad += gnd_stream_use(x) != GND_OK;
        if (i % 2)
            gnd_stream_free(x);
        gnd_close(dev);
        if (i % 2 == 0)
            gnd_stream_free(x);
    }
    tap_is_int(bad, 0, "streams of 40 devices, one after the other");
}

/* --- the end ---------------------------------------------------------------------------------- */

static void test_end(void)
{
    gnd_stream_event *ev;
    void *host;
    open_streams("null:2");
    gnd_stream_use(s[1]);
    gnd_stream_record(s[1], &ev);
    gnd_host_alloc(dev, 100, &host);
    memset(host, 1, 100);
    gnd_close(dev);
    tap_is_int(gnd_stream_status(s[1]), GND_ERR_STATE, "a stream of a closed device");
    tap_is_int(gnd_stream_synchronize(s[1]), GND_ERR_STATE, "and a wait for it");
    tap_is_int(gnd_stream_event_synchronize(ev), GND_ERR_STATE, "an event of a closed device");
    tap_is_int(gnd_stream_event_free(ev), GND_OK, "it is freed");
    for (int i = 1; i < STREAMS; i++)
        gnd_stream_free(s[i]);
    dev = gnd_open("null:2"); /* the thread's current stream was one of the old device's */
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 0, NULL);
    tap_is_int(gnd_wait(x), GND_OK, "the device, opened again, has its default stream");
    tap_ok(gnd_stream_current(dev) == gnd_stream_default(dev), "which is current");
    gnd_release(x);
    gnd_close(dev);
    gnd_stream *none = gnd_stream_default(NULL);
    tap_is_int(gnd_stream_status(none), GND_ERR_NULL, "no device, no stream");
    gnd_stream_free(none);
    none = gnd_stream_current(NULL);
    tap_is_int(gnd_stream_status(none), GND_ERR_NULL, "nor a current one");
    gnd_stream_free(none);
}

int main(void)
{
    test_model();
    test_waits();
    test_programs("null:0", GND__NULL_AT_ONCE, 0);
    test_programs("null:2", GND__NULL_HELD, 0);
    test_programs("null:1", GND__NULL_HELD, 48 << 20);
    test_ahead();
    test_threads();
    test_end();
    test_devices();
    test_failures();
    tap_is_int(gnd__null_objects(), 0, "no objects of the backend are left");
    tap_is_int(gnd__null_damage(), 0, "nothing was written outside of buffers");
    return tap_done();
}
