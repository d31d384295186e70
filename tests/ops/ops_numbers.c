/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_numbers.c - numbers and arrays of 64 bits: gnd_uint beside arrays of every dtype, and arrays
 * of one element as numbers of C, with what has no such number.
 */
#include <complex.h>
#include <math.h>
#include <string.h>
#include "ref.h"
#include "tap.h"
#include <gnd.h>

static gnd_device *dev;

#define TOP UINT64_MAX
static const uint64_t greatest = TOP;
static const uint64_t HALF = (uint64_t)1 << 63;

static gnd_array *one(gnd_dtype t, const void *v)
{
    return gnd_from(dev, t, 0, NULL, v);
}

static void fails(gnd_status got, gnd_status want, const char *text, const char *what)
{
    tap_is_int(got, want, "%s", what);
    tap_has_str(gnd_message(), text, "%s: its text", what);
}

/* Values that have a number, those that have none, and what of a number is lost: nothing but a
 * fraction. */
static void items(void)
{
    gnd_status st;
    const int64_t low = INT64_MIN;
    double z[2];
    gnd_scope_begin();
    tap_ok(gnd_item_u64(one(GND_UINT64, &greatest), &st) == TOP && st == GND_OK,
           "u64: the greatest");
    tap_ok(gnd_item_u64(gnd_uint(TOP), &st) == TOP && st == GND_OK, "u64: of a scalar");
    tap_ok(gnd_item_i64(one(GND_INT64, &low), &st) == low && st == GND_OK, "i64: the least");
    tap_ok(gnd_item_f64(one(GND_UINT64, &greatest), &st) == 0x1p64 && st == GND_OK,
           "f64: rounds a uint64");
    tap_ok(gnd_item_i64(gnd_real(3.7), &st) == 3 && st == GND_OK, "i64: 3.7 is 3");
    tap_ok(gnd_item_i64(gnd_real(-3.7), &st) == -3 && st == GND_OK, "i64: -3.7 is -3");
    tap_ok(gnd_item_u64(gnd_real(-0.5), &st) == 0 && st == GND_OK, "u64: -0.5 is 0");
    tap_ok(gnd_item_i64(gnd_real(-0x1p63), &st) == low && st == GND_OK, "i64: -2^63");
    tap_ok(gnd_item_u64(gnd_real(0x1p63), &st) == HALF && st == GND_OK, "u64: 2^63");
    tap_ok(gnd_item_f64(gnd_complex(2, 0), &st) == 2 && st == GND_OK, "f64: of 2+0j");
    tap_ok(gnd_item_i64(gnd_complex(2.5, 0), &st) == 2 && st == GND_OK, "i64: of 2.5+0j");
    const float complex c = 1.5f - 2.0f * I;
    tap_ok(gnd_item_c128(one(GND_COMPLEX64, &c), z) == GND_OK && z[0] == 1.5 && z[1] == -2, "c128");
    tap_ok(gnd_item_c128(gnd_int(-7), z) == GND_OK && z[0] == -7 && z[1] == 0, "c128: of an int");

    tap_ok(isnan(gnd_item_f64(one(GND_COMPLEX64, &c), &st)), "f64: of a complex number, NaN");
    fails(st, GND_ERR_DTYPE, "item_f64: the element 1.5-2j is complex: take gnd_item_c128",
          "f64 of 1.5-2j");
    tap_ok(gnd_item_i64(gnd_complex(0, NAN), &st) == 0, "i64 of a complex number, 0");
    fails(st, GND_ERR_DTYPE, "item_i64: the element", "i64 of NaN j");
    const struct {
        double v;
        int as_u64;
        const char *text;
    } none[] = {{NAN, 0, "item_i64: the element nan"},
                {1e300, 0, "does not fit int64"},
                {-INFINITY, 0, "item_i64: the element -inf"},
                {0x1p63, 0, "does not fit int64"},
                {NAN, 1, "item_u64: the element nan"},
                {-1, 1, "item_u64: the element -1 does not fit uint64"},
                {0x1p64, 1, "does not fit uint64"}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        uint64_t got = none[i].as_u64 ? gnd_item_u64(gnd_real(none[i].v), &st)
                                      : (uint64_t)gnd_item_i64(gnd_real(none[i].v), &st);
        tap_ok(got == 0, "%g has no int: 0", none[i].v);
        fails(st, GND_ERR_OVERFLOW, none[i].text, none[i].as_u64 ? "u64" : "i64");
    }
    tap_ok(gnd_item_i64(one(GND_UINT64, &greatest), &st) == 0, "i64 of the greatest uint64, 0");
    fails(st, GND_ERR_OVERFLOW,
          "item_i64: the element 18446744073709551615 does not fit int64: take gnd_item_u64",
          "i64");
    tap_ok(gnd_item_u64(gnd_int(-1), &st) == 0, "u64 of -1, 0");
    fails(st, GND_ERR_OVERFLOW, "item_u64: the element -1 does not fit uint64: take gnd_item_i64",
          "u64");
    gnd_array *two = gnd_zeros(dev, GND_INT32, 1, (int64_t[]){2});
    tap_ok(gnd_item_u64(two, &st) == 0, "two elements, 0");
    fails(st, GND_ERR_SHAPE, "item_u64: x must have exactly one element, but has 2",
          "u64 of two elements");
    fails(gnd_item_c128(two, z), GND_ERR_SHAPE, "item_c128: x must have exactly one element",
          "c128 of two elements");
    tap_ok(isnan(z[0]) && isnan(z[1]), "c128: NaN then");
    fails(gnd_item_c128(two, NULL), GND_ERR_NULL, "item_c128: z is NULL", "c128 to NULL");
    gnd_scope_end();
}

/* gnd_uint takes uint64 and floats of an array, fits no other ints, and compares exactly with all.
 */
static void beside_arrays(void)
{
    const uint64_t u[3] = {0, HALF + 5, TOP};
    uint64_t got[3];
    float f[3];
    unsigned char b[3];
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_UINT64, 1, (int64_t[]){3}, u);
    gnd_array *y = gnd_add(x, gnd_uint(HALF));
    tap_is_int(gnd_dtype_of(y), GND_UINT64, "uint64 + 2^63: uint64");
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "  read");
    tap_ok(got[0] == HALF && got[1] == 5 && got[2] == HALF - 1, "  and wraps");
    gnd_read(gnd_maximum(x, gnd_uint(TOP - 1)), got, sizeof got);
    tap_ok(got[0] == TOP - 1 && got[2] == TOP, "maximum with 2^64 - 2");
    gnd_read(gnd_greater_equal(x, gnd_uint(HALF + 5)), b, sizeof b);
    tap_ok(!b[0] && b[1] && b[2], "uint64 >= 2^63 + 5");
    gnd_array *w =
        gnd_where(gnd_from(dev, GND_BOOL, 1, (int64_t[]){3}, "\1\0\1"), gnd_uint(TOP), gnd_int(1));
    tap_is_int(gnd_dtype_of(w), GND_UINT64, "where of 2^64 - 1 and 1: uint64");
    gnd_read(w, got, sizeof got);
    tap_ok(got[0] == TOP && got[1] == 1, "  its elements");
    gnd_read(gnd_full(dev, GND_DTYPE_DEFAULT, 1, (int64_t[]){3}, gnd_uint(HALF)), got, sizeof got);
    tap_ok(got[2] == HALF, "full of 2^63 is uint64");
    gnd_array *g = gnd_multiply(gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){3}), gnd_uint(HALF));
    tap_is_int(gnd_dtype_of(g), GND_FLOAT32, "float32 * 2^63: float32");
    gnd_read(g, f, sizeof f);
    tap_ok(f[0] == 0x1p63f, "  its elements");
    for (int t = 0; t < GND_NDTYPES; t++) {
        int kind = gnd_dtype_kind((gnd_dtype)t);
        if ((kind != 'i' && kind != 'u') || t == GND_UINT64)
            continue;
        gnd_array *i = gnd_zeros(dev, (gnd_dtype)t, 1, (int64_t[]){3}),
                  *sum = gnd_add(i, gnd_uint(HALF));
        tap_is_int(gnd_status_of(sum), GND_ERR_OVERFLOW, "%s + 2^63", gnd_dtype_name((gnd_dtype)t));
        tap_has_str(gnd_error(sum), "add: the scalar 9223372036854775808 does not fit",
                    "  its text");
        tap_ok(gnd_read(gnd_less(i, gnd_uint(HALF)), b, sizeof b) == GND_OK && b[0] && b[2],
               "  but less");
        tap_ok(gnd_read(gnd_equal(gnd_uint(HALF), i), b, sizeof b) == GND_OK && !b[0],
               "  and not equal");
    }
    tap_ok(gnd_item_u64(gnd_add(gnd_int(INT64_MAX), gnd_int(1)), NULL) == HALF,
           "scalars: 2^63 - 1 + 1");
    tap_ok(gnd_item_i64(gnd_subtract(gnd_uint(HALF), gnd_int(1)), NULL) == INT64_MAX,
           "scalars: 2^63 - 1");
    tap_is_int(gnd_status_of(gnd_add(gnd_uint(TOP), gnd_int(1))), GND_ERR_OVERFLOW,
               "scalars: 2^64");
    tap_is_int(gnd_status_of(gnd_take(x, gnd_uint(HALF), 0)), GND_ERR_OVERFLOW, "an index of 2^63");
    gnd_range r = {.kind = GND_IDX_ARRAY, .array = gnd_uint(HALF)};
    tap_is_int(gnd_status_of(gnd_index(x, 1, &r)), GND_ERR_INDEX, "[2^63]");
    tap_is_int(
        gnd_status_of(gnd_arange(dev, gnd_int(0), gnd_uint(TOP), gnd_uint(HALF), GND_UINT64)),
        GND_ERR_OVERFLOW, "arange to 2^64 - 1");
    gnd_scope_end();
}

/* The special cases that the standard names for expm1 of complex numbers; conjugates give
 * conjugates. */
static void complex_expm1(void)
{
    static const double inf = INFINITY;
    const struct {
        double a, b, re, im;
    } c[] = {{0, 0, 0, 0},        {-0.0, 0, 0, 0},      {1.5, inf, NAN, NAN}, {1.5, NAN, NAN, NAN},
             {0, inf, NAN, NAN},  {inf, 0, inf, 0},     {-inf, 2, -1, 0},     {-inf, 1, -1, 0},
             {-inf, 4, -1, -0.0}, {inf, 2, -inf, inf},  {inf, 4, -inf, -inf}, {inf, 1, inf, inf},
             {-inf, inf, -1, 0},  {inf, inf, inf, NAN}, {-inf, NAN, -1, 0},   {inf, NAN, inf, NAN},
             {NAN, 0, NAN, 0},    {NAN, 3, NAN, NAN},   {NAN, inf, NAN, NAN}, {NAN, NAN, NAN, NAN}};
    enum { N = sizeof c / sizeof c[0] };
    float in4[2 * N][2], out4[2 * N][2];
    double in8[2 * N][2], out8[2 * N][2];
    const int64_t n = 2 * N;
    gnd_scope_begin();
    for (int i = 0; i < 2 * N; i++) {
        in8[i][0] = c[i / 2].a;
        in8[i][1] = i % 2 ? -c[i / 2].b : c[i / 2].b;
        in4[i][0] = (float)in8[i][0];
        in4[i][1] = (float)in8[i][1];
    }
    int wide = gnd_default_float(dev) == GND_FLOAT64;
    tap_is_int(gnd_read(gnd_expm1(gnd_from(dev, GND_COMPLEX64, 1, &n, in4)), out4, sizeof out4),
               GND_OK, "expm1");
    if (wide)
        gnd_read(gnd_expm1(gnd_from(dev, GND_COMPLEX128, 1, &n, in8)), out8, sizeof out8);
    for (int how = 0; how < 3; how++) {
        int wrong = 0;
        for (int i = 0; i < 2 * N && (how != 1 || wide); i++) {
            double z[2], sign = i % 2 ? -1 : 1, re = c[i / 2].re, im = sign * c[i / 2].im;
            if (how == 2)
                gnd_item_c128(gnd_expm1(gnd_complex(in8[i][0], in8[i][1])), z);
            else
                for (int p = 0; p < 2; p++)
                    z[p] = how == 0 ? (double)out4[i][p] : out8[i][p];
            /* signs that the standard leaves open */
            int any_re = isinf(c[i / 2].a) && c[i / 2].a > 0 && isinf(c[i / 2].b);
            int any_im = isinf(c[i / 2].a) && c[i / 2].a < 0 && !isfinite(c[i / 2].b);
            int ok =
                (isnan(re) ? isnan(z[0])
                           : z[0] == re && (any_re || signbit(z[0]) == signbit(re))) &&
                (isnan(im) ? isnan(z[1]) : z[1] == im && (any_im || signbit(z[1]) == signbit(im)));
            if (!ok)
                tap_diag("expm1(%g%+gj) is %g%+gj, not %g%+gj", in8[i][0], in8[i][1], z[0], z[1],
                         re, im);
            wrong += !ok;
        }
        tap_is_int(wrong, 0, "expm1's special cases, %s",
                   how == 0   ? "complex64"
                   : how == 1 ? "complex128"
                              : "scalars");
    }
    gnd_scope_end();
}

/* What percentile's q makes of the dtype: q / 100 is a float of its own, for an array of ints too.
 */
static void percentiles(void)
{
    const float x[4] = {1, 2, 3, 5};
    const int64_t four = 4, two = 2, ask[2] = {25, 50};
    double got[2];
    gnd_scope_begin();
    gnd_array *a = gnd_from(dev, GND_FLOAT32, 1, &four, x),
              *q = gnd_from(dev, GND_INT64, 1, &two, ask);
    gnd_array *y = gnd_percentile(a, q, GND_ALL, 0, GND_Q_LINEAR);
    tap_is_int(gnd_dtype_of(y), gnd_default_float(dev),
               "percentile of float32 at int64's: the default float");
    tap_is_int(gnd_read(gnd_astype(y, gnd_default_float(dev)), got, gnd_nbytes(y)), GND_OK,
               "  read");
    if (gnd_default_float(dev) == GND_FLOAT64)
        tap_ok(got[0] == 1.75 && got[1] == 2.5, "  its elements");
    tap_is_int(gnd_dtype_of(gnd_percentile(a, gnd_int(50), GND_ALL, 0, GND_Q_LINEAR)), GND_FLOAT32,
               "percentile of float32 at a number: float32");
    tap_is_int(gnd_dtype_of(gnd_percentile(a, gnd_astype(q, GND_UINT8), GND_ALL, 0, GND_Q_LINEAR)),
               GND_FLOAT32, "percentile of float32 at uint8's: float32");
    tap_is_int(gnd_dtype_of(gnd_percentile(a, q, GND_ALL, 0, GND_Q_LOWER)), GND_FLOAT32,
               "  a method that takes elements");
    gnd_scope_end();
}

/* gnd_bitwise_count and gnd_spacing: tests/diff/diff_forms.py has the values; here their dtypes and
 * errors. */
static void stored(void)
{
    const int8_t v[4] = {-128, -1, 0, 127};
    unsigned char got[4];
    float f[2] = {-0.0f, -1.0f};
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_INT8, 1, (int64_t[]){4}, v), *n = gnd_bitwise_count(x);
    tap_is_int(gnd_dtype_of(n), GND_UINT8, "bitwise_count gives uint8");
    tap_is_int(gnd_read(n, got, sizeof got), GND_OK, "  read");
    tap_ok(got[0] == 1 && got[1] == 1 && got[2] == 0 && got[3] == 7, "  of the absolute value");
    gnd_array *r = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){2}, f), *s = gnd_spacing(r);
    tap_is_int(gnd_dtype_of(s), GND_FLOAT32, "spacing keeps float32");
    tap_ok(gnd_read(s, f, sizeof f) == GND_OK && f[0] > 0 && f[0] < 1e-44f && f[1] == -0x1p-23f,
           "  its elements");
    tap_has_str(gnd_error(gnd_bitwise_count(r)), "bitwise_count: float32 is not allowed",
                "bits of floats");
    tap_has_str(gnd_error(gnd_bitwise_count(gnd_int(3))), "bitwise_count:", "bits of a scalar");
    tap_has_str(gnd_error(gnd_spacing(gnd_astype(r, GND_COMPLEX64))),
                "spacing: complex64 is not allowed", "of complex");
    tap_is_int(gnd_status_of(gnd_spacing(NULL)), GND_ERR_NULL, "spacing of NULL");
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    dev = d;
    tap_diag("%s", spec);
    items();
    beside_arrays();
    complex_expm1();
    percentiles();
    stored();
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
