/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_double.c - the float64 functions of kernels/double.cl and kernels/dinverse.cl on PoCL,
 * against C's long double functions where these have 64 bits or more: random bits, random values of
 * every size, all near a multiple of pi/2 of any size, near 0, 1, the bounds in the text and the
 * ends of the range; infinities, NaN, subnormals. With GND_TEST_ALL a hundred times as many.
 * Arguments: names of functions.
 */
#include "tap.h"

#include "kernelrun.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    gnd__op op;
    long double (*ref)(long double);
    long double (*ref2)(long double, long double);
} functions[] = {
    {GND__OP_SIN, sinl, NULL},     {GND__OP_COS, cosl, NULL},     {GND__OP_TAN, tanl, NULL},
    {GND__OP_EXP, expl, NULL},     {GND__OP_EXP2, exp2l, NULL},   {GND__OP_EXPM1, expm1l, NULL},
    {GND__OP_SINH, sinhl, NULL},   {GND__OP_COSH, coshl, NULL},   {GND__OP_TANH, tanhl, NULL},
    {GND__OP_LOG, logl, NULL},     {GND__OP_LOG2, log2l, NULL},   {GND__OP_LOG10, log10l, NULL},
    {GND__OP_LOG1P, log1pl, NULL}, {GND__OP_ERF, erfl, NULL},     {GND__OP_ASIN, asinl, NULL},
    {GND__OP_ACOS, acosl, NULL},   {GND__OP_ATAN, atanl, NULL},   {GND__OP_ASINH, asinhl, NULL},
    {GND__OP_ACOSH, acoshl, NULL}, {GND__OP_ATANH, atanhl, NULL}, {GND__OP_POW, NULL, powl},
    {GND__OP_ATAN2, NULL, atan2l}, {GND__OP_HYPOT, NULL, hypotl},
};

enum { CHUNK = 1 << 16, ANGLES = 1 << 14 };
static const double bound = 2; /* ulp; doc/KERNELS.md */
static double in[CHUNK], in2[CHUNK], out[CHUNK];
static uint64_t state = 1;

static uint64_t rnd(void) /* SplitMix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double any_bits(void)
{
    uint64_t u = rnd();
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static double unit(void)
{
    return (double)(rnd() >> 11) * 0x1p-53;
}

/* Of a size that functions do not over- or underflow at: 2^-60 to 2^11. */
static double middling(void)
{
    double s = rnd() & 1 ? -1 : 1;
    return rnd() & 3 ? s * ldexp(1 + unit(), (int)(rnd() % 20) - 10)
                     : s * ldexp(1 + unit(), (int)(rnd() % 72) - 60);
}

/* In ulp of float64 at want. Infinite when one is special and the other is not, or a zero has the
 * wrong sign; what rounds to infinity may be the largest number. */
static double error(double got, long double want)
{
    int e;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (isinf(want) || want == 0)
        return got == (double)want && !signbit(got) == !signbit(want) ? 0 : HUGE_VAL;
    if (isinf(got))
        return fabsl(want) > (long double)DBL_MAX * (1 - 0x1p-52L) && (got > 0) == (want > 0)
                   ? 0
                   : HUGE_VAL;
    frexpl(want, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, (e < -1021  ? -1021
                                                                : e > 1024 ? 1024
                                                                           : e) -
                                                                   53));
}

typedef struct worst {
    double err, x, y, got;
} worst;

static int chunk(krun *k, int f, size_t n, worst *w)
{
    const void *ins[2] = {in, in2};
    int two = !functions[f].ref;

    if (krun_elements(k, gnd__ops[functions[f].op].name, GND_FLOAT64, n, out, 1 + two, ins))
        return -1;
    for (size_t i = 0; i < n; i++) {
        double err =
            error(out[i], two ? functions[f].ref2(in[i], in2[i]) : functions[f].ref(in[i]));
        if (err > w->err)
            *w = (worst){err, in[i], two ? in2[i] : 0, out[i]};
    }
    return 0;
}

/* Values that are special to some function, and their neighbours. */
static size_t special(void)
{
    static const double at[] = {
        0,
        1,
        2,
        3,
        0.5,
        0.25,
        4,
        6,
        10,
        1.5,
        0.55,
        0.27,
        0x1p-54,
        0x1p-27,
        0x1p-1022,
        0x1p-1074,
        0x1p52,
        0x1p53,
        0x1p63,
        0x1p65,
        DBL_MAX,
        INFINITY,
        709.782712893384,
        710.4758600739439,
        745.1332191019412,
        708.3964185322641,
        690,
        712,
        715,
        36.7368005696771,
        50,
        1023.5,
        1024,
        1022,
        1074,
        1075,
        1080,
        1100,
        0.34657359027997264,
        0.6931471805599453,
        1.0397207708399179,
        0.41421356237309515,
        1.4142135623730951,
        0.7071067811865476,
        0.2928932188134525,
        2.25,
        1e22,
        1e300,
        0.4375,
        0.6875,
        1.1875,
        2.4375,
        0x1p60,
        0x1p500,
        0x1p-450,
        5.319372648326541416707296656673541083813475031793921822105998164685e+255,
    };
    size_t n = 0;
    in[n++] = NAN;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double up = at[i], down = at[i];
        for (int d = 0; d < 40;
             d++, up = nextafter(up, INFINITY), down = nextafter(down, -INFINITY)) {
            in[n++] = up;
            in[n++] = -up;
            in[n++] = down;
            in[n++] = -down;
        }
    }
    return n;
}

static void test(krun *k, int f)
{
    int rounds = getenv("GND_TEST_ALL") ? 200 : 2, bad = 0;
    worst w = {0, 0, 0, 0};
    size_t n;

    state = 20261122 + (uint64_t)f;
    if (functions[f].ref) {
        bad = chunk(k, f, special(), &w);
        for (n = 0; n < ANGLES * 4 && !bad; n++) { /* multiples of pi/2, of any size */
            in[n] = (double)(1.57079632679489661923L * (n < ANGLES ? n + 1 : rnd() >> rnd() % 60));
            in[n] = ldexp(in[n], n < 2 * ANGLES ? 0 : (int)(rnd() % 960));
        }
        in[0] = 6381956970095103.0 * 0x1p797; /* the nearest of all to one */
        bad = bad || chunk(k, f, n, &w);
    } else { /* pairs: all of some special values, then near 1 to a large power, whole powers, roots
              */
        static const double at[] = {0,
                                    1,
                                    2,
                                    3,
                                    0.5,
                                    1.5,
                                    1e300,
                                    0x1p-1074,
                                    0x1p-1022,
                                    DBL_MAX,
                                    INFINITY,
                                    NAN,
                                    0x1p52,
                                    0x1p53,
                                    0x1p53 - 1,
                                    0x1p52 + 1,
                                    4503599627370497.5,
                                    0x1p64,
                                    1e19,
                                    1 + 0x1p-52,
                                    1 - 0x1p-53,
                                    1023,
                                    1024,
                                    1075};
        const int m = sizeof at / sizeof *at;
        for (n = 0; n < (size_t)(4 * m * m); n++) {
            in[n] = at[n / 4 % (size_t)m] * (n & 1 ? -1 : 1);
            in2[n] = at[n / 4 / (size_t)m] * (n & 2 ? -1 : 1);
        }
        for (; n < CHUNK; n++) {
            double t = (n & 1 ? 1 : -1) * 700 * unit();
            in[n] = n % 3 == 0 ? 1 + (unit() - 0.5) * ldexp(1, -(int)(rnd() % 50))
                               : exp(50 * (unit() - 0.5));
            in2[n] = n % 3 == 2 ? (double)(rnd() % 40) - 20 : t / log(in[n]);
            in[n] = n % 3 == 2 && n & 1 ? -in[n] : in[n];
        }
        bad = chunk(k, f, n, &w);
    }
    for (int r = 0; r < rounds && !bad; r++) {
        for (n = 0; n < CHUNK; n++) {
            in[n] = n & 3 ? middling() : any_bits();
            in2[n] = n & 7 ? middling() : any_bits();
            if (functions[f].op == GND__OP_POW && n & 5)
                in[n] = fabs(in[n]);
            if (functions[f].ref && n % 8 >= 6) /* within [-1, 1], and near its ends */
                in[n] = n & 1 ? 2 * unit() - 1
                              : (1 - unit() * ldexp(1, -(int)(rnd() % 30))) * (n & 16 ? -1 : 1);
            if (functions[f].ref2 && n % 4 == 2) /* of about the same size */
                in2[n] = in[n] * (0.1 + 4 * unit());
        }
        bad = chunk(k, f, n, &w);
    }
    if (!tap_ok(!bad && w.err <= bound, "%s: %.3f ulp of %g", gnd__ops[functions[f].op].name, w.err,
                bound))
        tap_diag("at %a %a (%.17g, %.17g): %.17g", w.x, w.y, w.x, w.y, w.got);
}

static gnd__op operation(int f)
{
    return functions[f].op;
}

int main(int argc, char **argv)
{
    if (LDBL_MANT_DIG < 64)
        tap_skip_all("C's long double is no more than double: no reference");
    return krun_functions(argc, argv, GND_FLOAT64, sizeof functions / sizeof *functions, operation,
                          "", test, NULL);
}
