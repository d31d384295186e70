/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver.c - the solver group: cuSOLVER's dense routines, loaded at the first call, for Cholesky,
 * LU, linear systems, QR, SVD and the symmetric eigenproblem. What it does not take (general
 * eigenproblems, triangular systems, least squares) the core gives to LAPACK. A batch is a loop of
 * calls into one stream; each matrix has its own `info`, all of which are read at the end.
 */
#include "cu.h"

#include <cusolverDn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS(X)                                                                                 \
    X(cusolverGetVersion)                                                                          \
    X(cusolverDnCreate)                                                                            \
    X(cusolverDnDestroy)                                                                           \
    X(cusolverDnSetStream)                                                                         \
    X(cusolverDnCreateParams)                                                                      \
    X(cusolverDnDestroyParams)                                                                     \
    X(cusolverDnXpotrf_bufferSize)                                                                 \
    X(cusolverDnXpotrf)                                                                            \
    X(cusolverDnXgetrf_bufferSize)                                                                 \
    X(cusolverDnXgetrf)                                                                            \
    X(cusolverDnXgetrs)                                                                            \
    X(cusolverDnXgeqrf_bufferSize)                                                                 \
    X(cusolverDnXgeqrf)                                                                            \
    X(cusolverDnSorgqr_bufferSize)                                                                 \
    X(cusolverDnSorgqr)                                                                            \
    X(cusolverDnDorgqr_bufferSize)                                                                 \
    X(cusolverDnDorgqr)                                                                            \
    X(cusolverDnCungqr_bufferSize)                                                                 \
    X(cusolverDnCungqr)                                                                            \
    X(cusolverDnZungqr_bufferSize)                                                                 \
    X(cusolverDnZungqr)                                                                            \
    X(cusolverDnXsyevd_bufferSize)                                                                 \
    X(cusolverDnXsyevd)                                                                            \
    X(cusolverDnXgesvd_bufferSize)                                                                 \
    X(cusolverDnXgesvd)

static struct {
#define X(name) __typeof__(name) *name;
    SYMBOLS(X)
#undef X
} cs;
static const char stem[] = "libcusolver.so";
static const char *const versions[] = {"13:12", "12:11", "11:11", NULL};
static int tried, loaded;
static char text_[400];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct gnd__cu_solver {
    cusolverDnHandle_t h;
    cusolverDnParams_t params;
    CUdeviceptr work, extra, info;  /* workspace; taus or pivots; one int for each matrix, one more */
    size_t nwork, nextra, ninfo;    /* bytes */
    void *host;
    size_t nhost;
};

static const struct type {
    uint32_t dtype;
    cudaDataType data, real;
    size_t size;
} types[] = {
    {GND_FLOAT32, CUDA_R_32F, CUDA_R_32F, 4},
    {GND_FLOAT64, CUDA_R_64F, CUDA_R_64F, 8},
    {GND_COMPLEX64, CUDA_C_32F, CUDA_R_32F, 8},
    {GND_COMPLEX128, CUDA_C_64F, CUDA_R_64F, 16},
};

static const struct type *type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

static int load(void)
{
    const gnd__plug_sym syms[] = {
#define X(name) {#name, (void **)&cs.name, 0},
        SYMBOLS(X)
#undef X
    };
    char found[512], why[400];
    int v = 0;
    pthread_mutex_lock(&lock);
    if (!tried) {
        loaded = gnd__cu_load(stem, versions, syms, sizeof syms / sizeof *syms, found,
                              sizeof found, why, sizeof why);
        if (loaded) {
            cs.cusolverGetVersion(&v); /* 12001: 12.0.1 */
            snprintf(text_, sizeof text_, "cuSOLVER %d.%d.%d (%.300s)", v / 1000, v / 100 % 10,
                     v % 100, found);
        } else {
            snprintf(text_, sizeof text_, "%.390s", why);
        }
        tried = 1;
    }
    pthread_mutex_unlock(&lock);
    return loaded;
}

static gnd_status fail(gnd_queue *q, gnd_err *e, cusolverStatus_t r, const char *what)
{
    /* a fault of earlier work is the driver's to name */
    const CUresult cr = gnd__cu.StreamSynchronize(q->s);
    if (cr != CUDA_SUCCESS)
        return gnd__cu_fail(q->dev, e, cr, "%s", what);
    return gnd__plug_fail(e, r == CUSOLVER_STATUS_ALLOC_FAILED ? GND_ERR_DEVMEM : GND_ERR_BACKEND,
                          (int)r, "%s: cuSOLVER's status %d", what, (int)r);
}

static gnd_status solver_supports(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d;
    *yes = 0;
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
    case GND_SOLVE_LU:
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_QR:
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH:
        break;
    default:
        return GND_OK;
    }
    if (!type_of(s->dtype))
        return GND_OK;
    if (!load())
        gnd__plug_fail(e, GND_OK, 0, "no cuSOLVER: %s", text_);
    else
        *yes = 1;
    return GND_OK;
}

/* At least n bytes of device memory in *p. What it replaces may still be in use: wait. */
static gnd_status reserve(gnd_queue *q, CUdeviceptr *p, size_t *have, size_t n, gnd_err *e)
{
    CUresult r;
    if (n <= *have)
        return GND_OK;
    if (*p) {
        if ((r = gnd__cu.StreamSynchronize(q->s)) != CUDA_SUCCESS)
            return gnd__cu_fail(q->dev, e, r, "cuStreamSynchronize");
        gnd__cu.MemFree(*p);
    }
    *p = 0;
    *have = 0;
    if ((r = gnd__cu.MemAlloc(p, n)) != CUDA_SUCCESS) {
        *p = 0;
        return gnd__cu_fail(q->dev, e, r, "no room for %zu bytes to work in: cuMemAlloc", n);
    }
    *have = n;
    return GND_OK;
}

static gnd_status workspace(gnd_queue *q, size_t device, size_t host, gnd_err *e)
{
    struct gnd__cu_solver *v = q->dev->solver;
    if (host > v->nhost) {
        void *p = realloc(v->host, host);
        if (!p)
            return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "no room for %zu bytes to work in", host);
        v->host = p;
        v->nhost = host;
    }
    return reserve(q, &v->work, &v->nwork, device, e);
}

static gnd_status get_ready(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e)
{
    gnd_dev *d = q->dev;
    const gnd_status st = gnd__cu_enter(d, e);
    cusolverStatus_t r;
    if (st != GND_OK)
        return st;
    if (!d->solver) {
        struct gnd__cu_solver *v = calloc(1, sizeof *v);
        if (!v)
            return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for cuSOLVER");
        r = cs.cusolverDnCreate(&v->h);
        if (r == CUSOLVER_STATUS_SUCCESS && (r = cs.cusolverDnCreateParams(&v->params)) != 0)
            cs.cusolverDnDestroy(v->h);
        if (r != CUSOLVER_STATUS_SUCCESS) {
            free(v);
            return fail(q, e, r, "cusolverDnCreate");
        }
        d->solver = v;
    }
    if ((r = cs.cusolverDnSetStream(d->solver->h, q->s)) != CUSOLVER_STATUS_SUCCESS)
        return fail(q, e, r, "cusolverDnSetStream");
    return reserve(q, &d->solver->info, &d->solver->ninfo, (size_t)(s->nbatch + 1) * sizeof(int), e);
}

/* What one matrix of a batch works on. */
typedef struct one {
    gnd_queue *q;
    const gnd_solve_desc *s;
    const struct type *t;
    struct gnd__cu_solver *v;
    CUdeviceptr mem[GND_SOLVE_MEMS];
    int *info;
    gnd_err *e;
} one;

#define CALL(what, ...)                                                                            \
    do {                                                                                           \
        const cusolverStatus_t r_ = cs.what(__VA_ARGS__);                                          \
        if (r_ != CUSOLVER_STATUS_SUCCESS)                                                         \
            return fail(o->q, o->e, r_, #what);                                                    \
    } while (0)
#define ROOM(device, host)                                                                         \
    do {                                                                                           \
        const gnd_status s_ = workspace(o->q, device, host, o->e);                                 \
        if (s_ != GND_OK)                                                                          \
            return s_;                                                                             \
    } while (0)
#define P(i) ((void *)o->mem[i])

static gnd_status do_cholesky(one *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t n = o->s->n;
    size_t dev = 0, host = 0;
    CALL(cusolverDnXpotrf_bufferSize, v->h, v->params, CUBLAS_FILL_MODE_LOWER, n, o->t->data, P(0), n,
         o->t->data, &dev, &host);
    ROOM(dev, host);
    CALL(cusolverDnXpotrf, v->h, v->params, CUBLAS_FILL_MODE_LOWER, n, o->t->data, P(0), n, o->t->data,
         (void *)v->work, dev, v->host, host, o->info);
    return GND_OK;
}

/* A to L and U, the pivots (int64) to v->extra. */
static gnd_status factor(one *o, int64_t m, int64_t n)
{
    struct gnd__cu_solver *v = o->v;
    size_t dev = 0, host = 0;
    const gnd_status st =
        reserve(o->q, &v->extra, &v->nextra, (size_t)(m < n ? m : n) * sizeof(int64_t), o->e);
    if (st != GND_OK)
        return st;
    CALL(cusolverDnXgetrf_bufferSize, v->h, v->params, m, n, o->t->data, P(0), m, o->t->data, &dev,
         &host);
    ROOM(dev, host);
    CALL(cusolverDnXgetrf, v->h, v->params, m, n, o->t->data, P(0), m, (int64_t *)v->extra,
         o->t->data, (void *)v->work, dev, v->host, host, o->info);
    return GND_OK;
}

static gnd_status do_lu(one *o)
{
    const int64_t q = o->s->m < o->s->n ? o->s->m : o->s->n;
    int64_t *wide = malloc((size_t)q * sizeof *wide);
    int32_t *p = (int32_t *)wide; /* narrowed in place, front to back */
    gnd_status st = wide ? factor(o, o->s->m, o->s->n)
                         : gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for pivots");
    CUresult r = CUDA_SUCCESS;
    if (st == GND_OK)
        r = gnd__cu.MemcpyDtoHAsync(wide, o->v->extra, (size_t)q * sizeof *wide, o->q->s);
    if (st == GND_OK && r == CUDA_SUCCESS)
        r = gnd__cu.StreamSynchronize(o->q->s);
    if (st == GND_OK && r == CUDA_SUCCESS) {
        for (int64_t i = 0; i < q; i++) {
            const int32_t narrow = (int32_t)wide[i];
            memcpy(p + i, &narrow, sizeof narrow);
        }
        r = gnd__cu.MemcpyHtoDAsync(o->mem[1], p, (size_t)q * sizeof *p, o->q->s);
        if (r == CUDA_SUCCESS)
            r = gnd__cu.StreamSynchronize(o->q->s);
    }
    free(wide);
    return st == GND_OK && r != CUDA_SUCCESS ? gnd__cu_fail(o->q->dev, o->e, r, "pivots") : st;
}

static gnd_status do_solve(one *o)
{
    const int64_t n = o->s->n;
    const gnd_status st = factor(o, n, n);
    if (st != GND_OK)
        return st;
    /* its own info would only speak of arguments; the factorisation's is what counts */
    CALL(cusolverDnXgetrs, o->v->h, o->v->params, CUBLAS_OP_N, n, o->s->k, o->t->data, P(0), n,
         (int64_t *)o->v->extra, o->t->data, P(1), n, (int *)o->v->info + o->s->nbatch);
    return GND_OK;
}

/* Q from the reflectors: columns cols of m rows. */
static gnd_status orgqr(one *o, int m, int cols, int q)
{
    struct gnd__cu_solver *v = o->v;
    int n = 0;
#define ONE(name, type)                                                                            \
    CALL(name##_bufferSize, v->h, m, cols, q, (type *)P(0), m, (type *)v->extra, &n);              \
    ROOM((size_t)n * sizeof(type), 0);                                                             \
    CALL(name, v->h, m, cols, q, (type *)P(0), m, (type *)v->extra, (type *)v->work, n, o->info)
    switch (o->s->dtype) {
    case GND_FLOAT32:
        ONE(cusolverDnSorgqr, float);
        break;
    case GND_FLOAT64:
        ONE(cusolverDnDorgqr, double);
        break;
    case GND_COMPLEX64:
        ONE(cusolverDnCungqr, cuComplex);
        break;
    default:
        ONE(cusolverDnZungqr, cuDoubleComplex);
        break;
    }
#undef ONE
    return GND_OK;
}

static gnd_status do_qr(one *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t m = o->s->m, n = o->s->n, q = m < n ? m : n;
    const int64_t rows = o->s->flags & 1 ? m : q, cols = o->s->flags & 1 ? m : q;
    size_t dev = 0, host = 0;
    gnd_status st = reserve(o->q, &v->extra, &v->nextra, (size_t)q * o->t->size, o->e);
    if (st != GND_OK)
        return st;
    CALL(cusolverDnXgeqrf_bufferSize, v->h, v->params, m, n, o->t->data, P(0), m, o->t->data,
         (void *)v->extra, o->t->data, &dev, &host);
    ROOM(dev, host);
    CALL(cusolverDnXgeqrf, v->h, v->params, m, n, o->t->data, P(0), m, o->t->data, (void *)v->extra,
         o->t->data, (void *)v->work, dev, v->host, host, o->info);
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = o->mem[0];
    copy.srcPitch = (size_t)m * o->t->size;
    copy.dstDevice = o->mem[1];
    copy.dstPitch = (size_t)rows * o->t->size;
    copy.WidthInBytes = (size_t)q * o->t->size;
    copy.Height = (size_t)n;
    const CUresult r = gnd__cu.Memcpy2DAsync(&copy, o->q->s);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(o->q->dev, o->e, r, "cuMemcpy2DAsync");
    return orgqr(o, (int)m, (int)cols, (int)q);
}

static gnd_status do_svd(one *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t m = o->s->m, n = o->s->n;
    const int vectors = o->s->op == GND_SOLVE_SVD;
    const signed char ju = !vectors ? 'N' : o->s->flags & 1 ? 'A' : 'S', jv = vectors ? 'S' : 'N';
    void *u = vectors ? P(1) : NULL, *w = vectors ? P(2) : P(1), *vt = vectors ? P(3) : NULL;
    size_t dev = 0, host = 0;
    CALL(cusolverDnXgesvd_bufferSize, v->h, v->params, ju, jv, m, n, o->t->data, P(0), m, o->t->real,
         w, o->t->data, u, m, o->t->data, vt, n, o->t->data, &dev, &host);
    ROOM(dev, host);
    CALL(cusolverDnXgesvd, v->h, v->params, ju, jv, m, n, o->t->data, P(0), m, o->t->real, w,
         o->t->data, u, m, o->t->data, vt, n, o->t->data, (void *)v->work, dev, v->host, host,
         o->info);
    return GND_OK;
}

static gnd_status do_eigh(one *o)
{
    struct gnd__cu_solver *v = o->v;
    const int64_t n = o->s->n;
    const cusolverEigMode_t mode =
        o->s->op == GND_SOLVE_EIGH ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    size_t dev = 0, host = 0;
    CALL(cusolverDnXsyevd_bufferSize, v->h, v->params, mode, CUBLAS_FILL_MODE_LOWER, n, o->t->data,
         P(0), n, o->t->real, P(1), o->t->data, &dev, &host);
    ROOM(dev, host);
    CALL(cusolverDnXsyevd, v->h, v->params, mode, CUBLAS_FILL_MODE_LOWER, n, o->t->data, P(0), n,
         o->t->real, P(1), o->t->data, (void *)v->work, dev, v->host, host, o->info);
    return GND_OK;
}

/* What matrix b's info means. */
static gnd_status verdict(const gnd_solve_desc *s, int64_t b, int info, gnd_err *e)
{
    if (info < 0)
        return gnd__plug_fail(e, GND_ERR_INTERNAL, info, "cuSOLVER: argument %d is wrong", -info);
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
        return gnd__plug_fail(e, GND_ERR_LINALG, info,
                              "matrix %lld: not positive definite: the leading minor of order %d is "
                              "not positive", (long long)b, info);
    case GND_SOLVE_SOLVE:
        return gnd__plug_fail(e, GND_ERR_LINALG, info, "matrix %lld: singular: U[%d, %d] is 0",
                              (long long)b, info - 1, info - 1);
    case GND_SOLVE_LU:
        return GND_OK; /* a factorisation all the same */
    default:
        return gnd__plug_fail(e, GND_ERR_LINALG, info,
                              "matrix %lld: no convergence: %d values were not found", (long long)b,
                              info);
    }
}

/* Bytes of one matrix's operand i. */
static size_t step_of(const gnd_solve_desc *s, const struct type *t, int i)
{
    const int64_t m = s->m, n = s->n, q = m < n ? m : n;
    const int full = (s->flags & 1) != 0;
    const size_t real = t->size / (t->data == t->real ? 1 : 2);
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
        return (size_t)(n * n) * t->size;
    case GND_SOLVE_LU:
        return i == 0 ? (size_t)(m * n) * t->size : (size_t)q * 4;
    case GND_SOLVE_SOLVE:
        return (size_t)(i == 0 ? n * n : n * s->k) * t->size;
    case GND_SOLVE_QR:
        return (size_t)(i == 0 ? m * (full && m > n ? m : n) : (full ? m : q) * n) * t->size;
    case GND_SOLVE_SVD:
        return i == 0   ? (size_t)(m * n) * t->size
               : i == 1 ? (size_t)(m * (full ? m : n)) * t->size
               : i == 2 ? (size_t)n * real
                        : (size_t)(n * n) * t->size;
    case GND_SOLVE_SVDVALS:
        return i == 0 ? (size_t)(m * n) * t->size : (size_t)n * real;
    default: /* EIGH, EIGVALSH */
        return i == 0 ? (size_t)(n * n) * t->size : (size_t)n * real;
    }
}

static gnd_status solver_solve(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e)
{
    const struct type *t = type_of(s->dtype);
    gnd_status st = GND_OK;
    int *info;
    one o;
    if (!t || !load())
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "solve: no cuSOLVER: %s", text_);
    if (s->nbatch == 0 || (st = get_ready(q, s, e)) != GND_OK)
        return st;
    memset(&o, 0, sizeof o);
    o.q = q, o.s = s, o.t = t, o.v = q->dev->solver, o.e = e;
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b++) {
        for (int i = 0; i < GND_SOLVE_MEMS; i++)
            o.mem[i] = s->mem[i] ? s->mem[i]->p + s->off[i] + (size_t)b * step_of(s, t, i) : 0;
        o.info = (int *)o.v->info + b;
        switch ((gnd_solve_op)s->op) {
        case GND_SOLVE_CHOLESKY: st = do_cholesky(&o); break;
        case GND_SOLVE_LU: st = do_lu(&o); break;
        case GND_SOLVE_SOLVE: st = do_solve(&o); break;
        case GND_SOLVE_QR: st = do_qr(&o); break;
        case GND_SOLVE_SVD:
        case GND_SOLVE_SVDVALS: st = do_svd(&o); break;
        case GND_SOLVE_EIGH:
        case GND_SOLVE_EIGVALSH: st = do_eigh(&o); break;
        default: st = gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "solve: operation %u", s->op); break;
        }
    }
    if (st != GND_OK)
        return st;
    if (!(info = malloc((size_t)s->nbatch * sizeof *info)))
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for %lld results",
                              (long long)s->nbatch);
    CUresult r = gnd__cu.MemcpyDtoHAsync(info, o.v->info, (size_t)s->nbatch * sizeof *info, q->s);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.StreamSynchronize(q->s);
    if (r != CUDA_SUCCESS)
        st = gnd__cu_fail(q->dev, e, r, "solve");
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b++)
        if (info[b] != 0)
            st = verdict(s, b, info[b], e);
    free(info);
    return st;
}

static gnd_status solver_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    char path[512], text[600];
    (void)d;
    (void)e;
    pthread_mutex_lock(&lock);
    const int known = tried;
    pthread_mutex_unlock(&lock);
    if (!known && gnd__cu_find(stem, versions, path, sizeof path))
        snprintf(text, sizeof text, "cuSOLVER (%s)", path);
    else
        snprintf(text, sizeof text, "%s%s", load() ? "" : "none: ", text_);
    if (cap)
        gnd__plug_str(buf, cap, text);
    return GND_OK;
}

void gnd__cu_solver_close(gnd_dev *d)
{
    struct gnd__cu_solver *v = d->solver;
    if (!v)
        return;
    if (!d->lost) {
        if (v->work)
            gnd__cu.MemFree(v->work);
        if (v->extra)
            gnd__cu.MemFree(v->extra);
        if (v->info)
            gnd__cu.MemFree(v->info);
        cs.cusolverDnDestroyParams(v->params);
        cs.cusolverDnDestroy(v->h);
    }
    free(v->host);
    free(v);
    d->solver = NULL;
}

const gnd_solver_ops gnd__cu_solver_ops = {
    .size = sizeof(gnd_solver_ops),
    .supports = solver_supports,
    .solve = solver_solve,
    .describe = solver_describe,
};
