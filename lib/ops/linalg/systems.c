/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/systems.c - linear systems: right-hand sides, batches that broadcast, and inverses;
 * ranks, determinants and condition numbers.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ops/linalg/matrices.h"
#include "array/views.h"
#include "base/dtype.h"
#include "graph/check.h"
#include "prim/choices.h"
#include "prim/small.h"
#include "prim/solve.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* Prepares a x = b: a->x and *b get one dtype and one batch, with shapes (batch, n, n) and
 * (batch, n, k). *vector: the result has no last axis. */
static gnd_array *system_of(const char *func, gnd_array *x, gnd_array *rhs, gnd__mats *a,
                            gnd_array **b, int *vector)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd__mats m;
    gnd_array *bad = gnd__mats_of(&m, func, x, 1), *both[2] = {x, rhs};
    gnd_device *dev;
    gnd__shape s = {.ndim = 0}, sb = {.ndim = 0};
    if (bad || (bad = gnd__check_strong(rhs, func, "b")) ||
        (bad = gnd__check_devices(func, 2, both, &dev)))
        return bad;
    gnd__shape_text(ta, x->ndim, x->dim);
    gnd__shape_text(tb, rhs->ndim, rhs->dim);
    *vector = rhs->ndim == 1;
    if (rhs->ndim == 0 || rhs->dim[rhs->ndim - (*vector ? 1 : 2)] != m.n)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s: b needs %" PRId64 " rows", func,
                         ta, tb, m.n);
    *b = *vector ? gnd_expand_dims(rhs, GND_AXIS(-1)) : rhs;
    gnd_dtype t = gnd__common_dtype(dev, 2, both);
    both[0] = gnd_astype(x, t);
    bad = gnd__mats_of(a, func, both[0], 1);
    if (bad)
        return bad;
    s.ndim = a->nb;
    memcpy(s.dim, a->batch, (size_t)a->nb * sizeof *s.dim);
    sb.ndim = (*b)->ndim - 2;
    memcpy(sb.dim, (*b)->dim, (size_t)sb.ndim * sizeof *sb.dim);
    if (gnd__shape_broadcast(&s, &sb))
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "%s: shapes %s and %s: the axes before the matrices do not "
                         "broadcast",
                         func, ta, tb);
    a->nb = s.ndim;
    a->nbatch = 1;
    for (int d = 0; d < s.ndim; d++)
        a->nbatch *= a->batch[d] = s.dim[d];
    s.dim[s.ndim] = s.dim[s.ndim + 1] = a->n;
    a->x = gnd_broadcast_to(a->x, s.ndim + 2, s.dim);
    s.dim[s.ndim + 1] = (*b)->dim[(*b)->ndim - 1];
    *b = gnd_broadcast_to(gnd_astype(*b, a->t), s.ndim + 2, s.dim);
    return (*b)->kind == GND__ERROR ? *b : NULL;
}

/* Applies op to a and b. The solution has the shape of b. */
static gnd_array *solved(gnd__mats *a, gnd_array *b, int vector, gnd_solve_op op, unsigned flags)
{
    int64_t k = b->dim[b->ndim - 1];
    gnd_array *y;
    if (a->nbatch == 0 || a->n == 0 || k == 0) {
        y = gnd__mats_zeros(a, a->t, a->n, k);
    } else if (op == GND_SOLVE_SOLVE && a->x->kind != GND__ERROR &&
               gnd__small_takes(a->dev, a->t, a->nbatch, a->n, k)) {
        y = gnd_reshape(gnd__small_node(a->func, GND__SMALL_SOLVE, a->nbatch, a->n, k, a->x, b),
                        b->ndim, b->dim);
    } else {
        gnd_solve_desc s = gnd__mats_desc(a, op, flags, k);
        gnd__mats_sound(a, &s);
        gnd_array *in[2] = {gnd_mT(a->x), gnd_mT(b)};
        if (in[0]->kind == GND__ERROR || in[1]->kind == GND__ERROR)
            return in[0]->kind == GND__ERROR ? in[0] : in[1];
        y = gnd__mats_part(a, &s, gnd__solve_node(a->func, a->dev, &s, 2, in, NULL), 1, a->n, k);
        y = gnd__mats_nan(a, &s, y, 0);
    }
    return vector ? gnd_squeeze(y, GND_AXIS(-1)) : y;
}

gnd_array *gnd__mats_system(const char *func, gnd_array *a, gnd_array *b)
{
    gnd__mats m;
    gnd_array *rhs, *bad;
    int vector;
    const gnd__inner in = gnd__enter(func);
    bad = system_of(func, a, b, &m, &rhs, &vector);
    return gnd__leave(in, bad ? bad : solved(&m, rhs, vector, GND_SOLVE_SOLVE, 0));
}

gnd_array *gnd_solve(gnd_array *a, gnd_array *b)
{
    return gnd__mats_system("solve", a, b);
}

static gnd_array *triangular(const char *func, gnd_array *a, gnd_array *b, unsigned flags)
{
    gnd__mats m;
    gnd_array *rhs, *bad;
    int vector;
    const gnd__inner in = gnd__enter(func);
    bad = system_of(func, a, b, &m, &rhs, &vector);
    unsigned f = (flags & GND_SOLVE_LOWER ? 0u : GND_TRI_UPPER) |
                 (flags & GND_SOLVE_UNIT ? GND_TRI_UNIT : 0u) |
                 (flags & GND_SOLVE_TRANS ? GND_TRI_TRANS : 0u) |
                 (flags & GND_SOLVE_ADJOINT ? GND_TRI_CONJ : 0u);
    return gnd__leave(in, bad ? bad : solved(&m, rhs, vector, GND_SOLVE_TRIANGULAR, f));
}

gnd_array *gnd_solve_triangular(gnd_array *a, gnd_array *b, unsigned flags)
{
    if (flags & ~15u)
        return gnd__fail(NULL, GND_ERR_ARG, "solve_triangular: flags %u are not known", flags);
    return triangular("solve_triangular", a, b, flags);
}

gnd_array *gnd_cho_solve(gnd_array *c, int lower, gnd_array *b)
{
    const gnd__inner in = gnd__enter("cho_solve");
    unsigned l = lower ? GND_SOLVE_LOWER : 0u;
    gnd_array *y = triangular("cho_solve", c, b, lower ? l : l | GND_SOLVE_ADJOINT);
    if (gnd_status_of(y) == GND_OK)
        y = triangular("cho_solve", c, y, lower ? l | GND_SOLVE_ADJOINT : l);
    return gnd__leave(in, y);
}

/* Inverts by the library's routine if it has one, else by its solver with the identity as the
 * right-hand side, else by LAPACK. In each case x times the result is near the identity. LAPACK
 * makes the result times its matrix near the identity, so it gets x^T, whose memory is in C order.
 */
static gnd_array *inverse_of(const char *func, gnd_array *x)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter(func);
    gnd_array *bad = gnd__mats_of(&a, func, x, 1);
    if (bad)
        return gnd__leave(in, bad);
    const gnd_solve_desc s = gnd__mats_desc(&a, GND_SOLVE_INV, 0, 0),
                         apart = gnd__mats_desc(&a, GND_SOLVE_INV, 1, 0);
    const gnd_solve_desc system = gnd__mats_desc(&a, GND_SOLVE_SOLVE, 0, a.n);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, a.t, a.n, a.n));
    if (a.x->kind != GND__ERROR && gnd__small_takes(a.dev, a.t, a.nbatch, a.n, 0))
        return gnd__leave(
            in, gnd_reshape(gnd__small_node(func, GND__SMALL_INV, a.nbatch, a.n, 0, a.x, NULL),
                            a.x->ndim, a.x->dim));
    const int library = gnd__solve_native(a.dev, &apart);
    if (!library && gnd__solve_native(a.dev, &system))
        return gnd__leave(in, gnd__mats_system(func, a.x, gnd_eye(a.dev, a.t, a.n, a.n, 0)));
    gnd__mats_sound(&a, library ? &apart : &s);
    if (!library)
        a.x = gnd_mT(a.x);
    gnd_array *y = gnd__mats_part(&a, &s, gnd__mats_solve(&a, &s), 0, a.n, a.n);
    return gnd__leave(in, gnd__mats_nan(&a, library ? &apart : &s, library ? y : gnd_mT(y), 0));
}

gnd_array *gnd_inv(gnd_array *x)
{
    return inverse_of("inv", x);
}

double gnd__mats_rtol(const gnd__mats *a)
{
    const double most = (double)(a->m > a->n ? a->m : a->n);
    return most * (gnd__real_of(a->t) == GND_FLOAT64 ? 0x1p-52 : 0x1p-23);
}

gnd_array *gnd__mats_threshold(const gnd__mats *a, gnd_array *s, double rtol, gnd_array *each)
{
    return gnd_multiply(gnd_max(s, GND_AXIS(-1), GND_KEEPDIMS),
                        each ? gnd_expand_dims(each, GND_AXIS(-1))
                             : gnd_real(rtol < 0 ? gnd__mats_rtol(a) : rtol));
}

/* Checks rtol as an argument for the matrices a. Returns an error, or NULL. */
static gnd_array *check_rtol(const gnd__mats *a, const char *func, gnd_array *rtol)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *both[2] = {a->x, rtol}, *bad = gnd__check_strong(rtol, func, "rtol");
    gnd__shape s = {.ndim = a->nb}, r = {.ndim = 0};
    if (bad || (bad = gnd__check_devices(func, 2, both, &dev)))
        return bad;
    if (gnd_dtype_kind((gnd_dtype)rtol->dtype) == 'c')
        return gnd__fail(a->dev, GND_ERR_DTYPE, "%s: rtol is %s: it must be real", func,
                         gnd_dtype_name((gnd_dtype)rtol->dtype));
    memcpy(s.dim, a->batch, (size_t)a->nb * sizeof *s.dim);
    r.ndim = rtol->ndim;
    memcpy(r.dim, rtol->dim, (size_t)rtol->ndim * sizeof *r.dim);
    if (rtol->ndim > a->nb || gnd__shape_broadcast(&s, &r) ||
        memcmp(s.dim, a->batch, (size_t)a->nb * sizeof *s.dim))
        return gnd__fail(a->dev, GND_ERR_SHAPE,
                         "%s: rtol of shape %s does not broadcast to the axes %s before the "
                         "matrices",
                         func, gnd__shape_text(tb, rtol->ndim, rtol->dim),
                         gnd__shape_text(ta, a->nb, a->batch));
    return NULL;
}

static gnd_array *pinv(gnd_array *x, double rtol, int given, gnd_array *each)
{
    gnd__mats a;
    gnd_array *u, *s, *vh;
    const gnd__inner in = gnd__enter("pinv");
    gnd_array *bad = gnd__mats_of(&a, "pinv", x, 0);
    if (bad || (given && (bad = check_rtol(&a, "pinv", each))))
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd__mats_zeros(&a, a.t, a.n, a.m));
    gnd__mats_svd("pinv", a.x, 0, NULL, &u, &s, &vh);
    gnd_array *least = gnd__mats_threshold(&a, s, rtol, each);
    gnd_array *inverse = gnd_where(gnd_greater(s, least), gnd_reciprocal(s), gnd_real(0));
    return gnd__leave(
        in, gnd_matmul(gnd_multiply(gnd__adjoint(vh), gnd_expand_dims(inverse, GND_AXIS(-2))),
                       gnd__adjoint(u)));
}

gnd_array *gnd_pinv(gnd_array *x, double rtol)
{
    return pinv(x, rtol, 0, NULL);
}

gnd_array *gnd_pinv_array(gnd_array *x, gnd_array *rtol)
{
    return pinv(x, 0, 1, rtol);
}

static gnd_array *matrix_rank(gnd_array *x, double rtol, int given, gnd_array *each)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter("matrix_rank");
    gnd_array *bad = gnd__mats_of(&a, "matrix_rank", x, 0);
    if (bad || (given && (bad = check_rtol(&a, "matrix_rank", each))))
        return gnd__leave(in, bad);
    gnd_array *s = gnd__mats_svdvals("matrix_rank", a.x);
    if (a.m == 0 || a.n == 0)
        return gnd__leave(in, gnd_count_nonzero(s, GND_AXIS(-1), 0));
    return gnd__leave(in, gnd_count_nonzero(gnd_greater(s, gnd__mats_threshold(&a, s, rtol, each)),
                                            GND_AXIS(-1), 0));
}

gnd_array *gnd_matrix_rank(gnd_array *x, double rtol)
{
    return matrix_rank(x, rtol, 0, NULL);
}

gnd_array *gnd_matrix_rank_array(gnd_array *x, gnd_array *rtol)
{
    return matrix_rank(x, 0, 1, rtol);
}

/* --- determinants ----------------------------------------------------------------------------- */

/* Computes `what` of small matrices: `each` values per matrix along a last axis; 0: one value,
 * without that axis. */
static gnd_array *of_small(const gnd__mats *a, gnd__small what, int64_t each)
{
    int64_t dim[GND_MAX_NDIM];
    if (a->x->kind == GND__ERROR)
        return a->x;
    memcpy(dim, a->batch, (size_t)a->nb * sizeof *dim);
    dim[a->nb] = each;
    return gnd_reshape(gnd__small_node(a->func, what, a->nbatch, a->n, 0, a->x, NULL),
                       a->nb + (each != 0), dim);
}

/* Of the LU factorization: the diagonal of U, (batch, n), and the sign of the row permutation,
 * (batch). */
static void factors(const gnd__mats *a, gnd_array **diagonal, gnd_array **sign)
{
    if (gnd__small_takes(a->dev, a->t, a->nbatch, a->n, 0)) {
        gnd_array *all = of_small(a, GND__SMALL_FACTORS, a->n + 1);
        *diagonal = all->kind == GND__ERROR ? all : gnd__slice(all, a->nb, 0, a->n);
        *sign = all->kind == GND__ERROR
                    ? all
                    : gnd_squeeze(gnd__slice(all, a->nb, a->n, 1), GND_AXIS(-1));
        return;
    }
    gnd_solve_desc s = gnd__mats_desc(a, GND_SOLVE_LU, 0, 0);
    gnd_array *both = gnd__mats_solve(a, &s);
    gnd_array *p = gnd__mats_part(a, &s, both, 1, a->n, 0);
    gnd_array *own = gnd_arange(a->dev, gnd_int(1), gnd_int(a->n + 1), gnd_int(1), GND_INT64);
    *diagonal = gnd__mats_nan(
        a, &s, gnd_diagonal(gnd__mats_part(a, &s, both, 0, a->n, a->n), 0, -2, -1), 1);
    gnd_array *moved = gnd_not_equal(p, gnd_astype(own, a->t));
    *sign = gnd_prod(gnd_where(moved,
                               gnd_astype(gnd_full(a->dev, GND_INT8, 0, NULL, gnd_int(-1)), a->t),
                               gnd_int(1)),
                     GND_AXIS(-1), 0);
}

gnd_array *gnd_det(gnd_array *x)
{
    gnd__mats a;
    gnd_array *d, *sign;
    const gnd__inner in = gnd__enter("det");
    gnd_array *bad = gnd__mats_of(&a, "det", x, 1);
    if (bad)
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a)) /* the empty product, 1 */
        return gnd__leave(in, gnd_prod(gnd__mats_zeros(&a, a.t, 0, -1), GND_AXIS(-1), 0));
    if (gnd__small_takes(a.dev, a.t, a.nbatch, a.n, 0))
        return gnd__leave(in, of_small(&a, GND__SMALL_DET, 0));
    factors(&a, &d, &sign);
    return gnd__leave(in, gnd_multiply(gnd_prod(d, GND_AXIS(-1), 0), sign));
}

gnd_status gnd_slogdet(gnd_array *x, gnd_array **sign, gnd_array **logabsdet)
{
    gnd__mats a;
    gnd_array *d, *y[2], **const out[2] = {sign, logabsdet};
    const gnd__inner in = gnd__enter("slogdet");
    gnd_array *bad = gnd__mats_of(&a, "slogdet", x, 1);
    if (bad)
        return gnd__mats_fail(in, 2, out, bad);
    if (gnd__mats_empty(&a)) {
        y[0] = gnd_prod(gnd__mats_zeros(&a, a.t, 0, -1), GND_AXIS(-1), 0);
        y[1] = gnd_sum(gnd__mats_zeros(&a, gnd__real_of(a.t), 0, -1), GND_AXIS(-1), 0);
        return gnd__mats_give(in, 2, out, y);
    }
    factors(&a, &d, &y[0]);
    y[0] = gnd_multiply(y[0], gnd_prod(gnd_sign(d), GND_AXIS(-1), 0));
    y[1] = gnd_sum(gnd_log(gnd_abs(d)), GND_AXIS(-1), 0);
    return gnd__mats_give(in, 2, out, y);
}

/* --- condition numbers ------------------------------------------------------------------------ */

/* The norm of x times the norm of its inverse; infinite if U has a 0 on its diagonal. Such an x is
 * replaced by 1 before it is inverted, so that one singular matrix of a stack is no error. */
static gnd_array *cond_by_inverse(const gnd__mats *a, gnd_matrix_ord ord)
{
    gnd_array *d, *sign, *eye = gnd_eye(a->dev, a->t, a->n, a->n, 0);
    factors(a, &d, &sign);
    gnd_array *singular = gnd_any(gnd_equal(d, gnd_int(0)), GND_AXIS(-1), 0);
    gnd_array *x = gnd_where(gnd_expand_dims(singular, GND_AXES(-1, -2)), eye, a->x);
    gnd_array *inverse = gnd__mats_system("cond", x, eye);
    gnd_array *y = gnd_multiply(gnd_matrix_norm(a->x, ord, 0), gnd_matrix_norm(inverse, ord, 0));
    return gnd_where(singular, gnd_real(INFINITY), y);
}

gnd_array *gnd_cond(gnd_array *x, gnd_matrix_ord ord)
{
    gnd__mats a;
    gnd_array *bad, *y;
    const gnd__inner in = gnd__enter("cond");
    bad = gnd__mats_of(&a, "cond", x, ord != GND_ORD_2 && ord != GND_ORD_NEG_2);
    if (!bad && (a.m == 0 || a.n == 0))
        bad = gnd__fail(a.dev, GND_ERR_SHAPE,
                        "cond is not defined on empty arrays: %" PRId64 " x %" PRId64, a.m, a.n);
    if (bad)
        return gnd__leave(in, bad);
    if (gnd__mats_empty(&a))
        return gnd__leave(in, gnd_zeros(a.dev, gnd__real_of(a.t), a.nb, a.batch));
    if (ord != GND_ORD_2 && ord != GND_ORD_NEG_2)
        return gnd__leave(in, cond_by_inverse(&a, ord));
    gnd_array *s = gnd__mats_svdvals("cond", a.x);
    gnd_array *most = gnd_max(s, GND_AXIS(-1), 0), *least = gnd_min(s, GND_AXIS(-1), 0);
    y = ord == GND_ORD_2 ? gnd_divide(most, least) : gnd_divide(least, most);
    return gnd__leave(in, gnd_where(gnd_equal(most, gnd_int(0)), gnd_real(INFINITY), y));
}

/* --- powers ----------------------------------------------------------------------------------- */

gnd_array *gnd_matrix_power(gnd_array *x, int64_t n)
{
    gnd__mats a;
    const gnd__inner in = gnd__enter("matrix_power");
    gnd_array *bad = gnd__mats_of(&a, "matrix_power", x, 1), *y = NULL, *p;
    if (bad)
        return gnd__leave(in, bad);
    if (n == 0)
        return gnd__leave(in, gnd_add(gnd__mats_zeros(&a, (gnd_dtype)x->dtype, a.n, a.n),
                                      gnd_eye(a.dev, (gnd_dtype)x->dtype, a.n, a.n, 0)));
    p = n < 0 ? inverse_of("matrix_power", x) : x;
    for (uint64_t e = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; e; e >>= 1) {
        if (e & 1)
            y = y ? gnd_matmul(y, p) : p;
        if (e > 1)
            p = gnd_matmul(p, p);
    }
    return gnd__leave(in, y);
}
