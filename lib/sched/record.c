/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record.c - see record.h: makes recordings. Inputs get memory and become places. The outputs
 * are collected and planned. record_steps.c stores the steps of the plan. Results become nodes over
 * the recording's memory. replay.c runs recordings.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"
#include "graph/label.h"
#include "graph/launch.h"
#include <gnd/array.h>

/* A node with the shape and dtype of a and its elements in st. It is not a handle: the recording
 * owns it. NULL: out of memory. */
static gnd_array *node_over(const gnd_array *a, gnd__storage *st, int64_t off, int contig,
                            const int64_t *stride)
{
    gnd_array *x = gnd__data_node(a->dev, (gnd_dtype)a->dtype, a->ndim, a->dim, st, off,
                                  contig ? NULL : stride);
    if (x->kind != GND__DATA)
        return NULL;
    gnd__ref(x);
    gnd_release(x);
    return x;
}

/* Retains the memory of other owners that the steps read. The conditions that a device must check
 * (check.h) are checked here, once. */
static gnd_status hold_leaves(gnd__recorded *r, const gnd__plan *p, const gnd__pgraph *g,
                              gnd_err *e)
{
    gnd_status x = GND_OK;
    r->held = gnd__calloc((size_t)g->nnode + (size_t)r->nout + 1, sizeof(gnd__storage *));
    if (!r->held)
        return gnd__rnomem(e);
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

/* Makes storage st, of nbytes, a place. Inputs are places, and so are outputs that could become
 * inputs of a later replay. */
static void add_place(gnd__recorded *r, gnd__storage *st, size_t nbytes, int written)
{
    gnd__storage_ref(st);
    r->place[r->nplace++] =
        (gnd__rplace){.st = st, .own = st->block, .nbytes = nbytes, .written = written};
}

/* Makes output o from the result of node i of the graph. */
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
        x = gnd__record_need(r, s, p, q->slot, e); /* it has no elements, or no step writes it */
        if (x != GND_OK)
            return x;
        s->st[q->slot] = gnd__storage_new(r->dev, s->block[q->slot]);
        if (!s->st[q->slot])
            return gnd__rnomem(e);
        gnd__record_disown(r, s->block[q->slot]);
        if (gnd__record_is_place(r, s, p, q->slot))
            add_place(r, s->st[q->slot], p->slot[q->slot].nbytes, 1);
    }
    st = leaf ? leaf->data.st : s->st[q->slot];
    r->out[o] =
        node_over(g->node[i].a, st, q->off + (leaf ? leaf->data.off : 0), q->contig, q->stride);
    return r->out[o] ? GND_OK : gnd__rnomem(e);
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

/* Collects, plans and records the n outputs that must be computed, sink[]. which[]: their indices
 * among all outputs. */
static gnd_status record_plan(gnd__recorded *r, gnd__sched *s, int n, gnd_array *const *sink,
                              const int *which, gnd_err *e)
{
    gnd__plan *p = NULL;
    gnd_status x;
    s->graph.frozen = 1; /* collecting must not give elements to nodes */
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
        return gnd__rnomem(e);
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
        x = gnd__record_steps(r, s, p, e);
    for (int i = 0; i < n && x == GND_OK; i++)
        x = set_out(r, s, p, which[i], s->graph.sinks[i], e);
    if (x == GND_OK)
        find_uses(r, s, p);
    for (int32_t i = 0; i < p->nslot; i++)
        if (s->st[i])
            gnd__storage_unref(s->st[i]); /* from now on only the nodes hold it */
    gnd__checks_drop(s, p);
    return x;
}

/* Records all outputs. An output that has elements already (for example an input) needs no plan. */
static gnd_status record(gnd__recorded *r, int nout, gnd_array *const *out, gnd_err *e)
{
    gnd__sched *s = gnd__sched_of(r->dev);
    if (!s)
        return gnd__rnomem(e);
    gnd_array **sink = gnd__malloc((size_t)nout * sizeof *sink);
    int *which = gnd__malloc((size_t)nout * sizeof *which), n = 0;
    gnd_status x = sink && which ? GND_OK : gnd__rnomem(e);
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
            x = gnd__rnomem(e);
    }
    if (n > 0 && x == GND_OK)
        x = record_plan(r, s, n, sink, which, e);
    s->graph.number = NULL;
    s->graph.nnumber = 0;
    gnd__free(sink);
    gnd__free(which);
    return x;
}

/* Makes input i, whose placeholder a is a number, a constant. Its first value is 0. */
static gnd_status set_number(gnd__recorded *r, int i, gnd_array *a, gnd_err *e)
{
    const uint64_t none[2] = {0};
    const gnd__scalar zero = gnd__load_scalar((gnd_dtype)a->dtype, none);
    gnd_array *c = gnd__const(a->dev, (gnd_dtype)a->dtype, &zero, 0);
    if (c->kind == GND__ERROR)
        return gnd__rnomem(e);
    gnd__ref(c);
    gnd_release(c);
    r->in[i] = c;
    r->number[i] = (gnd__pnumber){.in = a, .as = c};
    return GND_OK;
}

/* Gives input i memory with the shape of placeholder a. Until the recording is made, a refers to
 * that memory. */
static gnd_status set_in(gnd__recorded *r, int i, gnd_array *a, gnd_err *e)
{
    gnd__block *b = NULL;
    gnd__storage *st;
    gnd_status x = gnd__pool_alloc(r->dev->g, gnd__nbytes(a), &b, e);
    char what[GND__WHAT_TEXT];
    if (x != GND_OK) {
        gnd__err_prefix(e, "no memory for input %d, %.200s", i, gnd__what_text(what, a));
        return x;
    }
    st = gnd__storage_new(r->dev, b);
    if (!st) {
        gnd__pool_free(r->dev->g, b);
        return gnd__rnomem(e);
    }
    r->in[i] = node_over(a, st, 0, 1, NULL);
    gnd__storage_unref(st);
    if (!r->in[i])
        return gnd__rnomem(e);
    add_place(r, st, gnd__nbytes(a), 0);
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
        return gnd__rnomem(e);
    r->dev = dev;
    r->nin = nin;
    r->nout = nout;
    r->in = gnd__calloc((size_t)nin + 1, sizeof *r->in);
    r->out = gnd__calloc((size_t)nout + 1, sizeof *r->out);
    r->place = gnd__calloc((size_t)nin + (size_t)nout + 1, sizeof *r->place);
    r->set = gnd__calloc((size_t)nin + 1, sizeof *r->set);
    r->number = gnd__calloc((size_t)nin + 1, sizeof *r->number);
    if (!r->in || !r->out || !r->place || !r->set || !r->number)
        x = gnd__rnomem(e);
    for (; n < nin && x == GND_OK; n++)
        x = in[n]->p.number ? set_number(r, n, in[n], e) : set_in(r, n, in[n], e);
    if (x == GND_OK)
        x = record(r, nout, out, e);
    for (int i = 0; i < n; i++) /* each input is a placeholder again */
        memset(&in[i]->data, 0, sizeof in[i]->data);
    gnd__free(r->number);
    r->number = NULL;
    if (x != GND_OK) {
        (void)gnd__recorded_free(r, NULL); /* e keeps the first error */
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
