/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_search.c - wrong arguments of searches, counts and histograms, on the null device: the
 * errors that the headers promise, with messages that name what was given; nothing is left behind.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev, *dev32;
static gnd_array *a34, *v5, *z5, *i5, *empty, *far, *broken;

static void searches(void)
{
    FAILS(gnd_searchsorted(NULL, v5, GND_LEFT, NULL), GND_ERR_NULL, "searchsorted: x1 is NULL");
    FAILS(gnd_searchsorted(v5, NULL, GND_LEFT, NULL), GND_ERR_NULL, "searchsorted: x2 is NULL");
    FAILS(gnd_searchsorted(a34, v5, GND_LEFT, NULL), GND_ERR_SHAPE,
          "searchsorted: x1 has shape (3, 4): one dimension is needed");
    FAILS(gnd_searchsorted(v5, v5, 2, NULL), GND_ERR_ARG, "searchsorted: side 2");
    FAILS(gnd_searchsorted(v5, v5, GND_LEFT, v5), GND_ERR_DTYPE,
          "searchsorted: sorter is float32: ints are needed");
    FAILS(gnd_searchsorted(v5, v5, GND_LEFT, gnd_at(i5, ":4")), GND_ERR_SHAPE,
          "searchsorted: sorter has 4 elements, x1 5");
    FAILS(gnd_searchsorted(v5, far, GND_LEFT, NULL), GND_ERR_DEVICE,
          "searchsorted: arrays of two devices");
    FAILS(gnd_searchsorted(gnd_int(3), v5, GND_LEFT, NULL), GND_ERR_DEVICE,
          "searchsorted: x1 is a scalar");
    FAILS(gnd_searchsorted(broken, v5, GND_LEFT, NULL), GND_ERR_SHAPE, "reshape");
    FAILS(gnd_searchsorted(v5, broken, GND_LEFT, NULL), GND_ERR_SHAPE, "reshape");

    FAILS(gnd_digitize(z5, v5, 0), GND_ERR_DTYPE,
          "digitize: x is complex64: complex values are not possible here");
    FAILS(gnd_digitize(v5, z5, 0), GND_ERR_DTYPE, "digitize: bins is complex64");
    FAILS(gnd_digitize(v5, a34, 0), GND_ERR_SHAPE, "digitize: bins has shape (3, 4)");
    FAILS(gnd_digitize(v5, far, 0), GND_ERR_DEVICE, "digitize: arrays of two devices");

    FAILS(gnd_interp(v5, a34, v5, NULL, NULL, 0), GND_ERR_SHAPE, "interp: xp has shape (3, 4)");
    FAILS(gnd_interp(v5, v5, gnd_at(v5, "1:"), NULL, NULL, 0), GND_ERR_SHAPE,
          "interp: xp has 5 elements, fp 4: as many are needed, and at least one");
    FAILS(gnd_interp(v5, empty, empty, NULL, NULL, 0), GND_ERR_SHAPE, "interp: xp has 0 elements");
    FAILS(gnd_interp(z5, v5, v5, NULL, NULL, 0), GND_ERR_DTYPE, "interp: x is complex64");
    FAILS(gnd_interp(v5, v5, v5, v5, NULL, 0), GND_ERR_SHAPE,
          "interp: left has shape (5,): one number is needed");
    FAILS(gnd_interp(v5, v5, v5, NULL, gnd_complex(0, 1), 0), GND_ERR_DTYPE,
          "interp: right is complex, fp is not");
    FAILS(gnd_interp(v5, v5, v5, NULL, NULL, NAN), GND_ERR_ARG, "interp: the period is nan");
    FAILS(gnd_interp(v5, v5, far, NULL, NULL, 0), GND_ERR_DEVICE, "interp: arrays of two devices");
    FAILS(gnd_interp(v5, v5, v5, broken, NULL, 0), GND_ERR_SHAPE, "reshape");
}

static void counts(void)
{
    FAILS(gnd_bincount(v5, NULL, 0), GND_ERR_DTYPE,
          "bincount: x is float32: ints or bools are needed");
    FAILS(gnd_bincount(gnd_astype(a34, GND_INT32), NULL, 0), GND_ERR_SHAPE,
          "bincount: x has shape (3, 4)");
    FAILS(gnd_bincount(i5, NULL, -1), GND_ERR_ARG, "bincount: -1 bins");
    FAILS(gnd_bincount_of(i5, gnd_at(v5, "1:"), 3), GND_ERR_SHAPE,
          "bincount_of: weights has shape (4,), x (5,): the same is needed");
    FAILS(gnd_bincount_of(i5, z5, 3), GND_ERR_DTYPE, "bincount_of: weights is complex64");
    FAILS(gnd_bincount_of(i5, NULL, INT64_MAX / 4), GND_ERR_OVERFLOW, "does not fit 64 bits");
    FAILS(gnd_bincount_of(NULL, NULL, 3), GND_ERR_NULL, "bincount_of: x is NULL");
}

static void histogram(const char *text, gnd_status code, gnd_array *x, int64_t bins,
                      const double *range, gnd_array *edges, gnd_array *weights, unsigned flags)
{
    gnd_array *out[2];
    gnd_status st = gnd_histogram(x, bins, range, edges, weights, flags, out);
    tap_is_int(st, code, "histogram: %s", text);
    expect_error("its counts", out[0], code, text);
    expect_error("its edges", out[1], code, text);
}

static void histograms(void)
{
    gnd_array *out[3], *two[2] = {v5, v5}, *uneven[2] = {v5, gnd_at(v5, "1:")};
    const int64_t bins[2] = {3, 4};
    histogram("histogram: x is complex64", GND_ERR_DTYPE, z5, 3, NULL, NULL, NULL, 0);
    histogram("histogram: 0 bins: at least 1 is needed", GND_ERR_ARG, v5, 0, NULL, NULL, NULL, 0);
    histogram("the range 2 to 1: finite numbers in order", GND_ERR_ARG, v5, 3, (double[]){2, 1},
              NULL, NULL, 0);
    histogram("the range 0 to inf", GND_ERR_ARG, v5, 3, (double[]){0, INFINITY}, NULL, NULL, 0);
    histogram("edges has shape (3, 4)", GND_ERR_SHAPE, v5, 3, NULL, a34, NULL, 0);
    histogram("edges has shape (0,)", GND_ERR_SHAPE, v5, 3, NULL, empty, NULL, 0);
    histogram("edges is complex64", GND_ERR_DTYPE, v5, 3, NULL, z5, NULL, 0);
    histogram("weights has shape (3, 4), x (5,)", GND_ERR_SHAPE, v5, 3, NULL, NULL, a34, 0);
    histogram("flags 0x6: 0 and GND_DENSITY are possible", GND_ERR_ARG, v5, 3, NULL, NULL, NULL, 6);
    histogram("arrays of two devices", GND_ERR_DEVICE, v5, 3, NULL, far, NULL, 0);
    histogram("reshape", GND_ERR_SHAPE, broken, 3, NULL, NULL, NULL, 0);
    tap_is_int(gnd_histogram(v5, 3, NULL, NULL, NULL, 0, NULL), GND_ERR_NULL,
               "histogram: no place for the result");
    FAILS(gnd_histogram_bin_edges(v5, -1, NULL), GND_ERR_ARG, "histogram_bin_edges: -1 bins");
    tap_is_int(gnd_histogramdd(2, uneven, bins, NULL, NULL, NULL, 0, out), GND_ERR_SHAPE,
               "histogramdd: two lengths");
    expect_error("all of its results", out[2], GND_ERR_SHAPE,
                 "histogramdd: the coordinates must be 1-d arrays of one length");
    tap_is_int(gnd_histogramdd(2, two, NULL, NULL, NULL, NULL, 0, out), GND_ERR_NULL,
               "histogramdd: no bins");
    tap_is_int(gnd_histogramdd(0, two, bins, NULL, NULL, NULL, 0, out), GND_ERR_ARG,
               "histogramdd: no dimensions");
    tap_is_int(gnd_histogramdd(2, NULL, bins, NULL, NULL, NULL, 0, out), GND_ERR_NULL,
               "histogramdd: no coordinates");
    tap_is_int(gnd_histogramdd(2, two, (int64_t[]){INT64_MAX / 64, 64}, NULL, NULL, NULL, 0, out),
               GND_ERR_OVERFLOW, "histogramdd: too many bins");
    tap_is_int(gnd_histogramdd(2, two, bins, NULL, NULL, a34, 0, out), GND_ERR_SHAPE,
               "histogramdd: odd weights");
    /* what nothing is wrong with, and float32 where there is no float64 */
    tap_is_int(gnd_histogramdd(2, two, bins, NULL, NULL, NULL, 0, out), GND_OK, "histogramdd");
    tap_is_int(gnd_dim(out[0], 1), 4, "its shape");
    tap_is_int(gnd_histogram(gnd_astype(far, GND_INT32), 4, NULL, NULL, NULL, GND_DENSITY, out),
               GND_OK, "without float64");
    tap_is_int(gnd_dtype_of(out[0]), GND_FLOAT32, "densities are float32");
    tap_is_int(gnd_dtype_of(out[1]), GND_FLOAT32, "and edges");
}

static void said(void)
{
    static const struct {
        const char *text;
        gnd_status code;
        const char *want;
    } cases[] = {
        {"searchsorted(v, 1, side='up')", GND_ERR_ARG,
         "searchsorted: side must be 'left' or 'right', not 'up'"},
        {"interp(1, v, v, period=0)", GND_ERR_ARG, "interp: the period is 0"},
        {"histogram(v, 'auto')[0]", GND_ERR_TYPE,
         "histogram: bins must be a number of bins or their edges, not"},
        {"histogram(v, 3, 1)[0]", GND_ERR_TYPE, "histogram: range must be two numbers, not an int"},
        {"histogram2d(v, v, 3, [1, 2])[0]", GND_ERR_TYPE,
         "range must be a pair of numbers for each dimension"},
        {"histogramdd(v)[0]", GND_ERR_TYPE,
         "histogramdd: sample must be rows of 1 to 32 coordinates"},
        {"bincount(v)", GND_ERR_DTYPE, "bincount: x is float32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gnd_array *y = gnd_eval(dev, cases[i].text, "v", v5, NULL);
        expect_error(cases[i].text, y, cases[i].code, cases[i].want);
        gnd_release(y);
    }
}

int main(void)
{
    dev = gnd_open("null:0");
    dev32 = gnd_open("null:1");
    gnd_scope_begin();
    gnd_int(1);
    gnd_scope_begin();
    gnd_int(1);
    gnd_scope_end(); /* an ended scope is kept for the next, the outermost one and one more */
    gnd_scope_end();
    long live = gnd__mem_live();
    gnd_scope_begin();
    a34 = gnd_zeros(dev, GND_FLOAT32, DIM(3, 4));
    v5 = gnd_zeros(dev, GND_FLOAT32, DIM(5));
    z5 = gnd_zeros(dev, GND_COMPLEX64, DIM(5));
    i5 = gnd_zeros(dev, GND_INT32, DIM(5));
    empty = gnd_zeros(dev, GND_FLOAT32, DIM(0));
    far = gnd_zeros(dev32, GND_FLOAT32, DIM(5));
    broken = gnd_reshape(v5, DIM(7));
    searches();
    counts();
    histograms();
    said();
    gnd_scope_end();
    tap_is_int(gnd__mem_live(), live, "nothing is left");
    gnd_close(dev);
    gnd_close(dev32);
    return tap_done();
}
