/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/openblas.c - OpenBLAS on host memory, loaded at the first request. One table line per
 * dtype. Small products are loops (smalls.c). One with one row or one column goes to gemv, which
 * does not pack its matrix; one of a matrix with its own transpose to syrk, which computes half of
 * it. OpenBLAS keeps its own number of threads (OPENBLAS_NUM_THREADS).
 */
#include "gemm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, UPPER = 121, CACHED = 256 << 10 };

typedef void sgemm_fn(int, int, int, int, int, int, float, const float *, int, const float *, int,
                      float, float *, int);
typedef void dgemm_fn(int, int, int, int, int, int, double, const double *, int, const double *,
                      int, double, double *, int);
typedef void zgemm_fn(int, int, int, int, int, int, const void *, const void *, int, const void *,
                      int, const void *, void *, int);
typedef void sgemv_fn(int, int, int, int, float, const float *, int, const float *, int, float,
                      float *, int);
typedef void dgemv_fn(int, int, int, int, double, const double *, int, const double *, int, double,
                      double *, int);
typedef void zgemv_fn(int, int, int, int, const void *, const void *, int, const void *, int,
                      const void *, void *, int);
typedef void ssyrk_fn(int, int, int, int, int, float, const float *, int, float, float *, int);
typedef void dsyrk_fn(int, int, int, int, int, double, const double *, int, double, double *, int);
typedef void zsyrk_fn(int, int, int, int, int, const void *, const void *, int, const void *,
                      void *, int);
typedef char *config_fn(void);

/* The symbols of OpenBLAS that are used: X(type, name). */
#define SYMBOLS(X)                                                                                 \
    X(sgemm_fn, cblas_sgemm)                                                                       \
    X(dgemm_fn, cblas_dgemm)                                                                       \
    X(zgemm_fn, cblas_cgemm)                                                                       \
    X(zgemm_fn, cblas_zgemm)                                                                       \
    X(sgemv_fn, cblas_sgemv)                                                                       \
    X(dgemv_fn, cblas_dgemv)                                                                       \
    X(zgemv_fn, cblas_cgemv)                                                                       \
    X(zgemv_fn, cblas_zgemv)                                                                       \
    X(ssyrk_fn, cblas_ssyrk)                                                                       \
    X(dsyrk_fn, cblas_dsyrk)                                                                       \
    X(zsyrk_fn, cblas_csyrk)                                                                       \
    X(zsyrk_fn, cblas_zsyrk)                                                                       \
    X(config_fn, openblas_get_config)                                                              \
    X(config_fn, openblas_get_corename)

static struct {
#define X(type, name) type *name;
    SYMBOLS(X)
#undef X
} ob;
static int loaded, is_old;
static char text_[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Whether the kernels that OpenBLAS has chosen are for CPUs without the vectors of this one. */
static int older(const char *core)
{
    static const char *const narrow[] = {
        "generic", "Katmai",    "Coppermine",   "Northwood", "Prescott",    "Banias",     "Atom",
        "Core2",   "Penryn",    "Dunnington",   "Nehalem",   "Sandybridge", "Athlon",     "Opteron",
        "Nano",    "Barcelona", "Opteron_SSE3", "Bobcat",    "Bulldozer",   "Piledriver", NULL};
    int known = 0;
    for (int i = 0; narrow[i]; i++)
        known |= strcasecmp(core, narrow[i]) == 0;
    return known && gnd__wide_has(GND_FLOAT32);
}

static void load(void)
{
    /* Fedora's libopenblas.so.0 has no threads, its libopenblasp has; Debian has only the first. */
    static const char *const names[] = {"libopenblasp.so.0", "libopenblas.so.0", NULL};
    const gnd__plug_sym syms[] = {
#define X(type, name) {#name, (void **)&ob.name, 0},
        SYMBOLS(X)
#undef X
    };
    char found[64], why[200], version[64];
    if (!gnd__plug_load(names, syms, sizeof syms / sizeof *syms, found, sizeof found, why,
                        sizeof why)) {
        gnd__plug_str(text_, sizeof text_, why);
        return;
    }
    const char *config = ob.openblas_get_config(); /* "OpenBLAS 0.3.21 NO_LAPACKE ..." */
    if (strstr(config, "USE64BITINT")) {
        snprintf(text_, sizeof text_, "%s is built with 64-bit integers", found);
        return;
    }
    int words = 0;
    size_t n = 0;
    for (; config[n] && n + 1 < sizeof version; n++)
        if (config[n] == ' ' && ++words == 2)
            break;
    memcpy(version, config, n);
    version[n] = 0;
    const char *core = ob.openblas_get_corename();
    is_old = older(core);
    snprintf(text_, sizeof text_, "%s (%s, %s)", version, found, core);
    loaded = 1;
}

int gnd__openblas_is_old(void)
{
    return is_old;
}

int gnd__openblas(const char **text)
{
    pthread_once(&once, load);
    *text = text_;
    return loaded;
}

int gnd__openblas_dtype(uint32_t t)
{
    return t == GND_FLOAT32 || t == GND_FLOAT64 || t == GND_COMPLEX64 || t == GND_COMPLEX128;
}

/* C = beta C, for a product without terms; with beta 0, C = 0 before a gemv, which must not read C.
 * beta is real, so a complex row is scaled as a row of twice as many reals. */
static void scale(const gnd_gemm *g, char *c, double beta, size_t esize, int64_t ld)
{
    const int single = g->dtype == GND_FLOAT32 || g->dtype == GND_COMPLEX64;
    const int whole = ld == g->n; /* the rows are contiguous */
    const size_t bytes = (size_t)(whole ? g->n * g->m : g->n) * esize;
    for (int64_t i = 0; i < (whole ? 1 : g->m); i++) {
        char *row = c + (size_t)i * (size_t)ld * esize;
        if (beta == 0.0)
            memset(row, 0, bytes);
        else if (single)
            for (size_t j = 0; j < bytes / sizeof(float); j++)
                ((float *)row)[j] *= (float)beta;
        else
            for (size_t j = 0; j < bytes / sizeof(double); j++)
                ((double *)row)[j] *= beta;
    }
}

/* y = alpha M x + beta y. */
static void gemv(const gnd_gemm *g, const gnd__blas_gemv *v, const void *a, const void *x, void *y)
{
    const float fa[2] = {(float)g->alpha, 0}, fb[2] = {(float)g->beta, 0};
    const double da[2] = {g->alpha, 0}, db[2] = {g->beta, 0};
    const int t = v->trans ? TRANS : NO_TRANS, m = (int)v->rows, n = (int)v->cols;
    const int ld = (int)v->ld, ix = (int)v->incx, iy = (int)v->incy;
    switch (g->dtype) {
    case GND_FLOAT32: ob.cblas_sgemv(ROW_MAJOR, t, m, n, fa[0], a, ld, x, ix, fb[0], y, iy); break;
    case GND_FLOAT64: ob.cblas_dgemv(ROW_MAJOR, t, m, n, da[0], a, ld, x, ix, db[0], y, iy); break;
    case GND_COMPLEX64: ob.cblas_cgemv(ROW_MAJOR, t, m, n, fa, a, ld, x, ix, fb, y, iy); break;
    default: ob.cblas_zgemv(ROW_MAJOR, t, m, n, da, a, ld, x, ix, db, y, iy);
    }
}

static void gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b, void *c)
{
    const float fa[2] = {(float)g->alpha, 0}, fb[2] = {(float)g->beta, 0};
    const double da[2] = {g->alpha, 0}, db[2] = {g->beta, 0};
    const int ta = p->a.trans ? TRANS : NO_TRANS, tb = p->b.trans ? TRANS : NO_TRANS;
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    const int la = (int)p->a.ld, lb = (int)p->b.ld, lc = (int)p->c.ld;
    switch (g->dtype) {
    case GND_FLOAT32:
        ob.cblas_sgemm(ROW_MAJOR, ta, tb, m, n, k, fa[0], a, la, b, lb, fb[0], c, lc);
        break;
    case GND_FLOAT64:
        ob.cblas_dgemm(ROW_MAJOR, ta, tb, m, n, k, da[0], a, la, b, lb, db[0], c, lc);
        break;
    case GND_COMPLEX64:
        ob.cblas_cgemm(ROW_MAJOR, ta, tb, m, n, k, fa, a, la, b, lb, fb, c, lc);
        break;
    default: ob.cblas_zgemm(ROW_MAJOR, ta, tb, m, n, k, da, a, la, b, lb, db, c, lc);
    }
}

/* Whether g is a product of a matrix with its own transpose, whose result is not added to C. */
static int is_square(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b)
{
    return a == b && g->m == g->n && p->a.ld == p->b.ld && p->a.trans != p->b.trans &&
           g->beta == 0.0 && !(g->flags & GND_GEMM_PLUS);
}

/* The upper half of such a product, and its mirror image. */
static void syrk(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, char *c)
{
    const float fa[2] = {(float)g->alpha, 0}, f0[2] = {0, 0};
    const double da[2] = {g->alpha, 0}, d0[2] = {0, 0};
    const int t = p->a.trans ? TRANS : NO_TRANS, n = (int)g->n, k = (int)g->k;
    const int la = (int)p->a.ld, lc = (int)p->c.ld;
    const size_t size = p->esize, row = (size_t)p->c.ld * size;
    void *to = c;
    switch (g->dtype) {
    case GND_FLOAT32: ob.cblas_ssyrk(ROW_MAJOR, UPPER, t, n, k, fa[0], a, la, f0[0], to, lc); break;
    case GND_FLOAT64: ob.cblas_dsyrk(ROW_MAJOR, UPPER, t, n, k, da[0], a, la, d0[0], to, lc); break;
    case GND_COMPLEX64: ob.cblas_csyrk(ROW_MAJOR, UPPER, t, n, k, fa, a, la, f0, to, lc); break;
    default: ob.cblas_zsyrk(ROW_MAJOR, UPPER, t, n, k, da, a, la, d0, to, lc);
    }
    for (size_t i = 1; i < (size_t)n; i++)
        for (size_t j = 0; j < i; j++)
            memcpy(c + i * row + j * size, c + j * row + i * size, size);
}

/* Replaces elements below 0 by 0; NaN is preserved. */
static void relu(const gnd_gemm *g, char *c, int64_t ld)
{
    for (int64_t i = 0; i < g->m; i++) {
        float *f = (float *)(void *)c + i * ld;
        double *d = (double *)(void *)c + i * ld;
        if (g->dtype == GND_FLOAT32)
            for (int64_t j = 0; j < g->n; j++)
                f[j] = f[j] <= 0 ? 0 : f[j];
        else
            for (int64_t j = 0; j < g->n; j++)
                d[j] = d[j] <= 0 ? 0 : d[j];
    }
}

int gnd__openblas_follows(const gnd_gemm *g, const gnd__blas_gemm *p)
{
    const int real = g->dtype == GND_FLOAT32 || g->dtype == GND_FLOAT64;
    return g->k > 0 && (real || !(g->flags & GND_GEMM_RELU)) && g->m <= CACHED && g->n <= CACHED &&
           (size_t)(g->m * g->n) * p->esize <= CACHED;
}

void gnd__openblas_gemm(const gnd_gemm *given, const gnd__blas_gemm *p, const void *a,
                        const void *b, void *c, const void *plus, int wide)
{
    if (given->m == 0 || given->n == 0 || gnd__smalls_gemm(given, p, a, b, c))
        return;
    gnd__blas_gemv v;
    gnd_gemm own = *given, *g = &own;
    const int is_gemv = gnd__blas_as_gemv(g, p, &v);
    /* A gemv may read y even if beta is 0. Contiguous results are set to 0 in one call. */
    const int zero = is_gemv && g->beta == 0.0 && g->k > 0;
    const int zeroed = zero && p->c.ld == g->n && g->c.batch == g->m * g->n;
    const int own_loops = wide && gnd__wide_has(g->dtype);
    if (zeroed)
        memset(c, 0, (size_t)(g->nbatch * g->m * g->n) * p->esize);
    for (int64_t i = 0; i < g->nbatch; i++) {
        const char *ai = (const char *)a + (size_t)(i * g->a.batch) * p->esize;
        const char *bi = (const char *)b + (size_t)(i * g->b.batch) * p->esize;
        char *ci = (char *)c + (size_t)(i * g->c.batch) * p->esize;
        for (int64_t j = 0; (g->flags & GND_GEMM_PLUS) && j < g->m; j++)
            memcpy(ci + (size_t)(j * p->c.ld) * p->esize,
                   (const char *)plus + (size_t)(i * g->plus.batch + j * p->plus.ld) * p->esize,
                   (size_t)g->n * p->esize);
        if (g->k == 0 || (zero && !zeroed))
            scale(g, ci, g->beta, p->esize, p->c.ld);
        if (g->k == 0)
            continue;
        if (own_loops && (is_gemv ? gnd__wide_gemv(g, &v, v.of_b ? bi : ai, v.of_b ? ai : bi, ci)
                                  : gnd__wide_gemm(g, p, ai, bi, ci)))
            ;
        else if (is_gemv)
            gemv(g, &v, v.of_b ? bi : ai, v.of_b ? ai : bi, ci);
        else if (is_square(g, p, ai, bi))
            syrk(g, p, ai, ci);
        else
            gemm(g, p, ai, bi, ci);
        if (g->flags & GND_GEMM_RELU)
            relu(g, ci, p->c.ld);
    }
}
