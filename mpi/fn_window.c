/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_window.c - functions whose elements depend on neighbours: differences, derivatives, filters of
 * images, windows, convolutions. Each rank fetches the elements that its part of the result depends
 * on, calls gnd on them, and leaves out what was computed for the border. The results have the bits
 * of one rank, except where gnd chooses another algorithm for another size.
 */
#include "join.h"

#include <string.h>

/* A result and what it depends on: elements start .. stop of the result on elements start - low ..
 * stop + high of x, where x has them. */
typedef struct window {
    gndm_array *x;
    gndm_part *after; /* the axes of x in the result; it may have more behind them */
    int64_t low[GND_MAX_NDIM], high[GND_MAX_NDIM];
    gnd_array *box;             /* of this rank */
    int64_t crop[GND_MAX_NDIM]; /* elements of the box before the part of the result */
    gndm__box mine;             /* this rank's part of the result */
    int empty;
} window;

static void source(const window *q, int rank, gndm__box *b)
{
    gndm__part_box(q->after, rank, b);
    if (gndm__box_empty(q->after->ndim, b)) {
        memset(b, 0, sizeof *b);
        return;
    }
    for (int d = 0; d < q->x->part->ndim; d++) {
        const int64_t n = q->x->part->shape[d];
        b->start[d] = b->start[d] > q->low[d] ? b->start[d] - q->low[d] : 0;
        b->stop[d] = b->stop[d] + q->high[d] < n ? b->stop[d] + q->high[d] : n;
    }
}

static gnd_status fetch(window *q)
{
    gndm_ctx *c = q->x->ctx;
    if (q->after->status)
        return gndm__fail(c, q->after->status, "%s", gndm_part_error(q->after));
    gndm__box *want = calloc((size_t)c->size, sizeof *want);
    if (!want)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int r = 0; r < c->size; r++)
        source(q, r, &want[r]);
    const gnd_status st = gndm__fetch(c, q->x, want, &q->box);
    gndm__part_box(q->after, c->rank, &q->mine);
    q->empty = gndm__box_empty(q->after->ndim, &q->mine);
    for (int d = 0; d < q->x->part->ndim; d++)
        q->crop[d] = q->empty ? 0 : q->mine.start[d] - want[c->rank].start[d];
    free(want);
    return st;
}

/* Zeros in the extents of this rank's part of a partition. */
static gnd_array *nothing(gndm_ctx *c, const gndm_part *p, gnd_dtype t)
{
    int64_t dim[GND_MAX_NDIM];
    gndm__box b;
    gndm__part_box(p, c->rank, &b);
    for (int d = 0; d < p->ndim; d++)
        dim[d] = b.stop[d] - b.start[d];
    return gnd_zeros(c->dev, t, p->ndim, dim);
}

/* gnd's call with n values, of which the first is the box; crops the result to the part. */
static gndm_array *computed(window *q, const char *name, int n, gnd_value *v, int nkw,
                            const char *const *kw, gnd_dtype t)
{
    gndm_ctx *c = q->x->ctx;
    gnd_value out;
    gnd_array *y = q->box;
    if (q->empty && !gnd_status_of(y)) {
        y = nothing(c, q->after, t);
    } else if (!gnd_status_of(y)) {
        v[0] = gnd_value_array(y);
        const gnd_status st = gnd_call(c->dev, name, n, v, nkw, kw, &out);
        y = st ? gnd_fail(st, "%s", gnd_message()) : out.as.array;
        for (int d = 0; d < q->x->part->ndim && !gnd_status_of(y); d++)
            y = gnd_slice(y, d, q->crop[d], q->crop[d] + q->mine.stop[d] - q->mine.start[d]);
    }
    return gndm__array(c, t, q->after, y);
}

/* p, in which the axes have less[d] elements less, at the end; and `more` axes behind, of these
 * extents. */
static gndm_part *trimmed(gndm_ctx *c, const gndm_part *p, const int64_t *less, int more,
                          const int64_t *extent)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    for (int d = 0; d < p->ndim + more; d++) {
        shape[d] = d >= p->ndim            ? extent[d - p->ndim]
                   : p->shape[d] > less[d] ? p->shape[d] - less[d]
                                           : 0;
        from[d] = d < p->ndim && less[d] == 0 ? d : -1;
    }
    gndm_part *q = gndm__part_axes(c, p, p->ndim + more, shape, from);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(q);
        return gndm__part_lost(c);
    }
    for (int d = 0; d < p->ndim; d++) {
        if (less[d] == 0 || p->grid[d] == 1)
            continue;
        for (int k = 0; k <= p->grid[d]; k++)
            cut[k] = p->cut[d][k] < shape[d] ? p->cut[d][k] : shape[d];
        gndm__part_split(c, q, d, p->grid[d], p->stride[d], cut);
    }
    free(cut);
    return q;
}

/* --- differences ------------------------------------------------------------------------------ */

static gndm_array *differences(gndm_array *x, int axis, int64_t n)
{
    static const char *const kw[] = {"n", "axis"};
    gnd_value v[3] = {gnd_value_none(), gnd_value_int(n), gnd_value_int(axis)};
    window q = {.x = x};
    int64_t less[GND_MAX_NDIM] = {0};
    if (x->status)
        return x;
    less[axis] = q.high[axis] = n;
    q.after = trimmed(x->ctx, x->part, less, 0, less);
    const gnd_status st = fetch(&q);
    gndm_array *y = st ? gndm__error(x->ctx, st) : computed(&q, "diff", 3, v, 2, kw, x->dtype);
    gndm_part_free(q.after);
    return y;
}

gndm_array *gndm__differences(gndm_ctx *c, gndm_array *x, int axis)
{
    (void)c;
    return differences(x, axis, 1);
}

/* A number or an array to be joined to x along an axis. */
static gndm_array *ending(gndm__args *a, const char *name, gndm_array *x, int axis)
{
    const gnd_value *v = gndm__arg(a, name);
    if (!v)
        return NULL;
    gndm_array *y = gndm__made(a, v);
    if (y->status || y->part->ndim)
        return y;
    int64_t shape[GND_MAX_NDIM];
    memcpy(shape, x->part->shape, sizeof shape);
    shape[axis] = 1;
    gndm_part *p = gndm__part_new(a->c, x->part->ndim, shape);
    y = gndm__broadcast(a->c, y, p);
    gndm_part_free(p);
    return y;
}

gnd_status gndm__fn_diff(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x"), *all[3];
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fn_gathered(a);
    const int axis = gndm__axis(a, "axis", -1, x->part->ndim);
    const int64_t n = gndm__arg_int(a, "n", 1);
    int m = 0;
    if (n == 0)
        return gndm__ret_like(a, x, like);
    gndm_array *before = ending(a, "prepend", x, axis), *behind = ending(a, "append", x, axis);
    if (before)
        all[m++] = before;
    all[m++] = x;
    if (behind)
        all[m++] = behind;
    if (m > 1)
        x = gndm__concat(a->c, m, all, axis, gnd_dtype_of(like));
    return gndm__ret_like(a, differences(x, axis, n), like);
}

gnd_status gndm__fn_ediff1d(gndm__args *a)
{
    static const char *const ends[] = {"to_begin", "to_end"};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *all[3] = {NULL};
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || gndm_elements(x) == 0)
        return st ? st : gndm__fn_gathered(a);
    int m = 0;
    for (int i = 0; i < 2; i++) {
        const gnd_value *v = gndm__arg(a, ends[i]);
        if (i == 1)
            all[m++] = differences(gndm__do(c, "ravel", "a", x), 0, 1);
        if (v)
            all[m++] = gndm__do(c, "ravel", "a", gndm__made(a, v));
    }
    return gndm__ret_like(a, gndm__concat(c, m, all, 0, gnd_dtype_of(like)), like);
}

/* The derivative along one axis. spacing: a number, the coordinates along the axis, or NULL. */
static gndm_array *derivative(gndm__args *a, gndm_array *x, const gnd_value *spacing, int axis,
                              gnd_dtype t)
{
    static const char *const kw[] = {"axis", "edge_order"};
    gnd_value v[4];
    window q = {.x = x, .after = x->part};
    int n = 1;
    q.low[axis] = q.high[axis] = 2; /* as many as the formulas at the ends need */
    gnd_status st = fetch(&q);
    if (!st && spacing) {
        v[n] = *spacing;
        if (gndm__as_array(spacing) || gndm__is_list(spacing)) {
            gndm_array *s = gndm__everywhere(a->c, gndm__made(a, spacing));
            st = gndm__check(a->c, s);
            gnd_array *at = st ? NULL : s->local;
            if (!st && s->part->ndim == 1 && !q.empty && !gnd_status_of(q.box)) {
                const int64_t first = q.mine.start[axis] - q.crop[axis];
                at = gnd_slice(at, 0, first, first + gnd_dim(q.box, axis));
            }
            v[n] = gnd_value_array(at);
        }
        n++;
    }
    v[n] = gnd_value_int(axis);
    v[n + 1] = gnd_value_int(gndm__arg_int(a, "edge_order", 1));
    return st ? gndm__error(a->c, st) : computed(&q, "gradient", n + 2, v, 2, kw, t);
}

gnd_status gndm__fn_gradient(gndm__args *a)
{
    gndm_array *x = gndm__as_array(a->n ? &a->v[0] : NULL), *y[GND_MAX_NDIM];
    int64_t axis[GND_MAX_NDIM];
    gnd_value v;
    gnd_status st = x ? gndm__try(a, &v) : gndm__fn_gathered(a);
    if (st || !x)
        return st;
    const int one = v.tag == GND_V_ARRAY;
    const gnd_dtype t = gnd_dtype_of(one            ? v.as.array
                                     : v.as.items.n ? v.as.items.item[0].as.array
                                                    : NULL);
    gndm__drop_items(&v);
    const gnd_value *axes = gndm__arg(a, "axis");
    const int n = axes ? gndm__ints(axes, GND_MAX_NDIM, axis) : x->part->ndim;
    const int given = a->n - a->nkw - 1;
    if (n < 1 || (given > 1 && given != n))
        return gndm__fn_gathered(a);
    for (int i = 0; i < n && !st; i++) {
        const int d = !axes ? i : (int)(axis[i] < 0 ? axis[i] + x->part->ndim : axis[i]);
        const gnd_value *s = given == 0 ? NULL : &a->v[given == 1 ? 1 : 1 + i];
        y[i] = derivative(a, x, s, d, t);
        st = gndm__check(a->c, y[i]);
    }
    return st ? st : one ? gndm__ret_array(a, y[0]) : gndm__ret_arrays(a, n, y);
}

/* --- windows ---------------------------------------------------------------------------------- */

gnd_status gndm__fn_sliding_window_view(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int64_t size[GND_MAX_NDIM], axis[GND_MAX_NDIM], less[GND_MAX_NDIM] = {0};
    const gnd_value *axes = gndm__arg(a, "axis");
    const int n = gndm__ints(gndm__arg(a, "window_shape"), GND_MAX_NDIM, size);
    const int m = axes ? gndm__ints(axes, GND_MAX_NDIM, axis) : n;
    if (!x || n < 1 || m != n || (!axes && n != x->part->ndim))
        return gndm__fn_gathered(a);
    window q = {.x = x};
    for (int i = 0; i < n; i++) {
        const int d = !axes ? i : (int)(axis[i] < 0 ? axis[i] + x->part->ndim : axis[i]);
        less[d] += size[i] - 1;
        q.high[d] = less[d];
    }
    const gnd_dtype t = x->dtype;
    q.after = trimmed(a->c, x->part, less, n, size);
    st = fetch(&q);
    if (!st) {
        gnd_value *v = gndm__items(a, a->n);
        const int at = a->at[0];
        if (!v)
            st = gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
        else if (at == 0) {
            memcpy(v, a->v, (size_t)a->n * sizeof *v);
            st = gndm__ret_like(a, computed(&q, a->name, a->n, v, a->nkw, a->kw, t), like);
        }
        if (!st && at != 0)
            st = gndm__fn_gathered(a);
    }
    gndm_part_free(q.after);
    return st;
}

/* How far a filter looks along each axis. Returns 0 if it is known. */
static int reach(gndm__args *a, int ndim, int64_t *far)
{
    const gnd_value *size = gndm__arg(a, "size"), *shape = gndm__arg(a, "structure");
    const int morph = !strncmp(a->name, "binary_", 7);
    const int twice = strstr(a->name, "opening") || strstr(a->name, "closing");
    const int64_t times = (twice ? 2 : 1) * (morph ? gndm__arg_int(a, "iterations", 1) : 1);
    const int n = size ? gndm__ints(size, GND_MAX_NDIM, far) : 0;
    if (times < 1 || (!morph && n != 1 && n != ndim))
        return -1;
    gndm_array *s = gndm__as_array(shape);
    if (morph && shape && (!s || s->part->ndim != ndim))
        return -1;
    for (int d = ndim - 1; d >= 0; d--) {
        const int64_t k = morph ? (s ? s->part->shape[d] : 3) : far[n == 1 ? 0 : d];
        far[d] = (k / 2 + 1) * times;
    }
    return 0;
}

gnd_status gndm__fn_filter(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *mode = gndm__arg(a, "mode");
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    window q = {.x = x, .after = x ? x->part : NULL};
    const int wraps = mode && mode->tag == GND_V_STRING && mode->as.text.n == 4 &&
                      !memcmp(mode->as.text.s, "wrap", 4);
    if (!x || a->at[0] != 0 || wraps || reach(a, x->part->ndim, q.low))
        return gndm__fn_gathered(a);
    memcpy(q.high, q.low, sizeof q.high);
    gnd_value *v = gndm__items(a, a->n);
    if (!v)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    memcpy(v, a->v, (size_t)a->n * sizeof *v);
    for (int i = 1; i < a->n && !st; i++) { /* a structure: every rank gets it */
        gndm_array *s = gndm__as_array(&v[i]);
        if (!s)
            continue;
        s = gndm__everywhere(a->c, s);
        st = gndm__check(a->c, s);
        v[i] = gnd_value_array(st ? NULL : s->local);
    }
    if (!st)
        st = fetch(&q);
    return st ? st
              : gndm__ret_like(a, computed(&q, a->name, a->n, v, a->nkw, a->kw, gnd_dtype_of(like)),
                               like);
}

/* --- convolutions of several axes ------------------------------------------------------------- */

/* x with what a convolution by a kernel of m elements along each axis needs around it. */
static gndm_array *surrounded(gndm__args *a, gndm_array *x, const gndm_array *k, char mode)
{
    static const char *const kw[] = {"constant_values"};
    const gnd_value *by = gndm__arg(a, "boundary"), *fill = gndm__arg(a, "fillvalue");
    const char how = by && by->tag == GND_V_STRING && by->as.text.n ? by->as.text.s[0] : 'f';
    gnd_value pair[2 * GND_MAX_NDIM], axes[GND_MAX_NDIM];
    const int ndim = x->part->ndim;
    for (int d = 0; d < ndim; d++) {
        const int64_t more = k->part->shape[d] - 1, half = mode == 's' ? more / 2 : 0;
        pair[2 * d] = gnd_value_int(more - half);
        pair[2 * d + 1] = gnd_value_int(mode == 's' ? half : more);
        axes[d] = gnd_value_tuple(2, &pair[2 * d]);
    }
    gnd_value v[4] = {gndm_value(x), gnd_value_tuple(ndim, axes),
                      gnd_value_string(how == 'f'   ? "constant"
                                       : how == 's' ? "symmetric"
                                                    : "wrap"),
                      fill ? *fill : gnd_value_int(0)};
    return gndm_apply(a->c, NULL, "pad", how == 'f' ? 4 : 3, v, how == 'f', kw);
}

gnd_status gndm__fn_convolve_nd(gndm__args *a)
{
    static const char *const kw[] = {"mode", "method"};
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "in1"), *k = gndm__arg_array(a, "in2");
    const gnd_value *mode = gndm__arg(a, "mode"), *method = gndm__arg(a, "method");
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const char how = mode && mode->tag == GND_V_STRING ? mode->as.text.s[0] : 'f';
    int fits = x && k && x->part->ndim == k->part->ndim && !gndm__arg(a, "axes") && gnd_size(like);
    for (int d = 0; fits && d < x->part->ndim; d++)
        fits = k->part->shape[d] > 0 && (how != 'v' || k->part->shape[d] <= x->part->shape[d]);
    if (!fits)
        return gndm__fn_gathered(a);
    const gnd_dtype t = gnd_dtype_of(like);
    if (how != 'v')
        x = surrounded(a, gndm__as(c, x, t), k, how);
    k = gndm__everywhere(c, k);
    st = gndm__check(c, x->status ? x : k);
    if (st)
        return st;
    int64_t less[GND_MAX_NDIM];
    window q = {.x = x};
    for (int d = 0; d < x->part->ndim; d++)
        less[d] = q.high[d] = k->part->shape[d] - 1;
    q.after = trimmed(c, x->part, less, 0, less);
    st = fetch(&q);
    gnd_value v[4] = {gnd_value_none(), gnd_value_array(k->local), gnd_value_string("valid")};
    if (method)
        v[3] = *method;
    if (!st)
        st = gndm__ret_like(a, computed(&q, a->name, method ? 4 : 3, v, method ? 2 : 1, kw, t),
                            like);
    gndm_part_free(q.after);
    return st;
}
