/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/boxes.c - replaces a view of an assembly that lies wholly in one box by a view of the box's
 * input: cutting out again what was joined removes the join.
 */
#include "graph/graph.h"

#include <string.h>

/* The lowest and highest index that view m, of shape dim[], reads along axis d of its input. */
static void span(const gnd__map *m, int d, const int64_t *dim, int64_t *lo, int64_t *hi)
{
    *lo = *hi = m->start[d];
    if (m->from[d] >= 0)
        *(m->step[d] < 0 ? lo : hi) += m->step[d] * (dim[m->from[d]] - 1);
}

/* Whether x, an input of an assembly, is an unevaluated operation or a view of one that only that
 * assembly (and a scope) owns: for example elements that were set. Such inputs are computed in
 * their place in the assembly and read there. The device's lock is held. */
static int is_for_assembly(const gnd_array *x)
{
    for (; x->in && !x->data.st; x = x->in[0]) {
        if (atomic_load_explicit(&x->refs, memory_order_relaxed) >
            1 + (__atomic_load_n(&x->scope, __ATOMIC_RELAXED) != NULL))
            return 0;
        if (x->kind == GND__OP || x->kind == GND__CAST)
            return 1;
        if (x->kind != GND__VIEW && x->kind != GND__RESHAPE)
            return 0;
    }
    return 0;
}

gnd_array *gnd__box_seen(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m,
                         gnd__map *out)
{
    if (x->kind != GND__ASSEMBLE || x->nin < 2 || x->data.st || !x->in)
        return NULL;
    for (int d = 0; d < ndim; d++)
        if (dim[d] == 0)
            return NULL;
    for (int k = 0; k < x->nin; k++) {
        int inside = 1;
        for (int d = 0; d < x->ndim && inside; d++) {
            const int64_t first = x->p.box[k].start[d];
            int64_t lo, hi;
            span(m, d, dim, &lo, &hi);
            inside = lo >= first && hi < first + x->in[k]->dim[d];
        }
        if (!inside)
            continue;
        if (is_for_assembly(x->in[k]))
            return NULL;
        memcpy(out->step, m->step, x->ndim * sizeof *m->step);
        memcpy(out->from, m->from, x->ndim * sizeof *m->from);
        for (int d = 0; d < x->ndim; d++)
            out->start[d] = m->start[d] - x->p.box[k].start[d];
        return x->in[k];
    }
    return NULL;
}
