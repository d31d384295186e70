/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fold.c - a reduction to one number. The partial results of all ranks are gathered in host memory
 * and combined there, in the order of the parts: the bits are the same on every rank. The result is
 * a constant, so no device has any work after its own partial result. That matters for ranks
 * without a part, and where ranks share a device and take turns.
 */
#include "call.h"

#include <math.h>
#include <string.h>

/* A number of any dtype: u for bools and ints (modulo 2^64), otherwise re and im. */
typedef struct number {
    uint64_t u;
    double re, im;
} number;

int gndm__has_scalar(gnd_dtype t)
{
    return t != GND_FLOAT16 && t != GND_BFLOAT16;
}

int gndm__folds(int kind, gnd_dtype t, gnd_dtype result)
{
    if (!gndm__has_scalar(result))
        return 0;
    return gnd_dtype_kind(t) != 'c' || (kind != GNDM__MAX && kind != GNDM__MIN);
}

/* --- memory ----------------------------------------------------------------------------------- */

static number load(gnd_dtype t, const void *at)
{
    number x = {0};
    float f[2] = {0};
    double d[2] = {0};
    switch (t) {
    case GND_BOOL:
    case GND_UINT8: x.u = *(const uint8_t *)at; break;
    case GND_INT8: x.u = (uint64_t)(int64_t)(*(const int8_t *)at); break;
    case GND_INT16: x.u = (uint64_t)(int64_t)(*(const int16_t *)at); break;
    case GND_UINT16: x.u = *(const uint16_t *)at; break;
    case GND_INT32: x.u = (uint64_t)(int64_t)(*(const int32_t *)at); break;
    case GND_UINT32: x.u = *(const uint32_t *)at; break;
    case GND_INT64:
    case GND_UINT64: memcpy(&x.u, at, sizeof x.u); break;
    case GND_FLOAT64:
    case GND_COMPLEX128:
        memcpy(d, at, gnd_dtype_size(t));
        x.re = d[0];
        x.im = d[1];
        break;
    default: /* float32, complex64 */
        memcpy(f, at, gnd_dtype_size(t));
        x.re = (double)f[0];
        x.im = (double)f[1];
    }
    return x;
}

static void store(gnd_dtype t, number x, void *at)
{
    const float f[2] = {(float)x.re, (float)x.im};
    const double d[2] = {x.re, x.im};
    const size_t size = gnd_dtype_size(t);
    switch (t) {
    case GND_FLOAT64:
    case GND_COMPLEX128: memcpy(at, d, size); break;
    case GND_FLOAT32:
    case GND_COMPLEX64: memcpy(at, f, size); break;
    default: memcpy(at, &x.u, size); /* the low bytes: gnd's machines are little-endian */
    }
}

gnd_array *gndm__scalar(gnd_dtype t, const void *at)
{
    const number x = load(t, at);
    switch (gnd_dtype_kind(t)) {
    case 'b': return gnd_bool(x.u != 0);
    case 'i': return gnd_int((int64_t)x.u);
    case 'u': return gnd_uint(x.u);
    case 'c': return gnd_complex(x.re, x.im);
    default: return gnd_real(x.re);
    }
}

/* --- arithmetic ------------------------------------------------------------------------------- */

/* Whether y is to be taken instead of x as the larger (sign 1) or smaller one (-1). NaN is taken
 * before all numbers. */
static int beats(gnd_dtype t, number x, number y, int sign)
{
    int order = (y.re > x.re) - (y.re < x.re);
    if (gnd_dtype_kind(t) == 'i')
        order = ((int64_t)y.u > (int64_t)x.u) - ((int64_t)y.u < (int64_t)x.u);
    else if (gnd_dtype_kind(t) != 'f')
        order = (y.u > x.u) - (y.u < x.u);
    return order == sign || (isnan(y.re) && !isnan(x.re));
}

static number product(number x, number y)
{
    return (number){x.u * y.u, x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* The product of floats: x.im and y.im are 0, and 0 times an infinity must not count. */
static number real_product(number x, number y)
{
    return (number){x.u * y.u, x.re * y.re, 0};
}

static number combine(int kind, gnd_dtype t, number x, number y)
{
    switch (kind) {
    case GNDM__PROD: return gnd_dtype_kind(t) == 'c' ? product(x, y) : real_product(x, y);
    case GNDM__MAX: return beats(t, x, y, 1) ? y : x;
    case GNDM__MIN: return beats(t, x, y, -1) ? y : x;
    case GNDM__ANY: return (number){x.u | y.u, 0, 0};
    case GNDM__ALL: return (number){x.u & y.u, 0, 0};
    default: /* as bools, 1 + 1 is 1 */
        return (number){gnd_dtype_kind(t) == 'b' ? x.u | y.u : x.u + y.u, x.re + y.re, x.im + y.im};
    }
}

/* y / n. Of complex numbers n is n + 0i, as in NumPy: an infinity or a NaN of one part is then a
 * NaN of the other. */
static number quotient(number y, double n, int complex_in)
{
    const double of_im = complex_in ? 0 * y.im : 0, of_re = complex_in ? 0 * y.re : 0;
    return (number){0, complex_in ? (y.re + of_im) / n : y.re / n, (y.im - of_re) / n};
}

/* --- the result ------------------------------------------------------------------------------- */

/* Combines n elements of dtype t. Without any, the result is that of NumPy for no elements. */
static number fold(int kind, gnd_dtype t, int64_t n, const char *x)
{
    const int one = kind == GNDM__PROD || kind == GNDM__ALL;
    number y = {one, one, 0};
    for (int64_t i = 0; i < n; i++) {
        const number z = load(t, x + i * (int64_t)gnd_dtype_size(t));
        y = i ? combine(kind, t, y, z) : z;
    }
    return y;
}

gndm_array *gndm__fold(gndm_ctx *c, int kind, gndm_array *x, double count, gnd_dtype t,
                       gndm_part *part)
{
    const int64_t n = gndm_elements(x);
    char *all = malloc((size_t)n * gnd_dtype_size(x->dtype) + 1);
    if (!all)
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    const gnd_status st = gndm__gather_host(c, x, all);
    number y = st ? (number){0} : fold(kind, x->dtype, n, all);
    free(all);
    if (st)
        return gndm__error(c, st);
    if (kind == GNDM__MEAN)
        y = quotient(y, count, gnd_dtype_kind(t) == 'c');
    char bytes[16];
    store(t, y, bytes);
    gndm_array *z = gndm__array(
        c, t, part, gnd_full(c->dev, t, part->ndim, part->shape, gndm__scalar(t, bytes)));
    if (!z->status) {
        memcpy(z->number, bytes, sizeof bytes);
        z->known = 1;
    }
    return z;
}
