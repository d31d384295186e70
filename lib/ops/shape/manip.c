/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/shape/manip.c - rotated, mirrored and windowed views, added dimensions, diagonals as
 * matrices, cyclic resizing. All except gnd_diag and gnd_resize move no elements.
 */
#include <inttypes.h>
#include <string.h>
#include "array/views.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>

gnd_array *gnd_ravel(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "ravel", "x");
    return bad ? bad : gnd__reshaped(x, 1, &x->size);
}

/* --- rotated and mirrored --------------------------------------------------------------------- */

/* Maps output axis `out` to axis d of x, in reverse order if `backwards`. */
static void walk(gnd__map *m, const gnd_array *x, int d, int out, int backwards)
{
    int back = backwards && x->dim[d] > 1; /* an empty axis has no last element to start from */
    m->start[d] = back ? x->dim[d] - 1 : 0;
    m->step[d] = back ? -1 : 1;
    m->from[d] = (int8_t)out;
}

gnd_array *gnd_rot90(gnd_array *x, int64_t k, int axis1, int axis2)
{
    char text[GND__SHAPE_TEXT];
    int a, b;
    gnd_array *bad = gnd__check_strong(x, "rot90", "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "rot90: shape %s: at least 2 dimensions are needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    if ((bad = gnd__check_axis("rot90", x->dev, axis1, x->ndim, &a)) ||
        (bad = gnd__check_axis("rot90", x->dev, axis2, x->ndim, &b)))
        return bad;
    if (a == b)
        return gnd__fail(x->dev, GND_ERR_AXIS, "rot90: axis %d is named twice", axis2);
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int turns = (int)(((k % 4) + 4) % 4), across = turns & 1;
    gnd__map_identity(&m, x->ndim);
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[a] = x->dim[across ? b : a];
    dim[b] = x->dim[across ? a : b];
    /* One turn: element (i, j) of the result is element (j, nb - 1 - i) of x. */
    walk(&m, x, a, across ? b : a, turns >= 2);
    walk(&m, x, b, across ? a : b, turns == 1 || turns == 2);
    return gnd__viewed(x, x->ndim, dim, &m);
}

static gnd_array *flipped(const char *func, gnd_array *x, int axis)
{
    char text[GND__SHAPE_TEXT];
    gnd__map m;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (x->ndim <= axis)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "%s: shape %s: at least %d dimension%s needed",
                         func, gnd__shape_text(text, x->ndim, x->dim), axis + 1,
                         axis ? "s are" : " is");
    gnd__map_identity(&m, x->ndim);
    walk(&m, x, axis, axis, 1);
    return gnd__viewed(x, x->ndim, x->dim, &m);
}

gnd_array *gnd_fliplr(gnd_array *x)
{
    return flipped("fliplr", x, 1);
}

gnd_array *gnd_flipud(gnd_array *x)
{
    return flipped("flipud", x, 0);
}

/* --- more dimensions -------------------------------------------------------------------------- */

gnd_array *gnd__atleast(gnd_array *x, int ndim)
{
    uint32_t front = 1, both = 5, last = 4, add; /* bits: where axes of extent 1 are inserted */
    if (x->ndim >= ndim)
        return gnd__same(x);
    if (ndim == 3)
        add = x->ndim == 2 ? last : x->ndim == 1 ? both : 7;
    else
        add = ndim - x->ndim == 2 ? 3 : front;
    return gnd__expanded(x, add);
}

gnd_array *gnd_atleast_1d(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "atleast_1d", "x");
    return bad ? bad : gnd__atleast(x, 1);
}

gnd_array *gnd_atleast_2d(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "atleast_2d", "x");
    return bad ? bad : gnd__atleast(x, 2);
}

gnd_array *gnd_atleast_3d(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "atleast_3d", "x");
    return bad ? bad : gnd__atleast(x, 3);
}

gnd_status gnd_broadcast_shapes(int n, const int *ndim, const int64_t *const *shape, int *out_ndim,
                                int64_t *out)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    static const char func[] = "broadcast_shapes";
    gnd_err e = {.code = GND_OK};
    gnd__shape all = {.ndim = 0};
    gnd_array *bad = NULL;
    if (n < 0)
        gnd__err(&e, GND_ERR_ARG, "%d shapes", n);
    else if ((n && (!ndim || !shape)) || !out_ndim || !out)
        gnd__err(&e, GND_ERR_NULL, "%s is NULL",
                 !out        ? "out"
                 : !out_ndim ? "out_ndim"
                 : ndim      ? "shape"
                             : "ndim");
    for (int i = 0; i < n && e.code == GND_OK; i++) {
        gnd__shape s = {.ndim = ndim[i]};
        if ((bad = gnd__check_shape(func, NULL, GND_BOOL, ndim[i], shape[i]))) {
            e = *bad->p.err;
            gnd_release(bad);
            break;
        }
        if (s.ndim)
            memcpy(s.dim, shape[i], (size_t)s.ndim * sizeof s.dim[0]);
        gnd__shape_text(ta, all.ndim, all.dim);
        if (gnd__shape_broadcast(&all, &s))
            gnd__err(&e, GND_ERR_SHAPE,
                     "shape %d, %s, does not broadcast with %s, that of those "
                     "before",
                     i, gnd__shape_text(tb, s.ndim, s.dim), ta);
    }
    if (e.code == GND_OK) {
        *out_ndim = all.ndim;
        memcpy(out, all.dim, (size_t)all.ndim * sizeof *out);
    }
    return gnd__only_status(func, &e);
}

/* --- windows ---------------------------------------------------------------------------------- */

gnd_array *gnd_sliding_window_view(gnd_array *x, int n, const int64_t *window, const int *axis)
{
    static const char func[] = "sliding_window_view";
    char text[GND__SHAPE_TEXT];
    int64_t dim[GND_MAX_NDIM];
    int k[GND_MAX_NDIM];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    if (n < 0 || x->ndim + n > GND_MAX_NDIM)
        return gnd__fail(x->dev, n < 0 ? GND_ERR_ARG : GND_ERR_SHAPE,
                         "%s: %d windows of an array of %d dimension%s: the result can have %d",
                         func, n, x->ndim, x->ndim == 1 ? "" : "s", GND_MAX_NDIM);
    if (n && !window)
        return gnd__fail(x->dev, GND_ERR_NULL, "%s: the list of windows is NULL", func);
    if (!axis && n != x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: %d windows for the %d axes of shape %s: name "
                         "the axes",
                         func, n, x->ndim, gnd__shape_text(text, x->ndim, x->dim));
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    for (int i = 0; i < n; i++) {
        if ((bad = gnd__check_axis(func, x->dev, axis ? axis[i] : i, x->ndim, &k[i])))
            return bad;
        if (window[i] < 0)
            return gnd__fail(x->dev, GND_ERR_ARG, "%s: a window of %" PRId64 " elements", func,
                             window[i]);
        if (window[i] > dim[k[i]])
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "%s: a window of %" PRId64 " elements along axis "
                             "%d with %" PRId64,
                             func, window[i], k[i], dim[k[i]]);
        dim[k[i]] -= window[i] - 1;
        dim[x->ndim + i] = window[i];
    }
    if ((bad = gnd__check_shape(func, x->dev, (gnd_dtype)x->dtype, x->ndim + n, dim)))
        return bad;
    if (gnd__shape_size(x->ndim + n, dim, 1) == 0)
        return gnd__node(GND__EMPTY, x->dev, (gnd_dtype)x->dtype, x->ndim + n, dim, 0, NULL);
    const gnd__inner in = gnd__enter(func);
    gnd_array *y = x;
    for (int i = 0; i < n && y->kind != GND__ERROR; i++)
        y = gnd__window_node(y, k[i], window[i]);
    return gnd__leave(in, y);
}

/* --- diagonals -------------------------------------------------------------------------------- */

/* The matrix with x (1-d) on diagonal k: column j has x[j - k], or x[j] for k < 0. */
static gnd_array *on_diagonal(const char *func, gnd_array *x, int64_t k)
{
    char text[GND__SHAPE_TEXT];
    int64_t n = x->dim[0], side[2];
    if (k == INT64_MIN || __builtin_add_overflow(n, k < 0 ? -k : k, &side[0]))
        return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                         "%s: diagonal %" PRId64 " of shape %s: the number "
                         "of bytes does not fit 64 bits",
                         func, k, gnd__shape_text(text, 1, x->dim));
    side[1] = side[0];
    gnd_array *bad = gnd__check_shape(func, x->dev, (gnd_dtype)x->dtype, 2, side);
    if (bad)
        return bad;
    if (n == 0)
        return gnd_zeros(x->dev, (gnd_dtype)x->dtype, 2, side);
    const gnd__inner in = gnd__enter(func);
    gnd__scalar zero = {.kind = gnd_dtype_kind((gnd_dtype)x->dtype)};
    gnd_array *row = x;
    if (k) {
        gnd_array *j =
            gnd_arange_i64(x->dev, k > 0 ? -k : 0, side[0] - (k > 0 ? k : 0), 1, GND_INT64);
        j = gnd_clip(j, gnd_int(0), gnd_int(n - 1));
        row = j->kind == GND__ERROR ? j : gnd__taken(x, j, 0);
    }
    gnd_array *y = gnd_where(gnd_eye(x->dev, GND_BOOL, side[0], side[0], k), row,
                             gnd__const(x->dev, (gnd_dtype)x->dtype, &zero, 0));
    return gnd__leave(in, y);
}

gnd_array *gnd_diag(gnd_array *x, int64_t k)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "diag", "x");
    if (bad)
        return bad;
    if (x->ndim == 2)
        return gnd_diagonal(x, k, 0, 1);
    if (x->ndim == 1)
        return on_diagonal("diag", x, k);
    return gnd__fail(x->dev, GND_ERR_SHAPE, "diag: shape %s: 1 or 2 dimensions are needed",
                     gnd__shape_text(text, x->ndim, x->dim));
}

gnd_array *gnd_diagflat(gnd_array *x, int64_t k)
{
    gnd_array *bad = gnd__check_strong(x, "diagflat", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("diagflat");
    gnd_array *flat = gnd__reshaped(x, 1, &x->size);
    return gnd__leave(in, flat->kind == GND__ERROR ? flat : on_diagonal("diagflat", flat, k));
}

/* --- resize ----------------------------------------------------------------------------------- */

/* x (1-d) repeated up to n elements: a join of a few copies, else a gather. */
static gnd_array *again(gnd_array *x, int64_t n)
{
    enum { FEW = 16 };
    gnd_array *piece[FEW + 1];
    const int64_t whole = n / x->size, rest = n % x->size;
    if (whole > FEW) {
        gnd_array *i = gnd_remainder(gnd_arange_i64(x->dev, 0, n, 1, GND_INT64), gnd_int(x->size));
        return i->kind == GND__ERROR ? i : gnd__taken(x, i, 0);
    }
    for (int64_t k = 0; k < whole; k++)
        piece[k] = x;
    if (rest)
        piece[whole] = gnd__slice(x, 0, 0, rest);
    return rest && piece[whole]->kind == GND__ERROR
               ? piece[whole]
               : gnd__concat("resize", (int)whole + (rest > 0), piece, 0);
}

gnd_array *gnd_resize(gnd_array *x, int ndim, const int64_t *shape)
{
    gnd_array *bad = gnd__check_strong(x, "resize", "x");
    if (bad || (bad = gnd__check_shape("resize", x->dev, (gnd_dtype)x->dtype, ndim, shape)))
        return bad;
    int64_t n = gnd__shape_size(ndim, shape, 1);
    if (n == x->size)
        return gnd__reshaped(x, ndim, shape);
    if (n == 0 || x->size == 0)
        return gnd_zeros(x->dev, (gnd_dtype)x->dtype, ndim, shape);
    const gnd__inner in = gnd__enter("resize");
    gnd_array *y = gnd_ravel(x);
    if (y->kind != GND__ERROR && n < x->size) {
        y = gnd__slice(y, 0, 0, n);
    } else if (y->kind != GND__ERROR) {
        y = again(y, n);
    }
    if (y->kind != GND__ERROR)
        y = gnd__reshaped(y, ndim, shape);
    return gnd__leave(in, y);
}
