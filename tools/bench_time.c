/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_time.c - what a row of gnd bench costs. Time: two warm-up calls, then the median over 5
 * batches of at least 30 ms of calls, each batch with one wait at the end, by the wall clock: so a
 * row holds the host's cost of a call. Each call evaluates, and does not wait. Memory: the pool's
 * statistics before and after one call. Knows no row by name.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 5, MAX_CALLS = 1 << 20 };
static const double batch_time = 0.03, long_row = 4;

static double now(const bench *w)
{
    struct timespec t;
    clock_gettime(w->cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One call; its result's bytes are added to *out, if that is not NULL. */
static gnd_status call_row(bench *w, const bench_row *r, double *out, char *why)
{
    gnd_scope_begin();
    w->st = GND_OK;
    gnd_array *x = r->call(w, r);
    gnd_status st = w->st;
    if (x)
        st = gnd_eval_all(1, &x);
    if (st)
        snprintf(why, BENCH_WHY, "%s", x && gnd_error(x)[0] ? gnd_error(x) : gnd_status_text(st));
    else if (x && out)
        *out += (double)gnd_nbytes(x);
    gnd_scope_end();
    return st;
}

double bench_batch(bench *w, const bench_row *r, int calls, char *why)
{
    double t = now(w);
    gnd_status st = GND_OK;
    for (int i = 0; i < calls && !st; i++)
        st = call_row(w, r, NULL, why);
    gnd_status waited = gnd_sync(w->dev);
    if (!st && waited)
        snprintf(why, BENCH_WHY, "%s", gnd_status_text(waited));
    return st || waited ? -1 : now(w) - t;
}

int bench_calls(bench *w, const bench_row *r, char *why)
{
    double t = -1;
    int calls = 1;
    for (int i = 0; i < 3; i++)
        if ((t = bench_batch(w, r, 1, why)) < 0)
            return 0;
    while (t < batch_time && calls < MAX_CALLS) {
        double want = 1.2 * batch_time / fmax(t / calls, 1e-8);
        calls = (int)fmin(fmin(want, MAX_CALLS), 20.0 * calls) + 1;
        if ((t = bench_batch(w, r, calls, why)) < 0)
            return 0;
    }
    return calls;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_row(bench *w, const bench_row *r, char *why)
{
    double all[BATCHES];
    int calls = bench_calls(w, r, why), batches = BATCHES;
    for (int i = 0; i < batches; i++) {
        if (!calls || (all[i] = bench_batch(w, r, calls, why)) < 0)
            return -1;
        if (all[0] * BATCHES > long_row)
            batches = 2;
    }
    qsort(all, (size_t)batches, sizeof *all, by_value);
    return (batches % 2 ? all[batches / 2] : 0.5 * (all[0] + all[1])) / calls;
}

gnd_status bench_setup(bench *w, const bench_row *r, char *why)
{
    gnd_status st = GND_OK;
    w->a = w->b = NULL;
    if (r->setup)
        r->setup(w, r);
    gnd_array *in[2] = {w->a, w->b};
    for (int i = 0; i < 2 && !st; i++)
        if (in[i] && (st = gnd_wait(in[i])) != GND_OK)
            snprintf(why, BENCH_WHY, "%s", gnd_error(in[i]));
    return st;
}

double bench_run(bench *w, const bench_row *r, char *why)
{
    double t = -1;
    gnd_scope_begin();
    if (!bench_setup(w, r, why))
        t = time_row(w, r, why);
    gnd_scope_end();
    return t;
}

int bench_peak(bench *w, const bench_row *r, bench_memory *m, char *why)
{
    gnd_stats before = {0}, after = {0};
    int bad = -1;
    *m = (bench_memory){0};
    gnd_scope_begin();
    if (!bench_setup(w, r, why)) {
        m->in = (double)(w->a ? gnd_nbytes(w->a) : 0) + (double)(w->b ? gnd_nbytes(w->b) : 0);
        gnd_sync(w->dev);
        gnd_device_stats(w->dev, &before);
        gnd_device_reset_peak(w->dev);
        if (!call_row(w, r, &m->out, why) && !gnd_sync(w->dev) &&
            !gnd_device_stats(w->dev, &after)) {
            m->peak = (double)after.bytes_peak - (double)before.bytes_in_use + m->in;
            bad = 0;
        }
    }
    gnd_scope_end();
    return bad;
}

int bench_memory_fits(const bench_row *r, const bench_memory *m)
{
    return m->peak <= m->in + (m->out + r->extra) * 17 / 16 + (1 << 20);
}
