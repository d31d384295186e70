/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.c - the table of transports, and how one is chosen. exchange.c moves the messages.
 * `mapped` passes to MPI the memory of a device that works in host memory, if a test succeeds;
 * `cuda-aware` passes that of CUDA devices (aware.c); `staged` copies through staging memory.
 */
#include "nccl.h"

#include <gnd/timeline.h>
#include <string.h>

enum { TAG = 1 };

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
    return gndm__by_messages(c, t, out, in, 0);
}

static gnd_status by_mapping(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    return gndm__by_messages(c, t, out, in, 1);
}

gnd_status gndm__by_device(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    void *old;
    if (c->cu) /* a parcel for which this fails uses the ring, and tells the error */
        gndm__place_parcels(c, t, out, in);
    const int pushed = c->cu && c->cu->CtxPushCurrent(c->cu_context) == 0;
    const gnd_status st = gndm__by_messages(c, t, out, in, 0);
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
    ok = ok && gnd_wait(x) == GND_OK && gndm__memory_of(x);
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
        const int in = MPI_Irecv(data, N, MPI_INT32_T, from, TAG, c->comm, &req[0]);
        gnd_status st = gndm__mpi(c, in, "MPI_Irecv");
        if (!st) {
            const int out =
                MPI_Isend(gndm__memory_of(x), N, MPI_INT32_T, to, TAG, c->comm, &req[1]);
            st = gndm__mpi(c, out, "MPI_Isend");
        }
        if (!st)
            st = gndm__wait(c, 2, req);
        for (int i = 0; !st && ok && i < N; i++)
            ok = data[i] == i * 31 + from + 1;
        all = ok; /* bytes that are wrong on one rank */
        ok = !st && gndm__allreduce(c, &all, 1, MPI_INT, MPI_MIN) == GND_OK && all;
    }
    gnd_scope_end();
    if (!c->broken) /* else MPI may still write to it */
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
    enum { SHORT = 1 << 20, LONG = 16 << 20 };
    const int64_t wanted = c->chunk;
    c->chunk = wanted ? wanted : GNDM_CHUNK;
    gnd_status st = gndm__aware_open(c);
    for (const gndm__transport *t = gndm__transports; t->name && !c->transport && !st; t++)
        if (t->usable(c))
            c->transport = t;
    if (!wanted && !st && c->transport && strcmp(c->transport->name, "mapped")) {
        c->chunk = c->all_aware ? LONG : SHORT; /* MPI copies short ones of devices more slowly */
        gndm__ring_free(c);
    }
    if (!st)
        st = c->broken ? c->status : gndm__nccl_open(c);
    return st;
}
