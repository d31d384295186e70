/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_stat.c - the functions of gnd/stat.h (and gnd_trace) on the null device: wrong arguments
 * give the errors that the header promises, an error passes through each, shapes and dtypes of
 * results are right; and whichever allocation fails on the way, none crashes, loses memory or keeps
 * an array, with a scope or without.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev, *dev32;
static gnd_array *a34, *v3, *v4, *empty, *broken, *t4, *z4, *i4, *far;

#define D GND_DTYPE_DEFAULT

static void statistics(void)
{
    gnd_array *w = NULL;
    FAILS(gnd_ptp(t4, GND_ALL, 0), GND_ERR_DTYPE, "ptp: bool is not allowed");
    FAILS(gnd_ptp(empty, GND_ALL, 0), GND_ERR_SHAPE,
          "ptp: a zero-size array has no maximum and minimum (shape (0, 3))");
    FAILS(gnd_ptp(a34, GND_AXIS(2), 0), GND_ERR_AXIS, "ptp: axis 2 is out of range");
    FAILS(gnd_ptp(a34, GND_ALL, 8), GND_ERR_ARG, "ptp: flags 0x8");
    FAILS(gnd_average(a34, v3, GND_AXIS(1), 0, NULL), GND_ERR_SHAPE,
          "average: weights of shape (3,) for x of shape (3, 4)");
    FAILS(gnd_average(a34, v4, GND_ALL, 0, &w), GND_ERR_SHAPE, "average: weights of shape (4,)");
    expect_error("the sum of weights fails too", w, GND_ERR_SHAPE, "average: weights");
    FAILS(gnd_average(a34, gnd_real(1), GND_ALL, 0, NULL), GND_ERR_DEVICE,
          "average: weights is a scalar");
    FAILS(gnd_average(v4, far, GND_ALL, 0, NULL), GND_ERR_DEVICE, "average: arrays of two devices");
    FAILS(gnd_average(v4, broken, GND_ALL, 0, NULL), GND_ERR_IO, "my own");
    gnd_array *cube = gnd_reshape(a34, DIM(3, 2, 2));
    FAILS(gnd_cov(cube, NULL, 1, 1, NULL, NULL, D), GND_ERR_SHAPE, "cov: x has shape (3, 2, 2)");
    FAILS(gnd_cov(a34, cube, 1, 1, NULL, NULL, D), GND_ERR_SHAPE, "cov: y has shape (3, 2, 2)");
    FAILS(gnd_cov(a34, v3, 1, 1, NULL, NULL, D), GND_ERR_SHAPE,
          "cov: x has 4 observations and y 3");
    FAILS(gnd_cov(a34, NULL, 1, 1, v3, NULL, D), GND_ERR_SHAPE,
          "cov: fweights has shape (3,): one dimension of 4 observations");
    FAILS(gnd_cov(a34, NULL, 0, 1, NULL, v4, D), GND_ERR_SHAPE, "cov: aweights has shape (4,)");
    FAILS(gnd_cov(a34, NULL, 1, 1, z4, NULL, D), GND_ERR_DTYPE, "cov: fweights is complex");
    FAILS(gnd_cov(a34, NULL, 1, 1, NULL, NULL, GND_INT32), GND_ERR_DTYPE,
          "cov: float32 as int32: a float dtype is needed");
    FAILS(gnd_cov(z4, NULL, 1, 1, NULL, NULL, GND_FLOAT64), GND_ERR_DTYPE,
          "a complex dtype is needed");
    FAILS(gnd_cov(far, NULL, 1, 1, NULL, NULL, GND_FLOAT64), GND_ERR_UNSUPPORTED, "cov: float64");
    FAILS(gnd_cov(v4, far, 1, 1, NULL, NULL, D), GND_ERR_DEVICE, "cov: arrays of two devices");
    FAILS(gnd_corrcoef(cube, NULL, 1, D), GND_ERR_SHAPE, "corrcoef: x has shape");
    FAILS(gnd_corrcoef(gnd_int(1), NULL, 1, D), GND_ERR_DEVICE, "corrcoef: x is a scalar");
    FAILS(gnd_trace(v3, 0, 0, 1, D), GND_ERR_SHAPE, "trace: shape (3,): at least 2");
    FAILS(gnd_trace(a34, 0, 0, 2, D), GND_ERR_AXIS, "trace: axis 2");
    FAILS(gnd_trace(a34, 0, 1, -1, D), GND_ERR_AXIS, "trace: axis -1 is named twice");
    FAILS(gnd_trace(a34, 0, 0, 1, (gnd_dtype)99), GND_ERR_DTYPE, "trace: 99 is no dtype");
    FAILS(gnd_nanmax(empty, GND_AXIS(0), 0), GND_ERR_SHAPE,
          "nanmax: a zero-size array has no maximum");
    FAILS(gnd_nanmin(empty, GND_ALL, 0), GND_ERR_SHAPE, "nanmin: a zero-size array has no minimum");
    FAILS(gnd_nanargmax(empty, GND_ALL, 0), GND_ERR_SHAPE, "nanargmax: a zero-size array");
    FAILS(gnd_nanargmin(a34, GND_AXES(0, 1), 0), GND_ERR_AXIS, "nanargmin: 2 axes");
    FAILS(gnd_nansum(a34, GND_AXIS(3), 0), GND_ERR_AXIS, "nansum: axis 3");
    FAILS(gnd_nansum_as(a34, GND_ALL, 0, (gnd_dtype)77), GND_ERR_DTYPE, "nansum: 77 is no dtype");
    FAILS(gnd_nanprod_as(z4, GND_ALL, 0, GND_FLOAT32), GND_ERR_DTYPE, "complex64 to float32");
    FAILS(gnd_nanmean(a34, GND_AXIS(3), 0), GND_ERR_AXIS, "nanmean: axis 3");
    FAILS(gnd_nanvar(a34, GND_AXIS(3), 0, 0), GND_ERR_AXIS, "nanvar: axis 3");
    FAILS(gnd_nanstd(a34, GND_ALL, 4, 0), GND_ERR_ARG, "nanstd: flags 0x4");
    FAILS(gnd_logsumexp(a34, v3, GND_ALL, 0), GND_ERR_SHAPE, "logsumexp: shapes (3, 4) and (3,)");
    FAILS(gnd_logsumexp(a34, NULL, GND_AXIS(2), 0), GND_ERR_AXIS, "logsumexp: axis 2");
    FAILS(gnd_logsumexp(v4, far, GND_ALL, 0), GND_ERR_DEVICE, "logsumexp: arrays of two devices");
    FAILS(gnd_softmax(z4, GND_ALL), GND_ERR_DTYPE, "softmax: complex64 is not allowed");
    FAILS(gnd_log_softmax(z4, GND_ALL), GND_ERR_DTYPE, "log_softmax: complex64 is not allowed");
    FAILS(gnd_softmax(v3, GND_AXIS(1)), GND_ERR_AXIS, "softmax: axis 1");
    FAILS(gnd_normalize(v3, GND_ALL, -1), GND_ERR_ARG,
          "normalize: eps -1: it must not be negative");
    FAILS(gnd_standardize(v3, GND_ALL, NAN), GND_ERR_ARG, "standardize: eps nan");
}

static void differences(void)
{
    gnd_array *point = gnd_at(v3, "0");
    FAILS(gnd_diff(v3, -1, 0, NULL, NULL), GND_ERR_ARG, "diff: -1 times");
    FAILS(gnd_diff(v3, 1, 1, NULL, NULL), GND_ERR_AXIS, "diff: axis 1");
    FAILS(gnd_diff(point, 1, 0, NULL, NULL), GND_ERR_AXIS, "diff: axis 0 is out of range for 0");
    FAILS(gnd_diff(a34, 1, 0, v4, NULL), GND_ERR_SHAPE,
          "diff: prepend has shape (4,) and x (3, 4)");
    FAILS(gnd_diff(a34, 1, 1, NULL, gnd_at(a34, ":2")), GND_ERR_SHAPE,
          "diff: append has shape (2, 4) and x (3, 4): all extents but that of axis 1");
    FAILS(gnd_diff(v4, 1, 0, far, NULL), GND_ERR_DEVICE, "diff: arrays of two devices");
    FAILS(gnd_diff(i4, 1, 0, gnd_int(1000), NULL), GND_ERR_OVERFLOW,
          "diff: the scalar 1000 does not fit");
    FAILS(gnd_diff(v3, 1, 0, broken, NULL), GND_ERR_IO, "my own");
    FAILS(gnd_ediff1d(t4, NULL, NULL), GND_ERR_DTYPE, "ediff1d: bool is not allowed");
    FAILS(gnd_ediff1d(i4, v3, NULL), GND_ERR_DTYPE, "ediff1d: to_end is float32 and x int8");
    FAILS(gnd_ediff1d(i4, NULL, gnd_real(1.5)), GND_ERR_DTYPE,
          "ediff1d: to_begin is float64 and x int8");
    FAILS(gnd_ediff1d(v3, far, NULL), GND_ERR_DEVICE, "ediff1d: arrays of two devices");
    FAILS(gnd_gradient(v3, NULL, 0, 3), GND_ERR_ARG, "gradient: an edge order of 3: take 1 or 2");
    FAILS(gnd_gradient(gnd_at(v3, ":2"), NULL, 0, 2), GND_ERR_SHAPE,
          "gradient: axis 0 has 2 elements: at least 3 are needed for edge order 2");
    FAILS(gnd_gradient(gnd_at(v3, ":1"), NULL, 0, 1), GND_ERR_SHAPE,
          "axis 0 has 1 element: at least 2");
    FAILS(gnd_gradient(v3, v4, 0, 1), GND_ERR_SHAPE,
          "gradient: a spacing of shape (4,): one number, or the 3 coordinates along axis 0");
    FAILS(gnd_gradient(v4, z4, 0, 1), GND_ERR_DTYPE, "gradient: the spacing is complex");
    FAILS(gnd_gradient(v4, far, 0, 1), GND_ERR_DEVICE, "gradient: arrays of two devices");
    FAILS(gnd_gradient(v4, NULL, -2, 1), GND_ERR_AXIS, "gradient: axis -2");
    FAILS(gnd_trapezoid(a34, v3, 1, 1), GND_ERR_SHAPE,
          "trapezoid: axis 1 of y has 4 elements and x 3 coordinates");
    FAILS(gnd_trapezoid(v3, a34, 1, 0), GND_ERR_SHAPE, "trapezoid: x has shape (3, 4) and y (3,)");
    FAILS(gnd_trapezoid(a34, gnd_at(a34, ":2"), 1, 1), GND_ERR_SHAPE,
          "trapezoid: shapes (3, 4) and (2, 4)");
    FAILS(gnd_trapezoid(a34, NULL, 1, 2), GND_ERR_AXIS, "trapezoid: axis 2");
    FAILS(gnd_trapezoid(v4, far, 1, 0), GND_ERR_DEVICE, "trapezoid: arrays of two devices");
}

static void comparisons_and_polynomials(void)
{
    FAILS(gnd_isclose(a34, v3, 0, 0, 0), GND_ERR_SHAPE, "isclose: shapes (3, 4) and (3,)");
    FAILS(gnd_isclose(v4, far, 0, 0, 0), GND_ERR_DEVICE, "isclose: arrays of two devices");
    FAILS(gnd_isclose(v4, v4, NAN, 0, 0), GND_ERR_ARG, "isclose: rtol is NaN");
    FAILS(gnd_allclose(v4, v4, 0, NAN, 0), GND_ERR_ARG, "allclose: atol is NaN");
    FAILS(gnd_allclose(a34, v3, 0, 0, 0), GND_ERR_SHAPE, "allclose: shapes");
    FAILS(gnd_array_equal(v4, far, 0), GND_ERR_DEVICE, "array_equal: arrays of two devices");
    FAILS(gnd_array_equiv(v4, far), GND_ERR_DEVICE, "array_equiv: arrays of two devices");
    FAILS(gnd_polyval(gnd_at(v3, "0"), v3), GND_ERR_SHAPE, "polyval: p has no dimensions");
    FAILS(gnd_polyval(a34, v3), GND_ERR_SHAPE, "polyval: shapes (4,) and (3,)");
    FAILS(gnd_polyval(v3, gnd_int(2)), GND_ERR_DEVICE, "polyval: x is a scalar");
    FAILS(gnd_polyval(v4, far), GND_ERR_DEVICE, "polyval: arrays of two devices");
    FAILS(gnd_vander(a34, 3, 0), GND_ERR_SHAPE, "vander: x has shape (3, 4): one dimension");
    FAILS(gnd_vander(v3, (int64_t)1 << 61, 0), GND_ERR_OVERFLOW, "vander:");
    FAILS(gnd_polyfit(v3, v3, -1, -1, NULL), GND_ERR_ARG, "polyfit: the degree is -1");
    FAILS(gnd_polyfit(v3, v3, INT32_MAX, -1, NULL), GND_ERR_ARG,
          "polyfit: the degree is 2147483647");
    FAILS(gnd_polyfit(a34, v3, 1, -1, NULL), GND_ERR_SHAPE,
          "polyfit: x has shape (3, 4): one dimension");
    FAILS(gnd_polyfit(gnd_at(v3, ":0"), v3, 1, -1, NULL), GND_ERR_SHAPE,
          "polyfit: x has shape (0,)");
    FAILS(gnd_polyfit(v3, v4, 1, -1, NULL), GND_ERR_SHAPE, "polyfit: x has shape (3,) and y (4,)");
    FAILS(gnd_polyfit(v3, v3, 1, -1, v4), GND_ERR_SHAPE, "polyfit: x has shape (3,) and w (4,)");
    FAILS(gnd_polyfit(v4, far, 1, -1, NULL), GND_ERR_DEVICE, "polyfit: arrays of two devices");
}

/* Each function with each array that it takes as x, for NULL and errors. */
static void each(gnd_array *x, gnd_status code, const char *text)
{
    FAILS(gnd_ptp(x, GND_ALL, 0), code, text);
    FAILS(gnd_average(x, NULL, GND_ALL, 0, NULL), code, text);
    FAILS(gnd_cov(x, NULL, 1, 1, NULL, NULL, D), code, text);
    FAILS(gnd_corrcoef(x, NULL, 1, D), code, text);
    FAILS(gnd_trace(x, 0, 0, 1, D), code, text);
    FAILS(gnd_nansum(x, GND_ALL, 0), code, text);
    FAILS(gnd_nanprod(x, GND_ALL, 0), code, text);
    FAILS(gnd_nansum_as(x, GND_ALL, 0, GND_INT8), code, text);
    FAILS(gnd_nanprod_as(x, GND_ALL, 0, GND_INT8), code, text);
    FAILS(gnd_nanmean(x, GND_ALL, 0), code, text);
    FAILS(gnd_nanvar(x, GND_ALL, 0, 0), code, text);
    FAILS(gnd_nanstd(x, GND_ALL, 0, 0), code, text);
    FAILS(gnd_nanmax(x, GND_ALL, 0), code, text);
    FAILS(gnd_nanmin(x, GND_ALL, 0), code, text);
    FAILS(gnd_nanargmax(x, GND_ALL, 0), code, text);
    FAILS(gnd_nanargmin(x, GND_ALL, 0), code, text);
    FAILS(gnd_logsumexp(x, NULL, GND_ALL, 0), code, text);
    FAILS(gnd_softmax(x, GND_ALL), code, text);
    FAILS(gnd_log_softmax(x, GND_ALL), code, text);
    FAILS(gnd_normalize(x, GND_ALL, 0), code, text);
    FAILS(gnd_standardize(x, GND_ALL, 0), code, text);
    FAILS(gnd_diff(x, 1, 0, NULL, NULL), code, text);
    FAILS(gnd_ediff1d(x, NULL, NULL), code, text);
    FAILS(gnd_gradient(x, NULL, 0, 1), code, text);
    FAILS(gnd_trapezoid(x, NULL, 1, 0), code, text);
    FAILS(gnd_isclose(x, v3, 0, 0, 0), code, text);
    FAILS(gnd_isclose(v3, x, 0, 0, 0), code, text);
    FAILS(gnd_allclose(v3, x, 0, 0, 0), code, text);
    FAILS(gnd_array_equal(x, v3, 0), code, text);
    FAILS(gnd_array_equal(v3, x, 0), code, text);
    FAILS(gnd_array_equiv(x, v3), code, text);
    FAILS(gnd_array_equiv(v3, x), code, text);
    FAILS(gnd_polyval(x, v3), code, text);
    FAILS(gnd_polyval(v3, x), code, text);
    FAILS(gnd_vander(x, 1, 0), code, text);
    FAILS(gnd_polyfit(x, v3, 1, -1, NULL), code, text);
    FAILS(gnd_polyfit(v3, x, 1, -1, NULL), code, text);
}

/* --- right calls ------------------------------------------------------------------------------ */

enum { CALLS = 40 };

/* Call number i, and its dtype and number of elements. */
static gnd_array *call(int i, gnd_dtype *t, int64_t *size)
{
    gnd_array *w = NULL, *y;
    *t = GND_FLOAT32;
    *size = 3;
    switch (i) {
    case 0: return gnd_ptp(a34, GND_AXIS(1), 0);
    case 1: return gnd_average(a34, NULL, GND_AXIS(1), GND_KEEPDIMS, NULL);
    case 2:
        y = gnd_average(a34, v4, GND_AXIS(1), 0, &w);
        gnd_release(w);
        return y;
    case 3: *t = GND_FLOAT64, *size = 9; return gnd_cov(a34, NULL, 1, 1, NULL, NULL, D);
    case 4: *size = 16; return gnd_cov(a34, v4, 1, 0, i4, v4, GND_FLOAT32);
    case 5: *t = GND_COMPLEX128, *size = 1; return gnd_cov(z4, NULL, 1, 1, NULL, v4, D);
    case 6: *t = GND_COMPLEX128, *size = 16; return gnd_corrcoef(a34, z4, 1, D);
    case 7: *size = 9; return gnd_corrcoef(a34, NULL, 1, GND_FLOAT32);
    case 8: *t = GND_INT64, *size = 1; return gnd_trace(gnd_astype(a34, GND_INT8), 0, 0, 1, D);
    case 9: return gnd_nansum(a34, GND_AXIS(1), 0);
    case 10: *t = GND_INT64, *size = 1; return gnd_nanprod(i4, GND_ALL, 0);
    case 11: *t = GND_FLOAT64; return gnd_nansum_as(a34, GND_AXIS(1), GND_KEEPDIMS, GND_FLOAT64);
    case 12: *t = GND_COMPLEX64, *size = 1; return gnd_nanmean(z4, GND_ALL, 0);
    case 13: return gnd_nanvar(a34, GND_AXIS(1), 0, 1);
    case 14: *size = 1; return gnd_nanstd(z4, GND_ALL, GND_KEEPDIMS, 1);
    case 15: return gnd_nanmax(a34, GND_AXIS(1), 0);
    case 16: *t = GND_COMPLEX64, *size = 1; return gnd_nanmin(z4, GND_ALL, 0);
    case 17: *t = GND_INT64; return gnd_nanargmax(a34, GND_AXIS(1), 0);
    case 18: *t = GND_INT64, *size = 1; return gnd_nanargmin(a34, GND_ALL, GND_KEEPDIMS);
    case 19: return gnd_logsumexp(a34, NULL, GND_AXIS(1), 0);
    case 20: return gnd_logsumexp(a34, v4, GND_AXIS(1), 0);
    case 21: *t = GND_COMPLEX64, *size = 1; return gnd_logsumexp(z4, gnd_real(2), GND_ALL, 0);
    case 22: *size = 12; return gnd_softmax(a34, GND_AXIS(0));
    case 23: *t = GND_FLOAT64, *size = 4; return gnd_log_softmax(i4, GND_ALL);
    case 24: *t = GND_COMPLEX64, *size = 4; return gnd_normalize(z4, GND_ALL, 0);
    case 25: *size = 12; return gnd_standardize(a34, GND_AXIS(0), 1);
    case 26: *size = 12; return gnd_diff(a34, 2, 0, gnd_int(0), gnd_at(a34, ":1"));
    case 27: *t = GND_INT8, *size = 5; return gnd_ediff1d(i4, gnd_int(1), i4 ? gnd_int(2) : NULL);
    case 28: *size = 12; return gnd_gradient(a34, v3, 0, 2);
    case 29: *size = 12; return gnd_gradient(a34, gnd_real(2), 1, 1);
    case 30: return gnd_trapezoid(a34, v4, 1, 1);
    case 31: *t = GND_BOOL, *size = 12; return gnd_isclose(a34, v4, 0, 0, 1);
    case 32: *t = GND_BOOL, *size = 1; return gnd_allclose(i4, t4, 0, 0, 0);
    case 33: *t = GND_BOOL, *size = 1; return gnd_array_equal(z4, v4, 1);
    case 34: *t = GND_BOOL, *size = 1; return gnd_array_equiv(a34, v3);
    case 35: *size = 12; return gnd_polyval(v3, a34);
    case 36: *t = GND_COMPLEX128, *size = 12; return gnd_vander(z4, 3, 0);
    case 37: *t = GND_INT64, *size = 16; return gnd_vander(i4, -1, 1);
    case 38: *t = GND_FLOAT64, *size = 3; return gnd_polyfit(v4, i4, 2, -1, v4);
    default: *t = GND_COMPLEX128, *size = 6; return gnd_polyfit(z4, gnd_T(a34), 1, 0, NULL);
    }
}

/* Without a scope every array of the test is released by hand, and none may be left. Some calls
 * make arguments on the way (gnd_at ...): those are released with a scope. */
static void allocations(void)
{
    gnd_dtype t;
    int64_t size;
    int shapes = 0, lost = 0, mute = 0;
    for (int i = 0; i < CALLS; i++) {
        int failed = 1;
        for (long n = 0; failed; n++) {
            long before = gnd__mem_live();
            gnd_scope_begin();
            gnd__mem_fail_at(n);
            gnd_array *y = call(i, &t, &size);
            gnd__mem_fail_at(0);
            failed = gnd_status_of(y) != GND_OK;
            if (!failed && (gnd_dtype_of(y) != t || gnd_size(y) != size) && shapes++ < 9)
                tap_diag("call %d gives %s with %d elements", i, gnd_dtype_name(gnd_dtype_of(y)),
                         (int)gnd_size(y));
            mute += failed && (gnd_status_of(y) != GND_ERR_NOMEM || !*gnd_error(y));
            if (n == 0 && failed)
                tap_diag("call %d: %s", i, gnd_error(y));
            gnd_release(y);
            gnd_scope_end();
            if (gnd__mem_live() != before && lost++ < 9)
                tap_diag("call %d, allocation %ld: %ld stay", i, n, gnd__mem_live() - before);
            failed |= n == 0;
        }
    }
    tap_is_int(shapes, 0, "%d calls give the right dtypes and sizes", CALLS);
    tap_is_int(mute, 0, "where an allocation fails, that is what they say");
    tap_is_int(lost, 0, "and nothing is lost");
}

/* The same where no scope catches what a function forgets. */
static void without_scope(void)
{
    gnd_dtype t;
    int64_t size;
    int lost = 0;
    for (int i = 0; i < CALLS; i++) {
        if (i == 8 || i == 21 || i == 26 || i == 27 || i == 29 || i == CALLS - 1)
            continue; /* arguments that only a scope releases */
        long before = gnd__mem_live();
        gnd_release(call(i, &t, &size));
        if (gnd__mem_live() != before && lost++ < 9)
            tap_diag("call %d: %ld stay", i, gnd__mem_live() - before);
    }
    gnd_array *scalar = gnd_real(2), *y[4];
    long before = gnd__mem_live();
    y[0] = gnd_gradient(a34, scalar, 1, 2);
    y[1] = gnd_logsumexp(z4, scalar, GND_ALL, 0);
    y[2] = gnd_diff(a34, 2, 0, scalar, scalar);
    y[3] = gnd_ediff1d(v4, scalar, scalar);
    for (int i = 0; i < 4; i++)
        gnd_release(y[i]);
    lost += gnd__mem_live() != before;
    gnd_release(scalar);
    tap_is_int(lost, 0, "without a scope one handle comes of each call");
}

/* On a device without float64 nothing asks for it. */
static void without_f64(void)
{
    gnd_array *i = gnd_astype(far, GND_INT64);
    gnd_array *y[] = {gnd_average(i, i, GND_ALL, 0, NULL),
                      gnd_cov(far, NULL, 1, 1, i, far, D),
                      gnd_corrcoef(i, NULL, 1, D),
                      gnd_nanmean(i, GND_ALL, 0),
                      gnd_logsumexp(i, far, GND_ALL, 0),
                      gnd_softmax(i, GND_ALL),
                      gnd_standardize(i, GND_ALL, 0),
                      gnd_gradient(i, far, 0, 2),
                      gnd_trapezoid(i, i, 1, 0),
                      gnd_polyval(i, far),
                      gnd_vander(far, 2, 0),
                      gnd_polyfit(i, i, 1, -1, i)};
    for (int k = 0; k < (int)(sizeof y / sizeof *y); k++)
        if (gnd_dtype_of(y[k]) != GND_FLOAT32 || gnd_wait(y[k]) != GND_OK)
            tap_fail("call %d without float64: %s %s", k, gnd_dtype_name(gnd_dtype_of(y[k])),
                     gnd_error(y[k]));
    gnd_array *z = gnd_vander(gnd_multiply(far, gnd_complex(0, 1)), 2, 0);
    tap_is_int(gnd_dtype_of(z), GND_COMPLEX64, "without float64 results are float32 and complex64");
    tap_is_int(gnd_wait(gnd_isclose(i, far, 0, 0, 1)), GND_OK, "and isclose needs none");
}

static void language(void)
{
    static const char *const cases[][2] = {
        {"gradient(x, 1, 2, 3)", "gradient: 3 spacings for 2 axes"},
        {"gradient(x, v)", "gradient: one spacing for 2 axes must be a number"},
        {"gradient(v, edge_order=5)", "edge order"},
        {"average(x, weights=v[:3])", "average: weights of shape (3,)"},
        {"cov(x, fweights=[1, 2])", "cov: fweights has shape (2,)"},
        {"vander(v, -1)", "vander: -1 columns"},
        {"polyfit(v, v, -2)", "polyfit: the degree is -1"},
        {"diff(v, n=-1)", "diff: -1 times"},
        {"isclose(x, v[:3])", "isclose: shapes (3, 4) and (3,)"},
        {"normalize(v, eps=-1)", "normalize: eps -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnd_array *y = gnd_eval(dev, cases[i][0], "x", a34, "v", v4, (char *)NULL);
        tap_has_str(gnd_error(y), cases[i][1], "%s", cases[i][0]);
    }
}

int main(void)
{
    gnd_close(gnd_open("null:0"));
    gnd_scope_begin();
    gnd_int(1);
    gnd_scope_end(); /* an ended scope is kept for the next */
    long before = gnd__mem_live();
    dev = gnd_open("null:0");
    dev32 = gnd_open("null:1");
    gnd_array **all[] = {&a34, &v3, &v4, &empty, &broken, &t4, &z4, &i4, &far};
    a34 = gnd_empty(dev, GND_FLOAT32, DIM(3, 4));
    v3 = gnd_empty(dev, GND_FLOAT32, DIM(3));
    v4 = gnd_empty(dev, GND_FLOAT32, DIM(4));
    t4 = gnd_empty(dev, GND_BOOL, DIM(4));
    z4 = gnd_empty(dev, GND_COMPLEX64, DIM(4));
    i4 = gnd_empty(dev, GND_INT8, DIM(4));
    empty = gnd_empty(dev, GND_FLOAT32, DIM(0, 3));
    far = gnd_empty(dev32, GND_FLOAT32, DIM(4));
    broken = gnd_fail(GND_ERR_IO, "my own error %d", 7);
    gnd_scope_begin();
    statistics();
    differences();
    comparisons_and_polynomials();
    each(NULL, GND_ERR_NULL, " is NULL");
    each(broken, GND_ERR_IO, "my own error 7");
    language();
    without_f64();
    gnd_scope_end();
    without_scope();
    allocations();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gnd_release(*all[i]);
    gnd_close(dev);
    gnd_close(dev32);
    tap_is_int(gnd__mem_live(), before, "nothing is left behind");
    return tap_done();
}
