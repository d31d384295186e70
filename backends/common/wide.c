/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/wide.c - products of float32 and float64 on one thread with AVX-512, in place of an
 * OpenBLAS that is older than the CPU and has loops of SSE3 for it. A tile of 8 rows and two
 * vectors of columns stays in registers while the terms pass; terms are added in order, in parts of
 * TERMS. B is copied to rows of two vectors where its columns are apart, or many rows use it.
 */
#include "gemm.h"

#include <stdlib.h>

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl,fma")))

/* Terms of a part; rows of C from which on a copy of B pays. */
enum { TERMS = 384, REUSED = 96 };

/* Some columns of a product: k terms, n columns, the strides of A and B, and C. */
typedef struct panel_f32 {
    int64_t k, n, ar, ac, ldb, ldc;
    float alpha, beta;
} panel_f32;
typedef struct panel_f64 {
    int64_t k, n, ar, ac, ldb, ldc;
    double alpha, beta;
} panel_f64;

#define NAME(x) x##_f32
#define T float
#define W 16
#define VEC __m512
#define VMASK __mmask16
#define VINDEX __m512i
#define VZERO _mm512_setzero_ps()
#define VSET(x) _mm512_set1_ps(x)
#define VALL(p) _mm512_loadu_ps(p)
#define VLOAD(m, p) _mm512_maskz_loadu_ps(m, p)
#define VSTORE(p, m, x) _mm512_mask_storeu_ps(p, m, x)
#define VFMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define VMUL(a, b) _mm512_mul_ps(a, b)
#define VADD(a, b) _mm512_add_ps(a, b)
#define VSUM(a) _mm512_reduce_add_ps(a)
#define VSTEPS(n)                                                                                  \
    _mm512_mullo_epi32(_mm512_set1_epi32((int)(n)),                                                \
                       _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define VGATHER(m, at, p) _mm512_mask_i32gather_ps(VZERO, m, at, p, 4)
#include "wideloops.h"
#undef NAME
#undef T
#undef W
#undef VEC
#undef VMASK
#undef VINDEX
#undef VZERO
#undef VSET
#undef VALL
#undef VLOAD
#undef VSTORE
#undef VFMA
#undef VMUL
#undef VADD
#undef VSUM
#undef VSTEPS
#undef VGATHER

#define NAME(x) x##_f64
#define T double
#define W 8
#define VEC __m512d
#define VMASK __mmask8
#define VINDEX __m512i
#define VZERO _mm512_setzero_pd()
#define VSET(x) _mm512_set1_pd(x)
#define VALL(p) _mm512_loadu_pd(p)
#define VLOAD(m, p) _mm512_maskz_loadu_pd(m, p)
#define VSTORE(p, m, x) _mm512_mask_storeu_pd(p, m, x)
#define VFMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define VMUL(a, b) _mm512_mul_pd(a, b)
#define VADD(a, b) _mm512_add_pd(a, b)
#define VSUM(a) _mm512_reduce_add_pd(a)
#define VSTEPS(n)                                                                                  \
    _mm512_mullo_epi64(_mm512_set1_epi64(n), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))
#define VGATHER(m, at, p) _mm512_mask_i64gather_pd(VZERO, m, at, p, 8)
#include "wideloops.h"

int gnd__wide_has(uint32_t dtype)
{
    return (dtype == GND_FLOAT32 || dtype == GND_FLOAT64) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

int gnd__wide_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                   void *c)
{
    const int64_t ar = p->a.trans ? 1 : p->a.ld, ac = p->a.trans ? p->a.ld : 1;
    const int64_t br = p->b.trans ? 1 : p->b.ld, bc = p->b.trans ? p->b.ld : 1;
    if (bc > INT32_MAX / 16) /* steps of a gather */
        return 0;
    return g->dtype == GND_FLOAT32 ? product_f32(g, a, ar, ac, b, br, bc, c, p->c.ld)
                                   : product_f64(g, a, ar, ac, b, br, bc, c, p->c.ld);
}

int gnd__wide_gemv(const gnd_gemm *g, const gnd__blas_gemv *v, const void *m, const void *x,
                   void *y)
{
    return g->dtype == GND_FLOAT32 ? vector_f32(g, v, m, x, y) : vector_f64(g, v, m, x, y);
}

#else

int gnd__wide_has(uint32_t dtype)
{
    (void)dtype;
    return 0;
}

int gnd__wide_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                   void *c)
{
    (void)g, (void)p, (void)a, (void)b, (void)c;
    return 0;
}

int gnd__wide_gemv(const gnd_gemm *g, const gnd__blas_gemv *v, const void *m, const void *x,
                   void *y)
{
    (void)g, (void)v, (void)m, (void)x, (void)y;
    return 0;
}
#endif
