/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/team.c - threads that copy equal parts of a block and sleep between copies. A team exists
 * only during one transfer: starting a thread costs some 20 us, and no thread stays in the user's
 * process.
 */
#define _GNU_SOURCE
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8, PER_THREAD = 8 << 20, PAGE = 4096 };

struct gnd__team {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    pthread_t thread[MOST];
    int n;          /* threads in addition to the caller */
    int joined;     /* threads that have taken a number */
    unsigned turn;  /* copies so far */
    int left, stop; /* threads that have not finished this turn */
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

static void *work(void *p)
{
    gnd__team *t = p;
    pthread_mutex_lock(&t->lock);
    const int i = ++t->joined;
    for (unsigned turn = 0;; turn++) {
        while (t->turn == turn && !t->stop)
            pthread_cond_wait(&t->go, &t->lock);
        if (t->turn == turn)
            break;
        pthread_mutex_unlock(&t->lock);
        part(t, i);
        pthread_mutex_lock(&t->lock);
        if (--t->left == 0)
            pthread_cond_signal(&t->done);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
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
    pthread_mutex_lock(&t->lock);
    t->dst = dst;
    t->src = src;
    t->nbytes = nbytes;
    t->left = t->n;
    t->turn++;
    pthread_cond_broadcast(&t->go);
    pthread_mutex_unlock(&t->lock);
    part(t, 0);
    pthread_mutex_lock(&t->lock);
    while (t->left > 0)
        pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void gnd__team_end(gnd__team *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->stop = 1;
    pthread_cond_broadcast(&t->go);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->n; i++)
        pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->done);
    pthread_cond_destroy(&t->go);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
