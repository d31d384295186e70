/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/owners.c - finds which nodes of a collected graph somebody outside the graph may ask for
 * later, and how often each node is used inside it.
 */
#include "fuse/fuse.h"

/* Finds the nodes that are equal to others and that only the graph uses: their uses of inputs do
 * not count. Marks are as gnd__collect's walk left them. */
static void find_lost(gnd__pgraph *g)
{
    uint32_t first = (uint32_t)g->nnode + 1; /* marks from here on refer to dup */
    for (int32_t i = 0; i < g->ndup; i++)
        g->dup[i].a->mark = first + (uint32_t)i;
    for (int32_t i = 0; i < g->nnode; i++) {
        const gnd_array *a = g->node[i].a;
        for (int j = 0; j < a->nin && !gnd__is_leaf(a); j++)
            if (a->in[j]->mark >= first)
                g->dup[a->in[j]->mark - first].uses++;
    }
    for (int32_t i = g->ndup - 1; i >= 0; i--) { /* users come after what they use */
        const gnd_array *a = g->dup[i].a;
        if (atomic_load_explicit(&a->refs, memory_order_relaxed) > g->dup[i].uses ||
            gnd__is_leaf(a))
            continue;
        for (int j = 0; j < a->nin; j++) {
            uint32_t m = a->in[j]->mark;
            if (m >= first)
                g->dup[m - first].uses++;
            else if (m)
                g->node[m - 1].lost++;
        }
    }
}

/* Counts how often each node is an input of the graph's nodes. */
static void count_uses(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++) {
        const gnd__pnode *p = &g->node[i];
        /* the consumers of an equal node hold that node */
        for (int j = 0; j < p->a->nin && !gnd__is_leaf(p->a); j++) {
            gnd__pnode *q = &g->node[g->inputs[p->in + j]];
            q->uses += p->a->in[j] == q->a;
        }
    }
}

static int is_view_asked(const gnd__pgraph *g)
{
    for (int32_t s = 0; s < g->nsink; s++)
        if (gnd__is_view(g->node[g->sinks[s]].a))
            return 1;
    return 0;
}

/* Handles a sink that is a view of an operation from which other nodes outside the graph are made,
 * mostly views. These refer to the operation, not to the sink (graph/view.c). The operation
 * therefore counts as held by the user; if it is expensive, it is stored for all of them. */
static void hold_viewed(gnd__pgraph *g)
{
    for (int32_t s = 0; s < g->nsink; s++) {
        gnd__pnode *q = &g->node[g->sinks[s]];
        if (!gnd__is_view(q->a))
            continue;
        while (gnd__is_view(q->a) && !gnd__is_leaf(q->a))
            q = gnd__input_of(g, q, 0);
        const int made = atomic_load_explicit(&q->a->refs, memory_order_relaxed) -
                         atomic_load_explicit(&q->a->handles, memory_order_relaxed);
        if (q->a->kind == GND__OP && !gnd__is_leaf(q->a) && made > 1 && made > q->uses)
            q->held = 2;
    }
}

/* Whether a has an owner that may ask for it later: the user, or more nodes than the `uses`. A
 * scope does not count: it may own a only because the program computed it. */
static int is_owned(const gnd_array *a, int32_t uses)
{
    const int handles = atomic_load_explicit(&a->handles, memory_order_relaxed);
    return handles > (__atomic_load_n(&a->scope, __ATOMIC_RELAXED) != NULL) ||
           atomic_load_explicit(&a->refs, memory_order_relaxed) - handles > uses;
}

/* Finds which nodes are owned. Sinks are excluded: they get their elements in any case. */
static void find_owned(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++) {
        gnd__pnode *p = &g->node[i];
        p->owned = !p->sink && !gnd__is_leaf(p->a) && is_owned(p->a, p->uses + p->lost);
    }
    for (int32_t i = 0; i < g->ndup; i++)
        if (!g->node[g->dup[i].node].sink && is_owned(g->dup[i].a, g->dup[i].uses))
            g->node[g->dup[i].node].owned = 1;
}

void gnd__owners(gnd__pgraph *g)
{
    if (g->ndup)
        find_lost(g);
    const int viewed = is_view_asked(g), expensive = g->expensive && !g->frozen;
    if (viewed || expensive)
        count_uses(g);
    if (viewed)
        hold_viewed(g);
    if (expensive)
        find_owned(g);
}
