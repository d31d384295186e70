/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/small.c - see small.h. A program of one kernel, which notes the first singular matrix: on
 * GPUs in a check, which readers of the result read, on CPUs for the host's look. A matrix of up to
 * 8 x 8 is one work-item's (kernels/small.cl), a larger one that of 16 or 32, each with a row
 * (kernels/small_rows.cl, on GPUs). Beyond these a group makes a Cholesky factor by block columns
 * (kernels/cholesky.cl, on GPUs), in local memory if the triangle fits there.
 */
#include "prim/small.h"

#include <string.h>
#include "base/dtype.h"
#include "base/env.h"
#include "base/measured.h"
#include "codegen/prelude.h"
#include "device/device.h"
#include "host/lapack.h"
#include "prim/prim.h"

enum { N_WHAT, N_BATCH, N_N, N_K };

/* On CPUs: matrices per work-item, and the largest side for which loops are unrolled (memory is as
 * near as registers there, and compiling costs more). On GPUs: bytes of local memory for the
 * matrices of a group; the largest side of a work-item alone, and the work-items of larger ones'
 * groups. Both: the most right sides that are solved one after the other. */
enum { EACH_CPU = 64, UNROLL_CPU = 4, LOCAL = 24 * 1024, MOST_SIDES = 64, ALONE = 8, WARP = 32 };

/* Cholesky's factors by groups: the greatest side, and that where CUDA's library is the other way;
 * the most local memory of a group's matrix, and that for all else; the fewest matrices that do not
 * fit there, as each is the work of one compute unit. */
enum { MOST_GROUP = 256, MOST_GROUP_CUDA = 128, NEAR = 44 * 1024, ROOM = 256, LEAST_FAR = 4 };

/* The columns of a block, and the rows of a group: a power of 2. */
static int64_t block_columns(gnd_dtype t)
{
    return gnd_dtype_size(t) <= 4 ? 8 : 4;
}

static int64_t group_rows(int64_t n)
{
    return n <= 64 ? 64 : n <= 128 ? 128 : 256;
}

/* The elements of the triangle, or 0 if it does not fit into local memory. */
static int64_t triangle(const gnd_props *p, gnd_dtype t, int64_t n)
{
    const int64_t all = n * (n + 1) / 2,
                  bytes = (all + group_rows(n) * block_columns(t)) * (int64_t)gnd_dtype_size(t);
    return bytes <= NEAR && bytes + ROOM <= (int64_t)p->local_bytes ? all : 0;
}

int gnd__small_cholesky(const gnd_device *dev, gnd_dtype t, int64_t nbatch, int64_t n)
{
    const gnd_props *p = &dev->g->props;
    const int cuda = p->dialect == GND_DIALECT_CUDA, near = triangle(p, t, n) > 0;
    return gnd__small_takes(dev, t, nbatch, n, 0) ||
           (!gnd__target_of(p, &dev->g->tune).cpu && n <= (cuda ? MOST_GROUP_CUDA : MOST_GROUP) &&
            (near || (!cuda && nbatch >= LEAST_FAR)) && nbatch <= INT32_MAX / (n + 1) &&
            (int64_t)p->max_group >= group_rows(n) &&
            gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK);
}

int gnd__small_takes(const gnd_device *dev, gnd_dtype t, int64_t nbatch, int64_t n, int64_t k)
{
    const gnd__small_rates *r =
        gnd__measured_small(gnd__target_of(&dev->g->props, &dev->g->tune).cpu);
    return n <= r->side && n * n * (int64_t)gnd_dtype_size(t) <= r->bytes && nbatch >= r->least &&
           nbatch <= INT32_MAX / (n + 1) && k <= MOST_SIDES &&
           (n <= ALONE ||
            (dev->g->props.max_group >= WARP && dev->g->props.local_bytes >= LOCAL)) &&
           gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK;
}

/* The number of values of each result. */
static int64_t values(gnd__small what, int64_t n, int64_t k)
{
    switch (what) {
    case GND__SMALL_FACTORS: return n + 1;
    case GND__SMALL_DET: return 1;
    case GND__SMALL_CHOLESKY:
    case GND__SMALL_INV: return n * n;
    default: return n * k;
    }
}

gnd_array *gnd__small_node(const char *func, gnd__small what, int64_t nbatch, int64_t n, int64_t k,
                           gnd_array *x, gnd_array *b)
{
    gnd__primargs a;
    const int64_t all = nbatch * values(what, n, k);
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_SMALL;
    a.func = func;
    a.mode[0] = a.mode[1] = GND__IN_ONCE;
    a.n[N_WHAT] = what;
    a.n[N_BATCH] = nbatch;
    a.n[N_N] = n;
    a.n[N_K] = k;
    return gnd__prim_node(x->dev, &a, (gnd_dtype)x->dtype, 1, &all, 1 + (b != NULL),
                          (gnd_array *[]){x, b});
}

void gnd__small_arithmetic(gnd__prog *p)
{
    const char *const t = gnd__suffix(p->dtype);
    if (gnd_dtype_kind(p->dtype) == 'c') {
        gnd__pk_def(p, "#define VALUE(v) gnd_cplx_%s(v, 0)\n", t);
        gnd__pk_def(p, "#define MUL(a, b) gnd_mul_%s(a, b)\n#define DIV(a, b) gnd_div_%s(a, b)\n",
                    t, t);
        gnd__pk_def(p, "#define SIZE(z) (fabs((z).x) + fabs((z).y))\n");
        gnd__pk_def(p, "#define NONE(z) ((z).x * 0 + (z).y * 0)\n");
        gnd__pk_def(p, "#define REAL(z) ((z).x)\n#define CONJ(z) gnd_conj_%s(z)\n", t);
        gnd__pk_def(p, "#define SQUARE(z) ((z).x * (z).x + (z).y * (z).y)\n");
        gnd__pk_def(p, "#define OVER(z, d) gnd_cplx_%s((z).x / (d), (z).y / (d))\n", t);
        gnd__pk_def(p, "#define SCALE(z, f) gnd_cplx_%s((z).x * (f), (z).y * (f))\n", t);
        gnd__pk_def(p, "#define LESS(z, a, b) ((z) - gnd_mul_%s(a, b))\n", t);
    } else {
        gnd__pk_def(p, "#define VALUE(v) ((%s)(v))\n", gnd__ctype_value(p->dtype));
        gnd__pk_def(p, "#define MUL(a, b) ((a) * (b))\n#define DIV(a, b) ((a) / (b))\n");
        gnd__pk_def(p, "#define SIZE(z) fabs(z)\n#define NONE(z) ((z) * 0)\n");
        gnd__pk_def(p, "#define REAL(z) (z)\n#define CONJ(z) (z)\n#define SQUARE(z) ((z) * (z))\n");
        gnd__pk_def(p, "#define OVER(z, d) ((z) / (d))\n#define SCALE(z, f) ((z) * (f))\n");
        gnd__pk_def(p, "#define LESS(z, a, b) fma(-(a), b, z)\n");
    }
}

/* The macros of cholesky_batch for n x n matrices. Few matrices get more work-items for the part on
 * the right of a block column. Returns the size of a group. */
static size_t cholesky_macros(gnd__prog *p, int64_t batch, int64_t n, int64_t space)
{
    const int few = batch <= 2 * (int64_t)p->t->props->compute_units;
    const int64_t rows = group_rows(n);
    const size_t group = gnd__prog_group(p, (size_t)(rows * (few ? 4 : n > 128 ? 1 : 2)));
    gnd__pk_def(p, "#define N %d\n#define WIDE %d\n#define SPACE %d\n", (int)n,
                (int)block_columns(p->dtype), (int)space);
    gnd__pk_def(p, "#define ROWS %d\n#define GROUP %d\n#define TEAMS %d\n", (int)rows, (int)group,
                (int)((int64_t)group / rows));
    gnd__pk_unroll(p);
    gnd__small_arithmetic(p);
    return group;
}

static void cholesky(gnd__prog *p, int64_t batch, int64_t n)
{
    const int64_t space = triangle(p->t->props, p->dtype, n),
                  bytes = batch * n * n * (int64_t)gnd_dtype_size(p->dtype);
    gnd__pk_begin(p, "k_cholesky");
    const size_t group = cholesky_macros(p, batch, n, space);
    gnd__pk_def(p,
                "#define ROW(k) ((k) / N)\n#define COL(k) ((k) %% N)\n"
                "#define REFUSE(unsound, none) gnd_firstbad_i32(bad, (int)GND_GRP(0) * (N + 1) + "
                "((unsound) ? N : (none)));\n");
    gnd__pk_def(p, "#define PUT(k, i, c) gnd_st_%s(y, k, (c) <= (i) ? S(i, c) : VALUE(0));\n",
                gnd__suffix(p->dtype));
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", 0);
    gnd__pk_check(p, "bad");
    if (!space)
        gnd__pk_mem(p, "space", gnd__prog_scratch(p, bytes), p->dtype);
    gnd__pk_body(p, "cholesky_batch", p->dtype);
    gnd__pk_end1(p, batch, group, gnd__prog_reads(p, 0) / 2, bytes);
}

int64_t gnd__small_block_side(const gnd_props *p, gnd_dtype t)
{
    enum { LEAST = 32, STEP = 32, MOST = 128 };
    int64_t n = MOST;
    while (n > LEAST && (triangle(p, t, n) == 0 || (int64_t)p->max_group < group_rows(n)))
        n -= STEP;
    return n;
}

void gnd__small_block(gnd__prog *p, gnd__pmem a, int64_t ld, int64_t n, int64_t first,
                      int64_t matrix)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype);
    gnd__pk_begin(p, "k_factor");
    const size_t group = cholesky_macros(p, 1, n, triangle(p->t->props, p->dtype, n));
    gnd__pk_def(p, "#define ROW(k) ((k) %% N)\n#define COL(k) ((k) / N)\n");
    gnd__pk_def(p, "#define IN_x(k) gnd_ld_%s(y, begin + ROW(k) + COL(k) * ld)\n",
                gnd__suffix(p->dtype));
    gnd__pk_def(
        p, "#define PUT(k, i, c) if ((c) <= (i)) gnd_st_%s(y, begin + (i) + (c) * ld, S(i, c));\n",
        gnd__suffix(p->dtype));
    gnd__pk_def(p, "#define REFUSE(unsound, none) if ((none) >= 0 && check[0] == 0) { "
                   "check[0] = 1; check[1] = (g_i32)matrix; check[2] = (g_i32)(matrix >> 32); "
                   "check[3] = (g_i32)before + (none) + 1; }\n");
    gnd__pk_operand(p, "y", "begin", a);
    gnd__pk_check(p, "check");
    gnd__pk_int(p, "ld", ld);
    gnd__pk_int(p, "before", first);
    gnd__pk_int(p, "matrix", matrix);
    gnd__pk_body(p, "cholesky_batch", p->dtype);
    gnd__pk_end1(p, 1, group, n * n * size / 2, n * n * size / 2);
}

void gnd__prim_small(gnd__prog *p)
{
    const gnd__small what = (gnd__small)p->args->n[N_WHAT];
    const int64_t batch = p->args->n[N_BATCH], n = p->args->n[N_N], k = p->args->n[N_K];
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype);
    const int apart = n > ALONE, lanes = n > WARP / 2 ? WARP : WARP / 2;
    const int64_t pitch = (apart ? n : n * n) | 1;
    const int fails = what != GND__SMALL_FACTORS && what != GND__SMALL_DET;
    const int looks = fails && p->t->cpu;
    const int bad = looks ? gnd__prog_scratch(p, (int64_t)sizeof(int32_t)) : -1;
    size_t group = 1;
    if (what == GND__SMALL_CHOLESKY && n > WARP) {
        cholesky(p, batch, n);
        return;
    }
    if (apart) {
        group = WARP;
    } else if (!p->t->cpu) {
        group = gnd__prog_group(p, 128);
        while (group > 1 && (int64_t)group * pitch * size > LOCAL)
            group /= 2;
    }
    if (looks)
        gnd__prog_fill(p, bad, GND_INT32, 1, "0");
    gnd__pk_begin(p, "k_small");
    gnd__pk_def(p, "#define N %d\n#define K %d\n#define WHAT %d\n", (int)n,
                (int)(what == GND__SMALL_INV ? n : k), (int)what);
    gnd__pk_def(p, "#define UNROLL %s\n", p->t->cpu && n > UNROLL_CPU ? "" : "_Pragma(\"unroll\")");
    gnd__pk_def(p, "#define GROUP %d\n#define PITCH %d\n#define EACH %d\n",
                p->t->cpu ? 0 : (int)group, (int)pitch, EACH_CPU);
    if (apart)
        gnd__pk_def(p, "#define LANES %d\n#define PER %d\n", lanes, WARP / lanes);
    gnd__small_arithmetic(p);
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", 0);
    if (what == GND__SMALL_SOLVE)
        gnd__pk_in(p, "b", 1);
    if (looks)
        gnd__pk_mem(p, "bad", bad, GND_INT32);
    else if (fails)
        gnd__pk_check(p, "bad");
    gnd__pk_int(p, "batch", batch);
    gnd__pk_body(p, apart ? "small_rows" : "small", p->dtype);
    const int64_t each = apart ? WARP / lanes : p->t->cpu ? EACH_CPU : (int64_t)group;
    gnd__pk_end1(p, (batch + each - 1) / each, group,
                 gnd__prog_reads(p, 0) + (p->nin > 1 ? gnd__prog_reads(p, 1) : 0), p->size * size);
    if (looks) {
        const gnd__panel look = {.kind = GND__PANEL_SINGULAR,
                                 .dtype = GND_INT32,
                                 .strict = what == GND__SMALL_CHOLESKY,
                                 .rows = 1,
                                 .cols = 1,
                                 .ld = n + 1};
        gnd__prog_panel(p, &look, 1, &(gnd__pmem){GND__PA_SCRATCH, bad, 0});
    }
}

gnd_status gnd__small_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e)
{
    return gnd__solve_first(a->n[N_WHAT] == GND__SMALL_CHOLESKY, a->n[N_N] + 1, INT32_MAX - word[0],
                            e);
}
