/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_log.c - what the null backend records for tests: the last launch, a log of calls if
 * asked, and the number of objects. One record per process, under one lock.
 */
#include <pthread.h>
#include <string.h>
#include "device/null_priv.h"
#include "base/mem.h"
#include "base/strbuf.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gnd__null_launch last;
static gnd__str record;
static long launches, damage, objects;
static int recording, cacheable;

void gnd__null_note(const char *fmt, ...)
{
    va_list ap;

    pthread_mutex_lock(&lock);
    if (recording) {
        va_start(ap, fmt);
        gnd__str_addv(&record, fmt, ap);
        va_end(ap);
    }
    pthread_mutex_unlock(&lock);
}

static void count(long *what, long by)
{
    pthread_mutex_lock(&lock);
    *what += by;
    pthread_mutex_unlock(&lock);
}

static long get(const long *what)
{
    long n;

    pthread_mutex_lock(&lock);
    n = *what;
    pthread_mutex_unlock(&lock);
    return n;
}

long gnd__null_launches(void)
{
    return get(&launches);
}
long gnd__null_damage(void)
{
    return get(&damage);
}
long gnd__null_objects(void)
{
    return get(&objects);
}

int gnd__null_last(gnd__null_launch *l)
{
    int any;

    pthread_mutex_lock(&lock);
    any = launches > 0;
    *l = last;
    pthread_mutex_unlock(&lock);
    return any;
}

void gnd__null_record(int on)
{
    pthread_mutex_lock(&lock);
    recording = on;
    pthread_mutex_unlock(&lock);
}

char *gnd__null_log(void)
{
    char *s;

    pthread_mutex_lock(&lock);
    s = gnd__strdup(gnd__str_get(&record));
    pthread_mutex_unlock(&lock);
    return s;
}

void gnd__null_reset(void)
{
    pthread_mutex_lock(&lock);
    memset(&last, 0, sizeof last);
    gnd__str_free(&record);
    launches = damage = 0;
    pthread_mutex_unlock(&lock);
}

void gnd__null_cacheable(int on)
{
    pthread_mutex_lock(&lock);
    cacheable = on;
    pthread_mutex_unlock(&lock);
}

void gnd__null_object(int by)
{
    count(&objects, by);
}
void gnd__null_damaged(void)
{
    count(&damage, 1);
}

int gnd__null_may_cache(void)
{
    int yes;

    pthread_mutex_lock(&lock);
    yes = cacheable;
    pthread_mutex_unlock(&lock);
    return yes;
}

void gnd__null_launched(const gnd_kern *k, const gnd_klaunch *l)
{
    uint32_t i, n = l->nargs < GND__NULL_MAX_ARGS ? l->nargs : GND__NULL_MAX_ARGS;

    pthread_mutex_lock(&lock);
    launches++;
    memset(&last, 0, offsetof(gnd__null_launch, args));
    memcpy(last.kernel, k->name, sizeof last.kernel);
    last.source = k->p->src;
    last.ndim = l->ndim;
    last.nargs = l->nargs;
    memcpy(last.global, l->global, l->ndim * sizeof l->global[0]);
    memcpy(last.local, l->local, l->ndim * sizeof l->local[0]);
    if (n > 0)
        memcpy(last.args, l->args, n * sizeof *l->args);
    if (recording) {
        gnd__str_addf(&record, "launch %s global", k->name);
        for (i = 0; i < l->ndim; i++)
            gnd__str_addf(&record, " %zu", l->global[i]);
        gnd__str_add(&record, " local");
        for (i = 0; i < l->ndim; i++)
            gnd__str_addf(&record, " %zu", l->local[i]);
        gnd__str_addf(&record, " args %u\n", l->nargs);
    }
    pthread_mutex_unlock(&lock);
}
