/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/panel.c - factors a panel on the host. The memory transferred is one run from the panel's
 * first element to its last; elements between the panel's columns are written back unchanged.
 */
#include "host/panel.h"

#include <limits.h>
#include <string.h>
#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "host/lapack.h"
#include "host/normal.h"
#include "host/rows.h"
#include "host/tall_qr.h"

typedef size_t len; /* length of a character argument, as in lapack.c */
typedef void potrf_fn(const char *, const int *, void *, const int *, int *, len);
typedef void getrf_fn(const int *, const int *, void *, const int *, int *, int *);
typedef void geqrf_fn(const int *, const int *, void *, const int *, void *, void *, const int *,
                      int *);
typedef void larft_fn(const char *, const char *, const int *, const int *, const void *,
                      const int *, const void *, void *, const int *, len, len);

/* Gets a LAPACK routine. POSIX allows a void pointer to hold a function pointer. */
#define FN(type, r)                                                                                \
    type##_fn *type;                                                                               \
    void *found_##type = gnd__lapack_routine(c->t, r);                                             \
    memcpy(&type, &found_##type, sizeof type)

typedef struct call {
    const gnd__panel *p;
    int t, rows, cols, ld;
    size_t size;
    char *mem[3];
    int info;
    gnd_err *e;
} call;

static size_t size_of(const gnd__panel *p)
{
    return gnd_dtype_size((gnd_dtype)p->dtype);
}

static int is_complex(const gnd__panel *p)
{
    return gnd_dtype_kind((gnd_dtype)p->dtype) == 'c';
}

static int is_rows(const gnd__panel *p)
{
    return p->kind == GND__PANEL_CHOLESKY_ROWS || p->kind == GND__PANEL_LU_ROWS ||
           p->kind == GND__PANEL_NORMAL;
}

static int only_looks(const gnd__panel *p)
{
    return p->kind == GND__PANEL_DIAGONAL || p->kind == GND__PANEL_FINITE ||
           p->kind == GND__PANEL_SINGULAR;
}

int gnd__panel_operands(const gnd__panel *p)
{
    switch ((gnd__panel_kind)p->kind) {
    case GND__PANEL_CHOLESKY_ROWS:
    case GND__PANEL_LU_ROWS:
    case GND__PANEL_NORMAL:
    case GND__PANEL_LU: return 2;
    case GND__PANEL_QR: return 3;
    case GND__PANEL_TALL_QR: return 4;
    default: return 1;
    }
}

size_t gnd__panel_bytes(const gnd__panel *p, int i)
{
    const size_t size = size_of(p), twice = is_complex(p) ? 2 : 1;
    const size_t rows = (size_t)p->rows, cols = (size_t)p->cols, least = rows < cols ? rows : cols;
    if (p->kind == GND__PANEL_LU_ROWS && i == 1)
        return (size_t)p->count * (rows * least + least * cols + rows) * size;
    if (p->kind == GND__PANEL_NORMAL && i == 1)
        return (rows * (cols - rows) + 1) * size;
    if (is_rows(p))
        return (size_t)p->count * rows * cols * size;
    if (i == 0)
        return ((size_t)p->ld * (cols - 1) + rows) * size;
    switch ((gnd__panel_kind)p->kind) {
    case GND__PANEL_LU: return cols * sizeof(int32_t);
    default: return (i == 1 ? rows : cols) * cols * size * twice;
    }
}

/* 1 read, 2 written, 3 both. */
static int direction(const gnd__panel *p, int i)
{
    return i > 0 ? 2 : only_looks(p) || is_rows(p) ? 1 : 3;
}

/* Copies rows x cols elements, conjugated. Columns of `from` are ld elements apart. */
static void conjugate(const call *c, char *to, const char *from, int rows, int cols, int ld)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            char *x = to + ((size_t)j * (size_t)rows + (size_t)i) * c->size;
            memcpy(x, from + ((size_t)j * (size_t)ld + (size_t)i) * c->size, c->size);
            x[c->size - 1] = (char)(x[c->size - 1] ^ 0x80); /* flips the sign of the imaginary
                                                               part */
        }
}

static gnd_status cholesky(call *c)
{
    FN(potrf, GND__POTRF);
    potrf("L", &c->cols, c->mem[0], &c->ld, &c->info, 1);
    if (c->info > 0)
        return gnd__err(c->e, GND_ERR_LINALG,
                        "matrix %lld: not positive definite: the leading minor of order "
                        "%lld is not positive",
                        (long long)c->p->matrix, (long long)(c->p->first + c->info));
    return GND_OK;
}

static gnd_status lu(call *c)
{
    int *pivot = (int *)(void *)c->mem[1];
    FN(getrf, GND__GETRF);
    getrf(&c->rows, &c->cols, c->mem[0], &c->ld, pivot, &c->info);
    for (int i = 0; i < c->cols && c->info >= 0; i++)
        pivot[i] += (int)c->p->first;
    if (c->info > 0 && c->p->strict) {
        const long long at = c->p->first + c->info - 1;
        return gnd__err(c->e, GND_ERR_LINALG, "matrix %lld: singular: U[%lld, %lld] is 0",
                        (long long)c->p->matrix, at, at);
    }
    return GND_OK;
}

static gnd_status qr(call *c)
{
    const size_t size = c->size, rows = (size_t)c->rows, cols = (size_t)c->cols;
    const int lwork = c->cols * 64;
    char *v = c->mem[1], *tri = c->mem[2];
    char *work = gnd__malloc((cols + (size_t)lwork) * size), *tau = work + (size_t)lwork * size;
    FN(geqrf, GND__GEQRF);
    FN(larft, GND__LARFT);
    if (!work)
        return gnd__err(c->e, GND_ERR_NOMEM, "out of memory for a matrix's workspace");
    geqrf(&c->rows, &c->cols, c->mem[0], &c->ld, tau, work, &lwork, &c->info);
    memset(v, 0, rows * cols * size);
    memset(tri, 0, cols * cols * size);
    for (size_t j = 0; j < cols; j++) {
        char *col = v + j * rows * size;
        if (c->t % 2)
            memcpy(col + j * size, &(double){1}, sizeof(double));
        else
            memcpy(col + j * size, &(float){1}, sizeof(float));
        memcpy(col + (j + 1) * size, c->mem[0] + (j * (size_t)c->ld + j + 1) * size,
               (rows - j - 1) * size);
    }
    larft("F", "C", &c->rows, &c->cols, v, &c->rows, tau, tri, &c->cols, 1, 1);
    if (c->t >= 2) {
        conjugate(c, v + rows * cols * size, v, c->rows, c->cols, c->rows);
        conjugate(c, tri + cols * cols * size, tri, c->cols, c->cols, c->cols);
    }
    gnd__free(work);
    return GND_OK;
}

/* -0 counts as 0. */
static gnd_status diagonal(call *c)
{
    for (int i = 0; i < c->rows; i++) {
        double re, im = 0;
        float x[2] = {0, 0};
        if (c->t % 2) {
            double y[2] = {0, 0};
            memcpy(y, c->mem[0] + (size_t)i * c->size, c->size);
            re = y[0], im = y[1];
        } else {
            memcpy(x, c->mem[0] + (size_t)i * c->size, c->size);
            re = x[0], im = x[1];
        }
        if (re == 0 && im == 0)
            return gnd__err(c->e, GND_ERR_LINALG,
                            "matrix %lld: singular: the diagonal's[%d, %d] is 0",
                            (long long)c->p->matrix, i, i);
    }
    return GND_OK;
}

static gnd_status all_finite(const call *c)
{
    for (int i = 0; i < c->rows; i++)
        if (c->mem[0][i])
            return gnd__solve_refused(c->p->strict, !(c->mem[0][i] & 1), i, c->e);
    return GND_OK;
}

static gnd_status none_singular(const call *c)
{
    int32_t v;
    memcpy(&v, c->mem[0], sizeof v);
    return v ? gnd__solve_first(c->p->strict, c->ld, INT32_MAX - v, c->e) : GND_OK;
}

static gnd_status factor(call *c)
{
    gnd_status st;
    switch ((gnd__panel_kind)c->p->kind) {
    case GND__PANEL_CHOLESKY: st = cholesky(c); break;
    case GND__PANEL_LU: st = lu(c); break;
    case GND__PANEL_QR: st = qr(c); break;
    case GND__PANEL_FINITE: return all_finite(c);
    case GND__PANEL_SINGULAR: return none_singular(c);
    case GND__PANEL_CHOLESKY_ROWS:
        return gnd__rows_cholesky((gnd_dtype)c->p->dtype, c->p->count, c->p->rows, c->mem[0],
                                  c->mem[1], c->e);
    case GND__PANEL_LU_ROWS:
        return gnd__rows_lu((gnd_dtype)c->p->dtype, c->p->count, c->p->rows, c->p->cols, c->mem[0],
                            c->mem[1], c->e);
    case GND__PANEL_NORMAL:
        return gnd__normal_solve((gnd_dtype)c->p->dtype, c->p->rows, c->p->cols - c->p->rows,
                                 c->p->rcond, c->mem[0], c->mem[1], c->e);
    default: return diagonal(c);
    }
    if (st == GND_OK && c->info < 0)
        return gnd__err(c->e, GND_ERR_INTERNAL, "LAPACK: argument %d is wrong", -c->info);
    return st;
}

gnd_status gnd__panel_on(gnd__gdev *d, const gnd__panel *p, int n, gnd__block *const *block,
                         const size_t *at, gnd_err *e)
{
    call c = {.p = p, .e = e};
    gnd_status st = GND_OK;
    void *mem[3] = {NULL};
    int have = 0;
    c.t = gnd__lapack_dtype(p->dtype);
    const int looks = only_looks(p), rows = is_rows(p);
    if (!looks && !gnd__lapack_library())
        return gnd__err(e, GND_ERR_UNSUPPORTED,
                        "no LAPACK: install OpenBLAS (libopenblas0) or liblapack3");
    if ((!rows && (p->rows > (looks ? INT_MAX : INT_MAX / 64) || p->ld > INT_MAX)) ||
        (c.t < 0 && !looks) || n != gnd__panel_operands(p))
        return gnd__err(e, GND_ERR_INTERNAL, "a panel of %lld x %lld with %d operands",
                        (long long)p->rows, (long long)p->cols, n);
    if (p->kind == GND__PANEL_TALL_QR)
        return gnd__tall_qr_on(d, p, block, at, e);
    c.rows = (int)p->rows, c.cols = (int)p->cols, c.ld = (int)p->ld;
    c.size = size_of(p);
    while (have < n && st == GND_OK) {
        st = gnd__host_take(d, block[have], at[have], gnd__panel_bytes(p, have), direction(p, have),
                            &mem[have], e);
        have += st == GND_OK;
    }
    for (int i = 0; i < have; i++)
        c.mem[i] = mem[i];
    if (st == GND_OK)
        st = factor(&c);
    for (int i = 0; i < have; i++) {
        gnd_err late = {GND_OK, 0, ""};
        if (gnd__host_give(d, block[i], at[i], gnd__panel_bytes(p, i), direction(p, i), mem[i],
                           st == GND_OK, &late) != GND_OK &&
            st == GND_OK)
            st = gnd__err(e, late.code, "%s", late.msg);
    }
    return st;
}
