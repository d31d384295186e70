/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_fft.c - Fourier transforms along any axes. First come the transforms along axes that are whole
 * on each rank. Then a split axis is made whole, and another axis is split instead. This is slab
 * decomposition if one axis is split, and pencil decomposition if two are; only ranks in one row of
 * the grid exchange data. fft_vector.c transforms split vectors.
 */
#include "fft.h"

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

/* Applies all steps to x. shape is a lazy placeholder with the shape and dtype of x. */
static gnd_status run(gndm_ctx *c, many *q, gndm_array *x, gnd_array *shape, gndm_array **out)
{
    gnd_status st = GND_OK;
    int from[GND_MAX_NDIM];
    for (int left = q->n; left && !st;) {
        const int next = chosen(q, x->part), d = q->axis[next];
        if (x->part->grid[d] > 1) {
            gndm_part *p = gndm__whole_axes(c, x->part, UINT32_C(1) << d);
            x = gndm__moved(c, x, p);
            gndm_part_free(p);
            st = gndm__check(c, x);
        }
        if (st)
            break;
        shape = along(shape, &q->step[next], d);
        for (int e = 0; e < x->part->ndim; e++)
            from[e] = e;
        gndm_part *p = gndm__part_axes(c, x->part, x->part->ndim, gnd_shape(shape), from);
        x = gndm__array(c, gnd_dtype_of(shape), p, along(x->local, &q->step[next], d));
        gndm_part_free(p);
        st = gndm__check(c, x);
        q->done[next] = 1;
        left--;
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
