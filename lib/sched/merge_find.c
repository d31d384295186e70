/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge_find.c - see merge_priv.h: finds the runs of a list, consecutive launches that are
 * small enough to be merged.
 */
#include "sched/merge_priv.h"

#include <string.h>
#include "base/mem.h"

enum {
    LEAST = 4,          /* fewest launches of a run */
    FUNCTION = 1 << 13, /* most characters of one kernel */
    /* most characters of all kernels: NVIDIA's compiler takes 0.7 s for 23,000, 4 s for 106,000 */
    TEXT = 1 << 15,
    TURNS = 1 << 14 /* most loop iterations: Mesa's llvmpipe silently ends loops after 65535 in
                       total */
};

/* Limits of a launch that may be merged: work-items, and work (gnd__kir_work). A merged launch uses
 * one core of a CPU or one multiprocessor of a GPU. Beyond these limits this loses more time than a
 * launch costs. Below them measurements decide (merge.h). */
#define ITEMS (1 << 13)
#define WORK 200000

static size_t items_of(const gnd_klaunch *l)
{
    size_t n = 1;
    for (uint32_t d = 0; d < l->ndim; d++)
        n = l->global[d] > TURNS * GND__MERGE_GROUP ? SIZE_MAX / 64 : n * l->global[d];
    return n;
}

static int args_fit(const gnd_klaunch *l)
{
    if (l->nargs > GND__MERGE_ARGS)
        return 0;
    for (uint32_t a = 0; a < l->nargs; a++) {
        const gnd_karg *x = &l->args[a];
        if (x->kind == GND_ARG_LOCAL || (x->kind == GND_ARG_BUF && !x->u.buf) ||
            (x->kind == GND_ARG_VALUE && (x->nbytes < 1 || x->nbytes > sizeof x->u.value)))
            return 0;
    }
    return 1;
}

const gnd__mvalue *gnd__merger_values(const gnd__merger *m, int i, int *n)
{
    int a = 0, b = m->nvalue, end;
    while (a < b)
        if (m->value[(a + b) / 2].launch < i)
            a = (a + b) / 2 + 1;
        else
            b = (a + b) / 2;
    for (end = a; end < m->nvalue && m->value[end].launch == i;)
        end++;
    *n = end - a;
    return m->value + a;
}

/* Whether groups with barriers fit: only on GPUs, whose compilers handle them well. */
static int groups_fit(const gnd__merger *m, const gnd_klaunch *l, const gnd__form *f)
{
    if (f->local == 0)
        return 1;
    for (uint32_t d = 1; d < l->ndim; d++)
        if (l->local[d] != 1)
            return 0;
    return m->d->props.kind == GND_DEV_GPU && m->group % l->local[0] == 0 &&
           f->local * (m->group / l->local[0]) + 8 * GND__MERGE_CHUNK <= m->d->props.local_bytes;
}

/* Whether launch i can be merged. */
static int is_small(const gnd__merger *m, int i)
{
    const gnd_klaunch *l = &m->l[i];
    const gnd__form *f = gnd__gate_kernel_note(m->k[i]);
    return f && items_of(l) <= ITEMS && m->work[i] > 0 && m->work[i] <= WORK && args_fit(l) &&
           f->body_len <= FUNCTION && groups_fit(m, l, f);
}

int gnd__mrun_fn(const gnd__mrun *r, const gnd__kernel *k)
{
    int f = 0;
    while (f < r->nfn && r->fn[f] != k)
        f++;
    return f;
}

int gnd__mrun_mem(const gnd__mrun *r, const gnd_buf *b)
{
    int i = 0;
    while (i < r->nmem && r->mem[i] != b)
        i++;
    return i;
}

int gnd__mrun_number(const gnd__mrun *r, int number)
{
    int i = 0;
    while (i < r->nnumber && r->number[i] != number)
        i++;
    return i;
}

/* Adds the numbers of launch i to those of run r. Returns 0, with r unchanged, if there is no room.
 */
static int join_numbers(const gnd__merger *m, gnd__mrun *r, int i)
{
    const int nnumber = r->nnumber;
    int n;
    const gnd__mvalue *v = gnd__merger_values(m, i, &n);
    for (int k = 0; k < n; k++) {
        const gnd_karg *a = &m->l[i].args[v[k].arg];
        const int at = gnd__mrun_number(r, v[k].number);
        if (a->nbytes > sizeof r->now[0] || at == GND__MERGE_NUMBERS) {
            r->nnumber = nnumber;
            return 0;
        }
        if (at == r->nnumber) {
            r->number[r->nnumber++] = v[k].number;
            memcpy(&r->now[at], a->u.value, sizeof r->now[at]);
        }
    }
    r->nvalue += n;
    return 1;
}

/* Appends launch i, which is small, to run r. Returns 0 if there is no room. */
static int join(gnd__merger *m, gnd__mrun *r, int i)
{
    const gnd_klaunch *l = &m->l[i];
    const int nmem = r->nmem, f = gnd__mrun_fn(r, m->k[i]);
    const size_t turns = r->turns + items_of(l) / m->group + 2;
    const size_t text =
        r->text + (f == r->nfn ? ((gnd__form *)gnd__gate_kernel_note(m->k[i]))->body_len : 0);
    if (f == GND__MERGE_FUNCTIONS || text > TEXT || (turns > TURNS && !m->target.cpu))
        return 0;
    for (uint32_t a = 0; a < l->nargs; a++) {
        if (l->args[a].kind != GND_ARG_BUF || gnd__mrun_mem(r, l->args[a].u.buf) < r->nmem)
            continue;
        if (r->nmem == GND__MERGE_MEMS) {
            r->nmem = nmem;
            return 0;
        }
        r->mem[r->nmem++] = l->args[a].u.buf;
    }
    if (!join_numbers(m, r, i)) {
        r->nmem = nmem;
        return 0;
    }
    if (f == r->nfn)
        r->fn[r->nfn++] = m->k[i];
    r->text = text;
    r->turns = turns;
    r->n++;
    return 1;
}

gnd_status gnd__merger_find(gnd__merger *m, gnd_err *e)
{
    m->runs = gnd__calloc((size_t)m->n / LEAST + 1, sizeof *m->runs);
    if (!m->runs)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", m->d->id);
    for (int i = 0; i < m->n;) {
        gnd__mrun *r = &m->runs[m->nruns];
        memset(r, 0, sizeof *r);
        r->first = i;
        while (i < m->n && is_small(m, i) && join(m, r, i))
            i++;
        if (r->n >= LEAST)
            m->nruns++;
        else if (r->n == 0)
            i++;
    }
    return GND_OK;
}
