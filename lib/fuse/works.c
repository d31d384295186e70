/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/works.c - makes one work per root from the roles of nodes (roles.c): which leaves and roots
 * it reads, and which reductions become part of it. group.c merges and orders the works.
 */
#include "fuse/works.h"

#include <string.h>
#include "base/mem.h"

static gnd__pwork *add_work(gnd__pgraph *g, int32_t root, int box)
{
    gnd__pwork *w;
    if (g->nwork == g->capwork) {
        int32_t c = g->capwork ? g->capwork * 2 : 64;
        w = gnd__realloc(g->work, (size_t)c * sizeof *w);
        if (!w) {
            g->oom = 1;
            return NULL;
        }
        g->work = w;
        g->capwork = c;
    }
    w = &g->work[g->nwork++];
    memset(w, 0, sizeof *w);
    w->type = g->node[root].a->kind == GND__MATMUL   ? GND__P_MATMUL
              : g->node[root].a->kind == GND__PRIM   ? GND__P_PRIM
              : g->node[root].a->kind == GND__LAUNCH ? GND__P_LAUNCH
                                                     : GND__P_KERNEL;
    w->root[0] = root;
    w->box[0] = box;
    w->nroot = 1;
    w->reduce = -1;
    w->merged = w->plus = w->alpha = w->beta = -1;
    w->product = root;
    if (g->node[root].work < 0)
        g->node[root].work = g->nwork - 1;
    if (g->node[root].a->kind == GND__REDUCE) {
        w->reduce = root;
        w->red[w->nred++] = root;
    }
    return w;
}

void gnd__push_int(gnd__pgraph *g, int32_t **arr, int32_t *n, int32_t *cap, int32_t v)
{
    if (*n == *cap) {
        int32_t c = *cap ? *cap * 2 : 256;
        int32_t *q = gnd__realloc(*arr, (size_t)c * sizeof *q);
        if (!q) {
            g->oom = 1;
            return;
        }
        *arr = q;
        *cap = c;
    }
    (*arr)[(*n)++] = v;
}

int gnd__is_root_of(const gnd__pwork *w, int32_t i)
{
    for (int r = 0; r < w->nroot; r++)
        if (w->root[r] == i)
            return 1;
    return 0;
}

/* What work w reads: leaves with elements, and roots, as node * 2 + (1 if through a view). */
static void find_deps(gnd__pgraph *g, int32_t wi)
{
    gnd__pwork *w = &g->work[wi];
    int32_t top = 0;
    uint32_t walk = 2 * ++g->walk;
    w->first_dep = g->ndep;
    for (int r = 0; r < w->nroot; r++) {
        const gnd__pnode *p = &g->node[w->root[r]];
        if (w->box[r] >= 0)
            gnd__push_int(g, &g->stack, &top, &g->capstack, g->inputs[p->in + w->box[r]] * 2);
        else
            for (int k = 0; k < p->a->nin && p->role == GND__R_ROOT && !gnd__is_leaf(p->a); k++)
                gnd__push_int(g, &g->stack, &top, &g->capstack,
                              g->inputs[p->in + k] * 2 +
                                  (!gnd__is_elementwise(p->a) || gnd__reads_all(p->a, k) ||
                                   gnd__input_of(g, p, k)->a->size != p->a->size));
    }
    for (int r = 0; r < w->nred; r++)
        if (g->node[w->red[r]].absorbed)
            gnd__push_int(g, &g->stack, &top, &g->capstack,
                          g->inputs[g->node[w->red[r]].in] * 2 + 1);
    while (top > 0 && !g->oom) {
        int32_t v = g->stack[--top], seen = 0;
        gnd__pnode *p = &g->node[v >> 1];
        g->looked++;
        if (p->absorbed || p->seen == walk + 1 || p->seen == walk + (uint32_t)(v & 1))
            continue; /* a node is visited once, and a second time if this time through a view */
        p->seen = walk + (uint32_t)(v & 1);
        if (p->role == GND__R_ROOT && gnd__is_root_of(w, v >> 1))
            continue; /* a reduction of this work that is stored too */
        if (p->role == GND__R_ROOT || (p->role == GND__R_LEAF && p->a->data.st)) {
            for (int32_t j = w->first_dep; j < g->ndep; j++)
                if (g->deps[j] >> 1 == v >> 1) {
                    g->deps[j] |= v & 1;
                    seen = 1;
                }
            if (!seen)
                gnd__push_int(g, &g->deps, &g->ndep, &g->capdep, v);
            continue;
        }
        if (p->role == GND__R_LEAF)
            continue;
        for (int k = 0; k < p->a->nin; k++)
            gnd__push_int(g, &g->stack, &top, &g->capstack,
                          g->inputs[p->in + k] * 2 +
                              ((v & 1) || !gnd__is_elementwise(p->a) || gnd__reads_all(p->a, k) ||
                               gnd__input_of(g, p, k)->a->size != p->a->size));
    }
    w->ndep = g->ndep - w->first_dep;
}

const gnd_array *gnd__work_space(const gnd__pgraph *g, const gnd__pwork *w)
{
    const gnd__pnode *p = &g->node[w->root[0]];
    if (w->box[0] >= 0)
        return g->node[g->inputs[p->in + w->box[0]]].a;
    if (p->a->kind == GND__RESHAPE)
        return g->node[g->inputs[p->in]].a;
    return p->a;
}

/* Makes work w, which computes reduction i, store its result too, because it is needed after the
 * plan. Returns 0 if there is no room for another output. */
static int store_too(gnd__pgraph *g, gnd__pwork *w, int32_t i)
{
    const int32_t own = g->node[i].work;
    if (w->box[0] >= 0 || w->nroot == GND__KIR_OUT)
        return 0;
    if (g->work[own].nroot == 1 && g->work[own].root[0] == i && g->work[own].merged < 0) {
        g->work[own].merged = own; /* its own work: computed here */
        g->node[i].work = (int32_t)(w - g->work);
    }
    w->box[w->nroot] = -1;
    w->root[w->nroot++] = i;
    return 1;
}

/* Absorbs reductions that only elementwise work w uses, at its own size, into w. */
static void absorb(gnd__pgraph *g, int32_t wi, int32_t group)
{
    gnd__pwork *w = &g->work[wi];
    const gnd_array *sp = gnd__work_space(g, w);
    for (int32_t j = w->first_dep; j < w->first_dep + w->ndep; j++) {
        int32_t i = g->deps[j] >> 1;
        gnd__pnode *r = &g->node[i];
        if (r->a->kind != GND__REDUCE || r->role != GND__R_ROOT || r->sink || r->conflict ||
            r->group != group || r->no_absorb || r->must || r->a->size != sp->size ||
            w->nred == GND__KIR_RED)
            continue;
        if (w->nred > 0) {
            const gnd__pnode *f = &g->node[w->reduce];
            if (f->a->p.red.mask != r->a->p.red.mask || !gnd__same_shape(f->a->in[0], r->a->in[0]))
                continue;
        }
        if (r->live && !store_too(g, w, i))
            continue;
        if (w->nred == 0)
            w->reduce = i;
        w->red[w->nred++] = i;
        r->absorbed = !r->live;
    }
    if (w->nred > 0)
        find_deps(g, wi);
}

/* Number of points of an assembly up to which its boxes take less time than separate launches. */
#define ONE_KERNEL 131072

/* Whether assembly p, which is stored, is one work on a CPU: a kernel with conditions instead of
 * one kernel per box. Both take the same time except for the launches, unless several boxes are
 * large; these are copied faster without conditions. (PoCL: pad of 200 x 200 0.028 instead of 0.095
 * ms, of 1000 x 1000 0.32 instead of 0.35; concat of three of 10^6 1.00 instead of 0.87.) */
static int is_one_work(gnd__pgraph *g, const gnd__pnode *p)
{
    const gnd_array *a = p->a;
    int64_t most = 0;
    if (g->gpu || p->must || !gnd__has_boxes(a) || a->ndim == 0 ||
        a->dim[a->ndim - 1] < GND__CPU_ROW)
        return 0;
    const int32_t first = gnd__origin(g, g->inputs[p->in]);
    for (int k = 0; k < a->nin; k++) {
        const gnd__pnode *q = gnd__input_of(g, p, k);
        most = a->in[k]->size > most ? a->in[k]->size : most;
        if (a->in[k]->size == 0 ||
            (q->role == GND__R_INLINE && q->boxed && gnd__origin(g, g->inputs[p->in + k]) != first))
            return 0;
    }
    return a->size < ONE_KERNEL || most > a->size / 2;
}

/* Whether work w reads a reduction that would become part of the kernel of a box. */
static int takes_reduction(const gnd__pgraph *g, const gnd__pwork *w)
{
    for (int32_t j = w->first_dep; j < w->first_dep + w->ndep; j++) {
        const gnd__pnode *p = &g->node[g->deps[j] >> 1];
        if (p->a->kind == GND__REDUCE && p->role == GND__R_ROOT)
            return 1;
    }
    return 0;
}

/* Makes assembly i one work. Returns 0 if it must have one work per box. */
static int one_work(gnd__pgraph *g, int32_t i)
{
    const int32_t wi = g->nwork;
    if (!is_one_work(g, &g->node[i]) || !add_work(g, i, -1))
        return 0;
    find_deps(g, wi);
    if (!takes_reduction(g, &g->work[wi]))
        return 1;
    g->ndep = g->work[wi].first_dep;
    g->nwork--;
    return 0;
}

/* Adds part i of a launch as another root to the existing work of the launch. */
static void add_part(gnd__pgraph *g, int32_t i)
{
    for (int32_t j = g->nwork - 1; j >= 0; j--) {
        gnd__pwork *w = &g->work[j];
        if (w->type != GND__P_LAUNCH || w->root[0] != g->inputs[g->node[i].in])
            continue;
        w->box[w->nroot] = -1;
        w->root[w->nroot++] = i;
        return;
    }
}

static void drop_absorbed(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nwork; i++) {
        gnd__pwork *w = &g->work[i];
        if (w->nroot == 1 && w->box[0] < 0 && g->node[w->root[0]].absorbed) {
            w->merged = i; /* computed elsewhere */
            g->node[w->root[0]].work = -1;
        }
    }
}

void gnd__make_works(gnd__pgraph *g)
{
    int32_t pieces = g->nnode;
    /* the same numbers as in uses() of roles.c, which visited the assemblies from the last to the
     * first */
    for (int32_t i = 0; i < g->nnode; i++)
        if (g->node[i].a->kind == GND__ASSEMBLE && g->node[i].role == GND__R_ROOT)
            pieces += g->node[i].a->nin;
    for (int32_t i = 0; i < g->nnode && !g->oom; i++) {
        const gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        if (p->role != GND__R_ROOT || a->kind == GND__EMPTY)
            continue;
        if (a->kind == GND__ASSEMBLE) {
            pieces -= a->nin;
            const int one = one_work(g, i);
            for (int k = 0; k < a->nin && !one && !g->oom; k++) {
                int32_t wi = g->nwork;
                if (a->in[k]->size == 0 || !add_work(g, i, k))
                    continue;
                find_deps(g, wi);
                absorb(g, wi, pieces + k);
            }
        } else if (a->kind == GND__PART) {
            add_part(g, i);
        } else if (add_work(g, i, -1)) {
            int32_t wi = g->nwork - 1;
            find_deps(g, wi);
            if (a->kind != GND__REDUCE && g->work[wi].type == GND__P_KERNEL)
                absorb(g, wi, p->team);
        }
    }
    drop_absorbed(g);
}
