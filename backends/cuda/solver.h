/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/solver.h - declarations shared by the files of the solver group: routines of cuSOLVER and
 * cuBLAS, their work memory, and one work item. The routines of the four dtypes differ in their
 * names and, in the vendor's headers, in the types of pointers; here these are void pointers.
 */
#ifndef GND_CU_SOLVER_H
#define GND_CU_SOLVER_H

#include "cu.h"

#include <cublas_v2.h>
#include <cusolverDn.h>

/* Routines for all dtypes, or without a dtype. */
#define GND__CS_PLAIN(X)                                                                           \
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
    X(cusolverDnXsyevd_bufferSize)                                                                 \
    X(cusolverDnXsyevd)                                                                            \
    X(cusolverDnXgesvd_bufferSize)                                                                 \
    X(cusolverDnXgesvd)                                                                            \
    X(cusolverDnCreateGesvdjInfo)                                                                  \
    X(cusolverDnDestroyGesvdjInfo)                                                                 \
    X(cusolverDnCreateSyevjInfo)                                                                   \
    X(cusolverDnDestroySyevjInfo)

typedef void *gnd__cs_ptr; /* to elements on the device */
typedef cusolverStatus_t gnd__cs_make_size(cusolverDnHandle_t, int m, int n, int k, gnd__cs_ptr a,
                                           int lda, gnd__cs_ptr tau, int *lwork);
typedef cusolverStatus_t gnd__cs_make(cusolverDnHandle_t, int m, int n, int k, gnd__cs_ptr a,
                                      int lda, gnd__cs_ptr tau, gnd__cs_ptr work, int lwork,
                                      int *info);
typedef cusolverStatus_t gnd__cs_apply_size(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t,
                                            int m, int n, int k, gnd__cs_ptr a, int lda,
                                            gnd__cs_ptr tau, gnd__cs_ptr c, int ldc, int *lwork);
typedef cusolverStatus_t gnd__cs_apply(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t,
                                       int m, int n, int k, gnd__cs_ptr a, int lda, gnd__cs_ptr tau,
                                       gnd__cs_ptr c, int ldc, gnd__cs_ptr work, int lwork,
                                       int *info);
typedef cusolverStatus_t gnd__cs_potrfs(cusolverDnHandle_t, cublasFillMode_t, int n, gnd__cs_ptr *a,
                                        int lda, int *info, int nbatch);
typedef cusolverStatus_t gnd__cs_svdjs_size(cusolverDnHandle_t, cusolverEigMode_t, int m, int n,
                                            gnd__cs_ptr a, int lda, gnd__cs_ptr s, gnd__cs_ptr u,
                                            int ldu, gnd__cs_ptr v, int ldv, int *lwork,
                                            gesvdjInfo_t, int nbatch);
typedef cusolverStatus_t gnd__cs_svdjs(cusolverDnHandle_t, cusolverEigMode_t, int m, int n,
                                       gnd__cs_ptr a, int lda, gnd__cs_ptr s, gnd__cs_ptr u,
                                       int ldu, gnd__cs_ptr v, int ldv, gnd__cs_ptr work, int lwork,
                                       int *info, gesvdjInfo_t, int nbatch);
typedef cusolverStatus_t gnd__cs_syevjs_size(cusolverDnHandle_t, cusolverEigMode_t,
                                             cublasFillMode_t, int n, gnd__cs_ptr a, int lda,
                                             gnd__cs_ptr w, int *lwork, syevjInfo_t, int nbatch);
typedef cusolverStatus_t gnd__cs_syevjs(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t,
                                        int n, gnd__cs_ptr a, int lda, gnd__cs_ptr w,
                                        gnd__cs_ptr work, int lwork, int *info, syevjInfo_t,
                                        int nbatch);

/* Routines of one dtype each: X(slot, type, name in real dtypes, name in complex ones). */
#define GND__CS_TYPED(X)                                                                           \
    X(orgqr_size, gnd__cs_make_size, "orgqr_bufferSize", "ungqr_bufferSize")                       \
    X(orgqr, gnd__cs_make, "orgqr", "ungqr")                                                       \
    X(ormqr_size, gnd__cs_apply_size, "ormqr_bufferSize", "unmqr_bufferSize")                      \
    X(ormqr, gnd__cs_apply, "ormqr", "unmqr")                                                      \
    X(potrfs, gnd__cs_potrfs, "potrfBatched", "potrfBatched")                                      \
    X(svdjs_size, gnd__cs_svdjs_size, "gesvdjBatched_bufferSize", "gesvdjBatched_bufferSize")      \
    X(svdjs, gnd__cs_svdjs, "gesvdjBatched", "gesvdjBatched")                                      \
    X(syevjs_size, gnd__cs_syevjs_size, "syevjBatched_bufferSize", "heevjBatched_bufferSize")      \
    X(syevjs, gnd__cs_syevjs, "syevjBatched", "heevjBatched")

typedef cublasStatus_t gnd__cb_trsm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                    cublasOperation_t, cublasDiagType_t, int m, int n,
                                    const void *alpha, gnd__cs_ptr a, int lda, gnd__cs_ptr b,
                                    int ldb);
typedef cublasStatus_t gnd__cb_trsms(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                     cublasOperation_t, cublasDiagType_t, int m, int n,
                                     const void *alpha, gnd__cs_ptr *a, int lda, gnd__cs_ptr *b,
                                     int ldb, int nbatch);
typedef cublasStatus_t gnd__cb_trmm(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                    cublasOperation_t, cublasDiagType_t, int m, int n,
                                    const void *alpha, gnd__cs_ptr a, int lda, gnd__cs_ptr b,
                                    int ldb, gnd__cs_ptr c, int ldc);
typedef cublasStatus_t gnd__cb_dgmm(cublasHandle_t, cublasSideMode_t, int m, int n, gnd__cs_ptr a,
                                    int lda, gnd__cs_ptr x, int incx, gnd__cs_ptr c, int ldc);
typedef cublasStatus_t gnd__cb_gemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,
                                    int n, int k, const void *alpha, gnd__cs_ptr a, int lda,
                                    gnd__cs_ptr b, int ldb, const void *beta, gnd__cs_ptr c,
                                    int ldc);
typedef cublasStatus_t gnd__cb_geam(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,
                                    int n, const void *alpha, gnd__cs_ptr a, int lda,
                                    const void *beta, gnd__cs_ptr b, int ldb, gnd__cs_ptr c,
                                    int ldc);
typedef cublasStatus_t gnd__cb_gemms(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m,
                                     int n, int k, const void *alpha, gnd__cs_ptr a, int lda,
                                     long long step_a, gnd__cs_ptr b, int ldb, long long step_b,
                                     const void *beta, gnd__cs_ptr c, int ldc, long long step_c,
                                     int nbatch);
typedef cublasStatus_t gnd__cb_getrfs(cublasHandle_t, int n, gnd__cs_ptr *a, int lda, int *pivots,
                                      int *info, int nbatch);
typedef cublasStatus_t gnd__cb_getrss(cublasHandle_t, cublasOperation_t, int n, int k,
                                      gnd__cs_ptr *a, int lda, const int *pivots, gnd__cs_ptr *b,
                                      int ldb, int *host_info, int nbatch);
typedef cublasStatus_t gnd__cb_geqrfs(cublasHandle_t, int m, int n, gnd__cs_ptr *a, int lda,
                                      gnd__cs_ptr *tau, int *host_info, int nbatch);

/* The same of cuBLAS; one name for all dtypes. */
#define GND__CB_TYPED(X)                                                                           \
    X(trsm, gnd__cb_trsm, "trsm_v2")                                                               \
    X(trsms, gnd__cb_trsms, "trsmBatched")                                                         \
    X(trmm, gnd__cb_trmm, "trmm_v2")                                                               \
    X(geam, gnd__cb_geam, "geam")                                                                  \
    X(dgmm, gnd__cb_dgmm, "dgmm")                                                                  \
    X(gemm, gnd__cb_gemm, "gemm_v2")                                                               \
    X(gemms, gnd__cb_gemms, "gemmStridedBatched")                                                  \
    X(getrfs, gnd__cb_getrfs, "getrfBatched")                                                      \
    X(getrss, gnd__cb_getrss, "getrsBatched")                                                      \
    X(geqrfs, gnd__cb_geqrfs, "geqrfBatched")

/* Both libraries; [4]: float32, float64, complex64, complex128. */
typedef struct gnd__cs_calls {
#define X(name) __typeof__(name) *name;
    GND__CS_PLAIN(X)
#undef X
#define X(slot, type, real, complex) type *slot[4];
    GND__CS_TYPED(X)
#undef X
#define X(slot, type, name) type *slot[4];
    GND__CB_TYPED(X)
#undef X
    __typeof__(cublasCreate_v2) *cublasCreate_v2;
    __typeof__(cublasDestroy_v2) *cublasDestroy_v2;
    __typeof__(cublasSetStream_v2) *cublasSetStream_v2;
    __typeof__(cublasNrm2Ex) *cublasNrm2Ex;
    /* Since CUDA 12.6 and not in older headers; NULL in an older library. */
    cusolverStatus_t (*syevs_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,
                                   cublasFillMode_t, int64_t n, cudaDataType, const void *a,
                                   int64_t lda, cudaDataType, const void *w, cudaDataType,
                                   size_t *device, size_t *host, int64_t nbatch);
    cusolverStatus_t (*syevs)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,
                              cublasFillMode_t, int64_t n, cudaDataType, void *a, int64_t lda,
                              cudaDataType, void *w, cudaDataType, void *device, size_t ndevice,
                              void *host, size_t nhost, int *info, int64_t nbatch);
    cusolverStatus_t (*geev_size)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,
                                  cusolverEigMode_t right, int64_t n, cudaDataType, const void *a,
                                  int64_t lda, cudaDataType, const void *w, cudaDataType,
                                  const void *vl, int64_t ldvl, cudaDataType, const void *vr,
                                  int64_t ldvr, cudaDataType, size_t *device, size_t *host);
    cusolverStatus_t (*geev)(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t left,
                             cusolverEigMode_t right, int64_t n, cudaDataType, void *a, int64_t lda,
                             cudaDataType, void *w, cudaDataType, void *vl, int64_t ldvl,
                             cudaDataType, void *vr, int64_t ldvr, cudaDataType, void *device,
                             size_t ndevice, void *host, size_t nhost, int *info);
} gnd__cs_calls;
extern gnd__cs_calls gnd__cs;

/* Device memory that grows and stays. */
typedef struct gnd__cs_room {
    CUdeviceptr p;
    size_t n;
} gnd__cs_room;

struct gnd__cu_solver {
    cusolverDnHandle_t h;
    cusolverDnParams_t params;
    cublasHandle_t blas;
    gesvdjInfo_t svdj;
    syevjInfo_t syevj;
    gnd__cs_room work;    /* the library's */
    gnd__cs_room extra;   /* taus or pivots */
    gnd__cs_room scratch; /* another matrix */
    gnd__cs_room small;   /* and another */
    gnd__cs_room ptrs;    /* addresses of a batch's matrices */
    gnd__cs_room info;    /* one int for each matrix, one more */
    gnd_queue *last;      /* of the last call, which may still run; only compared */
    CUevent done;         /* recorded at its end */
    void *host;
    size_t nhost;
};

typedef struct gnd__cs_type {
    uint32_t dtype;
    int index; /* into gnd__cs */
    cudaDataType data, real;
    size_t size, rsize;
} gnd__cs_type;

/* One matrix of a batch, or the first one of all when they are worked on together. */
typedef struct gnd__cs_job {
    gnd_queue *q;
    const gnd_solve_desc *s;
    const gnd__cs_type *t;
    struct gnd__cu_solver *v;
    CUdeviceptr mem[GND_SOLVE_MEMS];
    int *info, *spare; /* on the device: of each matrix, and one that nobody reads */
    int on_host;       /* the library works on the host as well */
    gnd_err *e;
} gnd__cs_job;

/* --- solver.c --------------------------------------------------------------------------------- */
/* At least n bytes of device memory. Replacing smaller memory waits, because it may be in use. */
gnd_status gnd__cs_reserve(gnd__cs_job *o, gnd__cs_room *r, size_t n);
/* Room for the library to work in, on the device and on the host. */
gnd_status gnd__cs_workspace(gnd__cs_job *o, size_t device, size_t host);
/* Failures of cuSOLVER and cuBLAS. */
gnd_status gnd__cs_fail(gnd__cs_job *o, int status, const char *what);
/* Waits for the queue. */
gnd_status gnd__cs_wait(gnd__cs_job *o);
/* rows pieces of width bytes, pitches apart, on the device or from (to) the host. */
gnd_status gnd__cs_copy(gnd__cs_job *o, CUdeviceptr dst, size_t dst_pitch, CUdeviceptr src,
                        size_t src_pitch, size_t width, int64_t rows);
gnd_status gnd__cs_down(gnd__cs_job *o, void *dst, CUdeviceptr src, size_t n);
gnd_status gnd__cs_up(gnd__cs_job *o, CUdeviceptr dst, const void *src, size_t n);
/* Bytes of one matrix's operand i. */
size_t gnd__cs_step(const gnd_solve_desc *s, const gnd__cs_type *t, int i);

/* --- one matrix: solver_dense.c, solver_svd.c ------------------------------------------------- */
/* Stores count ones on the diagonal of a matrix with leading dimension ld, from element (first,
 * first) on. Other elements do not change. */
gnd_status gnd__cs_ones(gnd__cs_job *o, CUdeviceptr a, int64_t ld, int64_t first, int64_t count);
/* 1 and 0 of the dtype, on the host. */
const void *gnd__cs_one(const gnd__cs_job *o);
const void *gnd__cs_zero(void);
gnd_status gnd__cs_cholesky(gnd__cs_job *o);
gnd_status gnd__cs_lu(gnd__cs_job *o);
gnd_status gnd__cs_solve(gnd__cs_job *o);
gnd_status gnd__cs_inv(gnd__cs_job *o);
gnd_status gnd__cs_qr(gnd__cs_job *o);
gnd_status gnd__cs_q(gnd__cs_job *o);
gnd_status gnd__cs_eigh(gnd__cs_job *o);
gnd_status gnd__cs_eig(gnd__cs_job *o);
gnd_status gnd__cs_svd(gnd__cs_job *o);
/* --- solver_polar.c --------------------------------------------------------------------------- */
/* a (m x n, m >= n) = u s vh. u has columns of ldu, m of them when full, else n; of vh n. u and vh
 * are 0 if only s is requested. */
typedef struct gnd__cs_usv {
    CUdeviceptr a, u, s, vh;
    int64_t m, n, lda, ldu;
    int full, vectors;
} gnd__cs_usv;
/* By polar decomposition, if a has lda m and is not small. *good is 0 if the result fails the
 * check: then a is unchanged except for rounding, and the results are undefined. */
gnd_status gnd__cs_polar(gnd__cs_job *o, const gnd__cs_usv *d, int *good);
/* Element i of reals of the job's precision, on the host. */
double gnd__cs_real_at(const gnd__cs_job *o, const char *p, size_t i);
/* The upper triangle of a (n rows of it, columns of lda) to r (n x n), with zeros below; eye: n x n
 * elements to work in. */
gnd_status gnd__cs_upper(gnd__cs_job *o, CUdeviceptr a, int64_t lda, int64_t n, CUdeviceptr eye,
                         CUdeviceptr r);
/* vh = v^H, of n x n. */
gnd_status gnd__cs_adjoint(gnd__cs_job *o, CUdeviceptr v, int64_t n, CUdeviceptr vh);
/* Replaces the lower triangle of a (n x n) by the vectors, if requested, and writes n ascending
 * values to w. */
gnd_status gnd__cs_syevd(gnd__cs_job *o, int vectors, int64_t n, CUdeviceptr a, CUdeviceptr w);
/* Q R of the m x n matrix a, taus of the dtype to tau; the columns of Q (m x cols) in place. */
gnd_status gnd__cs_geqrf(gnd__cs_job *o, CUdeviceptr a, int64_t m, int64_t n, CUdeviceptr tau);
gnd_status gnd__cs_orgqr(gnd__cs_job *o, CUdeviceptr a, CUdeviceptr tau, int64_t m, int64_t cols,
                         int64_t q);

/* --- all of a batch at once: solver_batch.c --------------------------------------------------- */
/* Whether it is better than one after the other. */
int gnd__cs_is_batch(const gnd_solve_desc *s);
/* How many matrices at most a call of gnd__cs_batch gets. */
int64_t gnd__cs_at_once(const gnd_solve_desc *s);
/* Every matrix's info is set. */
gnd_status gnd__cs_batch(gnd__cs_job *o);

#define CALL(call, what)                                                                           \
    do {                                                                                           \
        const int r_ = (int)(call);                                                                \
        if (r_ != 0)                                                                               \
            return gnd__cs_fail(o, r_, what);                                                      \
    } while (0)
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const gnd_status s_ = (call);                                                              \
        if (s_ != GND_OK)                                                                          \
            return s_;                                                                             \
    } while (0)

#endif
