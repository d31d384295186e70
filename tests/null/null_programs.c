/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_programs.c - compiled programs in memory: their size is limited, the least recently used are
 * dropped first, and plans, recordings and lists that need a dropped one get it again. Structures
 * that never repeat take bounded memory. On the null device, and on the devices under test with a
 * low limit. The programs of a plan are compiled side by side by a backend that can, here the null
 * device with an entry for it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnd.h>
#include "device/gate.h"
#include "device/device.h"
#include "graph/graph.h"
#include "ref.h"
#include "sched/here.h"
#include "tap.h"

enum { N = 64, CHAIN = 9 };

static gnd_device *dev;
static gnd_array *x;
static const char *where;
static int computes;
static unsigned
    asked[2]; /* structures of the soak, on null and on devices, from the command line */

static gnd_stats stats(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s;
}

/* Resident memory in bytes. */
static long resident(void)
{
    long pages = 0, all;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Structure i of many: the digits of i choose the operations. *want is its value where x is 1. */
static gnd_array *structure(unsigned i, double *want)
{
    gnd_array *y = x;
    double v = 1;
    for (int k = 0; k < CHAIN; k++, i /= 4) {
        switch (i % 4) {
        case 0:
            y = gnd_add(y, x);
            v += 1;
            break;
        case 1:
            y = gnd_multiply(y, gnd_real(0.5));
            v *= 0.5;
            break;
        case 2:
            y = gnd_maximum(x, gnd_negative(y));
            v = v < -1 ? -v : 1;
            break;
        default:
            y = gnd_subtract(gnd_abs(y), x);
            v = (v < 0 ? -v : v) - 1;
            break;
        }
    }
    *want = v;
    return y;
}

/* 1: it is evaluated, and right. */
static int runs(unsigned i)
{
    double want, got;
    gnd_status st;
    gnd_scope_begin();
    got = gnd_item_f64(gnd_at(gnd_add(structure(i, &want), gnd_int(0)), "7"), &st);
    gnd_scope_end();
    return st == GND_OK && (!computes || got == want);
}

static void bounded(unsigned n, uint64_t limit)
{
    gnd_stats s;
    uint64_t most = 0;
    int ok = 0;
    gnd__gate_progs_limit(dev->g, limit);
    for (unsigned i = 0; i < n; i++) {
        ok += runs(i);
        s = stats();
        most = s.program_bytes > most ? s.program_bytes : most;
    }
    tap_is_int(ok, n, "%s: %u structures run", where, n);
    s = stats();
    tap_ok(s.programs_dropped > 0 && s.programs + s.programs_dropped >= n &&
               most <= limit + limit / 8,
           "%s: programs of %llu bytes at most are kept (%llu of %u)", where,
           (unsigned long long)most, (unsigned long long)s.programs, n);
    /* the last ones are there, the first are not, and come again */
    tap_ok(runs(n - 1) && stats().kernels_built + stats().kernels_from_disk ==
                              s.kernels_built + s.kernels_from_disk,
           "%s: the last one is there", where);
    tap_ok(runs(0) && stats().kernels_built + stats().kernels_from_disk >
                          s.kernels_built + s.kernels_from_disk,
           "%s: the first one comes again", where);
}

/* A recording holds its programs, whatever comes; so does a plan that is run again and again. */
static void held(unsigned n)
{
    gnd_status st = GND_OK;
    float v[N] = {0}, one[N];
    double want;
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        one[i] = 1;
    gnd_array *in = gnd_placeholder(dev, GND_FLOAT32, 1, (int64_t[]){N}),
              *out = gnd_keep(structure(99991, &want));
    out = gnd_add(gnd_multiply(in, gnd_real(3)), out);
    gnd_recording *r = gnd_record(1, &in, 1, &out);
    const uint64_t before = stats().programs_dropped;
    int ok = 1;
    for (unsigned i = 0; i < n; i++) {
        ok &= runs(1000 + i);
        if (i % 8 == 0) {
            st = gnd_recording_write(r, 0, one, sizeof one);
            st = st == GND_OK ? gnd_replay(r) : st;
            st = st == GND_OK ? gnd_recording_read(r, 0, v, sizeof v) : st;
            ok &= st == GND_OK && (!computes || v[3] == (float)(3 + want));
        }
    }
    tap_ok(ok, "%s: a recording runs between %u others%s%s", where, n, st == GND_OK ? "" : ": ",
           st == GND_OK ? "" : gnd_message());
    tap_ok(stats().programs_dropped > before, "%s: which push each other out", where);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* Ever new structures: memory stays as it is after the first half. asked: so many, and the memory
 * at each tenth; or 0. Drivers keep something of each program: PoCL 24 KiB or so of its compiler's,
 * which is not gnd's to bound. */
static void soak(void)
{
    enum { OWN = 8 << 20, DRIVERS = 40 << 10 };
    const unsigned n = asked[computes] ? asked[computes] : 6000;
    const long most = OWN + (computes ? (long)(n / 2) * DRIVERS : 0);
    long before = 0, after;
    int ok = 1;
    gnd__gate_progs_limit(dev->g, (uint64_t)64 << 20);
    for (unsigned i = 0; i < n; i++) {
        ok &= runs(100000 + i);
        if (i == n / 2)
            before = resident();
        if (asked[computes] && (i + 1) % (n / 10) == 0)
            tap_diag("%u structures: %ld KiB resident, %llu programs", i + 1, resident() / 1024,
                     (unsigned long long)stats().programs);
    }
    after = resident();
    tap_ok(ok, "%s: %u structures", where, n);
    if (computes && n < 2000)
        tap_skip(1, "%s: fewer than 2000 structures say nothing of what a driver keeps", where);
    else
        tap_ok(after - before < most,
               "%s: the second half takes no more memory (%ld KiB, then %ld KiB)", where,
               before / 1024, after / 1024);
}

static void all(const char *spec, int real)
{
    where = spec;
    computes = real;
    gnd_scope_begin();
    x = gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){N});
    gnd_wait(x);
    runs(0);
    const gnd_stats s = stats();
    const uint64_t each = s.program_bytes / s.programs; /* some programs more than it is of use */
    bounded(real ? 24 : 400, real ? 10 * each : 100 * each);
    held(real ? 24 : 300);
    if (!real && tap_sanitized())
        tap_skip(2, "%s: a sanitizer keeps freed memory, so the soak says nothing", spec);
    else if (!real || asked[1])
        soak();
    gnd_scope_end();
}

/* --- side by side ----------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t entered = PTHREAD_COND_INITIALIZER;
static int texts, inside, most_inside, cores, fails;

/* Waits for a second thread, if there can be one. A text fails if its number, from 1, is `fails`.
 */
static gnd_status compile(gnd_dev *d, const char *src, size_t len, const char *opts, void **bin,
                          size_t *nbytes, char **log, gnd_err *e)
{
    struct timespec until;
    (void)d, (void)opts;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&lock);
    const int number = ++texts;
    inside++;
    most_inside = inside > most_inside ? inside : most_inside;
    pthread_cond_broadcast(&entered);
    while (cores > 1 && most_inside < 2 && !pthread_cond_timedwait(&entered, &lock, &until)) {
    }
    inside--;
    pthread_mutex_unlock(&lock);
    if (number == fails) {
        *log = strdup("gnd.cu(1): error: this one is not liked");
        snprintf(e->msg, sizeof e->msg, "%s", *log);
        return e->code = GND_ERR_BUILD;
    }
    char *b = malloc(len + 4);
    memcpy(b, "NULL", 4); /* a binary of the null backend */
    memcpy(b + 4, src, len);
    *bin = b;
    *nbytes = len + 4;
    return GND_OK;
}

/* The status of x sorted and scaled, times `times`: several programs, some of them as before. */
static gnd_status several(int times)
{
    gnd_scope_begin();
    gnd_array *y = gnd_sort(gnd_ravel(gnd_stack(times, (gnd_array *[]){x, x, x, x}, 0)), 0, 0);
    y = gnd_divide(y, gnd_sum(gnd_multiply(y, y), GND_ALL, 0));
    const gnd_status st = gnd_wait(y);
    if (st != GND_OK)
        tap_diag("%s", gnd_error(y));
    gnd_scope_end();
    return st;
}

static void open_again(void)
{
    if (dev)
        gnd_close(dev);
    dev = gnd_open("null:2");
    ((gnd__backend *)dev->g->be)->program.compile = compile;
    x = gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){20000});
    most_inside = 2; /* one alone waits for nobody */
    gnd_wait(x);
    texts = most_inside = 0;
}

static void together(void)
{
    cpu_set_t set;
    cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    dev = NULL;
    open_again();
    uint64_t before = stats().kernels_built;
    tap_is_int(several(2), GND_OK, "programs compiled together run");
    const int all = texts;
    tap_ok(all > 2 && stats().kernels_built == before + (uint64_t)all, "each of the %d is counted",
           all);
    if (cores > 1)
        tap_ok(most_inside > 1, "several at once");
    else
        tap_skip(1, "one core");
    tap_ok(several(2) == GND_OK && texts == all, "and compiled once");
    tap_ok(several(3) == GND_OK && texts < 2 * all, "beside others that are there");

    open_again();
    before = stats().kernels_built;
    fails = 2;
    tap_is_int(several(2), GND_ERR_BUILD, "one of them fails");
    tap_has_str(gnd_message(), "this one is not liked", "for the compiler's reason");
    tap_ok(texts == all && stats().kernels_built == before + (uint64_t)(all - 1),
           "the others are there");
    fails = 0;
    tap_ok(several(2) == GND_OK && texts == all + 1, "it alone is compiled when asked for again");
    ((gnd__backend *)dev->g->be)->program.compile = NULL;
    gnd_close(dev);
}

static void on_device(gnd_device *d, const char *spec)
{
    dev = d;
    all(spec, strcmp(spec, "null:0") != 0);
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 2 && argc > i + 1; i++)
        asked[i] = atoi(argv[i + 1]) < 10 ? 0 : (unsigned)atoi(argv[i + 1]);
    gnd__here_force(0); /* or the host runs these small structures without programs */
    ref_null_and_devices(on_device);
    together();
    return tap_done();
}
