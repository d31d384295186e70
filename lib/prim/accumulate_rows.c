/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate_rows.c - see accumulate.h: sums of rows of floats by index on GPUs, without an
 * atomic operation for each value. The texts are in kernels/deal_rows.cl.
 */
#include "prim/accumulate.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "prim/accumulate_priv.h"

enum {
    TPG = 256, /* work-items of a group */
    IPT = 8,   /* rows of a work-item that counts */
    CELLS = 2048,
    WARP = 32,
    PIECE = 256,     /* rows of a piece, for each row that a unit reads at once */
    LEAST = 1 << 19, /* fewest values; with fewer, the number of kernels counts */
    ROW_BYTES = 32   /* shortest row: with shorter ones, the order takes too much memory */
};

typedef struct by_rows {
    const gnd__accsums *s;
    int64_t n, m, cols, chunks, pieces; /* rows, places, columns; units of a place; pieces */
    int cl, ql, most, few;              /* as in the text */
    int cnt, start, slot, which, state, rank, order, top, odd, acc; /* scratch */
} by_rows;

/* Chooses the shape of a unit: its columns, and no more rows than most places have. */
static by_rows shaped(const gnd__accsums *s)
{
    const gnd__prog *p = s->w.p;
    by_rows r = {.s = s, .n = p->in[0].size, .cl = 1, .few = 1};
    r.cols = p->in[1].size / r.n * s->parts;
    r.m = p->size * s->parts / r.cols;
    while (r.cl < WARP && r.cl < r.cols)
        r.cl *= 2;
    for (r.ql = WARP / r.cl; r.ql > 1 && r.ql > r.n / r.m;)
        r.ql /= 2;
    r.chunks = gnd__acc_ceil(r.cols, r.cl);
    r.most = PIECE * r.ql;
    while (1 << r.few < r.most + 1)
        r.few++;
    r.pieces = gnd__acc_ceil(r.n, r.most);
    return r;
}

static void begin(const by_rows *r, const char *name)
{
    gnd__prog *p = r->s->w.p;
    gnd__pk_begin(p, name);
    gnd__pk_mem(p, "state", r->state, GND_UINT32);
    gnd__pk_int(p, "n", r->n);
    gnd__pk_int(p, "m", r->m);
    gnd__pk_int(p, "cols", r->cols);
    gnd__pk_def(p, "#define TPG %d\n#define MOST %d\n", TPG, r->most);
}

static void sums_of_pieces(const by_rows *r)
{
    gnd__prog *p = r->s->w.p;
    gnd__pk_mem(p, "slot", r->slot, GND_UINT32);
    gnd__pk_mem(p, "top", r->top, GND_INT32);
    gnd__pk_mem(p, "odd", r->odd, GND_INT32);
    gnd__pk_mem(p, "acc", r->acc, GND_INT64);
    gnd__acc_macros(r->s);
}

/* Begins a kernel of units. */
static void begin_units(const by_rows *r, const char *name)
{
    gnd__prog *p = r->s->w.p;
    begin(r, name);
    gnd__pk_mem(p, "cnt", r->cnt, GND_UINT32);
    gnd__pk_mem(p, "start", r->start, GND_UINT32);
    gnd__pk_mem(p, "order", r->order, GND_UINT32);
    sums_of_pieces(r);
    gnd__pk_in(p, "pos", 0);
    gnd__pk_in(p, "val", 1);
    if (r->chunks > 1)
        gnd__pk_int(p, "chunks", r->chunks);
    gnd__pk_def(p, "#define CL %d\n#define QL %d\n#define CHUNKS %s\n#define FEW %d\n", r->cl,
                r->ql, r->chunks > 1 ? "chunks" : "1", r->few);
    gnd__pk_defs(p, "rows_defs", r->s->real);
}

/* Orders the numbers of rows by place, and clears what pieces add to: so many cells. */
static void order_rows(const by_rows *r, int64_t cells)
{
    gnd__prog *p = r->s->w.p;
    begin(r, "k_clear");
    gnd__pk_mem(p, "cnt", r->cnt, GND_UINT32);
    gnd__pk_int(p, "cells", cells);
    sums_of_pieces(r);
    gnd__pk_body(p, "rows_clear", r->s->real);
    gnd__acc_end_each(&r->s->w, r->m > cells ? r->m : cells, 0,
                      r->m * 4 + cells * (8 + 8 * r->s->words));
    begin(r, "k_count");
    gnd__pk_mem(p, "cnt", r->cnt, GND_UINT32);
    gnd__pk_mem(p, "rank", r->rank, GND_UINT32);
    gnd__pk_in(p, "pos", 0);
    gnd__pk_def(p, "#define IPT %d\n#define CELLS %d\n", IPT, CELLS);
    gnd__pk_body(p, "rows_count", r->s->real);
    gnd__pk_end1(p, gnd__acc_ceil(r->n, TPG * IPT), TPG, gnd__prog_reads(p, 0),
                 r->n * 4 + r->m * 4);
    begin(r, "k_start");
    gnd__pk_mem(p, "cnt", r->cnt, GND_UINT32);
    gnd__pk_mem(p, "start", r->start, GND_UINT32);
    gnd__pk_mem(p, "which", r->which, GND_UINT32);
    gnd__pk_mem(p, "slot", r->slot, GND_UINT32);
    gnd__pk_body(p, "rows_start", r->s->real);
    gnd__pk_end1(p, gnd__acc_ceil(r->m, TPG), TPG, r->m * 4, r->m * 4);
    begin(r, "k_place");
    gnd__pk_mem(p, "start", r->start, GND_UINT32);
    gnd__pk_mem(p, "rank", r->rank, GND_UINT32);
    gnd__pk_mem(p, "order", r->order, GND_UINT32);
    gnd__pk_in(p, "pos", 0);
    gnd__pk_body(p, "rows_place", r->s->real);
    gnd__acc_end_each(&r->s->w, r->n, gnd__prog_reads(p, 0) + r->n * 8, r->n * 4);
}

/* Adds up the rows of each place. */
static void sum_rows(const by_rows *r, int64_t slots)
{
    gnd__prog *p = r->s->w.p;
    const int64_t units = TPG / (r->cl * r->ql), groups = gnd__acc_ceil(r->m * r->chunks, units),
                  more = gnd__acc_ceil(r->pieces * r->chunks, units),
                  written = p->size * (int64_t)gnd_dtype_size(p->dtype);
    begin_units(r, "k_rows");
    gnd__pk_out(p, "y");
    gnd__pk_int(p, "groups", groups);
    gnd__acc_totals(r->s);
    gnd__pk_body(p, "rows_sum", r->s->real);
    gnd__pk_resident(p, 6);
    gnd__pk_end1(p, groups + more, TPG, gnd__prog_reads(p, 1) + r->n * 4 + r->m * 8, written);
    /* rarely any: the two kernels end at once where no place has so many rows */
    begin_units(r, "k_pieces");
    gnd__pk_body(p, "rows_pieces", r->s->real);
    gnd__pk_end1(p, more, TPG, 4, 0);
    begin(r, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "which", r->which, GND_UINT32);
    sums_of_pieces(r);
    gnd__acc_totals(r->s);
    gnd__pk_body(p, "rows_end", r->s->real);
    gnd__acc_end_each(&r->s->w, slots * r->cols / r->s->parts, 4, 0);
}

int gnd__acc_by_rows(gnd__accsums *s)
{
    gnd__prog *p = s->w.p;
    const int64_t n = p->in[0].size, size = (int64_t)gnd_dtype_size(s->t);
    if (p->t->cpu || gnd__prog_group(p, TPG) != TPG || p->in[1].size < LEAST || n > INT32_MAX ||
        p->in[1].size / n * size < ROW_BYTES || p->size > (int64_t)UINT32_MAX)
        return 0;
    by_rows r = shaped(s);
    const int64_t slots = r.n / (r.most + 1) + 1, cells = slots * r.cols;
    s->w.local = TPG;
    r.state = gnd__prog_scratch(p, 8);
    r.cnt = gnd__prog_scratch(p, r.m * 4);
    r.start = gnd__prog_scratch(p, r.m * 4);
    r.slot = gnd__prog_scratch(p, r.m * 4);
    r.which = gnd__prog_scratch(p, slots * 4);
    r.rank = gnd__prog_scratch(p, r.n * 4);
    r.order = gnd__prog_scratch(p, r.n * 4);
    r.top = gnd__prog_scratch(p, cells * 4);
    r.odd = gnd__prog_scratch(p, cells * 4);
    r.acc = gnd__prog_scratch(p, cells * 8 * s->words);
    order_rows(&r, cells);
    sum_rows(&r, slots);
    return 1;
}
