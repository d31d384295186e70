/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_transpose.c - kernels whose inputs lie across the outputs, by tiles: elements of every size,
 * shapes that allow vectors and shapes that do not, permutations of four axes, also of narrow ones
 * (nests of loops on CPUs), expressions of several such inputs, views that begin anywhere;
 * arithmetic over narrow axes; maps of single points far apart; and moves of every pattern of 16
 * bits as floats, which keep their bits; and the order of results. With the kernels of both
 * shapes, against plain loops.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "ref.h"
#include "tap.h"

enum { MOST = 1 << 21 };

static gnd_device *dev;
static const char *shape_name;
static _Alignas(16) uint8_t in[MOST], want[MOST], got[MOST];

/* Elements of which every byte tells where it comes from, none a NaN: copies must not touch them.
 */
static void fill(gnd_dtype t, int64_t n)
{
    const size_t size = gnd_dtype_size(t);
    for (int64_t i = 0; i < n; i++)
        for (size_t b = 0; b < size; b++)
            in[(size_t)i * size + b] = (uint8_t)((i * 7 + (i >> 8) * 3 + (int64_t)b * 31) % 97);
}

static void same(gnd_array *y, size_t bytes, const char *what, gnd_dtype t, const int64_t *dim)
{
    memset(got, 0x55, bytes);
    const gnd_status st = gnd_read(y, got, bytes);
    tap_ok(st == GND_OK && !memcmp(got, want, bytes), "%s: %s, %s of %d x %d", shape_name, what,
           gnd_dtype_name(t), (int)dim[0], (int)dim[1]);
    if (st != GND_OK)
        tap_diag("%s", gnd_error(y));
}

static void transposed(gnd_dtype t, int64_t rows, int64_t cols)
{
    const int64_t dim[2] = {rows, cols};
    const size_t size = gnd_dtype_size(t);
    gnd_scope_begin();
    fill(t, rows * cols);
    gnd_array *x = gnd_from(dev, t, 2, dim, in);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            memcpy(want + (size_t)(j * rows + i) * size, in + (size_t)(i * cols + j) * size, size);
    same(gnd_matrix_transpose(x), (size_t)(rows * cols) * size, "transposed", t, dim);
    gnd_scope_end();
}

/* Axes (0, 2, 3, 1), (3, 0, 2, 1) and all the other way round. */
static void permuted(const int64_t *dim)
{
    static const int perm[3][4] = {{0, 2, 3, 1}, {3, 0, 2, 1}, {3, 2, 1, 0}};
    const int64_t n = dim[0] * dim[1] * dim[2] * dim[3];
    gnd_scope_begin();
    fill(GND_INT32, n);
    gnd_array *x = gnd_from(dev, GND_INT32, 4, dim, in);
    for (int p = 0; p < 3; p++) {
        int64_t at[4], i = 0;
        for (at[0] = 0; at[0] < dim[perm[p][0]]; at[0]++)
            for (at[1] = 0; at[1] < dim[perm[p][1]]; at[1]++)
                for (at[2] = 0; at[2] < dim[perm[p][2]]; at[2]++)
                    for (at[3] = 0; at[3] < dim[perm[p][3]]; at[3]++, i++) {
                        int64_t of[4];
                        for (int d = 0; d < 4; d++)
                            of[perm[p][d]] = at[d];
                        ((int32_t *)want)[i] =
                            ((int32_t *)
                                 in)[((of[0] * dim[1] + of[1]) * dim[2] + of[2]) * dim[3] + of[3]];
                    }
        same(gnd_permute_dims(x, perm[p]), (size_t)n * 4,
             p == 0   ? "0 2 3 1"
             : p == 1 ? "3 0 2 1"
                      : "3 2 1 0",
             GND_INT32, dim);
    }
    gnd_scope_end();
}

/* x.T + 2 y.T + z of int32, int16 and int32; the same of views that begin `skip` (0 or 3) elements
 * in. */
static void expression(int64_t rows, int64_t cols, int64_t skip)
{
    const int64_t dim[2] = {rows, cols}, back[2] = {cols, rows};
    int32_t *x = (int32_t *)in, *z = (int32_t *)(in + MOST / 2), *w = (int32_t *)want;
    static int16_t y[MOST / 8];
    gnd_scope_begin();
    for (int64_t i = 0; i < rows * cols; i++) {
        x[i] = (int32_t)(i * 3);
        z[i] = (int32_t)(i % 1000);
        y[i] = (int16_t)(i % 10000);
    }
    const int64_t m = cols - skip, n = rows - skip;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            w[i * n + j] = x[(j + skip) * cols + i + skip] + 2 * y[(j + skip) * cols + i + skip] +
                           z[(i + skip) * rows + j + skip];
    gnd_array *a = gnd_from(dev, GND_INT32, 2, dim, x), *b = gnd_from(dev, GND_INT16, 2, dim, y);
    gnd_array *c = gnd_from(dev, GND_INT32, 2, back, z);
    gnd_array *s = gnd_add(
        gnd_add(gnd_matrix_transpose(a), gnd_multiply(gnd_matrix_transpose(b), gnd_int(2))), c);
    same(gnd_at(s, skip ? "3:, 3:" : ":"), (size_t)(m * n) * 4, skip ? "a sum of views" : "a sum",
         GND_INT32, dim);
    gnd_scope_end();
}

/* x[::2] and x[::-2] of so many that a work-item takes several. */
static void strided(void)
{
    const int64_t n = 300001 * 2, dim[2] = {n, 1};
    gnd_scope_begin();
    fill(GND_INT16, n);
    gnd_array *x = gnd_from(dev, GND_INT16, 1, dim, in);
    int64_t k = 0;
    for (int64_t i = 0; i < n; i += 2)
        memcpy(want + 2 * k++, in + 2 * i, 2);
    same(gnd_at(x, "::2"), (size_t)k * 2, "every second", GND_INT16, dim);
    k = 0;
    for (int64_t i = n - 1; i >= 0; i -= 2)
        memcpy(want + 2 * k++, in + 2 * i, 2);
    same(gnd_at(x, "::-2"), (size_t)k * 2, "every second from the end", GND_INT16, dim);
    gnd_scope_end();
}

/* 2 exp(x) + column, and the same with the first two axes exchanged, over a narrow last axis:
 * blocks of points on CPUs. Functions give the same bits as over contiguous elements. */
static void narrow(int64_t a, int64_t b, int64_t c)
{
    const int64_t dim[3] = {a, b, c}, col[3] = {1, b, 1}, n = a * b * c;
    float *x = (float *)in, *e = (float *)(in + MOST / 2), *w = (float *)want;
    gnd_scope_begin();
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(i * 37 % 1001 - 500) / 64;
    gnd_array *g = gnd_from(dev, GND_FLOAT32, 3, dim, x),
              *k = gnd_from(dev, GND_FLOAT32, 3, col, x);
    if (gnd_read(gnd_exp(gnd_from(dev, GND_FLOAT32, 1, &n, x)), e, (size_t)n * 4))
        tap_fail("%s: %s", shape_name, gnd_message());
    for (int64_t i = 0; i < n; i++)
        w[i] = e[i] * 2 + x[i / c % b];
    gnd_array *y = gnd_add(gnd_multiply(gnd_exp(g), gnd_int(2)), k);
    same(y, (size_t)n * 4, "arithmetic over a narrow axis", GND_FLOAT32, dim + 1);
    for (int64_t i = 0; i < n; i++)
        w[i] = e[(i / c % a * b + i / c / a) * c + i % c] * 2;
    y = gnd_multiply(gnd_exp(gnd_permute_dims(g, (int[]){1, 0, 2})), gnd_int(2));
    same(y, (size_t)n * 4, "and axes exchanged", GND_FLOAT32, dim + 1);
    gnd_scope_end();
}

/* y and the words that it moves, of both as many rows of 64. */
static void keeps(gnd_array *y, const uint16_t *word, gnd_dtype t, int64_t rows, const char *what)
{
    const int64_t dim[2] = {rows, 64};
    memcpy(want, word, (size_t)rows * 128);
    same(y, (size_t)rows * 128, what, t, dim);
}

/* All floats of 16 bits, every NaN among them, by way of each instruction that moves. */
static void patterns(gnd_dtype t)
{
    enum { ROWS = 1024, COLS = 64, N = ROWS * COLS };
    static uint16_t x[N], w[2 * N];
    const int64_t dim[2] = {ROWS, COLS}, n = ROWS;
    int64_t row[ROWS];
    uint8_t odd[COLS];
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        x[i] = (uint16_t)(i * 40503u);
    for (int i = 0; i < ROWS; i++)
        row[i] = i * 7 % ROWS;
    for (int j = 0; j < COLS; j++)
        odd[j] = j % 3 == 1;
    gnd_array *a = gnd_from(dev, t, 2, dim, x), *b = gnd_flip(a, GND_AXIS(1));
    for (int i = 0; i < N; i++)
        w[i] = x[i % ROWS * COLS + i / ROWS];
    keeps(gnd_matrix_transpose(a), w, t, ROWS, "bits of a transpose");
    for (int i = 0; i < N; i++)
        w[i] = x[i / COLS * COLS + COLS - 1 - i % COLS];
    keeps(b, w, t, ROWS, "bits backwards");
    memcpy(w + N, x, sizeof x);
    keeps(gnd_concat(2, (gnd_array *[]){b, a}, 0), w, t, 2 * ROWS, "bits of a join");
    for (int i = 0; i < N; i++)
        w[i] = odd[i % COLS] ? w[i] : x[i];
    keeps(gnd_where(gnd_from(dev, GND_BOOL, 1, (int64_t[]){COLS}, odd), b, a), w, t, ROWS,
          "bits of a choice");
    for (int i = 0; i < N; i++)
        w[i] = x[row[i / COLS] * COLS + i % COLS];
    keeps(gnd_take(a, gnd_from(dev, GND_INT64, 1, &n, row), 0), w, t, ROWS, "bits at indices");
    for (int i = 0; i < N; i++)
        w[i] = x[i / COLS * COLS + (i + COLS - 3) % COLS];
    keeps(gnd_roll(a, 1, (int64_t[]){3}, (int[]){1}), w, t, ROWS, "bits rolled");
    gnd_scope_end();
}

/* x.T * 2 + x.T is in memory as x is, and what else it is computed with is not. */
static void kept(void)
{
    const int64_t dim[2] = {21, 34};
    int bad = 0;
    gnd_scope_begin();
    fill(GND_INT32, 21 * 34);
    gnd_array *x = gnd_from(dev, GND_INT32, 2, dim, in);
    for (int k = 0; k < 2; k++) {
        gnd_array *t = gnd_matrix_transpose(x), *y = gnd_add(gnd_multiply(t, gnd_int(2)), t);
        const uint32_t *z = (uint32_t *)got, *v = (uint32_t *)in; /* ints wrap */
        y = k ? gnd_add(y, gnd_reshape(x, 2, (int64_t[]){34, 21})) : y;
        bad += gnd_wait(y) != GND_OK || y->data.contig != k;
        bad += gnd_read(y, got, sizeof(int32_t) * 21 * 34) != GND_OK;
        for (int i = 0; i < 34 * 21; i++)
            bad += z[i] != 3 * v[i % 21 * 34 + i / 21] + (k ? v[i] : 0);
    }
    tap_ok(!bad, "%s: the order of the inputs is kept", shape_name);
    gnd_scope_end();
}

static void on_device(gnd_device *d, const char *spec)
{
    static const gnd_dtype types[] = {GND_UINT8, GND_FLOAT16, GND_FLOAT32, GND_INT64,
                                      GND_COMPLEX128};
    gnd_device_info info;
    dev = d;
    gnd_device_describe(d, &info);
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i] == GND_COMPLEX128 && !info.has_f64) {
            tap_skip(6, "no float64 on this device");
            continue;
        }
        transposed(types[i], 320, 288);
        transposed(types[i], 131, 67);
        transposed(types[i], 33, 517);
        transposed(types[i], 1201, 19); /* narrow: tiles that are no squares */
        transposed(types[i], 17, 2111);
        transposed(types[i], 9, 1300);
    }
    permuted((int64_t[]){4, 70, 33, 36});
    permuted((int64_t[]){2, 64, 32, 64});
    permuted((int64_t[]){1700, 3, 2, 5});
    permuted((int64_t[]){2, 3, 5, 1700});
    permuted((int64_t[]){18, 9, 13, 35}); /* a last axis of 18, far from the inputs' */
    permuted((int64_t[]){5, 300, 40, 7});
    expression(192, 256, 0);
    expression(192, 256, 3);
    expression(9, 4001, 3);
    strided();
    narrow(1, 20011, 3);
    narrow(70, 411, 3);
    narrow(33, 97, 7);
    narrow(3000, 2, 5);
    patterns(GND_FLOAT16);
    patterns(GND_BFLOAT16);
    kept();
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
