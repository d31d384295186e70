/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_sort.c - the language's sorts and related functions: handlers of funcs.def. Arguments
 * that choose an algorithm in NumPy are accepted and have no effect: every sort here is stable.
 */
#include <gnd/array.h>
#include <gnd/sort.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

enum { MOST_KTH = 64 };

/* Checks the name of an algorithm. The choice has no effect. Returns -1 if the name is unknown. */
static int kind(gnd__args *c, int i)
{
    return gnd__arg_word(c, i, "quicksort mergesort heapsort stable introselect", 0);
}

/* Refuses NumPy's `order`, which names fields of structures: gnd has no structures. */
static int no_order(gnd__args *c, int i)
{
    return gnd__arg_given(c, i) ? gnd__arg_value(c, i, "None, since elements have no fields") : 0;
}

/* Returns x and reads the axis (default: the last) in argument i. For axis=None, returns x
 * flattened, a new handle that is also stored in *flat; otherwise *flat is NULL. */
static gnd_array *on_axis(gnd__args *c, int i, int *axis, gnd_array **flat)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    *axis = -1;
    *flat = NULL;
    if (!x)
        return NULL;
    if (c->arg[i].v.kind == GND__V_NONE)
        return *flat = gnd_reshape(x, 1, (const int64_t[]){-1});
    if (gnd__arg_given(c, i) && gnd__arg_axis(c, i, axis))
        return NULL;
    return x;
}

/* Returns the result y and releases the flattened array of on_axis, if there is one. */
static int done(gnd__args *c, gnd_array *flat, gnd_array *y)
{
    if (flat)
        gnd_release(flat);
    return gnd__ret(c, y);
}

/* x, axis, kind, order, descending, stable */
static int sorted(gnd__args *c, gnd_array *(*f)(gnd_array *, int, unsigned))
{
    int axis, descending = 0, stable = 1;
    gnd_array *flat, *x;
    if (kind(c, 2) < 0 || no_order(c, 3) ||
        (gnd__arg_given(c, 4) && gnd__arg_bool(c, 4, &descending)) ||
        (gnd__arg_given(c, 5) && gnd__arg_bool(c, 5, &stable)) ||
        !(x = on_axis(c, 1, &axis, &flat)))
        return -1;
    return done(c, flat, f(x, axis, descending ? GND_DESCENDING : 0));
}

int gnd__fn_sort(gnd__args *c)
{
    return sorted(c, gnd_sort);
}
int gnd__fn_argsort(gnd__args *c)
{
    return sorted(c, gnd_argsort);
}

/* x, k, axis, largest, sorted */
int gnd__fn_topk(gnd__args *c)
{
    int axis, largest = 1, in_order = 1;
    int64_t k;
    gnd_array *flat, *x, *out[2];
    if (gnd__arg_int(c, 1, &k) || (gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, &largest)) ||
        (gnd__arg_given(c, 4) && gnd__arg_bool(c, 4, &in_order)) ||
        !(x = on_axis(c, 2, &axis, &flat)))
        return -1;
    gnd_status st = gnd_topk(x, k, axis, largest ? 0 : GND_SMALLEST, out);
    if (flat)
        gnd_release(flat);
    return gnd__ret_tuple(c, out, 2, st);
}

/* x, kth, axis, kind, order */
static int parted(gnd__args *c, gnd_array *(*f)(gnd_array *, int, const int64_t *, int))
{
    int64_t kth[MOST_KTH];
    int n, axis;
    gnd_array *flat, *x;
    if (gnd__arg_ints(c, 1, kth, MOST_KTH, &n) || kind(c, 3) < 0 || no_order(c, 4) ||
        !(x = on_axis(c, 2, &axis, &flat)))
        return -1;
    return done(c, flat, f(x, n, kth, axis));
}

int gnd__fn_partition(gnd__args *c)
{
    return parted(c, gnd_partition);
}
int gnd__fn_argpartition(gnd__args *c)
{
    return parted(c, gnd_argpartition);
}

/* keys (a sequence of arrays, or an array whose parts along axis 0 are the keys), axis */
int gnd__fn_lexsort(gnd__args *c)
{
    int axis = -1, n = 0;
    if (gnd__arg_given(c, 1) && gnd__arg_axis(c, 1, &axis))
        return -1;
    gnd_array **keys = gnd__arg_arrays(c, 0, &n);
    if (!keys)
        return -1;
    gnd_array *y = gnd_lexsort(n, keys, axis);
    gnd__free(keys);
    return gnd__ret(c, y);
}
