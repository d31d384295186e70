/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_tsqr.c - the QR decomposition of tall matrices that are split by rows, and least squares with
 * it. Each rank decomposes its rows. The triangles go up a binary tree of ranks, which decomposes
 * pairs of them; then Q comes down the tree (Demmel, Grigori, Hoemmen, Langou:
 * Communication-optimal parallel and sequential QR and LU factorizations, 2012). Least squares
 * decompose [a b], so Q is not needed: R x = c, with R and c from the triangle. Matrices of other
 * shapes are gathered.
 */
#include "call.h"

#include <string.h>

enum { LEVELS = 32 };

/* The tree. rows[r]: the number of rows of rank r's triangle at this level, 0 after it was passed
 * on. */
typedef struct tree {
    gndm_ctx *c;
    gnd_dtype dtype;
    int64_t n, *rows, *kept[LEVELS]; /* kept: rows before each level */
    gnd_array *q[LEVELS];            /* Q of this rank's pair at each level */
    int levels;
    gndm__box *want;
} tree;

/* The dtype in which gnd decomposes a matrix of dtype t. */
static gnd_dtype float_of(gndm_ctx *c, gnd_dtype t)
{
    if (t == GND_FLOAT32 || t == GND_FLOAT64 || t == GND_COMPLEX64 || t == GND_COMPLEX128)
        return t;
    return gnd_dtype_kind(t) == 'f' ? GND_FLOAT32 : gnd_default_float(c->dev);
}

/* Distributes rows: rank r contributes count[r] rows, `mine`, and receives all rows of rank
 * from[r], or none if that is -1. */
static gnd_status pass(const tree *q, gnd_array *mine, int64_t columns, const int64_t *count,
                       const int *from, gnd_array **out)
{
    gndm_ctx *c = q->c;
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut), shape[2] = {0, columns};
    if (!cut)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    cut[0] = 0;
    for (int r = 0; r < c->size; r++)
        cut[r + 1] = cut[r] + count[r];
    shape[0] = cut[c->size];
    gndm_part *p = gndm__part_new(c, 2, shape);
    gndm__part_split(c, p, 0, c->size, 1, cut);
    for (int r = 0; r < c->size; r++) {
        const int s = from[r];
        q->want[r] = s < 0 ? (gndm__box){.start = {0, 0}, .stop = {0, columns}}
                           : (gndm__box){.start = {cut[s], 0}, .stop = {cut[s + 1], columns}};
    }
    gndm_array *all = gndm__array(c, q->dtype, p, mine);
    gnd_status st = gndm__check(c, all);
    if (!st)
        st = gndm__fetch(c, all, q->want, out);
    gndm_part_free(p);
    free(cut);
    return st;
}

/* Decomposes a rank's own matrix. Errors stay in the factors. */
static void decompose(gnd_array *x, gnd_array **q, gnd_array **r)
{
    const gnd_status st = gnd_qr(x, 0, q, r);
    if (st)
        *q = *r = gnd_fail(st, "%s", gnd_status_of(x) ? gnd_error(x) : gnd_message());
}

/* Passes the triangles up the tree. *r is the rank's triangle; on rank 0 it becomes that of the
 * whole matrix. */
static gnd_status up(tree *q, gnd_array **r)
{
    gndm_ctx *c = q->c;
    gnd_status st = GND_OK;
    int *from = malloc((size_t)c->size * sizeof *from);
    if (!from)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int step = 1; step < c->size && !st; step *= 2) {
        gnd_array *other = NULL;
        const int level = q->levels++;
        q->kept[level] = malloc((size_t)c->size * sizeof **q->kept);
        if (!q->kept[level]) {
            st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
            break;
        }
        memcpy(q->kept[level], q->rows, (size_t)c->size * sizeof *q->rows);
        for (int a = 0; a < c->size; a++)
            from[a] = a % (2 * step) == 0 && a + step < c->size ? a + step : -1;
        st = pass(q, *r, q->n, q->rows, from, &other);
        for (int a = 0; a < c->size; a++) {
            if (from[a] < 0)
                continue;
            const int64_t rows = q->rows[a] + q->rows[from[a]];
            q->rows[a] = rows < q->n ? rows : q->n;
            q->rows[from[a]] = 0;
        }
        if (!st && from[c->rank] >= 0) {
            gnd_array *both[2] = {*r, other};
            decompose(gnd_concat(2, both, 0), &q->q[level], r);
        }
        if (!st && c->rank % (2 * step) == step)
            *r = gnd_zeros(c->dev, q->dtype, 2, (const int64_t[]){0, q->n});
    }
    free(from);
    return st;
}

/* Passes factors of Q down the tree. *t is the identity on rank 0; it becomes the factor by which
 * the rank's own Q must be multiplied. */
static gnd_status down(const tree *q, int64_t columns, gnd_array **t)
{
    gndm_ctx *c = q->c;
    gnd_status st = GND_OK;
    int *from = malloc((size_t)c->size * sizeof *from);
    int64_t *count = malloc((size_t)c->size * sizeof *count);
    if (!from || !count)
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int level = q->levels - 1; level >= 0 && !st; level--) {
        const int step = 1 << level, has = c->rank % (2 * step) == 0 && c->rank + step < c->size;
        const int64_t *rows = q->kept[level];
        gnd_array *below = gnd_zeros(c->dev, q->dtype, 2, (const int64_t[]){0, columns});
        gnd_array *got = NULL;
        for (int a = 0; a < c->size; a++) {
            count[a] = a % (2 * step) == 0 && a + step < c->size ? rows[a + step] : 0;
            from[a] = a % (2 * step) == step ? a - step : -1;
        }
        if (has) {
            gnd_array *y = gnd_matmul(q->q[level], *t);
            *t = gnd_slice(y, 0, 0, rows[c->rank]);
            below = gnd_slice(y, 0, rows[c->rank], rows[c->rank] + count[c->rank]);
        }
        st = pass(q, below, columns, count, from, &got);
        if (!st && from[c->rank] >= 0)
            *t = got;
    }
    free(from);
    free(count);
    return st;
}

/* Computes the factors of x, which is split by rows. If q_out is NULL, only R. R is on all
 * ranks. */
static gnd_status tsqr(gndm_ctx *c, gndm_array *x, gndm_array **q_out, gnd_array **r_out)
{
    const int64_t n = x->part->shape[1];
    tree q = {.c = c, .dtype = x->dtype, .n = n};
    gndm__box b;
    gnd_array *own = NULL, *r = gnd_zeros(c->dev, x->dtype, 2, (const int64_t[]){0, n}), *t = NULL;
    int *from = calloc((size_t)c->size, sizeof *from);
    q.rows = malloc((size_t)c->size * sizeof *q.rows);
    q.want = malloc((size_t)c->size * sizeof *q.want);
    gnd_status st = q.rows && q.want && from
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int i = 0; i < c->size && !st; i++) {
        gndm__part_box(x->part, i, &b);
        const int64_t m = b.stop[0] - b.start[0];
        q.rows[i] = m < n ? m : n;
    }
    const int has = !st && q.rows[c->rank] > 0;
    if (has || gnd_status_of(x->local))
        decompose(x->local, &own, &r);
    if (!st)
        st = up(&q, &r);
    const int64_t columns = st ? 0 : q.rows[0];
    if (!st) /* rank 0 sends R to all */
        st = pass(&q, r, n, q.rows, from, r_out);
    if (!st && q_out) {
        t = c->rank == 0 ? gnd_eye(c->dev, x->dtype, columns, columns, 0)
                         : gnd_zeros(c->dev, x->dtype, 2, (const int64_t[]){0, columns});
        st = down(&q, columns, &t);
    }
    if (!st && q_out) {
        const int64_t shape[2] = {x->part->shape[0], columns};
        const int same[2] = {0, -1};
        gndm_part *p = gndm__part_axes(c, x->part, 2, shape, same);
        gnd_array *y = own ? gnd_matmul(own, t)
                           : gnd_zeros(c->dev, x->dtype, 2, (const int64_t[]){0, columns});
        *q_out = gndm__array(c, x->dtype, p, y);
        gndm_part_free(p);
        st = gndm__check(c, *q_out);
    }
    for (int i = 0; i < q.levels; i++)
        free(q.kept[i]);
    free(q.rows);
    free(q.want);
    free(from);
    return st;
}

/* --- the functions ---------------------------------------------------------------------------- */

/* Whether x with `more` additional columns is tall: every rank can have as many rows as there are
 * columns. */
static int tall(const gndm_array *x, int64_t more)
{
    const gndm_part *p = x ? x->part : NULL;
    return p && p->ndim == 2 && p->shape[1] > 0 && x->ctx->size > 1 &&
           gndm__part_split_anywhere(p) && p->shape[0] / x->ctx->size >= p->shape[1] + more;
}

/* Moves x so that every rank has its own rows, and converts it to dtype t. */
static gndm_array *by_rows(gndm_ctx *c, gndm_array *x, gnd_dtype t)
{
    const int grid[2] = {c->size, 1};
    gndm_part *p =
        x->part->grid[0] == c->size && x->part->stride[0] == 1 ? gndm__part_retain(x->part)
        : c->flags & GNDM_EVEN ? gndm_part_even(c, 2, x->part->shape, grid)
                               : gndm_part_weighted(c, t, 2, x->part->shape, grid, GNDM_FLOPS);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    if (!y->status && y->dtype != t)
        y = gndm__array(c, t, y->part, gnd_astype(y->local, t));
    return y;
}

/* An array of which every rank has a copy. */
static gndm_array *everywhere(gndm_ctx *c, gnd_dtype t, gnd_array *x, int ndim,
                              const int64_t *shape)
{
    gndm_part *p = gndm__part_new(c, ndim, shape);
    gndm_array *y = gndm__array(c, t, p, x);
    gndm_part_free(p);
    return y;
}

static gnd_status ret_tuple(gndm__args *a, int n, gndm_array *const *y)
{
    gnd_value *v = calloc((size_t)n + 1, sizeof *v);
    gnd_status st =
        v ? GND_OK : gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int i = 0; i < n && !st; i++) {
        st = gndm__check(a->c, y[i]);
        v[i] = gndm_value(y[i]);
    }
    if (st) {
        free(v);
        return st;
    }
    *a->out = gnd_value_tuple(n, v);
    a->out->aux = GND_VALUE_OWNED;
    return GND_OK;
}

gnd_status gndm__fn_qr(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y[2] = {NULL, NULL};
    const gnd_value *mode = gndm__arg(a, "mode");
    const size_t n = mode && mode->tag == GND_V_STRING ? mode->as.text.n : 0;
    const int only_r = n == 1 && mode->as.text.s[0] == 'r';
    if (!tall(x, 0) || (mode && !only_r && (n != 7 || memcmp(mode->as.text.s, "reduced", 7) != 0)))
        return gndm__fn_gathered(a);
    gnd_array *r = NULL;
    x = by_rows(c, x, float_of(c, x->dtype));
    gnd_status st = gndm__check(c, x);
    if (!st)
        st = tsqr(c, x, only_r ? NULL : &y[0], &r);
    if (st)
        return st;
    const int64_t shape[2] = {x->part->shape[1], x->part->shape[1]};
    y[1] = everywhere(c, x->dtype, r, 2, shape);
    return only_r ? gndm__ret_array(a, y[1]) : ret_tuple(a, 2, y);
}

/* Returns x, residuals, rank and singular values from r, the triangle of [a b]. a is m x n and b
 * has k columns; if line is set, b is a vector (k is 1). */
static gnd_status solve_triangle(gndm__args *args, gnd_dtype t, gnd_array *r, int64_t m, int64_t n,
                                 int64_t k, int line, double rcond)
{
    gndm_ctx *c = args->c;
    gnd_array *b = gnd_slice(r, 1, n, n + k), *y[4] = {NULL};
    const int wide = t == GND_FLOAT64 || t == GND_COMPLEX128;
    const gnd_dtype real = wide ? GND_FLOAT64 : GND_FLOAT32;
    if (rcond < 0)
        rcond = (double)m * (wide ? 0x1p-52 : 0x1p-23);
    gnd_array *top = gnd_slice(b, 0, 0, n);
    gnd_status st =
        gnd_lstsq(gnd_slice(gnd_slice(r, 0, 0, n), 1, 0, n),
                  line ? gnd_squeeze(top, GND_AXIS(1)) : top, rcond, &y[0], NULL, &y[2], &y[3]);
    int64_t rank = st ? 0 : gnd_item_i64(y[2], &st);
    st = gndm__agree(c, st, gnd_message());
    if (!st) /* all ranks must agree on it: shapes depend on it */
        st = gndm__bcast(c, &rank, sizeof rank, 0);
    if (st)
        return st;
    const int full = rank == n && m > n;
    const int64_t shape[2] = {n, k}, rest = full ? k : 0;
    gnd_array *square = gnd_square(gnd_abs(gnd_slice(b, 0, n, GND_NONE)));
    y[1] = full ? gnd_sum(square, GND_AXIS(0), 0) : gnd_zeros(c->dev, real, 1, &rest);
    y[2] = gnd_full(c->dev, GND_INT64, 0, NULL, gnd_int(rank));
    gndm_array *z[4] = {everywhere(c, t, y[0], line ? 1 : 2, shape),
                        everywhere(c, real, y[1], 1, &rest),
                        everywhere(c, GND_INT64, y[2], 0, NULL), everywhere(c, real, y[3], 1, &n)};
    return ret_tuple(args, 4, z);
}

gnd_status gndm__fn_lstsq(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "a"), *b = gndm__arg_array(a, "b");
    const gnd_value *v = gndm__arg(a, "rcond");
    const int number = !v || v->tag == GND_V_FLOAT || v->tag == GND_V_INT;
    const int line = b && b->part->ndim == 1;
    const int64_t k = !b || b->part->ndim > 2 ? 0 : line ? 1 : b->part->shape[1];
    if (!number || k < 1 || !tall(x, k) || b->part->shape[0] != x->part->shape[0])
        return gndm__fn_gathered(a);
    const double rcond = !v ? -1 : v->tag == GND_V_INT ? (double)v->as.i : v->as.z.re;
    const gnd_dtype t = float_of(c, gnd_promote(float_of(c, x->dtype), float_of(c, b->dtype)));
    const int64_t m = x->part->shape[0], n = x->part->shape[1], shape[2] = {m, n + k};
    static const int rows[2] = {0, -1};
    gnd_array *r = NULL;
    x = by_rows(c, x, t);
    gnd_status st = gndm__check(c, x);
    if (st)
        return st;
    gndm_part *p = gndm__part_axes(c, x->part, b->part->ndim, b->part->shape, rows);
    gndm_part *both = gndm__part_axes(c, x->part, 2, shape, rows);
    b = gndm__moved(c, b, p);
    st = gndm__check(c, b);
    if (!st) {
        gnd_array *y = line ? gnd_expand_dims(b->local, GND_AXIS(1)) : b->local;
        gnd_array *parts[2] = {x->local, gnd_astype(y, t)};
        gndm_array *joined = gndm__array(c, t, both, gnd_concat(2, parts, 1));
        st = gndm__check(c, joined);
        if (!st)
            st = tsqr(c, joined, NULL, &r);
    }
    gndm_part_free(p);
    gndm_part_free(both);
    return st ? st : solve_triangle(a, t, r, m, n, k, line, rcond);
}
