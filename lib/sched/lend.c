/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/lend.c - see record.h: inputs of recordings that are in the memory of other arrays. Arrays
 * are immutable, so such memory has the input's elements as long as the recording holds it.
 *
 * Versions are found as if a lent place were in its own block. The arguments of a version are
 * changed before it runs, if the place is elsewhere than at its last run.
 */
#include "sched/record_priv.h"

#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"

gnd__block *gnd__place_key(const gnd__rplace *p)
{
    return p->lent ? p->own : p->st->block;
}

void gnd__place_back(gnd__rplace *p)
{
    if (!p->lent)
        return;
    gnd__storage_unref(p->lent);
    p->lent = NULL;
    p->st->block = p->own;
}

/* The driver has the arguments of a list, and would have to be told each. A part of a larger array
 * is not held, because all of it would be. */
int gnd__recorded_lend(gnd__recorded *r, int i, gnd_array *c)
{
    const int32_t k = gnd__rplace_of(r, r->in[i]->data.st);
    gnd__storage *st = c->data.st;
    gnd__rplace *p = &r->place[k];
    if (p->written || r->cycle || gnd__version_has_lists(&r->first) || st->foreign ||
        st->block->nbytes != p->nbytes || gnd__rplace_of(r, st) >= 0)
        return 0;
    gnd__storage_ref(st); /* first, because it may be lent to this place already */
    gnd__place_back(p);
    p->lent = st;
    p->st->block = st->block;
    r->lends = 1;
    return 1;
}

gnd_status gnd__recorded_own(gnd__recorded *r, gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; i < r->nin && x == GND_OK; i++) {
        const int32_t k = gnd__recorded_by_value(r, i) ? -1 : gnd__rplace_of(r, r->in[i]->data.st);
        gnd__storage *st = k < 0 ? NULL : r->place[k].lent;
        if (!st)
            continue;
        gnd__storage_ref(st);
        gnd__recorded_write(r, i);
        x = gnd__gate_copy(r->dev->g, r->place[k].st->block, 0, st->block, 0, r->place[k].nbytes,
                           e);
        gnd__storage_unref(st);
    }
    return x;
}

static gnd__rbound bound_to(gnd__block *b)
{
    return (gnd__rbound){.block = b, .buf = b->buf, .off = b->off, .address = gnd__gate_address(b)};
}

gnd__rbound gnd__version_bound(const gnd__recorded *r, const gnd__rversion *v, int k)
{
    if (v->bound && v->bound[k].block)
        return v->bound[k];
    return bound_to(v->at ? v->at[k] : r->place[k].own);
}

gnd_status gnd__version_bind(gnd__recorded *r, gnd__rversion *v, gnd_err *e)
{
    if (!v->bound && !(v->bound = gnd__calloc((size_t)r->nplace, sizeof *v->bound)))
        return gnd__rnomem(e);
    for (int k = 0; k < r->nplace; k++) {
        gnd__block *to = r->place[k].st->block;
        const gnd__rbound from = gnd__version_bound(r, v, k);
        if (from.block == to && from.buf == to->buf && from.off == to->off)
            continue;
        for (int i = 0; i < r->nuse; i++)
            if (r->use[i].place == k)
                gnd__ritem_move(&v->item[r->use[i].item], &r->use[i], &from, to);
        v->bound[k] = bound_to(to);
    }
    return GND_OK;
}
