/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_index.c - elements by index and by mask. take sends each request to the rank that owns the
 * element, which sends the element back, so no rank receives more than it asked for. Selection by a
 * mask takes elements from each rank's own part, and then balances the parts.
 */
#include "shuffle.h"

#include <string.h>

/* --- requests --------------------------------------------------------------------------------- */

typedef struct request {
    gndm_ctx *c;
    gndm_array *x;     /* split along axis 0 only */
    gnd_array *index;  /* this rank's requests: 1-d, int64, in range */
    int64_t n, inner;  /* number of requests; elements per row */
    gnd_array *sorted; /* the requests, sorted by owner */
    gnd_array *back;   /* index in `sorted` of each request */
    gndm__shuffle s;
} request;

/* Sorts the requests by owner, which is the order of the indices because parts are intervals.
 * send[r] receives the number of requests to rank r. */
static gnd_status address(request *q, int64_t *send)
{
    gndm_ctx *c = q->c;
    const int64_t m = c->size - 1;
    int64_t *at = malloc(((size_t)m + 1) * sizeof *at);
    if (!at)
        return GND_ERR_NOMEM;
    gnd_array *order = gnd_argsort(q->index, 0, 0);
    gnd_array *cuts = gnd_from(c->dev, GND_INT64, 1, &m, q->x->part->cut[0] + 1);
    gnd_array *y[3] = {gnd_take(q->index, order, 0), gnd_argsort(order, 0, 0), NULL};
    y[2] = gnd_searchsorted(y[0], cuts, GND_LEFT, NULL);
    gnd_status st = gnd_eval_all(3, y);
    q->sorted = y[0];
    q->back = y[1];
    if (!st)
        st = gnd_read(y[2], at, (size_t)m * sizeof *at);
    for (int64_t r = 0, before = 0; r <= m && !st; r++) {
        const int64_t end = r < m ? at[r] : q->n;
        send[r] = end - before;
        before = end;
    }
    free(at);
    return st;
}

/* Fetches the requested rows: n rows of inner elements. */
static gnd_status answered(request *q, gnd_array **out)
{
    gndm_ctx *c = q->c;
    int64_t *send = calloc((size_t)c->size, sizeof *send);
    if (!send)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    gnd_status st = address(q, send);
    st = gndm__agree(c, st, st == GND_ERR_NOMEM ? "out of host memory" : gnd_message());
    if (!st)
        st = gndm__shuffle_open(c, &q->s, send);
    gnd_array *asked = NULL, *rows = NULL;
    if (!st)
        st = gndm__shuffle_run(c, &q->s, 0, GND_INT64, q->sorted, 1, &asked);
    if (!st) {
        rows = gnd_take(q->x->local, gnd_add_i(asked, -gndm__first(q->x)), 0);
        st = gndm__shuffle_run(c, &q->s, 1, q->x->dtype, rows, q->inner, &rows);
    }
    if (!st)
        *out = gnd_take(gnd_reshape(rows, 2, (int64_t[]){q->n, q->inner}), q->back, 0);
    gndm__shuffle_close(&q->s);
    free(send);
    return st;
}

/* The indices as int64 in 0 .. n - 1. The parameter `mode` says how an index out of range is
 * treated: it wraps around, is clipped, or gives gnd's error. */
static gnd_array *fitted(gndm__args *a, gnd_array *index, int64_t n)
{
    const gnd_value *mode = gndm__arg(a, "mode");
    const char m = mode && mode->tag == GND_V_STRING && mode->as.text.n ? mode->as.text.s[0] : 'r';
    index = gnd_astype(index, GND_INT64);
    if (m != 'r')
        return gnd_fit_indices(index, n, m == 'w' ? GND_INDEX_WRAP : GND_INDEX_CLIP);
    /* gnd checks indices when it takes elements: take from 0 .. n - 1, an array that is never
     * stored */
    return gnd_take(gnd_arange_i64(a->c->dev, 0, n, 1, GND_INT64), index, 0);
}

/* take along a split axis: moves that axis of x to the front, and makes the indices a vector, of
 * which each rank requests its part. */
static gnd_status by_owners(gndm__args *a, gndm_array *x, gndm_array *index, int axis, int ndim,
                            const int64_t *shape)
{
    gndm_ctx *c = a->c;
    const int last = x->part->ndim - 1, zero = 0, ni = index->part->ndim;
    x = gndm__split_along(c, x, axis);
    index = gndm__vector(c, index);
    if (x->status || index->status)
        return gndm__check(c, x->status ? x : index);
    /* axis first */
    int from[GND_MAX_NDIM], e = 0;
    int64_t dim[GND_MAX_NDIM];
    from[e++] = axis;
    for (int d = 0; d <= last; d++)
        if (d != axis)
            from[e++] = d;
    for (int d = 0; d <= last; d++)
        dim[d] = x->part->shape[from[d]];
    gndm_part *p = gndm__part_axes(c, x->part, last + 1, dim, from);
    x = gndm__array(c, x->dtype, p, gnd_moveaxis(x->local, 1, &axis, &zero));
    gndm_part_free(p);
    if (x->status)
        return gndm__check(c, x);
    request q = {.c = c, .x = x, .inner = gndm__product(last, dim + 1)};
    gndm__box b;
    gndm__part_box(index->part, c->rank, &b);
    q.n = b.stop[0] - b.start[0];
    q.index = fitted(a, index->local, dim[0]);
    gnd_array *rows = NULL;
    gnd_status st = answered(&q, &rows);
    if (st)
        return st;
    /* the rows of the flattened indices; then move their axis back */
    dim[0] = q.n;
    rows = gnd_moveaxis(gnd_reshape(rows, last + 1, dim), 1, &zero, &axis);
    if (ni == 1) {
        gndm_part *after = gndm__part_new(c, ndim, shape);
        gndm__part_split(c, after, axis, c->size, 1, index->part->cut[0]);
        st = gndm__ret_array(a, gndm__array(c, x->dtype, after, rows));
        gndm_part_free(after);
        return st;
    }
    /* parts of a vector of indices are no boxes of several axes: make these axes whole, split
     * another */
    gndm_array *y = gndm__joined(c, x->dtype, rows, last + 1, axis, NULL);
    st = gndm__check(c, y);
    if (st)
        return st;
    gndm_part *whole = gndm__whole_axes(c, y->part, UINT32_C(1) << axis);
    y = gndm__moved(c, y, whole);
    gndm_part_free(whole);
    st = gndm__check(c, y);
    if (st)
        return st;
    for (int d = 0; d < ndim; d++)
        from[d] = d < axis ? d : d < axis + ni ? -1 : d - ni + 1;
    gndm_part *after = gndm__part_axes(c, y->part, ndim, shape, from);
    gndm__part_box(after, c->rank, &b);
    for (int d = 0; d < ndim; d++)
        dim[d] = b.stop[d] - b.start[d];
    st = gndm__ret_array(a, gndm__array(c, y->dtype, after, gnd_reshape(y->local, ndim, dim)));
    gndm_part_free(after);
    return st;
}

/* take from an array that every rank has: each rank takes for its part of the indices. */
static gnd_status by_index(gndm__args *a, gndm_array *index, int axis, int ndim,
                           const int64_t *shape)
{
    int from[GND_MAX_NDIM];
    gnd_value local;
    gnd_status st = gndm__local_call(a, &local);
    if (st)
        return st;
    for (int d = 0; d < ndim; d++)
        from[d] = d < axis || d >= axis + index->part->ndim ? -1 : d - axis;
    gndm_part *after = gndm__part_axes(a->c, index->part, ndim, shape, from);
    st = gndm__ret(a, &local, after);
    gndm_part_free(after);
    return st;
}

gnd_status gndm__fn_take(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *index = gndm__arg_array(a, "indices");
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !index || v.tag != GND_V_ARRAY ||
        !(gndm__part_split_anywhere(x->part) || gndm__part_split_anywhere(index->part)))
        return gndm__fn_gathered(a);
    const int ndim = gnd_ndim(v.as.array);
    const int64_t *shape = gnd_shape(v.as.array);
    int all;
    const uint32_t axes = gndm__arg_axes(a, x->part->ndim, &all);
    int axis = all ? 0 : __builtin_ctz(axes);
    if (!gndm__part_split_anywhere(x->part))
        return by_index(a, index, axis, ndim, shape);
    if (all)
        x = gndm__vector(c, x);
    st = gndm__check(c, x);
    if (st)
        return st;
    if (x->part->grid[axis] > 1)
        return by_owners(a, x, index, axis, ndim, shape);
    /* the axis is not split: each rank takes from its own part */
    int from[GND_MAX_NDIM];
    const int ni = index->part->ndim;
    gndm_part *p = gndm__part_new(c, ni, index->part->shape);
    gndm__replace(a, a->at[1], gndm__moved(c, index, p));
    gndm_part_free(p);
    st = gndm__check(c, gndm__as_array(&a->v[a->at[1]]));
    gnd_value local;
    if (!st)
        st = gndm__local_call(a, &local);
    if (st)
        return st;
    for (int d = 0; d < ndim; d++)
        from[d] = d < axis ? d : d < axis + ni ? -1 : d - ni + 1;
    gndm_part *after = gndm__part_axes(c, x->part, ndim, shape, from);
    st = gndm__ret(a, &local, after);
    gndm_part_free(after);
    return st;
}

/* --- by masks --------------------------------------------------------------------------------- */

/* y as a vector in the partition of the vector x, which has as many elements. */
static gndm_array *alike(gndm_ctx *c, gndm_array *y, const gndm_array *x)
{
    y = gndm__vector(c, y);
    return y->status ? y : gndm__moved(c, y, x->part);
}

/* extract(condition, x), and compress of flattened arrays. */
gnd_status gndm__fn_extract(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *m = gndm__arg_array(a, "condition");
    if (!x || !m || gndm__arg(a, "axis") || gndm_elements(x) != gndm_elements(m) ||
        (!gndm__part_split_anywhere(x->part) && !gndm__part_split_anywhere(m->part)))
        return gndm__fn_gathered(a);
    x = gndm__vector(c, x);
    gnd_status st = gndm__check(c, x);
    if (st)
        return st;
    m = alike(c, m, x);
    st = gndm__check(c, m);
    if (st)
        return st;
    return gndm__ret_array(a,
                           gndm__joined(c, x->dtype, gnd_extract(m->local, x->local), 1, 0, NULL));
}

/* The indices along axis d for indices i of flattened elements. */
static gnd_array *along_axis(gnd_array *i, const gndm_part *p, int d)
{
    const int64_t inner = gndm__product(p->ndim - 1 - d, p->shape + d + 1);
    i = gnd_floor_divide(i, gnd_int(inner ? inner : 1));
    return d ? gnd_remainder(i, gnd_int(p->shape[d] ? p->shape[d] : 1)) : i;
}

/* nonzero, flatnonzero, argwhere: the indices of each rank's elements, in C order. */
gnd_status gndm__fn_nonzero(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL, *y[GND_MAX_NDIM];
    if (!x || x->part->ndim == 0 || !gndm__part_split_anywhere(x->part))
        return gndm__fn_gathered(a);
    const gndm_part *p = x->part;
    gndm_array *v = gndm__vector(c, x);
    gnd_status st = gndm__check(c, v);
    if (st)
        return st;
    gnd_array *i = gnd_add_i(gnd_flatnonzero(v->local), gndm__first(v));
    if (!strcmp(a->name, "flatnonzero"))
        return gndm__ret_array(a, gndm__joined(c, GND_INT64, i, 1, 0, NULL));
    gnd_array *k[GND_MAX_NDIM];
    for (int d = 0; d < p->ndim; d++)
        k[d] = along_axis(i, p, d);
    if (!strcmp(a->name, "argwhere"))
        return gndm__ret_array(a, gndm__joined(c, GND_INT64, gnd_stack(p->ndim, k, 1), 2, 0, NULL));
    for (int d = 0; d < p->ndim && !st; d++) {
        y[d] = gndm__joined(c, GND_INT64, k[d], 1, 0, NULL);
        st = gndm__check(c, y[d]);
    }
    return st ? st : gndm__ret_arrays(a, p->ndim, y);
}
