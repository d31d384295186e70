/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/blas.c - the blas group: cuBLASLt, loaded at the first product.
 *
 * float32 is computed in float32 (in TF32 only if GND_CUDA_TF32 asks for it). float16 and bfloat16
 * accumulate in float32 and are rounded once, also if a product is split along k. Descriptors and
 * the algorithm that the library chose are cached per shape, so that a repeated product costs a
 * look-up and the call (blas_choice.c).
 */
#include "blas.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gnd__lt_calls gnd__lt;

static int open_lib(gnd__cu_lib *l)
{
    const gnd__plug_sym syms[] = {
#define X(name) {#name, (void **)&gnd__lt.name, 0},
        GND__LT_SYMBOLS(X)
#undef X
    };
    if (!gnd__cu_lib_symbols(l, syms, sizeof syms / sizeof *syms))
        return 0;
    const int v = (int)gnd__lt.cublasLtGetVersion(); /* 130102: 13.1.2 */
    return gnd__cu_lib_found(l, v / 10000, v / 100 % 100, v % 100);
}

static const char *const versions[] = {"13", "12", "11", NULL};
static gnd__cu_lib lib = GND__CU_LIB("cuBLASLt", "libcublasLt.so", versions, open_lib);

static gnd_status blas_supports(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    (void)d;
    *yes = 0;
    if (!gnd__lt_type_of(g->dtype)) {
        gnd__plug_fail(e, GND_OK, 0, "cuBLASLt does not take this dtype");
        return GND_OK;
    }
    if (g->k == 0 && g->beta != 0.0 && g->beta != 1.0) {
        gnd__plug_fail(e, GND_OK, 0, "cuBLASLt does not scale alone");
        return GND_OK;
    }
    if (!gnd__cu_lib_load(&lib)) {
        gnd__plug_fail(e, GND_OK, 0, "no cuBLASLt: %s", lib.text);
        return GND_OK;
    }
    *yes = gnd__blas_layout(g, INT_MAX, &p, e) == GND_OK;
    if (e)
        e->code = GND_OK; /* an unsupported product is not an error; the reason is kept */
    return GND_OK;
}

/* --- products --------------------------------------------------------------------------------- */

static size_t bytes_of(const gnd_buf *b)
{
    return b->nbytes;
}

static gnd_status get_handle(gnd_dev *d, gnd_err *e)
{
    const gnd_status s = gnd__cu_enter(d, e);
    if (s != GND_OK)
        return s;
    if (!d->blas) {
        struct gnd__cu_blas *bl = calloc(1, sizeof *bl);
        if (!bl)
            return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for cuBLASLt");
        const cublasStatus_t r = gnd__lt.cublasLtCreate(&bl->h);
        if (r != CUBLAS_STATUS_SUCCESS) {
            free(bl);
            return gnd__lt_fail(e, r, "cublasLtCreate");
        }
        bl->tf32 = d->tf32;
        d->blas = bl;
    }
    return GND_OK;
}

static gnd_status get_ready(gnd_queue *q, gnd_err *e)
{
    gnd_dev *d = q->dev;
    const gnd_status s = get_handle(d, e);
    if (s != GND_OK)
        return s;
    if (!q->workspace) { /* each queue has its own: products of two queues run at the same time */
        const CUresult r = gnd__cu.MemAlloc(&q->workspace, GND__LT_WORKSPACE);
        if (r != CUDA_SUCCESS) {
            q->workspace = 0;
            return gnd__cu_fail(d, e, r, "gemm: no workspace of %d bytes: cuMemAlloc",
                                GND__LT_WORKSPACE);
        }
    }
    return GND_OK;
}

/* A product without terms: zeros, or C unchanged. */
static gnd_status no_terms(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e)
{
    if (g->beta == 1.0)
        return GND_OK;
    if (g->beta != 0.0)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: k is 0 and beta %g", g->beta);
    for (int64_t i = 0; i < g->nbatch; i++) {
        const CUdeviceptr c = g->c.buf->p + (g->c.off + (uint64_t)(i * g->c.batch)) * p->esize;
        const CUresult r = gnd__cu.MemsetD2D8Async(c, (size_t)p->c.ld * p->esize, 0,
                                                   (size_t)g->n * p->esize, (size_t)g->m, q->s);
        if (r != CUDA_SUCCESS)
            return gnd__cu_fail(q->dev, e, r, "cuMemsetD2D8Async");
    }
    return GND_OK;
}

/* The key of nbatch of the products of g, without the operands' alignment. */
static gnd__lt_key key_of(const gnd_gemm *g, const gnd__blas_gemm *p, int64_t nbatch)
{
    const int many = nbatch > 1;
    gnd__lt_key k;
    memset(&k, 0, sizeof k);
    k.dtype = g->dtype;
    k.flags = (uint8_t)g->flags;
    k.ta = (uint8_t)p->a.trans;
    k.tb = (uint8_t)p->b.trans;
    k.m = g->m, k.n = g->n, k.k = g->k, k.nbatch = nbatch;
    k.lda = p->a.ld, k.ldb = p->b.ld, k.ldc = p->c.ld;
    k.batch_a = many ? g->a.batch : 0;
    k.batch_b = many ? g->b.batch : 0;
    k.batch_c = many ? g->c.batch : 0;
    if (g->flags & GND_GEMM_PLUS) {
        k.ldp = p->plus.ld;
        k.batch_plus = many ? g->plus.batch : 0;
    }
    return k;
}

/* Runs nbatch products from batch `first` on. */
static gnd_status products(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, int64_t first,
                           int64_t nbatch, gnd_err *e)
{
    struct gnd__cu_blas *bl = q->dev->blas;
    const uint64_t es = p->esize;
    const CUdeviceptr a = g->a.buf->p + (g->a.off + (uint64_t)(first * g->a.batch)) * es;
    const CUdeviceptr b = g->b.buf->p + (g->b.off + (uint64_t)(first * g->b.batch)) * es;
    const CUdeviceptr c = g->c.buf->p + (g->c.off + (uint64_t)(first * g->c.batch)) * es;
    const int plus = (g->flags & GND_GEMM_PLUS) != 0, row = plus && p->plus.ld == 0;
    const CUdeviceptr add =
        plus ? g->plus.buf->p + (g->plus.off + (uint64_t)(first * g->plus.batch)) * es : c;
    gnd__lt_key k = key_of(g, p, nbatch);
    k.align_a = gnd__lt_align(a);
    k.align_b = gnd__lt_align(b);
    k.align_c = gnd__lt_align(c);
    k.align_plus = plus ? gnd__lt_align(add) : 0;
    gnd__lt_entry *t = &bl->cache[gnd__plug_hash(GND__PLUG_HASH, &k, sizeof k) % GND__LT_NCACHE];
    if (!t->used || memcmp(&t->k, &k, sizeof k) != 0) {
        const gnd_status s = gnd__lt_choose(bl, t, &k, g, p, e);
        if (s != GND_OK)
            return s;
    }
    const double beta = (g->flags & GND_GEMM_PLUS) && !t->plus ? 0 : g->beta;
    const float fa[2] = {(float)g->alpha, 0}, fb[2] = {(float)beta, 0};
    const double da[2] = {g->alpha, 0}, db[2] = {beta, 0};
    const int wide = gnd__lt_type_of(g->dtype)->compute == CUBLAS_COMPUTE_64F;
    cublasStatus_t r = CUBLAS_STATUS_SUCCESS;
    if (row)
        r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &add,
                                                   sizeof add);
    if (r != CUBLAS_STATUS_SUCCESS)
        return gnd__lt_fail(e, r, "cublasLtMatmulDescSetAttribute");
    r = gnd__lt.cublasLtMatmul(
        bl->h, t->op, wide ? (const void *)da : fa, (const void *)b, t->b, (const void *)a, t->a,
        wide ? (const void *)db : fb, (const void *)(t->plus ? add : c), t->plus ? t->plus : t->c,
        (void *)c, t->c, &t->algo, (void *)q->workspace, GND__LT_WORKSPACE, q->s);
    if (r == CUBLAS_STATUS_SUCCESS)
        return GND_OK;
    /* A fault of earlier work appears here as "execution failed"; the driver knows which fault it
     * is. */
    const CUresult cr = gnd__cu.StreamSynchronize(q->s);
    return cr != CUDA_SUCCESS ? gnd__cu_fail(q->dev, e, cr, "cublasLtMatmul")
                              : gnd__lt_fail(e, r, "cublasLtMatmul");
}

static gnd_status blas_gemm(gnd_queue *q, const gnd_gemm *g, gnd_err *e)
{
    gnd__blas_gemm p;
    gnd_status s;
    if (!gnd__lt_type_of(g->dtype))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: cuBLASLt does not take this dtype");
    if ((s = gnd__blas_layout(g, INT_MAX, &p, e)) != GND_OK ||
        (s = gnd__blas_in_buffers(g, &p, bytes_of, e)) != GND_OK)
        return s;
    if (g->m == 0 || g->n == 0 || g->nbatch == 0)
        return GND_OK;
    if (!gnd__cu_lib_load(&lib))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: no cuBLASLt: %s", lib.text);
    if ((s = get_ready(q, e)) != GND_OK)
        return s;
    if (g->k == 0)
        return no_terms(q, g, &p, e);
    for (int64_t i = 0; i < g->nbatch && s == GND_OK; i += GND__LT_MAX_BATCH)
        s = products(q, g, &p, i,
                     g->nbatch - i < GND__LT_MAX_BATCH ? g->nbatch - i : GND__LT_MAX_BATCH, e);
    return s;
}

/* Whether the library has an algorithm for the product and the operations after it, at any
 * alignment. Excluded are GND_GEMM_RELU, because cuBLASLt turns NaN into 0 in float16 (13.0 on an
 * H200), and multiples of a row, because the epilogue adds a row unchanged. */
static gnd_status blas_follows(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    gnd__lt_entry t;
    gnd_status s = blas_supports(d, g, yes, e);
    if (s != GND_OK || !*yes)
        return s;
    *yes = 0;
    const int row = (g->flags & GND_GEMM_PLUS) && (g->m == 1 || g->plus.row == 0);
    if (g->k == 0 || (g->flags & GND_GEMM_RELU) || (row && g->beta != 1) ||
        (s = gnd__blas_layout(g, INT_MAX, &p, e)) != GND_OK || (s = get_handle(d, e)) != GND_OK)
        return s;
    gnd__lt_key k = key_of(g, &p, g->nbatch < GND__LT_MAX_BATCH ? g->nbatch : GND__LT_MAX_BATCH);
    k.align_a = k.align_b = k.align_c = k.align_plus = gnd__lt_align(p.esize);
    memset(&t, 0, sizeof t);
    *yes = gnd__lt_choose(d->blas, &t, &k, g, &p, e) == GND_OK;
    gnd__lt_clear(&t);
    if (e)
        e->code = GND_OK; /* "no" is no error; the reason stays */
    return GND_OK;
}

static gnd_status blas_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)d;
    (void)e;
    return gnd__cu_lib_describe(&lib, buf, cap);
}

void gnd__cu_blas_close(gnd_dev *d)
{
    if (!d->blas)
        return;
    for (int i = 0; i < GND__LT_NCACHE; i++)
        gnd__lt_clear(&d->blas->cache[i]);
    if (!d->lost)
        gnd__lt.cublasLtDestroy(d->blas->h);
    free(d->blas);
    d->blas = NULL;
}

const gnd_blas_ops gnd__cu_blas_ops = {
    .size = sizeof(gnd_blas_ops),
    .supports = blas_supports,
    .gemm = blas_gemm,
    .describe = blas_describe,
    .follows = blas_follows,
};
