/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/fold.c - a reduction along a row, in the order of kernels/reduce_cpu.cl: groups of 64 lanes,
 * several of them one after the other, whose lanes are folded in halves; then runs of 32 elements.
 * Their results are added with the rounding error of each sum carried along (Knuth's TwoSum), and
 * so are those of the parts of a long row.
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
    s->groups = s->parts = 0;
    s->place = -1;
    s->seen = 0;
    memcpy(s->now.sum, f->identity, sizeof s->now.sum);
    memset(s->now.error, 0, sizeof s->now.error);
    s->all = s->now;
}

/* s takes x with compensation. */
#define TWO_SUM(name, type)                                                                        \
    static void name(struct gnd__partial *s, const struct gnd__partial *term)                      \
    {                                                                                              \
        type x, of, h, error;                                                                      \
        memcpy(&x, term->sum, sizeof x);                                                           \
        memcpy(&of, term->error, sizeof of);                                                       \
        memcpy(&h, s->sum, sizeof h);                                                              \
        memcpy(&error, s->error, sizeof error);                                                    \
        const type sum = h + x, b = sum - h;                                                       \
        error = error + ((h - (sum - b)) + (x - b)) + of;                                          \
        memcpy(s->sum, &sum, sizeof sum);                                                          \
        memcpy(s->error, &error, sizeof error);                                                    \
    }
TWO_SUM(add_f32, float)
TWO_SUM(add_f64, double)

static void add(const gnd__pfold *f, struct gnd__partial *s, const struct gnd__partial *term)
{
    char z[GND__POINTS_BYTES] = {0};
    if (f->compensated) {
        (f->size == sizeof(float) ? add_f32 : add_f64)(s, term);
        return;
    }
    f->op(z, s->sum, term->sum, NULL, 1);
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
    struct gnd__partial lanes = {{0}, {0}};
    int cur = 0;
    if (!s->groups)
        return;
    if (f->compensated)
        (f->size == sizeof(float) ? add_lanes_f32 : add_lanes_f64)(s->lane[0]);
    for (int w = LANES / 2; w > 0 && !f->compensated; w /= 2, cur ^= 1)
        f->op(s->lane[!cur], s->lane[cur], s->lane[cur] + w * f->size, NULL, (size_t)w);
    memcpy(lanes.sum, s->lane[cur], f->size);
    add(f, &s->now, &lanes);
    s->groups = 0;
}

void gnd__fold_take(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most)
{
    if (f->place) {
        f->place(s->now.sum, &s->place, v, s->seen, (size_t)n);
        s->seen += n;
        return;
    }
    if (f->unordered) {
        f->run(s->now.sum, v, (size_t)n);
        return;
    }
    while (n >= LANES) {
        const int64_t left = most - s->groups, g = n / LANES < left ? n / LANES : left;
        if (!s->groups)
            gnd__fill(f->size, s->lane[0], f->identity, LANES);
        f->lanes(s->lane[0], v, (size_t)g);
        n -= g * LANES;
        v += g * LANES * f->size;
        s->groups += (int)g;
        if (s->groups == most)
            close_groups(f, s);
    }
    if (n > 0)
        close_groups(f, s);
    while (n > 0) {
        struct gnd__partial t = {{0}, {0}};
        const int64_t count = n < RUN ? n : RUN;
        memcpy(t.sum, f->identity, sizeof t.sum);
        f->run(t.sum, v, (size_t)count);
        add(f, &s->now, &t);
        n -= count;
        v += count * f->size;
    }
}

void gnd__fold_part(const gnd__pfold *f, gnd__folding *s)
{
    if (f->place || f->unordered)
        return;
    close_groups(f, s);
    add(f, &s->all, &s->now);
    memcpy(s->now.sum, f->identity, sizeof s->now.sum);
    memset(s->now.error, 0, sizeof s->now.error);
    s->parts++;
}

/* The error term of a sum that overflowed is NaN. */
#define RESULT(type)                                                                               \
    do {                                                                                           \
        type sum, error, q;                                                                        \
        memcpy(&sum, x->sum, sizeof sum);                                                          \
        memcpy(&error, x->error, sizeof error);                                                    \
        q = sum + error;                                                                           \
        q = q != q ? sum : q;                                                                      \
        memcpy(z, &q, sizeof q);                                                                   \
    } while (0)

void gnd__fold_end(const gnd__pfold *f, gnd__folding *s, char *z)
{
    const struct gnd__partial *x = s->parts ? &s->all : &s->now;
    close_groups(f, s);
    if (f->place)
        memcpy(z, s->place < 0 ? &s->seen : &s->place, sizeof s->place);
    else if (!f->compensated)
        memcpy(z, x->sum, f->size);
    else if (f->size == sizeof(float))
        RESULT(float);
    else
        RESULT(double);
}

void gnd__fold_row(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most,
                   char *z)
{
    if (f->place) {
        char best[GND__POINTS_BYTES];
        int64_t place = -1;
        f->place(best, &place, v, 0, (size_t)n);
        memcpy(z, &place, sizeof place);
        return;
    }
    if (n <= RUN || f->unordered) { /* one run, nothing to carry along */
        gnd__fill(f->size, z, f->identity, 1);
        f->run(z, v, (size_t)n);
        return;
    }
    gnd__fold_begin(f, s);
    gnd__fold_take(f, s, v, n, most);
    gnd__fold_end(f, s, z);
}
