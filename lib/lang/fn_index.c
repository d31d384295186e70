/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_index.c - the language's functions of indices and masks: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

/* --- by indices ------------------------------------------------------------------------------- */

/* Reads argument i as indices. An empty list is an array of ints. */
static gnd_array *indices(gnd__args *c, int i)
{
    int empty = gnd__val_is_seq(&c->arg[i].v) && c->arg[i].v.seq->leaves == 0;
    gnd_array *a = gnd__arg_array(c, i);
    gnd__val ints;
    if (!a || !empty)
        return a;
    if (gnd__val_array(c->x, &ints, gnd_astype(a, GND_INT64), c->arg[i].at))
        return NULL;
    gnd__val_drop(&c->arg[i].v);
    c->arg[i].v = ints;
    return ints.held->a;
}

/* Applies the mode in argument i (default 'raise') to idx, the indices into an axis of `size`
 * elements. The result replaces argument `at`. */
static gnd_array *fitted(gnd__args *c, gnd_array *idx, int64_t size, int i, int at)
{
    const int mode = gnd__arg_word(c, i, "raise wrap clip", GND_INDEX_RAISE);
    gnd__val y;
    if (mode <= GND_INDEX_RAISE)
        return mode < 0 ? NULL : idx;
    if (gnd__val_array(c->x, &y, gnd_fit_indices(idx, size, (gnd_index_mode)mode), c->arg[at].at))
        return NULL;
    gnd__val_drop(&c->arg[at].v);
    c->arg[at].v = y;
    return gnd__arg_array(c, at);
}

/* Calls f with x flattened. */
static int flattened(gnd__args *c, gnd_array *x, gnd_array *idx,
                     gnd_array *(*f)(gnd_array *, gnd_array *, int))
{
    gnd_array *flat = gnd_reshape(x, 1, (int64_t[]){-1}), *y = f(flat, idx, 0);
    gnd_release(flat);
    return gnd__ret(c, y);
}

int gnd__fn_take(gnd__args *c)
{
    int axis;
    gnd_array *x = gnd__arg_strong(c, 0), *idx = x ? indices(c, 1) : NULL;
    if (!idx)
        return -1;
    const int given = gnd__arg_given(c, 2);
    if (given && gnd__arg_axis(c, 2, &axis))
        return -1;
    /* NumPy takes a number for an array of one element along axis 0 */
    if (!given || (gnd_ndim(x) == 0 && (axis == 0 || axis == -1))) {
        idx = fitted(c, idx, gnd_size(x), 3, 1);
        return idx ? gnd__ret(c, gnd_take_flat(x, idx)) : -1;
    }
    if (axis >= -gnd_ndim(x) && axis < gnd_ndim(x)) /* else take reports the error */
        idx = fitted(c, idx, gnd_dim(x, axis), 3, 1);
    return idx ? gnd__ret(c, gnd_take(x, idx, axis)) : -1;
}

int gnd__fn_take_along_axis(gnd__args *c)
{
    int axis = -1;
    gnd_array *x = gnd__arg_strong(c, 0), *idx = x ? indices(c, 1) : NULL;
    if (!idx)
        return -1;
    if (c->arg[2].v.kind == GND__V_NONE)
        return flattened(c, x, idx, gnd_take_along_axis);
    if (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis))
        return -1;
    return gnd__ret(c, gnd_take_along_axis(x, idx, axis));
}

int gnd__fn_put_along_axis(gnd__args *c)
{
    int axis;
    gnd_array *x = gnd__arg_strong(c, 0), *idx = x ? indices(c, 1) : NULL;
    gnd_array *v = idx ? gnd__arg_array(c, 2) : NULL;
    if (!v || gnd__arg_axis(c, 3, &axis))
        return -1;
    return gnd__ret(c, gnd_put_along_axis(x, idx, v, axis));
}

int gnd__fn_put(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *idx = x ? indices(c, 1) : NULL;
    gnd_array *v = idx ? gnd__arg_array(c, 2) : NULL;
    idx = v ? fitted(c, idx, gnd_size(x), 3, 1) : NULL;
    return idx ? gnd__ret(c, gnd_put(x, idx, v)) : -1;
}

int gnd__fn_fit_indices(gnd__args *c)
{
    int64_t size;
    gnd_array *idx = indices(c, 0);
    const int mode = idx ? gnd__arg_word(c, 2, "raise wrap clip", GND_INDEX_WRAP) : -1;
    if (mode < 0 || gnd__arg_int(c, 1, &size))
        return -1;
    return gnd__ret(c, gnd_fit_indices(idx, size, (gnd_index_mode)mode));
}

int gnd__fn_place(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *m = x ? gnd__arg_strong(c, 1) : NULL;
    gnd_array *v = m ? gnd__arg_array(c, 2) : NULL;
    return v ? gnd__ret(c, gnd_place(x, m, v)) : -1;
}

/* --- where something is true ------------------------------------------------------------------ */

static int nonzero(gnd__args *c, gnd_array *x)
{
    gnd_array *out[GND_MAX_NDIM] = {NULL};
    if (gnd_ndim(x) == 0)
        return gnd__arg_value(c, 0, "an array of at least one dimension");
    gnd_status st = gnd_nonzero(x, out);
    return gnd__ret_tuple(c, out, gnd_ndim(x), st);
}

int gnd__fn_nonzero(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    return x ? nonzero(c, x) : -1;
}

int gnd__fn_where(gnd__args *c)
{
    gnd_array *a[3];
    int given = gnd__arg_given(c, 1) + gnd__arg_given(c, 2);
    if (given == 0)
        return gnd__fn_nonzero(c);
    if (given == 1)
        return gnd__arg_value(c, gnd__arg_given(c, 1) ? 2 : 1, "given, as the other one is");
    for (int i = 0; i < 3; i++)
        if (!(a[i] = gnd__arg_array(c, i)))
            return -1;
    return gnd__ret(c, gnd__apply("where", 3, a));
}

int gnd__fn_argwhere(gnd__args *c)
{
    return gnd__ret_of(c, gnd_argwhere);
}

int gnd__fn_flatnonzero(gnd__args *c)
{
    return gnd__ret_of(c, gnd_flatnonzero);
}

static int compress(gnd__args *c, int condition, int array)
{
    int axis;
    gnd_array *m = gnd__arg_strong(c, condition), *x = m ? gnd__arg_strong(c, array) : NULL;
    if (!x)
        return -1;
    if (gnd__arg_given(c, 2))
        return gnd__arg_axis(c, 2, &axis) ? -1 : gnd__ret(c, gnd_compress(m, x, axis));
    gnd_array *flat = gnd_reshape(x, 1, (int64_t[]){-1}), *y = gnd_compress(m, flat, 0);
    gnd_release(flat);
    return gnd__ret(c, y);
}

int gnd__fn_compress(gnd__args *c)
{
    return compress(c, 0, 1);
}
int gnd__fn_compress_method(gnd__args *c)
{
    return compress(c, 1, 0);
}

int gnd__fn_extract(gnd__args *c)
{
    gnd_array *m = gnd__arg_strong(c, 0), *x = m ? gnd__arg_strong(c, 1) : NULL;
    return x ? gnd__ret(c, gnd_extract(m, x)) : -1;
}

/* --- changed elements ------------------------------------------------------------------------- */

/* add_at(x, index, value): index is what x[index] takes, a tuple for several axes. */
static int update(gnd__args *c, gnd_array *(*f)(gnd_array *, int, const gnd_range *, gnd_array *))
{
    gnd_array *x = gnd__arg_strong(c, 0), *v = x ? gnd__arg_array(c, 2) : NULL;
    return v ? gnd__expr_update(c->x, x, &c->arg[1], v, f, c->out, c->at) : -1;
}

int gnd__fn_set_at(gnd__args *c)
{
    return update(c, gnd_set);
}
int gnd__fn_add_at(gnd__args *c)
{
    return update(c, gnd_add_at);
}
int gnd__fn_max_at(gnd__args *c)
{
    return update(c, gnd_max_at);
}
int gnd__fn_min_at(gnd__args *c)
{
    return update(c, gnd_min_at);
}
