/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver.c - the solver group: dense routines of cuSOLVER and cuBLAS, loaded at the first
 * call. The core gives unsupported cases to LAPACK (least squares; eigenproblems and singular
 * values of a small matrix; eigenproblems with a library older than CUDA 12.6). Small matrices of a
 * batch are processed together (solver_batch.c), others one after the other (solver_dense.c,
 * solver_svd.c). Each matrix has its own `info`; all of them are read at the end, or left to the
 * caller.
 */
#include "solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gnd__cs_calls gnd__cs;

enum { SMALLEST_EIG = 512, SMALLEST_SVD = 144, SMALLEST_EIGH = 64 }; /* below: the host is faster */

static const gnd__cs_type types[] = {
    {GND_FLOAT32, 0, CUDA_R_32F, CUDA_R_32F, 4, 4},
    {GND_FLOAT64, 1, CUDA_R_64F, CUDA_R_64F, 8, 8},
    {GND_COMPLEX64, 2, CUDA_C_32F, CUDA_R_32F, 8, 4},
    {GND_COMPLEX128, 3, CUDA_C_64F, CUDA_R_64F, 16, 8},
};

static const gnd__cs_type *type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

/* --- the libraries ---------------------------------------------------------------------------- */

enum { MAX_SYMS = 96, NAME = 48 };

typedef struct symbols {
    gnd__plug_sym sym[MAX_SYMS];
    char name[MAX_SYMS][NAME];
    size_t n;
} symbols;

static void add(symbols *s, const char *name, void *slot, int optional)
{
    snprintf(s->name[s->n], NAME, "%s", name);
    s->sym[s->n] = (gnd__plug_sym){s->name[s->n], slot, optional};
    s->n++;
}

static void add_typed(symbols *s, const char *before, const char *real, const char *complex,
                      void **slot)
{
    char name[NAME];
    for (int t = 0; t < 4; t++) {
        snprintf(name, sizeof name, "%s%c%s", before, "SDCZ"[t], t < 2 ? real : complex);
        add(s, name, slot + t, 0);
    }
}

static int load_cusolver(gnd__cu_lib *l, symbols *s)
{
    s->n = 0;
#define X(name) add(s, #name, (void *)&gnd__cs.name, 0);
    GND__CS_PLAIN(X)
#undef X
#define X(slot, type, real, complex)                                                               \
    add_typed(s, "cusolverDn", real, complex, (void **)gnd__cs.slot);
    GND__CS_TYPED(X)
#undef X
    add(s, "cusolverDnXsyevBatched_bufferSize", (void *)&gnd__cs.syevs_size, 1);
    add(s, "cusolverDnXsyevBatched", (void *)&gnd__cs.syevs, 1);
    add(s, "cusolverDnXgeev_bufferSize", (void *)&gnd__cs.geev_size, 1);
    add(s, "cusolverDnXgeev", (void *)&gnd__cs.geev, 1);
    return gnd__cu_lib_symbols(l, s->sym, s->n);
}

/* The reason goes to l as well. */
static int load_cublas(gnd__cu_lib *l, symbols *s)
{
    static const char *const versions[] = {"13", "12", "11", NULL};
    char path[512];
    s->n = 0;
#define X(slot, type, name) add_typed(s, "cublas", name, name, (void **)gnd__cs.slot);
    GND__CB_TYPED(X)
#undef X
    add(s, "cublasCreate_v2", (void *)&gnd__cs.cublasCreate_v2, 0);
    add(s, "cublasDestroy_v2", (void *)&gnd__cs.cublasDestroy_v2, 0);
    add(s, "cublasSetStream_v2", (void *)&gnd__cs.cublasSetStream_v2, 0);
    add(s, "cublasNrm2Ex", (void *)&gnd__cs.cublasNrm2Ex, 0);
    return gnd__cu_load("libcublas.so", versions, s->sym, s->n, path, sizeof path, l->text,
                        sizeof l->text);
}

static int open_lib(gnd__cu_lib *l)
{
    int v = 0;
    symbols *s = malloc(sizeof *s);
    if (!s) {
        snprintf(l->text, sizeof l->text, "out of memory");
        return 0;
    }
    /* cuBLAS last: cuSOLVER needs the one of its own version, and brings it */
    const int loaded = load_cusolver(l, s) && load_cublas(l, s);
    free(s);
    if (!loaded)
        return 0;
    gnd__cs.cusolverGetVersion(&v); /* 12001: 12.0.1 */
    return gnd__cu_lib_found(l, v / 1000, v / 100 % 10, v % 100);
}

static const char *const versions[] = {"13:12", "12:11", "11:11", NULL};
static gnd__cu_lib lib = GND__CU_LIB("cuSOLVER", "libcusolver.so", versions, open_lib);

gnd_status gnd__cs_fail(gnd__cs_job *o, int r, const char *what)
{
    /* for a fault of earlier work, the driver has the name */
    const CUresult cr = gnd__cu.StreamSynchronize(o->q->s);
    const int blas = strncmp(what, "cublas", 6) == 0;
    if (cr != CUDA_SUCCESS)
        return gnd__cu_fail(o->q->dev, o->e, cr, "%s", what);
    return gnd__plug_fail(
        o->e,
        r == (blas ? (int)CUBLAS_STATUS_ALLOC_FAILED : (int)CUSOLVER_STATUS_ALLOC_FAILED)
            ? GND_ERR_DEVMEM
            : GND_ERR_BACKEND,
        r, "%s: %s's status %d", what, blas ? "cuBLAS" : "cuSOLVER", r);
}

static gnd_status solver_supports(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d;
    *yes = 0;
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
        if (s->flags)
            return GND_OK;
        break;
    case GND_SOLVE_LU:
        if (s->flags && (s->m != s->n || gnd__cs_is_batch(s)))
            return GND_OK;
        break;
    case GND_SOLVE_Q:
    case GND_SOLVE_QR:
        if (s->nbatch != 1 && (s->op == GND_SOLVE_Q || s->flags & 2))
            return GND_OK;
        break;
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
        if (s->m < SMALLEST_SVD && !gnd__cs_is_batch(s))
            return GND_OK;
        break;
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH:
        if (s->n < SMALLEST_EIGH && s->nbatch == 1)
            return GND_OK;
        /* fallthrough */
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_TRIANGULAR: break;
    case GND_SOLVE_INV: /* of small ones of a batch, systems with 1 are solved */
        if (s->flags != 1 || gnd__cs_is_batch(s))
            return GND_OK;
        break;
    case GND_SOLVE_EIG:
    case GND_SOLVE_EIGVALS:
        if (s->n >= SMALLEST_EIG)
            break;
        return GND_OK;
    default: return GND_OK;
    }
    if (!type_of(s->dtype))
        return GND_OK;
    if (!gnd__cu_lib_load(&lib))
        gnd__plug_fail(e, GND_OK, 0, "no cuSOLVER: %s", lib.text);
    else
        *yes = (s->op != GND_SOLVE_EIG && s->op != GND_SOLVE_EIGVALS) ||
               (gnd__cs.geev && gnd__cs.geev_size);
    return GND_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

gnd_status gnd__cs_wait(gnd__cs_job *o)
{
    const CUresult r = gnd__cu.StreamSynchronize(o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuStreamSynchronize");
}

gnd_status gnd__cs_reserve(gnd__cs_job *o, gnd__cs_room *room, size_t n)
{
    CUresult r;
    if (n <= room->n)
        return GND_OK;
    if (room->p) {
        TRY(gnd__cs_wait(o));
        gnd__cu.MemFree(room->p);
    }
    room->p = 0;
    room->n = 0;
    if ((r = gnd__cu.MemAlloc(&room->p, n)) != CUDA_SUCCESS) {
        room->p = 0;
        return gnd__cu_fail(o->q->dev, o->e, r, "no room for %zu bytes to work in: cuMemAlloc", n);
    }
    room->n = n;
    return GND_OK;
}

gnd_status gnd__cs_workspace(gnd__cs_job *o, size_t device, size_t host)
{
    struct gnd__cu_solver *v = o->v;
    o->on_host |= host > 0;
    if (host > v->nhost) {
        void *p = realloc(v->host, host);
        if (!p)
            return gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "no room for %zu bytes to work in", host);
        v->host = p;
        v->nhost = host;
    }
    return gnd__cs_reserve(o, &v->work, device);
}

gnd_status gnd__cs_copy(gnd__cs_job *o, CUdeviceptr dst, size_t dst_pitch, CUdeviceptr src,
                        size_t src_pitch, size_t width, int64_t rows)
{
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = src;
    copy.srcPitch = src_pitch;
    copy.dstDevice = dst;
    copy.dstPitch = dst_pitch;
    copy.WidthInBytes = width;
    copy.Height = (size_t)rows;
    const CUresult r = gnd__cu.Memcpy2DAsync(&copy, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemcpy2DAsync");
}

gnd_status gnd__cs_down(gnd__cs_job *o, void *dst, CUdeviceptr src, size_t n)
{
    const CUresult r = gnd__cu.MemcpyDtoHAsync(dst, src, n, o->q->s);
    return r == CUDA_SUCCESS ? gnd__cs_wait(o)
                             : gnd__cu_fail(o->q->dev, o->e, r, "cuMemcpyDtoHAsync");
}

gnd_status gnd__cs_up(gnd__cs_job *o, CUdeviceptr dst, const void *src, size_t n)
{
    const CUresult r = gnd__cu.MemcpyHtoDAsync(dst, src, n, o->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(o->q->dev, o->e, r, "cuMemcpyHtoDAsync");
}

/* --- the group -------------------------------------------------------------------------------- */

static gnd_status open_handles(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = calloc(1, sizeof *v);
    const char *what = "cusolverDnCreate";
    int r;
    if (!v)
        return gnd__plug_fail(o->e, GND_ERR_NOMEM, 0, "out of memory for cuSOLVER");
    o->q->dev->solver = v; /* from here on closed by gnd__cu_solver_close() */
    r = (int)gnd__cs.cusolverDnCreate(&v->h);
    if (r == 0)
        r = (int)gnd__cs.cusolverDnCreateParams(&v->params);
    if (r == 0)
        r = (int)gnd__cs.cusolverDnCreateGesvdjInfo(&v->svdj);
    if (r == 0)
        r = (int)gnd__cs.cusolverDnCreateSyevjInfo(&v->syevj);
    if (r == 0) {
        what = "cublasCreate";
        r = (int)gnd__cs.cublasCreate_v2(&v->blas);
    }
    if (r == 0)
        return GND_OK;
    const gnd_status st = gnd__cs_fail(o, r, what);
    gnd__cu_solver_close(o->q->dev);
    return st;
}

static gnd_status get_ready(gnd__cs_job *o)
{
    gnd_dev *d = o->q->dev;
    TRY(gnd__cu_enter(d, o->e));
    if (!d->solver)
        TRY(open_handles(o));
    o->v = d->solver;
    if (o->v->last && o->v->last != o->q) { /* it uses the same workspace */
        const CUresult r = gnd__cu.StreamWaitEvent(o->q->s, o->v->done, 0);
        if (r != CUDA_SUCCESS)
            return gnd__cu_fail(d, o->e, r, "cuStreamWaitEvent");
    }
    CALL(gnd__cs.cusolverDnSetStream(o->v->h, o->q->s), "cusolverDnSetStream");
    CALL(gnd__cs.cublasSetStream_v2(o->v->blas, o->q->s), "cublasSetStream");
    return gnd__cs_reserve(o, &o->v->info, (size_t)(o->s->nbatch + 1) * sizeof(int));
}

/* Notes that the queue works in the workspace. */
static gnd_status leave_working(gnd__cs_job *o)
{
    struct gnd__cu_solver *v = o->v;
    CUresult r = v->done ? CUDA_SUCCESS : gnd__cu.EventCreate(&v->done, CU_EVENT_DISABLE_TIMING);
    if (r == CUDA_SUCCESS)
        r = gnd__cu.EventRecord(v->done, o->q->s);
    if (r != CUDA_SUCCESS) {
        gnd__cu.StreamSynchronize(o->q->s);
        return gnd__cu_fail(o->q->dev, o->e, r, "cuEventRecord");
    }
    v->last = o->q;
    return o->on_host ? gnd__cs_wait(o) : GND_OK;
}

/* Interprets the info of matrix b. */
static gnd_status verdict(const gnd_solve_desc *s, int64_t b, int info, gnd_err *e)
{
    if (info < 0)
        return gnd__plug_fail(e, GND_ERR_INTERNAL, info, "cuSOLVER: argument %d is wrong", -info);
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
        return gnd__plug_fail(
            e, GND_ERR_LINALG, info,
            "matrix %lld: not positive definite: the leading minor of order %d is "
            "not positive",
            (long long)b, info);
    case GND_SOLVE_LU:
        if (!s->flags)
            return GND_OK; /* a factorisation all the same */
        /* fallthrough */
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_INV:
        return gnd__plug_fail(e, GND_ERR_LINALG, info, "matrix %lld: singular: U[%d, %d] is 0",
                              (long long)b, info - 1, info - 1);
    case GND_SOLVE_TRIANGULAR:
        return gnd__plug_fail(e, GND_ERR_LINALG, info,
                              "matrix %lld: singular: the diagonal's[%d, %d] is 0", (long long)b,
                              info - 1, info - 1);
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
        if (info > s->n) /* Jacobi's method */
            return gnd__plug_fail(e, GND_ERR_LINALG, info,
                                  "matrix %lld: no convergence: the sweeps did not suffice",
                                  (long long)b);
        /* fallthrough */
    default:
        return gnd__plug_fail(e, GND_ERR_LINALG, info,
                              "matrix %lld: no convergence: %d values were not found", (long long)b,
                              info);
    }
}

size_t gnd__cs_step(const gnd_solve_desc *s, const gnd__cs_type *t, int i)
{
    const int64_t m = s->m, n = s->n, q = m < n ? m : n;
    const int full = (s->flags & 1) != 0;
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_INV: return i == 2 ? (size_t)n * sizeof(int32_t) : (size_t)(n * n) * t->size;
    case GND_SOLVE_CHOLESKY: return (size_t)(n * n) * t->size;
    case GND_SOLVE_LU: return i == 0 ? (size_t)(m * n) * t->size : (size_t)q * 4;
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_TRIANGULAR: return (size_t)(i == 0 ? n * n : n * s->k) * t->size;
    case GND_SOLVE_Q: return (size_t)(i == 0 ? m * (full ? m : n) : n) * t->size;
    case GND_SOLVE_QR:
        if (s->flags & 2)
            return (size_t)(i == 0 ? m * n : q) * t->size;
        return (size_t)(i == 0 ? m * (full && m > n ? m : n) : (full ? m : q) * n) * t->size;
    case GND_SOLVE_SVD:
        return i == 0   ? (size_t)(m * n) * t->size
               : i == 1 ? (size_t)(m * (full ? m : n)) * t->size
               : i == 2 ? (size_t)n * t->rsize
                        : (size_t)(n * n) * t->size;
    case GND_SOLVE_SVDVALS: return i == 0 ? (size_t)(m * n) * t->size : (size_t)n * t->rsize;
    case GND_SOLVE_EIG:
    case GND_SOLVE_EIGVALS: /* the results are complex */
        return i == 0 ? (size_t)(n * n) * t->size : (size_t)(i == 1 ? n : n * n) * 2 * t->rsize;
    default: /* EIGH, EIGVALSH */ return i == 0 ? (size_t)(n * n) * t->size : (size_t)n * t->rsize;
    }
}

static gnd_status one_matrix(gnd__cs_job *o)
{
    switch ((gnd_solve_op)o->s->op) {
    case GND_SOLVE_CHOLESKY: return gnd__cs_cholesky(o);
    case GND_SOLVE_LU: return gnd__cs_lu(o);
    case GND_SOLVE_SOLVE: return gnd__cs_solve(o);
    case GND_SOLVE_INV: return gnd__cs_inv(o);
    case GND_SOLVE_QR: return gnd__cs_qr(o);
    case GND_SOLVE_Q: return gnd__cs_q(o);
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS: return gnd__cs_svd(o);
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH: return gnd__cs_eigh(o);
    case GND_SOLVE_EIG:
    case GND_SOLVE_EIGVALS: return gnd__cs_eig(o);
    default: return gnd__plug_fail(o->e, GND_ERR_UNSUPPORTED, 0, "solve: operation %u", o->s->op);
    }
}

/* Whether results are defined for all values, so that the info tells nothing. */
static int never_fails(const gnd_solve_desc *s)
{
    return s->op == GND_SOLVE_QR || s->op == GND_SOLVE_Q || (s->op == GND_SOLVE_LU && !s->flags);
}

/* Computes s. The info of the matrices goes to `later`, or, if that is 0, is read and judged. */
static gnd_status compute(gnd_queue *q, const gnd_solve_desc *s, CUdeviceptr later, gnd_err *e)
{
    const gnd__cs_type *t = type_of(s->dtype);
    gnd_status st = GND_OK;
    int *info;
    gnd__cs_job o;
    if (!t || !gnd__cu_lib_load(&lib))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "solve: no cuSOLVER: %s", lib.text);
    memset(&o, 0, sizeof o);
    o.q = q, o.s = s, o.t = t, o.e = e;
    if (s->nbatch == 0 || (st = get_ready(&o)) != GND_OK)
        return st;
    const CUdeviceptr verdicts = later ? later : o.v->info.p;
    const int all = gnd__cs_is_batch(s);
    gnd_solve_desc part = *s;
    o.s = &part;
    o.spare = (int *)o.v->info.p + s->nbatch;
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b += part.nbatch) {
        const int64_t most = all ? gnd__cs_at_once(s) : 1, left = s->nbatch - b;
        part.nbatch = left < most ? left : most;
        for (int i = 0; i < GND_SOLVE_MEMS; i++)
            o.mem[i] = s->mem[i] ? s->mem[i]->p + s->off[i] + (size_t)b * gnd__cs_step(s, t, i) : 0;
        o.info = (int *)verdicts + b;
        st = all ? gnd__cs_batch(&o) : one_matrix(&o);
    }
    if (st != GND_OK) { /* the next call, possibly of another queue, uses the same workspace */
        gnd__cu.StreamSynchronize(q->s);
        return st;
    }
    if (later || never_fails(s))
        return leave_working(&o);
    if (!(info = malloc((size_t)s->nbatch * sizeof *info))) {
        gnd__cu.StreamSynchronize(q->s);
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for %lld results",
                              (long long)s->nbatch);
    }
    st = gnd__cs_down(&o, info, o.v->info.p, (size_t)s->nbatch * sizeof *info);
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b++)
        if (info[b] != 0)
            st = verdict(s, b, info[b], e);
    free(info);
    return st;
}

static gnd_status solver_solve(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e)
{
    return compute(q, s, 0, e);
}

static gnd_status solver_solve_later(gnd_queue *q, const gnd_solve_desc *s, gnd_buf *info,
                                     uint64_t off, gnd_err *e)
{
    return compute(q, s, info->p + off, e);
}

static gnd_status solver_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)d;
    (void)e;
    return gnd__cu_lib_describe(&lib, buf, cap);
}

void gnd__cu_solver_close(gnd_dev *d)
{
    struct gnd__cu_solver *v = d->solver;
    if (!v)
        return;
    const gnd__cs_room rooms[] = {v->work, v->extra, v->scratch, v->small, v->ptrs, v->info};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms && !d->lost; i++)
        if (rooms[i].p)
            gnd__cu.MemFree(rooms[i].p);
    if (!d->lost) {
        if (v->done)
            gnd__cu.EventDestroy(v->done);
        if (v->blas)
            gnd__cs.cublasDestroy_v2(v->blas);
        if (v->syevj)
            gnd__cs.cusolverDnDestroySyevjInfo(v->syevj);
        if (v->svdj)
            gnd__cs.cusolverDnDestroyGesvdjInfo(v->svdj);
        if (v->params)
            gnd__cs.cusolverDnDestroyParams(v->params);
        if (v->h)
            gnd__cs.cusolverDnDestroy(v->h);
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
    .solve_later = solver_solve_later,
};
