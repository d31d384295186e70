/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft_rows.c - transforms of rows, at the level of nodes: against the definition, of every length
 * that one kernel takes up to 300 and some longer ones, every kind, both directions; of few rows
 * and of many, of which CPUs take several at once.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "graph/graph.h"
#include "prim/choices.h"
#include "prim/fft.h"
#include "ref.h"
#include "tap.h"

typedef long double complex lc;

/* The transform of a row by the definition. */
static void slow(const lc *x, lc *y, int64_t n, int inverse)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    lc *w = malloc((size_t)n * sizeof *w);
    for (int64_t k = 0; k < n; k++)
        w[k] = cexpl((inverse ? 2 : -2) * pi * k / n * I);
    for (int64_t k = 0; k < n; k++) {
        y[k] = 0;
        for (int64_t j = 0; j < n; j++)
            y[k] += x[j] * w[j * k % n];
    }
    free(w);
}

/* The relative error, in the 2-norm, of transforms of `rows` rows of n; infinite: a failure. */
static double error(gnd_device *dev, gnd_dtype t, int kind, int inverse, int64_t n, int64_t rows)
{
    int64_t half = n / 2 + 1, in = kind == GND_FFT_C2R ? half : n,
            out = kind == GND_FFT_R2C ? half : n;
    int wide = t == GND_COMPLEX128, real_in = kind == GND_FFT_R2C, real_out = kind == GND_FFT_C2R;
    gnd_dtype r = wide ? GND_FLOAT64 : GND_FLOAT32;
    int64_t shape[2] = {rows, in};
    ref_arr host, got = {0};
    char why[256];
    double e = INFINITY;
    long double off = 0, norm = 0;
    lc *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, real_in ? r : t, 2, shape, REF_TRANSPOSED, REF_REAL, &host);
    gnd_array *b = gnd__fft_node(a, t, kind, inverse, 1, n, 0.5, 0);
    int64_t oshape[2] = {rows, out};
    if (!ref_read(b, real_out ? r : t, 2, oshape, &got, why, sizeof why)) {
        tap_diag("n = %lld: %s", (long long)n, why);
    } else {
        for (int64_t row = 0; row < rows; row++) {
            for (int64_t j = 0; j < n; j++) {
                int64_t c = j < in ? j : n - j;
                ref_num v = ref_nth(&host, row * in + c);
                int alone = c == 0 || 2 * c == n;
                x[j] = real_in ? v.re : v.re + (real_out && alone ? 0 : j < in ? v.im : -v.im) * I;
            }
            slow(x, y, n, inverse);
            for (int64_t k = 0; k < out; k++) {
                ref_num v = ref_nth(&got, row * out + k);
                lc g = real_out ? v.re : v.re + v.im * I;
                off += cabsl(g - y[k] / 2) * cabsl(g - y[k] / 2);
                norm += cabsl(y[k] / 2) * cabsl(y[k] / 2);
            }
        }
        e = (double)sqrtl(off / (norm > 0 ? norm : 1));
        ref_free(&got);
    }
    gnd_scope_end();
    ref_free(&host);
    free(x);
    free(y);
    return e;
}

static void lengths_of(gnd_device *dev, const char *spec, const int64_t *lengths, int count)
{
    static const struct {
        int kind, inverse;
        const char *name;
    } kinds[] = {{GND_FFT_C2C, 0, "complex"},
                 {GND_FFT_C2C, 1, "complex, inverse"},
                 {GND_FFT_R2C, 0, "real to complex"},
                 {GND_FFT_C2R, 1, "complex to real"}};
    for (int w = 0; w < 2; w++) {
        gnd_dtype t = w ? GND_COMPLEX128 : GND_COMPLEX64;
        if (ref_skip(dev, t, 4))
            continue;
        for (int k = 0; k < 4; k++) {
            double worst = 0;
            int64_t at = 0;
            /* the float64 kernels differ in nothing but the dtype: a few lengths will do */
            for (int i = (w ? 2 * k : k) % count; i < count; i += w ? 8 : k == 0 ? 1 : 4) {
                const int64_t n = lengths[i];
                if (!gnd__fft_direct(&dev->g->props, gnd__for_cpu(dev), t, kinds[k].kind, n))
                    continue;
                double e = error(dev, t, kinds[k].kind, kinds[k].inverse, n,
                                 n > 300 ? 2
                                 : i % 2 ? 35
                                         : 7);
                if (!(e <= worst)) {
                    worst = e;
                    at = n;
                }
            }
            tap_ok(worst < (w ? 2e-15 : 6e-7), "%s: %s of %s: error %.2g (n = %lld)", spec,
                   kinds[k].name, gnd_dtype_name(t), worst, (long long)at);
        }
    }
}

static void all(gnd_device *dev, const char *spec)
{
    static const int64_t lengths[] = {1,   2,   3,   4,    5,    6,    7,    8,   9,   11,
                                      13,  15,  16,  26,   32,   34,   49,   60,  64,  77,
                                      95,  120, 121, 125,  127,  128,  169,  210, 243, 256,
                                      286, 473, 512, 1000, 1024, 2048, 12288};
    lengths_of(dev, spec, lengths, (int)(sizeof lengths / sizeof *lengths));
}

/* In the form for GPUs: passes by sums first, in the middle of others, and alone, and a length with
 * a table of roots. */
static void gpu(gnd_device *dev, const char *spec)
{
    static const int64_t lengths[] = {159, 1054, 17, 289};
    lengths_of(dev, spec, lengths, (int)(sizeof lengths / sizeof *lengths));
}

int main(void)
{
    ref_devices(all);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(gpu);
    return tap_done();
}
