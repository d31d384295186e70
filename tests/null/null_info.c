/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_info.c - what dtypes are and can hold (gnd_isdtype, gnd_finfo, gnd_iinfo), what operands
 * promote to (gnd_result_type, gnd_can_cast), the constants, and what inspection tells
 * (gnd_capabilities, gnd_default_device, gnd_default_dtypes, gnd_dtypes), from C and in
 * expressions. Computes on no device.
 */
#include <gnd.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "tap.h"

/* --- limits ----------------------------------------------------------------------------------- */

static void test_finfo(void)
{
    gnd_float_info f;
    tap_is_int(gnd_finfo(GND_FLOAT32, &f), GND_OK, "finfo: float32");
    tap_ok(f.bits == 32 && f.dtype == GND_FLOAT32 && f.eps == FLT_EPSILON && f.max == FLT_MAX &&
               f.min == -FLT_MAX && f.smallest_normal == FLT_MIN &&
               f.smallest_subnormal == FLT_TRUE_MIN && f.precision == FLT_DIG &&
               f.nmant == FLT_MANT_DIG - 1 && f.nexp == 8 && f.resolution == 1e-6,
           "... is what C says");
    gnd_finfo(GND_FLOAT64, &f);
    tap_ok(f.bits == 64 && f.dtype == GND_FLOAT64 && f.eps == DBL_EPSILON && f.max == DBL_MAX &&
               f.min == -DBL_MAX && f.smallest_normal == DBL_MIN &&
               f.smallest_subnormal == DBL_TRUE_MIN && f.precision == DBL_DIG &&
               f.nmant == DBL_MANT_DIG - 1 && f.nexp == 11 && f.epsneg == DBL_EPSILON / 2,
           "float64 too");
    gnd_finfo(GND_FLOAT16, &f);
    tap_ok(f.bits == 16 && f.eps == 0x1p-10 && f.max == 65504 && f.smallest_normal == 0x1p-14 &&
               f.smallest_subnormal == 0x1p-24 && f.precision == 3 && f.resolution == 1e-3,
           "float16");
    gnd_finfo(GND_BFLOAT16, &f);
    tap_ok(f.bits == 16 && f.eps == 0x1p-7 && f.max == 0x1.fep127 &&
               f.smallest_normal == 0x1p-126 && f.precision == 2,
           "bfloat16");
    gnd_finfo(GND_COMPLEX64, &f);
    tap_ok(f.bits == 32 && f.dtype == GND_FLOAT32, "complex64: the dtype of its parts");
    gnd_finfo(GND_COMPLEX128, &f);
    tap_ok(f.bits == 64 && f.dtype == GND_FLOAT64, "complex128");
    tap_is_int(gnd_finfo(GND_INT8, &f), GND_ERR_DTYPE, "not int8");
    tap_is_str(gnd_message(), "finfo: int8 is not allowed: floats and complex only", "... and why");
    tap_ok(gnd_finfo(GND_BOOL, &f) == GND_ERR_DTYPE &&
               gnd_finfo(GND_DTYPE_DEFAULT, &f) == GND_ERR_DTYPE && f.dtype == GND_DTYPE_DEFAULT &&
               f.bits == 0,
           "not bool, not what is no dtype");
    tap_is_int(gnd_finfo(GND_FLOAT32, NULL), GND_ERR_NULL, "NULL");
}

static void test_iinfo(void)
{
    static const struct {
        gnd_dtype t;
        int bits;
        int64_t min;
        uint64_t max;
    } want[] = {
        {GND_INT8, 8, INT8_MIN, INT8_MAX},     {GND_INT16, 16, INT16_MIN, INT16_MAX},
        {GND_INT32, 32, INT32_MIN, INT32_MAX}, {GND_INT64, 64, INT64_MIN, INT64_MAX},
        {GND_UINT8, 8, 0, UINT8_MAX},          {GND_UINT16, 16, 0, UINT16_MAX},
        {GND_UINT32, 32, 0, UINT32_MAX},       {GND_UINT64, 64, 0, UINT64_MAX},
    };
    gnd_int_info i;
    for (size_t k = 0; k < sizeof want / sizeof want[0]; k++)
        tap_ok(gnd_iinfo(want[k].t, &i) == GND_OK && i.dtype == want[k].t &&
                   i.bits == want[k].bits && i.min == want[k].min && i.max == want[k].max,
               "iinfo: %s", gnd_dtype_name(want[k].t));
    tap_is_int(gnd_iinfo(GND_BOOL, &i), GND_ERR_DTYPE, "not bool");
    tap_is_str(gnd_message(), "iinfo: bool is not allowed: ints only", "... and why");
    tap_is_int(gnd_iinfo(GND_FLOAT64, &i), GND_ERR_DTYPE, "not float64");
    tap_is_int(gnd_iinfo(GND_INT8, NULL), GND_ERR_NULL, "NULL");
}

static void test_isdtype(void)
{
    static const struct {
        const char *name;
        unsigned kinds;
        const char *letters;
    } kinds[] = {
        {"bool", GND_KIND_BOOL, "b"},
        {"signed integer", GND_KIND_SIGNED, "i"},
        {"unsigned integer", GND_KIND_UNSIGNED, "u"},
        {"integral", GND_KIND_INTEGRAL, "iu"},
        {"real floating", GND_KIND_REAL, "f"},
        {"complex floating", GND_KIND_COMPLEX, "c"},
        {"numeric", GND_KIND_NUMERIC, "iufc"},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int good = 1;
        for (int t = 0; t < GND_NDTYPES; t++) {
            char text[96];
            int want = strchr(kinds[k].letters, gnd_dtype_kind((gnd_dtype)t)) != NULL;
            snprintf(text, sizeof text, "isdtype(%s, '%s')", gnd_dtype_name((gnd_dtype)t),
                     kinds[k].name);
            gnd_array *y = gnd_eval(NULL, text, (char *)NULL);
            good &=
                gnd_isdtype((gnd_dtype)t, kinds[k].kinds) == want && gnd_item_i64(y, NULL) == want;
            gnd_release(y);
        }
        tap_ok(good, "isdtype: %s", kinds[k].name);
    }
    tap_ok(!gnd_isdtype(GND_DTYPE_DEFAULT, GND_KIND_ALL) && !gnd_isdtype(GND_INT8, 0),
           "isdtype: none");
}

/* --- promotion -------------------------------------------------------------------------------- */

static gnd_dtype of(int m, gnd_dtype a, gnd_dtype b, gnd_dtype c)
{
    return gnd_result_type(0, NULL, m, (gnd_dtype[]){a, b, c});
}

static void test_result_type(gnd_device *dev)
{
    gnd_scope_begin();
    gnd_array *i8 = gnd_zeros(dev, GND_INT8, 1, (int64_t[]){3}),
              *f32 = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    gnd_array *two = gnd_int(2), *half = gnd_real(0.5), *j = gnd_complex(0, 1), *yes = gnd_bool(1);
    int good = 1;
    for (int a = 0; a < GND_NDTYPES; a++)
        for (int b = 0; b < GND_NDTYPES; b++) {
            gnd_array *pair[2] = {gnd_zeros(dev, (gnd_dtype)a, 0, NULL),
                                  gnd_zeros(dev, (gnd_dtype)b, 0, NULL)};
            gnd_dtype want = gnd_promote((gnd_dtype)a, (gnd_dtype)b);
            good &= of(2, (gnd_dtype)a, (gnd_dtype)b, GND_BOOL) == want &&
                    gnd_result_type(2, pair, 0, NULL) == want;
            good &= gnd_result_type(1, pair, 1, (gnd_dtype[]){(gnd_dtype)b}) == want;
        }
    tap_ok(good, "result_type of two is gnd_promote");
    tap_ok(of(3, GND_INT16, GND_UINT16, GND_FLOAT32) == GND_FLOAT32 &&
               of(3, GND_FLOAT32, GND_UINT16, GND_INT16) == GND_FLOAT32,
           "of three, in any order");
    tap_is_int(of(3, GND_INT8, GND_UINT64, GND_BOOL), GND_FLOAT64, "int8, uint64, bool");
    tap_is_int(of(1, GND_INT8, 0, 0), GND_INT8, "of one");
#define OF(...)                                                                                    \
    gnd_result_type(sizeof((gnd_array *[]){__VA_ARGS__}) / sizeof(gnd_array *),                    \
                    (gnd_array *[]){__VA_ARGS__}, 0, NULL)
    tap_is_int(OF(i8, two), GND_INT8, "int8 and an int");
    tap_is_int(OF(half, i8), GND_FLOAT64, "a float and int8");
    tap_is_int(OF(f32, half, two), GND_FLOAT32, "float32, a float and an int");
    tap_is_int(OF(f32, j), GND_COMPLEX64, "float32 and a complex number");
    tap_is_int(OF(i8, yes), GND_INT8, "int8 and a bool");
    tap_is_int(OF(two), GND_INT64, "an int alone");
    tap_is_int(OF(two, half), GND_FLOAT64, "an int and a float");
    tap_is_int(gnd_result_type(1, &half, 1, (gnd_dtype[]){GND_FLOAT16}), GND_FLOAT16,
               "a float and the dtype float16");
    tap_is_int(gnd_result_type(1, &j, 1, (gnd_dtype[]){GND_INT8}), GND_COMPLEX128,
               "a complex number and the dtype int8");
    /* What operations do is the same. */
    tap_ok(gnd_dtype_of(gnd_add(i8, f32)) == OF(i8, f32) &&
               gnd_dtype_of(gnd_add(i8, half)) == OF(i8, half),
           "as operations promote");

    tap_is_int(gnd_result_type(0, NULL, 0, NULL), GND_DTYPE_DEFAULT, "of nothing");
    tap_is_str(gnd_message(), "result_type: no operands", "... and why");
    tap_is_int(of(2, GND_INT8, (gnd_dtype)99, 0), GND_DTYPE_DEFAULT, "of what is no dtype");
    tap_is_str(gnd_message(), "result_type: a value that is no dtype", "... and why");
    gnd_array *bad[2] = {i8, gnd_fail(GND_ERR_ARG, "mine")};
    tap_is_int(gnd_result_type(2, bad, 0, NULL), GND_DTYPE_DEFAULT, "of an error");
    tap_is_str(gnd_message(), "result_type: mine", "... and why");
    bad[1] = NULL;
    tap_is_int(gnd_result_type(2, bad, 0, NULL), GND_DTYPE_DEFAULT, "of NULL");
    gnd_device *other = gnd_open("null:1");
    bad[1] = gnd_zeros(other, GND_INT8, 0, NULL);
    tap_is_int(gnd_result_type(2, bad, 0, NULL), GND_DTYPE_DEFAULT, "of two devices");
    tap_has_str(gnd_message(), "arrays of two devices", "... and why");
    tap_ok(gnd_result_type(-1, bad, 0, NULL) == GND_DTYPE_DEFAULT &&
               gnd_result_type(1, NULL, 0, NULL) == GND_DTYPE_DEFAULT &&
               gnd_result_type(0, NULL, 1, NULL) == GND_DTYPE_DEFAULT,
           "bad lists");
    gnd_scope_end();
    gnd_close(other);
}

/* can_cast as its rule says it, and a few facts that do not need it. */
static void test_can_cast(gnd_device *dev)
{
    int good = 1;
    for (int a = 0; a < GND_NDTYPES; a++)
        for (int b = 0; b < GND_NDTYPES; b++)
            good &= gnd_can_cast((gnd_dtype)a, (gnd_dtype)b) ==
                    (gnd_promote((gnd_dtype)a, (gnd_dtype)b) == (gnd_dtype)b);
    tap_ok(good, "can_cast: by promotion");
    tap_ok(gnd_can_cast(GND_INT8, GND_INT16) && !gnd_can_cast(GND_INT16, GND_INT8) &&
               !gnd_can_cast(GND_INT8, GND_UINT8) && gnd_can_cast(GND_UINT8, GND_INT16) &&
               gnd_can_cast(GND_INT64, GND_FLOAT64) && !gnd_can_cast(GND_INT32, GND_FLOAT32) &&
               gnd_can_cast(GND_FLOAT32, GND_COMPLEX64) &&
               !gnd_can_cast(GND_COMPLEX64, GND_FLOAT64) && gnd_can_cast(GND_BOOL, GND_INT8) &&
               !gnd_can_cast(GND_FLOAT16, GND_BFLOAT16),
           "can_cast: facts");
    tap_ok(!gnd_can_cast(GND_DTYPE_DEFAULT, GND_INT8) && !gnd_can_cast(GND_INT8, (gnd_dtype)99),
           "no dtypes");
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_INT16, 1, (int64_t[]){2});
    tap_ok(gnd_can_cast_array(x, GND_INT32) && !gnd_can_cast_array(x, GND_INT8), "of an array");
    tap_ok(gnd_can_cast_array(gnd_int(100), GND_INT8) &&
               !gnd_can_cast_array(gnd_int(300), GND_INT8) &&
               gnd_can_cast_array(gnd_int(1), GND_FLOAT16) &&
               !gnd_can_cast_array(gnd_real(1), GND_INT64) &&
               !gnd_can_cast_array(gnd_int(1), GND_BOOL) &&
               gnd_can_cast_array(gnd_real(1), GND_FLOAT32),
           "of a scalar");
    tap_ok(!gnd_can_cast_array(NULL, GND_INT8) &&
               !gnd_can_cast_array(gnd_fail(GND_ERR_ARG, "no"), GND_INT8) &&
               !gnd_can_cast_array(x, GND_DTYPE_DEFAULT),
           "of errors");
    gnd_scope_end();
}

/* --- inspection ------------------------------------------------------------------------------- */

static void test_inspection(void)
{
    gnd_capability_set c = gnd_capabilities();
    tap_is_int(c.max_dimensions, 32, "max dimensions");
    gnd_device_info info;
    setenv("GND_DEVICE", "null:1", 1);
    tap_is_int(gnd_default_device(&info), GND_OK, "default_device");
    tap_is_str(info.id, "null:1", "... is the one that GND_DEVICE names");
    setenv("GND_DEVICE", "nosuch:0", 1);
    tap_is_int(gnd_default_device(&info), GND_ERR_DEVICE, "none of that name");
    tap_has_str(gnd_message(), "default_device: ", "... and why");
    tap_is_int(gnd_default_device(NULL), GND_ERR_NULL, "NULL");

    gnd_default_set d;
    gnd_dtype t[GND_NDTYPES];
    tap_is_int(gnd_default_dtypes("null:0", &d), GND_OK, "default_dtypes");
    tap_ok(d.real_floating == GND_FLOAT64 && d.complex_floating == GND_COMPLEX128 &&
               d.integral == GND_INT64 && d.indexing == GND_INT64,
           "... of a device with float64");
    tap_ok(gnd_default_dtypes("null:1", &d) == GND_OK && d.real_floating == GND_FLOAT32 &&
               d.complex_floating == GND_COMPLEX64,
           "... of one without");
    tap_is_int(gnd_dtypes("null:1", GND_KIND_REAL | GND_KIND_COMPLEX, t), 4,
               "... which has no float64 and complex128");
    gnd_device *small = gnd_open("null:1");
    gnd_array *x = gnd_zeros(small, GND_FLOAT32, 0, NULL),
              *y = gnd_zeros(small, GND_INT64, 0, NULL);
    tap_ok(!gnd_can_cast_array(x, GND_FLOAT64) && gnd_can_cast_array(x, GND_COMPLEX64),
           "... can_cast there");
    tap_is_int(gnd_result_type(2, (gnd_array *[]){x, y}, 0, NULL), GND_FLOAT32,
               "... result_type there");
    gnd_release(x);
    gnd_release(y);
    gnd_close(small);
    tap_is_int(gnd_default_dtypes(NULL, &d), GND_ERR_DEVICE,
               "of the default device, which is missing");
    tap_is_int(gnd_dtypes("null:99", 0, t), GND_ERR_DEVICE, "dtypes of a missing device");
    tap_has_str(gnd_message(), "dtypes: ", "... and why");
    setenv("GND_DEVICE", "null:0", 1);
    tap_is_int(gnd_dtypes(NULL, 0, t), GND_NDTYPES, "dtypes of the default device: all");
    int good = 1;
    for (int i = 0; i < GND_NDTYPES; i++)
        good &= t[i] == (gnd_dtype)i;
    tap_ok(good, "... in order");
    tap_ok(gnd_dtypes("null:0", GND_KIND_REAL, t) == 4 && t[0] == GND_FLOAT16 &&
               t[3] == GND_FLOAT64,
           "real floating ones");
    tap_is_int(gnd_dtypes("null:0", GND_KIND_INTEGRAL | GND_KIND_BOOL, t), 9,
               "integral ones and bool");
    tap_is_int(gnd_dtypes("null:0", 64, t), GND_ERR_ARG, "a kind that is none");
    tap_is_int(gnd_dtypes("null:0", 0, NULL), GND_ERR_NULL, "NULL");
    tap_is_int(gnd_default_dtypes("null:0", NULL), GND_ERR_NULL, "default_dtypes: NULL");
    tap_ok(GND_PI == acos(-1) && GND_E == exp(1) && isinf(GND_INF) && GND_INF > 0 &&
               isnan(GND_NAN) && fabs(GND_EULER_GAMMA - 0.5772156649) < 1e-10,
           "constants");
}

/* --- expressions ------------------------------------------------------------------------------ */

static void test_expressions(gnd_device *dev)
{
    static const char *const yes[] = {
        "finfo(float32).eps == 2.0**-23",
        "finfo('f2').max == 65504",
        "finfo(complex128).dtype == float64",
        "finfo(x).bits == 32",
        "finfo(float64).tiny == finfo(float64).smallest_normal",
        "iinfo(int8).min == -128",
        "iinfo(int16).max == 32767",
        "iinfo('u4').bits == 32",
        "iinfo(int64).max == 0x7fffffffffffffff",
        "iinfo(uint64).max.dtype == uint64",
        "iinfo(n).dtype == int8",
        "f = finfo(float16); f.max + f.min == 0",
        "isdtype(int8, int8)",
        "isdtype(x.dtype, ('integral', 'real floating'))",
        "isdtype('f4', (float64, float32))",
        "isdtype(int8, ()) == False",
        "isdtype(bool, 'numeric') == False",
        "can_cast(int8, 'i2')",
        "can_cast(x, float32)",
        "can_cast(x, float16) == False",
        "result_type(x, n) == float32",
        "result_type(n, 1.5) == float64",
        "result_type('i1', uint8, 3) == int16",
        "result_type(1j, float32) == complex64",
        "result_type(2, 1.0) == float64",
        "result_type([1, 2], int8) == int64",
        "result_type(int8) != uint8",
        "isinf(inf)",
        "isnan(nan)",
        "e > 2.7",
        "newaxis == None",
        "x.device == 'null:0'",
        "(2).device == None",
        "x.dtype.name == 'float32'",
        "x.dtype.itemsize == 4",
        "complex64.kind == 'c'",
        "'i' == int8.kind",
        "x.astype('i2', copy=False).dtype == int16",
        "asarray(x, copy=True).size == 2",
        "reshape(x, (2, 1), copy=None).ndim == 2",
        "x.reshape(2, 1, copy=False).ndim == 2",
    };
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){2}),
              *n = gnd_zeros(dev, GND_INT8, 0, NULL);
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        gnd_status st = GND_OK;
        gnd_array *y = gnd_eval(dev, yes[i], "x", x, "n", n, (char *)NULL);
        int64_t v = gnd_is_weak(y) ? gnd_item_i64(y, &st) : -1;
        if (!tap_ok(v == 1, "expression: %s", yes[i]))
            tap_diag("%s", gnd_error(y));
    }
    static const struct {
        const char *text;
        gnd_status code;
        const char *message;
    } no[] = {
        {"finfo(int8)", GND_ERR_DTYPE,
         "column 7: finfo: int8 is not allowed: floats and complex only"},
        {"finfo(3)", GND_ERR_TYPE, "finfo: type must be a dtype or an array, not an int"},
        {"finfo('x8')", GND_ERR_DTYPE, "finfo: 'x8' is no dtype"},
        {"finfo(float32)", GND_ERR_TYPE, "an array is needed, not a record of values"},
        {"finfo(float32).epsilon", GND_ERR_NAME,
         "no 'epsilon' here: there are bits eps epsneg max"},
        {"finfo(float32)[0]", GND_ERR_TYPE, "an array is needed, not a record"},
        {"finfo(float32) == finfo(float32)", GND_ERR_TYPE, "an array is needed, not a record"},
        {"iinfo(bool).max", GND_ERR_DTYPE, "iinfo: bool is not allowed: ints only"},
        {"isdtype(int8, 'ints')", GND_ERR_ARG, "'ints' is no kind: take 'bool', 'signed integer'"},
        {"isdtype(int8, 3)", GND_ERR_TYPE,
         "isdtype: kind must be a dtype, the name of a kind, or a tuple of them"},
        {"isdtype(x, 'bool')", GND_ERR_TYPE, "isdtype: dtype must be a dtype, not an array"},
        {"isdtype(int8, ((int8,),))", GND_ERR_TYPE,
         "isdtype: kind must be a tuple of dtypes and names of kinds"},
        {"can_cast(3, int8)", GND_ERR_TYPE,
         "can_cast: from_ must be a dtype or an array, not an int"},
        {"can_cast(int8, None)", GND_ERR_TYPE, "can_cast: to must be a dtype, not None"},
        {"result_type()", GND_ERR_ARG, "result_type: no operands"},
        {"result_type('x9')", GND_ERR_DTYPE, "result_type: 'x9' is no dtype"},
        {"result_type(int8, int16)", GND_ERR_ARG,
         "the result is the dtype int16: an array is needed"},
        {"x.astype(int8, copy=2)", GND_ERR_TYPE,
         "astype: copy must be True, False or None, not an int"},
        {"float32.size", GND_ERR_NAME,
         "dtypes have no attribute 'size': there are itemsize kind name"},
        {"(1, 2).eps", GND_ERR_NAME, "a tuple has no attributes"},
    };
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        gnd_array *y = gnd_eval(dev, no[i].text, "x", x, (char *)NULL);
        if (tap_is_str(gnd_status_name(gnd_status_of(y)), gnd_status_name(no[i].code), "error: %s",
                       no[i].text))
            tap_has_str(gnd_error(y), no[i].message, "... its message");
    }
    gnd_scope_end();
}

/* Every allocation of these failing: an error, and nothing is left. */
static void test_memory(gnd_device *dev)
{
    static const char *const text =
        "f = finfo(x); y = (f.eps, iinfo(uint64).max); can_cast(x, result_type(x, 2, 'f8'))";
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){2});
    int bad = 0;
    long n;
    for (n = 1; n < 1000; n++) {
        gnd__mem_fail_at(n);
        gnd_array *y = gnd_eval(dev, text, "x", x, (char *)NULL);
        gnd__mem_fail_at(0);
        gnd_status st = gnd_status_of(y);
        gnd_release(y);
        if (st == GND_OK)
            break;
        bad += st != GND_ERR_NOMEM;
    }
    tap_ok(bad == 0 && n > 5 && n < 1000, "each of %ld allocations failing", n - 1);
    gnd_scope_end();
    gnd_stats s;
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "nothing is left");
}

/* The parameters are those below the count, each with a name of its own. */
static void test_tune(gnd_device *dev)
{
    const int n = gnd_tune_count();
    gnd_tune_info a, b;
    int named = 0;
    for (int i = 0; i < n; i++) {
        named += gnd_tune_get(dev, i, &a) == GND_OK && a.name[0] && a.least <= a.value &&
                 a.value <= a.most;
        for (int k = 0; k < i; k++)
            named -= gnd_tune_get(dev, k, &b) != GND_OK || !strcmp(a.name, b.name);
    }
    tap_ok(n > 0 && named == n, "%d of %d parameters are named and in their range", named, n);
    tap_is_int(gnd_tune_get(dev, n, &a), GND_ERR_INDEX, "and the next is none");
}

/* Formats whose part is not there are errors of saving, too; install.sh takes the parts away. */
static void test_formats(gnd_device *dev)
{
    static const char *const name[] = {"x"};
    gnd_array *x = gnd_zeros(dev, GND_UINT8, 2, (const int64_t[]){2, 2});
    const gnd_status zip = gnd_format_usable("npz"), png = gnd_format_usable("png");
    tap_is_int(gnd_save_npz("/nonexistent/x.npz", 1, name, &x),
               zip == GND_OK ? GND_ERR_IO : GND_ERR_UNSUPPORTED, "archives are usable, or not: %d",
               zip);
    tap_is_int(gnd_save_png(x, "/nonexistent/x.png"),
               png == GND_OK ? GND_ERR_IO : GND_ERR_UNSUPPORTED, "pictures likewise: %d", png);
    tap_is_int(gnd_format_usable("zip"), GND_ERR_NAME, "no such format");
    tap_has_str(gnd_message(), "format_usable: no format 'zip': npz or png",
                "  says which there are");
    tap_is_int(gnd_format_usable(NULL), GND_ERR_NULL, "no name");
    gnd_release(x);
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    test_finfo();
    test_iinfo();
    test_isdtype();
    test_result_type(dev);
    test_can_cast(dev);
    test_inspection();
    test_expressions(dev);
    test_memory(dev);
    test_tune(dev);
    test_formats(dev);
    gnd_close(dev);
    return tap_done();
}
