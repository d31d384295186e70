/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace.c - the traces of all ranks (GND_TRACE) as one timeline. While the context is open, each
 * rank writes a file of its own. At the end each rewrites its events: the process of an event is
 * its rank, and its time is that of rank 0's clock. Rank 0 collects the texts and writes
 * GND_TRACE's file; the files of the ranks are removed. If the program dies before, they are left.
 *
 * Clocks of the ranks of a node are one clock. Those of other nodes are compared with rank 0's at
 * the beginning and at the end, by the messages with the shortest round trip of several, and run at
 * constant speed in between.
 */
#include "ctx.h"

#include <gnd/timeline.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { PINGS = 24, TAG = 7, STREAMS = 1024, DEVICES = 1000000000, STEP = 16 << 20 };

/* --- clocks ----------------------------------------------------------------------------------- */

/* Sends nbytes to `to`, receives nbytes from `from`; a negative rank: neither. */
static gnd_status pass(gndm_ctx *c, const void *out, int to, void *in, int from, int nbytes)
{
    MPI_Request req;
    gnd_status st = c->broken ? c->status : GND_OK;
    if (!st && to >= 0)
        st = gndm__mpi(c, MPI_Isend(out, nbytes, MPI_BYTE, to, TAG, c->comm, &req), "MPI_Isend");
    if (!st && to >= 0)
        st = gndm__wait(c, 1, &req);
    if (!st && from >= 0)
        st = gndm__mpi(c, MPI_Irecv(in, nbytes, MPI_BYTE, from, TAG, c->comm, &req), "MPI_Irecv");
    if (!st && from >= 0)
        st = gndm__wait(c, 1, &req);
    return st;
}

/* Sets *at to a time of this rank's clock, and *ahead to what rank 0's clock is ahead of it. */
static gnd_status compare_clocks(gndm_ctx *c, int64_t *at, int64_t *ahead)
{
    int64_t best = INT64_MAX, *box = c->clock.box, theirs[2] = {0, 0};
    int *first = calloc((size_t)c->size, sizeof *first);
    gnd_status st = gndm__agree(c, first ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    if (!st)
        st = gndm__allgather(c, &c->node_rank, first, (int)sizeof *first);
    *at = gnd_timeline_clock();
    for (int r = 1; r < c->size && !st; r++)
        for (int i = 0; i < PINGS && !st && first[r] == 0; i++) {
            if (c->rank == 0) {
                st = pass(c, NULL, -1, box, r, (int)sizeof *box);
                box[0] = gnd_timeline_clock();
                st = st ? st : pass(c, box, r, NULL, -1, (int)sizeof *box);
            } else if (c->rank == r) {
                const int64_t t0 = gnd_timeline_clock();
                st = pass(c, box, 0, box + 1, 0, (int)sizeof *box);
                const int64_t t1 = gnd_timeline_clock();
                if (t1 - t0 < best) {
                    best = t1 - t0;
                    theirs[0] = t0 + best / 2;
                    theirs[1] = box[1] - theirs[0];
                }
            }
        }
    if (!st) { /* the first rank of a node tells the others */
        MPI_Request req;
        memcpy(box, theirs, sizeof theirs);
        st = gndm__mpi(c, MPI_Ibcast(box, (int)sizeof theirs, MPI_BYTE, 0, c->node, &req),
                       "MPI_Ibcast");
        st = st ? st : gndm__wait(c, 1, &req);
    }
    if (!st) {
        *at = box[0] ? box[0] : *at;
        *ahead = box[1];
    }
    if (!c->broken)
        free(first);
    return st;
}

gnd_status gndm__trace_begin(gndm_ctx *c)
{
    int on = gnd_timeline_on();
    gnd_status st = gndm__allreduce(c, &on, 1, MPI_INT, MPI_MAX);
    if (!st && on)
        st = compare_clocks(c, &c->clock.at, &c->clock.ahead);
    c->traced = !st && on;
    gnd_device_info d;
    if (c->traced && gnd_device_describe(c->dev, &d) == GND_OK)
        snprintf(c->traced_device, sizeof c->traced_device, "%.63s %.127s", d.id, d.name);
    return st;
}

/* --- the text of a rank ----------------------------------------------------------------------- */

/* A growing text. */
typedef struct writing {
    char *s;
    size_t n, cap;
    int bad;
} writing;

static void add(writing *w, const char *s, size_t n)
{
    if (w->n + n > w->cap && !w->bad) {
        const size_t cap = 2 * (w->n + n) + 4096;
        char *more = realloc(w->s, cap);
        if (more) {
            w->s = more;
            w->cap = cap;
        } else {
            w->bad = 1;
        }
    }
    if (w->bad)
        return;
    memcpy(w->s + w->n, s, n);
    w->n += n;
}

GND_PRINTF(2, 3) static void addf(writing *w, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    add(w, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

/* text within a string of JSON */
static void add_escaped(writing *w, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            addf(w, "\\%c", *text);
        else if ((unsigned char)*text >= 0x20)
            add(w, text, 1);
}

typedef struct clocks {
    double at, ahead, rate; /* rank 0's clock is t + ahead + rate * (t - at), in microseconds */
} clocks;

/* Streams of devices that have a name: the n-th is thread DEVICES + n of the rank. */
typedef struct streams {
    int n;
    int64_t id[STREAMS]; /* pid of the device and number of the stream, as one number */
} streams;

/* The thread for a stream of a device; names it when it is first met. */
static int64_t thread_of(const gndm_ctx *c, streams *known, int64_t pid, int64_t tid, writing *w)
{
    const int64_t id = (pid - DEVICES) * STREAMS + tid % STREAMS;
    int i = 0;
    while (i < known->n && known->id[i] != id)
        i++;
    if (i == known->n && i < STREAMS) {
        known->id[known->n++] = id;
        addf(w,
             ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":"
             "\"device %d, stream %" PRId64 "\"}}",
             c->rank, DEVICES + i, (int)(pid - DEVICES), tid);
    }
    return DEVICES + i;
}

/* The number behind "key": in a line, or NULL. A quote within a string of the line is escaped, so
 * the key is not part of one. */
static const char *number(const char *line, const char *key)
{
    const char *s = strstr(line, key);
    return s ? s + strlen(key) : NULL;
}

/* One event, with this rank as its process, and its time on rank 0's clock. */
static void add_event(const gndm_ctx *c, const char *line, const clocks *k, streams *known,
                      writing *w)
{
    static const char PID[] = "\"pid\":", TID[] = "\"tid\":", TS[] = "\"ts\":";
    const char *pid = number(line, PID), *tid = number(line, TID), *ts = number(line, TS);
    char *end;
    if (!pid || !ts) /* names of processes, which are those of ranks here */
        return;
    const int64_t process = strtoll(pid, &end, 10);
    int64_t thread = tid ? strtoll(tid, NULL, 10) : 0;
    if (tid && process >= DEVICES)
        thread = thread_of(c, known, process, thread, w);
    add(w, ",\n", 2);
    add(w, line, (size_t)(pid - line));
    addf(w, "%d", c->rank);
    if (tid) {
        strtoll(tid, &end, 10);
        addf(w, ",%s%" PRId64, TID, thread);
    }
    const double t = strtod(ts, NULL);
    add(w, end, (size_t)(ts - end));
    strtod(ts, &end);
    addf(w, "%.3f", t + k->ahead + k->rate * (t - k->at));
    add(w, end, strlen(end));
}

/* Rewrites the lines of text, which it changes. */
static void rewrite(const gndm_ctx *c, char *text, const clocks *k, writing *w)
{
    streams known = {0};
    char host[64] = "", *line = text, *next;
    gethostname(host, sizeof host - 1);
    addf(
        w,
        ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"args\":{\"sort_index\":%d}}",
        c->rank, c->rank);
    addf(w, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"rank %d: ",
         c->rank, c->rank);
    add_escaped(w, host);
    add_escaped(w, ", ");
    add_escaped(w, c->traced_device);
    add_escaped(w, text ? "" : " (no trace: GND_TRACE is not set there, or its file is lost)");
    addf(w, "\"}}");
    for (; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = 0;
        const size_t n = strlen(line);
        if (n && line[n - 1] == ',')
            line[n - 1] = 0;
        if (*line == '{')
            add_event(c, line, k, &known, w);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

/* Opens the new file on rank 0. What this process has merged before (of another context) stays: the
 * new events follow it. */
static FILE *begin_merged(const char *path, const char *temporary, int again)
{
    FILE *f = fopen(temporary, "w"), *old = f && again ? fopen(path, "r") : NULL;
    char buf[4096];
    size_t n;
    if (f && !old)
        fputs(
            "[\n{\"ph\":\"M\",\"name\":\"clock\",\"pid\":0,\"args\":{\"name\":\"monotonic, of rank 0\"}}",
            f);
    int64_t left = -3; /* without the end: "\n]\n" */
    if (old && !fseek(old, 0, SEEK_END))
        left += ftell(old);
    if (old)
        rewind(old);
    while (old && left > 0 && (n = fread(buf, 1, left < 4096 ? (size_t)left : 4096, old)) > 0) {
        fwrite(buf, 1, n, f);
        left -= (int64_t)n;
    }
    if (old)
        fclose(old);
    return f;
}

/* Sends the texts of all ranks to rank 0, which writes them. */
static gnd_status collect(gndm_ctx *c, const writing *w, FILE *f)
{
    int64_t n = (int64_t)w->n, *size = calloc((size_t)c->size, sizeof *size);
    char *buf = c->rank == 0 ? malloc(STEP) : NULL;
    gnd_status st = gndm__agree(c, size && (buf || c->rank) ? GND_OK : GND_ERR_NOMEM, "");
    if (!st)
        st = gndm__allgather(c, &n, size, (int)sizeof n);
    if (!st && f)
        fwrite(w->s, 1, w->n, f);
    for (int r = 1; r < c->size && !st; r++)
        for (int64_t at = 0; at < size[r] && !st; at += STEP) {
            const int m = (int)(size[r] - at < STEP ? size[r] - at : STEP);
            if (c->rank == r)
                st = pass(c, w->s + at, 0, NULL, -1, m);
            if (c->rank == 0)
                st = pass(c, NULL, -1, buf, r, m);
            if (c->rank == 0 && !st && f)
                fwrite(buf, 1, (size_t)m, f);
        }
    if (c->broken) /* MPI may still write there */
        return st;
    free(size);
    free(buf);
    return st;
}

/* Writes the events of all ranks to a new file, which replaces that of rank 0. */
static void merge(gndm_ctx *c, char *own, char *text, const clocks *k)
{
    static int merged; /* 1: this process has written the file before */
    const char *path = getenv("GND_TRACE");
    char temporary[4200];
    writing w = {0};
    FILE *f = NULL;
    gnd_status st = GND_OK;
    rewrite(c, text, k, &w);
    snprintf(temporary, sizeof temporary, "%s.merged", path ? path : "");
    if (c->rank == 0 && path && *path)
        f = begin_merged(path, temporary, merged);
    if (w.bad || (c->rank == 0 && !f))
        st = w.bad ? GND_ERR_NOMEM : GND_ERR_IO;
    st = gndm__agree(c, st, "GND_TRACE: the merged file cannot be written");
    if (!st)
        st = collect(c, &w, f);
    int bad = 0;
    const int wrote = f != NULL;
    if (wrote) {
        bad = fputs("\n]\n", f) < 0 || ferror(f);
        bad |= fclose(f) != 0;
    }
    st = st ? st
            : gndm__agree(c, bad ? GND_ERR_IO : GND_OK, "GND_TRACE: the file cannot be written");
    if (!st && own) /* a rank's file may have the name of the merged one: remove it before */
        remove(own);
    if (!st)
        st = gndm__barrier(c, c->comm);
    if (wrote && !st)
        merged = rename(temporary, path) == 0;
    else if (wrote)
        remove(temporary);
    free(w.s);
}

void gndm__trace_end(gndm_ctx *c)
{
    int64_t at = 0, ahead = 0;
    char *own = NULL, *text = NULL;
    if (!c->traced || c->broken)
        return;
    c->traced = 0;
    if (gndm__enter(c, "gndm_close", "%d", c->size) == GND_OK &&
        compare_clocks(c, &at, &ahead) == GND_OK) {
        const double passed = (double)(at - c->clock.at);
        const clocks k = {(double)c->clock.at / 1e3, (double)c->clock.ahead / 1e3,
                          passed > 0 ? (double)(ahead - c->clock.ahead) / passed : 0};
        if (gnd_timeline_on() && gnd_timeline_take(&own, &text) != GND_OK)
            own = text = NULL;  /* its row says that it has no trace */
        int any = text != NULL; /* of a device that the program opened, another context took it */
        if (gndm__allreduce(c, &any, 1, MPI_INT, MPI_MAX) == GND_OK && any)
            merge(c, own, text, &k);
        free(own);
        free(text);
    }
    gndm__leave(c, NULL);
}
