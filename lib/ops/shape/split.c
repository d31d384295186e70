/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/shape/split.c - splits an array along one axis into views: into a number of parts, or at
 * given positions.
 */
#include <inttypes.h>
#include <string.h>
#include "array/host.h"
#include "array/views.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/manip.h>

/* Checks x and that out is not NULL, and sets *k to the axis. */
static gnd_array *check(const char *func, gnd_array *x, int axis, gnd_array **out, int *k)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (!bad)
        bad = gnd__check_axis(func, x->dev, axis, x->ndim, k);
    if (!bad && !out)
        bad = gnd__fail(x->dev, GND_ERR_NULL, "%s: out is NULL", func);
    return bad;
}

static void note(gnd_status *st, const gnd_array *part)
{
    if (*st == GND_OK)
        *st = gnd__told(part);
}

static gnd_status sections(const char *func, gnd_array *x, int64_t n, int axis, int equal,
                           gnd_array **out)
{
    int k;
    gnd_array *bad = check(func, x, axis, out, &k);
    if (!bad && n < 1)
        bad = gnd__fail(x->dev, GND_ERR_ARG, "%s: %" PRId64 " parts: at least one is needed", func,
                        n);
    if (!bad && equal && x->dim[k] % n)
        bad = gnd__fail(x->dev, GND_ERR_SHAPE,
                        "%s: axis %d with %" PRId64 " elements has no %" PRId64
                        " equal parts: take gnd_array_split",
                        func, k, x->dim[k], n);
    if (bad)
        return gnd__all_fail(n, out, bad);
    gnd_status st = GND_OK;
    int64_t each = x->dim[k] / n, longer = x->dim[k] % n, at = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = each + (i < longer);
        out[i] = gnd__slice(x, k, count ? at : 0, count);
        note(&st, out[i]);
        at += count;
    }
    return st;
}

gnd_status gnd_split(gnd_array *x, int64_t n, int axis, gnd_array **out)
{
    return sections("split", x, n, axis, 1, out);
}

gnd_status gnd_array_split(gnd_array *x, int64_t n, int axis, gnd_array **out)
{
    return sections("array_split", x, n, axis, 0, out);
}

/* Normalizes a position like the end of a slice: negative ones count from the end, and the result
 * is from 0 to n. */
static int64_t place(int64_t at, int64_t n)
{
    at += at < 0 ? n : 0;
    return at < 0 ? 0 : at > n ? n : at;
}

gnd_status gnd_split_at(gnd_array *x, int64_t n, const int64_t *at, int axis, gnd_array **out)
{
    int k;
    gnd_array *bad = check("split_at", x, axis, out, &k);
    if (!bad && n < 0)
        bad = gnd__fail(x->dev, GND_ERR_ARG, "split_at: %" PRId64 " places", n);
    if (!bad && n && !at)
        bad = gnd__fail(x->dev, GND_ERR_NULL, "split_at: the list of places is NULL");
    if (bad)
        return gnd__all_fail(n < 0 ? 0 : n + 1, out, bad);
    gnd_status st = GND_OK;
    for (int64_t i = 0; i <= n; i++) {
        int64_t from = i ? place(at[i - 1], x->dim[k]) : 0,
                to = i < n ? place(at[i], x->dim[k]) : x->dim[k];
        out[i] = gnd__slice(x, k, to > from ? from : 0, to > from ? to - from : 0);
        note(&st, out[i]);
    }
    return st;
}

/* NumPy's splits along a fixed axis. */
static gnd_status along(const char *func, gnd_array *x, int64_t n, int axis, int least,
                        gnd_array **out)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (!bad && x->ndim < least)
        bad = gnd__fail(x->dev, GND_ERR_SHAPE, "%s: shape %s: at least %d dimension%s needed", func,
                        gnd__shape_text(text, x->ndim, x->dim), least, least > 1 ? "s are" : " is");
    return bad ? gnd__all_fail(n, out, bad) : sections(func, x, n, axis, 1, out);
}

gnd_status gnd_hsplit(gnd_array *x, int64_t n, gnd_array **out)
{
    return along("hsplit", x, n, gnd_ndim(x) == 1 ? 0 : 1, 1, out);
}

gnd_status gnd_vsplit(gnd_array *x, int64_t n, gnd_array **out)
{
    return along("vsplit", x, n, 0, 2, out);
}

gnd_status gnd_dsplit(gnd_array *x, int64_t n, gnd_array **out)
{
    return along("dsplit", x, n, 2, 3, out);
}
