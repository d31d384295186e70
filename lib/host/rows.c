/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/rows.c - see rows.h. A panel of some columns is copied to Fortran order, which LAPACK
 * factors fast, and back. The columns to its right are updated in place by BLAS products and
 * substitutions. To BLAS a matrix in C order is its transpose: a factor L is the upper triangle
 * L^T, and the product A B is B^T A^T.
 *
 * LU halves the columns recursively (Toledo, Locality of reference in LU decomposition with partial
 * pivoting, 1997), to a depth of the logarithm of their number. Cholesky halves them down to
 * strips, which it factors panel by panel.
 */
#include "host/rows.h"

#include <limits.h>
#include <string.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "host/lapack.h"

typedef size_t len; /* length of a character argument, as in lapack.c */
typedef const int *ints;
typedef void potrf_fn(const char *, ints, void *, ints, int *, len);
typedef void getrf_fn(ints, ints, void *, ints, int *, int *);
typedef void trsm_fn(const char *, const char *, const char *, const char *, ints, ints,
                     const void *, const void *, ints, void *, ints, len, len, len, len);
typedef void gemm_fn(const char *, const char *, ints, ints, ints, const void *, const void *, ints,
                     const void *, ints, const void *, void *, ints, len, len);
typedef void syrk_fn(const char *, const char *, ints, ints, const void *, const void *, ints,
                     const void *, void *, ints, len, len);

enum { PANEL = 32, LEAF = 32, STRIP = 256, BLOCK = 8, CHUNK = 64, LOOK = 4 << 10 };

/* Works on one matrix at a time: m x n elements at a, with rows ld = n elements apart. */
typedef struct job {
    int m, n, ld, info;
    gnd_dtype t;
    size_t size;
    char *a, *panel;  /* panel: columns of lp elements */
    const char *from; /* source of panels: a, or the array that would be copied to a */
    int lp, *pivot;   /* pivot[i]: the row, from 0, that is exchanged with row i */
    const void *one, *minus;
    potrf_fn *potrf;
    getrf_fn *getrf;
    trsm_fn *trsm;
    gemm_fn *gemm;
    syrk_fn *syrk; /* herk for complex dtypes */
} job;

static int least(int a, int b)
{
    return a < b ? a : b;
}

static char *at(const job *j, int row, int col)
{
    return j->a + ((size_t)row * (size_t)j->ld + (size_t)col) * j->size;
}

/* --- panels ----------------------------------------------------------------------------------- */

typedef struct wide {
    uint64_t v[2];
} wide;

/* Transposes: to (c, r) = from (r, c), of rows x cols elements. A row of `from` has ldf elements,
 * one of `to` ldt. Works in blocks; the outer loop runs over the long side, so that a row of the
 * matrix stays in cache until it is finished. */
#define TRANSPOSE(type)                                                                            \
    static void block_##type(type *restrict to, size_t ldt, const type *restrict from, size_t ldf, \
                             int rows, int cols)                                                   \
    {                                                                                              \
        if (rows >= BLOCK && cols >= BLOCK) {                                                      \
            for (size_t c = 0; c < BLOCK; c++)                                                     \
                for (size_t r = 0; r < BLOCK; r++)                                                 \
                    to[c * ldt + r] = from[r * ldf + c];                                           \
            return;                                                                                \
        }                                                                                          \
        for (size_t c = 0; c < (size_t)least(cols, BLOCK); c++)                                    \
            for (size_t r = 0; r < (size_t)least(rows, BLOCK); r++)                                \
                to[c * ldt + r] = from[r * ldf + c];                                               \
    }                                                                                              \
    static void transpose_##type(type *restrict to, size_t ldt, const type *restrict from,         \
                                 size_t ldf, int rows, int cols)                                   \
    {                                                                                              \
        for (int i = 0; i < (rows > cols ? rows : cols); i += BLOCK)                               \
            for (int j = 0; j < least(rows, cols); j += BLOCK) {                                   \
                const int r = rows > cols ? i : j, c = rows > cols ? j : i;                        \
                block_##type(to + (size_t)c * ldt + r, ldt, from + (size_t)r * ldf + c, ldf,       \
                             rows - r, cols - c);                                                  \
            }                                                                                      \
    }
TRANSPOSE(uint32_t)
TRANSPOSE(uint64_t)
TRANSPOSE(wide)

static void transpose(size_t size, void *to, int ldt, const void *from, int ldf, int rows, int cols)
{
    if (size == 4)
        transpose_uint32_t(to, (size_t)ldt, from, (size_t)ldf, rows, cols);
    else if (size == 8)
        transpose_uint64_t(to, (size_t)ldt, from, (size_t)ldf, rows, cols);
    else
        transpose_wide(to, (size_t)ldt, from, (size_t)ldf, rows, cols);
}

/* Takes columns first to first + cols, from the diagonal down, into the panel. */
static void take(job *j, int first, int cols)
{
    const size_t offset = (size_t)(at(j, first, first) - j->a);
    transpose(j->size, j->panel, j->lp, j->from + offset, j->ld, j->m - first, cols);
}

static void give(job *j, int first, int cols)
{
    transpose(j->size, at(j, first, first), j->ld, j->panel, j->lp, cols, j->m - first);
}

/* --- Cholesky --------------------------------------------------------------------------------- */

/* Updates columns [from, to), from the diagonal down: subtracts columns [first, from) of L times
 * their part of L^H. */
static void cholesky_update(job *j, int first, int from, int to)
{
    const int k = from - first, cols = to - from, below = j->m - to;
    j->syrk("U", "C", &cols, &k, j->minus, at(j, from, first), &j->ld, j->one, at(j, from, from),
            &j->ld, 1, 1);
    if (below)
        j->gemm("C", "N", &cols, &below, &k, j->minus, at(j, from, first), &j->ld, at(j, to, first),
                &j->ld, j->one, at(j, to, from), &j->ld, 1, 1);
}

static void cholesky_panel(job *j, int first, int cols)
{
    const int below = j->m - first - cols;
    take(j, first, cols);
    j->potrf("L", &cols, j->panel, &j->lp, &j->info, 1);
    if (j->info) {
        j->info += first;
        return;
    }
    if (below)
        j->trsm("R", "L", "C", "N", &below, &cols, j->one, j->panel, &j->lp,
                j->panel + (size_t)cols * j->size, &j->lp, 1, 1, 1, 1);
    give(j, first, cols);
}

static void cholesky(job *j, int first, int cols)
{
    if (cols <= STRIP) {
        for (int i = first, to = first + cols; i < to && j->info == 0; i += PANEL) {
            const int next = least(i + PANEL, to);
            cholesky_panel(j, i, next - i);
            if (next < to && j->info == 0)
                cholesky_update(j, i, next, to);
        }
        return;
    }
    const int half = (cols / 2 + STRIP - 1) / STRIP * STRIP;
    cholesky(j, first, half);
    if (j->info)
        return;
    cholesky_update(j, first, first + half, first + cols);
    cholesky(j, first + half, cols - half);
}

/* --- LU --------------------------------------------------------------------------------------- */

/* Swaps n bytes in chunks for which there are wide loads and stores. */
static void swap(char *a, char *b, size_t n)
{
    char v[CHUNK], w[CHUNK];
    for (; n >= CHUNK; a += CHUNK, b += CHUNK, n -= CHUNK) {
        memcpy(v, a, CHUNK);
        memcpy(w, b, CHUNK);
        memcpy(a, w, CHUNK);
        memcpy(b, v, CHUNK);
    }
    memcpy(v, a, n);
    memcpy(a, b, n);
    memcpy(b, v, n);
}

/* Applies the exchanges of rows [from, to) to cols columns beginning with `first`. */
static void exchange(job *j, int from, int to, int first, int cols)
{
    for (int i = from; i < to; i++) {
        if (j->pivot[i] != i)
            swap(at(j, i, first), at(j, j->pivot[i], first), (size_t)cols * j->size);
    }
}

/* Multiplies rows [first, first + k) of cols columns beginning with `from` by the inverse of L's
 * part there. Recursive halving turns most of it into products, which are faster than
 * substitutions. */
static void lu_substitute(job *j, int first, int k, int from, int cols)
{
    if (k > LEAF) {
        const int half = (k / 2 + LEAF - 1) / LEAF * LEAF, next = first + half, rest = k - half;
        lu_substitute(j, first, half, from, cols);
        j->gemm("N", "N", &cols, &rest, &half, j->minus, at(j, first, from), &j->ld,
                at(j, next, first), &j->ld, j->one, at(j, next, from), &j->ld, 1, 1);
        lu_substitute(j, next, rest, from, cols);
        return;
    }
    j->trsm("R", "U", "N", "U", &cols, &k, j->one, at(j, first, first), &j->ld, at(j, first, from),
            &j->ld, 1, 1, 1, 1);
}

static void lu_panel(job *j, int first, int cols)
{
    const int rows = j->m - first;
    int info = 0;
    take(j, first, cols);
    if (!gnd__tiny_lu(j->t, rows, cols, j->panel, j->lp, j->pivot + first, &info))
        j->getrf(&rows, &cols, j->panel, &j->lp, j->pivot + first, &info);
    give(j, first, cols);
    for (int i = 0; i < cols; i++) {
        int *p = &j->pivot[first + i];
        *p = *p <= i || *p > rows ? first + i : first + *p - 1; /* a library's pivot search among
                                                                   NaN may give anything */
    }
    if (info && j->info == 0)
        j->info = info < 0 ? info : first + info;
}

/* Factors columns first to first + cols, from the diagonal down. */
static void lu(job *j, int first, int cols)
{
    if (cols <= PANEL) {
        lu_panel(j, first, cols);
        return;
    }
    const int half = (cols / 2 + PANEL - 1) / PANEL * PANEL, from = first + half,
              rest = cols - half;
    const int below = j->m - from;
    lu(j, first, half);
    exchange(j, first, from, from, rest);
    lu_substitute(j, first, half, from, rest);
    j->gemm("N", "N", &rest, &below, &half, j->minus, at(j, first, from), &j->ld,
            at(j, from, first), &j->ld, j->one, at(j, from, from), &j->ld, 1, 1);
    lu(j, from, rest);
    exchange(j, from, first + cols, first, half);
}

/* --- batches ---------------------------------------------------------------------------------- */

#define ROUTINE(field, r)                                                                          \
    do {                                                                                           \
        void *found = gnd__lapack_routine(k, r); /* POSIX lets a void pointer hold a function's */ \
        memcpy(&j->field, &found, sizeof found);                                                   \
    } while (0)

static void end(job *j)
{
    gnd__free(j->panel);
    gnd__free(j->pivot);
}

static gnd_status begin(job *j, gnd_dtype t, int64_t m, int64_t n, gnd_err *e)
{
    static const double one[2] = {1, 0}, minus[2] = {-1, 0};
    static const float one_f[2] = {1, 0}, minus_f[2] = {-1, 0};
    const int k = gnd__lapack_dtype((uint32_t)t);
    memset(j, 0, sizeof *j);
    if (k < 0)
        return gnd__err(e, GND_ERR_INTERNAL, "LAPACK: dtype %d", (int)t);
    if (!gnd__lapack_library())
        return gnd__err(e, GND_ERR_UNSUPPORTED,
                        "no LAPACK: install OpenBLAS (libopenblas0) or liblapack3");
    if (m > INT_MAX / 4 || n > INT_MAX / 4)
        return gnd__err(e, GND_ERR_OVERFLOW, "a matrix of %lld x %lld: LAPACK counts in 32 bits",
                        (long long)m, (long long)n);
    j->t = t;
    j->size = gnd_dtype_size(t);
    j->m = (int)m;
    j->n = j->ld = (int)n;
    j->lp = (j->m + BLOCK - 1) / BLOCK * BLOCK + BLOCK; /* not a power of two: columns would map to
                                                           the same cache sets */
    j->one = k % 2 ? (const void *)one : one_f;
    j->minus = k % 2 ? (const void *)minus : minus_f;
    ROUTINE(potrf, GND__POTRF);
    ROUTINE(getrf, GND__GETRF);
    ROUTINE(trsm, GND__TRSM);
    ROUTINE(gemm, GND__GEMM);
    ROUTINE(syrk, GND__SYRK);
    j->panel = gnd__malloc((size_t)j->lp * (size_t)least(PANEL, j->n) * j->size);
    j->pivot = gnd__malloc(((size_t)j->m + 1) * sizeof *j->pivot);
    if (j->panel && j->pivot)
        return GND_OK;
    end(j);
    return gnd__err(e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
}

gnd_status gnd__rows_cholesky(gnd_dtype t, int64_t count, int64_t n, const char *x, char *y,
                              gnd_err *e)
{
    job j;
    gnd_status st = begin(&j, t, n, n, e);
    const size_t row = (size_t)n * j.size;
    if (st != GND_OK)
        return st;
    for (int64_t b = 0; b < count && st == GND_OK;
         b++, x += (size_t)n * row, y += (size_t)n * row) {
        int good = 1;
        for (size_t i = 0; i < (size_t)n && good; i++) {
            const size_t used = (i + 1) * j.size;
            good = gnd__are_numbers(t, x + i * row, (int64_t)i + 1);
            memcpy(y + i * row, x + i * row, used);
            memset(y + i * row + used, 0, row - used);
        }
        if (!good) {
            st = gnd__solve_refused(1, 0, b, e);
            break;
        }
        j.from = j.a = y;
        j.info = 0;
        if (gnd__tiny_cholesky(t, j.n, y, &j.info))
            ;
        else if (j.n <= PANEL) /* L is U^T in place: slower than L, but by less than two
                             transpositions */
            j.potrf("U", &j.n, y, &j.ld, &j.info, 1);
        else
            cholesky(&j, 0, j.n);
        if (j.info > 0)
            st =
                gnd__err(e, GND_ERR_LINALG,
                         "matrix %lld: not positive definite: the leading minor of order %d is not "
                         "positive",
                         (long long)b, j.info);
        else if (j.info < 0)
            st = gnd__err(e, GND_ERR_INTERNAL, "LAPACK: argument %d is wrong", -j.info);
    }
    end(&j);
    return st;
}

/* Copies x to j->a, unless j works on x itself. Returns whether all elements are finite. Works in
 * pieces, so that the elements are still in cache when they are copied. */
static int copied(job *j, const char *x)
{
    const int64_t n = (int64_t)j->m * j->n, step = LOOK / (int64_t)j->size;
    for (int64_t i = 0; i < n; i += step) {
        const int64_t some = n - i < step ? n - i : step;
        const char *from = x + (size_t)i * j->size;
        if (!gnd__are_numbers(j->t, from, some))
            return 0;
        if (j->from == j->a)
            memcpy(j->a + (size_t)i * j->size, from, (size_t)some * j->size);
    }
    return 1;
}

/* Writes 0, 1 ... as m values to y. */
static void count_up(const job *j, char *y)
{
    const int twice = gnd__real_of(j->t) == GND_FLOAT64;
    for (int i = 0; i < j->m; i++, y += j->size) {
        memset(y, 0, j->size);
        memcpy(y, twice ? (const void *)&(double){i} : &(float){(float)i},
               twice ? sizeof(double) : sizeof(float));
    }
}

/* Splits j->a into L (m x q) and U (q x n); j->a lies in the larger one of them. */
static void part(const job *j, char *l, char *u)
{
    const size_t size = j->size, m = (size_t)j->m, n = (size_t)j->n, q = m < n ? m : n;
    for (size_t i = 0; i < q; i++) {
        char *own = l + i * q * size, *up = u + i * n * size;
        if (j->a == l)
            memcpy(up + i * size, own + i * size, (n - i) * size);
        else
            memcpy(own, up, i * size);
        memset(up, 0, i * size);
        memset(own + i * size, 0, (q - i) * size);
        memcpy(own + i * size, j->one, size);
    }
}

gnd_status gnd__rows_lu(gnd_dtype t, int64_t count, int64_t m, int64_t n, const char *x, char *y,
                        gnd_err *e)
{
    job j;
    gnd_status st = begin(&j, t, m, n, e);
    if (st != GND_OK)
        return st;
    const int64_t k = m < n ? m : n;
    const int q = (int)k;
    char *l = y, *u = l + (size_t)(count * m * k) * j.size,
         *order = u + (size_t)(count * k * n) * j.size;
    const size_t orders = (size_t)m * j.size;
    count_up(&j, order);
    for (int64_t b = 1; b < count; b++)
        memcpy(order + (size_t)b * orders, order, orders);
    for (int64_t b = 0; b < count && st == GND_OK; b++) {
        j.a = m >= n ? l : u;
        j.from = j.n <= PANEL && m >= n ? x : j.a; /* one panel covers the matrix */
        j.info = 0;
        if (copied(&j, x)) {
            lu(&j, 0, q);
            if (j.n > q) {
                exchange(&j, 0, q, q, j.n - q);
                lu_substitute(&j, 0, q, q, j.n - q);
            }
            for (int i = 0; i < q; i++)
                if (j.pivot[i] != i)
                    swap(order + (size_t)i * j.size, order + (size_t)j.pivot[i] * j.size, j.size);
        } else {
            gnd__fill_nan(t, j.a, m * n);
        }
        part(&j, l, u);
        if (j.info < 0)
            st = gnd__err(e, GND_ERR_INTERNAL, "LAPACK: argument %d is wrong", -j.info);
        x += (size_t)(m * n) * j.size;
        l += (size_t)(m * k) * j.size;
        u += (size_t)(k * n) * j.size;
        order += orders;
    }
    end(&j);
    return st;
}
