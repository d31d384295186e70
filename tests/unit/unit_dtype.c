/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_dtype.c - the element types: names, promotion against NumPy's table, half floats for every
 * one of the 65536 patterns, and conversions of single elements. Needs no device.
 */
#include "tap.h"

#include "base/dtype.h"

#include <math.h>
#include <string.h>

static void test_names(void)
{
    tap_is_str(gnd_dtype_name(GND_BFLOAT16), "bfloat16", "name");
    tap_is_str(gnd_dtype_name(GND_DTYPE_DEFAULT), "invalid", "name of no dtype");
    tap_is_int(gnd_dtype_size(GND_COMPLEX128), 16, "size");
    tap_is_int(gnd_dtype_size((gnd_dtype)99), 0, "size of no dtype");
    tap_is_int(gnd_dtype_kind(GND_UINT16), 'u', "kind");
    int bad = 0;
    for (int i = 0; i < GND_NDTYPES; i++)
        bad |= gnd_dtype_parse(gnd_dtype_name((gnd_dtype)i)) != (gnd_dtype)i;
    tap_ok(!bad, "every name is parsed");
    tap_is_int(gnd_dtype_parse("float"), GND_DTYPE_DEFAULT, "no such name");
    tap_is_int(gnd_dtype_parse(NULL), GND_DTYPE_DEFAULT, "no name");
}

/* numpy.promote_types of the types but bfloat16, by their type characters. */
static const gnd_dtype order[] = {
    GND_BOOL,   GND_INT8,   GND_INT16,   GND_INT32,   GND_INT64,   GND_UINT8,     GND_UINT16,
    GND_UINT32, GND_UINT64, GND_FLOAT16, GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128};
static const char letters[] = "?bhilBHILefdFD";
static const char *const table[] = {
    "?bhilBHILefdFD", "bbhilhildefdFD", "hhhilhildffdFD", "iiiiliilddddDD", "llllllllddddDD",
    "BhhilBHILefdFD", "HiiilHHILffdFD", "IllllIIILdddDD", "LddddLLLLdddDD", "eefddefddefdFD",
    "fffddffddffdFD", "ddddddddddddDD", "FFFDDFFDDFFDFD", "DDDDDDDDDDDDDD",
};

static void test_promote(void)
{
    int bad = 0;
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 14; j++) {
            gnd_dtype want = order[strchr(letters, table[i][j]) - letters];
            if (gnd_promote(order[i], order[j]) != want) {
                tap_diag("%s with %s: %s, not %s", gnd_dtype_name(order[i]),
                         gnd_dtype_name(order[j]), gnd_dtype_name(gnd_promote(order[i], order[j])),
                         gnd_dtype_name(want));
                bad++;
            }
        }
    tap_is_int(bad, 0, "promotion is NumPy's");
    for (int i = 0; i < GND_NDTYPES; i++)
        for (int j = 0; j < GND_NDTYPES; j++) {
            gnd_dtype a = (gnd_dtype)i, b = (gnd_dtype)j;
            bad |= gnd_promote(a, b) != gnd_promote(b, a);
        }
    tap_ok(!bad, "promotion is symmetric");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_FLOAT16), GND_FLOAT32, "bfloat16 with float16");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_FLOAT32), GND_FLOAT32, "bfloat16 with float32");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_INT8), GND_BFLOAT16, "bfloat16 with int8");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_UINT16), GND_FLOAT32, "bfloat16 with uint16");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_INT32), GND_FLOAT64, "bfloat16 with int32");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_BOOL), GND_BFLOAT16, "bfloat16 with bool");
    tap_is_int(gnd_promote(GND_BFLOAT16, GND_COMPLEX64), GND_COMPLEX64, "bfloat16 with complex64");
    tap_is_int(gnd_promote(GND_INT8, (gnd_dtype)40), GND_DTYPE_DEFAULT, "with no dtype");

    tap_is_int(gnd__promote_weak(GND_INT8, 'i', GND_FLOAT64), GND_INT8, "int8 with an int");
    tap_is_int(gnd__promote_weak(GND_BOOL, 'i', GND_FLOAT64), GND_INT64, "bool with an int");
    tap_is_int(gnd__promote_weak(GND_BOOL, 'b', GND_FLOAT64), GND_BOOL, "bool with a bool");
    tap_is_int(gnd__promote_weak(GND_INT64, 'f', GND_FLOAT32), GND_FLOAT32, "int64 with a float");
    tap_is_int(gnd__promote_weak(GND_FLOAT16, 'f', GND_FLOAT64), GND_FLOAT16, "float16, a float");
    tap_is_int(gnd__promote_weak(GND_FLOAT16, 'c', GND_FLOAT64), GND_COMPLEX64, "float16, complex");
    tap_is_int(gnd__promote_weak(GND_UINT8, 'c', GND_FLOAT64), GND_COMPLEX128, "uint8, complex");
    tap_is_int(gnd__promote_weak(GND_UINT8, 'c', GND_FLOAT32), GND_COMPLEX64, "the same, no f64");
    tap_is_int(gnd__float_of(GND_INT8), GND_FLOAT16, "sin of int8");
    tap_is_int(gnd__float_of(GND_UINT16), GND_FLOAT32, "sin of uint16");
    tap_is_int(gnd__float_of(GND_INT32), GND_FLOAT64, "sin of int32");
    tap_is_int(gnd__float_of(GND_BFLOAT16), GND_BFLOAT16, "sin of bfloat16");
    tap_is_int(gnd__complex_of(GND_BFLOAT16), GND_COMPLEX64, "complex of bfloat16");
    tap_is_int(gnd__complex_of(GND_FLOAT64), GND_COMPLEX128, "complex of float64");
    tap_is_int(gnd__real_of(GND_COMPLEX64), GND_FLOAT32, "real of complex64");
    tap_ok(gnd__needs_f64(GND_COMPLEX128) && !gnd__needs_f64(GND_INT64), "needs_f64");
}

/* The value of a pattern by the definition of the formats. */
static double value_of(uint16_t h, int ebits, int mbits)
{
    int e = h >> mbits & ((1 << ebits) - 1), m = h & ((1 << mbits) - 1);
    int bias = (1 << (ebits - 1)) - 1;
    double v;
    if (e == (1 << ebits) - 1)
        v = m ? (double)NAN : (double)INFINITY;
    else if (e == 0)
        v = ldexp(m, 1 - bias - mbits);
    else
        v = ldexp((1 << mbits) + m, e - bias - mbits);
    return h & 0x8000 ? -v : v;
}

static void test_half(void)
{
    int wide = 0, back = 0, mid = 0, above = 0;
    for (int fmt = 0; fmt < 2; fmt++) {
        int ebits = fmt ? 8 : 5, mbits = fmt ? 7 : 10;
        uint16_t (*from64)(double) = fmt ? gnd__f64_to_bf16 : gnd__f64_to_f16;
        float (*to)(uint16_t) = fmt ? gnd__bf16_to_f32 : gnd__f16_to_f32;
        unsigned inf = ((1u << ebits) - 1) << mbits;
        for (unsigned i = 0; i < 65536; i++) {
            uint16_t h = (uint16_t)i;
            double v = value_of(h, ebits, mbits);
            float f = to(h);
            if (isnan(v)) {
                wide += !isnan(f);
                uint16_t q = from64((double)f);
                back += (q & inf) != inf || !(q & (1u << (mbits - 1))) || (q ^ h) & 0x8000;
                continue;
            }
            wide += (double)f != v || !signbit(f) != !signbit(v);
            back += from64(v) != h;
            if ((h & 0x7fff) >= inf)
                continue;
            /* Halfway to the next pattern, and one bit of a double to each side of it. */
            unsigned up = i + 1;
            double next = (up & 0x7fff) == inf ? ldexp(1.0, 1 << (ebits - 1)) * (i >> 15 ? -1 : 1)
                                               : value_of((uint16_t)up, ebits, mbits);
            double half = (v + next) / 2;
            mid += from64(half) != (i & 1 ? up : i);
            above += from64(nextafter(half, next)) != up;
            above += from64(nextafter(half, v)) != i;
        }
    }
    tap_is_int(wide, 0, "half floats: every value");
    tap_is_int(back, 0, "half floats: every value back");
    tap_is_int(mid, 0, "half floats: ties go to even");
    tap_is_int(above, 0, "half floats: one rounding beside a tie");
    tap_is_int(gnd__f64_to_f16(65519.9), 0x7bff, "float16: below the overflow");
    tap_is_int(gnd__f64_to_f16(65520.0), 0x7c00, "float16: overflow");
    tap_is_int(gnd__f64_to_bf16(1e39), 0x7f80, "bfloat16: overflow");
    tap_is_int(gnd__f64_to_f16(-1e-300), 0x8000, "float16: underflow keeps the sign");
    tap_is_int(gnd__f64_to_f16(4.9e-324), 0, "float16: a subnormal double");
}

static gnd__scalar cast(gnd_dtype t, gnd__scalar s)
{
    unsigned char p[16];
    gnd__store_scalar(t, p, &s);
    return gnd__load_scalar(t, p);
}

static void test_scalars(void)
{
    gnd__scalar i = {.kind = 'i', .i = -3}, u = {.kind = 'u', .u = UINT64_MAX};
    gnd__scalar f = {.kind = 'f', .re = -2.75}, c = {.kind = 'c', .re = 0, .im = 1};
    gnd__scalar nan = {.kind = 'f', .re = (double)NAN}, big = {.kind = 'f', .re = 1e20};
    tap_is_int(cast(GND_UINT8, i).u, 253, "int wraps into uint8");
    tap_is_int(cast(GND_INT32, u).i, -1, "uint64 wraps into int32");
    tap_is_f64(cast(GND_FLOAT64, u).re, 18446744073709551616.0, "uint64 to float64");
    tap_is_int(cast(GND_INT8, f).i, -2, "floats are truncated");
    tap_is_int(cast(GND_UINT8, f).u, 254, "negative float to uint8");
    tap_is_int(cast(GND_UINT64, f).u, -2, "negative float to uint64");
    tap_is_int(cast(GND_INT64, nan).i, INT64_MIN, "NaN to int64");
    tap_is_int(cast(GND_INT32, nan).i, INT32_MIN, "NaN to int32");
    tap_is_int(cast(GND_INT16, nan).i, 0, "NaN to int16");
    tap_is_int(cast(GND_UINT64, big).u, 0, "1e20 to uint64");
    big.re = 1e19;
    tap_ok(cast(GND_UINT64, big).u == 10000000000000000000u, "1e19 to uint64");
    tap_is_int(cast(GND_BOOL, nan).i, 1, "NaN to bool");
    tap_is_int(cast(GND_BOOL, c).i, 1, "1j to bool");
    tap_is_f64(cast(GND_FLOAT32, c).re, 0, "1j to float32");
    tap_is_f64(cast(GND_COMPLEX64, c).im, 1, "1j to complex64");
    tap_is_f64(cast(GND_COMPLEX128, f).im, 0, "float to complex128");
    tap_is_f64(cast(GND_FLOAT16, f).re, -2.75, "float16");
    tap_is_f64(cast(GND_BFLOAT16, i).re, -3, "bfloat16");
    i.i = 16777217 + ((int64_t)1 << 40);
    tap_is_f64(cast(GND_FLOAT32, i).re, (double)(float)i.i, "int64 to float32");

    i.i = 127;
    tap_ok(gnd__scalar_fits(GND_INT8, &i) && gnd__scalar_fits(GND_UINT8, &i), "127 fits 8 bits");
    i.i = -128;
    tap_ok(gnd__scalar_fits(GND_INT8, &i) && !gnd__scalar_fits(GND_UINT64, &i), "-128");
    i.i = 128;
    tap_ok(!gnd__scalar_fits(GND_INT8, &i) && gnd__scalar_fits(GND_UINT8, &i), "128");
    tap_ok(!gnd__scalar_fits(GND_INT64, &u) && gnd__scalar_fits(GND_UINT64, &u), "2^64-1");
    i.i = INT64_MIN;
    tap_ok(gnd__scalar_fits(GND_INT64, &i) && !gnd__scalar_fits(GND_INT32, &i), "-2^63");
    tap_ok(gnd__scalar_fits(GND_INT8, &f) && gnd__scalar_fits(GND_FLOAT16, &u), "others fit");
}

int main(void)
{
    test_names();
    test_promote();
    test_half();
    test_scalars();
    return tap_done();
}
