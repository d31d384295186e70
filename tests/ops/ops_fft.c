/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_fft.c - the Fourier transforms of the public API: against the definition, lengths that are
 * convolutions or several steps among them; lengths given, axes, norms, layouts; round trips of
 * long ones; frequencies and shifts; errors.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

typedef long double complex lc;

static const char *where;
static gnd_device *dev;

/* The sum over j of x[j] exp(sign 2 pi i jk/n), for k < m, times scale. */
static void slow(const lc *x, int64_t n, int sign, long double scale, lc *y, int64_t m)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int64_t k = 0; k < m; k++) {
        y[k] = 0;
        for (int64_t j = 0; j < n; j++)
            y[k] += x[j] * cexpl(sign * 2 * pi * (j * k % n) / n * I);
        y[k] *= scale;
    }
}

static long double scale_of(gnd_norm norm, int inverse, int64_t n)
{
    return norm == GND_NORM_ORTHO                   ? 1 / sqrtl(n)
           : (norm == GND_NORM_BACKWARD) == inverse ? 1.0L / n
                                                    : 1;
}

/* Element i of an array on the host as a complex number. */
static lc at(const ref_arr *a, int64_t i)
{
    ref_num v = ref_nth(a, i);
    return v.kind == 'c'   ? v.re + v.im * I
           : v.kind == 'f' ? v.re
           : v.kind == 'u' ? (long double)v.u
                           : (long double)v.i;
}

enum { FFT, IFFT, RFFT, IRFFT, HFFT, IHFFT };
typedef gnd_array *one_fn(gnd_array *, int64_t, int, gnd_norm);
static one_fn *const fns[] = {gnd_fft, gnd_ifft, gnd_rfft, gnd_irfft, gnd_hfft, gnd_ihfft};
static const char *const names[] = {"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"};

/* Function f along the middle axis of (2, have, 3), to length n: the relative error. */
static double error(int f, gnd_dtype t, int64_t have, int64_t n, gnd_norm norm, ref_layout l)
{
    int64_t dim[3] = {2, have, 3}, out = f == RFFT || f == IHFFT ? n / 2 + 1 : n,
            odim[3] = {2, out, 3};
    int real_in = f == RFFT || f == IHFFT, real_out = f == IRFFT || f == HFFT;
    int single = t == GND_FLOAT32 || t == GND_COMPLEX64 || t == GND_FLOAT16;
    gnd_dtype want =
        real_out ? (single ? GND_FLOAT32 : GND_FLOAT64) : (single ? GND_COMPLEX64 : GND_COMPLEX128);
    ref_arr host, got;
    char why[256];
    long double off = 0, size = 0;
    lc *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, 3, dim, l, REF_SMALL, &host);
    gnd_array *b = fns[f](a, n == have && !real_out ? GND_FFT_FULL : n, -2, norm);
    if (!ref_read(b, want, 3, odim, &got, why, sizeof why)) {
        tap_diag("%s: n = %lld: %s", names[f], (long long)n, why);
        off = INFINITY;
    } else {
        for (int64_t i = 0; i < 2; i++)
            for (int64_t j = 0; j < 3; j++) {
                int64_t half = n / 2 + 1;
                for (int64_t k = 0; k < n; k++) {
                    int64_t c = real_out && k >= half ? n - k : k;
                    lc v = c < have ? at(&host, (i * have + c) * 3 + j) : 0;
                    int alone = c == 0 || 2 * c == n;
                    x[k] = real_out && alone ? creall(v) : real_out && k >= half ? conjl(v) : v;
                    if (f == HFFT)
                        x[k] = conjl(x[k]);
                }
                int inverse = f == IFFT || f == IRFFT || f == IHFFT;
                /* hfft is a forward transform of conjugates: exp(+ ...) of them */
                slow(x, n, f == HFFT || f == IFFT || f == IRFFT ? 1 : -1,
                     scale_of(norm, inverse, n), y, out);
                for (int64_t k = 0; k < out; k++) {
                    lc w = f == IHFFT ? conjl(y[k]) : y[k], g = at(&got, (i * out + k) * 3 + j);
                    off += cabsl(g - w) * cabsl(g - w);
                    size += cabsl(w) * cabsl(w);
                }
            }
        ref_free(&got);
    }
    (void)real_in;
    gnd_scope_end();
    ref_free(&host);
    free(x);
    free(y);
    return (double)sqrtl(off / (size > 0 ? size : 1));
}

static void against_definition(void)
{
    static const struct {
        int64_t have, n;
    } sizes[] = {{1, 1}, {2, 2}, {5, 5}, {8, 8}, {17, 17}, {9, 12}, {12, 6}, {19, 34}};
    static const ref_layout layouts[] = {REF_CONTIG, REF_TRANSPOSED, REF_NEGATIVE, REF_OFFSET};
    for (int f = FFT; f <= IHFFT; f++) {
        double worst[2] = {0, 0};
        int real = f == RFFT || f == IHFFT;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            gnd_dtype t = real ? GND_FLOAT32 : GND_COMPLEX64;
            double e = error(f, t, sizes[i].have, sizes[i].n, (gnd_norm)(i % 3), layouts[i % 4]);
            if (!(e <= worst[0]))
                worst[0] = e;
        }
        tap_ok(worst[0] < 1e-6, "%s: %s in float32: error %.2g", where, names[f], worst[0]);
        if (ref_skip(dev, GND_FLOAT64, 1))
            continue;
        for (size_t i = 3; i < sizeof sizes / sizeof *sizes; i += 2) {
            double e = error(f, real ? GND_FLOAT64 : GND_COMPLEX128, sizes[i].have, sizes[i].n,
                             (gnd_norm)(i % 3), layouts[i % 4]);
            if (!(e <= worst[1]))
                worst[1] = e;
        }
        tap_ok(worst[1] < 3e-15, "%s: %s in float64: error %.2g", where, names[f], worst[1]);
    }
    tap_ok(error(FFT, GND_FLOAT16, 8, 8, GND_NORM_BACKWARD, REF_CONTIG) < 1e-6,
           "%s: fft of float16", where);
    if (!ref_lacks(dev, GND_FLOAT64))
        tap_ok(error(FFT, GND_INT32, 8, 8, GND_NORM_BACKWARD, REF_CONTIG) < 1e-15,
               "%s: fft of int32", where);
}

/* The largest |a - b| over the largest |b|. */
static double apart(gnd_array *a, gnd_array *b)
{
    gnd_status st[2];
    double d = gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(a, b)), GND_ALL, 0), &st[0]);
    double s = gnd_item_f64(gnd_max(gnd_abs(b), GND_ALL, 0), &st[1]);
    if (st[0] || st[1])
        tap_diag("%s", gnd_message());
    return st[0] || st[1] ? INFINITY : d / s;
}

/* Long transforms and back, Parseval, and one line of the spectrum. */
static void long_ones(void)
{
    static const int64_t n[] = {8192, 10007, 14 * 997, 30030};
    for (int i = 0; i < 4; i++) {
        gnd_scope_begin();
        ref_arr host;
        gnd_array *x = ref_make(dev, GND_COMPLEX64, 1, &n[i], REF_CONTIG, REF_REAL, &host);
        gnd_array *y = gnd_fft(x, GND_FFT_FULL, 0, GND_NORM_BACKWARD);
        gnd_status st;
        tap_ok(apart(gnd_ifft(y, GND_FFT_FULL, 0, GND_NORM_BACKWARD), x) < 3e-6,
               "%s: %lld: there and back", where, (long long)n[i]);
        double in = gnd_item_f64(gnd_sum(gnd_square(gnd_abs(x)), GND_ALL, 0), &st);
        double out = gnd_item_f64(gnd_sum(gnd_square(gnd_abs(y)), GND_ALL, 0), &st) / (double)n[i];
        tap_near(out / in, 1, 1e-5, "%s: %lld: Parseval", where, (long long)n[i]);
        /* a pure tone is one line */
        gnd_array *k = gnd_arange(dev, gnd_int(0), gnd_int(n[i]), gnd_int(1), GND_INT64);
        gnd_array *angle = gnd_multiply(
            gnd_astype(gnd_remainder(gnd_multiply(k, gnd_int(7)), gnd_int(n[i])), GND_FLOAT32),
            gnd_real(6.283185307179586 / (double)n[i]));
        gnd_array *tone = gnd_cos(angle), *half = gnd_rfft(tone, GND_FFT_FULL, 0, GND_NORM_FORWARD);
        gnd_array *line = gnd_abs(half);
        gnd_array *want =
            gnd_multiply(gnd_astype(gnd_equal(gnd_arange(dev, gnd_int(0), gnd_int(n[i] / 2 + 1),
                                                         gnd_int(1), GND_INT64),
                                              gnd_int(7)),
                                    GND_FLOAT32),
                         gnd_real(0.5));
        tap_ok(apart(line, want) < 1e-5, "%s: %lld: a tone is a line", where, (long long)n[i]);
        tap_ok(apart(gnd_irfft(half, n[i], 0, GND_NORM_FORWARD), tone) < 3e-6,
               "%s: %lld: and back to the tone", where, (long long)n[i]);
        gnd_scope_end();
        ref_free(&host);
    }
}

static void several_axes(void)
{
    int64_t dim[3] = {4, 6, 5}, s[2] = {4, 8};
    int axes[2] = {1, 0};
    ref_arr host;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, GND_COMPLEX64, 3, dim, REF_TRANSPOSED, REF_SMALL, &host);
    gnd_array *by_one = gnd_fft(gnd_fft(x, 4, 1, GND_NORM_ORTHO), 8, 0, GND_NORM_ORTHO);
    tap_ok(apart(gnd_fftn(x, 2, axes, s, GND_NORM_ORTHO), by_one) < 1e-6,
           "%s: fftn, axes in any order", where);
    gnd_array *all = gnd_fftn(x, -1, NULL, NULL, GND_NORM_BACKWARD);
    tap_ok(apart(gnd_ifftn(all, -1, NULL, NULL, GND_NORM_BACKWARD), x) < 1e-6, "%s: fftn and ifftn",
           where);
    gnd_array *r = gnd_real_part(x), *half = gnd_rfftn(r, -1, NULL, NULL, GND_NORM_BACKWARD);
    tap_is_int(gnd_dim(half, 2), 3, "%s: rfftn has half of the last axis", where);
    gnd_range first[2] = {{GND_IDX_ELLIPSIS, 0, 0, 0, NULL}, {GND_IDX_SLICE, 0, 3, 1, NULL}};
    tap_ok(apart(half, gnd_index(gnd_fftn(r, -1, NULL, NULL, GND_NORM_BACKWARD), 2, first)) < 1e-6,
           "%s: it is the first half of fftn", where);
    tap_ok(apart(gnd_irfftn(half, 3, NULL, dim, GND_NORM_BACKWARD), r) < 1e-6,
           "%s: rfftn and irfftn", where);
    /* of what is no half of a real array's: axis by axis, and of the last one the real part */
    gnd_array *wild = gnd_add(half, gnd_complex(0, 1)),
              *rows = gnd_ifft(wild, GND_FFT_FULL, 1, GND_NORM_BACKWARD);
    for (int64_t n = 1; n < 5; n += 3)
        tap_ok(apart(gnd_irfftn(wild, 2, (int[]){1, 2}, (int64_t[]){GND_FFT_FULL, n},
                                GND_NORM_BACKWARD),
                     gnd_irfft(rows, n, 2, GND_NORM_BACKWARD)) < 1e-6,
               "%s: irfftn of what is no half, %d along the last axis", where, (int)n);
    tap_is_int(
        gnd_ndim(gnd_fftn(gnd_squeeze(gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){1}), GND_ALL), 0,
                          NULL, NULL, GND_NORM_BACKWARD)),
        0, "%s: fftn over no axis", where);
    gnd_scope_end();
    ref_free(&host);
}

static void frequencies(void)
{
    float got[9];
    gnd_scope_begin();
    tap_is_int(gnd_read(gnd_fftfreq(dev, 5, 0.5, GND_FLOAT32), got, 20), GND_OK, "%s: fftfreq",
               where);
    tap_ok(got[0] == 0 && got[1] == 0.4f && got[2] == 0.8f && got[3] == -0.8f && got[4] == -0.4f,
           "%s: the frequencies", where);
    tap_is_int(gnd_read(gnd_rfftfreq(dev, 6, 1, GND_FLOAT32), got, 16), GND_OK, "%s: rfftfreq",
               where);
    tap_near(got[3], 0.5, 1e-7, "%s: the highest", where);
    gnd_array *x = gnd_arange(dev, gnd_int(0), gnd_int(5), gnd_int(1), GND_FLOAT32);
    tap_is_int(gnd_read(gnd_fftshift(x, GND_ALL), got, 20), GND_OK, "%s: fftshift", where);
    tap_ok(got[0] == 3 && got[1] == 4 && got[2] == 0 && got[4] == 2, "%s: 0 in the middle", where);
    tap_ok(apart(gnd_ifftshift(gnd_fftshift(x, GND_AXIS(-1)), GND_AXIS(0)), x) == 0,
           "%s: ifftshift", where);
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    dev = d;
    where = spec;
    ref_seed(11);
    against_definition();
    long_ones();
    several_axes();
    frequencies();
}

/* What is wrong with the arguments is said at once. */
static void errors(void)
{
    gnd_device *null = gnd_open("null:0");
    int64_t n = 4, none = 0;
    int twice[2] = {0, 0}, far = 1;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(null, GND_COMPLEX64, 1, &n), *r = gnd_zeros(null, GND_FLOAT32, 1, &n);
    FAILS(gnd_fft(NULL, 1, 0, GND_NORM_ORTHO), GND_ERR_NULL, "fft: x is NULL");
    FAILS(gnd_rfft(x, GND_FFT_FULL, 0, GND_NORM_ORTHO), GND_ERR_DTYPE, "rfft: x is complex64");
    FAILS(gnd_fft(x, 0, 0, GND_NORM_ORTHO), GND_ERR_ARG,
          "fft: a transform of 0 elements along axis 0 of extent 4");
    FAILS(gnd_fft(x, GND_FFT_FULL, 1, GND_NORM_ORTHO), GND_ERR_AXIS, "fft: axis 1");
    FAILS(gnd_fft(x, GND_FFT_FULL, 0, (gnd_norm)7), GND_ERR_ARG, "fft: norm is 7");
    FAILS(gnd_irfft(gnd_zeros(null, GND_COMPLEX64, 1, (int64_t[]){1}), GND_FFT_FULL, 0,
                    GND_NORM_ORTHO),
          GND_ERR_ARG, "irfft: a transform of 0 elements");
    FAILS(gnd_fft(gnd_zeros(null, GND_COMPLEX64, 1, &none), GND_FFT_FULL, 0, GND_NORM_ORTHO),
          GND_ERR_ARG, "fft: a transform of 0 elements");
    FAILS(gnd_rfftn(r, 2, twice, NULL, GND_NORM_ORTHO), GND_ERR_AXIS, "rfftn: 2 axes");
    FAILS(gnd_fftn(x, 1, &far, NULL, GND_NORM_ORTHO), GND_ERR_AXIS, "fftn: axis 1");
    FAILS(gnd_fftfreq(null, 0, 1, GND_DTYPE_DEFAULT), GND_ERR_ARG, "fftfreq: n is 0");
    FAILS(gnd_fftfreq(null, 3, 1, GND_INT32), GND_ERR_DTYPE, "fftfreq: dtype int32");
    FAILS(gnd_hfft(gnd_int(3), 1, 0, GND_NORM_ORTHO), GND_ERR_DEVICE, "hfft");
    FAILS(gnd_ihfft(x, GND_FFT_FULL, 0, GND_NORM_ORTHO), GND_ERR_DTYPE, "ihfft");
    gnd_scope_end();
    gnd_close(null);
}

int main(void)
{
    errors();
    ref_devices(all);
    return tap_done();
}
