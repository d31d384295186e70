/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_solve.c - linear systems, inverses and determinants of a distributed matrix by LU with partial
 * pivoting (Golub, Van Loan: Matrix Computations, 4th ed., 3.4, right-looking, by blocks of
 * columns). A panel is whole on its owner, so the search for pivots sends no messages. All ranks
 * get the pivots and the panel of L, and eliminate from their own columns and right-hand sides;
 * after that, L is not needed. Then the panels of U, starting with the last, go to the ranks that
 * have right-hand sides, and each of these solves for its own. A rank holds O(n^2 / p + n width)
 * elements.
 */
#include "blocks.h"
#include "shuffle.h"

#include <math.h>
#include <string.h>

typedef struct elimination {
    gndm_ctx *c;
    gndm__blocks b;
    gnd_dtype t;
    int64_t sides;      /* number of this rank's right-hand sides */
    gnd_array *rest;    /* remaining rows of the own columns, followed by the own sides */
    gnd_array **rows;   /* for each block: its rows of `rest`, without its own columns */
    gnd_array **corner; /* for each own block: its triangle of U */
    int64_t *info;      /* of a panel: pivots, first 0 on U's diagonal or -1, work space */
    int64_t zero;       /* index of the first 0 on U's diagonal, or -1 */
    int odd, finite;    /* number of row exchanges is odd; the matrix is finite */
} elimination;

/* --- elimination ------------------------------------------------------------------------------ */

/* The owner's part of a step: computes L of its panel (m rows) in *l, and q->info. Errors stay in
 * *l. */
static void decompose(elimination *q, int k, int64_t w, gnd_array **l)
{
    gnd_array *panel = gnd_slice(q->rest, 1, 0, w), *p, *u;
    int64_t *info = q->info;
    for (int64_t i = 0; i <= w; i++)
        info[i] = i < w ? i : -1;
    gnd_status st = gnd_lu(panel, &p, l, &u);
    if (!st) { /* column i of P has its 1 in the row that becomes row i */
        gnd_array *ones = gnd_real_part(gnd_slice(p, 1, 0, w));
        gnd_array *is_zero = gnd_equal(gnd_diagonal(u, 0, 0, 1), gnd_int(0));
        gnd_array *y[4] = {gnd_argmax(ones, GND_AXIS(0), 0), gnd_astype(is_zero, GND_INT64), *l, u};
        int64_t *zero = info + w + 1;
        st = gnd_eval_all(4, y);
        if (!st)
            st = gnd_read(y[0], info, (size_t)w * sizeof *info);
        if (!st)
            st = gnd_read(y[1], zero, (size_t)w * sizeof *zero);
        for (int64_t i = w - 1; i >= 0 && !st; i--)
            info[w] = zero[i] ? i : info[w];
        gndm__hold(&q->corner[k], u);
    }
    if (st)
        *l = gnd_fail(st, "%s", gnd_message());
}

/* Applies the pivots as row exchanges, like LAPACK. Returns, for each of m rows, the row that is in
 * its place afterwards; NULL if memory is short. */
static int64_t *permuted(elimination *q, int64_t w, int64_t m)
{
    int64_t *row = malloc(2 * (size_t)m * sizeof *row + 1), *place = row + m;
    for (int64_t i = 0; i < m && row; i++)
        row[i] = place[i] = i;
    for (int64_t i = 0; i < w && row; i++) {
        const int64_t want = q->info[i], j = want < m && want >= 0 ? place[want] : i;
        if (j <= i)
            continue;
        const int64_t other = row[i];
        row[i] = row[j];
        row[j] = other;
        place[row[i]] = i;
        place[other] = j;
        q->odd ^= 1;
    }
    return row;
}

/* Every rank's part of a step. l is the owner's panel of L, m x w. */
static void eliminate(elimination *q, int k, gnd_array *l, int64_t w, int64_t m)
{
    gndm_ctx *c = q->c;
    const int64_t own = gndm__own_columns(&q->b, k + 1, q->b.count) + q->sides;
    int64_t *row = permuted(q, w, m);
    gnd_array *x = q->rest, *y[2];
    if (q->b.owner[k] == c->rank)
        x = gnd_slice(x, 1, w, GND_NONE);
    if (!row) {
        y[0] = y[1] = gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", c->func);
    } else if (own == 0) {
        y[0] = gnd_zeros(c->dev, q->t, 2, (const int64_t[]){w, 0});
        y[1] = gnd_zeros(c->dev, q->t, 2, (const int64_t[]){m - w, 0});
    } else {
        x = gnd_take(x, gnd_from(c->dev, GND_INT64, 1, &m, row), 0);
        gnd_eval_all(1, &x); /* failures stay in the arrays */
        y[0] = gnd_solve_triangular(gnd_slice(l, 0, 0, w), gnd_slice(x, 0, 0, w),
                                    GND_SOLVE_LOWER | GND_SOLVE_UNIT);
        y[1] = gnd_slice(x, 0, w, m);
        if (m > w)
            y[1] = gnd_subtract(y[1], gnd_matmul(gnd_slice(l, 0, w, m), y[0]));
        gnd_eval_all(2, y);
    }
    free(row);
    gndm__hold(&q->rows[k], y[0]);
    gndm__hold(&q->rest, y[1]);
}

static gnd_status forward(elimination *q)
{
    gndm_ctx *c = q->c;
    gnd_status st = GND_OK;
    for (int k = 0; k < q->b.count && !st; k++) {
        const int64_t at = gndm__block_begin(&q->b, k), w = gndm__block_size(&q->b, k);
        gnd_array *l = NULL;
        gnd_scope_begin();
        gndm_scope_begin(c);
        if (q->b.owner[k] == c->rank)
            decompose(q, k, w, &l);
        st = gndm__bcast(c, q->info, ((int64_t)w + 1) * (int64_t)sizeof *q->info, q->b.owner[k]);
        if (!st)
            st = gndm__blocks_spread(&q->b, q->t, l, q->b.n - at, w, q->b.owner[k], NULL, &l);
        if (!st) {
            if (q->info[w] >= 0 && q->zero < 0)
                q->zero = at + q->info[w];
            eliminate(q, k, l, w, q->b.n - at);
        }
        gndm_scope_end(c);
        gnd_scope_end();
    }
    return st;
}

/* Fetches the rank's blocks of x and puts its columns of the right-hand sides after them. sides is
 * NULL, or has no columns, if there are none. */
static gnd_status begin(elimination *q, gndm_array *x, gnd_array *sides)
{
    gndm_ctx *c = q->c;
    gnd_status st = gndm__blocks_open(c, &q->b, x->part->shape[0], 0);
    if (st)
        return st;
    const size_t m = (size_t)q->b.count;
    const int mine = q->b.base[c->rank + 1] - q->b.base[c->rank];
    gnd_array **own = calloc((size_t)q->b.most + 2, sizeof *own);
    q->rows = calloc(2 * m + 1, sizeof *q->rows);
    q->corner = q->rows ? q->rows + m : NULL;
    q->info = calloc(2 * (size_t)q->b.width + 1, sizeof *q->info);
    q->zero = -1;
    q->sides = sides ? gnd_dim(sides, 1) : 0;
    st = own && q->rows && q->info
             ? GND_OK
             : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    if (!st)
        st = gndm__blocks_fetch(&q->b, x, q->t, own);
    if (!st)
        st = gndm__all_finite(c, mine, own, 0, &q->finite);
    if (!st && q->finite) {
        gnd_scope_begin();
        int n = mine;
        gnd_array *all[2] = {n == 0   ? gnd_zeros(c->dev, q->t, 2, (const int64_t[]){q->b.n, 0})
                             : n == 1 ? own[0]
                                      : gnd_concat(n, own, 1),
                             sides};
        n = q->sides ? 2 : 1;
        all[0] = n == 2 ? gnd_concat(2, all, 1) : all[0];
        gnd_eval_all(1, all); /* a failure is recorded in all[0] */
        gndm__hold(&q->rest, all[0]);
        gnd_scope_end();
    }
    for (int i = 0; own && i < mine; i++)
        gnd_release(own[i]);
    free(own);
    return st;
}

static void end(elimination *q)
{
    for (int i = 0; q->rows && i < 2 * q->b.count; i++)
        gnd_release(q->rows[i]);
    gnd_release(q->rest);
    free(q->rows);
    free(q->info);
    gndm__blocks_close(&q->b);
}

/* --- substitution ----------------------------------------------------------------------------- */

/* Returns the owner's panel of U: the columns of block k, all rows down to the block's diagonal. */
static gnd_array *panel_of_u(const elimination *q, int k)
{
    const int64_t w = gndm__block_size(&q->b, k);
    gnd_array **x = malloc(((size_t)k + 1) * sizeof *x), *y;
    for (int i = 0; i <= k && x; i++) {
        const int64_t at = gndm__own_columns(&q->b, i + 1, k);
        x[i] = i == k ? q->corner[k] : gnd_slice(q->rows[i], 1, at, at + w);
    }
    y = !x  ? gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", q->c->func)
        : k ? gnd_concat(k + 1, x, 0)
            : x[0];
    free(x);
    return y;
}

/* Collects the right-hand sides after the elimination in q->rest. */
static void gather_sides(elimination *q)
{
    gnd_array **x = malloc(((size_t)q->b.count + 1) * sizeof *x), *y;
    gnd_scope_begin();
    for (int k = 0; k < q->b.count && x; k++) {
        const int64_t at = gndm__own_columns(&q->b, k + 1, q->b.count);
        x[k] = gnd_slice(q->rows[k], 1, at, at + q->sides);
    }
    y = x ? gnd_concat(q->b.count, x, 0)
          : gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", q->c->func);
    gnd_eval_all(1, &y); /* a failure is recorded in y */
    gndm__hold(&q->rest, y);
    gnd_scope_end();
    free(x);
}

/* Solves for block k, given its panel of U. The solution is stored in found[k] and eliminated from
 * the rows above. */
static void substitute(elimination *q, int k, gnd_array *panel, gnd_array **found)
{
    const int64_t at = gndm__block_begin(&q->b, k), w = gndm__block_size(&q->b, k);
    gnd_array *y[2] = {
        gnd_solve_triangular(gnd_slice(panel, 0, at, at + w), gnd_slice(q->rest, 0, at, at + w), 0),
        gnd_slice(q->rest, 0, 0, at)};
    if (at)
        y[1] = gnd_subtract(y[1], gnd_matmul(gnd_slice(panel, 0, 0, at), y[0]));
    gnd_eval_all(at ? 2 : 1, y); /* failures stay in the arrays */
    gndm__hold(&found[k], y[0]);
    gndm__hold(&q->rest, y[1]);
}

/* Computes this rank's solutions, n x sides. */
static gnd_status backward(elimination *q, gnd_array **out)
{
    gndm_ctx *c = q->c;
    const int count = q->b.count;
    gnd_array **found = calloc((size_t)count + 1, sizeof *found);
    char *wanted = calloc((size_t)c->size, 1);
    const char mine = q->sides > 0;
    gnd_status st = found && wanted
                        ? gndm__allgather(c, &mine, wanted, 1)
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    if (!st && mine)
        gather_sides(q);
    for (int k = count - 1; k >= 0 && !st; k--) {
        const int64_t w = gndm__block_size(&q->b, k), m = gndm__block_begin(&q->b, k) + w;
        gnd_array *panel = NULL;
        gnd_scope_begin();
        gndm_scope_begin(c);
        if (q->b.owner[k] == c->rank)
            panel = panel_of_u(q, k);
        st = gndm__blocks_spread(&q->b, q->t, panel, m, w, q->b.owner[k], wanted, &panel);
        if (!st && mine)
            substitute(q, k, panel, found);
        gndm_scope_end(c);
        gnd_scope_end();
    }
    if (!st)
        *out = mine ? gnd_concat(count, found, 0)
                    : gnd_zeros(c->dev, q->t, 2, (const int64_t[]){q->b.n, 0});
    for (int k = 0; found && k < count; k++)
        gnd_release(found[k]);
    free(found);
    free(wanted);
    return st;
}

/* --- systems ---------------------------------------------------------------------------------- */

/* Solves x y = b. The result is n x k, and part cuts its columns; sides: this rank's columns of
 * b. */
static gnd_status solved(gndm_ctx *c, gndm_array *x, gnd_array *sides, gnd_dtype t, gndm_part *part,
                         gndm_array **out)
{
    elimination q = {.c = c, .t = t};
    gnd_array *y = NULL;
    gnd_status st = begin(&q, x, sides);
    if (!st && !q.finite) {
        const int64_t dim[2] = {q.b.n, q.sides};
        y = gnd_full(c->dev, t, 2, dim, gnd_real(NAN));
    } else if (!st) {
        st = forward(&q);
        if (!st && q.zero >= 0)
            st = gndm__fail(c, GND_ERR_LINALG, "%s: matrix 0: singular: U[%lld, %lld] is 0",
                            c->func, (long long)q.zero, (long long)q.zero);
        if (!st)
            st = backward(&q, &y);
    }
    if (!st) {
        *out = gndm__array(c, t, part, y);
        st = gndm__check(c, *out);
    }
    end(&q);
    return st;
}

/* The partition of an n x k matrix by columns, in proportion to the ranks' speed of products. */
static gndm_part *by_columns(gndm_ctx *c, gnd_dtype t, int64_t n, int64_t k)
{
    const int grid[2] = {1, c->size};
    const int64_t shape[2] = {n, k};
    return c->flags & GNDM_EVEN ? gndm_part_even(c, 2, shape, grid)
                                : gndm_part_weighted(c, t, 2, shape, grid, GNDM_FLOPS);
}

gnd_status gndm__fn_solve(gndm__args *a)
{
    static const int column[2] = {0, -1}, line[1] = {0};
    gndm_ctx *c = a->c;
    gndm_array *x = a->n == 2 ? gndm__as_array(&a->v[a->at[0] < 0 ? 0 : a->at[0]]) : NULL;
    gndm_array *b = a->n == 2 ? gndm__as_array(&a->v[a->at[1] < 0 ? 1 : a->at[1]]) : NULL, *y;
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !b || v.tag != GND_V_ARRAY)
        return gndm__fn_gathered(a);
    const int nx = x->part->ndim, nb = b->part->ndim, vector = nb == 1;
    /* the result has the axes of x's stack */
    if (nx > 2 && gnd_ndim(v.as.array) == (vector ? nx - 1 : nx) &&
        !memcmp(gnd_shape(v.as.array), x->part->shape, (size_t)(nx - 2) * sizeof(int64_t)))
        return gndm__stacked_matrices(a, x, vector ? 1 : 2, v.as.array);
    if (!gndm__by_blocks(x) || nb > 2 || gnd_size(v.as.array) == 0)
        return gndm__fn_gathered(a);
    const gnd_dtype t = gnd_dtype_of(v.as.array);
    gndm_part *const after = b->part;
    if (vector)
        b = gndm__reshaped(c, b, 2, (const int64_t[]){b->part->shape[0], 1}, column);
    st = gndm__check(c, b);
    if (st)
        return st;
    gndm_part *const given = b->part;
    gndm_part *p = by_columns(c, t, given->shape[0], given->shape[1]);
    b = gndm__moved(c, b, p);
    st = gndm__check(c, b);
    if (!st)
        st = solved(c, x, gnd_astype(b->local, t), t, p, &y);
    gndm_part_free(p);
    if (st)
        return st;
    y = gndm__moved(c, y, given);
    if (vector && !y->status)
        y = gndm__reshaped(c, y, 1, after->shape, line);
    return gndm__ret_array(a, y);
}

gnd_status gndm__fn_inv(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y = NULL;
    gnd_dtype t;
    gnd_status st;
    if (!gndm__matrix_by_blocks(a, x, &t, &st))
        return st;
    const int64_t n = x->part->shape[0];
    gndm__box mine;
    gndm_part *p = by_columns(c, t, n, n);
    st = p->status ? gndm__fail(c, p->status, "%s", gndm_part_error(p)) : GND_OK;
    if (!st) {
        gndm__part_box(p, c->rank, &mine);
        gnd_array *one = gnd_eye(c->dev, t, n, mine.stop[1] - mine.start[1], -mine.start[1]);
        st = solved(c, x, one, t, p, &y);
    }
    gndm_part_free(p);
    return st ? st : gndm__ret_array(a, gndm__moved(c, y, x->part));
}

/* --- determinants ----------------------------------------------------------------------------- */

/* Returns the diagonal of U on every rank. *odd: whether the number of row exchanges is odd. */
static gnd_status diagonal(gndm_ctx *c, gndm_array *x, gnd_dtype t, gnd_array **out, int *odd)
{
    elimination q = {.c = c, .t = t};
    const int64_t n = x->part->shape[0];
    gnd_status st = begin(&q, x, NULL);
    *odd = 0;
    if (!st && !q.finite)
        *out = gnd_full(c->dev, t, 1, &n, gnd_real(NAN));
    else if (!st)
        st = forward(&q);
    if (!st && q.finite) {
        /* the ranks' blocks come one after the other; then every element is moved to its place */
        const int first = q.b.base[c->rank], mine = q.b.base[c->rank + 1] - first;
        gnd_array **own = malloc(((size_t)mine + 1) * sizeof *own);
        int64_t *at = malloc(((size_t)n + 1) * sizeof *at);
        for (int i = 0; i < mine && own; i++)
            own[i] = gnd_diagonal(q.corner[q.b.order[first + i]], 0, 0, 1);
        for (int64_t i = 0; i < n && at; i++)
            at[i] = q.b.at[i / q.b.width] + i % q.b.width;
        if (!own || !at) {
            st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
        } else {
            const int64_t none = 0;
            gnd_array *d = mine ? gnd_concat(mine, own, 0) : gnd_zeros(c->dev, t, 1, &none);
            gndm_part *whole = gndm__part_new(c, 1, &n);
            gndm_array *all = gndm__joined(c, t, d, 1, 0, whole);
            gndm_part_free(whole);
            st = gndm__check(c, all);
            if (!st)
                *out = gnd_take(all->local, gnd_from(c->dev, GND_INT64, 1, &n, at), 0);
        }
        free(own);
        free(at);
    }
    *odd = q.odd;
    end(&q);
    return st;
}

/* A 0-d array that every rank has. */
static gndm_array *number(gndm_ctx *c, gnd_array *x)
{
    gndm_part *p = gndm__part_new(c, 0, NULL);
    gndm_array *y = gndm__array(c, gnd_dtype_of(x), p, x);
    gndm_part_free(p);
    return y;
}

/* Whether det or slogdet is computed by blocks: then *diag is the diagonal of U on every rank, and
 * *odd as in `diagonal`. If not, *st is the status of the call. */
static int by_diagonal(gndm__args *a, gnd_array **diag, int *odd, gnd_status *st)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_value v;
    *st = gndm__try(a, &v);
    if (*st)
        return 0;
    gnd_array *y = v.tag == GND_V_ARRAY ? v.as.array : v.as.items.item[0].as.array;
    const gnd_dtype t = gnd_dtype_of(y);
    const int stack = x && x->part->ndim > 2, one = gndm__by_blocks(x);
    if (stack)
        *st = gndm__stacked_matrices(a, x, 0, y);
    gndm__drop_items(&v);
    if (!stack && !one)
        *st = gndm__fn_gathered(a);
    if (one)
        *st = diagonal(a->c, x, t, diag, odd);
    return one && !*st;
}

gnd_status gndm__fn_det(gndm__args *a)
{
    gnd_status st;
    gnd_array *d = NULL;
    int odd;
    if (!by_diagonal(a, &d, &odd, &st))
        return st;
    d = gnd_prod(d, GND_ALL, 0);
    return gndm__ret_array(a, number(a->c, odd ? gnd_negative(d) : d));
}

gnd_status gndm__fn_slogdet(gndm__args *a)
{
    gnd_status st;
    gnd_array *d = NULL;
    int odd;
    if (!by_diagonal(a, &d, &odd, &st))
        return st;
    gnd_array *sign = gnd_prod(gnd_sign(d), GND_ALL, 0);
    gndm_array *y[2] = {number(a->c, odd ? gnd_negative(sign) : sign),
                        number(a->c, gnd_sum(gnd_log(gnd_abs(d)), GND_ALL, 0))};
    return gndm__ret_arrays(a, 2, y);
}
