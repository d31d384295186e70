/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_special.c - the functions of gnd/special.h: elementwise functions with several results,
 * or with arguments that are not arrays. Handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/special.h>
#include "lang/call.h"

/* Bools become floats, as in NumPy. */
int gnd__fn_round(gnd__args *c)
{
    int64_t d = 0;
    gnd_array *x = gnd__arg_array(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &d)))
        return -1;
    if (d > 300 || d < -300)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at, "%s: %lld decimals", c->name,
                              (long long)d);
    gnd_scope_begin();
    const int is_bool = gnd_dtype_of(x) == GND_BOOL;
    gnd_array *y = gnd_keep(gnd_round_decimals(is_bool ? gnd_copysign(x, x) : x, (int)d));
    gnd_scope_end();
    return gnd__ret(c, y);
}

int gnd__fn_angle(gnd__args *c)
{
    int deg = 0;
    gnd_array *z = gnd__arg_array(c, 0);
    if (!z || (gnd__arg_given(c, 1) && gnd__arg_bool(c, 1, &deg)))
        return -1;
    return gnd__ret(c, gnd_angle(z, deg));
}

/* copy has no effect: arrays are values. */
int gnd__fn_nan_to_num(gnd__args *c)
{
    gnd_array *x = gnd__arg_array(c, 0), *v[3] = {NULL, NULL, NULL};
    int copy;
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_bool(c, 1, &copy)))
        return -1;
    for (int i = 0; i < 3; i++)
        if (gnd__arg_given(c, i + 2) && !(v[i] = gnd__arg_array(c, i + 2)))
            return -1;
    return gnd__ret(c, gnd_nan_to_num(x, v[0], v[1], v[2]));
}

/* f of the operand as a float, in the dtype that the functions of floats have for ints. */
static int of_float(gnd__args *c, gnd_array *(*f)(gnd_array *))
{
    gnd_array *x = gnd__arg_array(c, 0);
    if (!x)
        return -1;
    const int kind = gnd_dtype_kind(gnd_dtype_of(x));
    if (kind == 'f' || kind == 'c')
        return gnd__ret(c, f(x));
    gnd_scope_begin();
    gnd_array *y = gnd_keep(f(gnd_copysign(x, x)));
    gnd_scope_end();
    return gnd__ret(c, y);
}

int gnd__fn_rint(gnd__args *c)
{
    return of_float(c, gnd_round);
}

int gnd__fn_fabs(gnd__args *c)
{
    gnd_array *x = gnd__arg_array(c, 0);
    if (x && gnd_dtype_kind(gnd_dtype_of(x)) == 'c')
        return gnd__expr_fail(c->x, GND_ERR_DTYPE, c->arg[0].at,
                              "%s: %s is not allowed: abs is the modulus of complex numbers",
                              c->name, gnd_dtype_name(gnd_dtype_of(x)));
    return x ? of_float(c, gnd_abs) : -1;
}

int gnd__fn_float_power(gnd__args *c)
{
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    return b ? gnd__ret(c, gnd_float_power(a, b)) : -1;
}

/* Applies f to a number or an array. */
static int with(gnd__args *c, gnd_array *(*f)(gnd_array *))
{
    gnd_array *x = gnd__arg_array(c, 0);
    return x ? gnd__ret(c, f(x)) : -1;
}

int gnd__fn_isreal(gnd__args *c)
{
    return with(c, gnd_isreal);
}
int gnd__fn_iscomplex(gnd__args *c)
{
    return with(c, gnd_iscomplex);
}
int gnd__fn_relu(gnd__args *c)
{
    return with(c, gnd_relu);
}

int gnd__fn_frexp(gnd__args *c)
{
    gnd_array *x = gnd__arg_array(c, 0), *out[2];
    return x ? gnd__ret_tuple(c, out, 2, gnd_frexp(x, &out[0], &out[1])) : -1;
}

int gnd__fn_modf(gnd__args *c)
{
    gnd_array *x = gnd__arg_array(c, 0), *out[2];
    return x ? gnd__ret_tuple(c, out, 2, gnd_modf(x, &out[0], &out[1])) : -1;
}

int gnd__fn_divmod(gnd__args *c)
{
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL, *out[2];
    return b ? gnd__ret_tuple(c, out, 2, gnd_divmod(a, b, &out[0], &out[1])) : -1;
}
