/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/gemm.c - converts the strides of a gnd_gemm to the arguments of a BLAS call. Row-major
 * throughout:
 *
 *     stored as given:      element (i, j) at i*ld + j,   trans 0, needs col == 1 and ld >= columns
 *     stored transposed:    element (i, j) at j*ld + i,   trans 1, needs row == 1 and ld >= rows
 *
 * The stride along an extent of 1 has no meaning, so a column of any stride has the first form with
 * ld = row, and a row of any stride has the second form with ld = col.
 */
#include "gemm.h"

static int64_t at_least_1(int64_t v)
{
    return v > 1 ? v : 1;
}

static int mat_layout(int64_t rows, int64_t cols, int64_t row, int64_t col, gnd__blas_mat *m)
{
    if (rows <= 0 || cols <= 0) { /* without elements, strides do not matter */
        m->trans = 0;
        m->ld = at_least_1(cols);
        return 1;
    }
    if ((cols == 1 || col == 1) && (rows == 1 || row >= cols)) {
        m->trans = 0;
        m->ld = rows == 1 ? cols : row;
        return 1;
    }
    if ((rows == 1 || row == 1) && (cols == 1 || col >= rows)) {
        m->trans = 1;
        m->ld = cols == 1 ? rows : col;
        return 1;
    }
    return 0;
}

/* The range of bytes that x touches. The last element is off + (nbatch-1)*batch + (rows-1)*row +
 * (cols-1)*col. Returns 0 if a stride is negative or the range overflows. */
static int mat_range(const gnd_mat *x, int64_t rows, int64_t cols, int64_t nbatch, size_t esize,
                     gnd__blas_mat *m)
{
    uint64_t last = x->off, lo, t;
    m->lo = m->hi = 0;
    if (rows <= 0 || cols <= 0 || nbatch <= 0)
        return 1;
    const int64_t ext[3] = {nbatch, rows, cols}, str[3] = {x->batch, x->row, x->col};
    for (int i = 0; i < 3; i++) {
        if (ext[i] > 1 && str[i] < 0)
            return 0;
        if (ext[i] > 1 && __builtin_mul_overflow((uint64_t)ext[i] - 1, (uint64_t)str[i], &t))
            return 0;
        if (ext[i] > 1 && __builtin_add_overflow(last, t, &last))
            return 0;
    }
    if (__builtin_mul_overflow(x->off, (uint64_t)esize, &lo) ||
        __builtin_add_overflow(last, UINT64_C(1), &last) ||
        __builtin_mul_overflow(last, (uint64_t)esize, &t))
        return 0;
    m->lo = lo;
    m->hi = t;
    return 1;
}

static const unsigned char dtype_size[GND_NDTYPES] = {
#define X(NAME, name, bytes, kind) bytes,
    GND_DTYPE_LIST(X)
#undef X
};

gnd_status gnd__blas_layout(const gnd_gemm *g, int64_t limit, gnd__blas_gemm *out, gnd_err *e)
{
    const struct {
        const char *name;
        const gnd_mat *m;
        int64_t rows, cols;
        gnd__blas_mat *out;
    } t[3] = {
        {"A", &g->a, g->m, g->k, &out->a},
        {"B", &g->b, g->k, g->n, &out->b},
        {"C", &g->c, g->m, g->n, &out->c},
    };
    if (g->dtype >= GND_NDTYPES)
        return gnd__plug_fail(e, GND_ERR_DTYPE, 0, "gemm: %u is no dtype", (unsigned)g->dtype);
    if (g->m < 0 || g->n < 0 || g->k < 0 || g->nbatch < 0)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "gemm: a negative extent");
    if (g->m > limit || g->n > limit || g->k > limit)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "gemm: an extent is over the library's %lld", (long long)limit);
    out->esize = dtype_size[g->dtype];
    for (int i = 0; i < 3; i++) {
        const gnd_mat *m = t[i].m;
        if (!mat_layout(t[i].rows, t[i].cols, m->row, m->col, t[i].out) || t[i].out->ld > limit ||
            (i == 2 && t[i].out->trans))
            return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                  "gemm: strides (%lld, %lld) of %s are not for BLAS",
                                  (long long)m->row, (long long)m->col, t[i].name);
        if (!mat_range(m, t[i].rows, t[i].cols, g->nbatch, out->esize, t[i].out))
            return gnd__plug_fail(e, GND_ERR_OVERFLOW, 0, "gemm: the offsets of %s overflow",
                                  t[i].name);
    }
    if (g->flags & GND_GEMM_PLUS) {
        const gnd_mat *m = &g->plus;
        if ((g->n > 1 && m->col != 1) || (g->m > 1 && m->row && m->row < g->n) || m->row > limit)
            return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                  "gemm: strides (%lld, %lld) of what is added are not for BLAS",
                                  (long long)m->row, (long long)m->col);
        if (!mat_range(m, g->m, g->n, g->nbatch, out->esize, &out->plus))
            return gnd__plug_fail(e, GND_ERR_OVERFLOW, 0,
                                  "gemm: the offsets of what is added overflow");
        out->plus.trans = 0;
        out->plus.ld = g->m > 1 ? m->row : 0;
    }
    if (g->nbatch > 1 && g->m > 0 && g->n > 0 && g->c.batch == 0)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: the batches of C overlap");
    return GND_OK;
}

/* The increment from one element of the vector to the next: in B (k x 1), ld if B is stored as
 * given and 1 if its transpose is stored; in A (1 x k), the reverse. */
int gnd__blas_as_gemv(const gnd_gemm *g, const gnd__blas_gemm *p, gnd__blas_gemv *v)
{
    if (g->n == 1)
        *v = (gnd__blas_gemv){.of_b = 0,
                              .trans = p->a.trans,
                              .rows = p->a.trans ? g->k : g->m,
                              .cols = p->a.trans ? g->m : g->k,
                              .ld = p->a.ld,
                              .incx = p->b.trans ? 1 : p->b.ld,
                              .incy = p->c.ld};
    else if (g->m == 1)
        *v = (gnd__blas_gemv){.of_b = 1,
                              .trans = !p->b.trans,
                              .rows = p->b.trans ? g->n : g->k,
                              .cols = p->b.trans ? g->k : g->n,
                              .ld = p->b.ld,
                              .incx = p->a.trans ? p->a.ld : 1,
                              .incy = 1};
    else
        return 0;
    return 1;
}

static gnd_status in_buffer(const char *name, const gnd_mat *of, const gnd__blas_mat *m,
                            size_t (*nbytes)(const gnd_buf *), gnd_err *e)
{
    if (m->lo == m->hi)
        return GND_OK;
    if (!of->buf)
        return gnd__plug_fail(e, GND_ERR_NULL, 0, "gemm: no buffer for %s", name);
    if (m->hi > nbytes(of->buf))
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "gemm: %s ends at byte %llu of a buffer of %zu",
                              name, (unsigned long long)m->hi, nbytes(of->buf));
    return GND_OK;
}

gnd_status gnd__blas_in_buffers(const gnd_gemm *g, const gnd__blas_gemm *p,
                                size_t (*nbytes)(const gnd_buf *), gnd_err *e)
{
    gnd_status s = in_buffer("A", &g->a, &p->a, nbytes, e);
    if (s == GND_OK)
        s = in_buffer("B", &g->b, &p->b, nbytes, e);
    if (s == GND_OK)
        s = in_buffer("C", &g->c, &p->c, nbytes, e);
    if (s == GND_OK && (g->flags & GND_GEMM_PLUS))
        s = in_buffer("what is added", &g->plus, &p->plus, nbytes, e);
    return s;
}
