/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_reduce.c - reductions with the elementwise work before and after them, several in one plan,
 * against plain loops: distances, norms, softmax, ranges. With the kernels of both shapes.
 */
#include <math.h>
#include <stdlib.h>

#include "ref.h"
#include "tap.h"

static const char *shape_name;

static void on_device(gnd_device *dev, const char *spec)
{
    enum { R = 37, C = 133 };
    const int64_t dim[2] = {R, C};
    ref_arr a, b;
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    ref_seed(3);
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, GND_FLOAT32, 2, dim, REF_CONTIG, REF_REAL, &a);
    gnd_array *y = ref_make(dev, GND_FLOAT32, 2, dim, REF_TRANSPOSED, REF_REAL, &b);
    gnd_array *d = gnd_square(gnd_subtract(x, y));
    gnd_array *row = gnd_sum(d, GND_AXIS(1), 0), *col = gnd_sum(d, GND_AXIS(0), 0);
    gnd_array *norm = gnd_sqrt(gnd_mean(gnd_multiply(x, x), GND_AXIS(1), 0));
    gnd_array *mx = gnd_max(x, GND_AXIS(1), GND_KEEPDIMS);
    gnd_array *e = gnd_exp(gnd_subtract(x, mx));
    gnd_array *soft = gnd_divide(e, gnd_sum(e, GND_AXIS(1), GND_KEEPDIMS));
    gnd_array *range = gnd_subtract(gnd_max(x, GND_AXIS(0), 0), gnd_min(x, GND_AXIS(0), 0));
    int lacks = ref_lacks(dev, GND_FLOAT64);
    gnd_array *dot =
        gnd_sum(gnd_multiply(gnd_astype(x, lacks ? GND_FLOAT32 : GND_FLOAT64), y), GND_ALL, 0);
    gnd_array *where = gnd_argmax(gnd_abs(gnd_subtract(x, y)), GND_AXIS(1), 0);
    gnd_array *center = gnd_subtract(x, gnd_mean(x, GND_AXIS(0), 0));
    gnd_array *all[] = {row, col, norm, soft, range, dot, where, center};
    gnd_status st = gnd_eval_all(8, all);
    tap_is_int(st, GND_OK, "%s: fused forms in one plan", shape_name);
    float frow[R] = {0}, fcol[C] = {0}, fnorm[R] = {0}, frange[C] = {0}, *fs = calloc(R * C, 4),
          *fc = calloc(R * C, 4);
    int64_t fw[R] = {0};
    double fdot = gnd_item_f64(dot, NULL), wdot = 0;
    gnd_read(row, frow, sizeof frow), gnd_read(col, fcol, sizeof fcol);
    gnd_read(norm, fnorm, sizeof fnorm), gnd_read(range, frange, sizeof frange);
    gnd_read(soft, fs, R * C * 4), gnd_read(where, fw, sizeof fw), gnd_read(center, fc, R * C * 4);
    double err[8] = {0};
#define X(i, j) ((double)ref_get(GND_FLOAT32, ref_at(&a, (int64_t[]){i, j})).re)
#define Y(i, j) ((double)ref_get(GND_FLOAT32, ref_at(&b, (int64_t[]){i, j})).re)
    for (int i = 0; i < R; i++) {
        double s = 0, q = 0, m = -9, z = 0, far = -1;
        int at = 0;
        for (int j = 0; j < C; j++) {
            float df = (float)X(i, j) - (float)Y(i, j);
            s += (X(i, j) - Y(i, j)) * (X(i, j) - Y(i, j));
            q += X(i, j) * X(i, j) / C;
            m = fmax(m, X(i, j));
            wdot += X(i, j) * Y(i, j);
            if (fabs((double)df) > far)
                far = fabs((double)df), at = j;
        }
        for (int j = 0; j < C; j++)
            z += exp(X(i, j) - m);
        for (int j = 0; j < C; j++)
            err[3] = fmax(err[3], fabs(fs[i * C + j] / (exp(X(i, j) - m) / z) - 1));
        err[0] = fmax(err[0], fabs(frow[i] / s - 1));
        err[2] = fmax(err[2], fabs(fnorm[i] / sqrt(q) - 1));
        err[6] += fw[i] != at;
    }
    for (int j = 0; j < C; j++) {
        double s = 0, m = -9, l = 9, mean = 0;
        for (int i = 0; i < R; i++) {
            s += (X(i, j) - Y(i, j)) * (X(i, j) - Y(i, j));
            m = fmax(m, X(i, j)), l = fmin(l, X(i, j)), mean += X(i, j) / R;
        }
        for (int i = 0; i < R; i++)
            err[7] = fmax(err[7], fabs(fc[i * C + j] - (X(i, j) - mean)));
        err[1] = fmax(err[1], fabs(fcol[j] / s - 1));
        err[4] = fmax(err[4], fabs(frange[j] - (m - l)));
    }
    err[5] = fabs(fdot - wdot) / 1e3;
    const char *name[] = {"sum((x - y)^2, axis 1)",
                          "sum((x - y)^2, axis 0)",
                          "sqrt(mean(x*x))",
                          "softmax",
                          "max - min",
                          "sum(float64(x) * y)",
                          "argmax(|x - y|)",
                          "x - mean(x, axis 0)"};
    for (int i = 0; i < 8; i++)
        if (i != 5 || !ref_skip(dev, GND_FLOAT64, 1))
            tap_near(err[i], 0, i == 5 ? 1e-15 : 2e-6, "%s: %s", shape_name, name[i]);
    free(fs), free(fc);
    ref_free(&a), ref_free(&b);
    gnd_scope_end();
}

enum { LONG = 40001 };

/* The places of the greatest and the smallest of a long array, both by one kernel. */
static void places(gnd_device *dev, gnd_dtype t, const void *data, int64_t most, int64_t least,
                   const char *what)
{
    const int64_t n = LONG;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, t, 1, &n, data),
              *y[2] = {gnd_argmax(x, GND_ALL, 0), gnd_argmin(x, GND_ALL, 0)};
    const gnd_status st = gnd_eval_all(2, y);
    const int64_t a = gnd_item_i64(y[0], NULL), b = gnd_item_i64(y[1], NULL);
    if (!tap_ok(!st && a == most && b == least, "%s: %s, %s", shape_name, gnd_dtype_name(t), what))
        tap_diag("%lld, %lld instead of %lld, %lld", (long long)a, (long long)b, (long long)most,
                 (long long)least);
    gnd_scope_end();
}

/* What is equal, NaN, and the ends of the range, in the first place of several: parts of a long
 * array meet in any order. */
static void extremes(gnd_device *dev, const char *spec)
{
    static float f[LONG];
    static int16_t h[LONG];
    static uint32_t u[LONG];
    (void)spec;
    for (int i = 0; i < LONG; i++)
        f[i] = i % 3 ? 0.0f : -0.0f;
    places(dev, GND_FLOAT32, f, 0, 0, "zeros of both signs");
    f[3] = f[33000] = 1e-30f;
    f[17000] = f[39999] = -1e-30f;
    places(dev, GND_FLOAT32, f, 3, 17000, "small numbers");
    f[20000] = f[20001] = INFINITY;
    f[40000] = f[16384] = -INFINITY;
    places(dev, GND_FLOAT32, f, 20000, 16384, "infinities");
    f[20002] = f[35001] = NAN;
    f[32768] = -NAN;
    places(dev, GND_FLOAT32, f, 20002, 20002, "NaN");
    for (int i = 0; i < LONG; i++)
        f[i] = -INFINITY;
    places(dev, GND_FLOAT32, f, 0, 0, "all the same");
    f[777] = -3e38f;
    places(dev, GND_FLOAT32, f, 777, 0, "all but one");
    h[5] = h[30000] = INT16_MAX;
    h[6] = h[16000] = INT16_MIN;
    places(dev, GND_INT16, h, 5, 6, "the ends of the range");
    for (int i = 0; i < LONG; i++)
        u[i] = UINT32_MAX;
    places(dev, GND_UINT32, u, 0, 0, "the greatest");
    u[39000] = u[39001] = 0;
    places(dev, GND_UINT32, u, 0, 39000, "one 0 and another");
}

/* Random numbers that feed a reduction are those that are stored. */
static void random_numbers(gnd_device *dev, const char *spec)
{
    enum { M = 3, K = 40003 };
    static float x[M * K];
    const int64_t dim[2] = {M, K};
    double most[M] = {0}, got;
    float top[M];
    int64_t inside = 0;
    gnd_rng g = gnd_rng_seed(9), same = g;
    gnd_status st;
    (void)spec;
    gnd_scope_begin();
    st = gnd_read(gnd_rng_random(&g, dev, GND_FLOAT32, 2, dim), x, sizeof x);
    for (int i = 0; i < M * K; i++) {
        most[i / K] = fmax(most[i / K], x[i]);
        inside += x[i] * x[i] + x[i] * x[i] < 1;
    }
    gnd_array *y = gnd_rng_random(&same, dev, GND_FLOAT32, 2, dim);
    if (!st)
        st = gnd_read(gnd_max(y, GND_AXIS(1), 0), top, sizeof top);
    tap_ok(!st && top[0] == most[0] && top[1] == most[1] && top[2] == most[2],
           "%s: the greatest random number of each row", shape_name);
    got = gnd_item_f64(
        gnd_sum(gnd_less(gnd_add(gnd_multiply(y, y), gnd_multiply(y, y)), gnd_int(1)), GND_ALL, 0),
        &st);
    tap_ok(!st && got == (double)inside, "%s: random numbers, counted", shape_name);
    gnd_scope_end();
}

/* v to so many bits, to nearest even; none of these is subnormal or too large. */
static long double rounded(long double v, int bits)
{
    int e;
    const long double m = frexpl(v, &e);
    return ldexpl(rintl(ldexpl(m, bits)), e - bits);
}

/* A sum with a dtype: each int is rounded to it first, the exact sum of those once at the end. */
static void sums_as(gnd_device *dev, const char *spec)
{
    enum { R = 64, C = 100 };
    static const struct {
        gnd_dtype from, to;
        int64_t most;
        int bits;
    } kind[] = {{GND_INT64, GND_BFLOAT16, (int64_t)1 << 55, 8},
                {GND_INT32, GND_BFLOAT16, INT32_MAX, 8},
                {GND_INT32, GND_FLOAT16, 5000, 11}};
    static int64_t v[R * C];
    const int64_t dim[2] = {R, C};
    (void)spec;
    ref_seed(5);
    gnd_scope_begin();
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        int bad = 0;
        float got[R] = {0};
        for (int i = 0; i < R * C; i++)
            v[i] = ref_range(0, kind[k].most) >> i % 7 * 2;
        for (int i = 1; i < R * C; i += 2 + i % 3)
            v[i] = -v[i];
        gnd_array *x = gnd_astype(gnd_from(dev, GND_INT64, 2, dim, v), kind[k].from);
        gnd_wait(x);
        gnd_array *y = gnd_sum_as(x, GND_AXIS(1), 0, kind[k].to);
        const int is = gnd_dtype_of(y) == kind[k].to;
        const gnd_status st = gnd_read(gnd_astype(y, GND_FLOAT32), got, sizeof got);
        for (int i = 0; i < R; i++) {
            long double sum = 0;
            for (int j = 0; j < C; j++)
                sum += rounded((long double)v[i * C + j], kind[k].bits);
            bad += got[i] != (float)rounded(sum, kind[k].bits);
        }
        tap_ok(!st && is && !bad, "%s: %d of %d sums of %s as %s are wrong", shape_name, bad, R,
               gnd_dtype_name(kind[k].from), gnd_dtype_name(kind[k].to));
    }
    gnd_scope_end();
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
        ref_devices(extremes);
        ref_devices(random_numbers);
        ref_devices(sums_as);
    }
    return tap_done();
}
