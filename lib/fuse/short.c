/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/short.c - short reductions along rows whose results are stored (on GPUs).
 *
 * A reduction of a few elements is expanded where it is used. If what is computed from it is too
 * expensive to be computed again for each element of its row, that is stored, and a second kernel
 * reads the rows again (the standard deviation in the normalization of rows of 3). Then the
 * reductions are better stored themselves: as reductions they join their consumers in a kernel of
 * rows (fuse/rows.c), which reads a row once.
 */
#include "fuse/fuse.h"

#define FEWEST 65536 /* elements: below, a launch costs as much as what is read */

int gnd__store_short(gnd__pgraph *g)
{
    int any = 0;
    for (int32_t i = 0; i < g->nnode; i++)
        g->node[i].below = 0;
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        gnd__pnode *p = &g->node[i];
        const gnd_array *a = p->a;
        if (p->role == GND__R_ROOT)
            p->below = !p->sink && p->expanded && (gnd__is_elementwise(a) || gnd__is_short(a));
        if (!p->below || p->role == GND__R_LEAF)
            continue;
        if (gnd__is_short(a) && !p->must && a->in[0]->size >= FEWEST &&
            gnd__last_axes(a->in[0], a->p.red.mask) > 0) {
            p->must = 1;
            any = 1;
        }
        for (int k = 0; k < a->nin; k++)
            gnd__input_of(g, p, k)->below = 1;
    }
    return any;
}
