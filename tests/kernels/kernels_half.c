/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_half.c - float16, bfloat16 and conversions to integers in kernels, on PoCL, against the
 * host's (lib/base): every 16-bit value, every value between two neighbours that could be rounded
 * wrongly, nextafter, floats at the edges of the integers, integers to bfloat16.
 */
#include "tap.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "kernelrun.h"
#include "ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 65536, ROUNDS = 6, FEW = 0x4000 };

static const char source[] =
    "#define K(f) GND_KERNEL void f(GND_GLOBAL\n"
    "K(unpack_f16) g_f32 *o, GND_CONST_GLOBAL g_u16 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_ld_f16(p, i); }\n"
    "K(unpack_bf16) g_f32 *o, GND_CONST_GLOBAL g_u16 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_ld_bf16(p, i); }\n"
    "K(pack_f16) g_u16 *o, GND_CONST_GLOBAL g_f32 *p)"
    "{ size_t i = GND_GID(0); gnd_st_f16(o, i, p[i]); }\n"
    "K(pack_bf16) g_u16 *o, GND_CONST_GLOBAL g_f32 *p)"
    "{ size_t i = GND_GID(0); gnd_st_bf16(o, i, p[i]); }\n"
    "K(round_f16) g_f32 *o, GND_CONST_GLOBAL g_f32 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_round_f16(p[i]); }\n"
    "K(round_bf16) g_f32 *o, GND_CONST_GLOBAL g_f32 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_round_bf16(p[i]); }\n"
    "K(next_f16) g_u16 *o, GND_CONST_GLOBAL g_u16 *p, GND_CONST_GLOBAL g_u16 *q)"
    "{ size_t i = GND_GID(0);"
    " gnd_st_f16(o, i, gnd_nextafter_f16(gnd_ld_f16(p, i), gnd_ld_f16(q, i))); }\n"
    "K(next_bf16) g_u16 *o, GND_CONST_GLOBAL g_u16 *p, GND_CONST_GLOBAL g_u16 *q)"
    "{ size_t i = GND_GID(0);"
    " gnd_st_bf16(o, i, gnd_nextafter_bf16(gnd_ld_bf16(p, i), gnd_ld_bf16(q, i))); }\n"
    "K(from_u32) g_u16 *o, GND_CONST_GLOBAL g_u32 *p)"
    "{ size_t i = GND_GID(0); gnd_st_bf16(o, i, gnd_round_bf16(gnd_odd_u32(p[i]))); }\n"
    "K(from_i32) g_u16 *o, GND_CONST_GLOBAL g_i32 *p)"
    "{ size_t i = GND_GID(0); gnd_st_bf16(o, i, gnd_round_bf16(gnd_odd_i32(p[i]))); }\n"
    "K(from_u64) g_u16 *o, GND_CONST_GLOBAL g_u64 *p)"
    "{ size_t i = GND_GID(0); gnd_st_bf16(o, i, gnd_round_bf16(gnd_odd_u64(p[i]))); }\n"
    "K(from_i64) g_u16 *o, GND_CONST_GLOBAL g_i64 *p)"
    "{ size_t i = GND_GID(0); gnd_st_bf16(o, i, gnd_round_bf16(gnd_odd_i64(p[i]))); }\n"
    "K(int_f32) g_u64 *o, GND_CONST_GLOBAL g_f32 *p)"
    "{ size_t i = GND_GID(0); o[3 * i] = (g_u64)(g_i64)gnd_f2i32_f32(p[i]);"
    " o[3 * i + 1] = (g_u64)gnd_f2i64_f32(p[i]); o[3 * i + 2] = gnd_f2u64_f32(p[i]); }\n";

static const char source_f64[] =
    "K(round_f16_f64) g_f32 *o, GND_CONST_GLOBAL g_f64 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_round_f16_f64(p[i]); }\n"
    "K(round_bf16_f64) g_f32 *o, GND_CONST_GLOBAL g_f64 *p)"
    "{ size_t i = GND_GID(0); o[i] = gnd_round_bf16_f64(p[i]); }\n"
    "K(int_f64) g_u64 *o, GND_CONST_GLOBAL g_f64 *p)"
    "{ size_t i = GND_GID(0); o[3 * i] = (g_u64)(g_i64)gnd_f2i32_f64(p[i]);"
    " o[3 * i + 1] = (g_u64)gnd_f2i64_f64(p[i]); o[3 * i + 2] = gnd_f2u64_f64(p[i]); }\n";

static krun *k;
static unsigned char in1[N * 8], in2[N * 8], out[N * 24];

static int run(const char *name, size_t n, size_t out_size, size_t in_size, int nin)
{
    const void *ins[2] = {in1, in2};
    size_t bytes[2] = {n * in_size, n * in_size};
    return tap_ok(!krun_run(k, name, n, out, n * out_size, nin, ins, bytes), "%s runs", name);
}

static float to_float(int bf, uint16_t h)
{
    return bf ? gnd__bf16_to_f32(h) : gnd__f16_to_f32(h);
}

/* Equal bits, or both NaN. */
static int same(float a, float b)
{
    return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

static void test_unpack(int bf)
{
    int bad = 0;
    for (int i = 0; i < N; i++)
        ((uint16_t *)in1)[i] = (uint16_t)i;
    if (!run(bf ? "unpack_bf16" : "unpack_f16", N, 4, 2, 1))
        return;
    for (int i = 0; i < N; i++)
        bad += !same(((float *)out)[i], to_float(bf, (uint16_t)i));
    tap_is_int(bad, 0, "all %s values are read", bf ? "bfloat16" : "float16");
}

/* Value i of round r: half value i, halfway to the next one, next to either on both sides. */
static double between(int bf, int r, int i)
{
    double a = (double)to_float(bf, (uint16_t)i), b = (double)to_float(bf, (uint16_t)(i + 1));
    if (isinf(b) && !isinf(a)) /* as if there were one more value */
        b = 2 * a - (double)to_float(bf, (uint16_t)(i - 1));
    double mid = (a + b) / 2;
    switch (r) {
    case 0: return a;
    case 1: return mid;
    case 2: return (double)nextafterf((float)mid, -INFINITY);
    case 3: return (double)nextafterf((float)mid, INFINITY);
    case 4: return nextafter(mid, -INFINITY);
    default: return nextafter(mid, INFINITY);
    }
}

static void test_rounding(int bf, int f64)
{
    int bad_pack = 0, bad_round = 0;
    for (int r = 0; r < (f64 ? ROUNDS : 4); r++) {
        for (int i = 0; i < N; i++) {
            if (f64)
                ((double *)in1)[i] = between(bf, r, i);
            else
                ((float *)in1)[i] = (float)between(bf, r, i);
        }
        const char *name = bf    ? f64 ? "round_bf16_f64" : "round_bf16"
                           : f64 ? "round_f16_f64"
                                 : "round_f16";
        if (!run(name, N, 4, f64 ? 8 : 4, 1))
            return;
        for (int i = 0; i < N; i++) {
            double d = f64 ? ((double *)in1)[i] : (double)((float *)in1)[i];
            uint16_t h = bf ? gnd__f64_to_bf16(d) : gnd__f64_to_f16(d);
            if (!same(((float *)out)[i], to_float(bf, h)) && bad_round++ < 3)
                tap_diag("%a gives %a", d, (double)((float *)out)[i]);
        }
        if (f64 || !run(bf ? "pack_bf16" : "pack_f16", N, 2, 4, 1))
            continue;
        for (int i = 0; i < N; i++) {
            float f = ((float *)in1)[i];
            uint16_t want = bf ? gnd__f64_to_bf16((double)f) : gnd__f64_to_f16((double)f);
            uint16_t got = ((uint16_t *)out)[i];
            if (isnan(f) ? !isnan(to_float(bf, got)) : got != want)
                bad_pack++;
        }
    }
    tap_is_int(bad_round, 0, "%s: rounded from %s", bf ? "bfloat16" : "float16",
               f64 ? "float64" : "float32");
    tap_is_int(bad_pack, 0, "%s: stored", bf ? "bfloat16" : "float16");
}

/* The neighbour by trying all values near: bits ordered as the values are. */
static int rank(uint16_t h)
{
    return h & 0x8000 ? -(h & 0x7fff) : h;
}

static uint16_t unrank(int r)
{
    return (uint16_t)(r < 0 ? 0x8000 | -r : r);
}

static void test_next(int bf)
{
    int bad = 0;
    uint32_t s = 12345;
    for (int i = 0; i < N; i++) {
        s = s * 1664525u + 1013904223u;
        ((uint16_t *)in1)[i] = (uint16_t)i;
        ((uint16_t *)in2)[i] = i % 7 == 0 ? (uint16_t)i : i % 7 == 1 ? 0 : (uint16_t)(s >> 16);
    }
    if (!run(bf ? "next_bf16" : "next_f16", N, 2, 2, 2))
        return;
    for (int i = 0; i < N; i++) {
        uint16_t a = ((uint16_t *)in1)[i], b = ((uint16_t *)in2)[i], want;
        uint16_t got = ((uint16_t *)out)[i];
        float fa = to_float(bf, a), fb = to_float(bf, b);
        if (isnan(fa) || isnan(fb)) {
            bad += !isnan(to_float(bf, got));
            continue;
        }
        want = fa == fb ? b : unrank(rank(a) + (fb > fa ? 1 : -1));
        if (fa < 0 && want == 0)
            want = 0x8000; /* towards zero from below: -0 */
        if (got != want && bad++ < 3)
            tap_diag("nextafter(%04x, %04x) is %04x, not %04x", a, b, got, want);
    }
    tap_is_int(bad, 0, "%s: nextafter", bf ? "bfloat16" : "float16");
}

/* lib/base/dtype.c converts as kernels do. */
static void test_int(int f64)
{
    const double edges[] = {0,
                            1,
                            0.9999999,
                            2147483647,
                            2147483647.5,
                            2147483648.0,
                            4294967295.0,
                            9223372036854775807.0,
                            9223373136366403584.0,
                            18446744073709551615.0,
                            18446742974197923840.0,
                            1e30,
                            INFINITY,
                            NAN};
    int n = 0, bad = 0;
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (int v = 0; v < 6; v++) {
            double x = v & 1 ? -edges[e] : edges[e];
            x = v / 2 == 1 ? nextafter(x, INFINITY) : v / 2 == 2 ? nextafter(x, -INFINITY) : x;
            if (f64)
                ((double *)in1)[n++] = x;
            else
                ((float *)in1)[n++] = (float)x;
        }
    if (!run(f64 ? "int_f64" : "int_f32", (size_t)n, 24, f64 ? 8 : 4, 1))
        return;
    for (int i = 0; i < n; i++) {
        gnd__scalar s = {.kind = 'f', .re = f64 ? ((double *)in1)[i] : (double)((float *)in1)[i]};
        int32_t i32;
        uint64_t i64, u64, *got = (uint64_t *)out + 3 * i;
        gnd__store_scalar(GND_INT32, &i32, &s);
        gnd__store_scalar(GND_INT64, &i64, &s);
        gnd__store_scalar(GND_UINT64, &u64, &s);
        if (((int64_t)got[0] != i32 || got[1] != i64 || got[2] != u64) && bad++ < 4)
            tap_diag("%.17g: %llx %llx %llx", s.re, (unsigned long long)got[0],
                     (unsigned long long)got[1], (unsigned long long)got[2]);
    }
    tap_is_int(bad, 0, "%s to integers", f64 ? "float64" : "float32");
}

/* Integers to bfloat16, in kernels and on the host: every bfloat16 from 1 to 2^64 and its negative,
 * halfway to the next one, and what is one or any power of 2 away from there, as far as the
 * integer's dtype holds it; and random ones of every length. Round r of 64. */
static uint64_t integer(int r, int i, uint64_t *s)
{
    const float f = gnd__bf16_to_f32((uint16_t)(0x3f80 + i % 0x2000)); /* from 1 to 2^64 */
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    if (r == 0)
        return *s >> (*s >> 58);
    const uint64_t whole = f < 0x1p64f ? (uint64_t)f : 0,
                   ulp = whole >> 8 ? (uint64_t)ldexp(1, ilogbf(f) - 8) : 0;
    const uint64_t off = r == 1 ? 0 : (uint64_t)1 << (r / 2 - 1) % 64;
    return whole + ulp + (r % 2 ? off : 0 - off);
}

static void test_from_int(gnd_dtype t)
{
    int bad = 0, bad_host = 0;
    const size_t size = gnd_dtype_size(t);
    const int is_signed = gnd_dtype_kind(t) == 'i';
    char name[16];
    uint64_t s = 1;
    snprintf(name, sizeof name, "from_%s", gnd__suffix(t));
    for (int r = 0; r < 64; r++) {
        for (int i = 0; i < FEW; i++) {
            const uint64_t v = integer(r, i, &s), u = is_signed && i >= 0x2000 ? 0 - v : v;
            memcpy(in1 + (size_t)i * size, &u, size);
        }
        if (krun_run(k, name, FEW, out, FEW * 2, 1, (const void *[]){in1}, (size_t[]){FEW * size}))
            break;
        for (int i = 0; i < FEW; i++) {
            const gnd__scalar v = gnd__load_scalar(t, in1 + (size_t)i * size);
            const uint16_t got = ((uint16_t *)out)[i];
            const uint16_t want =
                ref_half(GND_BFLOAT16, is_signed ? (long double)v.i : (long double)v.u);
            uint16_t host;
            gnd__store_scalar(GND_BFLOAT16, &host, &v);
            bad_host += host != want;
            if (got != want && bad++ < 3)
                tap_diag("%lld gives %04x, not %04x", (long long)v.i, got, want);
        }
    }
    tap_is_int(bad, 0, "%s to bfloat16", gnd_dtype_name(t));
    tap_is_int(bad_host, 0, "  and on the host");
}

int main(void)
{
    const char *why;
    gnd__str body = {0};
    k = krun_open(&why);
    if (!k)
        tap_skip_all("%s", why);
    int f64 = krun_props(k)->has_f64;
    gnd__str_add(&body, source);
    if (f64)
        gnd__str_add(&body, source_f64);
    if (!tap_ok(!krun_build(k, gnd__str_get(&body)), "compiles"))
        return tap_done();
    for (int bf = 0; bf < 2; bf++) {
        test_unpack(bf);
        test_rounding(bf, 0);
        test_next(bf);
        if (f64)
            test_rounding(bf, 1);
    }
    test_from_int(GND_INT32);
    test_from_int(GND_UINT32);
    test_from_int(GND_INT64);
    test_from_int(GND_UINT64);
    test_int(0);
    if (f64)
        test_int(1);
    gnd__str_free(&body);
    krun_close(k);
    return tap_done();
}
