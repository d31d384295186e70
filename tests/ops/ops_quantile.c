/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_quantile.c - medians and quantiles by every method against sorting on the host: rows along
 * any axes, dtypes, NaN, arrays of quantiles, what nothing gives; the functions of the language;
 * wrong arguments, on the null device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static const char *const method_name[] = {
#define X(name, text) text,
    GND_QUANTILE_LIST(X)
#undef X
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y || (x != x && y == y)) - (x < y || (y != y && x == x));
}

static double at(const double *v, int n, double i)
{
    return v[i < 0 ? 0 : i > n - 1 ? n - 1 : (int)i];
}

/* Quantile q of n sorted numbers, none of them NaN. */
static double of_sorted(const double *v, int n, double q, int m)
{
    static const double ab[][2] = {
        {0, 1}, {0.5, 0.5}, {0, 0}, {1.0 / 3, 1.0 / 3}, {3.0 / 8, 3.0 / 8}};
    double h = q * (n - 1), f;
    if (n == 0)
        return NAN;
    switch (m) {
    case GND_Q_LOWER: return at(v, n, floor(h));
    case GND_Q_HIGHER: return at(v, n, ceil(h));
    case GND_Q_NEAREST: return at(v, n, rint(h));
    case GND_Q_MIDPOINT: return (at(v, n, floor(h)) + at(v, n, ceil(h))) / 2;
    case GND_Q_INVERTED_CDF: return at(v, n, ceil(q * n - 1));
    case GND_Q_AVERAGED_INVERTED_CDF:
        h = q * n - 1;
        return h != floor(h) ? at(v, n, floor(h) + 1)
               : h < 0       ? v[0]
                             : (at(v, n, h) + at(v, n, h + 1)) / 2;
    case GND_Q_CLOSEST_OBSERVATION:
        h = q * n - 1.5;
        f = floor(h);
        return at(v, n, h == f && fmod(fabs(f), 2) == 1 ? f : f + 1);
    case GND_Q_LINEAR: break;
    default:
        h = q * n +
            (ab[m - GND_Q_INTERPOLATED_INVERTED_CDF][0] +
             q * (1 - ab[m - GND_Q_INTERPOLATED_INVERTED_CDF][0] -
                  ab[m - GND_Q_INTERPOLATED_INVERTED_CDF][1])) -
            1;
    }
    f = floor(h);
    return h < 0 ? v[0] : at(v, n, f) + (h - f) * (at(v, n, f + 1) - at(v, n, f));
}

/* The same of n numbers in any order; nan: those that are NaN do not count. */
static double reference(const double *v, int n, double q, int m, int nan)
{
    double *s = malloc(sizeof *s * ((size_t)n + 1));
    int k = 0;
    memcpy(s, v, sizeof *s * (size_t)n);
    qsort(s, (size_t)n, sizeof *s, compare);
    while (k < n && s[k] == s[k])
        k++;
    double y = k < n && !nan ? NAN : of_sorted(s, k, q, m);
    free(s);
    return y;
}

enum { ROWS = 5, N = 11 };

/* How many of count numbers, which y gives, are not those wanted. */
static int wrong(gnd_array *y, const double *want, int count, double tol)
{
    float *got = calloc((size_t)count + 1, sizeof *got);
    int bad = 0;
    if (gnd_size(y) != count ||
        gnd_read(gnd_astype(y, GND_FLOAT32), got, (size_t)count * sizeof *got)) {
        tap_diag("%lld elements, %s", (long long)gnd_size(y), gnd_message());
        bad = -1;
    }
    for (int i = 0; i < count && bad >= 0; i++)
        if (!(got[i] == want[i] || fabs(got[i] - want[i]) <= tol ||
              (got[i] != got[i] && want[i] != want[i])) &&
            !bad++)
            tap_diag("element %d: %g, want %g", i, (double)got[i], want[i]);
    free(got);
    return bad;
}

/* Rows of dtype t by every method: numbers of q, and an array of them. */
static void methods(gnd_device *dev, const char *spec, gnd_dtype t, int with_nan)
{
    static const double qs[] = {0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.95, 1};
    enum { NQ = sizeof qs / sizeof qs[0] };
    float host[ROWS * N];
    double v[ROWS * N], want[NQ * ROWS];
    for (int i = 0; i < ROWS * N; i++)
        host[i] = (float)ref_range(0, 60) / (gnd_dtype_kind(t) == 'f' ? 4 : 1);
    for (int i = 0; i < 7 && with_nan; i++)
        host[i < 3 ? ref_range(0, N - 1) : N + i - 3] = NAN; /* the first rows: few, and many */
    for (int i = 2 * N; i < 3 * N && with_nan; i++)
        host[i] = NAN; /* nothing else */
    for (int i = 0; i < ROWS * N; i++)
        v[i] = host[i];
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(ROWS, N), host), t),
              *columns = gnd_T(x);
    /* quarters: what is whole is whole in float32 too */
    const int few[] = {0, 2, 4, 5, 7};
    gnd_array *q = gnd_from(dev, GND_FLOAT32, DIM(5), (float[]){0, 0.25f, 0.5f, 0.75f, 1});
    for (int m = 0; m < GND_Q_METHODS; m++) {
        int bad = 0;
        for (int k = m % 3; k < NQ; k += 3) {
            for (int r = 0; r < ROWS; r++)
                want[r] = reference(v + r * N, N, qs[k], m, 0);
            bad += wrong(gnd_quantile(x, gnd_real(qs[k]), GND_AXIS(1), 0, (gnd_quantile_method)m),
                         want, ROWS, 0.01);
        }
        for (int k = 0; k < 5; k++)
            for (int r = 0; r < ROWS; r++)
                want[k * ROWS + r] = reference(v + r * N, N, qs[few[k]], m, with_nan);
        bad += wrong((with_nan ? gnd_nanquantile : gnd_quantile)(columns, q, GND_AXIS(0), 0,
                                                                 (gnd_quantile_method)m),
                     want, 5 * ROWS, 0.01);
        tap_is_int(bad, 0, "%s: %s, %s of %s", spec, method_name[m], with_nan ? "with NaN" : "rows",
                   gnd_dtype_name(t));
    }
}

static void medians(gnd_device *dev, const char *spec)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_INT8, GND_FLOAT16};
    enum { A = 3, B = 4, C = 5 };
    for (int k = 0; k < 3; k++) {
        gnd_dtype t = dtypes[k];
        float host[A * B * C];
        double v[A * B * C], row[A * C], want[A * B];
        gnd_scope_begin();
        for (int i = 0; i < A * B * C; i++)
            v[i] = host[i] = (float)ref_range(-20, 20);
        gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(A, B, C), host), t), *y;
        want[0] = reference(v, A * B * C, 0.5, GND_Q_LINEAR, 0);
        y = gnd_median(x, GND_ALL, 0);
        tap_is_int(wrong(y, want, 1, 0), 0, "%s: median of %s", spec, gnd_dtype_name(t));
        tap_is_int(gnd_dtype_of(y), gnd_dtype_kind(t) == 'f' ? t : gnd_default_float(dev),
                   "%s: its dtype", spec);
        for (int b = 0; b < B; b++) {
            for (int i = 0; i < A * C; i++)
                row[i] = v[(i / C * B + b) * C + i % C];
            want[b] = reference(row, A * C, 0.5, GND_Q_LINEAR, 0);
        }
        y = gnd_median(x, GND_AXES(0, -1), GND_KEEPDIMS);
        tap_is_int(wrong(y, want, B, 0), 0, "%s: over two axes", spec);
        tap_is_int(gnd_ndim(y), 3, "%s: which are kept", spec);
        for (int i = 0; i < A * B; i++)
            want[i] = reference(v + i * C, C, 0.5, GND_Q_LINEAR, 0);
        tap_is_int(wrong(gnd_median(x, GND_AXIS(2), 0), want, A * B, 0), 0, "%s: over one", spec);
        gnd_scope_end();
    }
    float v[8] = {3, NAN, 1, 2, NAN, NAN, INFINITY, INFINITY};
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(8), v),
              *two = gnd_reshape(gnd_at(x, ":6"), DIM(2, 3));
    tap_is_f64(gnd_item_f64(gnd_median(x, GND_ALL, 0), NULL), NAN, "%s: the median of NaN", spec);
    tap_is_f64(gnd_item_f64(gnd_nanmedian(x, GND_ALL, 0), NULL), 3, "%s: without NaN", spec);
    tap_is_int(wrong(gnd_nanmedian(two, GND_AXIS(1), 0), (double[]){2, 2}, 2, 0), 0,
               "%s: even and odd rows", spec);
    tap_is_f64(gnd_item_f64(gnd_nanmedian(gnd_at(x, "4:6"), GND_ALL, 0), NULL), NAN,
               "%s: of NaN alone", spec);
    tap_is_f64(gnd_item_f64(gnd_median(gnd_at(x, "6:"), GND_ALL, 0), NULL), INFINITY,
               "%s: of infinities", spec);
    tap_is_f64(gnd_item_f64(gnd_median(gnd_at(x, ":0"), GND_ALL, 0), NULL), NAN, "%s: of nothing",
               spec);
    tap_is_int(gnd_size(gnd_median(gnd_zeros(dev, GND_FLOAT32, DIM(0, 4)), GND_AXIS(1), 0)), 0,
               "%s: none", spec);
    tap_is_f64(gnd_item_f64(gnd_median(gnd_at(x, "0"), GND_ALL, 0), NULL), 3, "%s: of one element",
               spec);
    float z[6] = {2, 1, 1, 5, 1, -3};
    gnd_array *c = gnd_from(dev, GND_COMPLEX64, DIM(3), z);
    tap_is_f64(gnd_item_f64(gnd_imag_part(gnd_median(c, GND_ALL, 0)), NULL), 5,
               "%s: of complex values", spec);
    gnd_scope_end();
}

static void quantiles(gnd_device *dev, const char *spec)
{
    float v[6] = {1, INFINITY, 2, 4, 8, 16};
    gnd_scope_begin();
    methods(dev, spec, GND_FLOAT32, 0);
    methods(dev, spec, GND_FLOAT32, 1);
    gnd_scope_end();
    gnd_scope_begin();
    methods(dev, spec, GND_INT8, 0);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(6), v),
              *i = gnd_from(dev, GND_INT8, DIM(3), (int8_t[]){3, 9, 7});
    tap_is_f64(gnd_item_f64(gnd_quantile(x, gnd_real(0.8), GND_ALL, 0, GND_Q_LINEAR), NULL), 16,
               "%s: beside an infinity", spec);
    tap_is_int(gnd_dtype_of(gnd_quantile(i, gnd_real(0.5), GND_ALL, 0, GND_Q_LOWER)), GND_INT8,
               "%s: one element", spec);
    tap_is_int(gnd_dtype_of(gnd_quantile(i, gnd_real(0.5), GND_ALL, 0, GND_Q_LINEAR)),
               gnd_default_float(dev), "%s: between two", spec);
    tap_is_f64(gnd_item_f64(gnd_percentile(i, gnd_int(50), GND_ALL, 0, GND_Q_LINEAR), NULL), 7,
               "%s: percentile", spec);
    tap_is_f64(gnd_item_f64(gnd_nanpercentile(x, gnd_int(0), GND_ALL, 0, GND_Q_HAZEN), NULL), 1,
               "%s: nanpercentile", spec);
    gnd_array *q = gnd_from(dev, GND_FLOAT32, DIM(2, 2), (float[]){0, 50, 100, 25});
    gnd_array *y =
        gnd_percentile(gnd_reshape(x, DIM(2, 3)), q, GND_AXIS(1), GND_KEEPDIMS, GND_Q_LOWER);
    tap_is_int(gnd_ndim(y), 4, "%s: an array of percentiles", spec);
    tap_is_int(wrong(y, (double[]){1, 4, 2, 8, INFINITY, 16, 1, 4}, 8, 0), 0, "%s: its values",
               spec);
    y = gnd_percentile(x, gnd_add(q, gnd_int(1)), GND_ALL, 0, GND_Q_LINEAR);
    float got[4];
    tap_is_int(gnd_read(gnd_astype(y, GND_FLOAT32), got, sizeof got), GND_ERR_ARG,
               "%s: one of them too large", spec);
    tap_has_str(gnd_message(), "percentile: q must be from 0 to 100", "%s: it says so", spec);
    gnd_scope_end();
}

/* Long rows, whose elements are found without a sort: the same bits as a sort has there, but 0 for
 * -0, of values that are all different, of few with both zeros, and of extremes; then NaN. */
static void long_rows(gnd_device *dev, const char *spec, gnd_dtype t)
{
    enum { LONG = 20011, LINES = 3, HALVES = 2 };
    static float host[LINES * LONG];
    static double row[LONG];
    static uint8_t sorted[LINES * LONG * 8];
    static const double qs[] = {0, 0.001, 0.25, 0.5, 0.77, 1};
    const size_t size = gnd_dtype_size(t);
    const int real = gnd_dtype_kind(t) == 'f';
    uint8_t got[LINES * 8];
    double want[HALVES * LINES];
    int bad = 0;
    gnd_scope_begin();
    for (int i = 0; i < LONG; i++) {
        host[i] = (float)(i * 7919 % LONG - (real ? LONG / 2 : 0));
        host[LONG + i] = (float)ref_range(0, 2) * (real && i % 2 ? -0.0F : 1.0F);
        host[2 * LONG + i] = real && i % 5 == 0 ? (i % 2 ? INFINITY : -1e-7F) : (float)(i % 100);
    }
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(LINES, LONG), host), t);
    gnd_array *s = gnd_sort(x, -1, 0), *zero = gnd_astype(gnd_zeros(dev, t, DIM()), t);
    s = gnd_where(gnd_equal(s, zero), zero, s);
    if (gnd_read(s, sorted, LINES * LONG * size))
        bad = -1;
    for (size_t k = 0; k < sizeof qs / sizeof *qs && bad >= 0; k++) {
        gnd_array *y = gnd_quantile(x, gnd_real(qs[k]), GND_AXIS(1), 0, GND_Q_LOWER);
        const size_t at = (size_t)(qs[k] * (LONG - 1));
        if (gnd_read(y, got, LINES * size))
            bad = -1;
        for (int r = 0; r < LINES && bad >= 0; r++)
            bad +=
                memcmp(got + (size_t)r * size, sorted + ((size_t)r * LONG + at) * size, size) != 0;
    }
    tap_is_int(bad, 0, "%s: long rows of %s, as sorted", spec, gnd_dtype_name(t));
    if (t == GND_FLOAT32) {
        gnd_array *q = gnd_from(dev, GND_FLOAT32, DIM(HALVES), (float[]){0.25F, 0.5F});
        for (int i = 0; i < LONG; i += 3)
            host[2 * LONG + i] = NAN;
        for (int nan = 0; nan < 2; nan++) {
            for (int i = 0; i < HALVES * LINES; i++) {
                for (int j = 0; j < LONG; j++)
                    row[j] = host[i % LINES * LONG + j];
                want[i] = reference(row, LONG, i < LINES ? 0.25 : 0.5, GND_Q_LINEAR, nan);
            }
            x = gnd_from(dev, t, DIM(LINES, LONG), host);
            tap_is_int(
                wrong((nan ? gnd_nanquantile : gnd_quantile)(x, q, GND_AXIS(1), 0, GND_Q_LINEAR),
                      want, HALVES * LINES, 0.01),
                0, "%s: long rows with NaN, %s", spec, nan ? "skipped" : "shown");
            tap_is_int(wrong((nan ? gnd_nanmedian : gnd_median)(gnd_T(x), GND_AXIS(0), 0),
                             want + LINES, LINES, 0.01),
                       0, "%s: and their medians", spec);
        }
    }
    gnd_scope_end();
}

/* Many short rows, of which work-items have whole ones: of values that lie close together, of few
 * values with both zeros, and with extremes. */
static void many_rows(gnd_device *dev, const char *spec, gnd_dtype t, int n)
{
    enum { LINES = 400, MOST = 2100, QS = 3 };
    static float host[LINES * MOST];
    static double row[MOST], want[QS * LINES];
    static const float qs[QS] = {0, 0.26F, 0.9F};
    const int real = gnd_dtype_kind(t) == 'f', lines = n < 200 ? LINES : LINES / 20;
    gnd_scope_begin();
    for (int i = 0; i < lines * n; i++) {
        const int kind = i / n % 4;
        host[i] = kind == 0   ? (float)ref_range(0, 100) + (real ? 0.5F : 0)
                  : kind == 1 ? (float)ref_range(0, 3) * (real && i % 2 ? -0.0F : 1.0F)
                  : kind == 2 ? (real && i % 5 == 0 ? -1e-3F : (float)(i % 120))
                              : (real && i % 3 == 0 ? NAN : (float)(i % 7));
    }
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(lines, n), host), t);
    gnd_array *q = gnd_from(dev, GND_FLOAT32, DIM(QS), qs);
    for (int nan = 0; nan < 2; nan++) {
        gnd_array *(*f)(gnd_array *, gnd_array *, gnd_axes, unsigned, gnd_quantile_method) =
            nan ? gnd_nanquantile : gnd_quantile;
        for (int i = 0; i < QS * lines; i++) {
            for (int j = 0; j < n; j++)
                row[j] = host[i % lines * n + j];
            want[i] = reference(row, n, qs[i / lines], GND_Q_HIGHER, nan);
        }
        tap_is_int(wrong(f(x, q, GND_AXIS(1), 0, GND_Q_HIGHER), want, QS * lines, 0.01), 0,
                   "%s: %d rows of %d %s, NaN %s", spec, lines, n, gnd_dtype_name(t),
                   nan ? "skipped" : "shown");
        gnd_array *columns = gnd_add(gnd_T(x), gnd_int(0));
        tap_is_int(wrong(f(columns, q, GND_AXIS(0), 0, GND_Q_HIGHER), want, QS * lines, 0.01), 0,
                   "%s: and of columns", spec);
    }
    gnd_scope_end();
}

/* Places in more intervals than a group of a GPU has counters for, and fewer. */
static void many_places(gnd_device *dev, const char *spec)
{
    enum { LONG = 131073, PLACES = 8 };
    static int32_t host[LONG];
    float qs[PLACES];
    double want[PLACES];
    gnd_scope_begin();
    for (int i = 0; i < LONG; i++)
        host[i] = (int32_t)((int64_t)i * 7919 % LONG) * 15000 - 1000000000;
    gnd_array *x = gnd_from(dev, GND_INT32, DIM(LONG), host);
    for (int i = 0; i < PLACES; i++)
        qs[i] = (float)(1 + 2 * i) / 16;
    for (int n = PLACES; n > 0; n -= PLACES - 1) {
        for (int i = 0; i < n; i++)
            want[i] = (double)(8192 + 16384 * i) * 15000 - 1000000000;
        gnd_array *q = gnd_from(dev, GND_FLOAT32, DIM(n), qs);
        tap_is_int(wrong(gnd_quantile(x, q, GND_ALL, 0, GND_Q_LOWER), want, n, 0.01), 0,
                   "%s: %d places of a long row", spec, n);
    }
    gnd_scope_end();
}

static void said(gnd_device *dev, const char *spec)
{
    static const expect_value cases[] = {
        {"median([3, 1, 2])", 2},
        {"median([[3, 1], [2, 9]], axis=0, keepdims=True)[0, 1]", 5},
        {"nanmedian([nan, 1, 4])", 2.5},
        {"quantile([0, 10], 0.25)", 2.5},
        {"quantile([0, 10, 20], [0, 0.5], method='nearest').sum()", 10},
        {"percentile([0, 10], q=75, method='lower')", 0},
        {"nanquantile([nan, 2, 4], 0.5)", 3},
        {"nanpercentile([nan, 2, 4], 100)", 4},
    };
    expect_values(dev, spec, (int)(sizeof cases / sizeof *cases), cases);
}

static void wrong_arguments(void)
{
    gnd_device *dev = gnd_open("null:0"), *dev32 = gnd_open("null:1");
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, DIM(3, 4)),
              *z = gnd_zeros(dev, GND_COMPLEX64, DIM(3)), *half = gnd_real(0.5),
              *none = gnd_zeros(dev, GND_INT32, DIM(0));
    FAILS(gnd_median(NULL, GND_ALL, 0), GND_ERR_NULL, "median: x is NULL");
    FAILS(gnd_median(x, GND_AXIS(2), 0), GND_ERR_AXIS, "median: axis 2");
    FAILS(gnd_nanmedian(x, GND_ALL, 4), GND_ERR_ARG, "nanmedian: flags 0x4");
    FAILS(gnd_quantile(x, NULL, GND_ALL, 0, GND_Q_LINEAR), GND_ERR_NULL, "quantile: q is NULL");
    FAILS(gnd_quantile(x, gnd_real(1.5), GND_ALL, 0, GND_Q_LINEAR), GND_ERR_ARG,
          "quantile: q is 1.5: it must be from 0 to 1");
    FAILS(gnd_percentile(x, gnd_int(-1), GND_ALL, 0, GND_Q_LINEAR), GND_ERR_ARG,
          "percentile: q is -1: it must be from 0 to 100");
    FAILS(gnd_quantile(x, gnd_real(NAN), GND_ALL, 0, GND_Q_LINEAR), GND_ERR_ARG,
          "quantile: q is nan");
    FAILS(gnd_quantile(x, z, GND_ALL, 0, GND_Q_LINEAR), GND_ERR_DTYPE, "quantile: q is complex");
    FAILS(gnd_quantile(z, half, GND_ALL, 0, GND_Q_LINEAR), GND_ERR_DTYPE,
          "quantile: complex64 is not allowed: complex values have no quantiles");
    FAILS(gnd_quantile(x, half, GND_ALL, 0, (gnd_quantile_method)99), GND_ERR_ARG,
          "quantile: 99 is no method");
    FAILS(gnd_quantile(x, gnd_zeros(dev32, GND_FLOAT32, DIM(2)), GND_ALL, 0, GND_Q_LINEAR),
          GND_ERR_DEVICE, "quantile: arrays of two devices");
    FAILS(gnd_quantile(none, half, GND_ALL, 0, GND_Q_LOWER), GND_ERR_SHAPE,
          "quantile: a zero-size array has none (shape (0,))");
    FAILS(gnd_eval(dev, "quantile([1, 2], 0.5, method='best')", NULL), GND_ERR_ARG,
          "quantile: method must be 'linear', 'lower', 'higher',");
    FAILS(gnd_eval(dev, "quantile([1, 2])", NULL), GND_ERR_TYPE, "q");
    tap_is_int(gnd_dtype_of(gnd_median(gnd_zeros(dev32, GND_INT64, DIM(3)), GND_ALL, 0)),
               GND_FLOAT32, "float32 without float64");
    gnd_scope_end();
    gnd_close(dev);
    gnd_close(dev32);
}

/* The kernels of GPUs. */
static void on_gpu(gnd_device *dev, const char *spec)
{
    long_rows(dev, spec, GND_FLOAT32);
    long_rows(dev, spec, GND_INT64);
    many_places(dev, spec);
}

static void all(gnd_device *dev, const char *spec)
{
    many_places(dev, spec);
    medians(dev, spec);
    quantiles(dev, spec);
    static const gnd_dtype types[] = {GND_FLOAT32, GND_FLOAT16, GND_UINT16, GND_INT64, GND_FLOAT64};
    gnd_device_info info;
    gnd_device_describe(dev, &info);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] != GND_FLOAT64 || info.has_f64)
            long_rows(dev, spec, types[i]);
    many_rows(dev, spec, GND_FLOAT32, 65);
    many_rows(dev, spec, GND_INT8, 151);
    many_rows(dev, spec, GND_INT64, 130);
    many_rows(dev, spec, GND_FLOAT16, 199);
    many_rows(dev, spec, info.has_f64 ? GND_FLOAT64 : GND_FLOAT32, 2099);
    said(dev, spec);
}

int main(void)
{
    wrong_arguments();
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(on_gpu);
    return tap_done();
}
