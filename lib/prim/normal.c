/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/normal.c - see normal.h.
 */
#include "prim/normal.h"

#include <string.h>
#include "prim/prim.h"

enum { N_N, N_K, N_RCOND };

gnd_array *gnd__normal_node(const char *func, gnd_array *m, double rcond)
{
    const int64_t n = m->dim[0], k = m->dim[1] - n, size = n * k + 1;
    gnd__primargs a;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_NORMAL;
    a.func = func;
    a.mode[0] = GND__IN_MEM;
    a.n[N_N] = n;
    a.n[N_K] = k;
    memcpy(&a.n[N_RCOND], &rcond, sizeof rcond);
    return gnd__prim_node(m->dev, &a, (gnd_dtype)m->dtype, 1, &size, 1, &m);
}

void gnd__prim_normal(gnd__prog *p)
{
    gnd__panel all = {
        .kind = GND__PANEL_NORMAL,
        .dtype = (uint32_t)p->dtype,
        .rows = p->args->n[N_N],
        .cols = p->args->n[N_N] + p->args->n[N_K],
        .ld = p->args->n[N_N] + p->args->n[N_K],
        .count = 1,
    };
    memcpy(&all.rcond, &p->args->n[N_RCOND], sizeof all.rcond);
    gnd__prog_panel(p, &all, 2, (gnd__pmem[2]){{GND__PA_IN, 0, 0}, {GND__PA_OUT, 0, 0}});
}
