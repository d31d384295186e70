/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_convolve.c - convolutions and correlations against their sums on the host: every mode and
 * method, ints exactly, layouts, complex conjugates, axes that broadcast, boundaries of images,
 * NaN, empty arrays, errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static const char *where;
static gnd_device *dev;

enum { MOST = 4096 };

/* Element (i, j) of an image with what lies beyond its edges. */
static ref_num beyond(const ref_arr *x, int64_t i, int64_t j, gnd_boundary b, long double fill)
{
    int64_t at[2] = {i, j};
    for (int d = 0; d < 2; d++) {
        int64_t n = x->dim[d];
        if (at[d] >= 0 && at[d] < n)
            continue;
        if (b == GND_BOUNDARY_FILL)
            return ref_float(fill);
        if (b == GND_BOUNDARY_WRAP) {
            at[d] = (at[d] % n + n) % n;
        } else {
            at[d] = (at[d] % (2 * n) + 2 * n) % (2 * n);
            at[d] = at[d] < n ? at[d] : 2 * n - 1 - at[d];
        }
    }
    return ref_get(x->t, ref_at(x, at));
}

/* The results of a full convolution of two images: reals in re, ints in i. */
static void slow(const ref_arr *x, const ref_arr *k, gnd_boundary b, long double fill, int conj,
                 ref_num *out)
{
    int64_t rows = x->dim[0] + k->dim[0] - 1, cols = x->dim[1] + k->dim[1] - 1;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            ref_num s = {.kind = 'f'};
            uint64_t whole = 0;
            for (int64_t r = 0; r < k->dim[0]; r++)
                for (int64_t c = 0; c < k->dim[1]; c++) {
                    int64_t at[2] = {r, c};
                    ref_num u = beyond(x, i - r, j - c, b, fill), v = ref_get(k->t, ref_at(k, at));
                    if (conj)
                        v.im = -v.im;
                    if (v.kind == 'i') {
                        whole += (uint64_t)(u.kind == 'f' ? (int64_t)u.re : u.i) * (uint64_t)v.i;
                    } else {
                        s.re += u.re * v.re - (v.kind == 'c' ? u.im * v.im : 0);
                        s.im += v.kind == 'c' ? u.re * v.im + u.im * v.re : 0;
                    }
                }
            s.i = (int64_t)whole;
            out[i * cols + j] = s;
        }
}

/* got against rows [r, ...) and columns [c, ...) of the full results. */
static int equal(gnd_array *got, gnd_dtype t, int ndim, const int64_t *dim, const ref_num *full,
                 int64_t cols, int64_t r, int64_t c, double bound)
{
    char why[256];
    ref_arr a;
    int ok = 1;
    if (!ref_read(got, t, ndim, dim, &a, why, sizeof why)) {
        tap_diag("%s", why);
        return 0;
    }
    int64_t wide = dim[ndim - 1], high = ndim == 2 ? dim[0] : 1;
    for (int64_t i = 0; i < high; i++)
        for (int64_t j = 0; j < wide; j++) {
            ref_num v = ref_nth(&a, i * wide + j), w = full[(r + i) * cols + c + j];
            if (v.kind == 'i' ? v.i != ref_as(t, ref_int(w.i)).i
                              : !(fabsl(v.re - w.re) <= bound &&
                                  fabsl((v.kind == 'c' ? v.im : 0) - w.im) <= bound)) {
                if (ok)
                    tap_diag("at (%lld, %lld): %Lg %Lg %lld, not %Lg %Lg %lld", (long long)i,
                             (long long)j, v.re, v.im, (long long)v.i, w.re, w.im, (long long)w.i);
                ok = 0;
            }
        }
    ref_free(&a);
    return ok;
}

static const char *const modes[] = {"full", "same", "valid"};
static const char *const methods[] = {"auto", "direct", "fft", "blocks"};

/* The 1-d array of a host array as an image of one row. */
static ref_arr as_row(const ref_arr *a)
{
    ref_arr r = *a;
    r.ndim = 2;
    r.dim[1] = a->dim[0];
    r.stride[1] = a->stride[0];
    r.dim[0] = 1;
    r.stride[0] = 0;
    return r;
}

static ref_arr turned(const ref_arr *a)
{
    ref_arr r = as_row(a);
    r.p += (a->dim[0] - 1) * a->stride[0] * (int64_t)gnd_dtype_size(a->t);
    r.stride[1] = -a->stride[0];
    return r;
}

/* NumPy: SAME and VALID count from the longer operand. */
static void lines(gnd_dtype t, int64_t n, int64_t m, gnd_conv_method method, ref_layout l)
{
    static ref_num full[MOST];
    int64_t most = n > m ? n : m, least = n > m ? m : n;
    int bad[2] = {0, 0};
    ref_arr ha, hv;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, 1, &n, l, REF_SMALL, &ha);
    gnd_array *v = ref_make(dev, t, 1, &m, REF_NEGATIVE, REF_SMALL, &hv);
    ref_arr ra = as_row(&ha), rv = as_row(&hv), rt = turned(&hv);
    for (int correlated = 0; correlated < 2; correlated++) {
        slow(&ra, correlated ? &rt : &rv, GND_BOUNDARY_FILL, 0, correlated, full);
        for (int mode = 0; mode < 3; mode++) {
            int64_t len = mode == 0 ? n + m - 1 : mode == 1 ? most : most - least + 1;
            int64_t from = mode == 0             ? 0
                           : mode == 2           ? least - 1
                           : correlated && n < m ? least / 2
                                                 : (least - 1) / 2;
            gnd_array *y =
                (correlated ? gnd_correlate : gnd_convolve)(a, v, (gnd_conv_mode)mode, method);
            bad[correlated] |=
                !equal(y, t, 1, &len, full, n + m - 1, 0, from, t == GND_FLOAT16 ? 0.2 : 1e-4)
                << mode;
        }
    }
    tap_ok(!bad[0] && !bad[1],
           "%s: %s: convolve and correlate of %lld and %lld, %s (bad modes %d, %d)", where,
           gnd_dtype_name(t), (long long)n, (long long)m, methods[method], bad[0], bad[1]);
    gnd_scope_end();
    ref_free(&ha);
    ref_free(&hv);
}

static void images(gnd_dtype t, const int64_t *n, const int64_t *m, gnd_boundary b,
                   gnd_conv_method method, ref_layout l)
{
    static ref_num full[MOST];
    int64_t cols = n[1] + m[1] - 1, dim[2], from[2];
    int bad = 0, swap = n[0] < m[0];
    ref_arr hx, hk;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, 2, n, l, REF_SMALL, &hx),
              *k = ref_make(dev, t, 2, m, REF_CONTIG, REF_SMALL, &hk);
    for (int mode = 0; mode < 3; mode++) {
        /* valid ones do not depend on what lies beyond, nor on the order */
        slow(&hx, &hk, mode == 2 ? GND_BOUNDARY_FILL : b, mode == 2 ? 0 : 2, 0, full);
        for (int d = 0; d < 2; d++) {
            dim[d] = mode == 0   ? n[d] + m[d] - 1
                     : mode == 1 ? n[d]
                     : swap      ? m[d] - n[d] + 1
                                 : n[d] - m[d] + 1;
            from[d] = mode == 0 ? 0 : mode == 1 ? (m[d] - 1) / 2 : (swap ? n[d] : m[d]) - 1;
        }
        bad |= !equal(gnd_conv2d(x, k, (gnd_conv_mode)mode, b, gnd_int(2), method), t, 2, dim, full,
                      cols, from[0], from[1], 1e-4)
               << mode;
    }
    tap_ok(!bad, "%s: %s: conv2d of %lldx%lld and %lldx%lld, boundary %d, %s (bad modes %d)", where,
           gnd_dtype_name(t), (long long)n[0], (long long)n[1], (long long)m[0], (long long)m[1],
           (int)b, methods[method], bad);
    gnd_scope_end();
    ref_free(&hx);
    ref_free(&hk);
}

/* Along one of three axes, the others broadcast: as lines one by one. */
static void along_axes(void)
{
    int64_t n[3] = {2, 9, 3}, m[3] = {1, 4, 3};
    int axis = -2;
    ref_arr hx, hk;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, GND_FLOAT32, 3, n, REF_TRANSPOSED, REF_SMALL, &hx);
    gnd_array *k = ref_make(dev, GND_FLOAT32, 3, m, REF_CONTIG, REF_SMALL, &hk);
    for (int mode = 0; mode < 3; mode++) {
        gnd_array *y[2] = {gnd_fftconvolve(x, k, (gnd_conv_mode)mode, 1, &axis),
                           gnd_oaconvolve(x, k, (gnd_conv_mode)mode, 1, &axis)};
        int64_t len = mode == 0 ? 12 : mode == 1 ? 9 : 6, from = mode == 0 ? 0 : mode == 1 ? 1 : 3;
        int64_t dim[3] = {2, len, 3};
        for (int w = 0; w < 2; w++) {
            ref_arr got;
            char why[256] = "";
            int ok = ref_read(y[w], GND_FLOAT32, 3, dim, &got, why, sizeof why);
            double worst = ok ? 0 : INFINITY;
            for (int64_t e = 0; ok && e < 6 * len; e++) {
                int64_t i = e / (3 * len), o = e / 3 % len, c = e % 3;
                long double s = 0;
                for (int64_t j = 0; j < 4; j++)
                    if (o + from - j >= 0 && o + from - j < 9)
                        s += ref_nth(&hx, (i * 9 + o + from - j) * 3 + c).re *
                             ref_nth(&hk, j * 3 + c).re;
                worst = fmax(worst, (double)fabsl(s - ref_nth(&got, e).re));
            }
            tap_ok(worst < 2e-5, "%s: %s, one axis, %s: error %.2g %s", where,
                   w ? "oaconvolve" : "fftconvolve", modes[mode], worst, why);
            if (ok)
                ref_free(&got);
        }
    }
    gnd_scope_end();
    ref_free(&hx);
    ref_free(&hk);
}

/* Long ones: the methods agree. */
static void long_ones(void)
{
    gnd_status st;
    gnd_scope_begin();
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(100000), gnd_int(1), GND_FLOAT32);
    gnd_array *x = gnd_sin(gnd_multiply(i, gnd_real(0.37)));
    gnd_range part = {GND_IDX_SLICE, 7, 308, 1, NULL};
    gnd_array *k = gnd_cos(gnd_index(x, 1, &part)),
              *y = gnd_convolve(x, k, GND_CONV_SAME, GND_CONV_DIRECT);
    for (int way = GND_CONV_FFT; way <= GND_CONV_BLOCKS; way++) {
        gnd_array *z = gnd_convolve(x, k, GND_CONV_SAME, (gnd_conv_method)way);
        double e = gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(y, z)), GND_ALL, 0), &st);
        tap_ok(st == GND_OK && e < 1e-3, "%s: 100000 and 301 elements, %s: apart by %.2g", where,
               methods[way], e);
    }
    float nan[4] = {1, NAN, 2, 3}, got[5], two[2] = {1, 1};
    gnd_array *h = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){4}, nan);
    gnd_array *w = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){2}, two);
    tap_is_int(gnd_read(gnd_convolve(h, w, GND_CONV_FULL, GND_CONV_DIRECT), got, 20), GND_OK,
               "%s: with NaN", where);
    tap_ok(got[0] == 1 && isnan(got[1]) && isnan(got[2]) && got[3] == 5 && got[4] == 3,
           "%s: NaN stays in its windows", where);
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    static const int64_t sizes[][2] = {{5, 3}, {3, 6}, {40, 9}};
    static const int64_t img[][4] = {{6, 7, 4, 3}, {2, 3, 3, 5}, {5, 8, 1, 3}};
    dev = d;
    where = spec;
    ref_seed(5);
    for (int i = 0; i < 3; i++) {
        lines(GND_INT32, sizes[i][0], sizes[i][1], GND_CONV_AUTO, (ref_layout)i);
        for (int way = GND_CONV_DIRECT; way <= (i < 2 ? GND_CONV_BLOCKS : GND_CONV_DIRECT); way++)
            lines(GND_COMPLEX64, sizes[i][0], sizes[i][1], (gnd_conv_method)way,
                  (ref_layout)(i + 1));
        lines(GND_FLOAT32, sizes[i][0], sizes[i][1], (gnd_conv_method)(1 + i), REF_STRIDED);
        for (int b = 0; b < 3; b++)
            images(b < 2 ? GND_INT32 : GND_FLOAT32, img[i], img[i] + 2, (gnd_boundary)b,
                   i == 0 && b == 2 ? GND_CONV_FFT : GND_CONV_DIRECT, (ref_layout)(i + 1));
    }
    lines(GND_FLOAT16, 40, 9, GND_CONV_AUTO, REF_CONTIG);
    lines(GND_INT32, 1, 1, GND_CONV_AUTO, REF_CONTIG);
    lines(GND_INT32, 1, 5, GND_CONV_AUTO, REF_CONTIG);
    along_axes();
    long_ones();
}

static void errors(void)
{
    gnd_device *null = gnd_open("null:0");
    int64_t n = 4, none = 0, two[2] = {2, 3}, three[2] = {3, 2}, empty[2] = {0, 3};
    int twice[2] = {0, 0};
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(null, GND_FLOAT32, 1, &n), *z = gnd_zeros(null, GND_FLOAT32, 1, &none);
    gnd_array *i = gnd_zeros(null, GND_INT32, 1, &n), *a = gnd_zeros(null, GND_FLOAT32, 2, two);
    gnd_array *b = gnd_zeros(null, GND_FLOAT32, 2, three),
              *e = gnd_zeros(null, GND_FLOAT32, 2, empty);
    FAILS(gnd_convolve(NULL, x, 0, 0), GND_ERR_NULL, "convolve: a is NULL");
    FAILS(gnd_convolve(x, z, 0, 0), GND_ERR_SHAPE,
          "convolve: v has shape (0,): it must not be empty");
    FAILS(gnd_correlate(x, a, 0, 0), GND_ERR_SHAPE, "correlate: v has shape (2, 3): one dimension");
    FAILS(gnd_convolve(x, x, (gnd_conv_mode)3, 0), GND_ERR_ARG,
          "convolve: mode is 3, not 0 (full)");
    FAILS(gnd_convolve(x, x, 0, (gnd_conv_method)9), GND_ERR_ARG,
          "convolve: method is 9, not 0 (auto)");
    FAILS(gnd_convolve(i, i, 0, GND_CONV_FFT), GND_ERR_DTYPE,
          "convolve: transforms of int32 and int32");
    FAILS(gnd_fftconvolve(x, a, 0, -1, NULL), GND_ERR_SHAPE, "fftconvolve: 1 and 2 dimensions");
    FAILS(gnd_fftconvolve(a, b, GND_CONV_VALID, -1, NULL), GND_ERR_SHAPE,
          "valid results need one operand");
    FAILS(gnd_oaconvolve(a, b, 0, 1, twice), GND_ERR_SHAPE, "along axis 1, which is not convolved");
    FAILS(gnd_oaconvolve(a, b, 0, 2, twice), GND_ERR_AXIS, "oaconvolve: axis 0 comes twice");
    FAILS(gnd_oaconvolve(a, b, 0, 3, twice), GND_ERR_AXIS, "oaconvolve: 3 axes");
    FAILS(gnd_conv2d(a, x, 0, 0, NULL, 0), GND_ERR_SHAPE, "conv2d: shapes (2, 3) and (4,)");
    FAILS(gnd_conv2d(a, e, 0, 0, NULL, 0), GND_ERR_SHAPE, "conv2d: shapes (2, 3) and (0, 3)");
    FAILS(gnd_conv2d(a, b, 0, (gnd_boundary)4, NULL, 0), GND_ERR_ARG,
          "conv2d: boundary is 4, not 0 (fill)");
    FAILS(gnd_conv2d(a, b, 0, 0, x, 0), GND_ERR_SHAPE, "conv2d: fill has shape (4,)");
    gnd_array *y = gnd_fftconvolve(e, a, GND_CONV_FULL, -1, NULL);
    tap_ok(gnd_size(y) == 0 && gnd_dim(y, 1) == 5 && gnd_dtype_of(y) == GND_FLOAT32,
           "fftconvolve of nothing");
    tap_is_int(gnd_dtype_of(gnd_fftconvolve(i, i, 0, -1, NULL)), GND_FLOAT64,
               "fftconvolve of ints: float64");
    gnd_scope_end();
    gnd_close(null);
}

int main(void)
{
    errors();
    ref_devices(all);
    return tap_done();
}
