/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver_dense.c - one matrix: Cholesky, LU, systems, QR and eigenproblems, by cuSOLVER's
 * routines with 64-bit sizes if they exist.
 */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#define P(i) ((void *)o->mem[i])

gnd_status gnd__cs_ones(gnd__cs_job *o, CUdeviceptr a, int64_t ld, int64_t first, int64_t count)
{
    /* the upper half of a float64 1 is 0x3ff00000, the lower half 0; the imaginary part is also 0
     */
    if (count == 0)
        return GND_OK;
    const CUdeviceptr at =
        a + (size_t)(first * ld + first) * o->t->size + (o->t->rsize == 8 ? 4 : 0);
    const CUresult r = gnd__cu.MemsetD2D32Async(at, (size_t)(ld + 1) * o->t->size,
                                                o->t->rsize == 8 ? 0x3ff00000u : 0x3f800000u, 1,
                                                (size_t)count, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemsetD2D32Async");
}

const void *gnd__cs_one(const gnd__cs_job *o)
{
    static const float one[2] = {1, 0};
    static const double wide[2] = {1, 0};
    return o->t->rsize == 4 ? (const void *)one : wide;
}

const void *gnd__cs_zero(void)
{
    static const double zero[2] = {0, 0};
    return zero;
}

gnd_status gnd__cs_cholesky(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t n = o->s->n;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.cusolverDnXpotrf_bufferSize(v->h, v->params, CUBLAS_FILL_MODE_LOWER, n, o->t->data,
                                             P(0), n, o->t->data, &dev, &host),
         "cusolverDnXpotrf_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXpotrf(v->h, v->params, CUBLAS_FILL_MODE_LOWER, n, o->t->data, P(0), n,
                                  o->t->data, (void *)v->work.p, dev, v->host, host, o->info),
         "cusolverDnXpotrf");
    return GND_OK;
}

/* Factors A into L and U; the pivots (int64) go to v->extra. */
static gnd_status factor(gnd__cs_job *o, int64_t m, int64_t n)
{
    struct gnd__cu_solver *v = o->v;
    size_t dev = 0, host = 0;
    TRY(gnd__cs_reserve(o, &v->extra, (size_t)(m < n ? m : n) * sizeof(int64_t)));
    CALL(gnd__cs.cusolverDnXgetrf_bufferSize(v->h, v->params, m, n, o->t->data, P(0), m, o->t->data,
                                             &dev, &host),
         "cusolverDnXgetrf_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXgetrf(v->h, v->params, m, n, o->t->data, P(0), m, (int64_t *)v->extra.p,
                                  o->t->data, (void *)v->work.p, dev, v->host, host, o->info),
         "cusolverDnXgetrf");
    return GND_OK;
}

/* The pivots as int32: the lower halves of little-endian numbers. */
static gnd_status narrow(gnd__cs_job *o, CUdeviceptr to, int64_t count)
{
    return gnd__cs_copy(o, to, sizeof(int32_t), o->v->extra.p, sizeof(int64_t), sizeof(int32_t),
                        count);
}

gnd_status gnd__cs_lu(gnd__cs_job *o)
{
    TRY(factor(o, o->s->m, o->s->n));
    return narrow(o, o->mem[1], o->s->m < o->s->n ? o->s->m : o->s->n);
}

gnd_status gnd__cs_solve(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t n = o->s->n, k = o->s->k;
    TRY(factor(o, n, n));
    /* its info only concerns arguments; that of the factorisation counts */
    CALL(gnd__cs.cusolverDnXgetrs(v->h, v->params, CUBLAS_OP_N, n, k, o->t->data, P(0), n,
                                  (int64_t *)v->extra.p, o->t->data, P(1), n, o->spare),
         "cusolverDnXgetrs");
    return GND_OK;
}

gnd_status gnd__cs_inv(gnd__cs_job *o)
{
    const int64_t n = o->s->n;
    const size_t column = (size_t)n * o->t->size;
    const int t = o->t->index, in = (int)n;
    TRY(factor(o, n, n));
    const CUresult r = gnd__cu.MemsetD2D8Async(o->mem[1], column, 0, column, (size_t)n, o->q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(o->q->dev, o->e, r, "cuMemsetD2D8Async");
    TRY(gnd__cs_ones(o, o->mem[1], n, 0, n));
    CALL(gnd__cs.trsm[t](o->v->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                         CUBLAS_DIAG_UNIT, in, in, gnd__cs_one(o), P(0), in, P(1), in),
         "cublastrsm");
    CALL(gnd__cs.trsm[t](o->v->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                         CUBLAS_DIAG_NON_UNIT, in, in, gnd__cs_one(o), P(0), in, P(1), in),
         "cublastrsm");
    return narrow(o, o->mem[2], n);
}

gnd_status gnd__cs_geqrf(gnd__cs_job *o, CUdeviceptr a, int64_t m, int64_t n, CUdeviceptr tau)
{
    struct gnd__cu_solver *v = o->v;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.cusolverDnXgeqrf_bufferSize(v->h, v->params, m, n, o->t->data, (void *)a, m,
                                             o->t->data, (void *)tau, o->t->data, &dev, &host),
         "cusolverDnXgeqrf_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXgeqrf(v->h, v->params, m, n, o->t->data, (void *)a, m, o->t->data,
                                  (void *)tau, o->t->data, (void *)v->work.p, dev, v->host, host,
                                  o->info),
         "cusolverDnXgeqrf");
    return GND_OK;
}

gnd_status gnd__cs_orgqr(gnd__cs_job *o, CUdeviceptr a, CUdeviceptr tau, int64_t m, int64_t cols,
                         int64_t q)
{
    struct gnd__cu_solver *v = o->v;
    const int t = o->t->index;
    int n = 0;
    CALL(gnd__cs.orgqr_size[t](v->h, (int)m, (int)cols, (int)q, (void *)a, (int)m, (void *)tau, &n),
         "cusolverDnorgqr_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)n * o->t->size, 0));
    CALL(gnd__cs.orgqr[t](v->h, (int)m, (int)cols, (int)q, (void *)a, (int)m, (void *)tau,
                          (void *)v->work.p, n, o->info),
         "cusolverDnorgqr");
    return GND_OK;
}

gnd_status gnd__cs_qr(gnd__cs_job *o)
{
    const int64_t m = o->s->m, n = o->s->n, q = m < n ? m : n;
    const int64_t rows = o->s->flags & 1 ? m : q;
    if (o->s->flags & 2)
        return gnd__cs_geqrf(o, o->mem[0], m, n, o->mem[1]);
    TRY(gnd__cs_reserve(o, &o->v->extra, (size_t)q * o->t->size));
    TRY(gnd__cs_geqrf(o, o->mem[0], m, n, o->v->extra.p));
    TRY(gnd__cs_copy(o, o->mem[1], (size_t)rows * o->t->size, o->mem[0], (size_t)m * o->t->size,
                     (size_t)q * o->t->size, n));
    return gnd__cs_orgqr(o, o->mem[0], o->v->extra.p, m, rows, q);
}

gnd_status gnd__cs_q(gnd__cs_job *o)
{
    const int64_t m = o->s->m, n = o->s->n;
    return gnd__cs_orgqr(o, o->mem[0], o->mem[1], m, o->s->flags & 1 ? m : n, n);
}

gnd_status gnd__cs_syevd(gnd__cs_job *o, int vectors, int64_t n, CUdeviceptr a, CUdeviceptr w)
{
    struct gnd__cu_solver *v = o->v;
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.cusolverDnXsyevd_bufferSize(v->h, v->params, mode, CUBLAS_FILL_MODE_LOWER, n,
                                             o->t->data, (void *)a, n, o->t->real, (void *)w,
                                             o->t->data, &dev, &host),
         "cusolverDnXsyevd_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXsyevd(v->h, v->params, mode, CUBLAS_FILL_MODE_LOWER, n, o->t->data,
                                  (void *)a, n, o->t->real, (void *)w, o->t->data,
                                  (void *)v->work.p, dev, v->host, host, o->info),
         "cusolverDnXsyevd");
    return GND_OK;
}

gnd_status gnd__cs_eigh(gnd__cs_job *o)
{
    return gnd__cs_syevd(o, o->s->op == GND_SOLVE_EIGH, o->s->n, o->mem[0], o->mem[1]);
}

/* --- general eigenproblems -------------------------------------------------------------------- */

static gnd_status geev(gnd__cs_job *o, cudaDataType vector, void *w, void *vectors)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t n = o->s->n;
    const cusolverEigMode_t right =
        o->s->op == GND_SOLVE_EIG ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.geev_size(v->h, v->params, CUSOLVER_EIG_MODE_NOVECTOR, right, n, o->t->data, P(0),
                           n, vector, w, vector, NULL, 1, vector, vectors, n, o->t->data, &dev,
                           &host),
         "cusolverDnXgeev_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.geev(v->h, v->params, CUSOLVER_EIG_MODE_NOVECTOR, right, n, o->t->data, P(0), n,
                      vector, w, vector, NULL, 1, vector, vectors, n, o->t->data, (void *)v->work.p,
                      dev, v->host, host, o->info),
         "cusolverDnXgeev");
    return GND_OK;
}

double gnd__cs_real_at(const gnd__cs_job *o, const char *p, size_t i)
{
    double wide;
    float narrow;
    if (o->t->rsize == 8) {
        memcpy(&wide, p + 8 * i, sizeof wide);
        return wide;
    }
    memcpy(&narrow, p + 4 * i, sizeof narrow);
    return narrow;
}

/* Complex element i from two doubles. */
static void put_complex(const gnd__cs_job *o, char *p, size_t i, double re, double im)
{
    const double wide[2] = {re, im};
    const float narrow[2] = {(float)re, (float)im};
    if (o->t->rsize == 8)
        memcpy(p + 16 * i, wide, sizeof wide);
    else
        memcpy(p + 8 * i, narrow, sizeof narrow);
}

/* A real matrix: n real parts and n imaginary parts of eigenvalues, and vectors of which a
 * conjugate pair has the parts of both in two columns, as LAPACK's. They are combined on the host,
 * which takes little time compared with the iteration. */
static gnd_status real_eig(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    const size_t n = (size_t)o->s->n, r = o->t->rsize,
                 vectors = o->s->op == GND_SOLVE_EIG ? n * n : 0;
    int bad = 0;
    TRY(gnd__cs_reserve(o, &v->extra, 2 * n * r));
    TRY(gnd__cs_reserve(o, &v->scratch, n * n * r));
    TRY(geev(o, o->t->real, (void *)v->extra.p, (void *)v->scratch.p));
    TRY(gnd__cs_down(o, &bad, (CUdeviceptr)o->info, sizeof bad));
    if (bad)
        return GND_OK; /* the caller says so */
    char *w = malloc(2 * n * r + vectors * r), *x = w + 2 * n * r,
         *out = malloc((n + vectors) * 2 * r);
    gnd_status st =
        w && out ? GND_OK : gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for vectors");
    if (st == GND_OK)
        st = gnd__cs_down(o, w, v->extra.p, 2 * n * r);
    if (st == GND_OK && vectors)
        st = gnd__cs_down(o, x, v->scratch.p, vectors * r);
    for (size_t j = 0; j < n && st == GND_OK; j++)
        put_complex(o, out, j, gnd__cs_real_at(o, w, j), gnd__cs_real_at(o, w, n + j));
    for (size_t j = 0; j < n && st == GND_OK && vectors; j++) {
        const int pair = gnd__cs_real_at(o, w, n + j) != 0 && j + 1 < n;
        for (size_t i = 0; i < n; i++) {
            const double re = gnd__cs_real_at(o, x, j * n + i),
                         im = pair ? gnd__cs_real_at(o, x, (j + 1) * n + i) : 0;
            put_complex(o, out, n + j * n + i, re, im);
            if (pair)
                put_complex(o, out, n + (j + 1) * n + i, re, -im);
        }
        j += (size_t)pair;
    }
    if (st == GND_OK)
        st = gnd__cs_up(o, o->mem[1], out, n * 2 * r);
    if (st == GND_OK && vectors)
        st = gnd__cs_up(o, o->mem[2], out + n * 2 * r, vectors * 2 * r);
    if (st == GND_OK)
        st = gnd__cs_wait(o);
    free(w);
    free(out);
    return st;
}

gnd_status gnd__cs_eig(gnd__cs_job *o)
{
    return o->t->size == o->t->rsize ? real_eig(o) : geev(o, o->t->data, P(1), P(2));
}
