/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_tile.c - reductions on GPUs in which several results share their inputs, as in
 * (a[:, None] - a[None])**2: a work-item computes a tile of results, so that every loaded element
 * is used several times from a register.
 *
 * The tile lies along the last kept axis (x) and one before it (y), chosen by which loads do not
 * move along them; the compiler merges equal loads of the unrolled tile. With many results a
 * work-item has a tile to itself and goes through the reduced axes alone. With few results and long
 * runs a group shares a tile, each work-item takes every n-th element, and a tree in local memory
 * combines them. The texts are shapes of kernels/reduce_tile.cl.
 *
 * The work-items of a group read the rows of an input side by side: with contiguous rows, which are
 * reduced, neighbours read elements that are a row apart, so a load takes a cache line for each of
 * them. Such rows go through local memory, some terms at a time: the group loads them as they lie.
 */
#include "codegen/holes.h"

#include <stdio.h>
#include <string.h>

#define GROUP 256
#define ACROSS 8 /* work-items of a group side by side along x: 32 bytes of float32 a store */
#define RUN 64   /* terms of a work-item that are added without compensation */
#define MIN_ITEMS 16384 /* fewest work-items, with a tile each */
#define MIN_GROUPS 264
#define MAX_SMALL 4   /* extents of x up to here are one tile */
#define MAX_BODY 2048 /* approximate limit of the instructions of an unrolled tile */
#define STAGE 64      /* bytes of a row in local memory, of the largest type */
#define STAGE_GAP 16  /* bytes between them, so that neighbours are in different banks */
#define STAGE_ALL (32 * 1024)

typedef struct tile {
    int x, y;   /* axes; y is -1 for none */
    int nx, ny; /* results of a tile along them */
    int shared; /* a group has one tile */
    int vec;    /* elements per load along the reduced axis */
    int stage;  /* terms of rows in local memory at a time; 0: none are there */
} tile;

static int is_load(const gnd__kir *k, int i)
{
    return k->access[i].slot >= 0 && gnd__cg_in_phase(k, i, 0);
}

/* Whether an access moves along some reduced axis. */
static int runs(const gnd__kir *k, int i)
{
    for (int d = k->nkeep; d < k->nkeep + k->nred; d++)
        if (k->access[i].stride[d])
            return 1;
    return 0;
}

/* Whether tiles along d save loads, and no load moves along both d and the reduced axes and every
 * axis of `also` (-1: none): such a reduction would be limited by memory. */
static int shares(const gnd__kir *k, int d, int also)
{
    int saves = 0;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        if (!is_load(k, i))
            continue;
        saves |= a->stride[d] == 0 && runs(k, i);
        if (a->stride[d] && runs(k, i) && (also < 0 || a->stride[also]))
            return 0;
    }
    return saves;
}

/* Whether some load that moves along a reduced axis does not move along d. */
static int repeats(const gnd__kir *k, int d)
{
    for (int i = 0; i < k->naccess; i++)
        if (is_load(k, i) && k->access[i].stride[d] == 0 && runs(k, i))
            return 1;
    return 0;
}

/* Limits tiles to n results that fit registers and local memory and keep the text reasonably
 * short. */
static int fits(const gnd__cg *c, const tile *t, int n)
{
    return gnd__acc_bytes(c->k) * n <= 256 && c->k->ninstr * n * t->vec <= MAX_BODY &&
           (!t->shared || (uint64_t)gnd__acc_bytes(c->k) * (uint64_t)(n * GROUP) <=
                              c->t->props->local_bytes / 4 * 3);
}

/* The results of a group's tiles along an axis. */
static int reach(const tile *t, int along_x)
{
    return along_x ? ACROSS * t->nx : GROUP / ACROSS * t->ny;
}

/* Whether the rows of input i are contiguous and belong to one axis of the tile. */
static int in_rows(const gnd__kir *k, const tile *t, int i)
{
    const gnd__access *a = &k->access[i];
    return is_load(k, i) && a->stride[k->nkeep] == 1 && !a->stride[t->x] != !a->stride[t->y];
}

/* The rows of a staged input in local memory. */
typedef struct staged_rows {
    int along_x, count; /* the axis of the tile that they belong to; how many a group has */
    int vector, pitch;  /* bytes of a load, and from row to row */
} staged_rows;

static staged_rows rows_of(const gnd__kir *k, const tile *t, int i)
{
    const int size = (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype),
              along_x = k->access[i].stride[t->x] != 0;
    return (staged_rows){along_x, reach(t, along_x), t->vec * size, t->stage * size + STAGE_GAP};
}

/* Decides how many terms of rows go to local memory at a time, and which inputs' do. */
static void choose_stage(gnd__cg *c, tile *t)
{
    const gnd__kir *k = c->k;
    size_t largest = 1;
    uint64_t all = 0;
    if (k->nred != 1 || gnd__kir_has_boxes(k)) /* outside a box nothing may be loaded */
        return;
    for (int i = 0; i < k->naccess; i++) {
        const size_t size = gnd_dtype_size((gnd_dtype)k->access[i].dtype);
        c->vector.staged[i] = (uint8_t)in_rows(k, t, i);
        largest = c->vector.staged[i] && size > largest ? size : largest;
    }
    t->stage = STAGE / (int)largest;
    for (int i = 0; i < k->naccess; i++) {
        const staged_rows rows = rows_of(k, t, i);
        all += c->vector.staged[i] ? (uint64_t)(rows.pitch * rows.count) : 0;
    }
    if (all == 0 || all > STAGE_ALL || all > c->t->props->local_bytes / 4 * 3 ||
        gnd__kir_reduced(k) < t->stage) {
        t->stage = 0;
        memset(c->vector.staged, 0, sizeof c->vector.staged);
    }
}

static int choose(gnd__cg *c, tile *t)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    *t = (tile){k->nkeep - 1, -1, 1, 1, 0, 1, 0};
    if (k->nkeep == 0 || k->nred == 0 || r < 2 || gnd__cg_group(c, GROUP) < GROUP)
        return 0;
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_GATHER || k->instr[i].kind == GND__I_CHECK)
            return 0;
    for (int d = 0; d < t->x; d++)
        if (k->dim[d] >= 8 && (t->y < 0 || k->dim[d] > k->dim[t->y]) && shares(k, d, t->x))
            t->y = d;
    if (t->y >= 0 && k->dim[t->x] >= 2 * ACROSS && shares(k, t->x, t->y) && m / 4 >= MIN_ITEMS) {
        if (k->nred == 1)
            t->vec = gnd__cg_vector_width(k, last, 0, 0);
        t->nx = t->ny = 4;
        while (t->nx > 1 && (!fits(c, t, t->nx * t->ny) || m / (t->nx * t->ny) < MIN_ITEMS)) {
            if (t->nx < t->ny)
                t->ny /= 2;
            else
                t->nx /= 2;
        }
        if (t->nx * t->ny > 1)
            choose_stage(c, t);
        return t->nx * t->ny > 1;
    }
    if (r < 2 * GROUP || m > (1 << 22))
        return 0;
    t->shared = 1;
    if (t->x > 0 && k->dim[t->x] <= MAX_SMALL && repeats(k, t->x))
        t->nx = (int)k->dim[t->x];
    else if (shares(k, t->x, -1))
        t->nx = 4;
    else
        return 0;
    if (k->dim[t->x] > MAX_SMALL)
        t->y = -1;
    else if (t->y >= 0)
        t->ny = 4;
    while (t->ny > 1 && (!fits(c, t, t->nx * t->ny) || m / (t->nx * t->ny) < MIN_GROUPS))
        t->ny /= 2;
    while (k->dim[t->x] > MAX_SMALL && t->nx > 1 && (!fits(c, t, t->nx) || m / t->nx < MIN_GROUPS))
        t->nx /= 2;
    return t->nx * t->ny > 1 && fits(c, t, t->nx * t->ny) && m / (t->nx * t->ny) >= MIN_GROUPS / 2;
}

/* The data that fill the shapes of kernels/reduce_tile.cl. */
typedef struct tile_writer {
    gnd__cg *c;
    tile t;
    int64_t terms; /* of a result */
} tile_writer;

/* The indices of the kept axes without a tile, from the rest of g. */
static void write_other_indices(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    int before = -1;
    (void)a;
    for (int d = w->t.x - 1; d >= 0; d--) {
        if (d == w->t.y)
            continue;
        if (before >= 0)
            gnd__cgf(w->c, "    g /= n%d;\n", before);
        gnd__cgf(w->c, "    const I i%d = g %% n%d;\n", d, d);
        before = d;
    }
}

/* The distance of neighbours of a tile along x or y. */
static int step_of(const tile *t, int along_x)
{
    return t->shared ? 1 : along_x ? ACROSS : GROUP / ACROSS;
}

/* The position of a result in the tile: " + tx * 8", or "" if a work-item has one result along that
 * axis. */
static void offset_of(const tile *t, int along_x, char *buf, size_t n)
{
    buf[0] = '\0';
    if ((along_x ? t->nx : t->ny) > 1 || t->shared)
        snprintf(buf, n, " + t%c * %d", along_x ? 'x' : 'y', step_of(t, along_x));
}

/* Where the staged vectors of a result begin. */
static void write_staged(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const gnd__kir *k = w->c->k;
    const tile *t = &w->t;
    (void)a;
    for (int i = 0; i < k->naccess; i++) {
        if (!w->c->vector.staged[i])
            continue;
        const staged_rows rows = rows_of(k, t, i);
        gnd__cgf(w->c, "    const int h%d = (lid %s %d + t%c * %d) * %d + (int)(r - from) / %d;\n",
                 i, rows.along_x ? "%" : "/", ACROSS, rows.along_x ? 'x' : 'y',
                 step_of(t, rows.along_x), rows.pitch / rows.vector, t->vec);
    }
}

static void write_terms(void *who, const gnd__holeargs *a)
{
    tile_writer *w = who;
    const gnd__kir *k = w->c->k;
    const tile *t = &w->t;
    char dx[24], dy[24];
    offset_of(t, 1, dx, sizeof dx);
    offset_of(t, 0, dy, sizeof dy);
    const gnd__hole own[] = {
        {"name", .text = a->v[0]},
        {"kept", .number = k->nkeep},
        {"axes", .number = k->nkeep + k->nred},
        {"last", .number = k->nkeep + k->nred - 1},
        {"x", .number = t->x},
        {"y", .number = t->y},
        {"has_y", .number = t->y >= 0},
        {"nx", .number = t->nx},
        {"ny", .number = t->ny},
        {"dx", .text = dx},
        {"dy", .text = dy},
        {"vec", .number = t->vec},
        {"vectors", .number = t->vec > 1 || t->stage},
        {"staged", .write = write_staged},
    };
    gnd__cg_shape_of(w->c, "reduce_tile_terms", own, w);
}

/* Loads the next terms of all staged rows, from `from` on. */
static void write_fills(void *who, const gnd__holeargs *a)
{
    tile_writer *w = who;
    const gnd__kir *k = w->c->k;
    const tile *t = &w->t;
    (void)a;
    for (int i = 0; i < k->naccess; i++) {
        if (!w->c->vector.staged[i])
            continue;
        const staged_rows rows = rows_of(k, t, i);
        const int per = t->stage / t->vec, count = per * rows.count;
        char low[32];
        snprintf(low, sizeof low, rows.along_x ? "xb - lid %% %d" : "yb - lid / %d", ACROSS);
        const gnd__hole own[] = {
            {"in", .number = i},
            {"axis", .number = rows.along_x ? t->x : t->y},
            {"low", .text = low},
            {"last", .number = k->nkeep},
            {"group", .number = GROUP},
            {"count", .number = count},
            {"rounds", .number = (count + GROUP - 1) / GROUP},
            {"per", .number = per},
            {"vec", .number = t->vec},
            {"raw", .text = gnd__cg_raw((size_t)rows.vector)},
            {"pitch", .number = rows.pitch / rows.vector},
        };
        gnd__cg_shape_of(w->c, "reduce_tile_fill", own, w);
    }
}

/* The terms from r on, up to an end, into an accumulator: arguments 1 and 0. */
static void write_span(void *who, const gnd__holeargs *a)
{
    tile_writer *w = who;
    const gnd__hole own[] = {
        {"name", .text = a->v[0]},       {"until", .text = a->v[1]},
        {"vec", .number = w->t.vec},     {"stage", .number = w->t.stage},
        {"fills", .write = write_fills}, {"terms", write_terms, .number = 1},
    };
    gnd__cg_shape_of(w->c, "reduce_tile_span", own, w);
}

static void write_sums(void *who, const gnd__holeargs *a)
{
    tile_writer *w = who;
    const int count = w->t.nx * w->t.ny;
    const gnd__hole shared[] = {
        {"count", .number = count},
        {"group", .number = GROUP},
        {"half", .number = GROUP / 2},
        {"run", .number = RUN},
        {"long", .number = w->terms > GROUP * RUN},
        {"terms", write_terms, .number = 1},
    };
    const gnd__hole alone[] = {
        {"count", .number = count},
        {"run", .number = RUN},
        {"once", .number = w->terms <= RUN},
        {"span", write_span, .number = 2},
    };
    (void)a;
    if (w->t.shared)
        gnd__cg_shape_of(w->c, "reduce_tile_shared", shared, w);
    else
        gnd__cg_shape_of(w->c, "reduce_tile_own", alone, w);
}

/* The number of tiles of a group's size along an axis of that extent. */
static int64_t tiles_along(const tile *t, int along_x, int64_t extent)
{
    const int64_t each = !t->shared ? reach(t, along_x) : along_x ? t->nx : t->ny;
    return (extent + each - 1) / each;
}

static void write_tile(tile_writer *w)
{
    const tile *t = &w->t;
    const gnd__hole own[] = {
        {"x", .number = t->x},
        {"y", .number = t->y},
        {"has_y", .number = t->y >= 0},
        {"shared", .number = t->shared},
        {"nx", .number = t->nx},
        {"ny", .number = t->ny},
        {"count", .number = t->nx * t->ny},
        {"across", .number = ACROSS},
        {"wide", .number = reach(t, 1)},
        {"high", .number = reach(t, 0)},
        {"step_x", .number = step_of(t, 1)},
        {"step_y", .number = step_of(t, 0)},
        {"other_indices", .write = write_other_indices},
        {"sums", .write = write_sums},
    };
    gnd__cg_shape_of(w->c, "reduce_tile", own, w);
}

int gnd__cg_reduce_tile(gnd__cg *c, gnd_status *st)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep + k->nred - 1;
    const size_t local = GROUP;
    tile_writer w = {.c = c, .terms = gnd__kir_reduced(k)};
    const tile *t = &w.t;
    if (!choose(c, &w.t))
        return 0;
    const int64_t tx = tiles_along(t, 1, k->dim[t->x]);
    const int64_t ty = t->y >= 0 ? tiles_along(t, 0, k->dim[t->y]) : 1;
    int64_t groups = tx * ty;
    for (int d = 0; d < t->x; d++)
        groups *= d == t->y ? 1 : k->dim[d];
    c->wide = gnd__cg_wide_apart(k); /* no index counts all points */
    for (int i = 0; i < k->naccess; i++)
        c->vector.on[i] =
            (t->vec > 1 && is_load(k, i) && k->access[i].stride[last] == 1) || c->vector.staged[i];
    gnd__cg_begin(c, 0, "k_reduce");
    gnd__cg_reduce_args(c, 1);
    gnd__cg_int(c, "R", w.terms);
    gnd__cg_int(c, "tilesx", tx);
    gnd__cg_int(c, "tilesy", ty);
    if (t->shared)
        gnd__acc_shared(c, GROUP * t->nx * t->ny);
    for (int i = 0; i < k->naccess; i++) {
        const staged_rows rows = rows_of(k, t, i);
        if (c->vector.staged[i])
            gnd__cg_shared(c, "uint4", 16, rows.pitch / 16 * rows.count, "L%d", i);
    }
    write_tile(&w);
    const size_t global = (size_t)groups * local;
    *st = gnd__cg_end(c, 1, &global, &local);
    return 1;
}
