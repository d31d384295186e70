/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/columns.c - reductions down columns, in the order of kernels/reduce_cpu.cl: blocks of 64
 * elements of a column are folded one after the other; their results are added with the rounding
 * error of each sum carried along (Knuth's TwoSum); and so are the parts of a column.
 */
#include <string.h>
#include "host/points_priv.h"

/* At -O2 GCC leaves the loops scalar. This changes no result. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

enum { RUN = 64, ROOM = GND__POINTS_BLOCK * GND__POINTS_BYTES };

/* Values of a block of columns: sums, the errors of compensated ones, and a spare. */
typedef struct column {
    _Alignas(64) char v[2][ROOM];
    _Alignas(64) char error[ROOM];
    int cur;
} column;

static void begin(const gnd__pfold *f, column *c, int64_t n)
{
    c->cur = 0;
    gnd__fill(f->size, c->v[0], f->identity, n);
    memset(c->error, 0, (size_t)n * f->size);
}

/* c takes x; `of` is the error of x. */
#define TWO_SUM(name, type)                                                                        \
    static void name(column *c, const char *term, const char *of, int64_t n)                       \
    {                                                                                              \
        const type *x = (const void *)term, *rest = (const void *)of;                              \
        type *h = (void *)c->v[c->cur], *error = (void *)c->error;                                 \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type sum = h[i] + x[i], b = sum - h[i];                                          \
            error[i] = error[i] + ((h[i] - (sum - b)) + (x[i] - b)) + rest[i];                     \
            h[i] = sum;                                                                            \
        }                                                                                          \
    }
TWO_SUM(add_f32, float)
TWO_SUM(add_f64, double)

static void add(const gnd__pfold *f, column *c, const column *x, int64_t n)
{
    if (f->compensated) {
        (f->size == sizeof(float) ? add_f32 : add_f64)(c, x->v[x->cur], x->error, n);
        return;
    }
    f->op(c->v[!c->cur], c->v[c->cur], x->v[x->cur], NULL, (size_t)n);
    c->cur ^= 1;
}

/* The error term of a sum that overflowed is NaN. */
#define RESULT(type)                                                                               \
    do {                                                                                           \
        type *sum = (void *)c->v[c->cur];                                                          \
        const type *error = (const void *)c->error;                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const type q = sum[i] + error[i];                                                      \
            sum[i] = q != q ? sum[i] : q;                                                          \
        }                                                                                          \
    } while (0)

static const char *finish(const gnd__pfold *f, column *c, int64_t n)
{
    if (f->compensated && f->size == sizeof(float))
        RESULT(float);
    else if (f->compensated)
        RESULT(double);
    return c->v[c->cur];
}

/* Moves r from reduced row x to x + 1. */
static void next_row(gnd__runner *r, int64_t *index)
{
    const gnd__points *p = r->p;
    for (int d = p->naxes - 2; d > p->naxes - 2 - p->nred; d--) {
        const int64_t by = ++index[d] < p->dim[d] ? 1 : 1 - p->dim[d];
        gnd__points_step(r, d, by);
        if (by == 1)
            return;
        index[d] = 0;
    }
}

/* Folds `rows` reduced rows of n columns from `left` on into c[]. */
static void fold_part(gnd__runner *r, column *c, int64_t *index, int64_t rows, int64_t left,
                      int64_t n)
{
    const gnd__points *p = r->p;
    column lane[GND__POINTS_FOLDS];
    for (int f = 0; f < p->nfold; f++)
        begin(&p->fold[f], &c[f], n);
    for (int64_t x = 0; x < rows; x++) {
        for (int f = 0; f < p->nfold && x % RUN == 0; f++)
            begin(&p->fold[f], &lane[f], n);
        for (int i = 0; i < p->nvalue; i++)
            if (!p->value[i].after)
                gnd__points_value(r, i, left, n);
        for (int f = 0; f < p->nfold; f++) {
            column *l = &lane[f];
            p->fold[f].op(l->v[!l->cur], l->v[l->cur], r->v[p->fold[f].value], NULL, (size_t)n);
            l->cur ^= 1;
        }
        for (int f = 0; f < p->nfold && (x % RUN == RUN - 1 || x == rows - 1); f++)
            add(&p->fold[f], &c[f], &lane[f], n);
        r->later = 1;
        next_row(r, index);
    }
}

/* Places of extremes (int64) of n columns from `left` on. */
static void find_places(gnd__runner *r, column *best, int64_t rows, int64_t left, int64_t n)
{
    const gnd__points *p = r->p;
    int64_t index[GND__POINTS_AXES] = {0};
    for (int64_t x = 0; x < rows; x++) {
        for (int i = 0; i < p->nvalue; i++)
            if (!p->value[i].after)
                gnd__points_value(r, i, left, n);
        for (int f = 0; f < p->nfold; f++) {
            const gnd__pfold *fold = &p->fold[f];
            if (x == 0) {
                memcpy(best[f].v[0], r->v[fold->value], (size_t)n * fold->size);
                memset(best[f].v[1], 0, (size_t)n * sizeof(int64_t));
            } else {
                fold->place(best[f].v[0], (int64_t *)(void *)best[f].v[1], r->v[fold->value], x,
                            (size_t)n);
            }
        }
        r->later = 1;
        next_row(r, index);
    }
}

/* The same of few columns: p->group rows are one row of more columns, whose results are then
 * joined. */
static void find_in_groups(gnd__runner *r, column *best, int64_t rows, int64_t n)
{
    const gnd__points *p = r->p;
    const int64_t g = p->group;
    for (int64_t x = 0; x < rows; x += g) {
        const int64_t some = rows - x < g ? rows - x : g;
        for (int i = 0; i < p->nvalue; i++)
            if (!p->value[i].after)
                gnd__points_value(r, i, 0, some * n);
        for (int f = 0; f < p->nfold; f++) {
            const gnd__pfold *fold = &p->fold[f];
            int64_t *place = (void *)best[f].v[1];
            if (x == 0) {
                memcpy(best[f].v[0], r->v[fold->value], (size_t)(some * n) * fold->size);
                memset(place, 0, (size_t)(some * n) * sizeof *place);
            } else {
                fold->place(best[f].v[0], place, r->v[fold->value], x, (size_t)(some * n));
            }
        }
        r->later = 1;
        gnd__points_step(r, p->naxes - 2, some);
    }
    gnd__points_step(r, p->naxes - 2, -rows);
    for (int f = 0; f < p->nfold; f++) {
        int64_t *place = (void *)best[f].v[1];
        const int64_t there = rows < g ? rows : g;
        for (int64_t k = 1; k < there; k++) {
            for (int64_t i = 0; i < n; i++)
                place[k * n + i] += k;
            p->fold[f].join(best[f].v[0], place, best[f].v[0] + k * n * p->fold[f].size, k * n,
                            (size_t)n);
        }
    }
}

void gnd__points_columns(gnd__runner *r)
{
    const gnd__points *p = r->p;
    const int last = p->naxes - 1;
    column whole[GND__POINTS_FOLDS], part[GND__POINTS_FOLDS];
    int64_t rows = 1, index[GND__POINTS_AXES] = {0};
    for (int d = last - p->nred; d < last; d++)
        rows *= p->dim[d];
    for (int64_t left = 0; left < p->dim[last]; left += p->block) {
        const int64_t n = p->dim[last] - left < p->block ? p->dim[last] - left : p->block;
        const int split = p->chunk < rows, places = p->fold[0].place != NULL;
        if (places && p->group)
            find_in_groups(r, whole, rows, n);
        else if (places)
            find_places(r, whole, rows, left, n);
        else if (!split)
            fold_part(r, whole, index, rows, left, n);
        for (int f = 0; f < p->nfold && split && !places; f++)
            begin(&p->fold[f], &whole[f], n);
        for (int64_t x = 0; x < rows && split && !places; x += p->chunk) {
            fold_part(r, part, index, rows - x < p->chunk ? rows - x : p->chunk, left, n);
            for (int f = 0; f < p->nfold; f++)
                add(&p->fold[f], &whole[f], &part[f], n);
        }
        for (int f = 0; f < p->nfold; f++)
            r->folded[f] = places ? whole[f].v[1] : finish(&p->fold[f], &whole[f], n);
        for (int i = 0; i < p->nvalue; i++)
            if (p->value[i].after)
                gnd__points_value(r, i, left, n);
        gnd__points_store(r, left, n);
    }
}
