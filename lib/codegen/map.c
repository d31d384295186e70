/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map.c - kernels that compute every point independently.
 *
 * GPU: one work-item for up to 16 bytes along the last axis, over a flat index; otherwise for some
 * points of different rows. CPU: map_cpu.c. Inputs that lie across the outputs: map_tile.c.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

/* The type of a vector of access a. */
static const char *raw_vector(const gnd__cg *c, int a)
{
    return gnd__cg_raw(gnd_dtype_size((gnd_dtype)c->k->access[a].dtype) * (size_t)c->vector.width);
}

/* Writes one vector of the work-item: the elements x0 .. x0 + vec along axis d. later: the results
 * are kept in w[h] of each access instead of stored. */
static void vector_body(gnd__cg *c, int d, int later)
{
    gnd__cgf(c, "    {\n    const I i%d = x0;\n", d);
    c->vector.gathers = 1;
    gnd__cg_vector_loads(c);
    gnd__cgf(c, "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n", c->vector.width);
    /* x0 is a multiple of vec. Written this way, the compiler knows the low bits of indices, and
     * random numbers (kernels/random.cl) compute a block once for its elements */
    gnd__cgf(c, "    const I i%d = x0 | l;\n", d);
    gnd__cg_values(c, 0);
    c->vector.gathers = 0;
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n");
    if (!later)
        gnd__cg_vector_stores(c);
    for (int i = 0; i < c->k->nout && later; i++) {
        const int a = c->k->out[i].access;
        if (c->vector.on[a])
            gnd__cgf(c, "    w%d[h] = u%d.v;\n", a, a);
    }
    gnd__cgf(c, "    }\n");
}

void gnd__cg_leftover(gnd__cg *c, int d, const char *end)
{
    int v = c->vector.width;
    gnd__cgf(c, "    for (I i%d = x0; i%d < %s; i%d++) {\n", d, d, end, d);
    c->vector.width = 1;
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    c->vector.width = v;
    gnd__cgf(c, "    }\n");
}

/* Ends the kernel. For a piece of one, only returns the number of work-items needed. */
static gnd_status end_map(gnd__cg *c, size_t global, size_t local)
{
    if (!c->piece.count)
        return gnd__cg_end(c, 1, &global, &local);
    c->kern->global[0] = global;
    return GND_OK;
}

static size_t map_group(const gnd__cg *c)
{
    return gnd__cg_group(c, (size_t)c->t->tune->v[GND__TUNE_GPU_GROUP]);
}

/* Begins a work-item: the number f of its task, out of `total`. */
static void begin_flat(gnd__cg *c, int64_t total)
{
    gnd__cg_int(c, "total", total);
    gnd__cgf(c, "    I f = %s;\n    if (f >= total) return;\n", c->piece.gid);
}

/* For each of n points: saves the values in u of the outputs ... */
static void keep_outputs(gnd__cg *c, int n)
{
    for (int i = 0; i < c->k->nout; i++)
        c->vector.on[c->k->out[i].access] = 1;
    gnd__cg_private(c, n);
}

static void values_kept(gnd__cg *c)
{
    c->vector.width = 2; /* stores go to u */
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    c->vector.width = 1;
}

/* ... and stores element l from there. */
static void stores_kept(gnd__cg *c)
{
    for (int i = 0; i < c->k->naccess; i++)
        if (c->vector.on[i]) {
            gnd__cgf(c, "    p%d[", i);
            gnd__cg_address(c, i);
            gnd__cgf(c, "] = u%d.s[l];\n", i);
        }
    memset(c->vector.on, 0, sizeof c->vector.on);
}

/* GPU, several axes, no vectors: each work-item computes `gpu_rows` points in consecutive rows.
 * They share the arithmetic of the index, loads of values that are broadcast along the column, and
 * loads of a stencil. */
#define ROWS_POINTS (1 << 18)
#define ROWS_BODY 128 /* instructions of one point, at most */

static int takes_rows(const gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int rows = c->t->tune->v[GND__TUNE_GPU_ROWS], x = k->nkeep - 1, y = x - 1;
    if (y < 0 || rows < 2 || k->dim[x] < 64 || k->dim[y] < 4 * rows || k->ninstr > ROWS_BODY ||
        gnd__kir_kept(k) < ROWS_POINTS)
        return 0;
    for (int i = 0; i < k->nout; i++)
        if (k->access[k->out[i].access].stride[x] != 1)
            return 0;
    return 1;
}

/* Computes the values of the rows from y0 on, then stores them: no store comes between loads. */
static void rows_body(gnd__cg *c, int y)
{
    const int rows = c->t->tune->v[GND__TUNE_GPU_ROWS];
    keep_outputs(c, rows);
    gnd__cgf(
        c,
        "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = y0 + l; (void)i%d;\n",
        rows, y, y);
    values_kept(c);
    gnd__cgf(
        c, "    }\n#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = y0 + l;\n",
        rows, y);
    stores_kept(c);
    gnd__cgf(c, "    }\n");
}

static gnd_status map_rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int rows = c->t->tune->v[GND__TUNE_GPU_ROWS];
    const int x = k->nkeep - 1, y = x - 1;
    const int64_t tiles = (k->dim[y] + rows - 1) / rows,
                  total = gnd__kir_kept(k) / k->dim[y] * tiles;
    size_t global = (size_t)total, local = map_group(c);
    gnd__cg_begin_map(c);
    begin_flat(c, total);
    gnd__cg_int(c, "tiles", tiles);
    gnd__cgf(
        c, "    const I i%d = f %% n%d; f /= n%d;\n    const I y0 = f %% tiles * %d; f /= tiles;\n",
        x, x, x, rows);
    gnd__cg_unflatten(c, "f", 0, y);
    gnd__cgf(c, "    if (y0 + %d <= n%d) {\n", rows, y);
    rows_body(c, y);
    gnd__cgf(c, "    } else {\n#pragma unroll 1\n    for (I i%d = y0; i%d < n%d; i%d++) {\n", y, y,
             y, y);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
    return end_map(c, global, local);
}

/* GPU, no vectors: SPREAD points per work-item, a group's width apart; all loads come before the
 * stores. */
#define SPREAD 4

static int takes_spread(const gnd__cg *c)
{
    return !c->piece.count && c->k->ninstr <= 32 && gnd__kir_kept(c->k) >= ROWS_POINTS;
}

static gnd_status map_spread(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int64_t points = gnd__kir_kept(k);
    size_t local = gnd__cg_group(c, 256), global = (size_t)((points + SPREAD - 1) / SPREAD);
    gnd__cg_int(c, "total", points);
    gnd__cgf(c, "    const I g = (I)GND_GRP(0) * %d + (I)GND_LID(0);\n    if (g + %d < total) {\n",
             SPREAD * (int)local, (SPREAD - 1) * (int)local);
    keep_outputs(c, SPREAD);
    gnd__cgf(c, "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    I f = g + l * %d;\n",
             SPREAD, (int)local);
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    values_kept(c);
    gnd__cgf(c,
             "    }\n#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    I f = g + l * %d;\n",
             SPREAD, (int)local);
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    stores_kept(c);
    gnd__cgf(
        c,
        "    }\n    } else {\n#pragma unroll 1\n    for (I b = g; b < total; b += %d) {\n    I f = b;\n",
        (int)local);
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
    return end_map(c, global, local);
}

/* GPU, vectors loaded through an index (rows by index): GATHERED per work-item, in consecutive
 * rows; all loads come before the stores, because each waits for its index first. */
#define GATHERED 2

static int takes_gather(const gnd__cg *c)
{
    const gnd__kir *k = c->k;
    if (c->vector.width < 2 || k->nkeep < 2 || c->piece.count || gnd__kir_kept(k) < ROWS_POINTS)
        return 0;
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_GATHER && c->vector.on[k->instr[i].ref])
            return 1;
    return 0;
}

static gnd_status map_gather(gnd__cg *c, size_t local)
{
    const gnd__kir *k = c->k;
    const int x = k->nkeep - 1, y = x - 1;
    const int64_t tiles = (k->dim[y] + GATHERED - 1) / GATHERED;
    const int64_t total = gnd__kir_kept(k) / k->dim[y] * tiles / c->vector.width;
    begin_flat(c, total);
    gnd__cg_int(c, "tiles", tiles);
    gnd__cgf(
        c,
        "    const I nv = n%d / %d;\n"
        "    const I x0 = f %% nv * %d; f /= nv;\n    const I y0 = f %% tiles * %d; f /= tiles;\n",
        x, c->vector.width, c->vector.width, GATHERED);
    gnd__cg_unflatten(c, "f", 0, y);
    for (int i = 0; i < k->nout; i++) {
        const int a = k->out[i].access;
        if (c->vector.on[a])
            gnd__cgf(c, "    %s w%d[%d];\n", raw_vector(c, a), a, GATHERED);
    }
    gnd__cgf(c,
             "    if (y0 + %d <= n%d) {\n#pragma unroll\n    for (int h = 0; h < %d; h++) {\n"
             "    const I i%d = y0 + h;\n",
             GATHERED, y, GATHERED, y);
    vector_body(c, x, 1);
    gnd__cgf(
        c,
        "    }\n#pragma unroll\n    for (int h = 0; h < %d; h++) {\n    const I i%d = y0 + h, i%d = x0;\n",
        GATHERED, y, x);
    for (int i = 0; i < k->nout; i++) {
        const int a = k->out[i].access;
        if (c->vector.on[a]) {
            gnd__cgf(c, "    *(GND_GLOBAL %s *)(p%d + ", raw_vector(c, a), a);
            gnd__cg_address(c, a);
            gnd__cgf(c, ") = w%d[h];\n", a);
        }
    }
    gnd__cgf(c, "    }\n    } else {\n#pragma unroll 1\n    for (I i%d = y0; i%d < n%d; i%d++)\n",
             y, y, y, y);
    vector_body(c, x, 0);
    gnd__cgf(c, "    }\n");
    return end_map(c, (size_t)total, local);
}

static gnd_status map_gpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep, tail;
    int64_t points = gnd__kir_kept(k);
    size_t local = map_group(c);
    c->vector.width = 1;
    if (n > 0)
        c->vector.width =
            gnd__cg_vector_width(k, n - 1, n == 1, 1) * c->t->tune->v[GND__TUNE_GPU_VECTOR] / 16;
    if (c->vector.width < 1)
        c->vector.width = 1;
    if (c->vector.width == 1 && takes_rows(c))
        return map_rows(c);
    for (int i = 0; i < k->naccess; i++)
        c->vector.on[i] =
            c->vector.width > 1 && k->access[i].slot >= 0 && k->access[i].stride[n - 1] == 1;
    tail = c->vector.width > 1 && n == 1;
    gnd__cg_begin_map(c);
    if (tail && gnd__cg_is_generator(k))
        return gnd__cg_map_random(c, local);
    if (c->vector.width == 1 && takes_spread(c))
        return map_spread(c);
    if (takes_gather(c))
        return map_gather(c, local);
    begin_flat(c, (points + c->vector.width - 1) / c->vector.width);
    if (c->vector.width > 1) {
        int d = n - 1;
        if (n > 1) {
            gnd__cgf(c, "    const I nv = n%d / %d;\n    const I x0 = f %% nv * %d; f /= nv;\n", d,
                     c->vector.width, c->vector.width);
            gnd__cg_unflatten(c, "f", 0, d);
        } else {
            gnd__cgf(c, "    const I x0 = f * %d;\n", c->vector.width);
        }
        if (tail)
            gnd__cgf(c, "    if (x0 + %d <= n%d) {\n", c->vector.width, d);
        vector_body(c, d, 0);
        if (tail) {
            char end[16];
            snprintf(end, sizeof end, "n%d", d);
            gnd__cgf(c, "    } else {\n");
            gnd__cg_leftover(c, d, end);
            gnd__cgf(c, "    }\n");
        }
    } else {
        gnd__cg_unflatten(c, "f", 0, n);
        gnd__cg_values(c, 0);
        gnd__cg_stores(c);
    }
    return end_map(c, (size_t)((points + c->vector.width - 1) / c->vector.width), local);
}

int gnd__cg_is_piece(gnd__cg *c)
{
    const int tiles = gnd__cg_tile_axis(c) >= 0;
    memset(c->vector.on, 0, sizeof c->vector.on);
    return !tiles && !gnd__cg_is_generator(c->k);
}

void gnd__cg_map_piece(gnd__cg *c, size_t local, size_t *groups)
{
    c->vector.width = 1;
    map_gpu(c);
    memset(c->vector.on, 0, sizeof c->vector.on);
    *groups = (c->kern->global[0] + local - 1) / local;
}

gnd_status gnd__cg_map(gnd__cg *c)
{
    gnd_status st;
    if (c->t->cpu && gnd__kir_has_boxes(c->k))
        return gnd__cg_map_boxes(c);
    if (gnd__cg_map_tiles(c, &st))
        return st;
    return c->t->cpu ? gnd__cg_map_cpu(c) : map_gpu(c);
}
