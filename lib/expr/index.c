/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expr/index.c - x[...]: basic indexing of arrays (ints, slices, None, ...), and of tuples and lists
 * as Python does it.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "expr/expr.h"

/* A part of a slice: an int, or GND_NONE. */
static int part(gnd__expr *x, const gnd__val *v, size_t at, int64_t *i)
{
    if (v->kind == GND__V_NONE) {
        *i = GND_NONE;
        return 0;
    }
    int r = gnd__val_to_int(x, v, at, i);
    if (r > 0)
        return gnd__expr_fail(x, GND_ERR_INDEX, at, "a slice is made of ints, not of %s",
                              gnd__val_name(v));
    if (!r && *i == GND_NONE)
        *i = INT64_MIN + 1; /* the marker's value: clips to the same place */
    return r;
}

static int slice(gnd__expr *x, const gnd__val *v, size_t at, gnd_range *r)
{
    const gnd__val *item = v->seq->item;
    r->kind = GND_IDX_SLICE;
    if (part(x, &item[0], at, &r->start) || part(x, &item[1], at, &r->stop) ||
        part(x, &item[2], at, &r->step))
        return -1;
    if (item[2].kind == GND__V_NONE)
        r->step = 1;
    if (r->step == 0)
        return gnd__expr_fail(x, GND_ERR_INDEX, at, "a slice with step 0");
    return 0;
}

static int entry(gnd__expr *x, const gnd__val *v, size_t at, gnd_range *r)
{
    *r = (gnd_range){.kind = GND_IDX_INT};
    switch ((gnd__vkind)v->kind) {
    case GND__V_NONE: r->kind = GND_IDX_NEWAXIS; return 0;
    case GND__V_ELLIPSIS: r->kind = GND_IDX_ELLIPSIS; return 0;
    case GND__V_SLICE: return slice(x, v, at, r);
    case GND__V_INT:
        r->start = v->i;
        return 0;
    default: break;
    }
    int bad = v->kind == GND__V_BOOL ? 1 : gnd__val_to_int(x, v, at, &r->start);
    if (bad > 0)
        return gnd__expr_fail(x, v->kind == GND__V_ARRAY || v->kind == GND__V_LIST ||
                                     v->kind == GND__V_BOOL ? GND_ERR_UNSUPPORTED : GND_ERR_INDEX,
                              at, "%s as an index: ints, slices, None and ... are possible (for masks "
                              "see where)", gnd__val_name(v));
    return bad;
}

static int index_array(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at)
{
    gnd_range r[2 * GND_MAX_NDIM + 2];
    if (n > 2 * GND_MAX_NDIM + 1)
        return gnd__expr_fail(x, GND_ERR_INDEX, at, "%d indices: arrays have at most %d dimensions", n,
                              GND_MAX_NDIM);
    for (int i = 0; i < n; i++)
        if (entry(x, &idx[i].v, idx[i].at, &r[i]))
            return -1;
    gnd_array *in = gnd__val_to_array(x, a, at, "index");
    gnd__val strong = {.kind = GND__V_MISSING}, out;
    if (!in)
        return -1;
    if (gnd_is_weak(in) && x->dev) {
        if (gnd__val_array(x, &strong, gnd_asarray(x->dev, in, GND_DTYPE_DEFAULT), at))
            return -1;
        in = strong.held->a; /* not weak, so an array */
    }
    int bad = gnd__val_array(x, &out, gnd_index(in, n, r), at);
    gnd__val_drop(&strong);
    if (bad)
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* start, stop and step of a slice over n items, clipped as Python does; the number of items. */
static int64_t clip_slice(gnd_range *r, int64_t n)
{
    int64_t low = r->step < 0 ? -1 : 0, high = r->step < 0 ? n - 1 : n;
    int64_t *end[2] = {&r->start, &r->stop};
    for (int k = 0; k < 2; k++) {
        if (*end[k] == GND_NONE) {
            *end[k] = (r->step < 0) == (k == 0) ? high : low;
            continue;
        }
        if (*end[k] < 0)
            *end[k] += n;
        *end[k] = *end[k] < low ? low : *end[k] > high ? high : *end[k];
    }
    if (r->step > 0)
        return r->stop > r->start ? (r->stop - r->start - 1) / r->step + 1 : 0;
    return r->start > r->stop ? (int64_t)((uint64_t)(r->start - r->stop - 1) / (0 - (uint64_t)r->step)) + 1 : 0;
}

static int index_seq(gnd__expr *x, gnd__val *a, gnd__slot *idx, size_t at)
{
    gnd_range r;
    gnd__val out;
    int64_t n = a->seq->n;
    if (entry(x, &idx->v, idx->at, &r))
        return -1;
    if (r.kind == GND_IDX_INT) {
        int64_t i = r.start < 0 ? r.start + n : r.start;
        if (i < 0 || i >= n)
            return gnd__expr_fail(x, GND_ERR_INDEX, idx->at,
                                  "index %lld is out of range for %s of %lld items",
                                  (long long)r.start, gnd__val_name(a), (long long)n);
        out = gnd__val_ref(&a->seq->item[i]);
    } else {
        int64_t m = clip_slice(&r, n);
        gnd__val *item = gnd__calloc((size_t)m + 1, sizeof *item);
        if (!item)
            return gnd__expr_nomem(x);
        for (int64_t i = 0; i < m; i++)
            item[i] = gnd__val_ref(&a->seq->item[r.start + i * r.step]);
        int bad = gnd__val_seq(x, &out, a->kind, item, m, at);
        for (int64_t i = 0; i < m; i++)
            gnd__val_drop(&item[i]);
        gnd__free(item);
        if (bad)
            return -1;
    }
    gnd__val_drop(a);
    *a = out;
    return 0;
}

int gnd__expr_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at)
{
    int plain = n == 1 && (idx->v.kind == GND__V_INT || idx->v.kind == GND__V_SLICE ||
                           idx->v.kind == GND__V_ARRAY);
    if (gnd__val_is_seq(a) && plain)
        return index_seq(x, a, idx, at);
    if (n == 1 && idx->v.kind == GND__V_TUPLE) {
        /* x[(0, 1)] is x[0, 1]. */
        gnd__slot many[2 * GND_MAX_NDIM + 1];
        int64_t m = idx->v.seq->n;
        if (m > 2 * GND_MAX_NDIM + 1)
            return gnd__expr_fail(x, GND_ERR_INDEX, at, "%lld indices", (long long)m);
        for (int64_t i = 0; i < m; i++)
            many[i] = (gnd__slot){.v = idx->v.seq->item[i], .at = idx->at};
        return index_array(x, a, many, (int)m, at);
    }
    return index_array(x, a, idx, n, at);
}
