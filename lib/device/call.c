/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/call.c - the calls through the gate. Each call is counted, fails if a test asked for that,
 * adds the block's offset, calls the plugin, and completes the plugin's error message. Missing
 * optional slots are reported here only, by name. Nothing here allocates or waits by itself.
 */
#include <stdio.h>
#include <string.h>
#include "device/call.h"

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

/* --- transfers -------------------------------------------------------------------------------- */

enum { COPY_HERE = 1 << 16 }; /* most bytes that are sooner copied than a copy is enqueued */

/* The kinds of transfers between the host and a block. */
enum { GET = 1, LATER = 2 };

/* The device is idle, and works in host memory. */
static gnd_status move_here(gnd__gdev *d, const char *what, void *to, const void *from,
                            size_t nbytes, gnd_err *e)
{
    gnd__span span;
    gnd_status st = gnd__gate_tick(e);
    if (st != GND_OK)
        return st;
    gnd__span_begin(d, &span, GND__SPAN_HOST);
    memcpy(to, from, nbytes);
    gnd__span_end(d, &span, "transfer", what, (int64_t)nbytes);
    return GND_OK;
}

/* Transfers nbytes between host and b: to the host with GET, otherwise from it. LATER: does not
 * wait, if the backend supports that. */
static gnd_status transfer(gnd__gdev *d, gnd__block *b, size_t off, void *host, size_t nbytes,
                           int how, gnd_err *e)
{
    static const char *const names[] = {"write", "read", "write_async", "read_async"};
    const gnd_memory_ops *m = &d->be->memory;
    const char *what = names[how & GET];
    gnd_status st;

    if (nbytes == 0)
        return GND_OK;
    if (UNLIKELY(outside(b, off, nbytes)))
        return out_of_range(d, what, b, off, nbytes, e);
    if (UNLIKELY((st = gnd__gate_use(d, b, !(how & GET), e)) != GND_OK))
        return st;
    if (how & GET ? !m->read_async : !m->write_async)
        how &= ~LATER;
    char *at = gnd__gate_idle(d) ? gnd__gate_address(b) : NULL;
    if (at)
        st = how & GET ? move_here(d, what, host, at + off, nbytes, e)
                       : move_here(d, what, at + off, host, nbytes, e);
    else if (how & GET)
        CALL(DEVICE, "transfer", what, (int64_t)nbytes,
             (how & LATER ? m->read_async : m->read)(d->queue, host, b->buf, b->off + off, nbytes,
                                                     e));
    else
        CALL(DEVICE, "transfer", what, (int64_t)nbytes,
             (how & LATER ? m->write_async : m->write)(d->queue, b->buf, b->off + off, host, nbytes,
                                                       e));
    if (st == GND_OK && how == GET) /* it waited for all that came before */
        d->pending = 0;
    if (st == GND_OK)
        *(how & GET ? &d->n.bytes_d2h : &d->n.bytes_h2d) += nbytes;
    return done(d, names[how], st, e);
}

gnd_status gnd__gate_write(gnd__gdev *d, gnd__block *dst, size_t off, const void *src,
                           size_t nbytes, gnd_err *e)
{
    return transfer(d, dst, off, (void *)src, nbytes, 0, e);
}

gnd_status gnd__gate_write_async(gnd__gdev *d, gnd__block *dst, size_t off, const void *src,
                                 size_t nbytes, gnd_err *e)
{
    return transfer(d, dst, off, (void *)src, nbytes, LATER, e);
}

gnd_status gnd__gate_read(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes,
                          gnd_err *e)
{
    return transfer(d, src, off, dst, nbytes, GET, e);
}

gnd_status gnd__gate_read_async(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes,
                                gnd_err *e)
{
    return transfer(d, src, off, dst, nbytes, GET | LATER, e);
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
    if (UNLIKELY((st = gnd__gate_use(d, src, 0, e)) != GND_OK ||
                 (st = gnd__gate_use(d, dst, 1, e)) != GND_OK))
        return st;
    if (nbytes <= COPY_HERE && gnd__gate_idle(d) && !d->trace && gnd__gate_address(dst) &&
        gnd__gate_address(src))
        return move_here(d, "copy", gnd__gate_address(dst) + doff, gnd__gate_address(src) + soff,
                         nbytes, e);
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
    if (UNLIKELY((st = gnd__gate_use(d, dst, 1, e)) != GND_OK))
        return st;
    CALL(DEVICE, "transfer", "fetch", (int64_t)nbytes,
         d->be->memory.fetch(d->queue, dst->buf, dst->off + off, src, nbytes, e));
    return done(d, "fetch", st, e);
}

/* --- mappings --------------------------------------------------------------------------------- */

gnd_status gnd__gate_map(gnd__gdev *d, gnd__block *b, size_t off, size_t nbytes, uint32_t flags,
                         void **p, gnd_err *e)
{
    gnd_status st;

    *p = NULL;
    if (!d->be->memory.map)
        return gnd__gate_missing(d, "memory.map", e);
    if (UNLIKELY(outside(b, off, nbytes)))
        return out_of_range(d, "map", b, off, nbytes, e);
    if (UNLIKELY((st = gnd__gate_use(d, b, (flags & GND_MAP_WRITE) != 0, e)) != GND_OK))
        return st;
    CALL(HOST, "wait", "map", (int64_t)nbytes,
         d->be->memory.map(d->queue, b->buf, b->off + off, nbytes, flags, p, e));
    if (st == GND_OK) /* it waited for all that came before */
        d->pending = 0;
    return done(d, "map", st, e);
}

gnd_status gnd__gate_unmap(gnd__gdev *d, gnd__block *b, void *p, gnd_err *e)
{
    gnd_status st, injected;

    if (!p)
        return GND_OK;
    (void)gnd__gate_use(d, b, 1, NULL); /* this stream used it last, so nothing needs to wait */
    /* An injected failure still unmaps: the mapping must not outlive the test. */
    injected = gnd__gate_tick(e);
    st = gnd__forked ? GND_OK : d->be->memory.unmap(d->queue, b->buf, p, e);
    d->pending |=
        !gnd__gate_address(b); /* nothing to enqueue in memory that host and device share */
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
    d->pending = st != GND_OK;
    if (UNLIKELY(d->streams != NULL) && st == GND_OK)
        gnd__stream_finished(d);
    if (UNLIKELY(d->trace != NULL) && !gnd__forked)
        gnd__trace_idle(d);
    return done(d, "finish", st, e);
}

gnd_status gnd__gate_finish_all(gnd__gdev *d, gnd_err *e)
{
    gnd_status st;
    CALL(HOST, "wait", "finish", -1, gnd__queues_wait(d, e));
    d->pending = st != GND_OK;
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
    st = gnd__queues_wait(d, injected ? NULL : e);
    d->pending = st != GND_OK;
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
    if (st == GND_OK && d->be->blas.blocking && d->be->blas.blocking(d->dev))
        d->pending = 0;
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

/* The optional groups after blas have the same form: a query whether the case is supported, and the
 * call. */
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

int gnd__gate_solves_later(const gnd__gdev *d, const gnd_solve_desc *s)
{
    const int op = s->op == GND_SOLVE_CHOLESKY || s->op == GND_SOLVE_SOLVE ||
                   ((s->op == GND_SOLVE_LU || s->op == GND_SOLVE_INV) && s->flags == 1);
    return op && d->be->has_solver && d->be->solver.solve_later;
}

gnd_status gnd__gate_solve_later(gnd__gdev *d, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                                 gnd_err *e)
{
    gnd_status st;
    CALL(DEVICE, "library", "solve", -1, d->be->solver.solve_later(d->queue, s, info, off, e));
    return done(d, "solve_later", st, e);
}

gnd_status gnd__gate_mem_info(gnd__gdev *d, uint64_t *avail, uint64_t *total, gnd_err *e)
{
    *avail = *total = d->props.mem_bytes;
    if (!d->be->device.mem_info)
        return GND_OK;
    return ADVICE("mem_info", d->be->device.mem_info(d->dev, avail, total, e));
}
