/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/set/set.c - membership, and operations on two arrays as sets: both are sorted as one array,
 * and the elements of the result are selected by the runs of equal elements (unique.c).
 */
#include "ops/set/set.h"

#include "graph/check.h"
#include "prim/search.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/set.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* Up to this number of elements each is compared with all of x. */
enum { FEW = 8 };

/* --- isin ------------------------------------------------------------------------------------- */

static gnd_array *among(gnd_array *x, gnd_array *set, gnd_dtype t, int invert)
{
    gnd_array *hit = NULL;
    if (set->weak || set->size <= FEW) {
        for (int64_t i = 0; i < (set->weak ? 1 : set->size); i++) {
            gnd_array *one = gnd_equal(x, set->weak ? set : gnd__element(gnd__flat(set), i));
            hit = hit ? gnd_logical_or(hit, one) : one;
        }
        return invert ? gnd_logical_not(hit) : hit;
    }
    gnd_array *s = gnd__flat(gnd__as(set, t));
    s = gnd__is_bad(s) ? s : gnd_sort(s, 0, 0);
    x = x->weak ? gnd__strong(x, set->dev, t, "isin") : gnd__as(x, t);
    if (gnd__is_bad(s) || gnd__is_bad(x))
        return gnd__is_bad(s) ? s : x;
    return gnd__member_node(s, x, invert);
}

gnd_array *gnd_isin(gnd_array *x1, gnd_array *x2, int invert)
{
    gnd_device *dev;
    gnd_array *x[2] = {x1, x2}, *bad = gnd__check_list("isin", 2, x, &dev);
    if (bad)
        return bad;
    if (x1->size == 0 || x2->size == 0) {
        gnd__scalar v = {.kind = 'b', .i = invert != 0};
        return gnd__filled(dev, GND_BOOL, x1->ndim, x1->dim, &v);
    }
    const gnd__inner in = gnd__enter("isin");
    gnd_array *y = among(x1, x2, gnd__common_dtype(dev, 2, x), invert);
    return gnd__named("isin", gnd__leave(in, y));
}

/* --- two sets --------------------------------------------------------------------------------- */

typedef enum setop { INTERSECT, WITHOUT, XOR } setop;

/* Two arrays joined and sorted. Of equal elements those of the first array come first. */
typedef struct both {
    int64_t n;                   /* of the first */
    gnd_array *order, *s, *side; /* side: whether an element is of the second */
} both;

static gnd_array *in_order(gnd_array *x1, gnd_array *x2, gnd_dtype t, both *b)
{
    gnd_array *part[2] = {gnd__flat(gnd__as(x1, t)), gnd__flat(gnd__as(x2, t))};
    gnd_array *all = gnd_concat(2, part, 0);
    b->n = x1->size;
    b->order = gnd__is_bad(all) ? all : gnd_argsort(all, 0, 0);
    b->s = gnd__pick(all, b->order);
    b->side = gnd_greater_equal(b->order, gnd_int(b->n));
    if (!gnd__is_bad(b->s))
        (void)gnd_eval_all(2, (gnd_array *[]){b->order, b->s});
    return b->s;
}

/* The positions of the result's elements in b: one for each run of equal elements that the
 * operation selects. If a run has elements of both arrays, somewhere an element of the first is
 * followed by one of the second. A run with elements of the first only ends with one of the first,
 * and one with elements of the second only begins with one of the second. */
static gnd_array *chosen(const both *b, setop what)
{
    const int64_t n = b->s->size;
    gnd_array *i = gnd__set_iota(b->s->dev, n), *no = gnd_logical_not(b->side);
    gnd_array *end = gnd__set_differs(b->s, -1, b->side, 1), *mask;
    if (what == INTERSECT) {
        gnd_array *next = gnd__pick(b->side, gnd_minimum(gnd_add(i, gnd_int(1)), gnd_int(n - 1)));
        mask = gnd_logical_and(gnd_logical_and(no, next), gnd_logical_not(end));
    } else {
        mask = gnd_logical_and(end, no);
        if (what == XOR)
            mask = gnd_logical_or(mask,
                                  gnd_logical_and(gnd__set_differs(b->s, 1, b->side, 1), b->side));
    }
    return gnd__set_positions(mask);
}

static gnd_array *check_two(const char *func, gnd_array *x1, gnd_array *x2, gnd_dtype *t)
{
    gnd_device *dev;
    gnd_array *x[2] = {x1, x2}, *bad = gnd__check_strong(x1, func, "x1");
    if (bad || (bad = gnd__check_strong(x2, func, "x2")) ||
        (bad = gnd__check_devices(func, 2, x, &dev)))
        return bad;
    int64_t n;
    if (__builtin_add_overflow(x1->size, x2->size, &n))
        return gnd__fail(dev, GND_ERR_OVERFLOW, "%s: the number of elements does not fit 64 bits",
                         func);
    *t = gnd__common_dtype(dev, 2, x);
    return gnd__check_shape(func, dev, *t, 1, &n);
}

static gnd_array *combined(const char *func, gnd_array *x1, gnd_array *x2, setop what)
{
    gnd_dtype t;
    both b;
    gnd_array *y, *bad = check_two(func, x1, x2, &t);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    if (x1->size == 0 && x2->size == 0)
        y = gnd__node(GND__EMPTY, x1->dev, t, 1, (int64_t[]){0}, 0, NULL);
    else
        y = gnd__is_bad(in_order(x1, x2, t, &b)) ? b.s : gnd__pick(b.s, chosen(&b, what));
    return gnd__named(func, gnd__leave(in, y));
}

gnd_array *gnd_union1d(gnd_array *x1, gnd_array *x2)
{
    gnd_dtype t;
    gnd_array *bad = check_two("union1d", x1, x2, &t);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("union1d");
    gnd_array *part[2] = {gnd__flat(gnd__as(x1, t)), gnd__flat(gnd__as(x2, t))};
    gnd_array *all = gnd_concat(2, part, 0);
    return gnd__named(
        "union1d",
        gnd__leave(in, gnd__is_bad(all) ? all : gnd__set_unique(all, GND_EQUAL_NAN).values));
}

gnd_array *gnd_intersect1d(gnd_array *x1, gnd_array *x2)
{
    return combined("intersect1d", x1, x2, INTERSECT);
}

gnd_array *gnd_setdiff1d_kept(gnd_array *x1, gnd_array *x2)
{
    gnd_dtype t;
    gnd_array *bad = check_two("setdiff1d_kept", x1, x2, &t), *x, *y;
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("setdiff1d_kept");
    x = gnd__flat(gnd__as(x1, (gnd_dtype)x1->dtype));
    y = gnd__is_bad(x) || x->size == 0
            ? x
            : gnd__pick(x, gnd__set_positions(gnd__flat(gnd_isin(x1, x2, 1))));
    return gnd__named("setdiff1d_kept", gnd__leave(in, y));
}

gnd_array *gnd_setdiff1d(gnd_array *x1, gnd_array *x2)
{
    gnd_dtype t;
    gnd_array *bad = check_two("setdiff1d", x1, x2, &t);
    if (bad || t == (gnd_dtype)x1->dtype)
        return bad ? bad : combined("setdiff1d", x1, x2, WITHOUT);
    const gnd__inner in = gnd__enter("setdiff1d");
    gnd_array *x = gnd__flat(
        gnd__as(x1, (gnd_dtype)x1->dtype)); /* its own values, not converted to the other's dtype */
    x = gnd__is_bad(x) || x->size == 0 ? x : gnd__set_unique(x, GND_EQUAL_NAN).values;
    return gnd__named("setdiff1d", gnd__leave(in, gnd__is_bad(x) ? x : gnd_setdiff1d_kept(x, x2)));
}

gnd_array *gnd_setxor1d(gnd_array *x1, gnd_array *x2)
{
    return combined("setxor1d", x1, x2, XOR);
}

gnd_status gnd_intersect1d_indices(gnd_array *x1, gnd_array *x2, gnd_array **out)
{
    const char *func = "intersect1d_indices";
    gnd_dtype t;
    both b;
    gnd_array *bad = check_two(func, x1, x2, &t);
    if (!bad && !out)
        bad = gnd__fail(x1->dev, GND_ERR_NULL, "%s: out is NULL", func);
    if (bad)
        return gnd__give_bad(bad, 3, out);
    const gnd__inner in = gnd__enter(func);
    if (x1->size == 0 || x2->size == 0) {
        for (int i = 0; i < 3; i++)
            out[i] = gnd__node(GND__EMPTY, x1->dev, i ? GND_INT64 : t, 1, (int64_t[]){0}, 0, NULL);
    } else if (gnd__is_bad(in_order(x1, x2, t, &b))) {
        out[0] = out[1] = out[2] = b.s;
    } else {
        gnd_array *at = chosen(&b, INTERSECT), *v = gnd__pick(b.s, at);
        /* a run begins with the first occurrence in x1; the element after position `at` is that in
         * x2 */
        gnd_array *first = gnd__is_bad(v) || v->size == 0 ? at : gnd__search_node(b.s, v, 0);
        out[0] = v;
        out[1] = gnd__pick(b.order, first);
        out[2] = gnd_subtract(gnd__pick(b.order, gnd_add(at, gnd_int(1))), gnd_int(b.n));
    }
    return gnd__give(in, func, 3, out);
}
