/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/teams.c - teams: elementwise sinks of one shape that are to become one kernel. Sinks are
 * looked up by their shape, so that the time is nearly linear in their number.
 */
#include "fuse/roles.h"

/* The number of buckets for shapes, and the number of sinks of one bucket that a leader examines
 * without finding one that fits. */
enum { SHAPES = 1024, MISFITS = 64 };

static unsigned shape_hash(const gnd_array *a)
{
    uint64_t h = a->ndim;
    for (int d = 0; d < a->ndim; d++)
        h = gnd__mix_path(h, (uint64_t)a->dim[d]);
    return (unsigned)(h % SHAPES);
}

/* Whether sink p can join a team. */
static int may_team(const gnd__pnode *p)
{
    return p->role == GND__R_ROOT && gnd__is_elementwise(p->a) && !p->alone;
}

/* Links the sinks that can join a team by their shapes, from the last to the first, each node once.
 */
static void chain_shapes(gnd__pgraph *g)
{
    int32_t last[SHAPES];
    for (int i = 0; i < SHAPES; i++)
        last[i] = -1;
    for (int32_t s = 0; s < g->nsink; s++)
        g->node[g->sinks[s]].before = -2;
    for (int32_t s = g->nsink - 1; s >= 0; s--) {
        gnd__pnode *p = &g->node[g->sinks[s]];
        if (!may_team(p) || p->before != -2)
            continue;
        int32_t *at = &last[shape_hash(p->a)];
        p->before = -1;
        if (*at >= 0)
            g->node[g->sinks[*at]].before = s;
        *at = s;
    }
}

void gnd__make_teams(gnd__pgraph *g)
{
    if (g->nsink < 2)
        return;
    chain_shapes(g);
    for (int32_t s = g->nsink - 1; s >= 0; s--) {
        gnd__pnode *lead = &g->node[g->sinks[s]];
        uint32_t nops = lead->nops, nleaf = lead->nleaf;
        int members = 1, misfits = 0;
        if (!may_team(lead) || lead->team != g->sinks[s])
            continue;
        for (int32_t t = lead->before; t >= 0 && members < GND__KIR_OUT && misfits < MISFITS;
             t = g->node[g->sinks[t]].before) {
            gnd__pnode *p = &g->node[g->sinks[t]];
            g->looked++;
            if (p->team != g->sinks[t] || !gnd__same_shape(p->a, lead->a) ||
                nops + p->nops > GND__KERNEL_OPS || nleaf + p->nleaf > GND__LEAVES) {
                misfits++;
                continue;
            }
            p->team = g->sinks[s];
            nops += p->nops;
            nleaf += p->nleaf;
            members++;
        }
    }
}
