/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/dtype.c - the table of dtypes, the promotion rules (NumPy 2, NEP 50, plus bfloat16 beside
 * float16), and conversion of single elements on the host. half.c converts half-precision floats.
 */
#include "base/dtype.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned char size;
    char kind;
} info[GND_NDTYPES] = {
#define X(NAME, name, bytes, kind) [GND_##NAME] = {#name, bytes, kind},
    GND_DTYPE_LIST(X)
#undef X
};

const unsigned char gnd__dtype_bytes[GND_NDTYPES] = {
#define X(NAME, name, bytes, kind) [GND_##NAME] = bytes,
    GND_DTYPE_LIST(X)
#undef X
};

const char *gnd_dtype_name(gnd_dtype t)
{
    return gnd__dtype_ok(t) ? info[t].name : "invalid";
}

size_t gnd_dtype_size(gnd_dtype t)
{
    return gnd__dtype_ok(t) ? info[t].size : 0;
}

int gnd_dtype_kind(gnd_dtype t)
{
    return gnd__dtype_ok(t) ? info[t].kind : 0;
}

gnd_dtype gnd_dtype_parse(const char *name)
{
    for (int i = 0; name && i < GND_NDTYPES; i++)
        if (!strcmp(name, info[i].name))
            return (gnd_dtype)i;
    return GND_DTYPE_DEFAULT;
}

static gnd_dtype int_of_size(int kind, size_t size)
{
    gnd_dtype base = kind == 'i' ? GND_INT8 : GND_UINT8;
    return (gnd_dtype)(base + (size >= 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0));
}

gnd_dtype gnd__real_of(gnd_dtype t)
{
    return t == GND_COMPLEX64 ? GND_FLOAT32 : t == GND_COMPLEX128 ? GND_FLOAT64 : t;
}

gnd_dtype gnd__float_of(gnd_dtype t)
{
    int kind = gnd_dtype_kind(t);
    if (kind == 'f' || kind == 'c' || !kind)
        return t;
    return info[t].size == 1 ? GND_FLOAT16 : info[t].size == 2 ? GND_FLOAT32 : GND_FLOAT64;
}

gnd_dtype gnd__complex_of(gnd_dtype t)
{
    if (gnd_dtype_kind(t) == 'c' || !gnd__dtype_ok(t))
        return t;
    return gnd__float_of(t) == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64;
}

int gnd__needs_f64(gnd_dtype t)
{
    return t == GND_FLOAT64 || t == GND_COMPLEX128;
}

/* The smallest float dtype that holds both of two real dtypes, at least one of which is a float. An
 * integer counts as the float that gnd__float_of gives, except that a one-byte integer fits both
 * float16 and bfloat16. */
static gnd_dtype promote_float(gnd_dtype a, gnd_dtype b)
{
    int fa = info[a].kind == 'f', fb = info[b].kind == 'f';
    if (fa && !fb && info[b].size == 1)
        return a;
    if (fb && !fa && info[a].size == 1)
        return b;
    a = gnd__float_of(a);
    b = gnd__float_of(b);
    if (a == b)
        return a;
    if (info[a].size == info[b].size) /* float16 and bfloat16: neither holds the other */
        return GND_FLOAT32;
    return info[a].size > info[b].size ? a : b;
}

gnd_dtype gnd_promote(gnd_dtype a, gnd_dtype b)
{
    if (!gnd__dtype_ok(a) || !gnd__dtype_ok(b))
        return GND_DTYPE_DEFAULT;
    if (a == b || b == GND_BOOL)
        return a;
    if (a == GND_BOOL)
        return b;
    int ka = info[a].kind, kb = info[b].kind;
    if (ka == 'c' || kb == 'c') {
        gnd_dtype ra = gnd__real_of(a), rb = gnd__real_of(b);
        return gnd__complex_of(promote_float(ra, rb));
    }
    if (ka == 'f' || kb == 'f')
        return promote_float(a, b);
    size_t sa = info[a].size, sb = info[b].size;
    if (ka == kb)
        return sa > sb ? a : b;
    /* Signed with unsigned: the result is a signed type wider than the unsigned one. For uint64
     * there is none, so the result is float64. */
    size_t si = ka == 'i' ? sa : sb, su = ka == 'i' ? sb : sa;
    if (si > su)
        return int_of_size('i', si);
    return su == 8 ? GND_FLOAT64 : int_of_size('i', su * 2);
}

gnd_dtype gnd__promote_weak(gnd_dtype t, int kind, gnd_dtype f)
{
    int k = gnd_dtype_kind(t);
    if (!k)
        return GND_DTYPE_DEFAULT;
    switch (kind) {
    case 'i':
    case 'u': return k != 'b' ? t : kind == 'u' ? GND_UINT64 : GND_INT64;
    case 'f': return k == 'f' || k == 'c' ? t : f;
    case 'c': return k == 'c' ? t : gnd__complex_of(k == 'f' ? t : f);
    default: /* 'b' changes nothing */ return t;
    }
}

gnd__scalar gnd__load_scalar(gnd_dtype t, const void *p)
{
    gnd__scalar s = {.kind = gnd_dtype_kind(t)};
    union {
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
        uint64_t u8;
        float f4[2];
        double f8[2];
    } v = {.f8 = {0, 0}};
    memcpy(&v, p, gnd_dtype_size(t));
    switch (t) {
    case GND_BOOL: s.i = v.u1 != 0; break;
    case GND_INT8: s.i = v.i1; break;
    case GND_INT16: s.i = v.i2; break;
    case GND_INT32: s.i = v.i4; break;
    case GND_INT64: s.i = v.i8; break;
    case GND_UINT8: s.u = v.u1; break;
    case GND_UINT16: s.u = v.u2; break;
    case GND_UINT32: s.u = v.u4; break;
    case GND_UINT64: s.u = v.u8; break;
    case GND_FLOAT16: s.re = (double)gnd__f16_to_f32(v.u2); break;
    case GND_BFLOAT16: s.re = (double)gnd__bf16_to_f32(v.u2); break;
    case GND_FLOAT32: s.re = (double)v.f4[0]; break;
    case GND_FLOAT64: s.re = v.f8[0]; break;
    case GND_COMPLEX64:
        s.re = (double)v.f4[0];
        s.im = (double)v.f4[1];
        break;
    case GND_COMPLEX128:
        s.re = v.f8[0];
        s.im = v.f8[1];
        break;
    default: break;
    }
    return s;
}

/* Emulates what x86-64 compilers generate for (type)d: cvttsd2si with 32 bits for types up to int32
 * and with 64 bits for the others, then truncation. NaN and out-of-range values give the smallest
 * integer of the instruction's width. */
static int64_t to_i32(double d)
{
    return d > -2147483649.0 && d < 2147483648.0 ? (int64_t)d : INT32_MIN;
}

static int64_t to_i64(double d)
{
    return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

static uint64_t float_to_int(gnd_dtype t, double d)
{
    if (t == GND_UINT64 && d >= 9223372036854775808.0)
        return d < 18446744073709551616.0 ? (uint64_t)d : 0;
    if (t == GND_INT64 || t == GND_UINT64 || t == GND_UINT32)
        return (uint64_t)to_i64(d);
    return (uint64_t)to_i32(d);
}

/* Converts an integer to double for a later rounding to fewer bits. The result is exact, or has an
 * odd last bit among its 42 to 53 leading ones (round to odd), so that the second rounding gives
 * the same result as a single rounding of the integer. */
static double to_odd(uint64_t u)
{
    const uint64_t low = 0x7ff;
    return (double)(u >> 53 ? (u | ((u & low) + low)) & ~low : u);
}

void gnd__store_scalar(gnd_dtype t, void *p, const gnd__scalar *s)
{
    int integer = s->kind == 'b' || s->kind == 'i' || s->kind == 'u';
    int kind = gnd_dtype_kind(t);

    if (kind == 'b' || kind == 'i' || kind == 'u') {
        uint64_t v;
        if (kind == 'b')
            v = integer ? s->u != 0 : s->re != 0 || (s->kind == 'c' && s->im != 0);
        else
            v = integer ? s->u : float_to_int(t, s->re);
        uint8_t u1 = (uint8_t)v;
        uint16_t u2 = (uint16_t)v;
        uint32_t u4 = (uint32_t)v;
        switch (gnd_dtype_size(t)) {
        case 1: memcpy(p, &u1, 1); break;
        case 2: memcpy(p, &u2, 2); break;
        case 4: memcpy(p, &u4, 4); break;
        default: memcpy(p, &v, 8); break;
        }
        return;
    }

    double re = !integer ? s->re : s->kind == 'u' ? (double)s->u : (double)s->i;
    double im = s->kind == 'c' ? s->im : 0.0;
    /* Converted from the integer itself: going through double would round twice. */
    float re4 = !integer ? (float)s->re : s->kind == 'u' ? (float)s->u : (float)s->i;
    uint16_t h;
    float f4[2] = {re4, (float)im};
    double f8[2] = {re, im};
    switch (t) {
    case GND_FLOAT16:
        h = gnd__f64_to_f16(re);
        memcpy(p, &h, 2);
        break;
    case GND_BFLOAT16:
        h = gnd__f64_to_bf16(!integer                     ? re
                             : s->kind != 'u' && s->i < 0 ? -to_odd(0 - s->u)
                                                          : to_odd(s->u));
        memcpy(p, &h, 2);
        break;
    case GND_FLOAT32: memcpy(p, f4, 4); break;
    case GND_COMPLEX64: memcpy(p, f4, 8); break;
    case GND_FLOAT64: memcpy(p, f8, 8); break;
    case GND_COMPLEX128: memcpy(p, f8, 16); break;
    default: break;
    }
}

int gnd__scalar_fits(gnd_dtype t, const gnd__scalar *s)
{
    int kind = gnd_dtype_kind(t);
    if ((kind != 'i' && kind != 'u') || (s->kind != 'i' && s->kind != 'u'))
        return 1;
    unsigned bits = (unsigned)gnd_dtype_size(t) * 8;
    int negative = s->kind == 'i' && s->i < 0;
    if (kind == 'u')
        return !negative && (bits == 64 || s->u >> bits == 0);
    if (negative)
        return bits == 64 || s->i >= -((int64_t)1 << (bits - 1));
    return s->u < (uint64_t)1 << (bits - 1);
}
