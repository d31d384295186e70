/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_manip.c - the functions of gnd/manip.h without a device to compute on: the errors that the
 * header promises, with messages that name what was given; the indices of triangles too large for
 * any memory, element by element; every allocation failing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "nodeval.h"
#include "tap.h"

static gnd_device *dev;
static gnd_array *a34, *v3, *point, *cube, *broken;

#define AT(...)                                                                                    \
    (int64_t[])                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* A call that makes n arrays: the status, and each of them holds the error. */
static void fails_all(const char *what, gnd_status st, int n, gnd_array **out, gnd_status code,
                      const char *text)
{
    tap_is_int(st, code, "%s", what);
    for (int i = 0; i < n; i++)
        if (gnd_status_of(out[i]) != code || !strstr(gnd_error(out[i]), text))
            tap_fail("%s: out[%d]: %s", what, i, gnd_error(out[i]));
}
#define ALL_FAIL(call, n, code, text) fails_all(#call, call, n, out, code, text)

/* --- errors ----------------------------------------------------------------------------------- */

static void test_views(void)
{
    int64_t shape[GND_MAX_NDIM];
    int n;
    FAILS(gnd_ravel(NULL), GND_ERR_NULL, "ravel: x is NULL");
    FAILS(gnd_ravel(gnd_int(3)), GND_ERR_DEVICE, "ravel: x is a scalar");
    FAILS(gnd_ravel(broken), GND_ERR_SHAPE, "broken");
    FAILS(gnd_rot90(v3, 1, 0, 1), GND_ERR_SHAPE, "rot90: shape (3,): at least 2 dimensions");
    FAILS(gnd_rot90(a34, 1, 0, 2), GND_ERR_AXIS, "rot90: axis 2 is out of range for 2 dimensions");
    FAILS(gnd_rot90(a34, 1, 1, -1), GND_ERR_AXIS, "rot90: axis -1 is named twice");
    FAILS(gnd_fliplr(v3), GND_ERR_SHAPE, "fliplr: shape (3,): at least 2 dimensions are needed");
    FAILS(gnd_flipud(point), GND_ERR_SHAPE, "flipud: shape (): at least 1 dimension is needed");
    FAILS(gnd_atleast_1d(NULL), GND_ERR_NULL, "atleast_1d: x is NULL");
    FAILS(gnd_atleast_2d(gnd_real(1)), GND_ERR_DEVICE, "atleast_2d: x is a scalar");
    FAILS(gnd_atleast_3d(broken), GND_ERR_SHAPE, "broken");
    FAILS(gnd_sliding_window_view(a34, 1, AT(2), NULL), GND_ERR_SHAPE,
          "sliding_window_view: 1 windows for the 2 axes of shape (3, 4): name the axes");
    FAILS(gnd_view_dtype(a34, (gnd_dtype)99), GND_ERR_DTYPE, "view_dtype");
    FAILS(gnd_view_dtype(gnd_reshape(a34, 2, (int64_t[]){4, 3}), GND_COMPLEX128), GND_ERR_SHAPE,
          "the last axis must have a multiple of");
    FAILS(gnd_view_dtype(gnd_zeros(dev, GND_INT8, 0, NULL), GND_INT16), GND_ERR_SHAPE,
          "a last axis is needed");
    FAILS(gnd_as_strided(a34, 1, AT(4), AT(4), 0), GND_ERR_INDEX,
          "as_strided: shape (4,) at strides (4,) from element 0 on: not within the 12 elements");
    FAILS(gnd_as_strided(a34, 1, AT(4), AT(-1), 2), GND_ERR_INDEX, "from element 2 on");
    FAILS(gnd_as_strided(a34, 1, AT(4), NULL, 0), GND_ERR_NULL, "strides is NULL");
    FAILS(gnd_sliding_window_view(a34, 2, NULL, NULL), GND_ERR_NULL, "the list of windows is NULL");
    FAILS(gnd_sliding_window_view(a34, -1, NULL, NULL), GND_ERR_ARG, "-1 windows");
    FAILS(gnd_sliding_window_view(a34, 2, AT(3, 5), NULL), GND_ERR_SHAPE,
          "a window of 5 elements along axis 1 with 4");
    FAILS(gnd_sliding_window_view(a34, 2, AT(2, 3), (int[]){0, 0}), GND_ERR_SHAPE,
          "a window of 3 elements along axis 0 with 2");
    FAILS(gnd_sliding_window_view(a34, 1, AT(-1), (int[]){0}), GND_ERR_ARG,
          "a window of -1 elements");
    FAILS(gnd_sliding_window_view(a34, 1, AT(1), (int[]){2}), GND_ERR_AXIS, "axis 2");
    FAILS(gnd_diag(point, 0), GND_ERR_SHAPE, "diag: shape (): 1 or 2 dimensions are needed");
    FAILS(gnd_diag(cube, 0), GND_ERR_SHAPE, "diag: shape (2, 3, 4)");
    FAILS(gnd_diag(v3, INT64_MAX), GND_ERR_OVERFLOW,
          "diag: diagonal 9223372036854775807 of shape (3,)");
    FAILS(gnd_diagflat(v3, INT64_MIN), GND_ERR_OVERFLOW, "diagflat");
    FAILS(gnd_diagflat(v3, (int64_t)1 << 33), GND_ERR_OVERFLOW,
          "diagflat: shape (8589934595, 8589934595)");
    FAILS(gnd_resize(v3, 1, AT(-1)), GND_ERR_SHAPE,
          "resize: shape (-1,): axis 0 has a negative extent");
    FAILS(gnd_resize(v3, 1, NULL), GND_ERR_NULL, "resize: the shape is NULL");
    tap_is_int(
        gnd_broadcast_shapes(2, (int[]){1, 2}, (const int64_t *[]){AT(3), AT(2, 4)}, &n, shape),
        GND_ERR_SHAPE, "broadcast_shapes");
    tap_has_str(gnd_message(), "broadcast_shapes: shape 1, (2, 4), does not broadcast with (3,)",
                "broadcast_shapes: message");
    tap_is_int(gnd_broadcast_shapes(1, (int[]){1}, (const int64_t *[]){AT(-3)}, &n, shape),
               GND_ERR_SHAPE, "broadcast_shapes: negative");
    tap_is_int(gnd_broadcast_shapes(1, NULL, NULL, &n, shape), GND_ERR_NULL,
               "broadcast_shapes: NULL");
    tap_is_int(gnd_broadcast_shapes(-1, NULL, NULL, &n, shape), GND_ERR_ARG,
               "broadcast_shapes: -1");
}

static void test_splits(void)
{
    gnd_array *out[4];
    ALL_FAIL(gnd_split(a34, 3, 1, out), 3, GND_ERR_SHAPE,
             "split: axis 1 with 4 elements has no 3 equal parts: take gnd_array_split");
    ALL_FAIL(gnd_split(a34, 2, 2, out), 2, GND_ERR_AXIS, "split: axis 2");
    ALL_FAIL(gnd_split(NULL, 2, 0, out), 2, GND_ERR_NULL, "split: x is NULL");
    ALL_FAIL(gnd_split(broken, 2, 0, out), 2, GND_ERR_SHAPE, "broken");
    ALL_FAIL(gnd_split(a34, 0, 0, out), 0, GND_ERR_ARG, "");
    ALL_FAIL(gnd_split(a34, 3, 0, NULL), 0, GND_ERR_NULL, "");
    ALL_FAIL(gnd_array_split(a34, -1, 0, out), 0, GND_ERR_ARG, "");
    ALL_FAIL(gnd_split_at(a34, 2, NULL, 0, out), 3, GND_ERR_NULL,
             "split_at: the list of places is NULL");
    ALL_FAIL(gnd_split_at(a34, -2, NULL, 0, out), 0, GND_ERR_ARG, "");
    ALL_FAIL(gnd_hsplit(point, 2, out), 2, GND_ERR_SHAPE,
             "hsplit: shape (): at least 1 dimension is needed");
    ALL_FAIL(gnd_vsplit(v3, 3, out), 3, GND_ERR_SHAPE, "vsplit: shape (3,): at least 2 dimensions");
    ALL_FAIL(gnd_dsplit(a34, 2, out), 2, GND_ERR_SHAPE,
             "dsplit: shape (3, 4): at least 3 dimensions");
    ALL_FAIL(gnd_dsplit(cube, 3, out), 3, GND_ERR_SHAPE, "dsplit: axis 2 with 4 elements");
}

static void test_joins(void)
{
    gnd_array *x[3] = {a34, v3, NULL}, *two[2] = {a34, cube};
    FAILS(gnd_vstack(2, x), GND_ERR_SHAPE, "vstack: shapes (3, 4) and (1, 3): axis 1 has 4 and 3");
    FAILS(gnd_hstack(2, x), GND_ERR_SHAPE, "hstack: shapes (3, 4) and (3,): 2 and 1 dimensions");
    FAILS(gnd_dstack(3, x), GND_ERR_NULL, "dstack: x[2] is NULL");
    FAILS(gnd_column_stack(0, x), GND_ERR_ARG, "column_stack: 0 arrays");
    FAILS(gnd_column_stack(2, two), GND_ERR_SHAPE, "column_stack: shapes (3, 4) and (2, 3, 4)");
    FAILS(gnd_vstack(1, NULL), GND_ERR_NULL, "vstack: the list of arrays is NULL");
    FAILS(gnd_append(a34, v3, 0), GND_ERR_SHAPE, "append: shapes (3, 4) and (3,)");
    FAILS(gnd_append(a34, a34, 2), GND_ERR_AXIS, "append: axis 2");
    FAILS(gnd_append_flat(a34, NULL), GND_ERR_NULL, "append_flat: x[1] is NULL");
    FAILS(gnd_block(2, (int[]){2, 1, 1}, (gnd_array *[]){a34, v3}), GND_ERR_SHAPE,
          "block: shapes (3, 4) and (1, 3) side by side along axis 0: axis 1 has 4 and 3");
    FAILS(gnd_block(2, (int[]){2, 1, 0}, x), GND_ERR_ARG, "block: a list of no items");
    FAILS(gnd_block(-1, NULL, x), GND_ERR_ARG, "block: depth -1");
    FAILS(gnd_block(1, NULL, x), GND_ERR_NULL, "block: the list of counts is NULL");
    FAILS(gnd_block(1, (int[]){3}, x), GND_ERR_NULL, "block: x[2] is NULL");
    FAILS(gnd_block(1, (int[]){2000000}, x), GND_ERR_ARG, "over 1048576 blocks");
}

static void test_pads(void)
{
    int64_t one[] = {1, 1, 1, 1}, huge[] = {INT64_MAX, 1, 0, 0},
            big[] = {(int64_t)1 << 61, 0, 0, 0};
    gnd_array *no = gnd_empty(dev, GND_FLOAT32, DIM(0, 2)),
              *far = gnd_empty(dev, GND_FLOAT32, DIM(3, 0, 1));
    gnd_array *v[4] = {gnd_int(1), gnd_int(2), gnd_int(3), NULL},
              *z[4] = {gnd_complex(0, 1), v[0], v[0], v[0]}, *wide[4] = {v[0], v3, v[0], v[0]},
              *i8 = gnd_empty(dev, GND_INT8, DIM(2, 2)),
              *much[4] = {gnd_int(300), v[0], v[0], v[0]};
    gnd_pad_options values = {.values = v}, odd = {.odd = 1},
                    none = {.stat_length = AT(0, 0, 0, 0)};
    gnd_pad_options minus = {.stat_length = AT(1, 1, -1, 1)};
    FAILS(gnd_pad(NULL, one, "edge", NULL), GND_ERR_NULL, "pad: x is NULL");
    FAILS(gnd_pad(broken, one, "edge", NULL), GND_ERR_SHAPE, "broken");
    FAILS(gnd_pad(a34, NULL, "edge", NULL), GND_ERR_NULL, "pad: the list of widths is NULL");
    FAILS(gnd_pad(a34, one, NULL, NULL), GND_ERR_NULL, "pad: mode is NULL");
    FAILS(gnd_pad(a34, one, "mirror", NULL), GND_ERR_ARG,
          "pad: mode \"mirror\" is not one of constant, edge,");
    FAILS(gnd_pad(a34, AT(0, 0, 0, -2), "wrap", NULL), GND_ERR_ARG, "pad: axis 1: a width of -2");
    FAILS(gnd_pad(a34, huge, "wrap", NULL), GND_ERR_OVERFLOW,
          "pad: axis 0: 9223372036854775807 + 3 + 1");
    FAILS(gnd_pad(a34, big, "wrap", NULL), GND_ERR_OVERFLOW,
          "the number of bytes does not fit 64 bits");
    FAILS(gnd_pad(no, one, "edge", NULL), GND_ERR_SHAPE,
          "pad: shape (0, 2): axis 0 has no element");
    FAILS(gnd_pad(far, AT(0, 0, 1, 0, 0, 0), "mean", NULL), GND_ERR_SHAPE, "axis 1 has no element");
    FAILS(gnd_pad(a34, one, "edge", &values), GND_ERR_ARG,
          "pad: mode \"edge\" has no option values");
    FAILS(gnd_pad(a34, one, "mean", &odd), GND_ERR_ARG, "pad: mode \"mean\" has no option odd");
    FAILS(gnd_pad(a34, one, "wrap", &none), GND_ERR_ARG,
          "pad: mode \"wrap\" has no option stat_length");
    FAILS(gnd_pad(a34, one, "maximum", &none), GND_ERR_ARG, "pad: the maximum of 0 elements");
    FAILS(gnd_pad(a34, one, "mean", &minus), GND_ERR_ARG, "pad: the mean of -1 elements");
    FAILS(gnd_pad(a34, one, "constant", &values), GND_ERR_NULL, "pad: one of the values is NULL");
    values.values = wide;
    FAILS(gnd_pad(a34, one, "linear_ramp", &values), GND_ERR_SHAPE, "pad: a value of shape (3,)");
    values.values = z;
    FAILS(gnd_pad(a34, one, "constant", &values), GND_ERR_DTYPE, "pad: the complex scalar");
    values.values = much;
    FAILS(gnd_pad(i8, one, "constant", &values), GND_ERR_OVERFLOW,
          "pad: the scalar 300 does not fit int8");
}

static void test_edits(void)
{
    gnd_array *z = gnd_empty(dev, GND_COMPLEX64, DIM(4)), *one = gnd_int(1);
    gnd_range all = {.kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE},
              single = {.kind = GND_IDX_INT, .start = 1};
    FAILS(gnd_insert(a34, 4, one, 0), GND_ERR_INDEX,
          "insert: index 4 is out of range for axis 0 with extent 3");
    FAILS(gnd_insert(a34, -4, one, 0), GND_ERR_INDEX, "insert: index -4");
    FAILS(gnd_insert(a34, INT64_MIN, one, 0), GND_ERR_INDEX, "insert: index -9223372036854775808");
    FAILS(gnd_insert(a34, 0, v3, 0), GND_ERR_SHAPE,
          "insert: values of shape (3,) do not broadcast to (1, 4)");
    FAILS(gnd_insert(a34, 0, cube, 0), GND_ERR_SHAPE,
          "values of shape (2, 3, 4) for an array of shape (3, 4)");
    FAILS(gnd_insert(a34, 0, z, 0), GND_ERR_DTYPE, "insert: complex64 to float32");
    FAILS(gnd_insert(a34, 0, NULL, 0), GND_ERR_NULL, "insert: values is NULL");
    FAILS(gnd_insert(a34, 0, one, 2), GND_ERR_AXIS, "insert: axis 2");
    FAILS(gnd_insert(point, 0, one, 0), GND_ERR_AXIS,
          "insert: axis 0 is out of range for 0 dimensions");
    FAILS(gnd_insert_each(a34, 2, AT(0, 5), one, 1), GND_ERR_INDEX, "insert_each: index 5");
    FAILS(gnd_insert_each(a34, 2, NULL, one, 1), GND_ERR_NULL,
          "insert_each: the list of places is NULL");
    FAILS(gnd_insert_each(a34, -2, AT(0), one, 1), GND_ERR_ARG, "insert_each: -2 places");
    FAILS(gnd_insert_each(a34, 2, AT(0, 1), v3, 1), GND_ERR_SHAPE,
          "insert_each: values of shape (3,) do not broadcast to (3, 2)");
    FAILS(gnd_insert_each(a34, 3, AT(0, 1, 1), v3, 0), GND_ERR_SHAPE, "do not broadcast to (3, 4)");
    FAILS(gnd_delete(a34, 3, 0), GND_ERR_INDEX,
          "delete: index 3 is out of range for axis 0 with extent 3");
    FAILS(gnd_delete(a34, 0, -3), GND_ERR_AXIS, "delete: axis -3");
    FAILS(gnd_delete_each(a34, 2, AT(0, -5), 1), GND_ERR_INDEX, "delete_each: index -5");
    FAILS(gnd_delete_each(NULL, 0, NULL, 0), GND_ERR_NULL, "delete_each: x is NULL");
    FAILS(gnd_delete_range(a34, single, 0), GND_ERR_ARG, "delete_range: a range of kind 1");
    FAILS(gnd_delete_range(a34, all, 5), GND_ERR_AXIS, "delete_range: axis 5");
}

static void test_made(void)
{
    gnd_array *out[2], *zero = gnd_int(0), *one = gnd_real(1), *z = gnd_complex(0, 1);
    ALL_FAIL(gnd_tril_indices(dev, -1, 0, 2, out), 2, GND_ERR_SHAPE,
             "tril_indices: shape (-1, 2): a negative");
    ALL_FAIL(gnd_triu_indices(dev, (int64_t)1 << 32, 0, -1, out), 2, GND_ERR_OVERFLOW,
             "triu_indices: shape (4294967296, 4294967296): the number of bytes");
    ALL_FAIL(gnd_triu_indices(dev, INT64_MIN, INT64_MIN, -1, out), 2, GND_ERR_SHAPE,
             "a negative extent");
    ALL_FAIL(gnd_triu_indices(NULL, 1, 0, 1, out), 2, GND_ERR_NULL,
             "triu_indices: the device is NULL");
    ALL_FAIL(gnd_tril_indices(dev, 1, 0, 1, NULL), 0, GND_ERR_NULL, "");
    ALL_FAIL(gnd_tril_indices_from(v3, 0, out), 2, GND_ERR_SHAPE,
             "tril_indices_from: shape (3,): 2 dimensions");
    ALL_FAIL(gnd_triu_indices_from(NULL, 0, out), 2, GND_ERR_NULL, "triu_indices_from: x is NULL");
    FAILS(gnd_indices(dev, GND_INT64, DIM(2, -1)), GND_ERR_SHAPE, "indices: shape (2, -1)");
    FAILS(gnd_indices(NULL, GND_INT64, DIM(2)), GND_ERR_NULL, "indices: the device is NULL");
    FAILS(gnd_indices(dev, (gnd_dtype)77, DIM(2)), GND_ERR_DTYPE, "indices: 77 is no dtype");
    FAILS(gnd_tri(dev, GND_INT8, -2, 3, 0), GND_ERR_SHAPE, "tri: shape (-2, 3)");
    FAILS(gnd_logspace(dev, zero, v3, 3, 1, one, GND_FLOAT32), GND_ERR_ARG,
          "logspace: stop is an array");
    FAILS(gnd_logspace(dev, zero, one, -3, 1, one, GND_FLOAT32), GND_ERR_ARG,
          "logspace: -3 elements");
    FAILS(gnd_logspace(dev, zero, z, 3, 1, one, GND_FLOAT32), GND_ERR_DTYPE,
          "logspace: complex values as float32");
    FAILS(gnd_geomspace(dev, zero, one, 3, 1, GND_FLOAT32), GND_ERR_ARG, "geomspace: start is 0");
    FAILS(gnd_geomspace(dev, one, zero, 3, 1, GND_FLOAT32), GND_ERR_ARG, "geomspace: stop is 0");
    FAILS(gnd_geomspace(dev, NULL, one, 3, 1, GND_FLOAT32), GND_ERR_NULL,
          "geomspace: start is NULL");
}

/* --- expressions ------------------------------------------------------------------------------ */

static void test_expressions(void)
{
    static const struct {
        const char *text;
        gnd_status code;
        const char *message;
    } cases[] = {
        {"pad(x, (1, 2, 3))", GND_ERR_ARG,
         "pad_width must be one value, (before, after), or a pair for each of "
         "2 axes, not a tuple"},
        {"pad(x, ((1, 2), (3, 4), (5, 6)))", GND_ERR_ARG, "a pair for each of 2 axes"},
        {"pad(x, 1.5)", GND_ERR_TYPE, "pad_width must be made of ints"},
        {"pad(x, 1, 'edge', constant_values=1)", GND_ERR_ARG,
         "mode \"edge\" has no argument 'constant_values'"},
        {"pad(x, 1, stat_length=1)", GND_ERR_ARG,
         "mode \"constant\" has no argument 'stat_length'"},
        {"pad(x, 1, 'reflect', reflect_type='up')", GND_ERR_ARG, "'even' or 'odd'"},
        {"pad(x, 1, 3)", GND_ERR_TYPE, "mode must be a string, not an int"},
        {"pad(x, 1, 'twist')", GND_ERR_ARG, "pad: mode \"twist\" is not one of"},
        {"split(x, 0)[0]", GND_ERR_ARG, "split: 0 parts"},
        {"split(x, 2.5)[0]", GND_ERR_TYPE, "indices_or_sections must be an int, not a float"},
        {"vsplit(x[0], 2)[0]", GND_ERR_SHAPE,
         "vsplit: an array of 1 dimension: at least 2 are needed"},
        {"block([[x], x])", GND_ERR_SHAPE, "block: lists of different depths"},
        {"block((x, x))", GND_ERR_SHAPE, "block: a tuple: only lists may be nested"},
        {"block([[x, x], [x]])", GND_ERR_SHAPE,
         "block: shapes (3, 8) and (3, 4) side by side along axis 0"},
        {"slice(1, 2, 3, 4)", GND_ERR_TYPE, "slice: 4 values"},
        {"delete(x, [True], 0)", GND_ERR_SHAPE, "delete: a mask of 1 elements for an axis of 3"},
        {"delete(x, 0, 2)", GND_ERR_AXIS, "delete: axis 2 is out of range for 2 dimensions"},
        {"delete(x, 'a')", GND_ERR_TYPE, "obj must be an int, a slice, or a list of ints, not 'a'"},
        {"insert(x, 1.5, 0)", GND_ERR_TYPE,
         "obj must be an int, a slice, or a list of ints, not a float"},
        {"insert(x, [13], 0)", GND_ERR_INDEX,
         "insert_each: index 13 is out of range for axis 0 with extent 12"},
        {"rot90(x, 1, (0, 1, 2))", GND_ERR_SHAPE, "rot90: 3 ints, at most 2"},
        {"rot90(x, 1, (0,))", GND_ERR_TYPE, "axes must be two ints"},
        {"rollaxis(x, 0, 3)", GND_ERR_AXIS, "rollaxis: axis 0 before axis 3 of 2 dimensions"},
        {"broadcast_shapes((1, 2), (3,))", GND_ERR_SHAPE, "does not broadcast with (1, 2)"},
        {"broadcast_shapes(1.5)", GND_ERR_TYPE,
         "a shape is an int or a tuple of ints, not a float"},
        {"sliding_window_view(x, (1, 2), axis=0)", GND_ERR_SHAPE, "2 windows for 1 axes"},
        {"tril_indices(2, 0, -1)[0]", GND_ERR_SHAPE, "tril_indices: shape (2, -1)"},
        {"geomspace(0, 1)", GND_ERR_ARG, "geomspace: start is 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_error(cases[i].text, gnd_eval(dev, cases[i].text, "x", a34, (char *)NULL),
                     cases[i].code, cases[i].message);
    gnd_array *y = gnd_eval(dev, "x[slice(1, None)]", "x", a34, (char *)NULL);
    tap_is_int(gnd_dim(y, 0), 2, "slice() as an index");
    y = gnd_eval(dev, "pad(x, [[1, 2]], 'mean')", "x", a34, (char *)NULL);
    tap_is_int(gnd_size(y), 6 * 7, "one pair for all axes");
    y = gnd_eval(dev, "pad(x, ((1,), (3,)))", "x", a34, (char *)NULL);
    tap_is_int(gnd_size(y), 5 * 10, "one width for each axis");
    y = gnd_eval(dev, "atleast_3d(x, 1)[1]", "x", a34, (char *)NULL);
    tap_is_int(gnd_ndim(y), 3, "a tuple of arrays");
}

/* --- triangles -------------------------------------------------------------------------------- */

/* Elements in the rows before r of the triangle j - i <= k of m columns. */
static __int128 before(int64_t r, int64_t k, int64_t m)
{
    __int128 low = k < 0 ? -(__int128)k : 0, full = (__int128)m - 1 - k, s = 0;
    full = full < low ? low : full;
    __int128 end = r < full ? r : full; /* rows low .. end have i + k + 1 elements */
    if (end > low)
        s = (end - low) * (low + k + 1 + end + k) / 2;
    return s + (r > full ? (r - full) * (__int128)m : 0);
}

/* Elements of the index arrays, far out too, by where they must be. */
static void triangle(gnd_device *d, int64_t n, int64_t k, int64_t m)
{
    for (int up = 0; up < 2; up++) {
        gnd_array *out[2];
        gnd_status st = up ? gnd_triu_indices(d, n, k, m, out) : gnd_tril_indices(d, n, k, m, out);
        int64_t total = gnd_size(out[0]), bad = -1, row = 0, col = 0;
        __int128 want = up ? (__int128)n * m - before(n, k - 1, m) : before(n, k, m);
        tap_ok(st == GND_OK && want == total && gnd_size(out[1]) == total,
               "%s of (%" PRId64 ", %" PRId64 ") at %" PRId64 ": size", up ? "triu" : "tril", n, m,
               k);
        for (int i = 0; i < 4000 && total && bad < 0; i++) {
            int64_t at = i < 20 ? i % total : i < 40 ? total - 1 - i % total : 0;
            if (i >= 40) /* powers of two apart, and about the ends of rows */
                at = (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> (i % 61)) & INT64_MAX,
                at %= total;
            if (i >= 2000) {
                int64_t r = (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u >> 1) % n;
                __int128 b = up ? (__int128)r * m - before(r, k - 1, m) : before(r, k, m);
                b -= i % 3;
                at = b < 0 ? 0 : b >= total ? total - 1 : (int64_t)b;
            }
            row = nodeval(out[0], at).i;
            col = nodeval(out[1], at).i;
            __int128 first = up ? (row + (__int128)k > 0 ? row + (__int128)k : 0) : 0;
            __int128 b = up ? (__int128)row * m - before(row, k - 1, m) : before(row, k, m);
            if (row < 0 || row >= n || col < first || col >= m ||
                (!up && col - (__int128)row > k) || b + (col - first) != at)
                bad = at;
        }
        if (!tap_ok(bad < 0, "%s of (%" PRId64 ", %" PRId64 ") at %" PRId64, up ? "triu" : "tril",
                    n, m, k))
            tap_diag("element %" PRId64 ": row %" PRId64 ", column %" PRId64, bad, row, col);
        gnd_release(out[0]);
        gnd_release(out[1]);
    }
}

static void test_triangles(void)
{
    static const int64_t c[][3] = {
        {7, 0, 7},
        {1000, 0, 1000},
        {1447, -3, 1500},
        {1448, 0, 1449},
        {3000, 5, 2000},
        {1, 0, 1},
        {5, 3, 100000},
        {100000, -50000, 3},
        {40000000, 0, 40000000},
        {1 << 26, 1, 1 << 26},
        {1 << 30, 0, 1 << 30},
        {1 << 30, -(1 << 29), 1 << 29},
        {3, (int64_t)1 << 57, (int64_t)1 << 58},
        {7, 1 << 30, (int64_t)1 << 31},
        {2000000000, -1999999990, 50},
        {123456789, 98765432, 987654321},
    };
    for (int i = 0; i < 2; i++) { /* with float64, and without */
        gnd_device *d = gnd_open(i ? "null:1" : "null:0");
        gnd_scope_begin();
        for (size_t k = 0; k < sizeof c / sizeof c[0]; k++)
            triangle(d, c[k][0], c[k][1], c[k][2]);
        gnd_scope_end();
        gnd_close(d);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* One of everything; 0 when all is well. */
static int everything(gnd_device *d)
{
    gnd_array *x = gnd_zeros(d, GND_FLOAT32, DIM(4, 6)), *v = gnd_zeros(d, GND_FLOAT32, DIM(6));
    gnd_array *out[16], *one = gnd_real(1), *two = gnd_int(2);
    gnd_pad_options odd = {.odd = 1};
    int n = 0, bad = gnd_split(x, 2, 1, out) != GND_OK;
    bad |= gnd_triu_indices(d, 9, 1, 5, out + 2) != GND_OK;
    bad |= gnd_split_at(x, 1, AT(2), 0, out + 4) != GND_OK;
    for (int i = 0; i < 6; i++)
        gnd_release(out[i]);
    out[n++] = gnd_sliding_window_view(x, 2, AT(2, 3), NULL);
    out[n++] = gnd_vstack(2, (gnd_array *[]){x, v});
    out[n++] = gnd_block(2, (int[]){2, 2, 2}, (gnd_array *[]){x, x, x, x});
    out[n++] = gnd_insert_each(x, 3, AT(2, 0, 2), v, 0);
    out[n++] = gnd_insert(x, 1, one, 1);
    out[n++] = gnd_delete_each(x, 2, AT(0, 3), 1);
    out[n++] = gnd_delete_range(
        x, (gnd_range){.kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE, .step = 2}, 1);
    out[n++] = gnd_resize(x, DIM(7, 5));
    out[n++] = gnd_diag(v, -2);
    out[n++] = gnd_geomspace(d, one, two, 5, 1, GND_DTYPE_DEFAULT);
    out[n++] = gnd_indices(d, GND_INT32, DIM(3, 3));
    out[n++] = gnd_pad(x, AT(1, 2, 0, 9), "reflect", NULL);
    out[n++] = gnd_pad(x, AT(1, 2, 0, 9), "mean", NULL);
    out[n++] = gnd_pad(x, AT(1, 2, 0, 9), "symmetric", &odd);
    out[n++] = gnd_pad(x, AT(1, 2, 0, 9), "constant", NULL);
    for (int i = 0; i < n; i++) {
        bad |= gnd_status_of(out[i]) != GND_OK;
        gnd_release(out[i]);
    }
    gnd_release(x), gnd_release(v), gnd_release(one), gnd_release(two);
    return bad;
}

static void test_memory(void)
{
    gnd_stats st;
    int left = 0, at = 0, bad = 1;
    everything(dev);
    gnd_device_stats(dev, &st);
    uint64_t arrays = st.arrays;
    long live = gnd__mem_live();
    for (at = 1; bad && at < 5000; at++) {
        gnd__mem_fail_at(at);
        bad = everything(dev);
        gnd__mem_fail_at(0);
        gnd_device_stats(dev, &st);
        left += st.arrays != arrays;
    }
    tap_ok(at > 50 && at < 5000, "every allocation failed once: %d of them", at - 1);
    tap_is_int(left, 0, "no array is left after a failure");
    tap_is_int(gnd__mem_live() - live, 0, "no memory is left after a failure");
}

int main(void)
{
    dev = gnd_open("null:0");
    a34 = gnd_empty(dev, GND_FLOAT32, DIM(3, 4));
    v3 = gnd_empty(dev, GND_FLOAT32, DIM(3));
    point = gnd_empty(dev, GND_FLOAT32, 0, NULL);
    cube = gnd_empty(dev, GND_FLOAT32, DIM(2, 3, 4));
    broken = gnd_fail(GND_ERR_SHAPE, "broken");
    gnd_scope_begin();
    test_views();
    test_splits();
    test_joins();
    test_pads();
    test_edits();
    test_made();
    test_expressions();
    gnd_scope_end();
    test_memory();
    gnd_release(a34), gnd_release(v3), gnd_release(point), gnd_release(cube), gnd_release(broken);
    gnd_stats st;
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "no array is left");
    gnd_close(dev);
    test_triangles();
    return tap_done();
}
