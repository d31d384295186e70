/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map.c - kernels that compute every point independently.
 *
 * GPU: one work-item for up to 16 bytes along the last axis, over a flat index; otherwise for some
 * points of different rows. CPU: map_cpu.c. Inputs that lie across the outputs: map_tile.c. The
 * texts are shapes of kernels/map.cl.
 */
#include "codegen/holes.h"
#include "codegen/rows.h"

#include <string.h>
#include "codegen/ways.h"

/* The data that fill the shapes of kernels/map.cl. */
typedef struct map_writer {
    gnd__cg *c;
    int x;   /* the last axis */
    int vec; /* elements of a vector; 1: no vectors */
} map_writer;

/* The type of a vector of access a. */
static const char *raw_vector(const map_writer *w, int a)
{
    return gnd__cg_raw(gnd_dtype_size((gnd_dtype)w->c->k->access[a].dtype) * (size_t)w->vec);
}

/* The results of vectors that are not stored yet: w[h] of each access. */
static void write_wait(void *who, const gnd__holeargs *a)
{
    const map_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->nout; i++) {
        const int out = w->c->k->out[i].access;
        if (w->c->vector.on[out])
            gnd__cgf(w->c, "    w%d[h] = u%d.v;\n", out, out);
    }
}

static void vector_shape(map_writer *w, int later)
{
    const gnd__hole own[] = {
        {"x", .number = w->x},
        {"vec", .number = w->vec},
        {"later", .number = later},
        {"wait", .write = write_wait},
    };
    w->c->vector.gathers = 1;
    gnd__cg_shape_of(w->c, "map_vector", own, w);
    w->c->vector.gathers = 0;
}

static void write_vector(void *who, const gnd__holeargs *a)
{
    (void)a;
    vector_shape(who, 0);
}

static void write_later(void *who, const gnd__holeargs *a)
{
    (void)a;
    vector_shape(who, 1);
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

/* Keeps the values of several points in u of the outputs. */
static void keep_outputs(gnd__cg *c)
{
    for (int i = 0; i < c->k->nout; i++)
        c->vector.on[c->k->out[i].access] = 1;
}

/* Stores element l of these. */
static void write_late_stores(void *who, const gnd__holeargs *a)
{
    const map_writer *w = who;
    gnd__cg *c = w->c;
    (void)a;
    for (int i = 0; i < c->k->naccess; i++)
        if (c->vector.on[i]) {
            gnd__cgf(c, "    p%d[", i);
            gnd__cg_address(c, i);
            gnd__cgf(c, "] = u%d.s[l];\n", i);
        }
}

/* GPU, several axes, no vectors: each work-item computes `gpu_rows` points in consecutive rows.
 * They share the arithmetic of the index, loads of values that are broadcast along the column, and
 * loads of a stencil. */
#define ROWS_POINTS (1 << 18)
#define ROWS_BODY 128 /* most instructions of one point */

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

/* The combination of conditions that holds for most points, if there is one. */
typedef struct inner_way {
    gnd__way way;
    int most; /* whether it holds for most */
    uint8_t pick[GND__KIR_INSTR], ask[GND__KIR_INSTR], eval[GND__KIR_INSTR]; /* codegen/ways.h */
} inner_way;

/* Along an axis, the two ends of a box are in two warps (along x), in two work-items (along y) or
 * at two points: at most 2 of INNER_PARTS then take the other path, along x after the first one. */
#define INNER_PARTS 12
#define INNER_WARP 32

static void find_inner(const gnd__kir *k, int rows, inner_way *in)
{
    uint8_t is[GND__KIR_INSTR];
    int samples;
    in->most = 0;
    if (!gnd__kir_has_boxes(k))
        return;
    for (int i = 0; i < k->ninstr; i++)
        is[i] = k->instr[i].kind == GND__I_WITHIN;
    in->most = gnd__ways_find(k, is, 1, &in->way, &samples) && 10 * in->way.samples >= 9 * samples;
    if (!in->most)
        return;
    gnd__ways_needed(k, in->way.holds, 1, in->pick);
    gnd__ways_asked(k, in->pick, in->ask, in->eval);
    in->most = memchr(in->ask, 1, sizeof in->ask) != NULL; /* some conditions decide nothing */
    for (int i = 0; i < k->ninstr; i++)
        for (int d = 0; d < k->nkeep && in->ask[i]; d++) {
            const int64_t part = d == k->nkeep - 1 ? INNER_WARP : d == k->nkeep - 2 ? rows : 1;
            if (k->access[k->instr[i].ref].stride[d] && k->dim[d] < INNER_PARTS * part)
                in->most = 0;
        }
}

/* The data that fill map_rows and map_rows_body. */
typedef struct rows_writer {
    map_writer w; /* first: the functions of other shapes write for it, too */
    int y, rows;
    inner_way in;
} rows_writer;

static void write_rows_conditions(void *who, const gnd__holeargs *a)
{
    const rows_writer *r = who;
    gnd__cg *c = r->w.c;
    (void)a;
    c->part.pick = r->in.eval;
    gnd__cg_values(c, 0);
    c->part.pick = NULL;
}

static void write_rows_holds(void *who, const gnd__holeargs *a)
{
    const rows_writer *r = who;
    const char *and = "";
    (void)a;
    for (int i = 0; i < r->w.c->k->ninstr; i++)
        if (r->in.ask[i]) {
            gnd__cgf(r->w.c, "%s%sv%d", and, r->in.way.holds[i] ? "" : "!", i);
            and = " & ";
        }
}

static void write_rows_body(void *who, const gnd__holeargs *a)
{
    rows_writer *r = who;
    gnd__cg *c = r->w.c;
    const gnd__hole own[] = {
        {"y", .number = r->y},
        {"rows", .number = r->rows},
        {"late_stores", .write = write_late_stores},
    };
    (void)a;
    if (r->in.most)
        c->part = (gnd__part){.pick = r->in.pick, .inside = 1, .holds = r->in.way.holds};
    gnd__cg_shape_of(c, "map_rows_body", own, r);
    c->part = (gnd__part){0};
}

static gnd_status map_rows(map_writer *w)
{
    gnd__cg *c = w->c;
    const gnd__kir *k = c->k;
    rows_writer r = {.w = *w, .y = w->x - 1, .rows = c->t->tune->v[GND__TUNE_GPU_ROWS]};
    const int64_t tiles = (k->dim[r.y] + r.rows - 1) / r.rows,
                  total = gnd__kir_kept(k) / k->dim[r.y] * tiles;
    find_inner(k, r.rows, &r.in);
    const gnd__hole own[] = {
        {"gid", .text = c->piece.gid},
        {"x", .number = w->x},
        {"y", .number = r.y},
        {"rows", .number = r.rows},
        {"inner", .number = r.in.most},
        {"conditions", .write = write_rows_conditions},
        {"holds", .write = write_rows_holds},
        {"body", .write = write_rows_body},
    };
    gnd__cg_begin_map(c);
    gnd__cg_int(c, "total", total);
    gnd__cg_int(c, "tiles", tiles);
    keep_outputs(c);
    gnd__cg_shape_of(c, "map_rows", own, &r);
    return end_map(c, (size_t)total, map_group(c));
}

/* GPU, no vectors: SPREAD points per work-item, a group's width apart; all loads come before the
 * stores. */
#define SPREAD 4

static int takes_spread(const gnd__cg *c)
{
    return !c->piece.count && c->k->ninstr <= 32 && gnd__kir_kept(c->k) >= ROWS_POINTS;
}

static gnd_status map_spread(map_writer *w)
{
    gnd__cg *c = w->c;
    const int64_t points = gnd__kir_kept(c->k);
    const size_t local = gnd__cg_group(c, 256);
    const gnd__hole own[] = {
        {"kept", .number = c->k->nkeep},
        {"spread", .number = SPREAD},
        {"local", .number = (int64_t)local},
        {"tile", .number = SPREAD * (int64_t)local},
        {"last", .number = (SPREAD - 1) * (int64_t)local},
        {"late_stores", .write = write_late_stores},
    };
    gnd__cg_int(c, "total", points);
    keep_outputs(c);
    gnd__cg_shape_of(c, "map_spread", own, w);
    return end_map(c, (size_t)((points + SPREAD - 1) / SPREAD), local);
}

/* GPU, vectors loaded through an index (rows by index): GATHERED per work-item, in consecutive
 * rows; all loads come before the stores, because each waits for its index first. */
#define GATHERED 2

static int takes_gather(const map_writer *w)
{
    const gnd__cg *c = w->c;
    const gnd__kir *k = c->k;
    if (w->vec < 2 || k->nkeep < 2 || c->piece.count || gnd__kir_kept(k) < ROWS_POINTS)
        return 0;
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_GATHER && c->vector.on[k->instr[i].ref])
            return 1;
    return 0;
}

/* Declares the vectors that are not stored yet. */
static void write_waiting(void *who, const gnd__holeargs *a)
{
    const map_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->nout; i++) {
        const int out = w->c->k->out[i].access;
        if (w->c->vector.on[out])
            gnd__cgf(w->c, "    %s w%d[%d];\n", raw_vector(w, out), out, GATHERED);
    }
}

/* Stores the vectors of row h. */
static void write_late_vectors(void *who, const gnd__holeargs *a)
{
    const map_writer *w = who;
    gnd__cg *c = w->c;
    (void)a;
    for (int i = 0; i < c->k->nout; i++) {
        const int out = c->k->out[i].access;
        if (c->vector.on[out]) {
            gnd__cgf(c, "    *(GND_GLOBAL %s *)(p%d + ", raw_vector(w, out), out);
            gnd__cg_address(c, out);
            gnd__cgf(c, ") = w%d[h];\n", out);
        }
    }
}

static gnd_status map_gather(map_writer *w, size_t local)
{
    gnd__cg *c = w->c;
    const gnd__kir *k = c->k;
    const int y = w->x - 1;
    const int64_t tiles = (k->dim[y] + GATHERED - 1) / GATHERED;
    const int64_t total = gnd__kir_kept(k) / k->dim[y] * tiles / w->vec;
    const gnd__hole own[] = {
        {"gid", .text = c->piece.gid},
        {"x", .number = w->x},
        {"y", .number = y},
        {"vec", .number = w->vec},
        {"rows", .number = GATHERED},
        {"waiting", .write = write_waiting},
        {"later", .write = write_later},
        {"late_vectors", .write = write_late_vectors},
        {"vector", .write = write_vector},
    };
    gnd__cg_int(c, "total", total);
    gnd__cg_int(c, "tiles", tiles);
    gnd__cg_shape_of(c, "map_gather", own, w);
    return end_map(c, (size_t)total, local);
}

static gnd_status map_flat(map_writer *w, size_t local)
{
    gnd__cg *c = w->c;
    const int64_t total = (gnd__kir_kept(c->k) + w->vec - 1) / w->vec;
    const gnd__hole own[] = {
        {"gid", .text = c->piece.gid},
        {"kept", .number = c->k->nkeep},
        {"nested", .number = c->k->nkeep > 1},
        {"x", .number = w->x},
        {"vec", .number = w->vec},
        {"vectors", .number = w->vec > 1},
        {"vector", .write = write_vector},
    };
    gnd__cg_int(c, "total", total);
    gnd__cg_shape_of(c, "map_flat", own, w);
    return end_map(c, (size_t)total, local);
}

/* Fewer elements per work-item if the body is long: it is then bound by arithmetic, and each
 * element is one more copy for the compiler. Random numbers are made in blocks for neighbours. */
#define VECTOR_BODY 512 /* most machine instructions of all elements of a vector, about */

static int shorten(const gnd__kir *k, int vec)
{
    const int work = gnd__rows_work(k);
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].word_bits)
            return vec;
    while (vec > 1 && vec * work > VECTOR_BODY)
        vec /= 2;
    return vec;
}

static gnd_status map_gpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int n = k->nkeep;
    const size_t local = map_group(c);
    map_writer w = {.c = c, .x = n - 1, .vec = 1};
    if (n > 0)
        w.vec =
            gnd__cg_vector_width(k, n - 1, n == 1, 1) * c->t->tune->v[GND__TUNE_GPU_VECTOR] / 16;
    w.vec = shorten(k, w.vec);
    if (w.vec < 1)
        w.vec = 1;
    if (w.vec == 1 && takes_rows(c))
        return map_rows(&w);
    for (int i = 0; i < k->naccess; i++)
        c->vector.on[i] = w.vec > 1 && k->access[i].slot >= 0 && k->access[i].stride[n - 1] == 1;
    gnd__cg_begin_map(c);
    if (w.vec > 1 && n == 1 && gnd__cg_is_generator(k))
        return gnd__cg_map_random(c, w.vec, local);
    if (w.vec == 1 && takes_spread(c))
        return map_spread(&w);
    return takes_gather(&w) ? map_gather(&w, local) : map_flat(&w, local);
}

int gnd__cg_is_piece(gnd__cg *c)
{
    const int tiles = gnd__cg_tile_axis(c) >= 0;
    memset(c->vector.on, 0, sizeof c->vector.on);
    return !tiles && !gnd__cg_is_generator(c->k);
}

void gnd__cg_map_piece(gnd__cg *c, size_t local, size_t *groups)
{
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
