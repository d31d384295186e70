/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_search.c - the language's searches and counts: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/search.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

#include <string.h>

/* Reads argument i as an array; *x is NULL if it was not given. Returns 0, or -1 on an error. */
static int optional(gnd__args *c, int i, gnd_array **x)
{
    *x = NULL;
    return gnd__arg_given(c, i) && !(*x = gnd__arg_strong(c, i)) ? -1 : 0;
}

static int flag(gnd__args *c, int i, int *v)
{
    *v = 0;
    return gnd__arg_given(c, i) ? gnd__arg_bool(c, i, v) : 0;
}

int gnd__fn_searchsorted(gnd__args *c)
{
    gnd_array *sorter, *a = gnd__arg_strong(c, 0), *v = a ? gnd__arg_array(c, 1) : NULL;
    int right = v ? gnd__arg_word(c, 2, "left right", 0) : -1, side = right ? GND_RIGHT : GND_LEFT;
    if (right < 0 || optional(c, 3, &sorter))
        return -1;
    return gnd__ret(c, gnd_searchsorted(a, v, side, sorter));
}

int gnd__fn_digitize(gnd__args *c)
{
    int right;
    gnd_array *x = gnd__arg_strong(c, 0), *bins = x ? gnd__arg_strong(c, 1) : NULL;
    return !bins || flag(c, 2, &right) ? -1 : gnd__ret(c, gnd_digitize(x, bins, right));
}

int gnd__fn_interp(gnd__args *c)
{
    double period = 0;
    gnd_array *in[5] = {NULL};
    for (int i = 0; i < 3; i++)
        if (!(in[i] = gnd__arg_strong(c, i)))
            return -1;
    for (int i = 3; i < 5; i++)
        if (gnd__arg_given(c, i) && !(in[i] = gnd__arg_array(c, i)))
            return -1;
    if (gnd__arg_given(c, 5)) {
        if (gnd__arg_real(c, 5, &period))
            return -1;
        if (period == 0)
            return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[5].at, "interp: the period is 0");
    }
    return gnd__ret(c, gnd_interp(in[0], in[1], in[2], in[3], in[4], period));
}

int gnd__fn_bincount(gnd__args *c)
{
    int64_t least = 0, length;
    gnd_array *x = gnd__arg_strong(c, 0), *w;
    if (!x || optional(c, 1, &w) || (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &least)))
        return -1;
    if (!gnd__arg_given(c, 3))
        return gnd__ret(c, gnd_bincount(x, w, least));
    return gnd__arg_int(c, 3, &length) ? -1 : gnd__ret(c, gnd_bincount_of(x, w, length));
}

/* --- histograms ------------------------------------------------------------------------------- */

static int real_of(const gnd__val *v, double *d)
{
    if (v->kind < GND__V_BOOL || v->kind > GND__V_FLOAT)
        return -1;
    *d = gnd__val_real(v);
    return 0;
}

/* Converts v to two numbers, r[0] and r[1]. Returns 0, or -1 without an error. */
static int pair_of(const gnd__val *v, double *r)
{
    return !gnd__val_is_seq(v) || v->seq->n != 2 || real_of(&v->seq->item[0], r) ||
                   real_of(&v->seq->item[1], r + 1)
               ? -1
               : 0;
}

/* Converts v to a number of bins, or to edges: an array that s owns and the caller drops. Returns
 * 0, or -1 with the error set. */
static int bins_of(gnd__args *c, int i, const gnd__val *v, int64_t *bins, gnd__slot *s,
                   gnd_array **edges)
{
    int one = v->kind == GND__V_ARRAY ? gnd_ndim(v->held->a) == 0 : !gnd__val_is_seq(v);
    *edges = NULL;
    *bins = 0;
    if (one) {
        int r = gnd__val_to_int(c->x, v, c->arg[i].at, bins);
        return r > 0 ? gnd__arg_wrong(c, i, "a number of bins or their edges") : r;
    }
    s->v = gnd__val_ref(v);
    s->at = c->arg[i].at;
    *edges = gnd__slot_strong(c, s, c->param[i]);
    return *edges ? 0 : -1;
}

/* Reads the bins and the range of one dimension, arguments 1 and 2. */
static int bins_and_range(gnd__args *c, int64_t *bins, double *range, gnd_array **edges,
                          gnd__slot *s)
{
    *bins = 10;
    *edges = NULL;
    if (gnd__arg_given(c, 1) && bins_of(c, 1, &c->arg[1].v, bins, s, edges))
        return -1;
    if (gnd__arg_given(c, 2) && pair_of(&c->arg[2].v, range))
        return gnd__arg_wrong(c, 2, "two numbers");
    return 0;
}

int gnd__fn_histogram_bin_edges(gnd__args *c)
{
    int64_t bins;
    double range[2];
    gnd__slot s = {.v.kind = GND__V_MISSING};
    gnd_array *x = gnd__arg_strong(c, 0), *edges;
    int bad = !x || bins_and_range(c, &bins, range, &edges, &s) ? -1 : 0;
    if (!bad)
        bad = gnd__ret(
            c, edges ? gnd__again(edges)
                     : gnd_histogram_bin_edges(x, bins, gnd__arg_given(c, 2) ? range : NULL));
    gnd__val_drop(&s.v);
    return bad;
}

int gnd__fn_histogram(gnd__args *c)
{
    int64_t bins;
    int density;
    double range[2];
    gnd__slot s = {.v.kind = GND__V_MISSING};
    gnd_array *x = gnd__arg_strong(c, 0), *edges, *weights, *out[2];
    int bad = !x || bins_and_range(c, &bins, range, &edges, &s) || flag(c, 3, &density) ||
                      optional(c, 4, &weights)
                  ? -1
                  : 0;
    if (!bad) {
        gnd_status st = gnd_histogram(x, bins, gnd__arg_given(c, 2) ? range : NULL, edges, weights,
                                      density ? GND_DENSITY : 0, out);
        bad = gnd__ret_tuple(c, out, 2, st);
    }
    gnd__val_drop(&s.v);
    return bad;
}

/* Reads the bins of n dimensions in argument i: a number or edges, once for all dimensions or once
 * for each. */
static int all_bins(gnd__args *c, int i, int n, int64_t *bins, gnd_array **edges, gnd__slot *s)
{
    const gnd__val *v = &c->arg[i].v;
    for (int d = 0; d < n; d++)
        bins[d] = 10;
    if (!gnd__arg_given(c, i))
        return 0;
    if (v->kind == GND__V_ARRAY && gnd_ndim(v->held->a) == 1 && gnd_dim(v->held->a, 0) == n) {
        int m;
        return gnd__arg_ints(c, i, bins, n, &m);
    }
    int each = gnd__val_is_seq(v) && v->seq->n == n;
    for (int d = 0; d < n; d++)
        if (bins_of(c, i, each ? &v->seq->item[d] : v, &bins[d], &s[d], &edges[d]))
            return -1;
    return 0;
}

/* Reads the ranges of n dimensions in argument i. None becomes the range of the elements, which
 * waits for the device. */
static int all_ranges(gnd__args *c, int i, int n, gnd_array *const *x, double *range)
{
    const gnd__val *v = &c->arg[i].v;
    if (!gnd__val_is_seq(v) || v->seq->n != n)
        return gnd__arg_wrong(c, i, "a pair of numbers for each dimension");
    for (int d = 0; d < n; d++) {
        if (v->seq->item[d].kind != GND__V_NONE) {
            if (pair_of(&v->seq->item[d], range + 2 * d))
                return gnd__arg_wrong(c, i, "a pair of numbers for each dimension");
            continue;
        }
        gnd_status st = GND_OK;
        gnd_array *e = gnd_histogram_bin_edges(x[d], 1, NULL);
        gnd_array *end[2] = {gnd_at(e, "0"), gnd_at(e, "1")};
        for (int k = 0; k < 2 && !st; k++)
            range[2 * d + k] = gnd_item_f64(end[k], &st);
        if (st)
            gnd__expr_fail(c->x, st, c->at, "%s", gnd_message());
        gnd_release(end[0]);
        gnd_release(end[1]);
        gnd_release(e);
        if (st)
            return -1;
    }
    return 0;
}

/* Returns (h, (e0, e1, ...)) from n + 1 arrays and takes ownership of their handles. */
static int nested(gnd__args *c, gnd_array **out, int n, gnd_status status)
{
    gnd__val pair[2];
    int bad = gnd__ret_tuple(c, out + 1, n, status);
    if (bad) {
        gnd_release(out[0]);
        return bad;
    }
    pair[1] = *c->out;
    c->out->kind = GND__V_MISSING;
    bad = gnd__val_array(c->x, &pair[0], out[0], c->at);
    if (bad)
        pair[0].kind = GND__V_MISSING;
    else
        bad = gnd__val_seq(c->x, c->out, GND__V_TUPLE, pair, 2, c->at);
    gnd__val_drop(&pair[0]);
    gnd__val_drop(&pair[1]);
    return bad;
}

/* The histogram of n coordinates. bins, range, density and weights are the arguments from `at` on.
 * rows: the edges are a tuple inside the result. */
static int in_dimensions(gnd__args *c, int n, gnd_array *const *x, int at, int rows)
{
    int64_t bins[GND_MAX_NDIM];
    double range[2 * GND_MAX_NDIM];
    gnd__slot s[GND_MAX_NDIM];
    gnd_array *edges[GND_MAX_NDIM] = {NULL}, *weights, *out[GND_MAX_NDIM + 1];
    int density, ranged = gnd__arg_given(c, at + 1);
    memset(s, 0, sizeof s); /* GND__V_MISSING */
    int bad = all_bins(c, at, n, bins, edges, s) ||
                      (ranged && all_ranges(c, at + 1, n, x, range)) || flag(c, at + 2, &density) ||
                      optional(c, at + 3, &weights)
                  ? -1
                  : 0;
    if (!bad) {
        gnd_status st = gnd_histogramdd(n, x, bins, ranged ? range : NULL, edges, weights,
                                        density ? GND_DENSITY : 0, out);
        bad = rows ? nested(c, out, n, st) : gnd__ret_tuple(c, out, n + 1, st);
    }
    for (int d = 0; d < n; d++)
        gnd__val_drop(&s[d].v);
    return bad;
}

int gnd__fn_histogram2d(gnd__args *c)
{
    gnd_array *x[2];
    for (int i = 0; i < 2; i++)
        if (!(x[i] = gnd__arg_strong(c, i)))
            return -1;
    return in_dimensions(c, 2, x, 2, 0);
}

/* x is an array whose rows are points, or a list of the coordinates. */
int gnd__fn_histogramdd(gnd__args *c)
{
    int n = 0, bad;
    gnd_array *x[GND_MAX_NDIM], **list = NULL;
    if (gnd__val_is_seq(&c->arg[0].v)) {
        if (!(list = gnd__arg_arrays(c, 0, &n)))
            return -1;
        bad = n < 1 || n > GND_MAX_NDIM;
        for (int i = 0; i < n && !bad; i++)
            x[i] = gnd__again(list[i]);
        gnd__free(list);
    } else {
        gnd_array *rows = gnd__arg_strong(c, 0);
        if (!rows)
            return -1;
        bad = gnd_ndim(rows) != 2 || gnd_dim(rows, 1) < 1 || gnd_dim(rows, 1) > GND_MAX_NDIM;
        n = bad ? 0 : (int)gnd_dim(rows, 1);
        if (!bad)
            (void)gnd_unstack(rows, 1, x);
    }
    if (bad)
        return gnd__arg_wrong(c, 0, "rows of 1 to 32 coordinates, or so many arrays");
    bad = in_dimensions(c, n, x, 1, 1);
    for (int i = 0; i < n; i++)
        gnd_release(x[i]);
    return bad;
}
