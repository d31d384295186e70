/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/trace.c - see trace.h. Host spans carry the thread's number. Each device is shown as a
 * process of its own, whose threads are its streams.
 *
 * The device's clock is aligned with the host's once, when the device is opened, by an event for
 * which the host waits. Device times are therefore late by the latency of that wait, some
 * microseconds.
 */
#include "device/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "device/priv.h"
#include "device/tracefile.h"
#include "base/env.h"
#include "base/mem.h"

enum { PENDING = 1024 };

/* A device span whose times have not been read yet. */
struct pending {
    int stream;
    gnd_event *before, *after;
    const char *category;
    char name[160];
    int64_t rd, wr;
};

struct gnd__trace {
    int pid;       /* process id under which the device is shown */
    int timed;     /* the backend can measure times */
    int64_t ahead; /* host clock minus device clock, ns */
    const char *label;
    int64_t rd, wr;
    int n;
    struct pending wait[PENDING];
};

int64_t gnd__clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Appends text, escaped, without the quotes of a JSON string. */
static void escaped(gnd__str *b, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            gnd__str_addf(b, "\\%c", c);
        else if (c < 0x20)
            gnd__str_addf(b, "\\u%04x", c);
        else
            gnd__str_addc(b, (char)c);
    }
}

static void process_name(int pid, const char *name)
{
    gnd__str b = {0};
    gnd__str_addf(&b, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"",
                  pid);
    escaped(&b, name);
    gnd__str_add(&b, "\"}}");
    gnd__trace_put(&b);
    gnd__str_free(&b);
}

/* Writes a complete event from t0 to t1, in ns of the host's clock. rd and wr < 0: unknown. */
static void span(const char *category, const char *name, int pid, long tid, uint64_t t0,
                 uint64_t t1, const char *key, int64_t rd, int64_t wr)
{
    gnd__str b = {0};
    gnd__str_add(&b, "{\"ph\":\"X\",\"cat\":\"");
    escaped(&b, category);
    gnd__str_add(&b, "\",\"name\":\"");
    escaped(&b, name);
    gnd__str_addf(&b, "\",\"pid\":%d,\"tid\":%ld,\"ts\":%.3f,\"dur\":%.3f", pid, tid,
                  (double)t0 / 1e3, (double)(t1 - t0) / 1e3);
    if (rd >= 0 && wr >= 0)
        gnd__str_addf(&b, ",\"args\":{\"bytes read\":%" PRId64 ",\"bytes written\":%" PRId64 "}",
                      rd, wr);
    else if (rd >= 0)
        gnd__str_addf(&b, ",\"args\":{\"%s\":%" PRId64 "}", key, rd);
    gnd__str_addc(&b, '}');
    gnd__trace_put(&b);
    gnd__str_free(&b);
}

static void in_use(const gnd__gdev *d, uint64_t t)
{
    gnd__str b = {0};
    gnd__str_addf(&b,
                  "{\"ph\":\"C\",\"name\":\"memory in use\",\"pid\":%d,\"ts\":%.3f,"
                  "\"args\":{\"bytes\":%" PRIu64 "}}",
                  d->trace->pid, (double)t / 1e3, d->n.bytes_in_use);
    gnd__trace_put(&b);
    gnd__str_free(&b);
}

int gnd__trace_wanted(void)
{
    return gnd__env_string(GND__ENV_TRACE) != NULL;
}

void gnd__trace_span(const char *category, const char *name, int64_t t0, int64_t t1, int64_t nbytes)
{
    if (gnd__trace_writes())
        span(category, name, (int)getpid(), syscall(SYS_gettid), (uint64_t)t0, (uint64_t)t1,
             "bytes", nbytes, -1);
}

/* --- the device's times ----------------------------------------------------------------------- */

static void forget(gnd__gdev *d, gnd_event *ev)
{
    if (ev && d->be->queue.event_free)
        d->be->queue.event_free(ev);
}

/* Waits for the queue and aligns the clocks. */
static int set_clock(gnd__gdev *d)
{
    const gnd_queue_ops *q = &d->be->queue;
    gnd_event *ev = NULL;
    uint64_t at = 0, host;
    gnd_status st;

    if (!q->record || !q->event_wait || !q->event_time || !q->event_free)
        return 0;
    if (q->record(d->queue, &ev, NULL) != GND_OK)
        return 0;
    st = q->event_wait(ev, NULL);
    host = (uint64_t)gnd__clock();
    if (st == GND_OK)
        st = q->event_time(ev, &at, NULL);
    q->event_free(ev);
    d->trace->ahead = (int64_t)(host - at);
    return st == GND_OK;
}

void gnd__trace_idle(gnd__gdev *d)
{
    struct gnd__trace *t = d->trace;

    for (int i = 0; i < t->n; i++) {
        struct pending *p = &t->wait[i];
        uint64_t t0, t1;
        if (d->be->queue.event_time(p->before, &t0, NULL) == GND_OK &&
            d->be->queue.event_time(p->after, &t1, NULL) == GND_OK)
            span(p->category, p->name, t->pid, p->stream, t0 + (uint64_t)t->ahead,
                 (t1 > t0 ? t1 : t0) + (uint64_t)t->ahead, "bytes", p->rd, p->wr);
        forget(d, p->before);
        forget(d, p->after);
    }
    t->n = 0;
}

gnd_status gnd__trace_open(gnd__gdev *d, gnd_err *e)
{
    char name[256];
    gnd_status st;

    if (!gnd__trace_wanted())
        return GND_OK;
    d->trace = gnd__calloc(1, sizeof *d->trace);
    if (!d->trace)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory for a trace", d->id);
    int first = 0;
    st = gnd__trace_begin_file(&d->trace->pid, &first, e);
    if (st == GND_OK && first)
        process_name((int)getpid(), "host");
    if (st != GND_OK) {
        gnd__free(d->trace);
        d->trace = NULL;
        return st;
    }
    d->trace->timed = set_clock(d);
    snprintf(name, sizeof name, "%s %s%s", d->id, d->props.name,
             d->trace->timed ? "" : " (its times are not known)");
    process_name(d->trace->pid, name);
    return GND_OK;
}

void gnd__trace_close(gnd__gdev *d)
{
    if (!d->trace)
        return;
    gnd__trace_idle(d);
    gnd__trace_flush();
    gnd__free(d->trace);
    d->trace = NULL;
}

/* --- spans ------------------------------------------------------------------------------------ */

void gnd__trace_label(gnd__gdev *d, const char *label, int64_t rd, int64_t wr)
{
    d->trace->label = label;
    d->trace->rd = rd;
    d->trace->wr = wr;
}

void gnd__trace_begin(gnd__gdev *d, gnd__span *s, gnd__span_kind kind)
{
    struct gnd__trace *t = d->trace;

    s->before = NULL;
    if (kind == GND__SPAN_DEVICE && t->timed) {
        if (t->n == PENDING)
            gnd__trace_idle(d);
        if (d->be->queue.record(d->queue, &s->before, NULL) != GND_OK)
            s->before = NULL;
    }
    s->t0 = (uint64_t)gnd__clock();
}

void gnd__trace_end(gnd__gdev *d, const gnd__span *s, const char *category, const char *name,
                    int64_t nbytes)
{
    struct gnd__trace *t = d->trace;
    uint64_t t1 = (uint64_t)gnd__clock();
    gnd_event *after = NULL;
    int64_t rd = nbytes, wr = -1;

    if (s->before && t->label) {
        name = t->label;
        rd = t->rd;
        wr = t->wr;
    }
    span(category, name, (int)getpid(), syscall(SYS_gettid), s->t0, t1, "bytes", rd, wr);
    if (!s->before)
        return;
    t->label = NULL;
    if (d->be->queue.record(d->queue, &after, NULL) != GND_OK) {
        forget(d, s->before);
        return;
    }
    t->wait[t->n] = (struct pending){.stream = gnd__gate_stream(d),
                                     .before = s->before,
                                     .after = after,
                                     .category = category,
                                     .rd = rd,
                                     .wr = wr};
    snprintf(t->wait[t->n++].name, sizeof t->wait[0].name, "%s", name);
    in_use(d, t1);
}
