/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_reshape.c - reshape, ravel, flatten: the elements in C order in another shape. The elements of
 * an array that is split along its first axis are pieces of the flattened array. If the pieces are
 * whole rows of the result, nothing is sent; otherwise each rank fetches the intervals of the
 * flattened array of which its box of the result consists, in one exchange.
 */
#include "shuffle.h"

/* The rows of the box of a rank, as intervals of the flattened array: the box is split along `axis`
 * only, and has one interval for each index of the axes before. */
typedef struct rows {
    const gndm_part *part; /* of the result */
    int axis;
    int64_t inner; /* elements of the axes behind */
} rows;

static void interval(const void *data, int rank, int i, gndm__box *b)
{
    const rows *q = data;
    gndm__box box;
    gndm__part_box(q->part, rank, &box);
    const int64_t first = i * q->part->shape[q->axis];
    b->start[0] = (first + box.start[q->axis]) * q->inner;
    b->stop[0] = (first + box.stop[q->axis]) * q->inner;
}

/* The partition of the result in which the cuts of the vector v are cuts between rows, or NULL.
 * Without memory for it on this rank the context is over. */
static gndm_part *same_cuts(gndm_ctx *c, const gndm_array *v, int ndim, const int64_t *shape)
{
    int axis = 0;
    while (axis < ndim - 1 && shape[axis] == 1)
        axis++;
    const int64_t inner = gndm__product(ndim - 1 - axis, shape + axis + 1);
    int64_t *cut = v->part->cut[0] ? calloc((size_t)c->size + 1, sizeof *cut) : NULL;
    int fits = cut && inner > 0;
    if (v->part->cut[0] && !cut)
        return gndm__part_lost(c);
    for (int r = 0; r <= c->size && fits; r++) {
        fits = v->part->cut[0][r] % inner == 0;
        cut[r] = v->part->cut[0][r] / inner;
    }
    gndm_part *p = fits ? gndm__part_new(c, ndim, shape) : NULL;
    if (p)
        gndm__part_split(c, p, axis, c->size, 1, cut);
    free(cut);
    return p;
}

/* The part of this rank: the intervals one behind the other. */
static gnd_status fetched(gndm_ctx *c, gndm_array *v, const gndm_part *p, gnd_array **out)
{
    rows q = {p, 0, 1};
    int64_t dim[GND_MAX_NDIM];
    gndm__box b;
    while (q.axis < p->ndim - 1 && p->grid[q.axis] == 1)
        q.axis++;
    q.inner = gndm__product(p->ndim - 1 - q.axis, p->shape + q.axis + 1);
    const int64_t n = gndm__product(q.axis, p->shape);
    const gndm__wish wish = {(int)n, interval, &q, NULL};
    gnd_array **piece = calloc((size_t)n + 1, sizeof(gnd_array *));
    gnd_status st = gndm__agree(c, piece ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    if (!st)
        st = gndm__fetch_boxes(c, v, &wish, piece);
    gndm__part_box(p, c->rank, &b);
    for (int d = 0; d < p->ndim; d++)
        dim[d] = b.stop[d] - b.start[d];
    if (!st) {
        gnd_array *y = n == 1 ? piece[0] : gnd_concat((int)n, piece, 0);
        *out = gnd_status_of(y) ? y : gnd_reshape(y, p->ndim, dim);
    }
    free(piece);
    return st;
}

static gndm_array *reshaped(gndm_ctx *c, gndm_array *x, int ndim, const int64_t *shape)
{
    gndm_array *v = gndm__vector(c, x);
    if (v->status || ndim == 1) /* a handle of its own */
        return v == x ? gndm__array(c, x->dtype, x->part, x->local) : v;
    int64_t dim[GND_MAX_NDIM];
    gnd_array *local = v->local;
    gnd_status st = GND_OK;
    gndm_part *p = same_cuts(c, v, ndim, shape);
    if (p) {
        gndm__box b;
        gndm__part_box(p, c->rank, &b);
        for (int d = 0; d < ndim; d++)
            dim[d] = b.stop[d] - b.start[d];
        if (!gnd_status_of(local))
            local = gnd_reshape(local, ndim, dim);
    } else {
        p = gndm_part_default(c, v->dtype, ndim, shape);
        st = p->status ? gndm__fail(c, p->status, "%s", gndm_part_error(p))
                       : fetched(c, v, p, &local);
    }
    gndm_array *y = st ? gndm__error(c, st) : gndm__array(c, x->dtype, p, local);
    gndm_part_free(p);
    return y;
}

gnd_status gndm__fn_reshape(gndm__args *a)
{
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL;
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    /* of few elements, or none, every rank has a copy */
    if (!x || v.tag != GND_V_ARRAY || !gndm__part_split_anywhere(x->part) ||
        gndm_elements(x) < a->c->size || gnd_ndim(v.as.array) == 0)
        return gndm__fn_gathered(a);
    return gndm__ret_array(a, reshaped(a->c, x, gnd_ndim(v.as.array), gnd_shape(v.as.array)));
}
