/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_count.c - counts: bincount and histogram. Each rank counts its part, and one exchange adds the
 * counts. Also functions of each element of one operand that need the other operands whole (bins,
 * points, sorted values): the first operand stays where it is.
 */
#include "shuffle.h"

#include <string.h>

/* The sum over the ranks of their 1-d arrays of m elements. Every rank gets the whole sum, or, if m
 * is large, a part of it. */
static gndm_array *added(gndm_ctx *c, gnd_dtype t, gnd_array *own, int64_t m)
{
    enum { LARGE = 1 << 16 };
    const int64_t shape[2] = {c->size, m}, row[2] = {1, m};
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut)
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    gndm__even_cuts(c->size, c->size, cut);
    gndm_part *p = gndm__part_new(c, 2, shape), *to, *after;
    gndm__part_split(c, p, 0, c->size, 1, cut);
    free(cut);
    gndm_array *y = gndm__array(c, t, p, gnd_status_of(own) ? own : gnd_reshape(own, 2, row));
    to = m > LARGE ? gndm__whole_axes(c, p, 1) : gndm__part_new(c, 2, shape);
    y = y->status ? y : gndm__moved(c, y, to);
    after = gndm__part_axes(c, to, 1, &m, (int[]){1});
    if (!y->status)
        y = gndm__array(c, t, after, gnd_sum_as(y->local, GND_AXIS(0), 0, t));
    gndm_part_free(p);
    gndm_part_free(to);
    gndm_part_free(after);
    return y;
}

/* The smallest or largest element of x (f: "min" or "max"), on every rank. */
static gnd_status extreme(gndm_ctx *c, const char *f, gndm_array *x, gnd_array **out)
{
    gndm_array *y = gndm__call1(c, f, x);
    gnd_status st = gndm__check(c, y);
    if (!st)
        st = gndm__settle(c, 1, &y);
    *out = st ? NULL : y->local;
    return st;
}

/* Moves the operand *w to the partition of the vector x. *w NULL: does nothing. */
static gnd_status beside(gndm_ctx *c, gndm_array **w, gndm_array *x)
{
    if (!*w)
        return GND_OK;
    *w = gndm__vector(c, *w);
    if (!(*w)->status)
        *w = gndm__moved(c, *w, x->part);
    return gndm__check(c, *w);
}

/* --- bincount --------------------------------------------------------------------------------- */

gnd_status gndm__fn_bincount(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *w = gndm__arg_array(a, "weights");
    const int64_t given = gndm__arg_int(a, "length", -1);
    int64_t n = gndm__arg_int(a, "minlength", 0), ends[2] = {0, -1};
    if (!x || x->part->ndim != 1 || !gndm__part_split_anywhere(x->part) ||
        !strchr("iub", gnd_dtype_kind(x->dtype)) || n < 0 || given < -1 ||
        (w && (w->part->ndim != 1 || w->part->shape[0] != x->part->shape[0] ||
               gnd_dtype_kind(w->dtype) == 'c')) ||
        (gndm__arg(a, "weights") && !w))
        return gndm__fn_gathered(a); /* gnd's messages */
    x = gndm__vector(c, x);
    gnd_status st = gndm__check(c, x);
    if (!st)
        st = beside(c, &w, x);
    for (int i = 0; i < 2 && !st && given < 0 && gndm_elements(x); i++) {
        gnd_array *y;
        st = extreme(c, i ? "max" : "min", x, &y);
        if (!st)
            ends[i] = gnd_item_i64(gnd_astype(y, GND_INT64), &st);
    }
    if (st)
        return st;
    if (x->dtype == GND_UINT64 && gndm_elements(x) && given < 0 && ends[1] < 0)
        return gndm__fail(c, GND_ERR_OVERFLOW,
                          "bincount: x has %llu: so many bins are not possible",
                          (unsigned long long)ends[1]);
    if (ends[0] < 0)
        return gndm__fail(c, GND_ERR_ARG, "bincount: x has %lld: none may be negative",
                          (long long)ends[0]);
    if (ends[1] == INT64_MAX)
        return gndm__fail(c, GND_ERR_OVERFLOW,
                          "bincount: x has %lld: so many bins are not possible",
                          (long long)ends[1]);
    n = given >= 0 ? given : ends[1] >= n ? ends[1] + 1 : n;
    gnd_array *own = gnd_bincount_of(x->local, w ? w->local : NULL, n);
    return gndm__ret_array(a, added(c, w ? gnd_default_float(c->dev) : GND_INT64, own, n));
}

/* --- histogram -------------------------------------------------------------------------------- */

/* The edges of the bins on every rank. */
static gnd_status edges_of(gndm__args *a, gndm_array *x, gnd_array **edges)
{
    gndm_ctx *c = a->c;
    const gnd_value *r = gndm__arg(a, "range");
    gndm_array *given = gndm__arg_array(a, "bins");
    const int64_t bins = gndm__arg_int(a, "bins", 10);
    if (given) {
        gndm_part *p = gndm__part_new(c, 1, given->part->shape);
        given = gndm__moved(c, given, p);
        gndm_part_free(p);
        *edges = given->local;
        return gndm__check(c, given);
    }
    if (r || gndm_elements(x) == 0) {
        double range[2];
        for (int i = 0; i < 2 && r; i++) {
            const gnd_value *v = &r->as.items.item[i];
            range[i] = v->tag == GND_V_FLOAT ? v->as.z.re : (double)v->as.i;
        }
        const int64_t none = 0;
        *edges =
            gnd_histogram_bin_edges(gnd_zeros(c->dev, x->dtype, 1, &none), bins, r ? range : NULL);
        return GND_OK;
    }
    gnd_array *end[2];
    gnd_status st = extreme(c, "min", x, &end[0]);
    if (!st)
        st = extreme(c, "max", x, &end[1]);
    if (!st)
        *edges = gnd_histogram_bin_edges(gnd_stack(2, end, 0), bins, NULL);
    return st;
}

gnd_status gndm__fn_histogram(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *w = gndm__arg_array(a, "weights"), *out[2];
    const gnd_value *bins = gndm__arg(a, "bins");
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    if (!x || !gndm__part_split_anywhere(x->part) || (gndm__arg(a, "weights") && !w) ||
        (bins && bins->tag != GND_V_INT &&
         (!gndm__as_array(bins) || gndm__as_array(bins)->part->ndim != 1)))
        return gndm__fn_gathered(a);
    x = gndm__vector(c, x);
    st = gndm__check(c, x);
    if (!st)
        st = beside(c, &w, x);
    gnd_array *edges = NULL, *part[2];
    if (!st)
        st = edges_of(a, x, &edges);
    if (!st) {
        st = gnd_wait(edges);
        st = gndm__agree(c, st, gnd_status_of(edges) ? gnd_error(edges) : gnd_message());
    }
    if (st)
        return st;
    const int64_t m = gnd_dim(edges, 0), n = m - 1;
    gnd_histogram(x->local, 0, NULL, edges, w ? w->local : NULL, 0, part); /* errors stay in part */
    const gnd_dtype t = !w || w->dtype == GND_BOOL ? GND_INT64 : w->dtype;
    out[0] = added(c, t, part[0], n);
    gndm_part *p = gndm__part_new(c, 1, &m);
    out[1] = gndm__array(c, gnd_dtype_of(edges), p, edges);
    gndm_part_free(p);
    st = gndm__check(c, out[0]);
    if (st || !gndm__arg_true(a, "density"))
        return st ? st : gndm__ret_arrays(a, 2, out);
    /* density: counts / widths / sum, in the order of gnd_histogram */
    const gnd_dtype real = gnd_default_float(c->dev);
    const gnd_dtype td = gnd_dtype_kind(t) != 'c' ? real
                         : real == GND_FLOAT64    ? GND_COMPLEX128
                                                  : GND_COMPLEX64;
    gnd_array *wide = gnd_subtract(gnd_slice(edges, 0, 1, m), gnd_slice(edges, 0, 0, n));
    p = gndm__part_new(c, 1, &n);
    gndm_array *h = gndm__call2(c, "astype", gndm_value(out[0]), gnd_value_dtype(td));
    gndm_array *width = gndm__array(c, real, p, gnd_astype(wide, real));
    gndm_part_free(p);
    h = gndm__call2(c, "divide", gndm_value(h), gndm_value(width));
    out[0] = gndm__call2(c, "divide", gndm_value(h), gndm_value(gndm__call1(c, "sum", out[0])));
    return gndm__ret_arrays(a, 2, out);
}

gnd_status gndm__fn_bin_edges(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    const gnd_value *bins = gndm__arg(a, "bins");
    gnd_array *edges = NULL;
    if (!x || !gndm__part_split_anywhere(x->part) || (bins && bins->tag != GND_V_INT))
        return gndm__fn_gathered(a);
    const gnd_status st = edges_of(a, x, &edges);
    return st ? st : gndm__ret_array(a, gndm__copied(a->c, edges));
}

/* --- elementwise with whole other operands ---------------------------------------------------- */

/* Whether every rank has the other operands whole, and they are vectors or numbers: the result then
 * has the shape of x. */
static int others_here(const gndm__args *a, const gndm_array *x)
{
    int here = x && gndm_elements(x) > 0;
    for (int i = 0; i < a->n && here; i++) {
        const gndm_array *y = gndm__as_array(&a->v[i]);
        here = !y || y == x || (y->part->ndim < 2 && !gndm__part_split_anywhere(y->part));
    }
    return here;
}

/* Operand `data` of the rule keeps its partition; every rank gets the other operands whole. */
gnd_status gndm__fn_beside(gndm__args *a)
{
    gndm_ctx *c = a->c;
    const int keep = a->at[a->rule->data];
    gndm_array *x = keep >= 0 ? gndm__as_array(&a->v[keep]) : NULL;
    gnd_value v, local;
    if (others_here(a, x)) {
        const gnd_status done = gndm__local_call(a, &local);
        if (done)
            return done;
        if (local.tag == GND_V_ARRAY && !gnd_is_weak(local.as.array))
            return gndm__ret(a, &local, x->part);
        gndm__drop_items(&local);
    }
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || v.tag != GND_V_ARRAY || gnd_ndim(v.as.array) != x->part->ndim ||
        memcmp(gnd_shape(v.as.array), x->part->shape, (size_t)x->part->ndim * sizeof(int64_t)) != 0)
        return gndm__fn_gathered(a);
    for (int i = 0; i < a->n && !st; i++) {
        gndm_array *y = gndm__as_array(&a->v[i]);
        if (!y || i == keep)
            continue;
        gndm_part *p = gndm__part_new(c, y->part->ndim, y->part->shape);
        gndm__replace(a, i, gndm__moved(c, y, p));
        gndm_part_free(p);
        st = gndm__check(c, gndm__as_array(&a->v[i]));
    }
    if (!st)
        st = gndm__local_call(a, &local);
    return st ? st : gndm__ret(a, &local, x->part);
}
