/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_cpu.c - reductions on CPU devices.
 *
 * One work-item per task, in groups of one: each walks a run of memory in blocks. Along the last
 * axis ("rows") a block is 64 lanes of up to 16 elements, which the compiler keeps in vector
 * registers; across rows ("columns") it is 64 rows of a tile of 256 columns. Block results are
 * added with error compensation. The tree depends on sizes alone, not on the number of cores. The
 * texts are shapes of kernels/reduce_cpu.cl.
 */
#include "codegen/holes.h"

#define TILE 256         /* columns of a task, as in kernels/reduce_cpu.cl */
#define MOST 16          /* elements of a lane in a block */
#define MOST_EXACT 256   /* the same, if the order of elements does not matter */
#define PLACE_LONG 640   /* elements of a row up to which blocks have few lines of lanes */
#define ROW_RUN 16384    /* elements below which a row is not split */
#define LONG_RUN 131072  /* elements of a task from which on there are more than 64 */
#define WORDS 16         /* elements of a row from which on random words are computed at once */
#define LONG_WINDOW 2048 /* windows from which on lanes along them are as fast */

/* 1: the last kept axis is the one that memory is contiguous along; of windows both are. These, and
 * values that all columns share, are read as fast down the columns, unless they are long; with the
 * rows of a table such values are, however long they are. */
static int by_columns(const gnd__kir *k)
{
    int kept = k->nkeep - 1, last = k->nkeep + k->nred - 1;
    int yes = 0, no = 0, table = 0, weights = 0;
    if (k->nkeep == 0 || k->nred == 0 || k->dim[kept] < 8)
        return 0;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        if (a->slot < 0 || !gnd__cg_in_phase(k, i, 0))
            continue;
        const int across = a->stride[kept] == 1, along = a->stride[last] == 1;
        const int shared = a->stride[kept] == 0;
        yes += across;
        table |= across && a->stride[last] != 0 && !along;
        if (!along || k->dim[last] < 8 || ((across || shared) && k->dim[last] < LONG_WINDOW))
            continue;
        no += !shared;
        weights += shared;
    }
    return yes > no + (table ? 0 : weights);
}

static int64_t clamp(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* The number of tasks for n elements. Many cores end together only if there are several for each:
 * one that is late delays the others by a task. */
static int64_t tasks(int64_t n)
{
    return clamp(n / LONG_RUN, 64, 512);
}

/* Whether k has no reductions but extremes and their places. */
static int extremes(const gnd__kir *k)
{
    for (int j = 0; j < k->nreds; j++)
        if (gnd__reds[k->red[j].op].ordered)
            return 0;
    return 1;
}

/* The data that fill the shape of rows. */
typedef struct row_writer {
    gnd__cg *c;
    int last; /* axis */
    int light;
    unsigned places;        /* bits: reductions whose places are looked for */
    int side, block;        /* then: lanes, and elements of a block */
    int again;              /* whether lanes may take elements once more */
    int many;               /* whether a block may have many lines of lanes */
    const gnd__kir *values; /* k with values instead of these */
} row_writer;

static void write_lanes(void *who, const gnd__holeargs *a)
{
    const row_writer *w = who;
    const gnd__hole own[] = {{"last", .number = w->last},
                             {"abreast", .text = gnd__cg_abreast(w->c, w->light)}};
    (void)a;
    w->c->run.word_at = "(int)t * 64 + l";
    gnd__cg_shape_of(w->c, "reduce_lanes_cpu", own, NULL);
    w->c->run.word_at = NULL;
}

/* Places of values that cost little. A lane with a value and its place is slow: two comparisons
 * wait for each other, and 64 of both are more than the registers. So a block has values only, and
 * the place is looked for in it once, if its value wins. Returns the bits of the reductions that
 * give places, and then writes k with values into *values; or 0. */
static unsigned finds_places(gnd__cg *c, int last, gnd__kir *values)
{
    const gnd__kir *k = c->k;
    unsigned places = 0;
    int light;
    for (int j = 0; j < k->nreds; j++)
        places |= gnd__reds[k->red[j].op].place ? 1u << j : 0;
    if (!places)
        return 0;
    *values = *k;
    for (int j = 0; j < k->nreds; j++)
        if (places >> j & 1)
            values->red[j].op =
                gnd__reds[k->red[j].op].identity == GND__LOWEST ? GND__MAX : GND__MIN;
    c->k = values;
    light = gnd__cg_light_lanes(c, last);
    c->k = k;
    return light ? places : 0;
}

/* Where nothing but places is wanted, the order of elements does not matter, nor how often one is
 * taken. Other reductions have lanes and blocks as without places. */
static void set_place_lanes(row_writer *w, const gnd__kir *k)
{
    const int64_t n = k->dim[w->last];
    int narrow = n >= 64;
    w->many = n > PLACE_LONG;
    w->again = w->places == (1u << k->nreds) - 1;
    for (int j = 0; j < k->nreds; j++)
        narrow &= gnd_dtype_size((gnd_dtype)k->red[j].in) < 4;
    w->side = !w->again || narrow || w->many ? 64 : n < 32 ? 8 : 32;
    w->block = 64 * (extremes(k) ? MOST_EXACT : MOST);
}

typedef struct place_writer {
    gnd__cg *c;
    int j; /* reduction */
} place_writer;

static void write_beats(void *who, const gnd__holeargs *a)
{
    const place_writer *p = who;
    gnd__acc_beats(p->c, p->j, a->v[0], a->v[1]);
}

static void write_same(void *who, const gnd__holeargs *a)
{
    const place_writer *p = who;
    gnd__acc_same(p->c, p->j, a->v[0], a->v[1]);
}

/* A block: its values, the reductions without places, and the places. */
static void write_place_block(void *who, const gnd__holeargs *a)
{
    const row_writer *w = who;
    gnd__cg *c = w->c;
    const gnd__kir *k = c->k;
    const char *abreast = w->side == 64   ? gnd__cg_abreast(c, 1)
                          : w->side == 32 ? "gnd_half_lanes_i32"
                                          : "gnd_few_lanes_i32";
    const gnd__hole values[] = {
        {"last", .number = w->last},   {"side", .number = w->side},  {"block", .number = w->block},
        {"again", .number = w->again}, {"abreast", .text = abreast},
    };
    (void)a;
    c->k = w->values;
    gnd__cg_shape_of(c, "reduce_place_values", values, who);
    c->k = k;
    c->part.skip_red = w->places;
    gnd__acc_combine(c, "A", "", "F", "[0]", 1);
    c->part.skip_red = 0;
    for (int j = 0; j < k->nreds; j++) {
        place_writer p = {c, j};
        const gnd__hole own[] = {
            {"j", .number = j},
            {"last", .number = w->last},
            {"side", .number = w->side},
            {"abreast", .text = abreast},
            {"many", .number = w->many},
            {"value", .number = k->red[j].value},
            {"beats", write_beats, .number = 2},
            {"same", write_same, .number = 2},
        };
        if (w->places >> j & 1)
            gnd__cg_shape_of(c, "reduce_place_find", own, &p);
    }
    gnd__cgf(c, "    x += n_;\n");
}

static void write_near_lanes(void *who, const gnd__holeargs *a)
{
    const row_writer *w = who;
    w->c->run.near = 1;
    write_lanes(who, a);
    w->c->run.near = 0;
}

static void write_rest(void *who, const gnd__holeargs *a)
{
    const row_writer *w = who;
    (void)a;
    w->c->run.word_at = "x - rest";
    gnd__cg_values(w->c, 0);
    w->c->run.word_at = NULL;
}

/* The parts of a row of k, and the elements of each. */
static int64_t row_parts(const gnd__kir *k, int64_t *chunk)
{
    const int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    const int64_t most = m > 0 && r > INT64_MAX / m ? 512 : tasks(m * r);
    const int64_t splits = clamp((most + m - 1) / m, 1, clamp(r / ROW_RUN, 1, most));
    *chunk = ((r + splits - 1) / splits + 1023) / 1024 * 1024;
    return r ? (r + *chunk - 1) / *chunk : 1;
}

static gnd_status rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep + k->nred, last = n - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), chunk, rows_per_task;
    const int64_t splits = row_parts(k, &chunk);
    rows_per_task = clamp(8192 / (r + 1), 1, (m + 255) / 256);
    gnd__cg_begin(c, 0, "k_reduce");
    gnd__cg_reduce_args(c, splits == 1);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    gnd__cg_int(c, "chunk", chunk);
    gnd__cg_int(c, "G", rows_per_task);
    if (k->nred > 0 && k->dim[last] >= WORDS)
        gnd__words_find(c, last);
    const int words = gnd__words_any(c);
    gnd__kir values;
    row_writer w = {.c = c, .last = last, .light = gnd__cg_light_lanes(c, last)};
    w.places = words ? 0 : finds_places(c, last, &values);
    if (w.places) {
        w.values = &values;
        w.light = 1;
        set_place_lanes(&w, k);
    }
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"last", .number = last},
        {"nested", .number = k->nred > 1},
        {"reduces", .number = k->nred > 0},
        {"most", .number = extremes(k) && !words ? MOST_EXACT : MOST},
        {"near", .number = gnd__cg_near(c) >= 0},
        {"words", .number = words},
        {"places", .number = w.places != 0},
        {"side", .number = w.side},
        {"light", .number = w.light},
        {"wide", .text = gnd__cg_abreast(c, 0)},
        {"dear", .number = gnd__cg_rest_dear(c)},
        {"split", .number = splits > 1},
        {"lanes", .write = write_lanes},
        {"near_lanes", .write = write_near_lanes},
        {"place_block", .write = write_place_block},
        {"rest_values", .write = write_rest},
    };
    gnd__cg_shape_of(c, "reduce_rows_cpu", own, &w);
    return gnd__cg_end_reduction(c, (size_t)((m + rows_per_task - 1) / rows_per_task * splits), 1,
                                 splits, 0);
}

static void write_column_values(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    (void)a;
    c->run.word_at = "l";
    gnd__cg_values(c, 0);
    c->run.word_at = NULL;
}

static void write_block(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    const gnd__hole own[] = {{"col", .number = c->k->nkeep - 1},
                             {"wide", .text = gnd__cg_abreast(c, 0)}};
    (void)a;
    gnd__cg_shape_of(c, "reduce_columns_block", own, NULL);
}

static void write_near_block(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->run.near = 1;
    write_block(who, a);
    c->run.near = 0;
}

/* The parts of a column of k, and the elements of each; tiles: of the columns of a row. */
static int64_t column_parts(const gnd__kir *k, int64_t tiles, int64_t *chunk)
{
    const int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k), outer = m / k->dim[k->nkeep - 1];
    int64_t splits = clamp((64 + outer * tiles - 1) / (outer * tiles), 1, clamp(r / 64, 1, 64));
    *chunk = (r + splits - 1) / splits;
    return r ? (r + *chunk - 1) / *chunk : 1;
}

int gnd__codegen_by_columns(const gnd__kir *k, int64_t *chunk)
{
    if (!by_columns(k) || gnd__kir_kept(k) == 0)
        return 0;
    column_parts(k, (k->dim[k->nkeep - 1] + TILE - 1) / TILE, chunk);
    return 1;
}

static gnd_status columns(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep + k->nred, col = k->nkeep - 1;
    int64_t r = gnd__kir_reduced(k), chunk, outer = gnd__kir_kept(k) / k->dim[col];
    const int64_t tiles = (k->dim[col] + TILE - 1) / TILE, splits = column_parts(k, tiles, &chunk);
    gnd__cg_begin(c, 0, "k_reduce");
    gnd__cg_reduce_args(c, splits == 1);
    gnd__cg_int(c, "M", gnd__kir_kept(k));
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "S", splits);
    gnd__cg_int(c, "chunk", chunk);
    gnd__cg_int(c, "tiles", tiles);
    gnd__words_find(c, col);
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"axes", .number = n},
        {"col", .number = col},
        {"split", .number = splits > 1},
        {"column_values", .write = write_column_values},
        {"dear", .number = gnd__cg_rest_dear(c)},
        {"near", .number = gnd__cg_near(c) >= 0},
        {"block", .write = write_block},
        {"near_block", .write = write_near_block},
    };
    gnd__cg_shape_of(c, "reduce_columns_cpu", own, c);
    return gnd__cg_end_reduction(c, (size_t)(outer * tiles * splits), 1, splits, 1);
}

int gnd__codegen_by_rows(const gnd__kir *k, int *most, int64_t *chunk)
{
    if (by_columns(k) || gnd__kir_kept(k) == 0)
        return 0;
    *most = extremes(k) ? MOST_EXACT : MOST;
    if (row_parts(k, chunk) == 1)
        *chunk = 0;
    return 1;
}

gnd_status gnd__cg_reduce_cpu(gnd__cg *c)
{
    c->apart = 1;
    return by_columns(c->k) ? columns(c) : rows(c);
}
