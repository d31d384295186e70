/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_runs.c - what kernels for CPUs compute for runs of points: random words, and functions that
 * have a way for near arguments. Bit for bit the same as point by point, which short axes are, and
 * as a reduction has them; also where one argument of a run is far, infinite or NaN.
 */
#include <math.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { N = 6000, ROWS = 50, COLS = 120 };

static double a[N], b[N];

/* Whether x and y have the same bytes. */
static int same(gnd_array *x, gnd_array *y)
{
    const size_t n = gnd_nbytes(x);
    return n == gnd_nbytes(y) && n <= sizeof a && !gnd_read(x, a, n) && !gnd_read(y, b, n) &&
           !memcmp(a, b, n);
}

/* Columns [from, to) of a matrix. */
static gnd_array *columns(gnd_array *x, int64_t from, int64_t to)
{
    const gnd_range idx[] = {{GND_IDX_SLICE, GND_NONE, GND_NONE, 1, NULL},
                             {GND_IDX_SLICE, from, to, 1, NULL}};
    return gnd_index(x, 2, idx);
}

/* The sum of integers made of x's elements: the same in any order, and the order may be another
 * where numbers are made than where they are read. */
static gnd_array *total(gnd_array *x)
{
    return gnd_sum(
        gnd_astype(gnd_dtype_of(x) == GND_FLOAT32 ? gnd_multiply(x, gnd_real(0x1p20)) : x,
                   GND_INT64),
        GND_ALL, 0);
}

/* --- random words ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    gnd_dtype t;
    int much; /* also in reductions */
} draws[] = {
    {"random", GND_FLOAT32, 1},      {"random", GND_FLOAT64, 0},      {"random", GND_FLOAT16, 0},
    {"random", GND_BFLOAT16, 0},     {"normal", GND_FLOAT32, 1},      {"normal", GND_FLOAT64, 1},
    {"exponential", GND_FLOAT32, 0}, {"exponential", GND_FLOAT64, 0}, {"laplace", GND_FLOAT32, 0},
    {"logistic", GND_FLOAT32, 0},    {"integers", GND_UINT32, 1},
};

/* Always the same numbers, not computed yet. */
static gnd_array *draw(gnd_device *dev, int d, int64_t rows, int64_t cols)
{
    gnd_rng g = gnd_rng_seed(5);
    const int64_t dim[2] = {rows, cols};
    const gnd_dtype t = draws[d].t;
    const char *name = draws[d].name;
    return !strcmp(name, "random")        ? gnd_rng_random(&g, dev, t, 2, dim)
           : !strcmp(name, "normal")      ? gnd_rng_standard_normal(&g, dev, t, 2, dim)
           : !strcmp(name, "exponential") ? gnd_rng_exponential(&g, dev, t, 2, dim, gnd_int(1))
           : !strcmp(name, "laplace") ? gnd_rng_laplace(&g, dev, t, 2, dim, gnd_int(0), gnd_int(1))
           : !strcmp(name, "logistic")
               ? gnd_rng_logistic(&g, dev, t, 2, dim, gnd_int(0), gnd_int(1))
               : gnd_rng_integers(&g, dev, t, 2, dim, NULL, gnd_int(3000000000), 0);
}

static void test_words(gnd_device *dev, const char *spec, int d)
{
    const char *name = draws[d].name, *t = gnd_dtype_name(draws[d].t);
    gnd_array *x = draw(dev, d, ROWS, COLS);
    gnd_eval_all(1, &x);
    tap_ok(same(columns(draw(dev, d, ROWS, COLS), 3, 103), columns(x, 3, 103)),
           "%s: %s, %s: point by point", spec, name, t);
    if (!draws[d].much)
        return;
    tap_ok(same(columns(draw(dev, d, 20, 300), 5, 205),
                columns(gnd_reshape(x, 2, (int64_t[]){20, 300}), 5, 205)),
           "%s: %s, %s: runs of rows", spec, name, t);
    tap_ok(same(total(draw(dev, d, ROWS, COLS)), total(x)), "%s: %s, %s: their sum", spec, name, t);
    tap_ok(same(gnd_max(columns(draw(dev, d, ROWS, COLS), 2, 107), GND_AXIS(1), 0),
                gnd_max(columns(x, 2, 107), GND_AXIS(1), 0)),
           "%s: %s, %s: maxima of short rows", spec, name, t);
    for (int axis = 0; axis < 2 && d == 0; axis++) {
        gnd_array *y = columns(draw(dev, d, 20, 300), 1, 299),
                  *z = gnd_reshape(x, 2, (int64_t[]){20, 300});
        tap_ok(same(gnd_max(y, GND_AXIS(axis), 0), gnd_max(columns(z, 1, 299), GND_AXIS(axis), 0)),
               "%s: %s, %s: maxima along axis %d", spec, name, t, axis);
    }
}

/* --- near and far ----------------------------------------------------------------------------- */

static void test_near(gnd_device *dev, const char *spec, gnd_dtype t, const char *name,
                      gnd_array *(*f)(gnd_array *))
{
    static const double far[] = {0x1p20,    0x1p22, 1e9,   1e30,      INFINITY,
                                 -INFINITY, NAN,    -5e22, 4194303.5, 1048575.9};
    const int64_t dim[2] = {ROWS, COLS};
    double v[N];
    for (int i = 0; i < N; i++)
        v[i] = (double)ref_range(-3000, 3000) / 64;
    for (int i = 0; i < 10; i++) /* in four of six runs */
        v[1500 + 400 * i] = far[i];
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT64, 2, dim, v), t);
    gnd_eval_all(1, &x);
    gnd_array *y = f(x);
    gnd_eval_all(1, &y);
    tap_ok(same(columns(y, 3, 103), f(columns(x, 3, 103))), "%s: %s, %s: as point by point", spec,
           name, gnd_dtype_name(t));
    if (f != gnd_sin || t == GND_FLOAT16)
        return;
    tap_ok(same(gnd_sum(gnd_where(gnd_isnan(y), gnd_int(0), y), GND_ALL, 0),
                gnd_sum(gnd_where(gnd_isnan(f(x)), gnd_int(0), f(x)), GND_ALL, 0)),
           "%s: %s, %s: in a sum", spec, name, gnd_dtype_name(t));
}

/* Remainders: far is a quotient of 2^52 and more. */
static gnd_array *mod(gnd_array *x)
{
    return gnd_remainder(x, gnd_real(-0.375));
}
static gnd_array *whole(gnd_array *x)
{
    return gnd_floor_divide(x, gnd_real(0.3));
}
static gnd_array *cut(gnd_array *x)
{
    return gnd_fmod(gnd_real(1e4), gnd_add(gnd_square(x), gnd_int(1)));
}

static void test(gnd_device *dev, const char *spec)
{
    static const gnd_dtype floats[] = {GND_FLOAT32, GND_FLOAT64, GND_FLOAT16};
    const int f64 = !ref_skip(dev, GND_FLOAT64, 1);
    gnd_scope_begin();
    for (int d = 0; d < (int)(sizeof draws / sizeof *draws); d++)
        if (f64 || draws[d].t != GND_FLOAT64)
            test_words(dev, spec, d);
    for (int i = 0; i < 3 && f64; i++) {
        test_near(dev, spec, floats[i], "sin", gnd_sin);
        test_near(dev, spec, floats[i], "remainder", mod);
        test_near(dev, spec, floats[i], "floor_divide", whole);
        test_near(dev, spec, floats[i], "fmod", cut);
        if (i == 2)
            break;
        test_near(dev, spec, floats[i], "cos", gnd_cos);
        test_near(dev, spec, floats[i], "tan", gnd_tan);
    }
    gnd_scope_end();
}

int main(void)
{
    ref_devices(test);
    return tap_done();
}
