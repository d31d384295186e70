/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/product.c - the steps of a plan for a matrix product: operands in place if a library
 * accepts their layout, else as copies; batch axes that can be combined are one axis, and the calls
 * use the longest; and what follows the product, if the library supports it.
 */
#include <stdio.h>
#include <string.h>
#include "sched/maker.h"
#include "base/mem.h"
#include "prim/gemm.h"

/* The value used to query a library if a factor is known only when the plan runs: neither 0 nor
 * 1. */
#define GND__ANY_FACTOR 2

/* Whether a library accepts the last two axes as they are. */
static int gemm_layout(const gnd__layout *l)
{
    int n = l->ndim;
    int64_t r = l->stride[n - 2], c = l->stride[n - 1];
    int64_t rows = l->dim[n - 2], cols = l->dim[n - 1];
    for (int d = 0; d < n; d++)
        if (l->stride[d] < 0)
            return 0;
    return (c == 1 && (rows == 1 || r >= cols)) || (r == 1 && (cols == 1 || c >= rows));
}

/* Fills one matrix operand. Axes of extent 1 get strides that libraries accept. */
static void set_mat(gnd_mat *x, const gnd__layout *l)
{
    int n = l->ndim;
    int64_t rows = l->dim[n - 2], cols = l->dim[n - 1];
    x->off = (uint64_t)l->off;
    x->row = l->stride[n - 2];
    x->col = l->stride[n - 1];
    if (x->col == 1 || (cols == 1 && x->row != 1)) {
        if (rows == 1 || x->row < cols)
            x->row = cols;
        x->col = 1;
    } else {
        if (cols == 1 || x->col < rows)
            x->col = rows;
        x->row = 1;
    }
}

/* A product, and what follows it, in the form of a library call. */
typedef struct product {
    /* the places of a, b and the addend; of copies of a and b if there are any */
    gnd__place at[3];
    gnd__place from[2]; /* ... and what these are copied from */
    int copied[2];
    gnd_gemm gemm;                   /* the first of `outer` calls */
    int64_t stride[4][GND_MAX_NDIM]; /* strides of the batch axes: a, b, c and the addend */
    /* number of batch axes over which calls iterate, with their extents in loop */
    int nloop;
    int64_t loop[GND_MAX_NDIM];
    int64_t outer;
} product;

/* The strides of l along the nb batch axes of a result to which it broadcasts. */
static void batch_strides(const gnd__layout *l, int nb, int64_t *stride)
{
    for (int d = 0; d < nb; d++) {
        int od = d - nb + l->ndim - 2;
        stride[d] = od < 0 || l->dim[od] == 1 ? 0 : l->stride[od];
    }
}

/* Describes the addend as m x n matrices. Returns 0 if its layout does not allow that. */
static int plus_layout(product *x, const gnd_array *a)
{
    gnd__layout *l = &x->at[2].l;
    int nb = a->ndim - 2, n = l->ndim;
    int64_t cols = a->dim[nb + 1], row;
    if (n < 1 || (cols > 1 && (l->dim[n - 1] != cols || l->stride[n - 1] != 1)))
        return 0;
    row = n < 2 || l->dim[n - 2] == 1 ? 0 : l->stride[n - 2];
    for (int d = 0; d < n; d++)
        if (l->stride[d] < 0 && l->dim[d] > 1)
            return 0;
    if (a->dim[nb] > 1 && row != 0 && row < cols)
        return 0;
    batch_strides(l, nb, x->stride[3]);
    x->gemm.plus.off = (uint64_t)l->off;
    x->gemm.plus.row = a->dim[nb] > 1 ? row : 0;
    x->gemm.plus.col = 1;
    x->gemm.flags |= GND_GEMM_PLUS;
    x->gemm.beta = 1;
    return 1;
}

/* Merges batch axes that every operand treats as one. The calls use the longest; separate calls
 * iterate over the others. */
static void one_batch(product *x, int operands, gnd_mat *const *mat)
{
    int n = 0, longest = 0;
    for (int d = 0; d < x->nloop; d++) {
        int joins = n > 0;
        if (x->loop[d] == 1)
            continue;
        for (int i = 0; i < operands && joins; i++)
            joins = x->stride[i][n - 1] == x->stride[i][d] * x->loop[d];
        n += !joins;
        x->loop[n - 1] = joins ? x->loop[n - 1] * x->loop[d] : x->loop[d];
        for (int i = 0; i < operands; i++)
            x->stride[i][n - 1] = x->stride[i][d];
    }
    for (int d = 1; d < n; d++)
        longest = x->loop[d] >= x->loop[longest] ? d : longest;
    x->outer = 1;
    x->nloop = 0;
    for (int d = 0; d < n; d++) {
        if (d == longest) {
            x->gemm.nbatch = x->loop[d];
            for (int i = 0; i < operands; i++)
                mat[i]->batch = x->stride[i][d];
            continue;
        }
        x->outer *= x->loop[x->nloop] = x->loop[d];
        for (int i = 0; i < operands; i++)
            x->stride[i][x->nloop] = x->stride[i][d];
        x->nloop++;
    }
}

/* Fills x for work w. Returns 0 if a library does not accept the addend's layout. */
static int product_of(gnd__maker *m, const gnd__pwork *w, product *x)
{
    const gnd__pnode *p = &m->g->node[w->product];
    const gnd_array *a = p->a;
    gnd__layout out;
    gnd__shape sh;
    gnd_gemm *gemm = &x->gemm;
    gnd_mat *mat[4] = {&gemm->a, &gemm->b, &gemm->c, &gemm->plus};
    int nb = a->ndim - 2, operands = w->plus >= 0 ? 4 : 3;
    int32_t blame;
    memset(gemm, 0, sizeof *gemm);
    sh.ndim = a->ndim;
    memcpy(sh.dim, a->dim, (size_t)a->ndim * sizeof *a->dim);
    gnd__layout_contig(&out, &sh);
    for (int i = 0; i < 2; i++) {
        gnd__layout *l = &x->at[i].l;
        if (!gnd__place_of(m->g, m->g->inputs[p->in + i], &x->at[i], &blame))
            return 0;
        x->from[i] = x->at[i];
        x->copied[i] = !gemm_layout(l);
        if (x->copied[i]) {
            gnd__shape s2;
            s2.ndim = l->ndim;
            memcpy(s2.dim, l->dim, (size_t)s2.ndim * sizeof *s2.dim);
            gnd__layout_contig(l, &s2);
        }
        batch_strides(l, nb, x->stride[i]);
        set_mat(mat[i], l);
    }
    for (int d = 0; d < nb; d++)
        x->stride[2][d] = out.stride[d];
    set_mat(&gemm->c, &out);
    gemm->dtype = (uint32_t)a->dtype;
    gemm->m = a->dim[nb];
    gemm->n = a->dim[nb + 1];
    gemm->k = x->at[0].l.dim[x->at[0].l.ndim - 1];
    gemm->alpha = 1;
    gemm->nbatch = 1;
    gemm->flags = w->relu ? GND_GEMM_RELU : 0;
    if (w->plus >= 0 && (!gnd__place_of(m->g, w->plus, &x->at[2], &blame) || !plus_layout(x, a)))
        return 0;
    if (w->alpha >= 0)
        gemm->alpha = GND__ANY_FACTOR;
    if (w->beta >= 0)
        gemm->beta = GND__ANY_FACTOR;
    for (int d = 0; d < nb; d++)
        x->loop[d] = a->dim[d];
    x->nloop = nb;
    one_batch(x, operands, mat);
    return 1;
}

int gnd__plan_follows(gnd__maker *m, const gnd__pwork *w)
{
    product x;
    int yes = 0;
    if (m->g->node[w->root[0]].a->size == 0 || !product_of(m, w, &x))
        return 0;
    return (x.gemm.flags ? gnd__gate_gemm_follows(m->dev, &x.gemm, &yes, NULL)
                         : gnd__gate_gemm_supports(m->dev, &x.gemm, &yes, NULL)) == GND_OK &&
           yes;
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

static gnd_status by_library(gnd__maker *m, const gnd__pwork *w, const product *x,
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
    s->gemm_slot[0] = x->at[0].slot;
    s->gemm_slot[1] = x->at[1].slot;
    s->gemm_slot[2] = out;
    s->gemm_slot[3] = plus ? x->at[2].slot : -1;
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

static gnd_status by_kernels(gnd__maker *m, const product *x, const gnd_gemm *one, int32_t out)
{
    const size_t size = gnd_dtype_size((gnd_dtype)one->dtype);
    gnd__gemm_kernels own;
    gnd_status st = gnd__gemm_own(one, &m->target, &own, m->e);
    const size_t part = gnd_dtype_size(own.part), esize[4] = {size, size, size, part};
    const uint64_t off[4] = {one->a.off, one->b.off, one->c.off, 0};
    int32_t slot[4] = {x->at[0].slot, x->at[1].slot, out, -1};
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

/* Computes a product with a vector as a reduction. */
static gnd_status by_reduction(gnd__maker *m, const product *x, const gnd_array *a, int32_t out)
{
    const gnd_dtype t = (gnd_dtype)a->dtype,
                    acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    const int nb = a->ndim - 2, by_rows = a->dim[nb + 1] == 1;
    const gnd__layout *l[2] = {&x->from[0].l, &x->from[1].l};
    gnd__kir *k = gnd__calloc(1, sizeof *k);
    gnd_status st;
    int v = 0, factor[2];
    if (!k)
        return gnd__plan_nomem(m->e);
    k->reduce = 1;
    k->nkeep = nb + 1;
    k->nred = 1;
    memcpy(k->dim, a->dim, (size_t)nb * sizeof *a->dim);
    k->dim[nb] = a->dim[by_rows ? nb : nb + 1];
    k->dim[nb + 1] = l[0]->dim[l[0]->ndim - 1];
    k->naccess = 3;
    for (int i = 0; i < 2; i++) {
        const int64_t *stride = l[i]->stride + l[i]->ndim - 2; /* of rows, of columns */
        k->access[i].slot = x->from[i].slot;
        k->access[i].off = l[i]->off;
        k->access[i].dtype = (int16_t)t;
        k->access[i].aligned = (uint8_t)is_aligned(m, &x->from[i], gnd_dtype_size(t));
        batch_strides(l[i], nb, k->access[i].stride);
        k->access[i].stride[nb] = i == 0 ? (by_rows ? stride[0] : 0) : by_rows ? 0 : stride[1];
        k->access[i].stride[nb + 1] = stride[i == 0];
        k->instr[v] = (gnd__instr){.kind = GND__I_LOAD, .dtype = (int16_t)t, .ref = i};
        factor[i] = v++;
        if (acc != t) {
            k->instr[v] = (gnd__instr){.kind = GND__I_CAST,
                                       .dtype = (int16_t)acc,
                                       .ctype = (int16_t)t,
                                       .a = {(int16_t)factor[i]}};
            factor[i] = v++;
        }
    }
    k->instr[v] = (gnd__instr){.kind = GND__I_OP,
                               .op = t == GND_BOOL ? GND__OP_LOGICAL_AND : GND__OP_MULTIPLY,
                               .dtype = (int16_t)acc,
                               .ctype = (int16_t)acc,
                               .a = {(int16_t)factor[0], (int16_t)factor[1]}};
    k->nreds = 1;
    k->red[0] = (gnd__kred){.op = t == GND_BOOL ? GND__ANY : GND__SUM,
                            .value = (int16_t)v++,
                            .in = (int16_t)acc,
                            .out = (int16_t)acc};
    k->instr[v++] = (gnd__instr){.kind = GND__I_RED, .epilogue = 1, .dtype = (int16_t)acc};
    if (acc != t) {
        k->instr[v] = (gnd__instr){.kind = GND__I_CAST,
                                   .epilogue = 1,
                                   .dtype = (int16_t)t,
                                   .ctype = (int16_t)acc,
                                   .a = {(int16_t)(v - 1)}};
        v++;
    }
    k->access[2].slot = out;
    k->access[2].epilogue = k->access[2].aligned = 1;
    k->access[2].dtype = (int16_t)t;
    for (int64_t d = nb, n = 1; d >= 0; n *= k->dim[d--])
        k->access[2].stride[d] = n;
    k->ninstr = v;
    k->nout = 1;
    k->out[0] = (gnd__kout){.value = (int16_t)(v - 1), .access = 2};
    snprintf(k->label, sizeof k->label, "matmul %s %lldx%lldx%lld", gnd_dtype_name(t),
             (long long)a->dim[nb], (long long)k->dim[nb + 1], (long long)a->dim[nb + 1]);
    st = gnd__kir_verify(k, m->e);
    if (st == GND_OK)
        st = gnd__plan_kernel(m, k);
    gnd__free(k);
    return st;
}

gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    const gnd_array *a = p->a;
    product x;
    gnd_status st;
    int yes = 0;
    if (a->size == 0)
        return GND_OK;
    if (!product_of(m, w, &x))
        return gnd__err(m->e, GND_ERR_INTERNAL, "matmul: an operand without memory");
    if (w->product != w->root[0])
        yes = 1; /* it was asked before */
    else if (gnd__gate_gemm_supports(m->dev, &x.gemm, &yes, NULL) != GND_OK)
        yes = 0;
    if (!yes && (x.gemm.m == 1 || x.gemm.n == 1))
        return by_reduction(m, &x, a, p->slot);
    for (int i = 0; i < 2; i++) {
        if (!x.copied[i])
            continue;
        st = gnd__plan_copy(m, &x.from[i], (gnd_dtype)a->dtype, &x.at[i].slot);
        if (st != GND_OK)
            return st;
    }
    for (int64_t o = 0; o < x.outer; o++) {
        gnd_gemm one = x.gemm;
        gnd_mat *mat[4] = {&one.a, &one.b, &one.c, &one.plus};
        int64_t rest = o;
        for (int d = x.nloop - 1; d >= 0; d--) {
            int64_t i = rest % x.loop[d];
            rest /= x.loop[d];
            for (int k = 0; k < (w->plus >= 0 ? 4 : 3); k++)
                mat[k]->off += (uint64_t)(i * x.stride[k][d]);
        }
        st = yes ? by_library(m, w, &x, &one, p->slot) : by_kernels(m, &x, &one, p->slot);
        if (st != GND_OK)
            return st;
    }
    return GND_OK;
}
