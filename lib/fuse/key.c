/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/key.c - writes the structure of a graph as bytes: the key of the plan cache. Sizes, strides
 * and operations are in the key; the values of constants and the addresses of leaves are not.
 */
#include "fuse/key.h"

#include <stddef.h>
#include <string.h>
#include "base/mem.h"
#include "graph/launch.h"

/* Reserves n more bytes of the key, so that `put` needs no check. */
static inline int key_room(gnd__pgraph *g, size_t n)
{
    size_t c = g->capkey ? g->capkey : 1024;
    unsigned char *q;
    if (g->nkey + n <= g->capkey)
        return 1;
    while (c < g->nkey + n)
        c *= 2;
    q = gnd__realloc(g->key, c);
    if (!q)
        return 0;
    g->key = q;
    g->capkey = c;
    return 1;
}

/* Copies a few bytes, mostly a multiple of 4, without a call. Room must be reserved. */
static inline void put(gnd__pgraph *g, const void *p, size_t n)
{
    const unsigned char *from = p;
    unsigned char *to = g->key + g->nkey;
    g->nkey += n;
    if (n > 64) {
        memcpy(to, from, n);
        return;
    }
    for (; n >= 8; n -= 8, from += 8, to += 8)
        memcpy(to, from, 8);
    if (n >= 4) {
        memcpy(to, from, 4);
        from += 4;
        to += 4;
        n -= 4;
    }
    for (; n > 0; n--)
        *to++ = *from++;
}

static inline void put32(gnd__pgraph *g, int32_t v)
{
    memcpy(g->key + g->nkey, &v, sizeof v);
    g->nkey += sizeof v;
}

/* An upper bound of the bytes that key_node writes for a. */
static inline size_t key_size(const gnd_array *a)
{
    size_t n = 8 + 16 * (size_t)a->ndim;
    if (gnd__is_leaf(a))
        return n;
    n += 4 * (size_t)a->nin;
    switch (a->kind) {
    case GND__VIEW:
        return n + 8 * (size_t)a->in[0]->ndim + sizeof(gnd__term) * (size_t)a->p.view->nterm;
    case GND__TAKE: return n + 2 * (size_t)a->in[0]->ndim;
    case GND__ASSEMBLE: return n + 8 * (size_t)a->ndim * (size_t)a->nin;
    case GND__OP:
    case GND__CAST: return n;
    case GND__LAUNCH: return n + sizeof(gnd__launch); /* an upper bound */
    default: return n + sizeof(gnd__primargs) + sizeof(gnd__index_of);
    }
}

/* The inputs of launch a that nothing else will read, one bit each. The memory of such an input may
 * be overwritten; inputs of a recording are kept. */
static uint32_t dying_inputs(const gnd__pgraph *g, const gnd_array *a)
{
    uint32_t bits = 0;
    for (int j = 0; j < a->nin; j++) {
        const gnd_array *x = a->in[j];
        const gnd__storage *st = x->data.st;
        if (atomic_load(&x->handles) > 0 || atomic_load(&x->refs) > 1 || x->kind == GND__CONST)
            continue;
        if (!st || (!g->frozen && atomic_load(&st->refs) == 1 && !st->foreign && x->data.contig &&
                    gnd__leaf_alignment(x) == GND__ALIGN_CLASSES))
            bits |= 1u << j;
    }
    return bits;
}

/* The key of a launch: everything but the numbers passed to it. */
static void key_launch(gnd__pgraph *g, gnd__pnode *p)
{
    const gnd__launch *l = p->a->p.launch;
    p->dying = dying_inputs(g, p->a);
    put(g, &p->dying, sizeof p->dying);
    put(g, &l->user->id, sizeof l->user->id);
    put(g, l->grid, sizeof l->grid);
    put(g, l->block, sizeof l->block);
    put(g, l->out_bytes, (size_t)l->nout * sizeof *l->out_bytes);
    put32(g, l->nout);
    put32(g, l->narg);
    for (int i = 0; i < l->narg; i++) {
        const gnd__larg *a = &l->arg[i];
        put32(g, a->kind | a->aligned << 8 | a->strided << 16);
        put32(g, (int32_t)((uint8_t)a->in | (uint8_t)a->out << 8 | (uint8_t)a->of << 16 |
                           (uint32_t)(uint8_t)a->axis << 24));
        put32(g, (int32_t)a->nbytes);
    }
}

void gnd__key_node(gnd__pgraph *g, gnd__pnode *p)
{
    const gnd_array *a = p->a;
    struct {
        uint8_t kind, ndim, dtype, zero;
        int32_t x;
    } h = {a->kind, a->ndim, (uint8_t)a->dtype, 0, 0};
    int leaf = gnd__is_leaf(a);
    if (!key_room(g, key_size(a))) {
        g->oom = 1;
        return;
    }
    if (a->data.st)
        h.kind = (uint8_t)(0x80 | a->data.contig | gnd__leaf_alignment(a) << 1);
    else if (a->kind == GND__OP) {
        h.x = a->p.op;
        h.zero = (uint8_t)((gnd__is_relu(a) >= 0) | (gnd__is_scaling(a) >= 0) << 1);
    } else if (a->kind == GND__REDUCE)
        h.x = a->p.red.op;
    else if (a->kind == GND__ASSEMBLE || a->kind == GND__TAKE || a->kind == GND__CALL)
        h.x = a->nin;
    else if (a->kind == GND__VIEW)
        h.x = a->p.view->nterm;
    put(g, &h, sizeof h);
    put(g, a->dim, a->ndim * sizeof *a->dim);
    if (leaf) {
        if (a->data.st && !a->data.contig)
            put(g, a->data.stride, a->ndim * sizeof *a->data.stride);
        return;
    }
    if (a->nin > 0)
        put(g, g->inputs + p->in, (size_t)a->nin * sizeof *g->inputs);
    if (a->kind == GND__OP)
        return;
    if (a->kind == GND__VIEW) {
        const gnd__view *v = a->p.view;
        put(g, v->start, a->in[0]->ndim * sizeof *v->start);
        put(g, v->term, (size_t)v->nterm * sizeof *v->term);
    } else if (a->kind == GND__REDUCE) {
        put(g, &a->p.red.mask, sizeof a->p.red.mask);
        if (a->p.red.fn)
            put(g, &a->p.red.fn->id, sizeof a->p.red.fn->id);
    } else if (a->kind == GND__CALL) {
        put(g, &a->p.call.fn->id, sizeof a->p.call.fn->id);
        put32(g, a->p.call.out);
    } else if (a->kind == GND__TAKE) {
        put(g, a->p.take->from, a->in[0]->ndim * sizeof *a->p.take->from);
        put(g, a->p.take->via, a->in[0]->ndim * sizeof *a->p.take->via);
    } else if (a->kind == GND__CHECKED) {
        put(g, &a->p.check.func, sizeof a->p.check.func);
        put(g, &a->p.check.size, sizeof a->p.check.size);
        put(g, &a->p.check.what, sizeof a->p.check.what);
        put32(g, a->p.check.code);
        put32(g, a->p.check.axis);
    } else if (a->kind == GND__PRIM) {
        put(g, a->p.prim, offsetof(gnd__primargs, func));
    } else if (a->kind == GND__LAUNCH) {
        key_launch(g, p);
    } else if (a->kind == GND__PART) {
        put32(g, a->p.part);
    } else if (a->kind == GND__ASSEMBLE) {
        for (int i = 0; i < a->nin; i++)
            put(g, a->p.box[i].start, a->ndim * sizeof *a->p.box[i].start);
    }
}

int gnd__key_end(gnd__pgraph *g)
{
    if (!key_room(g, 4 * (size_t)g->nsink + (size_t)g->nnode + 8))
        return 0;
    put(g, g->sinks, 4 * (size_t)g->nsink);
    for (int32_t i = 0; i < g->nnode; i++)
        /* determined late, because an equal node may have changed them */
        g->key[g->nkey++] = (unsigned char)(g->node[i].held | g->node[i].owned << 2);
    put32(g, g->nsink);
    put32(g, g->nnode);
    return 1;
}
