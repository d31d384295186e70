/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_rows.c - rows that are read once (softmax, variance, normalization), in the shapes of both
 * kinds of devices; and what only GPUs have: tiles of results that share what they read (distances,
 * forces), maps of several rows per work-item, joins in one launch. Numbers of kernels and bytes,
 * and values against float64.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static gnd_device *dev;
static const char *where;
static int cpu; /* kernels are shaped for CPUs */

static gnd_array *eval(const char *text, gnd_array *x)
{
    return gnd_eval(dev, text, "x", x, NULL);
}

/* The plan of y: so many kernels, which read and write so many bytes. */
static void is_plan(gnd_array *y, int kernels, long long rd, long long wr, const char *name)
{
    long long k = -1, calls, r = -1, w = -1;
    gnd_status st;
    char *text = gnd_explain(1, &y, 0, &st), *last = text ? text + strlen(text) - 1 : NULL;
    while (last && last > text && last[-1] != '\n')
        last--;
    int n = last ? sscanf(last, "%lld kernels, %lld calls, %lld bytes read, %lld bytes written", &k,
                          &calls, &r, &w)
                 : 0;
    if (!tap_ok(n == 4 && k == kernels && (rd < 0 || r == rd) && (wr < 0 || w == wr),
                "%s: plan of %s", where, name))
        tap_diag("wanted %d kernels, %lld bytes read, %lld written:\n%s", kernels, rd, wr,
                 text ? text : gnd_error(y));
    free(text);
}

static gnd_array *random_array(int ndim, const int64_t *dim, float **host)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    *host = malloc((size_t)(n ? n : 1) * sizeof **host);
    for (int64_t i = 0; i < n; i++)
        (*host)[i] = (float)ref_range(-4000, 4000) / 1024;
    return gnd_from(dev, GND_FLOAT32, ndim, dim, *host);
}

/* Greatest |got - want| / (|want| + 1). */
static double worst(gnd_array *y, const double *want, int64_t n)
{
    float *got = malloc((size_t)(n ? n : 1) * sizeof *got);
    double e = gnd_size(y) == n && !gnd_read(y, got, (uint64_t)n * sizeof *got) ? 0 : INFINITY;
    for (int64_t i = 0; i < n && e < INFINITY; i++) {
        const int odd = isnan(want[i]) || isinf(want[i]);
        const double d = odd ? (isnan(want[i]) ? !isnan(got[i]) : got[i] != (float)want[i]) * 1e9
                             : fabs(got[i] - want[i]) / (fabs(want[i]) + 1);
        if (!(d <= e))
            e = d;
    }
    free(got);
    return e;
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char softmax[] = "e = exp(x - x.max(-1, keepdims=True)); e / e.sum(-1, keepdims=True)";
static const char normal[] =
    "(x - x.mean(-1, keepdims=True)) / sqrt(x.var(-1, keepdims=True) + 0.25)";

static void rows_of(int64_t m, int64_t r, int special)
{
    float *h;
    const int64_t dim[2] = {m, r};
    gnd_scope_begin();
    gnd_array *x = random_array(2, dim, &h);
    double *soft = malloc((size_t)(m * r) * sizeof *soft),
           *norm = malloc((size_t)(m * r) * sizeof *norm);
    double *var = malloc((size_t)m * sizeof *var);
    if (special) {
        h[r / 2] = NAN;
        h[r + 1] = INFINITY;
        x = gnd_from(dev, GND_FLOAT32, 2, dim, h);
    }
    for (int64_t i = 0; i < m; i++) {
        double top = -INFINITY, z = 0, s = 0, q = 0;
        for (int64_t j = 0; j < r; j++) {
            top = isnan(top) || h[i * r + j] <= top ? top : h[i * r + j];
            s += h[i * r + j];
        }
        for (int64_t j = 0; j < r; j++) {
            z += exp(h[i * r + j] - top);
            q += (h[i * r + j] - s / (double)r) * (h[i * r + j] - s / (double)r);
        }
        var[i] = q / (double)r;
        for (int64_t j = 0; j < r; j++) {
            soft[i * r + j] = exp(h[i * r + j] - top) / z;
            norm[i * r + j] = (h[i * r + j] - s / (double)r) / sqrt(var[i] + 0.25);
        }
    }
    tap_near(worst(eval(softmax, x), soft, m * r), 0, 2e-6, "%s: softmax, (%d, %d)", where, (int)m,
             (int)r);
    tap_near(worst(eval(normal, x), norm, m * r), 0, 4e-6, "%s: normalized, (%d, %d)", where,
             (int)m, (int)r);
    tap_near(worst(eval("x.var(1)", x), var, m), 0, 4e-6, "%s: var, (%d, %d)", where, (int)m,
             (int)r);
    free(h), free(soft), free(norm), free(var);
    gnd_scope_end();
}

static void row_plans(void)
{
    float *h;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){30, 1000}, &h);
    const long long n = 4 * 30 * 1000;
    is_plan(eval(softmax, x), 1, n, n, "softmax");
    is_plan(eval("x.var(1)", x), 1, n, 120, "var");
    is_plan(eval(normal, x), 1, n, n, "normalization");
    is_plan(eval("d = x - x.max(1, keepdims=True); d - log(exp(d).sum(1, keepdims=True))", x), 1, n,
            n, "log_softmax");
    is_plan(eval("x.reshape(30, 10, 100).std((1, 2))", x), 1, n, 120, "std over two axes");
    is_plan(eval("(x - x.mean(0)) * 2", x), 2, -1, -1, "columns: as ever");
    gnd_array *mean = eval("x.mean(1, keepdims=True)", x);
    gnd_array *both[] = {mean, gnd_subtract(x, mean)};
    gnd_status st;
    char *text = gnd_explain(2, both, 0, &st);
    tap_ok(text && strstr(text, "\n1 kernels"), "%s: means and what is left, both stored", where);
    free(text);
    free(h);
    x = random_array(2, (int64_t[]){2, 40000}, &h);
    if (!cpu)
        is_plan(eval(softmax, x), 3 + 2, -1, -1, "rows too long for registers: in stages");
    free(h);
    x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){0, 8});
    tap_is_int(gnd_size(eval(softmax, x)), 0, "%s: no rows", where);
    tap_is_int(gnd_wait(eval(softmax, x)), GND_OK, "%s: no rows: nothing to do", where);
    gnd_scope_end();
}

/* Rows that need a quarter more of the registers of 512 work-items, and 1024 work-items. */
static void long_rows(void)
{
    const int64_t shape[][2] = {{16, 18307}, {16, 20484}, {16, 32768}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        float *h;
        const int64_t n = shape[i][0], r = shape[i][1];
        gnd_scope_begin();
        gnd_array *x = random_array(2, shape[i], &h);
        int32_t *at = malloc((size_t)n * sizeof *at);
        int bad = 0;
        is_plan(eval(softmax, x), 1, 4 * n * r, 4 * n * r, "softmax of long rows");
        gnd_array *y = eval("(x == x.max(1, keepdims=True)).argmax(1).astype(int32)", x);
        bad += gnd_read(y, at, (size_t)n * sizeof *at) != GND_OK;
        for (int64_t k = 0; k < n * r && !bad; k++)
            bad += h[k] > h[k / r * r + at[k / r]];
        tap_is_int(bad, 0, "%s: where the greatest of %d are", where, (int)r);
        free(at), free(h);
        gnd_scope_end();
    }
    rows_of(16, 18307, 1);
    rows_of(17, 32771, 0); /* too long */
    rows_of(16, 32700, 1);
}

/* Long rows with factors of their own: what one late stage needs is read there, and not held. */
static void scaled_rows(int64_t m, int64_t r)
{
    float *h, *g, *b;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){m, r}, &h), *f = random_array(1, &r, &g),
              *t = random_array(1, &r, &b);
    double *norm = malloc((size_t)(m * r) * sizeof *norm), *mean = malloc((size_t)m * sizeof *mean);
    for (int64_t i = 0; i < m; i++) {
        const float *a = h + i * r;
        double top = -INFINITY, s = 0, q = 0, z = 0, w = 0;
        for (int64_t j = 0; j < r; j++) {
            top = fmax(top, a[j]);
            s += a[j] / (double)r;
        }
        for (int64_t j = 0; j < r; j++) {
            q += (a[j] - s) * (a[j] - s) / (double)r;
            z += exp(a[j] - top);
            w += exp(a[j] - top) * g[j];
        }
        mean[i] = w / z;
        for (int64_t j = 0; j < r; j++)
            norm[i * r + j] = (a[j] - s) / sqrt(q + 0.25) * g[j] + b[j];
    }
    gnd_array *y[2] = {
        gnd_eval(dev,
                 "(x - x.mean(1, keepdims=True)) / sqrt(x.var(1, keepdims=True) + 0.25) * f + t",
                 "x", x, "f", f, "t", t, NULL),
        gnd_eval(dev, "e = exp(x - x.max(1, keepdims=True)); (e * f).sum(1) / e.sum(1)", "x", x,
                 "f", f, NULL)};
    if (!cpu)
        is_plan(y[0], 1, 4 * (m * r + 2 * r), 4 * m * r, "long rows with factors");
    tap_near(worst(y[0], norm, m * r), 0, 4e-6, "%s: rows with factors, (%d, %d)", where, (int)m,
             (int)r);
    tap_near(worst(y[1], mean, m), 0, 4e-6, "%s: weighted means, (%d, %d)", where, (int)m, (int)r);
    free(h), free(g), free(b), free(norm), free(mean);
    gnd_scope_end();
}

/* What is not a row, stored as well as used, or of another dtype. */
static void row_forms(void)
{
    float *h;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){48, 48}, &h);
    static const char *const text[][2] = {
        {"x - x.mean(1)", "m = x.mean(1) + 0; m = m[:]; x - m[None, :]"},
        {"(x - x.mean(1)[:, None])[::-1, ::-1]", "x[::-1, ::-1] - x.mean(1)[::-1][:, None]"},
        {"x.T - x.T.mean(1, keepdims=True)", "(x - x.mean(0)).T"},
        {"x[::2, ::-3] / abs(x[::2, ::-3]).max(1, keepdims=True)",
         "y = x[::2, ::-3] + 0; y / abs(y).max(1)[:, None]"},
        {"x[x.argmax(1)] - x.max(1, keepdims=True)", "x[x.argmax(1)] - x.max(1)[:, None]"},
        {"(x == x.max(1, keepdims=True)).sum(1)", "(x == x.max(1)[:, None]).sum(1)"},
    };
    for (int i = 0; i < (int)(sizeof text / sizeof *text); i++) {
        gnd_array *a = eval(text[i][0], x);
        gnd_array *b = eval(text[i][1], x);
        gnd_status st;
        tap_ok(gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(a, b)), GND_ALL, 0), &st) < 1e-6 && !st,
               "%s: %s", where, text[i][0]);
    }
    gnd_array *mean = gnd_mean(x, GND_AXIS(1), GND_KEEPDIMS), *d = gnd_subtract(x, mean);
    gnd_array *all[] = {mean, d, gnd_sum(gnd_square(d), GND_AXIS(1), 0)};
    tap_is_int(gnd_eval_all(3, all), GND_OK,
               "%s: values of rows and of points stored by one kernel", where);
    float got[48];
    double e = 0;
    gnd_read(all[2], got, sizeof got);
    for (int i = 0; i < 48; i++) {
        double s = 0, q = 0;
        for (int j = 0; j < 48; j++)
            s += h[i * 48 + j] / 48.0;
        for (int j = 0; j < 48; j++)
            q += (h[i * 48 + j] - s) * (h[i * 48 + j] - s);
        e = fmax(e, fabs(got[i] / q - 1));
    }
    tap_near(e, 0, 1e-5, "%s: the squares' sums among them", where);
    free(h);
    gnd_scope_end();
}

/* Many short rows: several of them a group. */
static void short_rows(void)
{
    enum { M = 1100, R = 36 };
    float *h, sum[M];
    int64_t at[M], bad = 0;
    double e = 0;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){M, R}, &h);
    gnd_array *y[] = {eval("x.sum(1) * 2", x), eval("(x[:, ::-1] * 1).argmin(1)", x)};
    tap_is_int(gnd_eval_all(2, y), GND_OK, "%s: many short rows", where);
    gnd_read(y[0], sum, sizeof sum), gnd_read(y[1], at, sizeof at);
    for (int i = 0; i < M; i++) {
        double s = 0;
        int best = 0;
        for (int j = 0; j < R; j++) {
            s += 2.0 * h[i * R + j];
            best = h[i * R + R - 1 - j] < h[i * R + R - 1 - best] ? j : best;
        }
        e = fmax(e, fabs(sum[i] - s));
        bad += at[i] != best;
    }
    tap_near(e, 0, 1e-4, "%s: their sums", where);
    tap_is_int(bad, 0, "%s: where they are least", where);
    free(h);
    gnd_scope_end();
}

/* --- tiles ------------------------------------------------------------------------------------ */

static void distances(int64_t m, int64_t n, int64_t r)
{
    float *p, *q;
    gnd_scope_begin();
    gnd_array *a = random_array(2, (int64_t[]){m, r}, &p),
              *b = random_array(2, (int64_t[]){n, r}, &q);
    double *want = malloc((size_t)(m * n) * sizeof *want);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = 0;
            for (int64_t k = 0; k < r; k++)
                s += ((double)p[i * r + k] - q[j * r + k]) * ((double)p[i * r + k] - q[j * r + k]);
            want[i * n + j] = sqrt(s);
        }
    gnd_array *y = gnd_eval(dev, "sqrt(((a[:, None] - b)**2).sum(-1))", "a", a, "b", b, NULL);
    is_plan(y, 1, -1, 4 * m * n, "distances");
    tap_near(worst(y, want, m * n), 0, 2e-6, "%s: distances, (%d, %d, %d)", where, (int)m, (int)n,
             (int)r);
    free(p), free(q), free(want);
    gnd_scope_end();
}

/* Rows of views, two batches, of ints: sums of absolute differences, exactly. On GPUs the rows go
 * through local memory. */
static void city_blocks(gnd_dtype t, int64_t m, int64_t n, int64_t r)
{
    int64_t wrong = 0;
    char text[160];
    gnd_scope_begin();
    int32_t *got = malloc((size_t)(2 * m * n) * sizeof *got);
    snprintf(text, sizeof text,
             "a = (arange(%d) * 37 %% 101).reshape((2, %d, %d)).astype(%s)[:, :, 2:-1]\n"
             "b = (arange(%d) * 11 %% 89).reshape((2, %d, %d)).astype(%s)\n",
             (int)(2 * m * (r + 3)), (int)m, (int)(r + 3), gnd_dtype_name(t), (int)(2 * n * r),
             (int)n, (int)r, gnd_dtype_name(t));
    gnd_array *a = gnd_eval(dev, strcat(text, "a"), NULL);
    text[strlen(text) - 1] = 'b';
    gnd_array *b = gnd_eval(dev, text, NULL), *both[2] = {a, b};
    gnd_status st = gnd_eval_all(2, both);
    gnd_array *y = gnd_eval(dev, "abs(a[:, :, None] - b[:, None]).sum(-1).astype(int32)", "a", a,
                            "b", b, NULL);
    st = st ? st : gnd_read(y, got, (size_t)(2 * m * n) * sizeof *got);
    for (int64_t o = 0; o < 2 * m * n; o++) {
        const int64_t k = o / (m * n), i = o / n % m, j = o % n;
        int64_t sum = 0;
        for (int64_t e = 0; e < r; e++) {
            const int64_t u = ((k * m + i) * (r + 3) + 2 + e) * 37 % 101,
                          v = ((k * n + j) * r + e) * 11 % 89;
            sum += u > v ? u - v : v - u;
        }
        wrong += got[o] != sum;
    }
    tap_ok(!st && !wrong, "%s: %d city block distances of %s, (2, %d, %d, %d), are wrong", where,
           (int)wrong, gnd_dtype_name(t), (int)m, (int)n, (int)r);
    free(got);
    gnd_scope_end();
}

/* Of n bodies on the first `on` of them. */
static void forces(int n, int on)
{
    float *p;
    char text[120];
    double want[3 * 701] = {0};
    gnd_scope_begin();
    gnd_array *a = random_array(2, (int64_t[]){n, 3}, &p);
    for (int i = 0; i < on; i++)
        for (int j = 0; j < n; j++) {
            double d[3], s = 1;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)p[3 * j + c] - p[3 * i + c];
                s += d[c] * d[c];
            }
            for (int c = 0; c < 3; c++)
                want[3 * i + c] += d[c] / (s * sqrt(s));
        }
    snprintf(text, sizeof text,
             "r = x[None] - x[:%d, None]; d2 = (r * r).sum(-1) + 1\n"
             "(r / (d2 * sqrt(d2))[..., None]).sum(1)",
             on);
    gnd_array *y = eval(text, a);
    is_plan(y, 1, -1, 12 * on, "forces");
    tap_near(worst(y, want, 3 * on), 0, 2e-5, "%s: forces of %d bodies on %d", where, n, on);
    free(p);
    gnd_scope_end();
}

static void short_sums(void)
{
    float *h, got[60];
    gnd_scope_begin();
    gnd_array *x = random_array(3, (int64_t[]){5, 3, 12}, &h);
    double want[60];
    for (int i = 0; i < 60; i++) {
        const float *e = h + i / 12 * 36 + i % 12;
        want[i] = 2 * fmax(e[0], fmax(e[12], e[24])) + e[0] + e[12] + e[24];
    }
    gnd_array *y = eval("2 * x.max(1) + x.sum(1)", x);
    is_plan(y, 1, -1, 240, "short reductions are written out");
    tap_near(worst(y, want, 60), 0, 1e-6, "%s: short reductions", where);
    y = eval("x[:, ::-1, 2:4].sum((1, 2), keepdims=True) + x", x);
    tap_is_int(gnd_wait(y), GND_OK, "%s: over 6 elements of a view", where);
    y = eval("any(x[..., :2] > 3, -1) | all(x[..., 1:5] < 0, -1)", x);
    tap_is_int(gnd_wait(y), GND_OK, "%s: any and all", where);
    y = eval("x[:, :, :4].prod(-1) * 1", x);
    tap_is_int(gnd_read(y, got, 60), GND_OK, "%s: a product", where);
    tap_near(got[14], (double)h[14 * 12] * h[14 * 12 + 1] * h[14 * 12 + 2] * h[14 * 12 + 3], 1e-4,
             "%s: its value", where);
    free(h);
    gnd_scope_end();
}

/* --- maps ------------------------------------------------------------------------------------- */

static void stencil(void)
{
    enum { M = 515, N = 1031 };
    float *h;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){M, N}, &h);
    double *want = malloc((M - 2) * (N - 2) * sizeof *want);
    for (int i = 1; i < M - 1; i++)
        for (int j = 1; j < N - 1; j++)
            want[(i - 1) * (N - 2) + j - 1] = (double)h[(i - 1) * N + j] + h[(i + 1) * N + j] +
                                              h[i * N + j - 1] + h[i * N + j + 1] -
                                              4.0 * h[i * N + j];
    gnd_array *y =
        eval("x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]", x);
    tap_near(worst(y, want, (M - 2) * (N - 2)), 0, 2e-6, "%s: a stencil", where);
    free(h), free(want);
    gnd_scope_end();
}

/* A join is one launch, whatever its pieces are. */
static void joins(void)
{
    enum { M = 70, N = 130 };
    float *h;
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){M, N}, &h);
    double *want = malloc(2 * M * N * sizeof *want);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const int inside = i > 0 && i < M - 1 && j > 0 && j < N - 1;
            want[i * N + j] = inside ? h[i * N + j] + h[(i - 1) * N + j] : h[i * N + j];
            want[M * N + i * N + j] = h[(M - 1 - i) * N + j] * 3.0;
        }
    gnd_array *y = eval("u = x[:, :]; u[1:-1, 1:-1] += x[:-2, 1:-1]; u", x);
    tap_near(worst(y, want, M * N), 0, 1e-6, "%s: an update of a box", where);
    is_plan(eval("concatenate((x, x[::-1] * 3, x[:5]))", x), 1, -1, 4 * (2 * M + 5) * N, "a join");
    y = eval(
        "u = x[:, :]; u[1:-1, 1:-1] += x[:-2, 1:-1]; concatenate((u, x[::-1] * 3, zeros((0, 130))))",
        x);
    tap_near(worst(gnd_astype(y, GND_FLOAT32), want, 2 * M * N), 0, 1e-6, "%s: a join of a join",
             where);
    y = eval(
        "concatenate((x.T[:, :70].astype(float32), x[:, :70] + arange(70).astype(float32)), 0)", x);
    float *got = malloc(200 * 70 * sizeof *got);
    tap_is_int(gnd_read(y, got, 200 * 70 * sizeof *got), GND_OK, "%s: a join of a transposed array",
               where);
    tap_ok(got[5 * 70 + 3] == h[3 * N + 5] && got[(130 + 7) * 70 + 9] == h[7 * N + 9] + 9,
           "%s: its values", where);
    free(h), free(want), free(got);
    gnd_scope_end();
}

/* Boxes that interleave in memory are outputs of one kernel, which reads what they share once. */
static void interleaved(void)
{
    enum { M = 333 };
    float *h;
    double want[3 * M];
    gnd_scope_begin();
    gnd_array *x = random_array(2, (int64_t[]){M, 3}, &h);
    for (int i = 0; i < M; i++)
        for (int c = 0; c < 3; c++)
            want[3 * i + c] = (double)h[3 * i + c] * h[3 * i + (c + 1) % 3];
    gnd_array *y = eval("a, b, c = x[:, 0], x[:, 1], x[:, 2]; stack((a * b, b * c, c * a), -1)", x);
    is_plan(y, 1, 12 * M, 12 * M, "interleaved boxes");
    tap_near(worst(y, want, 3 * M), 0, 1e-6, "%s: interleaved boxes", where);
    y = eval("a = x[:, :2]; concatenate((a + 1, a.sum(1, keepdims=True), a * 2), 1)", x);
    for (int i = 0; i < M; i++)
        want[i] = (double)h[3 * i] + h[3 * i + 1];
    tap_near(worst(gnd_at(y, ":, 2"), want, M), 0, 1e-6, "%s: boxes of unlike widths", where);
    free(h);
    gnd_scope_end();
}

/* A sink that is a view of a reduction which a kernel of rows would keep to itself; so too of the
 * rows. */
static void views_of_inner(void)
{
    static const float h[5] = {1, 2, -0.5f, 0, -4.5f};
    static const double over[5] = {8, 16, -0.5, 0, -4.5}, back[5] = {-3.5, 1, 0.5, 3, 2};
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){5}, h), *y[4];
    gnd_array *s = eval("v = clip(x, 1, 3); (v*v).sum()", x), *t = eval("x + 1", x);
    y[0] = gnd_reshape(s, 1, (int64_t[]){1});
    y[1] = gnd_eval(dev, "a = s*x; where(a < x, x, a)", "s", s, "x", x, NULL);
    y[2] = gnd_flip(t, GND_ALL);
    y[3] = gnd_eval(dev, "t / abs(t).sum()", "t", t, NULL);
    int bad = 0;
    bad += gnd_eval_all(2, y) != GND_OK || worst(y[0], (double[]){8}, 1) > 0 ||
           worst(y[1], over, 5) > 0;
    bad += gnd_eval_all(2, y + 2) != GND_OK || worst(y[2], back, 5) > 0;
    tap_is_int(bad, 0, "%s: views of what rows keep inside are stored", where);
    gnd_scope_end();
}

static void on_device(gnd_device *d, const char *spec)
{
    static char name[64];
    dev = d;
    snprintf(name, sizeof name, "%.40s, %s", spec, cpu ? "cpu" : "gpu");
    where = name;
    ref_seed(11);
    row_plans();
    row_forms();
    scaled_rows(17, 6000);
    scaled_rows(17, 5121);
    rows_of(20, 1001, 0);
    rows_of(16, 256, 1);
    if (cpu)
        return;
    rows_of(5, 2, 0);
    rows_of(7, 10, 1);
    rows_of(300, 53, 0);
    rows_of(40, 297, 1);
    rows_of(2, 4096, 0);
    long_rows();
    short_rows();
    distances(513, 520, 8);
    distances(300, 410, 101);
    city_blocks(GND_INT16, 300, 451, 40);
    city_blocks(GND_FLOAT32, 290, 463, 71);
    city_blocks(GND_FLOAT64, 300, 451, 17);
    forces(701, 701);
    forces(17001, 140); /* more than a work-item adds up plainly */
    short_sums();
    stencil();
    views_of_inner();
    joins();
    interleaved();
}

int main(void)
{
    for (cpu = 0; cpu < 2; cpu++) {
        setenv("GND_KERNEL_SHAPE", cpu ? "cpu" : "gpu", 1);
        ref_devices(on_device);
    }
    return tap_done();
}
