/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_index.c - indices and masks on the null device: the errors that are known when a function is
 * called, shapes of results, and where the axes of index arrays go.
 */
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev, *other;

#define ARRAY(a) ((gnd_range){.kind = GND_IDX_ARRAY, .array = (a)})
#define INT(i) ((gnd_range){.kind = GND_IDX_INT, .start = (i)})
#define ALL ((gnd_range){.kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE, .step = 1})
#define NEW ((gnd_range){.kind = GND_IDX_NEWAXIS})
#define DOTS ((gnd_range){.kind = GND_IDX_ELLIPSIS})
#define COUNT(...) (int)(sizeof((gnd_range[]){__VA_ARGS__}) / sizeof(gnd_range))
#define INDEX(x, ...) gnd_index(x, COUNT(__VA_ARGS__), (gnd_range[]){__VA_ARGS__})
#define SET(x, v, ...) gnd_set(x, COUNT(__VA_ARGS__), (gnd_range[]){__VA_ARGS__}, v)
#define ADD(x, v, ...) gnd_add_at(x, COUNT(__VA_ARGS__), (gnd_range[]){__VA_ARGS__}, v)

static void has_shape(const char *what, gnd_array *x, int ndim, const int64_t *dim)
{
    int good = gnd_status_of(x) == GND_OK && gnd_ndim(x) == ndim;
    for (int d = 0; d < ndim && good; d++)
        good = gnd_dim(x, d) == dim[d];
    if (!tap_ok(good, "%s", what)) {
        tap_diag("%s %d dimensions", gnd_error(x), gnd_ndim(x));
        for (int d = 0; d < gnd_ndim(x); d++)
            tap_diag("%d", (int)gnd_dim(x, d));
    }
}
#define SHAPE(call, ...) has_shape(#call, call, DIM(__VA_ARGS__))

static void errors(void)
{
    gnd_array *x = gnd_empty(dev, GND_FLOAT32, DIM(4, 5)), *v = gnd_empty(dev, GND_FLOAT32, DIM(5));
    gnd_array *i2 = gnd_empty(dev, GND_INT64, DIM(2)), *i3 = gnd_empty(dev, GND_INT32, DIM(3));
    gnd_array *f = gnd_empty(dev, GND_FLOAT32, DIM(2)), *m3 = gnd_empty(dev, GND_BOOL, DIM(3));
    gnd_array *m4 = gnd_empty(dev, GND_BOOL, DIM(4)),
              *none = gnd_empty(dev, GND_FLOAT32, DIM(0, 5));
    gnd_array *far = gnd_empty(other, GND_INT64, DIM(2)),
              *z = gnd_empty(dev, GND_COMPLEX64, DIM(4, 5));
    gnd_array *ints = gnd_empty(dev, GND_INT32, DIM(4, 5)), *out[2];
    gnd_array *broken = gnd_fail(GND_ERR_ARG, "broken");
    FAILS(INDEX(x, ARRAY(i2), ARRAY(i3)), GND_ERR_SHAPE,
          "index: shapes (2,) and (3,) do not broadcast: axis 0 has 2 and 3");
    FAILS(INDEX(x, ARRAY(f)), GND_ERR_DTYPE,
          "index: entry 0 is float32: indices are ints or bools");
    FAILS(INDEX(x, ALL, ARRAY(m3)), GND_ERR_INDEX,
          "index: a mask of shape (3,) over axes of shape (5,)");
    FAILS(INDEX(x, ARRAY(m3)), GND_ERR_INDEX,
          "index: a mask of shape (3,) over axes of shape (4,)");
    FAILS(INDEX(x, ARRAY(i2), ARRAY(i2), ARRAY(i2)), GND_ERR_INDEX,
          "index: 3 indices for an array of 2");
    FAILS(INDEX(x, ARRAY(NULL)), GND_ERR_NULL, "index: entry 0 is NULL");
    FAILS(INDEX(x, ALL, ARRAY(broken)), GND_ERR_ARG, "broken");
    FAILS(INDEX(x, ARRAY(far)), GND_ERR_DEVICE, "index: arrays of two devices");
    FAILS(INDEX(x, ARRAY(gnd_real(1))), GND_ERR_DTYPE, "index: entry 0 is float64");
    FAILS(INDEX(x, ARRAY(gnd_int(4))), GND_ERR_INDEX, "index: index 4 is out of range for axis 0");
    FAILS(INDEX(none, ARRAY(i2)), GND_ERR_INDEX, "index: indices into an axis of no elements");
    FAILS(INDEX(x, DOTS, ARRAY(i2), DOTS), GND_ERR_INDEX, "2 ellipses");
    FAILS(gnd_take(x, i2, 2), GND_ERR_AXIS, "take: axis 2 is out of range for 2 dimensions");
    FAILS(gnd_take(x, m4, 0), GND_ERR_DTYPE,
          "take: indices is bool: indices are ints: for masks take gnd_c");
    FAILS(gnd_take(x, f, 0), GND_ERR_DTYPE,
          "take: indices is float32: indices are ints: gnd_astype");
    FAILS(gnd_fit_indices(f, 4, GND_INDEX_WRAP), GND_ERR_DTYPE,
          "fit_indices: indices is float32: indices are ints");
    FAILS(gnd_fit_indices(i2, -1, GND_INDEX_CLIP), GND_ERR_ARG, "fit_indices: size is -1");
    FAILS(gnd_fit_indices(i2, 0, GND_INDEX_CLIP), GND_ERR_INDEX,
          "fit_indices: indices into an axis of no elements");
    FAILS(gnd_fit_indices(i2, 4, (gnd_index_mode)3), GND_ERR_ARG,
          "fit_indices: mode is 3, not GND_INDEX_RAISE, _WRAP or _CLIP");
    FAILS(gnd_fit_indices(NULL, 4, GND_INDEX_CLIP), GND_ERR_NULL, "fit_indices: indices is NULL");
    FAILS(gnd_fit_indices(broken, 4, GND_INDEX_CLIP), GND_ERR_ARG, "broken");
    FAILS(gnd_take(x, NULL, 0), GND_ERR_NULL, "take: indices is NULL");
    FAILS(gnd_take(gnd_int(3), i2, 0), GND_ERR_DEVICE, "take: x is a scalar");
    FAILS(gnd_take(none, i2, 0), GND_ERR_INDEX, "take: indices into an axis of no elements");
    FAILS(gnd_take_flat(none, i2), GND_ERR_INDEX, "take_flat: indices into an axis of no elements");
    FAILS(gnd_take_flat(broken, i2), GND_ERR_ARG, "broken");
    FAILS(gnd_take_along_axis(x, i2, 0), GND_ERR_SHAPE,
          "take_along_axis: shapes (4, 5) and (2,): 2 and 1 dimensions");
    FAILS(gnd_take_along_axis(x, gnd_empty(dev, GND_INT64, DIM(3, 7)), 1), GND_ERR_SHAPE,
          "shapes (4, 5) and (3, 7) do not broadcast: axis 0 has 4 and 3");
    FAILS(gnd_put_along_axis(x, gnd_empty(dev, GND_INT64, DIM(4, 2)), v, 1), GND_ERR_SHAPE,
          "put_along_axis: a value of shape (5,) does not broadcast to (4, 2)");
    FAILS(gnd_put_along_axis(x, i2, v, 1), GND_ERR_SHAPE, "put_along_axis: shapes (4, 5) and (2,)");
    FAILS(gnd_argwhere(NULL), GND_ERR_NULL, "argwhere: x is NULL");
    FAILS(gnd_flatnonzero(gnd_int(1)), GND_ERR_DEVICE, "flatnonzero: x is a scalar");
    FAILS(gnd_compress(x, x, 0), GND_ERR_SHAPE, "compress: a condition of shape (4, 5)");
    FAILS(gnd_compress(m4, x, 3), GND_ERR_AXIS, "compress: axis 3");
    FAILS(gnd_extract(m4, broken), GND_ERR_ARG, "broken");
    FAILS(SET(x, f, ALL, ARRAY(i3)), GND_ERR_SHAPE,
          "set: a value of shape (2,) does not broadcast to (4, 3)");
    FAILS(SET(x, gnd_empty(dev, GND_FLOAT32, DIM(2, 4, 5)), DOTS), GND_ERR_SHAPE,
          "set: a value of shape (2, 4, 5) does not broadcast to (4, 5)");
    FAILS(SET(x, z, DOTS), GND_ERR_DTYPE, "set: complex64 to float32 drops the imaginary part");
    FAILS(SET(ints, gnd_int(INT64_MAX), DOTS), GND_ERR_OVERFLOW,
          "set: the scalar 9223372036854775807");
    FAILS(SET(x, NULL, DOTS), GND_ERR_NULL, "set: value is NULL");
    FAILS(SET(x, far, INT(0)), GND_ERR_DEVICE, "set: arrays of two devices");
    FAILS(SET(x, v, INT(4)), GND_ERR_INDEX,
          "set: index 4 is out of range for axis 0 with extent 4");
    FAILS(SET(x, v, ARRAY(m3)), GND_ERR_INDEX, "set: a mask of shape (3,) over axes of shape (4,)");
    FAILS(SET(x, f, ARRAY(m4)), GND_ERR_SHAPE,
          "set: a value of shape (2,) does not broadcast to (1, 5)");
    FAILS(gnd_set(x, -1, NULL, v), GND_ERR_ARG, "set: -1 entries");
    FAILS(gnd_set(x, 1, NULL, v), GND_ERR_NULL, "set: the index is NULL");
    FAILS(ADD(ints, v, ARRAY(i2)), GND_ERR_DTYPE,
          "add_at: float32 does not go into int32: take gnd_astype");
    FAILS(ADD(ints, gnd_real(1), ARRAY(i2)), GND_ERR_DTYPE,
          "add_at: float64 does not go into int32");
    FAILS(ADD(x, z, ARRAY(i2)), GND_ERR_DTYPE, "add_at: complex64 does not go into float32");
    FAILS(gnd_max_at(z, 1, &ARRAY(i2), z), GND_ERR_DTYPE, "max_at: complex64 is not allowed");
    FAILS(gnd_min_at(x, 1, &ARRAY(i2), f), GND_ERR_SHAPE,
          "min_at: a value of shape (2,) does not broadcast to (2, 5)");
    tap_is_int(gnd_nonzero(x, NULL), GND_ERR_NULL, "nonzero without room");
    tap_is_int(gnd_nonzero(gnd_empty(dev, GND_INT32, 0, NULL), out), GND_ERR_SHAPE,
               "nonzero of a number");
    tap_is_int(gnd_nonzero(NULL, out), GND_ERR_NULL, "nonzero of NULL");
}

/* NumPy's places for the axes of index arrays: in place when the indices lie side by side. */
static void shapes(void)
{
    gnd_array *x = gnd_empty(dev, GND_FLOAT32, DIM(5, 3, 4)),
              *i = gnd_zeros(dev, GND_INT64, DIM(2));
    gnd_array *j = gnd_zeros(dev, GND_INT8, DIM(6, 1)), *k = gnd_zeros(dev, GND_UINT64, 0, NULL);
    gnd_array *yes = gnd_equal(gnd_int(1), gnd_int(1)), *no = gnd_equal(gnd_int(1), gnd_int(2));
    SHAPE(INDEX(x, ALL, ARRAY(i), ARRAY(i)), 5, 2);
    SHAPE(INDEX(x, ALL, ARRAY(i), DOTS, ARRAY(i)), 2, 5);
    SHAPE(INDEX(x, ALL, ARRAY(i), NEW, ARRAY(i)), 2, 5, 1);
    SHAPE(INDEX(x, DOTS, ARRAY(i), ARRAY(j)), 5, 6, 2);
    SHAPE(INDEX(x, INT(0), ALL, ARRAY(i)), 2, 3);
    SHAPE(INDEX(x, ALL, INT(0), ARRAY(i)), 5, 2);
    SHAPE(INDEX(x, ALL, ARRAY(i), INT(-1)), 5, 2);
    SHAPE(INDEX(x, ALL, ARRAY(yes), ARRAY(i)), 5, 2, 4);
    SHAPE(INDEX(x, ARRAY(yes)), 1, 5, 3, 4);
    SHAPE(INDEX(x, ARRAY(no)), 0, 5, 3, 4);
    SHAPE(INDEX(x, ARRAY(yes), ALL, ARRAY(i)), 2, 5, 4);
    SHAPE(INDEX(x, ARRAY(k)), 3, 4);
    SHAPE(INDEX(x, NEW, ARRAY(k), ALL, ARRAY(j)), 6, 1, 1, 3);
    SHAPE(INDEX(x, ARRAY(gnd_int(-5)), ARRAY(i)), 2, 4);
    SHAPE(gnd_take(x, j, 1), 5, 6, 1, 4);
    SHAPE(gnd_take(x, k, -1), 5, 3);
    SHAPE(gnd_take(x, gnd_int(2), 0), 3, 4);
    SHAPE(gnd_take_flat(x, j), 6, 1);
    SHAPE(gnd_take_along_axis(x, gnd_zeros(dev, GND_INT64, DIM(1, 7, 4)), 1), 5, 7, 4);
    SHAPE(SET(x, gnd_int(1), ALL, ARRAY(i)), 5, 3, 4);
    SHAPE(ADD(x, gnd_real(1), ARRAY(i), ALL, ARRAY(j)), 5, 3, 4);
    SHAPE(gnd_put_along_axis(x, gnd_zeros(dev, GND_INT64, DIM(1, 7, 4)), gnd_int(1), 1), 5, 3, 4);
}

int main(void)
{
    gnd_scope_begin(); /* what a thread keeps for its next scope is no leak */
    (void)gnd_int(1);
    gnd_scope_end();
    gnd_close(gnd_open("null:0"));
    long live = gnd__mem_live();
    dev = gnd_open("null:0");
    other = gnd_open("null:1");
    gnd_scope_begin();
    errors();
    shapes();
    gnd_scope_end();
    gnd_stats s;
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "no arrays are left");
    gnd_close(dev);
    gnd_close(other);
    tap_is_int(gnd__mem_live(), live, "no memory is left");
    return tap_done();
}
