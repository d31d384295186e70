/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_sort.c - sorts of vectors and along split axes, largest elements. A rank sorts its
 * part, sends runs as sample.c determines, and sorts the runs that it receives. These arrive in the
 * order of the ranks, and gnd's sorts are stable, so the distributed sort is stable too. No rank
 * holds more than its share of the result and n / p + p + 1 elements, besides its own part. If
 * another axis is long enough to be split instead, the lines are made whole and sorted locally
 * (fn_lines.c).
 */
#include "shuffle.h"

#include <string.h>

/* --- vectors ---------------------------------------------------------------------------------- */

/* Maps x to elements whose ascending order is the descending order of x, with NaN last in both.
 * Applying it twice gives x. */
static gnd_array *reversed(gnd_array *x, gnd_dtype t)
{
    switch (gnd_dtype_kind(t)) {
    case 'b': return gnd_logical_not(x);
    case 'i':
    case 'u': return gnd_bitwise_invert(x);
    default: return gnd_negative(x);
    }
}

/* Sorts the vector x: *value gets the elements, *index their positions in x, both in the partition
 * of x. Either may be NULL. */
static gnd_status sort_vector(gndm_ctx *c, gndm_array *x, int descending, gndm_array **value,
                              gndm_array **index)
{
    const gnd_dtype t = x->dtype;
    gndm__shuffle s = {0};
    int64_t *send = malloc((size_t)c->size * sizeof *send);
    if (!send)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    /* two rounds: sort the own part, then the received runs */
    gnd_array *pair[2] = {descending ? reversed(x->local, t) : x->local, NULL};
    gnd_status st = GND_OK;
    for (int round = 0; round < 2 && !st; round++) {
        if (index) {
            gnd_array *order = gnd_argsort(pair[0], 0, 0);
            pair[0] = gnd_take(pair[0], order, 0);
            pair[1] = round ? gnd_take(pair[1], order, 0) : gnd_add_i(order, gndm__first(x));
            gnd_eval_all(2, pair); /* together: the order is computed once; failures stay in them */
        } else {
            pair[0] = gnd_sort(pair[0], 0, 0);
        }
        if (round)
            break;
        st = gndm__sample_split(c, pair[0], t, x->part->cut[0], GNDM__DIVIDED, send);
        if (!st)
            st = gndm__shuffle_open(c, &s, send);
        if (!st)
            st = gndm__shuffle_run(c, &s, 0, t, pair[0], 1, &pair[0]);
        if (!st && index)
            st = gndm__shuffle_run(c, &s, 0, GND_INT64, pair[1], 1, &pair[1]);
    }
    gndm__shuffle_close(&s);
    free(send);
    if (!st && index) {
        *index = gndm__joined(c, GND_INT64, pair[1], 1, 0, x->part);
        st = gndm__check(c, *index);
    }
    if (!st && value) {
        pair[0] = descending ? reversed(pair[0], t) : pair[0];
        *value = gndm__joined(c, t, pair[0], 1, 0, x->part);
        st = gndm__check(c, *value);
    }
    return st;
}

/* --- along a split axis ----------------------------------------------------------------------- */

/* Sorts each line along axis d as a vector of its own. For arrays with few lines. */
static gndm_array *sort_lines(gndm_ctx *c, gndm_array *x, int d, int descending, int where)
{
    x = gndm__split_along(c, x, d);
    if (x->status)
        return x;
    const int last = x->part->ndim - 1;
    const gnd_dtype t = where ? GND_INT64 : x->dtype;
    int64_t lines = 1, dim[GND_MAX_NDIM];
    gndm__box b;
    gndm__part_box(x->part, c->rank, &b);
    const int64_t own = b.stop[d] - b.start[d], n = x->part->shape[d];
    int e = 0;
    for (int k = 0; k <= last; k++)
        if (k != d)
            lines *= dim[e++] = x->part->shape[k];
    dim[last] = own;
    gnd_array *flat = gnd_reshape(gnd_moveaxis(x->local, 1, &d, &last), 2, (int64_t[]){lines, own});
    gnd_array **row = malloc(((size_t)lines + 1) * sizeof *row);
    gndm_part *p = gndm__part_new(c, 1, &n);
    gndm__part_split(c, p, 0, c->size, 1, x->part->cut[d]);
    gnd_status st =
        row ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int64_t i = 0; i < lines && !st; i++) {
        gnd_array *line = gnd_reshape(gnd_slice(flat, 0, i, i + 1), 1, &own);
        gndm_array *y = NULL, *v = gndm__array(c, x->dtype, p, line);
        st = sort_vector(c, v, descending, where ? NULL : &y, where ? &y : NULL);
        row[i] = st ? NULL : y->local;
    }
    gnd_array *y = st ? NULL : gnd_reshape(gnd_stack((int)lines, row, 0), x->part->ndim, dim);
    gndm_array *z =
        st ? gndm__error(c, st) : gndm__array(c, t, x->part, gnd_moveaxis(y, 1, &last, &d));
    free(row);
    gndm_part_free(p);
    return z;
}

int gndm__few_lines(const gndm_part *p, int d)
{
    int64_t longest = 0;
    if (p->grid[d] == 1 || !gndm__product(p->ndim, p->shape))
        return 0;
    for (int e = 0; e < p->ndim; e++)
        if (e != d && p->grid[e] == 1 && p->shape[e] > longest)
            longest = p->shape[e];
    return longest < 2 || 2 * longest <= p->grid[d];
}

gndm_array *gndm__sorted(gndm_ctx *c, gndm_array *x, int d)
{
    gndm_array *y = NULL;
    if (x->part->ndim > 1)
        return sort_lines(c, x, d, 0, 0);
    const gnd_status st = sort_vector(c, x, 0, &y, NULL);
    return st ? gndm__error(c, st) : y;
}

gnd_status gndm__fn_sort(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y = NULL;
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || v.tag != GND_V_ARRAY || !gndm__part_split_anywhere(x->part))
        return gndm__fn_lines(a);
    const int where = !strncmp(a->name, "arg", 3), ndim = x->part->ndim;
    const int descending = gndm__arg_true(a, "descending");
    int64_t d = gndm__arg_int(a, "axis", -1);
    d = d < 0 ? d + ndim : d;
    if (ndim == 1 || gnd_ndim(v.as.array) != ndim) { /* a vector, or axis=None: flattened */
        x = gndm__vector(c, x);
        st = gndm__check(c, x);
        if (!st)
            st = sort_vector(c, x, descending, where ? NULL : &y, where ? &y : NULL);
        return st ? st : gndm__ret_array(a, y);
    }
    if (gndm__few_lines(x->part, (int)d))
        return gndm__ret_array(a, sort_lines(c, x, (int)d, descending, where));
    return gndm__fn_lines(a);
}

/* --- the largest elements --------------------------------------------------------------------- */

/* Collects the k largest or smallest elements of each part along axis d, and their positions, on
 * every rank. The result is among them. They are in the order of the ranks, so the first of equal
 * elements is preferred. */
static gnd_status candidates(gndm_ctx *c, gndm_array *x, int d, int64_t k, unsigned flags,
                             gnd_array **value, gnd_array **index)
{
    gndm__box b;
    gnd_array *out[2];
    gndm__part_box(x->part, c->rank, &b);
    const int64_t own = b.stop[d] - b.start[d];
    gnd_topk(x->local, own < k ? own : k, d, flags, out); /* a failure is recorded in out */
    out[1] = gnd_add_i(out[1], b.start[d]);
    int64_t shape[GND_MAX_NDIM];
    const int ndim = x->part->ndim;
    memcpy(shape, x->part->shape, (size_t)ndim * sizeof *shape);
    shape[d] = 0;
    for (int r = 0; r < c->size; r++) {
        gndm__part_box(x->part, r, &b);
        shape[d] += b.stop[d] - b.start[d] < k ? b.stop[d] - b.start[d] : k;
    }
    gndm_part *whole = gndm__part_new(c, ndim, shape);
    gndm_array *v = gndm__joined(c, x->dtype, out[0], ndim, d, whole);
    gndm_array *i = v->status ? v : gndm__joined(c, GND_INT64, out[1], ndim, d, whole);
    gndm_part_free(whole);
    *value = v->local;
    *index = i->local;
    return gndm__check(c, i);
}

/* The candidates of all ranks decide: every rank has the result. */
static gnd_status of_candidates(gndm_ctx *c, gndm_array *x, int d, int64_t k, unsigned flags,
                                gndm_array **y)
{
    gnd_array *value, *index, *out[2];
    const gnd_status st = candidates(c, x, d, k, flags, &value, &index);
    if (st)
        return st;
    int64_t shape[GND_MAX_NDIM];
    memcpy(shape, x->part->shape, (size_t)x->part->ndim * sizeof *shape);
    shape[d] = k;
    gnd_topk(value, k, d, flags, out);
    gndm_part *whole = gndm__part_new(c, x->part->ndim, shape);
    y[0] = gndm__array(c, x->dtype, whole, out[0]);
    y[1] = gndm__array(c, GND_INT64, whole, gnd_take_along_axis(index, out[1], d));
    gndm_part_free(whole);
    return GND_OK;
}

gnd_status gndm__fn_topk(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y[2] = {NULL, NULL};
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    if (!x || !gndm__part_split_anywhere(x->part))
        return gndm__fn_lines(a);
    const int ndim = x->part->ndim;
    int64_t d = gndm__arg_int(a, "axis", -1);
    d = d < 0 ? d + ndim : d;
    const int64_t k = gndm__arg_int(a, "k", 0), few = x->part->shape[d] / c->size / 2;
    const unsigned flags = gndm__arg_int(a, "largest", 1) ? 0 : GND_SMALLEST;
    if (ndim > 1 && (!gndm__few_lines(x->part, (int)d) || k > few))
        return gndm__fn_lines(a);
    x = ndim == 1 ? gndm__vector(c, x) : gndm__split_along(c, x, (int)d);
    st = gndm__check(c, x);
    if (!st && k <= few) {
        st = of_candidates(c, x, (int)d, k, flags, y);
    } else if (!st) {
        const gnd_range first = GND_SLICE(0, k);
        st = sort_vector(c, x, !flags, &y[0], &y[1]);
        for (int i = 0; i < 2 && !st; i++)
            y[i] = gndm_index(y[i], 1, &first);
    }
    return st ? st : gndm__ret_arrays(a, 2, y);
}
