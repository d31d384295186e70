/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort_long.c - radix sort of long rows, 8 bits per pass: each pass counts the digits of each
 * block of a row, turns the counts into positions, and moves the elements. On a GPU a group first
 * sorts a tile by the digit in local memory, so that it writes runs; on a CPU a work-item goes
 * through a block. On devices where groups may wait for one another, all passes are counted first,
 * and blocks are tiles that look back at those before them.
 */
#include "prim/sort_priv.h"

#include <string.h>

enum { TICKETS = 64, RUN = 256, LOOK = 4 };

/* The passes: blocks of a row and their length; scratch memory. b < 0: the result, where the
 * elements that the kernels move are as large as its own; the last pass reads a. */
typedef struct passes {
    gnd__sorter *s;
    int64_t nblk, len;
    int a, b, h, df, ctl;
    int chained; /* h: all counts; st: the states that tiles of a row publish */
    int st;
    int64_t tiles; /* words of st before those of tiles */
} passes;

static gnd_dtype count_dtype(const passes *l)
{
    return l->s->wide ? GND_INT64 : GND_UINT32;
}

/* Memory parameters of the element buffers. */
static void buffers(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    gnd_dtype t = gnd__sort_mem(s);
    if (s->digits > 1)
        gnd__pk_mem(p, "a", l->a, t);
    if (l->b < 0)
        gnd__pk_out(p, "b");
    else if (s->digits > 1)
        gnd__pk_mem(p, "b", l->b, t);
}

/* Allocates the buffers of elements. A single pass needs none. */
static void allocate(passes *l)
{
    const gnd__sorter *s = l->s;
    const int64_t bytes = s->rows * s->n * s->esize;
    const int several = s->digits > 1,
              own = s->keep == s->n && (size_t)s->esize == gnd_dtype_size(s->p->dtype);
    if (several)
        l->a = gnd__prog_scratch(s->p, bytes);
    if (own && (several || !s->arg)) /* not where the result has a part of each row */
        l->b = -1;
    else if (several)
        l->b = gnd__prog_scratch(s->p, bytes);
}

/* Digits of floats take less arithmetic if no element is NaN or -0: for sorts, not argsorts, on
 * GPUs. */
static int plain(const gnd__sorter *s)
{
    return gnd_dtype_kind(s->t) == 'f' && !s->arg && !s->p->t->cpu;
}

static void plain_defs(gnd__sorter *s)
{
    gnd__pk_defs(s->p, plain(s) ? "sort_plain" : "sort_not_plain", s->t);
}

/* Words of flags: the digits in which the elements of a block differ, and whether any element is
 * NaN or -0. */
static int df_words(const gnd__sorter *s)
{
    return (s->digits + 3) / 4 + plain(s);
}

static void block_params(passes *l, int pass, int counting)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    if (!l->chained)
        gnd__pk_mem(p, "h", l->h, count_dtype(l));
    if (s->digits > 1 && (pass > 0 || !counting))
        gnd__pk_mem(p, "ctl", l->ctl, GND_UINT32);
    gnd__pk_int(p, "n", s->n);
    gnd__pk_int(p, "nblk", l->nblk);
    gnd__pk_int(p, "len", l->len);
    if (pass == 0)
        gnd__pk_def(p, "#define pass 0\n");
    else
        gnd__pk_int(p, "pass", pass);
}

/* Bytes that a pass reads. */
static int64_t read_bytes(const passes *l, int pass)
{
    gnd__sorter *s = l->s;
    return pass == 0 ? gnd__prog_reads(s->p, 0) : s->rows * s->n * s->esize;
}

static void histogram(passes *l, int pass)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    int64_t blocks = s->rows * l->nblk;
    gnd__pk_begin(p, "k_count");
    if (pass == 0)
        gnd__pk_in(p, "x", 0);
    else
        buffers(l);
    block_params(l, pass, 1);
    if (pass == 0 && s->digits > 1)
        gnd__pk_mem(p, "df", l->df, GND_UINT32);
    gnd__sort_defs(s, pass == 0, GND__SORT_OWN);
    if (pass == 0 && s->digits > 1) {
        gnd__sort_digit_defs(s);
        plain_defs(s);
    }
    gnd__pk_def(p, "#define RUN %d\n", RUN);
    gnd__pk_body(p, "sort_hist", s->t);
    gnd__pk_body(p, p->t->cpu ? "sort_hist_cpu" : "sort_hist_gpu", s->t);
    gnd__pk_end1(p, blocks, p->t->cpu ? 1 : s->tpg, read_bytes(l, pass), blocks * 1024);
}

static void control(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    size_t local = p->t->cpu ? 1 : gnd__prog_group(p, 256);
    int64_t blocks = s->rows * l->nblk;
    gnd__pk_begin(p, "k_passes");
    gnd__pk_mem(p, "df", l->df, GND_UINT32);
    gnd__pk_mem(p, "ctl", l->ctl, GND_UINT32);
    gnd__pk_int(p, "nblocks", blocks);
    gnd__pk_def(p, "#define DIGITS %d\n#define WORDS %d\n#define TPG %d\n#define PLAIN %d\n",
                s->digits, df_words(s), (int)local, plain(s));
    gnd__pk_body(p, "sort_ctl", s->t);
    gnd__pk_body(p, "sort_ctl_end", s->t);
    gnd__pk_end1(p, 1, local, blocks * 4 * df_words(s), s->digits * 4);
}

static void scan(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    int64_t bytes = s->rows * l->nblk * 256 * (s->wide ? 8 : 4);
    size_t local = 1;
    if (!p->t->cpu)
        local = gnd__prog_group(p, l->nblk >= 16 ? 1024 : 256);
    gnd__pk_begin(p, "k_positions");
    gnd__pk_mem(p, "h", l->h, count_dtype(l));
    gnd__pk_int(p, "nblk", l->nblk);
    gnd__pk_def(p, "#define COUNT %s\n#define TPG %d\n", s->wide ? "g_i64" : "g_u32", (int)local);
    gnd__sort_unroll_defs(p);
    gnd__pk_body(p, p->t->cpu ? "sort_scan_cpu" : "sort_scan_gpu", s->t);
    gnd__pk_end1(p, s->rows, local, bytes, bytes);
}

/* The tile of a GPU: large, for long runs and few tiles, but small enough for four groups per
 * multiprocessor with 64 registers per work-item. Local memory: elements; counts of rows and,
 * except on CUDA, bits; sums and places. Tuned for elements of up to 8 bytes. */
static void choose_tile(gnd__sorter *s)
{
    const size_t e = (size_t)s->esize, rows = s->p->t->props->dialect == GND_DIALECT_CUDA ? 32 : 64;
    const int *tuned = s->p->t->tune->v;
    s->tpg = gnd__prog_group(s->p, e <= 8 ? (size_t)tuned[GND__TUNE_SORT_GROUP] : 256);
    s->ipt = e <= 4    ? (size_t)tuned[GND__TUNE_SORT_ITEMS4]
             : e == 8  ? (size_t)tuned[GND__TUNE_SORT_ITEMS8]
             : e == 16 ? 9
                       : 6;
    while (s->tpg > 32 && s->tpg * (s->ipt * e + rows) + 3584 > s->p->t->props->local_bytes)
        if (s->ipt * e > 96)
            s->ipt--;
        else
            s->tpg /= 2;
}

void gnd__sort_warp_defs(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    plain_defs(s);
    gnd__pk_def(p, "#define ROWS %d\n#define LOOK %d\n", (int)s->tpg / 32, LOOK);
    gnd__pk_defs(p, "sort_each", s->t);
    gnd__pk_defs(p, "sort_peers", s->t);
    gnd__pk_defs(p, "sort_together", s->t);
    gnd__pk_resident(p, 1024 / (int)s->tpg); /* of 64 registers */
}

static void scatter(passes *l, int pass)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    int cpu = p->t->cpu;
    gnd__pk_begin(p, "k_move");
    if (pass == 0)
        gnd__pk_in(p, "x", 0);
    buffers(l);
    if (s->arg || s->keep < s->n)
        gnd__pk_out(p, "y");
    gnd__sort_keep_params(s);
    block_params(l, pass, 0);
    if (l->chained) {
        gnd__pk_mem(p, "st", l->st, count_dtype(l));
        gnd__pk_int(p, "tiles", l->tiles);
        gnd__pk_def(p, "#define h (st + %d)\n", TICKETS);
    }
    gnd__pk_def(p, "#define DIGITS %d\n", s->digits);
    gnd__sort_defs(s, pass == 0, GND__SORT_OWN);
    gnd__pk_def(p, "#define CHAINED %d\n#define RUN %d\n", l->chained, RUN);
    gnd__pk_defs(p, "sort_ends", s->t);
    if (cpu) {
        gnd__pk_body(p, "sort_scatter_cpu", s->t);
        gnd__pk_body(p, "sort_from_to", s->t);
        gnd__pk_body(p, "sort_scatter_cpu_move", s->t);
    } else {
        gnd__sort_warp_defs(s);
        gnd__pk_body(p, "sort_move_gpu", s->t);
        gnd__pk_body(p, "sort_from_to", s->t);
        gnd__pk_body(p, "sort_move_gpu_tile", s->t);
    }
    gnd__pk_end1(p, s->rows * l->nblk, cpu ? 1 : s->tpg, read_bytes(l, pass),
                 s->rows * s->n * s->esize);
}

/* A word of the tickets' that no pass takes. */
static void any_odd_def(gnd__sorter *s)
{
    gnd__pk_def(s->p, "#define ANY_ODD ((GND_GLOBAL g_u32 *)st)[%d]\n", TICKETS - 1);
}

/* Counts all digits, in as many copies in local memory as fit 16 KiB. A work-item loads 8 elements
 * at once. */
static void count_all(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    const size_t tpg = s->tpg, group = gnd__prog_group(p, 512);
    const int64_t blocks = 8 * (int64_t)p->t->props->compute_units, step = 8 * (int64_t)group;
    const int64_t each = gnd__ceil_div(s->rows * s->n, step * blocks) * step,
                  per = gnd__ceil_div(s->n, each);
    int copies = s->digits <= 4 ? 4 : s->digits <= 8 ? 2 : 1;
    if ((uint64_t)copies * s->digits * 1024 > p->t->props->local_bytes)
        copies = 1;
    s->tpg = group;
    gnd__pk_begin(p, "k_count");
    gnd__pk_in(p, "x", 0);
    gnd__pk_mem(p, "st", l->st, count_dtype(l));
    gnd__pk_int(p, "n", s->n);
    gnd__pk_int(p, "nblk", per);
    gnd__pk_int(p, "len", each);
    gnd__pk_def(p, "#define h (st + %d)\n#define COPIES %d\n#define ADD gnd_aadd_%s\n", TICKETS,
                copies, s->wide ? "i64" : "u32");
    gnd__sort_defs(s, 1, GND__SORT_OWN);
    gnd__sort_digit_defs(s);
    plain_defs(s);
    any_odd_def(s);
    gnd__pk_body(p, "sort_count_all", s->t);
    gnd__pk_end1(p, s->rows * per, s->tpg, gnd__prog_reads(p, 0), s->rows * s->digits * 1024);
    s->tpg = tpg;
}

/* Places of the counts, and which passes are to be made. */
static void places(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    const int64_t bytes = s->rows * s->digits * 256 * (s->wide ? 8 : 4);
    const size_t local = gnd__prog_group(p, 256);
    gnd__pk_begin(p, "k_places");
    gnd__pk_mem(p, "st", l->st, count_dtype(l));
    gnd__pk_mem(p, "df", l->df, GND_UINT32);
    gnd__pk_int(p, "n", s->n);
    gnd__pk_def(p, "#define h (st + %d)\n#define COUNT %s\n#define TPG %d\n", TICKETS,
                s->wide ? "g_i64" : "g_u32", (int)local);
    gnd__pk_body(p, "sort_places", s->t);
    gnd__pk_end1(p, s->rows * s->digits, local, bytes, bytes);
    if (s->digits == 1)
        return;
    gnd__pk_begin(p, "k_passes");
    gnd__pk_mem(p, "df", l->df, GND_UINT32);
    gnd__pk_mem(p, "ctl", l->ctl, GND_UINT32);
    gnd__pk_mem(p, "st", l->st, count_dtype(l));
    gnd__pk_int(p, "rows", s->rows);
    gnd__pk_def(p, "#define DIGITS %d\n#define TPG %d\n#define PLAIN %d\n", s->digits, (int)local,
                plain(s));
    any_odd_def(s);
    gnd__pk_body(p, "sort_ctl_places", s->t);
    gnd__pk_body(p, "sort_ctl_end", s->t);
    gnd__pk_end1(p, 1, local, s->rows * s->digits * 4, s->digits * 4);
}

/* The passes by looking back: see kernels/sort_move.cl. st: tickets, counts, what tiles know. */
static void chain(passes *l)
{
    gnd__sorter *s = l->s;
    gnd__prog *p = s->p;
    int64_t words;
    l->chained = 1;
    s->wide = s->n >= (int64_t)1 << 30; /* two bits of a word are a code */
    l->len = (int64_t)(s->tpg * s->ipt);
    l->nblk = gnd__ceil_div(s->n, l->len);
    l->tiles = TICKETS + s->rows * s->digits * 256;
    words = l->tiles + s->rows * l->nblk * 256;
    l->st = gnd__prog_scratch(p, words * (s->wide ? 8 : 4));
    l->df = gnd__prog_scratch(p, s->rows * s->digits * 4);
    if (s->digits > 1)
        l->ctl = gnd__prog_scratch(p, (s->digits + 1) * 4);
    allocate(l);
    gnd__prog_fill(p, l->st, count_dtype(l), words, "0");
    count_all(l);
    places(l);
    for (int pass = 0; pass < s->digits; pass++)
        scatter(l, pass);
}

void gnd__sort_long(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    passes l = {.s = s};
    int64_t units = p->t->props->compute_units;
    int64_t tile, tiles, want;
    s->wide = s->n > UINT32_MAX;
    if (p->t->cpu) {
        s->tpg = s->ipt = 1;
        tile = 4096;
        want = 2 * units;
    } else {
        choose_tile(s);
        tile = (int64_t)(s->tpg * s->ipt);
        if (p->t->waits && s->rows * gnd__ceil_div(s->n, tile) <= INT32_MAX) {
            chain(&l);
            return;
        }
        want = 8 * units;
    }
    /* blocks of whole tiles, so many that all rows together have `want` */
    tiles = gnd__ceil_div(s->n, tile);
    l.nblk = want / s->rows;
    l.nblk = l.nblk < 1 ? 1 : l.nblk > tiles ? tiles : l.nblk;
    l.len = gnd__ceil_div(tiles, l.nblk) * tile;
    l.nblk = gnd__ceil_div(s->n, l.len);
    l.h = gnd__prog_scratch(p, s->rows * l.nblk * 256 * (s->wide ? 8 : 4));
    if (s->digits > 1) {
        l.df = gnd__prog_scratch(p, s->rows * l.nblk * 4 * df_words(s));
        l.ctl = gnd__prog_scratch(p, (s->digits + 1) * 4);
    }
    allocate(&l);
    for (int pass = 0; pass < s->digits; pass++) {
        histogram(&l, pass);
        if (pass == 0 && s->digits > 1)
            control(&l);
        scan(&l);
        scatter(&l, pass);
    }
}
