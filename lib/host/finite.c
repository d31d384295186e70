/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/finite.c - checks matrices for NaN and infinity before LAPACK gets them. LAPACK libraries
 * treat such input in different ways, or print that they were called wrongly. Iterative operations
 * and Cholesky report an error for it; all other results become NaN.
 */
#include "host/lapack.h"

#include <string.h>
#include "base/dtype.h"
#include "base/err.h"

/* After the sign is cleared, adding 1 to the exponent carries into the sign bit only for infinity
 * and NaN. Works on 32 bytes at a time, so that the sums stay in registers. */
#define ARE_NUMBERS(name, uint, sign, one)                                                         \
    static int name(const char *p, size_t n)                                                       \
    {                                                                                              \
        enum { COUNT = 32 / sizeof(uint) };                                                        \
        uint sum[COUNT] = {0}, v[COUNT], all = 0;                                                  \
        size_t i = 0;                                                                              \
        for (; i + COUNT <= n; i += COUNT) {                                                       \
            memcpy(v, p + i * sizeof *v, sizeof v);                                                \
            for (int j = 0; j < COUNT; j++)                                                        \
                sum[j] |= (v[j] & ~(sign)) + (one);                                                \
        }                                                                                          \
        for (int j = 0; j < COUNT; j++)                                                            \
            all |= sum[j];                                                                         \
        for (; i < n; i++) {                                                                       \
            memcpy(v, p + i * sizeof *v, sizeof *v);                                               \
            all |= (v[0] & ~(sign)) + (one);                                                       \
        }                                                                                          \
        return (all & (sign)) == 0;                                                                \
    }
ARE_NUMBERS(are_floats, uint32_t, (uint32_t)1 << 31, (uint32_t)1 << 23)
ARE_NUMBERS(are_doubles, uint64_t, (uint64_t)1 << 63, (uint64_t)1 << 52)

int gnd__are_numbers(gnd_dtype t, const char *p, int64_t n)
{
    const gnd_dtype real = gnd__real_of(t);
    const size_t parts = (size_t)n * (gnd_dtype_size(t) / gnd_dtype_size(real));
    return real == GND_FLOAT64 ? are_doubles(p, parts) : are_floats(p, parts);
}

/* Checks columns of ld elements each: the first `rows` of each, without the part above (below) the
 * diagonal if lower (upper) is 1, and also without the diagonal if it is 2. */
static int are_numbers(const gnd_solve_desc *s, const char *p, int64_t rows, int64_t cols,
                       int64_t ld, int lower, int upper)
{
    const gnd_dtype t = (gnd_dtype)s->dtype;
    if (!lower && !upper && rows == ld)
        return gnd__are_numbers(t, p, rows * cols);
    for (int64_t j = 0; j < cols; j++) {
        const int64_t first = lower ? j + (lower == 2) : 0, end = upper ? j + (upper == 1) : rows;
        if (first < end &&
            !gnd__are_numbers(t, p + (size_t)(j * ld + first) * gnd_dtype_size(t), end - first))
            return 0;
    }
    return 1;
}

int gnd__solve_strict(const gnd_solve_desc *s)
{
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY:
    case GND_SOLVE_SVD:
    case GND_SOLVE_SVDVALS:
    case GND_SOLVE_EIGH:
    case GND_SOLVE_EIGVALSH:
    case GND_SOLVE_EIG:
    case GND_SOLVE_EIGVALS:
    case GND_SOLVE_LSTSQ: return 1;
    default: return 0;
    }
}

void gnd__solve_triangle(const gnd_solve_desc *s, int *lower, int *upper)
{
    const int which = s->op == GND_SOLVE_TRIANGULAR && s->flags & GND_TRI_UNIT ? 2 : 1;
    *lower = *upper = 0;
    if (s->op == GND_SOLVE_CHOLESKY)
        *(s->flags & 1 ? upper : lower) = which;
    else if (s->op == GND_SOLVE_EIGH || s->op == GND_SOLVE_EIGVALSH)
        *lower = which;
    else if (s->op == GND_SOLVE_TRIANGULAR)
        *(s->flags & GND_TRI_UPPER ? upper : lower) = which;
}

gnd_status gnd__solve_refused(int cholesky, int sides, int64_t b, gnd_err *e)
{
    return gnd__err(e, GND_ERR_LINALG, "matrix %lld: %s: %s a NaN or an infinity", (long long)b,
                    cholesky ? "not positive definite" : "no convergence",
                    sides ? "its right sides have" : "it has");
}

gnd_status gnd__solve_not_positive(int64_t b, int minor, gnd_err *e)
{
    return gnd__err(e, GND_ERR_LINALG,
                    "matrix %lld: not positive definite: the leading minor of order %d is not "
                    "positive",
                    (long long)b, minor);
}

gnd_status gnd__solve_singular(int64_t b, int triangle, int at, gnd_err *e)
{
    return gnd__err(e, GND_ERR_LINALG, "matrix %lld: singular: %s[%d, %d] is 0", (long long)b,
                    triangle ? "the diagonal's" : "U", at, at);
}

gnd_status gnd__solve_first(int cholesky, int64_t ld, int64_t key, gnd_err *e)
{
    const int64_t b = key / ld;
    const int at = (int)(key % ld);
    if (at == ld - 1)
        return gnd__solve_refused(cholesky, 0, b, e);
    return cholesky ? gnd__solve_not_positive(b, at + 1, e) : gnd__solve_singular(b, 0, at, e);
}

/* Complex elements get a NaN real part, as a real NaN converted to complex has. */
void gnd__fill_nan(gnd_dtype t, char *p, int64_t n)
{
    static const uint32_t narrow[2] = {0x7fc00000, 0};
    static const uint64_t wide[2] = {(uint64_t)0x7ff8 << 48, 0};
    const size_t size = gnd_dtype_size(t);
    const void *nan = gnd__real_of(t) == GND_FLOAT64 ? (const void *)wide : narrow;
    for (int64_t i = 0; i < n; i++)
        memcpy(p + (size_t)i * size, nan, size);
}

/* Fills the results of one matrix. */
static void no_results(const gnd_solve_desc *s, char *const *mem)
{
    const gnd_solve_desc one = {.op = s->op,
                                .flags = s->flags,
                                .dtype = s->dtype,
                                .m = s->m,
                                .n = s->n,
                                .k = s->k,
                                .nbatch = 1};
    for (int i = 0; i < gnd__solve_operands(&one); i++) {
        const int64_t n =
            (int64_t)gnd__solve_bytes(&one, i) / (int64_t)gnd_dtype_size((gnd_dtype)s->dtype);
        if (!(gnd__solve_direction(&one, i) & 2))
            continue;
        if (gnd__solve_type(&one, i) == 'x')
            gnd__fill_nan((gnd_dtype)s->dtype, mem[i], n);
        else /* no exchanges; a rank of 0 */
            for (int32_t j = 0; j < (int32_t)(gnd__solve_bytes(&one, i) / sizeof j); j++)
                memcpy(mem[i] + (size_t)j * sizeof j,
                       &(int32_t){s->op == GND_SOLVE_LSTSQ ? 0 : j + 1}, sizeof j);
    }
}

gnd_status gnd__solve_finite(const gnd_solve_desc *s, char *const *mem, int64_t b, int *done,
                             gnd_err *e)
{
    const int square = s->op != GND_SOLVE_LU && s->op != GND_SOLVE_QR && s->op != GND_SOLVE_SVD &&
                       s->op != GND_SOLVE_SVDVALS && s->op != GND_SOLVE_LSTSQ;
    const int64_t rows = square ? s->n : s->m;
    int lower, upper;
    gnd__solve_triangle(s, &lower, &upper);
    *done = 0;
    if (!are_numbers(s, mem[0], rows, s->n, rows, lower, upper)) {
        if (gnd__solve_strict(s))
            return gnd__solve_refused(s->op == GND_SOLVE_CHOLESKY, 0, b, e);
        no_results(s, mem);
        *done = 1;
    }
    if (s->op == GND_SOLVE_LSTSQ &&
        !are_numbers(s, mem[1], s->m, s->k, s->m > s->n ? s->m : s->n, 0, 0))
        return gnd__solve_refused(0, 1, b, e);
    return GND_OK;
}
