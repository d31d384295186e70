/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/partition.c - see partition.h and kernels/partition.cl. The pivot is a node of its own
 * (prim/ranks.h), which parts of one partition share.
 */
#include "prim/partition.h"

#include <string.h>
#include "graph/scope.h"
#include "prim/ranks.h"
#include "prim/ranks_priv.h"
#include "prim/sort.h"
#include "prim/sort_priv.h"

enum {
    SORTED = 8192, /* the longest rows that are sorted: a group of a GPU has them in registers */
    GROUP = 256,
    EACH = 8,
    GPU_LEAST = 4096, /* elements of a block */
    CPU_LEAST = 16384,
    GPU_BLOCKS_PER_UNIT = 16,
    CPU_BLOCKS_PER_UNIT = 32,
    STEP = 256 /* elements that a CPU takes at once */
};

int gnd__partition_counts(gnd_dtype t, int64_t n)
{
    return gnd_dtype_kind(t) != 'c' && gnd_dtype_size(t) > 1 && n > SORTED && n <= UINT32_MAX;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* The elements at place k of the sorted rows of x: (1, rows). */
static gnd_array *pivots(gnd_array *x, int64_t k, int descending)
{
    const int64_t n = x->dim[x->ndim - 1], dim[2] = {x->size / n, n}, one[2] = {1, dim[0]};
    const gnd__scalar place = {.kind = 'i', .i = k};
    const gnd__map all = {.start = {0}};
    gnd_array *c = gnd__const(x->dev, GND_INT64, &place, 0), *m, *at;
    if (c->kind == GND__ERROR)
        return c;
    at = gnd__view_node(c, 2, one, &all);
    if (at->kind == GND__ERROR)
        return at;
    m = gnd__reshape_node(x, 2, dim);
    return m->kind == GND__ERROR ? m : gnd__ranks_node(m, at, descending);
}

static gnd_array *counted(gnd_array *x, gnd_array *pivot, const gnd__primargs *a, int64_t keep,
                          gnd_dtype t)
{
    int64_t dim[GND_MAX_NDIM];
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof dim[0]);
    dim[x->ndim - 1] = keep;
    return gnd__prim_node(x->dev, a, t, x->ndim, dim, 2, (gnd_array *[]){x, pivot});
}

gnd_array *gnd__partition_node(gnd_array *x, int64_t k, int descending, int indices)
{
    const int64_t n = x->dim[x->ndim - 1];
    const gnd_dtype t = (gnd_dtype)x->dtype;
    gnd__primargs a;
    if (!gnd__partition_counts(t, n))
        return gnd__sort_node_of_part(x, descending, indices, 0, n);
    memset(&a, 0, sizeof a);
    a.id = indices ? GND__PRIM_ARGPARTITION : GND__PRIM_PARTITION;
    a.mode[0] = GND__IN_AGAIN;
    a.mode[1] = GND__IN_MEM;
    a.n[GND__SORT_DESCENDING] = descending;
    const gnd__inner in = gnd__enter(NULL);
    gnd_array *p = pivots(x, k, descending);
    return gnd__leave(in,
                      p->kind == GND__ERROR ? p : counted(x, p, &a, n, indices ? GND_INT64 : t));
}

static int counts(const gnd_array *x)
{
    const int id = x->p.prim->id;
    return id == GND__PRIM_PARTITION || id == GND__PRIM_ARGPARTITION;
}

int gnd__is_partition(const gnd_array *x)
{
    if (x->kind != GND__PRIM)
        return 0;
    const int id = x->p.prim->id;
    return counts(x) ||
           ((id == GND__PRIM_SORT || id == GND__PRIM_ARGSORT) && x->p.prim->n[GND__SORT_CUT]);
}

gnd_array *gnd__partition_part(gnd_array *x, int64_t from, int64_t count)
{
    if (x->data.st || !x->in)
        return NULL;
    gnd__primargs a = *x->p.prim;
    from += a.n[GND__SORT_FROM];
    if (!counts(x))
        return gnd__sort_node_of_part(x->in[0], a.n[GND__SORT_DESCENDING] != 0,
                                      a.id == GND__PRIM_ARGSORT, from, count);
    a.n[GND__SORT_FROM] = from;
    return counted(x->in[0], x->in[1], &a, count, (gnd_dtype)x->dtype);
}

/* --- programs --------------------------------------------------------------------------------- */

/* What the two kernels share. */
typedef struct divider {
    gnd__prog *p;
    gnd_dtype t;
    int indices, counts;
    int64_t rows, n, keep, blocks, run;
    size_t group;
} divider;

static void begin(const divider *d, const char *name)
{
    gnd__prog *p = d->p;
    const size_t size = gnd_dtype_size(d->t);
    gnd__pk_begin(p, name);
    gnd__pk_in(p, "x", 0);
    gnd__pk_in(p, "pivot", 1);
    gnd__pk_int(p, "n", d->n);
    gnd__pk_int(p, "nblk", d->blocks);
    gnd__pk_int(p, "run", d->run);
    gnd__pk_mem(p, "c", d->counts, GND_UINT32);
    gnd__pk_def(p, "#define KEY g_u%d\n#define TPG %d\n#define EACH %d\n#define STEP %d\n",
                size < 4 ? 32 : 8 * (int)size, (int)d->group, EACH, STEP);
    gnd__pk_def(p, "#define ARG %d\n#define flip %d\n", d->indices,
                p->args->n[GND__SORT_DESCENDING] ? -1 : 0);
    gnd__sort_unroll_defs(p);
    gnd__pk_defs(p, "partition_defs", d->t);
}

/* Appends the result and what k_move takes beside what both kernels have. */
static void move_params(const divider *d)
{
    gnd__pk_out(d->p, "y");
    gnd__pk_int(d->p, "from", d->p->args->n[GND__SORT_FROM]);
    gnd__pk_int(d->p, "keep", d->keep);
}

static void move_body(const divider *d)
{
    const int cpu = d->p->t->cpu;
    gnd__pk_body(d->p, cpu ? "partition_sums_cpu" : "partition_sums_gpu", d->t);
    gnd__pk_body(d->p, "partition_starts", d->t);
    gnd__pk_body(d->p, cpu ? "partition_move_cpu" : "partition_move_gpu", d->t);
}

/* Where a CPU's work-item has whole rows, one kernel does both. */
static void divide(const divider *d)
{
    gnd__prog *p = d->p;
    const int cpu = p->t->cpu, together = cpu && d->blocks == 1;
    const int64_t groups = d->rows * d->blocks, reads = gnd__prog_reads(p, 0),
                  writes = p->size * (int64_t)gnd_dtype_size(p->dtype);
    begin(d, together ? "k_rows" : "k_count");
    if (together)
        move_params(d);
    gnd__pk_body(p, "partition_begin", d->t);
    gnd__pk_body(p, cpu ? "partition_count_cpu" : "partition_count_gpu", d->t);
    if (together)
        move_body(d);
    gnd__pk_end1(p, groups, d->group, reads, together ? writes : 8 * groups);
    if (together)
        return;
    begin(d, "k_move");
    move_params(d);
    gnd__pk_body(p, "partition_begin", d->t);
    move_body(d);
    gnd__pk_end1(p, groups, d->group, reads, writes);
}

static void partition(gnd__prog *p, int indices)
{
    const gnd__pin *x = &p->in[0];
    const int64_t units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1;
    const int64_t least = p->t->cpu ? CPU_LEAST : GPU_LEAST;
    const int64_t want = (p->t->cpu ? CPU_BLOCKS_PER_UNIT : GPU_BLOCKS_PER_UNIT) * units;
    divider d = {.p = p, .t = x->dtype, .indices = indices};
    if (p->size == 0)
        return;
    d.n = x->dim[x->ndim - 1];
    d.rows = x->size / d.n;
    d.keep = p->dim[p->ndim - 1];
    p->native = (gnd__native){.what = GND__NATIVE_PARTITION,
                              .op = indices,
                              .descending = p->args->n[GND__SORT_DESCENDING] != 0,
                              .t = x->dtype,
                              .m = d.rows,
                              .n = d.n,
                              .inner = p->args->n[GND__SORT_FROM],
                              .keep = d.keep};
    d.group = p->t->cpu ? 1 : gnd__prog_group(p, GROUP);
    d.blocks = (want + d.rows - 1) / d.rows;
    if (d.blocks > (d.n + least - 1) / least)
        d.blocks = (d.n + least - 1) / least;
    d.run = (d.n + d.blocks - 1) / d.blocks;
    d.blocks = (d.n + d.run - 1) / d.run;
    d.counts = gnd__prog_scratch(p, 8 * d.rows * d.blocks);
    divide(&d);
}

void gnd__prim_partition(gnd__prog *p)
{
    partition(p, 0);
}

void gnd__prim_argpartition(gnd__prog *p)
{
    partition(p, 1);
}
