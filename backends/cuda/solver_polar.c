/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver_polar.c - the singular value decomposition by matrix products, one symmetric
 * eigenproblem and one QR decomposition, all of which fill a GPU better than the reduction to
 * bidiagonal form does.
 *
 * X, from A on, is iterated to the unitary polar factor of A; then H = X^H A is Hermitian with A's
 * singular values and right vectors V (Higham, Computing the polar decomposition - with
 * applications, 1986). The iteration is X (a + b X^H X + c (X^H X)^2): first with the polynomial
 * that raises small singular values 3.4-fold and keeps the others in 0.7 .. 1.2 (K. Jordan and
 * others, Muon: an optimizer for hidden layers, 2024), in which no value falls much behind the
 * greatest, as backward stability needs (Nakatsukasa and Higham, Backward stability of iterations
 * for computing the polar decomposition, 2012), then with that of third order at 1. Singular values
 * below eps times the greatest need not arrive.
 *
 * U is not X V, which is not unitary where A is singular, but the Q of A V = Q R; R then is
 * diagonal to rounding. That is checked, for every matrix: with unitary Q and V a small R - S is a
 * small backward error, whatever the iteration did.
 */
#include "solver.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The iterations are some hundred launches, whatever the size; LEAST_VALUES: without vectors. On an
 * H200 values of 64 x 64 take 0.4 ms by gesvd and 1.5 this way, of 128 x 128 3.6 and 2.0, of 1024 x
 * 1024 80 and 14. */
enum { LEAST = 33, LEAST_VALUES = 128 };

static const double fast[3] = {3.4445, -4.7750, 2.0315}, last[3] = {15.0 / 8, -10.0 / 8, 3.0 / 8};

/* A number of the dtype, on the host. */
typedef union scalar {
    float f[2];
    double d[2];
} scalar;

static scalar number(const gnd__cs_job *o, double v)
{
    scalar s;
    memset(&s, 0, sizeof s);
    if (o->t->rsize == 8)
        s.d[0] = v;
    else
        s.f[0] = (float)v;
    return s;
}

/* c = alpha op(a) b + beta c; c is rows x cols, b has columns of ldb elements. */
static gnd_status product(gnd__cs_job *o, cublasOperation_t op, int64_t rows, int64_t cols,
                          int64_t k, double alpha, CUdeviceptr a, int64_t lda, CUdeviceptr b,
                          int64_t ldb, double beta, CUdeviceptr c)
{
    const scalar al = number(o, alpha), be = number(o, beta);
    CALL(gnd__cs.gemm[o->t->index](o->v->blas, op, CUBLAS_OP_N, (int)rows, (int)cols, (int)k, &al,
                                   (void *)a, (int)lda, (void *)b, (int)ldb, &be, (void *)c,
                                   (int)rows),
         "cublasgemm");
    return GND_OK;
}

/* The root of the sum of the squares of n elements. */
static gnd_status norm(gnd__cs_job *o, CUdeviceptr x, int64_t n, double *out)
{
    float narrow = 0;
    const int wide = o->t->rsize == 8;
    CALL(gnd__cs.cublasNrm2Ex(o->v->blas, (int)n, (void *)x, o->t->data, 1,
                              wide ? (void *)out : &narrow, o->t->real, o->t->real),
         "cublasNrm2Ex");
    if (!wide)
        *out = narrow;
    return GND_OK;
}

static gnd_status scale(gnd__cs_job *o, const gnd__cs_usv *d, double by)
{
    const scalar s = number(o, by);
    const int m = (int)d->m, n = (int)d->n;
    CALL(gnd__cs.geam[o->t->index](o->v->blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, &s, (void *)d->a, m,
                                   gnd__cs_zero(), (void *)d->a, m, (void *)d->a, m),
         "cublasgeam");
    return GND_OK;
}

static gnd_status copy(gnd__cs_job *o, CUdeviceptr to, CUdeviceptr from, int64_t n)
{
    const CUresult r = gnd__cu.MemcpyDtoDAsync(to, from, (size_t)n * o->t->size, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemcpyDtoDAsync");
}

/* Sets count blocks of `width` bytes, pitch bytes apart, to zero. */
static gnd_status clear(gnd__cs_job *o, CUdeviceptr p, size_t pitch, size_t width, int64_t count)
{
    const CUresult r = gnd__cu.MemsetD2D8Async(p, pitch, 0, width, (size_t)count, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemsetD2D8Async");
}

/* R without what is below its diagonal is its product with 1. */
gnd_status gnd__cs_upper(gnd__cs_job *o, CUdeviceptr a, int64_t lda, int64_t n, CUdeviceptr eye,
                         CUdeviceptr r)
{
    const size_t column = (size_t)n * o->t->size;
    TRY(clear(o, eye, column, column, n));
    TRY(gnd__cs_ones(o, eye, n, 0, n));
    CALL(gnd__cs.trmm[o->t->index](o->v->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER,
                                   CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, (int)n, (int)n,
                                   gnd__cs_one(o), (void *)a, (int)lda, (void *)eye, (int)n,
                                   (void *)r, (int)n),
         "cublastrmm");
    return GND_OK;
}

gnd_status gnd__cs_adjoint(gnd__cs_job *o, CUdeviceptr v, int64_t n, CUdeviceptr vh)
{
    CALL(gnd__cs.geam[o->t->index](o->v->blas, CUBLAS_OP_C, CUBLAS_OP_N, (int)n, (int)n,
                                   gnd__cs_one(o), (void *)v, (int)n, gnd__cs_zero(), (void *)vh,
                                   (int)n, (void *)vh, (int)n),
         "cublasgeam");
    return GND_OK;
}

/* The memory of one decomposition: x, y and the n x n matrices g and p; reflectors; phases. */
typedef struct memory {
    CUdeviceptr x, y, g, p, tau, phase;
} memory;

static gnd_status memory_for(gnd__cs_job *o, const gnd__cs_usv *d, memory *w)
{
    const size_t cols = (size_t)(d->full ? d->m : d->n), m = (size_t)d->m, n = (size_t)d->n,
                 size = o->t->size;
    const size_t bytes[6] = {m * n * size, m * cols * size, n * n * size,
                             n * n * size, n * size,        n * size};
    CUdeviceptr *const at[6] = {&w->x, &w->y, &w->g, &w->p, &w->tau, &w->phase}, next;
    size_t sum = 0;
    for (int i = 0; i < 6; i++)
        sum += (bytes[i] + 255) / 256 * 256;
    TRY(gnd__cs_reserve(o, &o->v->scratch, sum));
    next = o->v->scratch.p;
    for (int i = 0; i < 6; i++) {
        *at[i] = next;
        next += (bytes[i] + 255) / 256 * 256;
    }
    return GND_OK;
}

/* The unitary polar factor of d->a, whose norm is about 1: *x. */
static gnd_status iterate(gnd__cs_job *o, const gnd__cs_usv *d, const memory *w, CUdeviceptr *x)
{
    const int64_t m = d->m, n = d->n;
    const double eps = o->t->rsize == 8 ? 0x1p-52 : 0x1p-23;
    const int first = (int)ceil(log(2 * sqrt((double)n) / eps) / log(fast[0])),
              all = first + (eps < 1e-10 ? 5 : 4);
    CUdeviceptr now = d->a, next = w->x;
    for (int i = 0; i < all; i++) {
        const double *c = i < first ? fast : last;
        TRY(product(o, CUBLAS_OP_C, n, n, m, 1, now, m, now, m, 0, w->g));
        TRY(copy(o, w->p, w->g, n * n));
        TRY(product(o, CUBLAS_OP_N, n, n, n, c[2], w->g, n, w->g, n, c[1], w->p));
        TRY(copy(o, next, now, m * n));
        TRY(product(o, CUBLAS_OP_N, m, n, n, 1, now, m, w->p, n, c[0], next));
        now = next;
        next = now == w->x ? w->y : w->x;
    }
    *x = now;
    return GND_OK;
}

static void put_part(const gnd__cs_job *o, char *p, int64_t i, double v)
{
    const float narrow = (float)v;
    if (o->t->rsize == 8)
        memcpy(p + 8 * i, &v, sizeof v);
    else
        memcpy(p + 4 * i, &narrow, sizeof narrow);
}

/* On the host, from the eigenvalues w of -H and the diagonal r of R: the singular values times 2^e
 * in w, r's phases in r. Returns whether they agree, and with `off`, the norm of the rest of R. */
static int accept(const gnd__cs_job *o, int64_t n, char *w, char *r, double off, int e)
{
    const int parts = o->t->size == o->t->rsize ? 1 : 2;
    const double eps = o->t->rsize == 8 ? 0x1p-52 : 0x1p-23,
                 bound = 4 * (double)n * eps * -gnd__cs_real_at(o, w, 0);
    int good = off <= bound;
    for (int64_t j = 0; j < n && good; j++) {
        const double s = fmax(-gnd__cs_real_at(o, w, (size_t)j), 0),
                     re = gnd__cs_real_at(o, r, (size_t)(parts * j));
        const double im = parts == 2 ? gnd__cs_real_at(o, r, (size_t)(2 * j + 1)) : 0,
                     size = hypot(re, im);
        good = fabs(size - s) <= bound;
        put_part(o, w, j, ldexp(s, e));
        put_part(o, r, parts * j, size > 0 ? re / size : 1);
        if (parts == 2)
            put_part(o, r, 2 * j + 1, size > 0 ? im / size : 0);
    }
    return good;
}

/* A V = Q R in y, with V in g; whether that is the decomposition. */
static gnd_status factors(gnd__cs_job *o, const gnd__cs_usv *d, const memory *w, int e, char *host,
                          int *good)
{
    const size_t size = o->t->size, n = (size_t)d->n;
    gnd__cs_job other = *o;
    int info = 0;
    double off = 0;
    char *values = host, *diagonal = host + n * o->t->rsize;
    other.info = o->spare; /* the info of the eigenproblem counts */
    TRY(product(o, CUBLAS_OP_N, d->m, d->n, d->n, 1, d->a, d->m, w->g, d->n, 0, w->y));
    TRY(gnd__cs_geqrf(&other, w->y, d->m, d->n, w->tau));
    TRY(gnd__cs_upper(o, w->y, d->m, d->n, w->x, w->p));
    TRY(gnd__cs_copy(o, w->phase, size, w->p, (n + 1) * size, size, d->n));
    TRY(clear(o, w->p, (n + 1) * size, size, d->n));
    TRY(norm(o, w->p, d->n * d->n, &off));
    TRY(gnd__cs_down(o, &info, (CUdeviceptr)o->info, sizeof info));
    TRY(gnd__cs_down(o, values, d->s, n * o->t->rsize));
    TRY(gnd__cs_down(o, diagonal, w->phase, n * size));
    *good = info == 0 && accept(o, d->n, values, diagonal, off, e);
    if (!*good)
        return scale(o, d, ldexp(1, e));
    TRY(gnd__cs_up(o, d->s, values, n * o->t->rsize));
    TRY(gnd__cs_up(o, w->phase, diagonal, n * size));
    TRY(gnd__cs_orgqr(&other, w->y, w->tau, d->m, d->full ? d->m : d->n, d->n));
    CALL(gnd__cs.dgmm[o->t->index](o->v->blas, CUBLAS_SIDE_RIGHT, (int)d->m, (int)d->n,
                                   (void *)w->y, (int)d->m, (void *)w->phase, 1, (void *)d->u,
                                   (int)d->ldu),
         "cublasdgmm");
    if (d->full)
        TRY(copy(o, d->u + (size_t)(d->m * d->n) * size, w->y + (size_t)(d->m * d->n) * size,
                 d->m * (d->m - d->n)));
    TRY(gnd__cs_adjoint(o, w->g, d->n, d->vh));
    return gnd__cs_wait(o); /* `host` goes */
}

/* Computes only the values, of d->a = x H: those of its Hermitian part H'; -H' is in w->p. With G =
 * x^H x - 1 they are off by at most |A - x H'| + |G H'|, whatever the iteration did: x = Q (1 +
 * G)^(1/2), Q unitary, and |((1 + G)^(1/2) - 1) H'| <= |G H'|. No value may be below 0 by more than
 * that. */
static gnd_status values_alone(gnd__cs_job *o, const gnd__cs_usv *d, const memory *w, CUdeviceptr x,
                               int e, int *good)
{
    const int n = (int)d->n, t = o->t->index;
    const double eps = o->t->rsize == 8 ? 0x1p-52 : 0x1p-23;
    const CUdeviceptr rest = x == w->x ? w->y : w->x;
    const scalar half = number(o, 0.5), one = number(o, 1), minus = number(o, -1);
    double off[2] = {0, 0};
    int info = 0;
    CALL(gnd__cs.geam[t](o->v->blas, CUBLAS_OP_N, CUBLAS_OP_C, n, n, &half, (void *)w->g, n, &half,
                         (void *)w->g, n, (void *)w->p, n),
         "cublasgeam");
    TRY(copy(o, rest, d->a, d->m * d->n)); /* A - x H' */
    TRY(product(o, CUBLAS_OP_N, d->m, d->n, d->n, 1, x, d->m, w->p, d->n, 1, rest));
    TRY(norm(o, rest, d->m * d->n, &off[0]));
    TRY(product(o, CUBLAS_OP_C, d->n, d->n, d->m, 1, x, d->m, rest, d->m, 1, w->g)); /* -x^H x H' */
    CALL(gnd__cs.geam[t](o->v->blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, &one, (void *)w->g, n, &minus,
                         (void *)w->p, n, (void *)w->g, n),
         "cublasgeam");
    TRY(norm(o, w->g, d->n * d->n, &off[1]));
    TRY(gnd__cs_syevd(o, 0, d->n, w->p, d->s));
    TRY(gnd__cs_down(o, &info, (CUdeviceptr)o->info, sizeof info));
    char *values = malloc((size_t)n * o->t->rsize);
    if (!values)
        return gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for %d values", n);
    gnd_status st = gnd__cs_down(o, values, d->s, (size_t)n * o->t->rsize);
    const double bound = st == GND_OK ? 4 * n * eps * -gnd__cs_real_at(o, values, 0) : 0;
    *good = st == GND_OK && info == 0 && off[0] + off[1] <= bound &&
            gnd__cs_real_at(o, values, (size_t)n - 1) <= bound;
    for (int64_t j = 0; j < n && *good; j++)
        put_part(o, values, j, ldexp(fmax(-gnd__cs_real_at(o, values, (size_t)j), 0), e));
    if (*good)
        st = gnd__cs_up(o, d->s, values, (size_t)n * o->t->rsize);
    else if (st == GND_OK)
        st = scale(o, d, ldexp(1, e));
    gnd__cu.StreamSynchronize(o->q->s); /* `values` goes */
    free(values);
    return st;
}

gnd_status gnd__cs_polar(gnd__cs_job *o, const gnd__cs_usv *d, int *good)
{
    memory w;
    CUdeviceptr x;
    double size = 0;
    gnd__cs_job quiet = *o;
    const int most =
        o->t->rsize == 8 ? 1000 : 120; /* a power of 2 that is normal, and its inverse */
    int e;
    *good = 0;
    quiet.e = NULL;
    if (d->n < (d->vectors ? LEAST : LEAST_VALUES) || d->lda != d->m ||
        d->m * (d->full ? d->m : d->n) > INT_MAX)
        return GND_OK;
    TRY(norm(o, d->a, d->m * d->n, &size));
    if (!(size > 0 && size <= ldexp(1, most)))
        return GND_OK;
    frexp(size, &e);
    e = e > most ? most : e < -most ? -most : e;
    if (memory_for(&quiet, d, &w) != GND_OK)
        return GND_OK;              /* gesvd takes less time */
    TRY(scale(o, d, ldexp(1, -e))); /* exact */
    TRY(iterate(o, d, &w, &x));
    /* of -H, so that the values of H descend */
    TRY(product(o, CUBLAS_OP_C, d->n, d->n, d->m, -1, x, d->m, d->a, d->m, 0, w.g));
    if (!d->vectors)
        return values_alone(o, d, &w, x, e, good);
    TRY(gnd__cs_syevd(o, 1, d->n, w.g, d->s));
    char *host = malloc((size_t)d->n * (o->t->size + o->t->rsize));
    if (!host)
        return gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for %lld values",
                              (long long)d->n);
    const gnd_status st = factors(o, d, &w, e, host, good);
    if (st != GND_OK)
        gnd__cu.StreamSynchronize(o->q->s);
    free(host);
    return st;
}
