/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/inscope.h - functions that are made of many others, in a scope of their own, between
 * gnd__steps_begin and gnd__steps_end: public functions are their steps, and nothing has to be given
 * back by hand. Those here take errors and pass them on, and may return their argument itself.
 */
#ifndef GND_ARRAY_INSCOPE_H
#define GND_ARRAY_INSCOPE_H

#include <gnd/create.h>
#include "array/views.h"
#include "graph/scope.h"

static inline int gnd__is_bad(const gnd_array *x)
{
    return x->kind == GND__ERROR;
}

/* x as dtype t, complex ones never as real. */
static inline gnd_array *gnd__to(gnd_array *x, gnd_dtype t)
{
    return gnd__is_bad(x) || (gnd_dtype)x->dtype == t ? x : gnd__cast_node(x, t);
}

static inline gnd_array *gnd__flat(gnd_array *x)
{
    return gnd__is_bad(x) || x->ndim == 1 ? x : gnd__reshape_node(x, 1, &x->size);
}

/* Elements start .. start + count of a 1-d array. */
static inline gnd_array *gnd__part(gnd_array *x, int64_t start, int64_t count)
{
    return gnd__is_bad(x) ? x : gnd__slice(x, 0, start, count);
}

/* Element i of a 1-d array, 0-d. */
static inline gnd_array *gnd__element(gnd_array *x, int64_t i)
{
    gnd__map m = { .start = { i }, .step = { 1 }, .from = { -1 } };
    return gnd__is_bad(x) ? x : gnd__view_node(x, 0, NULL, &m);
}

/* The elements of the 1-d array x at the int64 indices idx, of any shape, which are in range. */
static inline gnd_array *gnd__pick(gnd_array *x, gnd_array *idx)
{
    static const gnd__gather how = { { -1 }, { 1 } };
    if (gnd__is_bad(x) || gnd__is_bad(idx))
        return gnd__is_bad(x) ? x : idx;
    return gnd__take_node(x, 1, &idx, idx->ndim, idx->dim, &how);
}

/* x, int64 or of the dtype that int64 promotes it to; an error when it is read unless every element of
 * ok is true. */
gnd_array *gnd__provided(gnd_array *x, gnd_array *ok, gnd_status code, const char *func,
                         const char *what);

/* The end of function func with n results, made in its scope: each to its owner; the first error. */
gnd_status gnd__give(const char *func, int n, gnd_array **out);
/* Before there is a scope: the error bad in each of n places of out, or nowhere when that is NULL. */
gnd_status gnd__give_bad(gnd_array *bad, int n, gnd_array **out);

#endif
