/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scan.c - scans by reduce-then-scan. The input is (M rows, n steps, inner columns). If there
 * are too few rows to fill the device, they are cut into S parts: a first kernel reduces each part
 * except the last, a second one scans these sums, a third one scans each part with the sum of those
 * before. No kernel waits for another group, so the order in which groups run does not matter; the
 * order in which elements are combined depends only on sizes and the group size. On devices where
 * groups may wait for groups that started before them, rows longer than a tile and columns (2048 or
 * more) are read only once (kernels/scan_line.cl), and the order depends on as little.
 *
 * Sums of floats: runs of at most 16 to 128 elements are summed plainly. The sum of what precedes
 * them carries its rounding error, so that long sums are as accurate as short ones.
 */
#include "prim/scan.h"

#include <string.h>
#include "codegen/prelude.h"
#include "device/device.h"
#include "prim/prim.h"

enum { A_OP, A_INITIAL, A_M, A_N, A_INNER };

enum {
    GROUP = 256,
    NARROW = 32,         /* most columns that go through local memory, as rows do */
    STRIPS = 64,         /* most strips of 32 columns that one kernel scans */
    ITEMS = 1 << 16,     /* number of columns from which they are not cut */
    ALL_ITEMS = 1 << 18, /* number of work-items if they are cut */
    AHEAD = 8,           /* loads of a work-item at once, if its values stay in local memory */
    LATE = 4,            /* the same at the end of a row; or 2 */
    LONG = 1 << 23,      /* bytes from which tiles are larger */
    TILE_BYTES = 64,     /* of a work-item, in other tiles */
    GROUPS = 2048,       /* number of groups if rows are cut */
    FEW = 256,           /* number of rows below which they are cut */
    COLS_RUN = 64,
    CPU_TASKS = 32,
    CPU_RUN = 16384, /* fewest steps of a part, and where a step takes a cycle */
    CPU_RUNNING = 65536,
    CPU_TILE = 256,
    LEVELS = 6,     /* blocks of 32^5 tiles are the largest */
    TILES = 1 << 24 /* limit for all rows together */
};

typedef struct shape {
    int by_rows;
    int64_t m, n, inner;
    int group, k, pad; /* rows: work-items of a group, steps of each; see kernels/scan.cl */
    int64_t t, rg;
    int64_t s, chunk; /* parts of a row, steps of each */
    int64_t line;     /* one kernel: tiles of a row, or of a strip of 32 columns; else 0 */
    int single;       /* of a row: it is one tile, which waits for none */
    int keep;         /* of a row: registers keep the values of a tile */
    int strip;        /* of a strip */
    int64_t tiles;    /* CPUs: tiles of columns */
} shape;

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Cuts the axis into S parts, each a multiple of `unit` steps. */
static void cut(shape *h, int64_t parts, int64_t unit)
{
    h->chunk = ceil_div(ceil_div(h->n, parts), unit) * unit;
    h->s = ceil_div(h->n, h->chunk);
    if (h->s == 1)
        h->chunk = h->n;
}

static size_t value_size(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? 4 : gnd_dtype_size(t);
}

static int is_float_sum(const gnd__primargs *a, gnd_dtype t)
{
    const int kind = gnd_dtype_kind(t);
    return a->n[A_OP] == GND__SCAN_SUM && (kind == 'f' || kind == 'c');
}

/* Whether elements are added one after the other on CPUs: sums of ints, whose order is free. */
static int is_running(const gnd__primargs *a, gnd_dtype t)
{
    const int kind = gnd_dtype_kind(t);
    return a->n[A_OP] == GND__SCAN_SUM && (kind == 'i' || kind == 'u');
}

/* One tile for each row: the least group of at least 64 work-items that takes all its steps, up to
 * k, and a few more in the largest group; and then as few steps as this group needs. 0: there is
 * none. */
static int shape_single(shape *h, const gnd_props *p, size_t size)
{
    const int cpu = p->kind == GND_DEV_CPU;
    const int64_t most = cpu ? 128 : 2 * GROUP; /* tests have short rows */
    int64_t group = 64, k;
    while (group < most && group * h->k < h->n)
        group *= 2;
    k = ceil_div(h->n, group);
    if (k > h->k + (cpu ? 0 : h->k / 4) || (size_t)group > p->max_group ||
        (size_t)group > p->max_local[0] ||
        (uint64_t)group * (k + (k >> h->pad) + 4) * size > p->local_bytes)
        return 0;
    h->group = (int)group;
    h->k = (int)(k + (k & 1));
    h->keep = size <= 4;
    h->line = h->single = 1;
    return 1;
}

/* Tiles of a row that wait for each other. */
static void shape_line(shape *h, const gnd_props *p, size_t size, int float_sum)
{
    /* A tile waits long for what stands before it; more bytes on their way hide that. */
    h->keep = size <= 4;
    if (p->kind == GND_DEV_CPU) {
        h->group = 64; /* tests use small tiles */
    } else if (h->m * h->n * (int64_t)size >= LONG && (size <= 4 || (size == 8 && float_sum))) {
        h->k = size <= 4 ? 24 : 16;
        h->keep = 0;
    }
    h->line = ceil_div(h->n, (int64_t)h->group * h->k);
    /* as few steps as this number of tiles allows, so that the last one is not nearly empty */
    if (h->k > AHEAD)
        h->k = (int)ceil_div(ceil_div(h->n, h->line * h->group), AHEAD) * AHEAD;
}

static void shape_gpu_rows(shape *h, const gnd__target *t, size_t size, int float_sum)
{
    const gnd_props *p = t->props;
    int64_t tiles;
    h->by_rows = 1;
    /* makes 16 loads at once; on a CPU that uses this shape, unrolling would only slow compilation
     */
    h->k = p->kind == GND_DEV_CPU ? 4 : size <= 4 ? 16 : size == 8 ? 8 : 4;
    h->pad = size <= 4 ? 5 : size == 8 ? 4 : 3;
    for (h->group = GROUP; h->group > 1; h->group /= 2)
        if ((size_t)h->group <= p->max_group && (size_t)h->group <= p->max_local[0] &&
            (uint64_t)h->group * (h->k + h->k / 4 + 2) * size <= p->local_bytes)
            break;
    tiles = ceil_div(h->n, (int64_t)h->group * h->k);
    if (t->waits && h->inner == 1 && 2 * ceil_div(h->n, h->k) > GROUP / 4 &&
        shape_single(h, p, size))
        return;
    if (t->waits && h->inner == 1 && tiles > 1 && h->group % 32 == 0 && tiles <= TILES / h->m) {
        shape_line(h, p, size, float_sum);
        return;
    }
    h->t = h->group / h->inner;
    h->rg = 1;
    h->s = 1;
    h->chunk = h->n;
    if (ceil_div(h->n, h->k) * 2 * h->inner <= h->group) {
        h->t = ceil_div(h->n, h->k);
        h->rg = h->group / (h->t * h->inner);
    } else if (h->m < FEW && h->n > 4 * h->t * h->k) {
        cut(h, clamp(GROUPS / h->m, 1, ceil_div(h->n, h->t * h->k)), h->t * h->k);
    }
}

/* Columns in strips of 32, read once. A tile waits for the one above it, 0.7 us each on an H200.
 * From about 1500 columns on, the other tiles' reads and writes take as long, so the wait costs
 * nothing.
 */
static int shape_strips(shape *h, const gnd__target *t, size_t size)
{
    const gnd_props *p = t->props;
    const int cpu = p->kind == GND_DEV_CPU;
    const int64_t across = h->m * ceil_div(h->inner, 32);
    h->k = cpu ? 2 : size <= 4 ? 32 : size == 8 ? 16 : 8;
    h->group = cpu ? 64 : GROUP; /* small tiles, for tests */
    h->line = ceil_div(h->n, h->group / 32 * h->k);
    h->strip = t->waits && h->line > 1 && across >= (cpu ? 2 : STRIPS) &&
               h->line <= TILES / across && (size_t)h->group <= p->max_group &&
               (size_t)h->group <= p->max_local[0];
    if (!h->strip)
        h->line = 0;
    return h->strip;
}

static void shape_of(shape *h, const gnd__target *t, const gnd__primargs *a, gnd_dtype dt)
{
    memset(h, 0, sizeof *h);
    h->m = a->n[A_M];
    h->n = a->n[A_N];
    h->inner = a->n[A_INNER];
    h->s = 1;
    h->rg = 1;
    h->chunk = h->n;
    h->tiles = ceil_div(h->inner, CPU_TILE);
    if (t->cpu && h->inner == 1) {
        h->by_rows = 1;
        h->rg = clamp(8192 / h->n, 1, ceil_div(h->m, 4 * CPU_TASKS));
        if (h->m < CPU_TASKS)
            cut(h,
                clamp(h->n / (is_running(a, dt) ? CPU_RUNNING : CPU_RUN), 1,
                      ceil_div(CPU_TASKS, h->m)),
                1024);
    } else if (t->cpu) {
        if (h->m * h->tiles < CPU_TASKS)
            cut(h, clamp(h->n * h->inner / CPU_RUN, 1, ceil_div(CPU_TASKS, h->m * h->tiles)),
                COLS_RUN);
    } else if (h->inner <= NARROW) {
        shape_gpu_rows(h, t, value_size(dt), is_float_sum(a, dt));
    } else if (h->m * h->inner < ITEMS && !shape_strips(h, t, value_size(dt))) {
        cut(h, clamp(ALL_ITEMS / (h->m * h->inner), 1, ceil_div(h->n, COLS_RUN)), 1);
    }
}

gnd_array *gnd__scan_node(gnd_array *x, gnd__scan op, int axis, int initial)
{
    const gnd__target t = gnd__target_of(&x->dev->g->props, &x->dev->g->tune);
    gnd__primargs a;
    shape h;
    int64_t dim[GND_MAX_NDIM];
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_SCAN;
    a.n[A_OP] = op;
    a.n[A_INITIAL] = initial;
    a.n[A_M] = a.n[A_INNER] = 1;
    for (int d = 0; d < x->ndim; d++) {
        dim[d] = x->dim[d] + (d == axis ? initial : 0);
        a.n[d < axis ? A_M : A_INNER] *= d == axis ? 1 : x->dim[d];
    }
    a.n[A_N] = x->dim[axis];
    shape_of(&h, &t, &a, (gnd_dtype)x->dtype);
    a.mode[0] = h.s > 1 ? GND__IN_AGAIN : GND__IN_ONCE;
    return gnd__prim_node(x->dev, &a, (gnd_dtype)x->dtype, x->ndim, dim, 1, &x);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* The data that all kernels of a scan share. */
typedef struct scan {
    gnd__prog *p;
    shape h;
    int sums;      /* whether carries have an error part */
    int q, r;      /* scratch memory of sums and, only in that case, errors */
    gnd_dtype acc; /* their dtype */
    int64_t bytes; /* of all carries */
} scan;

static const gnd__op ops[] = {GND__OP_ADD, GND__OP_MULTIPLY, GND__OP_MAXIMUM, GND__OP_MINIMUM};

static void begin(const scan *c, const char *name, int in, int out, int carries)
{
    gnd__prog *p = c->p;
    int kind = gnd_dtype_kind(p->dtype);
    static const char *const arg[GND__OP_ARGS] = {"(a)", "(b)", "", "", ""};
    gnd__str op = {0};
    gnd__pk_begin(p, name);
    if (out)
        gnd__pk_out(p, "y");
    if (carries) {
        gnd__pk_mem(p, "q", c->q, c->acc);
        if (c->sums)
            gnd__pk_mem(p, "r", c->r, c->acc);
    }
    if (in)
        gnd__pk_in(p, "x", 0);
    gnd__expand(&op, gnd__op_text(ops[p->args->n[A_OP]], kind), p->dtype, arg);
    gnd__pk_def(p, "#define OP(a, b) %s\n", gnd__str_get(&op));
    if (op.bad)
        gnd__prog_fail(p, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&op);
    if (kind == 'c')
        gnd__pk_def(p, "#define ZERO gnd_cplx_%s(0, 0)\n", gnd__suffix(p->dtype));
    else
        gnd__pk_def(p, "#define ZERO 0\n");
    gnd__pk_defs(p, !c->sums ? "scan_plain" : kind == 'c' ? "scan_csum" : "scan_sum", p->dtype);
}

/* Macros and parameters of the first and the last kernel. */
static void sizes(const scan *c)
{
    gnd__prog *p = c->p;
    int kind = gnd_dtype_kind(p->dtype), one = p->args->n[A_OP] == GND__SCAN_PROD;
    gnd__pk_def(p, "#define PARTS %d\n#define INIT %d\n", c->h.s > 1, (int)p->args->n[A_INITIAL]);
    if (kind == 'c')
        gnd__pk_def(p, "#define FIRST gnd_cplx_%s(%d, 0)\n", gnd__suffix(p->dtype), one);
    else
        gnd__pk_def(p, "#define FIRST %d\n", one);
    gnd__pk_def(p, "#define RUNNING %d\n", is_running(p->args, p->dtype));
    gnd__pk_def(p, "#define SHIFT %s\n", p->args->n[A_INITIAL] ? "(row + 1) * inner" : "0");
    gnd__pk_int(p, "M", c->h.m);
    gnd__pk_int(p, "n", c->h.n);
    gnd__pk_int(p, "inner", c->h.inner);
    gnd__pk_int(p, "S", c->h.s);
    gnd__pk_int(p, "chunk", c->h.chunk);
}

/* The kernel that scans the carries. */
static void carries(const scan *c)
{
    gnd__prog *p = c->p;
    int64_t rows = c->h.m * c->h.inner, parts = c->h.s - 1, t = 1, per;
    if (parts < 2)
        return;
    begin(c, "k_carries", 0, 0, 1);
    gnd__pk_int(p, "R", rows);
    gnd__pk_int(p, "P", parts);
    if (p->t->cpu) {
        per = clamp(4096 / parts, 1, ceil_div(rows, CPU_TASKS));
        gnd__pk_int(p, "RG", per);
        gnd__pk_body(p, "scan_cpu_carries", p->dtype);
        gnd__pk_end1(p, ceil_div(rows, per), 1, c->bytes, c->bytes);
        return;
    }
    size_t group = gnd__prog_group(p, GROUP);
    while (group > 1 &&
           group * 2 * value_size(p->dtype) * (c->sums ? 2 : 1) > p->t->props->local_bytes)
        group /= 2;
    while (t < parts && t < (int64_t)group)
        t *= 2;
    gnd__pk_def(p, "#define WG %d\n", (int)group);
    gnd__pk_int(p, "T", t);
    gnd__pk_body(p, "scan_carries", p->dtype);
    gnd__pk_end1(p, ceil_div(rows, (int64_t)group / t), group, c->bytes, c->bytes);
}

static int64_t rows_bytes(const gnd__prog *p)
{
    return p->size * (int64_t)gnd_dtype_size(p->dtype);
}

/* Words of 32 bits of a carry. */
static int64_t carry_words(const scan *c)
{
    const size_t size = value_size(c->p->dtype);
    return (int64_t)(size < 4 ? 1 : size / 4) * (1 + c->sums);
}

/* Begins the kernel of a scan that reads once. A kernel before it clears the words that groups
 * publish (st). */
static void begin_once(const scan *c, int64_t words)
{
    gnd__prog *p = c->p;
    const int st = words ? gnd__prog_scratch(p, words * 8) : 0;
    if (words)
        gnd__prog_fill(p, st, GND_UINT64, words, "0");
    begin(c, "k_scan", 1, 1, 0);
    sizes(c);
    gnd__pk_def(p, "#define SINGLE %d\n", c->h.single);
    if (!words)
        return;
    gnd__pk_mem(p, "st", st, GND_UINT64);
    gnd__pk_int(p, "tiles", c->h.line);
}

/* Rows in tiles. st: the ticket; then for each row the sums of its tiles, of blocks of 32 tiles,
 * and of blocks of 32 blocks, and as many words for the prefixes of these. */
static void by_tiles(const scan *c)
{
    gnd__prog *p = c->p;
    const shape *h = &c->h;
    const int64_t aw = carry_words(c);
    int64_t each = 0, words;
    for (int l = 0; l < LEVELS && h->line >> (5 * l); l++)
        each += 2 * aw * ceil_div(h->line, (int64_t)1 << (5 * l));
    words = h->single ? 0 : 8 + h->m * each;
    begin_once(c, words);
    gnd__pk_int(p, "each", each);
    gnd__pk_def(p,
                "#define WG %d\n#define K %d\n#define PAD %d\n#define LEVELS %d\n#define AW %d\n",
                h->group, h->k, h->pad, LEVELS, (int)aw);
    gnd__pk_def(p, "#define KEEP %d\n#define AHEAD %d\n#define LATE %d\n", h->keep,
                h->keep || h->single || h->k < AHEAD ? h->k : AHEAD, h->k % LATE ? 2 : LATE);
    gnd__pk_defs(p, "warps", p->dtype);
    gnd__pk_defs(p, "scan_words", p->dtype);
    gnd__pk_defs(p, "scan_line_defs", p->dtype);
    gnd__pk_body(p, "scan_line", p->dtype);
    /* asks for many groups at once, because each waits long, unless an expression needs the
     * registers, or tiles fill the local memory */
    const int large = h->k * (int)value_size(p->dtype) > TILE_BYTES || aw > 4;
    gnd__pk_resident(p, (p->in[0].inl && !p->in[0].inl->plain ? 4
                         : large                              ? 6
                                                              : 8) *
                            GROUP / h->group);
    gnd__pk_end1(p, h->m * h->line, (size_t)h->group, gnd__prog_reads(p, 0) + words * 8,
                 rows_bytes(p) + words * 8);
}

/* Strips of 32 columns. st: the ticket; then, for each tile and column, a word for each word of a
 * carry. */
static void by_strips(const scan *c)
{
    gnd__prog *p = c->p;
    const shape *h = &c->h;
    const int64_t aw = carry_words(c), strips = ceil_div(h->inner, 32),
                  words = 8 + h->line * h->m * strips * 32 * aw;
    begin_once(c, words);
    gnd__pk_int(p, "strips", strips);
    gnd__pk_def(p, "#define WG %d\n#define K %d\n#define AW %d\n", h->group, h->k, (int)aw);
    gnd__pk_defs(p, "scan_words", p->dtype);
    gnd__pk_body(p, "scan_strip", p->dtype);
    gnd__pk_resident(p, p->in[0].inl && !p->in[0].inl->plain ? 2 : aw <= 4 ? 4 : 2);
    gnd__pk_end1(p, h->m * strips * h->line, (size_t)h->group, gnd__prog_reads(p, 0) + words * 8,
                 rows_bytes(p) + words * 8);
}

static void by_rows(const scan *c)
{
    gnd__prog *p = c->p;
    const shape *h = &c->h;
    int cpu = p->t->cpu;
    size_t local = cpu ? 1 : (size_t)h->group;
    for (int last = h->s == 1; last < 2; last++) {
        begin(c, last ? "k_scan" : "k_parts", 1, last, h->s > 1);
        sizes(c);
        if (!cpu) {
            gnd__pk_def(p, "#define WG %d\n#define K %d\n#define PAD %d\n", h->group, h->k, h->pad);
            gnd__pk_int(p, "T", h->t);
        }
        gnd__pk_int(p, "RG", h->rg);
        gnd__pk_body(p,
                     last  ? cpu ? "scan_cpu_rows" : "scan_rows"
                     : cpu ? "scan_cpu_rows_part"
                           : "scan_rows_part",
                     p->dtype);
        gnd__pk_end1(p, ceil_div(h->m, h->rg) * (h->s - !last), local,
                     gnd__prog_reads(p, 0) + (last ? c->bytes : 0),
                     last ? rows_bytes(p) : c->bytes);
        if (!last && !cpu) /* on CPUs each part puts together the few that stand before it */
            carries(c);
    }
}

static void by_columns(const scan *c)
{
    gnd__prog *p = c->p;
    const shape *h = &c->h;
    int cpu = p->t->cpu;
    size_t local = cpu ? 1 : gnd__prog_group(p, GROUP);
    for (int last = h->s == 1; last < 2; last++) {
        int64_t items = h->m * (h->s - !last) * (cpu ? h->tiles : h->inner);
        begin(c, last ? "k_scan" : "k_parts", 1, last, h->s > 1);
        sizes(c);
        if (cpu)
            gnd__pk_int(p, "tiles", h->tiles);
        else
            gnd__pk_def(p, "#define K %d\n", p->t->props->kind == GND_DEV_CPU ? 2 : 8);
        gnd__pk_body(p,
                     last  ? cpu ? "scan_cpu_cols" : "scan_cols"
                     : cpu ? "scan_cpu_cols_part"
                           : "scan_cols_part",
                     p->dtype);
        gnd__pk_end1(p, ceil_div(items, (int64_t)local), local,
                     gnd__prog_reads(p, 0) + (last ? c->bytes : 0),
                     last ? rows_bytes(p) : c->bytes);
        if (!last)
            carries(c);
    }
}

void gnd__prim_scan(gnd__prog *p)
{
    scan c;
    memset(&c, 0, sizeof c);
    c.p = p;
    c.sums = is_float_sum(p->args, p->dtype);
    c.acc = p->dtype == GND_FLOAT16 || p->dtype == GND_BFLOAT16 ? GND_FLOAT32 : p->dtype;
    shape_of(&c.h, p->t, p->args, p->dtype);
    if (c.h.s == 1 && p->t->cpu && !p->args->n[A_INITIAL])
        p->native = (gnd__native){.what = GND__NATIVE_SCAN,
                                  .op = (int)p->args->n[A_OP],
                                  .t = p->dtype,
                                  .m = c.h.m,
                                  .n = c.h.n,
                                  .inner = c.h.inner};
    if (c.h.s > 1) {
        int64_t bytes = c.h.m * c.h.inner * (c.h.s - 1) * (int64_t)gnd_dtype_size(c.acc);
        c.bytes = bytes * (1 + c.sums);
        c.q = gnd__prog_scratch(p, bytes);
        if (c.sums)
            c.r = gnd__prog_scratch(p, bytes);
    }
    if (c.h.strip)
        by_strips(&c);
    else if (c.h.line)
        by_tiles(&c);
    else
        c.h.by_rows ? by_rows(&c) : by_columns(&c);
}
