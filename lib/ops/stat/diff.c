/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/diff.c - differences, derivatives and integrals along an axis, as NumPy's diff, ediff1d,
 * gradient and trapezoid, from slices of the array. If the ends follow other formulas, they are
 * joined with the middle.
 */
#include <gnd/stat.h>

#include <inttypes.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "array/steps.h"
#include "array/views.h"
#include "graph/check.h"

/* x[1:] op x[:-1] along axis k, which is not empty. */
static gnd_array *neighbours(gnd__op op, gnd_array *x, int k)
{
    if (x->kind == GND__ERROR)
        return x;
    int64_t n = x->dim[k] - 1;
    return gnd__op2(op, gnd__cut(x, k, 1, n), gnd__cut(x, k, 0, n));
}

/* --- diff ------------------------------------------------------------------------------------- */

/* Converts end, which is joined to x along axis k, to dtype t and x's other extents. */
static gnd_array *ending(const char *arg, gnd_array *end, gnd_array *x, int k, gnd_dtype t)
{
    char te[GND__SHAPE_TEXT], tx[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    int fits = end->ndim == x->ndim || !end->ndim;
    for (int i = 0; i < x->ndim; i++) {
        dim[i] = i == k ? 1 : x->dim[i];
        fits = fits && (!end->ndim || i == k || end->dim[i] == x->dim[i]);
    }
    if (!fits)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "diff: %s has shape %s and x %s: all extents but that of axis "
                         "%d must be the same, or it is one number",
                         arg, gnd__shape_text(te, end->ndim, end->dim),
                         gnd__shape_text(tx, x->ndim, x->dim), k);
    gnd_array *y = gnd__strong(end, x->dev, t, "diff");
    if (y->kind == GND__ERROR || end->ndim)
        return y;
    return gnd__broadcast(y, x->ndim, dim);
}

gnd_array *gnd_diff(gnd_array *x, int n, int axis, gnd_array *prepend, gnd_array *append)
{
    int k, m = 0;
    gnd_device *dev;
    gnd_array *all[3], *part[3];
    const char *name[3];
    gnd_array *bad = gnd__check_strong(x, "diff", "x");
    if (bad || (bad = gnd__check_axis("diff", x->dev, axis, x->ndim, &k)))
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "diff: %d times", n);
    if ((prepend && (bad = gnd__check(prepend, "diff", "prepend"))) ||
        (append && (bad = gnd__check(append, "diff", "append"))))
        return bad;
    const gnd__inner in = gnd__enter("diff");
    if (n == 0)
        return gnd__leave(in, x);
    for (int i = 0; i < 3; i++) {
        gnd_array *a = i == 0 ? prepend : i == 1 ? x : append;
        name[m] = i == 0 ? "prepend" : "append";
        if (a)
            all[m++] = a;
    }
    if ((bad = gnd__check_devices("diff", m, all, &dev)))
        return gnd__leave(in, bad);
    gnd_dtype t = gnd__common_dtype(dev, m, all);
    gnd_array *y = x;
    for (int i = 0; i < m && m > 1; i++) {
        part[i] = all[i] == x ? gnd__as(x, t) : ending(name[i], all[i], x, k, t);
        if (part[i]->kind == GND__ERROR)
            return gnd__leave(in, part[i]);
    }
    if (m > 1)
        y = gnd_concat(m, part, k);
    if (y->kind != GND__ERROR && n >= y->dim[k]) /* the result is empty */
        return gnd__leave(in, gnd__cut(y, k, 0, 0));
    gnd__op op = t == GND_BOOL ? GND__OP_NOT_EQUAL : GND__OP_SUBTRACT;
    for (int i = 0; i < n && y->kind != GND__ERROR; i++) { /* at most two exist at once */
        const gnd__inner one = gnd__enter(NULL);
        gnd_array *d = gnd__leave(one, neighbours(op, y, k));
        if (i > 0)
            gnd_release(y);
        y = d;
    }
    return gnd__leave(in, y);
}

/* --- ediff1d ---------------------------------------------------------------------------------- */

static int rank_of(int kind)
{
    return kind == 'b' ? 0 : kind == 'u' ? 1 : kind == 'i' ? 2 : kind == 'f' ? 3 : 4;
}

/* The values to join before or after the differences, 1-d, of x's dtype. */
static gnd_array *end_line(const char *arg, gnd_array *end, gnd_array *x)
{
    int kind = end->weak ? end->p.value.kind : gnd_dtype_kind((gnd_dtype)end->dtype);
    int to = gnd_dtype_kind((gnd_dtype)x->dtype);
    if (rank_of(kind) > rank_of(to) && !(end->weak && kind == 'i' && to == 'u'))
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "ediff1d: %s is %s and x %s: its kind is higher: gnd_astype x "
                         "first",
                         arg, gnd_dtype_name((gnd_dtype)end->dtype),
                         gnd_dtype_name((gnd_dtype)x->dtype));
    gnd_array *y = gnd__strong(end, x->dev, (gnd_dtype)x->dtype, "ediff1d");
    return y->kind == GND__ERROR ? y : gnd__reshaped(y, 1, &y->size);
}

gnd_array *gnd_ediff1d(gnd_array *x, gnd_array *to_end, gnd_array *to_begin)
{
    gnd_device *dev;
    gnd_array *all[3], *bad = gnd__check_strong(x, "ediff1d", "x");
    int n = 0;
    if (bad || (to_begin && (bad = gnd__check(to_begin, "ediff1d", "to_begin"))) ||
        (to_end && (bad = gnd__check(to_end, "ediff1d", "to_end"))))
        return bad;
    if (x->dtype == GND_BOOL)
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "ediff1d: bool is not allowed: ints, floats and complex only");
    all[n++] = x;
    if (to_begin)
        all[n++] = to_begin;
    if (to_end)
        all[n++] = to_end;
    if ((bad = gnd__check_devices("ediff1d", n, all, &dev)))
        return bad;
    const gnd__inner in = gnd__enter("ediff1d");
    gnd_array *flat = gnd__reshaped(x, 1, &x->size);
    gnd_array *y = x->size ? neighbours(GND__OP_SUBTRACT, flat, 0) : flat;
    n = 0;
    if (to_begin)
        all[n++] = end_line("to_begin", to_begin, x);
    all[n++] = y;
    if (to_end)
        all[n++] = end_line("to_end", to_end, x);
    return gnd__leave(in, n > 1 ? gnd_concat(n, all, 0) : y);
}

/* --- gradient --------------------------------------------------------------------------------- */

/* The steps between the elements: one for all (h), or one per pair of neighbours (d, broadcast
 * along the axis). */
typedef struct grid {
    gnd_array *h, *d;
} grid;

static gnd_array *check_spacing(gnd_array *f, int k, gnd_array *spacing)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check(spacing, "gradient", "spacing");
    if (bad || (bad = gnd__check_devices("gradient", 2, (gnd_array *[]){f, spacing}, &dev)))
        return bad;
    if (gnd_dtype_kind((gnd_dtype)spacing->dtype) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE, "gradient: the spacing is complex: it must be real");
    if (spacing->ndim == 0 || (spacing->ndim == 1 && spacing->size == f->dim[k]))
        return NULL;
    return gnd__fail(dev, GND_ERR_SHAPE,
                     "gradient: a spacing of shape %s: one number, or the %" PRId64
                     " coordinates along axis %d are needed",
                     gnd__shape_text(text, spacing->ndim, spacing->dim), f->dim[k], k);
}

/* a f[0] + b f[1] + c f[2]. */
static gnd_array *three(gnd_array *const *f, gnd_array *a, gnd_array *b, gnd_array *c)
{
    gnd_array *y = gnd__op2(GND__OP_ADD, gnd__op2(GND__OP_MULTIPLY, a, f[0]),
                            gnd__op2(GND__OP_MULTIPLY, b, f[1]));
    return gnd__op2(GND__OP_ADD, y, gnd__op2(GND__OP_MULTIPLY, c, f[2]));
}

/* The derivative at all elements except the first and the last, of second order for any steps. */
static gnd_array *middle(gnd_array *f, int k, const grid *g)
{
    int64_t n = f->dim[k] - 2;
    gnd_array *at[3] = {gnd__cut(f, k, 0, n), gnd__cut(f, k, 1, n), gnd__cut(f, k, 2, n)};
    if (g->h)
        return gnd__op2(GND__OP_DIVIDE, gnd__op2(GND__OP_SUBTRACT, at[2], at[0]),
                        gnd__with(GND__OP_MULTIPLY, g->h, 2));
    gnd_array *p = gnd__cut(g->d, k, 0, n), *q = gnd__cut(g->d, k, 1, n);
    gnd_array *sum = gnd__op2(GND__OP_ADD, p, q), *pq = gnd__op2(GND__OP_MULTIPLY, p, q);
    gnd_array *a =
        gnd__op2(GND__OP_DIVIDE, gnd__op1(GND__OP_NEGATIVE, q), gnd__op2(GND__OP_MULTIPLY, p, sum));
    gnd_array *b = gnd__op2(GND__OP_DIVIDE, gnd__op2(GND__OP_SUBTRACT, q, p), pq);
    gnd_array *c = gnd__op2(GND__OP_DIVIDE, p, gnd__op2(GND__OP_MULTIPLY, q, sum));
    return three(at, a, b, c);
}

/* The derivative at the first (last) element. At the last one the elements and steps are taken
 * backwards, which changes the sign of the steps. */
static gnd_array *border(gnd_array *f, int k, const grid *g, int edge_order, int last)
{
    int64_t n = f->dim[k];
    gnd_array *at[3], *d[2];
    for (int i = 0; i <= edge_order; i++)
        at[i] = gnd__cut(f, k, last ? n - 1 - i : i, 1);
    if (edge_order == 1) {
        d[0] = g->h ? g->h : gnd__cut(g->d, k, last ? n - 2 : 0, 1);
        gnd_array *rise = gnd__op2(GND__OP_SUBTRACT, at[!last], at[last]);
        return gnd__op2(GND__OP_DIVIDE, rise, d[0]);
    }
    for (int i = 0; i < 2; i++) {
        d[i] = g->h ? g->h : gnd__cut(g->d, k, last ? n - 2 - i : i, 1);
        if (last)
            d[i] = gnd__op1(GND__OP_NEGATIVE, d[i]);
    }
    gnd_array *p = d[0], *q = d[1];
    if (g->h) {
        gnd_array *a = gnd__op2(GND__OP_DIVIDE, gnd__number(-1.5), p);
        gnd_array *b = gnd__op2(GND__OP_DIVIDE, gnd__number(2), p);
        return three(at, a, b, gnd__op2(GND__OP_DIVIDE, gnd__number(-0.5), p));
    }
    gnd_array *sum = gnd__op2(GND__OP_ADD, p, q), *pq = gnd__op2(GND__OP_MULTIPLY, p, q);
    gnd_array *a = gnd__op2(GND__OP_ADD, gnd__with(GND__OP_MULTIPLY, p, 2), q);
    a = gnd__op2(GND__OP_DIVIDE, gnd__op1(GND__OP_NEGATIVE, a), gnd__op2(GND__OP_MULTIPLY, p, sum));
    gnd_array *b = gnd__op2(GND__OP_DIVIDE, sum, pq);
    gnd_array *c =
        gnd__op2(GND__OP_DIVIDE, gnd__op1(GND__OP_NEGATIVE, p), gnd__op2(GND__OP_MULTIPLY, q, sum));
    return three(at, a, b, c);
}

gnd_array *gnd_gradient(gnd_array *f, gnd_array *spacing, int axis, int edge_order)
{
    int k;
    gnd_array *bad = gnd__check_strong(f, "gradient", "f"), *part[3];
    if (bad || (bad = gnd__check_axis("gradient", f->dev, axis, f->ndim, &k)))
        return bad;
    if (edge_order != 1 && edge_order != 2)
        return gnd__fail(f->dev, GND_ERR_ARG, "gradient: an edge order of %d: take 1 or 2",
                         edge_order);
    if (spacing && (bad = check_spacing(f, k, spacing)))
        return bad;
    int64_t n = f->dim[k];
    if (n <= edge_order)
        return gnd__fail(f->dev, GND_ERR_SHAPE,
                         "gradient: axis %d has %" PRId64 " element%s: at least %d are needed for "
                         "edge order %d",
                         k, n, n == 1 ? "" : "s", edge_order + 1, edge_order);
    const gnd__inner in = gnd__enter("gradient");
    gnd_dtype t = gnd__mean_float(f->dev, (gnd_dtype)f->dtype);
    gnd_array *c = gnd__as(f, gnd__wide_float(f->dev, t));
    grid g = {0};
    if (!spacing) {
        g.h = gnd__number(1);
    } else if (spacing->weak) {
        g.h = gnd__astype(spacing, GND_FLOAT64, "gradient");
    } else {
        gnd_array *at = gnd__as(spacing, gnd__wide_float(f->dev, (gnd_dtype)spacing->dtype));
        if (spacing->ndim == 0)
            g.h = at;
        else
            g.d = gnd__along(neighbours(GND__OP_SUBTRACT, at, 0), f->ndim, k);
    }
    if (c->kind == GND__ERROR || (g.d && g.d->kind == GND__ERROR))
        return gnd__leave(in, c->kind == GND__ERROR ? c : g.d);
    int m = 0;
    part[m++] = border(c, k, &g, edge_order, 0);
    if (n > 2)
        part[m++] = middle(c, k, &g);
    part[m++] = border(c, k, &g, edge_order, 1);
    for (int i = 0; i < m; i++)
        part[i] = gnd__as(part[i], t);
    return gnd__leave(in, gnd_concat(m, part, k));
}

/* --- trapezoid -------------------------------------------------------------------------------- */

static gnd_array *check_coordinates(gnd_array *y, gnd_array *x, int k)
{
    char tx[GND__SHAPE_TEXT], ty[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd__shape shape;
    gnd_array *both[2] = {y, x}, *bad = gnd__check_strong(x, "trapezoid", "x");
    if (bad || (bad = gnd__check_devices("trapezoid", 2, both, &dev)))
        return bad;
    if (x->ndim != 1 && x->ndim != y->ndim)
        return gnd__fail(
            dev, GND_ERR_SHAPE,
            "trapezoid: x has shape %s and y %s: x must have 1 dimension or those of y",
            gnd__shape_text(tx, x->ndim, x->dim), gnd__shape_text(ty, y->ndim, y->dim));
    int64_t n = x->dim[x->ndim == 1 ? 0 : k];
    if (n != y->dim[k])
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "trapezoid: axis %d of y has %" PRId64 " elements and x %" PRId64
                         " coordinates",
                         k, y->dim[k], n);
    return x->ndim == 1 ? NULL
                        : gnd__check_broadcast("trapezoid", dev, GND_COMPLEX128, 2, both, &shape);
}

/* The steps between the coordinates x of y's elements along axis k. */
static gnd_array *steps_of(gnd_array *x, gnd_array *y, int k)
{
    int kx = x->ndim == 1 ? 0 : k;
    gnd_array *c = gnd__as(x, gnd__wide_float(x->dev, (gnd_dtype)x->dtype));
    gnd_array *d = x->dim[kx] ? neighbours(GND__OP_SUBTRACT, c, kx) : c;
    return x->ndim == 1 ? gnd__along(d, y->ndim, k) : d;
}

gnd_array *gnd_trapezoid(gnd_array *y, gnd_array *x, double dx, int axis)
{
    int k;
    gnd_array *bad = gnd__check_strong(y, "trapezoid", "y");
    if (bad || (bad = gnd__check_axis("trapezoid", y->dev, axis, y->ndim, &k)) ||
        (x && (bad = check_coordinates(y, x, k))))
        return bad;
    const gnd__inner in = gnd__enter("trapezoid");
    gnd_dtype t = gnd__common_dtype(y->dev, x ? 2 : 1, (gnd_array *[]){y, x});
    gnd_array *c = gnd__as(y, gnd__wide_float(y->dev, (gnd_dtype)y->dtype));
    gnd_array *d = x ? steps_of(x, y, k) : gnd__number(dx);
    gnd_array *pair = y->dim[k] ? neighbours(GND__OP_ADD, c, k) : c;
    pair = gnd__with(GND__OP_DIVIDE, gnd__op2(GND__OP_MULTIPLY, d, pair), 2);
    gnd_array *sum = gnd_sum(pair, GND_AXIS(k), 0);
    return gnd__leave(in, gnd__as(sum, gnd__mean_float(y->dev, t)));
}
