/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/normal.c - see normal.h. A Cholesky factor solves the system where the norms of it and of
 * its inverse show that no singular value of a is small. Elsewhere eigenvalues tell which are:
 * they are the squares of the singular values.
 */
#include "host/normal.h"

#include <math.h>
#include <string.h>
#include "base/cmplx.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "host/lapack.h"

/* The greatest condition for which the factor is taken: its square times the rounding of t is
 * still far below 1. */
#define WELL 1e6

typedef struct system {
    gnd_dtype t;
    int64_t n, k, step; /* step: the doubles of an element */
    const double *m;
    double *a, *b, *other; /* in Fortran order: n x n, n x k, n x n */
    double *w;             /* n */
} system_of;

static double complex get(const system_of *s, const double *p, int64_t i)
{
    return s->step == 2 ? CMPLX(p[2 * i], p[2 * i + 1]) : CMPLX(p[i], 0);
}

static void put(const system_of *s, double *p, int64_t i, double complex z)
{
    p[i * s->step] = creal(z);
    if (s->step == 2)
        p[2 * i + 1] = cimag(z);
}

/* The sum of the squares of n x n elements. */
static double squares(const system_of *s, const double *p)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n * s->n * s->step; i++)
        sum += p[i] * p[i];
    return sum;
}

/* Columns first to first + count of m, in Fortran order. */
static void take(const system_of *s, double *to, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < s->n; i++) {
        const double *row = s->m + (i * (s->n + s->k) + first) * s->step;
        for (int64_t j = 0; j < count; j++)
            for (int64_t part = 0; part < s->step; part++)
                to[(i + j * s->n) * s->step + part] = row[j * s->step + part];
    }
}

static gnd_solve_desc desc(const system_of *s, gnd_solve_op op, unsigned flags, int64_t k)
{
    return (gnd_solve_desc){.op = op,
                            .flags = flags,
                            .dtype = (uint32_t)s->t,
                            .m = s->n,
                            .n = s->n,
                            .k = k,
                            .nbatch = 1};
}

/* Whether the factor solves the system, which it does then: b becomes x. */
static int by_factor(system_of *s, double rcond)
{
    const unsigned back = gnd_dtype_kind(s->t) == 'c' ? GND_TRI_CONJ : GND_TRI_TRANS;
    const gnd_solve_desc factor = desc(s, GND_SOLVE_CHOLESKY, 0, 0),
                         inverse = desc(s, GND_SOLVE_TRIANGULAR, 0, s->n),
                         down = desc(s, GND_SOLVE_TRIANGULAR, 0, s->k),
                         up = desc(s, GND_SOLVE_TRIANGULAR, back, s->k);
    double trace = 0;
    gnd_err none;
    for (int64_t i = 0; i < s->n; i++)
        trace += s->a[i * (s->n + 1) * s->step];
    if (gnd__lapack(&factor, (void *const[]){s->a}, &none) != GND_OK)
        return 0;
    memset(s->other, 0, (size_t)(s->n * s->n * s->step) * sizeof *s->other);
    for (int64_t i = 0; i < s->n; i++)
        s->other[i * (s->n + 1) * s->step] = 1;
    if (gnd__lapack(&inverse, (void *const[]){s->a, s->other}, &none) != GND_OK)
        return 0;
    /* the norm of the factor is the root of the trace; both norms are at least the largest singular
     * values of the factor, which are those of a, and of its inverse */
    const double most = sqrt(trace) * sqrt(squares(s, s->other));
    if (!(most * rcond < 1 && most < WELL))
        return 0;
    return gnd__lapack(&down, (void *const[]){s->a, s->b}, &none) == GND_OK &&
           gnd__lapack(&up, (void *const[]){s->a, s->b}, &none) == GND_OK;
}

/* x = V W^-1 V^H b, without the eigenvalues that count as 0; b becomes x. */
static gnd_status by_eigenvalues(system_of *s, double rcond, int64_t *rank, gnd_err *e)
{
    const gnd_solve_desc eigh = desc(s, GND_SOLVE_EIGH, 0, 0);
    const int64_t n = s->n;
    const gnd_status st = gnd__lapack(&eigh, (void *const[]){s->a, s->w}, e);
    if (st != GND_OK)
        return st;
    const double largest = sqrt(fmax(s->w[n - 1], 0));
    *rank = 0;
    for (int64_t j = 0; j < n; j++)
        *rank += sqrt(fmax(s->w[j], 0)) > rcond * largest;
    for (int64_t c = 0; c < s->k; c++) {
        for (int64_t i = 0; i < n; i++)
            put(s, s->other, i, 0);
        for (int64_t j = n - *rank; j < n; j++) {
            double complex sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += conj(get(s, s->a, i + j * n)) * get(s, s->b, i + c * n);
            sum /= s->w[j];
            for (int64_t i = 0; i < n; i++)
                put(s, s->other, i, get(s, s->other, i) + sum * get(s, s->a, i + j * n));
        }
        memcpy(s->b + c * n * s->step, s->other, (size_t)(n * s->step) * sizeof *s->b);
    }
    return GND_OK;
}

static gnd_status solve(system_of *s, double rcond, int64_t *rank, gnd_err *e)
{
    take(s, s->a, 0, s->n);
    take(s, s->b, s->n, s->k);
    if (!gnd__are_numbers(s->t, (const char *)s->a, s->n * s->n))
        return gnd__solve_refused(0, 0, 0, e);
    if (!gnd__are_numbers(s->t, (const char *)s->b, s->n * s->k))
        return gnd__solve_refused(0, 1, 0, e);
    *rank = s->n;
    if (by_factor(s, rcond))
        return GND_OK;
    take(s, s->a, 0, s->n);
    take(s, s->b, s->n, s->k);
    return by_eigenvalues(s, rcond, rank, e);
}

gnd_status gnd__normal_solve(gnd_dtype t, int64_t n, int64_t k, double rcond, const char *m,
                             char *y, gnd_err *e)
{
    system_of s = {.t = t, .n = n, .k = k, .step = gnd_dtype_kind(t) == 'c' ? 2 : 1};
    const int64_t square = n * n * s.step, sides = n * k * s.step;
    double *const room = gnd__malloc((size_t)(2 * square + sides + n) * sizeof *room),
                  *const out = (double *)(void *)y;
    int64_t rank = 0;
    if (!room)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
    s.m = (const double *)(const void *)m;
    s.a = room;
    s.other = s.a + square;
    s.b = s.other + square;
    s.w = s.b + sides;
    const gnd_status st = solve(&s, rcond, &rank, e);
    for (int64_t i = 0; i < n && st == GND_OK; i++)
        for (int64_t c = 0; c < k; c++)
            put(&s, out, i * k + c, get(&s, s.b, i + c * n));
    put(&s, out, n * k, (double)rank);
    gnd__free(room);
    return st;
}
