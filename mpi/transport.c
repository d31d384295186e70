/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.c - the table of transports, and the transports that use MPI from host memory. A
 * message is cut into chunks, of which three are under way in each direction; so the device, the
 * network and the other device work at the same time. `mapped` passes to MPI the memory of a device
 * that works in host memory, if a test succeeds; `cuda-aware` passes that of CUDA devices
 * (aware.c); `staged` copies through a ring of buffers.
 *
 * The schedule has size - 1 steps: in step k rank r sends to r + k and receives from r - k. There
 * is no deadlock: a partner of a rank in the earliest step is in the same step, or in a later one
 * and has already served that rank.
 */
#include "nccl.h"

#include <gnd/timeline.h>
#include <string.h>

enum { RING = 3, TAG = 1 };

/* One direction of a step: the sending or the receiving end of a message. */
typedef struct end {
    gndm__parcel *p;
    gnd_dtype t;
    int64_t size, chunk, nchunks, posted, done; /* chunk: number of elements */
    gnd_array *flat;                            /* to send: the elements in one dimension */
    char *at;         /* all elements in memory that MPI may use; NULL: use the ring */
    gnd_array *whole; /* received, in memory of the device at `at`; or NULL */
    gnd_array **got;  /* received chunks, if `at` is NULL */
    char **ring;
    MPI_Request req[RING];
    gnd_status st; /* an error of this rank alone; the message is exchanged anyway */
    char text[GNDM_TEXT];
} end;

static void failed(end *e, gnd_status st, const char *text)
{
    if (!st || e->st)
        return;
    e->st = st;
    snprintf(e->text, sizeof e->text, "%s", text);
}

static int64_t chunk_size(const end *e, int64_t i)
{
    const int64_t left = e->p->n - i * e->chunk;
    return left < e->chunk ? left : e->chunk;
}

/* The address of chunk i in host memory. */
static char *chunk_at(const end *e, int64_t i)
{
    return e->at ? e->at + i * e->chunk * e->size : e->ring[i % RING];
}

/* --- the memory of an array ------------------------------------------------------------------- */

/* The address of an evaluated array's elements, if they are in C order in host memory; else NULL.
 */
static char *memory_of(gnd_array *x)
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

gnd_status gndm__place_parcels(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    gnd_native_array m;
    gnd_status st = GND_OK;
    int any = 0;
    for (int k = 1; k < c->size && !st; k++) {
        if (!out[k].direct && !out[k].hosted && !out[k].address && out[k].n) {
            st = gndm__address_of(c, out[k].x, &out[k].address);
            any = 1;
        }
        if (!in[k].direct && !in[k].hosted && !in[k].address && in[k].n) {
            in[k].x = gnd_native_new(c->dev, t, 1, &in[k].n, &m);
            in[k].address = gnd_status_of(in[k].x) ? 0 : m.address;
            any = 1;
        }
    }
    if (!st && any) /* what is sent has been computed, and no earlier work uses what receives */
        st = gndm__nccl_settle(c);
    if (st) /* for callers that ask gnd_message() */
        gnd_wait(gnd_fail(st, "%s", c->message));
    const gnd_status done = any ? gnd_sync(c->dev) : GND_OK; /* of what has its address, too */
    return st ? st : done;
}

void gndm__ring_free(gndm_ctx *c)
{
    for (size_t i = 0; i < sizeof c->ring / sizeof *c->ring; i++) {
        gnd_host_free(c->dev, c->ring[i]);
        c->ring[i] = NULL;
    }
}

/* Allocates the staging memory of a direction, pinned where the device can, before its first use:
 * ranks whose elements go in other ways need none. Without it the message cannot be exchanged, so
 * the context is over on all ranks. */
static gnd_status need_ring(gndm_ctx *c, char **ring)
{
    for (int i = 0; i < RING; i++)
        if (!ring[i] && gnd_host_alloc(c->dev, (size_t)c->chunk, (void **)&ring[i])) {
            return gndm__broken(c, GND_ERR_NOMEM, "%s: %s: no memory for messages", c->func,
                                gnd_message());
        }
    return GND_OK;
}

static gnd_status open_end(gndm_ctx *c, end *e, gndm__parcel *p, gnd_dtype t, int mapped, int in)
{
    memset(e, 0, sizeof *e);
    e->p = p;
    e->t = t;
    e->size = (int64_t)gnd_dtype_size(t);
    e->ring = c->ring + (in ? RING : 0);
    if (p->n == 0 || p->direct)
        return GND_OK;
    if (p->hosted && !in)
        e->at = p->host;
    else if (p->address) {
        e->at = (char *)(uintptr_t)p->address;
        e->whole = in ? p->x : NULL;
    } else if (in && (mapped || p->hosted))
        e->at = malloc((size_t)(p->n * e->size)); /* if it fails, the ring is used */
    else if (mapped)
        e->at = memory_of(p->x);
    /* both ends must cut a message alike, whatever memory they use */
    e->chunk = c->chunk / e->size;
    e->nchunks = (p->n + e->chunk - 1) / e->chunk;
    if (!in && !e->at)
        e->flat = gnd_reshape(p->x, 1, &p->n);
    if (in && !e->at) {
        e->got = calloc((size_t)e->nchunks, sizeof *e->got);
        if (!e->got)
            failed(e, GND_ERR_NOMEM, "out of host memory");
    }
    return e->at ? GND_OK : need_ring(c, e->ring);
}

static void fill(end *e, int64_t i)
{
    if (e->at)
        return;
    gnd_array *part = gnd_slice(e->flat, 0, i * e->chunk, i * e->chunk + chunk_size(e, i));
    const gnd_status st = gnd_read(part, chunk_at(e, i), (size_t)(chunk_size(e, i) * e->size));
    if (st)
        failed(e, st, gnd_message());
    gnd_release(part);
}

static void take(gndm_ctx *c, end *e, int64_t i)
{
    const int64_t n = chunk_size(e, i);
    if (!e->at && e->got)
        e->got[i] = gnd_from(c->dev, e->t, 1, &n, chunk_at(e, i));
}

/* Makes an array of the received elements. */
static void close_end(gndm_ctx *c, end *e)
{
    if (e->p->direct)
        return;
    if (e->p->hosted && e->at && !e->st) {
        e->p->host = e->at;
        return;
    }
    if (e->whole) {
        e->p->x = e->whole;
    } else if (e->at && e->p->n) {
        gnd_native_array m;
        gnd_native_fill(&m, e->t, 1, &e->p->n);
        m.kind = GND_NATIVE_HOST;
        m.address = (uint64_t)(uintptr_t)e->at;
        e->p->x = gnd_from_native(c->dev, &m, free, e->at); /* also frees it on failure */
    } else if (e->got) {
        e->p->x = e->nchunks == 1 ? e->got[0] : gnd_concat((int)e->nchunks, e->got, 0);
    }
    free(e->got);
    if (e->st)
        e->p->x = gnd_fail(e->st, "%s", e->text);
}

/* --- a step ----------------------------------------------------------------------------------- */

/* Completes the oldest chunk if it was sent, and starts the next one. Returns 1 if anything was
 * done. */
static int push_out(gndm_ctx *c, end *e, gnd_status *st)
{
    int busy = 0, done = 0;
    if (e->done < e->posted) {
        *st = gndm__mpi(c, MPI_Test(&e->req[e->done % RING], &done, MPI_STATUS_IGNORE), "MPI_Test");
        e->done += done;
        busy = done;
    }
    if (!*st && e->posted < e->nchunks && e->posted - e->done < RING) {
        const int64_t i = e->posted++, bytes = chunk_size(e, i) * e->size;
        fill(e, i);
        *st = gndm__mpi(c,
                        MPI_Isend(chunk_at(e, i), (int)bytes, MPI_BYTE, e->p->peer, TAG, c->comm,
                                  &e->req[i % RING]),
                        "MPI_Isend");
        c->stats.bytes += (uint64_t)bytes;
        c->stats.messages++;
        busy = 1;
    }
    return busy;
}

static int pull_in(gndm_ctx *c, end *e, gnd_status *st)
{
    int busy = 0, done = 0;
    if (!*st && e->posted < e->nchunks && e->posted - e->done < RING) {
        const int64_t i = e->posted++;
        *st = gndm__mpi(c,
                        MPI_Irecv(chunk_at(e, i), (int)(chunk_size(e, i) * e->size), MPI_BYTE,
                                  e->p->peer, TAG, c->comm, &e->req[i % RING]),
                        "MPI_Irecv");
        busy = 1;
    }
    if (!*st && e->done < e->posted) {
        *st = gndm__mpi(c, MPI_Test(&e->req[e->done % RING], &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (done) {
            c->stats.received += (uint64_t)(chunk_size(e, e->done) * e->size);
            take(c, e, e->done++);
            busy = 1;
        }
    }
    return busy;
}

static gnd_status exchange(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                           int mapped)
{
    gnd_status st = GND_OK;
    for (int k = 1; k < c->size && !st; k++) {
        end a, b;
        gndm__patience patience = {0};
        if ((out[k].n == 0 || out[k].direct) && (in[k].n == 0 || in[k].direct))
            continue;
        st = open_end(c, &a, &out[k], t, mapped, 0);
        if (!st)
            st = open_end(c, &b, &in[k], t, mapped, 1);
        while (!st && (a.done < a.nchunks || b.done < b.nchunks)) {
            const int busy = pull_in(c, &b, &st) | push_out(c, &a, &st);
            if (busy)
                patience = (gndm__patience){0};
            else if (!st)
                st = gndm__idle(c, &patience);
        }
        if (st) /* messages under way still use the memory */
            return st;
        if (a.st && !b.st) /* the others received garbage: this rank's error tells them */
            failed(&b, a.st, a.text);
        close_end(c, &b);
    }
    return st;
}

/* --- NCCL and MPI together ---------------------------------------------------------------------
 */

gnd_status gndm__started(gndm_ctx *c, gnd_status st, const char *text)
{
    char said[GNDM_TEXT];
    snprintf(said, sizeof said, "%s: %.*s", c->func, GNDM_TEXT - 100, text);
    st = gndm__agree(c, st, said);
    if (st)
        gndm__nccl_drop(c, c->message);
    return st;
}

gnd_status gndm__exchange(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    const int64_t t0 = c->traced ? gnd_timeline_clock() : 0;
    const uint64_t before = c->stats.bytes;
    char text[GNDM_WHY] = "";
    gnd_status st = GND_OK;
    if (c->group) {
        st = gndm__nccl_start(c, t, out, in, text, sizeof text);
        st = gndm__started(c, st, text);
    }
    if (!st)
        st = c->transport->exchange(c, t, out, in);
    if (c->traced)
        gnd_timeline_span("exchange", c->transport->name, t0, gnd_timeline_clock(),
                          (int64_t)(c->stats.bytes - before));
    return st;
}

/* --- the transports --------------------------------------------------------------------------- */

static gnd_status by_ring(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    return exchange(c, t, out, in, 0);
}

static gnd_status by_mapping(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    return exchange(c, t, out, in, 1);
}

gnd_status gndm__by_device(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    void *old;
    if (c->cu) /* a parcel for which this fails uses the ring, and tells the error */
        gndm__place_parcels(c, t, out, in);
    const int pushed = c->cu && c->cu->CtxPushCurrent(c->cu_context) == 0;
    const gnd_status st = exchange(c, t, out, in, 0);
    if (pushed)
        c->cu->CtxPopCurrent(&old);
    return st;
}

static int some_are_aware(gndm_ctx *c)
{
    int any = c->aware;
    return gndm__allreduce(c, &any, 1, MPI_INT, MPI_MAX) == GND_OK && any;
}

static int always(gndm_ctx *c)
{
    (void)c;
    return 1;
}

/* Tests whether MPI can use the device's memory: sends a message from it to the next rank, receives
 * one from the rank before, and compares the bytes. The message is so large that MPI reads the
 * memory directly. */
static int mapping_works(gndm_ctx *c)
{
    enum { N = 1 << 16 };
    gnd_device_info info;
    gnd_native_array m;
    int32_t *data = calloc(N, sizeof *data);
    int ok = data && gnd_device_describe(c->dev, &info) == GND_OK && info.host_mapped &&
             !strcmp(info.kind, "cpu");
    gnd_scope_begin();
    int64_t n = N;
    for (int i = 0; ok && i < N; i++)
        data[i] = i * 31 + c->rank;
    gnd_array *x = ok ? gnd_add_i(gnd_from(c->dev, GND_INT32, 1, &n, data), 1) : NULL;
    ok = ok && gnd_wait(x) == GND_OK && memory_of(x);
    gnd_native_fill(&m, GND_INT32, 1, &n);
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)data;
    ok = ok && gnd_status_of(gnd_from_native(c->dev, &m, NULL, NULL)) == GND_OK;
    int all = ok;
    ok = gndm__allreduce(c, &all, 1, MPI_INT, MPI_MIN) == GND_OK && all;
    if (ok && c->size > 1) {
        const int to = (c->rank + 1) % c->size, from = (c->rank + c->size - 1) % c->size;
        MPI_Request req[2];
        memset(data, 0, N * sizeof *data);
        ok = MPI_Irecv(data, N, MPI_INT32_T, from, TAG, c->comm, &req[0]) == MPI_SUCCESS &&
             MPI_Isend(memory_of(x), N, MPI_INT32_T, to, TAG, c->comm, &req[1]) == MPI_SUCCESS &&
             gndm__wait(c, 2, req) == GND_OK;
        for (int i = 0; ok && i < N; i++)
            ok = data[i] == i * 31 + from + 1;
    }
    gnd_scope_end();
    free(data);
    return ok;
}

const gndm__transport gndm__transports[] = {
    {"mapped", mapping_works, by_mapping},
    {"cuda-aware", some_are_aware, gndm__by_device},
    {"staged", always, by_ring},
    {NULL, NULL, NULL},
};

gnd_status gndm__choose_transport(gndm_ctx *c)
{
    gnd_status st = gndm__aware_open(c);
    for (const gndm__transport *t = gndm__transports; t->name && !c->transport && !st; t++)
        if (t->usable(c))
            c->transport = t;
    if (!st)
        st = c->broken ? c->status : gndm__nccl_open(c);
    return st;
}
