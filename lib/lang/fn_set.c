/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_set.c - the language's sets: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/set.h>
#include "lang/call.h"

static int flag(gnd__args *c, int i, int *v)
{
    *v = 0;
    return gnd__arg_given(c, i) ? gnd__arg_bool(c, i, v) : 0;
}

/* --- unique ----------------------------------------------------------------------------------- */

/* Returns the unique values, or a tuple of them and the results that flags select. */
static int unique(gnd__args *c, gnd_array *x, unsigned flags, int axis, int along)
{
    gnd_array *out[4];
    int n = 1 + __builtin_popcount(flags & 7u);
    gnd_status st = along ? gnd_unique_along(x, axis, flags & 7u, out) : gnd_unique(x, flags, out);
    return n == 1 ? gnd__ret(c, out[0]) : gnd__ret_tuple(c, out, n, st);
}

int gnd__fn_unique(gnd__args *c)
{
    unsigned flags = 0;
    int v, nan = 1, axis = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    for (int i = 1; i <= 3 && x; i++) {
        if (flag(c, i, &v))
            return -1;
        flags |= v ? 1u << (i - 1) : 0;
    }
    if (!x || (gnd__arg_given(c, 4) && gnd__arg_axis(c, 4, &axis)) ||
        (gnd__arg_given(c, 5) && gnd__arg_bool(c, 5, &nan)))
        return -1;
    return unique(c, x, flags | (nan ? GND_EQUAL_NAN : 0), axis, gnd__arg_given(c, 4));
}

/* Returns a tuple with field names. */
static int standard(gnd__args *c, gnd_status (*f)(gnd_array *, gnd_array **), int n,
                    const char *fields)
{
    gnd_array *out[4], *x = gnd__arg_strong(c, 0);
    if (!x || gnd__ret_tuple(c, out, n, f(x, out)))
        return -1;
    c->out->seq->fields = fields;
    return 0;
}

int gnd__fn_unique_all(gnd__args *c)
{
    return standard(c, gnd_unique_all, 4, "values indices inverse_indices counts");
}

int gnd__fn_unique_counts(gnd__args *c)
{
    return standard(c, gnd_unique_counts, 2, "values counts");
}

int gnd__fn_unique_inverse(gnd__args *c)
{
    return standard(c, gnd_unique_inverse, 2, "values inverse_indices");
}

int gnd__fn_unique_values(gnd__args *c)
{
    return gnd__ret_of(c, gnd_unique_values);
}

/* --- two sets --------------------------------------------------------------------------------- */

int gnd__fn_isin(gnd__args *c)
{
    int unique_ones, invert;
    gnd_array *x = gnd__arg_array(c, 0), *y = x ? gnd__arg_array(c, 1) : NULL;
    if (!y || flag(c, 2, &unique_ones) || flag(c, 3, &invert))
        return -1;
    if (gnd_is_weak(x) && gnd_is_weak(y) && !(x = gnd__arg_strong(c, 0)))
        return -1;
    return gnd__ret(c, gnd_isin(x, y, invert));
}

/* Reads both arrays and assume_unique, which must be a bool. It matters to setdiff1d only. */
static int two(gnd__args *c, gnd_array **x, int *unique_ones)
{
    for (int i = 0; i < 2; i++)
        if (!(x[i] = gnd__arg_strong(c, i)))
            return -1;
    return flag(c, 2, unique_ones);
}

int gnd__fn_union1d(gnd__args *c)
{
    gnd_array *x[2];
    int u;
    return two(c, x, &u) ? -1 : gnd__ret(c, gnd_union1d(x[0], x[1]));
}

int gnd__fn_intersect1d(gnd__args *c)
{
    gnd_array *x[2], *out[3];
    int u, indices;
    if (two(c, x, &u) || flag(c, 3, &indices))
        return -1;
    return indices ? gnd__ret_tuple(c, out, 3, gnd_intersect1d_indices(x[0], x[1], out))
                   : gnd__ret(c, gnd_intersect1d(x[0], x[1]));
}

/* With assume_unique the result keeps the order of x1, else it is sorted. */
int gnd__fn_setdiff1d(gnd__args *c)
{
    gnd_array *x[2];
    int u;
    if (two(c, x, &u))
        return -1;
    return gnd__ret(c, (u ? gnd_setdiff1d_kept : gnd_setdiff1d)(x[0], x[1]));
}

int gnd__fn_setxor1d(gnd__args *c)
{
    gnd_array *x[2];
    int u;
    return two(c, x, &u) ? -1 : gnd__ret(c, gnd_setxor1d(x[0], x[1]));
}
