/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/tiny.c - LU and Cholesky decompositions of real matrices of at most GND__TINY rows and
 * columns, and systems of them. A library's call costs as much as the arithmetic there: it checks,
 * locks, and calls a routine of BLAS for each column. Columns of LU and rows of Cholesky are copied
 * to whole vectors, and what is subtracted has zeros where nothing changes.
 */
#include "host/lapack.h"

#include <math.h>
#include <string.h>
#include "base/dtype.h"
#include "host/clones.h"

#if GND__HAS_CLONES /* at -O2 GCC leaves the loops scalar */
#define WIDE GND__CLONES __attribute__((optimize("O3")))
#else
#define WIDE
#endif

enum { ROUND = 8 }; /* elements of a row of vectors */

/* The rows of m elements with their room. */
static int room(int m)
{
    return (m + ROUND - 1) / ROUND * ROUND;
}

#define TINY(T, name, ABS, SQRT)                                                                   \
    /* y -= u x of p elements, from the vector of element `from` on; x is 0 before that */         \
    static inline __attribute__((always_inline)) void less_##name(                                 \
        T *restrict y, const T *restrict x, T u, int from, int p)                                  \
    {                                                                                              \
        if (u - u == 0)                                                                            \
            for (int i = from / ROUND * ROUND; i < p; i += ROUND)                                  \
                for (int v = 0; v < ROUND; v++)                                                    \
                    y[i + v] -= x[i + v] * u;                                                      \
        else /* times the zeros before it would be NaN */                                          \
            for (int i = from; i < p; i++)                                                         \
                y[i] -= x[i] * u;                                                                  \
    }                                                                                              \
    WIDE static void lu_##name(int m, int n, T *a, int lda, int *pivot, int *info)                 \
    {                                                                                              \
        T b[GND__TINY * GND__TINY], l[GND__TINY];                                                  \
        const int p = room(m), q = m < n ? m : n;                                                  \
        for (int j = 0; j < n; j++) {                                                              \
            memcpy(b + j * p, a + (size_t)j * (size_t)lda, (size_t)m * sizeof(T));                 \
            memset(b + j * p + m, 0, (size_t)(p - m) * sizeof(T));                                 \
        }                                                                                          \
        for (int k = 0; k < q; k++) {                                                              \
            T *c = b + k * p, most = ABS(c[k]);                                                    \
            int at = k;                                                                            \
            for (int i = k + 1; i < m; i++)                                                        \
                if (ABS(c[i]) > most) {                                                            \
                    most = ABS(c[i]);                                                              \
                    at = i;                                                                        \
                }                                                                                  \
            pivot[k] = at + 1;                                                                     \
            if (c[at] == 0) {                                                                      \
                *info = *info ? *info : k + 1;                                                     \
                continue;                                                                          \
            }                                                                                      \
            for (int j = 0; j < n && at != k; j++) {                                               \
                const T x = b[j * p + k];                                                          \
                b[j * p + k] = b[j * p + at];                                                      \
                b[j * p + at] = x;                                                                 \
            }                                                                                      \
            const T r = 1 / c[k];                                                                  \
            memset(l, 0, sizeof l);                                                                \
            if (r - r == 0)                                                                        \
                for (int i = k + 1; i < m; i++)                                                    \
                    c[i] = l[i] = c[i] * r;                                                        \
            else /* of a subnormal number there is none */                                         \
                for (int i = k + 1; i < m; i++)                                                    \
                    c[i] = l[i] = c[i] / c[k];                                                     \
            for (int j = k + 1; j < n; j++)                                                        \
                less_##name(b + j * p, l, b[j * p + k], k + 1, p);                                 \
        }                                                                                          \
        for (int j = 0; j < n; j++)                                                                \
            memcpy(a + (size_t)j * (size_t)lda, b + j * p, (size_t)m * sizeof(T));                 \
    }                                                                                              \
    WIDE static void solve_##name(int n, int k, const T *a, int lda, const int *pivot, T *b,       \
                                  int ldb)                                                         \
    {                                                                                              \
        T x[GND__TINY];                                                                            \
        for (int s = 0; s < k; s++, b += ldb) {                                                    \
            memcpy(x, b, (size_t)n * sizeof(T));                                                   \
            for (int i = 0; i < n; i++) {                                                          \
                const T v = x[i];                                                                  \
                x[i] = x[pivot[i] - 1];                                                            \
                x[pivot[i] - 1] = v;                                                               \
            }                                                                                      \
            for (int j = 0; j < n; j++)                                                            \
                for (int i = j + 1; i < n; i++)                                                    \
                    x[i] -= a[(size_t)j * (size_t)lda + (size_t)i] * x[j];                         \
            for (int j = n - 1; j >= 0; j--) {                                                     \
                x[j] /= a[(size_t)j * (size_t)lda + (size_t)j];                                    \
                for (int i = 0; i < j; i++)                                                        \
                    x[i] -= a[(size_t)j * (size_t)lda + (size_t)i] * x[j];                         \
            }                                                                                      \
            memcpy(b, x, (size_t)n * sizeof(T));                                                   \
        }                                                                                          \
    }                                                                                              \
    WIDE static int cholesky_##name(int n, T *a)                                                   \
    {                                                                                              \
        T b[GND__TINY * GND__TINY], l[GND__TINY];                                                  \
        const int p = room(n);                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            memcpy(b + i * p, a + i * n, (size_t)(i + 1) * sizeof(T));                             \
            memset(b + i * p + i + 1, 0, (size_t)(p - i - 1) * sizeof(T));                         \
        }                                                                                          \
        memset(l, 0, sizeof l);                                                                    \
        for (int k = 0; k < n; k++) {                                                              \
            if (!(b[k * p + k] > 0))                                                               \
                return k + 1;                                                                      \
            const T d = SQRT(b[k * p + k]), r = 1 / d;                                             \
            a[k * n + k] = d;                                                                      \
            l[k] = 0;                                                                              \
            for (int i = k + 1; i < n; i++)                                                        \
                a[i * n + k] = l[i] = b[i * p + k] * r;                                            \
            for (int i = k + 1; i < n; i++)                                                        \
                less_##name(b + i * p, l, l[i], k + 1, room(i + 1));                               \
        }                                                                                          \
        return 0;                                                                                  \
    }
TINY(float, f32, fabsf, sqrtf)
TINY(double, f64, fabs, sqrt)

static int takes(gnd_dtype t, int m, int n)
{
    return (t == GND_FLOAT32 || t == GND_FLOAT64) && m <= GND__TINY && n <= GND__TINY;
}

int gnd__tiny_lu(gnd_dtype t, int m, int n, void *a, int lda, int *pivot, int *info)
{
    if (!takes(t, m, n))
        return 0;
    *info = 0;
    if (t == GND_FLOAT32)
        lu_f32(m, n, a, lda, pivot, info);
    else
        lu_f64(m, n, a, lda, pivot, info);
    return 1;
}

int gnd__tiny_solve(gnd_dtype t, int n, int k, const void *a, int lda, const int *pivot, void *b,
                    int ldb)
{
    if (!takes(t, n, n))
        return 0;
    if (t == GND_FLOAT32)
        solve_f32(n, k, a, lda, pivot, b, ldb);
    else
        solve_f64(n, k, a, lda, pivot, b, ldb);
    return 1;
}

int gnd__tiny_cholesky(gnd_dtype t, int n, void *a, int *info)
{
    if (!takes(t, n, n))
        return 0;
    *info = t == GND_FLOAT32 ? cholesky_f32(n, a) : cholesky_f64(n, a);
    return 1;
}
