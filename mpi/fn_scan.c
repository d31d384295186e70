/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_scan.c - running sums, products and extremes along a split axis. Each rank scans its part, and
 * the totals of the parts go to all ranks. Each rank then combines the totals of the parts before
 * its own with its elements. This is one exchange, of one element for each line and part; no
 * elements of x move.
 */
#include "shuffle.h"

#include <string.h>

typedef struct scan {
    gndm_ctx *c;
    int kind, axis;          /* kind: GNDM__SUM, PROD, MAX, MIN */
    int skip_nan, initial;   /* nancumsum or nancumprod; include_initial */
    gnd_dtype dtype, inside; /* of the result; of intermediate results */
} scan;

/* Scans a local array. */
static gnd_array *scanned(const scan *q, gnd_array *x, int axis, int initial, int skip_nan)
{
    const gnd_axes k = GND_AXIS(axis);
    const unsigned flags = initial ? GND_INCLUDE_INITIAL : 0;
    switch (q->kind) {
    case GNDM__SUM:
        return skip_nan ? gnd_nancumsum(x, k, q->inside)
                        : gnd_cumulative_sum(x, k, flags, q->inside);
    case GNDM__PROD:
        return skip_nan ? gnd_nancumprod(x, k, q->inside)
                        : gnd_cumulative_prod(x, k, flags, q->inside);
    case GNDM__MAX: return gnd_cummax(x, k);
    default: return gnd_cummin(x, k);
    }
}

/* Combines the total of all elements before x with x. */
static gnd_array *combined(const scan *q, gnd_array *before, gnd_array *x)
{
    switch (q->kind) {
    case GNDM__SUM: return gnd_add(before, x);
    case GNDM__PROD: return gnd_mul(before, x);
    case GNDM__MAX: return gnd_maximum(before, x);
    default: return gnd_minimum(before, x);
    }
}

/* The partition of the totals: along the axis, one element for each non-empty part. *before: the
 * number of such parts before this rank's part. *empty: whether this rank's part is empty. */
static gndm_part *part_of_totals(const scan *q, const gndm_part *p, int64_t *before, int *empty)
{
    const int d = q->axis, g = p->grid[d], own = gndm__part_coord(p, q->c->rank, d);
    int64_t shape[GND_MAX_NDIM], *cut = calloc((size_t)g + 1, sizeof *cut);
    if (!cut)
        return gndm__part_lost(q->c);
    for (int k = 0; k < g; k++)
        cut[k + 1] = cut[k] + (p->cut[d][k] < p->cut[d][k + 1]);
    memcpy(shape, p->shape, (size_t)p->ndim * sizeof *shape);
    shape[d] = cut[g];
    *before = cut[own];
    *empty = cut[own] == cut[own + 1];
    gndm_part *y = gndm__part_new(q->c, p->ndim, shape);
    for (int e = 0; e < p->ndim; e++)
        if (p->grid[e] > 1)
            gndm__part_split(q->c, y, e, p->grid[e], p->stride[e], e == d ? cut : p->cut[e]);
    free(cut);
    return y;
}

/* The partition of the result. With include_initial the first part is one element longer. */
static gndm_part *part_after(const scan *q, const gndm_part *p)
{
    const int d = q->axis;
    int64_t shape[GND_MAX_NDIM];
    if (!q->initial)
        return gndm__part_retain((gndm_part *)p);
    int64_t *cut = malloc(((size_t)p->grid[d] + 1) * sizeof *cut);
    if (!cut)
        return gndm__part_lost(q->c);
    for (int k = 0; k <= p->grid[d]; k++)
        cut[k] = p->cut[d][k] + (k > 0);
    memcpy(shape, p->shape, (size_t)p->ndim * sizeof *shape);
    shape[d]++;
    gndm_part *y = gndm__part_new(q->c, p->ndim, shape);
    for (int e = 0; e < p->ndim; e++)
        if (p->grid[e] > 1)
            gndm__part_split(q->c, y, e, p->grid[e], p->stride[e], e == d ? cut : p->cut[e]);
    free(cut);
    return y;
}

/* The totals of all parts along the axis, on each rank that shares the axis. */
static gndm_array *all_totals(const scan *q, const gndm_part *p, gndm_part *parts, gnd_array *own)
{
    int from[GND_MAX_NDIM];
    for (int e = 0; e < p->ndim; e++)
        from[e] = e == q->axis ? -1 : e;
    gndm_part *whole = gndm__part_axes(q->c, parts, p->ndim, parts->shape, from);
    gndm_array *y = gndm__array(q->c, q->inside, parts, own);
    y = y->status ? y : gndm__moved(q->c, y, whole);
    gndm_part_free(whole);
    return y;
}

static gndm_array *along_split(scan *q, gndm_array *x)
{
    gndm_ctx *c = q->c;
    const int d = q->axis, first = gndm__part_coord(x->part, c->rank, d) == 0;
    int64_t before = 0;
    int empty = 0;
    gndm_part *parts = part_of_totals(q, x->part, &before, &empty), *after = part_after(q, x->part);
    if (parts->status || after->status) {
        gndm_part_free(parts);
        gndm_part_free(after);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    }
    gnd_array *y = scanned(q, x->local, d, q->initial && first, q->skip_nan), *total = y;
    gnd_eval_all(1, &y); /* y is used twice below; a failure is recorded in it */
    if (!gnd_status_of(y) && !empty)
        total = gnd_slice(y, d, gnd_dim(y, d) - 1, gnd_dim(y, d));
    else if (!gnd_status_of(y)) /* the right shape: no element along the axis */
        total = gnd_slice(y, d, 0, 0);
    gndm_array *all = all_totals(q, x->part, parts, total);
    if (!all->status && before && !empty && !gnd_status_of(y)) {
        /* a total that is NaN comes from infinities: it is not skipped */
        gnd_array *sum = scanned(q, gnd_slice(all->local, d, 0, before), d, 0, 0);
        y = combined(q, gnd_slice(sum, d, before - 1, before), y);
    }
    gndm_array *z = all->status ? all : gndm__array(c, q->dtype, after, gnd_astype(y, q->dtype));
    gndm_part_free(parts);
    gndm_part_free(after);
    return z;
}

/* Whether the lines are so short that exchanging their totals moves about as much as all elements.
 * They are then made whole, if another axis can be split. */
static int short_lines(const gndm_part *p, int d)
{
    if (p->shape[d] >= 4 * (int64_t)p->grid[d])
        return 0;
    for (int e = 0; e < p->ndim; e++)
        if (e != d && p->grid[e] == 1 && p->shape[e] >= p->grid[d])
            return 1;
    return 0;
}

gnd_status gndm__fn_scan(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || v.tag != GND_V_ARRAY || !gndm__part_split_anywhere(x->part))
        return gndm__fn_lines(a);
    scan q = {.c = c, .dtype = gnd_dtype_of(v.as.array)};
    q.kind = strstr(a->name, "max")    ? GNDM__MAX
             : strstr(a->name, "min")  ? GNDM__MIN
             : strstr(a->name, "prod") ? GNDM__PROD
                                       : GNDM__SUM;
    q.skip_nan = !strncmp(a->name, "nan", 3);
    q.initial = gndm__arg_true(a, "include_initial");
    q.inside = q.kind < GNDM__MAX && (q.dtype == GND_FLOAT16 || q.dtype == GND_BFLOAT16)
                   ? GND_FLOAT32
                   : q.dtype;
    int all;
    const uint32_t axes = gndm__arg_axes(a, x->part->ndim, &all);
    if (all) { /* axis=None: flattened */
        x = gndm__vector(c, x);
        st = gndm__check(c, x);
        if (st)
            return st;
    } else {
        q.axis = __builtin_ctz(axes);
    }
    if (x->part->grid[q.axis] == 1 || short_lines(x->part, q.axis))
        return gndm__fn_lines(a);
    return gndm__ret_array(a, along_split(&q, x));
}
