/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/views.h - small steps from which views and joins are made. Arguments are checked already;
 * every function gives one new handle, or an error node.
 */
#ifndef GND_ARRAY_VIEWS_H
#define GND_ARRAY_VIEWS_H

#include "graph/graph.h"
#include <gnd/view.h>

/* The identity map for n axes. */
static inline void gnd__map_identity(gnd__map *m, int n)
{
    for (int i = 0; i < n; i++) {
        m->start[i] = 0;
        m->step[i] = 1;
        m->from[i] = (int8_t)i;
    }
}

/* A view of x of that shape: axis d of x at start[d] + step[d] * i[from[d]]; x itself, as a new
 * handle, if nothing changes. */
gnd_array *gnd__viewed(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m);
/* Elements start .. start + count of one axis. */
gnd_array *gnd__slice(gnd_array *x, int axis, int64_t start, int64_t count);
/* Python's slice.indices() for an axis of extent n: the first element, the step (1 if it does not
 * matter) and the number of elements. */
int64_t gnd__slice_count(const gnd_range *r, int64_t n, int64_t *first, int64_t *step_out);
/* x with its axes in another order: output axis i is axis perm[i] of x. */
gnd_array *gnd__permuted(gnd_array *x, const int *perm);
/* x in another shape of the same size. */
gnd_array *gnd__reshaped(gnd_array *x, int ndim, const int64_t *dim);
/* x with additional axes of extent 1 at the positions (of the result) in mask. */
gnd_array *gnd__expanded(gnd_array *x, uint32_t mask);
/* The elements of x at the 1-d indices idx (int64, in range) along one axis. */
gnd_array *gnd__taken(gnd_array *x, gnd_array *idx, int axis);
/* x, marked to be stored in memory of its own instead of being computed where it is read. */
gnd_array *gnd__stored(gnd_array *x);
/* x with at least ndim (1, 2 or 3) dimensions, as gnd_atleast_1d and so on have it. */
gnd_array *gnd__atleast(gnd_array *x, int ndim);
/* n arrays (of dtypes that promote) one after the other along axis, checked under the name func. */
gnd_array *gnd__concat(const char *func, int n, gnd_array *const *x, int axis);
/* Puts the error bad into out[0] to out[n - 1] and releases it. Returns its status. out may be
 * NULL. */
gnd_status gnd__all_fail(int64_t n, gnd_array **out, gnd_array *bad);

#endif
