/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_reduce.c - reductions. Each rank reduces its part. The results of the parts form an array with
 * a leading axis for each split axis; such an axis has one element per non-empty part. The mover
 * makes this array whole along the leading axes, and it is reduced again, in the order of the
 * parts: the bits are the same on every rank and in every run. A result of one element is combined
 * on the host (fold.c). Where every rank gets the whole result and some exchange by NCCL, an
 * all-reduce may combine the partial results (hier.c). For options that this does not cover, the
 * axes are made whole first (fn_lines.c).
 */
#include "call.h"
#include "nccl.h"

#include <limits.h>
#include <string.h>

enum { LARGE = 1 << 20 }; /* elements of a result */

typedef struct reduction {
    gndm__args *a;
    gndm_ctx *c;
    gndm_array *x;
    uint32_t mask, split;    /* axes to reduce; those of them that are split */
    int all, keep;           /* axis=None; keepdims */
    int kind;                /* GNDM__* */
    gnd_dtype dtype, inside; /* of the result; of partial results */
    int ndim;                /* of the result */
    int64_t shape[GND_MAX_NDIM];
} reduction;

/* --- parts ------------------------------------------------------------------------------------ */

static gnd_axes axes_of(uint32_t mask)
{
    int axis[GND_MAX_NDIM], n = 0;
    for (int d = 0; d < GND_MAX_NDIM; d++)
        if (mask >> d & 1)
            axis[n++] = d;
    return gnd_axes_of((size_t)n, axis);
}

/* Reduces a local array over some axes. */
static gnd_array *reduce(const reduction *q, gnd_array *x, gnd_axes axes)
{
    switch (q->kind) {
    case GNDM__SUM:
    case GNDM__MEAN: return gnd_sum_as(x, axes, 0, q->inside);
    case GNDM__PROD: return gnd_prod_as(x, axes, 0, q->inside);
    case GNDM__MAX: return gnd_max(x, axes, 0);
    case GNDM__MIN: return gnd_min(x, axes, 0);
    case GNDM__ANY: return gnd_any(x, axes, 0);
    case GNDM__ALL: return gnd_all(x, axes, 0);
    case GNDM__COUNT: return gnd_count_nonzero(x, axes, 0);
    default: return gnd_fail(GND_ERR_INTERNAL, "%s: no such reduction", q->a->name);
    }
}

/* The number of non-empty parts along axis d. cut[k] is the number of them before coordinate k
 * (grid + 1 entries). */
static int64_t parts_of(const gndm_part *p, int d, int64_t *cut)
{
    cut[0] = 0;
    for (int k = 0; k < p->grid[d]; k++)
        cut[k + 1] = cut[k] + (p->cut[d][k] < p->cut[d][k + 1]);
    return cut[p->grid[d]];
}

/* The partition of the array of partial results: a leading axis for each split axis, cut into
 * single elements, then the axes that are not reduced. */
static gndm_part *part_of_partials(const reduction *q)
{
    const gndm_part *p = q->x->part;
    int64_t shape[GND_MAX_NDIM], *cut = malloc(((size_t)q->c->size + 1) * sizeof *cut);
    int n = 0;
    if (!cut)
        return gndm__part_lost(q->c);
    for (int d = 0; d < p->ndim; d++)
        if (q->split >> d & 1)
            shape[n++] = parts_of(p, d, cut);
    for (int d = 0; d < p->ndim; d++)
        if (!(q->mask >> d & 1))
            shape[n++] = p->shape[d];
    gndm_part *y = gndm__part_new(q->c, n, shape);
    n = 0;
    for (int d = 0; d < p->ndim; d++)
        if (q->split >> d & 1) {
            parts_of(p, d, cut);
            gndm__part_split(q->c, y, n++, p->grid[d], p->stride[d], cut);
        }
    for (int d = 0; d < p->ndim; d++)
        if (!(q->mask >> d & 1)) {
            if (p->grid[d] > 1)
                gndm__part_split(q->c, y, n, p->grid[d], p->stride[d], p->cut[d]);
            n++;
        }
    free(cut);
    return y;
}

/* This rank's partial result, reshaped to its box of the array of partial results. */
static gnd_array *placed(const reduction *q, gnd_array *x, const gndm_part *p, gnd_dtype t)
{
    gndm__box b;
    int64_t dim[GND_MAX_NDIM];
    gndm__part_box(p, q->c->rank, &b);
    for (int d = 0; d < p->ndim; d++)
        dim[d] = b.stop[d] - b.start[d];
    return gndm__product(p->ndim, dim) ? gnd_reshape(x, p->ndim, dim)
                                       : gnd_zeros(q->c->dev, t, p->ndim, dim);
}

/* Whether this rank has a partial result: ranks with an empty part have none. */
static int has_part(const reduction *q)
{
    gndm__box b;
    gndm__part_box(q->x->part, q->c->rank, &b);
    for (int d = 0; d < q->x->part->ndim; d++)
        if (q->split >> d & 1 && b.start[d] == b.stop[d])
            return 0;
    return 1;
}

/* The array of partial results, of dtype t, or an error. */
static gndm_array *partials(const reduction *q, gnd_array *partial, gnd_dtype t)
{
    gndm_part *p = part_of_partials(q);
    gndm_array *y = p->status ? /* then the part has no valid box */
                        gndm__error(q->c, gndm__broken(q->c, p->status, "%s", gndm_part_error(p)))
                              : gndm__array(q->c, t, p, placed(q, partial, p, t));
    gndm_part_free(p);
    return y;
}

/* Makes the partial results whole along the leading axes. If the result is large, it is divided
 * among the ranks that would otherwise all compute the same elements: each reduces a share. */
static gndm_array *collected(const reduction *q, gnd_array *partial, gnd_dtype t)
{
    const int lead = __builtin_popcount(q->split);
    gndm_array *y = partials(q, partial, t);
    const gndm_part *p = y->part;
    uint32_t whole = (UINT32_C(1) << lead) - 1;
    if (y->status)
        return y;
    gndm_part *to;
    if (gndm__product(p->ndim - lead, p->shape + lead) > LARGE) {
        to = gndm__whole_axes(q->c, p, whole);
    } else {
        int from[GND_MAX_NDIM];
        for (int d = 0; d < p->ndim; d++)
            from[d] = d < lead ? -1 : d;
        to = gndm__part_axes(q->c, p, p->ndim, p->shape, from);
    }
    y = gndm__moved(q->c, y, to);
    gndm_part_free(to);
    return y;
}

/* Returns the reduced local part y as the result of the call, in the shape of the result. from: the
 * partition of y, in which the axes that are not reduced begin at axis `lead`. */
static gnd_status finish(const reduction *q, gnd_array *y, const gndm_part *from, int lead)
{
    int axis[GND_MAX_NDIM], n = lead, e = 0;
    int64_t dim[GND_MAX_NDIM];
    for (int d = 0; d < q->x->part->ndim; d++)
        if (!(q->mask >> d & 1))
            axis[e++] = n++;
        else if (q->keep)
            axis[e++] = -1;
    gndm_part *p = gndm__part_axes(q->c, from, q->ndim, q->shape, axis);
    gndm__box b;
    if (!p->status)
        gndm__part_box(p, q->c->rank, &b);
    for (int d = 0; d < q->ndim && !p->status; d++)
        dim[d] = b.stop[d] - b.start[d];
    if (!p->status && !gnd_status_of(y))
        y = gnd_astype(gnd_reshape(y, q->ndim, dim), q->dtype);
    const gnd_status st = gndm__ret_array(q->a, gndm__array(q->c, q->dtype, p, y));
    gndm_part_free(p);
    return st;
}

/* The number of elements that are reduced to one element of the result. */
static double count(const reduction *q)
{
    double n = 1;
    for (int d = 0; d < q->x->part->ndim; d++)
        n *= q->mask >> d & 1 ? (double)q->x->part->shape[d] : 1;
    return n;
}

/* --- by NCCL ---------------------------------------------------------------------------------- */

/* NCCL's number of the reduction that combines partial results, or -1. Sums of bools are 0 or 1. */
static int nccl_kind(const reduction *q)
{
    const int bools = q->inside == GND_BOOL;
    switch (q->kind) {
    case GNDM__SUM: return bools ? GNDM__NCCL_MAX : GNDM__NCCL_SUM;
    case GNDM__MEAN:
    case GNDM__COUNT: return GNDM__NCCL_SUM;
    case GNDM__PROD: return bools ? GNDM__NCCL_MIN : GNDM__NCCL_PROD;
    case GNDM__MAX:
    case GNDM__ANY: return GNDM__NCCL_MAX;
    case GNDM__MIN:
    case GNDM__ALL: return GNDM__NCCL_MIN;
    default: return -1;
    }
}

/* Whether every rank has one partial result of the whole shape and every rank gets the result: the
 * case of an all-reduce. A large result is divided among the ranks, unless the caller wants it
 * whole. */
static int all_reduces(const reduction *q, gnd_dtype t)
{
    const gndm_part *p = q->x->part;
    int64_t ranks = 1, n = 1;
    for (int d = 0; d < p->ndim; d++) {
        const int reduced = q->mask >> d & 1;
        if (p->grid[d] > 1 && !reduced)
            return 0;
        for (int k = 0; p->grid[d] > 1 && k < p->grid[d]; k++)
            if (p->cut[d][k] == p->cut[d][k + 1])
                return 0;
        ranks *= p->grid[d];
        n *= reduced ? 1 : p->shape[d];
    }
    const int whole = q->a->part && !gndm__part_split_anywhere(q->a->part);
    return ranks == q->c->size && n > 0 && (n <= LARGE || whole) &&
           gndm__all_reduces(q->c, t, nccl_kind(q), n);
}

/* The partial result: of axes of one element each, the part itself. */
static gnd_array *partial(const reduction *q)
{
    gnd_array *x = q->x->local;
    int64_t n = 1;
    for (int d = 0; d < gnd_ndim(x); d++)
        n *= q->mask >> d & 1 ? gnd_dim(x, d) : 1;
    const int same = q->kind != GNDM__COUNT && gnd_dtype_of(x) == q->inside;
    return n == 1 && same ? gnd_squeeze(x, axes_of(q->mask)) : reduce(q, x, axes_of(q->mask));
}

static gnd_status by_nccl(reduction *q)
{
    gnd_array *y = NULL;
    int64_t n = 1;
    for (int d = 0; d < q->x->part->ndim; d++)
        n *= q->mask >> d & 1 ? 1 : q->x->part->shape[d];
    const gnd_status st = gndm__all_reduce(q->c, partial(q), n, nccl_kind(q), &y);
    if (st)
        return st;
    if (q->kind == GNDM__MEAN)
        y = gnd_div_f(y, count(q));
    gndm_part *whole = gndm__part_new(q->c, gnd_ndim(y), gnd_shape(y));
    const gnd_status done = finish(q, y, whole, 0);
    gndm_part_free(whole);
    return done;
}

/* --- sums, products, extremes, truth ---------------------------------------------------------- */

/* The result, of one element, from the partial results on the host. */
static gnd_status to_number(const reduction *q, gnd_array *partial, gnd_dtype t)
{
    gndm_array *y = partials(q, partial, t);
    if (y->status)
        return gndm__check(q->c, y);
    gndm_part *p = gndm__part_new(q->c, q->ndim, q->shape);
    y = gndm__fold(q->c, q->kind, y, count(q), q->dtype, p);
    gndm_part_free(p);
    return gndm__ret_array(q->a, y);
}

static gnd_status plain(reduction *q)
{
    const int lead = __builtin_popcount(q->split);
    const gnd_dtype t = q->kind == GNDM__COUNT ? GND_INT64 : q->inside;
    if (all_reduces(q, t))
        return by_nccl(q);
    gnd_array *x = has_part(q) ? reduce(q, q->x->local, axes_of(q->mask)) : q->x->local;
    if (gndm__product(q->ndim, q->shape) == 1 && gndm__folds(q->kind, t, q->dtype))
        return to_number(q, x, t);
    gndm_array *all = collected(q, x, t);
    if (all->status)
        return gndm__check(q->c, all);
    gnd_array *y = all->local;
    if (q->kind == GNDM__COUNT)
        y = gnd_sum(y, axes_of((UINT32_C(1) << lead) - 1), 0);
    else
        y = reduce(q, y, axes_of((UINT32_C(1) << lead) - 1));
    if (q->kind == GNDM__MEAN)
        y = gnd_div_f(y, count(q));
    return finish(q, y, all->part, lead);
}

/* --- where the extremes are ------------------------------------------------------------------- */

static gnd_array *extreme(const reduction *q, gnd_array *x, gnd_axes axes, int where)
{
    if (where)
        return q->kind == GNDM__ARGMAX ? gnd_argmax(x, axes, 0) : gnd_argmin(x, axes, 0);
    return q->kind == GNDM__ARGMAX ? gnd_max(x, axes, 0) : gnd_min(x, axes, 0);
}

/* Converts i, an index into the flattened local part, to the index into the flattened whole
 * array. */
static gnd_array *whole_index(const reduction *q, gnd_array *i)
{
    const gndm_part *p = q->x->part;
    gndm__box b;
    gndm__part_box(p, q->c->rank, &b);
    gnd_array *y = NULL;
    int64_t inner = 1, outer = 1;
    for (int d = p->ndim - 1; d >= 0; d--) {
        const int64_t n = b.stop[d] - b.start[d];
        gnd_array *k = gnd_remainder(gnd_floor_divide(i, gnd_int(inner)), gnd_int(n));
        k = gnd_mul_i(gnd_add_i(k, b.start[d]), outer);
        y = y ? gnd_add(y, k) : k;
        inner *= n;
        outer *= p->shape[d];
    }
    return y;
}

static gnd_status arg_extreme(reduction *q)
{
    gnd_array *x = q->x->local, *value = x, *index = x;
    const int lead = __builtin_popcount(q->split);
    if (has_part(q)) {
        const gnd_axes axes = q->all ? GND_ALL : axes_of(q->mask);
        gndm__box b;
        gndm__part_box(q->x->part, q->c->rank, &b);
        index = extreme(q, x, axes, 1);
        value = extreme(q, x, axes, 0);
        index = q->all ? whole_index(q, index) : gnd_add_i(index, b.start[__builtin_ctz(q->mask)]);
    }
    gndm_array *v = collected(q, value, q->x->dtype), *i = collected(q, index, GND_INT64);
    if (v->status || i->status)
        return gndm__check(q->c, v->status ? v : i);
    gnd_array *y;
    if (q->all) {
        /* the lowest index with the extreme value; NaN counts as more extreme than all numbers */
        gnd_array *nan = gnd_not_equal(v->local, v->local);
        gnd_array *same = gnd_equal(v->local, extreme(q, v->local, GND_ALL, 0));
        same = gnd_where(gnd_any(nan, GND_ALL, 0), nan, same);
        y = gnd_min(gnd_where(same, i->local, gnd_int(INT64_MAX)), GND_ALL, 0);
    } else {
        gnd_array *k = gnd_expand_dims(extreme(q, v->local, GND_AXIS(0), 1), GND_AXIS(0));
        y = gnd_take_along_axis(i->local, k, 0);
    }
    return finish(q, y, i->part, lead);
}

/* --- variance --------------------------------------------------------------------------------- */

/* sum |x - mean|^2 / (n - ddof), as in gnd: two reductions. */
static gnd_status variance(reduction *q)
{
    gndm__args *a = q->a;
    gndm_ctx *c = q->c;
    const gnd_value *ddof = gndm__arg(a, "ddof"), *axis = gndm__arg(a, "axis");
    const double less = !ddof ? 0 : ddof->tag == GND_V_FLOAT ? ddof->as.z.re : (double)ddof->as.i;
    const gnd_value none = gnd_value_none(), yes = gnd_value_bool(1), no = gnd_value_bool(q->keep);
    static const char *const names[] = {"axis", "keepdims"};
    const int complex_in = gnd_dtype_kind(q->x->dtype) == 'c';
    gnd_value conv[2] = {gndm_value(q->x), gnd_value_dtype(complex_in ? q->x->dtype : q->inside)};
    gndm_array *x = gndm_apply(c, NULL, "astype", 2, conv, 0, NULL);
    gnd_value v[3] = {gndm_value(x), axis ? *axis : none, yes};
    gndm_array *mean = gndm_apply(c, NULL, "mean", 3, v, 2, names);
    gndm_array *d = gndm__call2(c, "subtract", gndm_value(x), gndm_value(mean));
    d = gndm__call1(c, "square", gndm__call1(c, "abs", d));
    v[0] = gndm_value(d);
    v[2] = no;
    gndm_array *y = gndm_apply(c, NULL, "sum", 3, v, 2, names);
    double n = count(q);
    n = n - less > 0 ? n - less : 0;
    y = gndm__call2(c, "divide", gndm_value(y), gnd_value_float(n));
    if (q->kind == GNDM__STD)
        y = gndm__call1(c, "sqrt", y);
    const gnd_value last[2] = {gndm_value(y), gnd_value_dtype(q->dtype)};
    return gndm__ret_array(a, gndm_apply(c, NULL, "astype", 2, last, 0, NULL));
}

/* --- the handler ------------------------------------------------------------------------------ */

/* No axis to reduce is split: each rank reduces its part, without messages. */
static gnd_status without_messages(reduction *q)
{
    gnd_value local;
    const gnd_status st = gndm__local_call(q->a, &local);
    if (st)
        return st;
    int axis[GND_MAX_NDIM], e = 0;
    for (int d = 0; d < q->x->part->ndim; d++)
        if (!(q->mask >> d & 1))
            axis[e++] = d;
        else if (q->keep)
            axis[e++] = -1;
    gndm_part *p = gndm__part_axes(q->c, q->x->part, q->ndim, q->shape, axis);
    const gnd_status y = gndm__ret_array(q->a, gndm__array(q->c, q->dtype, p, local.as.array));
    gndm_part_free(p);
    return y;
}

gnd_status gndm__fn_reduce(gndm__args *a)
{
    reduction q = {.a = a, .c = a->c, .kind = a->rule->data};
    gnd_value v;
    q.x = gndm__arg_array(a, "x");
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!q.x || v.tag != GND_V_ARRAY)
        return gndm__fail(a->c, GND_ERR_TYPE, "%s: x must be an array", a->name);
    q.dtype = gnd_dtype_of(v.as.array);
    q.ndim = gnd_ndim(v.as.array);
    memcpy(q.shape, gnd_shape(v.as.array), (size_t)q.ndim * sizeof *q.shape);
    q.mask = gndm__arg_axes(a, q.x->part->ndim, &q.all);
    q.keep = gndm__arg_true(a, "keepdims");
    for (int d = 0; d < q.x->part->ndim; d++)
        if (q.mask >> d & 1 && q.x->part->grid[d] > 1)
            q.split |= UINT32_C(1) << d;
    const gnd_value *where = gndm__arg(a, "where");
    const int more = (where && where->tag != GND_V_BOOL) || gndm__arg(a, "initial");
    if (more)
        return gndm__fn_lines(a);
    if (a->c->flags & GNDM_REPRODUCIBLE && strchr("fc", gnd_dtype_kind(q.dtype)) &&
        gndm_elements(q.x) && (q.kind == GNDM__SUM || q.kind == GNDM__MEAN))
        return gndm__sum_reproducible(a, q.x, q.dtype, q.kind == GNDM__MEAN ? count(&q) : 1);
    if (!q.split && !(a->c->flags & GNDM_REPRODUCIBLE))
        return without_messages(&q);
    const int varies = q.kind == GNDM__VAR || q.kind == GNDM__STD;
    if (!q.split && !varies)
        return without_messages(&q);
    q.inside = q.dtype == GND_FLOAT16 || q.dtype == GND_BFLOAT16 ? GND_FLOAT32 : q.dtype;
    if (q.kind == GNDM__MAX || q.kind == GNDM__MIN)
        q.inside = q.dtype;
    if (varies)
        return variance(&q);
    if (q.kind == GNDM__ARGMAX || q.kind == GNDM__ARGMIN)
        return arg_extreme(&q);
    return plain(&q);
}
