/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_gpu.c - reductions on GPUs.
 *
 * Along the last axis ("rows"): a work-group takes up to 16384 elements of one row, 16 bytes per
 * load and work-item, and combines its work-items' sums by a tree in local memory; longer rows are
 * split and finished by a second kernel. Across rows, or for short rows ("points"): one work-item
 * for 16 bytes of kept points, with neighbouring points contiguous in memory; long runs are split
 * likewise. Work-items add at most 64 terms plainly; above that sums are compensated.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

#define GROUP 256
#define ROW_CHUNK 16384
#define SHORT_ROW 2048 /* many rows up to this length: several per group, by gnd__cg_rows */
#define MANY_ROWS 1024
#define MIN_ITEMS 262144 /* work-items that fill a large GPU */

static void epilogue_and_stores(gnd__cg *c, const char *name, const char *sfx)
{
    gnd__acc_finish(c, name, sfx);
    gnd__cg_values(c, 1);
    gnd__cg_stores(c);
}

static void parameters(gnd__cg *c, int ends)
{
    gnd__cg_access_args(c, 0);
    if (ends)
        gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, c->k->nkeep + c->k->nred);
    gnd__cg_const_args(c, ends ? 2 : 0);
    if (!ends)
        gnd__acc_part_args(c, 1);
}

/* Reads element r of the row: its indices, values, one step. */
static void one_element(gnd__cg *c, const char *name, const char *r)
{
    const gnd__kir *k = c->k;
    gnd__cgf(c, "    {\n    I q = %s; (void)q;\n", r);
    gnd__cg_unflatten(c, "q", k->nkeep, k->nkeep + k->nred);
    gnd__cg_values(c, 0);
    gnd__acc_step(c, name, "", r);
    gnd__cgf(c, "    }\n");
}

static gnd_status rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1, vec = 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    int64_t splits = r ? (r + ROW_CHUNK - 1) / ROW_CHUNK : 1;
    size_t global, local = gnd__cg_group(c, GROUP);
    if (k->nred == 1)
        vec = gnd__cg_vector_width(k, last, 1, 0);
    if (vec > 4 && gnd__cg_is_generator(k))
        vec = 4; /* a block of random words; more would only use registers */
    while (local > 32 && (int64_t)local * vec / 2 >= r)
        local /= 2;
    gnd__cg_begin(c, 0, "k_reduce");
    c->keys = 1;
    parameters(c, splits == 1);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    gnd__acc_shared(c, (int)local);
    c->keys = 0;
    c->counts = 1;
    gnd__cgf(c, "    const int lid = (int)GND_LID(0);\n"
                "    const I m = (I)GND_GRP(0) / S, s = (I)GND_GRP(0) %% S;\n    I f = m;\n");
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    gnd__cgf(c, "    const I r0 = s * %d; I r1 = r0 + %d; if (r1 > R) r1 = R;\n", ROW_CHUNK,
             ROW_CHUNK);
    gnd__acc_declare(c, "A", "");
    gnd__acc_init(c, "A", "");
    if (vec > 1) {
        char len[16];
        snprintf(len, sizeof len, "[%d]", vec);
        for (int i = 0; i < k->naccess; i++)
            c->vectorised[i] = gnd__cg_in_phase(k, i, 0) && k->access[i].slot >= 0 &&
                               k->access[i].stride[last] == 1;
        gnd__acc_declare(c, "L", len);
        gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", vec);
        gnd__acc_init(c, "L", "[l]");
        gnd__cgf(c,
                 "    }\n    const I rv = r0 + (r1 - r0) / %d * %d;\n"
                 "    for (I x = r0 + lid * %d; x < rv; x += %d) {\n    const I i%d = x;\n",
                 vec, vec, vec, vec * (int)local, last);
        c->vec = vec;
        gnd__cg_vector_loads(c);
        gnd__cgf(c,
                 "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = x | l;\n",
                 vec, last);
        gnd__cg_values(c, 0);
        gnd__acc_step(c, "L", "[l]", "x + l");
        gnd__cgf(c, "    (void)i%d;\n    }\n    }\n    for (int l = 0; l < %d; l++) {\n", last,
                 vec);
        gnd__acc_combine(c, "A", "", "L", "[l]", 1);
        gnd__cgf(c, "    }\n");
        c->vec = 1;
        gnd__acc_declare(c, "E", "");
        gnd__acc_init(c, "E", "");
        gnd__cgf(c, "    for (I x = rv + lid; x < r1; x += %d)\n", (int)local);
        one_element(c, "E", "x");
        gnd__acc_combine(c, "A", "", "E", "", 1);
    } else {
        gnd__acc_declare(c, "E", "");
        gnd__acc_init(c, "E", "");
        gnd__cgf(c, "    for (I x = r0 + lid; x < r1; x += %d)\n", (int)local);
        one_element(c, "E", "x");
        gnd__acc_combine(c, "A", "", "E", "", 1);
    }
    c->counts = 0;
    gnd__acc_to_keys(c, "K", "A");
    gnd__acc_tree(c, "K", "lid", "0", (int)local, 0);
    if (splits == 1)
        epilogue_and_stores(c, "K", "");
    else
        gnd__acc_part_store(c, "K", "", "(g_i64)m * S + s");
    c->out->part_count = m * splits;
    global = (size_t)(m * splits) * local;
    {
        gnd_status st = gnd__cg_end(c, 1, &global, &local);
        return st != GND_OK || splits == 1 ? st : gnd__cg_finish_kernel(c, splits);
    }
}

/* The group of points(): `across` work-items side by side, each with vec neighbouring kept points,
 * in `down` layers that divide a chunk of the reduced elements and combine in local memory. */
typedef struct tiling {
    int vec, across, down;
    int64_t tiles, splits, chunk;
} tiling;

/* Bytes of one point's accumulators. */
static uint64_t acc_bytes(const gnd__kir *k)
{
    uint64_t n = 0;
    for (int j = 0; j < k->nreds; j++)
        for (int p = 0; p < gnd__acc_parts(k, j); p++)
            n += gnd_dtype_size(gnd__acc_dtype(k, j, p));
    return n;
}

static tiling tile_points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int kept = k->nkeep - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), items;
    tiling t = {1, (int)gnd__cg_group(c, GROUP), 1, 0, 1, r};
    if (kept >= 0 && k->nred > 0)
        t.vec = gnd__cg_vector_width(k, kept, 0, 0);
    items = m / t.vec;
    /* PoCL 5.0 computes layers wrongly (3.1 does not), and they gain nothing there */
    const int layers = !strstr(c->t->props->platform, "Portable Computing");
    while (layers && t.down < 4 && t.across > 64 && r >= 64 * 2 * t.down &&
           items * t.down < MIN_ITEMS &&
           acc_bytes(k) * (uint64_t)(t.across * t.down * t.vec) <= c->t->props->local_bytes / 2) {
        t.down *= 2;
        t.across /= 2;
    }
    t.tiles = (items + t.across - 1) / t.across;
    t.splits = items ? MIN_ITEMS / (items * t.down) : 1;
    if (t.splits > r / (64 * t.down))
        t.splits = r / (64 * t.down);
    if (t.splits < 1)
        t.splits = 1;
    t.chunk = (r + t.splits - 1) / t.splits;
    t.splits = r ? (r + t.chunk - 1) / t.chunk : 1;
    return t;
}

/* Reduces the elements [r, r1) of vec kept points from x on into A, in runs of at most 64. */
static void run_of_points(gnd__cg *c, int vec)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep + k->nred, kept = k->nkeep - 1;
    gnd__cgf(c,
             "    while (r < r1) {\n    I e = r + 64; if (e > r1) e = r1;\n"
             "    for (int l = 0; l < %d; l++) {\n",
             vec);
    gnd__acc_init(c, "E", "[l]");
    gnd__cgf(c, "    }\n#pragma unroll 4\n    for (; r < e; r++) {\n    I q = r; (void)q;\n");
    gnd__cg_unflatten(c, "q", k->nkeep, n);
    if (vec > 1) {
        gnd__cgf(c, "    const I i%d = x%d;\n", kept, kept);
        c->vec = vec;
        gnd__cg_vector_loads(c);
    }
    gnd__cgf(c, "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n", vec);
    if (kept >= 0)
        gnd__cgf(c, "    const I i%d = x%d + l; (void)i%d;\n", kept, kept, kept);
    gnd__cg_values(c, 0);
    gnd__acc_step(c, "E", "[l]", "r");
    c->vec = 1;
    gnd__cgf(c, "    }\n    }\n    for (int l = 0; l < %d; l++) {\n", vec);
    gnd__acc_combine(c, "A", "[l]", "E", "[l]", 1);
    gnd__cgf(c, "    }\n    }\n");
}

static gnd_status points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int kept = k->nkeep - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    tiling t = tile_points(c);
    size_t global, local = (size_t)(t.across * t.down);
    char len[16];
    snprintf(len, sizeof len, "[%d]", t.vec);
    c->part_across = 1;
    for (int i = 0; i < k->naccess; i++)
        c->vectorised[i] = t.vec > 1 && gnd__cg_in_phase(k, i, 0) && k->access[i].slot >= 0 &&
                           k->access[i].stride[kept] == 1;
    gnd__cg_begin(c, 0, "k_reduce");
    parameters(c, t.splits == 1);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", t.splits);
    gnd__cg_int(c, "chunk", t.chunk);
    gnd__cg_int(c, "tiles", t.tiles);
    if (t.down > 1)
        gnd__acc_shared(c, (int)local * t.vec);
    gnd__cgf(c,
             "    const int lid = (int)GND_LID(0), y = lid / %d; (void)y;\n"
             "    const I s = (I)GND_GRP(0) / tiles;\n"
             "    const I m = ((I)GND_GRP(0) %% tiles * %d + lid %% %d) * %d;\n    I f = m;\n",
             t.across, t.across, t.across, t.vec);
    for (int d = kept; d > 0; d--)
        gnd__cgf(c, "    const I %c%d = f %% n%d; f /= n%d;\n", d == kept ? 'x' : 'i', d, d, d);
    if (kept >= 0)
        gnd__cgf(c, "    const I %c0 = f;\n", kept == 0 ? 'x' : 'i');
    gnd__acc_declare(c, "A", len);
    gnd__acc_declare(c, "E", len);
    gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", t.vec);
    gnd__acc_init(c, "A", "[l]");
    gnd__cgf(c, "    }\n    I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;\n");
    if (t.down > 1)
        gnd__cgf(c,
                 "    { const I part = (chunk + %d) / %d; r += y * part;\n"
                 "      if (r1 > r + part) r1 = r + part; }\n",
                 t.down - 1, t.down);
    gnd__cgf(c, "    if (m < M) {\n");
    run_of_points(c, t.vec);
    gnd__cgf(c, "    }\n");
    if (t.down > 1) {
        char at[32], other[64];
        snprintf(at, sizeof at, "[lid + l * %d]", (int)local);
        snprintf(other, sizeof other, "[lid + w * %d + l * %d]", t.across, (int)local);
        gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", t.vec);
        gnd__acc_copy(c, "T", at, "A", "[l]");
        gnd__cgf(c,
                 "    }\n    GND_BARRIER();\n    if (y > 0 || m >= M) return;\n"
                 "    for (int w = 1; w < %d; w++)\n    for (int l = 0; l < %d; l++) {\n",
                 t.down, t.vec);
        gnd__acc_combine(c, "A", "[l]", "T", other, 1);
        gnd__cgf(c, "    }\n");
    } else {
        gnd__cgf(c, "    if (m >= M) return;\n");
    }
    gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", t.vec);
    if (kept >= 0)
        gnd__cgf(c, "    const I i%d = x%d + l; (void)i%d;\n", kept, kept, kept);
    if (t.splits == 1)
        epilogue_and_stores(c, "A", "[l]");
    else
        gnd__acc_part_store(c, "A", "[l]", "(g_i64)s * M + m + l");
    gnd__cgf(c, "    }\n");
    c->out->part_count = m * t.splits;
    global = (size_t)(t.tiles * t.splits) * local;
    {
        gnd_status st = gnd__cg_end(c, 1, &global, &local);
        return st != GND_OK || t.splits == 1 ? st : gnd__cg_finish_kernel(c, t.splits);
    }
}

gnd_status gnd__cg_reduce_gpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1, kept = k->nkeep - 1, contiguous = 0, across = 0;
    int64_t r = gnd__kir_reduced(k), m = gnd__kir_kept(k);
    gnd_status st;
    if (gnd__cg_reduce_tile(c, &st))
        return st;
    for (int i = 0; i < k->naccess && k->nred > 0; i++) {
        const gnd__access *a = &k->access[i];
        if (a->slot < 0 || !gnd__cg_in_phase(k, i, 0))
            continue;
        contiguous += a->stride[last] == 1;
        across += kept >= 0 && a->stride[kept] == 1;
    }
    if (k->nred == 1 && contiguous > across && r > 1 && r <= SHORT_ROW && m >= MANY_ROWS &&
        gnd__codegen_rows_fit(k, c->t))
        return gnd__cg_rows(c);
    if (k->nred == 0 || (across > contiguous && m >= 32) || (r <= 32 && m >= 1024))
        return points(c);
    return rows(c);
}
