/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan_steps.c - the steps and slots of a plan under construction: launches of generated
 * kernels with their arguments; joins in one launch; copies.
 */
#include "sched/maker.h"

#include <string.h>
#include "base/mem.h"
#include "sched/here.h"
#include "sched/merge.h"

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

/* A plan that is only explained may need more than the device has, but its sizes must stay
 * computable. */
#define EXPLAINED ((size_t)1 << 56)

gnd_status gnd__plan_fits(gnd__maker *m)
{
    gnd_status st = GND_OK;
    for (; m->checked < m->p->nslot && st == GND_OK; m->checked++)
        if (!m->want_source || m->p->slot[m->checked].nbytes > EXPLAINED)
            st = gnd__plan_lacks(m->p, m->g, m->checked,
                                 gnd__pool_fits(m->dev, m->p->slot[m->checked].nbytes, m->e), m->e);
    return st;
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
    s->spent = s->output = -1;
    return s;
}

int32_t gnd__plan_check(gnd__maker *m, int32_t i)
{
    gnd__plan *p = m->p;
    if (m->g->node[i].check > 0)
        return m->g->node[i].check - 1;
    if (!grow(&p->check, &p->capcheck, p->ncheck + 1, sizeof *p->check)) {
        gnd__plan_nomem(m->e);
        return -1;
    }
    p->check[p->ncheck++] = i;
    m->g->node[i].check = p->ncheck;
    return p->ncheck - 1;
}

gnd_status gnd__plan_arg(gnd__maker *m, gnd__sarg *b, const gnd__kir *k, const gnd__garg *a,
                         const int32_t *parts, const gnd__gen *gen)
{
    memset(b, 0, sizeof *b);
    b->kind = a->kind;
    b->size = a->p.size;
    b->value = a->value;
    switch ((gnd__akind)a->kind) {
    case GND__A_BUF: b->ref = k->access[a->ref].slot; break;
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
        b->ref = gnd__plan_check(m, a->ref);
        return b->ref < 0 ? GND_ERR_NOMEM : GND_OK;
    case GND__A_CHECK:
    case GND__A_INT:
    case GND__A_NUMBER:
    case GND__A_LOCAL: break;
    }
    return GND_OK;
}

/* Binds the arguments of generated kernel gk, made from the IRs k. */
static gnd_status bind_args(gnd__maker *m, gnd__step *s, const gnd__kir *const *k,
                            const gnd__gkernel *gk, const int32_t *parts, const gnd__gen *gen)
{
    gnd_status st = GND_OK;
    s->arg = gnd__malloc(((size_t)gk->nargs + 1) * sizeof *s->arg);
    if (!s->arg)
        return gnd__plan_nomem(m->e);
    s->nargs = gk->nargs;
    for (int i = 0; i < gk->nargs && st == GND_OK; i++)
        st = gnd__plan_arg(m, &s->arg[i], k[gk->arg[i].piece], &gk->arg[i], parts, gen);
    return st;
}

/* Builds kernel gk of step s, or keeps what building it takes until the device runs the step. */
static gnd_status add_kernel(gnd__maker *m, const gnd__gkernel *gk, int merges, gnd__step *s)
{
    gnd__form *form = NULL;
    gnd_status st;
    if (merges && gnd__merge_wants(m->dev) && !(form = gnd__form_new(gk)))
        return gnd__plan_nomem(m->e);
    if (s->here)
        return gnd__here_later(s->here, gk, form, m->e);
    st = gnd__gate_kernel(m->dev, gk->name, gnd__str_get(&gk->src), gk->src.len, &s->kernel, m->e);
    gnd__plan_note(st == GND_OK ? s->kernel : NULL, form);
    return st;
}

void gnd__plan_note(gnd__kernel *k, gnd__form *form)
{
    if (k && form && !gnd__gate_kernel_note(k))
        gnd__gate_kernel_set_note(k, form);
    else
        gnd__free(form);
}

/* The launch of kernel i of gen. */
static gnd_status add_launch(gnd__maker *m, const gnd__kir *const *k, const gnd__gen *gen, int i,
                             const int32_t *parts, int64_t rd, int64_t wr, int64_t work)
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
    s->work = work;
    st = bind_args(m, s, k, gk, parts, gen);
    if (st == GND_OK && m->want_source) {
        s->source = gnd__strdup(gnd__str_get(&gk->src));
        st = s->source ? GND_OK : gnd__plan_nomem(m->e);
    } else if (st == GND_OK) {
        s->here = i == 0 ? gnd__here_of(m->g, k[0], gen->nkernel) : NULL;
        st =
            add_kernel(m, gk, k[0]->nfn == 0, s); /* a merged text has no functions of the user's */
    }
    return st;
}

/* Notes in step s, the only launch of k, that its output may be in the memory of an input. */
static void note_over(const gnd__maker *m, const gnd__kir *k, gnd__step *s)
{
    const int i = gnd__kir_over(k);
    if (i < 0 || gnd__codegen_again(k, &m->target))
        return;
    const gnd__pslot *x = &m->p->slot[k->access[i].slot],
                     *y = &m->p->slot[k->access[k->out[0].access].slot];
    if (x->leaf || y->leaf || x->nbytes != y->nbytes)
        return;
    s->spent = k->access[i].slot;
    s->output = k->access[k->out[0].access].slot;
}

gnd_status gnd__plan_kernel(gnd__maker *m, gnd__kir *k)
{
    gnd__gen *gen;
    int32_t parts[2 * GND__KIR_RED];
    gnd_status st;
    int64_t rd, wr, work, partial = 0;
    gnd__kir_bytes(k, &rd, &wr);
    work = gnd__kir_work(k);
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
        parts[i] = gnd__plan_slot(
            m, -1, 0, (size_t)gen->part_count * gnd_dtype_size((gnd_dtype)gen->part_dtype[i]));
        if (parts[i] < 0)
            st = GND_ERR_NOMEM;
    }
    for (int i = 0; i < gen->nkernel && st == GND_OK; i++)
        st = add_launch(m, (const gnd__kir *const[]){k}, gen, i, parts, i == 0 ? rd : partial,
                        i == gen->nkernel - 1 ? wr : partial, i == 0 ? work : partial);
    if (st == GND_OK && gen->nkernel == 1)
        note_over(m, k, &m->p->step[m->p->nstep - 1]);
    gnd__gen_free(gen);
    gnd__free(gen);
    return st;
}

gnd_status gnd__plan_pieces(gnd__maker *m, int32_t at, int *n)
{
    const gnd__pgraph *g = m->g;
    const gnd__pwork *first = &g->work[g->order[at]];
    gnd__kir *kir, *k[GND__GEN_PIECES];
    gnd__gen *gen;
    gnd_status st = GND_OK;
    int64_t rd = 0, wr = 0, work = 0;
    int done = 0;
    *n = 0;
    while (first->box[0] >= 0 && first->nred == 0 && at + *n < g->norder && *n < GND__GEN_PIECES) {
        const gnd__pwork *w = &g->work[g->order[at + *n]];
        if (w->type != GND__P_KERNEL || w->box[0] < 0 || w->root[0] != first->root[0] ||
            w->nred > 0)
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
        /* the largest first: the kernel takes its name from it, and it should start first */
        int retry = 0;
        k[i] = &kir[i];
        st = gnd__lower(m->g, &g->work[g->order[at + i]], k[i], &retry, m->e);
        if (st != GND_OK)
            break;
        gnd__kir_bytes(k[i], &r, &w);
        rd += r;
        wr += w;
        w = gnd__kir_work(k[i]);
        work = w > INT64_MAX - work ? INT64_MAX : work + w;
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
        st = add_launch(m, (const gnd__kir *const *)k, gen, 0, NULL, rd, wr, work);
    if (!done)
        *n = 0;
    if (gen)
        gnd__gen_free(gen);
    gnd__free(gen);
    gnd__free(kir);
    return st;
}

gnd_status gnd__plan_copy(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t *slot)
{
    const size_t n = (size_t)gnd__shape_size(from->l.ndim, from->l.dim, 1) * gnd_dtype_size(t);
    *slot = gnd__plan_slot(m, -1, 0, n);
    return *slot < 0 ? GND_ERR_NOMEM : gnd__plan_copy_to(m, from, t, *slot, NULL);
}

gnd_status gnd__plan_copy_to(gnd__maker *m, const gnd__place *from, gnd_dtype t, int32_t slot,
                             const gnd__layout *to)
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
    out = to ? *to : out;
    k->nkeep = sh.ndim;
    memcpy(k->dim, sh.dim, (size_t)sh.ndim * sizeof *sh.dim);
    k->naccess = 2;
    k->access[0].slot = from->slot;
    k->access[0].off = from->l.off;
    k->access[1].slot = slot;
    k->access[1].off = out.off;
    k->access[1].aligned = out.off * (int64_t)gnd_dtype_size(t) % 16 == 0;
    k->access[0].dtype = k->access[1].dtype = (int16_t)t;
    memcpy(k->access[0].stride, from->l.stride, (size_t)sh.ndim * sizeof *sh.dim);
    memcpy(k->access[1].stride, out.stride, (size_t)sh.ndim * sizeof *sh.dim);
    k->ninstr = 1;
    k->instr[0].kind = GND__I_LOAD;
    k->instr[0].dtype = (int16_t)t;
    k->nout = 1;
    k->out[0].access = 1;
    strcpy(k->label, "copy");
    gnd__kir_moves(k);
    st = gnd__plan_kernel(m, k);
    gnd__free(k);
    return st;
}
