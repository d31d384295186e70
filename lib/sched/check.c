/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/check.c - see check.h.
 */
#include "sched/check.h"

#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "base/refs.h"
#include "device/device.h"
#include "graph/graph.h"
#include "graph/launch.h"
#include "prim/prim.h"

#define TABLE 1024    /* entries of a table */
#define LONG_LIST 128 /* the most unread checks of an array; beyond it they are read */
#define SOURCES 63    /* the most checks and lists of one run that are distinguished */
#define UNIONS 64     /* the most unions of one run that are found again */

/* A table of entries, all 0 at first. Each entry is used once. */
typedef struct gnd__ctable {
    int refs; /* number of owners: checks, and the scheduler while this is the current table */
    gnd_device *dev;
    gnd__block *block;
    int cap, used;
} gnd__ctable;

typedef struct gnd__icheck {
    int refs;
    int state; /* 0: not read; 1: passed; 2: failed */
    gnd__ctable *table;
    int entry;
    gnd__index_of of;
    gnd__bounds *bounds; /* for the launch of a checked kernel; else NULL */
    gnd__primargs prim;  /* for a primitive; else its func is NULL */
    int32_t word[4];     /* state 2 */
    uint64_t stamp;      /* number of the last union that included it */
} gnd__icheck;

/* The checks to which an array's memory refers. The list does not change once it is made. */
typedef struct gnd__checks {
    int refs, n;
    uint64_t stamp; /* number of the last run that read such memory */
    int source;     /* the list's number in that run */
    gnd__icheck *c[];
} gnd__checks;

static gnd_status nomem(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
}

static void table_unref(gnd__ctable *t)
{
    if (!t || --t->refs > 0)
        return;
    gnd__pool_free(t->dev->g, t->block);
    gnd__free(t);
}

static void check_unref(gnd__icheck *c)
{
    if (--c->refs > 0)
        return;
    table_unref(c->table);
    gnd__bounds_unref(c->bounds);
    gnd__free(c);
}

void gnd__checks_unref(gnd__checks *c)
{
    if (!c || --c->refs > 0)
        return;
    for (int i = 0; i < c->n; i++)
        check_unref(c->c[i]);
    gnd__free(c);
}

static gnd_status new_table(gnd_device *dev, int n, gnd__ctable **out, gnd_err *e)
{
    gnd_status st;
    gnd__ctable *t = gnd__calloc(1, sizeof *t);
    void *zero;
    int cap = n > TABLE ? n : TABLE;
    if (!t)
        return nomem(e);
    t->refs = 1;
    t->dev = dev;
    t->cap = cap;
    st = gnd__pool_alloc(dev->g, (size_t)cap * GND__CHECK_BYTES, &t->block, e);
    zero = gnd__calloc((size_t)cap, GND__CHECK_BYTES);
    if (st == GND_OK && !zero)
        st = nomem(e);
    if (st == GND_OK)
        st = gnd__gate_write(dev->g, t->block, 0, zero, (size_t)cap * GND__CHECK_BYTES, e);
    gnd__free(zero);
    if (st != GND_OK)
        table_unref(t);
    else
        *out = t;
    return st;
}

gnd_status gnd__checks_take(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, gnd_err *e)
{
    gnd_status st;
    if (p->ncheck == 0)
        return GND_OK;
    if (!s->table || s->table->used + p->ncheck > s->table->cap) {
        gnd__ctable *t = NULL;
        st = new_table(g->dev, p->ncheck, &t, e);
        if (st != GND_OK)
            return st;
        table_unref(s->table);
        s->table = t;
    }
    if (p->ncheck > s->capcheck) {
        void *q = gnd__realloc(s->check, (size_t)p->ncheck * 2 * sizeof(gnd__icheck *));
        if (!q)
            return nomem(e);
        s->check = q;
        s->capcheck = 2 * p->ncheck;
    }
    for (int i = 0; i < p->ncheck; i++) {
        gnd__icheck *c = gnd__calloc(1, sizeof *c);
        s->check[i] = c;
        if (!c) {
            while (i-- > 0)
                check_unref(s->check[i]);
            return nomem(e);
        }
        c->refs = 1;
        c->table = s->table;
        c->table->refs++;
        c->entry = s->table->used + i;
        const gnd_array *a = g->node[p->check[i]].a;
        if (a->kind == GND__LAUNCH) {
            c->bounds = a->p.launch->bounds;
            gnd__refs_add(&c->bounds->refs);
        } else if (a->kind == GND__PRIM) {
            c->prim = *a->p.prim;
        } else {
            c->of = a->p.check;
        }
    }
    s->table->used += p->ncheck;
    /* Each plan writes to its own entries, in any stream, so no plan waits for another. */
    if ((st = gnd__gate_use(g->dev->g, s->table->block, 0, e)) != GND_OK)
        gnd__checks_drop(s, p);
    return st;
}

gnd_status gnd__checks_use(gnd__checks *c, gnd_err *e)
{
    gnd_status st = GND_OK;
    for (int i = 0; c && i < c->n && st == GND_OK; i++)
        st = gnd__gate_use(c->c[i]->table->dev->g, c->c[i]->table->block, 0, e);
    return st;
}

gnd_buf *gnd__checks_buf(const gnd__sched *s)
{
    return s->table->block->buf;
}

int64_t gnd__checks_entry(const gnd__sched *s, int i)
{
    return (int64_t)(s->table->block->off / GND__CHECK_BYTES) + s->check[i]->entry;
}

int32_t *gnd__checks_address(const gnd__sched *s, int i)
{
    char *at = gnd__gate_address(s->table->block);
    return (void *)(at + (size_t)s->check[i]->entry * GND__CHECK_BYTES);
}

void gnd__checks_drop(gnd__sched *s, const gnd__plan *p)
{
    for (int i = 0; i < p->ncheck; i++)
        check_unref(s->check[i]);
}

void gnd__checks_close(gnd__sched *s)
{
    table_unref(s->table);
    s->table = NULL;
    gnd__free(s->check);
    s->check = NULL;
}

/* The first bad access of a checked kernel. */
static gnd_status out_of_bounds(const gnd__icheck *c, int64_t byte, gnd_err *e)
{
    const gnd__bounds *b = c->bounds;
    const int k = c->word[3] >= 0 && c->word[3] < b->n ? c->word[3] : 0;
    const int64_t size = b->array[k].size, one = b->array[k].esize;
    int64_t i = byte / one - (byte % one < 0);
    i = i >= 0 && i < size ? size : i; /* it begins inside the table and ends beyond its end */
    return gnd__err(e, GND_ERR_INDEX,
                    "launch: kernel %s: source:%d: index %" PRId64 " is out of range for %s of "
                    "size %" PRId64,
                    b->kernel, c->word[0], i, b->array[k].name, size);
}

/* Reads the entry of c. */
static gnd_status look(gnd__icheck *c, gnd_err *e)
{
    gnd_status st;
    if (c->state == 0) {
        /* waits for every stream that has an entry in the table */
        st = gnd__gate_use(c->table->dev->g, c->table->block, 1, e);
        if (st == GND_OK)
            st = gnd__gate_read(c->table->dev->g, c->word, c->table->block,
                                (size_t)c->entry * GND__CHECK_BYTES, sizeof c->word, e);
        if (st != GND_OK)
            return st;
        c->state = c->word[0] ? 2 : 1;
    }
    if (c->state == 1)
        return GND_OK;
    /* bounds: bytes from the array's start */
    const int64_t index = (int64_t)((uint64_t)(uint32_t)c->word[2] << 32 | (uint32_t)c->word[1]);
    if (c->bounds)
        return out_of_bounds(c, index, e);
    if (c->prim.func)
        return gnd__prim_verdict(&c->prim, c->word, e);
    if (c->of.what)
        return gnd__err(e, c->of.code, "%s: %s", c->of.func, c->of.what);
    if (c->of.axis < 0)
        return gnd__err(e, GND_ERR_INDEX, "%s: index %" PRId64 " is out of range for size %" PRId64,
                        c->of.func, index, c->of.size);
    return gnd__err(e, GND_ERR_INDEX,
                    "%s: index %" PRId64 " is out of range for axis %d of size %" PRId64,
                    c->of.func, index, c->of.axis, c->of.size);
}

gnd_status gnd__checks_pass(gnd__storage *st, gnd_err *e)
{
    gnd_status r = GND_OK;
    if (!st->checks)
        return GND_OK;
    for (int i = 0; i < st->checks->n && r == GND_OK; i++)
        r = look(st->checks->c[i], e);
    if (r == GND_OK) {
        gnd__checks_unref(st->checks);
        st->checks = NULL;
    }
    return r;
}

gnd_status gnd__checks_keep(const gnd__sched *s, const gnd__plan *p, gnd__checks **out, gnd_err *e)
{
    gnd__checks *c;
    *out = NULL;
    if (p->ncheck == 0)
        return GND_OK;
    c = gnd__malloc(sizeof *c + (size_t)p->ncheck * sizeof *c->c);
    if (!c)
        return nomem(e);
    c->refs = 1;
    c->stamp = 0;
    c->n = p->ncheck;
    for (int i = 0; i < c->n; i++) {
        c->c[i] = s->check[i];
        c->c[i]->refs++;
    }
    *out = c;
    return GND_OK;
}

gnd_status gnd__checks_again(gnd__checks *c, gnd_err *e)
{
    static const uint32_t zero[4];
    gnd_status r = GND_OK;
    for (int i = 0; c && i < c->n; i++) {
        gnd__icheck *k = c->c[i];
        k->state = 0;
        gnd_status st = look(k, r == GND_OK ? e : NULL);
        r = r == GND_OK ? st : r;
        if (st != GND_OK && k->state != 2)
            return r;        /* the device failed */
        if (k->state == 2) { /* the others are cleared, too: they would fail the next run */
            st = gnd__gate_write(k->table->dev->g, k->table->block,
                                 (size_t)k->entry * GND__CHECK_BYTES, zero, sizeof zero, NULL);
            r = r == GND_OK ? st : r;
        }
    }
    return r;
}

void gnd__checks_first(const gnd__sched *s, const gnd__plan *p, gnd_err *e)
{
    gnd_err first = {0};
    for (int i = 0; i < p->ncheck; i++) {
        s->check[i]->state = 0;
        if (look(s->check[i], &first) != GND_OK) {
            if (e && s->check[i]->state == 2)
                *e = first;
            return;
        }
    }
}

/* --- after a run ------------------------------------------------------------------------------ */

/* A source of checks: the plan's own (list NULL), or the list to which a leaf's memory refers. */
typedef struct source {
    gnd__icheck *own;
    gnd__checks *list;
} source;

/* The sources of a run, and the unions made of them. Memory that depends on the same sources shares
 * one union. */
typedef struct sources {
    gnd__sched *s;
    source *v; /* owns a reference to each list */
    int n;
    uint64_t stamp;
    struct {
        uint64_t mask;
        gnd__checks *u;
    } made[UNIONS]; /* indexed by a hash of the mask; 0: none. Owns a reference */
} sources;

/* Makes a union of the sources in mask, except those that passed. Bit SOURCES stands for all
 * further sources. */
static gnd_status new_union(const sources *all, uint64_t mask, gnd__checks **out, gnd_err *e)
{
    const source *src = all->v;
    const int nsrc = all->n;
    const uint64_t stamp = ++all->s->stamp;
    int most = 0;
    gnd__checks *u;
    for (int i = 0; i < nsrc; i++)
        if (mask >> (i < SOURCES ? i : SOURCES) & 1)
            most += src[i].own ? 1 : src[i].list->n;
    u = gnd__malloc(sizeof *u + (size_t)most * sizeof *u->c);
    if (!u)
        return nomem(e);
    u->refs = 1;
    u->stamp = 0;
    u->n = 0;
    for (int i = 0; i < nsrc; i++) {
        if (!(mask >> (i < SOURCES ? i : SOURCES) & 1))
            continue;
        for (int j = 0; j < (src[i].own ? 1 : src[i].list->n); j++) {
            gnd__icheck *c = src[i].own ? src[i].own : src[i].list->c[j];
            if (c->state == 1 || c->stamp == stamp)
                continue;
            c->stamp = stamp;
            c->refs++;
            u->c[u->n++] = c;
        }
    }
    if (u->n > LONG_LIST) {
        /* a long loop without a read: drop checks that passed. A failure stays, and the next
         * reader gets it. */
        gnd_err ignored = {GND_OK, 0, ""};
        int n = 0;
        for (int k = 0; k < u->n; k++) {
            gnd__err_clear(&ignored);
            (void)look(u->c[k], &ignored);
            if (u->c[k]->state == 1)
                check_unref(u->c[k]);
            else
                u->c[n++] = u->c[k];
        }
        u->n = n;
    }
    if (u->n == 0) {
        gnd__free(u);
        u = NULL;
    }
    *out = u;
    return GND_OK;
}

/* The union of the sources in mask: an earlier one, if it is still known. */
static gnd_status unite(sources *all, uint64_t mask, gnd__checks **out, gnd_err *e)
{
    const size_t at = (size_t)((mask * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
    if (all->made[at].mask != mask) {
        gnd__checks *u = NULL;
        gnd_status st = new_union(all, mask, &u, e);
        if (st != GND_OK)
            return st;
        gnd__checks_unref(all->made[at].u);
        all->made[at].mask = mask;
        all->made[at].u = u;
    }
    *out = all->made[at].u;
    if (*out)
        (*out)->refs++;
    return GND_OK;
}

/* The number of the source for leaf memory that refers to list; adds the source if necessary. */
static int leaf_source(sources *all, gnd__checks *list)
{
    if (list->stamp != all->stamp) {
        list->stamp = all->stamp;
        list->source = all->n;
        list->refs++;
        all->v[all->n++] = (source){NULL, list};
    }
    return list->source;
}

static void free_sources(sources *all)
{
    for (int i = 0; i < UNIONS; i++)
        gnd__checks_unref(all->made[i].u);
    for (int i = 0; i < all->n; i++)
        gnd__checks_unref(all->v[i].list);
    gnd__free(all->v);
}

static gnd_status spread(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, gnd__storage **st,
                         gnd_err *e)
{
    gnd_status r = GND_OK;
    sources all = {.s = s};
    uint64_t *mask;
    all.v = gnd__malloc((size_t)(p->ncheck + g->nnode + 1) * sizeof *all.v);
    mask = gnd__calloc((size_t)g->nnode + 1, sizeof *mask);
    if (!all.v || !mask) {
        gnd__free(all.v);
        gnd__free(mask);
        return nomem(e);
    }
    all.stamp = ++s->stamp;
    for (; all.n < p->ncheck; all.n++) {
        all.v[all.n] = (source){s->check[all.n], NULL};
        mask[p->check[all.n]] |= (uint64_t)1 << (all.n < SOURCES ? all.n : SOURCES);
    }
    for (int32_t i = 0; i < g->nnode; i++) { /* inputs come before their users */
        const gnd__pnode *q = &g->node[i];
        gnd__storage *leaf = q->a->data.st;
        if (leaf && leaf->checks) {
            int k = leaf_source(&all, leaf->checks);
            mask[i] |= (uint64_t)1 << (k < SOURCES ? k : SOURCES);
        }
        if (!gnd__is_leaf(q->a))
            for (int k = 0; k < q->a->nin; k++)
                mask[i] |= mask[g->inputs[q->in + k]];
    }
    for (int32_t i = 0; i < p->nresult && r == GND_OK; i++) {
        int32_t slot = p->result[i].slot;
        const uint64_t m = mask[p->result[i].node];
        if (p->slot[slot].leaf || !st[slot] || !m || st[slot]->checks)
            continue;
        r = unite(&all, m, &st[slot]->checks, e);
    }
    for (int32_t i = 0; i < p->npart && r == GND_OK; i++) {
        gnd__storage *x = st[p->part[i].slot];
        if (x && mask[p->part[i].node] && !x->checks)
            r = unite(&all, mask[p->part[i].node], &x->checks, e);
    }
    for (int32_t i = 0; i < p->nstep && r == GND_OK;
         i++) { /* the memory of a leaf that got other elements */
        const int32_t node = p->step[i].over - 1;
        for (int k = 0; node >= 0 && mask[node] && k < p->step[i].nargs && r == GND_OK; k++) {
            const gnd__sarg *a = &p->step[i].arg[k];
            gnd__checks *u = NULL;
            if (a->kind != GND__A_BUF || !p->slot[a->ref].leaf || !a->written)
                continue;
            gnd__storage *x = g->node[p->slot[a->ref].node].a->data.st;
            r = unite(&all, mask[node], &u, e);
            if (r == GND_OK) {
                gnd__checks_unref(x->checks);
                x->checks = u;
            }
        }
    }
    free_sources(&all);
    gnd__free(mask);
    return r;
}

gnd_status gnd__checks_spread(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g,
                              gnd__storage **st, gnd_err *e)
{
    /* apart, because `spread` takes much of the stack */
    return p->ncheck || g->checks ? spread(s, p, g, st, e) : GND_OK;
}
