/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/index.c - x[...]: indexing of arrays (by ints, slices, None, ..., arrays of ints, masks),
 * and of tuples and lists as in Python; x[...] = value, which makes a new array.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/index.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/expr.h"

#include <string.h>

/* Reads a part of a slice: an int, or None (GND_NONE). */
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
        *i = INT64_MIN + 1; /* this int equals the marker; the next one clips alike */
    return r;
}

int gnd__expr_slice(gnd__expr *x, const gnd__val *v, size_t at, gnd_range *r)
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

/* Converts an entry that indexes a tuple or a list: an int or a slice. */
static int plain_entry(gnd__expr *x, const gnd__val *v, size_t at, gnd_range *r)
{
    *r = (gnd_range){.kind = GND_IDX_INT};
    if (v->kind == GND__V_SLICE)
        return gnd__expr_slice(x, v, at, r);
    int bad = v->kind == GND__V_BOOL ? 1 : gnd__val_to_int(x, v, at, &r->start);
    return bad > 0 ? gnd__expr_fail(x, GND_ERR_INDEX, at,
                                    "%s as an index of a tuple or a list: an int or "
                                    "a slice is possible",
                                    gnd__val_name(v))
                   : bad;
}

/* Converts an entry that indexes an array. A list becomes an array in *v; r points to it, v owns
 * it. */
static int entry(gnd__expr *x, gnd__val *v, size_t at, gnd_range *r)
{
    *r = (gnd_range){.kind = GND_IDX_INT};
    switch ((gnd__vkind)v->kind) {
    case GND__V_NONE: r->kind = GND_IDX_NEWAXIS; return 0;
    case GND__V_ELLIPSIS: r->kind = GND_IDX_ELLIPSIS; return 0;
    case GND__V_SLICE: return gnd__expr_slice(x, v, at, r);
    case GND__V_INT: r->start = v->i; return 0;
    case GND__V_BOOL:
    case GND__V_LIST:
    case GND__V_TUPLE:
    case GND__V_ARRAY: break;
    default:
        return gnd__expr_fail(x, GND_ERR_INDEX, at,
                              "%s as an index: ints, slices, None, ... and arrays "
                              "of ints or bools are possible",
                              gnd__val_name(v));
    }
    int empty = gnd__val_is_seq(v) && v->seq->leaves == 0;
    r->kind = GND_IDX_ARRAY;
    r->array = gnd__val_to_array(x, v, at, "an index");
    if (r->array && empty) {
        gnd__val ints;
        if (gnd__val_array(x, &ints, gnd_astype(r->array, GND_INT64), at))
            return -1;
        gnd__val_drop(v);
        *v = ints;
        r->array = ints.held->a;
    }
    return r->array ? 0 : -1;
}

/* Converts the n entries of an index to ranges; x[(0, 1)] is x[0, 1]. own: MOST values, which the
 * caller drops. Returns the number of entries, or -1 on an error. */
enum { MOST = 2 * GND_MAX_NDIM + 1 };
static int entries(gnd__expr *x, const gnd__slot *idx, int n, gnd_range *r, gnd__val *own,
                   size_t at)
{
    const gnd__seq *tuple = n == 1 && idx->v.kind == GND__V_TUPLE ? idx->v.seq : NULL;
    if (tuple ? tuple->n > MOST : n > MOST)
        return gnd__expr_fail(x, GND_ERR_INDEX, at,
                              "%lld indices: arrays have at most %d dimensions",
                              tuple ? (long long)tuple->n : (long long)n, GND_MAX_NDIM);
    if (tuple)
        n = (int)tuple->n;
    for (int i = 0; i < n; i++) {
        own[i] = gnd__val_ref(tuple ? &tuple->item[i] : &idx[i].v);
        if (entry(x, &own[i], tuple ? idx->at : idx[i].at, &r[i]))
            return -1;
    }
    return n;
}

static void drop_entries(gnd__val own[MOST])
{
    for (int i = 0; i < MOST; i++)
        gnd__val_drop(&own[i]);
}

/* Returns a as an array of a device. If one has to be made, *strong owns it. */
static gnd_array *strong_array(gnd__expr *x, gnd__val *a, gnd__val *strong, size_t at)
{
    gnd_array *in = gnd__val_to_array(x, a, at, "index");
    strong->kind = GND__V_MISSING;
    if (!in || !gnd_is_weak(in) || !x->dev)
        return in;
    return gnd__val_array(x, strong, gnd_asarray(x->dev, in, GND_DTYPE_DEFAULT), at)
               ? NULL
               : strong->held->a;
}

static int index_array(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at)
{
    gnd_range r[MOST];
    gnd__val own[MOST] = {{.kind = GND__V_MISSING}}, strong = {.kind = GND__V_MISSING}, out;
    n = entries(x, idx, n, r, own, at);
    gnd_array *in = n < 0 ? NULL : strong_array(x, a, &strong, at);
    int bad = in ? gnd__val_array(x, &out, gnd_index(in, n, r), at) : -1;
    gnd__val_drop(&strong);
    drop_entries(own);
    if (bad)
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* Checks an assignment with an operator: the kind of the result must not be higher than that of
 * x. */
static int check_kind(gnd__expr *x, gnd_array *a, gnd_array *v, gnd__tok op, size_t at)
{
    const char *order = "buifc";
    const char *to = strchr(order, gnd_dtype_kind(gnd_dtype_of(a)));
    const char *from = strchr(order, gnd_dtype_kind(gnd_dtype_of(v)));
    if (from <= to)
        return 0;
    return gnd__expr_fail(
        x, GND_ERR_DTYPE, at, "%s= gives %s, which does not go into %s: take astype",
        gnd__expr_spelling(op), gnd_dtype_name(gnd_dtype_of(v)), gnd_dtype_name(gnd_dtype_of(a)));
}

int gnd__expr_set_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, gnd__val *value, int op,
                        size_t at)
{
    gnd_range r[MOST];
    gnd__val own[MOST] = {{.kind = GND__V_MISSING}}, out;
    if (a->kind == GND__V_OBJECT)
        return gnd__expr_fail(
            x, GND_ERR_UNSUPPORTED, at,
            "elements of %s cannot be assigned: choose with where(condition, a, b)",
            gnd__val_name(a));
    if (a->kind != GND__V_ARRAY)
        return gnd__expr_fail(x, GND_ERR_ARG, at, "%s cannot be changed: arrays can",
                              gnd__val_name(a));
    n = entries(x, idx, n, r, own, at);
    gnd_array *v = n < 0 ? NULL : gnd__val_to_array(x, value, at, "the value");
    int bad = !v || (op && check_kind(x, a->held->a, v, (gnd__tok)op, at)) ||
              gnd__val_array(x, &out, gnd_set(a->held->a, n, r, v), at);
    drop_entries(own);
    if (bad)
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

int gnd__expr_update(gnd__expr *x, gnd_array *a, gnd__slot *idx, gnd_array *value,
                     gnd_array *(*f)(gnd_array *, int, const gnd_range *, gnd_array *),
                     gnd__val *out, size_t at)
{
    gnd_range r[MOST];
    gnd__val own[MOST] = {{.kind = GND__V_MISSING}};
    int n = entries(x, idx, 1, r, own, idx->at);
    int bad = n < 0 ? -1 : gnd__val_array(x, out, f(a, n, r, value), at);
    drop_entries(own);
    return bad;
}

int64_t gnd__expr_clip(gnd_range *r, int64_t n)
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
    return r->start > r->stop
               ? (int64_t)((uint64_t)(r->start - r->stop - 1) / (0 - (uint64_t)r->step)) + 1
               : 0;
}

static int index_seq(gnd__expr *x, gnd__val *a, gnd__slot *idx, size_t at)
{
    gnd_range r;
    gnd__val out;
    int64_t n = a->seq->n;
    if (plain_entry(x, &idx->v, idx->at, &r))
        return -1;
    if (r.kind == GND_IDX_INT) {
        int64_t i = r.start < 0 ? r.start + n : r.start;
        if (i < 0 || i >= n)
            return gnd__expr_fail(x, GND_ERR_INDEX, idx->at,
                                  "index %lld is out of range for %s of %lld items",
                                  (long long)r.start, gnd__val_name(a), (long long)n);
        out = gnd__val_ref(&a->seq->item[i]);
    } else {
        int64_t m = gnd__expr_clip(&r, n);
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
    if (gnd__val_is_seq(a) && n == 1 &&
        (idx->v.kind == GND__V_INT || idx->v.kind == GND__V_SLICE || idx->v.kind == GND__V_ARRAY))
        return index_seq(x, a, idx, at);
    if (a->kind == GND__V_OBJECT)
        return gnd__object_index(x, a, idx, n, at);
    return index_array(x, a, idx, n, at);
}
