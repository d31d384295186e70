/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan_prim.c - the steps of a primitive: its inputs, as expressions or memory, and the
 * kernels and library calls of its program (prim/prim.h).
 */
#include "sched/maker.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "prim/prim.h"
#include "sched/here.h"

/* Whether input i of primitive w is computed where it is read. */
static int is_inlined(const gnd__maker *m, const gnd__pwork *w, int i)
{
    return m->g->node[w->root[0]].a->p.prim->mode[i] > GND__IN_COPY;
}

gnd_status gnd__plan_inputs(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry)
{
    gnd_status st = GND_OK;
    for (int i = 0; i < m->g->node[w->root[0]].a->nin && st == GND_OK; i++) {
        int again = 0;
        if (is_inlined(m, w, i))
            st = gnd__lower_input(m->g, w, i, k, &again, m->e);
        *retry |= again;
    }
    return st;
}

/* Prepares an input for the program: an expression, or memory in C order, which is then slot[i]. */
static gnd_status prim_input(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, gnd__prog *prog,
                             int i, gnd__kir *kept, gnd__inl *inl, gnd__place *place)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    int32_t in = m->g->inputs[p->in + i], blame;
    const gnd_array *a = m->g->node[in].a;
    gnd__pin *x = &prog->in[i];
    gnd_status st;
    int retry = 0;
    x->dtype = (gnd_dtype)a->dtype;
    x->ndim = a->ndim;
    x->dim = a->dim;
    x->size = a->size;
    if (is_inlined(m, w, i)) {
        char name[16];
        snprintf(name, sizeof name, "in%d", i);
        st = gnd__lower_input(m->g, w, i, k, &retry, m->e);
        if (st == GND_OK)
            st = gnd__codegen_inline(k, &m->target, name, inl, m->e);
        *kept = *k;
        x->inl = inl;
        x->mem = gnd__place_of(m->g, in, place, &blame) && gnd__layout_is_contig(&place->l);
        return st;
    }
    if (!gnd__place_of(m->g, in, place, &blame))
        return gnd__err(m->e, GND_ERR_INTERNAL, "%s: an input without memory",
                        gnd__prims[prog->args->id].name);
    x->mem = gnd__layout_is_contig(&place->l) || a->size == 0;
    if (!x->mem && prog->args->mode[i] == GND__IN_MEM) {
        int32_t slot = -1;
        st = gnd__plan_copy(m, place, x->dtype, &slot);
        if (st != GND_OK)
            return st;
        place->slot = slot;
        place->l.off = 0;
        x->mem = 1;
    }
    return GND_OK;
}

/* The inputs of a primitive, as its kernels take them. */
typedef struct inputs {
    gnd__place place[GND__PRIM_INS];
    gnd__inl inl[GND__PRIM_INS];
    gnd__kir *kir;
    int32_t scratch; /* the first slot of its scratch memory */
} inputs;

/* Converts argument a of a kernel of node's program to one of the plan. */
static gnd_status prim_arg(gnd__maker *m, const gnd__parg *a, gnd__sarg *b, int32_t node,
                           const inputs *in, int64_t esize)
{
    memset(b, 0, sizeof *b);
    b->kind = GND__A_BUF;
    switch ((gnd__pakind)a->kind) {
    case GND__PA_IN:
    case GND__PA_INOFF:
        b->ref = in->place[a->ref].slot;
        b->value = in->place[a->ref].l.off;
        break;
    case GND__PA_OUT:
    case GND__PA_OUTOFF: b->ref = m->g->node[node].slot; break;
    case GND__PA_SCRATCH:
    case GND__PA_SCRATCHOFF: b->ref = in->scratch + a->ref; break;
    case GND__PA_INT:
        b->kind = GND__A_INT;
        b->size = 8;
        b->value = a->value;
        return GND_OK;
    case GND__PA_INL:
        return gnd__plan_arg(m, b, &in->kir[a->ref], &in->inl[a->ref].arg[a->value], NULL, NULL);
    case GND__PA_CHECK: b->kind = GND__A_CHECK; return GND_OK;
    case GND__PA_CHECKID:
        b->kind = GND__A_CHECKID;
        b->size = 4;
        b->ref = gnd__plan_check(m, node);
        return b->ref < 0 ? GND_ERR_NOMEM : GND_OK;
    }
    if (a->esize) {
        b->kind = GND__A_OFF;
        b->size = 8;
        b->esize = a->esize;
        if (a->esize == 1) /* an operand of a library call, in bytes */
            b->value = b->value * esize + a->value;
        else
            b->value += a->value;
    }
    return GND_OK;
}

/* A library call, or the host's work, instead of a launch. */
static void call_step(gnd__step *s, const gnd__pkernel *pk)
{
    static const gnd__stype type[] = {[GND__PC_FFT] = GND__S_FFT,
                                      [GND__PC_SOLVE] = GND__S_SOLVE,
                                      [GND__PC_GEMM] = GND__S_GEMM,
                                      [GND__PC_PANEL] = GND__S_SOLVE};
    gnd_mat *const mat[3] = {&s->gemm.a, &s->gemm.b, &s->gemm.c};
    s->type = type[pk->call];
    s->fft = pk->fft;
    s->solve = pk->solve;
    s->gemm = pk->gemm;
    s->panel = pk->panel;
    s->on_host = pk->on_host;
    s->later = pk->later;
    for (int i = 0; i < 3 && pk->call == GND__PC_GEMM; i++) {
        s->gemm_slot[i] = s->arg[2 * i].ref;
        mat[i]->off = (uint64_t)s->arg[2 * i + 1].value / gnd_dtype_size((gnd_dtype)s->gemm.dtype);
    }
    s->gemm_slot[3] = -1;
}

/* The slot that operand a of node's program is in. */
static int32_t prim_slot(const gnd__maker *m, const gnd__parg *a, int32_t node, const inputs *in)
{
    return a->kind == GND__PA_IN    ? in->place[a->ref].slot
           : a->kind == GND__PA_OUT ? m->g->node[node].slot
                                    : in->scratch + a->ref;
}

/* The copy of input arg[0] of a program to arg[2], whose matrices have room for pk->room elements
 * each. */
static gnd_status copy_step(gnd__maker *m, const gnd__pwork *w, const gnd__prog *prog,
                            const gnd__pkernel *pk, const inputs *in)
{
    const gnd__place *from = &in->place[pk->arg[0].ref];
    const gnd_dtype t = prog->in[pk->arg[0].ref].dtype;
    const int nd = from->l.ndim, rows = nd > 2 ? nd - 2 : 0;
    gnd__layout to;
    gnd__shape sh;
    sh.ndim = nd;
    memcpy(sh.dim, from->l.dim, (size_t)nd * sizeof *sh.dim);
    gnd__layout_contig(&to, &sh);
    const int64_t have = rows ? to.stride[rows - 1] : 0;
    for (int d = 0; d < rows && pk->room; d++)
        to.stride[d] = to.stride[d] / have * pk->room;
    to.off = pk->arg[3].value / (int64_t)gnd_dtype_size(t);
    return gnd__plan_copy_to(m, from, t, prim_slot(m, &pk->arg[2], w->root[0], in), &to);
}

/* Adds the step of one kernel, or call, of a program. */
static gnd_status prim_step(gnd__maker *m, const gnd__pwork *w, const gnd__prog *prog,
                            const gnd__pkernel *pk, const inputs *in)
{
    gnd_status st = GND_OK;
    if (pk->call == GND__PC_COPY)
        return copy_step(m, w, prog, pk, in);
    gnd__step *s = gnd__plan_step(m);
    if (!s)
        return GND_ERR_NOMEM;
    s->type = GND__S_LAUNCH;
    s->first = 1;
    s->ndim = pk->ndim;
    memcpy(s->global, pk->global, sizeof s->global);
    memcpy(s->local, pk->local, sizeof s->local);
    snprintf(s->label, sizeof s->label, "%s: %s", gnd__prims[prog->args->id].name, pk->name + 2);
    s->rd = pk->rd;
    s->wr = pk->wr;
    s->arg = gnd__malloc(((size_t)pk->nargs + 1) * sizeof *s->arg);
    if (!s->arg)
        return gnd__plan_nomem(m->e);
    for (int j = 0; j < pk->nargs && st == GND_OK; j++) {
        st = prim_arg(m, &pk->arg[j], &s->arg[j], w->root[0], in,
                      pk->arg[j].kind <= GND__PA_INOFF
                          ? (int64_t)gnd_dtype_size(prog->in[pk->arg[j].ref].dtype)
                          : 1);
        s->nargs = j + 1;
    }
    if (pk->call != GND__PC_NONE) {
        call_step(s, pk);
        s->prim = w->root[0];
        return st;
    }
    if (st == GND_OK && m->want_source) {
        s->source = gnd__strdup(gnd__str_get(&pk->src));
        return s->source ? GND_OK : gnd__plan_nomem(m->e);
    }
    return st != GND_OK ? st
                        : gnd__gate_kernel(m->dev, pk->name, gnd__str_get(&pk->src), pk->src.len,
                                           &s->kernel, m->e);
}

/* What the calling thread may run of a program, whose steps are the last of the plan. */
static void here(gnd__maker *m, const gnd__prog *p, const inputs *in, int32_t out)
{
    const gnd__here_slots at = {in->place, in->kir, out, in->scratch};
    gnd__pmem all[GND__PRIM_INS + 1];
    if (p->nkernel == 0)
        return;
    gnd__step *s = &m->p->step[m->p->nstep - p->nkernel];
    for (int i = 0; i < p->nin; i++)
        all[i] = (gnd__pmem){GND__PA_IN, i, 0};
    all[p->nin] = (gnd__pmem){GND__PA_OUT, 0, 0};
    for (int i = 0; i < p->nkernel; i++) /* a copy has its own */
        if (p->k[i].call != GND__PC_COPY)
            s[i].here = gnd__here_prim(m->g, p, &p->k[i].native, p->k[i].native_mem, 1, &at, 1);
    if (!s->here)
        s->here = gnd__here_prim(m->g, p, &p->native, all, p->nin, &at, p->nkernel);
}

gnd_status gnd__plan_prim(gnd__maker *m, const gnd__pwork *w, gnd__kir *k)
{
    const gnd_array *a = m->g->node[w->root[0]].a;
    gnd__prog prog;
    inputs in;
    gnd_status st = GND_OK;
    memset(&in, 0, sizeof in);
    in.kir = gnd__malloc(GND__PRIM_INS * sizeof *in.kir);
    if (!in.kir)
        st = gnd__plan_nomem(m->e);
    memset(&prog, 0, sizeof prog);
    prog.t = &m->target;
    prog.args = a->p.prim;
    prog.dtype = (gnd_dtype)a->dtype;
    prog.ndim = a->ndim;
    prog.dim = a->dim;
    prog.size = a->size;
    prog.nin = a->nin;
    prog.e = m->e;
    prog.dev = m->dev;
    for (int i = 0; i < a->nin && st == GND_OK; i++)
        st = prim_input(m, w, k, &prog, i, &in.kir[i], &in.inl[i], &in.place[i]);
    for (int i = 0; i < a->nin && st == GND_OK; i++)
        if (prog.in[i].size > GND__PRIM_MOST)
            st = gnd__err(m->e, GND_ERR_OVERFLOW, "%s: %lld elements: at most %lld are possible",
                          prog.args->func ? prog.args->func : gnd__prims[prog.args->id].name,
                          (long long)prog.in[i].size, (long long)GND__PRIM_MOST);
    if (st == GND_OK) {
        gnd__prims[prog.args->id].write(&prog);
        st = prog.st;
    }
    in.scratch = m->p->nslot;
    for (int i = 0; i < prog.nscratch && st == GND_OK; i++)
        if (gnd__plan_slot(m, -1, 0, prog.scratch[i]) < 0)
            st = GND_ERR_NOMEM;
    if (st == GND_OK)
        st = gnd__plan_fits(m);
    for (int i = 0; i < prog.nkernel && st == GND_OK; i++)
        st = prim_step(m, w, &prog, &prog.k[i], &in);
    if (st == GND_OK && !m->want_source)
        here(m, &prog, &in, m->g->node[w->root[0]].slot);
    for (int i = 0; i < a->nin; i++)
        gnd__inl_free(&in.inl[i]);
    gnd__prog_free(&prog);
    gnd__free(in.kir);
    return st;
}
