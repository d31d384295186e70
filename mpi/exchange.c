/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange.c - the messages of an exchange by MPI, from and to memory of the host or memory that
 * MPI may use directly. Messages of all partners are under way together. Each direction is a queue
 * of messages in the order of the steps: rank r sends to r + 1, r + 2 ... and receives from r - 1,
 * r - 2 ...; elements beyond a chunk are a further message. A slot takes the next messages of the
 * queue, up to a chunk of bytes: many short ones, or a part of a long one. It has a chunk of
 * staging memory, if any of its messages needs some. Copies of a device with memory of its own go
 * through two streams, so the device copies in both directions, computes, and the network carries
 * other slots meanwhile; on a device in host memory the host copies.
 *
 * There is no deadlock. The messages of a direction begin in the order of the queue, and a slot
 * that is complete takes the next ones, whichever others are late. Of the messages of all ranks
 * that are not complete, look at one of the earliest step and, within it, chunk: at both ends all
 * earlier ones are complete, so it has begun, or begins as soon as a copy ends. So one slot in each
 * direction would be enough.
 */
#include "nccl.h"

#include <string.h>

enum {
    MANY = 64, /* messages of a slot */
    TAG = 1,
    TAGS = 4096,      /* chunk i of a message has the tag TAG + i % TAGS: slots are tested in
                         any order, and those of one message may go to one rank together */
    SHORT = 64 << 10, /* bytes of a copy to the device for which the host does not wait */
    STAGED = 12 << 20 /* bytes of the staging memory of a direction, if it has 3 chunks */
};

typedef enum { FREE, READS, MOVES, WRITES } state; /* READS: from the device */

typedef struct message {
    gndm__parcel *p;
    int64_t at, n; /* its elements */
    char *memory;
} message;

typedef struct slot {
    state is;
    int n, done;              /* messages; of them complete, from the first */
    int64_t staged;           /* elements in `memory` */
    char **memory;            /* of the ring */
    gnd_stream_event *copied; /* the end of its copies, or NULL */
    message m[MANY];
    MPI_Request req[MANY];
} slot;

/* One direction of an exchange. */
typedef struct lane {
    gndm_ctx *c;
    gndm__parcel *all; /* c->size of them */
    int in, mapped, slots;
    gnd_dtype t;
    int64_t size, chunk; /* bytes of an element; elements of a chunk */
    int k;               /* the next message begins at element `at` of parcel k */
    int64_t at;
    gnd_stream *stream, *before; /* of its copies (NULL: the host copies); of the caller */
    slot slot[GNDM_SLOTS];
    gnd_status st; /* an error of this rank alone; the messages are exchanged anyway */
    char text[GNDM_TEXT];
} lane;

static void failed(lane *l, gnd_status st, const char *text)
{
    if (!st || l->st)
        return;
    l->st = st;
    snprintf(l->text, sizeof l->text, "%s", text);
}

/* --- streams of copies ------------------------------------------------------------------------ */

/* Makes the streams before their first use. A device that cannot order streams has none. */
static void open_copies(gndm_ctx *c)
{
    gnd_device_info info;
    if (c->copies)
        return;
    c->copies = 1;
    if (gnd_device_describe(c->dev, &info) || info.host_mapped)
        return;
    c->down = gnd_stream_create(c->dev);
    c->up = gnd_stream_create(c->dev);
    if (gnd_stream_status(c->down) || gnd_stream_status(c->up)) {
        gndm__ring_free(c);
        c->copies = 1;
    }
}

/* The next copies are those of the lane's stream. Returns 0 if it has none. */
static int to_stream(lane *l)
{
    if (!l->stream)
        return 0;
    const gnd_status st = gnd_stream_use(l->stream);
    failed(l, st, st ? gnd_message() : "");
    return !st;
}

/* Ends them: s->copied comes when they are done. */
static void from_stream(lane *l, slot *s)
{
    gnd_status st = gnd_stream_record(l->stream, &s->copied);
    if (st) /* the memory of the slot may be used once they are done */
        gnd_stream_synchronize(l->stream);
    failed(l, st, st ? gnd_message() : "");
    st = gnd_stream_use(l->before);
    failed(l, st, st ? gnd_message() : "");
}

/* Whether the copies of a slot are done. */
static int copied(lane *l, slot *s)
{
    int done = 1;
    gnd_status st = s->copied ? gnd_stream_event_done(s->copied, &done) : GND_OK;
    if (st == GND_ERR_UNSUPPORTED) { /* an older plugin: it can only wait */
        st = gnd_stream_event_synchronize(s->copied);
        done = 1;
    }
    failed(l, st, st ? gnd_message() : "");
    if (done || st) {
        gnd_stream_event_free(s->copied);
        s->copied = NULL;
    }
    return !s->copied;
}

/* --- memory ----------------------------------------------------------------------------------- */

char *gndm__memory_of(gnd_array *x)
{
    gnd_native_array m;
    if (gnd_native(x, &m) || !m.address ||
        (m.kind != GND_NATIVE_HOST && m.kind != GND_NATIVE_OPENCL))
        return NULL;
    int64_t step = (int64_t)gnd_dtype_size((gnd_dtype)m.dtype);
    for (int d = m.ndim - 1; d >= 0; d--) {
        if (m.shape[d] != 1 && m.strides[d] != step)
            return NULL;
        step *= m.shape[d];
    }
    return (char *)(uintptr_t)m.address;
}

void gndm__ring_free(gndm_ctx *c)
{
    for (int i = 0; i < 2 * GNDM_SLOTS; i++) {
        gnd_host_free(c->dev, c->ring[i]);
        c->ring[i] = NULL;
    }
    gnd_stream_free(c->down);
    gnd_stream_free(c->up);
    c->down = c->up = NULL;
    c->copies = 0;
}

/* Finds the memory of a parcel that MPI may use; p->at stays NULL if it is staged. */
static gnd_status open_parcel(lane *l, gndm__parcel *p)
{
    gndm_ctx *c = l->c;
    if (p->hosted && !l->in)
        p->at = p->host;
    else if (p->address)
        p->at = (char *)(uintptr_t)p->address;
    else if (l->in && (l->mapped || p->hosted))
        p->at = malloc((size_t)(p->n * l->size)); /* if it fails, the ring is used */
    else if (l->mapped)
        p->at = gndm__memory_of(p->x);
    if (!l->in && !p->at && !p->of)
        p->of = gnd_reshape(p->x, 1, &p->n);
    if (l->in && !p->at && p->n > l->chunk) {
        p->got = calloc((size_t)((p->n + l->chunk - 1) / l->chunk), sizeof *p->got);
        if (!p->got)
            return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    }
    return GND_OK;
}

/* Allocates the staging memory of a slot, pinned where the device can, before its first use: ranks
 * whose elements go in other ways need none. Without it the messages cannot be exchanged, so the
 * context is over on all ranks. */
static gnd_status need_memory(lane *l, slot *s)
{
    gndm_ctx *c = l->c;
    if (*s->memory || !gnd_host_alloc(c->dev, (size_t)c->chunk, (void **)s->memory))
        return GND_OK;
    return gndm__broken(c, GND_ERR_NOMEM, "%s: %s: no memory for messages", c->func, gnd_message());
}

/* Makes arrays of the received elements. An error of this rank alone is in all of them; if there
 * are none, nobody would hear of it, and the context is over on all ranks. */
static gnd_status close_lane(lane *l)
{
    gndm_ctx *c = l->c;
    int any = 0;
    for (int k = 1; k < c->size; k++) {
        gndm__parcel *p = &l->all[k];
        gnd_native_array m;
        if (!p->n || p->direct)
            continue;
        any = 1;
        if (p->hosted && p->at && !l->st) {
            p->host = p->at;
        } else if (p->at && !p->address) {
            gnd_native_fill(&m, l->t, 1, &p->n);
            m.kind = GND_NATIVE_HOST;
            m.address = (uint64_t)(uintptr_t)p->at;
            p->x = gnd_from_native(c->dev, &m, free, p->at); /* also frees it on failure */
        } else if (p->got) {
            p->x = gnd_concat((int)((p->n + l->chunk - 1) / l->chunk), p->got, 0);
            free(p->got);
            p->got = NULL;
        }
        if (l->st)
            p->x = gnd_fail(l->st, "%s", l->text);
    }
    if (!l->st || any)
        return GND_OK;
    return gndm__broken(c, l->st, "%s: %s", c->func, l->text);
}

/* --- slots ------------------------------------------------------------------------------------ */

/* Gives a slot the next messages of the queue; none are left if s->n is 0 then. */
static gnd_status gather(lane *l, slot *s)
{
    gnd_status st = GND_OK;
    int64_t all = 0;
    s->n = s->done = 0;
    s->staged = 0;
    for (; l->k < l->c->size && s->n < MANY && all < l->chunk && !st;) {
        gndm__parcel *p = &l->all[l->k];
        const int64_t left = p->direct ? 0 : p->n - l->at, n = left < l->chunk ? left : l->chunk;
        if (n && all + n > l->chunk)
            break;
        if (n && l->at == 0)
            st = open_parcel(l, p);
        if (n && !p->at && !st)
            st = need_memory(l, s);
        if (n && !st) {
            char *const memory = p->at ? p->at + l->at * l->size : *s->memory + s->staged * l->size;
            s->m[s->n++] = (message){p, l->at, n, memory};
            s->staged += p->at ? 0 : n;
            all += n;
        }
        l->at += n;
        if (n == left) {
            l->k++;
            l->at = 0;
        }
    }
    return st;
}

/* Copies what a slot sends to its memory. Messages that lie one after the other in an array are one
 * copy. */
static void read_slot(lane *l, slot *s)
{
    const int async = to_stream(l);
    for (int i = 0, next; i < s->n; i = next) {
        const gndm__parcel *p = s->m[i].p;
        int64_t n = s->m[i].n;
        const int64_t from = p->from + s->m[i].at;
        for (next = i + 1; next < s->n && !p->at; next++) {
            const message *m = &s->m[next];
            if (m->p->at || m->p->of != p->of || m->p->from + m->at != from + n)
                break;
            n += m->n;
        }
        if (p->at)
            continue;
        gnd_array *part = gnd_slice(p->of, 0, from, from + n);
        const size_t bytes = (size_t)(n * l->size);
        const gnd_status st = async ? gnd_read_async(part, s->m[i].memory, bytes)
                                    : gnd_read(part, s->m[i].memory, bytes);
        failed(l, st, st ? gnd_message() : "");
        gnd_release(part);
    }
    if (async)
        from_stream(l, s);
}

/* Makes arrays of what a slot received in its memory, by one copy to the device. */
static void write_slot(lane *l, slot *s)
{
    gndm_ctx *c = l->c;
    const int async = s->staged * l->size > SHORT && to_stream(l);
    gnd_array *all = async ? gnd_from_async(c->dev, l->t, 1, &s->staged, *s->memory)
                           : gnd_from(c->dev, l->t, 1, &s->staged, *s->memory);
    if (async)
        from_stream(l, s);
    int64_t at = 0;
    for (int i = 0; i < s->n; i++) {
        const message *m = &s->m[i];
        if (m->p->at)
            continue;
        gnd_array *part = m->n == s->staged ? all : gnd_slice(all, 0, at, at + m->n);
        *(m->p->got ? &m->p->got[m->at / l->chunk] : &m->p->x) = part;
        at += m->n;
    }
}

/* Begins the messages of a slot. */
static gnd_status start(lane *l, slot *s)
{
    gndm_ctx *c = l->c;
    gnd_status st = GND_OK;
    for (int i = 0; i < s->n && !st; i++) {
        const message *m = &s->m[i];
        const int bytes = (int)(m->n * l->size), tag = TAG + (int)(m->at / l->chunk % TAGS);
        st = l->in ? gndm__mpi(c,
                               MPI_Irecv(m->memory, bytes, MPI_BYTE, m->p->peer, tag, c->comm,
                                         &s->req[i]),
                               "MPI_Irecv")
                   : gndm__mpi(c,
                               MPI_Isend(m->memory, bytes, MPI_BYTE, m->p->peer, tag, c->comm,
                                         &s->req[i]),
                               "MPI_Isend");
        c->stats.bytes += l->in ? 0 : (uint64_t)bytes;
        c->stats.messages += !l->in;
    }
    s->is = MOVES;
    return st;
}

/* Looks whether the messages of a slot are complete. */
static gnd_status look(lane *l, slot *s)
{
    gndm_ctx *c = l->c;
    gnd_status st = GND_OK;
    int one = 1;
    while (s->done < s->n && !st) {
        st = gndm__mpi(c, MPI_Test(&s->req[s->done], &one, MPI_STATUS_IGNORE), "MPI_Test");
        if (st || !one)
            return st;
        c->stats.received += l->in ? (uint64_t)(s->m[s->done].n * l->size) : 0;
        s->done++;
    }
    if (l->in && s->staged)
        write_slot(l, s);
    s->is = l->in && s->copied ? WRITES : FREE;
    return st;
}

/* Takes a slot as far as it goes. *busy is set to 1 if something was done. */
static gnd_status turn(lane *l, slot *s, int *busy)
{
    gnd_status st = GND_OK;
    const state was = s->is;
    const int before = s->done;
    if (s->is == WRITES && copied(l, s))
        s->is = FREE;
    if (s->is == FREE && l->k < l->c->size) {
        st = gather(l, s);
        if (!st && s->n && !l->in && s->staged) {
            read_slot(l, s);
            s->is = READS;
        } else if (!st && s->n) {
            st = start(l, s);
        }
    }
    if (!st && s->is == READS && copied(l, s))
        st = start(l, s);
    if (!st && s->is == MOVES)
        st = look(l, s);
    *busy |= s->is != was || s->done != before;
    return st;
}

/* One look at all slots of a lane. Returns whether any is in use. */
static int advance(lane *l, int *busy, gnd_status *st)
{
    int used = 0;
    for (int i = 0; i < l->slots && !*st; i++) {
        *st = turn(l, &l->slot[i], busy);
        used |= l->slot[i].is != FREE;
    }
    return used || l->k < l->c->size;
}

/* --- the exchange ----------------------------------------------------------------------------- */

static void open_lane(gndm_ctx *c, lane *l, gnd_dtype t, gndm__parcel *all, int in, int mapped)
{
    const int64_t fit = STAGED / c->chunk;
    l->c = c;
    l->all = all;
    l->in = in;
    l->mapped = mapped;
    l->slots = fit < 3 ? 3 : fit < GNDM_SLOTS ? (int)fit : GNDM_SLOTS;
    l->t = t;
    l->size = (int64_t)gnd_dtype_size(t);
    l->chunk = c->chunk / l->size; /* both ends cut alike, whatever memory they use */
    l->k = 1;
    l->at = 0;
    l->st = GND_OK;
    l->stream = in ? c->up : c->down;
    l->before = l->stream ? gnd_stream_current(c->dev) : NULL;
    for (int i = 0; i < l->slots; i++) {
        l->slot[i].is = FREE;
        l->slot[i].copied = NULL;
        l->slot[i].memory = &c->ring[i + (in ? GNDM_SLOTS : 0)];
    }
}

gnd_status gndm__by_messages(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                             int mapped)
{
    lane a, b;
    gndm__patience patience = {0};
    gnd_status st = GND_OK;
    int any = 0;
    for (int k = 1; k < c->size; k++)
        any |= (out[k].n && !out[k].direct) || (in[k].n && !in[k].direct);
    if (!any)
        return GND_OK;
    if (!mapped)
        open_copies(c);
    open_lane(c, &a, t, out, 0, mapped);
    open_lane(c, &b, t, in, 1, mapped);
    for (int used = 1; used && !st;) {
        int busy = 0;
        used = advance(&b, &busy, &st);
        if (!st)
            used |= advance(&a, &busy, &st);
        if (busy)
            patience = (gndm__patience){0};
        else if (!st && used)
            st = gndm__idle(c, &patience);
    }
    if (st) /* messages under way still use the memory */
        return st;
    if (a.st) /* the others received garbage: this rank's error tells them */
        failed(&b, a.st, a.text);
    if (b.stream) { /* memory that others use by its address is in the order of gnd's stream */
        st = gnd_stream_wait(b.before, b.stream);
        failed(&b, st, st ? gnd_message() : "");
    }
    return close_lane(&b);
}
