/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_nonfinite.c - matrices with a NaN or an infinity: decompositions that iterate, and
 * Cholesky's, are errors that name the matrix; of all other functions the results of that matrix
 * are NaN, and those of the others in the batch are numbers. What is not read (the other triangle)
 * does not count, and right sides do not mix. The sizes are those for which libraries have ways of
 * their own: batches of small ones, and single ones. (In blocks: ops_blocked.)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "host/lapack.h"
#include "matcheck.h"
#include "ref.h"
#include "tap.h"

enum { LARGE = 530 }; /* eigenproblems of that order are cuSOLVER's */
static int derived;   /* whether functions that are made of others are looked at, too */

/* That y is an error of the last of nb matrices, by the function that `what` begins with. */
static void refused(gnd_array *y, int64_t nb, const char *what, const char *why)
{
    char text[128];
    snprintf(text, sizeof text, "%.*s: matrix %" PRId64 ": %s a NaN or an infinity",
             (int)strcspn(what, " '"), what, nb - 1, why);
    const gnd_status st = gnd_wait(y);
    const char *said = st ? gnd_error(y) : "";
    tap_ok(st == GND_ERR_LINALG && !strcmp(said, text), "%s: %s: %s of %" PRId64 ": %s", mat_where,
           gnd_dtype_name(mat_t), what, nb, said);
}

/* That of the last of nb matrices everything is NaN where `where` says so (0 all, 1 below the
 * diagonal, 2 not below it), and elsewhere nothing. */
static void nan_there(gnd_array *y, int64_t nb, int64_t m, int64_t n, int where, const char *what)
{
    const mat h = mat_get(y, nb, m, n);
    int64_t bad = 0;
    for (int64_t b = 0; b < nb; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                const double complex v = h.p[(b * m + i) * n + j];
                const int want = b == nb - 1 && (!where || (where == 1 ? i > j : i <= j));
                bad += want ? !isnan(creal(v)) : !isfinite(creal(v)) || !isfinite(cimag(v));
            }
    tap_ok(bad == 0, "%s: %s: %s of %" PRId64 ": %" PRId64 " of %" PRId64 " elements are wrong",
           mat_where, gnd_dtype_name(mat_t), what, nb, bad, nb * m * n);
}

/* That nothing of y is but a number. */
static void finite_all(gnd_array *y, int64_t nb, int64_t m, int64_t n, const char *what)
{
    const mat h = mat_get(y, nb, m, n);
    int64_t bad = 0;
    for (int64_t i = 0; i < nb * m * n; i++)
        bad += !isfinite(creal(h.p[i])) || !isfinite(cimag(h.p[i]));
    tap_ok(bad == 0, "%s: %s: %s", mat_where, gnd_dtype_name(mat_t), what);
}

/* nb matrices of m x n, the last of which has `bad` at (i, j); square: positive definite ones. */
static gnd_array *with(int64_t nb, int64_t m, int64_t n, int64_t i, int64_t j, double bad)
{
    mat a = mat_make(MAT_STRONG, nb, m, n), h = mat_adjoint(&a);
    if (m == n)
        for (int64_t k = 0; k < nb * n * n; k++)
            a.p[k] = (a.p[k] + h.p[k]) / 2;
    a.p[((nb - 1) * m + i) * n + j] = bad;
    return mat_put(&a);
}

static void errors(int64_t nb, int64_t n, double bad)
{
    static const char none[] = "no convergence: it has";
    gnd_array *x = with(nb, n, n, n - 1, n / 2, bad), *tall = with(nb, n + 3, n, n, 0, bad), *a, *b,
              *c;
    refused(gnd_cholesky(x, 0), nb, "cholesky", "not positive definite: it has");
    refused(gnd_svdvals(tall), nb, "svdvals", none);
    gnd_svd(gnd_mT(tall), 0, &a, &b, &c);
    refused(a, nb, "svd", none);
    gnd_eigh(x, 0, &a, &b);
    refused(b, nb, "eigh", none);
    refused(gnd_eigvalsh(gnd_mT(x), 1), nb, "eigvalsh", none);
    gnd_eig(x, &a, &b);
    refused(b, nb, "eig", none);
    refused(gnd_eigvals(x), nb, "eigvals", none);
    if (!derived || n == LARGE)
        return;
    refused(gnd_svdvals(x), nb, "svdvals of a square", none);
    refused(gnd_pinv(x, -1), nb, "pinv", none);
    refused(gnd_matrix_rank(tall, -1), nb, "matrix_rank", none);
    refused(gnd_cond(x, GND_ORD_2), nb, "cond", none);
    refused(gnd_matrix_norm(x, GND_ORD_2, 0), nb, "matrix_norm 2", none);
    refused(gnd_matrix_norm(x, GND_ORD_NUC, 0), nb, "matrix_norm nuc", none);
    if (nb != 1)
        return;
    gnd_array *one = gnd_squeeze(x, GND_AXIS(0)), *good = gnd_eye(mat_dev, mat_t, n, n, 0);
    gnd_lstsq(one, good, -1, &a, NULL, &b, NULL);
    refused(a, 1, "lstsq", none);
    refused(b, 1, "lstsq's rank", none);
    gnd_lstsq(good, one, -1, &a, NULL, NULL, NULL);
    refused(a, 1, "lstsq of right sides", "no convergence: its right sides have");
}

static void numbers(int64_t nb, int64_t n, double bad)
{
    gnd_array *x = with(nb, n, n, n - 1, n / 2, bad), *tall = with(nb, n + 3, n, n, 0, bad), *a, *b,
              *c;
    mat h = mat_make(MAT_RANDOM, nb, n, 3);
    gnd_array *sides = mat_put(&h);
    nan_there(gnd_inv(x), nb, n, n, 0, "inv");
    nan_there(gnd_solve(x, sides), nb, n, 3, 0, "solve");
    nan_there(gnd_det(gnd_multiply(x, gnd_real(0.25 / (double)n))), nb, 1, 1, 0, "det");
    gnd_lu(tall, &a, &b, &c);
    nan_there(b, nb, n + 3, n, 1, "lu's L");
    nan_there(c, nb, n, n, 2, "lu's U");
    finite_all(a, nb, n + 3, n + 3, "lu's P");
    gnd_qr(tall, 0, &a, &b);
    nan_there(a, nb, n + 3, n, 0, "qr's Q");
    nan_there(b, nb, n, n, 2, "qr's R");
    gnd_qr(tall, 1, &a, &b);
    nan_there(a, nb, n + 3, n + 3, 0, "the complete Q");
    nan_there(gnd_solve_triangular(x, sides, GND_SOLVE_LOWER), nb, n, 3, 0, "solve_triangular");
    if (!derived)
        return;
    gnd_slogdet(x, &a, &b);
    nan_there(a, nb, 1, 1, 0, "slogdet's sign");
    nan_there(b, nb, 1, 1, 0, "slogdet");
    nan_there(gnd_cho_solve(x, 1, sides), nb, n, 3, 0, "cho_solve");
    nan_there(gnd_matrix_power(x, -1), nb, n, n, 0, "matrix_power -1");
    nan_there(gnd_expm(gnd_multiply(x, gnd_real(0x1p-8))), nb, n, n, 0, "expm");
}

/* Above the diagonal, which is not read; and in one of the right sides. */
static void not_read(int64_t n, double bad)
{
    const unsigned low = GND_SOLVE_LOWER;
    gnd_array *x = with(2, n, n, 0, n - 1, bad), *w, *v;
    mat h = mat_make(MAT_RANDOM, 2, n, 3);
    gnd_array *sides = mat_put(&h);
    finite_all(gnd_cholesky(x, 0), 2, n, n, "cholesky reads one triangle");
    finite_all(gnd_solve_triangular(x, sides, low), 2, n, 3, "solve_triangular too");
    gnd_eigh(x, 0, &w, &v);
    finite_all(v, 2, n, n, "and eigh");
    finite_all(gnd_eigvalsh(gnd_mT(x), 1), 2, n, 1, "and eigvalsh of the upper one");
    x = with(2, n, n, n / 2, n / 2, bad);
    finite_all(gnd_solve_triangular(x, sides, low | GND_SOLVE_UNIT), 2, n, 3,
               "a diagonal that is not read");
    x = with(2, n, n, 0, 0, 1);
    h.p[n * 3 + 4] = bad;
    sides = mat_put(&h);
    for (int i = 0; i < 2; i++) {
        const mat y = mat_get(i ? gnd_solve_triangular(x, sides, 0) : gnd_solve(x, sides), 2, n, 3);
        int64_t off = 0;
        for (int64_t j = 0; j < 2 * n * 3; j++)
            off += (j < n * 3 || j % 3 != 1) && !isfinite(creal(y.p[j]));
        tap_ok(off == 0 && !isfinite(creal(y.p[n * 3 + 1])), "%s: right sides do not mix",
               mat_where);
    }
}

static void each(int i)
{
    derived = i == 0;
    MAT_GROUP(errors(3, 5, NAN); numbers(3, 5, NAN));
    MAT_GROUP(errors(1, 40, -INFINITY); numbers(12, 40, INFINITY); not_read(5, NAN));
    MAT_GROUP(errors(1, LARGE, i ? INFINITY : NAN); errors(1, 270, NAN); numbers(2, 270, NAN));
    MAT_GROUP(not_read(270, INFINITY));
}

static void all(gnd_device *d, const char *spec)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_COMPLEX128};
    mat_dtypes(d, spec, 2, dtypes, 7, each);
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
