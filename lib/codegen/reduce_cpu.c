/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_cpu.c - reductions on CPU devices, and the kernel that ends a split reduction.
 *
 * One work-item per task, in groups of one: each walks a run of memory in blocks. Along the last
 * axis ("rows") a block is 64 lanes of up to 16 elements, which the compiler keeps in vector
 * registers; across rows ("columns") it is 64 rows of a tile of 256 columns. Block results are
 * added with error compensation. The tree depends on sizes alone, not on the number of cores.
 */
#include "codegen/emit.h"

#include <stdio.h>

#define LANES 64
#define TILE 256
#define MOST 16        /* elements of a lane in a block */
#define MOST_EXACT 256 /* the same where the order of elements changes nothing */
#define ROW_RUN 16384  /* elements below which a row is not split */
#define WORDS 16       /* elements of a row from which on random words are computed at once */

/* 1: the last kept axis is the one that memory is contiguous along. */
static int by_columns(const gnd__kir *k)
{
    int kept = k->nkeep - 1, last = k->nkeep + k->nred - 1, yes = 0, no = 0;
    if (k->nkeep == 0 || k->nred == 0 || k->dim[kept] < 8)
        return 0;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        if (a->slot < 0 || !gnd__cg_in_phase(k, i, 0))
            continue;
        yes += a->stride[kept] == 1;
        no += a->stride[last] == 1 && k->dim[last] >= 8;
    }
    return yes > no;
}

static void epilogue_and_stores(gnd__cg *c, const char *name, const char *sfx)
{
    gnd__acc_finish(c, name, sfx);
    gnd__cg_values(c, 1);
    gnd__cg_stores(c);
}

/* Parameters of a first kernel; with `ends` also those of the epilogue. */
static void parameters(gnd__cg *c, int ends)
{
    const gnd__kir *k = c->k;
    gnd__cg_access_args(c, 0);
    if (ends)
        gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, k->nkeep + k->nred);
    gnd__cg_const_args(c, ends ? 2 : 0);
    if (!ends)
        gnd__acc_part_args(c, 1);
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Whether k has no reductions but extremes and their places. */
static int extremes(const gnd__kir *k)
{
    for (int j = 0; j < k->nreds; j++)
        if (gnd__reds[k->red[j].op].ordered)
            return 0;
    return 1;
}

/* kk times 64 elements of a row from x on, into the lanes L. */
static void lanes(gnd__cg *c, int last)
{
    gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", LANES);
    gnd__acc_init(c, "L", "[l]");
    gnd__cgf(c,
             "    }\n    for (I t = 0; t < kk; t++, x += %d)\n"
             "    for (int l = 0; l < %d; l++) {\n    const I i%d = x + l;\n",
             LANES, LANES, last);
    gnd__cg_values(c, 0);
    gnd__acc_step(c, "L", "[l]", "base + x + l");
    gnd__cgf(c, "    }\n");
}

static gnd_status rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep + k->nred, last = n - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), splits, chunk, rows_per_task;
    size_t global, local = 1;
    splits = clamp((64 + m - 1) / m, 1, clamp(r / ROW_RUN, 1, 64));
    chunk = (r + splits - 1) / splits;
    chunk = (chunk + 1023) / 1024 * 1024;
    splits = r ? (r + chunk - 1) / chunk : 1;
    rows_per_task = clamp(8192 / (r + 1), 1, (m + 255) / 256);
    gnd__cg_begin(c, 0, "k_reduce");
    parameters(c, splits == 1);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    gnd__cg_int(c, "chunk", chunk);
    gnd__cg_int(c, "G", rows_per_task);
    if (k->nred > 0 && k->dim[last] >= WORDS && gnd__words_find(c, last))
        gnd__words_declare(c);
    gnd__cgf(c, "    const I task = (I)GND_GID(0) / S, s = (I)GND_GID(0) %% S;\n"
                "    I m1 = (task + 1) * G; if (m1 > M) m1 = M;\n"
                "    for (I m = task * G; m < m1; m++) {\n    I f = m;\n");
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    gnd__acc_declare(c, "A", "");
    gnd__acc_init(c, "A", "");
    gnd__cgf(c, "    I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;\n"
                "    while (r < r1) {\n");
    if (k->nred > 1) {
        gnd__cgf(c,
                 "    I q = r / n%d; const I x0 = r - q * n%d;\n"
                 "    I e = n%d; if (e - x0 > r1 - r) e = x0 + (r1 - r);\n",
                 last, last, last);
        gnd__cg_unflatten(c, "q", k->nkeep, last);
    } else {
        gnd__cgf(c, "    const I x0 = r, e = r1;\n");
    }
    gnd__cgf(c, "    const I base = r - x0; I x = x0; r += e - x0;\n");
    if (k->nred > 0) {
        const int most = extremes(k) && !gnd__words_any(c) ? MOST_EXACT : MOST;
        gnd__cgf(c, "    while (e - x >= %d) {\n    I kk = (e - x) / %d; if (kk > %d) kk = %d;\n",
                 LANES, LANES, most, most);
        gnd__acc_declare(c, "L", "[64]");
        gnd__words_fill(c, last, "x", "(int)kk * 64");
        c->word_at = "(int)t * 64 + l";
        c->near = gnd__cg_near(c) >= 0;
        if (c->near)
            gnd__cgf(c, "    int bad = 0;\n");
        lanes(c, last);
        if (c->near) {
            c->near = 0;
            gnd__cgf(c, "    if (bad) {\n    x -= kk * %d;\n", LANES);
            lanes(c, last);
            gnd__cgf(c, "    }\n");
        }
        c->word_at = NULL;
        gnd__cgf(c, "    for (int w = %d; w > 0; w /= 2)\n    for (int l = 0; l < w; l++) {\n",
                 LANES / 2);
        gnd__acc_combine(c, "L", "[l]", "L", "[l + w]", 0);
        gnd__cgf(c, "    }\n");
        gnd__acc_combine(c, "A", "", "L", "[0]", 1);
        gnd__cgf(c, "    }\n");
    }
    if (gnd__words_any(c)) {
        gnd__cgf(c, "    const I rest = x;\n");
        gnd__words_fill(c, last, "x", "(int)(e - x)");
        c->word_at = "x - rest";
    }
    gnd__cgf(c, "    while (x < e) {\n    I y = x + 32; if (y > e) y = e;\n");
    gnd__acc_declare(c, "T", "");
    gnd__acc_init(c, "T", "");
    gnd__cgf(c, "    for (; x < y; x++) {\n");
    if (k->nred > 0)
        gnd__cgf(c, "    const I i%d = x;\n", last);
    gnd__cg_values(c, 0);
    c->word_at = NULL;
    gnd__acc_step(c, "T", "", "base + x");
    gnd__cgf(c, "    }\n");
    gnd__acc_combine(c, "A", "", "T", "", 1);
    gnd__cgf(c, "    }\n    }\n");
    if (splits == 1)
        epilogue_and_stores(c, "A", "");
    else
        gnd__acc_part_store(c, "A", "", "(g_i64)m * S + s");
    gnd__cgf(c, "    }\n");
    c->out->part_count = m * splits;
    global = (size_t)((m + rows_per_task - 1) / rows_per_task * splits);
    {
        gnd_status st = gnd__cg_end(c, 1, &global, &local);
        return st != GND_OK || splits == 1 ? st : gnd__cg_finish_kernel(c, splits);
    }
}

static gnd_status columns(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep + k->nred, col = k->nkeep - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), splits, chunk;
    int64_t tiles = (k->dim[col] + TILE - 1) / TILE, outer = m / k->dim[col];
    size_t global, local = 1;
    splits = clamp((64 + outer * tiles - 1) / (outer * tiles), 1, clamp(r / 64, 1, 64));
    chunk = (r + splits - 1) / splits;
    splits = r ? (r + chunk - 1) / chunk : 1;
    gnd__cg_begin(c, 0, "k_reduce");
    parameters(c, splits == 1);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    gnd__cg_int(c, "chunk", chunk);
    gnd__cg_int(c, "tiles", tiles);
    gnd__cgf(c,
             "    I f = (I)GND_GID(0);\n    const I s = f %% S; f /= S;\n"
             "    const I left = f %% tiles * %d; f /= tiles;\n"
             "    const I row = f;\n"
             "    int nc = n%d - left < %d ? (int)(n%d - left) : %d;\n",
             TILE, col, TILE, col, TILE);
    gnd__cg_unflatten(c, "f", 0, col);
    if (gnd__words_find(c, col))
        gnd__words_declare(c);
    gnd__acc_declare(c, "A", "[256]");
    gnd__acc_declare(c, "L", "[256]");
    gnd__cgf(c, "    for (int l = 0; l < nc; l++) {\n");
    gnd__acc_init(c, "A", "[l]");
    gnd__cgf(c, "    }\n    I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;\n"
                "    while (r < r1) {\n    I e = r + 64; if (e > r1) e = r1;\n"
                "    for (int l = 0; l < nc; l++) {\n");
    gnd__acc_init(c, "L", "[l]");
    gnd__cgf(c, "    }\n    for (; r < e; r++) {\n    I q = r;\n");
    gnd__cg_unflatten(c, "q", k->nkeep, n);
    gnd__words_fill(c, col, "left", "nc");
    c->word_at = "l";
    gnd__cgf(c, "    for (int l = 0; l < nc; l++) {\n    const I i%d = left + l;\n", col);
    gnd__cg_values(c, 0);
    c->word_at = NULL;
    gnd__acc_step(c, "L", "[l]", "r");
    gnd__cgf(c, "    }\n    }\n    for (int l = 0; l < nc; l++) {\n");
    gnd__acc_combine(c, "A", "[l]", "L", "[l]", 1);
    gnd__cgf(c, "    }\n    }\n    for (int l = 0; l < nc; l++) {\n    const I i%d = left + l;\n",
             col);
    if (splits == 1) {
        epilogue_and_stores(c, "A", "[l]");
    } else {
        char at[96];
        snprintf(at, sizeof at, "((g_i64)row * n%d + i%d) * S + s", col, col);
        gnd__acc_part_store(c, "A", "[l]", at);
    }
    gnd__cgf(c, "    }\n    (void)row;\n");
    c->out->part_count = m * splits;
    global = (size_t)(outer * tiles * splits);
    {
        gnd_status st = gnd__cg_end(c, 1, &global, &local);
        return st != GND_OK || splits == 1 ? st : gnd__cg_finish_kernel(c, splits);
    }
}

gnd_status gnd__cg_reduce_cpu(gnd__cg *c)
{
    return by_columns(c->k) ? columns(c) : rows(c);
}

/* Partial results lid, lid + local ... of point m into A: eight loads on their way at once. */
static void group_loads(gnd__cg *c, int local)
{
    static const char *const name[] = {"Ba", "Bb", "Bc", "Bd", "Be", "Bf", "Bg", "Bh"};
    gnd__cgf(c, "    for (I s = lid; s < S; s += %d) {\n", local * 8);
    for (int i = 0; i < 8; i++) {
        char at[96];
        snprintf(at, sizeof at, "(g_i64)m * S + (s + %d < S ? s + %d : S - 1)", i * local,
                 i * local);
        gnd__acc_declare(c, name[i], "");
        gnd__acc_part_load(c, name[i], at);
    }
    for (int i = 0; i < 8; i++) {
        gnd__cgf(c, "    if (s + %d < S) {\n", i * local);
        gnd__acc_combine(c, "A", "", name[i], "", 1);
        gnd__cgf(c, "    }\n");
    }
    gnd__cgf(c, "    }\n");
}

/* Partial results of kept point m are at m * S + s. On a GPU a group takes one point when there are
 * many partial results; else one work-item does. */
gnd_status gnd__cg_finish_kernel(gnd__cg *c, int64_t splits)
{
    const gnd__kir *k = c->k;
    int64_t m = gnd__kir_kept(k);
    int group = !c->t->cpu && splits > 32 && !c->part_across;
    size_t global, local = c->t->cpu ? 1 : group ? gnd__cg_group(c, 256) : 64;
    const char *at = c->part_across ? "(g_i64)s * M + m" : "(g_i64)m * S + s";
    gnd__cg_begin(c, 1, "k_finish");
    gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, k->nkeep);
    gnd__cg_const_args(c, 1);
    gnd__acc_part_args(c, 0);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "S", splits);
    gnd__acc_declare(c, "A", "");
    if (!group)
        gnd__acc_declare(c, "B", "");
    if (group) {
        gnd__acc_shared(c, 256);
        gnd__cgf(c, "    const I m = (I)GND_GRP(0); const int lid = (int)GND_LID(0);\n");
    } else {
        gnd__cgf(c, "    const I m = (I)GND_GID(0);\n    if (m >= M) return;\n");
    }
    gnd__acc_init(c, "A", "");
    if (group) {
        group_loads(c, (int)local);
    } else {
        gnd__cgf(c, "#pragma unroll 8\n    for (I s = 0; s < S; s++) {\n");
        gnd__acc_part_load(c, "B", at);
        gnd__acc_combine(c, "A", "", "B", "", 1);
        gnd__cgf(c, "    }\n");
    }
    if (group) {
        gnd__acc_tree(c, "A", "lid", "0", (int)local, 0);
    }
    gnd__cgf(c, "    I f = m;\n");
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    epilogue_and_stores(c, "A", "");
    global = group ? (size_t)m * local : (size_t)m;
    return gnd__cg_end(c, 1, &global, &local);
}
