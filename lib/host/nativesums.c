/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativesums.c - sums by index: reals as the fixed-point numbers of kernels/accumulate.cl, of
 * which the order does not matter, and ints, which wrap. Where no bit of any addend is lost, all
 * places have the scale of the greatest exponent. The least exponent tells that in most cases;
 * the lowest bits of all addends are looked for in the others.
 */
#include <math.h>
#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "host/clones.h"
#include "host/native.h"

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

enum { NONE = -100000 };

/* 1: NaN; 2: infinite; 4: minus infinite. */
static int odd_of(double x)
{
    return x != x ? 1 : x - x == 0 ? 0 : x > 0 ? 2 : 4;
}

/* What the kernels know of all addends. */
typedef struct span {
    int top, low; /* the greatest exponent, and that of the lowest bit, negative */
    int odd;      /* whether any is not finite */
} span;

/* Of reals T of bits U with M bits of mantissa and the greatest exponent E. pow2_: 2^e of a normal
 * number, times2_: by 2^e in two steps; scale_: by 2^e, rounded once; top_: an e with |x| < 2^(e +
 * 1); ends_: the greatest and the least number without its sign, of those that are not 0; span_:
 * sets span.low only if the least exponent does not tell that the sum is exact. */
#define REALS(id, T, U, M, E, LDEXP, CTZ)                                                          \
    static T pow2_##id(int e)                                                                      \
    {                                                                                              \
        const U u = (U)(e + (E)) << (M);                                                           \
        T x;                                                                                       \
        memcpy(&x, &u, sizeof x);                                                                  \
        return x;                                                                                  \
    }                                                                                              \
    static T scale_##id(T x, int e)                                                                \
    {                                                                                              \
        return e > -(E) && e <= (E) ? x * pow2_##id(e) : LDEXP(x, e);                              \
    }                                                                                              \
    static int top_##id(T x)                                                                       \
    {                                                                                              \
        U u;                                                                                       \
        memcpy(&u, &x, sizeof u);                                                                  \
        const int e = (int)(u >> (M) & (2 * (E) + 1));                                             \
        return (e ? e : 1) - (E);                                                                  \
    }                                                                                              \
    GND__CLONES static void ends_##id(const T *x, int64_t n, U *most, U *least)                    \
    {                                                                                              \
        const U *u = (const void *)x;                                                              \
        U a = 0, b = (U)-1;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const U v = u[i] & ((U)-1 >> 1), w = v - 1; /* 0 is the greatest */                    \
            a = v > a ? v : a;                                                                     \
            b = w < b ? w : b;                                                                     \
        }                                                                                          \
        *most = a;                                                                                 \
        *least = b + 1;                                                                            \
    }                                                                                              \
    static void span_##id(const T *x, int64_t n, int limit, span *s)                               \
    {                                                                                              \
        U most, least;                                                                             \
        *s = (span){NONE, NONE, 0};                                                                \
        ends_##id(x, n, &most, &least);                                                            \
        if (most == 0)                                                                             \
            return;                                                                                \
        const int e = (int)(most >> (M)), f = (int)(least >> (M));                                 \
        s->odd = e > 2 * (E);                                                                      \
        s->top = (e ? e : 1) - (E);                                                                \
        s->low = (M) + (E) - (f ? f : 1);                                                          \
        if (!s->odd && s->top + s->low <= limit)                                                   \
            return;                                                                                \
        s->top = s->low = NONE;                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                          \
            U u;                                                                                   \
            memcpy(&u, &x[i], sizeof u);                                                           \
            if (x[i] == 0 || x[i] - x[i] != 0)                                                     \
                continue;                                                                          \
            const int top = top_##id(x[i]), g = (int)(u >> (M) & (2 * (E) + 1));                   \
            const U m = (u & (((U)1 << (M)) - 1)) | (g ? (U)1 << (M) : 0);                         \
            const int low = (M) + (E) - (g ? g : 1) - CTZ(m);                                      \
            s->top = top > s->top ? top : s->top;                                                  \
            s->low = low > s->low ? low : s->low;                                                  \
        }                                                                                          \
    }
REALS(f32, float, uint32_t, 23, 127, ldexpf, __builtin_ctz)
REALS(f64, double, uint64_t, 52, 1023, ldexp, __builtin_ctzll)

/* Adds x, times 2^s as p times q, to the fixed-point number at a. */
static inline void add_f32(int64_t *a, float x, float p, float q, double low)
{
    (void)low;
    a[0] += (int64_t)(x * p * q);
}
static inline void add_f64(int64_t *a, double x, double p, double q, double low)
{
    const double t = x * p * q;
    const int64_t hi = (int64_t)t;
    a[0] += hi;
    a[1] += (int64_t)((t - (double)hi) * low);
}

/* base plus the fixed-point number at a; f: the sum of the addends that are not finite. See
 * gnd_unfix and gnd_unfix2. */
static float total_f32(float base, const int64_t *a, int s, int f, int k)
{
    (void)k;
    if (f)
        return base + (f & 1 || f == 6 ? NAN : f & 2 ? INFINITY : -INFINITY);
    if (a[0] == 0)
        return base;
    float hi = (float)a[0], lo = scale_f32((float)(a[0] - (int64_t)hi), -s);
    hi = scale_f32(hi, -s);
    const float r = base + hi, b = r - base;
    lo += (base - (r - b)) + (hi - b);
    return odd_of(r) || odd_of(lo) ? r : r + lo;
}
static double total_f64(double base, const int64_t *sum, int s, int f, int k)
{
    const int64_t one = (int64_t)1 << k;
    int64_t a = sum[0] + (sum[1] >> k), c = sum[1] & (one - 1);
    if (f)
        return base + (f & 1 || f == 6 ? (double)NAN : f & 2 ? INFINITY : -INFINITY);
    if (a == 0 && c == 0)
        return base;
    if (a < 0 && c > 0) {
        a++;
        c -= one;
    }
    double hi = (double)a;
    double lo = scale_f64((double)(a - (int64_t)hi), -s) + scale_f64((double)c, -s - k);
    hi = scale_f64(hi, -s);
    double r = hi + lo;
    lo -= r - hi;
    hi = r;
    r = base + hi;
    const double b = r - base;
    lo += (base - (r - b)) + (hi - b);
    return odd_of(r) || odd_of(lo) ? r : r + lo;
}

/* For each value x[i], of place `at`. */
#define EACH(...)                                                                                  \
    for (int64_t j = 0, i = 0; j < rows; j++)                                                      \
        for (int64_t at = pos[j] * w->inner, to = at + w->inner; at < to; at++, i++) {             \
            __VA_ARGS__                                                                            \
        }

#define SUMS(id, T, WORDS)                                                                         \
    static int sums_##id(const gnd__native *w, const int64_t *pos, const T *x, const T *base,      \
                         T *y)                                                                     \
    {                                                                                              \
        const int64_t n = w->n, m = w->m, rows = n / w->inner;                                     \
        int bits = 1;                                                                              \
        while (bits < 62 && ((int64_t)1 << bits) < n + 1)                                          \
            bits++;                                                                                \
        const int k = 62 - bits, limit = 61 - bits + ((WORDS) == 2 ? k : 0);                       \
        const double low = (double)((int64_t)1 << k);                                              \
        span s;                                                                                    \
        span_##id(x, n, limit, &s);                                                                \
        const int exact = s.top + s.low <= limit, each = !exact || s.odd;                          \
        int64_t *a = gnd__calloc((size_t)m, (WORDS) * sizeof *a + (each ? 2 * sizeof(int) : 0));   \
        int *top = (void *)(a + m * (WORDS)), *odd = top + m;                                      \
        if (!a)                                                                                    \
            return 0;                                                                              \
        const int common = 61 - bits - s.top;                                                      \
        if (!each && s.top != NONE) {                                                              \
            const T p = pow2_##id(common / 2), q = pow2_##id(common - common / 2);                 \
            EACH(add_##id(a + at * (WORDS), x[i], p, q, low);)                                     \
        }                                                                                          \
        for (int64_t i = 0; i < m && each; i++)                                                    \
            top[i] = exact ? s.top : NONE;                                                         \
        if (!exact)                                                                                \
            EACH(if (x[i] != 0 && x[i] - x[i] == 0 && top_##id(x[i]) > top[at]) top[at] =          \
                     top_##id(x[i]);)                                                              \
        if (each)                                                                                  \
            EACH(const int f = odd_of(x[i]), e = 61 - bits - top[at]; odd[at] |= f;                \
                 if (!f && x[i] != 0) add_##id(a + at * (WORDS), x[i], pow2_##id(e / 2),           \
                                               pow2_##id(e - e / 2), low);)                        \
        for (int64_t i = 0; i < m; i++)                                                            \
            y[i] = total_##id(base ? base[i] : 0, a + i * (WORDS),                                 \
                              each ? 61 - bits - top[i] : common, each ? odd[i] : 0, k);           \
        gnd__free(a);                                                                              \
        return 1;                                                                                  \
    }
SUMS(f32, float, 1)
SUMS(f64, double, 2)

/* Of ints of one size; of bools, whether any is true. */
#define INTS(type, OP)                                                                             \
    do {                                                                                           \
        const type *x = (const void *)value;                                                       \
        type *z = (void *)y;                                                                       \
        EACH(z[at] = (type)(z[at] OP x[i]);)                                                       \
    } while (0)

static void ints(const gnd__native *w, const int64_t *pos, const char *value, const char *base,
                 char *y)
{
    const int64_t rows = w->n / w->inner;
    const size_t size = gnd_dtype_size(w->t), bytes = (size_t)w->m * size;
    if (base)
        memcpy(y, base, bytes);
    else
        memset(y, 0, bytes);
    if (w->t == GND_BOOL)
        INTS(uint8_t, |);
    else if (size == 1)
        INTS(uint8_t, +);
    else if (size == 2)
        INTS(uint16_t, +);
    else if (size == 4)
        INTS(uint32_t, +);
    else
        INTS(uint64_t, +);
}

int gnd__native_sums(const gnd__native *w, const int64_t *pos, const char *value, const char *base,
                     char *y)
{
    base = w->op ? base : NULL;
    if (w->t == GND_FLOAT32)
        return sums_f32(w, pos, (const void *)value, (const void *)base, (void *)y);
    if (w->t == GND_FLOAT64)
        return sums_f64(w, pos, (const void *)value, (const void *)base, (void *)y);
    ints(w, pos, value, base, y);
    return 1;
}
