/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_cpu.c - kernels that compute every point independently, on CPU devices.
 *
 * One axis: one point per work-item, of which the compiler makes vectors. More axes: rows, a loop
 * along the last axis inside of loops along the others; groups of points would be partly outside of
 * the space, and are slow then. Or nests of loops, if the last axis is narrow. Or runs: a work-item
 * takes a run of points along the last axis, for computations that are faster for many points at
 * once: random words (words.c), and functions with a shorter text for most arguments. That text
 * reports arguments for which it does not apply; the run is then computed again. The texts are
 * shapes of kernels/map_cpu.cl.
 */
#include "codegen/holes.h"

#include <stdlib.h>

static gnd_status single_points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int n = k->nkeep;
    const size_t group = gnd__cg_group(c, (size_t)c->t->tune->v[GND__TUNE_CPU_GROUP]);
    const size_t global[3] = {n > 0 ? (size_t)k->dim[n - 1] : 1, 1, 1};
    const size_t local[3] = {n > 0 ? group : 1, 1, 1};
    const gnd__hole own[] = {{"x", .number = n - 1}, {"keeps", .number = n > 0}};
    gnd__cg_begin_map(c);
    gnd__cg_shape_of(c, "map_points_cpu", own, NULL);
    return gnd__cg_end(c, 3, global, local);
}

/* --- nests ------------------------------------------------------------------------------------ */

#define NARROW 16        /* last axes below this are narrow */
#define BESIDE 4         /* those of elements that lie side by side, below this */
#define NEST_POINTS 4096 /* points of a work-item, about */
#define NEST_INSIDE 1024 /* most points of the axes inside of the long one */
#define NEST_COST 10     /* arithmetic of a point, in additions, that is not worth vectors */
#define NEST_RUN 16      /* shortest run along the long axis */
#define NEST_BLOCK 64    /* points of a run whose arithmetic is done at once */

/* Whether a group of single points would have at least half of them in the space. */
static int fills_group(const gnd__kir *k)
{
    const int last = k->nkeep - 1;
    return 2 * k->dim[last] >= NARROW && k->dim[last - 1] >= 16;
}

/* Whether loops along the last axis are vectors: its elements, of at least 4 bytes, lie side by
 * side, or are one, in all that is read and written. */
static int is_beside(const gnd__kir *k)
{
    const int last = k->nkeep - 1;
    int yes = k->dim[last] >= BESIDE;
    for (int i = 0; i < k->naccess && yes; i++)
        yes =
            k->access[i].stride[last] == 0 ||
            (k->access[i].stride[last] == 1 && gnd_dtype_size((gnd_dtype)k->access[i].dtype) >= 4);
    return yes;
}

/* The axis along which a nest takes runs: the longest one with few points inside of it. -1: the
 * last axis is not narrow or loops along it are vectors, no other one is longer, or the arithmetic,
 * which compilers make vectors of for groups only, is the larger part. */
static int nest_axis(const gnd__kir *k)
{
    const int last = k->nkeep - 1;
    int64_t inside = 1;
    int best = -1;
    if (last < 1 || k->dim[last] >= NARROW)
        return -1;
    if (gnd__kir_work(k) > NEST_COST * gnd__kir_kept(k) ? fills_group(k) : is_beside(k))
        return -1;
    for (int d = last; d >= 0 && inside <= NEST_INSIDE; inside *= k->dim[d--])
        if (best < 0 || k->dim[d] > k->dim[best])
            best = d;
    return best == last ? -1 : best;
}

/* The loops along axes d0 to d1 - 1. */
static void whole_loops(gnd__cg *c, int d0, int d1)
{
    for (int d = d0; d < d1; d++)
        gnd__cgf(c, "    for (I i%d = 0; i%d < n%d; i%d++)\n", d, d, d, d);
}

/* The loop along the run of axis d. */
static void run_loop(gnd__cg *c, int d)
{
    gnd__cgf(c, "    for (I i%d = left; i%d < end; i%d++)\n", d, d, d);
}

/* The loops along the axes inside of axis `number`. */
static void write_inner_loops(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    whole_loops(c, atoi(a->v[0]) + 1, c->k->nkeep);
}

/* These, and inside of them that along the axis. */
static void write_nest(void *who, const gnd__holeargs *a)
{
    write_inner_loops(who, a);
    run_loop(who, atoi(a->v[0]));
}

/* One work-item per run of `run` points along the axis and all points inside of it. */
static gnd_status end_runs(gnd__cg *c, int axis, int64_t run)
{
    const gnd__kir *k = c->k;
    const size_t local[3] = {1, 1, 1};
    size_t global[3] = {(size_t)((k->dim[axis] + run - 1) / run), 1, 1};
    for (int d = 0; d < axis; d++)
        global[1] *= (size_t)k->dim[d];
    return gnd__cg_end(c, 3, global, local);
}

/* The elements of a block's inputs, or of its outputs, between memory and u. */
static void write_moves(gnd__cg *c, int outputs)
{
    for (int i = 0; i < c->k->naccess; i++) {
        if (!c->vector.on[i] || gnd__cg_is_output(c->k, i) != outputs)
            continue;
        if (outputs) {
            gnd__cgf(c, "    p%d[", i);
            gnd__cg_address(c, i);
            gnd__cgf(c, "] = u%d.s[l];\n", i);
        } else {
            gnd__cgf(c, "    u%d.s[l] = p%d[", i, i);
            gnd__cg_address(c, i);
            gnd__cgf(c, "];\n");
        }
    }
}

static void write_fetched(void *who, const gnd__holeargs *a)
{
    (void)a;
    write_moves(who, 0);
}

static void write_stored(void *who, const gnd__holeargs *a)
{
    (void)a;
    write_moves(who, 1);
}

/* Whether a nest along that axis computes in blocks: much arithmetic, whose inputs are elements in
 * memory. Marks the accesses that blocks hold. */
static int in_blocks(gnd__cg *c, int axis)
{
    const gnd__kir *k = c->k;
    if (gnd__kir_work(k) <= NEST_COST * gnd__kir_kept(k) || k->dim[axis] < NEST_BLOCK / 2)
        return 0;
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind != GND__I_LOAD && k->instr[i].kind != GND__I_CONST &&
            k->instr[i].kind != GND__I_CAST && k->instr[i].kind != GND__I_OP &&
            k->instr[i].kind != GND__I_IOTA)
            return 0;
    for (int i = 0; i < k->naccess; i++)
        c->vector.on[i] = k->access[i].slot >= 0;
    return 1;
}

static gnd_status nest(gnd__cg *c, int axis)
{
    const gnd__kir *k = c->k;
    int64_t inside = 1, run;
    for (int d = axis + 1; d < k->nkeep; d++)
        inside *= k->dim[d];
    const int blocks = in_blocks(c, axis), least = blocks ? NEST_BLOCK : NEST_RUN;
    run = NEST_POINTS / inside;
    if (run < least)
        run = least;
    const gnd__hole own[] = {
        {"l", .number = axis},
        {"planes", .number = axis > 0},
        {"loops", write_nest, .number = 1},
    };
    const gnd__hole of_blocks[] = {
        {"l", .number = axis},
        {"planes", .number = axis > 0},
        {"block", .number = NEST_BLOCK},
        {"inner_loops", write_inner_loops, .number = 1},
        {"fetched", .write = write_fetched},
        {"stored", .write = write_stored},
    };
    gnd__cg_begin_map(c);
    gnd__cg_int(c, "run", run);
    if (blocks)
        gnd__cg_shape_of(c, "map_blocks_cpu", of_blocks, c);
    else
        gnd__cg_shape_of(c, "map_nest_cpu", own, c);
    return end_runs(c, axis, run);
}

/* --- rows ------------------------------------------------------------------------------------- */

#define ROW_POINTS 4096 /* most points of a work-item, about */
#define ROW_ITEMS 16    /* work-items, if there are enough points for them */

/* The loop along the axis, and those inside of it. Points of the innermost do not depend on each
 * other. */
static void write_rows(void *who, const gnd__holeargs *a)
{
    static const char apart[] = "#pragma clang loop vectorize(assume_safety)\n";
    gnd__cg *c = who;
    const int axis = atoi(a->v[0]), last = c->k->nkeep - 1;
    if (axis == last)
        gnd__cgf(c, "%s", apart);
    run_loop(c, axis);
    whole_loops(c, axis + 1, last);
    if (axis < last) {
        gnd__cgf(c, "%s", apart);
        whole_loops(c, last, last + 1);
    }
}

/* A work-item takes as many whole rows as have ROW_POINTS, along one axis and those inside of it;
 * of a longer row a part. */
static gnd_status rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int axis = k->nkeep - 1;
    int64_t inside = 1, outside = 1, run, parts;
    while (axis > 0 && 2 * inside * k->dim[axis] <= ROW_POINTS)
        inside *= k->dim[axis--];
    for (int d = 0; d < axis; d++)
        outside *= k->dim[d];
    parts = (k->dim[axis] * inside + ROW_POINTS - 1) / ROW_POINTS;
    if (parts < (ROW_ITEMS + outside - 1) / outside && axis < k->nkeep - 1)
        parts = (ROW_ITEMS + outside - 1) / outside;
    run = (k->dim[axis] + parts - 1) / parts;
    const gnd__hole own[] = {
        {"l", .number = axis},
        {"planes", .number = axis > 0},
        {"loops", write_rows, .number = 1},
    };
    gnd__cg_begin_map(c);
    gnd__cg_int(c, "run", run);
    gnd__cg_shape_of(c, "map_nest_cpu", own, c);
    return end_runs(c, axis, run);
}

/* --- runs ------------------------------------------------------------------------------------- */

#define SHORTEST 128 /* shortest axis that is divided into runs */
#define CHAINED 3    /* functions that wait for each other */

static void write_loop(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    const gnd__hole own[] = {
        {"x", .number = c->k->nkeep - 1}, {"from", .text = a->v[0]}, {"to", .text = a->v[1]}};
    c->run.word_at = "l";
    gnd__cg_shape_of(c, "map_run_cpu", own, NULL);
    c->run.word_at = NULL;
}

static void write_near_loop(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->run.near = 1;
    write_loop(who, a);
    c->run.near = 0;
}

gnd_status gnd__cg_cpu_runs(gnd__cg *c, int run, void (*points)(void *who, const gnd__holeargs *a),
                            void *who)
{
    const gnd__kir *k = c->k;
    const int n = k->nkeep;
    const int64_t x = k->dim[n - 1], y = n > 1 ? k->dim[n - 2] : 1;
    int64_t planes = 1, g = 1;
    for (int d = 0; d < n - 2; d++)
        planes *= k->dim[d];
    while (2 * g * x <= ROW_POINTS && 2 * g * ROW_ITEMS <= planes * y && g < y)
        g *= 2;
    const size_t global[3] = {(size_t)((x + run - 1) / run), (size_t)((y + g - 1) / g),
                              (size_t)planes};
    const size_t local[3] = {1, 1, 1};
    const gnd__hole own[] = {
        {"x", .number = n - 1},      {"y", .number = n - 2}, {"rows", .number = n > 1},
        {"planes", .number = n > 2}, {"run", .number = run}, {"points", .write = points},
    };
    gnd__cg_begin_map(c);
    if (n > 1)
        gnd__cg_int(c, "G", g);
    gnd__cg_shape_of(c, "map_runs_cpu", own, who);
    return gnd__cg_end(c, 3, global, local);
}

/* near: see gnd__cg_near; dear: whether there are elementary functions. */
typedef struct run_writer {
    gnd__cg *c;
    int near, dear;
} run_writer;

/* The lanes for the functions of c. */
static const char *wide(const gnd__cg *c)
{
    int functions = 0, doubles = 0;
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        functions += in->kind == GND__I_OP && gnd__ops[in->op].cost >= GND__CG_DEAR;
        doubles |= in->kind == GND__I_OP && in->ctype == GND_FLOAT64;
    }
    return functions >= CHAINED && !doubles ? "f32" : "f64";
}

static void write_run(void *who, const gnd__holeargs *a)
{
    const run_writer *r = who;
    const gnd__hole own[] = {
        {"x", .number = r->c->k->nkeep - 1}, {"near", .number = r->near >= 0},
        {"wide", .text = wide(r->c)},        {"dear", .number = r->dear},
        {"loop", write_loop, .number = 2},   {"near_loop", write_near_loop, .number = 2},
    };
    (void)a;
    gnd__cg_shape_of(r->c, "map_run_points", own, r->c);
}

/* Whether rows are read through an index that is one for all of a row: x[i], take along a leading
 * axis, rows that were set. A loop along the row then reads consecutive elements from a place that
 * it computes once; with one point per work-item compilers do not see that, and gather. */
static int gathers_rows(const gnd__kir *k)
{
    const int x = k->nkeep - 1;
    uint8_t along[GND__KIR_INSTR]; /* the value changes along the row */
    int found = 0;
    if (x < 1 || k->dim[x] < 2)
        return 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        const int reads = in->kind == GND__I_LOAD || in->kind == GND__I_IOTA ||
                          in->kind == GND__I_GATHER || in->kind == GND__I_WITHIN;
        const int step = reads && k->access[in->ref].stride[x] != 0;
        int args = 0;
        for (int j = 0; j < gnd__kir_nargs(k, in); j++)
            args |= in->a[j] >= 0 && along[in->a[j]];
        found |= in->kind == GND__I_GATHER && step && !args;
        along[i] = (uint8_t)(step || args);
    }
    return found;
}

/* Whether k computes elementary functions of floats that kernels/ has for vectors, of elements that
 * lie side by side. */
static int dear_floats(const gnd__cg *c)
{
    const gnd__kir *k = c->k;
    for (int i = 0; i < k->naccess; i++)
        if (k->access[i].stride[k->nkeep - 1] != 0 && k->access[i].stride[k->nkeep - 1] != 1)
            return 0;
    return gnd__cg_wide_floats(c);
}

gnd_status gnd__cg_map_cpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    if (k->nkeep > 0 && k->dim[k->nkeep - 1] >= SHORTEST) {
        run_writer r = {.c = c, .near = gnd__cg_near(c), .dear = dear_floats(c)};
        if (gnd__words_find(c, k->nkeep - 1) || r.near >= 0 || r.dear)
            return gnd__cg_cpu_runs(c, GND__CG_RUN, write_run, &r);
    }
    const int axis = gathers_rows(k) ? -1 : nest_axis(k);
    if (axis >= 0)
        return nest(c, axis);
    return k->nkeep > 1 ? rows(c) : single_points(c);
}
