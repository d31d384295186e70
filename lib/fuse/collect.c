/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/collect.c - walks the graph below the sinks, without recursion, into an array in order of
 * computation, and writes the structure down as bytes: the key of the plan cache. Sizes, strides and
 * operations are in the key; the values of constants and the places of leaves are not.
 */
#include "fuse/fuse.h"

#include <string.h>
#include "base/mem.h"

static int grow(void **p, int32_t *cap, int32_t need, size_t size)
{
    int32_t c = *cap ? *cap : 64;
    void *q;
    if (need <= *cap)
        return 1;
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

static void put(gnd__pgraph *g, const void *p, size_t n)
{
    if (g->nkey + n > g->capkey) {
        size_t c = g->capkey ? g->capkey : 1024;
        unsigned char *q;
        while (c < g->nkey + n)
            c *= 2;
        q = gnd__realloc(g->key, c);
        if (!q) {
            g->oom = 1;
            return;
        }
        g->key = q;
        g->capkey = c;
    }
    memcpy(g->key + g->nkey, p, n);
    g->nkey += n;
}

static void put32(gnd__pgraph *g, int32_t v)
{
    put(g, &v, sizeof v);
}

/* Bit 0: the element that the leaf begins with lies on a multiple of 16 bytes. */
static int32_t leaf_alignment(const gnd_array *a)
{
    return (uint64_t)a->data.off * gnd_dtype_size((gnd_dtype)a->dtype) % 16 == 0;
}

static void key_node(gnd__pgraph *g, const gnd__pnode *p)
{
    const gnd_array *a = p->a;
    struct { uint8_t kind, ndim, dtype, held; int32_t x; } h = {
        a->kind, a->ndim, (uint8_t)a->dtype, (uint8_t)(p->held | p->sink << 1 | p->must << 2), 0
    };
    int leaf = gnd__is_leaf(a);
    if (a->data.st)
        h.kind = (uint8_t)(0x80 | a->data.contig | leaf_alignment(a) << 1);
    else if (a->kind == GND__OP)
        h.x = a->p.op;
    else if (a->kind == GND__REDUCE)
        h.x = a->p.red.op;
    else if (a->kind == GND__TAKE)
        h.x = a->p.axis;
    else if (a->kind == GND__ASSEMBLE)
        h.x = a->nin;
    put(g, &h, sizeof h);
    put(g, a->dim, a->ndim * sizeof *a->dim);
    if (leaf) {
        if (a->data.st && !a->data.contig)
            put(g, a->data.stride, a->ndim * sizeof *a->data.stride);
        return;
    }
    put(g, g->inputs + p->in, (size_t)a->nin * sizeof *g->inputs);
    if (a->kind == GND__VIEW) {
        const gnd__map *m = a->p.map;
        size_t n = a->in[0]->ndim;
        put(g, m->start, n * sizeof *m->start);
        put(g, m->step, n * sizeof *m->step);
        put(g, m->from, n * sizeof *m->from);
    } else if (a->kind == GND__REDUCE) {
        put(g, &a->p.red.mask, sizeof a->p.red.mask);
    } else if (a->kind == GND__ASSEMBLE) {
        for (int i = 0; i < a->nin; i++)
            put(g, a->p.box[i].start, a->ndim * sizeof *a->p.box[i].start);
    }
}

/* Gives a its number. Constants have no device, so they cannot be marked: each use is its own. */
static int32_t add_node(gnd__pgraph *g, gnd_array *a)
{
    gnd__pnode *p;
    if (!grow((void **)&g->node, &g->capnode, g->nnode + 1, sizeof *g->node)) {
        g->oom = 1;
        return -1;
    }
    p = &g->node[g->nnode];
    memset(p, 0, sizeof *p);
    p->a = a;
    p->group = -1;
    p->slot = -1;
    p->held = a->kind == GND__OP && atomic_load_explicit(&a->handles, memory_order_relaxed) > 0;
    p->in = g->ninput;
    if (!gnd__is_leaf(a)) {
        if (!grow((void **)&g->inputs, &g->capinput, g->ninput + a->nin, sizeof *g->inputs)) {
            g->oom = 1;
            return -1;
        }
        for (int i = 0; i < a->nin; i++) {
            gnd_array *x = a->in[i];
            g->inputs[g->ninput + i] = x->kind == GND__CONST ? -1 : (int32_t)x->mark - 1;
        }
        g->ninput += a->nin;
    }
    if (a->kind != GND__CONST)
        a->mark = (uint32_t)g->nnode + 1;
    return g->nnode++;
}

/* Constants come before the node that uses them. */
static void add_with_constants(gnd__pgraph *g, gnd_array *a)
{
    int32_t c[3] = { -1, -1, -1 }, n;
    int leaf = gnd__is_leaf(a);
    if (!leaf && a->kind != GND__ASSEMBLE)
        for (int i = 0; i < a->nin; i++)
            if (a->in[i]->kind == GND__CONST && (c[i] = add_node(g, a->in[i])) >= 0)
                key_node(g, &g->node[c[i]]);
    n = add_node(g, a);
    if (n < 0 || leaf)
        return;
    for (int i = 0; i < a->nin && a->kind != GND__ASSEMBLE; i++)
        if (c[i] >= 0)
            g->inputs[g->node[n].in + i] = c[i];
    for (int i = 0; i < a->nin && a->kind == GND__ASSEMBLE; i++)
        if (g->inputs[g->node[n].in + i] < 0)
            g->oom = g->oom ? g->oom : 2; /* makers of assemblies give no bare constant */
}

gnd_status gnd__collect(gnd__pgraph *g, gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e)
{
    gnd__pgraph_reset(g);
    g->dev = dev;
    g->sinks = gnd__malloc(((size_t)n + 1) * sizeof *g->sinks);
    if (!g->sinks)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    for (int s = 0; s < n && !g->oom; s++) {
        int32_t top = 0;
        if (sink[s]->mark == 0 && sink[s]->kind != GND__CONST) {
            if (!grow((void **)&g->astack, &g->capastack, 1, sizeof *g->astack)) {
                g->oom = 1;
                break;
            }
            g->astack[top++] = sink[s];
        }
        while (top > 0 && !g->oom) {
            gnd_array *a = g->astack[top - 1];
            int waiting = 0;
            if (a->mark) {
                top--;
                continue;
            }
            if (!gnd__is_leaf(a)) {
                if (!grow((void **)&g->astack, &g->capastack, top + a->nin, sizeof *g->astack)) {
                    g->oom = 1;
                    break;
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
            if (!g->oom)
                key_node(g, &g->node[g->nnode - 1]);
        }
        if (g->oom)
            break;
        if (sink[s]->kind == GND__CONST)
            g->sinks[g->nsink] = add_node(g, sink[s]);
        else
            g->sinks[g->nsink] = (int32_t)sink[s]->mark - 1;
        if (g->sinks[g->nsink] >= 0)
            g->node[g->sinks[g->nsink]].sink = 1;
        put32(g, g->sinks[g->nsink]);
        g->nsink++;
    }
    for (int32_t i = 0; i < g->nnode; i++)
        if (g->node[i].a->kind != GND__CONST)
            g->node[i].a->mark = 0;
    if (g->oom)
        return gnd__err(e, g->oom == 1 ? GND_ERR_NOMEM : GND_ERR_INTERNAL, "planning: %s",
                        g->oom == 1 ? "out of memory" : "a constant inside an assembly");
    return GND_OK;
}

void gnd__pgraph_reset(gnd__pgraph *g)
{
    g->nnode = g->ninput = g->nsink = g->nwork = g->ndep = g->norder = g->nslot = 0;
    g->nkey = 0;
    g->oom = 0;
    gnd__free(g->sinks);
    g->sinks = NULL;
    gnd__free(g->order);
    g->order = NULL;
}

void gnd__pgraph_free(gnd__pgraph *g)
{
    gnd__pgraph_reset(g);
    gnd__free(g->node);
    gnd__free(g->inputs);
    gnd__free(g->key);
    gnd__free(g->work);
    gnd__free(g->deps);
    gnd__free(g->stack);
    gnd__free(g->astack);
    memset(g, 0, sizeof *g);
}
