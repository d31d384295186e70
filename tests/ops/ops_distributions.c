/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_distributions.c - the distributions against their functions: Kolmogorov and Smirnov's test
 * for continuous ones (20000 numbers, D sqrt(n) below 1.95: passed by 999 seeds of 1000), Pearson's
 * for counts (the chi-square as a normal number by Wilson and Hilferty's root, below 3.29: 1999 of
 * 2000), with fixed seeds; moments of rows; parameters at the edges of their ranges, and by
 * element.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { N = 20000 };

/* --- distribution functions ------------------------------------------------------------------- */

/* The lower incomplete gamma function over gamma(a): its series, or Legendre's continued fraction.
 */
static double gamma_p(double a, double x)
{
    if (x <= 0)
        return 0;
    double lead = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int k = 1; k < 10000 && term > sum * 1e-16; k++)
            sum += term *= x / (a + k);
        return lead * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int k = 1; k < 10000; k++) {
        double n = -k * (k - a);
        b += 2;
        d = 1 / (n * d + b);
        c = b + n / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return 1 - lead * h;
}

/* The incomplete beta function over beta(a, b), by Lentz's evaluation of its continued fraction. */
static double beta_i(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x > 0;
    if (x > (a + 1) / (a + b + 2))
        return 1 - beta_i(b, a, 1 - x);
    double lead = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 10000; m++) {
        double n = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + n * d);
        c = 1 + n / c;
        h *= c * d;
        n = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + n * d);
        c = 1 + n / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return lead * h;
}

typedef double cdf(double x, double a, double b);

static double f_uniform(double x, double a, double b)
{
    return x < a ? 0 : x > b ? 1 : (x - a) / (b - a);
}
static double f_normal(double x, double a, double b)
{
    return erfc((a - x) / b * sqrt(0.5)) / 2;
}
static double f_lognormal(double x, double a, double b)
{
    return x > 0 ? f_normal(log(x), a, b) : 0;
}
static double f_exponential(double x, double a, double b)
{
    return (void)b, x > 0 ? -expm1(-x / a) : 0;
}
static double f_gamma(double x, double a, double b)
{
    return gamma_p(a, x / b);
}
static double f_beta(double x, double a, double b)
{
    return beta_i(a, b, x);
}
static double f_chisquare(double x, double a, double b)
{
    return (void)b, gamma_p(a / 2, x / 2);
}
static double f_t(double x, double a, double b)
{
    double tail = beta_i(a / 2, 0.5, a / (a + x * x)) / 2;
    return (void)b, x > 0 ? 1 - tail : tail;
}
static double f_laplace(double x, double a, double b)
{
    return x < a ? exp((x - a) / b) / 2 : 1 - exp((a - x) / b) / 2;
}
static double f_logistic(double x, double a, double b)
{
    return 1 / (1 + exp((a - x) / b));
}

static double f_gumbel(double x, double a, double b)
{
    return exp(-exp((a - x) / b));
}
static double f_weibull(double x, double a, double b)
{
    return (void)b, x > 0 ? -expm1(-pow(x, a)) : 0;
}
static double f_pareto(double x, double a, double b)
{
    return (void)b, x > 0 ? -expm1(-a * log1p(x)) : 0;
}
static double f_power(double x, double a, double b)
{
    return (void)b, x < 0 ? 0 : x > 1 ? 1 : pow(x, a);
}
static double f_rayleigh(double x, double a, double b)
{
    return (void)b, x > 0 ? -expm1(-x * x / (2 * a * a)) : 0;
}
static double f_cauchy(double x, double a, double b)
{
    return (void)a, (void)b, 0.5 + atan(x) / 3.14159265358979323846;
}
/* From a to b with the peak at MODE. */
static const double MODE = 0.5;
static double f_triangular(double x, double a, double b)
{
    if (x < a || x > b)
        return x > b;
    return x < MODE ? (x - a) * (x - a) / ((b - a) * (MODE - a))
                    : 1 - (b - x) * (b - x) / ((b - a) * (b - MODE));
}
static double f_wald(double x, double m, double s)
{
    double r = sqrt(s / x);
    return f_normal(r * (x / m - 1), 0, 1) + exp(2 * s / m) * f_normal(-r * (x / m + 1), 0, 1);
}
static double f_f(double x, double a, double b)
{
    return beta_i(a / 2, b / 2, a * x / (a * x + b));
}
/* Mixtures by Poisson's probabilities. */
static double f_noncentral(double x, double a, double b)
{
    double sum = 0;
    for (int k = 0; k < 60; k++)
        sum += exp(k * log(b / 2) - b / 2 - lgamma(k + 1)) * gamma_p(a / 2 + k, x / 2);
    return sum;
}
enum { NONC = 3 };
static double f_noncentral_f(double x, double a, double b)
{
    double sum = 0, u = a * x / (a * x + b);
    for (int k = 0; k < 60; k++)
        sum += exp(k * log(NONC / 2.0) - NONC / 2.0 - lgamma(k + 1)) * beta_i(a / 2 + k, b / 2, u);
    return sum;
}

/* Trapezoids of half a turn around 0, in a table. */
static double f_vonmises(double x, double a, double b)
{
    enum { STEPS = 4096 };
    static double table[STEPS + 1], of = -1;
    const double pi = 3.14159265358979323846;
    if (of != b) {
        of = b;
        for (int k = 1; k <= STEPS; k++)
            table[k] = table[k - 1] + exp(b * (cos(2 * pi * (k - 0.5) / STEPS - pi) - 1));
    }
    const double at = (x - a + pi) / (2 * pi) * STEPS, low = fmin(fmax(floor(at), 0), STEPS - 1);
    const int k = (int)low;
    return (table[k] + (at - low) * (table[k + 1] - table[k])) / table[STEPS];
}

/* Probabilities of counts. */
static double p_zipf(double k, double a, double b)
{
    double zeta = 0.5 * pow(1000, -a) + pow(1000, 1 - a) / (a - 1);
    for (int j = 1; j < 1000; j++)
        zeta += pow(j, -a);
    return (void)b, k < 1 ? 0 : pow(k, -a) / zeta;
}
/* Of a good and b bad things n are drawn. */
static double choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}
static double p_drawn(double k, double a, double b, double n)
{
    return k > a || k > n || n - k > b ? 0
                                       : exp(choose(a, k) + choose(b, n - k) - choose(a + b, n));
}
static double p_few(double k, double a, double b)
{
    return p_drawn(k, a, b, 7);
}
static double p_many(double k, double a, double b)
{
    return p_drawn(k, a, b, a + b - 8);
}
static double p_half(double k, double a, double b)
{
    return p_drawn(k, a, b, floor((a + b) * 0.6));
}
static double p_negative_binomial(double k, double n, double p)
{
    return exp(lgamma(k + n) - lgamma(k + 1) - lgamma(n) + n * log(p) + k * log1p(-p));
}
static double p_logseries(double k, double p, double b)
{
    return (void)b, k < 1 ? 0 : -exp(k * log(p)) / (k * log1p(-p));
}
static double p_poisson(double k, double a, double b)
{
    (void)b;
    return exp(k * log(a) - a - lgamma(k + 1));
}
static double p_binomial(double k, double n, double p)
{
    if (k > n)
        return 0;
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}
/* Of so many trials that Poisson's limit is there, and that logarithms of their factorial have lost
 * all digits. */
static double p_rare(double k, double n, double p)
{
    return p_poisson(k, n * p, 0);
}
static double p_geometric(double k, double p, double b)
{
    return (void)b, k < 1 ? 0 : p * exp((k - 1) * log1p(-p));
}
static double p_equal(double k, double n, double b)
{
    return (void)b, k < n ? 1 / n : 0;
}

/* --- tests of fit ----------------------------------------------------------------------------- */

typedef gnd_array *make1(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *, gnd_array *);
typedef gnd_array *make2(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *, gnd_array *,
                         gnd_array *);

typedef struct dist {
    const char *name;
    make1 *one;
    make2 *two;
    double a, b;
    cdf *f; /* distribution function, or probability of a count */
} dist;

static gnd_array *cauchy(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                         gnd_array *a)
{
    return (void)a, gnd_rng_standard_cauchy(g, dev, t, ndim, shape);
}
static gnd_array *triangular(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *a, gnd_array *b)
{
    return gnd_rng_triangular(g, dev, t, ndim, shape, a, gnd_real(MODE), b);
}
static gnd_array *noncentral_f(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                               const int64_t *shape, gnd_array *a, gnd_array *b)
{
    return gnd_rng_noncentral_f(g, dev, t, ndim, shape, a, b, gnd_int(NONC));
}

static gnd_array *few(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                      gnd_array *a, gnd_array *b)
{
    return gnd_rng_hypergeometric(g, dev, t, ndim, shape, a, b, gnd_int(7));
}
static gnd_array *many(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                       gnd_array *a, gnd_array *b)
{
    gnd_array *n = gnd_subtract(gnd_add(a, b), gnd_int(8));
    return gnd_rng_hypergeometric(g, dev, t, ndim, shape, a, b, n);
}
static gnd_array *half(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                       gnd_array *a, gnd_array *b)
{
    gnd_array *n = gnd_floor(gnd_multiply(gnd_add(a, b), gnd_real(0.6)));
    return gnd_rng_hypergeometric(g, dev, t, ndim, shape, a, b, n);
}

static const dist continuous[] = {
    {"uniform", NULL, gnd_rng_uniform, -2, 5, f_uniform},
    {"normal", NULL, gnd_rng_normal, 0, 1, f_normal},
    {"normal", NULL, gnd_rng_normal, 10, 0.5, f_normal},
    {"lognormal", NULL, gnd_rng_lognormal, 0.5, 0.75, f_lognormal},
    {"exponential", gnd_rng_exponential, NULL, 3, 0, f_exponential},
    {"gamma", NULL, gnd_rng_gamma, 0.3, 2, f_gamma},
    {"gamma", NULL, gnd_rng_gamma, 1, 1, f_gamma},
    {"gamma", NULL, gnd_rng_gamma, 4.5, 1, f_gamma},
    {"gamma", NULL, gnd_rng_gamma, 1000, 1, f_gamma},
    {"beta", NULL, gnd_rng_beta, 0.5, 0.5, f_beta},
    {"beta", NULL, gnd_rng_beta, 2, 7, f_beta},
    {"chisquare", gnd_rng_chisquare, NULL, 3, 0, f_chisquare},
    {"standard_t", gnd_rng_standard_t, NULL, 4, 0, f_t},
    {"laplace", NULL, gnd_rng_laplace, 1, 2, f_laplace},
    {"logistic", NULL, gnd_rng_logistic, -1, 0.5, f_logistic},
    {"gumbel", NULL, gnd_rng_gumbel, -1, 2, f_gumbel},
    {"weibull", gnd_rng_weibull, NULL, 1.5, 0, f_weibull},
    {"pareto", gnd_rng_pareto, NULL, 3, 0, f_pareto},
    {"power", gnd_rng_power, NULL, 2.5, 0, f_power},
    {"rayleigh", gnd_rng_rayleigh, NULL, 3, 0, f_rayleigh},
    {"standard_cauchy", cauchy, NULL, 0, 0, f_cauchy},
    {"triangular", NULL, triangular, -1, 4, f_triangular},
    {"wald", NULL, gnd_rng_wald, 2, 3, f_wald},
    {"f", NULL, gnd_rng_f, 5, 7, f_f},
    {"noncentral_chisquare", NULL, gnd_rng_noncentral_chisquare, 0.7, 5, f_noncentral},
    {"noncentral_f", NULL, noncentral_f, 5, 9, f_noncentral_f},
    {"vonmises", NULL, gnd_rng_vonmises, 0, 0.4, f_vonmises},
    {"vonmises", NULL, gnd_rng_vonmises, 0, 30, f_vonmises}};

static const dist counts[] = {
    {"poisson", gnd_rng_poisson, NULL, 0.7, 0, p_poisson},
    {"poisson", gnd_rng_poisson, NULL, 9.5, 0, p_poisson},
    {"poisson", gnd_rng_poisson, NULL, 10, 0, p_poisson},
    {"poisson", gnd_rng_poisson, NULL, 130, 0, p_poisson},
    {"poisson", gnd_rng_poisson, NULL, 2500, 0, p_poisson},
    {"binomial", NULL, gnd_rng_binomial, 10, 0.3, p_binomial},
    {"binomial", NULL, gnd_rng_binomial, 40, 0.25, p_binomial},
    {"binomial", NULL, gnd_rng_binomial, 50, 0.6, p_binomial},
    {"binomial", NULL, gnd_rng_binomial, 1000, 0.85, p_binomial},
    {"binomial", NULL, gnd_rng_binomial, 1e6, 1e-5, p_binomial},
    {"binomial", NULL, gnd_rng_binomial, 1e16, 2e-15, p_rare},
    {"geometric", gnd_rng_geometric, NULL, 0.3, 0, p_geometric},
    {"geometric", gnd_rng_geometric, NULL, 0.9, 0, p_geometric},
    {"negative_binomial", NULL, gnd_rng_negative_binomial, 2.5, 0.2, p_negative_binomial},
    {"logseries", gnd_rng_logseries, NULL, 0.6, 0, p_logseries},
    {"logseries", gnd_rng_logseries, NULL, 0.98, 0, p_logseries},
    {"zipf", gnd_rng_zipf, NULL, 3.5, 0, p_zipf},
    {"hypergeometric of 7", NULL, few, 5, 9, p_few},
    {"hypergeometric but 8", NULL, many, 20, 11, p_many},
    {"hypergeometric", NULL, half, 300, 120, p_half},
    {"hypergeometric", NULL, half, 1500, 40000, p_half}};

static gnd_array *draw(const dist *d, gnd_rng *g, gnd_device *dev, gnd_dtype t, int64_t n)
{
    gnd_array *a = gnd_real(d->a), *b = gnd_real(d->b);
    return d->one ? d->one(g, dev, t, 1, &n, a) : d->two(g, dev, t, 1, &n, a, b);
}

static int up(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double smirnov(double *x, const dist *d)
{
    double worst = 0;
    qsort(x, N, sizeof *x, up);
    for (int i = 0; i < N; i++) {
        double f = d->f(x[i], d->a, d->b), low = f - (double)i / N, high = (double)(i + 1) / N - f;
        worst = fmax(worst, fmax(low, high));
        if (isnan(x[i]))
            return INFINITY;
    }
    return worst * sqrt(N);
}

static void test_continuous(gnd_device *dev, const char *spec)
{
    static float x32[N];
    static double x[N];
    for (size_t i = 0; i < sizeof continuous / sizeof *continuous; i++) {
        const dist *d = &continuous[i];
        gnd_rng g = gnd_rng_seed(1000 + i);
        gnd_status st = gnd_read(draw(d, &g, dev, GND_FLOAT32, N), x32, sizeof x32);
        for (int k = 0; k < N; k++)
            x[k] = (double)x32[k];
        double s = st ? INFINITY : smirnov(x, d);
        tap_ok(s < 1.95, "%s: %s(%g, %g) in float32: %.2f", spec, d->name, d->a, d->b, s);
        /* every second one in float64 too: compilations take time */
        if (i % 2 == 0 && !ref_lacks(dev, GND_FLOAT64)) {
            st = gnd_read(draw(d, &g, dev, GND_FLOAT64, N), x, sizeof x);
            s = st ? INFINITY : smirnov(x, d);
            tap_ok(s < 1.95, "%s: %s(%g, %g) in float64: %.2f", spec, d->name, d->a, d->b, s);
        }
    }
}

/* Chi-square of counts in cells of 5 expected or more, as a standard normal number. */
static double pearson(const int64_t *x, const dist *d)
{
    enum { MOST = 4096 };
    static int seen[MOST];
    double chi = 0, expect = 0, have = 0, left = N;
    int cells = -1, all = N;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < N; i++) {
        if (x[i] < 0 || x[i] >= MOST)
            return INFINITY;
        seen[x[i]]++;
    }
    for (int k = 0; k < MOST; k++) {
        expect += N * d->f(k, d->a, d->b);
        have += seen[k];
        if (expect >= 5 && left - expect >= 5) {
            chi += (have - expect) * (have - expect) / expect;
            left -= expect;
            all -= (int)have;
            expect = have = 0;
            cells++;
        }
    }
    chi += (all - left) * (all - left) / left;
    cells++;
    double v = 2.0 / (9.0 * cells);
    return cells < 1 ? 0 : (cbrt(chi / cells) - (1 - v)) / sqrt(v);
}

static void test_counts(gnd_device *dev, const char *spec)
{
    static int64_t x[N];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const dist *d = &counts[i];
        gnd_rng g = gnd_rng_seed(2000 + i);
        gnd_status st = gnd_read(draw(d, &g, dev, GND_INT64, N), x, sizeof x);
        double z = st ? INFINITY : pearson(x, d);
        tap_ok(z < 3.29, "%s: %s(%g, %g): %.2f", spec, d->name, d->a, d->b, z);
    }
    const dist even = {.name = "integers", .a = 37, .f = p_equal};
    const int64_t n = N;
    gnd_rng g = gnd_rng_seed(2100);
    gnd_status st =
        gnd_read(gnd_rng_integers(&g, dev, GND_INT64, 1, &n, NULL, gnd_int(37), 0), x, sizeof x);
    double z = st ? INFINITY : pearson(x, &even);
    tap_ok(z < 3.29, "%s: integers below 37: %.2f", spec, z);
}

/* --- moments, neighbours ---------------------------------------------------------------------- */

/* n standard normal numbers: their moments, and no correlation between the two of a pair. */
static void test_normal(gnd_device *dev, const char *spec)
{
    enum { M = 1 << 18 };
    static float x[M];
    const int64_t n = M;
    gnd_rng g = gnd_rng_seed(3);
    double m[4] = {0}, pair = 0, square = 0, far = 0;
    gnd_status st = gnd_read(gnd_rng_standard_normal(&g, dev, GND_FLOAT32, 1, &n), x, sizeof x);
    for (int i = 0; i < M; i++) {
        double v = (double)x[i], w = (double)x[i ^ 1];
        m[0] += v;
        m[1] += v * v;
        m[2] += v * v * v;
        m[3] += v * v * v * v;
        pair += v * w;
        square += (v * v - 1) * (w * w - 1);
        far = fmax(far, fabs(v));
    }
    for (int i = 0; i < 4; i++)
        m[i] /= M;
    /* 4 standard deviations: sqrt(1, 2, 15, 96 over n), of pairs sqrt(2, 8 over n) */
    double e = 4 / sqrt(M);
    tap_ok(!st && fabs(m[0]) < e && fabs(m[1] - 1) < 1.42 * e && fabs(m[2]) < 3.88 * e &&
               fabs(m[3] - 3) < 9.8 * e,
           "%s: moments %.4f %.4f %.4f %.4f of normal numbers", spec, m[0], m[1], m[2], m[3]);
    tap_ok(fabs(pair / M) < 1.42 * e && fabs(square / M) < 2.83 * e,
           "%s: pairs do not depend on each other: %.5f, %.5f", spec, pair / M, square / M);
    tap_ok(far > 4 && far < 7, "%s: the greatest is %.3f", spec, far);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void test_rows(gnd_device *dev, const char *spec)
{
    enum { R = 5000 };
    static int64_t k[R][3];
    static float x[R][3];
    const int64_t three = 3, n = R, square[2] = {3, 3};
    const float p[3] = {0.2f, 0.5f, 0.3f}, alpha[3] = {0.5f, 2, 4}, mean[3] = {1, -2, 3};
    const float cov[9] = {2, 1, 0.5f, 1, 3, 0, 0.5f, 0, 1};
    gnd_rng g = gnd_rng_seed(4);
    double sum[3] = {0};
    int bad = gnd_read(gnd_rng_multinomial(&g, dev, GND_DTYPE_DEFAULT, 1, &n, gnd_int(20),
                                           gnd_from(dev, GND_FLOAT32, 1, &three, p)),
                       k, sizeof k);
    for (int i = 0; i < R; i++) {
        bad += k[i][0] + k[i][1] + k[i][2] != 20 || k[i][0] < 0 || k[i][1] < 0 || k[i][2] < 0;
        for (int j = 0; j < 3; j++)
            sum[j] += (double)k[i][j];
    }
    tap_is_int(bad, 0, "%s: multinomial rows add up", spec);
    for (int j = 0; j < 3; j++) {
        double q = (double)p[j], tol = 4 * sqrt(20 * q * (1 - q) / R);
        tap_near(sum[j] / R, 20 * q, tol, "%s: outcome %d", spec, j);
    }

    const int64_t colors[3] = {7, 2, 11};
    memset(sum, 0, sizeof sum);
    bad = gnd_read(gnd_rng_multivariate_hypergeometric(&g, dev, GND_DTYPE_DEFAULT, 1, &n,
                                                       gnd_from(dev, GND_INT64, 1, &three, colors),
                                                       gnd_int(9)),
                   k, sizeof k);
    for (int i = 0; i < R; i++) {
        bad += k[i][0] + k[i][1] + k[i][2] != 9;
        for (int j = 0; j < 3; j++) {
            bad += k[i][j] < 0 || k[i][j] > colors[j];
            sum[j] += (double)k[i][j];
        }
    }
    tap_is_int(bad, 0, "%s: multivariate hypergeometric rows add up", spec);
    for (int j = 0; j < 3; j++) {
        const double q = (double)colors[j] / 20;
        tap_near(sum[j] / R, 9 * q, 4 * sqrt(9 * q * (1 - q) * 11 / 19 / R), "%s: color %d", spec,
                 j);
    }

    double m[3] = {0}, c[9] = {0};
    bad = gnd_read(gnd_rng_dirichlet(&g, dev, GND_FLOAT32, 1, &n,
                                     gnd_from(dev, GND_FLOAT32, 1, &three, alpha)),
                   x, sizeof x);
    for (int i = 0; i < R; i++) {
        bad += fabs((double)(x[i][0] + x[i][1] + x[i][2]) - 1) > 1e-6;
        for (int j = 0; j < 3; j++)
            m[j] += (double)x[i][j] / R;
    }
    tap_is_int(bad, 0, "%s: Dirichlet rows add up to 1", spec);
    for (int j = 0; j < 3; j++) {
        double q = (double)alpha[j] / 6.5;
        tap_near(m[j], q, 4 * sqrt(q * (1 - q) / 7.5 / R), "%s: mean %d", spec, j);
    }

    gnd_array *am = gnd_from(dev, GND_FLOAT32, 1, &three, mean),
              *ac = gnd_from(dev, GND_FLOAT32, 2, square, cov);
    for (int root = GND_ROOT_SVD; root <= GND_ROOT_CHOLESKY; root++) {
        gnd_array *y =
            gnd_rng_multivariate_normal(&g, dev, GND_FLOAT32, 1, &n, am, ac, (gnd_rng_root)root);
        gnd_status st = gnd_read(y, x, sizeof x);
        if (st == GND_ERR_UNSUPPORTED) {
            tap_skip(2, "%s: %s", spec, gnd_error(y));
            continue;
        }
        memset(m, 0, sizeof m);
        memset(c, 0, sizeof c);
        for (int i = 0; i < R; i++)
            for (int j = 0; j < 3; j++)
                m[j] += (double)x[i][j] / R;
        for (int i = 0; i < R; i++)
            for (int j = 0; j < 9; j++)
                c[j] += ((double)x[i][j / 3] - m[j / 3]) * ((double)x[i][j % 3] - m[j % 3]) / R;
        bad = st != 0;
        for (int j = 0; j < 3; j++)
            bad += fabs(m[j] - (double)mean[j]) > 4 * sqrt((double)cov[4 * j] / R);
        tap_is_int(bad, 0, "%s: multivariate normal, root %d: means", spec, root);
        bad = 0;
        for (int j = 0; j < 9;
             j++) { /* variance of a sample covariance: (c_ii c_jj + c_ij^2) / n */
            double v =
                (double)cov[4 * (j / 3)] * (double)cov[4 * (j % 3)] + (double)(cov[j] * cov[j]);
            bad += fabs(c[j] - (double)cov[j]) > 4 * sqrt(v / R);
        }
        tap_is_int(bad, 0, "%s: multivariate normal, root %d: covariances", spec, root);
    }
}

/* --- edges ------------------------------------------------------------------------------------ */

/* 8 numbers of a distribution are all of that value. */
static void all_are(const char *spec, const char *what, gnd_array *y, double want)
{
    double x[8];
    int bad = 0;
    gnd_array *d = gnd_dtype_kind(gnd_dtype_of(y)) == 'f' ? gnd_astype(y, GND_FLOAT32) : y;
    if (d == y) {
        int64_t k[8];
        bad = gnd_read(d, k, sizeof k);
        for (int i = 0; i < 8; i++)
            x[i] = (double)k[i];
    } else {
        float f[8];
        bad = gnd_read(d, f, sizeof f);
        for (int i = 0; i < 8; i++)
            x[i] = (double)f[i];
    }
    for (int i = 0; i < 8 && !bad; i++)
        bad += !(isnan(want) ? isnan(x[i]) : x[i] == want);
    tap_is_int(bad, 0, "%s: %s is %g", spec, what, want);
}

static void test_edges(gnd_device *dev, const char *spec)
{
    const int64_t n = 8;
    const gnd_dtype t = GND_DTYPE_DEFAULT, f = GND_FLOAT32;
    gnd_rng g = gnd_rng_seed(6);
    gnd_array *zero = gnd_int(0), *one = gnd_int(1), *big = gnd_real(1e12);
    all_are(spec, "normal(3, 0)", gnd_rng_normal(&g, dev, f, 1, &n, gnd_int(3), zero), 3);
    all_are(spec, "uniform(2, 2)", gnd_rng_uniform(&g, dev, f, 1, &n, gnd_int(2), gnd_int(2)), 2);
    all_are(spec, "gamma(0)", gnd_rng_gamma(&g, dev, f, 1, &n, zero, one), 0);
    all_are(spec, "exponential(0)", gnd_rng_exponential(&g, dev, f, 1, &n, zero), 0);
    all_are(spec, "poisson(0)", gnd_rng_poisson(&g, dev, t, 1, &n, zero), 0);
    all_are(spec, "binomial(7, 0)", gnd_rng_binomial(&g, dev, t, 1, &n, gnd_int(7), zero), 0);
    all_are(spec, "binomial(7, 1)", gnd_rng_binomial(&g, dev, t, 1, &n, gnd_int(7), one), 7);
    all_are(spec, "binomial(0, 0.5)", gnd_rng_binomial(&g, dev, t, 1, &n, zero, gnd_real(0.5)), 0);
    all_are(spec, "geometric(1)", gnd_rng_geometric(&g, dev, t, 1, &n, one), 1);

    all_are(spec, "zipf(1000)", gnd_rng_zipf(&g, dev, t, 1, &n, gnd_int(1000)), 1);
    all_are(spec, "hypergeometric(0, 50, 30)",
            gnd_rng_hypergeometric(&g, dev, t, 1, &n, zero, gnd_int(50), gnd_int(30)), 0);
    all_are(spec, "hypergeometric(50, 3, 53)",
            gnd_rng_hypergeometric(&g, dev, t, 1, &n, gnd_int(50), gnd_int(3), gnd_int(53)), 50);

    /* by element, out of range too: shape of the parameters */
    const float a[4] = {-1, 0, NAN, 5};
    const int64_t four = 4;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &four, a);
    float y[4];
    int64_t k[4];
    tap_is_int(gnd_read(gnd_rng_gamma(&g, NULL, f, -1, NULL, x, one), y, sizeof y), GND_OK,
               "%s: gamma by element", spec);
    tap_ok(isnan(y[0]) && y[1] == 0 && isnan(y[2]) && y[3] > 0, "%s: NaN out of range", spec);
    tap_is_int(gnd_read(gnd_rng_poisson(&g, NULL, t, -1, NULL, x), k, sizeof k), GND_OK,
               "%s: poisson by element", spec);
    tap_ok(k[0] == -1 && k[1] == 0 && k[2] == -1 && k[3] >= 0, "%s: -1 out of range", spec);
    tap_is_int(
        gnd_read(gnd_rng_hypergeometric(&g, NULL, t, -1, NULL, x, one, gnd_int(2)), k, sizeof k),
        GND_OK, "%s: hypergeometric by element", spec);
    tap_ok(k[0] == -1 && k[1] == -1 && k[2] == -1 && (k[3] == 1 || k[3] == 2),
           "%s: -1 out of range, or where there are not so many", spec);
    tap_is_int(gnd_read(gnd_rng_vonmises(&g, NULL, f, -1, NULL, gnd_int(100), x), y, sizeof y),
               GND_OK, "%s: vonmises by element", spec);
    tap_ok(isnan(y[0]) && fabs((double)y[1]) < 3.15 && isnan(y[2]) && fabs((double)y[3]) < 3.15,
           "%s: angles within half a turn", spec);
    tap_is_int(gnd_read(gnd_rng_normal(&g, NULL, f, -1, NULL, zero, x), y, sizeof y), GND_OK,
               "%s: normal by element", spec);
    tap_ok(isnan(y[0]) && y[1] == 0 && isnan(y[2]) && !isnan(y[3]), "%s: NaN of a negative scale",
           spec);

    /* a large mean: within 6 deviations of it */
    if (!ref_skip(dev, GND_FLOAT64, 1)) {
        int bad = gnd_read(gnd_rng_poisson(&g, dev, t, 1, &four, big), k, sizeof k);
        for (int i = 0; i < 4; i++)
            bad += fabs((double)k[i] - 1e12) > 6e6;
        tap_is_int(bad, 0, "%s: poisson(1e12)", spec);
    }
    /* small shapes do not underflow together */
    float b[8];
    int bad =
        gnd_read(gnd_rng_beta(&g, dev, f, 1, &n, gnd_real(0.001), gnd_real(0.001)), b, sizeof b);
    for (int i = 0; i < 8; i++)
        bad += !(b[i] >= 0 && b[i] <= 1);
    tap_is_int(bad, 0, "%s: beta(0.001, 0.001) is in 0 .. 1", spec);
    const int64_t none[2] = {0, 3};
    tap_is_int(gnd_wait(gnd_rng_normal(&g, dev, f, 2, none, zero, one)), GND_OK, "%s: no elements",
               spec);
}

static void test_all(gnd_device *dev, const char *spec)
{
    static void (*const tests[])(gnd_device *, const char *) = {test_continuous, test_counts,
                                                                test_normal, test_rows, test_edges};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        gnd_scope_begin();
        tests[i](dev, spec);
        gnd_scope_end();
    }
}

int main(void)
{
    ref_devices(test_all);
    return tap_done();
}
