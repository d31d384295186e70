/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_small.c - determinants, inverses, systems and Cholesky's factors of many small matrices,
 * which a work-item each computes (prim/small.h), or on GPUs a work-item for each row; and there
 * eigenvalues and eigenvectors (prim/eigh_batch.h): backward errors in bounds of eps and n, sides
 * on both sides of the limits, views, batches that broadcast, a NaN and a singular matrix among
 * others. With the kernels of both shapes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matcheck.h"
#include "ref.h"
#include "tap.h"

static int on_gpu;

/* Solutions, inverses and determinants of nb matrices of a kind: det(a) det(1 / a) = 1. */
static void check(mat_kind k, int64_t nb, int64_t n, int64_t sides)
{
    mat a = mat_make(k, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, sides), eye = mat_eye(1, n, n);
    gnd_array *d = mat_put(&a);
    mat x = mat_get(gnd_solve(d, mat_put(&b)), nb, n, sides);
    mat_solves(&a, &x, &b, 10.0 * (double)n, mat_named("solve", k, &a));
    x = mat_get(gnd_inv(d), nb, n, n);
    mat_solves(&a, &x, &eye, 10.0 * (double)n, mat_named("inv", k, &a));
}

/* Cholesky's factor; what is above the diagonal of the matrix is not read. */
static void factor(int64_t nb, int64_t n)
{
    mat x = mat_make(MAT_RANDOM, nb, n, n), a = mat_positive(&x, 0x1p-6);
    mat lower = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++)
        lower.p[i] = i % n <= i / n % n ? a.p[i] : NAN;
    mat l = mat_get(gnd_cholesky(mat_put(&lower), 0), nb, n, n), h = mat_adjoint(&l);
    mat e = mat_off(&a, &l, &h);
    mat_within(&e, mat_norms(&a), 10.0 * (double)n, mat_named("cholesky", MAT_NKINDS, &a));
    int above = 0;
    for (int64_t i = 0; i < nb * n * n; i++)
        above += i % n > i / n % n && l.p[i] != 0;
    tap_is_int(above, 0, "%s: zeros above it", mat_where);
    for (int k = 0; k < 2; k++) {
        char text[90];
        lower.p[(nb - 3) * n * n + (n - 1) * (n + 1)] = k ? NAN : -1e4;
        gnd_array *y = gnd_cholesky(mat_put(&lower), 0);
        tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: one that is not positive", mat_where);
        snprintf(text, sizeof text,
                 k ? "matrix %d: not positive definite: it has a NaN or an infinity"
                   : "matrix %d: not positive definite: the leading minor of order %d",
                 (int)nb - 3, (int)n);
        tap_has_str(gnd_error(y), text, "which");
    }
}

/* The determinant by cofactors of at most 4 x 4, in double; beside slogdet's. */
static double complex cofactors(const double complex *a, int64_t ld, int64_t n)
{
    double complex s = 0, m[9];
    if (n == 1)
        return a[0];
    for (int64_t c = 0; c < n; c++) {
        for (int64_t i = 1; i < n; i++)
            for (int64_t j = 0, to = 0; j < n; j++)
                if (j != c)
                    m[(i - 1) * (n - 1) + to++] = a[i * ld + j];
        s += (c % 2 ? -1 : 1) * a[c] * cofactors(m, n - 1, n - 1);
    }
    return s;
}

static void determinants(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_RANDOM, nb, n, n), want = mat_new(nb, 1, 1), both = mat_new(nb, 1, 1);
    gnd_array *d = mat_put(&a), *sign, *size;
    for (int64_t b = 0; b < nb; b++)
        want.p[b] = cofactors(a.p + b * n * n, n, n);
    mat got = mat_get(gnd_det(d), nb, 1, 1), e = mat_sub(&got, &want);
    mat_within(&e, NULL, 40.0 * (double)n, "det"); /* elements and minors are below 24 */
    gnd_slogdet(d, &sign, &size);
    mat s = mat_get(sign, nb, 1, 1), l = mat_get(size, nb, 1, 1);
    for (int64_t b = 0; b < nb; b++)
        both.p[b] = s.p[b] * exp(creal(l.p[b]));
    e = mat_sub(&both, &got);
    mat_within(&e, NULL, 100.0 * (double)n, "slogdet");
}

/* Views, one matrix for all right sides, one right side for all, expressions. */
static void layouts(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_STRONG, nb, n, n), one = mat_make(MAT_STRONG, 1, n, n),
        b = mat_make(MAT_RANDOM, nb, n, 2), eye = mat_eye(1, n, n);
    gnd_array *d = mat_put(&a), *r = mat_put(&b);
    mat t = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++)
        t.p[i] = a.p[i / (n * n) * n * n + i % n * n + i / n % n];
    mat x = mat_get(gnd_inv(gnd_mT(d)), nb, n, n);
    mat_solves(&t, &x, &eye, 10.0 * (double)n, "inv of a transposed view");
    mat many = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++)
        many.p[i] = one.p[i % (n * n)];
    x = mat_get(gnd_solve(mat_put(&one), r), nb, n, 2);
    mat_solves(&many, &x, &b, 10.0 * (double)n, "one matrix for all right sides");
    gnd_array *half = gnd_at(d, "::2");
    mat some = mat_new((nb + 1) / 2, n, n);
    for (int64_t i = 0; i < some.nb * n * n; i++)
        some.p[i] = 2 * a.p[i / (n * n) * 2 * n * n + i % (n * n)];
    x = mat_get(gnd_inv(gnd_mul(half, gnd_int(2))), some.nb, n, n);
    mat_solves(&some, &x, &eye, 10.0 * (double)n, "inv of an expression of every second");
}

/* A NaN makes its own results NaN; a singular matrix is an error that names it, and det is 0. */
static void apart(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_STRONG, nb, n, n);
    a.p[5 * n * n] = NAN;
    a.p[7 * n * n + 1] = INFINITY;
    gnd_array *d = mat_put(&a);
    mat det = mat_get(gnd_det(d), nb, 1, 1), x = mat_get(gnd_inv(d), nb, n, n);
    int bad = 0;
    for (int64_t b = 0; b < nb; b++) {
        const int lost = b == 5 || b == 7;
        bad += isnan(creal(det.p[b])) != lost;
        for (int64_t i = 0; i < n * n; i++)
            bad += isnan(creal(x.p[b * n * n + i])) != lost;
    }
    tap_ok(bad == 0, "%s: a NaN and an infinity stay with their matrices", mat_where);
    for (int64_t i = 0; i < n; i++) {
        a.p[5 * n * n] = 1, a.p[7 * n * n + 1] = 1;
        a.p[(nb - 2) * n * n + i * n + 1] = a.p[(nb - 1) * n * n + i * n + 1] = 0;
    }
    d = mat_put(&a);
    gnd_array *y[2] = {gnd_inv(d), gnd_solve(d, d)};
    for (int i = 0; i < 2; i++) {
        char text[80];
        tap_is_int(gnd_wait(y[i]), GND_ERR_LINALG, "%s: a singular matrix", mat_where);
        snprintf(text, sizeof text, "%s: matrix %d: singular: U[1, 1] is 0", i ? "solve" : "inv",
                 (int)nb - 2);
        tap_has_str(gnd_error(y[i]), text, "which");
    }
    det = mat_get(gnd_det(d), nb, 1, 1);
    tap_ok(det.p[nb - 2] == 0 && det.p[nb - 1] == 0 && det.p[0] != 0, "%s: its determinant is 0",
           mat_where);
}

/* The determinant of matrices with a known one: rows of a triangle exchanged, by a rotation of n of
 * them. */
static void turned(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_STRONG, nb, n, n), want = mat_new(nb, 1, 1), t = mat_new(nb, n, n);
    for (int64_t b = 0; b < nb; b++) {
        want.p[b] = n % 2 ? 1 : -1;
        for (int64_t i = 0; i < n * n; i++) {
            double complex v = i % n < i / n ? 0 : a.p[b * n * n + i];
            if (i % n == i / n)
                v /= cabs(v) > 0 ? cabs(v) : 1, want.p[b] *= v;
            t.p[b * n * n + (i / n + 1) % n * n + i % n] = v;
        }
    }
    gnd_array *d = mat_put(&t), *sign, *size;
    mat got = mat_get(gnd_det(d), nb, 1, 1), e = mat_sub(&got, &want);
    mat_within(&e, NULL, 40.0 * (double)n, mat_named("det", MAT_NKINDS, &t));
    gnd_slogdet(d, &sign, &size);
    mat s = mat_get(sign, nb, 1, 1);
    e = mat_sub(&s, &want);
    mat_within(&e, NULL, 40.0 * (double)n, mat_named("sign of slogdet", MAT_NKINDS, &t));
}

/* Eigenvalues and eigenvectors; the upper triangle is not read, and a NaN in the lower one is an
 * error. */
static void eigen(mat_kind k, int64_t nb, int64_t n)
{
    gnd_array *w, *v;
    mat x = mat_make(k, nb, n, n), xh = mat_adjoint(&x), a = mat_new(nb, n, n),
        low = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++) {
        a.p[i] = x.p[i] + xh.p[i];
        low.p[i] = i % n <= i / n % n ? a.p[i] : NAN;
    }
    gnd_array *d = mat_put(&low);
    tap_is_int(gnd_eigh(d, 0, &w, &v), GND_OK, "%s: eigh", mat_where);
    mat hw = mat_get(w, nb, 1, n), hv = mat_get(v, nb, n, n), vw = mat_scale(&hv, &hw),
        vh = mat_adjoint(&hv);
    mat e = mat_off(&a, &vw, &vh);
    mat_within(&e, mat_norms(&a), 10.0 * (double)n, mat_named("v w v^H", k, &a));
    mat_orthogonal(&hv, 8.0 * (double)n, mat_named("v", k, &a));
    int order = 0;
    for (int64_t i = 0; i < nb * n; i++)
        order += i % n && creal(hw.p[i]) < creal(hw.p[i - 1]);
    tap_is_int(order, 0, "%s: eigenvalues ascend", mat_where);
    mat alone = mat_get(gnd_eigvalsh(d, 0), nb, 1, n), apart = mat_sub(&alone, &hw);
    mat_within(&apart, mat_norms(&a), 10.0 * (double)n, mat_named("eigvalsh", k, &a));
    low.p[(nb - 2) * n * n + (n - 1) * n] = NAN;
    char text[80];
    gnd_array *y = gnd_eigvalsh(mat_put(&low), 0);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: one with a NaN", mat_where);
    snprintf(text, sizeof text, "matrix %d: no convergence: it has a NaN or an infinity",
             (int)nb - 2);
    tap_has_str(gnd_error(y), text, "which");
}

/* A recording tells of a singular matrix in each run that has one, and of none in the next. */
static void recorded(int64_t nb, int64_t n)
{
    mat a = mat_make(MAT_STRONG, nb, n, n), low = mat_make(MAT_STRONG, nb, n, n);
    const int64_t dim[3] = {nb, n, n};
    for (int64_t i = 0; i < n * n; i++)
        low.p[(nb - 2) * n * n + i] = 0;
    gnd_array *in = gnd_placeholder(mat_dev, mat_t, 3, dim), *out = gnd_inv(in),
              *given[2] = {mat_put(&a), mat_put(&low)};
    gnd_recording *r = gnd_record(1, &in, 1, &out);
    const size_t size = (size_t)(nb * n * n) * gnd_dtype_size(mat_t);
    void *to = malloc(size);
    for (int run = 0; run < 5; run++) {
        const int bad = run == 1 || run == 4;
        gnd_recording_set(r, 0, given[bad]);
        gnd_replay(r);
        tap_is_int(gnd_recording_read(r, 0, to, size), bad ? GND_ERR_LINALG : GND_OK, "%s: run %d",
                   mat_where, run);
    }
    free(to);
    gnd_recording_free(r);
}

/* More than a work-item's registers hold, on GPUs: a work-item has a row. */
static void rows(int i)
{
    const int all = getenv("GND_TEST_ALL") != NULL;
    MAT_GROUP(check((mat_kind)(i % MAT_NKINDS), 5, 10 + i, 2));
    MAT_GROUP(turned(5, 9 + i));
    MAT_GROUP(factor(5, 12 + i));
    MAT_GROUP(factor(4 + i, 33 + 34 * i)); /* in local memory, and beyond */
    if (i == 1 || all) {
        MAT_GROUP(check(MAT_STRONG, 3, 32, 33));
        MAT_GROUP(turned(3, 21));
        MAT_GROUP(apart(11, 17));
    }
    MAT_GROUP(eigen((mat_kind)(i % MAT_NKINDS), 35, 3 + 2 * i));
    if (i == 0 || all) {
        MAT_GROUP(eigen(MAT_GRADED, 3, 31));
        MAT_GROUP(eigen(MAT_RANDOM, 9, 12));
    }
}

static void each(int i)
{
    static const int64_t side[4][3] = {{3, 8, 1}, {4, 9, 2}, {5, 2, 6}, {2, 3, 8}};
    const int all = getenv("GND_TEST_ALL") != NULL;
    for (int k = 0; k < (all ? 3 : on_gpu ? 1 : 2); k++) {
        MAT_GROUP(check((mat_kind)((i + k) % MAT_NKINDS), 150 + i, side[i][k], 1 + k));
    }
    if (i == (on_gpu ? 2 : 0) || i == 1 || all) {
        MAT_GROUP(determinants(131, 2 + i % 3));
    }
    if (!on_gpu || i % 2 == 0 || all) {
        MAT_GROUP(factor(77, 2 + i));
    }
    if (i == 0 || all) {
        MAT_GROUP(layouts(67, 3));
    }
    if (i == 1 || all) {
        MAT_GROUP(apart(99, 4); recorded(99, 4));
    }
    if (on_gpu) {
        rows(i);
    }
}

static void all(gnd_device *d, const char *spec)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX128, GND_COMPLEX64};
    mat_dtypes(d, spec, 4, dtypes, 19, each);
}

int main(void)
{
    static const char *const shapes[] = {"cpu", "gpu"};
    for (on_gpu = 0; on_gpu < 2; on_gpu++) {
        setenv("GND_KERNEL_SHAPE", shapes[on_gpu], 1);
        ref_devices(all);
    }
    return tap_done();
}
