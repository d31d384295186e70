/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_join.c - functions that join arrays. Along an axis that is not split each rank joins its
 * parts. Otherwise the result is cut where the sum of the operands' cuts is, so that each rank gets
 * its share, and fetches what it lacks, one exchange for each operand that has to move.
 */
#include "join.h"

#include <string.h>

/* --- concat ----------------------------------------------------------------------------------- */

/* The operand whose partition the result gets. */
static gndm_array *leader(int n, gndm_array *const *x)
{
    gndm_array *best = x[0];
    for (int i = 1; i < n; i++) {
        const int split = gndm__part_split_anywhere(x[i]->part);
        const int was = gndm__part_split_anywhere(best->part);
        if (split > was || (split == was && gndm_elements(x[i]) > gndm_elements(best)))
            best = x[i];
    }
    return best;
}

/* The partition of the result: that of the leader, whose cuts along the axis become the sums of all
 * operands' cuts. An operand with other cuts counts as cut in the leader's proportions. */
static gndm_part *part_after(gndm_ctx *c, int n, gndm_array *const *x, int axis)
{
    const gndm_part *lead = leader(n, x)->part;
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    memcpy(shape, lead->shape, sizeof shape);
    shape[axis] = 0;
    for (int i = 0; i < n; i++)
        shape[axis] += x[i]->part->shape[axis];
    for (int d = 0; d < lead->ndim; d++)
        from[d] = d == axis ? -1 : d;
    gndm_part *p = gndm__part_axes(c, lead, lead->ndim, shape, from);
    const int g = lead->grid[axis];
    int64_t *cut = g > 1 ? calloc((size_t)g + 1, sizeof *cut) : NULL;
    if (g > 1 && !cut) {
        gndm_part_free(p);
        return gndm__part_lost(c);
    }
    for (int i = 0; i < n && cut; i++) {
        const gndm_part *q = x[i]->part;
        const int same = q->grid[axis] == g && q->stride[axis] == lead->stride[axis];
        const double share =
            lead->shape[axis] ? (double)q->shape[axis] / (double)lead->shape[axis] : 0;
        for (int k = 1; k <= g; k++)
            cut[k] += same     ? q->cut[axis][k]
                      : k == g ? q->shape[axis]
                               : (int64_t)((double)lead->cut[axis][k] * share);
    }
    if (cut)
        gndm__part_split(c, p, axis, g, lead->stride[axis], cut);
    free(cut);
    return p;
}

/* The box of operand x, whose first index in the result along the axis is `first`, that a rank
 * needs for its part. */
static void needed(const gndm_part *after, const gndm_array *x, int axis, int64_t first, int rank,
                   gndm__box *b)
{
    const int64_t n = x->part->shape[axis];
    gndm__part_box(after, rank, b);
    b->start[axis] = b->start[axis] > first ? b->start[axis] - first : 0;
    b->stop[axis] = b->stop[axis] > first ? b->stop[axis] - first : 0;
    b->start[axis] = b->start[axis] > n ? n : b->start[axis];
    b->stop[axis] = b->stop[axis] > n ? n : b->stop[axis];
    if (gndm__box_empty(after->ndim, b))
        memset(b, 0, sizeof *b);
}

gndm_array *gndm__concat(gndm_ctx *c, int n, gndm_array *const *x, int axis, gnd_dtype t)
{
    for (int i = 0; i < n; i++)
        if (x[i]->status)
            return x[i];
    gndm_part *after = part_after(c, n, x, axis);
    gndm__box *want = calloc((size_t)c->size, sizeof *want);
    gnd_array **piece = calloc((size_t)n + 1, sizeof(gnd_array *)), *box, *y = NULL;
    gnd_status st = GND_OK;
    int64_t first = 0;
    int m = 0;
    if (after->status || !want || !piece)
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int i = 0; i < n && !st; i++) {
        for (int r = 0; r < c->size; r++)
            needed(after, x[i], axis, first, r, &want[r]);
        st = gndm__fetch(c, x[i], want, &box);
        if (!st && (!gndm__box_empty(after->ndim, &want[c->rank]) || gnd_status_of(box)))
            piece[m++] = gnd_astype(box, t);
        first += x[i]->part->shape[axis];
    }
    if (!st && m)
        y = m == 1 ? piece[0] : gnd_concat(m, piece, axis);
    else if (!st) {
        int64_t dim[GND_MAX_NDIM];
        gndm__box b;
        gndm__part_box(after, c->rank, &b);
        for (int d = 0; d < after->ndim; d++)
            dim[d] = b.stop[d] - b.start[d];
        y = gnd_zeros(c->dev, t, after->ndim, dim);
    }
    gndm_array *z = st ? gndm__error(c, st) : gndm__array(c, t, after, y);
    free(piece);
    free(want);
    gndm_part_free(after);
    return z;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* What is done to each operand before they are joined along an axis. */
typedef gndm_array *before(gndm_ctx *c, gndm_array *x, int axis);

static gndm_array *same(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)c;
    (void)axis;
    return x;
}
static gndm_array *vector(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)axis;
    return x->status ? x : gndm__vector(c, x);
}
static gndm_array *new_axis(gndm_ctx *c, gndm_array *x, int axis)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    if (x->status)
        return x;
    for (int d = 0; d <= x->part->ndim; d++) {
        from[d] = d < axis ? d : d == axis ? -1 : d - 1;
        shape[d] = d == axis ? 1 : x->part->shape[from[d]];
    }
    return gndm__reshaped(c, x, x->part->ndim + 1, shape, from);
}
static gndm_array *columns(gndm_ctx *c, gndm_array *x, int axis)
{
    return !x->status && x->part->ndim < 2 ? new_axis(c, gndm__do(c, "atleast_1d", "a", x), axis)
                                           : x;
}
static gndm_array *at_least_1(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)axis;
    return !x->status && x->part->ndim >= 1 ? x : gndm__do(c, "atleast_1d", "a", x);
}
static gndm_array *at_least_2(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)axis;
    return !x->status && x->part->ndim >= 2 ? x : gndm__do(c, "atleast_2d", "a", x);
}
static gndm_array *at_least_3(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)axis;
    return !x->status && x->part->ndim >= 3 ? x : gndm__do(c, "atleast_3d", "a", x);
}

/* Joins the list `arrays`. The call has succeeded on placeholders. */
static gnd_status joined(gndm__args *a, before *f, int axis, gnd_array *like)
{
    int n = 0;
    gndm_array **x = gndm__list(a, gndm__arg(a, "arrays"), &n);
    if (!x || n == 0) /* one array, whose first axis numbers the arrays */
        return gndm__fn_gathered(a);
    for (int i = 0; i < n; i++) {
        x[i] = f(a->c, x[i], axis);
        const gnd_status st = gndm__check(a->c, x[i]);
        if (st)
            return st;
    }
    return gndm__ret_like(a, gndm__concat(a->c, n, x, axis, gnd_dtype_of(like)), like);
}

gnd_status gndm__fn_concat(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const int given = gndm__given(a, "axis"), flat = given && !gndm__arg(a, "axis");
    const int axis = flat ? 0 : gndm__axis(a, "axis", 0, gnd_ndim(like));
    return joined(a, flat ? vector : same, axis, like);
}

gnd_status gndm__fn_stack(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    return st ? st : joined(a, new_axis, gndm__axis(a, "axis", 0, gnd_ndim(like)), like);
}

gnd_status gndm__fn_hstack(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    return st ? st : joined(a, at_least_1, gnd_ndim(like) > 1, like);
}

gnd_status gndm__fn_vstack(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    return st ? st : joined(a, at_least_2, 0, like);
}

gnd_status gndm__fn_dstack(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    return st ? st : joined(a, at_least_3, 2, like);
}

gnd_status gndm__fn_column_stack(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    return st ? st : joined(a, columns, 1, like);
}

gnd_status gndm__fn_append(gndm__args *a)
{
    gnd_array *like;
    const gnd_value *axis = gndm__arg(a, "axis"), *more = gndm__arg(a, "values");
    gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const gnd_value *x = gndm__arg(a, "x");
    gndm_array *y[2] = {gndm__made(a, x), more ? gndm__made(a, more) : NULL};
    for (int i = 0; i < 2 && !st; i++) {
        if (!y[i])
            return gndm__fn_gathered(a);
        if (!axis && !y[i]->status)
            y[i] = gndm__vector(a->c, y[i]);
        st = gndm__check(a->c, y[i]);
    }
    const int d = axis ? gndm__axis(a, "axis", 0, gnd_ndim(like)) : 0;
    return st ? st : gndm__ret_like(a, gndm__concat(a->c, 2, y, d, gnd_dtype_of(like)), like);
}

/* --- nested lists ----------------------------------------------------------------------------- */

static int depth_of(const gnd_value *v)
{
    int most = 0;
    for (int64_t i = 0; gndm__is_list(v) && i < v->as.items.n; i++) {
        const int d = depth_of(&v->as.items.item[i]);
        most = d > most ? d : most;
    }
    return gndm__is_list(v) ? most + 1 : 0;
}

/* x with axes of extent 1 before its own, ndim in all. */
static gndm_array *with_axes(gndm_ctx *c, gndm_array *x, int ndim)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    if (x->status || x->part->ndim >= ndim)
        return x;
    for (int d = 0; d < ndim; d++) {
        from[d] = d - (ndim - x->part->ndim);
        from[d] = from[d] < 0 ? -1 : from[d];
        shape[d] = from[d] < 0 ? 1 : x->part->shape[from[d]];
    }
    return gndm__reshaped(c, x, ndim, shape, from);
}

/* The array of a nested list: its items joined along `axis` by `how`, those of its items along the
 * next one. Recursion is as deep as the lists, which have at most GND_MAX_NDIM levels. */
static gndm_array *nested(gndm__args *a, const gnd_value *v, int axis, int ndim, int stacks,
                          gnd_dtype t)
{
    if (!gndm__is_list(v))
        return stacks ? gndm__made(a, v) : with_axes(a->c, gndm__made(a, v), ndim);
    const int64_t n = v->as.items.n;
    gndm_array **x = (gndm_array **)(void *)gndm__items(a, n);
    if (!x || n == 0 || n > INT32_MAX)
        return gndm__error(
            a->c, gndm__fail(a->c, x ? GND_ERR_SHAPE : GND_ERR_NOMEM, "%s: %s", a->name,
                             x ? "an empty list beside distributed arrays" : "out of host memory"));
    for (int64_t i = 0; i < n; i++) {
        x[i] = nested(a, &v->as.items.item[i], axis + 1, ndim, stacks, t);
        if (stacks)
            x[i] = new_axis(a->c, x[i], 0);
    }
    return gndm__concat(a->c, (int)n, x, stacks ? 0 : axis, t);
}

gnd_status gndm__fn_block(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const gnd_value *v = gndm__arg(a, "arrays");
    const int ndim = gnd_ndim(like), depth = depth_of(v);
    if (depth > GND_MAX_NDIM || depth > ndim)
        return gndm__fn_gathered(a);
    return gndm__ret_like(a, nested(a, v, ndim - depth, ndim, 0, gnd_dtype_of(like)), like);
}

/* asarray of a distributed array, of numbers that all ranks have, or of a list of arrays. */
gnd_status gndm__fn_asarray(gndm__args *a)
{
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const gnd_value *v = gndm__arg(a, "x");
    if (!v || (gndm__is_list(v) && depth_of(v) > GND_MAX_NDIM))
        return gndm__fn_gathered(a);
    gndm_array *y =
        gndm__holds_array(v) ? nested(a, v, 0, 0, 1, gnd_dtype_of(like)) : gndm__made(a, v);
    return gndm__ret_like(a, y, like);
}
