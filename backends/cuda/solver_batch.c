/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver_batch.c - many small matrices at once: the batched routines of cuSOLVER and cuBLAS,
 * which take a table of addresses or consecutive matrices; and triangular systems of any number.
 */
#include "solver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define P(i) ((void *)o->mem[i])

/* The largest orders for which a batched routine is used, given enough matrices to fill the device
 * with one work-group each. Jacobi's routines accept no larger ones. */
enum { MOST = 256, MOST_JACOBI = 32, MOST_TRSM = 128 };

int gnd__cs_is_batch(const gnd_solve_desc *s)
{
    if (s->op == GND_SOLVE_TRIANGULAR)
        return 1; /* each way */
    if (s->nbatch < 2)
        return 0;
    const int small = s->m <= MOST && s->n <= MOST && s->n <= 32 * s->nbatch;
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY: return small;
    case GND_SOLVE_LU: return small && s->m == s->n;
    case GND_SOLVE_INV: return small;
    case GND_SOLVE_SOLVE: return small && s->k <= INT_MAX / 2;
    case GND_SOLVE_QR: return small;
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS: return s->m <= MOST_JACOBI && s->n <= MOST_JACOBI && s->n > 1;
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH:
        return gnd__cs.syevs && gnd__cs.syevs_size ? small : s->n <= MOST_JACOBI;
    default: return 0;
    }
}

/* How many matrices a call of the library gets: cusolverDnXsyevBatched fails for more than 2^15 or
 * so, which no document says, and Jacobi's routines count their room in an int. The others get as
 * many as they were tried with. */
int64_t gnd__cs_at_once(const gnd_solve_desc *s)
{
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH: return 1 << 14;
    default: return 1 << 16;
    }
}

/* The addresses of every matrix of n operands, step bytes apart, on the device: table i of them in
 * at[i]. */
static gnd_status tables(gnd__cs_job *o, int n, const CUdeviceptr *first, const size_t *step,
                         gnd__cs_ptr **at)
{
    const size_t nb = (size_t)o->s->nbatch, bytes = (size_t)n * nb * sizeof(CUdeviceptr);
    CUdeviceptr *p = malloc(bytes);
    gnd_status st =
        p ? gnd__cs_reserve(o, &o->v->ptrs, bytes)
          : gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for %zu addresses", nb);
    for (int i = 0; i < n && st == GND_OK; i++) {
        for (size_t b = 0; b < nb; b++)
            p[(size_t)i * nb + b] = first[i] + b * step[i];
        at[i] = (gnd__cs_ptr *)(o->v->ptrs.p + (size_t)i * nb * sizeof(CUdeviceptr));
    }
    if (st == GND_OK)
        st = gnd__cs_up(o, o->v->ptrs.p, p, bytes);
    if (st == GND_OK)
        st = gnd__cs_wait(o); /* the host's table goes */
    free(p);
    return st;
}

/* Table i of operand i. */
static gnd_status operand_tables(gnd__cs_job *o, int n, gnd__cs_ptr **at)
{
    size_t step[GND_SOLVE_MEMS];
    for (int i = 0; i < n; i++)
        step[i] = gnd__cs_step(o->s, o->t, i);
    return tables(o, n, o->mem, step, at);
}

static gnd_status no_info(gnd__cs_job *o)
{
    const CUresult r = gnd__cu.MemsetD2D8Async((CUdeviceptr)o->info, sizeof(int), 0, sizeof(int),
                                               (size_t)o->s->nbatch, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemsetD2D8Async");
}

static gnd_status cholesky(gnd__cs_job *o)
{
    gnd__cs_ptr *a[1];
    const int n = (int)o->s->n;
    TRY(operand_tables(o, 1, a));
    CALL(gnd__cs.potrfs[o->t->index](o->v->h, CUBLAS_FILL_MODE_LOWER, n, a[0], n, o->info,
                                     (int)o->s->nbatch),
         "cusolverDnpotrfBatched");
    return GND_OK;
}

static gnd_status lu(gnd__cs_job *o)
{
    gnd__cs_ptr *a[1];
    const int n = (int)o->s->n;
    TRY(operand_tables(o, 1, a));
    CALL(gnd__cs.getrfs[o->t->index](o->v->blas, n, a[0], n, (int *)P(1), o->info,
                                     (int)o->s->nbatch),
         "cublasgetrfBatched");
    return GND_OK;
}

static gnd_status solve(gnd__cs_job *o)
{
    gnd__cs_ptr *at[2];
    const int n = (int)o->s->n, nb = (int)o->s->nbatch;
    int wrong = 0;
    TRY(gnd__cs_reserve(o, &o->v->extra, (size_t)n * (size_t)nb * sizeof(int)));
    int *pivots = (int *)o->v->extra.p;
    TRY(operand_tables(o, 2, at));
    CALL(gnd__cs.getrfs[o->t->index](o->v->blas, n, at[0], n, pivots, o->info, nb),
         "cublasgetrfBatched");
    CALL(gnd__cs.getrss[o->t->index](o->v->blas, CUBLAS_OP_N, n, (int)o->s->k, at[0], n, pivots,
                                     at[1], n, &wrong, nb),
         "cublasgetrsBatched");
    if (wrong)
        return gnd__plug_fail(o->e, GND_ERR_INTERNAL, wrong,
                              "cublasgetrsBatched: argument %d is wrong", -wrong);
    return GND_OK;
}

/* The reflectors at once, then every Q: for these there is no batched routine. */
static gnd_status qr(gnd__cs_job *o)
{
    const int64_t m = o->s->m, n = o->s->n, q = m < n ? m : n, rows = o->s->flags & 1 ? m : q,
                  nb = o->s->nbatch;
    const size_t size = o->t->size;
    gnd__cs_ptr *at[2];
    int wrong = 0;
    TRY(gnd__cs_reserve(o, &o->v->extra, (size_t)(q * nb) * size));
    const CUdeviceptr first[2] = {o->mem[0], o->v->extra.p};
    const size_t step[2] = {gnd__cs_step(o->s, o->t, 0), (size_t)q * size};
    TRY(tables(o, 2, first, step, at));
    CALL(gnd__cs.geqrfs[o->t->index](o->v->blas, (int)m, (int)n, at[0], (int)m, at[1], &wrong,
                                     (int)nb),
         "cublasgeqrfBatched");
    if (wrong)
        return gnd__plug_fail(o->e, GND_ERR_INTERNAL, wrong,
                              "cublasgeqrfBatched: argument %d is wrong", -wrong);
    for (int64_t b = 0; b < nb; b++)
        TRY(gnd__cs_copy(o, o->mem[1] + (size_t)(b * rows * n) * size, (size_t)rows * size,
                         first[0] + (size_t)b * step[0], (size_t)m * size, (size_t)q * size, n));
    for (int64_t b = 0; b < nb; b++)
        TRY(gnd__cs_orgqr(o, first[0] + (size_t)b * step[0], first[1] + (size_t)b * step[1], m,
                          rows, q));
    return no_info(o);
}

static gnd_status svd(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    const int vectors = o->s->op == GND_SOLVE_SVD, full = (o->s->flags & 1) != 0;
    const int t = o->t->index, m = (int)o->s->m, n = (int)o->s->n, nb = (int)o->s->nbatch;
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const size_t size = o->t->size, left = (size_t)(m * m) * size, right = (size_t)(n * n) * size;
    int work = 0;
    /* V, the square U, and a 1 to transpose V with */
    TRY(gnd__cs_reserve(o, &v->scratch, (left + right) * (size_t)nb + right));
    const CUdeviceptr vs = v->scratch.p, us = vs + right * (size_t)nb, eye = us + left * (size_t)nb;
    const CUdeviceptr u = vectors && (full || m == n) ? o->mem[1] : us, s = o->mem[vectors ? 2 : 1];
    CALL(gnd__cs.svdjs_size[t](v->h, mode, m, n, P(0), m, (void *)s, (void *)u, m, (void *)vs, n,
                               &work, v->svdj, nb),
         "cusolverDngesvdjBatched_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)work * size, 0));
    CALL(gnd__cs.svdjs[t](v->h, mode, m, n, P(0), m, (void *)s, (void *)u, m, (void *)vs, n,
                          (void *)v->work.p, work, o->info, v->svdj, nb),
         "cusolverDngesvdjBatched");
    if (!vectors)
        return GND_OK;
    if (u == us)
        TRY(gnd__cs_copy(o, o->mem[1], (size_t)(m * n) * size, us, left, (size_t)(m * n) * size,
                         nb));
    const CUresult r = gnd__cu.MemsetD2D8Async(eye, right, 0, right, 1, o->q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(o->q->dev, o->e, r, "cuMemsetD2D8Async");
    TRY(gnd__cs_ones(o, eye, n, 0, n));
    CALL(gnd__cs.gemms[t](v->blas, CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, gnd__cs_one(o), (void *)vs, n,
                          (long long)n * n, (void *)eye, n, 0, gnd__cs_zero(), P(3), n,
                          (long long)n * n, nb),
         "cublasgemmStridedBatched");
    return GND_OK;
}

static gnd_status eigh(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    const cusolverEigMode_t mode =
        o->s->op == GND_SOLVE_EIGH ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    const int64_t n = o->s->n, nb = o->s->nbatch;
    const int t = o->t->index, in = (int)n;
    size_t dev = 0, host = 0;
    int work = 0;
    if (gnd__cs.syevs && gnd__cs.syevs_size) {
        CALL(gnd__cs.syevs_size(v->h, v->params, mode, low, n, o->t->data, P(0), n, o->t->real,
                                P(1), o->t->data, &dev, &host, nb),
             "cusolverDnXsyevBatched_bufferSize");
        TRY(gnd__cs_workspace(o, dev, host));
        CALL(gnd__cs.syevs(v->h, v->params, mode, low, n, o->t->data, P(0), n, o->t->real, P(1),
                           o->t->data, (void *)v->work.p, dev, v->host, host, o->info, nb),
             "cusolverDnXsyevBatched");
        return GND_OK;
    }
    CALL(gnd__cs.syevjs_size[t](v->h, mode, low, in, P(0), in, P(1), &work, v->syevj, (int)nb),
         "cusolverDnsyevjBatched_bufferSize");
    TRY(gnd__cs_workspace(o, (size_t)work * o->t->size, 0));
    CALL(gnd__cs.syevjs[t](v->h, mode, low, in, P(0), in, P(1), (void *)v->work.p, work, o->info,
                           v->syevj, (int)nb),
         "cusolverDnsyevjBatched");
    return GND_OK;
}

/* --- triangular systems ----------------------------------------------------------------------- */

/* Sets info to the first 0 of each diagonal, which trsm would divide by. The diagonals are packed
 * on the device, except of small matrices, which come as they are. */
static gnd_status diagonals(gnd__cs_job *o)
{
    static const char zero[16];
    const size_t n = (size_t)o->s->n, nb = (size_t)o->s->nbatch, size = o->t->size;
    const int whole = n <= 64 && nb > 1;
    const size_t bytes = (whole ? n * n : n) * nb * size, next = (whole ? n + 1 : 1) * size,
                 one = bytes / nb;
    char *host = malloc(bytes);
    int *info = calloc(nb, sizeof *info);
    gnd_status st = host && info
                        ? GND_OK
                        : gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for diagonals");
    if (st == GND_OK && !whole) {
        st = gnd__cs_reserve(o, &o->v->scratch, bytes);
        for (size_t b = 0; b < nb && st == GND_OK; b++)
            st = gnd__cs_copy(o, o->v->scratch.p + b * one, size, o->mem[0] + b * n * n * size,
                              (n + 1) * size, size, (int64_t)n);
    }
    if (st == GND_OK)
        st = gnd__cs_down(o, host, whole ? o->mem[0] : o->v->scratch.p, bytes);
    for (size_t b = 0; b < nb && st == GND_OK; b++)
        for (size_t i = 0; i < n && !info[b]; i++) {
            char v[16];
            memcpy(v, host + b * one + i * next, size);
            for (size_t half = o->t->rsize; half <= size; half += o->t->rsize)
                v[half - 1] &= 0x7f; /* -0 is 0 */
            info[b] = memcmp(v, zero, size) == 0 ? (int)i + 1 : 0;
        }
    if (st == GND_OK)
        st = gnd__cs_up(o, (CUdeviceptr)o->info, info, nb * sizeof *info);
    if (st == GND_OK)
        st = gnd__cs_wait(o);
    free(host);
    free(info);
    return st;
}

static gnd_status triangular(gnd__cs_job *o)
{
    const uint32_t f = o->s->flags;
    const cublasFillMode_t fill =
        f & GND_TRI_UPPER ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t op = f & GND_TRI_CONJ    ? CUBLAS_OP_C
                                 : f & GND_TRI_TRANS ? CUBLAS_OP_T
                                                     : CUBLAS_OP_N;
    const cublasDiagType_t diag = f & GND_TRI_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    const int t = o->t->index, n = (int)o->s->n, k = (int)o->s->k;
    gnd__cs_ptr *at[2];
    TRY(f & (GND_TRI_UNIT | GND_TRI_ANY) ? no_info(o) : diagonals(o));
    if (o->s->nbatch > 1 && n <= MOST_TRSM) {
        TRY(operand_tables(o, 2, at));
        CALL(gnd__cs.trsms[t](o->v->blas, CUBLAS_SIDE_LEFT, fill, op, diag, n, k, gnd__cs_one(o),
                              at[0], n, at[1], n, (int)o->s->nbatch),
             "cublastrsmBatched");
        return GND_OK;
    }
    for (int64_t b = 0; b < o->s->nbatch; b++)
        CALL(gnd__cs.trsm[t](o->v->blas, CUBLAS_SIDE_LEFT, fill, op, diag, n, k, gnd__cs_one(o),
                             (void *)(o->mem[0] + (size_t)b * gnd__cs_step(o->s, o->t, 0)), n,
                             (void *)(o->mem[1] + (size_t)b * gnd__cs_step(o->s, o->t, 1)), n),
             "cublastrsm");
    return GND_OK;
}

gnd_status gnd__cs_batch(gnd__cs_job *o)
{
    switch ((gnd_solve_op)o->s->op) {
    case GND_SOLVE_CHOLESKY: return cholesky(o);
    case GND_SOLVE_LU: return lu(o);
    case GND_SOLVE_SOLVE: return solve(o);
    case GND_SOLVE_QR: return qr(o);
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS: return svd(o);
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH: return eigh(o);
    case GND_SOLVE_TRIANGULAR: return triangular(o);
    default: return gnd__plug_fail(o->e, GND_ERR_UNSUPPORTED, 0, "solve: operation %u", o->s->op);
    }
}
