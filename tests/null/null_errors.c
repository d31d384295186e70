/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_errors.c - wrong arguments, on the null device: each gives the error that the headers
 * promise, with a message that names what was given; a NULL anywhere is an error and no crash; an
 * error passes through every function; nothing is left behind.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "graph/graph.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev, *dev32;
static gnd_array *a34, *c4, *v3, *point, *empty, *broken;

#define BIG ((int64_t)1 << 40)

#define GIVES(call, code) tap_is_int(call, code, "%s", #call)

/* What a plan reads when it is made may have changed since the device was opened. */
static void variables(void)
{
    static const char *const pair[][3] = {
        {"GND_SOLVER", "fast", "GND_SOLVER=fast: not large, lapack or blocked"},
        {"GND_KERNEL_SHAPE", "round", "GND_KERNEL_SHAPE=round: not cpu, gpu"}};
    gnd_scope_begin();
    for (int i = 0; i < 2; i++) {
        gnd_array *x = gnd_empty(dev, GND_FLOAT32, DIM(3, 4));
        x = i ? gnd_square(x) : gnd_negative(x);
        setenv(pair[i][0], pair[i][1], 1);
        GIVES(gnd_wait(x), GND_ERR_ARG);
        tap_has_str(gnd_error(x), pair[i][2], "%s=%s", pair[i][0], pair[i][1]);
        unsetenv(pair[i][0]);
        GIVES(gnd_wait(x), GND_OK);
    }
    gnd_scope_end();
}

static void elementwise(void)
{
    gnd_array *b = gnd_empty(dev, GND_FLOAT32, DIM(5, 6)),
              *z = gnd_empty(dev, GND_COMPLEX64, DIM(4)), *u8 = gnd_empty(dev, GND_UINT8, DIM(4)),
              *t = gnd_empty(dev, GND_BOOL, DIM(4)), *far = gnd_empty(dev32, GND_FLOAT32, DIM(4)),
              *wide = gnd_broadcast_to(c4, DIM(BIG / 8, 1, 4)),
              *tall = gnd_broadcast_to(gnd_expand_dims(c4, GND_AXIS(-1)), DIM(1, 4, BIG / 8));
    FAILS(gnd_add(a34, b), GND_ERR_SHAPE,
          "add: shapes (3, 4) and (5, 6) do not broadcast: axis 0 has 3 and 5");
    FAILS(gnd_add(a34, v3), GND_ERR_SHAPE, "axis -1 has 4 and 3");
    FAILS(gnd_where(t, a34, v3), GND_ERR_SHAPE, "where: shapes (4,) and (3,) do not broadcast");
    FAILS(gnd_where(point, a34, v3), GND_ERR_SHAPE, "where: shapes (3, 4) and (3,)");
    FAILS(gnd_multiply(wide, gnd_broadcast_to(tall, DIM(BIG / 8, 4, BIG / 8))), GND_ERR_OVERFLOW,
          "does not fit 64 bits");
    FAILS(gnd_bitwise_and(c4, u8), GND_ERR_DTYPE,
          "bitwise_and: float32 is not allowed: bools and ints only");
    FAILS(gnd_bitwise_left_shift(u8, gnd_real(1)), GND_ERR_DTYPE, "bitwise_left_shift: float64");
    FAILS(gnd_subtract(t, t), GND_ERR_DTYPE,
          "subtract: bool is not allowed: ints, floats and complex only: take gnd_logical_xor");
    FAILS(gnd_negative(t), GND_ERR_DTYPE, "gnd_logical_not");
    FAILS(gnd_floor(z), GND_ERR_DTYPE,
          "floor: complex64 is not allowed: bools, ints and floats only");
    FAILS(gnd_atan2(z, z), GND_ERR_DTYPE, "gnd_abs first");
    FAILS(gnd_bitwise_invert(gnd_real(2)), GND_ERR_DTYPE, "bitwise_invert: float64 is not allowed");
    FAILS(gnd_add(u8, gnd_int(300)), GND_ERR_OVERFLOW, "add: the scalar 300 does not fit uint8");
    FAILS(gnd_add(gnd_int(-1), u8), GND_ERR_OVERFLOW, "add: the scalar -1 does not fit uint8");
    FAILS(gnd_clip(u8, gnd_int(-1), gnd_int(9)), GND_ERR_OVERFLOW, "clip: the scalar -1");
    FAILS(gnd_add(c4, far), GND_ERR_DEVICE,
          "add: arrays of two devices, null:0 and null:1: move one with gnd_to_device");
    FAILS(gnd_astype(z, GND_FLOAT32), GND_ERR_DTYPE, "gnd_real_part");
    FAILS(gnd_astype(c4, (gnd_dtype)99), GND_ERR_DTYPE, "astype: 99 is no dtype");
    FAILS(gnd_astype(c4, GND_DTYPE_DEFAULT), GND_ERR_DTYPE, "astype: -1 is no dtype");
    FAILS(gnd_astype(far, GND_FLOAT64), GND_ERR_UNSUPPORTED,
          "astype: float64: the device null:1 has no float64: take float32");
    FAILS(gnd_astype(far, GND_COMPLEX128), GND_ERR_UNSUPPORTED, "take complex64");
    FAILS(gnd_astype(gnd_real(300), GND_INT8), GND_ERR_OVERFLOW,
          "the scalar 300 does not fit int8");
}

static void creation(void)
{
    static const char big_text[] = "the number of bytes does not fit 64 bits";
    float f = 0;
    int64_t many[40] = {0};
    FAILS(gnd_zeros(dev, GND_FLOAT32, DIM(3, -1)), GND_ERR_SHAPE,
          "zeros: shape (3, -1): axis 1 has a negative extent");
    FAILS(gnd_zeros(dev, GND_FLOAT32, 33, many), GND_ERR_SHAPE, "zeros: 33 dimensions");
    FAILS(gnd_ones(dev, GND_FLOAT32, -1, many), GND_ERR_SHAPE, "ones: -1 dimensions");
    FAILS(gnd_zeros(dev, GND_FLOAT64, DIM(BIG, BIG)), GND_ERR_OVERFLOW, big_text);
    FAILS(gnd_zeros(dev, GND_FLOAT64, DIM(INT64_MAX)), GND_ERR_OVERFLOW, big_text);
    FAILS(gnd_zeros(dev, GND_FLOAT64, DIM(0, BIG, BIG)), GND_ERR_OVERFLOW, big_text);
    FAILS(gnd_zeros(dev, (gnd_dtype)-5, DIM(2)), GND_ERR_DTYPE, "-5 is no dtype");
    FAILS(gnd_zeros(dev32, GND_FLOAT64, DIM(2)), GND_ERR_UNSUPPORTED, "null:1 has no float64");
    FAILS(gnd_from(dev, GND_FLOAT32, DIM(2), NULL), GND_ERR_NULL, "from: data is NULL");
    FAILS(gnd_from(dev, GND_FLOAT32, 1, NULL, &f), GND_ERR_NULL, "from: the shape is NULL");
    FAILS(gnd_from(dev32, GND_COMPLEX128, 0, NULL, &f), GND_ERR_UNSUPPORTED, "from: complex128");
    FAILS(gnd_full(dev, GND_INT8, DIM(2), gnd_int(200)), GND_ERR_OVERFLOW,
          "full: the scalar 200 does not fit int8");
    FAILS(gnd_full(dev, GND_INT64, DIM(2), gnd_real(NAN)), GND_ERR_OVERFLOW,
          "full: the scalar nan");
    FAILS(gnd_full(dev, GND_FLOAT32, DIM(2), gnd_complex(1, 2)), GND_ERR_DTYPE, "1+2j");
    FAILS(gnd_full(dev, GND_FLOAT32, DIM(2), v3), GND_ERR_SHAPE, "full: the value has shape (3,)");
    FAILS(gnd_full(dev32, GND_FLOAT32, DIM(2), point), GND_ERR_DEVICE,
          "full: the value is of null:0");
    FAILS(gnd_asarray(dev32, c4, GND_DTYPE_DEFAULT), GND_ERR_DEVICE, "asarray: an array of null:0");
    FAILS(gnd_zeros_like(gnd_int(1), GND_INT8), GND_ERR_DEVICE, "gnd_asarray");
    FAILS(gnd_arange_i64(dev, 0, 5, 0, GND_DTYPE_DEFAULT), GND_ERR_ARG, "arange: the step is 0");
    FAILS(gnd_arange_f64(dev, 0, 5, 0, GND_DTYPE_DEFAULT), GND_ERR_ARG, "arange: the step is 0");
    FAILS(gnd_arange_f64(dev, 0, NAN, 1, GND_DTYPE_DEFAULT), GND_ERR_ARG, "has no length");
    FAILS(gnd_arange_f64(dev, 0, INFINITY, 1, GND_DTYPE_DEFAULT), GND_ERR_OVERFLOW, "arange:");
    FAILS(gnd_arange_i64(dev, INT64_MIN, INT64_MAX, 1, GND_INT8), GND_ERR_OVERFLOW, "arange:");
    FAILS(gnd_arange(dev, point, gnd_int(1), gnd_int(1), GND_INT8), GND_ERR_ARG,
          "start is an array");
    FAILS(gnd_arange(dev, gnd_int(1), gnd_complex(0, 1), gnd_int(1), GND_INT8), GND_ERR_DTYPE,
          "arange: stop is complex");
    FAILS(gnd_linspace(dev, gnd_int(0), gnd_int(1), -1, 1, GND_FLOAT32), GND_ERR_ARG,
          "-1 elements");
    FAILS(gnd_linspace(dev, gnd_complex(0, 1), gnd_int(1), 2, 1, GND_FLOAT32), GND_ERR_DTYPE,
          "float32");
    FAILS(gnd_eye(dev, GND_FLOAT32, -2, 3, 0), GND_ERR_SHAPE, "eye: shape (-2, 3)");
    FAILS(gnd_eye(dev, GND_FLOAT32, BIG, BIG, 0), GND_ERR_OVERFLOW, "eye:");
    FAILS(gnd_tril(v3, 0), GND_ERR_SHAPE, "tril: shape (3,): at least 2");
    gnd_array *out[2], *grid[2] = {a34, v3};
    GIVES(gnd_meshgrid(2, grid, 1, out), GND_ERR_SHAPE);
    expect_error("meshgrid: its results say why", out[1], GND_ERR_SHAPE,
                 "meshgrid: x[0] has shape (3, 4)");
    GIVES(gnd_meshgrid(0, grid, 1, out), GND_ERR_ARG);
    GIVES(gnd_meshgrid(2, NULL, 1, out), GND_ERR_NULL);
    GIVES(gnd_meshgrid(2, grid, 1, NULL), GND_ERR_NULL);
}

static void views(void)
{
    int64_t ones[GND_MAX_NDIM];
    for (int i = 0; i < GND_MAX_NDIM; i++)
        ones[i] = 1;
    gnd_array *full = gnd_reshape(point, GND_MAX_NDIM, ones), *out[2], *pair[2] = {a34, v3};
    FAILS(gnd_at(a34, "3"), GND_ERR_INDEX, "at: index 3 is out of range for axis 0 with extent 3");
    FAILS(gnd_at(a34, "0, -5"), GND_ERR_INDEX, "index -5 is out of range for axis 1");
    FAILS(gnd_at(a34, "99999999999999999999"), GND_ERR_INDEX, "out of range");
    FAILS(gnd_at(a34, "0,0,0"), GND_ERR_INDEX, "at: 3 indices for an array of 2 dimensions");
    FAILS(gnd_at(a34, "..., ..."), GND_ERR_INDEX, "2 ellipses");
    FAILS(gnd_at(a34, "1:2:0"), GND_ERR_ARG, "the step of a slice is 0");
    FAILS(gnd_at(a34, ""), GND_ERR_SYNTAX, "at: \"\"");
    FAILS(gnd_at(a34, "1, x"), GND_ERR_SYNTAX, "column 4: 'x'");
    FAILS(gnd_at(a34, "1 2"), GND_ERR_SYNTAX, "column 3: '2'");
    FAILS(gnd_at(a34, "1:2:3:4"), GND_ERR_SYNTAX, "column 6: ':'");
    FAILS(gnd_at(a34, ",1"), GND_ERR_SYNTAX, "column 1: ','");
    FAILS(gnd_at(a34, "1.5"), GND_ERR_SYNTAX, "column 2: '.'");
    FAILS(gnd_at(a34, "-"), GND_ERR_SYNTAX, "'-'");
    FAILS(gnd_at(a34, "Nonesuch"), GND_ERR_SYNTAX, "'N'");
    FAILS(gnd_at(full, "None, ..."), GND_ERR_SHAPE, "over 32 dimensions");
    FAILS(gnd_at(gnd_int(3), "0"), GND_ERR_DEVICE, "is a scalar");
    FAILS(gnd_index(a34, 1, (gnd_range[]){{.kind = 9}}), GND_ERR_ARG,
          "entry 0 has the unknown kind 9");
    FAILS(gnd_index(a34, -1, NULL), GND_ERR_ARG, "-1 entries");
    FAILS(gnd_index(a34, 1, NULL), GND_ERR_NULL, "index is NULL");
    FAILS(gnd_reshape(a34, DIM(5, 2)), GND_ERR_SHAPE,
          "reshape: cannot reshape array of size 12 and shape (3, 4) into shape (5, 2)");
    FAILS(gnd_reshape(a34, DIM(5, -1)), GND_ERR_SHAPE, "into shape (5, -1)");
    FAILS(gnd_reshape(a34, DIM(-1, -1)), GND_ERR_SHAPE, "can only specify one unknown dimension");
    FAILS(gnd_reshape(a34, DIM(-2, 6)), GND_ERR_SHAPE, "negative extent");
    FAILS(gnd_reshape(empty, DIM(0, -1)), GND_ERR_SHAPE, "into shape (0, -1)");
    FAILS(gnd_reshape(a34, DIM(BIG, BIG)), GND_ERR_OVERFLOW, "reshape:");
    FAILS(gnd_reshape(a34, 33, ones), GND_ERR_SHAPE, "33 dimensions");
    FAILS(gnd_reshape(a34, 1, NULL), GND_ERR_NULL, "the shape is NULL");
    FAILS(gnd_permute_dims(a34, (int[]){0, 0}), GND_ERR_AXIS,
          "permute_dims: axis 0 is named twice");
    FAILS(gnd_permute_dims(a34, (int[]){0, 2}), GND_ERR_AXIS,
          "permute_dims: axis 2 is out of range for 2 dimensions");
    FAILS(gnd_mT(v3), GND_ERR_SHAPE, "mT: shape (3,)");
    FAILS(gnd_swapaxes(a34, 0, -3), GND_ERR_AXIS, "swapaxes: axis -3");
    FAILS(gnd_moveaxis(a34, 1, (int[]){5}, (int[]){0}), GND_ERR_AXIS, "moveaxis: axis 5");
    FAILS(gnd_moveaxis(a34, 2, (int[]){0, -2}, (int[]){0, 1}), GND_ERR_AXIS,
          "axis -2 is named twice");
    FAILS(gnd_moveaxis(a34, 3, NULL, NULL), GND_ERR_AXIS, "moveaxis: 3 axes");
    FAILS(gnd_moveaxis(a34, 1, NULL, (int[]){0}), GND_ERR_NULL, "moveaxis: the list");
    FAILS(gnd_sum(a34, GND_AXIS(32), 0), GND_ERR_AXIS, "sum: axis");
    FAILS(gnd_flip(a34, GND_AXIS(-40)), GND_ERR_AXIS, "flip: axis");
    FAILS(gnd_max(a34, GND_AXIS(5000000000u), 0), GND_ERR_AXIS, "max: axis");
    FAILS(gnd_expand_dims(a34, GND_AXIS(4)), GND_ERR_AXIS,
          "expand_dims: axis 4 is out of range for 3");
    FAILS(gnd_expand_dims(a34, GND_AXES(0, -4)), GND_ERR_AXIS, "named twice");
    FAILS(gnd_expand_dims(a34, GND_ALL), GND_ERR_AXIS, "GND_ALL");
    FAILS(gnd_expand_dims(full, GND_AXIS(0)), GND_ERR_SHAPE, "33 dimensions");
    FAILS(gnd_squeeze(a34, GND_AXIS(1)), GND_ERR_SHAPE,
          "squeeze: axis 1 of shape (3, 4) has extent 4");
    FAILS(gnd_squeeze(a34, GND_AXIS(2)), GND_ERR_AXIS, "squeeze: axis 2");
    FAILS(gnd_flip(a34, GND_AXIS(-3)), GND_ERR_AXIS, "flip: axis -3 is out of range for 2");
    FAILS(gnd_broadcast_to(a34, DIM(3)), GND_ERR_SHAPE,
          "broadcast_to: shape (3, 4) does not broadcast to (3,)");
    FAILS(gnd_broadcast_to(a34, DIM(2, 4)), GND_ERR_SHAPE, "to (2, 4)");
    FAILS(gnd_broadcast_to(c4, DIM(BIG, BIG, 4)), GND_ERR_OVERFLOW, "broadcast_to:");
    GIVES(gnd_broadcast_arrays(2, pair, out), GND_ERR_SHAPE);
    expect_error("broadcast_arrays: its results say why", out[0], GND_ERR_SHAPE,
                 "axis -1 has 4 and 3");
    GIVES(gnd_broadcast_arrays(2, pair, NULL), GND_ERR_NULL);
    FAILS(gnd_diagonal(v3, 0, 0, 1), GND_ERR_SHAPE, "diagonal: shape (3,)");
    FAILS(gnd_diagonal(a34, 0, 1, -1), GND_ERR_AXIS, "named twice");
    FAILS(gnd_diagonal(a34, 0, 0, 2), GND_ERR_AXIS, "diagonal: axis 2");
}

static void joins(void)
{
    gnd_array *far = gnd_empty(dev32, GND_FLOAT32, DIM(3)),
              *wide = gnd_broadcast_to(point, DIM(INT64_MAX / 4));
    gnd_array *l[2] = {a34, v3}, *m[2] = {a34, gnd_empty(dev, GND_FLOAT32, DIM(3, 5))},
              *p[2] = {point, v3}, *w[2] = {wide, wide}, *d[2] = {v3, far}, *n[2] = {v3, NULL},
              *b[2] = {v3, broken}, *s[2] = {gnd_int(1), gnd_real(2)}, *out[3];
    FAILS(gnd_concat(2, l, 0), GND_ERR_SHAPE, "concat: shapes (3, 4) and (3,): 2 and 1 dimensions");
    FAILS(gnd_concat(2, m, 0), GND_ERR_SHAPE,
          "concat: shapes (3, 4) and (3, 5): axis 1 has 4 and 5");
    FAILS(gnd_concat(2, m, 2), GND_ERR_AXIS, "concat: axis 2");
    FAILS(gnd_concat(2, p, 0), GND_ERR_SHAPE, "concat: x[0] has no dimensions");
    FAILS(gnd_concat(2, w, 0), GND_ERR_OVERFLOW, "concat:");
    FAILS(gnd_concat(2, d, 0), GND_ERR_DEVICE, "concat: arrays of two devices");
    FAILS(gnd_concat(2, n, 0), GND_ERR_NULL, "concat: x[1] is NULL");
    FAILS(gnd_concat(2, b, 0), GND_ERR_IO, "my own");
    FAILS(gnd_concat(0, l, 0), GND_ERR_ARG, "concat: 0 arrays");
    FAILS(gnd_concat(2, NULL, 0), GND_ERR_NULL, "concat: the list");
    FAILS(gnd_concat_flat(2, w), GND_ERR_OVERFLOW, "concat_flat:");
    FAILS(gnd_concat_flat(2, n), GND_ERR_NULL, "concat_flat: x[1]");
    FAILS(gnd_concat_flat(1, NULL), GND_ERR_NULL, "concat_flat: the list");
    FAILS(gnd_concat_flat(2, s), GND_ERR_DEVICE, "concat_flat: only scalars");
    FAILS(gnd_stack(2, l, 0), GND_ERR_SHAPE, "stack: shapes (3, 4) and (3,) are not the same");
    FAILS(gnd_stack(2, d, 0), GND_ERR_DEVICE, "stack:");
    FAILS(gnd_stack(1, l, 3), GND_ERR_AXIS, "stack: axis 3");
    FAILS(gnd_stack(1, NULL, 0), GND_ERR_NULL, "stack: the list");
    GIVES(gnd_unstack(a34, 2, out), GND_ERR_AXIS);
    GIVES(gnd_unstack(a34, 0, NULL), GND_ERR_NULL);
    GIVES(gnd_unstack(NULL, 0, out), GND_ERR_NULL);
    FAILS(gnd_tile(a34, DIM(2, -1)), GND_ERR_ARG, "tile: -1 repetitions");
    FAILS(gnd_tile(a34, 33, NULL), GND_ERR_SHAPE, "tile: 33");
    FAILS(gnd_tile(a34, 1, NULL), GND_ERR_NULL, "tile: the list");
    FAILS(gnd_tile(a34, DIM(INT64_MAX, 1)), GND_ERR_OVERFLOW, "tile: axis 0");
    FAILS(gnd_tile(a34, DIM(BIG, BIG)), GND_ERR_OVERFLOW, "tile:");
    FAILS(gnd_repeat(a34, -1, 0), GND_ERR_ARG, "repeat: -1 times");
    FAILS(gnd_repeat(a34, 1, 2), GND_ERR_AXIS, "repeat: axis 2");
    FAILS(gnd_repeat(a34, INT64_MAX, 1), GND_ERR_OVERFLOW, "repeat: axis 1");
    FAILS(gnd_repeat_each(v3, (int64_t[]){1, -1, 1}, 0), GND_ERR_ARG,
          "repeat_each: element 1 -1 times");
    FAILS(gnd_repeat_each(v3, (int64_t[]){1, INT64_MAX, 1}, 0), GND_ERR_OVERFLOW, "repeat_each:");
    FAILS(gnd_repeat_each(v3, NULL, 0), GND_ERR_NULL, "repeat_each: the list");
    FAILS(gnd_repeat_array(v3, gnd_real(2), 0), GND_ERR_DTYPE,
          "repeat_array: counts of float64: ints only");
    FAILS(gnd_repeat_array(v3, gnd_int(2), 1), GND_ERR_AXIS, "repeat_array: axis 1");
    FAILS(gnd_repeat_array(v3, gnd_int(-2), 0), GND_ERR_ARG, "repeat_array: -2 times");
    FAILS(gnd_repeat_array(v3, NULL, 0), GND_ERR_NULL, "counts is NULL");
    FAILS(gnd_repeat_array(v3, gnd_zeros(gnd_device_of(v3), GND_INT32, 1, (int64_t[]){2}), 0),
          GND_ERR_SHAPE, "repeat_array: counts of shape (2,) for the 3 elements of axis 0");
    FAILS(gnd_roll(a34, 1, (int64_t[]){1}, (int[]){2}), GND_ERR_AXIS, "roll: axis 2");
    FAILS(gnd_roll(a34, -1, NULL, NULL), GND_ERR_ARG, "roll: -1 axes");
    FAILS(gnd_roll(a34, 1, NULL, (int[]){0}), GND_ERR_NULL, "list of shifts");
    FAILS(gnd_roll(a34, 1, (int64_t[]){0}, NULL), GND_ERR_NULL, "list of axes");
}

static void reductions(void)
{
    gnd_array *c = gnd_empty(dev, GND_COMPLEX64, DIM(2));
    FAILS(gnd_sum(a34, GND_AXIS(2), 0), GND_ERR_AXIS,
          "sum: axis 2 is out of range for 2 dimensions");
    FAILS(gnd_sum(a34, GND_AXES(0, -2), 0), GND_ERR_AXIS, "sum: axis -2 is named twice");
    FAILS(gnd_sum(a34, GND_ALL, 6), GND_ERR_ARG, "sum: flags 0x6");
    FAILS(gnd_sum(gnd_int(1), GND_ALL, 0), GND_ERR_DEVICE, "sum: x is a scalar");
    FAILS(gnd_sum_as(c, GND_ALL, 0, GND_FLOAT32), GND_ERR_DTYPE, "sum: complex64 to float32");
    FAILS(gnd_prod_as(c, GND_ALL, 0, (gnd_dtype)77), GND_ERR_DTYPE, "prod: 77 is no dtype");
    FAILS(gnd_max(empty, GND_AXIS(0), 0), GND_ERR_SHAPE, "max: a zero-size array has no maximum");
    FAILS(gnd_min(empty, GND_ALL, 0), GND_ERR_SHAPE, "min: a zero-size array has no minimum");
    FAILS(gnd_argmax(empty, GND_AXIS(0), 0), GND_ERR_SHAPE, "argmax: a zero-size array");
    FAILS(gnd_argmin(empty, GND_ALL, 0), GND_ERR_SHAPE, "argmin: a zero-size array");
    FAILS(gnd_argmax(a34, GND_NO_AXES, 0), GND_ERR_AXIS, "argmax: 0 axes");
    FAILS(gnd_argmin(a34, GND_AXES(0, 1), 0), GND_ERR_AXIS, "argmin: 2 axes");
    FAILS(gnd_mean(a34, GND_AXIS(5), 0), GND_ERR_AXIS, "mean: axis 5");
    FAILS(gnd_sum(a34, GND_AXES_BITS(0), 0), GND_ERR_AXIS,
          "sum: the bits 0x0 are no set of axes: GND_AXIS(n) is");
    FAILS(gnd_expand_dims(a34, GND_AXES_BITS(2)), GND_ERR_AXIS,
          "expand_dims: the bits 0x2 are no set");
    FAILS(gnd_cummax(a34, GND_AXES_BITS(0)), GND_ERR_AXIS, "cummax: the bits 0x0 are no set");
    FAILS(gnd_std(a34, GND_AXIS(5), 0, 0), GND_ERR_AXIS, "std: axis 5");
    FAILS(gnd_sum_as(gnd_empty(dev32, GND_FLOAT32, DIM(2)), GND_ALL, 0, GND_FLOAT64),
          GND_ERR_UNSUPPORTED, "sum: float64: the device null:1");

    FAILS(gnd_matmul(a34, gnd_empty(dev, GND_FLOAT32, DIM(5, 6))), GND_ERR_SHAPE,
          "matmul: shapes (3, 4) and (5, 6): 4 != 5");
    FAILS(gnd_matmul(a34, v3), GND_ERR_SHAPE, "matmul: shapes (3, 4) and (3,): 4 != 3");
    FAILS(gnd_matmul(a34, point), GND_ERR_SHAPE, "gnd_multiply");
    FAILS(gnd_matmul(a34, gnd_real(2)), GND_ERR_DEVICE, "matmul: b is a scalar");
    FAILS(
        gnd_matmul(gnd_empty(dev, GND_INT8, DIM(2, 3, 4)), gnd_empty(dev, GND_INT8, DIM(3, 4, 2))),
        GND_ERR_SHAPE, "the axes before the matrices do not broadcast");
    FAILS(gnd_matmul(a34, gnd_empty(dev32, GND_FLOAT32, DIM(4))), GND_ERR_DEVICE, "two devices");
    gnd_array *tall = gnd_broadcast_to(point, DIM(BIG, 1)),
              *wide = gnd_broadcast_to(point, DIM(1, BIG));
    FAILS(gnd_matmul(tall, wide), GND_ERR_OVERFLOW, "matmul:");
}

/* Each function with each argument that it takes by pointer NULL. */
static void nulls(void)
{
    gnd_array *n = NULL, *out[2], *x = a34, *one = gnd_int(1);
    gnd_status st;
    int64_t dim[1] = {1};
    int zero[1] = {0};
    float f[1] = {0};
    const char *name[1] = {NULL};
#define GND__CALL_1(f) expect_error(#f "(NULL)", f(NULL), GND_ERR_NULL, ": x is NULL");
#define GND__CALL_2(f)                                                                             \
    expect_error(#f "(NULL, x)", f(NULL, x), GND_ERR_NULL, ": x1 is NULL");                        \
    expect_error(#f "(x, NULL)", f(x, NULL), GND_ERR_NULL, ": x2 is NULL");
#define GND__CALL_3(f)                                                                             \
    expect_error(#f "(NULL, x, x)", f(NULL, x, x), GND_ERR_NULL, ": x1 is NULL");                  \
    expect_error(#f "(x, NULL, x)", f(x, NULL, x), GND_ERR_NULL, ": x2 is NULL");                  \
    expect_error(#f "(x, x, NULL)", f(x, x, NULL), GND_ERR_NULL, ": x3 is NULL");
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near) GND__CALL_##nin(func)
#include "base/opset.def"
#undef GND_OP
    gnd_device *no = NULL;
    FAILS(gnd_from(no, GND_INT8, 1, dim, f), GND_ERR_NULL, "from: the device is NULL");
    FAILS(gnd_from_strided(no, GND_INT8, 1, dim, NULL, f), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_from_strided(dev, GND_INT8, 1, dim, dim, NULL), GND_ERR_NULL, "data is NULL");
    FAILS(gnd_from_strided(dev, GND_INT8, 1, NULL, dim, f), GND_ERR_NULL, "shape is NULL");
    FAILS(gnd_asarray(no, x, GND_INT8), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_asarray(dev, n, GND_INT8), GND_ERR_NULL, "asarray: x is NULL");
    FAILS(gnd_zeros(no, GND_INT8, 0, NULL), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_zeros(dev, GND_INT8, 1, NULL), GND_ERR_NULL, "shape is NULL");
    FAILS(gnd_ones(no, GND_INT8, 0, NULL), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_ones(dev, GND_INT8, 1, NULL), GND_ERR_NULL, "shape is NULL");
    FAILS(gnd_full(no, GND_INT8, 0, NULL, one), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_full(dev, GND_INT8, 1, NULL, one), GND_ERR_NULL, "shape is NULL");
    FAILS(gnd_full(dev, GND_INT8, 0, NULL, n), GND_ERR_NULL, "value is NULL");
    FAILS(gnd_empty(no, GND_INT8, 0, NULL), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_empty(dev, GND_INT8, 1, NULL), GND_ERR_NULL, "shape is NULL");
    FAILS(gnd_zeros_like(n, GND_INT8), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_ones_like(n, GND_INT8), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_full_like(n, GND_INT8, one), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_full_like(x, GND_INT8, n), GND_ERR_NULL, "value is NULL");
    FAILS(gnd_empty_like(n, GND_INT8), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_arange(no, one, one, one, GND_INT8), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_arange(dev, n, one, one, GND_INT8), GND_ERR_NULL, "start is NULL");
    FAILS(gnd_arange(dev, one, n, one, GND_INT8), GND_ERR_NULL, "stop is NULL");
    FAILS(gnd_arange(dev, one, one, n, GND_INT8), GND_ERR_NULL, "step is NULL");
    FAILS(gnd_arange_f64(no, 0, 1, 1, GND_INT8), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_arange_i64(no, 0, 1, 1, GND_INT8), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_linspace(no, one, one, 1, 1, GND_INT8), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_linspace(dev, n, one, 1, 1, GND_INT8), GND_ERR_NULL, "start is NULL");
    FAILS(gnd_linspace(dev, one, n, 1, 1, GND_INT8), GND_ERR_NULL, "stop is NULL");
    FAILS(gnd_eye(no, GND_INT8, 1, 1, 0), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_tril(n, 0), GND_ERR_NULL, "tril: x is NULL");
    FAILS(gnd_triu(n, 0), GND_ERR_NULL, "triu: x is NULL");
    FAILS(gnd_astype(n, GND_INT8), GND_ERR_NULL, "astype: x is NULL");
    FAILS(gnd_index(n, 0, NULL), GND_ERR_NULL, "index: x is NULL");
    FAILS(gnd_at(n, "0"), GND_ERR_NULL, "at: x is NULL");
    FAILS(gnd_at(x, NULL), GND_ERR_NULL, "at: the index is NULL");
    FAILS(gnd_reshape(n, 1, dim), GND_ERR_NULL, "reshape: x is NULL");
    FAILS(gnd_permute_dims(n, zero), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_T(n), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_mT(n), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_swapaxes(n, 0, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_moveaxis(n, 1, zero, zero), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_moveaxis(x, 1, zero, NULL), GND_ERR_NULL, "list of axes");
    FAILS(gnd_expand_dims(n, GND_NO_AXES), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_squeeze(n, GND_NO_AXES), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_flip(n, GND_NO_AXES), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_broadcast_to(n, 1, dim), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_broadcast_to(x, 1, NULL), GND_ERR_NULL, "shape is NULL");
    GIVES(gnd_broadcast_arrays(1, &n, out), GND_ERR_NULL);
    GIVES(gnd_broadcast_arrays(1, NULL, out), GND_ERR_NULL);
    FAILS(gnd_diagonal(n, 0, 0, 1), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_stack(1, &n, 0), GND_ERR_NULL, "x[0] is NULL");
    FAILS(gnd_tile(n, 1, dim), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_repeat(n, 1, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_repeat_each(n, dim, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_repeat_array(n, n, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_roll(n, 1, dim, zero), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_roll_flat(n, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_sum(n, GND_ALL, 0), GND_ERR_NULL, "sum: x is NULL");
    FAILS(gnd_prod(n, GND_ALL, 0), GND_ERR_NULL, "prod: x is NULL");
    FAILS(gnd_sum_as(n, GND_ALL, 0, GND_INT8), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_prod_as(n, GND_ALL, 0, GND_INT8), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_max(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_min(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_mean(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_var(n, GND_ALL, 0, 0), GND_ERR_NULL, "var: x is NULL");
    FAILS(gnd_std(n, GND_ALL, 0, 0), GND_ERR_NULL, "std: x is NULL");
    FAILS(gnd_any(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_all(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_count_nonzero(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_argmax(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_argmin(n, GND_ALL, 0), GND_ERR_NULL, "x is NULL");
    FAILS(gnd_matmul(n, x), GND_ERR_NULL, "matmul: a is NULL");
    FAILS(gnd_matmul(x, n), GND_ERR_NULL, "matmul: b is NULL");
    FAILS(gnd_keep(n), GND_ERR_NULL, "keep: x is NULL");
    FAILS(gnd_retain(n), GND_ERR_NULL, "retain: x is NULL");
    FAILS(gnd_assign(NULL, x), GND_ERR_NULL, "assign: var is NULL");
    FAILS(gnd_assign(&n, NULL), GND_ERR_NULL, "assign: value is NULL");
    gnd_release(n);
    n = NULL;
    FAILS(gnd_to_device(n, dev), GND_ERR_NULL, "to_device: x is NULL");
    FAILS(gnd_to_device(x, no), GND_ERR_NULL, "device is NULL");
    FAILS(gnd_load_npy(no, "x"), GND_ERR_NULL, "load_npy: the device is NULL");
    FAILS(gnd_load_npy(dev, NULL), GND_ERR_NULL, "load_npy: the path is NULL");
    FAILS(gnd_load_png(no, "x"), GND_ERR_NULL, "load_png: the device is NULL");
    FAILS(gnd_load_png(dev, NULL), GND_ERR_NULL, "load_png: the path is NULL");
    FAILS(gnd_load_npz(no, "x", "y"), GND_ERR_NULL, "load_npz: the device is NULL");
    FAILS(gnd_load_npz(dev, NULL, "y"), GND_ERR_NULL, "load_npz: the path is NULL");
    FAILS(gnd_load_npz(dev, "x", NULL), GND_ERR_NULL, "load_npz: the name is NULL");
    FAILS(gnd_fail(GND_ERR_IO, NULL), GND_ERR_IO, "file");
    FAILS(gnd_fail(GND_OK, "no %s", "error"), GND_ERR_ARG, "no error");
    FAILS(gnd_eval(dev, NULL, NULL), GND_ERR_NULL, "");
    FAILS(gnd_eval_names(dev, "x", 1, NULL, &x), GND_ERR_NULL, "");
    FAILS(gnd_eval_names(dev, "x", 1, name, &x), GND_ERR_NULL, "");

    GIVES(gnd_save_npy(n, "x"), GND_ERR_NULL);
    GIVES(gnd_save_npy(x, NULL), GND_ERR_NULL);
    GIVES(gnd_save_npz(NULL, 1, name, &x), GND_ERR_NULL);
    GIVES(gnd_save_npz("x", 1, NULL, &x), GND_ERR_NULL);
    GIVES(gnd_save_npz("x", 1, name, NULL), GND_ERR_NULL);
    GIVES(gnd_save_npz("x", 1, name, &x), GND_ERR_NULL);
    GIVES(gnd_save_npz("x", -1, name, &x), GND_ERR_ARG);
    GIVES(gnd_save_png(n, "x"), GND_ERR_NULL);
    GIVES(gnd_save_png(x, NULL), GND_ERR_NULL);
    GIVES(gnd_read(n, f, 4), GND_ERR_NULL);
    GIVES(gnd_read(x, NULL, gnd_nbytes(x)), GND_ERR_NULL);
    GIVES(gnd_read(x, f, 1), GND_ERR_SHAPE);
    GIVES(gnd_eval_all(1, NULL), GND_ERR_NULL);
    GIVES(gnd_eval_all(1, &n), GND_ERR_NULL);
    GIVES(gnd_wait(n), GND_ERR_NULL);
    GIVES(gnd_sync(no), GND_ERR_NULL);
    GIVES(gnd_print(n, stdout), GND_ERR_NULL);
    GIVES(gnd_print(x, NULL), GND_ERR_NULL);
    tap_ok(!gnd_to_string(n, &st) && st == GND_ERR_NULL, "gnd_to_string(NULL)");
    tap_ok(!gnd_to_string(n, NULL), "gnd_to_string(NULL) with no status");
    tap_ok(!gnd_explain(1, NULL, 0, &st) && st == GND_ERR_NULL, "gnd_explain(1, NULL)");
    tap_ok(!gnd_explain(1, &n, 0, &st) && st == GND_ERR_NULL, "gnd_explain of NULL");
    tap_ok(isnan(gnd_item_f64(n, &st)) && st == GND_ERR_NULL, "gnd_item_f64(NULL)");
    tap_ok(gnd_item_i64(n, NULL) == 0, "gnd_item_i64(NULL)");

    GIVES(gnd_status_of(n), GND_ERR_NULL);
    tap_ok(gnd_error(n)[0] != '\0', "gnd_error(NULL) says something");
    tap_ok(gnd_dtype_of(n) == GND_DTYPE_DEFAULT && gnd_ndim(n) == 0 && gnd_shape(n) &&
               gnd_dim(n, 0) == -1 && gnd_size(n) == 0 && gnd_nbytes(n) == 0 && !gnd_device_of(n) &&
               !gnd_is_weak(n),
           "what NULL is");
    tap_ok(gnd_dim(x, 2) == -1 && gnd_dim(x, -3) == -1 && gnd_dim(x, -1) == 4, "gnd_dim");

    gnd_device_info info;
    gnd_stats stats;
    GIVES(gnd_device_status(no), GND_ERR_NULL);
    tap_ok(gnd_device_error(no)[0] && !gnd_device_id(no)[0], "the texts of a NULL device");
    GIVES(gnd_device_list(0, NULL), GND_ERR_NULL);
    GIVES(gnd_device_list(-1, &info), GND_ERR_INDEX);
    GIVES(gnd_device_list(gnd_device_count(), &info), GND_ERR_INDEX);
    GIVES(gnd_device_describe(no, &info), GND_ERR_NULL);
    GIVES(gnd_device_describe(dev, NULL), GND_ERR_NULL);
    GIVES(gnd_device_stats(no, &stats), GND_ERR_NULL);
    GIVES(gnd_device_stats(dev, NULL), GND_ERR_NULL);
    GIVES(gnd_device_reset_peak(no), GND_ERR_NULL);
    GIVES(gnd_device_trim(no), GND_ERR_NULL);
    GIVES(gnd_device_set_limit(no, 1), GND_ERR_NULL);
    tap_is_int(gnd_default_float(no), GND_FLOAT64, "the default float of no device");
    tap_is_int(gnd_dtype_parse(NULL), GND_DTYPE_DEFAULT, "gnd_dtype_parse(NULL)");
}

/* An error goes through everything unchanged. */
static void passing_on(void)
{
    gnd_array *x = broken;
    FAILS(gnd_add(a34, x), GND_ERR_IO, "my own error 7");
    FAILS(gnd_sum(gnd_at(gnd_reshape(gnd_sin(x), 0, NULL), "0"), GND_NO_AXES, 0), GND_ERR_IO,
          "my own error 7");
    FAILS(gnd_matmul(x, a34), GND_ERR_IO, "my own error 7");
    FAILS(gnd_full(dev, GND_INT8, 0, NULL, x), GND_ERR_IO, "my own error 7");
    FAILS(gnd_std(gnd_tril(x, 0), GND_NO_AXES, 0, 0), GND_ERR_IO, "my own error 7");
    FAILS(gnd_add(gnd_sin(NULL), x), GND_ERR_NULL, "sin: x is NULL");
    float f;
    GIVES(gnd_read(x, &f, sizeof f), GND_ERR_IO);
    GIVES(gnd_save_npy(x, "x.npy"), GND_ERR_IO);
    GIVES(gnd_eval_all(1, &x), GND_ERR_IO);
    GIVES(gnd_print(x, stdout), GND_ERR_IO);
}

static void devices(void)
{
    int null0 = 0;
    for (int i = 0; i < gnd_device_count(); i++) {
        gnd_device_info info;
        tap_is_int(gnd_device_list(i, &info), GND_OK, "entry %d: %s %s %s", i, info.id, info.name,
                   info.reason);
        null0 += !strcmp(info.id, "null:0") && !info.reason[0];
    }
    tap_is_int(null0, 1, "null:0 is listed");
    gnd_device_info info;
    tap_is_int(gnd_device_describe(dev, &info), GND_OK, "describe");
    tap_is_str(info.id, "null:0", "  its id");
    gnd_device *none = gnd_open("cuda:99");
    tap_ok(gnd_device_status(none) < 0 && gnd_device_error(none)[0], "no such device: %s",
           gnd_device_error(none));
    FAILS(gnd_arange_i64(none, 0, 3, 1, GND_INT8), gnd_device_status(none), gnd_device_error(none));
    GIVES(gnd_device_describe(none, &info), gnd_device_status(none));
    gnd_close(none);
}

int main(void)
{
    dev = gnd_open("null:0");
    dev32 = gnd_open("null:1");
    devices();
    variables();
    gnd_scope_begin();
    gnd_int(1);
    gnd_scope_end(); /* an ended scope is kept for the next */
    long before = gnd__mem_live();
    gnd_scope_begin();
    a34 = gnd_empty(dev, GND_FLOAT32, DIM(3, 4));
    c4 = gnd_empty(dev, GND_FLOAT32, DIM(4));
    v3 = gnd_empty(dev, GND_FLOAT32, DIM(3));
    point = gnd_empty(dev, GND_FLOAT32, 0, NULL);
    empty = gnd_empty(dev, GND_FLOAT32, DIM(0, 3));
    broken = gnd_fail(GND_ERR_IO, "my own error %d", 7);
    elementwise();
    creation();
    views();
    joins();
    reductions();
    nulls();
    passing_on();
    gnd_scope_end();
    tap_is_int(gnd__mem_live(), before, "nothing is left behind");
    gnd_close(dev);
    gnd_close(dev32);
    return tap_done();
}
