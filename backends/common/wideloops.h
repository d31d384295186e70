/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/wideloops.h - the loops of wide.c for one dtype, included once for each. T: the element;
 * W: elements of a vector; the macros V... are the operations on vectors; NAME(x): a name of this
 * dtype.
 */

/* The first n elements of a vector. */
static inline WIDE VMASK NAME(first)(int64_t n)
{
    return (VMASK)(n >= W ? ~0U : (1U << (n < 0 ? 0 : n)) - 1);
}

/* One tile of C (gnd__wide_tile): rows of C and `two` or one vectors of columns, which are
 * constants where this is inlined. */
static inline __attribute__((always_inline)) WIDE void NAME(tile)(const int rows, const int two,
                                                                  const NAME(panel) * x, const T *a,
                                                                  const T *b, T *c)
{
    VEC p0 = VZERO, p1 = VZERO, p2 = VZERO, p3 = VZERO, p4 = VZERO, p5 = VZERO, p6 = VZERO,
        p7 = VZERO, q0 = VZERO, q1 = VZERO, q2 = VZERO, q3 = VZERO, q4 = VZERO, q5 = VZERO,
        q6 = VZERO, q7 = VZERO;
    const VMASK m0 = NAME(first)(x->n), m1 = NAME(first)(x->n - W);
    const int64_t ar = x->ar;
    for (int64_t k = 0; k < x->k; k++, a += x->ac, b += x->ldb) {
        const VEC b0 = VLOAD(m0, b), b1 = two ? VLOAD(m1, b + W) : b0;
#define ROW(i)                                                                                     \
    if (rows > i) {                                                                                \
        const VEC s = VSET(a[i * ar]);                                                             \
        p##i = VFMA(s, b0, p##i);                                                                  \
        q##i = two ? VFMA(s, b1, q##i) : q##i;                                                     \
    }
        ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)
#undef ROW
    }
    const VEC alpha = VSET(x->alpha), beta = VSET(x->beta);
#define ROW(i)                                                                                     \
    if (rows > i) {                                                                                \
        T *to = c + i * x->ldc;                                                                    \
        p##i = VMUL(alpha, p##i);                                                                  \
        q##i = VMUL(alpha, q##i);                                                                  \
        if (x->beta != 0) {                                                                        \
            p##i = VFMA(beta, VLOAD(m0, to), p##i);                                                \
            q##i = two ? VFMA(beta, VLOAD(m1, to + W), q##i) : q##i;                               \
        }                                                                                          \
        VSTORE(to, m0, p##i);                                                                      \
        if (two)                                                                                   \
            VSTORE(to + W, m1, q##i);                                                              \
    }
    ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7)
#undef ROW
}

/* Up to 2 W columns of C. */
static WIDE void NAME(columns)(const NAME(panel) * x, int64_t m, const T *a, const T *b, T *c)
{
    int64_t i = 0;
    for (; i + 8 <= m; i += 8, a += 8 * x->ar, c += 8 * x->ldc)
        if (x->n > W)
            NAME(tile)(8, 1, x, a, b, c);
        else
            NAME(tile)(8, 0, x, a, b, c);
    for (; i + 4 <= m; i += 4, a += 4 * x->ar, c += 4 * x->ldc)
        if (x->n > W)
            NAME(tile)(4, 1, x, a, b, c);
        else
            NAME(tile)(4, 0, x, a, b, c);
    if (i + 2 <= m) {
        NAME(tile)(2, 1, x, a, b, c);
        i += 2, a += 2 * x->ar, c += 2 * x->ldc;
    }
    if (i < m)
        NAME(tile)(1, 1, x, a, b, c);
}

/* Copies k rows of n <= 2 W columns of B, whose element (i, j) is b[i * br + j * bc], to rows of
 * 2 W elements. */
static WIDE void NAME(pack)(int64_t k, int64_t n, const T *b, int64_t br, int64_t bc, T *to)
{
    for (int64_t v = 0; v < n; v += W) {
        const VMASK m = NAME(first)(n - v);
        const VINDEX at = VSTEPS(bc);
        const T *from = b + v * bc;
        for (int64_t i = 0; i < k; i++, from += br) {
            const VEC x = bc == 1 ? VLOAD(m, from) : VGATHER(m, at, from);
            VSTORE(to + i * 2 * W + v, (VMASK)~0U, x);
        }
    }
}

/* C = alpha A B + beta C. Element (i, j) of A is a[i * ar + j * ac], of B b[i * br + j * bc]. */
static WIDE int NAME(product)(const gnd_gemm *g, const T *a, int64_t ar, int64_t ac, const T *b,
                              int64_t br, int64_t bc, T *c, int64_t ldc)
{
    const int packed = bc != 1 || g->m >= REUSED;
    T *own = packed ? aligned_alloc(64, sizeof(T) * 2 * W * TERMS) : NULL;
    if (packed && !own)
        return 0;
    for (int64_t k = 0; k < g->k; k += TERMS)
        for (int64_t j = 0; j < g->n; j += 2 * W) {
            const int64_t terms = g->k - k < TERMS ? g->k - k : TERMS;
            const int64_t n = g->n - j < 2 * W ? g->n - j : 2 * W;
            const T *from = b + k * br + j * bc;
            if (packed)
                NAME(pack)(terms, n, from, br, bc, own);
            const NAME(panel) x = {
                terms, n, ar, ac, packed ? 2 * W : br, ldc, (T)g->alpha, k > 0 ? 1 : (T)g->beta};
            NAME(columns)(&x, g->m, a + k * ac, packed ? own : from, c + j);
        }
    free(own);
    return 1;
}

/* y = alpha M x + beta y, where the rows of M are contiguous, and so is x. */
static WIDE void NAME(dots)(const gnd_gemm *g, const gnd__blas_gemv *v, const T *m, const T *x,
                            T *y)
{
    for (int64_t i = 0; i < v->rows; i += 4) {
        const int64_t left = v->rows - i, ld = v->ld;
        const T *r0 = m + i * ld, *r1 = left > 1 ? r0 + ld : r0, *r2 = left > 2 ? r1 + ld : r1,
                *r3 = left > 3 ? r2 + ld : r2;
        VEC s0 = VZERO, s1 = VZERO, s2 = VZERO, s3 = VZERO, t0 = VZERO, t1 = VZERO, t2 = VZERO,
            t3 = VZERO;
        int64_t j = 0;
        for (; j + 2 * W <= v->cols; j += 2 * W) {
            const VEC a = VALL(x + j), b = VALL(x + j + W);
            s0 = VFMA(VALL(r0 + j), a, s0), t0 = VFMA(VALL(r0 + j + W), b, t0);
            s1 = VFMA(VALL(r1 + j), a, s1), t1 = VFMA(VALL(r1 + j + W), b, t1);
            s2 = VFMA(VALL(r2 + j), a, s2), t2 = VFMA(VALL(r2 + j + W), b, t2);
            s3 = VFMA(VALL(r3 + j), a, s3), t3 = VFMA(VALL(r3 + j + W), b, t3);
        }
        for (; j < v->cols; j += W) {
            const VMASK k = NAME(first)(v->cols - j);
            const VEC a = VLOAD(k, x + j);
            s0 = VFMA(VLOAD(k, r0 + j), a, s0), s1 = VFMA(VLOAD(k, r1 + j), a, s1);
            s2 = VFMA(VLOAD(k, r2 + j), a, s2), s3 = VFMA(VLOAD(k, r3 + j), a, s3);
        }
        const T sum[4] = {VSUM(VADD(s0, t0)), VSUM(VADD(s1, t1)), VSUM(VADD(s2, t2)),
                          VSUM(VADD(s3, t3))};
        for (int64_t k = 0; k < 4 && k < left; k++) {
            T *to = y + (i + k) * v->incy;
            const T z = (T)g->alpha * sum[k];
            *to = g->beta != 0 ? z + (T)g->beta * *to : z;
        }
    }
}

/* y = alpha M' x + beta y, for rows of M that are contiguous, and contiguous y. */
static WIDE void NAME(sums)(const gnd_gemm *g, const gnd__blas_gemv *v, const T *m, const T *x,
                            T *y)
{
    for (int64_t j = 0; j < v->cols; j += 8 * W) {
        VEC s[8];
        VMASK k[8];
        for (int i = 0; i < 8; i++) {
            s[i] = VZERO;
            k[i] = NAME(first)(v->cols - j - i * W);
        }
        const T *from = m + j;
        const int n = v->cols - j > 7 * W ? 8 : (int)((v->cols - j + W - 1) / W);
        if (n == 8)
            for (int64_t r = 0; r < v->rows; r++, from += v->ld) {
                const VEC a = VSET(x[r * v->incx]);
#pragma GCC unroll 8
                for (int i = 0; i < 8; i++)
                    s[i] = VFMA(VLOAD(k[i], from + i * W), a, s[i]);
            }
        else
            for (int i = 0; i < n; i++) {
                VEC t[4] = {VZERO, VZERO, VZERO, VZERO};
                int64_t r = 0;
                for (from = m + j + i * W; r + 4 <= v->rows; r += 4, from += 4 * v->ld)
#pragma GCC unroll 4
                    for (int u = 0; u < 4; u++)
                        t[u] =
                            VFMA(VLOAD(k[i], from + u * v->ld), VSET(x[(r + u) * v->incx]), t[u]);
                for (; r < v->rows; r++, from += v->ld)
                    t[0] = VFMA(VLOAD(k[i], from), VSET(x[r * v->incx]), t[0]);
                s[i] = VADD(VADD(t[0], t[1]), VADD(t[2], t[3]));
            }
        for (int i = 0; i < n; i++) {
            T *to = y + j + i * W;
            VEC z = VMUL(VSET((T)g->alpha), s[i]);
            if (g->beta != 0)
                z = VFMA(VSET((T)g->beta), VLOAD(k[i], to), z);
            VSTORE(to, k[i], z);
        }
    }
}

/* A product with a vector. */
static int NAME(vector)(const gnd_gemm *g, const gnd__blas_gemv *v, const T *m, const T *x, T *y)
{
    const int64_t n = v->trans ? v->cols : v->rows; /* elements of y */
    T *own = NULL;
    if (!v->trans && v->incx != 1) {
        own = malloc(sizeof(T) * (size_t)v->cols);
        for (int64_t i = 0; own && i < v->cols; i++)
            own[i] = x[i * v->incx];
        x = own;
    } else if (v->trans && v->incy != 1) {
        own = malloc(sizeof(T) * (size_t)n);
        for (int64_t i = 0; own && i < n && g->beta != 0; i++)
            own[i] = y[i * v->incy];
    }
    if (!own && (v->trans ? v->incy : v->incx) != 1)
        return 0;
    if (v->trans)
        NAME(sums)(g, v, m, x, own ? own : y);
    else
        NAME(dots)(g, v, m, x, y);
    for (int64_t i = 0; v->trans && own && i < n; i++)
        y[i * v->incy] = own[i];
    free(own);
    return 1;
}
