/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/index.c - basic indexing as NumPy does it: integers, slices, new axes, one ellipsis; computed
 * (gnd_index) or in NumPy's own syntax (gnd_at). The result is a view.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "api/views.h"
#include "graph/check.h"
#include <gnd/view.h>

/* More entries than any index can have: 32 axes, 32 new ones, an ellipsis. */
#define MOST (2 * GND_MAX_NDIM + 1)

/* Python's slice.indices() for an axis of extent n: the first element and how many. */
static int64_t slice_count(const gnd_range *r, int64_t n, int64_t *first, int64_t *step_out)
{
    int64_t step = r->step == 0 ? 1 : r->step == INT64_MIN ? -INT64_MAX : r->step;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start = r->start, stop = r->stop;
    if (start == GND_NONE)
        start = step > 0 ? low : high;
    else if ((start < 0 ? start += n : start) < low)
        start = low;
    else if (start > high)
        start = high;
    if (stop == GND_NONE)
        stop = step > 0 ? high : low;
    else if ((stop < 0 ? stop += n : stop) < low)
        stop = low;
    else if (stop > high)
        stop = high;
    int64_t count = step > 0 ? (start < stop ? (stop - start - 1) / step + 1 : 0)
                             : (start > stop ? (start - stop - 1) / -step + 1 : 0);
    /* Where nothing or one element is seen, the step has no say: keep the map in range. */
    *first = count ? start : 0;
    *step_out = count > 1 ? step : 1;
    return count;
}

/* What is being built: the result's shape, and the map of x's axes to it. */
typedef struct builder {
    const char *func;
    gnd_array *x;
    int ndim, axis; /* axes made, axes of x used */
    int64_t dim[GND_MAX_NDIM];
    gnd__map map;
} builder;

static gnd_array *add_axis(builder *b, int64_t extent)
{
    if (b->ndim == GND_MAX_NDIM)
        return gnd__fail(b->x->dev, GND_ERR_SHAPE, "%s: the result has over %d dimensions", b->func,
                         GND_MAX_NDIM);
    b->dim[b->ndim++] = extent;
    return NULL;
}

static gnd_array *add_slice(builder *b, const gnd_range *r)
{
    int k = b->axis++;
    int64_t n = slice_count(r, b->x->dim[k], &b->map.start[k], &b->map.step[k]);
    b->map.from[k] = (int8_t)b->ndim;
    return add_axis(b, n);
}

static gnd_array *add_entry(builder *b, const gnd_range *r, int rest)
{
    static const gnd_range all = {GND_IDX_SLICE, GND_NONE, GND_NONE, 1};
    gnd_array *bad = NULL;
    switch (r->kind) {
    case GND_IDX_INT: {
        int k = b->axis++;
        int64_t n = b->x->dim[k], i = r->start < 0 ? r->start + n : r->start;
        if (i < 0 || i >= n)
            return gnd__fail(b->x->dev, GND_ERR_INDEX,
                             "%s: index %" PRId64
                             " is out of range for axis %d with extent %" PRId64,
                             b->func, r->start, k, n);
        b->map.start[k] = i;
        b->map.step[k] = 1;
        b->map.from[k] = -1;
        return NULL;
    }
    case GND_IDX_SLICE: return add_slice(b, r);
    case GND_IDX_NEWAXIS: return add_axis(b, 1);
    default: /* the ellipsis */
        while (rest-- > 0 && !bad)
            bad = add_slice(b, &all);
        return bad;
    }
}

static gnd_array *index_with(const char *func, gnd_array *x, int n, const gnd_range *idx)
{
    builder b = {.func = func, .x = x};
    int used = 0, ellipses = 0;
    for (int i = 0; i < n; i++) {
        if (idx[i].kind < GND_IDX_INT || idx[i].kind > GND_IDX_ELLIPSIS)
            return gnd__fail(x->dev, GND_ERR_ARG, "%s: entry %d has kind %d, which is none", func,
                             i, idx[i].kind);
        used += idx[i].kind == GND_IDX_INT || idx[i].kind == GND_IDX_SLICE;
        ellipses += idx[i].kind == GND_IDX_ELLIPSIS;
    }
    if (used > x->ndim)
        return gnd__fail(x->dev, GND_ERR_INDEX, "%s: %d indices for an array of %d dimension%s",
                         func, used, x->ndim, x->ndim == 1 ? "" : "s");
    if (ellipses > 1)
        return gnd__fail(x->dev, GND_ERR_INDEX, "%s: %d ellipses: one is possible", func, ellipses);
    gnd_array *bad = NULL;
    for (int i = 0; i < n && !bad; i++)
        bad = add_entry(&b, &idx[i], x->ndim - used);
    gnd_range rest = {.kind = GND_IDX_ELLIPSIS};
    if (!bad && !ellipses)
        bad = add_entry(&b, &rest, x->ndim - used);
    return bad ? bad : gnd__viewed(x, b.ndim, b.dim, &b.map);
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

/* A number with a sign, limited to what 64 bits hold (slices are clipped anyway). 1 when there. */
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

/* One entry, with what separates it skipped; 0 when there is none at *at. */
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
    /* Up to three parts with colons between, each a number, None, or not there. */
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
    gnd_range idx[MOST];
    int n = 0;
    const char *at = blank(index);
    do {
        if (n == MOST)
            return gnd__fail(x->dev, GND_ERR_INDEX, "at: \"%.200s\": over %d entries", index, MOST);
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
