/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_graph.c - what the public functions make, without a device that computes: dtypes of every
 * operation for arguments of every kind, shapes, values of ranges and triangles (by nodeval.h), and
 * that "null:1", which has no float64, gets float32 wherever nobody asked for more. Who owns what
 * is in null_owners.c, errors are in null_errors.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "nodeval.h"
#include "tap.h"

static gnd_device *dev, *dev32;

/* "float32", or a weak scalar: "b" "i" "f" "c". */
static gnd_array *operand(gnd_device *d, const char *type)
{
    if (!strcmp(type, "b"))
        return gnd_bool(1);
    if (!strcmp(type, "i"))
        return gnd_int(3);
    if (!strcmp(type, "f"))
        return gnd_real(0.5);
    if (!strcmp(type, "c"))
        return gnd_complex(1, 2);
    return gnd_empty(d, gnd_dtype_parse(type), 1, (int64_t[]){4});
}

static const char *dtype_text(const gnd_array *x)
{
    if (gnd_status_of(x))
        return gnd_status_name(gnd_status_of(x));
    return gnd_dtype_name(gnd_dtype_of(x));
}

static const char *shape_text(const gnd_array *x)
{
    static char buf[GND_MAX_NDIM * 22];
    size_t at = 0;
    if (gnd_status_of(x))
        return gnd_error(x);
    buf[0] = '\0';
    for (int i = 0; i < gnd_ndim(x); i++)
        at += (size_t)snprintf(buf + at, sizeof buf - at, "%s%lld", i ? " " : "",
                               (long long)gnd_shape(x)[i]);
    return buf;
}

/* "add int8 uint8 = int16": an operation of the table. */
static void elementwise(gnd_device *d, const char *line)
{
    char w[6][32];
    int n = sscanf(line, "%31s %31s %31s %31s %31s %31s", w[0], w[1], w[2], w[3], w[4], w[5]);
    gnd_array *x[3];
    gnd_scope_begin();
    for (int i = 0; i < n - 3; i++)
        x[i] = operand(d, w[i + 1]);
    int op = gnd__op_find(w[0]);
    if (op < 0)
        tap_bail("no operation %s", w[0]);
    gnd_array *y = gnd__elementwise((gnd__op)op, n - 3, x);
    tap_is_str(dtype_text(y), w[n - 1], "%s%s", d == dev ? "" : "no float64: ", line);
    gnd_scope_end();
}

static void dtypes(void)
{
    static const char *const lines[] = {
        /* arrays promote as NumPy 2's do */
        "add int8 uint8 = int16",
        "add int32 uint32 = int64",
        "add int64 uint64 = float64",
        "add bool bool = bool",
        "add bool int8 = int8",
        "add int32 float32 = float64",
        "add int16 float32 = float32",
        "add int8 float16 = float16",
        "add float16 bfloat16 = float32",
        "add float32 complex64 = complex64",
        "add float64 complex64 = complex128",
        "add int64 complex64 = complex128",
        /* scalars are weak */
        "add uint8 i = uint8",
        "add int8 f = float64",
        "add float16 f = float16",
        "add float32 i = float32",
        "add float32 c = complex64",
        "add float64 c = complex128",
        "add bool i = int64",
        "add bool b = bool",
        "add bool f = float64",
        "add int64 c = complex128",
        "add i uint8 = uint8",
        "add bfloat16 i = bfloat16",
        "add bfloat16 c = complex64",
        /* functions that need floats */
        "sin bool = float16",
        "sin int8 = float16",
        "sin uint16 = float32",
        "sin int32 = float64",
        "sin float16 = float16",
        "sin bfloat16 = bfloat16",
        "sin complex64 = complex64",
        "hypot int8 int8 = float16",
        "atan2 int16 uint16 = float32",
        "hypot uint8 int8 = float16",
        "hypot bool i = float64",
        "copysign int16 uint32 = float64",
        "atan2 int64 f = float64",
        "atan2 float32 i = float32",
        "divide int8 int8 = float64",
        "divide bool bool = float64",
        "divide uint8 i = float64",
        "divide float16 i = float16",
        "divide int8 float16 = float16",
        "signbit float16 = bool",
        "signbit int32 = bool",
        "nextafter float32 float32 = float32",
        "copysign bfloat16 bfloat16 = bfloat16",
        /* the ones that keep ints, and bools as int8 */
        "floor_divide bool bool = int8",
        "remainder uint8 i = uint8",
        "pow bool bool = int8",
        "pow int32 i = int32",
        "pow int32 f = float64",
        "square bool = int8",
        "reciprocal int32 = int32",
        "floor int16 = int16",
        "round bool = bool",
        "ceil bool = bool",
        "abs complex64 = float32",
        "abs complex128 = float64",
        "abs int8 = int8",
        "sign int8 = int8",
        "real complex64 = float32",
        "imag float32 = float32",
        "conj int8 = int8",
        "negative uint8 = uint8",
        "positive float16 = float16",
        /* comparisons, logic, bits */
        "less int64 uint64 = bool",
        "equal float32 complex64 = bool",
        "less bool i = bool",
        "less uint8 i = bool",
        "isnan int8 = bool",
        "isfinite complex64 = bool",
        "logical_and float32 complex64 = bool",
        "logical_not int8 = bool",
        "logical_or c int8 = bool",
        "bitwise_and int8 uint8 = int16",
        "bitwise_and bool bool = bool",
        "bitwise_and bool i = int64",
        "bitwise_invert bool = bool",
        "bitwise_left_shift bool bool = int8",
        "bitwise_left_shift uint8 i = uint8",
        "bitwise_right_shift int8 uint8 = int16",
        /* three arguments */
        "where bool int8 uint8 = int16",
        "where float32 i i = int64",
        "where bool i f = float64",
        "where bool float32 f = float32",
        "where bool b b = bool",
        "where i float16 int8 = float16",
        "clip uint8 i i = uint8",
        "clip float32 f float64 = float64",
        "clip int32 f f = float64",
        /* not allowed */
        "subtract bool bool = GND_ERR_DTYPE",
        "negative bool = GND_ERR_DTYPE",
        "bitwise_and float32 int8 = GND_ERR_DTYPE",
        "bitwise_left_shift f int8 = GND_ERR_DTYPE",
        "floor complex64 = GND_ERR_DTYPE",
        "atan2 complex64 complex64 = GND_ERR_DTYPE",
        "remainder complex64 i = GND_ERR_DTYPE",
        "bitwise_invert float16 = GND_ERR_DTYPE",
        "sign bool = GND_ERR_DTYPE",
        "hypot float32 c = GND_ERR_DTYPE",
        "clip bool b i = int64",
    };
    static const char *const lines32[] = {
        "sin int32 = float32",
        "sin int8 = float16",
        "divide int64 i = float32",
        "add int32 f = float32",
        "add int32 float32 = float32",
        "add int64 uint64 = float32",
        "add int64 complex64 = complex64",
        "add int8 c = complex64",
        "pow int64 f = float32",
        "where bool f f = float32",
        "where bool i c = complex64",
        "less int64 uint64 = bool",
        "less int32 f = bool",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        elementwise(dev, lines[i]);
    for (size_t i = 0; i < sizeof lines32 / sizeof lines32[0]; i++)
        elementwise(dev32, lines32[i]);
}

#define S(...)                                                                                     \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[])                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* An array of unset elements. */
static gnd_array *arr(gnd_dtype t, int ndim, const int64_t *dim)
{
    return gnd_empty(dev, t, ndim, dim);
}

static void is(const gnd_array *x, const char *dtype, const char *shape, const char *what)
{
    tap_ok(!strcmp(dtype_text(x), dtype) && !strcmp(shape_text(x), shape), "%s: %s (%s)", what,
           dtype, shape);
    if (strcmp(dtype_text(x), dtype) || strcmp(shape_text(x), shape))
        tap_diag("got %s (%s) %s", dtype_text(x), shape_text(x), gnd_error(x));
}

static void shapes(void)
{
    gnd_scope_begin();
    gnd_array *a = arr(GND_FLOAT32, S(3, 4)), *row = arr(GND_FLOAT32, S(4)),
              *col = arr(GND_FLOAT32, S(3, 1)), *point = arr(GND_FLOAT32, 0, NULL),
              *none = arr(GND_FLOAT32, S(0, 4)), *deep = arr(GND_FLOAT32, S(2, 1, 1));
    is(gnd_add(a, row), "float32", "3 4", "(3, 4) + (4,)");
    is(gnd_add(col, row), "float32", "3 4", "(3, 1) + (4,)");
    is(gnd_add(a, point), "float32", "3 4", "(3, 4) + ()");
    is(gnd_add(none, row), "float32", "0 4", "(0, 4) + (4,)");
    is(gnd_add(deep, a), "float32", "2 3 4", "(2, 1, 1) + (3, 4)");
    is(gnd_where(col, row, deep), "float32", "2 3 4", "where of three shapes");
    is(gnd_add(a, gnd_real(1)), "float32", "3 4", "(3, 4) + scalar");

    gnd_array *b = arr(GND_COMPLEX64, S(2, 3, 4)), *h = arr(GND_FLOAT16, S(2, 3)),
              *i8 = arr(GND_INT8, S(2, 3)), *u16 = arr(GND_UINT16, S(2, 3)),
              *t = arr(GND_BOOL, S(2, 3)), *empty = arr(GND_FLOAT32, S(0, 3));
    is(gnd_sum(b, GND_AXIS(1), 0), "complex64", "2 4", "sum");
    is(gnd_sum(b, GND_AXES(0, -1), GND_KEEPDIMS), "complex64", "1 3 1", "sum, kept");
    is(gnd_sum(b, GND_ALL, 0), "complex64", "", "sum of all");
    is(gnd_sum(b, GND_ALL, GND_KEEPDIMS), "complex64", "1 1 1", "sum of all, kept");
    is(gnd_sum(i8, GND_NO_AXES, 0), "int64", "2 3", "sum over no axis");
    is(gnd_sum(i8, GND_ALL, 0), "int64", "", "sum of int8");
    is(gnd_sum(u16, GND_ALL, 0), "uint64", "", "sum of uint16");
    is(gnd_sum(t, GND_ALL, 0), "int64", "", "sum of bool");
    is(gnd_sum(h, GND_ALL, 0), "float16", "", "sum of float16");
    is(gnd_prod(i8, GND_AXIS(0), 0), "int64", "3", "prod of int8");
    is(gnd_sum_as(h, GND_ALL, 0, GND_FLOAT64), "float64", "", "sum_as");
    is(gnd_prod_as(i8, GND_ALL, 0, GND_INT8), "int8", "", "prod_as");
    is(gnd_sum_as(i8, GND_ALL, 0, GND_BOOL), "bool", "", "sum_as bool");
    is(gnd_max(i8, GND_AXIS(-1), 0), "int8", "2", "max");
    is(gnd_min(t, GND_AXIS(-1), GND_KEEPDIMS), "bool", "2 1", "min of bool");
    is(gnd_max(empty, GND_AXIS(1), 0), "float32", "0", "max of no rows");
    is(gnd_mean(i8, GND_AXIS(0), 0), "float64", "3", "mean of int8");
    is(gnd_mean(h, GND_AXIS(0), 0), "float16", "3", "mean of float16");
    is(gnd_mean(b, GND_ALL, 0), "complex64", "", "mean of complex");
    is(gnd_mean(empty, GND_AXIS(0), 0), "float32", "3", "mean of nothing");
    is(gnd_var(b, GND_AXIS(1), 0, 1), "float32", "2 4", "var of complex");
    is(gnd_std(h, GND_AXIS(1), GND_KEEPDIMS, 0), "float16", "2 1", "std of float16");
    is(gnd_var(t, GND_ALL, 0, 0), "float64", "", "var of bool");
    is(gnd_any(b, GND_AXIS(2), 0), "bool", "2 3", "any");
    is(gnd_all(h, GND_NO_AXES, 0), "bool", "2 3", "all over no axis");
    is(gnd_count_nonzero(b, GND_AXIS(2), GND_KEEPDIMS), "int64", "2 3 1", "count_nonzero");
    is(gnd_argmax(h, GND_AXIS(1), 0), "int64", "2", "argmax");
    is(gnd_argmin(b, GND_ALL, 0), "int64", "", "argmin of all");
    is(gnd_argmin(b, GND_ALL, GND_KEEPDIMS), "int64", "1 1 1", "argmin of all, kept");
    is(gnd_argmax(point, GND_ALL, 0), "int64", "", "argmax of a number");
    is(gnd_mean(gnd_empty(dev32, GND_INT64, S(3)), GND_ALL, 0), "float32", "",
       "mean of ints without float64");

    gnd_array *m34 = arr(GND_FLOAT32, S(3, 4)), *m45 = arr(GND_INT32, S(4, 5)),
              *v4 = arr(GND_FLOAT32, S(4)), *v3 = arr(GND_FLOAT32, S(3)),
              *b2 = arr(GND_FLOAT32, S(2, 1, 3, 4)), *b7 = arr(GND_FLOAT32, S(7, 4, 5));
    is(gnd_matmul(m34, m45), "float64", "3 5", "matmul, float32 by int32");
    is(gnd_matmul(m34, v4), "float32", "3", "matmul, matrix by vector");
    is(gnd_matmul(v3, m34), "float32", "4", "matmul, vector by matrix");
    is(gnd_matmul(v4, v4), "float32", "", "matmul, vector by vector");
    is(gnd_matmul(b2, b7), "float32", "2 7 3 5", "matmul, batches");
    is(gnd_matmul(b2, v4), "float32", "2 1 3", "matmul, batch by vector");
    is(gnd_matmul(v4, b7), "float32", "7 5", "matmul, vector by batch");
    is(gnd_matmul(t, arr(GND_BOOL, S(3, 2))), "bool", "2 2", "matmul of bools");
    gnd_array *k0 = gnd_matmul(arr(GND_FLOAT32, S(2, 0)), arr(GND_FLOAT32, S(0, 3)));
    is(k0, "float32", "2 3", "matmul over nothing");
    tap_is_f64(nodeval_f64(k0, 5), 0, "  gives zeros");
    is(gnd_matmul(arr(GND_FLOAT32, S(0, 4)), v4), "float32", "0", "matmul of no rows");

    gnd_array *list[3] = {i8, u16, h};
    is(gnd_concat(3, list, -1), "float32", "2 9", "concat");
    is(gnd_stack(2, list, -1), "int32", "2 3 2", "stack");
    is(gnd_concat_flat(3, list), "float32", "18", "concat_flat");
    gnd_array *mixed[3] = {point, gnd_int(2), gnd_real(0.5)};
    is(gnd_stack(3, mixed, 0), "float32", "3", "stack of numbers");
    is(gnd_tile(h, 3, (int64_t[]){2, 1, 3}), "float16", "2 2 9", "tile");
    is(gnd_repeat(h, 0, 0), "float16", "0 3", "repeat 0 times");
    is(gnd_repeat_each(h, (int64_t[]){2, 0, 3}, 1), "float16", "2 5", "repeat_each");
    gnd_array *un[3];
    tap_is_int(gnd_unstack(h, -1, un), GND_OK, "unstack");
    is(un[2], "float16", "2", "  the last");
    gnd_scope_end();
}

/* The elements of a 1-d array, or those of a matrix one after the other. */
static void has(const gnd_array *x, int n, const double *want, const char *what)
{
    int good = gnd_size(x) == n;
    for (int i = 0; good && i < n; i++)
        good = nodeval_f64(x, i) == want[i];
    tap_ok(good, "%s", what);
    if (good)
        return;
    tap_diag("%s, %lld elements", gnd_error(x), (long long)gnd_size(x));
    for (int i = 0; i < gnd_size(x); i++)
        tap_diag("  %.17g", nodeval_f64(x, i));
}

#define V(...)                                                                                     \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[])                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void ranges(void)
{
    gnd_scope_begin();
    has(gnd_arange_i64(dev, 2, 11, 3, GND_DTYPE_DEFAULT), V(2, 5, 8), "arange 2 11 3");
    has(gnd_arange_i64(dev, 5, 0, -2, GND_INT8), V(5, 3, 1), "arange 5 0 -2");
    is(gnd_arange_i64(dev, 5, 0, 2, GND_DTYPE_DEFAULT), "int64", "0", "arange of nothing");
    has(gnd_arange(dev, gnd_int(0), gnd_real(1), gnd_real(0.25), GND_FLOAT32), V(0, .25, .5, .75),
        "arange of floats");
    gnd_array *far = gnd_arange_i64(dev, INT64_MIN, INT64_MIN + 3, 1, GND_DTYPE_DEFAULT);
    tap_is_int(nodeval(far, 2).i, INT64_MIN + 2, "arange at the end of int64");
    gnd_array *big = gnd_arange_i64(dev, INT64_MIN, INT64_MAX, INT64_MAX, GND_DTYPE_DEFAULT);
    is(big, "int64", "3", "arange over all of int64");
    tap_is_int(nodeval(big, 2).i, INT64_MAX - 1, "  its last");
    has(gnd_arange_f64(dev, 0.5, 3, 0.7, GND_INT64), V(0, 1, 2, 3), "arange of floats as ints");
    gnd_array *t = gnd_arange_f64(dev, 1, 2, 0.1, GND_DTYPE_DEFAULT);
    is(t, "float64", "10", "arange 1 2 0.1");
    tap_is_f64(nodeval_f64(t, 7), 1 + 7 * ((1 + 0.1) - 1), "  fills as NumPy does");
    gnd_array *f = gnd_arange_f64(dev, 1, 2, 0.1, GND_FLOAT32);
    float d32 = (float)1.1 - 1.0f;
    tap_is_f64(nodeval_f64(f, 7), 1.0f + 7.0f * d32, "  in float32");
    is(gnd_arange_f64(dev32, 0, 1, 0.5, GND_DTYPE_DEFAULT), "float32", "2", "arange, no float64");

    has(gnd_linspace(dev, gnd_int(0), gnd_int(1), 5, 1, GND_DTYPE_DEFAULT), V(0, .25, .5, .75, 1),
        "linspace");
    has(gnd_linspace(dev, gnd_int(0), gnd_int(1), 4, 0, GND_FLOAT32), V(0, .25, .5, .75),
        "linspace without its end");
    has(gnd_linspace(dev, gnd_int(3), gnd_int(9), 1, 1, GND_DTYPE_DEFAULT), V(3),
        "linspace of one");
    has(gnd_linspace(dev, gnd_int(0), gnd_int(10), 4, 1, GND_INT32), V(0, 3, 6, 10),
        "linspace of ints");
    has(gnd_linspace(dev, gnd_int(-10), gnd_int(0), 4, 1, GND_INT32), V(-10, -7, -4, 0),
        "linspace of ints takes the floor");
    has(gnd_linspace(dev, gnd_real(0), gnd_real(5e-324), 3, 1, GND_DTYPE_DEFAULT), V(0, 0, 5e-324),
        "linspace of a step that underflows");
    gnd_array *l = gnd_linspace(dev, gnd_real(0.1), gnd_real(0.7), 7, 1, GND_DTYPE_DEFAULT);
    tap_is_f64(nodeval_f64(l, 6), 0.7, "linspace ends at stop itself");
    tap_is_f64(nodeval_f64(l, 3), 3 * ((0.7 - 0.1) / 6) + 0.1, "  and between as NumPy");
    is(gnd_linspace(dev, gnd_complex(0, 1), gnd_int(1), 3, 1, GND_DTYPE_DEFAULT), "complex128", "3",
       "linspace of complex");
    is(gnd_linspace(dev, gnd_int(0), gnd_int(1), 0, 1, GND_DTYPE_DEFAULT), "float64", "0",
       "linspace of nothing");

    has(gnd_eye(dev, GND_INT32, 2, 3, 1), V(0, 1, 0, 0, 0, 1), "eye");
    has(gnd_eye(dev, GND_DTYPE_DEFAULT, 2, -1, 0), V(1, 0, 0, 1), "eye, square");
    has(gnd_eye(dev, GND_BOOL, 2, 2, INT64_MIN), V(0, 0, 0, 0), "eye, far off");
    gnd_array *x = gnd_reshape(gnd_arange_i64(dev, 1, 10, 1, GND_UINT8), 2, (int64_t[]){3, 3});
    has(gnd_tril(x, 0), V(1, 0, 0, 4, 5, 0, 7, 8, 9), "tril");
    has(gnd_triu(x, 1), V(0, 2, 3, 0, 0, 6, 0, 0, 0), "triu");
    has(gnd_tril(x, -4), V(0, 0, 0, 0, 0, 0, 0, 0, 0), "tril of nothing");
    is(gnd_tril(x, 0), "uint8", "3 3", "tril keeps the dtype");
    is(gnd_triu(gnd_empty(dev, GND_BOOL, S(2, 3, 4)), 0), "bool", "2 3 4", "triu of a stack");
    has(gnd_full(dev, GND_DTYPE_DEFAULT, S(2, 1), gnd_int(7)), V(7, 7), "full");
    has(gnd_full_like(x, GND_DTYPE_DEFAULT, gnd_real(7.9)), V(7, 7, 7, 7, 7, 7, 7, 7, 7),
        "full_like cuts a float to an int");
    has(gnd_ones(dev, GND_COMPLEX64, S(2)), V(1, 1), "ones");
    has(gnd_zeros_like(x, GND_BOOL), V(0, 0, 0, 0, 0, 0, 0, 0, 0), "zeros_like");

    gnd_array *axes[3] = {gnd_arange_i64(dev, 0, 2, 1, GND_DTYPE_DEFAULT),
                          gnd_arange_i64(dev, 5, 8, 1, GND_DTYPE_DEFAULT),
                          gnd_ones(dev, GND_INT8, S(4))};
    gnd_array *out[3];
    tap_is_int(gnd_meshgrid(2, axes, 0, out), GND_OK, "meshgrid, xy");
    has(out[0], V(0, 1, 0, 1, 0, 1), "  x");
    has(out[1], V(5, 5, 6, 6, 7, 7), "  y");
    tap_is_int(gnd_meshgrid(2, axes, 1, out), GND_OK, "meshgrid, ij");
    has(out[0], V(0, 0, 0, 1, 1, 1), "  i");
    has(out[1], V(5, 6, 7, 5, 6, 7), "  j");
    tap_is_int(gnd_meshgrid(3, axes, 0, out), GND_OK, "meshgrid of three");
    is(out[2], "int8", "3 2 4", "  z");
    gnd_scope_end();
}

/* int64 with uint64, where no dtype holds both. */
static void mixed_comparisons(void)
{
    gnd_scope_begin();
    gnd_array *one = gnd_int(1), *s[4], *u[4];
    gnd_array *half = gnd_full(dev, GND_UINT64, 0, NULL, gnd_int(INT64_MAX));
    u[0] = gnd_full(dev, GND_UINT64, 0, NULL, gnd_int(0));
    u[1] = gnd_full(dev, GND_UINT64, 0, NULL, gnd_int(5));
    u[2] = gnd_add(half, one);
    u[3] = gnd_add(gnd_add(half, half), one);
    s[0] = gnd_full(dev, GND_INT64, 0, NULL, gnd_int(INT64_MIN));
    s[1] = gnd_full(dev, GND_INT8, 0, NULL, gnd_int(-1));
    s[2] = gnd_full(dev, GND_INT32, 0, NULL, gnd_int(5));
    s[3] = gnd_full(dev, GND_INT64, 0, NULL, gnd_int(INT64_MAX));
    /* as 128-bit integers */
    static const __int128 us[4] = {0, 5, (__int128)1 << 63, ((__int128)1 << 64) - 1};
    static const __int128 ss[4] = {INT64_MIN, -1, 5, INT64_MAX};
    int bad = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            bad += nodeval(gnd_less(s[i], u[j]), 0).i != (ss[i] < us[j]);
            bad += nodeval(gnd_less_equal(s[i], u[j]), 0).i != (ss[i] <= us[j]);
            bad += nodeval(gnd_greater(s[i], u[j]), 0).i != (ss[i] > us[j]);
            bad += nodeval(gnd_greater_equal(s[i], u[j]), 0).i != (ss[i] >= us[j]);
            bad += nodeval(gnd_equal(s[i], u[j]), 0).i != (ss[i] == us[j]);
            bad += nodeval(gnd_less(u[j], s[i]), 0).i != (us[j] < ss[i]);
            bad += nodeval(gnd_less_equal(u[j], s[i]), 0).i != (us[j] <= ss[i]);
            bad += nodeval(gnd_greater(u[j], s[i]), 0).i != (us[j] > ss[i]);
            bad += nodeval(gnd_greater_equal(u[j], s[i]), 0).i != (us[j] >= ss[i]);
        }
    }
    tap_is_int(bad, 0, "signed ints with uint64 compare exactly");

    gnd_array *b = gnd_full(dev, GND_UINT8, S(2), gnd_int(200));
    has(gnd_less(b, gnd_int(300)), V(1, 1), "uint8 < 300");
    has(gnd_less(gnd_int(300), b), V(0, 0), "300 < uint8");
    has(gnd_greater_equal(b, gnd_int(-1)), V(1, 1), "uint8 >= -1");
    has(gnd_equal(b, gnd_int(456)), V(0, 0), "uint8 == 456");
    has(gnd_not_equal(gnd_int(456), b), V(1, 1), "456 != uint8");
    has(gnd_equal(b, gnd_int(200)), V(1, 1), "uint8 == 200");
    gnd_scope_end();
}

int main(void)
{
    dev = gnd_open("null:0");
    dev32 = gnd_open("null:1");
    tap_is_int(gnd_device_status(dev), GND_OK, "null:0 opens");
    tap_is_int(gnd_default_float(dev), GND_FLOAT64, "  has float64");
    tap_is_int(gnd_default_float(dev32), GND_FLOAT32, "null:1 has none");
    dtypes();
    shapes();
    ranges();
    mixed_comparisons();
    gnd_stats st;
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "no array is left");
    gnd_close(dev);
    gnd_close(dev32);
    return tap_done();
}
