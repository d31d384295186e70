/* SPDX-License-Identifier: BSD-3-Clause
 *
 * refmake.c - see ref.h: the same array on a device, in several layouts, and on the host.
 */
#include "ref.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/dtype.h"

const char *ref_layout_name(ref_layout l)
{
    static const char *const name[] = {"contiguous",          "offset",    "transposed",
                                       "negative step",       "broadcast", "evaluated slice",
                                       "strided and permuted"};
    return name[l];
}

/* start + step * i along one axis of the host's view. */
static void slice(ref_arr *a, int axis, int64_t start, int64_t step, int64_t n)
{
    a->p += start * a->stride[axis] * (int64_t)gnd_dtype_size(a->t);
    a->stride[axis] *= step;
    a->dim[axis] = n;
}

static void permute(ref_arr *a, const int *perm)
{
    ref_arr b = *a;
    for (int d = 0; d < a->ndim; d++) {
        a->dim[d] = b.dim[perm[d]];
        a->stride[d] = b.stride[perm[d]];
    }
}

/* x[..., i, ...] along one axis: entries of every axis are full slices but that one. */
static gnd_array *slice_axis(gnd_array *x, int axis, int64_t start, int64_t stop, int64_t step)
{
    gnd_range r[GND_MAX_NDIM];
    for (int d = 0; d <= axis; d++)
        r[d] = (gnd_range){GND_IDX_SLICE, GND_NONE, GND_NONE, 1, NULL};
    r[axis] = (gnd_range){GND_IDX_SLICE, start, stop, step, NULL};
    return gnd_index(x, axis + 1, r);
}

gnd_array *ref_make(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, ref_layout l,
                    int how, ref_arr *host)
{
    int64_t base[GND_MAX_NDIM];
    int perm[GND_MAX_NDIM];
    gnd_array *x;
    if (ndim == 0)
        l = REF_CONTIG;
    for (int d = 0; d < ndim; d++) {
        base[d] = dim[d];
        perm[d] = l == REF_TRANSPOSED ? ndim - 1 - d : l == REF_STRIDED ? (d + ndim - 1) % ndim : d;
    }
    for (int d = 0; d < ndim; d++)
        base[perm[d]] = dim[d]; /* axis d of the result is axis perm[d] of the base */
    if (l == REF_OFFSET || l == REF_EVALUATED)
        base[ndim - 1] += 1;
    else if (l == REF_NEGATIVE)
        base[ndim - 1] = base[ndim - 1] * 2 + 1;
    else if (l == REF_STRIDED)
        base[0] = base[0] * 2 + 1;
    else if (l == REF_BROADCAST && dim[0] > 0)
        base[0] = 1;
    *host = ref_new(t, ndim, base);
    ref_fill(host, how);
    x = gnd_from(dev, t, ndim, base, host->p);
    if (l == REF_OFFSET || l == REF_EVALUATED) {
        x = slice_axis(x, ndim - 1, 1, GND_NONE, 1);
        slice(host, ndim - 1, 1, 1, dim[ndim - 1]);
        if (l == REF_EVALUATED)
            gnd_wait(x);
    } else if (l == REF_NEGATIVE || l == REF_STRIDED) {
        int axis = l == REF_STRIDED ? 0 : ndim - 1;
        int64_t n = (base[axis] - 1) / 2;
        x = slice_axis(x, axis, n * 2, 0, -2); /* 2n, 2n - 2, ... 2 */
        slice(host, axis, n * 2, -2, n);
    } else if (l == REF_BROADCAST && dim[0] > 0) {
        x = gnd_broadcast_to(x, ndim, dim);
        host->dim[0] = dim[0];
        host->stride[0] = 0;
    }
    if (l == REF_TRANSPOSED || l == REF_STRIDED) {
        x = gnd_permute_dims(x, perm);
        permute(host, perm);
    }
    return x;
}

int ref_read(gnd_array *x, gnd_dtype t, int ndim, const int64_t *dim, ref_arr *out, char *why,
             size_t cap)
{
    gnd_status st = gnd_status_of(x);
    *out = (ref_arr){.t = t};
    if (st == GND_OK && gnd_dtype_of(x) != t) {
        snprintf(why, cap, "dtype %s, not %s", gnd_dtype_name(gnd_dtype_of(x)), gnd_dtype_name(t));
        return 0;
    }
    int same = st == GND_OK && gnd_ndim(x) == ndim;
    for (int d = 0; d < ndim && same; d++)
        same = gnd_dim(x, d) == dim[d];
    if (st == GND_OK && !same) {
        snprintf(why, cap, "another shape: %d dimensions, size %" PRId64, gnd_ndim(x), gnd_size(x));
        return 0;
    }
    if (st == GND_OK) {
        *out = ref_new(t, ndim, dim);
        st = gnd_read(x, out->p, gnd_nbytes(x));
    }
    if (st != GND_OK) {
        snprintf(why, cap, "%s: %s", gnd_status_name(st), gnd_error(x));
        ref_free(out);
    }
    return st == GND_OK;
}
