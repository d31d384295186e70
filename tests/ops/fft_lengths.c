/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft_lengths.c - Fourier transforms by length: against the definition in long double, every length
 * from 1 to 300 where a library does them or GND_TEST_LARGE is set (each is a kernel to compile
 * elsewhere, so a few are taken); long ones and primes up to 1000003 by their properties: single
 * lines by the definition, there and back, Parseval, linearity, shift. Errors are relative, in the
 * 2-norm; bounds are in eps (1 + log2(n)) / 2, four times that where a large prime factor makes
 * it a convolution.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "ops/fft/rows.h"
#include "prim/choices.h"
#include "prim/fft.h"
#include "ref.h"
#include "tap.h"

typedef long double complex lc;

static const char *where;
static gnd_device *dev;

static lc root(int64_t k, int64_t n)
{
    return cexpl(-2 * 3.14159265358979323846264338327950288L * (long double)k / (long double)n * I);
}

static double bound(gnd_dtype t, int64_t n)
{
    return (t == GND_COMPLEX64 ? 0x1p-23 : 0x1p-52) * (1 + log2((double)n)) *
           (gnd__fft_smooth(n) ? 0.5 : 2);
}

/* n elements of x, of dtype t, as long doubles; NULL: it failed. */
static lc *numbers(gnd_array *x, gnd_dtype t, int64_t n)
{
    char why[256];
    ref_arr a;
    if (!ref_read(x, t, 1, &n, &a, why, sizeof why)) {
        tap_diag("n = %lld: %s", (long long)n, why);
        return NULL;
    }
    lc *y = malloc((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        ref_num v = ref_nth(&a, i);
        y[i] = v.re + (v.kind == 'c' ? v.im : 0) * I;
    }
    ref_free(&a);
    return y;
}

static double norm(const lc *x, int64_t n)
{
    long double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += creall(x[i]) * creall(x[i]) + cimagl(x[i]) * cimagl(x[i]);
    return (double)sqrtl(s);
}

static double apart(const lc *a, const lc *b, int64_t n)
{
    long double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += cabsl(a[i] - b[i]) * cabsl(a[i] - b[i]);
    return (double)sqrtl(s) / norm(b, n);
}

/* The error of a transform of n elements, in bounds. */
static double by_definition(gnd_dtype t, int64_t n, int real)
{
    ref_arr host;
    double e = INFINITY;
    int64_t m = real ? n / 2 + 1 : n;
    gnd_dtype in = !real ? t : t == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, in, 1, &n, REF_CONTIG, REF_REAL, &host);
    gnd_array *y = (real ? gnd_rfft : gnd_fft)(x, GND_FFT_FULL, 0, GND_NORM_BACKWARD);
    lc *got = numbers(y, t, m), *want = calloc((size_t)n, sizeof *want),
       *w = malloc((size_t)n * sizeof *w);
    for (int64_t k = 0; k < n; k++)
        w[k] = root(k, n);
    for (int64_t k = 0; k < m; k++)
        for (int64_t j = 0; j < n; j++) {
            ref_num v = ref_nth(&host, j);
            want[k] += (v.re + (real ? 0 : v.im) * I) * w[j * k % n];
        }
    if (got)
        e = apart(got, want, m) / bound(t, n);
    gnd_scope_end();
    ref_free(&host);
    free(got);
    free(want);
    free(w);
    return e;
}

static void short_ones(gnd_dtype t)
{
    static const int64_t few[] = {1, 17, 31, 97, 100, 127, 289, 300};
    const int every = getenv("GND_TEST_LARGE") != NULL || gnd__fft_library(dev, t, 1);
    double worst[2] = {0, 0};
    int64_t at[2] = {0, 0};
    for (int real = 0; real < 2; real++)
        for (int i = 0; i < (every ? 300 : real || t == GND_COMPLEX128 ? 3 : 8); i++) {
            int64_t n = every ? i + 1 : few[i];
            double e = by_definition(t, n, real);
            if (!(e <= worst[real])) {
                worst[real] = e;
                at[real] = n;
            }
        }
    tap_ok(worst[0] <= 1, "%s: %s, %s lengths to 300: %.2g of the bound (n = %lld)", where,
           gnd_dtype_name(t), every ? "all" : "some", worst[0], (long long)at[0]);
    tap_ok(worst[1] <= 1, "%s: of reals: %.2g of the bound (n = %lld)", where, worst[1],
           (long long)at[1]);
}

/* The properties of transforms of n elements. */
static void properties(gnd_dtype t, int64_t n)
{
    const int64_t shift = n / 3;
    ref_arr hx, hy;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, 1, &n, REF_CONTIG, REF_REAL, &hx);
    gnd_array *y = ref_make(dev, t, 1, &n, REF_CONTIG, REF_REAL, &hy);
    gnd_array *f = gnd_fft(x, GND_FFT_FULL, 0, GND_NORM_BACKWARD);
    lc *nx = numbers(x, t, n), *fx = numbers(f, t, n);
    lc *fy = numbers(gnd_fft(y, GND_FFT_FULL, 0, GND_NORM_BACKWARD), t, n);
    gnd_array *sum = gnd_add(gnd_multiply(x, gnd_real(0.5)), gnd_multiply(y, gnd_real(-2)));
    lc *fs = numbers(gnd_fft(sum, GND_FFT_FULL, 0, GND_NORM_BACKWARD), t, n);
    lc *fr = numbers(
        gnd_fft(gnd_roll(x, 1, &shift, (int[]){0}), GND_FFT_FULL, 0, GND_NORM_BACKWARD), t, n);
    lc *back = numbers(gnd_ifft(f, GND_FFT_FULL, 0, GND_NORM_BACKWARD), t, n);
    if (nx && fx && fy && fs && fr && back) {
        const double b = bound(t, n);
        double worst = 0, size = norm(nx, n);
        for (int64_t k = 0; k < n; k += n / 5 + 1) { /* a few lines */
            lc s = 0;
            for (int64_t j = 0; j < n; j++)
                s += nx[j] * root((int64_t)((__int128)j * k % n), n);
            worst = fmax(worst, (double)cabsl(s - fx[k]) / size);
        }
        tap_ok(worst <= 4 * b, "%s: %lld %s: lines: %.2g of the bound", where, (long long)n,
               gnd_dtype_name(t), worst / (4 * b));
        tap_ok(apart(back, nx, n) <= 2 * b, "%s: %lld: there and back: %.2g", where, (long long)n,
               apart(back, nx, n) / (2 * b));
        double ratio = norm(fx, n) / (size * sqrt((double)n));
        tap_ok(fabs(ratio - 1) <= b, "%s: %lld: Parseval: %.2g", where, (long long)n,
               fabs(ratio - 1) / b);
        for (int64_t k = 0; k < n; k++) {
            fy[k] = 0.5L * fx[k] - 2 * fy[k];
            nx[k] = fx[k] * root((int64_t)((__int128)shift * k % n), n);
        }
        tap_ok(apart(fs, fy, n) <= 3 * b, "%s: %lld: linear: %.2g", where, (long long)n,
               apart(fs, fy, n) / (3 * b));
        tap_ok(apart(fr, nx, n) <= 2 * b, "%s: %lld: a shift turns: %.2g", where, (long long)n,
               apart(fr, nx, n) / (2 * b));
    } else {
        tap_fail("%s: %lld elements", where, (long long)n);
    }
    gnd_scope_end();
    ref_free(&hx);
    ref_free(&hy);
    free(nx);
    free(fx);
    free(fy);
    free(fs);
    free(fr);
    free(back);
}

/* Rows of n reals, a few elements by the definition, and back. */
static void reals(gnd_dtype t, int64_t n)
{
    const gnd_dtype r = t == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    ref_arr hx;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, r, 1, &n, REF_CONTIG, REF_REAL, &hx);
    gnd_array *f = gnd_rfft(x, GND_FFT_FULL, 0, GND_NORM_BACKWARD);
    lc *fx = numbers(f, t, n / 2 + 1), *nx = numbers(gnd_astype(x, t), t, n);
    lc *back = numbers(gnd_astype(gnd_irfft(f, n, 0, GND_NORM_BACKWARD), t), t, n);
    double worst = 0;
    for (int64_t k = 0; fx && nx && k <= n / 2; k += k < 2 ? 1 : n / 12) {
        lc s = 0;
        for (int64_t j = 0; j < n; j++)
            s += nx[j] * root((int64_t)((__int128)j * k % n), n);
        worst = fmax(worst, (double)cabsl(s - fx[k]) / norm(nx, n));
    }
    tap_ok(fx && nx && back && worst <= 4 * bound(t, n) && apart(back, nx, n) <= 2 * bound(t, n),
           "%s: %lld reals, %s: %.2g of the bound, and back", where, (long long)n,
           gnd_dtype_name(t), worst / (4 * bound(t, n)));
    gnd_scope_end();
    ref_free(&hx);
    free(fx);
    free(nx);
    free(back);
}

static void all(gnd_device *d, const char *spec)
{
    static const int64_t large[] = {10007, 65537, 100003, 1000003, 1 << 20, 1000000, 720720};
    dev = d;
    where = spec;
    ref_seed(17);
    for (int wide = 0; wide < 2; wide++) {
        gnd_dtype t = wide ? GND_COMPLEX128 : GND_COMPLEX64;
        if (ref_skip(dev, t, 2))
            continue;
        short_ones(t);
        if (!wide)
            properties(t, 1009);
        reals(t, wide ? 20000 : 40000); /* on CPUs one kernel of half the length */
        properties(t, 21 * 271);        /* on CPUs 21 convolutions of 271 */
        for (int i = 0; i < 7 && getenv("GND_TEST_LARGE"); i++)
            properties(t, large[i]);
    }
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
