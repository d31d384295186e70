/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record.c - see record.h: how a recording is made. The steps of a plan are executed as in
 * sched/exec.c, with two differences: memory comes from blocks that the recording owns, reuses and
 * keeps bound; and calls are stored with their arguments instead of being made. Consecutive
 * launches become one list if the backend has lists. replay.c runs recordings.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"
#include "graph/label.h"
#include "graph/launch.h"
#include <gnd/array.h>

static gnd_status nomem(gnd_err *e)
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
            return nomem(e);
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

/* Makes block b the property of a storage. */
static void disown(gnd__recorded *r, const gnd__block *b)
{
    for (int i = 0; i < r->nblock; i++)
        if (r->block[i].b == b) {
            r->block[i] = r->block[--r->nblock];
            return;
        }
}

static size_t nbytes_of(const gnd_array *a)
{
    return (size_t)a->size * gnd_dtype_size((gnd_dtype)a->dtype);
}

/* Whether an output in this slot could be fed to an input. Its memory may then be exchanged with
 * the input's, so nothing else may use it. */
static int is_place(const gnd__recorded *r, const gnd__sched *s, const gnd__plan *p, int32_t slot)
{
    for (int i = 0; s->keep[slot] && i < r->nin; i++)
        if (!gnd__recorded_by_value(r, i) && nbytes_of(r->in[i]) == p->slot[slot].nbytes)
            return 1;
    return 0;
}

static gnd_status need(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, int32_t slot,
                       gnd_err *e)
{
    if (slot < 0 || p->slot[slot].leaf || s->block[slot])
        return GND_OK;
    return take(r, p->slot[slot].nbytes, is_place(r, s, p, slot), &s->block[slot], e);
}

/* Takes memory for all slots that a step uses. */
static gnd_status need_all(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, const gnd__step *st,
                           gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; st->type == GND__S_GEMM && i < 4 && x == GND_OK; i++)
        x = need(r, s, p, st->gemm_slot[i], e);
    for (int32_t i = 0; i < st->nargs && x == GND_OK; i++)
        if (st->arg[i].kind == GND__A_BUF)
            x = need(r, s, p, st->arg[i].ref, e);
    return x;
}

/* Makes a node like a with elements in st, which it retains. NULL: out of memory. */
static gnd_array *node_over(const gnd_array *a, gnd__storage *st, int64_t off, int contig,
                            const int64_t *stride)
{
    int64_t *copy = NULL;
    gnd_array *x = gnd__node(GND__DATA, a->dev, (gnd_dtype)a->dtype, a->ndim, a->dim, 0, NULL);
    if (x->kind == GND__ERROR)
        return NULL;
    gnd__ref(x);
    gnd_release(x);
    if (!contig) {
        copy = gnd__malloc((a->ndim + 1u) * sizeof *copy);
        if (!copy) {
            gnd__unref(x);
            return NULL;
        }
        memcpy(copy, stride, a->ndim * sizeof *copy);
    }
    gnd__storage_ref(st);
    x->data = (gnd__data){.st = st, .off = off, .contig = contig, .stride = copy};
    x->pending = 0;
    return x;
}

/* --- steps ------------------------------------------------------------------------------------ */

gnd_status gnd__copy_launch(gnd_klaunch *to, const gnd_klaunch *from, gnd_err *e)
{
    gnd_karg *args = gnd__malloc((from->nargs + 1u) * sizeof *args);
    if (!args)
        return nomem(e);
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
            return nomem(e);
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

/* Appends the launch of a step to those of item t, which has room. */
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
    if (x == GND_OK) {
        t->work[t->n] = st->work;
        gnd__gate_kernel_hold(st->kernel);
        t->kernel[t->n++] = st->kernel;
    }
    return x;
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

/* Whether a step has values that no list of the device could change. */
static int is_apart(const gnd__recorded *r, const gnd__sched *s, const gnd__step *st)
{
    return st->type == GND__S_LAUNCH && !gnd__gate_lists_vary(r->dev->g) &&
           gnd__step_has_number(&s->graph, st);
}

/* Makes an item for step i and following launches of the same way, if it launches. */
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
    return t->kernel && t->launch && t->work ? GND_OK : nomem(e);
}

/* Notes all steps, with the slots that `keep` marks kept. */
static gnd_status note_steps(gnd__recorded *r, gnd__sched *s, gnd__plan *p, gnd_err *e)
{
    gnd_status x = GND_OK;
    gnd__ritem *t = NULL;
    r->first.item = gnd__calloc((size_t)p->nstep + 1, sizeof *r->first.item);
    if (!r->first.item)
        return nomem(e);
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
    return x == GND_OK ? gnd__version_lists(r, &r->first, e) : x;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Retains memory of other owners that the steps read. Conditions that only the device can check are
 * checked here, once. */
static gnd_status hold_leaves(gnd__recorded *r, const gnd__plan *p, const gnd__pgraph *g,
                              gnd_err *e)
{
    gnd_status x = GND_OK;
    r->held = gnd__calloc((size_t)g->nnode + (size_t)r->nout + 1, sizeof(gnd__storage *));
    if (!r->held)
        return nomem(e);
    for (int32_t i = 0; i < p->nslot && x == GND_OK; i++) {
        gnd__storage *st;
        if (!p->slot[i].leaf)
            continue;
        st = g->node[p->slot[i].node].a->data.st;
        x = gnd__checks_pass(st, e);
        gnd__storage_ref(st);
        r->held[r->nheld++] = st;
    }
    return x;
}

/* Makes storage st, of nbytes, a place. Inputs are places, and so are outputs that could be fed to
 * them. */
static void add_place(gnd__recorded *r, gnd__storage *st, size_t nbytes, int written)
{
    gnd__storage_ref(st);
    r->place[r->nplace++] =
        (gnd__rplace){.st = st, .own = st->block, .nbytes = nbytes, .written = written};
}

/* Makes the result of node i of the graph output o. */
static gnd_status set_out(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, int o, int32_t i,
                          gnd_err *e)
{
    const gnd__pgraph *g = &s->graph;
    const gnd__presult *q = NULL;
    const gnd_array *leaf;
    gnd__storage *st;
    gnd_status x;
    for (int32_t k = 0; k < p->nresult; k++)
        if (p->result[k].node == i)
            q = &p->result[k];
    if (!q)
        return gnd__err(e, GND_ERR_INTERNAL, "recording: output %d has no result", o);
    leaf = p->slot[q->slot].leaf ? g->node[p->slot[q->slot].node].a : NULL;
    if (!leaf && !s->st[q->slot]) {
        x = need(r, s, p, q->slot, e); /* without elements, or never written */
        if (x != GND_OK)
            return x;
        s->st[q->slot] = gnd__storage_new(r->dev, s->block[q->slot]);
        if (!s->st[q->slot])
            return nomem(e);
        disown(r, s->block[q->slot]);
        if (is_place(r, s, p, q->slot))
            add_place(r, s->st[q->slot], p->slot[q->slot].nbytes, 1);
    }
    st = leaf ? leaf->data.st : s->st[q->slot];
    r->out[o] =
        node_over(g->node[i].a, st, q->off + (leaf ? leaf->data.off : 0), q->contig, q->stride);
    return r->out[o] ? GND_OK : nomem(e);
}

/* Converts notes about slots to notes about places. Notes about other slots are dropped: their
 * memory does not move. */
static void find_uses(gnd__recorded *r, const gnd__sched *s, const gnd__plan *p)
{
    int n = 0;
    for (int i = 0; i < r->nuse; i++) {
        gnd__ruse u = r->use[i];
        const gnd__pslot *slot = &p->slot[u.place];
        const gnd__storage *st = slot->leaf ? s->graph.node[slot->node].a->data.st : s->st[u.place];
        u.place = gnd__rplace_of(r, st);
        if (u.place >= 0)
            r->use[n++] = u;
    }
    r->nuse = n;
}

/* Collects the outputs that must be computed: which[] of out[]. */
static gnd_status record_plan(gnd__recorded *r, gnd__sched *s, int n, gnd_array *const *sink,
                              const int *which, gnd_err *e)
{
    gnd__plan *p = NULL;
    gnd_status x;
    s->graph.frozen = 1; /* nodes get no elements */
    x = gnd__collect(&s->graph, r->dev, n, sink, e);
    if (x == GND_ERR_STATE) {
        gnd__err_clear(e);
        return gnd__err(e, GND_ERR_STATE,
                        "an output depends on a placeholder that is not among the inputs");
    }
    if (x == GND_OK)
        x = gnd__plan_find(s, &s->graph, &p, e);
    s->graph.frozen = 0;
    if (x != GND_OK)
        return x;
    if (!gnd__plan_room(s, p, &s->graph))
        return nomem(e);
    memset(s->keep, 0, (size_t)p->nslot);
    for (int32_t i = 0; i < p->nresult; i++)
        s->keep[p->result[i].slot] |= s->graph.node[p->result[i].node].sink;
    x = gnd__checks_take(s, p, &s->graph, e);
    if (x != GND_OK)
        return x;
    x = hold_leaves(r, p, &s->graph, e);
    if (x == GND_OK)
        x = gnd__checks_keep(s, p, &r->checks, e);
    if (x == GND_OK)
        x = note_steps(r, s, p, e);
    for (int i = 0; i < n && x == GND_OK; i++)
        x = set_out(r, s, p, which[i], s->graph.sinks[i], e);
    if (x == GND_OK)
        find_uses(r, s, p);
    for (int32_t i = 0; i < p->nslot; i++)
        if (s->st[i])
            gnd__storage_unref(s->st[i]); /* the nodes hold it, or nothing does */
    gnd__checks_drop(s, p);
    return x;
}

/* Outputs that have elements already (an input itself among them) are taken as they are. */
static gnd_status record(gnd__recorded *r, int nout, gnd_array *const *out, gnd_err *e)
{
    gnd__sched *s = gnd__sched_of(r->dev);
    if (!s)
        return nomem(e);
    gnd_array **sink = gnd__malloc((size_t)nout * sizeof *sink);
    int *which = gnd__malloc((size_t)nout * sizeof *which), n = 0;
    gnd_status x = sink && which ? GND_OK : nomem(e);
    s->graph.number = r->number;
    s->graph.nnumber = r->nin;
    for (int i = 0; i < nout && x == GND_OK; i++) {
        const gnd__data *d = &out[i]->data;
        gnd__part_adopt(out[i]);
        if (!d->st) {
            sink[n] = out[i];
            which[n++] = i;
            continue;
        }
        x = gnd__checks_pass(d->st, e);
        if (x == GND_OK && !(r->out[i] = node_over(out[i], d->st, d->off, d->contig, d->stride)))
            x = nomem(e);
    }
    if (n > 0 && x == GND_OK)
        x = record_plan(r, s, n, sink, which, e);
    s->graph.number = NULL;
    s->graph.nnumber = 0;
    gnd__free(sink);
    gnd__free(which);
    return x;
}

/* Makes input i the number of placeholder a: a constant, 0 at first. */
static gnd_status set_number(gnd__recorded *r, int i, gnd_array *a, gnd_err *e)
{
    const uint64_t none[2] = {0};
    const gnd__scalar zero = gnd__load_scalar((gnd_dtype)a->dtype, none);
    gnd_array *c = gnd__const(a->dev, (gnd_dtype)a->dtype, &zero, 0);
    if (c->kind == GND__ERROR)
        return nomem(e);
    gnd__ref(c);
    gnd_release(c);
    r->in[i] = c;
    r->number[i] = (gnd__pnumber){.in = a, .as = c};
    return GND_OK;
}

/* Gives input i memory, with the shape of placeholder a, which refers to it temporarily. */
static gnd_status set_in(gnd__recorded *r, int i, gnd_array *a, gnd_err *e)
{
    gnd__block *b = NULL;
    gnd__storage *st;
    gnd_status x = gnd__pool_alloc(r->dev->g, nbytes_of(a), &b, e);
    char what[GND__WHAT_TEXT];
    if (x != GND_OK) {
        gnd__err_prefix(e, "no memory for input %d, %.200s", i, gnd__what_text(what, a));
        return x;
    }
    st = gnd__storage_new(r->dev, b);
    if (!st) {
        gnd__pool_free(r->dev->g, b);
        return nomem(e);
    }
    r->in[i] = node_over(a, st, 0, 1, NULL);
    gnd__storage_unref(st);
    if (!r->in[i])
        return nomem(e);
    add_place(r, st, nbytes_of(a), 0);
    a->data = r->in[i]->data;
    return GND_OK;
}

gnd_status gnd__recorded_make(gnd_device *dev, int nin, gnd_array *const *in, int nout,
                              gnd_array *const *out, gnd__recorded **owner, gnd_err *e)
{
    gnd__recorded *r = gnd__calloc(1, sizeof *r);
    gnd_status x = GND_OK;
    int n = 0;
    if (!r)
        return nomem(e);
    r->dev = dev;
    r->nin = nin;
    r->nout = nout;
    r->in = gnd__calloc((size_t)nin + 1, sizeof *r->in);
    r->out = gnd__calloc((size_t)nout + 1, sizeof *r->out);
    r->place = gnd__calloc((size_t)nin + (size_t)nout + 1, sizeof *r->place);
    r->set = gnd__calloc((size_t)nin + 1, sizeof *r->set);
    r->number = gnd__calloc((size_t)nin + 1, sizeof *r->number);
    if (!r->in || !r->out || !r->place || !r->set || !r->number)
        x = nomem(e);
    for (; n < nin && x == GND_OK; n++)
        x = in[n]->p.number ? set_number(r, n, in[n], e) : set_in(r, n, in[n], e);
    if (x == GND_OK)
        x = record(r, nout, out, e);
    for (int i = 0; i < n; i++) /* it is a placeholder again */
        memset(&in[i]->data, 0, sizeof in[i]->data);
    gnd__free(r->number);
    r->number = NULL;
    if (x != GND_OK) {
        (void)gnd__recorded_free(r, NULL); /* the first error counts */
        return x;
    }
    gnd__sched *s = dev->plans;
    r->next = s->records;
    if (r->next)
        r->next->prev = r;
    s->records = r;
    r->owner = owner;
    *owner = r;
    return GND_OK;
}
