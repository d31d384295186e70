/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/team.c - threads that copy equal parts of a block. A team exists only during one transfer:
 * starting a thread costs some 20 us, and no thread stays in the user's process.
 *
 * A copy of 8 MiB takes 0.15 ms, and to wake eight threads takes as long as a third of that. So who
 * waits looks SPINS times, about as long as a copy takes, before it sleeps, and who has news takes
 * the lock only if somebody sleeps: both count first and look then, in one order for all.
 */
#define _GNU_SOURCE
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8, PER_THREAD = 8 << 20, PAGE = 4096, SPINS = 4000 };

struct gnd__team {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    pthread_t thread[MOST];
    int n;               /* threads in addition to the caller */
    atomic_int joined;   /* threads that have taken a number */
    int stop;            /* there are no more copies */
    atomic_uint turn;    /* copies so far, and one for the end */
    atomic_int left;     /* threads that have not finished this turn */
    atomic_int sleepers; /* threads that wait for the next turn */
    atomic_int asleep;   /* the caller waits for the end of this one */
    char *dst;
    const char *src;
    size_t nbytes;
};

/* Part i of the copy: whole pages, except for the last part. */
static void part(const gnd__team *t, int i)
{
    const size_t each = (t->nbytes / (size_t)(t->n + 1) + PAGE) & ~(size_t)(PAGE - 1);
    const size_t from = each * (size_t)i;
    if (from < t->nbytes)
        memcpy(t->dst + from, t->src + from, t->nbytes - from < each ? t->nbytes - from : each);
}

static void look_again(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Waits for the turn after `turn`. */
static void await(gnd__team *t, unsigned turn)
{
    for (int k = 0; k < SPINS; k++) {
        if (atomic_load(&t->turn) != turn)
            return;
        look_again();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->turn) == turn)
        pthread_cond_wait(&t->go, &t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *p)
{
    gnd__team *t = p;
    const int i = 1 + atomic_fetch_add(&t->joined, 1);
    for (unsigned turn = 0;; turn++) {
        await(t, turn);
        if (t->stop)
            return NULL;
        part(t, i);
        if (atomic_fetch_sub(&t->left, 1) == 1 && atomic_load(&t->asleep)) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->done);
            pthread_mutex_unlock(&t->lock);
        }
    }
}

/* Begins the next turn. */
static void next_turn(gnd__team *t)
{
    atomic_fetch_add(&t->turn, 1);
    if (atomic_load(&t->sleepers)) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_broadcast(&t->go);
        pthread_mutex_unlock(&t->lock);
    }
}

/* Cores that this thread may run on. */
static long count_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

gnd__team *gnd__team_start(size_t nbytes)
{
    const long cores = nbytes < 2 * (size_t)PER_THREAD ? 1 : count_cores();
    const size_t bytes = nbytes / PER_THREAD, most = cores < 4 ? (size_t)cores : (size_t)cores / 2;
    size_t want = cores < 2 ? 1 : bytes < most ? bytes : most;
    want = want < MOST ? want : MOST;
    gnd__team *t = want > 1 ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->go, NULL);
    pthread_cond_init(&t->done, NULL);
    sigset_t all, old; /* these threads do not handle the user's signals */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (t->n < (int)want - 1 && pthread_create(&t->thread[t->n], NULL, work, t) == 0)
        t->n++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (t->n > 0)
        return t;
    gnd__team_end(t);
    return NULL;
}

void gnd__team_copy(gnd__team *t, void *dst, const void *src, size_t nbytes)
{
    if (!t) {
        memcpy(dst, src, nbytes);
        return;
    }
    t->dst = dst;
    t->src = src;
    t->nbytes = nbytes;
    atomic_store(&t->left, t->n);
    next_turn(t);
    part(t, 0);
    for (int k = 0; k < SPINS; k++) {
        if (atomic_load(&t->left) == 0)
            return;
        look_again();
    }
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->asleep, 1);
    while (atomic_load(&t->left) > 0)
        pthread_cond_wait(&t->done, &t->lock);
    atomic_store(&t->asleep, 0);
    pthread_mutex_unlock(&t->lock);
}

void gnd__team_end(gnd__team *t)
{
    if (!t)
        return;
    t->stop = 1;
    next_turn(t);
    for (int i = 0; i < t->n; i++)
        pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->go);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
