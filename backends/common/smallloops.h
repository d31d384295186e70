/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/smallloops.h - the loops of smalls.c for one dtype, included once for each. T: a real
 * number; I: an integer of its size; PARTS: how many of them an element has; NAME(x): a name of
 * this dtype. Strides of the functions below are in real numbers.
 */

/* A vector at any address of a T. */
typedef T NAME(vec) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));
typedef I NAME(bits) __attribute__((vector_size(VECTOR)));

enum {
    NAME(W) = VECTOR / sizeof(T),
    NAME(MOST_ROW) = MOST_BYTES / sizeof(T) /* a multiple of 2 W */
};

/* Rows of C and `two` or one vectors of columns from c on, all of which are constants where this is
 * inlined. Of complex elements B is there twice, `second` numbers apart: as it is, and times i. */
static inline __attribute__((always_inline)) void NAME(tile)(const int rows, const int two,
                                                             int64_t k, const T *a, int64_t ar,
                                                             int64_t ac, const T *b, int64_t ldb,
                                                             int64_t second, T *c, int64_t ldc)
{
    NAME(vec) p[4][2] = {{{0}}};
    for (int64_t i = 0; i < k; i++, a += ac, b += ldb)
#pragma GCC unroll 2
        for (int h = 0; h < PARTS; h++) {
            const T *from = b + h * second;
            const NAME(vec) b0 = *(const NAME(vec) *)from;
            const NAME(vec) b1 = two ? *(const NAME(vec) *)(from + NAME(W)) : b0;
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++) {
                p[r][0] += a[r * ar + h] * b0;
                if (two)
                    p[r][1] += a[r * ar + h] * b1;
            }
        }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        *(NAME(vec) *)(c + r * ldc) = p[r][0];
        if (two)
            *(NAME(vec) *)(c + r * ldc + NAME(W)) = p[r][1];
    }
}

/* Up to 4 rows of C: n columns. */
static inline __attribute__((always_inline)) void NAME(strip)(const int rows, int64_t k, int64_t n,
                                                              const T *a, int64_t ar, int64_t ac,
                                                              const T *b, int64_t ldb,
                                                              int64_t second, T *c, int64_t ldc)
{
    int64_t j = 0;
    for (; n - j > NAME(W); j += 2 * NAME(W))
        NAME(tile)(rows, 1, k, a, ar, ac, b + j, ldb, second, c + j, ldc);
    if (j < n)
        NAME(tile)(rows, 0, k, a, ar, ac, b + j, ldb, second, c + j, ldc);
}

/* k rows of n elements with the strides br and bc, as rows of ldb numbers; of complex elements two
 * such rows, the second of which is the first times i. */
static inline __attribute__((always_inline)) void NAME(pack)(int64_t k, int64_t n, const T *b,
                                                             int64_t br, int64_t bc, T *to,
                                                             int64_t ldb)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++) {
            const T *x = b + i * br + j * bc;
            T *z = to + i * PARTS * ldb + j * PARTS;
            z[0] = x[0];
#if PARTS == 2
            z[1] = x[1];
            z[ldb] = -x[1];
            z[ldb + 1] = x[0];
#endif
        }
}

#if PARTS == 1
/* The first `left` numbers from x on, and zeros; `end` is behind the last number of all. */
static inline __attribute__((always_inline)) void NAME(ending)(NAME(vec) * z, const T *x,
                                                               const NAME(bits) * there,
                                                               int64_t left, const T *end)
{
    if (end - x >= NAME(W)) {
        *z = (NAME(vec))((NAME(bits)) * (const NAME(vec) *)x & *there);
        return;
    }
    memset(z, 0, sizeof *z);
    memcpy(z, x, (size_t)left * sizeof(T));
}
#endif

CLONES static void NAME(products)(const smalls *s, const T *a, const T *b, T *c)
{
    const int64_t n = s->n * PARTS, m = s->m, k = s->k, ar = s->ar * PARTS, ac = s->ac * PARTS;
    const int64_t br = s->br * PARTS, bc = s->bc * PARTS, wide = (n + NAME(W) - 1) / NAME(W),
                  row = wide * NAME(W);
    /* where B and C end: nothing behind is loaded or stored */
    const int64_t bend = (s->count - 1) * s->bbatch * PARTS + (k - 1) * br + n,
                  cend = s->count * m * n;
    T copy[MOST_TERMS * PARTS * NAME(MOST_ROW)], out[4 * NAME(MOST_ROW)];
    memset(copy, 0, (size_t)(k * PARTS * row) * sizeof *copy);
    for (int64_t i = 0; i < s->count; i++) {
        const T *ai = a + i * s->abatch * PARTS, *bi = b + i * s->bbatch * PARTS;
        T *ci = c + i * m * n;
        int64_t ldb = br;
        if (PARTS == 2 || s->bc != 1 || bi - b + (k - 1) * br + row > bend) {
            if (i == 0 || s->bbatch != 0)
                NAME(pack)(k, s->n, bi, br, bc, copy, row);
            bi = copy;
            ldb = row * PARTS;
        }
        for (int64_t r = 0; r < m; r += 4) {
            const int64_t rows = m - r < 4 ? m - r : 4;
            /* a wider row takes several tiles: what the last one stores behind a row would
             * overwrite what the first one stored of the next row */
            const int own = wide > 2 || ci - c + (r + rows - 1) * n + row > cend;
            T *to = own ? out : ci + r * n;
            const int64_t ldc = own ? row : n;
            const T *ar0 = ai + r * ar;
            switch (rows) {
            case 4: NAME(strip)(4, k, n, ar0, ar, ac, bi, ldb, row, to, ldc); break;
            case 3: NAME(strip)(3, k, n, ar0, ar, ac, bi, ldb, row, to, ldc); break;
            case 2: NAME(strip)(2, k, n, ar0, ar, ac, bi, ldb, row, to, ldc); break;
            default: NAME(strip)(1, k, n, ar0, ar, ac, bi, ldb, row, to, ldc);
            }
            for (int64_t l = 0; own && l < rows; l++)
                memcpy(ci + (r + l) * n, out + l * row, (size_t)n * sizeof(T));
        }
    }
}

#if PARTS == 1
/* The same of one column whose terms are adjacent in A and B: sums of products of vectors. */
CLONES static void NAME(dots)(const smalls *s, const T *a, const T *b, T *c)
{
    const int64_t m = s->m, k = s->k, ar = s->ar, last = (k - 1) / NAME(W) * NAME(W);
    const int lanes = (int)(k < NAME(W) ? k : NAME(W));
    const T *aend = a + (s->count - 1) * s->abatch + (m - 1) * ar + k;
    const T *bend = b + (s->count - 1) * s->bbatch + k;
    NAME(bits) there;
    for (int l = 0; l < NAME(W); l++)
        there[l] = -(last + l < k);
    for (int64_t i = 0; i < s->count; i++, c += m) {
        const T *bi = b + i * s->bbatch, *ai = a + i * s->abatch;
        NAME(vec) x[MOST_TERMS / NAME(W)];
        for (int64_t l = 0; l < last; l += NAME(W))
            x[l / NAME(W)] = *(const NAME(vec) *)(bi + l);
        NAME(ending)(&x[last / NAME(W)], bi + last, &there, k - last, bend);
        for (int64_t r = 0; r < m; r++, ai += ar) {
            NAME(vec) z;
            NAME(ending)(&z, ai + last, &there, k - last, aend);
            z *= x[last / NAME(W)];
            for (int64_t l = 0; l < last; l += NAME(W))
                z += *(const NAME(vec) *)(ai + l) * x[l / NAME(W)];
            T sum = 0; /* so that a sum of negative zeros is 0, as it is everywhere */
            for (int l = 0; l < lanes; l++)
                sum += z[l];
            c[r] = sum;
        }
    }
}
#endif
