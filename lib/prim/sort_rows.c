/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort_rows.c - rows sorted in one kernel: by a work-item that counts for each element how
 * many precede it, by a group in local memory, or by a work-item of a CPU.
 */
#include "prim/sort_priv.h"

/* The number of rows per work-item of a CPU: about 8 work-items per core, each with at least 4096
 * elements. */
static int64_t rows_each(const gnd__sorter *s)
{
    int64_t each = gnd__ceil_div(s->rows, 8 * (int64_t)s->p->t->props->compute_units);
    int64_t least = gnd__ceil_div(4096, s->n);
    return each < least ? least : each;
}

/* Appends the result. */
static void result(gnd__sorter *s)
{
    gnd__pk_out(s->p, "y");
    gnd__sort_keep_params(s);
}

static int64_t result_bytes(const gnd__sorter *s)
{
    return s->rows * s->keep * (int64_t)gnd_dtype_size(s->p->dtype);
}

/* Appends before(), the order of two elements. */
static void order_defs(gnd__sorter *s)
{
    gnd__pk_defs(s->p,
                 s->esize == 24                ? "sort_before16"
                 : s->esize == 8               ? "sort_before4"
                 : gnd_dtype_kind(s->t) == 'c' ? "sort_before8_complex"
                                               : "sort_before8",
                 s->t);
}

void gnd__sort_short(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    int64_t per = rows_each(s), groups = gnd__ceil_div(s->rows, per);
    int cplx = gnd_dtype_kind(s->t) == 'c', size = (int)gnd_dtype_size(s->t);
    s->esize = cplx ? size + 8 : size == 8 ? 16 : 8;
    s->tpg = p->t->cpu ? 1 : gnd__prog_group(p, 256);
    s->ipt = 1;
    if (!p->t->cpu && (int64_t)s->tpg < s->n) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "%s: this device takes work-groups of %u work-items only",
                       gnd__prims[p->args->id].name, p->t->props->max_group);
        return;
    }
    if (!p->t->cpu)
        groups = gnd__ceil_div(s->rows, (int64_t)s->tpg / s->n);
    gnd__pk_begin(p, "k_short");
    gnd__pk_in(p, "x", 0);
    result(s);
    gnd__pk_int(p, "n", s->n);
    gnd__pk_int(p, "rows", s->rows);
    if (p->t->cpu)
        gnd__pk_int(p, "per", per);
    gnd__pk_def(p, "#define SHORT %d\n", GND__SORT_SHORT);
    gnd__sort_defs(s, 1, GND__SORT_KEYED);
    order_defs(s);
    gnd__pk_defs(p, "sort_short", s->t);
    gnd__pk_body(p, p->t->cpu ? "sort_short_cpu" : "sort_short_gpu", s->t);
    gnd__pk_end1(p, groups, s->tpg, gnd__prog_reads(p, 0), result_bytes(s));
}

/* Begins a kernel that selects. left: the memory of the rows left to the second, or -1. */
static void begin_select(gnd__sorter *s, const char *name, int left)
{
    gnd__prog *p = s->p;
    gnd__pk_begin(p, name);
    gnd__pk_in(p, "x", 0);
    result(s);
    gnd__pk_int(p, "n", s->n);
    if (left >= 0)
        gnd__pk_mem(p, "left", left, GND_UINT32);
    gnd__sort_defs(s, 1, GND__SORT_KEYED);
    gnd__pk_defs(p, "sort_ends", s->t);
    order_defs(s);
    gnd__sort_tile_defs(s);
}

void gnd__sort_select(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    const int64_t units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1;
    int64_t parts = 32, groups = s->rows;
    int bytes = 1, left = -1;
    while ((s->n - 1) >> (8 * bytes))
        bytes++;
    while (parts < 2 * s->keep)
        parts *= 2;
    if (parts <= (int64_t)s->tpg && s->rows < UINT32_MAX &&
        ((int64_t)s->tpg + 2 * parts) * (s->esize + 4) + 256 <= (int64_t)p->t->props->local_bytes) {
        left = gnd__prog_scratch(p, 4 * (1 + s->rows));
        gnd__prog_fill(p, left, GND_UINT32, 1, "0");
        begin_select(s, "k_bound", left);
        gnd__pk_def(p, "#define PARTS %d\n", (int)parts);
        gnd__pk_body(p, "sort_bound", s->t);
        gnd__pk_end1(p, s->rows, s->tpg, gnd__prog_reads(p, 0), result_bytes(s));
        groups = groups < 2 * units ? groups : 2 * units; /* usually no row is left */
    }
    begin_select(s, "k_select", left);
    if (left < 0)
        gnd__pk_int(p, "rows", s->rows);
    gnd__pk_def(p, "#define KEEP %d\n#define IDIGITS %d\n#define DIGITS %d\n", GND__SORT_SELECT,
                bytes, s->digits);
    gnd__pk_def(p, left < 0 ? "#define LEFT rows\n#define ROW(q) (q)\n"
                            : "#define LEFT (g_i64)left[0]\n#define ROW(q) (g_i64)left[1 + (q)]\n");
    gnd__pk_body(p, "sort_select", s->t);
    gnd__pk_end1(p, groups, s->tpg, gnd__prog_reads(p, 0), result_bytes(s));
}

void gnd__sort_rows(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    int64_t per = rows_each(s), items = gnd__ceil_div(s->rows, per),
            bytes = items * s->n * s->esize;
    int cpu = p->t->cpu;
    gnd__pk_begin(p, "k_rows");
    gnd__pk_in(p, "x", 0);
    result(s);
    gnd__pk_int(p, "n", s->n);
    if (cpu) {
        s->tpg = s->ipt = 1;
        gnd__pk_int(p, "rows", s->rows);
        gnd__pk_int(p, "per", per);
        gnd__pk_mem(p, "a", gnd__prog_scratch(p, bytes), gnd__sort_mem(s));
        if (s->arg || s->keep < s->n)
            gnd__pk_mem(p, "c", gnd__prog_scratch(p, bytes), gnd__sort_mem(s));
    }
    gnd__sort_defs(s, 1, GND__SORT_OWN);
    gnd__sort_digit_defs(s);
    gnd__pk_defs(p, "sort_ends", s->t);
    if (cpu) {
        gnd__pk_body(p, "sort_rows_cpu", s->t);
    } else {
        gnd__sort_tile_defs(s);
        gnd__pk_body(p, "sort_rows_gpu", s->t);
        gnd__pk_body(p, "sort_tile_slots", s->t);
        gnd__pk_body(p, "sort_rows_gpu_rounds", s->t);
        gnd__pk_body(p, "sort_round", s->t);
        gnd__pk_body(p, "sort_rows_gpu_end", s->t);
    }
    gnd__pk_end1(p, cpu ? items : s->rows, s->tpg, gnd__prog_reads(p, 0), result_bytes(s));
}

/* A group has at least 256 work-items, and a row fills more than half of its tile: shorter rows are
 * sorted by rounds of 4 bits (gnd__sort_rows). Groups of 1024 work-items are not used for elements
 * of 4 bytes, 16384 to a tile: only one such group is resident, which is slower than passes over
 * memory. */
int gnd__sort_warps(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    const int cuda = p->t->props->dialect == GND_DIALECT_CUDA, ipt = s->esize <= 4 ? 16 : 8;
    const int bits = s->esize <= 2 ? 16 : 32;
    const size_t most = gnd__prog_group(p, cuda && s->esize == 8 ? 1024 : 512);
    size_t tpg = 256, slots, words;
    while (tpg < most && (int64_t)tpg * ipt < s->n)
        tpg *= 2;
    slots = tpg * (size_t)ipt;
    words = tpg * (cuda ? 8 : 16); /* counts; outside of CUDA also bits */
    if (words < slots * (size_t)bits / 32)
        words = slots * (size_t)bits / 32;
    if (s->esize > 8 || tpg > most || (int64_t)slots < s->n || 2 * s->n <= (int64_t)slots ||
        4 * words + 2048 > p->t->props->local_bytes)
        return 0;
    s->tpg = tpg;
    s->ipt = (size_t)ipt;
    gnd__pk_begin(p, "k_rows");
    gnd__pk_in(p, "x", 0);
    result(s);
    gnd__pk_int(p, "n", s->n);
    gnd__sort_defs(s, 1, GND__SORT_OWN);
    gnd__sort_digit_defs(s);
    gnd__pk_defs(p, "sort_ends", s->t);
    if (s->esize == 8)
        gnd__pk_defs(p, "sort_words8", s->t);
    gnd__pk_def(p, "#define BUFW %d\n#define PIECE g_u%d\n", (int)words, bits);
    gnd__sort_warp_defs(s);
    gnd__pk_body(p, "sort_warps", s->t);
    gnd__pk_end1(p, s->rows, s->tpg, gnd__prog_reads(p, 0), result_bytes(s));
    return 1;
}
