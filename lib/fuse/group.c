/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/group.c - assigns nodes to kernels: makes works from the roles of nodes (roles.c).
 *
 * In this order: (1) one work per root, with reductions absorbed into the kernel of their only
 * consumer; (2) levels, and merging of works of one space that share inputs; teams of sinks that
 * did not become one kernel are dissolved, and grouping starts again; (3) works along the same rows
 * are joined (rows.c), and what follows a product becomes part of its call (product.c).
 */
#include "fuse/fuse.h"

#include <string.h>
#include "base/mem.h"
#include "graph/launch.h"

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

static void push(gnd__pgraph *g, int32_t **arr, int32_t *n, int32_t *cap, int32_t v)
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

static int is_root(const gnd__pwork *w, int32_t i)
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
            push(g, &g->stack, &top, &g->capstack, g->inputs[p->in + w->box[r]] * 2);
        else
            for (int k = 0; k < p->a->nin && p->role == GND__R_ROOT && !gnd__is_leaf(p->a); k++)
                push(g, &g->stack, &top, &g->capstack,
                     g->inputs[p->in + k] * 2 + (!gnd__is_elementwise(p->a) ||
                                                 gnd__reads_all(p->a, k) ||
                                                 gnd__input_of(g, p, k)->a->size != p->a->size));
    }
    for (int r = 0; r < w->nred; r++)
        if (g->node[w->red[r]].absorbed)
            push(g, &g->stack, &top, &g->capstack, g->inputs[g->node[w->red[r]].in] * 2 + 1);
    while (top > 0 && !g->oom) {
        int32_t v = g->stack[--top], seen = 0;
        gnd__pnode *p = &g->node[v >> 1];
        g->looked++;
        if (p->absorbed || p->seen == walk + 1 || p->seen == walk + (uint32_t)(v & 1))
            continue; /* a node is visited once, and once more if now through a view */
        p->seen = walk + (uint32_t)(v & 1);
        if (p->role == GND__R_ROOT && is_root(w, v >> 1))
            continue; /* a reduction of its own that it stores too */
        if (p->role == GND__R_ROOT || (p->role == GND__R_LEAF && p->a->data.st)) {
            for (int32_t j = w->first_dep; j < g->ndep; j++)
                if (g->deps[j] >> 1 == v >> 1) {
                    g->deps[j] |= v & 1;
                    seen = 1;
                }
            if (!seen)
                push(g, &g->deps, &g->ndep, &g->capdep, v);
            continue;
        }
        if (p->role == GND__R_LEAF)
            continue;
        for (int k = 0; k < p->a->nin; k++)
            push(g, &g->stack, &top, &g->capstack,
                 g->inputs[p->in + k] * 2 + ((v & 1) || !gnd__is_elementwise(p->a) ||
                                             gnd__reads_all(p->a, k) ||
                                             gnd__input_of(g, p, k)->a->size != p->a->size));
    }
    w->ndep = g->ndep - w->first_dep;
}

/* The node whose shape is the work's space (for a reduction: the result's). */
static const gnd_array *space(const gnd__pgraph *g, const gnd__pwork *w)
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
    const gnd_array *sp = space(g, w);
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

static void make_works(gnd__pgraph *g)
{
    int32_t pieces = g->nnode;
    /* the same numbers as uses() of roles.c assigned, which visited the assemblies from the last to
     * the first */
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
        v->nred + w->nred > GND__KIR_RED || !gnd__same_shape(space(g, v), space(g, w)))
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
    return nops <= GND__KERNEL_OPS + GND__KERNEL_OPS / 2 &&
           nleaf <= GND__LEAVES + GND__LEAVES / 2 && (producer || share_dep(g, v, w));
}

static void merge(gnd__pgraph *g, int32_t vi, int32_t wi)
{
    gnd__pwork *v = &g->work[vi], *w = &g->work[wi];
    int32_t vn = v->ndep, first = g->ndep, vf = v->first_dep;
    for (int i = 0; i < w->nroot; i++) {
        g->node[w->root[i]].work = vi;
        if (is_root(v, w->root[i]))
            continue; /* a reduction that both computed */
        v->box[v->nroot] = -1;
        v->root[v->nroot++] = w->root[i];
        g->node[w->root[i]].level = v->level;
    }
    for (int i = 0; i < w->nred; i++)
        v->red[v->nred++] = w->red[i];
    for (int32_t j = 0; j < vn; j++)
        push(g, &g->deps, &g->ndep, &g->capdep, g->deps[vf + j]);
    for (int32_t j = 0; j < w->ndep; j++) {
        int32_t d = g->deps[w->first_dep + j];
        int own = 0;
        for (int i = 0; i < v->nroot; i++)
            own |= v->root[i] == d >> 1;
        if (!own)
            push(g, &g->deps, &g->ndep, &g->capdep, d);
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
        make_works(g);
        drop_absorbed(g);
        levels(g);
    } while (!g->oom && split_teams(g));
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
