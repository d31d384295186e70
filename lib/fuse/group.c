/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/group.c - which nodes are stored, and which kernel computes the others.
 *
 * In the order below: (1) what must be stored: sinks, reductions, products, joins, and where an
 * expression grows past the limits of one kernel; (2) from the sinks down, which kernel uses each
 * other node and through which views: a node that one kernel uses through equal views is computed
 * there; used otherwise it is computed again if that is cheap, else stored; an expensive one is
 * never computed again for each element of a broadcast; sinks of one shape count as one kernel, a
 * team, which is given up where it cannot become one; (3) one work per root, reductions taken into
 * the kernel of their only consumer; (4) levels, and works of one space that share inputs merged; (5)
 * what follows a product taken into its call (product.c).
 */
#include "fuse/fuse.h"

#include <string.h>
#include "base/mem.h"

#define MAX_OPS 64      /* operations in one kernel, about */
#define MAX_LEAVES GND__LEAVES
#define CHEAP_COST 4    /* computed again rather than stored and read back */
#define CHEAP_COST_GPU 20 /* the same on a GPU, of 4 bytes or less: one elementary function */
#define CHEAP_LEAVES 2
#define CHEAP_EXPANDED 2
#define FEW 4             /* so many times is a few: then up to */
#define CHEAP_FEW_GPU 32  /* rather than write 4 bytes and read them */
#define CHEAP_FEW_CPU 28  /* the same on a CPU: one elementary function at most */
/* Rows of so many elements and longer: their indices are checked once, not for each element, where the
 * check would stand between the compiler and its vectors. */
#define CHECK_ROW 32
/* A node that took so many operations is stored when the user holds it, to be used again it seems; or
 * when a scope does, which may be for no more than that the program went through it. */
#define KEPT_OPS 16
#define SCOPE_OPS 48

static uint64_t mix(uint64_t a, uint64_t b)
{
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    a *= 0xff51afd7ed558ccdu;
    return a ^ (a >> 33);
}

static int is_piece_of_work(const gnd_array *a)
{
    return a->kind == GND__REDUCE || a->kind == GND__MATMUL || a->kind == GND__ASSEMBLE ||
           a->kind == GND__EMPTY || a->kind == GND__PRIM;
}

static gnd__pnode *input(gnd__pgraph *g, const gnd__pnode *p, int k)
{
    return &g->node[g->inputs[p->in + k]];
}

/* Roots what is inline below p, looking through views; prefers the input with more operations. */
static void cut_below(gnd__pgraph *g, gnd__pnode *p)
{
    gnd__pnode *best = NULL;
    for (int k = 0; k < p->a->nin; k++) {
        gnd__pnode *q = input(g, p, k);
        while (q->role == GND__R_INLINE && gnd__is_view(q->a))
            q = input(g, q, 0);
        if (q->role == GND__R_INLINE && q->nops > 0 &&
            (!best || q->nops + q->nleaf > best->nops + best->nleaf))
            best = q;
    }
    if (best)
        best->role = GND__R_ROOT;
}

/* Adds n leaves, in order, to those of p. */
static void add_leaves(gnd__pnode *p, const int32_t *leaf, int n)
{
    int32_t all[2 * GND__LEAVES];
    int m = 0, i = 0, j = 0;
    if (p->nleaf > GND__LEAVES || n > GND__LEAVES) {
        p->nleaf = GND__LEAVES + 1;
        return;
    }
    while (i < p->nleaf || j < n) {
        int32_t x = i < p->nleaf ? p->leaf[i] : INT32_MAX, y = j < n ? leaf[j] : INT32_MAX;
        all[m++] = x < y ? x : y;
        i += x <= y;
        j += y <= x;
    }
    p->nleaf = (uint16_t)(m > GND__LEAVES ? GND__LEAVES + 1 : m);
    memcpy(p->leaf, all, (size_t)(m > GND__LEAVES ? 0 : m) * sizeof *all);
}

/* Operations and leaves of the inline tree below p. An input that comes twice counts once. */
static void measure(gnd__pgraph *g, gnd__pnode *p)
{
    const gnd_array *a = p->a;
    uint32_t nops = 0, cost = 0;
    p->nleaf = 0;
    for (int k = 0; k < a->nin; k++) {
        gnd__pnode *q = input(g, p, k);
        int seen = 0;
        for (int j = 0; j < k; j++)
            seen |= input(g, p, j) == q;
        if (seen)
            continue;
        if (q->role == GND__R_INLINE) {
            nops += q->nops;
            cost += q->cost;
            add_leaves(p, q->leaf, q->nleaf);
        } else if (q->a->kind != GND__CONST) {
            add_leaves(p, &g->inputs[p->in + k], 1);
        }
    }
    if (a->kind == GND__OP) {
        nops++;
        cost += (uint32_t)gnd__ops[a->p.op].cost;
    } else if (a->kind == GND__CAST || a->kind == GND__TAKE || a->kind == GND__CHECKED) {
        nops++;
        cost++;
    } else if (a->kind == GND__REDUCE && gnd__is_short(a)) {
        const uint32_t n = (uint32_t)(a->in[0]->size / (a->size ? a->size : 1));
        nops = nops * n + n; /* written out */
        cost = cost * n + n;
    }
    p->nops = (uint16_t)(nops > 60000 ? 60000 : nops);
    p->cost = cost > 1000000 ? 1000000 : cost;
}

/* Gives operand i of a library call (a view, a leaf, an inline expression) a place in memory. */
static void need_place(gnd__pgraph *g, int32_t i)
{
    gnd__place pl;
    int32_t blame;
    gnd__pnode *q = &g->node[i];
    if (q->role != GND__R_ROOT && (q->role == GND__R_LEAF ? !q->a->data.st
                                                          : !gnd__place_of(g, i, &pl, &blame)))
        q->role = GND__R_ROOT;
}

static void first_roles(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++) {
        gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        p->group = -1;
        p->absorbed = p->conflict = p->expanded = 0;
        p->path = 0;
        p->level = 0;
        p->team = i;
        p->slot = -1;
        p->role = gnd__is_leaf(a) ? GND__R_LEAF
                  : (is_piece_of_work(a) && !gnd__is_short(a)) || p->must ? GND__R_ROOT
                                                                          : GND__R_INLINE;
        p->nops = p->nleaf = 0;
        p->cost = 0;
        if (p->role == GND__R_LEAF)
            continue;
        if (a->kind == GND__MATMUL) {
            need_place(g, g->inputs[p->in]);
            need_place(g, g->inputs[p->in + 1]);
        } else if (a->kind == GND__TAKE) {
            need_place(g, g->inputs[p->in]);
        } else if (a->kind == GND__PRIM) {
            for (int k = 0; k < a->nin; k++)
                if (a->p.prim->mode[k] == GND__IN_MEM)
                    need_place(g, g->inputs[p->in + k]);
        }
        if (a->kind != GND__REDUCE && is_piece_of_work(a))
            continue;
        measure(g, p);
        if (p->nops > MAX_OPS || p->nleaf > MAX_LEAVES) {
            cut_below(g, p);
            measure(g, p);
        }
        if (p->role == GND__R_INLINE && p->held &&
            p->nops >= (p->held > 1 ? KEPT_OPS : SCOPE_OPS))
            p->role = GND__R_ROOT;
    }
    for (int32_t s = 0; s < g->nsink; s++) {
        gnd__pnode *p = &g->node[g->sinks[s]];
        gnd__place pl;
        int32_t blame;
        if (p->role == GND__R_ROOT || p->a->data.st)
            continue;
        if (gnd__is_view(p->a) && gnd__place_of(g, g->sinks[s], &pl, &blame))
            p->role = GND__R_ALIAS;
        else
            p->role = GND__R_ROOT; /* constants and iotas too: somebody wants their elements */
    }
}

/* Notes that kernel `group` uses input q through `path`. */
static void use(gnd__pnode *q, int32_t group, uint64_t path, int conflict, int expanded)
{
    if (q->group < 0) {
        q->group = group;
        q->path = path;
    } else if (q->group != group || q->path != path) {
        q->conflict = 1;
    }
    q->conflict |= (uint8_t)conflict;
    q->expanded |= (uint8_t)expanded;
}

static int same_shape(const gnd_array *a, const gnd_array *b)
{
    return a->ndim == b->ndim && memcmp(a->dim, b->dim, a->ndim * sizeof *a->dim) == 0;
}

/* Elementwise sinks of one shape are to be one kernel, so that what they share is computed in it and
 * not stored: the last one leads. levels() says later whether that came true. */
static void make_teams(gnd__pgraph *g)
{
    for (int32_t s = g->nsink - 1; s >= 0; s--) {
        gnd__pnode *lead = &g->node[g->sinks[s]];
        uint32_t nops = lead->nops, nleaf = lead->nleaf;
        int members = 1;
        if (lead->role != GND__R_ROOT || !gnd__is_elementwise(lead->a) || lead->alone ||
            lead->team != g->sinks[s])
            continue;
        for (int32_t t = s - 1; t >= 0 && members < GND__KIR_OUT; t--) {
            gnd__pnode *p = &g->node[g->sinks[t]];
            if (p == lead || p->role != GND__R_ROOT || !gnd__is_elementwise(p->a) || p->alone ||
                p->team != g->sinks[t] || !same_shape(p->a, lead->a) ||
                nops + p->nops > MAX_OPS || nleaf + p->nleaf > MAX_LEAVES)
                continue;
            p->team = g->sinks[s];
            nops += p->nops;
            nleaf += p->nleaf;
            members++;
        }
    }
}

/* The group of a reduction: the last one, not far apart, over the same input and axes. */
static int32_t reduce_group(const gnd__pgraph *g, int32_t i)
{
    const gnd__pnode *p = &g->node[i];
    int32_t in = g->inputs[p->in];
    for (int32_t j = i + 1; j < g->nnode && j < i + 64; j++) {
        const gnd__pnode *q = &g->node[j];
        if (q->a->kind == GND__REDUCE && q->role == GND__R_ROOT && g->inputs[q->in] == in &&
            q->a->p.red.mask == p->a->p.red.mask) {
            i = j;
            p = q;
        }
    }
    return i;
}

/* What may be computed twice. */
static uint32_t cheap_cost(const gnd__pgraph *g, const gnd_array *a)
{
    return g->gpu && gnd_dtype_size((gnd_dtype)a->dtype) <= 4 ? CHEAP_COST_GPU : CHEAP_COST;
}

/* What may be computed for each element of a broadcast. */
static uint32_t cheap_expanded(const gnd__pgraph *g, const gnd__pnode *p, int expanded)
{
    if (expanded & 6 || p->nleaf > CHEAP_LEAVES || gnd_dtype_size((gnd_dtype)p->a->dtype) > 4)
        return CHEAP_EXPANDED;
    return g->gpu ? CHEAP_FEW_GPU : CHEAP_FEW_CPU;
}

static void uses(gnd__pgraph *g)
{
    int32_t pieces = g->nnode;
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        int32_t group = p->group;
        uint64_t path = p->path;
        int conflict = p->conflict, expanded = p->expanded;
        if (p->role == GND__R_LEAF)
            continue;
        if (p->role == GND__R_INLINE && !gnd__is_view(a) &&
            ((conflict && (p->cost > cheap_cost(g, a) || p->nleaf > CHEAP_LEAVES)) ||
             (expanded && p->cost > cheap_expanded(g, p, expanded)) ||
             (expanded & 2 && a->kind == GND__CHECKED)))
            p->role = GND__R_ROOT;
        if (p->role == GND__R_ROOT) {
            group = a->kind == GND__REDUCE ? reduce_group(g, i) : p->team;
            path = 1;
            conflict = expanded = 0;
        } else if (p->role == GND__R_ALIAS) {
            group = i;
            path = mix(1, (uint64_t)i);
            conflict = expanded = 0;
        }
        for (int k = 0; k < a->nin; k++) {
            gnd__pnode *q = input(g, p, k);
            uint64_t way = path;
            int grows = expanded;
            if (a->kind == GND__ASSEMBLE) {
                use(q, pieces++, 1, 0, 0);
                continue;
            }
            if (a->kind == GND__PRIM) {
                use(q, i, mix(1, (uint64_t)k + 7), 0, a->p.prim->mode[k] == GND__IN_AGAIN);
                continue;
            }
            if (gnd__is_view(a) || (a->kind == GND__TAKE && k == 0) || a->kind == GND__MATMUL ||
                a->kind == GND__REDUCE)
                way = mix(path, (uint64_t)(a->kind == GND__REDUCE && p->role == GND__R_ROOT ? group : i) *
                                        4 + 5);
            else if (q->a->size != a->size || q->a->ndim != a->ndim)
                way = mix(path, (uint64_t)q->a->ndim * 31 + (uint64_t)q->a->size);
            if (a->kind != GND__REDUCE && a->kind != GND__MATMUL && q->a->size < a->size)
                grows |= !q->a->size                          ? 1
                         : a->size / q->a->size >= CHECK_ROW ? 7
                         : a->size / q->a->size > FEW        ? 5 : 1;
            /* what is indexed lies in memory: no reduction that stays inside a kernel */
            use(q, group, way, conflict || (a->kind == GND__TAKE && k == 0), grows);
        }
    }
}

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
    w->type = g->node[root].a->kind == GND__MATMUL ? GND__P_MATMUL
              : g->node[root].a->kind == GND__PRIM ? GND__P_PRIM : GND__P_KERNEL;
    w->root[0] = root;
    w->box[0] = box;
    w->nroot = 1;
    w->reduce = -1;
    w->merged = w->plus = w->alpha = w->beta = -1;
    w->product = root;
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

/* What work w reads: leaves with elements, and roots, as node * 2 + (1 when through a view). */
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
                     g->inputs[p->in + k] * 2 +
                         (!gnd__is_elementwise(p->a) || p->a->kind == GND__TAKE ||
                          input(g, p, k)->a->size != p->a->size));
    }
    for (int r = 0; r < w->nred; r++)
        if (g->node[w->red[r]].absorbed)
            push(g, &g->stack, &top, &g->capstack, g->inputs[g->node[w->red[r]].in] * 2 + 1);
    while (top > 0 && !g->oom) {
        int32_t v = g->stack[--top], seen = 0;
        gnd__pnode *p = &g->node[v >> 1];
        if (p->absorbed || p->seen == walk + 1 || p->seen == walk + (uint32_t)(v & 1))
            continue; /* a node is walked once, and once more if now through a view */
        p->seen = walk + (uint32_t)(v & 1);
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
                 g->inputs[p->in + k] * 2 +
                     ((v & 1) || !gnd__is_elementwise(p->a) || p->a->kind == GND__TAKE ||
                      input(g, p, k)->a->size != p->a->size));
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

/* Takes reductions that only elementwise work w uses, at its own size, into w. */
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
            if (f->a->p.red.mask != r->a->p.red.mask || !same_shape(f->a->in[0], r->a->in[0]))
                continue;
        }
        if (w->nred == 0)
            w->reduce = i;
        w->red[w->nred++] = i;
        r->absorbed = 1;
    }
    if (w->nred > 0)
        find_deps(g, wi);
}

static void make_works(gnd__pgraph *g)
{
    int32_t pieces = g->nnode;
    /* the same numbers as uses() gave: it met the assemblies from the last to the first */
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
            for (int k = 0; k < a->nin && !g->oom; k++) {
                int32_t wi = g->nwork;
                if (a->in[k]->size == 0 || !add_work(g, i, k))
                    continue;
                find_deps(g, wi);
                absorb(g, wi, pieces + k);
            }
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
        if (w->nroot == 1 && w->box[0] < 0 && g->node[w->root[0]].absorbed)
            w->merged = i; /* computed elsewhere */
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

/* Whether works v and w (v earlier) may be one kernel: one space, shared inputs, within limits. */
static int mergeable(const gnd__pgraph *g, const gnd__pwork *v, const gnd__pwork *w, int producer)
{
    uint32_t nops = 0, nleaf = 0;
    if (v->type != GND__P_KERNEL || w->type != GND__P_KERNEL || v->box[0] >= 0 || w->box[0] >= 0 ||
        v->nroot + w->nroot > GND__KIR_OUT || (v->nred > 0) != (w->nred > 0) ||
        v->nred + w->nred > GND__KIR_RED || !same_shape(space(g, v), space(g, w)))
        return 0;
    if (v->nred > 0) {
        const gnd_array *x = g->node[v->reduce].a, *y = g->node[w->reduce].a;
        if (producer || x->p.red.mask != y->p.red.mask || !same_shape(x->in[0], y->in[0]))
            return 0;
    } else if (g->node[v->root[0]].a->kind == GND__RESHAPE ||
               g->node[w->root[0]].a->kind == GND__RESHAPE) {
        return 0;
    }
    for (int i = 0; i < v->nroot; i++) {
        nops += g->node[v->root[i]].nops;
        nleaf += g->node[v->root[i]].nleaf;
    }
    for (int i = 0; i < w->nroot; i++) {
        nops += g->node[w->root[i]].nops;
        nleaf += g->node[w->root[i]].nleaf;
    }
    return nops <= MAX_OPS + MAX_OPS / 2 && nleaf <= MAX_LEAVES + MAX_LEAVES / 2 &&
           (producer || share_dep(g, v, w));
}

static void merge(gnd__pgraph *g, int32_t vi, int32_t wi)
{
    gnd__pwork *v = &g->work[vi], *w = &g->work[wi];
    int32_t vn = v->ndep, first = g->ndep, vf = v->first_dep;
    for (int i = 0; i < w->nroot; i++) {
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

/* Levels, and merging with one of the works before. */
static void levels(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nwork && !g->oom; i++) {
        gnd__pwork *w = &g->work[i];
        int32_t lv, window = 0;
        if (w->merged >= 0)
            continue;
        w->level = lv = deps_level(g, w, -1) + 1;
        for (int32_t j = i - 1; j >= 0 && window < 16; j--) {
            gnd__pwork *v = &g->work[j];
            int producer = 0, through_view = 0;
            if (v->merged >= 0)
                continue;
            window++;
            for (int32_t d = w->first_dep; d < w->first_dep + w->ndep; d++)
                for (int r = 0; r < v->nroot; r++)
                    if (g->deps[d] >> 1 == v->root[r]) {
                        producer++;
                        through_view |= g->deps[d] & 1;
                    }
            if (producer ? producer > 1 || through_view || v->nred > 0 ||
                               v->level != lv - 1 ||
                               deps_level(g, w, v->root[0]) >= v->level || v->nroot > 1
                         : v->level != lv)
                continue;
            if (!mergeable(g, v, w, producer))
                continue;
            merge(g, j, i);
            break;
        }
        if (w->merged < 0)
            for (int r = 0; r < w->nroot; r++)
                if (g->node[w->root[r]].level < w->level)
                    g->node[w->root[r]].level = w->level;
    }
}

/* The work that root i ended up in. */
static int32_t work_of(const gnd__pgraph *g, int32_t i)
{
    for (int32_t w = 0; w < g->nwork; w++)
        for (int r = 0; r < g->work[w].nroot; r++)
            if (g->work[w].merged < 0 && g->work[w].root[r] == i)
                return w;
    return -1;
}

/* Sinks whose team did not become one kernel though they share what is not stored are on their own
 * from now on: 1, and grouping starts again. */
static int split_teams(gnd__pgraph *g)
{
    int again = 0;
    for (int32_t s = 0; s < g->nsink; s++) {
        gnd__pnode *p = &g->node[g->sinks[s]];
        if (p->role != GND__R_ROOT || p->team == g->sinks[s] || p->alone)
            continue;
        if (work_of(g, g->sinks[s]) != work_of(g, p->team)) {
            p->alone = 1;
            again = 1;
        }
    }
    return again;
}

static gnd_status order(gnd__pgraph *g, gnd_err *e)
{
    int merged = 0;
    int32_t top = 0;
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
    for (int32_t lv = merged ? 1 : top; lv <= top || !merged; lv++) {
        for (int32_t i = 0; i < g->nwork; i++)
            if (g->work[i].merged < 0 && (!merged || g->work[i].level == lv))
                g->order[g->norder++] = i;
        if (!merged)
            break;
    }
    return GND_OK;
}

gnd_status gnd__group(gnd__pgraph *g, gnd_err *e)
{
    do {
        g->nwork = g->ndep = g->nslot = 0;
        first_roles(g);
        make_teams(g);
        uses(g);
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
        if ((p->role == GND__R_LEAF || p->role == GND__R_ROOT) && !p->absorbed &&
            (p->role == GND__R_ROOT || p->a->data.st))
            p->slot = g->nslot++;
    }
    if (g->oom)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    return order(g, e);
}
