/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/lapack.c - LAPACK's Fortran routines, from whichever library is installed, loaded at the
 * first call. The routines of the four dtypes differ only in their names, because all arguments are
 * pointers, and in the real workspace of the complex ones.
 */
#include "host/lapack.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"

typedef size_t len; /* length of a character argument, passed after all others as gfortran does */
typedef void potrf_fn(const char *, const int *, void *, const int *, int *, len);
typedef void getrf_fn(const int *, const int *, void *, const int *, int *, int *);
typedef void getrs_fn(const char *, const int *, const int *, const void *, const int *,
                      const int *, void *, const int *, int *, len);
typedef void getri_fn(const int *, void *, const int *, const int *, void *, const int *, int *);
typedef void geqrf_fn(const int *, const int *, void *, const int *, void *, void *, const int *,
                      int *);
typedef void orgqr_fn(const int *, const int *, const int *, void *, const int *, const void *,
                      void *, const int *, int *);
typedef void rsvd_fn(const char *, const int *, const int *, void *, const int *, void *, void *,
                     const int *, void *, const int *, void *, const int *, int *, int *, len);
typedef void csvd_fn(const char *, const int *, const int *, void *, const int *, void *, void *,
                     const int *, void *, const int *, void *, const int *, void *, int *, int *,
                     len);
typedef void rsyevd_fn(const char *, const char *, const int *, void *, const int *, void *, void *,
                       const int *, int *, const int *, int *, len, len);
typedef void csyevd_fn(const char *, const char *, const int *, void *, const int *, void *, void *,
                       const int *, void *, const int *, int *, const int *, int *, len, len);
typedef void rgeev_fn(const char *, const char *, const int *, void *, const int *, void *, void *,
                      void *, const int *, void *, const int *, void *, const int *, int *, len,
                      len);
typedef void cgeev_fn(const char *, const char *, const int *, void *, const int *, void *, void *,
                      const int *, void *, const int *, void *, const int *, void *, int *, len,
                      len);
typedef void trtrs_fn(const char *, const char *, const char *, const int *, const int *,
                      const void *, const int *, void *, const int *, int *, len, len, len);
typedef void rgelsd_fn(const int *, const int *, const int *, void *, const int *, void *,
                       const int *, void *, const void *, int *, void *, const int *, int *, int *);
typedef void cgelsd_fn(const int *, const int *, const int *, void *, const int *, void *,
                       const int *, void *, const void *, int *, void *, const int *, void *, int *,
                       int *);

/* The routines, with the names for real and for complex dtypes. */
enum { GETRS = GND__LAPACK_SHARED, GETRI, ORGQR, GESDD, SYEVD, GEEV, TRTRS, GELSD, NROUTINES };
#define POTRF GND__POTRF
#define GETRF GND__GETRF
#define GEQRF GND__GEQRF
static const struct {
    const char *real, *complex;
} names[NROUTINES] = {
    {"potrf", "potrf"}, {"getrf", "getrf"}, {"geqrf", "geqrf"}, {"larft", "larft"},
    {"trsm", "trsm"},   {"gemm", "gemm"},   {"syrk", "herk"},   {"getrs", "getrs"},
    {"getri", "getri"}, {"orgqr", "ungqr"}, {"gesdd", "gesdd"}, {"syevd", "heevd"},
    {"geev", "geev"},   {"trtrs", "trtrs"}, {"gelsd", "gelsd"},
};
static void *routine[4][NROUTINES]; /* s d c z */
static char found[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const libs[] = {"libopenblasp.so.0", "libopenblas.so.0", "liblapack.so.3",
                                       "libflexiblas.so.3", "libmkl_rt.so.2",   NULL};
    for (int l = 0; libs[l] && !found[0]; l++) {
        void *h = dlopen(libs[l], RTLD_NOW | RTLD_LOCAL);
        int all = h != NULL;
        for (int t = 0; t < 4 && all; t++)
            for (int r = 0; r < NROUTINES && all; r++) {
                char name[32];
                snprintf(name, sizeof name, "%c%s_", "sdcz"[t],
                         t < 2 ? names[r].real : names[r].complex);
                routine[t][r] = dlsym(h, name);
                all = routine[t][r] != NULL;
            }
        if (all) {
            snprintf(found, sizeof found, "%s", libs[l]);
            gnd__alone_library(h);
        } else if (h) {
            dlclose(h);
        }
    }
}

const char *gnd__lapack_library(void)
{
    pthread_once(&once, load);
    return found[0] ? found : NULL;
}

void *gnd__lapack_routine(int dtype, gnd__lapack_name r)
{
    pthread_once(&once, load);
    return routine[dtype][r];
}

/* One call: a batch of one operation. */
typedef struct call {
    const gnd_solve_desc *s;
    int t, complex;    /* index of the dtype; whether it is complex */
    size_t size, real; /* bytes of an element, and of a real element */
    int m, n, k;
    char *mem[GND_SOLVE_MEMS];
    size_t step[GND_SOLVE_MEMS];
    char *work, *rwork;
    int *iwork;
    void *tau; /* also holds pivots or the parts of eigenvalues */
    int lwork, lrwork, liwork;
    int info;
    gnd_err *e;
} call;

static int min_i(int a, int b)
{
    return a < b ? a : b;
}

/* The result of a workspace query, from the first element of `work`. */
static int asked(const call *c, const void *work)
{
    double v;
    if (c->real == 4) {
        float f;
        memcpy(&f, work, sizeof f);
        v = f;
    } else {
        memcpy(&v, work, sizeof v);
    }
    v = v * 1.0000002 + 1; /* a float may have been rounded down */
    return v < INT_MAX ? (int)v : INT_MAX;
}

static gnd_status room(call *c)
{
    c->work = gnd__malloc((size_t)c->lwork * c->size + 16);
    c->rwork = gnd__malloc((size_t)c->lrwork * c->real + 16);
    c->iwork = gnd__malloc((size_t)c->liwork * sizeof *c->iwork + 16);
    return c->work && c->rwork && c->iwork
               ? GND_OK
               : gnd__err(c->e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
}

/* Gets a routine from the table. POSIX allows a void pointer to hold a function pointer. */
#define FN(type, r)                                                                                \
    type##_fn *fn;                                                                                 \
    memcpy(&fn, &routine[c->t][r], sizeof fn)

static void run_cholesky(call *c)
{
    FN(potrf, POTRF);
    fn(c->s->flags & 1 ? "U" : "L", &c->n, c->mem[0], &c->n, &c->info, 1);
}

static void run_lu(call *c)
{
    FN(getrf, GETRF);
    int *p = (int *)(void *)c->mem[1];
    if (!gnd__tiny_lu((gnd_dtype)c->s->dtype, c->m, c->n, c->mem[0], c->m, p, &c->info))
        fn(&c->m, &c->n, c->mem[0], &c->m, p, &c->info);
}

static void run_solve(call *c)
{
    FN(getrf, GETRF);
    getrs_fn *solve;
    int none;
    memcpy(&solve, &routine[c->t][GETRS], sizeof solve);
    const gnd_dtype t = (gnd_dtype)c->s->dtype;
    if (!gnd__tiny_lu(t, c->n, c->n, c->mem[0], c->n, c->tau, &c->info))
        fn(&c->n, &c->n, c->mem[0], &c->n, c->tau, &c->info);
    if (c->info == 0 && !gnd__tiny_solve(t, c->n, c->k, c->mem[0], c->n, c->tau, c->mem[1], c->n))
        solve("N", &c->n, &c->k, c->mem[0], &c->n, c->tau, c->mem[1], &c->n, &none, 1);
}

static void run_inv(call *c)
{
    FN(getrf, GETRF);
    getri_fn *invert;
    memcpy(&invert, &routine[c->t][GETRI], sizeof invert);
    if (c->lwork >= 0 &&
        !gnd__tiny_lu((gnd_dtype)c->s->dtype, c->n, c->n, c->mem[0], c->n, c->tau, &c->info))
        fn(&c->n, &c->n, c->mem[0], &c->n, c->tau, &c->info);
    if (c->info == 0)
        invert(&c->n, c->mem[0], &c->n, c->tau, c->work, &c->lwork, &c->info);
    if (c->s->flags == 0 || c->lwork < 0 || c->info != 0)
        return;
    memcpy(c->mem[1], c->mem[0], (size_t)c->n * (size_t)c->n * c->size);
    for (int j = 0; j < c->n; j++) /* every column in its place */
        memcpy(c->mem[2] + (size_t)j * sizeof j, &(int){j + 1}, sizeof j);
}

static void run_qr(call *c)
{
    FN(geqrf, GEQRF);
    orgqr_fn *make;
    int q = min_i(c->m, c->n), full = (c->s->flags & 1) != 0;
    int rows = full ? c->m : q, cols = full ? c->m : q;
    memcpy(&make, &routine[c->t][ORGQR], sizeof make);
    fn(&c->m, &c->n, c->mem[0], &c->m, c->tau, c->work, &c->lwork, &c->info);
    if (c->lwork < 0 || c->info != 0)
        return;
    for (int j = 0; j < c->n; j++)
        memcpy(c->mem[1] + (size_t)j * (size_t)rows * c->size,
               c->mem[0] + (size_t)j * (size_t)c->m * c->size, (size_t)q * c->size);
    make(&c->m, &cols, &q, c->mem[0], &c->m, c->tau, c->work, &c->lwork, &c->info);
}

static void run_svd(call *c)
{
    int vectors = c->s->op == GND_SOLVE_SVD, one = 1;
    const char *job = !vectors ? "N" : c->s->flags & 1 ? "A" : "S";
    void *s = c->mem[vectors ? 2 : 1], *u = vectors ? c->mem[1] : NULL,
         *vt = vectors ? c->mem[3] : NULL;
    const int *ldu = vectors ? &c->m : &one, *ldvt = vectors ? &c->n : &one;
    if (c->complex) {
        FN(csvd, GESDD);
        fn(job, &c->m, &c->n, c->mem[0], &c->m, s, u, ldu, vt, ldvt, c->work, &c->lwork, c->rwork,
           c->iwork, &c->info, 1);
    } else {
        FN(rsvd, GESDD);
        fn(job, &c->m, &c->n, c->mem[0], &c->m, s, u, ldu, vt, ldvt, c->work, &c->lwork, c->iwork,
           &c->info, 1);
    }
}

static void run_eigh(call *c)
{
    const char *job = c->s->op == GND_SOLVE_EIGH ? "V" : "N";
    if (c->complex) {
        FN(csyevd, SYEVD);
        fn(job, "L", &c->n, c->mem[0], &c->n, c->mem[1], c->work, &c->lwork, c->rwork, &c->lrwork,
           c->iwork, &c->liwork, &c->info, 1, 1);
    } else {
        FN(rsyevd, SYEVD);
        fn(job, "L", &c->n, c->mem[0], &c->n, c->mem[1], c->work, &c->lwork, c->iwork, &c->liwork,
           &c->info, 1, 1);
    }
}

/* Element i of a real array, as a double. */
static double real_at(const call *c, const char *p, size_t i)
{
    float f;
    double d;
    if (c->real == 8) {
        memcpy(&d, p + 8 * i, sizeof d);
        return d;
    }
    memcpy(&f, p + 4 * i, sizeof f);
    return f;
}

static void put_complex(const call *c, char *p, size_t i, double re, double im)
{
    if (c->real == 8) {
        double v[2] = {re, im};
        memcpy(p + 16 * i, v, sizeof v);
    } else {
        float v[2] = {(float)re, (float)im};
        memcpy(p + 8 * i, v, sizeof v);
    }
}

static void run_eig(call *c)
{
    int vectors = c->s->op == GND_SOLVE_EIG, one = 1;
    size_t n = (size_t)c->n;
    char *wr = c->tau, *wi = wr + n * c->real, *v = wi + n * c->real;
    if (c->complex) {
        FN(cgeev, GEEV);
        fn("N", vectors ? "V" : "N", &c->n, c->mem[0], &c->n, c->mem[1], NULL, &one, c->mem[2],
           vectors ? &c->n : &one, c->work, &c->lwork, c->rwork, &c->info, 1, 1);
        return;
    }
    FN(rgeev, GEEV);
    fn("N", vectors ? "V" : "N", &c->n, c->mem[0], &c->n, wr, wi, NULL, &one, v,
       vectors ? &c->n : &one, c->work, &c->lwork, &c->info, 1, 1);
    if (c->lwork < 0 || c->info != 0)
        return;
    for (size_t j = 0; j < n; j++)
        put_complex(c, c->mem[1], j, real_at(c, wr, j), real_at(c, wi, j));
    for (size_t j = 0; j < n && vectors; j++) {
        /* a pair of conjugate eigenvalues: columns j and j + 1 hold the real and imaginary parts of
         * both vectors */
        int pair = real_at(c, wi, j) != 0 && j + 1 < n;
        for (size_t i = 0; i < n; i++) {
            double re = real_at(c, v, j * n + i), im = pair ? real_at(c, v, (j + 1) * n + i) : 0;
            put_complex(c, c->mem[2], j * n + i, re, im);
            if (pair)
                put_complex(c, c->mem[2], (j + 1) * n + i, re, -im);
        }
        j += (size_t)pair;
    }
}

static void run_triangular(call *c)
{
    FN(trtrs, TRTRS);
    const uint32_t f = c->s->flags;
    fn(f & GND_TRI_UPPER ? "U" : "L",
       f & GND_TRI_CONJ    ? "C"
       : f & GND_TRI_TRANS ? "T"
                           : "N",
       f & GND_TRI_UNIT ? "U" : "N", &c->n, &c->k, c->mem[0], &c->n, c->mem[1], &c->n, &c->info, 1,
       1, 1);
}

static void run_lstsq(call *c)
{
    int ldb = c->m > c->n ? c->m : c->n;
    double rcond = c->s->rcond;
    float frcond = (float)rcond;
    const void *rc = c->real == 8 ? (const void *)&rcond : &frcond;
    int *rank = (int *)(void *)c->mem[3];
    if (c->complex) {
        FN(cgelsd, GELSD);
        fn(&c->m, &c->n, &c->k, c->mem[0], &c->m, c->mem[1], &ldb, c->mem[2], rc, rank, c->work,
           &c->lwork, c->rwork, c->iwork, &c->info);
    } else {
        FN(rgelsd, GELSD);
        fn(&c->m, &c->n, &c->k, c->mem[0], &c->m, c->mem[1], &ldb, c->mem[2], rc, rank, c->work,
           &c->lwork, c->iwork, &c->info);
    }
}

/* How each operation runs, and whether it reports its workspace size if lwork is -1. */
static const struct {
    void (*run)(call *);
    int query;
} ops[] = {
    [GND_SOLVE_CHOLESKY] = {run_cholesky, 0},
    [GND_SOLVE_LU] = {run_lu, 0},
    [GND_SOLVE_SOLVE] = {run_solve, 0},
    [GND_SOLVE_QR] = {run_qr, 1},
    [GND_SOLVE_SVD] = {run_svd, 1},
    [GND_SOLVE_SVDVALS] = {run_svd, 1},
    [GND_SOLVE_EIGH] = {run_eigh, 1},
    [GND_SOLVE_EIGVALSH] = {run_eigh, 1},
    [GND_SOLVE_EIG] = {run_eig, 1},
    [GND_SOLVE_EIGVALS] = {run_eig, 1},
    [GND_SOLVE_TRIANGULAR] = {run_triangular, 0},
    [GND_SOLVE_LSTSQ] = {run_lstsq, 1},
    [GND_SOLVE_INV] = {run_inv, 1},
};

/* Sets sizes of real and integer workspace that cannot be queried, by the formulas of LAPACK's
 * documentation. */
static void fixed_room(call *c)
{
    double m = c->m, n = c->n, q = m < n ? m : n, mx = m > n ? m : n, r = 0;
    switch ((gnd_solve_op)c->s->op) {
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
        c->liwork = 8 * min_i(c->m, c->n) + 1;
        r = c->complex ? q * (5 * q + 7 > 2 * mx + 2 * q + 1 ? 5 * q + 7 : 2 * mx + 2 * q + 1) + q
                       : 0;
        break;
    case GND_SOLVE_EIG:
    case GND_SOLVE_EIGVALS: r = 2 * n; break;
    default: break;
    }
    c->lrwork = r < INT_MAX - 64 ? (int)r + 64 : INT_MAX;
}

/* Queries the routine's workspace sizes and allocates them. */
static gnd_status make_room(call *c)
{
    double work[2] = {0}, rwork[2] = {0};
    int iwork[2] = {0};
    c->liwork = c->lrwork = 1;
    fixed_room(c);
    c->lwork = 1;
    if (ops[c->s->op].query) {
        int lr = c->lrwork, li = c->liwork;
        c->work = (char *)work;
        c->rwork = (char *)rwork;
        c->iwork = iwork;
        c->lwork = c->lrwork = c->liwork = -1;
        ops[c->s->op].run(c);
        c->lwork = asked(c, work);
        c->lrwork = asked(c, rwork) > lr ? asked(c, rwork) : lr;
        c->liwork = iwork[0] > li ? iwork[0] : li;
        c->work = c->rwork = NULL;
        c->iwork = NULL;
        if (c->info != 0)
            return gnd__err(c->e, GND_ERR_INTERNAL, "LAPACK: argument %d is wrong", -c->info);
    }
    return room(c);
}

static gnd_status verdict(const call *c, int64_t b)
{
    long long at = (long long)b;
    if (c->info == 0)
        return GND_OK;
    if (c->info < 0)
        return gnd__err(c->e, GND_ERR_INTERNAL, "LAPACK: argument %d is wrong", -c->info);
    switch ((gnd_solve_op)c->s->op) {
    case GND_SOLVE_CHOLESKY: return gnd__solve_not_positive(b, c->info, c->e);
    case GND_SOLVE_LU:
        if (!c->s->flags)
            return GND_OK; /* still a factorisation */
        /* fallthrough */
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_INV:
    case GND_SOLVE_TRIANGULAR:
        if (c->s->op == GND_SOLVE_TRIANGULAR && c->s->flags & GND_TRI_ANY)
            return GND_OK;
        return gnd__solve_singular(b, c->s->op == GND_SOLVE_TRIANGULAR, c->info - 1, c->e);
    default:
        return gnd__err(c->e, GND_ERR_LINALG,
                        "matrix %lld: no convergence: %d values were not found", at, c->info);
    }
}

int gnd__lapack_dtype(uint32_t t)
{
    return t == GND_FLOAT32      ? 0
           : t == GND_FLOAT64    ? 1
           : t == GND_COMPLEX64  ? 2
           : t == GND_COMPLEX128 ? 3
                                 : -1;
}

gnd_status gnd__lapack(const gnd_solve_desc *s, void *const *mem, gnd_err *e)
{
    call c;
    gnd_status st;
    memset(&c, 0, sizeof c);
    c.s = s;
    c.e = e;
    c.t = gnd__lapack_dtype(s->dtype);
    if (c.t < 0 || s->op >= sizeof ops / sizeof *ops || !ops[s->op].run)
        return gnd__err(e, GND_ERR_INTERNAL, "LAPACK: operation %u of dtype %u", s->op, s->dtype);
    if (!gnd__lapack_library())
        return gnd__err(e, GND_ERR_UNSUPPORTED,
                        "no LAPACK: install OpenBLAS (libopenblas0) or liblapack3");
    if (s->m > INT_MAX / 4 || s->n > INT_MAX / 4 || s->k > INT_MAX)
        return gnd__err(e, GND_ERR_OVERFLOW,
                        "a matrix of %lld x %lld (%lld): LAPACK counts in 32 bits", (long long)s->m,
                        (long long)s->n, (long long)s->k);
    c.complex = c.t >= 2;
    c.size = gnd_dtype_size((gnd_dtype)s->dtype);
    c.real = c.complex ? c.size / 2 : c.size;
    c.m = (int)s->m;
    c.n = (int)s->n;
    c.k = (int)s->k;
    for (int i = 0; i < gnd__solve_operands(s); i++) {
        c.mem[i] = mem[i];
        c.step[i] = gnd__solve_bytes(s, i) / (size_t)s->nbatch;
    }
    /* taus or pivots; the parts of eigenvalues and real eigenvectors */
    c.tau = gnd__malloc((size_t)(c.m + c.n + 1) * 16 +
                        (s->op == GND_SOLVE_EIG ? (size_t)c.n * (size_t)c.n * c.real : 0));
    if (!c.tau)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
    st = make_room(&c);
    const int alone = gnd__alone_begin(s);
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b++) {
        int done;
        if ((st = gnd__solve_finite(s, c.mem, b, &done, e)) != GND_OK)
            break;
        if (!done) {
            ops[s->op].run(&c);
            st = verdict(&c, b);
        }
        for (int i = 0; i < GND_SOLVE_MEMS && c.mem[i]; i++)
            c.mem[i] += c.step[i];
    }
    gnd__alone_end(alone);
    gnd__free(c.tau);
    gnd__free(c.work);
    gnd__free(c.rwork);
    gnd__free(c.iwork);
    return st;
}
