/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/roles.c - which nodes are stored, and which are computed where they are used.
 *
 * In the order below: (1) what must be stored: sinks, reductions, products, joins of many arrays,
 * and where an expression grows past the limits of one kernel; (2) sinks of one shape count as one
 * kernel, a team, which is given up where it cannot become one (group.c); (3) from the sinks down,
 * which kernel uses each other node and through which views: a node that one kernel uses through
 * equal views is computed there; used otherwise it is computed again if that is cheap, else stored;
 * an expensive one is never computed again for each element of a broadcast; (4) what is still
 * wanted when the plan has run, because it is owned or something is that is not stored: a reduction
 * or a product of that kind is stored, wherever it is computed (group.c, rows.c, product.c).
 */
#include "fuse/roles.h"

#include <string.h>

/* Up to this cost a node is computed again instead of stored and read back; and the same on a GPU
 * for elements of up to 4 bytes: one elementary function. */
#define CHEAP_COST 4
#define CHEAP_COST_GPU 20
#define CHEAP_LEAVES 2
/* The most that all uses of a node through different views may cost together. */
#define REPEATED_COST 64
#define CHEAP_EXPANDED 2
#define BOXES_READ 4     /* the most arrays in an assembly that is not stored */
#define FEW 4            /* up to this number, repetitions count as few; then the limit is */
#define CHEAP_FEW_GPU 32 /* this cost, compared with writing and reading 4 bytes */
#define CHEAP_FEW_CPU 28 /* the same limit on a CPU: at most one elementary function */
#define CHEAP_WIDE 12    /* the same on a GPU for 8 bytes made from no more of them: no function */
/* From this length of rows on, indices are checked once, not for each element, because such checks
 * prevent vectorisation. */
#define CHECK_ROW 32
/* From this number of operations on, a node is stored if the user holds it, probably to use it
 * again, or if a scope holds it, which may only mean that the program computed it. */
#define KEPT_OPS 16
#define SCOPE_OPS 48

static int is_piece_of_work(const gnd_array *a)
{
    return a->kind == GND__REDUCE || a->kind == GND__MATMUL || a->kind == GND__ASSEMBLE ||
           a->kind == GND__EMPTY || a->kind == GND__PRIM || a->kind == GND__LAUNCH ||
           a->kind == GND__PART;
}

/* The inputs of assembly p that vary from element to element. */
static int boxes_read(gnd__pgraph *g, const gnd__pnode *p)
{
    int n = 0;
    for (int k = 0; k < p->a->nin; k++) {
        const gnd__pnode *q = gnd__input_of(g, p, k);
        while (q->role == GND__R_INLINE && gnd__is_view(q->a))
            q = gnd__input_of(g, q, 0);
        n += q->a->kind != GND__CONST;
    }
    return n;
}

/* The node of which node i consists, once the nodes below are known: see gnd__pnode. */
static int32_t origin_of(const gnd__pgraph *g, int32_t i)
{
    const gnd__pnode *p = &g->node[i];
    if (gnd__is_leaf(p->a) || (!gnd__is_view(p->a) && !gnd__has_boxes(p->a)))
        return i;
    const int32_t x = gnd__origin(g, g->inputs[p->in]);
    for (int k = 1; k < p->a->nin; k++)
        if (gnd__origin(g, g->inputs[p->in + k]) != x)
            return i;
    return x;
}

/* The different nodes, constants not counted, of which the boxes of assembly p consist. */
static int sources(const gnd__pgraph *g, const gnd__pnode *p)
{
    int32_t seen[GND__BOXES];
    int n = 0;
    for (int k = 0; k < p->a->nin && k < GND__BOXES; k++) {
        const int32_t x = gnd__origin(g, g->inputs[p->in + k]);
        int known = g->node[x].a->kind == GND__CONST;
        for (int j = 0; j < n; j++)
            known |= seen[j] == x;
        if (!known)
            seen[n++] = x;
    }
    return n;
}

/* Limits for computing a node twice. */
static uint32_t cheap_cost(const gnd__pgraph *g, const gnd__pnode *p)
{
    const gnd_array *a = p->a;
    if (g->gpu && !p->boxed && gnd__is_compact(g, p))
        return CHEAP_WIDE;
    return g->gpu && !p->boxed && gnd_dtype_size((gnd_dtype)a->dtype) <= 4 ? CHEAP_COST_GPU
                                                                           : CHEAP_COST;
}

/* Whether a box of assembly p has an expensive node that nothing else uses. Read through several
 * views, such a node would be stored by itself; stored in its place in the assembly it costs no
 * more, and all views read the assembly. With many boxes, as when the inner part of an array is
 * set, nodes with other uses count as well, and fewer operations are cheap: computing a box and
 * choosing among many at every read costs more than the store. */
static int has_own_work(gnd__pgraph *g, const gnd__pnode *p)
{
    const int many = boxes_read(g, p) > CHEAP_LEAVES;
    for (int k = 0; k < p->a->nin; k++) {
        const gnd__pnode *q = gnd__input_of(g, p, k);
        while (q->role == GND__R_INLINE && gnd__is_view(q->a) && (many || q->parents == 1))
            q = gnd__input_of(g, q, 0);
        if (q->role == GND__R_INLINE && !gnd__is_view(q->a) && q->a->kind != GND__ASSEMBLE &&
            (many || q->parents == 1) &&
            (q->cost > (many ? CHEAP_COST : cheap_cost(g, q)) || q->nleaf > CHEAP_LEAVES))
            return 1;
    }
    return 0;
}

/* Whether assembly p costs less computed where it is used than stored. */
static int is_cheap_assembly(gnd__pgraph *g, const gnd__pnode *p, int32_t i)
{
    return gnd__has_boxes(p->a) && (gnd__shifted(g, i) >= 0 || boxes_read(g, p) <= BOXES_READ ||
                                    (sources(g, p) <= BOXES_READ && !has_own_work(g, p)));
}

/* Roots what is inline below p, looking through views; prefers the input with more operations. */
static void cut_below(gnd__pgraph *g, gnd__pnode *p)
{
    gnd__pnode *best = NULL;
    for (int k = 0; k < p->a->nin; k++) {
        gnd__pnode *q = gnd__input_of(g, p, k);
        while (q->role == GND__R_INLINE && gnd__is_view(q->a))
            q = gnd__input_of(g, q, 0);
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

/* Counts operations and leaves of the inline tree below p. An input counts once. */
static void measure(gnd__pgraph *g, gnd__pnode *p)
{
    const gnd_array *a = p->a;
    uint32_t nops = 0, cost = 0;
    p->nleaf = 0;
    p->boxed = a->kind == GND__ASSEMBLE;
    const int32_t i = (int32_t)(p - g->node);
    const int of_one = a->kind == GND__ASSEMBLE && (p->origin != i || gnd__shifted(g, i) >= 0);
    const int nin = of_one ? 1 : a->nin;
    for (int k = 0; k < nin; k++) {
        gnd__pnode *q = gnd__input_of(g, p, k);
        int seen = 0;
        for (int j = 0; j < k; j++)
            seen |= gnd__input_of(g, p, j) == q;
        if (seen)
            continue;
        p->boxed |= q->role == GND__R_INLINE && q->boxed;
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
    } else if (a->kind == GND__CALL) {
        nops += (uint32_t)a->p.call.fn->nops;
        cost += (uint32_t)a->p.call.fn->cost;
    } else if (a->kind == GND__CAST || a->kind == GND__TAKE || a->kind == GND__CHECKED) {
        nops++;
        cost++;
    } else if (a->kind == GND__REDUCE && gnd__is_short(a)) {
        const uint32_t n = (uint32_t)(a->in[0]->size / (a->size ? a->size : 1));
        nops = nops * n + n; /* written out */
        cost = cost * n + n;
    } else if (a->kind == GND__ASSEMBLE) {
        nops += (uint32_t)(!of_one ? nin : gnd__shifted(g, i) >= 0 ? 1 : FEW);
        cost += (uint32_t)(of_one && gnd__shifted(g, i) >= 0 ? 1 : boxes_read(g, p));
    }
    if (nops > gnd__kernel_ops(g) && gnd__is_elementwise(a))
        nops = gnd__distinct_ops(g, i, gnd__kernel_ops(g));
    p->nops = (uint16_t)(nops > 60000 ? 60000 : nops);
    p->cost = cost > 1000000 ? 1000000 : cost;
}

/* If node i is a view, through any number of views, of an assembly with no more elements: that
 * assembly, which is stored instead of the views. */
static void store_viewed(gnd__pgraph *g, int32_t i)
{
    gnd__pnode *q = &g->node[i];
    while (q->role == GND__R_INLINE && gnd__is_view(q->a))
        q = gnd__input_of(g, q, 0);
    if (q->role == GND__R_INLINE && q->a->kind == GND__ASSEMBLE && g->node[i].a->size >= q->a->size)
        q->role = GND__R_ROOT;
}

/* If p, a sink or an operand, is a view of an operation with its axes turned, stores that. */
static void store_turned(gnd__pgraph *g, const gnd__pnode *p)
{
    gnd__pnode *q = p->a->kind == GND__VIEW ? gnd__input_of(g, p, 0) : NULL;
    const int one = q && (q->a->kind == GND__OP || (q->a->kind == GND__CAST && !p->sink));
    gnd__map m;
    if (one && q->role == GND__R_INLINE && gnd__is_turned(p->a, q->a, &m))
        q->role = GND__R_ROOT;
}

/* Gives operand i of a library call (a view, a leaf, an inline expression) a place in memory. */
static void need_place(gnd__pgraph *g, int32_t i)
{
    gnd__place pl;
    gnd__pnode *q = &g->node[i];
    int32_t blame;
    store_viewed(g, i);
    if (q->role != GND__R_ROOT &&
        (q->role == GND__R_LEAF ? !q->a->data.st : !gnd__place_of(g, i, &pl, &blame)))
        q->role = GND__R_ROOT;
}

/* Whether a reads input k as memory. */
static int reads_memory(const gnd_array *a, int k)
{
    return a->kind == GND__MATMUL || a->kind == GND__LAUNCH ||
           ((a->kind == GND__TAKE || a->kind == GND__CALL) && gnd__reads_all(a, k)) ||
           (a->kind == GND__PRIM && a->p.prim->mode[k] <= GND__IN_COPY);
}

/* limits: expressions that do not fit one kernel are divided, and shared nodes are stored; 0: only
 * nodes that cannot be inline are stored. */
static void first_roles(gnd__pgraph *g, int limits)
{
    for (int32_t i = 0; i < g->nnode; i++) {
        gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        p->group = -1;
        p->absorbed = p->conflict = p->expanded = p->whole = p->piece = 0;
        p->path = 0;
        p->level = 0;
        p->team = i;
        p->slot = p->work = -1;
        p->role = gnd__is_leaf(a)                                         ? GND__R_LEAF
                  : (is_piece_of_work(a) && !gnd__is_short(a)) || p->must ? GND__R_ROOT
                                                                          : GND__R_INLINE;
        if (a->kind == GND__ASSEMBLE && !p->must && p->role == GND__R_ROOT &&
            is_cheap_assembly(g, p, i))
            p->role = GND__R_INLINE;
        p->origin = origin_of(g, i);
        p->nops = p->nleaf = 0;
        p->cost = 0;
        if (p->role == GND__R_LEAF)
            continue;
        for (int k = 0; k < a->nin; k++) {
            if (a->kind == GND__MATMUL && a->in[k]->ndim == 2)
                store_turned(g, gnd__input_of(g, p, k));
            if (reads_memory(a, k))
                need_place(g, g->inputs[p->in + k]);
        }
        if (a->kind != GND__REDUCE && is_piece_of_work(a) && p->role == GND__R_ROOT)
            continue;
        measure(g, p);
        if (limits && a->kind == GND__ASSEMBLE &&
            (p->nops > gnd__kernel_ops(g) || p->nleaf > GND__LEAVES)) {
            p->role = GND__R_ROOT;
            continue;
        }
        if (!limits)
            continue;
        if (p->shared && p->role == GND__R_INLINE &&
            (p->cost > cheap_cost(g, p) || p->nleaf > CHEAP_LEAVES)) {
            p->role = GND__R_ROOT;
            continue;
        }
        if (p->nops > gnd__kernel_ops(g) || p->nleaf > GND__LEAVES) {
            cut_below(g, p);
            measure(g, p);
        }
        if (p->role == GND__R_INLINE && p->held && p->nops >= (p->held > 1 ? KEPT_OPS : SCOPE_OPS))
            p->role = GND__R_ROOT;
    }
    for (int32_t s = 0; s < g->nsink; s++) {
        gnd__pnode *p = &g->node[g->sinks[s]];
        gnd__place pl;
        int32_t blame;
        if (p->role == GND__R_ROOT || p->a->data.st)
            continue;
        store_viewed(g, g->sinks[s]);
        store_turned(g, p);
        if (p->role == GND__R_ROOT)
            continue;
        if (gnd__is_view(p->a) && gnd__place_of(g, g->sinks[s], &pl, &blame))
            p->role = GND__R_ALIAS;
        else
            p->role = GND__R_ROOT; /* constants and iotas too: their elements were requested */
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

/* The group of a reduction: that of the nearest earlier reduction over the same input and axes, if
 * it is not far away. */
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

/* Limits for computing a node for each element of a broadcast. */
static uint32_t cheap_expanded(const gnd__pgraph *g, const gnd__pnode *p, int expanded)
{
    if (expanded & 6 || p->nleaf > CHEAP_LEAVES)
        return CHEAP_EXPANDED;
    if (gnd_dtype_size((gnd_dtype)p->a->dtype) > 4)
        return g->gpu && gnd__is_compact(g, p) ? CHEAP_WIDE : CHEAP_EXPANDED;
    return g->gpu ? CHEAP_FEW_GPU : CHEAP_FEW_CPU;
}

/* How a kernel uses node i, on the way to the inputs of i. */
typedef struct usage {
    int32_t group;
    uint64_t path;
    int conflict, expanded, whole;
    int shifted;    /* i is an assembly whose boxes are all cut from one array */
    int32_t pieces; /* the next number for a box that becomes a work of its own */
} usage;

/* Notes the use of input k of node i, where node i itself is used as u says. */
static void use_input(gnd__pgraph *g, int32_t i, int k, usage *u)
{
    const gnd__pnode *p = &g->node[i];
    const gnd_array *a = p->a;
    gnd__pnode *q = gnd__input_of(g, p, k);
    uint64_t way = u->path;
    int grows = u->expanded;
    q->whole |= (uint8_t)u->whole;
    if (a->kind == GND__ASSEMBLE && p->role == GND__R_ROOT) {
        use(q, u->pieces++, 1, 0, 0);
        return;
    }
    if (a->kind == GND__ASSEMBLE) {
        q->piece |= (uint8_t)u->shifted;
        use(q, u->group,
            gnd__mix_path(u->path, (uint64_t)(u->shifted ? 0 : k) * 0x10001 + (uint64_t)i * 4 + 6),
            u->conflict, grows);
        return;
    }
    if (a->kind == GND__PRIM) {
        use(q, i, gnd__mix_path(1, (uint64_t)k + 7), 0, a->p.prim->mode[k] == GND__IN_AGAIN);
        return;
    }
    if (a->kind == GND__LAUNCH || a->kind == GND__PART) {
        use(q, i, gnd__mix_path(1, (uint64_t)k + 7), 1, 0);
        return;
    }
    if (p->piece && p->role == GND__R_INLINE && !u->conflict)
        ; /* all boxes read their common array through equal views */
    else if (gnd__is_view(a) || gnd__reads_all(a, k) || a->kind == GND__MATMUL ||
             a->kind == GND__REDUCE)
        way = gnd__mix_path(
            u->path,
            (uint64_t)(a->kind == GND__REDUCE && p->role == GND__R_ROOT ? u->group : i) * 4 + 5);
    else if (q->a->size != a->size || q->a->ndim != a->ndim)
        way = gnd__mix_path(u->path, (uint64_t)q->a->ndim * 31 + (uint64_t)q->a->size);
    if (a->kind != GND__REDUCE && a->kind != GND__MATMUL && q->a->size < a->size)
        grows |= !q->a->size                         ? 1
                 : a->size / q->a->size >= CHECK_ROW ? 7
                 : a->size / q->a->size > FEW        ? 5
                                                     : 1;
    /* an indexed array is in memory: it cannot be a reduction inside a kernel */
    use(q, u->group, way, u->conflict || gnd__reads_all(a, k), grows);
}

static void uses(gnd__pgraph *g)
{
    usage u = {.pieces = g->nnode};
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        u.group = p->group;
        u.path = p->path;
        u.conflict = p->conflict;
        u.expanded = p->expanded;
        u.whole = p->whole;
        if (p->role == GND__R_LEAF)
            continue;
        if (p->role == GND__R_INLINE && a->kind == GND__ASSEMBLE &&
            (u.whole || ((u.conflict || u.expanded) && gnd__shifted(g, i) < 0 &&
                         (sources(g, p) > CHEAP_LEAVES || has_own_work(g, p)))))
            p->role = GND__R_ROOT; /* otherwise the inputs of its boxes are stored unless they are
                                      cheap */
        if (p->role == GND__R_INLINE && !gnd__is_view(a) && a->kind != GND__ASSEMBLE &&
            ((u.conflict && (p->cost > cheap_cost(g, p) || p->nleaf > CHEAP_LEAVES ||
                             p->cost * p->parents > REPEATED_COST)) ||
             (u.expanded && p->cost > cheap_expanded(g, p, u.expanded)) ||
             (u.expanded & 2 && a->kind == GND__CHECKED))) {
            p->role = GND__R_ROOT;
            p->shared = 1;
        }
        if (p->role == GND__R_ROOT) {
            u.group = a->kind == GND__REDUCE ? reduce_group(g, i) : p->team;
            u.path = 1;
            u.conflict = u.expanded = 0;
        } else if (p->role == GND__R_ALIAS) {
            u.group = i;
            u.path = gnd__mix_path(1, (uint64_t)i);
            u.conflict = u.expanded = 0;
        }
        if (p->role != GND__R_INLINE)
            u.whole = 0;
        u.whole |= a->kind == GND__PRIM || (a->kind == GND__REDUCE && p->role == GND__R_ROOT);
        u.shifted = a->kind == GND__ASSEMBLE && p->role == GND__R_INLINE && gnd__shifted(g, i) >= 0;
        for (int k = 0; k < a->nin; k++)
            use_input(g, i, k, &u);
    }
}

/* An owned node needs its inputs, down to nodes whose elements stay: reductions, products and
 * primitives. Other roots do not end the search: they may become part of a kernel of rows, and few
 * of them stay. */
static void find_live(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].live = g->node[i].owned;
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        const gnd__pnode *p = &g->node[i];
        const int stays = p->sink || p->role == GND__R_LEAF || p->a->kind == GND__MATMUL ||
                          p->a->kind == GND__PRIM || p->a->kind == GND__LAUNCH ||
                          p->a->kind == GND__PART ||
                          (p->a->kind == GND__REDUCE && p->role == GND__R_ROOT);
        for (int k = 0; p->live && !stays && k < p->a->nin; k++)
            gnd__input_of(g, p, k)->live = 1;
    }
}

void gnd__roles(gnd__pgraph *g)
{
    int boxes = 0;
    for (int32_t i = 0; i < g->nnode; i++) {
        g->node[i].shared = 0;
        g->node[i].parents = 0;
        for (int k = 0; k < g->node[i].a->nin && !gnd__is_leaf(g->node[i].a); k++) {
            gnd__pnode *in = gnd__input_of(g, &g->node[i], k);
            in->parents++;
            in->user = i;
        }
        boxes |= gnd__has_boxes(g->node[i].a) && !g->node[i].must && !gnd__is_leaf(g->node[i].a);
    }
    if (boxes) { /* these are computed for each use: what they share is stored before limits are
                    considered */
        first_roles(g, 0);
        gnd__make_teams(g);
        uses(g);
    }
    first_roles(g, 1);
    gnd__make_teams(g);
    uses(g);
    if (g->expensive && !g->frozen)
        find_live(g);
}
