/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nccl_move.c - exchanges and reductions by NCCL. Elements are sent from gnd's memory and received
 * in new arrays of gnd.
 */
#include "nccl.h"

#include <string.h>
#include <time.h>

/* --- errors ----------------------------------------------------------------------------------- */

static gnd_status nccl_failed(const struct gndm__nccl *q, int r, const char *what, char *text,
                              size_t size)
{
    snprintf(text, size, "%s: %s", what, q->lib->GetErrorString(r));
    return GND_ERR_BACKEND;
}

static gnd_status cu_failed(const struct gndm__nccl *q, int r, const char *what, char *text,
                            size_t size)
{
    const char *name = NULL;
    if (q->lib->cu.GetErrorName(r, &name) || !name)
        name = "an unknown error";
    snprintf(text, size, "%s: %s", what, name);
    return GND_ERR_BACKEND;
}

/* --- order with gnd's stream ------------------------------------------------------------------ */

/* Records that what is sent has been computed, and what receives is free, at this point of gnd's
 * stream. */
static gnd_status mark(gndm_ctx *c)
{
    gnd_native_device native;
    struct gndm__nccl *q = c->nccl;
    void *old;
    char text[GNDM_WHY];
    const gnd_status st = gnd_device_native(c->dev, &native);
    if (st)
        return gndm__fail(c, st, "%s", gnd_message());
    int r = q->lib->cu.CtxPushCurrent(q->context);
    if (!r) {
        r = q->lib->cu.EventRecord(q->ready, native.queue);
        q->lib->cu.CtxPopCurrent(&old);
    }
    return r ? gndm__fail(c, cu_failed(q, r, "cuEventRecord", text, sizeof text), "%s: %s", c->func,
                          text)
             : GND_OK;
}

/* Makes NCCL's stream wait for mark(). The context is current. */
static gnd_status after_ready(struct gndm__nccl *q, char *text, size_t size)
{
    const int r = q->lib->cu.StreamWaitEvent(q->stream, q->ready, 0);
    return r ? cu_failed(q, r, "cuStreamWaitEvent", text, size) : GND_OK;
}

/* Makes gnd's stream wait for an event of NCCL's. The context is current. */
static gnd_status gnd_waits(gndm_ctx *c, int event, char *text, size_t size)
{
    struct gndm__nccl *q = c->nccl;
    gnd_native_device native;
    const gnd_status st = gnd_device_native(c->dev, &native);
    if (st) {
        snprintf(text, size, "%s", gnd_message());
        return st;
    }
    const int r = q->lib->cu.StreamWaitEvent(native.queue, q->done[event], 0);
    return r ? cu_failed(q, r, "cuStreamWaitEvent", text, size) : GND_OK;
}

/* Makes gnd's stream wait for NCCL's, now or at gndm__nccl_release. The context is current. */
static gnd_status before_gnd(gndm_ctx *c, char *text, size_t size)
{
    struct gndm__nccl *q = c->nccl;
    q->last = q->held ? q->last % (GNDM__NCCL_EVENTS - 1) + 1 : 0;
    const int r = q->lib->cu.EventRecord(q->done[q->last], q->stream);
    q->pending = !r;
    if (r)
        return cu_failed(q, r, "cuEventRecord", text, size);
    return q->held ? GND_OK : gnd_waits(c, 0, text, size);
}

void gndm__nccl_hold(gndm_ctx *c, int on)
{
    if (!c->nccl)
        return;
    if (on && !c->nccl->held)
        c->nccl->last = 0;
    c->nccl->held = on;
}

int gndm__nccl_held(const gndm_ctx *c)
{
    return c->nccl && c->nccl->held ? c->nccl->last : 0;
}

gnd_status gndm__nccl_release(gndm_ctx *c, int event)
{
    struct gndm__nccl *q = c->nccl;
    char text[GNDM_WHY];
    void *old;
    const int r = q->lib->cu.CtxPushCurrent(q->context);
    gnd_status st = r ? cu_failed(q, r, "cuCtxPushCurrent", text, sizeof text) : GND_OK;
    if (!st) {
        st = gnd_waits(c, event, text, sizeof text);
        q->lib->cu.CtxPopCurrent(&old);
    }
    return st ? gndm__fail(c, st, "%s: %s", c->func, text) : GND_OK;
}

gnd_status gndm__nccl_settle(gndm_ctx *c)
{
    enum { NOT_READY = 600 };
    const double at_once = 20e-3;
    struct gndm__nccl *q = c->nccl;
    gndm__patience patience = {0};
    gnd_status st = GND_OK;
    int broken = 0;
    void *old;
    if (!q || !q->pending)
        return GND_OK;
    int r = q->lib->cu.CtxPushCurrent(q->context);
    if (r)
        return gndm__broken(c, GND_ERR_BACKEND, "%s: cuCtxPushCurrent failed", c->func);
    const double began = gndm__now();
    for (unsigned i = 0; (r = q->lib->cu.EventQuery(q->done[q->last])) == NOT_READY && !st; i++) {
        if (gndm__now() - began < at_once) /* no sleep, as in the driver's own waits */
            continue;
        if (i % 64 == 0 && !q->lib->CommGetAsyncError(q->comm, &broken) && broken)
            break;
        st = gndm__idle(c, &patience);
    }
    q->lib->cu.CtxPopCurrent(&old);
    if (st)
        return st;
    char text[GNDM_WHY];
    if (r) {
        if (r == NOT_READY)
            nccl_failed(q, broken, "NCCL", text, sizeof text);
        else
            cu_failed(q, r, "cuEventQuery", text, sizeof text);
        /* the others would wait for this rank in their streams */
        return gndm__broken(c, GND_ERR_BACKEND, "%s: during an exchange by NCCL: %s", c->func,
                            text);
    }
    q->pending = 0;
    return GND_OK;
}

/* --- parcels ---------------------------------------------------------------------------------- */

int gndm__nccl_covers(const gndm_ctx *c)
{
    for (int r = 0; r < c->size; r++)
        if (!c->group || c->group[r] < 0 || c->group[r] != c->group[0])
            return 0;
    return 1;
}

int gndm__nccl_reaches(const gndm_ctx *c, int peer)
{
    return c->nccl && c->nccl->index[peer] >= 0;
}

gnd_status gndm__address_of(gndm_ctx *c, gnd_array *x, uint64_t *address)
{
    gnd_native_array m;
    const int64_t n = gnd_size(x);
    gnd_array *flat = gnd_reshape(x, 1, &n);
    gnd_status st = gnd_native(flat, &m);
    if (!st && n > 1 && m.strides[0] != (int64_t)gnd_dtype_size(gnd_dtype_of(x))) {
        /* a view with a stride: a join of its parts is a copy */
        flat =
            gnd_concat(2, (gnd_array *[]){gnd_slice(flat, 0, 0, 1), gnd_slice(flat, 0, 1, n)}, 0);
        st = gnd_native(flat, &m);
    }
    *address = st ? 0 : m.address;
    return st ? gndm__fail(c, st, "%s", gnd_message()) : GND_OK;
}

static gnd_status prepare_one(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    gnd_native_array m;
    if (out->direct && out->n) {
        const gnd_status st = gndm__address_of(c, out->x, &out->address);
        if (st)
            return st;
    }
    if (in->direct && in->n) {
        in->x = gnd_native_new(c->dev, t, 1, &in->n, &m);
        if (gnd_status_of(in->x))
            return gndm__fail(c, gnd_status_of(in->x), "%s: %s", c->func, gnd_error(in->x));
        in->address = m.address;
    }
    return GND_OK;
}

gnd_status gndm__nccl_prepare(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in)
{
    gnd_status st = GND_OK;
    int any = 0;
    for (int k = 1; k < c->size && c->nccl && !st; k++) {
        any |= (out[k].direct && out[k].n) || (in[k].direct && in[k].n);
        st = prepare_one(c, t, &out[k], &in[k]);
    }
    if (any && !st)
        st = mark(c);
    if (st) /* for callers that ask gnd_message() */
        gnd_wait(gnd_fail(st, "%s", c->message));
    return st;
}

/* Whether NCCL's own calls move a message. */
static int carries(const gndm_ctx *c, const gndm__parcel *p, gnd_dtype t)
{
    return p->direct && p->n && !gndm__peers_carry(c, p, t);
}

/* Puts these messages of all parcels into NCCL's stream, as one group. */
static int send_all(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                    const char **what)
{
    enum { BYTES = 1 };
    const struct gndm__nccl *q = c->nccl;
    const size_t size = gnd_dtype_size(t);
    int any = 0;
    for (int k = 1; k < c->size; k++)
        any |= carries(c, &out[k], t) || carries(c, &in[k], t);
    int r = any ? q->lib->GroupStart() : 0;
    *what = "ncclGroupStart";
    if (r || !any)
        return r;
    for (int k = 1; k < c->size && !r; k++) {
        if (carries(c, &out[k], t)) {
            const size_t n = (size_t)out[k].n * size;
            *what = "ncclSend";
            r = q->lib->Send((const void *)(uintptr_t)out[k].address, n, BYTES,
                             q->index[out[k].peer], q->comm, q->stream);
            c->stats.bytes += n;
            c->stats.messages++;
        }
        if (!r && carries(c, &in[k], t)) {
            const size_t n = (size_t)in[k].n * size;
            *what = "ncclRecv";
            r = q->lib->Recv((void *)(uintptr_t)in[k].address, n, BYTES, q->index[in[k].peer],
                             q->comm, q->stream);
            c->stats.received += n;
        }
    }
    const int end = q->lib->GroupEnd(); /* also after a failure, or the next group would nest */
    if (!r)
        *what = "ncclGroupEnd";
    return r ? r : end;
}

gnd_status gndm__nccl_start(gndm_ctx *c, gnd_dtype t, gndm__parcel *out, gndm__parcel *in,
                            char *text, size_t size)
{
    struct gndm__nccl *q = c->nccl;
    const char *what = "";
    void *old;
    int any = 0;
    for (int k = 1; k < c->size && q; k++)
        any |= (out[k].direct && out[k].n) || (in[k].direct && in[k].n);
    if (q)
        gndm__peers_mark(c);
    if (!any)
        return GND_OK;
    int r = q->lib->cu.CtxPushCurrent(q->context);
    if (r)
        return cu_failed(q, r, "cuCtxPushCurrent", text, size);
    gnd_status st = after_ready(q, text, size);
    if (!st && (r = send_all(c, t, out, in, &what)))
        st = nccl_failed(q, r, what, text, size);
    if (!st && q->peers)
        st = gndm__peers_start(c, t, out, in, text, size);
    /* also after a failure: copies that have begun write to memory that gnd may use again */
    char last[GNDM_WHY];
    const gnd_status waits = before_gnd(c, st ? last : text, st ? sizeof last : size);
    q->lib->cu.CtxPopCurrent(&old);
    return st ? st : waits;
}

int gndm__nccl_arrives(gndm_ctx *c, double seconds)
{
    enum { NOT_READY = 600 };
    const struct timespec nap = {.tv_nsec = 20000};
    struct gndm__nccl *q = c->nccl;
    const double began = gndm__now();
    void *old;
    if (q->lib->cu.CtxPushCurrent(q->context))
        return 1; /* the next wait tells */
    int r;
    while ((r = q->lib->cu.EventQuery(q->done[q->last])) == NOT_READY &&
           gndm__now() - began < seconds)
        nanosleep(&nap, NULL);
    q->lib->cu.CtxPopCurrent(&old);
    return r != NOT_READY;
}

/* --- reductions ------------------------------------------------------------------------------- */

/* NCCL's number of a dtype, and how many such numbers an element has; 0: none. */
static int kind_of(gnd_dtype t, int op, int *number)
{
    const int real = t == GND_FLOAT32 || t == GND_FLOAT64;
    const int complex = t == GND_COMPLEX64 || t == GND_COMPLEX128;
    /* NCCL's extremes of floats may lose NaN */
    if ((real && op > GNDM__NCCL_PROD) || (complex && op != GNDM__NCCL_SUM))
        return 0;
    if (t == GND_BOOL) /* bytes of 0 and 1 */
        t = GND_UINT8;
    static const struct {
        gnd_dtype t;
        int number, per;
    } rows[] = {{GND_INT8, 0, 1},      {GND_UINT8, 1, 1},   {GND_INT32, 2, 1},
                {GND_UINT32, 3, 1},    {GND_INT64, 4, 1},   {GND_UINT64, 5, 1},
                {GND_FLOAT32, 7, 1},   {GND_FLOAT64, 8, 1}, {GND_COMPLEX64, 7, 2},
                {GND_COMPLEX128, 8, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].t == t) {
            *number = rows[i].number;
            return rows[i].per;
        }
    return 0;
}

int gndm__nccl_knows(gnd_dtype t, int op)
{
    int number;
    return kind_of(t, op, &number) > 0;
}

/* A collective operation of a group: its name, the shape of its result. */
typedef struct collective {
    enum { ALL_REDUCE, SCATTER, GATHER } kind;
    int op, ndim;
    const int64_t *shape;
} collective;

/* This rank's preparation: where x is, and an array for the result. */
static gnd_status place(gndm_ctx *c, const collective *k, gnd_array *x, uint64_t *from,
                        gnd_native_array *to, gnd_array **out)
{
    if (gnd_status_of(x))
        return gndm__fail(c, gnd_status_of(x), "%s", gnd_error(x));
    const gnd_status st = gndm__address_of(c, x, from);
    if (st)
        return st;
    *out = gnd_native_new(c->dev, gnd_dtype_of(x), k->ndim, k->shape, to);
    if (gnd_status_of(*out))
        return gndm__fail(c, gnd_status_of(*out), "%s: %s", c->func, gnd_error(*out));
    return mark(c);
}

static gnd_status start(gndm_ctx *c, const collective *k, gnd_dtype t, uint64_t from, uint64_t to,
                        int64_t elements, char *text, size_t size)
{
    static const char *const names[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather"};
    const struct gndm__nccl *q = c->nccl;
    const void *x = (const void *)(uintptr_t)from;
    void *y = (void *)(uintptr_t)to, *old;
    int type = 0;
    /* elements are only copied by a gathering */
    const size_t per = k->kind == GATHER ? gnd_dtype_size(t) : (size_t)kind_of(t, k->op, &type);
    const size_t n = (size_t)elements * per;
    int r = q->lib->cu.CtxPushCurrent(q->context);
    if (r)
        return cu_failed(q, r, "cuCtxPushCurrent", text, size);
    gnd_status st = after_ready(c->nccl, text, size);
    if (!st && k->kind == ALL_REDUCE)
        r = q->lib->AllReduce(x, y, n, type, k->op, q->comm, q->stream);
    else if (!st && k->kind == SCATTER)
        r = q->lib->ReduceScatter(x, y, n, type, k->op, q->comm, q->stream);
    else if (!st)
        r = q->lib->AllGather(x, y, n, 1, q->comm, q->stream);
    if (r)
        st = nccl_failed(q, r, names[k->kind], text, size);
    if (!st)
        st = before_gnd(c, text, size);
    q->lib->cu.CtxPopCurrent(&old);
    return st;
}

/* n: the number of elements that NCCL's call counts. */
static gnd_status run(gndm_ctx *c, const collective *k, gnd_array *x, int64_t n, gnd_array **out)
{
    uint64_t from = 0;
    gnd_native_array to;
    char text[GNDM_TEXT] = "";
    gnd_array *y = x;
    gnd_status st = gnd_status_of(x);
    if (c->nccl)
        st = place(c, k, x, &from, &to, &y);
    else if (st)
        gndm__fail(c, st, "%s", gnd_error(x));
    st = gndm__agree(c, st, c->message);
    if (st)
        return st;
    if (c->nccl) {
        const uint64_t bytes = (uint64_t)n * gnd_dtype_size(gnd_dtype_of(x));
        st = start(c, k, gnd_dtype_of(x), from, to.address, n, text, sizeof text);
        c->stats.exchanges++;
        c->stats.messages++;
        c->stats.bytes += bytes;
        c->stats.received += bytes;
    }
    *out = y;
    return gndm__started(c, st, text);
}

gnd_status gndm__nccl_reduce(gndm_ctx *c, gnd_array *x, int op, gnd_array **out)
{
    const collective k = {ALL_REDUCE, op, gnd_ndim(x), gnd_shape(x)};
    return run(c, &k, x, gnd_size(x), out);
}

gnd_status gndm__nccl_scatter(gndm_ctx *c, gnd_array *x, int op, int64_t n, gnd_array **out)
{
    const collective k = {SCATTER, op, 1, &n};
    return run(c, &k, x, n, out);
}

gnd_status gndm__nccl_gather(gndm_ctx *c, gnd_array *x, int64_t n, gnd_array **out)
{
    const collective k = {GATHER, 0, 1, &n};
    return run(c, &k, x, gnd_size(x), out);
}
