/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/product.c - the steps of a plan for a matrix product: operands as they lie where a library takes
 * them so, else as copies; batch axes that walk as one are one, the longest is that of the calls; and what
 * follows the product, where the library takes that too.
 */
#include <stdio.h>
#include <string.h>
#include "sched/maker.h"
#include "base/mem.h"
#include "prim/gemm.h"

/* Whether the last two axes can go to a library as they are. */
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

/* Fills one matrix operand; axes of extent 1 get strides that libraries accept. */
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

/* A product, and what follows it, as a library is asked for it. */
typedef struct product {
    gnd__place at[3];        /* a, b and what is added, where they are; a and b as copies, if there are */
    gnd__place from[2];      /* ... and what these are copies of */
    int copied[2];
    gnd_gemm gemm;           /* of the first of `outer` calls */
    int64_t stride[4][GND_MAX_NDIM]; /* of the batch axes: a, b, c and what is added */
    int nloop;               /* batch axes that are walked by calls, with their extents in loop */
    int64_t loop[GND_MAX_NDIM];
    int64_t outer;
} product;

/* The strides of l along the nb batch axes of a result, which it broadcasts to. */
static void batch_strides(const gnd__layout *l, int nb, int64_t *stride)
{
    for (int d = 0; d < nb; d++) {
        int od = d - nb + l->ndim - 2;
        stride[d] = od < 0 || l->dim[od] == 1 ? 0 : l->stride[od];
    }
}

/* What is added, as m x n matrices: 0 when it does not lie so. */
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
    return 1;
}

/* Batch axes that every operand walks as one become one; the longest is the calls', and the others are
 * walked by calls. */
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

/* Fills x for work w. 0: what is added does not lie as a library takes it. */
static int product_of(gnd__maker *m, const gnd__pwork *w, product *x)
{
    const gnd__pnode *p = &m->g->node[w->product];
    const gnd_array *a = p->a;
    gnd__layout out;
    gnd__shape sh;
    gnd_gemm *gemm = &x->gemm;
    gnd_mat *mat[4] = { &gemm->a, &gemm->b, &gemm->c, &gemm->plus };
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
    return gnd__gate_gemm_follows(m->dev, &x.gemm, &yes, NULL) == GND_OK && yes;
}

gnd_status gnd__plan_product(gnd__maker *m, const gnd__pwork *w)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    const gnd_array *a = p->a;
    product x;
    gnd_status st;
    int yes = 0;
    gnd_dtype t = (gnd_dtype)a->dtype;
    if (a->size == 0)
        return GND_OK;
    if (!product_of(m, w, &x))
        return gnd__err(m->e, GND_ERR_INTERNAL, "matmul: an operand without memory");
    for (int i = 0; i < 2; i++) {
        if (!x.copied[i])
            continue;
        st = gnd__plan_copy(m, &x.from[i], t, &x.at[i].slot);
        if (st != GND_OK)
            return st;
    }
    if (x.gemm.flags)
        yes = 1; /* it was asked before */
    else if (gnd__gate_gemm_supports(m->dev, &x.gemm, &yes, NULL) != GND_OK)
        yes = 0;
    for (int64_t o = 0; o < x.outer; o++) {
        gnd_gemm one = x.gemm;
        gnd_mat *mat[4] = { &one.a, &one.b, &one.c, &one.plus };
        gnd__step *s;
        int64_t rest = o;
        for (int d = x.nloop - 1; d >= 0; d--) {
            int64_t i = rest % x.loop[d];
            rest /= x.loop[d];
            for (int k = 0; k < (w->plus >= 0 ? 4 : 3); k++)
                mat[k]->off += (uint64_t)(i * x.stride[k][d]);
        }
        s = gnd__plan_step(m);
        if (!s)
            return GND_ERR_NOMEM;
        s->first = 1;
        s->type = yes ? GND__S_GEMM : GND__S_LAUNCH;
        s->gemm = one;
        s->gemm_slot[0] = x.at[0].slot;
        s->gemm_slot[1] = x.at[1].slot;
        s->gemm_slot[2] = p->slot;
        s->gemm_slot[3] = w->plus >= 0 ? x.at[2].slot : -1;
        s->rd = (int64_t)gnd_dtype_size(t) * one.nbatch * (one.m * one.k + one.k * one.n);
        s->wr = (int64_t)gnd_dtype_size(t) * one.nbatch * one.m * one.n;
        if (w->plus >= 0)
            s->rd += (int64_t)gnd_dtype_size(t) * (one.plus.batch ? one.nbatch : 1) * one.n *
                     (one.plus.row ? one.m : 1);
        snprintf(s->label, sizeof s->label, "matmul %s %lldx%lldx%lld batch %lld%s%s",
                 gnd_dtype_name(t), (long long)one.m, (long long)one.k, (long long)one.n,
                 (long long)one.nbatch, w->plus >= 0 ? " add" : "", w->relu ? " maximum" : "");
        if (!yes) {
            gnd__gemm_kernel gk;
            st = gnd__gemm_own(&one, &m->target, &gk, m->e);
            if (st != GND_OK)
                return st;
            s->ndim = 3;
            memcpy(s->global, gk.global, sizeof s->global);
            memcpy(s->local, gk.local, sizeof s->local);
            s->arg = gnd__calloc(GND__GEMM_ARGS, sizeof *s->arg);
            if (!s->arg) {
                gnd__str_free(&gk.src);
                return gnd__plan_nomem(m->e);
            }
            for (int i = 0; i < 3; i++) {
                s->arg[2 * i].kind = GND__A_BUF;
                s->arg[2 * i].ref = s->gemm_slot[i];
                s->arg[2 * i + 1].kind = GND__A_OFF;
                s->arg[2 * i + 1].size = 8;
                s->arg[2 * i + 1].ref = s->gemm_slot[i];
                s->arg[2 * i + 1].esize = (uint8_t)gnd_dtype_size(t);
                s->arg[2 * i + 1].value = (int64_t)(i == 0 ? one.a.off : i == 1 ? one.b.off : one.c.off);
            }
            for (int i = 6; i < GND__GEMM_ARGS; i++) {
                s->arg[i].kind = GND__A_INT;
                s->arg[i].size = 8;
                s->arg[i].value = gk.value[i - 6];
            }
            s->nargs = GND__GEMM_ARGS;
            if (m->want_source)
                s->source = gnd__strdup(gnd__str_get(&gk.src));
            else
                st = gnd__gate_kernel(m->dev, gk.name, gnd__str_get(&gk.src), gk.src.len, &s->kernel,
                                      m->e);
            gnd__str_free(&gk.src);
            if (st != GND_OK)
                return st;
        }
    }
    return GND_OK;
}
