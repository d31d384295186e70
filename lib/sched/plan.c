/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan.c - from the grouped graph to a plan: lowers and writes every kernel, lays out memory.
 */
#include "sched/maker.h"

#include <stdio.h>
#include <string.h>
#include "sched/device.h"
#include "base/mem.h"
#include "prim/prim.h"

gnd_status gnd__plan_nomem(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
}

static int grow(void *arr, int32_t *cap, int32_t need, size_t size)
{
    void *q, *old;
    int32_t c = *cap ? *cap : 32;
    memcpy(&old, arr, sizeof old);
    if (need <= *cap)
        return 1;
    while (c < need)
        c *= 2;
    q = gnd__realloc(old, (size_t)c * size);
    if (!q)
        return 0;
    memcpy(arr, &q, sizeof q);
    *cap = c;
    return 1;
}

int32_t gnd__plan_slot(gnd__maker *m, int32_t node, int leaf, size_t nbytes)
{
    gnd__pslot *s;
    if (!grow(&m->p->slot, &m->p->capslot, m->p->nslot + 1, sizeof *m->p->slot)) {
        gnd__plan_nomem(m->e);
        return -1;
    }
    s = &m->p->slot[m->p->nslot];
    s->node = node;
    s->leaf = (uint8_t)leaf;
    s->last = -1;
    s->nbytes = nbytes;
    return m->p->nslot++;
}

gnd__step *gnd__plan_step(gnd__maker *m)
{
    gnd__step *s;
    if (!grow(&m->p->step, &m->p->capstep, m->p->nstep + 1, sizeof *m->p->step)) {
        gnd__plan_nomem(m->e);
        return NULL;
    }
    s = &m->p->step[m->p->nstep++];
    memset(s, 0, sizeof *s);
    s->gemm_const[0] = s->gemm_const[1] = -1;
    return s;
}

static size_t node_bytes(const gnd_array *a)
{
    return (size_t)a->size * gnd_dtype_size((gnd_dtype)a->dtype);
}

/* The plan's number of the check of node i. */
static int check_number(gnd__maker *m, int32_t i, int32_t *number)
{
    gnd__plan *p = m->p;
    for (*number = 0; *number < p->ncheck; ++*number)
        if (p->check[*number] == i)
            return 1;
    if (!grow(&p->check, &p->capcheck, p->ncheck + 1, sizeof *p->check))
        return 0;
    p->check[p->ncheck++] = i;
    return 1;
}

/* Argument a of a generated kernel as the plan's. parts[] are the slots of partial results. */
static gnd_status bind_arg(gnd__maker *m, gnd__sarg *b, const gnd__kir *k, const gnd__garg *a,
                           const int32_t *parts, const gnd__gen *gen)
{
    memset(b, 0, sizeof *b);
    b->kind = a->kind;
    b->size = a->size;
    b->value = a->value;
    switch ((gnd__akind)a->kind) {
    case GND__A_BUF:
        b->ref = k->access[a->ref].slot;
        break;
    case GND__A_OFF:
        b->ref = k->access[a->ref].slot;
        b->value = k->access[a->ref].off;
        b->esize = (uint8_t)gnd_dtype_size((gnd_dtype)k->access[a->ref].dtype);
        break;
    case GND__A_CONST:
        b->ref = k->constant[a->ref];
        b->dtype = k->const_dtype[a->ref];
        break;
    case GND__A_PART:
        b->kind = GND__A_BUF;
        b->ref = parts[a->ref];
        break;
    case GND__A_PARTOFF:
        b->kind = GND__A_OFF;
        b->ref = parts[a->ref];
        b->value = 0;
        b->esize = (uint8_t)gnd_dtype_size((gnd_dtype)gen->part_dtype[a->ref]);
        break;
    case GND__A_CHECKID:
        if (!check_number(m, a->ref, &b->ref))
            return gnd__plan_nomem(m->e);
        break;
    case GND__A_CHECK:
    case GND__A_INT:
        break;
    }
    return GND_OK;
}

/* The arguments of generated kernel gk, of the IRs k. */
static gnd_status bind_args(gnd__maker *m, gnd__step *s, const gnd__kir *const *k, const gnd__gkernel *gk,
                            const int32_t *parts, const gnd__gen *gen)
{
    gnd_status st = GND_OK;
    s->arg = gnd__malloc(((size_t)gk->nargs + 1) * sizeof *s->arg);
    if (!s->arg)
        return gnd__plan_nomem(m->e);
    s->nargs = gk->nargs;
    for (int i = 0; i < gk->nargs && st == GND_OK; i++)
        st = bind_arg(m, &s->arg[i], k[gk->arg[i].piece], &gk->arg[i], parts, gen);
    return st;
}

/* The launch of kernel i of gen. */
static gnd_status add_launch(gnd__maker *m, const gnd__kir *const *k, const gnd__gen *gen, int i,
                             const int32_t *parts, int64_t rd, int64_t wr)
{
    const gnd__gkernel *gk = &gen->k[i];
    gnd__step *s = gnd__plan_step(m);
    gnd_status st;
    if (!s)
        return GND_ERR_NOMEM;
    s->type = GND__S_LAUNCH;
    s->first = i == 0;
    s->ndim = gk->ndim;
    memcpy(s->global, gk->global, sizeof s->global);
    memcpy(s->local, gk->local, sizeof s->local);
    memcpy(s->label, k[0]->label, sizeof s->label);
    s->rd = rd;
    s->wr = wr;
    st = bind_args(m, s, k, gk, parts, gen);
    if (st == GND_OK && m->want_source) {
        s->source = gnd__strdup(gnd__str_get(&gk->src));
        st = s->source ? GND_OK : gnd__plan_nomem(m->e);
    } else if (st == GND_OK) {
        st = gnd__gate_kernel(m->dev, gk->name, gnd__str_get(&gk->src), gk->src.len, &s->kernel, m->e);
    }
    return st;
}

gnd_status gnd__plan_kernel(gnd__maker *m, gnd__kir *k)
{
    gnd__gen *gen;
    int32_t parts[2 * GND__KIR_RED];
    gnd_status st;
    int64_t rd, wr, partial = 0;
    gnd__kir_bytes(k, &rd, &wr);
    gnd__kir_collapse(k);
    if (gnd__kir_kept(k) == 0)
        return GND_OK;
    gen = gnd__malloc(sizeof *gen);
    if (!gen)
        return gnd__plan_nomem(m->e);
    memset(gen, 0, sizeof *gen);
    st = gnd__codegen(k, &m->target, gen, m->e);
    for (int i = 0; i < gen->npart; i++)
        partial += gen->part_count * (int64_t)gnd_dtype_size((gnd_dtype)gen->part_dtype[i]);
    for (int i = 0; i < gen->npart && st == GND_OK; i++) {
        parts[i] = gnd__plan_slot(m, -1, 0,
                            (size_t)gen->part_count * gnd_dtype_size((gnd_dtype)gen->part_dtype[i]));
        if (parts[i] < 0)
            st = GND_ERR_NOMEM;
    }
    for (int i = 0; i < gen->nkernel && st == GND_OK; i++)
        st = add_launch(m, (const gnd__kir *const[]){ k }, gen, i, parts, i == 0 ? rd : partial,
                        i == gen->nkernel - 1 ? wr : partial);
    gnd__gen_free(gen);
    gnd__free(gen);
    return st;
}

/* The pieces of a join from place `at` in the order on, as one launch where that can be: *n of them. */
static gnd_status add_pieces(gnd__maker *m, int32_t at, int *n)
{
    const gnd__pgraph *g = m->g;
    const gnd__pwork *first = &g->work[g->order[at]];
    gnd__kir *kir, *k[GND__GEN_PIECES];
    gnd__gen *gen;
    gnd_status st = GND_OK;
    int64_t rd = 0, wr = 0;
    int done = 0;
    *n = 0;
    while (first->box[0] >= 0 && first->nred == 0 && at + *n < g->norder && *n < GND__GEN_PIECES) {
        const gnd__pwork *w = &g->work[g->order[at + *n]];
        if (w->type != GND__P_KERNEL || w->box[0] < 0 || w->root[0] != first->root[0] || w->nred > 0)
            break;
        ++*n;
    }
    if (*n < 2 || m->target.cpu) {
        *n = 0;
        return GND_OK;
    }
    kir = gnd__malloc((size_t)*n * sizeof *kir);
    gen = gnd__calloc(1, sizeof *gen);
    st = kir && gen ? GND_OK : gnd__plan_nomem(m->e);
    for (int i = 0; i < *n && st == GND_OK; i++) {
        int64_t r, w;
        int retry = 0; /* the largest first: its name is that of the kernel, and it is to begin first */
        k[i] = &kir[i];
        st = gnd__lower(m->g, &g->work[g->order[at + i]], k[i], &retry, m->e);
        if (st != GND_OK)
            break;
        gnd__kir_bytes(k[i], &r, &w);
        rd += r;
        wr += w;
        gnd__kir_collapse(k[i]);
        for (int j = i; j > 0 && gnd__kir_kept(k[j]) > gnd__kir_kept(k[j - 1]); j--) {
            gnd__kir *t = k[j];
            k[j] = k[j - 1];
            k[j - 1] = t;
        }
    }
    if (st == GND_OK)
        st = gnd__codegen_pieces((const gnd__kir *const *)k, *n, &m->target, gen, &done, m->e);
    if (st == GND_OK && done)
        st = add_launch(m, (const gnd__kir *const *)k, gen, 0, NULL, rd, wr);
    if (!done)
        *n = 0;
    if (gen)
        gnd__gen_free(gen);
    gnd__free(gen);
    gnd__free(kir);
    return st;
}

/* A kernel that copies a strided place into contiguous scratch; *slot is the scratch. */
gnd_status gnd__plan_copy(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t *slot)
{
    gnd__kir *k = gnd__calloc(1, sizeof *k);
    gnd__shape sh;
    gnd__layout out;
    gnd_status st;
    if (!k)
        return gnd__plan_nomem(m->e);
    sh.ndim = from->l.ndim;
    memcpy(sh.dim, from->l.dim, (size_t)sh.ndim * sizeof *sh.dim);
    gnd__layout_contig(&out, &sh);
    *slot = gnd__plan_slot(m, -1, 0, (size_t)gnd__shape_size(sh.ndim, sh.dim, 1) * gnd_dtype_size(t));
    k->nkeep = sh.ndim;
    memcpy(k->dim, sh.dim, (size_t)sh.ndim * sizeof *sh.dim);
    k->naccess = 2;
    k->access[0].slot = from->slot;
    k->access[0].off = from->l.off;
    k->access[1].slot = *slot;
    k->access[1].aligned = 1;
    k->access[0].dtype = k->access[1].dtype = (int16_t)t;
    memcpy(k->access[0].stride, from->l.stride, (size_t)sh.ndim * sizeof *sh.dim);
    memcpy(k->access[1].stride, out.stride, (size_t)sh.ndim * sizeof *sh.dim);
    k->ninstr = 1;
    k->instr[0].kind = GND__I_LOAD;
    k->instr[0].dtype = (int16_t)t;
    k->nout = 1;
    k->out[0].access = 1;
    strcpy(k->label, "copy");
    st = *slot < 0 ? GND_ERR_NOMEM : gnd__plan_kernel(m, k);
    gnd__free(k);
    return st;
}

/* Whether input i of primitive w is computed where it is read. */
static int is_inlined(const gnd__maker *m, const gnd__pwork *w, int i)
{
    return m->g->node[w->root[0]].a->p.prim->mode[i] != GND__IN_MEM;
}

/* Tries the expressions of a primitive's inputs: what has to be stored is marked. */
static gnd_status lower_inputs(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry)
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

/* An input as the program sees it: an expression, or memory in C order, which is then slot[i]. */
static gnd_status prim_input(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, gnd__prog *prog, int i,
                             gnd__kir *kept, gnd__inl *inl, gnd__place *place)
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
    x->mem = 1;
    if (a->size > 0 && !gnd__layout_is_contig(&place->l)) {
        int32_t slot = -1;
        st = gnd__plan_copy(m, place, x->dtype, &slot);
        if (st != GND_OK)
            return st;
        place->slot = slot;
        place->l.off = 0;
    }
    return GND_OK;
}

/* Argument a of a program's kernel as the plan's. */
static gnd_status prim_arg(gnd__maker *m, const gnd__parg *a, gnd__sarg *b, int32_t out, int32_t scratch,
                           const gnd__place *place, const gnd__kir *kir, const gnd__inl *inl,
                           int64_t esize)
{
    memset(b, 0, sizeof *b);
    b->kind = GND__A_BUF;
    switch ((gnd__pakind)a->kind) {
    case GND__PA_IN:
    case GND__PA_INOFF:
        b->ref = place[a->ref].slot;
        b->value = place[a->ref].l.off;
        break;
    case GND__PA_OUT:
    case GND__PA_OUTOFF:
        b->ref = out;
        break;
    case GND__PA_SCRATCH:
    case GND__PA_SCRATCHOFF:
        b->ref = scratch + a->ref;
        break;
    case GND__PA_INT:
        b->kind = GND__A_INT;
        b->size = 8;
        b->value = a->value;
        return GND_OK;
    case GND__PA_INL:
        return bind_arg(m, b, &kir[a->ref], &inl[a->ref].arg[a->value], NULL, NULL);
    }
    if (a->esize) {
        b->kind = GND__A_OFF;
        b->size = 8;
        b->esize = a->esize;
        if (a->esize == 1) /* of a library call, in bytes */
            b->value = b->value * esize + a->value;
    }
    return GND_OK;
}

/* A library call, or the host's work, instead of a launch. */
static void call_step(gnd__step *s, const gnd__pkernel *pk)
{
    static const gnd__stype type[] = { [GND__PC_FFT] = GND__S_FFT, [GND__PC_SOLVE] = GND__S_SOLVE,
                                       [GND__PC_GEMM] = GND__S_GEMM, [GND__PC_PANEL] = GND__S_SOLVE };
    gnd_mat *const mat[3] = { &s->gemm.a, &s->gemm.b, &s->gemm.c };
    s->type = type[pk->call];
    s->fft = pk->fft;
    s->solve = pk->solve;
    s->gemm = pk->gemm;
    s->panel = pk->panel;
    for (int i = 0; i < 3 && pk->call == GND__PC_GEMM; i++) {
        s->gemm_slot[i] = s->arg[2 * i].ref;
        mat[i]->off = (uint64_t)s->arg[2 * i + 1].value / gnd_dtype_size((gnd_dtype)s->gemm.dtype);
    }
    s->gemm_slot[3] = -1;
}

/* The launches of a primitive. */
static gnd_status add_prim(gnd__maker *m, const gnd__pwork *w, gnd__kir *k)
{
    const gnd__pnode *p = &m->g->node[w->root[0]];
    const gnd_array *a = p->a;
    gnd__prog prog;
    gnd__inl inl[GND__PRIM_INS];
    gnd__place place[GND__PRIM_INS];
    gnd__kir *kir = gnd__malloc(GND__PRIM_INS * sizeof *kir);
    gnd_status st = kir ? GND_OK : gnd__plan_nomem(m->e);
    int32_t scratch = m->p->nslot;
    memset(&prog, 0, sizeof prog);
    memset(inl, 0, sizeof inl);
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
        st = prim_input(m, w, k, &prog, i, &kir[i], &inl[i], &place[i]);
    if (st == GND_OK) {
        gnd__prims[prog.args->id].write(&prog);
        st = prog.st;
    }
    scratch = m->p->nslot;
    for (int i = 0; i < prog.nscratch && st == GND_OK; i++)
        if (gnd__plan_slot(m, -1, 0, prog.scratch[i]) < 0)
            st = GND_ERR_NOMEM;
    for (int i = 0; i < prog.nkernel && st == GND_OK; i++) {
        const gnd__pkernel *pk = &prog.k[i];
        gnd__step *s = gnd__plan_step(m);
        if (!s) {
            st = GND_ERR_NOMEM;
            break;
        }
        s->type = GND__S_LAUNCH;
        s->first = 1;
        s->ndim = pk->ndim;
        memcpy(s->global, pk->global, sizeof s->global);
        memcpy(s->local, pk->local, sizeof s->local);
        snprintf(s->label, sizeof s->label, "%s: %s", gnd__prims[prog.args->id].name, pk->name + 2);
        s->rd = pk->rd;
        s->wr = pk->wr;
        s->arg = gnd__malloc(((size_t)pk->nargs + 1) * sizeof *s->arg);
        if (!s->arg) {
            st = gnd__plan_nomem(m->e);
            break;
        }
        for (int j = 0; j < pk->nargs && st == GND_OK; j++) {
            st = prim_arg(m, &pk->arg[j], &s->arg[j], p->slot, scratch, place, kir, inl,
                          pk->arg[j].kind <= GND__PA_INOFF
                              ? (int64_t)gnd_dtype_size(prog.in[pk->arg[j].ref].dtype) : 1);
            s->nargs = j + 1;
        }
        if (pk->call != GND__PC_NONE) {
            call_step(s, pk);
        } else if (st == GND_OK && m->want_source) {
            s->source = gnd__strdup(gnd__str_get(&pk->src));
            st = s->source ? GND_OK : gnd__plan_nomem(m->e);
        } else if (st == GND_OK) {
            st = gnd__gate_kernel(m->dev, pk->name, gnd__str_get(&pk->src), pk->src.len, &s->kernel,
                                  m->e);
        }
    }
    for (int i = 0; i < a->nin; i++)
        gnd__inl_free(&inl[i]);
    gnd__prog_free(&prog);
    gnd__free(kir);
    return st;
}

/* Tries a kernel: what has to be stored is marked, and rows that registers do not hold. */
static gnd_status lower_kernel(gnd__maker *m, const gnd__pwork *w, gnd__kir *k, int *retry)
{
    gnd_status st = gnd__lower(m->g, w, k, retry, m->e);
    if (st == GND_OK && !*retry && w->rows && !gnd__codegen_rows_fit(k, &m->target)) {
        gnd__not_rows(m->g, w);
        *retry = 1;
    }
    return st;
}

/* Groups and lowers until no kernel asks for another root. */
static gnd_status lower_all(gnd__maker *m)
{
    gnd__kir *k = gnd__malloc(sizeof *k);
    gnd_status st = GND_OK;
    int again = 1;
    if (!k)
        return gnd__plan_nomem(m->e);
    for (int round = 0; again && st == GND_OK; round++) {
        again = 0;
        if (round > 1000) {
            st = gnd__err(m->e, GND_ERR_INTERNAL, "planning does not come to an end");
            break;
        }
        st = gnd__group(m->g, m->e);
        for (int32_t i = 0; i < m->g->norder && st == GND_OK; i++) {
            const gnd__pwork *w = &m->g->work[m->g->order[i]];
            int retry = 0;
            if (w->type == GND__P_KERNEL)
                st = lower_kernel(m, w, k, &retry);
            else if (w->type == GND__P_PRIM)
                st = lower_inputs(m, w, k, &retry);
            else if (w->product != w->root[0] && !gnd__plan_follows(m, w))
                retry = m->g->node[w->product].no_absorb = 1;
            again |= retry;
        }
    }
    for (int32_t i = 0; i < m->g->nslot && st == GND_OK; i++)
        if (gnd__plan_slot(m, -1, 0, 0) < 0)
            st = GND_ERR_NOMEM;
    for (int32_t i = 0; i < m->g->nnode && st == GND_OK; i++) {
        const gnd__pnode *q = &m->g->node[i];
        if (q->slot < 0)
            continue;
        m->p->slot[q->slot].node = i;
        m->p->slot[q->slot].leaf = q->a->data.st != NULL;
        m->p->slot[q->slot].nbytes = node_bytes(q->a);
    }
    for (int32_t i = 0; i < m->g->norder && st == GND_OK; i++) {
        const gnd__pwork *w = &m->g->work[m->g->order[i]];
        int retry = 0;
        if (w->type == GND__P_MATMUL) {
            st = gnd__plan_product(m, w);
        } else if (w->type == GND__P_PRIM) {
            st = add_prim(m, w, k);
        } else {
            int n;
            st = add_pieces(m, i, &n);
            i += n > 0 ? n - 1 : 0;
            if (st == GND_OK && n == 0)
                st = gnd__lower(m->g, w, k, &retry, m->e);
            if (st == GND_OK && n == 0)
                st = gnd__plan_kernel(m, k);
        }
    }
    gnd__free(k);
    return st;
}

static gnd_status add_results(gnd__maker *m)
{
    gnd__pgraph *g = m->g;
    gnd__plan *p = m->p;
    p->result = gnd__calloc((size_t)g->nnode + 1, sizeof *p->result);
    p->nuse = gnd__calloc((size_t)g->nnode + 1, sizeof *p->nuse);
    if (!p->result || !p->nuse)
        return gnd__plan_nomem(m->e);
    for (int32_t i = 0; i < g->nnode; i++) {
        const gnd__pnode *q = &g->node[i];
        gnd__presult *r = &p->result[p->nresult];
        gnd__place pl;
        int32_t blame;
        if (!gnd__is_leaf(q->a))
            for (int j = 0; j < q->a->nin; j++) /* an equal node's consumers hold that one */
                p->nuse[g->inputs[q->in + j]] += q->a->in[j] == g->node[g->inputs[q->in + j]].a;
        if (q->a->data.st || q->absorbed || (q->role != GND__R_ROOT && q->role != GND__R_ALIAS))
            continue;
        r->node = i;
        r->slot = q->slot;
        r->contig = 1;
        if (q->role == GND__R_ALIAS) {
            if (!gnd__place_of(g, i, &pl, &blame))
                return gnd__err(m->e, GND_ERR_INTERNAL, "a view without memory");
            r->slot = pl.slot;
            r->off = pl.l.off;
            r->contig = (uint8_t)gnd__layout_is_contig(&pl.l);
            r->stride = gnd__malloc(GND_MAX_NDIM * sizeof *r->stride);
            if (!r->stride)
                return gnd__plan_nomem(m->e);
            memcpy(r->stride, pl.l.stride, (size_t)pl.l.ndim * sizeof *r->stride);
        }
        p->nresult++;
    }
    return GND_OK;
}

/* Chains to each step the slots that it is the last to use. */
static void add_deadlines(gnd__plan *p)
{
    for (int32_t s = 0; s < p->nstep; s++) {
        p->step[s].dead = -1;
        for (int32_t i = 0; i < p->step[s].nargs; i++)
            if (p->step[s].arg[i].kind == GND__A_BUF)
                p->slot[p->step[s].arg[i].ref].last = s;
        if (p->step[s].type == GND__S_GEMM)
            for (int i = 0; i < 4; i++)
                if (p->step[s].gemm_slot[i] >= 0)
                    p->slot[p->step[s].gemm_slot[i]].last = s;
    }
    for (int32_t i = 0; i < p->nslot; i++)
        if (p->slot[i].last >= 0) {
            p->slot[i].next_dead = p->step[p->slot[i].last].dead;
            p->step[p->slot[i].last].dead = i;
        }
}

gnd_status gnd__plan_make(gnd__pgraph *g, int want_source, gnd__plan **out, gnd_err *e)
{
    gnd__maker m = { 0 };
    gnd_status st;
    *out = NULL;
    m.g = g;
    m.e = e;
    m.want_source = want_source;
    m.dev = g->dev->g;
    m.target = gnd__target_of(&m.dev->props, &m.dev->tune);
    g->gpu = !m.target.cpu;
    g->follow = gnd__gate_can_follow(m.dev);
    m.p = gnd__calloc(1, sizeof *m.p);
    if (!m.p)
        return gnd__plan_nomem(e);
    m.p->nnode = g->nnode;
    st = lower_all(&m);
    if (st == GND_OK)
        st = add_results(&m);
    if (st != GND_OK) {
        gnd__plan_free(m.p);
        return st;
    }
    add_deadlines(m.p);
    *out = m.p;
    return GND_OK;
}

void gnd__plan_free(gnd__plan *p)
{
    if (!p)
        return;
    gnd__repeat_free(p);
    for (int32_t i = 0; i < p->nstep; i++) {
        gnd__free(p->step[i].arg);
        gnd__free(p->step[i].karg);
        gnd__free(p->step[i].source);
    }
    for (int32_t i = 0; i < p->nresult; i++)
        gnd__free(p->result[i].stride);
    gnd__free(p->slot);
    gnd__free(p->step);
    gnd__free(p->result);
    gnd__free(p->nuse);
    gnd__free(p->check);
    gnd__free(p);
}
