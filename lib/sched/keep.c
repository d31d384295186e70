/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/keep.c - which results stay in memory after a plan has run: those requested, those with an
 * owner outside the graph, and those that were expensive (a reduction, a product, a primitive, a
 * join) and are below something that has an owner and gets no elements; for example a sort below a
 * view of it, of which one element was read. A node that gets elements drops its inputs, so of a
 * chain of expensive nodes only the last one stays.
 */
#include "sched/plan.h"

#include <string.h>
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"

/* Kept values take at most 1/PART of the memory that all other arrays leave free. */
enum { PART = 4 };

void gnd__keep_count(gnd__storage *st)
{
    if (st->kept || st->foreign)
        return;
    st->kept = st->block->nbytes;
    st->dev->g->n.bytes_kept += st->kept;
}

/* Whether nbytes more may be kept, besides `more` that this plan keeps already. */
static int affordable(const gnd__gdev *d, uint64_t nbytes, uint64_t more)
{
    const uint64_t most = gnd__pool_most(d), others = d->n.bytes_in_use - d->n.bytes_kept;
    return others < most && d->n.bytes_kept + more + nbytes <= (most - others) / PART;
}

static int has_owner(const gnd__plan *p, const gnd__pgraph *g, int32_t i)
{
    return atomic_load(&g->node[i].a->refs) > p->nuse[i] + g->node[i].lost;
}

int gnd__keep_choose(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g)
{
    int32_t left = p->nexpensive, r = p->nresult - 1;
    uint64_t more = 0;
    for (int32_t i = 0; i < p->nresult; i++) {
        const gnd__presult *q = &p->result[i];
        s->retain[i] =
            g->node[q->node].sink || has_owner(p, g, q->node) ? GND__RETAIN_OWNED : GND__RETAIN_NOT;
        left -= q->expensive && s->retain[i];
    }
    if (left == 0 || s->frugal)
        return 0;
    if (g->nnode > s->caplive) {
        uint8_t *live = gnd__realloc(s->live, (size_t)g->nnode * 2);
        if (!live)
            return 0;
        s->live = live;
        s->caplive = g->nnode * 2;
    }
    /* live: the nodes that owners will need after the plan has run. Goes from the sinks down,
     * because users come after their inputs. */
    memset(s->live, 0, (size_t)g->nnode);
    for (int32_t i = 0; i < g->ndup; i++)
        s->live[g->dup[i].node] |= atomic_load(&g->dup[i].a->refs) > g->dup[i].uses;
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        const gnd__pnode *n = &g->node[i];
        const int32_t k = r >= 0 && p->result[r].node == i ? r-- : -1;
        if (gnd__is_leaf(n->a) || (k >= 0 && s->retain[k]) || !(s->live[i] || has_owner(p, g, i)))
            continue;
        if (k >= 0 && p->result[k].expensive &&
            affordable(g->dev->g, p->slot[p->result[k].slot].nbytes, more)) {
            s->retain[k] = GND__RETAIN_KEPT;
            more += p->slot[p->result[k].slot].nbytes;
            continue;
        }
        for (int j = 0; j < n->a->nin; j++)
            s->live[g->inputs[n->in + j]] = 1;
    }
    return more > 0;
}
