/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver_svd.c - the singular value decomposition of one matrix. cuSOLVER has three routines: gesvd
 * (bidiagonal form and QR iteration), gesvdj (one-sided Jacobi) and gesvdp (polar decomposition, then a
 * symmetric eigenproblem; Nakatsukasa and Higham, Stable and efficient spectral divide and conquer
 * algorithms, 2013). gesvd is right for every matrix and is what is taken. The others are faster for some
 * sizes, but their U was seen not to be orthogonal where singular values are 0 to rounding (a Hilbert
 * matrix of 600 x 260 on an H200): GND_CUDA_SVD chooses them, for who knows the matrices. Where gesvdp
 * says that it had to disturb the matrix by more than rounding would, gesvd does the work again. A tall
 * matrix is made square by a QR decomposition first, unless all of U is wanted.
 */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

enum { GESVD, GESVDJ, GESVDP };

/* GND_CUDA_SVD, or gesvd. */
static int choose(void)
{
    const char *is = secure_getenv("GND_CUDA_SVD");
    if (is && strcmp(is, "gesvd") == 0)
        return GESVD;
    if (is && strcmp(is, "gesvdj") == 0)
        return GESVDJ;
    if (is && strcmp(is, "gesvdp") == 0)
        return GESVDP;
    return GESVD;
}

/* a (m x n, m >= n) = u s vh. u has columns of ldu, m of them when full, else n; of vh n. u and vh are
 * 0 where only s is wanted. */
typedef struct svd {
    CUdeviceptr a, u, s, vh;
    int64_t m, n, lda, ldu;
    int full, vectors;
} svd;

static gnd_status gesvd(gnd__cs_job *o, const svd *d)
{
    struct gnd__cu_solver *v = o->v;
    const signed char ju = !d->vectors ? 'N' : d->full ? 'A' : 'S', jv = d->vectors ? 'S' : 'N';
    const cudaDataType x = o->t->data, r = o->t->real;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.cusolverDnXgesvd_bufferSize(v->h, v->params, ju, jv, d->m, d->n, x, (void *)d->a, d->lda, r,
                                             (void *)d->s, x, (void *)d->u, d->ldu, x, (void *)d->vh, d->n,
                                             x, &dev, &host), "cusolverDnXgesvd_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXgesvd(v->h, v->params, ju, jv, d->m, d->n, x, (void *)d->a, d->lda, r,
                                  (void *)d->s, x, (void *)d->u, d->ldu, x, (void *)d->vh, d->n, x,
                                  (void *)v->work.p, dev, v->host, host, o->info), "cusolverDnXgesvd");
    return GND_OK;
}

/* vh from v, which the other routines give. */
static gnd_status adjoint(gnd__cs_job *o, const svd *d, CUdeviceptr w)
{
    const int n = (int)d->n;
    if (d->vectors)
        CALL(gnd__cs.geam[o->t->index](o->v->blas, CUBLAS_OP_C, CUBLAS_OP_N, n, n, gnd__cs_one(o), (void *)w, n,
                                       gnd__cs_zero(), (void *)d->vh, n, (void *)d->vh, n), "cublasgeam");
    return GND_OK;
}

static gnd_status gesvdj(gnd__cs_job *o, const svd *d)
{
    struct gnd__cu_solver *v = o->v;
    const cusolverEigMode_t mode = d->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int t = o->t->index, m = (int)d->m, n = (int)d->n, lda = (int)d->lda, ldu = (int)d->ldu;
    int size = 0;
    TRY(gnd__cs_reserve(o, &v->scratch, (size_t)(d->n * d->n) * o->t->size));
    void *w = (void *)v->scratch.p;
    CALL(gnd__cs.svdj_size[t](v->h, mode, !d->full, m, n, (void *)d->a, lda, (void *)d->s, (void *)d->u, ldu, w,
                              n, &size, v->svdj), "cusolverDngesvdj_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)size * o->t->size, 0));
    CALL(gnd__cs.svdj[t](v->h, mode, !d->full, m, n, (void *)d->a, lda, (void *)d->s, (void *)d->u, ldu, w, n,
                         (void *)v->work.p, size, o->info, v->svdj), "cusolverDngesvdj");
    return adjoint(o, d, v->scratch.p);
}

/* The greatest singular value. */
static gnd_status greatest(gnd__cs_job *o, const svd *d, double *s)
{
    float narrow = 0;
    TRY(o->t->rsize == 8 ? gnd__cs_down(o, s, d->s, sizeof *s) : gnd__cs_down(o, &narrow, d->s, sizeof narrow));
    if (o->t->rsize == 4)
        *s = narrow;
    return GND_OK;
}

static gnd_status gesvdp(gnd__cs_job *o, const svd *d)
{
    struct gnd__cu_solver *v = o->v;
    const cusolverEigMode_t mode = d->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const cudaDataType x = o->t->data, r = o->t->real;
    const size_t square = (size_t)(d->n * d->n) * o->t->size, column = (size_t)d->m * o->t->size;
    size_t dev = 0, host = 0;
    double off = 0, s = 0;
    /* V, and A as it was */
    TRY(gnd__cs_reserve(o, &v->scratch, square + column * (size_t)d->n));
    const CUdeviceptr w = v->scratch.p, kept = w + square;
    TRY(gnd__cs_copy(o, kept, column, d->a, (size_t)d->lda * o->t->size, column, d->n));
    CALL(gnd__cs.cusolverDnXgesvdp_bufferSize(v->h, v->params, mode, !d->full, d->m, d->n, x, (void *)d->a,
                                              d->lda, r, (void *)d->s, x, (void *)d->u, d->ldu, x, (void *)w,
                                              d->n, x, &dev, &host), "cusolverDnXgesvdp_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXgesvdp(v->h, v->params, mode, !d->full, d->m, d->n, x, (void *)d->a, d->lda, r,
                                   (void *)d->s, x, (void *)d->u, d->ldu, x, (void *)w, d->n, x,
                                   (void *)v->work.p, dev, v->host, host, o->info, &off),
         "cusolverDnXgesvdp");
    TRY(greatest(o, d, &s)); /* and `off` is there */
    if (off <= (double)d->m * (o->t->rsize == 8 ? 0x1p-52 : 0x1p-23) * s)
        return adjoint(o, d, w);
    TRY(gnd__cs_copy(o, d->a, (size_t)d->lda * o->t->size, kept, column, column, d->n));
    return gesvd(o, d);
}

static gnd_status by(gnd__cs_job *o, const svd *d)
{
    switch (choose()) {
    case GESVDJ: return gesvdj(o, d);
    case GESVDP: return gesvdp(o, d);
    default: return gesvd(o, d);
    }
}

/* A = Q R; R = U' S Vh; U = Q U'. R without what is below its diagonal is its product with 1. */
static gnd_status tall(gnd__cs_job *o, const svd *d)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t m = d->m, n = d->n, cols = d->full ? m : n;
    const size_t square = (size_t)(n * n) * o->t->size;
    const int t = o->t->index;
    int size = 0;
    TRY(gnd__cs_reserve(o, &v->small, 2 * square));
    const CUdeviceptr r = v->small.p, eye = r + square;
    CUresult cr = gnd__cu.MemsetD2D8Async(eye, (size_t)n * o->t->size, 0, (size_t)n * o->t->size, (size_t)n,
                                          o->q->s);
    if (cr == CUDA_SUCCESS && d->vectors)
        cr = gnd__cu.MemsetD2D8Async(d->u, (size_t)d->ldu * o->t->size, 0, (size_t)d->ldu * o->t->size,
                                     (size_t)cols, o->q->s);
    if (cr != CUDA_SUCCESS)
        return gnd__cu_fail(o->q->dev, o->e, cr, "cuMemsetD2D8Async");
    TRY(gnd__cs_ones(o, eye, n, 0, n));
    TRY(gnd__cs_geqrf(o, d->a, m, n));
    CALL(gnd__cs.trmm[t](v->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                         (int)n, (int)n, gnd__cs_one(o), (void *)d->a, (int)m, (void *)eye, (int)n, (void *)r,
                         (int)n), "cublastrmm");
    const svd core = { r, d->u, d->s, d->vh, n, n, n, d->ldu, 0, d->vectors };
    TRY(by(o, &core));
    if (!d->vectors)
        return GND_OK;
    TRY(gnd__cs_ones(o, d->u, d->ldu, n, cols - n));
    CALL(gnd__cs.ormqr_size[t](v->h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, (int)m, (int)cols, (int)n, (void *)d->a,
                               (int)m, (void *)v->extra.p, (void *)d->u, (int)d->ldu, &size),
         "cusolverDnormqr_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)size * o->t->size, 0));
    /* its info would only speak of arguments, and the decomposition's is what counts */
    CALL(gnd__cs.ormqr[t](v->h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, (int)m, (int)cols, (int)n, (void *)d->a, (int)m,
                          (void *)v->extra.p, (void *)d->u, (int)d->ldu, (void *)v->work.p, size,
                          (int *)v->info.p + o->s->nbatch), "cusolverDnormqr");
    return GND_OK;
}

gnd_status gnd__cs_svd(gnd__cs_job *o)
{
    const int vectors = o->s->op == GND_SOLVE_SVD;
    svd d = { o->mem[0], 0, o->mem[1], 0, o->s->m, o->s->n, o->s->m, o->s->m, 0, vectors };
    if (vectors) {
        d.u = o->mem[1];
        d.s = o->mem[2];
        d.vh = o->mem[3];
        d.full = (o->s->flags & 1) != 0 && d.m > d.n;
    }
    return d.m >= 2 * d.n && d.n > 32 && !d.full ? tall(o, &d) : by(o, &d);
}
