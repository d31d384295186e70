/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked_parts.c - see blocked_priv.h. Products are a library's, or our own kernels' where
 * the device does all of a decomposition. Triangular systems are solved recursively by halves (a
 * product applies the known half to the other) down to a kernel that substitutes. No block is
 * inverted, so errors are those of LAPACK.
 */
#include "prim/blocked_priv.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "prim/small.h"

gnd_gemm gnd__blocked_gemm(uint32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k,
                           double alpha, int64_t lda, int64_t ldb, double beta, int64_t ldc)
{
    gnd_gemm g;
    memset(&g, 0, sizeof g);
    g.dtype = dtype;
    g.m = n, g.n = m, g.k = k, g.nbatch = 1;
    g.a.row = tb ? 1 : ldb, g.a.col = tb ? ldb : 1;
    g.b.row = ta ? 1 : lda, g.b.col = ta ? lda : 1;
    g.c.row = ldc, g.c.col = 1;
    g.alpha = alpha, g.beta = beta;
    return g;
}

gnd__mtx gnd__blocked_from(const gnd__blocked_work *w, gnd__mtx a, int64_t i, int64_t j)
{
    a.at.off += (i + j * a.ld) * w->size;
    return a;
}

void gnd__blocked_product(gnd__blocked_work *w, int ta, int tb, int64_t m, int64_t n, int64_t k,
                          double alpha, gnd__mtx a, gnd__mtx b, double beta, gnd__mtx c)
{
    const gnd_gemm g =
        gnd__blocked_gemm(w->s->dtype, ta, tb, m, n, k, alpha, a.ld, b.ld, beta, c.ld);
    const gnd__pmem mem[3] = {b.at, a.at, c.at};
    if (m <= 0 || n <= 0 || k <= 0)
        return;
    if (w->device)
        gnd__prog_product(w->p, &g, mem, &w->parts);
    else
        gnd__prog_gemm(w->p, &g, mem);
}

void gnd__blocked_end(gnd__blocked_work *w, const char *text, int64_t n, size_t local,
                      int64_t bytes)
{
    gnd__pk_body(w->p, text, w->t);
    gnd__pk_end1(w->p, (n + (int64_t)local - 1) / (int64_t)local, local, bytes, bytes);
}

void gnd__blocked_swaps(gnd__blocked_work *w, gnd__mtx a, int64_t n, int64_t from_col, int64_t skip,
                        int pivots, int64_t at, int64_t first, int64_t count)
{
    if (n - skip <= 0)
        return;
    gnd__pk_begin(w->p, "k_swap");
    gnd__pk_operand(w->p, "y", "begin", a.at);
    gnd__pk_mem(w->p, "pivot", pivots, GND_INT32);
    gnd__pk_int(w->p, "ld", a.ld);
    gnd__pk_int(w->p, "n", n - skip);
    gnd__pk_int(w->p, "from", from_col);
    gnd__pk_int(w->p, "skip", skip);
    gnd__pk_int(w->p, "at", at);
    gnd__pk_int(w->p, "first", first);
    gnd__pk_int(w->p, "count", count);
    gnd__blocked_end(w, "solve_swap", n - skip, gnd__prog_group(w->p, 64),
                     2 * (n - skip) * count * w->size);
}

void gnd__blocked_take(gnd__blocked_work *w, const char *name, gnd__mtx y, gnd__mtx x, int64_t rows,
                       int64_t count, int conj)
{
    if (count <= 0)
        return;
    gnd__pk_begin(w->p, name);
    gnd__pk_def(w->p, conj ? "#define PART(v) gnd_conj_%s(v)\n" : "#define PART(v) (v)\n",
                w->t == GND_COMPLEX64 ? "c64" : "c128");
    gnd__pk_operand(w->p, "y", "begin", y.at);
    gnd__pk_operand(w->p, "x", "begin_x", x.at);
    gnd__pk_int(w->p, "rows", rows);
    gnd__pk_int(w->p, "ld", y.ld);
    gnd__pk_int(w->p, "ldx", x.ld);
    gnd__pk_int(w->p, "n", count);
    gnd__blocked_end(w, "solve_take", count, gnd__prog_group(w->p, 256), count * w->size);
}

/* Solves at most GND__BLOCKED_ROWS rows by tiles of LEAF. An upper triangle is a lower one read
 * from its end. */
static void leaf(gnd__blocked_work *w, const gnd__tri *t, int64_t i, int64_t n, gnd__mtx b,
                 int64_t k)
{
    const size_t local = gnd__prog_group(w->p, 64);
    const int64_t last = t->upper ? i + n - 1 : i, way = t->upper ? -1 : 1;
    gnd__mtx x = t->right ? gnd__blocked_from(w, b, 0, i) : gnd__blocked_from(w, b, last, 0);
    gnd__pmem a = t->at;
    a.off += last * (t->row + t->col) * w->size;
    gnd__pk_begin(w->p, "k_substitute");
    gnd__pk_def(w->p, "#define LEAF %d\n#define PITCH %d\n#define GROUP %d\n#define ALONG %d\n",
                GND__BLOCKED_LEAF, GND__BLOCKED_LEAF + 1, (int)local, t->row == 1);
    gnd__pk_unroll(w->p);
    gnd__small_arithmetic(w->p);
    gnd__pk_operand(w->p, "a", "begin_a", a);
    gnd__pk_operand(w->p, "y", "begin", x.at);
    gnd__pk_int(w->p, "row", way * t->row);
    gnd__pk_int(w->p, "col", way * t->col);
    gnd__pk_int(w->p, "step", t->right ? b.ld : way);
    gnd__pk_int(w->p, "ld", t->right ? 1 : b.ld);
    gnd__pk_int(w->p, "rows", n);
    gnd__pk_int(w->p, "n", k);
    gnd__pk_int(w->p, "unit", t->unit);
    gnd__blocked_end(w, "solve_leaf", k, local, n * (n + k) * w->size);
}

void gnd__blocked_triangle(gnd__blocked_work *w, const gnd__tri *t, int64_t i, int64_t n,
                           gnd__mtx b, int64_t k)
{
    if (n <= GND__BLOCKED_ROWS) {
        leaf(w, t, i, n, b, k);
        return;
    }
    const int64_t half = (n / 2 + GND__BLOCKED_ROWS - 1) / GND__BLOCKED_ROWS * GND__BLOCKED_ROWS,
                  mid = i + half, rest = n - half;
    gnd__mtx off = {t->at, t->ld};
    const int trans = t->row != 1;
    if (t->right) {
        gnd__blocked_triangle(w, t, i, half, b, k);
        off.at.off += (mid * t->row + i * t->col) * w->size;
        gnd__blocked_product(w, 0, 1, k, rest, half, -1, gnd__blocked_from(w, b, 0, i), off, 1,
                             gnd__blocked_from(w, b, 0, mid));
        gnd__blocked_triangle(w, t, mid, rest, b, k);
    } else if (!t->upper) {
        gnd__blocked_triangle(w, t, i, half, b, k);
        off.at.off += (mid * t->row + i * t->col) * w->size;
        gnd__blocked_product(w, trans, 0, rest, k, half, -1, off, gnd__blocked_from(w, b, i, 0), 1,
                             gnd__blocked_from(w, b, mid, 0));
        gnd__blocked_triangle(w, t, mid, rest, b, k);
    } else {
        gnd__blocked_triangle(w, t, mid, rest, b, k);
        off.at.off += (i * t->row + mid * t->col) * w->size;
        gnd__blocked_product(w, trans, 0, half, k, rest, -1, off, gnd__blocked_from(w, b, mid, 0),
                             1, gnd__blocked_from(w, b, i, 0));
        gnd__blocked_triangle(w, t, i, half, b, k);
    }
}
