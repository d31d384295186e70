/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/fft/dct.c - cosine and sine transforms computed by Fourier transforms of equally many reals:
 * types 2 and 3 after J. Makhoul (A fast cosine transform in one and two dimensions, IEEE Trans.
 * ASSP 28, 1980), type 4 of an even length by half as many complex numbers, type 1 by the even
 * extension. Reorderings are gathers, which fuse with the transforms' reads. Sine transforms are
 * cosine transforms with sign changes and reversals.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ops/fft/rows.h"
#include "array/steps.h"
#include "array/views.h"
#include "graph/check.h"
#include "prim/fft.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/fft.h>
#include <gnd/view.h>

/* One transform of rows: x of dtype t along its last axis, to a last axis of n elements. */
typedef struct rows {
    gnd_array *x;
    gnd_dtype t, wide; /* real and complex */
    int64_t n;
    int ortho;
} rows;

static gnd_array *counted(const rows *r, int64_t n)
{
    return gnd__is_bad(r->x) ? r->x
                             : gnd_arange(r->x->dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_INT64);
}

/* b - a k */
static gnd_array *linear(gnd_array *k, int64_t a, int64_t b)
{
    return gnd_subtract(gnd_int(b), gnd_multiply(k, gnd_int(a)));
}

/* The elements of y's rows at those positions. */
static gnd_array *taken(gnd_array *y, gnd_array *at)
{
    return gnd__is_bad(y) || gnd__is_bad(at) ? (gnd__is_bad(y) ? y : at)
                                             : gnd__taken(y, at, y->ndim - 1);
}

/* y with the first element (both: and the last) of each row multiplied by v. */
static gnd_array *edges(const rows *r, gnd_array *y, int both, double v)
{
    gnd_array *k = counted(r, r->n), *at = gnd_equal(k, gnd_int(0));
    if (both)
        at = gnd_logical_or(at, gnd_equal(k, gnd_int(r->n - 1)));
    return gnd_where(at, gnd_multiply(y, gnd_real(v)), y);
}

/* x0 + (-1)^k x[n-1] + 2 sum of x[j] cos(pi jk/(n - 1)): the transform of the even extension to 2 n
 * - 2. */
static gnd_array *type1(const rows *r, double scale)
{
    int64_t n = r->n, m = 2 * n - 2;
    gnd_array *j = counted(r, m), *x = r->ortho ? edges(r, r->x, 1, sqrt(2)) : r->x;
    x = taken(x, gnd_where(gnd_less(j, gnd_int(n)), j, linear(j, 1, m)));
    gnd_array *y = gnd__is_bad(x) ? x : gnd__fft_rows(x, r->wide, GND_FFT_R2C, 0, m, scale);
    y = gnd_real_part(y);
    return r->ortho ? edges(r, y, 1, sqrt(0.5)) : y;
}

/* 0, 2 ... 3, 1 */
static gnd_array *there_and_back(gnd_array *k, int64_t n)
{
    return gnd_where(gnd_less(k, gnd_int((n + 1) / 2)), linear(k, -2, 0), linear(k, 2, 2 * n - 1));
}

/* 2 sum of x[j] cos(pi (2j + 1) k/(2n)): V, the transform of v = x[0], x[2], ... x[3], x[1], times
 * 2 exp(-i pi k/(2n)), is y[k] - i y[n - k]. */
static gnd_array *type2(const rows *r, double scale)
{
    int64_t n = r->n;
    gnd_array *k = counted(r, n), *first = gnd_less_equal(k, gnd_int(n / 2));
    gnd_array *at = gnd_where(first, k, linear(k, 1, n));
    gnd_array *z =
        gnd__is_bad(r->x) ? r->x : gnd__fft_some(r->x, there_and_back, r->wide, n, 2 * scale, at);
    z = gnd_multiply(z, gnd__fft_spins(at, 4 * n, r->wide));
    gnd_array *y = gnd_where(first, gnd_real_part(z), gnd_negative(gnd_imag_part(z)));
    return r->ortho ? edges(r, y, 0, sqrt(0.5)) : y;
}

/* x[0] + 2 sum of x[j] cos(pi j (2k + 1)/(2n)): the reverse, from exp(i pi k/(2n)) (x[k] - i x[n -
 * k]). */
static gnd_array *type3(const rows *r, double scale)
{
    int64_t n = r->n, h = n / 2 + 1;
    gnd_array *x = r->ortho ? edges(r, r->x, 0, sqrt(2)) : r->x, *k = counted(r, h),
              *none = gnd_equal(k, gnd_int(0));
    gnd_array *a = gnd__is_bad(x) ? x : gnd__slice(x, x->ndim - 1, 0, h);
    gnd_array *b =
        gnd_where(none, gnd_real(0), taken(x, gnd_where(none, gnd_int(0), linear(k, 1, n))));
    gnd_array *z = gnd_multiply(gnd__fft_paired(a, gnd_negative(b), r->wide),
                                gnd_conj(gnd__fft_spins(k, 4 * n, r->wide)));
    gnd_array *v = gnd__is_bad(z) ? z : gnd__fft_rows(z, r->wide, GND_FFT_C2R, 1, n, scale);
    gnd_array *j = counted(r, n), *half = gnd_bitwise_right_shift(j, gnd_int(1));
    return taken(v, gnd_where(gnd_equal(gnd_bitwise_and(j, gnd_int(1)), gnd_int(0)), half,
                              linear(half, 1, n - 1)));
}

/* 2 sum of x[j] cos(pi (2j + 1)(2k + 1)/(4n)). n even, h = n/2: with w = exp(-i pi/n), the
 * transform of (x[2j] + i x[n - 1 - 2j]) w^j, times 2 w^(k + 1/4), is y[2k] - i y[n - 1 - 2k]. n
 * odd: the first n of a transform of x[j] w^(j/2) between zeros to 2 n, times 2 w^(k/2 + 1/4): its
 * real part. */
static gnd_array *type4(const rows *r, double scale)
{
    int64_t n = r->n, h = n / 2;
    int even = n % 2 == 0;
    gnd_array *k = counted(r, even ? h : n), *z;
    if (even) {
        z = gnd__fft_paired(taken(r->x, linear(k, -2, 0)), taken(r->x, linear(k, 2, n - 1)),
                            r->wide);
        z = gnd_multiply(z, gnd__fft_spins(k, 2 * n, r->wide));
    } else {
        z = gnd_multiply(gnd__as(r->x, r->wide), gnd__fft_spins(k, 4 * n, r->wide));
        z = gnd__is_bad(z) ? z : gnd__fft_fitted(z, z->ndim - 1, 2 * n);
    }
    z = gnd__is_bad(z) ? z : gnd__fft_rows(z, r->wide, GND_FFT_C2C, 0, even ? h : 2 * n, 2 * scale);
    if (even) {
        gnd_array *j = counted(r, n), *odd = gnd_equal(gnd_bitwise_and(j, gnd_int(1)), gnd_int(1));
        z = gnd_multiply(z, gnd__fft_spins(linear(k, -4, 1), 8 * n, r->wide));
        z = taken(z, gnd_bitwise_right_shift(gnd_where(odd, linear(j, 1, n - 1), j), gnd_int(1)));
        return gnd_where(odd, gnd_negative(gnd_imag_part(z)), gnd_real_part(z));
    }
    z = gnd__is_bad(z) ? z : gnd__slice(z, z->ndim - 1, 0, n);
    return gnd_real_part(gnd_multiply(z, gnd__fft_spins(linear(k, -2, 1), 8 * n, r->wide)));
}

/* x with the sign of every second element changed. */
static gnd_array *alternating(const rows *r, gnd_array *x)
{
    gnd_array *k = counted(r, r->n);
    return gnd_where(gnd_equal(gnd_bitwise_and(k, gnd_int(1)), gnd_int(1)), gnd_negative(x), x);
}

/* 2 sum of x[j] sin(pi (j + 1)(k + 1)/(n + 1)): the transform of 0, x, 0, and -x reversed. */
static gnd_array *sines1(const rows *r, double scale)
{
    int64_t n = r->n, m = 2 * n + 2;
    gnd_array *j = counted(r, m), *low = gnd_less_equal(j, gnd_int(n));
    gnd_array *zero = gnd_logical_or(gnd_equal(j, gnd_int(0)), gnd_equal(j, gnd_int(n + 1)));
    gnd_array *at =
        gnd_where(zero, gnd_int(0), gnd_where(low, linear(j, -1, -1), linear(j, 1, m - 1)));
    gnd_array *x = taken(r->x, at);
    x = gnd_where(zero, gnd_real(0), gnd_where(low, x, gnd_negative(x)));
    gnd_array *y = gnd__is_bad(x) ? x : gnd__fft_rows(x, r->wide, GND_FFT_R2C, 0, m, scale);
    return gnd_negative(gnd_imag_part(gnd__is_bad(y) ? y : gnd__slice(y, y->ndim - 1, 1, n)));
}

static gnd_array *transform(rows r, int sine, int type, double scale)
{
    if (!sine)
        return type == 1   ? type1(&r, scale)
               : type == 2 ? type2(&r, scale)
               : type == 3 ? type3(&r, scale)
                           : type4(&r, scale);
    if (type == 1)
        return sines1(&r, scale);
    r.x = type == 2 ? alternating(&r, r.x) : gnd_flip(r.x, GND_AXIS(-1));
    gnd_array *y = type == 2 ? type2(&r, scale) : type == 3 ? type3(&r, scale) : type4(&r, scale);
    return type == 2 ? gnd_flip(y, GND_AXIS(-1)) : alternating(&r, y);
}

static gnd_array *run(const char *func, int sine, int inverse, gnd_array *x, int type, int64_t n,
                      int axis, gnd_norm norm)
{
    int k;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (type < 1 || type > 4)
        return gnd__fail(x->dev, GND_ERR_ARG, "%s: type is %d, not 1, 2, 3 or 4", func, type);
    if ((unsigned)norm > GND_NORM_FORWARD)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: norm is %d, not 0 (backward), 1 (ortho) or 2 (forward)", func,
                         (int)norm);
    if ((bad = gnd__check_axis(func, x->dev, axis, x->ndim, &k)))
        return bad;
    const int64_t least = type == 1 && !sine ? 2 : 1, have = x->dim[k];
    n = n == GND_FFT_FULL ? have : n;
    if (n < least || n > INT64_MAX / 64)
        return gnd__fail(x->dev, n < least ? GND_ERR_ARG : GND_ERR_OVERFLOW,
                         "%s: a transform of type %d of %" PRId64
                         " elements along axis %d of extent %" PRId64 ": at least %" PRId64,
                         func, type, n, axis, have, least);
    const gnd__inner in = gnd__enter(func);
    if (gnd_dtype_kind((gnd_dtype)x->dtype) == 'c') {
        gnd_array *re = run(func, sine, inverse, gnd_real_part(x), type, n, axis, norm);
        gnd_array *im = run(func, sine, inverse, gnd_imag_part(x), type, n, axis, norm);
        return gnd__leave(in, gnd__fft_paired(re, im, (gnd_dtype)x->dtype));
    }
    rows r = {.n = n,
              .wide = gnd__fft_dtype(x->dev, (gnd_dtype)x->dtype),
              .ortho = norm == GND_NORM_ORTHO};
    const double all = type > 1 ? 2.0 * (double)n : 2.0 * (double)(sine ? n + 1 : n - 1);
    double scale = r.ortho ? 1 / sqrt(all) : (norm == GND_NORM_BACKWARD) == inverse ? 1 / all : 1;
    r.t = gnd__real_of(r.wide);
    r.x = gnd_swapaxes(gnd__as(gnd__fft_fitted(x, k, n), r.t), k, -1);
    if (inverse)
        type = type == 2 ? 3 : type == 3 ? 2 : type;
    return gnd__leave(
        in, gnd_swapaxes(gnd__is_bad(r.x) ? r.x : transform(r, sine, type, scale), k, -1));
}

gnd_array *gnd_dct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm)
{
    return run("dct", 0, 0, x, type, n, axis, norm);
}

gnd_array *gnd_idct(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm)
{
    return run("idct", 0, 1, x, type, n, axis, norm);
}

gnd_array *gnd_dst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm)
{
    return run("dst", 1, 0, x, type, n, axis, norm);
}

gnd_array *gnd_idst(gnd_array *x, int type, int64_t n, int axis, gnd_norm norm)
{
    return run("idst", 1, 1, x, type, n, axis, norm);
}
