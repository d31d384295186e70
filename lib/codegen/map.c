/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map.c - kernels that compute every point by itself.
 *
 * GPU: one work-item for up to 16 bytes along the last axis, over a flat index; where that cannot be, for
 * some points below one another. CPU: one point per
 * work-item over a range of up to three axes, which the compiler vectorises along the first. Where
 * inputs lie across the outputs, as in a transposition, square tiles: one per work-item on a CPU, one
 * per group, through local memory, on a GPU.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

/* The side of a square tile of a transposition on a CPU. */
#define TILE 32
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static gnd_status map_cpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep;
    size_t global[3] = { 1, 1, 1 }, group = gnd__cg_group(c, 1024), local[3] = { group, 1, 1 };
    gnd__cg_begin(c, 0, "k_map");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, n);
    gnd__cg_const_args(c, 2);
    if (n > 0) {
        int64_t x = k->dim[n - 1];
        global[0] = (size_t)x;
        gnd__cgf(c, "    const I i%d = (I)GND_GID(0);\n", n - 1);
        if (n > 1) {
            global[1] = (size_t)k->dim[n - 2];
            gnd__cgf(c, "    const I i%d = (I)GND_GID(1);\n", n - 2);
            local[0] = x > 512 ? group : x > 64 ? 128 : 16;
            if (local[0] > group)
                local[0] = group;
            local[1] = group / local[0];
            gnd__cgf(c, "    if (i%d >= n%d || i%d >= n%d) return;\n", n - 1, n - 1, n - 2, n - 2);
        } else {
            gnd__cgf(c, "    if (i%d >= n%d) return;\n", n - 1, n - 1);
        }
        if (n > 2) {
            for (int d = 0; d < n - 2; d++)
                global[2] *= (size_t)k->dim[d];
            gnd__cgf(c, "    I f = (I)GND_GID(2);\n");
            gnd__cg_unflatten(c, "f", 0, n - 2);
        }
    } else {
        local[0] = 1;
    }
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    return gnd__cg_end(c, 3, global, local);
}

/* The axis along which some input of a matrix-like kernel is contiguous while the outputs are along
 * the last one; -1 when there is none, or too little of it. Marks those inputs as vectorised. */
static int tile_axis(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep - 1, axis = -1;
    if (k->nkeep < 2 || k->dim[last] < TILE)
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
            c->vectorised[k->instr[i].ref] = 1;
    }
    for (int i = 0; i < k->nout; i++)
        if (k->access[k->out[i].access].stride[last] != 1)
            return -1;
    return axis;
}

/* One tile: its inputs into private memory along axis d, then every point along the last axis. nt
 * and nl: its extents, as text; constant ones are what the compiler can unroll. */
static void tile_body(gnd__cg *c, int d, const char *nt, const char *nl)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep - 1;
    for (int i = 0; i < k->naccess; i++) {
        if (!c->vectorised[i])
            continue;
        gnd__cgf(c, "    for (int y = 0; y < %s; y++) {\n    const I i%d = l0 + y;\n"
                    "    for (int x = 0; x < %s; x++) {\n    const I i%d = t0 + x;\n"
                    "    u%d.s[y * %d + x] = p%d[", nl, last, nt, d, i, TILE, i);
        gnd__cg_address(c, i);
        gnd__cgf(c, "];\n    }\n    }\n");
    }
    gnd__cgf(c, "    for (int x = 0; x < %s; x++) {\n    const I i%d = t0 + x;\n"
                "    for (int y = 0; y < %s; y++) {\n    const I i%d = l0 + y;\n"
                "    const int l = y * %d + x;\n", nt, d, nl, last, TILE);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
}

/* CPU, where an input lies across: a square tile per work-item, so that whole cache lines are read
 * and written. */
static gnd_status map_tiles(gnd__cg *c, int d)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep - 1, prev = -1;
    size_t local = 1, global;
    int64_t tl = (k->dim[last] + TILE - 1) / TILE, tt = (k->dim[d] + TILE - 1) / TILE;
    global = (size_t)(gnd__kir_kept(k) / (k->dim[last] * k->dim[d]) * tl * tt);
    gnd__cg_begin(c, 0, "k_map");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, k->nkeep);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "tl", tl);
    gnd__cg_int(c, "tt", tt);
    gnd__cgf(c, "    I f = (I)GND_GID(0);\n    const I l0 = f %% tl * %d; f /= tl;\n"
                "    const I t0 = f %% tt * %d; f /= tt;\n", TILE, TILE);
    for (int i = last - 1; i >= 0; i--) {
        if (i == d)
            continue;
        if (prev >= 0)
            gnd__cgf(c, "    f /= n%d;\n", prev);
        gnd__cgf(c, "    const I i%d = f %% n%d;\n", i, i);
        prev = i;
    }
    for (int i = 0; i < k->naccess; i++)
        if (c->vectorised[i])
            gnd__cgf(c, "    struct { %s s[%d]; } u%d;\n",
                     gnd__ctype_mem((gnd_dtype)k->access[i].dtype), TILE * TILE, i);
    gnd__cgf(c, "    const int nl = n%d - l0 < %d ? (int)(n%d - l0) : %d,"
                " nt = n%d - t0 < %d ? (int)(n%d - t0) : %d;\n",
             last, TILE, last, TILE, d, TILE, d, TILE);
    c->vec = 2; /* values of these inputs come from u */
    gnd__cgf(c, "    if (nl == %d && nt == %d) {\n", TILE, TILE);
    tile_body(c, d, TEXT(TILE), TEXT(TILE));
    gnd__cgf(c, "    } else {\n");
    tile_body(c, d, "nt", "nl");
    gnd__cgf(c, "    }\n");
    c->vec = 1;
    return gnd__cg_end(c, 1, &global, &local);
}

/* Bytes of local memory that tiles of the crossing inputs take on a GPU. */
static size_t tile_bytes(const gnd__cg *c)
{
    size_t n = 0;
    for (int i = 0; i < c->k->naccess; i++)
        if (c->vectorised[i])
            n += gnd_dtype_size((gnd_dtype)c->k->access[i].dtype) * TILE * (TILE + 1);
    return n;
}

/* GPU, where an input lies across: a square tile per group, through local memory, whose rows are one
 * element longer so that its columns lie in different banks. */
static gnd_status map_tiles_gpu(gnd__cg *c, int d)
{
    const gnd__kir *k = c->k;
    int last = k->nkeep - 1, prev = -1;
    size_t local = gnd__cg_group(c, 256), global;
    int64_t tl = (k->dim[last] + TILE - 1) / TILE, tt = (k->dim[d] + TILE - 1) / TILE;
    int rows = (int)local / TILE;
    global = (size_t)(gnd__kir_kept(k) / (k->dim[last] * k->dim[d]) * tl * tt) * local;
    gnd__cg_begin(c, 0, "k_map");
    for (int i = 0; i < k->naccess; i++)
        if (c->vectorised[i])
            gnd__cgf(c, "    GND_LOCAL struct { %s s[%d]; } u%d;\n",
                     gnd__ctype_mem((gnd_dtype)k->access[i].dtype), TILE * (TILE + 1), i);
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, k->nkeep);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "tl", tl);
    gnd__cg_int(c, "tt", tt);
    gnd__cgf(c, "    const int x = (int)GND_LID(0) %% %d, y0 = (int)GND_LID(0) / %d;\n"
                "    I f = (I)GND_GRP(0);\n    const I l0 = f %% tl * %d; f /= tl;\n"
                "    const I t0 = f %% tt * %d; f /= tt;\n", TILE, TILE, TILE, TILE);
    for (int i = last - 1; i >= 0; i--) {
        if (i == d)
            continue;
        if (prev >= 0)
            gnd__cgf(c, "    f /= n%d;\n", prev);
        gnd__cgf(c, "    const I i%d = f %% n%d;\n", i, i);
        prev = i;
    }
    gnd__cgf(c, "    for (int y = y0; y < %d; y += %d) {\n    const I i%d = l0 + y, i%d = t0 + x;\n"
                "    if (i%d < n%d && i%d < n%d) {\n", TILE, rows, last, d, last, last, d, d);
    for (int i = 0; i < k->naccess; i++) {
        if (!c->vectorised[i])
            continue;
        gnd__cgf(c, "    u%d.s[y * %d + x] = p%d[", i, TILE + 1, i);
        gnd__cg_address(c, i);
        gnd__cgf(c, "];\n");
    }
    gnd__cgf(c, "    }\n    }\n    GND_BARRIER();\n"
                "    for (int y = y0; y < %d; y += %d) {\n    const I i%d = t0 + y, i%d = l0 + x;\n"
                "    const int l = x * %d + y;\n    if (i%d < n%d && i%d < n%d) {\n",
             TILE, rows, d, last, TILE + 1, last, last, d, d);
    c->vec = 2; /* values of these inputs come from u */
    gnd__cg_values(c, 0);
    c->vec = 1;
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
    return gnd__cg_end(c, 1, &global, &local);
}

/* One vector of the work-item: the elements x0 .. x0 + vec along axis d. */
static void vector_body(gnd__cg *c, int d)
{
    const gnd__kir *k = c->k;
    gnd__cgf(c, "    {\n    const I i%d = x0;\n", d);
    gnd__cg_vector_loads(c);
    gnd__cgf(c, "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n", c->vec);
    /* x0 is a multiple of vec; written so, the compiler knows the low bits of indices, and random
     * numbers (kernels/random.cl) compute a block once for its elements */
    gnd__cgf(c, "    const I i%d = x0 | l;\n", d);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n");
    for (int i = 0; i < k->nout; i++) {
        int a = k->out[i].access;
        size_t bytes = gnd_dtype_size((gnd_dtype)k->access[a].dtype) * (size_t)c->vec;
        if (!c->vectorised[a])
            continue;
        gnd__cgf(c, "    *(GND_GLOBAL %s *)(p%d + ", bytes == 16 ? "uint4" : bytes == 8 ? "uint2"
                 : bytes == 4 ? "g_u32" : bytes == 2 ? "g_u16" : "g_u8", a);
        gnd__cg_address(c, a);
        gnd__cgf(c, ") = u%d.v;\n", a);
    }
    gnd__cgf(c, "    }\n");
}

/* The elements left over, one by one, from x0 on and below the text `end`. */
static void scalar_body(gnd__cg *c, int d, const char *end)
{
    int v = c->vec;
    gnd__cgf(c, "    for (I i%d = x0; i%d < %s; i%d++) {\n", d, d, end, d);
    c->vec = 1;
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    c->vec = v;
    gnd__cgf(c, "    }\n");
}

/* Whether k reads no memory and computes random numbers. */
static int is_generator(const gnd__kir *k)
{
    int any = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind == GND__I_LOAD || in->kind == GND__I_GATHER)
            return 0;
        any |= in->kind == GND__I_OP && in->op >= GND__FN_BITS32 && in->op <= GND__FN_BOUNDED64;
    }
    return any;
}

/* GPU, random numbers along one axis: two vectors per work-item, a group's width apart, which share what
 * depends on the stream alone (a fifth of the instructions, and those are what such a kernel waits for). */
static gnd_status map_generator(gnd__cg *c, size_t local)
{
    const int64_t n = c->k->dim[0], vectors = (n + c->vec - 1) / c->vec;
    size_t groups = ((size_t)vectors + 2 * local - 1) / (2 * local), global = groups * local;
    char end[48];
    gnd__cgf(c, "    const I g = (I)GND_LSZ(0), f = (I)GND_GRP(0) * (2 * g) + (I)GND_LID(0);\n"
                "    if (f + g < n0 / %d) {\n#pragma unroll\n    for (int h = 0; h < 2; h++) {\n"
                "    const I x0 = (f + h * g) * %d;\n", c->vec, c->vec);
    vector_body(c, 0);
    snprintf(end, sizeof end, "n0 && i0 - x0 < %d", c->vec);
    gnd__cgf(c, "    }\n    } else {\n    for (int h = 0; h < 2 && f + h * g <= n0 / %d; h++) {\n"
                "    const I x0 = (f + h * g) * %d;\n", c->vec, c->vec);
    scalar_body(c, 0, end);
    gnd__cgf(c, "    }\n    }\n");
    return gnd__cg_end(c, 1, &global, &local);
}

/* Ends the kernel; of a piece of one only says how many work-items it takes. */
static gnd_status end_map(gnd__cg *c, size_t global, size_t local)
{
    if (!c->pieces)
        return gnd__cg_end(c, 1, &global, &local);
    c->kern->global[0] = global;
    return GND_OK;
}

/* GPU, more than one axis, no vectors: ROWS points one below another per work-item. They share the
 * arithmetic of the index, loads of what is broadcast down, and those of a stencil. */
#define ROWS 4
#define ROWS_POINTS (1 << 18)
#define ROWS_BODY 128 /* instructions of one point, at most */

static int takes_rows(const gnd__kir *k)
{
    const int x = k->nkeep - 1, y = x - 1;
    if (y < 0 || k->dim[x] < 64 || k->dim[y] < 4 * ROWS || k->ninstr > ROWS_BODY ||
        gnd__kir_kept(k) < ROWS_POINTS)
        return 0;
    for (int i = 0; i < k->nout; i++)
        if (k->access[k->out[i].access].stride[x] != 1)
            return 0;
    return 1;
}

/* The values of the rows from y0 on, then their stores: no store stands between loads. */
static void rows_body(gnd__cg *c, int y)
{
    const gnd__kir *k = c->k;
    for (int i = 0; i < k->nout; i++)
        c->vectorised[k->out[i].access] = 1;
    for (int i = 0; i < k->naccess; i++)
        if (c->vectorised[i])
            gnd__cgf(c, "    struct { %s s[%d]; } u%d;\n", gnd__ctype_mem((gnd_dtype)k->access[i].dtype),
                     ROWS, i);
    gnd__cgf(c, "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = y0 + l; (void)i%d;\n",
             ROWS, y, y);
    c->vec = 2; /* stores go to u */
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    c->vec = 1;
    gnd__cgf(c, "    }\n#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i%d = y0 + l;\n",
             ROWS, y);
    for (int i = 0; i < k->naccess; i++)
        if (c->vectorised[i]) {
            gnd__cgf(c, "    p%d[", i);
            gnd__cg_address(c, i);
            gnd__cgf(c, "] = u%d.s[l];\n", i);
        }
    gnd__cgf(c, "    }\n");
    memset(c->vectorised, 0, sizeof c->vectorised);
}

static gnd_status map_rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int x = k->nkeep - 1, y = x - 1;
    const int64_t tiles = (k->dim[y] + ROWS - 1) / ROWS, total = gnd__kir_kept(k) / k->dim[y] * tiles;
    size_t global = (size_t)total, local = gnd__cg_group(c, 256);
    gnd__cg_begin(c, 0, "k_map");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, k->nkeep);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "total", total);
    gnd__cg_int(c, "tiles", tiles);
    gnd__cgf(c, "    I f = %s;\n    if (f >= total) return;\n    const I i%d = f %% n%d; f /= n%d;\n"
                "    const I y0 = f %% tiles * %d; f /= tiles;\n", c->gid, x, x, x, ROWS);
    gnd__cg_unflatten(c, "f", 0, y);
    gnd__cgf(c, "    if (y0 + %d <= n%d) {\n", ROWS, y);
    rows_body(c, y);
    gnd__cgf(c, "    } else {\n#pragma unroll 1\n    for (I i%d = y0; i%d < n%d; i%d++) {\n", y, y, y, y);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n    }\n");
    return end_map(c, global, local);
}

static gnd_status map_gpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep, tail;
    int64_t points = gnd__kir_kept(k);
    size_t local = gnd__cg_group(c, 256);
    c->vec = 1;
    if (n > 0)
        c->vec = gnd__cg_vector_width(k, n - 1, n == 1);
    if (c->vec == 1 && takes_rows(k))
        return map_rows(c);
    for (int i = 0; i < k->naccess; i++)
        c->vectorised[i] = c->vec > 1 && k->access[i].slot >= 0 && k->access[i].stride[n - 1] == 1;
    tail = c->vec > 1 && n == 1;
    gnd__cg_begin(c, 0, "k_map");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, n);
    gnd__cg_const_args(c, 2);
    if (tail && is_generator(k))
        return map_generator(c, local);
    gnd__cg_int(c, "total", (points + c->vec - 1) / c->vec);
    gnd__cgf(c, "    I f = %s;\n    if (f >= total) return;\n", c->gid);
    if (c->vec > 1) {
        int d = n - 1;
        if (n > 1) {
            gnd__cgf(c, "    const I nv = n%d / %d;\n    const I x0 = f %% nv * %d; f /= nv;\n", d,
                     c->vec, c->vec);
            gnd__cg_unflatten(c, "f", 0, d);
        } else {
            gnd__cgf(c, "    const I x0 = f * %d;\n", c->vec);
        }
        if (tail)
            gnd__cgf(c, "    if (x0 + %d <= n%d) {\n", c->vec, d);
        vector_body(c, d);
        if (tail) {
            char end[16];
            snprintf(end, sizeof end, "n%d", d);
            gnd__cgf(c, "    } else {\n");
            scalar_body(c, d, end);
            gnd__cgf(c, "    }\n");
        }
    } else {
        gnd__cg_unflatten(c, "f", 0, n);
        gnd__cg_values(c, 0);
        gnd__cg_stores(c);
    }
    return end_map(c, (size_t)((points + c->vec - 1) / c->vec), local);
}

int gnd__cg_is_piece(gnd__cg *c)
{
    const int tiles = tile_axis(c) >= 0;
    memset(c->vectorised, 0, sizeof c->vectorised);
    return !tiles && !is_generator(c->k);
}

void gnd__cg_map_piece(gnd__cg *c, size_t local, size_t *groups)
{
    c->vec = 1;
    map_gpu(c);
    memset(c->vectorised, 0, sizeof c->vectorised);
    *groups = (c->kern->global[0] + local - 1) / local;
}

gnd_status gnd__cg_map(gnd__cg *c)
{
    int d = tile_axis(c);
    if (d >= 0 && c->t->cpu)
        return map_tiles(c, d);
    if (d >= 0 && gnd__cg_group(c, 256) >= TILE && tile_bytes(c) <= c->t->props->local_bytes / 2)
        return map_tiles_gpu(c, d);
    memset(c->vectorised, 0, sizeof c->vectorised);
    return c->t->cpu ? map_cpu(c) : map_gpu(c);
}
