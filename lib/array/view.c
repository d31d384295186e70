/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/view.c - other shapes, orders and extents of the same elements. Each function checks its
 * arguments and makes one node, a view (an index map) or a reshape; no data moves. Indexing is in
 * index.c.
 */
#include <inttypes.h>
#include <string.h>
#include "array/host.h"
#include "array/views.h"
#include "base/fork.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "device/device.h"
#include "graph/graph.h"
#include "prim/partition.h"
#include <gnd/array.h>
#include <gnd/view.h>

/* --- steps ------------------------------------------------------------------------------------ */

/* Whether y, a view of the partition p, reads only some places along p's last axis: the first of
 * them, and their number. */
static int reads_part(const gnd_array *y, const gnd_array *p, int64_t *first, int64_t *count)
{
    const gnd__view *v = y->p.view;
    const int d = p->ndim - 1;
    int64_t lo = v->start[d], hi = lo;
    if (y->size == 0)
        return 0;
    for (int i = 0; i < v->nterm; i++)
        if (v->term[i].axis == d)
            *(v->term[i].step < 0 ? &lo : &hi) += v->term[i].step * (y->dim[v->term[i].to] - 1);
    *first = lo;
    *count = hi - lo + 1;
    return *count < p->dim[d];
}

/* Whether x, or what it is a view of, is a partition. */
static int of_partition(gnd_array *x)
{
    gnd_array *below = x->kind == GND__PRIM ? NULL : gnd__below(x);
    const int yes = gnd__is_partition(below ? below : x);
    gnd__unref(below);
    return yes;
}

/* A view of x. If it reads only some places of a partition that was not computed yet, it is one of
 * a partition that has only these. */
static gnd_array *of_part(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m)
{
    const gnd__inner in = gnd__enter(NULL);
    gnd_array *y = gnd__view_node(x, ndim, dim, m), *p = gnd__below(y), *part = NULL;
    int64_t first, count;
    if (p && y->kind == GND__VIEW && gnd__is_partition(p) && reads_part(y, p, &first, &count)) {
        gnd__gate_lock(
            p->dev->g); /* another thread may evaluate p, which then releases its inputs */
        part = gnd__partition_part(p, first, count);
        gnd__gate_unlock(p->dev->g);
    }
    if (part)
        y = part->kind == GND__ERROR ? part : gnd__view_of_part(y, part, first);
    gnd__unref(p);
    return gnd__leave(in, y);
}

gnd_array *gnd__viewed(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m)
{
    int same = ndim == x->ndim && (ndim == 0 || !memcmp(dim, x->dim, (size_t)ndim * sizeof *dim));
    for (int i = 0; same && i < ndim; i++)
        same = m->start[i] == 0 && m->step[i] == 1 && m->from[i] == i;
    if (same)
        return gnd__same(x);
    if (!gnd__forked && of_partition(x))
        return of_part(x, ndim, dim, m);
    if (x->kind != GND__ASSEMBLE || gnd__forked)
        return gnd__view_node(x, ndim, dim, m);
    gnd__map inner;
    gnd__gate_lock(x->dev->g); /* another thread may evaluate x, which then releases its inputs */
    gnd_array *in = gnd__box_seen(x, ndim, dim, m, &inner);
    gnd_array *y = in ? gnd__viewed(in, ndim, dim, &inner) : NULL;
    gnd__gate_unlock(x->dev->g);
    return y ? y : gnd__view_node(x, ndim, dim, m);
}

int64_t gnd__slice_count(const gnd_range *r, int64_t n, int64_t *first, int64_t *step_out)
{
    int64_t step = r->step == 0 ? 1 : r->step == INT64_MIN ? -INT64_MAX : r->step;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start = r->start, stop = r->stop;
    if (start == GND_NONE)
        start = step > 0 ? low : high;
    else if ((start < 0 ? start += n : start) < low)
        start = low;
    else if (start > high)
        start = high;
    if (stop == GND_NONE)
        stop = step > 0 ? high : low;
    else if ((stop < 0 ? stop += n : stop) < low)
        stop = low;
    else if (stop > high)
        stop = high;
    int64_t count = step > 0 ? (start < stop ? (stop - start - 1) / step + 1 : 0)
                             : (start > stop ? (start - stop - 1) / -step + 1 : 0);
    /* With at most one element the step does not matter: keep the map in range. */
    *first = count ? start : 0;
    *step_out = count > 1 ? step : 1;
    return count;
}

gnd_array *gnd__slice(gnd_array *x, int axis, int64_t start, int64_t count)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    gnd__map_identity(&m, x->ndim);
    memcpy(dim, x->dim, x->ndim * sizeof dim[0]);
    dim[axis] = count;
    m.start[axis] = start;
    return gnd__viewed(x, x->ndim, dim, &m);
}

gnd_array *gnd_slice(gnd_array *x, int axis, int64_t start, int64_t stop)
{
    const gnd_range r = {.kind = GND_IDX_SLICE, .start = start, .stop = stop, .step = 1};
    int64_t first, step;
    int k;
    gnd_array *bad = gnd__check_strong(x, "slice", "x");
    if (bad || (bad = gnd__check_axis("slice", x->dev, axis, x->ndim, &k)))
        return bad;
    const int64_t n = gnd__slice_count(&r, x->dim[k], &first, &step);
    return gnd__slice(x, k, first, n);
}

gnd_array *gnd__reshaped(gnd_array *x, int ndim, const int64_t *dim)
{
    if (ndim == x->ndim && (ndim == 0 || !memcmp(dim, x->dim, (size_t)ndim * sizeof *dim)))
        return gnd__same(x);
    return gnd__reshape_node(x, ndim, dim);
}

gnd_array *gnd__expanded(gnd_array *x, uint32_t mask)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int k = 0, out = 0;
    for (; k < x->ndim || (out < GND_MAX_NDIM && mask >> out & 1); out++) {
        if (mask >> out & 1) {
            dim[out] = 1;
            continue;
        }
        dim[out] = x->dim[k];
        m.start[k] = 0;
        m.step[k] = 1;
        m.from[k++] = (int8_t)out;
    }
    return gnd__viewed(x, out, dim, &m);
}

gnd_array *gnd__stored(gnd_array *x)
{
    gnd__box box; /* one piece that covers it */
    if (x->kind == GND__ERROR)
        return x;
    memset(&box, 0, sizeof box);
    return gnd__assemble_node(x->dev, (gnd_dtype)x->dtype, x->ndim, x->dim, 1, &x, &box);
}

gnd_array *gnd__taken(gnd_array *x, gnd_array *idx, int axis)
{
    gnd__gather how;
    int64_t dim[GND_MAX_NDIM], shape[GND_MAX_NDIM];
    for (int d = 0; d < x->ndim; d++) {
        how.from[d] = (int8_t)(d == axis ? -1 : d);
        how.via[d] = 1;
        dim[d] = d == axis ? idx->size : x->dim[d];
        shape[d] = d == axis ? idx->size : 1;
    }
    gnd_array *i = gnd__reshaped(idx, x->ndim, shape);
    return i->kind == GND__ERROR ? i : gnd__take_node(x, 1, &i, x->ndim, dim, &how);
}

/* --- shape ------------------------------------------------------------------------------------ */

gnd_array *gnd_reshape(gnd_array *x, int ndim, const int64_t *shape)
{
    char from[GND__SHAPE_TEXT], to[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "reshape", "x");
    if (bad)
        return bad;
    int64_t dim[GND_MAX_NDIM];
    int left = -1;
    for (int i = 0; shape && i < ndim && ndim <= GND_MAX_NDIM; i++) {
        dim[i] = shape[i];
        if (shape[i] != -1)
            continue;
        if (left >= 0)
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "reshape: shape %s: can only specify one unknown dimension",
                             gnd__shape_text(to, ndim, shape));
        left = i;
        dim[i] = 1;
    }
    if ((bad = gnd__check_shape("reshape", x->dev, GND_BOOL, ndim, shape ? dim : NULL)))
        return bad;
    int64_t size = gnd__shape_size(ndim, dim, 1);
    if (left >= 0 && size > 0 && x->size % size == 0) {
        dim[left] = x->size / size;
        size = x->size;
    }
    if (size != x->size || (left >= 0 && size == 0 && dim[left] != 0))
        return gnd__fail(
            x->dev, GND_ERR_SHAPE,
            "reshape: cannot reshape array of size %" PRId64 " and shape %s into shape %s", x->size,
            gnd__shape_text(from, x->ndim, x->dim), gnd__shape_text(to, ndim, shape));
    return gnd__reshaped(x, ndim, dim);
}

gnd_array *gnd_expand_dims(gnd_array *x, gnd_axes axes)
{
    gnd_array *bad = gnd__check_strong(x, "expand_dims", "x");
    if (bad)
        return bad;
    if (axes.bits == GND_ALL.bits)
        return gnd__fail(x->dev, GND_ERR_AXIS, "expand_dims: GND_ALL names no positions");
    int more = gnd__axes_count(axes), ndim = x->ndim + more;
    uint32_t mask;
    if (more > GND_MAX_NDIM - x->ndim)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "expand_dims: the result has %d dimensions: 0 to %d "
                         "are possible",
                         ndim, GND_MAX_NDIM);
    bad = gnd__check_axes("expand_dims", x->dev, axes, more < 0 ? x->ndim : ndim, &mask);
    return bad ? bad : gnd__expanded(x, mask);
}

gnd_array *gnd_squeeze(gnd_array *x, gnd_axes axes)
{
    char text[GND__SHAPE_TEXT];
    uint32_t mask;
    gnd_array *bad = gnd__check_strong(x, "squeeze", "x");
    if (bad || (bad = gnd__check_axes("squeeze", x->dev, axes, x->ndim, &mask)))
        return bad;
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        int drop = mask >> i & 1;
        if (drop && x->dim[i] != 1 && axes.bits != GND_ALL.bits)
            return gnd__fail(x->dev, GND_ERR_SHAPE,
                             "squeeze: axis %d of shape %s has extent %" PRId64 ", not 1", i,
                             gnd__shape_text(text, x->ndim, x->dim), x->dim[i]);
        m.start[i] = 0;
        m.step[i] = 1;
        m.from[i] = -1;
        if (!drop || x->dim[i] != 1) {
            m.from[i] = (int8_t)ndim;
            dim[ndim++] = x->dim[i];
        }
    }
    return gnd__viewed(x, ndim, dim, &m);
}

gnd_array *gnd_broadcast_to(gnd_array *x, int ndim, const int64_t *shape)
{
    char from[GND__SHAPE_TEXT], to[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "broadcast_to", "x");
    if (bad || (bad = gnd__check_shape("broadcast_to", x->dev, (gnd_dtype)x->dtype, ndim, shape)))
        return bad;
    int fits = ndim >= x->ndim;
    for (int i = 0; fits && i < x->ndim; i++) {
        int64_t want = shape[i + ndim - x->ndim];
        fits = x->dim[i] == want || x->dim[i] == 1;
    }
    if (!fits)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "broadcast_to: shape %s does not broadcast to %s",
                         gnd__shape_text(from, x->ndim, x->dim), gnd__shape_text(to, ndim, shape));
    return gnd__broadcast(x, ndim, shape);
}

gnd_status gnd__all_fail(int64_t n, gnd_array **out, gnd_array *bad)
{
    gnd_status st = gnd__told(bad);
    for (int64_t i = 0; out && i < n; i++)
        out[i] = i ? gnd__same(bad) : bad;
    if (!out || n < 1)
        gnd_release(bad);
    return st;
}

gnd_status gnd_broadcast_arrays(int n, gnd_array *const *x, gnd_array **out)
{
    gnd_device *dev;
    gnd__shape s;
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "broadcast_arrays: out is NULL");
    gnd_array *bad = gnd__check_list("broadcast_arrays", n, x, &dev);
    for (int i = 0; i < n && !bad; i++)
        bad = gnd__check_strong(x[i], "broadcast_arrays", "an array");
    if (!bad)
        bad = gnd__check_broadcast("broadcast_arrays", dev, GND_COMPLEX128, n, x, &s);
    if (bad)
        return gnd__all_fail(n, out, bad);
    gnd_status st = GND_OK;
    for (int i = 0; i < n; i++) {
        out[i] = gnd__broadcast(x[i], s.ndim, s.dim);
        if (st == GND_OK)
            st = gnd__told(out[i]);
    }
    return st;
}

/* --- order ------------------------------------------------------------------------------------ */

gnd_array *gnd__permuted(gnd_array *x, const int *perm)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++) {
        dim[i] = x->dim[perm[i]];
        m.start[perm[i]] = 0;
        m.step[perm[i]] = 1;
        m.from[perm[i]] = (int8_t)i;
    }
    return gnd__viewed(x, x->ndim, dim, &m);
}

/* n axes of ndim, each at most once, into k; *mask has them all. */
static gnd_array *axis_list(const char *func, gnd_device *dev, int n, const int *axes, int ndim,
                            int *k, uint32_t *mask)
{
    *mask = 0;
    for (int i = 0; i < n; i++) {
        gnd_array *bad = gnd__check_axis(func, dev, axes[i], ndim, &k[i]);
        if (bad)
            return bad;
        if (*mask >> k[i] & 1)
            return gnd__fail(dev, GND_ERR_AXIS, "%s: axis %d is named twice", func, axes[i]);
        *mask |= (uint32_t)1 << k[i];
    }
    return NULL;
}

static gnd_array *reversed(gnd_array *x)
{
    int perm[GND_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++)
        perm[i] = x->ndim - 1 - i;
    return gnd__permuted(x, perm);
}

gnd_array *gnd_permute_dims(gnd_array *x, const int *perm)
{
    int k[GND_MAX_NDIM];
    uint32_t mask;
    gnd_array *bad = gnd__check_strong(x, "permute_dims", "x");
    if (bad)
        return bad;
    if (!perm)
        return reversed(x);
    bad = axis_list("permute_dims", x->dev, x->ndim, perm, x->ndim, k, &mask);
    return bad ? bad : gnd__permuted(x, k);
}

gnd_array *gnd_T(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "T", "x");
    return bad ? bad : reversed(x);
}

static gnd_array *swapped(gnd_array *x, int a, int b)
{
    int perm[GND_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++)
        perm[i] = i == a ? b : i == b ? a : i;
    return gnd__permuted(x, perm);
}

gnd_array *gnd_mT(gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "mT", "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "mT: shape %s: at least 2 dimensions are needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    return swapped(x, x->ndim - 2, x->ndim - 1);
}

gnd_array *gnd_swapaxes(gnd_array *x, int a, int b)
{
    int ka, kb;
    gnd_array *bad = gnd__check_strong(x, "swapaxes", "x");
    if (bad || (bad = gnd__check_axis("swapaxes", x->dev, a, x->ndim, &ka)) ||
        (bad = gnd__check_axis("swapaxes", x->dev, b, x->ndim, &kb)))
        return bad;
    return swapped(x, ka, kb);
}

gnd_array *gnd_moveaxis(gnd_array *x, int n, const int *source, const int *destination)
{
    int from[GND_MAX_NDIM], to[GND_MAX_NDIM], perm[GND_MAX_NDIM];
    uint32_t moved, taken;
    gnd_array *bad = gnd__check_strong(x, "moveaxis", "x");
    if (bad)
        return bad;
    if (n < 0 || n > x->ndim)
        return gnd__fail(x->dev, GND_ERR_AXIS, "moveaxis: %d axes of an array of %d dimension%s", n,
                         x->ndim, x->ndim == 1 ? "" : "s");
    if (n && (!source || !destination))
        return gnd__fail(x->dev, GND_ERR_NULL, "moveaxis: the list of axes is NULL");
    if ((bad = axis_list("moveaxis", x->dev, n, source, x->ndim, from, &moved)) ||
        (bad = axis_list("moveaxis", x->dev, n, destination, x->ndim, to, &taken)))
        return bad;
    /* The other axes keep their order in the remaining places. */
    for (int i = 0; i < n; i++)
        perm[to[i]] = from[i];
    for (int i = 0, k = 0; i < x->ndim; i++) {
        if (taken >> i & 1)
            continue;
        while (moved >> k & 1)
            k++;
        perm[i] = k++;
    }
    return gnd__permuted(x, perm);
}

gnd_array *gnd_flip(gnd_array *x, gnd_axes axes)
{
    uint32_t mask;
    gnd__map m;
    gnd_array *bad = gnd__check_strong(x, "flip", "x");
    if (bad || (bad = gnd__check_axes("flip", x->dev, axes, x->ndim, &mask)))
        return bad;
    gnd__map_identity(&m, x->ndim);
    for (int i = 0; i < x->ndim; i++) {
        if ((mask >> i & 1) && x->dim[i] > 1) {
            m.start[i] = x->dim[i] - 1;
            m.step[i] = -1;
        }
    }
    return gnd__viewed(x, x->ndim, x->dim, &m);
}

gnd_array *gnd_diagonal(gnd_array *x, int64_t offset, int axis1, int axis2)
{
    char text[GND__SHAPE_TEXT];
    int a, b;
    gnd_array *bad = gnd__check_strong(x, "diagonal", "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "diagonal: shape %s: at least 2 dimensions are needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    if ((bad = gnd__check_axis("diagonal", x->dev, axis1, x->ndim, &a)) ||
        (bad = gnd__check_axis("diagonal", x->dev, axis2, x->ndim, &b)))
        return bad;
    if (a == b)
        return gnd__fail(x->dev, GND_ERR_AXIS, "diagonal: axis %d is named twice", axis2);

    /* Element i is at (i + down, i + right) of axes a and b. */
    int64_t na = x->dim[a], nb = x->dim[b];
    int64_t right = offset < 0 ? 0 : offset > nb ? nb : offset;
    int64_t down = offset > 0 ? 0 : offset < -na ? na : -offset;
    int64_t n = na - down < nb - right ? na - down : nb - right;
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        m.start[i] = i == a && n ? down : i == b && n ? right : 0;
        m.step[i] = 1;
        m.from[i] = (int8_t)(x->ndim - 2);
        if (i != a && i != b) {
            m.from[i] = (int8_t)ndim;
            dim[ndim++] = x->dim[i];
        }
    }
    dim[ndim++] = n;
    return gnd__viewed(x, ndim, dim, &m);
}
