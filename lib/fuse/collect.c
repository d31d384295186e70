/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/collect.c - walks the graph below the sinks, without recursion, into an array in order of
 * computation, and has its structure written as a key (key.c). Nodes that compute the same from the
 * same inputs are unified: equal bytes, and for constants equal values, give one node, so that what
 * a program wrote twice is computed once.
 */
#include "fuse/key.h"

#include <stddef.h>
#include <string.h>
#include "base/mem.h"
#include "graph/launch.h"

/* The most inputs of an operation that is collected without the walk. */
enum { SINGLE = 8 };

static int widen(void **p, int32_t *cap, int32_t need, size_t size)
{
    int32_t c = *cap ? *cap : 64;
    void *q;
    while (c < need) {
        if (c > INT32_MAX / 2)
            return 0;
        c *= 2;
    }
    q = gnd__realloc(*p, (size_t)c * size);
    if (!q)
        return 0;
    *p = q;
    *cap = c;
    return 1;
}

static inline int grow(void **p, int32_t *cap, int32_t need, size_t size)
{
    return need <= *cap || widen(p, cap, need, size);
}

static inline uint32_t hash_bytes(const unsigned char *p, size_t n, uint32_t h)
{
    uint64_t x = h + 0x9e3779b97f4a7c15u, w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        x = (x ^ w) * 0xff51afd7ed558ccdu;
        x ^= x >> 32;
    }
    w = 0;
    if (n >= 4) {
        uint32_t half;
        memcpy(&half, p, 4);
        w = half;
        p += 4;
        n -= 4;
    }
    for (; n > 0; n--)
        w = w << 8 | *p++;
    x = (x ^ w) * 0xff51afd7ed558ccdu;
    return (uint32_t)(x >> 32);
}

static int same_value(const gnd__scalar *a, const gnd__scalar *b)
{
    return a->kind == b->kind && a->u == b->u && memcmp(&a->re, &b->re, sizeof a->re) == 0 &&
           memcmp(&a->im, &b->im, sizeof a->im) == 0;
}

/* Whether nodes p and q compute the same. Arrays with elements, and memory without contents, are
 * equal only to themselves. */
static int same_node(const gnd__pgraph *g, const gnd__pnode *p, const gnd__pnode *q)
{
    if (p->hash != q->hash || p->nkey != q->nkey || p->a->data.st || p->a->kind == GND__EMPTY ||
        p->a->kind == GND__LAUNCH || q->a->data.st ||
        memcmp(g->key + p->key, g->key + q->key, p->nkey) != 0)
        return 0;
    return p->a->kind != GND__CONST || same_value(&p->a->p.value, &q->a->p.value);
}

static int widen_table(gnd__pgraph *g)
{
    int32_t c = g->capequal ? g->capequal * 2 : 256;
    int32_t *t;
    while (c < 2 * (g->nnode + 1))
        c *= 2;
    t = gnd__calloc((size_t)c, sizeof *t);
    if (!t)
        return 0;
    gnd__free(g->equal);
    g->equal = t;
    g->capequal = c;
    for (int32_t i = 0; i < g->nnode; i++) {
        uint32_t h = g->node[i].hash;
        if (g->node[i].at < 0)
            continue;
        while (t[h & (uint32_t)(c - 1)])
            h++;
        g->node[i].at = (int32_t)(h & (uint32_t)(c - 1));
        t[g->node[i].at] = i + 1;
    }
    return 1;
}

static inline uint32_t value_hash(const gnd_array *a)
{
    uint64_t re;
    if (a->kind != GND__CONST)
        return 0;
    memcpy(&re, &a->p.value.re, sizeof re);
    return (uint32_t)(((a->p.value.u ^ re * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu) >> 32);
}

/* The hash of the whole key combines those of its nodes. */
static inline void add_hash(gnd__pgraph *g, uint32_t h)
{
    g->hash = (g->hash ^ h) * 0xff51afd7ed558ccdu;
    g->hash ^= g->hash >> 29;
}

/* Enters the last node. Returns its number; or, if there is an equal node, removes the last node
 * and returns the equal one's number. */
static int32_t enter(gnd__pgraph *g, size_t key, int32_t ninput)
{
    int32_t i = g->nnode - 1;
    gnd__pnode *p = &g->node[i];
    uint32_t h;
    if (g->oom)
        return i;
    if (2 * g->nnode > g->capequal) {
        g->nnode--; /* it is not in the table yet */
        if (!widen_table(g))
            g->oom = 1;
        g->nnode++;
        if (g->oom)
            return i;
    }
    p->key = key;
    p->nkey = (uint32_t)(g->nkey - key);
    const uint32_t structure = hash_bytes(g->key + key, p->nkey, 0);
    p->hash = structure ^ value_hash(p->a);
    for (h = p->hash; g->equal[h & (uint32_t)(g->capequal - 1)]; h++) {
        int32_t j = g->equal[h & (uint32_t)(g->capequal - 1)] - 1;
        gnd_array *a = p->a;
        if (!same_node(g, &g->node[j], p))
            continue;
        g->node[j].held |= p->held; /* see the end of gnd__collect */
        g->nnode--;
        g->nkey = key;
        g->ninput = ninput;
        if (a->kind == GND__CONST)
            return j;
        if (!grow((void **)&g->dup, &g->capdup, g->ndup + 1, sizeof *g->dup)) {
            g->oom = 1;
            a->mark = 0;
            return j;
        }
        g->dup[g->ndup++] = (gnd__dup){a, j, 0};
        a->mark = (uint32_t)j + 1;
        return j;
    }
    p->at = (int32_t)(h & (uint32_t)(g->capequal - 1));
    g->equal[p->at] = i + 1;
    add_hash(g, structure);
    return i;
}

/* The constant that replaces placeholder a, or NULL. */
static gnd_array *number_of(const gnd__pgraph *g, const gnd_array *a)
{
    for (int i = 0; i < g->nnumber && a->kind == GND__DATA && !a->data.st; i++)
        if (g->number[i].in == a)
            return g->number[i].as;
    return NULL;
}

/* Adds a as the last node, which may equal another one. Inputs that are constants have their
 * numbers in konst: constants have no device, so they are never marked. Returns the node's number;
 * -1: out of memory. */
static inline int32_t append(gnd__pgraph *g, gnd_array *a, const int32_t *konst)
{
    gnd__pnode *p;
    if (!grow((void **)&g->node, &g->capnode, g->nnode + 1, sizeof *g->node)) {
        g->oom = 1;
        return -1;
    }
    p = &g->node[g->nnode];
    memset(p, 0, offsetof(gnd__pnode, leaf));
    p->a = a;
    p->group = -1;
    p->slot = -1;
    p->at = -1;
    p->work = p->user = -1;
    if ((a->kind == GND__OP || a->kind == GND__MATMUL) &&
        atomic_load_explicit(&a->handles, memory_order_relaxed) > 0)
        p->held = __atomic_load_n(&a->scope, __ATOMIC_RELAXED) ? 1 : 2;
    p->in = g->ninput;
    g->expensive |= a->kind == GND__REDUCE || a->kind == GND__MATMUL || a->kind == GND__LAUNCH;
    if (a->data.st)
        g->checks |= a->data.st->checks != NULL;
    else if (a->kind == GND__DATA)
        g->symbolic = 1;
    if (!gnd__is_leaf(a)) {
        if (!grow((void **)&g->inputs, &g->capinput, g->ninput + a->nin, sizeof *g->inputs)) {
            g->oom = 1;
            return -1;
        }
        for (int i = 0; i < a->nin; i++)
            g->inputs[g->ninput + i] =
                a->in[i]->kind == GND__CONST ? konst[i] : (int32_t)a->in[i]->mark - 1;
        g->ninput += a->nin;
    }
    if (a->kind != GND__CONST)
        a->mark = (uint32_t)g->nnode + 1;
    gnd__key_node(g, p);
    return g->nnode++;
}

/* Gives a its number. konst is NULL for a constant that is a sink or a placeholder and must
 * therefore not be shared; otherwise as for append. */
static int32_t add_node(gnd__pgraph *g, gnd_array *a, const int32_t *konst)
{
    const size_t key = g->nkey;
    const int32_t ninput = g->ninput, i = append(g, a, konst);
    return konst && i >= 0 ? enter(g, key, ninput) : i;
}

/* Adds a after its constant inputs. */
static int32_t add_with_constants(gnd__pgraph *g, gnd_array *a)
{
    int32_t konst[GND_MAX_NDIM + 1]; /* read only for inputs that are constants */
    if (!gnd__is_leaf(a))
        for (int i = 0; i < a->nin && !g->oom; i++)
            if (a->in[i]->kind == GND__CONST) {
                if (i > GND_MAX_NDIM) { /* assemblies never have bare constants as inputs */
                    g->oom = 2;
                    return -1;
                }
                konst[i] = add_node(g, a->in[i], konst);
            }
    if (g->oom)
        return -1;
    gnd_array *const number = number_of(g, a);
    if (!number)
        return add_node(g, a, konst);
    const int32_t i = add_node(g, number, NULL);
    a->mark = (uint32_t)i + 1;
    return i;
}

/* Adds the nodes below sink, and sink itself, in order of computation. */
static void add_below(gnd__pgraph *g, gnd_array *sink)
{
    int32_t top = 0;
    if (!grow((void **)&g->astack, &g->capastack, 1, sizeof *g->astack)) {
        g->oom = 1;
        return;
    }
    g->astack[top++] = sink;
    while (top > 0 && !g->oom) {
        gnd_array *a = g->astack[top - 1];
        int waiting = 0;
        if (a->mark) {
            top--;
            continue;
        }
        if (a->kind == GND__PART)
            gnd__part_adopt(a);
        if (!gnd__is_leaf(a)) {
            if (!grow((void **)&g->astack, &g->capastack, top + a->nin, sizeof *g->astack)) {
                g->oom = 1;
                return;
            }
            for (int i = a->nin - 1; i >= 0; i--)
                if (a->in[i]->mark == 0 && a->in[i]->kind != GND__CONST) {
                    g->astack[top++] = a->in[i];
                    waiting = 1;
                }
        }
        if (waiting)
            continue;
        top--;
        add_with_constants(g, a);
    }
}

static void add_sink(gnd__pgraph *g, gnd_array *sink)
{
    gnd_array *const constant = sink->kind == GND__CONST ? sink : number_of(g, sink);
    if (sink->mark == 0 && !constant)
        add_below(g, sink);
    if (g->oom)
        return;
    if (constant)
        g->sinks[g->nsink] = add_node(g, constant, NULL);
    else
        g->sinks[g->nsink] = (int32_t)sink->mark - 1;
    if (g->sinks[g->nsink] >= 0)
        g->node[g->sinks[g->nsink]].sink = 1;
    g->nsink++;
}

/* Whether a is one operation on different arrays that have elements, and at most one constant: none
 * of these nodes can equal another. */
static int is_single(const gnd__pgraph *g, const gnd_array *a)
{
    int nkonst = 0;
    if (g->nnumber || gnd__is_leaf(a) || a->kind == GND__PART || a->nin > SINGLE)
        return 0;
    for (int i = 0; i < a->nin; i++) {
        const gnd_array *x = a->in[i];
        if (x->kind == GND__CONST ? nkonst++ : !x->data.st)
            return 0;
        for (int j = 0; j < i; j++)
            if (a->in[j] == x)
                return 0;
    }
    return 1;
}

/* Adds sink, for which is_single holds, without the walk and without the table of equal nodes. The
 * nodes get the order that the walk gives them. */
static void add_single(gnd__pgraph *g, gnd_array *sink)
{
    int32_t konst[SINGLE], last;
    for (int i = 0; i < sink->nin && !g->oom; i++)
        if (sink->in[i]->kind != GND__CONST)
            append(g, sink->in[i], NULL);
    for (int i = 0; i < sink->nin && !g->oom; i++)
        if (sink->in[i]->kind == GND__CONST)
            konst[i] = append(g, sink->in[i], NULL);
    last = g->oom ? -1 : append(g, sink, konst);
    if (last < 0)
        return;
    g->node[last].sink = 1;
    g->sinks[g->nsink++] = last;
    add_hash(g, hash_bytes(g->key, g->nkey, 0));
}

static void clear_marks(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nnode; i++)
        if (g->node[i].a->kind != GND__CONST)
            g->node[i].a->mark = 0;
    for (int32_t i = 0; i < g->ndup; i++)
        g->dup[i].a->mark = 0;
    for (int i = 0; i < g->nnumber; i++)
        if (g->number[i].in)
            g->number[i].in->mark = 0;
}

gnd_status gnd__collect(gnd__pgraph *g, gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e)
{
    gnd__pgraph_reset(g);
    g->dev = dev;
    if (!grow((void **)&g->sinks, &g->capsink, n + 1, sizeof *g->sinks))
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    if (n == 1 && is_single(g, sink[0]))
        add_single(g, sink[0]);
    for (int s = g->nsink; s < n && !g->oom; s++)
        add_sink(g, sink[s]);
    if (!g->oom)
        gnd__owners(g);
    clear_marks(g);
    const size_t key = g->nkey;
    if (!g->oom && !gnd__key_end(g))
        g->oom = 1;
    if (!g->oom)
        add_hash(g, hash_bytes(g->key + key, g->nkey - key, 0));
    if (g->oom)
        return gnd__err(e, g->oom == 1 ? GND_ERR_NOMEM : GND_ERR_INTERNAL, "planning: %s",
                        g->oom == 1 ? "out of memory" : "a constant inside an assembly");
    if (g->symbolic)
        return gnd__err(e, GND_ERR_STATE,
                        "a placeholder has no elements: gnd_record what is computed from it");
    return GND_OK;
}

void gnd__pgraph_reset(gnd__pgraph *g)
{
    if (g->equal && g->capequal <= 4096)
        for (int32_t i = 0; i < g->nnode; i++)
            if (g->node[i].at >= 0)
                g->equal[g->node[i].at] = 0;
    g->nnode = g->ninput = g->nsink = g->nwork = g->ndep = g->norder = g->nslot = g->ndup = 0;
    if (g->capequal > 4096) { /* after a large graph, small ones need not clear its table */
        gnd__free(g->equal);
        g->equal = NULL;
        g->capequal = 0;
    }
    g->nkey = 0;
    g->hash = 0;
    g->looked = 0;
    g->checks = 0;
    g->expensive = 0;
    g->symbolic = 0;
    g->oom = 0;
    gnd__free(g->order);
    g->order = NULL;
}

void gnd__pgraph_free(gnd__pgraph *g)
{
    gnd__pgraph_reset(g);
    gnd__free(g->node);
    gnd__free(g->sinks);
    gnd__free(g->inputs);
    gnd__free(g->key);
    gnd__free(g->work);
    gnd__free(g->deps);
    gnd__free(g->readers);
    gnd__free(g->equal);
    gnd__free(g->dup);
    gnd__free(g->stack);
    gnd__free(g->astack);
    memset(g, 0, sizeof *g);
}
