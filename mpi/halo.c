/* SPDX-License-Identifier: BSD-3-Clause
 *
 * halo.c - local parts with a border of the neighbours' elements, and stencils. A stencil needs the
 * borders only for the rims of its result. The rims are computed and sent first by the next
 * exchange, so the rest of a step is computed while the borders of the next one are under way. Both
 * fetch boxes of the array from the mover, in one exchange. Along a periodic axis a
 * box may extend beyond the ends of the array. It is then fetched as up to three pieces, which are
 * joined afterwards.
 */
#include "nccl.h"

#include <string.h>

/* A request for borders: for each rank a number of slots, each of which is a box. A halo has one
 * slot: the part with its border. A stencil has two slots for each axis: the inputs of the results
 * at the lower and at the upper rim of the part. If a part is too thin, slot 0 is its whole input,
 * and it has no inner elements. */
typedef struct border {
    gndm_array *x;
    const gndm_part *p;
    const int64_t *below, *above;
    int periodic, slots, total; /* total: number of pieces per slot, at most */
    uint32_t wraps;             /* axes on which boxes may extend beyond the ends */
    uint32_t rims;              /* axes on which borders are fetched */
    /* the following are for stencils */
    const char *mode;
    gndm_stencil_function f;
    void *data;
    gnd_array **inner;
} border;

/* Splits start .. stop on a periodic axis of n elements into the pieces from[i] .. to[i]. Returns
 * their number, at most 3. */
static int pieces(int64_t start, int64_t stop, int64_t n, int64_t *from, int64_t *to)
{
    int k = 0;
    if (start < 0) {
        from[k] = start + n;
        to[k++] = stop < 0 ? stop + n : n;
    }
    if (stop > 0 && start < n) {
        from[k] = start > 0 ? start : 0;
        to[k++] = stop < n ? stop : n;
    }
    if (stop > n) {
        from[k] = start > n ? start - n : 0;
        to[k++] = stop - n;
    }
    return k;
}

/* Enlarges a box by the border. On an axis that is not periodic, the box is cut off at the ends of
 * the array. */
static void enlarge(const border *q, gndm__box *b)
{
    for (int d = 0; d < q->p->ndim; d++) {
        if (!(q->rims >> d & 1))
            continue;
        b->start[d] -= q->below[d];
        b->stop[d] += q->above[d];
        if (q->periodic)
            continue;
        b->start[d] = b->start[d] < 0 ? 0 : b->start[d];
        b->stop[d] = b->stop[d] > q->p->shape[d] ? q->p->shape[d] : b->stop[d];
    }
}

/* --- the slots of a stencil ------------------------------------------------------------------- */

/* Whether a part has inner elements: those whose input lies in the part. */
static int is_thick(const border *q, const gndm__box *part)
{
    for (int d = 0; d < q->p->ndim; d++)
        if (q->rims >> d & 1 && part->stop[d] - part->start[d] <= q->below[d] + q->above[d])
            return 0;
    return 1;
}

/* The box of the results of slot s: the rim on axis s / 2, without the rims of the axes before it.
 * Returns 0 if it is empty. */
static int rim(const border *q, const gndm__box *part, int s, gndm__box *b)
{
    const int axis = s / 2;
    *b = *part;
    if (gndm__box_empty(q->p->ndim, part))
        return 0;
    if (!is_thick(q, part))
        return s == 0;
    if (!(q->rims >> axis & 1))
        return 0;
    for (int d = 0; d < axis; d++) {
        if (!(q->rims >> d & 1))
            continue;
        b->start[d] += q->below[d];
        b->stop[d] -= q->above[d];
    }
    if (s % 2)
        b->start[axis] = part->stop[axis] - q->above[axis];
    else
        b->stop[axis] = part->start[axis] + q->below[axis];
    return b->start[axis] < b->stop[axis];
}

/* The box of the input of slot s on a rank. Returns 0 if there is none. */
static int slot(const border *q, int rank, int s, gndm__box *b)
{
    gndm__box part;
    gndm__part_box(q->p, rank, &part);
    *b = part;
    if (gndm__box_empty(q->p->ndim, &part) || (q->f && !rim(q, &part, s, b)))
        return 0;
    enlarge(q, b);
    return 1;
}

/* --- asking for the pieces -------------------------------------------------------------------- */

/* Piece i % total of slot i / total. The number of the piece has one base-3 digit for each axis
 * that wraps. A piece that the slot does not have is an empty box. */
static void piece(const void *data, int rank, int i, gndm__box *b)
{
    const border *q = data;
    int64_t from[3], to[3];
    int code = i % q->total, lacking = !slot(q, rank, i / q->total, b);
    for (int d = q->p->ndim - 1; d >= 0 && !lacking; d--) {
        if (!(q->wraps >> d & 1))
            continue;
        const int k = code % 3;
        code /= 3;
        lacking = k >= pieces(b->start[d], b->stop[d], q->p->shape[d], from, to);
        if (!lacking) {
            b->start[d] = from[k];
            b->stop[d] = to[k];
        }
    }
    if (lacking)
        memset(b, 0, sizeof *b);
}

/* Joins the pieces of one slot, beginning with the last axis. NULL: there are none. */
static gnd_array *joined(const border *q, gnd_array **all)
{
    int n = q->total;
    for (int d = q->p->ndim - 1; d >= 0; d--) {
        if (!(q->wraps >> d & 1))
            continue;
        n /= 3;
        for (int i = 0; i < n; i++) {
            int m = 0;
            gnd_array *row[3];
            for (int k = 0; k < 3; k++)
                if (all[3 * i + k])
                    row[m++] = all[3 * i + k];
            all[i] = m == 0 ? NULL : m == 1 ? row[0] : gnd_concat(m, row, d);
        }
    }
    return all[0];
}

/* Fetches the input of each slot of this rank into out[0 .. slots - 1]; NULL for slots without
 * input. */
static gnd_status ask(border *q, void (*meanwhile)(const void *), gnd_array **out)
{
    gndm_ctx *c = q->x->ctx;
    gndm__box b;
    q->total = 1;
    for (int d = 0; d < q->p->ndim; d++)
        if (q->periodic && q->rims >> d & 1 && q->below[d] + q->above[d] > 0) {
            q->wraps |= UINT32_C(1) << d;
            q->total *= 3;
        }
    const int n = q->slots * q->total;
    const gndm__wish wish = {n, piece, q, meanwhile};
    gnd_array **all = calloc((size_t)n + 1, sizeof *all);
    if (!all) /* the others are told */
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    const gnd_status st = gndm__fetch_boxes(c, q->x, &wish, all);
    for (int i = 0; i < n && !st; i++) {
        piece(q, c->rank, i, &b);
        if (gndm__box_empty(q->p->ndim, &b))
            all[i] = NULL;
    }
    for (int s = 0; s < q->slots && !st; s++)
        out[s] = joined(q, all + s * q->total);
    free(all);
    return st;
}

/* Refuses negative borders, and borders wider than the array. */
static gnd_status check(gndm_ctx *c, const gndm_part *p, const int64_t *below, const int64_t *above)
{
    if (p->ndim && (!below || !above))
        return gndm__fail(c, GND_ERR_NULL, "%s: below or above is NULL", c->func);
    for (int d = 0; d < p->ndim; d++)
        if (below[d] < 0 || above[d] < 0 || below[d] > p->shape[d] || above[d] > p->shape[d])
            return gndm__fail(
                c, GND_ERR_ARG, "%s: a border of %lld and %lld on axis %d, which has %lld elements",
                c->func, (long long)below[d], (long long)above[d], d, (long long)p->shape[d]);
    return GND_OK;
}

gnd_array *gndm_halo(gndm_array *x, const int64_t *below, const int64_t *above, int periodic,
                     int64_t *start)
{
    if (!x || x->status)
        return gnd_fail(x ? x->status : GND_ERR_NULL, "%s", x ? gndm_error(x) : "halo: x is NULL");
    gndm_ctx *c = x->ctx;
    gnd_array *y = NULL;
    gnd_status st = gndm__enter(c, "halo", "%d axes, %d", x->part->ndim, periodic);
    border q = {.x = x,
                .p = x->part,
                .below = below,
                .above = above,
                .periodic = periodic,
                .slots = 1,
                .rims = UINT32_MAX};
    if (!st)
        st = check(c, q.p, below, above);
    if (!st)
        st = ask(&q, NULL, &y);
    if (!st && start) {
        gndm__box b;
        gndm__part_box(q.p, c->rank, &b);
        if (!gndm__box_empty(q.p->ndim, &b))
            enlarge(&q, &b);
        memcpy(start, b.start, (size_t)q.p->ndim * sizeof *start);
    }
    y = st ? gnd_fail(st, "%s", c->message) : y ? y : x->local;
    gnd_retain(y);
    gndm__leave(c, NULL);
    return y;
}

/* --- stencils --------------------------------------------------------------------------------- */

/* Applies f to an input and checks that the shape of the result is that of the input without the
 * border. */
static gnd_array *apply(const border *q, gnd_array *in, const gndm__box *result)
{
    gnd_array *y = q->f(in, q->data);
    if (!y)
        return gnd_fail(GND_ERR_NULL, "stencil: the function returned NULL");
    if (gnd_status_of(y))
        return y;
    int same = gnd_ndim(y) == q->p->ndim;
    for (int d = 0; d < q->p->ndim && same; d++)
        same = gnd_dim(y, d) == result->stop[d] - result->start[d];
    char a[GNDM_SHAPE_TEXT], b[GNDM_SHAPE_TEXT];
    return same ? y
                : gnd_fail(GND_ERR_SHAPE,
                           "stencil: the function made %s of %s: its result lacks the border",
                           gndm__shape_text(a, gnd_ndim(y), gnd_shape(y)),
                           gndm__shape_text(b, gnd_ndim(in), gnd_shape(in)));
}

/* The box of this rank's part, and that of its inner elements. Returns whether there are any. */
static int inner_box(const border *q, gndm__box *part, gndm__box *inner)
{
    gndm__part_box(q->p, q->x->ctx->rank, part);
    *inner = *part;
    for (int d = 0; d < q->p->ndim; d++) {
        if (!(q->rims >> d & 1))
            continue;
        inner->start[d] += q->below[d];
        inner->stop[d] -= q->above[d];
    }
    return !gndm__box_empty(q->p->ndim, part) && is_thick(q, part);
}

/* x with its own other end before and after it along axis d. */
static gnd_array *wrapped(gnd_array *x, int d, int64_t below, int64_t above)
{
    const int64_t n = gnd_dim(x, d);
    gnd_array *part[3];
    int k = 0;
    if (below)
        part[k++] = gnd_slice(x, d, n - below, n);
    part[k++] = x;
    if (above)
        part[k++] = gnd_slice(x, d, 0, above);
    return k > 1 ? gnd_concat(k, part, d) : x;
}

/* An input with all of its border: adds what lies beyond the ends of the array, and on axes that
 * are not cut also the other end of the part. */
static gnd_array *padded(const border *q, gnd_array *in, const gndm__box *result)
{
    int64_t width[2 * GND_MAX_NDIM];
    int any = 0;
    for (int d = 0; d < q->p->ndim; d++) {
        if (q->periodic) {
            if (!(q->rims >> d & 1))
                in = wrapped(in, d, q->below[d], q->above[d]);
            continue;
        }
        const int64_t low = q->below[d] - result->start[d];
        const int64_t high = result->stop[d] + q->above[d] - q->p->shape[d];
        width[2 * d] = low > 0 ? low : 0;
        width[2 * d + 1] = high > 0 ? high : 0;
        any = any || low > 0 || high > 0;
    }
    return any ? gnd_pad(in, width, q->mode, NULL) : in;
}

/* The inner elements; called while the borders are under way. The result stays lazy where borders
 * are exchanged: the next exchange computes its rims first, and sends them while the rest is
 * computed, to one array (move.c). Inner elements that were computed here would be copied beside
 * the rims. */
static void compute_inner(const void *data)
{
    const border *q = data;
    gndm__box part, inner;
    if (!inner_box(q, &part, &inner) || gnd_status_of(q->x->local))
        return;
    *q->inner = apply(q, padded(q, q->x->local, &inner), &inner);
}

/* The result of this rank: joins the rims with the inner elements, from the last axis to the
 * first. */
static gnd_array *finished(const border *q, gnd_array **in)
{
    gndm__box part, inner, result;
    const int thick = inner_box(q, &part, &inner);
    gnd_array *y = thick ? *q->inner : NULL, *rims[2 * GND_MAX_NDIM + 1] = {NULL};
    if (gnd_status_of(q->x->local))
        return q->x->local;
    for (int s = 0; s < q->slots; s++)
        if (in[s] && rim(q, &part, s, &result))
            rims[s] = apply(q, padded(q, in[s], &result), &result);
    if (!thick && rims[0])
        return rims[0];
    if (!thick) { /* an empty part: f determines the dtype */
        int64_t dim[GND_MAX_NDIM];
        for (int d = 0; d < q->p->ndim; d++)
            dim[d] = part.stop[d] - part.start[d] + q->below[d] + q->above[d];
        return apply(q, gnd_zeros(q->x->ctx->dev, q->x->dtype, q->p->ndim, dim), &part);
    }
    for (int d = q->p->ndim - 1; d >= 0; d--) {
        gnd_array *row[3];
        int n = 0;
        if (rims[2 * d])
            row[n++] = rims[2 * d];
        row[n++] = y;
        if (rims[2 * d + 1])
            row[n++] = rims[2 * d + 1];
        y = n > 1 ? gnd_concat(n, row, d) : y;
    }
    return y;
}

/* The axes that are cut. */
static uint32_t cut_axes(const gndm_part *p)
{
    uint32_t axes = 0;
    for (int d = 0; d < p->ndim; d++)
        axes |= (uint32_t)(p->grid[d] > 1) << d;
    return axes;
}

gndm_array *gndm_stencil(gndm_array *x, const int64_t *below, const int64_t *above,
                         const char *mode, gndm_stencil_function f, void *data)
{
    if (!x || x->status)
        return x ? gndm_retain(x) : gndm__error(NULL, GND_ERR_NULL);
    gndm_ctx *c = x->ctx;
    gnd_array *in[2 * GND_MAX_NDIM + 1] = {NULL}, *inner = NULL;
    border q = {.x = x,
                .p = x->part,
                .below = below,
                .above = above,
                .periodic = mode && !strcmp(mode, "wrap"),
                .slots = 2 * x->part->ndim,
                .mode = mode,
                .f = f,
                .data = data,
                .inner = &inner,
                .rims = cut_axes(x->part)};
    const uint64_t before = c->stats.exchanges;
    gnd_status st =
        gndm__enter(c, "stencil", "%d axes, %.20s", x->part->ndim, mode ? mode : "NULL");
    if (!st && (!f || !mode))
        st = gndm__fail(c, GND_ERR_NULL, "stencil: the %s is NULL", f ? "mode" : "function");
    if (!st && !q.periodic && strcmp(mode, "constant") && strcmp(mode, "edge"))
        st = gndm__fail(c, GND_ERR_ARG,
                        "stencil: mode '%.40s': \"wrap\", \"constant\" and \"edge\" are possible",
                        mode);
    if (!st)
        st = check(c, q.p, below, above);
    if (!st)
        st = ask(&q, compute_inner, in);
    if (st)
        return gndm__leave(c, gndm__error(c, st));
    gnd_array *y = finished(&q, in);
    if (c->stats.exchanges == before) /* nothing was sent: no exchange computes it */
        gnd_eval_all(1, &y);          /* a failure is recorded in y */
    /* a failure of this rank alone stays in its part; f gives the same dtype everywhere */
    const gnd_dtype t = gnd_status_of(y) ? x->dtype : gnd_dtype_of(y);
    return gndm__leave(c, gndm__array(c, t, x->part, y));
}
