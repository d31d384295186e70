/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/builds.c - compiles kernels' texts side by side (see builds.h). The threads take the next
 * text that nobody has taken. A thread that cannot be started leaves its part to the others.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "device/builds.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "device/priv.h"
#include "device/progdisk.h"
#include "device/trace.h"
#include "base/mem.h"

/* MOST: threads beside the calling one. A compiler's recursion needs more stack than the 2 MiB that
 * some systems give a thread. */
enum { MOST = 31, STACK = 8 << 20 };

struct work {
    const gnd__gdev *d;
    gnd__build *b;
    size_t n;
    atomic_size_t next;
};

int gnd__builds_can(const gnd__gdev *d)
{
    return d->be->program.compile && d->be->program.binary_load;
}

static void build(const gnd__gdev *d, gnd__build *b)
{
    const int64_t began = gnd__clock();
    b->st = d->be->program.compile(d->dev, b->src, b->len, GND__BUILD_OPTIONS, &b->bin, &b->nbin,
                                   &b->log, &b->e);
    gnd__trace_span("compile", b->name, began, gnd__clock(), (int64_t)b->len);
}

static void *run(void *p)
{
    struct work *w = p;
    size_t i;
    while ((i = atomic_fetch_add(&w->next, 1)) < w->n)
        build(w->d, &w->b[i]);
    return NULL;
}

/* Cores that this thread may run on. */
static size_t cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
#endif
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* Longer texts first: they mostly take longer, and the last one to end is waited for. Compilers let
 * threads wait for one another: NVRTC while it reads a text. */
static int longer(const void *x, const void *y)
{
    const size_t a = ((const gnd__build *)x)->len, b = ((const gnd__build *)y)->len;
    return (a < b) - (a > b);
}

void gnd__builds_run(gnd__gdev *d, gnd__build *b, size_t n)
{
    struct work w = {d, b, n, 0};
    pthread_t thread[MOST];
    pthread_attr_t attr;
    sigset_t all, old;
    const size_t most = n > 1 ? cores() : 1, want = n < most ? n : most;
    size_t started = 0;

    qsort(b, n, sizeof *b, longer);
    if (want > 1 && pthread_attr_init(&attr) == 0) {
        (void)pthread_attr_setstacksize(&attr, STACK);
        sigfillset(&all); /* these threads do not handle the user's signals */
        pthread_sigmask(SIG_SETMASK, &all, &old);
        while (started < want - 1 && started < MOST &&
               pthread_create(&thread[started], &attr, run, &w) == 0)
            started++;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attr);
    }
    run(&w);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

void gnd__build_free(gnd__build *b)
{
    gnd__free(b->name);
    gnd__free(b->src);
    free(b->log);
    free(b->bin);
}
