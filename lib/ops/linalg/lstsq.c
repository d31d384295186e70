/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/lstsq.c - least squares: by LAPACK, by the SVD of the device's library, and of tall
 * matrices by its QR first, which leaves a small problem of the same rank. Tall matrices of 32-bit
 * floats: by their normal equations in twice the digits.
 */
#include "ops/linalg/matrices.h"
#include "array/views.h"
#include "base/dtype.h"
#include "graph/check.h"
#include "prim/choices.h"
#include "prim/normal.h"
#include "prim/solve.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

enum { TALL = 4 }; /* rows for each column from which QR comes first */

/* A problem and its results: x (n, k), the rank, and the singular values. */
typedef struct problem {
    gnd__mats a;
    gnd_array *b; /* (m, k) */
    double rcond; /* negative: the default */
    gnd_array *x, *rank, *s;
} problem;

/* Whether the device's library has `op` for a matrix of m x n. */
static int has(const problem *p, gnd_solve_op op, int64_t m, int64_t n)
{
    gnd_solve_desc d = gnd__mats_desc(&p->a, op, 0, 1);
    d.m = m;
    d.n = n;
    return gnd__solve_native(p->a.dev, &d);
}

/* Whether the problem is that of the SVD of the device's library: it has no least squares, and the
 * matrix is large enough. */
static int by_svd(const problem *p)
{
    const int64_t m = p->a.m, n = p->a.n, most = m > n ? m : n, least = m + n - most;
    return least >= 128 && !has(p, GND_SOLVE_LSTSQ, m, n) && has(p, GND_SOLVE_SVD, most, least);
}

/* x = V S^-1 U^H b; singular values that count as 0 are left out. */
static void from_svd(problem *p)
{
    gnd_array *u, *vh;
    gnd__mats_svd("lstsq", p->a.x, 0, p->b, &u, &p->s, &vh);
    gnd_array *is = gnd_greater(p->s, gnd__mats_threshold(&p->a, p->s, p->rcond, NULL));
    gnd_array *inverse =
        gnd_expand_dims(gnd_where(is, gnd_reciprocal(p->s), gnd_real(0)), GND_AXIS(-1));
    p->x = gnd_matmul(gnd__adjoint(vh), gnd_multiply(gnd_matmul(gnd__adjoint(u), p->b), inverse));
    p->rank = gnd_count_nonzero(is, GND_ALL, 0);
}

/* One call of LAPACK's gelsd, or of a library that has the same. Returns an error, or NULL. */
static gnd_array *from_lapack(problem *p)
{
    const gnd__mats *m = &p->a;
    const int64_t k = p->b->dim[1], rows = m->m > m->n ? m->m : m->n, q = m->m + m->n - rows;
    gnd_solve_desc d = gnd__mats_desc(m, GND_SOLVE_LSTSQ, 0, k);
    gnd_array *rhs = p->b;
    d.rcond = p->rcond < 0 ? gnd__mats_rtol(m) : p->rcond;
    if (rows > m->m) {
        gnd_array *pad[2] = {rhs, gnd_zeros(m->dev, m->t, 2, (int64_t[]){rows - m->m, k})};
        rhs = gnd_concat(2, pad, 0);
    }
    gnd_array *two[2] = {gnd_mT(m->x), gnd_mT(rhs)};
    for (int i = 0; i < 2; i++)
        if (two[i]->kind == GND__ERROR)
            return two[i];
    gnd_array *all = gnd__solve_node("lstsq", m->dev, &d, 2, two, gnd__mats_bad(m, &d, rhs));
    p->x = gnd__mats_part(m, &d, all, 1, rows, k);
    if (p->x->kind != GND__ERROR)
        p->x = gnd__slice(p->x, 0, 0, m->n);
    p->s = gnd__mats_part(m, &d, all, 2, q, 0);
    p->rank = gnd__mats_part(m, &d, all, 3, 1, 0);
    if (gnd_dtype_kind(m->t) == 'c') {
        p->s = gnd_real_part(p->s);
        p->rank = gnd_real_part(p->rank);
    }
    p->rank = gnd_squeeze(gnd_astype(p->rank, GND_INT64), GND_ALL);
    return NULL;
}

/* a = Q R leaves R x = Q^H b, whose matrix has the rank and the singular values of a: only n rows
 * go to the host, where LAPACK solves it. Returns an error, or NULL. */
static gnd_array *reduce_tall(problem *p)
{
    gnd_array *q, *r;
    if (gnd_qr(p->a.x, 0, &q, &r) != GND_OK)
        return q->kind == GND__ERROR ? q : r;
    p->b = gnd_matmul(gnd__adjoint(q), p->b);
    return gnd__mats_of(&p->a, "lstsq", r, 0);
}

/* The singular values are computed if they are read. Returns an error, or NULL. */
static gnd_array *from_normal(problem *p)
{
    const gnd__mats *m = &p->a;
    const int64_t n = m->n, k = p->b->dim[1], shape[2] = {n, k};
    gnd_array *both = gnd__mats_normal(m, p->b);
    if (both->kind == GND__ERROR)
        return both;
    gnd_array *all = gnd__normal_node("lstsq", both, p->rcond);
    if (all->kind == GND__ERROR)
        return all;
    p->x = gnd_astype(gnd_reshape(gnd__slice(all, 0, 0, n * k), 2, shape), m->t);
    gnd_array *rank = gnd__slice(all, 0, n * k, 1);
    if (gnd_dtype_kind(m->t) == 'c')
        rank = gnd_real_part(rank);
    p->rank = gnd_squeeze(gnd_astype(rank, GND_INT64), GND_ALL);
    gnd_array *w = gnd__mats_eigvalsh("lstsq", gnd__slice(both, 1, 0, n), 0);
    p->s = gnd_astype(gnd_flip(gnd_sqrt(gnd_maximum(w, gnd_real(0))), GND_ALL), gnd__real_of(m->t));
    return NULL;
}

/* Solves a problem with elements. Returns an error, or NULL. */
static gnd_array *solve(problem *p)
{
    gnd_array *bad = NULL, *q;
    if (p->rcond < 0)
        p->rcond = gnd__mats_rtol(&p->a); /* by the rows of a */
    if (gnd__mats_twice(&p->a))
        return from_normal(p);
    while (gnd__tall_cut(&p->a, &q))
        p->b = gnd__tall_sides(q, p->b);
    if (p->a.x->kind == GND__ERROR)
        return p->a.x;
    if (p->a.m / TALL >= p->a.n && !has(p, GND_SOLVE_LSTSQ, p->a.m, p->a.n) &&
        has(p, GND_SOLVE_QR, p->a.m, p->a.n))
        bad = reduce_tall(p);
    if (bad || !by_svd(p))
        return bad ? bad : from_lapack(p);
    from_svd(p);
    return NULL;
}

/* Checks a and b, and prepares the problem: one dtype, and b with two axes. Returns an error, or
 * NULL. */
static gnd_array *prepare(problem *p, gnd_array *a, gnd_array *b)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_array *both[2] = {a, b}, *bad = gnd__mats_of(&p->a, "lstsq", a, 0);
    gnd_device *dev;
    if (bad || (bad = gnd__check_strong(b, "lstsq", "b")) ||
        (bad = gnd__check_devices("lstsq", 2, both, &dev)))
        return bad;
    if (p->a.nb || b->ndim < 1 || b->ndim > 2 || b->dim[0] != p->a.m)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "lstsq: shapes %s and %s: a matrix and a "
                         "vector or matrix of as many rows are needed",
                         gnd__shape_text(ta, a->ndim, a->dim),
                         gnd__shape_text(tb, b->ndim, b->dim));
    const gnd_dtype t = gnd__common_dtype(dev, 2, both);
    if ((bad = gnd__mats_of(&p->a, "lstsq", gnd_astype(a, t), 0)))
        return bad;
    p->b = gnd_astype(b->ndim == 1 ? gnd_expand_dims(b, GND_AXIS(-1)) : b, p->a.t);
    return p->b->kind == GND__ERROR ? p->b : p->a.x->kind == GND__ERROR ? p->a.x : NULL;
}

/* The results for a matrix without elements, or no right-hand sides. */
static void solve_empty(problem *p)
{
    const gnd__mats *m = &p->a;
    const int64_t k = p->b->dim[1], q = m->m < m->n ? m->m : m->n;
    p->x = gnd_zeros(m->dev, m->t, 2, (int64_t[]){m->n, k});
    p->rank = k == 0 && q ? gnd_matrix_rank(m->x, p->rcond) : gnd_zeros(m->dev, GND_INT64, 0, NULL);
    p->s = k == 0 && q ? gnd__mats_svdvals("lstsq", m->x)
                       : gnd_zeros(m->dev, gnd__real_of(m->t), 1, &q);
}

/* The sums of squares of a x - b, for each right-hand side; without elements unless a is tall and
 * has full rank. */
static gnd_array *residuals_of(const problem *given, const problem *p)
{
    const gnd__mats *m = &given->a;
    gnd_status st = GND_OK;
    const int full = m->m > m->n && given->b->dim[1] && gnd_item_i64(p->rank, &st) == m->n;
    if (st != GND_OK)
        return gnd__fail(m->dev, st, "%s",
                         gnd_status_of(p->rank) ? gnd_error(p->rank) : gnd_message());
    if (!full)
        return gnd_zeros(m->dev, gnd__real_of(m->t), 1, (int64_t[]){0});
    gnd_array *off = gnd_abs(gnd_subtract(given->b, gnd_matmul(m->x, p->x)));
    return gnd_sum(gnd_square(off), GND_AXIS(0), 0);
}

gnd_status gnd_lstsq(gnd_array *a, gnd_array *b, double rcond, gnd_array **x, gnd_array **residuals,
                     gnd_array **rank, gnd_array **s)
{
    gnd_array **const out[4] = {x, residuals, rank, s};
    problem given = {.rcond = rcond};
    const gnd__inner in = gnd__enter("lstsq");
    gnd_array *bad = prepare(&given, a, b);
    problem p = given;
    if (!bad && (p.a.m == 0 || p.a.n == 0 || p.b->dim[1] == 0))
        solve_empty(&p);
    else if (!bad)
        bad = solve(&p);
    if (bad)
        return gnd__mats_fail(in, 4, out, bad);
    gnd_array *y[4] = {p.x, NULL, p.rank, p.s};
    y[1] = residuals ? residuals_of(&given, &p)
                     : gnd_zeros(p.a.dev, gnd__real_of(p.a.t), 1, (int64_t[]){0});
    if (b->ndim == 1)
        y[0] = gnd_squeeze(y[0], GND_AXIS(-1));
    return gnd__mats_give(in, 4, out, y);
}
