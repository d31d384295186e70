/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/join.c - arrays joined from several arrays, or from shifted parts of one: concat, stack,
 * unstack, roll. Each is one GND__ASSEMBLE, whose inputs fill boxes of the result. Repetition is in
 * ops/index/repeat.c.
 */
#include <inttypes.h>
#include <string.h>
#include "array/host.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/view.h>

/* Joins the n pieces (all of dtype t, no errors) along axis, whose extent in the result is `total`.
 * Skips empty pieces. */
static gnd_array *assembled(gnd_device *dev, gnd_dtype t, int n, gnd_array **piece, int axis,
                            int64_t total)
{
    int64_t dim[GND_MAX_NDIM];
    int m = 0, ndim = piece[0]->ndim;
    memcpy(dim, piece[0]->dim, (size_t)ndim * sizeof dim[0]);
    dim[axis] = total;
    for (int i = 0; i < n; i++)
        if (piece[i]->size)
            piece[m++] = piece[i];
    if (m == 0)
        return gnd__node(GND__EMPTY, dev, t, ndim, dim, 0, NULL);
    if (m == 1)
        return piece[0];
    gnd__box *box = gnd__calloc((size_t)m, sizeof *box);
    if (!box)
        return gnd__nomem();
    int64_t at = 0;
    for (int i = 0; i < m; i++) {
        box[i].start[axis] = at;
        at += piece[i]->dim[axis];
    }
    gnd_array *y = gnd__assemble_node(dev, t, ndim, dim, m, piece, box);
    gnd__free(box);
    return y;
}

/* The ways in which concat, concat_flat and stack make a piece from an array. */
typedef gnd_array *make_piece(gnd_array *x, int axis);

static gnd_array *join(const char *func, gnd_device *dev, int n, gnd_array *const *x,
                       make_piece *make, int axis, int64_t total)
{
    gnd_dtype t = gnd__common_dtype(dev, n, x);
    gnd_array **piece = gnd__malloc((size_t)n * sizeof *piece);
    if (!piece)
        return gnd__nomem();
    gnd_array *y = NULL;
    for (int i = 0; i < n && !y; i++) {
        gnd_array *c = x[i]->weak ? gnd__strong(x[i], dev, t, func) : gnd__as(x[i], t);
        piece[i] = c->kind == GND__ERROR ? c : make(c, axis);
        if (piece[i]->kind == GND__ERROR)
            y = piece[i];
    }
    y = y ? y : assembled(dev, t, n, piece, axis, total);
    gnd__free(piece);
    return y;
}

static gnd_array *too_many(const char *func, gnd_device *dev)
{
    return gnd__fail(dev, GND_ERR_OVERFLOW, "%s: the number of bytes does not fit 64 bits", func);
}

/* --- concat ----------------------------------------------------------------------------------- */

static gnd_array *piece_same(gnd_array *x, int axis)
{
    (void)axis;
    return x;
}

static gnd_array *piece_flat(gnd_array *x, int axis)
{
    (void)axis;
    return gnd__reshaped(x, 1, &x->size);
}

static gnd_array *piece_expanded(gnd_array *x, int axis)
{
    return gnd__expanded(x, (uint32_t)1 << axis);
}

gnd_array *gnd__concat(const char *func, int n, gnd_array *const *x, int axis)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    int k;
    gnd_array *bad = gnd__check_list(func, n, x, &dev);
    for (int i = 0; i < n && !bad; i++)
        if (x[i]->ndim == 0)
            bad = gnd__fail(dev, GND_ERR_SHAPE,
                            "%s: x[%d] has no dimensions: take gnd_stack or gnd_concat_flat", func,
                            i);
    if (bad || (bad = gnd__check_axis(func, dev, axis, x[0]->ndim, &k)))
        return bad;
    gnd__shape s = {.ndim = x[0]->ndim};
    memcpy(s.dim, x[0]->dim, (size_t)s.ndim * sizeof s.dim[0]);
    for (int i = 1; i < n; i++) {
        int differs = x[i]->ndim != s.ndim ? -1 : s.ndim;
        for (int d = 0; differs == s.ndim && d < s.ndim; d++)
            if (d != k && x[i]->dim[d] != s.dim[d])
                differs = d;
        if (differs == s.ndim) {
            if (__builtin_add_overflow(s.dim[k], x[i]->dim[k], &s.dim[k]))
                return too_many(func, dev);
            continue;
        }
        gnd__shape_text(ta, s.ndim, x[0]->dim);
        gnd__shape_text(tb, x[i]->ndim, x[i]->dim);
        if (differs < 0)
            return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s: %d and %d dimensions", func,
                             ta, tb, s.ndim, x[i]->ndim);
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "%s: shapes %s and %s: axis %d has %" PRId64 " and %" PRId64, func, ta, tb,
                         differs, s.dim[differs], x[i]->dim[differs]);
    }
    bad = gnd__check_shape(func, dev, gnd__common_dtype(dev, n, x), s.ndim, s.dim);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in, join(func, dev, n, x, piece_same, k, s.dim[k]));
}

gnd_array *gnd_concat(int n, gnd_array *const *x, int axis)
{
    return gnd__concat("concat", n, x, axis);
}

gnd_array *gnd_concat_flat(int n, gnd_array *const *x)
{
    gnd_device *dev;
    int64_t total = 0;
    gnd_array *bad = gnd__check_list("concat_flat", n, x, &dev);
    if (bad)
        return bad;
    for (int i = 0; i < n; i++)
        if (__builtin_add_overflow(total, x[i]->size, &total))
            return too_many("concat_flat", dev);
    bad = gnd__check_shape("concat_flat", dev, gnd__common_dtype(dev, n, x), 1, &total);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("concat_flat");
    return gnd__leave(in, join("concat_flat", dev, n, x, piece_flat, 0, total));
}

gnd_array *gnd_stack(int n, gnd_array *const *x, int axis)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd_device *dev;
    int k;
    gnd_array *bad = gnd__check_list("stack", n, x, &dev);
    if (bad)
        return bad;
    if (x[0]->ndim == GND_MAX_NDIM)
        return gnd__fail(dev, GND_ERR_SHAPE, "stack: the result has over %d dimensions",
                         GND_MAX_NDIM);
    if ((bad = gnd__check_axis("stack", dev, axis, x[0]->ndim + 1, &k)))
        return bad;
    for (int i = 1; i < n; i++)
        if (x[i]->ndim != x[0]->ndim ||
            memcmp(x[i]->dim, x[0]->dim, x[0]->ndim * sizeof(int64_t)) != 0)
            return gnd__fail(dev, GND_ERR_SHAPE, "stack: shapes %s and %s are not the same",
                             gnd__shape_text(ta, x[0]->ndim, x[0]->dim),
                             gnd__shape_text(tb, x[i]->ndim, x[i]->dim));
    int64_t dim[GND_MAX_NDIM];
    for (int i = 0, d = 0; i <= x[0]->ndim; i++)
        dim[i] = i == k ? n : x[0]->dim[d++];
    bad = gnd__check_shape("stack", dev, gnd__common_dtype(dev, n, x), x[0]->ndim + 1, dim);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("stack");
    return gnd__leave(in, join("stack", dev, n, x, piece_expanded, k, n));
}

gnd_status gnd_unstack(gnd_array *x, int axis, gnd_array **out)
{
    int k;
    gnd_array *bad = gnd__check_strong(x, "unstack", "x");
    if (!bad)
        bad = gnd__check_axis("unstack", x->dev, axis, x->ndim, &k);
    if (!bad && !out && x->dim[k])
        bad = gnd__fail(x->dev, GND_ERR_NULL, "unstack: out is NULL");
    if (bad) {
        /* The length of out is unknown, so only the status reports the error. */
        gnd_status code = gnd__told(bad);
        gnd_release(bad);
        return code;
    }
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0;
    gnd__map_identity(&m, x->ndim);
    for (int i = 0; i < x->ndim; i++) {
        m.from[i] = -1;
        if (i != k) {
            m.from[i] = (int8_t)ndim;
            dim[ndim++] = x->dim[i];
        }
    }
    gnd_status st = GND_OK;
    for (int64_t i = 0; i < x->dim[k]; i++) {
        m.start[k] = i;
        out[i] = gnd__viewed(x, ndim, dim, &m);
        if (st == GND_OK)
            st = gnd__told(out[i]);
    }
    return st;
}

/* --- roll ------------------------------------------------------------------------------------- */

/* x with element i of axis k moved to (i + shift) mod extent, where 0 <= shift < extent. */
static gnd_array *rolled(gnd_array *x, int k, int64_t shift)
{
    int64_t n = x->dim[k];
    if (shift == 0)
        return x;
    gnd_array *piece[2] = {gnd__slice(x, k, n - shift, shift), gnd__slice(x, k, 0, n - shift)};
    for (int i = 0; i < 2; i++)
        if (gnd__is_bad(piece[i]))
            return piece[i];
    return assembled(x->dev, (gnd_dtype)x->dtype, 2, piece, k, n);
}

/* shift mod n as in Python; 0 for an empty axis. */
static int64_t modulo(int64_t shift, int64_t n)
{
    if (n == 0)
        return 0;
    int64_t r = shift % n;
    return r < 0 ? r + n : r;
}

gnd_array *gnd_roll(gnd_array *x, int n, const int64_t *shift, const int *axis)
{
    gnd_array *bad = gnd__check_strong(x, "roll", "x");
    if (bad)
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "roll: %d axes", n);
    if (n && (!shift || !axis))
        return gnd__fail(x->dev, GND_ERR_NULL, "roll: the list of %s is NULL",
                         shift ? "axes" : "shifts");
    int64_t by[GND_MAX_NDIM] = {0};
    for (int i = 0; i < n; i++) {
        int k;
        if ((bad = gnd__check_axis("roll", x->dev, axis[i], x->ndim, &k)))
            return bad;
        /* Both are less than the extent, so the sum wraps at most once. */
        int64_t s = modulo(shift[i], x->dim[k]);
        by[k] = s >= x->dim[k] - by[k] ? s - (x->dim[k] - by[k]) : by[k] + s;
    }
    const gnd__inner in = gnd__enter("roll");
    gnd_array *y = x;
    for (int k = 0; k < x->ndim && x->size && !gnd__is_bad(y); k++)
        y = rolled(y, k, by[k]);
    return gnd__leave(in, y);
}

gnd_array *gnd_roll_flat(gnd_array *x, int64_t shift)
{
    gnd_array *bad = gnd__check_strong(x, "roll_flat", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("roll_flat");
    if (x->size == 0)
        return gnd__leave(in, x);
    if (x->ndim == 1)
        return gnd__leave(in, rolled(x, 0, modulo(shift, x->size)));
    gnd_array *flat = gnd__reshaped(x, 1, &x->size);
    if (flat->kind == GND__ERROR)
        return gnd__leave(in, flat);
    gnd_array *r = rolled(flat, 0, modulo(shift, x->size));
    if (r->kind == GND__ERROR)
        return gnd__leave(in, r);
    return gnd__leave(in, gnd__reshaped(r, x->ndim, x->dim));
}
