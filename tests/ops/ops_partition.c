/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_partition.c - partitions of long rows at one place, by counting: three parts in the order of
 * the input; parts of them alone; the first elements of long rows. Values that are all different,
 * few values with both zeros, NaN and infinities. With the kernels of both shapes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

#define DIM(...)                                                                                   \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[])                                       \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

enum { MOST = 140001, LINES = 2 };

static const char *shape_name;
static float host[LINES * MOST];
static int64_t want[LINES * MOST], got_at[LINES * MOST];
static uint8_t elem[LINES * MOST * 8], got[LINES * MOST * 8];

/* -1, 0, 1 as a comes before, with or after b. */
static int order(float a, float b, int descending)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return descending ? (a < b) - (a > b) : (a > b) - (a < b);
}

static int ascending(const void *a, const void *b)
{
    return order(*(const float *)a, *(const float *)b, 0);
}

static void fill(int kind, int64_t n)
{
    for (int64_t i = 0; i < LINES * n; i++) {
        const int64_t v = i * 7919 % (LINES * n);
        host[i] = kind == 0    ? (float)(v % 65000)
                  : kind == 1  ? (float)(v % 3) * (i % 2 ? -0.0F : 1.0F)
                  : v % 7 == 0 ? NAN
                  : v % 5 == 0 ? (i % 2 ? INFINITY : -INFINITY)
                               : (float)(v % 2001 - 1000);
    }
}

/* The indices of the partition of each row of n elements at place k. */
static void reference(int64_t n, int64_t k, int descending)
{
    float *row = malloc((size_t)n * sizeof *row);
    for (int r = 0; r < LINES; r++) {
        const float *x = host + r * n;
        int64_t m = 0, numbers = 0;
        memcpy(row, x, (size_t)n * sizeof *row);
        qsort(row, (size_t)n, sizeof *row, ascending);
        while (numbers < n && !isnan(row[numbers]))
            numbers++;
        const float pivot = !descending || k >= numbers ? row[k] : row[numbers - 1 - k];
        for (int part = -1; part <= 1; part++)
            for (int64_t i = 0; i < n; i++)
                if (order(x[i], pivot, descending) == part)
                    want[r * n + m++] = i;
    }
    free(row);
}

/* Whether v and at are places from .. from + count of the reference's rows. */
static int same(gnd_array *v, gnd_array *at, gnd_dtype t, int64_t n, int64_t from, int64_t count)
{
    const size_t size = gnd_dtype_size(t);
    if (gnd_read(v, got, (size_t)(LINES * count) * size) ||
        gnd_read(at, got_at, (size_t)(LINES * count) * sizeof *got_at))
        return 0;
    for (int64_t r = 0; r < LINES; r++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t to = r * count + i, own = want[r * n + from + i];
            if (got_at[to] != own ||
                memcmp(got + (size_t)to * size, elem + (size_t)(r * n + own) * size, size) != 0)
                return 0;
        }
    return 1;
}

static void places(gnd_device *dev, const char *spec, gnd_dtype t, int64_t n, int64_t k, int kind)
{
    char text[128];
    gnd_scope_begin();
    fill(kind, n);
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, DIM(LINES, n), host), t);
    const int read = gnd_read(x, elem, (size_t)(LINES * n) * gnd_dtype_size(t)) == GND_OK;
    snprintf(text, sizeof text, "%s %s: %s, place %" PRId64 " of %" PRId64 ", values %d", spec,
             shape_name, gnd_dtype_name(t), k, n, kind);
    reference(n, k, 0);
    const int64_t cut[][2] = {{0, n}, {k, n}, {0, k}, {k, k + 1}, {k / 2, n - 3}};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        const int64_t from = cut[i][0], to = cut[i][1], place = i % 2 ? k - n : k;
        gnd_array *v = gnd_slice(gnd_partition(x, 1, &place, 1), 1, from, to),
                  *at = gnd_slice(gnd_T(gnd_argpartition(gnd_T(x), 1, &place, 0)), 1, from, to);
        tap_ok(read && same(v, at, t, n, from, to - from), "%s, %" PRId64 " to %" PRId64, text,
               from, to);
    }
    gnd_array *p = gnd_partition(x, 1, &k, 1);
    tap_is_int(gnd_wait(p), GND_OK, "%s, computed", text);
    gnd_array *at = gnd_argpartition(x, 1, &k, -1);
    tap_ok(gnd_wait(at) == GND_OK &&
               same(gnd_slice(p, 1, k, n), gnd_slice(at, 1, k, n), t, n, k, n - k),
           "%s, and a part afterwards", text);
    gnd_scope_end();
}

/* The first elements of long rows: the first part of a partition, sorted. */
static void first(gnd_device *dev, const char *spec, int64_t n, int64_t k, int smallest)
{
    gnd_array *out[2];
    int bad = 0;
    gnd_scope_begin();
    fill(2, n);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(LINES, n), host);
    tap_is_int(gnd_topk(x, k, 1, smallest ? GND_SMALLEST : 0, out), GND_OK, "%s %s: topk", spec,
               shape_name);
    reference(n, k - 1, !smallest);
    bad += gnd_read(out[1], got_at, (size_t)(LINES * k) * sizeof *got_at) != GND_OK;
    for (int64_t r = 0; r < LINES; r++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < k; i++) {
            const int64_t *at = got_at + r * k + i;
            sum += *at - want[r * n + i];
            if (i > 0) {
                const int c = order(host[r * n + at[-1]], host[r * n + *at], !smallest);
                bad += c > 0 || (c == 0 && at[-1] >= *at);
            }
        }
        bad += sum != 0;
    }
    tap_is_int(bad, 0, "%s %s: the first %" PRId64 " of %" PRId64, spec, shape_name, k, n);
    gnd_scope_end();
}

static void all(gnd_device *dev, const char *spec)
{
    static const gnd_dtype t[] = {GND_FLOAT32, GND_INT64, GND_UINT16, GND_FLOAT16, GND_FLOAT64};
    const int gpu = strcmp(shape_name, "gpu") == 0, all = !gpu || getenv("GND_TEST_ALL");
    gnd_device_info info;
    gnd_device_describe(dev, &info);
    for (int i = 0; i < (all ? 5 : 2); i++) {
        const int real = gnd_dtype_kind(t[i]) == 'f';
        if (t[i] == GND_FLOAT64 && !info.has_f64)
            continue;
        places(dev, spec, t[i], 20011, 5, 0);
        places(dev, spec, t[i], 20011, 12000, real);
        if (real)
            places(dev, spec, t[i], 8195, 7777, 2);
    }
    places(dev, spec, GND_FLOAT32, MOST, 100000, 0);
    first(dev, spec, 20011, 700, 0);
    first(dev, spec, 20011, 3000, 1);
}

int main(void)
{
    static const char *const shapes[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shapes[i];
        setenv("GND_KERNEL_SHAPE", shape_name, 1);
        ref_devices(all);
    }
    return tap_done();
}
