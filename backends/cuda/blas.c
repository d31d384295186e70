/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/blas.c - the blas group: cuBLASLt, loaded at the first product. It is column-major, and a
 * row-major C = A B is a column-major C' = B' A': the operands are swapped; a matrix stored as
 * given is then not transposed, one stored transposed is.
 *
 * float32 is computed in float32 (in TF32 only if GND_CUDA_TF32 asks for it). float16 and bfloat16
 * accumulate in float32 and are rounded once, also if a product is split along k. Descriptors and
 * the algorithm that the library chose are cached per shape, so that a repeated product costs a
 * look-up and the call.
 */
#include "cu.h"
#include "../common/gemm.h"

#include <cublasLt.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every symbol that is used, once. */
#define SYMBOLS(X)                                                                                 \
    X(cublasLtGetVersion)                                                                          \
    X(cublasLtGetStatusName)                                                                       \
    X(cublasLtCreate)                                                                              \
    X(cublasLtDestroy)                                                                             \
    X(cublasLtMatmul)                                                                              \
    X(cublasLtMatmulAlgoGetHeuristic)                                                              \
    X(cublasLtMatmulDescCreate)                                                                    \
    X(cublasLtMatmulDescDestroy)                                                                   \
    X(cublasLtMatmulDescSetAttribute)                                                              \
    X(cublasLtMatrixLayoutCreate)                                                                  \
    X(cublasLtMatrixLayoutDestroy)                                                                 \
    X(cublasLtMatrixLayoutSetAttribute)                                                            \
    X(cublasLtMatmulPreferenceCreate)                                                              \
    X(cublasLtMatmulPreferenceDestroy)                                                             \
    X(cublasLtMatmulPreferenceSetAttribute)

static struct {
#define X(name) __typeof__(name) *name;
    SYMBOLS(X)
#undef X
} lt;
static const char stem[] = "libcublasLt.so";
static const char *const versions[] = {"13", "12", "11", NULL};
static int tried, loaded;
static char text_[400]; /* the library and its version, or why there is none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { WORKSPACE = 32 << 20, NCACHE = 256, MAX_BATCH = 65535, MAX_ALIGN = 256 };

/* What a choice of the library depends on. Without padding: compared as bytes. */
typedef struct key {
    uint32_t dtype;
    uint8_t ta, tb, align_a, align_b, align_c, align_plus, flags, zero[5]; /* align: log2 */
    int64_t m, n, k, nbatch, lda, ldb, ldc, ldp, batch_a, batch_b, batch_c, batch_plus;
} key;

typedef struct entry {
    key k;
    int used;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, c,
        plus; /* plus: a matrix that is added; a row is the epilogue's */
    cublasLtMatmulAlgo_t algo;
} entry;

struct gnd__cu_blas {
    cublasLtHandle_t h;
    int tf32;            /* asked for */
    entry cache[NCACHE]; /* by hash; the newer one stays */
};

/* The dtypes it takes: of elements, of the sum, and of alpha and beta. */
static const struct type {
    uint32_t dtype;
    cudaDataType_t data, scale;
    cublasComputeType_t compute;
} types[] = {
    {GND_FLOAT32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_FLOAT64, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
    {GND_FLOAT16, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_BFLOAT16, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_COMPLEX64, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F},
    {GND_COMPLEX128, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F},
};

static const struct type *type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

/* How products of the type are computed: of float32 and complex64 in TF32 when that was asked for.
 */
static cublasComputeType_t compute_of(const struct gnd__cu_blas *bl, const struct type *ty)
{
    const int single = ty->dtype == GND_FLOAT32 || ty->dtype == GND_COMPLEX64;
    return bl->tf32 && single ? CUBLAS_COMPUTE_32F_FAST_TF32 : ty->compute;
}

static int load(void)
{
    const gnd__plug_sym syms[] = {
#define X(name) {#name, (void **)&lt.name, 0},
        SYMBOLS(X)
#undef X
    };
    char found[512], why[400];
    pthread_mutex_lock(&lock);
    if (!tried) {
        loaded = gnd__cu_load(stem, versions, syms, sizeof syms / sizeof *syms, found, sizeof found,
                              why, sizeof why);
        if (loaded) {
            const size_t v = lt.cublasLtGetVersion(); /* 130102: 13.1.2 */
            snprintf(text_, sizeof text_, "cuBLASLt %zu.%zu.%zu (%.300s)", v / 10000, v / 100 % 100,
                     v % 100, found);
        } else {
            snprintf(text_, sizeof text_, "%.390s", why);
        }
        tried = 1;
    }
    pthread_mutex_unlock(&lock);
    return loaded;
}

static gnd_status fail(gnd_err *e, cublasStatus_t r, const char *what)
{
    const gnd_status s = r == CUBLAS_STATUS_ALLOC_FAILED    ? GND_ERR_DEVMEM
                         : r == CUBLAS_STATUS_NOT_SUPPORTED ? GND_ERR_UNSUPPORTED
                                                            : GND_ERR_BACKEND;
    return gnd__plug_fail(e, s, (int)r, "%s: %s (%d)", what, lt.cublasLtGetStatusName(r), (int)r);
}

static gnd_status blas_supports(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    (void)d;
    *yes = 0;
    if (!type_of(g->dtype)) {
        gnd__plug_fail(e, GND_OK, 0, "cuBLASLt does not take this dtype");
        return GND_OK;
    }
    if (g->k == 0 && g->beta != 0.0 && g->beta != 1.0) {
        gnd__plug_fail(e, GND_OK, 0, "cuBLASLt does not scale alone");
        return GND_OK;
    }
    if (!load()) {
        gnd__plug_fail(e, GND_OK, 0, "no cuBLASLt: %s", text_);
        return GND_OK;
    }
    *yes = gnd__blas_layout(g, INT_MAX, &p, e) == GND_OK;
    if (e)
        e->code = GND_OK; /* "no" is no error; the reason stays */
    return GND_OK;
}

/* --- the cache -------------------------------------------------------------------------------- */

static void entry_clear(entry *t)
{
    if (t->op)
        lt.cublasLtMatmulDescDestroy(t->op);
    if (t->a)
        lt.cublasLtMatrixLayoutDestroy(t->a);
    if (t->b)
        lt.cublasLtMatrixLayoutDestroy(t->b);
    if (t->c)
        lt.cublasLtMatrixLayoutDestroy(t->c);
    if (t->plus)
        lt.cublasLtMatrixLayoutDestroy(t->plus);
    memset(t, 0, sizeof *t);
}

/* A matrix of rows x cols, row-major, stored as given or transposed. */
static cublasStatus_t layout(cublasLtMatrixLayout_t *out, cudaDataType_t type, int64_t rows,
                             int64_t cols, const gnd__blas_mat *m, int64_t nbatch, int64_t batch)
{
    const int64_t col_rows = m->trans ? rows : cols, col_cols = m->trans ? cols : rows;
    const int32_t count = (int32_t)nbatch;
    cublasStatus_t r =
        lt.cublasLtMatrixLayoutCreate(out, type, (uint64_t)col_rows, (uint64_t)col_cols, m->ld);
    if (r == CUBLAS_STATUS_SUCCESS && nbatch > 1)
        r = lt.cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                                sizeof count);
    if (r == CUBLAS_STATUS_SUCCESS && nbatch > 1)
        r = lt.cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                &batch, sizeof batch);
    return r;
}

/* The library's first choice, within our workspace and the operands' alignment. A sum that is
 * split along k must not be put together in the type of the result. */
static cublasStatus_t choose(cublasLtHandle_t h, entry *t, int *found)
{
    cublasLtMatmulPreference_t pref = NULL;
    cublasLtMatmulHeuristicResult_t best;
    const size_t workspace = WORKSPACE;
    const uint32_t schemes =
        CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    /* The library's A is our B. */
    const int row = (t->k.flags & GND_GEMM_PLUS) && !t->plus;
    const uint8_t least = t->k.align_plus < t->k.align_c ? t->k.align_plus : t->k.align_c;
    const struct {
        cublasLtMatmulPreferenceAttributes_t what;
        uint32_t bytes;
    } align[4] = {
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 1u << t->k.align_b},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 1u << t->k.align_a},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
         1u << (t->plus ? t->k.align_plus : t->k.align_c)},
        /* there is none for a row that is added: the algorithm's accesses are those of D */
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 1u << (row ? least : t->k.align_c)}};
    *found = 0;
    cublasStatus_t r = lt.cublasLtMatmulPreferenceCreate(&pref);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = lt.cublasLtMatmulPreferenceSetAttribute(pref, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace, sizeof workspace);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = lt.cublasLtMatmulPreferenceSetAttribute(
            pref, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    for (int i = 0; i < 4 && r == CUBLAS_STATUS_SUCCESS; i++)
        r = lt.cublasLtMatmulPreferenceSetAttribute(pref, align[i].what, &align[i].bytes,
                                                    sizeof align[i].bytes);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = lt.cublasLtMatmulAlgoGetHeuristic(h, t->op, t->b, t->a, t->plus ? t->plus : t->c, t->c,
                                              pref, 1, &best, found);
    if (pref)
        lt.cublasLtMatmulPreferenceDestroy(pref);
    if (r == CUBLAS_STATUS_SUCCESS && *found > 0)
        t->algo = best.algo;
    return r;
}

static uint8_t align_of(CUdeviceptr p)
{
    uint8_t n = 0;
    while ((1u << n) < MAX_ALIGN && !(p >> n & 1))
        n++;
    return n;
}

/* What follows the product. The row's address is set before each call; here any will do. */
static cublasStatus_t epilogue(entry *t, const key *k, const struct type *ty, const gnd_gemm *g,
                               const gnd__blas_gemm *p)
{
    const int row = (g->flags & GND_GEMM_PLUS) && p->plus.ld == 0;
    const cublasLtEpilogue_t what = row ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    const void *any = (const void *)(uintptr_t)MAX_ALIGN;
    cublasStatus_t r =
        lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_EPILOGUE, &what, sizeof what);
    if (r == CUBLAS_STATUS_SUCCESS && row)
        r = lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &any,
                                              sizeof any);
    if (r == CUBLAS_STATUS_SUCCESS && row && k->nbatch > 1)
        r = lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
                                              &k->batch_plus, sizeof k->batch_plus);
    if (r == CUBLAS_STATUS_SUCCESS && (g->flags & GND_GEMM_PLUS) && !row)
        r = layout(&t->plus, ty->data, g->m, g->n, &p->plus, k->nbatch, k->batch_plus);
    return r;
}

static gnd_status entry_make(struct gnd__cu_blas *bl, entry *t, const key *k, const gnd_gemm *g,
                             const gnd__blas_gemm *p, gnd_err *e)
{
    const struct type *ty = type_of(g->dtype);
    const cublasOperation_t ta = p->a.trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t tb = p->b.trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    int found = 0;
    entry_clear(t);
    t->k = *k;
    cublasStatus_t r = lt.cublasLtMatmulDescCreate(&t->op, compute_of(bl, ty), ty->scale);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_TRANSA, &tb, sizeof tb);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_TRANSB, &ta, sizeof ta);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = layout(&t->a, ty->data, g->m, g->k, &p->a, k->nbatch, k->batch_a);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = layout(&t->b, ty->data, g->k, g->n, &p->b, k->nbatch, k->batch_b);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = layout(&t->c, ty->data, g->m, g->n, &p->c, k->nbatch, k->batch_c);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = g->flags ? epilogue(t, k, ty, g, p) : r;
    if (r == CUBLAS_STATUS_SUCCESS)
        r = choose(bl->h, t, &found);
    if (g->flags && (r != CUBLAS_STATUS_SUCCESS || found == 0)) { /* what follows() has tried */
        t->k.align_a = t->k.align_b = t->k.align_c = t->k.align_plus = align_of(p->esize);
        r = choose(bl->h, t, &found);
        t->k = *k;
    }
    if (r == CUBLAS_STATUS_SUCCESS && found > 0) {
        t->used = 1;
        return GND_OK;
    }
    entry_clear(t);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = CUBLAS_STATUS_NOT_SUPPORTED;
    return fail(e, r, "cublasLtMatmulAlgoGetHeuristic");
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
        const cublasStatus_t r = lt.cublasLtCreate(&bl->h);
        if (r != CUBLAS_STATUS_SUCCESS) {
            free(bl);
            return fail(e, r, "cublasLtCreate");
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
    if (!q->workspace) { /* a queue's own: products of two queues run at the same time */
        const CUresult r = gnd__cu.MemAlloc(&q->workspace, WORKSPACE);
        if (r != CUDA_SUCCESS) {
            q->workspace = 0;
            return gnd__cu_fail(d, e, r, "gemm: no workspace of %d bytes: cuMemAlloc", WORKSPACE);
        }
    }
    return GND_OK;
}

/* A product of no terms: zeros, or C as it is. */
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

/* The key of nbatch of the products of g, but for the operands' alignment. */
static key key_of(const gnd_gemm *g, const gnd__blas_gemm *p, int64_t nbatch)
{
    const int many = nbatch > 1;
    key k;
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

/* nbatch products from batch `first` on. */
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
    key k = key_of(g, p, nbatch);
    k.align_a = align_of(a);
    k.align_b = align_of(b);
    k.align_c = align_of(c);
    k.align_plus = plus ? align_of(add) : 0;
    entry *t = &bl->cache[gnd__plug_hash(GND__PLUG_HASH, &k, sizeof k) % NCACHE];
    if (!t->used || memcmp(&t->k, &k, sizeof k) != 0) {
        const gnd_status s = entry_make(bl, t, &k, g, p, e);
        if (s != GND_OK)
            return s;
    }
    const double beta = (g->flags & GND_GEMM_PLUS) && !t->plus ? 0 : g->beta;
    const float fa[2] = {(float)g->alpha, 0}, fb[2] = {(float)beta, 0};
    const double da[2] = {g->alpha, 0}, db[2] = {beta, 0};
    const int wide = type_of(g->dtype)->compute == CUBLAS_COMPUTE_64F;
    cublasStatus_t r = CUBLAS_STATUS_SUCCESS;
    if (row)
        r = lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &add,
                                              sizeof add);
    if (r != CUBLAS_STATUS_SUCCESS)
        return fail(e, r, "cublasLtMatmulDescSetAttribute");
    r = lt.cublasLtMatmul(bl->h, t->op, wide ? (const void *)da : fa, (const void *)b, t->b,
                          (const void *)a, t->a, wide ? (const void *)db : fb,
                          (const void *)(t->plus ? add : c), t->plus ? t->plus : t->c, (void *)c,
                          t->c, &t->algo, (void *)q->workspace, WORKSPACE, q->s);
    if (r == CUBLAS_STATUS_SUCCESS)
        return GND_OK;
    /* A fault of earlier work ends here as "execution failed": the driver knows which. */
    const CUresult cr = gnd__cu.StreamSynchronize(q->s);
    return cr != CUDA_SUCCESS ? gnd__cu_fail(q->dev, e, cr, "cublasLtMatmul")
                              : fail(e, r, "cublasLtMatmul");
}

static gnd_status blas_gemm(gnd_queue *q, const gnd_gemm *g, gnd_err *e)
{
    gnd__blas_gemm p;
    gnd_status s;
    if (!type_of(g->dtype))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: cuBLASLt does not take this dtype");
    if ((s = gnd__blas_layout(g, INT_MAX, &p, e)) != GND_OK ||
        (s = gnd__blas_in_buffers(g, &p, bytes_of, e)) != GND_OK)
        return s;
    if (g->m == 0 || g->n == 0 || g->nbatch == 0)
        return GND_OK;
    if (!load())
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: no cuBLASLt: %s", text_);
    if ((s = get_ready(q, e)) != GND_OK)
        return s;
    if (g->k == 0)
        return no_terms(q, g, &p, e);
    for (int64_t i = 0; i < g->nbatch && s == GND_OK; i += MAX_BATCH)
        s = products(q, g, &p, i, g->nbatch - i < MAX_BATCH ? g->nbatch - i : MAX_BATCH, e);
    return s;
}

/* Whether the library has an algorithm for the product with what follows it, at any alignment. Not
 * for GND_GEMM_RELU: cuBLASLt's makes 0 of NaN in float16 (13.0 on an H200). Nor for a multiple of
 * a row: the epilogue adds it as it is. */
static gnd_status blas_follows(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    entry t;
    gnd_status s = blas_supports(d, g, yes, e);
    if (s != GND_OK || !*yes)
        return s;
    *yes = 0;
    const int row = (g->flags & GND_GEMM_PLUS) && (g->m == 1 || g->plus.row == 0);
    if (g->k == 0 || (g->flags & GND_GEMM_RELU) || (row && g->beta != 1) ||
        (s = gnd__blas_layout(g, INT_MAX, &p, e)) != GND_OK || (s = get_handle(d, e)) != GND_OK)
        return s;
    key k = key_of(g, &p, g->nbatch < MAX_BATCH ? g->nbatch : MAX_BATCH);
    k.align_a = k.align_b = k.align_c = k.align_plus = align_of(p.esize);
    memset(&t, 0, sizeof t);
    *yes = entry_make(d->blas, &t, &k, g, &p, e) == GND_OK;
    entry_clear(&t);
    if (e)
        e->code = GND_OK; /* "no" is no error; the reason stays */
    return GND_OK;
}

static gnd_status blas_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)d;
    (void)e;
    pthread_mutex_lock(&lock);
    const int known = tried;
    pthread_mutex_unlock(&lock);
    gnd__cu_describe("cuBLASLt", stem, versions, known, load, text_, buf, cap);
    return GND_OK;
}

void gnd__cu_blas_close(gnd_dev *d)
{
    if (!d->blas)
        return;
    for (int i = 0; i < NCACHE; i++)
        entry_clear(&d->blas->cache[i]);
    if (!d->lost)
        lt.cublasLtDestroy(d->blas->h);
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
