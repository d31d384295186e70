/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan_launch.c - the steps of a user's kernel (graph/launch.h): copies inputs that are not
 * contiguous, and the contents of inout arguments unless their memory may be overwritten
 * (fuse/group.c); then launches. Outputs that are not nodes of the graph get memory as well.
 */
#include "sched/maker.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "graph/launch.h"

/* The slot of output k of work w: its node's, or a new one. */
static gnd_status output_slots(gnd__maker *m, const gnd__pwork *w, int32_t *slot)
{
    const gnd__launch *l = m->g->node[w->root[0]].a->p.launch;
    gnd__plan *p = m->p;
    for (int k = 0; k < l->nout; k++)
        slot[k] = -1;
    for (int r = 0; r < w->nroot; r++) {
        const gnd__pnode *q = &m->g->node[w->root[r]];
        slot[r == 0 ? 0 : q->a->p.part] = q->slot;
    }
    for (int k = 0; k < l->nout; k++) {
        if (slot[k] >= 0)
            continue;
        if (p->npart == p->cappart) {
            const int32_t cap = p->cappart ? 2 * p->cappart : 8;
            gnd__ppart *part = gnd__realloc(p->part, (size_t)cap * sizeof *part);
            if (!part)
                return gnd__plan_nomem(m->e);
            p->part = part;
            p->cappart = cap;
        }
        slot[k] = gnd__plan_slot(m, -1, 0, l->out_bytes[k]);
        if (slot[k] < 0)
            return GND_ERR_NOMEM;
        p->part[p->npart++] = (gnd__ppart){.node = w->root[0], .slot = slot[k], .k = k};
    }
    return gnd__plan_fits(m);
}

/* Whether input x of argument a, at this place, must be copied for the kernel. Of a leaf's own
 * offset, the key of a plan contains only the alignment. */
static int must_move(const gnd__larg *a, const gnd_array *x, const gnd__place *place)
{
    const int64_t at = place->l.off * (int64_t)gnd_dtype_size((gnd_dtype)x->dtype);
    const int leaf = place->a->data.st ? 8 << gnd__leaf_alignment(place->a) : 128;
    if (x->size == 0)
        return 0;
    return (!a->strided && !gnd__layout_is_contig(&place->l)) ||
           (a->aligned && (leaf < a->aligned || at % a->aligned != 0));
}

/* The memory of argument a: its slot and its start there in bytes. */
static gnd_status input_slot(gnd__maker *m, const gnd__pnode *p, const gnd__larg *a,
                             const int32_t *out, int32_t *slot, int64_t *at)
{
    const int32_t i = m->g->inputs[p->in + a->in];
    const gnd_array *x = m->g->node[i].a;
    const gnd_dtype t = (gnd_dtype)x->dtype;
    gnd__place place;
    int32_t blame;
    *at = 0;
    if (!gnd__place_of(m->g, i, &place, &blame))
        return gnd__err(m->e, GND_ERR_INTERNAL, "launch: an input without memory");
    if (a->kind == GND__L_INOUT) {
        *slot = out[a->out];
        return place.slot == *slot || x->size == 0 ? GND_OK
                                                   : gnd__plan_copy_to(m, &place, t, *slot, NULL);
    }
    if (must_move(a, x, &place))
        return gnd__plan_copy(m, &place, t, slot);
    *slot = place.slot;
    *at = place.l.off * (int64_t)gnd_dtype_size(t);
    return GND_OK;
}

/* The stride of an axis of argument a as input_slot leaves it. */
static gnd_status stride_of(gnd__maker *m, const gnd__pnode *p, const gnd__larg *a, int axis,
                            int64_t *stride)
{
    const int32_t i = m->g->inputs[p->in + a->in];
    const gnd_array *x = m->g->node[i].a;
    gnd__place place;
    int32_t blame;
    if (!gnd__place_of(m->g, i, &place, &blame))
        return gnd__err(m->e, GND_ERR_INTERNAL, "launch: an input without memory");
    *stride = x->size > 0;
    if (x->size > 0 && !must_move(a, x, &place))
        *stride = place.l.stride[axis];
    else
        for (int d = axis + 1; d < x->ndim && x->size > 0; d++)
            *stride *= x->dim[d];
    return GND_OK;
}

static gnd_status launch_args(gnd__maker *m, const gnd__pwork *w, gnd__sarg *arg, gnd__step *about)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    const gnd__launch *l = p->a->p.launch;
    int32_t out[GND__LAUNCH_OUTS];
    gnd_status st = output_slots(m, w, out);
    for (int i = 0; i < l->narg && st == GND_OK; i++) {
        const gnd__larg *a = &l->arg[i];
        gnd__sarg *b = &arg[i];
        int64_t at = 0;
        b->kind = GND__A_BUF;
        switch ((gnd__lkind)a->kind) {
        case GND__L_IN:
        case GND__L_INOUT:
            st = input_slot(m, p, a, out, &b->ref, &at);
            about->rd += (int64_t)(p->a->in[a->in]->size *
                                   (int64_t)gnd_dtype_size((gnd_dtype)p->a->in[a->in]->dtype));
            break;
        case GND__L_OUT: b->ref = out[a->out]; break;
        case GND__L_OFFSET:
            *b = (gnd__sarg){.kind = GND__A_OFF,
                             .size = 8,
                             .esize = 1,
                             .ref = arg[a->of].ref,
                             .value = arg[a->of].value};
            break;
        case GND__L_STRIDE:
            st = stride_of(m, p, &l->arg[a->of], a->axis, &at);
            *b = (gnd__sarg){.kind = GND__A_OFF, .size = 8, .esize = 1, .ref = -1, .value = at};
            break;
        case GND__L_VALUE:
            *b = (gnd__sarg){
                .kind = GND__A_NUMBER, .size = (uint8_t)a->nbytes, .ref = w->root[0], .value = i};
            break;
        case GND__L_TABLE: b->kind = GND__A_CHECK; break;
        case GND__L_ENTRY:
            *b = (gnd__sarg){
                .kind = GND__A_CHECKID, .size = 4, .ref = gnd__plan_check(m, w->root[0])};
            st = b->ref < 0 ? GND_ERR_NOMEM : st;
            break;
        case GND__L_SCRATCH:
            b->ref = gnd__plan_slot(m, -1, 0, a->nbytes);
            b->written = 1;
            st = b->ref < 0 ? GND_ERR_NOMEM : st;
            break;
        case GND__L_LOCAL: *b = (gnd__sarg){.kind = GND__A_LOCAL, .value = a->nbytes}; break;
        }
        if (a->kind <= GND__L_INOUT)
            b->value = at;
        if (a->kind == GND__L_OUT || a->kind == GND__L_INOUT) {
            b->written = 1;
            about->wr += (int64_t)l->out_bytes[a->out];
            if (st == GND_OK && m->p->slot[b->ref].leaf)
                about->over = w->root[0] + 1;
        }
    }
    return st;
}

gnd_status gnd__plan_launch(gnd__maker *m, const gnd__pwork *w)
{
    const gnd__launch *l = m->g->node[w->root[0]].a->p.launch;
    gnd__step about = {0};
    gnd__sarg *arg = gnd__calloc((size_t)l->narg + 1, sizeof *arg);
    gnd_status st = arg ? launch_args(m, w, arg, &about) : gnd__plan_nomem(m->e);
    gnd__step *s = st == GND_OK ? gnd__plan_step(m) : NULL;
    if (!s) {
        gnd__free(arg);
        return st == GND_OK ? GND_ERR_NOMEM : st;
    }
    s->type = GND__S_LAUNCH;
    s->first = 1;
    s->ndim = 3;
    for (int d = 0; d < 3; d++) {
        s->local[d] = (size_t)l->block[d];
        s->global[d] = (size_t)(l->grid[d] * l->block[d]);
    }
    while (s->ndim > 1 && s->global[s->ndim - 1] == 1)
        s->ndim--;
    snprintf(s->label, sizeof s->label, "user kernel %.120s", l->user->name);
    s->rd = about.rd;
    s->wr = about.wr;
    s->over = about.over;
    s->nargs = l->narg;
    s->arg = arg;
    m->p->nlaunch++;
    if (s->over) {
        m->p->over = 1;
        m->p->repeats = -1; /* each run has memory of its own */
    }
    if (m->want_source)
        return (s->source = gnd__strdup(l->user->src)) ? GND_OK : gnd__plan_nomem(m->e);
    return gnd__gate_kernel(m->dev, l->user->name, l->user->src, l->user->len, &s->kernel, m->e);
}
