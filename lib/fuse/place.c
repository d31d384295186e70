/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/place.c - locations of elements: layouts through views, broadcasts and elements of short
 * reductions.
 *
 * A view only changes numbers: an offset, and a stride for each axis. Only some reshapes cannot be
 * expressed by strides; then the viewed array must be stored.
 */
#include "fuse/fuse.h"

#include <string.h>

#define MAX_CHAIN 64

static void through_map(gnd__layout *l, const gnd_array *view)
{
    gnd__layout out;
    const gnd__view *v = view->p.view;
    out.ndim = view->ndim;
    out.off = l->off;
    for (int j = 0; j < view->ndim; j++) {
        out.dim[j] = view->dim[j];
        out.stride[j] = 0;
    }
    for (int d = 0; d < l->ndim; d++)
        out.off += l->stride[d] * v->start[d];
    for (int i = 0; i < v->nterm; i++)
        out.stride[v->term[i].to] += l->stride[v->term[i].axis] * v->term[i].step;
    *l = out;
}

void gnd__through_broadcast(gnd__layout *l, int ndim, const int64_t *dim)
{
    gnd__layout out;
    int shift = ndim - l->ndim;
    out.ndim = ndim;
    out.off = l->off;
    for (int d = 0; d < ndim; d++) {
        out.dim[d] = dim[d];
        out.stride[d] =
            d < shift || (l->dim[d - shift] == 1 && dim[d] != 1) ? 0 : l->stride[d - shift];
    }
    *l = out;
}

void gnd__through_pick(gnd__layout *l, const gnd_array *a, int64_t which)
{
    gnd__layout out;
    int n = l->ndim;
    out.off = l->off;
    for (int d = n - 1; d >= 0; d--)
        if (a->p.red.mask >> d & 1) {
            out.off += which % l->dim[d] * l->stride[d];
            which /= l->dim[d];
        }
    out.ndim = 0;
    for (int d = 0; d < n; d++)
        if (!(a->p.red.mask >> d & 1)) {
            out.dim[out.ndim] = l->dim[d];
            out.stride[out.ndim++] = l->stride[d];
        }
    *l = out;
}

int gnd__through_view(gnd__layout *l, const gnd_array *view)
{
    gnd__shape s;
    if (view->kind == GND__VIEW) {
        through_map(l, view);
        return 1;
    }
    s.ndim = view->ndim;
    memcpy(s.dim, view->dim, (size_t)view->ndim * sizeof *s.dim);
    return gnd__layout_reshape(l, &s);
}

void gnd__own_layout(const gnd_array *a, gnd__layout *l)
{
    gnd__shape s;
    s.ndim = a->ndim;
    memcpy(s.dim, a->dim, (size_t)a->ndim * sizeof *s.dim);
    gnd__layout_contig(l, &s);
    if (a->data.st && !a->data.contig)
        memcpy(l->stride, a->data.stride, (size_t)a->ndim * sizeof *l->stride);
}

int gnd__place_of(gnd__pgraph *g, int32_t i, gnd__place *p, int32_t *blame)
{
    int32_t chain[MAX_CHAIN];
    int n = 0;
    const gnd__pnode *q = &g->node[i];
    while (q->role != GND__R_ROOT && !q->a->data.st) {
        if (!gnd__is_view(q->a) || n == MAX_CHAIN) {
            *blame = i;
            return 0;
        }
        chain[n++] = i;
        i = g->inputs[q->in];
        q = &g->node[i];
    }
    gnd__own_layout(q->a, &p->l);
    p->slot = q->slot;
    p->a = q->a;
    while (n > 0)
        if (!gnd__through_view(&p->l, g->node[chain[--n]].a)) {
            *blame = chain[n];
            return 0;
        }
    return 1;
}
