/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_linalg.c - decompositions, systems and norms of the public API: every result put together again,
 * in bounds of eps and n, for batches, wide and tall matrices, views and what has no elements; matrices
 * that cannot be decomposed; errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/lapack.h"
#include "ref.h"
#include "tap.h"

static const char *where;
static gnd_device *dev;
static gnd_dtype t;
static double eps;

/* The largest |a - b| over the largest |b| (or 1). */
static double apart(gnd_array *a, gnd_array *b)
{
    gnd_status st[2];
    double d = gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(a, b)), GND_ALL, 0), &st[0]);
    double s = gnd_item_f64(gnd_max(gnd_abs(b), GND_ALL, 0), &st[1]);
    if (st[0] || st[1])
        tap_diag("%s", gnd_message());
    return st[0] || st[1] ? INFINITY : d / (s > 1 ? s : 1);
}

static void near(gnd_array *a, gnd_array *b, double n, const char *what)
{
    double d = apart(a, b);
    tap_ok(d <= n * eps, "%s: %s: %s: %.2g is at most %.2g", where, gnd_dtype_name(t), what, d, n * eps);
}

static gnd_array *adjoint(gnd_array *x)
{
    return gnd_conj(gnd_mT(x));
}

static gnd_array *as_row(gnd_array *x)
{
    return gnd_expand_dims(x, GND_AXIS(-2));
}

/* Random matrices, as views of what lies otherwise in memory. */
static gnd_array *random_of(int64_t b, int64_t m, int64_t n, ref_layout l)
{
    int64_t dim[3] = { b, m, n };
    ref_arr host;
    gnd_array *x = ref_make(dev, t, 3, dim, l, REF_REAL, &host);
    ref_free(&host);
    return x;
}

static gnd_array *eye(int64_t n)
{
    return gnd_eye(dev, t, n, n, 0);
}

static void rectangular(int64_t m, int64_t n)
{
    gnd_array *q, *r, *u, *s, *v, *p, *l;
    int64_t k = m < n ? m : n;
    gnd_scope_begin();
    gnd_array *a = random_of(2, m, n, REF_TRANSPOSED);
    tap_is_int(gnd_qr(a, 0, &q, &r), GND_OK, "%s: qr of %lld x %lld", where, (long long)m, (long long)n);
    near(gnd_matmul(q, r), a, 20.0 * (double)(m + n), "q r");
    near(gnd_matmul(adjoint(q), q), eye(k), 10.0 * (double)(m + n), "q is orthogonal");
    near(gnd_tril(r, -1), gnd_zeros_like(r, GND_DTYPE_DEFAULT), 0, "r is triangular");
    tap_is_int(gnd_qr(a, 1, &q, &r), GND_OK, "%s: complete", where);
    near(gnd_matmul(q, r), a, 20.0 * (double)(m + n), "complete q r");
    near(gnd_matmul(adjoint(q), q), eye(m), 10.0 * (double)(m + n), "complete q is orthogonal");
    tap_is_int(gnd_svd(a, 0, &u, &s, &v), GND_OK, "%s: svd", where);
    near(gnd_matmul(gnd_multiply(u, as_row(s)), v), a, 30.0 * (double)(m + n), "u s v");
    near(gnd_matmul(v, adjoint(v)), eye(k), 10.0 * (double)(m + n), "v is orthogonal");
    near(gnd_svdvals(a), s, 30.0 * (double)(m + n), "svdvals");
    tap_is_int(gnd_svd(a, 1, &u, &s, &v), GND_OK, "%s: full svd", where);
    near(gnd_matmul(adjoint(u), u), eye(m), 10.0 * (double)(m + n), "full u is orthogonal");
    near(gnd_matmul(v, adjoint(v)), eye(n), 10.0 * (double)(m + n), "full v is orthogonal");
    tap_is_int(gnd_lu(a, &p, &l, &u), GND_OK, "%s: lu", where);
    near(gnd_matmul(p, gnd_matmul(l, u)), a, 10.0 * (double)(m + n), "p l u");
    gnd_array *x = gnd_pinv(a, -1);
    near(gnd_matmul(gnd_matmul(a, x), a), a, 500.0 * (double)(m + n), "a pinv(a) a");
    tap_is_f64(gnd_item_f64(gnd_min(gnd_matrix_rank(a, -1), GND_ALL, 0), NULL), (double)k, "%s: rank", where);
    gnd_scope_end();
}

static void square(int64_t n)
{
    gnd_array *w, *v, *sign, *logdet;
    gnd_scope_begin();
    /* far enough from singular that bounds need no condition number */
    gnd_array *a = gnd_add(random_of(3, n, n, REF_STRIDED), gnd_multiply(eye(n), gnd_real(8.0 * (double)n)));
    gnd_array *b = random_of(1, n, 2, REF_CONTIG), *h = gnd_add(a, adjoint(a));
    gnd_array *spd = gnd_add(gnd_matmul(a, adjoint(a)), eye(n));
    near(gnd_matmul(a, gnd_solve(a, b)), gnd_broadcast_to(b, 3, (int64_t[]){ 3, n, 2 }), 50.0 * (double)n, "a solve(a, b)");
    gnd_range one[2] = { { GND_IDX_INT, 0, 0, 0 }, { GND_IDX_SLICE, GND_NONE, GND_NONE, 1 } };
    gnd_array *vec = gnd_index(gnd_mT(b), 2, (gnd_range[]){ one[0], one[0] });
    near(gnd_squeeze(gnd_matmul(a, gnd_expand_dims(gnd_solve(a, vec), GND_AXIS(-1))), GND_AXIS(-1)),
         gnd_broadcast_to(vec, 2, (int64_t[]){ 3, n }), 50.0 * (double)n, "a vector");
    near(gnd_matmul(a, gnd_inv(a)), eye(n), 50.0 * (double)n, "a inv(a)");
    gnd_array *l = gnd_cholesky(spd, 0), *u = gnd_cholesky(spd, 1);
    near(gnd_matmul(l, adjoint(l)), spd, 50.0 * (double)n, "l l^H");
    near(gnd_matmul(adjoint(u), u), spd, 50.0 * (double)n, "u^H u");
    near(gnd_matmul(spd, gnd_cho_solve(l, 1, b)), gnd_broadcast_to(b, 3, (int64_t[]){ 3, n, 2 }), 5000.0 * (double)n,
         "cho_solve");
    near(gnd_matmul(l, gnd_solve_triangular(l, b, GND_SOLVE_LOWER)), gnd_broadcast_to(b, 3, (int64_t[]){ 3, n, 2 }),
         100.0 * (double)n, "solve_triangular");
    tap_is_int(gnd_eigh(h, 0, &w, &v), GND_OK, "%s: eigh", where);
    near(gnd_matmul(gnd_multiply(v, as_row(w)), adjoint(v)), h, 50.0 * (double)n, "eigh");
    near(gnd_eigvalsh(h, 1), w, 50.0 * (double)n, "eigvalsh, upper");
    tap_is_int(gnd_eig(a, &w, &v), GND_OK, "%s: eig", where);
    near(gnd_matmul(gnd_astype(a, gnd_dtype_of(v)), v), gnd_multiply(v, as_row(w)), 200.0 * (double)n, "eig");
    near(gnd_sum(gnd_eigvals(a), GND_AXIS(-1), 0), gnd_astype(gnd_sum(gnd_diagonal(a, 0, -2, -1), GND_AXIS(-1), 0),
         gnd_dtype_of(w)), 100.0 * (double)n, "the sum of eigenvalues is the trace");
    tap_is_int(gnd_slogdet(a, &sign, &logdet), GND_OK, "%s: slogdet", where);
    if (n < 10)
        near(gnd_divide(gnd_multiply(sign, gnd_exp(logdet)), gnd_det(a)), gnd_ones_like(sign, GND_DTYPE_DEFAULT),
             500.0 * (double)n, "det and slogdet");
    near(gnd_matmul(gnd_matrix_power(a, -2), gnd_matmul(a, a)), eye(n), 500.0 * (double)n, "matrix_power");
    near(gnd_matmul(gnd_expm(gnd_multiply(a, gnd_real(0.01 / (double)n))),
                    gnd_expm(gnd_multiply(a, gnd_real(-0.01 / (double)n)))), eye(n), 100.0 * (double)n, "expm");
    near(gnd_matrix_norm(a, GND_ORD_FRO, 0), gnd_vector_norm(a, GND_AXIS(-1) | GND_AXIS(-2), 0, 2), 10, "norms");
    near(gnd_matrix_norm(a, GND_ORD_1, 0), gnd_matrix_norm(gnd_mT(a), GND_ORD_INF, 0), 10, "norms 1 and inf");
    near(gnd_matrix_norm(a, GND_ORD_2, 0), gnd_multiply(gnd_cond(a, GND_ORD_2), gnd_matrix_norm(a, GND_ORD_NEG_2, 0)),
         10, "norm 2 and cond");
    near(gnd_multi_dot(3, (gnd_array *[]){ gnd_index(a, 1, one), gnd_index(h, 1, one), vec }),
         gnd_matmul(gnd_index(a, 1, one), gnd_matmul(gnd_index(h, 1, one), vec)), 20.0 * (double)n, "multi_dot");
    gnd_scope_end();
}

static void least_squares(void)
{
    gnd_array *x, *res, *rank, *s;
    gnd_scope_begin();
    gnd_range one = { GND_IDX_INT, 0, 0, 0 };
    gnd_array *a = gnd_index(random_of(1, 9, 4, REF_CONTIG), 1, &one), *b = gnd_index(random_of(1, 9, 2, REF_CONTIG), 1, &one);
    tap_is_int(gnd_lstsq(a, b, -1, &x, &res, &rank, &s), GND_OK, "%s: lstsq", where);
    gnd_array *off = gnd_subtract(gnd_matmul(a, x), b);
    near(gnd_matmul(adjoint(a), off), gnd_zeros_like(x, GND_DTYPE_DEFAULT), 5000, "the rest is orthogonal to a");
    near(gnd_sum(gnd_square(gnd_abs(off)), GND_AXIS(0), 0), res, 500, "residuals");
    tap_is_int(gnd_item_i64(rank, NULL), 4, "%s: rank", where);
    near(s, gnd_svdvals(a), 100, "singular values");
    gnd_scope_end();
}

static void nothing(void)
{
    gnd_array *q, *r, *u, *s, *v;
    gnd_scope_begin();
    gnd_array *none = gnd_zeros(dev, t, 3, (int64_t[]){ 2, 0, 0 }), *flat = gnd_zeros(dev, t, 2, (int64_t[]){ 3, 0 });
    tap_is_f64(gnd_item_f64(gnd_sum(gnd_real_part(gnd_det(none)), GND_ALL, 0), NULL), 2, "%s: det of nothing is 1", where);
    tap_is_int(gnd_size(gnd_inv(none)), 0, "%s: inv of nothing", where);
    tap_is_int(gnd_qr(flat, 1, &q, &r), GND_OK, "%s: qr of 3 x 0", where);
    near(q, eye(3), 0, "its q");
    tap_is_int(gnd_svd(flat, 0, &u, &s, &v), GND_OK, "%s: svd of 3 x 0", where);
    tap_is_int(gnd_size(s), 0, "%s: no singular values", where);
    gnd_scope_end();
}

static void impossible(void)
{
    gnd_scope_begin();
    gnd_array *x = gnd_multiply(gnd_ones(dev, t, 3, (int64_t[]){ 1, 3, 3 }), gnd_reshape(
        gnd_astype(gnd_arange(dev, gnd_int(1), gnd_int(3), gnd_int(1), GND_INT64), t), 3, (int64_t[]){ 2, 1, 1 }));
    gnd_array *y = gnd_inv(x);
    tap_is_int(gnd_status_of(y), GND_OK, "%s: what only the values tell waits", where);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: a singular matrix", where);
    tap_has_str(gnd_error(y), "matrix 0: singular: U[1, 1] is 0", "%s: is named", where);
    y = gnd_cholesky(gnd_negative(x), 0);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: not positive definite", where);
    tap_near(gnd_item_f64(gnd_max(gnd_abs(gnd_det(x)), GND_ALL, 0), NULL), 0, 0, "%s: its determinant is 0", where);
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    static const gnd_dtype dtypes[] = { GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128 };
    dev = d;
    where = spec;
    if (!gnd__lapack_library()) {
        tap_skip(1, "%s: no LAPACK", spec);
        return;
    }
    for (int i = 0; i < 4; i++) {
        t = dtypes[i];
        eps = t == GND_FLOAT32 || t == GND_COMPLEX64 ? 0x1p-23 : 0x1p-52;
        if (ref_skip(dev, t, 1))
            continue;
        ref_seed(5);
        rectangular(5, 3);
        if (i == 1 || i == 2)
            rectangular(3, 7);
        square(i ? 3 : 17);
        if (i < 2) {
            square(1);
            least_squares();
            nothing();
            impossible();
        }
    }
}

static void errors(void)
{
    gnd_device *null = gnd_open("null:0");
    gnd_array *u, *s, *v;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){ 3, 4 }), *q = gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){ 3, 3 });
    gnd_array *line = gnd_zeros(null, GND_FLOAT32, 1, (int64_t[]){ 4 });
#define SAYS(call, code, text)                                                                     \
    do {                                                                                           \
        gnd_array *y = call;                                                                       \
        tap_is_int(gnd_status_of(y), code, "%s", #call);                                           \
        tap_has_str(gnd_error(y), text, "the message");                                            \
    } while (0)
    SAYS(gnd_inv(x), GND_ERR_SHAPE, "inv: x has shape (3, 4): 3 != 4");
    SAYS(gnd_det(line), GND_ERR_SHAPE, "det: x has shape (4,): at least 2 dimensions");
    SAYS(gnd_cholesky(NULL, 0), GND_ERR_NULL, "cholesky: x is NULL");
    SAYS(gnd_solve(q, line), GND_ERR_SHAPE, "solve: shapes (3, 3) and (4,): b needs 3 rows");
    SAYS(gnd_solve_triangular(q, q, 64), GND_ERR_ARG, "flags 64");
    SAYS(gnd_vector_norm(x, GND_ALL, 0, NAN), GND_ERR_ARG, "vector_norm: ord is NaN");
    SAYS(gnd_matrix_norm(line, GND_ORD_1, 0), GND_ERR_SHAPE, "matrix_norm: x has shape (4,)");
    SAYS(gnd_matrix_norm(x, (gnd_matrix_ord)99, 0), GND_ERR_ARG, "matrix_norm: ord 99");
    SAYS(gnd_multi_dot(1, &x), GND_ERR_ARG, "multi_dot: 1 arrays");
    SAYS(gnd_cond(gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){ 0, 0 }), GND_ORD_2), GND_ERR_SHAPE, "cond");
    SAYS(gnd_eigvals(x), GND_ERR_SHAPE, "eigvals: x has shape (3, 4)");
    tap_is_int(gnd_svd(line, 0, &u, &s, &v), GND_ERR_SHAPE, "svd of a vector");
    tap_has_str(gnd_error(v), "svd: x has shape (4,)", "every result says so");
#undef SAYS
    gnd_scope_end();
    gnd_close(null);
}

int main(void)
{
    errors();
    ref_devices(all);
    return tap_done();
}
