/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/scan.c - running sums, products and extremes by the primitive of prim/scan.c: dtypes,
 * axes, empty inputs; and unwrap, whose corrections are a running sum.
 */
#include "array/steps.h"
#include "graph/check.h"
#include "prim/scan.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/scan.h>
#include <math.h>
#include <string.h>

/* --- scans ------------------------------------------------------------------------------------ */

/* Checks x and axis of a public function and sets *k to the axis. *flat: the flattened array is
 * scanned. */
static gnd_array *check(const char *func, gnd_array *x, gnd_axes axis, int *k, int *flat)
{
    uint32_t mask;
    gnd_array *bad = gnd__check_strong(x, func, "x");
    *k = 0;
    *flat = axis.bits == GND_ALL.bits && (bad || x->ndim != 1);
    if (bad || axis.bits == GND_ALL.bits)
        return bad;
    if ((bad = gnd__check_axes(func, x->dev, axis, x->ndim, &mask)))
        return bad;
    if (__builtin_popcount(mask) != 1)
        return gnd__fail(x->dev, GND_ERR_AXIS, "%s: %d axes: it takes one, or GND_ALL", func,
                         __builtin_popcount(mask));
    *k = __builtin_ctz(mask);
    return NULL;
}

/* Scans x along axis k. */
static gnd_array *along(const char *func, gnd_array *x, gnd__scan op, int k, int initial)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_dtype t = (gnd_dtype)x->dtype;
    gnd__scalar first = {.kind = gnd_dtype_kind(t), .re = op == GND__SCAN_PROD};
    first.i = op == GND__SCAN_PROD;
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    if (initial && dim[k] == INT64_MAX)
        return gnd__fail(x->dev, GND_ERR_OVERFLOW,
                         "%s: axis %d: one element more does not fit 64 bits", func, k);
    dim[k] += initial != 0;
    gnd_array *bad = gnd__check_shape(func, x->dev, t, x->ndim, dim);
    if (bad)
        return bad;
    if (x->size == 0) /* the result is empty, or has initial elements only */
        return gnd__filled(x->dev, t, x->ndim, dim, &first);
    if (x->dim[k] == 1 && !initial)
        return x;
    return gnd__scan_node(x, op, k, initial);
}

/* Scans x, which has the dtype to scan in, or is an error. */
static gnd_array *scanned(const char *func, gnd_array *x, gnd__scan op, int k, int flat,
                          int initial)
{
    if (x->kind == GND__ERROR)
        return x;
    if (flat)
        x = gnd__reshaped(x, 1, &(int64_t){x->size});
    return x->kind == GND__ERROR ? x : along(func, x, op, k, initial);
}

static gnd_array *cumulative(const char *func, gnd_array *x, gnd_axes axis, unsigned flags,
                             gnd_dtype t, gnd__scan op)
{
    int k, flat;
    gnd_array *bad = check(func, x, axis, &k, &flat);
    if (bad)
        return bad;
    if (flags & ~GND_INCLUDE_INITIAL)
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "%s: flags %#x: 0 and GND_INCLUDE_INITIAL are possible", func, flags);
    if (t == GND_DTYPE_DEFAULT) {
        t = (gnd_dtype)x->dtype;
        int kind = gnd_dtype_kind(t);
        t = kind == 'b' || kind == 'i' ? GND_INT64 : kind == 'u' ? GND_UINT64 : t;
    }
    const gnd__inner in = gnd__enter(func);
    gnd_array *c = t == (gnd_dtype)x->dtype ? x : gnd__astype(x, t, func);
    return gnd__leave(in, scanned(func, c, op, k, flat, flags != 0));
}

gnd_array *gnd_cumulative_sum(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t)
{
    return cumulative("cumulative_sum", x, axis, flags, t, GND__SCAN_SUM);
}

gnd_array *gnd_cumulative_prod(gnd_array *x, gnd_axes axis, unsigned flags, gnd_dtype t)
{
    return cumulative("cumulative_prod", x, axis, flags, t, GND__SCAN_PROD);
}

/* x with v in place of NaN. */
static gnd_array *without_nan(gnd_array *x, int v)
{
    int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
    if (kind != 'f' && kind != 'c')
        return x;
    gnd__scalar s = {.kind = kind, .re = v};
    gnd_array *nan = gnd__op1(GND__OP_ISNAN, x);
    gnd_array *w = gnd__const(x->dev, (gnd_dtype)x->dtype, &s, 0);
    return gnd__op3(GND__OP_WHERE, nan, w, x);
}

static gnd_array *nan_cumulative(const char *func, gnd_array *x, gnd_axes axis, gnd_dtype t,
                                 gnd__scan op)
{
    gnd_array *bad = gnd__check_strong(x, func, "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    gnd_array *y = without_nan(x, op == GND__SCAN_PROD);
    return gnd__leave(in, cumulative(func, y, axis, 0, t, op));
}

gnd_array *gnd_nancumsum(gnd_array *x, gnd_axes axis, gnd_dtype t)
{
    return nan_cumulative("nancumsum", x, axis, t, GND__SCAN_SUM);
}

gnd_array *gnd_nancumprod(gnd_array *x, gnd_axes axis, gnd_dtype t)
{
    return nan_cumulative("nancumprod", x, axis, t, GND__SCAN_PROD);
}

static gnd_array *extreme(const char *func, gnd_array *x, gnd_axes axis, gnd__scan op)
{
    int k, flat;
    gnd_array *bad = check(func, x, axis, &k, &flat);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter(func);
    return gnd__leave(in, scanned(func, x, op, k, flat, 0));
}

gnd_array *gnd_cummax(gnd_array *x, gnd_axes axis)
{
    return extreme("cummax", x, axis, GND__SCAN_MAX);
}

gnd_array *gnd_cummin(gnd_array *x, gnd_axes axis)
{
    return extreme("cummin", x, axis, GND__SCAN_MIN);
}

/* --- unwrap ----------------------------------------------------------------------------------- */

/* A weak scalar of v's kind. */
static gnd_array *number(const gnd__scalar *v)
{
    return gnd__const(NULL, v->kind == 'f' ? GND_FLOAT64 : GND_INT64, v, 1);
}

/* v / 2; ints are rounded down. */
static gnd__scalar half(gnd__scalar v)
{
    v.re /= 2;
    v.i = v.i >> 1;
    return v;
}

static gnd__scalar minus(gnd__scalar v)
{
    v.re = -v.re;
    v.i = -v.i;
    return v;
}

/* Sets *v to the weak scalar s; NULL: *v keeps its default. */
static gnd_array *real_scalar(const char *arg, gnd_array *x, gnd_array *s, gnd__scalar *v)
{
    gnd_array *bad = s ? gnd__check(s, "unwrap", arg) : NULL;
    if (!s || bad)
        return bad;
    if (s->dev || s->p.value.kind == 'c')
        return gnd__fail(x->dev, GND_ERR_ARG,
                         "unwrap: %s must be a real scalar (gnd_real, gnd_int), "
                         "not %s",
                         arg, s->dev ? "an array of a device" : "a complex one");
    *v = s->p.value;
    if (v->kind != 'f')
        v->kind = 'i';
    return NULL;
}

/* d: the differences of neighbours. Returns what must be added to each difference so that it is at
 * most half a period. */
static gnd_array *corrections(gnd_array *d, gnd__scalar period, int limited, gnd__scalar discont)
{
    const int whole = period.kind == 'i' && gnd_dtype_kind((gnd_dtype)d->dtype) != 'f';
    if (!whole && period.kind == 'i')
        period = (gnd__scalar){.kind = 'f', .re = (double)period.i};
    const gnd__scalar high = half(period), low = minus(high);
    gnd_array *m = gnd__op2(GND__OP_SUBTRACT, d, number(&low));
    m = gnd__op2(GND__OP_ADD, gnd__op2(GND__OP_REMAINDER, m, number(&period)), number(&low));
    if (!whole || period.i % 2 == 0) { /* a step of half a period keeps its sign */
        gnd__scalar zero = {.kind = 'i'};
        gnd_array *at = gnd__op2(GND__OP_EQUAL, m, number(&low));
        gnd_array *up = gnd__op2(GND__OP_GREATER, d, number(&zero)), *h = number(&high);
        at = gnd__op2(GND__OP_LOGICAL_AND, at, up);
        m = gnd__op3(GND__OP_WHERE, at, h, m);
    }
    m = gnd__op2(GND__OP_SUBTRACT, m, d);
    if (!limited) {
        discont = high;
        discont.i = period.i - high.i; /* |d| < period / 2, as ints */
    }
    gnd__scalar zero = {.kind = 'i'};
    gnd_array *small = gnd__op2(GND__OP_LESS, gnd__op1(GND__OP_ABS, d), number(&discont));
    return gnd__op3(GND__OP_WHERE, small, number(&zero), m);
}

gnd_array *gnd_unwrap(gnd_array *x, gnd_array *discont, int axis, gnd_array *period)
{
    int k;
    gnd__scalar p = {.kind = 'f', .re = 2 * M_PI}, limit = {.kind = 'f'};
    gnd_array *bad = gnd__check_strong(x, "unwrap", "x");
    if (bad || (bad = gnd__check_axis("unwrap", x->dev, axis, x->ndim, &k)) ||
        (bad = real_scalar("discont", x, discont, &limit)) ||
        (bad = real_scalar("period", x, period, &p)))
        return bad;
    int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
    if (kind == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "unwrap: x has %s: angles are real",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if (kind == 'u' && p.kind == 'i')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "unwrap: x has %s, and steps back are negative: take a "
                         "signed dtype, or a float period",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    const gnd__inner in = gnd__enter("unwrap");
    gnd_array *w = number(&p), *both[2] = {x, w};
    gnd_dtype t = gnd__common_dtype(x->dev, 2, both);
    if (x->size == 0 || x->dim[k] == 1)
        return gnd__leave(in, gnd__astype(x, t, "unwrap"));
    gnd_array *a = gnd__slice(x, k, 1, x->dim[k] - 1), *b = gnd__slice(x, k, 0, x->dim[k] - 1);
    gnd_array *d = gnd__op2(kind == 'b' ? GND__OP_NOT_EQUAL : GND__OP_SUBTRACT, a, b);
    if (d->kind == GND__ERROR)
        return gnd__leave(in, d);
    if (kind == 'b')
        d = gnd__astype(d, t, "unwrap");
    gnd_array *c = corrections(d, p, discont != NULL, limit);
    if (c->kind != GND__ERROR)
        c = gnd__astype(c, t, "unwrap");
    c = c->kind == GND__ERROR ? c : along("unwrap", c, GND__SCAN_SUM, k, 1);
    return gnd__leave(in, gnd__op2(GND__OP_ADD, x, c));
}
