/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/signal/ways.c - the methods that compute a convolution, and the choice between them. p is x
 * extended by zeros, m the length of k.
 *
 * Direct: y[i] = sum over j of p[i + m - 1 - j] k[j], the sum of windows of p times the reversed k.
 * The windows are a view whose first axes are the elements of a window. So this is one kernel, in
 * which neighbouring results read neighbouring elements.
 * FFT: the product of two transforms, long enough that wrapped-around terms do not reach the wanted
 * results.
 * Blocks: the transforms of overlapping windows of p; wrapped-around results are discarded
 * (overlap-save).
 * A matrix product has no advantage: with one filter, a matrix m times as large as x is multiplied
 * by a vector.
 */
#include "ops/signal/convolve.h"

#include <math.h>
#include <string.h>
#include "ops/fft/rows.h"
#include "array/steps.h"
#include "array/views.h"
#include "base/measured.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

static int has(const gnd__conv *c, int d)
{
    return (int)(c->axes >> d & 1);
}

/* The part of x that the results depend on: along each convolved axis d from lo - (m - 1) to lo +
 * count + extra[d], with zeros beyond the ends of x. */
static gnd_array *stretched(const gnd__conv *c, const int64_t *extra)
{
    int64_t width[2 * GND_MAX_NDIM], zeros = 0;
    gnd_array *x = c->x;
    for (int d = 0; d < c->x->ndim; d++) {
        int64_t n = c->x->dim[d], from = c->lo[d] - (c->k->dim[d] - 1),
                to = c->lo[d] + c->count[d] + extra[d];
        if (!has(c, d))
            from = 0, to = n;
        int64_t a = from > 0 ? from : 0, b = to < n ? to : n;
        if (b - a != n && !gnd__is_bad(x))
            x = gnd__slice(x, d, a, b - a);
        zeros |= width[2 * d] = a - from;
        zeros |= width[2 * d + 1] = to - b;
    }
    return zeros ? gnd_pad(x, width, "constant", NULL) : x;
}

/* --- sums ------------------------------------------------------------------------------------- */

static gnd_array *direct(const gnd__conv *c)
{
    static const int64_t none[GND_MAX_NDIM];
    int nd = c->x->ndim, n = 0, from[GND_MAX_NDIM], to[GND_MAX_NDIM], axis[GND_MAX_NDIM];
    uint32_t ones = 0;
    gnd_axes sums = GND_NO_AXES;
    gnd_dtype t = (gnd_dtype)c->x->dtype;
    gnd_array *p = stretched(c, none), *k = c->k;
    for (int d = 0; d < nd; d++)
        if (has(c, d)) {
            if (!gnd__is_bad(p))
                p = gnd__window_node(p, d, k->dim[d]);
            from[n] = nd + n;
            to[n] = n;
            axis[n++] = d;
        }
    p = gnd_moveaxis(p, n, from, to);
    for (int i = 0; i < n; i++) {
        k = gnd_flip(k, GND_AXIS(axis[i]));
        ones |= (uint32_t)1 << (n + axis[i]);
        sums = gnd_axes_union(sums, GND_AXIS(i));
    }
    k = gnd_moveaxis(k, n, axis, to);
    if (!gnd__is_bad(k))
        k = gnd__expanded(
            k, ones); /* the n axes of k, then those of the results with extent 1 if convolved */
    if (t == GND_BOOL)
        return gnd_any(gnd_logical_and(p, k), sums, 0);
    return gnd_sum_as(gnd_multiply(p, k), sums, 0, t);
}

/* --- transforms ------------------------------------------------------------------------------- */

/* The smallest length of at least n of the form 2^i times 1, 5/4, 3/2 or 7/4. A few lengths need
 * only a few kernels. */
static int64_t good_length(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    for (int i = 5; i < 8 && p >= 64; i++)
        if (p / 8 * i >= n)
            return p / 8 * i;
    return p;
}

static int is_complex(const gnd__conv *c)
{
    return gnd_dtype_kind((gnd_dtype)c->x->dtype) == 'c';
}

/* Transforms a and b along n axes, multiplies them, and transforms the product back. */
static gnd_array *multiplied(const gnd__conv *c, gnd_array *a, gnd_array *b, int n, const int *axes,
                             const int64_t *len)
{
    const gnd_norm norm = GND_NORM_BACKWARD;
    if (is_complex(c))
        return gnd_ifftn(
            gnd_multiply(gnd_fftn(a, n, axes, len, norm), gnd_fftn(b, n, axes, len, norm)), n, axes,
            len, norm);
    gnd_array *y = gnd_multiply(gnd_rfftn(a, n, axes, len, norm), gnd_rfftn(b, n, axes, len, norm));
    if (n == 1 && gnd__fft_few(c->x->dev, len[0])) /* a large expression that is read twice */
        y = gnd__stored(y);
    return gnd_irfftn(y, n, axes, len, norm);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The transform length along axis d: both operands fit, and the full - len elements that wrap
 * around are before lo. */
static int64_t whole_length(const gnd__conv *c, int d)
{
    int64_t n = c->x->dim[d], m = c->k->dim[d];
    return good_length(larger(larger(n, m), larger(c->lo[d] + c->count[d], n + m - 1 - c->lo[d])));
}

static gnd_array *whole(const gnd__conv *c)
{
    int axes[GND_MAX_NDIM], n = 0;
    int64_t len[GND_MAX_NDIM];
    for (int d = 0; d < c->x->ndim; d++)
        if (has(c, d)) {
            axes[n] = d;
            len[n++] = whole_length(c, d);
        }
    gnd_array *y = multiplied(c, c->x, c->k, n, axes, len);
    for (int i = 0; i < n && !gnd__is_bad(y); i++)
        y = gnd__slice(y, axes[i], c->lo[axes[i]], c->count[axes[i]]);
    return y;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The length of blocks for m elements of k and `count` results that minimizes the work per
 * element. */
static int64_t block_length(int64_t m, int64_t count)
{
    int64_t best = good_length(m + count - 1);
    double least = INFINITY;
    for (int64_t b = 16; b / 2 < m + count - 1 && b <= INT64_C(1) << 40; b *= 2) {
        if (b < 2 * m)
            continue;
        double steps = ceil((double)count / (double)(b - m + 1));
        double cost = steps * (double)b * log2((double)b);
        if (cost < least) {
            least = cost;
            best = b;
        }
    }
    return best;
}

static gnd_array *blocks(const gnd__conv *c)
{
    int nd = c->x->ndim, n = 0, axis[GND_MAX_NDIM], last[GND_MAX_NDIM], to[GND_MAX_NDIM];
    int64_t len[GND_MAX_NDIM], step[GND_MAX_NDIM], extra[GND_MAX_NDIM] = {0}, dim[GND_MAX_NDIM];
    uint32_t added = 0;
    for (int d = 0; d < nd; d++)
        if (has(c, d)) {
            len[n] = block_length(c->k->dim[d], c->count[d]);
            step[n] = len[n] - c->k->dim[d] + 1;
            extra[d] = (c->count[d] + step[n] - 1) / step[n] * step[n] - c->count[d];
            added |= (uint32_t)1 << (nd + n);
            last[n] = nd + n;
            to[n] = d + n + 1;
            axis[n++] = d;
        }
    /* x: every step[i]-th window along axis[i]; the elements of a window are last axes, also in k
     */
    gnd_array *x = stretched(c, extra), *k = gnd__expanded(c->k, added);
    for (int i = 0; i < n; i++) {
        gnd__map every;
        if (gnd__is_bad(x) || gnd__is_bad(x = gnd__window_node(x, axis[i], len[i])))
            return x;
        memcpy(dim, x->dim, x->ndim * sizeof *dim);
        gnd__map_identity(&every, x->ndim);
        every.step[axis[i]] = step[i];
        dim[axis[i]] = (c->count[axis[i]] + extra[axis[i]]) / step[i];
        x = gnd__viewed(x, x->ndim, dim, &every);
        k = gnd_swapaxes(k, axis[i], last[i]);
    }
    gnd_array *y = multiplied(c, x, k, n, last, len);
    for (int i = 0; i < n && !gnd__is_bad(y); i++)
        y = gnd__slice(y, last[i], c->k->dim[axis[i]] - 1, step[i]);
    y = gnd_moveaxis(y, n, last, to);
    if (gnd__is_bad(y))
        return y;
    for (int d = 0, from = 0; d < nd; d++, from++) {
        dim[d] = y->dim[from];
        if (has(c, d))
            dim[d] *= y->dim[++from];
    }
    y = gnd__reshaped(y, nd, dim);
    for (int i = 0; i < n && !gnd__is_bad(y); i++)
        y = gnd__slice(y, axis[i], 0, c->count[axis[i]]);
    return y;
}

/* --- the choice ------------------------------------------------------------------------------- */

/* The number of independent convolutions. */
static double rows_of(const gnd__conv *c)
{
    double n = 1;
    for (int d = 0; d < c->x->ndim; d++)
        n *= has(c, d) ? 1 : (double)larger(c->x->dim[d], c->k->dim[d]);
    return n;
}

/* The cheapest method by the rates of the device. A complex element counts as two elements of a
 * transform and as four terms of a sum; float64 counts double. */
static gnd_conv_method cheapest(const gnd__conv *c)
{
    const gnd_props *props = &c->x->dev->g->props;
    const gnd__measured *p = gnd__measured_of(props->kind == GND_DEV_CPU, props->name);
    int wide = gnd_dtype_size((gnd_dtype)c->x->dtype) > (is_complex(c) ? 8u : 4u);
    double rows = rows_of(c), terms = rows, all = rows, log_all = 0, split = rows, log_split = 0;
    for (int d = 0; d < c->x->ndim; d++)
        if (has(c, d)) {
            double n = (double)whole_length(c, d),
                   b = (double)block_length(c->k->dim[d], c->count[d]);
            terms *= (double)c->k->dim[d] * (double)c->count[d];
            all *= n;
            log_all += log2(n);
            split *= b * ceil((double)c->count[d] / (b - (double)c->k->dim[d] + 1));
            log_split += log2(b);
        }
    double weight = wide ? 2 : 1, points = p->point * weight * (is_complex(c) ? 2 : 1);
    double cost[4] = {0, p->start_direct + terms * p->term * weight * (is_complex(c) ? 4 : 1),
                      p->start_fft + 3 * all * log_all * points,
                      p->start_fft * 1.5 + 2 * split * log_split * points};
    gnd_conv_method best = GND_CONV_DIRECT;
    for (int i = GND_CONV_FFT; i <= GND_CONV_BLOCKS; i++)
        if (cost[i] < cost[best])
            best = (gnd_conv_method)i;
    return best;
}

gnd_array *gnd__convolved(const gnd__conv *given)
{
    gnd__conv c = *given;
    double nx = 1, nk = 1;
    int kind = gnd_dtype_kind((gnd_dtype)c.x->dtype);
    for (int d = 0; d < c.x->ndim; d++) {
        nx *= has(&c, d) ? (double)c.x->dim[d] : 1;
        nk *= has(&c, d) ? (double)c.k->dim[d] : 1;
    }
    if (nk > nx) { /* convolution is commutative: sums over the shorter operand have fewer terms */
        c.x = given->k;
        c.k = given->x;
    }
    if (c.axes == 0 && kind == 'b')
        return gnd_logical_and(c.x, c.k);
    if (c.axes == 0)
        return gnd_multiply(c.x, c.k);
    if (c.method == GND_CONV_AUTO)
        c.method = kind == 'f' || kind == 'c' ? cheapest(&c) : GND_CONV_DIRECT;
    return c.method == GND_CONV_DIRECT ? direct(&c)
           : c.method == GND_CONV_FFT  ? whole(&c)
                                       : blocks(&c);
}
