/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_int.c - every operation of the table on bool and the integers, as its kernel computes it
 * on PoCL, against plain C: all pairs of 8-bit values, special and random wider ones.
 */
#include "tap.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "graph/opset.h"
#include "kernelrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 65536 };

/* --- the reference: elements as 64 bits, sign- or zero-extended ------------------------------- */

static uint64_t fit(gnd_dtype t, uint64_t v)
{
    unsigned bits = 8 * (unsigned)gnd_dtype_size(t);
    if (t == GND_BOOL)
        return v != 0;
    if (bits == 64)
        return v;
    v &= ((uint64_t)1 << bits) - 1;
    if (gnd_dtype_kind(t) == 'i' && v >> (bits - 1))
        v |= ~(uint64_t)0 << bits;
    return v;
}

static uint64_t power(uint64_t a, uint64_t n)
{
    if (n == 0)
        return 1;
    uint64_t h = power(a, n / 2);
    return n % 2 ? h * h * a : h * h;
}

static uint64_t size_of(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/* By subtraction and halving: not as the kernel does it. */
static uint64_t gcd(uint64_t a, uint64_t b)
{
    int twos = 0;
    if (a == 0 || b == 0)
        return a | b;
    for (; !((a | b) & 1); twos++) {
        a >>= 1;
        b >>= 1;
    }
    while (a != b) {
        if (!(a & 1))
            a >>= 1;
        else if (!(b & 1))
            b >>= 1;
        else if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a << twos;
}

static uint64_t lcm(uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 ? 0 : a / gcd(a, b) * b;
}

static uint64_t signed_ref(gnd__op op, unsigned bits, int64_t a, int64_t b)
{
    int out = b < 0 || b >= (int64_t)bits; /* a shift by too much */
    switch (op) {
    case GND__OP_ABS: return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    case GND__OP_FLOOR_DIVIDE:
        if (b == 0)
            return 0;
        if (b == -1)
            return 0 - (uint64_t)a;
        return (uint64_t)(a % b && (a < 0) != (b < 0) ? a / b - 1 : a / b);
    case GND__OP_REMAINDER:
        if (b == 0 || b == -1)
            return 0;
        return (uint64_t)(a % b && (a < 0) != (b < 0) ? a % b + b : a % b);
    case GND__OP_POW:
        if (b >= 0)
            return power((uint64_t)a, (uint64_t)b);
        return (uint64_t)(a == 1 ? 1 : a == -1 ? b % 2 ? -1 : 1 : 0);
    case GND__OP_SIGN: return (uint64_t)(a < 0 ? -1 : a > 0);
    case GND__OP_MAXIMUM:
    case GND__OP_FMAX: return (uint64_t)(a > b ? a : b);
    case GND__OP_MINIMUM:
    case GND__OP_FMIN: return (uint64_t)(a > b ? b : a);
    case GND__OP_LESS: return a < b;
    case GND__OP_LESS_EQUAL: return a <= b;
    case GND__OP_GREATER: return a > b;
    case GND__OP_GREATER_EQUAL: return a >= b;
    case GND__OP_BITWISE_RIGHT_SHIFT: return (uint64_t)(out ? a < 0 ? -1 : 0 : a >> b);
    case GND__OP_BITWISE_LEFT_SHIFT: return out ? 0 : (uint64_t)a << b;
    case GND__OP_RECIPROCAL: return (uint64_t)(a == 1 || a == -1 ? a : 0);
    case GND__OP_FMOD: return b == 0 || b == -1 ? 0 : (uint64_t)(a % b);
    case GND__OP_GCD: return gcd(size_of(a), size_of(b));
    case GND__OP_LCM: return lcm(size_of(a), size_of(b));
    default: return 0xdead;
    }
}

static uint64_t unsigned_ref(gnd__op op, unsigned bits, uint64_t a, uint64_t b)
{
    switch (op) {
    case GND__OP_ABS: return a;
    case GND__OP_FLOOR_DIVIDE: return b ? a / b : 0;
    case GND__OP_REMAINDER: return b ? a % b : 0;
    case GND__OP_POW: return power(a, b);
    case GND__OP_SIGN: return a > 0;
    case GND__OP_MAXIMUM:
    case GND__OP_FMAX: return a > b ? a : b;
    case GND__OP_MINIMUM:
    case GND__OP_FMIN: return a > b ? b : a;
    case GND__OP_LESS: return a < b;
    case GND__OP_LESS_EQUAL: return a <= b;
    case GND__OP_GREATER: return a > b;
    case GND__OP_GREATER_EQUAL: return a >= b;
    case GND__OP_BITWISE_RIGHT_SHIFT: return b >= bits ? 0 : a >> b;
    case GND__OP_BITWISE_LEFT_SHIFT: return b >= bits ? 0 : a << b;
    case GND__OP_RECIPROCAL: return a == 1;
    case GND__OP_FMOD: return b ? a % b : 0;
    case GND__OP_GCD: return gcd(a, b);
    case GND__OP_LCM: return lcm(a, b);
    default: return 0xdead;
    }
}

static uint64_t reference(gnd__op op, gnd_dtype t, const uint64_t *x)
{
    unsigned bits = 8 * (unsigned)gnd_dtype_size(t);
    uint64_t a = x[0], b = x[1], m[2];
    switch (op) {
    case GND__OP_ADD: return t == GND_BOOL ? a | b : a + b;
    case GND__OP_SUBTRACT: return a - b;
    case GND__OP_MULTIPLY: return a * b;
    case GND__OP_NEGATIVE: return 0 - a;
    case GND__OP_SQUARE: return a * a;
    case GND__OP_POSITIVE:
    case GND__OP_CEIL:
    case GND__OP_FLOOR:
    case GND__OP_TRUNC:
    case GND__OP_ROUND:
    case GND__OP_REAL:
    case GND__OP_CONJ: return a;
    case GND__OP_IMAG:
    case GND__OP_ISPOSINF:
    case GND__OP_ISNEGINF:
    case GND__OP_ISINF:
    case GND__OP_ISNAN: return 0;
    case GND__OP_ISFINITE: return 1;
    case GND__OP_EQUAL: return a == b;
    case GND__OP_NOT_EQUAL: return a != b;
    case GND__OP_LOGICAL_AND: return a && b;
    case GND__OP_LOGICAL_OR: return a || b;
    case GND__OP_LOGICAL_XOR: return !a != !b;
    case GND__OP_LOGICAL_NOT: return !a;
    case GND__OP_BITWISE_AND: return a & b;
    case GND__OP_BITWISE_OR: return a | b;
    case GND__OP_BITWISE_XOR: return a ^ b;
    case GND__OP_BITWISE_INVERT: return t == GND_BOOL ? !a : ~a;
    case GND__OP_WHERE: return a ? b : x[2];
    case GND__OP_CLIP:
        m[0] = reference(GND__OP_MAXIMUM, t, x);
        m[1] = x[2];
        return reference(GND__OP_MINIMUM, t, m);
    default:
        return gnd_dtype_kind(t) == 'i' ? signed_ref(op, bits, (int64_t)a, (int64_t)b)
                                        : unsigned_ref(op, bits, a, b);
    }
}

/* --- running ---------------------------------------------------------------------------------- */

static uint64_t seed = 77;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* A value of t: a special one, a small one, or any. */
static uint64_t value(gnd_dtype t)
{
    unsigned bits = 8 * (unsigned)gnd_dtype_size(t);
    const uint64_t special[] = {0,
                                1,
                                2,
                                3,
                                bits - 1,
                                bits,
                                bits + 1,
                                ~(uint64_t)0,
                                ~(uint64_t)1,
                                (uint64_t)1 << (bits - 1),
                                ((uint64_t)1 << (bits - 1)) - 1};
    uint64_t r = rnd();
    switch (r >> 60 & 3) {
    case 0: return fit(t, special[r % (sizeof special / sizeof *special)]);
    case 1: return fit(t, r % 100 - 50);
    default: return fit(t, r);
    }
}

static void test_op(krun *k, gnd__op op, gnd_dtype t)
{
    static uint64_t x[N][3];
    static unsigned char in[3][N * 8], out[N * 8];
    const void *ins[3] = {in[0], in[1], in[2]};
    size_t bytes[3];
    gnd_dtype ot = krun_out_dtype(op, t);
    int nin = gnd__ops[op].nin, bad = 0;
    char name[64];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < nin; j++) {
            gnd_dtype tj = op == GND__OP_WHERE && j == 0 ? GND_BOOL : t;
            size_t sj = gnd_dtype_size(tj);
            if (sj == 1 && j < 2)
                x[i][j] = fit(tj, (uint64_t)(j ? i >> 8 : i & 255));
            else
                x[i][j] = value(tj);
            memcpy(in[j] + (size_t)i * sj, &x[i][j], sj); /* little-endian */
            bytes[j] = N * sj;
        }
    snprintf(name, sizeof name, "k_%s_%s", gnd__ops[op].name, gnd__suffix(t));
    if (krun_run(k, name, N, out, N * gnd_dtype_size(ot), nin, ins, bytes)) {
        tap_fail("%s runs", name);
        return;
    }
    for (int i = 0; i < N; i++) {
        gnd__scalar g = gnd__load_scalar(ot, out + (size_t)i * gnd_dtype_size(ot));
        uint64_t want = fit(ot, reference(op, t, x[i]));
        int raw = ot != GND_BOOL || out[i] <= 1;
        if ((g.u != want || !raw) && bad++ < 3)
            tap_diag("%s(%lld, %lld, %lld) is %lld, not %lld", name, (long long)x[i][0],
                     (long long)x[i][1], (long long)x[i][2], (long long)g.u, (long long)want);
    }
    tap_ok(!bad, "%s %s", gnd__ops[op].name, gnd_dtype_name(t));
}

int main(void)
{
    const char *why;
    const uint16_t one = 1;
    krun *k = krun_open(&why);
    if (!k)
        tap_skip_all("%s", why);
    if (!*(const unsigned char *)&one)
        tap_skip_all("written for little-endian machines");
    for (gnd_dtype t = GND_BOOL; t <= GND_UINT64; t++) {
        gnd__str body = {0};
        for (gnd__op op = 0; op < GND__NOPS; op++)
            if (gnd__op_text(op, gnd_dtype_kind(t)))
                krun_add_op(&body, op, t);
        if (tap_ok(!krun_build(k, gnd__str_get(&body)), "%s compiles", gnd_dtype_name(t)))
            for (gnd__op op = 0; op < GND__NOPS; op++)
                if (gnd__op_text(op, gnd_dtype_kind(t)))
                    test_op(k, op, t);
        gnd__str_free(&body);
    }
    krun_close(k);
    return tap_done();
}
