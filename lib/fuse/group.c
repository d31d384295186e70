/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/group.c - assigns nodes to kernels: merges and orders works.
 *
 * In this order: (1) one work per root (works.c), with reductions absorbed into the kernel of their
 * only consumer; (2) levels, and merging of works of one space that share inputs; teams of sinks
 * that did not become one kernel are dissolved, and grouping starts again; (3) works along the same
 * rows are joined (rows.c), and what follows a product becomes part of its call (product.c).
 */
#include "fuse/works.h"

#include "base/mem.h"
#include "graph/launch.h"

static int32_t deps_level(const gnd__pgraph *g, const gnd__pwork *w, int32_t but)
{
    int32_t level = 0;
    for (int32_t j = w->first_dep; j < w->first_dep + w->ndep; j++) {
        const gnd__pnode *p = &g->node[g->deps[j] >> 1];
        if (g->deps[j] >> 1 != but && p->role == GND__R_ROOT && p->level > level)
            level = p->level;
    }
    return level;
}

static int share_dep(const gnd__pgraph *g, const gnd__pwork *a, const gnd__pwork *b)
{
    for (int32_t i = a->first_dep; i < a->first_dep + a->ndep; i++)
        for (int32_t j = b->first_dep; j < b->first_dep + b->ndep; j++)
            if (g->deps[i] >> 1 == g->deps[j] >> 1)
                return 1;
    return 0;
}

/* Whether w is a map that shares its kernel with no other. */
static int is_apart(const gnd__pgraph *g, const gnd__pwork *w)
{
    const gnd_array *a = g->node[w->root[0]].a;
    return a->kind == GND__RESHAPE || a->kind == GND__ASSEMBLE;
}

/* Whether works v and w (v earlier) may be one kernel: one space, shared inputs, within limits. */
static int mergeable(const gnd__pgraph *g, const gnd__pwork *v, const gnd__pwork *w, int producer)
{
    uint32_t nops = 0, nleaf = 0;
    if (v->type != GND__P_KERNEL || w->type != GND__P_KERNEL || v->box[0] >= 0 || w->box[0] >= 0 ||
        v->nroot + w->nroot > GND__KIR_OUT || (v->nred > 0) != (w->nred > 0) ||
        v->nred + w->nred > GND__KIR_RED ||
        !gnd__same_shape(gnd__work_space(g, v), gnd__work_space(g, w)))
        return 0;
    if (v->nred > 0) {
        const gnd_array *x = g->node[v->reduce].a, *y = g->node[w->reduce].a;
        if (producer || x->p.red.mask != y->p.red.mask || !gnd__same_shape(x->in[0], y->in[0]))
            return 0;
    } else if (is_apart(g, v) || is_apart(g, w)) {
        return 0;
    }
    for (int i = 0; i < v->nroot; i++) {
        if (g->node[v->root[i]].no_merge)
            return 0;
        nops += g->node[v->root[i]].nops;
        nleaf += g->node[v->root[i]].nleaf;
    }
    for (int i = 0; i < w->nroot; i++) {
        if (g->node[w->root[i]].no_merge)
            return 0;
        nops += g->node[w->root[i]].nops;
        nleaf += g->node[w->root[i]].nleaf;
    }
    return nops <= gnd__kernel_ops(g) * 3 / 2 && nleaf <= GND__LEAVES + GND__LEAVES / 2 &&
           (producer || share_dep(g, v, w));
}

static void merge(gnd__pgraph *g, int32_t vi, int32_t wi)
{
    gnd__pwork *v = &g->work[vi], *w = &g->work[wi];
    int32_t vn = v->ndep, first = g->ndep, vf = v->first_dep;
    for (int i = 0; i < w->nroot; i++) {
        g->node[w->root[i]].work = vi;
        if (gnd__is_root_of(v, w->root[i]))
            continue; /* a reduction that both computed */
        v->box[v->nroot] = -1;
        v->root[v->nroot++] = w->root[i];
        g->node[w->root[i]].level = v->level;
    }
    for (int i = 0; i < w->nred; i++)
        v->red[v->nred++] = w->red[i];
    for (int32_t j = 0; j < vn; j++)
        gnd__push_int(g, &g->deps, &g->ndep, &g->capdep, g->deps[vf + j]);
    for (int32_t j = 0; j < w->ndep; j++) {
        int32_t d = g->deps[w->first_dep + j];
        int own = 0;
        for (int i = 0; i < v->nroot; i++)
            own |= v->root[i] == d >> 1;
        if (!own)
            gnd__push_int(g, &g->deps, &g->ndep, &g->capdep, d);
    }
    v->first_dep = first;
    v->ndep = g->ndep - first;
    w->merged = vi;
}

/* Assigns levels, and merges each work with one of those before. */
static void levels(gnd__pgraph *g)
{
    int32_t last = -1;
    for (int32_t i = 0; i < g->nwork && !g->oom; i++) {
        gnd__pwork *w = &g->work[i];
        int32_t lv, window = 0;
        if (w->merged >= 0)
            continue;
        w->level = lv = deps_level(g, w, -1) + 1;
        for (int32_t j = last; j >= 0 && window < 16; j = g->work[j].before, window++) {
            gnd__pwork *v = &g->work[j];
            int producer = 0, through_view = 0;
            g->looked++;
            for (int32_t d = w->first_dep; d < w->first_dep + w->ndep; d++)
                for (int r = 0; r < v->nroot; r++)
                    if (g->deps[d] >> 1 == v->root[r]) {
                        producer++;
                        through_view |= g->deps[d] & 1;
                    }
            if (producer ? producer > 1 || through_view || v->nred > 0 || v->level != lv - 1 ||
                               deps_level(g, w, v->root[0]) >= v->level || v->nroot > 1
                         : v->level != lv)
                continue;
            if (!mergeable(g, v, w, producer))
                continue;
            merge(g, j, i);
            break;
        }
        if (w->merged >= 0)
            continue;
        w->before = last;
        last = i;
        for (int r = 0; r < w->nroot; r++)
            if (g->node[w->root[r]].level < w->level)
                g->node[w->root[r]].level = w->level;
    }
}

/* Separates sinks whose team did not become one kernel although they share unstored nodes. Returns
 * 1 if there were any; grouping then starts again. */
static int split_teams(gnd__pgraph *g)
{
    int again = 0;
    for (int32_t s = 0; s < g->nsink; s++) {
        gnd__pnode *p = &g->node[g->sinks[s]];
        if (p->role != GND__R_ROOT || p->team == g->sinks[s] || p->alone)
            continue;
        if (p->work != g->node[p->team].work) {
            p->alone = 1;
            again = 1;
        }
    }
    return again;
}

/* For each node, the lowest level of the works that read it; INT32_MAX if none does. */
static void find_first_uses(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].first_use = INT32_MAX;
    for (int32_t i = 0; i < g->nwork; i++) {
        const gnd__pwork *u = &g->work[i];
        for (int32_t d = u->first_dep; d < u->first_dep + u->ndep && u->merged < 0; d++)
            if (u->level < g->node[g->deps[d] >> 1].first_use)
                g->node[g->deps[d] >> 1].first_use = u->level;
    }
}

/* Delays works without dependencies (constants, copies of leaves) until just before their use,
 * because their memory is allocated when they run. All boxes of an assembly run when the last of
 * them can. */
static void delay(gnd__pgraph *g)
{
    find_first_uses(g);
    for (int32_t i = 0; i < g->nwork; i++) {
        gnd__pwork *w = &g->work[i];
        int32_t use = INT32_MAX;
        if (w->merged >= 0)
            continue;
        if (w->box[0] >= 0) {
            w->level = g->node[w->root[0]].level;
        } else if (w->level == 1 && w->type == GND__P_KERNEL && !w->rows) {
            for (int r = 0; r < w->nroot; r++)
                if (g->node[w->root[r]].first_use < use)
                    use = g->node[w->root[r]].first_use;
            if (use != INT32_MAX && use > 2)
                w->level = use - 1;
        }
    }
}

static gnd_status order(gnd__pgraph *g, gnd_err *e)
{
    int merged = 0;
    int32_t top = 0, *at;
    delay(g);
    gnd__free(g->order);
    g->norder = 0;
    g->order = gnd__malloc(((size_t)g->nwork + 1) * sizeof *g->order);
    if (!g->order)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    for (int32_t i = 0; i < g->nwork; i++) {
        merged |= g->work[i].merged >= 0 && g->work[i].merged != i;
        if (g->work[i].level > top)
            top = g->work[i].level;
    }
    /* roots come in order of computation; a merged work stands for several, so then by level */
    for (int32_t i = 0; i < g->nwork && !merged; i++)
        if (g->work[i].merged < 0)
            g->order[g->norder++] = i;
    if (!merged)
        return GND_OK;
    at = gnd__calloc((size_t)top + 2, sizeof *at); /* where the works of each level begin */
    if (!at)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    for (int32_t i = 0; i < g->nwork; i++)
        at[g->work[i].level + 1] += g->work[i].merged < 0;
    for (int32_t lv = 0; lv <= top; lv++)
        at[lv + 1] += at[lv];
    g->norder = at[top + 1];
    for (int32_t i = 0; i < g->nwork; i++)
        if (g->work[i].merged < 0)
            g->order[at[g->work[i].level]++] = i;
    gnd__free(at);
    return GND_OK;
}

/* The slot of the input that output p of a launch may overwrite; -1: there is none. */
static int32_t slot_of_input(gnd__pgraph *g, gnd__pnode *p)
{
    const gnd__pnode *of = p->a->kind == GND__PART ? gnd__input_of(g, p, 0) : p;
    const gnd__launch *l = of->a->p.launch;
    const int out = p->a->kind == GND__PART ? p->a->p.part : 0;
    for (int i = 0; i < l->narg; i++) {
        if (l->arg[i].kind != GND__L_INOUT || l->arg[i].out != out ||
            !(of->dying >> l->arg[i].in & 1))
            continue;
        gnd__pnode *q = gnd__input_of(g, of, l->arg[i].in);
        if (q->a != of->a->in[l->arg[i].in] || q->parents > 1 || q->sink || q->owned || q->given ||
            q->slot < 0 || (q->role != GND__R_ROOT && q->role != GND__R_LEAF))
            return -1;
        q->given = 1;
        return q->slot;
    }
    return -1;
}

gnd_status gnd__group(gnd__pgraph *g, gnd_err *e)
{
    do {
        g->nwork = g->ndep = g->nslot = 0;
        gnd__roles(g);
        if (g->gpu && gnd__store_short(g))
            gnd__roles(g);
        gnd__make_works(g);
        levels(g);
    } while (!g->oom && split_teams(g));
    if (!g->oom && g->gpu)
        gnd__interleave(g);
    if (!g->oom)
        gnd__fuse_rows(g);
    if (g->follow && !g->oom)
        gnd__follow_products(g);
    for (int32_t i = 0; i < g->nnode; i++) {
        gnd__pnode *p = &g->node[i];
        p->given = p->in_place = 0;
        if (p->a->kind == GND__LAUNCH || p->a->kind == GND__PART)
            p->slot = p->role == GND__R_ROOT ? slot_of_input(g, p) : -1;
        if (p->slot >= 0)
            p->in_place = 1;
        else if ((p->role == GND__R_LEAF || p->role == GND__R_ROOT) && !p->absorbed &&
                 (p->role == GND__R_ROOT || p->a->data.st))
            p->slot = g->nslot++;
    }
    if (g->oom)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    return order(g, e);
}
