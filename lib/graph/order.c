/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/order.c - elementwise operations on arrays that are seen with their axes in another order:
 * x.T + 1 is (x + 1).T, as in NumPy, whose results keep the order of their inputs in memory. So
 * nothing is transposed until somebody needs it.
 */
#include "graph/graph.h"

#include "graph/scope.h"

int gnd__is_turned(const gnd_array *x, const gnd_array *in, gnd__map *m)
{
    const gnd__view *v = x->p.view;
    int turned = 0;
    if (x->size != in->size || x->size == 0)
        return 0;
    for (int d = 0; d < in->ndim; d++) {
        m->start[d] = m->step[d] = 0;
        m->from[d] = -1;
        if (v->start[d] != 0)
            return 0;
    }
    for (int i = 0; i < v->nterm; i++) {
        const gnd__term *t = &v->term[i];
        if (t->step != 1 || m->from[t->axis] >= 0)
            return 0;
        turned |= i > 0 && t->to < t[-1].to;
        m->step[t->axis] = 1;
        m->from[t->axis] = (int8_t)t->to;
    }
    return turned;
}

static int same_map(const gnd__map *a, const gnd__map *b, int n)
{
    int same = 1;
    for (int d = 0; d < n; d++)
        same &= a->from[d] == b->from[d];
    return same;
}

gnd_array *gnd__op_in_order(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                            int nin, gnd_array *const *in)
{
    gnd_array *below[3] = {NULL}, *arg[3], *first = NULL, *y = NULL;
    gnd__map map, m;
    int ok = 1;
    for (int i = 0; i < nin && ok; i++) {
        arg[i] = in[i];
        if (in[i]->kind == GND__CONST && in[i]->ndim == 0)
            continue;
        ok = in[i]->kind == GND__VIEW && in[i]->ndim == ndim;
        for (int d = 0; d < ndim && ok; d++)
            ok = in[i]->dim[d] == dim[d];
        arg[i] = below[i] = ok ? gnd__below(in[i]) : NULL;
        ok = below[i] && gnd__is_turned(in[i], below[i], first ? &m : &map);
        if (ok && first) {
            ok = first->ndim == below[i]->ndim && same_map(&map, &m, first->ndim);
            for (int d = 0; d < first->ndim && ok; d++)
                ok = first->dim[d] == below[i]->dim[d];
        }
        first = first ? first : below[i];
    }
    if (ok && first) {
        const gnd__inner inner = gnd__enter(NULL);
        gnd_array *x = gnd__op_node(op, dev, t, first->ndim, first->dim, nin, arg);
        y = gnd__leave(inner, x->kind == GND__ERROR ? x : gnd__view_node(x, ndim, dim, &map));
    }
    for (int i = 0; i < nin; i++)
        gnd__unref(below[i]);
    return y;
}
