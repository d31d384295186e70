/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_small_products.c - products of small matrices, which host libraries do not get
 * (backends/common/smalls.c): random extents, batches, transposed operands, shared operands and
 * views, of whole numbers, of which every sum is exact; and a NaN, which must stay in its matrix.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

#include <gnd.h>

enum { MOST = 34, SHAPES = 60 };

/* `size` whole numbers as complex ones. */
static double complex *numbers(int64_t size, int is_complex)
{
    double complex *v = calloc((size_t)size + 1, sizeof *v);
    for (int64_t i = 0; i < size; i++) {
        const double re = (double)ref_range(-8, 8), im = (double)ref_range(-8, 8);
        v[i] = is_complex ? re + im * I : re;
    }
    return v;
}

/* An operand of shape (batch, rows, cols), whose elements are v, in one of four layouts: as it is,
 * transposed in memory, and both as the middle of a larger array. */
static gnd_array *operand(gnd_device *dev, gnd_dtype t, const int64_t dim[3],
                          const double complex *v, int layout)
{
    const int trans = layout & 1, pad = layout & 2 ? 3 : 0;
    const int64_t rows = dim[trans ? 2 : 1], cols = dim[trans ? 1 : 2], wide = cols + pad;
    const int64_t shape[3] = {dim[0], rows, wide};
    double complex *all = numbers(dim[0] * rows * wide, 1);
    for (int64_t b = 0; b < dim[0]; b++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                all[(b * rows + i) * wide + j + (pad ? 1 : 0)] =
                    v[(b * dim[1] + (trans ? j : i)) * dim[2] + (trans ? i : j)];
    gnd_array *x = gnd_from(dev, GND_COMPLEX128, 3, shape, all);
    free(all);
    if (t != GND_COMPLEX64 && t != GND_COMPLEX128)
        x = gnd_real_part(x);
    x = gnd_astype(x, t);
    gnd_eval_all(1, &x);
    if (pad)
        x = gnd_slice(x, 2, 1, 1 + cols);
    return trans ? gnd_matrix_transpose(x) : x;
}

/* nan: the matrix of A that has one, or -1. */
static int check(gnd_device *dev, gnd_dtype t, int64_t count, int64_t m, int64_t k, int64_t n,
                 int layout, int shared, int64_t nan)
{
    const int64_t da[3] = {shared == 1 ? 1 : count, m, k}, db[3] = {shared == 2 ? 1 : count, k, n};
    const int is_complex = t == GND_COMPLEX64 || t == GND_COMPLEX128;
    double complex *a = numbers(da[0] * m * k, is_complex), *b = numbers(db[0] * k * n, is_complex),
                   *got = calloc((size_t)(count * m * n) + 1, sizeof *got);
    if (nan >= 0)
        a[nan * m * k + ref_range(0, m * k - 1)] = NAN;
    gnd_scope_begin();
    gnd_array *z =
        gnd_matmul(operand(dev, t, da, a, layout & 3), operand(dev, t, db, b, layout / 4));
    const size_t bytes = (size_t)(count * m * n) * sizeof *got;
    int ok = gnd_read(gnd_astype(z, GND_COMPLEX128), got, bytes) == GND_OK, nans = 0;
    if (!ok)
        tap_diag("%s", gnd_error(z));
    for (int64_t e = 0; ok && e < count * m * n; e++) {
        const int64_t c = e / (m * n), i = e / n % m, j = e % n;
        double complex want = 0;
        for (int64_t l = 0; l < k; l++)
            want += a[((shared == 1 ? 0 : c) * m + i) * k + l] *
                    b[((shared == 2 ? 0 : c) * k + l) * n + j];
        if (isnan(creal(want))) {
            ok = isnan(creal(got[e]));
            nans++;
        } else {
            ok = got[e] == want && (want != 0 || is_complex || !signbit(creal(got[e])));
        }
        if (!ok)
            tap_diag("matrix %lld, element %lld, %lld: %g%+gi, not %g%+gi", (long long)c,
                     (long long)i, (long long)j, creal(got[e]), cimag(got[e]), creal(want),
                     cimag(want));
    }
    ok &= nan < 0 || nans == n;
    if (!ok)
        tap_diag("%s %lld of (%lld, %lld) @ (%lld, %lld), layouts %d, shared %d, NaN in %lld",
                 gnd_dtype_name(t), (long long)count, (long long)m, (long long)k, (long long)k,
                 (long long)n, layout, shared, (long long)nan);
    gnd_scope_end();
    free(a), free(b), free(got);
    return ok;
}

static void on_device(gnd_device *dev, const char *spec)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
    ref_seed(23);
    for (int q = 0; q < 4; q++) {
        const gnd_dtype t = types[q];
        if (ref_skip(dev, t, 1))
            continue;
        int ok = 1;
        for (int i = 0; i < SHAPES; i++) {
            const int64_t most = i % 3 ? 9 : MOST, count = ref_range(1, i % 3 ? 40 : 5);
            const int64_t m = ref_range(1, most), k = ref_range(1, most), n = ref_range(1, most);
            ok &= check(dev, t, count, m, k, i % 4 ? n : 1, (int)ref_range(0, 15),
                        (int)ref_range(0, 2), -1);
        }
        for (int64_t i = 0; i < 12; i++) /* a row of NaN in one matrix */
            ok &= check(dev, t, 12, 3, 1 + i, i % 2 ? 1 : 3, (int)i, 0, i);
        tap_ok(ok, "%s: %d small products", gnd_dtype_name(t), SHAPES);
    }
    (void)spec;
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
