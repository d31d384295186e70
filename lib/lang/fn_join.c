/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_join.c - the language's functions that join arrays: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

/* Converts y to dtype t if one was given. Takes over y. */
static gnd_array *as(gnd_array *y, gnd_dtype t)
{
    if (t == GND_DTYPE_DEFAULT || gnd_status_of(y))
        return y;
    gnd_array *z = gnd_astype(y, t);
    gnd_release(y);
    return z;
}

/* arrays, axis=0, dtype=None. flat is called for axis=None. */
static int joined(gnd__args *c, gnd_array *(*f)(int, gnd_array *const *, int),
                  gnd_array *(*flat)(int, gnd_array *const *))
{
    int n, axis = 0;
    gnd_dtype t;
    if ((gnd__arg_given(c, 1) && gnd__arg_axis(c, 1, &axis)) || gnd__arg_dtype(c, 2, &t))
        return -1;
    gnd_array **x = gnd__arg_arrays(c, 0, &n);
    if (!x)
        return -1;
    gnd_array *y = flat && c->arg[1].v.kind == GND__V_NONE ? flat(n, x) : f(n, x, axis);
    gnd__free(x);
    return gnd__ret(c, as(y, t));
}

int gnd__fn_concat(gnd__args *c)
{
    return joined(c, gnd_concat, gnd_concat_flat);
}
int gnd__fn_stack(gnd__args *c)
{
    return joined(c, gnd_stack, NULL);
}

int gnd__fn_unstack(gnd__args *c)
{
    int axis = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_axis(c, 1, &axis)))
        return -1;
    int64_t n = gnd_dim(x, axis);
    if (n > 1 << 20)
        return gnd__expr_fail(c->x, GND_ERR_OVERFLOW, c->at, "%s: %lld arrays", c->name,
                              (long long)n);
    if (n < 0)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->at,
                              "%s: axis %d is out of range for %d "
                              "dimension%s",
                              c->name, axis, gnd_ndim(x), gnd_ndim(x) == 1 ? "" : "s");
    gnd_array **out = gnd__calloc((size_t)n + 1, sizeof *out);
    int r = out ? gnd__ret_tuple(c, out, (int)n, gnd_unstack(x, axis, out)) : gnd__expr_nomem(c->x);
    gnd__free(out);
    return r;
}

int gnd__fn_tile(gnd__args *c)
{
    int64_t reps[GND_MAX_NDIM];
    int n;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || gnd__arg_ints(c, 1, reps, GND_MAX_NDIM, &n) ? -1
                                                             : gnd__ret(c, gnd_tile(x, n, reps));
}

/* Returns 1 if argument i is a 1-d array whose number of elements is not 1. */
static int is_vector(const gnd__args *c, int i)
{
    const gnd__val *v = &c->arg[i].v;
    return v->kind == GND__V_ARRAY && gnd_ndim(v->held->a) == 1 && gnd_size(v->held->a) != 1;
}

/* repeat(x, n) and repeat(x, [n0, n1, ...]), along an axis or of the flattened array. The counts
 * may be an array. */
int gnd__fn_repeat(gnd__args *c)
{
    int axis = 0, n = 0;
    gnd_array *x = gnd__arg_strong(c, 0), *y;
    if (!x || (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis)))
        return -1;
    x = gnd__arg_given(c, 2) ? gnd__again(x) : gnd_reshape(x, 1, (int64_t[]){-1});
    if (is_vector(c, 1)) {
        int bad = gnd__ret(c, gnd_repeat_array(x, gnd__arg_array(c, 1), axis));
        gnd_release(x);
        return bad;
    }
    const int64_t given = gnd__arg_length(c, 1),
                  size = gnd_dim(x, axis); /* allocate only if the number of counts fits */
    int64_t *counts = NULL;
    int bad = 0;
    if (given != 1 && given != size)
        bad = gnd__ret(c, gnd_fail(GND_ERR_SHAPE, "repeat: %lld counts for %lld elements",
                                   (long long)given, (long long)size));
    else if (!(counts = gnd__calloc((size_t)given + 1, sizeof *counts)))
        bad = gnd__expr_nomem(c->x);
    else
        bad = gnd__arg_ints(c, 1, counts, given < INT32_MAX ? (int)given : INT32_MAX, &n);
    if (!bad) {
        y = n == 1 ? gnd_repeat(x, counts[0], axis) : gnd_repeat_each(x, counts, axis);
        bad = gnd__ret(c, y);
    }
    gnd__free(counts);
    gnd_release(x);
    return bad;
}

int gnd__fn_roll(gnd__args *c)
{
    int64_t shift[64], v[64];
    int axis[64], n, m;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shift, 64, &n))
        return -1;
    if (!gnd__arg_given(c, 2)) {
        int64_t sum = 0;
        for (int i = 0; i < n; i++)
            if (__builtin_add_overflow(sum, shift[i], &sum))
                return gnd__arg_value(c, 1, "within 64 bits");
        return gnd__ret(c, gnd_roll_flat(x, sum));
    }
    if (gnd__arg_ints(c, 2, v, 64, &m))
        return -1;
    if (n != m && n != 1 && m != 1)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at, "%s: %d shifts for %d axes", c->name, n,
                              m);
    int count = n == 0 || m == 0 ? 0 : n > m ? n : m;
    for (int i = count; i--;) {
        int64_t a = v[m == 1 ? 0 : i];
        shift[i] = shift[n == 1 ? 0 : i];
        axis[i] = a < -99 || a > 99 ? 99 : (int)a;
    }
    return gnd__ret(c, gnd_roll(x, count, shift, axis));
}
