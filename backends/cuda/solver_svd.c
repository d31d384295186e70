/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver_svd.c - the singular value decomposition of one matrix, or its values alone: by polar
 * decomposition (solver_polar.c), which checks its result; small matrices, and those that fail the
 * check, by cuSOLVER's gesvd (bidiagonal form and QR iteration), 5 times as slow for 1024 x 1024 on
 * an H200, 6 times for values. cuSOLVER's gesvdj is less exact there and 3 times as slow; its
 * gesvdp, which is a polar decomposition too, takes 1.4 times as long, begins again with gesvd
 * where a matrix is singular, and gave a wrong U where that has a leading dimension of its own. A
 * tall matrix is made square by a QR decomposition first, unless all of U is wanted.
 */
#include "solver.h"

static gnd_status gesvd(gnd__cs_job *o, const gnd__cs_usv *d)
{
    struct gnd__cu_solver *v = o->v;
    const signed char ju = !d->vectors ? 'N' : d->full ? 'A' : 'S', jv = d->vectors ? 'S' : 'N';
    const cudaDataType x = o->t->data, r = o->t->real;
    size_t dev = 0, host = 0;
    CALL(gnd__cs.cusolverDnXgesvd_bufferSize(v->h, v->params, ju, jv, d->m, d->n, x, (void *)d->a,
                                             d->lda, r, (void *)d->s, x, (void *)d->u, d->ldu, x,
                                             (void *)d->vh, d->n, x, &dev, &host),
         "cusolverDnXgesvd_bufferSize");
    TRY(gnd__cs_workspace(o, dev, host));
    CALL(gnd__cs.cusolverDnXgesvd(v->h, v->params, ju, jv, d->m, d->n, x, (void *)d->a, d->lda, r,
                                  (void *)d->s, x, (void *)d->u, d->ldu, x, (void *)d->vh, d->n, x,
                                  (void *)v->work.p, dev, v->host, host, o->info),
         "cusolverDnXgesvd");
    return GND_OK;
}

static gnd_status by(gnd__cs_job *o, const gnd__cs_usv *d)
{
    int good = 0;
    TRY(gnd__cs_polar(o, d, &good));
    return good ? GND_OK : gesvd(o, d);
}

/* A = Q R; R = U' S Vh; U = Q U'. R without what is below its diagonal is its product with 1. */
static gnd_status tall(gnd__cs_job *o, const gnd__cs_usv *d)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t m = d->m, n = d->n, cols = d->full ? m : n;
    const size_t square = (size_t)(n * n) * o->t->size;
    const int t = o->t->index;
    int size = 0;
    TRY(gnd__cs_reserve(o, &v->small, 2 * square));
    const CUdeviceptr r = v->small.p, eye = r + square;
    if (d->vectors) {
        const size_t ld = (size_t)d->ldu * o->t->size;
        const CUresult cr = gnd__cu.MemsetD2D8Async(d->u, ld, 0, ld, (size_t)cols, o->q->s);
        if (cr != CUDA_SUCCESS)
            return gnd__cu_fail(o->q->dev, o->e, cr, "cuMemsetD2D8Async");
    }
    TRY(gnd__cs_reserve(o, &v->extra, (size_t)n * o->t->size));
    TRY(gnd__cs_geqrf(o, d->a, m, n, v->extra.p));
    TRY(gnd__cs_upper(o, d->a, m, n, eye, r));
    const gnd__cs_usv core = {r, d->u, d->s, d->vh, n, n, n, d->ldu, 0, d->vectors};
    TRY(by(o, &core));
    if (!d->vectors)
        return GND_OK;
    TRY(gnd__cs_ones(o, d->u, d->ldu, n, cols - n));
    CALL(gnd__cs.ormqr_size[t](v->h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, (int)m, (int)cols, (int)n,
                               (void *)d->a, (int)m, (void *)v->extra.p, (void *)d->u, (int)d->ldu,
                               &size),
         "cusolverDnormqr_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)size * o->t->size, 0));
    /* its info only concerns arguments; that of the decomposition counts */
    CALL(gnd__cs.ormqr[t](v->h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, (int)m, (int)cols, (int)n,
                          (void *)d->a, (int)m, (void *)v->extra.p, (void *)d->u, (int)d->ldu,
                          (void *)v->work.p, size, (int *)v->info.p + o->s->nbatch),
         "cusolverDnormqr");
    return GND_OK;
}

gnd_status gnd__cs_svd(gnd__cs_job *o)
{
    const int vectors = o->s->op == GND_SOLVE_SVD;
    gnd__cs_usv d = {o->mem[0], 0, o->mem[1], 0, o->s->m, o->s->n, o->s->m, o->s->m, 0, vectors};
    if (vectors) {
        d.u = o->mem[1];
        d.s = o->mem[2];
        d.vh = o->mem[3];
        d.full = (o->s->flags & 1) != 0 && d.m > d.n;
    }
    return d.m >= 2 * d.n && d.n > 32 && !d.full ? tall(o, &d) : by(o, &d);
}
