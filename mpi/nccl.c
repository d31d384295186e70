/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nccl.c - the groups of ranks that exchange by NCCL. Every rank tells all others whether it could,
 * and with which GPU; so all ranks know all groups. NCCL cannot serve two ranks with one GPU: the
 * second one is left out. A group is used only if a test exchange moves the right bytes.
 */
#include "nccl.h"

#include <string.h>

enum { BUS = 24 };

/* What a rank tells the others. */
typedef struct card {
    int32_t able, version, node; /* node: the lowest rank of its node */
    char gpu[BUS], why[GNDM_WHY];
} card;

/* --- who can ---------------------------------------------------------------------------------- */

/* GND_MPI_NCCL: 0, 1 (required), or -1: wherever it works. Returns GND_ERR_ARG for anything else.
 */
static gnd_status wanted(int *mode)
{
    const char *s = getenv("GND_MPI_NCCL");
    *mode = !s || !*s ? -1 : !strcmp(s, "0") ? 0 : !strcmp(s, "1") ? 1 : 2;
    return *mode == 2 ? GND_ERR_ARG : GND_OK;
}

static void refuse(card *k, const char *why)
{
    k->able = 0;
    snprintf(k->why, sizeof k->why, "%s", why);
}

/* This rank's own card. */
static void look(gndm_ctx *c, int mode, card *k)
{
    gnd_device_info info;
    k->able = 1;
    if (mode == 0) {
        refuse(k, "GND_MPI_NCCL=0");
        return;
    }
    if (gnd_device_describe(c->dev, &info) || strcmp(info.backend, "cuda") != 0) {
        refuse(k, "not a CUDA device");
        return;
    }
    const gndm__nccl_library *lib = gndm__nccl_load(k->why, sizeof k->why);
    k->able = lib != NULL;
    if (!lib)
        return;
    k->version = lib->version;
    snprintf(k->gpu, sizeof k->gpu, "%s", info.bus);
    if (!k->gpu[0])
        refuse(k, "the driver does not tell the GPU's PCI address");
}

/* Leaves out ranks that cannot work with the ones before them on their node, and ranks that are
 * alone. */
static void sort_out(gndm_ctx *c, card *all)
{
    char why[GNDM_WHY];
    for (int r = 0; r < c->size; r++)
        for (int s = 0; s < r && all[r].able; s++) {
            if (!all[s].able || all[s].node != all[r].node)
                continue;
            if (!strcmp(all[s].gpu, all[r].gpu)) {
                snprintf(why, sizeof why, "rank %d has the same GPU, %s", s, all[r].gpu);
                refuse(&all[r], why);
            } else if (all[s].version != all[r].version) {
                snprintf(why, sizeof why, "NCCL is %d here and %d on rank %d", all[r].version,
                         all[s].version, s);
                refuse(&all[r], why);
            }
        }
    for (int r = 0; r < c->size; r++) {
        int others = 0;
        for (int s = 0; s < c->size; s++)
            others += s != r && all[s].able && all[s].node == all[r].node;
        if (all[r].able && !others)
            refuse(&all[r], "no other rank of the node can use it");
    }
}

/* Exchanges the cards and sets c->group and c->why. */
static gnd_status form(gndm_ctx *c, int mode)
{
    card mine = {.node = c->rank}, *all = calloc((size_t)c->size, sizeof *all);
    gnd_status st = gndm__agree(c, all ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    MPI_Request req;
    if (!st)
        st = gndm__mpi(c, MPI_Ibcast(&mine.node, 1, MPI_INT32_T, 0, c->node, &req), "MPI_Ibcast");
    if (!st)
        st = gndm__wait(c, 1, &req);
    if (!st) {
        look(c, mode, &mine);
        st = gndm__allgather(c, &mine, all, (int)sizeof mine);
    }
    if (st) /* after a timeout MPI may still write to the memory */
        return st;
    sort_out(c, all);
    int *group = calloc((size_t)c->size + 1, sizeof *group), any = 0;
    for (int r = 0; r < c->size && group; r++) {
        group[r] = all[r].able ? all[r].node : -1;
        any |= all[r].able;
    }
    snprintf(c->why, sizeof c->why, "%s", all[c->rank].why);
    if (c->why[0])
        snprintf(c->no_peer, sizeof c->no_peer, "no NCCL");
    free(all);
    st = gndm__agree(c, group ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    if (!st && any)
        c->group = group;
    else
        free(group);
    return st;
}

/* --- communicators ---------------------------------------------------------------------------- */

static gnd_status say(char *text, size_t size, const gndm__nccl_library *lib, const char *what,
                      int r)
{
    snprintf(text, size, "%s: %s", what, lib->GetErrorString(r));
    return GND_ERR_BACKEND;
}

static gnd_status say_cu(char *text, size_t size, const gndm__nccl_library *lib, const char *what,
                         int r)
{
    const char *name = NULL;
    if (lib->cu.GetErrorName(r, &name) || !name)
        name = "an unknown error";
    snprintf(text, size, "%s: %s", what, name);
    return GND_ERR_BACKEND;
}

/* The stream and the events. */
static gnd_status streams(gndm_ctx *c, struct gndm__nccl *q, char *text, size_t size)
{
    enum { NON_BLOCKING = 1, NO_TIMING = 2, FIRST = -100 }; /* priorities are clamped to the best */
    gnd_native_device native;
    const gnd_status st = gnd_device_native(c->dev, &native);
    if (st) {
        snprintf(text, size, "%s", gnd_message());
        return st;
    }
    q->context = native.context;
    int r = q->lib->cu.CtxPushCurrent(q->context);
    if (r)
        return say_cu(text, size, q->lib, "cuCtxPushCurrent", r);
    r = q->lib->cu.StreamCreateWithPriority(&q->stream, NON_BLOCKING, FIRST);
    if (!r)
        r = q->lib->cu.EventCreate(&q->ready, NO_TIMING);
    for (int i = 0; i < GNDM__NCCL_EVENTS && !r; i++)
        r = q->lib->cu.EventCreate(&q->done[i], NO_TIMING);
    q->lib->cu.CtxPopCurrent(&native.context);
    return r ? say_cu(text, size, q->lib, "cuStreamCreateWithPriority", r) : GND_OK;
}

/* Makes this rank's object and its numbers of the ranks of the group. *n: the number of ranks. */
static gnd_status numbers(gndm_ctx *c, int *n)
{
    struct gndm__nccl *q = calloc(1, sizeof *q);
    c->nccl = q;
    if (q)
        q->index = calloc((size_t)c->size, sizeof *q->index);
    if (!q || !q->index)
        return GND_ERR_NOMEM;
    for (int r = 0; r < c->size; r++)
        q->index[r] = c->group[r] == c->group[c->rank] ? (*n)++ : -1;
    return GND_OK;
}

/* Makes the communicator of this rank's group. All ranks of the context take part. */
static gnd_status join(gndm_ctx *c)
{
    char text[GNDM_TEXT] = "out of host memory", what[GNDM_WHY];
    const int member = c->group[c->rank] >= 0;
    gndm__nccl_id id = {{0}};
    MPI_Comm comm = MPI_COMM_NULL;
    int n = 0, r = 0;
    gnd_status st = gndm__mpi(
        c, MPI_Comm_split(c->comm, member ? c->group[c->rank] : MPI_UNDEFINED, c->rank, &comm),
        "MPI_Comm_split");
    if (st)
        return st;
    if (member)
        st = numbers(c, &n);
    if (member && !st) {
        c->nccl->lib = gndm__nccl_load(what, sizeof what);
        st = streams(c, c->nccl, text, sizeof text);
    }
    if (member && !st && c->nccl->index[c->rank] == 0 && (r = c->nccl->lib->GetUniqueId(&id)))
        st = say(text, sizeof text, c->nccl->lib, "ncclGetUniqueId", r);
    st = gndm__agree(c, st, text);
    if (member && !st) {
        MPI_Request req;
        st = gndm__mpi(c, MPI_Ibcast(&id, (int)sizeof id, MPI_BYTE, 0, comm, &req), "MPI_Ibcast");
        if (!st)
            st = gndm__wait(c, 1, &req);
        if (!st && !(r = c->nccl->lib->cu.CtxPushCurrent(c->nccl->context))) {
            void *old;
            r = c->nccl->lib->CommInitRank(&c->nccl->comm, n, id, c->nccl->index[c->rank]);
            c->nccl->lib->cu.CtxPopCurrent(&old);
            if (r)
                st = say(text, sizeof text, c->nccl->lib, "ncclCommInitRank", r);
        } else if (!st) {
            st = say_cu(text, sizeof text, c->nccl->lib, "cuCtxPushCurrent", r);
        }
    }
    if (comm != MPI_COMM_NULL && !c->broken)
        MPI_Comm_free(&comm);
    return c->broken ? c->status : gndm__agree(c, st, text);
}

/* Starts the test exchange. The status is the same on all ranks. */
static gnd_status start_probe(gndm_ctx *c, gndm__parcel *out, gndm__parcel *in)
{
    char text[GNDM_WHY] = "", said[GNDM_TEXT];
    gnd_status st = gndm__nccl_prepare(c, GND_INT32, out, in);
    st = gndm__agree(c, st, gnd_message());
    if (st)
        return st;
    st = gndm__nccl_start(c, GND_INT32, out, in, text, sizeof text);
    snprintf(said, sizeof said, "%s: %s", c->func, text);
    return gndm__agree(c, st, said);
}

/* Sends a message of n ints to every rank of the group and compares what comes with what must come.
 */
static gnd_status probe(gndm_ctx *c, int64_t n)
{
    const double patience = 60; /* NCCL makes its connections now */
    const size_t size = (size_t)c->size, bytes = (size_t)n * sizeof(int32_t);
    gndm__parcel *out = calloc(2 * size, sizeof *out), *in = out + size;
    int32_t *data = malloc(bytes);
    gnd_status st = gndm__agree(c, out && data ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    gnd_scope_begin();
    for (int64_t i = 0; i < n && !st; i++)
        data[i] = (int32_t)(i * 31 + c->rank);
    gnd_array *x = st ? NULL : gnd_from(c->dev, GND_INT32, 1, &n, data);
    for (int k = 1; k < c->size && !st; k++) {
        out[k].peer = (c->rank + k) % c->size;
        in[k].peer = (c->rank - k + c->size) % c->size;
        out[k].x = x;
        out[k].direct = gndm__nccl_reaches(c, out[k].peer);
        in[k].direct = gndm__nccl_reaches(c, in[k].peer);
        out[k].n = out[k].direct ? n : 0;
        in[k].n = in[k].direct ? n : 0;
    }
    if (!st)
        st = start_probe(c, out, in);
    const int exchanged = !st; /* else all ranks have the error */
    const char *text = "the test exchange moved wrong bytes";
    if (exchanged && c->nccl && !gndm__nccl_arrives(c, patience)) {
        st = GND_ERR_BACKEND;
        text = "the test exchange did not end";
    }
    for (int k = 1; k < c->size && !st; k++) {
        if (!in[k].n)
            continue;
        memset(data, 0, bytes);
        st = gndm__nccl_settle(c);
        if (!st && gnd_read(in[k].x, data, bytes))
            text = gnd_message();
        for (int64_t i = 0; i < n && !st; i++)
            st = data[i] == (int32_t)(i * 31 + in[k].peer) ? GND_OK : GND_ERR_BACKEND;
    }
    gnd_scope_end();
    free(out);
    free(data);
    return c->broken ? c->status : exchanged ? gndm__agree(c, st, text) : st;
}

enum { PROBE = 1 << 20 }; /* bytes of the test exchange, at most */

/* Opens the copies between GPUs. Where they do not work, NCCL moves all messages. */
static gnd_status open_peers(gndm_ctx *c)
{
    gnd_status st;
    if (!c->peer) {
        snprintf(c->no_peer, sizeof c->no_peer, "GND_MPI_PEER=0");
        return GND_OK;
    }
    const int64_t some = c->peer < PROBE ? c->peer : PROBE;
    st = gndm__peers_open(c, c->peer);
    if (!st) {
        gndm__peers_least(c, some);
        st = probe(c, some / (int64_t)sizeof(int32_t) + 1);
        gndm__peers_least(c, c->peer);
    }
    if (!st || c->broken)
        return st;
    struct gndm__peers *q = c->nccl ? c->nccl->peers : NULL;
    gndm__peers_stop(c, 1);
    if (q)
        c->nccl->peers = NULL;
    gndm__peers_free(c, q);
    snprintf(c->no_peer, sizeof c->no_peer, "%.*s", GNDM_WHY - 1, c->message);
    c->message[0] = 0;
    return c->broken ? c->status : GND_OK;
}

gnd_status gndm__nccl_open(gndm_ctx *c)
{
    int mode = 0;
    gnd_status st = gndm__agree(c, wanted(&mode), "gndm_open: GND_MPI_NCCL: not 0 or 1");
    if (!st) /* use that of rank 0: the environment may differ between ranks */
        st = gndm__bcast(c, &mode, sizeof mode, 0);
    if (!st)
        st = form(c, mode);
    if (!st && c->group) {
        st = join(c);
        if (!st)
            st = probe(c, 1000);
        if (st && !c->broken) {
            char why[GNDM_WHY];
            snprintf(why, sizeof why, "%.*s", GNDM_WHY - 1, c->message);
            gndm__nccl_drop(c, why);
            c->message[0] = 0;
            st = GND_OK;
        }
    }
    if (!st && mode == 1 && c->size > 1) {
        char text[GNDM_TEXT];
        snprintf(text, sizeof text, "gndm_open: GND_MPI_NCCL=1, and there is no NCCL: %s", c->why);
        st = gndm__agree(c, c->nccl ? GND_OK : GND_ERR_UNSUPPORTED, text);
    }
    if (!st && c->group)
        st = open_peers(c);
    return st;
}

/* --- the end ---------------------------------------------------------------------------------- */

static void discard(gndm_ctx *c, int abort)
{
    struct gndm__nccl *q = c->nccl;
    struct gndm__peers *peers = q ? q->peers : NULL;
    void *old;
    gndm__peers_stop(c, abort);
    c->nccl = NULL;
    if (q && q->lib && q->context && !q->lib->cu.CtxPushCurrent(q->context)) {
        if (q->comm)
            abort ? q->lib->CommAbort(q->comm) : q->lib->CommDestroy(q->comm);
        if (q->ready)
            q->lib->cu.EventDestroy(q->ready);
        for (int i = 0; i < GNDM__NCCL_EVENTS; i++)
            if (q->done[i])
                q->lib->cu.EventDestroy(q->done[i]);
        if (q->stream)
            q->lib->cu.StreamDestroy(q->stream);
        q->lib->cu.CtxPopCurrent(&old);
    }
    gndm__peers_free(c, peers);
    if (q)
        free(q->index);
    free(q);
}

void gndm__nccl_drop(gndm_ctx *c, const char *why)
{
    discard(c, 1);
    free(c->group);
    c->group = NULL;
    snprintf(c->why, sizeof c->why, "%s", why);
    snprintf(c->no_peer, sizeof c->no_peer, "no NCCL");
}

void gndm__nccl_close(gndm_ctx *c)
{
    const int waits = c->peers && !c->broken;
    if (waits) /* for the others, whom an error names */
        (void)gndm__enter(c, "gndm_close", "%d", c->size);
    discard(c, c->broken);
    if (waits)
        gndm__leave(c, NULL);
    free(c->group);
    c->group = NULL;
}
