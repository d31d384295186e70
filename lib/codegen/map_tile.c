/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_tile.c - maps with inputs that lie across the outputs, as in a transposition. Tiles
 * ensure that whole cache lines are read and written, whatever the permutation and the expression
 * around it.
 *
 * CPU: a tile per work-item, its inputs first, turned in vector registers. GPU: a tile per group,
 * through local memory, 16 KiB of elements, of which each work-item loads 64 bytes before it stores
 * any. The texts are shapes of kernels/map_tile.cl.
 */
#include "codegen/holes.h"

#include <string.h>

/* The shortest extents for which tiles are used; on CPUs as long as a square of kernels/across.cl,
 * and of the outputs' axis, if inputs are bytes. On GPUs the outputs' axis may be half as long if
 * more than FAR outputs lie between neighbours along the inputs' axis, so that no group would use
 * all of a line that it reads. */
#define TILE 32
#define FAR 1024
#define TILE_CPU 8
#define TILE_BYTES 16

int gnd__cg_tile_axis(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int least = c->t->cpu ? TILE_CPU : TILE;
    int last = k->nkeep - 1, axis = -1, bytes = 0;
    int64_t between = 1;
    if (k->nkeep < 2 || k->dim[last] < (c->t->cpu ? least : least / 2))
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
            if (a->stride[d] == 1 && k->dim[d] >= least)
                axis = d;
        if (axis >= 0 && a->stride[axis] == 1) {
            c->vector.on[k->instr[i].ref] = 1;
            bytes |= gnd_dtype_size((gnd_dtype)a->dtype) == 1;
        }
    }
    for (int d = axis + 1; axis >= 0 && d <= last; d++)
        between *= k->dim[d];
    if (c->t->cpu ? bytes && k->dim[last] < TILE_BYTES : k->dim[last] < least && between <= FAR)
        return -1;
    return axis;
}

/* A tile's extents along the last axis and d, on CPUs. A narrow axis makes the other one longer. */
typedef struct rectangle {
    int down, across;
} rectangle;

/* The data of both forms. */
typedef struct tile_writer {
    gnd__cg *c;
    int d, last;                       /* the inputs' axis and the outputs' */
    const struct tile *t;              /* on GPUs */
    rectangle r;                       /* on CPUs */
    uint8_t crossing[GND__KIR_ACCESS]; /* the inputs across the outputs */
} tile_writer;

/* The indices of the axes other than d and the last one, from the rest of f. */
static void write_other_indices(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    int before = -1;
    (void)a;
    for (int i = w->last - 1; i >= 0; i--) {
        if (i == w->d)
            continue;
        if (before >= 0)
            gnd__cgf(w->c, "    f /= n%d;\n", before);
        gnd__cgf(w->c, "    const I i%d = f %% n%d;\n", i, i);
        before = i;
    }
}

/* Parameters: tiles of down by across points along the last axis and d. Returns the number of
 * tiles. */
static size_t tile_args(const tile_writer *w, int down, int across)
{
    const gnd__kir *k = w->c->k;
    const int64_t tl = (k->dim[w->last] + down - 1) / down,
                  tt = (k->dim[w->d] + across - 1) / across;
    gnd__cg_int(w->c, "tl", tl);
    gnd__cg_int(w->c, "tt", tt);
    return (size_t)(gnd__kir_kept(k) / (k->dim[w->last] * k->dim[w->d]) * tl * tt);
}

/* --- CPU -------------------------------------------------------------------------------------- */

/* The least power of two from 4 to `most` that is n or more; `most` if there is none. */
static int extent(int64_t n, int most)
{
    int e = 4;
    while (e < most && e < n)
        e *= 2;
    return e;
}

static rectangle shape_rectangle(const tile_writer *w)
{
    const gnd__kir *k = w->c->k;
    int side = w->c->t->tune->v[GND__TUNE_CPU_TILE], bytes = 1;
    for (int i = 0; i < k->naccess; i++)
        bytes &= !w->crossing[i] || gnd_dtype_size((gnd_dtype)k->access[i].dtype) == 1;
    if (bytes)
        side *= 2; /* whole cache lines */
    rectangle r = {extent(k->dim[w->last], side), extent(k->dim[w->d], side)};
    if (r.down < side)
        r.across = extent(k->dim[w->d], side * side / r.down);
    else if (r.across < side)
        r.down = extent(k->dim[w->last], side * side / r.across);
    return r;
}

/* Whether there are words as those of kernels/across.cl, of OpenCL's vectors. */
static int has_words(const tile_writer *w)
{
    return w->c->t->props->dialect == GND_DIALECT_OPENCL;
}

static void write_inputs_cpu(void *who, const gnd__holeargs *a)
{
    static const char *const word[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    const tile_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->naccess; i++) {
        const size_t size = gnd_dtype_size((gnd_dtype)w->c->k->access[i].dtype);
        const int flips = size <= 8 && has_words(w);
        const gnd__hole own[] = {
            {"in", .number = i},         {"d", .number = w->d},
            {"last", .number = w->last}, {"down", .number = w->r.down},
            {"flips", .number = flips},  {"word", .text = flips ? word[size] : ""},
        };
        if (w->crossing[i])
            gnd__cg_shape_of(w->c, "map_tile_input_cpu", own, NULL);
    }
}

static void write_fetches(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const gnd__kir *k = w->c->k;
    (void)a;
    for (int i = 0; i < k->nout && has_words(w); i++) {
        const int out = k->out[i].access;
        const gnd__hole own[] = {
            {"d", .number = w->d},
            {"last", .number = w->last},
            {"out", .number = out},
            {"line", .number = 64 / (int)gnd_dtype_size((gnd_dtype)k->access[out].dtype)},
        };
        gnd__cg_shape_of(w->c, "map_tile_fetch_cpu", own, NULL);
    }
}

static void write_points_cpu(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const gnd__hole own[] = {
        {"d", .number = w->d},
        {"last", .number = w->last},
        {"nl", .text = a->v[0]},
        {"down", .number = w->r.down},
        {"area", .number = w->r.down * w->r.across},
    };
    gnd__cg_shape_of(w->c, "map_tile_points_cpu", own, NULL);
}

/* A tile per work-item. */
static gnd_status tiles_cpu(tile_writer *w)
{
    gnd__cg *c = w->c;
    const rectangle r = shape_rectangle(w);
    const gnd__hole own[] = {
        {"d", .number = w->d},
        {"last", .number = w->last},
        {"down", .number = r.down},
        {"across", .number = r.across},
        {"area", .number = r.down * r.across},
        {"other_indices", .write = write_other_indices},
        {"fetches", .write = write_fetches},
        {"inputs", .write = write_inputs_cpu},
        {"points", write_points_cpu, .number = 1},
    };
    w->r = r;
    gnd__cg_begin_map(c);
    const size_t local = 1, global = tile_args(w, r.down, r.across);
    gnd__cg_shape_of(c, "map_tile_cpu", own, w);
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

static void write_inputs_gpu(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const tile *t = w->t;
    const int step = t->local * t->vl / t->across, turns = t->down / step;
    const int some = turns < 16 ? turns : 16; /* loads in flight at once */
    (void)a;
    for (int i = 0; i < w->c->k->naccess; i++) {
        const gnd_dtype type = (gnd_dtype)w->c->k->access[i].dtype;
        const char *T = gnd__ctype_mem(type);
        const gnd__hole own[] = {
            {"in", .number = i},
            {"last", .number = w->last},
            {"raw", .text = t->vl > 1 ? gnd__cg_raw(gnd_dtype_size(type) * (size_t)t->vl) : T},
            {"type", .text = T},
            {"vl", .number = t->vl},
            {"down", .number = t->down},
            {"some", .number = some},
            {"step", .number = step},
            {"pace", .number = some * step},
            {"pitch", .number = t->pitch},
            {"skew", .number = t->skew},
            {"shift", .number = t->shift},
        };
        if (w->crossing[i])
            gnd__cg_shape_of(w->c, "map_tile_input_gpu", own, NULL);
    }
}

/* Takes the crossing inputs from local memory, and marks what is loaded and stored in vectors. */
static void write_taken(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const gnd__kir *k = w->c->k;
    const tile *t = w->t;
    (void)a;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__hole own[] = {
            {"in", .number = i},
            {"type", .text = gnd__ctype_mem((gnd_dtype)k->access[i].dtype)},
            {"vs", .number = t->vs},
            {"pitch", .number = t->pitch},
            {"skew", .number = t->skew},
            {"shift", .number = t->shift},
        };
        if (w->crossing[i])
            gnd__cg_shape_of(w->c, "map_tile_taken_gpu", own, NULL);
        w->c->vector.on[i] =
            !w->crossing[i] && t->vs > 1 &&
            (gnd__cg_is_output(k, i) || by_vectors(k, &k->access[i], w->last, t->vs));
    }
}

/* Values of a point: of the crossing inputs from u, whether or not others are loaded in vectors. */
static void write_tile_values(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->naccess; i++)
        w->c->vector.on[i] |= w->crossing[i];
    w->c->vector.width = 2;
    gnd__cg_values(w->c, 0);
    w->c->vector.width = 1;
}

static void write_points_gpu(void *who, const gnd__holeargs *a)
{
    const tile_writer *w = who;
    const tile *t = w->t;
    const gnd__hole own[] = {
        {"d", .number = w->d},
        {"last", .number = w->last},
        {"beside", .number = t->down / t->vs},
        {"vs", .number = t->vs},
        {"vectors", .number = t->vs > 1},
        {"unroll", .number = w->c->k->ninstr <= 24 ? 4 : 1},
        {"across", .number = t->across},
        {"step", .number = t->local * t->vs / t->down},
        {"taken", .write = write_taken},
        {"tile_values", .write = write_tile_values},
    };
    (void)a;
    gnd__cg_shape_of(w->c, "map_tile_points_gpu", own, who);
}

static gnd_status tiles_gpu(tile_writer *w)
{
    gnd__cg *c = w->c;
    const gnd__kir *k = c->k;
    const tile *t = w->t;
    const gnd__hole own[] = {
        {"d", .number = w->d},
        {"down", .number = t->down},
        {"across", .number = t->across},
        {"vl", .number = t->vl},
        {"beside", .number = t->across / t->vl},
        {"other_indices", .write = write_other_indices},
        {"inputs", .write = write_inputs_gpu},
        {"points", .write = write_points_gpu},
    };
    gnd__cg_begin_map(c);
    for (int i = 0; i < k->naccess; i++)
        if (w->crossing[i])
            gnd__cg_shared(c, gnd__ctype_mem((gnd_dtype)k->access[i].dtype),
                           (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype), tile_elements(t),
                           "T%d", i);
    const size_t local = (size_t)t->local, global = tile_args(w, t->down, t->across) * local;
    gnd__cg_shape_of(c, "map_tile_gpu", own, w);
    return gnd__cg_end(c, 1, &global, &local);
}

int gnd__cg_map_tiles(gnd__cg *c, gnd_status *st)
{
    tile_writer w = {.c = c, .d = gnd__cg_tile_axis(c), .last = c->k->nkeep - 1};
    tile t;
    if (w.d >= 0 && (c->t->cpu || shape_tile(c, w.d, &t))) {
        w.t = &t;
        memcpy(w.crossing, c->vector.on, sizeof w.crossing);
        *st = c->t->cpu ? tiles_cpu(&w) : tiles_gpu(&w);
        return 1;
    }
    memset(c->vector.on, 0, sizeof c->vector.on);
    return 0;
}
