/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked.c - Cholesky, LU, QR, systems and triangular systems of large matrices (or as
 * GND_SOLVER selects) on a GPU whose backend has no library for them. It uses LAPACK's
 * right-looking algorithms: the host factors a panel of some columns (host/panel.h) and the device
 * does the rest, most of the arithmetic, by matrix products of its library. So a matrix is neither
 * transferred to the host as a whole nor decomposed there.
 *
 * Matrices are in Fortran order: element (i, j) at i + j ld. Triangular systems are solved
 * recursively by halves (a product applies the known half to the other) down to a kernel for LEAF
 * rows, which substitutes. No block is inverted, so errors are those of LAPACK.
 */
#include "prim/blocked.h"

#include <string.h>
#include "base/dtype.h"
#include "base/env.h"
#include "host/lapack.h"
#include "prim/panels.h"
#include "prim/reflect.h"
#include "prim/small.h"

/* Columns of a panel, and of small matrices, so that these have several. LEAF: the kernel's matrix
 * is in local memory, its column in registers. LEAST: the order from which it was faster than
 * LAPACK on 16 cores, on an H200 by OpenCL and CLBlast (for 4096 in float32: 2.8 times with
 * Cholesky, 2.4 with LU, 6 with QR, 4 with inverses); LEAST_CHOLESKY: up to this order the host is
 * fast enough; LEAST_SIDES: right sides of triangles. MOST: matrices of a batch, as each is worked
 * on alone. STRIPS: the triangle that Cholesky updates is covered by so many products. */
enum {
    PANEL = 128,
    PANEL_SMALL = 48,
    LEAF = 32,
    BLOCK = 128,
    PANEL_LESS = 64,
    LEAST = 1024,
    LEAST_DEVICE = 257,
    LEAST_TALL = 32,
    TALL = 4,
    LARGE = 1 << 17,
    LEAST_CHOLESKY = 2048,
    LEAST_SIDES = 256,
    MOST = 16,
    STRIPS = 8,
    STRIPS_DEVICE = 4
};

/* C = alpha op(A) op(B) + beta C in Fortran order; C is m x n; ta and tb: the operand is
 * transposed. Libraries take C in C order, so they get C^T = op(B)^T op(A)^T. */
static gnd_gemm product_of(uint32_t dtype, int ta, int tb, int64_t m, int64_t n, int64_t k,
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

/* Whether the device does all of s: then its panels need no host, and products no library. */
static int on_device(const gnd__gdev *d, const gnd_solve_desc *s)
{
    const gnd__target t = gnd__target_of(&d->props, &d->tune);
    const int lu = s->op == GND_SOLVE_LU || s->op == GND_SOLVE_SOLVE;
    return gnd__panels_take(&t, (gnd_dtype)s->dtype, lu ? s->m : 1) &&
           (s->op != GND_SOLVE_QR || gnd__reflect_takes(&t, (gnd_dtype)s->dtype, s->m));
}

int gnd__blocked_takes(gnd__gdev *d, const gnd_solve_desc *s)
{
    const int64_t q = s->m < s->n ? s->m : s->n;
    const int way = gnd__env_choice(GND__ENV_SOLVER, GND__SOLVER_LARGE),
              force = way == GND__SOLVER_BLOCKED;
    const int device = on_device(d, s);
    int yes = 0, own = 0;
    if (way == GND__SOLVER_LAPACK || gnd__lapack_dtype(s->dtype) < 0)
        return 0;
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY: yes = s->n >= (device ? LEAST_DEVICE : LEAST_CHOLESKY); break;
    case GND_SOLVE_LU: yes = q >= (device ? LEAST_DEVICE : LEAST); break;
    case GND_SOLVE_QR:
        yes = q >= (device ? LEAST_DEVICE : LEAST) ||
              (device && q >= LEAST_TALL && s->m >= TALL * s->n && s->m * s->n >= LARGE &&
               gnd__real_of((gnd_dtype)s->dtype) == GND_FLOAT64);
        break;
    case GND_SOLVE_SOLVE: yes = s->n >= (device ? LEAST_DEVICE : LEAST); break;
    case GND_SOLVE_TRIANGULAR:
        yes = device ? s->n >= LEAST_DEVICE : s->n >= LEAST && s->k >= LEAST_SIDES;
        break;
    default: return 0;
    }
    if (s->op == GND_SOLVE_QR ? s->flags & 2 : s->op != GND_SOLVE_TRIANGULAR && s->flags)
        return 0;
    if (s->nbatch > MOST || (!force && (!yes || gnd__gate_can_map(d))))
        return 0;
    if (gnd__gate_solver_supports(d, s, &own, NULL) != GND_OK || own)
        return 0;
    if (device)
        return 1;
    if (s->op != GND_SOLVE_TRIANGULAR && !gnd__lapack_library())
        return 0;
    const gnd_gemm g =
        product_of(s->dtype, 1, 0, q, q, LEAF, -1, s->m + LEAF, s->n + LEAF, 1, s->m + LEAF);
    yes = 0;
    return gnd__gate_gemm_supports(d, &g, &yes, NULL) == GND_OK && yes;
}

int gnd__blocked_device(gnd__gdev *d, const gnd_solve_desc *s)
{
    return gnd__blocked_takes(d, s) && on_device(d, s);
}

/* --- the parts of a program ------------------------------------------------------------------- */

/* One matrix on the device. */
typedef struct mtx {
    gnd__pmem at;
    int64_t ld;
} mtx;

typedef struct work {
    gnd__prog *p;
    const gnd_solve_desc *s;
    gnd_dtype t;
    int64_t size, panel;
    int complex, device, parts; /* parts: of products on the device */
} work;

static mtx from(const work *w, mtx a, int64_t i, int64_t j)
{
    a.at.off += (i + j * a.ld) * w->size;
    return a;
}

static void product(work *w, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, mtx a,
                    mtx b, double beta, mtx c)
{
    const gnd_gemm g = product_of(w->s->dtype, ta, tb, m, n, k, alpha, a.ld, b.ld, beta, c.ld);
    const gnd__pmem mem[3] = {b.at, a.at, c.at};
    if (m <= 0 || n <= 0 || k <= 0)
        return;
    if (w->device)
        gnd__prog_product(w->p, &g, mem, &w->parts);
    else
        gnd__prog_gemm(w->p, &g, mem);
}

static void end(work *w, const char *text, int64_t n, size_t local, int64_t bytes)
{
    gnd__pk_body(w->p, text, w->t);
    gnd__pk_end1(w->p, (n + (int64_t)local - 1) / (int64_t)local, local, bytes, bytes);
}

/* Exchanges rows first, first + 1 ... of matrix a, which has n columns, with the rows in `pivots`,
 * from number `at` on. Leaves out skip columns from column `from_col` on. */
static void swaps(work *w, mtx a, int64_t n, int64_t from_col, int64_t skip, int pivots, int64_t at,
                  int64_t first, int64_t count)
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
    end(w, "solve_swap", n - skip, gnd__prog_group(w->p, 64), 2 * (n - skip) * count * w->size);
}

/* Copies count elements of x, or their conjugates, in columns of `rows`, to y. */
static void take(work *w, const char *name, mtx y, mtx x, int64_t rows, int64_t count, int conj)
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
    end(w, "solve_take", count, gnd__prog_group(w->p, 256), count * w->size);
}

/* A triangle t: element (i, j) of the factor of x is at i row + j col, and only elements below (or
 * above) the diagonal are read. right: x t^T = b with a lower triangle, instead of t x = b. */
typedef struct tri {
    gnd__pmem at;
    int64_t row, col, ld;
    int upper, unit, right;
} tri;

/* Solves at most BLOCK rows by tiles of LEAF. An upper triangle is a lower one read from its end. */
static void leaf(work *w, const tri *t, int64_t i, int64_t n, mtx b, int64_t k)
{
    const size_t local = gnd__prog_group(w->p, 64);
    const int64_t last = t->upper ? i + n - 1 : i, way = t->upper ? -1 : 1;
    mtx x = t->right ? from(w, b, 0, i) : from(w, b, last, 0);
    gnd__pmem a = t->at;
    a.off += last * (t->row + t->col) * w->size;
    gnd__pk_begin(w->p, "k_substitute");
    gnd__pk_def(w->p, "#define LEAF %d\n#define PITCH %d\n#define GROUP %d\n#define ALONG %d\n",
                LEAF, LEAF + 1, (int)local, t->row == 1);
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
    end(w, "solve_leaf", k, local, n * (n + k) * w->size);
}

/* Solves t x = b for rows i to i + n; x replaces b, which has k columns (right: rows). The depth of
 * the recursion is the logarithm of n. */
static void triangle(work *w, const tri *t, int64_t i, int64_t n, mtx b, int64_t k)
{
    if (n <= BLOCK) {
        leaf(w, t, i, n, b, k);
        return;
    }
    const int64_t half = (n / 2 + BLOCK - 1) / BLOCK * BLOCK, mid = i + half, rest = n - half;
    mtx off = {t->at, t->ld};
    const int trans = t->row != 1;
    if (t->right) {
        triangle(w, t, i, half, b, k);
        off.at.off += (mid * t->row + i * t->col) * w->size;
        product(w, 0, 1, k, rest, half, -1, from(w, b, 0, i), off, 1, from(w, b, 0, mid));
        triangle(w, t, mid, rest, b, k);
    } else if (!t->upper) {
        triangle(w, t, i, half, b, k);
        off.at.off += (mid * t->row + i * t->col) * w->size;
        product(w, trans, 0, rest, k, half, -1, off, from(w, b, i, 0), 1, from(w, b, mid, 0));
        triangle(w, t, mid, rest, b, k);
    } else {
        triangle(w, t, mid, rest, b, k);
        off.at.off += (i * t->row + mid * t->col) * w->size;
        product(w, trans, 0, half, k, rest, -1, off, from(w, b, mid, 0), 1, from(w, b, i, 0));
        triangle(w, t, i, half, b, k);
    }
}

/* --- the decompositions ----------------------------------------------------------------------- */

static gnd__panel panel_of(const work *w, gnd__panel_kind kind, int64_t rows, int64_t cols,
                           int64_t ld, int64_t first, int64_t matrix)
{
    gnd__panel x;
    memset(&x, 0, sizeof x);
    x.kind = kind, x.dtype = w->s->dtype;
    x.rows = rows, x.cols = cols, x.ld = ld;
    x.first = first, x.matrix = matrix;
    return x;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The host only gets the diagonal block: transferring a few columns of that many rows would take
 * longer. conj: memory for a panel's conjugates, for complex dtypes; L^H is their transpose. */
static void cholesky(work *w, mtx a, int64_t b, int block, int conj)
{
    const int64_t n = w->s->n;
    for (int64_t j = 0; j < n; j += w->panel) {
        const int64_t c = lesser(w->panel, n - j), rest = n - j - c,
                      even = rest / (w->device ? STRIPS_DEVICE : STRIPS) + 1;
        const int64_t step = even < c ? c : even;
        const gnd__panel x = panel_of(w, GND__PANEL_CHOLESKY, c, c, c, j, b);
        const mtx d = {{GND__PA_SCRATCH, block, 0}, c}, here = from(w, a, j, j),
                  l = from(w, a, j + c, j);
        const mtx other = {{GND__PA_SCRATCH, conj, 0}, rest}, lh = w->complex ? other : l;
        const mtx own = w->complex || !w->device ? d : here;
        const tri t = {own.at, 1, own.ld, own.ld, 0, 0, 1};
        if (w->device) {
            gnd__small_block(w->p, here.at, here.ld, c, j, b);
        } else {
            take(w, "k_take", d, here, c, c * c, 0);
            gnd__prog_panel(w->p, &x, 1, &d.at);
            take(w, "k_put", here, d, c, c * c, 0);
        }
        if (rest == 0)
            return;
        if (w->complex)
            take(w, "k_conjugate", d, here, c, c * c, 1);
        triangle(w, &t, 0, c, l, rest);
        if (w->complex)
            take(w, "k_conjugate", lh, l, rest, rest * c, 1);
        for (int64_t i = 0; i < rest; i += step)
            product(w, 0, 1, rest - i, lesser(step, rest - i), c, -1, from(w, l, i, 0),
                    from(w, lh, i, 0), 1, from(w, a, j + c + i, j + c + i));
    }
}

static gnd__lu_panel lu_panel(const work *w, mtx block, int64_t rows, int64_t cols, int64_t first,
                              int64_t b, int pivots, int64_t at, int strict)
{
    (void)w;
    return (gnd__lu_panel){.a = block.at,
                           .ld = block.ld,
                           .rows = rows,
                           .cols = cols,
                           .first = first,
                           .matrix = b,
                           .at = at,
                           .pivots = pivots,
                           .strict = strict};
}

/* strict: the matrix of a system. Its pivots begin at number `at` of that scratch memory. */
static void lu(work *w, mtx a, int64_t m, int64_t n, int64_t b, int pivots, int64_t at, int strict)
{
    const int64_t q = lesser(m, n);
    for (int64_t j = 0; j < q; j += w->panel) {
        const int64_t c = lesser(w->panel, q - j), right = n - j - c;
        const mtx block = from(w, a, j, j), beside = from(w, a, j, j + c);
        const tri l = {block.at, 1, a.ld, a.ld, 0, 1, 0};
        gnd__panel x = panel_of(w, GND__PANEL_LU, m - j, c, m, j, b);
        const gnd__lu_panel own = lu_panel(w, block, m - j, c, j, b, pivots, at + j, strict);
        const gnd__pmem mem[2] = {block.at,
                                  {GND__PA_SCRATCH, pivots, (at + j) * (int64_t)sizeof(int32_t)}};
        x.strict = strict;
        if (w->device) {
            gnd__panel_lu(w->p, &own);
            gnd__panel_exchange(w->p, &own, from(w, a, j, 0).at, a.ld, n - c, j, c);
        } else {
            gnd__prog_panel(w->p, &x, 2, mem);
            swaps(w, a, n, j, c, pivots, at + j, j, c);
        }
        if (right == 0)
            continue;
        triangle(w, &l, 0, c, beside, right);
        product(w, 0, 0, m - j - c, right, c, -1, from(w, a, j + c, j), beside, 1,
                from(w, a, j + c, j + c));
    }
}

static void system_of(work *w, mtx a, mtx x, int64_t b, int pivots)
{
    const int64_t n = w->s->n, k = w->s->k;
    const tri l = {a.at, 1, n, n, 0, 1, 0}, u = {a.at, 1, n, n, 1, 0, 0};
    lu(w, a, n, n, b, pivots, 0, 1);
    for (int64_t j = 0; j < n && w->device; j += w->panel) {
        const gnd__lu_panel own =
            lu_panel(w, a, n - j, lesser(w->panel, n - j), j, b, pivots, j, 1);
        gnd__panel_exchange(w->p, &own, from(w, x, j, 0).at, x.ld, k, k, 0);
    }
    if (!w->device)
        swaps(w, x, k, 0, 0, pivots, 0, 0, n);
    triangle(w, &l, 0, n, x, k);
    triangle(w, &u, 0, n, x, k);
}

/* The reflectors of one panel, and memory for two products with them. */
typedef struct reflectors {
    mtx v, vc, t, tc, w1, w2;
    int64_t rows, cols, first;
} reflectors;

/* Computes C = (1 - V T V^H) C or, if back, C = (1 - V T^H V^H) C. C has r->rows rows. */
static void reflect(work *w, const reflectors *r, int back, mtx c, int64_t n)
{
    product(w, 1, 0, r->cols, n, r->rows, 1, r->vc, c, 0, r->w1);
    product(w, back, 0, r->cols, n, r->cols, 1, back ? r->tc : r->t, r->w1, 0, r->w2);
    product(w, 0, 0, r->rows, n, r->cols, -1, r->v, r->w2, 1, c);
}

static reflectors reflectors_of(const work *w, int64_t j, int v, int t, int products, int64_t m,
                                int64_t q, int64_t widest)
{
    /* all panels before this one are whole, each with fewer rows than the one before */
    const int64_t twice = w->complex ? 2 : 1, c = lesser(w->panel, q - j), i = j / w->panel,
                  rows = m - j;
    const int64_t before = j * m - w->panel * w->panel * (i * (i - 1) / 2);
    const int64_t at_v = before * twice * w->size, at_t = i * w->panel * w->panel * twice * w->size;
    reflectors r = {.rows = rows, .cols = c, .first = j};
    r.v = r.vc = (mtx){{GND__PA_SCRATCH, v, at_v}, rows};
    r.t = r.tc = (mtx){{GND__PA_SCRATCH, t, at_t}, c};
    if (w->complex) {
        r.vc.at.off += rows * c * w->size;
        r.tc.at.off += c * c * w->size;
    }
    r.w1 = (mtx){{GND__PA_SCRATCH, products, 0}, c};
    r.w2 = (mtx){{GND__PA_SCRATCH, products, w->panel * widest * w->size}, c};
    return r;
}

/* Copies R to its own memory, then writes 1 in its place in A. */
static void part_r(work *w, mtx a, mtx r, int64_t q, int64_t cols)
{
    const int64_t n = w->s->n, m = w->s->m;
    take(w, "k_take", r, a, q, q * n, 0);
    gnd__pk_begin(w->p, "k_eye");
    gnd__pk_operand(w->p, "y", "begin", a.at);
    gnd__pk_int(w->p, "rows", m);
    gnd__pk_int(w->p, "n", m * cols);
    gnd__pk_def(w->p,
                w->complex ? "#define VALUE(v) gnd_cplx_%s(v, 0)\n" : "#define VALUE(v) (v)\n",
                w->t == GND_COMPLEX64 ? "c64" : "c128");
    end(w, "solve_eye", m * cols, gnd__prog_group(w->p, 256), m * cols * w->size);
}

/* A panel by the device: V, T and their conjugates. T is the inverse of what V^H V says. */
static void reflect_panel(work *w, const reflectors *h, gnd__pmem a, int tau)
{
    const int64_t c = h->cols, m = w->s->m;
    const mtx g = {h->w1.at, c};
    const tri t = {g.at, 1, c, c, 1, 0, 0};
    gnd__reflect_panel(w->p, a, m, h->rows, c, tau);
    gnd__reflect_vectors(w->p, h->v.at, a, m, h->rows, c, tau);
    if (w->complex)
        take(w, "k_conjugate", h->vc, h->v, h->rows, h->rows * c, 1);
    product(w, 1, 0, c, c, h->rows, 1, h->vc, h->v, 0, g);
    gnd__reflect_inverse(w->p, g.at, h->t.at, c, tau);
    triangle(w, &t, 0, c, h->t, c);
    if (w->complex)
        take(w, "k_conjugate", h->tc, h->t, c, c * c, 1);
}

static void qr(work *w, mtx a, mtx r, int64_t b, const int *scratch)
{
    const int v = scratch[0], t = scratch[1], products = scratch[2], tau = scratch[3];
    const int64_t m = w->s->m, n = w->s->n, q = lesser(m, n), cols = w->s->flags & 1 ? m : q;
    const int64_t widest = n > cols ? n : cols, last = (q - 1) / w->panel * w->panel;
    for (int64_t j = 0; j < q; j += w->panel) {
        const reflectors h = reflectors_of(w, j, v, t, products, m, q, widest);
        const gnd__panel x = panel_of(w, GND__PANEL_QR, m - j, h.cols, m, j, b);
        const gnd__pmem mem[3] = {from(w, a, j, j).at, h.v.at, h.t.at};
        if (w->device)
            reflect_panel(w, &h, mem[0], tau);
        else
            gnd__prog_panel(w->p, &x, 3, mem);
        reflect(w, &h, 1, from(w, a, j, j + h.cols), n - j - h.cols);
    }
    part_r(w, a, r, q, cols);
    for (int64_t j = last; j >= 0; j -= w->panel) {
        const reflectors h = reflectors_of(w, j, v, t, products, m, q, widest);
        reflect(w, &h, 0, from(w, a, j, j), cols - j);
    }
}

static void triangular(work *w, mtx a, mtx x, int64_t b, int diagonal)
{
    const uint32_t f = w->s->flags;
    const int64_t n = w->s->n;
    const int trans = (f & (GND_TRI_TRANS | GND_TRI_CONJ)) != 0, upper = (f & GND_TRI_UPPER) != 0;
    const tri t = {a.at, trans ? n : 1, trans ? 1 : n, n, upper != trans, (f & GND_TRI_UNIT) != 0,
                   0};
    if (!t.unit && w->device) {
        gnd__panel_diagonal(w->p, a.at, n + 1, n, b);
    } else if (!t.unit) {
        const gnd__panel d = panel_of(w, GND__PANEL_DIAGONAL, n, 1, n, 0, b);
        const gnd__pmem mem = {GND__PA_SCRATCH, diagonal, 0};
        take(w, "k_take", (mtx){mem, 1}, (mtx){a.at, n + 1}, 1, n, 0);
        gnd__prog_panel(w->p, &d, 1, &mem);
    }
    if (w->complex && f & GND_TRI_CONJ)
        take(w, "k_conjugate", a, a, n, n * n, 1);
    triangle(w, &t, 0, n, x, w->s->k);
}

/* Bytes of scratch memory for the reflectors of a whole matrix. */
static int64_t reflector_bytes(const work *w, int64_t q)
{
    int64_t n = 0;
    for (int64_t j = 0; j < q; j += w->panel)
        n += (w->s->m - j) * w->panel;
    return n * w->size * (w->complex ? 2 : 1);
}

void gnd__blocked(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem)
{
    const int64_t q = lesser(s->m, s->n), rows = s->flags & 1 ? s->m : q,
                  widest = rows > s->n ? rows : s->n;
    work w = {.p = p, .s = s, .t = (gnd_dtype)s->dtype, .panel = q < LEAST ? PANEL_SMALL : PANEL};
    w.device = on_device(p->dev, s);
    w.parts = -1;
    int one = -1, two = -1, three = -1, four = -1;
    w.size = (int64_t)gnd_dtype_size(w.t);
    w.complex = gnd_dtype_kind(w.t) == 'c';
    if (w.device)
        w.panel = s->op == GND_SOLVE_CHOLESKY ? gnd__small_block_side(p->t->props, w.t)
                  : q < LEAST                 ? PANEL_LESS
                                              : GND__PANEL_MOST;
    if (s->op == GND_SOLVE_CHOLESKY) {
        one = gnd__prog_scratch(p, w.panel * w.panel * w.size);
        two = w.complex ? gnd__prog_scratch(p, s->n * w.panel * w.size) : -1;
    }
    if (s->op == GND_SOLVE_SOLVE)
        one = gnd__prog_scratch(p, s->n * (int64_t)sizeof(int32_t));
    if (s->op == GND_SOLVE_TRIANGULAR)
        one = gnd__prog_scratch(p, s->n * w.size);
    if (s->op == GND_SOLVE_QR) {
        one = gnd__prog_scratch(p, reflector_bytes(&w, q));
        two = gnd__prog_scratch(p, ((q - 1) / w.panel + 1) * w.panel * w.panel * w.size * 2);
        three = gnd__prog_scratch(p, 2 * w.panel * widest * w.size);
        four = w.device ? gnd__prog_scratch(p, w.panel * w.size) : -1;
    }
    for (int64_t b = 0; b < s->nbatch; b++) {
        mtx a = {mem[0], s->op == GND_SOLVE_LU || s->op == GND_SOLVE_QR ? s->m : s->n},
            x = {mem[1], s->n};
        a.at.off += b * (int64_t)gnd__solve_bytes(s, 0) / s->nbatch;
        x.at.off += b * (int64_t)gnd__solve_bytes(s, 1) / s->nbatch;
        switch ((gnd_solve_op)s->op) {
        case GND_SOLVE_CHOLESKY: cholesky(&w, a, b, one, two); break;
        case GND_SOLVE_LU: lu(&w, a, s->m, s->n, b, mem[1].ref, b * q, 0); break;
        case GND_SOLVE_SOLVE: system_of(&w, a, x, b, one); break;
        case GND_SOLVE_QR:
            x.ld = rows;
            qr(&w, a, x, b, (const int[]){one, two, three, four});
            break;
        default: triangular(&w, a, x, b, one); break;
        }
    }
}
