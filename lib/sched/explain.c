/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/explain.c - a plan as text, for gnd_explain and `gnd explain`.
 */
#include "sched/plan.h"

#include <gnd/array.h>

#include "base/mem.h"
#include "graph/label.h"
#include "graph/snippet.h"
#include "prim/prim.h"
#include <stdio.h>
#include <string.h>

static size_t block_bytes(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* The maximum of the bytes alive at once: leaves all the time, other slots from first to last
 * use. */
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
        if (st->spent >= 0 && live[st->spent] && !g->node[p->slot[st->spent].node].sink) {
            live[st->spent] = 0; /* the output is in its memory */
            now -= block_bytes(p->slot[st->spent].nbytes);
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

/* Slot number k of the arguments or operands of a step; -1: that one is not a slot, -2: there are
 * no more. */
static int32_t slot_of(const gnd__step *st, int32_t k)
{
    if (k < st->nargs)
        return st->arg[k].kind == GND__A_BUF || st->arg[k].kind == GND__A_PART ? st->arg[k].ref
                                                                               : -1;
    if (st->type == GND__S_GEMM && k < st->nargs + 4)
        return st->gemm_slot[k - st->nargs];
    return -2;
}

const char *gnd__step_names(char buf[GND__STEP_NAMES], const gnd__plan *p, const gnd__pgraph *g,
                            const gnd__step *st)
{
    size_t n = 0;
    int32_t slot;
    buf[0] = '\0';
    for (int32_t k = 0; (slot = slot_of(st, k)) > -2; k++) {
        const int32_t node = slot < 0 ? -1 : p->slot[slot].node;
        const char *name = node < 0 ? "" : gnd__name_of(g->node[node].a);
        if (name[0] && n < GND__STEP_NAMES - 72)
            n += (size_t)snprintf(buf + n, GND__STEP_NAMES - n, "%s'%s'", n ? ", " : "", name);
    }
    return buf;
}

/* The operation that makes the node a, or "" if its name would be uninformative. */
static const char *made_by(const gnd_array *a)
{
    switch ((gnd__kind)a->kind) {
    case GND__OP: return gnd__ops[a->p.op].name;
    case GND__REDUCE: return a->p.red.fn ? a->p.red.fn->name : gnd__reds[a->p.red.op].name;
    case GND__PRIM: return a->p.prim->func ? a->p.prim->func : gnd__prims[a->p.prim->id].name;
    case GND__CAST: return "astype";
    case GND__MATMUL: return "matmul";
    case GND__ASSEMBLE: return "a join";
    case GND__TAKE: return "take";
    default: return "";
    }
}

gnd_status gnd__plan_lacks(const gnd__plan *p, const gnd__pgraph *g, int32_t slot, gnd_status code,
                           gnd_err *e)
{
    const gnd__step *by = NULL;
    char what[GND__WHAT_TEXT] = "working memory";
    const char *of = "";
    if (code != GND_ERR_DEVMEM)
        return code;
    for (int32_t s = 0; s < p->nstep && !by; s++)
        for (int32_t k = 0, i; (i = slot_of(&p->step[s], k)) > -2 && !by; k++)
            by = i == slot ? &p->step[s] : NULL;
    if (p->slot[slot].node >= 0) {
        gnd__what_text(what, g->node[p->slot[slot].node].a);
        of = made_by(g->node[p->slot[slot].node].a);
    }
    if (by) /* else the plan is not that far */
        of = by->label;
    gnd__err_prefix(e, "no memory for %.200s%s%s", what, of[0] ? " of " : "", of);
    return code;
}

gnd_status gnd__plan_explain(const gnd__plan *p, const gnd__pgraph *g, unsigned flags,
                             gnd__str *out)
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
        char names[GND__STEP_NAMES];
        if (gnd__step_names(names, p, g, st)[0])
            gnd__str_addf(out, "    on %s\n", names);
        gnd__str_addf(out, "    reads %lld bytes, writes %lld bytes\n", (long long)st->rd,
                      (long long)st->wr);
        if ((flags & GND_EXPLAIN_SOURCE) && st->source)
            gnd__str_addf(out, "--- source of kernel %d\n%s---\n", kernels, st->source);
        rd += st->rd;
        wr += st->wr;
    }
    gnd__str_addf(out,
                  "%d kernels, %d calls, %lld bytes read, %lld bytes written, %llu bytes peak\n",
                  kernels, calls, rd, wr, (unsigned long long)peak(p, g));
    return out->bad ? GND_ERR_NOMEM : GND_OK;
}
