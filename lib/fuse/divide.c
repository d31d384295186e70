/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/divide.c - maps with divided axes, so that repeated arrays (tile, repeat), and on GPUs
 * permuted ones in another shape, are computed where they are used.
 *
 * An array with a broadcast axis, or with permuted axes, that is then reshaped has no strides along
 * the reshaped axis, but it has strides along the parts of that axis: if the kernel's axis is
 * divided like the array's axes, no reshape remains. Any other layout can be expressed in the parts
 * too. If one kernel has several such arrays, the parts are divided until they suit each.
 */
#include "fuse/lower.h"

#include <string.h>

/* Rows shorter than GND__CPU_ROW do not fill vectors: on a CPU, anything that costs more than
 * storing and loading the repeated array is computed separately. (PoCL, 10^6 floats: repeat(v, 2) +
 * w takes 3.8 ms in two kernels, 2.3 in one; with exp(w) 8.9 and 27.9.) */
#define CPU_COST 2

/* Whether a is a view that repeats elements along an axis. */
static int repeats(const gnd_array *a)
{
    if (a->kind != GND__VIEW)
        return 0;
    for (int d = 0; d < a->ndim; d++) {
        int walks = a->dim[d] == 1;
        for (int32_t i = 0; i < a->p.view->nterm && !walks; i++)
            walks = a->p.view->term[i].to == d;
        if (!walks)
            return 1;
    }
    return 0;
}

/* Whether the points of node a are those of the work's space: from frame f outwards there are only
 * broadcasts. */
static int is_aligned(const gnd__lowering *lo, const gnd_array *a, int32_t f)
{
    const int before = lo->space.ndim - a->ndim;
    for (; f >= 0; f = lo->frame[f].parent)
        if (lo->frame[f].type != GND__F_BCAST)
            return 0;
    for (int d = 0; d < a->ndim; d++)
        if (before < 0 || (a->dim[d] != 1 && a->dim[d] != lo->space.dim[before + d]))
            return 0;
    return 1;
}

/* Divides axis `axis` of the space after `inner` elements. Returns 0 if the existing parts do not
 * allow it. */
static int cut(gnd__parts *p, int axis, int64_t inner)
{
    int64_t below = 1;
    for (int i = p->n - 1; i >= 0; i--) {
        const int64_t end = p->of[i] == axis ? below * p->dim[i] : 0;
        if (p->of[i] != axis)
            continue;
        if (inner == end)
            return 1;
        if (inner > end) {
            below = end;
            continue;
        }
        if (inner % below || end % inner || p->n == GND_MAX_NDIM)
            return 0;
        memmove(p->dim + i + 1, p->dim + i, (size_t)(p->n - i) * sizeof *p->dim);
        memmove(p->of + i + 1, p->of + i, (size_t)(p->n - i) * sizeof *p->of);
        p->n++;
        p->dim[i] = end / inner;
        p->dim[i + 1] = inner / below;
        return 1;
    }
    return 0;
}

/* Whether one kernel is worthwhile if its last axis is divided into parts p. */
static int is_worth(const gnd__lowering *lo, const gnd__parts *p)
{
    const int64_t row = p->dim[p->n - 1];
    uint64_t cost = 0;
    for (int r = 0; r < lo->w->nroot; r++)
        cost += lo->g->node[lo->w->root[r]].cost;
    return lo->g->gpu || cost <= CPU_COST || row >= GND__CPU_ROW ||
           row == lo->space.dim[lo->space.ndim - 1];
}

int gnd__divide(gnd__lowering *lo, const gnd_array *a, int32_t f)
{
    const gnd_array *x = a->in[0];
    gnd__parts p = lo->parts;
    int64_t passed = 1, end = 1;
    int e = a->ndim;
    if (lo->w->type != GND__P_KERNEL || lo->w->nred > 0 || a->size == 0 ||
        !(repeats(x) || (lo->g->gpu && x->kind == GND__VIEW)) || !is_aligned(lo, a, f))
        return 0;
    for (int d = 0; d < lo->space.ndim && !lo->parts.n; d++) {
        p.dim[d] = lo->space.dim[d];
        p.of[d] = (int8_t)d;
        p.n = d + 1;
    }
    const int before = p.n;
    for (int d = x->ndim - 1; d > 0; d--) { /* parts of a's axes must end where axes of x end */
        end *= x->dim[d];
        while (e > 0 && passed * a->dim[e - 1] <= end)
            passed *= a->dim[--e];
        if (passed == end)
            continue;
        if (e == 0 || end % passed || !cut(&p, lo->space.ndim - a->ndim + e - 1, end / passed))
            return 0;
    }
    if (p.n == before || !is_worth(lo, &p))
        return 0;
    lo->parts = p;
    return 1;
}

void gnd__in_parts(const gnd__lowering *lo, gnd__layout *l)
{
    const gnd__parts *p = &lo->parts;
    gnd__layout out;
    int64_t below = 1;
    if (!p->n)
        return;
    out.ndim = p->n;
    out.off = l->off;
    for (int i = p->n - 1; i >= 0; i--) {
        out.dim[i] = p->dim[i];
        out.stride[i] = l->stride[p->of[i]] * below;
        below = i > 0 && p->of[i - 1] == p->of[i] ? below * p->dim[i] : 1;
    }
    *l = out;
}

int gnd__reshaped_in_parts(const gnd__lowering *lo, const gnd_array *a, int32_t f, gnd__layout *l)
{
    const gnd__parts *p = &lo->parts;
    const int before = lo->space.ndim - a->ndim;
    gnd__layout in = *l;
    gnd__shape s = {0};
    if (!p->n || !is_aligned(lo, a, f))
        return 0;
    for (int i = 0; i < p->n; i++)
        if (p->of[i] >= before && a->dim[p->of[i] - before] != 1)
            s.dim[s.ndim++] = p->dim[i];
    if (!gnd__layout_reshape(&in, &s))
        return 0;
    l->ndim = p->n;
    l->off = in.off;
    for (int i = 0, k = 0; i < p->n; i++) {
        const int has = p->of[i] >= before && a->dim[p->of[i] - before] != 1;
        l->dim[i] = p->dim[i];
        l->stride[i] = has ? in.stride[k] : 0;
        k += has;
    }
    return 1;
}
