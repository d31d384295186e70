/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_blocks.c - rows that go through local memory in the kernels of GPUs: lengths that are no
 * vectors, all dtypes, rows that are only read and rows that are written, several arrays of unlike
 * dtypes, blocks that a group fills in part, views whose rows cannot be blocks; and products with
 * vectors, which are sums of such rows. Every value is a small whole number, so each result is
 * exact.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static gnd_device *dev;
static const char *where;

typedef enum layout { PLAIN, LATER, PADDED, BATCH, NLAYOUT } layout;
static const char *const layout_name[NLAYOUT] = {"rows", "rows from the second on",
                                                 "columns of a wider array", "batches"};

/* An array of numbers -1, 0 and 1, and the same in host[m * r]. */
static gnd_array *whole(gnd_dtype t, int64_t m, int64_t r, layout l, double *host)
{
    const int64_t high = m + (l == LATER), wide = r + (l == PADDED);
    const size_t size = gnd_dtype_size(t);
    char *raw = calloc((size_t)(high * wide) + 1, size);
    for (int64_t i = 0; i < high; i++)
        for (int64_t j = 0; j < wide; j++) {
            const int64_t v = ref_range(gnd_dtype_kind(t) == 'u' ? 0 : -1, 1);
            ref_put(t, raw + (size_t)(i * wide + j) * size, ref_as(t, ref_int(v)));
            if (i >= high - m && j < r)
                host[(i - (high - m)) * r + j] = (double)v;
        }
    const int batch = l == BATCH && m % 2 == 0;
    const int64_t dim[3] = {batch ? 2 : high, batch ? m / 2 : wide, wide};
    gnd_array *x = gnd_from(dev, t, batch ? 3 : 2, dim, raw);
    gnd_eval_all(1, &x);
    free(raw);
    return l == LATER ? gnd_at(x, "1:") : l == PADDED ? gnd_at(x, ":, :-1") : x;
}

/* The number of elements of y that are not those of want[n]. */
static int64_t unlike(gnd_array *y, const double *want, int64_t n)
{
    if (gnd_eval_all(1, &y) != GND_OK) {
        tap_diag("%s", gnd_error(y));
        return -1;
    }
    double *got = malloc((size_t)(n + 1) * sizeof *got);
    const int64_t size = gnd_size(y);
    int64_t bad = size == n && !gnd_read(gnd_astype(gnd_real_part(y), GND_FLOAT64), got,
                                         (uint64_t)n * sizeof *got)
                      ? 0
                      : -1;
    for (int64_t i = 0; i < n && bad >= 0; i++)
        bad += got[i] != want[i];
    free(got);
    return bad;
}

static void rows_of(gnd_dtype t, int64_t m, int64_t r, layout l)
{
    char name[160];
    double *h = malloc((size_t)(m * r + 1) * sizeof *h),
           *a = malloc((size_t)(m * r + 1) * sizeof *a),
           *b = malloc((size_t)(m * r + 1) * sizeof *b), *at = malloc((size_t)(m + 1) * sizeof *at),
           *w = malloc((size_t)(r + 1) * sizeof *w), *v = malloc((size_t)(m + 1) * sizeof *v);
    gnd_scope_begin();
    gnd_array *x = whole(t, m, r, l, h), *y = whole(t, 1, r, PLAIN, w),
              *z = whole(t, m, 1, PLAIN, v);
    y = gnd_at(y, "0");
    z = l == BATCH && m % 2 == 0 ? gnd_reshape(z, 2, (int64_t[]){2, m / 2}) : gnd_reshape(z, 1, &m);
    for (int64_t i = 0; i < m; i++) {
        double top = h[i * r], sum = 0, dot = 0;
        at[i] = 0;
        for (int64_t j = 0; j < r; j++) {
            sum += h[i * r + j];
            dot += h[i * r + j] * w[j];
            if (h[i * r + j] > top) {
                top = h[i * r + j];
                at[i] = (double)j;
            }
        }
        for (int64_t j = 0; j < r; j++) {
            a[i * r + j] = h[i * r + j] - top;
            b[i * r + j] = h[i * r + j] * 2 - sum;
        }
        v[i] = 2 * dot - v[i];
    }
    snprintf(name, sizeof name, "%s: %s, %lld x %lld, %s", where, gnd_dtype_name(t), (long long)m,
             (long long)r, layout_name[l]);
    const int complex = gnd_dtype_kind(t) == 'c', sign = gnd_dtype_kind(t) != 'u';
    if (!complex)
        tap_is_int(unlike(gnd_eval(dev, "x.argmax(-1)", "x", x, NULL), at, m), 0, "%s: argmax",
                   name);
    if (!complex && sign)
        tap_is_int(unlike(gnd_eval(dev, "x - x.max(-1, keepdims=True)", "x", x, NULL), a, m * r), 0,
                   "%s: less the greatest", name);
    if (sign) {
        tap_is_int(
            unlike(gnd_eval(dev, "x * 2 - x.sum(-1, keepdims=True)", "x", x, NULL), b, m * r), 0,
            "%s: less the sum", name);
        tap_is_int(unlike(gnd_eval(dev, "2 * (x @ y) - z", "x", x, "y", y, "z", z, NULL), v, m), 0,
                   "%s: a product with a vector, and what follows", name);
    }
    gnd_scope_end();
    free(h), free(a), free(b), free(at), free(w), free(v);
}

/* Arrays of unlike dtypes, and outputs for elements and for rows, in one kernel. */
static void unlike_blocks(int64_t m, int64_t r)
{
    double *h = malloc((size_t)(m * r) * sizeof *h), *g = malloc((size_t)(m * r) * sizeof *g),
           *a = malloc((size_t)(m * r) * sizeof *a), *s = malloc((size_t)m * sizeof *s);
    gnd_scope_begin();
    gnd_array *x = whole(GND_FLOAT32, m, r, PLAIN, h), *k = whole(GND_INT8, m, r, PLAIN, g), *y[2];
    for (int64_t i = 0; i < m; i++) {
        s[i] = 0;
        for (int64_t j = 0; j < r; j++)
            s[i] += h[i * r + j] + g[i * r + j];
        for (int64_t j = 0; j < r; j++)
            a[i * r + j] = h[i * r + j] - s[i];
    }
    y[0] = gnd_eval(dev, "(x + k).sum(1, keepdims=True)", "x", x, "k", k, NULL);
    y[1] = gnd_subtract(x, y[0]);
    tap_is_int(gnd_eval_all(2, y), GND_OK, "%s: two outputs, %d x %d", where, (int)m, (int)r);
    tap_ok(unlike(y[0], s, m) == 0 && unlike(y[1], a, m * r) == 0, "%s: their values", where);
    gnd_scope_end();
    free(h), free(g), free(a), free(s);
}

/* The blocks of the kernel of text: rows of x, and of the result. */
static void has_blocks(const char *text, int64_t m, int64_t r, layout l, int want)
{
    double *h = malloc((size_t)(m * r) * sizeof *h);
    int n = 0;
    gnd_scope_begin();
    gnd_array *x = whole(GND_FLOAT32, m, r, l, h), *y = gnd_eval(dev, text, "x", x, NULL);
    gnd_status st;
    char *plan = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &st);
    for (const char *s = plan; s && (s = strstr(s, "*const h")); s++)
        n++;
    tap_ok(plan && strstr(plan, "\n1 kernels") && n == want,
           "%s: %s of %s, %d x %d: %d blocks (%d)", where, text, layout_name[l], (int)m, (int)r,
           want, n);
    free(plan);
    free(h);
    gnd_scope_end();
}

static void plans(void)
{
    static const char points[] = "x - x.max(1, keepdims=True)", result[] = "x.max(1)";
    has_blocks(points, 1500, 9, PLAIN, 2);
    has_blocks(points, 1500, 101, PLAIN, 2);
    has_blocks(points, 1500, 9, LATER, 1);
    has_blocks(points, 1500, 9, PADDED, 1);
    has_blocks(points, 1500, 1001, PLAIN, 0);
    has_blocks(result, 1500, 15, PLAIN, 1);
    has_blocks(result, 1500, 15, LATER, 0);
    has_blocks(result, 1500, 16, PLAIN, 0);
    has_blocks(result, 1500, 101, PLAIN, 0);
}

static void on_device(gnd_device *d, const char *spec)
{
    static char name[64];
    static const gnd_dtype other[] = {GND_FLOAT64, GND_FLOAT16, GND_BFLOAT16, GND_INT8,
                                      GND_UINT8,   GND_INT16,   GND_INT64,    GND_COMPLEX64};
    static const int64_t lengths[] = {5, 7, 9, 12, 15, 31, 33, 53};
    dev = d;
    snprintf(name, sizeof name, "%.40s", spec);
    where = name;
    ref_seed(3);
    plans();
    rows_of(GND_FLOAT32, 1, 9, PLAIN);
    rows_of(GND_FLOAT32, 1025, 9, PLAIN);
    rows_of(GND_FLOAT32, 257, 15, BATCH);
    rows_of(GND_FLOAT32, 1538, 15, BATCH);
    rows_of(GND_FLOAT32, 1150, 31, PADDED);
    rows_of(GND_FLOAT32, 1027, 15, LATER);
    rows_of(GND_FLOAT32, 131, 149, PLAIN);
    rows_of(GND_FLOAT32, 0, 9, PLAIN);
    for (int i = 0; i < 8; i++)
        rows_of(other[i], 1024 + ref_range(0, 300), lengths[ref_range(0, 7)], PLAIN);
    unlike_blocks(1100, 21);
}

int main(void)
{
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(on_device);
    return tap_done();
}
