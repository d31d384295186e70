/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/digits.c - free-format printing of floats with exact integers: R. G. Burger and R. K. Dybvig,
 * "Printing Floating-Point Numbers Quickly and Accurately", PLDI 1996, figure 3, with NumPy's
 * limits on the number of digits. x = value / scale; low and high are half the distances to the
 * neighbours of x, on the same scale. It is slower than table-based methods, but prints at most
 * about a thousand elements.
 */
#include "io/digits.h"

#include <string.h>

/* An unsigned integer of at most 1408 bits: the largest here is 2^2 * 2^53 * 10^324. */
enum { LIMBS = 44 };
typedef struct {
    int n; /* limbs in use, without leading zeros */
    uint32_t v[LIMBS];
} big;

static void big_set(big *a, uint64_t x)
{
    a->v[0] = (uint32_t)x;
    a->v[1] = (uint32_t)(x >> 32);
    a->n = a->v[1] ? 2 : a->v[0] ? 1 : 0;
}

static void big_mul(big *a, uint32_t f)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->v[i] * f;
        a->v[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        a->v[a->n++] = (uint32_t)carry;
}

static void big_shift(big *a, int bits)
{
    int whole = bits / 32;
    if (!a->n)
        return;
    big_mul(a, (uint32_t)1 << bits % 32);
    memmove(a->v + whole, a->v, (size_t)a->n * sizeof a->v[0]);
    memset(a->v, 0, (size_t)whole * sizeof a->v[0]);
    a->n += whole;
}

static void big_pow10(big *a, int k)
{
    for (; k >= 9; k -= 9)
        big_mul(a, 1000000000u);
    for (; k > 0; k--)
        big_mul(a, 10);
}

static int big_cmp(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

/* a - b; requires a >= b */
static void big_sub(big *a, const big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        uint64_t d = (uint64_t)a->v[i] - (i < b->n ? b->v[i] : 0) - borrow;
        a->v[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    while (a->n && !a->v[a->n - 1])
        a->n--;
}

static void big_add(big *sum, const big *a, const big *b)
{
    uint64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;
    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->v[i] : 0) + (i < b->n ? b->v[i] : 0);
        sum->v[i] = (uint32_t)carry;
        carry >>= 32;
    }
    sum->n = n;
    if (carry)
        sum->v[sum->n++] = (uint32_t)carry;
}

/* Splits |x| = m * 2^e with the m of its type. *uneven: the neighbour below is nearer (m is the
 * smallest of its binade). x must not be 0. Returns the position of m's highest bit. */
static int split(gnd_dtype t, double x, uint64_t *m, int *e, int *uneven)
{
    int p = t == GND_FLOAT16 ? 10 : t == GND_BFLOAT16 ? 7 : t == GND_FLOAT32 ? 23 : 52;
    int emin = t == GND_FLOAT16 ? -14 : t == GND_FLOAT64 ? -1022 : -126;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int ex = (int)(bits >> 52 & 0x7ff);
    *m = bits & (((uint64_t)1 << 52) - 1);
    if (ex == 0) { /* a subnormal double */
        *e = -1074;
    } else {
        *m |= (uint64_t)1 << 52;
        ex -= 1023;
        *m >>= 52 - p + (ex < emin ? emin - ex : 0);
        *e = (ex < emin ? emin : ex) - p;
    }
    *uneven = *m == (uint64_t)1 << p && ex > emin;
    int top = 63;
    while (!(*m >> top & 1))
        top--;
    return top;
}

/* Adds 1 in the last place of the digits so far, and drops trailing 9s. */
static void round_up(gnd__digits *out, int digit)
{
    if (digit < 9) {
        out->d[out->n++] = (char)('0' + digit + 1);
        return;
    }
    while (out->n > 0 && out->d[out->n - 1] == '9')
        out->n--;
    if (out->n > 0) {
        out->d[out->n - 1]++;
    } else {
        out->d[out->n++] = '1';
        out->exp10++;
    }
}

/* A number as value / scale. Its neighbours are half-way at (value - low) / scale and (value +
 * high) / scale. */
typedef struct quotient {
    big value, scale, low, high;
} quotient;

/* Writes the digits of value / scale, from the one after `place` on, until low and high say that
 * they identify the number, but not before place `need` and no further than `stop`. even: numbers
 * half-way to a neighbour round to this one. */
static void generate(gnd__digits *out, quotient *q, int even, int place, int stop, int need)
{
    big sum;
    int digit, below, above;
    for (;;) {
        place--;
        for (digit = 0; big_cmp(&q->value, &q->scale) >= 0; digit++)
            big_sub(&q->value, &q->scale);
        /* Whether this digit, or the next higher one, already rounds to x. */
        big_add(&sum, &q->value, &q->high);
        int cl = big_cmp(&q->value, &q->low), ch = big_cmp(&sum, &q->scale);
        below = even ? cl <= 0 : cl < 0;
        above = even ? ch >= 0 : ch > 0;
        if (((below || above) && place <= need) || place == stop)
            break;
        out->d[out->n++] = (char)('0' + digit);
        big_mul(&q->value, 10);
        big_mul(&q->low, 10);
        big_mul(&q->high, 10);
    }

    int down = below;
    if (below == above) { /* both or neither: take the nearer, on a tie the even digit */
        big_mul(&q->value, 2);
        int c = big_cmp(&q->value, &q->scale);
        down = c < 0 || (c == 0 && digit % 2 == 0);
    }
    if (down)
        out->d[out->n++] = (char)('0' + digit);
    else
        round_up(out, digit);
}

void gnd__digits_of(gnd__digits *out, gnd_dtype t, double x, int what, int most, int least)
{
    quotient q;
    uint64_t m;
    int e, uneven;
    out->n = out->exp10 = 0;
    if (x == 0) {
        out->d[out->n++] = '0';
        return;
    }
    int top = split(t, x, &m, &e, &uneven);
    int even = !(m & 1);

    /* All four are doubled (times 4 if uneven), so that the halves are integers. */
    int extra = uneven ? 2 : 1;
    big_set(&q.value, m);
    big_set(&q.scale, 1);
    big_set(&q.low, 1);
    big_set(&q.high, uneven ? 2 : 1);
    big_shift(&q.value, extra + (e > 0 ? e : 0));
    big_shift(&q.scale, extra + (e < 0 ? -e : 0));
    big_shift(&q.low, e > 0 ? e : 0);
    big_shift(&q.high, e > 0 ? e : 0);

    /* k = floor(log10 x) + 1, or one less: 0.69 + log10(2) < 1. */
    double est = (top + e) * 0.30102999566398119521 - 0.69;
    int k = (int)est;
    k += est > k;
    if (what == GND__DIGITS_FRACTION && most >= 0 && k <= -most)
        k = -most + 1; /* only the rounding remains */
    if (k > 0) {
        big_pow10(&q.scale, k);
    } else {
        big_pow10(&q.value, -k);
        big_pow10(&q.low, -k);
        big_pow10(&q.high, -k);
    }
    int place = k; /* place of the digit before the next one */
    if (big_cmp(&q.value, &q.scale) >= 0) {
        place++;
    } else {
        big_mul(&q.value, 10);
        big_mul(&q.low, 10);
        big_mul(&q.high, 10);
    }

    /* The places of the last digit that the limits allow and require. */
    int stop = place - GND__MAX_DIGITS, need = place;
    if (most >= 0) {
        int at = what == GND__DIGITS_TOTAL ? place - most : -most;
        stop = at > stop ? at : stop;
    }
    if (least >= 0) {
        int at = what == GND__DIGITS_TOTAL ? place - least : -least;
        need = at < need ? at : need;
    }
    out->exp10 = place - 1;
    generate(out, &q, even, place, stop, need);
}
