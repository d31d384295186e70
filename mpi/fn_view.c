/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_view.c - views: permuted axes, and indexing by ints and slices.
 */
#include "call.h"

#include <string.h>

/* --- axes ------------------------------------------------------------------------------------- */

/* Finds out where a function moves the axes: calls it in gnd on an array whose extents are all
 * different, and reads the extents of the result. from[d] is the axis of x that becomes axis d, or
 * -1 for an axis of extent 1. Axes of extent 1 keep it, because functions may drop them. */
static gnd_status axes_after(gndm__args *a, const gndm_array *x, int *ndim, int *from)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_value out;
    for (int d = 0; d < x->part->ndim; d++)
        dim[d] = x->part->shape[d] == 1 ? 1 : d + 2;
    const gnd_value whole = a->v[0];
    a->v[0] = gnd_value_array(gnd_empty(a->c->dev, x->dtype, x->part->ndim, dim));
    gnd_status st = gndm__try(a, &out);
    a->v[0] = whole;
    if (st)
        return st;
    *ndim = out.tag == GND_V_ARRAY ? gnd_ndim(out.as.array) : 0;
    for (int d = 0; d < *ndim; d++) {
        const int64_t n = gnd_dim(out.as.array, d);
        from[d] = n == 1 ? -1 : (int)n - 2;
    }
    return GND_OK;
}

gnd_status gndm__fn_axes(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__as_array(a->n ? &a->v[0] : NULL);
    int ndim, from[GND_MAX_NDIM], perm[GND_MAX_NDIM], n = 0;
    if (!x || a->n - a->nkw < 1)
        return gndm__fail(c, GND_ERR_TYPE, "%s: the first argument must be an array", a->name);
    gnd_status st = axes_after(a, x, &ndim, from);
    if (st)
        return st;
    /* axes of extent 1 are not split in the result: make them whole here */
    int64_t shape[GND_MAX_NDIM], dim[GND_MAX_NDIM];
    uint32_t whole = 0;
    for (int d = 0; d < x->part->ndim; d++)
        if (x->part->shape[d] == 1 && x->part->grid[d] > 1)
            whole |= UINT32_C(1) << d;
    gndm_part *p = whole ? gndm__whole_axes(c, x->part, whole) : gndm__part_retain(x->part);
    x = gndm__moved(c, x, p);
    gndm_part_free(p);
    st = gndm__check(c, x);
    if (st)
        return st;
    /* permute the axes of extent 1 to the end, in any order; the reshape drops or adds them */
    for (int d = 0; d < ndim; d++)
        if (from[d] >= 0)
            perm[n++] = from[d];
    for (int d = 0; d < x->part->ndim; d++)
        if (x->part->shape[d] == 1)
            perm[n++] = d;
    for (int d = 0; d < ndim; d++) {
        shape[d] = from[d] >= 0 ? x->part->shape[from[d]] : 1;
        dim[d] = from[d] >= 0 ? gnd_dim(x->local, from[d]) : 1;
    }
    gnd_array *y = x->local;
    if (!gnd_status_of(y))
        y = gnd_reshape(gnd_permute_dims(y, perm), ndim, dim);
    p = gndm__part_axes(c, x->part, ndim, shape, from);
    st = gndm__ret_array(a, gndm__array(c, x->dtype, p, y));
    gndm_part_free(p);
    return st;
}

/* --- indexing --------------------------------------------------------------------------------- */

/* An index. Axis d of the result is axis from[d] of x, or a new axis if that is -1. start, step and
 * count are by axes of x. An axis that an int removed has a box of one element. */
typedef struct plan {
    int ndim, from[GND_MAX_NDIM];
    int64_t shape[GND_MAX_NDIM], step[GND_MAX_NDIM], start[GND_MAX_NDIM]; /* shape: of the result */
    int64_t count[GND_MAX_NDIM]; /* elements selected on each axis of x; -1: removed by an int */
} plan;

/* Applies a slice to axis d of n elements, as Python does. */
static void sliced(plan *q, int d, int64_t n, const gnd_range *r)
{
    const int64_t step = r->step ? r->step : 1;
    int64_t a = r->start, b = r->stop;
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    a = a == GND_NONE ? (step > 0 ? low : high)
        : a < 0       ? (a + n < low ? low : a + n)
        : a > high    ? high
                      : a;
    b = b == GND_NONE ? (step > 0 ? high : low)
        : b < 0       ? (b + n < low ? low : b + n)
        : b > high    ? high
                      : b;
    q->start[d] = a;
    q->step[d] = step;
    q->count[d] =
        step > 0 ? (b > a ? (b - a - 1) / step + 1 : 0) : (a > b ? (a - b - 1) / -step + 1 : 0);
}

/* Makes the plan of n entries. They are valid: gnd has indexed a placeholder with them. */
static void make_plan(plan *q, const gndm_array *x, int n, const gnd_range *idx)
{
    int used = 0, d = 0;
    for (int i = 0; i < n; i++)
        used += idx[i].kind == GND_IDX_INT || idx[i].kind == GND_IDX_SLICE;
    q->ndim = 0;
    for (int i = 0; i <= n; i++) {
        int rest = 0;
        if (i == n)
            rest = x->part->ndim - d;
        else if (idx[i].kind == GND_IDX_ELLIPSIS)
            rest = x->part->ndim - used;
        for (int k = 0; k < rest; k++, d++) {
            q->start[d] = 0;
            q->step[d] = 1;
            q->count[d] = x->part->shape[d];
            q->from[q->ndim++] = d;
        }
        if (i == n || idx[i].kind == GND_IDX_ELLIPSIS)
            continue;
        if (idx[i].kind == GND_IDX_NEWAXIS) {
            q->from[q->ndim++] = -1;
            continue;
        }
        if (idx[i].kind == GND_IDX_INT) {
            q->start[d] = idx[i].start < 0 ? idx[i].start + x->part->shape[d] : idx[i].start;
            q->step[d] = 1;
            q->count[d] = -1;
        } else {
            sliced(q, d, x->part->shape[d], &idx[i]);
            q->from[q->ndim++] = d;
        }
        d++;
    }
    for (int e = 0; e < q->ndim; e++)
        q->shape[e] = q->from[e] < 0 ? 1 : q->count[q->from[e]];
}

/* The partition of the result. On axes with a positive step each rank keeps its part of the slice;
 * axes with a negative step are cut evenly. */
static gndm_part *part_after(gndm_ctx *c, const gndm_array *x, const plan *q)
{
    gndm_part *p = gndm__part_new(c, q->ndim, q->shape);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut && !p->status)
        p->status = gndm__part_lost(c)->status;
    for (int e = 0; e < q->ndim && !p->status; e++) {
        const int d = q->from[e], g = d < 0 ? 1 : x->part->grid[d];
        if (g == 1)
            continue;
        for (int k = 0; k <= g; k++) {
            const int64_t before = x->part->cut[d][k] - q->start[d];
            const int64_t at = before <= 0 ? 0 : (before - 1) / q->step[d] + 1;
            cut[k] = at > q->shape[e] ? q->shape[e] : at;
        }
        if (q->step[d] < 0)
            gndm__even_cuts(q->shape[e], g, cut);
        gndm__part_split(c, p, e, g, x->part->stride[d], cut);
    }
    free(cut);
    return p;
}

/* The box of x that rank r needs for its part of the result. */
static void source(const plan *q, const gndm_part *after, int ndim, int r, gndm__box *b)
{
    gndm__box mine;
    gndm__part_box(after, r, &mine);
    int e = 0, at[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        at[d] = -1;
    for (e = 0; e < q->ndim; e++)
        if (q->from[e] >= 0)
            at[q->from[e]] = e;
    for (int d = 0; d < ndim; d++) {
        const int64_t i = at[d] < 0 ? 0 : mine.start[at[d]], j = at[d] < 0 ? 1 : mine.stop[at[d]];
        const int64_t first = q->start[d] + i * q->step[d];
        const int64_t last = q->start[d] + (j - 1) * q->step[d];
        b->start[d] = first < last ? first : last;
        b->stop[d] = (first < last ? last : first) + 1;
        if (i >= j)
            b->start[d] = b->stop[d] = 0;
    }
}

/* The local part of the result. x: the box that was fetched. */
static gnd_array *local_part(gnd_array *x, const plan *q, const gndm_part *after, int rank,
                             int ndim)
{
    gnd_range idx[GND_MAX_NDIM];
    gndm__box mine;
    int64_t dim[GND_MAX_NDIM];
    gndm__part_box(after, rank, &mine);
    for (int d = 0; d < ndim; d++)
        idx[d] = q->count[d] < 0 || q->step[d] == 1 ? GND_FULL
                                                    : GND_STEP(GND_NONE, GND_NONE, q->step[d]);
    for (int e = 0; e < q->ndim; e++)
        dim[e] = mine.stop[e] - mine.start[e];
    return gnd_reshape(gnd_index(x, ndim, idx), q->ndim, dim);
}

static gndm_array *indexed(gndm_ctx *c, gndm_array *x, int n, const gnd_range *idx)
{
    plan q;
    for (int i = 0; i < n; i++)
        if (idx[i].kind == GND_IDX_ARRAY)
            return gndm__error(
                c, gndm__fail(c, GND_ERR_UNSUPPORTED, "index: entry %d is an array: use take", i));
    gnd_array *tried =
        gnd_index(gnd_empty(c->dev, x->dtype, x->part->ndim, x->part->shape), n, idx);
    if (gnd_status_of(tried))
        return gndm__error(c, gndm__fail(c, gnd_status_of(tried), "%s", gnd_error(tried)));
    make_plan(&q, x, n, idx);
    gndm_part *after = part_after(c, x, &q);
    gndm__box *want = calloc((size_t)c->size, sizeof *want);
    if (after->status || !want) {
        free(want);
        gndm_part_free(after);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "index: out of host memory"));
    }
    for (int r = 0; r < c->size; r++)
        source(&q, after, x->part->ndim, r, &want[r]);
    gnd_array *box = NULL;
    const gnd_status st = gndm__fetch(c, x, want, &box);
    if (!st && !gnd_status_of(box))
        box = local_part(box, &q, after, c->rank, x->part->ndim);
    gndm_array *y = st ? gndm__error(c, st) : gndm__array(c, x->dtype, after, box);
    free(want);
    gndm_part_free(after);
    return y;
}

gndm_array *gndm_index(gndm_array *x, int n, const gnd_range *idx)
{
    if (!x || x->status)
        return x ? gndm_retain(x) : gndm__error(NULL, GND_ERR_NULL);
    gndm_ctx *c = x->ctx;
    gnd_status st = gndm__enter(c, "index", "%d entries", n);
    if (!st && (n < 0 || n > 2 * GND_MAX_NDIM || (n && !idx)))
        st = gndm__fail(c, GND_ERR_ARG, "index: %d entries", n);
    return gndm__leave(c, st ? gndm__error(c, st) : indexed(c, x, n, idx));
}
