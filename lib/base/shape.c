/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/shape.c - pure functions on shapes, strides (in elements) and axes. See shape.h.
 */
#include "base/shape.h"

#include <inttypes.h>
#include <string.h>

int64_t gnd__shape_size(int ndim, const int64_t *dim, size_t esize)
{
    /* The product of the non-zero extents must fit too, as in NumPy, so that the strides of an
     * empty array do not overflow. */
    int64_t n = 1, bytes;
    int empty = 0;
    if (esize > INT64_MAX)
        return -1;
    for (int i = 0; i < ndim; i++) {
        if (dim[i] < 0)
            return -1;
        if (dim[i] == 0)
            empty = 1;
        else if (__builtin_mul_overflow(n, dim[i], &n))
            return -1;
    }
    if (__builtin_mul_overflow(n, (int64_t)esize, &bytes))
        return -1;
    return empty ? 0 : n;
}

void gnd__shape_print(gnd__str *b, int ndim, const int64_t *dim)
{
    gnd__str_addc(b, '(');
    for (int i = 0; i < ndim; i++)
        gnd__str_addf(b, "%s%" PRId64, i ? ", " : "", dim[i]);
    gnd__str_add(b, ndim == 1 ? ",)" : ")");
}

int gnd__shape_broadcast(gnd__shape *a, const gnd__shape *b)
{
    gnd__shape r;
    r.ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    for (int i = 0; i < r.ndim; i++) {
        int ia = i - (r.ndim - a->ndim), ib = i - (r.ndim - b->ndim);
        int64_t da = ia < 0 ? 1 : a->dim[ia], db = ib < 0 ? 1 : b->dim[ib];
        if (da != db && da != 1 && db != 1)
            return -1;
        r.dim[i] = da == 1 ? db : da;
    }
    a->ndim = r.ndim;
    memcpy(a->dim, r.dim, (size_t)r.ndim * sizeof r.dim[0]);
    return 0;
}

void gnd__layout_contig(gnd__layout *l, const gnd__shape *s)
{
    int64_t step = 1;
    l->ndim = s->ndim;
    l->off = 0;
    for (int i = s->ndim - 1; i >= 0; i--) {
        l->dim[i] = s->dim[i];
        l->stride[i] = step;
        if (s->dim[i] > 1)
            step *= s->dim[i];
    }
}

int gnd__layout_is_contig(const gnd__layout *l)
{
    int64_t step = 1;
    int contig = 1;
    for (int i = l->ndim - 1; i >= 0; i--) {
        if (l->dim[i] == 0)
            return 1;
        if (l->dim[i] == 1 || !contig)
            continue;
        contig = l->stride[i] == step;
        step *= l->dim[i];
    }
    return contig;
}

int gnd__layout_reshape(gnd__layout *l, const gnd__shape *s)
{
    gnd__layout r;
    gnd__layout_contig(&r, s);
    r.off = l->off;

    /* The old dimensions without those of extent 1, which do not matter. */
    int64_t od[GND_MAX_NDIM], os[GND_MAX_NDIM];
    int on = 0, empty = 0;
    for (int i = 0; i < l->ndim; i++) {
        empty |= l->dim[i] == 0;
        if (l->dim[i] != 1) {
            od[on] = l->dim[i];
            os[on++] = l->stride[i];
        }
    }
    if (empty) {
        *l = r;
        return 1;
    }

    /* Walk both shapes in groups of dimensions with equal products: old [oi, oj), new [ni, nj).
     * Within a group the old dimensions must be contiguous, os[k] = od[k+1] * os[k+1]; the new
     * strides then follow from the stride of the group's last dimension. (NumPy's
     * _attempt_nocopy_reshape.) */
    int oi = 0, ni = 0;
    while (oi < on && ni < s->ndim) {
        int oj = oi + 1, nj = ni + 1;
        int64_t op = od[oi], np = s->dim[ni];
        while (op != np) {
            if (op < np) {
                if (oj >= on)
                    return 0;
                op *= od[oj++];
            } else {
                if (nj >= s->ndim)
                    return 0;
                np *= s->dim[nj++];
            }
        }
        for (int k = oi; k + 1 < oj; k++)
            if (os[k] != od[k + 1] * os[k + 1])
                return 0;
        int64_t step = os[oj - 1];
        for (int k = nj - 1; k >= ni; k--) {
            r.stride[k] = step;
            step *= s->dim[k];
        }
        oi = oj;
        ni = nj;
    }
    for (int k = ni; k < s->ndim; k++) /* the rest have extent 1 */
        r.stride[k] = 1;
    *l = r;
    return 1;
}

int gnd__axis(int axis, int ndim)
{
    if (axis < -ndim || axis >= ndim)
        return -1;
    return axis < 0 ? axis + ndim : axis;
}

int gnd__axes_count(gnd_axes axes)
{
    const uint64_t set = GND_NO_AXES.bits;
    return axes.bits & set ? __builtin_popcountll(axes.bits & ~set) : -1;
}

int gnd__axes_mask(gnd_axes axes, int ndim, uint32_t *mask, int *bad)
{
    *mask = 0;
    if (axes.bits == GND_ALL.bits) {
        *mask = ndim >= 32 ? UINT32_MAX : ((uint32_t)1 << ndim) - 1;
        return 0;
    }
    if (gnd__axes_count(axes) < 0)
        return -2;
    for (int bit = 0; bit < 63; bit++) {
        if (!(axes.bits >> bit & 1))
            continue;
        int axis = bit < 32 ? bit : 31 - bit, k = gnd__axis(axis, ndim);
        if (k < 0 || *mask >> k & 1) {
            if (bad)
                *bad = axis;
            return -1;
        }
        *mask |= (uint32_t)1 << k;
    }
    return 0;
}
