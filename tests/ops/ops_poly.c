/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_poly.c - differences, derivatives, integrals, comparisons of arrays and polynomials against
 * plain loops in double: axes, ends, coordinates, dtypes, NaN, what cannot be fitted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static gnd_device *dev;
static gnd_dtype whole_float; /* what ints become: the device's default float */
static double eps;            /* of that */

/* y has these n elements within tol, in C order, and that dtype. */
static void near_all(const char *what, gnd_array *y, gnd_dtype t, int n, const double *want,
                     double tol)
{
    int bad = 0;
    unsigned char *p = calloc((size_t)n + 1, 16);
    if (gnd_dtype_of(y) != t || gnd_size(y) != n || gnd_read(y, p, gnd_nbytes(y))) {
        bad = 1;
        tap_diag("%s with %d elements: %s", gnd_dtype_name(gnd_dtype_of(y)), (int)gnd_size(y),
                 gnd_error(y));
    }
    for (int i = 0; i < n && !bad; i++) {
        ref_num v = ref_get(t, p + (size_t)i * gnd_dtype_size(t));
        double got = v.kind == 'f' || v.kind == 'c' ? (double)v.re
                     : v.kind == 'u'                ? (double)v.u
                                                    : (double)v.i;
        bad = !(fabs(got - want[i]) <= tol || got == want[i] || (isnan(got) && isnan(want[i])));
        if (bad)
            tap_diag("element %d: %.17g, not %.17g within %g", i, got, want[i], tol);
    }
    free(p);
    tap_ok(!bad, "%s", what);
}

static void is_bool(const char *what, gnd_array *y, int want)
{
    unsigned char v = 9;
    gnd_status st = gnd_ndim(y) ? GND_ERR_SHAPE : gnd_read(y, &v, 1);
    tap_ok(st == GND_OK && gnd_dtype_of(y) == GND_BOOL && v == want, "%s", what);
    if (st || v != want)
        tap_diag("%d, not %d %s", v, want, gnd_error(y));
}

/* A 1-d array of dtype t of n (up to 1000) numbers. */
static gnd_array *line(gnd_dtype t, int n, const double *v)
{
    float f[1000];
    int64_t dim = n;
    for (int i = 0; i < n && i < 1000; i++)
        f[i] = (float)v[i];
    const void *p = whole_float == GND_FLOAT64 ? (const void *)v : (const void *)f;
    return gnd_astype(gnd_from(dev, whole_float, 1, &dim, p), t);
}

/* --- differences ------------------------------------------------------------------------------ */

enum { R = 5, C = 7 };
static double grid[R * C];

static gnd_array *grid_array(gnd_dtype t)
{
    float f[R * C];
    for (int i = 0; i < R * C; i++)
        f[i] = (float)(grid[i] = (double)ref_range(0, 160) / 8);
    return gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(R, C), f), t);
}

static void differences(void)
{
    double want[(R + 3) * (C + 1)];
    gnd_array *x = grid_array(GND_FLOAT32);
    int n = 0;
    for (int i = 0; i < R; i++)
        for (int j = 0; j + 1 < C; j++)
            want[n++] = grid[i * C + j + 1] - grid[i * C + j];
    near_all("diff", gnd_diff(x, 1, -1, NULL, NULL), GND_FLOAT32, n, want, 1e-6);
    n = 0;
    for (int i = 0; i + 2 < R; i++)
        for (int j = 0; j < C; j++)
            want[n++] = grid[(i + 2) * C + j] - 2 * grid[(i + 1) * C + j] + grid[i * C + j];
    near_all("diff, twice along axis 0", gnd_diff(x, 2, 0, NULL, NULL), GND_FLOAT32, n, want, 1e-5);
    n = 0;
    for (int i = 0; i < R + 2; i++)
        for (int j = 0; j < C; j++) {
            double ends[R + 3];
            ends[0] = 3;
            for (int k = 0; k < R; k++)
                ends[k + 1] = grid[k * C + j];
            ends[R + 1] = grid[j];
            ends[R + 2] = grid[C + j];
            want[n++] = ends[i + 1] - ends[i];
        }
    near_all("diff with a number before and rows behind",
             gnd_diff(x, 1, 0, gnd_int(3), gnd_at(x, ":2")), GND_FLOAT32, n, want, 1e-6);
    tap_ok(gnd_dim(gnd_diff(x, 0, 0, gnd_int(3), NULL), 0) == R,
           "diff, no times, is the array itself");
    tap_ok(gnd_dim(gnd_diff(x, 9, 0, gnd_int(3), NULL), 0) == 0,
           "diff, more often than there are rows");
    tap_ok(gnd_dim(gnd_diff(x, INT32_MAX, 1, NULL, NULL), 1) == 0, "diff, far more often");
    gnd_array *b = line(GND_BOOL, 5, (double[]){1, 0, 0, 1, 1});
    near_all("diff of bools", gnd_diff(b, 1, 0, NULL, NULL), GND_BOOL, 4, (double[]){1, 0, 1, 0},
             0);
    near_all("diff of bools, twice", gnd_diff(b, 2, 0, NULL, NULL), GND_BOOL, 3,
             (double[]){1, 1, 1}, 0);
    near_all("diff of uint8 wraps",
             gnd_diff(line(GND_UINT8, 3, (double[]){5, 3, 4}), 1, 0, NULL, NULL), GND_UINT8, 2,
             (double[]){254, 1}, 0);
    near_all("diff: dtypes promote", gnd_diff(b, 1, 0, line(GND_INT16, 1, (double[]){4}), NULL),
             GND_INT16, 5, (double[]){-3, -1, 0, 1, 0}, 0);
    gnd_array *i = line(GND_INT32, 3, (double[]){1, 4, 9});
    near_all("ediff1d", gnd_ediff1d(i, NULL, NULL), GND_INT32, 2, (double[]){3, 5}, 0);
    near_all("ediff1d with ends", gnd_ediff1d(i, line(GND_INT8, 2, (double[]){7, 8}), gnd_int(-1)),
             GND_INT32, 5, (double[]){-1, 3, 5, 7, 8}, 0);
    near_all("ediff1d of nothing, with ends", gnd_ediff1d(gnd_at(i, ":0"), gnd_int(2), gnd_int(1)),
             GND_INT32, 2, (double[]){1, 2}, 0);
    tap_is_int(gnd_size(gnd_ediff1d(x, NULL, NULL)), R * C - 1, "ediff1d flattens");
}

/* The weights of the parabola's derivative at x[at] through x[0], x[1], x[2]. */
static double parabola(const double *x, const double *y, int at)
{
    double s = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        s += y[i] * (2 * x[at] - x[j] - x[k]) / ((x[i] - x[j]) * (x[i] - x[k]));
    }
    return s;
}

/* The derivative of n values y at coordinates x. */
static void plain_gradient(int n, const double *x, const double *y, int order, double *d)
{
    for (int i = 1; i + 1 < n; i++)
        d[i] = parabola(x + i - 1, y + i - 1, 1);
    d[0] = order == 2 ? parabola(x, y, 0) : (y[1] - y[0]) / (x[1] - x[0]);
    d[n - 1] = order == 2 ? parabola(x + n - 3, y + n - 3, 2)
                          : (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2]);
}

static void derivatives(void)
{
    const gnd_dtype types[] = {GND_FLOAT32, GND_INT16, GND_BFLOAT16};
    double at[C] = {0, 0.5, 1.5, 1.75, 3, 4.5, 5}, even[C], want[R * C];
    for (int t = 0; t < 3; t++) {
        gnd_array *x = grid_array(types[t]);
        gnd_dtype rt = types[t] == GND_INT16 ? whole_float : types[t];
        double tol = t == 2 ? 0.5 : 1e-4;
        if (t == 1)
            for (int i = 0; i < R * C; i++)
                grid[i] = trunc(grid[i]);
        if (t == 2) { /* what 8 bits keep */
            double kept[R * C];
            gnd_array *w = gnd_astype(x, GND_FLOAT32);
            float f[R * C];
            gnd_read(w, f, sizeof f);
            for (int i = 0; i < R * C; i++)
                kept[i] = (double)f[i];
            memcpy(grid, kept, sizeof kept);
        }
        for (int order = 1; order <= 2; order++) {
            for (int j = 0; j < C; j++)
                even[j] = 0.5 * j;
            for (int i = 0; i < R; i++)
                plain_gradient(C, even, grid + i * C, order, want + i * C);
            near_all("gradient, evenly spaced", gnd_gradient(x, gnd_real(0.5), 1, order), rt, R * C,
                     want, tol);
            for (int i = 0; i < R; i++)
                plain_gradient(C, at, grid + i * C, order, want + i * C);
            gnd_array *where = line(order == 1 ? GND_FLOAT32 : whole_float, C, at);
            near_all("gradient at coordinates", gnd_gradient(x, where, -1, order), rt, R * C, want,
                     t == 2 ? 1 : tol);
        }
        if (t)
            continue;
        double column[R], d[R];
        for (int i = 0; i < R; i++)
            even[i] = i;
        for (int j = 0; j < C; j++) {
            for (int i = 0; i < R; i++)
                column[i] = grid[i * C + j];
            plain_gradient(R, even, column, 1, d);
            for (int i = 0; i < R; i++)
                want[i * C + j] = d[i];
        }
        near_all("gradient along axis 0", gnd_gradient(x, NULL, 0, 1), rt, R * C, want, tol);
        near_all("gradient of two",
                 gnd_gradient(line(GND_FLOAT32, 2, (double[]){1, 4}), NULL, 0, 1), GND_FLOAT32, 2,
                 (double[]){3, 3}, 0);
        float flat[3] = {2, 2, 2}, zero[3];
        gnd_read(gnd_gradient(gnd_from(dev, GND_FLOAT32, DIM(3), flat), NULL, 0, 1), zero,
                 sizeof zero);
        tap_ok(!signbit(zero[0]) && !signbit(zero[1]) && !signbit(zero[2]),
               "a flat line has a slope of +0");
    }
}

static void integrals(void)
{
    double at[C] = {0, 0.5, 1.5, 1.75, 3, 4.5, 5}, want[C];
    gnd_array *x = grid_array(GND_FLOAT32);
    for (int i = 0; i < R; i++) {
        want[i] = 0;
        for (int j = 0; j + 1 < C; j++)
            want[i] += (at[j + 1] - at[j]) * (grid[i * C + j] + grid[i * C + j + 1]) / 2;
    }
    gnd_array *where = line(GND_FLOAT32, C, at);
    near_all("trapezoid at coordinates", gnd_trapezoid(x, where, 1, 1), GND_FLOAT32, R, want, 1e-4);
    near_all("coordinates for each element",
             gnd_trapezoid(x, gnd_broadcast_to(where, DIM(R, C)), 1, 1), GND_FLOAT32, R, want,
             1e-4);
    for (int j = 0; j < C; j++) {
        want[j] = 0;
        for (int i = 0; i + 1 < R; i++)
            want[j] += 0.25 * (grid[i * C + j] + grid[(i + 1) * C + j]) / 2;
    }
    near_all("trapezoid along axis 0", gnd_trapezoid(x, NULL, 0.25, -2), GND_FLOAT32, C, want,
             1e-4);
    near_all("ints do not overflow",
             gnd_trapezoid(line(GND_INT8, 3, (double[]){127, 127, 127}), NULL, 1, 0), whole_float,
             1, (double[]){254}, 0);
    near_all("one element has no integral", gnd_trapezoid(gnd_at(x, "0, :1"), NULL, 1, 0),
             GND_FLOAT32, 1, (double[]){0}, 0);
    near_all("nor have none", gnd_trapezoid(gnd_at(x, "0, :0"), NULL, 1, 0), GND_FLOAT32, 1,
             (double[]){0}, 0);
}

/* --- comparisons ------------------------------------------------------------------------------ */

static void comparisons(void)
{
    double va[] = {1, 1, 1, 0, 1e-9, NAN, INFINITY, INFINITY, -INFINITY, 1, NAN, -128};
    double vb[] = {1, 1.00001, 1.0001, 1e-9, 0, NAN, INFINITY, -INFINITY, 1, INFINITY, 1, 127};
    double close[] = {1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0};
    enum { N = sizeof va / sizeof *va };
    gnd_array *a = line(whole_float, N, va), *b = line(whole_float, N, vb);
    near_all("isclose", gnd_isclose(a, b, 1e-5, 1e-8, 0), GND_BOOL, N, close, 0);
    is_bool("allclose", gnd_allclose(a, b, 1e-5, 1e-8, 0), 0);
    is_bool("allclose of parts", gnd_allclose(gnd_at(a, ":2"), gnd_at(b, ":2"), 1e-5, 1e-8, 0), 1);
    close[5] = 1;
    near_all("isclose: NaN as equals", gnd_isclose(a, b, 1e-5, 1e-8, 1), GND_BOOL, N, close, 0);
    is_bool("array_equal: NaN is no equal", gnd_array_equal(a, a, 0), 0);
    is_bool("array_equal: NaN as equals", gnd_array_equal(a, a, 1), 1);
    is_bool("array_equal: NaN in one", gnd_array_equal(a, b, 1), 0);
    near_all("the tolerance is b's",
             gnd_isclose(line(whole_float, 2, (double[]){10, 11}),
                         line(whole_float, 2, (double[]){11, 10}), 0.095, 0, 0),
             GND_BOOL, 2, (double[]){1, 0}, 0);
    gnd_array *i8 = line(GND_INT8, 3, (double[]){-128, 127, 5});
    near_all("isclose of ints does not wrap", gnd_isclose(i8, gnd_flip(i8, GND_ALL), 0, 200, 0),
             GND_BOOL, 3, (double[]){1, 1, 1}, 0);
    near_all("isclose to a number", gnd_isclose(i8, gnd_int(-128), 0, 0, 0), GND_BOOL, 3,
             (double[]){1, 0, 0}, 0);
    gnd_array *t = line(GND_BOOL, 2, (double[]){0, 1});
    near_all("isclose of bools", gnd_isclose(t, gnd_bool(1), 0, 0, 0), GND_BOOL, 2,
             (double[]){0, 1}, 0);
    gnd_array *z = gnd_add(gnd_astype(i8, GND_FLOAT32), gnd_complex(0, 3));
    near_all("isclose of complex numbers",
             gnd_isclose(z, gnd_add(z, gnd_complex(0, 1e-3)), 1e-4, 0, 0), GND_BOOL, 3,
             (double[]){1, 1, 0}, 0);
    near_all("isclose broadcasts", gnd_isclose(gnd_reshape(t, DIM(2, 1)), t, 0, 0, 0), GND_BOOL, 4,
             (double[]){1, 0, 0, 1}, 0);
    is_bool("array_equal: other dtypes", gnd_array_equal(i8, gnd_astype(i8, GND_FLOAT32), 0), 1);
    is_bool("array_equal: other shapes", gnd_array_equal(i8, gnd_at(i8, ":2"), 0), 0);
    is_bool("array_equal: other dimensions", gnd_array_equal(i8, gnd_at(i8, "None"), 0), 0);
    is_bool("array_equal of nothing", gnd_array_equal(gnd_at(a, ":0"), gnd_at(b, ":0"), 0), 1);
    is_bool("array_equiv", gnd_array_equiv(gnd_at(t, "1"), gnd_ones(dev, GND_INT8, DIM(2, 3))), 1);
    is_bool("array_equiv: a difference", gnd_array_equiv(t, gnd_ones(dev, GND_INT8, DIM(2, 2))), 0);
    is_bool("array_equiv: shapes that do not broadcast", gnd_array_equiv(t, i8), 0);
    is_bool("isclose of numbers", gnd_isclose(gnd_int(3), gnd_real(3.1), 0, 0.2, 0), 1);
    is_bool("array_equal of numbers", gnd_array_equal(gnd_real(NAN), gnd_real(NAN), 1), 1);
}

/* --- polynomials ------------------------------------------------------------------------------ */

/* More coefficients than an expression is made of: a loop in a kernel. */
static void many_coefficients(void)
{
    enum { N = 500, M = 37 };
    static double p[N], q[N * 2], v[M], want[2 * M];
    for (int i = 0; i < N; i++) {
        p[i] = (double)(i * 7 % 11) - 5;
        q[2 * i] = p[i];
        q[2 * i + 1] = (double)(i % 3);
    }
    for (int i = 0; i < M; i++)
        v[i] = (double)(i - 18) / 18;
    gnd_array *x = line(GND_FLOAT32, M, v), *c = line(GND_FLOAT32, N, p);
    for (int i = 0; i < M; i++) {
        float y = 0 * (float)v[i] + (float)p[0];
        for (int k = 1; k < N; k++) {
            y = y * (float)v[i];
            y = y + (float)p[k];
        }
        want[i] = y;
    }
    near_all("polyval with 500 coefficients, to the bit", gnd_polyval(c, x), GND_FLOAT32, M, want,
             0);
    gnd_array *two = gnd_reshape(line(GND_FLOAT32, 2 * N, q), 3, (int64_t[]){N, 2, 1});
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < M; i++) {
            float y = 0 * (float)v[i] + (float)q[r];
            for (int k = 1; k < N; k++) {
                y = y * (float)v[i];
                y = y + (float)q[2 * k + r];
            }
            want[r * M + i] = y;
        }
    near_all("polyval of two polynomials", gnd_polyval(two, x), GND_FLOAT32, 2 * M, want, 0);
    uint64_t sum = 0;
    for (int k = 0; k < N; k++)
        sum = sum * (uint64_t)-3 + (uint64_t)(int64_t)p[k];
    want[0] = (double)(int64_t)(sum & 0xffff);
    near_all("polyval of ints wraps",
             gnd_bitwise_and(gnd_polyval(line(GND_INT64, N, p), line(GND_INT64, 1, (double[]){-3})),
                             gnd_int(0xffff)),
             GND_INT64, 1, want, 0);
    near_all("polyval at infinity, many",
             gnd_polyval(c, line(GND_FLOAT32, 1, (double[]){INFINITY})), GND_FLOAT32, 1,
             (double[]){NAN}, 0);
}

static void values_and_powers(void)
{
    double p[4] = {2, -1, 0.5, 3}, v[5] = {-2, 0, 1, 0.5, 3}, want[20];
    gnd_array *x = line(GND_FLOAT32, 5, v), *c = line(GND_FLOAT32, 4, p);
    for (int i = 0; i < 5; i++)
        want[i] = ((p[0] * v[i] + p[1]) * v[i] + p[2]) * v[i] + p[3];
    near_all("polyval", gnd_polyval(c, x), GND_FLOAT32, 5, want, 1e-5);
    near_all(
        "polyval of ints",
        gnd_polyval(line(GND_INT64, 2, (double[]){3, 4}), line(GND_INT32, 3, (double[]){1, 2, -5})),
        GND_INT64, 3, (double[]){7, 10, -11}, 0);
    near_all("without coefficients", gnd_polyval(gnd_at(c, ":0"), x), GND_FLOAT32, 5,
             (double[5]){0}, 0);
    near_all("polyval at infinity", gnd_polyval(c, line(GND_FLOAT32, 1, (double[]){INFINITY})),
             GND_FLOAT32, 1, (double[]){NAN}, 0);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            want[i * 4 + j] = pow(v[i], j);
    near_all("vander, increasing", gnd_vander(x, 4, 1), whole_float, 20, want, 64 * eps);
    gnd_array *n = line(GND_INT8, 3, (double[]){-3, 0, 20});
    near_all("vander of ints", gnd_vander(n, -1, 0), GND_INT64, 9,
             (double[]){9, -3, 1, 0, 0, 1, 400, 20, 1}, 0);
    gnd_array *z = gnd_multiply(n, gnd_complex(0, 1));
    near_all("vander of complex numbers",
             gnd_real_part(gnd_vander(gnd_astype(z, GND_COMPLEX64), 3, 0)), whole_float, 9,
             (double[]){-9, 0, 1, 0, 0, 1, -400, 0, 1}, 1e-3);
    tap_ok(gnd_dim(gnd_vander(x, 0, 0), 1) == 0, "vander without columns");
}

enum { POINTS = 40 };

static void fits(void)
{
    double x[POINTS], y[POINTS], w[POINTS], c[4] = {0.75, -2, 0, 5};
    for (int i = 0; i < POINTS; i++) {
        x[i] = -1 + 2.0 * i / (POINTS - 1);
        y[i] = ((c[0] * x[i] + c[1]) * x[i] + c[2]) * x[i] + c[3];
        w[i] = i % 4 ? 1 : 0.5;
    }
    double tol = 400 * eps;
    gnd_array *ax = line(whole_float, POINTS, x), *ay = line(whole_float, POINTS, y),
              *aw = line(whole_float, POINTS, w);
    near_all("polyfit finds what made the points", gnd_polyfit(ax, ay, 3, -1, NULL), whole_float, 4,
             c, tol);
    near_all("with weights too", gnd_polyfit(ax, ay, 3, -1, aw), whole_float, 4, c, tol);
    double more[6] = {0, 0, c[0], c[1], c[2], c[3]};
    near_all("powers too many get 0", gnd_polyfit(ax, ay, 5, -1, NULL), whole_float, 6, more,
             10 * tol);
    /* the normal equations of a line */
    double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < POINTS; i++) {
        double q = w[i] * w[i];
        s += q;
        sx += q * x[i];
        sy += q * y[i];
        sxx += q * x[i] * x[i];
        sxy += q * x[i] * y[i];
    }
    double slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    double best[2] = {slope, (sy - slope * sx) / s};
    near_all("the best line", gnd_polyfit(ax, ay, 1, -1, aw), whole_float, 2, best, tol);
    gnd_array *both[2] = {ay, gnd_negative(ay)}, *two = gnd_stack(2, both, 1);
    double pair[8];
    for (int i = 0; i < 8; i++)
        pair[i] = i % 2 ? -c[i / 2] : c[i / 2];
    near_all("two columns", gnd_polyfit(ax, two, 3, -1, NULL), whole_float, 8, pair, tol);
    near_all("two columns with weights", gnd_polyfit(ax, two, 3, -1, aw), whole_float, 8, pair,
             tol);
    gnd_array *same = line(whole_float, 3, (double[]){2, 2, 2}),
              *v3 = line(whole_float, 3, (double[]){1, 2, 6});
    near_all("points at one place give a constant", gnd_polyfit(same, v3, 2, -1, NULL), whole_float,
             3, (double[]){0, 0, 3}, tol);
    near_all("points at 0 likewise", gnd_polyfit(gnd_subtract(same, same), v3, 1, -1, NULL),
             whole_float, 2, (double[]){0, 3}, tol);
    near_all("fewer points than coefficients",
             gnd_polyfit(line(whole_float, 2, (double[]){1, 3}),
                         line(whole_float, 2, (double[]){2, 6}), 4, -1, NULL),
             whole_float, 5, (double[]){0, 0, 0, 2, 0}, tol);
    near_all("a large rcond leaves a constant",
             gnd_polyfit(line(whole_float, 3, (double[]){1, 2, 3}), v3, 1, 0.9, NULL), whole_float,
             2, (double[]){0, 3}, tol);
    gnd_array *i = line(GND_INT32, 3, (double[]){-1, 0, 2});
    near_all("ints", gnd_polyfit(i, gnd_multiply(i, i), 2, -1, NULL), whole_float, 3,
             (double[]){1, 0, 0}, tol);
    gnd_array *z = gnd_polyfit(ax, gnd_multiply(ay, gnd_complex(1, 2)), 3, -1, NULL);
    for (int k = 0; k < 4; k++)
        pair[k] = 2 * c[k];
    near_all("complex values", gnd_imag_part(z), whole_float, 4, pair, tol);
    double turn[POINTS];
    for (int k = 0; k < POINTS; k++)
        turn[k] = 0.3 * k;
    gnd_array *circle = gnd_exp(gnd_multiply(line(whole_float, POINTS, turn), gnd_complex(0, 1)));
    gnd_array *q = gnd_add(gnd_multiply(circle, gnd_add(circle, gnd_complex(0, 2))), gnd_int(3));
    gnd_array *fit = gnd_polyfit(circle, q, 2, -1, NULL);
    near_all("complex points, real parts", gnd_real_part(fit), whole_float, 3, (double[]){1, 0, 3},
             tol);
    near_all("imaginary parts", gnd_imag_part(fit), whole_float, 3, (double[]){0, 2, 0}, tol);
    near_all("NaN spreads",
             gnd_polyfit(v3, line(whole_float, 3, (double[]){1, NAN, 2}), 0, -1, NULL), whole_float,
             1, (double[]){NAN}, 0);
}

static void on_device(gnd_device *d, const char *spec)
{
    void (*const part[])(void) = {differences,       derivatives,       integrals, comparisons,
                                  values_and_powers, many_coefficients, fits};
    tap_diag("%s", spec);
    dev = d;
    whole_float = gnd_default_float(dev);
    eps = whole_float == GND_FLOAT64 ? 0x1p-52 : 0x1p-23;
    ref_seed(12);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        gnd_scope_begin();
        part[i]();
        gnd_scope_end();
    }
    gnd_stats n;
    if (gnd_device_stats(dev, &n) == GND_OK)
        tap_diag("%d kernels built, %d from disk", (int)n.kernels_built, (int)n.kernels_from_disk);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
