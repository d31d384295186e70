/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/ints.c - bounded integers, permutations and choices. They use only integers, and so
 * give the same results on every device, except for weighted choices without replacement.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/host.h"
#include "ops/random/random.h"
#include "array/views.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/choices.h"
#include "prim/sort.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/sort.h>
#include <gnd/view.h>
#include "device/device.h"
#include "graph/graph.h"

/* --- integers --------------------------------------------------------------------------------- */

/* The least and the greatest value of an int dtype, or of bool. */
static void limits(gnd_dtype t, int64_t *least, uint64_t *greatest)
{
    int kind = gnd_dtype_kind(t), bits = 8 * (int)gnd_dtype_size(t);
    *least = kind == 'i' ? -((int64_t)1 << (bits - 2)) * 2 : 0;
    *greatest = kind == 'b' ? 1 : UINT64_MAX >> (64 - bits + (kind == 'i'));
}

static gnd_array *check_ints(gnd__draw *d, const gnd__param *p)
{
    int kind = gnd_dtype_kind((gnd_dtype)p->x->dtype);
    if (p->x->weak && kind == 'u')
        return gnd__fail(d->dev, GND_ERR_OVERFLOW, "%s: %s %" PRIu64 " does not fit int64", d->func,
                         p->name, p->x->p.value.u);
    if (strchr("biu", kind))
        return NULL;
    return gnd__fail(d->dev, GND_ERR_DTYPE, "%s: %s is %s: it must be an int", d->func, p->name,
                     p->x->weak ? "a float scalar" : gnd_dtype_name((gnd_dtype)p->x->dtype));
}

/* Integers from lo to lo + s - 1; s = 0 means 2^64. */
static gnd_array *between(gnd__draw *d, int64_t lo, uint64_t s)
{
    int narrow = gnd_dtype_size(d->t) <= 4 || (s && s <= (uint64_t)1 << 32);
    gnd__scalar count = {.kind = 'u', .u = s}, first = {.kind = 'i', .i = lo};
    gnd_dtype w = narrow ? GND_UINT32 : GND_UINT64;
    gnd_array *n = gnd__const(d->dev, GND_UINT64, &count, 0);
    gnd_array *y = gnd__draw_raw(d, narrow ? GND__FN_BOUNDED32 : GND__FN_BOUNDED64, w, 0, 1, &n);
    if (d->t != GND_BOOL)
        y = gnd__as(y, d->t);
    if (!lo)
        return y;
    gnd_dtype c = d->t == GND_BOOL ? w : d->t;
    if (gnd_dtype_kind(c) == 'u') {
        first.kind = 'u';
        first.u = (uint64_t)lo;
    }
    return gnd__op2(GND__OP_ADD, y, gnd__const(d->dev, c, &first, 0));
}

static gnd_array *of_scalars(gnd__draw *d, gnd_array *low, gnd_array *high, int endpoint)
{
    int64_t least, lo = low ? low->p.value.i : 0, hi = high ? high->p.value.i : 0;
    uint64_t greatest;
    limits(d->t, &least, &greatest);
    if (high && (endpoint ? hi < lo : hi <= lo))
        return gnd__fail(d->dev, GND_ERR_ARG,
                         "%s: low %" PRId64 " and high %" PRId64 ": nothing lies between them",
                         d->func, lo, hi);
    uint64_t last = high ? (uint64_t)hi - !endpoint : greatest;
    if (lo < least || (lo > 0 && (uint64_t)lo > greatest) ||
        (high && ((int64_t)last < least || ((int64_t)last > 0 && last > greatest))))
        return gnd__fail(d->dev, GND_ERR_OVERFLOW, "%s: %" PRId64 " .. %" PRId64 " does not fit %s",
                         d->func, lo, (int64_t)last, gnd_dtype_name(d->t));
    return between(d, lo, last - (uint64_t)lo + 1);
}

/* x as an array of int64, or of uint64 if it is unsigned. */
static gnd_array *wide(gnd__draw *d, gnd_array *x)
{
    if (x->weak)
        return gnd__strong(x, d->dev, GND_INT64, d->func);
    return x->dtype == GND_UINT64 ? x : gnd__as(x, GND_INT64);
}

static gnd_array *of_arrays(gnd__draw *d, gnd_array *low, gnd_array *high, int endpoint)
{
    int narrow = gnd_dtype_size(d->t) <= 4;
    int64_t least;
    gnd__scalar most = {.kind = 'u'}, zero = {.kind = 'i'};
    limits(d->t, &least, &most.u);
    low = low ? wide(d, low) : gnd__const(d->dev, GND_INT64, &zero, 0);
    high = high ? wide(d, high) : gnd__const(d->dev, GND_UINT64, &most, 0);
    gnd_array *ok = gnd__op2(endpoint ? GND__OP_GREATER_EQUAL : GND__OP_GREATER, high, low);
    gnd_array *n = gnd__op2(GND__OP_SUBTRACT, gnd__as(high, GND_UINT64), gnd__as(low, GND_UINT64));
    if (endpoint)
        n = gnd__op2(GND__OP_ADD, n, gnd_int(1));
    n = gnd__op3(GND__OP_WHERE, ok, n, gnd_int(1));
    gnd_array *y = gnd__draw_raw(d, narrow ? GND__FN_BOUNDED32 : GND__FN_BOUNDED64,
                                 narrow ? GND_UINT32 : GND_UINT64, 0, 1, &n);
    gnd_dtype c = d->t == GND_BOOL ? GND_UINT32 : d->t;
    return gnd__op2(GND__OP_ADD, gnd__as(y, c), gnd__as(low, c));
}

gnd_array *gnd_rng_integers(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *shape, gnd_array *low, gnd_array *high, int endpoint)
{
    gnd__draw d;
    gnd__param p[2];
    int n = 0, weak = 1;
    if (low)
        p[n++] = (gnd__param){"low", GND__REAL, low};
    if (high)
        p[n++] = (gnd__param){"high", GND__REAL, high};
    gnd_array *bad = gnd__draw_shape(&d, "rng_integers", g, dev, ndim, shape, n, p);
    d.t = t == GND_DTYPE_DEFAULT ? GND_INT64 : t;
    for (int i = 0; i < n && !bad; i++) {
        bad = check_ints(&d, &p[i]);
        weak &= p[i].x->weak;
    }
    if (bad || (bad = gnd__check_type(d.func, d.dev, d.t)) ||
        (bad = gnd__check_shape(d.func, d.dev, d.t, d.ndim, d.dim)))
        return bad;
    if (!strchr("biu", gnd_dtype_kind(d.t)))
        return gnd__fail(d.dev, GND_ERR_DTYPE, "%s: dtype %s: it must be an int or bool", d.func,
                         gnd_dtype_name(d.t));
    d.in = gnd__enter(d.func);
    gnd__draw_places(&d);
    return gnd__draw_end(&d, weak ? of_scalars(&d, low, high, endpoint)
                                  : of_arrays(&d, low, high, endpoint || !high));
}

/* --- order ------------------------------------------------------------------------------------ */

/* Begins a call; the result is 64 random bits for each element of a shape, as sort keys. */
static gnd_array *keys(gnd__draw *d, const char *func, gnd_rng *g, gnd_device *dev, int ndim,
                       const int64_t *shape, gnd_array **out)
{
    gnd_array *bad = gnd__draw_shape(d, func, g, dev, ndim, shape, 0, NULL);
    if (bad)
        return bad;
    d->t = GND_INT64;
    d->in = gnd__enter(func);
    gnd__draw_places(d);
    *out = gnd__draw_raw(d, GND__FN_BITS64, GND_UINT64, 0, 0, NULL);
    return NULL;
}

/* Up to this length a row is sorted by one kernel; a second one costs more than it saves. CPUs sort
 * words of 64 bits in eight passes. */
#define SHORT 8192
#define SHORT_CPU 4096
/* Keys of longer rows have many ties in their upper halves. */
#define LONG ((int64_t)1 << 31)

/* The indices that sort random keys of one axis. The upper halves alone are sorted in half of the
 * passes, which move half of the bytes, and few of them are equal. */
static gnd_array *random_order(gnd_array *key)
{
    if (gnd__is_bad(key) || key->size <= (gnd__for_cpu(key->dev) ? SHORT_CPU : SHORT) ||
        key->size > LONG)
        return gnd_argsort(key, 0, 0);
    gnd_array *high = gnd__op2(GND__OP_BITWISE_RIGHT_SHIFT, key, gnd_int(32));
    gnd_array *order = gnd_argsort(gnd__as(high, GND_UINT32), 0, 0);
    return gnd__is_bad(order) ? order : gnd__ties_node(order, key);
}

gnd_array *gnd_rng_permutation(gnd_rng *g, gnd_device *dev, int64_t n)
{
    gnd__draw d;
    gnd_array *k;
    if (n < 0) {
        if (g)
            g->calls++;
        return gnd__fail(dev, GND_ERR_ARG,
                         "rng_permutation: n is %" PRId64 ": it must be 0 or more", n);
    }
    gnd_array *bad = keys(&d, "rng_permutation", g, dev, 1, &n, &k);
    return bad ? bad : gnd__draw_end(&d, random_order(k));
}

/* Checks x and axis of a function that reorders. On failure it counts the call of g, which
 * otherwise the draw counts. */
static gnd_array *check_order(const char *func, gnd_rng *g, gnd_array *x, int axis, int *k)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (!bad)
        bad = gnd__check_axis(func, x->dev, axis, x->ndim, k);
    if (bad && g)
        g->calls++;
    return bad;
}

gnd_array *gnd_rng_shuffle(gnd_rng *g, gnd_array *x, int axis)
{
    gnd__draw d;
    gnd_array *key;
    int k;
    gnd_array *bad = check_order("rng_shuffle", g, x, axis, &k);
    if (bad || (bad = keys(&d, "rng_shuffle", g, x->dev, 1, &x->dim[k], &key)))
        return bad;
    gnd_array *i = random_order(key);
    d.t = (gnd_dtype)x->dtype;
    return gnd__draw_end(&d, gnd__is_bad(i) ? i : gnd__taken(x, i, k));
}

gnd_array *gnd_rng_permuted(gnd_rng *g, gnd_array *x, int axis)
{
    gnd__draw d;
    gnd_array *key;
    int k;
    gnd_array *bad = check_order("rng_permuted", g, x, axis, &k);
    if (bad || (bad = keys(&d, "rng_permuted", g, x->dev, x->ndim, x->dim, &key)))
        return bad;
    gnd__gather how;
    for (int i = 0; i < x->ndim; i++) {
        how.from[i] = (int8_t)(i == k ? -1 : i);
        how.via[i] = 1;
    }
    gnd_array *i = gnd_argsort(key, k, 0);
    d.t = (gnd_dtype)x->dtype;
    return gnd__draw_end(
        &d, i->kind == GND__ERROR ? i : gnd__take_node(x, 1, &i, x->ndim, x->dim, &how));
}

/* --- choice ----------------------------------------------------------------------------------- */

/* Reads the weights p, divided by their sum, to *w (gnd__free). *some: how many are not 0. */
static gnd_array *weights(gnd__draw *d, gnd_array *p, int64_t n, double **w, int64_t *some)
{
    char text[GND__SHAPE_TEXT];
    void *data;
    double sum = 0;
    gnd_dtype t = (gnd_dtype)p->dtype;
    *some = 0;
    if (p->ndim != 1 || p->size != n)
        return gnd__fail(d->dev, GND_ERR_SHAPE, "%s: p has shape %s for %" PRId64 " elements",
                         d->func, gnd__shape_text(text, p->ndim, p->dim), n);
    if (gnd_dtype_kind(t) == 'c')
        return gnd__fail(d->dev, GND_ERR_DTYPE, "%s: p is complex: it must be real", d->func);
    gnd_status st = gnd__host_copy(d->func, p, &data);
    if (st)
        return gnd_fail(st, "%s", gnd_message());
    if (!(*w = gnd__malloc(((size_t)n + 1) * sizeof **w))) {
        gnd__free(data);
        return gnd__nomem();
    }
    for (int64_t i = 0; i < n; i++) {
        gnd__scalar v = gnd__load_scalar(t, (char *)data + (size_t)i * gnd_dtype_size(t));
        double x = v.kind == 'f' ? v.re : v.kind == 'u' ? (double)v.u : (double)v.i;
        (*w)[i] = x;
        sum += x;
        *some += x > 0;
        if (!(x >= 0) || isinf(x)) {
            gnd__free(*w);
            gnd__free(data);
            return gnd__fail(d->dev, GND_ERR_ARG, "%s: p[%" PRId64 "] is %g: weights are 0 or more",
                             d->func, i, x);
        }
    }
    gnd__free(data);
    if (!(sum > 0) || isinf(sum)) {
        gnd__free(*w);
        return gnd__fail(d->dev, GND_ERR_ARG, "%s: the weights p have the sum %g", d->func, sum);
    }
    for (int64_t i = 0; i < n; i++)
        (*w)[i] /= sum;
    return NULL;
}

/* The tables of the alias method (M. D. Vose, "A linear algorithm for generating random numbers
 * with a given distribution", 1991): index i is kept if 32 random bits are below keep[i], else it
 * becomes other[i]. */
static void alias(int64_t n, const double *w, uint64_t *keep, int64_t *other, int64_t *stack,
                  double *q)
{
    int64_t few = 0, many = n;
    for (int64_t i = 0; i < n; i++) {
        q[i] = w[i] * (double)n;
        keep[i] = (uint64_t)1 << 32;
        other[i] = i;
        if (q[i] < 1)
            stack[few++] = i;
        else
            stack[--many] = i;
    }
    while (few > 0 && many < n) {
        int64_t a = stack[--few], b = stack[many];
        keep[a] = (uint64_t)(q[a] * 4294967296.0 + 0.5);
        other[a] = b;
        q[b] -= 1 - q[a];
        if (q[b] < 1) {
            many++;
            stack[few++] = b;
        }
    }
    while (few > 0) { /* left over by rounding: the share is 1, or the weight is 0 */
        int64_t a = stack[--few];
        if (w[a] > 0)
            continue;
        for (int64_t b = 0; b < n; b++)
            if (w[b] > w[other[a]])
                other[a] = b;
        keep[a] = 0;
    }
}

/* Weighted choice with replacement: int64 indices. */
static gnd_array *by_alias(gnd__draw *d, int64_t n, const double *w)
{
    size_t room = (size_t)n + 1;
    uint64_t *keep = gnd__malloc(room * sizeof *keep);
    int64_t *other = gnd__malloc(room * sizeof *other), *stack = gnd__malloc(room * sizeof *stack);
    double *q = gnd__malloc(room * sizeof *q);
    gnd_array *y = gnd__nomem();
    if (keep && other && stack && q) {
        alias(n, w, keep, other, stack, q);
        gnd_array *k = gnd_from(d->dev, GND_UINT64, 1, &n, keep);
        gnd_array *o = gnd_from(d->dev, GND_INT64, 1, &n, other);
        gnd_array *i = between(d, 0, (uint64_t)n),
                  *r = gnd__draw_raw(d, GND__FN_BITS32, GND_UINT32, 1, 0, NULL);
        y = i->kind == GND__ERROR ? i : k->kind == GND__ERROR ? k : o;
        if (y->kind != GND__ERROR) {
            gnd__gather how = {.from = {-1}, .via = {1}};
            k = gnd__take_node(k, 1, &i, d->ndim, d->dim, &how);
            o = gnd__take_node(o, 1, &i, d->ndim, d->dim, &how);
            y = gnd__op3(GND__OP_WHERE, gnd__op2(GND__OP_LESS, gnd__as(r, GND_UINT64), k), i, o);
        }
    }
    gnd__free(keep);
    gnd__free(other);
    gnd__free(stack);
    gnd__free(q);
    return y;
}

/* Choice without replacement: the first indices of a random permutation of n. w: weights, or NULL
 * for equal ones. */
static gnd_array *by_order(gnd__draw *d, int64_t n, const double *w)
{
    int64_t m = gnd__shape_size(d->ndim, d->dim, 1);
    gnd__draw o = *d; /* a draw of n elements */
    o.ndim = 1;
    o.dim[0] = n;
    gnd__draw_places(&o);
    gnd_array *key = NULL;
    if (w) {
        gnd_dtype t = gnd__device_has_f64(d->dev) ? GND_FLOAT64 : GND_FLOAT32;
        gnd__op op = t == GND_FLOAT64 ? GND__FN_EXPO64 : GND__FN_EXPO32;
        float *f = (float *)gnd__malloc(((size_t)n + 1) * sizeof *f);
        if (f) {
            for (int64_t i = 0; i < n; i++)
                f[i] = (float)w[i];
            gnd_array *p =
                t == GND_FLOAT64 ? gnd_from(d->dev, t, 1, &n, w) : gnd_from(d->dev, t, 1, &n, f);
            key = gnd__op2(GND__OP_DIVIDE, gnd__draw_raw(&o, op, t, 0, 0, NULL), p);
        } else {
            key = gnd__nomem();
        }
        gnd__free(f);
    } else {
        key = gnd__draw_raw(&o, GND__FN_BITS64, GND_UINT64, 0, 0, NULL);
    }
    gnd_array *i = gnd_argsort(key, 0, 0);
    i = gnd__cut(i, 0, 0, m);
    if (i->kind != GND__ERROR)
        i = gnd__reshaped(i, d->ndim, d->dim);
    return i;
}

gnd_array *gnd_rng_choice(gnd_rng *g, gnd_device *dev, gnd_array *a, int ndim, const int64_t *shape,
                          int replace, gnd_array *p)
{
    gnd__draw d;
    double *w = NULL;
    const gnd__param all[2] = {{"a", GND__REAL, a}, {"p", GND__REAL, p}};
    gnd_array *bad = gnd__draw_shape(&d, "rng_choice", g,
                                     dev                            ? dev
                                     : a && gnd__alive(a) && a->dev ? a->dev
                                     : p && gnd__alive(p)           ? p->dev
                                                                    : NULL,
                                     ndim < 0 ? 0 : ndim, shape, 0, NULL);
    for (int i = 0; i < (p ? 2 : 1) && !bad; i++) {
        bad = gnd__check(all[i].x, d.func, all[i].name);
        if (!bad && all[i].x->dev && all[i].x->dev != d.dev)
            bad = gnd__fail(d.dev, GND_ERR_DEVICE, "%s: %s is on %s, the device is %s", d.func,
                            all[i].name, gnd__device_id(all[i].x->dev), gnd__device_id(d.dev));
    }
    if (bad)
        return bad;
    if (a->weak ? (bad = check_ints(&d, &all[0])) != NULL : a->ndim < 1)
        return bad ? bad : gnd__fail(d.dev, GND_ERR_SHAPE, "%s: a has no axis", d.func);
    if (p && p->weak)
        return gnd__fail(d.dev, GND_ERR_SHAPE, "%s: p is a scalar: it must have one axis", d.func);
    int64_t n = a->weak ? a->p.value.i : a->dim[0], m = gnd__shape_size(d.ndim, d.dim, 1), some = n;
    if (n < 0 || (n == 0 && m > 0))
        return gnd__fail(d.dev, GND_ERR_ARG,
                         "%s: a has %" PRId64 " elements: nothing to choose from", d.func, n);
    if (p && (bad = weights(&d, p, n, &w, &some)))
        return bad;
    if (!replace && m > some) {
        gnd__free(w);
        return gnd__fail(d.dev, GND_ERR_ARG,
                         "%s: %" PRId64 " of %" PRId64 " elements without "
                         "replacement",
                         d.func, m, some);
    }
    d.t = GND_INT64;
    d.in = gnd__enter(d.func);
    gnd__draw_places(&d);
    gnd_array *i = !replace ? by_order(&d, n, w)
                   : w      ? by_alias(&d, n, w)
                            : between(&d, 0, (uint64_t)(n ? n : 1));
    gnd__free(w);
    if (a->weak || i->kind == GND__ERROR)
        return gnd__draw_end(&d, i);
    /* the elements at the flat indices along the first axis, then reshaped */
    int64_t dim[GND_MAX_NDIM];
    int rest = a->ndim - 1;
    d.t = (gnd_dtype)a->dtype;
    if (d.ndim + rest > GND_MAX_NDIM)
        return gnd__draw_end(
            &d, gnd__fail(d.dev, GND_ERR_SHAPE, "%s: %d dimensions", d.func, d.ndim + rest));
    memcpy(dim, d.dim, sizeof dim);
    memcpy(dim + d.ndim, a->dim + 1, (size_t)rest * sizeof *dim);
    if ((bad = gnd__check_shape(d.func, d.dev, d.t, d.ndim + rest, dim)))
        return gnd__draw_end(&d, bad);
    i = gnd__reshaped(i, 1, &m);
    gnd_array *y = i->kind == GND__ERROR ? i : gnd__taken(a, i, 0);
    return gnd__draw_end(&d, y->kind == GND__ERROR ? y : gnd__reshaped(y, d.ndim + rest, dim));
}
