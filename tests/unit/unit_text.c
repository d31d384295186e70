/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_text.c - lib/io/text: printed arrays against what NumPy 2.2 prints, and the shortest digits
 * of floats. Needs no device.
 */
#include "tap.h"

#include "base/dtype.h"
#include "base/mem.h"
#include "base/shape.h"
#include "io/digits.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of an array from all of its elements, C-contiguous. */
static gnd_status text_array(gnd__str *out, gnd_dtype t, int ndim, const int64_t *shape,
                             const void *data, gnd_err *e)
{
    int64_t edge[GND_MAX_NDIM], at[GND_MAX_NDIM] = {0};
    if (!gnd__text_edges(ndim, shape, edge))
        return gnd__text_corners(out, t, ndim, shape, data, e);

    size_t esize = gnd_dtype_size(t);
    int64_t n = gnd__shape_size(ndim, edge, esize);
    char *corners = gnd__malloc((size_t)n * esize);
    if (!corners)
        return GND_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = 0;
        for (int k = 0; k < ndim; k++) {
            int tail = edge[k] < shape[k] && at[k] >= GND__TEXT_EDGE;
            from = from * shape[k] + at[k] + (tail ? shape[k] - edge[k] : 0);
        }
        memcpy(corners + (size_t)i * esize, (const char *)data + (size_t)from * esize, esize);
        for (int k = ndim - 1; k >= 0 && ++at[k] == edge[k]; k--)
            at[k] = 0;
    }
    gnd_status st = gnd__text_corners(out, t, ndim, shape, corners, e);
    gnd__free(corners);
    return st;
}

/* The text of count doubles (pairs for complex), stored as t in that shape. */
static void prints(gnd_dtype t, int ndim, const int64_t *shape, const double *v, const char *want)
{
    char data[4096];
    int cplx = gnd_dtype_kind(t) == 'c';
    int64_t n = 1;
    for (int k = 0; k < ndim; k++)
        n *= shape[k];
    for (int64_t i = 0; i < n; i++) {
        gnd__scalar s = {.kind = cplx ? 'c' : 'f'};
        s.re = v[cplx ? 2 * i : i];
        s.im = cplx ? v[2 * i + 1] : 0;
        gnd__store_scalar(t, data + (size_t)i * gnd_dtype_size(t), &s);
    }
    gnd__str b = {0};
    gnd_err e = {0};
    gnd_status st = text_array(&b, t, ndim, shape, data, &e);
    tap_is_str(st ? e.msg : gnd__str_get(&b), want, "%s: %.40s", gnd_dtype_name(t), want);
    gnd__str_free(&b);
}

static void row(gnd_dtype t, int64_t n, const double *v, const char *want)
{
    prints(t, 1, &n, v, want);
}

static void scalar(gnd_dtype t, double re, double im, const char *want)
{
    double v[2] = {re, im};
    prints(t, 0, NULL, v, want);
}

#define ROW(t, want, ...)                                                                          \
    do {                                                                                           \
        double v[] = {__VA_ARGS__};                                                                \
        size_t per = gnd_dtype_kind(t) == 'c' ? 2 : 1;                                             \
        row(t, (int64_t)(sizeof v / sizeof v[0] / per), v, want);                                  \
    } while (0)

static void test_rows(void)
{
    const double nan = (double)NAN, inf = (double)INFINITY;
    ROW(GND_FLOAT64, "[1.e-05 1.e+00 2.e+00]", 1e-5, 1, 2);
    ROW(GND_FLOAT64, "[1.e+08 1.e+00]", 1e8, 1);
    ROW(GND_FLOAT64, "[1.000e+00 1.001e+03 1.000e+00]", 1, 1001, 1);
    ROW(GND_FLOAT64, "[   1. 1000.]", 1, 1000);
    ROW(GND_FLOAT64, "[ 0. -0.]", 0, -0.0);
    ROW(GND_FLOAT64, "[4.94065646e-324 1.79769313e+308]", 5e-324, 1.7976931348623157e308);
    ROW(GND_FLOAT64, "[ nan -inf  1.5]", nan, -inf, 1.5);
    ROW(GND_FLOAT64, "[nan inf]", nan, inf);
    ROW(GND_FLOAT64, "[0.33333333 0.5       ]", 1.0 / 3, 0.5);
    ROW(GND_FLOAT32, "[0.1        0.25       0.33333334]", 0.1, 0.25, 1.0 / 3);
    ROW(GND_FLOAT32, "[1.e+10 1.e-01]", 1e10, 0.1);
    ROW(GND_FLOAT32, "[0.0001]", 1e-4);
    ROW(GND_FLOAT16, "[6.55e+04 1.00e-01]", 65504, 0.1);
    ROW(GND_FLOAT16, "[24288. -1775.  7752.]", 24288, -1775, 7752.5);
    ROW(GND_BFLOAT16, "[0.334 0.5   3.14 ]", 1.0 / 3, 0.5, 3.14);
    ROW(GND_BFLOAT16, "[1.e+30]", 1e30);
    ROW(GND_COMPLEX128, "[ 1.+2.j  -0.-0.5j nan+infj]", 1, 2, -0.0, -0.5, nan, inf);
    ROW(GND_COMPLEX64, "[0.1+2.e+10j 3. +0.e+00j]", 0.1, 2e10, 3, 0);
    ROW(GND_BOOL, "[ True False]", 1, 0);
    ROW(GND_INT8, "[ -1 100]", -1, 100);
    ROW(GND_UINT64, "[                   0 18446744073709549568]", 0, 18446744073709549568.0);
}

static void test_scalars(void)
{
    const double nan = (double)NAN, inf = (double)INFINITY;
    scalar(GND_FLOAT64, 0.1, 0, "0.1");
    scalar(GND_FLOAT64, 1e16, 0, "1e+16");
    scalar(GND_FLOAT64, 1e15, 0, "1000000000000000.0");
    scalar(GND_FLOAT64, ldexp(1, -44), 0, "5.684341886080802e-14");
    scalar(GND_FLOAT64, 5e-324, 0, "5e-324");
    scalar(GND_FLOAT64, 9e-5, 0, "9e-05");
    scalar(GND_FLOAT64, -0.0, 0, "-0.0");
    scalar(GND_FLOAT64, nan, 0, "nan");
    scalar(GND_FLOAT64, -inf, 0, "-inf");
    scalar(GND_FLOAT32, 0.1, 0, "0.1");
    scalar(GND_FLOAT32, 1e-4, 0, "1e-04");
    scalar(GND_FLOAT16, 1.0 / 3, 0, "0.3333");
    scalar(GND_BFLOAT16, 1.0 / 3, 0, "0.334");
    scalar(GND_COMPLEX128, 1, 2, "(1+2j)");
    scalar(GND_COMPLEX64, 0, 0.1, "0.1j");
    scalar(GND_COMPLEX128, -0.0, 1, "(-0+1j)");
    scalar(GND_COMPLEX128, nan, -inf, "(nan-infj)");
    scalar(GND_BOOL, 1, 0, "True");
    scalar(GND_INT64, -9007199254740992.0, 0, "-9007199254740992");
}

static void test_shapes(void)
{
    int64_t s[3] = {3, 4, 2};
    static double v[1200];
    for (int i = 0; i < 1200; i++)
        v[i] = i / 8.0;
    prints(GND_FLOAT64, 2, s, v,
           "[[0.    0.125 0.25  0.375]\n [0.5   0.625 0.75  0.875]\n [1.    1.125 1.25  1.375]]");
    memset(v, 0, sizeof v);
    int64_t u[3] = {2, 1, 2};
    prints(GND_UINT8, 3, u, v, "[[[0 0]]\n\n [[0 0]]]");
    int64_t none[2] = {2, 0};
    prints(GND_FLOAT64, 2, none, v, "[]");
    int64_t one[2] = {1, 1};
    prints(GND_INT32, 2, one, v, "[[0]]");
    for (int i = 0; i < 30; i++)
        v[i] = i * 100;
    row(GND_INT64, 30, v,
        "[   0  100  200  300  400  500  600  700  800  900 1000 1100 1200 1300\n"
        " 1400 1500 1600 1700 1800 1900 2000 2100 2200 2300 2400 2500 2600 2700\n"
        " 2800 2900]");

    /* Summaries: from all the data, and from the corners alone. */
    int64_t big[2] = {30, 40}, edge[2], just[1] = {1000};
    static int32_t all[1200], corners[36];
    for (int i = 0; i < 1200; i++)
        all[i] = i;
    static const char want[] = "[[   0    1    2 ...   37   38   39]\n"
                               " [  40   41   42 ...   77   78   79]\n"
                               " [  80   81   82 ...  117  118  119]\n"
                               " ...\n"
                               " [1080 1081 1082 ... 1117 1118 1119]\n"
                               " [1120 1121 1122 ... 1157 1158 1159]\n"
                               " [1160 1161 1162 ... 1197 1198 1199]]";
    gnd__str b = {0};
    gnd_err e = {0};
    text_array(&b, GND_INT32, 2, big, all, &e);
    tap_is_str(gnd__str_get(&b), want, "a summary");
    tap_ok(gnd__text_edges(2, big, edge) && edge[0] == 6 && edge[1] == 6, "edges of (30, 40)");
    tap_ok(!gnd__text_edges(1, just, edge) && edge[0] == 1000, "1000 elements are printed whole");
    for (int i = 0; i < 36; i++) {
        int r = i / 6 < 3 ? i / 6 : 24 + i / 6, c = i % 6 < 3 ? i % 6 : 34 + i % 6;
        corners[i] = all[r * 40 + c];
    }
    gnd__str_clear(&b);
    gnd__text_corners(&b, GND_INT32, 2, big, corners, &e);
    tap_is_str(gnd__str_get(&b), want, "a summary from the corners");
    gnd__str_clear(&b);
    int64_t huge[3] = {(int64_t)1 << 40, 2, 2};
    gnd__text_corners(&b, GND_INT32, 3, huge, corners, &e);
    tap_ok(!b.bad && strstr(gnd__str_get(&b), "...\n"), "a summary of 2^42 elements");
    gnd__str_clear(&b);
    huge[1] = (int64_t)1 << 40;
    tap_is_int(gnd__text_corners(&b, GND_INT32, 3, huge, corners, &e), GND_ERR_OVERFLOW,
               "a shape that overflows");
    gnd_err f = {0};
    tap_is_int(text_array(&b, GND_NDTYPES, 1, just, all, &f), GND_ERR_DTYPE, "no dtype");
    int64_t deep[32];
    for (int k = 0; k < 32; k++)
        deep[k] = 1;
    gnd_err g = {0};
    gnd__str_clear(&b);
    tap_ok(!text_array(&b, GND_INT32, 32, deep, all, &g) && b.len == 65, "32 dimensions");
    gnd__str_free(&b);

    int bad = 0;
    long live = gnd__mem_live();
    for (long fail = 1; fail < 20; fail++) {
        gnd_err h = {0};
        gnd__str c = {0};
        gnd__mem_fail_at(fail);
        gnd_status st = text_array(&c, GND_INT32, 2, big, all, &h);
        gnd__mem_fail_at(0);
        bad |= st ? st != GND_ERR_NOMEM : strcmp(gnd__str_get(&c), want) != 0;
        gnd__str_free(&c);
    }
    tap_ok(!bad && gnd__mem_live() == live, "out of memory at each allocation");
}

/* The digits read back as the value, and one digit fewer never does. */
static void test_digits(void)
{
    uint64_t state = 88172645463325252u;
    int bad = 0, longer = 0;
    for (int i = 0; i < 3000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t bits = i < 100 ? (uint64_t)i << 52 : state;
        double x, y;
        memcpy(&x, &bits, 8);
        x = fabs(x);
        if (!isfinite(x) || x == 0)
            continue;
        gnd__digits d;
        char text[64];
        gnd__digits_of(&d, GND_FLOAT64, x, GND__DIGITS_TOTAL, -1, -1);
        snprintf(text, sizeof text, "%.1s.%.*se%d", d.d, d.n - 1, d.d + 1, d.exp10);
        y = strtod(text, NULL);
        bad += y != x || d.n > 17;
        snprintf(text, sizeof text, "%.*e", d.n - 2 > 0 ? d.n - 2 : 0, x);
        longer += d.n > 1 && strtod(text, NULL) == x;
        /* a limit rounds correctly */
        gnd__digits_of(&d, GND_FLOAT64, x, GND__DIGITS_TOTAL, 5, 5);
        char cut[64];
        snprintf(text, sizeof text, "%.4e", x);
        snprintf(cut, sizeof cut, "%.1s.%-4.*s", d.d, d.n - 1, d.d + 1);
        for (char *p = cut; *p; p++)
            if (*p == ' ')
                *p = '0';
        bad += strncmp(text, cut, 6) != 0;
    }
    tap_is_int(bad, 0, "digits read back");
    tap_is_int(longer, 0, "digits are as few as can be");
}

int main(void)
{
    long live = gnd__mem_live();
    test_rows();
    test_scalars();
    test_shapes();
    test_digits();
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
