/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/slabs.c - a product of an array that is computed for it alone (a conversion to a wider
 * dtype, centred columns): a slab of the contracted axis at a time, whose product is added to the
 * result. So the array is never in memory as a whole.
 */
#include "sched/slabs.h"

#include <string.h>
#include "base/mem.h"
#include "device/device.h"
#include "prim/product.h"

/* A slab has at least LEAST bytes, and an array at most MOST of them (each one more took 33 us for
 * 10^6 x 50 on an H200, of 0.42 ms for the whole), all but the last of a multiple of EVEN elements
 * of the axis, so that they are aligned as the array is. */
enum { LEAST = 16 << 20, MOST = 2, EVEN = 64 };

int gnd__slabs_large(const gnd_array *a)
{
    return a->size > 0 && (gnd__nbytes(a->in[0]) >= 2 * (size_t)LEAST ||
                           gnd__nbytes(a->in[1]) >= 2 * (size_t)LEAST);
}

/* Whether w is the only work that reads root i. */
static int is_only_reader(const gnd__pgraph *g, const gnd__pwork *w, int32_t i)
{
    for (int32_t v = 0; v < g->nwork; v++) {
        const gnd__pwork *u = &g->work[v];
        for (int32_t d = u->first_dep; d < u->first_dep + u->ndep && u != w && u->merged < 0; d++)
            if (g->deps[d] >> 1 == i)
                return 0;
    }
    return 1;
}

/* The stride of the contracted axis of operand `i` of g, and that of its other axis. */
static int64_t inner_stride(const gnd_gemm *g, int i)
{
    return i == 0 ? g->a.col : g->b.row;
}

static int64_t outer_stride(const gnd_gemm *g, int i)
{
    return i == 0 ? g->a.row : g->b.col;
}

/* The axis of array a, a whole operand i of g in C order, that is contracted; -1: the operand is
 * not all of a, or has more than two axes. */
static int contracted(const gnd_array *a, const gnd__place *from, const gnd_gemm *g, int i)
{
    const int64_t other = i == 0 ? g->m : g->n;
    int64_t step = 1;
    int axis = -1, axes = 0;
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (a->dim[d] == 1)
            continue;
        axes++;
        if (a->dim[d] == g->k && step == inner_stride(g, i))
            axis = d;
        else if (a->dim[d] != other || step != outer_stride(g, i))
            return -1;
        step *= a->dim[d];
    }
    return axes == 2 && from->l.off == 0 && a->size == g->k * other ? axis : -1;
}

/* The node of operand i if it is a map that only the product of w reads, else -1. */
static int32_t own_operand(gnd__maker *m, const gnd__pwork *w, const gnd__place *from)
{
    const gnd__pgraph *g = m->g;
    const gnd__pslot *s = &m->p->slot[from->slot];
    if (s->leaf || s->node < 0 || s->nbytes < 2 * (size_t)LEAST)
        return -1;
    const gnd__pnode *p = &g->node[s->node];
    if (p->role != GND__R_ROOT || p->sink || p->owned || p->live || p->held || p->work < 0 ||
        !gnd__is_elementwise(p->a))
        return -1;
    const gnd__pwork *v = &g->work[p->work];
    return v->type == GND__P_KERNEL && v->nroot == 1 && v->root[0] == s->node && v->box[0] < 0 &&
                   v->nred == 0 && !v->rows && v->merged < 0 && is_only_reader(g, w, s->node)
               ? s->node
               : -1;
}

/* Whether the kernel of root i may run over a part of its axes. */
static int divides(gnd__maker *m, int32_t i, gnd__kir *k)
{
    const gnd_array *a = m->g->node[i].a;
    int retry = 0;
    return gnd__lower(m->g, &m->g->work[m->g->node[i].work], k, &retry, NULL) == GND_OK && !retry &&
           k->nkeep == a->ndim && !memcmp(k->dim, a->dim, (size_t)a->ndim * sizeof *a->dim) &&
           k->nout == 1 && k->nfn == 0 && !gnd__kir_has_boxes(k);
}

void gnd__slabs_mark(gnd__maker *m, const gnd__pwork *w, const gnd__place *from, const gnd_gemm *g)
{
    const int64_t size = (int64_t)gnd_dtype_size((gnd_dtype)g->dtype);
    gnd_gemm first = *g, more;
    int32_t node[2];
    int axis[2];
    int64_t bytes = 0;
    if (g->nbatch != 1 || g->flags || g->beta != 0)
        return;
    for (int i = 0; i < 2; i++) {
        node[i] = own_operand(m, w, &from[i]);
        axis[i] = node[i] >= 0 ? contracted(m->g->node[node[i]].a, &from[i], g, i) : -1;
        if (axis[i] >= 0 && !(i && node[0] == node[1]))
            bytes += (int64_t)m->p->slot[from[i].slot].nbytes;
    }
    /* on CPUs, libraries compute half of a matrix by its own transpose, but not if it is added */
    if (from[0].slot == from[1].slot && (axis[0] != axis[1] || m->target.cpu))
        return;
    int64_t count = bytes / LEAST < MOST ? bytes / LEAST : MOST;
    if (count < 2 || 2 * count * g->m * g->n * size > bytes)
        return;
    first.k = ((g->k + count - 1) / count + EVEN - 1) / EVEN * EVEN;
    more = first;
    more.beta = 1;
    if (first.k >= g->k ||
        (w->product == w->root[0] && gnd__product_choose(m->dev, g) != GND__BY_LIBRARY) ||
        !gnd__product_library(m->dev, &first) || !gnd__product_library(m->dev, &more))
        return;
    gnd__kir *k = gnd__malloc(sizeof *k);
    for (int i = 0; i < 2 && k; i++)
        if (axis[i] >= 0 && divides(m, node[i], k)) {
            gnd__pnode *p = &m->g->node[node[i]];
            p->slab = first.k;
            p->slab_axis = (int8_t)axis[i];
            m->p->slot[p->slot].nbytes =
                (size_t)(first.k * (p->a->size / g->k)) * gnd_dtype_size((gnd_dtype)p->a->dtype);
        }
    gnd__free(k);
}

int64_t gnd__slabs_of(const gnd__maker *m, const gnd__place *from)
{
    const gnd__pslot *s = &m->p->slot[from->slot];
    return s->leaf || s->node < 0 ? 0 : m->g->node[s->node].slab;
}

/* Restricts kernel k, which stores one array in C order, to n elements of an axis from `at` on;
 * they are stored in C order as well. */
static void restrict_to(gnd__kir *k, int axis, int64_t at, int64_t n)
{
    int64_t step = 1;
    k->dim[axis] = n;
    for (int i = 0; i < k->naccess; i++)
        k->access[i].off += at * k->access[i].stride[axis];
    gnd__access *y = &k->access[k->out[0].access];
    y->off = 0;
    for (int d = k->nkeep - 1; d >= 0; d--) {
        y->stride[d] = step;
        step *= k->dim[d];
    }
}

gnd_status gnd__slabs_compute(gnd__maker *m, const gnd__place *from, gnd_gemm *g, int64_t at,
                              int64_t n)
{
    gnd_mat *const mat[2] = {&g->a, &g->b};
    gnd__kir *k = gnd__malloc(sizeof *k);
    gnd_status st = k ? GND_OK : gnd__plan_nomem(m->e);
    g->k = n;
    g->beta = at ? 1 : 0;
    for (int i = 0; i < 2 && st == GND_OK; i++) {
        int retry = 0;
        if (!gnd__slabs_of(m, &from[i])) {
            mat[i]->off += (uint64_t)(at * inner_stride(g, i));
            continue;
        }
        const gnd__pnode *p = &m->g->node[m->p->slot[from[i].slot].node];
        if (inner_stride(g, i) == 1)
            *(i ? &g->b.col : &g->a.row) = n;
        if (i && from[0].slot == from[1].slot)
            continue;
        st = gnd__lower(m->g, &m->g->work[p->work], k, &retry, m->e);
        if (st == GND_OK && retry)
            st = gnd__err(m->e, GND_ERR_INTERNAL, "a slab that does not fit into a kernel");
        if (st == GND_OK) {
            restrict_to(k, p->slab_axis, at, n);
            st = gnd__plan_kernel(m, k);
        }
    }
    gnd__free(k);
    return st;
}
