/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record_steps.c - stores the steps of a plan in a recording. They are executed as in
 * sched/exec.c, with two differences: memory comes from blocks that the recording owns, reuses and
 * keeps bound; and calls are stored with their arguments instead of being made. Consecutive
 * launches become one list if the backend has lists.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "device/device.h"
#include "base/mem.h"
#include "graph/graph.h"

gnd_status gnd__rnomem(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory while recording");
}

/* --- memory ----------------------------------------------------------------------------------- */

/* A block for nbytes: the smallest free block of the recording that is not much too large, or a new
 * block of the pool. `alone` requires a new block. */
static gnd_status take(gnd__recorded *r, size_t nbytes, int alone, gnd__block **out, gnd_err *e)
{
    gnd__rblock *best = NULL;
    gnd_status st;
    for (int i = 0; i < r->nblock && !alone; i++) {
        gnd__rblock *b = &r->block[i];
        if (!b->busy && b->b->nbytes >= nbytes && b->b->nbytes / 4 <= nbytes &&
            (!best || b->b->nbytes < best->b->nbytes))
            best = b;
    }
    if (best) {
        best->busy = 1;
        *out = best->b;
        return GND_OK;
    }
    if (r->nblock == r->capblock) {
        int cap = r->capblock ? 2 * r->capblock : 8;
        gnd__rblock *b = gnd__realloc(r->block, (size_t)cap * sizeof *b);
        if (!b)
            return gnd__rnomem(e);
        r->block = b;
        r->capblock = cap;
    }
    st = gnd__pool_alloc(r->dev->g, nbytes, out, e);
    if (st == GND_OK)
        r->block[r->nblock++] = (gnd__rblock){.b = *out, .busy = 1};
    return st;
}

static void give(gnd__recorded *r, const gnd__block *b)
{
    for (int i = 0; i < r->nblock; i++)
        if (r->block[i].b == b)
            r->block[i].busy = 0;
}

void gnd__record_disown(gnd__recorded *r, const gnd__block *b)
{
    for (int i = 0; i < r->nblock; i++)
        if (r->block[i].b == b) {
            r->block[i] = r->block[--r->nblock];
            return;
        }
}

int gnd__record_is_place(const gnd__recorded *r, const gnd__sched *s, const gnd__plan *p,
                         int32_t slot)
{
    for (int i = 0; s->keep[slot] && i < r->nin; i++)
        if (!gnd__recorded_by_value(r, i) && gnd__nbytes(r->in[i]) == p->slot[slot].nbytes)
            return 1;
    return 0;
}

gnd_status gnd__record_need(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, int32_t slot,
                            gnd_err *e)
{
    if (slot < 0 || p->slot[slot].leaf || s->block[slot])
        return GND_OK;
    return take(r, p->slot[slot].nbytes, gnd__record_is_place(r, s, p, slot), &s->block[slot], e);
}

/* Takes memory for all slots that a step uses. */
static gnd_status need_all(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, const gnd__step *st,
                           gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; st->type == GND__S_GEMM && i < 4 && x == GND_OK; i++)
        x = gnd__record_need(r, s, p, st->gemm_slot[i], e);
    for (int32_t i = 0; i < st->nargs && x == GND_OK; i++)
        if (st->arg[i].kind == GND__A_BUF)
            x = gnd__record_need(r, s, p, st->arg[i].ref, e);
    return x;
}

/* --- steps ------------------------------------------------------------------------------------ */

gnd_status gnd__copy_launch(gnd_klaunch *to, const gnd_klaunch *from, gnd_err *e)
{
    gnd_karg *args = gnd__malloc((from->nargs + 1u) * sizeof *args);
    if (!args)
        return gnd__rnomem(e);
    memcpy(args, from->args, from->nargs * sizeof *args);
    *to = *from;
    to->args = args;
    return GND_OK;
}

/* Notes that operand `arg` of launch `launch` (or of the call) of the current item is in a slot.
 * Which slots are places is known only at the end. */
static gnd_status note_use(gnd__recorded *r, int launch, int arg, int32_t slot, int esize,
                           gnd_err *e)
{
    if (r->nuse == r->capuse) {
        const int cap = r->capuse ? 2 * r->capuse : 64;
        gnd__ruse *u = gnd__realloc(r->use, (size_t)cap * sizeof *u);
        if (!u)
            return gnd__rnomem(e);
        r->use = u;
        r->capuse = cap;
    }
    r->use[r->nuse++] = (gnd__ruse){
        .item = r->first.nitem - 1, .launch = launch, .arg = arg, .place = slot, .esize = esize};
    return GND_OK;
}

static gnd_status note_args(gnd__recorded *r, int launch, const gnd__step *st, gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int32_t i = 0; i < st->nargs && x == GND_OK; i++) {
        const gnd__sarg *a = &st->arg[i];
        if (a->kind == GND__A_BUF || (a->kind == GND__A_OFF && a->ref >= 0))
            x = note_use(r, launch, i, a->ref, a->kind == GND__A_OFF ? a->esize : 0, e);
    }
    return x;
}

void gnd__ritem_here_free(gnd__ritem *t)
{
    for (int i = 0; t->here && i < t->n; i++)
        gnd__here_free(t->here[i].h);
    gnd__free(t->here);
    t->here = NULL;
}

/* Binds step st, the last launch of item t, for the calling thread, if it and the earlier launches
 * can run there. */
static gnd_status note_here(gnd__recorded *r, const gnd__sched *s, const gnd__plan *p,
                            const gnd__step *st, gnd__ritem *t, gnd_err *e)
{
    int32_t slot[GND__POINTS_ACCESS];
    gnd_status x = GND_OK;
    if (!t->here)
        return GND_OK;
    const int n = st->here ? gnd__here_bind(s, p, &s->graph, st, &t->here[t->n - 1], slot) : 0;
    if (n == 0)
        gnd__ritem_here_free(t);
    for (int i = 0; i < n && x == GND_OK; i++)
        if (slot[i] >= 0)
            x = note_use(r, t->n - 1, i, slot[i], GND__RUSE_HERE, e);
    return x;
}

/* Appends the launch of a step to the launches of item t, which has room for it. */
static gnd_status add_launch(gnd__recorded *r, gnd__sched *s, gnd__plan *p, gnd__step *st,
                             gnd__ritem *t, gnd_err *e)
{
    gnd_status x = gnd__bind_launch(s, p, &s->graph, r->dev->g, st, e);
    if (x == GND_OK)
        x = note_args(r, t->n, st, e);
    if (x == GND_OK)
        x = gnd__note_values(r, &s->graph, st, t, t->n, e);
    if (x == GND_OK)
        x = gnd__copy_launch(&t->launch[t->n], &st->launch, e);
    if (x != GND_OK)
        return x;
    t->work[t->n] = st->work;
    gnd__gate_kernel_hold(st->kernel);
    t->kernel[t->n++] = st->kernel;
    return note_here(r, s, p, st, t, e);
}

static gnd_status bind_call(gnd__recorded *r, gnd__sched *s, gnd__plan *p, gnd__step *st,
                            gnd__ritem *t, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd_status x = GND_OK;
    memcpy(t->label, st->label, sizeof t->label);
    for (int i = 0; st->type == GND__S_GEMM && i < 4 && st->gemm_slot[i] >= 0 && x == GND_OK; i++)
        x = note_use(r, 0, i, st->gemm_slot[i], 0, e);
    for (int i = 0; st->type != GND__S_GEMM && i < st->nargs / 2 && x == GND_OK; i++)
        x = note_use(r, 0, i, st->arg[2 * i].ref, 0, e);
    if (x != GND_OK)
        return x;
    if (st->type == GND__S_GEMM)
        return gnd__bind_gemm(s, p, &s->graph, d, st, &t->gemm, e);
    if (st->type == GND__S_FFT)
        return gnd__bind_fft(s, p, &s->graph, d, st, &t->fft, e);
    return gnd__bind_solve(s, p, &s->graph, d, st, &t->solve, e);
}

/* Whether a step has numbers as values, and the device's lists cannot change values. */
static int is_apart(const gnd__recorded *r, const gnd__sched *s, const gnd__step *st)
{
    return st->type == GND__S_LAUNCH && !gnd__gate_lists_vary(r->dev->g) &&
           gnd__step_has_number(&s->graph, st);
}

/* *out = a new item for step i. For a launch it has room for the following launches too, as long as
 * is_apart is the same for them. */
static gnd_status new_item(gnd__recorded *r, const gnd__sched *s, const gnd__plan *p, int32_t i,
                           gnd__ritem **out, gnd_err *e)
{
    gnd__ritem *t = &r->first.item[r->first.nitem++];
    int n = 0;
    t->type = p->step[i].type;
    t->one_by_one = is_apart(r, s, &p->step[i]);
    t->value = r->nvalue;
    *out = t;
    if (t->type != GND__S_LAUNCH)
        return GND_OK;
    while (i + n < p->nstep && p->step[i + n].type == GND__S_LAUNCH &&
           is_apart(r, s, &p->step[i + n]) == t->one_by_one)
        n++;
    t->kernel = gnd__calloc((size_t)n, sizeof *t->kernel);
    t->launch = gnd__calloc((size_t)n, sizeof *t->launch);
    t->work = gnd__calloc((size_t)n, sizeof *t->work);
    t->here = p->here ? gnd__calloc((size_t)n, sizeof *t->here) : NULL;
    return t->kernel && t->launch && t->work && (t->here || !p->here) ? GND_OK : gnd__rnomem(e);
}

gnd_status gnd__record_steps(gnd__recorded *r, gnd__sched *s, gnd__plan *p, gnd_err *e)
{
    gnd_status x = GND_OK;
    gnd__ritem *t = NULL;
    r->first.item = gnd__calloc((size_t)p->nstep + 1, sizeof *r->first.item);
    if (!r->first.item)
        return gnd__rnomem(e);
    for (int32_t i = 0; i < p->nstep && x == GND_OK; i++) {
        gnd__step *st = &p->step[i];
        if (!t || t->type != GND__S_LAUNCH || st->type != GND__S_LAUNCH ||
            is_apart(r, s, st) != t->one_by_one)
            x = new_item(r, s, p, i, &t, e);
        if (x == GND_OK)
            x = need_all(r, s, p, st, e);
        if (x == GND_OK)
            x = st->type == GND__S_LAUNCH ? add_launch(r, s, p, st, t, e)
                                          : bind_call(r, s, p, st, t, e);
        for (int32_t b = st->dead; b >= 0 && x == GND_OK; b = p->slot[b].next_dead)
            if (s->block[b] && !s->keep[b]) {
                give(r, s->block[b]);
                s->block[b] = NULL;
            }
    }
    for (int i = 0; i < r->first.nitem; i++) {
        t = &r->first.item[i];
        if (t->here && !gnd__here_pays(t->n, t->here))
            gnd__ritem_here_free(t);
    }
    return x == GND_OK ? gnd__version_lists(r, &r->first, e) : x;
}
