/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/bind.c - binds the steps of a plan to the nodes of a graph: memory, offsets and constants.
 * Data that are the same in every run (a launch's sizes and numbers) are prepared once.
 */
#include "sched/plan.h"

#include <string.h>
#include "base/mem.h"
#include "graph/launch.h"
#include "sched/check.h"
#include "sched/here.h"

void gnd__bind_constant(gnd_karg *k, const gnd_array *a, gnd_dtype t)
{
    k->u.u64 = 0;
    if (t == GND_FLOAT16 || t == GND_BFLOAT16) {
        uint16_t h;
        float f;
        gnd__store_scalar(t, &h, &a->p.value);
        f = t == GND_FLOAT16 ? gnd__f16_to_f32(h) : gnd__bf16_to_f32(h);
        memcpy(k->u.value, &f, sizeof f);
    } else {
        gnd__store_scalar(t, k->u.value, &a->p.value);
    }
}

/* The same for a constant as a number; t is a real float. */
static double real_constant(const gnd_array *a, gnd_dtype t)
{
    gnd_karg k;
    double d;
    float f;
    gnd__bind_constant(&k, a, t);
    memcpy(&d, k.u.value, sizeof d);
    memcpy(&f, k.u.value, sizeof f);
    return t == GND_FLOAT64 ? d : (double)f;
}

/* The start of slot i in bytes from the beginning of its buffer. */
static inline size_t slot_offset(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                                 int32_t i)
{
    const gnd__pslot *sl = &p->slot[i];
    if (sl->leaf) {
        const gnd_array *a = g->node[sl->node].a;
        return a->data.st->block->off + (size_t)a->data.off * gnd__dtype_bytes[a->dtype];
    }
    return s->block[i]->off;
}

static inline gnd_buf *slot_buf(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                                int32_t i)
{
    const gnd__pslot *sl = &p->slot[i];
    return sl->leaf ? g->node[sl->node].a->data.st->block->buf : s->block[i]->buf;
}

char *gnd__bind_address(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, int32_t i)
{
    const gnd_array *a = p->slot[i].leaf ? g->node[p->slot[i].node].a : NULL;
    char *at = gnd__gate_address(a ? a->data.st->block : s->block[i]);
    return a && at ? at + a->data.off * (int64_t)gnd__dtype_bytes[a->dtype] : at;
}

enum { LOOK = 4 }; /* spare blocks that are looked at, the newest ones */

gnd_status gnd__plan_need(gnd__sched *s, const gnd__plan *p, gnd__gdev *d, int32_t i, gnd_err *e)
{
    if (p->slot[i].leaf || s->block[i])
        return GND_OK;
    for (int32_t k = s->nspare - 1; k >= 0 && k >= s->nspare - LOOK; k--) {
        const int32_t b = s->spare[k];
        if (p->slot[b].nbytes == p->slot[i].nbytes) {
            s->block[i] = s->block[b];
            s->block[b] = NULL;
            s->spare[k] = s->spare[--s->nspare];
            return GND_OK;
        }
    }
    gnd_status st = gnd__pool_alloc(d, p->slot[i].nbytes, &s->block[i], e);
    return st == GND_OK ? st : gnd__plan_lacks(p, &s->graph, i, st, e);
}

/* Prepares those arguments of a step for the backend that are the same in every run. */
static gnd_status ready_launch(gnd__step *st, gnd_err *e)
{
    gnd_karg *karg = gnd__calloc((size_t)st->nargs + 1, sizeof *karg);
    if (!karg)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
    for (int32_t i = 0; i < st->nargs; i++) {
        const gnd__sarg *a = &st->arg[i];
        int buf = a->kind == GND__A_BUF || a->kind == GND__A_CHECK;
        int32_t v = (int32_t)a->value;
        karg[i].kind = buf ? GND_ARG_BUF : GND_ARG_VALUE;
        karg[i].nbytes = buf ? 0 : a->size;
        if (a->kind == GND__A_LOCAL) {
            karg[i].kind = GND_ARG_LOCAL;
            karg[i].nbytes = (uint32_t)a->value;
            continue;
        }
        if (a->size == 4)
            memcpy(karg[i].u.value, &v, sizeof v);
        else
            memcpy(karg[i].u.value, &a->value, sizeof a->value);
    }
    st->launch =
        (gnd_klaunch){.ndim = (uint32_t)st->ndim, .nargs = (uint32_t)st->nargs, .args = karg};
    memcpy(st->launch.global, st->global, sizeof st->global);
    memcpy(st->launch.local, st->local, sizeof st->local);
    st->karg = karg;
    return GND_OK;
}

gnd_status gnd__bind_launch(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                            gnd__step *st, gnd_err *e)
{
    gnd_status r = st->karg ? GND_OK : ready_launch(st, e);
    if (r == GND_OK && !st->kernel)
        r = gnd__here_build(d, st, e);
    for (int32_t i = 0; i < st->nargs && r == GND_OK; i++) {
        const gnd__sarg *a = &st->arg[i];
        gnd_karg *k = &st->karg[i];
        switch ((gnd__akind)a->kind) {
        case GND__A_BUF:
            r = gnd__plan_need(s, p, d, a->ref, e);
            if (r == GND_OK)
                k->u.buf = slot_buf(s, p, g, a->ref);
            break;
        case GND__A_OFF:
            if (a->ref >= 0) {
                size_t at = slot_offset(s, p, g, a->ref);
                int64_t off = a->value;
                off += (int64_t)(a->esize & (a->esize - 1) ? at / a->esize
                                                           : at >> __builtin_ctz(a->esize));
                memcpy(k->u.value, &off, sizeof off);
            }
            break;
        case GND__A_CONST: gnd__bind_constant(k, g->node[a->ref].a, (gnd_dtype)a->dtype); break;
        case GND__A_NUMBER:
            memcpy(k->u.value, g->node[a->ref].a->p.launch->arg[a->value].value, sizeof k->u.value);
            break;
        case GND__A_CHECK: k->u.buf = gnd__checks_buf(s); break;
        case GND__A_CHECKID: {
            int32_t v = (int32_t)gnd__checks_entry(s, a->ref);
            memcpy(k->u.value, &v, sizeof v);
            break;
        }
        default: break;
        }
    }
    return r;
}

gnd_status gnd__bind_gemm(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                          const gnd__step *st, gnd_gemm *gemm, gnd_err *e)
{
    *gemm = st->gemm;
    gnd_mat *mat[4] = {&gemm->a, &gemm->b, &gemm->c, &gemm->plus};
    size_t esize = gnd_dtype_size((gnd_dtype)gemm->dtype);
    for (int i = 0; i < 4 && st->gemm_slot[i] >= 0; i++) {
        gnd_status r = gnd__plan_need(s, p, d, st->gemm_slot[i], e);
        if (r != GND_OK)
            return r;
        mat[i]->buf = slot_buf(s, p, g, st->gemm_slot[i]);
        mat[i]->off += slot_offset(s, p, g, st->gemm_slot[i]) / esize;
    }
    for (int i = 0; i < 2; i++)
        if (st->gemm_const[i] >= 0)
            *(i ? &gemm->beta : &gemm->alpha) =
                real_constant(g->node[st->gemm_const[i]].a, (gnd_dtype)gemm->dtype);
    return GND_OK;
}

/* Operand i of a call: its buffer, and its start in the buffer in bytes. */
static gnd_status operand(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                          const gnd__step *st, int i, gnd_buf **buf, uint64_t *off, gnd_err *e)
{
    int32_t slot = st->arg[2 * i].ref;
    gnd_status r = gnd__plan_need(s, p, d, slot, e);
    if (r != GND_OK)
        return r;
    *buf = slot_buf(s, p, g, slot);
    *off = slot_offset(s, p, g, slot) + (uint64_t)st->arg[2 * i + 1].value;
    return GND_OK;
}

gnd_status gnd__bind_fft(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                         const gnd__step *st, gnd_fft_desc *f, gnd_err *e)
{
    *f = st->fft;
    size_t esize = gnd_dtype_size((gnd_dtype)f->dtype);
    gnd_status r = operand(s, p, g, d, st, 0, &f->in, &f->in_off, e);
    if (r == GND_OK)
        r = operand(s, p, g, d, st, 1, &f->out, &f->out_off, e);
    if (r != GND_OK)
        return r;
    f->in_off /= f->kind == GND_FFT_R2C ? esize / 2 : esize;
    f->out_off /= f->kind == GND_FFT_C2R ? esize / 2 : esize;
    return GND_OK;
}

gnd_status gnd__bind_solve(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                           const gnd__step *st, gnd__solve_call *c, gnd_err *e)
{
    c->func = g->node[st->prim].a->p.prim->func;
    c->x = st->solve;
    c->panel = st->panel;
    c->on_host = st->on_host;
    c->later = st->later;
    c->n = st->nargs / 2;
    for (int i = 0; i < c->n; i++) {
        int32_t slot = st->arg[2 * i].ref;
        gnd_status r = operand(s, p, g, d, st, i, &c->x.mem[i], &c->x.off[i], e);
        if (r != GND_OK)
            return r;
        c->block[i] =
            p->slot[slot].leaf ? g->node[p->slot[slot].node].a->data.st->block : s->block[slot];
        c->at[i] = (size_t)c->x.off[i] - c->block[i]->off;
    }
    return GND_OK;
}
