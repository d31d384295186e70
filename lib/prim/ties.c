/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/ties.c - the order of random keys of 64 bits: they are sorted by their upper halves, in half
 * the passes of half the bytes, and the few that agree in those are ordered afterwards: see
 * kernels/ties.cl.
 */
#include "prim/sort.h"

#include <string.h>
#include "prim/sort_priv.h"

enum { GROUP = 256, RUN = 2048 };

gnd_array *gnd__ties_node(gnd_array *order, gnd_array *key)
{
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_TIES;
    p.mode[0] = GND__IN_MEM;
    p.mode[1] = GND__IN_AGAIN;
    return gnd__prim_node(key->dev, &p, GND_INT64, 1, key->dim, 2, (gnd_array *[]){order, key});
}

void gnd__prim_ties(gnd__prog *p)
{
    const int64_t n = p->size, reads = gnd__prog_reads(p, 0) + gnd__prog_reads(p, 1);
    const int cpu = p->t->cpu;
    const size_t local = cpu ? 1 : gnd__prog_group(p, GROUP);
    gnd__pk_begin(p, "k_ties");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "o", 0);
    gnd__pk_in(p, "k", 1);
    gnd__pk_int(p, "n", n);
    gnd__pk_def(p, "#define TPG %d\n#define RUN %d\n", (int)local, RUN);
    gnd__pk_defs(p, "ties_defs", GND_UINT64);
    gnd__pk_body(p, cpu ? "ties_cpu" : "ties_gpu", GND_UINT64);
    gnd__pk_body(p, "ties_place", GND_UINT64);
    gnd__pk_end1(p, gnd__ceil_div(n, cpu ? RUN : (int64_t)local), local, reads, 8 * n);
}
