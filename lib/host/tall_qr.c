/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/tall_qr.c - see tall_qr.h. R is the Cholesky factor of a^H a. Its signs are those of
 * Householder's reflections, which follow from the first rows of Q (G. Ballard, J. Demmel,
 * L. Grigori, M. Jacquelin, H. D. Nguyen, E. Solomonik, Reconstructing Householder vectors from
 * tall-skinny QR, 2014).
 */
#include "host/tall_qr.h"

#include <math.h>
#include <string.h>
#include "base/cmplx.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "host/lapack.h"

/* The greatest condition for which Q is orthogonal to the last digit of a 32-bit float: the error
 * is its square times the rounding of the wide dtype. */
#define WELL 1e4

typedef struct tall {
    gnd__gdev *d;
    const gnd__panel *p;
    gnd__block *const *block;
    const size_t *at;
    int is_complex;
    int64_t m, n, parts; /* parts: of the numbers of n x n */
    size_t narrow, wide; /* bytes of an element */
    double *l, *other;   /* n x n, wide */
    double *sign;        /* n */
    gnd_err *e;
} tall;

/* The signs that make R that of reflections, from m, the first n rows of Q with positive R, which
 * is overwritten: by the elimination of m - diag(sign), whose pivots are 1 and more. */
#define SIGNS(name, type, real)                                                                    \
    static void name(type *m, int64_t n, double *sign)                                             \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            sign[j] = real(m[j * n + j]) < 0 ? 1 : -1;                                             \
            const type pivot = m[j * n + j] - sign[j];                                             \
            for (int64_t i = j + 1; i < n; i++) {                                                  \
                const type f = m[i * n + j] / pivot;                                               \
                for (int64_t c = j + 1; c < n; c++)                                                \
                    m[i * n + c] -= f * m[j * n + c];                                              \
            }                                                                                      \
        }                                                                                          \
    }
#define ITSELF(x) (x)
SIGNS(real_signs, double, ITSELF)
SIGNS(complex_signs, double complex, creal)

static void conjugate(const tall *t, double *x)
{
    for (int64_t i = 1; i < t->parts && t->is_complex; i += 2)
        x[i] = -x[i];
}

static double norm(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static gnd_solve_desc desc(const tall *t, gnd_solve_op op)
{
    return (gnd_solve_desc){.op = op,
                            .dtype = (uint32_t)(t->is_complex ? GND_COMPLEX128 : GND_FLOAT64),
                            .m = t->n,
                            .n = t->n,
                            .k = t->n,
                            .nbatch = 1};
}

/* Copies n bytes of operand i from byte `from` on to or from the device. */
static gnd_status down(const tall *t, int i, void *to, size_t n)
{
    void *p;
    gnd_status st = gnd__host_take(t->d, t->block[i], t->at[i], n, 1, &p, t->e);
    if (st != GND_OK)
        return st;
    memcpy(to, p, n);
    return gnd__host_give(t->d, t->block[i], t->at[i], n, 1, p, 1, t->e);
}

static gnd_status up(const tall *t, int i, size_t from, const void *x, size_t n)
{
    void *p;
    gnd_status st = gnd__host_take(t->d, t->block[i], t->at[i] + from, n, 2, &p, t->e);
    if (st != GND_OK)
        return st;
    memcpy(p, x, n);
    return gnd__host_give(t->d, t->block[i], t->at[i] + from, n, 2, p, 1, t->e);
}

/* a^H a = L L^H, in Fortran order, and `other` becomes L^-1. Returns 0 if a is too near to a matrix
 * without full rank, or not finite. The memory of a^H a in C order is its conjugate in Fortran
 * order. */
static int factors(const tall *t)
{
    const gnd_solve_desc factor = desc(t, GND_SOLVE_CHOLESKY),
                         inverse = desc(t, GND_SOLVE_TRIANGULAR);
    const int64_t step = t->is_complex ? 2 : 1;
    gnd_err none;
    conjugate(t, t->l);
    if (gnd__lapack(&factor, (void *const[]){t->l}, &none) != GND_OK)
        return 0;
    memset(t->other, 0, (size_t)t->parts * sizeof *t->other);
    for (int64_t i = 0; i < t->n; i++) {
        t->other[i * (t->n + 1) * step] = 1;
        memset(t->l + i * t->n * step, 0, (size_t)(i * step) * sizeof *t->l);
    }
    return gnd__lapack(&inverse, (void *const[]){t->l, t->other}, &none) == GND_OK &&
           norm(t->l, t->parts) * norm(t->other, t->parts) < WELL;
}

/* The first n rows of a, whose conjugates in Fortran order are a^H: L y = a^H has y = q^H. */
static gnd_status find_signs(const tall *t, double *y, float *rows)
{
    const gnd_solve_desc system = desc(t, GND_SOLVE_TRIANGULAR);
    gnd_status st = down(t, 2, rows, (size_t)(t->n * t->n) * t->narrow);
    if (st != GND_OK)
        return st;
    for (int64_t i = 0; i < t->parts; i++)
        y[i] = rows[i];
    conjugate(t, y);
    if ((st = gnd__lapack(&system, (void *const[]){t->l, y}, t->e)) != GND_OK)
        return st;
    conjugate(t, y);
    if (t->is_complex)
        complex_signs((double complex *)(void *)y, t->n, t->sign);
    else
        real_signs(y, t->n, t->sign);
    return GND_OK;
}

/* R = sign L^H and its inverse L^-H sign: the memory of a matrix in Fortran order is that of its
 * transpose in C order. */
static gnd_status from_factors(const tall *t, double *y, float *r)
{
    const int64_t step = t->is_complex ? 2 : 1;
    gnd_status st = find_signs(t, y, r);
    if (st != GND_OK)
        return st;
    conjugate(t, t->l);
    conjugate(t, t->other);
    for (int64_t i = 0; i < t->parts; i++) {
        r[i] = (float)(t->l[i] * t->sign[i / step / t->n]);
        t->other[i] *= t->sign[i / step % t->n];
    }
    t->other[t->parts] = t->other[t->parts + 1] = 0;
    st = up(t, 3, (size_t)(t->m * t->n) * t->narrow, r, (size_t)(t->n * t->n) * t->narrow);
    return st == GND_OK ? up(t, 1, 0, t->other, (size_t)(t->n * t->n + 1) * t->wide) : st;
}

static void transpose(char *to, const char *x, int64_t rows, int64_t cols, size_t size)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            memcpy(to + (size_t)(j * rows + i) * size, x + (size_t)(i * cols + j) * size, size);
}

/* By LAPACK, of the whole matrix. */
static gnd_status from_lapack(const tall *t)
{
    const size_t all = (size_t)(t->m * t->n) * t->narrow,
                 square = (size_t)(t->n * t->n) * t->narrow;
    const gnd_solve_desc qr = {
        .op = GND_SOLVE_QR, .dtype = t->p->dtype, .m = t->m, .n = t->n, .nbatch = 1};
    char *c = gnd__malloc(2 * (all + square)), *f = c + all + square;
    gnd_status st = c ? down(t, 2, c, all)
                      : gnd__err(t->e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
    if (st == GND_OK) {
        transpose(f, c, t->m, t->n, t->narrow);
        st = gnd__lapack(&qr, (void *const[]){f, f + all}, t->e);
    }
    if (st == GND_OK) {
        transpose(c, f, t->n, t->m, t->narrow);
        transpose(c + all, f + all, t->n, t->n, t->narrow);
        for (int64_t i = 1; i < t->n; i++) /* reflections are there */
            memset(c + all + (size_t)(i * t->n) * t->narrow, 0, (size_t)i * t->narrow);
        st = up(t, 3, 0, c, all + square);
    }
    gnd__free(c);
    const double done[2] = {1, 0};
    return st == GND_OK ? up(t, 1, (size_t)(t->n * t->n) * t->wide, done, t->wide) : st;
}

gnd_status gnd__tall_qr_on(gnd__gdev *d, const gnd__panel *p, gnd__block *const *block,
                           const size_t *at, gnd_err *e)
{
    tall t = {.d = d, .p = p, .block = block, .at = at, .m = p->rows, .n = p->cols, .e = e};
    t.is_complex = gnd_dtype_kind((gnd_dtype)p->dtype) == 'c';
    t.parts = t.n * t.n * (t.is_complex ? 2 : 1);
    t.narrow = gnd_dtype_size((gnd_dtype)p->dtype);
    t.wide = 2 * t.narrow;
    /* two matrices, one of them with the number; the signs; a matrix for the signs, and R */
    double *room = gnd__malloc(((size_t)t.parts * 4 + 2 + (size_t)t.n) * sizeof *room);
    if (!room)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
    t.l = room;
    t.other = t.l + t.parts;
    t.sign = t.other + t.parts + 2;
    double *y = t.sign + t.n;
    gnd_status st = down(&t, 0, t.l, (size_t)(t.n * t.n) * t.wide);
    if (st == GND_OK)
        st = factors(&t) ? from_factors(&t, y, (float *)(void *)(y + t.parts)) : from_lapack(&t);
    gnd__free(room);
    return st;
}
