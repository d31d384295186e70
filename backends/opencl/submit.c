/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/submit.c - a thread that makes the calls of launches. NVIDIA's driver takes 4.4 us of the
 * caller for each enqueue, and the core as long to find the next one: on two threads these overlap.
 * The caller writes the arguments that changed and the sizes of a launch into a ring; the thread
 * makes the calls in their order. All other calls on a queue, and all that free what a launch uses,
 * first wait until the ring is empty (gnd__ocl_settle). The thread works only in a run of launches,
 * and sleeps when none came for 100 us, so that a launch between two waits is made by the caller as
 * before. A call that failed is reported by the next one on the device.
 */
#define _GNU_SOURCE
#include "ocl.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SLOTS = 128,
    RUN = 8,            /* launches without a wait, from which on the thread is used */
    IDLE_NS = 100000,   /* after which the thread sleeps */
    LOOKS = 64,         /* between two looks at the clock */
    PATIENCE = 1 << 14, /* looks before a waiting thread lets others run */
    FLUSHED = 16,       /* launches (queue.c) */
    CPUS = 4            /* a machine with fewer has no core for the thread */
};

struct gnd__ocl_submit {
    gnd__ocl_call ring[SLOTS];
    atomic_uint head, tail; /* calls written, and calls made */
    atomic_int asleep;
    int stop;          /* guarded by lock */
    int started;       /* whether the thread exists */
    unsigned in_a_run; /* launches since the last wait */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* the first call that failed, until it is reported; written before tail passes it */
    cl_int code;
    const char *what;
    char name[64];
};

static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* --- the thread ------------------------------------------------------------------------------- */

static void failed(gnd__ocl_submit *s, const gnd__ocl_call *c, cl_int code, const char *what)
{
    if (!gnd__ocl_ok(s->code))
        return;
    s->code = code;
    s->what = what;
    gnd__plug_str(s->name, sizeof s->name, c->name ? c->name : "a list");
}

static void make(gnd__ocl_submit *s, const gnd__ocl_call *c, unsigned at)
{
    for (uint32_t i = 0; i < c->nset; i++) {
        const gnd__ocl_set *a = &c->set[i];
        const cl_int r = clSetKernelArg(c->k, a->index, a->nbytes, a->unset ? NULL : a->value);
        if (!gnd__ocl_ok(r))
            failed(s, c, r, "clSetKernelArg");
    }
    if (!c->ndim || !gnd__ocl_ok(s->code))
        return;
    const cl_int r =
        clEnqueueNDRangeKernel(c->q, c->k, c->ndim, NULL, c->global, c->local, 0, NULL, NULL);
    if (!gnd__ocl_ok(r))
        failed(s, c, r, "clEnqueueNDRangeKernel");
    else if (at % FLUSHED == 0)
        clFlush(c->q);
}

/* Waits for a call after the first t. 0: there is none and the thread is to end. */
static int next(gnd__ocl_submit *s, unsigned t)
{
    const int64_t end = clock_ns() + IDLE_NS;
    for (unsigned i = 1; atomic_load_explicit(&s->head, memory_order_acquire) == t; i++) {
        rest();
        if (i % LOOKS == 0 && clock_ns() > end)
            break;
    }
    if (atomic_load_explicit(&s->head, memory_order_acquire) != t)
        return 1;
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->asleep, 1);
    while (atomic_load(&s->head) == t && !s->stop)
        pthread_cond_wait(&s->wake, &s->lock);
    atomic_store(&s->asleep, 0);
    pthread_mutex_unlock(&s->lock);
    return atomic_load(&s->head) != t;
}

static void *work(void *p)
{
    gnd__ocl_submit *s = p;
    for (unsigned t = 0; next(s, t);) {
        make(s, &s->ring[t % SLOTS], t);
        atomic_store_explicit(&s->tail, ++t, memory_order_release);
    }
    return NULL;
}

/* --- the caller ------------------------------------------------------------------------------- */

static int cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

static void await(gnd__ocl_submit *s, unsigned left)
{
    const unsigned head = atomic_load_explicit(&s->head, memory_order_relaxed);
    for (unsigned i = 1; head - atomic_load_explicit(&s->tail, memory_order_acquire) > left; i++) {
        rest();
        if (i % PATIENCE == 0)
            sched_yield();
    }
}

void gnd__ocl_submit_open(gnd_dev *d)
{
    if (d->submit_asked ? d->submit_asked != GND__OCL_YES : !d->info->eager || cpus() < CPUS)
        return;
    d->submit = calloc(1, sizeof *d->submit);
    if (!d->submit) /* launches are made by their callers */
        return;
    pthread_mutex_init(&d->submit->lock, NULL);
    pthread_cond_init(&d->submit->wake, NULL);
    d->submit->in_a_run = d->submit_asked ? RUN : 0;
}

static void wake(gnd__ocl_submit *s)
{
    pthread_mutex_lock(&s->lock);
    atomic_store(&s->asleep, 0);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

void gnd__ocl_submit_close(gnd_dev *d)
{
    gnd__ocl_submit *s = d->submit;
    if (!s)
        return;
    gnd__ocl_drain(d);
    if (s->started) {
        pthread_mutex_lock(&s->lock);
        s->stop = 1;
        pthread_cond_signal(&s->wake);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
    }
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
    d->submit = NULL;
}

/* The thread gets no signals: these are the program's. */
static int start(gnd__ocl_submit *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->started = pthread_create(&s->thread, NULL, work, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->started;
}

void gnd__ocl_drain(gnd_dev *d)
{
    if (d->submit)
        await(d->submit, 0);
}

gnd_status gnd__ocl_settle_all(gnd_dev *d, gnd_err *e)
{
    gnd__ocl_submit *s = d->submit;
    await(s, 0);
    s->in_a_run = d->submit_asked ? RUN : 0;
    const cl_int code = s->code;
    if (gnd__ocl_ok(code))
        return GND_OK;
    s->code = CL_SUCCESS;
    d->failures++;
    return gnd__ocl_fail(e, code, "%s (an earlier launch of %s)", s->what, s->name);
}

/* Whether the next launch goes to the thread. A queue with times or the application's is used by
 * one thread only. */
static int wanted(gnd__ocl_submit *s, const gnd_dev *d, const gnd_queue *q, uint32_t nargs)
{
    if (nargs > GND__OCL_SETS || d->shared || (q && q->flags & GND_QUEUE_TIMING))
        return 0;
    if (s->started && !atomic_load(&s->asleep))
        return 1;
    return ++s->in_a_run > RUN && (s->started || start(s));
}

gnd_status gnd__ocl_later(gnd_dev *d, const gnd_queue *q, uint32_t nargs, gnd__ocl_call **call,
                          gnd_err *e)
{
    gnd__ocl_submit *s = d->submit;
    *call = NULL;
    if (!s)
        return GND_OK;
    if (!wanted(s, d, q, nargs)) {
        const unsigned so_far = s->in_a_run;
        const gnd_status st = gnd__ocl_settle_all(d, e);
        s->in_a_run = so_far;
        return st;
    }
    await(s, SLOTS - 1);
    gnd__ocl_call *c = &s->ring[atomic_load_explicit(&s->head, memory_order_relaxed) % SLOTS];
    c->q = q ? q->q : NULL;
    c->name = NULL;
    c->ndim = c->nset = 0;
    *call = c;
    return GND_OK;
}

cl_int gnd__ocl_call_set(gnd__ocl_call *c, cl_uint i, const gnd_karg *a)
{
    gnd__ocl_set *s = &c->set[c->nset];
    s->index = i;
    s->nbytes = a->nbytes;
    s->unset = 0;
    switch (a->kind) {
    case GND_ARG_BUF:
        s->nbytes = sizeof(cl_mem);
        s->unset = !a->u.buf;
        if (a->u.buf)
            memcpy(s->value, &a->u.buf->mem, sizeof(cl_mem));
        break;
    case GND_ARG_VALUE:
        if (a->nbytes > sizeof s->value)
            return CL_INVALID_ARG_SIZE;
        memcpy(s->value, a->u.value, a->nbytes);
        break;
    case GND_ARG_LOCAL: s->unset = 1; break;
    default: return CL_INVALID_ARG_VALUE;
    }
    c->nset++;
    return CL_SUCCESS;
}

void gnd__ocl_call_go(gnd_dev *d)
{
    gnd__ocl_submit *s = d->submit;
    atomic_fetch_add(&s->head, 1);
    if (atomic_load(&s->asleep))
        wake(s);
}
