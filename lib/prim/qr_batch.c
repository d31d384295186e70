/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/qr_batch.c - the QR decomposition of many small matrices on a GPU: each group of work-items
 * makes R and Q of one matrix by reflections (kernels/qr.cl), in local memory if the matrix fits
 * there, else in scratch memory. Libraries have no such routine for Q, and process one matrix after
 * the other.
 */
#include "prim/qr_batch.h"

#include <string.h>
#include "base/dtype.h"
#include "base/env.h"
#include "codegen/prelude.h"

/* At least LEAST matrices of at most MOST_ROWS x MOST_COLS elements. Local memory for one is a
 * multiple of STEP bytes. */
enum { LEAST = 8, MOST_ROWS = 512, MOST_COLS = 256, STEP = 4096 };

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The number of columns of Q. */
static int64_t columns(const gnd_solve_desc *s)
{
    return s->flags & 1 ? s->m : s->m < s->n ? s->m : s->n;
}

int gnd__qr_batch_takes(const gnd__gdev *g, const gnd_solve_desc *s)
{
    const gnd_props *p = &g->props;
    return s->op == GND_SOLVE_QR && !gnd__target_of(p, &g->tune).cpu && s->nbatch >= LEAST &&
           s->m <= MOST_ROWS && greater(s->n, columns(s)) <= MOST_COLS && p->max_group >= 64 &&
           p->max_local[0] >= 64 && p->local_bytes >= 32 * 1024 &&
           gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK;
}

static int64_t power_from(int64_t n, int64_t least)
{
    int64_t p = least;
    while (p < n)
        p *= 2;
    return p;
}

static void memory(gnd__prog *p, const char *name, gnd__pmem m)
{
    if (m.kind == GND__PA_SCRATCH)
        gnd__pk_mem(p, name, m.ref, p->dtype);
    else
        gnd__pk_out(p, name);
}

void gnd__qr_batch(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem)
{
    const int64_t m = s->m, n = s->n, cols = columns(s), wide = greater(n, cols);
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype), rows = power_from(m, 32),
                  most = power_from(wide, 32);
    const int64_t pitch = wide | 1, lanes = power_from(wide, 8) < 128 ? power_from(wide, 8) : 128;
    const int64_t work = m * wide, want = work <= 512    ? 64
                                          : work <= 2048 ? 128
                                          : work <= 8192 ? 256
                                                         : 512;
    const size_t group = gnd__prog_group(p, (size_t)greater(lanes, want));
    const int64_t space = (m * pitch * size + STEP - 1) / STEP * STEP;
    const int64_t others = (rows + most + (int64_t)group + 32) * size + 4 * most;
    const int here = others + space <= (int64_t)p->t->props->local_bytes;
    const int complex = gnd_dtype_kind(p->dtype) == 'c';
    const char *const t = gnd__suffix(p->dtype), *const r = gnd__suffix(gnd__real_of(p->dtype));
    gnd__pk_begin(p, "k_qr");
    gnd__pk_def(p, "#define GROUP %d\n", (int)group);
    gnd__pk_def(p, "#define LANES %d\n", (int)(lanes < (int64_t)group ? lanes : (int64_t)group));
    gnd__pk_def(p, "#define ROWS %d\n#define COLS %d\n", (int)rows, (int)most);
    gnd__pk_def(p, "#define SPACE %d\n", here ? (int)(space / size) : 0);
    if (complex) {
        gnd__pk_def(p, "#define VALUE(v) gnd_cplx_%s(v, 0)\n#define REAL(z) ((z).x)\n", t);
        gnd__pk_def(p, "#define MUL(a, b) gnd_mul_%s(a, b)\n#define DIV(a, b) gnd_div_%s(a, b)\n",
                    t, t);
        gnd__pk_def(
            p, "#define CONJ(z) gnd_conj_%s(z)\n#define SIZE(z) fmax(fabs((z).x), fabs((z).y))\n",
            t);
        gnd__pk_def(p, "#define SQUARE(z) ((z).x * (z).x + (z).y * (z).y)\n");
        gnd__pk_def(p, "#define STANDS(z, rest) ((rest) == 0 && (z).y == 0)\n");
        gnd__pk_def(
            p, "#define SCALED(z, e) gnd_cplx_%s(gnd_ldexp_%s((z).x, e), gnd_ldexp_%s((z).y, e))\n",
            t, r, r);
    } else {
        gnd__pk_def(p, "#define VALUE(v) ((%s)(v))\n", gnd__ctype_value(p->dtype));
        gnd__pk_def(p, "#define REAL(z) (z)\n#define STANDS(z, rest) ((rest) == 0)\n");
        gnd__pk_def(
            p,
            "#define MUL(a, b) ((a) * (b))\n#define DIV(a, b) ((a) / (b))\n#define CONJ(z) (z)\n");
        gnd__pk_def(p, "#define SIZE(z) fabs(z)\n#define SQUARE(z) ((z) * (z))\n");
        gnd__pk_def(p, "#define SCALED(z, e) gnd_ldexp_%s(z, e)\n", t);
    }
    gnd__pk_in(p, "x", 0);
    memory(p, "y", mem[0]);
    gnd__pk_int(p, "begin", mem[0].off / size);
    memory(p, "r", mem[1]);
    gnd__pk_int(p, "begin_r", mem[1].off / size);
    if (!here)
        gnd__pk_mem(p, "space", gnd__prog_scratch(p, s->nbatch * m * pitch * size), p->dtype);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "cols", cols);
    gnd__pk_int(p, "rows_r", s->flags & 1 ? m : m < n ? m : n);
    gnd__pk_int(p, "room", s->flags & 1 && m > n ? m : n);
    gnd__pk_int(p, "pitch", pitch);
    gnd__pk_body(p, "qr_batch", p->dtype);
    gnd__pk_end1(p, s->nbatch, group, gnd__prog_reads(p, 0), s->nbatch * (m + n) * wide * size);
}
