/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm.c - the texts and launches of our own matrix products: kernels/matmul.cl with tile
 * sizes that suit the shape, or several small products for each group. If the tiles do not fill the
 * device and k is long, k is cut into chunks, whose products a second kernel adds in a fixed order,
 * so that the bits are the same every time. The number of chunks depends on the shape, and on GPUs
 * on the number of compute units.
 */
#include "prim/gemm.h"

#include <string.h>
#include "base/measured.h"
#include "codegen/prelude.h"
#include "prim/gemm_priv.h"

enum {
    CPU_TASKS = 32,       /* number of blocks of results from which k is not cut */
    CPU_CHUNK = 4096,     /* minimum number of terms per chunk */
    PART_BYTES = 64 << 20 /* maximum size of all chunks' products */
};

/* Small products: at least MANY of them, of sides up to MOST_SIDE and up to MOST_TERMS
 * multiplications; work-items of a group, results that each has at a time, local memory of a group.
 */
enum {
    MANY = 32,
    MOST_SIDE = 64,
    MOST_TERMS = 8192,
    ITEMS = 128,
    ROWS = 4,
    WIDE = 8,
    ROOM = 24 * 1024
};

/* The tiles for g on that device. */
static const gnd__tile *tiles_of(const gnd_gemm *g, const gnd__target *to, int *n)
{
    const gnd_dtype t = (gnd_dtype)g->dtype;
    const int size = (int)gnd_dtype_size(t), half = t == GND_FLOAT16 || t == GND_BFLOAT16;
    const gnd__measured *d = gnd__measured_of(0, to->props->name);
    return gnd__on_cores(g, to) ? gnd__measured_cores(d, size, n)
                                : gnd__measured_tiles(d,
                                                      half        ? 2
                                                      : size <= 4 ? 4
                                                                  : size,
                                                      n);
}

/* The blocks of matmul_block: the most rows of a work-item, bytes of a vector, rows of b in private
 * memory, and the least product that it gets. */
enum { BLOCK_MOST = 64, BLOCK_VECTOR = 64, BLOCK_K = 128, BLOCK_ROWS = 8, BLOCK_LEAST = 16 };

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Estimated clocks for g with tiles t in s chunks: the groups of the busiest unit, in sequence if
 * it cannot hold them all at once, plus the sum of the parts. */
static double cost(const gnd__measured *d, const gnd_gemm *g, const gnd__tile *t, int64_t s,
                   int64_t chunk, int64_t units)
{
    const int64_t groups = ceil_div(g->m, t->bm) * ceil_div(g->n, t->bn) * g->nbatch * s;
    const int64_t most = ceil_div(groups, units);
    const double busy = (double)most * t->wg / t->full;
    const size_t size = gnd_dtype_size((gnd_dtype)g->dtype); /* multiplications of 8 bytes take
                                                                twice as long */
    double c = (double)most * t->bm * t->bn * (double)(ceil_div(chunk, t->bk) * t->bk) /
               (d->fma_per_clock / 100.0 * t->speed) / (busy < 1 ? busy : 1) *
               (size > 4 ? (double)size / 4 : 1);
    if (s > 1)
        c += d->second_clocks +
             (double)s * (double)g->m * (double)g->n * (double)g->nbatch / (double)units;
    return c;
}

/* Cuts k into at most s chunks, each a multiple of `unit`. */
static int64_t cut(const gnd_gemm *g, int64_t s, int64_t unit, int64_t *chunk)
{
    const int64_t one =
        (int64_t)gnd_dtype_size(gnd__gemm_acc((gnd_dtype)g->dtype)) * g->m * g->n * g->nbatch;
    if (s > PART_BYTES / one)
        s = PART_BYTES / one;
    if (s > g->k / unit)
        s = g->k / unit;
    if (s > 65535)
        s = 65535;
    if (s <= 1) {
        *chunk = g->k;
        return 1;
    }
    *chunk = ceil_div(ceil_div(g->k, s), unit) * unit;
    return ceil_div(g->k, *chunk);
}

static int tile_fits(const gnd__tile *t, const gnd_gemm *g, const gnd__target *to)
{
    const size_t size = gnd_dtype_size(gnd__gemm_acc((gnd_dtype)g->dtype));
    return (size_t)t->wg <= to->props->max_group &&
           (gnd__on_cores(g, to) ||
            (size_t)(t->bm + t->bn + 8) * t->bk * size <= to->props->local_bytes);
}

static int any_tile(const gnd_gemm *g, const gnd__target *to)
{
    int n, any = 0;
    const gnd__tile *t = tiles_of(g, to, &n);
    for (int i = 0; i < n; i++)
        any |= tile_fits(&t[i], g, to);
    return any;
}

/* Uses the tile that measured best for products that fill the device instead of the model's. Only
 * if k is one chunk: then a result is the same sum, bit by bit, whatever the tile. */
static void tuned_tile(const gnd_gemm *g, const gnd__target *t, gnd__gemm_shape *h)
{
    const gnd_dtype dt = (gnd_dtype)g->dtype;
    const size_t size = gnd_dtype_size(gnd__gemm_acc(dt));
    int n;
    const gnd__tile *all = tiles_of(g, t, &n);
    const int i = t->tune->v[dt == GND_FLOAT16 || dt == GND_BFLOAT16 ? GND__TUNE_PRODUCT_TILE2
                             : size <= 4                             ? GND__TUNE_PRODUCT_TILE4
                                                                     : GND__TUNE_PRODUCT_TILE8] -
                  1;
    if (i < 0 || i >= n || size > 8 || h->s > 1 || gnd__on_cores(g, t) || !tile_fits(&all[i], g, t))
        return;
    if (ceil_div(g->m, all[i].bm) * ceil_div(g->n, all[i].bn) * g->nbatch >=
        2 * (int64_t)t->props->compute_units)
        h->t = all[i];
}

static gnd__gemm_shape gpu_shape(const gnd_gemm *g, const gnd__target *target, double *clocks)
{
    const gnd_props *p = target->props;
    int n;
    const gnd__tile *t = tiles_of(g, target, &n);
    const gnd__measured *d = gnd__measured_of(0, p->name);
    const int64_t units = p->compute_units > 0 ? p->compute_units : 1;
    gnd__gemm_shape best = {.t = t[n - 1], .s = 1, .chunk = g->k};
    double least = -1;
    for (int i = 0; i < n; i++) {
        const int64_t tiles = ceil_div(g->m, t[i].bm) * ceil_div(g->n, t[i].bn) * g->nbatch;
        if (!tile_fits(&t[i], g, target))
            continue;
        for (int64_t per = 0; per <= 16; per = per ? 2 * per : 1) {
            int64_t chunk;
            const int64_t s =
                per ? cut(g, units * per / tiles, 4 * t[i].bk, &chunk) : cut(g, 1, 1, &chunk);
            const double c = cost(d, g, &t[i], s, chunk, units);
            if (least < 0 || c < least) {
                least = c;
                best = (gnd__gemm_shape){.t = t[i], .s = s, .chunk = chunk};
            }
        }
    }
    tuned_tile(g, target, &best);
    *clocks = least;
    return best;
}

/* The columns of a work-item: elements of two vectors. */
static int block_columns(gnd_dtype acc, const gnd__gemm_shape *h)
{
    return (int)(gnd_dtype_kind(acc) == 'c' ? h->lanes : 2 * h->lanes);
}

/* Whether matmul_block computes g, and by how many rows: fewer if otherwise some cores had
 * nothing to do. */
static void block_shape(const gnd_gemm *g, const gnd__target *t, gnd__gemm_shape *h)
{
    const gnd_dtype acc = gnd__gemm_acc((gnd_dtype)g->dtype);
    h->lanes = BLOCK_VECTOR / (int64_t)gnd_dtype_size(acc) * (gnd_dtype_kind(acc) == 'c' ? 2 : 1);
    if (h->lanes > 16) /* OpenCL's longest vectors */
        h->lanes = 16;
    if (t->props->kind != GND_DEV_CPU || g->m < BLOCK_ROWS / 2 || g->n < BLOCK_LEAST ||
        g->k < BLOCK_LEAST)
        return;
    const int64_t tasks = ceil_div(g->n, block_columns(acc, h)) * g->nbatch * h->s;
    for (h->rows = BLOCK_MOST; h->rows > BLOCK_ROWS; h->rows /= 2)
        if (tasks * ceil_div(g->m, h->rows) >= 4 * (int64_t)t->props->compute_units)
            break;
}

static gnd__gemm_shape cpu_shape(const gnd_gemm *g, const gnd__target *t)
{
    gnd__gemm_shape h = {.s = 1, .chunk = g->k};
    const int64_t tasks = ceil_div(g->m, 4) * ceil_div(g->n, 32) * g->nbatch;
    if (tasks < CPU_TASKS && g->k >= 2 * CPU_CHUNK)
        h.s = cut(g,
                  ceil_div(CPU_TASKS, tasks) < g->k / CPU_CHUNK ? ceil_div(CPU_TASKS, tasks)
                                                                : g->k / CPU_CHUNK,
                  16, &h.chunk);
    block_shape(g, t, &h);
    return h;
}

/* The macros of matmul_block for sums of dtype t. Ints are unsigned in vectors, so they wrap. */
static void block_macros(gnd__str *s, gnd_dtype t, const gnd__gemm_shape *h)
{
    static const char *const ints[] = {"uchar", "ushort", "uint", "ulong"};
    const int kind = gnd_dtype_kind(t), n = (int)h->lanes;
    const size_t size = gnd_dtype_size(t) / (kind == 'c' ? 2 : 1);
    const char *one = kind == 'f' || kind == 'c' ? (size == 4 ? "float" : "double")
                                                 : ints[size == 8 ? 3 : size / 2];
    gnd__str_addf(s,
                  "typedef %s UT;\ntypedef %s%d VT;\n#define COLS %d\n#define BMOST %d\n"
                  "#define PK %d\n",
                  one, one, n, block_columns(t, h), BLOCK_MOST, BLOCK_K);
    if (kind == 'c') {
        gnd__str_add(s, "#define PUT(p, j, v) { const T u = v; ((UT *)&row[p][0])[j] = u.x; "
                        "((UT *)&row[p][1])[j] = u.y; }\n"
                        "#define MACS(s, t, w, x, y) { const VT r = (VT)w.x, i = (VT)w.y; "
                        "s = s + (r * x - i * y); t = t + (r * y + i * x); }\n");
        gnd__str_addf(s,
                      "#define GET(i, j) gnd_cplx_%s(((const UT *)&acc[i][0])[j], "
                      "((const UT *)&acc[i][1])[j])\n",
                      gnd__suffix(t));
        return;
    }
    gnd__str_add(s, "#define PUT(p, j, v) ((T *)row[p])[j] = v;\n"
                    "#define GET(i, j) ((const T *)acc[i])[j]\n"
                    "#define MACS(s, t, w, x, y) { const VT v = (VT)(UT)w; s = VMAC(s, v, x); "
                    "t = VMAC(t, v, y); }\n");
    gnd__str_addf(s, "#define VMAC(s, a, b) %s\n",
                  kind == 'f'   ? "fma(a, b, s)"
                  : kind == 'b' ? "((s) | ((a) & (b)))"
                                : "((s) + (a) * (b))");
}

/* The kernel with its parameters. */
static void head(gnd__str *text, const gnd__target *t, const gnd__gemm_shape *h, int group)
{
    if (t->props->kind == GND_DEV_CPU)
        gnd__str_add(text, "GND_KERNEL void k_matmul(\n");
    else if (t->props->dialect == GND_DIALECT_CUDA)
        gnd__str_addf(text, "GND_KERNEL void __launch_bounds__(%d) k_matmul(\n", group);
    else
        gnd__str_addf(text,
                      "GND_KERNEL __attribute__((reqd_work_group_size(%d, 1, 1))) void k_matmul(\n",
                      group);
    gnd__str_add(text, "    GND_CONST_GLOBAL MT *GND_RESTRICT a, const g_i64 oa,\n"
                       "    GND_CONST_GLOBAL MT *GND_RESTRICT b, const g_i64 ob,\n"
                       "    GND_GLOBAL OT *GND_RESTRICT c, const g_i64 oc,\n"
                       "    const g_i64 M, const g_i64 N, const g_i64 K,\n"
                       "    const g_i64 ab, const g_i64 ar, const g_i64 ac,\n"
                       "    const g_i64 bb, const g_i64 br, const g_i64 bc,\n"
                       "    const g_i64 cb, const g_i64 cr, const g_i64 cc,\n"
                       "    const g_i64 cs, const g_i64 KC, const g_i64 NB");
    gnd__str_add(text, h->rows ? ", const g_i64 BI" : "");
}

/* The product of a chunk: the kernel that adds the chunks scales, and adds C. */
static gnd_gemm plain_of(const gnd_gemm *g)
{
    gnd_gemm one = *g;
    one.alpha = 1;
    one.beta = 0;
    return one;
}

static gnd_status product(const gnd_gemm *g, const gnd__target *t, const gnd__gemm_shape *h,
                          gnd_dtype out, gnd__gemm_kernel *k, gnd_err *e)
{
    const gnd_dtype dt = (gnd_dtype)g->dtype;
    const int64_t mn = g->m * g->n, cut = h->s > 1;
    const gnd_gemm one = cut ? plain_of(g) : *g;
    const int64_t v[16] = {g->m,
                           g->n,
                           g->k,
                           g->a.batch,
                           g->a.row,
                           g->a.col,
                           g->b.batch,
                           g->b.row,
                           g->b.col,
                           cut ? h->s * mn : g->c.batch,
                           cut ? g->n : g->c.row,
                           cut ? 1 : g->c.col,
                           mn,
                           h->chunk,
                           g->nbatch,
                           h->rows};
    gnd__str text = {0};
    k->name = "k_matmul";
    k->nmem = 3;
    k->mem[0] = GND__GEMM_A, k->mem[1] = GND__GEMM_B,
    k->mem[2] = cut ? GND__GEMM_PARTS : GND__GEMM_C;
    k->nvalue = h->rows ? 16 : 15;
    memcpy(k->value, v, sizeof v);
    k->local[0] = k->local[1] = k->local[2] = 1;
    k->global[2] = (size_t)(g->nbatch < 65535 ? g->nbatch : 65535);
    gnd__gemm_macros(&text, &one, out, t->props->kind != GND_DEV_CPU);
    if (h->rows) {
        block_macros(&text, gnd__gemm_acc(dt), h);
        k->global[0] = (size_t)(ceil_div(g->n, block_columns(gnd__gemm_acc(dt), h)) * h->s);
        k->global[1] = (size_t)ceil_div(g->m, h->rows);
    } else if (t->cpu) {
        k->global[0] = (size_t)(ceil_div(g->n, 32) * h->s);
        k->global[1] = (size_t)ceil_div(g->m, 4);
    } else if (gnd__on_cores(g, t)) {
        gnd__cores_text(&text, g, t, &h->t, out);
        k->local[0] = (size_t)h->t.wg;
        k->global[0] = (size_t)(ceil_div(g->n, h->t.bn) * ceil_div(g->m, h->t.bm)) * k->local[0];
        k->global[1] = (size_t)h->s;
    } else {
        const gnd__tile *b = &h->t;
        const int size = (int)gnd_dtype_size(gnd__gemm_acc(dt)), pad = size <= 4   ? 4
                                                                       : size == 8 ? 2
                                                                                   : 1;
        const int neighbours = size <= 4 ? 4 : 2, vec = b->tm < neighbours ? b->tm : neighbours;
        gnd__str_addf(
            &text,
            "#define BM %d\n#define BN %d\n#define BK %d\n#define TM %d\n#define TN %d\n"
            "#define TX %d\n#define TY %d\n#define WG %d\n#define V %d\n#define LA %d\n#define LB %d\n"
            "#define LOCAL_ALIGN __attribute__((aligned(16)))\n",
            b->bm, b->bn, b->bk, b->tm, b->tn, b->bn / b->tn, b->bm / b->tm, b->wg, vec,
            b->bm + pad, b->bn + pad);
        k->local[0] = (size_t)b->wg;
        k->global[0] = (size_t)(ceil_div(g->n, b->bn) * ceil_div(g->m, b->bm)) * k->local[0];
        k->global[1] = (size_t)h->s;
    }
    head(&text, t, h, (int)k->local[0]);
    return gnd__gemm_finish(k, &text,
                            h->rows               ? "matmul_block"
                            : t->cpu              ? "matmul_cpu"
                            : gnd__on_cores(g, t) ? "matmul_cores"
                                                  : "matmul_gpu",
                            dt, t->props, e);
}

/* --- many small products ---------------------------------------------------------------------- */

/* Bytes of local memory for one. */
static int64_t small_bytes(const gnd_gemm *g)
{
    return (int64_t)gnd_dtype_size(gnd__gemm_acc((gnd_dtype)g->dtype)) *
           (g->m * (g->k | 1) + g->k * g->n + g->m * g->n);
}

int gnd__gemm_small(const gnd_gemm *g, const gnd__target *t)
{
    return !t->cpu && g->nbatch >= MANY && g->m <= MOST_SIDE && g->n <= MOST_SIDE && g->k >= 1 &&
           g->k <= MOST_SIDE && g->m * g->n * g->k <= MOST_TERMS && g->a.batch != 0 &&
           g->b.batch != 0 && small_bytes(g) <= ROOM && t->props->max_group >= ITEMS &&
           t->props->local_bytes >= ROOM;
}

static gnd_status small(const gnd_gemm *g, const gnd__target *t, gnd__gemm_kernel *k, gnd_err *e)
{
    const int64_t v[] = {g->nbatch, g->a.batch, g->a.row,   g->a.col, g->b.batch,
                         g->b.row,  g->b.col,   g->c.batch, g->c.row, g->c.col};
    const int64_t tm = g->m < ROWS ? g->m : ROWS, mb = ceil_div(g->m, tm), tn = g->n < WIDE ? 1 : 2,
                  nw = ceil_div(g->n, tn);
    int64_t per = ceil_div(2 * ITEMS, mb * nw);
    gnd__str text = {0};
    while (per > 1 && per * small_bytes(g) > ROOM)
        per--;
    k->name = "k_matmul_small";
    k->nmem = 3;
    k->mem[0] = GND__GEMM_A, k->mem[1] = GND__GEMM_B, k->mem[2] = GND__GEMM_C;
    k->nvalue = (int)(sizeof v / sizeof *v);
    memcpy(k->value, v, sizeof v);
    k->local[0] = ITEMS;
    k->global[0] =
        (size_t)(ceil_div(g->nbatch, per) < 1 << 22 ? ceil_div(g->nbatch, per) : 1 << 22) * ITEMS;
    k->local[1] = k->local[2] = k->global[1] = k->global[2] = 1;
    gnd__gemm_macros(&text, g, (gnd_dtype)g->dtype, t->props->kind != GND_DEV_CPU);
    gnd__str_addf(
        &text,
        "#define SM %d\n#define SK %d\n#define SN %d\n#define PA %d\n#define TM %d\n#define MB %d\n"
        "#define TN %d\n#define NW %d\n"
        "#define PER %d\n#define WG %d\n#define AK %d\n#define BK %d\n",
        (int)g->m, (int)g->k, (int)g->n, (int)(g->k | 1), (int)tm, (int)mb, (int)tn, (int)nw,
        (int)per, ITEMS, g->a.col == 1, g->b.row == 1 && g->b.col != 1);
    gnd__str_addf(&text, "GND_KERNEL %s k_matmul_small(\n",
                  t->props->dialect == GND_DIALECT_CUDA ? "void __launch_bounds__(128)"
                  : t->props->kind == GND_DEV_CPU
                      ? "void"
                      : "__attribute__((reqd_work_group_size(128, 1, 1))) void");
    gnd__str_add(&text, "    GND_CONST_GLOBAL MT *GND_RESTRICT a, const g_i64 oa,\n"
                        "    GND_CONST_GLOBAL MT *GND_RESTRICT b, const g_i64 ob,\n"
                        "    GND_GLOBAL OT *GND_RESTRICT c, const g_i64 oc, const g_i64 NB,\n"
                        "    const g_i64 ab, const g_i64 ar, const g_i64 ac,\n"
                        "    const g_i64 bb, const g_i64 br, const g_i64 bc,\n"
                        "    const g_i64 cb, const g_i64 cr, const g_i64 cc");
    return gnd__gemm_finish(k, &text, "matmul_small", (gnd_dtype)g->dtype, t->props, e);
}

static gnd_status sum(const gnd_gemm *g, const gnd__target *t, const gnd__gemm_shape *h,
                      gnd__gemm_kernel *k, gnd_err *e)
{
    const gnd_dtype dt = (gnd_dtype)g->dtype;
    const int64_t v[] = {g->m, g->n, h->s, g->c.batch, g->c.row, g->c.col, g->nbatch};
    const int group = t->cpu                       ? 1
                      : t->props->max_group >= 256 ? 256
                                                   : 32,
              lanes = !t->cpu && h->s >= 16 ? 8 : 1;
    const int cols = group / lanes;
    gnd__str text = {0};
    k->name = "k_matmul_parts";
    k->nmem = 2;
    k->mem[0] = GND__GEMM_PARTS, k->mem[1] = GND__GEMM_C;
    k->nvalue = 7;
    memcpy(k->value, v, sizeof v);
    k->local[0] = (size_t)(cols * lanes);
    k->local[1] = k->local[2] = 1;
    k->global[0] = (size_t)ceil_div(g->m * g->n, cols) * k->local[0];
    k->global[1] = 1;
    k->global[2] = (size_t)(g->nbatch < 65535 ? g->nbatch : 65535);
    gnd__gemm_macros(&text, g, dt, t->props->kind != GND_DEV_CPU);
    gnd__str_addf(&text,
                  "#define COLS %d\n#define LANES %d\n"
                  "GND_KERNEL void k_matmul_parts(\n"
                  "    GND_CONST_GLOBAL PT *GND_RESTRICT parts, const g_i64 op,\n"
                  "    GND_GLOBAL MT *GND_RESTRICT c, const g_i64 oc,\n"
                  "    const g_i64 M, const g_i64 N, const g_i64 S,\n"
                  "    const g_i64 cb, const g_i64 cr, const g_i64 cc, const g_i64 NB",
                  cols, lanes);
    return gnd__gemm_finish(k, &text, "matmul_parts", dt, t->props, e);
}

double gnd__gemm_clocks(const gnd_gemm *g, const gnd__target *t)
{
    double clocks = -1;
    gnd__target plain = *t;
    plain.capability = 0;
    if (!t->cpu && any_tile(g, &plain))
        (void)gpu_shape(g, &plain, &clocks);
    return clocks;
}

gnd_status gnd__gemm_own(const gnd_gemm *g, const gnd__target *t, gnd__gemm_kernels *out,
                         gnd_err *e)
{
    const gnd_dtype dt = (gnd_dtype)g->dtype;
    /* A device that is too small for all tiles gets the text that needs neither groups nor local
     * memory. */
    gnd__target plain = *t;
    if (gnd__gemm_small(g, t)) {
        memset(out, 0, sizeof *out);
        out->n = 1;
        return small(g, t, &out->k[0], e);
    }
    plain.cpu |= !any_tile(g, t);
    t = &plain;
    double clocks;
    const gnd__gemm_shape h = t->cpu ? cpu_shape(g, t) : gpu_shape(g, t, &clocks);
    gnd_status st;
    memset(out, 0, sizeof *out);
    out->part = gnd__gemm_acc(dt);
    out->n = h.s > 1 ? 2 : 1;
    out->nparts = h.s > 1 ? h.s * g->m * g->n * g->nbatch : 0;
    st = product(g, t, &h, h.s > 1 ? out->part : dt, &out->k[0], e);
    if (st == GND_OK && h.s > 1)
        st = sum(g, t, &h, &out->k[1], e);
    return st;
}

void gnd__gemm_free(gnd__gemm_kernels *g)
{
    for (int i = 0; i < 2; i++)
        gnd__str_free(&g->k[i].src);
}
