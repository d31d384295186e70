/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/pointcopy.c - points that are moved and not computed (points.c): from the memory of an
 * input, or a constant, to that of an output, without a block between them.
 */
#include "host/points_priv.h"

/* Times in eighths of a nanosecond, about: of a row that is moved; of an element that is not beside
 * the last one, in squares of elements, and alone. */
enum { ROW = 32, TURNED = 3, APART = 5 };

int gnd__points_copies(const gnd__points *p)
{
    int yes = !p->nfold && p->nout > 0 && p->naxes > 0;
    for (int i = 0; i < p->nvalue && yes; i++)
        yes = p->value[i].kind == GND__PV_LOAD || p->value[i].kind == GND__PV_CONST;
    return yes;
}

/* How output o is moved: the strides of the last two axes, of the output and of what it is. */
static void steps_of(const gnd__points *p, int o, int64_t to[2], int64_t from[2])
{
    const gnd__pvalue *v = &p->value[p->out[o].value];
    const int last = p->naxes - 1;
    for (int k = 0; k < 2; k++) {
        const int d = last - 1 + k;
        to[k] = d < 0 ? 0 : p->access[p->out[o].access].stride[d];
        from[k] = d < 0 || v->kind == GND__PV_CONST ? 0 : p->access[v->ref].stride[d];
    }
}

int64_t gnd__points_copy_cost(const gnd__points *p)
{
    const int last = p->naxes - 1;
    const int64_t n = p->dim[last], m = last < 1 ? 1 : p->dim[last - 1];
    int64_t times = 1, cost = 0;
    for (int d = 0; d < last - 1; d++)
        times *= p->dim[d];
    for (int o = 0; o < p->nout; o++) {
        int64_t to[2], from[2];
        steps_of(p, o, to, from);
        const int size = p->access[p->out[o].access].size, by = gnd__inner_axis(to, from, m, n);
        const int turns = size >= 4 && from[0] == 1 && to[1] == 1 && from[1] != 1;
        const int beside = to[by] == 1 && (from[by] == 1 || from[by] == 0);
        cost += times * ((by ? m : n) * ROW +
                         m * n *
                             (turns    ? TURNED * size / 4
                              : beside ? 0
                                       : APART) +
                         (beside ? m * n * size / 8 : 0));
    }
    return cost;
}

void gnd__points_copy(const gnd__points *p, char *const *mem, const char *constant)
{
    const int last = p->naxes - 1;
    const int64_t n = p->dim[last], m = last < 1 ? 1 : p->dim[last - 1];
    for (int o = 0; o < p->nout; o++) {
        const gnd__pvalue *v = &p->value[p->out[o].value];
        const gnd__paccess *a = &p->access[p->out[o].access];
        const gnd__paccess *b = v->kind == GND__PV_CONST ? NULL : &p->access[v->ref];
        int64_t to[2], from[2], index[GND__POINTS_AXES] = {0};
        char *z = mem[p->out[o].access];
        const char *x = b ? mem[v->ref] : constant + v->ref * GND__POINTS_BYTES;
        int d = 0;
        steps_of(p, o, to, from);
        while (d >= 0) {
            gnd__move2(a->size, z, to, x, from, m, n);
            for (d = last - 2; d >= 0; d--) { /* the next two axes */
                const int64_t by = ++index[d] < p->dim[d] ? 1 : 1 - p->dim[d];
                z += by * a->stride[d] * a->size;
                x += b ? by * b->stride[d] * b->size : 0;
                if (by == 1)
                    break;
                index[d] = 0;
            }
        }
    }
}
