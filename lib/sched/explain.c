/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/explain.c - a plan as text, for gnd_explain and `gnd explain`.
 */
#include "sched/plan.h"

#include <gnd/array.h>

#include "base/mem.h"
#include <string.h>

static size_t block_bytes(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* The most bytes alive at once: leaves all the time, the rest from first to last use. */
static uint64_t peak(const gnd__plan *p, const gnd__pgraph *g)
{
    uint64_t now = 0, most;
    uint8_t *live = gnd__calloc((size_t)p->nslot + 1, 1);
    for (int32_t i = 0; i < p->nslot; i++)
        if (p->slot[i].leaf)
            now += block_bytes(p->slot[i].nbytes);
    most = now;
    for (int32_t s = 0; s < p->nstep && live; s++) {
        const gnd__step *st = &p->step[s];
        for (int32_t i = 0; i < st->nargs + 4; i++) {
            int32_t b = -1;
            if (i < st->nargs)
                b = st->arg[i].kind == GND__A_BUF ? st->arg[i].ref : -1;
            else if (st->type == GND__S_GEMM)
                b = st->gemm_slot[i - st->nargs];
            if (b < 0 || p->slot[b].leaf || live[b])
                continue;
            live[b] = 1;
            now += block_bytes(p->slot[b].nbytes);
        }
        if (now > most)
            most = now;
        for (int32_t b = st->dead; b >= 0; b = p->slot[b].next_dead)
            if (live[b] && (p->slot[b].node < 0 || !g->node[p->slot[b].node].sink)) {
                live[b] = 0;
                now -= block_bytes(p->slot[b].nbytes);
            }
    }
    gnd__free(live);
    return most;
}

gnd_status gnd__plan_explain(const gnd__plan *p, const gnd__pgraph *g, unsigned flags, gnd__str *out)
{
    int kernels = 0, calls = 0;
    long long rd = 0, wr = 0;
    for (int32_t s = 0; s < p->nstep; s++) {
        const gnd__step *st = &p->step[s];
        if (st->type != GND__S_LAUNCH) {
            gnd__str_addf(out, "call %d: %s\n", ++calls, st->label);
        } else {
            gnd__str_addf(out, "kernel %d: %s\n", ++kernels,
                          st->first ? st->label : "second stage of the reduction above");
            gnd__str_addf(out, "    launch %zu x %zu x %zu in groups of %zu x %zu x %zu\n",
                          st->global[0], st->ndim > 1 ? st->global[1] : 1,
                          st->ndim > 2 ? st->global[2] : 1, st->local[0],
                          st->ndim > 1 ? st->local[1] : 1, st->ndim > 2 ? st->local[2] : 1);
        }
        gnd__str_addf(out, "    reads %lld bytes, writes %lld bytes\n", (long long)st->rd,
                      (long long)st->wr);
        if ((flags & GND_EXPLAIN_SOURCE) && st->source)
            gnd__str_addf(out, "--- source of kernel %d\n%s---\n", kernels, st->source);
        rd += st->rd;
        wr += st->wr;
    }
    gnd__str_addf(out, "%d kernels, %d calls, %lld bytes read, %lld bytes written, %llu bytes peak\n",
                  kernels, calls, rd, wr, (unsigned long long)peak(p, g));
    return out->bad ? GND_ERR_NOMEM : GND_OK;
}
