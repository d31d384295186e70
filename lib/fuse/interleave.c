/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/interleave.c - assemblies whose boxes interleave in memory, as in stack((a, b, c), axis=-1):
 * on a GPU they become one kernel with an output for each box. Separate kernels would write every
 * sector of memory once for each box, and read again what the boxes share.
 */
#include "fuse/works.h"

/* Runs of a box in memory that are shorter than this many bytes share sectors with other boxes. */
enum { SECTOR = 32 };

/* Whether the boxes of assembly p interleave: they have one shape, and each is a short run of the
 * last axis. */
static int interleaves(gnd__pgraph *g, const gnd__pnode *p)
{
    const gnd_array *a = p->a;
    uint32_t nops = 0, nleaf = 0;
    const int last = a->ndim - 1;
    if (a->nin < 2 || a->nin > GND__KIR_OUT || last < 1 || p->no_merge)
        return 0;
    for (int k = 0; k < a->nin; k++) {
        const gnd__pnode *q = gnd__input_of(g, p, k);
        if (!gnd__same_shape(a->in[k], a->in[0]) ||
            a->in[k]->dim[last] * (int64_t)gnd__dtype_bytes[a->dtype] >= SECTOR ||
            a->in[k]->dim[last] >= a->dim[last])
            return 0;
        nops += q->role == GND__R_INLINE ? q->nops : 0;
        nleaf += q->role == GND__R_INLINE ? q->nleaf : 1;
    }
    return nops <= gnd__kernel_ops(g) && nleaf <= 2 * GND__LEAVES;
}

/* Adds box work w to v, another one of the same assembly. */
static void join(gnd__pgraph *g, int32_t vi, int32_t wi)
{
    gnd__pwork *v = &g->work[vi], *w = &g->work[wi];
    const int32_t first = g->ndep, from[2] = {v->first_dep, w->first_dep},
                  n[2] = {v->ndep, w->ndep};
    v->root[v->nroot] = w->root[0];
    v->box[v->nroot++] = w->box[0];
    v->level = w->level > v->level ? w->level : v->level;
    w->merged = vi;
    for (int t = 0; t < 2; t++)
        for (int32_t j = from[t]; j < from[t] + n[t]; j++) {
            int seen = 0;
            for (int32_t i = first; i < g->ndep && !seen; i++)
                seen = g->deps[i] == g->deps[j];
            if (!seen)
                gnd__push_int(g, &g->deps, &g->ndep, &g->capdep, g->deps[j]);
        }
    g->work[vi].first_dep = first;
    g->work[vi].ndep = g->ndep - first;
}

void gnd__interleave(gnd__pgraph *g)
{
    for (int32_t i = 0; i < g->nwork && !g->oom; i++) {
        const gnd__pwork *v = &g->work[i];
        const gnd__pnode *p = &g->node[v->root[0]];
        int32_t n = 1;
        int plain = v->merged < 0 && v->nred == 0;
        if (v->box[0] < 0 || v->type != GND__P_KERNEL)
            continue;
        while (i + n < g->nwork && g->work[i + n].box[0] >= 0 &&
               g->work[i + n].root[0] == v->root[0]) {
            plain &= g->work[i + n].merged < 0 && g->work[i + n].nred == 0;
            n++;
        }
        if (plain && n == p->a->nin && interleaves(g, p))
            for (int32_t j = 1; j < n && !g->oom; j++)
                join(g, i, i + j);
        i += n - 1;
    }
}
