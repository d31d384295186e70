/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/fold.c - a reduction along a row, in the order of kernels/reduce_cpu.cl: groups of 64 lanes,
 * several of them one after the other, whose lanes are folded in halves; then runs of 32 elements.
 * Their results are added with the rounding error of each sum carried along (Knuth's TwoSum).
 */
#include "host/points.h"

#include <string.h>

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

enum { LANES = GND__FOLD_LANES, RUN = 32 };

void gnd__fold_begin(const gnd__pfold *f, gnd__folding *s)
{
    s->cur = s->groups = 0;
    s->place = -1;
    s->seen = 0;
    memcpy(s->sum, f->identity, sizeof s->sum);
    memset(s->error, 0, sizeof s->error);
}

/* s takes x with compensation; the terms of x have no error of their own. */
#define TWO_SUM(name, type)                                                                        \
    static void name(gnd__folding *s, const char *term)                                            \
    {                                                                                              \
        type x, h, error;                                                                          \
        memcpy(&x, term, sizeof x);                                                                \
        memcpy(&h, s->sum, sizeof h);                                                              \
        memcpy(&error, s->error, sizeof error);                                                    \
        const type sum = h + x, b = sum - h;                                                       \
        error = error + ((h - (sum - b)) + (x - b)) + 0;                                           \
        memcpy(s->sum, &sum, sizeof sum);                                                          \
        memcpy(s->error, &error, sizeof error);                                                    \
    }
TWO_SUM(add_f32, float)
TWO_SUM(add_f64, double)

static void add(const gnd__pfold *f, gnd__folding *s, const char *term)
{
    char z[GND__POINTS_BYTES] = {0};
    if (f->compensated) {
        (f->size == sizeof(float) ? add_f32 : add_f64)(s, term);
        return;
    }
    f->op(z, s->sum, term, NULL, 1);
    memcpy(s->sum, z, sizeof z);
}

/* The lanes of sums, added in halves. */
#define ADD_LANES(name, type)                                                                      \
    static void name(char *lanes)                                                                  \
    {                                                                                              \
        type *x = (void *)lanes;                                                                   \
        for (int w = LANES / 2; w > 0; w /= 2)                                                     \
            for (int l = 0; l < w; l++)                                                            \
                x[l] = x[l] + x[l + w];                                                            \
    }
ADD_LANES(add_lanes_f32, float)
ADD_LANES(add_lanes_f64, double)

/* Folds the lanes of the groups so far. */
static void close_groups(const gnd__pfold *f, gnd__folding *s)
{
    if (!s->groups)
        return;
    if (f->compensated)
        (f->size == sizeof(float) ? add_lanes_f32 : add_lanes_f64)(s->lane[s->cur]);
    for (int w = LANES / 2; w > 0 && !f->compensated; w /= 2, s->cur ^= 1)
        f->op(s->lane[!s->cur], s->lane[s->cur], s->lane[s->cur] + w * f->size, NULL, (size_t)w);
    add(f, s, s->lane[s->cur]);
    s->groups = 0;
}

void gnd__fold_take(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most)
{
    if (f->place) {
        f->place(s->sum, &s->place, v, s->seen, (size_t)n);
        s->seen += n;
        return;
    }
    if (f->unordered) {
        f->run(s->sum, v, (size_t)n);
        return;
    }
    for (; n >= LANES; n -= LANES, v += LANES * f->size) {
        if (!s->groups)
            gnd__fill(f->size, s->lane[s->cur], f->identity, LANES);
        f->op(s->lane[!s->cur], s->lane[s->cur], v, NULL, LANES);
        s->cur ^= 1;
        if (++s->groups == most)
            close_groups(f, s);
    }
    if (n > 0)
        close_groups(f, s);
    while (n > 0) {
        char t[GND__POINTS_BYTES];
        const int64_t count = n < RUN ? n : RUN;
        memcpy(t, f->identity, sizeof t);
        f->run(t, v, (size_t)count);
        add(f, s, t);
        n -= count;
        v += count * f->size;
    }
}

/* The error term of a sum that overflowed is NaN. */
#define RESULT(type)                                                                               \
    do {                                                                                           \
        type sum, error, q;                                                                        \
        memcpy(&sum, s->sum, sizeof sum);                                                          \
        memcpy(&error, s->error, sizeof error);                                                    \
        q = sum + error;                                                                           \
        q = q != q ? sum : q;                                                                      \
        memcpy(z, &q, sizeof q);                                                                   \
    } while (0)

void gnd__fold_end(const gnd__pfold *f, gnd__folding *s, char *z)
{
    close_groups(f, s);
    if (f->place)
        memcpy(z, s->place < 0 ? &s->seen : &s->place, sizeof s->place);
    else if (!f->compensated)
        memcpy(z, s->sum, f->size);
    else if (f->size == sizeof(float))
        RESULT(float);
    else
        RESULT(double);
}

void gnd__fold_row(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most,
                   char *z)
{
    if ((n <= RUN || f->unordered) && !f->place) { /* one run, nothing to carry along */
        gnd__fill(f->size, z, f->identity, 1);
        f->run(z, v, (size_t)n);
        return;
    }
    gnd__fold_begin(f, s);
    gnd__fold_take(f, s, v, n, most);
    gnd__fold_end(f, s, z);
}
