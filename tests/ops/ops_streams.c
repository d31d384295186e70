/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_streams.c - several streams of a device: random programs whose steps run in random streams,
 * of one thread and of several, give what one stream gives, bit for bit; memory that is freed in
 * one stream and reused in another. ops_streams_calls.c tests single calls.
 */
#include <pthread.h>
#include <stdlib.h>

#include "fourstreams.h"
#include "tap.h"

static gnd_device *dev;
static const char *where; /* its name */
static gnd_stream *const *stream;

enum { LIVE = 12, STEPS = 220, THREADS = 3 };

static int lazy; /* with GND_TEST_ALL: not each step is evaluated, which makes many kernels */

/* --- random programs -------------------------------------------------------------------------- */

/* One of the sizes: cut from segments, or buffers of their own. */
static int64_t size_of(dice *d)
{
    static const int64_t sizes[] = {0, 1, 7, 1000, 4097, 30000, 150001};
    return sizes[roll(d, sizeof sizes / sizeof *sizes)];
}

static gnd_array *fresh(dice *d)
{
    const int64_t n = size_of(d);
    const int64_t from = (int64_t)roll(d, 1000), by = (int64_t)roll(d, 50) + 1;
    if (roll(d, 2)) {
        int64_t *v = malloc(((size_t)n + 1) * sizeof *v);
        for (int64_t i = 0; i < n; i++)
            v[i] = (from + i * by) % 1009 - 300;
        gnd_array *x = gnd_from(dev, GND_INT64, 1, &n, v);
        free(v);
        return x;
    }
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    return gnd_subtract(
        gnd_remainder(gnd_add(gnd_multiply(i, gnd_int(by)), gnd_int(from)), gnd_int(997)),
        gnd_int(200));
}

/* The same size as x: y, repeated or cut, and summed into one number if need be. */
static gnd_array *like(gnd_array *y, gnd_array *x)
{
    return gnd_shape(x)[0] == gnd_shape(y)[0] ? y : gnd_sum(y, GND_ALL, 0);
}

/* A new array of the live ones, in scope. */
static gnd_array *step(dice *d, gnd_array **live)
{
    gnd_array *x = live[roll(d, LIVE)], *y = live[roll(d, LIVE)];
    switch (roll(d, 10)) {
    case 0: return fresh(d);
    case 1: return gnd_add(x, like(y, x));
    case 2: return gnd_multiply(x, gnd_subtract(like(y, x), gnd_int((int64_t)roll(d, 9))));
    case 3: return gnd_cumulative_sum(x, GND_AXIS(0), 0, GND_DTYPE_DEFAULT);
    case 4: return gnd_sort(x, 0, 0);
    case 5: return gnd_add(x, gnd_sum(y, GND_ALL, 0));
    case 6: return gnd_flip(x, GND_ALL);
    case 7: {
        const int64_t n = gnd_shape(x)[0];
        if (n == 0)
            return gnd_add(x, gnd_int(1));
        gnd_array *at = gnd_remainder(gnd_multiply(x, gnd_int(7)), gnd_int(n));
        return gnd_take(x, at, 0);
    }
    case 8: {
        gnd_array *two[] = {x, gnd_at(y, "::3")};
        gnd_array *c = gnd_concat(2, two, 0);
        return gnd_at(c, ":200000");
    }
    default: return gnd_where(gnd_greater(x, gnd_int(0)), x, gnd_negative(x));
    }
}

static uint64_t sum_of(const void *p, size_t n, uint64_t h)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * UINT64_C(1099511628211);
    return h;
}

static uint64_t digest(gnd_array *x, uint64_t h, int *bad)
{
    const size_t n = gnd_nbytes(x);
    void *p = malloc(n + 1);
    const gnd_status st = gnd_read(x, p, n);
    if (st != GND_OK) {
        if (!*bad)
            tap_diag("%s: %s", where, gnd_message());
        *bad = 1;
    }
    h = sum_of(p, n, h);
    free(p);
    return h;
}

/* Runs the program of that seed, in streams that `where_to` chooses (NULL: the current one). The
 * result depends on the seed alone. */
static uint64_t program(uint64_t seed, dice *where_to, gnd_stream *const *s, int ns, int *bad)
{
    dice d = {seed * 2654435761u + 17};
    gnd_array *live[LIVE];
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < LIVE; i++) {
        gnd_scope_begin();
        live[i] = gnd_retain(fresh(&d));
        gnd_scope_end();
    }
    for (int k = 0; k < STEPS; k++) {
        const int at = (int)roll(&d, LIVE), what = (int)roll(&d, 16);
        if (where_to)
            gnd_stream_use(s[roll(where_to, (uint64_t)ns)]);
        gnd_scope_begin();
        gnd_array *y = gnd_retain(step(&d, live));
        gnd_scope_end();
        if (what < 9 || !lazy)
            gnd_eval_all(1, &y);
        gnd_release(live[at]);
        live[at] = y;
        if (what == 10)
            h = digest(live[roll(&d, LIVE)], h, bad);
        if (what == 11)
            gnd_eval_all(LIVE, live);
        if (what == 12 && where_to && roll(where_to, 4) == 0)
            gnd_device_trim(dev);
    }
    for (int i = 0; i < LIVE; i++) {
        if (where_to)
            gnd_stream_use(s[roll(where_to, (uint64_t)ns)]);
        h = digest(live[i], h, bad);
        gnd_release(live[i]);
    }
    return h;
}

static void test_programs(int count)
{
    int bad = 0, wrong = 0;
    for (int p = 0; p < count; p++) {
        dice w = {(uint64_t)p + 99};
        gnd_stream_use(stream[0]);
        const uint64_t want = program((uint64_t)p, NULL, NULL, 0, &bad);
        const uint64_t got = program((uint64_t)p, &w, stream, STREAMS, &bad);
        if (got != want && !wrong++)
            tap_diag("%s: program %d", where, p);
    }
    gnd_stream_use(stream[0]);
    tap_ok(!bad && !wrong, "%s: %d random programs in random streams", where, count);
}

typedef struct job {
    int number, bad;
    uint64_t got;
    pthread_t thread;
} job;

static void *in_thread(void *arg)
{
    job *j = arg;
    gnd_stream *s[3] = {gnd_stream_create(dev), stream[0], stream[1]};
    dice w = {(uint64_t)j->number + 5};
    gnd_stream_use(s[0]);
    j->got = program((uint64_t)j->number + 1000, &w, s, j->number % 2 ? 3 : 1, &j->bad);
    j->bad |= gnd_stream_synchronize(s[0]) != GND_OK;
    j->bad |= gnd_stream_free(s[0]) != GND_OK;
    return NULL;
}

static void test_threads(int rounds)
{
    int bad = 0, wrong = 0;
    for (int r = 0; r < rounds; r++) {
        job j[THREADS];
        for (int i = 0; i < THREADS; i++) {
            j[i] = (job){.number = r * THREADS + i};
            if (pthread_create(&j[i].thread, NULL, in_thread, &j[i]))
                tap_bail("no thread");
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(j[i].thread, NULL);
            bad |= j[i].bad;
            wrong += j[i].got != program((uint64_t)j[i].number + 1000, NULL, NULL, 0, &bad);
        }
    }
    tap_ok(!bad && !wrong, "%s: programs of %d threads, each with a stream of its own", where,
           THREADS);
}

static void tests(gnd_device *d, const char *spec, gnd_stream *const *all)
{
    dev = d;
    where = spec;
    stream = all;
    lazy = getenv("GND_TEST_ALL") != NULL;
    test_programs(lazy ? 60 : 8);
    test_threads(lazy ? 8 : 1);
}

int main(void)
{
    with_streams(tests);
    return tap_done();
}
