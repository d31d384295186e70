/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_cholesky.c - the Cholesky decomposition of a distributed matrix by blocks of columns (Golub,
 * Van Loan: Matrix Computations, 4th ed., 4.2.6, the right-looking form). A panel (the columns of a
 * block) is whole on the owner of the block, which factors it. All ranks get the panel, and update
 * their own blocks to the right of it.
 *
 * Also functions that all decompositions of matrices share: stacks, whose matrices are made whole,
 * and the choice between blocks and a copy on every rank.
 */
#include "blocks.h"

#include <string.h>

int gndm__by_blocks(const gndm_array *x)
{
    const gndm_part *p = x ? x->part : NULL;
    return p && p->ndim == 2 && p->shape[0] == p->shape[1] && x->ctx->size > 1 &&
           gndm__part_split_anywhere(p) && p->shape[0] > 2 * x->ctx->block;
}

gnd_status gndm__all_finite(gndm_ctx *c, int n, gnd_array *const *x, int lower, int *yes)
{
    gnd_status st = GND_OK;
    int64_t good = 1;
    gnd_scope_begin();
    for (int i = 0; i < n && !st && good; i++) {
        gnd_array *y = gnd_isfinite(lower ? gnd_tril(x[i], 0) : x[i]);
        good = gnd_item_i64(gnd_astype(gnd_all(y, GND_ALL, 0), GND_INT64), &st);
    }
    st = gndm__agree(c, st, gnd_message());
    gnd_scope_end();
    if (!st)
        st = gndm__allreduce(c, &good, 1, MPI_INT64_T, MPI_MIN);
    *yes = good != 0;
    return st;
}

/* --- stacks ----------------------------------------------------------------------------------- */

gnd_status gndm__stacked_matrices(gndm__args *a, gndm_array *x, int after, gnd_array *shape_of)
{
    gndm_ctx *c = a->c;
    const int n = x->part->ndim;
    int from[GND_MAX_NDIM];
    gnd_value local;
    gndm_part *p = gndm__whole_axes(c, x->part, UINT32_C(3) << (n - 2));
    gnd_status st = p->status ? gndm__fail(c, p->status, "%s", gndm_part_error(p)) : GND_OK;
    for (int i = 0; i < a->n && !st; i++) {
        gndm_array *y = gndm__as_array(&a->v[i]);
        if (!y)
            continue;
        const int m = y->part->ndim;
        for (int d = 0; d < m; d++)
            from[d] = m >= 2 && d < m - 2 && d + n - m >= 0 ? d + n - m : -1;
        gndm_part *to = gndm__part_axes(c, p, m, y->part->shape, from);
        gndm__replace(a, i, gndm__moved(c, y, to));
        gndm_part_free(to);
        st = gndm__check(c, gndm__as_array(&a->v[i]));
    }
    if (!st)
        st = gndm__local_call(a, &local);
    if (!st) {
        for (int d = 0; d < n; d++)
            from[d] = d < n - 2 ? d : -1;
        gndm_part *cut = gndm__part_axes(c, p, n - 2 + after, gnd_shape(shape_of), from);
        st = gndm__ret(a, &local, cut);
        gndm_part_free(cut);
    }
    gndm_part_free(p);
    return st;
}

/* --- Cholesky --------------------------------------------------------------------------------- */

static gnd_array *adjoint(gnd_array *x)
{
    return gnd_conj(gnd_mT(x));
}

/* The order of the first leading minor of x (w x w) that is not positive. */
static int64_t first_bad_minor(gnd_array *x, int64_t w)
{
    int64_t low = 1, high = w;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        gnd_array *part = gnd_slice(gnd_slice(x, 0, 0, mid), 1, 0, mid);
        if (gnd_wait(gnd_cholesky(part, 0)))
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* Returns the factored panel of block k, with rows from the diagonal on; x is the block. Sets
 * *order to the order of the first leading minor of the matrix that is not positive, or to 0. Other
 * errors stay in the result. */
static gnd_array *panel_of(const gndm__blocks *b, int k, gnd_array *x, int64_t *order)
{
    const int64_t w = gndm__block_size(b, k), m = b->n - gndm__block_begin(b, k);
    gnd_array *top = gnd_slice(x, 0, 0, w), *both[2] = {gnd_cholesky(top, 0), NULL};
    *order = 0;
    if (gnd_wait(both[0]) == GND_ERR_LINALG)
        *order = gndm__block_begin(b, k) + first_bad_minor(top, w);
    if (m == w || gnd_status_of(both[0]))
        return both[0];
    both[1] =
        adjoint(gnd_solve_triangular(both[0], adjoint(gnd_slice(x, 0, w, m)), GND_SOLVE_LOWER));
    return gnd_concat(2, both, 0);
}

/* Updates this rank's blocks to the right of block k by its panel. */
static void update(const gndm__blocks *b, int k, gnd_array *panel, gnd_array **own)
{
    const int rank = b->c->rank, first = b->base[rank], mine = b->base[rank + 1] - first;
    const int64_t origin = gndm__block_begin(b, k), m = b->n - origin;
    int from = 0;
    while (from < mine && b->order[first + from] <= k)
        from++;
    gnd_array **next = malloc(((size_t)mine + 1) * sizeof *next);
    for (int i = from; i < mine; i++) {
        const int j = b->order[first + i];
        const int64_t at = gndm__block_begin(b, j) - origin, w = gndm__block_size(b, j);
        gnd_array *product =
            gnd_matmul(gnd_slice(panel, 0, at, m), adjoint(gnd_slice(panel, 0, at, at + w)));
        gnd_array *y = next ? gnd_subtract(own[i], product)
                            : gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", b->c->func);
        gndm__hold(&own[i], y);
        if (next)
            next[i] = own[i];
    }
    if (next && from < mine)
        gnd_eval_all(mine - from, next + from); /* failures stay in the arrays */
    free(next);
}

static gnd_status factor(const gndm__blocks *b, gnd_dtype t, gnd_array **own)
{
    gndm_ctx *c = b->c;
    gnd_status st = GND_OK;
    for (int k = 0; k < b->count && !st; k++) {
        const int64_t w = gndm__block_size(b, k), m = b->n - gndm__block_begin(b, k);
        int64_t order = 0;
        gnd_array *panel = NULL;
        gnd_scope_begin();
        gndm_scope_begin(c);
        if (b->owner[k] == c->rank)
            panel = panel_of(b, k, own[b->nth[k]], &order);
        st = gndm__bcast(c, &order, sizeof order, b->owner[k]);
        if (!st && order)
            st = gndm__fail(c, GND_ERR_LINALG,
                            "%s: matrix 0: not positive definite: the leading minor of order %lld "
                            "is not positive",
                            c->func, (long long)order);
        if (!st)
            st = gndm__blocks_spread(b, t, panel, m, w, b->owner[k], NULL, &panel);
        if (!st) {
            if (b->owner[k] == c->rank)
                gndm__hold(&own[b->nth[k]], panel);
            update(b, k, panel, own);
        }
        gndm_scope_end(c);
        gnd_scope_end();
    }
    return st;
}

/* This rank's blocks with zeros above the diagonal, next to each other. */
static gnd_array *with_zeros(const gndm__blocks *b, gnd_dtype t, gnd_array *const *own)
{
    gndm_ctx *c = b->c;
    const int first = b->base[c->rank], mine = b->base[c->rank + 1] - first;
    gnd_array **x = malloc(((size_t)mine + 1) * sizeof *x), *y;
    for (int i = 0; i < mine && x; i++) {
        const int k = b->order[first + i];
        const int64_t dim[2] = {gndm__block_begin(b, k), gndm__block_size(b, k)};
        gnd_array *both[2] = {gnd_zeros(c->dev, t, 2, dim), own[i]};
        x[i] = dim[0] ? gnd_concat(2, both, 0) : own[i];
    }
    y = !x          ? gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", c->func)
        : mine == 0 ? gnd_zeros(c->dev, t, 2, (const int64_t[]){b->n, 0})
        : mine == 1 ? x[0]
                    : gnd_concat(mine, x, 1);
    free(x);
    return y;
}

int gndm__matrix_by_blocks(gndm__args *a, gndm_array *x, gnd_dtype *t, gnd_status *st)
{
    gnd_value v;
    *st = gndm__try(a, &v);
    if (*st)
        return 0;
    if (x && x->part->ndim > 2 && v.tag == GND_V_ARRAY) {
        *st = gndm__stacked_matrices(a, x, 2, v.as.array);
        return 0;
    }
    if (!gndm__by_blocks(x) || v.tag != GND_V_ARRAY) {
        *st = gndm__fn_gathered(a);
        return 0;
    }
    *t = gnd_dtype_of(v.as.array);
    return 1;
}

gnd_status gndm__fn_cholesky(gndm__args *a)
{
    static const int turned[2] = {1, 0};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const int upper = gndm__arg_true(a, "upper");
    gnd_dtype t;
    gnd_status st;
    if (!gndm__matrix_by_blocks(a, x, &t, &st))
        return st;
    gndm__blocks b;
    gnd_array **own = NULL;
    gndm_array *y = NULL;
    int good = 1;
    st = gndm__blocks_open(c, &b, x->part->shape[0], 1);
    if (!st && !(own = calloc((size_t)b.most + 1, sizeof *own)))
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    if (!st)
        st = gndm__blocks_fetch(&b, x, t, own);
    if (!st)
        st = gndm__all_finite(c, b.base[c->rank + 1] - b.base[c->rank], own, 1, &good);
    if (!st && !good)
        st =
            gndm__fail(c, GND_ERR_LINALG,
                       "%s: matrix 0: not positive definite: it has a NaN or an infinity", c->func);
    if (!st)
        st = factor(&b, t, own);
    if (!st) {
        gndm_part *p = upper ? gndm__part_axes(c, x->part, 2, x->part->shape, turned)
                             : gndm__part_retain(x->part);
        y = gndm__blocks_give(&b, with_zeros(&b, t, own), t, p);
        gndm_part_free(p);
        st = gndm__check(c, y);
        if (!st && upper)
            y = gndm__array(c, t, x->part, adjoint(y->local));
    }
    for (int i = 0; own && i < b.most; i++)
        gnd_release(own[i]);
    free(own);
    gndm__blocks_close(&b);
    return st ? st : gndm__ret_array(a, y);
}
