/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_lines.c - functions that work on each line along an axis (sorts, running sums, transforms,
 * quantiles), and functions of whole arrays. For the first kind, the axes are made whole on each
 * rank and another axis is split instead, so no rank holds more than its share. Arrays without
 * another axis, and all operands of the second kind, are copied to every rank.
 */
#include "call.h"

#include <string.h>

gndm_part *gndm__whole_axes(gndm_ctx *c, const gndm_part *p, uint32_t whole)
{
    int from[GND_MAX_NDIM];
    for (int d = 0; d < p->ndim; d++)
        from[d] = whole >> d & 1 ? -1 : d;
    gndm_part *y = gndm__part_axes(c, p, p->ndim, p->shape, from);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut && !y->status) {
        gndm_part_free(y);
        return gndm__part_lost(c);
    }
    for (int d = 0; d < p->ndim && !y->status; d++) {
        int to = -1;
        if (!(whole >> d & 1) || p->grid[d] == 1)
            continue;
        for (int e = 0; e < p->ndim; e++)
            if (!(whole >> e & 1) && y->grid[e] == 1 && (to < 0 || p->shape[e] > p->shape[to]))
                to = e;
        if (to < 0 || p->shape[to] < 2)
            continue;
        gndm__even_cuts(p->shape[to], p->grid[d], cut);
        gndm__part_split(c, y, to, p->grid[d], p->stride[d], cut);
    }
    free(cut);
    return y;
}

/* The axes that the function works along. */
static uint32_t axes_of(const gndm__args *a, const gndm_array *x)
{
    const gnd_value *v = gndm__arg(a, "axis");
    const gnd_parameter *p = NULL;
    for (int i = 0; i < a->info->nparameters; i++)
        if (!strcmp(a->info->parameter[i].name, "axis"))
            p = &a->info->parameter[i];
    if (!v && p && !strcmp(p->value, "-1"))
        return x->part->ndim ? UINT32_C(1) << (x->part->ndim - 1) : 0;
    return gndm__arg_axes(a, x->part->ndim, NULL);
}

/* Moves the operands: those with the shape of p to partition p, and those that broadcast to it to
 * the partition that matches. All others, such as the quantiles, become whole on every rank. */
static gnd_status move_operands(gndm__args *a, const gndm_part *p)
{
    gnd_status st = GND_OK;
    const int broadcasts = a->rule->data != GNDM__QUANTILE || a->rule->run == gndm__fn_reduce;
    for (int i = 0; i < a->n && !st; i++) {
        gndm_array *y = gndm__as_array(&a->v[i]);
        if (!y)
            continue;
        const int same = y->part->ndim == p->ndim &&
                         !memcmp(y->part->shape, p->shape, (size_t)p->ndim * sizeof *p->shape);
        gndm__replace(a, i,
                      same || (broadcasts && y->part->ndim <= p->ndim) ? gndm__aligned(a->c, y, p)
                                                                       : gndm__everywhere(a->c, y));
        st = gndm__check(a->c, gndm__as_array(&a->v[i]));
    }
    return st;
}

gnd_status gndm__fn_lines(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL;
    gnd_value v, local;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || v.tag != GND_V_ARRAY)
        return gndm__fn_gathered(a);
    const uint32_t axes = axes_of(a, x);
    const int ndim = gnd_ndim(v.as.array), keep = gndm__arg_true(a, "keepdims");
    const int drop = a->rule->run == gndm__fn_reduce || a->rule->data != GNDM__SAME;
    int from[GND_MAX_NDIM], e = 0;
    if (drop && a->rule->data == GNDM__QUANTILE && a->rule->run != gndm__fn_reduce)
        while (e < ndim - (keep ? x->part->ndim : x->part->ndim - __builtin_popcount(axes)))
            from[e++] = -1;
    for (int d = 0; d < x->part->ndim; d++)
        if (!(axes >> d & 1))
            from[e++] = d;
        else if (!drop || keep)
            from[e++] = -1;
    if (e != ndim) /* the result has other axes than the rule says, for example it is flattened */
        return gndm__fn_gathered(a);
    gndm_part *p = gndm__whole_axes(c, x->part, axes);
    st = p->status ? gndm__broken(c, p->status, "%s", gndm_part_error(p)) : GND_OK;
    if (!st)
        st = move_operands(a, p);
    if (!st)
        st = gndm__local_call(a, &local);
    if (!st) {
        gndm_part *after = gndm__part_axes(c, p, ndim, gnd_shape(v.as.array), from);
        st = gndm__ret(a, &local, after);
        gndm_part_free(after);
    }
    gndm_part_free(p);
    return st;
}

/* cross: along the axis of three elements, of arrays of one shape. */
gnd_status gndm__fn_cross(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x1"), *y = gndm__arg_array(a, "x2");
    const int same =
        x && y && x->part->ndim == y->part->ndim &&
        !memcmp(x->part->shape, y->part->shape, (size_t)x->part->ndim * sizeof(int64_t));
    return same ? gndm__fn_lines(a) : gndm__fn_gathered(a);
}

/* --- whole arrays ----------------------------------------------------------------------------- */

static gnd_status local_one(gndm__args *a, gnd_value *v, void *data)
{
    (void)a;
    (void)data;
    *v = gnd_value_array(gndm__as_array(v)->local);
    return GND_OK;
}

static gnd_status wait_for(const gnd_value *v)
{
    gnd_status st = GND_OK;
    if (v->tag == GND_V_ARRAY && !gnd_is_weak(v->as.array))
        return gnd_wait(v->as.array);
    for (int64_t i = 0; (v->tag == GND_V_TUPLE || v->tag == GND_V_LIST) && i < v->as.items.n && !st;
         i++)
        st = wait_for(&v->as.items.item[i]);
    return st;
}

/* Converts an array that every rank has to a replicated distributed array. Other values stay. */
static gnd_value whole(gndm_ctx *c, const gnd_value *v)
{
    if (v->tag != GND_V_ARRAY || gnd_is_weak(v->as.array))
        return *v;
    return gndm_value(gndm__copied(c, v->as.array));
}

gnd_status gndm__fn_gathered(gndm__args *a)
{
    gnd_value local;
    gnd_status st = GND_OK;
    for (int i = 0; i < a->n && !st; i++) /* all operands become whole on every rank */
        st = gndm__each_array(a, &a->v[i], gndm__parameter, NULL);
    if (st)
        return st;
    gnd_value *v = malloc(((size_t)a->n + 1) * sizeof *v);
    st = v ? GND_OK : GND_ERR_NOMEM;
    for (int i = 0; i < a->n && !st; i++) {
        v[i] = a->v[i];
        st = gndm__each_array(a, &v[i], local_one, NULL);
    }
    if (!st)
        st = gnd_call_function(a->c->dev, a->f, a->n, v, a->nkw, a->kw, &local);
    free(v);
    if (!st) /* the shape may depend on values, so all ranks need the computed result */
        st = wait_for(&local);
    st = gndm__agree(a->c, st, st == GND_ERR_NOMEM ? "out of host memory" : gnd_message());
    if (st)
        return st;
    if (local.tag != GND_V_TUPLE && local.tag != GND_V_LIST) {
        const gnd_value y = whole(a->c, &local);
        if (gndm__as_array(&y))
            return gndm__ret_array(a, gndm__as_array(&y));
        *a->out = y;
        return GND_OK;
    }
    gnd_value *item = calloc((size_t)local.as.items.n + 1, sizeof *item);
    if (!item)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int64_t i = 0; i < local.as.items.n; i++)
        item[i] = whole(a->c, &local.as.items.item[i]);
    *a->out = gnd_value_tuple(local.as.items.n, item);
    gndm__drop_items(&local);
    a->out->aux = GND_VALUE_OWNED;
    return GND_OK;
}
