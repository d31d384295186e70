/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/product.c - merges what follows a matrix product into the library's call: a factor, the sum
 * with a row or a matrix in memory or a multiple of it, and the maximum with 0. Requires that the
 * product has no other use, and that the next kernel would do nothing else. The planner asks
 * whether the library supports it.
 */
#include <math.h>
#include "fuse/fuse.h"

static int is_zero(const gnd_array *a)
{
    if (a->kind != GND__CONST || a->ndim != 0)
        return 0;
    const gnd__scalar *v = &a->p.value;
    return v->kind == 'f' ? v->re == 0 && !signbit(v->re)
                          : (v->kind == 'i' || v->kind == 'u') && v->u == 0;
}

int gnd__is_relu(const gnd_array *a)
{
    if (a->kind != GND__OP || a->p.op != GND__OP_MAXIMUM || a->data.st || !a->in)
        return -1;
    return is_zero(a->in[1]) ? 0 : is_zero(a->in[0]) ? 1 : -1;
}

int gnd__is_scaling(const gnd_array *a)
{
    if (a->kind != GND__OP || a->p.op != GND__OP_MULTIPLY || a->data.st || !a->in ||
        gnd_dtype_kind((gnd_dtype)a->dtype) != 'f')
        return -1;
    for (int i = 0; i < 2; i++) {
        const gnd_array *c = a->in[i];
        if (c->kind != GND__CONST || c->ndim != 0 || a->in[!i]->kind == GND__CONST)
            continue;
        const gnd__scalar *v = &c->p.value;
        const double x = v->kind == 'f'   ? v->re
                         : v->kind == 'i' ? (double)v->i
                         : v->kind == 'u' ? (double)v->u
                                          : 0;
        return fabs(x) >= (a->dtype == GND_FLOAT16   ? 0x1p-14
                           : a->dtype == GND_FLOAT64 ? 0x1p-1022
                                                     : 0x1p-126)
                   ? i
                   : -1;
    }
    return -1;
}

/* The only node that has i as its input, once; -1 if no node or several nodes have it. */
static int32_t only_user(const gnd__pgraph *g, int32_t i)
{
    return g->node[i].parents == 1 ? g->node[i].user : -1;
}

static int same_space(const gnd_array *a, const gnd_array *b)
{
    int same = a->ndim == b->ndim && a->dtype == b->dtype;
    for (int d = 0; same && d < a->ndim; d++)
        same = a->dim[d] == b->dim[d];
    return same;
}

/* The work that computes only root i, in a kernel without reductions; or -1. */
static int32_t plain_work(const gnd__pgraph *g, int32_t i)
{
    const int32_t j = g->node[i].work;
    const gnd__pwork *w = &g->work[j < 0 ? 0 : j];
    return j >= 0 && w->type == GND__P_KERNEL && w->nroot == 1 && w->nred == 0 && w->box[0] < 0 &&
                   !w->rows
               ? j
               : -1;
}

static void follow(gnd__pgraph *g, int32_t wi)
{
    gnd__pwork *w = &g->work[wi], *v;
    const int32_t i = w->root[0];
    gnd__pnode *p = &g->node[i];
    int32_t last = only_user(g, i), next, plus = -1, alpha = -1, beta = -1, blame, vi;
    gnd__place pl;
    int relu = 0;
    int32_t i2 = i; /* the product, or a multiple of it */
    if (p->sink || p->held > 1 || p->live || p->no_absorb || last < 0)
        return;
    const gnd__pnode *q = &g->node[last];
    if (q->a->kind != GND__OP || !same_space(q->a, p->a))
        return;
    if (gnd__is_scaling(q->a) >= 0) {
        alpha = g->inputs[q->in + gnd__is_scaling(q->a)];
        next = q->role == GND__R_INLINE ? only_user(g, last) : -1;
        if (next >= 0) { /* otherwise there is only the factor */
            i2 = last;
            last = next;
            q = &g->node[last];
        }
        if (q->a->kind != GND__OP || !same_space(q->a, p->a))
            return;
    }
    if (alpha >= 0 && i2 == i) {
        relu = 0;
    } else if (q->a->p.op == GND__OP_ADD) {
        plus = g->inputs[q->in] == i2 ? g->inputs[q->in + 1] : g->inputs[q->in];
        const gnd__pnode *c = &g->node[plus];
        const int at = c->role == GND__R_INLINE ? gnd__is_scaling(c->a) : -1;
        if (at >= 0) {
            beta = g->inputs[c->in + at];
            plus = g->inputs[c->in + !at];
        }
        if (!gnd__place_of(g, plus, &pl, &blame) || g->node[plus].a->dtype != p->a->dtype)
            return;
        if (q->role == GND__R_INLINE) {
            next = only_user(g, last);
            if (next < 0 || gnd__is_relu(g->node[next].a) < 0 || !same_space(g->node[next].a, p->a))
                return;
            last = next;
            relu = 1;
        }
    } else if (gnd__is_relu(q->a) >= 0) {
        relu = 1;
    } else {
        return;
    }
    if (g->node[last].role != GND__R_ROOT || (vi = plain_work(g, last)) < 0)
        return;
    v = &g->work[vi];
    v->type = GND__P_MATMUL;
    v->product = i;
    v->plus = plus;
    v->alpha = alpha;
    v->beta = beta;
    v->relu = (uint8_t)relu;
    w->merged = wi;
    p->absorbed = 1;
}

void gnd__follow_products(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nwork && !g->oom; i++)
        if (g->work[i].type == GND__P_MATMUL && g->work[i].merged < 0 &&
            g->work[i].product == g->work[i].root[0])
            follow(g, i);
}
