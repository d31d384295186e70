/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/choose.c - functions that choose between arrays (NumPy's select, piecewise and choose)
 * and functions that change the elements under a mask or on the diagonal (putmask, copyto,
 * fill_diagonal). Each is composed of other functions and fuses with its surroundings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ops/index/index.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/info.h>
#include <gnd/manip.h>

/* --- lists ------------------------------------------------------------------------------------ */

/* Checks n arrays in x, the argument `what` of func. */
static gnd_array *check_list(const char *func, const char *what, int n, gnd_array *const *x)
{
    char arg[48];
    if (n > 0 && !x)
        return gnd__fail(NULL, GND_ERR_NULL, "%s: the list of %s is NULL", func, what);
    for (int i = 0; i < n; i++) {
        snprintf(arg, sizeof arg, "%s[%d]", what, i);
        gnd_array *bad = gnd__check(x[i], func, arg);
        if (bad)
            return bad;
    }
    return NULL;
}

/* Checks that conditions, which are valid arrays, are bools. */
static gnd_array *check_bools(const char *func, int n, gnd_array *const *x)
{
    for (int i = 0; i < n; i++)
        if (x[i]->dtype != GND_BOOL)
            return gnd__fail(x[i]->dev, GND_ERR_DTYPE,
                             "%s: conditions[%d] is %s: conditions are bools", func, i,
                             gnd_dtype_name((gnd_dtype)x[i]->dtype));
    return NULL;
}

/* Joins lists and single arrays in new memory (gnd__free), and finds their device. NULL: *bad is
 * the error. */
static gnd_array **joined(const char *func, int n, gnd_array *const *a, int m, gnd_array *const *b,
                          gnd_array *last, gnd_device **dev, gnd_array **bad)
{
    gnd_array **all = gnd__malloc(((size_t)n + (size_t)m + 1) * sizeof *all);
    if (!all) {
        *bad = gnd__nomem();
        return NULL;
    }
    if (n)
        memcpy(all, a, (size_t)n * sizeof *all);
    if (m)
        memcpy(all + n, b, (size_t)m * sizeof *all);
    all[n + m] = last;
    *bad = gnd__check_devices(func, n + m + (last != NULL), all, dev);
    if (!*bad)
        return all;
    gnd__free(all);
    return NULL;
}

/* In a scope: x as a value that is assigned to an array of dtype t. */
static gnd_array *assigned(gnd_array *x, gnd_device *dev, gnd_dtype t)
{
    return gnd_asarray(dev, gnd_astype(x, t), t);
}

/* Checks that x broadcasts to the shape of `to`; returns NULL if it does. */
static gnd_array *check_fits(const char *func, const char *what, const gnd_array *x,
                             const gnd_array *to)
{
    char tx[GND__SHAPE_TEXT], tt[GND__SHAPE_TEXT];
    int fits = x->ndim <= to->ndim;
    for (int i = 1; fits && i <= x->ndim; i++)
        fits = x->dim[x->ndim - i] == 1 || x->dim[x->ndim - i] == to->dim[to->ndim - i];
    return fits ? NULL
                : gnd__fail(to->dev, GND_ERR_SHAPE,
                            "%s: %s has shape %s, which does not broadcast to %s", func, what,
                            gnd__shape_text(tx, x->ndim, x->dim),
                            gnd__shape_text(tt, to->ndim, to->dim));
}

/* --- choosing --------------------------------------------------------------------------------- */

gnd_array *gnd_select(int n, gnd_array *const *conditions, gnd_array *const *choices,
                      gnd_array *otherwise)
{
    gnd_device *dev;
    gnd__shape shape;
    gnd_array *y, *bad;
    if (n < 1)
        return gnd__fail(NULL, GND_ERR_ARG, "select: %d conditions: at least one is needed", n);
    if ((bad = check_list("select", "conditions", n, conditions)) ||
        (bad = check_list("select", "choices", n, choices)) ||
        (otherwise && (bad = gnd__check(otherwise, "select", "otherwise"))) ||
        (bad = check_bools("select", n, conditions)))
        return bad;
    gnd_array **all = joined("select", n, conditions, n, choices, otherwise, &dev, &bad);
    if (!all)
        return bad;
    const gnd__inner in = gnd__enter("select");
    all[2 * n] = otherwise ? otherwise : gnd_int(0);
    const gnd_dtype t = gnd__common_dtype(dev, n + 1, all + n);
    y = gnd__check_broadcast("select", dev, t, 2 * n + 1, all, &shape);
    if (!y) {
        y = dev ? gnd__as_strong(all[2 * n], dev, t, "select") : all[2 * n];
        for (int i = n - 1; i >= 0; i--)
            y = gnd_where(all[i], dev ? gnd__as_strong(all[n + i], dev, t, "select") : all[n + i],
                          y);
    }
    gnd__free(all);
    return gnd__leave(in, y);
}

gnd_array *gnd_piecewise(gnd_array *x, int n, gnd_array *const *conditions,
                         gnd_array *const *values, gnd_array *otherwise)
{
    gnd_device *dev;
    char what[40];
    gnd_array *y, *bad = gnd__check_strong(x, "piecewise", "x");
    if (!bad && n < 0)
        bad = gnd__fail(x->dev, GND_ERR_ARG, "piecewise: %d conditions", n);
    if (bad || (bad = check_list("piecewise", "conditions", n, conditions)) ||
        (bad = check_list("piecewise", "values", n, values)) ||
        (otherwise && (bad = gnd__check(otherwise, "piecewise", "otherwise"))) ||
        (bad = check_bools("piecewise", n, conditions)))
        return bad;
    gnd_array *both[2] = {x, otherwise};
    gnd_array **all = joined("piecewise", n, conditions, n, values, x, &dev, &bad);
    if (!all || (bad = gnd__check_devices("piecewise", otherwise ? 2 : 1, both, &dev))) {
        gnd__free(all);
        return bad;
    }
    gnd__free(all);
    for (int i = 0; i < 2 * n; i++) {
        snprintf(what, sizeof what, "%s[%d]", i < n ? "conditions" : "values", i < n ? i : i - n);
        if ((bad = check_fits("piecewise", what, i < n ? conditions[i] : values[i - n], x)))
            return bad;
    }
    if (otherwise && (bad = check_fits("piecewise", "otherwise", otherwise, x)))
        return bad;
    const gnd__inner in = gnd__enter("piecewise");
    const gnd_dtype t = (gnd_dtype)x->dtype;
    y = otherwise ? gnd_broadcast_to(assigned(otherwise, dev, t), x->ndim, x->dim)
                  : gnd_zeros_like(x, t);
    for (int i = 0; i < n; i++)
        y = gnd_where(conditions[i], assigned(values[i], dev, t), y);
    return gnd__leave(in, y);
}

/* Elements i[...] along axis 0 of x, which has n there; each index of i selects one of them, in the
 * shape of the other axes. */
static gnd_array *picked(gnd_array *x, gnd_array *i, int n)
{
    gnd__gather how;
    if (gnd__is_bad(x) || gnd__is_bad(i))
        return gnd__is_bad(x) ? x : i;
    for (int d = 0; d < x->ndim; d++) {
        how.from[d] = (int8_t)(d - 1);
        how.via[d] = 1;
    }
    gnd_array *at = gnd__indices("choose", "indices", i, x->dev, n, 0);
    return gnd__is_bad(at) ? at : gnd__take_node(x, 1, &at, i->ndim, i->dim, &how);
}

gnd_array *gnd_choose(gnd_array *indices, int n, gnd_array *const *choices, gnd_index_mode mode)
{
    gnd_device *dev;
    gnd__shape shape;
    gnd_array *y, *i, *bad = gnd__check_strong(indices, "choose", "indices");
    if (!bad && n < 1)
        bad = gnd__fail(indices->dev, GND_ERR_ARG, "choose: no choices");
    if (!bad && (unsigned)mode > GND_INDEX_CLIP)
        bad = gnd__fail(indices->dev, GND_ERR_ARG,
                        "choose: mode is %d, not GND_INDEX_RAISE, _WRAP or _CLIP", (int)mode);
    const int kind = bad ? 'i' : gnd_dtype_kind((gnd_dtype)indices->dtype);
    if (!bad && kind != 'i' && kind != 'u' && kind != 'b')
        bad = gnd__fail(indices->dev, GND_ERR_DTYPE, "choose: indices is %s: ints are needed",
                        gnd_dtype_name((gnd_dtype)indices->dtype));
    if (bad || (bad = check_list("choose", "choices", n, choices)))
        return bad;
    gnd_array **all = joined("choose", n, choices, 0, NULL, indices, &dev, &bad);
    if (!all)
        return bad;
    const gnd__inner in = gnd__enter("choose");
    const gnd_dtype t = gnd__common_dtype(dev, n, choices);
    y = gnd__check_broadcast("choose", dev, t, n + 1, all, &shape);
    if (!y) {
        for (int k = 0; k < n; k++)
            all[k] = gnd_broadcast_to(gnd__as_strong(choices[k], dev, t, "choose"), shape.ndim,
                                      shape.dim);
        i = kind == 'b' ? gnd_astype(indices, GND_UINT8) : indices;
        i = gnd_broadcast_to(mode == GND_INDEX_RAISE ? i : gnd_fit_indices(i, n, mode), shape.ndim,
                             shape.dim);
        y = picked(gnd_stack(n, all, 0), i, n);
        /* elsewhere, negative indices count from the end */
        if (mode == GND_INDEX_RAISE && kind == 'i')
            y = gnd__provided(y, gnd_greater_equal(i, gnd_int(0)), GND_ERR_INDEX, "choose",
                              "a negative index: the modes "
                              "GND_INDEX_WRAP ('wrap') and GND_INDEX_CLIP ('clip') take those");
    }
    gnd__free(all);
    return gnd__leave(in, y);
}

/* --- arrays with some elements changed -------------------------------------------------------- */

gnd_array *gnd_putmask(gnd_array *x, gnd_array *mask, gnd_array *values)
{
    gnd_device *dev;
    char tx[GND__SHAPE_TEXT], tm[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "putmask", "x"), *y;
    if (bad || (bad = gnd__check_strong(mask, "putmask", "mask")) ||
        (bad = gnd__check(values, "putmask", "values")) ||
        (bad = gnd__check_devices("putmask", 3, (gnd_array *[]){x, mask, values}, &dev)))
        return bad;
    if (mask->size != x->size)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "putmask: mask has shape %s, x has shape %s: as many elements are needed",
                         gnd__shape_text(tm, mask->ndim, mask->dim),
                         gnd__shape_text(tx, x->ndim, x->dim));
    if (!values->size)
        return gnd__same(x);
    const gnd__inner in = gnd__enter("putmask");
    gnd_array *v = assigned(values, dev, (gnd_dtype)x->dtype);
    if (v->size > 1)
        v = gnd_resize(v, x->ndim, x->dim);
    else
        v = gnd_reshape(v, 0, NULL);
    y = gnd_where(gnd_reshape(gnd_astype(mask, GND_BOOL), x->ndim, x->dim), v, x);
    return gnd__leave(in, y);
}

/* Whether NumPy's rule of casting lets x become dtype t. */
static int may_cast(const gnd_array *x, gnd_dtype t, gnd_casting casting)
{
    static const char order[] = "buifc"; /* kinds, each of which the following ones can represent */
    const gnd_dtype from = (gnd_dtype)x->dtype;
    const int a = gnd_dtype_kind(from), b = gnd_dtype_kind(t);
    if (casting == GND_CAST_UNSAFE || from == t)
        return 1;
    if (casting < GND_CAST_SAFE)
        return 0;
    if (casting == GND_CAST_SAFE)
        return x->weak ? gnd_can_cast_array(x, t) : gnd_can_cast(from, t);
    return strchr(order, a) <= strchr(order, b) || (x->weak && a == 'i' && b == 'u');
}

gnd_array *gnd_copyto(gnd_array *x, gnd_array *src, gnd_casting casting, gnd_array *where)
{
    static const char *const word[] = {"GND_CAST_NO", "GND_CAST_EQUIV", "GND_CAST_SAFE",
                                       "GND_CAST_SAME_KIND"};
    gnd_device *dev;
    gnd_array *all[3] = {x, src, where}, *v, *bad = gnd__check_strong(x, "copyto", "x");
    if (bad || (bad = gnd__check(src, "copyto", "src")) ||
        (where && (bad = gnd__check(where, "copyto", "where"))) ||
        (bad = gnd__check_devices("copyto", where ? 3 : 2, all, &dev)))
        return bad;
    const gnd_dtype t = (gnd_dtype)x->dtype;
    if ((unsigned)casting > GND_CAST_UNSAFE)
        return gnd__fail(dev, GND_ERR_ARG,
                         "copyto: casting is %d, not GND_CAST_NO to GND_CAST_UNSAFE", (int)casting);
    if (!may_cast(src, t, casting))
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "copyto: src is %s, which %s does not let become %s: take GND_CAST_UNSAFE "
                         "(casting='unsafe'), or gnd_astype before",
                         gnd_dtype_name((gnd_dtype)src->dtype), word[casting], gnd_dtype_name(t));
    if ((bad = check_fits("copyto", "src", src, x)) ||
        (where && (bad = check_fits("copyto", "where", where, x))))
        return bad;
    const gnd__inner in = gnd__enter("copyto");
    v = assigned(src, dev, t);
    v = where ? gnd_where(gnd_astype(where, GND_BOOL), v, x) : gnd_broadcast_to(v, x->ndim, x->dim);
    return gnd__leave(in, v);
}

gnd_array *gnd_fill_diagonal(gnd_array *x, gnd_array *value, int wrap)
{
    char text[GND__SHAPE_TEXT];
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(x, "fill_diagonal", "x"), *i;
    if (bad || (bad = gnd__check(value, "fill_diagonal", "value")) ||
        (bad = gnd__check_devices("fill_diagonal", 2, (gnd_array *[]){x, value}, &dev)))
        return bad;
    const int n = x->ndim;
    int64_t step = 1, stride = 1, end = x->size;
    if (n < 2)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "fill_diagonal: x has shape %s: at least two dimensions are needed",
                         gnd__shape_text(text, n, x->dim));
    for (int d = n - 1; d > 0; d--) {
        if (n > 2 && x->dim[d] != x->dim[0])
            return gnd__fail(dev, GND_ERR_SHAPE,
                             "fill_diagonal: x has shape %s: beyond two dimensions all extents are "
                             "equal",
                             gnd__shape_text(text, n, x->dim));
        stride *= x->dim[d];
        step += stride;
    }
    if (n == 2 && !wrap && x->dim[1] < x->dim[0])
        end = x->dim[1] * x->dim[1];
    if (!x->size)
        return gnd__same(x);
    const gnd__inner in = gnd__enter("fill_diagonal");
    i = gnd_arange_i64(dev, 0, end, step, GND_INT64);
    return gnd__leave(in, gnd_put(x, i, value));
}
