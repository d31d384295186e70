/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/exec.c - runs a plan on the nodes of a graph.
 *
 * A plan's memory is allocated when a step first needs it and freed right after the last step that
 * uses it, or taken over by that step's output, which is safe because the device's queue is in
 * order. Results are given to the nodes at the end, when every step has been enqueued; a failure
 * before that changes no node.
 */
#include "sched/record.h"

#include <stdio.h>
#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "device/trace.h"
#include "base/mem.h"
#include "graph/launch.h"
#include "host/solve.h"
#include "sched/here.h"

static void destroy_storage(gnd__storage *st)
{
    gnd__gdev *d = st->g;
    gnd__gate_lock(d);
    d->n.bytes_kept -= st->kept;
    gnd__pool_free(d, st->block);
    gnd__checks_unref(st->checks);
    gnd__gate_unlock(d);
    gnd__free(st);
}

gnd__storage *gnd__storage_new(gnd_device *dev, gnd__block *b)
{
    gnd__storage *st = gnd__malloc(sizeof *st);
    if (!st)
        return NULL;
    atomic_init(&st->refs, 1);
    st->dev = dev;
    st->g = dev->g;
    st->block = b;
    st->foreign = b->seg == NULL;
    st->kept = 0;
    st->checks = NULL;
    st->destroy = destroy_storage;
    return st;
}

/* Runs one step: takes its memory and makes the call. */
static gnd_status run_step(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd__gdev *d, gnd__step *st,
                           gnd_err *e)
{
    union {
        gnd_gemm gemm;
        gnd_fft_desc fft;
        gnd__solve_call solve;
    } x;
    gnd_status r;
    switch (st->type) {
    case GND__S_GEMM:
        r = gnd__bind_gemm(s, p, g, d, st, &x.gemm, e);
        if (r == GND_OK)
            r = gnd__gate_gemm(d, &x.gemm, e);
        break;
    case GND__S_FFT:
        r = gnd__bind_fft(s, p, g, d, st, &x.fft, e);
        if (r == GND_OK)
            r = gnd__gate_transform(d, &x.fft, e);
        break;
    case GND__S_SOLVE:
        r = gnd__bind_solve(s, p, g, d, st, &x.solve, e);
        if (r == GND_OK)
            r = gnd__solve_run(d, &x.solve, st->label, e);
        break;
    default:
        r = gnd__bind_launch(s, p, g, d, st, e);
        return r == GND_OK ? gnd__gate_launch(d, st->kernel, &st->launch, e) : r;
    }
    d->n.calls++;
    return r;
}

/* Makes step st, or only binds its arguments. The output takes over the memory of an input that no
 * step and no node needs afterwards. */
static gnd_status make_step(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                            gnd__step *st, int bind_only, gnd_err *e)
{
    const int over =
        st->spent >= 0 && s->block[st->spent] && !s->keep[st->spent] && !s->block[st->output];
    if (over)
        s->block[st->output] = s->block[st->spent];
    const gnd_status r =
        bind_only ? gnd__bind_launch(s, p, g, d, st, e) : run_step(s, p, g, d, st, e);
    if (over)
        s->block[st->spent] = NULL;
    return r;
}

/* Whether the launch of part q of the graph must keep that part's memory: it is needed although
 * the part's node is not requested. This is known only while the plan runs, like the want of a
 * result. */
static int keeps_part(const gnd__plan *p, const gnd__pgraph *g, const gnd__ppart *q)
{
    const gnd_array *a = g->node[q->node].a;
    return !g->frozen && atomic_load(&a->p.launch->parts) >> q->k & 1 &&
           (g->node[q->node].sink || atomic_load(&a->refs) > p->nuse[q->node]);
}

/* The outputs of one launch get their elements together, so that no output repeats the launch:
 * parts get them when the launch does, and all do if it overwrites an array. */
static void want_outputs(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g)
{
    for (int32_t i = 0; i < p->nresult; i++) {
        const int32_t node = p->result[i].node;
        const gnd__pnode *q = &g->node[node];
        for (int32_t k = 0; k < p->nstep && p->over; k++)
            if (p->step[k].over == node + 1)
                s->retain[i] = GND__RETAIN_OWNED;
        if (q->a->kind != GND__PART)
            continue;
        for (int32_t j = i - 1; j >= 0; j--)
            if (p->result[j].node == g->inputs[q->in] && s->retain[j])
                s->retain[i] = GND__RETAIN_OWNED;
    }
}

int gnd__plan_room(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g)
{
    int32_t n = (p->nslot > p->nresult ? p->nslot : p->nresult) + 1;
    if (n > s->capblock) {
        void *block = gnd__realloc(s->block, (size_t)n * 2 * sizeof *s->block);
        s->block = block ? block : s->block;
        void *st = gnd__realloc(s->st, (size_t)n * 2 * sizeof *s->st);
        s->st = st ? st : s->st;
        void *stride = gnd__realloc(s->stride, (size_t)n * 2 * sizeof *s->stride);
        s->stride = stride ? stride : s->stride;
        void *keep = gnd__realloc(s->keep, (size_t)n * 2);
        s->keep = keep ? keep : s->keep;
        void *want = gnd__realloc(s->retain, (size_t)n * 2);
        s->retain = want ? want : s->retain;
        void *spare = gnd__realloc(s->spare, (size_t)n * 2 * sizeof *s->spare);
        s->spare = spare ? spare : s->spare;
        if (!block || !st || !stride || !keep || !want || !spare)
            return 0;
        s->capblock = n * 2;
    }
    memset(s->block, 0, (size_t)n * sizeof *s->block);
    memset(s->st, 0, (size_t)n * sizeof *s->st);
    memset(s->stride, 0, (size_t)n * sizeof *s->stride);
    memset(s->keep, 0, (size_t)n);
    memset(s->retain, 0, (size_t)n);
    s->nspare = 0;
    s->kept = gnd__keep_choose(s, p, g);
    if (p->nlaunch)
        want_outputs(s, p, g);
    for (int32_t i = 0; i < p->nresult; i++)
        s->keep[p->result[i].slot] |= s->retain[i];
    for (int32_t i = 0; i < p->npart; i++)
        s->keep[p->part[i].slot] |= (uint8_t)keeps_part(p, g, &p->part[i]);
    return 1;
}

/* Gives b's elements, if it has any, to a, which computes the same. */
static gnd_status share(gnd_array *a, const gnd_array *b, gnd_err *e)
{
    int64_t *stride = NULL;
    if (!b->data.st || a->data.st)
        return GND_OK;
    if (!b->data.contig) {
        stride = gnd__malloc((a->ndim + 1u) * sizeof *stride);
        if (!stride)
            return gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
        memcpy(stride, b->data.stride, a->ndim * sizeof *stride);
    }
    a->data = b->data;
    a->data.stride = stride;
    gnd__storage_ref(a->data.st);
    __atomic_store_n(&a->pending, 0, __ATOMIC_RELAXED);
    return GND_OK;
}

/* Drops the inputs of nodes with elements. That may free such nodes as well: all are held until the
 * last has dropped its inputs. */
static void let_go(const gnd__plan *p, gnd__pgraph *g)
{
    /* held by the caller */
    if (p->nresult == 1 && g->ndup == 0 && g->node[p->result[0].node].sink) {
        gnd__drop_inputs(g->node[p->result[0].node].a);
        return;
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int32_t i = 0; i < p->nresult + g->ndup; i++) {
            gnd_array *a = i < p->nresult ? g->node[p->result[i].node].a : g->dup[i - p->nresult].a;
            if (pass == 0)
                gnd__ref(a);
            else if (pass == 2)
                gnd__unref(a);
            else if (a->data.st)
                gnd__drop_inputs(a);
        }
    }
}

/* Storage for a part that its launch keeps. */
static gnd_status part_storage(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                               const gnd__ppart *q, gnd_err *e)
{
    if (!keeps_part(p, g, q) || s->st[q->slot] || p->slot[q->slot].leaf)
        return GND_OK;
    gnd_status r = gnd__plan_need(s, p, g->dev->g, q->slot, e); /* a part without elements */
    if (r == GND_OK && !(s->st[q->slot] = gnd__storage_new(g->dev, s->block[q->slot])))
        r = gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
    if (r == GND_OK)
        s->block[q->slot] = NULL;
    return r;
}

/* Gives the memory of a part without elements to its launch, if the launch has elements. */
static void give_part(gnd__storage *const *st, const gnd__ppart *q, const gnd__pgraph *g,
                      uint8_t *taken)
{
    const gnd_array *a = g->node[q->node].a;
    if (!a->data.st || !st[q->slot] || taken[q->slot])
        return;
    a->p.launch->st[q->k] = st[q->slot];
    taken[q->slot] = 1;
}

/* Gives nodes their elements and drops their inputs. */
static gnd_status hand_out(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd_err *e)
{
    gnd_device *dev = g->dev;
    gnd__storage **st = s->st;
    int64_t **stride = s->stride;
    uint8_t *taken = s->keep; /* no longer needed: no step follows */
    gnd_status r = GND_OK;
    memset(taken, 0, (size_t)p->nslot);
    for (int32_t i = 0; i < p->nresult; i++) {
        const gnd__presult *q = &p->result[i];
        const gnd_array *a = g->node[q->node].a;
        if (!s->retain[i])
            continue;
        if (!q->contig) {
            stride[i] = gnd__malloc((a->ndim + 1u) * sizeof **stride);
            if (!stride[i])
                r = gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
            else
                memcpy(stride[i], q->stride, a->ndim * sizeof **stride);
        }
        if (p->slot[q->slot].leaf || st[q->slot] || r != GND_OK)
            continue;
        r = gnd__plan_need(s, p, dev->g, q->slot, e); /* without elements, or never written */
        if (r == GND_OK && !(st[q->slot] = gnd__storage_new(dev, s->block[q->slot])))
            r = gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
        if (r == GND_OK)
            s->block[q->slot] = NULL;
    }
    for (int32_t i = 0; i < p->npart && r == GND_OK; i++)
        r = part_storage(s, p, g, &p->part[i], e);
    if (r == GND_OK)
        r = gnd__checks_spread(s, p, g, st, e);
    for (int32_t i = 0; i < p->nresult && r == GND_OK; i++) {
        const gnd__presult *q = &p->result[i];
        gnd_array *a = g->node[q->node].a;
        const gnd_array *leaf = p->slot[q->slot].leaf ? g->node[p->slot[q->slot].node].a : NULL;
        if (!s->retain[i])
            continue;
        a->data.off = q->off + (leaf ? leaf->data.off : 0);
        a->data.contig = q->contig;
        a->data.stride = stride[i];
        stride[i] = NULL;
        a->data.st = leaf ? leaf->data.st : st[q->slot];
        if (leaf || taken[q->slot])
            gnd__storage_ref(a->data.st);
        else
            taken[q->slot] = 1; /* the first one takes ownership */
        if (s->retain[i] == GND__RETAIN_KEPT)
            gnd__keep_count(a->data.st);
        __atomic_store_n(&a->pending, 0, __ATOMIC_RELAXED);
    }
    for (int32_t i = 0; i < p->npart && r == GND_OK; i++)
        give_part(st, &p->part[i], g, taken);
    for (int32_t i = 0; i < g->ndup && r == GND_OK; i++)
        r = share(g->dup[i].a, g->node[g->dup[i].node].a, e);
    if (r == GND_OK)
        let_go(p, g);
    for (int32_t i = 0; i < p->nslot; i++)
        if (st[i] && !taken[i])
            gnd__storage_unref(st[i]);
    for (int32_t i = 0; i < p->nresult; i++)
        gnd__free(stride[i]);
    return r;
}

static void release_blocks(gnd__sched *s, const gnd__plan *p, gnd__gdev *d)
{
    for (int32_t i = 0; i < p->nslot; i++)
        if (s->block[i]) {
            gnd__pool_free(d, s->block[i]);
            s->block[i] = NULL;
        }
}

/* A plan that overwrites arrays cannot be restarted: it allocates all its memory first. If an
 * earlier launch overwrote its input and then failed, that is an error. */
static gnd_status ready_over(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, gnd_err *e)
{
    gnd_status r = GND_OK;
    for (int32_t i = 0; i < p->nstep && r == GND_OK; i++) {
        const gnd__launch *l = p->step[i].over ? g->node[p->step[i].over - 1].a->p.launch : NULL;
        if (l && l->spoiled)
            r = gnd__err(e, GND_ERR_STATE,
                         "launch: kernel %s wrote over its array, and then the evaluation failed: "
                         "compute that array again",
                         l->user->name);
    }
    for (int32_t i = 0; i < p->nslot && r == GND_OK; i++)
        if (p->slot[i].last >= 0)
            r = gnd__plan_need(s, p, g->dev->g, i, e);
    return r;
}

/* Makes the current stream wait for work of other streams on the memory that the plan reads or
 * overwrites. */
static gnd_status use_leaves(const gnd__plan *p, const gnd__pgraph *g, gnd_err *e)
{
    gnd__gdev *d = g->dev->g;
    gnd_status r = GND_OK;
    for (int32_t i = 0; i < p->nslot && r == GND_OK; i++)
        if (p->slot[i].leaf)
            r = gnd__gate_use(d, g->node[p->slot[i].node].a->data.st->block, 0, e);
    for (int32_t i = 0; i < p->nstep && p->over && r == GND_OK; i++)
        for (int k = 0; p->step[i].over && k < p->step[i].nargs && r == GND_OK; k++) {
            const gnd__sarg *a = &p->step[i].arg[k];
            if (a->kind == GND__A_BUF && a->written && p->slot[a->ref].leaf)
                r = gnd__gate_use(d, g->node[p->slot[a->ref].node].a->data.st->block, 1, e);
        }
    return r;
}

/* Runs p on the nodes of g, which get their elements. On failure no node changes, except what
 * users' kernels overwrote (ready_over). */
static gnd_status run(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd_err *e)
{
    gnd__gdev *d = g->dev->g;
    gnd_status r = GND_OK;
    if (!gnd__plan_room(s, p, g))
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
    r = gnd__checks_take(s, p, g, e);
    if (r != GND_OK)
        return r;
    if (d->streams)
        r = use_leaves(p, g, e);
    if (r == GND_OK && p->over)
        r = ready_over(s, p, g, e);
    if (r != GND_OK) {
        gnd__checks_drop(s, p);
        release_blocks(s, p, d);
        return r;
    }
    const int here = p->here && gnd__here_can(p, g);
    const int repeats = !here && gnd__repeats(p, g->dev);
    int done = 0; /* steps before this one have been done by an earlier one */
    for (int32_t i = 0; i < p->nstep && r == GND_OK; i++) {
        gnd__step *st = &p->step[i];
        char names[GND__STEP_NAMES], text[sizeof st->label + sizeof names + 8];
        if (d->trace) {
            snprintf(text, sizeof text, "%s%s%s", st->label,
                     gnd__step_names(names, p, g, st)[0] ? " on " : "", names);
            gnd__trace_label(d, text, st->rd, st->wr);
        }
        int did = i < done;
        if (!did && here && st->here && gnd__gate_idle(d)) {
            r = gnd__here_run(s, p, g, st, &did, e);
            done = did ? i + gnd__here_steps(st) : done;
        }
        if (!did && r == GND_OK)
            r = make_step(s, p, g, d, st, repeats, e);
        if (r == GND_OK && st->over)
            /* irrelevant once the node has elements */
            g->node[st->over - 1].a->p.launch->spoiled = 1;
        /* Launches that are made at the end hold their blocks, because the pool may release free
         * ones; later steps take them over. */
        for (int32_t b = st->dead; b >= 0 && r == GND_OK; b = p->slot[b].next_dead)
            if (s->block[b] && !s->keep[b]) {
                if (repeats) {
                    s->spare[s->nspare++] = b;
                } else {
                    gnd__pool_free(d, s->block[b]);
                    s->block[b] = NULL;
                }
            }
    }
    if (r == GND_OK && repeats)
        r = gnd__repeat_run(p, e);
    if (r == GND_OK)
        r = hand_out(s, p, g, e);
    if (r == GND_ERR_LINALG)
        gnd__checks_first(s, p, e);
    gnd__checks_drop(s, p);
    release_blocks(s, p, d);
    if (r == GND_OK && !(here && gnd__gate_idle(d)))
        r = gnd__gate_flush(d, e);
    return r;
}

gnd_status gnd__evaluate(gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e)
{
    gnd__sched *s = gnd__sched_of(dev);
    gnd__plan *p = NULL;
    gnd__span span;
    gnd_status r;
    if (!s)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    gnd__span_begin(dev->g, &span, GND__SPAN_HOST);
    dev->g->starved = 0;
    r = gnd__collect(&s->graph, dev, n, sink, e);
    s->frugal = 0;
    for (int trimmed = 0; r == GND_OK;) {
        s->kept = 0;
        r = gnd__plan_find(s, &s->graph, &p, e);
        if (r == GND_OK)
            r = run(s, p, &s->graph, e);
        if (r != GND_ERR_DEVMEM || (p && p->over))
            break;
        if (s->kept) /* without keeping values it may succeed */
            s->frugal = 1;
        else if (trimmed++ || !dev->g->starved || !gnd__pool_trim(dev->g))
            /* a library or the driver lacked memory, which the pool can release: try once more */
            break;
        gnd__err_clear(e);
        r = GND_OK;
    }
    gnd__span_end(dev->g, &span, "host", "evaluate", -1);
    return r;
}
