/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/product.c - the steps of a plan for a matrix product: copies of operands, then the calls or
 * kernels that prim/product.h describes.
 */
#include <stdio.h>
#include <string.h>
#include "sched/maker.h"
#include "base/mem.h"
#include "prim/gemm.h"
#include "prim/product.h"
#include "sched/slabs.h"

/* A product and the places of its operands. */
typedef struct product {
    gnd__place from[3]; /* a, b, and the addend */
    int32_t slot[3];    /* their slots; those of the copies of a and b if there are any */
    gnd__product x;
} product;

/* Fills q for work w. Returns 0 if an operand has no memory or a library does not accept the
 * addend's layout. */
static int product_of(gnd__maker *m, const gnd__pwork *w, product *q)
{
    const gnd__pnode *p = &m->g->node[w->product];
    const int32_t node[3] = {m->g->inputs[p->in], m->g->inputs[p->in + 1], w->plus};
    const int n = w->plus >= 0 ? 3 : 2;
    int32_t blame;
    for (int i = 0; i < n; i++) {
        if (!gnd__place_of(m->g, node[i], &q->from[i], &blame))
            return 0;
        q->slot[i] = q->from[i].slot;
    }
    return gnd__product_form(&q->x, p->a,
                             &(gnd__product_parts){.a = &q->from[0].l,
                                                   .b = &q->from[1].l,
                                                   .plus = n > 2 ? &q->from[2].l : NULL,
                                                   .relu = w->relu,
                                                   .alpha = w->alpha >= 0,
                                                   .beta = w->beta >= 0});
}

int gnd__plan_follows(gnd__maker *m, const gnd__pwork *w)
{
    product q;
    return m->g->node[w->root[0]].a->size != 0 && product_of(m, w, &q) &&
           gnd__product_library(m->dev, &q.x.gemm);
}

/* Adds a step of product g with its label and bytes. */
static gnd__step *product_step(gnd__maker *m, const gnd_gemm *g, const char *after)
{
    const int64_t size = (int64_t)gnd_dtype_size((gnd_dtype)g->dtype);
    gnd__step *s = gnd__plan_step(m);
    if (!s)
        return NULL;
    s->first = 1;
    s->rd = size * g->nbatch * (g->m * g->k + g->k * g->n);
    s->wr = size * g->nbatch * g->m * g->n;
    snprintf(s->label, sizeof s->label, "matmul %s %lldx%lldx%lld batch %lld%s",
             gnd_dtype_name((gnd_dtype)g->dtype), (long long)g->m, (long long)g->k, (long long)g->n,
             (long long)g->nbatch, after);
    return s;
}

static gnd_status by_library(gnd__maker *m, const gnd__pwork *w, const product *q,
                             const gnd_gemm *one, int32_t out)
{
    const int plus = w->plus >= 0;
    char after[64];
    snprintf(after, sizeof after, "%s%s%s%s", w->alpha >= 0 ? " multiply" : "",
             w->beta >= 0 ? " multiply" : "", plus ? " add" : "", w->relu ? " maximum" : "");
    gnd__step *s = product_step(m, one, after);
    if (!s)
        return GND_ERR_NOMEM;
    s->gemm_const[0] = w->alpha;
    s->gemm_const[1] = w->beta;
    s->type = GND__S_GEMM;
    s->gemm = *one;
    s->gemm_slot[0] = q->slot[0];
    s->gemm_slot[1] = q->slot[1];
    s->gemm_slot[2] = out;
    s->gemm_slot[3] = plus ? q->slot[2] : -1;
    if (plus)
        s->rd += (int64_t)gnd_dtype_size((gnd_dtype)one->dtype) *
                 (one->plus.batch ? one->nbatch : 1) * one->n * (one->plus.row ? one->m : 1);
    return GND_OK;
}

/* Adds our own kernel k over the slots of a, b, c and the parts, whose elements begin at off and
 * have esize bytes. */
static gnd_status add_own(gnd__maker *m, const gnd__gemm_kernel *k, const int32_t *slot,
                          const uint64_t *off, const size_t *esize, gnd__step *s)
{
    int n = 0;
    s->type = GND__S_LAUNCH;
    s->ndim = 3;
    memcpy(s->global, k->global, sizeof s->global);
    memcpy(s->local, k->local, sizeof s->local);
    s->arg = gnd__calloc((size_t)(2 * k->nmem + k->nvalue), sizeof *s->arg);
    if (!s->arg)
        return gnd__plan_nomem(m->e);
    for (int i = 0; i < k->nmem; i++) {
        s->arg[n].kind = GND__A_BUF;
        s->arg[n++].ref = slot[k->mem[i]];
        s->arg[n].kind = GND__A_OFF;
        s->arg[n].size = 8;
        s->arg[n].ref = slot[k->mem[i]];
        s->arg[n].esize = (uint8_t)esize[k->mem[i]];
        s->arg[n++].value = (int64_t)off[k->mem[i]];
    }
    for (int i = 0; i < k->nvalue; i++) {
        s->arg[n].kind = GND__A_INT;
        s->arg[n].size = 8;
        s->arg[n++].value = k->value[i];
    }
    s->nargs = n;
    if (!m->want_source)
        return gnd__gate_kernel(m->dev, k->name, gnd__str_get(&k->src), k->src.len, &s->kernel,
                                m->e);
    s->source = gnd__strdup(gnd__str_get(&k->src));
    return s->source ? GND_OK : gnd__plan_nomem(m->e);
}

static gnd_status by_kernels(gnd__maker *m, const product *q, const gnd_gemm *one, int32_t out)
{
    const size_t size = gnd_dtype_size((gnd_dtype)one->dtype);
    gnd__gemm_kernels own;
    gnd_status st = gnd__gemm_own(one, &m->target, &own, m->e);
    const size_t part = gnd_dtype_size(own.part), esize[4] = {size, size, size, part};
    const uint64_t off[4] = {one->a.off, one->b.off, one->c.off, 0};
    int32_t slot[4] = {q->slot[0], q->slot[1], out, -1};
    if (st == GND_OK && own.nparts > 0) {
        slot[3] = gnd__plan_slot(m, -1, 0, (size_t)own.nparts * part);
        st = slot[3] < 0 ? GND_ERR_NOMEM : GND_OK;
    }
    for (int i = 0; i < own.n && st == GND_OK; i++) {
        gnd__step *s = product_step(m, one, i > 0 ? ": sum of parts" : "");
        st = s ? add_own(m, &own.k[i], slot, off, esize, s) : GND_ERR_NOMEM;
        if (st != GND_OK)
            break;
        s->first = i == 0;
        if (i > 0)
            s->rd = own.nparts * (int64_t)part;
        else if (own.n > 1)
            s->wr = own.nparts * (int64_t)part;
    }
    gnd__gemm_free(&own);
    return st;
}

/* Whether the start of that place is aligned to 16 bytes. */
static int is_aligned(const gnd__maker *m, const gnd__place *pl, size_t size)
{
    const gnd__pslot *s = &m->p->slot[pl->slot];
    const int64_t own = s->leaf ? m->g->node[s->node].a->data.off : 0;
    return (uint64_t)own * size % 16 == 0 && (uint64_t)pl->l.off * size % 16 == 0;
}

static gnd_status by_ir(gnd__maker *m, const product *q, const gnd_array *a, int32_t out,
                        gnd__product_way way)
{
    const size_t size = gnd_dtype_size((gnd_dtype)a->dtype);
    const int32_t slot[3] = {q->from[0].slot, q->from[1].slot, out};
    const int aligned[2] = {is_aligned(m, &q->from[0], size), is_aligned(m, &q->from[1], size)};
    gnd__kir *k = gnd__malloc(sizeof *k);
    if (!k)
        return gnd__plan_nomem(m->e);
    gnd_status st = way == GND__BY_TERMS ? gnd__product_terms(&q->x, a, slot, aligned, k, m->e)
                                         : gnd__product_reduction(&q->x, a, slot, aligned, k, m->e);
    if (st == GND_OK)
        st = gnd__plan_kernel(m, k);
    gnd__free(k);
    return st;
}

void gnd__plan_slabs(gnd__maker *m)
{
    for (int32_t i = 0; i < m->g->norder; i++) {
        const gnd__pwork *w = &m->g->work[m->g->order[i]];
        product q;
        if (w->type != GND__P_MATMUL || w->plus >= 0 ||
            !gnd__slabs_large(m->g->node[w->product].a) || !product_of(m, w, &q) ||
            q.x.outer != 1 || q.x.copied[0] || q.x.copied[1])
            continue;
        const gnd_gemm one = gnd__product_call(&q.x, 0);
        gnd__slabs_mark(m, w, q.from, &one);
    }
}

gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    const gnd_array *a = p->a;
    product q;
    gnd_status st = GND_OK;
    if (a->size == 0)
        return GND_OK;
    if (!product_of(m, w, &q))
        return gnd__err(m->e, GND_ERR_INTERNAL, "matmul: an operand without memory");
    /* the work contains operations after a product only if the library computes them:
     * gnd__plan_follows */
    const gnd__product_way way =
        w->product != w->root[0] ? GND__BY_LIBRARY : gnd__product_choose(m->dev, &q.x.gemm);
    if (way == GND__BY_REDUCTION || way == GND__BY_TERMS)
        return by_ir(m, &q, a, p->slot, way);
    for (int i = 0; i < 2 && st == GND_OK; i++)
        if (q.x.copied[i])
            st = gnd__plan_copy(m, &q.from[i], (gnd_dtype)a->dtype, &q.slot[i]);
    const int64_t first = gnd__slabs_of(m, &q.from[0]),
                  slab = first ? first : gnd__slabs_of(m, &q.from[1]);
    for (int64_t at = 0; slab && at < q.x.gemm.k && st == GND_OK; at += slab) {
        const int64_t rest = q.x.gemm.k - at;
        gnd_gemm one = gnd__product_call(&q.x, 0);
        st = gnd__slabs_compute(m, q.from, &one, at, rest < slab ? rest : slab);
        if (st == GND_OK)
            st = by_library(m, w, &q, &one, p->slot);
    }
    if (slab)
        return st;
    for (int64_t o = 0; o < q.x.outer && st == GND_OK; o++) {
        const gnd_gemm one = gnd__product_call(&q.x, o);
        st = way == GND__BY_LIBRARY ? by_library(m, w, &q, &one, p->slot)
                                    : by_kernels(m, &q, &one, p->slot);
    }
    return st;
}
