/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/smalls.c - products of small matrices in host memory, of which a call of BLAS takes longer
 * than the multiplications. A tile of 4 rows and two vectors of columns stays in registers while
 * the terms pass, which are added in order (those of a product with a vector in lanes); no
 * multiplication is contracted with an addition, so every CPU gives the same bits. Whole vectors
 * are loaded and stored: of columns behind the last one the sums have no meaning, and the row after
 * overwrites them.
 */
#include "gemm.h"

#include <string.h>

/* Code for wider vectors as well; see lib/host/clones.h, which plugins do not see. */
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __gnu_linux__ &&       \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CLONES
#endif

enum {
    VECTOR = 32,      /* bytes */
    MOST_TERMS = 32,  /* of a sum */
    MOST_BYTES = 128, /* of a row of C */
    /* multiplications of a product, times the square of an element's bytes; those with a vector */
    MOST = 1 << 19,
    MOST_COMPLEX = 1 << 17,
    MOST_VECTOR = 256,
    MOST_COMPLEX_VECTOR = 64
};

/* Products of m x k and k x n matrices: the strides of A and B, whose batches are `abatch` and
 * `bbatch` apart; C is contiguous. In elements. */
typedef struct smalls {
    int64_t count, m, n, k, ar, ac, br, bc, abatch, bbatch;
} smalls;

#define NAME(x) x##_f32
#define T float
#define I int32_t
#define PARTS 1
#include "smallloops.h"
#undef NAME
#undef T
#undef I
#undef PARTS

#define NAME(x) x##_f64
#define T double
#define I int64_t
#define PARTS 1
#include "smallloops.h"
#undef NAME
#undef T
#undef I
#undef PARTS

#define NAME(x) x##_c64
#define T float
#define I int32_t
#define PARTS 2
#include "smallloops.h"
#undef NAME
#undef T
#undef I
#undef PARTS

#define NAME(x) x##_c128
#define T double
#define I int64_t
#define PARTS 2
#include "smallloops.h"

int gnd__smalls_gemm(const gnd_gemm *g, const gnd__blas_gemm *p, const void *a, const void *b,
                     void *c)
{
    const int64_t size = (int64_t)p->esize;
    smalls s = {.count = g->nbatch,
                .m = g->m,
                .n = g->n,
                .k = g->k,
                .ar = p->a.trans ? 1 : p->a.ld,
                .ac = p->a.trans ? p->a.ld : 1,
                .br = p->b.trans ? 1 : p->b.ld,
                .bc = p->b.trans ? p->b.ld : 1,
                .abatch = g->a.batch,
                .bbatch = g->b.batch};
    if (g->flags || g->alpha != 1.0 || g->beta != 0.0 || p->c.ld != g->n ||
        (g->nbatch > 1 && g->c.batch != g->m * g->n))
        return 0;
    const int real = g->dtype == GND_FLOAT32 || g->dtype == GND_FLOAT64;
    if (!real && a == b && g->m == g->n && p->a.trans != p->b.trans)
        return 0; /* a matrix by its own transpose, whose symmetry OpenBLAS keeps by computing half
                   */
    const int64_t most = s.n > 1 && s.m > 1 ? (real ? MOST : MOST_COMPLEX) / (size * size)
                                            : (real ? MOST_VECTOR : MOST_COMPLEX_VECTOR);
    if (s.k < 1 || s.k > MOST_TERMS || s.m > most || s.n > most || s.m * s.n * s.k > most)
        return 0;
    if (s.n == 1 && s.ac == 1 && s.br == 1 && real) {
        if (g->dtype == GND_FLOAT32)
            dots_f32(&s, a, b, c);
        else
            dots_f64(&s, a, b, c);
        return 1;
    }
    if (s.n == 1) { /* the row of the transposed product */
        const void *one = a;
        a = b;
        b = one;
        s = (smalls){.count = s.count,
                     .m = 1,
                     .n = s.m,
                     .k = s.k,
                     .ac = s.br,
                     .br = s.ac,
                     .bc = s.ar,
                     .abatch = s.bbatch,
                     .bbatch = s.abatch};
    }
    if (s.n * size > MOST_BYTES)
        return 0;
    switch (g->dtype) {
    case GND_FLOAT32: products_f32(&s, a, b, c); break;
    case GND_FLOAT64: products_f64(&s, a, b, c); break;
    case GND_COMPLEX64: products_c64(&s, a, b, c); break;
    default: products_c128(&s, a, b, c);
    }
    return 1;
}
