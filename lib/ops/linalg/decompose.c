/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/decompose.c - decompositions: shapes, triangles, and the steps before and after the
 * library call. The SVD of a wide matrix is computed from its adjoint, so that libraries only see m
 * >= n.
 */
#include "ops/linalg/matrices.h"

#include <string.h>
#include "array/views.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "prim/choices.h"
#include "prim/small.h"
#include "prim/solve.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/view.h>

static gnd_dtype complex_of(gnd_dtype t)
{
    return gnd__real_of(t) == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

gnd_array *gnd__mats_cholesky(const char *func, gnd_array *x, int upper)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 1);
    if (bad)
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, a.t, a.m, a.n));
    const gnd_solve_desc s = gnd__mats_desc(&a, GND_SOLVE_CHOLESKY, 0, 0);
    gnd_array *l;
    if (a.x->kind != GND__ERROR && gnd__small_cholesky(a.dev, a.t, a.nbatch, a.n))
        l = gnd_reshape(gnd__small_node(func, GND__SMALL_CHOLESKY, a.nbatch, a.n, 0, a.x, NULL),
                        a.x->ndim, a.x->dim);
    else if (gnd__solve_native(a.dev, &s)) {
        /* what is above L's diagonal is cleared in place, and L stays in Fortran order */
        l = gnd__mats_solve(&a, &s);
        l = l->kind == GND__ERROR ? l : gnd_mT(gnd_triu(gnd_reshape(l, a.x->ndim, a.x->dim), 0));
    } else
        l = a.x->kind == GND__ERROR
                ? a.x
                : gnd_reshape(gnd__rows_node(a.func, a.dev, &s, a.x), a.nb + 2, a.x->dim);
    return gnd__leave(in, upper ? gnd__adjoint(l) : l);
}

gnd_array *gnd_cholesky(gnd_array *x, int upper)
{
    return gnd__mats_cholesky("cholesky", x, upper);
}

/* R and reflectors first, and of these Q, which is computed only if it is read. Q is in memory of
 * its own, so not for large matrices. */
enum { APART = 1 << 24 };
static int qr_apart(const gnd__mats *a, int complete, gnd_array **y)
{
    const gnd_solve_desc s = gnd__mats_desc(a, GND_SOLVE_QR, 2, 0);
    const int64_t k = lesser(a->m, a->n);
    gnd_solve_desc make = gnd__mats_desc(a, GND_SOLVE_Q, complete ? 1 : 0, 0);
    make.n = k;
    if (a->x->kind == GND__ERROR || a->m * a->n * (int64_t)gnd_dtype_size(a->t) > APART ||
        !gnd__solve_native(a->dev, &s) || !gnd__solve_native(a->dev, &make))
        return 0;
    gnd_array *both = gnd__mats_solve(a, &s), *h = gnd__mats_part(a, &s, both, 0, a->m, a->n);
    gnd_array *in[2] = {h, gnd__mats_part(a, &s, both, 1, k, 0)}, *r = h;
    if (h->kind != GND__ERROR && in[1]->kind != GND__ERROR) {
        in[0] = gnd_mT(gnd__slice(h, a->nb + 1, 0, k));
        r = complete ? h : gnd__slice(h, a->nb, 0, k);
        y[0] = in[0]->kind == GND__ERROR
                   ? in[0]
                   : gnd__mats_part(a, &make, gnd__solve_node(a->func, a->dev, &make, 2, in, NULL),
                                    0, a->m, complete ? a->m : k);
    } else {
        y[0] = h->kind == GND__ERROR ? h : in[1];
    }
    y[0] = gnd__mats_nan(a, &s, y[0], 0);
    y[1] = gnd_triu(gnd__mats_nan(a, &s, r, 0), 0);
    return 1;
}

gnd_status gnd_qr(gnd_array *x, int complete, gnd_array **q, gnd_array **r)
{
    gnd__mats a;
    gnd_array *y[2], **const out[2] = {q, r};
    const gnd__inner in = gnd__enter("qr");
    gnd_array *bad = gnd__mats_of(&a, "qr", x, 0);
    int64_t k = lesser(a.m, a.n), rows = complete ? a.m : k;
    if (bad)
        return gnd__mats_fail(in, 2, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd__mats_zeros(&a, a.t, a.m, rows);
        if (rows == a.m && a.m > 0)
            y[0] = gnd_add(y[0], gnd_eye(a.dev, a.t, a.m, rows, 0));
        y[1] = gnd__mats_zeros(&a, a.t, rows, a.n);
        return gnd__mats_give(in, 2, out, y);
    }
    if (!complete && gnd__tall_qr_takes(&a)) {
        gnd__tall_qr(&a, &y[0], &y[1]);
        return gnd__mats_give(in, 2, out, y);
    }
    if (qr_apart(&a, complete, y))
        return gnd__mats_give(in, 2, out, y);
    gnd_solve_desc s = gnd__mats_desc(&a, GND_SOLVE_QR, complete ? 1 : 0, 0);
    gnd_array *both = gnd__mats_solve(&a, &s);
    /* the memory of A has more columns than Q where the matrix is wide */
    int64_t cols = complete && a.m > a.n ? a.m : a.n;
    y[0] = gnd__mats_nan(&a, &s, gnd__mats_part(&a, &s, both, 0, a.m, cols), 0);
    if (cols != rows && y[0]->kind != GND__ERROR)
        y[0] = gnd__slice(y[0], y[0]->ndim - 1, 0, rows);
    y[1] = gnd_triu(gnd__mats_nan(&a, &s, gnd__mats_part(&a, &s, both, 1, rows, a.n), 0), 0);
    return gnd__mats_give(in, 2, out, y);
}

/* Row i of P^T: the row of x that is the i-th of L U, as int64 (batch, m), from LAPACK's exchanges,
 * which are read: one is made after the other. */
static gnd_array *permutation(const gnd__mats *a, gnd_array *pivots)
{
    int64_t k = lesser(a->m, a->n), dim[GND_MAX_NDIM];
    size_t count = (size_t)a->nbatch * (size_t)k;
    gnd_array *p = gnd_astype(gnd__real_of(a->t) == a->t ? pivots : gnd_real_part(pivots),
                              GND_INT64),
              *y;
    int64_t *swap = gnd__malloc(count * sizeof *swap);
    int64_t *rows = gnd__malloc((size_t)a->nbatch * (size_t)a->m * sizeof *rows);
    memcpy(dim, a->batch, (size_t)a->nb * sizeof *dim);
    dim[a->nb] = a->m;
    if (!swap || !rows)
        y = gnd__nomem();
    else if (gnd_read(p, swap, count * sizeof *swap))
        y = gnd_status_of(p) ? gnd_fail(gnd_status_of(p), "%s", gnd_error(p))
                             : gnd_fail(GND_ERR_BACKEND, "%s: %s", a->func, gnd_message());
    else {
        for (int64_t b = 0; b < a->nbatch; b++) {
            int64_t *r = rows + b * a->m;
            for (int64_t i = 0; i < a->m; i++)
                r[i] = i;
            for (int64_t i = 0; i < k; i++) {
                int64_t j = swap[b * k + i], t = r[i]; /* from 1 */
                j = j > i && j <= a->m ? j - 1
                                       : i; /* a library's search among NaN may give anything */
                r[i] = r[j];
                r[j] = t;
            }
        }
        y = gnd_from(a->dev, GND_INT64, a->nb + 1, dim, rows);
    }
    gnd__free(swap);
    gnd__free(rows);
    return y;
}

/* P with its ones at (rows[i], i), as x[rows[i]] is row i of L U; rows (batch, m), of any real
 * dtype that has these numbers. */
static gnd_array *exchanges(const gnd__mats *a, gnd_array *rows)
{
    const int64_t as_col[2] = {a->m, 1};
    const gnd_dtype t = rows->kind == GND__ERROR ? GND_INT64 : (gnd_dtype)rows->dtype;
    gnd_array *col =
        gnd_astype(gnd_arange(a->dev, gnd_int(0), gnd_int(a->m), gnd_int(1), GND_INT64), t);
    return gnd_astype(gnd_equal(gnd_reshape(col, 2, as_col), gnd_expand_dims(rows, GND_AXIS(-2))),
                      a->t);
}

/* Sets y to P, L and U from a node that contains their parts. */
static void lu_parts(const gnd__mats *a, const gnd_solve_desc *s, gnd_array **y)
{
    const int64_t k = lesser(a->m, a->n), l = a->nbatch * a->m * k, u = a->nbatch * k * a->n;
    gnd_array *all = a->x->kind == GND__ERROR ? a->x : gnd__rows_node(a->func, a->dev, s, a->x);
    int64_t dim[GND_MAX_NDIM];
    if (all->kind == GND__ERROR) {
        for (int i = 0; i < 3; i++)
            y[i] = all;
        return;
    }
    memcpy(dim, a->batch, (size_t)a->nb * sizeof *dim);
    dim[a->nb] = a->m;
    dim[a->nb + 1] = k;
    y[1] = gnd_reshape(gnd__slice(all, 0, 0, l), a->nb + 2, dim);
    dim[a->nb] = k;
    dim[a->nb + 1] = a->n;
    y[2] = gnd_reshape(gnd__slice(all, 0, l, u), a->nb + 2, dim);
    dim[a->nb] = a->m;
    gnd_array *rows = gnd_reshape(gnd__slice(all, 0, l + u, a->nbatch * a->m), a->nb + 1, dim);
    y[0] = exchanges(a, gnd_dtype_kind(a->t) == 'c' ? gnd_real_part(rows) : rows);
}

static void named_lu(gnd_array **y)
{
    for (int i = 0; i < 3; i++)
        gnd__named("lu", y[i]);
}

gnd_status gnd_lu(gnd_array *x, gnd_array **p, gnd_array **l, gnd_array **u)
{
    gnd__mats a;
    gnd_array *y[3], **const out[3] = {p, l, u};
    const gnd__inner in = gnd__enter("lu");
    gnd_array *bad = gnd__mats_of(&a, "lu", x, 0);
    int64_t k = lesser(a.m, a.n);
    if (bad)
        return gnd__mats_fail(in, 3, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd_add(gnd__mats_zeros(&a, a.t, a.m, a.m), gnd_eye(a.dev, a.t, a.m, a.m, 0));
        y[1] = gnd__mats_zeros(&a, a.t, a.m, k);
        y[2] = gnd__mats_zeros(&a, a.t, k, a.n);
        return gnd__mats_give(in, 3, out, y);
    }
    gnd_solve_desc s = gnd__mats_desc(&a, GND_SOLVE_LU, 0, 0);
    if (gnd__for_cpu(a.dev) && !gnd__solve_native(a.dev, &s)) {
        lu_parts(&a, &s, y);
        named_lu(y);
        return gnd__mats_give(in, 3, out, y);
    }
    gnd_array *both = gnd__mats_solve(&a, &s), *lu = gnd__mats_part(&a, &s, both, 0, a.m, a.n);
    lu = gnd__mats_nan(&a, &s, lu, 0);
    y[0] = exchanges(&a, permutation(&a, gnd__mats_part(&a, &s, both, 1, k, 0)));
    y[1] = lu->kind == GND__ERROR ? lu
                                  : gnd_add(gnd_tril(gnd__slice(lu, lu->ndim - 1, 0, k), -1),
                                            gnd_eye(a.dev, a.t, a.m, k, 0));
    y[2] = lu->kind == GND__ERROR ? lu : gnd_triu(gnd__slice(lu, lu->ndim - 2, 0, k), 0);
    named_lu(y);
    return gnd__mats_give(in, 3, out, y);
}

/* The real values of a result that has the solver's dtype. */
static gnd_array *reals(gnd_array *y)
{
    return gnd_dtype_kind((gnd_dtype)y->dtype) == 'c' ? gnd_real_part(y) : y;
}

gnd_status gnd_svd(gnd_array *x, int full, gnd_array **u, gnd_array **s, gnd_array **vh)
{
    return gnd__mats_svd("svd", x, full, NULL, u, s, vh);
}

gnd_status gnd__mats_svd(const char *func, gnd_array *x, int full, gnd_array *sides, gnd_array **u,
                         gnd_array **s, gnd_array **vh)
{
    gnd__mats a;
    gnd_array *y[3], **const out[3] = {u, s, vh};
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 0);
    int64_t k = lesser(a.m, a.n);
    int wide = a.m < a.n;
    if (bad)
        return gnd__mats_fail(in, 3, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd__mats_zeros(&a, a.t, a.m, full ? a.m : k);
        y[1] = gnd__mats_zeros(&a, gnd__real_of(a.t), k, -1);
        y[2] = gnd__mats_zeros(&a, a.t, full ? a.n : k, a.n);
        if (full && a.nbatch) {
            y[0] = gnd_add(y[0], gnd_eye(a.dev, a.t, a.m, a.m, 0));
            y[2] = gnd_add(y[2], gnd_eye(a.dev, a.t, a.n, a.n, 0));
        }
        return gnd__mats_give(in, 3, out, y);
    }
    if (wide) {
        int64_t m = a.m;
        a.m = a.n;
        a.n = m;
        a.x = gnd__adjoint(a.x);
    }
    const int64_t rows = a.m;
    gnd_array *q = NULL;
    if (!full && !sides && (gnd__tall_cut(&a, &q) || gnd__tall_core(&a, GND_SOLVE_SVD, &q))) {
        gnd_array *small[3];
        (void)gnd__mats_svd(func, a.x, 0, NULL, &small[0], &small[1], &small[2]);
        small[0] = gnd__tall_times(q, small[0], rows);
        y[0] = wide ? gnd__adjoint(small[2]) : small[0];
        y[1] = small[1];
        y[2] = wide ? gnd__adjoint(small[0]) : small[2];
        return gnd__mats_give(in, 3, out, y);
    }
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_SVD, full ? 1 : 0, 0);
    gnd_array *xt = gnd_mT(a.x);
    gnd_array *all = xt->kind == GND__ERROR
                         ? xt
                         : gnd__solve_node(func, a.dev, &d, 1, &xt, gnd__mats_bad(&a, &d, sides));
    gnd_array *left = gnd__mats_part(&a, &d, all, 1, a.m, full ? a.m : a.n);
    gnd_array *right = gnd__mats_part(&a, &d, all, 3, a.n, a.n);
    y[0] = wide ? gnd__adjoint(right) : left;
    y[1] = reals(gnd__mats_part(&a, &d, all, 2, k, 0));
    y[2] = wide ? gnd__adjoint(left) : right;
    return gnd__mats_give(in, 3, out, y);
}

gnd_array *gnd_svdvals(gnd_array *x)
{
    return gnd__mats_svdvals("svdvals", x);
}

gnd_array *gnd__mats_svdvals(const char *func, gnd_array *x)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 0);
    if (bad)
        return gnd__leave(in, bad);
    int64_t k = lesser(a.m, a.n);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, gnd__real_of(a.t), k, -1));
    if (a.m < a.n) {
        a.m = a.n;
        a.n = k;
        a.x = gnd__adjoint(a.x);
    }
    gnd_array *q;
    while (gnd__tall_cut(&a, &q)) {
    }
    (void)gnd__tall_core(&a, GND_SOLVE_SVDVALS, &q);
    if (a.x->kind == GND__ERROR)
        return gnd__leave(in, a.x);
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_SVDVALS, 0, 0);
    return gnd__leave(in, reals(gnd__mats_part(&a, &d, gnd__mats_solve(&a, &d), 1, k, 0)));
}

gnd_status gnd_eigh(gnd_array *x, int upper, gnd_array **w, gnd_array **v)
{
    return gnd__mats_eigh("eigh", x, upper, w, v);
}

gnd_status gnd__mats_eigh(const char *func, gnd_array *x, int upper, gnd_array **w, gnd_array **v)
{
    gnd__mats a;
    gnd_array *y[2], **const out[2] = {w, v};
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 1);
    if (bad)
        return gnd__mats_fail(in, 2, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd__mats_zeros(&a, gnd__real_of(a.t), a.n, -1);
        y[1] = gnd__mats_zeros(&a, a.t, a.n, a.n);
        return gnd__mats_give(in, 2, out, y);
    }
    if (upper)
        a.x = gnd__adjoint(a.x);
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_EIGH, 0, 0);
    gnd_array *both = gnd__mats_solve(&a, &d);
    y[0] = reals(gnd__mats_part(&a, &d, both, 1, a.n, 0));
    y[1] = gnd__mats_part(&a, &d, both, 0, a.n, a.n);
    return gnd__mats_give(in, 2, out, y);
}

gnd_array *gnd_eigvalsh(gnd_array *x, int upper)
{
    return gnd__mats_eigvalsh("eigvalsh", x, upper);
}

gnd_array *gnd__mats_eigvalsh(const char *func, gnd_array *x, int upper)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 1);
    if (bad)
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, gnd__real_of(a.t), a.n, -1));
    if (upper)
        a.x = gnd__adjoint(a.x);
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_EIGVALSH, 0, 0);
    return gnd__leave(in, reals(gnd__mats_part(&a, &d, gnd__mats_solve(&a, &d), 1, a.n, 0)));
}

gnd_status gnd_eig(gnd_array *x, gnd_array **w, gnd_array **v)
{
    gnd__mats a;
    gnd_array *y[2], **const out[2] = {w, v};
    const gnd__inner in = gnd__enter("eig");
    gnd_array *bad = gnd__mats_of(&a, "eig", x, 1);
    if (bad)
        return gnd__mats_fail(in, 2, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd__mats_zeros(&a, complex_of(a.t), a.n, -1);
        y[1] = gnd__mats_zeros(&a, complex_of(a.t), a.n, a.n);
        return gnd__mats_give(in, 2, out, y);
    }
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_EIG, 0, 0);
    gnd_array *both = gnd__mats_solve(&a, &d);
    y[0] = gnd__mats_part(&a, &d, both, 1, a.n, 0);
    y[1] = gnd__mats_part(&a, &d, both, 2, a.n, a.n);
    return gnd__mats_give(in, 2, out, y);
}

gnd_array *gnd_eigvals(gnd_array *x)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter("eigvals");
    gnd_array *bad = gnd__mats_of(&a, "eigvals", x, 1);
    if (bad)
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, complex_of(a.t), a.n, -1));
    gnd_solve_desc d = gnd__mats_desc(&a, GND_SOLVE_EIGVALS, 0, 0);
    return gnd__leave(in, gnd__mats_part(&a, &d, gnd__mats_solve(&a, &d), 1, a.n, 0));
}
