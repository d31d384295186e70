/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_cov.c - weighted means, logsumexp with weights, covariances and correlations against plain
 * loops. What reduces without weights is in ops_stat.c.
 */
#include <math.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static gnd_dtype whole_float; /* what ints become: the device's default float */

/* --- weights ---------------------------------------------------------------------------------- */

static void near_all(const char *what, gnd_array *y, int n, const double *want, double tol)
{
    double got[64] = {0};
    int bad = 0;
    gnd_array *d =
        gnd_astype(y, ref_lacks(gnd_device_of(y), GND_FLOAT64) ? GND_FLOAT32 : GND_FLOAT64);
    if (gnd_size(d) != n)
        bad = 1;
    for (int i = 0; i < n && !bad; i++) {
        gnd_array *flat = gnd_reshape(d, DIM(-1)),
                  *e = gnd_index(flat, 1, (gnd_range[]){{.kind = GND_IDX_INT, .start = i}});
        gnd_status st;
        got[i] = gnd_item_f64(e, &st);
        bad = st || !(fabs(got[i] - want[i]) <= tol || got[i] == want[i] ||
                      (isnan(got[i]) && isnan(want[i])));
        if (bad)
            tap_diag("element %d: %.17g, not %.17g %s", i, got[i], want[i], gnd_error(e));
    }
    tap_ok(!bad && gnd_size(d) == n, "%s", what);
    if (gnd_status_of(y))
        tap_diag("%s", gnd_error(y));
}

static void weights(gnd_device *dev)
{
    enum { R = 3, C = 4 };
    static const float x[R * C] = {1, 2, 3, 4, -1, 0.5f, 2.5f, 8, 0, 0, 7, 1},
                             row[C] = {1, 2, 0, 3};
    static const int8_t whole[R * C] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    double want[R], sums[R] = {6, 6, 6}, all = 0, rows[R] = {0}, lse[R];
    gnd_scope_begin();
    gnd_array *a = gnd_from(dev, GND_FLOAT32, DIM(R, C), x),
              *w = gnd_from(dev, GND_FLOAT32, DIM(C), row);
    gnd_array *i8 = gnd_from(dev, GND_INT8, DIM(R, C), whole), *sum;
    for (int i = 0; i < R; i++) {
        double s = 0, e = 0;
        for (int j = 0; j < C; j++) {
            s += (double)x[i * C + j] * (double)row[j];
            e += exp((double)x[i * C + j]) * (double)row[j];
            rows[i] += (double)x[i * C + j] * whole[i * C + j];
            all += whole[i * C + j];
        }
        want[i] = s / 6;
        lse[i] = log(e);
    }
    near_all("average with weights of an axis", gnd_average(a, w, GND_AXIS(1), 0, &sum), R, want,
             1e-6);
    near_all("the sum of the weights", sum, R, sums, 0);
    gnd_array *keep = gnd_average(a, w, GND_AXIS(-1), GND_KEEPDIMS, &sum);
    tap_ok(gnd_ndim(keep) == 2 && gnd_dim(keep, 1) == 1 && gnd_dim(sum, 0) == R &&
               gnd_ndim(sum) == 2,
           "average keeps dimensions");
    near_all("average with weights for each element", gnd_average(a, i8, GND_ALL, 0, NULL), 1,
             (double[]){(rows[0] + rows[1] + rows[2]) / all}, 1e-6);
    near_all("average without weights", gnd_average(i8, NULL, GND_AXIS(0), 0, &sum), C,
             (double[]){5, 6, 7, 8}, 1e-6);
    near_all("its count", sum, C, (double[]){3, 3, 3, 3}, 0);
    tap_is_int(gnd_dtype_of(gnd_average(i8, w, GND_AXIS(1), 0, NULL)), whole_float,
               "ints with float32 weights give the default float");
    near_all("weights that sum to 0",
             gnd_average(a, gnd_zeros_like(a, GND_DTYPE_DEFAULT), GND_ALL, 0, NULL), 1,
             (double[]){NAN}, 0);
    near_all("logsumexp with weights", gnd_logsumexp(a, w, GND_AXIS(1), 0), R, lse, 1e-5);
    gnd_array *bad = gnd_where(gnd_equal(w, gnd_int(0)), gnd_real(NAN), a);
    near_all("logsumexp: a weight of 0 hides NaN", gnd_logsumexp(bad, w, GND_AXIS(1), 0), R, lse,
             1e-5);
    near_all("logsumexp: a negative sum is NaN", gnd_logsumexp(a, gnd_real(-1), GND_ALL, 0), 1,
             (double[]){NAN}, 0);
    gnd_array *z = gnd_add(a, gnd_complex(0, 1)), *y = gnd_logsumexp(z, NULL, GND_ALL, 0);
    double plain = log(exp(1.) + exp(2.) + exp(3.) + exp(4.) + exp(-1.) + exp(.5) + exp(2.5) +
                       exp(8.) + 2 + exp(7.) + exp(1.));
    near_all("logsumexp of complex numbers, real part", gnd_real_part(y), 1, (double[]){plain},
             1e-5);
    near_all("imaginary part", gnd_imag_part(y), 1, (double[]){1}, 1e-5);
    gnd_scope_end();
}

/* --- covariances ------------------------------------------------------------------------------ */

enum { K = 3, N = 9 };

/* c = sum of w (x_i - mean_i) (x_j - mean_j) / div */
static void plain_cov(double x[K][N], const double *w, double div, double *c)
{
    double mean[K], sum = 0;
    for (int j = 0; j < N; j++)
        sum += w[j];
    for (int i = 0; i < K; i++) {
        mean[i] = 0;
        for (int j = 0; j < N; j++)
            mean[i] += w[j] * x[i][j] / sum;
    }
    for (int i = 0; i < K * K; i++) {
        c[i] = 0;
        for (int j = 0; j < N; j++)
            c[i] += w[j] * (x[i / K][j] - mean[i / K]) * (x[i % K][j] - mean[i % K]) / div;
    }
}

static void covariances(gnd_device *dev)
{
    static const int64_t often[N] = {1, 0, 2, 1, 3, 1, 1, 0, 2};
    double x[K][N], w[N], c[K * K], r[K * K], sum = 0, squares = 0;
    float f[K][N], much[N];
    for (int i = 0; i < K; i++)
        for (int j = 0; j < N; j++)
            x[i][j] = (double)(f[i][j] = (float)ref_range(-40, 40) / 8);
    for (int j = 0; j < N; j++) {
        much[j] = (float)ref_range(1, 8) / 4;
        w[j] = (double)much[j] * (double)often[j];
        sum += w[j];
        squares += w[j] * (double)much[j];
    }
    gnd_scope_begin();
    double one[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, tol = whole_float == GND_FLOAT64 ? 1e-12 : 1e-4;
    gnd_array *a = gnd_from(dev, GND_FLOAT32, DIM(K, N), f),
              *fw = gnd_from(dev, GND_INT64, DIM(N), often),
              *aw = gnd_from(dev, GND_FLOAT32, DIM(N), much);
    gnd_dtype d = GND_DTYPE_DEFAULT;
    plain_cov(x, one, N - 1, c);
    gnd_array *y = gnd_cov(a, NULL, 1, 1, NULL, NULL, d);
    near_all("cov of rows", y, K * K, c, tol);
    tap_is_int(gnd_dtype_of(y), whole_float, "in the default float");
    near_all("cov of columns", gnd_cov(gnd_T(a), NULL, 0, 1, NULL, NULL, d), K * K, c, tol);
    near_all("cov with a second array",
             gnd_cov(gnd_at(a, ":2"), gnd_at(a, "2"), 1, 1, NULL, NULL, d), K * K, c, tol);
    near_all("cov of one variable", gnd_cov(gnd_at(a, "1"), NULL, 1, 1, NULL, NULL, d), 1, &c[4],
             tol);
    near_all("cov in float32", gnd_cov(a, NULL, 1, 1, NULL, NULL, GND_FLOAT32), K * K, c, 1e-4);
    for (int i = 0; i < K * K; i++)
        r[i] = c[i] / sqrt(c[i / K * (K + 1)] * c[i % K * (K + 1)]);
    near_all("corrcoef", gnd_corrcoef(a, NULL, 1, d), K * K, r, tol);
    near_all("corrcoef of one variable", gnd_corrcoef(gnd_at(a, "1"), NULL, 1, d), 1, (double[]){1},
             0);
    plain_cov(x, one, N, c);
    near_all("cov, biased", gnd_cov(a, NULL, 1, 0, NULL, NULL, d), K * K, c, tol);
    plain_cov(x, w, sum - squares / sum, c);
    near_all("cov with both weights", gnd_cov(a, NULL, 1, 1, fw, aw, d), K * K, c, tol);
    for (int j = 0; j < N; j++)
        w[j] = (double)often[j];
    plain_cov(x, w, 11 - 2, c);
    near_all("cov with counts", gnd_cov(a, NULL, 1, 2, fw, NULL, d), K * K, c, tol);
    near_all("too few observations", gnd_cov(gnd_at(a, "0, :1"), NULL, 1, 1, NULL, NULL, d), 1,
             (double[]){NAN}, 0);
    y = gnd_cov(gnd_zeros(dev, GND_FLOAT32, DIM(0, 4)), NULL, 1, 1, NULL, NULL, d);
    tap_ok(gnd_ndim(y) == 2 && gnd_size(y) == 0 && gnd_dim(y, 1) == 0, "cov of nothing is 0 by 0");
    gnd_array *z = gnd_add(gnd_at(a, "0"), gnd_multiply(gnd_at(a, "1"), gnd_complex(0, 1)));
    gnd_array *two[2] = {z, gnd_conj(z)}, *both = gnd_stack(2, two, 0);
    plain_cov(x, one, N - 1, c);
    y = gnd_cov(both, NULL, 1, 1, NULL, NULL, d);
    double re[4] = {c[0] + c[4], c[0] - c[4], c[0] - c[4], c[0] + c[4]},
           im[4] = {0, 2 * c[1], -2 * c[1], 0};
    near_all("cov of complex numbers, real parts", gnd_real_part(y), 4, re, tol);
    near_all("imaginary parts", gnd_imag_part(y), 4, im, tol);
    near_all("corrcoef of complex numbers", gnd_imag_part(gnd_corrcoef(both, NULL, 1, d)), 4,
             (double[]){0, im[1] / re[0], im[2] / re[0], 0}, tol);
    near_all("trace", gnd_trace(gnd_cov(a, NULL, 1, 1, NULL, NULL, d), 1, -1, 0, d), 1,
             (double[]){c[3] + c[7]}, tol);
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    whole_float = gnd_default_float(dev);
    ref_seed(11);
    weights(dev);
    covariances(dev);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
