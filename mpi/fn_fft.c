/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_fft.c - Fourier transforms along any axes. First come the transforms along axes that are whole
 * on each rank. Then a split axis is made whole, and another axis is split instead. This is slab
 * decomposition if one axis is split, and pencil decomposition if two are; only ranks in one row of
 * the grid exchange data. The result stays split along the other axis. fft_vector.c transforms
 * split vectors.
 *
 * The exchange turns the array: pieces are sent with the axis of the transform last, so lines are
 * contiguous where they arrive. Lines that are transformed are sent while others are transformed
 * (stages.c).
 */
#include "fft.h"
#include "move.h"

#include <string.h>

/* A transform along several axes, in the order of the steps. */
typedef struct many {
    int n;
    int axis[GND_MAX_NDIM], done[GND_MAX_NDIM];
    gndm__fft step[GND_MAX_NDIM];
} many;

/* --- arguments (the call is valid) ------------------------------------------------------------ */

static int64_t item(const gnd_value *list, int i)
{
    const gnd_value *v = list->tag == GND_V_INT ? list : &list->as.items.item[i];
    return v->tag == GND_V_INT ? v->as.i : GND_FFT_FULL;
}

static int items(const gnd_value *list)
{
    return list->tag == GND_V_TUPLE || list->tag == GND_V_LIST ? (int)list->as.items.n : 1;
}

static gnd_norm norm_of(const gndm__args *a)
{
    const gnd_value *v = gndm__arg(a, "norm");
    if (!v || v->tag != GND_V_STRING || v->as.text.n == 0)
        return GND_NORM_BACKWARD;
    return v->as.text.s[0] == 'o'   ? GND_NORM_ORTHO
           : v->as.text.s[0] == 'f' ? GND_NORM_FORWARD
                                    : GND_NORM_BACKWARD;
}

/* Sets the steps in NumPy's order: the last axis first. The inverse of a real transform has its
 * last axis last. */
static void steps_of(const gndm__args *a, int ndim, many *q)
{
    const int kind = a->rule->data, several = kind & (GNDM__TWO_AXES | GNDM__ALL_AXES);
    const gnd_value *axes = gndm__arg(a, several ? "axes" : "axis");
    const gnd_value *s = gndm__arg(a, several ? "s" : "n");
    q->n = axes ? items(axes) : !several ? 1 : kind & GNDM__TWO_AXES ? 2 : s ? items(s) : ndim;
    for (int i = 0; i < q->n; i++) {
        const int64_t d = axes ? item(axes, i) : i - q->n;
        const int last = i == q->n - 1, inverse = kind & GNDM__INVERSE;
        const int at = !(kind & GNDM__REAL) || !inverse ? q->n - 1 - i : last ? i : q->n - 2 - i;
        q->axis[at] = (int)(d < 0 ? d + ndim : d);
        q->step[at] = (gndm__fft){.inverse = inverse != 0,
                                  .real = kind & GNDM__REAL && last,
                                  .n = s ? item(s, i) : GND_FFT_FULL,
                                  .norm = norm_of(a)};
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

static gnd_array *along(gnd_array *x, const gndm__fft *f, int axis)
{
    if (f->real)
        return f->inverse ? gnd_irfft(x, f->n, axis, f->norm) : gnd_rfft(x, f->n, axis, f->norm);
    return f->inverse ? gnd_ifft(x, f->n, axis, f->norm) : gnd_fft(x, f->n, axis, f->norm);
}

/* Whether step i can be the next. Every earlier step that is not done must be along another axis,
 * and neither it nor step i may be a real transform, which is the first or the last step. */
static int ready(const many *q, int i)
{
    for (int j = 0; j < i; j++)
        if (!q->done[j] && (q->axis[j] == q->axis[i] || q->step[j].real || q->step[i].real))
            return 0;
    return !q->done[i];
}

/* The next step: the first ready one along an axis that is not split, or else the first step that
 * is not done, which is always ready. */
static int chosen(const many *q, const gndm_part *p)
{
    int first = 0;
    while (q->done[first])
        first++;
    for (int i = first; i < q->n; i++)
        if (ready(q, i) && p->grid[q->axis[i]] == 1)
            return i;
    return first;
}

/* The axis that is split in q and not in p, or -1. */
static int split_instead(const gndm_part *p, const gndm_part *q)
{
    for (int d = 0; d < p->ndim; d++)
        if (p->grid[d] == 1 && q->grid[d] > 1)
            return d;
    return -1;
}

/* p with axis d exchanged with the last one. The caller frees it. */
static gndm_part *turned(gndm_ctx *c, const gndm_part *p, int d)
{
    int from[GND_MAX_NDIM];
    int64_t shape[GND_MAX_NDIM];
    const int last = p->ndim - 1;
    for (int e = 0; e < p->ndim; e++) {
        from[e] = e == d ? last : e == last ? d : e;
        shape[e] = p->shape[from[e]];
    }
    return gndm__part_axes(c, p, p->ndim, shape, from);
}

/* Steps along axes that are whole, which are not applied yet: they are done before axis d is
 * exchanged. */
typedef struct waiting {
    many *q;
    int n, step[GND_MAX_NDIM];
    int d;
} waiting;

static gnd_array *applied(const waiting *w, gnd_array *x)
{
    for (int i = 0; i < w->n; i++)
        x = along(x, &w->q->step[w->step[i]], w->q->axis[w->step[i]]);
    return x;
}

/* For gndm__in_stages. Evaluated before it is turned, since turning would copy it. */
static gnd_array *turned_chunk(gnd_array *x, void *data)
{
    const waiting *w = data;
    x = applied(w, x);
    gnd_eval_all(1, &x); /* a failure stays in the array */
    return gnd_swapaxes(x, w->d, -1);
}

/* Applies the waiting steps to x and then step f along axis w->d, which is split in partition
 * `from` (that of x after the waiting steps, of dtype t) and whole in `to`. *out: this rank's
 * part, in `to` but for the extent of axis d. */
static gnd_status while_moving(gndm_ctx *c, gndm_array *x, waiting *w, const gndm_part *from,
                               const gndm_part *to, gnd_dtype t, const gndm__fft *f,
                               gnd_array **out)
{
    gndm_part *a = turned(c, from, w->d), *b = turned(c, to, w->d);
    gnd_status st = a->status ? a->status : b->status;
    gnd_array *y = NULL;
    if (st) /* the others are told */
        gndm__broken(c, st, "%s: %s", c->func, gndm_part_error(a->status ? a : b));
    if (!st) {
        const gndm__staged s = {.n = gndm__stages(c, a, t),
                                .local = x->local,
                                .d = w->d,
                                .from = a,
                                .to = b,
                                .at = a->ndim - 1,
                                .dtype = t,
                                .work = turned_chunk,
                                .data = w};
        st = gndm__in_stages(c, &s, &y);
    }
    if (!st) {
        y = along(y, f, a->ndim - 1);
        gnd_eval_all(1, &y);
        *out = gnd_swapaxes(y, w->d, -1);
    }
    gndm_part_free(a);
    gndm_part_free(b);
    return st;
}

/* The waiting steps, and one along the split axis w->d. before, after: the shapes and dtypes
 * before and after that one. */
static gnd_status split_step(gndm_ctx *c, gndm_array *x, waiting *w, const gndm__fft *f,
                             gnd_array *before, gnd_array *after, gndm_array **out)
{
    gnd_array *local = NULL;
    int same[GND_MAX_NDIM];
    for (int e = 0; e < x->part->ndim; e++)
        same[e] = e;
    gndm_part *from = gndm__part_axes(c, x->part, x->part->ndim, gnd_shape(before), same);
    gndm_part *p = gndm__whole_axes(c, from, UINT32_C(1) << w->d);
    gnd_status st = from->status ? from->status : p->status;
    if (st) {
        gndm__broken(c, st, "%s: %s", c->func, gndm_part_error(from->status ? from : p));
    } else if (split_instead(from, p) >= 0) {
        st = while_moving(c, x, w, from, p, gnd_dtype_of(before), f, &local);
    } else {
        gndm_array *z = gndm__array(c, gnd_dtype_of(before), from, applied(w, x->local));
        z = gndm__moved(c, z, p);
        st = gndm__check(c, z);
        if (!st)
            local = along(z->local, f, w->d);
    }
    if (!st) {
        gndm_part *to = gndm__part_axes(c, p, p->ndim, gnd_shape(after), same);
        *out = gndm__array(c, gnd_dtype_of(after), to, local);
        st = gndm__check(c, *out);
        gndm_part_free(to);
    }
    gndm_part_free(from);
    gndm_part_free(p);
    return st;
}

/* Applies all steps to x. shape is a lazy placeholder with the shape and dtype of x. */
static gnd_status run(gndm_ctx *c, many *q, gndm_array *x, gnd_array *shape, gndm_array **out)
{
    gnd_status st = GND_OK;
    waiting w = {.q = q};
    int same[GND_MAX_NDIM];
    for (int left = q->n; left && !st; left--) {
        const int next = chosen(q, x->part);
        gnd_array *before = shape;
        w.d = q->axis[next];
        shape = along(shape, &q->step[next], w.d);
        if (x->part->grid[w.d] == 1) {
            w.step[w.n++] = next;
        } else {
            st = split_step(c, x, &w, &q->step[next], before, shape, &x);
            w.n = 0;
        }
        q->done[next] = 1;
    }
    if (!st && w.n) {
        for (int e = 0; e < x->part->ndim; e++)
            same[e] = e;
        gndm_part *p = gndm__part_axes(c, x->part, x->part->ndim, gnd_shape(shape), same);
        x = gndm__array(c, gnd_dtype_of(shape), p, applied(&w, x->local));
        gndm_part_free(p);
        st = gndm__check(c, x);
    }
    *out = x;
    return st;
}

gnd_status gndm__fn_fft(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL, *y = NULL;
    gnd_value v;
    many q = {0};
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || a->n - a->nkw < 1)
        return gndm__fn_gathered(a);
    steps_of(a, x->part->ndim, &q);
    if (q.n == 0)
        return gndm__fn_gathered(a);
    if (x->part->ndim == 1 && q.n == 1 && x->part->grid[0] > 1) {
        gndm__fft *f = &q.step[0];
        if (f->n == GND_FFT_FULL)
            f->n = f->real && f->inverse ? 2 * (x->part->shape[0] - 1) : x->part->shape[0];
        if (!gndm__fft_fits(x, f))
            return gndm__fn_gathered(a);
        const gnd_dtype t = gnd_dtype_of(v.as.array);
        st = gndm__fft_vector(c, x, f,
                              t == GND_FLOAT32   ? GND_COMPLEX64
                              : t == GND_FLOAT64 ? GND_COMPLEX128
                                                 : t,
                              &y);
    } else {
        st = run(c, &q, x, gnd_empty(c->dev, x->dtype, x->part->ndim, x->part->shape), &y);
    }
    return st ? st : gndm__ret_array(a, y);
}
