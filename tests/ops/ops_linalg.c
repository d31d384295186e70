/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_linalg.c - decompositions: of every dtype, size, kind of matrix and batch the residual, the
 * orthogonality and the order of values, in bounds of eps and n that do not depend on the
 * condition: what is checked are backward errors (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002: theorems 9.3, 10.3, 19.4). The arithmetic of the checks is the host's (mats.h).
 * Then views, what has no elements, matrices that cannot be decomposed, and errors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "host/lapack.h"
#include "expect.h"
#include "matcheck.h"
#include "ref.h"
#include "tap.h"

/* Whether everything below (side > 0) or above the diagonal is exactly 0. */
static void triangle(const mat *a, int side, const char *what)
{
    int bad = 0;
    for (int64_t i = 0; i < a->nb * a->m * a->n; i++) {
        int64_t r = i / a->n % a->m, c = i % a->n;
        bad += (side > 0 ? r > c : r < c) && a->p[i] != 0;
    }
    tap_is_int(bad, 0, "%s: %s: is triangular", mat_where, what);
}

/* Whether the reals of each row of (nb, 1, n) descend (way < 0) or ascend; if not, `what` fails. */
static void ordered(const mat *s, int way, const char *what)
{
    int bad = 0;
    for (int64_t i = 0; i < s->nb * s->n; i++)
        bad += cimag(s->p[i]) != 0 || isnan(creal(s->p[i])) ||
               (i % s->n && way * (creal(s->p[i]) - creal(s->p[i - 1])) < 0);
    tap_is_int(bad, 0, "%s: %s: are in order", mat_where, what);
}

static void cholesky(mat_kind k, int64_t nb, int64_t n)
{
    mat x = mat_make(k, nb, n, n);
    mat a = mat_positive(&x, k == MAT_GRADED ? 0x1p-40 : 1);
    if (k == MAT_GRADED) /* scaled from both sides: the error must scale with it */
        for (int64_t i = 0; i < a.nb * n * n; i++)
            a.p[i] = (i / n % n == i % n ? (double)n + 1 : creal(a.p[i]) / 64) *
                     ldexp(1, -(int)(20 * (i / n % n + i % n) / n));
    gnd_array *d = mat_put(&a);
    for (int upper = 0; upper < 2; upper++) {
        mat l = mat_get(gnd_cholesky(d, upper), nb, n, n), lh = mat_adjoint(&l);
        triangle(&l, upper ? 1 : -1, "cholesky's factor");
        mat r = upper ? mat_off(&a, &lh, &l) : mat_off(&a, &l, &lh);
        mat_within(&r, mat_norms(&a), 4.0 * (double)n, mat_named(upper ? "u^H u" : "l l^H", k, &a));
        if (k != MAT_GRADED || n > 64 || upper)
            continue;
        r = mat_mul(&l, &lh);
        double worst = 0;
        for (int64_t i = 0; i < nb * n * n; i++) {
            double ii = creal(a.p[i - i % n + i / n % n]),
                   jj = creal(a.p[i - (i / n % n - i % n) * n]);
            double e = cabs(r.p[i] - a.p[i]) / sqrt(ii * jj);
            worst = e <= worst ? worst : e;
        }
        tap_ok(worst <= 8.0 * (double)n * mat_eps, "%s: %s: every element scales: %.3g eps",
               mat_where, mat_named("l l^H", k, &a), worst / mat_eps);
    }
}

static void qr(mat_kind k, int64_t nb, int64_t m, int64_t n, int complete)
{
    gnd_array *q, *r;
    int64_t c = complete ? m : m < n ? m : n;
    double big = (double)(m > n ? m : n);
    mat a = mat_make(k, nb, m, n);
    tap_is_int(gnd_qr(mat_put(&a), complete, &q, &r), GND_OK, "%s: qr", mat_where);
    mat hq = mat_get(q, nb, m, c), hr = mat_get(r, nb, c, n), e = mat_off(&a, &hq, &hr);
    mat_within(&e, mat_norms(&a), 4.0 * big, mat_named(complete ? "complete q r" : "q r", k, &a));
    mat_orthogonal(&hq, 4.0 * big, mat_named("q", k, &a));
    triangle(&hr, 1, "r");
    if (k != MAT_GRADED || m > 64)
        return;
    e = mat_mul(&hq, &hr);
    e = mat_sub(&e, &a);
    mat col = mat_adjoint(&e),
        ref = mat_adjoint(&a); /* column by column: rows of the adjoint as matrices */
    col.nb = ref.nb = nb * n;
    col.m = ref.m = 1;
    mat_within(&col, mat_norms(&ref), 8.0 * big, "every column of a graded q r");
}

static void lu(mat_kind k, int64_t nb, int64_t m, int64_t n)
{
    gnd_array *p, *l, *u;
    int64_t q = m < n ? m : n;
    int bad = 0;
    mat a = mat_make(k, nb, m, n);
    tap_is_int(gnd_lu(mat_put(&a), &p, &l, &u), GND_OK, "%s: lu", mat_where);
    mat hp = mat_get(p, nb, m, m), hl = mat_get(l, nb, m, q), hu = mat_get(u, nb, q, n),
        pl = mat_mul(&hp, &hl);
    mat e = mat_off(&a, &pl, &hu);
    mat_within(&e, mat_times(mat_norms(&hl), mat_norms(&hu), nb), 2.0 * (double)q,
               mat_named("p l u", k, &a));
    mat_orthogonal(&hp, 0, "p");
    triangle(&hl, -1, "l");
    triangle(&hu, 1, "u");
    for (int64_t i = 0; i < nb * m * q; i++) /* the pivot is the largest: |re| + |im| in LAPACK */
        bad += cabs(hl.p[i]) > 1.5 || (i % q == i / q % m && hl.p[i] != 1);
    tap_is_int(bad, 0, "%s: l has ones and nothing greater", mat_where);
}

static void svd(mat_kind k, int64_t nb, int64_t m, int64_t n, int full)
{
    gnd_array *u, *s, *v;
    int64_t q = m < n ? m : n;
    double big = (double)(m > n ? m : n);
    mat a = mat_make(k, nb, m, n);
    gnd_array *d = mat_put(&a);
    tap_is_int(gnd_svd(d, full, &u, &s, &v), GND_OK, "%s: svd", mat_where);
    mat hu = mat_get(u, nb, m, full ? m : q), hs = mat_get(s, nb, 1, q),
        hv = mat_get(v, nb, full ? n : q, n);
    mat_orthogonal(&hu, 32.0 * big, mat_named("u", k, &a));
    mat vh = mat_adjoint(&hv);
    mat_orthogonal(&vh, 32.0 * big, mat_named("v", k, &a));
    ordered(&hs, -1, "singular values");
    mat us = mat_new(nb, m, full ? n : q); /* columns of u times s, 0 where there is none */
    for (int64_t i = 0; i < nb * m * us.n; i++) {
        int64_t j = i % us.n, b = i / (m * us.n);
        us.p[i] = j < q ? hu.p[i / us.n * hu.n + j] * hs.p[b * q + j] : 0;
    }
    mat e = mat_off(&a, &us, &hv);
    mat_within(&e, mat_norms(&a), 10.0 * big, mat_named(full ? "full u s v" : "u s v", k, &a));
    mat alone = mat_get(gnd_svdvals(d), nb, 1, q), apart = mat_sub(&alone, &hs);
    mat_within(&apart, mat_norms(&a), 10.0 * big, mat_named("svdvals", k, &a));
}

static void eigh(mat_kind k, int64_t nb, int64_t n)
{
    gnd_array *w, *v;
    mat x = mat_make(k, nb, n, n), xh = mat_adjoint(&x), a = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++)
        a.p[i] = x.p[i] + xh.p[i];
    gnd_array *d = mat_put(&a);
    xh = mat_adjoint(&a);
    mat half = mat_sub(&a, &xh);
    mat_within(&half, NULL, 0, "the matrix is Hermitian");
    tap_is_int(gnd_eigh(d, 0, &w, &v), GND_OK, "%s: eigh", mat_where);
    mat hw = mat_get(w, nb, 1, n), hv = mat_get(v, nb, n, n), vw = mat_scale(&hv, &hw),
        vh = mat_adjoint(&hv);
    mat e = mat_off(&a, &vw, &vh);
    mat_within(&e, mat_norms(&a), 10.0 * (double)n, mat_named("v w v^H", k, &a));
    mat_orthogonal(&hv, 8.0 * (double)n, mat_named("v", k, &a));
    ordered(&hw, 1, "eigenvalues");
    mat alone = mat_get(gnd_eigvalsh(d, 1), nb, 1, n), apart = mat_sub(&alone, &hw);
    mat_within(&apart, mat_norms(&a), 10.0 * (double)n, mat_named("eigvalsh, upper", k, &a));
}

static void eig(mat_kind k, int64_t nb, int64_t n)
{
    gnd_array *w, *v;
    int bad = 0;
    mat a = mat_make(k, nb, n, n);
    gnd_array *d = mat_put(&a);
    tap_is_int(gnd_eig(d, &w, &v), GND_OK, "%s: eig", mat_where);
    mat hw = mat_get(w, nb, 1, n), hv = mat_get(v, nb, n, n), av = mat_mul(&a, &hv),
        vw = mat_scale(&hv, &hw);
    mat e = mat_sub(&av, &vw);
    mat_within(&e, mat_times(mat_norms(&a), mat_norms(&hv), nb), 10.0 * (double)n,
               mat_named("a v - v w", k, &a));
    for (int64_t j = 0; j < nb * n; j++) {
        double norm = 0;
        for (int64_t i = 0; i < n; i++)
            norm += pow(cabs(hv.p[(j / n * n + i) * n + j % n]), 2);
        bad += !(fabs(norm - 1) <= 8.0 * (double)n * mat_eps);
    }
    tap_is_int(bad, 0, "%s: vectors of eig have norm 1", mat_where);
    mat alone = mat_get(gnd_eigvals(d), nb, 1, n), one = mat_new(nb, 1, 1), tr = mat_new(nb, 1, 1);
    for (int64_t b = 0; b < nb; b++)
        for (int64_t j = 0; j < n; j++) {
            one.p[b] += alone.p[b * n + j];
            tr.p[b] += a.p[(b * n + j) * n + j];
        }
    e = mat_sub(&one, &tr);
    mat_within(&e, mat_norms(&a), 20.0 * (double)n,
               mat_named("the sum of eigenvalues is the trace", k, &a));
}

/* Everything for nb square matrices of order n; rectangular ones beside. */
static void everything(mat_kind k, int64_t nb, int64_t n)
{
    gnd_scope_begin();
    cholesky(k, nb, n);
    qr(k, nb, n, n, 0);
    lu(k, nb, n, n);
    svd(k, nb, n, n, 0);
    eigh(k, nb, n);
    eig(k, nb, n);
    gnd_scope_end();
    mat_free_all();
}

static void rectangular(int64_t m, int64_t n)
{
    gnd_scope_begin();
    for (int full = 0; full < 2; full++) {
        qr(MAT_GRADED, 2, m, n, full);
        svd(full ? MAT_NEAR : MAT_RANDOM, 2, m, n, full);
    }
    lu(MAT_RANDOM, 2, m, n);
    gnd_scope_end();
    mat_free_all();
}

static void large(int at)
{
    gnd_scope_begin();
    int64_t n = 255 + at;
    switch (at) {
    case 0: /* float32 */
        everything(MAT_RANDOM, 2, 257);
        cholesky(MAT_RANDOM, 2, 1000);
        qr(MAT_RANDOM, 2, 1000, 255, 0);
        svd(MAT_GRADED, 2, 1000, 255, 0);
        break;
    case 1:
        cholesky(MAT_GRADED, 2, n);
        lu(MAT_RANDOM, 2, 1000, 1000);
        eig(MAT_RANDOM, 2, 513);
        svd(MAT_NEAR, 2, n + 1, n + 1, 0);
        svd(MAT_HILBERT, 2, 600, n + 4, 1);
        eigh(MAT_HILBERT, 2, n - 1);
        break;
    default:
        cholesky(MAT_RANDOM, 2, n);
        lu(MAT_RANDOM, 1, at == 2 ? n : 100, at == 2 ? 100 : n);
        qr(MAT_NEAR, 2, n, n - 1, 0);
        svd(MAT_GRADED, 2, n + 3, n, 0);
        eigh(MAT_GRADED, 2, n - 2);
        eig(MAT_RANDOM, 1, 513);
    }
    gnd_scope_end();
    mat_free_all();
}

/* Matrices that lie otherwise in memory, and those of a dtype that is not a solver's. */
static void views(void)
{
    static const ref_layout layout[] = {REF_TRANSPOSED, REF_STRIDED, REF_NEGATIVE};
    gnd_array *q, *r;
    for (int i = 0; i < 3; i++) {
        ref_arr host;
        gnd_scope_begin();
        gnd_array *x =
            ref_make(mat_dev, mat_t, 3, (int64_t[]){2, 7, 4}, layout[i], REF_REAL, &host);
        mat a = mat_new(2, 7, 4);
        for (int64_t j = 0; j < 56; j++) {
            ref_num v = ref_nth(&host, j);
            a.p[j] = CMPLX((double)v.re, v.kind == 'c' ? (double)v.im : 0);
        }
        gnd_qr(x, 0, &q, &r);
        mat hq = mat_get(q, 2, 7, 4), hr = mat_get(r, 2, 4, 4), y = mat_mul(&hq, &hr);
        mat_equal(&y, &a, 28, ref_layout_name(layout[i]));
        ref_free(&host);
        gnd_scope_end();
        mat_free_all();
    }
}

static void narrow(void)
{
    static const gnd_dtype t[] = {GND_FLOAT16, GND_BFLOAT16, GND_INT32};
    for (int i = 0; i < 3; i++) {
        gnd_scope_begin();
        mat a = mat_make(MAT_STRONG, 1, 3, 3), whole = mat_new(1, 3, 3);
        for (int j = 0; j < 9; j++)
            whole.p[j] = floor(creal(a.p[j]) * 4); /* exact in all of them */
        gnd_array *y = gnd_inv(gnd_astype(mat_put(&whole), t[i]));
        mat x = mat_get(y, 1, 3, 3), e = mat_mul(&whole, &x), one = mat_eye(1, 3, 3);
        if (i < 2)
            tap_is_int(gnd_dtype_of(y), GND_FLOAT32, "%s: inv of %s is float32", mat_where,
                       gnd_dtype_name(t[i]));
        mat_equal(&e, &one, 100, gnd_dtype_name(t[i]));
        gnd_scope_end();
        mat_free_all();
    }
}

static void nothing(void)
{
    gnd_array *q, *r, *u, *s, *v;
    gnd_scope_begin();
    gnd_array *none = gnd_zeros(mat_dev, mat_t, 3, (int64_t[]){2, 0, 0});
    gnd_array *flat = gnd_zeros(mat_dev, mat_t, 2, (int64_t[]){3, 0});
    mat eye = mat_eye(1, 3, 3), one = mat_eye(2, 1, 1), y = mat_get(gnd_det(none), 2, 1, 1);
    mat_equal(&y, &one, 0, "det of nothing is 1");
    tap_is_int(gnd_size(gnd_inv(none)), 0, "%s: inv of nothing", mat_where);
    tap_is_int(gnd_size(gnd_cholesky(none, 0)), 0, "%s: cholesky of nothing", mat_where);
    tap_is_int(gnd_eigh(none, 0, &s, &v), GND_OK, "%s: eigh of nothing", mat_where);
    tap_is_int(gnd_eig(none, &s, &v), GND_OK, "%s: eig of nothing", mat_where);
    tap_is_int(gnd_dtype_of(v), gnd__real_of(mat_t) == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64,
               "%s: is complex", mat_where);
    tap_is_int(gnd_qr(flat, 1, &q, &r), GND_OK, "%s: qr of 3 x 0", mat_where);
    y = mat_get(q, 1, 3, 3);
    mat_equal(&y, &eye, 0, "its q");
    tap_is_int(gnd_svd(flat, 1, &u, &s, &v), GND_OK, "%s: svd of 3 x 0", mat_where);
    y = mat_get(u, 1, 3, 3);
    mat_equal(&y, &eye, 0, "its u");
    tap_is_int(gnd_size(s), 0, "%s: no singular values", mat_where);
    gnd_scope_end();
    mat_free_all();
}

/* More matrices than libraries take at once. */
static void many(void)
{
    gnd_scope_begin();
    cholesky(MAT_RANDOM, 70001, 2);
    lu(MAT_RANDOM, 70001, 2, 2);
    eigh(MAT_RANDOM, 70001, 3);
    svd(MAT_RANDOM, 33000, 3, 2, 0);
    mat a = mat_make(MAT_STRONG, 70001, 2, 2), eye = mat_eye(70001, 2, 2);
    mat inverse = mat_get(gnd_inv(mat_put(&a)), 70001, 2, 2), y = mat_mul(&a, &inverse);
    mat_equal(&y, &eye, 16, "many inverses");
    mat_free_all();
    gnd_scope_end();
}

/* Which matrix of a batch it is, and where, at any size of batch. */
static void impossible(int64_t nb, int64_t bad)
{
    char text[100];
    gnd_scope_begin();
    mat x = mat_make(MAT_RANDOM, nb, 8, 8), a = mat_positive(&x, 1);
    for (int i = 0; i < 8; i++) /* row and column 2 are 0 */
        a.p[(bad * 8 + 2) * 8 + i] = a.p[(bad * 8 + i) * 8 + 2] = 0;
    gnd_array *d = mat_put(&a), *y = gnd_cholesky(d, 0);
    tap_is_int(gnd_status_of(y), GND_OK, "%s: what only the values tell waits", mat_where);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: not positive definite", mat_where);
    snprintf(text, sizeof text,
             "cholesky: matrix %d: not positive definite: the leading minor of order 3 is not "
             "positive",
             (int)bad);
    tap_is_str(gnd_error(y), text, "%s: %s", mat_where, text);
    for (int i = 0; i < 8; i++) /* diagonal, with one 0 */
        for (int j = 0; j < 8; j++)
            a.p[(bad * 8 + i) * 8 + j] = i == j && i != 5 ? 1 : 0;
    y = gnd_inv(d = mat_put(&a));
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: singular", mat_where);
    snprintf(text, sizeof text, "inv: matrix %d: singular: U[5, 5] is 0", (int)bad);
    tap_is_str(gnd_error(y), text, "%s: %s", mat_where, text);
    mat det = mat_get(gnd_det(d), nb, 1, 1);
    tap_ok(det.p[bad] == 0 && (nb == 1 || det.p[0] != 0), "%s: its determinant is 0", mat_where);
    y = gnd_solve_triangular(d, gnd_from(mat_dev, mat_t, 1, (int64_t[]){8}, a.p), 0);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: a triangle with a 0", mat_where);
    snprintf(text, sizeof text, "solve_triangular: matrix %d: singular: the diagonal's[5, 5] is 0",
             (int)bad);
    tap_is_str(gnd_error(y), text, "%s: %s", mat_where, text);
    gnd_scope_end();
    mat_free_all();
}

static void each(int i)
{
    for (int k = 0; k < MAT_NKINDS; k++) {
        everything((mat_kind)k, 2, 2 + k % 2);
        everything((mat_kind)k, 3, k % 2 ? 64 : 17);
    }
    rectangular(5, 3);
    rectangular(7, 17);
    rectangular(64, 17);
    everything(MAT_RANDOM, 1000, 8);
    everything(i == 1 ? MAT_HILBERT : MAT_NEAR, 100, i % 2 ? 3 : 33);
    if (i < 3)
        large(i);
    if (i == 0)
        narrow(), many();
    if (i != 1)
        return;
    everything(MAT_RANDOM, 2, 1);
    everything(MAT_RANDOM, 1, 8);
    views();
    nothing();
    impossible(1, 0);
    impossible(1000, 777);
}

/* Tall matrices in blocks of rows, on GPUs. */
static void tall(int i)
{
    MAT_GROUP(svd(MAT_GRADED, 1, 2049 + 511 * i, 6, 0));
    MAT_GROUP(svd(MAT_RANDOM, 1, 3, 2100, 0));
    MAT_GROUP(svd(i % 2 ? MAT_HILBERT : MAT_NEAR, 1, 1100, 17, 0));
}

static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128, GND_COMPLEX64};

static void all(gnd_device *d, const char *spec)
{
    mat_dtypes(d, spec, 4, dtypes, 5, each);
}

static void all_tall(gnd_device *d, const char *spec)
{
    mat_dtypes(d, spec, 4, dtypes, 5, tall);
}

static void errors(void)
{
    gnd_device *null = gnd_open("null:0");
    gnd_array *u, *s, *v;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){3, 4});
    gnd_array *q = gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){3, 3});
    gnd_array *line = gnd_zeros(null, GND_FLOAT32, 1, (int64_t[]){4});
    FAILS(gnd_inv(x), GND_ERR_SHAPE, "inv: x has shape (3, 4): 3 != 4");
    FAILS(gnd_det(line), GND_ERR_SHAPE, "det: x has shape (4,): at least 2 dimensions");
    FAILS(gnd_cholesky(NULL, 0), GND_ERR_NULL, "cholesky: x is NULL");
    FAILS(gnd_solve(q, line), GND_ERR_SHAPE, "solve: shapes (3, 3) and (4,): b needs 3 rows");
    FAILS(gnd_solve_triangular(q, q, 64), GND_ERR_ARG, "flags 64");
    FAILS(gnd_vector_norm(x, GND_ALL, 0, NAN), GND_ERR_ARG, "vector_norm: ord is NaN");
    FAILS(gnd_matrix_norm(line, GND_ORD_1, 0), GND_ERR_SHAPE, "matrix_norm: x has shape (4,)");
    FAILS(gnd_matrix_norm(x, (gnd_matrix_ord)99, 0), GND_ERR_ARG, "matrix_norm: ord is 99");
    FAILS(gnd_multi_dot(1, &x), GND_ERR_ARG, "multi_dot: 1 arrays");
    FAILS(gnd_cond(gnd_zeros(null, GND_FLOAT32, 2, (int64_t[]){0, 0}), GND_ORD_2), GND_ERR_SHAPE,
          "cond");
    FAILS(gnd_eigvals(x), GND_ERR_SHAPE, "eigvals: x has shape (3, 4)");
    tap_is_int(gnd_svd(line, 0, &u, &s, &v), GND_ERR_SHAPE, "svd of a vector");
    tap_has_str(gnd_error(v), "svd: x has shape (4,)", "every result says so");
    gnd_scope_end();
    gnd_close(null);
}

int main(void)
{
    errors();
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(all_tall);
    return tap_done();
}
