/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/blas_choice.c - descriptors of a product for cuBLASLt, and the algorithm that it chooses.
 *
 * cuBLASLt is column-major, and a row-major C = A B is a column-major C' = B' A': the operands are
 * swapped. A matrix stored as given is then not transposed; one stored transposed is.
 */
#include "blas.h"

#include <string.h>

static const gnd__lt_type types[] = {
    {GND_FLOAT32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_FLOAT64, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
    {GND_FLOAT16, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_BFLOAT16, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {GND_COMPLEX64, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F},
    {GND_COMPLEX128, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F},
};

const gnd__lt_type *gnd__lt_type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

/* How products of the type are computed. float32 and complex64 use TF32 if that was requested. */
static cublasComputeType_t compute_of(const struct gnd__cu_blas *bl, const gnd__lt_type *ty)
{
    const int single = ty->dtype == GND_FLOAT32 || ty->dtype == GND_COMPLEX64;
    return bl->tf32 && single ? CUBLAS_COMPUTE_32F_FAST_TF32 : ty->compute;
}

gnd_status gnd__lt_fail(gnd_err *e, cublasStatus_t r, const char *what)
{
    const gnd_status s = r == CUBLAS_STATUS_ALLOC_FAILED    ? GND_ERR_DEVMEM
                         : r == CUBLAS_STATUS_NOT_SUPPORTED ? GND_ERR_UNSUPPORTED
                                                            : GND_ERR_BACKEND;
    return gnd__plug_fail(e, s, (int)r, "%s: %s (%d)", what, gnd__lt.cublasLtGetStatusName(r),
                          (int)r);
}

void gnd__lt_clear(gnd__lt_entry *t)
{
    if (t->op)
        gnd__lt.cublasLtMatmulDescDestroy(t->op);
    if (t->a)
        gnd__lt.cublasLtMatrixLayoutDestroy(t->a);
    if (t->b)
        gnd__lt.cublasLtMatrixLayoutDestroy(t->b);
    if (t->c)
        gnd__lt.cublasLtMatrixLayoutDestroy(t->c);
    if (t->plus)
        gnd__lt.cublasLtMatrixLayoutDestroy(t->plus);
    memset(t, 0, sizeof *t);
}

/* A matrix of rows x cols, row-major, stored as given or transposed. */
static cublasStatus_t layout(cublasLtMatrixLayout_t *out, cudaDataType_t type, int64_t rows,
                             int64_t cols, const gnd__blas_mat *m, int64_t nbatch, int64_t batch)
{
    const int64_t col_rows = m->trans ? rows : cols, col_cols = m->trans ? cols : rows;
    const int32_t count = (int32_t)nbatch;
    cublasStatus_t r = gnd__lt.cublasLtMatrixLayoutCreate(out, type, (uint64_t)col_rows,
                                                          (uint64_t)col_cols, m->ld);
    if (r == CUBLAS_STATUS_SUCCESS && nbatch > 1)
        r = gnd__lt.cublasLtMatrixLayoutSetAttribute(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                     &count, sizeof count);
    if (r == CUBLAS_STATUS_SUCCESS && nbatch > 1)
        r = gnd__lt.cublasLtMatrixLayoutSetAttribute(
            *out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch, sizeof batch);
    return r;
}

/* The library's first choice, within our workspace and the operands' alignment. A sum that is
 * split along k must not be put together in the type of the result. */
static cublasStatus_t choose(cublasLtHandle_t h, gnd__lt_entry *t, int *found)
{
    cublasLtMatmulPreference_t pref = NULL;
    cublasLtMatmulHeuristicResult_t best;
    const size_t workspace = GND__LT_WORKSPACE;
    const uint32_t schemes =
        CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    /* The library's A is our B. */
    const int row = (t->k.flags & GND_GEMM_PLUS) && !t->plus;
    const uint8_t least = t->k.align_plus < t->k.align_c ? t->k.align_plus : t->k.align_c;
    const struct {
        cublasLtMatmulPreferenceAttributes_t what;
        uint32_t bytes;
    } align[4] = {{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 1u << t->k.align_b},
                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 1u << t->k.align_a},
                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                   1u << (t->plus ? t->k.align_plus : t->k.align_c)},
                  /* no attribute for a row that is added: the algorithm accesses it like D */
                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 1u << (row ? least : t->k.align_c)}};
    *found = 0;
    cublasStatus_t r = gnd__lt.cublasLtMatmulPreferenceCreate(&pref);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = gnd__lt.cublasLtMatmulPreferenceSetAttribute(
            pref, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = gnd__lt.cublasLtMatmulPreferenceSetAttribute(
            pref, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    for (int i = 0; i < 4 && r == CUBLAS_STATUS_SUCCESS; i++)
        r = gnd__lt.cublasLtMatmulPreferenceSetAttribute(pref, align[i].what, &align[i].bytes,
                                                         sizeof align[i].bytes);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = gnd__lt.cublasLtMatmulAlgoGetHeuristic(h, t->op, t->b, t->a, t->plus ? t->plus : t->c,
                                                   t->c, pref, 1, &best, found);
    if (pref)
        gnd__lt.cublasLtMatmulPreferenceDestroy(pref);
    if (r == CUBLAS_STATUS_SUCCESS && *found > 0)
        t->algo = best.algo;
    return r;
}

uint8_t gnd__lt_align(CUdeviceptr p)
{
    uint8_t n = 0;
    while ((1u << n) < GND__LT_MAX_ALIGN && !(p >> n & 1))
        n++;
    return n;
}

/* Sets the operations after the product. The row's address is set before each call; here any will
 * do. */
static cublasStatus_t epilogue(gnd__lt_entry *t, const gnd__lt_key *k, const gnd__lt_type *ty,
                               const gnd_gemm *g, const gnd__blas_gemm *p)
{
    const int row = (g->flags & GND_GEMM_PLUS) && p->plus.ld == 0;
    const cublasLtEpilogue_t what = row ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    const void *any = (const void *)(uintptr_t)GND__LT_MAX_ALIGN;
    cublasStatus_t r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                              &what, sizeof what);
    if (r == CUBLAS_STATUS_SUCCESS && row)
        r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &any,
                                                   sizeof any);
    if (r == CUBLAS_STATUS_SUCCESS && row && k->nbatch > 1)
        r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE,
                                                   &k->batch_plus, sizeof k->batch_plus);
    if (r == CUBLAS_STATUS_SUCCESS && (g->flags & GND_GEMM_PLUS) && !row)
        r = layout(&t->plus, ty->data, g->m, g->n, &p->plus, k->nbatch, k->batch_plus);
    return r;
}

gnd_status gnd__lt_choose(struct gnd__cu_blas *bl, gnd__lt_entry *t, const gnd__lt_key *k,
                          const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e)
{
    const gnd__lt_type *ty = gnd__lt_type_of(g->dtype);
    const cublasOperation_t ta = p->a.trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t tb = p->b.trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    int found = 0;
    gnd__lt_clear(t);
    t->k = *k;
    cublasStatus_t r = gnd__lt.cublasLtMatmulDescCreate(&t->op, compute_of(bl, ty), ty->scale);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_TRANSA, &tb,
                                                   sizeof tb);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = gnd__lt.cublasLtMatmulDescSetAttribute(t->op, CUBLASLT_MATMUL_DESC_TRANSB, &ta,
                                                   sizeof ta);
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
    if (g->flags &&
        (r != CUBLAS_STATUS_SUCCESS || found == 0)) { /* the combination that follows() has tried */
        t->k.align_a = t->k.align_b = t->k.align_c = t->k.align_plus = gnd__lt_align(p->esize);
        r = choose(bl->h, t, &found);
        t->k = *k;
    }
    if (r == CUBLAS_STATUS_SUCCESS && found > 0) {
        t->used = 1;
        return GND_OK;
    }
    gnd__lt_clear(t);
    if (r == CUBLAS_STATUS_SUCCESS)
        r = CUBLAS_STATUS_NOT_SUPPORTED;
    return gnd__lt_fail(e, r, "cublasLtMatmulAlgoGetHeuristic");
}
