/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_shift.c - functions that move elements along axes: roll, flip and turns, tile and repeat, pad.
 * They join slices (fn_join.c), or give each rank the multiple of its own part.
 */
#include "join.h"

#include <string.h>

/* --- roll ------------------------------------------------------------------------------------- */

gndm_array *gndm__rolled(gndm_ctx *c, gndm_array *x, int axis, int64_t shift)
{
    const int64_t n = x->status ? 0 : x->part->shape[axis];
    const int64_t s = n ? (shift % n + n) % n : 0;
    if (x->status || s == 0)
        return x;
    gndm_array *y[2] = {gndm__sliced(c, x, axis, n - s, n, 1),
                        gndm__sliced(c, x, axis, 0, n - s, 1)};
    return gndm__concat(c, 2, y, axis, x->dtype);
}

static gndm_array *in_shape_of(gndm_ctx *c, gndm_array *x, gnd_array *like)
{
    gnd_value dim[GND_MAX_NDIM];
    for (int d = 0; d < gnd_ndim(like); d++)
        dim[d] = gnd_value_int(gnd_dim(like, d));
    return gndm__do(c, "reshape", "a v", x, gnd_value_tuple(gnd_ndim(like), dim));
}

gnd_status gndm__fn_roll(gndm__args *a)
{
    enum { MOST = 64 };
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int64_t shift[MOST], axis[MOST];
    const int n = gndm__ints(gndm__arg(a, "shift"), MOST, shift);
    const int m = gndm__arg(a, "axis") ? gndm__ints(gndm__arg(a, "axis"), MOST, axis) : 0;
    if (!x || n < 0 || m < 0 || x->part->ndim == 0)
        return gndm__fn_gathered(a);
    if (!gndm__arg(a, "axis")) {
        int64_t sum = 0;
        for (int i = 0; i < n; i++)
            sum += shift[i];
        x = gndm__rolled(c, gndm__vector(c, x), 0, sum);
        return gndm__ret_like(a, in_shape_of(c, x, like), like);
    }
    const int count = n == 0 || m == 0 ? 0 : n > m ? n : m;
    for (int i = 0; i < count && !x->status; i++) {
        const int64_t d = axis[m == 1 ? 0 : i];
        x = gndm__rolled(c, x, (int)(d < 0 ? d + x->part->ndim : d), shift[n == 1 ? 0 : i]);
    }
    return gndm__ret_like(a, x, like);
}

/* fftshift and ifftshift: rolls by half of the extents. */
gnd_status gndm__fn_fftshift(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int64_t axis[GND_MAX_NDIM];
    const gnd_value *axes = gndm__arg(a, "axes");
    const int n = axes ? gndm__ints(axes, GND_MAX_NDIM, axis) : gnd_ndim(like);
    if (!x || n < 0)
        return gndm__fn_gathered(a);
    for (int i = 0; i < n && !x->status; i++) {
        const int d = !axes ? i : (int)(axis[i] < 0 ? axis[i] + x->part->ndim : axis[i]);
        const int64_t half = x->part->shape[d] / 2;
        x = gndm__rolled(a->c, x, d, a->rule->data ? -half : half);
    }
    return gndm__ret_like(a, x, like);
}

/* --- flip ------------------------------------------------------------------------------------- */

gndm_array *gndm__flipped(gndm_ctx *c, gndm_array *x, uint32_t axes)
{
    gnd_range idx[GND_MAX_NDIM];
    (void)c;
    if (x->status || x->part->ndim == 0)
        return x;
    for (int d = 0; d < x->part->ndim; d++)
        idx[d] = axes >> d & 1 ? GND_STEP(GND_NONE, GND_NONE, -1) : GND_FULL;
    return gndm_index(x, x->part->ndim, idx);
}

/* flip, flipud (data 1), fliplr (2). */
gnd_status gndm__fn_flip(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    const uint32_t axes =
        a->rule->data ? (uint32_t)a->rule->data : gndm__arg_axes(a, x->part->ndim, NULL);
    return gndm__ret_like(a, gndm__flipped(a->c, x, axes), like);
}

gnd_status gndm__fn_rot90(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int64_t axis[2] = {0, 1};
    const gnd_value *axes = gndm__arg(a, "axes");
    if (!x || (axes && gndm__ints(axes, 2, axis) != 2))
        return gndm__fn_gathered(a);
    const int64_t k = (gndm__arg_int(a, "k", 1) % 4 + 4) % 4;
    for (int i = 0; i < 2; i++)
        axis[i] = axis[i] < 0 ? axis[i] + x->part->ndim : axis[i];
    const uint32_t first = UINT32_C(1) << axis[0], second = UINT32_C(1) << axis[1];
    if (k == 2)
        x = gndm__flipped(c, x, first | second);
    if (k == 1)
        x = gndm__flipped(c, x, second);
    if (k % 2)
        x = gndm__do(c, "swapaxes", "a i i", x, axis[0], axis[1]);
    if (k == 3)
        x = gndm__flipped(c, x, second);
    return gndm__ret_like(a, x, like);
}

/* --- multiples -------------------------------------------------------------------------------- */

/* The partition p with `times` times as many elements along an axis. */
static gndm_part *multiple(gndm_ctx *c, const gndm_part *p, int axis, int64_t times)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    for (int d = 0; d < p->ndim; d++) {
        shape[d] = p->shape[d] * (d == axis ? times : 1);
        from[d] = d == axis ? -1 : d;
    }
    gndm_part *q = gndm__part_axes(c, p, p->ndim, shape, from);
    if (p->grid[axis] == 1)
        return q;
    const int g = p->grid[axis];
    int64_t *cut = malloc(((size_t)g + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(q);
        return gndm__part_lost(c);
    }
    for (int k = 0; k <= g; k++)
        cut[k] = p->cut[axis][k] * times;
    gndm__part_split(c, q, axis, g, p->stride[axis], cut);
    free(cut);
    return q;
}

static gndm_array *repeated(gndm_ctx *c, gndm_array *x, int axis, int64_t times)
{
    if (x->status)
        return x;
    gndm_part *p = multiple(c, x->part, axis, times);
    gnd_array *y = gnd_status_of(x->local) ? x->local : gnd_repeat(x->local, times, axis);
    gndm_array *z = gndm__array(c, x->dtype, p, y);
    gndm_part_free(p);
    return z;
}

gnd_status gndm__fn_repeat(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *counts = gndm__arg(a, "repeats");
    gnd_array *like;
    if (!x || !counts)
        return gndm__fn_gathered(a);
    const int axis = gndm__arg(a, "axis") ? gndm__axis(a, "axis", 0, x->part->ndim) : 0;
    const int flat = !gndm__arg(a, "axis");
    int64_t times;
    if (gndm__ints(counts, 1, &times) == 1) {
        const gnd_status st = gndm__expect(a, &like);
        return st ? st
                  : gndm__ret_like(a, repeated(c, flat ? gndm__vector(c, x) : x, axis, times),
                                   like);
    }
    /* a count for each element: the indices, of which every rank has all, are taken */
    gndm_array *each = gndm__everywhere(c, gndm__made(a, counts));
    x = flat && x->part->ndim != 1 ? gndm__vector(c, x) : x;
    gnd_status st = gndm__check(c, each->status ? each : x);
    if (st)
        return st;
    if (axis < 0 || axis >= x->part->ndim || each->part->ndim != 1 ||
        each->part->shape[0] != x->part->shape[axis])
        return gndm__fn_gathered(a);
    gnd_array *i = gnd_arange_i64(c->dev, 0, x->part->shape[axis], 1, GND_INT64);
    i = gnd_repeat_array(i, each->local, 0);
    st = gnd_wait(i);
    st = gndm__agree(c, st, gnd_status_of(i) ? gnd_error(i) : gnd_message());
    if (st)
        return st;
    return gndm__ret_array(a, gndm__do(c, "take", "a a axis:n", x, gndm__copied(c, i), axis));
}

/* x `times` times one behind the other along an axis. If there are more copies than ranks, every
 * rank has all of x along that axis, which is then less than its share of the result. */
static gndm_array *tiled(gndm_ctx *c, gndm_array *x, int axis, int64_t times)
{
    if (x->status || times == 1)
        return x;
    const int g = x->part->grid[axis], stride = x->part->stride[axis];
    if (g > 1 && times < g && times > 0) {
        gndm_array *y[64];
        int64_t n = 0;
        for (; n < times && n < 64; n++)
            y[n] = x;
        if (n == times)
            return gndm__concat(c, (int)n, y, axis, x->dtype);
    }
    int from[GND_MAX_NDIM] = {0};
    int64_t shape[GND_MAX_NDIM];
    const int64_t n = x->part->shape[axis];
    for (int d = 0; d < x->part->ndim; d++) {
        from[d] = d == axis ? -1 : d;
        shape[d] = x->part->shape[d] * (d == axis ? times : 1);
    }
    gndm_part *p = gndm__part_axes(c, x->part, x->part->ndim, x->part->shape, from);
    gndm_part *q = gndm__part_axes(c, x->part, x->part->ndim, shape, from);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (g > 1 && cut) {
        gndm__even_cuts(shape[axis], g, cut);
        gndm__part_split(c, q, axis, g, stride, cut);
    }
    x = cut ? gndm__moved(c, x, p)
            : gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    if (!x->status && !gnd_status_of(x->local)) {
        gndm__box b;
        gndm__part_box(q, c->rank, &b);
        const int64_t first = n ? b.start[axis] / n * n : 0, length = b.stop[axis] - b.start[axis];
        int64_t reps[GND_MAX_NDIM];
        for (int d = 0; d < x->part->ndim; d++)
            reps[d] = d == axis ? (n ? (b.stop[axis] - first + n - 1) / n : times) : 1;
        gnd_array *y = gnd_tile(x->local, x->part->ndim, reps);
        if (n)
            y = gnd_slice(y, axis, b.start[axis] - first, b.start[axis] - first + length);
        x = gndm__array(c, x->dtype, q, y);
    } else if (!x->status) {
        x = gndm__array(c, x->dtype, q, x->local);
    }
    free(cut);
    gndm_part_free(p);
    gndm_part_free(q);
    return x;
}

gnd_status gndm__fn_tile(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int64_t reps[GND_MAX_NDIM];
    const int n = gndm__ints(gndm__arg(a, "repetitions"), GND_MAX_NDIM, reps);
    if (!x || n < 0)
        return gndm__fn_gathered(a);
    for (int d = x->part->ndim; d < n && !x->status; d++)
        x = gndm__do(c, "expand_dims", "a n", x, 0);
    for (int d = 0; d < n && !x->status; d++)
        x = tiled(c, x, d + x->part->ndim - n, reps[d]);
    return gndm__ret_like(a, x, like);
}

/* resize: the flattened array as often as needed, cut off, in the new shape. */
gnd_status gndm__fn_resize(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const int64_t n = x ? gndm_elements(x) : 0, m = gnd_size(like);
    if (n == 0 || m == 0)
        return gndm__fn_gathered(a);
    x = gndm__do(c, "ravel", "a", x);
    x = gndm__sliced(c, tiled(c, x, 0, (m + n - 1) / n), 0, 0, m, 1);
    return gndm__ret_like(a, in_shape_of(c, x, like), like);
}
