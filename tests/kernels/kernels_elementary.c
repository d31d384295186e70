/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_elementary.c - the float32 functions of kernels/elementary.cl on PoCL, against C's double
 * functions: every 1021st float32, all that are near a multiple of pi/2 or a bound in the text, and
 * with GND_TEST_ALL every float32 there is (some 20 minutes of two cores). Arguments: names of
 * functions. Also ndtr and normal numbers as GPUs compute them.
 */
#include "tap.h"

#include "kernelrun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    gnd__op op;
    double (*ref)(double);
} functions[] = {
    {GND__OP_SIN, sin},   {GND__OP_COS, cos},     {GND__OP_TAN, tan},     {GND__OP_ASIN, asin},
    {GND__OP_ACOS, acos}, {GND__OP_ATAN, atan},   {GND__OP_SINH, sinh},   {GND__OP_COSH, cosh},
    {GND__OP_TANH, tanh}, {GND__OP_ASINH, asinh}, {GND__OP_ACOSH, acosh}, {GND__OP_ATANH, atanh},
    {GND__OP_EXP, exp},   {GND__OP_EXP2, exp2},   {GND__OP_EXPM1, expm1}, {GND__OP_LOG, log},
    {GND__OP_LOG2, log2}, {GND__OP_LOG10, log10}, {GND__OP_LOG1P, log1p}, {GND__OP_ERF, erf},
};

enum { CHUNK = 1 << 18 };
static const double bound = 0.51; /* ulp; doc/KERNELS.md */
static float in[CHUNK], out[CHUNK];

static float from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* In ulp of float32 at want, a double that is right to much less. Infinite when one is special and
 * the other is not, or a zero has the wrong sign. */
static double error(float got, double want)
{
    int e;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (got == (float)want)
        return got == 0 && !signbit(got) != !signbit(want) ? HUGE_VAL : isinf(got) ? 0 : 0.5;
    if (isinf(got) || isinf((float)want))
        return HUGE_VAL;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* The normal distribution's function. */
static double normal(double x)
{
    return 0.5 * erfc(x * -0.70710678118654752440);
}

/* What GPUs compute, here with an exact reciprocal and the driver's exp2. Then normal numbers as
 * NVIDIA's GPUs compute them, here with an exact root and the driver's logarithm: both of each pair
 * of words. */
static const char others_text[] =
    "GND_KERNEL void k_ndtrnear_f32(GND_GLOBAL g_f32 *out, GND_CONST_GLOBAL g_f32 *a)\n"
    "{\n    const g_i64 i = GND_GID(0);\n    out[i] = gnd_ndtrnear_f32(a[i]);\n}\n"
    "GND_KERNEL void k_polarnear(GND_GLOBAL g_f32 *out, GND_CONST_GLOBAL g_u32 *a)\n"
    "{\n    const g_i64 i = GND_GID(0);\n    g_f32 two;\n"
    "    out[2 * i] = gnd_polarnear_f32(a[2 * i], a[2 * i + 1], &two);\n    out[2 * i + 1] = two;\n}\n";

static void test_polar(krun *k)
{
    static uint32_t w[CHUNK];
    const void *ins[1] = {w};
    const size_t bytes = sizeof w;
    const size_t n = CHUNK / 2;
    double worst = 0;
    uint64_t seed = 1;
    for (size_t i = 0; i < CHUNK; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        w[i] = (uint32_t)(seed >> 32) >> (i % 62 < 31 ? i % 31 : 0) ^ (i % 4 ? 0 : UINT32_MAX);
    }
    const int bad = krun_run(k, "k_polarnear", n, out, bytes, 1, ins, &bytes);
    for (size_t i = 0; i < n && !bad; i++) {
        const uint32_t a = w[2 * i + 1];
        const double r = sqrt(w[2 * i] >> 31 ? -2 * log1p(-((uint32_t)~w[2 * i] + 0.5) * 0x1p-32)
                                             : -2 * log((w[2 * i] + 0.5) * 0x1p-32));
        const double t = (int32_t)(a << 2) * (0.78539816339744831 * 0x1p-31);
        const double s = r * sin(t), c = r * (a >> 30 & 1 ? -cos(t) : cos(t));
        worst = fmax(worst, fmax(error(out[2 * i], a >> 31 ? s : c),
                                 error(out[2 * i + 1], a >> 31 ? c : s)));
    }
    tap_ok(!bad && worst <= 6, "polarnear: %.4f ulp of 6", worst);
}

/* Runs the first n of in, and keeps the worst. */
static int chunk(krun *k, const char *func, double (*ref)(double), size_t n, double *worst,
                 float *at)
{
    const void *ins[1] = {in};

    if (krun_elements(k, func, GND_FLOAT32, n, out, 1, ins))
        return -1;
    for (size_t i = 0; i < n; i++) {
        double err = error(out[i], ref((double)in[i]));
        if (err > *worst) {
            *worst = err;
            *at = in[i];
        }
    }
    return 0;
}

/* Values around multiples of pi/2 of any size, and around the bounds of the text. */
static size_t hard(void)
{
    static const float bounds[] = {0x1p-12f,   0x1p-28f,  0x1p-25f,   0x1p-7f, 0x1p-5f,   0.25f,
                                   0.4142135f, 1,         2.4142135f, 4,       88.72283f, 89.41599f,
                                   -87.33654f, -103.972f, 127.5f,     -149.5f, 0x1p-126f, 0x1p24f};
    size_t n = 0;
    in[n++] = 0.0f;
    in[n++] = -0.0f;
    in[n++] = INFINITY;
    in[n++] = -INFINITY;
    in[n++] = NAN;
    for (int k = 1; k < 1 << 14; k++)
        for (int scale = 0; scale < 4; scale++) {
            float x = (float)(1.5707963267948966 * k * ldexp(1, 26 * scale));
            for (int d = 0; d < 3 && n + 2 < CHUNK - 4096; d++, x = nextafterf(x, 0))
                in[n++] = d & 1 ? -x : x;
        }
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        float up = bounds[i], down = bounds[i];
        for (int d = 0; d < 50;
             d++, up = nextafterf(up, INFINITY), down = nextafterf(down, -INFINITY)) {
            in[n++] = up;
            in[n++] = -down;
        }
    }
    return n;
}

static void test(krun *k, const char *func, double (*ref)(double), double limit)
{
    uint64_t step = getenv("GND_TEST_ALL") ? 1 : 1021;
    double worst = 0;
    float at = 0;
    int bad = chunk(k, func, ref, hard(), &worst, &at);

    for (uint64_t u = 0; u <= UINT32_MAX && !bad;) {
        size_t n = 0;
        for (; n < CHUNK && u <= UINT32_MAX; u += step)
            in[n++] = from_bits((uint32_t)u);
        bad = chunk(k, func, ref, n, &worst, &at);
    }
    if (!tap_ok(!bad && worst <= limit, "%s: %.4f ulp of %g", func, worst, limit))
        tap_diag("at %a (%.9g)", (double)at, (double)at);
}

static void test_function(krun *k, int f)
{
    test(k, gnd__ops[functions[f].op].name, functions[f].ref, bound);
}

static void test_others(krun *k)
{
    test(k, "ndtrnear", normal, 6);
    test_polar(k);
}

static gnd__op operation(int f)
{
    return functions[f].op;
}

int main(int argc, char **argv)
{
    return krun_functions(argc, argv, GND_FLOAT32, sizeof functions / sizeof *functions, operation,
                          others_text, test_function, test_others);
}
