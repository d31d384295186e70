/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/set/unique.c - the unique elements of an array: sort, flag where runs of equal elements
 * begin, and select the flagged elements. Ints of a small range are counted instead, which needs no
 * sort.
 */
#include "ops/set/set.h"

#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "graph/check.h"
#include "ops/reduce/extent.h"
#include "prim/search.h"
#include "prim/scatter.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/reduce.h>
#include <gnd/scan.h>
#include <gnd/search.h>
#include <gnd/set.h>
#include <gnd/sort.h>
#include <gnd/view.h>

/* Fewer ints than this are always sorted. */
#define COUNT_FROM 4096

gnd_array *gnd__set_iota(gnd_device *dev, int64_t n)
{
    return gnd__node(GND__IOTA, dev, GND_INT64, 1, &n, 0, NULL);
}

int gnd__set_is_float(const gnd_array *x)
{
    return gnd_dtype_kind((gnd_dtype)x->dtype) == 'f' || gnd_dtype_kind((gnd_dtype)x->dtype) == 'c';
}

/* The number of true elements up to each element, minus 1: the index of a true element among
 * these. */
static gnd_array *numbers(gnd_array *first)
{
    return gnd_subtract(gnd_cumulative_sum(first, GND_AXIS(0), 0, GND_INT64), gnd_int(1));
}

gnd_array *gnd__set_positions(gnd_array *mask)
{
    return gnd__is_bad(mask) ? mask : gnd_flatnonzero(mask);
}

/* The lengths of runs that begin at `at`; the last one ends at n. */
static gnd_array *lengths(gnd_array *at, int64_t n)
{
    if (gnd__is_bad(at) || at->size == 0)
        return at;
    gnd_array *j = gnd__set_iota(at->dev, at->size), *last = gnd_int(at->size - 1);
    gnd_array *next = gnd__pick(at, gnd_minimum(gnd_add(j, gnd_int(1)), last));
    return gnd_subtract(gnd_where(gnd_equal(j, last), gnd_int(n), next), at);
}

/* --- by order --------------------------------------------------------------------------------- */

gnd_array *gnd__set_differs(gnd_array *s, int64_t back, gnd_array *side, int equal_nan)
{
    gnd_array *i = gnd__set_iota(s->dev, s->size), *end = gnd_int(back > 0 ? 0 : s->size - 1);
    gnd_array *k = gnd_clip(gnd_subtract(i, gnd_int(back)), gnd_int(0), gnd_int(s->size - 1));
    gnd_array *t = gnd__pick(s, k), *d = gnd_not_equal(s, t);
    if (equal_nan && gnd__set_is_float(s)) {
        gnd_array *nan = gnd_logical_and(gnd_isnan(s), gnd_isnan(t));
        if (side)
            nan = gnd_logical_and(nan, gnd_equal(side, gnd__pick(side, k)));
        d = gnd_logical_and(d, gnd_logical_not(nan));
    }
    return gnd_logical_or(gnd_equal(i, end), d);
}

/* x, 1-d and not empty. */
static gnd__unique by_order(gnd_array *x, unsigned flags)
{
    gnd__unique f = {0};
    gnd_array *order =
        flags & (GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE) ? gnd_argsort(x, 0, 0) : NULL;
    gnd_array *s = order ? gnd__pick(x, order) : gnd_sort(x, 0, 0);
    if (gnd__is_bad(s)) {
        f.values = s;
        return f;
    }
    (void)gnd_eval_all(order ? 2 : 1, (gnd_array *[]){s, order}); /* a failure is repeated and
                                                                     reported below */
    gnd_array *first = gnd__set_differs(s, 1, NULL, flags & GND_EQUAL_NAN),
              *at = gnd__set_positions(first);
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

/* Returns 1 if the elements of x (1-d) are ints whose range is not larger than their number; *low
 * and *range are then set. 0: they are not. -1: an error, in *bad. May wait for the device. */
static int small_range(gnd_array *x, int64_t *low, int64_t *range, gnd_array **bad)
{
    const gnd_dtype t = (gnd_dtype)x->dtype;
    const int bits = 8 * (int)gnd_dtype_size(t);
    int64_t high;
    if (t == GND_BOOL || gnd__set_is_float(x) || x->size < COUNT_FROM)
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

/* x - low, where no difference is negative or has more than 32 bits. */
static gnd_array *above(gnd_array *x, int64_t low)
{
    const int wide = gnd_dtype_size((gnd_dtype)x->dtype) == 8;
    return gnd_subtract(gnd__as(x, wide ? GND_INT64 : GND_UINT32),
                        gnd_int(wide ? low : (int64_t)(uint32_t)low));
}

/* The values alone need no counts. */
static gnd_array *those_there(gnd_array *x, int64_t low, int64_t range)
{
    gnd_array *k = above(x, low), *there = gnd__is_bad(k) ? k : gnd__there_node(k, range);
    return gnd__as(gnd_add(gnd__set_positions(there), gnd_int(low)), (gnd_dtype)x->dtype);
}

static gnd__unique by_counting(gnd_array *x, int64_t low, int64_t range, unsigned flags)
{
    gnd__unique f = {0};
    if (!(flags & (GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE | GND_UNIQUE_COUNTS)) &&
        gnd__there_pays(x->dev, range)) {
        f.values = those_there(x, low, range);
        return f;
    }
    gnd_array *k =
        gnd_subtract(gnd__as(x, GND_INT64), gnd_int(low)); /* wraps for uint64, and back */
    gnd_array *c = gnd__is_bad(k) ? k : gnd__tally_node(k, range),
              *there = gnd_not_equal(c, gnd_int(0));
    if (!gnd__is_bad(c))
        (void)gnd_eval_all(1, &c);
    gnd_array *at = gnd__set_positions(there);
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

/* The results where nothing is to be found: values, and no indices. */
static gnd__unique nothing(gnd_device *dev, gnd_array *values)
{
    const gnd__scalar zero = {.kind = 'i'};
    const int64_t none = 0;
    return (gnd__unique){.values = values,
                         .indices = gnd__filled(dev, GND_INT64, 1, &none, &zero),
                         .inverse = gnd__filled(dev, GND_INT64, 1, &none, &zero),
                         .counts = gnd__filled(dev, GND_INT64, 1, &none, &zero)};
}

gnd__unique gnd__set_unique(gnd_array *x, unsigned flags)
{
    int64_t low, range;
    gnd__unique f = {0};
    gnd_array *flat = gnd__flat(x);
    if (gnd__is_bad(flat)) {
        f.values = flat;
        return f;
    }
    if (x->size == 0)
        return nothing(x->dev, gnd__same(flat));
    switch (small_range(flat, &low, &range, &f.values)) {
    case 0: return by_order(flat, flags);
    case 1: return by_counting(flat, low, range, flags);
    default: return f;
    }
}

/* The error of f, or NULL. If one result is an error, all are. */
static gnd_array *error_of(const gnd__unique *f)
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

/* Takes the slices of x along axis k as rows and sorts them lexicographically. There is at least
 * one row, and rows are not empty. */
static gnd__unique by_rows(gnd_array *x, int k, unsigned flags)
{
    const int64_t n = x->dim[k], m = x->size / n;
    int64_t dim[GND_MAX_NDIM];
    gnd__unique f = {0};
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
    gnd_array *s = taken(rows, order), *i = gnd__set_iota(x->dev, n);
    (void)gnd_eval_all(2, (gnd_array *[]){order, s});
    gnd_array *before = taken(s, gnd_maximum(gnd_subtract(i, gnd_int(1)), gnd_int(0)));
    gnd_array *starts =
        gnd_logical_or(gnd_equal(i, gnd_int(0)), gnd_any(gnd_not_equal(s, before), GND_AXIS(1), 0));
    if (!gnd__is_bad(starts))
        (void)gnd_eval_all(1, &starts);
    gnd_array *at = gnd__set_positions(starts), *v = taken(s, at);
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

/* Stores the results that flags select in out; the inverse gets the given shape. */
static gnd_status give_found(gnd__inner in, const char *func, const gnd__unique *f, unsigned flags,
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
    if (!bad && k >= 0 && x->dim[k] && x->size / x->dim[k] > MOST_KEYS)
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
    gnd__unique f = k < 0       ? gnd__set_unique(x, flags)
                    : x->dim[k] ? by_rows(x, k, flags)
                                : nothing(x->dev, gnd__same(x));
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
