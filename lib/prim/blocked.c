/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/blocked.c - Cholesky, LU, QR, systems and triangular systems of large matrices (or as
 * GND_SOLVER selects) on a GPU whose backend has no library for them. It uses LAPACK's
 * right-looking algorithms: a panel of some columns is factored by kernels (panels.h, reflect.h,
 * small.h), and the rest, most of the arithmetic, is matrix products. Where the kernels do not take
 * a panel, the host factors it (host/panel.h), and products are those of the device's library. So a
 * matrix is neither transferred to the host as a whole nor decomposed there.
 */
#include "prim/blocked.h"

#include <string.h>
#include "base/dtype.h"
#include "base/env.h"
#include "host/lapack.h"
#include "prim/blocked_priv.h"
#include "prim/panels.h"
#include "prim/reflect.h"
#include "prim/small.h"
#include "prim/tall_qr.h"

/* Columns of a panel, and of small matrices, so that these have several. LEAST: the order from
 * which it was faster than LAPACK on 16 cores, on an H200 by OpenCL and CLBlast (for 4096 in
 * float32: 2.8 times with Cholesky, 2.4 with LU, 6 with QR, 4 with inverses); LEAST_CHOLESKY: up to
 * this order the host is fast enough; LEAST_SIDES: right sides of triangles. MOST: matrices of a
 * batch, as each is worked on alone. STRIPS: the triangle that Cholesky updates is covered by so
 * many products. DEVICE: the same where the host has no part; PANEL_LESS: columns of a panel below
 * order LEAST. LEAST_TALL: columns of matrices TALL times as high with LARGE elements, whose QR
 * decomposition by the host is mostly a transfer; those of 32-bit floats have another way
 * (ops/linalg/normal.c). */
enum {
    PANEL = 128,
    PANEL_SMALL = 48,
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
               (gnd__real_of((gnd_dtype)s->dtype) == GND_FLOAT64 || q > GND__TALL_QR_NARROW));
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
        gnd__blocked_gemm(s->dtype, 1, 0, q, q, GND__BLOCKED_LEAF, -1, s->m + GND__BLOCKED_LEAF,
                          s->n + GND__BLOCKED_LEAF, 1, s->m + GND__BLOCKED_LEAF);
    yes = 0;
    return gnd__gate_gemm_supports(d, &g, &yes, NULL) == GND_OK && yes;
}

int gnd__blocked_device(gnd__gdev *d, const gnd_solve_desc *s)
{
    return gnd__blocked_takes(d, s) && on_device(d, s);
}

/* --- the decompositions ----------------------------------------------------------------------- */

static gnd__panel panel_of(const gnd__blocked_work *w, gnd__panel_kind kind, int64_t rows,
                           int64_t cols, int64_t ld, int64_t first, int64_t matrix)
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
static void cholesky(gnd__blocked_work *w, gnd__mtx a, int64_t b, int block, int conj)
{
    const int64_t n = w->s->n;
    for (int64_t j = 0; j < n; j += w->panel) {
        const int64_t c = lesser(w->panel, n - j), rest = n - j - c,
                      even = rest / (w->device ? STRIPS_DEVICE : STRIPS) + 1;
        const int64_t step = even < c ? c : even;
        const gnd__panel x = panel_of(w, GND__PANEL_CHOLESKY, c, c, c, j, b);
        const gnd__mtx d = {{GND__PA_SCRATCH, block, 0}, c}, here = gnd__blocked_from(w, a, j, j),
                       l = gnd__blocked_from(w, a, j + c, j);
        const gnd__mtx other = {{GND__PA_SCRATCH, conj, 0}, rest}, lh = w->complex ? other : l;
        const gnd__mtx own = w->complex || !w->device ? d : here;
        const gnd__tri t = {own.at, 1, own.ld, own.ld, 0, 0, 1};
        if (w->device) {
            gnd__small_block(w->p, here.at, here.ld, c, j, b);
        } else {
            gnd__blocked_take(w, "k_take", d, here, c, c * c, 0);
            gnd__prog_panel(w->p, &x, 1, &d.at);
            gnd__blocked_take(w, "k_put", here, d, c, c * c, 0);
        }
        if (rest == 0)
            return;
        if (w->complex)
            gnd__blocked_take(w, "k_conjugate", d, here, c, c * c, 1);
        gnd__blocked_triangle(w, &t, 0, c, l, rest);
        if (w->complex)
            gnd__blocked_take(w, "k_conjugate", lh, l, rest, rest * c, 1);
        for (int64_t i = 0; i < rest; i += step)
            gnd__blocked_product(w, 0, 1, rest - i, lesser(step, rest - i), c, -1,
                                 gnd__blocked_from(w, l, i, 0), gnd__blocked_from(w, lh, i, 0), 1,
                                 gnd__blocked_from(w, a, j + c + i, j + c + i));
    }
}

static gnd__lu_panel lu_panel(const gnd__blocked_work *w, gnd__mtx block, int64_t rows,
                              int64_t cols, int64_t first, int64_t b, int pivots, int64_t at,
                              int strict)
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
static void lu(gnd__blocked_work *w, gnd__mtx a, int64_t m, int64_t n, int64_t b, int pivots,
               int64_t at, int strict)
{
    const int64_t q = lesser(m, n);
    for (int64_t j = 0; j < q; j += w->panel) {
        const int64_t c = lesser(w->panel, q - j), right = n - j - c;
        const gnd__mtx block = gnd__blocked_from(w, a, j, j),
                       beside = gnd__blocked_from(w, a, j, j + c);
        const gnd__tri l = {block.at, 1, a.ld, a.ld, 0, 1, 0};
        gnd__panel x = panel_of(w, GND__PANEL_LU, m - j, c, m, j, b);
        const gnd__lu_panel own = lu_panel(w, block, m - j, c, j, b, pivots, at + j, strict);
        const gnd__pmem mem[2] = {block.at,
                                  {GND__PA_SCRATCH, pivots, (at + j) * (int64_t)sizeof(int32_t)}};
        x.strict = strict;
        if (w->device) {
            gnd__panel_lu(w->p, &own);
            gnd__panel_exchange(w->p, &own, gnd__blocked_from(w, a, j, 0).at, a.ld, n - c, j, c);
        } else {
            gnd__prog_panel(w->p, &x, 2, mem);
            gnd__blocked_swaps(w, a, n, j, c, pivots, at + j, j, c);
        }
        if (right == 0)
            continue;
        gnd__blocked_triangle(w, &l, 0, c, beside, right);
        gnd__blocked_product(w, 0, 0, m - j - c, right, c, -1, gnd__blocked_from(w, a, j + c, j),
                             beside, 1, gnd__blocked_from(w, a, j + c, j + c));
    }
}

static void system_of(gnd__blocked_work *w, gnd__mtx a, gnd__mtx x, int64_t b, int pivots)
{
    const int64_t n = w->s->n, k = w->s->k;
    const gnd__tri l = {a.at, 1, n, n, 0, 1, 0}, u = {a.at, 1, n, n, 1, 0, 0};
    lu(w, a, n, n, b, pivots, 0, 1);
    for (int64_t j = 0; j < n && w->device; j += w->panel) {
        const gnd__lu_panel own =
            lu_panel(w, a, n - j, lesser(w->panel, n - j), j, b, pivots, j, 1);
        gnd__panel_exchange(w->p, &own, gnd__blocked_from(w, x, j, 0).at, x.ld, k, k, 0);
    }
    if (!w->device)
        gnd__blocked_swaps(w, x, k, 0, 0, pivots, 0, 0, n);
    gnd__blocked_triangle(w, &l, 0, n, x, k);
    gnd__blocked_triangle(w, &u, 0, n, x, k);
}

/* The reflectors of one panel, and memory for two products with them. */
typedef struct reflectors {
    gnd__mtx v, vc, t, tc, w1, w2;
    int64_t rows, cols, first;
} reflectors;

/* Computes C = (1 - V T V^H) C or, if back, C = (1 - V T^H V^H) C. C has r->rows rows. */
static void reflect(gnd__blocked_work *w, const reflectors *r, int back, gnd__mtx c, int64_t n)
{
    gnd__blocked_product(w, 1, 0, r->cols, n, r->rows, 1, r->vc, c, 0, r->w1);
    gnd__blocked_product(w, back, 0, r->cols, n, r->cols, 1, back ? r->tc : r->t, r->w1, 0, r->w2);
    gnd__blocked_product(w, 0, 0, r->rows, n, r->cols, -1, r->v, r->w2, 1, c);
}

static reflectors reflectors_of(const gnd__blocked_work *w, int64_t j, int v, int t, int products,
                                int64_t m, int64_t q, int64_t widest)
{
    /* all panels before this one are whole, each with fewer rows than the one before */
    const int64_t twice = w->complex ? 2 : 1, c = lesser(w->panel, q - j), i = j / w->panel,
                  rows = m - j;
    const int64_t before = j * m - w->panel * w->panel * (i * (i - 1) / 2);
    const int64_t at_v = before * twice * w->size, at_t = i * w->panel * w->panel * twice * w->size;
    reflectors r = {.rows = rows, .cols = c, .first = j};
    r.v = r.vc = (gnd__mtx){{GND__PA_SCRATCH, v, at_v}, rows};
    r.t = r.tc = (gnd__mtx){{GND__PA_SCRATCH, t, at_t}, c};
    if (w->complex) {
        r.vc.at.off += rows * c * w->size;
        r.tc.at.off += c * c * w->size;
    }
    r.w1 = (gnd__mtx){{GND__PA_SCRATCH, products, 0}, c};
    r.w2 = (gnd__mtx){{GND__PA_SCRATCH, products, w->panel * widest * w->size}, c};
    return r;
}

/* Copies R to its own memory, then writes 1 in its place in A. */
static void part_r(gnd__blocked_work *w, gnd__mtx a, gnd__mtx r, int64_t q, int64_t cols)
{
    const int64_t n = w->s->n, m = w->s->m;
    gnd__blocked_take(w, "k_take", r, a, q, q * n, 0);
    gnd__pk_begin(w->p, "k_eye");
    gnd__pk_operand(w->p, "y", "begin", a.at);
    gnd__pk_int(w->p, "rows", m);
    gnd__pk_int(w->p, "n", m * cols);
    gnd__pk_def(w->p,
                w->complex ? "#define VALUE(v) gnd_cplx_%s(v, 0)\n" : "#define VALUE(v) (v)\n",
                w->t == GND_COMPLEX64 ? "c64" : "c128");
    gnd__blocked_end(w, "solve_eye", m * cols, gnd__prog_group(w->p, 256), m * cols * w->size);
}

/* A panel by the device: V, T and their conjugates. T is the inverse of what V^H V says. */
static void reflect_panel(gnd__blocked_work *w, const reflectors *h, gnd__pmem a, int tau)
{
    const int64_t c = h->cols, m = w->s->m;
    const gnd__mtx g = {h->w1.at, c};
    const gnd__tri t = {g.at, 1, c, c, 1, 0, 0};
    gnd__reflect_panel(w->p, a, m, h->rows, c, tau);
    gnd__reflect_vectors(w->p, h->v.at, a, m, h->rows, c, tau);
    if (w->complex)
        gnd__blocked_take(w, "k_conjugate", h->vc, h->v, h->rows, h->rows * c, 1);
    gnd__blocked_product(w, 1, 0, c, c, h->rows, 1, h->vc, h->v, 0, g);
    gnd__reflect_inverse(w->p, g.at, h->t.at, c, tau);
    gnd__blocked_triangle(w, &t, 0, c, h->t, c);
    if (w->complex)
        gnd__blocked_take(w, "k_conjugate", h->tc, h->t, c, c * c, 1);
}

static void qr(gnd__blocked_work *w, gnd__mtx a, gnd__mtx r, int64_t b, const int *scratch)
{
    const int v = scratch[0], t = scratch[1], products = scratch[2], tau = scratch[3];
    const int64_t m = w->s->m, n = w->s->n, q = lesser(m, n), cols = w->s->flags & 1 ? m : q;
    const int64_t widest = n > cols ? n : cols, last = (q - 1) / w->panel * w->panel;
    for (int64_t j = 0; j < q; j += w->panel) {
        const reflectors h = reflectors_of(w, j, v, t, products, m, q, widest);
        const gnd__panel x = panel_of(w, GND__PANEL_QR, m - j, h.cols, m, j, b);
        const gnd__pmem mem[3] = {gnd__blocked_from(w, a, j, j).at, h.v.at, h.t.at};
        if (w->device)
            reflect_panel(w, &h, mem[0], tau);
        else
            gnd__prog_panel(w->p, &x, 3, mem);
        reflect(w, &h, 1, gnd__blocked_from(w, a, j, j + h.cols), n - j - h.cols);
    }
    part_r(w, a, r, q, cols);
    for (int64_t j = last; j >= 0; j -= w->panel) {
        const reflectors h = reflectors_of(w, j, v, t, products, m, q, widest);
        reflect(w, &h, 0, gnd__blocked_from(w, a, j, j), cols - j);
    }
}

static void triangular(gnd__blocked_work *w, gnd__mtx a, gnd__mtx x, int64_t b, int diagonal)
{
    const uint32_t f = w->s->flags;
    const int64_t n = w->s->n;
    const int trans = (f & (GND_TRI_TRANS | GND_TRI_CONJ)) != 0, upper = (f & GND_TRI_UPPER) != 0;
    const gnd__tri t = {
        a.at, trans ? n : 1, trans ? 1 : n, n, upper != trans, (f & GND_TRI_UNIT) != 0, 0};
    if (!t.unit && w->device) {
        gnd__panel_diagonal(w->p, a.at, n + 1, n, b);
    } else if (!t.unit) {
        const gnd__panel d = panel_of(w, GND__PANEL_DIAGONAL, n, 1, n, 0, b);
        const gnd__pmem mem = {GND__PA_SCRATCH, diagonal, 0};
        gnd__blocked_take(w, "k_take", (gnd__mtx){mem, 1}, (gnd__mtx){a.at, n + 1}, 1, n, 0);
        gnd__prog_panel(w->p, &d, 1, &mem);
    }
    if (w->complex && f & GND_TRI_CONJ)
        gnd__blocked_take(w, "k_conjugate", a, a, n, n * n, 1);
    gnd__blocked_triangle(w, &t, 0, n, x, w->s->k);
}

/* Bytes of scratch memory for the reflectors of a whole matrix. */
static int64_t reflector_bytes(const gnd__blocked_work *w, int64_t q)
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
    gnd__blocked_work w = {
        .p = p, .s = s, .t = (gnd_dtype)s->dtype, .panel = q < LEAST ? PANEL_SMALL : PANEL};
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
        gnd__mtx a = {mem[0], s->op == GND_SOLVE_LU || s->op == GND_SOLVE_QR ? s->m : s->n},
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
