/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_deal.c - many floats added up in many places, as GPUs do it (kernels/deal.cl): against plain
 * sums in long double; even and uneven, where some bins of places get too many values; whole
 * numbers and all exponents; what is not finite; bases; that the order of the values changes no
 * bit; rows, which give the bits of their elements.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "prim/accumulate.h"
#include "ref.h"
#include "tap.h"

enum { N = (1 << 20) + 777, M = 12289 };
enum { EVEN, UNEVEN };

static int64_t pos[N];
static double val[2 * N]; /* of any dtype: its parts */

/* Places: even, or a third of them one, and another third a few neighbours. */
static void draw(int how, int wide, int strange)
{
    for (int i = 0; i < N; i++) {
        pos[i] = how == EVEN || i % 3 == 0 ? ref_range(0, M - 1)
                 : i % 3 == 1              ? 5000
                                           : ref_range(9000, 9040);
        for (int c = 0; c < 2; c++) {
            const double v = (double)(int64_t)(ref_rnd() >> 44) - (1 << 19);
            val[2 * i + c] = wide ? ldexp(v, (int)(ref_rnd() % 60) - 50) : v;
        }
        if (strange && ref_rnd() % 4096 == 0)
            val[2 * i] = i % 3 ? INFINITY : i % 2 ? NAN : -INFINITY;
    }
}

static void put(gnd_dtype t, unsigned char *at, int64_t i, const double *v)
{
    const size_t size = gnd_dtype_size(t);
    const float f[2] = {(float)v[0], (float)v[1]};
    if (t == GND_FLOAT32 || t == GND_COMPLEX64)
        memcpy(at + (size_t)i * size, f, size);
    else
        memcpy(at + (size_t)i * size, v, size);
}

static double part(gnd_dtype t, const unsigned char *at, int64_t i, int c)
{
    const int both = gnd_dtype_kind(t) == 'c', single = t == GND_FLOAT32 || t == GND_COMPLEX64;
    i = both ? 2 * i + c : i;
    return single ? (double)((const float *)(const void *)at)[i]
                  : ((const double *)(const void *)at)[i];
}

static void one(gnd_device *dev, const char *spec, gnd_dtype t, int how, int wide, int strange)
{
    const size_t size = gnd_dtype_size(t);
    const int parts = gnd_dtype_kind(t) == 'c' ? 2 : 1;
    const int64_t n = N, m = M;
    unsigned char *v = malloc(N * size), *base = malloc(M * size), *a = calloc(M, size),
                  *b = calloc(M, size);
    long double *want = calloc(2 * M, sizeof *want), *scale = calloc(2 * M, sizeof *scale);
    double worst = 0;
    if (ref_skip(dev, t, 3))
        goto done;
    draw(how, wide, strange);
    for (int64_t i = 0; i < N; i++)
        put(t, v, i, val + 2 * i);
    for (int64_t i = 0; i < M; i++) {
        put(t, base, i, (const double[2]){(double)i / 8, -1});
        for (int c = 0; c < parts; c++)
            scale[2 * i + c] = fabsl(want[2 * i + c] = (long double)part(t, base, i, c));
    }
    for (int64_t i = 0; i < N; i++)
        for (int c = 0; c < parts; c++) {
            want[2 * pos[i] + c] += (long double)part(t, v, i, c);
            scale[2 * pos[i] + c] += fabsl((long double)part(t, v, i, c));
        }
    gnd_scope_begin();
    gnd_array *p =
        gnd__checked_node(gnd_from(dev, GND_INT64, 1, &n, pos), "test", INT64_MAX / 2, 0);
    gnd_array *x = gnd_from(dev, t, 1, &n, v), *z = gnd_from(dev, t, 1, &m, base);
    gnd_array *y = gnd__accumulate_node(GND__ACC_ADD, p, x, z, m);
    tap_is_int(gnd_read(y, a, M * size), GND_OK, "%s: %s, %s%s%s", spec, gnd_dtype_name(t),
               how == EVEN ? "even" : "uneven", wide ? ", wide" : "",
               strange ? ", not all finite" : "");
    for (int64_t i = 0; i < M; i++)
        for (int c = 0; c < parts; c++) {
            const long double w = want[2 * i + c], g = (long double)part(t, a, i, c);
            const long double ulp =
                scale[2 * i + c] * (t == GND_FLOAT32 || t == GND_COMPLEX64 ? 0x1p-24L : 0x1p-52L);
            const double err = isfinite(w) ? (double)(fabsl(g - w) / (ulp > 0 ? ulp : 1))
                               : (isnan(w) ? isnan(g) : g == w) ? 0
                                                                : INFINITY;
            worst = err > worst || isnan(err) ? err : worst;
        }
    tap_ok(worst <= 1, "  right to %.3g units of the magnitudes", worst);
    y = gnd__accumulate_node(GND__ACC_ADD, gnd_flip(p, GND_ALL), gnd_flip(x, GND_ALL), z, m);
    gnd_read(y, b, M * size);
    tap_is_mem(a, b, M * size, "  and backwards the same bits");
    gnd_scope_end();
done:
    free(v);
    free(base);
    free(a);
    free(b);
    free(want);
    free(scale);
}

/* Rows added by index: the places of elements are computed where they are read, not stored. */
static void rows(gnd_device *dev, const char *spec)
{
    enum { VALUES = 20011, ROWS = 53, COLS = 24 };
    const int64_t n = VALUES, dim[2] = {VALUES, COLS}, to[2] = {ROWS, COLS};
    float *v = malloc(sizeof *v * VALUES * COLS), want[ROWS * COLS] = {0}, got[ROWS * COLS];
    gnd_stats before, after;
    for (int i = 0; i < VALUES; i++) {
        const int64_t row = ref_range(0, ROWS - 1);
        pos[i] = i % 3 ? row : row - ROWS;
        for (int c = 0; c < COLS; c++)
            want[row * COLS + c] += v[i * COLS + c] = (float)ref_range(-99, 99);
    }
    gnd_scope_begin();
    gnd_array *p = gnd_from(dev, GND_INT64, 1, &n, pos), *x = gnd_from(dev, GND_FLOAT32, 2, dim, v),
              *z = gnd_zeros(dev, GND_FLOAT32, 2, to);
    const gnd_range r = {.kind = GND_IDX_ARRAY, .array = p};
    gnd_wait(x);
    gnd_device_reset_peak(dev);
    gnd_device_stats(dev, &before);
    gnd_array *y = gnd_add_at(z, 1, &r, x);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: %d rows added in %d places", spec, VALUES,
               ROWS);
    gnd_device_stats(dev, &after);
    tap_is_mem(got, want, sizeof want, "  gives the sums");
    tap_ok(after.bytes_peak < before.bytes_in_use + sizeof *v * VALUES * COLS,
           "  in less memory than the values have (%llu bytes)",
           (unsigned long long)(after.bytes_peak - before.bytes_in_use));
    pos[VALUES / 2] = ROWS;
    const gnd_range beyond = {.kind = GND_IDX_ARRAY, .array = gnd_from(dev, GND_INT64, 1, &n, pos)};
    y = gnd_add_at(z, 1, &beyond, x);
    tap_is_int(gnd_read(y, got, sizeof got), GND_ERR_INDEX, "  and a row that is not there");
    tap_has_str(gnd_error(y), "53", "  is an error that names it");
    gnd_scope_end();
    free(v);
}

/* Rows are ordered by place and added up without atomics (kernels/deal_rows.cl): the same bits as
 * element by element. Even: as many rows for each place; uneven: two places have most of them. */
static void row_bits(gnd_device *dev, const char *spec, gnd_dtype t, int width, int how, int wide,
                     int strange)
{
    enum { PLACES = 701 };
    const int64_t n = N / 2 / width + 1, m = (int64_t)PLACES * width, all = n * width;
    const size_t size = gnd_dtype_size(t);
    const int64_t pairs[2] = {n, width};
    int64_t *row = malloc((size_t)n * sizeof *row);
    void *a = malloc((size_t)m * size), *b = malloc((size_t)m * size);
    if (ref_skip(dev, t, 2))
        goto done;
    draw(EVEN, wide, strange);
    for (int64_t i = 0; i < n; i++) {
        row[i] = how == EVEN || i % 3 == 0 ? ref_range(0, PLACES - 2) : i % 3 == 1 ? 77 : 78;
        for (int c = 0; c < width; c++)
            pos[i * width + c] = row[i] * width + c;
    }
    gnd_scope_begin();
    const gnd_dtype real = gnd_dtype_kind(t) == 'c' ? GND_COMPLEX128 : GND_FLOAT64;
    gnd_array *x = gnd_astype(gnd_from(dev, real, 2, pairs, val), t),
              *z = gnd_astype(gnd_from(dev, real, 1, &m, val + 1), t);
    gnd_array *p[2] = {gnd_from(dev, GND_INT64, 1, &n, row),
                       gnd_from(dev, GND_INT64, 1, &all, pos)};
    for (int i = 0; i < 2; i++)
        p[i] = gnd__checked_node(p[i], "test", INT64_MAX / 2, 0);
    gnd_array *y = gnd__accumulate_node(GND__ACC_ADD, p[0], x, z, m);
    tap_is_int(gnd_read(y, a, (size_t)m * size), GND_OK, "%s: rows of %d %s, %s%s%s", spec, width,
               gnd_dtype_name(t), how == EVEN ? "even" : "uneven", wide ? ", wide" : "",
               strange ? ", not all finite" : "");
    y = gnd__accumulate_node(GND__ACC_ADD, p[1], x, z, m);
    gnd_read(y, b, (size_t)m * size);
    tap_is_mem(a, b, (size_t)m * size, "  have the bits of their elements");
    gnd_scope_end();
done:
    free(row);
    free(a);
    free(b);
}

static void all(gnd_device *dev, const char *spec)
{
    ref_seed(17);
    one(dev, spec, GND_FLOAT32, EVEN, 0, 0);
    one(dev, spec, GND_FLOAT32, EVEN, 1, 1);
    one(dev, spec, GND_FLOAT32, UNEVEN, 0, 1);
    one(dev, spec, GND_FLOAT32, UNEVEN, 1, 0);
    one(dev, spec, GND_COMPLEX128, EVEN, 0, 0);
    one(dev, spec, GND_COMPLEX128, UNEVEN, 1, 1);
    rows(dev, spec);
    row_bits(dev, spec, GND_FLOAT32, 16, EVEN, 0, 0);
    row_bits(dev, spec, GND_FLOAT32, 41, EVEN, 1, 1);
    row_bits(dev, spec, GND_FLOAT32, 8, UNEVEN, 1, 1);
    row_bits(dev, spec, GND_FLOAT64, 6, UNEVEN, 1, 0);
    row_bits(dev, spec, GND_COMPLEX64, 5, UNEVEN, 1, 1);
    row_bits(dev, spec, GND_BFLOAT16, 130, EVEN, 1, 0);
}

int main(void)
{
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(all);
    return tap_done();
}
