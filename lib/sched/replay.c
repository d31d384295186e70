/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/replay.c - see record.h: runs a recording, tracks where its inputs and outputs are from run
 * to run, and frees it.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "base/log.h"
#include "base/mem.h"

static gnd_status nomem(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory while replaying");
}

/* --- places ----------------------------------------------------------------------------------- */

int32_t gnd__rplace_of(const gnd__recorded *r, const gnd__storage *st)
{
    for (int i = 0; i < r->nplace; i++)
        if (r->place[i].st == st)
            return i;
    return -1;
}

/* Moves place k to a block that no other place uses, unless it is alone in one already. Such a
 * block exists, because there are as many blocks as places of one size, and two places share one.
 */
static void stand_alone(gnd__recorded *r, int k)
{
    gnd__rplace *p = &r->place[k];
    int shared = 0;
    gnd__place_back(p);
    for (int i = 0; i < r->nplace; i++)
        shared |= i != k && r->place[i].st->block == p->st->block;
    for (int i = 0; i < r->nplace && shared; i++) {
        const gnd__rplace *q = &r->place[i];
        int taken = q->nbytes != p->nbytes;
        for (int j = 0; j < r->nplace && !taken; j++)
            taken = r->place[j].st->block == q->own;
        if (!taken) {
            p->st->block = q->own;
            return;
        }
    }
}

gnd__block *gnd__recorded_block(const gnd__recorded *r, int o, int i)
{
    const gnd_array *from = r->out[o];
    const int32_t a = gnd__rplace_of(r, from->data.st), b = gnd__rplace_of(r, r->in[i]->data.st);
    if (a < 0 || !from->data.contig || from->data.off != 0 ||
        r->place[a].nbytes != r->place[b].nbytes || r->place[a].lent)
        return NULL;
    return r->place[a].st->block;
}

void gnd__recorded_place(gnd__recorded *r, int i, gnd__block *b)
{
    gnd__place_back(&r->place[gnd__rplace_of(r, r->in[i]->data.st)]);
    r->in[i]->data.st->block = b;
}

int gnd__recorded_is_input(const gnd__recorded *r, int o)
{
    const int32_t a = gnd__rplace_of(r, r->out[o]->data.st);
    return a >= 0 && !r->place[a].written;
}

void gnd__recorded_write(gnd__recorded *r, int i)
{
    stand_alone(r, gnd__rplace_of(r, r->in[i]->data.st));
}

/* Uses the plan that stores a constant of this dtype, with the input's memory as the memory of its
 * result. */
gnd_status gnd__recorded_number(gnd__recorded *r, int i, gnd_array *c, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd__sched *s = r->dev->plans;
    gnd__plan *p = NULL;
    gnd_status x = gnd__collect(&s->graph, r->dev, 1, &c, e);
    if (x == GND_OK)
        x = gnd__plan_find(s, &s->graph, &p, e);
    if (x != GND_OK)
        return x;
    if (p->nstep != 1 || p->nresult != 1 || p->step[0].type != GND__S_LAUNCH)
        return gnd__err(e, GND_ERR_INTERNAL, "a constant is not stored by one kernel");
    if (!gnd__plan_room(s, p, &s->graph))
        return nomem(e);
    gnd__recorded_write(r, i);
    s->block[p->result[0].slot] = r->in[i]->data.st->block;
    if (p->step[0].here && gnd__here_can(p, &s->graph) && gnd__gate_idle(d)) {
        int did;
        x = gnd__here_run(s, p, &s->graph, &p->step[0], &did, e);
        if (did || x != GND_OK) {
            s->block[p->result[0].slot] = NULL;
            return x;
        }
    }
    x = gnd__gate_use(d, r->in[i]->data.st->block, 1, e);
    if (x == GND_OK)
        x = gnd__bind_launch(s, p, &s->graph, d, &p->step[0], e);
    if (x == GND_OK)
        x = gnd__gate_launch(d, p->step[0].kernel, &p->step[0].launch, e);
    s->block[p->result[0].slot] = NULL;
    return x;
}

/* --- versions --------------------------------------------------------------------------------- */

gnd_status gnd__version_lists(gnd__recorded *r, gnd__rversion *v, gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; i < v->nitem && x == GND_OK; i++) {
        gnd__ritem *t = &v->item[i];
        if (t->type != GND__S_LAUNCH || t->one_by_one || t->n == 1)
            continue;
        x = gnd__gate_list_new(r->dev->g, t->n, t->kernel, t->launch, &t->list, e);
        t->merge_at = t->list ? gnd__merge_first(r->dev->g) : 0;
    }
    return x;
}

/* The queue must have settled. */
static void drop_merged(gnd__gdev *d, gnd__ritem *t)
{
    gnd__gate_list_free(d, t->merged_list);
    gnd__merged_free(d, &t->merged);
    t->merged_list = NULL;
}

/* The queue must have settled if v has lists. */
static void free_version(gnd__gdev *d, gnd__rversion *v)
{
    for (int i = 0; i < v->nitem; i++) {
        gnd__ritem *t = &v->item[i];
        gnd__gate_list_free(d, t->list);
        drop_merged(d, t);
        gnd__ritem_here_free(t);
        for (int k = 0; t->launch && k < t->n; k++) {
            gnd__gate_kernel_done(t->kernel[k]);
            gnd__free((void *)t->launch[k].args);
        }
        gnd__free(t->launch);
        gnd__free(t->kernel);
        gnd__free(t->work);
    }
    gnd__free(v->item);
    gnd__free(v->at);
    gnd__free(v->bound);
    memset(v, 0, sizeof *v);
}

int gnd__version_has_lists(const gnd__rversion *v)
{
    int lists = 0;
    for (int i = 0; i < v->nitem; i++)
        lists |= v->item[i].list != NULL;
    return lists;
}

static gnd_status copy_item(gnd__ritem *to, const gnd__ritem *from, gnd_err *e)
{
    gnd_status x = GND_OK;
    const size_t n = (size_t)from->n;
    to->type = from->type;
    to->one_by_one = from->one_by_one;
    to->value = from->value;
    to->nvalue = from->nvalue;
    to->gemm = from->gemm;
    to->fft = from->fft;
    to->solve = from->solve;
    memcpy(to->label, from->label, sizeof to->label);
    if (n == 0)
        return GND_OK;
    to->kernel = gnd__malloc(n * sizeof *to->kernel);
    to->work = gnd__malloc(n * sizeof *to->work);
    to->launch = gnd__calloc(n, sizeof *to->launch);
    if (!to->kernel || !to->work || !to->launch)
        return nomem(e);
    memcpy(to->work, from->work, n * sizeof *to->work);
    if (from->here && !(to->here = gnd__calloc(n, sizeof *to->here)))
        return nomem(e);
    while (to->n < from->n && x == GND_OK) {
        x = gnd__copy_launch(&to->launch[to->n], &from->launch[to->n], e);
        if (x == GND_OK) {
            gnd__gate_kernel_hold(from->kernel[to->n]);
            to->kernel[to->n] = from->kernel[to->n];
            if (to->here) {
                to->here[to->n] = from->here[to->n];
                gnd__here_hold(to->here[to->n].h);
            }
            to->n++;
        }
    }
    return x;
}

/* Moves the offset of a matrix or a transform, in units of so many bytes, along with its block. */
static void move(gnd_buf **buf, uint64_t *off, size_t unit, const gnd__rbound *from,
                 const gnd__block *to)
{
    *buf = to->buf;
    *off += to->off / unit - from->off / unit;
}

void gnd__ritem_move(gnd__ritem *t, const gnd__ruse *u, const gnd__rbound *from, gnd__block *to)
{
    if (u->esize == GND__RUSE_HERE) {
        if (t->here && gnd__gate_address(to))
            t->here[u->launch].mem[u->arg] += gnd__gate_address(to) - from->address;
        else
            gnd__ritem_here_free(t);
    } else if (t->type == GND__S_LAUNCH) {
        gnd_karg *a = (gnd_karg *)&t->launch[u->launch].args[u->arg];
        if (u->esize == 0) {
            a->u.buf = to->buf;
        } else {
            int64_t off;
            memcpy(&off, a->u.value, sizeof off);
            off += ((int64_t)to->off - (int64_t)from->off) / u->esize;
            memcpy(a->u.value, &off, sizeof off);
        }
    } else if (t->type == GND__S_GEMM) {
        gnd_mat *m[4] = {&t->gemm.a, &t->gemm.b, &t->gemm.c, &t->gemm.plus};
        move(&m[u->arg]->buf, &m[u->arg]->off, gnd_dtype_size((gnd_dtype)t->gemm.dtype), from, to);
    } else if (t->type == GND__S_FFT) {
        const size_t esize = gnd_dtype_size((gnd_dtype)t->fft.dtype);
        if (u->arg == 0)
            move(&t->fft.in, &t->fft.in_off, t->fft.kind == GND_FFT_R2C ? esize / 2 : esize, from,
                 to);
        else
            move(&t->fft.out, &t->fft.out_off, t->fft.kind == GND_FFT_C2R ? esize / 2 : esize, from,
                 to);
    } else {
        move(&t->solve.x.mem[u->arg], &t->solve.x.off[u->arg], 1, from, to);
        t->solve.block[u->arg] = to;
    }
}

/* Makes the calls for the current assignment of the places. */
static gnd_status make_version(gnd__recorded *r, gnd__rversion *v, gnd_err *e)
{
    gnd_status x = GND_OK;
    memset(v, 0, sizeof *v);
    v->sets = r->first.sets;
    v->at = gnd__malloc((size_t)r->nplace * sizeof *v->at);
    v->item = gnd__calloc((size_t)r->first.nitem + 1, sizeof *v->item);
    if (!v->at || !v->item)
        x = nomem(e);
    for (int i = 0; i < r->nplace && x == GND_OK; i++)
        v->at[i] = gnd__place_key(&r->place[i]);
    for (; v->item && v->nitem < r->first.nitem && x == GND_OK; v->nitem++)
        x = copy_item(&v->item[v->nitem], &r->first.item[v->nitem], e);
    for (int i = 0; i < r->nuse && x == GND_OK; i++) {
        const gnd__ruse *u = &r->use[i];
        const gnd__rbound from = gnd__version_bound(r, &r->first, u->place);
        gnd__ritem_move(&v->item[u->item], u, &from, v->at[u->place]);
    }
    if (x == GND_OK)
        x = gnd__version_lists(r, v, e);
    if (x != GND_OK)
        free_version(r->dev->g, v); /* the queue need not settle: its lists have never run */
    return x;
}

static int is_here(const gnd__recorded *r, const gnd__rversion *v)
{
    for (int i = 0; i < r->nplace; i++)
        if (gnd__place_key(&r->place[i]) != (v->at ? v->at[i] : r->place[i].own))
            return 0;
    return 1;
}

/* The version for the current assignment of the places: an existing one, or one that replaces the
 * least recently used. */
gnd_status gnd__version_here(gnd__recorded *r, gnd__rversion **out, gnd_err *e)
{
    gnd_status x = GND_OK;
    gnd__rversion *v = &r->first, fresh;
    for (int i = 0; i < r->nother && !is_here(r, v); i++)
        v = &r->other[i];
    *out = v;
    if (is_here(r, v))
        return GND_OK;
    if (r->nother == GND__VERSIONS) {
        v = &r->other[0];
        for (int i = 1; i < r->nother; i++)
            if (r->other[i].used < v->used)
                v = &r->other[i];
        if (gnd__version_has_lists(v))
            x = gnd__gate_settle(r->dev->g, e);
        if (x != GND_OK)
            return x;
        free_version(r->dev->g, v);
        *v = r->other[--r->nother];
    }
    x = make_version(r, &fresh, e);
    if (x != GND_OK)
        return x;
    *out = &r->other[r->nother++];
    **out = fresh;
    return GND_OK;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Replaces a list that has run often enough by fewer launches, if that pays. After a failure it is
 * used as it is. */
static void merge_launches(gnd__gdev *d, const gnd__recorded *r, gnd__ritem *t)
{
    unsigned again = 0;
    const gnd__mlist list = {.n = t->n,
                             .took = t->took,
                             .k = t->kernel,
                             .l = t->launch,
                             .work = t->work,
                             .nvalue = t->nvalue,
                             .value = r->value + t->value};
    if (gnd__merge(d, t->merge_at, &list, &again, &t->merged, NULL) == GND_OK && t->merged.n > 0 &&
        gnd__gate_list_new(d, t->merged.n, t->merged.kernel, t->merged.launch, &t->merged_list,
                           NULL) != GND_OK)
        t->merged_list = NULL;
    t->trials = t->merged_list ? GND__MERGE_TRIALS : 0;
    t->merge_at = again;
}

/* Runs a list and notes its time if that is the least one. */
static gnd_status run_timed(gnd__gdev *d, gnd_list *list, int n, int64_t *least, gnd_err *e)
{
    int64_t ns;
    const gnd_status x = gnd__gate_list_time(d, list, n, &ns, e);
    if (x == GND_OK && (*least == 0 || ns < *least))
        *least = ns;
    return x;
}

/* Runs the merged list for the trials, after which the faster list stays. */
static gnd_status try_merged(gnd__gdev *d, gnd__ritem *t, gnd_err *e)
{
    gnd_status x = run_timed(d, t->merged_list, t->merged.n, &t->merged_took, e);
    if (--t->trials > 0 || x != GND_OK || gnd__merge_keeps(t->took, t->merged_took))
        return x;
    gnd__log(GND__LOG_DEBUG, "%s: merged launches take %lld ns instead of %lld: not used", d->id,
             (long long)t->merged_took, (long long)t->took);
    x = gnd__gate_settle(d, e);
    if (x == GND_OK)
        drop_merged(d, t);
    return x;
}

/* Runs the launches of item t. */
static gnd_status run_launches(gnd__gdev *d, const gnd__recorded *r, gnd__ritem *t, gnd_err *e)
{
    gnd_status x = GND_OK;
    if (t->here && gnd__here_now(d)) {
        for (int i = 0; i < t->n && x == GND_OK; i++)
            x = gnd__here_again(d, &t->here[i], &t->launch[i], e);
        return x;
    }
    const unsigned runs = t->runs++;
    if (runs > 0 && t->merge_at == runs)
        merge_launches(d, r, t);
    if (t->merged_list)
        return t->trials > 0 ? try_merged(d, t, e)
                             : gnd__gate_list_run(d, t->merged_list, t->merged.n, e);
    if (t->list)
        return runs < t->merge_at && runs + GND__MERGE_TRIALS >= t->merge_at
                   ? run_timed(d, t->list, t->n, &t->took, e)
                   : gnd__gate_list_run(d, t->list, t->n, e);
    for (int i = 0; i < t->n && x == GND_OK; i++)
        x = gnd__gate_launch(d, t->kernel[i], &t->launch[i], e);
    return x;
}

gnd_status gnd__recorded_use(gnd__recorded *r, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd_status x = GND_OK;
    if (!d->streams)
        return GND_OK;
    for (int i = 0; i < r->nblock && x == GND_OK; i++)
        x = gnd__gate_use(d, r->block[i].b, 1, e);
    for (int i = 0; i < r->nplace && x == GND_OK; i++) {
        x = gnd__gate_use(d, r->place[i].own, 1, e);
        if (x == GND_OK && r->place[i].lent)
            x = gnd__gate_use(d, r->place[i].lent->block, 0, e);
    }
    for (int i = 0; i < r->nout && x == GND_OK; i++)
        x = gnd__gate_use(d, r->out[i]->data.st->block, 1, e);
    for (int i = 0; i < r->nheld && x == GND_OK; i++)
        x = gnd__gate_use(d, r->held[i]->block, 0, e);
    return x == GND_OK ? gnd__checks_use(r->checks, e) : x;
}

void gnd__recorded_apart(gnd__recorded *r)
{
    for (int i = 0; i < r->nplace; i++)
        if (r->place[i].written)
            stand_alone(r, i);
}

gnd_status gnd__recorded_run(gnd__recorded *r, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd__rversion *v;
    gnd__recorded_apart(r);
    gnd_status x = gnd__version_here(r, &v, e);
    if (x == GND_OK && r->lends)
        x = gnd__version_bind(r, v, e);
    if (x == GND_OK)
        x = gnd__recorded_use(r, e);
    if (x != GND_OK)
        return x;
    x = gnd__put_values(r, v, e);
    if (x != GND_OK)
        return x;
    v->used = ++r->runs;
    for (int i = 0; i < v->nitem && x == GND_OK; i++) {
        gnd__ritem *t = &v->item[i];
        if (t->type == GND__S_LAUNCH) {
            x = run_launches(d, r, t, e);
            continue;
        }
        x = t->type == GND__S_GEMM  ? gnd__gate_gemm(d, &t->gemm, e)
            : t->type == GND__S_FFT ? gnd__gate_transform(d, &t->fft, e)
                                    : gnd__solve_run(d, &t->solve, t->label, e);
        d->n.calls++;
    }
    return x == GND_OK && !gnd__gate_idle(d) ? gnd__gate_flush(d, e) : x;
}

/* --- freeing ---------------------------------------------------------------------------------- */

static void free_memory(gnd__recorded *r)
{
    for (int i = 0; i < r->nplace; i++) {
        gnd__place_back(&r->place[i]);
        r->place[i].st->block = r->place[i].own;
    }
    for (int i = 0; r->in && i < r->nin; i++)
        gnd__unref(r->in[i]);
    for (int i = 0; r->out && i < r->nout; i++)
        gnd__unref(r->out[i]);
    for (int i = 0; i < r->nheld; i++)
        gnd__storage_unref(r->held[i]);
    for (int i = 0; i < r->nplace; i++)
        gnd__storage_unref(r->place[i].st);
    for (int i = 0; i < r->nblock; i++)
        gnd__pool_free(r->dev->g, r->block[i].b);
    gnd__free(r->in);
    gnd__free(r->out);
    gnd__free(r->held);
    gnd__free(r->place);
    gnd__free(r->use);
    gnd__free(r->set);
    gnd__free(r->value);
    gnd__free(r->block);
}

gnd_status gnd__recorded_free(gnd__recorded *r, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd__sched *s = r->dev->plans;
    gnd_status x = GND_OK;
    int lists = gnd__version_has_lists(&r->first);
    for (int i = 0; i < r->nother; i++)
        lists |= gnd__version_has_lists(&r->other[i]);
    if (lists)
        x = gnd__gate_settle(d, e);
    const gnd_status y = gnd__cycle_free(r, x == GND_OK ? e : NULL);
    x = x == GND_OK ? y : x;
    free_version(d, &r->first);
    for (int i = 0; i < r->nother; i++)
        free_version(d, &r->other[i]);
    free_memory(r);
    gnd__checks_unref(r->checks);
    if (r->owner) { /* it was completed */
        if (r->prev)
            r->prev->next = r->next;
        else
            s->records = r->next;
        if (r->next)
            r->next->prev = r->prev;
        *r->owner = NULL;
    }
    gnd__free(r);
    return x;
}
