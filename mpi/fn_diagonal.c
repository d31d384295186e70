/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_diagonal.c - diagonals. The rows of matrices are split, and their columns whole: each rank has
 * the elements of the diagonal that lie in its rows.
 */
#include "join.h"

#include <string.h>

static int64_t limited(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

gndm_array *gndm__diagonal(gndm_ctx *c, gndm_array *x, int64_t k, int axis1, int axis2)
{
    if (x->status)
        return x;
    if (x->part->grid[axis2] > 1 && x->part->grid[axis1] == 1) { /* columns take the part of rows */
        const int t = axis1;
        axis1 = axis2;
        axis2 = t;
        k = -k;
    } else if (x->part->grid[axis2] > 1) {
        x = gndm__whole(c, x, UINT32_C(1) << axis2);
        if (x->status)
            return x;
    }
    const gndm_part *p = x->part;
    const int64_t rows = p->shape[axis1], columns = p->shape[axis2];
    const int64_t skip = k < 0 ? -k : 0; /* rows before the diagonal */
    const int64_t down = rows - skip, right = columns - (k > 0 ? k : 0);
    const int64_t n = limited(down < right ? down : right, INT64_MAX);
    int64_t shape[GND_MAX_NDIM], dim[GND_MAX_NDIM];
    int from[GND_MAX_NDIM], e = 0;
    for (int d = 0; d < p->ndim; d++)
        if (d != axis1 && d != axis2) {
            shape[e] = p->shape[d];
            from[e++] = d;
        }
    shape[e] = n;
    from[e] = -1;
    gndm_part *q = gndm__part_axes(c, p, e + 1, shape, from);
    const int g = p->grid[axis1];
    int64_t *cut = malloc(((size_t)g + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(q);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    }
    for (int i = 0; i <= g && g > 1; i++)
        cut[i] = limited(p->cut[axis1][i] - skip, n);
    if (g > 1)
        gndm__part_split(c, q, e, g, p->stride[axis1], cut);
    free(cut);
    gndm__box b, mine;
    gndm__part_box(p, c->rank, &b);
    gndm__part_box(q, c->rank, &mine);
    for (int d = 0; d <= e; d++)
        dim[d] = mine.stop[d] - mine.start[d];
    gnd_array *y = x->local;
    if (!gnd_status_of(y))
        y = dim[e] ? gnd_diagonal(y, (int)(k + b.start[axis1]), axis1, axis2)
                   : gnd_zeros(c->dev, x->dtype, e + 1, dim);
    gndm_array *z = gndm__array(c, x->dtype, q, y);
    gndm_part_free(q);
    return z;
}

/* diagonal and trace (data 1); linalg's have the last two axes. */
gnd_status gndm__fn_diagonal(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    const int last = !strncmp(a->name, "linalg.", 7), ndim = x->part->ndim;
    const int axis1 = last ? ndim - 2 : gndm__axis(a, "axis1", 0, ndim);
    const int axis2 = last ? ndim - 1 : gndm__axis(a, "axis2", 1, ndim);
    const int64_t k = gndm__arg_int(a, "offset", 0);
    if (k > INT32_MAX || k < -INT32_MAX)
        return gndm__fn_gathered(a);
    gndm_array *y = gndm__diagonal(c, x, k, axis1, axis2);
    if (a->rule->data) {
        const gnd_dtype t = gnd_dtype_of(like);
        y = gndm__do(c, "sum", "a axis:n dtype:t", y, -1, t);
    }
    return gndm__ret_like(a, y, like);
}

/* The matrix with vector x on diagonal k: each rank has the rows of its elements; the first and the
 * last rank also those without. */
static gndm_array *matrix(gndm_ctx *c, gndm_array *x, int64_t k)
{
    const int64_t n = x->part->shape[0], more = k < 0 ? -k : k, skip = k < 0 ? -k : 0;
    const int64_t shape[2] = {n + more, n + more};
    const int g = x->part->grid[0];
    gndm_part *p = gndm__part_new(c, 2, shape);
    int64_t *cut = malloc(((size_t)g + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(p);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    }
    for (int i = 1; i < g; i++)
        cut[i] = x->part->cut[0][i] + skip;
    cut[0] = 0;
    cut[g] = n + more;
    if (g > 1)
        gndm__part_split(c, p, 0, g, x->part->stride[0], cut);
    free(cut);
    gndm__box b, own;
    gndm__part_box(p, c->rank, &b);
    gndm__part_box(x->part, c->rank, &own);
    gnd_array *y = x->local;
    if (!gnd_status_of(y)) {
        /* the elements as a column of the part's rows, where the diagonal is */
        const int64_t rows = b.stop[0] - b.start[0];
        const int64_t width[2] = {own.start[0] + skip - b.start[0], b.stop[0] - own.stop[0] - skip};
        y = gnd_expand_dims(gnd_pad(y, width, "constant", NULL), GND_AXIS(1));
        gnd_array *on = gnd_eye(c->dev, GND_BOOL, rows, shape[1], b.start[0] + k);
        y = gnd_where(on, y, gnd_zeros(c->dev, x->dtype, 0, NULL));
    }
    gndm_array *z = gndm__array(c, x->dtype, p, y);
    gndm_part_free(p);
    return z;
}

/* diag: of a matrix its diagonal, of a vector the matrix; diagflat (data 1) of any array a matrix.
 */
gnd_status gndm__fn_diag(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    const int64_t k = gndm__arg_int(a, "k", 0);
    if (st || !x || k > INT32_MAX || k < -INT32_MAX)
        return st ? st : gndm__fn_gathered(a);
    if (!a->rule->data && x->part->ndim == 2)
        return gndm__ret_like(a, gndm__diagonal(c, x, k, 0, 1), like);
    if (x->part->ndim != 1)
        x = gndm__do(c, "ravel", "a", x);
    st = gndm__check(c, x);
    return st ? st : gndm__ret_like(a, matrix(c, x, k), like);
}

/* fill_diagonal of a matrix with a number: each rank in its own rows. */
gnd_status gndm__fn_fill_diagonal(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *val = gndm__arg(a, "val");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || !val || x->part->ndim != 2 || gndm__is_list(val) || gndm__as_array(val) ||
        (gndm__arg_true(a, "wrap") && x->part->shape[0] > x->part->shape[1]))
        return st ? st : gndm__fn_gathered(a);
    gndm__box b;
    gndm__part_box(x->part, c->rank, &b);
    gnd_array *on = gnd_eye(c->dev, GND_BOOL, b.stop[0] - b.start[0], b.stop[1] - b.start[1],
                            b.start[0] - b.start[1]);
    gndm_array *mask = gndm__array(c, GND_BOOL, x->part, on);
    return gndm__ret_like(a, gndm__do(c, "where", "a v a", mask, *val, x), like);
}
