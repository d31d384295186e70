/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/stream.c - several streams of one device, and the order between them. See stream.h.
 */
#include "device/stream.h"

#include <string.h>
#include "device/pool.h"
#include "base/mem.h"
#include "device/trace.h"

_Static_assert((int)GND__STREAMS == (int)ARENAS, "an arena for each stream");

static inline uint64_t bit(int index)
{
    return (uint64_t)1 << index;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- events ----------------------------------------------------------------------------------- */

static void forget(gnd__gdev *d, gnd_event *ev)
{
    if (ev)
        d->be->queue.event_free(ev);
}

/* Records an event for the work of stream s up to time *at. Later work has a later time. e is NULL
 * if a failure does not matter. */
static gnd_status record(gnd__gdev *d, int index, gnd_event **ev, uint64_t *at, gnd_err *e)
{
    struct gnd__streams *ss = d->streams;
    gnd__gstream *s = ss->s[index];
    gnd_status st = e ? gnd__gate_tick(e) : gnd__forked ? GND_ERR_DEVICE : GND_OK;
    if (st == GND_OK)
        st = d->be->queue.record(s->queue, ev, e);
    if (st != GND_OK)
        return gnd__gate_call_failed(d, "record", st, e);
    (void)d->be->queue.flush(s->queue, NULL); /* otherwise it may never come */
    if (index == ss->cur && d->worked)
        s->last = ss->now++;
    *at = s->last;
    return GND_OK;
}

/* The same, and keeps it as the newest of the stream's events. */
static gnd_status mark(gnd__gdev *d, int index, gnd__smark **out, gnd_err *e)
{
    gnd__gstream *s = d->streams->s[index];
    gnd_event *ev = NULL;
    uint64_t at;
    const gnd_status st = record(d, index, &ev, &at, e);
    if (st != GND_OK)
        return st;
    gnd__smark *m = &s->mark[s->next++ % GND__STREAM_EVENTS];
    forget(d, m->ev);
    m->ev = ev;
    m->at = at;
    memcpy(m->seen, s->seen, sizeof m->seen);
    m->seen[index] = at;
    *out = m;
    return GND_OK;
}

/* The oldest event of the stream that covers its work up to `need`, or NULL. */
static gnd__smark *find(gnd__gstream *s, uint64_t need)
{
    for (unsigned i = 0; i < GND__STREAM_EVENTS; i++) {
        gnd__smark *m = &s->mark[(s->next + i) % GND__STREAM_EVENTS];
        if (m->ev && m->at >= need)
            return m;
    }
    return NULL;
}

/* Whether stream `to` comes after the work of stream `from` up to time `at`. */
static int covered(const struct gnd__streams *ss, int to, int from, uint64_t at)
{
    const gnd__gstream *s = ss->s[from], *t = ss->s[to];
    if (to == from || !s) /* all work of a stream is done before it is freed */
        return 1;
    if (s->shared)
        return 0;
    at = at < s->last ? at : s->last;
    return at <= ss->done[from] || (t && at <= t->seen[from]);
}

/* Notes that stream `index` was made to wait: a stream that waits for it later waits for that work
 * too. */
static void has_waited(gnd__gdev *d, int index)
{
    struct gnd__streams *ss = d->streams;
    ss->s[index]->last = ss->now;
    if (index == ss->cur)
        d->worked = 1;
    else
        ss->now++;
}

static gnd_status wait_event(gnd__gdev *d, int to, gnd_event *ev, gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK)
        st = d->be->queue.wait_event(d->streams->s[to]->queue, ev, e);
    if (st != GND_OK)
        return gnd__gate_call_failed(d, "wait_event", st, e);
    has_waited(d, to);
    return GND_OK;
}

/* Makes stream `to` come after the work of stream `from` up to time `at`. */
static gnd_status after(gnd__gdev *d, int to, int from, uint64_t at, gnd_err *e)
{
    struct gnd__streams *ss = d->streams;
    gnd_status st = GND_OK;
    if (covered(ss, to, from, at))
        return GND_OK;
    gnd__gstream *s = ss->s[from], *t = ss->s[to];
    gnd__smark *m = s->shared ? NULL : find(s, at < s->last ? at : s->last);
    s->watched = 1;
    if (!m)
        st = mark(d, from, &m, e);
    if (st == GND_OK)
        st = wait_event(d, to, m->ev, e);
    for (int i = 0; i < ss->n && st == GND_OK; i++)
        t->seen[i] = later(t->seen[i], m->seen[i]);
    return st;
}

void gnd__streams_leave(gnd__gdev *d)
{
    struct gnd__streams *ss = d->streams;
    gnd__gstream *s = ss->s[ss->cur];
    gnd__smark *m;
    if (!d->worked)
        return;
    /* If there is no event, the next function that needs one records it. */
    if (!s->watched || mark(d, ss->cur, &m, NULL) != GND_OK)
        s->last = ss->now++;
    d->worked = 0;
}

/* --- what the host has waited for ------------------------------------------------------------- */

static void is_done(struct gnd__streams *ss, const gnd__smark *m)
{
    for (int i = 0; i < ss->n; i++)
        ss->done[i] = later(ss->done[i], m->seen[i]);
}

void gnd__stream_came(gnd__gdev *d, int index, uint64_t at)
{
    if (d->streams)
        d->streams->done[index] = later(d->streams->done[index], at);
}

void gnd__stream_finished(gnd__gdev *d)
{
    struct gnd__streams *ss = d->streams;
    gnd__gstream *s = ss->s[ss->cur];
    s->last = ss->now;
    for (int i = 0; i < ss->n; i++)
        ss->done[i] = later(ss->done[i], i == ss->cur ? ss->now : s->seen[i]);
    ss->now++;
    d->worked = 0;
}

gnd_status gnd__queues_wait(gnd__gdev *d, gnd_err *e)
{
    struct gnd__streams *ss = d->streams;
    gnd_status st = GND_OK;
    if (!ss)
        return d->be->queue.finish(d->queue, e);
    for (int i = 0; i < ss->n; i++) {
        if (!ss->s[i])
            continue;
        const gnd_status one = d->be->queue.finish(ss->s[i]->queue, st == GND_OK ? e : NULL);
        st = st == GND_OK ? one : st;
    }
    for (int i = 0; i < ss->n && st == GND_OK; i++)
        ss->done[i] = ss->now;
    ss->now++;
    return st;
}

/* --- blocks ----------------------------------------------------------------------------------- */

int gnd__stream_clear(const gnd__gdev *d, const gnd__block *b, int index)
{
    uint64_t users = b->users & ~bit(index);
    for (; users; users &= users - 1)
        if (!covered(d->streams, index, __builtin_ctzll(users), b->used))
            return 0;
    return 1;
}

gnd_status gnd__stream_after(gnd__gdev *d, int index, const gnd__block *b, gnd_err *e)
{
    uint64_t users = b->users & ~bit(index);
    gnd_status st = GND_OK;
    for (; users && st == GND_OK; users &= users - 1)
        st = after(d, index, __builtin_ctzll(users), b->used, e);
    return st;
}

gnd_status gnd__stream_use(gnd__gdev *d, gnd__block *b, int write, gnd_err *e)
{
    struct gnd__streams *ss = d->streams;
    const int cur = ss->cur;
    gnd_status st = GND_OK;
    if (write)
        st = gnd__stream_after(d, cur, b, e);
    else if (b->users)
        st = after(d, cur, (int)b->writer, b->wrote, e);
    if (st != GND_OK)
        return st;
    if (write) {
        b->users = 0;
        b->writer = (uint32_t)cur;
        b->wrote = ss->now;
    }
    b->users |= bit(cur);
    b->used = ss->now;
    ss->s[cur]->last = ss->now;
    d->worked = 1;
    return GND_OK;
}

int gnd__streams_poll(gnd__gdev *d, const gnd__block *b)
{
    struct gnd__streams *ss = d->streams;
    const gnd_queue_ops *q = &d->be->queue;
    uint64_t users = b->users & ~bit(ss->cur);
    if (!q->event_done)
        return 0;
    for (; users; users &= users - 1) {
        const int index = __builtin_ctzll(users);
        gnd__gstream *s = ss->s[index];
        gnd__smark *m;
        int yes = 1;
        if (!s || s->shared)
            continue;
        s->watched = 1;
        if (!covered(ss, ss->cur, index, b->used) &&
            !find(s, b->used < s->last ? b->used : s->last) && mark(d, index, &m, NULL) != GND_OK)
            continue;
        for (unsigned i = 0; i < GND__STREAM_EVENTS && yes; i++) {
            m = &s->mark[(s->next + i) % GND__STREAM_EVENTS];
            if (!m->ev)
                continue;
            yes = 0;
            if (q->event_done(m->ev, &yes, NULL) != GND_OK || !yes)
                break;
            is_done(ss, m);
            forget(d, m->ev);
            m->ev = NULL;
        }
    }
    return 1;
}

/* --- making and freeing ----------------------------------------------------------------------- */

/* Prepares d for several streams; its queue becomes that of the first. */
static gnd_status begin(gnd__gdev *d, gnd_err *e)
{
    struct gnd__streams *ss = gnd__calloc(1, sizeof *ss);
    gnd__gstream *s = gnd__calloc(1, sizeof *s);
    if (!ss || !s) {
        gnd__free(ss);
        gnd__free(s);
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    }
    s->queue = d->queue;
    s->shared = d->exposed || d->native;
    s->last = 1;
    ss->s[0] = s;
    ss->n = 1;
    ss->now = 2;
    d->streams = ss;
    d->worked = 0;
    return GND_OK;
}

gnd_status gnd__gate_stream_new(gnd__gdev *d, int *index, uint64_t *serial, gnd_err *e)
{
    static _Atomic uint64_t made;
    const gnd_queue_ops *q = &d->be->queue;
    gnd_status st = GND_OK;
    if (!q->record || !q->wait_event || !q->event_free)
        return gnd__err(e, GND_ERR_UNSUPPORTED,
                        "%s has one stream: backend %s has no entries queue.record, wait_event and "
                        "event_free to order several",
                        d->id, d->be->name);
    if (!d->streams && (st = begin(d, e)) != GND_OK)
        return st;
    struct gnd__streams *ss = d->streams;
    int i = 1;
    while (i < GND__STREAMS && ss->s[i])
        i++;
    if (i == GND__STREAMS)
        return gnd__err(e, GND_ERR_UNSUPPORTED, "%s has %d streams: free one", d->id, GND__STREAMS);
    gnd__gstream *s = gnd__calloc(1, sizeof *s);
    if (!s)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    if ((st = gnd__pool_stream(d, i, e)) == GND_OK && (st = gnd__gate_tick(e)) == GND_OK) {
        st = q->queue_new(d->dev, gnd__queue_flags() | GND_QUEUE_BESIDE, &s->queue, e);
        st = st == GND_OK ? st : gnd__gate_call_failed(d, "queue_new", st, e);
    }
    if (st != GND_OK) {
        gnd__free(s);
        return st;
    }
    s->serial = atomic_fetch_add(&made, 1) + 1;
    ss->s[i] = s;
    ss->n = ss->n > i ? ss->n : i + 1;
    /* Blocks that were used before there were several streams have no record of that. */
    if ((st = after(d, i, 0, UINT64_MAX, e)) != GND_OK) {
        (void)gnd__gate_stream_free(d, i, NULL);
        return st;
    }
    *index = i;
    *serial = s->serial;
    return GND_OK;
}

gnd_status gnd__gate_stream_free(gnd__gdev *d, int index, gnd_err *e)
{
    struct gnd__streams *ss = d->streams;
    gnd__gstream *s = ss->s[index];
    gnd_status injected = gnd__gate_tick(e), st;
    if (gnd__forked)
        return injected;
    st = d->be->queue.finish(s->queue, injected ? NULL : e);
    if (st != GND_OK)
        st = gnd__gate_call_failed(d, "finish", st, injected ? NULL : e);
    if (d->trace)
        gnd__trace_idle(d);
    ss->done[index] = ss->now++;
    d->worked = 0;
    for (int i = 0; i < GND__STREAM_EVENTS; i++)
        forget(d, s->mark[i].ev);
    d->be->queue.queue_free(s->queue);
    ss->s[index] = NULL;
    gnd__free(s);
    if (ss->cur == index) {
        ss->cur = 0;
        d->queue = ss->s[0]->queue;
    }
    return injected ? injected : st;
}

void gnd__queues_free(gnd__gdev *d)
{
    struct gnd__streams *ss = d->streams;
    for (int i = 0; ss && i < ss->n; i++) {
        gnd__gstream *s = ss->s[i];
        if (!s)
            continue;
        for (int k = 0; k < GND__STREAM_EVENTS; k++)
            forget(d, s->mark[k].ev);
        if (i == 0)
            d->queue = s->queue;
        else
            d->be->queue.queue_free(s->queue);
        gnd__free(s);
    }
    d->be->queue.queue_free(d->queue);
    gnd__free(ss);
    d->streams = NULL;
}

/* --- order that is asked for ------------------------------------------------------------------ */

gnd_status gnd__gate_stream_order(gnd__gdev *d, int to, int before, gnd_err *e)
{
    if (!d->streams || to == before)
        return GND_OK;
    return after(d, to, before, UINT64_MAX, e);
}

int gnd__gate_events(const gnd__gdev *d)
{
    return d->be->queue.record && d->be->queue.event_free;
}

gnd_status gnd__gate_moment(gnd__gdev *d, int index, gnd__moment *m, gnd_err *e)
{
    const gnd_queue_ops *q = &d->be->queue;
    *m = (gnd__moment){.index = index};
    if (!q->record || !q->event_free)
        return gnd__gate_missing(d, "queue.record", e);
    if (d->streams)
        return record(d, index, &m->ev, &m->at, e);
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK)
        st = q->record(d->queue, &m->ev, e);
    if (st == GND_OK)
        (void)q->flush(d->queue, NULL);
    return st == GND_OK ? st : gnd__gate_call_failed(d, "record", st, e);
}

void gnd__gate_moment_free(gnd__gdev *d, gnd__moment *m)
{
    if (!gnd__forked)
        forget(d, m->ev);
    m->ev = NULL;
}

gnd_status gnd__gate_stream_done(gnd__gdev *d, int index, gnd__moment *asked, int *yes, gnd_err *e)
{
    gnd_status st = GND_OK;
    if (!d->streams && gnd__gate_events(d) && (st = begin(d, e)) != GND_OK) /* it counts as work */
        return st;
    const struct gnd__streams *ss = d->streams;
    *yes = ss && !ss->s[index]->shared && ss->s[index]->last <= ss->done[index];
    if (!*yes && !asked->ev)
        st = gnd__gate_moment(d, index, asked, e);
    if (!*yes && st == GND_OK)
        st = gnd__gate_moment_done(d, asked, yes, e);
    if (st != GND_OK || !*yes)
        return st;
    gnd__gate_moment_free(d, asked);
    *yes = ss->s[index]->shared ||
           ss->s[index]->last <= ss->done[index]; /* there was no work meanwhile */
    return GND_OK;
}

gnd_status gnd__gate_moment_order(gnd__gdev *d, int to, const gnd__moment *m, gnd_err *e)
{
    if (!d->streams) /* a single stream is in order */
        return GND_OK;
    return wait_event(d, to, m->ev, e);
}
