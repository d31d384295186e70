/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_gpu.c - reductions on GPUs.
 *
 * Along the last axis ("rows"): a work-group takes up to 16384 elements of one row, 16 bytes per
 * load and work-item, and combines its work-items' sums by a tree in local memory; longer rows are
 * split and finished by a second kernel. Across rows, or for short rows ("points"): one work-item
 * for 16 bytes of kept points, with neighbouring points contiguous in memory; long runs are split
 * likewise. Work-items add at most 64 terms plainly; above that sums are compensated. The texts are
 * shapes of kernels/reduce_gpu.cl.
 */
#include "codegen/holes.h"

#include <string.h>

#define GROUP 256
#define ROW_CHUNK 16384
#define FEW_CHUNK 4096 /* where longer chunks are fewer than MIN_GROUPS groups */
#define MIN_GROUPS 264
#define SHORT_ROW 2048 /* many rows up to this length: several per group, by gnd__cg_rows */
#define MANY_ROWS 1024
#define MIN_ITEMS 262144 /* work-items that fill a large GPU */
#define WAVE 1024        /* groups that a large GPU computes at a time, of GROUP work-items */
#define LONG 32          /* elements of a work-item in the groups of several waves */
#define MOST_SPLITS 4096
#define NARROW_ROW 8 /* bytes */
#define NARROW_BYTES (1 << 20)

/* Marks the accesses of the body that are contiguous along axis d. */
static void vectorise(gnd__cg *c, int d)
{
    for (int i = 0; i < c->k->naccess; i++)
        c->vector.on[i] = gnd__cg_in_phase(c->k, i, 0) && c->k->access[i].slot >= 0 &&
                          c->k->access[i].stride[d] == 1;
}

static gnd_status rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int axes = k->nkeep + k->nred, last = axes - 1;
    const int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    const int64_t chunk =
        m * ((r + ROW_CHUNK - 1) / ROW_CHUNK) < MIN_GROUPS ? FEW_CHUNK : ROW_CHUNK;
    const int64_t splits = r ? (r + chunk - 1) / chunk : 1;
    size_t local = gnd__cg_group(c, GROUP);
    int vec = gnd__cg_vector_width(k, last, k->nred == 1, 0);
    if (vec > 4 && gnd__cg_is_generator(k))
        vec = 4; /* a block of random words; more would only use registers */
    while (local > 32 && (int64_t)local * vec / 2 >= r)
        local /= 2;
    /* many rows: few work-items for each, which combine little */
    while (local > 32 && m * (int64_t)local > 2 * MIN_ITEMS && (int64_t)local * vec * 8 > r)
        local /= 2;
    gnd__cg_begin(c, 0, "k_reduce");
    c->keys = 1; /* of the partial results and of those in local memory */
    gnd__cg_reduce_args(c, splits == 1);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    if (!gnd__acc_in_warp(c, (int)local))
        gnd__acc_shared(c, (int)local);
    c->keys = 0;
    c->counts = 1;
    if (vec > 1)
        vectorise(c, last);
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"last", .number = last},
        {"axes", .number = axes},
        {"chunk", .number = chunk},
        {"local", .number = (int64_t)local},
        {"vec", .number = vec},
        {"vectors", .number = vec > 1},
        {"pace", .number = vec * (int64_t)local},
        {"rest", .text = vec > 1 ? "rv" : "r0"},
        {"split", .number = splits > 1},
    };
    gnd__cg_shape_of(c, "reduce_rows_gpu", own, c);
    return gnd__cg_end_reduction(c, (size_t)(m * splits), local, splits, 0);
}

/* Bytes of one point's accumulators. */
static uint64_t acc_bytes(const gnd__kir *k)
{
    uint64_t n = 0;
    for (int j = 0; j < k->nreds; j++)
        for (int p = 0; p < gnd__acc_parts(k, j); p++)
            n += gnd_dtype_size(gnd__acc_dtype(k, j, p));
    return n;
}

/* The group of points(): `across` work-items side by side, each with vec neighbouring kept points,
 * in `down` layers that divide a chunk of the reduced elements and combine in local memory. narrow:
 * a group takes all kept points, and its layers take turns with the reduced elements, so that it
 * walks through memory without gaps. */
typedef struct tiling {
    int vec, across, down, narrow;
    int64_t tiles, splits, chunk;
} tiling;

/* Kept points that fill less than a group: as many layers as fit. The groups are one wave or
 * several: after one wave and a bit of the next most of the GPU would wait for the bit. */
static void tile_narrow(const gnd__cg *c, int64_t items, int64_t r, tiling *t)
{
    const int64_t per = 16; /* elements of a work-item, at least */
    const uint64_t room = c->t->props->local_bytes / 2 / (acc_bytes(c->k) * (uint64_t)t->vec);
    t->narrow = 1;
    t->across = (int)items;
    t->down = GROUP / t->across;
    while (t->down > 1 && ((uint64_t)(t->across * t->down) > room || per * t->down > r))
        t->down--;
    t->splits = r / (per * t->down);
    if (t->splits > WAVE)
        t->splits = WAVE;
    const int64_t most = r / (LONG * t->down);
    if (most >= 3 * WAVE)
        t->splits = most < MOST_SPLITS ? most : MOST_SPLITS;
}

/* PoCL 5.0 computes layers wrongly (3.1 does not), and they gain nothing there. */
static int has_layers(const gnd__cg *c)
{
    return !strstr(c->t->props->platform, "Portable Computing");
}

/* Whether less than 32 kept points are read together: a group for each of them would read the same
 * lines of memory again. Bytes one by one, and what fits one group's work, are not worth it. */
static int narrow_pays(gnd__cg *c, int64_t m, int64_t r)
{
    const gnd__kir *k = c->k;
    int64_t bytes = 0; /* of the widest of them */
    for (int i = 0; i < k->naccess; i++)
        if (k->access[i].slot >= 0 && gnd__cg_in_phase(k, i, 0) &&
            k->access[i].stride[k->nkeep - 1] == 1) {
            const int64_t size = m * (int64_t)gnd_dtype_size((gnd_dtype)k->access[i].dtype);
            bytes = size > bytes ? size : bytes;
        }
    return m < 32 && bytes >= NARROW_ROW && bytes * r >= NARROW_BYTES && has_layers(c) &&
           gnd__cg_group(c, GROUP) == GROUP && gnd__cg_any_order(k);
}

static tiling tile_points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int kept = k->nkeep - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), items;
    tiling t = {1, (int)gnd__cg_group(c, GROUP), 1, 0, 0, 1, r};
    if (kept >= 0 && k->nred > 0)
        t.vec = gnd__cg_vector_width(k, kept, 0, 0);
    items = m / t.vec;
    const int layers = has_layers(c);
    if (layers && t.across == GROUP && items >= 1 && items <= GROUP / 2 && r >= 64 &&
        gnd__cg_any_order(k))
        tile_narrow(c, items, r, &t);
    while (layers && !t.narrow && t.down < 4 && t.across > 64 && r >= 64 * 2 * t.down &&
           items * t.down < MIN_ITEMS &&
           acc_bytes(k) * (uint64_t)(t.across * t.down * t.vec) <= c->t->props->local_bytes / 2) {
        t.down *= 2;
        t.across /= 2;
    }
    t.tiles = (items + t.across - 1) / t.across;
    if (!t.narrow)
        t.splits = items ? MIN_ITEMS / (items * t.down) : 1;
    if (!t.narrow && t.splits > r / (64 * t.down))
        t.splits = r / (64 * t.down);
    if (t.splits < 1)
        t.splits = 1;
    t.chunk = (r + t.splits - 1) / t.splits;
    t.splits = r ? (r + t.chunk - 1) / t.chunk : 1;
    return t;
}

static gnd_status points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int x = k->nkeep - 1;
    const int64_t m = gnd__kir_kept(k);
    const tiling t = tile_points(c);
    const size_t local = (size_t)(t.across * t.down);
    if (t.vec > 1)
        vectorise(c, x);
    gnd__cg_begin(c, 0, "k_reduce");
    gnd__cg_reduce_args(c, t.splits == 1);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", gnd__kir_reduced(k));
    gnd__cg_int(c, "S", t.splits);
    gnd__cg_int(c, "chunk", t.chunk);
    gnd__cg_int(c, "tiles", t.tiles);
    if (t.down > 1)
        gnd__acc_shared(c, (int)local * t.vec);
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"axes", .number = k->nkeep + k->nred},
        {"keeps", .number = k->nkeep > 0},
        {"nested", .number = k->nkeep > 1},
        {"x", .number = x},
        {"vec", .number = t.vec},
        {"vectors", .number = t.vec > 1},
        {"across", .number = t.across},
        {"layers", .number = t.down > 1},
        {"down", .number = t.down},
        {"round", .number = t.down - 1},
        {"narrow", .number = t.narrow},
        {"pace", .number = t.narrow ? t.down : 1},
        {"local", .number = (int64_t)local},
        {"split", .number = t.splits > 1},
    };
    gnd__cg_shape_of(c, "reduce_points_gpu", own, c);
    return gnd__cg_end_reduction(c, (size_t)(t.tiles * t.splits), local, t.splits, 1);
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
        /* windows lie along both; what does not move along the kept points is the same for all of
         * them */
        contiguous +=
            a->stride[last] == 1 && (kept < 0 || (a->stride[kept] != 1 && a->stride[kept] != 0));
        across += kept >= 0 && a->stride[kept] == 1;
    }
    if (k->nred == 1 && contiguous > across && r > 1 && r <= SHORT_ROW && m >= MANY_ROWS &&
        gnd__codegen_rows_fit(k, c->t))
        return gnd__cg_rows(c);
    if (k->nred == 0 || (across > contiguous && (m >= 32 || narrow_pays(c, m, r))) ||
        (r <= 32 && m >= 1024))
        return points(c);
    return rows(c);
}
