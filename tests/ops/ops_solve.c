/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_solve.c - linear systems, inverses, least squares, determinants, ranks, powers, exponentials
 * and norms: backward errors in bounds of eps and n, whatever the condition (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002: theorems 8.5, 9.4, 14.1, 20.3), for every dtype, kind of
 * matrix, size and batch. The arithmetic of the checks is the host's (mats.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "host/lapack.h"
#include "device/device.h"
#include "graph/graph.h"
#include "matcheck.h"
#include "ref.h"
#include "tap.h"

static void systems(mat_kind k, int64_t nb, int64_t n)
{
    mat a = mat_make(k, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, 3),
        one = mat_make(MAT_RANDOM, 1, n, 3);
    gnd_array *da = mat_put(&a), *db = mat_put(&b);
    mat x = mat_get(gnd_solve(da, db), nb, n, 3);
    /* with partial pivoting the growth of elements belongs to the bound; it is small here */
    mat_solves(&a, &x, &b, 10.0 * (double)n, mat_named("solve", k, &a));
    x = mat_get(gnd_solve(da, mat_put(&one)), nb, n, 3);
    mat_solves(&a, &x, &one, 10.0 * (double)n, "one right side for all");
    mat inv = mat_get(gnd_inv(da), nb, n, n), eye = mat_eye(1, n, n);
    mat_solves(&a, &inv, &eye, 10.0 * (double)n, mat_named("inv", k, &a));

    mat spd = mat_make(MAT_RANDOM, nb, n, n);
    spd = mat_positive(&spd, 0x1p-10);
    gnd_array *c = gnd_cholesky(mat_put(&spd), 0);
    x = mat_get(gnd_cho_solve(c, 1, db), nb, n, 3);
    mat_solves(&spd, &x, &b, 10.0 * (double)n, mat_named("cho_solve", k, &spd));
}

static void triangular(mat_kind k, int64_t nb, int64_t n, unsigned flags)
{
    mat a = mat_make(k, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, 2);
    for (int64_t i = 0; i < nb * n; i++) /* elimination with these keeps magnitudes in range */
        a.p[i * n + i % n] += a.p[i * n + i % n] == 0 ? 1 : 0;
    gnd_array *da = mat_put(&a), *db = mat_put(&b);
    mat x = mat_get(gnd_solve_triangular(da, db, flags), nb, n, 2);
    mat_triangle_solves(&a, &x, &b, flags, k);
}

static void least_squares(mat_kind k, int64_t m, int64_t n, int64_t want)
{
    gnd_array *x, *res, *rank, *s;
    double big = (double)(m > n ? m : n);
    mat a = mat_make(k, 1, m, n), b = mat_make(MAT_RANDOM, 1, m, 2);
    if (want == 1 && n > 1) /* exactly: every column the first one */
        for (int64_t i = 0; i < m * n; i++)
            a.p[i] = a.p[i - i % n];
    gnd_array *da = gnd_squeeze(mat_put(&a), GND_AXIS(0)),
              *db = gnd_squeeze(mat_put(&b), GND_AXIS(0));
    tap_is_int(gnd_lstsq(da, db, -1, &x, &res, &rank, &s), GND_OK, "%s: lstsq", mat_where);
    mat hx = mat_get(x, 1, n, 2), ax = mat_mul(&a, &hx), r = mat_sub(&ax, &b), ah = mat_adjoint(&a);
    mat grad = mat_mul(&ah, &r);
    double *na = mat_norms(&a);
    double *scale = mat_times(na, mat_plus(mat_norms(&b), mat_times(na, mat_norms(&hx), 1), 1), 1);
    mat_within(&grad, scale, 20.0 * big, mat_named("a^H (a x - b)", k, &a));
    tap_is_int(gnd_item_i64(rank, NULL), want, "%s: rank", mat_where);
    int64_t q = m < n ? m : n, full = m > n && want == n;
    mat hs = mat_get(s, 1, 1, q), other = mat_get(gnd_svdvals(da), 1, 1, q),
        e = mat_sub(&hs, &other);
    mat_within(&e, na, 10.0 * big, "singular values");
    tap_is_int(gnd_size(res), full ? 2 : 0, "%s: residuals", mat_where);
    mat sums = mat_new(1, 1, 2), got = full ? mat_get(res, 1, 1, 2) : sums;
    for (int64_t i = 0; i < 2 * m && full; i++)
        sums.p[i % 2] += creal(r.p[i]) * creal(r.p[i]) + cimag(r.p[i]) * cimag(r.p[i]);
    mat_equal(&got, &sums, 50.0 * big, "their squares");
    /* of least norm: in the range of a^H, which the pseudo-inverse gives too */
    mat p = mat_get(gnd_pinv(da, -1), 1, n, m), px = mat_mul(&p, &ax), norms = mat_sub(&px, &hx);
    mat_within(&norms, mat_times(mat_norms(&p), mat_times(na, mat_norms(&hx), 1), 1), 20.0 * big,
               mat_named("pinv(a) a x is x", k, &a));
    gnd_array *vec = gnd_at(db, ":, 0");
    tap_is_int(gnd_lstsq(da, vec, -1, &x, NULL, NULL, NULL), GND_OK, "%s: lstsq of a vector",
               mat_where);
    tap_is_int(gnd_ndim(x), 1, "%s: is a vector", mat_where);
}

static void pseudo(mat_kind k, int64_t nb, int64_t m, int64_t n)
{
    mat a = mat_make(k, nb, m, n), x = mat_get(gnd_pinv(mat_put(&a), -1), nb, n, m);
    mat ax = mat_mul(&a, &x), axa = mat_mul(&ax, &a), e = mat_sub(&axa, &a), h = mat_adjoint(&ax);
    double *na = mat_norms(&a), *cond = mat_times(na, mat_norms(&x), nb),
           big = (double)(m > n ? m : n);
    mat_within(&e, mat_times(cond, na, nb), 10.0 * big, mat_named("a pinv(a) a", k, &a));
    e = mat_sub(&ax, &h);
    mat_within(&e, cond, 20.0 * big, mat_named("a pinv(a) is Hermitian", k, &a));
}

/* The determinant of integer matrices by Bareiss' elimination, which never leaves the integers. */
static void determinants(int64_t nb, int64_t n)
{
    mat a = mat_new(nb, n, n), want = mat_new(nb, 1, 1);
    double *scale = mat_norms(&want);
    for (int64_t b = 0; b < nb; b++) {
        long double m[8][8], last = 1, sign = 1;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                a.p[(b * n + i) * n + j] = m[i][j] = ref_range(-4, 4) + (b % 3 && i == j ? 9 : 0);
        for (int64_t c = 0; c < n; c++) {
            int64_t r = c;
            while (r < n - 1 && m[r][c] == 0)
                r++;
            for (int64_t j = 0; j < n && r != c; j++) {
                long double keep = m[r][j];
                m[r][j] = m[c][j];
                m[c][j] = keep;
            }
            sign = r == c ? sign : -sign;
            for (int64_t i = c + 1; i < n; i++)
                for (int64_t j = c + 1; j < n; j++)
                    m[i][j] = (m[i][j] * m[c][c] - m[i][c] * m[c][j]) / last;
            last = m[c][c] == 0 ? 1 : m[c][c];
            want.p[b] = (double)(c == n - 1 ? sign * m[c][c] : 0);
            if (m[c][c] == 0)
                break;
        }
        scale[b] = 1; /* the product of the rows' norms bounds it (Hadamard) */
        for (int64_t i = 0; i < n; i++) {
            double row = 0;
            for (int64_t j = 0; j < n; j++)
                row += pow(creal(a.p[(b * n + i) * n + j]), 2);
            scale[b] *= sqrt(row);
        }
    }
    gnd_array *d = mat_put(&a), *sign, *log;
    mat det = mat_get(gnd_det(d), nb, 1, 1), e = mat_sub(&det, &want);
    mat_within(&e, scale, 20.0 * (double)n, "det against Bareiss");
    tap_is_int(gnd_slogdet(d, &sign, &log), GND_OK, "%s: slogdet", mat_where);
    mat hs = mat_get(sign, nb, 1, 1), hl = mat_get(log, nb, 1, 1);
    for (int64_t b = 0; b < nb; b++)
        hs.p[b] *= exp(creal(hl.p[b]));
    e = mat_sub(&hs, &want);
    mat_within(&e, scale, 40.0 * (double)n, "slogdet against Bareiss");
}

static void ranks(int64_t n)
{
    for (int64_t want = 0; want <= n; want += n / 2) {
        mat x = mat_make(MAT_RANDOM, 2, n, want), y = mat_make(MAT_RANDOM, 2, want, n),
            a = mat_mul(&x, &y);
        mat got = mat_get(gnd_matrix_rank(mat_put(&a), 1e-5), 2, 1, 1);
        tap_ok(got.p[0] == (double)want && got.p[1] == (double)want, "%s: rank %d of %d", mat_where,
               (int)want, (int)n);
    }
}

static void powers(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_RANDOM, nb, n, n), p2 = mat_mul(&a, &a), p3 = mat_mul(&p2, &a),
        p5 = mat_mul(&p3, &p2);
    gnd_array *d = mat_put(&a);
    double *na = mat_norms(&a),
           *scale = mat_times(mat_times(na, na, nb), mat_times(na, mat_times(na, na, nb), nb), nb);
    mat got = mat_get(gnd_matrix_power(d, 5), nb, n, n), e = mat_sub(&got, &p5),
        eye = mat_eye(1, n, n);
    mat_within(&e, scale, 4.0 * (double)n, "matrix_power 5");
    got = mat_get(gnd_matrix_power(d, 0), nb, n, n);
    mat_equal(&got, &eye, 0, "matrix_power 0");
    mat s = mat_make(MAT_STRONG, nb, n, n);
    d = mat_put(&s);
    got = mat_get(gnd_matrix_power(d, -2), nb, n, n);
    p2 = mat_mul(&s, &s);
    mat_solves(&p2, &got, &eye, 100.0 * (double)n, "matrix_power -2");
}

/* exp of a skew-Hermitian matrix is unitary; exp(a) exp(-a) = 1; of a nilpotent one it is a sum. */
static void exponentials(int64_t nb, int64_t n)
{
    mat x = mat_make(MAT_RANDOM, nb, n, n), h = mat_adjoint(&x), skew = mat_sub(&x, &h),
        up = mat_new(nb, n, n);
    mat y = mat_get(gnd_expm(mat_put(&skew)), nb, n, n);
    mat_orthogonal(&y, 40.0 * (double)n * mat_norms(&skew)[0], "exp of a skew matrix");
    mat z = mat_scale(&x, &(mat){nb, 1, n, mat_new(nb, 1, n).p});
    z = mat_sub(&z, &x);
    mat f = mat_get(gnd_expm(mat_put(&x)), nb, n, n), g = mat_get(gnd_expm(mat_put(&z)), nb, n, n);
    mat fg = mat_mul(&f, &g), eye = mat_eye(1, n, n), e = mat_sub(&fg, &eye);
    double *scale = mat_times(mat_norms(&f), mat_norms(&g), nb);
    mat_within(&e, scale, 40.0 * (double)n, "exp(a) exp(-a)");
    for (int64_t i = 0; i < nb * n * n; i++)
        up.p[i] = i % n == i / n % n + 1 ? 1 : 0;
    y = mat_get(gnd_expm(mat_put(&up)), nb, n, n);
    mat want = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++)
        want.p[i] = i % n >= i / n % n ? 1 / tgamma((double)(i % n - i / n % n) + 1) : 0;
    mat_equal(&y, &want, 20, "exp of a shift");
}

/* Of [[a, b], [0, c]], each as if it were alone: graded, of no and of great norm, nilpotent, beside
 * a NaN. */
static void exponentials_apart(void)
{
    static const double of[][3] = {{1, 1e6, -1},  {1e-3, 1e-3, 2e-3}, {60, 0, 60.5}, {0, 1e20, 0},
                                   {-1, 3e4, -1}, {NAN, 1, 1},        {-40, 1e3, 2}, {0, 0, 0}};
    enum { NB = sizeof of / sizeof *of };
    double worst = 0;
    mat x = mat_new(NB, 2, 2), want = mat_new(NB, 2, 2);
    for (int b = 0; b < NB; b++) {
        x.p[4 * b] = of[b][0];
        x.p[4 * b + 1] = of[b][1];
        x.p[4 * b + 3] = of[b][2];
    }
    mat got = mat_get(gnd_expm(mat_put(&x)), NB, 2, 2);
    for (int b = 0; b < NB; b++) {
        const double p = creal(x.p[4 * b]), q = creal(x.p[4 * b + 1]), r = creal(x.p[4 * b + 3]);
        want.p[4 * b] = exp(p);
        want.p[4 * b + 1] = p == r ? q * exp(p) : q * exp(r) * expm1(p - r) / (p - r);
        want.p[4 * b + 3] = exp(r);
        for (int i = 0; i < 4 && !isnan(p); i++) {
            const double w = cabs(want.p[4 * b + i]),
                         e = cabs(got.p[4 * b + i] - want.p[4 * b + i]) / mat_eps;
            worst = fmax(worst, w > 0 ? e / (w * fmax(1, fabs(p) + fabs(r))) : e);
        }
    }
    tap_ok(worst < 40 && isnan(creal(got.p[20])),
           "%s: exp of a batch, each element within %.1f eps", mat_where, worst);
}

/* What one singular matrix is to the others of its batch, and thresholds for each. */
static void apart(void)
{
    static const double of[][4] = {{1, 0, 0, 2}, {1, 2, 2, 4}, {0, 0, 0, 0}, {4, 0, 0, 1}};
    const gnd_matrix_ord ord[] = {GND_ORD_1, GND_ORD_2, GND_ORD_NEG_INF, GND_ORD_FRO};
    const double second[] = {2, 2, 0.5, 2.5};
    mat x = mat_new(4, 2, 2), rt = mat_new(4, 1, 1);
    for (int i = 0; i < 16; i++)
        x.p[i] = of[i / 4][i % 4];
    gnd_array *d = mat_put(&x);
    for (int o = 0; o < 4; o++) {
        mat c = mat_get(gnd_cond(d, ord[o]), 4, 1, 1);
        const double least =
            o == 1 ? 1e6 : INFINITY; /* the singular value that should be 0 is about eps */
        tap_ok(cabs(c.p[0] - second[o]) < 1e-5 && creal(c.p[1]) >= least && isinf(creal(c.p[2])) &&
                   isfinite(creal(c.p[3])),
               "%s: cond %d beside singular ones", mat_where, (int)ord[o]);
    }
    for (int i = 0; i < 4; i++)
        rt.p[i] = i % 2 ? 0.3 : 0.6;
    gnd_array *each = gnd_reshape(mat_put(&rt), 1, (int64_t[]){4});
    mat r = mat_get(gnd_matrix_rank_array(d, each), 4, 1, 1),
        p = mat_get(gnd_pinv_array(d, each), 4, 2, 2);
    tap_ok(r.p[0] == 1 && r.p[1] == 1 && r.p[2] == 0 && r.p[3] == 1 && cabs(p.p[0]) < 1e-6 &&
               cabs(p.p[3] - 0.5) < 1e-6 && cabs(p.p[12] - 0.25) < 1e-6 && cabs(p.p[15]) < 1e-6,
           "%s: an rtol for each matrix", mat_where);
    gnd_array *bad[3] = {gnd_pinv_array(d, mat_put(&rt)), gnd_matrix_rank_array(d, gnd_real(1)),
                         gnd_matrix_rank_array(d, gnd_mul(each, gnd_complex(0, 1)))};
    tap_ok(gnd_status_of(bad[0]) == GND_ERR_SHAPE && strstr(gnd_error(bad[0]), "(4, 1, 1)") &&
               gnd_status_of(bad[1]) == GND_ERR_DEVICE && gnd_status_of(bad[2]) == GND_ERR_DTYPE,
           "%s: what is no rtol: %s", mat_where, gnd_error(bad[0]));
    /* nothing to solve: the rank is known, and what is left of b */
    gnd_array *a = gnd_at(d, "1"), *y[4];
    gnd_lstsq(a, gnd_zeros(mat_dev, mat_t, 2, (int64_t[]){2, 0}), -1, &y[0], &y[1], &y[2], &y[3]);
    const int64_t rank = gnd_item_i64(y[2], NULL);
    gnd_lstsq(gnd_zeros(mat_dev, mat_t, 2, (int64_t[]){2, 0}), gnd_at(d, "1"), -1, &y[0], &y[1],
              &y[2], &y[3]);
    mat off = mat_get(y[1], 1, 1, 2);
    tap_ok(rank == 1 && off.p[0] == 5 && off.p[1] == 20 && gnd_item_i64(y[2], NULL) == 0,
           "%s: lstsq without right sides, and without columns", mat_where);
}

static void norms(int64_t nb, int64_t m, int64_t n)
{
    static const double ords[] = {0, 1, 2, 3, 0.5, -1, -2, INFINITY, -INFINITY};
    mat a = mat_make(MAT_RANDOM, nb, m, n);
    gnd_array *d = mat_put(&a);
    double big = 8.0 * (double)(m * n);
    char label[40];
    for (size_t o = 0; o < sizeof ords / sizeof *ords; o++) {
        mat want = mat_new(nb, 1, n),
            got = mat_get(gnd_vector_norm(d, GND_AXIS(-2), 0, ords[o]), nb, 1, n);
        for (int64_t i = 0; i < nb * n; i++) {
            double v = ords[o] == -INFINITY ? INFINITY : 0;
            for (int64_t r = 0; r < m; r++) {
                double x = cabs(a.p[(i / n * m + r) * n + i % n]);
                v = ords[o] == 0           ? v + (x != 0)
                    : ords[o] == INFINITY  ? fmax(v, x)
                    : ords[o] == -INFINITY ? fmin(v, x)
                                           : v + pow(x, ords[o]);
            }
            want.p[i] = ords[o] == 0 || isinf(ords[o]) ? v : pow(v, 1 / ords[o]);
        }
        snprintf(label, sizeof label, "vector_norm %g", ords[o]);
        mat_equal(&got, &want, big, label);
    }
    for (int o = GND_ORD_FRO; o <= GND_ORD_NEG_INF; o++) {
        mat want = mat_new(nb, 1, 1),
            got = mat_get(gnd_matrix_norm(d, (gnd_matrix_ord)o, 0), nb, 1, 1);
        mat s = mat_get(gnd_svdvals(d), nb, 1, m < n ? m : n);
        for (int64_t b = 0; b < nb; b++) {
            int rows = o == GND_ORD_INF || o == GND_ORD_NEG_INF;
            double most = 0, least = INFINITY, nuc = 0;
            for (int64_t i = 0; i < (rows ? m : n); i++) {
                double sum = 0;
                for (int64_t j = 0; j < (rows ? n : m); j++)
                    sum += cabs(a.p[(b * m + (rows ? i : j)) * n + (rows ? j : i)]);
                most = fmax(most, sum);
                least = fmin(least, sum);
            }
            for (int64_t i = 0; i < s.n; i++)
                nuc += creal(s.p[b * s.n + i]);
            want.p[b] = o == GND_ORD_FRO                     ? mat_norms(&a)[b]
                        : o == GND_ORD_NUC                   ? nuc
                        : o == GND_ORD_2                     ? s.p[b * s.n]
                        : o == GND_ORD_NEG_2                 ? s.p[b * s.n + s.n - 1]
                        : o == GND_ORD_1 || o == GND_ORD_INF ? most
                                                             : least;
        }
        snprintf(label, sizeof label, "matrix_norm %d", o);
        mat_equal(&got, &want, big, label);
        if (m != n)
            continue;
        got = mat_get(gnd_cond(d, (gnd_matrix_ord)o), nb, 1, 1);
        mat inv = mat_get(gnd_matrix_norm(gnd_inv(d), (gnd_matrix_ord)o, 0), nb, 1, 1);
        for (int64_t b = 0; b < nb; b++)
            want.p[b] *= inv.p[b];
        double *c = mat_norms(&got);
        mat e = mat_sub(&got, &want);
        for (int64_t b = 0; b < nb && s.n; b++) { /* the least sums of a row may be far below */
            const double least = creal(s.p[b * s.n + s.n - 1]);
            c[b] = fmax(c[b], least > 0 ? creal(s.p[b * s.n]) / least : 0);
        }
        snprintf(label, sizeof label, "cond %d", o);
        mat_within(&e, mat_times(c, c, nb), big, label);
    }
}

static void chains(void)
{
    mat a = mat_make(MAT_RANDOM, 1, 9, 4), b = mat_make(MAT_RANDOM, 1, 4, 9),
        c = mat_make(MAT_RANDOM, 1, 9, 3);
    gnd_array *x[3] = {mat_put(&a), mat_put(&b), mat_put(&c)};
    for (int i = 0; i < 3; i++)
        x[i] = gnd_squeeze(x[i], GND_AXIS(0));
    mat bc = mat_mul(&b, &c), want = mat_mul(&a, &bc), got = mat_get(gnd_multi_dot(3, x), 1, 9, 3);
    mat_equal(&got, &want, 40, "multi_dot");
}

/* A library that tells the order of the eliminated rows, up to where its routines would be called:
 * LAPACK's are. */
static int asked;
static gnd_status tells(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d, (void)e;
    *yes =
        ((s->op == GND_SOLVE_LU && s->flags == 1) || s->op == GND_SOLVE_TRIANGULAR) && ++asked <= 3;
    return GND_OK;
}

static void ordered(gnd_device *d, int64_t n, int64_t k)
{
    gnd__backend *be = (gnd__backend *)d->g->be;
    gnd_status (*const before)(gnd_dev *, const gnd_solve_desc *, int *, gnd_err *) =
        be->solver.supports;
    if (be->has_solver) /* its own is tested by the others */
        return;
    be->has_solver = 1;
    be->solver.supports = tells;
    asked = 0;
    mat a = mat_make(MAT_RANDOM, 2, n, n), b = mat_make(MAT_RANDOM, 2, n, k);
    mat x = mat_get(gnd_solve(mat_put(&a), mat_put(&b)), 2, n, k);
    tap_is_int(asked, 6, "%s: rows are put in order apart", mat_where);
    mat_solves(&a, &x, &b, 10.0 * (double)n, "a system");
    for (int64_t i = 0; i < n; i++)
        a.p[(n + i) * n + 3] = 0;
    gnd_array *y = gnd_solve(mat_put(&a), mat_put(&b));
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: one that is singular", mat_where);
    tap_has_str(gnd_error(y), "solve: matrix 1: singular: U[3, 3] is 0", "where");
    be->has_solver = 0;
    be->solver.supports = before;
}

static void each(int i)
{
    static const int64_t size[] = {2, 17, 3, 64, 33};
    for (int k = 0; k < MAT_NKINDS; k++) {
        MAT_GROUP(systems((mat_kind)k, 3, size[k]));
        MAT_GROUP(systems((mat_kind)k, 2, size[(k + 1) % 5]));
        MAT_GROUP(pseudo((mat_kind)k, 2, 17, k % 2 ? 5 : 20));
    }
    for (unsigned f = 0; f < 16; f++)
        if (!(f & GND_SOLVE_TRANS) || !(f & GND_SOLVE_ADJOINT)) {
            MAT_GROUP(triangular(f & 1 ? MAT_HILBERT : MAT_STRONG, 2, f % 3 ? 17 : 65, f));
        }
    MAT_GROUP(triangular(MAT_STRONG, 1000, 8, GND_SOLVE_LOWER | GND_SOLVE_ADJOINT));
    MAT_GROUP(systems(MAT_STRONG, 1000, 8));
    MAT_GROUP(least_squares(MAT_STRONG, 17, 17, 17); least_squares(MAT_RANDOM, 64, 17, 17));
    MAT_GROUP(least_squares(MAT_RANDOM, 9, 20, 9); least_squares(MAT_RANDOM, 20, 9, 1));
    /* tall: by QR first where the library of the device has it */
    MAT_GROUP(least_squares(MAT_RANDOM, 301, 7, 7); least_squares(MAT_RANDOM, 160, 6, 1));
    if (i == 1 || i == 3) {
        MAT_GROUP(determinants(100, 5); exponentials(2, 6); exponentials_apart());
    }
    if (i == 0) {
        MAT_GROUP(ranks(12); powers(3, 9); chains());
        MAT_GROUP(systems(MAT_RANDOM, 2, 257); least_squares(MAT_RANDOM, 300, 200, 200));
        MAT_GROUP(triangular(MAT_STRONG, 2, 1000, 0));
    }
    if (i == 3) {
        MAT_GROUP(norms(2, 5, 9));
    }
    if (i == 1) {
        MAT_GROUP(norms(2, 7, 7); apart(); ordered(mat_dev, 257, 65));
        MAT_GROUP(systems(MAT_RANDOM, 2, 1000); systems(MAT_RANDOM, 2, 1); determinants(3, 1));
        MAT_GROUP(least_squares(MAT_RANDOM, 200, 300, 200));
    }
}

/* A NaN in the matrix or in the right sides is an error, of which the results tell. */
static void refused(int64_t m, int64_t n)
{
    static const char *const why[] = {"it has", "its right sides have"};
    for (int side = 0; side < 2; side++) {
        gnd_array *x, *rank, *s;
        char text[80];
        mat a = mat_make(MAT_RANDOM, 1, m, n), b = mat_make(MAT_RANDOM, 1, m, 1);
        (side ? b : a).p[m / 2] = side ? INFINITY : NAN;
        gnd_lstsq(gnd_squeeze(mat_put(&a), GND_AXIS(0)), gnd_squeeze(mat_put(&b), GND_AXIS(0)), -1,
                  &x, NULL, &rank, &s);
        snprintf(text, sizeof text, "lstsq: matrix 0: no convergence: %s a NaN", why[side]);
        tap_is_int(gnd_wait(x), GND_ERR_LINALG, "%s: lstsq of a NaN", mat_where);
        tap_has_str(gnd_error(x), text, "where");
        tap_is_int(gnd_wait(rank), GND_ERR_LINALG, "%s: its rank", mat_where);
        tap_is_int(gnd_wait(s), side ? GND_OK : GND_ERR_LINALG, "%s: its singular values",
                   mat_where);
    }
}

/* Q and R of a tall matrix, with LAPACK's signs; all of them NaN if one element is. */
static void tall_factors(mat_kind k, int64_t m, int64_t n)
{
    gnd_array *q, *r, *other[2];
    mat a = mat_make(k, 1, m, n);
    gnd_array *d = gnd_squeeze(mat_put(&a), GND_AXIS(0));
    tap_is_int(gnd_qr(d, 0, &q, &r), GND_OK, "%s: qr", mat_where);
    mat hq = mat_get(q, 1, m, n), hr = mat_get(r, 1, n, n), e = mat_off(&a, &hq, &hr);
    mat_within(&e, mat_norms(&a), 10.0 * (double)n, mat_named("q r", k, &a));
    mat_orthogonal(&hq, 10.0 * (double)n, mat_named("q", k, &a));
    int below = 0, signs = 0;
    setenv("GND_SOLVER", "lapack", 1);
    gnd_qr(d, 0, &other[0], &other[1]);
    mat lapack = mat_get(other[1], 1, n, n);
    unsetenv("GND_SOLVER");
    for (int64_t i = 0; i < n * n; i++)
        below += i % n < i / n && hr.p[i] != 0;
    for (int64_t i = 0; i < n && k != MAT_NEAR; i++)
        signs += creal(hr.p[i * n + i]) * creal(lapack.p[i * n + i]) <= 0;
    tap_is_int(below, 0, "%s: zeros below r", mat_where);
    tap_is_int(signs, 0, "%s: the signs of its diagonal", mat_where);
    mat s = mat_get(gnd_svdvals(d), 1, 1, n), of_r = mat_get(gnd_svdvals(r), 1, 1, n),
        off = mat_sub(&s, &of_r);
    mat_within(&off, mat_norms(&a), 10.0 * (double)n, mat_named("singular values", k, &a));
    a.p[m * n / 2] = NAN;
    gnd_qr(gnd_squeeze(mat_put(&a), GND_AXIS(0)), 0, &q, &r);
    hq = mat_get(q, 1, m, n), hr = mat_get(r, 1, n, n);
    tap_ok(isnan(creal(hq.p[m * n - 1])) && isnan(creal(hr.p[0])), "%s: a NaN makes them NaN",
           mat_where);
}

/* Tall matrices on GPUs: in blocks of rows, or by their normal equations in twice the digits. */
static void tall(int i)
{
    MAT_GROUP(least_squares(MAT_RANDOM, 2049 + 63 * i, 5, 5));
    MAT_GROUP(least_squares(MAT_RANDOM, 1200, 13 - i, 1));
    MAT_GROUP(least_squares(MAT_RANDOM, 200 + i, 40, 40); least_squares(MAT_RANDOM, 9, 1, 1));
    if (mat_t == GND_FLOAT32 || mat_t == GND_COMPLEX64) {
        MAT_GROUP(least_squares(MAT_GRADED, 100, 3, 3); refused(90, 9));
        MAT_GROUP(tall_factors(MAT_RANDOM, 701, 37); tall_factors(MAT_NEAR, 850, 20));
    }
}

static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128, GND_COMPLEX64};

static void all(gnd_device *d, const char *spec)
{
    mat_dtypes(d, spec, 4, dtypes, 7, each);
}

static void all_tall(gnd_device *d, const char *spec)
{
    mat_dtypes(d, spec, 4, dtypes, 7, tall);
}

int main(void)
{
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(all_tall);
    return tap_done();
}
