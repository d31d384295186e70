/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/text_format.c - the text of single elements. A first pass over all printed elements finds
 * their common notation and widths, a second pass writes them. The rules are those of
 * numpy/_core/arrayprint.py (FloatingFormat and related classes) and of NumPy's scalars, written
 * anew.
 */
#include "io/text.h"

#include "base/dtype.h"
#include "io/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRECISION = 8 };

/* What remains of trailing zeros of a fraction: "1." in arrays, "1.0" for real scalars, "1" for
 * complex scalars. */
enum { TRIM_POINT, TRIM_ONE_ZERO, TRIM_ALL };

typedef struct {
    char *p;
    int n;
} sink;

static void put(sink *s, char c, int times)
{
    for (; times > 0 && s->n < GND__TEXT_MAX - 1; times--)
        s->p[s->n++] = c;
    s->p[s->n] = '\0';
}

static void put_sign(sink *s, double x, int plus)
{
    if (signbit(x))
        put(s, '-', 1);
    else if (plus)
        put(s, '+', 1);
}

static int without_zeros(const gnd__digits *d, int from)
{
    int n = d->n;
    while (n > from && d->d[n - 1] == '0')
        n--;
    return n;
}

/* Writes "-12.5" with at most `most` digits after the point (negative: no limit). With least 0,
 * exact digits replace the zeros that follow the shortest ones. Pads with spaces to `left` columns
 * before the point and `right` after it. *whole and *fraction are the columns used. */
static void positional(sink *s, gnd_dtype t, double x, int most, int least, int trim, int plus,
                       int left, int right, int *whole, int *fraction)
{
    gnd__digits d;
    gnd__digits_of(&d, t, x, GND__DIGITS_FRACTION, most, least);
    int sign = signbit(x) || plus, ints = d.exp10 >= 0 ? d.exp10 + 1 : 1;
    int n = without_zeros(&d, d.exp10 >= 0 ? d.exp10 + 1 : 0);
    put(s, ' ', left - sign - ints);
    put_sign(s, x, plus);
    for (int i = 0; i < ints; i++)
        put(s, d.exp10 >= 0 && i < n ? d.d[i] : '0', 1);
    int zeros = d.exp10 < 0 && n > 0 ? -d.exp10 - 1 : 0, first = d.exp10 >= 0 ? ints : 0;
    int count = n > first ? zeros + n - first : 0;
    if (count || trim != TRIM_ALL)
        put(s, '.', 1);
    if (count) {
        put(s, '0', zeros);
        for (int i = first; i < n; i++)
            put(s, d.d[i], 1);
    } else if (trim == TRIM_ONE_ZERO) {
        put(s, '0', 1);
        count = 1;
    }
    put(s, ' ', right - count);
    *whole = sign + ints;
    *fraction = count;
}

/* Writes "-1.25e+10" with at least `least` and at most `most` digits after the point, padded to
 * `left` columns before the point, with at least exp_digits digits of exponent. *exponent is the
 * number of digits that the exponent took. */
static void scientific(sink *s, gnd_dtype t, double x, int most, int least, int trim, int plus,
                       int left, int exp_digits, int *whole, int *fraction, int *exponent)
{
    gnd__digits d;
    gnd__digits_of(&d, t, x, GND__DIGITS_TOTAL, most < 0 ? -1 : most + 1,
                   least < 0 ? -1 : least + 1);
    int sign = signbit(x) || plus, n = least < 0 ? without_zeros(&d, 1) : d.n;
    put(s, ' ', left - sign - 1);
    put_sign(s, x, plus);
    put(s, d.d[0], 1);
    int count = n - 1;
    if (count || least > 0 || trim != TRIM_ALL)
        put(s, '.', 1);
    for (int i = 1; i < n; i++)
        put(s, d.d[i], 1);
    if (least > count) {
        put(s, '0', least - count);
        count = least;
    }
    int e = d.exp10 < 0 ? -d.exp10 : d.exp10, digits = e >= 100 ? 3 : 2;
    digits = digits < exp_digits ? exp_digits : digits;
    put(s, 'e', 1);
    put(s, d.exp10 < 0 ? '-' : '+', 1);
    for (int div = digits == 3 ? 100 : 10; div; div /= 10)
        put(s, (char)('0' + e / div % 10), 1);
    *whole = sign + 1;
    *fraction = count;
    *exponent = digits;
}

static void not_finite(sink *s, double x, int plus, int width)
{
    const char *text = isnan(x) ? "nan" : "inf";
    char sign = !isnan(x) && x < 0 ? '-' : plus ? '+' : 0;
    put(s, ' ', width - 3 - (sign != 0));
    if (sign)
        put(s, sign, 1);
    for (int i = 0; i < 3; i++)
        put(s, text[i], 1);
}

/* x rounded to type t, in which NumPy compares and divides. */
static double rounded(gnd_dtype t, double x)
{
    switch (t) {
    case GND_FLOAT16: return (double)gnd__f16_to_f32(gnd__f64_to_f16(x));
    case GND_BFLOAT16: return (double)gnd__bf16_to_f32(gnd__f64_to_bf16(x));
    case GND_FLOAT32: return (double)(float)x;
    default: return x;
    }
}

static double component(gnd_dtype t, const void *data, int64_t i, int imag)
{
    gnd__scalar s = gnd__load_scalar(t, (const char *)data + (size_t)i * gnd_dtype_size(t));
    return imag ? s.im : s.re;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static void float_format(gnd__text_float *f, gnd_dtype t, const void *data, int64_t count, int imag)
{
    gnd_dtype ft = gnd__real_of(t);
    double most = 0, least = 0;
    int64_t finite = 0;
    int neginf = imag; /* NumPy reserves room for the sign of every infinite imaginary part */
    *f = (gnd__text_float){.t = ft, .plus = imag, .precision = PRECISION};
    for (int64_t i = 0; i < count; i++) {
        double x = component(t, data, i, imag), a = fabs(x);
        if (!isfinite(x)) {
            neginf |= !isnan(x) && x < 0;
            continue;
        }
        finite++;
        if (a == 0)
            continue;
        most = a > most ? a : most;
        least = least == 0 || a < least ? a : least;
    }
    if (most > 0)
        f->exponent = most >= rounded(ft, 1e8) || least < rounded(ft, 1e-4) ||
                      rounded(ft, most / least) > 1000.0;

    char buf[GND__TEXT_MAX];
    int fraction_most = 0;
    for (int64_t i = 0; i < count && finite; i++) {
        double x = component(t, data, i, imag);
        sink s = {buf, 0};
        int whole, fraction, exponent = 0;
        if (!isfinite(x))
            continue;
        if (f->exponent)
            scientific(&s, ft, x, PRECISION, -1, TRIM_POINT, f->plus, 0, 0, &whole, &fraction,
                       &exponent);
        else
            positional(&s, ft, x, PRECISION, -1, TRIM_POINT, f->plus, 0, 0, &whole, &fraction);
        f->left = max_int(f->left, whole);
        fraction_most = max_int(fraction_most, fraction);
        f->exp_digits = max_int(f->exp_digits, exponent);
    }
    f->right = fraction_most;
    if (f->exponent) {
        f->precision = fraction_most;
        f->right = f->exp_digits + 2 + fraction_most; /* including "e+": the width beside a nan */
    }
    if (finite != count)
        f->left = max_int(f->left, max_int(3, 3 + neginf) - (f->right + 1));
}

static void float_element(sink *s, const gnd__text_float *f, double x)
{
    int a, b, c;
    if (!isfinite(x))
        not_finite(s, x, f->plus, f->left + f->right + 1);
    else if (f->exponent)
        scientific(s, f->t, x, f->precision, f->precision, TRIM_POINT, f->plus, f->left,
                   f->exp_digits, &a, &b, &c);
    else
        positional(s, f->t, x, f->precision, 0, TRIM_POINT, f->plus, f->left, f->right, &a, &b);
}

static int int_text(const gnd__scalar *s, int width, char *buf)
{
    if (s->kind == 'u')
        return snprintf(buf, GND__TEXT_MAX, "%*" PRIu64, width, s->u);
    return snprintf(buf, GND__TEXT_MAX, "%*" PRId64, width, s->i);
}

void gnd__text_format_of(gnd__text_format *f, gnd_dtype t, const void *data, int64_t count)
{
    char buf[GND__TEXT_MAX];
    *f = (gnd__text_format){.t = t, .kind = gnd_dtype_kind(t)};
    switch (f->kind) {
    case 'i':
    case 'u':
        for (int64_t i = 0; i < count; i++) {
            gnd__scalar s = gnd__load_scalar(t, (const char *)data + (size_t)i * gnd_dtype_size(t));
            f->width = max_int(f->width, int_text(&s, 0, buf));
        }
        break;
    case 'c':
        float_format(&f->im, t, data, count, 1);
        float_format(&f->re, t, data, count, 0);
        break;
    case 'f': float_format(&f->re, t, data, count, 0); break;
    default: break;
    }
}

int gnd__text_element(const gnd__text_format *f, const void *p, char buf[GND__TEXT_MAX])
{
    gnd__scalar v = gnd__load_scalar(f->t, p);
    sink s = {buf, 0};
    buf[0] = '\0';
    switch (f->kind) {
    case 'b': return snprintf(buf, GND__TEXT_MAX, "%s", v.i ? " True" : "False");
    case 'i':
    case 'u': return int_text(&v, f->width, buf);
    case 'f': float_element(&s, &f->re, v.re); return s.n;
    default: break;
    }
    float_element(&s, &f->re, v.re);
    int start = s.n;
    float_element(&s, &f->im, v.im);
    /* the j goes before the spaces that align */
    int end = s.n;
    while (end > start && buf[end - 1] == ' ')
        end--;
    put(&s, ' ', 1);
    buf[end] = 'j';
    return s.n;
}

/* Writes a component of a scalar with all its digits, positional between 1e-4 and 1e16. */
static void float_scalar(sink *s, gnd_dtype t, double x, int trim, int plus)
{
    double a = fabs(x);
    int u, v, w;
    if (!isfinite(x))
        not_finite(s, x, plus, 0);
    else if (a == 0 || (a >= 1e-4 && a < 1e16))
        positional(s, t, x, -1, -1, trim, plus, 0, 0, &u, &v);
    else
        scientific(s, t, x, -1, -1, TRIM_ALL, plus, 0, 0, &u, &v, &w);
}

int gnd__text_scalar(gnd_dtype t, const void *p, char buf[GND__TEXT_MAX])
{
    gnd__scalar v = gnd__load_scalar(t, p);
    gnd_dtype ft = gnd__real_of(t);
    sink s = {buf, 0};
    buf[0] = '\0';
    switch (v.kind) {
    case 'b': return snprintf(buf, GND__TEXT_MAX, "%s", v.i ? "True" : "False");
    case 'i':
    case 'u': return int_text(&v, 0, buf);
    case 'f': float_scalar(&s, ft, v.re, TRIM_ONE_ZERO, 0); return s.n;
    default: break;
    }
    /* A real part of +0 is omitted. */
    int both = v.re != 0 || signbit(v.re);
    if (both) {
        put(&s, '(', 1);
        float_scalar(&s, ft, v.re, TRIM_ALL, 0);
    }
    float_scalar(&s, ft, v.im, TRIM_ALL, both);
    put(&s, 'j', 1);
    if (both)
        put(&s, ')', 1);
    return s.n;
}
