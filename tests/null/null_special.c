/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_special.c - the functions of gnd/special.h and the operations beyond the standard without a
 * device to compute on: dtypes, values of weak scalars, the errors that the headers promise, on a
 * device without float64 too; every allocation failing.
 */
#include <gnd.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/graph.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev;
static gnd_array *f16, *bf16, *f32, *f64, *c64, *i8, *i32, *u64, *flag, *v3, *broken;

static void gives(const char *what, gnd_array *x, gnd_dtype t)
{
    if (!tap_ok(gnd_status_of(x) == GND_OK && gnd_dtype_of(x) == t, "%s is %s", what,
                gnd_dtype_name(t)))
        tap_diag("%s %s", gnd_dtype_name(gnd_dtype_of(x)), gnd_error(x));
    gnd_release(x);
}
#define GIVES(call, t) gives(#call, call, t)

/* A weak scalar of that kind and value. */
static void folds(const char *what, gnd_array *x, int kind, double value)
{
    const gnd__scalar *v = &x->p.value;
    int weak = gnd_status_of(x) == GND_OK && gnd_is_weak(x);
    double got = !weak ? NAN : v->kind == 'f' || v->kind == 'c' ? v->re : (double)v->i;
    if (!tap_ok(weak && v->kind == kind && (got == value || (isnan(got) && isnan(value))),
                "%s is %g", what, value))
        tap_diag("kind %c, %.17g %s", weak ? v->kind : '-', got, gnd_error(x));
    gnd_release(x);
}
#define FOLDS(call, kind, value) folds(#call, call, kind, value)

/* The first of two results, or the second; the call's status is that of both. */
static gnd_array *pick(gnd_status st, gnd_array **out, int which)
{
    tap_ok(st == gnd_status_of(out[0]) || st == gnd_status_of(out[1]), "the status is a result's");
    gnd_release(out[!which]);
    return out[which];
}
#define FIRST(f, ...) pick(f(__VA_ARGS__, &out[0], &out[1]), out, 0)
#define SECOND(f, ...) pick(f(__VA_ARGS__, &out[0], &out[1]), out, 1)

static void test_dtypes(void)
{
    gnd_array *out[2];
    GIVES(FIRST(gnd_frexp, bf16), GND_BFLOAT16);
    GIVES(SECOND(gnd_frexp, f64), GND_INT32);
    GIVES(FIRST(gnd_frexp, i8), GND_FLOAT16);
    GIVES(FIRST(gnd_modf, u64), GND_FLOAT64);
    GIVES(SECOND(gnd_modf, u64), GND_FLOAT64);
    GIVES(SECOND(gnd_modf, f16), GND_FLOAT16);
    GIVES(FIRST(gnd_divmod, i8, i32), GND_INT32);
    GIVES(SECOND(gnd_divmod, flag, flag), GND_INT8);
    GIVES(gnd_ldexp(f32, u64), GND_FLOAT32);
    GIVES(gnd_ldexp(i8, i8), GND_FLOAT16);
    GIVES(gnd_ldexp(gnd_int(1), i8), GND_FLOAT64);
    GIVES(gnd_ldexp(f16, gnd_int(3)), GND_FLOAT16);
    GIVES(gnd_ldexp(f16, gnd_bool(1)), GND_FLOAT16);
    GIVES(gnd_from_parts(f32, f16), GND_COMPLEX64);
    GIVES(gnd_from_parts(i32, flag), GND_COMPLEX128);
    GIVES(gnd_from_parts(f32, gnd_int(0)), GND_COMPLEX64);
    GIVES(gnd_float_power(f32, f16), GND_FLOAT64);
    GIVES(gnd_float_power(i8, c64), GND_COMPLEX128);
    GIVES(gnd_float_power(gnd_int(2), i8), GND_FLOAT64);
    GIVES(gnd_float_power(i8, gnd_complex(0, 1)), GND_COMPLEX128);
    GIVES(gnd_nan_to_num(c64, NULL, NULL, NULL), GND_COMPLEX64);
    GIVES(gnd_nan_to_num(f16, f64, gnd_real(3), gnd_int(2)), GND_FLOAT16);
    GIVES(gnd_nan_to_num(i32, NULL, NULL, NULL), GND_INT32);
    GIVES(gnd_angle(c64, 1), GND_FLOAT32);
    GIVES(gnd_angle(i8, 0), GND_FLOAT16);
    GIVES(gnd_round_decimals(i32, -2), GND_INT32);
    GIVES(gnd_round_decimals(c64, 2), GND_COMPLEX64);
    GIVES(gnd_round_decimals(flag, -1), GND_BOOL);
    GIVES(gnd_sinc(i8), GND_FLOAT64);
    GIVES(gnd_i0(i8), GND_FLOAT64);
    GIVES(gnd_erfinv(i8), GND_FLOAT16);
    GIVES(gnd_isreal(f16), GND_BOOL);
    GIVES(gnd_iscomplex(c64), GND_BOOL);
    GIVES(gnd_relu(i8), GND_INT8);
    GIVES(gnd_gcd(flag, flag), GND_INT8);
    GIVES(gnd_fmax(c64, f64), GND_COMPLEX128);
    GIVES(gnd_heaviside(i8, gnd_real(0.5)), GND_FLOAT64);
    GIVES(gnd_radians(i32), GND_FLOAT64);
    GIVES(gnd_expit(bf16), GND_BFLOAT16);
}

static void test_values(void)
{
    gnd_array *out[2];
    FOLDS(FIRST(gnd_frexp, gnd_int(12)), 'f', 0.75);
    FOLDS(SECOND(gnd_frexp, gnd_real(-0.125)), 'i', -2);
    FOLDS(FIRST(gnd_modf, gnd_real(-2.25)), 'f', -0.25);
    FOLDS(SECOND(gnd_modf, gnd_int(3)), 'f', 3);
    FOLDS(FIRST(gnd_divmod, gnd_int(-7), gnd_int(2)), 'i', -4);
    FOLDS(SECOND(gnd_divmod, gnd_real(7), gnd_int(-2)), 'f', -1);
    FOLDS(gnd_float_power(gnd_int(2), gnd_int(-2)), 'f', 0.25);
    FOLDS(gnd_float_power(gnd_bool(1), gnd_bool(1)), 'f', 1);
    FOLDS(gnd_nan_to_num(gnd_real(NAN), gnd_int(5), NULL, NULL), 'f', 5);
    FOLDS(gnd_nan_to_num(gnd_real(-INFINITY), NULL, NULL, NULL), 'f', -0x1.fffffffffffffp1023);
    FOLDS(gnd_nan_to_num(gnd_complex(INFINITY, 0), NULL, gnd_real(2), NULL), 'c', 2);
    FOLDS(gnd_angle(gnd_complex(0, 2), 1), 'f', 90);
    FOLDS(gnd_round_decimals(gnd_real(2.675), 1), 'f', 2.7);
    FOLDS(gnd_round_decimals(gnd_int(1250), -2), 'i', 1200);
    FOLDS(gnd_round_decimals(gnd_complex(2.675, INFINITY), 1), 'c', 2.7);
    FOLDS(gnd_isreal(gnd_complex(1, 0)), 'b', 1);
    FOLDS(gnd_iscomplex(gnd_int(1)), 'b', 0);
    FOLDS(gnd_relu(gnd_real(-3)), 'f', 0);
    FOLDS(gnd_relu(gnd_real(NAN)), 'f', NAN);
    FOLDS(gnd_ldexp(gnd_int(3), gnd_int(-1)), 'f', 1.5);
}

static void test_errors(void)
{
    gnd_array *out[2];
    gnd_scope_begin();
    FAILS(FIRST(gnd_frexp, NULL), GND_ERR_NULL, "frexp: x is NULL");
    FAILS(SECOND(gnd_frexp, NULL), GND_ERR_NULL, "frexp: x is NULL");
    FAILS(SECOND(gnd_frexp, c64), GND_ERR_DTYPE,
          "complex64 is not allowed: bools, ints and floats");
    FAILS(FIRST(gnd_modf, broken), GND_ERR_SHAPE, "broken");
    FAILS(SECOND(gnd_modf, c64), GND_ERR_DTYPE, "complex64 is not allowed");
    FAILS(FIRST(gnd_divmod, f32, NULL), GND_ERR_NULL, "divmod: x2 is NULL");
    FAILS(SECOND(gnd_divmod, f32, v3), GND_ERR_SHAPE, "do not broadcast");
    FAILS(SECOND(gnd_divmod, f32, c64), GND_ERR_DTYPE, "complex64");
    tap_is_int(gnd_frexp(f32, NULL, out), GND_ERR_NULL, "frexp: no place for the mantissa");
    tap_is_int(gnd_modf(f32, out, NULL), GND_ERR_NULL, "modf: no place for the whole part");
    tap_is_int(gnd_divmod(f32, f32, NULL, NULL), GND_ERR_NULL, "divmod: no places");
    FAILS(gnd_ldexp(f32, f32), GND_ERR_DTYPE, "ldexp: x2 is float32: bools and ints only");
    FAILS(gnd_ldexp(f32, gnd_real(2)), GND_ERR_DTYPE, "ldexp: x2 is float64");
    FAILS(gnd_ldexp(c64, i8), GND_ERR_DTYPE, "ldexp: complex64 is not allowed");
    FAILS(gnd_ldexp(gnd_real(1), gnd_real(2)), GND_ERR_DTYPE, "ldexp");
    FAILS(gnd_ldexp(f32, NULL), GND_ERR_NULL, "ldexp: x2 is NULL");
    FAILS(gnd_from_parts(c64, f32), GND_ERR_DTYPE,
          "from_parts: complex64 is not allowed: bools, ints and floats only");
    FAILS(gnd_gcd(f32, i8), GND_ERR_DTYPE, "gcd: float32 is not allowed: bools and ints only");
    FAILS(gnd_lcm(u64, i8), GND_ERR_DTYPE, "lcm: float64 is not allowed");
    FAILS(gnd_erfinv(c64), GND_ERR_DTYPE, "erfinv: complex64 is not allowed");
    FAILS(gnd_float_power(NULL, f32), GND_ERR_NULL, "float_power: x1 is NULL");
    FAILS(gnd_float_power(f32, broken), GND_ERR_SHAPE, "broken");
    FAILS(gnd_float_power(f32, v3), GND_ERR_SHAPE, "do not broadcast");
    FAILS(gnd_round_decimals(f32, 301), GND_ERR_ARG, "round_decimals: decimals is 301");
    FAILS(gnd_round_decimals(NULL, 1), GND_ERR_NULL, "round_decimals: x is NULL");
    FAILS(gnd_angle(NULL, 0), GND_ERR_NULL, "angle: z is NULL");
    FAILS(gnd_isreal(NULL), GND_ERR_NULL, "isreal: x is NULL");
    FAILS(gnd_iscomplex(broken), GND_ERR_SHAPE, "broken");
    FAILS(gnd_relu(NULL), GND_ERR_NULL, "relu: x is NULL");
    FAILS(gnd_relu(c64), GND_ERR_DTYPE, "relu: complex64 is not allowed");
    FAILS(gnd_nan_to_num(NULL, NULL, NULL, NULL), GND_ERR_NULL, "nan_to_num: x is NULL");
    FAILS(gnd_nan_to_num(f32, broken, NULL, NULL), GND_ERR_SHAPE, "broken");
    FAILS(gnd_nan_to_num(f32, NULL, c64, NULL), GND_ERR_DTYPE,
          "nan_to_num: posinf is complex64: it must be real");
    FAILS(gnd_nan_to_num(f32, NULL, NULL, v3), GND_ERR_SHAPE, "nan_to_num: shapes (2,) and (3,)");
    gnd_array *zero = gnd_real(0);
    FAILS(gnd_nan_to_num(zero, v3, NULL, NULL), GND_ERR_SHAPE,
          "nan_to_num: nan of shape (3,) does not broadcast to x's ()");
    gnd_release(zero);
    gnd_scope_end();
}

/* float64 and int64 on a device that has no float64. */
static void test_without_f64(void)
{
    gnd_device *d = gnd_open("null:1");
    gnd_array *i = gnd_empty(d, GND_INT64, 1, (int64_t[]){2}), *out[2];
    gnd_array *f = gnd_empty(d, GND_FLOAT32, 1, (int64_t[]){2});
    gnd_scope_begin();
    GIVES(gnd_gamma(i), GND_FLOAT32);
    GIVES(gnd_ldexp(i, i), GND_FLOAT32);
    GIVES(gnd_from_parts(i, f), GND_COMPLEX64);
    GIVES(gnd_float_power(i, f), GND_FLOAT32);
    GIVES(gnd_float_power(i, gnd_complex(1, 0)), GND_COMPLEX64);
    GIVES(FIRST(gnd_modf, i), GND_FLOAT32);
    GIVES(SECOND(gnd_modf, i), GND_FLOAT32);
    GIVES(gnd_nan_to_num(f, NULL, NULL, NULL), GND_FLOAT32);
    GIVES(gnd_round_decimals(i, -1), GND_INT64);
    gnd_scope_end();
    gnd_release(i);
    gnd_release(f);
    gnd_close(d);
}

static int everything(void)
{
    gnd_array *out[6], *y[8];
    int bad = 0;
    gnd_scope_begin();
    bad |= gnd_frexp(i32, &out[0], &out[1]) != GND_OK;
    bad |= gnd_modf(i32, &out[2], &out[3]) != GND_OK;
    bad |= gnd_divmod(i32, f32, &out[4], &out[5]) != GND_OK;
    y[0] = gnd_nan_to_num(c64, gnd_real(1), f64, NULL);
    y[1] = gnd_float_power(f32, i32);
    y[2] = gnd_round_decimals(i32, -2);
    y[3] = gnd_angle(c64, 1);
    y[4] = gnd_ldexp(f32, u64);
    y[5] = gnd_from_parts(f32, i32);
    y[6] = gnd_iscomplex(c64);
    y[7] = gnd_ldexp(f32, gnd_astype(i8, GND_INT64));
    for (int i = 0; i < 8; i++)
        bad |= gnd_status_of(y[i]) != GND_OK;
    gnd_scope_end();
    return bad;
}

static void test_memory(void)
{
    gnd_stats st;
    int left = 0, bad = 1, at;
    everything();
    gnd_device_stats(dev, &st);
    uint64_t arrays = st.arrays;
    long live = gnd__mem_live();
    for (at = 1; bad && at < 5000; at++) {
        gnd__mem_fail_at(at);
        bad = everything();
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
    const int64_t n = 2, three = 3;
    dev = gnd_open("null:0");
    f16 = gnd_empty(dev, GND_FLOAT16, 1, &n), bf16 = gnd_empty(dev, GND_BFLOAT16, 1, &n);
    f32 = gnd_empty(dev, GND_FLOAT32, 1, &n), f64 = gnd_empty(dev, GND_FLOAT64, 1, &n);
    c64 = gnd_empty(dev, GND_COMPLEX64, 1, &n), i8 = gnd_empty(dev, GND_INT8, 1, &n);
    i32 = gnd_empty(dev, GND_INT32, 1, &n), u64 = gnd_empty(dev, GND_UINT64, 1, &n);
    flag = gnd_empty(dev, GND_BOOL, 1, &n), v3 = gnd_empty(dev, GND_FLOAT32, 1, &three);
    broken = gnd_fail(GND_ERR_SHAPE, "broken");
    gnd_scope_begin();
    test_dtypes();
    test_values();
    test_errors();
    gnd_scope_end();
    test_without_f64();
    test_memory();
    gnd_release(f16), gnd_release(bf16), gnd_release(f32), gnd_release(f64), gnd_release(c64);
    gnd_release(i8), gnd_release(i32), gnd_release(u64), gnd_release(flag), gnd_release(v3);
    gnd_release(broken);
    gnd_stats st;
    tap_is_int(gnd_device_stats(dev, &st), GND_OK, "statistics");
    tap_is_int(st.arrays, 0, "no array is left");
    gnd_close(dev);
    return tap_done();
}
