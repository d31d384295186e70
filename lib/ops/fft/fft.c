/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/fft/fft.c - the Fourier transforms: arguments, dtypes, lengths, scales and axes. A view moves
 * each axis to the end, and ops/fft/rows.c transforms it. If a library takes several axes at once
 * and they are the last ones, it gets them together.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ops/fft/rows.h"
#include "prim/choices.h"
#include "array/views.h"
#include "graph/check.h"
#include "device/device.h"
#include "graph/graph.h"
#include "graph/scope.h"
#include "prim/fft.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/fft.h>
#include <gnd/view.h>

/* One transform of one or more axes. */
typedef struct job {
    const char *func;
    int kind, inverse;
    gnd_norm norm;
    int naxes;
    int axis[GND_MAX_NDIM];  /* in [0, ndim) */
    int64_t n[GND_MAX_NDIM]; /* lengths on the real side */
    gnd_dtype t;             /* the complex dtype */
} job;

gnd_dtype gnd__fft_dtype(const gnd_device *dev, gnd_dtype t)
{
    switch (t) {
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32:
    case GND_COMPLEX64: return GND_COMPLEX64;
    default: return gnd__device_has_f64(dev) ? GND_COMPLEX128 : GND_COMPLEX64;
    }
}

static double scale_of(const job *j, double n)
{
    gnd_norm full = j->inverse ? GND_NORM_BACKWARD : GND_NORM_FORWARD;
    return j->norm == GND_NORM_ORTHO ? 1 / sqrt(n) : j->norm == full ? 1 / n : 1;
}

gnd_array *gnd__fft_fitted(gnd_array *x, int axis, int64_t n)
{
    int64_t dim[GND_MAX_NDIM], have = x->kind == GND__ERROR ? n : x->dim[axis];
    if (have == n)
        return x;
    if (have > n)
        return gnd__slice(x, axis, 0, n);
    if (axis == x->ndim - 1 && gnd__fft_few(x->dev, n) && have) {
        gnd_array *i = gnd_arange(x->dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_INT64);
        gnd_array *place = gnd_minimum(i, gnd_int(have - 1));
        gnd_array *y = place->kind == GND__ERROR ? place : gnd__taken(x, place, axis);
        return gnd_where(gnd_less(i, gnd_int(have)), y, gnd_int(0));
    }
    memcpy(dim, x->dim, x->ndim * sizeof *dim);
    dim[axis] = n - have;
    gnd_array *both[2] = {x, gnd_zeros(x->dev, (gnd_dtype)x->dtype, x->ndim, dim)};
    return gnd_concat(2, both, axis);
}

/* Transforms x along axis number i of the job. */
static gnd_array *along(const job *j, gnd_array *x, int i, int kind)
{
    int64_t n = j->n[i], have = kind == GND_FFT_C2R ? n / 2 + 1 : n;
    int axis = j->axis[i];
    x = gnd__fft_fitted(x, axis, have);
    if (x->kind == GND__ERROR)
        return x;
    if (kind == GND_FFT_C2R)
        x = gnd_astype(x, j->t);
    x = gnd_swapaxes(x, axis, -1);
    if (x->kind != GND__ERROR)
        x = gnd__fft_rows(x, j->t, kind, j->inverse, n, scale_of(j, (double)n));
    return gnd_swapaxes(x, axis, -1);
}

/* Whether the axes are the last ones in order and a library takes them together. Never from complex
 * to real: libraries assume the half of a real array's transform and treat other input in different
 * ways, while NumPy transforms axis by axis and drops imaginary parts only along the last axis. */
static int at_once(const job *j, const gnd_array *x)
{
    if (j->kind == GND_FFT_C2R || j->naxes < 2 || j->naxes > 3)
        return 0;
    for (int i = 0; i < j->naxes; i++)
        if (j->axis[i] != x->ndim - j->naxes + i)
            return 0;
    return gnd__fft_library(x->dev, j->t, j->naxes);
}

static gnd_array *run(const job *j, gnd_array *x)
{
    gnd_array *y = x;
    int last = j->naxes - 1;
    if (j->naxes == 0) /* no axes: the elements as complex numbers */
        return gnd_astype(x, j->t);
    const gnd__inner in = gnd__enter(NULL);
    if (j->kind == GND_FFT_R2C)
        y = gnd_astype(y, gnd__real_of(j->t));
    if (at_once(j, x)) {
        double all = 1;
        for (int i = 0; i < j->naxes; i++) {
            int64_t n = j->n[i];
            y = gnd__fft_fitted(y, j->axis[i], j->kind == GND_FFT_C2R && i == last ? n / 2 + 1 : n);
            all *= (double)n;
        }
        if (j->kind != GND_FFT_R2C)
            y = gnd_astype(y, j->t);
        if (y->kind != GND__ERROR)
            y = gnd__fft_node(y, j->t, j->kind, j->inverse, j->naxes, j->n[last], scale_of(j, all),
                              0);
        return gnd__leave(in, y);
    }
    /* a forward real transform begins with the last axis, a backward one ends with it */
    if (j->kind == GND_FFT_R2C)
        y = along(j, y, last, GND_FFT_R2C);
    for (int i = 0; i < j->naxes; i++)
        if (j->kind == GND_FFT_C2C || i < last)
            y = along(j, y, i, GND_FFT_C2C);
    if (j->kind == GND_FFT_C2R)
        y = along(j, y, last, GND_FFT_C2R);
    return gnd__leave(in, y);
}

/* Checks the arguments into j; an error node, or NULL. */
static gnd_array *check(job *j, gnd_array *x, int naxes, const int *axes, const int64_t *s)
{
    gnd_array *bad = gnd__check_strong(x, j->func, "x");
    uint32_t seen = 0;
    if (bad)
        return bad;
    j->t = gnd__fft_dtype(x->dev, (gnd_dtype)x->dtype);
    if (j->kind == GND_FFT_R2C && gnd_dtype_kind((gnd_dtype)x->dtype) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "%s: x is %s: a transform of reals takes no complex "
                         "numbers; take fft",
                         j->func, gnd_dtype_name((gnd_dtype)x->dtype));
    if ((unsigned)j->norm > GND_NORM_FORWARD)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: norm is %d, not 0 (backward), 1 (ortho) or 2 (forward)", j->func,
                         (int)j->norm);
    if (naxes == -1 && !axes)
        naxes = x->ndim;
    if (naxes < 0 || naxes > x->ndim)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: %d axes of an array of %d dimensions", j->func,
                         naxes, x->ndim);
    if (j->kind != GND_FFT_C2C && naxes == 0)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: at least 1 axis must be transformed", j->func);
    j->naxes = naxes;
    for (int i = 0; i < naxes; i++) {
        int axis = axes ? axes[i] : i - naxes;
        if ((bad = gnd__check_axis(j->func, x->dev, axis, x->ndim, &j->axis[i])))
            return bad;
        if (j->kind != GND_FFT_C2C && seen >> j->axis[i] & 1)
            return gnd__fail(x->dev, GND_ERR_AXIS, "%s: axis %d comes twice", j->func, axis);
        seen |= (uint32_t)1 << j->axis[i];
        int64_t have = x->dim[j->axis[i]], n = s ? s[i] : GND_FFT_FULL;
        if (n == GND_FFT_FULL)
            n = j->kind == GND_FFT_C2R && i == naxes - 1 ? 2 * (have - 1) : have;
        if (n < 1)
            return gnd__fail(x->dev, GND_ERR_ARG,
                             "%s: a transform of %" PRId64 " elements along axis %d "
                             "of extent %" PRId64 ": at least 1 is needed",
                             j->func, n, axis, have);
        if (n > INT64_MAX / 64)
            return gnd__fail(x->dev, GND_ERR_OVERFLOW, "%s: a transform of %" PRId64 " elements",
                             j->func, n);
        j->n[i] = n;
    }
    return NULL;
}

static gnd_array *transform(const char *func, int kind, int inverse, gnd_array *x, int naxes,
                            const int *axes, const int64_t *s, gnd_norm norm)
{
    job j = {.func = func, .kind = kind, .inverse = inverse, .norm = norm};
    gnd_array *bad = check(&j, x, naxes, axes, s);
    return bad ? bad : run(&j, x);
}

gnd_array *gnd_fft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    return transform("fft", GND_FFT_C2C, 0, x, 1, &axis, &n, norm);
}

gnd_array *gnd_ifft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    return transform("ifft", GND_FFT_C2C, 1, x, 1, &axis, &n, norm);
}

gnd_array *gnd_rfft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    return transform("rfft", GND_FFT_R2C, 0, x, 1, &axis, &n, norm);
}

gnd_array *gnd_irfft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    return transform("irfft", GND_FFT_C2R, 1, x, 1, &axis, &n, norm);
}

/* The norm of the transform in the other direction. */
static gnd_norm opposite(gnd_norm norm)
{
    return norm == GND_NORM_BACKWARD  ? GND_NORM_FORWARD
           : norm == GND_NORM_FORWARD ? GND_NORM_BACKWARD
                                      : norm;
}

gnd_array *gnd_hfft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    gnd_array *bad = gnd__check_strong(x, "hfft", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("hfft");
    return gnd__leave(in,
                      transform("hfft", GND_FFT_C2R, 1, gnd_conj(x), 1, &axis, &n, opposite(norm)));
}

gnd_array *gnd_ihfft(gnd_array *x, int64_t n, int axis, gnd_norm norm)
{
    const gnd__inner in = gnd__enter("ihfft");
    return gnd__leave(
        in, gnd_conj(transform("ihfft", GND_FFT_R2C, 0, x, 1, &axis, &n, opposite(norm))));
}

gnd_array *gnd_fftn(gnd_array *x, int naxes, const int *axes, const int64_t *s, gnd_norm norm)
{
    return transform("fftn", GND_FFT_C2C, 0, x, naxes, axes, s, norm);
}

gnd_array *gnd_ifftn(gnd_array *x, int naxes, const int *axes, const int64_t *s, gnd_norm norm)
{
    return transform("ifftn", GND_FFT_C2C, 1, x, naxes, axes, s, norm);
}

gnd_array *gnd_rfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s, gnd_norm norm)
{
    return transform("rfftn", GND_FFT_R2C, 0, x, naxes, axes, s, norm);
}

gnd_array *gnd_irfftn(gnd_array *x, int naxes, const int *axes, const int64_t *s, gnd_norm norm)
{
    return transform("irfftn", GND_FFT_C2R, 1, x, naxes, axes, s, norm);
}

/* --- frequencies ------------------------------------------------------------------------------ */

static gnd_array *frequencies(const char *func, gnd_device *dev, int64_t n, double d, gnd_dtype t,
                              int half)
{
    gnd_array *bad = gnd__check_device(func, dev);
    if (!bad && n < 1)
        bad = gnd__fail(dev, GND_ERR_ARG, "%s: n is %" PRId64 ": at least 1 is needed", func, n);
    if (!bad && t == GND_DTYPE_DEFAULT)
        t = gnd__device_float(dev);
    if (!bad && gnd_dtype_kind(t) != 'f')
        bad = gnd__fail(dev, GND_ERR_DTYPE, "%s: dtype %s is no real float dtype", func,
                        gnd_dtype_name(t));
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    /* 0, 1, ...; in a full transform, the negative frequencies from the middle on */
    gnd_array *k =
        gnd_arange(dev, gnd_int(0), gnd_int(half ? n / 2 + 1 : n), gnd_int(1), GND_INT64);
    if (!half)
        k = gnd_where(gnd_greater(k, gnd_int((n - 1) / 2)), gnd_subtract(k, gnd_int(n)), k);
    return gnd__leave(in, gnd_multiply(gnd_astype(k, t), gnd_real(1 / ((double)n * d))));
}

gnd_array *gnd_fftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t)
{
    return frequencies("fftfreq", dev, n, d, t, 0);
}

gnd_array *gnd_rfftfreq(gnd_device *dev, int64_t n, double d, gnd_dtype t)
{
    return frequencies("rfftfreq", dev, n, d, t, 1);
}

static gnd_array *shifted(const char *func, gnd_array *x, gnd_axes axes, int back)
{
    int64_t by[GND_MAX_NDIM];
    int axis[GND_MAX_NDIM], n = 0;
    uint32_t mask;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad || (bad = gnd__check_axes(func, x->dev, axes, x->ndim, &mask)))
        return bad;
    for (int d = 0; d < x->ndim; d++)
        if (mask >> d & 1) {
            axis[n] = d;
            by[n++] = back ? -(x->dim[d] / 2) : x->dim[d] / 2;
        }
    return gnd_roll(x, n, by, axis);
}

gnd_array *gnd_fftshift(gnd_array *x, gnd_axes axes)
{
    return shifted("fftshift", x, axes, 0);
}

gnd_array *gnd_ifftshift(gnd_array *x, gnd_axes axes)
{
    return shifted("ifftshift", x, axes, 1);
}
