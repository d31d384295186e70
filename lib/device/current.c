/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/current.c - the current streams of a thread, one for each device. A thread that takes a
 * device's lock finds the queue of its stream there. A freed stream is recognized by its serial
 * number; the default stream replaces it.
 */
#include <pthread.h>
#include "base/mem.h"
#include "device/stream.h"

#if defined(__ELF__) && defined(__GNUC__)
#define TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TLS_MODEL
#endif

enum { DEVICES = 16 };

struct streams {
    int n;
    struct {
        const gnd__gdev *d;
        int index;
        uint64_t serial;
        void *handle;
    } of[DEVICES];
};

/* The calling thread's current streams other than default ones; NULL: it never had one. This is a
 * pointer because the part of a thread's memory that is found without a call is small. */
static _Thread_local TLS_MODEL struct streams *mine;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_made;

static void make_key(void)
{
    key_made = pthread_key_create(&key, gnd__mem_chunk_free) == 0;
}

/* The end of a thread frees it. */
static struct streams *streams_new(void)
{
    pthread_once(&once, make_key);
    struct streams *m = key_made ? gnd__mem_chunk(sizeof *m) : NULL;
    if (m && pthread_setspecific(key, m) != 0) {
        gnd__mem_chunk_free(m);
        m = NULL;
    }
    return m;
}

gnd_status gnd__gate_stream_use(gnd__gdev *d, int index, uint64_t serial, void *handle)
{
    int i = 0;
    while (mine && i < mine->n && mine->of[i].d != d)
        i++;
    if (serial == 0) {
        if (mine && i < mine->n)
            mine->of[i] = mine->of[--mine->n];
        return GND_OK;
    }
    if (!mine && !(mine = streams_new()))
        return GND_ERR_NOMEM;
    if (i == DEVICES)
        return GND_ERR_UNSUPPORTED;
    mine->of[i].d = d;
    mine->of[i].index = index;
    mine->of[i].serial = serial;
    mine->of[i].handle = handle;
    mine->n += i == mine->n;
    return GND_OK;
}

void gnd__gate_streams_sweep(int (*ended)(const void *handle, uint64_t serial))
{
    for (int i = 0; mine && i < mine->n;)
        if (ended(mine->of[i].handle, mine->of[i].serial))
            mine->of[i] = mine->of[--mine->n];
        else
            i++;
}

uint64_t gnd__gate_stream_mine(const gnd__gdev *d, int *index, void **handle)
{
    *index = 0;
    for (int i = 0; mine && i < mine->n; i++)
        if (mine->of[i].d == d) {
            *index = mine->of[i].index;
            if (handle)
                *handle = mine->of[i].handle;
            return mine->of[i].serial;
        }
    return 0;
}

int gnd__gate_stream_lives(const gnd__gdev *d, int index, uint64_t serial)
{
    return d->streams && d->streams->s[index] && d->streams->s[index]->serial == serial;
}

void gnd__streams_enter(gnd__gdev *d)
{
    int index;
    const uint64_t serial = gnd__gate_stream_mine(d, &index, NULL);
    if (!gnd__gate_stream_lives(d, index, serial))
        index = 0;
    d->streams->cur = index;
    d->queue = d->streams->s[index]->queue;
    d->worked = 0;
}

int gnd__gate_stream(const gnd__gdev *d)
{
    return d->streams ? d->streams->cur : 0;
}

void gnd__stream_expose(gnd__gdev *d)
{
    const int index = gnd__gate_stream(d);
    if (index == 0)
        d->exposed = 1;
    if (d->streams)
        d->streams->s[index]->shared = 1;
}
