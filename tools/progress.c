/* SPDX-License-Identifier: BSD-3-Clause
 *
 * progress.c - a line on the terminal for work that takes more than a second; it says so if the
 * time goes into compiling kernels. A thread waits on a condition with a time limit; ending the
 * work wakes it, so quick work costs nothing to see.
 */
#include "gnd.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int running, stop, compiling;
    char text[200];
} p = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static const char compiling[] = ", compiling kernels (later runs find them in the cache)";

/* On the thread that compiles. */
static void on_compiling(const char *device, uint64_t kernels, double seconds, void *ctx)
{
    (void)device, (void)kernels, (void)seconds, (void)ctx;
    pthread_mutex_lock(&p.lock);
    p.compiling = 1;
    pthread_mutex_unlock(&p.lock);
}

static void *show(void *unused)
{
    (void)unused;
    struct timespec until;
    int seconds = 0, shown = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&p.lock);
    while (!p.stop) {
        until.tv_sec++;
        while (!p.stop && !pthread_cond_timedwait(&p.wake, &p.lock, &until))
            ;
        if (p.stop)
            break;
        shown = 1;
        fprintf(stderr, "\r\033[K%s%s ... %d s", p.text, p.compiling ? compiling : "", ++seconds);
        fflush(stderr);
    }
    pthread_mutex_unlock(&p.lock);
    if (shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    return NULL;
}

void progress_begin(const char *fmt, ...)
{
    va_list ap;
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    va_start(ap, fmt);
    vsnprintf(p.text, sizeof p.text, fmt, ap);
    va_end(ap);
    p.stop = 0;
    p.compiling = 0;
    gnd_on_compiling(on_compiling, NULL);
    p.running = !pthread_create(&p.thread, NULL, show, NULL);
}

void progress_end(void)
{
    if (!p.running)
        return;
    p.running = 0;
    pthread_mutex_lock(&p.lock);
    p.stop = 1;
    pthread_cond_signal(&p.wake);
    pthread_mutex_unlock(&p.lock);
    pthread_join(p.thread, NULL);
}
