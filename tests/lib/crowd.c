/* SPDX-License-Identifier: BSD-3-Clause
 *
 * crowd.c - see crowd.h.
 */
#include "crowd.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include "tap.h"

enum { MOST = 16 };

typedef struct member {
    crowd_job job;
    void (*work)(crowd_job *j);
    pthread_barrier_t *gate;
} member;

static void *run(void *arg)
{
    member *m = arg;
    pthread_barrier_wait(m->gate);
    m->work(&m->job);
    return NULL;
}

void crowd(int n, void (*work)(crowd_job *j), const char *name)
{
    pthread_t thread[MOST];
    member m[MOST];
    pthread_barrier_t gate;
    if (n < 1 || n > MOST || pthread_barrier_init(&gate, NULL, (unsigned)n))
        tap_bail("no barrier for %d threads", n);
    for (int i = 0; i < n; i++) {
        m[i] = (member){.job = {.number = i}, .work = work, .gate = &gate};
        if (pthread_create(&thread[i], NULL, run, &m[i]))
            tap_bail("no thread");
    }
    for (int i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        if (!tap_is_int(m[i].job.bad, 0, "%s: thread %d", name, i))
            tap_diag("%s", m[i].job.why);
    }
    pthread_barrier_destroy(&gate);
}

void crowd_complain(crowd_job *j, const char *fmt, ...)
{
    va_list ap;
    if (j->bad++)
        return;
    va_start(ap, fmt);
    vsnprintf(j->why, sizeof j->why, fmt, ap);
    va_end(ap);
}
