/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_blocked.c - decompositions in blocks, panels by the host and the rest by products on the
 * device, or all by the device as GPUs have it, which GND_SOLVER=blocked asks for on any device and
 * with narrow panels: residuals,
 * orthogonality, orders round those of panels and of the substitution's kernel, rectangles, views,
 * triangles of every kind; matrices that are singular, not positive definite or not finite, with
 * the place where. And Q and R of small matrices by one kernel. Bounds as in ops_linalg.c.
 */
#define _XOPEN_SOURCE 700
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

static void cholesky(int64_t nb, int64_t n)
{
    mat x = mat_make(MAT_RANDOM, nb, n, n), a = mat_positive(&x, 0x1p-6);
    gnd_array *d = mat_put(&a);
    for (int upper = 0; upper < 2; upper++) {
        mat l = mat_get(gnd_cholesky(d, upper), nb, n, n), lh = mat_adjoint(&l);
        mat r = upper ? mat_off(&a, &lh, &l) : mat_off(&a, &l, &lh);
        mat_within(&r, mat_norms(&a), 4.0 * (double)n, mat_named("cholesky", MAT_NKINDS, &a));
    }
}

static void qr(mat_kind k, int64_t nb, int64_t m, int64_t n, int complete)
{
    gnd_array *q, *r;
    const int64_t c = complete ? m : m < n ? m : n;
    const double big = (double)(m > n ? m : n);
    mat a = mat_make(k, nb, m, n);
    tap_is_int(gnd_qr(mat_put(&a), complete, &q, &r), GND_OK, "%s: qr", mat_where);
    mat hq = mat_get(q, nb, m, c), hr = mat_get(r, nb, c, n), e = mat_off(&a, &hq, &hr);
    mat_within(&e, mat_norms(&a), 4.0 * big,
               mat_named(complete ? "complete q r" : "q r", MAT_NKINDS, &a));
    mat_orthogonal(&hq, 4.0 * big, mat_named("q", MAT_NKINDS, &a));
    int bad = 0;
    for (int64_t i = 0; i < nb * c * n; i++)
        bad += i / n % c > i % n && hr.p[i] != 0;
    tap_is_int(bad, 0, "%s: r is a triangle", mat_where);
}

static void lu(mat_kind k, int64_t nb, int64_t m, int64_t n)
{
    gnd_array *p, *l, *u;
    const int64_t q = m < n ? m : n;
    int bad = 0;
    mat a = mat_make(k, nb, m, n);
    tap_is_int(gnd_lu(mat_put(&a), &p, &l, &u), GND_OK, "%s: lu", mat_where);
    mat hp = mat_get(p, nb, m, m), hl = mat_get(l, nb, m, q), hu = mat_get(u, nb, q, n),
        pl = mat_mul(&hp, &hl);
    mat e = mat_off(&a, &pl, &hu);
    mat_within(&e, mat_times(mat_norms(&hl), mat_norms(&hu), nb), 2.0 * (double)q,
               mat_named("p l u", MAT_NKINDS, &a));
    for (int64_t i = 0; i < nb * m * q; i++)
        bad += cabs(hl.p[i]) > 1.5;
    tap_is_int(bad, 0, "%s: l has nothing greater than its ones", mat_where);
}

static void systems(mat_kind kind, int64_t nb, int64_t n, int64_t k)
{
    mat a = mat_make(kind, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, k), eye = mat_eye(1, n, n);
    gnd_array *da = mat_put(&a);
    mat x = mat_get(gnd_solve(da, mat_put(&b)), nb, n, k);
    mat_solves(&a, &x, &b, 10.0 * (double)n, mat_named("solve", MAT_NKINDS, &a));
    if (n > 60)
        return;
    x = mat_get(gnd_inv(da), nb, n, n);
    mat y = mat_mul(&a, &x), r = mat_sub(&y, &eye);
    mat_within(&r, mat_times(mat_norms(&a), mat_norms(&x), nb), 10.0 * (double)n,
               mat_named("inv", MAT_NKINDS, &a));
}

static void triangular(int64_t nb, int64_t n, int64_t k, unsigned flags)
{
    mat a = mat_make(MAT_STRONG, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, k);
    gnd_array *da = mat_put(&a), *db = mat_put(&b);
    if (flags & GND_SOLVE_UNIT) { /* a power of 2 for any n, exact in the device's division */
        da = gnd_div(da, gnd_real(8 * (double)n));
        for (int64_t i = 0; i < nb * n * n; i++)
            a.p[i] /= 8 * (double)n;
    }
    mat x = mat_get(gnd_solve_triangular(da, db, flags), nb, n, k);
    mat_triangle_solves(&a, &x, &b, flags, MAT_NKINDS);
}

/* The second of two matrices is NaN, and the first has only numbers. */
static void no_numbers(gnd_array *y, const char *what)
{
    const int64_t n = gnd_ndim(y) == 3 ? gnd_shape(y)[2] : 0;
    const mat h = mat_get(y, 2, gnd_shape(y)[1], n);
    int64_t bad = 0;
    for (int64_t i = 0; i < 2 * h.m * n; i++)
        bad += i < h.m * n ? !isfinite(creal(h.p[i])) : !isnan(creal(h.p[i]));
    tap_ok(n > 0 && bad == 0, "%s: %s of what is not finite", mat_where, what);
}

/* Places behind the first panel. */
static void impossible(void)
{
    enum { N = 160 };
    gnd_scope_begin();
    mat x = mat_make(MAT_RANDOM, 2, N, N), a = mat_positive(&x, 1);
    for (int i = 0; i < N; i++)
        a.p[(N + 130) * N + i] = a.p[(N + i) * N + 130] = 0;
    gnd_array *y = gnd_cholesky(mat_put(&a), 0), *d;
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: not positive definite", mat_where);
    tap_has_str(gnd_error(y),
                "cholesky: matrix 1: not positive definite: the leading minor of order 131",
                "where");
    for (int i = 0; i < 2 * N * N; i++)
        a.p[i] = i % N == i / N % N && i != (N + 77) * N + 77 ? 1 + i % 5 : 0;
    y = gnd_solve(d = mat_put(&a), mat_put(&x));
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: singular", mat_where);
    tap_has_str(gnd_error(y), "solve: matrix 1: singular: U[77, 77] is 0", "where");
    tap_ok(gnd_item_f64(gnd_at(gnd_real_part(gnd_det(d)), "1"), NULL) == 0,
           "%s: its determinant is 0", mat_where);
    y = gnd_solve_triangular(d, mat_put(&x), 0);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: a triangle with a 0", mat_where);
    tap_has_str(gnd_error(y), "solve_triangular: matrix 1: singular: the diagonal's[77, 77] is 0",
                "where");
    gnd_array *q[3];
    for (int k = 0; k < 2; k++) { /* ends, and says so */
        a.p[(N + 140) * N + 7] = x.p[(N + 140) * N + 7] = k ? INFINITY : NAN;
        gnd_array *not = mat_put(&x), *sides = gnd_at(not, "0");
        y = gnd_cholesky(mat_put(&a), 0);
        tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: cholesky of what is not finite", mat_where);
        tap_has_str(gnd_error(y),
                    "cholesky: matrix 1: not positive definite: it has a NaN or an infinity",
                    "where");
        gnd_qr(not, 0, &q[1], &q[2]);
        no_numbers(q[1], "the Q");
        gnd_lu(not, &q[0], &q[2], &q[1]);
        no_numbers(gnd_at(q[1], "..., -1:"), "the last column of U");
        no_numbers(gnd_inv(not ), "the inverse");
        no_numbers(gnd_solve(not, sides), "the solution");
        no_numbers(gnd_solve_triangular(not, sides, GND_SOLVE_LOWER), "that of its lower triangle");
    }
    gnd_scope_end();
    mat_free_all();
}

static void views(void)
{
    gnd_scope_begin();
    mat big = mat_make(MAT_STRONG, 1, 120, 120), a = mat_new(1, 60, 60), b = mat_new(1, 60, 60);
    gnd_array *d = gnd_squeeze(mat_put(&big), GND_AXIS(0)), *q, *r;
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++) {
            a.p[i * 60 + j] = big.p[(119 - 2 * i) * 120 + 119 - 2 * j];
            b.p[i * 60 + j] = big.p[j * 120 + 10 + i];
        }
    mat x = mat_get(gnd_inv(gnd_at(d, "::-2, ::-2")), 1, 60, 60), ax = mat_mul(&a, &x),
        eye = mat_eye(1, 60, 60);
    mat_equal(&ax, &eye, 600, "the inverse of a view with negative steps");
    tap_is_int(gnd_qr(gnd_T(gnd_at(d, ":60, 10:70")), 0, &q, &r), GND_OK,
               "%s: qr of a transposed part", mat_where);
    mat hq = mat_get(q, 1, 60, 60), hr = mat_get(r, 1, 60, 60), e = mat_off(&b, &hq, &hr);
    mat_within(&e, mat_norms(&b), 240, "its q r");
    tap_is_int(gnd_size(gnd_inv(gnd_zeros(mat_dev, mat_t, 2, (int64_t[]){0, 0}))), 0,
               "%s: inv of nothing", mat_where);
    gnd_scope_end();
    mat_free_all();
}

/* That it is what runs, where a library adds products and none decomposes: the plan has panels, and
 * with GND_SOLVER=lapack has none. */
static void chosen(void)
{
    gnd_status st;
    const gnd_gemm g = {.dtype = (uint32_t)mat_t,
                        .m = 100,
                        .n = 100,
                        .k = 32,
                        .nbatch = 1,
                        .a = {.row = 1, .col = 100},
                        .b = {.row = 100, .col = 1},
                        .c = {.row = 100, .col = 1},
                        .alpha = -1,
                        .beta = 1};
    const char *const shape = getenv("GND_KERNEL_SHAPE");
    int library = 0; /* one may be there for sums of products alone */
    gnd__gate_lock(mat_dev->g);
    if (gnd__gate_gemm_supports(mat_dev->g, &g, &library, NULL) != GND_OK)
        library = 0;
    gnd__gate_unlock(mat_dev->g);
    if (!library || strncmp(gnd_device_id(mat_dev), "opencl", 6) != 0 ||
        mat_dev->g->props.kind != GND_DEV_CPU || (shape && strcmp(shape, "cpu") != 0)) {
        tap_skip(2, "%s: decompositions are not made in blocks there", mat_where);
        return;
    }
    for (int i = 0; i < 2; i++) {
        setenv("GND_SOLVER", i ? "lapack" : "blocked", 1);
        gnd_scope_begin();
        gnd_array *y = gnd_cholesky(gnd_eye(mat_dev, mat_t, 100, 100, 0), 0);
        char *text = gnd_explain(1, &y, 0, &st);
        tap_ok(text && (strstr(text, "panel") != NULL) == !i, "%s: GND_SOLVER=%s", mat_where,
               getenv("GND_SOLVER"));
        free(text);
        gnd_scope_end();
    }
    setenv("GND_SOLVER", "blocked", 1);
}

static void each(int i)
{
    static const int64_t size[] = {1, 2, 17, 49, 100};
    if (i == 0) {
        gnd_scope_begin();
        chosen();
        gnd_scope_end();
    }
    for (int j = i == 0 ? 0 : 4; j < 5; j++) { /* each dtype and order has kernels to be compiled */
        const int64_t n = size[j], m = size[(j + 2) % 5];
        const mat_kind k = (mat_kind)((i + j) % MAT_NKINDS);
        MAT_GROUP(cholesky(2, n); qr(k, 2, m, n, j % 2); if (i < 2) lu(k, 2, m, n));
        MAT_GROUP(systems(k == MAT_HILBERT ? MAT_NEAR : k, 2, n, j % 2 ? 1 : 70));
    }
    for (unsigned f = 0; f < 16; f++)
        if ((i == 0 || f % 5 == 0) && (!(f & GND_SOLVE_TRANS) || !(f & GND_SOLVE_ADJOINT))) {
            MAT_GROUP(triangular(2, f % 3 ? 65 : 97, f % 2 ? 3 : 40, f));
        }
    if (i == 0) {
        MAT_GROUP(cholesky(1, 257); lu(MAT_RANDOM, 1, 300, 256); qr(MAT_GRADED, 1, 257, 255, 0));
        MAT_GROUP(qr(MAT_NEAR, 1, 257, 100, 1); systems(MAT_RANDOM, 1, 255, 2));
        MAT_GROUP(qr(MAT_RANDOM, 1, 256, 256, 0); lu(MAT_NEAR, 1, 255, 257);
                  triangular(1, 257, 5, 0));
        views();
        impossible();
    }
}

static void all(gnd_device *d, const char *spec)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT64, GND_COMPLEX64, GND_FLOAT32, GND_COMPLEX128};
    mat_dtypes(d, spec, 4, dtypes, 11, each);
}

/* Q and R of many small matrices by one kernel, as GPUs have them: in local memory and too large
 * for it, wide and tall, graded, of low rank, with columns of zeros. */
static void batches(gnd_device *d, const char *spec)
{
    static const struct {
        gnd_dtype t;
        int64_t m, n;
        int complete;
    } of[] = {
        {GND_FLOAT32, 20, 20, 0},  {GND_FLOAT32, 17, 19, 1},   {GND_FLOAT32, 20, 1, 1},
        {GND_FLOAT64, 130, 40, 1}, {GND_COMPLEX64, 12, 33, 0}, {GND_COMPLEX128, 33, 12, 0},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (ref_skip(d, of[i].t, 1))
            continue;
        mat_setting(d, spec, of[i].t);
        ref_seed(13);
        for (int k = 0; k < MAT_NKINDS; k++)
            MAT_GROUP(qr((mat_kind)k, 9, of[i].m, of[i].n, of[i].complete));
        gnd_scope_begin();
        gnd_array *q, *r, *x = gnd_zeros(d, of[i].t, 3, (int64_t[]){8, of[i].m, of[i].n});
        gnd_qr(x, of[i].complete, &q, &r);
        mat hq = mat_get(q, 8, of[i].m, gnd_dim(q, 2));
        mat_orthogonal(&hq, 1, "q of zeros");
        gnd_scope_end();
        mat_free_all();
    }
}

/* Least squares of a tall matrix, whose QR decomposition leaves a square: the residual is
 * orthogonal to the columns. */
static void least_squares(int64_t m, int64_t n)
{
    gnd_status st;
    gnd_array *x, *rank;
    mat a = mat_make(MAT_RANDOM, 1, m, n), b = mat_make(MAT_RANDOM, 1, m, 2);
    gnd_array *da = gnd_squeeze(mat_put(&a), GND_AXIS(0)),
              *db = gnd_squeeze(mat_put(&b), GND_AXIS(0));
    tap_is_int(gnd_lstsq(da, db, -1, &x, NULL, &rank, NULL), GND_OK, "%s: lstsq", mat_where);
    tap_is_int(gnd_item_i64(rank, &st), n, "%s: its rank", mat_where);
    mat hx = mat_get(x, 1, n, 2), ax = mat_mul(&a, &hx), off = mat_sub(&ax, &b),
        h = mat_adjoint(&a), none = mat_mul(&h, &off);
    mat_within(&none, mat_times(mat_norms(&a), mat_norms(&b), 1), 4.0 * (double)n,
               mat_named("a^H (a x - b)", MAT_NKINDS, &a));
}

/* As GPUs have them, panels by the device: several panels, of columns that are several groups'
 * steps, of which the last is narrow; wide and tall, right sides that are many, one, or more than a
 * group. */
static void on_device(int i)
{
    MAT_GROUP(lu(MAT_RANDOM, 2, 150, 131); systems(MAT_STRONG, 2, 141, i ? 3 : 70));
    MAT_GROUP(cholesky(1, 150); triangular(1, 150, i ? 70 : 1, i % 2 ? 5 : 0));
    MAT_GROUP(qr(MAT_RANDOM, 2, 150, 133, 0); qr(MAT_GRADED, 1, 70, 90, 1));
    if (i == 0) {
        MAT_GROUP(cholesky(1, 261); lu(MAT_NEAR, 1, 70, 133); lu(MAT_GRADED, 1, 600, 20));
        MAT_GROUP(least_squares(300, 37));
        impossible();
    }
}

static void devices(gnd_device *d, const char *spec)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT64, GND_COMPLEX64, GND_FLOAT32, GND_COMPLEX128};
    mat_dtypes(d, spec, 4, dtypes, 12, on_device);
}

int main(void)
{
    setenv("GND_SOLVER", "blocked", 1);
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(devices);
    unsetenv("GND_SOLVER");
    ref_devices(batches);
    return tap_done();
}
