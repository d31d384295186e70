/* SPDX-License-Identifier: BSD-3-Clause
 *
 * peer.c - large messages inside a group of NCCL's, by copies into the other GPU's memory. NCCL's
 * kernels need multiprocessors, which they share with what the device computes meanwhile; copies
 * are the work of the copy engines.
 *
 * Every rank has a window, memory that the others of its group map (CUDA IPC), with SLOTS slots for
 * each of them. A sender copies a message into its slots in turn, and the receiver copies them to
 * where they belong. Counters in host memory that all ranks of the group share tell how many slots
 * were put and taken; the streams themselves wait for them and write them, so no host waits.
 *
 * Both streams of a rank get the chunks of an exchange in one order, which is the same for a sender
 * and its receiver. So there is no deadlock, even if the device runs both streams as one.
 */
#include "nccl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4, LINE = 16, PUT = 0, TAKEN = 1 }; /* LINE: uint32 from one counter to the next */

/* Most chunks of an exchange, of three operations each. A stream takes about 1000; then the host
 * waits in the driver, where it would not hear that another rank has failed. */
enum { CHUNKS = 256 };

struct gndm__peers {
    const gndm__nccl_library *lib;
    void *context;
    int n, me;                           /* ranks of the group; the number of this one */
    int64_t least, slot;                 /* bytes: of the smallest message that goes here; a slot */
    void *out, *in, *out_done, *in_done; /* streams, and events at the end of an exchange */
    uint64_t window, *theirs;            /* of this rank; mapped windows of the others, or 0 */
    uint32_t *put, *taken;               /* chunks to and from each of the others */
    uint32_t *put_before, *taken_before; /* the same before the last exchange */
    char name[64];                       /* of the shared memory; "": it has no name (any more) */
    volatile uint32_t *counter;
    uint64_t counter_at; /* its address on the device */
    size_t counter_bytes;
    int registered;
    int idle; /* since gndm__peers_stop: nothing is under way */
};

/* What a rank tells the others. */
typedef struct card {
    gndm__ipc_handle window;
    char name[64];
} card;

/* --- errors ----------------------------------------------------------------------------------- */

static gnd_status say(const struct gndm__peers *q, int r, const char *what, char *text, size_t size)
{
    const char *name = NULL;
    if (q->lib->cu.GetErrorName(r, &name) || !name)
        name = "an unknown error";
    snprintf(text, size, "%s: %s", what, name);
    return GND_ERR_BACKEND;
}

static gnd_status say_errno(const char *what, char *text, size_t size)
{
    snprintf(text, size, "%s: %s", what, strerror(errno));
    return GND_ERR_BACKEND;
}

/* --- counters and slots ----------------------------------------------------------------------- */

/* The place of a counter of chunks from one rank to another. */
static size_t place(const struct gndm__peers *q, int kind, int from, int to)
{
    return (((size_t)kind * (size_t)q->n + (size_t)from) * (size_t)q->n + (size_t)to) * LINE;
}

static uint64_t counter_at(const struct gndm__peers *q, int kind, int from, int to)
{
    return q->counter_at + place(q, kind, from, to) * sizeof(uint32_t);
}

/* Where chunk i from rank `from` lies in the window of rank `to`. */
static uint64_t slot_of(const struct gndm__peers *q, int from, int to, uint32_t i)
{
    const uint64_t row = (uint64_t)(from < to ? from : from - 1);
    return (row * SLOTS + i % SLOTS) * (uint64_t)q->slot;
}

/* --- an exchange ------------------------------------------------------------------------------ */

/* Puts `bytes` bytes at `from` into the window of rank `to`. The waits compare cyclically, so the
 * first SLOTS chunks wait for nothing. */
static int put(struct gndm__peers *q, int to, uint64_t from, size_t bytes, const char **what)
{
    const gndm__peer_functions *f = &q->lib->peer;
    const uint32_t i = q->put[to]++;
    int r = f->StreamWaitValue32(q->out, counter_at(q, TAKEN, q->me, to), i - SLOTS + 1, 0);
    *what = "cuStreamWaitValue32";
    if (!r) {
        *what = "cuMemcpyDtoDAsync";
        r = f->MemcpyDtoDAsync(q->theirs[to] + slot_of(q, q->me, to, i), from, bytes, q->out);
    }
    if (!r) {
        *what = "cuStreamWriteValue32";
        r = f->StreamWriteValue32(q->out, counter_at(q, PUT, q->me, to), i + 1, 0);
    }
    return r;
}

/* Takes the next chunk of rank `from` out of this rank's window. */
static int take(struct gndm__peers *q, int from, uint64_t to, size_t bytes, const char **what)
{
    const gndm__peer_functions *f = &q->lib->peer;
    const uint32_t i = q->taken[from]++;
    int r = f->StreamWaitValue32(q->in, counter_at(q, PUT, from, q->me), i + 1, 0);
    *what = "cuStreamWaitValue32";
    if (!r) {
        *what = "cuMemcpyDtoDAsync";
        r = f->MemcpyDtoDAsync(to, q->window + slot_of(q, from, q->me, i), bytes, q->in);
    }
    if (!r) {
        *what = "cuStreamWriteValue32";
        r = f->StreamWriteValue32(q->in, counter_at(q, TAKEN, from, q->me), i + 1, 0);
    }
    return r;
}

int gndm__peers_carry(const gndm_ctx *c, const gndm__parcel *p, gnd_dtype t)
{
    const struct gndm__peers *q = c->nccl ? c->nccl->peers : NULL;
    const int64_t bytes = p->n * (int64_t)gnd_dtype_size(t);
    return q && p->direct && bytes >= q->least && bytes <= q->slot * (CHUNKS / (q->n - 1));
}

void gndm__peers_mark(gndm_ctx *c)
{
    struct gndm__peers *q = c->nccl->peers;
    if (q)
        memcpy(q->put_before, q->put, 2 * (size_t)q->n * sizeof *q->put);
}

/* The two messages of a step, chunk by chunk. */
static int step(gndm_ctx *c, gnd_dtype t, const gndm__parcel *out, const gndm__parcel *in,
                const char **what)
{
    struct gndm__peers *q = c->nccl->peers;
    const int64_t size = (int64_t)gnd_dtype_size(t);
    const int64_t a = gndm__peers_carry(c, out, t) ? out->n * size : 0,
                  b = gndm__peers_carry(c, in, t) ? in->n * size : 0;
    int r = 0;
    for (int64_t at = 0; (at < a || at < b) && !r; at += q->slot) {
        if (at < a)
            r = put(q, c->nccl->index[out->peer], out->address + (uint64_t)at,
                    (size_t)(a - at < q->slot ? a - at : q->slot), what);
        if (at < b && !r)
            r = take(q, c->nccl->index[in->peer], in->address + (uint64_t)at,
                     (size_t)(b - at < q->slot ? b - at : q->slot), what);
    }
    c->stats.bytes += (uint64_t)a;
    c->stats.messages += a > 0;
    c->stats.received += (uint64_t)b;
    return r;
}

gnd_status gndm__peers_start(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                             char *text, size_t size)
{
    struct gndm__peers *q = c->nccl->peers;
    int any = 0;
    for (int k = 1; k < c->size; k++)
        any |= gndm__peers_carry(c, &out[k], t) || gndm__peers_carry(c, &in[k], t);
    if (!any)
        return GND_OK;
    const gndm__cuda *cu = &q->lib->cu;
    const char *what = "cuStreamWaitEvent";
    int r = cu->StreamWaitEvent(q->out, c->nccl->ready, 0);
    if (!r)
        r = cu->StreamWaitEvent(q->in, c->nccl->ready, 0);
    for (int k = 1; k < c->size && !r; k++)
        r = step(c, t, &out[k], &in[k], &what);
    /* also after a failure: the events tell when the streams may be destroyed, and when gnd may use
     * the memory of the messages again */
    const int s = cu->EventRecord(q->out_done, q->out) | cu->EventRecord(q->in_done, q->in);
    const int w = cu->StreamWaitEvent(c->nccl->stream, q->out_done, 0) |
                  cu->StreamWaitEvent(c->nccl->stream, q->in_done, 0);
    if (!r && (r = s) != 0)
        what = "cuEventRecord";
    if (!r && (r = w) != 0)
        what = "cuStreamWaitEvent";
    return r ? say(q, r, what, text, size) : GND_OK;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Whether the exchanges before the last one are over. */
static int earlier_over(const struct gndm__peers *q)
{
    for (int r = 0; r < q->n; r++)
        if ((int32_t)(q->counter[place(q, TAKEN, q->me, r)] - q->put_before[r]) < 0 ||
            (int32_t)(q->counter[place(q, TAKEN, r, q->me)] - q->taken_before[r]) < 0)
            return 0;
    return 1;
}

/* Writes what the streams wait for, and the others may never write. */
static void force(struct gndm__peers *q)
{
    for (int r = 0; r < q->n; r++) {
        q->counter[place(q, TAKEN, q->me, r)] = q->put[r];
        q->counter[place(q, PUT, r, q->me)] = q->taken[r];
    }
}

/* Waits until the streams are idle. stuck: the last exchange may have begun on some ranks only;
 * once earlier ones are over its chunks are forced, again and again, because others may write the
 * same counters. If the context is or becomes unusable, or MPI is over (not `together`), all are
 * forced after some seconds. Returns 0 if the streams do not become idle. */
static int drain(gndm_ctx *c, struct gndm__peers *q, int stuck, int together)
{
    enum { NOT_READY = 600 };
    const double give = stuck ? 1 : 10, most = 60;
    const struct timespec nap = {.tv_nsec = 20000};
    gndm__patience patience = {0};
    double since = gndm__now(); /* of this loop, or of the rank's being alone */
    int was_alone = 0;
    while (q->lib->cu.EventQuery(q->out_done) == NOT_READY ||
           q->lib->cu.EventQuery(q->in_done) == NOT_READY) {
        const int alone = c->broken || !together;
        if (alone && !was_alone)
            since = gndm__now();
        was_alone = alone;
        const double t = gndm__now() - since;
        if (alone ? t > most : c->timeout > 0 && t > c->timeout)
            return 0;
        const int now = (stuck && earlier_over(q)) || (alone && t > give);
        if (now)
            force(q);
        if (alone || now)
            nanosleep(&nap, NULL);
        else
            gndm__idle(c, &patience); /* after a failure the rank is alone */
    }
    return 1;
}

static int with_others(const gndm_ctx *c)
{
    int over = 1;
    return !c->broken && MPI_Finalized(&over) == MPI_SUCCESS && !over;
}

void gndm__peers_stop(gndm_ctx *c, int stuck)
{
    struct gndm__peers *q = c->nccl ? c->nccl->peers : NULL;
    void *old;
    if (!q)
        return;
    q->idle = !q->in_done;
    if (q->idle || q->lib->cu.CtxPushCurrent(q->context))
        return;
    q->idle = drain(c, q, stuck, with_others(c));
    q->lib->cu.CtxPopCurrent(&old);
}

static void free_counters(struct gndm__peers *q)
{
    if (q->registered)
        q->lib->peer.MemHostUnregister((void *)(uintptr_t)q->counter);
    if (q->counter)
        munmap((void *)(uintptr_t)q->counter, q->counter_bytes);
    if (q->name[0])
        shm_unlink(q->name);
}

/* Streams and events. */
static void free_streams(struct gndm__peers *q)
{
    void *const event[] = {q->out_done, q->in_done}, *const stream[] = {q->out, q->in};
    for (int i = 0; i < 2; i++) {
        if (event[i])
            q->lib->cu.EventDestroy(event[i]);
        if (stream[i])
            q->lib->cu.StreamDestroy(stream[i]);
    }
}

/* Windows must stay while others map them or write there: all ranks take part, those of no group
 * too. If a rank is not idle, or after an error that ends the context, nobody knows whether they
 * do; then windows stay until the process ends. So does all that a rank that is not idle has. */
void gndm__peers_free(gndm_ctx *c, struct gndm__peers *q)
{
    void *old;
    if (!c->peers)
        return;
    c->peers = 0;
    const int pushed = q && q->theirs && !q->lib->cu.CtxPushCurrent(q->context);
    int all = !q || q->idle;
    if (with_others(c) && !gndm__allreduce(c, &all, 1, MPI_INT, MPI_MIN)) {
        for (int r = 0; pushed && all && r < q->n; r++)
            if (q->theirs[r])
                q->lib->peer.IpcCloseMemHandle(q->theirs[r]);
        if (!gndm__barrier(c, c->comm) && pushed && all && q->window)
            q->lib->peer.MemFree(q->window);
    }
    if (pushed && q->idle) {
        free_counters(q);
        free_streams(q);
    }
    if (pushed)
        q->lib->cu.CtxPopCurrent(&old);
    if (q && q->idle) {
        free(q->theirs);
        free(q->put);
        free(q);
    }
}

/* --- the start -------------------------------------------------------------------------------- */

/* Shared memory for the counters. The first rank of the group makes it, the others open it. */
static gnd_status share(struct gndm__peers *q, const char *name, char *text, size_t size)
{
    const int make = !name;
    if (make) {
        snprintf(q->name, sizeof q->name, "/gnd-mpi-%ld-%.0f", (long)getpid(), gndm__now() * 1e9);
        name = q->name;
    }
    const int fd = shm_open(name, make ? O_CREAT | O_EXCL | O_RDWR : O_RDWR, 0600);
    if (fd < 0) {
        q->name[0] = 0;
        return say_errno("shm_open", text, size);
    }
    /* blocks now: a write to memory that is not there would end the process */
    const int full = make ? posix_fallocate(fd, 0, (off_t)q->counter_bytes) : 0;
    void *at =
        full ? MAP_FAILED : mmap(NULL, q->counter_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (full)
        errno = full;
    if (at == MAP_FAILED)
        return say_errno(full ? "posix_fallocate" : "mmap", text, size);
    q->counter = at;
    return GND_OK;
}

/* This rank's window and streams, and the first rank's counters. The context is current. */
static gnd_status make(struct gndm__peers *q, card *mine, char *text, size_t size)
{
    enum { NON_BLOCKING = 1, NO_TIMING = 2, FIRST = -100 };
    const gndm__cuda *cu = &q->lib->cu;
    const char *what = "cuMemAlloc";
    const size_t bytes = (size_t)(q->n - 1) * SLOTS * (size_t)q->slot;
    int r = q->lib->peer.MemAlloc(&q->window, bytes);
    if (!r) {
        what = "cuIpcGetMemHandle";
        r = q->lib->peer.IpcGetMemHandle(&mine->window, q->window);
    }
    void **const stream[] = {&q->out, &q->in}, **const event[] = {&q->out_done, &q->in_done};
    for (int i = 0; i < 2 && !r; i++) {
        what = "cuStreamCreateWithPriority";
        r = cu->StreamCreateWithPriority(stream[i], NON_BLOCKING, FIRST);
        if (!r) {
            what = "cuEventCreate";
            r = cu->EventCreate(event[i], NO_TIMING);
        }
    }
    const gnd_status st = r            ? say(q, r, what, text, size)
                          : q->me == 0 ? share(q, NULL, text, size)
                                       : GND_OK;
    memcpy(mine->name, q->name, sizeof mine->name);
    return st;
}

/* Maps the others' windows and the counters. The context is current. */
static gnd_status map(gndm_ctx *c, struct gndm__peers *q, const card *all, char *text, size_t size)
{
    const gndm__peer_functions *f = &q->lib->peer;
    const char *what = "cuIpcOpenMemHandle";
    gnd_status st = GND_OK;
    int r = 0;
    for (int k = 0; k < c->size && !r && !st; k++) {
        const int at = c->nccl->index[k];
        if (at == 0 && k != c->rank)
            st = share(q, all[k].name, text, size);
        if (at >= 0 && k != c->rank && !st)
            r = f->IpcOpenMemHandle(&q->theirs[at], all[k].window, 1);
    }
    if (!r && !st) {
        what = "cuMemHostRegister";
        r = f->MemHostRegister((void *)(uintptr_t)q->counter, q->counter_bytes, 3);
        q->registered = !r;
    }
    if (!r && !st) {
        what = "cuMemHostGetDevicePointer";
        r = f->MemHostGetDevicePointer(&q->counter_at, (void *)(uintptr_t)q->counter, 0);
    }
    return r ? say(q, r, what, text, size) : st;
}

/* This rank's object, without memory of the device. */
static gnd_status begin(gndm_ctx *c, int64_t least, char *text, size_t size)
{
    const int64_t window = INT64_C(128) << 20, page = 4096;
    struct gndm__peers *q = calloc(1, sizeof *q);
    c->nccl->peers = q;
    snprintf(text, size, "out of host memory");
    if (!q)
        return GND_ERR_NOMEM;
    q->lib = c->nccl->lib;
    q->context = c->nccl->context;
    q->me = c->nccl->index[c->rank];
    for (int r = 0; r < c->size; r++)
        q->n += c->nccl->index[r] >= 0;
    q->least = least;
    q->slot = window / SLOTS / (q->n - 1);
    if (q->slot / 8 > least)
        q->slot = 8 * least;
    q->slot = (q->slot + 511) / 512 * 512;
    q->theirs = calloc((size_t)q->n, sizeof *q->theirs);
    q->put = calloc(4 * (size_t)q->n, sizeof *q->put);
    if (!q->theirs || !q->put)
        return GND_ERR_NOMEM;
    q->taken = q->put + q->n;
    q->put_before = q->taken + q->n;
    q->taken_before = q->put_before + q->n;
    q->counter_bytes = 2 * (size_t)(q->n * q->n) * LINE * sizeof(uint32_t);
    q->counter_bytes = (q->counter_bytes + (size_t)page - 1) / (size_t)page * (size_t)page;
    snprintf(text, size, "%s", q->lib->no_peer);
    return q->lib->no_peer[0] ? GND_ERR_UNSUPPORTED : GND_OK;
}

gnd_status gndm__peers_open(gndm_ctx *c, int64_t least)
{
    char text[GNDM_WHY] = "";
    card mine, *all = calloc((size_t)c->size, sizeof *all);
    void *old;
    int pushed = 0;
    memset(&mine, 0, sizeof mine);
    c->peers = 1;
    gnd_status st = all ? GND_OK : GND_ERR_NOMEM;
    if (c->nccl && !st)
        st = begin(c, least, text, sizeof text);
    if (c->nccl && !st) {
        const int r = c->nccl->lib->cu.CtxPushCurrent(c->nccl->context);
        pushed = !r;
        st = r ? say(c->nccl->peers, r, "cuCtxPushCurrent", text, sizeof text)
               : make(c->nccl->peers, &mine, text, sizeof text);
    }
    st = gndm__agree(c, st, text);
    if (!st)
        st = gndm__allgather(c, &mine, all, (int)sizeof mine);
    if (!st) {
        if (pushed)
            st = map(c, c->nccl->peers, all, text, sizeof text);
        st = gndm__agree(c, st, text);
    }
    if (pushed && c->nccl->peers->name[0]) { /* all have opened it, or nobody will */
        shm_unlink(c->nccl->peers->name);
        c->nccl->peers->name[0] = 0;
    }
    if (pushed)
        c->nccl->lib->cu.CtxPopCurrent(&old);
    if (!c->broken) /* else MPI may still write to it */
        free(all);
    return st;
}

void gndm__peers_least(gndm_ctx *c, int64_t least)
{
    if (c->nccl && c->nccl->peers)
        c->nccl->peers->least = least;
}
