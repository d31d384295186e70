/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge.c - see merge.h. Decides when merging pays. For each run of launches (merge_find.c)
 * it makes its part of the table and its merged launch.
 */
#include "sched/merge_priv.h"

#include <limits.h>
#include <string.h>
#include "base/log.h"
#include "base/mem.h"

enum { OFTEN = 32 }; /* replays of a list before merging is considered */

/* The estimated time of a compilation in ns: a constant, and a term for each character of the
 * functions. */
#define COMPILE 100000000
#define COMPILE_CHAR 30000

/* For tests. forced: the number of replays after which compiling pays; 0: pays_after computes it.
 * If it is not 0, `kept` decides whether a merged list is kept. */
static unsigned first = OFTEN, forced;
static int kept;

void gnd__merge_force(int looked_at, int pays, int keep)
{
    forced = (unsigned)pays;
    kept = keep;
    first = looked_at > 0 ? (unsigned)looked_at : OFTEN;
}

int gnd__merge_wants(const gnd__gdev *d)
{
    const gnd_props *p = &d->props;
    if (p->dialect != GND_DIALECT_OPENCL || !p->little_endian || !d->be->has_replay)
        return 0;
    /* llvmpipe is left out: Mesa's compiler prints to stderr if it compiles kernels for GPUs for it
     */
    return forced || (!(d->be->replay.flags & GND_REPLAY_CHEAP) &&
                      (p->kind == GND_DEV_GPU || gnd__target_of(p, &d->tune).cpu));
}

unsigned gnd__merge_first(const gnd__gdev *d)
{
    return gnd__merge_wants(d) ? first : 0;
}

static gnd_status nomem(const gnd__merger *m, gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", m->d->id);
}

/* --- the table -------------------------------------------------------------------------------- */

static void describe(const gnd__merger *m, const gnd__mrun *r, gnd__mergefn *out)
{
    for (int f = 0; f < r->nfn; f++) {
        size_t len;
        int i = r->first;
        while (m->k[i] != r->fn[f])
            i++;
        out[f].src = gnd__gate_source(m->d, r->fn[f], &len);
        out[f].form = gnd__gate_kernel_note(r->fn[f]);
        out[f].group = (int)m->l[i].local[0];
    }
}

static void put_entry(const gnd__mrun *r, const gnd__mergefn *f, int number, const gnd_klaunch *l,
                      int64_t *to)
{
    const gnd__form *form = f->form;
    int32_t head[2 * GND__MERGE_HEAD] = {
        number, gnd__merge_place(form, form->nparam), 1, 1, 1, 1, 1, 1};
    for (uint32_t d = 0; d < l->ndim; d++) {
        head[2 + d] = (int32_t)l->global[d];
        head[5 + d] = (int32_t)l->local[d];
    }
    memcpy(to, head, sizeof head);
    for (int a = 0; a < form->nparam; a++) {
        int64_t *at = to + gnd__merge_place(form, a);
        if (l->args[a].kind == GND_ARG_BUF)
            *at = gnd__mrun_mem(r, l->args[a].u.buf);
        else
            memcpy(at, l->args[a].u.value, l->args[a].nbytes);
    }
}

static void put_end(int64_t *to)
{
    const int32_t end[2] = {-1, 0};
    memcpy(to, end, sizeof end);
}

/* Writes for each number of launch i its position in the run's part and its index in the run. at:
 * the position of the launch's entry. Returns the next free position of `to`. */
static int64_t *put_values(const gnd__merger *m, const gnd__mrun *r, int i, const gnd__form *form,
                           size_t at, int64_t *to)
{
    int n;
    const gnd__mvalue *v = gnd__merger_values(m, i, &n);
    for (int k = 0; k < n; k++) {
        *to++ = (int64_t)at + gnd__merge_place(form, v[k].arg);
        *to++ = gnd__mrun_number(r, v[k].number);
    }
    return to;
}

/* Returns the length of the chunks of run r. Writes the run's part unless table is NULL. */
static size_t put_run(const gnd__merger *m, const gnd__mrun *r, const gnd__mergefn *fn,
                      int64_t *table)
{
    size_t chunk = 0, at = 0;
    int64_t *values = table ? table + r->len : NULL;
    for (int i = r->first; i < r->first + r->n; i++) {
        const int f = gnd__mrun_fn(r, m->k[i]);
        const size_t len = (size_t)gnd__merge_place(fn[f].form, fn[f].form->nparam);
        if (at + len >= GND__MERGE_CHUNK) {
            if (table)
                put_end(table + chunk + at);
            chunk += GND__MERGE_CHUNK;
            at = 0;
        }
        if (table)
            put_entry(r, &fn[f], f, &m->l[i], table + chunk + at);
        if (table && r->nvalue)
            values = put_values(m, r, i, fn[f].form, chunk + at, values);
        at += len;
    }
    if (table)
        put_end(table + chunk + at);
    if (table && r->nvalue)
        *values = -1;
    return chunk + GND__MERGE_CHUNK;
}

/* Gets the kernel of a run and reserves the run's part of the table: *len, the length so far, grows
 * by it. If compile is 0 and no cache has the kernel, it stays NULL. */
static gnd_status build(gnd__merger *m, gnd__mrun *r, int compile, size_t *len, gnd_err *e)
{
    gnd__mergefn fn[GND__MERGE_FUNCTIONS];
    gnd__str src = {0};
    gnd_status st;
    describe(m, r, fn);
    st = gnd__merge_text(&src, fn, r->nfn, r->nvalue > 0, &m->target, (int)m->group, e);
    if (st == GND_OK)
        st = (compile ? gnd__gate_kernel : gnd__gate_kernel_cached)(
            m->d, "k_merged", gnd__str_get(&src), src.len, &r->kernel, e);
    gnd__str_free(&src);
    r->begin = *len;
    r->len = put_run(m, r, fn, NULL);
    *len += r->len + (r->nvalue ? 2 * (size_t)r->nvalue + 2 : 0);
    return st;
}

static gnd_status make_table(gnd__merger *m, size_t len, gnd__merged *out, gnd_err *e)
{
    gnd__mergefn fn[GND__MERGE_FUNCTIONS];
    int64_t *table = gnd__calloc(len, sizeof *table);
    gnd_status st;
    if (!table)
        return nomem(m, e);
    for (int i = 0; i < m->nruns; i++) {
        describe(m, &m->runs[i], fn);
        (void)put_run(m, &m->runs[i], fn, table + m->runs[i].begin);
    }
    st = gnd__pool_alloc(m->d, len * sizeof *table, &out->table, e);
    if (st == GND_OK)
        st = gnd__gate_write(m->d, out->table, 0, table, len * sizeof *table, e);
    gnd__free(table);
    return st;
}

/* --- the launches ----------------------------------------------------------------------------- */

enum { ARGS = 3 + GND__MERGE_MEMS + GND__MERGE_NUMBERS };

static void merged_launch(const gnd__merger *m, const gnd__mrun *r, gnd__merged *out,
                          gnd_karg *args)
{
    gnd_klaunch *l = &out->launch[out->n];
    const int64_t begin = (int64_t)(out->table->off / 8 + r->begin);
    const int32_t chunks = (int32_t)(r->len / GND__MERGE_CHUNK);
    args[0] = (gnd_karg){.kind = GND_ARG_BUF, .u.buf = out->table->buf};
    args[1] = (gnd_karg){.kind = GND_ARG_VALUE, .nbytes = sizeof begin};
    memcpy(args[1].u.value, &begin, sizeof begin);
    args[2] = (gnd_karg){.kind = GND_ARG_VALUE, .nbytes = sizeof chunks};
    memcpy(args[2].u.value, &chunks, sizeof chunks);
    for (int i = 0; i < GND__MERGE_MEMS; i++)
        args[3 + i] = (gnd_karg){.kind = GND_ARG_BUF, .u.buf = r->mem[i < r->nmem ? i : 0]};
    for (int i = 0; i < GND__MERGE_NUMBERS; i++) {
        gnd_karg *a = &args[3 + GND__MERGE_MEMS + i];
        *a = (gnd_karg){.kind = GND_ARG_VALUE, .nbytes = sizeof r->now[i]};
        memcpy(a->u.value, &r->now[i], sizeof r->now[i]);
        if (i < r->nnumber)
            out->value[out->nvalue++] =
                (gnd__mvalue){out->n, 3 + GND__MERGE_MEMS + i, r->number[i]};
    }
    *l = (gnd_klaunch){
        .ndim = 1, .nargs = r->nvalue ? ARGS : ARGS - GND__MERGE_NUMBERS, .args = args};
    for (int d = 0; d < 3; d++)
        l->global[d] = l->local[d] = d ? 1 : m->group;
    gnd__gate_kernel_hold(r->kernel);
    out->kernel[out->n++] = r->kernel;
}

static gnd_status make_launches(const gnd__merger *m, gnd__merged *out, gnd_err *e)
{
    int k = 0;
    out->kernel = gnd__calloc((size_t)m->n, sizeof *out->kernel);
    out->launch = gnd__calloc((size_t)m->n, sizeof *out->launch);
    out->args = gnd__calloc((size_t)m->nruns * ARGS, sizeof *out->args);
    out->value = gnd__calloc((size_t)m->nvalue + 1,
                             sizeof *out->value); /* each number of a run is one of the values */
    if (!out->kernel || !out->launch || !out->args || !out->value)
        return nomem(m, e);
    for (int i = 0; i < m->n;) {
        if (k < m->nruns && m->runs[k].first == i) {
            merged_launch(m, &m->runs[k], out, out->args + k * ARGS);
            i += m->runs[k++].n;
            continue;
        }
        int n;
        const gnd__mvalue *v = gnd__merger_values(m, i, &n);
        for (int j = 0; j < n; j++)
            out->value[out->nvalue++] = (gnd__mvalue){out->n, v[j].arg, v[j].number};
        gnd__gate_kernel_hold(m->k[i]);
        out->kernel[out->n] = m->k[i];
        out->launch[out->n++] = m->l[i++];
    }
    return GND_OK;
}

/* The number of replays after which the saved launches have taken as long as compiling takes. */
static unsigned pays_after(const gnd__merger *m)
{
    double cost = 0, saved = 0;
    for (int i = 0; i < m->nruns; i++) {
        cost += COMPILE + (double)m->runs[i].text * COMPILE_CHAR;
        saved += m->runs[i].n - 1;
    }
    if (forced)
        return forced;
    const double runs = cost / ((double)m->took * saved / m->n);
    return runs < (double)UINT_MAX ? (unsigned)runs + 1 : UINT_MAX;
}

int gnd__merge_keeps(int64_t took, int64_t merged)
{
    return forced ? kept : merged < took;
}

gnd_status gnd__merge(gnd__gdev *d, unsigned runs, const gnd__mlist *list, unsigned *again,
                      gnd__merged *out, gnd_err *e)
{
    gnd__merger m = {.d = d,
                     .target = gnd__target_of(&d->props, &d->tune),
                     .n = list->n,
                     .k = list->k,
                     .l = list->l,
                     .work = list->work,
                     .took = list->took > 0 ? list->took : 1,
                     .value = list->value,
                     .nvalue = list->nvalue};
    size_t len = 0;
    unsigned pays = 0;
    gnd_status st;
    memset(out, 0, sizeof *out);
    *again = 0;
    m.group = m.target.cpu                            ? 1
              : d->props.max_group < GND__MERGE_GROUP ? d->props.max_group
                                                      : GND__MERGE_GROUP;
    st = gnd__merger_find(&m, e);
    if (m.nruns > 0 && st == GND_OK)
        pays = pays_after(&m);
    for (int i = 0; i < m.nruns && st == GND_OK && *again == 0; i++) {
        st = build(&m, &m.runs[i], runs >= pays, &len, e);
        if (st == GND_OK && !m.runs[i].kernel)
            *again = pays;
    }
    if (m.nruns > 0 && st == GND_OK && *again == 0)
        st = make_table(&m, len, out, e);
    if (m.nruns > 0 && st == GND_OK && *again == 0)
        st = make_launches(&m, out, e);
    for (int i = 0; i < m.nruns && st == GND_OK && *again == 0; i++)
        gnd__log(GND__LOG_DEBUG, "%s: %d launches of %d kernels are one", d->id, m.runs[i].n,
                 m.runs[i].nfn);
    for (int i = 0; i < m.nruns; i++)
        gnd__gate_kernel_done(m.runs[i].kernel);
    gnd__free(m.runs);
    if (st != GND_OK)
        gnd__merged_free(d, out);
    return st;
}

void gnd__merged_free(gnd__gdev *d, gnd__merged *m)
{
    gnd__pool_free(d, m->table);
    for (int i = 0; i < m->n; i++)
        gnd__gate_kernel_done(m->kernel[i]);
    gnd__free(m->kernel);
    gnd__free(m->launch);
    gnd__free(m->args);
    gnd__free(m->value);
    memset(m, 0, sizeof *m);
}
