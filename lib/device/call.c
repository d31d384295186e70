/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/call.c - the calls through the gate. Each call is counted, fails if a test asked for that,
 * adds the block's offset, calls the plugin, and completes the plugin's error message. Missing
 * optional slots are reported here only, by name. Nothing here allocates or waits by itself.
 */
#include <stdio.h>
#include <string.h>
#include "device/priv.h"
#include "base/log.h"
#include "base/mem.h"
#include "device/trace.h"

atomic_long gnd__gate_ncalls;
atomic_long gnd__gate_failing;

void gnd__gate_fail_at(long n)
{
    atomic_store(&gnd__gate_failing, n > 0 ? atomic_load(&gnd__gate_ncalls) + n : 0);
}

long gnd__gate_calls(void)
{
    return atomic_load(&gnd__gate_ncalls);
}

gnd_status gnd__gate_injected(gnd_err *e)
{
    return gnd__err(e, GND_ERR_BACKEND, "injected");
}

gnd_status gnd__gate_missing(const gnd__gdev *d, const char *slot, gnd_err *e)
{
    return gnd__err(e, GND_ERR_UNSUPPORTED, "%s: backend %s has no entry %s", d->id, d->be->name,
                    slot);
}

gnd_status gnd__gate_failed(const char *id, const char *slot, gnd_status st, gnd_err *e)
{
    if (st > GND_OK || st < GND_ERR_LINALG)
        st = GND_ERR_BACKEND;
    if (!e)
        return st;
    e->msg[sizeof e->msg - 1] = '\0';
    if (!e->msg[0])
        strcpy(e->msg, "failed without a reason");
    if (e->code == GND_OK)
        e->code = st;
    if (st != GND_ERR_LINALG)
        gnd__err_prefix(e, "%s: %s", id, slot);
    return st;
}

gnd_status gnd__gate_call_failed(gnd__gdev *d, const char *slot, gnd_status st, gnd_err *e)
{
    d->starved |= st == GND_ERR_DEVMEM;
    return gnd__gate_failed(d->id, slot, st, e);
}

/* Ends each call; returns at once on GND_OK. */
static inline gnd_status done(gnd__gdev *d, const char *slot, gnd_status st, gnd_err *e)
{
    return st == GND_OK ? GND_OK : gnd__gate_call_failed(d, slot, st, e);
}

/* An allocated block has at least its size rounded up to 16 bytes. */
static inline int outside(const gnd__block *b, size_t off, size_t nbytes)
{
    size_t cap = (b->nbytes + 15) & ~(size_t)15;
    return off > cap || nbytes > cap - off;
}

static gnd_status out_of_range(const gnd__gdev *d, const char *slot, const gnd__block *b,
                               size_t off, size_t nbytes, gnd_err *e)
{
    return gnd__err(e, GND_ERR_INTERNAL, "%s: %s: bytes %zu to %zu of a block of %zu", d->id, slot,
                    off, off + nbytes, b->nbytes);
}

/* The same for a call that is not counted. */
#define ADVICE(slot, ...)                                                                          \
    done(d, slot, UNLIKELY(gnd__forked) ? gnd__fork_error(e) : (__VA_ARGS__), e)

/* Sets st to the call's result, with a span in the trace (device/trace.h). Skips the call if a test
 * asked for a failure. */
#define CALL(kind, category, name, nbytes, ...)                                                    \
    do {                                                                                           \
        if ((st = gnd__gate_tick(e)) == GND_OK) {                                                  \
            gnd__span span;                                                                        \
            gnd__span_begin(d, &span, GND__SPAN_##kind);                                           \
            st = __VA_ARGS__;                                                                      \
            gnd__span_end(d, &span, category, name, nbytes);                                       \
        }                                                                                          \
    } while (0)

/* --- transfers -------------------------------------------------------------------------------- */

gnd_status gnd__gate_write(gnd__gdev *d, gnd__block *dst, size_t off, const void *src,
                           size_t nbytes, gnd_err *e)
{
    gnd_status st;

    if (nbytes == 0)
        return GND_OK;
    if (UNLIKELY(outside(dst, off, nbytes)))
        return out_of_range(d, "write", dst, off, nbytes, e);
    CALL(DEVICE, "transfer", "write", (int64_t)nbytes,
         d->be->memory.write(d->queue, dst->buf, dst->off + off, src, nbytes, e));
    if (st == GND_OK)
        d->n.bytes_h2d += nbytes;
    return done(d, "write", st, e);
}

gnd_status gnd__gate_read(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes,
                          gnd_err *e)
{
    gnd_status st;

    if (nbytes == 0)
        return GND_OK;
    if (UNLIKELY(outside(src, off, nbytes)))
        return out_of_range(d, "read", src, off, nbytes, e);
    CALL(DEVICE, "transfer", "read", (int64_t)nbytes,
         d->be->memory.read(d->queue, dst, src->buf, src->off + off, nbytes, e));
    if (st == GND_OK)
        d->n.bytes_d2h += nbytes;
    return done(d, "read", st, e);
}

gnd_status gnd__gate_copy(gnd__gdev *d, gnd__block *dst, size_t doff, gnd__block *src, size_t soff,
                          size_t nbytes, gnd_err *e)
{
    gnd_status st;

    if (nbytes == 0)
        return GND_OK;
    if (UNLIKELY(outside(dst, doff, nbytes)))
        return out_of_range(d, "copy to", dst, doff, nbytes, e);
    if (UNLIKELY(outside(src, soff, nbytes)))
        return out_of_range(d, "copy from", src, soff, nbytes, e);
    CALL(DEVICE, "transfer", "copy", (int64_t)nbytes,
         d->be->memory.copy(d->queue, dst->buf, dst->off + doff, src->buf, src->off + soff, nbytes,
                            e));
    return done(d, "copy", st, e);
}

gnd_status gnd__gate_fetch(gnd__gdev *d, gnd__block *dst, size_t off, uint64_t src, size_t nbytes,
                           gnd_err *e)
{
    gnd_status st;

    if (!d->be->memory.fetch)
        return gnd__gate_missing(d, "memory.fetch", e);
    if (nbytes == 0)
        return GND_OK;
    if (UNLIKELY(outside(dst, off, nbytes)))
        return out_of_range(d, "fetch", dst, off, nbytes, e);
    CALL(DEVICE, "transfer", "fetch", (int64_t)nbytes,
         d->be->memory.fetch(d->queue, dst->buf, dst->off + off, src, nbytes, e));
    return done(d, "fetch", st, e);
}

/* --- between two devices ---------------------------------------------------------------------- */

int gnd__gate_can_peer(gnd__gdev *to, gnd__gdev *from)
{
    int yes = 0;

    if (to->be != from->be || !to->be->device.can_peer || gnd__forked)
        return 0;
    return to->be->device.can_peer(to->dev, from->dev, &yes, NULL) == GND_OK && yes;
}

/* Makes later work in d's queue wait for the work that is now in other's queue: by an event, else
 * by waiting here. */
static gnd_status queue_after(gnd__gdev *d, gnd__gdev *other, gnd_err *e)
{
    const gnd_queue_ops *q = &d->be->queue;
    gnd_event *ev = NULL;
    gnd_status st;

    if (!q->record || !q->wait_event || !q->event_free)
        return gnd__gate_finish(other, e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = q->record(other->queue, &ev, e);
    if (st != GND_OK)
        return done(other, "record", st, e);
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = q->wait_event(d->queue, ev, e);
    q->event_free(ev);
    return done(d, "wait_event", st, e);
}

gnd_status gnd__gate_peer(gnd__gdev *to, gnd__block *dst, gnd__gdev *from, gnd__block *src,
                          size_t soff, size_t nbytes, gnd_err *e)
{
    gnd__gdev *d = to;
    gnd_status st;

    if (UNLIKELY(outside(dst, 0, nbytes)))
        return out_of_range(to, "copy to", dst, 0, nbytes, e);
    if (UNLIKELY(outside(src, soff, nbytes)))
        return out_of_range(from, "copy from", src, soff, nbytes, e);
    if ((st = queue_after(to, from, e)) != GND_OK)
        return st;
    CALL(DEVICE, "transfer", "copy between devices", (int64_t)nbytes,
         d->be->memory.copy(d->queue, dst->buf, dst->off, src->buf, src->off + soff, nbytes, e));
    if (st != GND_OK)
        return done(d, "copy", st, e);
    /* The source block may be reused, but only after the copy has read it. */
    if ((st = queue_after(from, to, e)) != GND_OK)
        to->be->queue.finish(to->queue, NULL);
    return st;
}

gnd_status gnd__gate_map(gnd__gdev *d, gnd__block *b, size_t off, size_t nbytes, uint32_t flags,
                         void **p, gnd_err *e)
{
    gnd_status st;

    *p = NULL;
    if (!d->be->memory.map)
        return gnd__gate_missing(d, "memory.map", e);
    if (UNLIKELY(outside(b, off, nbytes)))
        return out_of_range(d, "map", b, off, nbytes, e);
    CALL(HOST, "wait", "map", (int64_t)nbytes,
         d->be->memory.map(d->queue, b->buf, b->off + off, nbytes, flags, p, e));
    return done(d, "map", st, e);
}

gnd_status gnd__gate_unmap(gnd__gdev *d, gnd__block *b, void *p, gnd_err *e)
{
    gnd_status st, injected;

    if (!p)
        return GND_OK;
    /* An injected failure still unmaps: the mapping must not outlive the test. */
    injected = gnd__gate_tick(e);
    st = gnd__forked ? GND_OK : d->be->memory.unmap(d->queue, b->buf, p, e);
    return done(d, "unmap", injected ? injected : st, e);
}

int gnd__gate_can_map(const gnd__gdev *d)
{
    return d->props.host_mapped && d->be->memory.map != NULL;
}

/* --- the queue -------------------------------------------------------------------------------- */

gnd_status gnd__gate_flush(gnd__gdev *d, gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK)
        st = d->be->queue.flush(d->queue, e);
    return done(d, "flush", st, e);
}

gnd_status gnd__gate_finish(gnd__gdev *d, gnd_err *e)
{
    gnd_status st;
    CALL(HOST, "wait", "finish", -1, d->be->queue.finish(d->queue, e));
    if (UNLIKELY(d->trace != NULL) && !gnd__forked)
        gnd__trace_idle(d);
    return done(d, "finish", st, e);
}

gnd_status gnd__gate_settle(gnd__gdev *d, gnd_err *e)
{
    gnd_status injected = gnd__gate_tick(e), st;
    gnd__span span;
    if (UNLIKELY(gnd__forked))
        return injected;
    gnd__span_begin(d, &span, GND__SPAN_HOST);
    st = d->be->queue.finish(d->queue, injected ? NULL : e);
    gnd__span_end(d, &span, "wait", "finish", -1);
    return done(d, "finish", injected ? injected : st, e);
}

/* --- kernels ---------------------------------------------------------------------------------- */

gnd_status gnd__gate_launch(gnd__gdev *d, gnd__kernel *k, const gnd_klaunch *l, gnd_err *e)
{
    gnd_status st;
    CALL(DEVICE, "kernel", k->name, -1, d->be->program.launch(d->queue, k->k, l, e));
    if (UNLIKELY(st != GND_OK)) {
        char slot[128];
        snprintf(slot, sizeof slot, "%.100s: launch", k->name);
        return gnd__gate_call_failed(d, slot, st, e);
    }
    d->n.launches++;
    return GND_OK;
}

gnd_status gnd__gate_kernel_info(gnd__gdev *d, gnd__kernel *k, gnd_kern_info *info, gnd_err *e)
{
    memset(info, 0, sizeof *info);
    if (!d->be->program.kernel_info)
        return GND_OK;
    return ADVICE("program.kernel_info", d->be->program.kernel_info(k->k, info, e));
}

gnd_status gnd__gate_list_new(gnd__gdev *d, int n, gnd__kernel *const *k, const gnd_klaunch *l,
                              gnd_list **list, gnd_err *e)
{
    gnd_kern **kern;
    gnd_err why = {GND_OK, 0, ""};
    gnd_status st;

    *list = NULL;
    if (!d->be->has_replay)
        return GND_OK;
    kern = gnd__malloc((size_t)n * sizeof *kern);
    if (!kern)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    for (int i = 0; i < n; i++)
        kern[i] = k[i]->k;
    st = gnd__gate_tick(e);
    if (st == GND_OK) {
        st = d->be->replay.list_new(d->queue, (uint32_t)n, kern, l, list, &why);
        if (st == GND_ERR_NOMEM || st == GND_ERR_DEVMEM) {
            if (e)
                *e = why;
        } else if (st != GND_OK) {
            gnd__log(GND__LOG_INFO, "%s: %d launches are no list: %s", d->id, n, why.msg);
            *list = NULL;
            st = GND_OK;
        }
    }
    gnd__free(kern);
    return done(d, "list_new", st, e);
}

gnd_status gnd__gate_list_run(gnd__gdev *d, gnd_list *list, int n, gnd_err *e)
{
    gnd_status st;
    CALL(DEVICE, "kernel", "replay", -1, d->be->replay.list_run(list, e));
    if (st == GND_OK)
        d->n.launches += (uint64_t)n;
    return done(d, "list_run", st, e);
}

int gnd__gate_lists_vary(const gnd__gdev *d)
{
    return d->be->has_replay && d->be->replay.list_value != NULL;
}

gnd_status gnd__gate_list_value(gnd__gdev *d, gnd_list *list, int i, int arg, const gnd_karg *a,
                                gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK)
        st = d->be->replay.list_value(list, (uint32_t)i, (uint32_t)arg, a, e);
    return done(d, "list_value", st, e);
}

int gnd__gate_loops(const gnd__gdev *d)
{
    return d->be->has_replay && d->be->replay.loop_new != NULL;
}

/* The steps in the backend's terms, and behind them its kernels: one allocation. */
static gnd_loop_step *loop_steps(int n, const gnd__loop_step *step)
{
    size_t kernels = 0;
    for (int i = 0; i < n; i++)
        kernels += (size_t)step[i].n;
    gnd_loop_step *s = gnd__malloc((size_t)n * sizeof *s + kernels * sizeof(gnd_kern *));
    gnd_kern **k = s ? (gnd_kern **)(s + n) : NULL;
    for (int i = 0; s && i < n; i++) {
        s[i] = (gnd_loop_step){.n = (uint32_t)step[i].n,
                               .k = k,
                               .l = step[i].l,
                               .word = step[i].word->buf,
                               .off = step[i].word->off + step[i].off};
        for (int j = 0; j < step[i].n; j++)
            *k++ = step[i].k[j]->k;
    }
    return s;
}

gnd_status gnd__gate_loop_new(gnd__gdev *d, int n, const gnd__loop_step *step,
                              const gnd__block *control, gnd_list **list, gnd_err *e)
{
    gnd_err why = {GND_OK, 0, ""};
    *list = NULL;
    gnd_loop_step *s = loop_steps(n, step);
    if (!s)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK) {
        st = d->be->replay.loop_new(d->queue, (uint32_t)n, s, control->buf, control->off, list,
                                    &why);
        if (st == GND_ERR_NOMEM || st == GND_ERR_DEVMEM) {
            if (e)
                *e = why;
        } else if (st != GND_OK) {
            gnd__log(GND__LOG_INFO, "%s: a loop is run by the host: %s", d->id, why.msg);
            *list = NULL;
            st = GND_OK;
        }
    }
    gnd__free(s);
    return done(d, "loop_new", st, e);
}

void gnd__gate_list_free(gnd__gdev *d, gnd_list *list)
{
    if (list && !gnd__forked)
        d->be->replay.list_free(list);
}

/* --- optional groups -------------------------------------------------------------------------- */

gnd_status gnd__gate_gemm_supports(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    *yes = 0;
    if (!d->be->has_blas)
        return GND_OK;
    return ADVICE("blas.supports", d->be->blas.supports(d->dev, g, yes, e));
}

gnd_status gnd__gate_gemm_follows(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    *yes = 0;
    if (!d->be->has_blas)
        return GND_OK;
    return ADVICE("blas.follows", d->be->blas.follows(d->dev, g, yes, e));
}

int gnd__gate_can_follow(const gnd__gdev *d)
{
    return d->be->blas.follows != NULL;
}

gnd_status gnd__gate_gemm(gnd__gdev *d, const gnd_gemm *g, gnd_err *e)
{
    gnd_status st;

    if (!d->be->has_blas)
        return gnd__gate_missing(d, "blas.gemm", e);
    CALL(DEVICE, "library", "gemm", -1, d->be->blas.gemm(d->queue, g, e));
    return done(d, "gemm", st, e);
}

gnd_status gnd__gate_blas_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e)
{
    if (cap)
        buf[0] = '\0';
    if (!d->be->has_blas || !d->be->blas.describe)
        return gnd__gate_missing(d, "blas.describe", e);
    return ADVICE("blas.describe", d->be->blas.describe(d->dev, buf, cap, e));
}

gnd_status gnd__gate_program_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e)
{
    if (cap)
        buf[0] = '\0';
    if (!d->be->program.describe)
        return gnd__gate_missing(d, "program.describe", e);
    return ADVICE("program.describe", d->be->program.describe(d->dev, buf, cap, e));
}

/* The optional groups after blas have the same form: supports, then the call. */
#define OPTIONAL(group, call, type)                                                                \
    gnd_status gnd__gate_##group##_supports(gnd__gdev *d, const type *x, int *yes, gnd_err *e)     \
    {                                                                                              \
        *yes = 0;                                                                                  \
        if (!d->be->has_##group)                                                                   \
            return GND_OK;                                                                         \
        return ADVICE(#group ".supports", d->be->group.supports(d->dev, x, yes, e));               \
    }                                                                                              \
    gnd_status gnd__gate_##call(gnd__gdev *d, const type *x, gnd_err *e)                           \
    {                                                                                              \
        gnd_status st;                                                                             \
        if (!d->be->has_##group)                                                                   \
            return gnd__gate_missing(d, #group "." #call, e);                                      \
        CALL(DEVICE, "library", #call, -1, d->be->group.call(d->queue, x, e));                     \
        return done(d, #call, st, e);                                                              \
    }                                                                                              \
    gnd_status gnd__gate_##group##_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e)       \
    {                                                                                              \
        if (cap)                                                                                   \
            buf[0] = '\0';                                                                         \
        if (!d->be->has_##group || !d->be->group.describe)                                         \
            return gnd__gate_missing(d, #group ".describe", e);                                    \
        return ADVICE(#group ".describe", d->be->group.describe(d->dev, buf, cap, e));             \
    }

OPTIONAL(fft, transform, gnd_fft_desc)
OPTIONAL(solver, solve, gnd_solve_desc)

gnd_status gnd__gate_mem_info(gnd__gdev *d, uint64_t *avail, uint64_t *total, gnd_err *e)
{
    *avail = *total = d->props.mem_bytes;
    if (!d->be->device.mem_info)
        return GND_OK;
    return ADVICE("mem_info", d->be->device.mem_info(d->dev, avail, total, e));
}
