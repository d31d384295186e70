/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here.c - small maps and reductions on the calling thread. It translates kernel IR to loops
 * of host/points.h, and binds the loops to the memory of a run.
 *
 * A step runs here only while the device is idle: then no earlier work is pending, and all later
 * work is enqueued after the step is done. While work is pending, steps are enqueued behind it
 * until the host waits for the device, as calls of host libraries do.
 */
#include "sched/here_priv.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include "base/dtype.h"
#include "base/env.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"
#include "host/clones.h"
#include "host/points.h"
#include "sched/check.h"
#include "sched/maker.h"

enum {
    WORK = 14 * 8000, /* most time, as gnd__points_cost gives it; for more, the device is faster */
    DRAWN = 160,      /* cost of a random number, times its size (gnd__pvalue) */
    FMAS = 200,       /* ... of one that is made by fma, where that is a call */
    MADE = 16,        /* cost of numbers that are made of words by fma (graph/fnset.def) */
    PEEK = 4096,      /* elements of a long row of bools that may decide */
    MORE = WORK / 8,  /* the same as WORK for each step after the first, which starts sooner */
    MOST = 16 * WORK  /* for all steps that the caller of a replay waits for */
};

static atomic_int allowed = 1;
static atomic_uint_fast64_t ran;

uint64_t gnd__here_force(int yes)
{
    atomic_store(&allowed, yes);
    return atomic_load(&ran);
}

/* Whether the loops support the dtype. float16 and bfloat16, which kernels compute in float32, are
 * left to the device. */
static int fits(int16_t dtype)
{
    return dtype != GND_FLOAT16 && dtype != GND_BFLOAT16 &&
           gnd_dtype_size((gnd_dtype)dtype) <= GND__POINTS_BYTES;
}

/* Sets value v from an instruction of indices, or of elements that they select. */
static int set_index(struct gnd__here *h, const gnd__pgraph *g, gnd__pvalue *v,
                     const gnd__instr *in)
{
    static const uint8_t kind[] = {[GND__I_GATHER] = GND__PV_TAKE,   [GND__I_PIECE] = GND__PV_TAKE,
                                   [GND__I_OFFSET] = GND__PV_OFFSET, [GND__I_CHECK] = GND__PV_CHECK,
                                   [GND__I_WITHIN] = GND__PV_WITHIN, [GND__I_SHIFT] = GND__PV_SHIFT,
                                   [GND__I_CHOOSE] = GND__PV_CHOOSE};
    const int turned = in->kind == GND__I_PIECE; /* its condition comes first */
    v->kind = kind[in->kind];
    v->p = in->step;
    v->ref = (int16_t)in->ref;
    v->a[0] = in->a[turned];
    v->a[1] = in->kind == GND__I_CHECK ? -1 : in->a[!turned];
    v->a[2] = in->kind == GND__I_CHOOSE ? in->a[2] : -1;
    if (in->kind != GND__I_CHECK)
        return 1;
    if (h->p.ncheck == GND__POINTS_CHECKS || g->node[in->ref].check < 1)
        return 0;
    h->check[h->p.ncheck] = g->node[in->ref].check - 1;
    v->ref = (int16_t)h->p.ncheck++;
    return 1;
}

/* Sets value i of h from instruction i of k. Returns 0 if the host has no loop for it. */
static int set_value(struct gnd__here *h, const gnd__pgraph *g, const gnd__kir *k, int i)
{
    const gnd__instr *in = &k->instr[i];
    gnd__pvalue *v = &h->p.value[i];
    int cost;
    if (!fits(in->dtype))
        return 0;
    *v = (gnd__pvalue){.size = (uint8_t)gnd_dtype_size((gnd_dtype)in->dtype),
                       .after = in->epilogue,
                       .a = {-1, -1, -1}};
    for (int j = 0; j < gnd__kir_nargs(k, in) && in->epilogue; j++)
        if (in->a[j] >= 0 && !k->instr[in->a[j]].epilogue)
            return 0;
    switch ((gnd__ikind)in->kind) {
    case GND__I_LOAD:
    case GND__I_IOTA:
        v->kind = in->kind == GND__I_LOAD ? GND__PV_LOAD : GND__PV_IOTA;
        v->ref = (int16_t)in->ref;
        return 1;
    case GND__I_CONST:
        v->kind = GND__PV_CONST;
        v->ref = (int16_t)h->nconst;
        h->constant[h->nconst].node = k->constant[in->ref];
        h->constant[h->nconst++].dtype = in->dtype;
        return 1;
    case GND__I_CAST:
        v->kind = k->instr[in->a[0]].dtype == in->dtype ? GND__PV_SAME : GND__PV_LOOP;
        v->a[0] = in->a[0];
        v->loop = gnd__exact_cast((gnd_dtype)k->instr[in->a[0]].dtype, (gnd_dtype)in->dtype);
        return v->kind == GND__PV_SAME || v->loop;
    case GND__I_OP:
        v->kind = GND__PV_LOOP;
        for (int j = 0; j < gnd__kir_nargs(k, in) && j < 3; j++)
            v->a[j] = in->a[j];
        v->loop = gnd__exact_op(in->op, (gnd_dtype)in->ctype);
        cost = gnd__ops[in->op].cost;
        if (gnd__ops[in->op].word_bits)
            cost = DRAWN / v->size + (cost < MADE || GND__INLINE_FMA ? 0 : FMAS);
        v->cost = (uint8_t)(cost < 255 ? cost : 255);
        return v->loop != NULL;
    case GND__I_RED:
        v->kind = GND__PV_FOLD;
        v->ref = (int16_t)in->ref;
        return 1;
    case GND__I_CALL:
    case GND__I_POINTER: return 0;
    default: return set_index(h, g, v, in);
    }
}

/* The identity of a reduction. */
static gnd__scalar identity(gnd__identity what, gnd_dtype t)
{
    const int kind = gnd_dtype_kind(t), bits = 8 * (int)gnd_dtype_size(t);
    const int low = what == GND__LOWEST, one = what == GND__ONE;
    gnd__scalar s = {.kind = kind};
    if (what == GND__ZERO || one) {
        if (kind == 'f')
            s.re = one;
        else
            s.i = one;
    } else if (kind == 'f') {
        s.re = low ? -HUGE_VAL : HUGE_VAL;
    } else if (kind == 'i') {
        s.i = (int64_t)(UINT64_MAX >> (65 - bits));
        s.i = low ? -s.i - 1 : s.i;
    } else if (!low) {
        s.u = kind == 'b' ? 1 : UINT64_MAX >> (64 - bits);
    }
    return s;
}

/* Whether k finds places alone. */
static int has_places(const gnd__kir *k)
{
    int yes = k->nreds > 0;
    for (int j = 0; j < k->nreds; j++)
        yes &= gnd__reds[k->red[j].op].place;
    return yes;
}

/* Whether k finds places alone, in columns that lie side by side and are too few for the kernel. */
static int narrow_places(const gnd__kir *k)
{
    const int kept = k->nkeep - 1, last = k->nkeep;
    int yes = has_places(k) && kept >= 0 && k->nred == 1 && k->dim[kept] > 1;
    for (int i = 0; i < k->naccess && yes; i++)
        yes = k->access[i].slot < 0 || k->access[i].epilogue ||
              (k->access[i].stride[kept] == 1 && k->access[i].stride[last] == k->dim[kept]);
    return yes;
}

/* Sets fold j of h from reduction j of k. Returns 0 if the host has no loop for it. */
static int set_fold(struct gnd__here *h, const gnd__kir *k, int j)
{
    const gnd__kred *red = &k->red[j];
    const gnd__redinfo *info = &gnd__reds[red->op];
    const gnd_dtype t = (gnd_dtype)red->in;
    gnd__pfold *f = &h->p.fold[j];
    if (red->fn || (!info->place && red->out != red->in) || !fits(red->in) ||
        k->instr[red->value].epilogue)
        return 0;
    f->value = red->value;
    f->size = (uint8_t)gnd_dtype_size(t);
    if (info->place) {
        const int least = info->identity == GND__HIGHEST;
        f->place = gnd__exact_place(t, least, h->p.nred ? GND__PLACES_DOWN : GND__PLACES_ROW);
        f->join = gnd__exact_place(t, least, GND__PLACES_JOIN);
        return red->out == GND_INT64 && f->place && (!h->p.nred || (k->nred == 1 && has_places(k)));
    }
    f->unordered = gnd_dtype_kind(t) != 'f';
    f->compensated = info->compensated && gnd_dtype_kind(t) == 'f';
    f->op = gnd__exact_op(info->op, t);
    f->run = gnd__exact_run(info->op, t);
    f->lanes = gnd__exact_lanes(info->op, t);
    const gnd__scalar s = identity(info->identity, t);
    gnd__store_scalar(t, f->identity, &s);
    return f->op && f->run && (f->unordered || f->lanes);
}

static int set_access(struct gnd__here *h, const gnd__kir *k, int i)
{
    const gnd__access *a = &k->access[i];
    gnd__paccess *to = &h->p.access[i];
    to->size = (uint8_t)gnd_dtype_size((gnd_dtype)a->dtype);
    to->off = a->off;
    const int along = k->nkeep + (a->epilogue || !k->reduce ? 0 : k->nred);
    for (int d = 0; d < h->p.naxes; d++)
        to->stride[d] = h->axis[d] < along ? a->stride[h->axis[d]] : 0;
    h->access[i].slot = a->slot;
    h->access[i].off = a->off;
    return fits(a->dtype);
}

/* Whether k is one long row of bools, folded so that a single element may decide. */
static int may_decide(const gnd__kir *k)
{
    int ok = k->reduce && !k->rows && k->nkeep == 0 && k->nred == 1 && k->dim[0] > 4 * PEEK;
    for (int j = 0; j < k->nreds && ok; j++)
        ok = k->red[j].in == GND_BOOL && k->red[j].out == GND_BOOL && !k->red[j].fn &&
             !gnd__reds[k->red[j].op].ordered;
    return ok;
}

/* Sets the axes of h from those of k. Returns 0 if the space of k is too large or has too many
 * axes. The last axis of a reduction is the reduced one, with extent 1 if k has none, or that of
 * columns. */
static int set_axes(struct gnd__here *h, const gnd__kir *k)
{
    gnd__points *p = &h->p;
    const int n = k->nkeep + k->nred, last = k->reduce && !k->nred ? n : n - 1;
    int64_t rows = 1;
    p->naxes = last + 1;
    p->peek = !may_decide(k) ? 0 : k->dim[0] <= WORK ? 2 : 1;
    if (p->naxes > GND__POINTS_AXES || k->rows)
        return 0;
    if (k->reduce && k->nred && (gnd__codegen_by_columns(k, &p->chunk) || narrow_places(k)))
        p->nred = k->nred; /* of places, chunk does not matter */
    if (k->nred > 1 && !p->nred)
        return 0;
    for (int d = 0; d <= last; d++) {
        const int moved = p->nred && d >= k->nkeep - 1; /* the columns' axis goes to the end */
        h->axis[d] = (int8_t)(!moved ? d : d < last ? d + 1 : k->nkeep - 1);
        p->dim[d] = p->peek == 1 ? PEEK : h->axis[d] < n ? k->dim[h->axis[d]] : 1;
        if (p->dim[d] > WORK || (rows *= d < last ? p->dim[d] : 1) > WORK)
            return 0;
    }
    p->nfold = k->reduce ? k->nreds : 0;
    if (k->reduce && !p->nred && !gnd__codegen_by_rows(k, &p->most, &p->chunk))
        return 0;
    p->chunk = p->peek ? 0 : p->chunk;
    return p->nfold <= GND__POINTS_FOLDS;
}

int gnd__here_may(const gnd__pgraph *g)
{
    return gnd__gate_shares(g->dev->g) && !gnd__env_choice(GND__ENV_KERNEL_SHAPE, 0);
}

/* Sets what computes k, but its outputs; 0 if the host does not. */
static int set_kir(struct gnd__here *h, const gnd__pgraph *g, const gnd__kir *k)
{
    int ok = k->ninstr <= GND__POINTS_VALUES && k->naccess < GND__POINTS_ACCESS;
    if (!ok)
        return 0;
    h->p.nvalue = k->ninstr;
    h->p.naccess = k->naccess;
    ok = set_axes(h, k) && k->nout <= GND__POINTS_ACCESS;
    for (int i = 0; i < k->naccess && ok; i++)
        ok = set_access(h, k, i);
    for (int i = 0; i < k->ninstr && ok; i++)
        ok = set_value(h, g, k, i);
    for (int j = 0; j < h->p.nfold && ok; j++)
        ok = set_fold(h, k, j);
    return ok;
}

/* Divides the points of h into boxes, if they have conditions and it takes less time. */
static void cut(struct gnd__here *h)
{
    int64_t cost = 0;
    int boxes = 0;
    for (int i = 0; i < h->p.nvalue; i++)
        boxes |= h->p.value[i].kind == GND__PV_WITHIN;
    if (!boxes || !(h->box = gnd__malloc(GND__POINTS_BOXES * sizeof *h->box)))
        return;
    const int n = gnd__points_cut(&h->p, h->box);
    for (int i = 0; i < n; i++)
        cost += gnd__points_cost(&h->box[i].p);
    if (n > 0 && cost < h->cost) {
        gnd__pbox *less = gnd__realloc(h->box, (size_t)n * sizeof *less);
        h->box = less ? less : h->box;
        h->nbox = n;
        h->cost = cost;
    } else {
        gnd__free(h->box);
        h->box = NULL;
    }
}

/* Completes the points of h. Returns 0 if they take too long, in place of so many launches. */
static int ready(struct gnd__here *h, int steps)
{
    gnd__points_ready(&h->p);
    h->cost = gnd__points_cost(&h->p);
    if (h->p.peek == 2 && h->cost > WORK) { /* only its beginning */
        h->p.peek = 1;
        h->p.dim[h->p.naxes - 1] = PEEK;
        gnd__points_ready(&h->p);
        h->cost = gnd__points_cost(&h->p);
    }
    cut(h);
    return h->cost <= WORK + (steps > 1 ? WORK / 2 : 0);
}

static void let_go(struct gnd__here *h)
{
    gnd__free(h->box);
    gnd__free(h);
}

struct gnd__here *gnd__here_of(const gnd__pgraph *g, const gnd__kir *k, int steps)
{
    struct gnd__here *h = gnd__here_may(g) ? gnd__calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL;
    h->owners = 1;
    h->steps = steps;
    int ok =
        set_kir(h, g, k) && (steps == 1 || (steps == 2 && (h->p.nred || h->p.peek || h->p.chunk)));
    for (int i = 0; i < k->nout && ok; i++) {
        if (k->out[i].access < 0)
            continue;
        ok = k->instr[k->out[i].value].epilogue == (k->reduce != 0);
        h->p.out[h->p.nout].value = k->out[i].value;
        h->p.out[h->p.nout++].access = k->out[i].access;
    }
    if (!ok || !ready(h, steps)) {
        let_go(h);
        return NULL;
    }
    return h;
}

struct gnd__here *gnd__here_element(const gnd__pgraph *g, const gnd__kir *k)
{
    const int i = k->naccess, v = k->out[0].value;
    struct gnd__here *h = gnd__calloc(1, sizeof *h);
    int64_t stride = 1;
    if (!h || !set_kir(h, g, k)) {
        gnd__free(h);
        return NULL;
    }
    h->owners = 1;
    h->p.naccess++;
    h->p.access[i].size = h->p.value[v].size;
    for (int d = k->nkeep - 1; d >= 0; d--) {
        h->p.access[i].stride[d] = stride;
        stride *= k->dim[d];
    }
    h->access[i].slot = -1;
    h->p.nout = 1;
    h->p.out[0].value = (int16_t)v;
    h->p.out[0].access = (int16_t)i;
    if (!ready(h, 1)) {
        gnd__here_free(h);
        return NULL;
    }
    return h;
}

void gnd__here_free(struct gnd__here *h)
{
    if (!h || --h->owners > 0)
        return;
    for (int i = 0; i < h->nin; i++)
        gnd__here_free(h->in[i].from);
    gnd__free(h->text);
    gnd__free(h->form);
    let_go(h);
}

/* Whether steps may run on the calling thread while the device is idle. */
static int may(const gnd__gdev *d)
{
    return !d->trace && atomic_load_explicit(&allowed, memory_order_relaxed) && gnd__exact_here();
}

int gnd__here_now(const gnd__gdev *d)
{
    return gnd__gate_idle(d) && may(d);
}

int gnd__here_can(const gnd__plan *p, const gnd__pgraph *g)
{
    gnd__gdev *d = g->dev->g;
    if (!may(d) || !gnd__gate_reaches(d))
        return 0;
    for (int32_t i = 0; i < p->nslot; i++)
        if (p->slot[i].leaf && !gnd__gate_address(g->node[p->slot[i].node].a->data.st->block))
            return 0;
    return 1;
}

static gnd_status compute(gnd__gdev *d, const struct gnd__here *h, char *const *mem,
                          const char *constant, int32_t *const *check, int *did, gnd_err *e)
{
    const gnd_status r = gnd__gate_here(d, e);
    *did = r == GND_OK;
    if (*did && h->nbox)
        gnd__boxes_run(h->box, h->nbox, mem, constant);
    else if (*did)
        *did = gnd__points_run(&h->p, mem, constant, check);
    return r;
}

gnd_status gnd__here_points(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g,
                            const struct gnd__here *h, char *element, int *did, gnd_err *e)
{
    gnd__gdev *d = g->dev->g;
    char *mem[GND__POINTS_ACCESS], constant[GND__POINTS_VALUES * GND__POINTS_BYTES];
    int32_t *check[GND__POINTS_CHECKS];
    gnd_status r = GND_OK;
    for (int i = 0; i < h->p.ncheck; i++)
        check[i] = gnd__checks_address(s, h->check[i]);
    for (int i = 0; i < h->p.naccess && r == GND_OK; i++) {
        const int32_t slot = h->access[i].slot;
        mem[i] = NULL;
        if (slot < 0)
            continue;
        r = gnd__plan_need(s, p, d, slot, e);
        if (r == GND_OK)
            mem[i] = gnd__bind_address(s, p, g, slot) + h->access[i].off * h->p.access[i].size;
    }
    if (element)
        mem[h->p.out[0].access] = element;
    for (int i = 0; i < h->nconst && r == GND_OK; i++) {
        gnd_karg k;
        gnd__bind_constant(&k, g->node[h->constant[i].node].a, (gnd_dtype)h->constant[i].dtype);
        memcpy(constant + i * GND__POINTS_BYTES, k.u.value, GND__POINTS_BYTES);
    }
    return r == GND_OK ? compute(d, h, mem, constant, check, did, e) : r;
}

gnd_status gnd__here_run(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, const gnd__step *st,
                         int *did, gnd_err *e)
{
    *did = 0;
    const gnd_status r = st->here->native.what ? gnd__here_native(s, p, g, st->here, did, e)
                                               : gnd__here_points(s, p, g, st->here, NULL, did, e);
    atomic_fetch_add_explicit(&ran, (uint64_t)*did, memory_order_relaxed);
    return r;
}

/* The argument of step st that is constant i of h; -1: none. */
static int argument_of(const gnd__step *st, const struct gnd__here *h, int i)
{
    for (int32_t k = 0; k < st->nargs; k++)
        if (st->arg[k].kind == GND__A_CONST && st->arg[k].ref == h->constant[i].node &&
            st->arg[k].dtype == h->constant[i].dtype)
            return k;
    return -1;
}

int gnd__here_bind(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                   const gnd__step *st, gnd__here_bound *b, int32_t slot[GND__POINTS_ACCESS])
{
    struct gnd__here *h = st->here;
    if (h->p.ncheck || h->p.peek || h->steps > 1 ||
        h->native.what) /* the entries change from run to run */
        return 0;
    for (int i = 0; i < h->p.naccess; i++) {
        slot[i] = h->access[i].slot;
        b->mem[i] = slot[i] < 0 ? NULL : gnd__bind_address(s, p, g, slot[i]);
        if (slot[i] >= 0 && !b->mem[i])
            return 0;
        b->mem[i] += slot[i] < 0 ? 0 : h->access[i].off * h->p.access[i].size;
    }
    for (int i = 0; i < h->nconst; i++)
        if ((b->constant[i] = (int16_t)argument_of(st, h, i)) < 0)
            return 0;
    b->h = h;
    gnd__here_hold(h);
    return h->p.naccess;
}

int gnd__here_pays(int n, const gnd__here_bound *b)
{
    int64_t cost = 0;
    for (int i = 0; i < n; i++)
        cost += b[i].h->cost;
    return cost <= WORK + (int64_t)(n - 1) * MORE && cost <= MOST;
}

gnd_status gnd__here_again(gnd__gdev *d, const gnd__here_bound *b, const gnd_klaunch *l, gnd_err *e)
{
    char constant[GND__POINTS_VALUES * GND__POINTS_BYTES];
    int did;
    for (int i = 0; i < b->h->nconst; i++)
        memcpy(constant + i * GND__POINTS_BYTES, l->args[b->constant[i]].u.value,
               GND__POINTS_BYTES);
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
    return compute(d, b->h, b->mem, constant, NULL, &did, e);
}
