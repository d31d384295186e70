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
 * combines them.
 */
#include "codegen/emit.h"

#include <stdio.h>

#define GROUP 256
#define ACROSS 8 /* work-items of a group side by side along x: 32 bytes of float32 a store */
#define RUN 64   /* terms added plainly, of a work-item */
#define MIN_ITEMS 16384 /* work-items that a tile each must leave */
#define MIN_GROUPS 264
#define MAX_SMALL 4   /* extents of x up to here are one tile */
#define MAX_BODY 2048 /* instructions of an unrolled tile, about */

typedef struct tile {
    int x, y;   /* axes; y is -1 for none */
    int nx, ny; /* results of a tile along them */
    int shared; /* a group has one tile */
    int vec;    /* elements per load along the reduced axis */
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

static int64_t acc_bytes(const gnd__kir *k)
{
    int64_t n = 0;
    for (int j = 0; j < k->nreds; j++)
        for (int p = 0; p < gnd__acc_parts(k, j); p++)
            n += (int64_t)gnd_dtype_size(gnd__acc_dtype(k, j, p));
    return n;
}

/* Limits tiles to n results that fit registers and local memory and keep the text reasonably
 * short. */
static int fits(const gnd__cg *c, const tile *t, int n)
{
    return acc_bytes(c->k) * n <= 256 && c->k->ninstr * n * t->vec <= MAX_BODY &&
           (!t->shared ||
            (uint64_t)acc_bytes(c->k) * (uint64_t)(n * GROUP) <= c->t->props->local_bytes / 4 * 3);
}

static int choose(gnd__cg *c, tile *t)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1;
    int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    *t = (tile){k->nkeep - 1, -1, 1, 1, 0, 1};
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

/* Begins the loops over the tile: the indices of one result of it, clamped to the array. */
static void each_result(gnd__cg *c, const tile *t, int clamp)
{
    const int axis[2] = {t->y, t->x}, n[2] = {t->ny, t->nx};
    const int step[2] = {t->shared ? 1 : GROUP / ACROSS, t->shared ? 1 : ACROSS};
    gnd__cgf(c,
             "#pragma unroll\n    for (int ty = 0; ty < %d; ty++)\n"
             "#pragma unroll\n    for (int tx = 0; tx < %d; tx++) {\n",
             t->ny, t->nx);
    for (int j = 0; j < 2; j++) {
        const char *v = j ? "x" : "y";
        if (axis[j] < 0)
            continue;
        if (n[j] == 1 && !t->shared && clamp)
            gnd__cgf(c, "    const I i%d = %sb < n%d ? %sb : n%d - 1; (void)i%d;\n", axis[j], v,
                     axis[j], v, axis[j], axis[j]);
        else if (clamp)
            gnd__cgf(
                c,
                "    const I i%d = %sb + t%s * %d < n%d ? %sb + t%s * %d : n%d - 1; (void)i%d;\n",
                axis[j], v, v, step[j], axis[j], v, v, step[j], axis[j], axis[j]);
        else
            gnd__cgf(c, "    const I i%d = %sb + t%s * %d;\n    if (i%d >= n%d) continue;\n",
                     axis[j], v, v, step[j], axis[j], axis[j]);
    }
}

/* Element r of the reduced axes, or vec of them, into accumulator `name` of every result. */
static void one_step(gnd__cg *c, const tile *t, const char *name)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1;
    char at[32];
    snprintf(at, sizeof at, "[ty * %d + tx]", t->nx);
    gnd__cgf(c, "    I q = r; (void)q;\n");
    gnd__cg_unflatten(c, "q", k->nkeep, k->nkeep + k->nred);
    each_result(c, t, 1);
    if (t->vec > 1) {
        c->vec = t->vec;
        gnd__cg_vector_loads(c);
        gnd__cgf(c,
                 "    const I x0 = i%d;\n#pragma unroll\n    for (int l = 0; l < %d; l++) {\n"
                 "    const I i%d = x0 + l; (void)i%d;\n",
                 last, t->vec, last, last);
    }
    gnd__cg_values(c, 0);
    gnd__acc_step(c, name, at, t->vec > 1 ? "r + l" : "r");
    c->vec = 1;
    gnd__cgf(c, "    }\n%s", t->vec > 1 ? "    }\n" : "");
}

/* A statement for every result: begins "for t", ended by the caller's brace. */
static void all_results(gnd__cg *c, const tile *t)
{
    gnd__cgf(c, "#pragma unroll\n    for (int t = 0; t < %d; t++) {\n", t->nx * t->ny);
}

/* Declares xb, yb, and the indices of the kept axes without a tile, from the tile's number. */
static void place(gnd__cg *c, const tile *t)
{
    int first = -1;
    gnd__cgf(c, "    const int lid = (int)GND_LID(0); (void)lid;\n    I g = (I)GND_GRP(0);\n");
    if (t->shared)
        gnd__cgf(c, "    const I xb = g %% tilesx * %d; g /= tilesx;\n", t->nx);
    else
        gnd__cgf(c, "    const I xb = g %% tilesx * %d + lid %% %d; g /= tilesx;\n", ACROSS * t->nx,
                 ACROSS);
    if (t->y >= 0 && t->shared)
        gnd__cgf(c, "    const I yb = g %% tilesy * %d; g /= tilesy;\n", t->ny);
    else if (t->y >= 0)
        gnd__cgf(c, "    const I yb = g %% tilesy * %d + lid / %d; g /= tilesy;\n",
                 GROUP / ACROSS * t->ny, ACROSS);
    for (int d = t->x - 1; d >= 0; d--) {
        if (d == t->y)
            continue;
        if (first >= 0)
            gnd__cgf(c, "    g /= n%d;\n", first);
        gnd__cgf(c, "    const I i%d = g %% n%d;\n", d, d);
        first = d;
    }
}

/* A group's tile: stores the sums of its work-items in local memory, then combines them by a tree,
 * for all results at once. Sums of more than RUN terms are accumulated there: in registers they
 * would take twice the space, too much for several groups at a time. */
static void shared_tile(gnd__cg *c, const tile *t, int64_t r)
{
    char at[32], other[32];
    snprintf(at, sizeof at, "[lid + t * %d]", GROUP);
    snprintf(other, sizeof other, "[lid + w + t * %d]", GROUP);
    if (r > GROUP * RUN) {
        all_results(c, t);
        gnd__acc_init(c, "T", at);
        gnd__cgf(c, "    }\n    int left = %d;\n", RUN);
    }
    gnd__cgf(c, "    for (I r = lid; r < R; r += %d) {\n", GROUP);
    one_step(c, t, "A");
    if (r > GROUP * RUN) {
        gnd__cgf(c, "    if (--left == 0) {\n    left = %d;\n", RUN);
        all_results(c, t);
        gnd__acc_combine(c, "T", at, "A", "[t]", 1);
        gnd__acc_init(c, "A", "[t]");
        gnd__cgf(c, "    }\n    }\n");
    }
    gnd__cgf(c, "    }\n");
    all_results(c, t);
    if (r > GROUP * RUN)
        gnd__acc_combine(c, "T", at, "A", "[t]", 1);
    else
        gnd__acc_copy(c, "T", at, "A", "[t]");
    gnd__cgf(c,
             "    }\n    GND_BARRIER();\n#pragma unroll 1\n    for (int w = %d; w > 0; w /= 2) {\n"
             "    if (lid < w)\n",
             GROUP / 2);
    all_results(c, t);
    gnd__acc_combine(c, "T", at, "T", other, 1);
    gnd__cgf(c, "    }\n    GND_BARRIER();\n    }\n    if (lid > 0) return;\n");
    snprintf(at, sizeof at, "[t * %d]", GROUP);
    all_results(c, t);
    gnd__acc_copy(c, "A", "[t]", "T", at);
    gnd__cgf(c, "    }\n");
}

int gnd__cg_reduce_tile(gnd__cg *c, gnd_status *st)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep + k->nred - 1;
    int64_t r = gnd__kir_reduced(k), groups = 1, tx, ty = 1;
    size_t local = GROUP, global;
    char len[16], at[32];
    tile t;
    if (!choose(c, &t))
        return 0;
    tx = t.shared ? t.nx : ACROSS * t.nx;
    tx = (k->dim[t.x] + tx - 1) / tx;
    if (t.y >= 0) {
        ty = t.shared ? t.ny : GROUP / ACROSS * t.ny;
        ty = (k->dim[t.y] + ty - 1) / ty;
    }
    groups = tx * ty;
    c->wide = gnd__cg_wide_apart(k); /* no index counts all points */
    for (int d = 0; d < t.x; d++)
        groups *= d == t.y ? 1 : k->dim[d];
    for (int i = 0; i < k->naccess; i++)
        c->vectorised[i] = t.vec > 1 && is_load(k, i) && k->access[i].stride[last] == 1;
    snprintf(len, sizeof len, "[%d]", t.nx * t.ny);
    snprintf(at, sizeof at, "[ty * %d + tx]", t.nx);
    gnd__cg_begin(c, 0, "k_reduce");
    gnd__cg_access_args(c, 0);
    gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, k->nkeep + k->nred);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "tilesx", tx);
    gnd__cg_int(c, "tilesy", ty);
    if (t.shared)
        gnd__acc_shared(c, GROUP * t.nx * t.ny);
    place(c, &t);
    gnd__acc_declare(c, "A", len);
    all_results(c, &t);
    gnd__acc_init(c, "A", "[t]");
    gnd__cgf(c, "    }\n");
    if (t.shared) {
        shared_tile(c, &t, r);
    } else if (r <= RUN) {
        gnd__cgf(c, "    for (I r = 0; r < R; r += %d) {\n", t.vec);
        one_step(c, &t, "A");
        gnd__cgf(c, "    }\n");
    } else {
        gnd__cgf(c, "    for (I r = 0; r < R;) {\n    const I e = R - r > %d ? r + %d : R;\n", RUN,
                 RUN);
        gnd__acc_declare(c, "E", len);
        all_results(c, &t);
        gnd__acc_init(c, "E", "[t]");
        gnd__cgf(c, "    }\n    for (; r < e; r += %d) {\n", t.vec);
        one_step(c, &t, "E");
        gnd__cgf(c, "    }\n");
        all_results(c, &t);
        gnd__acc_combine(c, "A", "[t]", "E", "[t]", 1);
        gnd__cgf(c, "    }\n    }\n");
    }
    each_result(c, &t, 0);
    gnd__acc_finish(c, "A", at);
    gnd__cg_values(c, 1);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n");
    global = (size_t)groups * local;
    *st = gnd__cg_end(c, 1, &global, &local);
    return 1;
}
