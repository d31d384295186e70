/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/rows.c - kernels that read a row once: joins reductions along the last axes, and the works
 * that use their results along the same rows, into one work (softmax, variance, normalization).
 *
 * Runs after grouping, on its works. Starting from a work, the works that compute its inputs join
 * if they have the same space of points and rows; results that nobody else reads are then not
 * stored. If lowering finds that a work is not along rows, or that its rows are too long for
 * registers or a cache, it marks no_rows, and grouping starts again.
 */
#include "fuse/fuse.h"
#include "base/mem.h"

#include <string.h>

#define MEMBERS 8
#define ROW_MOST 16384 /* maximum elements per row; codegen may allow fewer */
#define ROW_MOST_GPU 32768
#define FEW_ROWS 16 /* fewest rows of more than ROW_MOST elements */

typedef struct joining {
    gnd__pgraph *g;
    int32_t last; /* the last work, which all others precede */
    int32_t member[MEMBERS];
    int n;
    const gnd_array *full; /* has the shape of the points */
    uint32_t mask;         /* reduced axes; 0: not known yet */
} joining;

/* The node whose shape is that of the points of work w, rows included; NULL: w cannot join. */
static const gnd_array *points_of(const gnd__pgraph *g, const gnd__pwork *w)
{
    const gnd__pnode *p = &g->node[w->root[0]];
    if (w->type != GND__P_KERNEL || w->merged >= 0 || w->rows)
        return NULL;
    for (int r = 0; r < w->nroot; r++)
        if (w->box[r] >= 0 || g->node[w->root[r]].no_rows ||
            g->node[w->root[r]].a->kind == GND__RESHAPE ||
            g->node[w->root[r]].a->kind == GND__ASSEMBLE)
            return NULL;
    return w->nred > 0 ? g->node[w->reduce].a->in[0] : p->a;
}

/* Whether the reduced axes are the last ones, and a row has more than one element but not too
 * many. */
static int good_rows(const gnd__pgraph *g, const gnd_array *full, uint32_t mask)
{
    const int first = gnd__last_axes(full, mask);
    int64_t r = 1;
    for (int d = first; d >= 0 && d < full->ndim; d++)
        r *= full->dim[d];
    return first >= 0 && r > 1 && full->size > 0 &&
           (r <= ROW_MOST || (g->gpu && r <= ROW_MOST_GPU && full->size / r >= FEW_ROWS));
}

static int is_member(const joining *j, int32_t w)
{
    for (int i = 0; i < j->n; i++)
        if (j->member[i] == w)
            return 1;
    return 0;
}

/* Counts for each node the works that read it, and enters them if `enter` is set. */
static void each_reader(gnd__pgraph *g, int enter)
{
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].nreader = 0;
    for (int32_t u = 0; u < g->nwork; u++) {
        const gnd__pwork *w = &g->work[u];
        for (int32_t d = w->first_dep; d < w->first_dep + w->ndep && w->merged < 0; d++) {
            gnd__pnode *p = &g->node[g->deps[d] >> 1];
            if (enter)
                g->readers[p->reader + p->nreader] = u;
            p->nreader++;
        }
    }
}

/* Makes a list, for each node, of the works that read it. Returns 0 if out of memory. */
static int find_readers(gnd__pgraph *g)
{
    int32_t n = 0;
    if (g->ndep > g->capreaders) {
        int32_t *q = gnd__realloc(g->readers, (size_t)g->ndep * 2 * sizeof *q);
        if (!q)
            return 0;
        g->readers = q;
        g->capreaders = g->ndep * 2;
    }
    each_reader(g, 0);
    for (int32_t i = 0; i < g->nnode; i++) {
        g->node[i].reader = n;
        n += g->node[i].nreader;
    }
    each_reader(g, 1);
    return 1;
}

/* Marks the roots of which a sink is a view; no work reads them on its behalf. */
static void find_viewed(gnd__pgraph *g)
{
    gnd__place pl;
    int32_t blame;
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].viewed = 0;
    for (int32_t s = 0; s < g->nsink; s++) {
        int32_t i = g->sinks[s];
        if (g->node[i].role != GND__R_ALIAS || !gnd__place_of(g, i, &pl, &blame))
            continue;
        while (g->node[i].a != pl.a)
            i = g->inputs[g->node[i].in];
        g->node[i].viewed = 1;
    }
}

/* The work that stores node i; -1: none. */
static int32_t owner(const gnd__pgraph *g, int32_t i)
{
    const gnd__pnode *p = &g->node[i];
    return p->role == GND__R_ROOT && !p->a->data.st ? p->work : -1;
}

/* Whether a work that is not a member, and of a level up to `level`, reads node i. */
static int read_elsewhere(const joining *j, int32_t i, int32_t level)
{
    gnd__pgraph *g = j->g;
    const gnd__pnode *p = &g->node[i];
    for (int32_t r = p->reader; r < p->reader + p->nreader; r++) {
        const gnd__pwork *w = &g->work[g->readers[r]];
        g->looked++;
        if (w->merged < 0 && w->level <= level && !is_member(j, g->readers[r]))
            return 1;
    }
    return 0;
}

/* Whether work v, which computes an input of a member, can join. */
static int may_join(const joining *j, int32_t v)
{
    const gnd__pgraph *g = j->g;
    const gnd__pwork *w = &g->work[v];
    const gnd_array *full = points_of(g, w);
    if (!full || !gnd__same_shape(full, j->full))
        return 0;
    if (w->nred > 0) {
        const uint32_t mask = (uint32_t)g->node[w->reduce].a->p.red.mask;
        if (j->mask ? mask != j->mask : !good_rows(g, full, mask))
            return 0;
    }
    /* other works that read its results come after all members */
    for (int r = 0; r < w->nroot; r++)
        if (read_elsewhere(j, w->root[r], g->work[j->last].level))
            return 0;
    return 1;
}

/* Adds a work that computes inputs of members. Returns 0 if there is none. */
static int add_member(joining *j)
{
    const gnd__pgraph *g = j->g;
    for (int m = 0; m < j->n && j->n < MEMBERS; m++) {
        const gnd__pwork *w = &g->work[j->member[m]];
        for (int32_t d = w->first_dep; d < w->first_dep + w->ndep; d++) {
            int32_t v = owner(g, g->deps[d] >> 1);
            if (v < 0 || is_member(j, v) || !may_join(j, v))
                continue;
            if (g->work[v].nred > 0)
                j->mask = (uint32_t)g->node[g->work[v].reduce].a->p.red.mask;
            j->member[j->n++] = v;
            return 1;
        }
    }
    return 0;
}

/* Whether root r of w, computed by reductions, is needed after the plan. */
static int stays(const gnd__pgraph *g, const gnd__pwork *w, int r)
{
    return w->nred > 0 && g->node[w->root[r]].live;
}

/* Makes the members one work. Returns 0 if it would have too many reductions or outputs. */
static int unite(joining *j)
{
    gnd__pgraph *g = j->g;
    gnd__pwork *last = &g->work[j->last], all = *last;
    int32_t inner[MEMBERS * GND__KIR_OUT];
    int ninner = 0;
    all.nroot = all.nred = 0;
    all.rows = 1;
    for (int i = 1; i < j->n; i++) /* in order of computation */
        for (int k = i; k > 0 && g->work[j->member[k - 1]].level > g->work[j->member[k]].level;
             k--) {
            int32_t t = j->member[k];
            j->member[k] = j->member[k - 1];
            j->member[k - 1] = t;
        }
    for (int i = 0; i < j->n; i++) {
        const gnd__pwork *w = &g->work[j->member[i]];
        if (all.nred + w->nred > GND__KIR_RED)
            return 0;
        for (int r = 0; r < w->nred; r++)
            all.red[all.nred++] = w->red[r];
        for (int r = 0; r < w->nroot; r++) {
            if (w != last && !g->node[w->root[r]].sink && !stays(g, w, r) &&
                !read_elsewhere(j, w->root[r], INT32_MAX) && !g->node[w->root[r]].viewed) {
                inner[ninner++] = w->root[r];
                continue;
            }
            if (all.nroot == GND__KIR_OUT)
                return 0;
            all.box[all.nroot] = -1;
            all.root[all.nroot++] = w->root[r];
        }
    }
    all.reduce = all.red[0];
    for (int i = 0; i < ninner; i++) {
        gnd__pnode *p = &g->node[inner[i]];
        p->work = -1;
        if (p->a->kind == GND__REDUCE)
            p->absorbed = 1;
        else
            p->role = GND__R_INLINE;
    }
    for (int r = 0; r < all.nroot; r++) {
        g->node[all.root[r]].level = all.level;
        g->node[all.root[r]].work = j->last;
    }
    for (int i = 0; i < j->n; i++)
        if (j->member[i] != j->last)
            g->work[j->member[i]].merged = j->last;
    *last = all;
    return 1;
}

void gnd__fuse_rows(gnd__pgraph *g)
{
    int any = 0;
    for (int32_t i = 0; i < g->nwork; i++)
        any |= g->work[i].merged < 0 && g->work[i].nred > 0;
    if (any && !find_readers(g)) {
        g->oom = 1;
        return;
    }
    if (any)
        find_viewed(g);
    for (int32_t i = g->nwork - 1; i >= 0 && any; i--) {
        joining j = {.g = g, .last = i, .member = {i}, .n = 1};
        const gnd__pwork *w = &g->work[i];
        j.full = points_of(g, w);
        if (!j.full)
            continue;
        if (w->nred > 0) {
            j.mask = (uint32_t)g->node[w->reduce].a->p.red.mask;
            if (!good_rows(g, j.full, j.mask))
                continue;
        }
        while (add_member(&j))
            ;
        if (j.n > 1 && j.mask)
            unite(&j);
    }
}
