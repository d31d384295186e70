/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_threads.c - threads share a null device and its arrays, and use devices of their own: graphs
 * over shared arrays, views of what another thread evaluates, recordings, statistics, messages.
 * Nothing is computed there: statuses, shapes and what is left at the end are checked. And the
 * number of threads of a BLAS during decompositions of small matrices (host/alone.c). It is for
 * the thread sanitizer first (tests/null/tsan.sh), which sees every lock of the core.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "crowd.h"
#include "host/lapack.h"
#include "tap.h"

enum { THREADS = 4, ROUNDS = 300, N = 96 };

static gnd_device *dev;
static gnd_array *x, *m, *lazy[ROUNDS]; /* shared; lazy: evaluated by whoever comes first */

static void expect(crowd_job *j, int ok, int round, const char *what)
{
    if (!ok)
        crowd_complain(j, "round %d: %s: %.120s", round, what, gnd_message());
}

/* Views and expressions of arrays that other threads evaluate at the same time. */
static void over_shared(crowd_job *j, int r)
{
    float v[N];
    gnd_array *view = gnd_at(lazy[r], j->number % 2 ? "::-1" : "8:40:2");
    gnd_array *own = gnd_subtract(gnd_multiply(lazy[r], gnd_int(j->number)), x);
    expect(j, gnd_dim(view, 0) == (j->number % 2 ? N : 16), r, "the shape of a view");
    expect(j, gnd_wait(view) == GND_OK, r, "a view of a shared array");
    expect(j, gnd_read(lazy[r], v, sizeof v) == GND_OK, r, "a shared array");
    gnd_array *two[2] = {gnd_sum(own, GND_ALL, 0), gnd_sort(own, 0, 0)};
    expect(j, gnd_eval_all(2, two) == GND_OK, r, "its sum and its order");
    expect(j, gnd_wait(gnd_matmul(m, gnd_add(m, gnd_int(j->number)))) == GND_OK, r, "a product");
    gnd_release(gnd_retain(x)); /* counts are shared too */
}

/* An error is the message of its own thread. */
static void errors(crowd_job *j, int r)
{
    gnd_array *y = gnd_reshape(x, 1, (int64_t[]){N + 1 + j->number});
    char number[16];
    snprintf(number, sizeof number, "%d", N + 1 + j->number);
    expect(j, gnd_status_of(y) == GND_ERR_SHAPE && strstr(gnd_error(y), number), r,
           "the message of its own error");
}

/* What looks at the device or changes it while others evaluate. */
static void about_device(crowd_job *j, int r)
{
    gnd_stats s;
    gnd_device_info info = {0};
    expect(j, gnd_device_stats(dev, &s) == GND_OK && s.arrays > 0, r, "statistics");
    gnd_device_describe(dev, &info);
    if (r % 8 == j->number)
        gnd_device_trim(dev);
    if (r % 16 == j->number) {
        gnd_device *own = gnd_open(j->number % 2 ? "null:0" : "null:1");
        gnd_array *y = gnd_add(gnd_ones(own, GND_FLOAT32, 1, (int64_t[]){N}), gnd_int(r));
        expect(j, gnd_wait(y) == GND_OK, r, "a device of its own");
        gnd_release(y);
        gnd_close(own);
    }
}

static void work(crowd_job *j)
{
    for (int r = 0; r < ROUNDS; r++) {
        gnd_scope_begin();
        over_shared(j, r);
        errors(j, r);
        about_device(j, r);
        gnd_scope_end();
    }
}

/* A library's number of threads: of the process, and of each thread. */
static atomic_int number = 7;
static _Thread_local int own = 7;

static void set_number(int n)
{
    number = n;
}

static int get_number(void)
{
    return number;
}

static void set_own(int n)
{
    own = n;
}

static int get_own(void)
{
    return own;
}

static const gnd_solve_desc small = {.m = 199, .n = 199}, large = {.m = 300, .n = 300};

static void alone_together(crowd_job *j)
{
    for (int r = 0; r < ROUNDS; r++) {
        const int big = gnd__alone_begin(&large), one = gnd__alone_begin(&small);
        expect(j, !big && one && get_number() == 1, r, "one thread for small matrices");
        gnd__alone_end(one);
        gnd__alone_end(big);
    }
}

static void alone_by_itself(crowd_job *j)
{
    set_own(j->number + 1);
    for (int r = 0; r < ROUNDS; r++) {
        const int one = gnd__alone_begin(&small), again = gnd__alone_begin(&small);
        expect(j, get_own() == 1, r, "one thread for small matrices, of this thread alone");
        gnd__alone_end(again);
        expect(j, get_own() == 1, r, "one thread until the end");
        gnd__alone_end(one);
        expect(j, get_own() == j->number + 1, r, "its own number again");
    }
}

static void alone(void)
{
    gnd__lapack_library(); /* sets the functions of a real one */
    gnd__alone_use(set_number, get_number, 0);
    crowd(THREADS, alone_together, "a library with a number of threads");
    tap_is_int(get_number(), 7, "the number is as before");
    const int one = gnd__alone_begin(&small);
    set_number(3);
    gnd__alone_end(one);
    tap_is_int(get_number(), 3, "the program's choice stays");
    gnd__alone_use(set_own, get_own, 1);
    crowd(THREADS, alone_by_itself, "a library with a number for each thread");
    tap_is_int(get_number(), 3, "the number of the process is left alone");
    gnd__alone_use(set_own, NULL, 0);
    tap_is_int(gnd__alone_begin(&small), 0, "without a library there is nothing to do");
}

int main(void)
{
    static float host[N * N];
    gnd_stats s;
    dev = gnd_open("null:0");
    if (gnd_device_status(dev))
        tap_skip_all("no null device: %s", gnd_device_error(dev));
    gnd_scope_begin();
    x = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){N}, host);
    m = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){N, N}, host);
    for (int r = 0; r < ROUNDS; r++)
        lazy[r] = gnd_multiply(gnd_add(x, gnd_int(r)), x);
    crowd(THREADS, work, "shared arrays");
    gnd_scope_end();
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "no arrays are left");
    tap_is_int(s.bytes_in_use, 0, "no memory is left");
    gnd_close(dev);
    alone();
    return tap_done();
}
