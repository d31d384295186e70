/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/index.c - indexing as in NumPy: integers, slices, new axes, one ellipsis, arrays of
 * ints and masks; given as structs (gnd_index) or in NumPy's syntax (gnd_at). Without arrays the
 * result is a view.
 */
#include "ops/index/index.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "array/steps.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/compact.h"

/* --- the view -------------------------------------------------------------------------------- */

static gnd_array *add_axis(gnd__indexed *ix, int64_t extent)
{
    if (ix->v.ndim == GND_MAX_NDIM)
        return gnd__fail(ix->x->dev, GND_ERR_SHAPE, "%s: the result has over %d dimensions",
                         ix->func, GND_MAX_NDIM);
    ix->v.dim[ix->v.ndim++] = extent;
    return NULL;
}

/* One entry; k: the next axis of x. The ellipsis is `rest` axes. */
static gnd_array *add_entry(gnd__indexed *ix, const gnd_range *r, int *k, int rest)
{
    static const gnd_range all = {
        .kind = GND_IDX_SLICE, .start = GND_NONE, .stop = GND_NONE, .step = 1};
    gnd_array *bad = NULL;
    switch (r->kind) {
    case GND_IDX_INT: {
        int64_t n = ix->x->dim[*k], i = r->start < 0 ? r->start + n : r->start;
        if (i < 0 || i >= n)
            return gnd__fail(ix->x->dev, GND_ERR_INDEX,
                             "%s: index %" PRId64
                             " is out of range for axis %d with extent %" PRId64,
                             ix->func, r->start, *k, n);
        ix->map.start[*k] = i;
        ix->map.step[*k] = 1;
        ix->map.from[(*k)++] = -1;
        return NULL;
    }
    case GND_IDX_ARRAY:
        r = &all; /* its axis as a whole */
        /* fall through */
    case GND_IDX_SLICE: {
        int64_t n = gnd__slice_count(r, ix->x->dim[*k], &ix->map.start[*k], &ix->map.step[*k]);
        ix->map.from[(*k)++] = (int8_t)ix->v.ndim;
        return add_axis(ix, n);
    }
    case GND_IDX_NEWAXIS: return add_axis(ix, 1);
    default: /* the ellipsis */
        while (rest-- > 0 && !bad)
            bad = add_entry(ix, &all, k, 0);
        return bad;
    }
}

gnd_array *gnd__index_view(gnd__indexed *ix)
{
    return gnd__viewed(ix->x, ix->v.ndim, ix->v.dim, &ix->map);
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* A parsed entry. */
typedef struct item {
    gnd_range r;
    int mask, axes;   /* r.array is a mask; axes of x that the entry takes */
    gnd_array *table; /* of a mask; count of it are true */
    int64_t count;
} item;

/* "entry 12", for messages. printf takes a tenth of the time of a small index. */
static const char *entry_name(char name[16], int i)
{
    int n = 6;
    memcpy(name, "entry ", 6);
    if (i >= 10)
        name[n++] = (char)('0' + i / 10 % 10);
    name[n++] = (char)('0' + i % 10);
    name[n] = 0;
    return name;
}

/* Checks an array among the entries: ints, or a mask. Weak ints become GND_IDX_INT. */
static gnd_array *look_at(const char *func, const gnd_array *x, int i, item *it)
{
    gnd_device *dev;
    char name[16];
    gnd_array *a = it->r.array, *bad;
    if ((bad = gnd__check(a, func, entry_name(name, i))) ||
        (bad = gnd__check_devices(func, 2, (gnd_array *[]){(gnd_array *)x, a}, &dev)))
        return bad;
    switch (gnd_dtype_kind((gnd_dtype)a->dtype)) {
    case 'b':
        it->mask = 1;
        it->axes = a->ndim;
        return NULL;
    case 'i':
    case 'u':
        it->axes = 1;
        if (a->weak && a->p.value.kind == 'u')
            return gnd__fail(x->dev, GND_ERR_INDEX,
                             "%s: entry %d: index %" PRIu64 " is out of range", func, i,
                             a->p.value.u);
        if (a->weak) {
            it->r.kind = GND_IDX_INT;
            it->r.start = a->p.value.i;
        }
        return NULL;
    default:
        return gnd__fail(x->dev, GND_ERR_DTYPE, "%s: entry %d is %s: indices are ints or bools",
                         func, i, gnd_dtype_name((gnd_dtype)a->dtype));
    }
}

/* Determines the kinds of the entries and how many axes of x they take. */
static gnd_array *look(const char *func, gnd_array *x, int n, const gnd_range *idx, item *it,
                       int *used, int *arrays)
{
    int ellipses = 0;
    *used = *arrays = 0;
    for (int i = 0; i < n; i++) {
        memset(&it[i], 0, sizeof it[i]);
        it[i].r = idx[i];
        if (idx[i].kind < GND_IDX_INT || idx[i].kind > GND_IDX_ARRAY)
            return gnd__fail(x->dev, GND_ERR_ARG, "%s: entry %d has the unknown kind %d", func, i,
                             idx[i].kind);
        it[i].axes = idx[i].kind == GND_IDX_INT || idx[i].kind == GND_IDX_SLICE;
        if (idx[i].kind == GND_IDX_ARRAY) {
            gnd_array *bad = look_at(func, x, i, &it[i]);
            if (bad)
                return bad;
        }
        *arrays += it[i].r.kind == GND_IDX_ARRAY;
        *used += it[i].axes;
        ellipses += idx[i].kind == GND_IDX_ELLIPSIS;
    }
    if (*used > x->ndim)
        return gnd__fail(x->dev, GND_ERR_INDEX, "%s: %d indices for an array of %d dimension%s",
                         func, *used, x->ndim, x->ndim == 1 ? "" : "s");
    if (ellipses > 1)
        return gnd__fail(x->dev, GND_ERR_INDEX, "%s: %d ellipses: one is possible", func, ellipses);
    return NULL;
}

/* Counts the true elements of masks, and merges the axes under each one. */
static gnd_array *look_at_masks(gnd__indexed *ix, int n, item *it, int used)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_array *x = ix->x, *bad = NULL;
    int k = 0, ndim = 0, merged = 0;
    for (int i = 0; i < n && !bad; i++) {
        int axes = it[i].r.kind == GND_IDX_ELLIPSIS ? x->ndim - used : it[i].axes;
        if (it[i].mask) {
            gnd_array *m = it[i].r.array;
            if ((bad = gnd__check_mask(ix->func, m, x, k)))
                break;
            if (m->kind == GND__CONST)
                it[i].count = m->p.value.i != 0;
            else
                bad = gnd__mask_table(ix->func, m, &it[i].table, &it[i].count);
            if (axes > 1) {
                dim[ndim] = 1;
                for (int d = 0; d < axes; d++)
                    dim[ndim] *= x->dim[k + d];
                ndim++;
                merged = 1;
            }
        }
        if (!it[i].mask || axes == 1)
            for (int d = 0; d < axes; d++)
                dim[ndim++] = x->dim[k + d];
        k += axes;
    }
    if (bad || !merged)
        return bad;
    while (k < x->ndim)
        dim[ndim++] = x->dim[k++];
    ix->x = gnd__reshaped(x, ndim, dim);
    return ix->x->kind == GND__ERROR ? ix->x : NULL;
}

/* The indices of entry i, an array, for axis k of x (orig: its original number). A mask without
 * dimensions indexes a new axis of extent 1. */
static gnd_array *indices_of(gnd__indexed *ix, int i, item *it, int k, int orig)
{
    gnd_array *y;
    char name[16];
    if (!it->mask) {
        y = gnd__indices(ix->func, entry_name(name, i), it->r.array, ix->x->dev, ix->x->dim[k],
                         orig);
    } else if (it->axes == 0) {
        gnd__scalar zero = {.kind = 'i'};
        y = gnd__filled(ix->x->dev, GND_INT64, 1, &it->count, &zero);
    } else {
        y = gnd__mask_positions(it->table, it->r.array->size, it->count, GND_INT64);
    }
    ix->idx[ix->narr++] = y;
    return y->kind == GND__ERROR ? y : NULL;
}

/* Sets the shape of the result: the axes of b at `place` among the axes of the view that no array
 * indexes. */
static gnd_array *result_shape(gnd__indexed *ix)
{
    int a = 0;
    if (ix->v.ndim - ix->narr + ix->b.ndim > GND_MAX_NDIM)
        return gnd__fail(ix->x->dev, GND_ERR_SHAPE, "%s: the result has over %d dimensions",
                         ix->func, GND_MAX_NDIM);
    for (int d = 0;; d++) {
        if (ix->narr && ix->r.ndim == ix->place)
            for (int i = 0; i < ix->b.ndim; i++)
                ix->r.dim[ix->r.ndim++] = ix->b.dim[i];
        if (a < ix->narr && d == ix->axis[a])
            a++;
        else if (d < ix->v.ndim)
            ix->r.dim[ix->r.ndim++] = ix->v.dim[d];
        if (d >= ix->v.ndim)
            break;
    }
    return gnd__check_shape(ix->func, ix->x->dev, (gnd_dtype)ix->x->dtype, ix->r.ndim, ix->r.dim);
}

gnd_array *gnd__index_apart(const char *func, gnd_array *x, int n, const gnd_range *idx,
                            gnd__indexed *ix)
{
    item it[GND__INDEX_MOST];
    gnd_range rest = {.kind = GND_IDX_ELLIPSIS};
    int used, arrays, ellipsis = 0, k = 0, orig = 0, runs = 0, before = 0, beside = 0;
    memset(ix, 0, sizeof *ix);
    ix->func = func;
    ix->x = x;
    if (n > GND__INDEX_MOST)
        return gnd__fail(x->dev, GND_ERR_INDEX, "%s: %d entries: at most %d are possible", func, n,
                         GND__INDEX_MOST);
    gnd_array *bad = look(func, x, n, idx, it, &used, &arrays);
    if (bad || (bad = look_at_masks(ix, n, it, used)))
        return bad;
    for (int i = 0; i < n && !bad; i++) {
        int kind = it[i].r.kind,
            advanced = kind == GND_IDX_ARRAY || (kind == GND_IDX_INT && arrays);
        if (advanced && !beside && runs++ == 0)
            before = ix->v.ndim;
        beside = advanced;
        ellipsis |= kind == GND_IDX_ELLIPSIS;
        if (kind == GND_IDX_ARRAY) {
            ix->axis[ix->narr] = ix->v.ndim;
            bad = indices_of(ix, i, &it[i], k, orig);
        }
        if (!bad)
            bad = it[i].mask && it[i].axes == 0 ? add_axis(ix, 1)
                                                : add_entry(ix, &it[i].r, &k, x->ndim - used);
        orig += kind == GND_IDX_ELLIPSIS ? x->ndim - used : it[i].axes;
    }
    if (!bad && !ellipsis)
        bad = add_entry(ix, &rest, &k, x->ndim - used);
    if (bad)
        return bad;
    ix->place = runs == 1 ? before : 0;
    if (ix->narr &&
        (bad = gnd__check_broadcast(func, x->dev, GND_INT64, ix->narr, ix->idx, &ix->b)))
        return bad;
    for (int i = 0; i < ix->narr && gnd__shape_size(ix->b.ndim, ix->b.dim, 1); i++)
        if (ix->v.dim[ix->axis[i]] == 0)
            return gnd__fail(x->dev, GND_ERR_INDEX, "%s: indices into an axis of no elements",
                             func);
    return result_shape(ix);
}

static gnd_array *index_with(const char *func, gnd_array *x, int n, const gnd_range *idx)
{
    gnd__indexed ix;
    gnd_array *view, *mask, *table, *y;
    int64_t count;
    const gnd__inner in = gnd__enter(func);
    if (gnd__index_is_mask(x, n, idx, &view, &mask) && mask->ndim == view->ndim) {
        /* the values themselves, without their positions */
        y = gnd__check_mask(func, mask, view, 0);
        if (!y)
            y = gnd__mask_table(func, mask, &table, &count);
        if (!y)
            y = gnd__mask_values(table, view, count);
    } else {
        y = gnd__index_apart(func, x, n, idx, &ix);
        if (!y)
            y = gnd__index_get(&ix);
    }
    return gnd__leave(in, y);
}

gnd_array *gnd_index(gnd_array *x, int n, const gnd_range *idx)
{
    gnd_array *bad = gnd__check_strong(x, "index", "x");
    if (bad)
        return bad;
    if (n < 0)
        return gnd__fail(x->dev, GND_ERR_ARG, "index: %d entries", n);
    if (n && !idx)
        return gnd__fail(x->dev, GND_ERR_NULL, "index: the index is NULL");
    return index_with("index", x, n, idx);
}

/* --- NumPy's syntax --------------------------------------------------------------------------- */

static const char *blank(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* Parses a number with a sign, clamped to 64 bits (slices are clipped anyway). Returns 1 if there
 * is one. */
static int number(const char **at, int64_t *v)
{
    const char *p = *at;
    int negative = *p == '-';
    if (*p == '-' || *p == '+')
        p = blank(p + 1);
    if (!isdigit((unsigned char)*p))
        return 0;
    int64_t n = 0;
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
            n = INT64_MAX;
    *v = negative ? -n : n;
    *at = p;
    return 1;
}

static int word(const char **at, const char *w)
{
    size_t n = strlen(w);
    if (strncmp(*at, w, n) || isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_')
        return 0;
    *at += n;
    return 1;
}

/* Parses one entry and skips the separator; returns 0 if there is none at *at. */
static int entry(const char **at, gnd_range *r)
{
    if (word(at, "Ellipsis") || !strncmp(*at, "...", 3)) {
        *at += **at == '.' ? 3 : 0;
        r->kind = GND_IDX_ELLIPSIS;
        return 1;
    }
    if (word(at, "newaxis")) {
        r->kind = GND_IDX_NEWAXIS;
        return 1;
    }
    /* Up to three parts separated by colons, each a number, None, or absent. */
    int64_t part[3] = {GND_NONE, GND_NONE, GND_NONE};
    int k = 0, given = 0, none = 0;
    for (;; k++) {
        if (number(at, &part[k]))
            given = 1;
        else
            none |= word(at, "None");
        *at = blank(*at);
        if (**at != ':' || k == 2)
            break;
        *at = blank(*at + 1);
    }
    r->kind = k ? GND_IDX_SLICE : given ? GND_IDX_INT : GND_IDX_NEWAXIS;
    r->start = part[0];
    r->stop = part[1];
    r->step = part[2] == GND_NONE ? 1 : part[2];
    return k || given || none;
}

static gnd_array *bad_syntax(gnd_array *x, const char *text, const char *at)
{
    int column = (int)(at - text) + 1;
    if (!*at)
        return gnd__fail(x->dev, GND_ERR_SYNTAX, "at: \"%.200s\": an entry is missing at the end",
                         text);
    return gnd__fail(x->dev, GND_ERR_SYNTAX,
                     "at: \"%.200s\": column %d: '%c' is neither a number, a slice, None nor ...",
                     text, column, isprint((unsigned char)*at) ? *at : '?');
}

gnd_array *gnd_at(gnd_array *x, const char *index)
{
    gnd_array *bad = gnd__check_strong(x, "at", "x");
    if (bad)
        return bad;
    if (!index)
        return gnd__fail(x->dev, GND_ERR_NULL, "at: the index is NULL");
    gnd_range idx[GND__INDEX_MOST];
    int n = 0;
    const char *at = blank(index);
    do {
        if (n == GND__INDEX_MOST)
            return gnd__fail(x->dev, GND_ERR_INDEX, "at: \"%.200s\": over %d entries", index,
                             GND__INDEX_MOST);
        if (!entry(&at, &idx[n]))
            return bad_syntax(x, index, at);
        if (idx[n].kind == GND_IDX_SLICE && idx[n].step == 0)
            return gnd__fail(x->dev, GND_ERR_ARG, "at: \"%.200s\": the step of a slice is 0",
                             index);
        n++;
        at = blank(at);
        if (*at && *at != ',')
            return bad_syntax(x, index, at);
        at = *at ? blank(at + 1) : at;
    } while (*at);
    return index_with("at", x, n, idx);
}
