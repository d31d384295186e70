/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/product.c - see product.h.
 */
#include "prim/product.h"

#include <stdio.h>
#include <string.h>
#include "base/env.h"
#include "base/measured.h"
#include "device/device.h"
#include "prim/gemm.h"
#include "graph/graph.h"

/* The value used to query a library if a factor is known only when the plan runs: neither 0 nor
 * 1. */
#define ANY_FACTOR 2

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

/* The strides of l along the nb batch axes of a result to which it broadcasts. */
static void batch_strides(const gnd__layout *l, int nb, int64_t *stride)
{
    for (int d = 0; d < nb; d++) {
        int od = d - nb + l->ndim - 2;
        stride[d] = od < 0 || l->dim[od] == 1 ? 0 : l->stride[od];
    }
}

/* Describes the addend as m x n matrices. Returns 0 if its layout does not allow that. */
static int plus_layout(gnd__product *x, const gnd_array *a)
{
    gnd__layout *l = &x->l[2];
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
static void one_batch(gnd__product *x, int operands, gnd_mat *const *mat)
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

/* Makes the batch the rows of one product where the batch walks rows: a stack of matrices times one
 * matrix is one product of all their rows. */
static void rows_of_batch(gnd_gemm *g, int plus)
{
    if (g->nbatch < 2 || g->b.batch != 0 || g->a.batch != g->m * g->a.row ||
        g->c.batch != g->m * g->c.row || (plus && g->plus.batch != g->m * g->plus.row) ||
        g->m > INT32_MAX / g->nbatch)
        return;
    g->m *= g->nbatch;
    g->nbatch = 1;
    g->a.batch = g->c.batch = g->plus.batch = 0;
}

int gnd__product_form(gnd__product *x, const gnd_array *a, const gnd__product_parts *of)
{
    gnd__layout out;
    gnd__shape sh;
    gnd_gemm *gemm = &x->gemm;
    gnd_mat *mat[4] = {&gemm->a, &gemm->b, &gemm->c, &gemm->plus};
    const gnd__layout *in[2] = {of->a, of->b};
    const int nb = a->ndim - 2, operands = of->plus ? 4 : 3;
    memset(gemm, 0, sizeof *gemm);
    sh.ndim = a->ndim;
    memcpy(sh.dim, a->dim, (size_t)a->ndim * sizeof *a->dim);
    gnd__layout_contig(&out, &sh);
    for (int i = 0; i < 2; i++) {
        gnd__layout *l = &x->l[i];
        x->from[i] = *l = *in[i];
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
    gemm->k = x->l[0].dim[x->l[0].ndim - 1];
    gemm->alpha = 1;
    gemm->nbatch = 1;
    gemm->flags = of->relu ? GND_GEMM_RELU : 0;
    if (of->plus) {
        x->l[2] = *of->plus;
        if (!plus_layout(x, a))
            return 0;
    }
    if (of->alpha)
        gemm->alpha = ANY_FACTOR;
    if (of->beta)
        gemm->beta = ANY_FACTOR;
    for (int d = 0; d < nb; d++)
        x->loop[d] = a->dim[d];
    x->nloop = nb;
    one_batch(x, operands, mat);
    rows_of_batch(gemm, of->plus != NULL);
    return 1;
}

gnd_gemm gnd__product_call(const gnd__product *x, int64_t o)
{
    gnd_gemm one = x->gemm;
    gnd_mat *mat[4] = {&one.a, &one.b, &one.c, &one.plus};
    for (int d = x->nloop - 1; d >= 0; d--) {
        const int64_t i = o % x->loop[d];
        o /= x->loop[d];
        for (int k = 0; k < (one.flags & GND_GEMM_PLUS ? 4 : 3); k++)
            mat[k]->off += (uint64_t)(i * x->stride[k][d]);
    }
    return one;
}

gnd_status gnd__product_reduction(const gnd__product *x, const gnd_array *a, const int32_t slot[3],
                                  const int aligned[2], gnd__kir *k, gnd_err *e)
{
    const gnd_dtype t = (gnd_dtype)a->dtype,
                    acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    const int nb = a->ndim - 2, by_rows = a->dim[nb + 1] == 1;
    const gnd__layout *l[2] = {&x->from[0], &x->from[1]};
    int v = 0, factor[2];
    memset(k, 0, sizeof *k);
    k->reduce = 1;
    k->nkeep = nb + 1;
    k->nred = 1;
    memcpy(k->dim, a->dim, (size_t)nb * sizeof *a->dim);
    k->dim[nb] = a->dim[by_rows ? nb : nb + 1];
    k->dim[nb + 1] = l[0]->dim[l[0]->ndim - 1];
    k->naccess = 3;
    for (int i = 0; i < 2; i++) {
        const int64_t *stride = l[i]->stride + l[i]->ndim - 2; /* of rows, of columns */
        k->access[i].slot = slot[i];
        k->access[i].off = l[i]->off;
        k->access[i].dtype = (int16_t)t;
        k->access[i].aligned = (uint8_t)aligned[i];
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
    k->access[2].slot = slot[2];
    k->access[2].epilogue = k->access[2].aligned = 1;
    k->access[2].dtype = (int16_t)t;
    for (int64_t d = nb, n = 1; d >= 0; n *= k->dim[d--])
        k->access[2].stride[d] = n;
    k->ninstr = v;
    k->nout = 1;
    k->out[0] = (gnd__kout){.value = (int16_t)(v - 1), .access = 2};
    snprintf(k->label, sizeof k->label, "matmul %s %lldx%lldx%lld", gnd_dtype_name(t),
             (long long)a->dim[nb], (long long)k->dim[nb + 1], (long long)a->dim[nb + 1]);
    return gnd__kir_verify(k, e);
}

/* Adds a load of term `at` of operand i, as a value of dtype acc. */
static int load_term(gnd__kir *k, const gnd__product *x, int i, int64_t at, const int32_t *slot,
                     const int *aligned, gnd_dtype t, gnd_dtype acc)
{
    const gnd__layout *l = &x->from[i];
    const int64_t *stride = l->stride + l->ndim - 2; /* of rows, of columns */
    const int nb = k->nkeep - 2, n = k->naccess++;
    const int64_t off = at * stride[i == 0];
    gnd__access *c = &k->access[n];
    c->slot = slot[i];
    c->off = l->off + off;
    c->dtype = (int16_t)t;
    c->aligned = (uint8_t)(aligned[i] && off * (int64_t)gnd_dtype_size(t) % 16 == 0);
    batch_strides(l, nb, c->stride);
    c->stride[nb] = i == 0 && k->dim[nb] > 1 ? stride[0] : 0;
    c->stride[nb + 1] = i == 1 && k->dim[nb + 1] > 1 ? stride[1] : 0;
    k->instr[k->ninstr] = (gnd__instr){.kind = GND__I_LOAD, .dtype = (int16_t)t, .ref = (int16_t)n};
    if (acc != t) {
        k->instr[k->ninstr + 1] = (gnd__instr){.kind = GND__I_CAST,
                                               .dtype = (int16_t)acc,
                                               .ctype = (int16_t)t,
                                               .a = {(int16_t)k->ninstr}};
        k->ninstr++;
    }
    return k->ninstr++;
}

gnd_status gnd__product_terms(const gnd__product *x, const gnd_array *a, const int32_t slot[3],
                              const int aligned[2], gnd__kir *k, gnd_err *e)
{
    const gnd_dtype t = (gnd_dtype)a->dtype,
                    acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    const int is_bool = t == GND_BOOL;
    int sum = -1;
    memset(k, 0, sizeof *k);
    k->nkeep = a->ndim;
    memcpy(k->dim, a->dim, (size_t)a->ndim * sizeof *a->dim);
    for (int64_t at = 0; at < x->from[0].dim[x->from[0].ndim - 1]; at++) {
        const int one = load_term(k, x, 0, at, slot, aligned, t, acc),
                  two = load_term(k, x, 1, at, slot, aligned, t, acc);
        int v = k->ninstr++;
        k->instr[v] = (gnd__instr){.kind = GND__I_OP,
                                   .op = is_bool ? GND__OP_LOGICAL_AND : GND__OP_MULTIPLY,
                                   .dtype = (int16_t)acc,
                                   .ctype = (int16_t)acc,
                                   .a = {(int16_t)one, (int16_t)two}};
        if (sum >= 0) {
            k->instr[k->ninstr] = (gnd__instr){.kind = GND__I_OP,
                                               .op = is_bool ? GND__OP_LOGICAL_OR : GND__OP_ADD,
                                               .dtype = (int16_t)acc,
                                               .ctype = (int16_t)acc,
                                               .a = {(int16_t)sum, (int16_t)v}};
            v = k->ninstr++;
        }
        sum = v;
    }
    if (acc != t) {
        k->instr[k->ninstr] = (gnd__instr){
            .kind = GND__I_CAST, .dtype = (int16_t)t, .ctype = (int16_t)acc, .a = {(int16_t)sum}};
        sum = k->ninstr++;
    }
    gnd__access *c = &k->access[k->naccess];
    c->slot = slot[2];
    c->aligned = 1;
    c->dtype = (int16_t)t;
    for (int64_t d = a->ndim - 1, n = 1; d >= 0; n *= k->dim[d--])
        c->stride[d] = n;
    k->nout = 1;
    k->out[0] = (gnd__kout){.value = (int16_t)sum, .access = (int16_t)k->naccess++};
    snprintf(k->label, sizeof k->label, "matmul %s %lldx%lldx%lld", gnd_dtype_name(t),
             (long long)a->dim[a->ndim - 2], (long long)x->from[0].dim[x->from[0].ndim - 1],
             (long long)a->dim[a->ndim - 1]);
    return gnd__kir_verify(k, e);
}

/* --- the choice ------------------------------------------------------------------------------- */

/* Whether g on a GPU is bound by memory, so that our own kernel in IR is as fast as anything: a
 * product with a vector, which reads the matrix once (cuBLAS reaches 71% of a copy's bandwidth), or
 * one of few terms. Such a kernel also takes part in graphs of launches, which a library's call
 * does not. */
static int by_memory(const gnd__gdev *d, const gnd_gemm *g)
{
    return d->props.kind != GND_DEV_CPU &&
           (g->m == 1 || g->n == 1 || (g->k >= 1 && g->k <= GND__PRODUCT_TERMS));
}

/* Whether the library is worth asking for a plain product. */
static int worth_asking(const gnd__gdev *d, const gnd_gemm *g)
{
    const gnd_props *p = &d->props;
    const gnd__library *lib =
        gnd__measured_library(p->kind == GND_DEV_CPU, p->dialect == GND_DIALECT_CUDA, p->vendor);
    const int64_t tiles = (g->m + 63) / 64 * ((g->n + 63) / 64) * g->nbatch;
    const int vector = g->m == 1 || g->n == 1, i = gnd__tune_library((gnd_dtype)g->dtype);
    const double from = i >= 0 ? d->tune.v[i] : 0;
    if (from > 0 && !vector)
        return (double)g->m * (double)g->n * (double)g->k >= from * from * from;
    if (!lib->competes)
        return 1;
    return lib->plain && !vector &&
           !(tiles * 4 < (int64_t)p->compute_units && g->k >= lib->long_sum);
}

/* Whether a kernel for small products computes g, also a product with a vector. */
static int small(const gnd__gdev *d, const gnd_gemm *g)
{
    const gnd__target t = gnd__target_of(&d->props, &d->tune);
    return gnd__gemm_small(g, &t);
}

/* Whether our own kernel takes g no longer than a library's call costs the host. The kernel is part
 * of a graph of launches; the call is not, and the batches of small matrices of cuBLAS are slow (36
 * products of 182 x 80 x 182 of float32 took 25 us on an H200). One product of cuBLAS is not: 512 x
 * 512 x 512 takes 14.0 us, and 17.7 by our own kernel. */
static int by_launch(const gnd__gdev *d, const gnd_gemm *g)
{
    enum { CLOCKS = 24000, CLOCKS_ONE = 12000, CLOCKS_OTHER = 6000 };
    const gnd_props *p = &d->props;
    const gnd__target t = gnd__target_of(p, &d->tune);
    if (p->kind == GND_DEV_CPU ||
        gnd__measured_library(0, p->dialect == GND_DIALECT_CUDA, p->vendor)->competes)
        return 0;
    const double clocks = gnd__gemm_clocks(g, &t);
    const int most = g->dtype != GND_FLOAT32 ? CLOCKS_OTHER : g->nbatch > 1 ? CLOCKS : CLOCKS_ONE;
    return clocks >= 0 && clocks <= most;
}

/* Whether g has few results of long sums over adjacent elements of A: cuBLAS has few groups there,
 * or reads badly (16 x 10^6 x 32 of float32 on an H200 0.192 ms, and 0.127 by our own kernel; 32 x
 * 10^6 x 32 0.356 and 0.121). Of float64 it takes half of our kernel's time. */
static int long_sums(const gnd__gdev *d, const gnd_gemm *g)
{
    enum { SIDE = 64, TERMS = 100000 };
    return d->props.dialect == GND_DIALECT_CUDA && g->dtype == GND_FLOAT32 && !g->flags &&
           g->beta == 0 && g->nbatch == 1 && g->m <= SIDE && g->n <= SIDE && g->k >= TERMS &&
           g->a.col == 1 && g->b.col == 1;
}

int gnd__product_library(gnd__gdev *d, const gnd_gemm *g)
{
    int yes = 0;
    if (by_memory(d, g) ||
        gnd__env_choice(GND__ENV_PRODUCTS, GND__PRODUCTS_LIBRARY) == GND__PRODUCTS_OWN)
        return 0;
    /* only a library adds to C */
    if (!g->flags && g->beta == 0 && (small(d, g) || !worth_asking(d, g)))
        return 0;
    if (by_launch(d, g) || long_sums(d, g))
        return 0;
    return (g->flags ? gnd__gate_gemm_follows(d, g, &yes, NULL)
                     : gnd__gate_gemm_supports(d, g, &yes, NULL)) == GND_OK &&
           yes;
}

gnd__product_way gnd__product_choose(gnd__gdev *d, const gnd_gemm *g)
{
    return gnd__product_library(d, g) ? GND__BY_LIBRARY
           : small(d, g)              ? GND__BY_KERNELS
           : g->m == 1 || g->n == 1   ? GND__BY_REDUCTION
           : by_memory(d, g)          ? GND__BY_TERMS
                                      : GND__BY_KERNELS;
}
