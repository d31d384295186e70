/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan.c - makes a plan from the grouped graph: groups and lowers until every kernel fits,
 * has its steps written (plan_steps.c, plan_prim.c, plan_launch.c, product.c), and assigns memory.
 */
#include "sched/here.h"
#include "sched/maker.h"

#include <string.h>
#include "base/env.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"

/* The number of marks that make grouping start again: must, no_absorb, no_rows, no_merge, alone. */
#define MARKS 5
/* The number of nodes from which on preludes of kernels are kept while a plan is made. */
#define MANY 32

/* Tries a kernel: marks nodes that must be stored, and rows that do not fit into registers. */
static gnd_status lower_kernel(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry)
{
    gnd_status st = gnd__lower(m->g, w, k, retry, m->e);
    if (st == GND_OK && !*retry && w->rows && !gnd__codegen_rows_fit(k, &m->target)) {
        gnd__not_rows(m->g, w);
        *retry = 1;
    }
    if (st == GND_OK && !*retry && gnd__kir_has_boxes(k) &&
        !gnd__codegen_boxes_fit(k, &m->target)) {
        gnd__not_boxes(m->g, w);
        *retry = 1;
    }
    return st;
}

/* Groups and lowers until no kernel asks for another root. Each round except the last sets a new
 * mark on some node, and there are few marks, so it terminates. */
static gnd_status lower_all(gnd__maker *m)
{
    gnd__kir *k = gnd__malloc(sizeof *k);
    gnd_status st = GND_OK;
    int again = 1;
    if (!k)
        return gnd__plan_nomem(m->e);
    for (int round = 0; again && st == GND_OK; round++) {
        again = 0;
        if (round > MARKS * m->g->nnode + MARKS) {
            st = gnd__err(m->e, GND_ERR_INTERNAL, "planning does not come to an end");
            break;
        }
        st = gnd__group(m->g, m->e);
        for (int32_t i = 0; i < m->g->norder && st == GND_OK; i++) {
            const gnd__pwork *w = &m->g->work[m->g->order[i]];
            int retry = 0;
            if (w->type == GND__P_KERNEL)
                st = lower_kernel(m, w, k, &retry);
            else if (w->type == GND__P_PRIM)
                st = gnd__plan_inputs(m, w, k, &retry);
            else if (w->type == GND__P_MATMUL && w->product != w->root[0] &&
                     !gnd__plan_follows(m, w))
                retry = m->g->node[w->product].no_absorb = 1;
            again |= retry;
        }
    }
    for (int32_t i = 0; i < m->g->nslot && st == GND_OK; i++)
        if (gnd__plan_slot(m, -1, 0, 0) < 0)
            st = GND_ERR_NOMEM;
    for (int32_t i = 0; i < m->g->nnode && st == GND_OK; i++) {
        const gnd__pnode *q = &m->g->node[i];
        m->g->node[i].check = 0;
        m->g->node[i].slab = 0;
        if (q->slot < 0)
            continue;
        if (q->in_place)
            continue;
        m->p->slot[q->slot].node = i;
        m->p->slot[q->slot].leaf = q->a->data.st != NULL;
        m->p->slot[q->slot].nbytes = gnd__nbytes(q->a);
    }
    if (st == GND_OK)
        gnd__plan_slabs(m);
    if (st == GND_OK)
        st = gnd__plan_fits(m);
    for (int32_t i = 0; i < m->g->norder && st == GND_OK; i++) {
        const gnd__pwork *w = &m->g->work[m->g->order[i]];
        int retry = 0;
        if (m->g->node[w->root[0]].slab)
            continue; /* its product computes it */
        if (w->type == GND__P_MATMUL) {
            st = gnd__plan_product(m, w);
        } else if (w->type == GND__P_PRIM) {
            st = gnd__plan_prim(m, w, k);
        } else if (w->type == GND__P_LAUNCH) {
            st = gnd__plan_launch(m, w);
        } else {
            int n;
            st = gnd__plan_pieces(m, i, &n);
            i += n > 0 ? n - 1 : 0;
            if (st == GND_OK && n == 0)
                st = gnd__lower(m->g, w, k, &retry, m->e);
            if (st == GND_OK && n == 0)
                st = gnd__plan_kernel(m, k);
        }
    }
    if (st == GND_OK)
        st = gnd__plan_fits(m);
    gnd__free(k);
    return st;
}

/* Marks the roots made by reductions, products, primitives and joins. */
static void find_dear(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].expensive =
            g->node[i].role == GND__R_ROOT && g->node[i].a->kind == GND__ASSEMBLE;
    for (int32_t i = 0; i < g->nwork; i++) {
        const gnd__pwork *w = &g->work[i];
        for (int r = 0; r < w->nroot && w->merged < 0; r++)
            g->node[w->root[r]].expensive |= w->type != GND__P_KERNEL || w->nred > 0;
    }
}

static gnd_status add_results(gnd__maker *m)
{
    gnd__pgraph *g = m->g;
    gnd__plan *p = m->p;
    p->result = gnd__calloc((size_t)g->nnode + 1, sizeof *p->result);
    p->nuse = gnd__calloc((size_t)g->nnode + 1, sizeof *p->nuse);
    if (!p->result || !p->nuse)
        return gnd__plan_nomem(m->e);
    find_dear(g);
    for (int32_t i = 0; i < g->nnode; i++) {
        const gnd__pnode *q = &g->node[i];
        gnd__presult *r = &p->result[p->nresult];
        gnd__place pl;
        int32_t blame;
        if (!gnd__is_leaf(q->a))
            for (int j = 0; j < q->a->nin; j++) /* the consumers of an equal node hold that node */
                p->nuse[g->inputs[q->in + j]] += q->a->in[j] == g->node[g->inputs[q->in + j]].a;
        if (q->a->data.st || q->absorbed || q->given || q->slab ||
            (q->role != GND__R_ROOT && q->role != GND__R_ALIAS))
            continue;
        r->node = i;
        r->slot = q->slot;
        r->contig = 1;
        r->expensive = q->expensive;
        p->nexpensive += q->expensive;
        if (q->role == GND__R_ALIAS) {
            if (!gnd__place_of(g, i, &pl, &blame))
                return gnd__err(m->e, GND_ERR_INTERNAL, "a view without memory");
            r->slot = pl.slot;
            r->off = pl.l.off;
            r->contig = (uint8_t)gnd__layout_is_contig(&pl.l);
            r->stride = gnd__malloc(GND_MAX_NDIM * sizeof *r->stride);
            if (!r->stride)
                return gnd__plan_nomem(m->e);
            memcpy(r->stride, pl.l.stride, (size_t)pl.l.ndim * sizeof *r->stride);
        }
        p->nresult++;
    }
    return GND_OK;
}

/* Links to each step the slots of which it is the last user. An input that a later step uses too is
 * not spent. */
static void add_deadlines(gnd__plan *p)
{
    for (int32_t s = 0; s < p->nstep; s++) {
        p->step[s].dead = -1;
        for (int32_t i = 0; i < p->step[s].nargs; i++)
            if (p->step[s].arg[i].kind == GND__A_BUF)
                p->slot[p->step[s].arg[i].ref].last = s;
        if (p->step[s].type == GND__S_GEMM)
            for (int i = 0; i < 4; i++)
                if (p->step[s].gemm_slot[i] >= 0)
                    p->slot[p->step[s].gemm_slot[i]].last = s;
    }
    for (int32_t i = 0; i < p->nslot; i++)
        if (p->slot[i].last >= 0) {
            p->slot[i].next_dead = p->step[p->slot[i].last].dead;
            p->step[p->slot[i].last].dead = i;
        }
    for (int32_t s = 0; s < p->nstep; s++)
        if (p->step[s].spent >= 0 && p->slot[p->step[s].spent].last != s)
            p->step[s].spent = -1;
}

gnd_status gnd__plan_make(gnd__pgraph *g, int want_source, gnd__plan **out, gnd_err *e)
{
    gnd__maker m = {0};
    gnd_status st;
    *out = NULL;
    m.g = g;
    m.e = e;
    m.want_source = want_source;
    m.dev = g->dev->g;
    if ((st = gnd__env_check(GND__ENV_KERNEL_SHAPE, e)) != GND_OK ||
        (st = gnd__env_check(GND__ENV_SOLVER, e)) != GND_OK ||
        (st = gnd__env_check(GND__ENV_PRODUCTS, e)) != GND_OK)
        return st;
    m.target = gnd__target_of(&m.dev->props, &m.dev->tune);
    g->gpu = !m.target.cpu;
    g->follow = gnd__gate_can_follow(m.dev);
    m.p = gnd__calloc(1, sizeof *m.p);
    if (!m.p)
        return gnd__plan_nomem(e);
    m.p->nnode = g->nnode;
    if (g->nnode >= MANY)
        m.target.preludes = gnd__table_new(); /* NULL: each kernel's prelude is made anew */
    gnd__gate_builds_begin(m.dev);
    st = gnd__gate_builds_end(m.dev, lower_all(&m), e);
    gnd__table_free(m.target.preludes, gnd__free);
    if (st == GND_OK)
        st = add_results(&m);
    if (st != GND_OK) {
        gnd__plan_free(m.p);
        return st;
    }
    add_deadlines(m.p);
    for (int32_t i = 0; i < m.p->nstep; i++)
        m.p->here |= m.p->step[i].here != NULL;
    *out = m.p;
    return GND_OK;
}

size_t gnd__plan_bytes(const gnd__plan *p)
{
    size_t n = sizeof *p + (size_t)p->capslot * sizeof *p->slot +
               (size_t)p->capstep * sizeof *p->step +
               (size_t)p->nnode * (sizeof *p->result + sizeof *p->nuse) +
               (size_t)p->capcheck * sizeof *p->check + (size_t)p->cappart * sizeof *p->part;
    for (int32_t i = 0; i < p->nstep; i++)
        n += (size_t)p->step[i].nargs * (sizeof *p->step[i].arg + sizeof *p->step[i].karg) +
             gnd__here_bytes(p->step[i].here);
    for (int32_t i = 0; i < p->nresult; i++)
        n += p->result[i].stride ? GND_MAX_NDIM * sizeof *p->result[i].stride : 0;
    return n;
}

void gnd__plan_free(gnd__plan *p)
{
    if (!p)
        return;
    gnd__repeat_free(p);
    for (int32_t i = 0; i < p->nstep; i++) {
        gnd__gate_kernel_done(p->step[i].kernel);
        gnd__here_free(p->step[i].here);
        gnd__free(p->step[i].arg);
        gnd__free(p->step[i].karg);
        gnd__free(p->step[i].source);
    }
    for (int32_t i = 0; i < p->nresult; i++)
        gnd__free(p->result[i].stride);
    gnd__free(p->part);
    gnd__free(p->slot);
    gnd__free(p->step);
    gnd__free(p->result);
    gnd__free(p->nuse);
    gnd__free(p->check);
    gnd__free(p);
}
