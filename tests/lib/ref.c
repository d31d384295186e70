/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ref.c - see ref.h.
 */
#include "ref.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "tap.h"

static uint64_t state = 88172645463325252u;

void ref_seed(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
}

uint64_t ref_rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int64_t ref_range(int64_t low, int64_t high)
{
    return low + (int64_t)(ref_rnd() % ((uint64_t)high - (uint64_t)low + 1));
}

/* --- elements --------------------------------------------------------------------------------- */

ref_num ref_get(gnd_dtype t, const void *p)
{
    ref_num v = {.kind = gnd_dtype_kind(t)};
    switch (t) {
#define INT(T, c, field)                                                                           \
    case T: {                                                                                      \
        c x;                                                                                       \
        memcpy(&x, p, sizeof x);                                                                   \
        v.field = x;                                                                               \
        break;                                                                                     \
    }
        INT(GND_BOOL, uint8_t, i)
        INT(GND_INT8, int8_t, i)
        INT(GND_INT16, int16_t, i)
        INT(GND_INT32, int32_t, i)
        INT(GND_INT64, int64_t, i)
        INT(GND_UINT8, uint8_t, u)
        INT(GND_UINT16, uint16_t, u)
        INT(GND_UINT32, uint32_t, u)
        INT(GND_UINT64, uint64_t, u)
        INT(GND_FLOAT32, float, re)
        INT(GND_FLOAT64, double, re)
#undef INT
    case GND_FLOAT16:
    case GND_BFLOAT16: {
        uint16_t h;
        memcpy(&h, p, sizeof h);
        v.re = (long double)(t == GND_FLOAT16 ? gnd__f16_to_f32(h) : gnd__bf16_to_f32(h));
        break;
    }
    case GND_COMPLEX64: {
        float z[2];
        memcpy(z, p, sizeof z);
        v.re = (long double)z[0], v.im = (long double)z[1];
        break;
    }
    case GND_COMPLEX128: {
        double z[2];
        memcpy(z, p, sizeof z);
        v.re = (long double)z[0], v.im = (long double)z[1];
        break;
    }
    default: break;
    }
    return v;
}

ref_num ref_int(int64_t v)
{
    return (ref_num){.kind = 'i', .i = v};
}

ref_num ref_float(long double v)
{
    return (ref_num){.kind = 'f', .re = v};
}

static long double real_of(ref_num v)
{
    return v.kind == 'u'                    ? (long double)v.u
           : v.kind == 'b' || v.kind == 'i' ? (long double)v.i
                                            : v.re;
}

static uint64_t bits_of(ref_num v)
{
    return v.kind == 'u'                    ? v.u
           : v.kind == 'b' || v.kind == 'i' ? (uint64_t)v.i
           : v.re < 0                       ? (uint64_t)(int64_t)v.re
                                            : (uint64_t)v.re;
}

static long double half_value(gnd_dtype t, unsigned h)
{
    if (h ==
        (t == GND_FLOAT16 ? 0x7c00u : 0x7f80u)) /* infinity, as if there were one more number */
        return t == GND_FLOAT16 ? 0x1p16L : 0x1p128L;
    return (long double)(t == GND_FLOAT16 ? gnd__f16_to_f32((uint16_t)h)
                                          : gnd__bf16_to_f32((uint16_t)h));
}

uint16_t ref_half(gnd_dtype t, long double v)
{
    const uint16_t h = t == GND_FLOAT16 ? gnd__f64_to_f16((double)v) : gnd__f64_to_bf16((double)v);
    const unsigned near = h & 0x7fff, inf = t == GND_FLOAT16 ? 0x7c00 : 0x7f80, sign = h & 0x8000;
    const long double a = fabsl(v);
    unsigned best = near;
    if (isnan(v) || isinf(v))
        return h;
    for (unsigned i = near ? near - 1 : 0; i <= near + 1 && i <= inf; i++) {
        const long double d = fabsl(half_value(t, i) - a), least = fabsl(half_value(t, best) - a);
        best = d < least || (d == least && i % 2 == 0) ? i : best;
    }
    return (uint16_t)(sign | best);
}

void ref_put(gnd_dtype t, void *p, ref_num v)
{
    long double re = real_of(v);
    uint64_t bits = gnd_dtype_kind(t) == 'i' || gnd_dtype_kind(t) == 'u' ? bits_of(v) : 0;
    switch (t) {
    case GND_BOOL: *(unsigned char *)p = re != 0 || (v.kind == 'c' && v.im != 0); break;
    case GND_INT8:
    case GND_UINT8:
    case GND_INT16:
    case GND_UINT16:
    case GND_INT32:
    case GND_UINT32:
    case GND_INT64:
    case GND_UINT64:
        memcpy(p, &bits, gnd_dtype_size(t)); /* little endian, as all that gnd runs on */
        break;
    case GND_FLOAT16:
    case GND_BFLOAT16: {
        uint16_t h = ref_half(t, re);
        memcpy(p, &h, sizeof h);
        break;
    }
    case GND_FLOAT32: {
        float f = (float)re;
        memcpy(p, &f, sizeof f);
        break;
    }
    case GND_FLOAT64: {
        double f = (double)re;
        memcpy(p, &f, sizeof f);
        break;
    }
    case GND_COMPLEX64: {
        float z[2] = {(float)re, v.kind == 'c' ? (float)v.im : 0};
        memcpy(p, z, sizeof z);
        break;
    }
    case GND_COMPLEX128: {
        double z[2] = {(double)re, v.kind == 'c' ? (double)v.im : 0};
        memcpy(p, z, sizeof z);
        break;
    }
    default: break;
    }
}

ref_num ref_as(gnd_dtype t, ref_num v)
{
    unsigned char b[16];
    ref_put(t, b, v);
    return ref_get(t, b);
}

/* Bits of the significand, and the exponent of the smallest spacing. */
static void float_facts(gnd_dtype t, int *prec, int *least)
{
    switch (t) {
    case GND_FLOAT16: *prec = 11, *least = -24; break;
    case GND_BFLOAT16: *prec = 8, *least = -133; break;
    case GND_FLOAT32:
    case GND_COMPLEX64: *prec = 24, *least = -149; break;
    default: *prec = 53, *least = -1074; break;
    }
}

long double ref_ulp_at(gnd_dtype t, long double v)
{
    int prec, least, e;
    float_facts(t, &prec, &least);
    if (v == 0 || !isfinite(v))
        return ldexpl(1, least);
    frexpl(v, &e);
    return ldexpl(1, e - prec > least ? e - prec : least);
}

static long double largest(gnd_dtype t)
{
    return t == GND_FLOAT16                         ? 65504
           : t == GND_BFLOAT16                      ? 0x1.FEp127L
           : t == GND_FLOAT32 || t == GND_COMPLEX64 ? (long double)FLT_MAX
                                                    : (long double)DBL_MAX;
}

static double part_ulps(gnd_dtype t, long double got, long double want, long double scale,
                        int zeros)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : HUGE_VAL;
    if (got == want)
        return zeros && got == 0 && !signbit(got) != !signbit(want) ? HUGE_VAL : 0;
    if (isinf(got)) { /* right when want rounds up past the largest value */
        long double u = ref_ulp_at(t, largest(t));
        return isinf(want) || fabsl(want) < largest(t) || (got < 0) != (want < 0)
                   ? HUGE_VAL
                   : (double)fmaxl(0, (largest(t) + u / 2 - fabsl(want)) / u);
    }
    if (isinf(want))
        return HUGE_VAL;
    return (double)(fabsl(got - want) / ref_ulp_at(t, scale));
}

double ref_ulps(gnd_dtype t, ref_num got, ref_num want, int zeros)
{
    int kind = gnd_dtype_kind(t);
    if (kind == 'b' || kind == 'i')
        return got.i == want.i ? 0 : HUGE_VAL;
    if (kind == 'u')
        return got.u == want.u ? 0 : HUGE_VAL;
    if (kind == 'f')
        return part_ulps(t, got.re, want.re, want.re, zeros);
    if (isnan(want.re) || isnan(want.im))
        return isnan(got.re) || isnan(got.im) ? 0 : HUGE_VAL;
    long double big = fabsl(want.re) > fabsl(want.im) ? want.re : want.im;
    if (isinf(big))
        big = 1;
    double a = part_ulps(t, got.re, want.re, big, zeros),
           b = part_ulps(t, got.im, want.im, big, zeros);
    return a > b ? a : b;
}

int ref_is_nan(ref_num v)
{
    return (v.kind == 'f' && isnan(v.re)) || (v.kind == 'c' && (isnan(v.re) || isnan(v.im)));
}

int ref_near(gnd_dtype t, ref_num got, ref_num want, long double tol)
{
    if (tol == HUGE_VALL || ref_ulps(t, got, want, 0) == 0)
        return 1;
    if (gnd_dtype_kind(t) != 'f' && gnd_dtype_kind(t) != 'c')
        return 0;
    want = ref_as(t, want);
    if (ref_is_nan(want) || ref_is_nan(got))
        return ref_is_nan(want) && ref_is_nan(got);
    return (got.re == want.re || fabsl(got.re - want.re) <= tol) &&
           (got.im == want.im || fabsl(got.im - want.im) <= tol);
}

const char *ref_text(ref_num v, char *buf, size_t cap)
{
    if (v.kind == 'u')
        snprintf(buf, cap, "%" PRIu64, v.u);
    else if (v.kind == 'b' || v.kind == 'i')
        snprintf(buf, cap, "%" PRId64, v.i);
    else if (v.kind == 'f')
        snprintf(buf, cap, "%.18Lg", v.re);
    else
        snprintf(buf, cap, "(%.18Lg, %.18Lg)", v.re, v.im);
    return buf;
}

/* --- arrays ----------------------------------------------------------------------------------- */

int64_t ref_size(const ref_arr *a)
{
    int64_t n = 1;
    for (int d = 0; d < a->ndim; d++)
        n *= a->dim[d];
    return n;
}

ref_arr ref_new(gnd_dtype t, int ndim, const int64_t *dim)
{
    ref_arr a = {.t = t, .ndim = ndim};
    int64_t n = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        a.dim[d] = dim[d];
        a.stride[d] = n;
        n *= dim[d];
    }
    a.own = a.p = calloc((size_t)n + 1, gnd_dtype_size(t));
    if (!a.p)
        tap_bail("out of memory");
    return a;
}

void ref_free(ref_arr *a)
{
    free(a->own);
    a->own = a->p = NULL;
}

void *ref_at(const ref_arr *a, const int64_t *idx)
{
    int64_t off = 0;
    for (int d = 0; d < a->ndim; d++)
        off += idx[d] * a->stride[d];
    return a->p + off * (int64_t)gnd_dtype_size(a->t);
}

void ref_unravel(int ndim, const int64_t *dim, int64_t n, int64_t *idx)
{
    for (int d = ndim - 1; d >= 0; d--) {
        idx[d] = n % dim[d];
        n /= dim[d];
    }
}

ref_num ref_nth(const ref_arr *a, int64_t n)
{
    int64_t idx[GND_MAX_NDIM];
    ref_unravel(a->ndim, a->dim, n, idx);
    return ref_get(a->t, ref_at(a, idx));
}

static long double uniform(void)
{
    return (long double)(ref_rnd() >> 11) * 0x1p-53L;
}

static long double special(gnd_dtype t)
{
    int prec, least;
    float_facts(t, &prec, &least);
    const long double tiny = ldexpl(1, least), normal = ldexpl(1, least + prec - 1),
                      most = largest(t);
    const long double v[] = {0,    1,    INFINITY, NAN,  tiny,     normal, normal - tiny,
                             most, 0.5L, 2,        1.5L, most / 2, 3,      1 + ldexpl(1, 1 - prec),
                             10,   0};
    long double x = v[ref_rnd() % (sizeof v / sizeof *v)];
    return ref_rnd() & 1 && x == x ? -x : x; /* the sign of a NaN is not promised */
}

static long double one_float(gnd_dtype t, int how)
{
    long double s = ref_rnd() & 1 ? -1 : 1;
    if (how == REF_SMALL)
        return (long double)ref_range(-32, 32) / 8;
    if (how == REF_NEAR_ONE)
        return s * exp2l(uniform() * 2 - 1);
    if (how == REF_SPECIAL && ref_rnd() % 3 == 0)
        return special(t);
    return s * uniform() * 4;
}

static ref_num one(gnd_dtype t, int how)
{
    int kind = gnd_dtype_kind(t), bits = (int)gnd_dtype_size(t) * 8;
    ref_num v = {.kind = kind};
    if (kind == 'f' || kind == 'c') {
        v.re = one_float(t, how);
        if (kind == 'c')
            v.im = one_float(t, how);
    } else if (kind == 'b') {
        v.i = (int64_t)(ref_rnd() >> 20 & 1);
    } else {
        int64_t low = kind == 'i' ? (int64_t)(~(uint64_t)0 << (bits - 1)) : 0;
        uint64_t any = ref_rnd() ^ ref_rnd() << 32;
        const int64_t edge[] = {0,        1,    -1,      low, (int64_t)((uint64_t)low - 1), 2, -2,
                                bits - 1, bits, low + 1, 3};
        if (how == REF_SMALL)
            any = (uint64_t)ref_range(kind == 'i' ? -9 : 0, 9);
        else if (how == REF_NEAR_ONE)
            any |= 1;
        else if (how == REF_SPECIAL && ref_rnd() % 2 == 0)
            any = (uint64_t)edge[ref_rnd() % (sizeof edge / sizeof *edge)];
        v.u = any;
        v.i = (int64_t)any;
    }
    return ref_as(t, v);
}

void ref_fill(ref_arr *a, int how)
{
    int64_t n = ref_size(a), idx[GND_MAX_NDIM];
    for (int64_t i = 0; i < n; i++) {
        ref_unravel(a->ndim, a->dim, i, idx);
        ref_put(a->t, ref_at(a, idx), one(a->t, how));
    }
}
