/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/ranks.c - elements at given places of sorted rows: nodes; programs for CPUs, see
 * kernels/ranks.cl. Long rows have five passes, of which three read all elements, where a sort has
 * two for each byte of a key; of short rows, and of many, a work-item has whole ones.
 */
#include "prim/ranks.h"

#include <string.h>
#include "prim/choices.h"
#include "prim/ranks_priv.h"

enum {
    SHORT = 64,       /* the longest rows that are sorted on the way to few results */
    LEAST = 1 << 14,  /* elements of a row from which on several work-items share it */
    GPU_LEAST = 8193, /* a group of a GPU sorts shorter ones in registers */
    ROWS = 16,        /* most rows of that kind: each block of one has counters */
    WANTED = 24,      /* most places of a row */
    BITS = 12,        /* the logarithm of the number of intervals */
    NARROW_BITS =
        9, /* of rows of fewer than MANY elements: counters take a quarter of them at most */
    MANY = 1 << 16,
    ROW_BITS = 7, /* of rows of fewer than SOME elements that work-items have whole */
    SOME = 2048,
    RUN = 1 << 14 /* least elements of a block */
};

int gnd__ranks_pay(const gnd_device *dev, gnd_dtype t, int64_t n, int64_t places)
{
    if (gnd_dtype_kind(t) == 'c' || n > UINT32_MAX)
        return 0;
    return gnd__for_cpu(dev) ? n > SHORT && places <= WANTED
                             : n >= GPU_LEAST && places <= GND__RANKS_GPU_WANTED;
}

gnd_array *gnd__ranks_node(gnd_array *x, gnd_array *place, int descending)
{
    gnd__primargs a;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_RANKS;
    a.mode[0] = a.mode[1] = GND__IN_AGAIN;
    a.n[0] = descending;
    return gnd__prim_node(x->dev, &a, (gnd_dtype)x->dtype, 2, place->dim, 2,
                          (gnd_array *[]){x, place});
}

/* The memory that the kernels share. */
typedef struct ranker {
    gnd__prog *p;
    gnd_dtype t, elem, key; /* of elements, of their bits, of their keys */
    int64_t rows, n, wanted, blocks, run;
    int bits, ends, counts, found, interval, goal, moved;
} ranker;

static void definitions(const ranker *r)
{
    gnd__prog *p = r->p;
    gnd__pk_def(p, "#define BITS %d\n#define WANTED %d\n#define flip %d\n", r->bits, WANTED,
                p->args->n[0] ? -1 : 0);
    gnd__pk_def(p, "#define ELEM g_u%d\n#define KEY g_u%d\n", 8 * (int)gnd_dtype_size(r->elem),
                8 * (int)gnd_dtype_size(r->key));
    gnd__pk_defs(p, "ranks_defs", r->t);
}

static void begin(const ranker *r, const char *name, int reads)
{
    gnd__prog *p = r->p;
    gnd__pk_begin(p, name);
    if (reads)
        gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "rows", r->rows);
    gnd__pk_int(p, "n", r->n);
    gnd__pk_int(p, "wanted", r->wanted);
    gnd__pk_int(p, "blocks", r->blocks);
    gnd__pk_int(p, "run", r->run);
    gnd__pk_mem(p, "ends", r->ends, r->key);
    definitions(r);
}

static void end(const ranker *r, const char *body, int64_t items, int64_t rd, int64_t wr)
{
    gnd__pk_body(r->p, body, r->t);
    gnd__pk_end1(r->p, items, 1, rd, wr);
}

/* Adds the memory that k_find, k_move and k_end take beside `ends`, as far as asked for. */
static void memory(const ranker *r, int counts, int found, int goal, int moved)
{
    gnd__prog *p = r->p;
    if (counts)
        gnd__pk_mem(p, "counts", r->counts, GND_INT64);
    if (found)
        gnd__pk_mem(p, "found", r->found, GND_INT64);
    if (goal) {
        gnd__pk_mem(p, "interval", r->interval, GND_INT64);
        gnd__pk_mem(p, "goal", r->goal, GND_INT64);
    }
    if (moved)
        gnd__pk_mem(p, "moved", r->moved, r->elem);
}

/* One place of rows that a work-item has whole: all passes in one kernel. */
static void together(const ranker *r)
{
    static const char *const pass[] = {"ranks_ends", "ranks_count", "ranks_find", "ranks_move",
                                       "ranks_end"};
    gnd__prog *p = r->p;
    begin(r, "k_rows", 1);
    gnd__pk_in(p, "r", 1);
    gnd__pk_out(p, "b");
    memory(r, 1, 1, 1, 1);
    for (int i = 0; i < 5; i++) {
        gnd__pk_add(p, "    {\n");
        gnd__pk_body(p, pass[i], r->t);
        gnd__pk_add(p, "    }\n");
    }
    gnd__pk_end1(p, r->rows, 1, gnd__prog_reads(p, 0), p->size * (int64_t)gnd_dtype_size(r->elem));
}

/* Rows that are short, or many. */
static void each(ranker *r)
{
    gnd__prog *p = r->p;
    const int64_t size = (int64_t)gnd_dtype_size(r->elem);
    const int keys = gnd__prog_scratch(p, 2 * r->rows * r->n * size);
    r->bits = r->n < SOME ? ROW_BITS : NARROW_BITS;
    gnd__pk_begin(p, "k_row");
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "rows", r->rows);
    gnd__pk_int(p, "n", r->n);
    gnd__pk_int(p, "wanted", r->wanted);
    gnd__pk_mem(p, "keys", keys, r->elem);
    definitions(r);
    gnd__pk_in(p, "r", 1);
    gnd__pk_out(p, "b");
    end(r, "ranks_row", r->rows, gnd__prog_reads(p, 0), p->size * (int64_t)gnd_dtype_size(r->elem));
}

static void passes(const ranker *r)
{
    gnd__prog *p = r->p;
    const int64_t all = r->rows * r->blocks, wanted = r->rows * r->wanted,
                  reads = gnd__prog_reads(p, 0), size = (int64_t)gnd_dtype_size(r->elem),
                  counts = all * 8 << r->bits;
    begin(r, "k_ends", 1);
    end(r, "ranks_ends", all, reads, 16 * all);
    begin(r, "k_count", 1);
    memory(r, 1, 0, 0, 0);
    end(r, "ranks_count", all, reads, counts);
    begin(r, "k_find", 0);
    gnd__pk_in(p, "r", 1);
    memory(r, 1, 1, 1, 0);
    end(r, "ranks_find", r->rows, counts, 32 * wanted);
    begin(r, "k_move", 1);
    memory(r, 0, 0, 1, 1);
    end(r, "ranks_move", all, reads, r->rows * r->n * size / 8);
    begin(r, "k_end", 0);
    gnd__pk_out(p, "b");
    memory(r, 0, 1, 0, 1);
    end(r, "ranks_end", wanted, r->rows * r->n * size / 8, wanted * size);
}

static void allocate(ranker *r)
{
    gnd__prog *p = r->p;
    const int64_t all = r->rows * r->blocks, wanted = r->rows * r->wanted;
    r->ends = gnd__prog_scratch(p, 2 * all * (int64_t)gnd_dtype_size(r->key));
    r->counts = gnd__prog_scratch(p, all * 8 << r->bits);
    r->found = gnd__prog_scratch(p, 4 * 8 * wanted);
    r->interval = gnd__prog_scratch(p, 8 * wanted);
    r->goal = gnd__prog_scratch(p, 8 * wanted * r->blocks);
    r->moved = gnd__prog_scratch(p, r->rows * r->n * (int64_t)gnd_dtype_size(r->elem));
}

void gnd__prim_ranks(gnd__prog *p)
{
    const gnd__pin *x = &p->in[0];
    const size_t size = gnd_dtype_size(x->dtype);
    const int64_t units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1;
    if (p->size == 0)
        return;
    if (!p->t->cpu) {
        gnd__ranks_on_gpu(p);
        return;
    }
    ranker r = {.p = p,
                .t = x->dtype,
                .elem = gnd__unsigned_of(size),
                .key = gnd__unsigned_of(size < 4 ? 4 : size)};
    r.rows = x->dim[0];
    r.n = x->dim[1];
    r.wanted = p->dim[0];
    p->native = (gnd__native){.what = GND__NATIVE_RANKS,
                              .descending = p->args->n[0] != 0,
                              .t = x->dtype,
                              .m = r.rows,
                              .n = r.n,
                              .keep = r.wanted};
    if (r.n < LEAST || r.rows > ROWS) {
        each(&r);
        return;
    }
    r.blocks = (2 * units + r.rows - 1) / r.rows;
    if (r.blocks > (r.n + RUN - 1) / RUN)
        r.blocks = (r.n + RUN - 1) / RUN;
    r.run = (r.n + r.blocks - 1) / r.blocks;
    r.blocks = (r.n + r.run - 1) / r.run;
    r.bits = r.n < MANY ? NARROW_BITS : BITS;
    allocate(&r);
    if (r.blocks == 1 && r.wanted == 1)
        together(&r);
    else
        passes(&r);
}
