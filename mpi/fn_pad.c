/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_pad.c - pad: one axis after the other, as NumPy does. Along an axis that is not split each
 * rank pads its part. Otherwise the two borders are computed from the slabs of x that determine
 * them, which the ranks along that axis get, and are joined with x. Modes that depend on whole
 * lines make the axis whole.
 */
#include "join.h"

#include <string.h>

typedef struct padding {
    gndm__args *a;
    int x, width; /* places of the values */
    int64_t pad[2 * GND_MAX_NDIM];
    const char *mode;
    size_t length;
} padding;

static int is_mode(const padding *q, const char *name)
{
    return strlen(name) == q->length && !memcmp(name, q->mode, q->length);
}

/* Reads n, (before, after), or a pair or (n,) for all axes or for each. Returns 0 if it is one of
 * these. */
static int read_widths(const gnd_value *v, int ndim, int64_t *pad)
{
    int64_t w[2];
    const int nested = gndm__is_list(v) && v->as.items.n && gndm__is_list(&v->as.items.item[0]);
    if (nested && v->as.items.n != 1 && v->as.items.n != ndim)
        return -1;
    for (int d = 0; d < ndim; d++) {
        const gnd_value *u = !nested ? v : &v->as.items.item[v->as.items.n == 1 ? 0 : d];
        const int n = gndm__ints(u, 2, w);
        if (n < 1)
            return -1;
        pad[2 * d] = w[0];
        pad[2 * d + 1] = w[n - 1];
    }
    return 0;
}

/* gnd's pad of x along one axis, with the parameters of the call. */
static gnd_array *local_pad(const padding *q, gnd_array *x, int axis, int64_t low, int64_t high)
{
    gndm__args *a = q->a;
    const int ndim = gnd_ndim(x);
    gnd_value pair[2 * GND_MAX_NDIM], axes[GND_MAX_NDIM], *v = gndm__items(a, a->n), out;
    if (!v)
        return gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", a->name);
    if (gnd_status_of(x))
        return x;
    for (int d = 0; d < ndim; d++) {
        pair[2 * d] = gnd_value_int(d == axis ? low : 0);
        pair[2 * d + 1] = gnd_value_int(d == axis ? high : 0);
        axes[d] = gnd_value_tuple(2, &pair[2 * d]);
    }
    memcpy(v, a->v, (size_t)a->n * sizeof *v);
    v[q->x] = gnd_value_array(x);
    v[q->width] = gnd_value_tuple(ndim, axes);
    if (gnd_call_function(a->c->dev, a->f, a->n, v, a->nkw, a->kw, &out))
        return gnd_fail(GND_ERR_ARG, "%s", gnd_message());
    return out.as.array;
}

/* x padded along an axis that is not split. */
static gndm_array *inside(const padding *q, gndm_array *x, int axis, int64_t low, int64_t high)
{
    int64_t shape[GND_MAX_NDIM];
    int from[GND_MAX_NDIM];
    if (x->status)
        return x;
    for (int d = 0; d < x->part->ndim; d++) {
        shape[d] = x->part->shape[d] + (d == axis ? low + high : 0);
        from[d] = d == axis ? -1 : d;
    }
    gndm_part *p = gndm__part_axes(q->a->c, x->part, x->part->ndim, shape, from);
    gndm_array *y = gndm__array(q->a->c, x->dtype, p, local_pad(q, x->local, axis, low, high));
    gndm_part_free(p);
    return y;
}

/* The border before (end 0) or behind (end 1) x along an axis. */
static gndm_array *border(const padding *q, gndm_array *x, int axis, int end, int64_t width)
{
    gndm_ctx *c = q->a->c;
    const int64_t n = x->part->shape[axis];
    const int wrap = is_mode(q, "wrap"), tail = end != wrap; /* which end of x determines it */
    const int64_t need = width + !wrap < n ? width + !wrap : n;
    int from[GND_MAX_NDIM];
    gndm_array *y = gndm__sliced(c, x, axis, tail ? n - need : 0, tail ? n : need, 1);
    if (y->status)
        return y;
    for (int d = 0; d < x->part->ndim; d++)
        from[d] = d == axis ? -1 : d;
    gndm_part *p = gndm__part_axes(c, y->part, y->part->ndim, y->part->shape, from);
    y = gndm__moved(c, y, p);
    gndm_part_free(p);
    y = inside(q, y, axis, end ? 0 : width, end ? width : 0);
    return gndm__sliced(c, y, axis, end ? need : 0, end ? need + width : width, 1);
}

static gndm_array *padded(const padding *q, gndm_array *x, int axis)
{
    const int64_t low = q->pad[2 * axis], high = q->pad[2 * axis + 1];
    gndm_ctx *c = q->a->c;
    if (x->status || (low == 0 && high == 0))
        return x;
    const int lines = is_mode(q, "maximum") || is_mode(q, "minimum") || is_mode(q, "mean") ||
                      is_mode(q, "median") || x->part->shape[axis] == 0;
    if (lines)
        x = gndm__whole(c, x, UINT32_C(1) << axis);
    if (x->status || x->part->grid[axis] == 1)
        return inside(q, x, axis, low, high);
    gndm_array *y[3];
    int n = 0;
    if (low)
        y[n++] = border(q, x, axis, 0, low);
    y[n++] = x;
    if (high)
        y[n++] = border(q, x, axis, 1, high);
    return gndm__concat(c, n, y, axis, x->dtype);
}

gnd_status gndm__fn_pad(gndm__args *a)
{
    padding q = {.a = a, .x = a->at[0], .width = a->at[1], .mode = "constant", .length = 8};
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *mode = gndm__arg(a, "mode");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    int others = 0;
    for (int i = 0; i < a->n; i++)
        others = others || (i != q.x && gndm__holds_array(&a->v[i]));
    if (mode && mode->tag == GND_V_STRING) {
        q.mode = mode->as.text.s;
        q.length = mode->as.text.n;
    }
    if (!x || others || (mode && mode->tag != GND_V_STRING) || q.width < 0 ||
        read_widths(&a->v[q.width], x->part->ndim, q.pad))
        return gndm__fn_gathered(a);
    for (int d = 0; !x->status && d < x->part->ndim; d++)
        x = padded(&q, x, d);
    return gndm__ret_like(a, x, like);
}
