/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_order.c - the null backend's model of the order between queues, for tests: every
 * access to a buffer must come after the accesses that it conflicts with, by the order of its
 * queue, by events, or because the host has waited. Clocks of queues say what comes after what
 * (Fidge, Mattern); an access that breaks the rule is counted, and a line in the log.
 *
 * Transfers are known by their bytes. Launches are known by their buffers, as a whole, and by
 * whether their parameters are pointers to const; buffers of a power of two bytes, which may be
 * segments of the pool, are left out there.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "device/null_priv.h"

struct gnd__null_access {
    int queue, write;
    uint64_t tick;
    size_t from, to;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int model; /* gnd__null_model */
static long races;

void gnd__null_model(int how)
{
    pthread_mutex_lock(&lock);
    model = how;
    races = 0;
    pthread_mutex_unlock(&lock);
}

long gnd__null_races(void)
{
    pthread_mutex_lock(&lock);
    const long n = races;
    pthread_mutex_unlock(&lock);
    return n;
}

static void join(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < GND__NULL_QUEUES; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

/* Notes that the host has waited: everything enqueued later comes after that work. */
static void host_waited(gnd_dev *d, const uint64_t *clock)
{
    pthread_mutex_lock(&lock);
    join(d->done, clock);
    pthread_mutex_unlock(&lock);
}

/* --- queues and events ------------------------------------------------------------------------ */

void gnd__null_queue_number(gnd_queue *q)
{
    pthread_mutex_lock(&lock);
    while (q->d->taken[q->number] && q->number < GND__NULL_QUEUES - 1)
        q->number++;
    q->d->taken[q->number] = 1;
    pthread_mutex_unlock(&lock);
}

void gnd__null_queue_end(gnd_queue *q)
{
    host_waited(q->d, q->clock);
    pthread_mutex_lock(&lock);
    q->d->taken[q->number] = 0;
    pthread_mutex_unlock(&lock);
}

void gnd__null_queue_waited(gnd_queue *q)
{
    host_waited(q->d, q->clock);
}

void gnd__null_recorded(const gnd_queue *q, gnd_event *ev)
{
    ev->d = q->d;
    memcpy(ev->clock, q->clock, sizeof ev->clock);
}

void gnd__null_queue_after(gnd_queue *q, const gnd_event *ev)
{
    if (q->d == ev->d)
        join(q->clock, ev->clock);
}

void gnd__null_event_waited(const gnd_event *ev)
{
    host_waited(ev->d, ev->clock);
}

int gnd__null_event_come(const gnd_event *ev)
{
    int come = 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < GND__NULL_QUEUES && model == GND__NULL_HELD; i++)
        come &= ev->clock[i] <= ev->d->done[i];
    pthread_mutex_unlock(&lock);
    if (come)
        host_waited(ev->d, ev->clock);
    return come;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* The lock must be held. */
static void race(const char *what, const gnd_buf *b, size_t from, size_t to, int queue, int other)
{
    races++;
    gnd__null_note("RACE %s of bytes %zu to %zu of %zu in queue %d after queue %d\n", what, from,
                   to, b->n, queue, other);
}

static void add(gnd_buf *b, struct gnd__null_access a)
{
    int n = 0;
    for (int i = 0; i < b->naccess;
         i++) { /* accesses that the write comes after need not be remembered */
        const struct gnd__null_access *o = &b->access[i];
        const int same = o->queue == a.queue && o->write <= a.write;
        if ((a.write || same) && o->from >= a.from && o->to <= a.to)
            continue;
        b->access[n++] = *o;
    }
    b->naccess = n;
    if (n == b->capaccess) {
        void *more = realloc(b->access, (size_t)(2 * n + 8) * sizeof *b->access);
        if (!more)
            abort(); /* without memory, the test would prove nothing */
        b->access = more;
        b->capaccess = 2 * n + 8;
    }
    b->access[b->naccess++] = a;
}

void gnd__null_access(gnd_queue *q, gnd_buf *b, size_t off, size_t n, int write)
{
    pthread_mutex_lock(&lock);
    if (model && q->d == b->d) {
        join(q->clock, q->d->done);
        const struct gnd__null_access a = {.queue = q->number,
                                           .write = write,
                                           .tick = ++q->clock[q->number],
                                           .from = off,
                                           .to = off + n};
        for (int i = 0; i < b->naccess; i++) {
            const struct gnd__null_access *o = &b->access[i];
            if (o->from < a.to && a.from < o->to && (write || o->write) &&
                q->clock[o->queue] < o->tick)
                race(write ? "write" : "read", b, a.from, a.to, a.queue, o->queue);
        }
        add(b, a);
    }
    pthread_mutex_unlock(&lock);
}

void gnd__null_freed(gnd_buf *b)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < b->naccess && model; i++)
        if (b->access[i].tick > b->d->done[b->access[i].queue])
            race("free", b, b->access[i].from, b->access[i].to, -1, b->access[i].queue);
    pthread_mutex_unlock(&lock);
    free(b->access);
}

/* Whether parameter i of the kernel is a pointer to const. Parameters are separated by commas. */
static int reads_only(const gnd_kern *k, uint32_t i)
{
    const size_t n = strlen(k->name);
    const char *at = k->p->src;
    while ((at = strstr(at, k->name)) != NULL && at[n] != '(')
        at += n;
    if (!at)
        return 0;
    at += n + 1;
    for (; i > 0 && *at; i--)
        at += strcspn(at, ",") + 1;
    const char *end = at + strcspn(at, ",)"), *word = strstr(at, "const"),
               *macro = strstr(at, "GND_CONST_GLOBAL");
    return (word && word < end) || (macro && macro < end);
}

void gnd__null_accesses(gnd_queue *q, const gnd_kern *k, const gnd_klaunch *l)
{
    pthread_mutex_lock(&lock);
    const int on = model;
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; i < l->nargs && on; i++) {
        gnd_buf *b = l->args[i].kind == GND_ARG_BUF ? l->args[i].u.buf : NULL;
        if (b && (b->n & (b->n - 1)) != 0)
            gnd__null_access(q, b, 0, b->n, !reads_only(k, i));
    }
}
