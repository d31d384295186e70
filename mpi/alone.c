/* SPDX-License-Identifier: BSD-3-Clause
 *
 * alone.c - calls that each rank computes alone: the functions of alone.def, where the axes that
 * they work along are whole on each rank. Then gnd's own function of the parts gives the parts of
 * the result, whose dtype and extents are known from this rank's, so nothing is tried on
 * placeholders and no composition is needed. Whether a call is one of these depends only on what
 * all ranks have.
 */
#include "call.h"

#include <string.h>

/* Parameters whose lists are not elements: they mean the same on each part. */
static const char lists[] = "axis axes s shift kth q";

/* Sets the axes from a list or an int. Returns -1 if they are none of ndim axes. */
static int axes_from(const gnd_value *v, int ndim, uint32_t *axes)
{
    int64_t d[GND_MAX_NDIM];
    const int n = gndm__ints(v, GND_MAX_NDIM, d);
    *axes = 0;
    for (int i = 0; i < n; i++) {
        d[i] += d[i] < 0 ? ndim : 0;
        if (d[i] < 0 || d[i] >= ndim)
            return -1;
        *axes |= UINT32_C(1) << d[i];
    }
    return n < 0 || v->tag == GND_V_BOOL ? -1 : 0;
}

/* The axes in a default of Python's syntax: "None", "-1" or "(-2, -1)". */
static int axes_from_text(const char *s, int ndim, uint32_t *axes)
{
    *axes = 0;
    if (!strcmp(s, "None")) {
        *axes = (uint32_t)((UINT64_C(1) << ndim) - 1);
        return 0;
    }
    for (s += strcspn(s, "-0123456789"); *s; s += strcspn(s, "-0123456789")) {
        char *end;
        const long d = strtol(s, &end, 10), from = d < 0 ? d + ndim : d;
        if (end == s || from < 0 || from >= ndim)
            return -1;
        *axes |= UINT32_C(1) << from;
        s = end;
    }
    return *axes ? 0 : -1;
}

/* The axes that the call works along. Returns -1 if they are not valid. */
static int axes_of(const gndm__args *a, int ndim, uint32_t *axes)
{
    const gndm__alone_row *row = a->about->alone;
    for (int i = 0; i < a->info->nparameters; i++) {
        const gnd_parameter *p = &a->info->parameter[i];
        if (strcmp(p->name, "axis") != 0 && strcmp(p->name, "axes") != 0)
            continue;
        if (a->at[i] < 0)
            return axes_from_text(p->value, ndim, axes);
        const gnd_value *v = &a->v[a->at[i]];
        return v->tag == GND_V_NOTHING ? axes_from_text("None", ndim, axes)
                                       : axes_from(v, ndim, axes);
    }
    return *row->axes ? axes_from_text(row->axes, ndim, axes) : -1;
}

/* Whether the values other than x fit each rank's part: arrays in the partition of x, or without
 * axes, numbers, and lists that are not elements. */
static int fit(const gndm__args *a, const gndm_array *x)
{
    for (int i = 1; i < a->n; i++) {
        const gndm_array *y = gndm__as_array(&a->v[i]);
        if (y && y->part->ndim > 0 && !gndm__part_same(x->part, y->part) &&
            (a->about->alone->result != GNDM__QUANTILE || i != a->at[1] ||
             gndm__part_split_anywhere(y->part)))
            return 0;
        if (!gndm__is_list(&a->v[i]))
            continue;
        int k = 0;
        while (k < a->info->nparameters && a->at[k] != i)
            k++;
        if (k == a->info->nparameters || !gndm__word(lists, a->info->parameter[k].name))
            return 0;
    }
    return 1;
}

/* Sets from[d] to the axis of x that is axis d of the result, or to -1 for one that may have
 * another extent. Returns 0 if the result has other axes than the row says. */
static int axes_after(const gndm__args *a, const gndm_array *x, uint32_t axes, int ndim, int *from)
{
    const int result = a->about->alone->result, keep = gndm__arg_true(a, "keepdims");
    int e = 0;
    if (!gndm__part_split_anywhere(x->part)) {
        while (e < ndim)
            from[e++] = -1;
        return 1;
    }
    if (result == GNDM__QUANTILE)
        for (int more = ndim - x->part->ndim + (keep ? 0 : __builtin_popcount(axes)); e < more;)
            from[e++] = -1;
    for (int d = 0; d < x->part->ndim; d++) {
        const int along = axes >> d & 1;
        if (e < ndim && (!along || result == GNDM__SAME || keep))
            from[e++] = along ? -1 : d;
        else if (!along || result == GNDM__SAME || keep)
            return 0;
    }
    return e == ndim;
}

/* The partition of a result whose part on this rank has the shape dim. */
static gndm_part *part_after(gndm_ctx *c, const gndm_array *x, int ndim, const int64_t *dim,
                             const int *from)
{
    int64_t shape[GND_MAX_NDIM];
    int same = ndim == x->part->ndim;
    for (int d = 0; d < ndim; d++) {
        shape[d] = from[d] < 0 ? dim[d] : x->part->shape[from[d]];
        same = same && shape[d] == x->part->shape[d] && (from[d] == d || x->part->grid[d] == 1);
    }
    return same ? gndm__part_retain(x->part) : gndm__part_axes(c, x->part, ndim, shape, from);
}

/* The array whose shape is that of all results, or NULL. */
static gnd_array *sample(const gnd_value *v)
{
    if (v->tag == GND_V_TUPLE && v->as.items.n)
        v = &v->as.items.item[0];
    return v->tag == GND_V_ARRAY && !gnd_is_weak(v->as.array) ? v->as.array : NULL;
}

gnd_status gndm__alone(gndm__args *a, int *done)
{
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL;
    gnd_value local, whole;
    uint32_t axes;
    int from[GND_MAX_NDIM];
    *done = 0;
    if (!a->about->alone || !x || a->n == a->nkw || a->c->flags & GNDM_REPRODUCIBLE ||
        axes_of(a, x->part->ndim, &axes) || gndm_elements(x) == 0 || !fit(a, x))
        return GND_OK;
    for (int d = 0; d < x->part->ndim; d++)
        if (axes >> d & 1 && x->part->grid[d] > 1)
            return GND_OK;
    gnd_status st = gndm__local_call(a, &local);
    if (st)
        return st;
    gnd_array *y = sample(&local);
    const int failed = y && gnd_status_of(y); /* on this rank alone, which then knows no shape */
    if (failed && gndm__try(a, &whole))
        return a->c->status ? a->c->status : GND_ERR_INTERNAL;
    gnd_array *like = failed ? sample(&whole) : y;
    if (like && axes_after(a, x, axes, gnd_ndim(like), from)) {
        gndm_part *p = part_after(a->c, x, gnd_ndim(like), gnd_shape(like), from);
        st = gndm__ret(a, &local, p);
        gndm_part_free(p);
        *done = 1;
    }
    if (failed && whole.tag != GND_V_ARRAY)
        gndm__drop_items(&whole);
    if (!*done)
        gndm__drop_items(&local);
    return st;
}
