/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate_floats.c - see accumulate.h: sums of floats by index; the texts are in
 * kernels/accumulate.cl and kernels/deal.cl. Rows have a way of their own (accumulate_rows.c).
 */
#include "prim/accumulate.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "prim/accumulate_priv.h"

enum {
    DEAL_GROUP = 512,
    DEAL_LOCAL = 40960, /* bytes of local memory for the sums of a bin */
    DEAL_LEAST = 256,   /* fewest bins, because each is a group's work; and most bins */
    DEAL_BINS = 1024,
    DEAL_VALUES = 1 << 20, /* fewest values */
    FEW = 4, /* places for each value and compute unit from which on a CPU looks at those alone */
    FEW_VALUES = 1 << 22 /* most values then */
};

typedef gnd__accsums sums;

void gnd__acc_macros(const sums *s)
{
    gnd__prog *p = s->w.p;
    char add[32];
    const char *r = gnd__suffix(s->real), *add64 = gnd__acc_atomic(p, GND_INT64, add);
    gnd__pk_def(p, "#define PARTS %d\n#define WORDS %d\n#define OWN %d\n", s->parts, s->words,
                s->w.own);
    gnd__pk_def(p, "#define VALUE %s\n#define PART(v, c) %s\n", gnd__ctype_value(s->t),
                s->parts == 2 ? "((c) ? (v).y : (v).x)" : "(v)");
    gnd__pk_def(p, "#define SCALE(e) (%d - (e))\n", 61 - s->bits);
    gnd__pk_def(p, "#define LIMIT %d\n#define EXACT(all) ((all)[0] + (all)[1] <= LIMIT)\n",
                61 - s->bits + (s->words == 2 ? s->low : 0));
    if (s->big < 0)
        gnd__pk_def(p, "#define SOME(all) 1\n#define PICKED(p) 1\n");
    else
        gnd__pk_def(p, "#define SOME(all) ((all)[2] == 1)\n#define PICKED(p) big[(p) >> %d]\n",
                    s->shift);
    gnd__pk_def(p, "#define ADD64(p, v) %s(p, v)\n", add64);
    if (s->words == 1) {
        gnd__pk_def(p, "#define SUM(p, x, s) %s(p, gnd_fix_%s(x, s))\n", add64, r);
        gnd__pk_def(p, "#define LSUM(p, x, s) gnd_ladd_i64(p, gnd_fix_%s(x, s))\n", r);
        gnd__pk_def(p, "#define OWNSUM(p, x, s) *(p) += gnd_fix_%s(x, s)\n", r);
        return;
    }
    gnd__pk_def(p,
                "#define PAIR(add, p, x, s) { add(p, gnd_fixhi_%s(x, s)); add((p) + 1, "
                "gnd_fixlo_%s(x, s, %d)); }\n",
                r, r, s->low);
    gnd__pk_def(p,
                "#define SUM(p, x, s) PAIR(%s, p, x, s)\n"
                "#define LSUM(p, x, s) PAIR(gnd_ladd_i64, p, x, s)\n"
                "#define PLUS(p, v) *(p) += (v)\n#define OWNSUM(p, x, s) PAIR(PLUS, p, x, s)\n",
                add64);
}

/* Begins a kernel that reads positions (if pos), values and the largest exponents. */
static void begin(const sums *s, const char *name, int pos, int acc)
{
    gnd__prog *p = s->w.p;
    gnd__pk_begin(p, name);
    gnd__pk_mem(p, "all", s->all, GND_INT32);
    if (s->big >= 0)
        gnd__pk_mem(p, "big", s->big, GND_INT32);
    if (pos) {
        gnd__pk_mem(p, "top", s->top, GND_INT32);
        gnd__acc_pos(p);
        gnd__pk_int(p, "m", s->w.m);
        gnd__pk_int(p, "per", s->w.per);
    }
    if (acc) {
        gnd__pk_mem(p, "acc", s->acc, GND_INT64);
        gnd__pk_mem(p, "odd", s->odd, GND_INT32);
    }
    gnd__pk_in(p, "val", 1);
    gnd__pk_int(p, "n", s->w.n);
    gnd__acc_macros(s);
}

/* Adds the kernel `text` for the chosen method. wr: bytes of a place. */
static void spread(const sums *s, const char *name, const char *text, int acc, int64_t wr)
{
    const gnd__acc *w = &s->w;
    gnd__prog *p = w->p;
    char full[32];
    int local = w->nb && p->t->props->has_atomic64;
    strcpy(full, text);
    begin(s, name, 1, acc);
    if (local)
        gnd__pk_def(p, "#define NB %d\n", w->nb);
    strcat(full, w->own ? "_own" : local ? "_local" : "");
    if (acc)
        gnd__pk_defs(p, "acc_parts", s->real);
    gnd__pk_body(p, full, s->real);
    gnd__acc_end_values(w, (w->own ? w->own * w->m : local ? w->groups * w->m : w->n) * wr);
}

void gnd__acc_totals(const sums *s)
{
    gnd__prog *p = s->w.p;
    const int both = s->parts == 2;
    if (p->nin == 3)
        gnd__pk_in(p, "base", 2);
    gnd__pk_def(p, "#define BASE(i, c) %s\n",
                p->nin < 3 ? "0"
                : both     ? "PART(IN_base(i), c)"
                           : "IN_base(i)");
    if (s->words == 1)
        gnd__pk_def(p, "#define TOTAL(b, a, s, f) gnd_unfix_%s(b, (a)[0], s, f)\n",
                    gnd__suffix(s->real));
    else
        gnd__pk_def(p, "#define TOTAL(b, a, s, f) gnd_unfix2_%s(b, (a)[0], (a)[1], s, %d, f)\n",
                    gnd__suffix(s->real), s->low);
    if (both)
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, gnd_cplx_%s((r)[0], (r)[1]))\n",
                    gnd__suffix(s->t), gnd__suffix(s->t));
    else if (s->t == GND_FLOAT16 || s->t == GND_BFLOAT16)
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, gnd_round_%s((r)[0]))\n",
                    gnd__suffix(s->t), gnd__suffix(s->t));
    else
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, (r)[0])\n", gnd__suffix(s->t));
}

/* --- many places: values are dealt out to bins of neighbouring places first (kernels/deal.cl) ---
 */

/* Whether values are dealt out: there must be enough values for each place and enough bins, and
 * they must fit. */
static int deals(sums *s)
{
    const gnd__prog *p = s->w.p;
    const int64_t n = s->w.n, m = s->w.m;
    int most = 0;
    while ((int64_t)(s->parts * (8 * s->words + 4)) << (most + 1) <= DEAL_LOCAL)
        most++;
    for (s->shift = 4; s->shift < most && m >> s->shift > DEAL_BINS / 2;)
        s->shift++;
    s->bins = gnd__acc_ceil(m, (int64_t)1 << s->shift);
    for (s->nbins = DEAL_LEAST; s->nbins < s->bins;)
        s->nbins *= 2;
    /* float64 has two words, and two words of sums. At most 64 registers let two groups run at
     * once. Where a kernel cannot ask for that, the number of values of a work-item limits them */
    s->vw = s->parts * s->words;
    s->ipt = (p->t->props->dialect == GND_DIALECT_CUDA ? 16 : 12) / s->vw;
    s->tiles = gnd__acc_ceil(n, DEAL_GROUP * s->ipt);
    return !p->t->cpu && gnd__prog_group(p, DEAL_GROUP) == DEAL_GROUP &&
           p->t->props->local_bytes >= 48 << 10 && s->bins >= DEAL_LEAST && s->bins <= DEAL_BINS &&
           n >= DEAL_VALUES && n >= 4 * m && n <= INT32_MAX;
}

/* Begins one of the two kernels. */
static void begin_deal(const sums *s, const char *name, const int mem[3])
{
    gnd__prog *p = s->w.p;
    gnd__pk_begin(p, name);
    gnd__pk_mem(p, "all", s->all, GND_INT32);
    gnd__pk_mem(p, "lv", mem[0], GND_UINT32);
    gnd__pk_mem(p, "lp", mem[1], GND_UINT16);
    gnd__pk_mem(p, "off", mem[2], GND_UINT32);
    gnd__pk_int(p, "n", s->w.n);
    gnd__pk_int(p, "tiles", s->tiles);
    gnd__acc_macros(s);
    gnd__pk_def(
        p, "#define TPG %d\n#define IPT %d\n#define NBINS %d\n#define SHIFT %d\n#define VW %d\n",
        DEAL_GROUP, s->ipt, s->nbins, s->shift, s->vw);
    gnd__pk_defs(p, "warps", s->real);
    gnd__pk_defs(p, "deal_scan", s->real);
}

/* Adds all sums except those of bins with too many values. */
static void deal(const sums *s)
{
    gnd__prog *p = s->w.p;
    const int64_t table = s->tiles * s->bins * 4, values = s->w.n * 4 * s->vw, places = s->w.n * 2;
    const int mem[3] = {gnd__prog_scratch(p, values), gnd__prog_scratch(p, places),
                        gnd__prog_scratch(p, table)};
    begin_deal(s, "k_deal", mem);
    gnd__acc_pos(p);
    gnd__pk_in(p, "val", 1);
    gnd__pk_int(p, "bins", s->bins);
    gnd__pk_body(p, "deal", s->real);
    gnd__pk_resident(p, 2);
    gnd__pk_end1(p, s->tiles, DEAL_GROUP, gnd__acc_reads(&s->w), values + places + table);
    begin_deal(s, "k_bins", mem);
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "big", s->big, GND_INT32);
    gnd__pk_int(p, "m", s->w.m);
    gnd__pk_int(p, "most", 4 * s->w.n / s->bins);
    gnd__acc_totals(s);
    if (s->words == 1)
        gnd__pk_def(
            p, "#define LOCALSUM(q, x, s) gnd_lsum_i64(lo + (q), hi + (q), gnd_fix_f32(x, s))\n");
    else
        gnd__pk_def(
            p,
            "#define LOCALSUM(q, x, s) { gnd_lsum_i64(lo + (q), hi + (q), gnd_fixhi_f64(x, s)); "
            "gnd_lsum_i64(lo + (q) + 1, hi + (q) + 1, gnd_fixlo_f64(x, s, %d)); }\n",
            s->low);
    gnd__pk_defs(p, "deal_defs", s->real);
    gnd__pk_body(p, "deal_bins", s->real);
    gnd__pk_resident(p, 4 / s->vw);
    gnd__pk_end1(p, s->bins, DEAL_GROUP, values + places + 2 * table,
                 p->size * (int64_t)gnd_dtype_size(p->dtype));
}

/* On CPUs, of many places with few values: the base of all, and then one work-item that adds the
 * values of each place that has any. Clearing and reading sums of all places would take longer. */
static int few(const sums *s)
{
    gnd__prog *p = s->w.p;
    int64_t room = 2;
    if (!p->t->cpu || s->w.n > FEW_VALUES || s->w.m / (FEW * gnd__acc_units(p)) < s->w.n)
        return 0;
    while (room < 2 * s->w.n)
        room *= 2;
    const int head = gnd__prog_scratch(p, 4 * room), next = gnd__prog_scratch(p, 4 * s->w.n);
    gnd__acc_base(p);
    gnd__pk_begin(p, "k_few");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "head", head, GND_INT32);
    gnd__pk_mem(p, "next", next, GND_INT32);
    gnd__acc_pos(p);
    gnd__pk_in(p, "val", 1);
    gnd__pk_int(p, "n", s->w.n);
    gnd__pk_int(p, "mask", room - 1);
    gnd__acc_macros(s);
    gnd__acc_totals(s);
    gnd__pk_body(p, "acc_few", s->real);
    gnd__pk_end1(p, 1, 1, gnd__acc_reads(&s->w), s->w.n * (int64_t)gnd_dtype_size(p->dtype));
    return 1;
}

/* Begins a kernel that clears exponents and sums of so many cells. */
static void begin_clear(const sums *s, int64_t cells)
{
    gnd__prog *p = s->w.p;
    gnd__pk_begin(p, "k_clear");
    gnd__pk_mem(p, "all", s->all, GND_INT32);
    gnd__pk_mem(p, "top", s->top, GND_INT32);
    gnd__pk_mem(p, "odd", s->odd, GND_INT32);
    gnd__pk_mem(p, "acc", s->acc, GND_INT64);
    gnd__pk_int(p, "cells", cells);
    gnd__acc_macros(s);
}

/* Clears what the kernels need that process the bins with too many values. */
static void clear_dealt(const sums *s, int64_t cells)
{
    gnd__prog *p = s->w.p;
    begin_clear(s, cells);
    gnd__pk_body(p, "deal_clear", s->real);
    gnd__pk_end1(p, 2 * gnd__acc_units(p), s->w.local, 12, cells * (8 + 8 * s->words));
}

/* Clears everything; work-items with places of their own clear these themselves. */
static void clear(const sums *s, int64_t cells)
{
    const int64_t each = s->w.own ? cells : cells * s->words;
    begin_clear(s, cells);
    gnd__pk_body(s->w.p, "acc_clear", s->real);
    gnd__acc_end_each(&s->w, each > 3 ? each : 3, 0,
                      12 + cells * (s->w.own ? 4 : 8 + 8 * s->words));
}

/* Finds the exponents of all values. */
static void span(const sums *s)
{
    gnd__prog *p = s->w.p;
    gnd__acc w = {.p = p, .n = s->w.n};
    begin(s, "k_span", 0, 0);
    gnd__acc_spread(&w);
    gnd__pk_int(p, "per", w.per);
    gnd__pk_def(p, s->words == 2 ? "#define SPAN_BITS g_u64\n#define SPAN_INF ((g_u64)2047 << 52)\n"
                                   "#define SPAN_ABS (((g_u64)1 << 63) - 1)\n"
                                   "#define SPAN_MANT (((g_u64)1 << 52) - 1)\n"
                                 : "#define SPAN_BITS g_u32\n#define SPAN_INF (255u << 23)\n"
                                   "#define SPAN_ABS 0x7fffffffu\n#define SPAN_MANT 0x7fffffu\n");
    gnd__pk_body(p, "acc_span", s->real);
    gnd__pk_end1(p, w.groups, w.local, gnd__prog_reads(p, 1), w.groups * 8);
}

void gnd__acc_floats(gnd__prog *p)
{
    sums s = {.t = p->dtype, .real = gnd__real_of(p->dtype), .big = -1};
    int64_t cells;
    if (s.real != GND_FLOAT64)
        s.real = GND_FLOAT32;
    s.parts = gnd_dtype_kind(p->dtype) == 'c' ? 2 : 1;
    s.words = s.real == GND_FLOAT64 ? 2 : 1;
    for (s.bits = 1; s.bits < 62 && ((int64_t)1 << s.bits) < p->in[1].size + 1;)
        s.bits++;
    s.low = 62 - s.bits;
    s.w = gnd__acc_choose(p, 8 * s.parts * s.words);
    if (few(&s) || gnd__acc_by_rows(&s))
        return;
    cells = s.w.m * s.parts;
    const int dealt = deals(&s);
    s.all = gnd__prog_scratch(p, 12);
    s.odd = gnd__prog_scratch(p, cells * 4);
    s.top = gnd__prog_scratch(p, cells * 4 * (s.w.own ? s.w.own : 1));
    s.acc = gnd__prog_scratch(p, cells * 8 * s.words * (s.w.own ? s.w.own : 1));
    if (dealt) {
        gnd__prog_fill(p, s.all, GND_INT32, 3, "-100000");
        /* the following kernels are for bins with too many values: few groups, because usually no
         * bin has so many */
        s.big = gnd__prog_scratch(p, s.bins * 4);
        deal(&s);
        clear_dealt(&s, cells);
        s.w.per = gnd__acc_ceil(gnd__acc_ceil(s.w.n, 8 * gnd__acc_units(p)), (int64_t)s.w.local) *
                  (int64_t)s.w.local;
        s.w.groups = gnd__acc_ceil(s.w.n, s.w.per);
    } else {
        clear(&s, cells);
        span(&s);
    }
    /* the exponents of each place's values */
    spread(&s, "k_top", "acc_top", 0, 4 * s.parts);
    if (s.w.own) {
        gnd__pk_begin(p, "k_top_join");
        gnd__pk_mem(p, "all", s.all, GND_INT32);
        gnd__pk_mem(p, "top", s.top, GND_INT32);
        gnd__pk_int(p, "m", s.w.m);
        gnd__acc_macros(&s);
        gnd__pk_body(p, "acc_top_join", s.real);
        gnd__acc_end_each(&s.w, cells, cells * 4 * s.w.own, cells * 4);
    }
    spread(&s, "k_sum", "acc_sum", 1, 8 * s.parts * s.words);
    gnd__pk_begin(p, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "all", s.all, GND_INT32);
    if (s.big >= 0)
        gnd__pk_mem(p, "big", s.big, GND_INT32);
    gnd__pk_mem(p, "top", s.top, GND_INT32);
    gnd__pk_mem(p, "odd", s.odd, GND_INT32);
    gnd__pk_mem(p, "acc", s.acc, GND_INT64);
    gnd__pk_int(p, "m", s.w.m);
    gnd__acc_macros(&s);
    gnd__acc_totals(&s);
    gnd__pk_body(p, "acc_sum_end", s.real);
    gnd__acc_end_each(&s.w, s.w.m, cells * (8 * s.words + 8),
                      p->size * (int64_t)gnd_dtype_size(p->dtype));
}
