/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/set/set.c - arrays as sets: sort, flag where runs of equal elements begin or end, and select
 * the flagged elements. Ints of a small range are counted instead, which needs no sort.
 */
#include <inttypes.h>
#include <string.h>
#include "array/steps.h"
#include "ops/reduce/extent.h"
#include "base/mem.h"
#include "graph/check.h"
#include "prim/scatter.h"
#include "prim/search.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/reduce.h>
#include <gnd/scan.h>
#include <gnd/search.h>
#include <gnd/set.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* Up to so many elements are looked for one by one. */
enum { FEW = 8 };
/* Fewer ints than this are sorted, whatever their range. */
#define COUNT_FROM 4096

static gnd_array *iota(gnd_device *dev, int64_t n)
{
    return gnd__node(GND__IOTA, dev, GND_INT64, 1, &n, 0, NULL);
}

static int is_float(const gnd_array *x)
{
    return gnd_dtype_kind((gnd_dtype)x->dtype) == 'f' || gnd_dtype_kind((gnd_dtype)x->dtype) == 'c';
}

/* How many of true came before each element: its number, from 0, where it is true itself. */
static gnd_array *numbers(gnd_array *first)
{
    return gnd_subtract(gnd_cumulative_sum(first, GND_AXIS(0), 0, GND_INT64), gnd_int(1));
}

/* The indices of the true elements of mask. Waits for the device. */
static gnd_array *positions(gnd_array *mask)
{
    return gnd__is_bad(mask) ? mask : gnd_flatnonzero(mask);
}

/* From `at`, where runs begin, how long they are, the last one up to n. */
static gnd_array *lengths(gnd_array *at, int64_t n)
{
    if (gnd__is_bad(at) || at->size == 0)
        return at;
    gnd_array *j = iota(at->dev, at->size), *last = gnd_int(at->size - 1);
    gnd_array *next = gnd__pick(at, gnd_minimum(gnd_add(j, gnd_int(1)), last));
    return gnd_subtract(gnd_where(gnd_equal(j, last), gnd_int(n), next), at);
}

/* What is asked for of the unique elements of x; NULL: not. */
typedef struct found {
    gnd_array *values, *indices, *inverse, *counts;
} found;

/* --- by order --------------------------------------------------------------------------------- */

/* Whether each element of s, sorted, is not the same as the one before it (back 1) or behind it
 * (-1). same_nan: NULL, or a NaN and its neighbour are the same where that is true of their
 * elements. */
static gnd_array *differs(gnd_array *s, int64_t back, gnd_array *side, int equal_nan)
{
    gnd_array *i = iota(s->dev, s->size), *end = gnd_int(back > 0 ? 0 : s->size - 1);
    gnd_array *k = gnd_clip(gnd_subtract(i, gnd_int(back)), gnd_int(0), gnd_int(s->size - 1));
    gnd_array *t = gnd__pick(s, k), *d = gnd_not_equal(s, t);
    if (equal_nan && is_float(s)) {
        gnd_array *nan = gnd_logical_and(gnd_isnan(s), gnd_isnan(t));
        if (side)
            nan = gnd_logical_and(nan, gnd_equal(side, gnd__pick(side, k)));
        d = gnd_logical_and(d, gnd_logical_not(nan));
    }
    return gnd_logical_or(gnd_equal(i, end), d);
}

/* x, 1-d and not empty. */
static found by_order(gnd_array *x, unsigned flags)
{
    found f = {0};
    gnd_array *order =
        flags & (GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE) ? gnd_argsort(x, 0, 0) : NULL;
    gnd_array *s = order ? gnd__pick(x, order) : gnd_sort(x, 0, 0);
    if (gnd__is_bad(s)) {
        f.values = s;
        return f;
    }
    (void)gnd_eval_all(order ? 2 : 1, (gnd_array *[]){s, order}); /* a failure comes again below */
    gnd_array *first = differs(s, 1, NULL, flags & GND_EQUAL_NAN), *at = positions(first);
    f.values = gnd__pick(s, at);
    if (flags & GND_UNIQUE_COUNTS)
        f.counts = lengths(at, x->size);
    if (flags & GND_UNIQUE_INDICES)
        f.indices = gnd__pick(order, at);
    if (flags & GND_UNIQUE_INVERSE) /* element order[i] of x is number i */
        f.inverse =
            gnd__pick(numbers(first),
                      gnd_subtract(gnd__as(gnd__last_node(order, x->size), GND_INT64), gnd_int(1)));
    return f;
}

/* --- by counting ------------------------------------------------------------------------------ */

/* Whether x, 1-d, is of ints in a range that is not larger than their number: *low and *range then.
 * May wait for the device. 1, 0, or -1 with an error in *bad. */
static int small_range(gnd_array *x, int64_t *low, int64_t *range, gnd_array **bad)
{
    const gnd_dtype t = (gnd_dtype)x->dtype;
    const int bits = 8 * (int)gnd_dtype_size(t);
    int64_t high;
    if (t == GND_BOOL || is_float(x) || x->size < COUNT_FROM)
        return 0;
    if (bits <= 16) {
        *low = gnd_dtype_kind(t) == 'i' ? -((int64_t)1 << (bits - 1)) : 0;
        *range = (int64_t)1 << bits;
        return *range <= x->size;
    }
    if ((*bad = gnd__extent("unique", x, low, &high)) != NULL)
        return -1;
    const uint64_t width = (uint64_t)high - (uint64_t)*low;
    *range = (int64_t)width + 1;
    return width < (uint64_t)x->size && width < INT32_MAX;
}

static found by_counting(gnd_array *x, int64_t low, int64_t range, unsigned flags)
{
    found f = {0};
    gnd_array *k =
        gnd_subtract(gnd__as(x, GND_INT64), gnd_int(low)); /* wraps for uint64, and back */
    gnd_array *c = gnd__is_bad(k) ? k : gnd__tally_node(k, range),
              *there = gnd_not_equal(c, gnd_int(0));
    if (!gnd__is_bad(c))
        (void)gnd_eval_all(1, &c);
    gnd_array *at = positions(there);
    f.values = gnd__as(gnd_add(at, gnd_int(low)), (gnd_dtype)x->dtype);
    if (flags & GND_UNIQUE_COUNTS)
        f.counts = gnd__pick(c, at);
    if (flags & GND_UNIQUE_INVERSE)
        f.inverse = gnd__pick(numbers(there), k);
    if (flags & GND_UNIQUE_INDICES && !gnd__is_bad(k)) {
        gnd_array *back = gnd_flip(k, GND_ALL);
        gnd_array *last = gnd__is_bad(back) ? back : gnd__last_node(back, range);
        f.indices = gnd_subtract(gnd_int(x->size), gnd__as(gnd__pick(last, at), GND_INT64));
    }
    return f;
}

/* --- unique ----------------------------------------------------------------------------------- */

static found unique(gnd_array *x, unsigned flags)
{
    int64_t low, range;
    found f = {0};
    gnd_array *flat = gnd__flat(x);
    if (gnd__is_bad(flat)) {
        f.values = flat;
        return f;
    }
    if (x->size == 0) {
        gnd__scalar zero = {.kind = 'i'};
        f.values = gnd__same(flat);
        f.indices = gnd__filled(x->dev, GND_INT64, 1, &x->size, &zero);
        f.counts = gnd__filled(x->dev, GND_INT64, 1, &x->size, &zero);
        f.inverse = gnd__filled(x->dev, GND_INT64, 1, &x->size, &zero);
        return f;
    }
    switch (small_range(flat, &low, &range, &f.values)) {
    case 0: return by_order(flat, flags);
    case 1: return by_counting(flat, low, range, flags);
    default: return f;
    }
}

/* The error of f, or NULL; if one thing has failed, all have. */
static gnd_array *error_of(const found *f)
{
    gnd_array *a[4] = {f->values, f->indices, f->inverse, f->counts};
    for (int i = 0; i < 4; i++)
        if (a[i] && gnd__is_bad(a[i]))
            return a[i];
    return NULL;
}

/* Rows of x by their numbers. */
static gnd_array *taken(gnd_array *x, gnd_array *idx)
{
    if (gnd__is_bad(x) || gnd__is_bad(idx))
        return gnd__is_bad(x) ? x : idx;
    return gnd__taken(x, idx, 0);
}

/* Slices of x along axis k as rows, which are sorted by their first element, then by their second
 * and so on; there is at least one, and it is not empty. */
static found by_rows(gnd_array *x, int k, unsigned flags)
{
    const int64_t n = x->dim[k], m = x->size / n;
    int64_t dim[GND_MAX_NDIM];
    found f = {0};
    gnd_array *first = gnd_moveaxis(x, 1, &k, (int[]){0}), *rows = first, **key;
    if (!gnd__is_bad(first)) {
        memcpy(dim, first->dim, (size_t)x->ndim * sizeof *dim);
        rows = gnd__reshaped(first, 2, (int64_t[]){n, m});
    }
    key = gnd__malloc((size_t)m * sizeof(gnd_array *));
    if (gnd__is_bad(rows) || !key) {
        gnd__free(key);
        f.values = gnd__is_bad(rows) ? rows : gnd__nomem();
        return f;
    }
    for (int64_t i = 0; i < m; i++) { /* the last key counts first */
        gnd__map map = {.start = {0, i}, .step = {1, 1}, .from = {0, -1}};
        key[m - 1 - i] = gnd__view_node(rows, 1, &n, &map);
    }
    gnd_array *order = gnd_lexsort((int)m, key, 0);
    gnd__free(key);
    gnd_array *s = taken(rows, order), *i = iota(x->dev, n);
    (void)gnd_eval_all(2, (gnd_array *[]){order, s});
    gnd_array *before = taken(s, gnd_maximum(gnd_subtract(i, gnd_int(1)), gnd_int(0)));
    gnd_array *starts =
        gnd_logical_or(gnd_equal(i, gnd_int(0)), gnd_any(gnd_not_equal(s, before), GND_AXIS(1), 0));
    if (!gnd__is_bad(starts))
        (void)gnd_eval_all(1, &starts);
    gnd_array *at = positions(starts), *v = taken(s, at);
    if (!gnd__is_bad(v)) {
        dim[0] = v->dim[0];
        f.values = gnd_moveaxis(gnd__reshaped(v, x->ndim, dim), 1, (int[]){0}, &k);
    } else {
        f.values = v;
    }
    f.counts = lengths(at, n);
    f.indices = gnd__pick(order, at);
    if (flags & GND_UNIQUE_INVERSE && !gnd__is_bad(order))
        f.inverse =
            gnd__pick(numbers(starts),
                      gnd_subtract(gnd__as(gnd__last_node(order, n), GND_INT64), gnd_int(1)));
    return f;
}

/* Puts what flags ask for into out; the inverse in the shape given. */
static gnd_status give_found(gnd__inner in, const char *func, const found *f, unsigned flags,
                             int ndim, const int64_t *dim, gnd_array **out)
{
    gnd_array *e = error_of(f), **next = out;
    *next++ = e ? e : f->values;
    if (flags & GND_UNIQUE_INDICES)
        *next++ = e ? e : f->indices;
    if (flags & GND_UNIQUE_INVERSE)
        *next++ = e ? e : gnd__reshaped(f->inverse, ndim, dim);
    if (flags & GND_UNIQUE_COUNTS)
        *next++ = e ? e : f->counts;
    return gnd__give(in, func, (int)(next - out), out);
}

#define MOST_KEYS 10000
#define WHOLE INT32_MIN /* in place of an axis */

static gnd_status unique_of(const char *func, gnd_array *x, unsigned flags, int axis,
                            gnd_array **out)
{
    const unsigned things = GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE | GND_UNIQUE_COUNTS;
    const int n = 1 + __builtin_popcount(flags & things);
    int k = -1;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (!bad && axis != WHOLE)
        bad = gnd__check_axis(func, x->dev, axis, x->ndim, &k);
    if (!bad && k >= 0 && x->dim[k] && x->size / x->dim[k] == 0)
        bad = gnd__fail(x->dev, GND_ERR_SHAPE, "%s: slices along axis %d are empty", func, k);
    if (!bad && k >= 0 && x->dim[k] == 0)
        bad = gnd__fail(x->dev, GND_ERR_SHAPE, "%s: there are no slices along axis %d", func, k);
    if (!bad && k >= 0 && x->size / x->dim[k] > MOST_KEYS)
        bad = gnd__fail(x->dev, GND_ERR_UNSUPPORTED,
                        "%s: slices along axis %d have %" PRId64 " elements: %d are "
                        "possible",
                        func, k, x->size / x->dim[k], MOST_KEYS);
    if (!bad && flags & ~(things | GND_EQUAL_NAN))
        bad = gnd__fail(x->dev, GND_ERR_ARG,
                        "%s: flags %#x: GND_UNIQUE_INDICES, GND_UNIQUE_INVERSE, "
                        "GND_UNIQUE_COUNTS and GND_EQUAL_NAN are possible",
                        func, flags);
    if (!bad && !out)
        bad = gnd__fail(x->dev, GND_ERR_NULL, "%s: out is NULL", func);
    if (bad)
        return gnd__give_bad(bad, n, out);
    const gnd__inner in = gnd__enter(func);
    found f = k < 0 ? unique(x, flags) : by_rows(x, k, flags);
    return give_found(in, func, &f, flags, k < 0 ? x->ndim : 1, k < 0 ? x->dim : &x->dim[k], out);
}

gnd_status gnd_unique(gnd_array *x, unsigned flags, gnd_array **out)
{
    return unique_of("unique", x, flags, WHOLE, out);
}

gnd_status gnd_unique_along(gnd_array *x, int axis, unsigned flags, gnd_array **out)
{
    return unique_of("unique_along", x, flags, axis, out);
}

gnd_status gnd_unique_all(gnd_array *x, gnd_array **out)
{
    return unique_of("unique_all", x, GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE | GND_UNIQUE_COUNTS,
                     WHOLE, out);
}

gnd_status gnd_unique_counts(gnd_array *x, gnd_array **out)
{
    return unique_of("unique_counts", x, GND_UNIQUE_COUNTS, WHOLE, out);
}

gnd_status gnd_unique_inverse(gnd_array *x, gnd_array **out)
{
    return unique_of("unique_inverse", x, GND_UNIQUE_INVERSE, WHOLE, out);
}

gnd_array *gnd_unique_values(gnd_array *x)
{
    gnd_array *y;
    (void)unique_of("unique_values", x, 0, WHOLE, &y);
    return y;
}

/* --- isin ------------------------------------------------------------------------------------- */

static gnd_array *among(gnd_array *x, gnd_array *set, gnd_dtype t)
{
    gnd_array *hit = NULL;
    if (set->weak || set->size <= FEW) {
        for (int64_t i = 0; i < (set->weak ? 1 : set->size); i++) {
            gnd_array *one = gnd_equal(x, set->weak ? set : gnd__element(gnd__flat(set), i));
            hit = hit ? gnd_logical_or(hit, one) : one;
        }
        return hit;
    }
    const int64_t last = set->size - 1;
    gnd_array *s = gnd__flat(gnd__as(set, t));
    s = gnd__is_bad(s) ? s : gnd_sort(s, 0, 0);
    x = x->weak ? gnd__strong(x, set->dev, t, "isin") : gnd__as(x, t);
    if (gnd__is_bad(s) || gnd__is_bad(x))
        return gnd__is_bad(s) ? s : x;
    gnd_array *at = gnd__search_node(s, x, 0);
    return gnd_equal(gnd__pick(s, gnd_minimum(at, gnd_int(last))), x);
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
    gnd_array *y = among(x1, x2, gnd__common_dtype(dev, 2, x));
    y = invert ? gnd_logical_not(y) : y;
    return gnd__named("isin", gnd__leave(in, y));
}

/* --- two sets --------------------------------------------------------------------------------- */

typedef enum setop { INTERSECT, WITHOUT, XOR } setop;

/* Two arrays as one in order: equal elements of the first stand before those of the second. */
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

/* Where the elements of a result are in b: one for each run of equal elements that has what the
 * operation wants. What is in both has an element of the first that is followed by one of the
 * second; a run without one of the second ends with one of the first, and the other way round. */
static gnd_array *chosen(const both *b, setop what)
{
    const int64_t n = b->s->size;
    gnd_array *i = iota(b->s->dev, n), *no = gnd_logical_not(b->side);
    gnd_array *end = differs(b->s, -1, b->side, 1), *mask;
    if (what == INTERSECT) {
        gnd_array *next = gnd__pick(b->side, gnd_minimum(gnd_add(i, gnd_int(1)), gnd_int(n - 1)));
        mask = gnd_logical_and(gnd_logical_and(no, next), gnd_logical_not(end));
    } else {
        mask = gnd_logical_and(end, no);
        if (what == XOR)
            mask = gnd_logical_or(mask, gnd_logical_and(differs(b->s, 1, b->side, 1), b->side));
    }
    return positions(mask);
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
    return gnd__named("union1d",
                      gnd__leave(in, gnd__is_bad(all) ? all : unique(all, GND_EQUAL_NAN).values));
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
    y = gnd__is_bad(x) || x->size == 0 ? x
                                       : gnd__pick(x, positions(gnd__flat(gnd_isin(x1, x2, 1))));
    return gnd__named("setdiff1d_kept", gnd__leave(in, y));
}

gnd_array *gnd_setdiff1d(gnd_array *x1, gnd_array *x2)
{
    gnd_dtype t;
    gnd_array *bad = check_two("setdiff1d", x1, x2, &t);
    if (bad || t == (gnd_dtype)x1->dtype)
        return bad ? bad : combined("setdiff1d", x1, x2, WITHOUT);
    const gnd__inner in = gnd__enter("setdiff1d");
    gnd_array *x = gnd__flat(gnd__as(
        x1, (gnd_dtype)x1->dtype)); /* its values, not what the other's dtype makes of them */
    x = gnd__is_bad(x) || x->size == 0 ? x : unique(x, GND_EQUAL_NAN).values;
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
        /* the run of each begins with its first occurrence in x1; the element behind is that in x2
         */
        gnd_array *first = gnd__is_bad(v) || v->size == 0 ? at : gnd__search_node(b.s, v, 0);
        out[0] = v;
        out[1] = gnd__pick(b.order, first);
        out[2] = gnd_subtract(gnd__pick(b.order, gnd_add(at, gnd_int(1))), gnd_int(b.n));
    }
    return gnd__give(in, func, 3, out);
}
