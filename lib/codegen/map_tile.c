/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_tile.c - maps with inputs that lie across the outputs, as in a transposition. Tiles
 * ensure that whole cache lines are read and written, whatever the permutation and the expression
 * around it.
 *
 * CPU: a square tile per work-item, its inputs first. GPU: a tile per group, through local memory,
 * 16 KiB of elements, of which each work-item loads 64 bytes before it stores any.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

/* The shortest extents for which tiles are used. */
#define TILE 32

int gnd__cg_tile_axis(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep - 1, axis = -1;
    if (k->nkeep < 2 || k->dim[last] < TILE)
        return -1;
    for (int i = 0; i < k->nout; i++)
        if (k->access[k->out[i].access].stride[last] != 1)
            return -1;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__access *a;
        if (k->instr[i].kind != GND__I_LOAD)
            continue;
        a = &k->access[k->instr[i].ref];
        if (a->stride[last] == 1 || a->stride[last] == 0)
            continue;
        for (int d = 0; d < last && axis < 0; d++)
            if (a->stride[d] == 1 && k->dim[d] >= TILE)
                axis = d;
        if (axis >= 0 && a->stride[axis] == 1)
            c->vector.on[k->instr[i].ref] = 1;
    }
    return axis;
}

/* Computes the indices of the axes other than d and the last one, from the rest of f. */
static void other_axes(gnd__cg *c, int d)
{
    int prev = -1;
    for (int i = c->k->nkeep - 2; i >= 0; i--) {
        if (i == d)
            continue;
        if (prev >= 0)
            gnd__cgf(c, "    f /= n%d;\n", prev);
        gnd__cgf(c, "    const I i%d = f %% n%d;\n", i, i);
        prev = i;
    }
}

/* Writes the start of a tile: its position, as tile number `which`. Returns the number of tiles. */
static size_t begin_tile(gnd__cg *c, int d, const char *which, int down, int across)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep - 1;
    const int64_t tl = (k->dim[last] + down - 1) / down, tt = (k->dim[d] + across - 1) / across;
    gnd__cg_int(c, "tl", tl);
    gnd__cg_int(c, "tt", tt);
    gnd__cgf(
        c,
        "    I f = (I)%s;\n    const I l0 = f %% tl * %d; f /= tl;\n    const I t0 = f %% tt * %d; f /= tt;\n",
        which, down, across);
    other_axes(c, d);
    return (size_t)(gnd__kir_kept(k) / (k->dim[last] * k->dim[d]) * tl * tt);
}

/* Writes one tile: loads its inputs into private memory along axis d, then computes every point
 * along the last axis. nt and nl: its extents, as text; the compiler can unroll constant ones. */
static void tile_body(gnd__cg *c, int d, const char *nt, const char *nl)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep - 1, side = c->t->tune->v[GND__TUNE_CPU_TILE];
    for (int i = 0; i < k->naccess; i++) {
        if (!c->vector.on[i])
            continue;
        gnd__cgf(c,
                 "    for (int y = 0; y < %s; y++) {\n    const I i%d = l0 + y;\n"
                 "    for (int x = 0; x < %s; x++) {\n    const I i%d = t0 + x;\n"
                 "    u%d.s[y * %d + x] = p%d[",
                 nl, last, nt, d, i, side, i);
        gnd__cg_address(c, i);
        gnd__cgf(c, "];\n    }\n    }\n");
    }
    gnd__cgf(c,
             "    for (int x = 0; x < %s; x++) {\n    const I i%d = t0 + x;\n"
             "    for (int y = 0; y < %s; y++) {\n    const I i%d = l0 + y;\n"
             "    const int l = y * %d + x;\n",
             nt, d, nl, last, side);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
}

/* CPU, with an input across the outputs: a square tile per work-item, so that whole cache lines
 * are read and written. */
static gnd_status tiles_cpu(gnd__cg *c, int d)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep - 1, side = c->t->tune->v[GND__TUNE_CPU_TILE];
    size_t local = 1, global;
    char full[16];
    gnd__cg_begin_map(c);
    global = begin_tile(c, d, "GND_GID(0)", side, side);
    gnd__cg_private(c, side * side);
    gnd__cgf(c,
             "    const int nl = n%d - l0 < %d ? (int)(n%d - l0) : %d,"
             " nt = n%d - t0 < %d ? (int)(n%d - t0) : %d;\n",
             last, side, last, side, d, side, d, side);
    c->vector.width = 2; /* values of these inputs come from u */
    snprintf(full, sizeof full, "%d", side);
    gnd__cgf(c, "    if (nl == %d && nt == %d) {\n", side, side);
    tile_body(c, d, full, full);
    gnd__cgf(c, "    } else {\n");
    tile_body(c, d, "nt", "nl");
    gnd__cgf(c, "    }\n");
    c->vector.width = 1;
    return gnd__cg_end(c, 1, &global, &local);
}

/* --- GPU -------------------------------------------------------------------------------------- */

/* A group's tile: `across` elements along the inputs' axis by `down` along the outputs', loaded
 * in vectors of vl (1: none) and stored in vectors of vs. In local memory, consecutive rows are
 * `pitch` elements apart, plus another step of `skew` every 2^shift rows, so that elements
 * accessed at once lie in different banks. */
typedef struct tile {
    int across, down, vl, vs, pitch, skew, shift, local;
} tile;

static int tile_elements(const tile *t)
{
    return t->down * t->pitch + (t->down >> t->shift) * t->skew;
}

/* Writes the position of element x of row y of a tile. */
static void tile_at(gnd__cg *c, const tile *t, const char *y, const char *x)
{
    gnd__cgf(c, "((%s) * %d + ((%s) >> %d) * %d + (%s))", y, t->pitch, y, t->shift, t->skew, x);
}

/* Returns 1 if elements of a along axis d can be loaded v at a time. */
static int by_vectors(const gnd__kir *k, const gnd__access *a, int d, int v)
{
    if (a->slot < 0 || a->stride[d] != 1 || !a->aligned || k->dim[d] % v)
        return 0;
    for (int i = 0; i < k->nkeep; i++)
        if (i != d && a->stride[i] % v)
            return 0;
    return 1;
}

/* Returns 1 if a tile of the crossing inputs fits the device. */
static int shape_tile(const gnd__cg *c, int d, tile *t)
{
    const gnd__kir *k = c->k;
    const gnd_props *props = c->t->props;
    const int last = k->nkeep - 1;
    const uint64_t room = (props->local_bytes < 49152 ? props->local_bytes : 49152) * 3 / 4;
    int size = 1, n = 0, most = 1;
    for (int i = 0; i < k->naccess; i++) {
        const int s = (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype);
        n += c->vector.on[i];
        if (c->vector.on[i] && s > size)
            size = s;
        if (k->access[i].slot >= 0 && !c->vector.on[i] && k->access[i].stride[last] == 1 &&
            s > most)
            most = s;
    }
    t->local = (int)gnd__cg_group(c, 256);
    t->across = size == 1 ? 128 : size == 2 ? 128 : size < 16 ? 64 : 32;
    t->down = size == 1 ? 128 : size < 8 ? 64 : 32;
    while (t->across > TILE && t->across / 2 >= k->dim[d])
        t->across /= 2;
    while (t->down > TILE && t->down / 2 >= k->dim[last])
        t->down /= 2;
    for (;;) {
        const int64_t tiles = gnd__kir_kept(k) / t->across / t->down;
        const int small = tiles < 4 * (int64_t)props->compute_units;
        t->pitch = t->across + (size < 4 ? 4 / size : 1);
        t->skew = size < 4 ? 4 : size == 4 ? 2 : 1;
        t->shift = size == 8 ? 4 : 5;
        if (!small && (uint64_t)n * (uint64_t)size * (uint64_t)tile_elements(t) <= room)
            break;
        if (t->across == TILE && t->down == TILE) {
            if ((uint64_t)n * (uint64_t)size * (uint64_t)tile_elements(t) > room)
                return 0;
            break;
        }
        if (t->across > t->down)
            t->across /= 2;
        else
            t->down /= 2;
    }
    for (t->vl = 16 / size; t->vl > 1; t->vl /= 2) {
        int ok = t->local * t->vl / t->across <= t->down;
        for (int i = 0; i < k->naccess && ok; i++)
            ok = !c->vector.on[i] || by_vectors(k, &k->access[i], d, t->vl);
        if (ok)
            break;
    }
    for (t->vs = 16 / most; t->vs > 1; t->vs /= 2) {
        int ok = t->local * t->vs / t->down <= t->across;
        for (int i = 0; i < k->nout && ok; i++)
            ok = by_vectors(k, &k->access[k->out[i].access], last, t->vs);
        if (ok)
            break;
    }
    return t->local * t->vl >= t->across && t->local * t->vs >= t->down;
}

/* Loads the crossing inputs into local memory along axis d. Positions outside are read at the
 * edge instead. */
static void load_tile(gnd__cg *c, int d, const tile *t)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep - 1, step = t->local * t->vl / t->across, turns = t->down / step;
    const int some = turns < 16 ? turns : 16; /* loads in flight at once */
    gnd__cgf(c,
             "    {\n    const int x = lid %% %d * %d, y = lid / %d;\n"
             "    const I i%d = t0 + x < n%d ? t0 + x : n%d - %d;\n",
             t->across / t->vl, t->vl, t->across / t->vl, d, d, d, t->vl);
    for (int i = 0; i < k->naccess; i++) {
        const char *T = gnd__ctype_mem((gnd_dtype)k->access[i].dtype), *raw = T;
        if (!c->vector.on[i])
            continue;
        if (t->vl > 1)
            raw = gnd__cg_raw(gnd_dtype_size((gnd_dtype)k->access[i].dtype) * (size_t)t->vl);
        gnd__cgf(
            c,
            "#pragma unroll 1\n    for (int b = y; b < %d; b += %d) {\n"
            "    union { %s v; %s s[%d]; } r[%d];\n#pragma unroll\n    for (int j = 0; j < %d; j++) {\n"
            "    const int z = b + j * %d;\n    const I i%d = l0 + z < n%d ? l0 + z : n%d - 1;\n"
            "    r[j].v = *(GND_CONST_GLOBAL %s *)(p%d + ",
            t->down, some * step, raw, T, t->vl, some, some, step, last, last, last, raw, i);
        gnd__cg_address(c, i);
        gnd__cgf(c,
                 ");\n    }\n#pragma unroll\n    for (int j = 0; j < %d; j++) {\n"
                 "    const int z = b + j * %d;\n#pragma unroll\n    for (int l = 0; l < %d; l++)\n"
                 "    T%d[",
                 some, step, t->vl, i);
        tile_at(c, t, "z", "x + l");
        gnd__cgf(c, "] = r[j].s[l];\n    }\n    }\n");
    }
    gnd__cgf(c, "    }\n");
}

/* Computes every point of the tile, along the last axis. */
static void store_tile(gnd__cg *c, int d, const tile *t)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep - 1, step = t->local * t->vs / t->down;
    uint8_t crossing[GND__KIR_ACCESS];
    memcpy(crossing, c->vector.on, sizeof crossing);
    gnd__cgf(
        c,
        "    const int y = lid %% %d * %d;\n    const I x0 = l0 + y;\n"
        "    if (x0 >= n%d) return;\n#pragma unroll %d\n"
        "    for (int x = lid / %d; x < %d; x += %d) {\n    const I i%d = t0 + x;\n    if (i%d < n%d) {\n",
        t->down / t->vs, t->vs, last, k->ninstr <= 24 ? 4 : 1, t->down / t->vs, t->across, step, d,
        d, d);
    for (int i = 0; i < k->naccess; i++)
        if (crossing[i]) {
            gnd__cgf(
                c,
                "    struct { %s s[%d]; } u%d;\n#pragma unroll\n    for (int l = 0; l < %d; l++)\n"
                "    u%d.s[l] = T%d[",
                gnd__ctype_mem((gnd_dtype)k->access[i].dtype), t->vs, i, t->vs, i, i);
            tile_at(c, t, "y + l", "x");
            gnd__cgf(c, "];\n");
            c->vector.on[i] = 0;
        } else {
            c->vector.on[i] =
                t->vs > 1 && (gnd__cg_is_output(k, i) || by_vectors(k, &k->access[i], last, t->vs));
        }
    if (t->vs > 1) {
        gnd__cgf(c, "    {\n    const I i%d = x0;\n", last);
        c->vector.width = t->vs;
        gnd__cg_vector_loads(c);
        gnd__cgf(
            c,
            "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = x0 + l; (void)i%d;\n",
            t->vs, last, last);
    } else {
        gnd__cgf(c, "    const int l = 0;\n    const I i%d = x0;\n", last);
    }
    for (int i = 0; i < k->naccess; i++)
        c->vector.on[i] |= crossing[i];
    c->vector.width = 2; /* values of these inputs come from u */
    gnd__cg_values(c, 0);
    c->vector.width = t->vs;
    gnd__cg_stores(c);
    if (t->vs > 1) {
        gnd__cgf(c, "    }\n");
        gnd__cg_vector_stores(c);
        gnd__cgf(c, "    }\n");
    }
    c->vector.width = 1;
    gnd__cgf(c, "    }\n    }\n");
}

static gnd_status tiles_gpu(gnd__cg *c, int d, const tile *t)
{
    const gnd__kir *k = c->k;
    size_t local = (size_t)t->local, global;
    gnd__cg_begin_map(c);
    for (int i = 0; i < k->naccess; i++)
        if (c->vector.on[i])
            gnd__cg_shared(c, gnd__ctype_mem((gnd_dtype)k->access[i].dtype),
                           (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype), tile_elements(t),
                           "T%d", i);
    gnd__cgf(c, "    const int lid = (int)GND_LID(0);\n");
    global = begin_tile(c, d, "GND_GRP(0)", t->down, t->across) * local;
    load_tile(c, d, t);
    gnd__cgf(c, "    GND_BARRIER();\n");
    store_tile(c, d, t);
    return gnd__cg_end(c, 1, &global, &local);
}

int gnd__cg_map_tiles(gnd__cg *c, gnd_status *st)
{
    const int d = gnd__cg_tile_axis(c);
    tile t;
    if (d >= 0 && (c->t->cpu || shape_tile(c, d, &t))) {
        *st = c->t->cpu ? tiles_cpu(c, d) : tiles_gpu(c, d, &t);
        return 1;
    }
    memset(c->vector.on, 0, sizeof c->vector.on);
    return 0;
}
