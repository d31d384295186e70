/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_scan.c - running sums, products and extremes, and unwrap, without a device: shapes, dtypes,
 * every error, the kernels of a plan and what they read and write, lengths beyond 2^31.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "expect.h"
#include "tap.h"

static gnd_device *dev;

static gnd_array *sum(gnd_array *x, gnd_axes axis, unsigned flags)
{
    return gnd_cumulative_sum(x, axis, flags, GND_DTYPE_DEFAULT);
}

static void shapes(void)
{
    const int64_t d[3] = {3, 4, 5}, longer[3] = {3, 5, 5}, flat = 60, flat1 = 61, none[2] = {0, 4};
    gnd_array *x = gnd_zeros(dev, GND_INT16, 3, d), *e = gnd_zeros(dev, GND_FLOAT32, 2, none);
    expect_array(sum(x, GND_AXIS(1), 0), GND_INT64, 3, d,
                 "a sum has the shape of x, int16 becomes int64");
    expect_array(sum(x, GND_AXIS(-2), GND_INCLUDE_INITIAL), GND_INT64, 3, longer,
                 "one element more");
    expect_array(sum(x, GND_ALL, 0), GND_INT64, 1, &flat, "flattened");
    expect_array(gnd_cumulative_prod(x, GND_ALL, GND_INCLUDE_INITIAL, GND_UINT8), GND_UINT8, 1,
                 &flat1, "flattened, one more, in uint8");
    expect_array(gnd_cummax(x, GND_AXIS(0)), GND_INT16, 3, d, "cummax keeps the dtype");
    expect_array(gnd_nancumsum(x, GND_ALL, GND_DTYPE_DEFAULT), GND_INT64, 1, &flat, "nancumsum");
    expect_array(sum(e, GND_AXIS(0), 0), GND_FLOAT32, 2, none, "of nothing");
    expect_array(sum(e, GND_AXIS(0), GND_INCLUDE_INITIAL), GND_FLOAT32, 2, (int64_t[]){1, 4},
                 "of nothing, one more");
    expect_array(sum(e, GND_AXIS(1), GND_INCLUDE_INITIAL), GND_FLOAT32, 2, (int64_t[]){0, 5},
                 "nothing along another axis");
    expect_array(sum(gnd_astype(x, GND_UINT32), GND_AXIS(0), 0), GND_UINT64, 3, d,
                 "uint32 becomes uint64");
    expect_array(sum(gnd_astype(x, GND_BOOL), GND_AXIS(0), 0), GND_INT64, 3, d,
                 "bool becomes int64");
    expect_array(sum(gnd_astype(x, GND_FLOAT16), GND_AXIS(0), 0), GND_FLOAT16, 3, d,
                 "float16 stays");
    expect_array(gnd_unwrap(x, NULL, 0, NULL), GND_FLOAT64, 3, d, "unwrap of ints by 2 pi");
    expect_array(gnd_unwrap(x, NULL, -1, gnd_int(360)), GND_INT16, 3, d,
                 "unwrap of ints by an int");
    expect_array(gnd_unwrap(gnd_astype(x, GND_FLOAT32), gnd_int(4), 1, gnd_int(7)), GND_FLOAT32, 3,
                 d, "unwrap of floats by an int");
    expect_array(gnd_unwrap(gnd_astype(x, GND_BOOL), NULL, 1, gnd_int(7)), GND_INT64, 3, d,
                 "unwrap of bools");
    expect_array(gnd_unwrap(e, NULL, 0, NULL), GND_FLOAT32, 2, none, "unwrap of nothing");
}

static void errors(void)
{
    const int64_t d[2] = {3, 4};
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, d), *z = gnd_zeros(dev, GND_COMPLEX64, 2, d);
    expect_message(sum(NULL, GND_AXIS(0), 0), GND_ERR_NULL, "cumulative_sum: x is NULL");
    expect_message(sum(gnd_real(1), GND_ALL, 0), GND_ERR_DEVICE,
                   "cumulative_sum: x is a scalar and has no device: give it one with gnd_asarray");
    expect_message(sum(x, GND_AXIS(2), 0), GND_ERR_AXIS,
                   "cumulative_sum: axis 2 is out of range for 2 dimensions");
    expect_message(sum(x, GND_AXES(0, 1), 0), GND_ERR_AXIS,
                   "cumulative_sum: 2 axes: it takes one, or GND_ALL");
    expect_message(sum(x, GND_NO_AXES, 0), GND_ERR_AXIS,
                   "cumulative_sum: 0 axes: it takes one, or GND_ALL");
    expect_message(sum(x, GND_AXIS(0), 1), GND_ERR_ARG,
                   "cumulative_sum: flags 0x1: 0 and GND_INCLUDE_INITIAL are possible");
    expect_message(gnd_cumulative_prod(x, GND_AXIS(0), 0, (gnd_dtype)77), GND_ERR_DTYPE,
                   "cumulative_prod: 77 is no dtype");
    expect_message(gnd_cumulative_prod(z, GND_AXIS(0), 0, GND_FLOAT32), GND_ERR_DTYPE,
                   "cumulative_prod: complex64 to float32 drops the imaginary part: take "
                   "gnd_real_part, gnd_imag_part or gnd_abs");
    expect_message(gnd_cummax(x, GND_AXIS(-3)), GND_ERR_AXIS,
                   "cummax: axis -3 is out of range for 2 dimensions");
    expect_message(gnd_cummin(NULL, GND_ALL), GND_ERR_NULL, "cummin: x is NULL");
    expect_message(gnd_nancumsum(x, GND_AXIS(9), GND_DTYPE_DEFAULT), GND_ERR_AXIS,
                   "nancumsum: axis 9 is out of range for 2 dimensions");
    expect_message(gnd_nancumprod(NULL, GND_ALL, GND_DTYPE_DEFAULT), GND_ERR_NULL,
                   "nancumprod: x is NULL");
    expect_message(gnd_unwrap(NULL, NULL, 0, NULL), GND_ERR_NULL, "unwrap: x is NULL");
    expect_message(gnd_unwrap(x, NULL, 2, NULL), GND_ERR_AXIS,
                   "unwrap: axis 2 is out of range for 2 dimensions");
    expect_message(gnd_unwrap(z, NULL, 0, NULL), GND_ERR_DTYPE,
                   "unwrap: x has complex64: angles are real");
    expect_message(
        gnd_unwrap(x, x, 0, NULL), GND_ERR_ARG,
        "unwrap: discont must be a real scalar (gnd_real, gnd_int), not an array of a device");
    expect_message(gnd_unwrap(x, NULL, 0, gnd_complex(1, 2)), GND_ERR_ARG,
                   "unwrap: period must be a real scalar (gnd_real, gnd_int), not a complex one");
    expect_message(
        gnd_unwrap(gnd_astype(x, GND_UINT8), NULL, 0, gnd_int(7)), GND_ERR_DTYPE,
        "unwrap: x has uint8, and steps back are negative: take a signed dtype, or a float period");
    expect_message(gnd_unwrap(gnd_fail(GND_ERR_IO, "gone"), NULL, 0, NULL), GND_ERR_IO, "gone");
    gnd_array *vast =
        gnd_broadcast_to(gnd_zeros(dev, GND_BOOL, 0, NULL), 1, (int64_t[]){INT64_MAX});
    expect_message(sum(vast, GND_ALL, GND_INCLUDE_INITIAL), GND_ERR_OVERFLOW,
                   "cumulative_sum: axis 0: one element more does not fit 64 bits");
}

/* The plan's last line. */
static void plan(gnd_array *x, const char *want, const char *what)
{
    gnd_status st;
    char *text = gnd_explain(1, &x, 0, &st), *last = text;
    for (char *p = text; p && *p; p++)
        if (*p == '\n' && p[1])
            last = p + 1;
    if (last && strchr(last, '\n'))
        *strchr(last, '\n') = 0;
    if (!tap_ok(last && !strncmp(last, want, strlen(want)), "%s: %s", what, want))
        tap_diag("%s %s", gnd_status_name(st), last ? last : "");
    free(text);
}

static void plans(void)
{
    const int64_t n = (int64_t)3 << 30, rows[2] = {1 << 16, 1 << 17}, cols[2] = {1 << 13, 1 << 13};
    gnd_array *one = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    gnd_array *x = gnd_positive(gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){1}, (float[]){1}));
    plan(sum(gnd_broadcast_to(x, 1, &n), GND_ALL, 0), "3 kernels, 0 calls", "3 * 2^30 elements");
    plan(sum(gnd_broadcast_to(x, 2, rows), GND_AXIS(1), 0), "1 kernels, 0 calls",
         "rows, 2^33 elements");
    plan(sum(gnd_broadcast_to(x, 2, rows), GND_AXIS(0), 0), "1 kernels, 0 calls",
         "columns, 2^33 elements");
    plan(sum(gnd_broadcast_to(x, 2, cols), GND_AXIS(0), 0), "3 kernels, 0 calls", "few columns");
    plan(sum(gnd_sin(gnd_broadcast_to(one, 2, cols)), GND_AXIS(1), 0), "1 kernels, 0 calls",
         "an expression is read once, in the kernel");
    plan(gnd_cummax(x, GND_ALL), "1 kernels, 0 calls", "one element is its own maximum");
}

/* Where groups may wait for those that started before them: one kernel behind one that clears. */
static void waiting(void)
{
    const int64_t n = (int64_t)3 << 30, short_rows[2] = {1 << 16, 1 << 12},
                  rows[2] = {1 << 16, 1 << 17};
    const int64_t few[2] = {1 << 13, 3}, vast[2] = {1 << 20, 1 << 17};
    gnd_array *x = gnd_positive(gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){1}, (float[]){1}));
    plan(sum(gnd_broadcast_to(x, 1, &n), GND_ALL, 0), "2 kernels, 0 calls",
         "waiting: 3 * 2^30 elements");
    plan(sum(gnd_broadcast_to(x, 2, rows), GND_AXIS(1), 0), "2 kernels, 0 calls",
         "waiting: rows, 2^33 elements");
    plan(sum(gnd_broadcast_to(x, 2, short_rows), GND_AXIS(1), 0), "1 kernels, 0 calls",
         "waiting: rows of a tile");
    plan(sum(gnd_broadcast_to(x, 2, vast), GND_AXIS(1), 0), "1 kernels, 0 calls",
         "waiting: too many tiles");
    plan(sum(gnd_broadcast_to(x, 2, few), GND_AXIS(0), 0), "3 kernels, 0 calls",
         "waiting: columns");
}

int main(void)
{
    /* the kernels are those for GPUs whatever the machine */
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    dev = gnd_open("null:0");
    gnd_scope_begin();
    shapes();
    errors();
    plans();
    gnd_scope_end();
    gnd_close(dev);
    dev = gnd_open("null:2");
    gnd_scope_begin();
    waiting();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
